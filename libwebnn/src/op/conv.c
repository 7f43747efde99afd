/* conv2d and convTranspose2d: fields, checks, output shapes. */
#include "op/families.h"
#include "op/infer.h"

#include <inttypes.h>

enum { INPUT, FILTER, BIAS };

/* Where axes lie: of inputs batch, channels, height, width; of filters
 * outputs, inputs, height, width. */
static const uint8_t input_axes[][4] = {
    [WEBNN_INPUT_OPERAND_LAYOUT_NCHW] = {0, 1, 2, 3},
    [WEBNN_INPUT_OPERAND_LAYOUT_NHWC] = {0, 3, 1, 2},
};
static const uint8_t filter_axes[][4] = {
    [WEBNN_CONV2D_FILTER_OPERAND_LAYOUT_OIHW] = {0, 1, 2, 3},
    [WEBNN_CONV2D_FILTER_OPERAND_LAYOUT_HWIO] = {3, 2, 0, 1},
    [WEBNN_CONV2D_FILTER_OPERAND_LAYOUT_OHWI] = {0, 3, 1, 2},
    [WEBNN_CONV2D_FILTER_OPERAND_LAYOUT_IHWO] = {3, 0, 1, 2},
};
static const uint8_t transpose_filter_axes[][4] = {
    [WEBNN_CONV_TRANSPOSE2D_FILTER_OPERAND_LAYOUT_IOHW] = {1, 0, 2, 3},
    [WEBNN_CONV_TRANSPOSE2D_FILTER_OPERAND_LAYOUT_HWOI] = {2, 3, 0, 1},
    [WEBNN_CONV_TRANSPOSE2D_FILTER_OPERAND_LAYOUT_OHWI] = {0, 3, 1, 2},
};

#define CONV_INPUTS                                                                     \
  WNN_OPERAND("input", "input", NULL, WNN_NO_FIELD, WNN_RANK(4),                        \
              "Input [batch, channels, height, width], in the order of input_layout."), \
      WNN_OPERAND("filter", "filter", NULL, 0, WNN_RANK(4),                             \
                  "Filter, its axes in the order of filter_layout.")
#define CONV_WINDOW(attrs_)                                           \
  WNN_OPTION(UINTS, "padding", "padding", attrs_, padding,            \
             "Padding [top, bottom, left, right]; none by default."), \
      WNN_OPTION(UINTS, "strides", "strides", attrs_, strides,        \
                 "Strides [height, width]; [1, 1] by default."),      \
      WNN_OPTION(UINTS, "dilations", "dilations", attrs_, dilations,  \
                 "Dilations [height, width]; [1, 1] by default.")
#define CONV_GROUPS(attrs_)                                                    \
  WNN_OPTION_DEFAULT(UINT, "groups", "groups", attrs_, groups, 1, "1",         \
                     "Number of groups into which the channels are divided."), \
      WNN_OPTION_ENUM("input_layout", "inputLayout", attrs_, input_layout,     \
                      wnn_input_operand_layouts, "'nchw'",                     \
                      "Order of the axes of input and output.")
#define CONV_BIAS(attrs_)                                                                \
  WNN_OPTIONAL_OPERAND("bias", "bias", NULL, 0, WNN_RANK(1), "Bias [output_channels]."), \
      WNN_AUTO_PAD(attrs_), WNN_ACTIVATION, WNN_LABEL

static const wnn_field conv2d_fields[] = {
    CONV_INPUTS,
    CONV_WINDOW(wnn_conv2d_attrs),
    CONV_GROUPS(wnn_conv2d_attrs),
    WNN_OPTION_ENUM(
        "filter_layout", "filterLayout", wnn_conv2d_attrs, filter_layout,
        wnn_conv2d_filter_operand_layouts, "'oihw'",
        "Order of the filter's axes: o output channels, i input channels of a group, h, w."),
    CONV_BIAS(wnn_conv2d_attrs),
};

static const wnn_field conv_transpose2d_fields[] = {
    CONV_INPUTS,
    CONV_WINDOW(wnn_conv_transpose2d_attrs),
    WNN_OPTION(UINTS, "output_padding", "outputPadding", wnn_conv_transpose2d_attrs, output_padding,
               "Rows and columns added at the end [height, width], each below its stride; [0, 0] "
               "by default."),
    WNN_OPTION(UINTS, "output_sizes", "outputSizes", wnn_conv_transpose2d_attrs, output_sizes,
               "Output sizes [height, width], instead of output_padding."),
    CONV_GROUPS(wnn_conv_transpose2d_attrs),
    WNN_OPTION_ENUM(
        "filter_layout", "filterLayout", wnn_conv_transpose2d_attrs, filter_layout,
        wnn_conv_transpose2d_filter_operand_layouts, "'iohw'",
        "Order of the filter's axes: i input channels, o output channels of a group, h, w."),
    CONV_BIAS(wnn_conv_transpose2d_attrs),
};

