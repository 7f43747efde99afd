/* averagePool2d, l2Pool2d, maxPool2d: fields, checks, output shapes. */
#include "op/families.h"
#include "op/infer.h"

#include <inttypes.h>

static const wnn_field pool2d_fields[] = {
    WNN_OPERAND("input", "input", NULL, WNN_NO_FIELD, WNN_RANK(4),
                "Input [batch, channels, height, width], in the order of layout."),
    WNN_OPTION(UINTS, "window_dimensions", "windowDimensions", wnn_pool2d_attrs, window_dimensions,
               "Window [height, width]; the input's whole plane by default."),
    WNN_OPTION(UINTS, "padding", "padding", wnn_pool2d_attrs, padding,
               "Padding [top, bottom, left, right]; none by default."),
    WNN_OPTION(UINTS, "strides", "strides", wnn_pool2d_attrs, strides,
               "Strides [height, width]; [1, 1] by default."),
    WNN_OPTION(UINTS, "dilations", "dilations", wnn_pool2d_attrs, dilations,
               "Dilations [height, width]; [1, 1] by default."),
    WNN_OPTION_ENUM("layout", "layout", wnn_pool2d_attrs, layout, wnn_input_operand_layouts,
                    "'nchw'", "Order of the axes of input and output."),
    WNN_OPTION_ENUM("output_shape_rounding", "outputShapeRounding", wnn_pool2d_attrs,
                    output_shape_rounding, wnn_rounding_types, "'floor'",
                    "Whether a last window that doesn't fit is dropped (floor) or kept (ceil)."),
    WNN_OPTION(
        UINTS, "output_sizes", "outputSizes", wnn_pool2d_attrs, output_sizes,
        "Output sizes [height, width], those of floor or those of ceil, instead of the rounding."),
    WNN_AUTO_PAD(wnn_pool2d_attrs),
    WNN_LABEL,
};
static const wnn_field pool2d_outputs[] = {WNN_OUTPUT("output", "output", NULL, WNN_RANK(4))};

const wnn_signature wnn_signature_pool2d = {
    .name = "pool2d",
    .fields = pool2d_fields,
    .n_fields = WNN_COUNT(pool2d_fields),
    .n_operands = 1,
    .n_outputs = 1,
    .outputs = pool2d_outputs,
    .attrs_bytes = sizeof(wnn_pool2d_attrs),
};

static webnn_status resolve_lists(wnn_infer *in, wnn_pool2d_attrs *attrs, const uint32_t plane[2]) {
  webnn_status status = wnn_check_length(in, "windowDimensions", &attrs->window_dimensions, 2);
  if (status == WEBNN_OK)
    status = wnn_check_positive(in, "windowDimensions", &attrs->window_dimensions);
  if (status == WEBNN_OK) status = wnn_check_length(in, "padding", &attrs->padding, 4);
  if (status == WEBNN_OK) status = wnn_check_length(in, "strides", &attrs->strides, 2);
  if (status == WEBNN_OK) status = wnn_check_positive(in, "strides", &attrs->strides);
  if (status == WEBNN_OK) status = wnn_check_length(in, "outputSizes", &attrs->output_sizes, 2);
  if (status == WEBNN_OK) status = wnn_check_length(in, "dilations", &attrs->dilations, 2);
  if (status == WEBNN_OK) status = wnn_check_positive(in, "dilations", &attrs->dilations);
  if (status == WEBNN_OK) status = wnn_resolve_list(in, &attrs->window_dimensions, plane, 2);
  if (status == WEBNN_OK) status = wnn_resolve_fill(in, &attrs->padding, 0, 4);
  if (status == WEBNN_OK) status = wnn_resolve_fill(in, &attrs->strides, 1, 2);
  if (status == WEBNN_OK) status = wnn_resolve_fill(in, &attrs->dilations, 1, 2);
  return status;
}

/* The sizes by rounding, or outputSizes, which must be all floor or all ceil. The text compares
 * them with the strides too and drops the padding: a slip, which nobody follows. */
static webnn_status output_plane(wnn_infer *in, const wnn_pool2d_attrs *attrs,
                                 const wnn_window windows[2], int64_t plane[2]) {
  int64_t low[2], high[2];
  for (size_t i = 0; i < 2; i++) {
    low[i] = wnn_window_count(&windows[i], false);
    high[i] = wnn_window_count(&windows[i], true);
    plane[i] = attrs->output_shape_rounding == WEBNN_ROUNDING_TYPE_CEIL ? high[i] : low[i];
  }
  if (!attrs->output_sizes.given) return WEBNN_OK;
  for (size_t i = 0; i < 2; i++) plane[i] = attrs->output_sizes.data[i];
  if ((plane[0] == low[0] && plane[1] == low[1]) || (plane[0] == high[0] && plane[1] == high[1]))
    return WEBNN_OK;
  return wnn_fail(in, WEBNN_ERROR_TYPE,
                  "outputSizes is [%" PRId64 ",%" PRId64 "], neither [%" PRId64 ",%" PRId64
                  "] (floor) nor [%" PRId64 ",%" PRId64 "] (ceil)",
                  plane[0], plane[1], low[0], low[1], high[0], high[1]);
}

webnn_status wnn_infer_pool2d(wnn_infer *in) {
  wnn_pool2d_attrs *attrs = in->attrs;
  wnn_desc desc = *in->inputs[0];
  uint32_t height = attrs->layout == WEBNN_INPUT_OPERAND_LAYOUT_NHWC ? 1 : 2,
           *plane = desc.dims + height;
  wnn_window windows[2];
  int64_t sizes[2];

  webnn_status status = resolve_lists(in, attrs, plane);
  if (status != WEBNN_OK) return status;
  wnn_window_pair(windows, plane, attrs->window_dimensions.data, &attrs->padding, &attrs->strides,
                  &attrs->dilations);
  status = wnn_resolve_same(in, &attrs->auto_pad, windows, &attrs->padding);
  if (status == WEBNN_OK) status = output_plane(in, attrs, windows, sizes);
  if (status == WEBNN_OK) status = wnn_check_dim(in, "output height", sizes[0], &plane[0]);
  if (status == WEBNN_OK) status = wnn_check_dim(in, "output width", sizes[1], &plane[1]);
  if (status == WEBNN_OK) status = wnn_infer_list(in, &attrs->output_sizes, plane, 2);
  return status == WEBNN_OK ? wnn_output_like(in, &desc) : status;
}
