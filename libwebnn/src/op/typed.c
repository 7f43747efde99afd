/* The typed functions: each makes the one call with its arguments.
 * Generated from the operation table by tools/opgen.c. */
#include "op/typed.h"

webnn_status webnn_arg_min(webnn_builder *builder, const webnn_operand *input, uint32_t axis,
                           const webnn_arg_min_max_options *options, webnn_operand **out) {
  webnn_arg_min_max_options own = WEBNN_ARG_MIN_MAX_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      uint_value(axis),
      bool_value(own.keep_dimensions),
      data_type_value(own.output_data_type),
      label_value(own.label),
  };
  return call(builder, WNN_OP_ARG_MIN, values, WNN_COUNT(values), out);
}

webnn_status webnn_arg_max(webnn_builder *builder, const webnn_operand *input, uint32_t axis,
                           const webnn_arg_min_max_options *options, webnn_operand **out) {
  webnn_arg_min_max_options own = WEBNN_ARG_MIN_MAX_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      uint_value(axis),
      bool_value(own.keep_dimensions),
      data_type_value(own.output_data_type),
      label_value(own.label),
  };
  return call(builder, WNN_OP_ARG_MAX, values, WNN_COUNT(values), out);
}

webnn_status webnn_batch_normalization(webnn_builder *builder, const webnn_operand *input,
                                       const webnn_operand *mean, const webnn_operand *variance,
                                       const webnn_batch_normalization_options *options,
                                       webnn_operand **out) {
  webnn_batch_normalization_options own = WEBNN_BATCH_NORMALIZATION_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      operand_value(mean),
      operand_value(variance),
      operand_value(own.scale),
      operand_value(own.bias),
      uint_value(own.axis),
      NUMBER_VALUE(own.epsilon),
      enum_value((uint32_t)own.activation),
      NUMBER_VALUE(own.activation_alpha),
      NUMBER_VALUE(own.activation_beta),
      NUMBER_VALUE(own.activation_min_value),
      NUMBER_VALUE(own.activation_max_value),
      label_value(own.label),
  };
  return call(builder, WNN_OP_BATCH_NORMALIZATION, values, WNN_COUNT(values), out);
}

webnn_status webnn_cast(webnn_builder *builder, const webnn_operand *input,
                        webnn_data_type data_type, const webnn_operator_options *options,
                        webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      data_type_value(data_type),
      label_value(own.label),
  };
  return call(builder, WNN_OP_CAST, values, WNN_COUNT(values), out);
}

webnn_status webnn_clamp(webnn_builder *builder, const webnn_operand *input,
                         const webnn_clamp_options *options, webnn_operand **out) {
  webnn_clamp_options own = WEBNN_CLAMP_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      NUMBER_VALUE(own.min_value),
      NUMBER_VALUE(own.max_value),
      label_value(own.label),
  };
  return call(builder, WNN_OP_CLAMP, values, WNN_COUNT(values), out);
}

webnn_status webnn_concat(webnn_builder *builder, const webnn_operand *const *inputs,
                          size_t n_inputs, uint32_t axis, const webnn_operator_options *options,
                          webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operands_value(inputs, n_inputs),
      uint_value(axis),
      label_value(own.label),
  };
  return call(builder, WNN_OP_CONCAT, values, WNN_COUNT(values), out);
}

webnn_status webnn_conv2d(webnn_builder *builder, const webnn_operand *input,
                          const webnn_operand *filter, const webnn_conv2d_options *options,
                          webnn_operand **out) {
  webnn_conv2d_options own = WEBNN_CONV2D_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      operand_value(filter),
      uints_value(own.padding, own.n_padding),
      uints_value(own.strides, own.n_strides),
      uints_value(own.dilations, own.n_dilations),
      uint_value(own.groups),
      enum_value((uint32_t)own.input_layout),
      enum_value((uint32_t)own.filter_layout),
      operand_value(own.bias),
      enum_value((uint32_t)own.auto_pad),
      enum_value((uint32_t)own.activation),
      NUMBER_VALUE(own.activation_alpha),
      NUMBER_VALUE(own.activation_beta),
      NUMBER_VALUE(own.activation_min_value),
      NUMBER_VALUE(own.activation_max_value),
      label_value(own.label),
  };
  return call(builder, WNN_OP_CONV2D, values, WNN_COUNT(values), out);
}

webnn_status webnn_conv_transpose2d(webnn_builder *builder, const webnn_operand *input,
                                    const webnn_operand *filter,
                                    const webnn_conv_transpose2d_options *options,
                                    webnn_operand **out) {
  webnn_conv_transpose2d_options own = WEBNN_CONV_TRANSPOSE2D_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      operand_value(filter),
      uints_value(own.padding, own.n_padding),
      uints_value(own.strides, own.n_strides),
      uints_value(own.dilations, own.n_dilations),
      uints_value(own.output_padding, own.n_output_padding),
      uints_value(own.output_sizes, own.n_output_sizes),
      uint_value(own.groups),
      enum_value((uint32_t)own.input_layout),
      enum_value((uint32_t)own.filter_layout),
      operand_value(own.bias),
      enum_value((uint32_t)own.auto_pad),
      enum_value((uint32_t)own.activation),
      NUMBER_VALUE(own.activation_alpha),
      NUMBER_VALUE(own.activation_beta),
      NUMBER_VALUE(own.activation_min_value),
      NUMBER_VALUE(own.activation_max_value),
      label_value(own.label),
  };
  return call(builder, WNN_OP_CONV_TRANSPOSE2D, values, WNN_COUNT(values), out);
}

