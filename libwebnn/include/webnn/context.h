/** A context: one device, one ordered timeline, everything that is created from it.  Spec: MLContext. */
#ifndef WEBNN_CONTEXT_H
#define WEBNN_CONTEXT_H

#include <webnn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The kind of device. A GPU that isn't there falls back to the CPU; `webnn_context_info` says why. */
typedef enum webnn_device_type {
  WEBNN_DEVICE_TYPE_CPU,
  WEBNN_DEVICE_TYPE_GPU,
} webnn_device_type;

/** A hint that chooses among devices of one kind.  Spec: MLPowerPreference. */
typedef enum webnn_power_preference {
  WEBNN_POWER_PREFERENCE_DEFAULT,
  WEBNN_POWER_PREFERENCE_HIGH_PERFORMANCE,
  WEBNN_POWER_PREFERENCE_LOW_POWER,
} webnn_power_preference;

/** EXACT multiplies in float32. FAST allows convolutions and products in bfloat16 with float32 sums, where the processor
 *  has instructions for that: the driver's line of `webnn_context_info` says whether, the kernel of a graph's step says
 *  where. */
typedef enum webnn_math {
  WEBNN_MATH_EXACT,
  WEBNN_MATH_FAST,
} webnn_math;

/** Spec: MLContextOptions; from `device_type` on, extensions. */
typedef struct webnn_context_options {
  size_t struct_size;
  webnn_power_preference power_preference;
  bool accelerated;
  webnn_device_type device_type;
  const char *backend;                 /**< "auto", "onednn", "opencl", "reference"; NULL is "auto" */
  uint32_t threads;                    /**< 0: as many as the affinity mask and the CPU quota allow */
  webnn_math math;
  const char *passes;                  /**< debugging: "-fuse,-layout" switches passes off; NULL: all on */
  const webnn_allocator *allocator;    /**< NULL: the system's; copied, `ud` must outlive the context */
  const char *device;                  /**< part of the name of the wanted device of an OpenCL backend; NULL: any */
  void *opencl_queue;                  /**< a cl_command_queue whose context and device are to be used, or NULL; it is
                                            retained, and used itself when it is in order */
  void *opencl_context;                /**< a cl_context whose first usable device is to be used, or NULL; retained */
} webnn_context_options;

#define WEBNN_CONTEXT_OPTIONS_INIT                                                            \
  {                                                                                           \
    sizeof(webnn_context_options), WEBNN_POWER_PREFERENCE_DEFAULT, true,                      \
        WEBNN_DEVICE_TYPE_CPU, NULL, 0, WEBNN_MATH_EXACT, NULL, NULL, NULL, NULL, NULL        \
  }

/** Creates a context.  Spec: ML.createContext.
 *  Owns: `*out` is the caller's, release it.  Threads: any.
 *  Fails: TYPE (bad enum, unknown pass), NOT_SUPPORTED (the named backend isn't there), UNKNOWN (no memory,
 *  no thread). `options` NULL: all defaults. `err` may be NULL, here and everywhere. */
WEBNN_API webnn_status webnn_context_create(const webnn_context_options *options,
                                            webnn_context **out, webnn_error *err);

/** Creates a context on the device of an OpenCL command queue, all other options at their defaults: short for
 *  `opencl_queue`. The spec's createContext(GPUDevice), for those who own an OpenCL context.  Threads: any.
 *  Fails: TYPE (NULL), NOT_SUPPORTED (no OpenCL here, the device can't be used), UNKNOWN. */
WEBNN_API webnn_status webnn_context_create_from_opencl(void *queue, webnn_context **out, webnn_error *err);

/** Count one owner more; NULL is allowed.  Threads: any. */
WEBNN_API webnn_context *webnn_context_retain(webnn_context *context);

/** Count one owner less. The last owner of a context that isn't lost destroys it and waits for its worker;
 *  called on the worker itself (in a callback) it doesn't wait.  Threads: any. */
WEBNN_API void webnn_context_release(webnn_context *context);

/** Loses the context on purpose: `lost` settles, graphs and tensors are destroyed, pending work fails with
 *  INVALID_STATE. Idempotent.  Spec: MLContext.destroy.  Threads: any. */
WEBNN_API void webnn_context_destroy(webnn_context *context);

/** True once the context is lost: destroyed, failed, or inherited through a fork.  Threads: any. */
WEBNN_API bool webnn_context_is_lost(const webnn_context *context);

/** The future that settles when the context is lost, the same one each time; `webnn_future_message` tells
 *  why.  Owns: borrowed, lives as long as the context.  Threads: any. */
WEBNN_API webnn_future *webnn_context_lost(webnn_context *context);

/** The `accelerated` option as given.  Spec: MLContext.accelerated.  Threads: any. */
WEBNN_API bool webnn_context_accelerated(const webnn_context *context);

/** What was chosen. Strings are borrowed and live as long as the context. */
typedef struct webnn_context_info {
  size_t struct_size;
  const char *backend; /**< "onednn", "reference", … */
  const char *device;  /**< the device's own name */
  const char *driver;  /**< library and version below us */
  uint32_t threads;
  const char *why;     /**< why this device, when another was asked for; "" else */
} webnn_context_info;
#define WEBNN_CONTEXT_INFO_INIT { sizeof(webnn_context_info), NULL, NULL, NULL, 0, NULL }

/** Fills `*out`, as far as its `struct_size` reaches.  Threads: any. */
WEBNN_API void webnn_context_get_info(const webnn_context *context, webnn_context_info *out);

