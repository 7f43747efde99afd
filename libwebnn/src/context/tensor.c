#include "context/tensor.h"

#include <string.h>
#include "base/error.h"

/* A read of at most so many bytes is copied on the spot: handing it over would take longer. */
#define QUICK_READ_BYTES ((size_t)128 * 1024)

/* ---- memory */

static void free_memory(webnn_tensor *tensor, wnn_buffer *buffer, wnn_blob *blob) {
  webnn_context *context = tensor->context;
  if (tensor->constant)
    wnn_blob_release(blob);
  else
    context->backend->buffer_free(context->device, buffer);
}

/* Frees the memory of a destroyed tensor that nobody is at. */
static void collect(webnn_tensor *tensor) {
  if (!atomic_load_explicit(&tensor->destroyed, memory_order_acquire)) return;
  wnn_context_lock(tensor->context);
  bool goes = tensor->has_memory && wnn_tensor_is_free(tensor) && tensor->n_maps == 0;
  wnn_buffer buffer = tensor->buffer;
  if (goes) tensor->has_memory = false;
  wnn_context_unlock(tensor->context);
  if (goes) free_memory(tensor, &buffer, tensor->blob);
}

void wnn_tensor_pin(webnn_tensor *tensor, bool writes) {
  webnn_tensor_retain(tensor);
  if (writes)
    tensor->n_writers++;
  else
    tensor->n_readers++;
}

void wnn_tensor_unpin(webnn_tensor *tensor, bool writes) {
  if (writes)
    tensor->n_writers--;
  else
    tensor->n_readers--;
  if (wnn_tensor_is_free(tensor)) wnn_timeline_changed(tensor->context->timeline);
}

void wnn_tensor_let_go(webnn_tensor *tensor) {
  collect(tensor);
  webnn_tensor_release(tensor);
}

static void unhold(webnn_tensor *tensor) {
  wnn_context_lock(tensor->context);
  tensor->held = false;
  wnn_timeline_changed(tensor->context->timeline);
  wnn_context_unlock(tensor->context);
  collect(tensor);
}

/* ---- creating */

static webnn_status check_bytes(const webnn_tensor *tensor, const void *data, size_t n_bytes,
                                const char *what, webnn_error *err) {
  if (data == NULL)
    return wnn_error_set(err, WEBNN_ERROR_TYPE, "%s: there is no memory given", what);
  if (n_bytes == tensor->n_bytes) return WEBNN_OK;
  return wnn_error_set(err, WEBNN_ERROR_TYPE, "%s: %zu bytes given, %s has %zu", what, n_bytes,
                       wnn_desc_format(&tensor->desc).text, tensor->n_bytes);
}

webnn_status wnn_tensor_make(webnn_context *context, const webnn_descriptor *descriptor, const char *what,
                             webnn_tensor **out, webnn_error *err) {
  wnn_desc desc;
  if (webnn_context_is_lost(context)) return wnn_context_fail_lost(context, what, err);
  webnn_status status =
      wnn_desc_make(&desc, descriptor->data_type, descriptor->shape, descriptor->rank, what, err);
  if (status != WEBNN_OK) return status;
  webnn_tensor *tensor = wnn_alloc_zeroed(wnn_context_alloc(context), sizeof *tensor);
  if (tensor == NULL) return wnn_error_no_memory(err);
  wnn_ref_init(&tensor->ref);
  atomic_init(&tensor->destroyed, false);
  tensor->desc = desc;
  tensor->n_bytes = wnn_desc_bytes(&desc);
  tensor->context = webnn_context_retain(context);
  *out = tensor;
  return WEBNN_OK;
}

webnn_status wnn_tensor_enter(webnn_tensor *tensor, const char *what, webnn_tensor **out, webnn_error *err) {
  webnn_context *context = tensor->context;
  wnn_context_lock(context);
  bool lost = wnn_timeline_lost(context->timeline);
  if (lost) {
    atomic_store(&tensor->destroyed, true);
  } else {
    tensor->next = context->tensors;
    if (tensor->next != NULL) tensor->next->prev = tensor;
    context->tensors = tensor;
  }
  wnn_context_unlock(context);
  if (!lost) {
    *out = tensor;
    return WEBNN_OK;
  }
  webnn_status status = wnn_context_fail_lost(context, what, err);
  webnn_tensor_release(tensor);
  return status;
}

