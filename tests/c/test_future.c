/* Futures: they settle once, when the work is done and somebody looks, or when rejected. */
#include "runtime.h"

#include <math.h>
#include <poll.h>
#include <time.h>

#define N 16
#define BIG (1u << 18) /* floats: not read on the spot */

static void nap(long ms) {
  struct timespec time = {0, ms * 1000000};
  nanosleep(&time, NULL);
}

static webnn_future *read(webnn_context *context, webnn_tensor *tensor) {
  webnn_future *future = NULL;
  CHECK_STATUS(webnn_tensor_read(context, tensor, &future, NULL), WEBNN_OK);
  return future;
}

static webnn_future *read_into(webnn_context *context, webnn_tensor *tensor, void *data) {
  webnn_future *future = NULL;
  CHECK_STATUS(webnn_tensor_read_into(context, tensor, data, webnn_tensor_byte_length(tensor),
                                      &future, NULL),
               WEBNN_OK);
  return future;
}

static void check_rejected(webnn_future *future, const char *word) {
  webnn_error err = {WEBNN_OK, ""};
  size_t n_bytes = 1;
  CHECK(webnn_future_done(future));
  CHECK_STATUS(webnn_future_wait(future, -1), WEBNN_OK);
  CHECK_STATUS(webnn_future_result(future, &err), WEBNN_ERROR_INVALID_STATE);
  CHECK(err.status == WEBNN_ERROR_INVALID_STATE);
  if (!REQUIRE(strstr(err.message, word) != NULL)) printf("    %s\n", err.message);
  CHECK(webnn_future_data(future, &n_bytes) == NULL && n_bytes == 0);
  CHECK(webnn_future_graph(future) == NULL);
}

TEST(a_read_gives_its_bytes) {
  webnn_context *context = make_context();
  webnn_tensor *tensor = make_tensor(context, N);
  size_t n_bytes = 0;
  write_all(context, tensor, 3);
  webnn_future *future = read(context, tensor);
  CHECK_STATUS(webnn_future_wait(future, 0), WEBNN_OK);
  const float *data = webnn_future_data(future, &n_bytes);
  CHECK(n_bytes == N * sizeof *data && data[0] == 3 && data[N - 1] == 3);
  CHECK_STR(webnn_future_message(future), "");
  CHECK(webnn_future_graph(future) == NULL);
  /* What has settled stays, whatever happens to its tensor. */
  webnn_tensor_destroy(tensor);
  CHECK_STATUS(webnn_future_result(future, NULL), WEBNN_OK);
  CHECK(webnn_future_data(future, &n_bytes) == data);
  webnn_future_release(future);
  webnn_tensor_release(tensor);
  webnn_context_release(context);
}

TEST(a_read_nobody_saw_is_rejected) {
  webnn_context *context = make_context();
  float into[N] = {7};
  for (int quick = 0; quick < 2; quick++) {
    uint32_t n = quick ? N : BIG;
    float *target = quick ? into : calloc(BIG, sizeof *target);
    webnn_tensor *tensor = make_tensor(context, n);
    CONTEXT("%s", quick ? "quick" : "queued");
    write_all(context, tensor, 1);
    target[0] = 7;
    webnn_future *a = read(context, tensor), *b = read_into(context, tensor, target);
    nap(20); /* the copies are done by now */
    CHECK(target[0] == 7);
    webnn_tensor_destroy(tensor);
    check_rejected(a, "destroyed");
    check_rejected(b, "destroyed");
    nap(5);
    CHECK(target[0] == 7); /* a rejected read never writes */
    webnn_future_release(a);
    webnn_future_release(b);
    webnn_tensor_release(tensor);
    if (!quick) free(target);
  }
  webnn_context_release(context);
}

TEST(the_callers_memory_is_written_when_it_settles) {
  webnn_context *context = make_context();
  for (uint32_t n = N; n <= BIG; n = n == N ? BIG : BIG + 1) {
    float *target = calloc(n, sizeof *target);
    webnn_tensor *tensor = make_tensor(context, n);
    CONTEXT("%u floats", (unsigned)n);
    write_all(context, tensor, 4);
    webnn_future *future = read_into(context, tensor, target);
    write_all(context, tensor, 5); /* behind it: the read doesn't see it */
    CHECK(target[0] == 0);
    CHECK_STATUS(webnn_future_wait(future, -1), WEBNN_OK);
    CHECK(target[0] == 4 && target[n - 1] == 4);
    webnn_future_release(future);
    future = read_into(context, tensor, target);
    webnn_future_release(future); /* nobody looks, the read takes place all the same */
    CHECK(read_all(context, tensor) == 5);
    CHECK(target[0] == 5 && target[n - 1] == 5);
    webnn_tensor_release(tensor);
    free(target);
  }
  webnn_context_release(context);
}

