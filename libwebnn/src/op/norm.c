/* Normalisations and softmax: fields, checks, output shapes. */
#include "op/families.h"
#include "op/infer.h"

#define EPSILON(attrs_)                                                   \
  WNN_OPTION_DOUBLE("epsilon", "epsilon", attrs_, epsilon, 1e-5, "1e-05", \
                    "Added to the variance, against division by 0.")

static const wnn_field batch_normalization_fields[] = {
    WNN_OPERAND("input", "input", NULL, WNN_NO_FIELD, WNN_RANKS(1, WNN_MAX_RANK, 3, 5), "Input."),
    WNN_OPERAND("mean", "mean", NULL, 0, WNN_RANK(1), "Means [size of the axis]."),
    WNN_OPERAND("variance", "variance", NULL, 0, WNN_RANK(1), "Variances [size of the axis]."),
    WNN_OPTIONAL_OPERAND("scale", "scale", NULL, 0, WNN_RANK(1),
                         "Factors [size of the axis]; 1 by default."),
    WNN_OPTIONAL_OPERAND("bias", "bias", NULL, 0, WNN_RANK(1),
                         "Summands [size of the axis]; 0 by default."),
    WNN_OPTION_DEFAULT(UINT, "axis", "axis", wnn_batch_normalization_attrs, axis, 1, "1",
                       "The axis that the statistics belong to."),
    EPSILON(wnn_batch_normalization_attrs),
    WNN_ACTIVATION,
    WNN_LABEL,
};

static const wnn_field batch_normalization_outputs[] = {
    WNN_OUTPUT("output", "output", NULL, WNN_RANKS(1, WNN_MAX_RANK, 3, 5))};

const wnn_signature wnn_signature_batch_normalization = {
    .name = "batch_normalization",
    .fields = batch_normalization_fields,
    .n_fields = WNN_COUNT(batch_normalization_fields),
    .n_operands = 5,
    .n_outputs = 1,
    .outputs = batch_normalization_outputs,
    .attrs_bytes = sizeof(wnn_batch_normalization_attrs),
};

/* The operand at `position`, if given, has the table's type and rank and one element a channel. */
static webnn_status check_per_channel(wnn_infer *in, size_t position, uint32_t n_channels) {
  webnn_status status = wnn_check_optional(in, position);
  if (status != WEBNN_OK || in->inputs[position] == NULL) return status;
  return wnn_check_shape(in, position, &(uint64_t){n_channels}, 1);
}

webnn_status wnn_infer_batch_normalization(wnn_infer *in) {
  const wnn_batch_normalization_attrs *attrs = in->attrs;
  const wnn_desc *input = in->inputs[0];
  webnn_status status = wnn_check_axis(in, attrs->axis, input->rank);
  for (size_t i = 1; i < in->n_inputs && status == WEBNN_OK; i++)
    status = check_per_channel(in, i, input->dims[attrs->axis]);
  return status != WEBNN_OK ? status : wnn_infer_same(in);
}

static const wnn_field instance_normalization_fields[] = {
    WNN_OPERAND("input", "input", NULL, WNN_NO_FIELD, WNN_RANK(4),
                "Input [batch, channels, height, width], in the order of layout."),
    WNN_OPTIONAL_OPERAND("scale", "scale", NULL, 0, WNN_RANK(1),
                         "Factors [channels]; 1 by default."),
    WNN_OPTIONAL_OPERAND("bias", "bias", NULL, 0, WNN_RANK(1),
                         "Summands [channels]; 0 by default."),
    EPSILON(wnn_instance_normalization_attrs),
    WNN_OPTION_ENUM("layout", "layout", wnn_instance_normalization_attrs, layout,
                    wnn_input_operand_layouts, "'nchw'", "Order of the axes of input and output."),
    WNN_LABEL,
};

static const wnn_field instance_normalization_outputs[] = {
    WNN_OUTPUT("output", "output", NULL, WNN_RANK(4))};

const wnn_signature wnn_signature_instance_normalization = {
    .name = "instance_normalization",
    .fields = instance_normalization_fields,
    .n_fields = WNN_COUNT(instance_normalization_fields),
    .n_operands = 3,
    .n_outputs = 1,
    .outputs = instance_normalization_outputs,
    .attrs_bytes = sizeof(wnn_instance_normalization_attrs),
};