static webnn_status create(webnn_context *context, const webnn_descriptor *descriptor,
                           const webnn_tensor_options *options, webnn_tensor **out,
                           webnn_error *err) {
  webnn_tensor_options own = WEBNN_TENSOR_OPTIONS_INIT;
  webnn_tensor *tensor = NULL;
  if (options != NULL)
    memcpy(&own, options, options->struct_size < sizeof own ? options->struct_size : sizeof own);
  webnn_status status = wnn_tensor_make(context, descriptor, "create_tensor", &tensor, err);
  if (status != WEBNN_OK) return status;
  tensor->readable = own.readable;
  tensor->writable = own.writable;
  if (context->backend->buffer_create(context->device, tensor->n_bytes, &tensor->buffer) !=
      WEBNN_OK) {
    status = wnn_error_set(err, WEBNN_ERROR_UNKNOWN, "create_tensor: %zu bytes: out of memory",
                           tensor->n_bytes);
    webnn_tensor_release(tensor);
    return status;
  }
  tensor->has_memory = true;
  return wnn_tensor_enter(tensor, "create_tensor", out, err);
}

webnn_status webnn_tensor_create(webnn_context *context, const webnn_descriptor *descriptor,
                                 const webnn_tensor_options *options, webnn_tensor **out,
                                 webnn_error *err) {
  webnn_error own;
  *out = NULL;
  err = wnn_error_or(err, &own);
  return wnn_context_end(context, create(context, descriptor, options, out, err), err);
}

static webnn_status create_constant(webnn_context *context, const webnn_descriptor *descriptor,
                                    const void *data, size_t n_bytes, webnn_tensor **out,
                                    webnn_error *err) {
  const char *what = "create_constant_tensor";
  webnn_tensor *tensor = NULL;
  webnn_status status = wnn_tensor_make(context, descriptor, what, &tensor, err);
  if (status != WEBNN_OK) return status;
  tensor->constant = true;
  status = check_bytes(tensor, data, n_bytes, what, err);
  if (status == WEBNN_OK) {
    tensor->blob = wnn_blob_create_brief(wnn_context_alloc(context), n_bytes);
    if (tensor->blob == NULL) status = wnn_error_no_memory(err);
  }
  if (status != WEBNN_OK) {
    webnn_tensor_release(tensor);
    return status;
  }
  memcpy(wnn_blob_bytes(tensor->blob), data, n_bytes);
  tensor->has_memory = true;
  return wnn_tensor_enter(tensor, what, out, err);
}

webnn_status webnn_tensor_create_constant(webnn_context *context,
                                          const webnn_descriptor *descriptor, const void *data,
                                          size_t n_bytes, webnn_tensor **out, webnn_error *err) {
  webnn_error own;
  *out = NULL;
  err = wnn_error_or(err, &own);
  return wnn_context_end(context, create_constant(context, descriptor, data, n_bytes, out, err),
                         err);
}

/* ---- owners and the end */

webnn_tensor *webnn_tensor_retain(webnn_tensor *tensor) {
  if (tensor != NULL) wnn_ref_retain(&tensor->ref);
  return tensor;
}

static void leave_context(webnn_tensor *tensor) {
  webnn_context *context = tensor->context;
  if (tensor->prev != NULL)
    tensor->prev->next = tensor->next;
  else if (context->tensors == tensor)
    context->tensors = tensor->next;
  if (tensor->next != NULL) tensor->next->prev = tensor->prev;
}

void webnn_tensor_release(webnn_tensor *tensor) {
  if (tensor == NULL || !wnn_ref_release(&tensor->ref)) return;
  webnn_context *context = tensor->context;
  if (wnn_timeline_forked(context->timeline)) return; /* see webnn_context_release */
  wnn_context_lock(context);
  leave_context(tensor);
  wnn_futures_move(&tensor->reads, &context->timeline->loose);
  wnn_context_unlock(context);
  if (tensor->has_memory) free_memory(tensor, &tensor->buffer, tensor->blob);
  wnn_alloc_free(wnn_context_alloc(context), tensor, sizeof *tensor);
  webnn_context_release(context);
}

