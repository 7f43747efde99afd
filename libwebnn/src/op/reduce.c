/* Operations along axes: argMin, argMax, cumulativeSum and the ten reductions. */
#include "op/families.h"
#include "op/infer.h"

static const wnn_field arg_fields[] = {
    WNN_OPERAND("input", "input", NULL, WNN_NO_FIELD, WNN_RANK_FROM(1), "Input."),
    WNN_PARAMETER(UINT, "axis", "axis", wnn_arg_attrs, axis, "The axis to look along."),
    WNN_OPTION_DEFAULT(BOOL, "keep_dimensions", "keepDimensions", wnn_arg_attrs, keep_dimensions, 0,
                       "False", "Keeps the axis, with size 1."),
    WNN_OPTION_DEFAULT(DATA_TYPE, "output_data_type", "outputDataType", wnn_arg_attrs,
                       output_data_type, WEBNN_DATA_TYPE_INT32, "'int32'",
                       "Element type of the indices: int32 or int64."),
    WNN_LABEL,
};

static const wnn_field arg_outputs[] = {
    WNN_OUTPUT("output", "output", &wnn_types_ARG, WNN_ANY_RANK)};

const wnn_signature wnn_signature_arg = {
    .name = "arg",
    .options = "arg_min_max",
    .fields = arg_fields,
    .n_fields = WNN_COUNT(arg_fields),
    .n_operands = 1,
    .n_outputs = 1,
    .outputs = arg_outputs,
    .attrs_bytes = sizeof(wnn_arg_attrs),
};

/* The input's shape without the axes, or with size 1 there; the axes have been checked. */
static void reduce_shape(wnn_desc *out, const wnn_desc *input, const uint32_t *axes, size_t n_axes,
                         bool keep_dimensions) {
  bool reduced[WNN_MAX_RANK] = {false};
  for (size_t i = 0; i < n_axes; i++) reduced[axes[i]] = true;
  out->rank = 0;
  for (uint32_t i = 0; i < input->rank; i++)
    if (!reduced[i])
      out->dims[out->rank++] = input->dims[i];
    else if (keep_dimensions)
      out->dims[out->rank++] = 1;
}

webnn_status wnn_infer_arg(wnn_infer *in) {
  const wnn_arg_attrs *attrs = in->attrs;
  const wnn_desc *input = in->inputs[0];
  webnn_data_type type = attrs->output_data_type;
  webnn_status status = wnn_check_axis(in, attrs->axis, input->rank);
  if (status != WEBNN_OK) return status;
  if (!(wnn_types_ARG.allowed >> (unsigned)type & 1))
    return wnn_fail(in, WEBNN_ERROR_TYPE, "outputDataType is %s, expected int32, int64",
                    webnn_data_type_name(type));
  /* Any index fits: no dimension is longer than int32 can count. */
  in->outputs[0].type = type;
  reduce_shape(&in->outputs[0], input, &attrs->axis, 1, attrs->keep_dimensions);
  return WEBNN_OK;
}

static const wnn_field cumulative_sum_fields[] = {
    WNN_OPERAND("input", "input", NULL, WNN_NO_FIELD, WNN_RANK_FROM(1), "Input."),
    WNN_PARAMETER(UINT, "axis", "axis", wnn_cumulative_sum_attrs, axis, "The axis to sum along."),
    WNN_OPTION_DEFAULT(BOOL, "exclusive", "exclusive", wnn_cumulative_sum_attrs, exclusive, 0,
                       "False", "Leaves the element itself out of its sum."),
    WNN_OPTION_DEFAULT(BOOL, "reversed", "reversed", wnn_cumulative_sum_attrs, reversed, 0, "False",
                       "Sums from the end."),
    WNN_LABEL,
};

static const wnn_field cumulative_sum_outputs[] = {
    WNN_OUTPUT("output", "output", NULL, WNN_RANK_FROM(1))};

const wnn_signature wnn_signature_cumulative_sum = {
    .name = "cumulative_sum",
    .fields = cumulative_sum_fields,
    .n_fields = WNN_COUNT(cumulative_sum_fields),
    .n_operands = 1,
    .n_outputs = 1,
    .outputs = cumulative_sum_outputs,
    .attrs_bytes = sizeof(wnn_cumulative_sum_attrs),
};

webnn_status wnn_infer_cumulative_sum(wnn_infer *in) {
  const wnn_cumulative_sum_attrs *attrs = in->attrs;
  webnn_status status = wnn_check_axis(in, attrs->axis, in->inputs[0]->rank);
  return status != WEBNN_OK ? status : wnn_infer_same(in);
}

static const wnn_field reduce_fields[] = {
    WNN_OPERAND("input", "input", NULL, WNN_NO_FIELD, WNN_ANY_RANK, "Input."),
    WNN_OPTION(UINTS, "axes", "axes", wnn_reduce_attrs, axes,
               "The axes to reduce, all by default; with none the function is still applied."),
    WNN_OPTION_DEFAULT(BOOL, "keep_dimensions", "keepDimensions", wnn_reduce_attrs, keep_dimensions,
                       0, "False", "Keeps the axes, with size 1."),
    WNN_LABEL,
};

static const wnn_field reduce_outputs[] = {WNN_OUTPUT("output", "output", NULL, WNN_ANY_RANK)};

const wnn_signature wnn_signature_reduce = {
    .name = "reduce",
    .fields = reduce_fields,
    .n_fields = WNN_COUNT(reduce_fields),
    .n_operands = 1,
    .n_outputs = 1,
    .outputs = reduce_outputs,
    .attrs_bytes = sizeof(wnn_reduce_attrs),
};

webnn_status wnn_infer_reduce(wnn_infer *in) {
  static const uint32_t all[WNN_MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};
  wnn_reduce_attrs *attrs = in->attrs;
  const wnn_desc *input = in->inputs[0];
  webnn_status status = wnn_check_axes(in, "axes", &attrs->axes, input->rank);
  if (status == WEBNN_OK) status = wnn_resolve_list(in, &attrs->axes, all, input->rank);
  if (status != WEBNN_OK) return status;
  in->outputs[0].type = input->type;
  reduce_shape(&in->outputs[0], input, attrs->axes.data, attrs->axes.n, attrs->keep_dimensions);
  return WEBNN_OK;
}
