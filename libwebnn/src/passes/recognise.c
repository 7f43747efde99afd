/* Recognises what exporters spell out in pieces: activations that are one operation to a kernel. */
#include "passes/recognise.h"

#include <math.h>
#include <string.h>

static bool found_unary(wnn_finding *f, wnn_op_id op, wnn_value *x) {
  *f = (wnn_finding){.op = op, .inputs = {x}, .n_inputs = 1};
  return true;
}

/* x · gate(x), either way round: gate's node is `gate`, its input x. */
static wnn_value *gated_by(const wnn_node *node, wnn_op_id gate) {
  if (!wnn_node_is(node, WNN_OP_MUL)) return NULL;
  for (int i = 0; i < 2; i++) {
    const wnn_node *g = wnn_made_by(node->inputs[i], gate);
    if (g != NULL && g->inputs[0] == node->inputs[1 - i] && wnn_is_private(node->inputs[i]))
      return node->inputs[1 - i];
  }
  return NULL;
}

static bool number_is(webnn_number number, double expected) {
  return number.kind == WEBNN_NUMBER_DOUBLE && fabs(number.as.f - expected) <= 4e-7 * fabs(expected);
}

/* clamp(x + 3, 0, 6), private all the way: x. */
static wnn_value *relu6_of_shifted(const wnn_value *value) {
  const wnn_node *clamp = wnn_made_by(value, WNN_OP_CLAMP);
  if (clamp == NULL || !wnn_is_private(value)) return NULL;
  const wnn_clamp_attrs *attrs = clamp->attrs;
  if (!number_is(attrs->min_value, 0.0) || !number_is(attrs->max_value, 6.0)) return NULL;
  if (!wnn_is_private(clamp->inputs[0])) return NULL;
  return wnn_joined_with(clamp->inputs[0]->producer, WNN_OP_ADD, 3.0);
}

/* x · relu6(x + 3) / 6 with the division (or multiplication by 1/6) behind the product or inside it. */
static wnn_value *spelled_hard_swish(const wnn_node *node) {
  wnn_value *product = wnn_joined_with(node, WNN_OP_DIV, 6.0);
  if (product == NULL) product = wnn_joined_with(node, WNN_OP_MUL, 1.0 / 6.0);
  const wnn_node *mul = product != NULL && wnn_is_private(product) ? wnn_made_by(product, WNN_OP_MUL) : NULL;
  if (mul == NULL) mul = wnn_node_is(node, WNN_OP_MUL) ? node : NULL;
  if (mul == NULL) return NULL;
  for (int i = 0; i < 2; i++) {
    const wnn_value *gate = mul->inputs[i];
    if (mul == node) { /* the division is inside: x · (relu6(x + 3) / 6) */
      wnn_value *six = gate->producer ? wnn_joined_with(gate->producer, WNN_OP_DIV, 6.0) : NULL;
      if (six == NULL && gate->producer) six = wnn_joined_with(gate->producer, WNN_OP_MUL, 1.0 / 6.0);
      if (six == NULL || !wnn_is_private(gate)) continue;
      gate = six;
    }
    wnn_value *x = relu6_of_shifted(gate);
    if (x != NULL && x == mul->inputs[1 - i]) return x;
  }
  return NULL;
}

static bool find_gated(const wnn_node *node, wnn_finding *f) {
  wnn_value *x = gated_by(node, WNN_OP_SIGMOID);
  if (x != NULL) return found_unary(f, WNN_OP_SILU, x);
  x = gated_by(node, WNN_OP_HARD_SIGMOID);
  if (x != NULL) {
    const wnn_node *gate = wnn_made_by(node->inputs[node->inputs[0] == x], WNN_OP_HARD_SIGMOID);
    const wnn_alpha_beta_attrs *attrs = gate ? gate->attrs : NULL;
    if (attrs != NULL && number_is(attrs->alpha, 1.0 / 6.0) && number_is(attrs->beta, 0.5))
      return found_unary(f, WNN_OP_HARD_SWISH, x);
  }
  x = spelled_hard_swish(node);
  return x != NULL && found_unary(f, WNN_OP_HARD_SWISH, x);
}

/* x · tanh(softplus(x)). */
static bool find_mish(const wnn_node *node, wnn_finding *f) {
  if (!wnn_node_is(node, WNN_OP_MUL)) return false;
  for (int i = 0; i < 2; i++) {
    const wnn_node *tanh_node = wnn_made_by(node->inputs[i], WNN_OP_TANH);
    const wnn_node *plus = tanh_node ? wnn_made_by(tanh_node->inputs[0], WNN_OP_SOFTPLUS) : NULL;
    if (plus != NULL && plus->inputs[0] == node->inputs[1 - i]) return found_unary(f, WNN_OP_MISH, plus->inputs[0]);
  }
  return false;
}

