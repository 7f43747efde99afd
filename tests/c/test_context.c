/* Contexts: their options, what they say of themselves, how they are lost, and what a fork does to
 * them. */
#include "runtime.h"

#include "context/tensor.h"
#include "json.h"
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define N 16

static void nap(long ms) {
  struct timespec time = {0, ms * 1000000};
  nanosleep(&time, NULL);
}

/* ---- creating */

TEST(defaults_give_a_context) {
  webnn_context *context = NULL;
  webnn_context_info info = WEBNN_CONTEXT_INFO_INIT;
  webnn_error err = {WEBNN_OK, "untouched"};
  if (!CHECK_STATUS(webnn_context_create(NULL, &context, &err), WEBNN_OK)) return;
  CHECK_STR(err.message, "untouched");
  CHECK(webnn_context_accelerated(context));
  CHECK(!webnn_context_is_lost(context));
  webnn_context_get_info(context, &info);
  CHECK(info.struct_size == sizeof info);
  CHECK(info.backend != NULL && info.device != NULL && info.driver != NULL &&
        info.device[0] != '\0');
  CHECK(info.threads == wnn_default_threads());
  CHECK_STR(info.why, "");
  webnn_context_release(context);
}

typedef struct option_row {
  const char *name;
  webnn_context_options options;
  webnn_status status;
  const char *words; /* in the message, or in info.why */
} option_row;

#define OPTIONS(...) {.struct_size = sizeof(webnn_context_options), __VA_ARGS__}

static const option_row option_rows[] = {
    {"reference", OPTIONS(.backend = "reference"), WEBNN_OK, ""},
    {"auto", OPTIONS(.backend = "auto", .threads = 3), WEBNN_OK, ""},
    {"all hints",
     OPTIONS(.power_preference = WEBNN_POWER_PREFERENCE_LOW_POWER, .accelerated = true), WEBNN_OK,
     ""},
    {"fast math", OPTIONS(.math = WEBNN_MATH_FAST, .backend = "reference"), WEBNN_OK, ""},
    {"passes", OPTIONS(.passes = "-all", .backend = "reference"), WEBNN_OK, ""},
#ifndef WEBNN_HAS_OPENCL /* else it depends on what is here: see test_opencl */
    {"a GPU", OPTIONS(.device_type = WEBNN_DEVICE_TYPE_GPU), WEBNN_OK, "no backend for this kind"},
#endif
    {"a GPU on a named backend",
     OPTIONS(.device_type = WEBNN_DEVICE_TYPE_GPU, .backend = "reference"), WEBNN_OK, "by name"},
    {"a device by name, of the CPU", OPTIONS(.device = "nonesuch"), WEBNN_OK, "names one of OpenCL's"},
    {"a GPU by name on a named backend",
     OPTIONS(.device_type = WEBNN_DEVICE_TYPE_GPU, .backend = "reference", .device = "nonesuch"), WEBNN_OK, "by name"},
    {"power preference", OPTIONS(.power_preference = (webnn_power_preference)3), WEBNN_ERROR_TYPE,
     "power"},
    {"device type", OPTIONS(.device_type = (webnn_device_type)2), WEBNN_ERROR_TYPE, "device type"},
    {"math", OPTIONS(.math = (webnn_math)77), WEBNN_ERROR_TYPE, "math"},
    {"pass", OPTIONS(.passes = "-wrong,-fuse"), WEBNN_ERROR_TYPE, "wrong"},
    {"threads", OPTIONS(.threads = 4000000000u), WEBNN_ERROR_TYPE, "threads"},
    {"backend", OPTIONS(.backend = "quantum"), WEBNN_ERROR_NOT_SUPPORTED, "reference"},
    {"backend's name", OPTIONS(.backend = "quantum"), WEBNN_ERROR_NOT_SUPPORTED, "'quantum'"},
    {"empty backend", OPTIONS(.backend = ""), WEBNN_ERROR_NOT_SUPPORTED, "there is"},
};

