#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* sched_getaffinity */
#endif

#include "parallel.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/sync.h"

#ifdef WEBNN_OPENMP
#include <omp.h>
#endif

/* How long a thread that has nothing to do looks out for more before it sleeps. */
#define SPIN_NS 30000
/* So many parts each have a bit. */
#define MARKED_PARTS 64
/* Much work comes in pieces of at least so many bytes, and so many a thread at most. */
#define PIECE_BYTES ((size_t)2 << 20)
#define MAX_PIECES 8

typedef struct helper {
  wnn_thread thread;
  wnn_pool *pool;
} helper;

/* One job at a time, of which each thread takes parts while there are any.
 * A helper enters (n_inside), looks whether the job is open, takes parts, and leaves. The caller
 * does the same; when no part is left it closes the job and waits until nobody is inside: then
 * every part is done, and whoever comes too late sees a closed job and touches nothing.
 * OpenMP's threads are all inside, and the region ends when the last has come to its end. */
struct wnn_pool {
  wnn_alloc alloc;
  uint32_t n_threads, n_allowed, n_lent;
  size_t piece_bytes;
  bool spins;
  atomic_bool in_parallel;
  atomic_bool stop;
  helper *helpers; /* n_threads - 1, of which n_helpers run */
  uint32_t n_helpers;
  bool started;
  wnn_parallel_fn fn; /* the job; constant while it is open or somebody is inside */
  void *arg;
  size_t n;
  wnn_mutex lock;
  wnn_cond wake, left;
  atomic_uint n_asleep; /* helpers at `wake` */
  bool waits;           /* the caller is at `left`; under the lock */
#ifdef WEBNN_OPENMP
  atomic_int n_at_end;   /* threads that found no part left */
  atomic_uint n_waiting; /* of them, at `left` */
  wnn_thread ballast;
  bool has_ballast;
  bool ballast_ends; /* under the lock */
  int64_t next_look;
  uint32_t n_crowded;
#endif
  /* Apart, for some threads look at one while others write the other. */
  _Alignas(WNN_CACHE_LINE) atomic_int round; /* counts jobs: what helpers wait for */
  atomic_bool open;
  atomic_int n_inside;
  _Alignas(WNN_CACHE_LINE) atomic_size_t next; /* of many parts, the next one */
  atomic_uint_least64_t taken;                 /* of a few, which ones */
};

uint32_t wnn_pool_lent(const wnn_pool *pool) { return pool->n_lent; }
uint32_t wnn_pool_size(const wnn_pool *pool) { return pool->n_threads; }
uint32_t wnn_pool_threads(const wnn_pool *pool) { return pool->n_allowed; }
uint32_t wnn_pool_allow(wnn_pool *pool, uint32_t n) {
  const uint32_t before = pool->n_allowed;
  pool->n_allowed = n != 0 ? n : pool->n_threads;
  return before;
}
bool wnn_pool_spins(const wnn_pool *pool) { return pool->spins; }
bool wnn_in_parallel(const wnn_pool *pool) {
  return pool != NULL && atomic_load(&pool->in_parallel);
}

wnn_pool *wnn_pool_create(const wnn_alloc *alloc, uint32_t n_threads) {
  uint32_t n_cpus = wnn_default_threads();
  wnn_pool *pool = wnn_alloc_zeroed(alloc, sizeof *pool);
  if (pool == NULL) return NULL;
  pool->alloc = *alloc;
  pool->n_threads = n_threads != 0 ? n_threads : n_cpus;
  if (pool->n_threads > WNN_MAX_THREADS) pool->n_threads = WNN_MAX_THREADS;
  pool->n_allowed = pool->n_lent = pool->n_threads;
  pool->piece_bytes = PIECE_BYTES;
  pool->spins = n_cpus > 1 && pool->n_threads <= n_cpus;
  pool->helpers = wnn_alloc_zeroed(alloc, pool->n_threads * sizeof *pool->helpers);
  if (pool->helpers == NULL) {
    wnn_alloc_free(alloc, pool, sizeof *pool);
    return NULL;
  }
  atomic_init(&pool->in_parallel, false);
  atomic_init(&pool->stop, false);
  atomic_init(&pool->next, 0);
  atomic_init(&pool->taken, 0);
  atomic_init(&pool->round, 0);
  atomic_init(&pool->open, false);
  atomic_init(&pool->n_inside, 0);
  atomic_init(&pool->n_asleep, 0);
#ifdef WEBNN_OPENMP
  atomic_init(&pool->n_at_end, 0);
  atomic_init(&pool->n_waiting, 0);
#endif
  wnn_mutex_init(&pool->lock);
  wnn_cond_init(&pool->wake);
  wnn_cond_init(&pool->left);
  return pool;
}