webnn_status webnn_cumulative_sum(webnn_builder *builder, const webnn_operand *input, uint32_t axis,
                                  const webnn_cumulative_sum_options *options,
                                  webnn_operand **out) {
  webnn_cumulative_sum_options own = WEBNN_CUMULATIVE_SUM_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      uint_value(axis),
      bool_value(own.exclusive),
      bool_value(own.reversed),
      label_value(own.label),
  };
  return call(builder, WNN_OP_CUMULATIVE_SUM, values, WNN_COUNT(values), out);
}

webnn_status webnn_add(webnn_builder *builder, const webnn_operand *a, const webnn_operand *b,
                       const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(a),
      operand_value(b),
      label_value(own.label),
  };
  return call(builder, WNN_OP_ADD, values, WNN_COUNT(values), out);
}

webnn_status webnn_sub(webnn_builder *builder, const webnn_operand *a, const webnn_operand *b,
                       const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(a),
      operand_value(b),
      label_value(own.label),
  };
  return call(builder, WNN_OP_SUB, values, WNN_COUNT(values), out);
}

webnn_status webnn_mul(webnn_builder *builder, const webnn_operand *a, const webnn_operand *b,
                       const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(a),
      operand_value(b),
      label_value(own.label),
  };
  return call(builder, WNN_OP_MUL, values, WNN_COUNT(values), out);
}

webnn_status webnn_div(webnn_builder *builder, const webnn_operand *a, const webnn_operand *b,
                       const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(a),
      operand_value(b),
      label_value(own.label),
  };
  return call(builder, WNN_OP_DIV, values, WNN_COUNT(values), out);
}

webnn_status webnn_max(webnn_builder *builder, const webnn_operand *a, const webnn_operand *b,
                       const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(a),
      operand_value(b),
      label_value(own.label),
  };
  return call(builder, WNN_OP_MAX, values, WNN_COUNT(values), out);
}

webnn_status webnn_min(webnn_builder *builder, const webnn_operand *a, const webnn_operand *b,
                       const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(a),
      operand_value(b),
      label_value(own.label),
  };
  return call(builder, WNN_OP_MIN, values, WNN_COUNT(values), out);
}

webnn_status webnn_pow(webnn_builder *builder, const webnn_operand *a, const webnn_operand *b,
                       const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(a),
      operand_value(b),
      label_value(own.label),
  };
  return call(builder, WNN_OP_POW, values, WNN_COUNT(values), out);
}

webnn_status webnn_equal(webnn_builder *builder, const webnn_operand *a, const webnn_operand *b,
                         const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(a),
      operand_value(b),
      label_value(own.label),
  };
  return call(builder, WNN_OP_EQUAL, values, WNN_COUNT(values), out);
}

webnn_status webnn_not_equal(webnn_builder *builder, const webnn_operand *a, const webnn_operand *b,
                             const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(a),
      operand_value(b),
      label_value(own.label),
  };
  return call(builder, WNN_OP_NOT_EQUAL, values, WNN_COUNT(values), out);
}

webnn_status webnn_greater(webnn_builder *builder, const webnn_operand *a, const webnn_operand *b,
                           const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(a),
      operand_value(b),
      label_value(own.label),
  };
  return call(builder, WNN_OP_GREATER, values, WNN_COUNT(values), out);
}

webnn_status webnn_greater_or_equal(webnn_builder *builder, const webnn_operand *a,
                                    const webnn_operand *b, const webnn_operator_options *options,
                                    webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(a),
      operand_value(b),
      label_value(own.label),
  };
  return call(builder, WNN_OP_GREATER_OR_EQUAL, values, WNN_COUNT(values), out);
}

webnn_status webnn_lesser(webnn_builder *builder, const webnn_operand *a, const webnn_operand *b,
                          const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(a),
      operand_value(b),
      label_value(own.label),
  };
  return call(builder, WNN_OP_LESSER, values, WNN_COUNT(values), out);
}

webnn_status webnn_lesser_or_equal(webnn_builder *builder, const webnn_operand *a,
                                   const webnn_operand *b, const webnn_operator_options *options,
                                   webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(a),
      operand_value(b),
      label_value(own.label),
  };
  return call(builder, WNN_OP_LESSER_OR_EQUAL, values, WNN_COUNT(values), out);
}

