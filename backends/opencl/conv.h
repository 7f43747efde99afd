/* Convolutions as kernels see them. */
#ifndef WNN_OPENCL_CONV_H
#define WNN_OPENCL_CONV_H

#include "tile.h"

/* Which axis of the filter is what. */
typedef struct wnn_cl_filter_axes {
  uint8_t out, in, height, width;
} wnn_cl_filter_axes;

/* One of the two operations, seen the same way. */
typedef struct wnn_cl_convolution {
  uint32_t c, h, w; /* axes of images */
  wnn_cl_filter_axes f;
  uint32_t groups;
  const uint32_t *padding, *strides, *dilations;
  bool transposed;
} wnn_cl_convolution;

wnn_cl_convolution wnn_cl_convolution_of(const wnn_region *region);
/* Nothing that the windows see lies outside the input. */
bool wnn_cl_conv_is_inside(const wnn_region *region, const wnn_cl_convolution *v);

/* The filter as matrices: rows in the order height, width, input channel; columns output channels.
 */
typedef struct wnn_cl_filter_view {
  const wnn_cl_convolution *v;
  const wnn_desc *desc;
  size_t strides[WNN_MAX_RANK], n_in, n_out, width;
  size_t of_group; /* from one group's filters to the next one's */
} wnn_cl_filter_view;

wnn_cl_filter_view wnn_cl_filter_of(const wnn_region *region, const wnn_cl_convolution *v);
/* Where (k, column) of the matrix of a group lies: see wnn_cl_tile_pack. */
const char *wnn_cl_filter_place(wnn_cl_gen *g, const void *arg, const char *group, const char *k,
                                const char *column);
size_t wnn_cl_filter_offset(const void *arg, size_t group, size_t k, size_t column);

#endif
