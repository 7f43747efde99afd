/* The pass that finds integers: what it makes of quantised graphs, and that they compute the same
 * within a step. */
#include "pass_checks.h"

UNARY_CALL(relu)
UNARY_CALL(round_even)
UNARY_CALL(max_pool2d)
UNARY_CALL(transpose)
BINARY_CALL(add)
BINARY_CALL(sub)
BINARY_CALL(mul)
BINARY_CALL(div)
BINARY_CALL(max)
BINARY_CALL(min)
BINARY_CALL(equal)
BINARY_CALL(conv2d)
BINARY_CALL(matmul)

#define I8 WEBNN_DATA_TYPE_INT8
#define U8 WEBNN_DATA_TYPE_UINT8
#define I32 WEBNN_DATA_TYPE_INT32
#define STEP 0.03125f /* of results */

/* A constant of bytes all over their range. */
static webnn_operand *bytes(maker *m, webnn_data_type type, size_t rank, const uint32_t *shape) {
  webnn_operand *out = NULL;
  webnn_descriptor desc = {type, rank, shape};
  uint8_t data[MAX_VALUES];
  size_t n = 1;
  for (size_t i = 0; i < rank; i++) n *= shape[i];
  for (size_t i = 0; i < n; i++) data[i] = (uint8_t)((i * 77 + 13) % 256);
  m->failed |= webnn_builder_constant(m->builder, &desc, data, n, &out) != WEBNN_OK;
  return out;
}

/* `n` zero points of one value. */
static webnn_operand *zero_points(maker *m, webnn_data_type type, size_t rank,
                                  const uint32_t *shape, int value) {
  webnn_operand *out = NULL;
  webnn_descriptor desc = {type, rank, shape};
  uint8_t data[64];
  size_t n = 1;
  for (size_t i = 0; i < rank; i++) n *= shape[i];
  memset(data, value, n);
  m->failed |= webnn_builder_constant(m->builder, &desc, data, n, &out) != WEBNN_OK;
  return out;
}

static webnn_operand *scales(maker *m, size_t rank, const uint32_t *shape, float scale) {
  webnn_operand *out = NULL;
  webnn_descriptor desc = {F32, rank, shape};
  float data[64];
  size_t n = 1;
  for (size_t i = 0; i < rank; i++) n *= shape[i];
  for (size_t i = 0; i < n; i++) data[i] = scale * (1.0f + 0.25f * (float)i);
  m->failed |= webnn_builder_constant(m->builder, &desc, data, n * sizeof *data, &out) != WEBNN_OK;
  return out;
}

static webnn_operand *quantise(maker *m, webnn_operand *x, webnn_operand *scale,
                               webnn_operand *zero) {
  webnn_operand *out = NULL;
  m->failed |= webnn_quantize_linear(m->builder, x, scale, zero, NULL, &out) != WEBNN_OK;
  return out;
}

static webnn_operand *dequantise(maker *m, webnn_operand *x, webnn_operand *scale,
                                 webnn_operand *zero) {
  webnn_operand *out = NULL;
  m->failed |= webnn_dequantize_linear(m->builder, x, scale, zero, NULL, &out) != WEBNN_OK;
  return out;
}

#define ONES_4 SHAPE(1, 1, 1, 1)
#define ONES_2 SHAPE(1, 1)

/* Through bytes and back; images and matrices. */
static webnn_operand *image_bytes(maker *m, webnn_operand *x, float step) {
  return quantise(m, x, scales(m, ONES_4, step), zero_points(m, U8, ONES_4, 128));
}
static webnn_operand *image_floats(maker *m, webnn_operand *x, float step) {
  return dequantise(m, x, scales(m, ONES_4, step), zero_points(m, U8, ONES_4, 128));
}
static webnn_operand *image(maker *m, webnn_operand *x, float step) {
  return image_floats(m, image_bytes(m, x, step), step);
}
static webnn_operand *matrix(maker *m, webnn_operand *x, float step) {
  return dequantise(m, quantise(m, x, scales(m, ONES_2, step), zero_points(m, I8, ONES_2, -3)),
                    scales(m, ONES_2, step), zero_points(m, I8, ONES_2, -3));
}
static webnn_operand *plane(maker *m) { return input(m, "x", SHAPE(1, 6, 5, 5)); }
static webnn_operand *row(maker *m) { return input(m, "x", SHAPE(3, 8)); }