webnn_status webnn_logical_not(webnn_builder *builder, const webnn_operand *a,
                               const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(a),
      label_value(own.label),
  };
  return call(builder, WNN_OP_LOGICAL_NOT, values, WNN_COUNT(values), out);
}

webnn_status webnn_logical_and(webnn_builder *builder, const webnn_operand *a,
                               const webnn_operand *b, const webnn_operator_options *options,
                               webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(a),
      operand_value(b),
      label_value(own.label),
  };
  return call(builder, WNN_OP_LOGICAL_AND, values, WNN_COUNT(values), out);
}

webnn_status webnn_logical_or(webnn_builder *builder, const webnn_operand *a,
                              const webnn_operand *b, const webnn_operator_options *options,
                              webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(a),
      operand_value(b),
      label_value(own.label),
  };
  return call(builder, WNN_OP_LOGICAL_OR, values, WNN_COUNT(values), out);
}

webnn_status webnn_logical_xor(webnn_builder *builder, const webnn_operand *a,
                               const webnn_operand *b, const webnn_operator_options *options,
                               webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(a),
      operand_value(b),
      label_value(own.label),
  };
  return call(builder, WNN_OP_LOGICAL_XOR, values, WNN_COUNT(values), out);
}

webnn_status webnn_is_nan(webnn_builder *builder, const webnn_operand *a,
                          const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(a),
      label_value(own.label),
  };
  return call(builder, WNN_OP_IS_NAN, values, WNN_COUNT(values), out);
}

webnn_status webnn_is_infinite(webnn_builder *builder, const webnn_operand *a,
                               const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(a),
      label_value(own.label),
  };
  return call(builder, WNN_OP_IS_INFINITE, values, WNN_COUNT(values), out);
}

webnn_status webnn_abs(webnn_builder *builder, const webnn_operand *input,
                       const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      label_value(own.label),
  };
  return call(builder, WNN_OP_ABS, values, WNN_COUNT(values), out);
}

webnn_status webnn_ceil(webnn_builder *builder, const webnn_operand *input,
                        const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      label_value(own.label),
  };
  return call(builder, WNN_OP_CEIL, values, WNN_COUNT(values), out);
}

webnn_status webnn_cos(webnn_builder *builder, const webnn_operand *input,
                       const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      label_value(own.label),
  };
  return call(builder, WNN_OP_COS, values, WNN_COUNT(values), out);
}

webnn_status webnn_erf(webnn_builder *builder, const webnn_operand *input,
                       const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      label_value(own.label),
  };
  return call(builder, WNN_OP_ERF, values, WNN_COUNT(values), out);
}

webnn_status webnn_exp(webnn_builder *builder, const webnn_operand *input,
                       const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      label_value(own.label),
  };
  return call(builder, WNN_OP_EXP, values, WNN_COUNT(values), out);
}

webnn_status webnn_floor(webnn_builder *builder, const webnn_operand *input,
                         const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      label_value(own.label),
  };
  return call(builder, WNN_OP_FLOOR, values, WNN_COUNT(values), out);
}

webnn_status webnn_identity(webnn_builder *builder, const webnn_operand *input,
                            const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      label_value(own.label),
  };
  return call(builder, WNN_OP_IDENTITY, values, WNN_COUNT(values), out);
}

webnn_status webnn_log(webnn_builder *builder, const webnn_operand *input,
                       const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      label_value(own.label),
  };
  return call(builder, WNN_OP_LOG, values, WNN_COUNT(values), out);
}

webnn_status webnn_neg(webnn_builder *builder, const webnn_operand *input,
                       const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      label_value(own.label),
  };
  return call(builder, WNN_OP_NEG, values, WNN_COUNT(values), out);
}

webnn_status webnn_reciprocal(webnn_builder *builder, const webnn_operand *input,
                              const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      label_value(own.label),
  };
  return call(builder, WNN_OP_RECIPROCAL, values, WNN_COUNT(values), out);
}

webnn_status webnn_round_even(webnn_builder *builder, const webnn_operand *input,
                              const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      label_value(own.label),
  };
  return call(builder, WNN_OP_ROUND_EVEN, values, WNN_COUNT(values), out);
}

webnn_status webnn_sin(webnn_builder *builder, const webnn_operand *input,
                       const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      label_value(own.label),
  };
  return call(builder, WNN_OP_SIN, values, WNN_COUNT(values), out);
}

webnn_status webnn_sign(webnn_builder *builder, const webnn_operand *input,
                        const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      label_value(own.label),
  };
  return call(builder, WNN_OP_SIGN, values, WNN_COUNT(values), out);
}

webnn_status webnn_sqrt(webnn_builder *builder, const webnn_operand *input,
                        const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      label_value(own.label),
  };
  return call(builder, WNN_OP_SQRT, values, WNN_COUNT(values), out);
}

webnn_status webnn_tan(webnn_builder *builder, const webnn_operand *input,
                       const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      label_value(own.label),
  };
  return call(builder, WNN_OP_TAN, values, WNN_COUNT(values), out);
}

