/* The functions of our element-wise kernels over the whole range of float32, on each instruction
 * set: errors in last places, special numbers. WEBNN_TEST_SWEEP=1 in the environment tries every
 * number, else one in some thousands. */
#include "kernel_scene.h"
#include "kernels/vector.h"

#define F32 WEBNN_DATA_TYPE_FLOAT32

/* ---- functions of one number */

static double reciprocal(double x) { return 1 / x; }
static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double silu(double x) { return x * sigmoid(x); }
static double softplus(double x) { return (x > 0 ? x : 0) + log1p(exp(-fabs(x))); }
static double mish(double x) { return x * tanh(softplus(x)); }
static double softsign(double x) { return x / (1 + fabs(x)); }
static double gelu(double x) { return 0.5 * x * erfc(-x * 0.70710678118654752440); }
static double gelu_tanh(double x) {
  return x * sigmoid(1.59576912160573071176 * (x + 0.044715 * x * x * x));
}
static double elu(double x) { return x >= 0 ? x : 0.75 * expm1(x); }
static double hard_swish(double x) { return x * fmin(fmax(x + 3, 0), 6) / 6; }

/* How far a result may be off: in last places of the exact one, or of `floor` where that is larger.
 */
typedef struct function_row {
  wnn_op_id op;
  double (*exact)(double);
  double ulp, floor;
} function_row;

static const function_row functions[] = {
    {WNN_OP_EXP, exp, 2, 0},
    {WNN_OP_LOG, log, 2, 0},
    {WNN_OP_SIN, sin, 2, 0},
    {WNN_OP_COS, cos, 2, 0},
    {WNN_OP_TAN, tan, 3, 0},
    {WNN_OP_ERF, erf, 3, 0},
    {WNN_OP_SQRT, sqrt, 0.5, 0},
    {WNN_OP_RECIPROCAL, reciprocal, 0.5, 0},
    {WNN_OP_CEIL, ceil, 0, 0},
    {WNN_OP_FLOOR, floor, 0, 0},
    {WNN_OP_ROUND_EVEN, nearbyint, 0, 0},
    {WNN_OP_ELU, elu, 3, 0},
    {WNN_OP_SIGMOID, sigmoid, 3, 0},
    {WNN_OP_TANH, tanh, 3, 0},
    {WNN_OP_SOFTPLUS, softplus, 4, 0},
    {WNN_OP_SOFTSIGN, softsign, 2, 0},
    {WNN_OP_GELU, gelu, 9, 1e-36},
    {WNN_OP_GELU_TANH, gelu_tanh, 13,
     2e-3}, /* its argument is rounded, so the tail is an absolute error */
    {WNN_OP_SILU, silu, 4, 1e-34},
    {WNN_OP_MISH, mish, 6, 1e-34},
    {WNN_OP_HARD_SWISH, hard_swish, 3, 0},
};

enum { N_SWEEP = 4096 };

/* The worst result among these arguments is fine. */
static bool sweep_piece(const function_row *row, wnn_stage_fn fn, const float *x, size_t n) {
  static float y[N_SWEEP];
  const wnn_stage_args args = {.f = {0.75f, 0}};
  fn((const void *[]){x}, y, n, &args);
  for (size_t i = 0; i < n; i++) {
    double exact = row->exact((double)x[i]);
    float rounded = (float)exact;
    if (isnan(rounded) != isnan(y[i]) || isinf(rounded) != isinf(y[i])) {
      double near = fabs(exact) / 3.40282346638528859812e38; /* either side of the largest number */
      if (!isnan(rounded) && !isnan(y[i]) && near > 0.9999995 && near < 1.0000005) continue;
      printf("    %a: %a, expected %a\n", (double)x[i], (double)y[i], (double)rounded);
      return CHECK(!"a special result differs");
    }
    if (isnan(rounded) || isinf(rounded)) continue;
    double place = scene_last_place(fabs(exact) > row->floor ? exact : row->floor, F32);
    if (fabs((double)y[i] - exact) <= row->ulp * place) continue;
    printf("    %a: %a, expected %a, %g places off\n", (double)x[i], (double)y[i], exact,
           fabs((double)y[i] - exact) / place);
    return CHECK(!"a result is too far off");
  }
  return CHECK(true);
}

