/* Which instruction set a device uses. */
#include "kernels/vector.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif
#include <math.h>
#include <string.h>

const float wnn_one = 1.0f;

extern const wnn_vector wnn_vector_generic;
#ifdef __x86_64__
extern const wnn_vector wnn_vector_avx2, wnn_vector_avx512;
#endif

/* Unlike a pass, an instruction set isn't switched off by "-all". */
static bool switched_off(const char *switches, const char *name) {
  size_t n = strlen(name);
  for (const char *at = switches; at != NULL && (at = strstr(at, name)) != NULL; at += n)
    if ((at == switches || at[-1] == ',') && (at[n] == '\0' || at[n] == ',')) return true;
  return false;
}

static wnn_isa widest(bool avx2, bool avx512) {
#ifdef __x86_64__
  avx512 = avx512 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  avx2 = avx2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("f16c");
  if (avx2) return avx512 ? WNN_ISA_AVX512 : WNN_ISA_AVX2;
#else
  (void)avx2, (void)avx512;
#endif
  return WNN_ISA_GENERIC;
}

wnn_isa wnn_isa_for(const wnn_host *host) {
  return widest(!switched_off(host->passes, "-avx2"), !switched_off(host->passes, "-avx512"));
}

bool wnn_has_vnni(const wnn_host *host) {
#ifdef __x86_64__
  const wnn_isa isa = wnn_isa_for(host);
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (isa == WNN_ISA_AVX512 && __builtin_cpu_supports("avx512vnni")) return true;
  return isa != WNN_ISA_GENERIC && __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a >> 4 & 1); /* AVX-VNNI */
#else
  (void)host;
  return false;
#endif
}

bool wnn_takes_bfloat16(const wnn_host *host) {
#ifdef __x86_64__
  return host->math == WEBNN_MATH_FAST && wnn_isa_for(host) == WNN_ISA_AVX512 && __builtin_cpu_supports("avx512bf16");
#else
  (void)host;
  return false;
#endif
}

#define STREAM_BYTES ((size_t)24 << 20)

bool wnn_streams(const wnn_host *host, size_t n_bytes) {
  return n_bytes >= STREAM_BYTES || switched_off(host->passes, "-near");
}

#define ALONE_BYTES ((size_t)64 * 1024)

size_t wnn_packers(const wnn_host *host, size_t n_bytes) {
  return host->pool == NULL || n_bytes < ALONE_BYTES ? 1 : wnn_pool_threads(host->pool);
}

static const wnn_vector *vector_of(wnn_isa isa) {
#ifdef __x86_64__
  if (isa == WNN_ISA_AVX512) return &wnn_vector_avx512;
  if (isa == WNN_ISA_AVX2) return &wnn_vector_avx2;
#else
  (void)isa;
#endif
  return &wnn_vector_generic;
}

const wnn_vector *wnn_vector_get(void) { return vector_of(widest(true, true)); }

const wnn_vector *wnn_vector_for(const wnn_host *host) { return vector_of(wnn_isa_for(host)); }

static uint64_t start_bits(wnn_fold fold, webnn_data_type type) {
  switch (fold) {
    case WNN_FOLD_PRODUCT: return 1;
    case WNN_FOLD_MAX: return (uint64_t)wnn_type_min(type);
    case WNN_FOLD_MIN: return wnn_type_max(type);
    default: return 0;
  }
}

static float start_float(wnn_fold fold) {
  switch (fold) {
    case WNN_FOLD_PRODUCT: return 1.0f;
    case WNN_FOLD_MAX: return -INFINITY;
    case WNN_FOLD_MIN: return INFINITY;
    default: return 0.0f;
  }
}

void wnn_fold_start(wnn_fold fold, webnn_data_type type, void *partial, size_t n) {
  if (type == WEBNN_DATA_TYPE_FLOAT32) {
    const float f = start_float(fold);
    for (size_t i = 0; i < n; i++) ((float *)partial)[i] = f;
    return;
  }
  const uint64_t bits = start_bits(fold, type);
  switch (webnn_data_type_bytes(type)) {
    case 1: memset(partial, (int)(bits & 255), n); break;
    case 4:
      for (size_t i = 0; i < n; i++) ((uint32_t *)partial)[i] = (uint32_t)bits;
      break;
    default:
      for (size_t i = 0; i < n; i++) ((uint64_t *)partial)[i] = bits;
  }
}
