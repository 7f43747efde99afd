/* Which devices there are. */
#include "context/registry.h"

#include <string.h>
#include <webnn/webnn.h>

static bool find(size_t i, webnn_power_preference preference, webnn_device_info *out) {
  const wnn_backend *backend;
  for (size_t k = 0; (backend = wnn_registry_backend(k)) != NULL; k++) {
    out->backend = backend->name;
    for (size_t j = 0; backend->list(j, preference, out); j++)
      if (i-- == 0) return true;
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
