#include "context/future.h"

#include "base/error.h"
#include <string.h>
#include <webnn/graph.h>

/* How long a waiting thread looks on before it sleeps: a sleep and its end cost about as much. */
#define SPIN_NS 10000

/* A long read into a caller's memory waits so long for somebody to look: who reads so much mostly
 * waits for it, and then the bytes need no way round. */
#define LONG_READ_BYTES ((size_t)64 * 1024)
#define LOOK_NS 4000

typedef enum future_state {
  PENDING, /* the work isn't done */
  READY,   /* the work is done, nobody has looked */
  COPYING, /* a thread writes the caller's memory: no longer to be rejected */
  SETTLED,
} future_state;

struct webnn_future {
  wnn_ref ref;
  wnn_timeline *timeline;
  atomic_int state; /* written under the lock; what follows is constant once it is SETTLED */
  webnn_status status;
  webnn_error *error; /* the failure's own words; NULL: `text` has them */
  const char *text;
  webnn_graph *graph;
  void *data;
  size_t n_bytes;
  void *target; /* the caller's memory */
  const char *what; /* the call's name; NULL: the one of webnn_context_lost */
  bool uncaught; /* a failure that no error scope has caught; whoever settles it tells */
  /* Under the lock, always. */
  webnn_future_callback callback;
  void *ud;
  bool slot_taken;
  atomic_int n_observers; /* threads in webnn_future_wait; changes under the lock */
  unsigned n_asleep;      /* those of them in the condition */
  wnn_cond settled;
  webnn_future **list; /* through which it can be rejected */
  webnn_future *prev, *next;
  webnn_future *chain; /* in a wnn_settled */
};

static future_state state_of(const webnn_future *future) {
  return (future_state)atomic_load_explicit(&future->state, memory_order_acquire);
}

webnn_future *wnn_future_create(wnn_timeline *timeline, const char *what) {
  webnn_future *future = wnn_alloc_zeroed(&timeline->alloc, sizeof *future);
  if (future == NULL) return NULL;
  wnn_ref_init(&future->ref);
  atomic_init(&future->state, PENDING);
  atomic_init(&future->n_observers, 0);
  wnn_cond_init(&future->settled);
  future->timeline = wnn_timeline_retain(timeline);
  future->what = what;
  return future;
}

bool wnn_future_reserve(webnn_future *future, size_t n_bytes, void *target) {
  future->data = wnn_alloc_get(&future->timeline->alloc, n_bytes);
  future->n_bytes = n_bytes;
  future->target = target;
  return future->data != NULL;
}

/* ---- lists */

void wnn_future_track(webnn_future *future, webnn_future **list) {
  future->list = list;
  future->prev = NULL;
  future->next = *list;
  if (*list != NULL) (*list)->prev = future;
  *list = future;
}

static void untrack(webnn_future *future) {
  if (future->list == NULL) return;
  if (future->prev != NULL)
    future->prev->next = future->next;
  else
    *future->list = future->next;
  if (future->next != NULL) future->next->prev = future->prev;
  future->list = NULL;
}

void wnn_futures_move(webnn_future **from, webnn_future **to) {
  for (webnn_future *future; (future = *from) != NULL;) {
    untrack(future);
    wnn_future_track(future, to);
  }
}

/* ---- settling; all under the lock but for `fire` */

/* How it failed, in a caller's words. */
static webnn_status describe(const webnn_future *future, webnn_error *err) {
  if (future->text == future->timeline->reason)
    return wnn_error_set(err, future->status, "%s: the context is lost: %s", future->what, future->text);
  return wnn_error_set(err, future->status, "%s",
                       future->error ? future->error->message : future->text);
}

/* Before anybody can see that it has settled: who waits for it may close the scope right after. */
static void catch_failure(webnn_future *future) {
  webnn_error error;
  wnn_watch *watch = &future->timeline->watch;
  if (future->status == WEBNN_OK || !wnn_watch_is_on(watch)) return;
  describe(future, &error);
  future->uncaught = !wnn_watch_catch(watch, &error);
}

