/* What a backend implements. Versioned with the library, not installed.
 *
 * A backend opens devices; a device makes buffers and compiles graphs; an executable runs on the context's
 * timeline, one run at a time. Backends give the library in `lower/` their kernels and get regions,
 * layouts, arena and the run loop from it. A device with memory of its own may still be at work when a run or a
 * write returns: it does things in order, and a read waits.
 *
 * Threads: `buffer_create`, `buffer_free` and `executable_free` are called from any thread, never for what is in
 * use; `compile`, `evaluate`, `run` and the copies from one thread at a time, mostly the context's worker. */
#ifndef WNN_BACKEND_H
#define WNN_BACKEND_H

#include "base/bank.h"
#include "graph/ir.h"
#include "parallel.h"
#include <webnn/context.h>

typedef struct wnn_device wnn_device;         /* a backend's own */
typedef struct wnn_executable wnn_executable; /* a backend's own */

/* What the context gives a device; lives as long as the device. */
typedef struct wnn_host {
  wnn_alloc alloc;
  wnn_pool *pool;
  webnn_math math;
  const char *passes; /* the debugging option, or NULL: see wnn_pass_enabled */
  wnn_bank *bank;     /* for weights that builds pack; NULL: each has memory of its own */
  bool named;         /* the backend was asked for by name: any device that it can use will do */
  webnn_power_preference power_preference;
  /* While the device is opened: part of the wanted one's name, and an owner's queue or context; or NULL. */
  const char *device_name;
  void *queue, *context;
} wnn_host;

/* Every backend's device begins with a pointer to its host: kernels that several backends share find memory and
 * threads so. */
static inline const wnn_host *wnn_device_host(const wnn_device *device) {
  return *(const wnn_host *const *)(const void *)device;
}

/* Memory of a tensor, or a caller's memory for the length of one compute. */
typedef struct wnn_buffer {
  void *host;     /* NULL when the memory isn't the host's */
  size_t n_bytes;
  void *impl;     /* the backend's own; NULL for a caller's memory */
} wnn_buffer;

typedef struct wnn_device_info {
  const char *device, *driver; /* borrowed, live as long as the device */
} wnn_device_info;

/* What one step of an executable does. */
typedef struct wnn_step_info {
  const char *operations; /* "conv2d+relu" */
  const char *kernel;
  const char *shapes;     /* operands and result, with their layouts */
  const char *layout;     /* of the first result: "plain", the order of its axes ("0231"), blocks ("8x") */
  const char *declined;   /* "a, b": kernels that were asked before; "" */
  const char *reason;     /* why the last resort runs it; "": it doesn't */
  uint32_t n_threads;     /* it may use */
  webnn_str label;        /* of the first operation that has one */
  uint64_t n_bytes;       /* read and written, each once */
  uint64_t n_flops;       /* multiplications and additions of products and convolutions; 0 for the rest */
  uint32_t n_launches;    /* kernels started on a device; 0 on the host */
} wnn_step_info;

typedef struct wnn_memory_use {
  uint64_t weights, arena, scratch;
} wnn_memory_use;

typedef struct wnn_backend {
  const char *name;
  webnn_device_type device_type;
  bool has_integers; /* evaluate and compile know the integer operations that passes make */
  bool has_attention; /* and attention */
  bool wants_floats; /* float16 graphs had better come as float32 with roundHalf, which they know too */
  /* NOT_SUPPORTED with a message: this backend can't be used here. */
  webnn_status (*open)(const wnn_host *host, wnn_device **out, webnn_error *err);
  void (*close)(wnn_device *device);
  /* Device `i` of those that there are, which `open` would take first first; false past the end. Called from any
   * thread. */
  bool (*list)(size_t i, webnn_power_preference preference, webnn_device_info *out);
  wnn_device_info (*info)(const wnn_device *device);
  /* Why the last command failed, "" when none did; static. NULL: nothing more is known than that. Called where the
   * copies are. */
  const char *(*failure)(const wnn_device *device);
  /* Element types of the row that the device lacks for this operation; 0: it has all. */
  uint32_t (*missing_types)(const wnn_device *device, const webnn_op *op);

  webnn_status (*buffer_create)(wnn_device *device, size_t n_bytes, wnn_buffer *out); /* zeroed */
  void (*buffer_free)(wnn_device *device, wnn_buffer *buffer);
  webnn_status (*buffer_write)(wnn_device *device, wnn_buffer *buffer, const void *data);
  webnn_status (*buffer_read)(wnn_device *device, const wnn_buffer *buffer, void *data);
  /* Memory shared with the owner of the device's context, by its own handles; NULL: this backend shares none. Called
   * from any thread. `event` may be NULL: what is queued from now on waits for it. TYPE: memory of another context,
   * or too little of it. */
  webnn_status (*buffer_import)(wnn_device *device, void *memory, size_t n_bytes, void *event, wnn_buffer *out);
  /* The handle, borrowed, and an event, to be released, that comes when what is queued up to now is done. */
  webnn_status (*buffer_export)(wnn_device *device, const wnn_buffer *buffer, void **memory, void **event);
  webnn_status (*await_event)(wnn_device *device, void *event);

  /* Computes one node whose operands are all constants: how folding uses the kernels that run later. NULL or
   * NOT_SUPPORTED: nothing is folded. */
  webnn_status (*evaluate)(wnn_device *device, const wnn_node *node, void *const *outputs);
  /* Takes what it needs from the graph, whose passes have run; the graph goes when this returns. */
  webnn_status (*compile)(wnn_device *device, wnn_graph *graph, wnn_executable **out, webnn_error *err);
  void (*executable_free)(wnn_executable *executable);
  /* Buffers in the order of the graph's inputs and outputs. `seconds`, when given, has a number for each step, to
   * which the time of the step is added. */
  webnn_status (*run)(wnn_executable *executable, const wnn_buffer *const *inputs,
                      const wnn_buffer *const *outputs, double *seconds);
  /* Step i in running order, NULL past the end; lives as long as the executable. */
  const wnn_step_info *(*step)(const wnn_executable *executable, size_t i);
  wnn_memory_use (*memory)(const wnn_executable *executable);
  /* True when a run is so short and simple that a waiting caller may do it on its own thread. */
  bool (*is_light)(const wnn_executable *executable);
} wnn_backend;

#endif
