/* The smallest test harness: a test is a function, its claims are CHECKs, main runs a list of them.
 *
 * TEST(rejects_wide_window) { CHECK_STATUS(call(), WEBNN_ERROR_TYPE); }
 * int main(int argc, char **argv) {
 *   return harness_main(argc, argv, (harness_test[]){RUN(rejects_wide_window), {NULL, NULL}});
 * }
 * An argument runs only the tests whose name contains it. A failed CHECK is printed and counted,
 * the test goes on; REQUIRE says whether it held, for `if (!REQUIRE(x)) return;`. CONTEXT names the
 * row of a table. */
#ifndef WEBNN_TESTS_HARNESS_H
#define WEBNN_TESTS_HARNESS_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <webnn/base.h>

typedef struct harness_test {
  const char *name;
  void (*run)(void);
} harness_test;

static struct {
  const char *test;
  char context[256];
  size_t n_checks, n_failures;
} harness;

#define TEST(name) static void test_##name(void)
#define RUN(name) {#name, test_##name}

#define CHECK(cond) harness_check((cond), __FILE__, __LINE__, #cond)
#define REQUIRE(cond) harness_check((cond), __FILE__, __LINE__, #cond)
#define CHECK_STR(a, b) harness_check_str((a), (b), __FILE__, __LINE__, #a)
#define CHECK_STATUS(expr, status) harness_check_status((expr), (status), __FILE__, __LINE__, #expr)
/* The row that the next failures belong to, formatted like printf; "" takes it back. */
#define CONTEXT(...) ((void)snprintf(harness.context, sizeof harness.context, __VA_ARGS__))

static inline bool harness_check(bool held, const char *file, int line, const char *text) {
  harness.n_checks++;
  if (held) return true;
  harness.n_failures++;
  printf("%s:%d: %s%s%s: failed: %s\n", file, line, harness.test, harness.context[0] ? ": " : "",
         harness.context, text);
  return false;
}

static inline bool harness_check_str(const char *a, const char *b, const char *file, int line,
                                     const char *text) {
  bool same = a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
  if (!harness_check(same, file, line, text))
    printf("    is       \"%s\"\n    expected \"%s\"\n", a ? a : "(null)", b ? b : "(null)");
  return same;
}

static inline bool harness_check_status(webnn_status is, webnn_status expected, const char *file,
                                        int line, const char *text) {
  if (!harness_check(is == expected, file, line, text))
    printf("    is %d, expected %d\n", (int)is, (int)expected);
  return is == expected;
}

/* A context's last owner may be its worker, which ends by itself: who looks for leaks at the end of
 * the process lets it. */
static inline void harness_end(void) {
#ifdef __SANITIZE_ADDRESS__
  nanosleep(&(struct timespec){0, 300000000}, NULL);
#endif
}

static inline int harness_main(int argc, char **argv, const harness_test *tests) {
  size_t n_failed = 0, n_run = 0;
  for (const harness_test *test = tests; test->name != NULL; test++) {
    if (argc > 1 && strstr(test->name, argv[1]) == NULL) continue;
    size_t before = harness.n_failures;
    harness.test = test->name;
    harness.context[0] = '\0';
    test->run();
    n_run++;
    if (harness.n_failures != before) n_failed++;
    printf("%s %s\n", harness.n_failures == before ? "ok  " : "FAIL", test->name);
    fflush(stdout);
  }
  printf("%zu tests, %zu checks, %zu tests failed\n", n_run, harness.n_checks, n_failed);
  harness_end();
  return n_failed != 0 || n_run == 0 || harness.n_checks == 0;
}

#endif
