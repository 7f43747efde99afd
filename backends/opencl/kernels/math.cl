/* Functions of floats. A NaN comes through all of them. */
inline float w_max(float a, float b) { return a != a ? a : b != b ? b : a > b ? a : b; }
inline float w_min(float a, float b) { return a != a ? a : b != b ? b : a < b ? a : b; }
inline float w_limit(float x, float low, float high) { return x < low ? low : x > high ? high : x; }
inline float w_relu(float x) { return x > 0.0f || x != x ? x : 0.0f; }
inline float w_sigmoid(float x) { return 1.0f / (1.0f + exp(-x)); }
inline float w_silu(float x) { return x * w_sigmoid(x); }
/* 1 where it is: implementations may be off by their error at the ends, too. */
inline float w_tanh(float x) { return fabs(x) > 9.5f ? copysign(1.0f, x) : tanh(x); }
/* Without overflow. */
inline float w_softplus(float x) { return (x > 0.0f ? x : 0.0f) + log1p(exp(-fabs(x))); }
inline float w_mish(float x) { return x * w_tanh(w_softplus(x)); }
/* 1 + erf(t) is erfc(-t), which keeps its digits where erf is near -1. */
inline float w_gelu(float x) { return 0.5f * x * erfc(-x * 0.70710678f); }
inline float w_gelu_tanh(float x) {
  return 0.5f * x * (1.0f + w_tanh(0.79788456f * (x + 0.044715f * x * x * x)));
}
