/* Mapping: a host tensor's memory in the caller's hands, with nothing else at it. */
#include "base/error.h"
#include "context/tensor.h"

static webnn_status check_map(const webnn_tensor *tensor, webnn_error *err) {
  const char *what = "map_tensor";
  if (webnn_context_is_lost(tensor->context))
    return wnn_context_fail_lost(tensor->context, what, err);
  webnn_status status = wnn_tensor_check(tensor->context, tensor, what, err);
  if (status != WEBNN_OK) return status;
  if (tensor->constant)
    return wnn_error_set(err, WEBNN_ERROR_TYPE, "%s: the tensor is constant", what);
  if (tensor->buffer.host == NULL)
    return wnn_error_set(err, WEBNN_ERROR_NOT_SUPPORTED,
                         "%s: the tensor isn't in the host's memory", what);
  return WEBNN_OK;
}

static webnn_status map(webnn_tensor *tensor, void **out, webnn_error *err) {
  webnn_context *context = tensor->context;
  webnn_status status = check_map(tensor, err);
  if (status != WEBNN_OK) return status;
  wnn_context_lock(context);
  status = check_map(tensor, err);
  if (status == WEBNN_OK && !wnn_tensor_is_free(tensor) &&
      wnn_timeline_on_worker(context->timeline))
    status = wnn_error_set(err, WEBNN_ERROR_INVALID_STATE,
                           "map_tensor: the context's worker can't wait for itself");
  if (status == WEBNN_OK) {
    tensor->n_maps++; /* from now on no new work may touch it: the wait has an end */
    while (!wnn_tensor_is_free(tensor)) wnn_timeline_wait(context->timeline);
    status = check_map(tensor, err);
    if (status != WEBNN_OK) tensor->n_maps--;
  }
  if (status == WEBNN_OK) {
    webnn_tensor_retain(tensor);
    *out = tensor->buffer.host;
  }
  wnn_context_unlock(context);
  if (status != WEBNN_OK) wnn_tensor_let_go(webnn_tensor_retain(tensor));
  return status;
}

webnn_status webnn_tensor_map(webnn_tensor *tensor, void **out, webnn_error *err) {
  webnn_error own;
  *out = NULL;
  err = wnn_error_or(err, &own);
  return wnn_context_end(tensor->context, map(tensor, out, err), err);
}

void webnn_tensor_unmap(webnn_tensor *tensor) {
  webnn_context *context = tensor->context;
  if (wnn_timeline_forked(context->timeline)) return;
  wnn_context_lock(context);
  bool mapped = tensor->n_maps != 0;
  if (mapped) tensor->n_maps--;
  wnn_context_unlock(context);
  if (mapped) wnn_tensor_let_go(tensor);
}