#if defined(__linux__) || defined(WEBNN_OPENMP)

#define PATH_BYTES 1024

/* The first line of the file into `line`. */
static bool read_line(const char *path, char *line, size_t n_bytes) {
  FILE *file = fopen(path, "re");
  if (file == NULL) return false;
  bool ok = fgets(line, (int)n_bytes, file) != NULL;
  fclose(file);
  return ok;
}

#endif

#ifdef WEBNN_OPENMP

/* At the end of a region libgomp's threads spin, for milliseconds unless it manages more threads
 * than there are processors. On a calm machine that is best: the next region is near, and waking a
 * thread takes longer than many a region. But where others' work holds a processor each region then
 * lasts until the scheduler's turn comes round, and a network of a hundred regions takes seconds.
 * So while more threads want to run than there are processors a second team is there, that never
 * has anything to do: with it the spinning ends after some microseconds. */
#define MAX_BALLAST 256
#define WATCH_NS INT64_C(10000000)     /* how often we look */
#define BALLAST_NS INT64_C(1000000000) /* how long the team stays; then we look again */
#define CROWDED 3                      /* so many looks in turn have found a crowd */
#define AGAIN_NS 50000                 /* who waits for the first work has ended its short spin then */

/* So that it and the pool are one more than the processors. */
static int ballast_threads(const wnn_pool *pool) {
  int n = omp_get_num_procs() + 2 - (int)pool->n_threads;
  return n > 2 ? n : 2;
}

static void be_ballast(void *ud) {
  wnn_pool *pool = ud;
#pragma omp parallel num_threads(ballast_threads(pool))
  atomic_load(&pool->stop);
  wnn_mutex_lock(&pool->lock);
  while (!pool->ballast_ends) wnn_cond_wait(&pool->wake, &pool->lock);
  wnn_mutex_unlock(&pool->lock);
}

static void add_ballast(wnn_pool *pool) {
  pool->ballast_ends = false;
  pool->has_ballast =
      ballast_threads(pool) <= MAX_BALLAST && wnn_thread_start(&pool->ballast, be_ballast, pool);
}

static void drop_ballast(wnn_pool *pool) {
  if (!pool->has_ballast) return;
  wnn_mutex_lock(&pool->lock);
  pool->ballast_ends = true;
  wnn_cond_broadcast(&pool->wake);
  wnn_mutex_unlock(&pool->lock);
  wnn_thread_join(&pool->ballast);
  pool->has_ballast = false;
}

/* Threads of the whole system that run or want to; 0: unknown. */
static long count_running(void) {
  char line[64];
  long n;
  return read_line("/proc/loadavg", line, sizeof line) && sscanf(line, "%*f %*f %*f %ld/", &n) == 1
             ? n
             : 0;
}

static bool is_crowded(uint32_t n_more) {
  return count_running() + (long)n_more > sysconf(_SC_NPROCESSORS_ONLN);
}

/* Whether the team, which is still to come, will find a processor each. */
static bool is_crowded_at_first(const wnn_pool *pool) {
  const uint32_t n_more = pool->n_threads - 1;
  if (!is_crowded(n_more)) return false;
  const int64_t end = wnn_now_ns() + AGAIN_NS;
  while (wnn_now_ns() < end) continue;
  return is_crowded(n_more);
}

void wnn_pool_watch(wnn_pool *pool) {
  const int64_t now = wnn_now_ns();
  if (pool->n_threads == 1 || now < pool->next_look) return;
  pool->next_look = now + WATCH_NS;
  if (!pool->started) {
    pool->started = true;
    pool->n_crowded = is_crowded_at_first(pool) ? CROWDED : 0;
  } else if (pool->has_ballast) {
    drop_ballast(pool);
    pool->n_crowded = 0;
    return;
  } else {
    pool->n_crowded = is_crowded(0) ? pool->n_crowded + 1 : 0;
  }
  if (pool->n_crowded < CROWDED) return;
  add_ballast(pool);
  pool->next_look = now + BALLAST_NS;
}

#else

static void drop_ballast(wnn_pool *pool) { (void)pool; }

#endif

