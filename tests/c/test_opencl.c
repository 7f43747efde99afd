/* The OpenCL backend beyond the vectors: devices, memory, the order of things, fusion counted in
 * launches, and the cache of programs. Ends with 77, and says why, where there is no OpenCL device.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "context/context.h"
#include "harness.h"
#include "maker.h"
#include "opencl/opencl.h"

#define EXIT_SKIPPED 77

UNARY_CALL(relu)
UNARY_CALL(sigmoid)
UNARY_CALL(exp)
BINARY_CALL(add)
BINARY_CALL(mul)
BINARY_CALL(matmul)

static webnn_status open_opencl(const char *device, webnn_context **out, webnn_error *err) {
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  options.backend = "opencl";
  options.device = device;
  return webnn_context_create(&options, out, err);
}

/* A context, a builder on it, and what is built there. */
typedef struct scene {
  webnn_context *context;
  maker m;
  webnn_graph *graph;
} scene;

static scene begin(void) {
  scene s = {NULL, {NULL, false}, NULL};
  webnn_error err;
  s.m.failed = open_opencl(NULL, &s.context, &err) != WEBNN_OK ||
               webnn_builder_create(s.context, &s.m.builder, &err) != WEBNN_OK;
  return s;
}

static bool build(scene *s, webnn_operand *y) {
  webnn_named_operand output = {WEBNN_STR("y"), y};
  s->m.failed |= webnn_builder_build_sync(s->m.builder, &output, 1, &s->graph) != WEBNN_OK;
  if (s->m.failed) printf("%s\n", webnn_builder_error(s->m.builder)->message);
  return !s->m.failed;
}

static void end(scene *s) {
  webnn_graph_release(s->graph);
  webnn_builder_release(s->m.builder);
  webnn_context_release(s->context);
}

static webnn_operand *constant(scene *s, size_t rank, const uint32_t *shape, const float *data,
                               size_t n) {
  webnn_operand *out = NULL;
  webnn_descriptor desc = {F32, rank, shape};
  s->m.failed |=
      webnn_builder_constant(s->m.builder, &desc, data, n * sizeof *data, &out) != WEBNN_OK;
  return out;
}

static unsigned launches(const webnn_graph *graph) {
  webnn_graph_step step = WEBNN_GRAPH_STEP_INIT;
  unsigned n = 0;
  for (size_t i = 0; webnn_graph_get_step(graph, i, &step); i++) n += step.n_launches;
  return n;
}

static bool compute(scene *s, float *x, size_t n_x, float *y, size_t n_y) {
  webnn_named_data in = {WEBNN_STR("x"), x, n_x * sizeof *x},
                   out = {WEBNN_STR("y"), y, n_y * sizeof *y};
  webnn_error err = {WEBNN_OK, ""};
  bool ok = webnn_graph_compute(s->context, s->graph, &in, 1, &out, 1, &err) == WEBNN_OK;
  if (!ok) printf("%s\n", err.message);
  return ok;
}

TEST(tells_its_device) {
  scene s = begin();
  webnn_context_info info = WEBNN_CONTEXT_INFO_INIT;
  if (!REQUIRE(!s.m.failed)) return;
  webnn_context_get_info(s.context, &info);
  CHECK_STR(info.backend, "opencl");
  CHECK(info.device[0] != '\0');
  CHECK(strstr(info.driver, "OpenCL") != NULL);
  end(&s);
}

TEST(finds_a_device_by_part_of_its_name) {
  scene s = begin();
  webnn_context_info info = WEBNN_CONTEXT_INFO_INIT;
  webnn_context *other = NULL;
  webnn_error err = {WEBNN_OK, ""};
  char part[4] = "";
  if (!REQUIRE(!s.m.failed)) return;
  webnn_context_get_info(s.context, &info);
  memcpy(part, info.device, sizeof part - 1);
  CHECK_STATUS(open_opencl(part, &other, &err), WEBNN_OK);
  webnn_context_release(other);
  CHECK_STATUS(open_opencl("no device is called so", &other, &err), WEBNN_ERROR_NOT_SUPPORTED);
  CHECK(strstr(err.message, "no device is called so") != NULL);
  end(&s);
}

TEST(a_gpu_is_a_gpu_or_the_context_says_why) {
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_context_info info = WEBNN_CONTEXT_INFO_INIT;
  webnn_context *context = NULL;
  webnn_error err;
  options.device_type = WEBNN_DEVICE_TYPE_GPU;
  if (!REQUIRE(webnn_context_create(&options, &context, &err) == WEBNN_OK)) return;
  webnn_context_get_info(context, &info);
  if (strcmp(info.backend, "opencl") == 0)
    CHECK_STR(info.why, "");
  else
    CHECK(strstr(info.why, "opencl") != NULL);
  webnn_context_release(context);
}

static webnn_tensor *tensor(scene *s, const uint32_t *shape, size_t rank) {
  webnn_tensor_options options = WEBNN_TENSOR_OPTIONS_INIT;
  webnn_descriptor desc = {F32, rank, shape};
  webnn_tensor *out = NULL;
  webnn_error err;
  options.readable = options.writable = true;
  s->m.failed |= webnn_tensor_create(s->context, &desc, &options, &out, &err) != WEBNN_OK;
  return out;
}

static bool read_back(scene *s, webnn_tensor *from, float *to, size_t n) {
  webnn_future *future = NULL;
  webnn_error err;
  if (webnn_tensor_read_into(s->context, from, to, n * sizeof *to, &future, &err) != WEBNN_OK)
    return false;
  webnn_future_wait(future, -1);
  bool ok = webnn_future_result(future, &err) == WEBNN_OK;
  webnn_future_release(future);
  return ok;
}

TEST(tensors_begin_as_zeros_and_keep_what_is_written) {
  scene s = begin();
  const uint32_t shape[] = {3, 333};
  float there[999], back[999];
  webnn_error err;
  if (!REQUIRE(!s.m.failed)) return;
  webnn_tensor *t = tensor(&s, shape, 2);
  memset(back, 0xA5, sizeof back);
  CHECK(read_back(&s, t, back, 999));
  for (size_t i = 0; i < 999; i++) CHECK(back[i] == 0);
  for (size_t i = 0; i < 999; i++) there[i] = (float)i - 0.5f;
  CHECK_STATUS(webnn_tensor_write(s.context, t, there, sizeof there, &err), WEBNN_OK);
  memset(back, 0xA5, sizeof back);
  CHECK(read_back(&s, t, back, 999));
  CHECK(memcmp(there, back, sizeof back) == 0);
  void *host = NULL;
  CHECK_STATUS(webnn_tensor_map(t, &host, &err), WEBNN_ERROR_NOT_SUPPORTED);
  webnn_tensor_release(t);
  end(&s);
}

