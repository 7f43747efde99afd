/* What the parts of the recognise pass share. */
#ifndef WNN_PASSES_RECOGNISE_H
#define WNN_PASSES_RECOGNISE_H

#include "passes/pass.h"

/* One operation that does what `node` and some before it do. */
typedef struct wnn_finding {
  wnn_op_id op;
  wnn_value *inputs[3];
  size_t n_inputs;
  const void *attrs;
} wnn_finding;

bool wnn_find_normalization(wnn_graph *graph, const wnn_node *node, wnn_finding *f);
bool wnn_find_rms_normalization(wnn_graph *graph, const wnn_node *node, wnn_finding *f);
bool wnn_find_softmax(wnn_graph *graph, const wnn_node *node, wnn_finding *f);

#endif