static webnn_operand *filter_by_channel(maker *m) {
  return dequantise(m, bytes(m, I8, SHAPE(4, 6, 3, 3)), scales(m, SHAPE(4, 1, 1, 1), 0.002f),
                    zero_points(m, I8, SHAPE(4, 1, 1, 1), 0));
}

/* ---- graphs */

static webnn_operand *a_convolution(maker *m) {
  webnn_operand *x = image(m, plane(m), 0.04f), *filter = filter_by_channel(m);
  return image(m, relu_of(m, conv2d_of(m, x, filter)), STEP);
}
static webnn_operand *a_convolution_of_unsigned_weights(maker *m) {
  webnn_operand *x = image(m, plane(m), 0.04f);
  webnn_operand *filter = dequantise(m, bytes(m, U8, SHAPE(4, 6, 3, 3)), scales(m, ONES_4, 0.002f),
                                     zero_points(m, U8, ONES_4, 131));
  return conv2d_of(m, x, filter);
}
static webnn_operand *a_convolution_with_all(
    maker *m) { /* bias, padding, strides, another layout, a residual */
  webnn_conv2d_options options = WEBNN_CONV2D_OPTIONS_INIT;
  webnn_operand *y = NULL, *filter = dequantise(m, bytes(m, I8, SHAPE(3, 3, 2, 8)),
                                                scales(m, SHAPE(1, 1, 1, 8), 0.002f),
                                                zero_points(m, I8, SHAPE(1, 1, 1, 8), 5));
  options.bias = constant(m, SHAPE(8), -0.5f);
  options.padding = (const uint32_t[]){1, 1, 1, 0};
  options.n_padding = 4;
  options.strides = (const uint32_t[]){2, 1};
  options.n_strides = 2;
  options.dilations = (const uint32_t[]){1, 2};
  options.n_dilations = 2;
  options.groups = 2;
  options.input_layout = WEBNN_INPUT_OPERAND_LAYOUT_NHWC;
  options.filter_layout = WEBNN_CONV2D_FILTER_OPERAND_LAYOUT_HWIO;
  webnn_operand *x = image(m, input(m, "x", SHAPE(2, 7, 6, 4)), 0.04f);
  m->failed |= webnn_conv2d(m->builder, x, filter, &options, &y) != WEBNN_OK;
  return image(m, relu_of(m, add_of(m, y, constant(m, SHAPE(2, 4, 3, 8), -1.0f))), STEP);
}
static webnn_operand *a_depthwise_convolution(maker *m) { /* no matrix to multiply with: it stays */
  webnn_conv2d_options options = WEBNN_CONV2D_OPTIONS_INIT;
  webnn_operand *y = NULL, *x = image(m, plane(m), 0.04f);
  webnn_operand *filter = dequantise(m, bytes(m, I8, SHAPE(6, 1, 3, 3)), scales(m, ONES_4, 0.002f),
                                     zero_points(m, I8, ONES_4, 0));
  options.groups = 6;
  m->failed |= webnn_conv2d(m->builder, x, filter, &options, &y) != WEBNN_OK;
  return y;
}
static webnn_operand *a_convolution_of_scaled_channels(
    maker *m) { /* sums of products of different scales: it stays */
  webnn_operand *scale = scales(m, SHAPE(1, 6, 1, 1), 0.04f),
                *zero = zero_points(m, U8, SHAPE(1, 6, 1, 1), 100);
  webnn_operand *x = dequantise(m, quantise(m, plane(m), scale, zero), scale, zero);
  return conv2d_of(m, x, filter_by_channel(m));
}
static webnn_operand *weights(maker *m, size_t rank, const uint32_t *shape, size_t scale_rank,
                              const uint32_t *scale) {
  return dequantise(m, bytes(m, I8, rank, shape), scales(m, scale_rank, scale, 0.004f),
                    zero_points(m, I8, scale_rank, scale, 1));
}
static webnn_operand *a_product(maker *m) {
  webnn_operand *x = matrix(m, row(m), 0.05f);
  return matrix(m, matmul_of(m, x, weights(m, SHAPE(8, 5), SHAPE(1, 5))), STEP);
}
static webnn_operand *a_product_of_scaled_rows(
    maker *m) { /* the scales of the depth don't factor out: it stays */
  webnn_operand *x = matrix(m, row(m), 0.05f);
  return matmul_of(m, x, weights(m, SHAPE(8, 5), SHAPE(8, 1)));
}
static webnn_operand *a_gemm(maker *m) {
  webnn_gemm_options options = WEBNN_GEMM_OPTIONS_INIT;
  webnn_operand *y = NULL;
  options.alpha = 0.5;
  options.beta = -2;
  options.b_transpose = true;
  options.c = constant(m, SHAPE(5), 0.25f);
  webnn_operand *x = matrix(m, row(m), 0.05f), *w = weights(m, SHAPE(5, 8), SHAPE(5, 1));
  m->failed |= webnn_gemm(m->builder, x, w, &options, &y) != WEBNN_OK;
  return y;
}
static webnn_operand *a_gemm_with_a_column(maker *m) { /* no bias: it stays */
  webnn_gemm_options options = WEBNN_GEMM_OPTIONS_INIT;
  webnn_operand *y = NULL;
  options.c = constant(m, SHAPE(3, 1), 0.25f);
  webnn_operand *x = matrix(m, row(m), 0.05f), *w = weights(m, SHAPE(8, 5), SHAPE(1, 5));
  m->failed |= webnn_gemm(m->builder, x, w, &options, &y) != WEBNN_OK;
  return y;
}