static void mark_settled(webnn_future *future) {
  untrack(future);
  catch_failure(future);
  atomic_store_explicit(&future->state, SETTLED, memory_order_release);
  if (future->n_asleep != 0) wnn_cond_broadcast(&future->settled);
}

static void begin_copy(webnn_future *future) {
  atomic_store_explicit(&future->state, COPYING, memory_order_release);
  future->timeline->n_copying++;
}

static void end_copy(webnn_future *future) {
  future->timeline->n_copying--;
  mark_settled(future);
  wnn_timeline_changed(future->timeline);
}

/* READY → SETTLED. Lets the lock go while it writes the caller's memory. */
static void settle(webnn_future *future) {
  if (future->target == NULL || future->status != WEBNN_OK) {
    mark_settled(future);
    return;
  }
  begin_copy(future);
  wnn_timeline_unlock(future->timeline);
  memcpy(future->target, future->data, future->n_bytes);
  wnn_timeline_lock(future->timeline);
  end_copy(future);
}

/* Without the lock, once by whoever has settled it. */
static void tell_failure(webnn_future *future) {
  webnn_error error;
  if (!future->uncaught) return;
  future->uncaught = false;
  describe(future, &error);
  wnn_watch_tell(&future->timeline->watch, &error);
}

/* Calls the callback of a future that the caller has settled; it holds an owner for it. */
static void fire(webnn_future *future) {
  tell_failure(future);
  if (future->callback == NULL) return;
  future->callback(future, future->ud);
  webnn_future_release(future);
}

/* Somebody looks at the future: a thread, a callback, or nobody ever any more. */
static bool is_observed(const webnn_future *future) {
  return atomic_load(&future->n_observers) != 0 || future->callback != NULL ||
         wnn_ref_is_sole(&future->ref);
}

/* ---- the end of the work */

/* PENDING → READY, and on when somebody looks. False: it was rejected before. */
static bool finish(webnn_future *future, webnn_status status, webnn_error *error, const char *text,
                   webnn_graph *graph) {
  wnn_timeline *timeline = future->timeline;
  bool fires = false;
  wnn_timeline_lock(timeline);
  future_state before = state_of(future);
  if (before == PENDING || before == COPYING) {
    future->status = status;
    future->error = error;
    future->text = text;
    future->graph = graph;
    if (before == COPYING) {
      end_copy(future);
      fires = true;
    } else {
      atomic_store_explicit(&future->state, READY, memory_order_release);
      fires = is_observed(future);
      if (fires) settle(future);
    }
  }
  wnn_timeline_unlock(timeline);
  if (fires) fire(future);
  if (before != SETTLED) wnn_timeline_notify(timeline);
  return before != SETTLED;
}

void wnn_future_finish_graph(webnn_future *future, webnn_graph *graph) {
  if (!finish(future, WEBNN_OK, NULL, NULL, graph)) webnn_graph_release(graph);
}

void wnn_future_finish_read(webnn_future *future) { finish(future, WEBNN_OK, NULL, NULL, NULL); }

void wnn_future_fail(webnn_future *future, webnn_status status, const webnn_error *err) {
  webnn_error *own = err ? wnn_alloc_get(&future->timeline->alloc, sizeof *own) : NULL;
  if (own != NULL) *own = *err;
  const char *text = status == WEBNN_ERROR_UNKNOWN ? "out of memory" : "the work failed";
  if (!finish(future, status, own, text, NULL))
    wnn_alloc_free(&future->timeline->alloc, own, sizeof *own);
}

void *wnn_future_begin_read(webnn_future *future) {
  void *to = NULL;
  if (future->target != NULL && future->n_bytes > LONG_READ_BYTES && future->timeline->spins)
    wnn_spin_while(&future->n_observers, 0, LOOK_NS);
  wnn_timeline_lock(future->timeline);
  if (state_of(future) == PENDING) {
    to = future->data;
    if (future->target != NULL && is_observed(future)) {
      to = future->target;
      begin_copy(future);
    }
  }
  wnn_timeline_unlock(future->timeline);
  return to;
}

/* ---- rejecting */

