/* What webnn-native's users know, as extensions: activations as options, autoPad, squeeze,
 * symmetric padding, lists of outputs, blocking builds. All through the typed functions, with
 * values worked out by hand or by the formulas of the specification. */
#include "runtime.h"

#include <math.h>

/* ---- running a graph of one input */

typedef struct shape {
  size_t rank;
  uint32_t dims[4];
} shape;

typedef struct bench {
  webnn_context *context;
  webnn_builder *builder;
  webnn_operand *x;
} bench;

static bench open_bench(shape of) {
  bench b = {.context = make_context()};
  webnn_descriptor descriptor = {WEBNN_DATA_TYPE_FLOAT32, of.rank, of.dims};
  CHECK_STATUS(webnn_builder_create(b.context, &b.builder, NULL), WEBNN_OK);
  CHECK_STATUS(webnn_builder_input(b.builder, WEBNN_STR("x"), &descriptor, &b.x), WEBNN_OK);
  return b;
}

static void close_bench(bench *b) {
  webnn_builder_release(b->builder);
  webnn_context_release(b->context);
}

static webnn_operand *constant(const bench *b, shape of, const float *data) {
  size_t n = 1;
  webnn_operand *out = NULL;
  webnn_descriptor descriptor = {WEBNN_DATA_TYPE_FLOAT32, of.rank, of.dims};
  for (size_t i = 0; i < of.rank; i++) n *= of.dims[i];
  CHECK_STATUS(webnn_builder_constant(b->builder, &descriptor, data, n * sizeof *data, &out),
               WEBNN_OK);
  return out;
}

static size_t elements(const webnn_operand *operand) {
  webnn_descriptor d = webnn_operand_descriptor(operand);
  size_t n = 1;
  for (size_t i = 0; i < d.rank; i++) n *= d.shape[i];
  return n;
}

/* Builds the graph of `y` and runs it on `x`. */
static void run(const bench *b, const webnn_operand *y, float *x, float *out) {
  webnn_named_operand output = {WEBNN_STR("y"), y};
  webnn_named_data in = {WEBNN_STR("x"), x, elements(b->x) * sizeof *x};
  webnn_named_data into = {WEBNN_STR("y"), out, elements(y) * sizeof *out};
  webnn_graph *graph = NULL;
  if (!CHECK_STATUS(webnn_builder_build_sync(b->builder, &output, 1, &graph), WEBNN_OK)) return;
  CHECK_STATUS(webnn_graph_compute(b->context, graph, &in, 1, &into, 1, NULL), WEBNN_OK);
  webnn_graph_release(graph);
}

static void check_values(const float *values, const float *expected, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!CHECK(fabsf(values[i] - expected[i]) <= 1e-6f * (1 + fabsf(expected[i]))))
      printf("    element %zu is %g, expected %g\n", i, (double)values[i], (double)expected[i]);
}

/* ---- activations */

static double none(double x) { return x; }
static double relu(double x) { return x > 0 ? x : 0; }
static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double clamp_m1_2(double x) { return x < -1 ? -1 : x > 2 ? 2 : x; }
static double at_most_2(double x) { return x > 2 ? 2 : x; }
static double leaky_100th(double x) { return x >= 0 ? x : 0.01 * x; }
static double leaky_quarter(double x) { return x >= 0 ? x : 0.25 * x; }
static double unit(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }
static double hard_sigmoid(double x) { return unit(0.2 * x + 0.5); }
static double hard_sigmoid_1_2(double x) { return unit(x - 2); }
static double hard_swish(double x) { return x * unit(x / 6 + 0.5); }
static double elu_1(double x) { return x > 0 ? x : exp(x) - 1; }
static double elu_3(double x) { return x > 0 ? x : 3 * (exp(x) - 1); }
static double gelu(double x) { return 0.5 * x * (1 + erf(x / sqrt(2))); }
static double softplus(double x) { return log(1 + exp(x)); }
static double softsign(double x) { return x / (1 + fabs(x)); }
static double linear_3_1(double x) { return 3 * x + 1; }

#define GIVEN(x)                      \
  {                                   \
    WEBNN_NUMBER_DOUBLE, { .f = (x) } \
  }
#define PLAIN(id, fn) {.activation = WEBNN_ACTIVATION_##id, .formula = fn}
#define WITH(id, fn, ...) {.activation = WEBNN_ACTIVATION_##id, .formula = fn, __VA_ARGS__}

