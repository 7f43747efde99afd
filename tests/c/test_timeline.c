/* The timeline: tensors, dispatch and compute in their order, from one thread and from many. */
#include "runtime.h"
#include "context/graph.h"

#include <fenv.h>
#include <math.h>
#include <time.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

#define N 16
#define BIG (1u << 18)

static void nap(long ms) {
  struct timespec time = {0, ms * 1000000};
  nanosleep(&time, NULL);
}

typedef struct world {
  webnn_context *context;
  webnn_tensor *a, *b, *y;
  webnn_graph *graph;
} world;

static world make_world(uint32_t n) {
  world w = {.context = make_context()};
  w.a = make_tensor(w.context, n);
  w.b = make_tensor(w.context, n);
  w.y = make_tensor(w.context, n);
  w.graph = make_graph(w.context, n);
  return w;
}

static void end_world(world *w) {
  webnn_graph_release(w->graph);
  webnn_tensor_release(w->a);
  webnn_tensor_release(w->b);
  webnn_tensor_release(w->y);
  webnn_context_release(w->context);
}

/* ---- tensors */

TEST(a_tensor_begins_with_zeros) {
  webnn_context *context = make_context();
  webnn_tensor *tensor = make_tensor(context, N);
  CHECK(read_all(context, tensor) == 0);
  webnn_tensor_release(tensor);
  webnn_context_release(context);
}

TEST(a_tensor_says_what_it_is) {
  webnn_context *context = make_context();
  uint32_t shape[3] = {2, 3, 4};
  webnn_tensor_options options = WEBNN_TENSOR_OPTIONS_INIT;
  webnn_tensor *tensor = NULL;
  webnn_descriptor descriptor = {WEBNN_DATA_TYPE_INT64, 3, shape};
  options.readable = true;
  CHECK_STATUS(webnn_tensor_create(context, &descriptor, &options, &tensor, NULL), WEBNN_OK);
  shape[0] = 99; /* copied */
  descriptor = webnn_tensor_descriptor(tensor);
  CHECK(descriptor.data_type == WEBNN_DATA_TYPE_INT64 && descriptor.rank == 3 &&
        descriptor.shape[0] == 2);
  CHECK(webnn_tensor_byte_length(tensor) == 2 * 3 * 4 * 8);
  CHECK(webnn_tensor_readable(tensor) && !webnn_tensor_writable(tensor) &&
        !webnn_tensor_constant(tensor));
  CHECK(webnn_tensor_context(tensor) == context);
  CHECK(!webnn_tensor_is_destroyed(tensor));
  webnn_tensor_destroy(tensor);
  webnn_tensor_destroy(tensor);
  CHECK(webnn_tensor_is_destroyed(tensor));
  CHECK(webnn_tensor_descriptor(tensor).rank == 3);
  webnn_tensor_release(tensor);
  webnn_context_release(context);
}

typedef struct descriptor_row {
  const char *name;
  webnn_data_type type;
  size_t rank;
  uint32_t shape[10];
  webnn_status status;
} descriptor_row;

static const descriptor_row descriptor_rows[] = {
    {"scalar", WEBNN_DATA_TYPE_FLOAT32, 0, {0}, WEBNN_OK},
    {"rank 8", WEBNN_DATA_TYPE_FLOAT32, 8, {1, 1, 1, 1, 1, 1, 1, 1}, WEBNN_OK},
    {"rank 9", WEBNN_DATA_TYPE_FLOAT32, 9, {1, 1, 1, 1, 1, 1, 1, 1, 1}, WEBNN_ERROR_TYPE},
    {"no elements", WEBNN_DATA_TYPE_FLOAT32, 2, {3, 0}, WEBNN_ERROR_TYPE},
    {"dimension", WEBNN_DATA_TYPE_UINT8, 1, {2147483648u}, WEBNN_ERROR_TYPE},
    {"elements", WEBNN_DATA_TYPE_UINT8, 2, {65536, 65536}, WEBNN_ERROR_TYPE},
    {"elements that overflow",
     WEBNN_DATA_TYPE_UINT8,
     4,
     {65536, 65536, 65536, 65536},
     WEBNN_ERROR_TYPE},
    {"bytes", WEBNN_DATA_TYPE_INT64, 1, {536870912}, WEBNN_ERROR_TYPE},
    {"type", (webnn_data_type)8, 1, {1}, WEBNN_ERROR_TYPE},
};

TEST(descriptors_are_checked) {
  webnn_context *context = make_context();
  for (size_t i = 0; i < sizeof descriptor_rows / sizeof descriptor_rows[0]; i++) {
    const descriptor_row *row = &descriptor_rows[i];
    webnn_descriptor descriptor = {row->type, row->rank, row->shape};
    webnn_tensor *tensor = NULL, *constant = NULL;
    float data[1] = {1};
    CONTEXT("%s", row->name);
    CHECK_STATUS(webnn_tensor_create(context, &descriptor, NULL, &tensor, NULL), row->status);
    CHECK_STATUS(webnn_tensor_create_constant(context, &descriptor, data, 4, &constant, NULL),
                 row->status);
    CHECK((tensor != NULL) == (row->status == WEBNN_OK) &&
          (constant != NULL) == (row->status == WEBNN_OK));
    webnn_tensor_release(tensor);
    webnn_tensor_release(constant);
  }
  webnn_context_release(context);
}

