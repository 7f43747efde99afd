/* Moves elements of any type as they are: joins, cuts, permutes, repeats, pads. */
#include "reference.h"

/* Where an output's elements come from: `base` plus the coordinates times `strides`. */
typedef struct walk {
  ptrdiff_t base;
  ptrdiff_t strides[WNN_MAX_RANK];
} walk;

static size_t element_bytes(const wnn_desc *desc) { return webnn_data_type_bytes(desc->type); }

static void copy_by(const walk *from, const wnn_ref_input *input, const wnn_ref_output *output) {
  uint32_t at[WNN_MAX_RANK] = {0};
  size_t i = 0;
  do {
    ptrdiff_t j = from->base;
    for (uint32_t d = 0; d < output->desc->rank; d++) j += from->strides[d] * (ptrdiff_t)at[d];
    wnn_ref_copy(output->data, i++, input->data, (size_t)j, element_bytes(output->desc));
  } while (wnn_ref_next(output->desc, at));
}

static webnn_status copy_whole(const wnn_node_view *node) {
  memcpy(node->outputs[0].data, node->inputs[0].data, wnn_desc_bytes(node->outputs[0].desc));
  return WEBNN_OK;
}

static webnn_status expand(const wnn_node_view *node) {
  size_t strides[WNN_MAX_RANK];
  walk from = {0};
  wnn_broadcast_strides(node->inputs[0].desc, node->outputs[0].desc, strides);
  for (uint32_t d = 0; d < node->outputs[0].desc->rank; d++)
    from.strides[d] = (ptrdiff_t)strides[d];
  copy_by(&from, &node->inputs[0], &node->outputs[0]);
  return WEBNN_OK;
}

static webnn_status transpose(const wnn_node_view *node) {
  const wnn_transpose_attrs *attrs = node->attrs;
  size_t strides[WNN_MAX_RANK];
  walk from = {0};
  wnn_shape_strides(node->inputs[0].desc, strides);
  for (uint32_t d = 0; d < node->outputs[0].desc->rank; d++)
    from.strides[d] = (ptrdiff_t)strides[attrs->permutation.data[d]];
  copy_by(&from, &node->inputs[0], &node->outputs[0]);
  return WEBNN_OK;
}

static webnn_status reverse(const wnn_node_view *node) {
  const wnn_axes_attrs *attrs = node->attrs;
  const wnn_desc *desc = node->inputs[0].desc;
  size_t strides[WNN_MAX_RANK];
  walk from = {0};
  wnn_shape_strides(desc, strides);
  for (uint32_t d = 0; d < desc->rank; d++) from.strides[d] = (ptrdiff_t)strides[d];
  for (size_t i = 0; i < attrs->axes.n; i++) {
    uint32_t axis = attrs->axes.data[i];
    from.base += (ptrdiff_t)(strides[axis] * (desc->dims[axis] - 1));
    from.strides[axis] = -(ptrdiff_t)strides[axis];
  }
  copy_by(&from, &node->inputs[0], &node->outputs[0]);
  return WEBNN_OK;
}

static webnn_status slice(const wnn_node_view *node) {
  const wnn_slice_attrs *attrs = node->attrs;
  size_t strides[WNN_MAX_RANK];
  walk from = {0};
  wnn_shape_strides(node->inputs[0].desc, strides);
  for (uint32_t d = 0; d < node->inputs[0].desc->rank; d++) {
    from.base += (ptrdiff_t)(strides[d] * attrs->starts.data[d]);
    /* A stride that leaves one element may be huge: it isn't used then. */
    if (node->outputs[0].desc->dims[d] > 1)
      from.strides[d] = (ptrdiff_t)(strides[d] * attrs->strides.data[d]);
  }
  copy_by(&from, &node->inputs[0], &node->outputs[0]);
  return WEBNN_OK;
}

static webnn_status split(const wnn_node_view *node) {
  const wnn_split_attrs *attrs = node->attrs;
  size_t strides[WNN_MAX_RANK];
  walk from = {0};
  wnn_shape_strides(node->inputs[0].desc, strides);
  for (uint32_t d = 0; d < node->inputs[0].desc->rank; d++) from.strides[d] = (ptrdiff_t)strides[d];
  for (size_t k = 0; k < node->n_outputs; k++) {
    copy_by(&from, &node->inputs[0], &node->outputs[k]);
    from.base += (ptrdiff_t)(strides[attrs->axis] * node->outputs[k].desc->dims[attrs->axis]);
  }
  return WEBNN_OK;
}

