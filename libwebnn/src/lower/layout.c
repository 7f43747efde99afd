#include "lower/layout.h"

wnn_layout wnn_layout_plain(uint32_t rank) {
  wnn_layout layout = {.rank = (uint8_t)rank, .block = 1};
  for (uint32_t i = 0; i < rank; i++) layout.order[i] = (uint8_t)i;
  return layout;
}

wnn_layout wnn_layout_channels_last(void) {
  return (wnn_layout){.rank = 4, .order = {0, 2, 3, 1}, .block = 1};
}

wnn_layout wnn_layout_blocked(uint8_t block) {
  return (wnn_layout){.rank = 4, .order = {0, 1, 2, 3}, .block_axis = 1, .block = block};
}

bool wnn_layout_equal(const wnn_layout *a, const wnn_layout *b) {
  if (a->rank != b->rank || a->block != b->block) return false;
  if (wnn_layout_is_blocked(a) && a->block_axis != b->block_axis) return false;
  for (uint8_t i = 0; i < a->rank; i++)
    if (a->order[i] != b->order[i]) return false;
  return true;
}

/* The axes that matter (more than one element), in the order of storage. */
static uint32_t significant_axes(const wnn_layout *layout, const wnn_desc *desc, uint8_t *axes) {
  uint32_t n = 0;
  for (uint8_t i = 0; i < layout->rank; i++)
    if (desc->dims[layout->order[i]] > 1) axes[n++] = layout->order[i];
  return n;
}

bool wnn_layout_same_bytes(const wnn_layout *a, const wnn_layout *b, const wnn_desc *desc) {
  uint8_t x[WNN_MAX_RANK], y[WNN_MAX_RANK];
  if (wnn_layout_is_blocked(a) || wnn_layout_is_blocked(b)) return wnn_layout_equal(a, b);
  uint32_t n = significant_axes(a, desc, x);
  if (significant_axes(b, desc, y) != n) return false;
  for (uint32_t i = 0; i < n; i++)
    if (x[i] != y[i]) return false;
  return true;
}

bool wnn_layout_is_plain(const wnn_layout *layout, const wnn_desc *desc) {
  wnn_layout plain = wnn_layout_plain(layout->rank);
  return wnn_layout_same_bytes(layout, &plain, desc);
}

/* Places along an axis: blocks of a blocked one. */
static size_t axis_places(const wnn_layout *layout, const wnn_desc *desc, uint8_t axis) {
  size_t n = desc->dims[axis];
  bool cut = wnn_layout_is_blocked(layout) && axis == layout->block_axis;
  return cut ? (n + layout->block - 1) / layout->block : n;
}

size_t wnn_layout_bytes(const wnn_layout *layout, const wnn_desc *desc) {
  size_t n = layout->block;
  for (uint8_t i = 0; i < layout->rank; i++) n *= axis_places(layout, desc, layout->order[i]);
  return n * webnn_data_type_bytes(desc->type);
}

void wnn_layout_strides(const wnn_layout *layout, const wnn_desc *desc, size_t strides[WNN_MAX_RANK]) {
  size_t n = 1;
  for (uint8_t i = layout->rank; i-- > 0;) {
    strides[layout->order[i]] = n;
    n *= desc->dims[layout->order[i]];
  }
}

size_t wnn_layout_offset(const wnn_layout *layout, const wnn_desc *desc, const uint32_t *coordinates) {
  size_t at = 0;
  for (uint8_t i = 0; i < layout->rank; i++) {
    uint8_t axis = layout->order[i];
    bool cut = wnn_layout_is_blocked(layout) && axis == layout->block_axis;
    size_t place = cut ? coordinates[axis] / layout->block : coordinates[axis];
    at = at * axis_places(layout, desc, axis) + place;
  }
  if (!wnn_layout_is_blocked(layout)) return at;
  return at * layout->block + coordinates[layout->block_axis] % layout->block;
}