static const wnn_vector *instruction_sets[3];
static size_t n_instruction_sets;

static void find_instruction_sets(void) {
  static const char *const switches[] = {NULL, "-avx512", "-avx2"};
  for (size_t i = 0; i < 3; i++) {
    const wnn_host host = {.passes = switches[i]};
    const wnn_vector *vector = wnn_vector_for(&host);
    if (n_instruction_sets != 0 && instruction_sets[n_instruction_sets - 1] == vector) continue;
    instruction_sets[n_instruction_sets++] = vector;
  }
}

TEST(functions_are_accurate_everywhere) {
  static float x[N_SWEEP];
  const uint64_t stride =
      getenv("WEBNN_TEST_SWEEP") ? (uint64_t)atol(getenv("WEBNN_TEST_SWEEP")) : 9973;
  for (size_t v = 0; v < n_instruction_sets; v++)
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
      wnn_stage_fn fn = instruction_sets[v]->stage(functions[f].op, F32, F32);
      CONTEXT("%s, %s", instruction_sets[v]->name, wnn_op_get(functions[f].op)->name);
      for (uint64_t bits = 0, ok = 1; ok && bits <= UINT32_MAX;) {
        size_t n = 0;
        for (; n < N_SWEEP && bits <= UINT32_MAX; bits += stride, n++) {
          uint32_t word = (uint32_t)bits;
          memcpy(&x[n], &word, sizeof word);
        }
        ok = sweep_piece(&functions[f], fn, x, n);
      }
      static const uint32_t special[] = {0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x7F800001,
                                         0,          0x80000000, 1,          0x80000001, 0x007FFFFF,
                                         0x00800000, 0x7F7FFFFF, 0xFF7FFFFF};
      memcpy(x, special, sizeof special);
      sweep_piece(&functions[f], fn, x, sizeof special / sizeof *special);
    }
}

/* Of numbers all over the range, and of those near 1, where powers are moderate. */
static bool powers_are_accurate(wnn_stage_fn fn, float y) {
  static float x[N_SWEEP], ys[N_SWEEP], z[N_SWEEP];
  for (size_t piece = 0; piece < 32; piece++) {
    for (size_t i = 0; i < N_SWEEP; i++) {
      uint32_t bits = (uint32_t)((piece / 2 * N_SWEEP + i) * 65521);
      if (piece % 2 == 1) bits = (bits & 0x80FFFFFF) | 0x3F000000; /* in [1/2, 2), of both signs */
      memcpy(&x[i], &bits, sizeof bits);
      ys[i] = y;
    }
    fn((const void *[]){x, ys}, z, N_SWEEP, &(wnn_stage_args){.f = {0}});
    for (size_t i = 0; i < N_SWEEP; i++) {
      double exact = pow((double)x[i], (double)y);
      float rounded = (float)exact;
      bool same =
          isnan(rounded) ? isnan(z[i]) : z[i] == rounded && signbit(z[i]) == signbit(rounded);
      if (same || fabs((double)z[i] - exact) <= 1.5 * scene_last_place(exact, F32)) continue;
      printf("    %a: %a, expected %a\n", (double)x[i], (double)z[i], exact);
      return false;
    }
  }
  return true;
}

TEST(pow_is_accurate_everywhere) {
  static const float ys[] = {0,        -0.0f,     1,        -1,       2,       -2,         3,
                             0.5f,     -0.5f,     1.0f / 3, 7,        8,       9.5f,       -31,
                             100,      1e-3f,     16777215, 16777216, 8388609, 8388608.5f, 3e38f,
                             INFINITY, -INFINITY, NAN,      1e-40f};
  for (size_t v = 0; v < n_instruction_sets; v++)
    for (size_t k = 0; k < sizeof ys / sizeof *ys; k++) {
      CONTEXT("%s, to the power of %g", instruction_sets[v]->name, (double)ys[k]);
      CHECK(powers_are_accurate(instruction_sets[v]->stage(WNN_OP_POW, F32, F32), ys[k]));
    }
}

int main(int argc, char **argv) {
  find_instruction_sets();
  return harness_main(
      argc, argv,
      (harness_test[]){
          RUN(functions_are_accurate_everywhere), RUN(pow_is_accurate_everywhere), {NULL, NULL}});
}
