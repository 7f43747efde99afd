#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* madvise, eventfd */
#endif

#include "base/sync.h"

#include <fcntl.h>
#include <fenv.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/eventfd.h>
#include <sys/mman.h>
#endif

#define NS_PER_S INT64_C(1000000000)

void wnn_mutex_init(wnn_mutex *mutex) { pthread_mutex_init(&mutex->native, NULL); }
void wnn_mutex_free(wnn_mutex *mutex) { pthread_mutex_destroy(&mutex->native); }
void wnn_mutex_lock(wnn_mutex *mutex) { pthread_mutex_lock(&mutex->native); }
void wnn_mutex_unlock(wnn_mutex *mutex) { pthread_mutex_unlock(&mutex->native); }

void wnn_cond_init(wnn_cond *cond) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&cond->native, &attributes);
  pthread_condattr_destroy(&attributes);
}

void wnn_cond_free(wnn_cond *cond) { pthread_cond_destroy(&cond->native); }
void wnn_cond_signal(wnn_cond *cond) { pthread_cond_signal(&cond->native); }
void wnn_cond_broadcast(wnn_cond *cond) { pthread_cond_broadcast(&cond->native); }
void wnn_cond_wait(wnn_cond *cond, wnn_mutex *mutex) {
  pthread_cond_wait(&cond->native, &mutex->native);
}

void wnn_cond_wait_until(wnn_cond *cond, wnn_mutex *mutex, int64_t deadline_ns) {
  if (deadline_ns == INT64_MAX) {
    pthread_cond_wait(&cond->native, &mutex->native);
    return;
  }
  struct timespec deadline = {.tv_sec = (time_t)(deadline_ns / NS_PER_S),
                              .tv_nsec = (long)(deadline_ns % NS_PER_S)};
  pthread_cond_timedwait(&cond->native, &mutex->native, &deadline);
}

int64_t wnn_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

bool wnn_spin_while(const atomic_int *flag, int value, int64_t limit_ns) {
  if (atomic_load_explicit(flag, memory_order_acquire) != value) return true;
  /* Reading the clock takes some tens of cycles: pause enough between two looks at the flag. */
  int64_t end = wnn_now_ns() + limit_ns;
  do {
    if (atomic_load_explicit(flag, memory_order_acquire) != value) return true;
  } while (wnn_now_ns() < end);
  return false;
}

static void *enter_thread(void *ud) {
  const wnn_thread *thread = ud;
  /* A thread inherits the flush-to-zero and rounding modes of its creator; results must not depend
   * on them. */
  fesetenv(FE_DFL_ENV);
  thread->fn(thread->arg);
  return NULL;
}

bool wnn_thread_start(wnn_thread *out, void (*fn)(void *arg), void *arg) {
  sigset_t all, before;
  out->fn = fn;
  out->arg = arg;
  /* Signals belong to the host's threads, whose handlers may need them there. */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool ok = pthread_create(&out->native, NULL, enter_thread, out) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return ok;
}

void wnn_thread_join(wnn_thread *thread) { pthread_join(thread->native, NULL); }
void wnn_thread_detach(wnn_thread *thread) { pthread_detach(thread->native); }
void wnn_thread_self(wnn_thread *out) { *out = (wnn_thread){.native = pthread_self()}; }

uintptr_t wnn_thread_number(void) { return (uintptr_t)pthread_self(); }

bool wnn_thread_is_current(const wnn_thread *thread) {
  return pthread_equal(thread->native, pthread_self()) != 0;
}

#ifdef MADV_WIPEONFORK
static atomic_int *wiped_page(void) {
  size_t n_bytes = (size_t)sysconf(_SC_PAGESIZE);
  void *page = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return NULL;
  if (madvise(page, n_bytes, MADV_WIPEONFORK) != 0) {
    munmap(page, n_bytes);
    return NULL;
  }
  return page;
}

static void free_page(atomic_int *page) { munmap(page, (size_t)sysconf(_SC_PAGESIZE)); }
#else
static atomic_int *wiped_page(void) { return NULL; }
static void free_page(atomic_int *page) { (void)page; }
#endif

void wnn_fork_mark_init(wnn_fork_mark *mark) {
  mark->page = wiped_page();
  mark->process = (int64_t)getpid();
  if (mark->page != NULL) atomic_init(mark->page, 1);
}

void wnn_fork_mark_free(wnn_fork_mark *mark) {
  if (mark->page != NULL) free_page(mark->page);
  mark->page = NULL;
}

bool wnn_fork_mark_other_process(const wnn_fork_mark *mark) {
  return mark->process != (int64_t)getpid();
}

void wnn_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void)) {
  pthread_atfork(before, in_parent, in_child); /* without memory for it a fork is as it was */
}

void wnn_event_init(wnn_event *event) { event->read_fd = event->write_fd = -1; }

#ifdef __linux__
bool wnn_event_open(wnn_event *event) {
  event->read_fd = event->write_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return event->read_fd >= 0;
}
#else
static bool prepare_fd(int fd) {
  return fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 && fcntl(fd, F_SETFL, O_NONBLOCK) == 0;
}

bool wnn_event_open(wnn_event *event) {
  int fds[2];
  if (pipe(fds) != 0) return false;
  event->read_fd = fds[0];
  event->write_fd = fds[1];
  if (prepare_fd(fds[0]) && prepare_fd(fds[1])) return true;
  wnn_event_close(event);
  return false;
}
#endif

void wnn_event_set(const wnn_event *event) {
  uint64_t one = 1;
  if (event->write_fd < 0) return;
  /* It fails only when full, and then it is readable already. */
  ssize_t n = write(event->write_fd, &one, sizeof one);
  (void)n;
}

void wnn_event_clear(const wnn_event *event) {
  uint64_t counts[64];
  if (event->read_fd < 0) return;
  while (read(event->read_fd, counts, sizeof counts) == (ssize_t)sizeof counts) continue;
}

void wnn_event_close(wnn_event *event) {
  if (event->read_fd >= 0) close(event->read_fd);
  if (event->write_fd >= 0 && event->write_fd != event->read_fd) close(event->write_fd);
  wnn_event_init(event);
}
