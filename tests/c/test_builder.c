/* Builders: what each call refuses, and that a refusal leaves the builder as it was. */
#include "runtime.h"

#include <fenv.h>
#include "graph/builder.h"
#ifdef __SSE__
#include <xmmintrin.h>
#endif

typedef struct site {
  webnn_context *context;
  webnn_builder *builder, *other;
  webnn_operand *x, *k, *y, *foreign; /* an input, a constant, a result; of the other builder */
} site;

static webnn_operand *add_input(webnn_builder *builder, const char *name) {
  webnn_descriptor two = floats(&(uint32_t){2});
  webnn_operand *out = NULL;
  webnn_str text = {name, strlen(name)};
  CHECK_STATUS(webnn_builder_input(builder, text, &two, &out), WEBNN_OK);
  return out;
}

static site open_site(void) {
  site s = {.context = make_context()};
  webnn_descriptor two = floats(&(uint32_t){2});
  CHECK_STATUS(webnn_builder_create(s.context, &s.builder, NULL), WEBNN_OK);
  CHECK_STATUS(webnn_builder_create(s.context, &s.other, NULL), WEBNN_OK);
  s.x = add_input(s.builder, "x");
  CHECK_STATUS(webnn_builder_constant(s.builder, &two, (float[]){1, 2}, 8, &s.k), WEBNN_OK);
  CHECK_STATUS(webnn_add(s.builder, s.x, s.k, NULL, &s.y), WEBNN_OK);
  CHECK_STATUS(webnn_relu(s.other, add_input(s.other, "x"), NULL, &s.foreign), WEBNN_OK);
  return s;
}

static void close_site(site *s) {
  webnn_builder_release(s->builder);
  webnn_builder_release(s->other);
  webnn_context_release(s->context);
}

static void check_refusal(const site *s, webnn_status status, webnn_status expected,
                          const char *message) {
  const webnn_error *err = webnn_builder_error(s->builder);
  CHECK_STATUS(status, expected);
  CHECK_STR(err->message, message);
  CHECK(err->status == status);
}

/* The builder still gives its graph. */
static void check_use(const site *s) {
  webnn_named_operand output = {WEBNN_STR("y"), s->y};
  webnn_graph *graph = NULL;
  float x[2] = {3, 4}, y[2] = {0};
  webnn_named_data in = {WEBNN_STR("x"), x, sizeof x}, out = {WEBNN_STR("y"), y, sizeof y};
  if (!CHECK_STATUS(webnn_builder_build_sync(s->builder, &output, 1, &graph), WEBNN_OK)) return;
  CHECK(webnn_graph_n_inputs(graph) == 1);
  CHECK_STATUS(webnn_graph_compute(s->context, graph, &in, 1, &out, 1, NULL), WEBNN_OK);
  CHECK(y[0] == 4 && y[1] == 6);
  webnn_graph_release(graph);
}

/* ---- inputs */

static const struct input_row {
  webnn_str name;
  webnn_data_type type;
  size_t rank;
  uint32_t shape[9];
  const char *message;
} input_rows[] = {
    {{NULL, 0}, WEBNN_DATA_TYPE_FLOAT32, 1, {2}, "input: the name is empty"},
    {{"a\xff", 2}, WEBNN_DATA_TYPE_FLOAT32, 1, {2}, "input: the name 'a\\xff' is not UTF-8"},
    {{"x", 1}, WEBNN_DATA_TYPE_FLOAT32, 1, {2}, "input: the name 'x' is taken"},
    {{"a", 1}, (webnn_data_type)8, 1, {2}, "input 'a': no such data type (8)"},
    {{"a", 1},
     WEBNN_DATA_TYPE_FLOAT32,
     2,
     {2, 0},
     "input 'a': dimension 1 is 0, not in 1..2147483647"},
    {{"a", 1},
     WEBNN_DATA_TYPE_FLOAT32,
     1,
     {2147483648u},
     "input 'a': dimension 0 is 2147483648, not in 1..2147483647"},
    {{"a", 1},
     WEBNN_DATA_TYPE_FLOAT32,
     9,
     {1, 1, 1, 1, 1, 1, 1, 1, 1},
     "input 'a': rank is 9, the limit is 8"},
    {{"a", 1}, WEBNN_DATA_TYPE_INT8, 2, {65536, 32768}, "input 'a': more than 2147483647 elements"},
    {{"a", 1},
     WEBNN_DATA_TYPE_INT64,
     2,
     {32768, 32768},
     "input 'a': 8589934592 bytes, the limit is 4294967295"},
};

