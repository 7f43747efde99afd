/* Memory: all of a context's comes from its hooks, goes back to them in the sizes in which it came,
 * and its want ends in UNKNOWN, at every single place. */
#include "runtime.h"

#include <time.h>

#define N 16
#define HEADER 64

typedef struct meter {
  atomic_size_t n_calls; /* that asked for memory */
  size_t fails_at;       /* this one gets none; 0: all do */
  atomic_size_t n_failed;
  atomic_llong n_bytes; /* in use */
  atomic_llong n_most;  /* … and at the highest */
  atomic_llong n_blocks;
  atomic_int n_wrong; /* sizes or alignments that can't be */
} meter;

typedef struct header {
  size_t size;
} header;

static void *block_of(void *ptr) { return (char *)ptr - HEADER; }

static void check_old(meter *m, void *ptr, size_t old_size) {
  if (ptr != NULL && ((header *)block_of(ptr))->size != old_size) atomic_fetch_add(&m->n_wrong, 1);
}

static void *measured(void *ud, void *ptr, size_t old_size, size_t new_size, size_t alignment) {
  meter *m = ud;
  void *block = NULL;
  check_old(m, ptr, old_size);
  if (alignment == 0 || alignment > HEADER || (alignment & (alignment - 1)))
    atomic_fetch_add(&m->n_wrong, 1);
  if (new_size != 0) {
    if (atomic_fetch_add(&m->n_calls, 1) + 1 == m->fails_at) {
      atomic_fetch_add(&m->n_failed, 1);
      return NULL;
    }
    if (posix_memalign(&block, HEADER, HEADER + new_size) != 0) return NULL;
    ((header *)block)->size = new_size;
    memset((char *)block + HEADER, 0xA5, new_size); /* nobody may count on zeros */
    if (ptr != NULL) memcpy((char *)block + HEADER, ptr, old_size < new_size ? old_size : new_size);
    long long now = atomic_fetch_add(&m->n_bytes, (long long)new_size) + (long long)new_size;
    long long most = atomic_load(&m->n_most);
    while (now > most && !atomic_compare_exchange_weak(&m->n_most, &most, now)) continue;
    atomic_fetch_add(&m->n_blocks, 1);
  }
  if (ptr != NULL) {
    atomic_fetch_sub(&m->n_bytes, (long long)old_size);
    atomic_fetch_sub(&m->n_blocks, 1);
    memset(ptr, 0x5A, old_size);
    free(block_of(ptr));
  }
  return block != NULL ? (char *)block + HEADER : NULL;
}

static webnn_status open_context(meter *m, webnn_context **out) {
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_allocator allocator = {measured, m};
  options.allocator = &allocator;
  options.backend = "reference";
  options.passes = NULL;
  options.threads = 2;
  return webnn_context_create(&options, out, NULL);
}

typedef struct things {
  webnn_context *context;
  webnn_tensor *x, *y, *constant;
  webnn_builder *builder;
  webnn_future *build, *read, *into;
  webnn_graph *graph;
} things;

static webnn_status make_tensors(things *t) {
  webnn_descriptor descriptor = floats(&(uint32_t){N});
  webnn_tensor_options options = {sizeof options, true, true};
  float data[N];
  for (int i = 0; i < N; i++) data[i] = 1;
  webnn_status status = webnn_tensor_create(t->context, &descriptor, &options, &t->x, NULL);
  if (status == WEBNN_OK)
    status = webnn_tensor_create(t->context, &descriptor, &options, &t->y, NULL);
  if (status == WEBNN_OK)
    status = webnn_tensor_create_constant(t->context, &descriptor, data, sizeof data, &t->constant,
                                          NULL);
  return status;
}

