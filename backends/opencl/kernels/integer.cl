/* Quotients go towards zero, x / 0 is 0, the smallest by -1 wraps. */
#define W_UNSIGNED(T)                                                 \
  inline T w_div_##T(T a, T b) { return b == 0 ? (T)0 : (T)(a / b); } \
  inline T w_pow_##T(T base, T exponent) {                            \
    T result = 1;                                                     \
    for (; exponent != 0; exponent >>= 1, base = (T)(base * base))    \
      if (exponent & 1) result = (T)(result * base);                  \
    return result;                                                    \
  }
W_UNSIGNED(uchar)
W_UNSIGNED(uint)
W_UNSIGNED(ulong)
/* A negative exponent gives 0 unless the base is its own reciprocal. */
#define W_SIGNED(T, U)                                        \
  inline T w_div_##T(T a, T b) {                              \
    return b == 0 ? (T)0 : b == -1 ? (T)(0 - (U)a) : (T)(a / b); \
  }                                                           \
  inline T w_pow_##T(T base, T exponent) {                    \
    if (exponent >= 0) return (T)w_pow_##U((U)base, (U)exponent); \
    return base == 1 ? (T)1 : base == -1 ? (exponent & 1 ? (T)-1 : (T)1) : (T)0; \
  }
W_SIGNED(char, uchar)
W_SIGNED(int, uint)
W_SIGNED(long, ulong)
