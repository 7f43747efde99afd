/* The functions of OpenCL 1.2 that the backend calls: found in the ICD loader when a device is
 * opened, so that nothing is missing where there is no loader. */
#ifndef WNN_OPENCL_API_H
#define WNN_OPENCL_API_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include "base/error.h"

#define WNN_CL_FUNCTIONS(X)                                                                        \
  X(clGetPlatformIDs)                                                                              \
  X(clGetPlatformInfo)                                                                             \
  X(clGetDeviceIDs)                                                                                \
  X(clGetDeviceInfo) X(clCreateContext) X(clRetainContext) X(clReleaseContext) X(clGetContextInfo) \
      X(clCreateCommandQueue) X(clRetainCommandQueue) X(clReleaseCommandQueue)                     \
          X(clGetCommandQueueInfo) X(clCreateBuffer) X(clCreateSubBuffer) X(clRetainMemObject)     \
              X(clReleaseMemObject) X(clGetMemObjectInfo) X(clEnqueueReadBuffer)                   \
                  X(clEnqueueWriteBuffer) X(clEnqueueCopyBuffer) X(clEnqueueFillBuffer)            \
                      X(clEnqueueMapBuffer) X(clEnqueueUnmapMemObject)                             \
                          X(clCreateProgramWithSource) X(clCreateProgramWithBinary)                \
                              X(clBuildProgram) X(clGetProgramInfo) X(clGetProgramBuildInfo)       \
                                  X(clReleaseProgram) X(clCreateKernel) X(clReleaseKernel)         \
                                      X(clSetKernelArg) X(clEnqueueNDRangeKernel)                  \
                                          X(clEnqueueMarkerWithWaitList)                           \
                                              X(clEnqueueBarrierWithWaitList) X(clWaitForEvents)   \
                                                  X(clReleaseEvent) X(clFlush) X(clFinish)

typedef struct wnn_cl_api {
#define X(name) cl_api_##name name;
  WNN_CL_FUNCTIONS(X)
#undef X
  bool bundled; /* they are of the loader that came with us */
} wnn_cl_api;

/* What a library may be called, in the order of the attempts: as the system has it, as its
 * development package does, and the one that a wheel brings along. The dynamic linker puts the
 * folder of the file that this code lies in for $ORIGIN. */
typedef struct wnn_cl_names {
  const char *numbered, *plain, *bundled;
} wnn_cl_names;

#define WNN_CL_NAMES(stem) {stem ".so.1", stem ".so", "$ORIGIN/opencl-libs/" stem ".so.1"}

typedef struct wnn_cl_library {
  void *handle; /* NULL: there is none */
  bool bundled;
} wnn_cl_library;

/* Opens it for the process's life. */
wnn_cl_library wnn_cl_open_library(const wnn_cl_names *names);

/* Loads the ICD loader, which then stays loaded.  NOT_SUPPORTED: there is none. */
webnn_status wnn_cl_find_loader(wnn_cl_api *out, webnn_error *err);

#endif
