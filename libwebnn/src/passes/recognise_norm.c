/* Recognises normalisations over some axes, and softmax, in the pieces that exporters make of them: means as sums times
 * a number, variances as means of squares, deviations as reciprocals, and reshapes in between that put axes of one
 * element back. Instance normalisation is the same over the axes of an image. */
#include "passes/recognise.h"

#include <math.h>
#include <string.h>

/* The value before reshapes. Those between pieces only add or drop axes of one element, or the shapes at the end don't
 * fit. */
static const wnn_value *bare(const wnn_value *value) {
  const wnn_node *reshape;
  while ((reshape = wnn_made_by(value, WNN_OP_RESHAPE)) != NULL) value = reshape->inputs[0];
  return value;
}

/* The axes of a mean, in order. */
typedef struct axis_set {
  uint32_t data[WNN_MAX_RANK];
  size_t n;
} axis_set;

static bool same_axes(const axis_set *a, const axis_set *b) {
  return a->n == b->n && memcmp(a->data, b->data, a->n * sizeof a->data[0]) == 0;
}

static bool read_axes(const wnn_node *reduce, axis_set *axes) {
  const wnn_reduce_attrs *attrs = reduce->attrs;
  bool reduced[WNN_MAX_RANK] = {false};
  for (size_t i = 0; i < attrs->axes.n; i++) reduced[attrs->axes.data[i]] = true;
  axes->n = 0;
  for (uint32_t i = 0; i < reduce->inputs[0]->desc.rank; i++)
    if (reduced[i]) axes->data[axes->n++] = i;
  return axes->n != 0;
}

static size_t count_along(const wnn_desc *desc, const axis_set *axes) {
  size_t n = 1;
  for (size_t i = 0; i < axes->n; i++) n *= desc->dims[axes->data[i]];
  return n;
}

/* What `value` is the mean of, as reduceMean or a sum times 1/n; or NULL. */
static wnn_value *mean_of(const wnn_value *value, axis_set *axes) {
  value = bare(value);
  wnn_node *reduce = wnn_made_by(value, WNN_OP_REDUCE_MEAN);
  if (reduce != NULL) return read_axes(reduce, axes) ? reduce->inputs[0] : NULL;
  const wnn_node *scale = value->producer;
  for (int i = 0; scale != NULL && i < 2 && reduce == NULL; i++)
    if (scale->n_inputs == 2) reduce = wnn_made_by(bare(scale->inputs[i]), WNN_OP_REDUCE_SUM);
  if (reduce == NULL || !read_axes(reduce, axes)) return NULL;
  const double n = (double)count_along(&reduce->inputs[0]->desc, axes);
  const wnn_value *sum = wnn_joined_with(scale, WNN_OP_MUL, 1.0 / n);
  if (sum == NULL) sum = wnn_joined_with(scale, WNN_OP_DIV, n);
  return sum != NULL && bare(sum)->producer == reduce ? reduce->inputs[0] : NULL;
}

/* True when `value` stands at every element of `x` for its row: the axes are there, with one element. */
static bool is_kept(const wnn_value *value, const wnn_value *x, const axis_set *axes) {
  wnn_desc desc = x->desc;
  for (size_t i = 0; i < axes->n; i++) desc.dims[axes->data[i]] = 1;
  return wnn_shape_equal(&value->desc, &desc);
}

/* x − mean(x): x, and the axes. */
static wnn_value *centred(const wnn_value *value, axis_set *axes) {
  const wnn_node *sub = wnn_made_by(value, WNN_OP_SUB);
  if (sub == NULL || mean_of(sub->inputs[1], axes) != sub->inputs[0]) return NULL;
  return is_kept(sub->inputs[1], sub->inputs[0], axes) ? sub->inputs[0] : NULL;
}

/* What `value` is the square of, as a power or a product; or NULL. */
static wnn_value *root_of(const wnn_value *value) {
  const wnn_node *mul = wnn_made_by(value, WNN_OP_MUL);
  if (mul != NULL) return mul->inputs[0] == mul->inputs[1] ? mul->inputs[0] : NULL;
  return value->producer != NULL ? wnn_joined_with(value->producer, WNN_OP_POW, 2.0) : NULL;
}

