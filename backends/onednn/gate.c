#if defined(__linux__) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* syscall */
#endif

/* The end of the process while oneDNN works.
 *
 * `exit` destroys oneDNN's static objects, the kernels of its products among them, while workers
 * are still inside: they would crash. So a handler of the end closes a gate and waits until nobody
 * is inside; who comes later is refused, which the context reports as any failure of its device.
 *
 * Handlers run in the opposite order of their registration, and oneDNN makes such objects when it
 * first needs them: after each first time ours is taken out and put on top again. That leaves an
 * end in the middle of a first time. Where the C library runs the main thread's own handlers before
 * all others, one of them halts who comes and puts ours on top.
 *
 * This is the library's one mutable state of the process: what it guards and the event it waits for
 * are the process's too. A forked child inherits it without the threads that were inside, so
 * nothing is believed of another process's. */
#include "gate.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "base/sync.h"
#include "parallel.h"
#ifdef __GLIBC__
#include <sys/syscall.h>
#endif

#define PLACES 64
/* Whoever is inside may need the thread that ends the process, as when a handler of signals called
 * `exit` on a helper: then waiting longer would not help. */
#define PATIENCE_NS INT64_C(10000000000)
/* So long the gate is held when the main thread ends. Mostly the process does, and closes it at
 * once. */
#define HOLD_NS INT64_C(100000000)
#define LOOK_NS 100000

typedef enum gate_state { OPEN, HELD, CLOSED } gate_state;

/* One to a cache line: contexts don't disturb one another. */
typedef struct place {
  _Alignas(WNN_CACHE_LINE) atomic_uintptr_t thread; /* who is inside; 0: nobody */
} place;

static place places[PLACES];
static atomic_int state;
static atomic_int_least64_t
    process; /* whose threads stand in `places`, negative while they are cleared */

static void rest(void) { nanosleep(&(struct timespec){0, LOOK_NS}, NULL); }

static size_t take_place(void) {
  const uintptr_t me = wnn_thread_number();
  for (size_t i = (me >> 12) % PLACES;; i = (i + 1) % PLACES) {
    uintptr_t nobody = 0;
    if (atomic_compare_exchange_strong(&places[i].thread, &nobody, me)) return i;
  }
}

/* Until the process has ended, or has turned out to go on without its main thread. */
static void wait_while_held(void) {
  const int64_t end = wnn_now_ns() + HOLD_NS;
  while (atomic_load(&state) == HELD && wnn_now_ns() < end) rest();
  int held = HELD;
  atomic_compare_exchange_strong(&state, &held, OPEN);
}

bool wnn_gate_enter(size_t *out) {
  for (;;) {
    *out = take_place();
    const int now = atomic_load(&state); /* whoever shuts it from now on sees us */
    if (now == OPEN) return true;
    wnn_gate_leave(*out);
    if (now == CLOSED) return false;
    wait_while_held();
  }
}

void wnn_gate_leave(size_t i) { atomic_store_explicit(&places[i].thread, 0, memory_order_release); }

static bool others_inside(void) {
  for (size_t i = 0; i < PLACES; i++) {
    const uintptr_t thread = atomic_load(&places[i].thread);
    if (thread != 0 && thread != wnn_thread_number()) return true;
  }
  return false;
}

static bool is_of_this_process(void) { return atomic_load(&process) == (int64_t)getpid(); }

static void shut(gate_state how) {
  atomic_store(&state, how);
  const int64_t end = wnn_now_ns() + PATIENCE_NS;
  while (others_inside() && wnn_now_ns() < end) rest();
}

#ifdef __GLIBC__

/* Of the C++ ABI, and the library is never unloaded: handlers under a key can be run and taken out
 * before the end, and those of a thread run when it ends or calls `exit`, then before the
 * process's. */
extern int __cxa_atexit(void (*handler)(void *arg), void *arg, void *key);
extern void __cxa_finalize(void *key);
extern int __cxa_thread_atexit_impl(void (*handler)(void *arg), void *arg, void *module);
extern void *__dso_handle __attribute__((visibility("hidden")));

