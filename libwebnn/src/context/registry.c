#include "context/registry.h"

#include "base/error.h"
#include <string.h>

extern const wnn_backend wnn_backend_reference;
#ifdef WEBNN_HAS_ONEDNN
extern const wnn_backend wnn_backend_onednn;
#endif
#ifdef WEBNN_HAS_OPENCL
extern const wnn_backend wnn_backend_opencl;
#endif

/* Of each device type the best first. */
static const wnn_backend *const backends[] = {
#ifdef WEBNN_HAS_ONEDNN
    &wnn_backend_onednn,
#endif
    &wnn_backend_reference,
#ifdef WEBNN_HAS_OPENCL
    &wnn_backend_opencl,
#endif
};

#define N_BACKENDS (sizeof backends / sizeof backends[0])
_Static_assert(N_BACKENDS <= WNN_MAX_BACKENDS, "a caller's list has room for all");

static webnn_status no_such_backend(const char *name, webnn_error *err) {
  char list[128] = "";
  for (size_t i = 0; i < N_BACKENDS; i++) {
    if (i != 0) strncat(list, ", ", sizeof list - strlen(list) - 1);
    strncat(list, backends[i]->name, sizeof list - strlen(list) - 1);
  }
  wnn_quoted quoted = wnn_quote((webnn_str){name, strlen(name)});
  return wnn_error_set(err, WEBNN_ERROR_NOT_SUPPORTED,
                       "create_context: there is no backend '%s'; there is %s", quoted.text, list);
}

webnn_status wnn_registry_candidates(const char *name, webnn_device_type device_type, bool shares,
                                     const wnn_backend *out[WNN_MAX_BACKENDS], size_t *n_out,
                                     webnn_error *err) {
  *n_out = 0;
  if (shares) {
    bool any = name == NULL || strcmp(name, "auto") == 0;
    for (size_t i = 0; i < N_BACKENDS; i++)
      if (backends[i]->buffer_import != NULL && (any || strcmp(backends[i]->name, name) == 0))
        out[(*n_out)++] = backends[i];
    if (*n_out != 0) return WEBNN_OK;
    return wnn_error_set(err, WEBNN_ERROR_NOT_SUPPORTED, "create_context: %s",
                         any ? "this build cannot use an OpenCL queue or context"
                             : "an OpenCL queue or context is for the backend opencl");
  }
  if (name != NULL && strcmp(name, "auto") != 0) {
    for (size_t i = 0; i < N_BACKENDS; i++)
      if (strcmp(backends[i]->name, name) == 0) out[(*n_out)++] = backends[i];
    return *n_out != 0 ? WEBNN_OK : no_such_backend(name, err);
  }
  for (size_t i = 0; i < N_BACKENDS; i++)
    if (backends[i]->device_type == device_type) out[(*n_out)++] = backends[i];
  for (size_t i = 0; i < N_BACKENDS; i++) /* what isn't there falls back to the CPU */
    if (device_type != WEBNN_DEVICE_TYPE_CPU && backends[i]->device_type == WEBNN_DEVICE_TYPE_CPU)
      out[(*n_out)++] = backends[i];
  return WEBNN_OK;
}

const wnn_backend *wnn_registry_backend(size_t i) { return i < N_BACKENDS ? backends[i] : NULL; }
