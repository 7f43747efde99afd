/* Inside the OpenCL backend: the device, the programs of a graph, and plans that are lists of
 * launches. */
#ifndef WNN_OPENCL_H
#define WNN_OPENCL_H

#include "api.h"
#include "backend.h"
#include "lower/region.h"
#include "source.h"

typedef struct wnn_cl_session wnn_cl_session;
typedef struct wnn_cl_blast wnn_cl_blast;
typedef struct wnn_cl_gemm wnn_cl_gemm;

/* Memory of the host's that the device copies from and to by itself. */
#define WNN_CL_STAGES 2
#define WNN_CL_STAGE_BYTES ((size_t)4 << 20)
typedef struct wnn_cl_stage {
  cl_mem memory;
  void *mapped;  /* NULL: not yet */
  cl_event busy; /* comes when the device is done with it; NULL: it is */
} wnn_cl_stage;

struct wnn_device {
  const wnn_host *host; /* first: see wnn_device_host */
  wnn_cl_api cl;
  cl_device_id id;
  cl_context context;
  cl_command_queue queue; /* in order */
  cl_command_queue side;  /* for maps; NULL until there is one */
  wnn_cl_stage stages[WNN_CL_STAGES];
  size_t next_stage;
  cl_int failure;       /* the last one of a command */
  bool is_cpu;          /* its cores are the host's */
  bool shares_memory;   /* with the host */
  bool divides_exactly; /* -cl-fp32-correctly-rounded-divide-sqrt */
  size_t max_group;     /* work-items of a group */
  cl_ulong local_bytes;
  char name[128], driver[192];
  wnn_cl_session *session;                 /* while a graph is compiled */
  wnn_cl_blast *blast;                     /* once a product asked for it: see blast.h */
  const wnn_kernel *kernels[WNN_N_OPS][3]; /* by operation, fastest first, NULL */
};

extern const wnn_backend wnn_backend_opencl;

/* OK, or UNKNOWN: what a device that fails has in store for us is all the same. */
static inline webnn_status wnn_cl_status(cl_int code) {
  return code == CL_SUCCESS ? WEBNN_OK : WEBNN_ERROR_UNKNOWN;
}

/* The same for commands, of which the device's owner hears. */
static inline webnn_status wnn_cl_check(wnn_device *device, cl_int code) {
  if (code != CL_SUCCESS) device->failure = code;
  return wnn_cl_status(code);
}

/* device.c */
webnn_status wnn_cl_open(const wnn_host *host, wnn_device **out, webnn_error *err);
void wnn_cl_close(wnn_device *device);
/* What the last command that failed says: for the reason why a context is lost. */
const char *wnn_cl_failure(const wnn_device *device);
bool wnn_cl_list(size_t i, webnn_power_preference preference, webnn_device_info *out);

/* buffer.c: memory of tensors and executables. */
extern const wnn_memory wnn_cl_memory;
webnn_status wnn_cl_buffer_create(wnn_device *device, size_t n_bytes, wnn_buffer *out);
void wnn_cl_buffer_free(wnn_device *device, wnn_buffer *buffer);
webnn_status wnn_cl_buffer_write(wnn_device *device, wnn_buffer *buffer, const void *data);
webnn_status wnn_cl_buffer_read(wnn_device *device, const wnn_buffer *buffer, void *data);
webnn_status wnn_cl_buffer_import(wnn_device *device, void *memory, size_t n_bytes, void *event,
                                  wnn_buffer *out);
webnn_status wnn_cl_buffer_export(wnn_device *device, const wnn_buffer *buffer, void **memory,
                                  void **event);
void wnn_cl_stages_close(wnn_device *device);
webnn_status wnn_cl_await_event(wnn_device *device, void *event);

/* ---- plans (plan.c) */

/* Where an argument's memory is. */
typedef enum wnn_cl_place {
  WNN_CL_INPUT, /* by port */
  WNN_CL_OUTPUT,
  WNN_CL_SCRATCH,
  WNN_CL_KEPT,
  WNN_CL_NUMBER, /* `index` itself, as an int */
} wnn_cl_place;

