/* For the tests of contexts, tensors, futures and graphs: a backend whose runs can be held back,
 * counted and made to fail, and short ways to make things. Its kernels are the reference's. */
#ifndef WEBNN_TESTS_RUNTIME_H
#define WEBNN_TESTS_RUNTIME_H

#include "base/sync.h"
#include "context/context.h"
#include "harness.h"
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <webnn/webnn.h>

extern const wnn_backend wnn_backend_reference;

/* What the backend of these tests does; set before the work that it concerns. */
static struct {
  atomic_int gate;      /* runs, compilations and reads on the worker wait while it is closed (1) */
  atomic_int n_waiting; /* at the gate */
  atomic_int n_runs;
  atomic_int n_open; /* devices: a worker with work to end may outlive the test that made it */
  atomic_bool fails; /* runs, compilations and copies end with a failure */
  atomic_bool heavy; /* no graph is light */
  atomic_bool quick; /* runs don't linger: a dispatch may do one at once instead of queueing it */
} fake;

static inline void fake_pass_gate(void) {
  atomic_fetch_add(&fake.n_waiting, 1);
  while (atomic_load(&fake.gate) != 0) sched_yield();
  atomic_fetch_sub(&fake.n_waiting, 1);
}

static inline void fake_close_gate(void) { atomic_store(&fake.gate, 1); }
static inline void fake_open_gate(void) { atomic_store(&fake.gate, 0); }
static inline void fake_await_gate(void) { /* until something waits there */
  while (atomic_load(&fake.n_waiting) == 0) sched_yield();
}

#define FAKE_LINGER_NS 10000

static inline webnn_status fake_run(wnn_executable *executable, const wnn_buffer *const *inputs,
                                    const wnn_buffer *const *outputs, double *seconds) {
  const int64_t end = wnn_now_ns() + FAKE_LINGER_NS;
  fake_pass_gate();
  atomic_fetch_add(&fake.n_runs, 1);
  while (!atomic_load(&fake.quick) && wnn_now_ns() < end) continue;
  if (atomic_load(&fake.fails)) return WEBNN_ERROR_UNKNOWN;
  return wnn_backend_reference.run(executable, inputs, outputs, seconds);
}

static inline webnn_status fake_compile(wnn_device *device, wnn_graph *graph, wnn_executable **out,
                                        webnn_error *err) {
  fake_pass_gate();
  if (atomic_load(&fake.fails)) {
    *err = (webnn_error){WEBNN_ERROR_NOT_SUPPORTED, "build: refused"};
    return err->status;
  }
  return wnn_backend_reference.compile(device, graph, out, err);
}

static inline webnn_status fake_read(wnn_device *device, const wnn_buffer *buffer, void *data) {
  fake_pass_gate();
  if (atomic_load(&fake.fails)) return WEBNN_ERROR_UNKNOWN;
  return wnn_backend_reference.buffer_read(device, buffer, data);
}

static inline webnn_status fake_open(const wnn_host *host, wnn_device **out, webnn_error *err) {
  webnn_status status = wnn_backend_reference.open(host, out, err);
  if (status == WEBNN_OK) atomic_fetch_add(&fake.n_open, 1);
  return status;
}

static inline void fake_close(wnn_device *device) {
  wnn_backend_reference.close(device);
  atomic_fetch_sub(&fake.n_open, 1);
}

/* At the first context of a test: what earlier tests have left running ends before anything is counted. Some leave
 * a device open on purpose, so the wait has an end. */
static inline void fake_settle(void) {
  static const char *settled;
  for (int i = 0; i < 2000 && harness.test != settled && atomic_load(&fake.n_open) > 0; i++) nanosleep(&(struct timespec){0, 1000000}, NULL);
  settled = harness.test;
}

static inline bool fake_is_light(const wnn_executable *executable) {
  return !atomic_load(&fake.heavy) && wnn_backend_reference.is_light(executable);
}

static inline webnn_context *make_context_of(const webnn_context_options *options) {
  static wnn_backend backend;
  webnn_context *context = NULL;
  if (backend.name == NULL) {
    backend = wnn_backend_reference;
    backend.name = "fake";
    backend.open = fake_open;
    backend.close = fake_close;
    backend.run = fake_run;
    backend.compile = fake_compile;
    backend.buffer_read = fake_read;
    backend.is_light = fake_is_light;
  }
  fake_settle();
  atomic_store(&fake.gate, 0);
  atomic_store(&fake.n_runs, 0);
  atomic_store(&fake.fails, false);
  atomic_store(&fake.heavy, false);
  atomic_store(&fake.quick, false);
  CHECK_STATUS(wnn_context_open(options, &backend, "", &context, NULL), WEBNN_OK);
  return context;
}

static inline webnn_context *make_context(void) {
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  return make_context_of(&options);
}

