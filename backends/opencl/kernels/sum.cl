/* A sum that carries what its additions round off. An infinity or NaN has nothing to carry. */
inline void w_add(float *sum, float *rest, float x) {
  const float next = *sum + x;
  const float lost = fabs(*sum) >= fabs(x) ? (*sum - next) + x : (x - next) + *sum;
  *sum = next;
  *rest += isfinite(next) ? lost : 0.0f;
}
inline void w_add8(float8 *sum, float8 *rest, float8 x) {
  const float8 next = *sum + x;
  const float8 lost = select((x - next) + *sum, (*sum - next) + x, fabs(*sum) >= fabs(x));
  *sum = next;
  *rest += select((float8)(0.0f), lost, isfinite(next));
}
