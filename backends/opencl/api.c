#include "api.h"

#include <dlfcn.h>
#include <string.h>

static const char *const names[] = {
#define X(name) #name,
    WNN_CL_FUNCTIONS(X)
#undef X
};

/* By their usual names; the one without a number is a development package's. */
static void *open_loader(void) {
  void *loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  return loader != NULL ? loader : dlopen("libOpenCL.so", RTLD_NOW | RTLD_LOCAL);
}

webnn_status wnn_cl_find_loader(wnn_cl_api *out, webnn_error *err) {
  /* Never closed: drivers leave threads and exit handlers behind. */
  void *loader = open_loader();
  if (loader == NULL)
    return wnn_error_set(err, WEBNN_ERROR_NOT_SUPPORTED,
                         "opencl: there is no OpenCL loader (libOpenCL.so.1)");
  void *functions[sizeof names / sizeof names[0]];
  _Static_assert(sizeof functions == sizeof *out, "a function pointer is as large as any other");
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    functions[i] = dlsym(loader, names[i]);
    if (functions[i] == NULL)
      return wnn_error_set(err, WEBNN_ERROR_NOT_SUPPORTED,
                           "opencl: the OpenCL loader is older than 1.2: it has no %s", names[i]);
  }
  memcpy(out, functions, sizeof functions);
  return WEBNN_OK;
}