/* mean(x²) − mean(x)², maybe kept from falling below zero. */
static bool is_difference_of_squares(const wnn_value *value, const wnn_value *x, const axis_set *axes) {
  axis_set found;
  const wnn_node *guard = wnn_made_by(value, WNN_OP_MAX);
  if (guard != NULL && wnn_constant_is(guard->inputs[0], 0)) value = bare(guard->inputs[1]);
  else if (guard != NULL && wnn_constant_is(guard->inputs[1], 0)) value = bare(guard->inputs[0]);
  else if ((guard = wnn_made_by(value, WNN_OP_RELU)) != NULL) value = bare(guard->inputs[0]);
  const wnn_node *sub = wnn_made_by(value, WNN_OP_SUB);
  if (sub == NULL) return false;
  const wnn_value *squares = mean_of(sub->inputs[0], &found);
  if (squares == NULL || !same_axes(&found, axes) || root_of(squares) != x) return false;
  const wnn_value *mean = root_of(bare(sub->inputs[1]));
  return mean != NULL && mean_of(mean, &found) == x && same_axes(&found, axes);
}

static bool is_variance(const wnn_value *value, const wnn_value *x, const axis_set *axes) {
  axis_set found;
  value = bare(value);
  if (is_difference_of_squares(value, x, axes)) return true;
  const wnn_value *squares = mean_of(value, &found);
  const wnn_value *centre = squares != NULL && same_axes(&found, axes) ? root_of(squares) : NULL;
  return centre != NULL && centred(centre, &found) == x && same_axes(&found, axes);
}

/* variance + epsilon. */
static bool is_padded_variance(const wnn_value *value, const wnn_value *x, const axis_set *axes, double *epsilon) {
  const wnn_node *add = wnn_made_by(bare(value), WNN_OP_ADD);
  if (add == NULL) return false;
  for (int i = 0; i < 2; i++)
    if (wnn_constant_number(add->inputs[i], epsilon)) return is_variance(add->inputs[1 - i], x, axes);
  return false;
}

static const wnn_value *power_base(const wnn_value *value, double exponent) {
  const wnn_node *power = wnn_made_by(value, WNN_OP_POW);
  return power != NULL && wnn_constant_is(power->inputs[1], exponent) ? power->inputs[0] : NULL;
}

static bool is_deviation(const wnn_value *value, const wnn_value *x, const axis_set *axes, double *epsilon) {
  value = bare(value);
  const wnn_node *root = wnn_made_by(value, WNN_OP_SQRT);
  const wnn_value *inner = root != NULL ? root->inputs[0] : power_base(value, 0.5);
  return inner != NULL && is_padded_variance(inner, x, axes, epsilon);
}

/* 1 / deviation. */
static bool is_reciprocal(const wnn_value *value, const wnn_value *x, const axis_set *axes, double *epsilon) {
  value = bare(value);
  const wnn_node *node = wnn_made_by(value, WNN_OP_RECIPROCAL);
  if (node != NULL) return is_deviation(node->inputs[0], x, axes, epsilon);
  node = wnn_made_by(value, WNN_OP_DIV);
  if (node != NULL && wnn_constant_is(node->inputs[0], 1)) return is_deviation(node->inputs[1], x, axes, epsilon);
  const wnn_value *inner = power_base(value, -0.5);
  return inner != NULL && is_padded_variance(inner, x, axes, epsilon);
}

/* The constant with one number for each element along the axes, as layerNormalization takes it; NULL when it isn't
 * one (or no memory). */
static wnn_value *along_axes(wnn_graph *graph, const wnn_value *constant, const wnn_desc *x, const uint32_t *axes,
                             size_t n_axes) {
  wnn_desc desc = {.type = x->type, .rank = (uint32_t)n_axes}, wide = {.rank = x->rank};
  if (wnn_value_data(constant) == NULL || constant->desc.type != x->type || constant->desc.rank > x->rank) return NULL;
  for (uint32_t i = 0; i < x->rank; i++) wide.dims[i] = 1;
  for (size_t i = 0; i < n_axes; i++) {
    desc.dims[i] = wide.dims[axes[i]] = x->dims[axes[i]];
    if (i > 0 && axes[i] < axes[i - 1]) return NULL; /* its numbers would have to be turned */
  }
  const uint32_t missing = x->rank - constant->desc.rank;
  for (uint32_t i = 0; i < x->rank; i++)
    if ((i < missing ? 1 : constant->desc.dims[i - missing]) != wide.dims[i]) return NULL;
  return wnn_graph_constant(graph, &desc, wnn_blob_retain(constant->blob));
}

