/* The reference backend: host memory, one kernel for everything, no fusion, plain layouts. */
#include "reference.h"

#include "lower/executable.h"
#include "lower/host.h"

#include <stdio.h>

#define NAME "CPU"
#define DRIVER "webnn reference"

struct wnn_device {
  const wnn_host *host; /* first: see wnn_device_host */
};

static webnn_status open_device(const wnn_host *host, wnn_device **out, webnn_error *err) {
  *out = wnn_alloc_zeroed(&host->alloc, sizeof **out);
  if (*out == NULL) return wnn_error_no_memory(err);
  (*out)->host = host;
  return WEBNN_OK;
}

static void close_device(wnn_device *device) {
  if (device != NULL) wnn_alloc_free(&device->host->alloc, device, sizeof *device);
}

static bool list(size_t i, webnn_power_preference preference, webnn_device_info *out) {
  (void)preference;
  if (i != 0) return false;
  snprintf(out->name, sizeof out->name, "%s", NAME);
  snprintf(out->driver, sizeof out->driver, "%s", DRIVER);
  wnn_host_describe(out);
  return true;
}

static wnn_device_info info(const wnn_device *device) {
  (void)device;
  return (wnn_device_info){NAME, DRIVER};
}

static uint32_t missing_types(const wnn_device *device, const webnn_op *op) {
  (void)device;
  (void)op;
  return 0;
}

static const wnn_kernel *const *kernels(wnn_device *device, wnn_op_id op) {
  static const wnn_kernel *const list[] = {&wnn_reference_region, NULL};
  (void)device;
  (void)op;
  return list;
}

static bool can_fuse(wnn_device *device, const wnn_region *region, const wnn_post *next) {
  (void)device;
  (void)region;
  (void)next;
  return false;
}

static wnn_layout_answer layout(wnn_device *device, const wnn_region *region) {
  (void)device;
  (void)region;
  return (wnn_layout_answer){.rule = WNN_LAYOUT_PLAIN};
}

static wnn_lowering lowering_of(wnn_device *device) {
  return (wnn_lowering){device, device->host, kernels, can_fuse, layout, NULL};
}

static webnn_status evaluate(wnn_device *device, const wnn_node *node, void *const *outputs) {
  const wnn_lowering lowering = lowering_of(device);
  return wnn_lower_evaluate(&lowering, node, outputs);
}

static webnn_status compile(wnn_device *device, wnn_graph *graph, wnn_executable **out,
                            webnn_error *err) {
  const wnn_lowering lowering = lowering_of(device);
  return wnn_lower(&lowering, graph, out, err);
}

const wnn_backend wnn_backend_reference = {
    .name = "reference",
    .device_type = WEBNN_DEVICE_TYPE_CPU,
    .has_integers = true,
    .has_attention = true,
    .open = open_device,
    .close = close_device,
    .list = list,
    .info = info,
    .missing_types = missing_types,
    .buffer_create = wnn_host_buffer_create,
    .buffer_free = wnn_host_buffer_free,
    .buffer_write = wnn_host_buffer_write,
    .buffer_read = wnn_host_buffer_read,
    .evaluate = evaluate,
    .compile = compile,
    .executable_free = wnn_executable_free,
    .run = wnn_executable_run,
    .step = wnn_executable_step,
    .memory = wnn_executable_memory,
    .is_light = wnn_executable_is_light,
};
