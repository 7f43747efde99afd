#include "kernels/conv2d.h"

#include "kernels/vector.h"

extern const wnn_conv_rows wnn_conv_rows_generic;
#ifdef __x86_64__
extern const wnn_conv_rows wnn_conv_rows_avx2, wnn_conv_rows_avx512;
#endif

const wnn_conv_rows *wnn_conv_rows_for(const wnn_host *host) {
#ifdef __x86_64__
  switch (wnn_isa_for(host)) {
    case WNN_ISA_AVX512: return &wnn_conv_rows_avx512;
    case WNN_ISA_AVX2: return &wnn_conv_rows_avx2;
    default: break;
  }
#else
  (void)host;
#endif
  return &wnn_conv_rows_generic;
}

/* By filter layout: the axes of output channels, input channels, height, width. */
static const uint8_t filter_axes[][4] = {
    [WEBNN_CONV2D_FILTER_OPERAND_LAYOUT_OIHW] = {0, 1, 2, 3},
    [WEBNN_CONV2D_FILTER_OPERAND_LAYOUT_HWIO] = {3, 2, 0, 1},
    [WEBNN_CONV2D_FILTER_OPERAND_LAYOUT_OHWI] = {0, 3, 1, 2},
    [WEBNN_CONV2D_FILTER_OPERAND_LAYOUT_IHWO] = {3, 0, 1, 2},
};

bool wnn_lies_channels_last(const wnn_port *port, bool nchw) {
  const wnn_layout last = nchw ? wnn_layout_channels_last() : wnn_layout_plain(4);
  return wnn_layout_same_bytes(&port->layout, &last, port->desc);
}

bool wnn_conv2d_read_shape(const wnn_region *region, wnn_conv2d_shape *shape) {
  const wnn_conv2d_attrs *attrs = region->anchor->attrs;
  const wnn_port *in = &region->inputs[0], *filter = &region->inputs[1], *out = &region->outputs[0];
  const bool nchw = attrs->input_layout == WEBNN_INPUT_OPERAND_LAYOUT_NCHW;
  const uint32_t channel = nchw ? 1 : 3, height = nchw ? 2 : 1;
  const uint8_t *axes = filter_axes[attrs->filter_layout];
  size_t strides[WNN_MAX_RANK];
  if (filter->constant == NULL) return false;
  if (!wnn_lies_channels_last(in, nchw) || !wnn_lies_channels_last(out, nchw)) return false;
  wnn_layout_strides(&filter->layout, filter->desc, strides);
  *shape = (wnn_conv2d_shape){.images = in->desc->dims[0],
                              .groups = attrs->groups,
                              .in_channels = in->desc->dims[channel],
                              .out_channels = region->anchor_desc.dims[channel],
                              .channel_axis = channel};
  for (uint32_t i = 0; i < 4; i++) shape->filter_strides[i] = strides[axes[i]];
  for (uint32_t i = 0; i < 2; i++) {
    shape->in[i] = in->desc->dims[height + i];
    shape->out[i] = region->anchor_desc.dims[height + i];
    shape->window[i] = filter->desc->dims[axes[2 + i]];
    shape->strides[i] = attrs->strides.data[i];
    shape->dilations[i] = attrs->dilations.data[i];
    shape->before[i] = attrs->padding.data[2 * i];
  }
  return true;
}

bool wnn_conv2d_read(const wnn_region *region, wnn_conv2d_shape *shape) {
  if (region->inputs[0].desc->type != WEBNN_DATA_TYPE_FLOAT32 || !wnn_conv2d_read_shape(region, shape)) return false;
  shape->filter = region->inputs[1].constant;
  return true;
}
