/* Everything that can fail on a context, one row each: calls, and what fails later. */
#ifndef WEBNN_TESTS_FAILURE_ROWS_H
#define WEBNN_TESTS_FAILURE_ROWS_H

#include "runtime.h"

#include "context/tensor.h"

#define N 4
#define LONG_N (64 * 1024u) /* a read of so many goes over the worker */

#define VALIDATION WEBNN_ERROR_FILTER_VALIDATION
#define OUT_OF_MEMORY WEBNN_ERROR_FILTER_OUT_OF_MEMORY
#define INTERNAL WEBNN_ERROR_FILTER_INTERNAL

/* None of the calls is given an error to write to, where it takes one. */
typedef struct world {
  webnn_context *context;
  webnn_tensor *tensor, *closed, *constant, *gone; /* all access, none, a constant, destroyed */
  webnn_tensor *large;
  webnn_graph *graph;
  webnn_builder *builder;
  webnn_operand *x, *i;
  webnn_allocator allocator;
  atomic_bool starved;
} world;

static void *reallocate(void *ud, void *ptr, size_t old_size, size_t new_size, size_t alignment) {
  world *w = ud;
  void *fresh = NULL;
  if (new_size != 0 && atomic_load(&w->starved)) return NULL;
  if (new_size != 0 && posix_memalign(&fresh, alignment < 16 ? 16 : alignment, new_size) != 0)
    return NULL;
  if (fresh != NULL && ptr != NULL) memcpy(fresh, ptr, old_size < new_size ? old_size : new_size);
  free(ptr);
  return fresh;
}

static inline void open_world(world *w) {
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_tensor_options none = WEBNN_TENSOR_OPTIONS_INIT;
  webnn_descriptor four = floats(&(uint32_t){N});
  webnn_descriptor ints = {WEBNN_DATA_TYPE_INT32, 1, four.shape};
  float data[N] = {0};
  *w = (world){.allocator = {reallocate, w}};
  atomic_init(&w->starved, false);
  options.allocator = &w->allocator;
  w->context = make_context_of(&options);
  w->tensor = make_tensor(w->context, N);
  w->large = make_tensor(w->context, LONG_N);
  w->gone = make_tensor(w->context, N);
  webnn_tensor_destroy(w->gone);
  webnn_tensor_create(w->context, &four, &none, &w->closed, NULL);
  webnn_tensor_create_constant(w->context, &four, data, sizeof data, &w->constant, NULL);
  w->graph = make_graph(w->context, N);
  webnn_builder_create(w->context, &w->builder, NULL);
  webnn_builder_input(w->builder, WEBNN_STR("x"), &four, &w->x);
  webnn_builder_input(w->builder, WEBNN_STR("i"), &ints, &w->i);
}

static inline void close_world(world *w) {
  webnn_tensor_release(w->tensor);
  webnn_tensor_release(w->large);
  webnn_tensor_release(w->gone);
  webnn_tensor_release(w->closed);
  webnn_tensor_release(w->constant);
  webnn_graph_release(w->graph);
  webnn_builder_release(w->builder);
  webnn_context_release(w->context);
}

static webnn_status create_tensor(world *w) {
  webnn_tensor *out;
  webnn_descriptor descriptor = floats(&(uint32_t){0});
  return webnn_tensor_create(w->context, &descriptor, NULL, &out, NULL);
}

static webnn_status create_constant_tensor(world *w) {
  webnn_tensor *out;
  webnn_descriptor descriptor = floats(&(uint32_t){N});
  return webnn_tensor_create_constant(w->context, &descriptor, w, 3, &out, NULL);
}

static webnn_status write_tensor(world *w) {
  return webnn_tensor_write(w->context, w->closed, w, N * 4, NULL);
}

static webnn_status read_tensor(world *w) {
  webnn_future *out;
  return webnn_tensor_read(w->context, w->closed, &out, NULL);
}

static webnn_status read_tensor_into(world *w) {
  webnn_future *out;
  float data[N];
  return webnn_tensor_read_into(w->context, w->tensor, data, 3, &out, NULL);
}

static webnn_status map_tensor(world *w) {
  void *out;
  return webnn_tensor_map(w->gone, &out, NULL);
}

/* As a tensor on a device that has a memory of its own. */
static webnn_status map_a_tensor_elsewhere(world *w) {
  void *out, *host = w->tensor->buffer.host;
  w->tensor->buffer.host = NULL;
  webnn_status status = webnn_tensor_map(w->tensor, &out, NULL);
  w->tensor->buffer.host = host;
  return status;
}

