/* The CPU backend on oneDNN: engine and stream, host buffers, which kernels and layouts regions
 * get. */
#include "onednn.h"

#include <oneapi/dnnl/dnnl_threadpool.h>
#include <stdio.h>
#include <string.h>
#include "base/switches.h"
#include "gate.h"
#include "kernels/kernels.h"
#include "kernels/vector.h"
#include "lower/executable.h"
#include "lower/host.h"
#include "reference/reference.h"

#define FEW_CHANNELS 8 /* no vector of them */
#define HAS_THREADPOOL (DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_THREADPOOL)

/* At most three an operation, the first first; behind ours, but for those that are better where they are right. */
static const struct {
  wnn_op_id op;
  const wnn_kernel *kernel;
  bool before_ours;
} onednn_kernels[] = {
    {WNN_OP_AVERAGE_POOL2D, &wnn_onednn_average_pool2d, false},
    {WNN_OP_CONV2D, &wnn_onednn_conv2d, false},
    {WNN_OP_CONV2D_INTEGER, &wnn_onednn_integer, true},
    {WNN_OP_CONV_TRANSPOSE2D, &wnn_onednn_conv_transpose2d, false},
    {WNN_OP_GEMM, &wnn_onednn_gemm, false},
    {WNN_OP_LAYER_NORMALIZATION, &wnn_onednn_layer_normalization, false},
    {WNN_OP_MATMUL, &wnn_onednn_matmul, false},
    {WNN_OP_MATMUL_INTEGER, &wnn_onednn_integer, true},
    {WNN_OP_REORDER, &wnn_onednn_reorder, false},
};

/* Devices. */

uint32_t wnn_device_enter(const wnn_device *device, uint32_t n_threads) {
  wnn_pool *pool = device->host->pool;
  const uint32_t before = wnn_pool_lend(pool, n_threads);
#if HAS_THREADPOOL
  dnnl_threadpool_interop_set_max_concurrency((int)wnn_pool_lent(pool));
#endif
  return before;
}

static const wnn_kernel **add_kernels(const wnn_kernel **list, wnn_op_id op, bool before_ours) {
  for (size_t i = 0; i < sizeof onednn_kernels / sizeof *onednn_kernels; i++)
    if (onednn_kernels[i].op == op && onednn_kernels[i].before_ours == before_ours) *list++ = onednn_kernels[i].kernel;
  return list;
}

/* Measured with AVX2: a twentieth faster than oneDNN's when the matrix comes from memory, and as fast when it doesn't. */
static bool is_for(const wnn_host *host, const wnn_kernel *own) {
  return own != &wnn_product_kernel || wnn_isa_for(host) == WNN_ISA_AVX2;
}

static void fill_kernels(wnn_device *device) {
  for (size_t op = 0; op < WNN_N_OPS; op++) {
    const wnn_kernel **list = add_kernels(device->kernels[op], (wnn_op_id)op, true);
    const wnn_kernel *const *own = wnn_own_kernels((wnn_op_id)op);
    for (size_t i = 0; i < WNN_MAX_OWN_KERNELS && own[i] != NULL; i++)
      if (is_for(device->host, own[i])) *list++ = own[i];
    list = add_kernels(list, (wnn_op_id)op, false);
    *list = &wnn_reference_region;
  }
}

static const char *runtime_name(unsigned runtime) {
  switch (runtime) {
    case DNNL_RUNTIME_SEQ: return "sequential";
    case DNNL_RUNTIME_OMP: return "omp";
    case DNNL_RUNTIME_TBB: return "tbb";
    case DNNL_RUNTIME_THREADPOOL: return "threadpool";
    default: return "unknown threads";
  }
}

/* The library that was loaded may not be the one whose headers we were compiled with. */
static webnn_status check_version(const dnnl_version_t *version, webnn_error *err) {
  if (version->major != 3 || version->minor < 2)
    return wnn_error_set(err, WEBNN_ERROR_NOT_SUPPORTED,
                         "onednn: version %d.%d was loaded, 3.2 or a later 3 is needed",
                         version->major, version->minor);
  if (version->cpu_runtime != DNNL_CPU_THREADING_RUNTIME)
    return wnn_error_set(err, WEBNN_ERROR_NOT_SUPPORTED,
                         "onednn: a library with %s was loaded, it was built with %s",
                         runtime_name(version->cpu_runtime),
                         runtime_name(DNNL_CPU_THREADING_RUNTIME));
  return WEBNN_OK;
}