/* Nobody waits between the runs: what one leaves is what the next finds. */
TEST(dispatches_follow_one_another) {
  scene s = begin();
  const uint32_t shape[] = {1000};
  const float one = 1;
  float back[1000];
  webnn_error err;
  webnn_operand *x = input(&s.m, "x", 1, shape);
  if (!REQUIRE(build(&s, add_of(&s.m, x, constant(&s, 0, NULL, &one, 1))))) return;
  webnn_tensor *a = tensor(&s, shape, 1), *b = tensor(&s, shape, 1);
  for (int i = 0; i < 50; i++) {
    webnn_named_tensor in = {WEBNN_STR("x"), i % 2 ? b : a}, out = {WEBNN_STR("y"), i % 2 ? a : b};
    CHECK_STATUS(webnn_graph_dispatch(s.context, s.graph, &in, 1, &out, 1, &err), WEBNN_OK);
  }
  webnn_graph_destroy(s.graph); /* what is queued runs all the same */
  CHECK(read_back(&s, a, back, 1000));
  for (size_t i = 0; i < 1000; i++) CHECK(back[i] == 50);
  webnn_tensor_release(a);
  webnn_tensor_release(b);
  end(&s);
}

TEST(a_chain_of_elements_is_one_launch) {
  scene s = begin();
  const uint32_t shape[] = {2, 3, 4}, row[] = {3, 1};
  const float bias[] = {-1, 0, 1}, half = 0.5f;
  float x[24], y[24];
  webnn_operand *in = input(&s.m, "x", 3, shape);
  webnn_operand *z = add_of(&s.m, in, constant(&s, 2, row, bias, 3));
  z = relu_of(&s.m, mul_of(&s.m, z, constant(&s, 0, NULL, &half, 1)));
  z = exp_of(&s.m, mul_of(&s.m, z, in));
  if (!REQUIRE(build(&s, z))) return;
  CHECK(launches(s.graph) == 1);
  for (size_t i = 0; i < 24; i++) x[i] = (float)i / 8 - 1;
  CHECK(compute(&s, x, 24, y, 24));
  for (size_t i = 0; i < 24; i++) {
    double wanted = exp(fmax(0, (x[i] + bias[i / 4 % 3]) * 0.5) * x[i]);
    CHECK(fabs(y[i] - wanted) <= 1e-6 * wanted);
  }
  end(&s);
}

/* Both readers of a value lead to one another. */
TEST(a_value_that_two_read_stays_in_the_launch) {
  scene s = begin();
  const uint32_t shape[] = {2, 3, 4};
  float x[24], y[24];
  webnn_operand *z = relu_of(&s.m, input(&s.m, "x", 3, shape));
  z = mul_of(&s.m, sigmoid_of(&s.m, z), z);
  z = add_of(&s.m, z, exp_of(&s.m, sigmoid_of(&s.m, z)));
  if (!REQUIRE(build(&s, z))) return;
  CHECK(launches(s.graph) == 1);
  for (size_t i = 0; i < 24; i++) x[i] = (float)i / 8 - 1;
  CHECK(compute(&s, x, 24, y, 24));
  for (size_t i = 0; i < 24; i++) {
    const double r = fmax(0, x[i]), silu = r / (1 + exp(-r));
    const double wanted = silu + exp(1 / (1 + exp(-silu)));
    CHECK(fabs(y[i] - wanted) <= 1e-6 * wanted);
  }
  end(&s);
}

/* A product with its bias, activation and residual, and what follows a normalisation. */
TEST(what_follows_an_anchor_is_computed_with_it) {
  scene s = begin();
  const uint32_t shape[] = {4, 4}, row[] = {4};
  const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
              bias[] = {1, 2, 3, 4};
  float x[16], y[16];
  webnn_operand *in = input(&s.m, "x", 2, shape);
  webnn_operand *z = matmul_of(&s.m, in, constant(&s, 2, shape, identity, 16));
  z = add_of(&s.m, sigmoid_of(&s.m, add_of(&s.m, z, constant(&s, 1, row, bias, 4))), in);
  webnn_operand *soft = NULL;
  s.m.failed |= webnn_softmax(s.m.builder, z, 1, NULL, &soft) != WEBNN_OK;
  if (!REQUIRE(build(&s, mul_of(&s.m, soft, in)))) return;
  CHECK(launches(s.graph) == 2);
  for (size_t i = 0; i < 16; i++) x[i] = (float)i / 4 - 2;
  CHECK(compute(&s, x, 16, y, 16));
  for (size_t i = 0; i < 4; i++) {
    double e[4], sum = 0;
    for (size_t k = 0; k < 4; k++) {
      double v = x[i * 4 + k];
      e[k] = exp(1 / (1 + exp(-(v + bias[k]))) + v);
      sum += e[k];
    }
    for (size_t k = 0; k < 4; k++) CHECK(fabs(y[i * 4 + k] - e[k] / sum * x[i * 4 + k]) <= 1e-6);
  }
  end(&s);
}

/* ---- movement: a row of some thousand elements, short rows, and what stands at their ends */

static webnn_operand *padded(maker *m, webnn_operand *x, webnn_padding_mode mode) {
  webnn_pad_options options = WEBNN_PAD_OPTIONS_INIT;
  webnn_operand *out = NULL;
  options.mode = mode;
  m->failed |= webnn_pad(m->builder, x, (const uint32_t[]){1, 0, 3}, 3, (const uint32_t[]){0, 2, 5},
                         3, &options, &out) != WEBNN_OK;
  return out;
}

static webnn_operand *joined(maker *m, const webnn_operand *const *parts, size_t n, uint32_t axis) {
  webnn_operand *out = NULL;
  m->failed |= webnn_concat(m->builder, parts, n, axis, NULL, &out) != WEBNN_OK;
  return out;
}

/* Pads in every mode, cuts into three and joins in another order, along `axis`; takes every other
 * element from somewhere on, and turns the last two axes. */
