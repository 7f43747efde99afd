#include "context/context.h"

#include "base/error.h"
#include "context/graph.h"
#include "context/registry.h"
#include "context/tensor.h"
#include "passes/passes.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <webnn/webnn.h>

#define TEXT(x) #x
#define VERSION_TEXT(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

const char *webnn_version(void) {
  return VERSION_TEXT(WEBNN_VERSION_MAJOR, WEBNN_VERSION_MINOR, WEBNN_VERSION_PATCH);
}

/* ---- creating */

static webnn_status check_options(const webnn_context_options *options, webnn_error *err) {
  const char *what = NULL;
  if ((unsigned)options->power_preference > WEBNN_POWER_PREFERENCE_LOW_POWER)
    what = "power preference";
  else if ((unsigned)options->device_type > WEBNN_DEVICE_TYPE_GPU)
    what = "device type";
  else if ((unsigned)options->math > WEBNN_MATH_FAST)
    what = "kind of math";
  if (what != NULL) return wnn_error_set(err, WEBNN_ERROR_TYPE, "create_context: no such %s", what);
  if (options->threads > WNN_MAX_THREADS)
    return wnn_error_set(err, WEBNN_ERROR_TYPE, "create_context: %u threads, the limit is %d",
                         (unsigned)options->threads, WNN_MAX_THREADS);
  webnn_str wrong = {NULL, 0};
  if (!wnn_passes_valid(options->passes, &wrong))
    return wnn_error_set(err, WEBNN_ERROR_TYPE, "create_context: there is no pass '%s'",
                         wnn_quote(wrong).text);
  return WEBNN_OK;
}

/* Why the CPU serves who asked for a GPU, or for a device by name, which no CPU backend looks at. */
static void explain(const webnn_context_options *options, const wnn_backend *backend,
                    const char *failure, char *out, size_t n_bytes) {
  bool named = options->backend != NULL && strcmp(options->backend, "auto") != 0;
  out[0] = '\0';
  const bool ignores = options->device != NULL && backend->device_type == WEBNN_DEVICE_TYPE_CPU;
  if (backend->device_type == options->device_type && !ignores) return;
  if (backend->device_type == options->device_type)
    snprintf(out, n_bytes, "device names one of OpenCL's: ask for backend opencl or device type gpu too");
  else if (failure[0] != '\0')
    snprintf(out, n_bytes, "%s", failure);
  else if (named)
    snprintf(out, n_bytes, "the backend %s was asked for by name", backend->name);
  else if (options->opencl_queue != NULL || options->opencl_context != NULL)
    snprintf(out, n_bytes, "an OpenCL queue or context was given");
  else
    snprintf(out, n_bytes, "no backend for this kind of device is built in");
}

webnn_status webnn_context_create(const webnn_context_options *options, webnn_context **out,
                                  webnn_error *err) {
  webnn_context_options own = WEBNN_CONTEXT_OPTIONS_INIT;
  const wnn_backend *candidates[WNN_MAX_BACKENDS];
  size_t n_candidates;
  char why[256], failure[256] = "";
  *out = NULL;
  if (options != NULL)
    memcpy(&own, options, options->struct_size < sizeof own ? options->struct_size : sizeof own);
  bool shares = own.opencl_queue != NULL || own.opencl_context != NULL;
  webnn_status status = check_options(&own, err);
  if (status == WEBNN_OK)
    status = wnn_registry_candidates(own.backend, own.device_type, shares, candidates, &n_candidates, err);
  if (status != WEBNN_OK) return status;

  webnn_error local = {WEBNN_ERROR_NOT_SUPPORTED,
                       "create_context: there is no backend for this device"};
  for (size_t i = 0; i < n_candidates; i++) {
    explain(&own, candidates[i], failure, why, sizeof why);
    status = wnn_context_open(&own, candidates[i], why, out, &local);
    if (status != WEBNN_ERROR_NOT_SUPPORTED) break;
    snprintf(failure, sizeof failure, "%.*s", (int)sizeof failure - 1, local.message);
  }
  if (status != WEBNN_OK && err != NULL) *err = local;
  return status;
}

webnn_status webnn_context_create_from_opencl(void *queue, webnn_context **out, webnn_error *err) {
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  *out = NULL;
  if (queue == NULL) return wnn_error_set(err, WEBNN_ERROR_TYPE, "create_context: there is no queue given");
  options.opencl_queue = queue;
  return webnn_context_create(&options, out, err);
}