TEST(access_is_checked) {
  world w = make_world(N), other = make_world(N);
  webnn_tensor *plain = NULL, *constant = NULL;
  webnn_future *future = NULL;
  float data[N] = {0};
  webnn_descriptor descriptor = floats(&(uint32_t){N});
  CHECK_STATUS(webnn_tensor_create(w.context, &descriptor, NULL, &plain, NULL), WEBNN_OK);
  CHECK_STATUS(
      webnn_tensor_create_constant(w.context, &descriptor, data, sizeof data, &constant, NULL),
      WEBNN_OK);
  CHECK(webnn_tensor_constant(constant) && !webnn_tensor_readable(constant) &&
        !webnn_tensor_writable(constant));
  CHECK_STATUS(webnn_tensor_write(w.context, other.a, data, sizeof data, NULL), WEBNN_ERROR_TYPE);
  CHECK_STATUS(webnn_tensor_write(w.context, plain, data, sizeof data, NULL), WEBNN_ERROR_TYPE);
  CHECK_STATUS(webnn_tensor_write(w.context, constant, data, sizeof data, NULL), WEBNN_ERROR_TYPE);
  CHECK_STATUS(webnn_tensor_write(w.context, w.a, data, sizeof data - 1, NULL), WEBNN_ERROR_TYPE);
  CHECK_STATUS(webnn_tensor_write(w.context, w.a, data, sizeof data + 1, NULL), WEBNN_ERROR_TYPE);
  CHECK_STATUS(webnn_tensor_write(w.context, w.a, NULL, sizeof data, NULL), WEBNN_ERROR_TYPE);
  CHECK_STATUS(webnn_tensor_read(w.context, other.a, &future, NULL), WEBNN_ERROR_TYPE);
  CHECK_STATUS(webnn_tensor_read(w.context, plain, &future, NULL), WEBNN_ERROR_TYPE);
  CHECK_STATUS(webnn_tensor_read_into(w.context, constant, data, sizeof data, &future, NULL),
               WEBNN_ERROR_TYPE);
  CHECK_STATUS(webnn_tensor_read_into(w.context, w.a, data, sizeof data - 4, &future, NULL),
               WEBNN_ERROR_TYPE);
  CHECK_STATUS(webnn_tensor_read_into(w.context, w.a, NULL, sizeof data, &future, NULL),
               WEBNN_ERROR_TYPE);
  CHECK(future == NULL);
  webnn_tensor_destroy(w.a);
  CHECK_STATUS(webnn_tensor_write(w.context, w.a, data, sizeof data, NULL), WEBNN_ERROR_TYPE);
  CHECK_STATUS(webnn_tensor_read(w.context, w.a, &future, NULL), WEBNN_ERROR_TYPE);
  webnn_tensor_release(plain);
  webnn_tensor_release(constant);
  end_world(&w);
  end_world(&other);
}

TEST(a_constant_tensor_survives_in_its_graph) {
  webnn_context *context = make_context();
  webnn_builder *builder = NULL;
  webnn_operand *x = NULL, *k = NULL, *y = NULL;
  webnn_tensor *constant = NULL, *plain = make_tensor(context, N);
  webnn_future *future = NULL;
  float data[N], in[N], out[N];
  webnn_descriptor descriptor = floats(&(uint32_t){N});
  for (int i = 0; i < N; i++) data[i] = 10, in[i] = (float)i;
  CHECK_STATUS(
      webnn_tensor_create_constant(context, &descriptor, data, sizeof data - 4, &constant, NULL),
      WEBNN_ERROR_TYPE);
  CHECK_STATUS(
      webnn_tensor_create_constant(context, &descriptor, data, sizeof data, &constant, NULL),
      WEBNN_OK);
  for (int i = 0; i < N; i++) data[i] = -1; /* copied */
  CHECK_STATUS(webnn_builder_create(context, &builder, NULL), WEBNN_OK);
  CHECK_STATUS(webnn_builder_constant_tensor(builder, plain, &k), WEBNN_ERROR_TYPE);
  CHECK(strstr(webnn_builder_error(builder)->message, "constant") != NULL);
  CHECK_STATUS(webnn_builder_constant_tensor(builder, constant, &k), WEBNN_OK);
  CHECK_STATUS(webnn_builder_input(builder, WEBNN_STR("x"), &descriptor, &x), WEBNN_OK);
  CHECK_STATUS(webnn_add(builder, x, k, NULL, &y), WEBNN_OK);
  webnn_named_operand output = {WEBNN_STR("y"), y};
  fake_close_gate(); /* the build is still to come when the tensor goes */
  CHECK_STATUS(webnn_builder_build(builder, &output, 1, &future), WEBNN_OK);
  webnn_tensor_destroy(constant);
  fake_open_gate();
  CHECK_STATUS(webnn_builder_constant_tensor(builder, constant, &k), WEBNN_ERROR_TYPE);
  webnn_tensor_release(constant);
  webnn_builder_release(builder);
  CHECK_STATUS(webnn_future_wait(future, -1), WEBNN_OK);
  webnn_named_data given = {WEBNN_STR("x"), in, sizeof in},
                   result = {WEBNN_STR("y"), out, sizeof out};
  CHECK_STATUS(
      webnn_graph_compute(context, webnn_future_graph(future), &given, 1, &result, 1, NULL),
      WEBNN_OK);
  for (int i = 0; i < N; i++) CHECK(out[i] == 10 + (float)i);
  webnn_future_release(future);
  webnn_tensor_release(plain);
  webnn_context_release(context);
}

/* ---- order */

TEST(work_keeps_its_order) {
  for (uint32_t n = N; n <= BIG; n = n == N ? BIG : BIG + 1)
    for (int gated = 0; gated < 2; gated++) {
      world w = make_world(n);
      webnn_future *reads[5];
      CONTEXT("%u floats, %s", (unsigned)n, gated ? "behind a gate" : "at once");
      if (gated) fake_close_gate();
      write_all(w.context, w.a, 1);
      for (int i = 0; i < 5; i++) {
        CHECK_STATUS(write_all(w.context, w.b, (float)i), WEBNN_OK);
        CHECK_STATUS(dispatch(w.graph, w.a, w.b, w.y), WEBNN_OK);
        CHECK_STATUS(webnn_tensor_read(w.context, w.y, &reads[i], NULL), WEBNN_OK);
        CHECK_STATUS(dispatch(w.graph, w.a, w.y, w.b), WEBNN_OK);
      }
      fake_open_gate();
      CHECK(read_all(w.context, w.b) == 6); /* 1 + (1 + 4) */
      for (int i = 0; i < 5; i++) {
        CHECK_STATUS(webnn_future_wait(reads[i], -1), WEBNN_OK);
        const float *data = webnn_future_data(reads[i], NULL);
        CHECK(data != NULL && data[0] == 1 + (float)i && data[n - 1] == data[0]);
        webnn_future_release(reads[i]);
      }
      end_world(&w);
    }
}

