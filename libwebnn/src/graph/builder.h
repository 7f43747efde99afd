/* Builders: operands and nodes in one arena, checked as they come, frozen into a graph at the end. Knows its
 * context only through the public calls; what needs the timeline (create, build) is in context/. */
#ifndef WNN_GRAPH_BUILDER_H
#define WNN_GRAPH_BUILDER_H

#include "base/ref.h"
#include "graph/ir.h"
#include <string.h>
#include <webnn/graph.h>

struct webnn_operand {
  wnn_value value; /* first: a value of the builder is its operand */
  webnn_builder *builder; /* NULL once it was taken back */
  webnn_str label;
  webnn_operand *older; /* of the builder's, the one made before */
};

/* An input or a constant, in its builder's list. */
typedef struct wnn_leaf {
  webnn_operand operand;
  struct wnn_leaf *next;
} wnn_leaf;

struct webnn_builder {
  wnn_ref ref;
  webnn_context *context; /* retained */
  wnn_alloc alloc;
  wnn_arena arena;
  webnn_error err;
  bool built;
  bool nested; /* a public call makes others: it alone reports */
  size_t n_inputs;
  wnn_leaf *inputs, *last_input; /* in the order of their making */
  wnn_leaf **names;              /* hash table by name: names stay fast however many there are */
  size_t n_slots;
  wnn_leaf *constants; /* all blobs, to be released; the newest first */
  size_t n_operands;
  webnn_operand *newest;
};

/* A builder of `context`, which it retains; the state test has been made. UNKNOWN when out of memory. */
webnn_status wnn_builder_create(webnn_context *context, const wnn_alloc *alloc, webnn_builder **out);

/* INVALID_STATE when built or lost; clears the builder's error before.  Spec: canBuild. */
webnn_status wnn_builder_can_build(webnn_builder *builder, const char *what);

/* The builder's error, for callers that fail on its behalf. */
webnn_error *wnn_builder_err(webnn_builder *builder);

/* The end of a public call: the builder's error, if the call failed, is reported to the context. */
webnn_status wnn_builder_end(webnn_builder *builder, webnn_status status);

/* Adds a constant whose bytes are in `blob`, of which it keeps an own reference. */
webnn_status wnn_builder_constant_blob(webnn_builder *builder, const wnn_desc *desc, wnn_blob *blob,
                                       webnn_operand **out);

/* Counts an operand that is given out from now on. */
static inline void wnn_builder_own(webnn_builder *builder, webnn_operand *operand) {
  operand->older = builder->newest;
  builder->newest = operand;
  builder->n_operands++;
}

/* The blobs of all constants are given back. */
void wnn_builder_drop_constants(webnn_builder *builder);

/* Checks the outputs as `webnn_builder_build` promises (state included), closes the builder and fills `graph`
 * (not yet initialised) with what the outputs need. Inputs and outputs keep the order in which they were
 * made and named. On failure `graph` is reset; after UNKNOWN and INVALID_STATE, too. */
webnn_status wnn_builder_freeze(webnn_builder *builder, const webnn_named_operand *outputs,
                                size_t n_outputs, wnn_graph *graph);

/* The same for whoever only looks at the graph: the builder stays open. `what` begins the message of a state error. */
webnn_status wnn_builder_copy(webnn_builder *builder, const char *what,
                              const webnn_named_operand *outputs, size_t n_outputs, wnn_graph *graph);

static inline bool wnn_str_equal(webnn_str a, webnn_str b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

#endif
