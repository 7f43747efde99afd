/* Threads, locks, time, and what a fork and an event loop need to know. */
#ifndef WNN_BASE_SYNC_H
#define WNN_BASE_SYNC_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct wnn_mutex {
  pthread_mutex_t native;
} wnn_mutex;

typedef struct wnn_cond {
  pthread_cond_t native;
} wnn_cond;

typedef struct wnn_thread {
  pthread_t native;
  void (*fn)(void *arg);
  void *arg;
} wnn_thread;

void wnn_mutex_init(wnn_mutex *mutex);
void wnn_mutex_free(wnn_mutex *mutex);
void wnn_mutex_lock(wnn_mutex *mutex);
void wnn_mutex_unlock(wnn_mutex *mutex);

void wnn_cond_init(wnn_cond *cond);
void wnn_cond_free(wnn_cond *cond);
void wnn_cond_signal(wnn_cond *cond);
void wnn_cond_broadcast(wnn_cond *cond);
void wnn_cond_wait(wnn_cond *cond, wnn_mutex *mutex);
/* Wakes at `deadline_ns` of wnn_now_ns at the latest; INT64_MAX: never. */
void wnn_cond_wait_until(wnn_cond *cond, wnn_mutex *mutex, int64_t deadline_ns);

/* A thread that takes no signals and starts with the default floating-point environment. `*out`
 * stays where it is as long as the thread runs; it is joined or detached. False: the system has no
 * thread left. */
bool wnn_thread_start(wnn_thread *out, void (*fn)(void *arg), void *arg);
void wnn_thread_join(wnn_thread *thread);
void wnn_thread_detach(wnn_thread *thread);
bool wnn_thread_is_current(const wnn_thread *thread);
/* The calling thread, for wnn_thread_is_current: not to be joined. */
void wnn_thread_self(wnn_thread *out);
/* No two threads that run have the same one; never 0. */
uintptr_t wnn_thread_number(void);

/* Nanoseconds of a clock that only goes forward. */
int64_t wnn_now_ns(void);

/* Waits for `*flag` to differ from `value` without giving up the processor, at most `limit_ns`.
 * True: it does. */
bool wnn_spin_while(const atomic_int *flag, int value, int64_t limit_ns);

/* Tells whether this process is a fork of the one that made the mark. A child has no worker threads
 * and may have inherited held locks, so it must know before it takes one. */
typedef struct wnn_fork_mark {
  atomic_int *page; /* memory that the system clears in a child; NULL where there is none */
  int64_t process;  /* else the process's number */
} wnn_fork_mark;

void wnn_fork_mark_init(wnn_fork_mark *mark);
void wnn_fork_mark_free(wnn_fork_mark *mark);
bool wnn_fork_mark_other_process(const wnn_fork_mark *mark);
static inline bool wnn_forked(const wnn_fork_mark *mark) {
  if (mark->page != NULL) return atomic_load_explicit(mark->page, memory_order_relaxed) == 0;
  return wnn_fork_mark_other_process(mark);
}

/* From now on a fork calls these: the first before it, the others behind it, in the one process and in the other. */
void wnn_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void));

/* A descriptor that is readable between set and clear. */
typedef struct wnn_event {
  int read_fd, write_fd; /* -1: closed */
} wnn_event;

void wnn_event_init(wnn_event *event);
bool wnn_event_open(wnn_event *event); /* false: the system has none */
void wnn_event_set(const wnn_event *event);
void wnn_event_clear(const wnn_event *event);
void wnn_event_close(wnn_event *event);

#endif