static void chain(wnn_settled *settled, webnn_future *future) {
  future->chain = NULL;
  if (settled->first == NULL)
    settled->first = future;
  else
    settled->last->chain = future;
  settled->last = future;
}

void wnn_futures_reject(webnn_future **list, const char *text, wnn_settled *settled) {
  for (webnn_future *future = *list, *next; future != NULL; future = next) {
    next = future->next;
    if (state_of(future) == COPYING) continue;
    future->status = WEBNN_ERROR_INVALID_STATE;
    future->text = text;
    mark_settled(future);
    /* One whose last owner is about to free it has no callback and is freed with what it holds. */
    if (wnn_ref_try_retain(&future->ref)) chain(settled, future);
  }
}

void wnn_future_settle_lost(webnn_future *future, wnn_settled *settled) {
  future->text = future->timeline->reason;
  mark_settled(future);
  if (wnn_ref_try_retain(&future->ref)) chain(settled, future);
}

static bool any_copying(const webnn_future *future) {
  for (; future != NULL; future = future->next)
    if (state_of(future) == COPYING) return true;
  return false;
}

void wnn_futures_await_copies(wnn_timeline *timeline, webnn_future *const *list) {
  while (any_copying(*list)) wnn_timeline_wait(timeline);
}

void wnn_settled_fire(wnn_settled *settled) {
  wnn_timeline *timeline = settled->first ? wnn_timeline_retain(settled->first->timeline) : NULL;
  for (webnn_future *future = settled->first, *next; future != NULL; future = next) {
    next = future->chain;
    fire(future);
    webnn_future_release(future);
  }
  if (timeline != NULL) {
    wnn_timeline_notify(timeline);
    wnn_timeline_release(timeline);
  }
  *settled = (wnn_settled){NULL, NULL};
}

/* ---- looking */

/* In a forked child whoever would have settled it isn't there: it counts as settled by the loss. */
static bool is_orphan(const webnn_future *future) {
  return wnn_timeline_forked(future->timeline) && state_of(future) != SETTLED;
}

/* Settles a future whose work is done. True: it has settled. */
static bool look(const webnn_future *seen) {
  webnn_future *future =
      (webnn_future *)seen; /* looking changes it: that is when a promise settles */
  if (state_of(future) == SETTLED) return true;
  if (state_of(future) == PENDING) return false;
  bool fires = false;
  wnn_timeline_lock(future->timeline);
  if (state_of(future) == READY) {
    settle(future);
    fires = true;
  }
  bool settled = state_of(future) == SETTLED;
  wnn_timeline_unlock(future->timeline);
  if (fires) fire(future);
  return settled;
}

bool webnn_future_done(const webnn_future *future) { return is_orphan(future) || look(future); }

static int64_t deadline_of(int64_t timeout_ns) {
  int64_t deadline;
  if (timeout_ns < 0 || __builtin_add_overflow(wnn_now_ns(), timeout_ns, &deadline))
    return INT64_MAX;
  return deadline;
}

/* Waits on, under the lock, for a future that other threads will settle. */
static void await(webnn_future *future, int64_t deadline) {
  wnn_timeline *timeline = future->timeline;
  future->n_asleep++;
  while (state_of(future) != SETTLED && (deadline == INT64_MAX || wnn_now_ns() < deadline))
    wnn_cond_wait_until(&future->settled, &timeline->lock, deadline);
  future->n_asleep--;
}

static bool spin(const webnn_future *future, int64_t deadline) {
  int64_t now = wnn_now_ns(), end = now + SPIN_NS < deadline ? now + SPIN_NS : deadline;
  while (state_of(future) != SETTLED && now < end) now = wnn_now_ns();
  return state_of(future) == SETTLED;
}

