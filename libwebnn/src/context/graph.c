/* A graph's life: from what build.c compiled to the last run. Runs themselves are in dispatch.c and
 * compute.c. */
#include "context/graph.h"

#include <string.h>

/* ---- making */

static bool copy_ends(wnn_arena *arena, const wnn_named_value *values, size_t n,
                      wnn_graph_end **out) {
  *out = wnn_arena_array(arena, n, sizeof **out);
  if (*out == NULL) return false;
  for (size_t i = 0; i < n; i++) {
    wnn_graph_end *end = &(*out)[i];
    end->desc = values[i].value->desc;
    end->n_bytes = wnn_desc_bytes(&end->desc);
    end->element_bytes = webnn_data_type_bytes(end->desc.type);
    if (!wnn_arena_str(arena, values[i].name, &end->name)) return false;
  }
  return true;
}

webnn_graph *wnn_graph_prepare(webnn_context *context, const wnn_graph *ir) {
  webnn_graph *graph = wnn_alloc_zeroed(wnn_context_alloc(context), sizeof *graph);
  if (graph == NULL) return NULL;
  wnn_ref_init(&graph->ref);
  atomic_init(&graph->destroyed, false);
  wnn_arena_init(&graph->arena, wnn_context_alloc(context));
  graph->context = webnn_context_retain(context);
  graph->n_inputs = ir->n_inputs;
  graph->n_outputs = ir->n_outputs;
  if (copy_ends(&graph->arena, ir->inputs, ir->n_inputs, &graph->inputs) &&
      copy_ends(&graph->arena, ir->outputs, ir->n_outputs, &graph->outputs))
    return graph;
  webnn_graph_release(graph);
  return NULL;
}

/* The executable's steps, in the graph's own memory: the graph may be looked at after its destruction. */
static bool copy_steps(webnn_graph *graph) {
  const wnn_backend *backend = graph->context->backend;
  wnn_arena *arena = &graph->arena;
  size_t n = 0;
  while (backend->step != NULL && backend->step(graph->executable, n) != NULL) n++;
  graph->steps = wnn_arena_array(arena, n, sizeof *graph->steps);
  if (graph->steps == NULL) return false;
  for (size_t i = 0; i < n; i++) {
    const wnn_step_info *info = backend->step(graph->executable, i);
    webnn_graph_step *step = &graph->steps[i];
    *step = (webnn_graph_step)WEBNN_GRAPH_STEP_INIT;
    step->operations = wnn_arena_copy(arena, info->operations, strlen(info->operations) + 1);
    step->kernel = wnn_arena_copy(arena, info->kernel, strlen(info->kernel) + 1);
    step->shapes = wnn_arena_copy(arena, info->shapes, strlen(info->shapes) + 1);
    step->layout = wnn_arena_copy(arena, info->layout, strlen(info->layout) + 1);
    step->declined = wnn_arena_copy(arena, info->declined, strlen(info->declined) + 1);
    step->reason = wnn_arena_copy(arena, info->reason, strlen(info->reason) + 1);
    step->n_threads = info->n_threads;
    step->n_bytes = info->n_bytes;
    step->n_flops = info->n_flops;
    step->n_launches = info->n_launches;
    if (!wnn_arena_str(arena, info->label, &step->label)) return false;
    if (step->operations == NULL || step->kernel == NULL || step->shapes == NULL || step->layout == NULL ||
        step->declined == NULL || step->reason == NULL)
      return false;
  }
  graph->n_steps = n;
  return true;
}

bool wnn_graph_complete(webnn_graph *graph, wnn_executable *executable) {
  webnn_context *context = graph->context;
  graph->executable = executable;
  if (!copy_steps(graph)) return false;
  graph->memory = context->backend->memory(executable);
  graph->light = context->backend->is_light(executable);
  wnn_context_lock(context);
  if (wnn_timeline_lost(context->timeline)) {
    atomic_store(&graph->destroyed, true);
  } else {
    graph->next = context->graphs;
    if (graph->next != NULL) graph->next->prev = graph;
    context->graphs = graph;
  }
  wnn_context_unlock(context);
  return true;
}

/* ---- owners and the end */

webnn_graph *webnn_graph_retain(webnn_graph *graph) {
  if (graph != NULL) wnn_ref_retain(&graph->ref);
  return graph;
}

static void leave_context(webnn_graph *graph) {
  webnn_context *context = graph->context;
  if (graph->prev != NULL)
    graph->prev->next = graph->next;
  else if (context->graphs == graph)
    context->graphs = graph->next;
  if (graph->next != NULL) graph->next->prev = graph->prev;
}