/* The processor's own name where the system tells it. */
static void read_name(char *name, size_t n_bytes) {
  snprintf(name, n_bytes, "CPU");
  FILE *file = fopen("/proc/cpuinfo", "r");
  char line[256];
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    const char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || colon == NULL) continue;
    line[strcspn(line, "\n")] = '\0';
    snprintf(name, n_bytes, "%s", colon + 1 + strspn(colon + 1, " "));
    break;
  }
  if (file != NULL) fclose(file);
}

static webnn_status create_stream(wnn_device *device) {
#if HAS_THREADPOOL
  device->threads = wnn_onednn_threads_create(device->host->pool);
  if (device->threads == NULL) return WEBNN_ERROR_UNKNOWN;
  return wnn_onednn_status(
      dnnl_threadpool_interop_stream_create(&device->stream, device->engine, device->threads));
#else
  return wnn_onednn_status(
      dnnl_stream_create(&device->stream, device->engine, dnnl_stream_default_flags));
#endif
}

static void free_device(wnn_device *device) {
  dnnl_stream_destroy(device->stream);
  dnnl_engine_destroy(device->engine);
#if HAS_THREADPOOL
  wnn_onednn_threads_free(device->threads);
#endif
  wnn_alloc_free(&device->host->alloc, device, sizeof *device);
}

static void close_device(wnn_device *device) {
  size_t place;
  if (!wnn_gate_enter(&place)) return; /* the process takes it along */
  free_device(device);
  wnn_gate_leave(place);
}

static void read_driver(const dnnl_version_t *version, const char *note, char *driver, size_t n_bytes) {
  snprintf(driver, n_bytes, "oneDNN %d.%d.%d (%s)%s", version->major, version->minor, version->patch,
           runtime_name(version->cpu_runtime), note);
}

static bool list(size_t i, webnn_power_preference preference, webnn_device_info *out) {
  const dnnl_version_t *version = dnnl_version();
  (void)preference;
  if (i != 0 || check_version(version, NULL) != WEBNN_OK) return false;
  read_name(out->name, sizeof out->name);
  read_driver(version, "", out->driver, sizeof out->driver);
  wnn_host_describe(out);
  return true;
}

/* Fast math is a permission: whether it is used depends on the processor. */
static const char *math_note(const wnn_device *device) {
  if (device->host->math != WEBNN_MATH_FAST) return "";
  return device->bfloat16 ? ", products in bfloat16" : ", no bfloat16 here: fast math is exact";
}

static webnn_status open_device(const wnn_host *host, wnn_device **out, webnn_error *err) {
  const dnnl_version_t *version = dnnl_version();
  webnn_status status = check_version(version, err);
  if (status != WEBNN_OK) return status;
  wnn_device *device = wnn_alloc_zeroed(&host->alloc, sizeof *device);
  if (device == NULL) return wnn_error_no_memory(err);
  device->host = host;
  device->bfloat16 = wnn_takes_bfloat16(host);
  device->vnni = wnn_has_vnni(host);
  read_driver(version, math_note(device), device->driver, sizeof device->driver);
  read_name(device->name, sizeof device->name);
  fill_kernels(device);
  size_t place;
  wnn_gate_open();
  if (!wnn_gate_enter_first(&place)) {
    wnn_alloc_free(&host->alloc, device, sizeof *device);
    return wnn_error_set(err, WEBNN_ERROR_UNKNOWN, "onednn: the process is ending");
  }
  status = wnn_onednn_status(dnnl_engine_create(&device->engine, dnnl_cpu, 0));
  if (status == WEBNN_OK) status = create_stream(device);
  if (status == WEBNN_OK)
    *out = device;
  else
    free_device(device);
  wnn_gate_leave_first(place);
  return status == WEBNN_OK ? status : wnn_error_set(err, status, "onednn: the engine can't be created");
}

static wnn_device_info info(const wnn_device *device) {
  return (wnn_device_info){.device = device->name, .driver = device->driver};
}

/* The reference is the last resort of every operation. */
static uint32_t missing_types(const wnn_device *device, const webnn_op *op) {
  (void)device;
  (void)op;
  return 0;
}

/* Lowering. */

static const wnn_kernel *const *kernels(wnn_device *device, wnn_op_id op) {
  return device->kernels[op];
}

/* Axis of the channels of an anchor that takes post-ops, or -1. */
static int channel_axis(const wnn_region *region) {
  switch (region->anchor->op->id) {
    case WNN_OP_CONV2D:
    case WNN_OP_CONV2D_INTEGER: {
      const wnn_conv2d_attrs *attrs = region->anchor->attrs;
      return attrs->input_layout == WEBNN_INPUT_OPERAND_LAYOUT_NCHW ? 1 : 3;
    }
    case WNN_OP_CONV_TRANSPOSE2D: {
      const wnn_conv_transpose2d_attrs *attrs = region->anchor->attrs;
      return attrs->input_layout == WEBNN_INPUT_OPERAND_LAYOUT_NCHW ? 1 : 3;
    }
    case WNN_OP_GEMM:
    case WNN_OP_MATMUL:
    case WNN_OP_MATMUL_INTEGER: return (int)region->anchor_desc.rank - 1;
    default: return -1;
  }
}

