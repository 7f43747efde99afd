/* Runs conformance vectors (tests/data/wpt) on one backend, through the call that serves every
 * operation.
 *
 *   wpt_runner [--backend NAME] [--passes TEXT] [--filter TEXT] [--every N] [--through file]
 *              [--leaves inputs|constants] file.json ...
 *
 * A file is a vector file, or a list of some that lie next to it (files.json). --filter picks the
 * tests whose id or title contains the text, --every each N-th of a file. --through file writes
 * each graph down and reads it back. --leaves makes inputs of all constants, or the reverse. Each
 * test runs twice: on memory of ours, and on tensors. The exit code is 77 where the backend isn't
 * there. */
#include "harness.h"
#include "wpt_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <webnn/context.h>
#include <webnn/future.h>

#define EXIT_SKIPPED 77

typedef struct settings {
  const char *backend, *passes, *filter, *every, *through, *leaves;
} settings;

static bool compare(wpt_trial *t, const char *how) {
  for (size_t k = 0; k < t->n_wanted; k++) {
    const wpt_wanted *w = &t->wanted[k];
    webnn_data_type type = w->descriptor.data_type;
    size_t n = elements_count(&w->descriptor);
    size_t i = elements_differ(w->is, w->expected, type, n, &w->tolerance);
    char is[64], expected[64];
    if (i == n) continue;
    elements_format(is, w->is, type, i);
    elements_format(expected, w->expected, type, i);
    return WPT_FAIL(t, "%s: %.*s, element %zu of %zu: %s, expected %s (%s %g)", how,
                    (int)w->name.size, w->name.data, i, n, is, expected,
                    w->tolerance.ulp ? "ULP" : "ATOL", w->tolerance.value);
  }
  return true;
}

/* Another pattern than any result of the run before it. */
static void spoil(wpt_trial *t) {
  for (size_t k = 0; k < t->n_wanted; k++)
    memset(t->wanted[k].is, 0xA5, elements_bytes(&t->wanted[k].descriptor));
}

static bool run_on_memory(wpt_trial *t) {
  webnn_named_data inputs[WPT_MAX_OPERANDS], outputs[WPT_MAX_EXPECTED];
  size_t n_inputs = webnn_graph_n_inputs(t->graph);
  webnn_error err = {0};
  for (size_t i = 0; i < n_inputs; i++) {
    webnn_descriptor descriptor;
    const wpt_named *input = wpt_find(t, webnn_graph_input(t->graph, i, &descriptor));
    if (input == NULL || input->data == NULL)
      return WPT_FAIL(t, "the graph has an input that isn't ours");
    inputs[i] = (webnn_named_data){input->name, input->data, input->n_bytes};
  }
  for (size_t i = 0; i < t->n_wanted; i++)
    outputs[i] = (webnn_named_data){t->wanted[i].name, t->wanted[i].is,
                                    elements_bytes(&t->wanted[i].descriptor)};
  spoil(t);
  if (webnn_graph_compute(t->context, t->graph, inputs, n_inputs, outputs, t->n_wanted, &err) !=
      WEBNN_OK)
    return wpt_fail_status(t, "compute", &err);
  return compare(t, "compute");
}

/* A tensor for one input (whose data is written) or output. */
static webnn_tensor *make_tensor(wpt_trial *t, const webnn_descriptor *descriptor,
                                 const wpt_named *input) {
  webnn_tensor_options options = WEBNN_TENSOR_OPTIONS_INIT;
  webnn_tensor *tensor;
  webnn_error err = {0};
  options.writable = input != NULL;
  options.readable = input == NULL;
  if (webnn_tensor_create(t->context, descriptor, &options, &tensor, &err) == WEBNN_OK &&
      (input == NULL ||
       webnn_tensor_write(t->context, tensor, input->data, input->n_bytes, &err) == WEBNN_OK))
    return tensor;
  wpt_fail_status(t, "tensor", &err);
  webnn_tensor_release(tensor);
  return NULL;
}

static bool read_tensor(wpt_trial *t, webnn_tensor *tensor, const wpt_wanted *w) {
  webnn_future *future;
  webnn_error err = {0};
  if (webnn_tensor_read_into(t->context, tensor, w->is, elements_bytes(&w->descriptor), &future,
                             &err) != WEBNN_OK)
    return wpt_fail_status(t, "read", &err);
  webnn_future_wait(future, -1);
  webnn_status status = webnn_future_result(future, &err);
  webnn_future_release(future);
  return status == WEBNN_OK || wpt_fail_status(t, "read", &err);
}

static bool dispatch(wpt_trial *t, webnn_named_tensor *inputs, webnn_named_tensor *outputs) {
  size_t n_inputs = webnn_graph_n_inputs(t->graph);
  webnn_error err = {0};
  for (size_t i = 0; i < n_inputs; i++) {
    webnn_descriptor descriptor;
    inputs[i].name = webnn_graph_input(t->graph, i, &descriptor);
    inputs[i].tensor = make_tensor(t, &descriptor, wpt_find(t, inputs[i].name));
    if (inputs[i].tensor == NULL) return false;
  }
  for (size_t i = 0; i < t->n_wanted; i++) {
    outputs[i] =
        (webnn_named_tensor){t->wanted[i].name, make_tensor(t, &t->wanted[i].descriptor, NULL)};
    if (outputs[i].tensor == NULL) return false;
  }
  if (webnn_graph_dispatch(t->context, t->graph, inputs, n_inputs, outputs, t->n_wanted, &err) !=
      WEBNN_OK)
    return wpt_fail_status(t, "dispatch", &err);
  for (size_t i = 0; i < t->n_wanted; i++)
    if (!read_tensor(t, outputs[i].tensor, &t->wanted[i])) return false;
  return true;
}