TEST(a_wait_ends_in_time) {
  webnn_context *context = make_context();
  webnn_future *lost = webnn_context_lost(context);
  int64_t begin = wnn_now_ns();
  CHECK(!webnn_future_done(lost));
  CHECK_STATUS(webnn_future_wait(lost, 0), WEBNN_TIMEOUT);
  CHECK_STATUS(webnn_future_wait(lost, 1000), WEBNN_TIMEOUT);
  CHECK_STATUS(webnn_future_wait(lost, 20000000), WEBNN_TIMEOUT);
  int64_t took = wnn_now_ns() - begin;
  CHECK(took >= 20000000 && took < INT64_C(5000000000));
  CHECK_STATUS(webnn_future_result(lost, NULL), WEBNN_ERROR_INVALID_STATE);
  CHECK_STR(webnn_future_message(lost), "");
  webnn_context_destroy(context);
  CHECK_STATUS(webnn_future_wait(lost, INT64_MAX), WEBNN_OK);
  CHECK_STATUS(webnn_future_result(lost, NULL), WEBNN_OK);
  CHECK_STR(webnn_future_message(lost), "the context was destroyed");
  webnn_context_release(context);
}

static atomic_int n_woken;

static void wait_long(void *arg) {
  if (webnn_future_wait(arg, -1) == WEBNN_OK) atomic_fetch_add(&n_woken, 1);
}

TEST(all_who_wait_are_woken) {
  webnn_context *context = make_context();
  wnn_thread threads[4];
  for (int round = 0; round < 20; round++) {
    webnn_tensor *a = make_tensor(context, N);
    webnn_graph *graph = make_graph(context, N);
    webnn_tensor *b = make_tensor(context, N), *y = make_tensor(context, N);
    fake_close_gate();
    CHECK_STATUS(dispatch(graph, a, b, y), WEBNN_OK);
    webnn_future *future = read(context, y);
    for (int i = 0; i < 4; i++) CHECK(wnn_thread_start(&threads[i], wait_long, future));
    if (round % 2) nap(1);
    CHECK(!webnn_future_done(future));
    if (round % 4 < 2)
      fake_open_gate();
    else
      webnn_tensor_destroy(y);
    for (int i = 0; i < 4; i++) wnn_thread_join(&threads[i]);
    CHECK(atomic_exchange(&n_woken, 0) == 4);
    fake_open_gate();
    webnn_future_release(future);
    webnn_tensor_release(a);
    webnn_tensor_release(b);
    webnn_tensor_release(y);
    webnn_graph_release(graph);
  }
  webnn_context_release(context);
}

typedef struct call_log {
  atomic_int n;
  webnn_future *future;
  webnn_tensor *tensor; /* to be released in the callback */
  webnn_context *context;
  webnn_status status;
} call_log;

static void log_call(webnn_future *future, void *ud) {
  call_log *log = ud;
  log->future = future;
  log->status = webnn_future_result(future, NULL);
  webnn_tensor_release(log->tensor);
  webnn_context_release(log->context);
  atomic_fetch_add(&log->n, 1);
}

TEST(the_callback_is_called_once) {
  webnn_context *context = make_context();
  webnn_tensor *tensor = make_tensor(context, N);
  call_log log = {0}, second = {0};
  webnn_future *future = read(context, tensor);
  CHECK_STATUS(webnn_future_on_done(future, log_call, &log), WEBNN_OK);
  CHECK(log.n == 1 && log.future == future && log.status == WEBNN_OK);
  CHECK_STATUS(webnn_future_on_done(future, log_call, &second), WEBNN_ERROR_INVALID_STATE);
  CHECK(second.n == 0);
  webnn_tensor_destroy(tensor);
  CHECK(log.n == 1);
  webnn_future_release(future);
  webnn_tensor_release(tensor);
  webnn_context_release(context);
}

