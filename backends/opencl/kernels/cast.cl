/* Float to integer: towards zero, beyond the range its end, NaN is 0. LOW and HIGH, as floats, are the first values
 * that the type's ends stand for. */
#define W_TO(T, LOW, LEAST, HIGH, MOST) \
  inline T w_to_##T(float x) {          \
    if (x != x) return 0;               \
    if (x <= LOW) return LEAST;         \
    if (x >= HIGH) return MOST;         \
    return (T)x;                        \
  }
W_TO(char, -128.0f, CHAR_MIN, 127.0f, CHAR_MAX)
W_TO(uchar, 0.0f, 0, 255.0f, UCHAR_MAX)
W_TO(int, -0x1p31f, INT_MIN, 0x1p31f, INT_MAX)
W_TO(uint, 0.0f, 0, 0x1p32f, UINT_MAX)
W_TO(long, -0x1p63f, LONG_MIN, 0x1p63f, LONG_MAX)
W_TO(ulong, 0.0f, 0, 0x1p64f, ULONG_MAX)
