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

bool wnn_frame_lies_channels_last(const wnn_frame *frame, const wnn_port *port) {
  const wnn_layout last = wnn_frame_channels_last(frame);
  return port->desc->rank == 4 && wnn_layout_same_bytes(&port->layout, &last, port->desc);
}

wnn_layout wnn_frame_channels_last(const wnn_frame *frame) {
  const uint8_t *axes = frame->axes;
  return (wnn_layout){.rank = 4, .order = {axes[0], axes[2], axes[3], axes[1]}, .block = 1};
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
  /* With one channel or one pixel several layouts are the same bytes: the one that oneDNN has fast
   * convolutions for is named, lest it takes them for another. */
  const bool last = frame->n == 4 && wnn_frame_lies_channels_last(frame, port);
  const wnn_layout layout = last ? wnn_frame_channels_last(frame) : port->layout;
  size_t port_strides[WNN_MAX_RANK];
  dnnl_dims_t dims, strides;
  wnn_layout_strides(&layout, port->desc, port_strides);
  for (uint32_t i = 0; i < frame->n; i++) {
    uint32_t missing = rank - port->desc->rank; /* shapes broadcast from the right */
    bool has = frame->axes[i] >= missing;
    dims[i] = has ? port->desc->dims[frame->axes[i] - missing] : 1;
    strides[i] = has ? (dnnl_dim_t)port_strides[frame->axes[i] - missing] : 1;
  }
  return wnn_chain_strided(chain, frame->n, dims, strides);
}
