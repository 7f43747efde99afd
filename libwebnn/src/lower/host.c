#include "lower/host.h"

#include "parallel.h"

#include <string.h>
#include <unistd.h>

void wnn_host_describe(webnn_device_info *out) {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  out->memory = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
  out->compute_units = wnn_default_threads();
  out->shares_memory = out->usable = true;
}

webnn_status wnn_host_buffer_create(wnn_device *device, size_t n_bytes, wnn_buffer *out) {
  const wnn_alloc *alloc = &wnn_device_host(device)->alloc;
  *out = (wnn_buffer){.host = wnn_alloc_zeroed(alloc, n_bytes), .n_bytes = n_bytes};
  return out->host != NULL ? WEBNN_OK : WEBNN_ERROR_UNKNOWN;
}

void wnn_host_buffer_free(wnn_device *device, wnn_buffer *buffer) {
  wnn_alloc_free(&wnn_device_host(device)->alloc, buffer->host, buffer->n_bytes);
  *buffer = (wnn_buffer){0};
}

webnn_status wnn_host_buffer_write(wnn_device *device, wnn_buffer *buffer, const void *data) {
  (void)device;
  memcpy(buffer->host, data, buffer->n_bytes);
  return WEBNN_OK;
}

webnn_status wnn_host_buffer_read(wnn_device *device, const wnn_buffer *buffer, void *data) {
  (void)device;
  memcpy(data, buffer->host, buffer->n_bytes);
  return WEBNN_OK;
}