TEST(options_are_checked) {
  for (size_t i = 0; i < sizeof option_rows / sizeof option_rows[0]; i++) {
    const option_row *row = &option_rows[i];
    webnn_context *context = NULL;
    webnn_error err = {WEBNN_OK, ""};
    webnn_context_info info = WEBNN_CONTEXT_INFO_INIT;
    CONTEXT("%s", row->name);
    CHECK_STATUS(webnn_context_create(&row->options, &context, &err), row->status);
    CHECK((context != NULL) == (row->status == WEBNN_OK));
    if (context != NULL) {
      webnn_context_get_info(context, &info);
      CHECK(row->words[0] ? strstr(info.why, row->words) != NULL : info.why[0] == '\0');
      if (row->options.threads) CHECK(info.threads == row->options.threads);
      CHECK(webnn_context_accelerated(context) == row->options.accelerated);
    } else if (!REQUIRE(err.status == row->status && strstr(err.message, row->words) != NULL)) {
      printf("    %s\n", err.message);
    }
    webnn_context_release(context);
    CHECK_STATUS(webnn_context_create(&row->options, &context, NULL),
                 row->status); /* nobody asks why */
    webnn_context_release(context);
  }
}

/* The host is listed once for each backend that serves it, as its contexts say. */
TEST(the_host_is_listed_as_its_contexts_say) {
  size_t n = 0;
  webnn_device_info device = WEBNN_DEVICE_INFO_INIT;
  for (size_t i = 0; webnn_device_get_info(i, WEBNN_POWER_PREFERENCE_DEFAULT, &device); i++) {
    webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
    webnn_context_info info = WEBNN_CONTEXT_INFO_INIT;
    webnn_context *context;
    if (strcmp(device.backend, "opencl") == 0) continue;
    CONTEXT("%s", device.backend);
    options.backend = device.backend;
    if (!REQUIRE(webnn_context_create(&options, &context, NULL) == WEBNN_OK)) continue;
    webnn_context_get_info(context, &info);
    CHECK_STR(device.name, info.device);
    CHECK_STR(device.driver, info.driver);
    CHECK(device.compute_units == info.threads && device.memory > 1 << 20);
    CHECK(device.shares_memory && device.usable && device.device_type == WEBNN_DEVICE_TYPE_CPU);
    webnn_context_release(context);
    n++;
  }
  CHECK(n >= 1);
}

/* Structs of an older or newer caller: what it doesn't know keeps its default, what we don't know
 * is left. */
TEST(struct_sizes_differ) {
  struct {
    webnn_context_options options;
    char more[64];
  } newer = {.options = WEBNN_CONTEXT_OPTIONS_INIT};
  webnn_context_options older = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_context *context = NULL;
  memset(newer.more, 0x55, sizeof newer.more);
  newer.options.struct_size = sizeof newer;
  newer.options.backend = "reference";
  CHECK_STATUS(webnn_context_create(&newer.options, &context, NULL), WEBNN_OK);
  webnn_context_release(context);

  older.struct_size = offsetof(webnn_context_options, backend);
  older.backend = "quantum"; /* beyond its end */
  CHECK_STATUS(webnn_context_create(&older, &context, NULL), WEBNN_OK);

  webnn_context_info info;
  memset(&info, 0x55, sizeof info);
  info.struct_size = offsetof(webnn_context_info, threads);
  uint32_t before = info.threads;
  webnn_context_get_info(context, &info);
  CHECK(info.struct_size == offsetof(webnn_context_info, threads) && info.threads == before);
  CHECK(info.backend != NULL && info.backend[0] != '\0');
  webnn_context_release(context);
}

TEST(null_handles_are_fine) {
  CHECK(webnn_context_retain(NULL) == NULL);
  webnn_context_release(NULL);
  CHECK(webnn_tensor_retain(NULL) == NULL);
  webnn_tensor_release(NULL);
  CHECK(webnn_graph_retain(NULL) == NULL);
  webnn_graph_release(NULL);
  CHECK_STR(webnn_version(), "0.1.0");
}

/* ---- limits */

