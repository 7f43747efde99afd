/* Error scopes and the callback for what they don't catch: every call that can fail, everything
 * that fails later, one row each. */
#include "failure_rows.h"

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- what is heard */

typedef struct ear {
  atomic_int n;
  webnn_error last;
} ear;

static void hear(const webnn_error *error, void *ud) {
  ear *e = ud;
  e->last = *error;
  atomic_fetch_add(&e->n, 1);
}

static void nap(long ms) {
  struct timespec time = {0, ms * 1000000};
  nanosleep(&time, NULL);
}

/* A callback may be a moment behind who waits for the future. */
static int heard(ear *e, int n) {
  for (int i = 0; i < 2000 && atomic_load(&e->n) < n; i++) nap(1);
  return atomic_load(&e->n);
}

static void check_error(const struct row *row, const webnn_error *error) {
  CHECK(error->status == row->status);
  if (!CHECK(strncmp(error->message, row->message, strlen(row->message)) == 0))
    printf("    is \"%s\"\n", error->message);
}

TEST(scopes_catch_every_failure) {
  for (size_t i = 0; i < N_ROWS; i++) {
    world w;
    ear e = {0};
    webnn_error caught;
    CONTEXT("%s", rows[i].name);
    open_world(&w);
    webnn_context_on_uncaptured_error(w.context, hear, &e);
    for (unsigned f = VALIDATION; f <= INTERNAL; f++) /* the one that fits, round others */
      if (f != rows[i].filter)
        CHECK_STATUS(webnn_context_push_error_scope(w.context, f, NULL), WEBNN_OK);
    CHECK_STATUS(webnn_context_push_error_scope(w.context, rows[i].filter, NULL), WEBNN_OK);
    CHECK_STATUS(rows[i].fail(&w), rows[i].status);
    CHECK_STATUS(webnn_context_pop_error_scope(w.context, &caught, NULL), WEBNN_OK);
    check_error(&rows[i], &caught);
    for (unsigned k = 0; k < 2; k++) {
      CHECK_STATUS(webnn_context_pop_error_scope(w.context, &caught, NULL), WEBNN_OK);
      CHECK(caught.status == WEBNN_OK && caught.message[0] == '\0');
    }
    nap(1);
    CHECK(atomic_load(&e.n) == 0);
    close_world(&w);
  }
}

TEST(the_callback_hears_what_no_scope_catches) {
  for (size_t i = 0; i < N_ROWS; i++) {
    world w;
    ear e = {0};
    CONTEXT("%s", rows[i].name);
    open_world(&w);
    webnn_context_on_uncaptured_error(w.context, hear, &e);
    for (unsigned f = VALIDATION; f <= INTERNAL; f++)
      if (f != rows[i].filter) webnn_context_push_error_scope(w.context, f, NULL);
    CHECK_STATUS(rows[i].fail(&w), rows[i].status);
    CHECK(heard(&e, 1) >= 1);
    check_error(&rows[i], &e.last);
    webnn_context_on_uncaptured_error(w.context, NULL, NULL);
    close_world(&w);
  }
}

/* Once each, and nothing for what goes well; one row fails twice. */
TEST(failures_are_reported_once) {
  for (size_t i = 0; i < N_ROWS; i++) {
    world w;
    ear e = {0};
    bool twice = rows[i].fail == refused_build_that_nobody_looks_at;
    CONTEXT("%s", rows[i].name);
    open_world(&w);
    webnn_context_on_uncaptured_error(w.context, hear, &e);
    CHECK_STATUS(write_all(w.context, w.tensor, 1), WEBNN_OK);
    CHECK(read_all(w.context, w.tensor) == 1);
    CHECK(atomic_load(&e.n) == 0);
    rows[i].fail(&w);
    heard(&e, twice ? 2 : 1);
    nap(1);
    CHECK(atomic_load(&e.n) == (twice ? 2 : 1));
    webnn_context_on_uncaptured_error(w.context, NULL, NULL);
    close_world(&w);
  }
}