static webnn_operand *moved(maker *m, webnn_operand *x, uint32_t axis, const uint32_t *dims) {
  webnn_operand *y = x, *pieces[3] = {NULL};
  uint32_t sizes[3] = {dims[0] + 4, dims[1] + 8, dims[2] + 32}, splits[3] = {1, 3, sizes[axis] - 4};
  for (int mode = 0; mode < 4; mode++) y = padded(m, y, (webnn_padding_mode)mode);
  webnn_split_options split = WEBNN_SPLIT_OPTIONS_INIT;
  size_t n_pieces = 3;
  split.axis = axis;
  m->failed |= webnn_split(m->builder, y, splits, 3, &split, pieces, &n_pieces) != WEBNN_OK;
  y = joined(m, (const webnn_operand *const[]){pieces[2], pieces[0], pieces[1]}, 3, axis);
  webnn_slice_options slice = WEBNN_SLICE_OPTIONS_INIT;
  slice.strides = (const uint32_t[]){1, 2, 3};
  slice.n_strides = 3;
  const uint32_t starts[] = {1, 0, 2}, counts[] = {sizes[0] - 1, sizes[1], sizes[2] - 2};
  webnn_operand *cut = NULL, *turned = NULL;
  m->failed |= webnn_slice(m->builder, y, starts, 3, counts, 3, &slice, &cut) != WEBNN_OK;
  webnn_transpose_options transpose = WEBNN_TRANSPOSE_OPTIONS_INIT;
  transpose.permutation = (const uint32_t[]){0, 2, 1};
  transpose.n_permutation = 3;
  m->failed |= webnn_transpose(m->builder, cut, &transpose, &turned) != WEBNN_OK;
  return turned;
}

/* What the graph of `moved` gives on a backend: `by_rows` as processors do it, or as others do. */
static float *move_on(const char *backend, bool by_rows, uint32_t axis, const uint32_t *dims,
                      size_t *n) {
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  scene s = {NULL, {NULL, false}, NULL};
  webnn_error err;
  options.backend = backend;
  s.m.failed = webnn_context_create(&options, &s.context, &err) != WEBNN_OK ||
               webnn_builder_create(s.context, &s.m.builder, &err) != WEBNN_OK;
  if (!REQUIRE(!s.m.failed)) return NULL;
  if (strcmp(backend, "opencl") == 0) s.context->device->is_cpu = by_rows;
  webnn_operand *y = moved(&s.m, input(&s.m, "x", 3, dims), axis, dims);
  const size_t n_in = (size_t)dims[0] * dims[1] * dims[2];
  float *x = malloc(n_in * sizeof *x), *out = NULL;
  for (size_t i = 0; i < n_in; i++) x[i] = (float)i + 1;
  *n = 1;
  if (build(&s, y)) {
    const webnn_descriptor desc = webnn_operand_descriptor(y);
    for (size_t i = 0; i < desc.rank; i++) *n *= desc.shape[i];
    out = calloc(*n, sizeof *out);
    CHECK(compute(&s, x, n_in, out, *n));
  }
  free(x);
  end(&s);
  return out;
}

TEST(elements_move_the_same_by_rows_and_one_by_one) {
  static const uint32_t shapes[][3] = {{3, 9, 5000}, {4, 12, 16}, {2, 300, 16}};
  for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++)
    for (uint32_t axis = 0; axis < 3; axis++) {
      size_t n, again;
      CONTEXT("shape %zu, axis %u", k, (unsigned)axis);
      float *wanted = move_on("reference", false, axis, shapes[k], &n);
      for (int by_rows = 0; by_rows < 2 && wanted != NULL; by_rows++) {
        float *got = move_on("opencl", by_rows, axis, shapes[k], &again);
        CHECK(got != NULL && n == again && memcmp(got, wanted, n * sizeof *got) == 0);
        free(got);
      }
      free(wanted);
    }
  CONTEXT("%s", "");
}

/* ---- the timeline: nothing waits for the device, and what fails there is told */

static bool write_all(scene *s, webnn_tensor *to, const float *data, size_t n) {
  webnn_error err;
  return webnn_tensor_write(s->context, to, data, n * sizeof *data, &err) == WEBNN_OK;
}

static bool dispatch(scene *s, webnn_tensor *x, webnn_tensor *y) {
  webnn_named_tensor in = {WEBNN_STR("x"), x}, out = {WEBNN_STR("y"), y};
  webnn_error err;
  return webnn_graph_dispatch(s->context, s->graph, &in, 1, &out, 1, &err) == WEBNN_OK;
}

typedef cl_event create_event_fn(cl_context context, cl_int *code);
typedef cl_int set_event_fn(cl_event event, cl_int status);

/* Functions that the library itself doesn't need. */
static void find(const char *name, void *out) {
  void *loader = dlopen("libOpenCL.so.1", RTLD_NOW), *found = loader ? dlsym(loader, name) : NULL;
  memcpy(out, &found, sizeof found);
}

typedef struct user_events {
  create_event_fn *create;
  set_event_fn *set;
} user_events;

static bool find_user_events(user_events *out) {
  find("clCreateUserEvent", &out->create);
  find("clSetUserEventStatus", &out->set);
  return out->create != NULL && out->set != NULL;
}

/* While the device stands still all is queued: an export gives its event once nothing is left to be
 * queued. */
TEST(writes_and_dispatches_wait_for_nothing) {
  const uint32_t n = 3 << 20, shape[] = {n}; /* 12 MiB: more than fits the stages */
  scene s = begin();
  webnn_tensor *x = tensor(&s, shape, 1), *y = tensor(&s, shape, 1);
  float *data = malloc(n * sizeof *data), *small = data;
  void *memory = NULL, *event = NULL;
  user_events user;
  webnn_error err;
  cl_int code;
  if (!REQUIRE(data != NULL && find_user_events(&user))) return;
  wnn_device *device = s.context->device;
  if (!REQUIRE(build(&s, relu_of(&s.m, input(&s.m, "x", 1, shape))))) return;
  for (uint32_t i = 0; i < n; i++) data[i] = (float)(i % 1000) - 500;
  CHECK(write_all(&s, x, data, n) && dispatch(&s, x, y)); /* more than stages hold, once */
  const uint32_t few[] = {8};
  webnn_tensor *a = tensor(&s, few, 1), *b = tensor(&s, few, 1);
  scene t = {s.context, {NULL, false}, NULL};
  t.m.failed = webnn_builder_create(s.context, &t.m.builder, &err) != WEBNN_OK;
  CHECK(build(&t, relu_of(&t.m, input(&t.m, "x", 1, few))));
  CHECK(read_back(&s, y, data, n));
  for (uint32_t i = 0; i < n; i++)
    if (data[i] != ((float)(i % 1000) - 500 > 0 ? (float)(i % 1000) - 500 : 0)) CHECK(false);

  cl_event gate = user.create(device->context, &code);
  CHECK(wnn_cl_await_event(device, gate) == WEBNN_OK); /* the device stands still */
  for (int i = 0; i < 8; i++) small[i] = (float)(i - 4);
  CHECK(write_all(&t, a, small, 8) && dispatch(&t, a, b));
  for (int i = 0; i < 8; i++) small[i] = -1; /* it was copied */
  CHECK_STATUS(webnn_tensor_export_opencl(b, &memory, &event, &err), WEBNN_OK);
  CHECK(user.set(gate, CL_COMPLETE) == CL_SUCCESS);
  cl_event done = event;
  CHECK(device->cl.clWaitForEvents(1, &done) == CL_SUCCESS);
  CHECK_STATUS(webnn_tensor_return_opencl(b, NULL, &err), WEBNN_OK);
  CHECK(read_back(&t, b, small, 8) && small[3] == 0 && small[7] == 3);
  device->cl.clReleaseEvent(done);
  device->cl.clReleaseEvent(gate);
  webnn_tensor *all[] = {x, y, a, b};
  for (int i = 0; i < 4; i++) webnn_tensor_release(all[i]);
  webnn_graph_release(t.graph);
  webnn_builder_release(t.m.builder);
  free(data);
  end(&s);
}

