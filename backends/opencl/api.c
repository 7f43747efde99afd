#include "api.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static const char *const function_names[] = {
#define X(name) #name,
    WNN_CL_FUNCTIONS(X)
#undef X
};

wnn_cl_library wnn_cl_open_library(const wnn_cl_names *names) {
  /* Never closed: drivers leave threads and exit handlers behind. */
  void *handle = dlopen(names->numbered, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) handle = dlopen(names->plain, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) handle = dlopen(names->bundled, RTLD_NOW | RTLD_LOCAL);
  /* Once it is open it is found by the first name, too. */
  const bool bundled = handle != NULL && handle == dlopen(names->bundled, RTLD_NOW | RTLD_NOLOAD);
  return (wnn_cl_library){handle, bundled};
}

webnn_status wnn_cl_find_loader(wnn_cl_api *out, webnn_error *err) {
  static const wnn_cl_names loader_names = WNN_CL_NAMES("libOpenCL");
  const wnn_cl_library loader = wnn_cl_open_library(&loader_names);
  if (loader.handle == NULL)
    return wnn_error_set(err, WEBNN_ERROR_NOT_SUPPORTED,
                         "opencl: there is no OpenCL loader (libOpenCL.so.1)");
  void *functions[sizeof function_names / sizeof function_names[0]];
  _Static_assert(sizeof functions == offsetof(wnn_cl_api, bundled),
                 "a function pointer is as large as any other");
  for (size_t i = 0; i < sizeof function_names / sizeof function_names[0]; i++) {
    functions[i] = dlsym(loader.handle, function_names[i]);
    if (functions[i] == NULL)
      return wnn_error_set(err, WEBNN_ERROR_NOT_SUPPORTED,
                           "opencl: the OpenCL loader is older than 1.2: it has no %s",
                           function_names[i]);
  }
  memcpy(out, functions, sizeof functions);
  out->bundled = loader.bundled;
  return WEBNN_OK;
}
