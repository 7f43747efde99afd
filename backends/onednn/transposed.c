/* Transposed convolutions whose windows don't overlap, with so few output channels that vectors
 * over them would stay half empty: a product that gives every pixel its whole window, then a
 * shuffle of windows into rows. */
#include "onednn.h"

/* Below oneDNN's vectors of eight. */
#define MAX_CHANNELS 7

typedef struct windows {
  uint32_t n, h, w, ic, kh, kw, oc;
  uint8_t filter[4]; /* where the filter has input channels, height, width, output channels */
} windows;

static const uint8_t filter_axes[][4] = {
    [WEBNN_CONV_TRANSPOSE2D_FILTER_OPERAND_LAYOUT_IOHW] = {0, 2, 3, 1},
    [WEBNN_CONV_TRANSPOSE2D_FILTER_OPERAND_LAYOUT_HWOI] = {3, 0, 1, 2},
    [WEBNN_CONV_TRANSPOSE2D_FILTER_OPERAND_LAYOUT_OHWI] = {3, 1, 2, 0},
};

/* False when the region is anything else. */
static bool understand(const wnn_region *region, windows *is) {
  const wnn_conv_transpose2d_attrs *attrs = region->anchor->attrs;
  const wnn_frame input = wnn_frame_image(region->inputs[0].desc, attrs->input_layout);
  const wnn_frame output = wnn_frame_image(&region->anchor_desc, attrs->input_layout);
  const uint32_t *filter_dims = region->inputs[1].desc->dims;
  if (region->inputs[1].constant == NULL || attrs->groups != 1) return false;
  if (!wnn_frame_lies_channels_last(&input, &region->inputs[0]) ||
      !wnn_frame_lies_channels_last(&output, &region->outputs[0]))
    return false;
  *is = (windows){.n = (uint32_t)input.dims[0],
                  .h = (uint32_t)input.dims[2],
                  .w = (uint32_t)input.dims[3],
                  .ic = (uint32_t)input.dims[1],
                  .oc = (uint32_t)output.dims[1]};
  for (size_t i = 0; i < 4; i++) is->filter[i] = filter_axes[attrs->filter_layout][i];
  is->kh = filter_dims[is->filter[1]];
  is->kw = filter_dims[is->filter[2]];
  return is->oc <= MAX_CHANNELS && attrs->strides.data[0] == is->kh &&
         attrs->strides.data[1] == is->kw && output.dims[2] == (dnnl_dim_t)is->h * is->kh &&
         output.dims[3] == (dnnl_dim_t)is->w * is->kw && attrs->padding.data[0] == 0 &&
         attrs->padding.data[2] == 0 && attrs->dilations.data[0] == 1 &&
         attrs->dilations.data[1] == 1;
}

/* The filter as a matrix: a row for each input channel, in it the window row by row. */
static int filter_memory(wnn_chain *chain, const windows *is, const_dnnl_memory_desc_t desc) {
  const wnn_port *port = &chain->region->inputs[1];
  const dnnl_dims_t all = {(dnnl_dim_t)wnn_desc_count(port->desc)};
  size_t strides[WNN_MAX_RANK];
  void *bytes = NULL;
  int plain = wnn_chain_input(chain, 1, wnn_chain_dense(chain, 1, all));
  int index = wnn_chain_buffer(chain, desc, &bytes);
  if (plain < 0 || index < 0) return -1;
  const float *from = chain->memories[plain].constant;
  float *to = bytes;
  wnn_shape_strides(port->desc, strides);
  for (uint32_t i = 0; i < is->ic; i++)
    for (uint32_t y = 0; y < is->kh; y++)
      for (uint32_t x = 0; x < is->kw; x++)
        for (uint32_t o = 0; o < is->oc; o++)
          *to++ = from[i * strides[is->filter[0]] + y * strides[is->filter[1]] +
                       x * strides[is->filter[2]] + o * strides[is->filter[3]]];
  return index;
}

/* The bias, once for each place of the window; -1 when there is none. */
static int bias_memory(wnn_chain *chain, const windows *is, const_dnnl_memory_desc_t desc) {
  const dnnl_dims_t one = {is->oc};
  void *bytes = NULL;
  int given = wnn_chain_input(chain, 2, wnn_chain_dense(chain, 1, one));
  int index = wnn_chain_buffer(chain, desc, &bytes);
  if (given < 0 || index < 0) return -1;
  const float *from = chain->memories[given].constant;
  float *to = bytes;
  for (uint32_t i = 0; i < is->kh * is->kw * is->oc; i++) to[i] = from[i % is->oc];
  return index;
}

