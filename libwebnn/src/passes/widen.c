/* Float16 as what it is on such a machine, a way to store numbers: products of float16, and what is
 * computed from their results, become float32 with a rounding behind each operation, so that they
 * get the kernels, layouts and fusions of float32, and nothing is widened at every step. Every
 * operand that the graph names is still rounded. What has nothing to do with products stays as it
 * is, and so do constants that are only looked up in. */
#include "passes/pass.h"

#define F16 WEBNN_DATA_TYPE_FLOAT16
#define F32 WEBNN_DATA_TYPE_FLOAT32

typedef struct widening {
  wnn_graph *graph;
  wnn_value **wide;  /* by value id: the same numbers in float32, or NULL */
  wnn_value **exact; /* the same before they were rounded */
} widening;

static bool is_product(const wnn_node *node) {
  switch (node->op->id) {
    case WNN_OP_CONV2D:
    case WNN_OP_CONV_TRANSPOSE2D:
    case WNN_OP_GEMM:
    case WNN_OP_MATMUL: return true;
    default: return false;
  }
}

static bool is_nearest(const wnn_node *node) {
  const wnn_resample2d_attrs *attrs = node->attrs;
  return wnn_node_is(node, WNN_OP_RESAMPLE2D) &&
         attrs->mode == WEBNN_INTERPOLATION_MODE_NEAREST_NEIGHBOR;
}

/* Operations that only hand elements on; half as many bytes are better where nothing else asks for
 * float32. */
static bool moves(const wnn_node *node) {
  switch (node->op->id) {
    case WNN_OP_CONCAT:
    case WNN_OP_EXPAND:
    case WNN_OP_GATHER:
    case WNN_OP_GATHER_ELEMENTS:
    case WNN_OP_GATHER_ND:
    case WNN_OP_IDENTITY:
    case WNN_OP_RESHAPE:
    case WNN_OP_REVERSE:
    case WNN_OP_SCATTER_ELEMENTS:
    case WNN_OP_SCATTER_ND:
    case WNN_OP_SLICE:
    case WNN_OP_SPLIT:
    case WNN_OP_SQUEEZE:
    case WNN_OP_TILE:
    case WNN_OP_TRANSPOSE:
    case WNN_OP_TRIANGULAR:
    case WNN_OP_WHERE: return true;
    default: return is_nearest(node);
  }
}

/* Results that are float16 numbers whenever the operands are. */
static bool is_exact(const wnn_node *node) {
  switch (node->op->id) {
    case WNN_OP_ABS:
    case WNN_OP_CEIL:
    case WNN_OP_FLOOR:
    case WNN_OP_MAX:
    case WNN_OP_MAX_POOL2D:
    case WNN_OP_MIN:
    case WNN_OP_NEG:
    case WNN_OP_REDUCE_MAX:
    case WNN_OP_REDUCE_MIN:
    case WNN_OP_RELU:
    case WNN_OP_ROUND_EVEN:
    case WNN_OP_SIGN: return true;
    default: return moves(node);
  }
}

static bool is_cast_from_float(const wnn_node *node) {
  return wnn_node_is(node, WNN_OP_CAST) && node->inputs[0]->desc.type == F32 &&
         node->outputs[0]->desc.type == F16;
}

static bool feeds_product(const wnn_value *value) {
  for (size_t i = 0; i < value->n_uses; i++)
    if (is_product(value->uses[i])) return true;
  return false;
}

static bool becomes_wide(const widening *w, const wnn_node *node) {
  size_t n_wide = 0, n_narrow = 0;
  if (is_cast_from_float(node)) return feeds_product(node->outputs[0]);
  for (size_t i = 0; i < node->n_inputs; i++) {
    const wnn_value *value = node->inputs[i];
    if (value == NULL || value->desc.type != F16 || wnn_value_data(value) != NULL) continue;
    if (w->wide[value->id] != NULL)
      n_wide++;
    else
      n_narrow++;
  }
  if (is_product(node)) return node->outputs[0]->desc.type == F16;
  return n_wide > 0 && (n_narrow == 0 || !moves(node));
}

static wnn_value *cast_of(wnn_graph *graph, wnn_node *before, wnn_value *value,
                          webnn_data_type type) {
  const wnn_cast_attrs attrs = {type};
  wnn_desc desc = value->desc;
  desc.type = type;
  wnn_node *node = wnn_graph_node(graph, before, WNN_OP_CAST, &attrs, &value, 1, &desc, 1);
  return node != NULL ? node->outputs[0] : NULL;
}

/* The operand as float32, made in front of the node that first wants it, of constants too: they are
 * folded next. NULL: out of memory. */
static wnn_value *widened(widening *w, wnn_node *before, wnn_value *value) {
  wnn_value **wide = &w->wide[value->id];
  if (*wide == NULL) *wide = cast_of(w->graph, before, value, F32);
  return *wide;
}

