/* Convolutions as our own kernels see them: channels last on both sides, a constant filter. */
#ifndef WNN_ONEDNN_CONV2D_H
#define WNN_ONEDNN_CONV2D_H

#include "kernels/conv_rows.h"
#include "lower/region.h"

typedef struct wnn_conv2d_shape {
  size_t images, groups;
  size_t in_channels, out_channels;
  size_t in[2], out[2], window[2], strides[2], dilations[2], before[2]; /* height, width; `before`: padding */
  const float *filter;      /* of float32 */
  size_t filter_strides[4]; /* output channel, input channel of its group, height, width */
  uint32_t channel_axis;    /* of the result */
} wnn_conv2d_shape;

/* Whether images lie so that are [n, c, h, w], or else [n, h, w, c]. */
bool wnn_lies_channels_last(const wnn_port *port, bool nchw);
/* False for a region that isn't so, or not of float32. */
bool wnn_conv2d_read(const wnn_region *region, wnn_conv2d_shape *shape);
/* Any types; no filter. */
bool wnn_conv2d_read_shape(const wnn_region *region, wnn_conv2d_shape *shape);

static inline float wnn_conv2d_weight(const wnn_conv2d_shape *shape, size_t out, size_t in, size_t y, size_t x) {
  const size_t *strides = shape->filter_strides;
  return shape->filter[out * strides[0] + in * strides[1] + y * strides[2] + x * strides[3]];
}

#endif
