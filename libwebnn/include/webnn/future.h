/** Futures: what the specification's Promises are in C. One settles once, and stays as it is.
 *
 *  A future settles when its work is done and somebody looks: calls a function below, waits, has put a callback
 *  there, or drops the last handle. Until then destroying its tensor or its context rejects it, however fast the
 *  work was, and the memory of `webnn_tensor_read_into` isn't touched: what a program sees doesn't depend on who
 *  was faster. */
#ifndef WEBNN_FUTURE_H
#define WEBNN_FUTURE_H

#include <webnn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Called once, when a future has settled. */
typedef void (*webnn_future_callback)(webnn_future *future, void *ud);

/** Count one owner more, one less; NULL is allowed.  Threads: any. */
WEBNN_API webnn_future *webnn_future_retain(webnn_future *future);
WEBNN_API void webnn_future_release(webnn_future *future);

/** True once settled.  Threads: any. */
WEBNN_API bool webnn_future_done(const webnn_future *future);

/** Waits until settled, at most `timeout_ns` nanoseconds (negative: for ever).  Threads: any but the
 *  context's worker.  Fails: TIMEOUT. OK says only that it has settled, not how. */
WEBNN_API webnn_status webnn_future_wait(webnn_future *future, int64_t timeout_ns);

/** How it settled: OK or the failure, told in `*err`.  Threads: any.  Fails: INVALID_STATE while pending. */
WEBNN_API webnn_status webnn_future_result(const webnn_future *future, webnn_error *err);

/** The graph of a build; NULL when it failed, is pending, or was no build.
 *  Owns: borrowed, lives as long as the future.  Threads: any. */
WEBNN_API webnn_graph *webnn_future_graph(const webnn_future *future);

/** The bytes of a read; NULL in the same cases.  Owns: borrowed, as above.  Threads: any. */
WEBNN_API const void *webnn_future_data(const webnn_future *future, size_t *n_bytes);

/** The message of `webnn_context_lost`; "" in the same cases.  Owns: borrowed.  Threads: any. */
WEBNN_API const char *webnn_future_message(const webnn_future *future);

/** Puts `callback` into the future's one slot. A settled future calls it before this returns, a pending
 *  one on the thread that settles it: do little there, never wait. The future stays alive until then.
 *  Threads: any.  Fails: INVALID_STATE (slot taken). */
WEBNN_API webnn_status webnn_future_on_done(webnn_future *future, webnn_future_callback callback, void *ud);

#ifdef __cplusplus
}
#endif
#endif