/* Neither when a tensor comes back, which it does all the same, nor when memory is imported. */
TEST(events_of_another_device_are_refused) {
  const uint32_t few[] = {8};
  scene s = begin(), other = begin();
  webnn_tensor *lent = tensor(&s, few, 1), *made = lent;
  void *memory = NULL, *event = NULL;
  user_events user;
  webnn_error err = {WEBNN_OK, ""};
  webnn_descriptor desc = {F32, 1, few};
  cl_int code;
  if (!REQUIRE(find_user_events(&user) && lent != NULL)) return;
  wnn_device *device = s.context->device;
  cl_event foreign = user.create(other.context->device->context, &code);
  CHECK_STATUS(webnn_tensor_export_opencl(lent, &memory, &event, &err), WEBNN_OK);
  CHECK_STATUS(webnn_tensor_import_opencl(s.context, &desc, NULL, memory, foreign, &made, &err),
               WEBNN_ERROR_UNKNOWN);
  CHECK(made == NULL && strstr(err.message, "import_opencl: the device failed (32 bytes)") != NULL);
  CHECK_STATUS(webnn_tensor_return_opencl(lent, foreign, &err), WEBNN_ERROR_UNKNOWN);
  CHECK(strstr(err.message, "return_opencl: the event can't be waited for") != NULL);
  CHECK_STATUS(webnn_tensor_return_opencl(lent, foreign, &err), WEBNN_ERROR_INVALID_STATE);
  float back[8] = {1};
  CHECK(read_back(&s, lent, back, 8) && back[0] == 0);
  CHECK(user.set(foreign, CL_COMPLETE) == CL_SUCCESS);
  device->cl.clReleaseEvent(foreign);
  device->cl.clReleaseEvent(event);
  webnn_tensor_release(lent);
  end(&s);
  end(&other);
}

TEST(what_is_lent_and_taken_is_checked) {
  const uint32_t few[] = {8};
  const float data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  scene s = begin(), other = begin();
  webnn_tensor *lent = tensor(&s, few, 1), *gone = tensor(&s, few, 1), *fixed = NULL, *made = lent;
  void *memory = NULL, *event = NULL, *again = &memory;
  webnn_error err = {WEBNN_OK, ""};
  webnn_descriptor desc = {F32, 1, few}, more = {F32, 1, (const uint32_t[]){9}};
  CHECK_STATUS(webnn_tensor_create_constant(s.context, &desc, data, sizeof data, &fixed, &err),
               WEBNN_OK);
  webnn_tensor_destroy(gone);
  CHECK_STATUS(webnn_tensor_export_opencl(fixed, &memory, &event, &err), WEBNN_ERROR_TYPE);
  CHECK_STATUS(webnn_tensor_export_opencl(gone, &memory, &event, &err), WEBNN_ERROR_TYPE);
  CHECK(memory == NULL && event == NULL);
  CHECK_STATUS(webnn_tensor_export_opencl(lent, &memory, &event, &err), WEBNN_OK);
  CHECK_STATUS(webnn_tensor_export_opencl(lent, &again, &again, &err), WEBNN_ERROR_INVALID_STATE);
  CHECK(again == NULL);
  CHECK_STATUS(webnn_tensor_write(s.context, lent, data, sizeof data, &err),
               WEBNN_ERROR_INVALID_STATE);
  CHECK_STATUS(webnn_tensor_import_opencl(s.context, &desc, NULL, NULL, NULL, &made, &err),
               WEBNN_ERROR_TYPE);
  CHECK(made == NULL && strstr(err.message, "import_opencl: there is no memory given") != NULL);
  CHECK_STATUS(webnn_tensor_import_opencl(s.context, &more, NULL, memory, NULL, &made, &err),
               WEBNN_ERROR_TYPE);
  CHECK(strstr(err.message, "of 36 bytes at least") != NULL);
  CHECK_STATUS(webnn_tensor_import_opencl(other.context, &desc, NULL, memory, NULL, &made, &err),
               WEBNN_ERROR_TYPE);
  CHECK_STATUS(webnn_tensor_return_opencl(lent, NULL, &err), WEBNN_OK);
  CHECK_STATUS(webnn_tensor_return_opencl(lent, NULL, &err), WEBNN_ERROR_INVALID_STATE);
  s.context->device->cl.clReleaseEvent(event);
  webnn_context_destroy(s.context);
  CHECK_STATUS(webnn_tensor_export_opencl(lent, &memory, &event, &err), WEBNN_ERROR_INVALID_STATE);
  CHECK_STATUS(webnn_tensor_import_opencl(s.context, &desc, NULL, &desc, NULL, &made, &err),
               WEBNN_ERROR_INVALID_STATE);
  webnn_tensor *all[] = {lent, gone, fixed};
  for (int i = 0; i < 3; i++) webnn_tensor_release(all[i]);
  end(&s);
  end(&other);
}

typedef struct late_export {
  scene *s;
  webnn_tensor *busy;
  webnn_status written, exported;
  bool empty;
} late_export;

static void export_at_work(webnn_future *future, void *ud) {
  late_export *late = (late_export *)ud;
  const float data[8] = {0};
  void *memory = late, *event = late;
  webnn_error err;
  (void)future;
  late->written = webnn_tensor_write(late->s->context, late->busy, data, sizeof data, &err);
  late->exported = webnn_tensor_export_opencl(late->busy, &memory, &event, &err);
  late->empty = memory == NULL && event == NULL;
}