static const json *find_row(const json *rows, const char *name) {
  for (const json *row = rows->first; row != NULL; row = row->next)
    if (json_is(json_get(row, "name"), name)) return row;
  return NULL;
}

static bool lists_all(const json *list, const json *wanted) {
  for (const json *w = wanted->first; w != NULL; w = w->next) {
    bool found = false;
    for (const json *l = list->first; l != NULL; l = l->next) found = found || json_is(l, w->text);
    if (!found) return false;
  }
  return true;
}

static unsigned number(const json *value) {
  return value ? (unsigned)strtoul(value->text, NULL, 10) : 999;
}

/* One operand's limits against the specification's: exactly the types it allows, at least its
 * required ranks. */
static void check_limits(const json *limits, const json *spec) {
  CONTEXT("%s.%s", limits->key, json_get(spec, "name")->text);
  const json *limit = json_get(limits, json_get(spec, "name")->text);
  if (!REQUIRE(limit != NULL)) return;
  const json *types = json_get(limit, "dataTypes"), *range = json_get(limit, "rankRange");
  CHECK(types->size == json_get(spec, "dataTypes")->size);
  CHECK(lists_all(types, json_get(spec, "dataTypes")));
  CHECK(lists_all(types, json_get(spec, "requiredDataTypes")));
  const json *required = json_get(spec, "requiredRank")->first;
  CHECK(number(json_get(range, "min")) <= number(required));
  CHECK(number(json_get(range, "max")) >= number(required->next));
  CHECK(number(json_get(range, "max")) <= 8);
}

TEST(limits_are_the_specifications) {
  char message[128];
  webnn_context *context = make_context();
  const char *text = webnn_context_op_support_limits(context);
  CHECK(text == webnn_context_op_support_limits(context));
  json_document *limits = json_parse(text, strlen(text), message);
  json_document *spec = json_load(WEBNN_TEST_DATA "/limits/ops.json", message);
  if (!REQUIRE(limits != NULL && spec != NULL)) return;
  const json *root = json_root(limits), *rows = json_root(spec);
  CHECK(root->size == 5 + rows->size && rows->size == 95);
  CHECK(json_is(json_get(root, "preferredInputLayout"), "nhwc"));
  CHECK(strtoull(json_get(root, "maxTensorByteLength")->text, NULL, 10) == 4294967295ull);
  for (const char *const *end = (const char *const[]){"input", "constant", "output", NULL}; *end;
       end++) {
    CHECK(json_get(json_get(root, *end), "dataTypes")->size == 8);
    CHECK(number(json_get(json_get(json_get(root, *end), "rankRange"), "max")) == 8);
  }
  for (const json *row = rows->first; row != NULL; row = row->next) {
    const char *name = json_get(row, "name")->text;
    const json *op = json_get(root, name);
    CONTEXT("%s", name);
    if (!REQUIRE(op != NULL && find_row(rows, name) == row)) continue;
    const json *inputs = json_get(row, "inputs"), *outputs = json_get(row, "outputs");
    CHECK(op->size == inputs->size + outputs->size);
    for (const json *i = inputs->first; i != NULL; i = i->next) check_limits(op, i);
    for (const json *i = outputs->first; i != NULL; i = i->next) check_limits(op, i);
  }
  json_free(limits);
  json_free(spec);
  webnn_context_destroy(context);
  CHECK(webnn_context_op_support_limits(context) == text); /* of a lost one too */
  webnn_context_release(context);
}

TEST(the_host_shares_no_memory_with_opencl) {
  webnn_context *context = make_context();
  webnn_tensor *tensor = make_tensor(context, N), *made = tensor;
  webnn_descriptor descriptor = floats(&(uint32_t){N});
  webnn_error err = {WEBNN_OK, ""};
  float data[N] = {0};
  void *memory = data, *event = data;
  CHECK_STATUS(webnn_tensor_import_opencl(context, &descriptor, NULL, data, NULL, &made, &err),
               WEBNN_ERROR_NOT_SUPPORTED);
  CHECK(made == NULL && strstr(err.message, "import_opencl: ") != NULL);
  CHECK_STATUS(webnn_tensor_export_opencl(tensor, &memory, &event, &err),
               WEBNN_ERROR_NOT_SUPPORTED);
  CHECK(memory == NULL && event == NULL && strstr(err.message, "export_opencl: ") != NULL);
  CHECK_STATUS(webnn_tensor_return_opencl(tensor, data, &err), WEBNN_ERROR_INVALID_STATE);
  webnn_context_destroy(context);
  CHECK_STATUS(webnn_tensor_export_opencl(tensor, &memory, &event, &err),
               WEBNN_ERROR_INVALID_STATE);
  webnn_tensor_release(tensor);
  webnn_context_release(context);
}

