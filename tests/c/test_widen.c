/* The pass that computes float16 graphs in float32: what it makes of small ones, and that every
 * operand is rounded all the same. */
#include "pass_checks.h"

#define F16 WEBNN_DATA_TYPE_FLOAT16

UNARY_CALL(relu)
UNARY_CALL(sigmoid)
UNARY_CALL(sqrt)
BINARY_CALL(add)
BINARY_CALL(mul)
BINARY_CALL(matmul)

static webnn_operand *cast(maker *m, webnn_operand *x, webnn_data_type type) {
  webnn_operand *out = NULL;
  m->failed |= webnn_cast(m->builder, x, type, NULL, &out) != WEBNN_OK;
  return out;
}
static webnn_operand *half(maker *m, webnn_operand *x) { return cast(m, x, F16); }
static webnn_operand *single(maker *m, webnn_operand *x) { return cast(m, x, F32); }

/* A constant of float16, none of whose numbers is easy. */
static webnn_operand *halves(maker *m, size_t rank, const uint32_t *shape, float from) {
  webnn_operand *out = NULL;
  webnn_descriptor desc = {F16, rank, shape};
  uint16_t data[MAX_VALUES];
  size_t n = 1;
  for (size_t i = 0; i < rank; i++) n *= shape[i];
  for (size_t i = 0; i < n; i++)
    data[i] = wnn_f16_from_f32(from + 0.1f * (float)(i % 7) - 0.03f * (float)(i % 5));
  m->failed |= webnn_builder_constant(m->builder, &desc, data, n * sizeof *data, &out) != WEBNN_OK;
  return out;
}

static webnn_operand *row(maker *m) { return input(m, "x", SHAPE(4, 8)); }
static webnn_operand *image(maker *m) { return half(m, input(m, "x", SHAPE(1, 9, 16, 16))); }

static webnn_operand *conv(maker *m, webnn_operand *x, uint32_t out, uint32_t in, uint32_t side,
                           uint32_t groups) {
  webnn_conv2d_options options = WEBNN_CONV2D_OPTIONS_INIT;
  webnn_operand *y = NULL;
  const uint32_t padding[] = {side / 2, side / 2, side / 2, side / 2},
                 shape[] = {out, in, side, side}, n[] = {out};
  options.padding = padding;
  options.n_padding = 4;
  options.groups = groups;
  options.bias = halves(m, 1, n, 0.2f);
  m->failed |= webnn_conv2d(m->builder, x, halves(m, 4, shape, -0.2f), &options, &y) != WEBNN_OK;
  return y;
}

/* ---- graphs; all begin and end in float32 */

static webnn_operand *a_product(maker *m) {
  return single(m, matmul_of(m, half(m, row(m)), halves(m, SHAPE(8, 6), 0.3f)));
}
static webnn_operand *a_product_and_more(maker *m) {
  webnn_operand *y = matmul_of(m, half(m, row(m)), halves(m, SHAPE(8, 6), 0.3f));
  y = relu_of(m, add_of(m, y, halves(m, SHAPE(6), -4)));
  return single(m, mul_of(m, sigmoid_of(m, y), halves(m, SHAPE(6), 3)));
}
static webnn_operand *a_gate(maker *m) {
  webnn_operand *y = matmul_of(m, half(m, row(m)), halves(m, SHAPE(8, 6), 0.3f));
  return single(m, mul_of(m, sigmoid_of(m, y), y));
}
static webnn_operand *no_product(maker *m) { /* as it is */
  return single(m, sigmoid_of(m, mul_of(m, half(m, row(m)), halves(m, SHAPE(8), 3))));
}
static webnn_operand *what_is_only_moved(maker *m) { /* float16 beside what is computed stays so */
  webnn_operand *x = row(m), *y = matmul_of(m, half(m, x), halves(m, SHAPE(8, 8), 0.3f)),
                *out = NULL;
  const webnn_operand *parts[] = {sqrt_of(m, half(m, x)), y};
  m->failed |= webnn_concat(m->builder, parts, 2, 0, NULL, &out) != WEBNN_OK;
  return single(m, out);
}
static webnn_operand *products_in_a_row(maker *m) {
  webnn_operand *y = matmul_of(m, half(m, row(m)), halves(m, SHAPE(8, 6), 0.3f)), *out = NULL;
  m->failed |= webnn_transpose(m->builder, y, NULL, &out) != WEBNN_OK;
  return single(m, matmul_of(m, y, out));
}
static webnn_operand *beyond_float16(maker *m) { /* infinite, though float32 would hold it */
  webnn_operand *y = matmul_of(m, half(m, row(m)), halves(m, SHAPE(8, 6), 3e4f));
  return single(m, mul_of(m, y, halves(m, SHAPE(6), 1e-3f)));
}
/* By Winograd, depthwise, and by oneDNN; each with a residual and an activation behind it. */
static webnn_operand *convolutions(maker *m) {
  webnn_operand *x = image(m);
  webnn_operand *y = sigmoid_of(m, conv(m, x, 16, 9, 3, 1));
  webnn_operand *z = relu_of(m, add_of(m, conv(m, y, 16, 1, 3, 16), y));
  return single(m, mul_of(m, conv(m, add_of(m, z, conv(m, x, 16, 9, 1, 1)), 8, 16, 1, 1),
                          halves(m, SHAPE(8, 1, 1), 0.3f)));
}