/* What isn't in queued work can be read and written while the worker is busy. */
TEST(free_tensors_dont_wait) {
  world w = make_world(N);
  webnn_tensor *other = make_tensor(w.context, N);
  fake_close_gate();
  CHECK_STATUS(dispatch(w.graph, w.a, w.b, w.y), WEBNN_OK);
  fake_await_gate();
  CHECK_STATUS(write_all(w.context, other, 8), WEBNN_OK);
  CHECK(read_all(w.context, other) == 8);
  CHECK(read_all(w.context, w.a) == 0); /* only read by the work */
  fake_open_gate();
  CHECK(read_all(w.context, w.y) == 0);
  webnn_tensor_release(other);
  end_world(&w);
}

TEST(destroyed_right_after_dispatch) {
  world w = make_world(BIG);
  webnn_tensor *y = make_tensor(w.context, BIG);
  write_all(w.context, w.a, 1);
  write_all(w.context, w.b, 2);
  fake_close_gate();
  CHECK_STATUS(dispatch(w.graph, w.a, w.b, w.y), WEBNN_OK);
  CHECK_STATUS(dispatch(w.graph, w.a, w.y, y), WEBNN_OK);
  webnn_tensor_destroy(w.a);
  webnn_tensor_destroy(w.b);
  webnn_tensor_destroy(w.y);
  webnn_graph_destroy(w.graph);
  webnn_graph_destroy(w.graph);
  CHECK(webnn_graph_is_destroyed(w.graph));
  CHECK_STATUS(dispatch(w.graph, w.a, w.y, y), WEBNN_ERROR_INVALID_STATE);
  fake_open_gate();
  CHECK(read_all(w.context, y) == 4);
  webnn_tensor_release(y);
  end_world(&w);
}

/* ---- what dispatch refuses */

TEST(dispatch_is_checked) {
  world w = make_world(N), other = make_world(N);
  webnn_tensor *small = make_tensor(w.context, N - 1), *ints = NULL, *constant = NULL,
               *gone = make_tensor(w.context, N);
  float data[N] = {0};
  webnn_descriptor descriptor = {WEBNN_DATA_TYPE_INT32, 1, (uint32_t[]){N}};
  CHECK_STATUS(webnn_tensor_create(w.context, &descriptor, NULL, &ints, NULL), WEBNN_OK);
  descriptor.data_type = WEBNN_DATA_TYPE_FLOAT32;
  CHECK_STATUS(
      webnn_tensor_create_constant(w.context, &descriptor, data, sizeof data, &constant, NULL),
      WEBNN_OK);
  webnn_tensor_destroy(gone);
  const struct {
    const char *name;
    webnn_context *context;
    webnn_named_tensor inputs[3], output;
    size_t n_inputs, n_outputs;
    webnn_status status;
    const char *word;
  } rows[] = {
#define A {WEBNN_STR("a"), w.a}
#define B {WEBNN_STR("b"), w.b}
#define Y {WEBNN_STR("y"), w.y}
      {"fine", w.context, {A, B}, Y, 2, 1, WEBNN_OK, ""},
      {"other order", w.context, {B, A}, Y, 2, 1, WEBNN_OK, ""},
      {"graph of another context",
       other.context,
       {A, B},
       Y,
       2,
       1,
       WEBNN_ERROR_TYPE,
       "another context"},
      {"input twice", w.context, {A, {WEBNN_STR("b"), w.a}}, Y, 2, 1, WEBNN_ERROR_TYPE, "twice"},
      {"input as output",
       w.context,
       {A, B},
       {WEBNN_STR("y"), w.a},
       2,
       1,
       WEBNN_ERROR_TYPE,
       "twice"},
      {"tensor of another context",
       w.context,
       {A, {WEBNN_STR("b"), other.b}},
       Y,
       2,
       1,
       WEBNN_ERROR_TYPE,
       "another context"},
      {"destroyed input",
       w.context,
       {A, {WEBNN_STR("b"), gone}},
       Y,
       2,
       1,
       WEBNN_ERROR_TYPE,
       "destroyed"},
      {"destroyed output",
       w.context,
       {A, B},
       {WEBNN_STR("y"), gone},
       2,
       1,
       WEBNN_ERROR_TYPE,
       "destroyed"},
      {"no tensor", w.context, {A, {WEBNN_STR("b"), NULL}}, Y, 2, 1, WEBNN_ERROR_TYPE, "no tensor"},
      {"missing input", w.context, {A}, Y, 1, 1, WEBNN_ERROR_TYPE, "input 'b' is missing"},
      {"extra input",
       w.context,
       {A, B, {WEBNN_STR("c"), small}},
       Y,
       3,
       1,
       WEBNN_ERROR_TYPE,
       "no input 'c'"},
      {"missing output", w.context, {A, B}, Y, 2, 0, WEBNN_ERROR_TYPE, "output 'y' is missing"},
      {"wrong name", w.context, {A, {WEBNN_STR("c"), w.b}}, Y, 2, 1, WEBNN_ERROR_TYPE, "'c'"},
      {"name twice", w.context, {A, {WEBNN_STR("a"), w.b}}, Y, 2, 1, WEBNN_ERROR_TYPE, "'a'"},
      {"wrong case", w.context, {A, B}, {WEBNN_STR("Y"), w.y}, 2, 1, WEBNN_ERROR_TYPE, "'Y'"},
      {"empty name", w.context, {A, B}, {{NULL, 0}, w.y}, 2, 1, WEBNN_ERROR_TYPE, "''"},
      {"wrong shape",
       w.context,
       {A, {WEBNN_STR("b"), small}},
       Y,
       2,
       1,
       WEBNN_ERROR_TYPE,
       "float32[15]"},
      {"wrong type",
       w.context,
       {A, B},
       {WEBNN_STR("y"), ints},
       2,
       1,
       WEBNN_ERROR_TYPE,
       "int32[16]"},
      {"constant input",
       w.context,
       {A, {WEBNN_STR("b"), constant}},
       Y,
       2,
       1,
       WEBNN_ERROR_TYPE,
       "constant"},
#undef A
#undef B
#undef Y
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    webnn_error err = {WEBNN_OK, ""};
    CONTEXT("%s", rows[i].name);
    CHECK_STATUS(webnn_graph_dispatch(rows[i].context, w.graph, rows[i].inputs, rows[i].n_inputs,
                                      &rows[i].output, rows[i].n_outputs, &err),
                 rows[i].status);
    CHECK(err.status == rows[i].status);
    if (!REQUIRE(strstr(err.message, rows[i].word) != NULL)) printf("    %s\n", err.message);
  }
  webnn_tensor_release(small);
  webnn_tensor_release(ints);
  webnn_tensor_release(constant);
  webnn_tensor_release(gone);
  end_world(&w);
  end_world(&other);
}

