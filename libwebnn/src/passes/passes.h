/* Passes: from graph to graph, the same for all backends, each switchable. */
#ifndef WNN_PASSES_PASSES_H
#define WNN_PASSES_PASSES_H

#include "base/switches.h"
#include "graph/ir.h"

/* True when every word of a context's `passes` option ("-fuse,-layout"; NULL) names a pass; else the first
 * wrong word is in `*wrong`. Words of lowering (fuse, layout) count as passes. */
bool wnn_passes_valid(const char *switches, webnn_str *wrong);

/* Computes one node whose operands are all constants: outputs are dense buffers to be filled. How folding
 * uses the kernels that run later. NOT_SUPPORTED: leave the node alone. */
typedef struct wnn_evaluator {
  webnn_status (*run)(void *ud, const wnn_node *node, void *const *outputs);
  void *ud;
  bool has_integers; /* who runs the graph knows conv2dInteger, matmulInteger and dynamicQuantize */
  bool has_attention; /* and attention */
  bool wants_floats; /* it has nothing better for float16 than float32, and knows roundHalf */
} wnn_evaluator;

/* Runs all that are on. `evaluator` NULL: nothing is folded or widened, and integers are known. Fails with UNKNOWN when out of memory. */
webnn_status wnn_passes_run(wnn_graph *graph, const char *switches, const wnn_evaluator *evaluator);

#endif