void wnn_pool_free(wnn_pool *pool) {
  if (pool == NULL) return;
  wnn_mutex_lock(&pool->lock);
  atomic_store(&pool->stop, true);
  atomic_fetch_add(&pool->round, 1);
  wnn_cond_broadcast(&pool->wake);
  wnn_mutex_unlock(&pool->lock);
  for (uint32_t i = 0; i < pool->n_helpers; i++) wnn_thread_join(&pool->helpers[i].thread);
  drop_ballast(pool);
  wnn_cond_free(&pool->left);
  wnn_cond_free(&pool->wake);
  wnn_mutex_free(&pool->lock);
  wnn_alloc alloc = pool->alloc;
  wnn_alloc_free(&alloc, pool->helpers, pool->n_threads * sizeof *pool->helpers);
  wnn_alloc_free(&alloc, pool, sizeof *pool);
}

static void run_here(size_t n, wnn_parallel_fn fn, void *arg) {
  for (size_t i = 0; i < n; i++) fn(arg, i, n);
}

/* True for the first who asks for part i. */
static bool take(wnn_pool *pool, size_t i) {
  const uint64_t part = UINT64_C(1) << i;
  return !(atomic_fetch_or(&pool->taken, part) & part);
}

/* Of a few parts a thread takes its own first, thread `own` of all: its cache has what it wrote
 * before. */
static void take_parts(wnn_pool *pool, size_t own) {
  wnn_parallel_fn fn = pool->fn;
  void *arg = pool->arg;
  const size_t n = pool->n, first = n <= pool->n_threads ? own : n * own / pool->n_threads;
  if (n > MARKED_PARTS) {
    for (size_t i; (i = atomic_fetch_add(&pool->next, 1)) < n;) fn(arg, i, n);
    return;
  }
  for (size_t k = 0; k < n; k++) {
    const size_t i = (first + k) % n;
    if (take(pool, i)) fn(arg, i, n);
  }
}

static void set_job(wnn_pool *pool, size_t n, wnn_parallel_fn fn, void *arg) {
  pool->fn = fn;
  pool->arg = arg;
  pool->n = n;
  atomic_store(&pool->next, 0);
  atomic_store(&pool->taken, 0);
}

#ifdef WEBNN_OPENMP

uint32_t wnn_pool_lend(wnn_pool *pool, uint32_t n) {
  const int before = omp_get_max_threads();
  omp_set_num_threads((int)(n != 0 ? n : pool->n_threads));
  return (uint32_t)before;
}

void wnn_pool_enter(wnn_pool *pool) { wnn_pool_lend(pool, 0); }

/* Until all `n` threads of the region have no part left. libgomp's barrier would spin for
 * milliseconds, and where others' work holds a processor the thread that is waited for might have
 * the spinning one. */
static void meet(wnn_pool *pool, int n) {
  if (atomic_fetch_add(&pool->n_at_end, 1) + 1 == n) {
    if (atomic_load(&pool->n_waiting) == 0) return;
    wnn_mutex_lock(&pool->lock);
    wnn_cond_broadcast(&pool->left);
    wnn_mutex_unlock(&pool->lock);
    sched_yield(); /* who was woken may be next on this processor, and libgomp's barrier spins */
    return;
  }
  const int64_t end = wnn_now_ns() + SPIN_NS;
  while (atomic_load(&pool->n_at_end) < n)
    if (!pool->spins || wnn_now_ns() > end) break;
  if (atomic_load(&pool->n_at_end) >= n) return;
  wnn_mutex_lock(&pool->lock);
  atomic_fetch_add(&pool->n_waiting, 1);
  while (atomic_load(&pool->n_at_end) < n) wnn_cond_wait(&pool->left, &pool->lock);
  atomic_fetch_sub(&pool->n_waiting, 1);
  wnn_mutex_unlock(&pool->lock);
}

static void run_wide(wnn_pool *pool, size_t n, wnn_parallel_fn fn, void *arg) {
  wnn_pool_watch(pool);
  set_job(pool, n, fn, arg);
  atomic_store(&pool->n_at_end, 0);
#pragma omp parallel num_threads((int)pool->n_threads)
  {
    take_parts(pool, (size_t)omp_get_thread_num());
    meet(pool, omp_get_num_threads());
  }
}

#else

uint32_t wnn_pool_lend(wnn_pool *pool, uint32_t n) {
  const uint32_t before = pool->n_lent;
  pool->n_lent = n != 0 ? n : pool->n_threads;
  return before;
}

void wnn_pool_enter(wnn_pool *pool) { (void)pool; }
void wnn_pool_watch(wnn_pool *pool) { (void)pool; }

static void leave(wnn_pool *pool) {
  if (atomic_fetch_sub(&pool->n_inside, 1) != 1) return;
  if (atomic_load(&pool->open)) return;
  wnn_mutex_lock(&pool->lock);
  if (pool->waits) wnn_cond_signal(&pool->left);
  wnn_mutex_unlock(&pool->lock);
}

