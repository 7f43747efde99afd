/* How a value lies in memory: its axes in some order, one of them maybe cut into blocks. */
#ifndef WNN_LOWER_LAYOUT_H
#define WNN_LOWER_LAYOUT_H

#include "base/shape.h"

typedef struct wnn_layout {
  uint8_t rank;
  uint8_t order[WNN_MAX_RANK]; /* order[i]: the logical axis stored at position i, outermost first */
  uint8_t block_axis;          /* when block > 1: this logical axis is cut into blocks … */
  uint8_t block;               /* … of so many elements, innermost, the last one padded with zeros; else 1 */
} wnn_layout;

wnn_layout wnn_layout_plain(uint32_t rank); /* row-major */
wnn_layout wnn_layout_channels_last(void);  /* rank 4, [n, c, h, w] stored as n, h, w, c */
wnn_layout wnn_layout_blocked(uint8_t block); /* rank 4, [n, c, h, w] as n, c/block, h, w, block */
bool wnn_layout_equal(const wnn_layout *a, const wnn_layout *b);
/* True when both describe the same bytes for this shape: axes of one element may stand anywhere. */
bool wnn_layout_same_bytes(const wnn_layout *a, const wnn_layout *b, const wnn_desc *desc);
bool wnn_layout_is_plain(const wnn_layout *layout, const wnn_desc *desc);
static inline bool wnn_layout_is_blocked(const wnn_layout *layout) { return layout->block > 1; }

/* Bytes in memory, padding of blocks included. */
size_t wnn_layout_bytes(const wnn_layout *layout, const wnn_desc *desc);
/* Strides in elements by logical axis. Of an unblocked layout. */
void wnn_layout_strides(const wnn_layout *layout, const wnn_desc *desc, size_t strides[WNN_MAX_RANK]);
/* Place of the element with these logical coordinates, in elements. Any layout. */
size_t wnn_layout_offset(const wnn_layout *layout, const wnn_desc *desc, const uint32_t *coordinates);

#endif
