/* The graph as passes and backends see it: values and nodes in one arena, nodes in topological order. */
#ifndef WNN_GRAPH_IR_H
#define WNN_GRAPH_IR_H

#include "base/blob.h"
#include "op/schema.h"

typedef struct wnn_node wnn_node;
typedef struct wnn_value wnn_value;

typedef enum wnn_value_kind {
  WNN_VALUE_INPUT,
  WNN_VALUE_CONSTANT,
  WNN_VALUE_RESULT,
} wnn_value_kind;

struct wnn_value {
  wnn_desc desc;
  wnn_value_kind kind;
  webnn_str name;      /* inputs */
  wnn_blob *blob;      /* constants; owned by the graph; NULL once the backend has packed and dropped it */
  wnn_node *producer;  /* results */
  size_t output;       /* which output of the producer */
  /* Kept by wnn_graph_index. */
  wnn_node **uses; /* nodes that read it, once per operand position */
  size_t n_uses;
  bool is_output;  /* a graph output: not to be dropped or overwritten */
  size_t id;       /* dense, in 0..n_values-1: index into a pass's own arrays */
};

struct wnn_node {
  const webnn_op *op;
  const void *attrs;
  wnn_value **inputs; /* by operand position; NULL: absent */
  size_t n_inputs;
  wnn_value **outputs;
  size_t n_outputs;
  webnn_str label;
  wnn_node *prev, *next;
  size_t id; /* kept by wnn_graph_index: position in the order */
};

typedef struct wnn_named_value {
  webnn_str name;
  wnn_value *value;
} wnn_named_value;

typedef struct wnn_graph {
  wnn_alloc alloc;
  wnn_arena arena;
  wnn_node *first, *last;
  wnn_named_value *inputs; /* values of kind INPUT; what no node needs may still be here */
  size_t n_inputs;
  wnn_named_value *outputs; /* one value may stand under several names; may be an input or constant after
                               passes (identity removed) */
  size_t n_outputs;
  wnn_value **constants; /* every constant whose blob the graph owns */
  size_t n_constants, room_constants;
  size_t n_values, n_nodes; /* as of the last wnn_graph_index */
  void (*release_held)(void *held); /* what else must live as long: a builder, whose lists nodes point to */
  void *held;
} wnn_graph;

void wnn_graph_init(wnn_graph *graph, const wnn_alloc *alloc);
void wnn_graph_reset(wnn_graph *graph); /* drops all, blobs too */

/* Rebuilds uses, ids, is_output and drops nodes whose results nobody needs. Call it after a pass has changed
 * something. UNKNOWN when out of memory. */
webnn_status wnn_graph_index(wnn_graph *graph);

/* Building blocks; NULL when out of memory. */
wnn_value *wnn_graph_constant(wnn_graph *graph, const wnn_desc *desc, wnn_blob *blob); /* takes the blob */
wnn_value *wnn_graph_scalar(wnn_graph *graph, webnn_data_type type, webnn_number number);
/* A node before `before` (NULL: at the end) with resolved attributes (copied, `attrs_bytes` of the
 * signature) and fresh outputs of the given descriptors. */
wnn_node *wnn_graph_node(wnn_graph *graph, wnn_node *before, wnn_op_id op, const void *attrs,
                         wnn_value *const *inputs, size_t n_inputs, const wnn_desc *outputs,
                         size_t n_outputs);
void wnn_graph_remove(wnn_graph *graph, wnn_node *node); /* its outputs must have no reader */
/* Every reader of `old`, graph outputs too, reads `fresh` instead. Needs a fresh index before; keeps none. */
void wnn_graph_replace(wnn_graph *graph, wnn_value *old, wnn_value *fresh);

/* The bytes of a constant, NULL for anything else. */
static inline const void *wnn_value_data(const wnn_value *value) {
  return value->kind == WNN_VALUE_CONSTANT && value->blob != NULL ? value->blob->data : NULL;
}
static inline bool wnn_node_is(const wnn_node *node, wnn_op_id op) { return node != NULL && node->op->id == op; }

#endif
