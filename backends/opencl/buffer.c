/* Memory on the device. What is queued on a buffer keeps it: it may be released at any time. */
#include "opencl.h"

#include <string.h>

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

/* ---- staging: memory that a device copies from and to without the host's help. A write is copied
 * there and queued, and what it was made of is free; nothing waits for what runs on the device. */

static webnn_status wait_for(wnn_device *device, wnn_cl_stage *stage) {
  if (stage->busy == NULL) return WEBNN_OK;
  cl_int code = device->cl.clWaitForEvents(1, &stage->busy);
  device->cl.clReleaseEvent(stage->busy);
  stage->busy = NULL;
  return wnn_cl_check(device, code);
}

/* Mapped by a queue of its own: a blocking command of the other one would wait for all that is
 * queued there. */
static webnn_status open_stage(wnn_device *device, wnn_cl_stage *stage) {
  const wnn_cl_api *cl = &device->cl;
  cl_int code = CL_SUCCESS;
  if (device->side == NULL)
    device->side = cl->clCreateCommandQueue(device->context, device->id, 0, &code);
  if (code == CL_SUCCESS && stage->memory == NULL)
    stage->memory = cl->clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                       WNN_CL_STAGE_BYTES, NULL, &code);
  if (code == CL_SUCCESS)
    stage->mapped =
        cl->clEnqueueMapBuffer(device->side, stage->memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                               WNN_CL_STAGE_BYTES, 0, NULL, NULL, &code);
  if (code != CL_SUCCESS) stage->mapped = NULL;
  return wnn_cl_check(device, code);
}

/* The next stage, once the device is done with it. */
static webnn_status take_stage(wnn_device *device, wnn_cl_stage **out) {
  wnn_cl_stage *stage = &device->stages[device->next_stage];
  device->next_stage = (device->next_stage + 1) % WNN_CL_STAGES;
  *out = stage;
  return stage->mapped != NULL ? wait_for(device, stage) : open_stage(device, stage);
}

void wnn_cl_stages_close(wnn_device *device) {
  const wnn_cl_api *cl = &device->cl;
  for (size_t i = 0; i < WNN_CL_STAGES; i++) {
    wnn_cl_stage *stage = &device->stages[i];
    wait_for(device, stage);
    if (stage->mapped != NULL)
      cl->clEnqueueUnmapMemObject(device->side, stage->memory, stage->mapped, 0, NULL, NULL);
    if (stage->memory != NULL) cl->clReleaseMemObject(stage->memory);
  }
  if (device->side == NULL) return;
  cl->clFinish(device->side);
  cl->clReleaseCommandQueue(device->side);
}

static size_t part_of(size_t n_bytes, size_t at) {
  return n_bytes - at < WNN_CL_STAGE_BYTES ? n_bytes - at : WNN_CL_STAGE_BYTES;
}

webnn_status wnn_cl_buffer_write(wnn_device *device, wnn_buffer *buffer, const void *data) {
  const wnn_cl_api *cl = &device->cl;
  for (size_t at = 0; at < buffer->n_bytes; at += WNN_CL_STAGE_BYTES) {
    const size_t n = part_of(buffer->n_bytes, at);
    wnn_cl_stage *stage;
    webnn_status status = take_stage(device, &stage);
    if (status != WEBNN_OK) return status;
    memcpy(stage->mapped, (const char *)data + at, n);
    status =
        wnn_cl_check(device, cl->clEnqueueWriteBuffer(device->queue, buffer->impl, CL_FALSE, at, n,
                                                      stage->mapped, 0, NULL, &stage->busy));
    if (status != WEBNN_OK) return status;
  }
  return wnn_cl_check(device, cl->clFlush(device->queue));
}

/* While one part is copied from its stage the next one comes. */
static webnn_status read_by_stages(wnn_device *device, const wnn_buffer *buffer, char *data) {
  const wnn_cl_api *cl = &device->cl;
  wnn_cl_stage *stage, *last = NULL;
  webnn_status status = WEBNN_OK;
  size_t last_at = 0;
  for (size_t at = 0; at < buffer->n_bytes || last != NULL; at += WNN_CL_STAGE_BYTES) {
    stage = NULL;
    if (at < buffer->n_bytes) {
      status = take_stage(device, &stage);
      if (status != WEBNN_OK) return status;
      status = wnn_cl_check(device, cl->clEnqueueReadBuffer(device->queue, buffer->impl, CL_FALSE,
                                                            at, part_of(buffer->n_bytes, at),
                                                            stage->mapped, 0, NULL, &stage->busy));
      if (status == WEBNN_OK) status = wnn_cl_check(device, cl->clFlush(device->queue));
      if (status != WEBNN_OK) return status;
    }
    if (last != NULL) {
      status = wait_for(device, last);
      if (status != WEBNN_OK) return status;
      memcpy(data + last_at, last->mapped, part_of(buffer->n_bytes, last_at));
    }
    last = stage;
    last_at = at;
  }
  return WEBNN_OK;
}

/* Where memory is the host's own a copy beside is no gain. */
webnn_status wnn_cl_buffer_read(wnn_device *device, const wnn_buffer *buffer, void *data) {
  if (!device->shares_memory) return read_by_stages(device, buffer, data);
  return wnn_cl_check(device,
                      device->cl.clEnqueueReadBuffer(device->queue, buffer->impl, CL_TRUE, 0,
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
