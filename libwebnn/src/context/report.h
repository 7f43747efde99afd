/* Failures told a second time: the caller has its status, whoever watches the context has error
 * scopes and a callback. While nobody watches, a failure costs one relaxed load more and a success
 * none.
 *
 * The watch has a lock of its own, the innermost: it may be taken under the timeline's. Callbacks
 * run without any lock. In a forked child nothing is reported. */
#ifndef WNN_CONTEXT_REPORT_H
#define WNN_CONTEXT_REPORT_H

#include <webnn/context.h>
#include "base/alloc.h"
#include "base/sync.h"

typedef struct wnn_scope wnn_scope;
typedef struct wnn_telling wnn_telling;

typedef struct wnn_watch {
  atomic_bool on; /* a scope is open or a callback is there */
  wnn_mutex lock;
  wnn_cond told;      /* a callback has returned */
  wnn_scope *scopes;  /* innermost first */
  wnn_telling *tells; /* callbacks that are running */
  webnn_error_callback callback;
  void *ud;
  uint64_t n_changes; /* of the callback */
} wnn_watch;

void wnn_watch_init(wnn_watch *watch);
void wnn_watch_free(wnn_watch *watch, const wnn_alloc *alloc);

static inline bool wnn_watch_is_on(const wnn_watch *watch) {
  return atomic_load_explicit(&watch->on, memory_order_relaxed);
}

/* Gives the failure to the innermost scope that catches it; false: there is none. */
bool wnn_watch_catch(wnn_watch *watch, const webnn_error *error);
/* Calls the callback, if there is one. Without the timeline's lock. */
void wnn_watch_tell(wnn_watch *watch, const webnn_error *error);

/* Gives a failure on the context to its scopes. True: none has caught it, and the callback is to be told. */
bool wnn_context_misses(webnn_context *context, const webnn_error *error);

/* The end of a public call on the context: `err` has the failure, if it failed. Returns the status.
 */
webnn_status wnn_context_end(webnn_context *context, webnn_status status, const webnn_error *err);

/* Where a public call's failure is written: the caller's variable, or our own when there is none,
 * so that there is something to report. */
static inline webnn_error *wnn_error_or(webnn_error *err, webnn_error *own) {
  return err != NULL ? err : own;
}

#endif