TEST(inputs_are_checked) {
  site s = open_site();
  for (size_t i = 0; i < sizeof input_rows / sizeof input_rows[0]; i++) {
    const struct input_row *row = &input_rows[i];
    webnn_descriptor descriptor = {row->type, row->rank, row->shape};
    webnn_operand *out = s.x;
    CONTEXT("row %zu", i);
    check_refusal(&s, webnn_builder_input(s.builder, row->name, &descriptor, &out),
                  WEBNN_ERROR_TYPE, row->message);
    CHECK(out == NULL);
  }
  check_use(&s);
  close_site(&s);
}

/* NUL is a character like others, and no end. */
TEST(names_may_hold_anything_that_is_text) {
  const webnn_str names[] = {{"a\0b", 3}, {"a\0c", 3}, {"\xf0\x9f\x98\x80", 4}, {"a", 1}};
  webnn_descriptor two = floats(&(uint32_t){2});
  webnn_operand *out = NULL;
  site s = open_site();
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    CHECK_STATUS(webnn_builder_input(s.builder, names[i], &two, &out), WEBNN_OK);
    CHECK(wnn_str_equal(webnn_operand_label(out), names[i]));
    CHECK_STATUS(webnn_builder_input(s.builder, names[i], &two, &out), WEBNN_ERROR_TYPE);
  }
  close_site(&s);
}

/* ---- constants */

static void release_too_soon(void *ud) { *(bool *)ud = true; }

TEST(constants_are_checked) {
  const webnn_number one = {WEBNN_NUMBER_DOUBLE, {.f = 1}}, absent = {WEBNN_NUMBER_ABSENT, {0}};
  webnn_descriptor two = floats(&(uint32_t){2}), none = floats(&(uint32_t){0});
  webnn_context *elsewhere = make_context();
  webnn_tensor *constant = NULL, *stranger = NULL;
  float data[2] = {1, 2};
  bool released = false;
  site s = open_site();
  webnn_builder *b = s.builder;
  webnn_operand *out = s.x;
  check_refusal(&s, webnn_builder_constant(b, &two, data, 7, &out), WEBNN_ERROR_TYPE,
                "constant: float32[2] needs 8 bytes, 7 were given");
  CHECK(out == NULL);
  check_refusal(&s, webnn_builder_constant(b, &two, NULL, 8, &out), WEBNN_ERROR_TYPE,
                "constant: float32[2] needs 8 bytes, 0 were given");
  check_refusal(&s, webnn_builder_constant(b, &none, data, 0, &out), WEBNN_ERROR_TYPE,
                "constant: dimension 0 is 0, not in 1..2147483647");
  check_refusal(&s,
                webnn_builder_constant_mapped(b, &two, data, 9, release_too_soon, &released, &out),
                WEBNN_ERROR_TYPE, "constant: float32[2] needs 8 bytes, 9 were given");
  CHECK(!released);
  check_refusal(&s, webnn_builder_constant_number(b, (webnn_data_type)8, one, &out),
                WEBNN_ERROR_TYPE, "constant: no such data type (8)");
  check_refusal(&s, webnn_builder_constant_number(b, WEBNN_DATA_TYPE_INT8, absent, &out),
                WEBNN_ERROR_TYPE, "constant: the value is missing");
  webnn_tensor_create_constant(elsewhere, &two, data, 8, &stranger, NULL);
  check_refusal(&s, webnn_builder_constant_tensor(b, stranger, &out), WEBNN_ERROR_TYPE,
                "constant: the tensor belongs to another context");
  webnn_tensor_create_constant(s.context, &two, data, 8, &constant, NULL);
  webnn_tensor_destroy(constant);
  check_refusal(&s, webnn_builder_constant_tensor(b, constant, &out), WEBNN_ERROR_TYPE,
                "constant: the tensor is destroyed");
  webnn_tensor_release(constant);
  webnn_tensor_release(stranger);
  webnn_context_release(elsewhere);
  check_use(&s);
  close_site(&s);
}