/* The worker itself can't wait until nothing is left to be queued. */
TEST(a_callback_exports_no_tensor_at_work) {
  const uint32_t few[] = {8};
  scene s = begin();
  webnn_tensor *read = tensor(&s, few, 1), *busy = tensor(&s, few, 1);
  late_export late = {&s, busy, WEBNN_ERROR_UNKNOWN, WEBNN_OK, false};
  webnn_future *future = NULL;
  void *memory = NULL, *event = NULL;
  user_events user;
  webnn_error err;
  cl_int code;
  if (!REQUIRE(find_user_events(&user))) return;
  cl_event gate = user.create(s.context->device->context, &code);
  CHECK(wnn_cl_await_event(s.context->device, gate) == WEBNN_OK); /* the read is pending */
  CHECK_STATUS(webnn_tensor_read(s.context, read, &future, &err), WEBNN_OK);
  CHECK_STATUS(webnn_future_on_done(future, export_at_work, &late), WEBNN_OK);
  CHECK(user.set(gate, CL_COMPLETE) == CL_SUCCESS);
  CHECK_STATUS(webnn_future_wait(future, -1), WEBNN_OK);
  float back[8];
  CHECK(read_back(&s, read, back, 8)); /* behind the callback */
  CHECK_STATUS(late.written, WEBNN_OK);
  CHECK_STATUS(late.exported, WEBNN_ERROR_INVALID_STATE);
  CHECK(late.empty);
  CHECK_STATUS(webnn_tensor_export_opencl(busy, &memory, &event, &err), WEBNN_OK);
  CHECK_STATUS(webnn_tensor_return_opencl(busy, NULL, &err), WEBNN_OK);
  s.context->device->cl.clReleaseEvent(event);
  s.context->device->cl.clReleaseEvent(gate);
  webnn_future_release(future);
  webnn_tensor_release(read);
  webnn_tensor_release(busy);
  end(&s);
}

/* A child that inherits a held lock and no threads: it neither lends nor takes back, nor hangs. */
TEST(a_forked_child_lends_nothing) {
  const uint32_t few[] = {8};
  scene s = begin();
  webnn_tensor *lent = tensor(&s, few, 1), *kept = tensor(&s, few, 1);
  void *memory = NULL, *event = NULL;
  webnn_error err;
  int status = -1;
  CHECK_STATUS(webnn_tensor_export_opencl(lent, &memory, &event, &err), WEBNN_OK);
  wnn_context_lock(s.context);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    void *mine, *own;
    alarm(20);
    bool refused = webnn_tensor_export_opencl(kept, &mine, &own, &err) == WEBNN_ERROR_INVALID_STATE;
    refused = webnn_tensor_return_opencl(lent, NULL, &err) == WEBNN_ERROR_INVALID_STATE && refused;
    _exit(refused && strstr(err.message, "lost") != NULL ? 0 : 1);
  }
  waitpid(child, &status, 0);
  wnn_context_unlock(s.context);
  CHECK(status == 0);
  CHECK_STATUS(webnn_tensor_return_opencl(lent, NULL, &err), WEBNN_OK);
  s.context->device->cl.clReleaseEvent(event);
  webnn_tensor_release(lent);
  webnn_tensor_release(kept);
  end(&s);
}

/* As on a device with memory of its own. */
TEST(reads_by_stages_give_all_bytes) {
  const uint32_t sizes[] = {1, 1 << 20, (1 << 20) + 3, 5 << 19, 13};
  scene s = begin();
  s.context->device->shares_memory = false;
  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
    const uint32_t n = sizes[k];
    webnn_tensor *x = tensor(&s, &n, 1);
    float *data = malloc(n * sizeof *data), *back = calloc(n, sizeof *back);
    if (!REQUIRE(data != NULL && back != NULL)) return;
    for (uint32_t i = 0; i < n; i++) data[i] = (float)(i * 7 % 1013);
    CHECK(write_all(&s, x, data, n) && read_back(&s, x, back, n));
    CHECK(memcmp(data, back, n * sizeof *data) == 0);
    webnn_tensor_release(x);
    free(data);
    free(back);
  }
  end(&s);
}

static cl_int CL_API_CALL fail_write(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                     size_t at, size_t n_bytes, const void *data, cl_uint n_events,
                                     const cl_event *events, cl_event *event) {
  (void)queue, (void)buffer, (void)blocking, (void)at, (void)n_bytes, (void)data, (void)n_events;
  (void)events, (void)event;
  return CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

static cl_int CL_API_CALL fail_read(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                    size_t at, size_t n_bytes, void *data, cl_uint n_events,
                                    const cl_event *events, cl_event *event) {
  (void)queue, (void)buffer, (void)blocking, (void)at, (void)n_bytes, (void)data, (void)n_events;
  (void)events, (void)event;
  return CL_DEVICE_NOT_AVAILABLE;
}

static cl_int CL_API_CALL fail_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint n,
                                      const size_t *offsets, const size_t *global,
                                      const size_t *local, cl_uint n_events, const cl_event *events,
                                      cl_event *event) {
  (void)queue, (void)kernel, (void)n, (void)offsets, (void)global, (void)local, (void)n_events;
  (void)events, (void)event;
  return CL_OUT_OF_RESOURCES;
}

static cl_mem CL_API_CALL fail_buffer(cl_context context, cl_mem_flags flags, size_t n_bytes,
                                      void *data, cl_int *code) {
  (void)context, (void)flags, (void)n_bytes, (void)data;
  *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  return NULL;
}

/* A compute tells its caller; what waits behind it, and other contexts, hear it too. */
TEST(a_compute_that_fails_on_the_device_loses_its_context_alone) {
  static const struct {
    const char *what, *why;
  } rows[] = {{"kernel", "out of resources"}, {"memory", "out of memory"}, {"copy", "is gone"}};
  const uint32_t shape[] = {4};
  for (int row = 0; row < 3; row++) {
    CONTEXT("%s", rows[row].what);
    scene s = begin(), other = begin();
    float data[4] = {1, -2, 3, -4}, y[4];
    webnn_operand *mine = relu_of(&other.m, input(&other.m, "x", 1, shape));
    if (!REQUIRE(build(&s, relu_of(&s.m, input(&s.m, "x", 1, shape))) && build(&other, mine)))
      return;
    wnn_cl_api *cl = &s.context->device->cl;
    if (row == 0) cl->clEnqueueNDRangeKernel = fail_kernel;
    if (row == 1) cl->clCreateBuffer = fail_buffer;
    if (row == 2) cl->clEnqueueReadBuffer = fail_read;
    webnn_named_data in = {WEBNN_STR("x"), data, sizeof data}, out = {WEBNN_STR("y"), y, sizeof y};
    webnn_error err = {WEBNN_OK, ""};
    CHECK_STATUS(webnn_graph_compute(s.context, s.graph, &in, 1, &out, 1, &err),
                 WEBNN_ERROR_UNKNOWN);
    CHECK(strstr(err.message, "compute: the graph failed on the device: ") == err.message);
    CHECK(strstr(err.message, rows[row].why) != NULL);
    CHECK(webnn_context_is_lost(s.context));
    const char *message = webnn_future_message(webnn_context_lost(s.context));
    CHECK(strstr(message, "a graph failed on the device: ") == message);
    CHECK(strstr(message, rows[row].why) != NULL);
    CHECK_STATUS(webnn_graph_compute(s.context, s.graph, &in, 1, &out, 1, &err),
                 WEBNN_ERROR_INVALID_STATE);
    CHECK(strstr(err.message, rows[row].why) != NULL);
    CHECK(compute(&other, data, 4, y, 4) && y[1] == 0 && y[2] == 3);
    CHECK(!webnn_context_is_lost(other.context));
    end(&other);
    end(&s);
  }
  CONTEXT("%s", "");
}