static const struct activation_row {
  webnn_activation activation;
  double (*formula)(double x);
  webnn_number alpha, beta, min_value, max_value;
} activation_rows[] = {
    PLAIN(NONE, none),
    PLAIN(RELU, relu),
    PLAIN(SIGMOID, sigmoid),
    PLAIN(TANH, tanh),
    PLAIN(CLAMP, none),
    WITH(CLAMP, clamp_m1_2, .min_value = GIVEN(-1), .max_value = GIVEN(2)),
    WITH(CLAMP, at_most_2, .max_value = {WEBNN_NUMBER_INT64, {.i = 2}}),
    PLAIN(LEAKY_RELU, leaky_100th),
    WITH(LEAKY_RELU, leaky_quarter, .alpha = GIVEN(0.25)),
    PLAIN(HARD_SIGMOID, hard_sigmoid),
    WITH(HARD_SIGMOID, hard_sigmoid_1_2, .alpha = GIVEN(1), .beta = GIVEN(-2)),
    PLAIN(HARD_SWISH, hard_swish),
    PLAIN(ELU, elu_1),
    WITH(ELU, elu_3, .alpha = GIVEN(3)),
    PLAIN(GELU, gelu),
    PLAIN(SOFTPLUS, softplus),
    PLAIN(SOFTSIGN, softsign),
    PLAIN(LINEAR, none),
    WITH(LINEAR, linear_3_1, .alpha = GIVEN(3), .beta = GIVEN(1)),
};
#define N_ACTIVATION_ROWS (sizeof activation_rows / sizeof activation_rows[0])

/* The three operations that have activations, made so that without one they double their input. */
#define SET_ACTIVATION(options, row)                   \
  do {                                                 \
    (options).label = WEBNN_STR("stem");               \
    (options).activation = (row)->activation;          \
    (options).activation_alpha = (row)->alpha;         \
    (options).activation_beta = (row)->beta;           \
    (options).activation_min_value = (row)->min_value; \
    (options).activation_max_value = (row)->max_value; \
  } while (0)

static webnn_status conv2d(const bench *b, const struct activation_row *row, webnn_operand **out) {
  webnn_conv2d_options options = WEBNN_CONV2D_OPTIONS_INIT;
  webnn_operand *filter = constant(b, (shape){4, {1, 1, 1, 1}}, (float[]){2});
  SET_ACTIVATION(options, row);
  return webnn_conv2d(b->builder, b->x, filter, &options, out);
}

static webnn_status conv_transpose2d(const bench *b, const struct activation_row *row,
                                     webnn_operand **out) {
  webnn_conv_transpose2d_options options = WEBNN_CONV_TRANSPOSE2D_OPTIONS_INIT;
  webnn_operand *filter = constant(b, (shape){4, {1, 1, 1, 1}}, (float[]){2});
  SET_ACTIVATION(options, row);
  return webnn_conv_transpose2d(b->builder, b->x, filter, &options, out);
}

static webnn_status batch_normalization(const bench *b, const struct activation_row *row,
                                        webnn_operand **out) {
  webnn_batch_normalization_options options = WEBNN_BATCH_NORMALIZATION_OPTIONS_INIT;
  webnn_operand *mean = constant(b, (shape){1, {1}}, (float[]){0});
  webnn_operand *variance = constant(b, (shape){1, {1}}, (float[]){0.25f});
  options.epsilon = 0;
  SET_ACTIVATION(options, row);
  return webnn_batch_normalization(b->builder, b->x, mean, variance, &options, out);
}

static const struct host_row {
  const char *name;
  webnn_status (*add)(const bench *b, const struct activation_row *row, webnn_operand **out);
} hosts[] = {
    {"conv2d", conv2d},
    {"conv_transpose2d", conv_transpose2d},
    {"batch_normalization", batch_normalization},
};
#define N_HOSTS (sizeof hosts / sizeof hosts[0])

static const shape plane = {4, {1, 1, 2, 4}};
enum { N_PLANE = 8 };

TEST(activations_are_applied) {
  float x[N_PLANE] = {-4, -1.5f, -0.75f, -0.125f, 0, 0.25f, 1, 3.5f};
  for (size_t i = 0; i < N_HOSTS * N_ACTIVATION_ROWS; i++) {
    const struct host_row *host = &hosts[i / N_ACTIVATION_ROWS];
    const struct activation_row *row = &activation_rows[i % N_ACTIVATION_ROWS];
    float y[N_PLANE] = {0}, expected[N_PLANE];
    webnn_operand *out = NULL;
    CONTEXT("%s, row %zu", host->name, i % N_ACTIVATION_ROWS);
    bench b = open_bench(plane);
    if (CHECK_STATUS(host->add(&b, row, &out), WEBNN_OK)) {
      webnn_str label = webnn_operand_label(out);
      CHECK(label.size == 4 && memcmp(label.data, "stem", 4) == 0);
      for (size_t k = 0; k < N_PLANE; k++) expected[k] = (float)row->formula(2 * (double)x[k]);
      run(&b, out, x, y);
      check_values(y, expected, N_PLANE);
    }
    close_bench(&b);
  }
}

