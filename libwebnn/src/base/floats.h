/* The floating-point mode in which results are defined, for work on threads that are the caller's:
 * rounds to nearest, keeps denormals, traps nothing. Audio and game threads run in others. */
#ifndef WNN_BASE_FLOATS_H
#define WNN_BASE_FLOATS_H

#ifdef __SSE__
#include <xmmintrin.h>

/* The control register costs a nanosecond to read, the environment of the C library some fifty. */
typedef unsigned wnn_float_mode;

#define WNN_FLOAT_FLAGS 0x3Fu /* what has happened: no part of the mode */
#define WNN_FLOAT_DEFAULT 0x1F80u

static inline wnn_float_mode wnn_float_mode_enter(void) {
  wnn_float_mode before = _mm_getcsr();
  if ((before & ~WNN_FLOAT_FLAGS) != WNN_FLOAT_DEFAULT) _mm_setcsr(WNN_FLOAT_DEFAULT);
  return before;
}

static inline void wnn_float_mode_leave(const wnn_float_mode *before) {
  if ((*before & ~WNN_FLOAT_FLAGS) != WNN_FLOAT_DEFAULT) _mm_setcsr(*before);
}
#else
#include <fenv.h>

typedef fenv_t wnn_float_mode;

static inline wnn_float_mode wnn_float_mode_enter(void) {
  wnn_float_mode before;
  fegetenv(&before);
  fesetenv(FE_DFL_ENV);
  return before;
}

static inline void wnn_float_mode_leave(const wnn_float_mode *before) { fesetenv(before); }
#endif

#endif