static webnn_operand *reshape(maker *m, webnn_operand *x, size_t rank, const uint32_t *shape) {
  webnn_operand *out = NULL;
  m->failed |= webnn_reshape(m->builder, x, shape, rank, NULL, &out) != WEBNN_OK;
  return out;
}
static webnn_operand *cast(maker *m, webnn_operand *x, webnn_data_type type) {
  webnn_operand *out = NULL;
  m->failed |= webnn_cast(m->builder, x, type, NULL, &out) != WEBNN_OK;
  return out;
}
static webnn_operand *reduce(maker *m, webnn_operand *x, bool up) {
  webnn_operand *out = NULL;
  m->failed |= (up ? webnn_reduce_max : webnn_reduce_min)(m->builder, x, NULL, &out) != WEBNN_OK;
  return out;
}
static webnn_operand *bytes_of(maker *m, webnn_operand *x) {
  webnn_clamp_options options = WEBNN_CLAMP_OPTIONS_INIT;
  webnn_operand *out = NULL;
  options.min_value = (webnn_number){WEBNN_NUMBER_DOUBLE, {.f = 0}};
  options.max_value = (webnn_number){WEBNN_NUMBER_DOUBLE, {.f = 255}};
  m->failed |= webnn_clamp(m->builder, x, &options, &out) != WEBNN_OK;
  return cast(m, out, U8);
}

/* The range of x, 0 included, on so many steps, as ONNX defines DynamicQuantizeLinear with 255 of
 * them. */
static webnn_operand *dynamic(maker *m, webnn_operand *x, double n_steps, webnn_operand **scale,
                              webnn_operand **zero) {
  webnn_operand *high = max_of(m, reduce(m, x, true), number(m, 0)),
                *low = min_of(m, reduce(m, x, false), number(m, 0));
  webnn_operand *step = div_of(m, sub_of(m, high, low), number(m, n_steps));
  webnn_operand *none = equal_of(m, step, number(m, 0));
  m->failed |= webnn_where(m->builder, none, number(m, 1), step, NULL, scale) != WEBNN_OK;
  *zero = bytes_of(m, round_even_of(m, sub_of(m, number(m, 0), div_of(m, low, *scale))));
  webnn_operand *scale_4 = reshape(m, *scale, ONES_4), *zero_4 = reshape(m, *zero, ONES_4);
  return quantise(m, x, scale_4, zero_4);
}
/* ConvInteger, an integer bias, the scale. */
static webnn_operand *a_dynamic_convolution(maker *m) {
  webnn_operand *scale = NULL, *zero = NULL, *q = dynamic(m, plane(m), 255, &scale, &zero);
  webnn_operand *x = dequantise(m, q, scales(m, ONES_4, 1), reshape(m, zero, ONES_4));
  webnn_operand *w = dequantise(m, bytes(m, U8, SHAPE(4, 6, 3, 3)), scales(m, ONES_4, 1),
                                zero_points(m, U8, ONES_4, 120));
  webnn_operand *sums = cast(m, round_even_of(m, conv2d_of(m, x, w)), I32);
  webnn_operand *bias = cast(m, mul_of(m, constant(m, SHAPE(1, 4, 1, 1), -2), number(m, 64)), I32);
  webnn_operand *y = cast(m, add_of(m, sums, bias), F32);
  webnn_operand *by = mul_of(m, scale, number(m, 0.01));
  return relu_of(m, mul_of(m, y, by));
}
static webnn_operand *a_range_on_other_steps(maker *m) { /* not what ONNX defines: it stays */
  webnn_operand *scale = NULL, *zero = NULL, *q = dynamic(m, plane(m), 254, &scale, &zero);
  scale = reshape(m, scale, ONES_4), zero = reshape(m, zero, ONES_4);
  return dequantise(m, q, scale, zero);
}