webnn_status webnn_dequantize_linear(webnn_builder *builder, const webnn_operand *input,
                                     const webnn_operand *scale, const webnn_operand *zero_point,
                                     const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      operand_value(scale),
      operand_value(zero_point),
      label_value(own.label),
  };
  return call(builder, WNN_OP_DEQUANTIZE_LINEAR, values, WNN_COUNT(values), out);
}

webnn_status webnn_quantize_linear(webnn_builder *builder, const webnn_operand *input,
                                   const webnn_operand *scale, const webnn_operand *zero_point,
                                   const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      operand_value(scale),
      operand_value(zero_point),
      label_value(own.label),
  };
  return call(builder, WNN_OP_QUANTIZE_LINEAR, values, WNN_COUNT(values), out);
}

webnn_status webnn_elu(webnn_builder *builder, const webnn_operand *input,
                       const webnn_elu_options *options, webnn_operand **out) {
  webnn_elu_options own = WEBNN_ELU_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      NUMBER_VALUE(own.alpha),
      label_value(own.label),
  };
  return call(builder, WNN_OP_ELU, values, WNN_COUNT(values), out);
}

webnn_status webnn_expand(webnn_builder *builder, const webnn_operand *input,
                          const uint32_t *new_shape, size_t n_new_shape,
                          const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      list_value(new_shape, n_new_shape),
      label_value(own.label),
  };
  return call(builder, WNN_OP_EXPAND, values, WNN_COUNT(values), out);
}

webnn_status webnn_gather(webnn_builder *builder, const webnn_operand *input,
                          const webnn_operand *indices, const webnn_gather_options *options,
                          webnn_operand **out) {
  webnn_gather_options own = WEBNN_GATHER_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      operand_value(indices),
      uint_value(own.axis),
      label_value(own.label),
  };
  return call(builder, WNN_OP_GATHER, values, WNN_COUNT(values), out);
}

webnn_status webnn_gather_elements(webnn_builder *builder, const webnn_operand *input,
                                   const webnn_operand *indices,
                                   const webnn_gather_options *options, webnn_operand **out) {
  webnn_gather_options own = WEBNN_GATHER_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      operand_value(indices),
      uint_value(own.axis),
      label_value(own.label),
  };
  return call(builder, WNN_OP_GATHER_ELEMENTS, values, WNN_COUNT(values), out);
}

webnn_status webnn_gather_nd(webnn_builder *builder, const webnn_operand *input,
                             const webnn_operand *indices, const webnn_operator_options *options,
                             webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      operand_value(indices),
      label_value(own.label),
  };
  return call(builder, WNN_OP_GATHER_ND, values, WNN_COUNT(values), out);
}

webnn_status webnn_gelu(webnn_builder *builder, const webnn_operand *input,
                        const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      label_value(own.label),
  };
  return call(builder, WNN_OP_GELU, values, WNN_COUNT(values), out);
}

webnn_status webnn_gemm(webnn_builder *builder, const webnn_operand *a, const webnn_operand *b,
                        const webnn_gemm_options *options, webnn_operand **out) {
  webnn_gemm_options own = WEBNN_GEMM_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(a),
      operand_value(b),
      operand_value(own.c),
      NUMBER_VALUE(own.alpha),
      NUMBER_VALUE(own.beta),
      bool_value(own.a_transpose),
      bool_value(own.b_transpose),
      label_value(own.label),
  };
  return call(builder, WNN_OP_GEMM, values, WNN_COUNT(values), out);
}

webnn_status webnn_gru(webnn_builder *builder, const webnn_operand *input,
                       const webnn_operand *weight, const webnn_operand *recurrent_weight,
                       uint32_t steps, uint32_t hidden_size, const webnn_gru_options *options,
                       webnn_operand **outs, size_t *n_outs) {
  webnn_gru_options own = WEBNN_GRU_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      operand_value(weight),
      operand_value(recurrent_weight),
      uint_value(steps),
      uint_value(hidden_size),
      operand_value(own.bias),
      operand_value(own.recurrent_bias),
      operand_value(own.initial_hidden_state),
      bool_value(own.reset_after),
      bool_value(own.return_sequence),
      enum_value((uint32_t)own.direction),
      enum_value((uint32_t)own.layout),
      enums_value(own.activations, own.n_activations),
      label_value(own.label),
  };
  return call_list(builder, WNN_OP_GRU, values, WNN_COUNT(values), outs, n_outs);
}

webnn_status webnn_gru_cell(webnn_builder *builder, const webnn_operand *input,
                            const webnn_operand *weight, const webnn_operand *recurrent_weight,
                            const webnn_operand *hidden_state, uint32_t hidden_size,
                            const webnn_gru_cell_options *options, webnn_operand **out) {
  webnn_gru_cell_options own = WEBNN_GRU_CELL_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      operand_value(weight),
      operand_value(recurrent_weight),
      operand_value(hidden_state),
      uint_value(hidden_size),
      operand_value(own.bias),
      operand_value(own.recurrent_bias),
      bool_value(own.reset_after),
      enum_value((uint32_t)own.layout),
      enums_value(own.activations, own.n_activations),
      label_value(own.label),
  };
  return call(builder, WNN_OP_GRU_CELL, values, WNN_COUNT(values), out);
}

