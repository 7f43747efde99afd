/* The ordered queue of a context, its one worker, and the lock under which its state changes.
 *
 * Futures share it with their context and may outlive the context, so it is counted. Critical
 * sections are short: no allocation of data, no copying, no callback, no call of a backend happens
 * under the lock. In a forked child the lock may be held for ever: every entry asks
 * wnn_timeline_forked first. */
#ifndef WNN_CONTEXT_TIMELINE_H
#define WNN_CONTEXT_TIMELINE_H

#include "base/alloc.h"
#include "base/ref.h"
#include "base/sync.h"
#include "context/report.h"
#include "parallel.h"

typedef struct wnn_task wnn_task;
struct wnn_task {
  wnn_task *next;
  /* Called once, without the lock: on the worker in the task's turn, or, `lost`, on the thread that
   * loses the context. Does the work unless lost; gives back what the task holds, itself too. */
  void (*run)(wnn_task *task, bool lost);
};

typedef struct wnn_timeline {
  wnn_ref ref;
  wnn_alloc alloc;
  wnn_fork_mark fork;
  wnn_pool *pool; /* the context's; the worker looks at it only before its first task */
  wnn_thread worker;
  bool spins; /* there is a processor to spare for waiting */

  wnn_mutex lock;
  wnn_cond wake;      /* the worker sleeps here */
  wnn_cond changed;   /* who waits for a tensor or for a copy that is under way */
  unsigned n_waiting; /* at `changed` */
  wnn_task *first, *last;
  bool busy; /* a task runs, or a caller's thread has claimed the timeline */
  bool asleep;
  bool stopped;
  atomic_int work; /* 1: the worker has something to do; what it looks at while it spins */

  atomic_bool lost;           /* set under the lock, with the reason */
  char reason[256];           /* a whole sentence */
  struct webnn_future *loose; /* unsettled futures that no tensor can reject */
  unsigned n_copying;         /* futures whose caller's memory is being written */
  wnn_event event;            /* opened on demand */
  bool finished;              /* a future got ready since the last drain */
  wnn_watch watch;            /* who hears of failures; under a lock of its own */
} wnn_timeline;

/* With a running worker; NULL: no memory, no thread. */
wnn_timeline *wnn_timeline_create(const wnn_alloc *alloc, wnn_pool *pool);
wnn_timeline *wnn_timeline_retain(wnn_timeline *timeline);
void wnn_timeline_release(wnn_timeline *timeline);

void wnn_timeline_lock(wnn_timeline *timeline);
void wnn_timeline_unlock(wnn_timeline *timeline); /* wakes the worker when it has something to do */

/* Appends a task, under the lock. False: the timeline has stopped, the task stays the caller's. */
bool wnn_timeline_push(wnn_timeline *timeline, wnn_task *task);

/* Takes the turn for the caller's own thread, under the lock: only when nothing is queued or
 * running. What is queued in the meantime waits for the end of the claim. */
bool wnn_timeline_claim(wnn_timeline *timeline);
void wnn_timeline_unclaim(wnn_timeline *timeline);

/* Under the lock: nothing new is taken. Returns what was queued, for wnn_tasks_drop. */
wnn_task *wnn_timeline_stop(wnn_timeline *timeline);
void wnn_tasks_drop(wnn_task *first);

/* After stop: waits for the worker to end, or lets it go when called on it. */
void wnn_timeline_end(wnn_timeline *timeline);

/* Waits, under the lock, until something that was waited for may have changed; who changes it calls
 * changed. */
void wnn_timeline_wait(wnn_timeline *timeline);
void wnn_timeline_changed(wnn_timeline *timeline);

bool wnn_timeline_on_worker(const wnn_timeline *timeline);
static inline bool wnn_timeline_forked(const wnn_timeline *timeline) {
  return wnn_forked(&timeline->fork);
}

/* True once the context is lost, in this process or by a fork; `reason` is set then. */
static inline bool wnn_timeline_lost(const wnn_timeline *timeline) {
  return atomic_load_explicit(&timeline->lost, memory_order_acquire) ||
         wnn_timeline_forked(timeline);
}
const char *wnn_timeline_reason(const wnn_timeline *timeline);

/* A future got ready: whoever polls the descriptor is to look. Without the lock. */
void wnn_timeline_notify(wnn_timeline *timeline);

#endif