/* ---- loss */

TEST(destroy_loses_everything) {
  webnn_context *context = make_context();
  webnn_tensor *a = make_tensor(context, N), *b = make_tensor(context, N),
               *y = make_tensor(context, N);
  webnn_graph *graph = make_graph(context, N);
  webnn_builder *builder = NULL, *other = NULL;
  webnn_operand *operand = NULL;
  webnn_tensor *tensor = NULL;
  webnn_future *future = NULL;
  webnn_error err = {WEBNN_OK, ""};
  float data[N] = {0};
  void *memory;
  webnn_descriptor descriptor = floats(&(uint32_t){N});
  CHECK_STATUS(webnn_builder_create(context, &builder, NULL), WEBNN_OK);
  webnn_context_destroy(context);
  webnn_context_destroy(context);
  CHECK(webnn_context_is_lost(context));
  CHECK(webnn_future_done(webnn_context_lost(context)));
  CHECK(webnn_tensor_is_destroyed(a) && webnn_graph_is_destroyed(graph));
  CHECK_STATUS(webnn_tensor_create(context, &descriptor, NULL, &tensor, &err),
               WEBNN_ERROR_INVALID_STATE);
  CHECK(tensor == NULL && strstr(err.message, "the context was destroyed") != NULL);
  CHECK_STATUS(webnn_tensor_create_constant(context, &descriptor, data, sizeof data, &tensor, NULL),
               WEBNN_ERROR_INVALID_STATE);
  CHECK_STATUS(webnn_tensor_write(context, a, data, sizeof data, &err), WEBNN_ERROR_TYPE);
  CHECK(strstr(err.message, "the context was destroyed") != NULL);
  CHECK_STATUS(webnn_tensor_read(context, a, &future, NULL), WEBNN_ERROR_TYPE);
  CHECK_STATUS(webnn_tensor_map(a, &memory, NULL), WEBNN_ERROR_INVALID_STATE);
  CHECK_STATUS(dispatch(graph, a, b, y), WEBNN_ERROR_INVALID_STATE);
  CHECK_STATUS(compute(graph, data, data, (float[N]){0}, N), WEBNN_ERROR_INVALID_STATE);
  CHECK_STATUS(webnn_builder_create(context, &other, NULL), WEBNN_ERROR_INVALID_STATE);
  CHECK_STATUS(webnn_builder_input(builder, WEBNN_STR("x"), &descriptor, &operand),
               WEBNN_ERROR_INVALID_STATE);
  CHECK_STATUS(webnn_builder_constant_tensor(builder, a, &operand), WEBNN_ERROR_TYPE);
  CHECK_STATUS(webnn_builder_build(builder, NULL, 0, &future), WEBNN_ERROR_INVALID_STATE);
  webnn_builder_release(builder);
  webnn_tensor_release(a);
  webnn_tensor_release(b);
  webnn_tensor_release(y);
  webnn_graph_release(graph);
  webnn_context_release(context);
}

