/* Processes that end while a context works: each child must end as it said, at whatever moment. */
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <webnn/webnn.h>
#include "harness.h"

#define SIDE 256
#define LAYERS 20
#define CODE 7     /* what every child ends with */
#define SECONDS 60 /* a child that hangs is killed */

typedef struct work {
  webnn_context *context;
  webnn_graph *graph;
  webnn_tensor *x, *y;
} work;

static const char *backend_name;

static void wait_us(unsigned n) {
  nanosleep(&(struct timespec){n / 1000000, (long)(n % 1000000) * 1000}, NULL);
}

/* y = x · x · … */
static webnn_builder *make_product(webnn_context *context, uint32_t side, int layers,
                                   webnn_operand **y) {
  const uint32_t shape[] = {side, side};
  const webnn_descriptor desc = {WEBNN_DATA_TYPE_FLOAT32, 2, shape};
  webnn_builder *builder = NULL;
  if (webnn_builder_create(context, &builder, NULL) != WEBNN_OK ||
      webnn_builder_input(builder, WEBNN_STR("x"), &desc, y) != WEBNN_OK)
    abort();
  for (int i = 0; i < layers; i++)
    if (webnn_matmul(builder, *y, *y, NULL, y) != WEBNN_OK) abort();
  return builder;
}

static webnn_context *make_context(void) {
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_context *context = NULL;
  options.backend = backend_name;
  if (webnn_context_create(&options, &context, NULL) != WEBNN_OK) _exit(77);
  return context;
}

static work make_work(int layers) {
  work w = {make_context(), NULL, NULL, NULL};
  const uint32_t shape[] = {SIDE, SIDE};
  const webnn_descriptor desc = {WEBNN_DATA_TYPE_FLOAT32, 2, shape};
  webnn_tensor_options options = WEBNN_TENSOR_OPTIONS_INIT;
  webnn_operand *y = NULL;
  webnn_builder *builder = make_product(w.context, SIDE, layers, &y);
  options.readable = true;
  if (webnn_builder_build_sync(builder, &(webnn_named_operand){WEBNN_STR("y"), y}, 1, &w.graph) !=
          WEBNN_OK ||
      webnn_tensor_create(w.context, &desc, &options, &w.x, NULL) != WEBNN_OK ||
      webnn_tensor_create(w.context, &desc, &options, &w.y, NULL) != WEBNN_OK)
    abort();
  webnn_builder_release(builder);
  return w;
}

static void start(const work *w) {
  if (webnn_graph_dispatch(w->context, w->graph, &(webnn_named_tensor){WEBNN_STR("x"), w->x}, 1,
                           &(webnn_named_tensor){WEBNN_STR("y"), w->y}, 1, NULL) != WEBNN_OK)
    abort();
}

/* The child's exit status; 128 and more: it was killed. */
static int end_of(void (*child)(unsigned delay), unsigned delay) {
  int status = 0;
  fflush(stdout); /* a child would print it again */
  pid_t pid = fork();
  if (pid == 0) {
    alarm(SECONDS);
    child(delay);
    exit(CODE);
  }
  if (pid < 0 || waitpid(pid, &status, 0) != pid) return -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void check_ends(const char *what, void (*child)(unsigned delay), unsigned n, unsigned step) {
  static const char *const backends[] = {"reference", "onednn"};
  for (size_t b = 0; b < 2; b++) {
    backend_name = backends[b];
    for (unsigned i = 0; i < n; i++) {
      CONTEXT("%s, %s, %u us", backends[b], what, i * step);
      int end = end_of(child, i * step);
      if (end == 77) break; /* this backend isn't built in */
      if (!CHECK(end == CODE)) printf("    ended with %d\n", end);
    }
  }
}

static void run_one(unsigned delay) {
  work w = make_work(LAYERS);
  start(&w);
  wait_us(delay);
}

static void run_in_two(unsigned delay) {
  work a = make_work(LAYERS), b = make_work(LAYERS);
  start(&a);
  start(&b);
  wait_us(delay);
}

static void run_and_release(unsigned delay) {
  work w = make_work(LAYERS);
  start(&w);
  wait_us(delay);
  webnn_tensor_release(w.x);
  webnn_tensor_release(w.y);
  webnn_graph_release(w.graph);
  webnn_context_release(w.context);
}

static void build_on(unsigned delay) {
  webnn_operand *y = NULL;
  webnn_future *future = NULL;
  webnn_builder *builder = make_product(make_context(), 32, 200, &y);
  if (webnn_builder_build(builder, &(webnn_named_operand){WEBNN_STR("y"), y}, 1, &future) !=
      WEBNN_OK)
    abort();
  wait_us(delay);
}

TEST(ends_while_it_works) {
  check_ends("runs", run_one, 24, 700);
  check_ends("runs in two contexts", run_in_two, 8, 2000);
  check_ends("runs, released", run_and_release, 8, 2000);
  check_ends("builds", build_on, 12, 700);
}

static void exit_there(webnn_future *future, void *ud) {
  (void)future;
  (void)ud;
  exit(CODE);
}

/* The work goes on behind the read, on the thread that ends the process. */
static void end_in_callback(unsigned delay) {
  work w = make_work(LAYERS);
  webnn_future *future = NULL;
  start(&w);
  if (webnn_tensor_read(w.context, w.y, &future, NULL) != WEBNN_OK ||
      webnn_future_on_done(future, exit_there, NULL) != WEBNN_OK)
    abort();
  for (int i = 0; i < 50; i++) start(&w);
  wait_us(delay);
  pause();
}

TEST(ends_in_a_callback) { check_ends("in a callback", end_in_callback, 4, 1000); }

static work late;

/* Registered first, so it runs last: what it asks for may fail, but not wait for ever. */
static void work_at_end(void) {
  webnn_future *future = NULL;
  webnn_graph_dispatch(late.context, late.graph, &(webnn_named_tensor){WEBNN_STR("x"), late.x}, 1,
                       &(webnn_named_tensor){WEBNN_STR("y"), late.y}, 1, NULL);
  if (webnn_tensor_read(late.context, late.y, &future, NULL) == WEBNN_OK)
    webnn_future_wait(future, -1);
  webnn_future_release(future);
  webnn_context *context = NULL;
  if (webnn_context_create(NULL, &context, NULL) == WEBNN_OK) webnn_context_release(context);
  webnn_tensor_release(late.x);
  webnn_tensor_release(late.y);
  webnn_graph_release(late.graph);
  webnn_context_release(late.context);
}

static void go_on_at_end(unsigned delay) {
  atexit(work_at_end);
  late = make_work(LAYERS);
  for (int i = 0; i < 5; i++) start(&late);
  wait_us(delay);
}

TEST(works_in_a_handler_of_the_end) { check_ends("in a handler", go_on_at_end, 6, 3000); }

static void nothing(unsigned delay) { (void)delay; }

/* The parent's worker is inside; the child doesn't have it, and ends at once, or after work of its
 * own. */
static void fork_while_it_runs(unsigned delay) {
  work w = make_work(LAYERS);
  for (int i = 0; i < 20; i++) start(&w);
  wait_us(delay);
  if (end_of(nothing, 0) != CODE) _exit(1);
}

TEST(a_forked_child_ends) { check_ends("forks", fork_while_it_runs, 8, 1500); }

int main(int argc, char **argv) {
  return harness_main(argc, argv,
                      (harness_test[]){RUN(ends_while_it_works),
                                       RUN(ends_in_a_callback),
                                       RUN(works_in_a_handler_of_the_end),
                                       RUN(a_forked_child_ends),
                                       {NULL, NULL}});
}
