/* A context from the inside: its device, and weak lists of what lives on it. */
#ifndef WNN_CONTEXT_CONTEXT_H
#define WNN_CONTEXT_CONTEXT_H

#include "backend.h"
#include "context/future.h"

struct webnn_context {
  wnn_ref ref; /* owners, tensors, graphs, builders, queued work */
  wnn_timeline *timeline;
  const wnn_backend *backend;
  wnn_device *device;
  wnn_host host;
  bool accelerated;
  char *passes; /* the option's text, or NULL */
  size_t passes_bytes;
  char why[256]; /* why the device isn't of the kind that was asked for */
  webnn_future *lost;
  _Atomic(char *) limits; /* made on demand */
  size_t limits_bytes;
  /* Under the timeline's lock. They own nothing: what is released leaves them. */
  webnn_tensor *tensors;
  webnn_graph *graphs;
  uint64_t mark; /* the last walk over tensors */
  double peak_flops, peak_bytes; /* a second; 0: not measured yet */
};

/* A context on one backend, all options checked. `why` is copied. */
webnn_status wnn_context_open(const webnn_context_options *options, const wnn_backend *backend,
                              const char *why, webnn_context **out, webnn_error *err);

/* The context is lost for the reason in `format`, a sentence. Nothing happens when it is lost
 * already. */
void wnn_context_lose(webnn_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The device failed in work that nobody awaits: reports it and loses the context for it. */
void wnn_context_break(webnn_context *context, const char *text);
/* The same after a failure that a future or a call tells of: it isn't reported again. A device that can't fail by
 * itself goes on. */
void wnn_context_break_after(webnn_context *context, const char *text);

/* UNKNOWN: the text, and what the device says of its last failure. */
webnn_status wnn_context_explain(const webnn_context *context, const char *text, webnn_error *out);
/* INVALID_STATE with the reason. */
webnn_status wnn_context_fail_lost(const webnn_context *context, const char *what,
                                   webnn_error *err);

/* JSON of MLOpSupportLimits, to be freed with its length in `*n_bytes`; NULL: out of memory
 * (limits.c). */
char *wnn_limits_make(const wnn_alloc *alloc, const wnn_backend *backend, const wnn_device *device,
                      size_t *n_bytes);

static inline void wnn_context_lock(webnn_context *context) {
  wnn_timeline_lock(context->timeline);
}
static inline void wnn_context_unlock(webnn_context *context) {
  wnn_timeline_unlock(context->timeline);
}
static inline const wnn_alloc *wnn_context_alloc(const webnn_context *context) {
  return &context->host.alloc;
}

#endif