TEST(queued_work_is_dropped) {
  webnn_context *context = make_context();
  webnn_tensor *a = make_tensor(context, N), *b = make_tensor(context, N),
               *y = make_tensor(context, N);
  webnn_graph *graph = make_graph(context, N);
  webnn_future *future = NULL;
  fake_close_gate();
  for (int i = 0; i < 10; i++) CHECK_STATUS(dispatch(graph, a, b, y), WEBNN_OK);
  CHECK_STATUS(webnn_tensor_read(context, y, &future, NULL), WEBNN_OK);
  webnn_future *build = start_build(context, N);
  fake_await_gate();
  webnn_context_destroy(context); /* doesn't wait for what runs */
  CHECK_STATUS(webnn_future_result(future, NULL), WEBNN_ERROR_INVALID_STATE);
  CHECK_STATUS(webnn_future_result(build, NULL), WEBNN_ERROR_INVALID_STATE);
  fake_open_gate();
  webnn_graph_release(graph);
  webnn_tensor_release(a);
  webnn_tensor_release(b);
  webnn_tensor_release(y);
  webnn_future_release(future);
  webnn_future_release(build);
  webnn_context_release(context);
  while (fake.n_runs == 0) nap(1);
  nap(20);
  CHECK(fake.n_runs == 1);
}

static int settle_order[3]; /* of lost, of the read, the count */

static void note_turn(webnn_future *future, void *ud) {
  (void)future;
  *(int *)ud = ++settle_order[2];
}

TEST(lost_settles_first) {
  webnn_context *context = make_context();
  webnn_tensor *tensor = make_tensor(context, 1u << 18);
  webnn_future *future = NULL;
  memset(settle_order, 0, sizeof settle_order);
  fake_close_gate();
  CHECK_STATUS(webnn_tensor_read(context, tensor, &future, NULL), WEBNN_OK);
  CHECK_STATUS(webnn_future_on_done(future, note_turn, &settle_order[1]), WEBNN_OK);
  CHECK_STATUS(webnn_future_on_done(webnn_context_lost(context), note_turn, &settle_order[0]),
               WEBNN_OK);
  webnn_context_destroy(context);
  CHECK(settle_order[0] == 1 && settle_order[1] == 2);
  fake_open_gate();
  webnn_future_release(future);
  webnn_tensor_release(tensor);
  webnn_context_release(context);
}

TEST(a_failing_device_is_lost) {
  webnn_context *context = make_context();
  webnn_tensor *a = make_tensor(context, N), *b = make_tensor(context, N),
               *y = make_tensor(context, N);
  webnn_graph *graph = make_graph(context, N);
  atomic_store(&fake.fails, true);
  CHECK_STATUS(dispatch(graph, a, b, y), WEBNN_OK);
  CHECK_STATUS(webnn_future_wait(webnn_context_lost(context), -1), WEBNN_OK);
  CHECK(strstr(webnn_future_message(webnn_context_lost(context)), "failed") != NULL);
  CHECK_STATUS(dispatch(graph, a, b, y), WEBNN_ERROR_INVALID_STATE);
  webnn_graph_release(graph);
  webnn_tensor_release(a);
  webnn_tensor_release(b);
  webnn_tensor_release(y);
  webnn_context_release(context);
}

typedef struct waiting {
  webnn_graph *graph;
  webnn_tensor *a, *b, *y;
  webnn_status status;
} waiting;

static void dispatch_waiting(void *arg) {
  waiting *w = arg;
  w->status = dispatch(w->graph, w->a, w->b, w->y);
}

/* A dispatch waits while another thread copies to a tensor; what it has checked may be gone then.
 */
TEST(who_has_waited_looks_again) {
  webnn_context *context = make_context();
  wnn_timeline *timeline = context->timeline;
  wnn_thread thread;
  waiting w = {make_graph(context, N), make_tensor(context, N), make_tensor(context, N),
               make_tensor(context, N), WEBNN_OK};
  wnn_timeline_lock(timeline);
  w.a->held = true;
  wnn_timeline_unlock(timeline);
  CHECK(wnn_thread_start(&thread, dispatch_waiting, &w));
  for (unsigned n = 0; n == 0;) {
    nap(1);
    wnn_timeline_lock(timeline);
    n = timeline->n_waiting;
    wnn_timeline_unlock(timeline);
  }
  webnn_graph_destroy(w.graph);
  wnn_timeline_lock(timeline);
  w.a->held = false;
  wnn_timeline_changed(timeline);
  wnn_timeline_unlock(timeline);
  wnn_thread_join(&thread);
  CHECK_STATUS(w.status, WEBNN_ERROR_INVALID_STATE);
  webnn_graph_release(w.graph);
  webnn_tensor_release(w.a);
  webnn_tensor_release(w.b);
  webnn_tensor_release(w.y);
  webnn_context_release(context);
}