TEST(a_graph_says_what_it_is) {
  world w = make_world(N);
  webnn_descriptor descriptor;
  webnn_graph_memory memory = WEBNN_GRAPH_MEMORY_INIT;
  CHECK(webnn_graph_n_inputs(w.graph) == 2 && webnn_graph_n_outputs(w.graph) == 1);
  webnn_str name = webnn_graph_input(w.graph, 1, &descriptor);
  CHECK(name.size == 1 && name.data[0] == 'b');
  CHECK(descriptor.data_type == WEBNN_DATA_TYPE_FLOAT32 && descriptor.rank == 1 &&
        descriptor.shape[0] == N);
  name = webnn_graph_output(w.graph, 0, NULL);
  CHECK(name.size == 1 && name.data[0] == 'y');
  CHECK(webnn_graph_input(w.graph, 2, &descriptor).data == NULL);
  CHECK(webnn_graph_output(w.graph, 1, NULL).data == NULL);
  webnn_graph_get_memory(w.graph, &memory);
  CHECK(memory.struct_size == sizeof memory && memory.weights == 0);
  end_world(&w);
}

/* ---- dispatches that are done at once */

static void await_idle(webnn_context *context) {
  for (bool idle = false; !idle; sched_yield()) {
    wnn_context_lock(context);
    idle = wnn_timeline_claim(context->timeline);
    if (idle) wnn_timeline_unclaim(context->timeline);
    wnn_context_unlock(context);
  }
}

/* Whose graph has run once, in no time. */
static world make_quick_world(void) {
  world w = make_world(N);
  atomic_store(&fake.quick, true);
  for (int round = 0; round < 1000 && !atomic_load(&w.graph->quick); round++) {
    CHECK_STATUS(dispatch(w.graph, w.a, w.b, w.y), WEBNN_OK);
    CHECK(read_all(w.context, w.y) == 0);
  }
  CHECK(atomic_load(&w.graph->quick));
  await_idle(w.context);
  return w;
}

TEST(a_quick_graph_runs_at_once) {
  world w = make_quick_world();
  write_all(w.context, w.a, 1);
  write_all(w.context, w.b, 2);
  atomic_store(&fake.n_runs, 0);
  CHECK_STATUS(dispatch(w.graph, w.a, w.b, w.y), WEBNN_OK);
  CHECK(fake.n_runs == 1);
  webnn_future *future = NULL;
  CHECK_STATUS(webnn_tensor_read(w.context, w.y, &future, NULL), WEBNN_OK);
  CHECK(webnn_future_done(future));
  CHECK(((const float *)webnn_future_data(future, NULL))[N - 1] == 3);
  webnn_future_release(future);
  CHECK_STATUS(dispatch(w.graph, w.a, w.a, w.y), WEBNN_ERROR_TYPE); /* and the turn is given back */
  CHECK_STATUS(dispatch(w.graph, w.y, w.a, w.b), WEBNN_OK);
  CHECK(read_all(w.context, w.b) == 4);
  end_world(&w);
}

TEST(a_quick_graph_waits_its_turn) {
  world w = make_quick_world();
  write_all(w.context, w.a, 1);
  atomic_store(&fake.n_runs, 0);
  fake_close_gate();
  webnn_future *build = start_build(w.context, N);
  fake_await_gate();
  CHECK_STATUS(dispatch(w.graph, w.a, w.b, w.y), WEBNN_OK);
  CHECK(fake.n_runs == 0);
  webnn_graph_destroy(w.graph);
  webnn_tensor_destroy(w.a);
  fake_open_gate();
  CHECK(read_all(w.context, w.y) == 1);
  webnn_future_release(build);
  end_world(&w);
}

typedef struct asker {
  const world *w;
  int n_calls;
} asker;

/* Whatever the callback asks for is answered at once: by then the context is lost. The answers are
 * failures that it hears of, too. */
static void ask_for_more(const webnn_error *error, void *ud) {
  asker *who = ud;
  const world *w = who->w;
  float data[N] = {0}, sum[N];
  void *memory;
  webnn_future *future = NULL;
  if (who->n_calls++ != 0) return;
  CHECK(error->status == WEBNN_ERROR_UNKNOWN && webnn_context_is_lost(w->context));
  CHECK_STATUS(compute(w->graph, data, data, sum, N), WEBNN_ERROR_INVALID_STATE);
  CHECK_STATUS(dispatch(w->graph, w->a, w->b, w->y), WEBNN_ERROR_INVALID_STATE);
  CHECK_STATUS(webnn_tensor_read(w->context, w->y, &future, NULL), WEBNN_ERROR_TYPE);
  CHECK(webnn_tensor_map(w->y, &memory, NULL) != WEBNN_OK);
  webnn_context_destroy(w->context);
}

TEST(who_hears_of_a_quick_graphs_failure_may_ask_for_more) {
  world w = make_quick_world();
  asker who = {&w, 0};
  webnn_context_on_uncaptured_error(w.context, ask_for_more, &who);
  atomic_store(&fake.fails, true);
  CHECK_STATUS(dispatch(w.graph, w.a, w.b, w.y), WEBNN_OK);
  CHECK(who.n_calls > 1);
  webnn_context_on_uncaptured_error(w.context, NULL, NULL);
  end_world(&w);
}

