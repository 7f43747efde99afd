/* Which instruction set this processor has. */
#include "kernels/vector.h"

#include <math.h>

extern const wnn_vector wnn_vector_generic;
#ifdef __x86_64__
extern const wnn_vector wnn_vector_avx2, wnn_vector_avx512;
#endif

const wnn_vector *wnn_vector_get(void) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    return &wnn_vector_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c"))
    return &wnn_vector_avx2;
#endif
  return &wnn_vector_generic;
}

float wnn_fold_start(wnn_fold fold) {
  switch (fold) {
    case WNN_FOLD_PRODUCT: return 1.0f;
    case WNN_FOLD_MAX: return -INFINITY;
    case WNN_FOLD_MIN: return INFINITY;
    default: return 0.0f;
  }
}

float wnn_fold_join(wnn_fold fold, float a, float b) {
  switch (fold) {
    case WNN_FOLD_PRODUCT: return a * b;
    case WNN_FOLD_MAX: return a > b || a != a ? a : b;
    case WNN_FOLD_MIN: return a < b || a != a ? a : b;
    default: return a + b;
  }
}
