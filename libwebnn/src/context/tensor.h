/* Tensors from the inside: their memory, and who is at it. */
#ifndef WNN_CONTEXT_TENSOR_H
#define WNN_CONTEXT_TENSOR_H

#include "base/blob.h"
#include "base/shape.h"
#include "context/context.h"

struct webnn_tensor {
  wnn_ref ref;
  webnn_context *context; /* retained */
  wnn_desc desc;
  size_t n_bytes;
  bool readable, writable, constant;
  atomic_bool destroyed; /* set under the lock */
  /* Under the lock. The memory goes when the tensor is destroyed and nobody is at it. */
  bool has_memory;
  wnn_buffer buffer;
  wnn_blob *blob;                /* a constant's bytes, shared with builders and graphs */
  unsigned n_readers, n_writers; /* queued or running work */
  bool held;                     /* a caller's thread copies; whoever else wants the tensor waits */
  unsigned n_maps;
  bool exported; /* one of the maps, and reads are refused too */
  webnn_future *reads;       /* unsettled ones */
  uint64_t mark;             /* the last walk that came by */
  webnn_tensor *prev, *next; /* in the context's list */
  webnn_tensor *doomed;      /* in a list of wnn_tensors_doom */
};

static inline bool wnn_tensor_gone(const webnn_tensor *tensor) {
  return atomic_load_explicit(&tensor->destroyed, memory_order_acquire) ||
         wnn_timeline_forked(tensor->context->timeline);
}

/* Under the lock: nobody is at its memory, nor will be before new work is queued. */
static inline bool wnn_tensor_is_free(const webnn_tensor *tensor) {
  return tensor->n_readers == 0 && tensor->n_writers == 0 && !tensor->held;
}

/* TYPE unless the tensor is this context's and not destroyed. */
webnn_status wnn_tensor_check(const webnn_context *context, const webnn_tensor *tensor,
                              const char *what, webnn_error *err);

/* Puts a finished tensor among the context's; releases it if the context was lost meanwhile. */
webnn_status wnn_tensor_enter(webnn_tensor *tensor, const char *what, webnn_tensor **out, webnn_error *err);
/* A tensor without memory. */
webnn_status wnn_tensor_make(webnn_context *context, const webnn_descriptor *descriptor, const char *what,
                             webnn_tensor **out, webnn_error *err);

/* Under the lock: queued work keeps the tensor and its memory, until it unpins it. */
void wnn_tensor_pin(webnn_tensor *tensor, bool writes);
void wnn_tensor_unpin(webnn_tensor *tensor, bool writes);
/* Without the lock, after an unpin: frees the memory if nobody is to use it again, gives the tensor
 * back. */
void wnn_tensor_let_go(webnn_tensor *tensor);

/* Under the lock: all tensors of the context are destroyed. Without it, afterwards: their memory
 * goes. */
webnn_tensor *wnn_tensors_doom(webnn_context *context, wnn_settled *settled);
void wnn_tensors_collect(webnn_tensor *first);

#endif
