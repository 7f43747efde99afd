/* A sum that carries what its additions round off. An infinity or NaN has nothing to carry. */
inline void w_add(float *sum, float *rest, float x) {
  const float next = *sum + x;
  const float lost = fabs(*sum) >= fabs(x) ? (*sum - next) + x : (x - next) + *sum;
  *sum = next;
  *rest += isfinite(next) ? lost : 0.0f;
}
