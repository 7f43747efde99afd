/* Runs of a graph on tensors, queued on the timeline; one that is over sooner than it would be
 * handed to the worker is done at once, where nothing is before it. */
#include <string.h>
#include "base/error.h"
#include "base/floats.h"
#include "context/call.h"
#include "context/tensor.h"

/* Waking the worker costs the caller about as much. */
#define QUICK_NS 5000

/* Tensors for which the caller's stack has room. */
#define FEW 16

typedef struct dispatch_task {
  wnn_task task;
  webnn_graph *graph;
  size_t n_bytes;         /* of this and the lists behind it; 0: they are on the caller's stack */
  webnn_tensor **tensors; /* by the graph's inputs, then its outputs */
  const wnn_buffer **buffers;
} dispatch_task;

/* What the caller gave for one side of the graph. */
typedef struct side {
  const char *what; /* "input", "output" */
  const wnn_graph_end *ends;
  size_t n_ends;
  const webnn_named_tensor *given;
  size_t n_given;
  webnn_tensor **tensors; /* to be filled, by end */
} side;

static void free_task(dispatch_task *task) {
  wnn_alloc_free(wnn_context_alloc(task->graph->context), task, task->n_bytes);
}

/* Keeps what the run needs until it is done. Under the lock. */
static void pin_all(const dispatch_task *task) {
  const webnn_graph *graph = task->graph;
  size_t n_inputs = graph->n_inputs, n = n_inputs + graph->n_outputs;
  for (size_t i = 0; i < n; i++) {
    wnn_tensor_pin(task->tensors[i], i >= n_inputs);
    task->buffers[i] = &task->tensors[i]->buffer;
  }
  wnn_graph_pin(task->graph);
}

/* Under the lock, once the run is done. */
static void unpin_all(const dispatch_task *task) {
  size_t n_inputs = task->graph->n_inputs, n = n_inputs + task->graph->n_outputs;
  for (size_t i = 0; i < n; i++) wnn_tensor_unpin(task->tensors[i], i >= n_inputs);
  wnn_graph_unpin(task->graph);
}

/* Without the lock, afterwards. A task on the heap is freed. */
static void let_all_go(dispatch_task *task) {
  webnn_graph *graph = task->graph;
  size_t n = graph->n_inputs + graph->n_outputs;
  for (size_t i = 0; i < n; i++) wnn_tensor_let_go(task->tensors[i]);
  if (task->n_bytes != 0) free_task(task);
  wnn_graph_let_go(graph);
}

static void run(const dispatch_task *task) {
  const webnn_graph *graph = task->graph;
  webnn_context *context = graph->context;
  webnn_status status = context->backend->run(graph->executable, task->buffers,
                                              task->buffers + graph->n_inputs, NULL);
  /* Nobody awaits a dispatch, and its outputs are in an unknown state: only the loss of all can
   * tell. */
  if (status != WEBNN_OK) wnn_context_break(context, "a dispatched graph failed on the device");
}

/* ---- on the worker */

static void run_and_time(const dispatch_task *task) {
  webnn_graph *graph = task->graph;
  const int64_t begin = wnn_now_ns();
  run(task);
  if (wnn_now_ns() - begin < QUICK_NS) atomic_store(&graph->quick, true);
}

static void run_dispatch(wnn_task *base, bool lost) {
  dispatch_task *task = (dispatch_task *)base;
  webnn_context *context = task->graph->context;
  if (!lost && task->graph->light)
    run_and_time(task);
  else if (!lost)
    run(task);
  wnn_context_lock(context);
  unpin_all(task);
  wnn_context_unlock(context);
  let_all_go(task);
}

