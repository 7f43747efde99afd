/* Tests of passes: what one makes of a small graph, and that the graph still computes the same. */
#ifndef WEBNN_TESTS_PASS_CHECKS_H
#define WEBNN_TESTS_PASS_CHECKS_H

#include "graph/builder.h"
#include "harness.h"
#include "maker.h"
#include "passes/pass.h"
#include <math.h>
#include <stdlib.h>

#define MAX_VALUES 4096

static inline webnn_operand *number(maker *m, double value) {
  webnn_operand *out = NULL;
  webnn_number n = {WEBNN_NUMBER_DOUBLE, {.f = value}};
  m->failed |= webnn_builder_constant_number(m->builder, F32, n, &out) != WEBNN_OK;
  return out;
}

/* A constant of small numbers that differ. */
static inline webnn_operand *constant(maker *m, size_t rank, const uint32_t *shape, float from) {
  webnn_operand *out = NULL;
  webnn_descriptor desc = {F32, rank, shape};
  float data[MAX_VALUES];
  size_t n = 1;
  for (size_t i = 0; i < rank; i++) n *= shape[i];
  for (size_t i = 0; i < n; i++) data[i] = from + 0.25f * (float)(i % 7) - 0.125f * (float)(i % 3);
  m->failed |= webnn_builder_constant(m->builder, &desc, data, n * sizeof *data, &out) != WEBNN_OK;
  return out;
}

static const struct {
  const char *name;
  webnn_status (*run)(wnn_graph *graph, bool *changed);
} passes[] = {
    {"canonicalise", wnn_pass_canonicalise}, {"simplify", wnn_pass_simplify},
    {"recognise", wnn_pass_recognise},       {"absorb", wnn_pass_absorb},
    {"hoist", wnn_pass_hoist},               {"attention", wnn_pass_attention},
    {"quantise", wnn_pass_quantise},         {"widen", wnn_pass_widen},
};

/* The pass alone, as often as it finds something; "all" is what a build runs. */
static inline bool run_pass(wnn_graph *graph, const char *name) {
  if (strcmp(name, "all") == 0) return wnn_passes_run(graph, NULL, NULL) == WEBNN_OK;
  for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
    bool changed = strcmp(passes[i].name, name) == 0;
    for (int round = 0; changed && round < 8; round++) {
      changed = false;
      if (passes[i].run(graph, &changed) != WEBNN_OK || wnn_graph_index(graph) != WEBNN_OK) return false;
    }
  }
  return true;
}

static inline void list_operations(const wnn_graph *graph, char *text, size_t room) {
  text[0] = '\0';
  for (const wnn_node *node = graph->first; node != NULL; node = node->next) {
    strncat(text, node->op->name, room - strlen(text) - 1);
    if (node->next != NULL) strncat(text, " ", room - strlen(text) - 1);
  }
}

static inline bool compute(webnn_operand *(*make)(maker *), const char *backend, const char *switches, float *out,
                           size_t *n_out) {
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_context *context = NULL;
  webnn_future *future = NULL;
  maker m = {NULL, false};
  options.backend = backend;
  options.passes = switches;
  bool held = CHECK_STATUS(webnn_context_create(&options, &context, NULL), WEBNN_OK) &&
              CHECK_STATUS(webnn_builder_create(context, &m.builder, NULL), WEBNN_OK);
  if (held) {
    webnn_operand *y = make(&m);
    webnn_descriptor desc = webnn_operand_descriptor(y);
    *n_out = 1;
    for (size_t i = 0; i < desc.rank; i++) *n_out *= desc.shape[i];
    held = CHECK(!m.failed) &&
           CHECK_STATUS(webnn_builder_build(m.builder, &(webnn_named_operand){WEBNN_STR("y"), y}, 1, &future),
                        WEBNN_OK) &&
           CHECK_STATUS(webnn_future_wait(future, -1), WEBNN_OK) &&
           CHECK_STATUS(webnn_future_result(future, NULL), WEBNN_OK);
  }
  if (held) {
    float in[MAX_VALUES];
    webnn_graph *graph = webnn_future_graph(future);
    webnn_descriptor desc;
    webnn_str name = webnn_graph_input(graph, 0, &desc);
    size_t n = 1;
    for (size_t i = 0; i < desc.rank; i++) n *= desc.shape[i];
    for (size_t i = 0; i < n; i++) in[i] = 0.75f * (float)((i * 5) % 11) - 3.5f;
    held = CHECK_STATUS(webnn_graph_compute(context, graph, &(webnn_named_data){name, in, n * sizeof *in}, 1,
                                            &(webnn_named_data){WEBNN_STR("y"), out, *n_out * sizeof *out}, 1,
                                            NULL),
                        WEBNN_OK);
  }
  webnn_future_release(future);
  webnn_builder_release(m.builder);
  webnn_context_release(context);
  return held;
}

/* What the pass leaves of the graph. */
static inline void check_operations(const char *pass, webnn_operand *(*make)(maker *), const char *expected) {
  webnn_context *context = NULL;
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  maker m = {NULL, false};
  wnn_graph graph;
  char text[512];
  options.backend = "reference";
  CHECK_STATUS(webnn_context_create(&options, &context, NULL), WEBNN_OK);
  CHECK_STATUS(webnn_builder_create(context, &m.builder, NULL), WEBNN_OK);
  webnn_operand *y = make(&m);
  CHECK(!m.failed);
  if (CHECK_STATUS(wnn_builder_freeze(m.builder, &(webnn_named_operand){WEBNN_STR("y"), y}, 1, &graph),
                   WEBNN_OK)) {
    CHECK(run_pass(&graph, pass));
    list_operations(&graph, text, sizeof text);
    CHECK_STR(text, expected);
  }
  wnn_graph_reset(&graph);
  webnn_builder_release(m.builder);
  webnn_context_release(context);
}

static inline bool is_near(float a, float b, float step) {
  return (a != a && b != b) || a == b || fabsf(a - b) <= step + 1e-5f * (1.0f + fabsf(b));
}

/* The graph computes the same on the backend, with its passes, as on the reference without any, up to `step`. */
static inline void check_numbers(const char *backend, webnn_operand *(*make)(maker *), float step) {
  static float with[MAX_VALUES], without[MAX_VALUES];
  size_t n = 0, n_without = 0;
  if (!compute(make, backend, NULL, with, &n) || !compute(make, "reference", "-all", without, &n_without)) return;
  CHECK(n == n_without);
  for (size_t i = 0; i < n; i++)
    CHECK(is_near(with[i], without[i], step));
}

static inline void check_pass(const char *pass, webnn_operand *(*make)(maker *), const char *expected) {
  check_operations(pass, make, expected);
  check_numbers("reference", make, 0.0f);
}

#endif
