/* The OpenCL backend: what the context calls. */
#include "lower/executable.h"
#include "opencl.h"
#include "reference/reference.h"

static wnn_device_info info(const wnn_device *device) {
  return (wnn_device_info){device->name, device->driver};
}

static uint32_t missing_types(const wnn_device *device, const webnn_op *op) {
  (void)device;
  (void)op;
  return 0;
}

/* ---- lowering */

static const wnn_kernel *family_of(wnn_op_id op) {
  if (wnn_cl_is_elementwise(op)) return &wnn_cl_elementwise;
  switch (op) {
    case WNN_OP_REORDER:
    case WNN_OP_CONCAT:
    case WNN_OP_EXPAND:
    case WNN_OP_PAD:
    case WNN_OP_REVERSE:
    case WNN_OP_SLICE:
    case WNN_OP_SPLIT:
    case WNN_OP_TILE:
    case WNN_OP_TRIANGULAR: return &wnn_cl_movement;
    case WNN_OP_AVERAGE_POOL2D:
    case WNN_OP_L2_POOL2D:
    case WNN_OP_MAX_POOL2D: return &wnn_cl_pool;
    case WNN_OP_CONV2D:
    case WNN_OP_CONV_TRANSPOSE2D: return &wnn_cl_conv;
    case WNN_OP_GEMM:
    case WNN_OP_MATMUL: return &wnn_cl_product;
    case WNN_OP_BATCH_NORMALIZATION:
    case WNN_OP_INSTANCE_NORMALIZATION:
    case WNN_OP_LAYER_NORMALIZATION:
    case WNN_OP_RMS_NORMALIZATION:
    case WNN_OP_SOFTMAX: return &wnn_cl_norm;
    case WNN_OP_GATHER:
    case WNN_OP_GATHER_ELEMENTS:
    case WNN_OP_GATHER_ND:
    case WNN_OP_SCATTER_ELEMENTS:
    case WNN_OP_SCATTER_ND: return &wnn_cl_gather;
    case WNN_OP_RESAMPLE2D: return &wnn_cl_resample;
    case WNN_OP_QUANTIZE_LINEAR:
    case WNN_OP_DEQUANTIZE_LINEAR: return &wnn_cl_quantize;
    case WNN_OP_GRU:
    case WNN_OP_GRU_CELL:
    case WNN_OP_LSTM:
    case WNN_OP_LSTM_CELL: return &wnn_cl_recurrent;
    default: return &wnn_cl_reduce; /* and argMin, argMax, cumulativeSum */
  }
}

static const wnn_kernel *const *kernels(wnn_device *device, wnn_op_id op) {
  return device->kernels[op];
}

/* Whatever writes element by element computes what follows with it. */
static bool can_fuse(wnn_device *device, const wnn_region *region, const wnn_post *next) {
  (void)device;
  switch (region->anchor->op->id) {
    case WNN_OP_GRU:
    case WNN_OP_GRU_CELL:
    case WNN_OP_LSTM:
    case WNN_OP_LSTM_CELL:
    case WNN_OP_SPLIT: return false;
    default: break;
  }
  return wnn_cl_is_elementwise(next->node->op->id) && region->n_inputs <= 48;
}

/* Images lie channels last, and stay so as long as nothing needs them otherwise: every kernel reads
 * any layout, and most write any. */
static wnn_layout_answer layout(wnn_device *device, const wnn_region *region) {
  (void)device;
  const wnn_op_id op = region->anchor->op->id;
  if (wnn_cl_is_elementwise(op)) return (wnn_layout_answer){.rule = WNN_LAYOUT_SAME};
  switch (op) {
    case WNN_OP_CONV2D:
      return wnn_layout_images(((const wnn_conv2d_attrs *)region->anchor->attrs)->input_layout);
    case WNN_OP_CONV_TRANSPOSE2D:
      return wnn_layout_images(
          ((const wnn_conv_transpose2d_attrs *)region->anchor->attrs)->input_layout);
    case WNN_OP_AVERAGE_POOL2D:
    case WNN_OP_BATCH_NORMALIZATION:
    case WNN_OP_CONCAT:
    case WNN_OP_DEQUANTIZE_LINEAR:
    case WNN_OP_EXPAND:
    case WNN_OP_INSTANCE_NORMALIZATION:
    case WNN_OP_L2_POOL2D:
    case WNN_OP_MAX_POOL2D:
    case WNN_OP_PAD:
    case WNN_OP_QUANTIZE_LINEAR:
    case WNN_OP_RESAMPLE2D:
    case WNN_OP_REVERSE:
    case WNN_OP_SLICE:
    case WNN_OP_SOFTMAX:
    case WNN_OP_SPLIT: return (wnn_layout_answer){.rule = WNN_LAYOUT_FOLLOW};
    default: return (wnn_layout_answer){.rule = WNN_LAYOUT_READ};
  }
}