webnn_status webnn_hard_sigmoid(webnn_builder *builder, const webnn_operand *input,
                                const webnn_hard_sigmoid_options *options, webnn_operand **out) {
  webnn_hard_sigmoid_options own = WEBNN_HARD_SIGMOID_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      NUMBER_VALUE(own.alpha),
      NUMBER_VALUE(own.beta),
      label_value(own.label),
  };
  return call(builder, WNN_OP_HARD_SIGMOID, values, WNN_COUNT(values), out);
}

webnn_status webnn_hard_swish(webnn_builder *builder, const webnn_operand *input,
                              const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      label_value(own.label),
  };
  return call(builder, WNN_OP_HARD_SWISH, values, WNN_COUNT(values), out);
}

webnn_status webnn_instance_normalization(webnn_builder *builder, const webnn_operand *input,
                                          const webnn_instance_normalization_options *options,
                                          webnn_operand **out) {
  webnn_instance_normalization_options own = WEBNN_INSTANCE_NORMALIZATION_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      operand_value(own.scale),
      operand_value(own.bias),
      NUMBER_VALUE(own.epsilon),
      enum_value((uint32_t)own.layout),
      label_value(own.label),
  };
  return call(builder, WNN_OP_INSTANCE_NORMALIZATION, values, WNN_COUNT(values), out);
}

webnn_status webnn_layer_normalization(webnn_builder *builder, const webnn_operand *input,
                                       const webnn_layer_normalization_options *options,
                                       webnn_operand **out) {
  webnn_layer_normalization_options own = WEBNN_LAYER_NORMALIZATION_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      operand_value(own.scale),
      operand_value(own.bias),
      uints_value(own.axes, own.n_axes),
      NUMBER_VALUE(own.epsilon),
      label_value(own.label),
  };
  return call(builder, WNN_OP_LAYER_NORMALIZATION, values, WNN_COUNT(values), out);
}

webnn_status webnn_leaky_relu(webnn_builder *builder, const webnn_operand *input,
                              const webnn_leaky_relu_options *options, webnn_operand **out) {
  webnn_leaky_relu_options own = WEBNN_LEAKY_RELU_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      NUMBER_VALUE(own.alpha),
      label_value(own.label),
  };
  return call(builder, WNN_OP_LEAKY_RELU, values, WNN_COUNT(values), out);
}

webnn_status webnn_linear(webnn_builder *builder, const webnn_operand *input,
                          const webnn_linear_options *options, webnn_operand **out) {
  webnn_linear_options own = WEBNN_LINEAR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      NUMBER_VALUE(own.alpha),
      NUMBER_VALUE(own.beta),
      label_value(own.label),
  };
  return call(builder, WNN_OP_LINEAR, values, WNN_COUNT(values), out);
}

webnn_status webnn_lstm(webnn_builder *builder, const webnn_operand *input,
                        const webnn_operand *weight, const webnn_operand *recurrent_weight,
                        uint32_t steps, uint32_t hidden_size, const webnn_lstm_options *options,
                        webnn_operand **outs, size_t *n_outs) {
  webnn_lstm_options own = WEBNN_LSTM_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      operand_value(weight),
      operand_value(recurrent_weight),
      uint_value(steps),
      uint_value(hidden_size),
      operand_value(own.bias),
      operand_value(own.recurrent_bias),
      operand_value(own.peephole_weight),
      operand_value(own.initial_hidden_state),
      operand_value(own.initial_cell_state),
      bool_value(own.return_sequence),
      enum_value((uint32_t)own.direction),
      enum_value((uint32_t)own.layout),
      enums_value(own.activations, own.n_activations),
      label_value(own.label),
  };
  return call_list(builder, WNN_OP_LSTM, values, WNN_COUNT(values), outs, n_outs);
}

webnn_status webnn_lstm_cell(webnn_builder *builder, const webnn_operand *input,
                             const webnn_operand *weight, const webnn_operand *recurrent_weight,
                             const webnn_operand *hidden_state, const webnn_operand *cell_state,
                             uint32_t hidden_size, const webnn_lstm_cell_options *options,
                             webnn_operand **outs, size_t *n_outs) {
  webnn_lstm_cell_options own = WEBNN_LSTM_CELL_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      operand_value(weight),
      operand_value(recurrent_weight),
      operand_value(hidden_state),
      operand_value(cell_state),
      uint_value(hidden_size),
      operand_value(own.bias),
      operand_value(own.recurrent_bias),
      operand_value(own.peephole_weight),
      enum_value((uint32_t)own.layout),
      enums_value(own.activations, own.n_activations),
      label_value(own.label),
  };
  return call_list(builder, WNN_OP_LSTM_CELL, values, WNN_COUNT(values), outs, n_outs);
}