static bool found_op(wnn_graph *graph, wnn_op_id op, wnn_value *x, const axis_set *axes, double epsilon,
                     wnn_value *scale, wnn_finding *f) {
  wnn_layer_normalization_attrs attrs = {.axes = {.n = axes->n, .given = true}, .epsilon = wnn_number_f(epsilon)};
  attrs.axes.data = wnn_arena_copy(&graph->arena, axes->data, axes->n * sizeof axes->data[0]);
  *f = (wnn_finding){.op = op, .inputs = {x, scale, NULL}, .n_inputs = 3};
  f->attrs = wnn_arena_copy(&graph->arena, &attrs, sizeof attrs);
  return attrs.axes.data != NULL && f->attrs != NULL;
}

static bool found_normalization(wnn_graph *graph, wnn_value *x, const axis_set *axes, double epsilon,
                                wnn_value *scale, wnn_finding *f) {
  return found_op(graph, WNN_OP_LAYER_NORMALIZATION, x, axes, epsilon, scale, f);
}

/* mean(x²) + epsilon. */
static bool is_padded_mean_square(const wnn_value *value, const wnn_value *x, axis_set *axes, double *epsilon) {
  const wnn_node *add = wnn_made_by(bare(value), WNN_OP_ADD);
  for (int i = 0; add != NULL && i < 2; i++) {
    if (!wnn_constant_number(add->inputs[i], epsilon)) continue;
    const wnn_value *squares = mean_of(add->inputs[1 - i], axes);
    return squares != NULL && root_of(squares) == x;
  }
  return false;
}

static bool is_root_mean_square(const wnn_value *value, const wnn_value *x, axis_set *axes, double *epsilon) {
  value = bare(value);
  const wnn_node *root = wnn_made_by(value, WNN_OP_SQRT);
  const wnn_value *inner = root != NULL ? root->inputs[0] : power_base(value, 0.5);
  return inner != NULL && is_padded_mean_square(inner, x, axes, epsilon);
}

static bool is_one_by_root_mean_square(const wnn_value *value, const wnn_value *x, axis_set *axes, double *epsilon) {
  value = bare(value);
  const wnn_node *node = wnn_made_by(value, WNN_OP_RECIPROCAL);
  if (node != NULL) return is_root_mean_square(node->inputs[0], x, axes, epsilon);
  node = wnn_made_by(value, WNN_OP_DIV);
  if (node != NULL && wnn_constant_is(node->inputs[0], 1)) return is_root_mean_square(node->inputs[1], x, axes, epsilon);
  const wnn_value *inner = power_base(value, -0.5);
  return inner != NULL && is_padded_mean_square(inner, x, axes, epsilon);
}

/* x / root mean square; x · (1 / root mean square). */
static bool find_about_zero(wnn_graph *graph, const wnn_node *node, wnn_finding *f) {
  axis_set axes;
  double epsilon = 0;
  for (int i = 0; i < 2 && (wnn_node_is(node, WNN_OP_MUL) || (i == 0 && wnn_node_is(node, WNN_OP_DIV))); i++) {
    wnn_value *x = node->inputs[i];
    const wnn_value *factor = node->inputs[1 - i];
    const bool found = wnn_node_is(node, WNN_OP_DIV) ? is_root_mean_square(factor, x, &axes, &epsilon)
                                                     : is_one_by_root_mean_square(factor, x, &axes, &epsilon);
    if (found && is_kept(factor, x, &axes))
      return found_op(graph, WNN_OP_RMS_NORMALIZATION, x, &axes, epsilon, NULL, f);
  }
  return false;
}

/* centre / deviation; centre · reciprocal; centre · (reciprocal · scale). */
static bool find_bare(wnn_graph *graph, const wnn_node *node, wnn_finding *f) {
  axis_set axes;
  double epsilon = 0;
  if (wnn_node_is(node, WNN_OP_DIV)) {
    wnn_value *x = centred(node->inputs[0], &axes);
    return x != NULL && is_kept(node->inputs[1], x, &axes) && is_deviation(node->inputs[1], x, &axes, &epsilon) &&
           found_normalization(graph, x, &axes, epsilon, NULL, f);
  }
  for (int i = 0; i < 2 && wnn_node_is(node, WNN_OP_MUL); i++) {
    wnn_value *x = centred(node->inputs[i], &axes);
    if (x == NULL) continue;
    const wnn_value *factor = node->inputs[1 - i];
    if (is_kept(factor, x, &axes) && is_reciprocal(factor, x, &axes, &epsilon))
      return found_normalization(graph, x, &axes, epsilon, NULL, f);
    const wnn_node *scaled = wnn_made_by(factor, WNN_OP_MUL);
    for (int k = 0; scaled != NULL && k < 2; k++) {
      if (!is_kept(scaled->inputs[k], x, &axes) || !is_reciprocal(scaled->inputs[k], x, &axes, &epsilon)) continue;
      wnn_value *scale = along_axes(graph, scaled->inputs[1 - k], &x->desc, axes.data, axes.n);
      if (scale != NULL) return found_normalization(graph, x, &axes, epsilon, scale, f);
    }
  }
  return false;
}

