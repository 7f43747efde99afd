/* Average pooling. (Maximum pooling in oneDNN drops NaN, so ours serves.) */
#include "onednn.h"

typedef struct pool {
  dnnl_dims_t window, strides, dilates, padding_l, padding_r;
  wnn_frame input, output;
} pool;

/* True when some window along one axis has no cell inside the input: its average isn't oneDNN's. */
static bool has_empty_window(dnnl_dim_t n_in, dnnl_dim_t n_out, dnnl_dim_t window,
                             dnnl_dim_t stride, dnnl_dim_t dilation, dnnl_dim_t padding) {
  for (dnnl_dim_t i = 0; i < n_out; i++) {
    bool any = false;
    for (dnnl_dim_t k = 0; k < window && !any; k++) {
      dnnl_dim_t at = i * stride - padding + k * dilation;
      any = at >= 0 && at < n_in;
    }
    if (!any) return true;
  }
  return false;
}

/* False when oneDNN would answer differently. */
static bool understand(const wnn_region *region, pool *is) {
  const wnn_pool2d_attrs *attrs = region->anchor->attrs;
  is->input = wnn_frame_image(region->inputs[0].desc, attrs->layout);
  is->output = wnn_frame_image(&region->anchor_desc, attrs->layout);
  for (size_t i = 0; i < 2; i++) {
    const dnnl_dim_t n_in = is->input.dims[2 + i], n_out = is->output.dims[2 + i];
    const dnnl_dim_t dilation = attrs->dilations.data[i], begin = attrs->padding.data[2 * i];
    is->window[i] = attrs->window_dimensions.data[i];
    is->strides[i] = attrs->strides.data[i];
    is->dilates[i] = dilation - 1;
    is->padding_l[i] = begin;
    /* What the last window needs: rounding up reaches beyond the padding that was asked for. */
    dnnl_dim_t end =
        (n_out - 1) * is->strides[i] + (is->window[i] - 1) * dilation + 1 - n_in - begin;
    is->padding_r[i] = end > 0 ? end : 0;
    if (has_empty_window(n_in, n_out, is->window[i], is->strides[i], dilation, begin)) return false;
  }
  return true;
}

static webnn_status plan_average(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  pool is;
  if (region->n_posts != 0 || !understand(region, &is)) return WEBNN_ERROR_NOT_SUPPORTED;
  wnn_chain chain;
  if (!wnn_chain_begin(&chain, device, region)) return WEBNN_ERROR_UNKNOWN;
  const_dnnl_memory_desc_t src = wnn_frame_desc(&chain, &is.input, &region->inputs[0], 4);
  const_dnnl_memory_desc_t dst = wnn_frame_desc(&chain, &is.output, &region->outputs[0], 4);
  dnnl_primitive_attr_t attr = wnn_chain_attr(&chain);
  dnnl_primitive_desc_t pd = NULL;
  if (chain.status == WEBNN_OK) {
    dnnl_status_t status = dnnl_pooling_forward_primitive_desc_create(
        &pd, device->engine, dnnl_forward_inference, dnnl_pooling_avg_exclude_padding, src, dst,
        is.strides, is.window, is.dilates, is.padding_l, is.padding_r, attr);
    pd = wnn_chain_created(&chain, status, pd);
  }
  if (pd != NULL) {
    const wnn_chain_arg args[] = {{DNNL_ARG_SRC, wnn_chain_input(&chain, 0, src)},
                                  {DNNL_ARG_DST, wnn_chain_output(&chain, dst)}};
    wnn_chain_primitive(&chain, pd, 2, args);
  }
  dnnl_primitive_attr_destroy(attr);
  return wnn_chain_finish(&chain, out);
}

const wnn_kernel wnn_onednn_average_pool2d = {"onednn.averagePool2d", plan_average, wnn_chain_run,
                                              wnn_chain_free};