webnn_status webnn_matmul(webnn_builder *builder, const webnn_operand *a, const webnn_operand *b,
                          const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(a),
      operand_value(b),
      label_value(own.label),
  };
  return call(builder, WNN_OP_MATMUL, values, WNN_COUNT(values), out);
}

webnn_status webnn_pad(webnn_builder *builder, const webnn_operand *input,
                       const uint32_t *beginning_padding, size_t n_beginning_padding,
                       const uint32_t *ending_padding, size_t n_ending_padding,
                       const webnn_pad_options *options, webnn_operand **out) {
  webnn_pad_options own = WEBNN_PAD_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      list_value(beginning_padding, n_beginning_padding),
      list_value(ending_padding, n_ending_padding),
      enum_value((uint32_t)own.mode),
      NUMBER_VALUE(own.value),
      label_value(own.label),
  };
  return call(builder, WNN_OP_PAD, values, WNN_COUNT(values), out);
}

webnn_status webnn_average_pool2d(webnn_builder *builder, const webnn_operand *input,
                                  const webnn_pool2d_options *options, webnn_operand **out) {
  webnn_pool2d_options own = WEBNN_POOL2D_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      uints_value(own.window_dimensions, own.n_window_dimensions),
      uints_value(own.padding, own.n_padding),
      uints_value(own.strides, own.n_strides),
      uints_value(own.dilations, own.n_dilations),
      enum_value((uint32_t)own.layout),
      enum_value((uint32_t)own.output_shape_rounding),
      uints_value(own.output_sizes, own.n_output_sizes),
      enum_value((uint32_t)own.auto_pad),
      label_value(own.label),
  };
  return call(builder, WNN_OP_AVERAGE_POOL2D, values, WNN_COUNT(values), out);
}

webnn_status webnn_l2_pool2d(webnn_builder *builder, const webnn_operand *input,
                             const webnn_pool2d_options *options, webnn_operand **out) {
  webnn_pool2d_options own = WEBNN_POOL2D_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      uints_value(own.window_dimensions, own.n_window_dimensions),
      uints_value(own.padding, own.n_padding),
      uints_value(own.strides, own.n_strides),
      uints_value(own.dilations, own.n_dilations),
      enum_value((uint32_t)own.layout),
      enum_value((uint32_t)own.output_shape_rounding),
      uints_value(own.output_sizes, own.n_output_sizes),
      enum_value((uint32_t)own.auto_pad),
      label_value(own.label),
  };
  return call(builder, WNN_OP_L2_POOL2D, values, WNN_COUNT(values), out);
}

webnn_status webnn_max_pool2d(webnn_builder *builder, const webnn_operand *input,
                              const webnn_pool2d_options *options, webnn_operand **out) {
  webnn_pool2d_options own = WEBNN_POOL2D_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      uints_value(own.window_dimensions, own.n_window_dimensions),
      uints_value(own.padding, own.n_padding),
      uints_value(own.strides, own.n_strides),
      uints_value(own.dilations, own.n_dilations),
      enum_value((uint32_t)own.layout),
      enum_value((uint32_t)own.output_shape_rounding),
      uints_value(own.output_sizes, own.n_output_sizes),
      enum_value((uint32_t)own.auto_pad),
      label_value(own.label),
  };
  return call(builder, WNN_OP_MAX_POOL2D, values, WNN_COUNT(values), out);
}

webnn_status webnn_prelu(webnn_builder *builder, const webnn_operand *input,
                         const webnn_operand *slope, const webnn_operator_options *options,
                         webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      operand_value(slope),
      label_value(own.label),
  };
  return call(builder, WNN_OP_PRELU, values, WNN_COUNT(values), out);
}

webnn_status webnn_reduce_l1(webnn_builder *builder, const webnn_operand *input,
                             const webnn_reduce_options *options, webnn_operand **out) {
  webnn_reduce_options own = WEBNN_REDUCE_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      uints_value(own.axes, own.n_axes),
      bool_value(own.keep_dimensions),
      label_value(own.label),
  };
  return call(builder, WNN_OP_REDUCE_L1, values, WNN_COUNT(values), out);
}

webnn_status webnn_reduce_l2(webnn_builder *builder, const webnn_operand *input,
                             const webnn_reduce_options *options, webnn_operand **out) {
  webnn_reduce_options own = WEBNN_REDUCE_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      uints_value(own.axes, own.n_axes),
      bool_value(own.keep_dimensions),
      label_value(own.label),
  };
  return call(builder, WNN_OP_REDUCE_L2, values, WNN_COUNT(values), out);
}

webnn_status webnn_reduce_log_sum(webnn_builder *builder, const webnn_operand *input,
                                  const webnn_reduce_options *options, webnn_operand **out) {
  webnn_reduce_options own = WEBNN_REDUCE_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      uints_value(own.axes, own.n_axes),
      bool_value(own.keep_dimensions),
      label_value(own.label),
  };
  return call(builder, WNN_OP_REDUCE_LOG_SUM, values, WNN_COUNT(values), out);
}

