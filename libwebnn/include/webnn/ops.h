/** The operations as typed functions. Generated from the operation table by tools/opgen.c.
 *  `options` NULL stands for all defaults. Lists are pointer and count, read during the call. */
#ifndef WEBNN_OPS_H
#define WEBNN_OPS_H

#include <webnn/options.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Index of the smallest value along one axis; the first one of equals, the first NaN before all.
 *  Spec: MLGraphBuilder.argMin.
 *  `input`: Input.
 *  `axis`: The axis to look along.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed; value
 *  out of range), INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_arg_min(webnn_builder *builder, const webnn_operand *input,
                                     uint32_t axis, const webnn_arg_min_max_options *options,
                                     webnn_operand **out);

/** Index of the largest value along one axis; the first one of equals, the first NaN before all.
 *  Spec: MLGraphBuilder.argMax.
 *  `input`: Input.
 *  `axis`: The axis to look along.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed; value
 *  out of range), INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_arg_max(webnn_builder *builder, const webnn_operand *input,
                                     uint32_t axis, const webnn_arg_min_max_options *options,
                                     webnn_operand **out);

/** Shifts and scales each slice along one axis by the mean and variance given for it.
 *  Spec: MLGraphBuilder.batchNormalization.
 *  `input`: Input.
 *  `mean`: Means [size of the axis].
 *  `variance`: Variances [size of the axis].
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed;
 *  operands that don't fit together; value out of range; output too large), INVALID_STATE (already
 *  built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_batch_normalization(webnn_builder *builder, const webnn_operand *input,
                                                 const webnn_operand *mean,
                                                 const webnn_operand *variance,
                                                 const webnn_batch_normalization_options *options,
                                                 webnn_operand **out);

/** Converts the elements to another type; float to integer truncates towards zero and saturates.
 *  Spec: MLGraphBuilder.cast.
 *  `input`: Input of any shape.
 *  `data_type`: Element type of the output.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing or another builder's; value out of range), INVALID_STATE (already
 *  built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_cast(webnn_builder *builder, const webnn_operand *input,
                                  webnn_data_type data_type, const webnn_operator_options *options,
                                  webnn_operand **out);

/** Limits each element to the range from min_value to max_value; an absent or NaN bound is none.
 *  Spec: MLGraphBuilder.clamp.
 *  `input`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing or another builder's; value out of range), INVALID_STATE (already
 *  built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_clamp(webnn_builder *builder, const webnn_operand *input,
                                   const webnn_clamp_options *options, webnn_operand **out);

/** Joins operands along one axis.  Spec: MLGraphBuilder.concat.
 *  `inputs`: Operands to join, of one type and, off the axis, one shape.
 *  `axis`: Axis along which they are joined.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed;
 *  operands that don't fit together; value out of range; output too large), INVALID_STATE (already
 *  built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_concat(webnn_builder *builder, const webnn_operand *const *inputs,
                                    size_t n_inputs, uint32_t axis,
                                    const webnn_operator_options *options, webnn_operand **out);

/** 2-D convolution of an image with a filter, with padding, strides, dilations and groups.
 *  Spec: MLGraphBuilder.conv2d.
 *  `input`: Input [batch, channels, height, width], in the order of input_layout.
 *  `filter`: Filter, its axes in the order of filter_layout.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed;
 *  operands that don't fit together; value out of range; output too large), INVALID_STATE (already
 *  built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_conv2d(webnn_builder *builder, const webnn_operand *input,
                                    const webnn_operand *filter,
                                    const webnn_conv2d_options *options, webnn_operand **out);

/** Transposed 2-D convolution: spreads each input element over a window of the output.
 *  Spec: MLGraphBuilder.convTranspose2d.
 *  `input`: Input [batch, channels, height, width], in the order of input_layout.
 *  `filter`: Filter, its axes in the order of filter_layout.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed;
 *  operands that don't fit together; value out of range; output too large), INVALID_STATE (already
 *  built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_conv_transpose2d(webnn_builder *builder, const webnn_operand *input,
                                              const webnn_operand *filter,
                                              const webnn_conv_transpose2d_options *options,
                                              webnn_operand **out);

/** Running sum along one axis, without the element itself when exclusive, from the end when
 *  reversed.  Spec: MLGraphBuilder.cumulativeSum.
 *  `input`: Input.
 *  `axis`: The axis to sum along.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed; value
 *  out of range), INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_cumulative_sum(webnn_builder *builder, const webnn_operand *input,
                                            uint32_t axis,
                                            const webnn_cumulative_sum_options *options,
                                            webnn_operand **out);

/** Sum of two tensors, with broadcasting; integers wrap.  Spec: MLGraphBuilder.add.
 *  `a`: First operand.
 *  `b`: Second operand; broadcast with the first.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing or another builder's; operands that don't fit together; output too
 *  large), INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_add(webnn_builder *builder, const webnn_operand *a,
                                 const webnn_operand *b, const webnn_operator_options *options,
                                 webnn_operand **out);

/** Difference of two tensors, with broadcasting; integers wrap.  Spec: MLGraphBuilder.sub.
 *  `a`: First operand.
 *  `b`: Second operand; broadcast with the first.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing or another builder's; operands that don't fit together; output too
 *  large), INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_sub(webnn_builder *builder, const webnn_operand *a,
                                 const webnn_operand *b, const webnn_operator_options *options,
                                 webnn_operand **out);

/** Product of two tensors, with broadcasting; integers wrap.  Spec: MLGraphBuilder.mul.
 *  `a`: First operand.
 *  `b`: Second operand; broadcast with the first.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing or another builder's; operands that don't fit together; output too
 *  large), INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_mul(webnn_builder *builder, const webnn_operand *a,
                                 const webnn_operand *b, const webnn_operator_options *options,
                                 webnn_operand **out);

/** Quotient of two tensors, with broadcasting; integers truncate, division by 0 gives 0.
 *  Spec: MLGraphBuilder.div.
 *  `a`: First operand.
 *  `b`: Second operand; broadcast with the first.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing or another builder's; operands that don't fit together; output too
 *  large), INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_div(webnn_builder *builder, const webnn_operand *a,
                                 const webnn_operand *b, const webnn_operator_options *options,
                                 webnn_operand **out);

/** The larger of two elements, with broadcasting; NaN wins.  Spec: MLGraphBuilder.max.
 *  `a`: First operand.
 *  `b`: Second operand; broadcast with the first.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing or another builder's; operands that don't fit together; output too
 *  large), INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_max(webnn_builder *builder, const webnn_operand *a,
                                 const webnn_operand *b, const webnn_operator_options *options,
                                 webnn_operand **out);

/** The smaller of two elements, with broadcasting; NaN wins.  Spec: MLGraphBuilder.min.
 *  `a`: First operand.
 *  `b`: Second operand; broadcast with the first.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing or another builder's; operands that don't fit together; output too
 *  large), INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_min(webnn_builder *builder, const webnn_operand *a,
                                 const webnn_operand *b, const webnn_operator_options *options,
                                 webnn_operand **out);

/** The first tensor to the power of the second, with broadcasting; integers wrap.
 *  Spec: MLGraphBuilder.pow.
 *  `a`: First operand.
 *  `b`: Second operand; broadcast with the first.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing or another builder's; operands that don't fit together; output too
 *  large), INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_pow(webnn_builder *builder, const webnn_operand *a,
                                 const webnn_operand *b, const webnn_operator_options *options,
                                 webnn_operand **out);

/** 1 where two elements are equal, else 0, with broadcasting.  Spec: MLGraphBuilder.equal.
 *  `a`: First operand.
 *  `b`: Second operand; broadcast with the first.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing or another builder's; operands that don't fit together; output too
 *  large), INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_equal(webnn_builder *builder, const webnn_operand *a,
                                   const webnn_operand *b, const webnn_operator_options *options,
                                   webnn_operand **out);

/** 1 where two elements differ, else 0, with broadcasting.  Spec: MLGraphBuilder.notEqual.
 *  `a`: First operand.
 *  `b`: Second operand; broadcast with the first.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing or another builder's; operands that don't fit together; output too
 *  large), INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_not_equal(webnn_builder *builder, const webnn_operand *a,
                                       const webnn_operand *b,
                                       const webnn_operator_options *options, webnn_operand **out);

/** 1 where a is greater than b, else 0, with broadcasting.  Spec: MLGraphBuilder.greater.
 *  `a`: First operand.
 *  `b`: Second operand; broadcast with the first.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing or another builder's; operands that don't fit together; output too
 *  large), INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_greater(webnn_builder *builder, const webnn_operand *a,
                                     const webnn_operand *b, const webnn_operator_options *options,
                                     webnn_operand **out);

/** 1 where a is greater than or equal to b, else 0, with broadcasting.
 *  Spec: MLGraphBuilder.greaterOrEqual.
 *  `a`: First operand.
 *  `b`: Second operand; broadcast with the first.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing or another builder's; operands that don't fit together; output too
 *  large), INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_greater_or_equal(webnn_builder *builder, const webnn_operand *a,
                                              const webnn_operand *b,
                                              const webnn_operator_options *options,
                                              webnn_operand **out);

/** 1 where a is less than b, else 0, with broadcasting.  Spec: MLGraphBuilder.lesser.
 *  `a`: First operand.
 *  `b`: Second operand; broadcast with the first.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing or another builder's; operands that don't fit together; output too
 *  large), INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_lesser(webnn_builder *builder, const webnn_operand *a,
                                    const webnn_operand *b, const webnn_operator_options *options,
                                    webnn_operand **out);

/** 1 where a is less than or equal to b, else 0, with broadcasting.
 *  Spec: MLGraphBuilder.lesserOrEqual.
 *  `a`: First operand.
 *  `b`: Second operand; broadcast with the first.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing or another builder's; operands that don't fit together; output too
 *  large), INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_lesser_or_equal(webnn_builder *builder, const webnn_operand *a,
                                             const webnn_operand *b,
                                             const webnn_operator_options *options,
                                             webnn_operand **out);

/** 1 where an element is 0, else 0.  Spec: MLGraphBuilder.logicalNot.
 *  `a`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_logical_not(webnn_builder *builder, const webnn_operand *a,
                                         const webnn_operator_options *options,
                                         webnn_operand **out);

/** 1 where both elements are other than 0, else 0, with broadcasting.
 *  Spec: MLGraphBuilder.logicalAnd.
 *  `a`: First operand.
 *  `b`: Second operand; broadcast with the first.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed;
 *  operands that don't fit together; output too large), INVALID_STATE (already built, context
 *  lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_logical_and(webnn_builder *builder, const webnn_operand *a,
                                         const webnn_operand *b,
                                         const webnn_operator_options *options,
                                         webnn_operand **out);

/** 1 where at least one of two elements is other than 0, else 0, with broadcasting.
 *  Spec: MLGraphBuilder.logicalOr.
 *  `a`: First operand.
 *  `b`: Second operand; broadcast with the first.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed;
 *  operands that don't fit together; output too large), INVALID_STATE (already built, context
 *  lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_logical_or(webnn_builder *builder, const webnn_operand *a,
                                        const webnn_operand *b,
                                        const webnn_operator_options *options, webnn_operand **out);

/** 1 where exactly one of two elements is other than 0, else 0, with broadcasting.
 *  Spec: MLGraphBuilder.logicalXor.
 *  `a`: First operand.
 *  `b`: Second operand; broadcast with the first.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed;
 *  operands that don't fit together; output too large), INVALID_STATE (already built, context
 *  lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_logical_xor(webnn_builder *builder, const webnn_operand *a,
                                         const webnn_operand *b,
                                         const webnn_operator_options *options,
                                         webnn_operand **out);

/** 1 where an element is NaN, else 0.  Spec: MLGraphBuilder.isNaN.
 *  `a`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_is_nan(webnn_builder *builder, const webnn_operand *a,
                                    const webnn_operator_options *options, webnn_operand **out);

/** 1 where an element is infinite, else 0.  Spec: MLGraphBuilder.isInfinite.
 *  `a`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_is_infinite(webnn_builder *builder, const webnn_operand *a,
                                         const webnn_operator_options *options,
                                         webnn_operand **out);

/** Absolute value of each element; the smallest integer stays as it is.  Spec: MLGraphBuilder.abs.
 *  `input`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_abs(webnn_builder *builder, const webnn_operand *input,
                                 const webnn_operator_options *options, webnn_operand **out);

/** Rounds each element up to a whole number.  Spec: MLGraphBuilder.ceil.
 *  `input`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_ceil(webnn_builder *builder, const webnn_operand *input,
                                  const webnn_operator_options *options, webnn_operand **out);

/** Cosine of each element, in radians.  Spec: MLGraphBuilder.cos.
 *  `input`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_cos(webnn_builder *builder, const webnn_operand *input,
                                 const webnn_operator_options *options, webnn_operand **out);

/** Gauss error function of each element.  Spec: MLGraphBuilder.erf.
 *  `input`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_erf(webnn_builder *builder, const webnn_operand *input,
                                 const webnn_operator_options *options, webnn_operand **out);

/** e to the power of each element.  Spec: MLGraphBuilder.exp.
 *  `input`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_exp(webnn_builder *builder, const webnn_operand *input,
                                 const webnn_operator_options *options, webnn_operand **out);

/** Rounds each element down to a whole number.  Spec: MLGraphBuilder.floor.
 *  `input`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_floor(webnn_builder *builder, const webnn_operand *input,
                                   const webnn_operator_options *options, webnn_operand **out);

/** A copy of the tensor: the way to make an input or a constant an output.
 *  Spec: MLGraphBuilder.identity.
 *  `input`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing or another builder's), INVALID_STATE (already built, context lost),
 *  UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_identity(webnn_builder *builder, const webnn_operand *input,
                                      const webnn_operator_options *options, webnn_operand **out);

/** Natural logarithm of each element.  Spec: MLGraphBuilder.log.
 *  `input`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_log(webnn_builder *builder, const webnn_operand *input,
                                 const webnn_operator_options *options, webnn_operand **out);

/** Each element with the opposite sign; the smallest integer stays as it is.
 *  Spec: MLGraphBuilder.neg.
 *  `input`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_neg(webnn_builder *builder, const webnn_operand *input,
                                 const webnn_operator_options *options, webnn_operand **out);

/** 1 divided by each element.  Spec: MLGraphBuilder.reciprocal.
 *  `input`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_reciprocal(webnn_builder *builder, const webnn_operand *input,
                                        const webnn_operator_options *options, webnn_operand **out);

/** Rounds each element to the nearest whole number, halves to the even one.
 *  Spec: MLGraphBuilder.roundEven.
 *  `input`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_round_even(webnn_builder *builder, const webnn_operand *input,
                                        const webnn_operator_options *options, webnn_operand **out);

/** Sine of each element, in radians.  Spec: MLGraphBuilder.sin.
 *  `input`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_sin(webnn_builder *builder, const webnn_operand *input,
                                 const webnn_operator_options *options, webnn_operand **out);

/** -1, 0 or 1 by the sign of each element; 0 for NaN.  Spec: MLGraphBuilder.sign.
 *  `input`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_sign(webnn_builder *builder, const webnn_operand *input,
                                  const webnn_operator_options *options, webnn_operand **out);

/** Square root of each element.  Spec: MLGraphBuilder.sqrt.
 *  `input`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_sqrt(webnn_builder *builder, const webnn_operand *input,
                                  const webnn_operator_options *options, webnn_operand **out);

/** Tangent of each element, in radians.  Spec: MLGraphBuilder.tan.
 *  `input`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_tan(webnn_builder *builder, const webnn_operand *input,
                                 const webnn_operator_options *options, webnn_operand **out);

/** (input - zero_point) * scale, with scale and zero point repeated over blocks.
 *  Spec: MLGraphBuilder.dequantizeLinear.
 *  `input`: Quantized values.
 *  `scale`: Scales: every axis divides the input's, and each element serves a block. Its type is
 *  the output's.
 *  `zero_point`: Zero points, of the shape of scale.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed;
 *  operands that don't fit together; output too large), INVALID_STATE (already built, context
 *  lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_dequantize_linear(webnn_builder *builder, const webnn_operand *input,
                                               const webnn_operand *scale,
                                               const webnn_operand *zero_point,
                                               const webnn_operator_options *options,
                                               webnn_operand **out);

/** Rounds input / scale to even, adds zero_point and saturates to its type, block by block.
 *  Spec: MLGraphBuilder.quantizeLinear.
 *  `input`: Values to quantize.
 *  `scale`: Scales: every axis divides the input's, and each element serves a block.
 *  `zero_point`: Zero points, of the shape of scale. Its type is the output's.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed;
 *  operands that don't fit together; output too large), INVALID_STATE (already built, context
 *  lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_quantize_linear(webnn_builder *builder, const webnn_operand *input,
                                             const webnn_operand *scale,
                                             const webnn_operand *zero_point,
                                             const webnn_operator_options *options,
                                             webnn_operand **out);

/** max(0, x) + alpha * (exp(min(0, x)) - 1) for each element.  Spec: MLGraphBuilder.elu.
 *  `input`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_elu(webnn_builder *builder, const webnn_operand *input,
                                 const webnn_elu_options *options, webnn_operand **out);

/** Repeats axes of size 1 until the tensor has the new shape.  Spec: MLGraphBuilder.expand.
 *  `input`: Operand to be repeated.
 *  `new_shape`: Shape to which the input broadcasts.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing or another builder's; value out of range; output too large),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_expand(webnn_builder *builder, const webnn_operand *input,
                                    const uint32_t *new_shape, size_t n_new_shape,
                                    const webnn_operator_options *options, webnn_operand **out);

/** Picks slices along one axis by their indices.  Spec: MLGraphBuilder.gather.
 *  `input`: Operand from which slices are taken.
 *  `indices`: Positions along the axis; negative ones count from the end.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed;
 *  operands that don't fit together; value out of range; output too large), INVALID_STATE (already
 *  built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_gather(webnn_builder *builder, const webnn_operand *input,
                                    const webnn_operand *indices,
                                    const webnn_gather_options *options, webnn_operand **out);

/** Picks single elements: the index replaces the position along one axis.
 *  Spec: MLGraphBuilder.gatherElements.
 *  `input`: Operand from which elements are taken.
 *  `indices`: Positions along the axis, with the input's shape off the axis; negative ones count
 *  from the end.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed;
 *  operands that don't fit together; value out of range; output too large), INVALID_STATE (already
 *  built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_gather_elements(webnn_builder *builder, const webnn_operand *input,
                                             const webnn_operand *indices,
                                             const webnn_gather_options *options,
                                             webnn_operand **out);

/** Picks slices by tuples of indices into the leading axes.  Spec: MLGraphBuilder.gatherND.
 *  `input`: Operand from which slices are taken.
 *  `indices`: Coordinates [..., n] into the first n axes; negative ones count from the end.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed;
 *  operands that don't fit together; output too large), INVALID_STATE (already built, context
 *  lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_gather_nd(webnn_builder *builder, const webnn_operand *input,
                                       const webnn_operand *indices,
                                       const webnn_operator_options *options, webnn_operand **out);

/** 0.5 * x * (1 + erf(x / sqrt(2))) for each element.  Spec: MLGraphBuilder.gelu.
 *  `input`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_gelu(webnn_builder *builder, const webnn_operand *input,
                                  const webnn_operator_options *options, webnn_operand **out);

/** alpha * A * B + beta * C for matrices, which may be transposed first.
 *  Spec: MLGraphBuilder.gemm.
 *  `a`: Left matrix [M, K], [K, M] when transposed.
 *  `b`: Right matrix [K, N], [N, K] when transposed.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed;
 *  operands that don't fit together; output too large), INVALID_STATE (already built, context
 *  lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_gemm(webnn_builder *builder, const webnn_operand *a,
                                  const webnn_operand *b, const webnn_gemm_options *options,
                                  webnn_operand **out);

/** Gated recurrent unit over a sequence, in one or both directions.  Spec: MLGraphBuilder.gru.
 *  `input`: Input [steps, batch, features].
 *  `weight`: Weight [directions, 3 * hidden_size, features].
 *  `recurrent_weight`: Recurrent weight [directions, 3 * hidden_size, hidden_size].
 *  `steps`: Time steps: the input's first dimension.
 *  `hidden_size`: Features of the hidden state.
 *  Owns: `outs` belong to the builder; `*n_outs` is their room on entry, their number on return.
 *  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed;
 *  operands that don't fit together; value out of range; output too large), INVALID_STATE (already
 *  built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_gru(webnn_builder *builder, const webnn_operand *input,
                                 const webnn_operand *weight, const webnn_operand *recurrent_weight,
                                 uint32_t steps, uint32_t hidden_size,
                                 const webnn_gru_options *options, webnn_operand **outs,
                                 size_t *n_outs);

/** One step of a gated recurrent unit.  Spec: MLGraphBuilder.gruCell.
 *  `input`: Input [batch, features].
 *  `weight`: Weight [3 * hidden_size, features].
 *  `recurrent_weight`: Recurrent weight [3 * hidden_size, hidden_size].
 *  `hidden_state`: Hidden state [batch, hidden_size].
 *  `hidden_size`: Features of the hidden state.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed;
 *  operands that don't fit together; value out of range; output too large), INVALID_STATE (already
 *  built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_gru_cell(webnn_builder *builder, const webnn_operand *input,
                                      const webnn_operand *weight,
                                      const webnn_operand *recurrent_weight,
                                      const webnn_operand *hidden_state, uint32_t hidden_size,
                                      const webnn_gru_cell_options *options, webnn_operand **out);

/** max(0, min(1, alpha * x + beta)) for each element.  Spec: MLGraphBuilder.hardSigmoid.
 *  `input`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_hard_sigmoid(webnn_builder *builder, const webnn_operand *input,
                                          const webnn_hard_sigmoid_options *options,
                                          webnn_operand **out);

/** x * max(0, min(6, x + 3)) / 6 for each element.  Spec: MLGraphBuilder.hardSwish.
 *  `input`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_hard_swish(webnn_builder *builder, const webnn_operand *input,
                                        const webnn_operator_options *options, webnn_operand **out);

/** Normalizes each channel of each image by its own mean and variance; equal numbers have none.
 *  Spec: MLGraphBuilder.instanceNormalization.
 *  `input`: Input [batch, channels, height, width], in the order of layout.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed;
 *  operands that don't fit together; value out of range; output too large), INVALID_STATE (already
 *  built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_instance_normalization(webnn_builder *builder,
                                                    const webnn_operand *input,
                                                    const webnn_instance_normalization_options *options,
                                                    webnn_operand **out);

/** Normalizes by mean and variance over the given axes; equal numbers have none.
 *  Spec: MLGraphBuilder.layerNormalization.
 *  `input`: Input.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed;
 *  operands that don't fit together; value out of range; output too large), INVALID_STATE (already
 *  built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_layer_normalization(webnn_builder *builder, const webnn_operand *input,
                                                 const webnn_layer_normalization_options *options,
                                                 webnn_operand **out);

/** x where it is at least 0, else alpha * x.  Spec: MLGraphBuilder.leakyRelu.
 *  `input`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_leaky_relu(webnn_builder *builder, const webnn_operand *input,
                                        const webnn_leaky_relu_options *options,
                                        webnn_operand **out);

/** alpha * x + beta for each element.  Spec: MLGraphBuilder.linear.
 *  `input`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_linear(webnn_builder *builder, const webnn_operand *input,
                                    const webnn_linear_options *options, webnn_operand **out);

/** Long short-term memory over a sequence, in one or both directions.  Spec: MLGraphBuilder.lstm.
 *  `input`: Input [steps, batch, features].
 *  `weight`: Weight [directions, 4 * hidden_size, features].
 *  `recurrent_weight`: Recurrent weight [directions, 4 * hidden_size, hidden_size].
 *  `steps`: Time steps: the input's first dimension.
 *  `hidden_size`: Features of the hidden state.
 *  Owns: `outs` belong to the builder; `*n_outs` is their room on entry, their number on return.
 *  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed;
 *  operands that don't fit together; value out of range; output too large), INVALID_STATE (already
 *  built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_lstm(webnn_builder *builder, const webnn_operand *input,
                                  const webnn_operand *weight,
                                  const webnn_operand *recurrent_weight, uint32_t steps,
                                  uint32_t hidden_size, const webnn_lstm_options *options,
                                  webnn_operand **outs, size_t *n_outs);

/** One step of a long short-term memory.  Spec: MLGraphBuilder.lstmCell.
 *  `input`: Input [batch, features].
 *  `weight`: Weight [4 * hidden_size, features].
 *  `recurrent_weight`: Recurrent weight [4 * hidden_size, hidden_size].
 *  `hidden_state`: Hidden state [batch, hidden_size].
 *  `cell_state`: Cell state [batch, hidden_size].
 *  `hidden_size`: Features of the hidden state.
 *  Owns: `outs` belong to the builder; `*n_outs` is their room on entry, their number on return.
 *  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed;
 *  operands that don't fit together; value out of range; output too large), INVALID_STATE (already
 *  built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_lstm_cell(webnn_builder *builder, const webnn_operand *input,
                                       const webnn_operand *weight,
                                       const webnn_operand *recurrent_weight,
                                       const webnn_operand *hidden_state,
                                       const webnn_operand *cell_state, uint32_t hidden_size,
                                       const webnn_lstm_cell_options *options, webnn_operand **outs,
                                       size_t *n_outs);

/** Matrix product over the last two axes, with broadcasting of the others.
 *  Spec: MLGraphBuilder.matmul.
 *  `a`: Left matrices [..., M, K].
 *  `b`: Right matrices [..., K, N]; leading axes broadcast.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed;
 *  operands that don't fit together; output too large), INVALID_STATE (already built, context
 *  lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_matmul(webnn_builder *builder, const webnn_operand *a,
                                    const webnn_operand *b, const webnn_operator_options *options,
                                    webnn_operand **out);

/** Makes the tensor larger at its borders by a constant or by its own elements.
 *  Spec: MLGraphBuilder.pad.
 *  `input`: Operand to be padded.
 *  `beginning_padding`: Elements added before each axis.
 *  `ending_padding`: Elements added after each axis.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing or another builder's; value out of range; output too large),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_pad(webnn_builder *builder, const webnn_operand *input,
                                 const uint32_t *beginning_padding, size_t n_beginning_padding,
                                 const uint32_t *ending_padding, size_t n_ending_padding,
                                 const webnn_pad_options *options, webnn_operand **out);

/** Mean of each window of an image; padding doesn't count.  Spec: MLGraphBuilder.averagePool2d.
 *  `input`: Input [batch, channels, height, width], in the order of layout.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed; value
 *  out of range; output too large), INVALID_STATE (already built, context lost), UNKNOWN (no
 *  memory). */