webnn_status webnn_future_wait(webnn_future *future, int64_t timeout_ns) {
  if (is_orphan(future) || look(future)) return WEBNN_OK;
  wnn_timeline *timeline = future->timeline;
  /* The worker can't wait for itself. */
  if (timeout_ns == 0 || wnn_timeline_on_worker(timeline)) return WEBNN_TIMEOUT;
  int64_t deadline = deadline_of(timeout_ns);
  bool fires = false;
  wnn_timeline_lock(timeline);
  atomic_fetch_add(&future->n_observers, 1); /* from now on it settles as the work is done */
  if (state_of(future) == READY) {
    settle(future);
    fires = true;
  }
  if (state_of(future) != SETTLED && timeline->spins) {
    wnn_timeline_unlock(timeline);
    spin(future, deadline);
    wnn_timeline_lock(timeline);
  }
  if (state_of(future) != SETTLED) await(future, deadline);
  atomic_fetch_sub(&future->n_observers, 1);
  bool settled = state_of(future) == SETTLED;
  wnn_timeline_unlock(timeline);
  if (fires) fire(future);
  return settled ? WEBNN_OK : WEBNN_TIMEOUT;
}

webnn_status webnn_future_result(const webnn_future *future, webnn_error *err) {
  if (is_orphan(future)) {
    if (future->what == NULL) return WEBNN_OK;
    return wnn_error_set(err, WEBNN_ERROR_INVALID_STATE, "%s: the context is lost: %s", future->what,
                         wnn_timeline_reason(future->timeline));
  }
  if (!look(future)) return wnn_error_set(err, WEBNN_ERROR_INVALID_STATE, "the future is pending");
  return future->status == WEBNN_OK ? WEBNN_OK : describe(future, err);
}

static bool has_result(const webnn_future *future) {
  return !is_orphan(future) && look(future) && future->status == WEBNN_OK;
}

webnn_graph *webnn_future_graph(const webnn_future *future) {
  return has_result(future) ? future->graph : NULL;
}

const void *webnn_future_data(const webnn_future *future, size_t *n_bytes) {
  bool has = has_result(future) && future->data != NULL && future->target == NULL;
  if (n_bytes != NULL) *n_bytes = has ? future->n_bytes : 0;
  return has ? future->data : NULL;
}

const char *webnn_future_message(const webnn_future *future) {
  if (future->what != NULL || !webnn_future_done(future)) return "";
  return wnn_timeline_reason(future->timeline);
}

webnn_status webnn_future_on_done(webnn_future *future, webnn_future_callback callback, void *ud) {
  if (is_orphan(future)) {
    if (future->slot_taken) return WEBNN_ERROR_INVALID_STATE;
    future->slot_taken = true;
    callback(future, ud);
    return WEBNN_OK;
  }
  wnn_timeline_lock(future->timeline);
  bool taken = future->slot_taken, settled = state_of(future) == SETTLED;
  bool ready = !taken && state_of(future) == READY;
  future->slot_taken = true;
  if (!taken && !settled) {
    webnn_future_retain(future);
    future->callback = callback;
    future->ud = ud;
    if (ready) settle(future);
  }
  wnn_timeline_unlock(future->timeline);
  if (taken) return WEBNN_ERROR_INVALID_STATE;
  if (settled) callback(future, ud);
  if (ready) fire(future);
  return WEBNN_OK;
}

/* ---- owners */

webnn_future *webnn_future_retain(webnn_future *future) {
  if (future != NULL) wnn_ref_retain(&future->ref);
  return future;
}

void webnn_future_release(webnn_future *future) {
  if (future == NULL || !wnn_ref_release(&future->ref)) return;
  wnn_timeline *timeline = future->timeline;
  if (wnn_timeline_forked(timeline)) return; /* what it holds belongs to the process that is gone */
  wnn_timeline_lock(timeline);
  if (state_of(future) == READY)
    settle(future); /* a read into memory takes place, looked at or not */
  untrack(future);
  wnn_timeline_unlock(timeline);
  tell_failure(future);
  webnn_graph_release(future->graph);
  wnn_alloc_free(&timeline->alloc, future->data, future->n_bytes);
  wnn_alloc_free(&timeline->alloc, future->error, sizeof *future->error);
  wnn_cond_free(&future->settled);
  wnn_alloc_free(&timeline->alloc, future, sizeof *future);
  wnn_timeline_release(timeline);
}
