/* Algebra that needs no numbers: identities go, transposes, reshapes and slices in a row become
 * one. */
#include "passes/pass.h"

#include <string.h>

/* The operand that the node hands through unchanged, or NULL. x + 0 is not here: it turns -0 into 0. */
static wnn_value *passed_through(const wnn_node *node) {
  wnn_value *input = node->inputs[0], *output = node->outputs[0];
  switch (node->op->id) {
    case WNN_OP_IDENTITY: return input;
    case WNN_OP_CAST: return input->desc.type == output->desc.type ? input : NULL;
    case WNN_OP_RESHAPE: return wnn_shape_equal(&input->desc, &output->desc) ? input : NULL;
    case WNN_OP_MUL:
    case WNN_OP_DIV: {
      wnn_value *kept = wnn_joined_with(node, node->op->id, 1.0);
      double one;
      if (kept == NULL || !wnn_desc_equal(&kept->desc, &output->desc)) return NULL;
      wnn_value *other = wnn_other_operand(node, kept);
      return other != NULL && wnn_constant_number(other, &one) && one == 1.0 ? kept : NULL;
    }
    default: return NULL;
  }
}

static webnn_status merge_reshapes(wnn_graph *graph, wnn_node *node, bool *changed) {
  const wnn_node *before = wnn_made_by(node->inputs[0], WNN_OP_RESHAPE);
  if (before == NULL) return WEBNN_OK;
  *changed = true;
  return wnn_put_node(graph, node->outputs[0], WNN_OP_RESHAPE, node->attrs, before->inputs, 1);
}

static webnn_status merge_transposes(wnn_graph *graph, wnn_node *node, bool *changed) {
  const wnn_node *before = wnn_made_by(node->inputs[0], WNN_OP_TRANSPOSE);
  if (before == NULL) return WEBNN_OK;
  const wnn_transpose_attrs *first = before->attrs, *second = node->attrs;
  uint32_t axes[WNN_MAX_RANK];
  for (size_t i = 0; i < second->permutation.n; i++)
    axes[i] = first->permutation.data[second->permutation.data[i]];
  wnn_transpose_attrs attrs = {{.n = second->permutation.n, .given = true}};
  attrs.permutation.data = wnn_arena_copy(&graph->arena, axes, attrs.permutation.n * sizeof axes[0]);
  if (attrs.permutation.data == NULL) return WEBNN_ERROR_UNKNOWN;
  *changed = true;
  return wnn_put_node(graph, node->outputs[0], WNN_OP_TRANSPOSE, &attrs, before->inputs, 1);
}

/* A slice of a slice is one of what that cuts. */
static webnn_status merge_slices(wnn_graph *graph, wnn_node *node, bool *changed) {
  const wnn_node *before = wnn_made_by(node->inputs[0], WNN_OP_SLICE);
  if (before == NULL) return WEBNN_OK;
  const wnn_slice_attrs *first = before->attrs, *second = node->attrs;
  const size_t n = second->starts.n;
  uint32_t *all = wnn_arena_array(&graph->arena, 3 * n, sizeof *all);
  if (all == NULL) return WEBNN_ERROR_UNKNOWN;
  for (size_t d = 0; d < n; d++) {
    const uint32_t count = node->outputs[0]->desc.dims[d];
    /* A stride that leaves one element may be huge. */
    const uint32_t stride = count == 1 ? 1 : first->strides.data[d] * second->strides.data[d];
    all[d] = first->starts.data[d] + second->starts.data[d] * first->strides.data[d];
    all[n + d] = (count - 1) * stride + 1;
    all[2 * n + d] = stride;
  }
  const wnn_slice_attrs attrs = {{all, n, true}, {all + n, n, true}, {all + 2 * n, n, true}};
  *changed = true;
  return wnn_put_node(graph, node->outputs[0], WNN_OP_SLICE, &attrs, before->inputs, 1);
}

webnn_status wnn_pass_simplify(wnn_graph *graph, bool *changed) {
  webnn_status status = WEBNN_OK;
  for (wnn_node *node = graph->first; node != NULL && status == WEBNN_OK; node = node->next) {
    if (node->n_inputs == 0 || node->n_outputs != 1 || node->inputs[0] == NULL) continue;
    wnn_value *same = passed_through(node);
    if (same != NULL && node->outputs[0]->n_uses + node->outputs[0]->is_output != 0) {
      wnn_graph_replace(graph, node->outputs[0], same);
      /* What was just replaced has no readers left; a second round must not find it again. */
      *changed = true;
    } else if (wnn_node_is(node, WNN_OP_RESHAPE)) {
      status = merge_reshapes(graph, node, changed);
    } else if (wnn_node_is(node, WNN_OP_TRANSPOSE)) {
      status = merge_transposes(graph, node, changed);
    } else if (wnn_node_is(node, WNN_OP_SLICE)) {
      status = merge_slices(graph, node, changed);
    }
  }
  return status;
}