/* False for transposed convolutions that oneDNN would follow with post-ops one number at a time. */
static bool transposed_takes_posts(const wnn_region *region, int axis) {
  const wnn_conv_transpose2d_attrs *attrs = region->anchor->attrs;
  const bool few = region->anchor_desc.dims[axis] < FEW_CHANNELS;
  return wnn_windows_are_apart(region) ||
         (!few && attrs->groups == 1 && attrs->dilations.data[0] == 1 && attrs->dilations.data[1] == 1);
}

/* Whether channels will lie last in memory. */
static bool will_lie_last(const wnn_device *device, const wnn_region *region, int axis) {
  return axis == (int)region->anchor_desc.rank - 1 ||
         wnn_pass_enabled(device->host->passes, "layout");
}

static bool can_fuse(wnn_device *device, const wnn_region *region, const wnn_post *next) {
  int axis = channel_axis(region);
  if (axis < 0) return wnn_own_can_fuse(region, next);
  if (region->anchor->op->id == WNN_OP_CONV_TRANSPOSE2D && !transposed_takes_posts(region, axis))
    return false;
  return wnn_post_fits(region, next, region->n_posts, (uint32_t)axis,
                       will_lie_last(device, region, axis)) ||
         wnn_post_quantises(region, next, region->n_posts, (uint32_t)axis);
}

/* As a transpose that is all that reads the value wants it, which then has nothing to do. */
static wnn_layout layout_for_reader(const wnn_value *value) {
  wnn_layout layout = wnn_layout_plain(value->desc.rank);
  if (value->is_output || value->n_uses != 1 || value->uses[0]->op->id != WNN_OP_TRANSPOSE) return layout;
  const wnn_transpose_attrs *attrs = value->uses[0]->attrs;
  for (uint32_t i = 0; i < value->desc.rank; i++) layout.order[i] = (uint8_t)attrs->permutation.data[i];
  return layout;
}

/* Measured with AVX2 and AVX-512, channels-last is as fast as blocks of channels or faster, but for
 * depthwise convolutions, and every other operation is simpler in it. */
static wnn_layout_answer layout(wnn_device *device, const wnn_region *region) {
  (void)device;
  switch (region->anchor->op->id) {
    case WNN_OP_ATTENTION:
      return (wnn_layout_answer){.rule = WNN_LAYOUT_READ, .output0 = layout_for_reader(region->anchor->outputs[0])};
    case WNN_OP_CONV2D:
    case WNN_OP_CONV2D_INTEGER: {
      const wnn_conv2d_attrs *attrs = region->anchor->attrs;
      return wnn_layout_images(attrs->input_layout);
    }
    case WNN_OP_CONV_TRANSPOSE2D: {
      const wnn_conv_transpose2d_attrs *attrs = region->anchor->attrs;
      return wnn_layout_images(attrs->input_layout);
    }
    case WNN_OP_GEMM:
    case WNN_OP_MATMUL: return (wnn_layout_answer){.rule = WNN_LAYOUT_READ};
    case WNN_OP_MATMUL_INTEGER: return (wnn_layout_answer){.rule = WNN_LAYOUT_PLAIN};
    default: return wnn_own_layout(region);
  }
}

static webnn_status evaluate(wnn_device *device, const wnn_node *node, void *const *outputs) {
  const wnn_lowering lowering = {device, device->host, kernels, can_fuse, layout, NULL};
  wnn_device_enter(device, 0);
  return wnn_lower_evaluate(&lowering, node, outputs);
}

static webnn_status compile(wnn_device *device, wnn_graph *graph, wnn_executable **out,
                            webnn_error *err) {
  const wnn_lowering lowering = {device, device->host, kernels, can_fuse, layout, NULL};
  wnn_device_enter(device, 0);
  return wnn_lower(&lowering, graph, out, err);
}

static webnn_status run(wnn_executable *executable, const wnn_buffer *const *inputs,
                        const wnn_buffer *const *outputs, double *seconds) {
  return wnn_executable_run(executable, inputs, outputs, seconds);
}

const wnn_backend wnn_backend_onednn = {
    .name = "onednn",
    .device_type = WEBNN_DEVICE_TYPE_CPU,
    .has_integers = true,
    .has_attention = true,
    .wants_floats = true,
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
    .run = run,
    .step = wnn_executable_step,
    .memory = wnn_executable_memory,
    .is_light = wnn_executable_is_light,
};
