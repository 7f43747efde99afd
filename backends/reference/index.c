/* Gathers and scatters: elements of any type move to or from places that indices name. */
#include "reference.h"

/* Index `i` as a place in 0..n-1: a negative one counts from the end, what is still outside goes to
 * the nearest place. */
static size_t place_of(const wnn_ref_input *indices, size_t i, uint32_t n) {
  uint64_t bits = wnn_ref_load_bits(indices->data, indices->desc->type, i);
  if (!wnn_type_is_signed(indices->desc->type)) return bits < n ? (size_t)bits : n - 1;
  int64_t index = wnn_ref_signed(bits);
  if (index < 0) index += n;
  if (index < 0) return 0;
  return index < n ? (size_t)index : n - 1;
}

/* Where row `row` of gatherND's or scatterND's indices points, in elements of `desc`. */
static size_t row_offset(const wnn_ref_input *indices, size_t row, const wnn_desc *desc) {
  uint32_t n = indices->desc->dims[indices->desc->rank - 1];
  size_t strides[WNN_MAX_RANK], at = 0;
  wnn_shape_strides(desc, strides);
  for (uint32_t d = 0; d < n; d++) at += strides[d] * place_of(indices, row * n + d, desc->dims[d]);
  return at;
}

/* How many elements a row names: the product of the dimensions behind those that are indexed. */
static size_t elements_behind(const wnn_desc *desc, uint32_t n_indexed) {
  size_t n = 1;
  for (uint32_t d = n_indexed; d < desc->rank; d++) n *= desc->dims[d];
  return n;
}

static webnn_status gather(const wnn_node_view *node) {
  const wnn_axis_attrs *attrs = node->attrs;
  const wnn_ref_input *input = &node->inputs[0], *indices = &node->inputs[1];
  size_t n_indices = wnn_desc_count(indices->desc);
  size_t n_inner = elements_behind(input->desc, attrs->axis + 1);
  uint32_t n_places = input->desc->dims[attrs->axis];
  size_t n_outer = wnn_desc_count(input->desc) / n_inner / n_places, to = 0;
  for (size_t outer = 0; outer < n_outer; outer++)
    for (size_t i = 0; i < n_indices; i++) {
      size_t from = (outer * n_places + place_of(indices, i, n_places)) * n_inner;
      for (size_t inner = 0; inner < n_inner; inner++)
        wnn_ref_copy(node->outputs[0].data, to++, input->data, from + inner,
                     webnn_data_type_bytes(input->desc->type));
    }
  return WEBNN_OK;
}

static webnn_status gather_elements(const wnn_node_view *node) {
  const wnn_axis_attrs *attrs = node->attrs;
  const wnn_ref_input *input = &node->inputs[0], *indices = &node->inputs[1];
  uint32_t at[WNN_MAX_RANK] = {0};
  size_t strides[WNN_MAX_RANK], i = 0;
  wnn_shape_strides(input->desc, strides);
  do {
    size_t from = 0;
    for (uint32_t d = 0; d < input->desc->rank; d++)
      from += strides[d] * (d == attrs->axis ? place_of(indices, i, input->desc->dims[d]) : at[d]);
    wnn_ref_copy(node->outputs[0].data, i++, input->data, from,
                 webnn_data_type_bytes(input->desc->type));
  } while (wnn_ref_next(indices->desc, at));
  return WEBNN_OK;
}

static webnn_status gather_nd(const wnn_node_view *node) {
  const wnn_ref_input *input = &node->inputs[0], *indices = &node->inputs[1];
  uint32_t n_indexed = indices->desc->dims[indices->desc->rank - 1];
  size_t n_rows = wnn_desc_count(indices->desc) / n_indexed;
  size_t n_each = elements_behind(input->desc, n_indexed);
  for (size_t row = 0; row < n_rows; row++) {
    size_t from = row_offset(indices, row, input->desc);
    for (size_t i = 0; i < n_each; i++)
      wnn_ref_copy(node->outputs[0].data, row * n_each + i, input->data, from + i,
                   webnn_data_type_bytes(input->desc->type));
  }
  return WEBNN_OK;
}

/* Rows of indices go in row-major order, here and below, so that the last of several that name one
 * place wins. */
static webnn_status scatter_elements(const wnn_node_view *node) {
  const wnn_axis_attrs *attrs = node->attrs;
  const wnn_ref_input *input = &node->inputs[0], *indices = &node->inputs[1];
  const wnn_ref_input *updates = &node->inputs[2];
  uint32_t at[WNN_MAX_RANK] = {0};
  size_t strides[WNN_MAX_RANK], i = 0;
  wnn_shape_strides(input->desc, strides);
  memcpy(node->outputs[0].data, input->data, wnn_desc_bytes(input->desc));
  do {
    size_t to = 0;
    for (uint32_t d = 0; d < input->desc->rank; d++)
      to += strides[d] * (d == attrs->axis ? place_of(indices, i, input->desc->dims[d]) : at[d]);
    wnn_ref_copy(node->outputs[0].data, to, updates->data, i++,
                 webnn_data_type_bytes(input->desc->type));
  } while (wnn_ref_next(indices->desc, at));
  return WEBNN_OK;
}

static webnn_status scatter_nd(const wnn_node_view *node) {
  const wnn_ref_input *input = &node->inputs[0], *indices = &node->inputs[1];
  const wnn_ref_input *updates = &node->inputs[2];
  uint32_t n_indexed = indices->desc->dims[indices->desc->rank - 1];
  size_t n_rows = wnn_desc_count(indices->desc) / n_indexed;
  size_t n_each = elements_behind(input->desc, n_indexed);
  memcpy(node->outputs[0].data, input->data, wnn_desc_bytes(input->desc));
  for (size_t row = 0; row < n_rows; row++) {
    size_t to = row_offset(indices, row, input->desc);
    for (size_t i = 0; i < n_each; i++)
      wnn_ref_copy(node->outputs[0].data, to + i, updates->data, row * n_each + i,
                   webnn_data_type_bytes(input->desc->type));
  }
  return WEBNN_OK;
}

wnn_reference_fn wnn_reference_index(wnn_op_id op) {
  switch (op) {
    case WNN_OP_GATHER: return gather;
    case WNN_OP_GATHER_ELEMENTS: return gather_elements;
    case WNN_OP_GATHER_ND: return gather_nd;
    case WNN_OP_SCATTER_ELEMENTS: return scatter_elements;
    case WNN_OP_SCATTER_ND: return scatter_nd;
    default: return NULL;
  }
}