static webnn_operand *a_pool_between_bytes(maker *m) {
  return image_floats(m, image_bytes(m, max_pool2d_of(m, image(m, plane(m), 0.05f)), 0.05f), 0.05f);
}
static webnn_operand *a_pool_of_other_steps(maker *m) { /* the bytes change: quantised again */
  return image(m, max_pool2d_of(m, image(m, plane(m), 0.05f)), 0.1f);
}
static webnn_operand *moved_to_another_rank(maker *m) {
  webnn_operand *x = reshape(m, image(m, plane(m), 0.05f), SHAPE(6, 25));
  return relu_of(m, transpose_of(m, x));
}
static webnn_operand *joined(maker *m, float first, float second) {
  webnn_operand *x = plane(m), *out = NULL;
  webnn_operand *one = image(m, x, first), *other = image(m, relu_of(m, x), second),
                *parts[2] = {one, other};
  m->failed |=
      webnn_concat(m->builder, (const webnn_operand *const *)parts, 2, 1, NULL, &out) != WEBNN_OK;
  return image(m, out, first);
}
static webnn_operand *a_concat_of_equals(maker *m) { return joined(m, 0.05f, 0.05f); }
static webnn_operand *a_concat_of_others(maker *m) { return joined(m, 0.05f, 0.04f); }

/* A network of 5 units over the 6 rows of 10, whose weights lie around `zero`: so much, that not all of them are a
 * signed byte from it, for 0. */
static webnn_operand *a_network(maker *m, uint32_t directions, webnn_data_type type, int zero, bool by_row) {
  webnn_lstm_options options = WEBNN_LSTM_OPTIONS_INIT;
  webnn_operand *outputs[3] = {NULL}, *x = reshape(m, plane(m), SHAPE(3, 5, 10));
  const uint32_t spread[] = {directions, by_row ? 20 : 1, 1};
  webnn_operand *w = dequantise(m, bytes(m, type, SHAPE(directions, 20, 10)), scales(m, 3, spread, 0.002f),
                                zero_points(m, type, 3, spread, zero));
  webnn_operand *r = dequantise(m, bytes(m, type, SHAPE(directions, 20, 5)), scales(m, 3, spread, 0.003f),
                                zero_points(m, type, 3, spread, zero));
  size_t n = 3;
  options.bias = constant(m, SHAPE(directions, 20), -0.5f);
  options.return_sequence = true;
  options.direction = directions == 2 ? WEBNN_RECURRENT_NETWORK_DIRECTION_BOTH : WEBNN_RECURRENT_NETWORK_DIRECTION_BACKWARD;
  m->failed |= webnn_lstm(m->builder, x, w, r, 3, 5, &options, outputs, &n) != WEBNN_OK;
  return outputs[2];
}
static webnn_operand *a_network_of_bytes(maker *m) { return a_network(m, 1, I8, 0, true); }
static webnn_operand *a_network_of_unsigned_bytes(maker *m) { return a_network(m, 2, U8, 128, false); }
static webnn_operand *a_network_of_nine_bits(maker *m) { return a_network(m, 2, U8, 3, true); }

