/** Tensors: memory of a context that graphs read and write.  Spec: MLTensor. */
#ifndef WEBNN_TENSOR_H
#define WEBNN_TENSOR_H

#include <webnn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Element type and shape; `rank` 0 is a scalar.  Spec: MLOperandDescriptor. */
typedef struct webnn_descriptor {
  webnn_data_type data_type;
  size_t rank;
  const uint32_t *shape;
} webnn_descriptor;

/** Spec: MLTensorDescriptor. */
typedef struct webnn_tensor_options {
  size_t struct_size;
  bool readable;
  bool writable;
} webnn_tensor_options;
#define WEBNN_TENSOR_OPTIONS_INIT { sizeof(webnn_tensor_options), false, false }

/** Creates a tensor full of zeros.  Spec: MLContext.createTensor.
 *  Owns: `*out` is the caller's.  Threads: any.
 *  Fails: INVALID_STATE (context lost), TYPE (bad dimension, rank, type, or too many bytes),
 *  UNKNOWN (no memory). */
WEBNN_API webnn_status webnn_tensor_create(webnn_context *context, const webnn_descriptor *descriptor,
                                           const webnn_tensor_options *options, webnn_tensor **out,
                                           webnn_error *err);

/** Creates a tensor that only `webnn_builder_constant_tensor` can use.  Spec: MLContext.createConstantTensor.
 *  `data` is copied; `n_bytes` must be the descriptor's byte length exactly.
 *  Owns: `*out` is the caller's.  Threads: any.  Fails: as `webnn_tensor_create`, TYPE (length). */
WEBNN_API webnn_status webnn_tensor_create_constant(webnn_context *context,
                                                    const webnn_descriptor *descriptor, const void *data,
                                                    size_t n_bytes, webnn_tensor **out, webnn_error *err);

/** Count one owner more, one less; NULL is allowed.  Threads: any. */
WEBNN_API webnn_tensor *webnn_tensor_retain(webnn_tensor *tensor);
WEBNN_API void webnn_tensor_release(webnn_tensor *tensor);

/** Destroys the tensor: pending reads fail with INVALID_STATE at once, the memory goes when queued work is
 *  done. Idempotent.  Threads: any.  Spec: MLTensor.destroy. */
WEBNN_API void webnn_tensor_destroy(webnn_tensor *tensor);

/** What the tensor was created with; `shape` is borrowed from the tensor.  Threads: any. */
WEBNN_API webnn_descriptor webnn_tensor_descriptor(const webnn_tensor *tensor);
WEBNN_API size_t webnn_tensor_byte_length(const webnn_tensor *tensor);
WEBNN_API bool webnn_tensor_readable(const webnn_tensor *tensor);
WEBNN_API bool webnn_tensor_writable(const webnn_tensor *tensor);
WEBNN_API bool webnn_tensor_constant(const webnn_tensor *tensor);
WEBNN_API bool webnn_tensor_is_destroyed(const webnn_tensor *tensor);
WEBNN_API webnn_context *webnn_tensor_context(const webnn_tensor *tensor); /**< borrowed */

/** Writes the whole tensor, in its place on the timeline; `data` is copied before the call returns.
 *  Spec: MLContext.writeTensor.  Threads: any.
 *  Fails: TYPE (other context, destroyed, not writable, length), INVALID_STATE (exported),
 *  UNKNOWN (no memory for the copy). */
WEBNN_API webnn_status webnn_tensor_write(webnn_context *context, webnn_tensor *tensor, const void *data,
                                          size_t n_bytes, webnn_error *err);

/** Reads the whole tensor as it is at this place of the timeline; `webnn_future_data` has the bytes.
 *  Spec: MLContext.readTensor.  Owns: `*out` is the caller's.  Threads: any.
 *  Fails at once: TYPE (other context, destroyed, not readable).  Fails later: INVALID_STATE (tensor
 *  destroyed, context lost), UNKNOWN (the copy failed). */
WEBNN_API webnn_status webnn_tensor_read(webnn_context *context, webnn_tensor *tensor, webnn_future **out,
                                         webnn_error *err);

/** The same into the caller's memory, which must stay valid until the future settles: it is written at
 *  completion only, never before nor after.  Fails at once also: TYPE (length). */
WEBNN_API webnn_status webnn_tensor_read_into(webnn_context *context, webnn_tensor *tensor, void *data,
                                              size_t n_bytes, webnn_future **out, webnn_error *err);

/** Shows a host tensor's memory once queued work on it is done; until `webnn_tensor_unmap` write and dispatch are
 *  refused and destroy waits.  Owns: the bytes stay the tensor's.  Threads: any; blocks.
 *  Fails: TYPE (destroyed, constant), INVALID_STATE (context lost), NOT_SUPPORTED (not host memory). */
WEBNN_API webnn_status webnn_tensor_map(webnn_tensor *tensor, void **out, webnn_error *err);

/** Takes back one `webnn_tensor_map`.  Threads: any. */
WEBNN_API void webnn_tensor_unmap(webnn_tensor *tensor);

/** Creates a tensor on an OpenCL buffer of the context's own cl_context, which must have the descriptor's byte
 *  length at least and is retained. `event`, a cl_event or NULL, is what the tensor's first use waits for.
 *  Extension (the MLTensor explainer's imported buffer).  Owns: `*out` is the caller's.  Threads: any.
 *  Fails: as `webnn_tensor_create`; NOT_SUPPORTED (the context isn't OpenCL's), TYPE (no buffer of this context,
 *  or too small). */
WEBNN_API webnn_status webnn_tensor_import_opencl(webnn_context *context, const webnn_descriptor *descriptor,
                                                  const webnn_tensor_options *options, void *memory,
                                                  void *event, webnn_tensor **out, webnn_error *err);

/** Lends the tensor's memory out: `*memory` is its cl_mem, borrowed, `*event` a cl_event, to be released, that
 *  comes when all work queued on the tensor is done. Until `webnn_tensor_return_opencl` write, read and dispatch are
 *  refused, and destroy waits. Extension (the MLTensor explainer's exportable tensor).  Threads: any but the
 *  context's worker; waits until that work is on the device's queue.
 *  Fails: TYPE (destroyed, constant), INVALID_STATE (exported already, context lost), NOT_SUPPORTED (not
 *  OpenCL's), UNKNOWN. */
WEBNN_API webnn_status webnn_tensor_export_opencl(webnn_tensor *tensor, void **memory, void **event,
                                                  webnn_error *err);

/** Takes the memory back; what uses the tensor from now on waits for `event`, a cl_event or NULL.  Threads: any.
 *  Fails: INVALID_STATE (not exported), UNKNOWN (the event can't be waited for; the tensor is back all the same). */
WEBNN_API webnn_status webnn_tensor_return_opencl(webnn_tensor *tensor, void *event, webnn_error *err);

#ifdef __cplusplus
}
#endif
#endif