static inline webnn_descriptor floats(const uint32_t *n) {
  return (webnn_descriptor){WEBNN_DATA_TYPE_FLOAT32, 1, n};
}

/* A readable and writable tensor of `n` floats. */
static inline webnn_tensor *make_tensor(webnn_context *context, uint32_t n) {
  webnn_tensor_options options = WEBNN_TENSOR_OPTIONS_INIT;
  webnn_tensor *tensor = NULL;
  options.readable = options.writable = true;
  webnn_descriptor descriptor = floats(&n);
  CHECK_STATUS(webnn_tensor_create(context, &descriptor, &options, &tensor, NULL), WEBNN_OK);
  return tensor;
}

/* The future of a graph y = a + b of `n` floats; NULL when a call fails. */
static inline webnn_future *start_build(webnn_context *context, uint32_t n) {
  webnn_builder *builder = NULL;
  webnn_operand *a = NULL, *b = NULL, *y = NULL;
  webnn_future *future = NULL;
  webnn_descriptor descriptor = floats(&n);
  if (webnn_builder_create(context, &builder, NULL) == WEBNN_OK &&
      webnn_builder_input(builder, WEBNN_STR("a"), &descriptor, &a) == WEBNN_OK &&
      webnn_builder_input(builder, WEBNN_STR("b"), &descriptor, &b) == WEBNN_OK &&
      webnn_add(builder, a, b, NULL, &y) == WEBNN_OK) {
    webnn_named_operand output = {WEBNN_STR("y"), y};
    webnn_builder_build(builder, &output, 1, &future);
  }
  webnn_builder_release(builder);
  return future;
}

/* The graph itself, waited for. */
static inline webnn_graph *make_graph(webnn_context *context, uint32_t n) {
  webnn_future *future = start_build(context, n);
  if (!REQUIRE(future != NULL)) return NULL;
  CHECK_STATUS(webnn_future_wait(future, -1), WEBNN_OK);
  webnn_error err = {WEBNN_OK, ""};
  if (!CHECK_STATUS(webnn_future_result(future, &err), WEBNN_OK)) printf("    %s\n", err.message);
  webnn_graph *graph = webnn_graph_retain(webnn_future_graph(future));
  webnn_future_release(future);
  return graph;
}

static inline webnn_status write_all(webnn_context *context, webnn_tensor *tensor, float value) {
  size_t n = webnn_tensor_byte_length(tensor) / sizeof value;
  float *data = malloc(n * sizeof value);
  for (size_t i = 0; i < n; i++) data[i] = value;
  webnn_status status = webnn_tensor_write(context, tensor, data, n * sizeof value, NULL);
  free(data);
  return status;
}

/* Reads the tensor and says whether all its elements are the same, and which; NaN when not. */
static inline float read_all(webnn_context *context, webnn_tensor *tensor) {
  webnn_future *future = NULL;
  size_t n_bytes = 0;
  if (!CHECK_STATUS(webnn_tensor_read(context, tensor, &future, NULL), WEBNN_OK))
    return 0.0f / 0.0f;
  CHECK_STATUS(webnn_future_wait(future, -1), WEBNN_OK);
  const float *data = webnn_future_data(future, &n_bytes);
  float value = data != NULL ? data[0] : 0.0f / 0.0f;
  for (size_t i = 0; data != NULL && i < n_bytes / sizeof *data; i++)
    if (data[i] != value) value = 0.0f / 0.0f;
  CHECK(n_bytes == webnn_tensor_byte_length(tensor));
  webnn_future_release(future);
  return value;
}

static inline webnn_status dispatch(webnn_graph *graph, webnn_tensor *a, webnn_tensor *b,
                                    webnn_tensor *y) {
  webnn_named_tensor inputs[] = {{WEBNN_STR("a"), a}, {WEBNN_STR("b"), b}};
  webnn_named_tensor output = {WEBNN_STR("y"), y};
  return webnn_graph_dispatch(webnn_graph_context(graph), graph, inputs, 2, &output, 1, NULL);
}

static inline webnn_status compute(webnn_graph *graph, float *a, float *b, float *y, size_t n) {
  webnn_named_data inputs[] = {{WEBNN_STR("a"), a, n * sizeof *a},
                               {WEBNN_STR("b"), b, n * sizeof *b}};
  webnn_named_data output = {WEBNN_STR("y"), y, n * sizeof *y};
  return webnn_graph_compute(webnn_graph_context(graph), graph, inputs, 2, &output, 1, NULL);
}

/* Threads of a test. */
static inline void run_threads(wnn_thread *threads, size_t n, void (*fn)(void *arg), void *arg) {
  for (size_t i = 0; i < n; i++) CHECK(wnn_thread_start(&threads[i], fn, arg));
  for (size_t i = 0; i < n; i++) wnn_thread_join(&threads[i]);
}

#endif