void webnn_tensor_destroy(webnn_tensor *tensor) {
  webnn_context *context = tensor->context;
  wnn_settled settled = {NULL, NULL};
  if (wnn_timeline_forked(context->timeline)) return;
  wnn_context_lock(context);
  if (!tensor->destroyed) {
    atomic_store(&tensor->destroyed, true);
    if (tensor->constant) wnn_blob_withdraw(tensor->blob);
    wnn_futures_reject(&tensor->reads, "read_tensor: the tensor was destroyed", &settled);
    wnn_timeline_changed(context->timeline);
  }
  wnn_futures_await_copies(context->timeline, &tensor->reads);
  wnn_context_unlock(context);
  wnn_settled_fire(&settled);
  collect(tensor);
}

webnn_tensor *wnn_tensors_doom(webnn_context *context, wnn_settled *settled) {
  webnn_tensor *doomed = NULL;
  for (webnn_tensor *tensor = context->tensors; tensor != NULL; tensor = tensor->next) {
    atomic_store(&tensor->destroyed, true);
    wnn_futures_reject(&tensor->reads, context->timeline->reason, settled);
    if (!wnn_ref_try_retain(&tensor->ref)) continue;
    tensor->doomed = doomed;
    doomed = tensor;
  }
  return doomed;
}

void wnn_tensors_collect(webnn_tensor *first) {
  for (webnn_tensor *next; first != NULL; first = next) {
    next = first->doomed;
    wnn_tensor_let_go(first);
  }
}

/* ---- looking */

webnn_descriptor webnn_tensor_descriptor(const webnn_tensor *tensor) {
  return wnn_desc_public(&tensor->desc);
}
size_t webnn_tensor_byte_length(const webnn_tensor *tensor) { return tensor->n_bytes; }
bool webnn_tensor_readable(const webnn_tensor *tensor) { return tensor->readable; }
bool webnn_tensor_writable(const webnn_tensor *tensor) { return tensor->writable; }
bool webnn_tensor_constant(const webnn_tensor *tensor) { return tensor->constant; }
bool webnn_tensor_is_destroyed(const webnn_tensor *tensor) { return wnn_tensor_gone(tensor); }
webnn_context *webnn_tensor_context(const webnn_tensor *tensor) { return tensor->context; }

/* ---- access */

webnn_status wnn_tensor_check(const webnn_context *context, const webnn_tensor *tensor,
                              const char *what, webnn_error *err) {
  if (tensor->context != context)
    return wnn_error_set(err, WEBNN_ERROR_TYPE, "%s: the tensor belongs to another context", what);
  if (!wnn_tensor_gone(tensor)) return WEBNN_OK;
  if (!webnn_context_is_lost(context))
    return wnn_error_set(err, WEBNN_ERROR_TYPE, "%s: the tensor is destroyed", what);
  return wnn_error_set(err, WEBNN_ERROR_TYPE, "%s: the tensor is destroyed: %s", what,
                       wnn_timeline_reason(context->timeline));
}

/* Under the lock: waits for a copy that another thread makes; then the tensor may have changed. */
static void await_unheld(webnn_tensor *tensor) {
  while (tensor->held) wnn_timeline_wait(tensor->context->timeline);
}

/* ---- writing */

typedef struct write_task {
  wnn_task task;
  webnn_tensor *tensor;
  wnn_blob *bytes;
} write_task;

static void free_write(write_task *task, const wnn_alloc *alloc) {
  wnn_blob_release(task->bytes);
  wnn_alloc_free(alloc, task, sizeof *task);
}

static void run_write(wnn_task *base, bool lost) {
  write_task *task = (write_task *)base;
  webnn_tensor *tensor = task->tensor;
  webnn_context *context = tensor->context;
  webnn_status status = WEBNN_OK;
  if (!lost)
    status = context->backend->buffer_write(context->device, &tensor->buffer, task->bytes->data);
  if (status != WEBNN_OK) wnn_context_break(context, "a write to a tensor failed on the device");
  wnn_context_lock(context);
  wnn_tensor_unpin(tensor, true);
  wnn_context_unlock(context);
  free_write(task, wnn_context_alloc(context));
  wnn_tensor_let_go(tensor);
}