TEST(peaks_are_measured_once) {
  webnn_peaks peaks = WEBNN_PEAKS_INIT, again = WEBNN_PEAKS_INIT;
  webnn_context *context = NULL;
  webnn_error err = {WEBNN_OK, ""};
  CHECK_STATUS(webnn_context_create(NULL, &context, &err), WEBNN_OK);
  CHECK_STATUS(webnn_context_measure_peaks(context, &peaks, &err), WEBNN_OK);
  CHECK(peaks.flops > 1e6 && peaks.flops < 1e15);
  CHECK(peaks.bytes > 1e6 && peaks.bytes < 1e14);
  CHECK_STATUS(webnn_context_measure_peaks(context, &again, NULL), WEBNN_OK);
  CHECK(memcmp(&again, &peaks, sizeof peaks) == 0);
  webnn_peaks less = {offsetof(webnn_peaks, bytes), 0, -1};
  CHECK_STATUS(webnn_context_measure_peaks(context, &less, NULL), WEBNN_OK);
  CHECK(less.flops == peaks.flops && less.bytes == -1); /* an older caller's struct */
  webnn_context_destroy(context);
  CHECK_STATUS(webnn_context_measure_peaks(context, &peaks, &err), WEBNN_ERROR_INVALID_STATE);
  CHECK(strncmp(err.message, "measure_peaks: ", 15) == 0);
  webnn_context_release(context);
}

TEST(children_hold_their_context) {
  webnn_context *context = make_context();
  webnn_tensor *a = make_tensor(context, N), *b = make_tensor(context, N),
               *y = make_tensor(context, N);
  webnn_graph *graph = make_graph(context, N);
  webnn_context_release(context); /* not the last owner */
  write_all(webnn_tensor_context(a), a, 2);
  write_all(webnn_tensor_context(b), b, 5);
  CHECK_STATUS(dispatch(graph, a, b, y), WEBNN_OK);
  CHECK(read_all(webnn_graph_context(graph), y) == 7);
  webnn_tensor_release(y);
  webnn_graph_release(graph);
  webnn_tensor_release(b);
  webnn_tensor_release(a); /* this one is */
}

/* Released with work still queued: it runs, and the context ends on its worker. */
TEST(queued_work_survives_a_release) {
  for (int round = 0; round < 30; round++) {
    webnn_context *context = make_context();
    webnn_tensor *a = make_tensor(context, N), *b = make_tensor(context, N),
                 *y = make_tensor(context, N);
    webnn_graph *graph = make_graph(context, N);
    fake_close_gate();
    for (int i = 0; i < 5; i++) CHECK_STATUS(dispatch(graph, a, b, y), WEBNN_OK);
    webnn_graph_release(graph);
    webnn_tensor_release(a);
    webnn_tensor_release(b);
    webnn_tensor_release(y);
    webnn_context_release(context);
    fake_open_gate();
    while (fake.n_runs < 5) nap(1);
    CHECK(fake.n_runs == 5);
    nap(1);
  }
  nap(20);
}

/* ---- forks. A child reports by its exit code, and has an alarm: a hang is a failure. */

static int in_child(int (*fn)(void *arg), void *arg) {
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) {
    alarm(20);
    _exit(fn(arg));
  }
  int status = -1;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

typedef struct family {
  webnn_context *context;
  webnn_tensor *a, *b, *y;
  webnn_graph *graph;
  webnn_future *read, *seen;
  webnn_builder *builder;
} family;

