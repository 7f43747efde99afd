#include "half.h"

#include "base/dtype.h"

/* Fewer elements than this aren't worth a second thread. */
#define MIN_PART 16384

typedef struct job {
  const void *from;
  void *to;
  size_t n;
} job;

static void widen_part(void *arg, size_t i, size_t n) {
  const job *is = arg;
  const uint16_t *from = is->from;
  float *to = is->to;
  size_t begin, end;
  wnn_parallel_split(is->n, i, n, &begin, &end);
  for (size_t k = begin; k < end; k++) to[k] = wnn_f16_to_f32(from[k]);
}

static void narrow_part(void *arg, size_t i, size_t n) {
  const job *is = arg;
  const float *from = is->from;
  uint16_t *to = is->to;
  size_t begin, end;
  wnn_parallel_split(is->n, i, n, &begin, &end);
  for (size_t k = begin; k < end; k++) to[k] = wnn_f16_from_f32(from[k]);
}

static size_t n_parts(wnn_pool *pool, size_t n) {
  size_t most = pool == NULL ? 1 : wnn_pool_threads(pool), wanted = n / MIN_PART + 1;
  return wanted < most ? wanted : most;
}

void wnn_half_widen(wnn_pool *pool, const uint16_t *from, float *to, size_t n) {
  wnn_parallel(pool, n_parts(pool, n), widen_part, &(job){from, to, n});
}

void wnn_half_narrow(wnn_pool *pool, const float *from, uint16_t *to, size_t n) {
  wnn_parallel(pool, n_parts(pool, n), narrow_part, &(job){from, to, n});
}
