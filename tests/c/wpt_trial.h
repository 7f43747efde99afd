/* One conformance test on its way: read from JSON, built, ready to run. */
#ifndef WEBNN_TESTS_WPT_TRIAL_H
#define WEBNN_TESTS_WPT_TRIAL_H

#include "elements.h"
#include <webnn/graph.h>

#define WPT_MAX_OPERANDS 256
#define WPT_MAX_EXPECTED 64

/* An operand of the test by its name; inputs have bytes too. */
typedef struct wpt_named {
  webnn_str name;
  const webnn_operand *operand;
  void *data; /* inputs */
  size_t n_bytes;
} wpt_named;

/* An output as it should be, and the memory for what it is. */
typedef struct wpt_wanted {
  webnn_str name;
  webnn_descriptor descriptor;
  elements_tolerance tolerance;
  void *expected, *is;
} wpt_wanted;

/* What the leaves of graphs are: as the test has them, or all of one kind. */
typedef enum wpt_leaves { WPT_LEAVES_AS_GIVEN, WPT_LEAVES_INPUTS, WPT_LEAVES_CONSTANTS } wpt_leaves;

typedef struct wpt_trial {
  webnn_context *context;
  const json *test;
  bool through_file; /* the graph is written down and read back before it is built */
  wpt_leaves leaves;
  webnn_builder *builder;
  webnn_graph *graph;
  wpt_named operands[WPT_MAX_OPERANDS];
  size_t n_operands;
  wpt_wanted wanted[WPT_MAX_EXPECTED];
  size_t n_wanted;
  struct wpt_block *blocks; /* memory that goes with the test */
  char problem[1400];       /* why a step returned false */
} wpt_trial;

/* Builds the graph of `t->test`. */
bool wpt_build(wpt_trial *t);
/* Lets go of all but the context and the test. */
void wpt_reset(wpt_trial *t);

wpt_named *wpt_find(wpt_trial *t, webnn_str name);

/* Records a failure; false, for `return`. */
#define WPT_FAIL(t, ...) (snprintf((t)->problem, sizeof(t)->problem, __VA_ARGS__), false)
bool wpt_fail_status(wpt_trial *t, const char *what, const webnn_error *err);

#endif