/* y = relu(x + constant) · 2 + (3 + 4): a constant tensor, a scalar, something to fold. */
static webnn_status make_graph_of(things *t) {
  webnn_descriptor descriptor = floats(&(uint32_t){N}), scalar = {WEBNN_DATA_TYPE_FLOAT32, 0, NULL};
  webnn_number two = {WEBNN_NUMBER_DOUBLE, {2.0}};
  webnn_operand *x, *c, *k, *three, *four, *sum, *y = NULL;
  float number[2] = {3, 4};
  webnn_status status = webnn_builder_create(t->context, &t->builder, NULL);
  if (status == WEBNN_OK) status = webnn_builder_input(t->builder, WEBNN_STR("x"), &descriptor, &x);
  if (status == WEBNN_OK) status = webnn_builder_constant_tensor(t->builder, t->constant, &c);
  if (status == WEBNN_OK)
    status = webnn_builder_constant_number(t->builder, WEBNN_DATA_TYPE_FLOAT32, two, &k);
  if (status == WEBNN_OK)
    status = webnn_builder_constant(t->builder, &scalar, &number[0], 4, &three);
  if (status == WEBNN_OK)
    status = webnn_builder_constant(t->builder, &scalar, &number[1], 4, &four);
  if (status == WEBNN_OK) status = webnn_add(t->builder, three, four, NULL, &sum);
  if (status == WEBNN_OK) status = webnn_add(t->builder, x, c, NULL, &y);
  if (status == WEBNN_OK) status = webnn_relu(t->builder, y, NULL, &y);
  if (status == WEBNN_OK) status = webnn_mul(t->builder, y, k, NULL, &y);
  if (status == WEBNN_OK) status = webnn_add(t->builder, y, sum, NULL, &y);
  webnn_named_operand output = {WEBNN_STR("y"), y};
  if (status == WEBNN_OK) status = webnn_builder_build(t->builder, &output, 1, &t->build);
  if (status != WEBNN_OK) return status;
  CHECK_STATUS(webnn_future_wait(t->build, -1), WEBNN_OK);
  t->graph = webnn_graph_retain(webnn_future_graph(t->build));
  return webnn_future_result(t->build, NULL);
}

static webnn_status use_graph(things *t) {
  float data[N], out[N] = {0}, direct[2 * N + 1];
  for (int i = 0; i < N; i++) data[i] = (float)i - 4;
  webnn_named_tensor in = {WEBNN_STR("x"), t->x}, result = {WEBNN_STR("y"), t->y};
  webnn_status status = webnn_tensor_write(t->context, t->x, data, sizeof data, NULL);
  for (int round = 0; round < 4 && status == WEBNN_OK;
       round++) { /* later writes find the tensor in use */
    status = webnn_graph_dispatch(t->context, t->graph, &in, 1, &result, 1, NULL);
    if (status == WEBNN_OK) status = webnn_tensor_write(t->context, t->x, data, sizeof data, NULL);
  }
  if (status == WEBNN_OK) status = webnn_tensor_read(t->context, t->y, &t->read, NULL);
  if (status == WEBNN_OK)
    status = webnn_tensor_read_into(t->context, t->y, out, sizeof out, &t->into, NULL);
  if (status == WEBNN_OK) CHECK_STATUS(webnn_future_wait(t->read, -1), WEBNN_OK);
  if (status == WEBNN_OK) CHECK_STATUS(webnn_future_wait(t->into, -1), WEBNN_OK);
  if (status == WEBNN_OK) CHECK(out[0] == 7 && out[N - 1] == 2 * (N - 4) + 7);
  webnn_named_data given = {WEBNN_STR("x"), data, sizeof data};
  webnn_named_data wanted = {WEBNN_STR("y"), (char *)direct + 1,
                             sizeof data}; /* not aligned: it is staged */
  if (status == WEBNN_OK)
    status = webnn_graph_compute(t->context, t->graph, &given, 1, &wanted, 1, NULL);
  if (status == WEBNN_OK && webnn_context_op_support_limits(t->context) == NULL)
    status = WEBNN_ERROR_UNKNOWN;
  return status;
}

static void release_all(things *t) {
  webnn_future_release(t->build);
  webnn_future_release(t->read);
  webnn_future_release(t->into);
  webnn_graph_release(t->graph);
  webnn_builder_release(t->builder);
  webnn_tensor_release(t->x);
  webnn_tensor_release(t->y);
  webnn_tensor_release(t->constant);
  webnn_context_release(t->context);
}

/* The last handle may have been the worker's: its end is near, but not yet. */
static void await_empty(meter *m) {
  struct timespec ms = {0, 1000000};
  for (int i = 0; i < 5000 && atomic_load(&m->n_blocks) != 0; i++) nanosleep(&ms, NULL);
}

static webnn_status run_all(meter *m) {
  things t = {0};
  webnn_status status = open_context(m, &t.context);
  if (status == WEBNN_OK) status = make_tensors(&t);
  if (status == WEBNN_OK) status = make_graph_of(&t);
  if (status == WEBNN_OK) status = use_graph(&t);
  release_all(&t);
  await_empty(m);
  CHECK(m->n_blocks == 0);
  CHECK(m->n_bytes == 0);
  CHECK(m->n_wrong == 0);
  return status;
}

TEST(everything_comes_from_the_hooks) {
  meter m = {.fails_at = 0};
  CHECK_STATUS(run_all(&m), WEBNN_OK);
  CHECK(m.n_calls > 20);
}

