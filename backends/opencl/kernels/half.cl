/* Rounds to float16, half to even. */
inline float w_half(float x) {
  ushort bits;
  vstore_half_rte(x, 0, (__private half *)&bits);
  return vload_half(0, (__private const half *)&bits);
}