static const struct wrong_row {
  struct activation_row row;
  const char *message; /* %s: the operation's name */
} wrong_rows[] = {
    {WITH(RELU, none, .alpha = GIVEN(1)),
     "[stem] %s: activationAlpha is given, which activation relu has no use for"},
    {WITH(ELU, none, .alpha = GIVEN(1), .beta = GIVEN(1)),
     "[stem] %s: activationBeta is given, which activation elu has no use for"},
    {WITH(LINEAR, none, .min_value = GIVEN(1)),
     "[stem] %s: activationMinValue is given, which activation linear has no use for"},
    {WITH(NONE, none, .max_value = GIVEN(1)),
     "[stem] %s: activationMaxValue is given, which activation none has no use for"},
    {{.activation = (webnn_activation)13, .formula = none},
     "[stem] %s: activation has no value number 13"},
    {WITH(CLAMP, none, .min_value = GIVEN(2), .max_value = GIVEN(1)), "[stem] clamp: "},
};

TEST(activations_are_checked) {
  for (size_t i = 0; i < N_HOSTS * (sizeof wrong_rows / sizeof wrong_rows[0]); i++) {
    const struct host_row *host = &hosts[i % N_HOSTS];
    const struct wrong_row *wrong = &wrong_rows[i / N_HOSTS];
    char expected[128];
    float x[N_PLANE] = {0}, y[N_PLANE];
    webnn_operand *out = NULL;
    CONTEXT("%s, row %zu", host->name, i / N_HOSTS);
    bench b = open_bench(plane);
    CHECK_STATUS(host->add(&b, &wrong->row, &out), WEBNN_ERROR_TYPE);
    CHECK(out == NULL);
    snprintf(expected, sizeof expected, wrong->message, host->name);
    const char *message = webnn_builder_error(b.builder)->message;
    if (!CHECK(strncmp(message, expected, strlen(expected)) == 0)) printf("    is %s\n", message);
    CHECK_STATUS(host->add(&b, &activation_rows[1], &out), WEBNN_OK); /* the builder goes on */
    run(&b, out, x, y);
    close_bench(&b);
  }
}

/* What a caller of an older library has behind its struct isn't read. */
TEST(older_options_have_no_activation) {
  webnn_conv2d_options options = WEBNN_CONV2D_OPTIONS_INIT;
  float x[N_PLANE] = {-4, 4}, y[N_PLANE];
  webnn_operand *out = NULL;
  bench b = open_bench(plane);
  webnn_operand *filter = constant(&b, (shape){4, {1, 1, 1, 1}}, (float[]){1});
  options.struct_size = offsetof(webnn_conv2d_options, activation);
  options.activation = WEBNN_ACTIVATION_RELU;
  CHECK_STATUS(webnn_conv2d(b.builder, b.x, filter, &options, &out), WEBNN_OK);
  run(&b, out, x, y);
  check_values(y, x, N_PLANE);
  close_bench(&b);
}

/* ---- autoPad: a filter of ones over [1 2 3 4; 5 6 7 8], so that windows are sums */

static float ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
static float counting[N_PLANE] = {1, 2, 3, 4, 5, 6, 7, 8};

static const struct pad_row {
  const char *name;
  webnn_auto_pad auto_pad;
  uint32_t filter[2], stride;
  shape out;
  float expected[N_PLANE];
} pad_rows[] = {
    {"explicit", WEBNN_AUTO_PAD_EXPLICIT, {2, 2}, 1, {4, {1, 1, 1, 3}}, {14, 18, 22}},
    {"upper",
     WEBNN_AUTO_PAD_SAME_UPPER,
     {2, 2},
     1,
     {4, {1, 1, 2, 4}},
     {14, 18, 22, 12, 11, 13, 15, 8}},
    {"lower", WEBNN_AUTO_PAD_SAME_LOWER, {2, 2}, 1, {4, {1, 1, 2, 4}}, {1, 3, 5, 7, 6, 14, 18, 22}},
    {"upper, strided", WEBNN_AUTO_PAD_SAME_UPPER, {3, 3}, 2, {4, {1, 1, 1, 2}}, {24, 22}},
    {"lower, strided", WEBNN_AUTO_PAD_SAME_LOWER, {3, 3}, 2, {4, {1, 1, 1, 2}}, {14, 30}},
};

