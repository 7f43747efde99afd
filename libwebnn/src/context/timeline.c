#include "context/timeline.h"

#include <stddef.h>

/* A hand-over to a sleeping thread costs some 10 µs; work that follows work at once shouldn't pay
 * it. */
#define SPIN_NS 30000

static void update_work(wnn_timeline *timeline) {
  bool work = timeline->stopped || (timeline->first != NULL && !timeline->busy);
  atomic_store_explicit(&timeline->work, work, memory_order_release);
}

void wnn_timeline_lock(wnn_timeline *timeline) { wnn_mutex_lock(&timeline->lock); }

void wnn_timeline_unlock(wnn_timeline *timeline) {
  bool wake =
      timeline->asleep && (timeline->stopped || (timeline->first != NULL && !timeline->busy));
  if (wake) timeline->asleep = false;
  wnn_mutex_unlock(&timeline->lock);
  if (wake) wnn_cond_signal(&timeline->wake); /* after the lock, which the worker needs first */
}

static void wait_for_work(wnn_timeline *timeline) {
  if (timeline->spins) {
    wnn_timeline_unlock(timeline);
    bool found = wnn_spin_while(&timeline->work, 0, SPIN_NS);
    wnn_timeline_lock(timeline);
    if (found || atomic_load_explicit(&timeline->work, memory_order_relaxed) != 0) return;
  }
  timeline->asleep = true;
  while (timeline->asleep) wnn_cond_wait(&timeline->wake, &timeline->lock);
}

/* The next task in its turn; NULL at the end of the timeline. */
static wnn_task *take(wnn_timeline *timeline) {
  while (!timeline->stopped && (timeline->first == NULL || timeline->busy)) wait_for_work(timeline);
  if (timeline->stopped) return NULL;
  wnn_task *task = timeline->first;
  timeline->first = task->next;
  timeline->busy = true;
  update_work(timeline);
  return task;
}

static void work(void *arg) {
  wnn_timeline *timeline = arg;
  wnn_timeline_lock(timeline);
  wnn_pool *pool = timeline->pool;
  wnn_timeline_unlock(timeline);
  wnn_pool_enter(pool);
  wnn_timeline_lock(timeline);
  for (wnn_task *task; (task = take(timeline)) != NULL;) {
    wnn_timeline_unlock(timeline);
    task->run(task, false);
    wnn_timeline_lock(timeline);
    timeline->busy = false;
    update_work(timeline);
  }
  wnn_timeline_unlock(timeline);
  wnn_timeline_release(timeline);
}

wnn_timeline *wnn_timeline_create(const wnn_alloc *alloc, wnn_pool *pool) {
  wnn_timeline *timeline = wnn_alloc_zeroed(alloc, sizeof *timeline);
  if (timeline == NULL) return NULL;
  timeline->alloc = *alloc;
  timeline->pool = pool;
  timeline->spins = wnn_pool_spins(pool);
  wnn_ref_init(&timeline->ref);
  atomic_init(&timeline->work, 0);
  atomic_init(&timeline->lost, false);
  wnn_fork_mark_init(&timeline->fork);
  wnn_event_init(&timeline->event);
  wnn_mutex_init(&timeline->lock);
  wnn_cond_init(&timeline->wake);
  wnn_cond_init(&timeline->changed);
  wnn_watch_init(&timeline->watch);
  wnn_ref_retain(&timeline->ref); /* the worker's */
  wnn_timeline_lock(timeline);    /* the worker sees its own number only when it is written */
  bool started = wnn_thread_start(&timeline->worker, work, timeline);
  wnn_timeline_unlock(timeline);
  if (started) return timeline;
  wnn_timeline_release(timeline);
  wnn_timeline_release(timeline);
  return NULL;
}

wnn_timeline *wnn_timeline_retain(wnn_timeline *timeline) {
  wnn_ref_retain(&timeline->ref);
  return timeline;
}

void wnn_timeline_release(wnn_timeline *timeline) {
  if (!wnn_ref_release(&timeline->ref)) return;
  wnn_alloc alloc = timeline->alloc;
  wnn_watch_free(&timeline->watch, &alloc);
  wnn_event_close(&timeline->event);
  wnn_fork_mark_free(&timeline->fork);
  wnn_cond_free(&timeline->changed);
  wnn_cond_free(&timeline->wake);
  wnn_mutex_free(&timeline->lock);
  wnn_alloc_free(&alloc, timeline, sizeof *timeline);
}

bool wnn_timeline_push(wnn_timeline *timeline, wnn_task *task) {
  if (timeline->stopped) return false;
  task->next = NULL;
  if (timeline->first == NULL)
    timeline->first = task;
  else
    timeline->last->next = task;
  timeline->last = task;
  update_work(timeline);
  return true;
}

bool wnn_timeline_claim(wnn_timeline *timeline) {
  if (timeline->busy || timeline->stopped || timeline->first != NULL) return false;
  timeline->busy = true;
  return true;
}

void wnn_timeline_unclaim(wnn_timeline *timeline) {
  timeline->busy = false;
  update_work(timeline);
}

wnn_task *wnn_timeline_stop(wnn_timeline *timeline) {
  wnn_task *queued = timeline->first;
  timeline->stopped = true;
  timeline->first = NULL;
  update_work(timeline);
  return queued;
}

void wnn_tasks_drop(wnn_task *first) {
  for (wnn_task *next; first != NULL; first = next) {
    next = first->next;
    first->run(first, true);
  }
}

void wnn_timeline_end(wnn_timeline *timeline) {
  if (wnn_timeline_on_worker(timeline))
    wnn_thread_detach(&timeline->worker);
  else
    wnn_thread_join(&timeline->worker);
}

void wnn_timeline_wait(wnn_timeline *timeline) {
  timeline->n_waiting++;
  wnn_cond_wait(&timeline->changed, &timeline->lock);
  timeline->n_waiting--;
}

void wnn_timeline_changed(wnn_timeline *timeline) {
  if (timeline->n_waiting != 0) wnn_cond_broadcast(&timeline->changed);
}

bool wnn_timeline_on_worker(const wnn_timeline *timeline) {
  return wnn_thread_is_current(&timeline->worker);
}

const char *wnn_timeline_reason(const wnn_timeline *timeline) {
  if (atomic_load_explicit(&timeline->lost, memory_order_acquire)) return timeline->reason;
  return "the context belongs to the process that this one was forked from";
}

void wnn_timeline_notify(wnn_timeline *timeline) {
  wnn_timeline_lock(timeline);
  timeline->finished = true;
  wnn_event event = timeline->event;
  wnn_timeline_unlock(timeline);
  wnn_event_set(&event);
}