TEST(no_memory_at_any_place) {
  size_t n_unknown = 0;
  for (size_t n = 1;; n++) {
    meter m = {.fails_at = n};
    CONTEXT("allocation %zu", n);
    webnn_status status = run_all(&m);
    if (m.n_failed == 0) { /* there were fewer: this one went through */
      CHECK_STATUS(status, WEBNN_OK);
      break;
    }
    /* Folding is a favour: without memory for it a graph may be built all the same. */
    if (status != WEBNN_OK) {
      n_unknown++;
      CHECK_STATUS(status, WEBNN_ERROR_UNKNOWN);
    }
    if (!REQUIRE(n < 100000)) break;
  }
  CHECK(n_unknown > 20);
}

/* A builder whose build found no memory can't be built again, but everything else goes on. */
TEST(a_context_survives_want) {
  meter m = {.fails_at = 0};
  things t = {0};
  CHECK_STATUS(open_context(&m, &t.context), WEBNN_OK);
  CHECK_STATUS(make_tensors(&t), WEBNN_OK);
  for (size_t ahead = 1; ahead < 60; ahead++) {
    m.fails_at = m.n_calls + ahead;
    make_graph_of(&t);
    webnn_future_release(t.build);
    webnn_builder_release(t.builder);
    webnn_graph_release(t.graph);
    t.build = NULL;
    t.builder = NULL;
    t.graph = NULL;
  }
  m.fails_at = 0;
  CHECK(!webnn_context_is_lost(t.context));
  CHECK_STATUS(make_graph_of(&t), WEBNN_OK);
  CHECK_STATUS(use_graph(&t), WEBNN_OK);
  release_all(&t);
  await_empty(&m);
  CHECK(m.n_blocks == 0 && m.n_bytes == 0 && m.n_wrong == 0);
}

/* A graph file as it grows. */
typedef struct file {
  char data[16384];
  size_t n;
} file;

static bool append(void *ud, const void *data, size_t n_bytes) {
  file *to = ud;
  if (n_bytes > sizeof to->data - to->n) return false;
  memcpy(to->data + to->n, data, n_bytes);
  to->n += n_bytes;
  return true;
}

/* y = x + k, sliced again and again, so that the structure is long. */
static webnn_status write_graph(webnn_context *context, file *to) {
  webnn_descriptor descriptor = floats(&(uint32_t){N});
  webnn_builder *builder = NULL;
  webnn_operand *x = NULL, *k = NULL, *y = NULL;
  float data[N] = {1};
  to->n = 0;
  webnn_status status = webnn_builder_create(context, &builder, NULL);
  if (status == WEBNN_OK) status = webnn_builder_input(builder, WEBNN_STR("x"), &descriptor, &x);
  if (status == WEBNN_OK)
    status = webnn_builder_constant(builder, &descriptor, data, sizeof data, &k);
  if (status == WEBNN_OK) status = webnn_add(builder, x, k, NULL, &y);
  for (uint32_t i = 0; i < 60 && status == WEBNN_OK; i++)
    status = webnn_slice(builder, y, &(uint32_t){0}, 1, &(uint32_t){N}, 1, NULL, &y);
  webnn_named_operand output = {WEBNN_STR("y"), y};
  if (status == WEBNN_OK) status = webnn_serial_write(builder, &output, 1, append, to);
  webnn_builder_release(builder);
  return status;
}

static webnn_status read_graph(webnn_context *context, const file *from) {
  webnn_builder *builder = NULL;
  const webnn_named_operand *outs;
  size_t n_outs;
  webnn_status status = webnn_builder_create(context, &builder, NULL);
  if (status == WEBNN_OK) status = webnn_serial_read(builder, from->data, from->n, &outs, &n_outs);
  webnn_builder_release(builder);
  return status;
}

/* Writing and reading end in UNKNOWN where there is no memory, never as if the file were damaged.
 */
TEST(no_memory_for_files) {
  meter m = {.fails_at = 0};
  webnn_context *context = NULL;
  static file whole, part;
  CHECK_STATUS(open_context(&m, &context), WEBNN_OK);
  CHECK_STATUS(write_graph(context, &whole), WEBNN_OK);
  CHECK_STATUS(read_graph(context, &whole), WEBNN_OK);
  for (int reads = 0; reads < 2; reads++) {
    size_t n_failed = 0;
    webnn_status status = WEBNN_ERROR_UNKNOWN;
    for (size_t ahead = 1; status != WEBNN_OK && ahead < 10000; ahead++) {
      CONTEXT("%s, allocation %zu", reads ? "read" : "write", ahead);
      m.n_failed = 0;
      m.fails_at = m.n_calls + ahead;
      status = reads ? read_graph(context, &whole) : write_graph(context, &part);
      if (m.n_failed == 0) break;
      n_failed++;
      CHECK_STATUS(status, WEBNN_ERROR_UNKNOWN);
      status = WEBNN_ERROR_UNKNOWN;
    }
    CHECK_STATUS(status, WEBNN_OK);
    CHECK(n_failed > 3);
  }
  m.fails_at = 0;
  webnn_context_release(context);
  await_empty(&m);
  CHECK(m.n_blocks == 0 && m.n_bytes == 0 && m.n_wrong == 0);
}