static void check_shape(const webnn_operand *operand, shape expected) {
  webnn_descriptor d = webnn_operand_descriptor(operand);
  CHECK(d.rank == expected.rank);
  for (size_t i = 0; i < d.rank && i < expected.rank; i++) CHECK(d.shape[i] == expected.dims[i]);
}

TEST(convolutions_pad_by_themselves) {
  for (size_t i = 0; i < sizeof pad_rows / sizeof pad_rows[0]; i++) {
    const struct pad_row *row = &pad_rows[i];
    webnn_conv2d_options options = WEBNN_CONV2D_OPTIONS_INIT;
    uint32_t strides[2] = {row->stride, row->stride};
    float y[N_PLANE];
    webnn_operand *out = NULL;
    CONTEXT("%s", row->name);
    bench b = open_bench(plane);
    webnn_operand *filter = constant(&b, (shape){4, {1, 1, row->filter[0], row->filter[1]}}, ones);
    options.auto_pad = row->auto_pad;
    options.strides = strides;
    options.n_strides = 2;
    if (CHECK_STATUS(webnn_conv2d(b.builder, b.x, filter, &options, &out), WEBNN_OK)) {
      check_shape(out, row->out);
      run(&b, out, counting, y);
      check_values(y, row->expected, elements(out));
    }
    close_bench(&b);
  }
}

TEST(pools_pad_by_themselves) {
  const uint32_t window[2] = {1, 2};
  const float upper[] = {2, 3, 4, 4, 6, 7, 8, 8}, lower[] = {1, 2, 3, 4, 5, 6, 7, 8};
  for (int is_upper = 0; is_upper < 2; is_upper++) {
    webnn_pool2d_options options = WEBNN_POOL2D_OPTIONS_INIT;
    float y[N_PLANE];
    webnn_operand *out = NULL;
    bench b = open_bench(plane);
    options.window_dimensions = window;
    options.n_window_dimensions = 2;
    options.auto_pad = is_upper ? WEBNN_AUTO_PAD_SAME_UPPER : WEBNN_AUTO_PAD_SAME_LOWER;
    CHECK_STATUS(webnn_max_pool2d(b.builder, b.x, &options, &out), WEBNN_OK);
    check_shape(out, plane);
    run(&b, out, counting, y);
    check_values(y, is_upper ? upper : lower, N_PLANE);
    close_bench(&b);
  }
}

/* A stride of 2 over [1 2], a filter of three ones: 1 1 1+2 2 2, of which the last or the first
 * goes. */
TEST(transposed_convolutions_pad_by_themselves) {
  const uint32_t strides[2] = {1, 2};
  const float upper[] = {1, 1, 3, 2}, lower[] = {1, 3, 2, 2};
  for (int is_upper = 0; is_upper < 2; is_upper++) {
    webnn_conv_transpose2d_options options = WEBNN_CONV_TRANSPOSE2D_OPTIONS_INIT;
    float y[4];
    webnn_operand *out = NULL;
    bench b = open_bench((shape){4, {1, 1, 1, 2}});
    webnn_operand *filter = constant(&b, (shape){4, {1, 1, 1, 3}}, ones);
    options.strides = strides;
    options.n_strides = 2;
    options.auto_pad = is_upper ? WEBNN_AUTO_PAD_SAME_UPPER : WEBNN_AUTO_PAD_SAME_LOWER;
    CHECK_STATUS(webnn_conv_transpose2d(b.builder, b.x, filter, &options, &out), WEBNN_OK);
    check_shape(out, (shape){4, {1, 1, 1, 4}});
    run(&b, out, counting, y);
    check_values(y, is_upper ? upper : lower, 4);
    close_bench(&b);
  }
}

/* ---- squeeze, symmetric padding */