TEST(nobody_need_watch) {
  for (size_t i = 0; i < N_ROWS; i++) {
    world w;
    CONTEXT("%s", rows[i].name);
    open_world(&w);
    CHECK_STATUS(rows[i].fail(&w), rows[i].status);
    close_world(&w);
  }
}

/* ---- scopes */

TEST(the_innermost_scope_that_fits_keeps_the_first) {
  world w;
  webnn_error caught;
  open_world(&w);
  webnn_context_push_error_scope(w.context, VALIDATION, NULL);
  constant(&w);
  webnn_context_push_error_scope(w.context, INTERNAL, NULL);
  webnn_context_push_error_scope(w.context, VALIDATION, NULL);
  webnn_context_push_error_scope(w.context, OUT_OF_MEMORY, NULL);
  input(&w);
  constant(&w);
  report_error(&w);
  webnn_context_pop_error_scope(w.context, &caught, NULL);
  CHECK_STR(caught.message, "");
  webnn_context_pop_error_scope(w.context, &caught, NULL);
  CHECK_STR(caught.message, "input: the name 'x' is taken");
  webnn_context_pop_error_scope(w.context, &caught, NULL);
  CHECK_STR(caught.message, "load: a node that we don't know");
  webnn_context_pop_error_scope(w.context, &caught, NULL);
  CHECK(strncmp(caught.message, "constant: ", 10) == 0);
  close_world(&w);
}

TEST(scopes_have_their_own_failures) {
  webnn_error err = {WEBNN_OK, ""}, caught = {WEBNN_ERROR_UNKNOWN, "old"};
  ear e = {0};
  world w;
  open_world(&w);
  webnn_context_on_uncaptured_error(w.context, hear, &e);
  CHECK_STATUS(webnn_context_pop_error_scope(w.context, &caught, &err), WEBNN_ERROR_INVALID_STATE);
  CHECK_STR(err.message, "pop_error_scope: no error scope is open");
  CHECK(err.status == WEBNN_ERROR_INVALID_STATE && caught.status == WEBNN_OK);
  CHECK_STATUS(webnn_context_push_error_scope(w.context, (webnn_error_filter)3, &err),
               WEBNN_ERROR_TYPE);
  CHECK_STR(err.message, "push_error_scope: no such filter (3)");
  atomic_store(&w.starved, true);
  CHECK_STATUS(webnn_context_push_error_scope(w.context, VALIDATION, &err), WEBNN_ERROR_UNKNOWN);
  atomic_store(&w.starved, false);
  CHECK_STATUS(webnn_context_pop_error_scope(w.context, NULL, NULL), WEBNN_ERROR_INVALID_STATE);
  CHECK(atomic_load(&e.n) == 0);
  close_world(&w); /* with the callback in place */
}

TEST(open_scopes_go_with_the_context) {
  world w;
  open_world(&w);
  for (int i = 0; i < 10; i++) webnn_context_push_error_scope(w.context, VALIDATION, NULL);
  input(&w);
  close_world(&w);
}

TEST(fine_reports_are_none) {
  world w;
  ear e = {0};
  webnn_error fine = {WEBNN_OK, "fine"};
  open_world(&w);
  webnn_context_on_uncaptured_error(w.context, hear, &e);
  webnn_context_report_error(w.context, &fine);
  CHECK(atomic_load(&e.n) == 0);
  close_world(&w);
}

/* ---- the callback */

/* Fails itself, and takes itself back at the third time. */
static void fail_again(const webnn_error *error, void *ud) {
  world *w = ud;
  static atomic_int n;
  CHECK(error->status == WEBNN_ERROR_TYPE);
  if (atomic_fetch_add(&n, 1) == 2) webnn_context_on_uncaptured_error(w->context, NULL, NULL);
  CHECK_STATUS(create_tensor(w), WEBNN_ERROR_TYPE);
}

TEST(callbacks_may_fail_and_go) {
  world w;
  open_world(&w);
  webnn_context_on_uncaptured_error(w.context, fail_again, &w);
  CHECK_STATUS(create_tensor(&w), WEBNN_ERROR_TYPE);
  CHECK_STATUS(create_tensor(&w), WEBNN_ERROR_TYPE);
  close_world(&w);
}

