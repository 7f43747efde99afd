/* Tensors shared with the owner of a device: its memory made a tensor, a tensor's memory lent out.
 */
#include "base/error.h"
#include "context/tensor.h"

#include <string.h>

static webnn_status check_shares(const webnn_context *context, const char *what, webnn_error *err) {
  if (context->backend->buffer_import != NULL) return WEBNN_OK;
  return wnn_error_set(err, WEBNN_ERROR_NOT_SUPPORTED, "%s: the context is not OpenCL's", what);
}

static webnn_status import(webnn_context *context, const webnn_descriptor *descriptor,
                           const webnn_tensor_options *options, void *memory, void *event,
                           webnn_tensor **out, webnn_error *err) {
  const char *what = "import_opencl";
  webnn_tensor_options own = WEBNN_TENSOR_OPTIONS_INIT;
  webnn_tensor *tensor = NULL;
  if (options != NULL)
    memcpy(&own, options, options->struct_size < sizeof own ? options->struct_size : sizeof own);
  webnn_status status = check_shares(context, what, err);
  if (status == WEBNN_OK && memory == NULL)
    status = wnn_error_set(err, WEBNN_ERROR_TYPE, "%s: there is no memory given", what);
  if (status == WEBNN_OK) status = wnn_tensor_make(context, descriptor, what, &tensor, err);
  if (status != WEBNN_OK) return status;
  tensor->readable = own.readable;
  tensor->writable = own.writable;
  status = context->backend->buffer_import(context->device, memory, tensor->n_bytes, event,
                                           &tensor->buffer);
  if (status != WEBNN_OK) {
    status = wnn_error_set(err, status,
                           status == WEBNN_ERROR_TYPE
                               ? "%s: no buffer of the context's own, of %zu bytes at least"
                               : "%s: the device failed (%zu bytes)",
                           what, tensor->n_bytes);
    webnn_tensor_release(tensor);
    return status;
  }
  tensor->has_memory = true;
  return wnn_tensor_enter(tensor, what, out, err);
}

webnn_status webnn_tensor_import_opencl(webnn_context *context, const webnn_descriptor *descriptor,
                                        const webnn_tensor_options *options, void *memory,
                                        void *event, webnn_tensor **out, webnn_error *err) {
  webnn_error own;
  *out = NULL;
  err = wnn_error_or(err, &own);
  return wnn_context_end(context, import(context, descriptor, options, memory, event, out, err),
                         err);
}

/* Under the lock, and without it. */
static webnn_status check_export(const webnn_tensor *tensor, webnn_error *err) {
  const char *what = "export_opencl";
  if (webnn_context_is_lost(tensor->context))
    return wnn_context_fail_lost(tensor->context, what, err);
  webnn_status status = wnn_tensor_check(tensor->context, tensor, what, err);
  if (status == WEBNN_OK) status = check_shares(tensor->context, what, err);
  if (status == WEBNN_OK && tensor->constant)
    status = wnn_error_set(err, WEBNN_ERROR_TYPE, "%s: the tensor is constant", what);
  return status;
}

/* Under the lock: pins the tensor for its borrower once nothing is left to be queued on it. */
static webnn_status pin(webnn_tensor *tensor, webnn_error *err) {
  wnn_timeline *timeline = tensor->context->timeline;
  webnn_status status = check_export(tensor, err);
  if (status == WEBNN_OK && tensor->n_maps != 0)
    status = wnn_error_set(err, WEBNN_ERROR_INVALID_STATE, "export_opencl: the tensor is exported");
  if (status == WEBNN_OK && !wnn_tensor_is_free(tensor) && wnn_timeline_on_worker(timeline))
    status = wnn_error_set(err, WEBNN_ERROR_INVALID_STATE,
                           "export_opencl: the context's worker can't wait for itself");
  if (status != WEBNN_OK) return status;
  tensor->n_maps++; /* from now on no new work may touch it: the wait has an end */
  tensor->exported = true;
  while (!wnn_tensor_is_free(tensor)) wnn_timeline_wait(timeline);
  status = check_export(tensor, err);
  if (status != WEBNN_OK) {
    tensor->n_maps--;
    tensor->exported = false;
    return status;
  }
  webnn_tensor_retain(tensor);
  return WEBNN_OK;
}

/* False: it wasn't pinned. */
static bool unpin(webnn_tensor *tensor) {
  wnn_context_lock(tensor->context);
  bool exported = tensor->exported;
  if (exported) {
    tensor->exported = false;
    tensor->n_maps--;
  }
  wnn_context_unlock(tensor->context);
  return exported;
}

static webnn_status export(webnn_tensor *tensor, void **memory, void **event, webnn_error *err) {
  webnn_context *context = tensor->context;
  webnn_status status = check_export(tensor, err);
  if (status != WEBNN_OK) return status;
  wnn_context_lock(context);
  status = pin(tensor, err);
  wnn_context_unlock(context);
  if (status != WEBNN_OK) {
    wnn_tensor_let_go(webnn_tensor_retain(tensor));
    return status;
  }
  if (context->backend->buffer_export(context->device, &tensor->buffer, memory, event) == WEBNN_OK)
    return WEBNN_OK;
  unpin(tensor);
  wnn_tensor_let_go(tensor);
  return wnn_error_set(err, WEBNN_ERROR_UNKNOWN, "export_opencl: the device failed");
}

webnn_status webnn_tensor_export_opencl(webnn_tensor *tensor, void **memory, void **event,
                                        webnn_error *err) {
  webnn_error own;
  *memory = *event = NULL;
  err = wnn_error_or(err, &own);
  return wnn_context_end(tensor->context, export(tensor, memory, event, err), err);
}

/* Under the lock: whether there is something to take back. */
static bool is_exported(webnn_tensor *tensor) {
  wnn_context_lock(tensor->context);
  bool exported = tensor->exported;
  wnn_context_unlock(tensor->context);
  return exported;
}

static webnn_status take_back(webnn_tensor *tensor, void *event, webnn_error *err) {
  webnn_context *context = tensor->context;
  webnn_status status = WEBNN_OK;
  if (wnn_timeline_forked(context->timeline))
    return wnn_context_fail_lost(context, "return_opencl", err);
  /* Before the tensor is back, so that nothing is queued on it in between. */
  if (event != NULL && is_exported(tensor) &&
      context->backend->await_event(context->device, event) != WEBNN_OK)
    status =
        wnn_error_set(err, WEBNN_ERROR_UNKNOWN, "return_opencl: the event can't be waited for");
  if (!unpin(tensor))
    return wnn_error_set(err, WEBNN_ERROR_INVALID_STATE,
                         "return_opencl: the tensor is not exported");
  wnn_tensor_let_go(tensor);
  return status;
}

webnn_status webnn_tensor_return_opencl(webnn_tensor *tensor, void *event, webnn_error *err) {
  webnn_context *context = webnn_context_retain(tensor->context); /* the tensor may go */
  webnn_error own;
  err = wnn_error_or(err, &own);
  webnn_status status = wnn_context_end(context, take_back(tensor, event, err), err);
  webnn_context_release(context);
  return status;
}
