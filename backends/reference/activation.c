/* Activations: functions of one element, and prelu. Softmax is a norm. */
#include "reference.h"

#include <math.h>

typedef struct activation_row {
  wnn_op_id op;
  double (*of_float)(double x, const void *attrs);
} activation_row;

static double logistic(double x) { return 1.0 / (1.0 + exp(-x)); }
/* ln(1 + e^x) without overflow; NaN comes through the exponential. */
static double log_one_plus_exp(double x) { return (x > 0 ? x : 0) + log1p(exp(-fabs(x))); }
/* A NaN is in no comparison and stays. */
static double limit(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

static double elu(double x, const void *attrs) {
  return x >= 0 ? x : ((const wnn_alpha_attrs *)attrs)->alpha.as.f * expm1(x);
}
/* 1 + erf(t) is erfc(-t), which keeps its digits where erf is near -1. */
static double gelu(double x, const void *attrs) {
  (void)attrs;
  return 0.5 * x * erfc(-x * 0.70710678118654752440);
}
static double gelu_tanh(double x, const void *attrs) {
  (void)attrs;
  return 0.5 * x * (1.0 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
}
static double hard_sigmoid(double x, const void *attrs) {
  const wnn_alpha_beta_attrs *a = attrs;
  return limit(a->alpha.as.f * x + a->beta.as.f, 0, 1);
}
static double hard_swish(double x, const void *attrs) {
  (void)attrs;
  return x * limit(x + 3, 0, 6) / 6;
}
static double leaky_relu(double x, const void *attrs) {
  return x >= 0 ? x : ((const wnn_alpha_attrs *)attrs)->alpha.as.f * x;
}
static double mish(double x, const void *attrs) {
  (void)attrs;
  return x * tanh(log_one_plus_exp(x));
}
static double relu(double x, const void *attrs) {
  (void)attrs;
  return x > 0 || x != x ? x : 0;
}
static double sigmoid(double x, const void *attrs) {
  (void)attrs;
  return logistic(x);
}
static double silu(double x, const void *attrs) {
  (void)attrs;
  return x * logistic(x);
}
static double silu_half(double x, const void *attrs) {
  (void)attrs;
  return x * (double)wnn_f16_to_f32(wnn_f16_from_f64(logistic(x)));
}
static double softplus(double x, const void *attrs) {
  (void)attrs;
  return log_one_plus_exp(x);
}
static double softsign(double x, const void *attrs) {
  (void)attrs;
  return x / (1 + fabs(x));
}
static double hyperbolic_tangent(double x, const void *attrs) {
  (void)attrs;
  return tanh(x);
}

static const activation_row rows[] = {
    {WNN_OP_ELU, elu},
    {WNN_OP_GELU, gelu},
    {WNN_OP_GELU_TANH, gelu_tanh},
    {WNN_OP_SILU_HALF, silu_half},
    {WNN_OP_HARD_SIGMOID, hard_sigmoid},
    {WNN_OP_HARD_SWISH, hard_swish},
    {WNN_OP_LEAKY_RELU, leaky_relu},
    {WNN_OP_MISH, mish},
    {WNN_OP_RELU, relu},
    {WNN_OP_SIGMOID, sigmoid},
    {WNN_OP_SILU, silu},
    {WNN_OP_SOFTPLUS, softplus},
    {WNN_OP_SOFTSIGN, softsign},
    {WNN_OP_TANH, hyperbolic_tangent},
};
#define N_ROWS (sizeof rows / sizeof rows[0])

static const activation_row *find(wnn_op_id op) {
  for (size_t i = 0; i < N_ROWS; i++)
    if (rows[i].op == op) return &rows[i];
  return NULL;
}

/* relu alone takes integers. */
static webnn_status activation(const wnn_node_view *node) {
  const activation_row *row = find(node->op);
  const wnn_ref_input *x = &node->inputs[0];
  void *y = node->outputs[0].data;
  webnn_data_type type = x->desc->type;
  size_t n = wnn_desc_count(x->desc);
  for (size_t i = 0; i < n; i++) {
    if (wnn_type_is_float(type)) {
      wnn_ref_store_f(y, type, i, row->of_float(wnn_ref_load_f(x->data, type, i), node->attrs));
    } else {
      uint64_t bits = wnn_ref_load_bits(x->data, type, i);
      wnn_ref_store_bits(y, type, i, wnn_ref_signed(bits) > 0 ? bits : 0);
    }
  }
  return WEBNN_OK;
}

/* The select form: x where x >= 0, else slope * x; integers wrap. */
static webnn_status prelu(const wnn_node_view *node) {
  const wnn_ref_input *x = &node->inputs[0], *slope = &node->inputs[1];
  const wnn_desc *out = node->outputs[0].desc;
  void *y = node->outputs[0].data;
  size_t strides_x[WNN_MAX_RANK], strides_slope[WNN_MAX_RANK], i = 0;
  uint32_t at[WNN_MAX_RANK] = {0};
  wnn_broadcast_strides(x->desc, out, strides_x);
  wnn_broadcast_strides(slope->desc, out, strides_slope);
  do {
    size_t j = wnn_ref_offset(out->rank, strides_x, at),
           k = wnn_ref_offset(out->rank, strides_slope, at);
    if (wnn_type_is_float(out->type)) {
      double a = wnn_ref_load_f(x->data, out->type, j),
             b = wnn_ref_load_f(slope->data, out->type, k);
      wnn_ref_store_f(y, out->type, i, a >= 0 ? a : b * a);
    } else {
      uint64_t a = wnn_ref_load_bits(x->data, out->type, j),
               b = wnn_ref_load_bits(slope->data, out->type, k);
      wnn_ref_store_bits(y, out->type, i, wnn_ref_signed(a) >= 0 ? a : b * a);
    }
    i++;
  } while (wnn_ref_next(out, at));
  return WEBNN_OK;
}

wnn_reference_fn wnn_reference_activation(wnn_op_id op) {
  if (op == WNN_OP_PRELU) return prelu;
  return find(op) != NULL ? activation : NULL;
}
