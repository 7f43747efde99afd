/* How shapes and layouts of ports are told to oneDNN. */
#include "onednn.h"

wnn_frame wnn_frame_image(const wnn_desc *desc, webnn_input_operand_layout layout) {
  wnn_frame frame = {.n = 4, .axes = {0, 1, 2, 3}, .channel = 1};
  if (layout == WEBNN_INPUT_OPERAND_LAYOUT_NHWC) {
    frame.axes[1] = 3;
    frame.axes[2] = 1;
    frame.axes[3] = 2;
  }
  for (uint32_t i = 0; i < 4; i++) frame.dims[i] = desc->dims[frame.axes[i]];
  return frame;
}

static const_dnnl_memory_desc_t refuse(wnn_chain *chain) {
  if (chain->status == WEBNN_OK) chain->status = WEBNN_ERROR_NOT_SUPPORTED;
  return NULL;
}

/* Blocked layouts exist for images, with blocks of channels, as oneDNN's own. */
static const_dnnl_memory_desc_t blocked_desc(wnn_chain *chain, const wnn_frame *frame,
                                             const wnn_port *port) {
  const wnn_layout *layout = &port->layout;
  if (frame->collapsed || frame->n != 4 || layout->rank != 4) return refuse(chain);
  if (layout->block_axis != frame->axes[1] || (layout->block != 8 && layout->block != 16))
    return refuse(chain);
  for (uint32_t i = 0; i < 4; i++)
    if (layout->order[i] != frame->axes[i]) return refuse(chain);
  dnnl_memory_desc_t desc = NULL;
  dnnl_format_tag_t tag = layout->block == 8 ? dnnl_nChw8c : dnnl_nChw16c;
  dnnl_status_t status = dnnl_memory_desc_create_with_tag(&desc, 4, frame->dims, dnnl_f32, tag);
  return wnn_chain_keep(chain, status, desc);
}

const_dnnl_memory_desc_t wnn_frame_desc(wnn_chain *chain, const wnn_frame *frame,
                                        const wnn_port *port, uint32_t rank) {
  if (chain->status != WEBNN_OK) return NULL;
  if (wnn_layout_is_blocked(&port->layout)) return blocked_desc(chain, frame, port);
  if (frame->collapsed) {
    if (!wnn_layout_is_plain(&port->layout, port->desc)) return refuse(chain);
    return wnn_chain_dense(chain, frame->n, frame->dims);
  }
  size_t port_strides[WNN_MAX_RANK];
  dnnl_dims_t dims, strides;
  wnn_layout_strides(&port->layout, port->desc, port_strides);
  for (uint32_t i = 0; i < frame->n; i++) {
    uint32_t missing = rank - port->desc->rank; /* shapes broadcast from the right */
    bool has = frame->axes[i] >= missing;
    dims[i] = has ? port->desc->dims[frame->axes[i] - missing] : 1;
    strides[i] = has ? (dnnl_dim_t)port_strides[frame->axes[i] - missing] : 1;
  }
  return wnn_chain_strided(chain, frame->n, dims, strides);
}