webnn_status webnn_reduce_log_sum_exp(webnn_builder *builder, const webnn_operand *input,
                                      const webnn_reduce_options *options, webnn_operand **out) {
  webnn_reduce_options own = WEBNN_REDUCE_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      uints_value(own.axes, own.n_axes),
      bool_value(own.keep_dimensions),
      label_value(own.label),
  };
  return call(builder, WNN_OP_REDUCE_LOG_SUM_EXP, values, WNN_COUNT(values), out);
}

webnn_status webnn_reduce_max(webnn_builder *builder, const webnn_operand *input,
                              const webnn_reduce_options *options, webnn_operand **out) {
  webnn_reduce_options own = WEBNN_REDUCE_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      uints_value(own.axes, own.n_axes),
      bool_value(own.keep_dimensions),
      label_value(own.label),
  };
  return call(builder, WNN_OP_REDUCE_MAX, values, WNN_COUNT(values), out);
}

webnn_status webnn_reduce_mean(webnn_builder *builder, const webnn_operand *input,
                               const webnn_reduce_options *options, webnn_operand **out) {
  webnn_reduce_options own = WEBNN_REDUCE_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      uints_value(own.axes, own.n_axes),
      bool_value(own.keep_dimensions),
      label_value(own.label),
  };
  return call(builder, WNN_OP_REDUCE_MEAN, values, WNN_COUNT(values), out);
}

webnn_status webnn_reduce_min(webnn_builder *builder, const webnn_operand *input,
                              const webnn_reduce_options *options, webnn_operand **out) {
  webnn_reduce_options own = WEBNN_REDUCE_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      uints_value(own.axes, own.n_axes),
      bool_value(own.keep_dimensions),
      label_value(own.label),
  };
  return call(builder, WNN_OP_REDUCE_MIN, values, WNN_COUNT(values), out);
}

webnn_status webnn_reduce_product(webnn_builder *builder, const webnn_operand *input,
                                  const webnn_reduce_options *options, webnn_operand **out) {
  webnn_reduce_options own = WEBNN_REDUCE_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      uints_value(own.axes, own.n_axes),
      bool_value(own.keep_dimensions),
      label_value(own.label),
  };
  return call(builder, WNN_OP_REDUCE_PRODUCT, values, WNN_COUNT(values), out);
}

webnn_status webnn_reduce_sum(webnn_builder *builder, const webnn_operand *input,
                              const webnn_reduce_options *options, webnn_operand **out) {
  webnn_reduce_options own = WEBNN_REDUCE_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      uints_value(own.axes, own.n_axes),
      bool_value(own.keep_dimensions),
      label_value(own.label),
  };
  return call(builder, WNN_OP_REDUCE_SUM, values, WNN_COUNT(values), out);
}

webnn_status webnn_reduce_sum_square(webnn_builder *builder, const webnn_operand *input,
                                     const webnn_reduce_options *options, webnn_operand **out) {
  webnn_reduce_options own = WEBNN_REDUCE_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      uints_value(own.axes, own.n_axes),
      bool_value(own.keep_dimensions),
      label_value(own.label),
  };
  return call(builder, WNN_OP_REDUCE_SUM_SQUARE, values, WNN_COUNT(values), out);
}

webnn_status webnn_relu(webnn_builder *builder, const webnn_operand *input,
                        const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      label_value(own.label),
  };
  return call(builder, WNN_OP_RELU, values, WNN_COUNT(values), out);
}

webnn_status webnn_resample2d(webnn_builder *builder, const webnn_operand *input,
                              const webnn_resample2d_options *options, webnn_operand **out) {
  webnn_resample2d_options own = WEBNN_RESAMPLE2D_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      enum_value((uint32_t)own.mode),
      floats_value(own.scales, own.n_scales),
      uints_value(own.sizes, own.n_sizes),
      uints_value(own.axes, own.n_axes),
      label_value(own.label),
  };
  return call(builder, WNN_OP_RESAMPLE2D, values, WNN_COUNT(values), out);
}

webnn_status webnn_reshape(webnn_builder *builder, const webnn_operand *input,
                           const uint32_t *new_shape, size_t n_new_shape,
                           const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      list_value(new_shape, n_new_shape),
      label_value(own.label),
  };
  return call(builder, WNN_OP_RESHAPE, values, WNN_COUNT(values), out);
}

webnn_status webnn_reverse(webnn_builder *builder, const webnn_operand *input,
                           const webnn_reverse_options *options, webnn_operand **out) {
  webnn_reverse_options own = WEBNN_REVERSE_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      uints_value(own.axes, own.n_axes),
      label_value(own.label),
  };
  return call(builder, WNN_OP_REVERSE, values, WNN_COUNT(values), out);
}

webnn_status webnn_scatter_elements(webnn_builder *builder, const webnn_operand *input,
                                    const webnn_operand *indices, const webnn_operand *updates,
                                    const webnn_scatter_options *options, webnn_operand **out) {
  webnn_scatter_options own = WEBNN_SCATTER_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      operand_value(indices),
      operand_value(updates),
      uint_value(own.axis),
      label_value(own.label),
  };
  return call(builder, WNN_OP_SCATTER_ELEMENTS, values, WNN_COUNT(values), out);
}