/* The number of the first claim that doesn't hold; 0: all hold. */
static int use_inherited(void *arg) {
  family *f = arg;
  webnn_error err = {WEBNN_OK, ""};
  webnn_tensor *tensor = NULL;
  webnn_future *future = NULL;
  webnn_operand *operand = NULL;
  float data[N] = {0};
  void *memory;
  webnn_descriptor descriptor = floats(&(uint32_t){N});
  if (!webnn_context_is_lost(f->context)) return 1;
  if (webnn_future_wait(webnn_context_lost(f->context), -1) != WEBNN_OK) return 2;
  if (strstr(webnn_future_message(webnn_context_lost(f->context)), "forked") == NULL) return 3;
  if (!webnn_tensor_is_destroyed(f->a) || !webnn_graph_is_destroyed(f->graph)) return 4;
  if (webnn_tensor_write(f->context, f->a, data, sizeof data, &err) != WEBNN_ERROR_TYPE) return 5;
  if (strstr(err.message, "forked") == NULL) return 6;
  if (webnn_tensor_read(f->context, f->a, &future, NULL) != WEBNN_ERROR_TYPE) return 7;
  if (dispatch(f->graph, f->a, f->b, f->y) != WEBNN_ERROR_INVALID_STATE) return 8;
  if (compute(f->graph, data, data, data, N) != WEBNN_ERROR_INVALID_STATE) return 9;
  if (webnn_tensor_create(f->context, &descriptor, NULL, &tensor, NULL) !=
      WEBNN_ERROR_INVALID_STATE)
    return 10;
  if (webnn_tensor_map(f->a, &memory, NULL) != WEBNN_ERROR_INVALID_STATE) return 11;
  if (webnn_builder_input(f->builder, WEBNN_STR("x"), &descriptor, &operand) !=
      WEBNN_ERROR_INVALID_STATE)
    return 12;
  if (webnn_future_wait(f->read, -1) != WEBNN_OK) return 13;
  if (webnn_future_result(f->read, &err) != WEBNN_ERROR_INVALID_STATE) return 14;
  if (webnn_future_data(f->read, NULL) != NULL) return 15;
  if (webnn_future_result(f->seen, &err) != WEBNN_OK || webnn_future_data(f->seen, NULL) == NULL)
    return 16;
  if (webnn_context_fd(f->context) != -1) return 17;
  webnn_context_drain(f->context);
  if (webnn_context_op_support_limits(f->context) == NULL) return 18;
  int called[2] = {0, 0};
  if (webnn_future_on_done(f->read, note_turn, called) != WEBNN_OK || called[0] == 0) return 19;
  webnn_tensor_destroy(f->a);
  webnn_graph_destroy(f->graph);
  webnn_context_destroy(f->context);
  webnn_builder_release(f->builder);
  webnn_future_release(f->read);
  webnn_future_release(f->seen);
  webnn_graph_release(f->graph);
  webnn_tensor_release(f->a);
  webnn_tensor_release(f->b);
  webnn_tensor_release(f->y);
  webnn_context_release(f->context);
  return 0;
}

static int use_fresh(void *arg) {
  webnn_context *context = NULL;
  float a[N], b[N], y[N];
  (void)arg;
#ifdef __SANITIZE_THREAD__
  return 0; /* the thread sanitizer allows a forked child no threads */
#endif
  for (int i = 0; i < N; i++) a[i] = 1, b[i] = 2, y[i] = 0;
  if (webnn_context_create(NULL, &context, NULL) != WEBNN_OK) return 1;
  webnn_future *future = start_build(context, N);
  if (future == NULL || webnn_future_wait(future, -1) != WEBNN_OK) return 2;
  webnn_graph *graph = webnn_future_graph(future);
  if (graph == NULL || compute(graph, a, b, y, N) != WEBNN_OK || y[N - 1] != 3) return 3;
  webnn_future_release(future);
  webnn_context_release(context);
  return 0;
}

/* `by_number`: as where the system can't clear a page in a child, the process's number tells. */
static family make_family(bool by_number) {
  family f = {.context = make_context()};
  if (by_number) wnn_fork_mark_free(&f.context->timeline->fork);
  f.a = make_tensor(f.context, N);
  f.b = make_tensor(f.context, N);
  f.y = make_tensor(f.context, N);
  f.graph = make_graph(f.context, N);
  CHECK_STATUS(webnn_builder_create(f.context, &f.builder, NULL), WEBNN_OK);
  CHECK_STATUS(webnn_tensor_read(f.context, f.a, &f.seen, NULL), WEBNN_OK);
  CHECK(webnn_future_done(f.seen));
  return f;
}

