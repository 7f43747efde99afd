/* Runs of a graph on a caller's own memory: the caller waits, or does a light one itself. */
#include <string.h>
#include "base/error.h"
#include "base/floats.h"
#include "context/call.h"
#include "context/graph.h"

/* Ends that need no memory of their own. */
#define FEW 16

/* How long the caller looks out for the end before it sleeps. */
#define SPIN_NS 10000

typedef struct compute {
  wnn_task task; /* first: it is queued where it stands, on the caller's stack */
  webnn_graph *graph;
  webnn_status status;
  double *seconds; /* a profile's; else NULL */
  atomic_int done;
  size_t n_inputs, n; /* ends */
  size_t n_staged;    /* of those whose memory isn't aligned */
  wnn_buffer *buffers;
  const wnn_buffer **pointers;
  const webnn_named_data **given;
  wnn_buffer few_buffers[FEW];
  const wnn_buffer *few_pointers[FEW];
  const webnn_named_data *few_given[FEW];
} compute;

/* ---- memory for the lists */

static size_t list_bytes(size_t n) {
  return n * (sizeof(wnn_buffer) + sizeof(wnn_buffer *) + sizeof(webnn_named_data *));
}

static bool make_lists(compute *c, webnn_graph *graph) {
  c->graph = graph;
  c->n_inputs = graph->n_inputs;
  c->n = graph->n_inputs + graph->n_outputs;
  c->n_staged = 0;
  c->buffers = c->few_buffers;
  c->pointers = c->few_pointers;
  c->given = c->few_given;
  if (c->n > FEW) {
    c->buffers = wnn_alloc_get(wnn_context_alloc(graph->context), list_bytes(c->n));
    if (c->buffers == NULL) return false;
    c->pointers = (const wnn_buffer **)(void *)(c->buffers + c->n);
    c->given = (const webnn_named_data **)(void *)(c->pointers + c->n);
  }
  for (size_t i = 0; i < c->n; i++) c->given[i] = NULL;
  return true;
}

static void free_lists(compute *c) {
  const wnn_alloc *alloc = wnn_context_alloc(c->graph->context);
  for (size_t i = 0; i < c->n && c->n_staged != 0; i++)
    if (c->given[i] != NULL && c->buffers[i].host != c->given[i]->data)
      wnn_alloc_free(alloc, c->buffers[i].host, c->buffers[i].n_bytes);
  if (c->buffers != c->few_buffers) wnn_alloc_free(alloc, c->buffers, list_bytes(c->n));
}

/* ---- checks */

/* Binds one side: ends from `base` on. */
static webnn_status bind(compute *c, const char *side, const wnn_graph_end *ends, size_t n_ends,
                         size_t base, const webnn_named_data *given, size_t n_given,
                         webnn_error *err) {
  for (size_t i = 0; i < n_given; i++) {
    size_t k = wnn_call_find(ends, n_ends, i, given[i].name);
    if (k == n_ends || c->given[base + k] != NULL)
      return wnn_call_bad_name("compute", side, given[i].name, k < n_ends, err);
    if (given[i].n_bytes != ends[k].n_bytes || given[i].data == NULL)
      return wnn_error_set(err, WEBNN_ERROR_TYPE, "compute: %s '%s' has %zu bytes, %s has %zu",
                           side, wnn_quote(given[i].name).text,
                           given[i].data ? given[i].n_bytes : (size_t)0,
                           wnn_desc_format(&ends[k].desc).text, ends[k].n_bytes);
    c->given[base + k] = &given[i];
    c->buffers[base + k] = (wnn_buffer){given[i].data, ends[k].n_bytes, NULL};
    c->pointers[base + k] = &c->buffers[base + k];
    if ((uintptr_t)given[i].data % ends[k].element_bytes != 0) c->n_staged++;
  }
  for (size_t k = 0; n_given < n_ends && k < n_ends; k++)
    if (c->given[base + k] == NULL) return wnn_call_missing("compute", side, &ends[k], err);
  return WEBNN_OK;
}

static bool overlap(const wnn_buffer *a, const wnn_buffer *b) {
  uintptr_t x = (uintptr_t)a->host, y = (uintptr_t)b->host;
  return x < y ? y - x < a->n_bytes : x - y < b->n_bytes;
}

static webnn_status check_overlap(const compute *c, webnn_error *err) {
  for (size_t i = c->n_inputs; i < c->n; i++)
    for (size_t k = 0; k < i; k++)
      if (overlap(&c->buffers[i], &c->buffers[k]))
        return wnn_error_set(
            err, WEBNN_ERROR_TYPE, "compute: the memory of output '%s' overlaps that of %s '%s'",
            wnn_quote(c->given[i]->name).text, k < c->n_inputs ? "input" : "output",
            wnn_quote(c->given[k]->name).text);
  return WEBNN_OK;
}

/* Kernels access elements as what they are: memory that isn't aligned for that gets a copy. */
static webnn_status stage(compute *c, webnn_error *err) {
  const webnn_graph *graph = c->graph;
  for (size_t i = 0; i < c->n; i++) {
    const wnn_graph_end *end =
        i < c->n_inputs ? &graph->inputs[i] : &graph->outputs[i - c->n_inputs];
    if ((uintptr_t)c->given[i]->data % end->element_bytes == 0) continue;
    void *copy = wnn_alloc_get(wnn_context_alloc(graph->context), end->n_bytes);
    if (copy == NULL) return wnn_error_no_memory(err);
    c->buffers[i].host = copy;
    if (i < c->n_inputs) memcpy(copy, c->given[i]->data, end->n_bytes);
  }
  return WEBNN_OK;
}