static struct {
  atomic_int begun, ended;
} slow;

static void be_slow(const webnn_error *error, void *ud) {
  (void)error, (void)ud;
  atomic_store(&slow.begun, 1);
  nap(30);
  atomic_store(&slow.ended, 1);
}

static void fail_once(void *arg) { create_tensor(arg); }

TEST(who_replaces_a_callback_waits_for_it) {
  world w;
  wnn_thread thread;
  open_world(&w);
  webnn_context_on_uncaptured_error(w.context, be_slow, NULL);
  CHECK(wnn_thread_start(&thread, fail_once, &w));
  while (atomic_load(&slow.begun) == 0) nap(1);
  webnn_context_on_uncaptured_error(w.context, NULL, NULL);
  CHECK(atomic_load(&slow.ended) == 1);
  wnn_thread_join(&thread);
  close_world(&w);
}

enum { N_THREADS = 4, N_FAILURES = 200 };

static void fail_often(void *arg) {
  for (int i = 0; i < N_FAILURES; i++) create_tensor(arg);
}

static void count(const webnn_error *error, void *ud) {
  (void)error;
  atomic_fetch_add((atomic_int *)ud, 1);
}

TEST(threads_share_the_scopes) {
  world w;
  wnn_thread threads[N_THREADS];
  webnn_error caught;
  atomic_int n;
  atomic_init(&n, 0);
  open_world(&w);
  webnn_context_on_uncaptured_error(w.context, count, &n);
  run_threads(threads, N_THREADS, fail_often, &w);
  CHECK(atomic_load(&n) == N_THREADS * N_FAILURES);
  webnn_context_push_error_scope(w.context, VALIDATION, NULL);
  run_threads(threads, N_THREADS, fail_often, &w);
  CHECK(atomic_load(&n) == N_THREADS * N_FAILURES);
  webnn_context_pop_error_scope(w.context, &caught, NULL);
  CHECK(caught.status == WEBNN_ERROR_TYPE);
  close_world(&w);
}

/* ---- forks */

/* The number of the first claim that doesn't hold; 0: all hold. */
static int use_inherited(world *w) {
  webnn_error caught;
  if (create_tensor(w) != WEBNN_ERROR_INVALID_STATE) return 1;
  if (webnn_context_push_error_scope(w->context, VALIDATION, NULL) != WEBNN_ERROR_INVALID_STATE)
    return 2;
  if (webnn_context_pop_error_scope(w->context, &caught, NULL) != WEBNN_ERROR_INVALID_STATE)
    return 3;
  webnn_context_on_uncaptured_error(w->context, NULL, NULL);
  return 0;
}

/* The child's copy of the lock is held by a thread that it doesn't have. */
TEST(a_forked_child_reports_nothing) {
  world w;
  ear e = {0};
  int status = -1;
  open_world(&w);
  webnn_context_on_uncaptured_error(w.context, hear, &e);
  wnn_mutex_lock(&w.context->timeline->watch.lock);
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) {
    alarm(20);
    int failed = use_inherited(&w);
    _exit(failed != 0 ? failed : atomic_load(&e.n) != 0 ? 9 : 0);
  }
  wnn_mutex_unlock(&w.context->timeline->watch.lock);
  waitpid(pid, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  close_world(&w);
}

int main(int argc, char **argv) {
  static const harness_test tests[] = {
      RUN(scopes_catch_every_failure),
      RUN(the_callback_hears_what_no_scope_catches),
      RUN(failures_are_reported_once),
      RUN(nobody_need_watch),
      RUN(the_innermost_scope_that_fits_keeps_the_first),
      RUN(scopes_have_their_own_failures),
      RUN(open_scopes_go_with_the_context),
      RUN(fine_reports_are_none),
      RUN(callbacks_may_fail_and_go),
      RUN(who_replaces_a_callback_waits_for_it),
      RUN(threads_share_the_scopes),
      RUN(a_forked_child_reports_nothing),
      {NULL, NULL},
  };
  return harness_main(argc, argv, tests);
}