TEST(what_fails_on_the_device_loses_its_context_alone) {
  static const struct {
    const char *what, *says, *why;
  } rows[] = {{"write", "a write to a tensor failed", "out of memory"},
              {"run", "a dispatched graph failed", "out of resources"},
              {"read", "a read of a tensor failed", "the device is gone"}};
  const uint32_t shape[] = {4};
  for (int row = 0; row < 3; row++) {
    CONTEXT("%s", rows[row].what);
    scene s = begin(), other = begin();
    webnn_tensor *x = tensor(&s, shape, 1), *y = tensor(&s, shape, 1),
                 *mine = tensor(&other, shape, 1);
    float data[4] = {1, -2, 3, -4};
    if (!REQUIRE(build(&s, relu_of(&s.m, input(&s.m, "x", 1, shape))))) return;
    wnn_cl_api *cl = &s.context->device->cl;
    if (row == 0) cl->clEnqueueWriteBuffer = fail_write;
    if (row == 1) cl->clEnqueueNDRangeKernel = fail_kernel;
    if (row == 2) cl->clEnqueueReadBuffer = fail_read;
    write_all(&s, x, data, 4);
    dispatch(&s, x, y); /* or refused: the context may be lost by now */
    CHECK(!read_back(&s, y, data, 4));
    webnn_future *lost = webnn_context_lost(s.context);
    CHECK_STATUS(webnn_future_wait(lost, 20000000000), WEBNN_OK);
    CHECK(webnn_context_is_lost(s.context));
    const char *message = webnn_future_message(lost);
    CHECK(strstr(message, rows[row].says) != NULL && strstr(message, rows[row].why) != NULL);
    data[0] = 5;
    CHECK(write_all(&other, mine, data, 4) && read_back(&other, mine, data, 4) && data[0] == 5);
    CHECK(!webnn_context_is_lost(other.context));
    webnn_tensor *all[] = {x, y, mine};
    for (int i = 0; i < 3; i++) webnn_tensor_release(all[i]);
    end(&other);
    end(&s);
  }
  CONTEXT("%s", "");
}

/* ---- devices */

TEST(lists_the_devices_that_contexts_find) {
  webnn_device_info info = WEBNN_DEVICE_INFO_INIT;
  webnn_context *context = NULL;
  webnn_error err;
  size_t n_opencl = 0;
  char first[128] = "";
  for (size_t i = 0; webnn_device_get_info(i, WEBNN_POWER_PREFERENCE_DEFAULT, &info); i++) {
    if (strcmp(info.backend, "opencl") != 0) continue;
    CHECK(info.name[0] != '\0' && strstr(info.driver, "OpenCL") != NULL);
    CHECK(info.memory > 1 << 20 && info.compute_units > 0);
    if (n_opencl++ == 0) snprintf(first, sizeof first, "%s", info.name);
    if (!info.usable) continue;
    CHECK_STATUS(open_opencl(info.name, &context, &err), WEBNN_OK);
    webnn_context_release(context);
  }
  CHECK(n_opencl != 0);
  /* The first one is what a context takes. */
  webnn_context_info chosen = WEBNN_CONTEXT_INFO_INIT;
  if (!REQUIRE(open_opencl(NULL, &context, &err) == WEBNN_OK)) return;
  webnn_context_get_info(context, &chosen);
  CHECK_STR(chosen.device, first);
  webnn_context_release(context);
}

/* ---- CLBlast, where it is: the same answers as our tiles */

static const char *kernel_of(const webnn_graph *graph) {
  webnn_graph_step step = WEBNN_GRAPH_STEP_INIT;
  return webnn_graph_get_step(graph, 0, &step) ? step.kernel : "";
}

TEST(products_are_the_same_by_clblast) {
  static const struct {
    uint32_t m, n, k;
  } rows[] = {{1, 1, 1}, {1, 33, 7}, {17, 5, 129}, {64, 48, 32}, {3, 70, 70}};
  for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
    const uint32_t m = rows[r].m, n = rows[r].n, k = rows[r].k;
    const uint32_t x_shape[] = {2, m, k}, w_shape[] = {k, n};
    float *x = malloc(2 * m * k * sizeof *x), *w = malloc(k * n * sizeof *w), *y[2];
    for (uint32_t i = 0; i < 2 * m * k; i++) x[i] = (float)(i * 5 % 11) - 5;
    for (uint32_t i = 0; i < k * n; i++) w[i] = (float)(i * 3 % 7) - 3;
    CONTEXT("%u x %u x %u", (unsigned)m, (unsigned)n, (unsigned)k);
    for (int tiles = 0; tiles < 2; tiles++) {
      webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
      scene s = {NULL, {NULL, false}, NULL};
      webnn_error err;
      options.backend = "opencl";
      options.passes = tiles ? "-clblast" : "-tiles";
      s.m.failed = webnn_context_create(&options, &s.context, &err) != WEBNN_OK ||
                   webnn_builder_create(s.context, &s.m.builder, &err) != WEBNN_OK;
      webnn_operand *z =
          matmul_of(&s.m, input(&s.m, "x", 3, x_shape), constant(&s, 2, w_shape, w, k * n));
      y[tiles] = calloc(2 * m * n, sizeof **y);
      if (!REQUIRE(build(&s, relu_of(&s.m, z)) && compute(&s, x, 2 * m * k, y[tiles], 2 * m * n)))
        return;
      if (tiles || strcmp(kernel_of(s.graph), "opencl clblast") != 0)
        CHECK_STR(kernel_of(s.graph), "opencl product"); /* there is no CLBlast */
      end(&s);
    }
    CHECK(memcmp(y[0], y[1], 2 * m * n * sizeof **y) == 0); /* whole numbers: exact */
    free(x), free(w), free(y[0]), free(y[1]);
  }
  CONTEXT("%s", "");
}

/* ---- the cache of programs */

static char cache[64];

/* The number of entries in the folder; `path` is one of them. */
static size_t entries(char *path, size_t room) {
  char folder[128];
  size_t n = 0;
  snprintf(folder, sizeof folder, "%s/webnn/opencl", cache);
  DIR *dir = opendir(folder);
  if (dir == NULL) return 0;
  for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, room, "%s/%.100s", folder, entry->d_name);
    n++;
  }
  closedir(dir);
  return n;
}