static void unstage(const compute *c) {
  for (size_t i = c->n_inputs; i < c->n; i++)
    if (c->buffers[i].host != c->given[i]->data)
      memcpy(c->given[i]->data, c->buffers[i].host, c->buffers[i].n_bytes);
}

/* ---- running */

static webnn_status run(const compute *c) {
  webnn_context *context = c->graph->context;
  webnn_status status = context->backend->run(c->graph->executable, c->pointers,
                                              c->pointers + c->n_inputs, c->seconds);
  if (status != WEBNN_OK) wnn_context_break_after(context, "a graph failed on the device");
  return status;
}

static void run_queued(wnn_task *base, bool lost) {
  compute *c = (compute *)base;
  wnn_timeline *timeline = c->graph->context->timeline;
  webnn_status status = lost ? WEBNN_OK : run(c);
  wnn_timeline_lock(timeline);
  c->status = status;
  wnn_graph_unpin(c->graph);
  atomic_store_explicit(&c->done, 1, memory_order_release);
  wnn_timeline_changed(timeline);
  wnn_timeline_unlock(timeline);
  /* `c` is gone: its caller needed only the lock to see it done. */
}

/* Under the lock, which it lets go in between: the worker does it, the caller waits. */
static webnn_status run_on_worker(compute *c, webnn_error *err) {
  wnn_timeline *timeline = c->graph->context->timeline;
  if (wnn_timeline_on_worker(timeline))
    return wnn_error_set(err, WEBNN_ERROR_INVALID_STATE,
                         "compute: the context's worker can't wait for itself");
  atomic_init(&c->done, 0);
  c->task.run = run_queued;
  c->graph->n_runs++;
  wnn_timeline_push(timeline, &c->task);
  wnn_timeline_unlock(timeline);
  if (timeline->spins) wnn_spin_while(&c->done, 0, SPIN_NS);
  wnn_timeline_lock(timeline);
  while (!atomic_load_explicit(&c->done, memory_order_acquire)) wnn_timeline_wait(timeline);
  return WEBNN_OK;
}

static webnn_status run_in_turn(compute *c, webnn_error *err) {
  webnn_context *context = c->graph->context;
  wnn_timeline *timeline = context->timeline;
  wnn_timeline_lock(timeline);
  webnn_status status = wnn_call_check_graph("compute", context, c->graph, err);
  if (status == WEBNN_OK && c->graph->light && wnn_timeline_claim(timeline)) {
    c->graph->n_runs++;
    wnn_timeline_unlock(timeline);
    wnn_float_mode before = wnn_float_mode_enter();
    c->status = run(c);
    wnn_float_mode_leave(&before);
    wnn_timeline_lock(timeline);
    wnn_graph_unpin(c->graph);
    wnn_timeline_unclaim(timeline);
  } else if (status == WEBNN_OK) {
    status = run_on_worker(c, err);
  }
  bool lost = wnn_timeline_lost(timeline), gone = c->graph->destroyed;
  wnn_timeline_unlock(timeline);
  if (gone) wnn_graph_let_go(webnn_graph_retain(c->graph));
  if (status != WEBNN_OK) return status;
  if (c->status != WEBNN_OK) /* and may have lost the context */
    return wnn_context_explain(context, "compute: the graph failed on the device", err);
  return lost ? wnn_context_fail_lost(context, "compute", err) : WEBNN_OK;
}

static webnn_status compute_graph(webnn_context *context, webnn_graph *graph,
                                  const webnn_named_data *inputs, size_t n_inputs,
                                  const webnn_named_data *outputs, size_t n_outputs,
                                  double *seconds, webnn_error *err) {
  compute c;
  c.seconds = seconds;
  webnn_status status = wnn_call_check_graph("compute", context, graph, err);
  if (status != WEBNN_OK) return status;
  if (!make_lists(&c, graph)) return wnn_error_no_memory(err);
  status = bind(&c, "input", graph->inputs, graph->n_inputs, 0, inputs, n_inputs, err);
  if (status == WEBNN_OK)
    status = bind(&c, "output", graph->outputs, graph->n_outputs, graph->n_inputs, outputs,
                  n_outputs, err);
  if (status == WEBNN_OK) status = check_overlap(&c, err);
  if (status == WEBNN_OK && c.n_staged != 0) status = stage(&c, err);
  if (status == WEBNN_OK) status = run_in_turn(&c, err);
  if (status == WEBNN_OK && c.n_staged != 0) unstage(&c);
  free_lists(&c);
  return status;
}

webnn_status webnn_graph_compute(webnn_context *context, webnn_graph *graph,
                                 const webnn_named_data *inputs, size_t n_inputs,
                                 const webnn_named_data *outputs, size_t n_outputs,
                                 webnn_error *err) {
  webnn_error own;
  err = wnn_error_or(err, &own);
  webnn_status status =
      compute_graph(context, graph, inputs, n_inputs, outputs, n_outputs, NULL, err);
  return wnn_context_end(context, status, err);
}

webnn_status webnn_graph_profile(webnn_context *context, webnn_graph *graph,
                                 const webnn_named_data *inputs, size_t n_inputs,
                                 const webnn_named_data *outputs, size_t n_outputs, double *seconds,
                                 size_t n_steps, webnn_error *err) {
  webnn_error own;
  err = wnn_error_or(err, &own);
  webnn_status status = wnn_call_check_graph("profile", context, graph, err);
  if (status == WEBNN_OK && n_steps != graph->n_steps)
    status = wnn_error_set(err, WEBNN_ERROR_TYPE,
                           "profile: there is room for %zu steps, the graph has %zu", n_steps,
                           graph->n_steps);
  if (status == WEBNN_OK)
    status = compute_graph(context, graph, inputs, n_inputs, outputs, n_outputs, seconds, err);
  return wnn_context_end(context, status, err);
}