static write_task *make_write(webnn_tensor *tensor, const void *data) {
  const wnn_alloc *alloc = wnn_context_alloc(tensor->context);
  write_task *task = wnn_alloc_get(alloc, sizeof *task);
  if (task == NULL) return NULL;
  *task = (write_task){
      .task.run = run_write, .tensor = tensor, .bytes = wnn_blob_create(alloc, tensor->n_bytes)};
  if (task->bytes == NULL) {
    free_write(task, alloc);
    return NULL;
  }
  memcpy(wnn_blob_bytes(task->bytes), data, tensor->n_bytes);
  return task;
}

/* Under the lock. */
static webnn_status check_write(webnn_context *context, webnn_tensor *tensor, webnn_error *err) {
  await_unheld(tensor);
  webnn_status status = wnn_tensor_check(context, tensor, "write_tensor", err);
  if (status == WEBNN_OK && tensor->n_maps != 0)
    status = wnn_error_set(err, WEBNN_ERROR_INVALID_STATE, "write_tensor: the tensor is exported");
  return status;
}

/* Queues a copy of the bytes behind the work that the tensor is in. */
static webnn_status write_later(webnn_context *context, webnn_tensor *tensor, const void *data,
                                webnn_error *err) {
  write_task *task = make_write(tensor, data);
  if (task == NULL) return wnn_error_no_memory(err);
  wnn_context_lock(context);
  webnn_status status = check_write(context, tensor, err);
  if (status == WEBNN_OK) {
    wnn_tensor_pin(tensor, true);
    wnn_timeline_push(context->timeline, &task->task);
  }
  wnn_context_unlock(context);
  if (status != WEBNN_OK) free_write(task, wnn_context_alloc(context));
  return status;
}

static webnn_status write_tensor(webnn_context *context, webnn_tensor *tensor, const void *data,
                                 size_t n_bytes, webnn_error *err) {
  webnn_status status = wnn_tensor_check(context, tensor, "write_tensor", err);
  if (status == WEBNN_OK && !tensor->writable)
    status = wnn_error_set(err, WEBNN_ERROR_TYPE, "write_tensor: the tensor is not writable");
  if (status == WEBNN_OK) status = check_bytes(tensor, data, n_bytes, "write_tensor", err);
  if (status != WEBNN_OK) return status;

  wnn_context_lock(context);
  status = check_write(context, tensor, err);
  /* With no work queued on it, now is its turn: nothing that the timeline does can tell. */
  bool now = status == WEBNN_OK && tensor->buffer.host != NULL && wnn_tensor_is_free(tensor);
  if (now) tensor->held = true;
  wnn_context_unlock(context);
  if (status != WEBNN_OK) return status;
  if (!now) return write_later(context, tensor, data, err);
  memcpy(tensor->buffer.host, data, n_bytes);
  unhold(tensor);
  return WEBNN_OK;
}

webnn_status webnn_tensor_write(webnn_context *context, webnn_tensor *tensor, const void *data,
                                size_t n_bytes, webnn_error *err) {
  webnn_error own;
  err = wnn_error_or(err, &own);
  return wnn_context_end(context, write_tensor(context, tensor, data, n_bytes, err), err);
}

/* ---- reading */

typedef struct read_task {
  wnn_task task;
  webnn_tensor *tensor;
  webnn_future *future;
} read_task;

static void run_read(wnn_task *base, bool lost) {
  read_task *task = (read_task *)base;
  webnn_tensor *tensor = task->tensor;
  webnn_context *context = tensor->context;
  void *to = lost ? NULL : wnn_future_begin_read(task->future);
  if (to != NULL) {
    webnn_status status = context->backend->buffer_read(context->device, &tensor->buffer, to);
    if (status == WEBNN_OK) {
      wnn_future_finish_read(task->future);
    } else {
      webnn_error err = {WEBNN_ERROR_UNKNOWN, "read_tensor: the device failed to copy the bytes"};
      wnn_future_fail(task->future, err.status, &err);
      wnn_context_break_after(context, "a read of a tensor failed on the device");
    }
  }
  wnn_context_lock(context);
  wnn_tensor_unpin(tensor, false);
  wnn_context_unlock(context);
  webnn_future_release(task->future);
  wnn_alloc_free(wnn_context_alloc(context), task, sizeof *task);
  wnn_tensor_let_go(tensor);
}