WEBNN_API webnn_status webnn_average_pool2d(webnn_builder *builder, const webnn_operand *input,
                                            const webnn_pool2d_options *options,
                                            webnn_operand **out);

/** Square root of the sum of squares of each window of an image.  Spec: MLGraphBuilder.l2Pool2d.
 *  `input`: Input [batch, channels, height, width], in the order of layout.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed; value
 *  out of range; output too large), INVALID_STATE (already built, context lost), UNKNOWN (no
 *  memory). */
WEBNN_API webnn_status webnn_l2_pool2d(webnn_builder *builder, const webnn_operand *input,
                                       const webnn_pool2d_options *options, webnn_operand **out);

/** Largest element of each window of an image; padding never wins.  Spec: MLGraphBuilder.maxPool2d.
 *  `input`: Input [batch, channels, height, width], in the order of layout.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed; value
 *  out of range; output too large), INVALID_STATE (already built, context lost), UNKNOWN (no
 *  memory). */
WEBNN_API webnn_status webnn_max_pool2d(webnn_builder *builder, const webnn_operand *input,
                                        const webnn_pool2d_options *options, webnn_operand **out);

/** x where it is at least 0, else slope * x, with broadcasting.  Spec: MLGraphBuilder.prelu.
 *  `input`: Input of any shape.
 *  `slope`: Slope below 0; broadcast with the input, in both directions.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed;
 *  operands that don't fit together; output too large), INVALID_STATE (already built, context
 *  lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_prelu(webnn_builder *builder, const webnn_operand *input,
                                   const webnn_operand *slope,
                                   const webnn_operator_options *options, webnn_operand **out);

/** Sum of the absolute values along axes.  Spec: MLGraphBuilder.reduceL1.
 *  `input`: Input.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed; value
 *  out of range; output too large), INVALID_STATE (already built, context lost), UNKNOWN (no
 *  memory). */
