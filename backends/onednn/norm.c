/* Layer normalization over the innermost axes. */
#include "onednn.h"

/* How many innermost axes are normalized, in order; 0 when it is any other set. */
static uint32_t trailing_axes(const wnn_uints *axes, uint32_t rank) {
  for (size_t i = 0; i < axes->n; i++)
    if (axes->data[i] != rank - axes->n + i) return 0;
  return (uint32_t)axes->n;
}

static bool present(const wnn_region *region, size_t port) {
  return port < region->anchor->n_inputs && region->inputs[port].desc != NULL;
}

static bool all_plain(const wnn_region *region) {
  const wnn_port *output = &region->outputs[0];
  for (size_t i = 0; i < region->anchor->n_inputs; i++) {
    const wnn_port *port = &region->inputs[i];
    if (port->desc == NULL) continue;
    if (wnn_layout_is_blocked(&port->layout) || !wnn_layout_is_plain(&port->layout, port->desc))
      return false;
  }
  return !wnn_layout_is_blocked(&output->layout) &&
         wnn_layout_is_plain(&output->layout, output->desc);
}

static webnn_status plan_layer(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_layer_normalization_attrs *attrs = region->anchor->attrs;
  const wnn_desc *desc = &region->anchor_desc;
  const uint32_t n_axes = trailing_axes(&attrs->axes, desc->rank);
  if (n_axes == 0 || region->n_posts != 0 || !all_plain(region)) return WEBNN_ERROR_NOT_SUPPORTED;
  dnnl_dims_t dims = {1, 1};
  for (uint32_t i = 0; i < desc->rank; i++) dims[i + n_axes >= desc->rank ? 1 : 0] *= desc->dims[i];

  wnn_chain chain;
  if (!wnn_chain_begin(&chain, device, region)) return WEBNN_ERROR_UNKNOWN;
  const_dnnl_memory_desc_t data = wnn_chain_dense(&chain, 2, dims),
                           row = wnn_chain_dense(&chain, 1, &dims[1]);
  unsigned flags =
      (present(region, 1) ? dnnl_use_scale : 0u) | (present(region, 2) ? dnnl_use_shift : 0u);
  dnnl_primitive_attr_t attr = wnn_chain_attr(&chain);
  dnnl_primitive_desc_t pd = NULL;
  if (chain.status == WEBNN_OK) {
    dnnl_status_t status = dnnl_layer_normalization_forward_primitive_desc_create(
        &pd, device->engine, dnnl_forward_inference, data, data, NULL, (float)attrs->epsilon.as.f,
        flags, attr);
    pd = wnn_chain_created(&chain, status, pd);
  }
  if (pd != NULL) {
    wnn_chain_arg args[4] = {{DNNL_ARG_SRC, wnn_chain_input(&chain, 0, data)}};
    size_t n_args = 1;
    if (present(region, 1))
      args[n_args++] = (wnn_chain_arg){DNNL_ARG_SCALE, wnn_chain_input(&chain, 1, row)};
    if (present(region, 2))
      args[n_args++] = (wnn_chain_arg){DNNL_ARG_SHIFT, wnn_chain_input(&chain, 2, row)};
    args[n_args++] = (wnn_chain_arg){DNNL_ARG_DST, wnn_chain_output(&chain, data)};
    wnn_chain_primitive(&chain, pd, n_args, args);
  }
  dnnl_primitive_attr_destroy(attr);
  return wnn_chain_finish(&chain, out);
}

const wnn_kernel wnn_onednn_layer_normalization = {"onednn.layerNormalization", plan_layer,
                                                   wnn_chain_run, wnn_chain_free};
