/* Folding: what depends on constants alone is computed once, with the kernels that would run later. */
#include "passes/pass.h"

/* A fold may not blow up the weights: expand, tile and pad of small constants stay operations. */
#define MAX_GROWTH 4
#define MAX_FREE_BYTES ((size_t)64 * 1024)

static bool is_foldable(const wnn_node *node) {
  size_t in_bytes = 0, out_bytes = 0;
  for (size_t i = 0; i < node->n_inputs; i++) {
    if (node->inputs[i] == NULL) continue;
    if (wnn_value_data(node->inputs[i]) == NULL) return false;
    in_bytes += wnn_desc_bytes(&node->inputs[i]->desc);
  }
  for (size_t i = 0; i < node->n_outputs; i++) out_bytes += wnn_desc_bytes(&node->outputs[i]->desc);
  return out_bytes <= MAX_FREE_BYTES || out_bytes / MAX_GROWTH <= in_bytes;
}

static webnn_status fold_node(wnn_graph *graph, wnn_node *node, const wnn_evaluator *evaluator,
                              bool *changed) {
  void **bytes = wnn_arena_array(&graph->arena, node->n_outputs, sizeof *bytes);
  wnn_value **fresh = wnn_arena_array(&graph->arena, node->n_outputs, sizeof *fresh);
  if (bytes == NULL || fresh == NULL) return WEBNN_ERROR_UNKNOWN;
  for (size_t i = 0; i < node->n_outputs; i++) {
    fresh[i] = wnn_new_constant(graph, &node->outputs[i]->desc, &bytes[i]);
    if (fresh[i] == NULL) return WEBNN_ERROR_UNKNOWN;
  }
  webnn_status status = evaluator->run(evaluator->ud, node, bytes);
  if (status == WEBNN_ERROR_NOT_SUPPORTED) return WEBNN_OK; /* the next index drops the fresh constants */
  if (status != WEBNN_OK) return status;
  for (size_t i = 0; i < node->n_outputs; i++) wnn_graph_replace(graph, node->outputs[i], fresh[i]);
  *changed = true;
  return WEBNN_OK;
}

webnn_status wnn_pass_fold(wnn_graph *graph, const wnn_evaluator *evaluator, bool *changed) {
  webnn_status status = WEBNN_OK;
  for (wnn_node *node = graph->first; node != NULL && status == WEBNN_OK; node = node->next)
    if (is_foldable(node)) status = fold_node(graph, node, evaluator, changed);
  return status;
}
