/* Functions of floats. A NaN comes through all of them. */
inline float w_max(float a, float b) { return a != a ? a : b != b ? b : a > b ? a : b; }
inline float w_min(float a, float b) { return a != a ? a : b != b ? b : a < b ? a : b; }
inline float w_limit(float x, float low, float high) { return x < low ? low : x > high ? high : x; }
/* A square is a product, exact to the last bit: the exponent is a constant most of the time, and pow is slow. */
inline float w_pow(float x, float y) { return y == 2.0f ? x * x : pow(x, y); }
inline float w_relu(float x) { return x > 0.0f || x != x ? x : 0.0f; }
inline float w_sigmoid(float x) { return 1.0f / (1.0f + exp(-x)); }
inline float w_silu(float x) { return x * w_sigmoid(x); }
/* 1 where it is: implementations may be off by their error at the ends, too. */
inline float w_tanh(float x) { return fabs(x) > 9.5f ? copysign(1.0f, x) : tanh(x); }
/* Without overflow. */
inline float w_softplus(float x) { return (x > 0.0f ? x : 0.0f) + log1p(exp(-fabs(x))); }
inline float w_mish(float x) { return x * w_tanh(w_softplus(x)); }
/* x times the normal distribution's integral up to x. Its upper tail, erfc(a / sqrt(2)) / 2 for a = |x|, is
 * exp(-a * a / 2) times a polynomial of 1 / (1 + 0.3 a), fitted by least squares to 4e-9; what a * a rounds off is made
 * good. Compilers make vectors of this, of erfc they don't. */
inline float w_gelu(float x) {
  const float a = fabs(x), t = 1.0f / fma(0.3f, a, 1.0f), s = a * a, rest = fma(a, a, -s);
  float y = fma(-0.0206239254f, t, 0.112438061f);
  y = fma(y, t, -0.228219265f);
  y = fma(y, t, 0.191791934f);
  y = fma(y, t, -0.0794294826f);
  y = fma(y, t, 0.0961599401f);
  y = fma(y, t, 0.0783886212f);
  y = fma(y, t, 0.110235633f);
  y = fma(y, t, 0.11957179f);
  y = fma(y, t, 0.119686691f);
  const float e = exp(-0.5f * s), tail = y * t * fma(-0.5f * rest, e, e);
  const float upper = a < 14.5f ? tail : 0.0f;
  return x > 0.0f ? x * (1.0f - upper) : x * upper;
}
inline float w_gelu_tanh(float x) {
  return 0.5f * x * (1.0f + w_tanh(0.79788456f * (x + 0.044715f * x * x * x)));
}