/* Waits for a round after `seen`. False: the pool ends. */
static bool wait_for_round(wnn_pool *pool, int seen) {
  if (!pool->spins || !wnn_spin_while(&pool->round, seen, SPIN_NS)) {
    wnn_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->n_asleep, 1);
    while (atomic_load(&pool->round) == seen) wnn_cond_wait(&pool->wake, &pool->lock);
    atomic_fetch_sub(&pool->n_asleep, 1);
    wnn_mutex_unlock(&pool->lock);
  }
  return !atomic_load(&pool->stop);
}

static void help(void *ud) {
  wnn_pool *pool = ((helper *)ud)->pool;
  const size_t own = (size_t)((helper *)ud - pool->helpers) + 1;
  for (int seen = 0; wait_for_round(pool, seen);) {
    seen = atomic_load(&pool->round);
    atomic_fetch_add(&pool->n_inside, 1);
    if (atomic_load(&pool->open)) take_parts(pool, own);
    leave(pool);
  }
}

static void start_helpers(wnn_pool *pool) {
  pool->started = true;
  for (uint32_t i = 0; i + 1 < pool->n_threads; i++) {
    pool->helpers[i].pool = pool;
    if (!wnn_thread_start(&pool->helpers[i].thread, help, &pool->helpers[i])) break;
    pool->n_helpers++;
  }
}

static void wait_until_left(wnn_pool *pool) {
  int64_t end = wnn_now_ns() + SPIN_NS;
  while (atomic_load(&pool->n_inside) != 0)
    if (!pool->spins || wnn_now_ns() > end) break;
  if (atomic_load(&pool->n_inside) == 0) return;
  wnn_mutex_lock(&pool->lock);
  pool->waits = true;
  while (atomic_load(&pool->n_inside) != 0) wnn_cond_wait(&pool->left, &pool->lock);
  pool->waits = false;
  wnn_mutex_unlock(&pool->lock);
}

static void run_wide(wnn_pool *pool, size_t n, wnn_parallel_fn fn, void *arg) {
  if (!pool->started) start_helpers(pool);
  set_job(pool, n, fn, arg);
  atomic_store(&pool->open, true);
  atomic_fetch_add(&pool->round, 1);
  if (atomic_load(&pool->n_asleep) != 0) {
    wnn_mutex_lock(&pool->lock); /* so that nobody is between looking at the round and sleeping */
    wnn_cond_broadcast(&pool->wake);
    wnn_mutex_unlock(&pool->lock);
  }
  take_parts(pool, 0);
  atomic_store(&pool->open, false);
  wait_until_left(pool);
}

#endif

void wnn_parallel(wnn_pool *pool, size_t n, wnn_parallel_fn fn, void *arg) {
  if (n <= 1 || pool == NULL || pool->n_threads == 1 || atomic_exchange(&pool->in_parallel, true)) {
    run_here(n, fn, arg);
    return;
  }
  run_wide(pool, n, fn, arg);
  atomic_store(&pool->in_parallel, false);
}

void wnn_pool_cut(wnn_pool *pool, size_t n_bytes) { pool->piece_bytes = n_bytes; }

size_t wnn_pool_parts(const wnn_pool *pool, size_t n_items, size_t n_bytes) {
  const size_t threads = pool != NULL ? pool->n_allowed : 1;
  size_t each = threads == 1 ? 1 : n_bytes / threads / pool->piece_bytes;
  if (each > MAX_PIECES) each = MAX_PIECES;
  const size_t n = each > 1 ? threads * each : threads;
  return n < n_items ? n : n_items != 0 ? n_items : 1;
}

size_t wnn_pool_slots(const wnn_pool *pool, size_t n) {
  const size_t threads = pool != NULL ? pool->n_threads : 1;
  return n < threads ? n : threads;
}

typedef struct sharing {
  wnn_sharing_fn fn;
  void *arg;
  size_t n;
  atomic_size_t next;
} sharing;

/* As many pieces as slots: each thread has its own, as its cache has. */
static void share_part(void *arg, size_t slot, size_t n_slots) {
  sharing *s = arg;
  if (s->n == n_slots) {
    s->fn(s->arg, slot, slot, s->n);
    return;
  }
  for (size_t i; (i = atomic_fetch_add(&s->next, 1)) < s->n;) s->fn(s->arg, slot, i, s->n);
}

void wnn_parallel_share(wnn_pool *pool, size_t n, wnn_sharing_fn fn, void *arg) {
  sharing s = {.fn = fn, .arg = arg, .n = n};
  atomic_init(&s.next, 0);
  wnn_parallel(pool, wnn_pool_slots(pool, n), share_part, &s);
}