/* Frees what there is of a context whose timeline has ended. */
static void dispose(webnn_context *context) {
  wnn_alloc alloc = context->host.alloc;
  webnn_future_release(context->lost);
  if (context->device != NULL) context->backend->close(context->device);
  wnn_pool_free(context->host.pool);
  wnn_alloc_free(&alloc, context->passes, context->passes_bytes);
  wnn_bank_free(context->host.bank);
  wnn_alloc_free(&alloc, atomic_load(&context->limits), context->limits_bytes);
  if (context->timeline != NULL) wnn_timeline_release(context->timeline);
  wnn_alloc_free(&alloc, context, sizeof *context);
}

static bool copy_passes(webnn_context *context, const char *passes) {
  if (passes == NULL) return true;
  context->passes_bytes = strlen(passes) + 1;
  context->passes = wnn_alloc_get(wnn_context_alloc(context), context->passes_bytes);
  if (context->passes == NULL) return false;
  memcpy(context->passes, passes, context->passes_bytes);
  context->host.passes = context->passes;
  return true;
}

static webnn_status start(webnn_context *context, const webnn_context_options *options,
                          webnn_error *err) {
  const wnn_alloc *alloc = wnn_context_alloc(context);
  if (!copy_passes(context, options->passes)) return wnn_error_no_memory(err);
  context->host.bank = wnn_bank_create(alloc);
  if (context->host.bank == NULL) return wnn_error_no_memory(err);
  context->host.pool = wnn_pool_create(alloc, options->threads);
  if (context->host.pool == NULL) return wnn_error_no_memory(err);
  webnn_status status = context->backend->open(&context->host, &context->device, err);
  context->host.device_name = NULL; /* the caller's */
  context->host.queue = context->host.context = NULL;
  if (status != WEBNN_OK) return status;
  context->timeline = wnn_timeline_create(alloc, context->host.pool);
  if (context->timeline == NULL)
    return wnn_error_set(err, WEBNN_ERROR_UNKNOWN, "create_context: out of memory or threads");
  context->lost = wnn_future_create(context->timeline, NULL);
  if (context->lost != NULL) return WEBNN_OK;
  wnn_context_lock(context);
  wnn_timeline_stop(context->timeline);
  wnn_context_unlock(context);
  wnn_timeline_end(context->timeline);
  return wnn_error_no_memory(err);
}

webnn_status wnn_context_open(const webnn_context_options *options, const wnn_backend *backend,
                              const char *why, webnn_context **out, webnn_error *err) {
  wnn_alloc alloc = options->allocator ? *options->allocator : (wnn_alloc){NULL, NULL};
  *out = NULL;
  webnn_context *context = wnn_alloc_zeroed(&alloc, sizeof *context);
  if (context == NULL) return wnn_error_no_memory(err);
  wnn_ref_init(&context->ref);
  atomic_init(&context->limits, NULL);
  context->backend = backend;
  context->host = (wnn_host){.alloc = alloc,
                             .math = options->math,
                             .named = options->backend != NULL && strcmp(options->backend, "auto") != 0,
                             .queue = options->opencl_queue,
                             .context = options->opencl_context,
                             .power_preference = options->power_preference,
                             .device_name = options->device};
  context->accelerated = options->accelerated;
  snprintf(context->why, sizeof context->why, "%s", why);
  webnn_status status = start(context, options, err);
  if (status != WEBNN_OK) {
    dispose(context);
    return status;
  }
  *out = context;
  return WEBNN_OK;
}

/* ---- losing */

webnn_status wnn_context_fail_lost(const webnn_context *context, const char *what,
                                   webnn_error *err) {
  return wnn_error_set(err, WEBNN_ERROR_INVALID_STATE, "%s: the context is lost: %s", what,
                       wnn_timeline_reason(context->timeline));
}

void wnn_context_lose(webnn_context *context, const char *format, ...) {
  wnn_timeline *timeline = context->timeline;
  wnn_settled settled = {NULL, NULL};
  va_list args;
  if (wnn_timeline_lost(timeline)) return;
  wnn_timeline_lock(timeline);
  if (wnn_timeline_lost(timeline)) {
    wnn_timeline_unlock(timeline);
    return;
  }
  va_start(args, format);
  vsnprintf(timeline->reason, sizeof timeline->reason, format, args);
  va_end(args);
  atomic_store_explicit(&timeline->lost, true, memory_order_release);
  wnn_task *queued = wnn_timeline_stop(timeline);
  wnn_future_settle_lost(context->lost, &settled);
  webnn_graph *graphs = wnn_graphs_doom(context);
  webnn_tensor *tensors = wnn_tensors_doom(context, &settled);
  wnn_futures_reject(&timeline->loose, timeline->reason, &settled);
  wnn_timeline_changed(timeline);
  while (timeline->n_copying != 0) wnn_timeline_wait(timeline);
  wnn_timeline_unlock(timeline);
  wnn_settled_fire(&settled);
  wnn_tasks_drop(queued);
  wnn_graphs_collect(graphs);
  wnn_tensors_collect(tensors);
}