static webnn_status concat(const wnn_node_view *node) {
  const wnn_axis_attrs *attrs = node->attrs;
  const wnn_ref_output *output = &node->outputs[0];
  size_t strides[WNN_MAX_RANK], base = 0;
  wnn_shape_strides(output->desc, strides);
  for (size_t k = 0; k < node->n_inputs; k++) {
    const wnn_ref_input *input = &node->inputs[k];
    uint32_t at[WNN_MAX_RANK] = {0};
    size_t i = 0;
    do {
      size_t j = base + wnn_ref_offset(output->desc->rank, strides, at);
      wnn_ref_copy(output->data, j, input->data, i++, element_bytes(output->desc));
    } while (wnn_ref_next(input->desc, at));
    base += strides[attrs->axis] * input->desc->dims[attrs->axis];
  }
  return WEBNN_OK;
}

static webnn_status tile(const wnn_node_view *node) {
  const wnn_ref_input *input = &node->inputs[0];
  const wnn_ref_output *output = &node->outputs[0];
  size_t strides[WNN_MAX_RANK], i = 0;
  uint32_t at[WNN_MAX_RANK] = {0};
  wnn_shape_strides(input->desc, strides);
  do {
    size_t j = 0;
    for (uint32_t d = 0; d < output->desc->rank; d++)
      j += strides[d] * (at[d] % input->desc->dims[d]);
    wnn_ref_copy(output->data, i++, input->data, j, element_bytes(output->desc));
  } while (wnn_ref_next(output->desc, at));
  return WEBNN_OK;
}

/* The place inside 0..n-1 that a place before or behind it shows, -1 for the constant. The builder
 * has seen to it that one mirroring is enough. */
static int64_t padded_from(int64_t at, int64_t n, webnn_padding_mode mode) {
  if (at >= 0 && at < n) return at;
  switch (mode) {
    case WEBNN_PADDING_MODE_EDGE: return at < 0 ? 0 : n - 1;
    case WEBNN_PADDING_MODE_REFLECTION: return at < 0 ? -at : 2 * (n - 1) - at;
    case WEBNN_PADDING_MODE_SYMMETRIC: return at < 0 ? -at - 1 : 2 * n - 1 - at;
    default: return -1;
  }
}

static webnn_status pad(const wnn_node_view *node) {
  const wnn_pad_attrs *attrs = node->attrs;
  const wnn_ref_input *input = &node->inputs[0];
  const wnn_ref_output *output = &node->outputs[0];
  size_t strides[WNN_MAX_RANK], i = 0;
  uint32_t at[WNN_MAX_RANK] = {0};
  uint64_t value = 0;
  wnn_store_number(&value, attrs->value, output->desc->type);
  wnn_shape_strides(input->desc, strides);
  do {
    bool inside = true;
    size_t j = 0;
    for (uint32_t d = 0; d < output->desc->rank; d++) {
      int64_t place = padded_from((int64_t)at[d] - attrs->beginning_padding.data[d],
                                  input->desc->dims[d], attrs->mode);
      inside = inside && place >= 0;
      if (inside) j += strides[d] * (size_t)place;
    }
    wnn_ref_copy(output->data, i++, inside ? input->data : &value, inside ? j : 0,
                 element_bytes(output->desc));
  } while (wnn_ref_next(output->desc, at));
  return WEBNN_OK;
}

static webnn_status triangular(const wnn_node_view *node) {
  const wnn_triangular_attrs *attrs = node->attrs;
  const wnn_desc *desc = node->outputs[0].desc;
  uint32_t at[WNN_MAX_RANK] = {0};
  uint64_t zero = 0;
  size_t i = 0;
  do {
    int64_t distance = (int64_t)at[desc->rank - 1] - (int64_t)at[desc->rank - 2];
    bool kept = attrs->upper ? distance >= attrs->diagonal : distance <= attrs->diagonal;
    wnn_ref_copy(node->outputs[0].data, i, kept ? node->inputs[0].data : &zero, kept ? i : 0,
                 element_bytes(desc));
    i++;
  } while (wnn_ref_next(desc, at));
  return WEBNN_OK;
}

wnn_reference_fn wnn_reference_movement(wnn_op_id op) {
  switch (op) {
    case WNN_OP_CONCAT: return concat;
    case WNN_OP_EXPAND: return expand;
    case WNN_OP_PAD: return pad;
    case WNN_OP_RESHAPE: return copy_whole;
    case WNN_OP_REVERSE: return reverse;
    case WNN_OP_SLICE: return slice;
    case WNN_OP_SPLIT: return split;
    case WNN_OP_SQUEEZE: return copy_whole;
    case WNN_OP_TILE: return tile;
    case WNN_OP_TRANSPOSE: return transpose;
    case WNN_OP_TRIANGULAR: return triangular;
    default: return NULL;
  }
}