TEST(a_pending_callback_is_called_by_who_settles) {
  webnn_context *context = make_context();
  webnn_tensor *a = make_tensor(context, N), *b = make_tensor(context, N),
               *y = make_tensor(context, N);
  webnn_graph *graph = make_graph(context, N);
  for (int destroys = 0; destroys < 2; destroys++) {
    call_log log = {0};
    CONTEXT("%s", destroys ? "destroyed" : "done");
    fake_close_gate();
    CHECK_STATUS(dispatch(graph, a, b, y), WEBNN_OK);
    webnn_future *future = read(context, y);
    CHECK_STATUS(webnn_future_on_done(future, log_call, &log), WEBNN_OK);
    webnn_future_release(future); /* it stays until the call */
    CHECK(log.n == 0);
    if (destroys) webnn_tensor_destroy(y);
    fake_open_gate();
    for (int i = 0; i < 5000 && log.n == 0; i++) nap(1);
    CHECK(log.n == 1);
    CHECK(log.status == (destroys ? WEBNN_ERROR_INVALID_STATE : WEBNN_OK));
  }
  webnn_graph_release(graph);
  webnn_tensor_release(a);
  webnn_tensor_release(b);
  webnn_tensor_release(y);
  webnn_context_release(context);
}

/* The callback on the worker gives back the last handles: the context ends on its own worker. */
TEST(a_callback_may_release_everything) {
  for (int round = 0; round < 50; round++) {
    webnn_context *context = make_context();
    webnn_tensor *a = make_tensor(context, N), *b = make_tensor(context, N),
                 *y = make_tensor(context, N);
    webnn_graph *graph = make_graph(context, N);
    static call_log log;
    log = (call_log){.tensor = y, .context = context};
    fake_close_gate();
    CHECK_STATUS(dispatch(graph, a, b, y), WEBNN_OK);
    webnn_future *future = read(context, y);
    CHECK_STATUS(webnn_future_on_done(future, log_call, &log), WEBNN_OK);
    webnn_future_release(future);
    webnn_graph_release(graph);
    webnn_tensor_release(a);
    webnn_tensor_release(b);
    fake_open_gate();
    while (log.n == 0) nap(1);
    CHECK(log.status == WEBNN_OK);
  }
  nap(20);
}

static void destroy_context(webnn_future *future, void *ud) {
  (void)future;
  webnn_context_destroy(ud);
}

TEST(a_callback_may_destroy_the_context) {
  webnn_context *context = make_context();
  webnn_tensor *a = make_tensor(context, N), *b = make_tensor(context, N),
               *y = make_tensor(context, N);
  webnn_graph *graph = make_graph(context, N);
  fake_close_gate();
  CHECK_STATUS(dispatch(graph, a, b, y), WEBNN_OK);
  webnn_future *first = read(context, y), *second = read(context, y);
  CHECK_STATUS(webnn_future_on_done(first, destroy_context, context), WEBNN_OK);
  fake_open_gate();
  CHECK_STATUS(webnn_future_wait(second, -1), WEBNN_OK);
  CHECK_STATUS(webnn_future_result(first, NULL), WEBNN_OK);
  check_rejected(second, "lost");
  webnn_future_release(first);
  webnn_future_release(second);
  webnn_graph_release(graph);
  webnn_tensor_release(a);
  webnn_tensor_release(b);
  webnn_tensor_release(y);
  webnn_context_release(context);
}

typedef struct worker_log {
  webnn_context *context;
  webnn_graph *graph;
  webnn_tensor *y;
  atomic_int n;
  webnn_status wait, map, compute;
} worker_log;

static void try_to_wait(webnn_future *future, void *ud) {
  worker_log *log = ud;
  float x[N] = {0}, z[N] = {0};
  void *memory;
  (void)future;
  log->wait = webnn_future_wait(webnn_context_lost(log->context), -1);
  log->map = webnn_tensor_map(log->y, &memory, NULL);
  log->compute = compute(log->graph, x, x, z, N);
  atomic_store(&log->n, 1);
}

/* What would wait for the worker for ever on the worker says so at once. */
TEST(the_worker_never_waits_for_itself) {
  webnn_context *context = make_context();
  webnn_tensor *a = make_tensor(context, N), *b = make_tensor(context, N),
               *y = make_tensor(context, N);
  webnn_graph *graph = make_graph(context, N);
  worker_log log = {.context = context, .graph = graph, .y = y};
  fake_close_gate();
  CHECK_STATUS(dispatch(graph, a, b, y), WEBNN_OK);
  webnn_future *future = read(context, y);
  CHECK_STATUS(webnn_future_on_done(future, try_to_wait, &log), WEBNN_OK);
  fake_open_gate();
  while (log.n == 0) nap(1);
  CHECK(log.wait == WEBNN_TIMEOUT);
  CHECK(log.map == WEBNN_ERROR_INVALID_STATE);
  CHECK(log.compute == WEBNN_ERROR_INVALID_STATE);
  webnn_future_release(future);
  webnn_graph_release(graph);
  webnn_tensor_release(a);
  webnn_tensor_release(b);
  webnn_tensor_release(y);
  webnn_context_release(context);
}