static webnn_status starve(world *w) {
  webnn_tensor *out;
  webnn_descriptor descriptor = floats(&(uint32_t){N});
  atomic_store(&w->starved, true);
  webnn_status status = webnn_tensor_create(w->context, &descriptor, NULL, &out, NULL);
  atomic_store(&w->starved, false);
  return status;
}

static webnn_status starve_input(world *w) {
  static uint32_t n;
  webnn_status status = WEBNN_OK;
  webnn_operand *out;
  webnn_descriptor descriptor = floats(&(uint32_t){N});
  atomic_store(&w->starved, true); /* the builder's memory lasts for a while */
  while (status == WEBNN_OK) {
    char name[16];
    int size = snprintf(name, sizeof name, "input%u", (unsigned)n++);
    status = webnn_builder_input(w->builder, (webnn_str){name, (size_t)size}, &descriptor, &out);
  }
  atomic_store(&w->starved, false);
  return status;
}

static webnn_status input(world *w) {
  webnn_operand *out;
  webnn_descriptor descriptor = floats(&(uint32_t){N});
  return webnn_builder_input(w->builder, WEBNN_STR("x"), &descriptor, &out);
}

static webnn_status constant(world *w) {
  webnn_operand *out;
  webnn_descriptor descriptor = floats(&(uint32_t){N});
  return webnn_builder_constant(w->builder, &descriptor, w, 3, &out);
}

static webnn_status constant_mapped(world *w) {
  webnn_operand *out;
  webnn_descriptor descriptor = floats(&(uint32_t){N});
  return webnn_builder_constant_mapped(w->builder, &descriptor, w, 3, NULL, NULL, &out);
}

static webnn_status constant_number(world *w) {
  webnn_operand *out;
  return webnn_builder_constant_number(w->builder, WEBNN_DATA_TYPE_FLOAT32,
                                       (webnn_number){WEBNN_NUMBER_ABSENT, {0}}, &out);
}

static webnn_status constant_tensor(world *w) {
  webnn_operand *out;
  return webnn_builder_constant_tensor(w->builder, w->tensor, &out);
}

static webnn_status operation(world *w) {
  webnn_operator_options options = WEBNN_OPERATOR_OPTIONS_INIT;
  webnn_operand *out;
  options.label = WEBNN_STR("sum");
  return webnn_add(w->builder, w->x, w->i, &options, &out);
}

static webnn_status build(world *w) {
  webnn_future *out;
  return webnn_builder_build(w->builder, NULL, 0, &out);
}

static webnn_status build_sync(world *w) {
  webnn_graph *out;
  return webnn_builder_build_sync(w->builder, NULL, 0, &out);
}

typedef struct file {
  unsigned char bytes[4096];
  size_t n;
} file;

static bool keep(void *ud, const void *data, size_t n_bytes) {
  file *f = ud;
  if (n_bytes > sizeof f->bytes - f->n) return false;
  if (n_bytes != 0) memcpy(f->bytes + f->n, data, n_bytes);
  f->n += n_bytes;
  return true;
}

static webnn_status write_nothing(world *w) {
  file f = {.n = 0};
  return webnn_serial_write(w->builder, NULL, 0, keep, &f);
}

static webnn_status read_a_damaged_file(world *w) {
  const webnn_named_operand *outs;
  size_t n_outs;
  return webnn_serial_read(w->builder, "damaged", 7, &outs, &n_outs);
}

/* The builder has an input of the name: a call that the reading makes fails. */
static webnn_status read_a_taken_name(world *w) {
  const webnn_named_operand *outs;
  size_t n_outs;
  file f = {.n = 0};
  webnn_operand *y = NULL;
  CHECK_STATUS(webnn_relu(w->builder, w->x, NULL, &y), WEBNN_OK);
  webnn_named_operand output = {WEBNN_STR("y"), y};
  CHECK_STATUS(webnn_serial_write(w->builder, &output, 1, keep, &f), WEBNN_OK);
  return webnn_serial_read(w->builder, f.bytes, f.n, &outs, &n_outs);
}

static webnn_status dispatch_nothing(world *w) {
  return webnn_graph_dispatch(w->context, w->graph, NULL, 0, NULL, 0, NULL);
}

static webnn_status compute_nothing(world *w) {
  return webnn_graph_compute(w->context, w->graph, NULL, 0, NULL, 0, NULL);
}