TEST(a_quick_graph_may_fail) {
  world w = make_quick_world();
  atomic_store(&fake.fails, true);
  CHECK_STATUS(dispatch(w.graph, w.a, w.b, w.y), WEBNN_OK); /* nobody awaits it */
  CHECK(webnn_context_is_lost(w.context));
  CHECK(webnn_graph_is_destroyed(w.graph));
  end_world(&w);
}

/* ---- compute */

TEST(compute_gives_the_sum) {
  for (int heavy = 0; heavy < 2; heavy++) {
    world w = make_world(N);
    float a[N], b[N], y[N] = {0};
    for (int i = 0; i < N; i++) a[i] = (float)i, b[i] = 100;
    webnn_graph_release(w.graph);
    atomic_store(&fake.heavy, heavy);
    w.graph = make_graph(w.context, N);
    CONTEXT("%s", heavy ? "heavy" : "light");
    for (int round = 0; round < 100; round++) {
      b[0] = (float)round;
      CHECK_STATUS(compute(w.graph, a, b, y, N), WEBNN_OK);
      CHECK(y[0] == (float)round && y[N - 1] == 115);
    }
    CHECK_STATUS(compute(w.graph, a, a, y, N), WEBNN_OK); /* inputs may share their memory */
    CHECK(y[3] == 6);
    atomic_store(&fake.fails, true);
    CHECK_STATUS(compute(w.graph, a, b, y, N), WEBNN_ERROR_UNKNOWN);
    CHECK(!webnn_context_is_lost(w.context));
    end_world(&w);
  }
}

TEST(compute_waits_its_turn) {
  world w = make_world(N);
  float a[N], b[N], y[N] = {0};
  for (int i = 0; i < N; i++) a[i] = 1, b[i] = 2;
  for (int i = 0; i < 20; i++) CHECK_STATUS(dispatch(w.graph, w.a, w.b, w.y), WEBNN_OK);
  CHECK_STATUS(compute(w.graph, a, b, y, N), WEBNN_OK);
  CHECK(fake.n_runs == 21 && y[0] == 3);
  end_world(&w);
}

TEST(compute_takes_memory_as_it_lies) {
  world w = make_world(N);
  char raw[3][N * sizeof(float) + 8];
  for (size_t shift = 0; shift < 4; shift++) {
    float value = 1.5f, sum;
    CONTEXT("shifted by %zu", shift);
    for (size_t i = 0; i < N; i++) {
      memcpy(raw[0] + shift + i * sizeof value, &value, sizeof value);
      memcpy(raw[1] + shift + i * sizeof value, &value, sizeof value);
    }
    memset(raw[2], 0x77, sizeof raw[2]);
    webnn_named_data inputs[] = {{WEBNN_STR("a"), raw[0] + shift, N * sizeof(float)},
                                 {WEBNN_STR("b"), raw[1] + shift, N * sizeof(float)}};
    webnn_named_data output = {WEBNN_STR("y"), raw[2] + shift, N * sizeof(float)};
    CHECK_STATUS(webnn_graph_compute(w.context, w.graph, inputs, 2, &output, 1, NULL), WEBNN_OK);
    for (size_t i = 0; i < N; i++) {
      memcpy(&sum, raw[2] + shift + i * sizeof sum, sizeof sum);
      CHECK(sum == 3);
    }
    CHECK(raw[2][shift + N * sizeof(float)] == 0x77 && (shift == 0 || raw[2][shift - 1] == 0x77));
  }
  end_world(&w);
}

TEST(compute_is_checked) {
  world w = make_world(N), other = make_world(N);
  float data[8 * N] = {0};
  const size_t bytes = N * sizeof *data;
  const struct {
    const char *name;
    webnn_context *context;
    webnn_named_data inputs[3], output;
    size_t n_inputs;
    webnn_status status;
    const char *word;
  } rows[] = {
#define A {WEBNN_STR("a"), data, bytes}
#define B {WEBNN_STR("b"), data + N, bytes}
#define Y {WEBNN_STR("y"), data + 2 * N, bytes}
      {"fine", w.context, {A, B}, Y, 2, WEBNN_OK, ""},
      {"other order", w.context, {B, A}, Y, 2, WEBNN_OK, ""},
      {"other context", other.context, {A, B}, Y, 2, WEBNN_ERROR_TYPE, "another context"},
      {"missing", w.context, {A}, Y, 1, WEBNN_ERROR_TYPE, "input 'b' is missing"},
      {"extra",
       w.context,
       {A, B, {WEBNN_STR("c"), data + 4 * N, bytes}},
       Y,
       3,
       WEBNN_ERROR_TYPE,
       "no input 'c'"},
      {"name", w.context, {A, {WEBNN_STR("z"), data + N, bytes}}, Y, 2, WEBNN_ERROR_TYPE, "'z'"},
      {"name twice", w.context, {A, A}, Y, 2, WEBNN_ERROR_TYPE, "twice"},
      {"short",
       w.context,
       {A, {WEBNN_STR("b"), data + N, bytes - 1}},
       Y,
       2,
       WEBNN_ERROR_TYPE,
       "63 bytes"},
      {"long",
       w.context,
       {A, B},
       {WEBNN_STR("y"), data + 2 * N, bytes + 1},
       2,
       WEBNN_ERROR_TYPE,
       "65 bytes"},
      {"no memory",
       w.context,
       {A, {WEBNN_STR("b"), NULL, bytes}},
       Y,
       2,
       WEBNN_ERROR_TYPE,
       "0 bytes"},
      {"output on input",
       w.context,
       {A, B},
       {WEBNN_STR("y"), data, bytes},
       2,
       WEBNN_ERROR_TYPE,
       "overlaps"},
      {"output into input",
       w.context,
       {A, B},
       {WEBNN_STR("y"), data + 2 * N - 1, bytes},
       2,
       WEBNN_ERROR_TYPE,
       "input 'b'"},
      {"output up to input",
       w.context,
       {{WEBNN_STR("a"), data + 1, bytes}, B},
       {WEBNN_STR("y"), data + 2 * N, bytes},
       2,
       WEBNN_OK,
       ""},
#undef A
#undef B
#undef Y
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    webnn_error err = {WEBNN_OK, ""};
    CONTEXT("%s", rows[i].name);
    CHECK_STATUS(webnn_graph_compute(rows[i].context, w.graph, rows[i].inputs, rows[i].n_inputs,
                                     &rows[i].output, 1, &err),
                 rows[i].status);
    if (!REQUIRE(strstr(err.message, rows[i].word) != NULL)) printf("    %s\n", err.message);
  }
  webnn_graph_destroy(w.graph);
  CHECK_STATUS(compute(w.graph, data, data + N, data + 2 * N, N), WEBNN_ERROR_INVALID_STATE);
  end_world(&w);
  end_world(&other);
}