WEBNN_API webnn_status webnn_reduce_l1(webnn_builder *builder, const webnn_operand *input,
                                       const webnn_reduce_options *options, webnn_operand **out);

/** Square root of the sum of squares along axes.  Spec: MLGraphBuilder.reduceL2.
 *  `input`: Input.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed; value
 *  out of range; output too large), INVALID_STATE (already built, context lost), UNKNOWN (no
 *  memory). */
WEBNN_API webnn_status webnn_reduce_l2(webnn_builder *builder, const webnn_operand *input,
                                       const webnn_reduce_options *options, webnn_operand **out);

/** Natural logarithm of the sum along axes.  Spec: MLGraphBuilder.reduceLogSum.
 *  `input`: Input.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed; value
 *  out of range; output too large), INVALID_STATE (already built, context lost), UNKNOWN (no
 *  memory). */
WEBNN_API webnn_status webnn_reduce_log_sum(webnn_builder *builder, const webnn_operand *input,
                                            const webnn_reduce_options *options,
                                            webnn_operand **out);

/** Natural logarithm of the sum of exponentials along axes, without overflow.
 *  Spec: MLGraphBuilder.reduceLogSumExp.
 *  `input`: Input.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed; value
 *  out of range; output too large), INVALID_STATE (already built, context lost), UNKNOWN (no
 *  memory). */