webnn_status webnn_scatter_nd(webnn_builder *builder, const webnn_operand *input,
                              const webnn_operand *indices, const webnn_operand *updates,
                              const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      operand_value(indices),
      operand_value(updates),
      label_value(own.label),
  };
  return call(builder, WNN_OP_SCATTER_ND, values, WNN_COUNT(values), out);
}

webnn_status webnn_sigmoid(webnn_builder *builder, const webnn_operand *input,
                           const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      label_value(own.label),
  };
  return call(builder, WNN_OP_SIGMOID, values, WNN_COUNT(values), out);
}

webnn_status webnn_slice(webnn_builder *builder, const webnn_operand *input, const uint32_t *starts,
                         size_t n_starts, const uint32_t *sizes, size_t n_sizes,
                         const webnn_slice_options *options, webnn_operand **out) {
  webnn_slice_options own = WEBNN_SLICE_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      list_value(starts, n_starts),
      list_value(sizes, n_sizes),
      uints_value(own.strides, own.n_strides),
      label_value(own.label),
  };
  return call(builder, WNN_OP_SLICE, values, WNN_COUNT(values), out);
}

webnn_status webnn_softmax(webnn_builder *builder, const webnn_operand *input, uint32_t axis,
                           const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      uint_value(axis),
      label_value(own.label),
  };
  return call(builder, WNN_OP_SOFTMAX, values, WNN_COUNT(values), out);
}

webnn_status webnn_softplus(webnn_builder *builder, const webnn_operand *input,
                            const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      label_value(own.label),
  };
  return call(builder, WNN_OP_SOFTPLUS, values, WNN_COUNT(values), out);
}

webnn_status webnn_softsign(webnn_builder *builder, const webnn_operand *input,
                            const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      label_value(own.label),
  };
  return call(builder, WNN_OP_SOFTSIGN, values, WNN_COUNT(values), out);
}

webnn_status webnn_split(webnn_builder *builder, const webnn_operand *input, const uint32_t *splits,
                         size_t n_splits, const webnn_split_options *options, webnn_operand **outs,
                         size_t *n_outs) {
  webnn_split_options own = WEBNN_SPLIT_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      list_or_count_value(splits, n_splits),
      uint_value(own.axis),
      label_value(own.label),
  };
  return call_list(builder, WNN_OP_SPLIT, values, WNN_COUNT(values), outs, n_outs);
}

webnn_status webnn_tanh(webnn_builder *builder, const webnn_operand *input,
                        const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      label_value(own.label),
  };
  return call(builder, WNN_OP_TANH, values, WNN_COUNT(values), out);
}

webnn_status webnn_tile(webnn_builder *builder, const webnn_operand *input,
                        const uint32_t *repetitions, size_t n_repetitions,
                        const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      list_value(repetitions, n_repetitions),
      label_value(own.label),
  };
  return call(builder, WNN_OP_TILE, values, WNN_COUNT(values), out);
}

webnn_status webnn_transpose(webnn_builder *builder, const webnn_operand *input,
                             const webnn_transpose_options *options, webnn_operand **out) {
  webnn_transpose_options own = WEBNN_TRANSPOSE_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      uints_value(own.permutation, own.n_permutation),
      label_value(own.label),
  };
  return call(builder, WNN_OP_TRANSPOSE, values, WNN_COUNT(values), out);
}

webnn_status webnn_triangular(webnn_builder *builder, const webnn_operand *input,
                              const webnn_triangular_options *options, webnn_operand **out) {
  webnn_triangular_options own = WEBNN_TRIANGULAR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      bool_value(own.upper),
      int_value(own.diagonal),
      label_value(own.label),
  };
  return call(builder, WNN_OP_TRIANGULAR, values, WNN_COUNT(values), out);
}

webnn_status webnn_where(webnn_builder *builder, const webnn_operand *condition,
                         const webnn_operand *true_value, const webnn_operand *false_value,
                         const webnn_operator_options *options, webnn_operand **out) {
  webnn_operator_options own = WEBNN_OPERATOR_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(condition),
      operand_value(true_value),
      operand_value(false_value),
      label_value(own.label),
  };
  return call(builder, WNN_OP_WHERE, values, WNN_COUNT(values), out);
}

webnn_status webnn_squeeze(webnn_builder *builder, const webnn_operand *input,
                           const webnn_squeeze_options *options, webnn_operand **out) {
  webnn_squeeze_options own = WEBNN_SQUEEZE_OPTIONS_INIT;
  take_options(&own, sizeof own, options);
  const webnn_value values[] = {
      operand_value(input),
      uints_value(own.axes, own.n_axes),
      label_value(own.label),
  };
  return call(builder, WNN_OP_SQUEEZE, values, WNN_COUNT(values), out);
}