#ifdef __linux__

static uint32_t round_up_quota(double quota, double period) {
  if (!(quota > 0) || !(period > 0)) return 0;
  double n = quota / period;
  if (n >= WNN_MAX_THREADS) return 0;
  uint32_t whole = (uint32_t)n;
  return whole + (n > whole);
}

static uint32_t quota_of_v2(const char *folder) {
  char path[PATH_BYTES + 32], line[128];
  double quota, period;
  snprintf(path, sizeof path, "%s/cpu.max", folder);
  if (!read_line(path, line, sizeof line)) return 0;
  if (sscanf(line, "%lf %lf", &quota, &period) != 2) return 0; /* "max": no quota */
  return round_up_quota(quota, period);
}

static uint32_t quota_of_v1(const char *folder) {
  char path[PATH_BYTES + 32], quota[128], period[128];
  snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
  if (!read_line(path, quota, sizeof quota)) return 0;
  snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
  if (!read_line(path, period, sizeof period)) return 0;
  return round_up_quota(strtod(quota, NULL), strtod(period, NULL));
}

/* The smallest quota from the group up to the mount: each level binds. In a container the lower
 * ones may not be visible, and its own group is the mount itself. */
static uint32_t quota_along(const char *mount, const char *group,
                            uint32_t (*quota_of)(const char *)) {
  char folder[PATH_BYTES];
  uint32_t least = 0;
  size_t floor = strlen(mount);
  int n = snprintf(folder, sizeof folder, "%s%s", mount, group);
  if (n < 0 || n >= (int)sizeof folder) return 0;
  for (size_t end = (size_t)n;;) {
    while (end > floor && folder[end - 1] == '/') end--;
    folder[end] = '\0';
    uint32_t quota = quota_of(folder);
    if (quota != 0 && (least == 0 || quota < least)) least = quota;
    if (end <= floor) return least;
    while (end > floor && folder[end - 1] != '/') end--;
  }
}

/* True when `word` is in the comma-separated list. */
static bool lists(const char *list, const char *word) {
  size_t n = strlen(word);
  for (const char *at = list; at != NULL; at = strchr(at, ','), at = at ? at + 1 : NULL)
    if (strncmp(at, word, n) == 0 && (at[n] == ',' || at[n] == '\0')) return true;
  return false;
}

static uint32_t smaller(uint32_t a, uint32_t b) { return a == 0 || (b != 0 && b < a) ? b : a; }

uint32_t wnn_quota_threads(const char *root) {
  char path[PATH_BYTES], line[PATH_BYTES];
  uint32_t least = 0;
  snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
  FILE *file = fopen(path, "re");
  if (file == NULL) return 0;
  while (fgets(line, sizeof line, file) != NULL) { /* "4:cpu,cpuacct:/group" or "0::/group" */
    char *controllers = strchr(line, ':'),
         *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (group == NULL) continue;
    *group++ = '\0';
    controllers++;
    group[strcspn(group, "\n")] = '\0';
    if (controllers[0] == '\0') {
      snprintf(path, sizeof path, "%s/sys/fs/cgroup", root);
      least = smaller(least, quota_along(path, group, quota_of_v2));
    } else if (lists(controllers, "cpu")) {
      snprintf(path, sizeof path, "%s/sys/fs/cgroup/cpu", root);
      least = smaller(least, quota_along(path, group, quota_of_v1));
    }
  }
  fclose(file);
  return least;
}

static uint32_t affinity_threads(void) {
  for (size_t n_cpus = 1024; n_cpus <= 1u << 20; n_cpus *= 4) {
    cpu_set_t *set = CPU_ALLOC(n_cpus);
    if (set == NULL) return 0;
    size_t n_bytes = CPU_ALLOC_SIZE(n_cpus);
    int n = sched_getaffinity(0, n_bytes, set) == 0 ? CPU_COUNT_S(n_bytes, set) : 0;
    CPU_FREE(set);
    if (n > 0) return (uint32_t)n; /* else the set was too small for this machine */
  }
  return 0;
}

#else

uint32_t wnn_quota_threads(const char *root) {
  (void)root;
  return 0;
}

static uint32_t affinity_threads(void) { return 0; }

#endif

uint32_t wnn_default_threads(void) {
  uint32_t n = smaller(affinity_threads(), wnn_quota_threads(""));
  if (n == 0) {
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    n = online > 0 ? (uint32_t)online : 1;
  }
  return n < WNN_MAX_THREADS ? n : WNN_MAX_THREADS;
}
