/* The only list of backends. */
#ifndef WNN_CONTEXT_REGISTRY_H
#define WNN_CONTEXT_REGISTRY_H

#include "backend.h"

#define WNN_MAX_BACKENDS 4

/* The backends to try for these options, best first; `shares`: of those that share memory with an owner of a device.
 * NOT_SUPPORTED: there is none of that name, or kind. */
webnn_status wnn_registry_candidates(const char *name, webnn_device_type device_type, bool shares,
                                     const wnn_backend *out[WNN_MAX_BACKENDS], size_t *n_out,
                                     webnn_error *err);

/* Backend `i`, in no order that means anything; NULL past the end. */
const wnn_backend *wnn_registry_backend(size_t i);

#endif
