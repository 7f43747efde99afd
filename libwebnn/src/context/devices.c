/* Which devices there are. */
#include "context/registry.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <webnn/webnn.h>

/* The host itself: what a context on it says. */
static bool describe_host(const wnn_backend *backend, webnn_device_info *out) {
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_context_info info = WEBNN_CONTEXT_INFO_INIT;
  webnn_context *context;
  options.backend = backend->name;
  if (webnn_context_create(&options, &context, NULL) != WEBNN_OK) return false;
  webnn_context_get_info(context, &info);
  snprintf(out->name, sizeof out->name, "%s", info.device);
  snprintf(out->driver, sizeof out->driver, "%s", info.driver);
  out->compute_units = info.threads;
  webnn_context_release(context);
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  out->memory = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
  out->shares_memory = out->usable = true;
  return true;
}

static bool find(size_t i, webnn_power_preference preference, webnn_device_info *out) {
  const wnn_backend *backend;
  for (size_t k = 0; (backend = wnn_registry_backend(k)) != NULL; k++) {
    out->backend = backend->name;
    if (backend->list == NULL) {
      if (!describe_host(backend, out)) continue;
      if (i-- == 0) return true;
    } else {
      for (size_t j = 0; backend->list(j, preference, out); j++)
        if (i-- == 0) return true;
    }
  }
  return false;
}

bool webnn_device_get_info(size_t i, webnn_power_preference preference, webnn_device_info *out) {
  const size_t room = out->struct_size;
  webnn_device_info found = WEBNN_DEVICE_INFO_INIT;
  if (!find(i, preference, &found)) return false;
  found.struct_size = room;
  memcpy(out, &found, room < sizeof found ? room : sizeof found);
  return true;
}
