/* The only place that knows how threads are made: a pool belongs to a context, works for one caller
 * at a time (the context's worker), and sleeps when there is nothing to do. Built with WEBNN_OPENMP
 * (for a oneDNN that uses OpenMP) the pool is OpenMP's, so that two pools never fight over the
 * processors. */
#ifndef WNN_PARALLEL_H
#define WNN_PARALLEL_H

#include "base/alloc.h"

typedef struct wnn_pool wnn_pool;

/* No context asks for more threads than this. */
#define WNN_MAX_THREADS 1024

/* `n_threads` 0: as many as the affinity mask and the cgroup's CPU quota allow. NULL: no memory.
 * The threads start with the first work; where the system has none left, the others do it. */
wnn_pool *wnn_pool_create(const wnn_alloc *alloc, uint32_t n_threads);
void wnn_pool_free(wnn_pool *pool); /* NULL is allowed */

/* How many threads plans and runs may have now; all, as long as nobody says otherwise. */
uint32_t wnn_pool_threads(const wnn_pool *pool);
/* Says so, 0: all; gives what held before. For who works on the pool at the time. */
uint32_t wnn_pool_allow(wnn_pool *pool, uint32_t n);
/* All of them; any thread may ask. */
uint32_t wnn_pool_size(const wnn_pool *pool);

/* True when waiting threads have a processor to spare for a short spin. */
bool wnn_pool_spins(const wnn_pool *pool);

/* Called by the thread that will hand out the work before the first of it; again does no harm. */
void wnn_pool_enter(wnn_pool *pool);

/* Called by it now and then, between parallel work: how long OpenMP's threads spin follows how
 * crowded the machine is. */
void wnn_pool_watch(wnn_pool *pool);

/* Says how many threads a library that works on the pool may use, 0: all, when this thread calls
 * it. Gives what held before. wnn_parallel has all, always. */
uint32_t wnn_pool_lend(wnn_pool *pool, uint32_t n);
uint32_t wnn_pool_lent(const wnn_pool *pool);

/* How many threads a context gets when it doesn't say. */
uint32_t wnn_default_threads(void);

/* The processors that the CPU quota of this process's cgroup allows, rounded up; 0: no quota.
 * `root` is put before the system's paths ("" but in tests). */
uint32_t wnn_quota_threads(const char *root);

/* Called for each part i of n; the parts cover the work, in any order, at the same time. */
typedef void (*wnn_parallel_fn)(void *arg, size_t i, size_t n);

/* Runs fn(arg, 0..n-1, n) on the pool and waits; `n` beyond the number of threads is allowed, parts
 * are then handed out as threads get free. Runs in place when n is 1, when pool is NULL, or inside
 * another call. */
void wnn_parallel(wnn_pool *pool, size_t n, wnn_parallel_fn fn, void *arg);

/* How many parts are good for work on `n_bytes` that comes in `n_items`: one a thread; several
 * where it is much, so that a thread that others' work keeps from its processor holds up a piece
 * only. */
size_t wnn_pool_parts(const wnn_pool *pool, size_t n_items, size_t n_bytes);

/* Pieces may be as small as this (tests of small work want some). */
void wnn_pool_cut(wnn_pool *pool, size_t n_bytes);

/* The same as wnn_parallel for parts that need memory of their own: no two that run at the same
 * time have the same slot, and slots are below wnn_pool_slots(pool, n). */
typedef void (*wnn_sharing_fn)(void *arg, size_t slot, size_t i, size_t n);
size_t wnn_pool_slots(const wnn_pool *pool, size_t n);
void wnn_parallel_share(wnn_pool *pool, size_t n, wnn_sharing_fn fn, void *arg);

/* True inside a wnn_parallel on this pool, for whoever works for it. */
bool wnn_in_parallel(const wnn_pool *pool);

/* The library's own part of `n_items` for part i of n: [*begin, *end). */
static inline void wnn_parallel_split(size_t n_items, size_t i, size_t n, size_t *begin,
                                      size_t *end) {
  size_t each = n_items / n, rest = n_items % n;
  *begin = i * each + (i < rest ? i : rest);
  *end = *begin + each + (i < rest);
}

#endif