WEBNN_API webnn_status webnn_reduce_log_sum_exp(webnn_builder *builder, const webnn_operand *input,
                                                const webnn_reduce_options *options,
                                                webnn_operand **out);

/** Largest value along axes.  Spec: MLGraphBuilder.reduceMax.
 *  `input`: Input.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing or another builder's; value out of range; output too large),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_reduce_max(webnn_builder *builder, const webnn_operand *input,
                                        const webnn_reduce_options *options, webnn_operand **out);

/** Mean along axes.  Spec: MLGraphBuilder.reduceMean.
 *  `input`: Input.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed; value
 *  out of range; output too large), INVALID_STATE (already built, context lost), UNKNOWN (no
 *  memory). */
WEBNN_API webnn_status webnn_reduce_mean(webnn_builder *builder, const webnn_operand *input,
                                         const webnn_reduce_options *options, webnn_operand **out);

/** Smallest value along axes.  Spec: MLGraphBuilder.reduceMin.
 *  `input`: Input.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing or another builder's; value out of range; output too large),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_reduce_min(webnn_builder *builder, const webnn_operand *input,
                                        const webnn_reduce_options *options, webnn_operand **out);

/** Product along axes.  Spec: MLGraphBuilder.reduceProduct.
 *  `input`: Input.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed; value
 *  out of range; output too large), INVALID_STATE (already built, context lost), UNKNOWN (no
 *  memory). */