/* Constants are folded by the reference, on the host: compiling a kernel for each would take
 * longer. */
static const wnn_kernel *const *host_kernels(wnn_device *device, wnn_op_id op) {
  static const wnn_kernel *const list[] = {&wnn_reference_region, NULL};
  (void)device;
  (void)op;
  return list;
}

static webnn_status evaluate(wnn_device *device, const wnn_node *node, void *const *outputs) {
  const wnn_lowering lowering = {.device = device, .host = device->host, .kernels = host_kernels};
  return wnn_lower_evaluate(&lowering, node, outputs);
}

/* ---- executables: what `lower` made, and buffers for a caller's memory */

typedef struct executable {
  wnn_executable *lowered;
  wnn_device *device;
  size_t n_inputs, n;
  wnn_buffer *staged;         /* by input, then output: made at the first run on host memory */
  const wnn_buffer **buffers; /* of one run */
} executable;

static size_t list_bytes(size_t n) { return n * (sizeof(wnn_buffer) + sizeof(wnn_buffer *)); }

static void free_executable(wnn_executable *base) {
  executable *exe = (executable *)(void *)base;
  if (exe == NULL) return;
  const wnn_alloc *alloc = &exe->device->host->alloc;
  wnn_executable_free(exe->lowered);
  for (size_t i = 0; i < exe->n && exe->staged != NULL; i++)
    wnn_cl_buffer_free(exe->device, &exe->staged[i]);
  wnn_alloc_free(alloc, exe->staged, list_bytes(exe->n));
  wnn_alloc_free(alloc, exe, sizeof *exe);
}

static webnn_status make_executable(wnn_device *device, const wnn_graph *graph, executable **out) {
  const wnn_alloc *alloc = &device->host->alloc;
  executable *exe = wnn_alloc_zeroed(alloc, sizeof *exe);
  if (exe == NULL) return WEBNN_ERROR_UNKNOWN;
  *exe = (executable){
      .device = device, .n_inputs = graph->n_inputs, .n = graph->n_inputs + graph->n_outputs};
  exe->staged = wnn_alloc_zeroed(alloc, list_bytes(exe->n));
  if (exe->staged == NULL) {
    wnn_alloc_free(alloc, exe, sizeof *exe);
    return WEBNN_ERROR_UNKNOWN;
  }
  exe->buffers = (const wnn_buffer **)(void *)(exe->staged + exe->n);
  *out = exe;
  return WEBNN_OK;
}

static webnn_status compile(wnn_device *device, wnn_graph *graph, wnn_executable **out,
                            webnn_error *err) {
  const wnn_lowering lowering = {device, device->host, kernels, can_fuse, layout, &wnn_cl_memory};
  executable *exe = NULL;
  *out = NULL;
  webnn_status status = make_executable(device, graph, &exe);
  if (status == WEBNN_OK && wnn_cl_session_begin(device) != WEBNN_OK) status = WEBNN_ERROR_UNKNOWN;
  if (status != WEBNN_OK) {
    free_executable((wnn_executable *)(void *)exe);
    return wnn_error_no_memory(err);
  }
  status = wnn_lower(&lowering, graph, &exe->lowered, err);
  webnn_status built = wnn_cl_session_end(device, status != WEBNN_OK, err);
  if (status == WEBNN_OK) status = built;
  if (status != WEBNN_OK) {
    free_executable((wnn_executable *)(void *)exe);
    return status;
  }
  *out = (wnn_executable *)(void *)exe;
  return WEBNN_OK;
}

/* The buffer on the device for end `i`, which is `given` unless that is a caller's memory. */
static const wnn_buffer *on_device(executable *exe, size_t i, const wnn_buffer *given) {
  wnn_buffer *staged = &exe->staged[i];
  if (given->impl != NULL) return given;
  if (staged->impl != NULL || wnn_cl_buffer_create(exe->device, given->n_bytes, staged) == WEBNN_OK)
    return staged;
  exe->device->failure = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  return NULL;
}