webnn_status wnn_context_explain(const webnn_context *context, const char *text, webnn_error *out) {
  const wnn_backend *backend = context->backend;
  const char *why = backend->failure != NULL ? backend->failure(context->device) : "";
  return wnn_error_set(out, WEBNN_ERROR_UNKNOWN, "%s%s%s", text, why[0] != '\0' ? ": " : "", why);
}

void wnn_context_break(webnn_context *context, const char *text) {
  webnn_error err;
  wnn_context_explain(context, text, &err);
  /* Who sees the loss may close the scope right after; who is called may ask for more. */
  const bool uncaught = wnn_context_misses(context, &err);
  wnn_context_lose(context, "%s", err.message);
  if (uncaught) wnn_watch_tell(&context->timeline->watch, &err);
}

void wnn_context_break_after(webnn_context *context, const char *text) {
  webnn_error err;
  if (context->backend->failure == NULL) return;
  wnn_context_explain(context, text, &err);
  wnn_context_lose(context, "%s", err.message);
}

void webnn_context_destroy(webnn_context *context) {
  wnn_context_lose(context, "the context was destroyed");
}

webnn_context *webnn_context_retain(webnn_context *context) {
  if (context != NULL) wnn_ref_retain(&context->ref);
  return context;
}

void webnn_context_release(webnn_context *context) {
  if (context == NULL || !wnn_ref_release(&context->ref)) return;
  /* A child's copy stays as it is: its locks may be held, its device in the middle of something. */
  if (wnn_timeline_forked(context->timeline)) return;
  wnn_context_lose(context, "the context was released");
  wnn_timeline_end(context->timeline);
  dispose(context);
}

/* ---- looking */

bool webnn_context_is_lost(const webnn_context *context) {
  return wnn_timeline_lost(context->timeline);
}
webnn_future *webnn_context_lost(webnn_context *context) { return context->lost; }
bool webnn_context_accelerated(const webnn_context *context) { return context->accelerated; }

void webnn_context_get_info(const webnn_context *context, webnn_context_info *out) {
  wnn_device_info device = context->backend->info(context->device);
  size_t room = out->struct_size;
  webnn_context_info info = {room,
                             context->backend->name,
                             device.device,
                             device.driver,
                             wnn_pool_size(context->host.pool),
                             context->why};
  memcpy(out, &info, room < sizeof info ? room : sizeof info);
}

const char *webnn_context_op_support_limits(webnn_context *context) {
  char *limits = atomic_load_explicit(&context->limits, memory_order_acquire);
  if (limits != NULL) return limits;
  size_t n_bytes;
  char *fresh =
      wnn_limits_make(wnn_context_alloc(context), context->backend, context->device, &n_bytes);
  if (fresh == NULL) return NULL;
  /* Two threads may make it at once; all see the first one. No lock, so it works in a forked child
   * too. */
  if (atomic_compare_exchange_strong(&context->limits, &limits, fresh)) {
    context->limits_bytes = n_bytes;
    return fresh;
  }
  wnn_alloc_free(wnn_context_alloc(context), fresh, n_bytes);
  return limits;
}

int webnn_context_fd(webnn_context *context) {
  wnn_timeline *timeline = context->timeline;
  if (wnn_timeline_forked(timeline))
    return -1; /* the parent's: reading it would steal from the parent */
  wnn_timeline_lock(timeline);
  if (timeline->event.read_fd < 0 && wnn_event_open(&timeline->event) && timeline->finished)
    wnn_event_set(&timeline->event);
  int fd = timeline->event.read_fd;
  wnn_timeline_unlock(timeline);
  return fd;
}

void webnn_context_drain(webnn_context *context) {
  wnn_timeline *timeline = context->timeline;
  if (wnn_timeline_forked(timeline)) return;
  wnn_timeline_lock(timeline);
  timeline->finished = false;
  wnn_event event = timeline->event;
  wnn_timeline_unlock(timeline);
  wnn_event_clear(&event);
}
