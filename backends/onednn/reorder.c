/* Copies between memory layouts. */
#include "onednn.h"

/* A type of oneDNN that moves these bytes unchanged; undef when there is none. */
static dnnl_data_type_t carrier(webnn_data_type type) {
  switch (webnn_data_type_bytes(type)) {
    case 4: return dnnl_f32;
    case 1: return dnnl_u8;
    default: return dnnl_data_type_undef;
  }
}

static const_dnnl_memory_desc_t port_desc(wnn_chain *chain, const wnn_port *port) {
  const dnnl_data_type_t type = carrier(port->desc->type);
  const uint32_t rank = port->desc->rank;
  dnnl_memory_desc_t desc = NULL;
  dnnl_dims_t dims = {0}, strides = {0};
  size_t port_strides[WNN_MAX_RANK] = {0};
  for (uint32_t i = 0; i < rank; i++) dims[i] = port->desc->dims[i];
  if (wnn_layout_is_blocked(&port->layout)) {
    const wnn_layout oneDNN = wnn_layout_blocked(port->layout.block);
    if (!wnn_layout_equal(&port->layout, &oneDNN) ||
        (port->layout.block != 8 && port->layout.block != 16))
      return wnn_chain_keep(chain, dnnl_unimplemented, NULL);
    dnnl_format_tag_t tag = port->layout.block == 8 ? dnnl_nChw8c : dnnl_nChw16c;
    dnnl_status_t status = dnnl_memory_desc_create_with_tag(&desc, (int)rank, dims, type, tag);
    return wnn_chain_keep(chain, status, desc);
  }
  wnn_layout_strides(&port->layout, port->desc, port_strides);
  for (uint32_t i = 0; i < rank; i++) strides[i] = (dnnl_dim_t)port_strides[i];
  dnnl_status_t status =
      dnnl_memory_desc_create_with_strides(&desc, (int)rank, dims, type, strides);
  return wnn_chain_keep(chain, status, desc);
}

static webnn_status plan_reorder(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_port *from = &region->inputs[0], *to = &region->outputs[0];
  if (region->n_posts != 0 || from->desc->rank == 0 ||
      carrier(from->desc->type) == dnnl_data_type_undef)
    return WEBNN_ERROR_NOT_SUPPORTED;
  wnn_chain chain;
  if (!wnn_chain_begin(&chain, device, region)) return WEBNN_ERROR_UNKNOWN;
  int input = wnn_chain_input(&chain, 0, port_desc(&chain, from));
  int output = wnn_chain_output(&chain, port_desc(&chain, to));
  wnn_chain_reorder(&chain, input, output);
  return wnn_chain_finish(&chain, out);
}

const wnn_kernel wnn_onednn_reorder = {"onednn.reorder", plan_reorder, wnn_chain_run,
                                       wnn_chain_free};