typedef struct wnn_cl_arg {
  uint8_t place;
  uint32_t index;
} wnn_cl_arg;

typedef struct wnn_cl_launch {
  const wnn_cl_gemm *gemm; /* CLBlast's product, instead of a kernel; or NULL */
  cl_kernel kernel;        /* once the program is built */
  uint32_t name;           /* of the kernel, in the session */
  size_t global, local;
  wnn_cl_arg *args;
  size_t n_args;
} wnn_cl_launch;

typedef struct wnn_cl_plan {
  wnn_plan base;
  wnn_arena arena; /* of the lists */
  wnn_cl_launch *launches;
  size_t n_launches, room;
  void *kept; /* weights, packed; or NULL */
} wnn_cl_plan;

wnn_cl_plan *wnn_cl_plan_create(wnn_device *device);
/* One launch more: NULL when out of memory. Its kernel is made when the session ends. */
wnn_cl_launch *wnn_cl_plan_launch(wnn_cl_plan *plan, uint32_t name, size_t global, size_t local,
                                  size_t n_args);
webnn_status wnn_cl_plan_run(const wnn_plan *plan, const wnn_run *run);
void wnn_cl_plan_free(wnn_plan *plan);
/* Scratch of every run: its place in bytes. */
size_t wnn_cl_plan_scratch(wnn_cl_plan *plan, size_t n_bytes);

/* ---- programs (program.c, cache.c) */

/* The kernels of one graph, collected while its regions are planned. Equal ones are one. */
webnn_status wnn_cl_session_begin(wnn_device *device);
/* The kernel with this text behind its name, "(…) { … }", for groups of `local`; `needs` is a set
 * of wnn_cl_need. UINT32_MAX: out of memory. */
uint32_t wnn_cl_session_kernel(wnn_device *device, const char *text, size_t local, unsigned needs);
/* A plan whose launches want their kernels at the end. */
webnn_status wnn_cl_session_plan(wnn_device *device, wnn_cl_plan *plan);
/* Builds the program, unless nothing needs one or `drop`, and gives the plans their kernels. */
webnn_status wnn_cl_session_end(wnn_device *device, bool drop, webnn_error *err);

/* Parts of the text that goes before the kernels. */
typedef enum wnn_cl_need {
  WNN_CL_NEEDS_HALF = 1,    /* w_half: rounds to float16 */
  WNN_CL_NEEDS_MATH = 2,    /* functions of one float */
  WNN_CL_NEEDS_INTEGER = 4, /* powers, quotients */
  WNN_CL_NEEDS_CAST = 8,
  WNN_CL_NEEDS_INDEX = 16, /* of gathers and scatters */
  WNN_CL_NEEDS_SUM = 32,   /* compensated sums */
} wnn_cl_need;
#define WNN_CL_N_NEEDS 6

/* A built program for this text, from the cache or the compiler. */
webnn_status wnn_cl_build(wnn_device *device, const char *source, size_t size, cl_program *out,
                          webnn_error *err);
/* The cache's entry, if it is whole and the device takes it; NULL. */
cl_program wnn_cl_cache_load(wnn_device *device, const char *source, size_t size,
                             const char *options);
void wnn_cl_cache_store(wnn_device *device, const char *source, size_t size, const char *options,
                        cl_program program);

/* Removes the entries that were not used for longest while all have more than `max_bytes`. */
#define WNN_CL_CACHE_BYTES ((uint64_t)256 << 20)
void wnn_cl_cache_trim(const wnn_alloc *alloc, uint64_t max_bytes);

/* ---- kernels, by family: plans of every region of an operation */

extern const wnn_kernel wnn_cl_elementwise, wnn_cl_movement, wnn_cl_reduce, wnn_cl_pool,
    wnn_cl_conv, wnn_cl_product, wnn_cl_by_clblast, wnn_cl_norm, wnn_cl_gather, wnn_cl_resample,
    wnn_cl_quantize, wnn_cl_recurrent;
/* True for operations that a generated expression computes, element by element (expression.c). */
bool wnn_cl_is_elementwise(wnn_op_id op);

#endif