static dispatch_task *make_task(webnn_graph *graph) {
  size_t n = graph->n_inputs + graph->n_outputs;
  size_t n_bytes = sizeof(dispatch_task) + n * (sizeof(webnn_tensor *) + sizeof(wnn_buffer *));
  dispatch_task *task = wnn_alloc_zeroed(wnn_context_alloc(graph->context), n_bytes);
  if (task == NULL) return NULL;
  task->task.run = run_dispatch;
  task->graph = graph;
  task->n_bytes = n_bytes;
  task->tensors = (webnn_tensor **)(void *)(task + 1);
  task->buffers = (const wnn_buffer **)(void *)(task->tensors + n);
  return task;
}

/* ---- on the caller's thread */

/* True: it is the caller's turn, and the lock is held. */
static bool claim_turn(const webnn_graph *graph) {
  if (!atomic_load_explicit(&graph->quick, memory_order_relaxed) ||
      graph->n_inputs + graph->n_outputs > FEW)
    return false;
  wnn_context_lock(graph->context);
  if (wnn_timeline_claim(graph->context->timeline)) return true;
  wnn_context_unlock(graph->context);
  return false;
}

static void run_here(dispatch_task *task) {
  webnn_context *context = task->graph->context;
  wnn_float_mode before = wnn_float_mode_enter();
  run(task);
  wnn_float_mode_leave(&before);
  wnn_context_lock(context);
  unpin_all(task);
  wnn_timeline_unclaim(context->timeline);
  wnn_context_unlock(context);
  let_all_go(task);
}

/* ---- checks, all under the lock */

static bool any_held(const webnn_context *context, const side *s) {
  for (size_t i = 0; i < s->n_given; i++) {
    const webnn_tensor *tensor = s->given[i].tensor;
    if (tensor != NULL && tensor->context == context && tensor->held) return true;
  }
  return false;
}

/* Marks the tensors of this side; one that has the mark already was given before. Those of other
 * contexts are under another lock: the next check refuses them, with the same status. */
static webnn_status check_once(webnn_context *context, const side *s, webnn_error *err) {
  for (size_t i = 0; i < s->n_given; i++) {
    webnn_tensor *tensor = s->given[i].tensor;
    if (tensor == NULL)
      return wnn_error_set(err, WEBNN_ERROR_TYPE, "dispatch: %s '%s' has no tensor", s->what,
                           wnn_quote(s->given[i].name).text);
    if (tensor->context != context) continue;
    if (tensor->mark == context->mark)
      return wnn_error_set(err, WEBNN_ERROR_TYPE, "dispatch: the tensor of %s '%s' is given twice: each input and output needs its own",
                           s->what, wnn_quote(s->given[i].name).text);
    tensor->mark = context->mark;
  }
  return WEBNN_OK;
}

static webnn_status check_tensors(const webnn_context *context, const side *s, webnn_error *err) {
  for (size_t i = 0; i < s->n_given; i++) {
    const webnn_tensor *tensor = s->given[i].tensor;
    const char *wrong = NULL;
    if (tensor->context != context)
      wrong = "belongs to another context";
    else if (wnn_tensor_gone(tensor))
      wrong = "is destroyed";
    if (wrong != NULL)
      return wnn_error_set(err, WEBNN_ERROR_TYPE, "dispatch: the tensor of %s '%s' %s", s->what,
                           wnn_quote(s->given[i].name).text, wrong);
  }
  return WEBNN_OK;
}

static webnn_status check_side(const side *s, webnn_error *err) {
  for (size_t i = 0; i < s->n_given; i++) {
    webnn_tensor *tensor = s->given[i].tensor;
    webnn_str name = s->given[i].name;
    if (tensor->constant)
      return wnn_error_set(err, WEBNN_ERROR_TYPE, "dispatch: the tensor of %s '%s' is constant",
                           s->what, wnn_quote(name).text);
    size_t k = wnn_call_find(s->ends, s->n_ends, i, name);
    if (k == s->n_ends || s->tensors[k] != NULL)
      return wnn_call_bad_name("dispatch", s->what, name, k < s->n_ends, err);
    if (!wnn_desc_equal(&tensor->desc, &s->ends[k].desc))
      return wnn_error_set(err, WEBNN_ERROR_TYPE, "dispatch: %s '%s' is %s, the tensor is %s",
                           s->what, wnn_quote(name).text, wnn_desc_format(&s->ends[k].desc).text,
                           wnn_desc_format(&tensor->desc).text);
    s->tensors[k] = tensor;
  }
  for (size_t k = 0; s->n_given < s->n_ends && k < s->n_ends; k++)
    if (s->tensors[k] == NULL) return wnn_call_missing("dispatch", s->what, &s->ends[k], err);
  return WEBNN_OK;
}