static atomic_uintptr_t mover; /* the thread that moves the handler */

static void at_end(void *arg) {
  (void)arg;
  if (atomic_load(&mover) != wnn_thread_number() && is_of_this_process()) shut(CLOSED);
}

static void become_mover(void) {
  uintptr_t nobody = 0;
  while (!atomic_compare_exchange_weak(&mover, &nobody, wnn_thread_number())) {
    nobody = 0;
    sched_yield();
  }
}

static void stop_moving(void) { atomic_store(&mover, 0); }

/* A handler that is on top already is taken out and put back for nothing. */
static void register_on_top(void) {
  become_mover();
  __cxa_finalize(&mover);
  __cxa_atexit(at_end, NULL, &mover);
  stop_moving();
}

/* The C library's lock of handlers isn't freed in a child, whose `exit` would wait for ever: nobody
 * moves ours while a process forks, and nobody is where oneDNN may register one. */
static atomic_int n_first, n_forks; /* who are in a first time; forks */

static void begin_first(void) {
  for (;;) {
    atomic_fetch_add(&n_first, 1);
    if (atomic_load(&n_forks) == 0) return;
    atomic_fetch_sub(&n_first, 1); /* and again, when the fork is over */
    while (atomic_load(&n_forks) != 0) rest();
  }
}

static void end_first(void) { atomic_fetch_sub(&n_first, 1); }

static void before_fork(void) {
  atomic_fetch_add(&n_forks, 1);
  const int64_t end = wnn_now_ns() + PATIENCE_NS;
  while (atomic_load(&n_first) > 0 && wnn_now_ns() < end) rest();
  become_mover();
}

static void after_fork(void) {
  stop_moving();
  atomic_fetch_sub(&n_forks, 1);
}

static void in_child(void) {
  stop_moving();
  atomic_store(&n_forks, 0);
  atomic_store(&n_first, 0);
}

static void watch_forks(void) {
  static atomic_bool watched;
  if (!atomic_exchange(&watched, true)) wnn_at_fork(before_fork, after_fork, in_child);
}

static void at_end_of_main_thread(void *arg) {
  (void)arg;
  if (!is_of_this_process() || atomic_load(&state) != OPEN) return;
  shut(HELD);
  register_on_top();
}

static void watch_main_thread(void) {
  static atomic_bool watched;
  if (syscall(SYS_gettid) == (long)getpid() && !atomic_exchange(&watched, true))
    __cxa_thread_atexit_impl(at_end_of_main_thread, NULL, &__dso_handle);
}

#else

/* A registration can't be taken back here, so they have a number that bounds what they cost. */
#define MAX_REGISTRATIONS 512

static void at_end(void) {
  if (is_of_this_process()) shut(CLOSED);
}

static void register_on_top(void) {
  static atomic_int n_left = MAX_REGISTRATIONS;
  if (atomic_load(&n_left) > 0 && atomic_fetch_sub(&n_left, 1) > 0) atexit(at_end);
}

static void watch_main_thread(void) {}
static void watch_forks(void) {}
static void begin_first(void) {}
static void end_first(void) {}

#endif

bool wnn_gate_enter_first(size_t *out) {
  begin_first();
  const bool open = wnn_gate_enter(out);
  if (!open) end_first();
  return open;
}

void wnn_gate_leave_first(size_t i) {
  register_on_top();
  wnn_gate_leave(i);
  end_first();
}

void wnn_gate_open(void) {
  const int64_t here = (int64_t)getpid();
  watch_main_thread();
  watch_forks();
  for (int64_t before = atomic_load(&process); before != here; before = atomic_load(&process)) {
    if (before == -here || !atomic_compare_exchange_strong(&process, &before, -here)) {
      sched_yield();
      continue;
    }
    /* In a child nobody is inside but, at most, the thread that forked. */
    for (size_t i = 0; i < PLACES; i++)
      if (atomic_load(&places[i].thread) != wnn_thread_number()) atomic_store(&places[i].thread, 0);
    atomic_store(&state, OPEN);
    atomic_store(&process, here);
  }
}
