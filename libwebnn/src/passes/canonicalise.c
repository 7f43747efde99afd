/* Canonical forms: one way to say what the API can say in several. */
#include "passes/pass.h"

/* squeeze is a reshape; so are a transpose that moves only axes of one element, an expand, tile, slice, pad or
 * concat that changes nothing, and a sum, mean, product or extreme of one element each. */
static bool is_reshape_in_disguise(const wnn_node *node) {
  switch (node->op->id) {
    case WNN_OP_SQUEEZE: return true;
    case WNN_OP_EXPAND: /* never shrinks */
    case WNN_OP_TILE:
    case WNN_OP_SLICE:
    case WNN_OP_PAD:
    case WNN_OP_REDUCE_MAX:
    case WNN_OP_REDUCE_MEAN:
    case WNN_OP_REDUCE_MIN:
    case WNN_OP_REDUCE_PRODUCT:
    case WNN_OP_REDUCE_SUM:
      return wnn_desc_count(&node->inputs[0]->desc) == wnn_desc_count(&node->outputs[0]->desc);
    case WNN_OP_CONCAT: return node->n_inputs == 1;
    case WNN_OP_TRANSPOSE: {
      const wnn_transpose_attrs *attrs = node->attrs;
      int64_t last = -1;
      for (size_t i = 0; i < attrs->permutation.n; i++) {
        uint32_t axis = attrs->permutation.data[i];
        if (node->inputs[0]->desc.dims[axis] == 1) continue;
        if ((int64_t)axis < last) return false;
        last = axis;
      }
      return true;
    }
    default: return false;
  }
}

static webnn_status put_reshape(wnn_graph *graph, wnn_node *node) {
  const wnn_desc *desc = &node->outputs[0]->desc;
  wnn_shape_attrs attrs = {{.n = desc->rank, .given = true}};
  attrs.shape.data = wnn_arena_copy(&graph->arena, desc->dims, desc->rank * sizeof desc->dims[0]);
  if (attrs.shape.data == NULL) return WEBNN_ERROR_UNKNOWN;
  return wnn_put_node(graph, node->outputs[0], WNN_OP_RESHAPE, &attrs, node->inputs, 1);
}

/* A pool whose one window is the whole plane is a reduction. */
static bool is_global_pool(const wnn_node *node, wnn_op_id *reduction) {
  switch (node->op->id) {
    case WNN_OP_AVERAGE_POOL2D: *reduction = WNN_OP_REDUCE_MEAN; break;
    case WNN_OP_L2_POOL2D: *reduction = WNN_OP_REDUCE_L2; break;
    case WNN_OP_MAX_POOL2D: *reduction = WNN_OP_REDUCE_MAX; break;
    default: return false;
  }
  const wnn_pool2d_attrs *attrs = node->attrs;
  const uint32_t *dims = node->inputs[0]->desc.dims;
  uint32_t first = attrs->layout == WEBNN_INPUT_OPERAND_LAYOUT_NCHW ? 2 : 1;
  for (uint32_t i = 0; i < 2; i++) {
    bool whole = attrs->window_dimensions.data[i] == dims[first + i] && attrs->dilations.data[i] == 1 &&
                 attrs->output_sizes.data[i] == 1;
    if (!whole || attrs->padding.data[2 * i] != 0) return false;
  }
  return true;
}

static webnn_status put_reduction(wnn_graph *graph, wnn_node *node, wnn_op_id reduction) {
  const wnn_pool2d_attrs *pool = node->attrs;
  static const uint32_t axes[2][2] = {{2, 3}, {1, 2}};
  wnn_reduce_attrs attrs = {.axes = {.n = 2, .given = true}, .keep_dimensions = true};
  attrs.axes.data = axes[pool->layout == WEBNN_INPUT_OPERAND_LAYOUT_NCHW ? 0 : 1];
  return wnn_put_node(graph, node->outputs[0], reduction, &attrs, node->inputs, 1);
}

webnn_status wnn_pass_canonicalise(wnn_graph *graph, bool *changed) {
  webnn_status status = WEBNN_OK;
  wnn_op_id reduction;
  for (wnn_node *node = graph->first; node != NULL && status == WEBNN_OK; node = node->next) {
    bool reshapes = is_reshape_in_disguise(node), reduces = is_global_pool(node, &reduction);
    if (reshapes) status = put_reshape(graph, node);
    if (reduces) status = put_reduction(graph, node, reduction);
    *changed = *changed || reshapes || reduces;
  }
  return status;
}