static webnn_status profile_nothing(world *w) {
  return webnn_graph_profile(w->context, w->graph, NULL, 0, NULL, 0, NULL, 9999, NULL);
}

static webnn_status profile_a_destroyed_graph(world *w) {
  size_t n_steps = webnn_graph_n_steps(w->graph);
  double seconds[16] = {0};
  CHECK(n_steps <= 16);
  webnn_graph_destroy(w->graph);
  return webnn_graph_profile(w->context, w->graph, NULL, 0, NULL, 0, seconds, n_steps, NULL);
}

static webnn_status compute_on_a_lost_context(world *w) {
  float a[N] = {0}, b[N] = {0}, y[N];
  webnn_context_destroy(w->context);
  return compute(w->graph, a, b, y, N);
}

static webnn_status compute_on_a_failing_device(world *w) {
  float a[N] = {0}, b[N] = {0}, y[N];
  atomic_store(&fake.fails, true);
  webnn_status status = compute(w->graph, a, b, y, N);
  atomic_store(&fake.fails, false);
  return status;
}

static webnn_status report_error(world *w) {
  webnn_error error = {WEBNN_ERROR_OPERATION, "load: a node that we don't know"};
  webnn_context_report_error(w->context, &error);
  return error.status;
}

/* Later ones. */
static webnn_status wait_for(webnn_future *future) {
  webnn_future_wait(future, -1);
  webnn_status status = webnn_future_result(future, NULL);
  webnn_future_release(future);
  return status;
}

static webnn_status refused_build(world *w) {
  atomic_store(&fake.fails, true);
  webnn_status status = wait_for(start_build(w->context, N));
  atomic_store(&fake.fails, false);
  return status;
}

static webnn_status refused_build_that_nobody_looks_at(world *w) {
  atomic_store(&fake.fails, true);
  fake_close_gate();
  webnn_future *future = start_build(w->context, N);
  fake_await_gate();
  webnn_future_release(future);
  fake_open_gate();
  wait_for(start_build(w->context, N)); /* comes behind it, and fails likewise */
  atomic_store(&fake.fails, false);
  return WEBNN_ERROR_OPERATION;
}

static webnn_status failed_read(world *w) {
  webnn_future *future = NULL;
  atomic_store(&fake.fails, true);
  webnn_tensor_read(w->context, w->large, &future, NULL);
  webnn_status status = wait_for(future);
  atomic_store(&fake.fails, false);
  return status;
}

static webnn_status rejected_read(world *w) {
  webnn_future *future = NULL;
  fake_close_gate();
  webnn_tensor_read(w->context, w->large, &future, NULL);
  webnn_tensor_destroy(w->large);
  fake_open_gate();
  return wait_for(future);
}

static webnn_status read_of_a_lost_context(world *w) {
  webnn_future *future = NULL;
  fake_close_gate();
  webnn_tensor_read(w->context, w->large, &future, NULL);
  webnn_context_destroy(w->context);
  fake_open_gate();
  return wait_for(future);
}

static webnn_status dispatch_on_a_failing_device(world *w) {
  webnn_tensor *a = make_tensor(w->context, N), *b = make_tensor(w->context, N);
  atomic_store(&fake.fails, true);
  CHECK_STATUS(dispatch(w->graph, a, b, w->tensor), WEBNN_OK);
  webnn_future_wait(webnn_context_lost(w->context), -1);
  atomic_store(&fake.fails, false);
  webnn_tensor_release(a);
  webnn_tensor_release(b);
  return WEBNN_ERROR_UNKNOWN;
}

static webnn_status call_on_a_lost_context(world *w) {
  webnn_builder *out;
  webnn_context_destroy(w->context);
  return webnn_builder_create(w->context, &out, NULL);
}