/* layerNormalization or rmsNormalization without scale (or the first without bias), then a product with (sum with) a constant along its axes. */
static bool find_affine(wnn_graph *graph, const wnn_node *node, wnn_finding *f) {
  const bool is_scale = wnn_node_is(node, WNN_OP_MUL);
  if (!is_scale && !wnn_node_is(node, WNN_OP_ADD)) return false;
  for (int i = 0; i < 2; i++) {
    const wnn_node *norm = wnn_made_by(node->inputs[i], WNN_OP_LAYER_NORMALIZATION);
    if (norm == NULL && is_scale) norm = wnn_made_by(node->inputs[i], WNN_OP_RMS_NORMALIZATION);
    if (norm == NULL || !wnn_is_private(node->inputs[i])) continue;
    const wnn_layer_normalization_attrs *attrs = norm->attrs;
    if (norm->inputs[2] != NULL || (is_scale && norm->inputs[1] != NULL)) continue;
    wnn_value *part = along_axes(graph, node->inputs[1 - i], &norm->inputs[0]->desc, attrs->axes.data, attrs->axes.n);
    if (part == NULL) continue;
    *f = (wnn_finding){.op = norm->op->id,
                       .inputs = {norm->inputs[0], is_scale ? part : norm->inputs[1], is_scale ? NULL : part},
                       .n_inputs = 3,
                       .attrs = attrs};
    return true;
  }
  return false;
}

bool wnn_find_normalization(wnn_graph *graph, const wnn_node *node, wnn_finding *f) {
  return find_bare(graph, node, f) || find_affine(graph, node, f);
}

bool wnn_find_rms_normalization(wnn_graph *graph, const wnn_node *node, wnn_finding *f) {
  return find_about_zero(graph, node, f);
}

/* ---- softmax */

/* max(x) along one axis; a constant −∞ may take part. */
static bool is_maximum(const wnn_value *value, const wnn_value *x, const axis_set *axes) {
  axis_set found;
  value = bare(value);
  const wnn_node *guard = wnn_made_by(value, WNN_OP_MAX);
  double number;
  for (int i = 0; guard != NULL && i < 2; i++)
    if (wnn_constant_number(guard->inputs[i], &number) && number == -INFINITY) value = bare(guard->inputs[1 - i]);
  const wnn_node *reduce = wnn_made_by(value, WNN_OP_REDUCE_MAX);
  return reduce != NULL && reduce->inputs[0] == x && read_axes(reduce, &found) && same_axes(&found, axes);
}

/* e / sum(e) with e = exp(x − max(x)). Without the maximum it would be another thing: overflow gives NaN. */
bool wnn_find_softmax(wnn_graph *graph, const wnn_node *node, wnn_finding *f) {
  axis_set axes;
  if (!wnn_node_is(node, WNN_OP_DIV)) return false;
  const wnn_node *reduce = wnn_made_by(bare(node->inputs[1]), WNN_OP_REDUCE_SUM);
  const wnn_node *power = wnn_made_by(node->inputs[0], WNN_OP_EXP);
  if (reduce == NULL || power == NULL || reduce->inputs[0] != node->inputs[0]) return false;
  const wnn_node *sub = wnn_made_by(power->inputs[0], WNN_OP_SUB);
  if (sub == NULL || !read_axes(reduce, &axes) || axes.n != 1) return false;
  wnn_value *x = sub->inputs[0];
  if (!is_maximum(sub->inputs[1], x, &axes) || !is_kept(sub->inputs[1], x, &axes) ||
      !is_kept(node->inputs[1], x, &axes))
    return false;
  const wnn_axis_attrs attrs = {.axis = axes.data[0]};
  *f = (wnn_finding){.op = WNN_OP_SOFTMAX, .inputs = {x}, .n_inputs = 1};
  f->attrs = wnn_arena_copy(&graph->arena, &attrs, sizeof attrs);
  return f->attrs != NULL;
}