/* What stands for an output of the wide node. */
static webnn_status note_output(widening *w, const wnn_node *node, size_t i, wnn_value *fresh) {
  wnn_value *old = node->outputs[i], *rounded = fresh;
  if (old->desc.type != F16) {
    wnn_graph_replace(w->graph, old, fresh);
    return WEBNN_OK;
  }
  if (!is_exact(node)) {
    wnn_node *round = wnn_graph_node(w->graph, (wnn_node *)node, WNN_OP_ROUND_HALF, NULL, &fresh, 1,
                                     &fresh->desc, 1);
    if (round == NULL) return WEBNN_ERROR_UNKNOWN;
    round->label = node->label;
    rounded = round->outputs[0];
  }
  w->wide[old->id] = rounded;
  w->exact[old->id] = fresh;
  return WEBNN_OK;
}

/* x · roundHalf(sigmoid(x)): x, or NULL. As one operation it can follow a product, which reads
 * nothing twice. */
static wnn_value *gated(const wnn_node *node, wnn_value *const *inputs) {
  if (!wnn_node_is(node, WNN_OP_MUL)) return NULL;
  for (int i = 0; i < 2; i++) {
    const wnn_node *round = wnn_made_by(inputs[i], WNN_OP_ROUND_HALF);
    const wnn_node *gate = round != NULL ? wnn_made_by(round->inputs[0], WNN_OP_SIGMOID) : NULL;
    if (gate != NULL && gate->inputs[0] == inputs[1 - i]) return inputs[1 - i];
  }
  return NULL;
}

static webnn_status widen_node(widening *w, wnn_node *node) {
  wnn_arena *arena = &w->graph->arena;
  wnn_value **inputs = wnn_arena_array(arena, node->n_inputs, sizeof *inputs);
  wnn_desc *descs = wnn_arena_array(arena, node->n_outputs, sizeof *descs);
  if (inputs == NULL || descs == NULL) return WEBNN_ERROR_UNKNOWN;
  if (is_cast_from_float(node)) return note_output(w, node, 0, node->inputs[0]);
  for (size_t i = 0; i < node->n_inputs; i++) {
    inputs[i] = node->inputs[i];
    if (inputs[i] == NULL || inputs[i]->desc.type != F16) continue;
    inputs[i] = widened(w, node, inputs[i]);
    if (inputs[i] == NULL) return WEBNN_ERROR_UNKNOWN;
  }
  if (wnn_node_is(node, WNN_OP_CAST) && node->outputs[0]->desc.type == F32) {
    wnn_graph_replace(w->graph, node->outputs[0], inputs[0]);
    return WEBNN_OK;
  }
  for (size_t i = 0; i < node->n_outputs; i++) {
    descs[i] = node->outputs[i]->desc;
    if (descs[i].type == F16) descs[i].type = F32;
  }
  wnn_value *x = gated(node, inputs);
  wnn_node *fresh = x != NULL
                        ? wnn_graph_node(w->graph, node, WNN_OP_SILU_HALF, NULL, &x, 1, descs, 1)
                        : wnn_graph_node(w->graph, node, node->op->id, node->attrs, inputs,
                                         node->n_inputs, descs, node->n_outputs);
  if (fresh == NULL) return WEBNN_ERROR_UNKNOWN;
  fresh->label = node->label;
  webnn_status status = WEBNN_OK;
  for (size_t i = 0; i < node->n_outputs && status == WEBNN_OK; i++)
    status = note_output(w, node, i, fresh->outputs[i]);
  return status;
}

/* Float16 for those who still read it: what nobody does is dropped with the old node. */
static webnn_status narrow_outputs(widening *w, wnn_node *node) {
  for (size_t i = 0; i < node->n_outputs; i++) {
    wnn_value *old = node->outputs[i], *exact = old->desc.type == F16 ? w->exact[old->id] : NULL;
    if (exact == NULL) continue;
    wnn_value *narrow = cast_of(w->graph, node, exact, F16);
    if (narrow == NULL) return WEBNN_ERROR_UNKNOWN;
    wnn_graph_replace(w->graph, old, narrow);
  }
  return WEBNN_OK;
}

webnn_status wnn_pass_widen(wnn_graph *graph, bool *changed) {
  widening w = {graph, wnn_arena_array(&graph->arena, graph->n_values, sizeof *w.wide),
                wnn_arena_array(&graph->arena, graph->n_values, sizeof *w.exact)};
  webnn_status status = w.wide != NULL && w.exact != NULL ? WEBNN_OK : WEBNN_ERROR_UNKNOWN;
  for (wnn_node *node = graph->first; node != NULL && status == WEBNN_OK; node = node->next) {
    if (!becomes_wide(&w, node)) continue;
    status = widen_node(&w, node);
    *changed = true;
  }
  for (wnn_node *node = graph->first; node != NULL && status == WEBNN_OK && *changed;
       node = node->next)
    status = narrow_outputs(&w, node);
  return status;
}