TEST(a_build_gives_its_graph) {
  webnn_context *context = make_context();
  webnn_future *future = start_build(context, N);
  CHECK_STATUS(webnn_future_wait(future, -1), WEBNN_OK);
  webnn_graph *graph = webnn_future_graph(future);
  CHECK(graph != NULL && webnn_graph_context(graph) == context);
  CHECK(webnn_future_data(future, NULL) == NULL);
  webnn_future_release(future); /* and the graph with it */
  webnn_context_release(context);
}

TEST(a_build_can_fail) {
  webnn_context *context = make_context();
  webnn_error err = {WEBNN_OK, ""};
  atomic_store(&fake.fails, true);
  webnn_future *future = start_build(context, N);
  CHECK_STATUS(webnn_future_wait(future, -1), WEBNN_OK);
  CHECK_STATUS(webnn_future_result(future, &err), WEBNN_ERROR_OPERATION);
  CHECK_STR(err.message, "build: refused");
  CHECK(webnn_future_graph(future) == NULL);
  webnn_future_release(future);
  webnn_context_release(context);
}

TEST(a_build_is_rejected_by_loss) {
  for (int done = 0; done < 2; done++) {
    webnn_context *context = make_context();
    CONTEXT("%s", done ? "done, not seen" : "running");
    if (!done) fake_close_gate();
    webnn_future *future = start_build(context, N);
    if (done)
      nap(20);
    else
      fake_await_gate();
    webnn_context_destroy(context);
    check_rejected(future, "the context was destroyed");
    fake_open_gate();
    webnn_future_release(future);
    webnn_context_release(context);
  }
}

TEST(a_read_can_fail) {
  webnn_context *context = make_context();
  webnn_tensor *tensor = make_tensor(context, BIG);
  float *target = calloc(BIG, sizeof *target);
  atomic_store(&fake.fails, true);
  webnn_future *a = read(context, tensor), *b = read_into(context, tensor, target);
  CHECK_STATUS(webnn_future_wait(a, -1), WEBNN_OK);
  CHECK_STATUS(webnn_future_wait(b, -1), WEBNN_OK);
  CHECK_STATUS(webnn_future_result(a, NULL), WEBNN_ERROR_UNKNOWN);
  CHECK_STATUS(webnn_future_result(b, NULL), WEBNN_ERROR_UNKNOWN);
  webnn_future_release(a);
  webnn_future_release(b);
  webnn_tensor_release(tensor);
  webnn_context_release(context);
  free(target);
}

static bool is_readable(int fd, int timeout_ms) {
  struct pollfd p = {.fd = fd, .events = POLLIN};
  return poll(&p, 1, timeout_ms) == 1;
}

TEST(the_descriptor_tells) {
  webnn_context *context = make_context();
  webnn_tensor *tensor = make_tensor(context, N);
  int fd = webnn_context_fd(context);
  CHECK(fd >= 0 && webnn_context_fd(context) == fd);
  CHECK(!is_readable(fd, 0));
  webnn_future *future = read(context, tensor);
  CHECK(is_readable(fd, 5000));
  webnn_context_drain(context);
  CHECK(!is_readable(fd, 0));
  CHECK(webnn_future_done(future));
  webnn_future_release(future);
  future = start_build(context, N);
  CHECK(is_readable(fd, 5000));
  webnn_context_drain(context);
  CHECK(webnn_future_done(future));
  webnn_context_destroy(context);
  CHECK(is_readable(fd, 5000));
  webnn_future_release(future);
  webnn_tensor_release(tensor);
  webnn_context_release(context);
}

/* Futures that had settled before anybody asked for the descriptor aren't missed. */
TEST(the_descriptor_remembers) {
  webnn_context *context = make_context();
  webnn_future *future = start_build(context, N);
  CHECK_STATUS(webnn_future_wait(future, -1), WEBNN_OK);
  for (int i = 0; i < 5000 && !is_readable(webnn_context_fd(context), 0); i++) nap(1);
  CHECK(is_readable(webnn_context_fd(context), 0));
  webnn_context_drain(context);
  webnn_context_drain(context);
  CHECK(!is_readable(webnn_context_fd(context), 0));
  webnn_future_release(future);
  webnn_context_release(context);
}

