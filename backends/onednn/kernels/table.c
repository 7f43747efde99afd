#include "kernels/table.h"

#include "kernels/kernels.h"

static const wnn_kernel *const movement[] = {&wnn_movement_kernel, NULL};
static const wnn_kernel *const reduction[] = {&wnn_reduce_kernel, NULL};
static const wnn_kernel *const rows[] = {&wnn_rows_kernel, NULL};
static const wnn_kernel *const pooling[] = {&wnn_pool_kernel, NULL};
static const wnn_kernel *const resampling[] = {&wnn_resample_kernel, NULL};
static const wnn_kernel *const recurrence[] = {&wnn_recurrent_kernel, NULL};
static const wnn_kernel *const elementwise[] = {&wnn_elementwise_kernel, NULL}; /* refuses what isn't */

const wnn_kernel *const *wnn_own_kernels(wnn_op_id op) {
  switch (op) {
    case WNN_OP_REORDER:
    case WNN_OP_CONCAT:
    case WNN_OP_SPLIT:
    case WNN_OP_SLICE:
    case WNN_OP_REVERSE:
    case WNN_OP_EXPAND:
    case WNN_OP_TILE:
    case WNN_OP_PAD: return movement;
    case WNN_OP_REDUCE_L1:
    case WNN_OP_REDUCE_L2:
    case WNN_OP_REDUCE_LOG_SUM:
    case WNN_OP_REDUCE_MAX:
    case WNN_OP_REDUCE_MEAN:
    case WNN_OP_REDUCE_MIN:
    case WNN_OP_REDUCE_PRODUCT:
    case WNN_OP_REDUCE_SUM:
    case WNN_OP_REDUCE_SUM_SQUARE: return reduction;
    case WNN_OP_SOFTMAX:
    case WNN_OP_LAYER_NORMALIZATION: return rows;
    case WNN_OP_AVERAGE_POOL2D:
    case WNN_OP_L2_POOL2D:
    case WNN_OP_MAX_POOL2D: return pooling;
    case WNN_OP_RESAMPLE2D: return resampling;
    case WNN_OP_GRU:
    case WNN_OP_GRU_CELL:
    case WNN_OP_LSTM:
    case WNN_OP_LSTM_CELL: return recurrence;
    default: return elementwise;
  }
}

/* Whether the anchor is element-wise work, whose type the operand that decides it has. */
static bool is_elementwise_region(const wnn_region *region) {
  const wnn_node *anchor = region->anchor;
  size_t typed = anchor->op->id == WNN_OP_WHERE ? 1 : 0;
  if (anchor->n_inputs == 0 || anchor->n_inputs > WNN_MAX_POST_INPUTS || anchor->n_outputs != 1) return false;
  for (size_t i = 0; i < anchor->n_inputs; i++)
    if (region->inputs[i].desc == NULL) return false;
  return wnn_is_elementwise(anchor->op->id, region->inputs[typed].desc->type, region->anchor_desc.type);
}

bool wnn_own_can_fuse(const wnn_region *region, const wnn_post *next) {
  return is_elementwise_region(region) && wnn_elementwise_can_fuse(region, next);
}

wnn_layout_answer wnn_own_layout(const wnn_region *region) {
  switch (region->anchor->op->id) {
    case WNN_OP_CONCAT:
    case WNN_OP_SPLIT:
    case WNN_OP_SLICE:
    case WNN_OP_REVERSE:
    case WNN_OP_EXPAND:
    case WNN_OP_TILE:
    case WNN_OP_PAD:
    case WNN_OP_AVERAGE_POOL2D:
    case WNN_OP_L2_POOL2D:
    case WNN_OP_MAX_POOL2D:
    case WNN_OP_RESAMPLE2D:
    case WNN_OP_SOFTMAX: return (wnn_layout_answer){.rule = WNN_LAYOUT_FOLLOW};
    case WNN_OP_REDUCE_L1:
    case WNN_OP_REDUCE_L2:
    case WNN_OP_REDUCE_LOG_SUM:
    case WNN_OP_REDUCE_MAX:
    case WNN_OP_REDUCE_MEAN:
    case WNN_OP_REDUCE_MIN:
    case WNN_OP_REDUCE_PRODUCT:
    case WNN_OP_REDUCE_SUM:
    case WNN_OP_REDUCE_SUM_SQUARE: return (wnn_layout_answer){.rule = WNN_LAYOUT_FOLLOW};
    case WNN_OP_GRU:
    case WNN_OP_GRU_CELL:
    case WNN_OP_LSTM:
    case WNN_OP_LSTM_CELL: return (wnn_layout_answer){.rule = WNN_LAYOUT_READ};
    default: break;
  }
  if (is_elementwise_region(region)) return (wnn_layout_answer){.rule = WNN_LAYOUT_SAME};
  return (wnn_layout_answer){.rule = WNN_LAYOUT_PLAIN};
}