/* More ends than a frame holds: 20 inputs summed. */
TEST(compute_takes_many_ends) {
  enum { MANY = 20 };
  webnn_context *context = make_context();
  webnn_builder *builder = NULL;
  webnn_operand *sum = NULL, *x = NULL;
  webnn_future *future = NULL;
  webnn_named_data inputs[MANY];
  char names[MANY][4];
  float data[MANY][2], y[2] = {0};
  webnn_descriptor descriptor = floats(&(uint32_t){2});
  CHECK_STATUS(webnn_builder_create(context, &builder, NULL), WEBNN_OK);
  for (int i = 0; i < MANY; i++) {
    snprintf(names[i], sizeof names[i], "x%d", i);
    webnn_str name = {names[i], strlen(names[i])};
    CHECK_STATUS(webnn_builder_input(builder, name, &descriptor, &x), WEBNN_OK);
    if (i == 0)
      sum = x;
    else
      CHECK_STATUS(webnn_add(builder, sum, x, NULL, &sum), WEBNN_OK);
    data[i][0] = data[i][1] = (float)i;
    inputs[MANY - 1 - i] = (webnn_named_data){name, data[i], sizeof data[i]};
  }
  webnn_named_operand output = {WEBNN_STR("y"), sum};
  CHECK_STATUS(webnn_builder_build(builder, &output, 1, &future), WEBNN_OK);
  CHECK_STATUS(webnn_future_wait(future, -1), WEBNN_OK);
  webnn_named_data result = {WEBNN_STR("y"), y, sizeof y};
  CHECK_STATUS(
      webnn_graph_compute(context, webnn_future_graph(future), inputs, MANY, &result, 1, NULL),
      WEBNN_OK);
  CHECK(y[0] == MANY * (MANY - 1) / 2 && y[1] == y[0]);
  webnn_future_release(future);
  webnn_builder_release(builder);
  webnn_context_release(context);
}

static void destroy_later(void *arg) {
  fake_await_gate();
  webnn_context_destroy(arg);
  fake_open_gate();
}

TEST(compute_sees_the_loss) {
  for (int heavy = 0; heavy < 2; heavy++) {
    world w = make_world(N);
    float a[N] = {0}, y[N];
    wnn_thread thread;
    webnn_graph_release(w.graph);
    atomic_store(&fake.heavy, heavy);
    w.graph = make_graph(w.context, N);
    CONTEXT("%s", heavy ? "heavy" : "light");
    fake_close_gate();
    CHECK(wnn_thread_start(&thread, destroy_later, w.context));
    CHECK_STATUS(compute(w.graph, a, a, y, N), WEBNN_ERROR_INVALID_STATE);
    wnn_thread_join(&thread);
    end_world(&w);
  }
}

/* Queued behind work that never gets its turn. */
TEST(a_dropped_compute_returns) {
  world w = make_world(N);
  float a[N] = {0}, y[N];
  wnn_thread thread;
  fake_close_gate();
  CHECK_STATUS(dispatch(w.graph, w.a, w.b, w.y), WEBNN_OK);
  CHECK(wnn_thread_start(&thread, destroy_later, w.context));
  CHECK_STATUS(compute(w.graph, a, a, y, N), WEBNN_ERROR_INVALID_STATE);
  wnn_thread_join(&thread);
  end_world(&w);
}

/* ---- mapping */

TEST(a_mapped_tensor_is_left_alone) {
  world w = make_world(N);
  void *memory = NULL, *again = NULL;
  float data[N] = {0};
  write_all(w.context, w.a, 4);
  CHECK_STATUS(webnn_tensor_map(w.a, &memory, NULL), WEBNN_OK);
  CHECK(((float *)memory)[N - 1] == 4);
  CHECK_STATUS(webnn_tensor_map(w.a, &again, NULL), WEBNN_OK);
  CHECK(again == memory);
  webnn_tensor_unmap(w.a);
  CHECK_STATUS(webnn_tensor_write(w.context, w.a, data, sizeof data, NULL),
               WEBNN_ERROR_INVALID_STATE);
  CHECK_STATUS(dispatch(w.graph, w.a, w.b, w.y), WEBNN_ERROR_INVALID_STATE);
  CHECK_STATUS(dispatch(w.graph, w.y, w.b, w.a), WEBNN_ERROR_INVALID_STATE);
  CHECK(read_all(w.context, w.a) == 4);
  ((float *)memory)[0] = 4;
  webnn_tensor_unmap(w.a);
  CHECK_STATUS(dispatch(w.graph, w.a, w.b, w.y), WEBNN_OK);
  CHECK(read_all(w.context, w.y) == 4);
  webnn_tensor_unmap(w.a); /* one too many */
  end_world(&w);
}

