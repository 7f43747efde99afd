/* Memory on the device. What is queued on a buffer keeps it: it may be released at any time. */
#include "opencl.h"

static webnn_status create(wnn_device *device, size_t n_bytes, const void *data, void **out) {
  cl_int code;
  cl_mem_flags flags = CL_MEM_READ_WRITE | (data != NULL ? CL_MEM_COPY_HOST_PTR : 0);
  *out = device->cl.clCreateBuffer(device->context, flags, n_bytes, (void *)data, &code);
  return wnn_cl_status(code);
}

static webnn_status part(wnn_device *device, void *whole, size_t offset, size_t n_bytes,
                         void **out) {
  cl_buffer_region region = {offset, n_bytes};
  cl_int code;
  *out = device->cl.clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                      &region, &code);
  return wnn_cl_status(code);
}

static void release(wnn_device *device, void *handle) { device->cl.clReleaseMemObject(handle); }

static webnn_status finish(wnn_device *device) {
  return wnn_cl_status(device->cl.clFinish(device->queue));
}

/* Base addresses of devices are aligned to 128 bytes and more; what a device wants is checked when
 * it is opened. */
const wnn_memory wnn_cl_memory = {
    .align = 4096, .create = create, .part = part, .free = release, .finish = finish};

webnn_status wnn_cl_buffer_create(wnn_device *device, size_t n_bytes, wnn_buffer *out) {
  const cl_uchar zero = 0;
  *out = (wnn_buffer){.n_bytes = n_bytes};
  webnn_status status = create(device, n_bytes, NULL, &out->impl);
  if (status != WEBNN_OK) return status;
  cl_int code = device->cl.clEnqueueFillBuffer(device->queue, out->impl, &zero, sizeof zero, 0,
                                               n_bytes, 0, NULL, NULL);
  if (code == CL_SUCCESS) return WEBNN_OK;
  wnn_cl_buffer_free(device, out);
  return WEBNN_ERROR_UNKNOWN;
}

void wnn_cl_buffer_free(wnn_device *device, wnn_buffer *buffer) {
  if (buffer->impl != NULL) device->cl.clReleaseMemObject(buffer->impl);
  *buffer = (wnn_buffer){0};
}

webnn_status wnn_cl_buffer_write(wnn_device *device, wnn_buffer *buffer, const void *data) {
  return wnn_cl_status(device->cl.clEnqueueWriteBuffer(device->queue, buffer->impl, CL_TRUE, 0,
                                                       buffer->n_bytes, data, 0, NULL, NULL));
}

webnn_status wnn_cl_buffer_read(wnn_device *device, const wnn_buffer *buffer, void *data) {
  return wnn_cl_status(device->cl.clEnqueueReadBuffer(device->queue, buffer->impl, CL_TRUE, 0,
                                                      buffer->n_bytes, data, 0, NULL, NULL));
}

/* ---- memory of who owns the context */

webnn_status wnn_cl_await_event(wnn_device *device, void *event) {
  cl_event one = event;
  return wnn_cl_status(device->cl.clEnqueueBarrierWithWaitList(device->queue, 1, &one, NULL));
}

webnn_status wnn_cl_buffer_import(wnn_device *device, void *memory, size_t n_bytes, void *event,
                                  wnn_buffer *out) {
  const wnn_cl_api *cl = &device->cl;
  cl_mem_object_type type = 0;
  cl_context context = NULL;
  size_t size = 0;
  *out = (wnn_buffer){.n_bytes = n_bytes};
  cl->clGetMemObjectInfo(memory, CL_MEM_TYPE, sizeof type, &type, NULL);
  cl->clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof context, &context, NULL);
  cl->clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof size, &size, NULL);
  if (type != CL_MEM_OBJECT_BUFFER || context != device->context || size < n_bytes)
    return WEBNN_ERROR_TYPE;
  if (event != NULL && wnn_cl_await_event(device, event) != WEBNN_OK) return WEBNN_ERROR_UNKNOWN;
  if (cl->clRetainMemObject(memory) != CL_SUCCESS) return WEBNN_ERROR_UNKNOWN;
  out->impl = memory;
  return WEBNN_OK;
}

webnn_status wnn_cl_buffer_export(wnn_device *device, const wnn_buffer *buffer, void **memory,
                                  void **event) {
  cl_event done = NULL;
  cl_int code = device->cl.clEnqueueMarkerWithWaitList(device->queue, 0, NULL, &done);
  if (code == CL_SUCCESS) code = device->cl.clFlush(device->queue);
  *memory = buffer->impl;
  *event = done;
  return wnn_cl_status(code);
}