static bool only_entry(char *path, size_t room) { return entries(path, room) == 1; }

static void empty_cache(void) {
  char path[256];
  while (entries(path, sizeof path) != 0 && unlink(path) == 0) continue;
}

/* y = relu(x) * `factor`: builds, runs, checks. */
static bool works(float factor) {
  scene s = begin();
  const uint32_t shape[] = {8};
  float x[8], y[8];
  bool right = false;
  webnn_operand *z =
      mul_of(&s.m, relu_of(&s.m, input(&s.m, "x", 1, shape)), constant(&s, 0, NULL, &factor, 1));
  for (size_t i = 0; i < 8; i++) x[i] = (float)i - 4;
  if (build(&s, z) && compute(&s, x, 8, y, 8)) {
    right = true;
    for (size_t i = 0; i < 8; i++) right = right && y[i] == (x[i] > 0 ? x[i] * factor : 0);
  }
  end(&s);
  return right;
}

static long size_of(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 ? (long)about.st_size : -1;
}

static void change(const char *path, long at, bool cut) {
  FILE *file = fopen(path, "r+b");
  if (!REQUIRE(file != NULL)) return;
  fseek(file, at, SEEK_SET);
  int old = fgetc(file);
  fseek(file, at, SEEK_SET);
  fputc(old ^ 0x55, file);
  fclose(file);
  if (cut) CHECK(truncate(path, at + 1) == 0);
}

TEST(programs_are_kept_and_bad_entries_replaced) {
  char path[256], again[256];
  empty_cache();
  CHECK(works(3));
  if (!REQUIRE(only_entry(path, sizeof path))) return;
  long whole = size_of(path);
  CHECK(whole > 40);
  CHECK(works(3)); /* from the entry */
  CHECK(only_entry(again, sizeof again) && strcmp(path, again) == 0);
  const struct {
    const char *what;
    long at;
    bool cut;
  } rows[] = {{"no entry of ours", 0, false},     {"another's key", 10, false},
              {"a wrong length", 24, false},      {"a changed program", 60, false},
              {"a cut header", 20, true},         {"a cut program", 100, true},
              {"a changed end", whole - 1, false}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    CONTEXT("%s", rows[i].what);
    change(path, rows[i].at, rows[i].cut);
    CHECK(works(3));
    CHECK(only_entry(again, sizeof again));
    CHECK(size_of(path) > 40);
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL && fgetc(file) == 'w'); /* rewritten */
    if (file != NULL) fclose(file);
  }
  CONTEXT("%s", "");
  CHECK(chmod(path, 0) ==
        0); /* a folder that says nothing changes nothing (but for who may read everything) */
  CHECK(works(3));
  empty_cache();
}

/* A file of the cache's folder with `n_bytes`, last used so many seconds ago. */
static void put_file(const char *name, size_t n_bytes, long seconds_ago) {
  char path[256];
  const struct timespec then = {time(NULL) - seconds_ago, 0}, times[2] = {then, then};
  snprintf(path, sizeof path, "%s/webnn/opencl/%s", cache, name);
  FILE *file = fopen(path, "wb");
  if (!REQUIRE(file != NULL)) return;
  CHECK(truncate(path, (off_t)n_bytes) == 0);
  fclose(file);
  CHECK(utimensat(AT_FDCWD, path, times, 0) == 0);
}

static bool is_there(const char *name) {
  char path[256];
  snprintf(path, sizeof path, "%s/webnn/opencl/%s", cache, name);
  return access(path, F_OK) == 0;
}

TEST(what_was_not_used_for_longest_goes_first) {
  static const char oldest[] = "00000000000000000000000000000001",
                    newer[] = "00000000000000000000000000000002",
                    newest[] = "00000000000000000000000000000003";
  const wnn_alloc alloc = {NULL, NULL};
  char program[256];
  empty_cache();
  CHECK(works(5)); /* makes the folder and an entry of now */
  if (!REQUIRE(only_entry(program, sizeof program))) return;
  const size_t used = (size_t)size_of(program);
  put_file(newest, used, 20);
  put_file(oldest, used, 300);
  put_file(newer, used, 200);
  put_file("00000000000000000000000000000004.1-abcdef", 10, 7200); /* whose writer died */
  put_file("00000000000000000000000000000005.1-abcdef", 10, 5);
  put_file("notes", 100000, 9999);     /* none of ours */
  wnn_cl_cache_trim(&alloc, 4 * used); /* all have room */
  CHECK(is_there(oldest) && is_there(newer) && is_there(newest));
  CHECK(!is_there("00000000000000000000000000000004.1-abcdef"));
  CHECK(is_there("00000000000000000000000000000005.1-abcdef"));
  wnn_cl_cache_trim(&alloc, 2 * used / 3 * 4 + 4); /* three quarters of it are one too few */
  CHECK(!is_there(oldest) && !is_there(newer) && is_there(newest));
  CHECK(works(5)); /* read again, so used */
  put_file(newest, 1000, -5);
  wnn_cl_cache_trim(&alloc, 0); /* the last one stays: it may have come just now */
  CHECK(is_there(newest) && !is_there(strrchr(program, '/') + 1));
  CHECK(is_there("notes"));
  empty_cache();
}

TEST(a_use_is_noted) {
  char path[256];
  struct stat before, after;
  empty_cache();
  CHECK(works(6));
  if (!REQUIRE(only_entry(path, sizeof path))) return;
  const struct timespec long_ago[2] = {{1000000, 0}, {1000000, 0}};
  CHECK(utimensat(AT_FDCWD, path, long_ago, 0) == 0 && stat(path, &before) == 0);
  CHECK(works(6));
  CHECK(stat(path, &after) == 0 && after.st_mtime > before.st_mtime);
  empty_cache();
}

/* ---- processes that share the folder: this program again, as another one, for a process that has
 * used OpenCL can't be forked */

static char self[256];

/* Another process that begins to do `what` (see be_another) once `go` is there. */
static pid_t another(const char *what) {
  pid_t child = fork();
  if (child == 0) {
    execl(self, self, "another", what, (char *)NULL);
    _exit(127);
  }
  return child;
}

