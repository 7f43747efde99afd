/* From a builder to a graph: frozen in the call, its passes and compilation on the worker. */
#include "base/error.h"
#include "context/graph.h"
#include "context/tensor.h"
#include "graph/builder.h"
#include "passes/passes.h"

static webnn_status create(webnn_context *context, webnn_builder **out, webnn_error *err) {
  if (webnn_context_is_lost(context)) return wnn_context_fail_lost(context, "graph_builder", err);
  webnn_status status = wnn_builder_create(context, wnn_context_alloc(context), out);
  return status == WEBNN_OK ? WEBNN_OK : wnn_error_no_memory(err);
}

webnn_status webnn_builder_create(webnn_context *context, webnn_builder **out, webnn_error *err) {
  webnn_error own;
  *out = NULL;
  err = wnn_error_or(err, &own);
  return wnn_context_end(context, create(context, out, err), err);
}

static webnn_status check_constant(const webnn_context *context, const webnn_tensor *tensor,
                                   webnn_error *err) {
  webnn_status status = wnn_tensor_check(context, tensor, "constant", err);
  if (status == WEBNN_OK && !tensor->constant)
    status = wnn_error_set(err, WEBNN_ERROR_TYPE, "constant: the tensor is not constant");
  return status;
}

static webnn_status add_tensor(webnn_builder *builder, webnn_tensor *tensor, webnn_operand **out) {
  webnn_context *context = webnn_builder_context(builder);
  webnn_error *err = wnn_builder_err(builder);
  /* The state comes last here, unlike everywhere else.  Spec: MLGraphBuilder.constant(tensor). */
  webnn_status status = check_constant(context, tensor, err);
  if (status == WEBNN_OK) status = wnn_builder_can_build(builder, "constant");
  if (status != WEBNN_OK) return status;

  wnn_context_lock(context); /* so that a destroy can't take the bytes in between */
  status = check_constant(context, tensor, err);
  wnn_blob *blob = status == WEBNN_OK ? wnn_blob_retain(tensor->blob) : NULL;
  wnn_context_unlock(context);
  if (status != WEBNN_OK) return status;
  status = wnn_builder_constant_blob(builder, &tensor->desc, blob, out);
  wnn_blob_release(blob);
  return status;
}

webnn_status webnn_builder_constant_tensor(webnn_builder *builder, webnn_tensor *tensor,
                                           webnn_operand **out) {
  *out = NULL;
  return wnn_builder_end(builder, add_tensor(builder, tensor, out));
}

typedef struct build_task {
  wnn_task task;
  webnn_context *context; /* retained */
  webnn_future *future;
  wnn_graph ir;
} build_task;

static void free_task(build_task *task) {
  webnn_context *context = task->context;
  webnn_future_release(task->future);
  wnn_alloc_free(wnn_context_alloc(context), task, sizeof *task);
  webnn_context_release(context);
}

static webnn_status evaluate(void *ud, const wnn_node *node, void *const *outputs) {
  const webnn_context *context = ud;
  return context->backend->evaluate(context->device, node, outputs);
}

/* The specification knows one failure of a compilation; want of memory stays what it is. */
static webnn_status spec_failure(webnn_status status, webnn_error *err) {
  if (status == WEBNN_OK || status == WEBNN_ERROR_UNKNOWN) return status;
  err->status = WEBNN_ERROR_OPERATION;
  return WEBNN_ERROR_OPERATION;
}

static size_t weight_bytes(const wnn_graph *ir) {
  size_t sum = 0;
  for (size_t i = 0; i < ir->n_constants; i++) sum += ir->constants[i]->blob->n_bytes;
  return sum;
}