/* A constant whose tensor is destroyed is refused by builds that need it, and by no others; the
 * builder stays open, until then and for what the tensor was good for before. */
TEST(destroyed_constants_are_refused) {
  webnn_descriptor two = floats(&(uint32_t){2});
  webnn_tensor *constant = NULL, *other = NULL;
  webnn_operand *k = NULL, *k2 = NULL, *deep = NULL;
  webnn_graph *graph = NULL;
  site s = open_site();
  CHECK_STATUS(webnn_tensor_create_constant(s.context, &two, (float[]){5, 6}, 8, &constant, NULL),
               WEBNN_OK);
  CHECK_STATUS(webnn_tensor_create_constant(s.context, &two, (float[]){1, 1}, 8, &other, NULL),
               WEBNN_OK);
  CHECK_STATUS(webnn_builder_constant_tensor(s.builder, constant, &k), WEBNN_OK);
  CHECK_STATUS(webnn_builder_constant_tensor(s.builder, other, &k2), WEBNN_OK);
  CHECK_STATUS(webnn_add(s.builder, s.y, k, NULL, &deep), WEBNN_OK);
  CHECK_STATUS(webnn_mul(s.builder, deep, k2, NULL, &deep), WEBNN_OK);
  webnn_named_operand outputs[] = {{WEBNN_STR("y"), s.y}, {WEBNN_STR("z"), deep}};
  webnn_tensor_release(other); /* released, not destroyed */
  webnn_tensor_destroy(constant);
  for (int round = 0; round < 2; round++) {
    check_refusal(&s, webnn_builder_build_sync(s.builder, outputs, 2, &graph), WEBNN_ERROR_TYPE,
                  "build: a constant's tensor (float32[2]) is destroyed");
    check_refusal(&s, webnn_serial_write(s.builder, outputs, 2, NULL, NULL), WEBNN_ERROR_TYPE,
                  "write: a constant's tensor (float32[2]) is destroyed");
  }
  CHECK(graph == NULL);
  webnn_tensor_release(constant);
  check_use(&s);
  close_site(&s);
}

/* ---- operations */

TEST(operations_are_checked) {
  webnn_operator_options options = WEBNN_OPERATOR_OPTIONS_INIT;
  site s = open_site();
  webnn_operand *out = s.x;
  options.label = WEBNN_STR("sum");
  check_refusal(&s, webnn_add(s.builder, s.x, s.foreign, &options, &out), WEBNN_ERROR_TYPE,
                "[sum] add: b belongs to another builder");
  CHECK(out == NULL);
  check_refusal(&s, webnn_add(s.builder, NULL, s.x, &options, &out), WEBNN_ERROR_TYPE,
                "[sum] add: a is missing");
  check_use(&s);
  close_site(&s);
}

