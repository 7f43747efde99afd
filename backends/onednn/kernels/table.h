/* Our own fast kernels, as the oneDNN backend asks for them. */
#ifndef WNN_ONEDNN_KERNELS_TABLE_H
#define WNN_ONEDNN_KERNELS_TABLE_H

#include "lower/region.h"

/* Most that one operation has. */
#define WNN_MAX_OWN_KERNELS 4

/* Our kernels for an anchor, fastest first, ends with NULL. */
const wnn_kernel *const *wnn_own_kernels(wnn_op_id op);

/* May `next` become a post of a region that one of ours plans? */
bool wnn_own_can_fuse(const wnn_region *region, const wnn_post *next);

/* What a region of ours does to layouts. */
wnn_layout_answer wnn_own_layout(const wnn_region *region);

#endif