WEBNN_API webnn_status webnn_reduce_product(webnn_builder *builder, const webnn_operand *input,
                                            const webnn_reduce_options *options,
                                            webnn_operand **out);

/** Sum along axes.  Spec: MLGraphBuilder.reduceSum.
 *  `input`: Input.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed; value
 *  out of range; output too large), INVALID_STATE (already built, context lost), UNKNOWN (no
 *  memory). */
WEBNN_API webnn_status webnn_reduce_sum(webnn_builder *builder, const webnn_operand *input,
                                        const webnn_reduce_options *options, webnn_operand **out);

/** Sum of squares along axes.  Spec: MLGraphBuilder.reduceSumSquare.
 *  `input`: Input.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed; value
 *  out of range; output too large), INVALID_STATE (already built, context lost), UNKNOWN (no
 *  memory). */
WEBNN_API webnn_status webnn_reduce_sum_square(webnn_builder *builder, const webnn_operand *input,
                                               const webnn_reduce_options *options,
                                               webnn_operand **out);

/** max(0, x) for each element.  Spec: MLGraphBuilder.relu.
 *  `input`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_relu(webnn_builder *builder, const webnn_operand *input,
                                  const webnn_operator_options *options, webnn_operand **out);

/** Scales an image along two axes, by nearest neighbors (halves go down) or linear interpolation;
 *  integers in float32, the lower axis first, rounded to even at the end.
 *  Spec: MLGraphBuilder.resample2d.
 *  `input`: Operand to be resized along two axes.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed; value
 *  out of range; output too large), INVALID_STATE (already built, context lost), UNKNOWN (no
 *  memory). */