TEST(a_mapped_tensor_outlives_its_end) {
  for (int how = 0; how < 3; how++) {
    world w = make_world(N);
    webnn_tensor *tensor = make_tensor(w.context, N);
    void *memory = NULL, *again = NULL;
    CONTEXT("%d", how);
    write_all(w.context, tensor, 6);
    CHECK_STATUS(webnn_tensor_map(tensor, &memory, NULL), WEBNN_OK);
    if (how == 0) webnn_tensor_destroy(tensor);
    if (how == 1) webnn_context_destroy(w.context);
    if (how == 2) webnn_tensor_release(tensor);
    if (how == 0) CHECK_STATUS(webnn_tensor_map(tensor, &again, NULL), WEBNN_ERROR_TYPE);
    for (int i = 0; i < N; i++) CHECK(((float *)memory)[i] == 6);
    webnn_tensor_unmap(tensor);
    if (how != 2) webnn_tensor_release(tensor);
    end_world(&w);
  }
}

TEST(a_map_waits_for_queued_work) {
  world w = make_world(N);
  webnn_tensor *constant = NULL;
  void *memory = NULL;
  webnn_descriptor descriptor = floats(&(uint32_t){N});
  write_all(w.context, w.a, 1);
  write_all(w.context, w.b, 2);
  for (int i = 0; i < 50; i++) CHECK_STATUS(dispatch(w.graph, w.a, w.b, w.y), WEBNN_OK);
  CHECK_STATUS(webnn_tensor_map(w.y, &memory, NULL), WEBNN_OK);
  CHECK(fake.n_runs == 50 && ((float *)memory)[0] == 3);
  webnn_tensor_unmap(w.y);
  CHECK_STATUS(webnn_tensor_create_constant(w.context, &descriptor, memory, N * sizeof(float),
                                            &constant, NULL),
               WEBNN_OK);
  CHECK_STATUS(webnn_tensor_map(constant, &memory, NULL), WEBNN_ERROR_TYPE);
  webnn_tensor_release(constant);
  end_world(&w);
}

TEST(a_map_that_waits_sees_the_loss) {
  world w = make_world(N);
  wnn_thread thread;
  void *memory = NULL;
  fake_close_gate();
  for (int i = 0; i < 3; i++) CHECK_STATUS(dispatch(w.graph, w.a, w.b, w.y), WEBNN_OK);
  CHECK(wnn_thread_start(&thread, destroy_later, w.context));
  CHECK_STATUS(webnn_tensor_map(w.y, &memory, NULL), WEBNN_ERROR_INVALID_STATE);
  CHECK(memory == NULL);
  wnn_thread_join(&thread);
  end_world(&w);
}

/* ---- many threads */

typedef struct crowd {
  world w;
  webnn_tensor *shared[4];
  atomic_uint seed;
  atomic_int n_wrong;
  int n_rounds;
} crowd;

static uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 16;
}

/* Each thread has tensors of its own, on which order must hold, and shares others, on which nothing
 * may break. */
static void work_in_crowd(void *arg) {
  crowd *c = arg;
  uint32_t state = atomic_fetch_add(&c->seed, 1) * 7919u, n = N;
  webnn_context *context = c->w.context;
  webnn_tensor_options options = {sizeof options, true, true};
  webnn_descriptor descriptor = floats(&n);
  webnn_tensor *t[3] = {NULL, NULL, NULL};
  float a[N], b[N], y[N];
  for (int i = 0; i < 3; i++)
    if (webnn_tensor_create(context, &descriptor, &options, &t[i], NULL) != WEBNN_OK)
      atomic_fetch_add(&c->n_wrong, 1);
  for (int round = 0; round < c->n_rounds; round++) {
    float x = (float)(next_random(&state) % 100);
    webnn_future *future = NULL, *other = NULL;
    for (int i = 0; i < N; i++) a[i] = x, b[i] = 1, y[i] = -1;
    webnn_status status = webnn_tensor_write(context, t[0], a, sizeof a, NULL);
    if (status == WEBNN_OK) status = webnn_tensor_write(context, t[1], b, sizeof b, NULL);
    if (status == WEBNN_OK) status = dispatch(c->w.graph, t[0], t[1], t[2]);
    if (status == WEBNN_OK)
      status = webnn_tensor_read_into(context, t[2], y, sizeof y, &future, NULL);
    webnn_tensor *shared = c->shared[next_random(&state) % 4];
    if (next_random(&state) % 2)
      webnn_tensor_write(context, shared, a, sizeof a, NULL);
    else
      webnn_tensor_read(context, shared, &other, NULL);
    if (next_random(&state) % 8 == 0) {
      float z[N];
      if (compute(c->w.graph, a, b, z, N) == WEBNN_OK && z[5] != x + 1)
        atomic_fetch_add(&c->n_wrong, 1);
    }
    webnn_future_wait(future, -1);
    if (status != WEBNN_OK || y[0] != x + 1 || y[N - 1] != x + 1) atomic_fetch_add(&c->n_wrong, 1);
    webnn_future_release(future);
    webnn_future_release(other);
  }
  for (int i = 0; i < 3; i++) webnn_tensor_release(t[i]);
}

TEST(a_crowd_gets_what_it_asked_for) {
  for (int weight = 0; weight < 3; weight++) {
    wnn_thread threads[6];
    crowd c = {.w = make_world(N), .n_rounds = 300};
    webnn_graph_release(c.w.graph);
    atomic_store(&fake.quick, weight == 0);
    atomic_store(&fake.heavy, weight == 2);
    c.w.graph = make_graph(c.w.context, N);
    for (int i = 0; i < 4; i++) c.shared[i] = make_tensor(c.w.context, N);
    run_threads(threads, 6, work_in_crowd, &c);
    CHECK(c.n_wrong == 0);
    for (int i = 0; i < 4; i++) webnn_tensor_release(c.shared[i]);
    end_world(&c.w);
  }
}