/* x · clamp(x + 3, 0, 6) / 6: behind a product it is kept while it is changed. */
static webnn_operand *spelled(maker *m, webnn_operand *x) {
  webnn_clamp_options options = WEBNN_CLAMP_OPTIONS_INIT;
  webnn_operand *out = NULL;
  options.min_value = (webnn_number){WEBNN_NUMBER_DOUBLE, {.f = 0}};
  options.max_value = (webnn_number){WEBNN_NUMBER_DOUBLE, {.f = 6}};
  m->failed |=
      webnn_clamp(m->builder, add_of(m, x, halves(m, SHAPE(1), 3)), &options, &out) != WEBNN_OK;
  return mul_of(m, mul_of(m, x, out), halves(m, SHAPE(1), 1.0f / 6));
}
static webnn_operand *spelled_gates(maker *m) {
  webnn_operand *x = image(m), *y = spelled(m, conv(m, x, 16, 9, 3, 1));
  y = spelled(m, mul_of(m, conv(m, y, 16, 1, 3, 16), halves(m, SHAPE(1), 0.7f)));
  return single(m, mul_of(m, spelled(m, conv(m, y, 8, 16, 1, 1)), halves(m, SHAPE(8, 1, 1), 0.3f)));
}
static webnn_operand *two_that_never_meet(maker *m) { /* in one step, that is */
  webnn_operand *y = conv(m, image(m), 16, 9, 3, 1),
                *z = relu_of(m, add_of(m, y, halves(m, SHAPE(1), 0.5f)));
  return single(m, add_of(m, conv(m, z, 8, 16, 1, 1), conv(m, sigmoid_of(m, y), 8, 16, 1, 1)));
}

#define ROW(graph, expected) {#graph, graph, expected}
static const struct {
  const char *name;
  webnn_operand *(*make)(maker *);
  const char *expected;
} rows[] = {
    ROW(a_product, "round_half cast matmul round_half"),
    ROW(a_product_and_more,
        "round_half cast matmul round_half cast add round_half relu sigmoid round_half cast mul "
        "round_half"),
    ROW(a_gate, "round_half cast matmul round_half silu_half round_half"),
    ROW(no_product, "cast mul sigmoid cast"),
    ROW(what_is_only_moved, "round_half cast matmul cast cast sqrt concat cast"),
    ROW(products_in_a_row, "round_half cast matmul round_half transpose matmul round_half"),
    ROW(beyond_float16, "round_half cast matmul round_half cast mul round_half"),
};

TEST(float16_becomes_float32) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CONTEXT("%s", rows[i].name);
    check_operations("widen", rows[i].make, rows[i].expected);
  }
  CONTEXT("%s", "");
}

/* The same bits, but where a sum in another order is rounded to the neighbour. */
static void check_rounded(webnn_operand *(*make)(maker *), const char *switches) {
  static float ours[MAX_VALUES], theirs[MAX_VALUES];
  size_t n = 0, n_theirs = 0, differ = 0;
  if (!compute(make, "auto", switches, ours, &n) ||
      !compute(make, "reference", "-all", theirs, &n_theirs))
    return;
  CHECK(n == n_theirs);
  for (size_t i = 0; i < n; i++) {
    CHECK(isnan(ours[i]) || wnn_f16_to_f32(wnn_f16_from_f32(ours[i])) == ours[i]);
    if (ours[i] == theirs[i] || (isnan(ours[i]) && isnan(theirs[i]))) continue;
    CHECK(fabsf(ours[i] - theirs[i]) <= 3e-3f * (1 + fabsf(theirs[i])));
    differ++;
  }
  CHECK(differ <= n / 8);
}

TEST(every_operand_is_rounded) {
  static const char *const switches[] = {NULL, "-widen", "-fuse", "-winograd", "-layout", "-fold"};
  for (size_t k = 0; k < sizeof switches / sizeof *switches; k++) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
      CONTEXT("%s %s", rows[i].name, switches[k] ? switches[k] : "");
      check_rounded(rows[i].make, switches[k]);
    }
    CONTEXT("convolutions %s", switches[k] ? switches[k] : "");
    check_rounded(convolutions, switches[k]);
    check_rounded(spelled_gates, switches[k]);
    check_rounded(two_that_never_meet, switches[k]);
  }
  CONTEXT("%s", "");
}

#ifdef WEBNN_HAS_ONEDNN
/* Three convolutions and the casts at the ends, each with all that follows it. */
TEST(gates_follow_their_product) {
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_context *context = NULL;
  webnn_graph *graph = NULL;
  maker m = {NULL, false};
  CHECK_STATUS(webnn_context_create(&options, &context, NULL), WEBNN_OK);
  CHECK_STATUS(webnn_builder_create(context, &m.builder, NULL), WEBNN_OK);
  const webnn_named_operand y = {WEBNN_STR("y"), spelled_gates(&m)};
  if (CHECK_STATUS(webnn_builder_build_sync(m.builder, &y, 1, &graph), WEBNN_OK))
    CHECK(webnn_graph_n_steps(graph) <= 6);
  webnn_graph_release(graph);
  webnn_builder_release(m.builder);
  webnn_context_release(context);
}

#endif

int main(int argc, char **argv) {
  return harness_main(argc, argv,
                      (harness_test[]){RUN(float16_becomes_float32),
                                       RUN(every_operand_is_rounded),
#ifdef WEBNN_HAS_ONEDNN
                                       RUN(gates_follow_their_product),
#endif
                                       {NULL, NULL}});
}