WEBNN_API webnn_status webnn_resample2d(webnn_builder *builder, const webnn_operand *input,
                                        const webnn_resample2d_options *options,
                                        webnn_operand **out);

/** The same elements in another shape.  Spec: MLGraphBuilder.reshape.
 *  `input`: Operand whose elements are kept, in row-major order.
 *  `new_shape`: Shape of the output, with as many elements.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing or another builder's; value out of range; output too large),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_reshape(webnn_builder *builder, const webnn_operand *input,
                                     const uint32_t *new_shape, size_t n_new_shape,
                                     const webnn_operator_options *options, webnn_operand **out);

/** Turns the order of elements round along axes.  Spec: MLGraphBuilder.reverse.
 *  `input`: Operand to be reversed.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing or another builder's; value out of range; output too large),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_reverse(webnn_builder *builder, const webnn_operand *input,
                                     const webnn_reverse_options *options, webnn_operand **out);

/** A copy with single elements replaced: the index replaces the position along one axis.
 *  Spec: MLGraphBuilder.scatterElements.
 *  `input`: Operand that is copied, then overwritten in places.
 *  `indices`: Positions along the axis, with the input's shape off the axis; negative ones count
 *  from the end.
 *  `updates`: New elements, in the shape of indices.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed;
 *  operands that don't fit together; value out of range; output too large), INVALID_STATE (already
 *  built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_scatter_elements(webnn_builder *builder, const webnn_operand *input,
                                              const webnn_operand *indices,
                                              const webnn_operand *updates,
                                              const webnn_scatter_options *options,
                                              webnn_operand **out);

/** A copy with slices replaced, chosen by tuples of indices into the leading axes.
 *  Spec: MLGraphBuilder.scatterND.
 *  `input`: Operand that is copied, then overwritten in places.
 *  `indices`: Coordinates [..., n] into the first n axes; negative ones count from the end.
 *  `updates`: New slices: the shape of indices but its last axis, then the input's axes from n on.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed;
 *  operands that don't fit together; output too large), INVALID_STATE (already built, context
 *  lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_scatter_nd(webnn_builder *builder, const webnn_operand *input,
                                        const webnn_operand *indices, const webnn_operand *updates,
                                        const webnn_operator_options *options, webnn_operand **out);

/** 1 / (1 + exp(-x)) for each element.  Spec: MLGraphBuilder.sigmoid.
 *  `input`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_sigmoid(webnn_builder *builder, const webnn_operand *input,
                                     const webnn_operator_options *options, webnn_operand **out);

/** A part of the tensor: from starts on, as long as sizes, every strides-th element.
 *  Spec: MLGraphBuilder.slice.
 *  `input`: Operand of which a part is taken.
 *  `starts`: First element along each axis.
 *  `sizes`: Elements of the input that are covered along each axis, before strides.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing or another builder's; value out of range; output too large),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_slice(webnn_builder *builder, const webnn_operand *input,
                                   const uint32_t *starts, size_t n_starts, const uint32_t *sizes,
                                   size_t n_sizes, const webnn_slice_options *options,
                                   webnn_operand **out);

/** exp(x - max) divided by its sum along one axis.  Spec: MLGraphBuilder.softmax.
 *  `input`: Input.
 *  `axis`: The axis whose elements sum to 1.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed; value
 *  out of range), INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_softmax(webnn_builder *builder, const webnn_operand *input,
                                     uint32_t axis, const webnn_operator_options *options,
                                     webnn_operand **out);

/** ln(1 + exp(x)) for each element, without overflow.  Spec: MLGraphBuilder.softplus.
 *  `input`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_softplus(webnn_builder *builder, const webnn_operand *input,
                                      const webnn_operator_options *options, webnn_operand **out);

/** x / (1 + |x|) for each element.  Spec: MLGraphBuilder.softsign.
 *  `input`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_softsign(webnn_builder *builder, const webnn_operand *input,
                                      const webnn_operator_options *options, webnn_operand **out);

/** Cuts the tensor into parts along one axis.  Spec: MLGraphBuilder.split.
 *  `input`: Operand to be cut into pieces.
 *  `splits`: Number of equal pieces, or the size of each. A NULL list: the count is the number.
 *  Owns: `outs` belong to the builder; `*n_outs` is their room on entry, their number on return.
 *  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed; value
 *  out of range; output too large), INVALID_STATE (already built, context lost), UNKNOWN (no
 *  memory). */
