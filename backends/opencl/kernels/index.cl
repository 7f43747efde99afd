/* An index as a place in 0 … n - 1: a negative one counts from the end, what is still outside goes to the nearest
 * place. */
inline uint w_place(long index, uint n) {
  if (index < 0) index += n;
  return index < 0 ? 0u : index < (long)n ? (uint)index : n - 1;
}
inline uint w_place_unsigned(ulong index, uint n) { return index < n ? (uint)index : n - 1; }
