#include "kernels/table.h"

#include "kernels/kernels.h"

#define ONE(name) static const wnn_kernel *const name##_list[] = {&wnn_##name##_kernel, NULL};
ONE(arg)
ONE(batch)
ONE(dynamic)
ONE(elementwise)
ONE(gather)
ONE(integer)
ONE(movement)
ONE(norm)
ONE(pad)
ONE(pool)
ONE(recurrent)
ONE(reduce)
ONE(resample)
ONE(scan)
ONE(scatter)
ONE(softmax)
ONE(triangular)
ONE(windows)

static const wnn_kernel *const attention_list[] = {&wnn_attention_few_kernel, &wnn_attention_kernel, NULL};

static const wnn_kernel *const conv2d_list[] = {&wnn_depthwise_kernel, &wnn_narrow_kernel, &wnn_winograd_kernel,
                                                NULL};

static const wnn_kernel *const product_list[] = {&wnn_gemv_kernel, &wnn_product_kernel, NULL};

static const wnn_kernel *const conv2d_integer_list[] = {&wnn_integer_winograd_kernel, &wnn_integer_kernel, NULL};

const wnn_kernel *const *wnn_own_kernels(wnn_op_id op) {
  switch (op) {
    case WNN_OP_ARG_MIN:
    case WNN_OP_ARG_MAX: return arg_list;
    case WNN_OP_ATTENTION: return attention_list;
    case WNN_OP_BATCH_NORMALIZATION: return batch_list;
    case WNN_OP_CONV2D: return conv2d_list;
    case WNN_OP_CONV2D_INTEGER: return conv2d_integer_list;
    case WNN_OP_CONV_TRANSPOSE2D: return windows_list;
    case WNN_OP_GEMM:
    case WNN_OP_MATMUL: return product_list;
    case WNN_OP_MATMUL_INTEGER: return integer_list;
    case WNN_OP_DYNAMIC_QUANTIZE: return dynamic_list;
    case WNN_OP_GATHER:
    case WNN_OP_GATHER_ELEMENTS:
    case WNN_OP_GATHER_ND: return gather_list;
    case WNN_OP_REORDER:
    case WNN_OP_CONCAT:
    case WNN_OP_SPLIT:
    case WNN_OP_SLICE:
    case WNN_OP_REVERSE:
    case WNN_OP_EXPAND:
    case WNN_OP_TILE: return movement_list;
    case WNN_OP_INSTANCE_NORMALIZATION:
    case WNN_OP_LAYER_NORMALIZATION:
    case WNN_OP_RMS_NORMALIZATION: return norm_list;
    case WNN_OP_PAD: return pad_list;
    case WNN_OP_AVERAGE_POOL2D:
    case WNN_OP_L2_POOL2D:
    case WNN_OP_MAX_POOL2D: return pool_list;
    case WNN_OP_GRU:
    case WNN_OP_GRU_CELL:
    case WNN_OP_LSTM:
    case WNN_OP_LSTM_CELL:
    case WNN_OP_LSTM_INTEGER: return recurrent_list;
    case WNN_OP_RESAMPLE2D: return resample_list;
    case WNN_OP_CUMULATIVE_SUM: return scan_list;
    case WNN_OP_SCATTER_ELEMENTS:
    case WNN_OP_SCATTER_ND: return scatter_list;
    case WNN_OP_SOFTMAX: return softmax_list;
    case WNN_OP_TRIANGULAR: return triangular_list;
    default: return wnn_op_is_reduction(op) ? reduce_list : elementwise_list; /* refuses what isn't */
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

/* The order in which integers are mixed counts, see resample.c. */
static bool resamples_integers(const wnn_region *region) {
  const wnn_resample2d_attrs *attrs = region->anchor->attrs;
  return region->anchor->op->id == WNN_OP_RESAMPLE2D &&
         attrs->mode == WEBNN_INTERPOLATION_MODE_LINEAR &&
         !wnn_type_is_float(region->anchor_desc.type);
}

wnn_layout_answer wnn_own_layout(const wnn_region *region) {
  switch (region->anchor->op->id) {
    case WNN_OP_GATHER:
    case WNN_OP_GATHER_ELEMENTS:
    case WNN_OP_GATHER_ND:
    case WNN_OP_SCATTER_ELEMENTS:
    case WNN_OP_SCATTER_ND:
    case WNN_OP_TRIANGULAR: return (wnn_layout_answer){.rule = WNN_LAYOUT_PLAIN};
    case WNN_OP_GRU:
    case WNN_OP_GRU_CELL:
    case WNN_OP_LSTM:
    case WNN_OP_LSTM_CELL:
    case WNN_OP_LSTM_INTEGER: return (wnn_layout_answer){.rule = WNN_LAYOUT_READ};
    default: break;
  }
  if (resamples_integers(region)) return (wnn_layout_answer){.rule = WNN_LAYOUT_PLAIN};
  if (is_elementwise_region(region)) return (wnn_layout_answer){.rule = WNN_LAYOUT_SAME};
  bool others = wnn_own_kernels(region->anchor->op->id) != elementwise_list;
  return (wnn_layout_answer){.rule = others ? WNN_LAYOUT_FOLLOW : WNN_LAYOUT_PLAIN};
}