TEST(memory_goes_with_destroy) {
  meter m = {.fails_at = 0};
  things t = {0};
  enum { BIG = 1 << 20 };
  webnn_descriptor descriptor = floats(&(uint32_t){BIG});
  webnn_tensor *tensor = NULL;
  CHECK_STATUS(open_context(&m, &t.context), WEBNN_OK);
  long long before = m.n_bytes;
  CHECK_STATUS(webnn_tensor_create(t.context, &descriptor, NULL, &tensor, NULL), WEBNN_OK);
  CHECK(m.n_bytes >= before + 4 * BIG);
  webnn_tensor_destroy(tensor); /* the handle stays, the bytes don't */
  CHECK(m.n_bytes < before + 4096);
  webnn_tensor_release(tensor);
  CHECK(m.n_bytes == before);
  CHECK_STATUS(webnn_tensor_create(t.context, &descriptor, NULL, &tensor, NULL), WEBNN_OK);
  CHECK_STATUS(make_tensors(&t), WEBNN_OK);
  CHECK_STATUS(make_graph_of(&t), WEBNN_OK);
  webnn_context_destroy(t.context);
  CHECK(m.n_bytes < before + 65536);
  webnn_tensor_release(tensor);
  release_all(&t);
  await_empty(&m);
  CHECK(m.n_blocks == 0);
}

enum { WIDTH = 256, LAYERS = 12 };

static webnn_status make_layers(webnn_builder *builder, webnn_graph **out) {
  static float weights[WIDTH * WIDTH];
  const uint32_t x_shape[2] = {32, WIDTH}, w_shape[2] = {WIDTH, WIDTH};
  webnn_descriptor x_desc = {WEBNN_DATA_TYPE_FLOAT32, 2, x_shape}, w_desc = x_desc;
  w_desc.shape = w_shape;
  webnn_operand *x = NULL, *w = NULL;
  webnn_status status = webnn_builder_input(builder, WEBNN_STR("x"), &x_desc, &x);
  for (size_t i = 0; i < LAYERS && status == WEBNN_OK; i++) {
    for (size_t k = 0; k < WIDTH * WIDTH; k++) weights[k] = (float)((k + i) % 7);
    status = webnn_builder_constant(builder, &w_desc, weights, sizeof weights, &w);
    if (status == WEBNN_OK) status = webnn_matmul(builder, x, w, NULL, &x);
  }
  if (status != WEBNN_OK) return status;
  return webnn_builder_build_sync(builder, &(webnn_named_operand){WEBNN_STR("y"), x}, 1, out);
}

/* Backends pack weights: a build holds one of them twice at a time, not all. */
TEST(weights_are_held_once) {
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  static meter m;
  webnn_allocator allocator = {measured, &m};
  webnn_context *context = NULL;
  webnn_builder *builder = NULL;
  webnn_graph *graph = NULL;
  webnn_graph_memory use = WEBNN_GRAPH_MEMORY_INIT;
  options.allocator = &allocator;
  options.threads = 1;
  if (!CHECK_STATUS(webnn_context_create(&options, &context, NULL), WEBNN_OK)) return;
  CHECK_STATUS(webnn_builder_create(context, &builder, NULL), WEBNN_OK);
  long long before = atomic_load(&m.n_bytes);
  if (!CHECK_STATUS(make_layers(builder, &graph), WEBNN_OK)) printf("    %s\n", webnn_builder_error(builder)->message);
  webnn_builder_release(builder);
  if (graph != NULL) webnn_graph_get_memory(graph, &use);
  CHECK(use.weights >= LAYERS * WIDTH * WIDTH * sizeof(float));
  double kept = (double)(use.weights + use.arena + use.scratch);
  CHECK((double)(atomic_load(&m.n_bytes) - before) <= 1.1 * kept);
  CHECK((double)(atomic_load(&m.n_most) - before) <= 1.3 * kept);
  webnn_graph_release(graph);
  webnn_context_release(context);
  await_empty(&m);
  CHECK(atomic_load(&m.n_bytes) == 0);
}

int main(int argc, char **argv) {
  return harness_main(argc, argv,
                      (harness_test[]){RUN(everything_comes_from_the_hooks),
                                       RUN(no_memory_at_any_place),
                                       RUN(a_context_survives_want),
                                       RUN(no_memory_for_files),
                                       RUN(memory_goes_with_destroy),
                                       RUN(weights_are_held_once),
                                       {NULL, NULL}});
}