static webnn_status check_mapped(const side *s, webnn_error *err) {
  for (size_t i = 0; i < s->n_given; i++)
    if (s->given[i].tensor->n_maps != 0)
      return wnn_error_set(err, WEBNN_ERROR_INVALID_STATE,
                           "dispatch: the tensor of %s '%s' is exported", s->what,
                           wnn_quote(s->given[i].name).text);
  return WEBNN_OK;
}

static webnn_status check_all(webnn_context *context, webnn_graph *graph, const side *in,
                              const side *out, webnn_error *err) {
  while (any_held(context, in) || any_held(context, out)) wnn_timeline_wait(context->timeline);
  context->mark++;
  webnn_status status = wnn_call_check_graph("dispatch", context, graph, err);
  if (status == WEBNN_OK) status = check_once(context, in, err);
  if (status == WEBNN_OK) status = check_once(context, out, err);
  if (status == WEBNN_OK) status = check_tensors(context, in, err);
  if (status == WEBNN_OK) status = check_tensors(context, out, err);
  if (status == WEBNN_OK) status = check_side(in, err);
  if (status == WEBNN_OK) status = check_side(out, err);
  if (status == WEBNN_OK) status = check_mapped(in, err);
  if (status == WEBNN_OK) status = check_mapped(out, err);
  return status;
}

/* ---- the call */

static webnn_status dispatch(webnn_context *context, webnn_graph *graph,
                             const webnn_named_tensor *inputs, size_t n_inputs,
                             const webnn_named_tensor *outputs, size_t n_outputs,
                             webnn_error *err) {
  webnn_tensor *few_tensors[FEW] = {NULL};
  const wnn_buffer *few_buffers[FEW];
  dispatch_task own = {.graph = graph, .tensors = few_tensors, .buffers = few_buffers};
  webnn_status status = wnn_call_check_graph("dispatch", context, graph, err);
  if (status != WEBNN_OK) return status;
  const bool here = claim_turn(graph);
  dispatch_task *task = here ? &own : make_task(graph);
  if (task == NULL) return wnn_error_no_memory(err);
  side in = {"input", graph->inputs, graph->n_inputs, inputs, n_inputs, task->tensors};
  side out = {"output", graph->outputs, graph->n_outputs,
              outputs,  n_outputs,      task->tensors + graph->n_inputs};
  if (!here) wnn_context_lock(context);
  status = check_all(context, graph, &in, &out, err);
  if (status == WEBNN_OK) pin_all(task);
  if (status == WEBNN_OK && !here) wnn_timeline_push(context->timeline, &task->task);
  if (status != WEBNN_OK && here) wnn_timeline_unclaim(context->timeline);
  wnn_context_unlock(context);
  if (status == WEBNN_OK && here) run_here(task);
  if (status != WEBNN_OK && !here) free_task(task);
  return status;
}

webnn_status webnn_graph_dispatch(webnn_context *context, webnn_graph *graph,
                                  const webnn_named_tensor *inputs, size_t n_inputs,
                                  const webnn_named_tensor *outputs, size_t n_outputs,
                                  webnn_error *err) {
  webnn_error own;
  err = wnn_error_or(err, &own);
  webnn_status status = dispatch(context, graph, inputs, n_inputs, outputs, n_outputs, err);
  return wnn_context_end(context, status, err);
}
