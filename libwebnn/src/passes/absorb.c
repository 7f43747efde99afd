/* Absorbs what follows a convolution channel by channel into its constant weights and bias: batch normalisation,
 * products and sums with constants. A batch normalisation that stands elsewhere is spelled out. float32 only:
 * float16 would round elsewhere. */
#include "passes/pass.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* y = factor[c] · conv(x)[c] + shift[c]. */
typedef struct affine {
  float *factor, *shift;
  size_t n;
} affine;

static uint32_t channel_axis(const wnn_node *conv) {
  const wnn_conv2d_attrs *plain = conv->attrs;
  const wnn_conv_transpose2d_attrs *transposed = conv->attrs;
  webnn_input_operand_layout layout =
      wnn_node_is(conv, WNN_OP_CONV2D) ? plain->input_layout : transposed->input_layout;
  return layout == WEBNN_INPUT_OPERAND_LAYOUT_NCHW ? 1 : 3;
}

static size_t output_channels(const wnn_node *conv) {
  return conv->outputs[0]->desc.dims[channel_axis(conv)];
}

/* A convolution whose filter has every output channel once: a transposed one of several groups hasn't. */
static wnn_node *made_by_conv(const wnn_value *value) {
  wnn_node *conv = wnn_made_by(value, WNN_OP_CONV2D);
  if (conv != NULL) return conv;
  conv = wnn_made_by(value, WNN_OP_CONV_TRANSPOSE2D);
  const wnn_conv_transpose2d_attrs *attrs = conv ? conv->attrs : NULL;
  return attrs != NULL && attrs->groups == 1 ? conv : NULL;
}

/* The convolution behind `value` when its weights are ours to change. */
static wnn_node *changeable_conv(const wnn_value *value) {
  wnn_node *conv = made_by_conv(value);
  if (conv == NULL || !wnn_is_private(value) || value->desc.type != WEBNN_DATA_TYPE_FLOAT32) return NULL;
  if (wnn_value_data(conv->inputs[1]) == NULL) return NULL;
  if (conv->n_inputs > 2 && conv->inputs[2] != NULL && wnn_value_data(conv->inputs[2]) == NULL) return NULL;
  return conv;
}

static bool make_affine(wnn_graph *graph, size_t n, affine *a) {
  a->n = n;
  a->factor = wnn_arena_array(&graph->arena, n, sizeof *a->factor);
  a->shift = wnn_arena_array(&graph->arena, n, sizeof *a->shift);
  if (a->factor == NULL || a->shift == NULL) return false;
  for (size_t i = 0; i < n; i++) a->factor[i] = 1.0f;
  return true;
}

static bool all_constant(const wnn_node *node, size_t from) {
  for (size_t i = from; i < node->n_inputs; i++)
    if (node->inputs[i] != NULL && wnn_value_data(node->inputs[i]) == NULL) return false;
  return true;
}

static double factor_at(const wnn_node *node, size_t c) {
  const wnn_batch_normalization_attrs *attrs = node->attrs;
  const wnn_value *scale = node->inputs[3];
  double deviation = sqrt((double)wnn_constant_at(node->inputs[2], c) + attrs->epsilon.as.f);
  return (scale ? (double)wnn_constant_at(scale, c) : 1.0) / deviation;
}

static bool affine_of_batch_normalization(wnn_graph *graph, const wnn_node *node, const wnn_node *conv,
                                          affine *a) {
  const wnn_batch_normalization_attrs *attrs = node->attrs;
  if (attrs->axis != channel_axis(conv) || !all_constant(node, 1)) return false;
  if (!make_affine(graph, output_channels(conv), a)) return false;
  const wnn_value *bias = node->inputs[4];
  for (size_t c = 0; c < a->n; c++) {
    double factor = factor_at(node, c);
    double shift = (bias ? (double)wnn_constant_at(bias, c) : 0.0);
    a->factor[c] = (float)factor;
    a->shift[c] = (float)(shift - (double)wnn_constant_at(node->inputs[1], c) * factor);
  }
  return true;
}

/* One number, or one per channel and nothing else. */
static bool is_per_channel(const wnn_value *value, const wnn_node *conv) {
  const wnn_desc *desc = &value->desc, *out = &conv->outputs[0]->desc;
  size_t n = wnn_desc_count(desc);
  if (n == 1) return true;
  uint32_t axis = channel_axis(conv), missing = out->rank - desc->rank;
  return axis >= missing && desc->dims[axis - missing] == n && n == output_channels(conv);
}