static bool ended_well(pid_t child) {
  int status = 1;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void path_of_go(char *out, size_t room) { snprintf(out, room, "%s/go", cache); }

/* Starts them all and lets them go at once. */
static bool run_together(const char *what, size_t n) {
  char go[128], ready[160];
  pid_t children[8];
  bool well = true;
  path_of_go(go, sizeof go);
  unlink(go);
  for (size_t i = 0; i < n; i++) children[i] = another(what);
  for (size_t i = 0; i < n; i++) { /* each says that it is there */
    snprintf(ready, sizeof ready, "%s-%ld", go, (long)children[i]);
    for (int k = 0; k < 60000 && access(ready, F_OK) != 0; k++)
      nanosleep(&(struct timespec){0, 1000000}, NULL);
    unlink(ready);
  }
  close(open(go, O_CREAT | O_WRONLY, 0600));
  for (size_t i = 0; i < n; i++) well = ended_well(children[i]) && well;
  unlink(go);
  return well;
}

static void await_go(void) {
  char go[128], ready[160];
  path_of_go(go, sizeof go);
  snprintf(ready, sizeof ready, "%s-%ld", go, (long)getpid());
  close(open(ready, O_CREAT | O_WRONLY, 0600));
  for (int k = 0; k < 60000 && access(go, F_OK) != 0; k++)
    nanosleep(&(struct timespec){0, 1000000}, NULL);
}

#define SHARED_LIMIT 100000

/* Some entries of 9 to 12 kB, trimmed as a store does. */
static void write_entries(void) {
  const wnn_alloc alloc = {NULL, NULL};
  for (unsigned i = 0; i < 200; i++) {
    char name[64];
    snprintf(name, sizeof name, "%016lx%016x", (unsigned long)getpid(), i);
    put_file(name, 9000 + i % 4 * 1000, 0);
    wnn_cl_cache_trim(&alloc, SHARED_LIMIT);
  }
}

static int be_another(const char *what) {
  snprintf(cache, sizeof cache, "%s", getenv("XDG_CACHE_HOME"));
  await_go();
  if (strcmp(what, "write") == 0) write_entries();
  if (strcmp(what, "build") == 0) CHECK(works(11) && works(12) && works(13));
  return harness.n_failures == 0 ? 0 : 1;
}

/* All entries are whole: a process that only reads is served by them. */
static void check_entries(size_t n) {
  char path[256], ours[256];
  struct stat before, after;
  CHECK(entries(path, sizeof path) == n);
  CHECK(stat(path, &before) == 0);
  CHECK(works(11) && works(12) && works(13));
  CHECK(entries(ours, sizeof ours) == n && stat(path, &after) == 0);
  CHECK(before.st_ino == after.st_ino); /* a new one would be another file */
}

TEST(processes_share_the_cache) {
  char path[256];
  empty_cache();
  CHECK(run_together("build", 3)); /* from an empty folder */
  check_entries(3);
  if (!REQUIRE(entries(path, sizeof path) == 3)) return;
  change(path, 60, false); /* both find a damaged entry, and another one cut */
  CHECK(run_together("build", 3));
  check_entries(3);
  change(path, 100, true);
  CHECK(run_together("build", 3));
  check_entries(3);
  empty_cache();
}

TEST(writers_keep_to_the_limit_together) {
  char path[256];
  uint64_t n_bytes = 0;
  struct stat about;
  empty_cache();
  CHECK(works(14)); /* makes the folder */
  CHECK(run_together("write", 3));
  while (entries(path, sizeof path) != 0 && stat(path, &about) == 0 && unlink(path) == 0)
    n_bytes += (uint64_t)about.st_size;
  CHECK(n_bytes > 0 && n_bytes <= SHARED_LIMIT);
}

TEST(a_folder_that_takes_nothing_changes_nothing) {
  char path[256], folder[128];
  empty_cache();
  CHECK(works(15));
  snprintf(folder, sizeof folder, "%s/webnn/opencl", cache);
  CHECK(chmod(folder, 0500) == 0);
  CHECK(works(15) && works(16)); /* read, and built */
  CHECK(run_together("build", 2));
  if (geteuid() != 0) CHECK(only_entry(path, sizeof path)); /* nothing holds the superuser */
  CHECK(chmod(folder, 0700) == 0);
  empty_cache();
  CHECK(rmdir(folder) == 0); /* a file in its place is no folder, to anybody */
  FILE *file = fopen(folder, "w");
  if (REQUIRE(file != NULL)) fclose(file);
  CHECK(works(17) && run_together("build", 2));
  CHECK(unlink(folder) == 0 && works(17) && only_entry(path, sizeof path));
  empty_cache();
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "another") == 0) return be_another(argv[2]);
  snprintf(self, sizeof self, "%s", argv[0]);
  webnn_context *context = NULL;
  webnn_error err = {WEBNN_OK, ""};
  if (open_opencl(NULL, &context, &err) != WEBNN_OK) {
    printf("skipped: %s\n", err.message);
    return EXIT_SKIPPED;
  }
  webnn_context_release(context);
  snprintf(cache, sizeof cache, "/tmp/webnn-test-%ld", (long)getpid());
  setenv("XDG_CACHE_HOME", cache, 1);
  int result =
      harness_main(argc, argv,
                   (harness_test[]){RUN(tells_its_device),
                                    RUN(finds_a_device_by_part_of_its_name),
                                    RUN(a_gpu_is_a_gpu_or_the_context_says_why),
                                    RUN(tensors_begin_as_zeros_and_keep_what_is_written),
                                    RUN(dispatches_follow_one_another),
                                    RUN(a_chain_of_elements_is_one_launch),
                                    RUN(a_value_that_two_read_stays_in_the_launch),
                                    RUN(what_follows_an_anchor_is_computed_with_it),
                                    RUN(writes_and_dispatches_wait_for_nothing),
                                    RUN(events_of_another_device_are_refused),
                                    RUN(what_is_lent_and_taken_is_checked),
                                    RUN(a_callback_exports_no_tensor_at_work),
                                    RUN(a_forked_child_lends_nothing),
                                    RUN(reads_by_stages_give_all_bytes),
                                    RUN(what_fails_on_the_device_loses_its_context_alone),
                                    RUN(a_compute_that_fails_on_the_device_loses_its_context_alone),
                                    RUN(elements_move_the_same_by_rows_and_one_by_one),
                                    RUN(lists_the_devices_that_contexts_find),
                                    RUN(products_are_the_same_by_clblast),
                                    RUN(programs_are_kept_and_bad_entries_replaced),
                                    RUN(what_was_not_used_for_longest_goes_first),
                                    RUN(a_use_is_noted),
                                    RUN(processes_share_the_cache),
                                    RUN(writers_keep_to_the_limit_together),
                                    RUN(a_folder_that_takes_nothing_changes_nothing),
                                    {NULL, NULL}});
  char remove[128]; /* the OpenCL implementation keeps things there, too */
  snprintf(remove, sizeof remove, "rm -rf %s", cache);
  return system(remove) == 0 ? result : 1;
}