/* Numbers are cast on the caller's thread, whose rounding and flushing are not the result's. */
TEST(numbers_dont_depend_on_the_callers_modes) {
  site s = open_site();
  webnn_operand *third = NULL, *tiny = NULL, *y = NULL;
  fenv_t before;
  float seen[2] = {0, 0};
  webnn_graph *graph = NULL;
  fegetenv(&before);
  fesetround(FE_UPWARD);
#ifdef __SSE__
  _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
  webnn_status first = webnn_builder_constant_number(
      s.builder, WEBNN_DATA_TYPE_FLOAT32, (webnn_number){WEBNN_NUMBER_DOUBLE, {.f = 1 + 0x1p-30}},
      &third);
  webnn_status second =
      webnn_builder_constant_number(s.builder, WEBNN_DATA_TYPE_FLOAT32,
                                    (webnn_number){WEBNN_NUMBER_DOUBLE, {.f = 0x1p-140}}, &tiny);
  fesetenv(&before);
  CHECK_STATUS(first, WEBNN_OK);
  CHECK_STATUS(second, WEBNN_OK);
  CHECK_STATUS(webnn_identity(s.builder, third, NULL, &third), WEBNN_OK);
  CHECK_STATUS(webnn_identity(s.builder, tiny, NULL, &y), WEBNN_OK);
  webnn_named_operand outputs[] = {{WEBNN_STR("third"), third}, {WEBNN_STR("tiny"), y}};
  webnn_named_data data[] = {{WEBNN_STR("third"), &seen[0], 4}, {WEBNN_STR("tiny"), &seen[1], 4}};
  CHECK_STATUS(webnn_builder_build_sync(s.builder, outputs, 2, &graph), WEBNN_OK);
  CHECK_STATUS(webnn_graph_compute(s.context, graph, NULL, 0, data, 2, NULL), WEBNN_OK);
  CHECK(seen[0] == 1 && seen[1] == 0x1p-140f);
  webnn_graph_release(graph);
  close_site(&s);
}

/* ---- builds */