static bool read_later(webnn_tensor *tensor, webnn_future *future) {
  webnn_context *context = tensor->context;
  read_task *task = wnn_alloc_get(wnn_context_alloc(context), sizeof *task);
  if (task == NULL) return false;
  *task = (read_task){.task.run = run_read, .tensor = tensor, .future = future};
  wnn_context_lock(context);
  bool goes = !wnn_tensor_gone(tensor); /* else the future has been rejected meanwhile */
  if (goes) {
    webnn_future_retain(future);
    wnn_tensor_pin(tensor, false);
    wnn_timeline_push(context->timeline, &task->task);
  }
  wnn_context_unlock(context);
  if (!goes) wnn_alloc_free(wnn_context_alloc(context), task, sizeof *task);
  return true;
}

static void read_now(webnn_tensor *tensor, webnn_future *future) {
  webnn_future_retain(future); /* the work's */
  void *to = wnn_future_begin_read(future);
  if (to != NULL) memcpy(to, tensor->buffer.host, tensor->n_bytes);
  unhold(tensor);
  if (to != NULL) wnn_future_finish_read(future);
  webnn_future_release(future);
}

static webnn_status start_read(webnn_context *context, webnn_tensor *tensor, webnn_future *future,
                               webnn_error *err) {
  wnn_context_lock(context);
  await_unheld(tensor);
  webnn_status status = wnn_tensor_check(context, tensor, "read_tensor", err);
  if (status == WEBNN_OK && tensor->exported)
    status = wnn_error_set(err, WEBNN_ERROR_INVALID_STATE, "read_tensor: the tensor is exported");
  if (status == WEBNN_OK) wnn_future_track(future, &tensor->reads);
  bool now = status == WEBNN_OK && tensor->buffer.host != NULL && tensor->n_writers == 0 &&
             tensor->n_bytes <= QUICK_READ_BYTES;
  if (now) tensor->held = true;
  wnn_context_unlock(context);
  if (status != WEBNN_OK) return status;
  if (now)
    read_now(tensor, future);
  else if (!read_later(tensor, future))
    status = wnn_error_no_memory(err);
  return status;
}

static webnn_status read_tensor(webnn_context *context, webnn_tensor *tensor, void *target,
                                webnn_future **out, webnn_error *err) {
  webnn_future *future = wnn_future_create(context->timeline, "read_tensor");
  webnn_status status = WEBNN_OK;
  if (future == NULL || !wnn_future_reserve(future, tensor->n_bytes, target))
    status = wnn_error_no_memory(err);
  if (status == WEBNN_OK) status = start_read(context, tensor, future, err);
  if (status == WEBNN_OK)
    *out = future;
  else
    webnn_future_release(future);
  return status;
}

static webnn_status check_read(const webnn_context *context, const webnn_tensor *tensor,
                               webnn_error *err) {
  webnn_status status = wnn_tensor_check(context, tensor, "read_tensor", err);
  if (status == WEBNN_OK && !tensor->readable)
    status = wnn_error_set(err, WEBNN_ERROR_TYPE, "read_tensor: the tensor is not readable");
  return status;
}

webnn_status webnn_tensor_read(webnn_context *context, webnn_tensor *tensor, webnn_future **out,
                               webnn_error *err) {
  webnn_error own;
  *out = NULL;
  err = wnn_error_or(err, &own);
  webnn_status status = check_read(context, tensor, err);
  if (status == WEBNN_OK) status = read_tensor(context, tensor, NULL, out, err);
  return wnn_context_end(context, status, err);
}

webnn_status webnn_tensor_read_into(webnn_context *context, webnn_tensor *tensor, void *data,
                                    size_t n_bytes, webnn_future **out, webnn_error *err) {
  webnn_error own;
  *out = NULL;
  err = wnn_error_or(err, &own);
  webnn_status status = check_read(context, tensor, err);
  if (status == WEBNN_OK) status = check_bytes(tensor, data, n_bytes, "read_tensor", err);
  if (status == WEBNN_OK) status = read_tensor(context, tensor, data, out, err);
  return wnn_context_end(context, status, err);
}