/* A product, however it is bracketed: the numbers in it multiplied, and the other factors. */
#define MAX_FACTORS 6
typedef struct product {
  double number;
  wnn_value *factors[MAX_FACTORS];
  size_t n;
} product;

static bool collect_factors(wnn_value *value, bool is_root, product *p) {
  double number;
  if (wnn_constant_number(value, &number)) {
    p->number *= number;
    return true;
  }
  const wnn_node *mul = is_root || wnn_is_private(value) ? wnn_made_by(value, WNN_OP_MUL) : NULL;
  if (mul != NULL)
    return collect_factors(mul->inputs[0], false, p) && collect_factors(mul->inputs[1], false, p);
  if (p->n == MAX_FACTORS) return false;
  p->factors[p->n++] = value;
  return true;
}

static bool is_close(double number, double expected) { return fabs(number - expected) <= 1e-6 * expected; }

/* number · x³. */
static bool is_cube(wnn_value *value, const wnn_value *x, double number) {
  product p = {.number = 1.0};
  if (!collect_factors(value, false, &p) || !is_close(p.number, number)) return false;
  if (p.n == 1 && p.factors[0]->producer != NULL)
    return wnn_joined_with(p.factors[0]->producer, WNN_OP_POW, 3.0) == x;
  return p.n == 3 && p.factors[0] == x && p.factors[1] == x && p.factors[2] == x;
}

/* erf(x / √2). */
static bool is_erf_gate(const wnn_value *value, const wnn_value *x) {
  const wnn_node *node = wnn_made_by(value, WNN_OP_ERF);
  const wnn_node *scale = node ? node->inputs[0]->producer : NULL;
  return scale != NULL && (wnn_joined_with(scale, WNN_OP_DIV, 1.4142135623730951) == x ||
                           wnn_joined_with(scale, WNN_OP_MUL, 0.7071067811865476) == x);
}

/* tanh(√(2/π) · (x + 0.044715 · x³)). */
static bool is_tanh_gate(const wnn_value *value, const wnn_value *x) {
  const wnn_node *node = wnn_made_by(value, WNN_OP_TANH);
  product p = {.number = 1.0};
  if (node == NULL || !collect_factors(node->inputs[0], false, &p)) return false;
  if (p.n != 1 || !is_close(p.number, 0.7978845608028654)) return false;
  const wnn_node *sum = wnn_made_by(p.factors[0], WNN_OP_ADD);
  if (sum == NULL) return false;
  for (int i = 0; i < 2; i++)
    if (sum->inputs[i] == x && is_cube(sum->inputs[1 - i], x, 0.044715)) return true;
  return false;
}

/* ½ · x · (1 + gate(x)), in any order. */
static bool find_gelu(const wnn_node *node, wnn_finding *f) {
  product p = {.number = 1.0};
  if (!wnn_node_is(node, WNN_OP_MUL) || !collect_factors(node->outputs[0], true, &p)) return false;
  if (p.n != 2 || p.number != 0.5) return false;
  for (int i = 0; i < 2; i++) {
    wnn_value *x = p.factors[i], *gate = p.factors[1 - i];
    wnn_value *inner = gate->producer && wnn_is_private(gate) ? wnn_joined_with(gate->producer, WNN_OP_ADD, 1.0) : NULL;
    if (inner == NULL || !wnn_is_private(inner)) continue;
    if (is_erf_gate(inner, x)) return found_unary(f, WNN_OP_GELU, x);
    if (is_tanh_gate(inner, x)) return found_unary(f, WNN_OP_GELU_TANH, x);
  }
  return false;
}

webnn_status wnn_pass_recognise(wnn_graph *graph, bool *changed) {
  wnn_finding f;
  for (wnn_node *node = graph->first; node != NULL; node = node->next) {
    if (node->n_outputs != 1 || !wnn_type_is_float(node->outputs[0]->desc.type)) continue;
    /* float16 rounds at every named operand: one operation in place of several would round less often. */
    if (node->outputs[0]->desc.type == WEBNN_DATA_TYPE_FLOAT16) continue;
    bool found = find_gated(node, &f) || find_mish(node, &f) || find_gelu(node, &f) ||
                 wnn_find_normalization(graph, node, &f) ||
                 wnn_find_rms_normalization(graph, node, &f) || wnn_find_softmax(graph, node, &f);
    if (!found || !wnn_desc_equal(&f.inputs[0]->desc, &node->outputs[0]->desc)) continue;
    webnn_status status = wnn_put_node(graph, node->outputs[0], f.op, f.attrs, f.inputs, f.n_inputs);
    if (status != WEBNN_OK) return status;
    *changed = true;
  }
  return WEBNN_OK;
}
