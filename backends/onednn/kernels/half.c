#include "half.h"

#include "vector.h"

/* Fewer elements than this aren't worth a second thread. */
#define MIN_PART 16384

typedef struct job {
  const wnn_vector *vector;
  const void *from;
  void *to;
  size_t n;
} job;

static void widen_part(void *arg, size_t i, size_t n) {
  const job *is = arg;
  size_t begin, end;
  wnn_parallel_split(is->n, i, n, &begin, &end);
  is->vector->widen((const uint16_t *)is->from + begin, (float *)is->to + begin, end - begin);
}

static void narrow_part(void *arg, size_t i, size_t n) {
  const job *is = arg;
  size_t begin, end;
  wnn_parallel_split(is->n, i, n, &begin, &end);
  is->vector->narrow((const float *)is->from + begin, (uint16_t *)is->to + begin, end - begin);
}

static size_t n_parts(const wnn_host *host, size_t n) {
  return wnn_pool_parts(host->pool, n / MIN_PART + 1, n * (sizeof(float) + sizeof(uint16_t)));
}

void wnn_half_widen(const wnn_host *host, const uint16_t *from, float *to, size_t n) {
  wnn_parallel(host->pool, n_parts(host, n), widen_part, &(job){wnn_vector_get(), from, to, n});
}

void wnn_half_narrow(const wnn_host *host, const float *from, uint16_t *to, size_t n) {
  wnn_parallel(host->pool, n_parts(host, n), narrow_part, &(job){wnn_vector_get(), from, to, n});
}
