#include "table.h"

const wnn_kernel *const *wnn_own_kernels(wnn_op_id op) {
  static const wnn_kernel *const none[] = {NULL};
  (void)op;
  return none;
}

bool wnn_own_can_fuse(const wnn_region *region, const wnn_post *next) {
  (void)region;
  (void)next;
  return false;
}

wnn_layout_answer wnn_own_layout(const wnn_region *region) {
  (void)region;
  return (wnn_layout_answer){.rule = WNN_LAYOUT_PLAIN};
}