webnn_status wnn_infer_instance_normalization(wnn_infer *in) {
  const wnn_instance_normalization_attrs *attrs = in->attrs;
  size_t axis = attrs->layout == WEBNN_INPUT_OPERAND_LAYOUT_NCHW ? 1 : 3;
  webnn_status status = WEBNN_OK;
  for (size_t i = 1; i < in->n_inputs && status == WEBNN_OK; i++)
    status = check_per_channel(in, i, in->inputs[0]->dims[axis]);
  return status != WEBNN_OK ? status : wnn_infer_same(in);
}

static const wnn_field layer_normalization_fields[] = {
    WNN_OPERAND("input", "input", NULL, WNN_NO_FIELD, WNN_ANY_RANK, "Input."),
    WNN_OPTIONAL_OPERAND("scale", "scale", NULL, 0, WNN_ANY_RANK,
                         "Factors, one axis for each of axes, in their order; 1 by default."),
    WNN_OPTIONAL_OPERAND("bias", "bias", NULL, 0, WNN_ANY_RANK,
                         "Summands, one axis for each of axes, in their order; 0 by default."),
    WNN_OPTION(
        UINTS, "axes", "axes", wnn_layer_normalization_attrs, axes,
        "The axes that share mean and variance, in any order; all but the first by default."),
    EPSILON(wnn_layer_normalization_attrs),
    WNN_LABEL,
};

static const wnn_field layer_normalization_outputs[] = {
    WNN_OUTPUT("output", "output", NULL, WNN_ANY_RANK)};

const wnn_signature wnn_signature_layer_normalization = {
    .name = "layer_normalization",
    .fields = layer_normalization_fields,
    .n_fields = WNN_COUNT(layer_normalization_fields),
    .n_operands = 3,
    .n_outputs = 1,
    .outputs = layer_normalization_outputs,
    .attrs_bytes = sizeof(wnn_layer_normalization_attrs),
};

webnn_status wnn_infer_layer_normalization(wnn_infer *in) {
  static const uint32_t all_but_first[] = {1, 2, 3, 4, 5, 6, 7};
  wnn_layer_normalization_attrs *attrs = in->attrs;
  const wnn_desc *input = in->inputs[0];
  uint64_t dims[WNN_MAX_RANK];
  webnn_status status = wnn_check_axes(in, "axes", &attrs->axes, input->rank);
  if (status == WEBNN_OK)
    status =
        wnn_resolve_list(in, &attrs->axes, all_but_first, input->rank > 1 ? input->rank - 1 : 0);
  if (status != WEBNN_OK) return status;
  for (size_t i = 0; i < attrs->axes.n; i++) dims[i] = input->dims[attrs->axes.data[i]];
  for (size_t i = 1; i < in->n_inputs && status == WEBNN_OK; i++) {
    status = wnn_check_optional(in, i);
    if (status == WEBNN_OK && in->inputs[i] != NULL)
      status = wnn_check_shape(in, i, dims, attrs->axes.n);
  }
  return status != WEBNN_OK ? status : wnn_infer_same(in);
}

static const wnn_field softmax_fields[] = {
    WNN_OPERAND("input", "input", NULL, WNN_NO_FIELD, WNN_RANK_FROM(1), "Input."),
    WNN_PARAMETER(UINT, "axis", "axis", wnn_axis_attrs, axis, "The axis whose elements sum to 1."),
    WNN_LABEL,
};

static const wnn_field softmax_outputs[] = {WNN_OUTPUT("output", "output", NULL, WNN_RANK_FROM(1))};

const wnn_signature wnn_signature_softmax = {
    .name = "softmax",
    .fields = softmax_fields,
    .n_fields = WNN_COUNT(softmax_fields),
    .n_operands = 1,
    .n_outputs = 1,
    .outputs = softmax_outputs,
    .attrs_bytes = sizeof(wnn_axis_attrs),
};

webnn_status wnn_infer_softmax(wnn_infer *in) {
  const wnn_axis_attrs *attrs = in->attrs;
  webnn_status status = wnn_check_axis(in, attrs->axis, in->inputs[0]->rank);
  return status != WEBNN_OK ? status : wnn_infer_same(in);
}