static const wnn_field conv_outputs[] = {WNN_OUTPUT("output", "output", NULL, WNN_RANK(4))};

const wnn_signature wnn_signature_conv2d = {
    .name = "conv2d",
    .fields = conv2d_fields,
    .n_fields = WNN_COUNT(conv2d_fields),
    .n_operands = 3,
    .n_outputs = 1,
    .outputs = conv_outputs,
    .attrs_bytes = sizeof(wnn_conv2d_attrs),
};

/* What a pass makes of it. Nobody calls it: its fields are the lists behind its attributes, which
 * who keeps those copies by them. */
static const wnn_field conv2d_integer_fields[] = {CONV_WINDOW(wnn_conv2d_attrs)};

const wnn_signature wnn_signature_conv2d_integer = {
    .name = "conv2d_integer",
    .fields = conv2d_integer_fields,
    .n_fields = WNN_COUNT(conv2d_integer_fields),
    .n_operands = WNN_INTEGER_INPUTS,
    .n_outputs = 1,
    .attrs_bytes = sizeof(wnn_conv2d_attrs),
};

const wnn_signature wnn_signature_conv_transpose2d = {
    .name = "conv_transpose2d",
    .fields = conv_transpose2d_fields,
    .n_fields = WNN_COUNT(conv_transpose2d_fields),
    .n_operands = 3,
    .n_outputs = 1,
    .outputs = conv_outputs,
    .attrs_bytes = sizeof(wnn_conv_transpose2d_attrs),
};

/* Sizes by meaning, whatever the layouts. */
typedef struct conv_sizes {
  uint32_t batch, channels, plane[2];
  uint32_t filter_outputs, filter_inputs, kernel[2];
} conv_sizes;

static conv_sizes read_sizes(const wnn_infer *in, const uint8_t input[4], const uint8_t filter[4]) {
  const uint32_t *x = in->inputs[INPUT]->dims, *w = in->inputs[FILTER]->dims;
  return (conv_sizes){
      x[input[0]],  x[input[1]],  {x[input[2]], x[input[3]]},
      w[filter[0]], w[filter[1]], {w[filter[2]], w[filter[3]]},
  };
}

/* Lengths of the lists and zeros in them, and their defaults. */
static webnn_status resolve_lists(wnn_infer *in, wnn_uints *padding, wnn_uints *strides,
                                  wnn_uints *dilations) {
  webnn_status status = wnn_check_length(in, "padding", padding, 4);
  if (status == WEBNN_OK) status = wnn_check_length(in, "strides", strides, 2);
  if (status == WEBNN_OK) status = wnn_check_positive(in, "strides", strides);
  if (status == WEBNN_OK) status = wnn_check_length(in, "dilations", dilations, 2);
  if (status == WEBNN_OK) status = wnn_check_positive(in, "dilations", dilations);
  if (status == WEBNN_OK) status = wnn_resolve_fill(in, padding, 0, 4);
  if (status == WEBNN_OK) status = wnn_resolve_fill(in, strides, 1, 2);
  if (status == WEBNN_OK) status = wnn_resolve_fill(in, dilations, 1, 2);
  return status;
}

static webnn_status check_bias(wnn_infer *in, uint32_t channels) {
  const wnn_desc *bias = wnn_input(in, BIAS);
  webnn_status status = wnn_check_optional(in, BIAS);
  if (status != WEBNN_OK || bias == NULL || bias->dims[0] == channels) return status;
  return wnn_fail(in, WEBNN_ERROR_TYPE,
                  "bias has %" PRIu32 " elements, expected %" PRIu32 " (output channels)",
                  bias->dims[0], channels);
}

static webnn_status set_output(wnn_infer *in, const uint8_t axes[4], uint32_t batch,
                               uint32_t channels, const uint32_t plane[2]) {
  wnn_desc desc = {.type = in->inputs[INPUT]->type, .rank = 4};
  desc.dims[axes[0]] = batch;
  desc.dims[axes[1]] = channels;
  desc.dims[axes[2]] = plane[0];
  desc.dims[axes[3]] = plane[1];
  return wnn_output_like(in, &desc);
}