WEBNN_API webnn_status webnn_split(webnn_builder *builder, const webnn_operand *input,
                                   const uint32_t *splits, size_t n_splits,
                                   const webnn_split_options *options, webnn_operand **outs,
                                   size_t *n_outs);

/** Hyperbolic tangent of each element.  Spec: MLGraphBuilder.tanh.
 *  `input`: Input of any shape.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_tanh(webnn_builder *builder, const webnn_operand *input,
                                  const webnn_operator_options *options, webnn_operand **out);

/** Repeats the whole tensor along each axis.  Spec: MLGraphBuilder.tile.
 *  `input`: Operand to be repeated.
 *  `repetitions`: Number of repetitions along each axis.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing or another builder's; value out of range; output too large),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_tile(webnn_builder *builder, const webnn_operand *input,
                                  const uint32_t *repetitions, size_t n_repetitions,
                                  const webnn_operator_options *options, webnn_operand **out);

/** Exchanges axes by a permutation.  Spec: MLGraphBuilder.transpose.
 *  `input`: Operand whose axes are permuted.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing or another builder's; value out of range; output too large),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_transpose(webnn_builder *builder, const webnn_operand *input,
                                       const webnn_transpose_options *options, webnn_operand **out);

/** Keeps the upper or lower triangle of the last two axes and clears the rest.
 *  Spec: MLGraphBuilder.triangular.
 *  `input`: Matrices [..., rows, columns].
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed; value
 *  out of range), INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_triangular(webnn_builder *builder, const webnn_operand *input,
                                        const webnn_triangular_options *options,
                                        webnn_operand **out);

/** true_value where condition is other than 0, else false_value, with broadcasting.
 *  Spec: MLGraphBuilder.where.
 *  `condition`: Chooses, element by element; broadcast with the values.
 *  `true_value`: Taken where the condition is other than 0.
 *  `false_value`: Taken where the condition is 0.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing, another builder's or of a type or rank that isn't allowed;
 *  operands that don't fit together; output too large), INVALID_STATE (already built, context
 *  lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_where(webnn_builder *builder, const webnn_operand *condition,
                                   const webnn_operand *true_value,
                                   const webnn_operand *false_value,
                                   const webnn_operator_options *options, webnn_operand **out);

/** Drops axes of size 1.  An extension (webnn-native).
 *  `input`: Operand whose axes of size 1 are dropped.
 *  Owns: `*out` belongs to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE (operand missing or another builder's; value out of range; output too large),
 *  INVALID_STATE (already built, context lost), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_squeeze(webnn_builder *builder, const webnn_operand *input,
                                     const webnn_squeeze_options *options, webnn_operand **out);

#ifdef __cplusplus
}
#endif
#endif