void webnn_graph_release(webnn_graph *graph) {
  if (graph == NULL || !wnn_ref_release(&graph->ref)) return;
  webnn_context *context = graph->context;
  if (wnn_timeline_forked(context->timeline)) return; /* see webnn_context_release */
  wnn_context_lock(context);
  leave_context(graph);
  wnn_context_unlock(context);
  if (graph->executable != NULL) context->backend->executable_free(graph->executable);
  wnn_arena_reset(&graph->arena);
  wnn_alloc_free(wnn_context_alloc(context), graph, sizeof *graph);
  webnn_context_release(context);
}

/* Frees the executable of a destroyed graph that has no run to come. */
static void collect(webnn_graph *graph) {
  if (!atomic_load_explicit(&graph->destroyed, memory_order_acquire)) return;
  wnn_context_lock(graph->context);
  wnn_executable *executable = graph->n_runs == 0 ? graph->executable : NULL;
  if (executable != NULL) graph->executable = NULL;
  wnn_context_unlock(graph->context);
  if (executable != NULL) graph->context->backend->executable_free(executable);
}

void webnn_graph_destroy(webnn_graph *graph) {
  if (wnn_timeline_forked(graph->context->timeline)) return;
  wnn_context_lock(graph->context);
  atomic_store(&graph->destroyed, true);
  wnn_context_unlock(graph->context);
  collect(graph);
}

void wnn_graph_pin(webnn_graph *graph) {
  webnn_graph_retain(graph);
  graph->n_runs++;
}

void wnn_graph_unpin(webnn_graph *graph) { graph->n_runs--; }

void wnn_graph_let_go(webnn_graph *graph) {
  collect(graph);
  webnn_graph_release(graph);
}

webnn_graph *wnn_graphs_doom(webnn_context *context) {
  webnn_graph *doomed = NULL;
  for (webnn_graph *graph = context->graphs; graph != NULL; graph = graph->next) {
    atomic_store(&graph->destroyed, true);
    if (!wnn_ref_try_retain(&graph->ref)) continue;
    graph->doomed = doomed;
    doomed = graph;
  }
  return doomed;
}

void wnn_graphs_collect(webnn_graph *first) {
  for (webnn_graph *next; first != NULL; first = next) {
    next = first->doomed;
    wnn_graph_let_go(first);
  }
}

/* ---- looking */

bool webnn_graph_is_destroyed(const webnn_graph *graph) {
  return atomic_load_explicit(&graph->destroyed, memory_order_acquire) ||
         wnn_timeline_forked(graph->context->timeline);
}

webnn_context *webnn_graph_context(const webnn_graph *graph) { return graph->context; }
size_t webnn_graph_n_inputs(const webnn_graph *graph) { return graph->n_inputs; }
size_t webnn_graph_n_outputs(const webnn_graph *graph) { return graph->n_outputs; }

static webnn_str describe(const wnn_graph_end *ends, size_t n, size_t i, webnn_descriptor *out) {
  if (out != NULL) *out = (webnn_descriptor){WEBNN_DATA_TYPE_FLOAT32, 0, NULL};
  if (i >= n) return (webnn_str){NULL, 0};
  if (out != NULL) *out = wnn_desc_public(&ends[i].desc);
  return ends[i].name;
}

webnn_str webnn_graph_input(const webnn_graph *graph, size_t i, webnn_descriptor *out) {
  return describe(graph->inputs, graph->n_inputs, i, out);
}

webnn_str webnn_graph_output(const webnn_graph *graph, size_t i, webnn_descriptor *out) {
  return describe(graph->outputs, graph->n_outputs, i, out);
}

size_t webnn_graph_n_steps(const webnn_graph *graph) { return graph->n_steps; }

bool webnn_graph_get_step(const webnn_graph *graph, size_t i, webnn_graph_step *out) {
  if (i >= graph->n_steps) return false;
  size_t room = out->struct_size;
  webnn_graph_step step = graph->steps[i];
  step.struct_size = room;
  memcpy(out, &step, room < sizeof step ? room : sizeof step);
  return true;
}

void webnn_graph_get_memory(const webnn_graph *graph, webnn_graph_memory *out) {
  size_t room = out->struct_size;
  webnn_graph_memory memory = {room, graph->memory.weights, graph->memory.arena,
                               graph->memory.scratch};
  memcpy(out, &memory, room < sizeof memory ? room : sizeof memory);
}