static webnn_status compile(webnn_context *context, wnn_graph *ir, webnn_graph **out,
                            webnn_error *err) {
  const wnn_backend *backend = context->backend;
  wnn_evaluator evaluator = {backend->evaluate ? evaluate : NULL, context, backend->has_integers,
                             backend->has_attention, backend->wants_floats};
  wnn_executable *executable = NULL;
  webnn_graph *graph =
      wnn_graph_prepare(context, ir); /* first: passes may change what stands at the ends */
  if (graph == NULL) return wnn_error_no_memory(err);
  wnn_bank_begin(context->host.bank, weight_bytes(ir));
  webnn_status status = wnn_passes_run(ir, context->passes, &evaluator);
  if (status != WEBNN_OK)
    status = wnn_error_set(err, status, "build: out of memory");
  else
    status = backend->compile(context->device, ir, &executable, err);
  wnn_bank_end(context->host.bank);
  if (status == WEBNN_OK && !wnn_graph_complete(graph, executable))
    status = wnn_error_set(err, WEBNN_ERROR_UNKNOWN, "build: out of memory");
  if (status != WEBNN_OK) {
    webnn_graph_release(graph);
    return spec_failure(status, err);
  }
  *out = graph;
  return WEBNN_OK;
}

static void run_build(wnn_task *base, bool lost) {
  build_task *task = (build_task *)base;
  webnn_graph *graph = NULL;
  webnn_error err = {WEBNN_ERROR_UNKNOWN, "build: out of memory"};
  webnn_status status = lost ? WEBNN_OK : compile(task->context, &task->ir, &graph, &err);
  wnn_graph_reset(&task->ir);
  if (!lost && status == WEBNN_OK) wnn_future_finish_graph(task->future, graph);
  if (status != WEBNN_OK) wnn_future_fail(task->future, status, &err);
  free_task(task);
}

/* Queues the build. The context may have been lost since the builder was asked: then the future
 * says so. */
static void enqueue(build_task *task) {
  webnn_context *context = task->context;
  wnn_settled settled = {NULL, NULL};
  wnn_context_lock(context);
  wnn_future_track(task->future, &context->timeline->loose);
  bool goes = wnn_timeline_push(context->timeline, &task->task);
  if (!goes) wnn_futures_reject(&context->timeline->loose, context->timeline->reason, &settled);
  wnn_context_unlock(context);
  wnn_settled_fire(&settled);
  if (!goes) run_build(&task->task, true);
}

static webnn_status build(webnn_builder *builder, const webnn_named_operand *outputs,
                          size_t n_outputs, webnn_future **out) {
  webnn_context *context = webnn_builder_context(builder);
  const wnn_alloc *alloc = wnn_context_alloc(context);
  webnn_future *future = wnn_future_create(context->timeline, "build");
  build_task *task = future ? wnn_alloc_get(alloc, sizeof *task) : NULL;
  if (task == NULL) {
    webnn_future_release(future);
    return wnn_error_no_memory(wnn_builder_err(builder));
  }
  *task = (build_task){
      .task.run = run_build, .context = webnn_context_retain(context), .future = future};
  webnn_status status = wnn_builder_freeze(builder, outputs, n_outputs, &task->ir);
  if (status != WEBNN_OK) {
    free_task(task);
    return status;
  }
  *out = webnn_future_retain(future);
  enqueue(task);
  return WEBNN_OK;
}

webnn_status webnn_builder_build(webnn_builder *builder, const webnn_named_operand *outputs,
                                 size_t n_outputs, webnn_future **out) {
  *out = NULL;
  return wnn_builder_end(builder, build(builder, outputs, n_outputs, out));
}

webnn_status webnn_builder_build_sync(webnn_builder *builder, const webnn_named_operand *outputs,
                                      size_t n_outputs, webnn_graph **out) {
  webnn_context *context = webnn_builder_context(builder);
  webnn_error *err = wnn_builder_err(builder);
  webnn_future *future = NULL;
  *out = NULL;
  webnn_status status = WEBNN_OK;
  if (wnn_timeline_on_worker(context->timeline))
    status = wnn_error_set(err, WEBNN_ERROR_INVALID_STATE,
                           "build: the context's worker can't wait for itself");
  if (status == WEBNN_OK) status = build(builder, outputs, n_outputs, &future);
  if (status != WEBNN_OK) return wnn_builder_end(builder, status);
  webnn_future_wait(future, -1);
  status = webnn_future_result(future, err); /* a failure was reported as it settled */
  if (status == WEBNN_OK) *out = webnn_graph_retain(webnn_future_graph(future));
  webnn_future_release(future);
  return status;
}