static bool affine_of_binary(wnn_graph *graph, const wnn_node *node, const wnn_node *conv, affine *a) {
  const wnn_value *other = wnn_other_operand(node, conv->outputs[0]);
  wnn_op_id id = node->op->id;
  if (other == NULL || wnn_value_data(other) == NULL || !is_per_channel(other, conv)) return false;
  if ((id == WNN_OP_SUB || id == WNN_OP_DIV) && node->inputs[0] != conv->outputs[0]) return false;
  if (!wnn_shape_equal(&node->outputs[0]->desc, &conv->outputs[0]->desc)) return false;
  if (!make_affine(graph, output_channels(conv), a)) return false;
  bool one = wnn_desc_count(&other->desc) == 1;
  for (size_t c = 0; c < a->n; c++) {
    float number = wnn_constant_at(other, one ? 0 : c);
    if (!isfinite(number)) return false;
    switch (id) {
      case WNN_OP_ADD: a->shift[c] = number; break;
      case WNN_OP_SUB: a->shift[c] = -number; break;
      case WNN_OP_MUL: a->factor[c] = number; break;
      default: return false; /* a division by constants rounds differently as a product */
    }
  }
  return true;
}

static bool find_affine(wnn_graph *graph, const wnn_node *node, const wnn_node *conv, affine *a) {
  switch (node->op->id) {
    case WNN_OP_BATCH_NORMALIZATION: return affine_of_batch_normalization(graph, node, conv, a);
    case WNN_OP_ADD:
    case WNN_OP_SUB:
    case WNN_OP_MUL: return affine_of_binary(graph, node, conv, a);
    default: return false;
  }
}

/* Elements of the filter between two neighbours along the output channels. */
static size_t channel_stride(const wnn_node *conv) {
  const wnn_conv2d_attrs *plain = conv->attrs;
  const wnn_conv_transpose2d_attrs *transposed = conv->attrs;
  static const uint8_t plain_axes[] = {0, 3, 0, 3};   /* oihw, hwio, ohwi, ihwo */
  static const uint8_t transposed_axes[] = {1, 2, 0}; /* iohw, hwoi, ohwi */
  size_t strides[WNN_MAX_RANK];
  wnn_shape_strides(&conv->inputs[1]->desc, strides);
  return strides[wnn_node_is(conv, WNN_OP_CONV2D) ? plain_axes[plain->filter_layout]
                                                  : transposed_axes[transposed->filter_layout]];
}

/* A filter is runs of numbers that share a factor, or, where output channels lie side by side, that
 * have one each. */
typedef struct runs {
  const float *filter;
  size_t n, run;
  bool one_each;
} runs;

static runs runs_of(const wnn_node *conv, const affine *a) {
  const size_t stride = channel_stride(conv);
  return (runs){wnn_value_data(conv->inputs[1]), wnn_desc_count(&conv->inputs[1]->desc),
                stride == 1 ? a->n : stride, stride == 1};
}

static const float *factors_at(const runs *r, const affine *a, size_t at) {
  return a->factor + (r->one_each ? 0 : at / r->run % a->n);
}

/* As isfinite, in a form that compilers make vectors of. */
static bool is_number(float x) { return fabsf(x) <= FLT_MAX; }

static bool is_run_finite(const float *x, const float *factors, size_t n, bool one_each) {
  const float factor = *factors;
  int bad = 0;
  if (one_each)
    for (size_t i = 0; i < n; i++) bad |= !is_number(x[i] * factors[i]);
  else
    for (size_t i = 0; i < n; i++) bad |= !is_number(x[i] * factor);
  return !bad;
}

static void scale_run(float *to, const float *x, const float *factors, size_t n, bool one_each) {
  const float factor = *factors;
  if (one_each)
    for (size_t i = 0; i < n; i++) to[i] = x[i] * factors[i];
  else
    for (size_t i = 0; i < n; i++) to[i] = x[i] * factor;
}

/* Whether weights and bias stay numbers: an infinity or NaN of their own would reach where the
 * product alone does not, and what is fused behind them may take NaN for a bound. */
static bool stays_finite(const wnn_node *conv, const affine *a) {
  const wnn_value *bias = conv->n_inputs > 2 ? conv->inputs[2] : NULL;
  const runs r = runs_of(conv, a);
  for (size_t i = 0; i < r.n; i += r.run)
    if (!is_run_finite(r.filter + i, factors_at(&r, a, i), r.run, r.one_each)) return false;
  for (size_t c = 0; c < a->n; c++)
    if (!is_number((bias ? wnn_constant_at(bias, c) * a->factor[c] : 0.0f) + a->shift[c]))
      return false;
  return true;
}

static bool affine_of(wnn_graph *graph, const wnn_node *node, const wnn_node *conv, affine *a) {
  return find_affine(graph, node, conv, a) && stays_finite(conv, a);
}

static wnn_value *scaled_filter(wnn_graph *graph, const wnn_node *conv, const affine *a) {
  void *bytes = NULL;
  wnn_value *filter = wnn_new_constant(graph, &conv->inputs[1]->desc, &bytes);
  if (filter == NULL) return NULL;
  const runs r = runs_of(conv, a);
  for (size_t i = 0; i < r.n; i += r.run)
    scale_run((float *)bytes + i, r.filter + i, factors_at(&r, a, i), r.run, r.one_each);
  return filter;
}