#define ROW(graph, step, expected) {#graph, graph, step, expected}
static const struct {
  const char *name;
  webnn_operand *(*make)(maker *);
  float step; /* that rounding may differ by */
  const char *expected;
} rows[] = {
    ROW(a_convolution, STEP,
        "quantize_linear conv2d_integer relu quantize_linear dequantize_linear"),
    ROW(a_convolution_of_unsigned_weights, 0, "quantize_linear conv2d_integer"),
    ROW(a_convolution_with_all, STEP,
        "quantize_linear conv2d_integer add relu quantize_linear dequantize_linear"),
    ROW(a_depthwise_convolution, 0, "dequantize_linear quantize_linear dequantize_linear conv2d"),
    ROW(a_convolution_of_scaled_channels, 0,
        "dequantize_linear quantize_linear dequantize_linear conv2d"),
    ROW(a_product, STEP, "quantize_linear matmul_integer quantize_linear dequantize_linear"),
    ROW(a_product_of_scaled_rows, 0, "dequantize_linear quantize_linear dequantize_linear matmul"),
    ROW(a_gemm, 0, "quantize_linear matmul_integer"),
    ROW(a_gemm_with_a_column, 0, "dequantize_linear quantize_linear dequantize_linear gemm"),
    ROW(a_dynamic_convolution, 0,
        "dynamic_quantize mul mul cast reshape conv2d_integer cast add mul relu"),
    ROW(a_range_on_other_steps, 0,
        "reduce_min min reduce_max max sub div equal where div sub round_even clamp cast reshape "
        "reshape reshape "
        "reshape quantize_linear dequantize_linear"),
    ROW(a_pool_between_bytes, 0, "quantize_linear max_pool2d dequantize_linear"),
    ROW(a_pool_of_other_steps, 0,
        "quantize_linear max_pool2d dequantize_linear quantize_linear dequantize_linear"),
    ROW(moved_to_another_rank, 0, "quantize_linear reshape transpose dequantize_linear relu"),
    ROW(a_concat_of_equals, 0, "relu quantize_linear quantize_linear concat dequantize_linear"),
    ROW(a_network_of_bytes, 0, "reshape lstm_integer"),
    ROW(a_network_of_unsigned_bytes, 0, "reshape lstm_integer"),
    ROW(a_network_of_nine_bits, 0, "dequantize_linear dequantize_linear reshape lstm"),
    ROW(a_concat_of_others, 0.05f,
        "relu quantize_linear dequantize_linear quantize_linear dequantize_linear concat "
        "quantize_linear "
        "dequantize_linear"),
};

TEST(integers_are_found) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CONTEXT("%s", rows[i].name);
    check_operations("quantise", rows[i].make, rows[i].expected);
  }
  CONTEXT("%s", "");
}

TEST(integers_compute_the_same) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CONTEXT("%s", rows[i].name);
    check_numbers("reference", rows[i].make, rows[i].step);
    check_numbers("auto", rows[i].make, rows[i].step);
  }
  CONTEXT("%s", "");
}

/* How many steps the built graph has tells whether its passes have run. */
static size_t built_steps(const char *switches) {
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_context *context = NULL;
  webnn_future *future = NULL;
  maker m = {NULL, false};
  options.backend = "reference";
  options.passes = switches;
  CHECK_STATUS(webnn_context_create(&options, &context, NULL), WEBNN_OK);
  CHECK_STATUS(webnn_builder_create(context, &m.builder, NULL), WEBNN_OK);
  webnn_named_operand y = {WEBNN_STR("y"), a_gemm(&m)};
  CHECK_STATUS(webnn_builder_build(m.builder, &y, 1, &future), WEBNN_OK);
  webnn_future_wait(future, -1);
  const size_t n = webnn_graph_n_steps(webnn_future_graph(future));
  webnn_future_release(future);
  webnn_builder_release(m.builder);
  webnn_context_release(context);
  return n;
}

TEST(a_switch_leaves_floats) {
  CHECK(built_steps(NULL) == 2);
  CHECK(built_steps("-quantise") == 3);
}

int main(int argc, char **argv) {
  return harness_main(argc, argv,
                      (harness_test[]){RUN(integers_are_found),
                                       RUN(integers_compute_the_same),
                                       RUN(a_switch_leaves_floats),
                                       {NULL, NULL}});
}
