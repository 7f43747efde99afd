/* What the passes share: the list of them, and words for looking at a graph. */
#ifndef WNN_PASSES_PASS_H
#define WNN_PASSES_PASS_H

#include "passes/passes.h"

/* Each goes over the whole graph once and sets *changed when it did something. The graph is indexed before;
 * uses and ids that a pass reads stay those of before its changes. UNKNOWN: out of memory. */
webnn_status wnn_pass_canonicalise(wnn_graph *graph, bool *changed);
webnn_status wnn_pass_simplify(wnn_graph *graph, bool *changed);
webnn_status wnn_pass_hoist(wnn_graph *graph, bool *changed);
webnn_status wnn_pass_recognise(wnn_graph *graph, bool *changed);
webnn_status wnn_pass_attention(wnn_graph *graph, bool *changed);
webnn_status wnn_pass_absorb(wnn_graph *graph, bool *changed);
/* Last of all, and once: what others look for in float16 graphs they don't find behind it. */
webnn_status wnn_pass_widen(wnn_graph *graph, bool *changed);
/* Before folding, which would make floats of quantised weights. */
webnn_status wnn_pass_quantise(wnn_graph *graph, bool *changed);
webnn_status wnn_pass_fold(wnn_graph *graph, const wnn_evaluator *evaluator, bool *changed);

/* The node that makes `value` when it is of this operation, else NULL. */
static inline wnn_node *wnn_made_by(const wnn_value *value, wnn_op_id op) {
  return value != NULL && wnn_node_is(value->producer, op) ? value->producer : NULL;
}

/* True when `value` is read once and by nobody outside the graph. */
static inline bool wnn_is_private(const wnn_value *value) {
  return value->n_uses == 1 && !value->is_output;
}

/* Operand of a two-operand node that isn't `value`, NULL when both are or the node has others. */
wnn_value *wnn_other_operand(const wnn_node *node, const wnn_value *value);

/* The one number of a float constant of one element. */
bool wnn_constant_number(const wnn_value *value, double *out);
/* The same, and it is `expected` within a few float32 rounding errors. */
bool wnn_constant_is(const wnn_value *value, double expected);
/* `node` (add, mul: either operand; sub, div: the second) joins a value with a number: the value, or NULL. */
wnn_value *wnn_joined_with(const wnn_node *node, wnn_op_id op, double number);

/* Element i of a float constant. */
float wnn_constant_at(const wnn_value *value, size_t i);

/* A new constant whose bytes are to be written at *bytes; NULL when out of memory. */
wnn_value *wnn_new_constant(wnn_graph *graph, const wnn_desc *desc, void **bytes);

/* Puts a node of one output in the place of the one that makes `old`. UNKNOWN when out of memory. */
webnn_status wnn_put_node(wnn_graph *graph, wnn_value *old, wnn_op_id op, const void *attrs,
                          wnn_value *const *inputs, size_t n_inputs);

#endif