/* Every pixel times the filter: `y` has a row for each pixel with its whole window. */
static void add_product(wnn_chain *chain, const windows *is, bool has_bias, int y,
                        const_dnnl_memory_desc_t y_desc) {
  const dnnl_dim_t pixels = (dnnl_dim_t)is->n * is->h * is->w,
                   window = (dnnl_dim_t)is->kh * is->kw * is->oc;
  const dnnl_dims_t x_dims = {pixels, is->ic}, filter_dims = {is->ic, window},
                    bias_dims = {1, window};
  const_dnnl_memory_desc_t x = wnn_chain_dense(chain, 2, x_dims),
                           bias = wnn_chain_dense(chain, 2, bias_dims);
  const_dnnl_memory_desc_t any = wnn_chain_any(chain, 2, filter_dims);
  dnnl_primitive_attr_t attr = wnn_chain_attr(chain);
  dnnl_primitive_desc_t pd = NULL;
  if (chain->status == WEBNN_OK) {
    dnnl_status_t status = dnnl_matmul_primitive_desc_create(&pd, chain->device->engine, x, any,
                                                             has_bias ? bias : NULL, y_desc, attr);
    pd = wnn_chain_created(chain, status, pd);
  }
  dnnl_primitive_attr_destroy(attr);
  if (pd == NULL) return;
  int filter = filter_memory(chain, is, wnn_chain_dense(chain, 2, filter_dims));
  wnn_chain_arg args[4] = {{DNNL_ARG_SRC, wnn_chain_input(chain, 0, x)}, {DNNL_ARG_DST, y}};
  args[2] = (wnn_chain_arg){DNNL_ARG_WEIGHTS,
                            wnn_chain_as(chain, filter, wnn_pd_wants(pd, DNNL_ARG_WEIGHTS))};
  if (has_bias) args[3] = (wnn_chain_arg){DNNL_ARG_BIAS, bias_memory(chain, is, bias)};
  wnn_chain_primitive(chain, pd, has_bias ? 4 : 3, args);
}

bool wnn_transposed_takes_posts(const wnn_region *region) {
  const wnn_conv_transpose2d_attrs *attrs = region->anchor->attrs;
  const wnn_frame output = wnn_frame_image(&region->anchor_desc, attrs->input_layout);
  return attrs->groups == 1 && attrs->dilations.data[0] == 1 && attrs->dilations.data[1] == 1 &&
         output.dims[1] > MAX_CHANNELS;
}

static webnn_status plan_windows(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  windows is;
  const bool has_bias = region->anchor->n_inputs > 2 && region->inputs[2].desc != NULL;
  if (region->n_posts != 0 || !understand(region, &is) ||
      (has_bias && region->inputs[2].constant == NULL))
    return WEBNN_ERROR_NOT_SUPPORTED;
  wnn_chain chain;
  if (!wnn_chain_begin(&chain, device, region)) return WEBNN_ERROR_UNKNOWN;
  const dnnl_dim_t row = (dnnl_dim_t)is.kw * is.oc, window = is.kh * row, w = is.w;
  const dnnl_dims_t y_dims = {(dnnl_dim_t)is.n * is.h * w, window};
  const_dnnl_memory_desc_t y_desc = wnn_chain_dense(&chain, 2, y_dims);
  int y = wnn_chain_scratch(&chain, y_desc);
  add_product(&chain, &is, has_bias, y, y_desc);

  /* Rows of windows stand pixel by pixel; in the image they stand one below the other. */
  const dnnl_dims_t dims = {(dnnl_dim_t)is.n * is.h, w, is.kh, row};
  const dnnl_dims_t from = {w * window, window, row, 1}, to = {w * window, row, w * row, 1};
  int windows_memory = wnn_chain_alias(&chain, y, wnn_chain_strided(&chain, 4, dims, from));
  wnn_chain_reorder(&chain, windows_memory,
                    wnn_chain_output(&chain, wnn_chain_strided(&chain, 4, dims, to)));
  return wnn_chain_finish(&chain, out);
}

const wnn_kernel wnn_onednn_conv_transpose2d_windows = {
    "onednn.convTranspose2d.windows", plan_windows, wnn_chain_run, wnn_chain_free};