TEST(squeeze_drops_axes) {
  static const struct {
    uint32_t axes[2];
    size_t n_axes;
    bool given;
    shape out;
  } rows[] = {
      {{0, 0}, 0, false, {2, {2, 4}}},
      {{0, 0}, 1, true, {3, {1, 2, 4}}},
      {{1, 0}, 2, true, {2, {2, 4}}},
      {{0, 0}, 0, true, {4, {1, 1, 2, 4}}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    webnn_squeeze_options options = WEBNN_SQUEEZE_OPTIONS_INIT;
    float y[N_PLANE];
    webnn_operand *out = NULL;
    CONTEXT("row %zu", i);
    bench b = open_bench(plane);
    options.axes = rows[i].given ? rows[i].axes : NULL;
    options.n_axes = rows[i].n_axes;
    CHECK_STATUS(webnn_squeeze(b.builder, b.x, &options, &out), WEBNN_OK);
    check_shape(out, rows[i].out);
    run(&b, out, counting, y);
    check_values(y, counting, N_PLANE);
    close_bench(&b);
  }
}

TEST(padding_can_be_symmetric) {
  const uint32_t beginning[] = {2, 0}, ending[] = {1, 3};
  const float expected[] = {4, 5, 6, 6, 5, 4, 1, 2, 3, 3, 2, 1, 1, 2, 3,
                            3, 2, 1, 4, 5, 6, 6, 5, 4, 4, 5, 6, 6, 5, 4};
  float x[] = {1, 2, 3, 4, 5, 6}, y[30];
  webnn_pad_options options = WEBNN_PAD_OPTIONS_INIT;
  webnn_operand *out = NULL;
  bench b = open_bench((shape){2, {2, 3}});
  options.mode = WEBNN_PADDING_MODE_SYMMETRIC;
  CHECK_STATUS(webnn_pad(b.builder, b.x, beginning, 2, ending, 2, &options, &out), WEBNN_OK);
  check_shape(out, (shape){2, {5, 6}});
  run(&b, out, x, y);
  check_values(y, expected, 30);
  close_bench(&b);
}

/* ---- several outputs */

TEST(lists_of_outputs_tell_their_number) {
  const uint32_t splits[] = {1, 3};
  const float expected[] = {2, 3, 4, 6, 7, 8};
  float y[6];
  webnn_split_options options = WEBNN_SPLIT_OPTIONS_INIT;
  bench b = open_bench(plane);
  webnn_operand *outs[3] = {b.x, b.x, b.x};
  size_t n_outs = 1;
  options.axis = 3;
  options.label = WEBNN_STR("halves");
  CHECK_STATUS(webnn_split(b.builder, b.x, splits, 2, &options, outs, &n_outs), WEBNN_ERROR_TYPE);
  CHECK(n_outs == 0 && outs[0] == NULL && outs[1] == b.x);
  CHECK_STR(webnn_builder_error(b.builder)->message,
            "[halves] split: gives 2 operands, there is room for 1");
  n_outs = 3;
  CHECK_STATUS(webnn_split(b.builder, b.x, splits, 2, &options, outs, &n_outs), WEBNN_OK);
  if (REQUIRE(n_outs == 2)) {
    CHECK(outs[2] == NULL);
    check_shape(outs[0], (shape){4, {1, 1, 2, 1}});
    check_shape(outs[1], (shape){4, {1, 1, 2, 3}});
    run(&b, outs[1], counting, y);
    check_values(y, expected, 6);
  }
  close_bench(&b);
}

/* lstm gives two outputs, and the sequence as a third when asked; gru one or two; lstmCell two. */
TEST(recurrent_operations_give_lists) {
  static const float weights[16] = {0};
  for (int sequence = 0; sequence < 2; sequence++) {
    webnn_lstm_options lstm = WEBNN_LSTM_OPTIONS_INIT;
    webnn_gru_options gru = WEBNN_GRU_OPTIONS_INIT;
    webnn_operand *outs[4], *reshaped = NULL;
    size_t n_outs = 4;
    bench b = open_bench((shape){3, {5, 2, 1}});
    const uint32_t cell_shape[] = {10, 1};
    lstm.return_sequence = gru.return_sequence = sequence != 0;
    webnn_operand *four = constant(&b, (shape){3, {1, 4, 1}}, weights);
    webnn_operand *three = constant(&b, (shape){3, {1, 3, 1}}, weights);
    CHECK_STATUS(webnn_lstm(b.builder, b.x, four, four, 5, 1, &lstm, outs, &n_outs), WEBNN_OK);
    CHECK(n_outs == (sequence ? 3u : 2u));
    check_shape(outs[0], (shape){3, {1, 2, 1}});
    check_shape(outs[1], (shape){3, {1, 2, 1}});
    if (sequence) check_shape(outs[2], (shape){4, {5, 1, 2, 1}});
    n_outs = 4;
    CHECK_STATUS(webnn_gru(b.builder, b.x, three, three, 5, 1, &gru, outs, &n_outs), WEBNN_OK);
    CHECK(n_outs == (sequence ? 2u : 1u));
    n_outs = 4;
    webnn_operand *w = constant(&b, (shape){2, {4, 1}}, weights);
    CHECK_STATUS(webnn_reshape(b.builder, b.x, cell_shape, 2, NULL, &reshaped), WEBNN_OK);
    CHECK_STATUS(
        webnn_lstm_cell(b.builder, reshaped, w, w, reshaped, reshaped, 1, NULL, outs, &n_outs),
        WEBNN_OK);
    CHECK(n_outs == 2 && outs[2] == NULL);
    close_bench(&b);
  }
}

/* ---- blocking builds */

TEST(builds_can_be_waited_for) {
  webnn_graph *graph = NULL;
  bench b = open_bench(plane);
  webnn_named_operand input = {WEBNN_STR("y"), b.x};
  CHECK_STATUS(webnn_builder_build_sync(b.builder, &input, 1, &graph), WEBNN_ERROR_TYPE);
  CHECK(graph == NULL);
  CHECK_STR(webnn_builder_error(b.builder)->message,
            "build: output 'y' is an input; use identity to expose it");
  webnn_operand *y = NULL;
  CHECK_STATUS(webnn_relu(b.builder, b.x, NULL, &y), WEBNN_OK);
  webnn_named_operand output = {WEBNN_STR("y"), y};
  CHECK_STATUS(webnn_builder_build_sync(b.builder, &output, 1, &graph), WEBNN_OK);
  CHECK(graph != NULL && webnn_graph_n_outputs(graph) == 1);
  webnn_graph_release(graph);
  CHECK_STATUS(webnn_builder_build_sync(b.builder, &output, 1, &graph), WEBNN_ERROR_INVALID_STATE);
  close_bench(&b);
}

TEST(blocking_builds_fail_with_what_the_device_says) {
  webnn_graph *graph = NULL;
  webnn_operand *y = NULL;
  bench b = open_bench(plane);
  CHECK_STATUS(webnn_relu(b.builder, b.x, NULL, &y), WEBNN_OK);
  webnn_named_operand output = {WEBNN_STR("y"), y};
  atomic_store(&fake.fails, true);
  CHECK_STATUS(webnn_builder_build_sync(b.builder, &output, 1, &graph), WEBNN_ERROR_OPERATION);
  CHECK(graph == NULL);
  CHECK_STR(webnn_builder_error(b.builder)->message, "build: refused");
  CHECK(webnn_builder_error(b.builder)->status == WEBNN_ERROR_OPERATION);
  close_bench(&b);
}

static webnn_status built_on_the_worker;

static void build_on_the_worker(webnn_future *future, void *ud) {
  const bench *b = ud;
  webnn_graph *graph = NULL;
  (void)future;
  webnn_named_operand output = {WEBNN_STR("y"), b->x};
  built_on_the_worker = webnn_builder_build_sync(b->builder, &output, 1, &graph);
}

TEST(the_worker_does_not_wait_for_itself) {
  bench b = open_bench(plane);
  fake_close_gate();
  webnn_future *future = start_build(b.context, 4);
  fake_await_gate();
  CHECK_STATUS(webnn_future_on_done(future, build_on_the_worker, &b), WEBNN_OK);
  fake_open_gate();
  webnn_graph *graph = make_graph(b.context, 4); /* comes behind it */
  CHECK_STATUS(built_on_the_worker, WEBNN_ERROR_INVALID_STATE);
  CHECK_STR(webnn_builder_error(b.builder)->message,
            "build: the context's worker can't wait for itself");
  webnn_graph_release(graph);
  webnn_future_release(future);
  close_bench(&b);
}

int main(int argc, char **argv) {
  static const harness_test tests[] = {
      RUN(activations_are_applied),
      RUN(activations_are_checked),
      RUN(older_options_have_no_activation),
      RUN(convolutions_pad_by_themselves),
      RUN(pools_pad_by_themselves),
      RUN(transposed_convolutions_pad_by_themselves),
      RUN(squeeze_drops_axes),
      RUN(padding_can_be_symmetric),
      RUN(lists_of_outputs_tell_their_number),
      RUN(recurrent_operations_give_lists),
      RUN(builds_can_be_waited_for),
      RUN(blocking_builds_fail_with_what_the_device_says),
      RUN(the_worker_does_not_wait_for_itself),
      {NULL, NULL},
  };
  return harness_main(argc, argv, tests);
}
