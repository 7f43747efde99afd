/* Which passes there are, in which order they run, and the switches. */
#include "passes/passes.h"

#include "passes/pass.h"
#include <math.h>
#include <string.h>

typedef webnn_status (*pass_fn)(wnn_graph *graph, bool *changed);

static const struct {
  const char *name;
  pass_fn run; /* NULL: fold, which needs more; widen, which waits; or no pass, which only shares the switches */
} passes[] = {
    {"canonicalise", wnn_pass_canonicalise},
    {"simplify", wnn_pass_simplify},
    {"quantise", wnn_pass_quantise},
    {"fold", NULL},
    {"recognise", wnn_pass_recognise},
    {"attention", wnn_pass_attention},
    {"hoist", wnn_pass_hoist},
    {"absorb", wnn_pass_absorb},
    {"widen", NULL}, /* behind all others */
    {"fuse", NULL},
    {"layout", NULL},
    {"views", NULL},    /* slices, splits and concatenations in place */
    {"winograd", NULL}, /* 3×3 convolutions by fewer multiplications */
    {"avx2", NULL},     /* instruction sets of the kernels */
    {"avx512", NULL},
    {"clblast", NULL},  /* products on OpenCL devices: CLBlast's, and our own */
    {"tiles", NULL},
};
#define N_PASSES (sizeof passes / sizeof passes[0])

/* One round more can find what the last one laid open; graphs settle after two or three. */
#define MAX_ROUNDS 8

bool wnn_passes_valid(const char *switches, webnn_str *wrong) {
  webnn_str word;
  while (wnn_next_switch(&switches, &word)) {
    bool known = wnn_switch_is(word, "all");
    for (size_t i = 0; i < N_PASSES && !known; i++) known = wnn_switch_is(word, passes[i].name);
    if (known) continue;
    *wrong = word;
    return false;
  }
  return true;
}

static webnn_status run_pass(wnn_graph *graph, size_t i, const wnn_evaluator *evaluator, bool *changed) {
  bool did = false;
  webnn_status status = WEBNN_OK;
  if (passes[i].run == wnn_pass_quantise && evaluator != NULL && !evaluator->has_integers) return WEBNN_OK;
  if (passes[i].run == wnn_pass_attention && evaluator != NULL && !evaluator->has_attention) return WEBNN_OK;
  if (passes[i].run != NULL) status = passes[i].run(graph, &did);
  else if (strcmp(passes[i].name, "fold") == 0 && evaluator != NULL && evaluator->run != NULL)
    status = wnn_pass_fold(graph, evaluator, &did);
  if (status == WEBNN_OK && did) status = wnn_graph_index(graph);
  *changed = *changed || did;
  return status;
}

/* Float16 becomes float32, and its constants are widened. */
static webnn_status widen(wnn_graph *graph, const char *switches, const wnn_evaluator *evaluator) {
  bool changed = false;
  if (evaluator == NULL || !evaluator->wants_floats || !wnn_pass_enabled(switches, "widen")) return WEBNN_OK;
  webnn_status status = wnn_pass_widen(graph, &changed);
  if (status == WEBNN_OK && changed) status = wnn_graph_index(graph);
  if (status != WEBNN_OK || !changed || !wnn_pass_enabled(switches, "fold") || evaluator->run == NULL) return status;
  changed = false;
  status = wnn_pass_fold(graph, evaluator, &changed);
  return status == WEBNN_OK && changed ? wnn_graph_index(graph) : status;
}

webnn_status wnn_passes_run(wnn_graph *graph, const char *switches, const wnn_evaluator *evaluator) {
  webnn_status status = wnn_graph_index(graph);
  bool changed = true;
  for (int round = 0; round < MAX_ROUNDS && changed; round++) {
    changed = false;
    for (size_t i = 0; i < N_PASSES && status == WEBNN_OK; i++)
      if (wnn_pass_enabled(switches, passes[i].name)) status = run_pass(graph, i, evaluator, &changed);
    if (status != WEBNN_OK) return status;
  }
  return widen(graph, switches, evaluator);
}

/* ---- words for looking at a graph */

wnn_value *wnn_other_operand(const wnn_node *node, const wnn_value *value) {
  if (node->n_inputs != 2 || node->inputs[0] == node->inputs[1]) return NULL;
  if (node->inputs[0] == value) return node->inputs[1];
  return node->inputs[1] == value ? node->inputs[0] : NULL;
}

float wnn_constant_at(const wnn_value *value, size_t i) {
  const char *data = wnn_value_data(value);
  float f;
  uint16_t h;
  if (value->desc.type == WEBNN_DATA_TYPE_FLOAT16) {
    memcpy(&h, data + 2 * i, sizeof h);
    return wnn_f16_to_f32(h);
  }
  memcpy(&f, data + 4 * i, sizeof f);
  return f;
}

bool wnn_constant_number(const wnn_value *value, double *out) {
  if (value == NULL || wnn_value_data(value) == NULL) return false;
  if (!wnn_type_is_float(value->desc.type) || wnn_desc_count(&value->desc) != 1) return false;
  *out = (double)wnn_constant_at(value, 0);
  return true;
}

bool wnn_constant_is(const wnn_value *value, double expected) {
  double number;
  return wnn_constant_number(value, &number) && fabs(number - expected) <= 4e-7 * fabs(expected);
}

wnn_value *wnn_joined_with(const wnn_node *node, wnn_op_id op, double number) {
  if (!wnn_node_is(node, op)) return NULL;
  if (wnn_constant_is(node->inputs[1], number)) return node->inputs[0];
  bool commutes = op == WNN_OP_ADD || op == WNN_OP_MUL;
  return commutes && wnn_constant_is(node->inputs[0], number) ? node->inputs[1] : NULL;
}

wnn_value *wnn_new_constant(wnn_graph *graph, const wnn_desc *desc, void **bytes) {
  wnn_blob *blob = wnn_blob_create(&graph->alloc, wnn_desc_bytes(desc));
  if (blob != NULL) *bytes = wnn_blob_bytes(blob);
  return wnn_graph_constant(graph, desc, blob);
}

webnn_status wnn_put_node(wnn_graph *graph, wnn_value *old, wnn_op_id op, const void *attrs,
                          wnn_value *const *inputs, size_t n_inputs) {
  wnn_node *node = wnn_graph_node(graph, old->producer, op, attrs, inputs, n_inputs, &old->desc, 1);
  if (node == NULL) return WEBNN_ERROR_UNKNOWN;
  node->label = old->producer->label;
  wnn_graph_replace(graph, old, node->outputs[0]);
  return WEBNN_OK;
}