static webnn_status check_conv2d_channels(wnn_infer *in, const wnn_conv2d_attrs *attrs,
                                          const conv_sizes *sizes) {
  const char *layout = wnn_input_operand_layouts[attrs->input_layout];
  uint32_t groups = attrs->groups;
  if (groups == 0) return wnn_fail(in, WEBNN_ERROR_TYPE, "groups is 0");
  if (sizes->channels % groups != 0)
    return wnn_fail(in, WEBNN_ERROR_TYPE,
                    "input has %" PRIu32 " channels, not a multiple of groups %" PRIu32
                    " (inputLayout %s)",
                    sizes->channels, groups, layout);
  if (sizes->channels / groups != sizes->filter_inputs)
    return wnn_fail(in, WEBNN_ERROR_TYPE,
                    "input has %" PRIu32 " channels, filter expects %" PRIu64
                    " (inputLayout %s, groups %" PRIu32 ")",
                    sizes->channels, (uint64_t)sizes->filter_inputs * groups, layout, groups);
  if (sizes->filter_outputs % groups != 0)
    return wnn_fail(in, WEBNN_ERROR_TYPE,
                    "filter has %" PRIu32 " output channels, not a multiple of groups %" PRIu32
                    " (filterLayout %s)",
                    sizes->filter_outputs, groups,
                    wnn_conv2d_filter_operand_layouts[attrs->filter_layout]);
  return WEBNN_OK;
}

webnn_status wnn_infer_conv2d(wnn_infer *in) {
  wnn_conv2d_attrs *attrs = in->attrs;
  const uint8_t *axes = input_axes[attrs->input_layout];
  conv_sizes sizes = read_sizes(in, axes, filter_axes[attrs->filter_layout]);
  wnn_window windows[2];
  uint32_t plane[2];

  webnn_status status = resolve_lists(in, &attrs->padding, &attrs->strides, &attrs->dilations);
  if (status == WEBNN_OK) status = check_conv2d_channels(in, attrs, &sizes);
  if (status == WEBNN_OK) status = check_bias(in, sizes.filter_outputs);
  if (status != WEBNN_OK) return status;

  wnn_window_pair(windows, sizes.plane, sizes.kernel, &attrs->padding, &attrs->strides,
                  &attrs->dilations);
  status = wnn_resolve_same(in, &attrs->auto_pad, windows, &attrs->padding);
  if (status == WEBNN_OK)
    status = wnn_check_dim(in, "output height", wnn_window_count(&windows[0], false), &plane[0]);
  if (status == WEBNN_OK)
    status = wnn_check_dim(in, "output width", wnn_window_count(&windows[1], false), &plane[1]);
  if (status != WEBNN_OK) return status;
  return set_output(in, axes, sizes.batch, sizes.filter_outputs, plane);
}

static webnn_status check_transpose_lists(wnn_infer *in, wnn_conv_transpose2d_attrs *attrs) {
  webnn_status status = resolve_lists(in, &attrs->padding, &attrs->strides, &attrs->dilations);
  if (status == WEBNN_OK) status = wnn_check_length(in, "outputPadding", &attrs->output_padding, 2);
  if (status == WEBNN_OK) status = wnn_check_length(in, "outputSizes", &attrs->output_sizes, 2);
  if (status != WEBNN_OK || !attrs->output_padding.given || attrs->output_sizes.given)
    return status;
  for (size_t i = 0; i < 2; i++)
    if (attrs->output_padding.data[i] >= attrs->strides.data[i])
      return wnn_fail(in, WEBNN_ERROR_TYPE,
                      "outputPadding[%zu] is %" PRIu32 ", not below the stride %" PRIu32, i,
                      attrs->output_padding.data[i], attrs->strides.data[i]);
  return WEBNN_OK;
}

static webnn_status check_transpose_channels(wnn_infer *in, const wnn_conv_transpose2d_attrs *attrs,
                                             const conv_sizes *sizes, uint32_t *channels) {
  const char *layout = wnn_input_operand_layouts[attrs->input_layout];
  if (attrs->groups == 0) return wnn_fail(in, WEBNN_ERROR_TYPE, "groups is 0");
  if (sizes->channels != sizes->filter_inputs)
    return wnn_fail(in, WEBNN_ERROR_TYPE,
                    "input has %" PRIu32 " channels, filter expects %" PRIu32
                    " (inputLayout %s, filterLayout %s)",
                    sizes->channels, sizes->filter_inputs, layout,
                    wnn_conv_transpose2d_filter_operand_layouts[attrs->filter_layout]);
  webnn_status status =
      wnn_check_dim(in, "number of output channels (filter's times groups)",
                    (int64_t)((uint64_t)sizes->filter_outputs * attrs->groups), channels);
  if (status != WEBNN_OK || sizes->channels % attrs->groups == 0) return status;
  return wnn_fail(in, WEBNN_ERROR_TYPE, /* the text forgets this one */
                  "input has %" PRIu32 " channels, not a multiple of groups %" PRIu32
                  " (inputLayout %s)",
                  sizes->channels, attrs->groups, layout);
}