static const struct row {
  const char *name;
  webnn_status (*fail)(world *w);
  webnn_status status;
  webnn_error_filter filter;
  const char *message; /* how it begins */
} rows[] = {
    {"create_tensor", create_tensor, WEBNN_ERROR_TYPE, VALIDATION, "create_tensor: "},
    {"create_constant_tensor", create_constant_tensor, WEBNN_ERROR_TYPE, VALIDATION,
     "create_constant_tensor: 3 bytes given"},
    {"write_tensor", write_tensor, WEBNN_ERROR_TYPE, VALIDATION,
     "write_tensor: the tensor is not writable"},
    {"read_tensor", read_tensor, WEBNN_ERROR_TYPE, VALIDATION,
     "read_tensor: the tensor is not readable"},
    {"read_tensor into", read_tensor_into, WEBNN_ERROR_TYPE, VALIDATION,
     "read_tensor: 3 bytes given"},
    {"map_tensor", map_tensor, WEBNN_ERROR_TYPE, VALIDATION, "map_tensor: the tensor is destroyed"},
    {"map_tensor elsewhere", map_a_tensor_elsewhere, WEBNN_ERROR_NOT_SUPPORTED, VALIDATION,
     "map_tensor: the tensor isn't in the host's memory"},
    {"no memory for a tensor", starve, WEBNN_ERROR_UNKNOWN, OUT_OF_MEMORY, "out of memory"},
    {"no memory for an input", starve_input, WEBNN_ERROR_UNKNOWN, OUT_OF_MEMORY, "out of memory"},
    {"input", input, WEBNN_ERROR_TYPE, VALIDATION, "input: the name 'x' is taken"},
    {"constant", constant, WEBNN_ERROR_TYPE, VALIDATION, "constant: float32[4] needs 16 bytes"},
    {"constant, mapped", constant_mapped, WEBNN_ERROR_TYPE, VALIDATION,
     "constant: float32[4] needs 16 bytes"},
    {"constant, number", constant_number, WEBNN_ERROR_TYPE, VALIDATION,
     "constant: the value is missing"},
    {"constant, tensor", constant_tensor, WEBNN_ERROR_TYPE, VALIDATION,
     "constant: the tensor is not constant"},
    {"operation", operation, WEBNN_ERROR_TYPE, VALIDATION, "[sum] add: "},
    {"build", build, WEBNN_ERROR_TYPE, VALIDATION, "build: there are no outputs"},
    {"build, waited for", build_sync, WEBNN_ERROR_TYPE, VALIDATION, "build: there are no outputs"},
    {"write", write_nothing, WEBNN_ERROR_TYPE, VALIDATION, "write: there are no outputs"},
    {"read", read_a_damaged_file, WEBNN_ERROR_OPERATION, INTERNAL, "read: "},
    {"read, a call in it", read_a_taken_name, WEBNN_ERROR_TYPE, VALIDATION,
     "input: the name 'x' is taken"},
    {"dispatch", dispatch_nothing, WEBNN_ERROR_TYPE, VALIDATION, "dispatch: input 'a' is missing"},
    {"compute", compute_nothing, WEBNN_ERROR_TYPE, VALIDATION, "compute: input 'a' is missing"},
    {"profile", profile_nothing, WEBNN_ERROR_TYPE, VALIDATION, "profile: there is room for 9999"},
    {"profile of a destroyed graph", profile_a_destroyed_graph, WEBNN_ERROR_INVALID_STATE,
     VALIDATION, "profile: the graph is destroyed"},
    {"compute on a lost context", compute_on_a_lost_context, WEBNN_ERROR_INVALID_STATE, VALIDATION,
     "compute: the context is lost: the context was destroyed"},
    {"compute on a failing device", compute_on_a_failing_device, WEBNN_ERROR_UNKNOWN, INTERNAL,
     "compute: the graph failed on the device"},
    {"report_error", report_error, WEBNN_ERROR_OPERATION, INTERNAL, "load: a node"},
    {"a build that is refused", refused_build, WEBNN_ERROR_OPERATION, INTERNAL, "build: refused"},
    {"the same without a handle", refused_build_that_nobody_looks_at, WEBNN_ERROR_OPERATION,
     INTERNAL, "build: refused"},
    {"a read that fails", failed_read, WEBNN_ERROR_UNKNOWN, INTERNAL, "read_tensor: "},
    {"a read of a tensor that goes", rejected_read, WEBNN_ERROR_INVALID_STATE, VALIDATION,
     "read_tensor: the tensor was destroyed"},
    {"a read of a context that goes", read_of_a_lost_context, WEBNN_ERROR_INVALID_STATE, VALIDATION,
     "read_tensor: the context is lost: the context was destroyed"},
    {"dispatch on a failing device", dispatch_on_a_failing_device, WEBNN_ERROR_UNKNOWN, INTERNAL,
     "a dispatched graph failed on the device"},
    {"a call on a lost context", call_on_a_lost_context, WEBNN_ERROR_INVALID_STATE, VALIDATION,
     "graph_builder: the context is lost"},
};
#define N_ROWS (sizeof rows / sizeof rows[0])

#endif