TEST(futures_outlive_everything) {
  webnn_context *context = make_context();
  webnn_tensor *tensor = make_tensor(context, N);
  float target[N] = {0};
  size_t n_bytes;
  write_all(context, tensor, 9);
  webnn_future *seen = read(context, tensor), *unseen = read(context, tensor);
  webnn_future *into = read_into(context, tensor, target);
  webnn_future *lost = webnn_future_retain(webnn_context_lost(context));
  CHECK(webnn_future_done(seen));
  webnn_tensor_release(tensor); /* a release is no destroy: what was read is there */
  CHECK(webnn_future_done(into) && target[N - 1] == 9);
  webnn_context_release(context);
  CHECK(((const float *)webnn_future_data(seen, &n_bytes))[0] == 9 && n_bytes == sizeof target);
  check_rejected(unseen, "released");
  CHECK_STR(webnn_future_message(lost), "the context was released");
  webnn_future_release(seen);
  webnn_future_release(unseen);
  webnn_future_release(into);
  webnn_future_release(lost);
  webnn_future_release(NULL);
  CHECK(webnn_future_retain(NULL) == NULL);
}

/* ---- many threads at one future */

typedef struct race {
  webnn_context *context;
  webnn_tensor *tensor;
  webnn_future *future;
  atomic_int turn, n_done, n_called;
  float *target;
} race;

static void count_call(webnn_future *future, void *ud) {
  (void)future;
  atomic_fetch_add(&((race *)ud)->n_called, 1);
}

static void race_for_it(void *arg) {
  race *r = arg;
  webnn_error err;
  switch (atomic_fetch_add(&r->turn, 1) % 5) {
    case 0: webnn_tensor_destroy(r->tensor); break;
    case 1: webnn_future_on_done(r->future, count_call, r); break;
    case 2: webnn_future_wait(r->future, -1); break;
    case 3:
      while (!webnn_future_done(r->future)) sched_yield();
      break;
    case 4: webnn_future_result(r->future, &err); break;
  }
  webnn_future_wait(r->future, -1);
  atomic_fetch_add(&r->n_done, webnn_future_result(r->future, NULL) == WEBNN_OK);
}

TEST(one_outcome_for_all) {
  webnn_context *context = make_context();
  float *target = malloc(BIG * sizeof *target);
  for (int round = 0; round < 150; round++) {
    wnn_thread threads[5];
    uint32_t n = round % 2 ? BIG / 2 : N;
    race r = {.context = context, .tensor = make_tensor(context, n), .target = target};
    for (uint32_t i = 0; i < n; i++) target[i] = 1;
    r.future = read_into(context, r.tensor, target);
    atomic_store(&r.turn, round);
    run_threads(threads, 5, race_for_it, &r);
    CHECK(r.n_done == 0 || r.n_done == 5);
    CHECK(target[0] == (r.n_done ? 0 : 1) && target[n - 1] == target[0]);
    for (int i = 0; i < 5000 && r.n_called == 0; i++)
      nap(1); /* by whoever settled it, maybe just now */
    CHECK(r.n_called == 1);
    webnn_future_release(r.future);
    webnn_tensor_release(r.tensor);
  }
  webnn_context_release(context);
  free(target);
}

int main(int argc, char **argv) {
  return harness_main(argc, argv,
                      (harness_test[]){RUN(a_read_gives_its_bytes),
                                       RUN(a_read_nobody_saw_is_rejected),
                                       RUN(the_callers_memory_is_written_when_it_settles),
                                       RUN(a_wait_ends_in_time),
                                       RUN(all_who_wait_are_woken),
                                       RUN(the_callback_is_called_once),
                                       RUN(a_pending_callback_is_called_by_who_settles),
                                       RUN(a_callback_may_release_everything),
                                       RUN(a_callback_may_destroy_the_context),
                                       RUN(the_worker_never_waits_for_itself),
                                       RUN(a_build_gives_its_graph),
                                       RUN(a_build_can_fail),
                                       RUN(a_build_is_rejected_by_loss),
                                       RUN(a_read_can_fail),
                                       RUN(the_descriptor_tells),
                                       RUN(the_descriptor_remembers),
                                       RUN(futures_outlive_everything),
                                       RUN(one_outcome_for_all),
                                       {NULL, NULL}});
}