static bool run_on_tensors(wpt_trial *t) {
  webnn_named_tensor inputs[WPT_MAX_OPERANDS], outputs[WPT_MAX_EXPECTED];
  memset(inputs, 0, sizeof inputs);
  memset(outputs, 0, sizeof outputs);
  spoil(t);
  bool ok = dispatch(t, inputs, outputs) && compare(t, "dispatch");
  for (size_t i = 0; i < WPT_MAX_OPERANDS; i++) webnn_tensor_release(inputs[i].tensor);
  for (size_t i = 0; i < WPT_MAX_EXPECTED; i++) webnn_tensor_release(outputs[i].tensor);
  return ok;
}

static bool run_test(const settings *s, webnn_context *context, const json *test) {
  wpt_trial *t = calloc(1, sizeof *t);
  const json *id = json_get(test, "id"), *large = json_get(test, "large");
  if (t == NULL) return false;
  t->context = context;
  t->through_file = s->through != NULL;
  if (s->leaves != NULL)
    t->leaves = strcmp(s->leaves, "constants") == 0 ? WPT_LEAVES_CONSTANTS : WPT_LEAVES_INPUTS;
  t->test = test;
  /* Tensors would hold the largest ones a second time. */
  bool ok = wpt_build(t) && run_on_memory(t) && (large != NULL || run_on_tensors(t));
  if (!ok) printf("FAIL %s: %s\n", id != NULL ? id->text : "?", t->problem);
  wpt_reset(t);
  free(t);
  return ok;
}

/* Files. */

typedef struct score {
  size_t n_passed, n_failed;
} score;

static bool is_picked(const json *test, const char *filter) {
  const json *id = json_get(test, "id"), *title = json_get(test, "title");
  return filter == NULL || (id != NULL && strstr(id->text, filter) != NULL) ||
         (title != NULL && strstr(title->text, filter) != NULL);
}

static void fail_file(const char *path, const char *problem, score *total) {
  printf("FAIL %s: %s\n", path, problem);
  total->n_failed++;
}

static void run_tests(const settings *s, webnn_context *context, const char *path,
                      const json *tests, score *total) {
  if (tests == NULL || tests->kind != JSON_LIST) {
    fail_file(path, "no tests", total);
    return;
  }
  const size_t every = s->every != NULL ? strtoul(s->every, NULL, 10) : 1;
  size_t i = 0;
  for (const json *test = tests->first; test != NULL; test = test->next) {
    if (every > 1 && i++ % every != 0) continue;
    if (!is_picked(test, s->filter)) continue;
    if (run_test(s, context, test))
      total->n_passed++;
    else
      total->n_failed++;
  }
}

/* One file of a list, which says how many tests it has. */
static void run_listed(const settings *s, webnn_context *context, const char *path,
                       const json *n_tests, score *total) {
  char message[128];
  json_document *document = json_load(path, message);
  if (document == NULL) {
    fail_file(path, message, total);
    return;
  }
  const json *tests = json_get(json_root(document), "tests");
  run_tests(s, context, path, tests, total);
  if (tests != NULL && tests->size != strtoull(n_tests->text, NULL, 10))
    fail_file(path, "not as many tests as the list says", total);
  json_free(document);
}

/* The files of a list lie next to it. */
static void run_list(const settings *s, webnn_context *context, const char *path, const json *files,
                     score *total) {
  const char *slash = strrchr(path, '/');
  int n_folder = slash != NULL ? (int)(slash - path) + 1 : 0;
  for (const json *file = files->first; file != NULL; file = file->next) {
    char other[4096];
    snprintf(other, sizeof other, "%.*s%s", n_folder, path, file->key);
    run_listed(s, context, other, file, total);
  }
}

static void run_file(const settings *s, webnn_context *context, const char *path, score *total) {
  char message[128];
  json_document *document = json_load(path, message);
  if (document == NULL) {
    fail_file(path, message, total);
    return;
  }
  const json *files = json_get(json_root(document), "files");
  if (files != NULL && files->kind == JSON_OBJECT)
    run_list(s, context, path, files, total);
  else
    run_tests(s, context, path, json_get(json_root(document), "tests"), total);
  json_free(document);
}

/* Takes an option with its value; the number of arguments taken. */
static int take_option(char **argv, settings *s) {
  const struct {
    const char *name;
    const char **value;
  } options[] = {{"--backend", &s->backend}, {"--passes", &s->passes},   {"--filter", &s->filter},
                 {"--every", &s->every},     {"--through", &s->through}, {"--leaves", &s->leaves}};
  for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
    if (argv[0] == NULL || argv[1] == NULL || strcmp(argv[0], options[i].name) != 0) continue;
    *options[i].value = argv[1];
    return 2;
  }
  return 0;
}

int main(int argc, char **argv) {
  settings s = {.backend = "reference"};
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_context *context;
  webnn_error err = {0};
  score total = {0};
  int at = 1, taken;
  while (at < argc && (taken = take_option(argv + at, &s)) != 0) at += taken;
  options.backend = s.backend;
  options.passes = s.passes;
  webnn_status status = webnn_context_create(&options, &context, &err);
  if (status != WEBNN_OK) {
    printf("%s: %s: %s\n", s.backend, webnn_status_name(status), err.message);
    return status == WEBNN_ERROR_NOT_SUPPORTED ? EXIT_SKIPPED : 2;
  }
  for (; at < argc; at++) run_file(&s, context, argv[at], &total);
  webnn_context_release(context);
  printf("%zu passed, %zu failed\n", total.n_passed, total.n_failed);
  harness_end();
  return total.n_failed != 0 || total.n_passed == 0;
}
