/* Graphs from the inside: what was compiled, and the names by which it is called. */
#ifndef WNN_CONTEXT_GRAPH_H
#define WNN_CONTEXT_GRAPH_H

#include "context/context.h"
#include <webnn/graph.h>

/* An input or output. */
typedef struct wnn_graph_end {
  webnn_str name;
  wnn_desc desc;
  size_t n_bytes, element_bytes;
} wnn_graph_end;

struct webnn_graph {
  wnn_ref ref;
  webnn_context *context; /* retained */
  wnn_arena arena;        /* names and lists */
  wnn_graph_end *inputs, *outputs;
  size_t n_inputs, n_outputs;
  wnn_memory_use memory;
  webnn_graph_step *steps; /* copies that outlive the executable */
  size_t n_steps;
  bool light;            /* a waiting caller may run it */
  atomic_bool quick;     /* light, and a run took less than handing it to the worker does */
  atomic_bool destroyed; /* set under the lock */
  /* Under the lock. The executable goes when the graph is destroyed and no run is left. */
  wnn_executable *executable;
  unsigned n_runs;          /* queued or running */
  webnn_graph *prev, *next; /* in the context's list */
  webnn_graph *doomed;      /* in a list of wnn_graphs_doom */
};

/* A graph without an executable, with the ends of `ir`; NULL: out of memory. */
webnn_graph *wnn_graph_prepare(webnn_context *context, const wnn_graph *ir);
/* Gives it the executable and puts it among the context's; destroyed at once if the context is
 * lost. False: out of memory; the executable is the graph's all the same. */
bool wnn_graph_complete(webnn_graph *graph, wnn_executable *executable);

/* Under the lock: a run keeps the graph and its executable, until it unpins it. */
void wnn_graph_pin(webnn_graph *graph);
void wnn_graph_unpin(webnn_graph *graph);
/* Without the lock, after an unpin: frees the executable if there is no run to come, gives the
 * graph back. */
void wnn_graph_let_go(webnn_graph *graph);

/* Under the lock: all graphs of the context are destroyed. Without it, afterwards: their
 * executables go. */
webnn_graph *wnn_graphs_doom(webnn_context *context);
void wnn_graphs_collect(webnn_graph *first);

#endif