static webnn_status copy_in(const executable *exe, size_t i, const wnn_buffer *given) {
  const wnn_cl_api *cl = &exe->device->cl;
  /* The caller waits for the outputs, so for this. */
  return wnn_cl_check(
      exe->device, cl->clEnqueueWriteBuffer(exe->device->queue, exe->buffers[i]->impl, CL_FALSE, 0,
                                            given->n_bytes, given->host, 0, NULL, NULL));
}

static webnn_status copy_out(const executable *exe, size_t i, const wnn_buffer *given) {
  const wnn_cl_api *cl = &exe->device->cl;
  return wnn_cl_check(
      exe->device, cl->clEnqueueReadBuffer(exe->device->queue, exe->buffers[i]->impl, CL_FALSE, 0,
                                           given->n_bytes, given->host, 0, NULL, NULL));
}

static webnn_status run(wnn_executable *base, const wnn_buffer *const *inputs,
                        const wnn_buffer *const *outputs, double *seconds) {
  executable *exe = (executable *)(void *)base;
  webnn_status status = WEBNN_OK;
  bool waits = false;
  for (size_t i = 0; i < exe->n && status == WEBNN_OK; i++) {
    const wnn_buffer *given = i < exe->n_inputs ? inputs[i] : outputs[i - exe->n_inputs];
    exe->buffers[i] = on_device(exe, i, given);
    if (exe->buffers[i] == NULL)
      status = WEBNN_ERROR_UNKNOWN;
    else if (given->impl == NULL) {
      waits = true;
      if (i < exe->n_inputs) status = copy_in(exe, i, given);
    }
  }
  if (status == WEBNN_OK)
    status = wnn_executable_run(exe->lowered, exe->buffers, exe->buffers + exe->n_inputs, seconds);
  for (size_t i = exe->n_inputs; i < exe->n && status == WEBNN_OK; i++)
    if (outputs[i - exe->n_inputs]->impl == NULL)
      status = copy_out(exe, i, outputs[i - exe->n_inputs]);
  const wnn_cl_api *cl = &exe->device->cl;
  cl_int code = waits ? cl->clFinish(exe->device->queue) : cl->clFlush(exe->device->queue);
  return status != WEBNN_OK ? status : wnn_cl_check(exe->device, code);
}

static const wnn_step_info *step(const wnn_executable *base, size_t i) {
  return wnn_executable_step(((const executable *)(const void *)base)->lowered, i);
}

static wnn_memory_use memory(const wnn_executable *base) {
  return wnn_executable_memory(((const executable *)(const void *)base)->lowered);
}

/* The device does the work, whoever queues it: who waits for that anyway spares the hand-over to
 * the worker and back. */
static bool is_light(const wnn_executable *base) {
  (void)base;
  return true;
}

/* ---- the device */

static webnn_status open_device(const wnn_host *host, wnn_device **out, webnn_error *err) {
  webnn_status status = wnn_cl_open(host, out, err);
  if (status != WEBNN_OK) return status;
  for (int op = 0; op < WNN_N_OPS; op++) {
    const wnn_kernel *family = family_of((wnn_op_id)op), **list = (*out)->kernels[op];
    if (family == &wnn_cl_product || family == &wnn_cl_conv) *list++ = &wnn_cl_by_clblast;
    *list = family;
  }
  return WEBNN_OK;
}

const wnn_backend wnn_backend_opencl = {
    .name = "opencl",
    .device_type = WEBNN_DEVICE_TYPE_GPU,
    .open = open_device,
    .close = wnn_cl_close,
    .list = wnn_cl_list,
    .info = info,
    .failure = wnn_cl_failure,
    .missing_types = missing_types,
    .buffer_create = wnn_cl_buffer_create,
    .buffer_free = wnn_cl_buffer_free,
    .buffer_write = wnn_cl_buffer_write,
    .buffer_read = wnn_cl_buffer_read,
    .buffer_import = wnn_cl_buffer_import,
    .buffer_export = wnn_cl_buffer_export,
    .await_event = wnn_cl_await_event,
    .evaluate = evaluate,
    .compile = compile,
    .executable_free = free_executable,
    .run = run,
    .step = step,
    .memory = memory,
    .is_light = is_light,
};
