/* Builders: operands and nodes in one arena, checked as they come, frozen into a graph at the end. Knows its
 * context only through the public calls; what needs the timeline (create, build) is in context/. */
#ifndef WNN_GRAPH_BUILDER_H
#define WNN_GRAPH_BUILDER_H

#include "graph/ir.h"
#include <webnn/graph.h>

struct webnn_operand {
  wnn_value value; /* first: a value of the builder is its operand */
  webnn_builder *builder;
  webnn_str label;
};

/* A builder of `context`, which it retains; the state test has been made. UNKNOWN when out of memory. */
webnn_status wnn_builder_create(webnn_context *context, const wnn_alloc *alloc, webnn_builder **out);

/* INVALID_STATE when built or lost; clears the builder's error before.  Spec: canBuild. */
webnn_status wnn_builder_can_build(webnn_builder *builder, const char *what);

/* The builder's error, for callers that fail on its behalf. */
webnn_error *wnn_builder_err(webnn_builder *builder);

/* Adds a constant whose bytes are in `blob`, of which it keeps an own reference. */
webnn_status wnn_builder_constant_blob(webnn_builder *builder, const wnn_desc *desc, wnn_blob *blob,
                                       webnn_operand **out);

/* Checks the outputs as `webnn_builder_build` promises (state included), closes the builder and fills `graph`
 * (not yet initialised) with what the outputs need. Inputs and outputs keep the order in which they were
 * made and named. On failure `graph` is reset; after UNKNOWN and INVALID_STATE, too. */
webnn_status wnn_builder_freeze(webnn_builder *builder, const webnn_named_operand *outputs,
                                size_t n_outputs, wnn_graph *graph);

#endif