/* Anything at any time, the end too: nothing may hang, leak or break; outcomes are any. */
static void work_in_riot(void *arg) {
  crowd *c = arg;
  uint32_t state = atomic_fetch_add(&c->seed, 1) * 104729u;
  float data[N] = {0}, sum[N];
  void *memory;
  for (int round = 0; round < c->n_rounds; round++) {
    webnn_future *future = NULL;
    webnn_tensor *x = c->shared[next_random(&state) % 4], *y = c->shared[next_random(&state) % 4];
    switch (next_random(&state) % 10) {
      case 0: webnn_tensor_write(c->w.context, x, data, sizeof data, NULL); break;
      case 1: webnn_tensor_read(c->w.context, x, &future, NULL); break;
      case 2: webnn_tensor_read_into(c->w.context, x, sum, sizeof sum, &future, NULL); break;
      case 3: dispatch(c->w.graph, x, y, c->w.y); break;
      case 4: dispatch(c->w.graph, c->w.a, x, y); break;
      case 5: compute(c->w.graph, data, data, sum, N); break;
      case 6: future = start_build(c->w.context, N); break;
      case 7:
        if (webnn_tensor_map(x, &memory, NULL) == WEBNN_OK) webnn_tensor_unmap(x);
        break;
      case 8:
        if (next_random(&state) % 16 == 0) webnn_tensor_destroy(x);
        break;
      case 9:
        if (round > c->n_rounds / 2 && next_random(&state) % 64 == 0)
          webnn_context_destroy(c->w.context);
        if (next_random(&state) % 256 == 0) webnn_graph_destroy(c->w.graph);
        break;
    }
    webnn_future_wait(future ? future : webnn_context_lost(c->w.context), future ? -1 : 0);
    webnn_future_release(future);
  }
}

TEST(a_riot_ends) {
  for (int round = 0; round < 12; round++) {
    wnn_thread threads[5];
    crowd c = {.w = make_world(N), .n_rounds = 200, .seed = (unsigned)round * 5};
    atomic_store(&fake.quick, round % 2 != 0);
    for (int i = 0; i < 4; i++) c.shared[i] = make_tensor(c.w.context, N);
    run_threads(threads, 5, work_in_riot, &c);
    for (int i = 0; i < 4; i++) webnn_tensor_release(c.shared[i]);
    end_world(&c.w);
  }
  nap(20);
}

/* The processor's modes belong to the caller's threads, not to the worker: denormals are kept
 * there. */
TEST(denormals_are_kept) {
  world w = make_world(N);
  write_all(w.context, w.a, 1e-40f);
  CHECK_STATUS(dispatch(w.graph, w.a, w.b, w.y), WEBNN_OK);
  CHECK(read_all(w.context, w.y) == 1e-40f);
  end_world(&w);
}

/* The caller's thread flushes denormals, where it can, and rounds up. */
static void enter_odd_mode(void) {
#ifdef __SSE__
  _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
  fesetround(FE_UPWARD);
}

static bool in_odd_mode(void) {
#ifdef __SSE__
  if ((_mm_getcsr() & 0x8040) != 0x8040) return false;
#endif
  return fegetround() == FE_UPWARD;
}

/* A light graph runs on the caller's thread, whose modes are not the results', and stay the
 * caller's. */
TEST(modes_of_the_caller_dont_matter) {
  float a[N], b[N], y[N] = {0};
  for (int i = 0; i < N; i++) {
    a[i] = i % 2 ? 1 : 1e-40f;
    b[i] = i % 2 ? 0x1p-25f : 0;
  }
  for (int heavy = 0; heavy < 2; heavy++) {
    world w = make_world(N);
    atomic_store(&fake.heavy, heavy != 0);
    webnn_graph *graph = make_graph(w.context, N);
    fenv_t before;
    fegetenv(&before);
    enter_odd_mode();
    webnn_status status = compute(graph, a, b, y, N);
    bool kept = in_odd_mode();
    fesetenv(&before);
    CHECK_STATUS(status, WEBNN_OK);
    CHECK(kept);
    CHECK(memcmp(&y[0], &a[0], sizeof y[0]) == 0);
    CHECK(y[1] == 1);
    webnn_graph_release(graph);
    end_world(&w);
  }
}

TEST(modes_of_the_caller_dont_matter_to_a_quick_graph) {
  world w = make_quick_world();
  write_all(w.context, w.a, 1e-40f);
  fenv_t before;
  fegetenv(&before);
  enter_odd_mode();
  webnn_status status = dispatch(w.graph, w.a, w.b, w.y);
  bool kept = in_odd_mode();
  fesetenv(&before);
  CHECK_STATUS(status, WEBNN_OK);
  CHECK(kept);
  CHECK(read_all(w.context, w.y) == 1e-40f);
  end_world(&w);
}

int main(int argc, char **argv) {
  return harness_main(argc, argv,
                      (harness_test[]){RUN(a_tensor_begins_with_zeros),
                                       RUN(a_tensor_says_what_it_is),
                                       RUN(descriptors_are_checked),
                                       RUN(access_is_checked),
                                       RUN(a_constant_tensor_survives_in_its_graph),
                                       RUN(work_keeps_its_order),
                                       RUN(free_tensors_dont_wait),
                                       RUN(destroyed_right_after_dispatch),
                                       RUN(dispatch_is_checked),
                                       RUN(a_graph_says_what_it_is),
                                       RUN(a_quick_graph_runs_at_once),
                                       RUN(a_quick_graph_waits_its_turn),
                                       RUN(a_quick_graph_may_fail),
                                       RUN(who_hears_of_a_quick_graphs_failure_may_ask_for_more),
                                       RUN(compute_gives_the_sum),
                                       RUN(compute_waits_its_turn),
                                       RUN(compute_takes_memory_as_it_lies),
                                       RUN(compute_is_checked),
                                       RUN(compute_takes_many_ends),
                                       RUN(compute_sees_the_loss),
                                       RUN(a_dropped_compute_returns),
                                       RUN(a_mapped_tensor_is_left_alone),
                                       RUN(a_mapped_tensor_outlives_its_end),
                                       RUN(a_map_waits_for_queued_work),
                                       RUN(a_map_that_waits_sees_the_loss),
                                       RUN(a_crowd_gets_what_it_asked_for),
                                       RUN(a_riot_ends),
                                       RUN(denormals_are_kept),
                                       RUN(modes_of_the_caller_dont_matter),
                                       RUN(modes_of_the_caller_dont_matter_to_a_quick_graph),
                                       {NULL, NULL}});
}