/** A device that a context can be created on. */
typedef struct webnn_device_info {
  size_t struct_size;
  const char *backend;           /**< that serves it; static */
  webnn_device_type device_type; /**< a CPU's OpenCL is of type CPU */
  char name[128];                /**< for `device` of the options: a part of it will do */
  char driver[192];              /**< library and version below us */
  uint64_t memory;               /**< bytes that it has; 0: not known */
  uint32_t compute_units;        /**< processors of a CPU */
  bool shares_memory;            /**< its memory is the host's */
  bool usable;                   /**< false: it lacks what our kernels need */
} webnn_device_info;
#define WEBNN_DEVICE_INFO_INIT \
  { sizeof(webnn_device_info), NULL, WEBNN_DEVICE_TYPE_CPU, {0}, {0}, 0, 0, false, false }

/** Fills `*out` with device `i`, as far as its `struct_size` reaches: the CPU as each backend serves it, then what
 *  OpenCL finds, a device that `device_type` or `backend` would take before others first. False past the end.
 *  Threads: any. */
WEBNN_API bool webnn_device_get_info(size_t i, webnn_power_preference preference, webnn_device_info *out);

/** What the context can do, as the JSON text of MLOpSupportLimits: all keys as in the specification.
 *  NULL: out of memory.  Owns: borrowed, lives as long as the context.  Threads: any.
 *  Spec: MLContext.opSupportLimits. */
WEBNN_API const char *webnn_context_op_support_limits(webnn_context *context);

/** What a context's device reaches when it has nothing else to do: what profiles are measured against. */
typedef struct webnn_peaks {
  size_t struct_size;
  double flops; /**< multiplications and additions a second, in products of float32 matrices */
  double bytes; /**< bytes of memory a second, read and written, of sums too large for caches */
} webnn_peaks;
#define WEBNN_PEAKS_INIT { sizeof(webnn_peaks), 0, 0 }

/** Fills `*out`, as far as its `struct_size` reaches. The first call on a context measures, which takes some tenths of
 *  a second and 96 MiB for that long; later ones tell the same.  Threads: any but the context's worker.
 *  Fails: INVALID_STATE (context lost, called by the worker), UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_context_measure_peaks(webnn_context *context, webnn_peaks *out, webnn_error *err);

/** What an error scope catches.  Extension (webnn-native): X(ID, name).
 *  VALIDATION: TYPE, INVALID_STATE and NOT_SUPPORTED, what the caller can avoid; OUT_OF_MEMORY: UNKNOWN for want
 *  of memory; INTERNAL: OPERATION, and UNKNOWN for any other reason. */
#define WEBNN_ERROR_FILTER_MAP(X)    \
  X(VALIDATION, "validation")        \
  X(OUT_OF_MEMORY, "out-of-memory")  \
  X(INTERNAL, "internal")

typedef enum webnn_error_filter {
#define WEBNN_X(id, name) WEBNN_ERROR_FILTER_##id,
  WEBNN_ERROR_FILTER_MAP(WEBNN_X)
#undef WEBNN_X
} webnn_error_filter;

/** Called with a failure that no error scope has caught; `error` is valid until it returns. */
typedef void (*webnn_error_callback)(const webnn_error *error, void *ud);

/** Opens an error scope, inside those that are open.  Extension (webnn-native).
 *  Scopes observe: a call that fails returns its status all the same. The innermost scope whose filter fits
 *  catches the failures of calls on the context and on its builders, graphs and tensors, from any thread, and of
 *  futures as they settle. It keeps the first.  Threads: any, but the scopes are the context's, not a thread's.
 *  Fails: TYPE (no such filter), UNKNOWN (no memory); not reported itself. */
WEBNN_API webnn_status webnn_context_push_error_scope(webnn_context *context, webnn_error_filter filter,
                                                      webnn_error *err);

/** Closes the innermost error scope; `*out` (may be NULL) is the first failure that it caught, with status OK
 *  when there was none. A build or read that is to be caught must have settled before.
 *  Extension (webnn-native).  Threads: any.  Fails: INVALID_STATE (none is open); not reported itself. */
WEBNN_API webnn_status webnn_context_pop_error_scope(webnn_context *context, webnn_error *out,
                                                     webnn_error *err);

/** Has `callback` called with every failure that no scope has caught; NULL: nothing is called any more.
 *  Extension (webnn-native). It runs on the thread where the failure came up, before the failing call returns or
 *  the future's callback is called, and may call anything that may be called there. When this returns the former
 *  callback has returned, unless this is called inside one.  Threads: any. */
WEBNN_API void webnn_context_on_uncaptured_error(webnn_context *context, webnn_error_callback callback,
                                                 void *ud);

/** Reports a failure as if a call on the context had failed with it, to scopes and callback: for what is built on
 *  top of this library. Nothing happens for status OK.  Extension (webnn-native's injectError).  Threads: any. */
WEBNN_API void webnn_context_report_error(webnn_context *context, const webnn_error *error);

/** A descriptor that becomes readable when futures of this context have settled; -1 when the system has
 *  none. The context owns it: don't close it.  Threads: any. */
WEBNN_API int webnn_context_fd(webnn_context *context);

/** Makes the descriptor unreadable again; call it before looking at the futures.  Threads: any. */
WEBNN_API void webnn_context_drain(webnn_context *context);

#ifdef __cplusplus
}
#endif
#endif