/* What the input spreads over, padding included. Unsigned: two products below 2^63 are added. */
static uint64_t spread(const wnn_window *window) {
  return (uint64_t)(window->input - 1) * window->stride + (uint64_t)wnn_window_extent(window);
}

/* Extension: the output is input times stride, or outputSizes; padding is what reaches beyond. */
static webnn_status transpose_same(wnn_infer *in, wnn_conv_transpose2d_attrs *attrs,
                                   wnn_window windows[2]) {
  uint64_t total[2];
  if (attrs->auto_pad == WEBNN_AUTO_PAD_EXPLICIT) return WEBNN_OK;
  for (size_t i = 0; i < 2; i++) {
    uint64_t reach = spread(&windows[i]), target = (uint64_t)windows[i].input * windows[i].stride;
    if (attrs->output_sizes.given)
      target = attrs->output_sizes.data[i];
    else if (attrs->output_padding.given)
      reach += attrs->output_padding.data[i];
    total[i] = reach > target ? reach - target : 0;
  }
  return wnn_resolve_auto_pad(in, &attrs->auto_pad, total, windows, &attrs->padding);
}

/* Output size of axis `i` of convTranspose2d; `*added` is what outputPadding amounts to. */
static webnn_status transpose_size(wnn_infer *in, const wnn_conv_transpose2d_attrs *attrs, size_t i,
                                   bool same, const wnn_window *window, uint32_t *out,
                                   uint32_t *added) {
  const char *what = i == 0 ? "output height" : "output width";
  uint64_t reach = spread(window), padding = (uint64_t)window->begin + window->end;
  if (reach > padding && reach - padding > WNN_MAX_DIMENSION)
    return wnn_fail(in, WEBNN_ERROR_TYPE, "%s is %" PRIu64 ", not in 1..%u", what, reach - padding,
                    WNN_MAX_DIMENSION);
  int64_t least = reach >= padding ? (int64_t)(reach - padding) : -(int64_t)(padding - reach);
  int64_t size = least, target = (int64_t)window->input * window->stride;
  if (attrs->output_sizes.given) {
    size = attrs->output_sizes.data[i];
    if (size < least || size >= least + window->stride)
      return wnn_fail(in, WEBNN_ERROR_TYPE,
                      "outputSizes[%zu] is %" PRId64 ", not in %" PRId64 "..%" PRId64, i, size,
                      least, least + window->stride - 1);
  } else if (attrs->output_padding.given) {
    size += attrs->output_padding.data[i];
  } else if (same && size < target) {
    size = target; /* a filter narrower than its stride leaves the end uncovered */
  }
  *added = (uint32_t)(size - least);
  return wnn_check_dim(in, what, size, out);
}

webnn_status wnn_infer_conv_transpose2d(wnn_infer *in) {
  wnn_conv_transpose2d_attrs *attrs = in->attrs;
  const uint8_t *axes = input_axes[attrs->input_layout];
  conv_sizes sizes = read_sizes(in, axes, transpose_filter_axes[attrs->filter_layout]);
  bool same = attrs->auto_pad != WEBNN_AUTO_PAD_EXPLICIT;
  uint32_t channels = 0, plane[2], added[2];
  wnn_window windows[2];

  webnn_status status = check_transpose_lists(in, attrs);
  if (status == WEBNN_OK) status = check_transpose_channels(in, attrs, &sizes, &channels);
  if (status == WEBNN_OK) status = check_bias(in, channels);
  if (status != WEBNN_OK) return status;

  wnn_window_pair(windows, sizes.plane, sizes.kernel, &attrs->padding, &attrs->strides,
                  &attrs->dilations);
  status = transpose_same(in, attrs, windows);
  for (size_t i = 0; i < 2 && status == WEBNN_OK; i++)
    status = transpose_size(in, attrs, i, same, &windows[i], &plane[i], &added[i]);
  if (status == WEBNN_OK) status = wnn_infer_list(in, &attrs->output_padding, added, 2);
  if (status == WEBNN_OK) status = wnn_infer_list(in, &attrs->output_sizes, plane, 2);
  if (status != WEBNN_OK) return status;
  return set_output(in, axes, sizes.batch, channels, plane);
}