TEST(outputs_are_checked) {
  site s = open_site();
  const struct {
    size_t n;
    webnn_named_operand outputs[2];
    const char *message; /* %s: the call */
  } rows[] = {
      {0, {{WEBNN_STR("y"), s.y}}, "%s: there are no outputs"},
      {1, {{{NULL, 0}, s.y}}, "%s: the name of output 0 is empty"},
      {2, {{WEBNN_STR("y"), s.y}, {WEBNN_STR(""), s.y}}, "%s: the name of output 1 is empty"},
      {1, {{WEBNN_STR("\xc3"), s.y}}, "%s: the name '\\xc3' is not UTF-8"},
      {2, {{WEBNN_STR("y"), s.y}, {WEBNN_STR("y"), s.y}}, "%s: two outputs are called 'y'"},
      {1, {{WEBNN_STR("y"), NULL}}, "%s: output 'y' has no operand"},
      {1, {{WEBNN_STR("y"), s.foreign}}, "%s: output 'y' belongs to another builder"},
      {1, {{WEBNN_STR("y"), s.x}}, "%s: output 'y' is an input; use identity to expose it"},
      {1, {{WEBNN_STR("y"), s.k}}, "%s: output 'y' is a constant; use identity to expose it"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char message[128];
    webnn_future *future = NULL;
    CONTEXT("row %zu", i);
    snprintf(message, sizeof message, rows[i].message, "build");
    check_refusal(&s, webnn_builder_build(s.builder, rows[i].outputs, rows[i].n, &future),
                  WEBNN_ERROR_TYPE, message);
    CHECK(future == NULL);
    snprintf(message, sizeof message, rows[i].message, "write");
    check_refusal(&s, webnn_serial_write(s.builder, rows[i].outputs, rows[i].n, NULL, NULL),
                  WEBNN_ERROR_TYPE, message);
  }
  CONTEXT("afterwards");
  check_use(&s);
  close_site(&s);
}

/* ---- taking back */

TEST(operands_are_taken_back) {
  site s = open_site();
  webnn_descriptor two = floats(&(uint32_t){2});
  const size_t before = webnn_builder_n_operands(s.builder);
  webnn_operand *names[40], *k = NULL, *sum = NULL, *out = NULL;
  CHECK(before == 3);
  for (int round = 0; round < 2; round++) { /* the second one needs what the first one took */
    for (int i = 0; i < 40; i++) {
      char name[8];
      snprintf(name, sizeof name, "n%d", i);
      names[i] = add_input(s.builder, name);
    }
    CHECK_STATUS(webnn_builder_constant(s.builder, &two, (float[]){1, 2}, 8, &k), WEBNN_OK);
    CHECK_STATUS(webnn_add(s.builder, names[0], k, NULL, &sum), WEBNN_OK);
    CHECK(webnn_builder_n_operands(s.builder) == before + 42);
    webnn_builder_take_back(s.builder, before + 100);
    CHECK(webnn_builder_n_operands(s.builder) == before + 42);
    webnn_builder_take_back(s.builder, before);
    CHECK(webnn_builder_n_operands(s.builder) == before);
  }
  webnn_operand *gone[] = {names[0], k, sum};
  for (size_t i = 0; i < 3; i++) {
    CHECK_STATUS(webnn_relu(s.builder, gone[i], NULL, &out), WEBNN_ERROR_TYPE);
    CHECK_STATUS(webnn_relu(s.other, gone[i], NULL, &out), WEBNN_ERROR_TYPE);
  }
  check_refusal(&s, webnn_builder_input(s.builder, WEBNN_STR("x"), &two, &out), WEBNN_ERROR_TYPE,
                "input: the name 'x' is taken");
  check_use(&s);
  webnn_builder_take_back(s.builder, 0); /* it has built: nothing happens */
  CHECK(webnn_builder_n_operands(s.builder) == before);
  close_site(&s);
}

/* ---- the state */

/* Every call on a builder that has built, or whose context is lost; the state comes first. */
static void check_closed(const site *s, const char *why) {
  const webnn_number one = {WEBNN_NUMBER_DOUBLE, {.f = 1}};
  webnn_descriptor two = floats(&(uint32_t){2});
  webnn_named_operand output = {WEBNN_STR("y"), s->y};
  webnn_operator_options options = WEBNN_OPERATOR_OPTIONS_INIT;
  webnn_operand *out = NULL;
  webnn_graph *graph = NULL;
  webnn_future *future = NULL;
  webnn_builder *b = s->builder;
  options.label = WEBNN_STR("sum");
  const struct {
    webnn_status status;
    const char *what;
  } rows[] = {
      {webnn_builder_input(b, WEBNN_STR("x"), &two, &out), "input"},
      {webnn_builder_constant(b, &two, &two, 1, &out), "constant"},
      {webnn_builder_constant_mapped(b, &two, &two, 1, NULL, NULL, &out), "constant"},
      {webnn_builder_constant_number(b, (webnn_data_type)8, one, &out), "constant"},
      {webnn_add(b, NULL, NULL, &options, &out), "[sum] add"},
      {webnn_builder_build(b, &output, 0, &future), "build"},
      {webnn_builder_build_sync(b, &output, 1, &graph), "build"},
  };
  char message[128];
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    CONTEXT("%s, %s", rows[i].what, why);
    CHECK_STATUS(rows[i].status, WEBNN_ERROR_INVALID_STATE);
  }
  CHECK(out == NULL && future == NULL && graph == NULL);
  webnn_add(b, NULL, NULL, &options, &out);
  snprintf(message, sizeof message, "[sum] add: %s", why);
  CHECK_STR(webnn_builder_error(b)->message, message);
}

TEST(a_builder_builds_once) {
  site s = open_site();
  check_use(&s);
  check_closed(&s, "the builder has built its graph already");
  close_site(&s);
}

TEST(a_lost_context_closes_its_builders) {
  site s = open_site();
  webnn_context_destroy(s.context);
  check_closed(&s, "the context is lost: the context was destroyed");
  close_site(&s);
}

int main(int argc, char **argv) {
  static const harness_test tests[] = {
      RUN(inputs_are_checked),
      RUN(names_may_hold_anything_that_is_text),
      RUN(constants_are_checked),
      RUN(destroyed_constants_are_refused),
      RUN(numbers_dont_depend_on_the_callers_modes),
      RUN(operations_are_checked),
      RUN(outputs_are_checked),
      RUN(operands_are_taken_back),
      RUN(a_builder_builds_once),
      RUN(a_lost_context_closes_its_builders),
      {NULL, NULL},
  };
  return harness_main(argc, argv, tests);
}
