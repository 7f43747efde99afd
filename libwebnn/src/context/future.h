/* Futures from the inside: who makes one, finishes it, or rejects it before anybody has looked.
 *
 * Work that is done makes a future READY. It settles when somebody looks: asks, waits, has a
 * callback there or drops the last handle. Until then destroying its tensor or context still
 * rejects it, however fast the work was, and a caller's memory isn't written: that happens as it
 * settles. */
#ifndef WNN_CONTEXT_FUTURE_H
#define WNN_CONTEXT_FUTURE_H

#include "context/timeline.h"
#include <webnn/future.h>

/* `what`: the call that it is of, which messages begin with; NULL: the one of webnn_context_lost. NULL: out of memory. */
webnn_future *wnn_future_create(wnn_timeline *timeline, const char *what);

/* Under the lock: puts a pending future into the list through which it can be rejected. */
void wnn_future_track(webnn_future *future, webnn_future **list);
/* Under the lock: the futures of a list that goes away can be rejected through another one. */
void wnn_futures_move(webnn_future **from, webnn_future **to);

/* How work ends; without the lock, at most one of them per future. The work holds an owner of its
 * own until then. What they are given is the future's, also when it has been rejected meanwhile. */
void wnn_future_finish_graph(webnn_future *future, webnn_graph *graph);
void wnn_future_finish_read(webnn_future *future);
void wnn_future_fail(webnn_future *future, webnn_status status, const webnn_error *err);

/* Reads, before the work: gives the future memory for the bytes; false: none. `target`, the
 * caller's memory or NULL, is where they go when it settles. */
bool wnn_future_reserve(webnn_future *future, size_t n_bytes, void *target);
/* Where the work is to put the bytes: the future's memory; or, when somebody waits for the read
 * already, the caller's, without a detour. NULL: rejected, there is nothing to do. */
void *wnn_future_begin_read(webnn_future *future);

/* Futures that were settled under the lock and whose callbacks are still to be called. */
typedef struct wnn_settled {
  webnn_future *first, *last;
} wnn_settled;

/* Under the lock: rejects all of the list that haven't settled; `text` lives as long as the
 * timeline. */
void wnn_futures_reject(webnn_future **list, const char *text, wnn_settled *settled);
/* Under the lock: the future of webnn_context_lost settles with the timeline's reason. */
void wnn_future_settle_lost(webnn_future *future, wnn_settled *settled);
/* Under the lock, after a reject: waits until no caller's memory of this list is being written. */
void wnn_futures_await_copies(wnn_timeline *timeline, webnn_future *const *list);
/* Without the lock: calls the callbacks and gives the futures back. */
void wnn_settled_fire(wnn_settled *settled);

#endif