static void end_family(family *f) {
  CHECK_STATUS(webnn_future_wait(f->read, -1), WEBNN_OK); /* the parent's goes on */
  CHECK_STATUS(webnn_future_result(f->read, NULL), WEBNN_OK);
  CHECK(!webnn_context_is_lost(f->context));
  webnn_future_release(f->read);
  webnn_future_release(f->seen);
  webnn_builder_release(f->builder);
  webnn_graph_release(f->graph);
  webnn_tensor_release(f->a);
  webnn_tensor_release(f->b);
  webnn_tensor_release(f->y);
  webnn_context_release(f->context);
}

TEST(a_fork_loses_the_childs_contexts) {
  static const char *const states[] = {"idle", "at work", "held", "told by its number"};
  for (int state = 0; state < 4; state++) {
    family f = make_family(state == 3);
    CONTEXT("%s", states[state]);
    if (state == 1) {
      fake_close_gate();
      CHECK_STATUS(dispatch(f.graph, f.a, f.b, f.y), WEBNN_OK);
      fake_await_gate();
    }
    CHECK_STATUS(webnn_tensor_read(f.context, f.y, &f.read, NULL), WEBNN_OK);
    if (state == 2) wnn_context_lock(f.context); /* as by a thread that the child lacks */
    CHECK(in_child(use_inherited, &f) == 0);
    CHECK(in_child(use_fresh, NULL) == 0);
    if (state == 2) wnn_context_unlock(f.context);
    fake_open_gate();
    end_family(&f);
  }
}

static struct {
  webnn_context *context;
  webnn_tensor *a, *b, *y;
  webnn_graph *graph;
} leftover;

static void release_at_exit(void) {
  webnn_context_destroy(leftover.context);
  webnn_graph_release(leftover.graph);
  webnn_tensor_release(leftover.a);
  webnn_tensor_release(leftover.b);
  webnn_tensor_release(leftover.y);
  webnn_context_release(leftover.context);
}

static int exit_at_work(void *arg) {
#ifndef __SANITIZE_THREAD__
  leftover.context = make_context();
  leftover.a = make_tensor(leftover.context, N);
  leftover.b = make_tensor(leftover.context, N);
  leftover.y = make_tensor(leftover.context, N);
  leftover.graph = make_graph(leftover.context, N);
  for (int i = 0; i < 1000; i++) dispatch(leftover.graph, leftover.a, leftover.b, leftover.y);
  if (*(int *)arg) atexit(release_at_exit);
#else
  (void)release_at_exit;
  (void)arg;
#endif
  exit(harness.n_failures != 0);
}

TEST(a_process_may_end_at_any_time) {
  for (int releases = 0; releases < 2; releases++)
    for (int i = 0; i < 10; i++) CHECK(in_child(exit_at_work, &releases) == 0);
}

int main(int argc, char **argv) {
  return harness_main(argc, argv,
                      (harness_test[]){RUN(defaults_give_a_context),
                                       RUN(options_are_checked),
                                       RUN(the_host_is_listed_as_its_contexts_say),
                                       RUN(struct_sizes_differ),
                                       RUN(null_handles_are_fine),
                                       RUN(limits_are_the_specifications),
                                       RUN(the_host_shares_no_memory_with_opencl),
                                       RUN(destroy_loses_everything),
                                       RUN(queued_work_is_dropped),
                                       RUN(lost_settles_first),
                                       RUN(a_failing_device_is_lost),
                                       RUN(who_has_waited_looks_again),
                                       RUN(peaks_are_measured_once),
                                       RUN(children_hold_their_context),
                                       RUN(queued_work_survives_a_release),
                                       RUN(a_fork_loses_the_childs_contexts),
                                       RUN(a_process_may_end_at_any_time),
                                       {NULL, NULL}});
}