static wnn_value *shifted_bias(wnn_graph *graph, const wnn_node *conv, const affine *a) {
  void *bytes = NULL;
  wnn_desc desc = {.type = WEBNN_DATA_TYPE_FLOAT32, .rank = 1, .dims = {(uint32_t)a->n}};
  const wnn_value *old = conv->n_inputs > 2 ? conv->inputs[2] : NULL;
  wnn_value *bias = wnn_new_constant(graph, &desc, &bytes);
  if (bias == NULL) return NULL;
  for (size_t c = 0; c < a->n; c++)
    ((float *)bytes)[c] = (old ? wnn_constant_at(old, c) * a->factor[c] : 0.0f) + a->shift[c];
  return bias;
}

static webnn_status absorb(wnn_graph *graph, wnn_node *node, const wnn_node *conv, const affine *a) {
  bool scales = false;
  for (size_t c = 0; c < a->n && !scales; c++) scales = a->factor[c] != 1.0f;
  wnn_value *inputs[3] = {conv->inputs[0], scales ? scaled_filter(graph, conv, a) : conv->inputs[1],
                          shifted_bias(graph, conv, a)};
  if (inputs[1] == NULL || inputs[2] == NULL) return WEBNN_ERROR_UNKNOWN;
  return wnn_put_node(graph, node->outputs[0], conv->op->id, conv->attrs, inputs, 3);
}

/* A constant of one number a channel, shaped to broadcast along `axis`. */
static wnn_value *channel_constant(wnn_graph *graph, const wnn_desc *shape, uint32_t axis, float **numbers) {
  wnn_desc desc = {.type = WEBNN_DATA_TYPE_FLOAT32, .rank = shape->rank - axis};
  void *bytes = NULL;
  desc.dims[0] = shape->dims[axis];
  for (uint32_t i = 1; i < desc.rank; i++) desc.dims[i] = 1;
  wnn_value *value = wnn_new_constant(graph, &desc, &bytes);
  *numbers = bytes;
  return value;
}

/* (x − mean) · factor + bias, channel by channel: element-wise steps that fuse with what stands round them. */
static webnn_status expand_batch_normalization(wnn_graph *graph, wnn_node *node) {
  const wnn_batch_normalization_attrs *attrs = node->attrs;
  const wnn_desc *shape = &node->outputs[0]->desc;
  float *means, *factors, *shifts;
  wnn_value *mean = channel_constant(graph, shape, attrs->axis, &means);
  wnn_value *factor = channel_constant(graph, shape, attrs->axis, &factors);
  wnn_value *shift = channel_constant(graph, shape, attrs->axis, &shifts);
  if (mean == NULL || factor == NULL || shift == NULL) return WEBNN_ERROR_UNKNOWN;
  const wnn_value *bias = node->inputs[4];
  for (size_t c = 0; c < shape->dims[attrs->axis]; c++) {
    means[c] = wnn_constant_at(node->inputs[1], c);
    factors[c] = (float)factor_at(node, c);
    shifts[c] = bias ? wnn_constant_at(bias, c) : 0.0f;
  }
  static const wnn_op_id ops[3] = {WNN_OP_SUB, WNN_OP_MUL, WNN_OP_ADD};
  wnn_value *const others[3] = {mean, factor, shift};
  wnn_value *x = node->inputs[0];
  for (int i = 0; i < 3; i++) {
    wnn_node *step = wnn_graph_node(graph, node, ops[i], NULL, (wnn_value *[]){x, others[i]}, 2, shape, 1);
    if (step == NULL) return WEBNN_ERROR_UNKNOWN;
    step->label = node->label;
    x = step->outputs[0];
  }
  wnn_graph_replace(graph, node->outputs[0], x);
  return WEBNN_OK;
}

static bool is_expandable(const wnn_node *node) {
  if (!wnn_node_is(node, WNN_OP_BATCH_NORMALIZATION) ||
      node->outputs[0]->desc.type != WEBNN_DATA_TYPE_FLOAT32 || !all_constant(node, 1))
    return false;
  const size_t n = wnn_desc_count(&node->inputs[1]->desc);
  for (size_t c = 0; c < n; c++)
    if (!isfinite((float)factor_at(node, c)) || !isfinite(wnn_constant_at(node->inputs[1], c)))
      return false;
  return true;
}

webnn_status wnn_pass_absorb(wnn_graph *graph, bool *changed) {
  for (wnn_node *node = graph->first; node != NULL; node = node->next) {
    affine a;
    wnn_node *conv = NULL;
    for (size_t i = 0; i < node->n_inputs && i < 2 && conv == NULL; i++)
      if (node->inputs[i] != NULL) conv = changeable_conv(node->inputs[i]);
    webnn_status status;
    if (conv != NULL && affine_of(graph, node, conv, &a)) status = absorb(graph, node, conv, &a);
    else if (is_expandable(node)) status = expand_batch_normalization(graph, node);
    else continue;
    if (status != WEBNN_OK) return status;
    *changed = true;
  }
  return WEBNN_OK;
}
