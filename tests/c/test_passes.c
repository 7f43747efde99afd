/* Passes: what each makes of a small graph, and that the graph still computes the same. */
#include "pass_checks.h"

UNARY_CALL(identity)
UNARY_CALL(relu)
UNARY_CALL(sigmoid)
UNARY_CALL(softplus)
UNARY_CALL(tanh)
UNARY_CALL(erf)
UNARY_CALL(sqrt)
UNARY_CALL(exp)
UNARY_CALL(reciprocal)
BINARY_CALL(max)
UNARY_CALL(transpose)
UNARY_CALL(average_pool2d)
UNARY_CALL(max_pool2d)
BINARY_CALL(add)
BINARY_CALL(sub)
BINARY_CALL(mul)
BINARY_CALL(div)
BINARY_CALL(matmul)
BINARY_CALL(pow)
BINARY_CALL(conv2d)
BINARY_CALL(conv_transpose2d)

static webnn_operand *clamp(maker *m, webnn_operand *x, double low, double high) {
  webnn_clamp_options options = WEBNN_CLAMP_OPTIONS_INIT;
  webnn_operand *out = NULL;
  options.min_value = (webnn_number){WEBNN_NUMBER_DOUBLE, {.f = low}};
  options.max_value = (webnn_number){WEBNN_NUMBER_DOUBLE, {.f = high}};
  m->failed |= webnn_clamp(m->builder, x, &options, &out) != WEBNN_OK;
  return out;
}

static webnn_operand *hard_sigmoid(maker *m, webnn_operand *x, double alpha, double beta) {
  webnn_hard_sigmoid_options options = WEBNN_HARD_SIGMOID_OPTIONS_INIT;
  webnn_operand *out = NULL;
  options.alpha = alpha;
  options.beta = beta;
  m->failed |= webnn_hard_sigmoid(m->builder, x, &options, &out) != WEBNN_OK;
  return out;
}

static webnn_operand *mean(maker *m, webnn_operand *x, uint32_t axis) {
  webnn_reduce_options options = WEBNN_REDUCE_OPTIONS_INIT;
  webnn_operand *out = NULL;
  options.axes = &axis;
  options.n_axes = 1;
  options.keep_dimensions = true;
  m->failed |= webnn_reduce_mean(m->builder, x, &options, &out) != WEBNN_OK;
  return out;
}

static webnn_operand *reshape(maker *m, webnn_operand *x, size_t rank, const uint32_t *shape) {
  webnn_operand *out = NULL;
  m->failed |= webnn_reshape(m->builder, x, shape, rank, NULL, &out) != WEBNN_OK;
  return out;
}

static webnn_operand *normalised_by(maker *m, webnn_operand *x, float variance) {
  webnn_batch_normalization_options options = WEBNN_BATCH_NORMALIZATION_OPTIONS_INIT;
  webnn_operand *out = NULL;
  options.scale = constant(m, SHAPE(3), 0.5f);
  options.bias = constant(m, SHAPE(3), -0.25f);
  m->failed |=
      webnn_batch_normalization(m->builder, x, constant(m, SHAPE(3), 0.1f),
                                constant(m, SHAPE(3), variance), &options, &out) != WEBNN_OK;
  return out;
}

static webnn_operand *batch_normalization(maker *m, webnn_operand *x) {
  return normalised_by(m, x, 1.0f);
}

/* ---- graphs */

static webnn_operand *plane(maker *m) { return input(m, "x", SHAPE(1, 2, 4, 4)); }
static webnn_operand *row(maker *m) { return input(m, "x", SHAPE(2, 8)); }

static webnn_operand *a_silu(maker *m) {
  webnn_operand *x = row(m);
  return mul_of(m, sigmoid_of(m, x), x);
}
static webnn_operand *a_shared_sigmoid(maker *m) { /* the gate has another reader: it stays */
  webnn_operand *x = row(m), *s = sigmoid_of(m, x);
  return add_of(m, mul_of(m, x, s), s);
}
static webnn_operand *a_hard_swish(maker *m) {
  webnn_operand *x = row(m);
  return mul_of(m, x, hard_sigmoid(m, x, 1.0 / 6, 0.5));
}
static webnn_operand *another_hard_sigmoid(maker *m) {
  webnn_operand *x = row(m);
  return mul_of(m, x, hard_sigmoid(m, x, 0.2, 0.5));
}
static webnn_operand *a_spelled_hard_swish(maker *m) {
  webnn_operand *x = row(m);
  return div_of(m, mul_of(m, x, clamp(m, add_of(m, x, number(m, 3)), 0, 6)), number(m, 6));
}
static webnn_operand *a_hard_swish_divided_inside(maker *m) {
  webnn_operand *x = row(m);
  return mul_of(m, div_of(m, clamp(m, add_of(m, number(m, 3), x), 0, 6), number(m, 6)), x);
}
static webnn_operand *a_mish(maker *m) {
  webnn_operand *x = row(m);
  return mul_of(m, x, tanh_of(m, softplus_of(m, x)));
}
static webnn_operand *gelu_gate_of(maker *m, webnn_operand *x) {
  return add_of(m, erf_of(m, div_of(m, x, number(m, 1.4142135623730951))), number(m, 1));
}
static webnn_operand *a_gelu(maker *m) {
  webnn_operand *x = row(m);
  return mul_of(m, mul_of(m, x, gelu_gate_of(m, x)), number(m, 0.5));
}
static webnn_operand *a_gelu_halved_first(maker *m) {
  webnn_operand *x = row(m);
  return mul_of(m, mul_of(m, x, number(m, 0.5)), gelu_gate_of(m, x));
}
static webnn_operand *a_gelu_by_tanh(maker *m) {
  webnn_operand *x = row(m);
  webnn_operand *cube = mul_of(m, x, mul_of(m, x, mul_of(m, number(m, 0.044715), x)));
  webnn_operand *inner = mul_of(m, number(m, 0.7978845608028654), add_of(m, x, cube));
  return mul_of(m, x, mul_of(m, number(m, 0.5), add_of(m, number(m, 1), tanh_of(m, inner))));
}
static webnn_operand *a_gelu_with_another_cube(maker *m) {
  webnn_operand *x = row(m);
  webnn_operand *cube = mul_of(m, pow_of(m, x, number(m, 3)), number(m, 0.05));
  webnn_operand *inner = mul_of(m, number(m, 0.7978845608028654), add_of(m, x, cube));
  return mul_of(m, x, mul_of(m, number(m, 0.5), add_of(m, number(m, 1), tanh_of(m, inner))));
}
static webnn_operand *normalised(maker *m, webnn_operand *x) {
  webnn_operand *centre = sub_of(m, x, mean(m, x, 1));
  webnn_operand *variance = mean(m, pow_of(m, centre, number(m, 2)), 1);
  return div_of(m, centre, sqrt_of(m, add_of(m, variance, number(m, 1e-5))));
}
static webnn_operand *a_layer_normalization(maker *m) {
  webnn_operand *y = mul_of(m, normalised(m, row(m)), constant(m, SHAPE(8), 0.5f));
  return add_of(m, y, constant(m, SHAPE(8), -1.0f));
}
static webnn_operand *reduced(maker *m, webnn_operand *x, bool sums, bool keep, size_t n_axes, const uint32_t *axes) {
  webnn_reduce_options options = WEBNN_REDUCE_OPTIONS_INIT;
  webnn_operand *out = NULL;
  options.axes = axes;
  options.n_axes = n_axes;
  options.keep_dimensions = keep;
  m->failed |= (sums ? webnn_reduce_sum : webnn_reduce_mean)(m->builder, x, &options, &out) != WEBNN_OK;
  return out;
}
static webnn_operand *images(maker *m) { return input(m, "x", SHAPE(2, 3, 4, 2)); }
static webnn_operand *an_instance_normalization(maker *m) { /* over height and width, by a reciprocal root */
  webnn_operand *x = images(m), *centre = sub_of(m, x, reduced(m, x, false, true, SHAPE(2, 3)));
  webnn_operand *variance = reduced(m, mul_of(m, centre, centre), false, true, SHAPE(2, 3));
  return mul_of(m, centre, pow_of(m, add_of(m, variance, number(m, 1e-3)), number(m, -0.5)));
}
/* Means as sums times a number, the variance of squares, a scale inside, reshapes that put the axis back. */
static webnn_operand *of_squares(maker *m, webnn_operand *x, double share, bool guarded) {
  webnn_operand *mean_value = mul_of(m, reduced(m, x, true, false, SHAPE(1)), number(m, share));
  webnn_operand *square = mul_of(m, reduced(m, mul_of(m, x, x), true, false, SHAPE(1)), number(m, share));
  webnn_operand *variance = sub_of(m, square, mul_of(m, mean_value, mean_value));
  if (guarded) variance = max_of(m, variance, number(m, 0));
  webnn_operand *padded = add_of(m, reshape(m, variance, SHAPE(2, 1, 4)), number(m, 1e-2));
  webnn_operand *factor = mul_of(m, reciprocal_of(m, sqrt_of(m, padded)), constant(m, SHAPE(1, 5, 1), 0.5f));
  webnn_operand *centre = sub_of(m, x, reshape(m, mean_value, SHAPE(2, 1, 4)));
  return add_of(m, mul_of(m, factor, centre), constant(m, SHAPE(1, 5, 1), -0.25f));
}
static webnn_operand *a_normalization_of_squares(maker *m) {
  return of_squares(m, input(m, "x", SHAPE(2, 5, 4)), 1.0 / 5, true);
}
static webnn_operand *an_unguarded_one(maker *m) {
  return of_squares(m, input(m, "x", SHAPE(2, 5, 4)), 1.0 / 5, false);
}
static webnn_operand *one_with_another_share(maker *m) {
  return of_squares(m, input(m, "x", SHAPE(2, 5, 4)), 1.0 / 6, true);
}
static webnn_operand *softmax(maker *m, webnn_operand *x, uint32_t axis) {
  webnn_operand *out = NULL;
  m->failed |= webnn_softmax(m->builder, x, axis, NULL, &out) != WEBNN_OK;
  return out;
}

static webnn_operand *swapped(maker *m, webnn_operand *x) {
  static const uint32_t axes[] = {0, 2, 1};
  webnn_transpose_options options = WEBNN_TRANSPOSE_OPTIONS_INIT;
  webnn_operand *out = NULL;
  options.permutation = axes;
  options.n_permutation = 3;
  m->failed |= webnn_transpose(m->builder, x, &options, &out) != WEBNN_OK;
  return out;
}

/* Two heads of 12 queries and keys, 8 numbers each. */
static webnn_operand *heads(maker *m) { return input(m, "x", SHAPE(2, 12, 8)); }
static webnn_operand *scores_of(maker *m, webnn_operand *x) {
  return matmul_of(m, x, mul_of(m, swapped(m, x), constant(m, SHAPE(1, 8, 1), -0.5f)));
}
static webnn_operand *values(maker *m) { return constant(m, SHAPE(2, 12, 5), -1.0f); }

static webnn_operand *an_attention(maker *m) {
  webnn_operand *scores = mul_of(m, number(m, 0.125), scores_of(m, heads(m)));
  return matmul_of(m, softmax(m, scores, 2), values(m));
}
static webnn_operand *an_attention_with_a_mask(maker *m) {
  webnn_operand *scores = div_of(m, scores_of(m, heads(m)), number(m, 8));
  scores = add_of(m, constant(m, SHAPE(12, 12), -1.0f), scores);
  return matmul_of(m, softmax(m, scores, 2), values(m));
}
static webnn_operand *a_bare_attention(maker *m) {
  return matmul_of(m, softmax(m, scores_of(m, heads(m)), 2), values(m));
}
static webnn_operand *an_attention_down_the_columns(maker *m) {
  return matmul_of(m, softmax(m, scores_of(m, heads(m)), 1), values(m));
}
static webnn_operand *weights_with_two_readers(maker *m) {
  webnn_operand *weights = softmax(m, scores_of(m, heads(m)), 2);
  return matmul_of(m, weights, matmul_of(m, weights, values(m)));
}
static webnn_operand *an_attention_of_few_rows(maker *m) {
  webnn_operand *x = input(m, "x", SHAPE(2, 4, 8));
  return matmul_of(m, softmax(m, matmul_of(m, x, swapped(m, x)), 2), constant(m, SHAPE(2, 4, 5), -1.0f));
}
static webnn_operand *values_for_all_heads(maker *m) {
  return matmul_of(m, softmax(m, scores_of(m, heads(m)), 2), constant(m, SHAPE(1, 12, 5), -1.0f));
}

static webnn_operand *a_spelled_softmax(maker *m) {
  webnn_operand *x = row(m), *most = NULL;
  webnn_reduce_options options = WEBNN_REDUCE_OPTIONS_INIT;
  options.axes = (const uint32_t[]){1};
  options.n_axes = 1;
  m->failed |= webnn_reduce_max(m->builder, x, &options, &most) != WEBNN_OK;
  most = reshape(m, max_of(m, number(m, -INFINITY), most), SHAPE(2, 1));
  webnn_operand *powers = exp_of(m, sub_of(m, x, most));
  return div_of(m, powers, reshape(m, reduced(m, powers, true, false, SHAPE(1)), SHAPE(2, 1)));
}
static webnn_operand *powers_without_a_maximum(maker *m) {
  webnn_operand *powers = exp_of(m, row(m));
  return div_of(m, powers, reduced(m, powers, true, true, SHAPE(1)));
}
static webnn_operand *a_conv_and_batch_normalization(maker *m) {
  return relu_of(m, batch_normalization(m, conv2d_of(m, plane(m), constant(m, SHAPE(3, 2, 3, 3), -0.5f))));
}
static webnn_operand *a_transposed_conv_and_sum(maker *m) {
  return add_of(m, conv_transpose2d_of(m, plane(m), constant(m, SHAPE(2, 3, 2, 2), -0.5f)),
             constant(m, SHAPE(1, 3, 1, 1), 0.5f));
}
static webnn_operand *a_scaled_conv(maker *m) {
  return mul_of(m, number(m, 0.5), conv2d_of(m, plane(m), constant(m, SHAPE(3, 2, 3, 3), -0.5f)));
}
static webnn_operand *a_conv_with_two_readers(maker *m) {
  webnn_operand *y = conv2d_of(m, plane(m), constant(m, SHAPE(3, 2, 3, 3), -0.5f));
  return add_of(m, mul_of(m, y, number(m, 2)), y);
}
static webnn_operand *a_sum_along_the_rows(maker *m) { /* not per channel: it stays */
  return add_of(m, conv2d_of(m, plane(m), constant(m, SHAPE(3, 2, 3, 3), -0.5f)), constant(m, SHAPE(2), 0.5f));
}
static webnn_operand *a_loose_batch_normalization(maker *m) {
  return batch_normalization(m, input(m, "x", SHAPE(2, 3, 2, 2)));
}
/* Constants that would be no numbers: NaN factors, weights beyond float32. */
static webnn_operand *a_conv_and_a_negative_variance(maker *m) {
  return relu_of(
      m, normalised_by(m, conv2d_of(m, plane(m), constant(m, SHAPE(3, 2, 3, 3), -0.5f)), -1.0f));
}
static webnn_operand *a_loose_negative_variance(maker *m) {
  return relu_of(m, normalised_by(m, input(m, "x", SHAPE(2, 3, 2, 2)), -1.0f));
}
static webnn_operand *a_conv_and_a_huge_factor(maker *m) {
  return mul_of(m, number(m, 1e30), conv2d_of(m, plane(m), constant(m, SHAPE(3, 2, 3, 3), 1e9f)));
}
static webnn_operand *identities(maker *m) {
  return relu_of(m, identity_of(m, mul_of(m, identity_of(m, row(m)), number(m, 1))));
}
static webnn_operand *reshapes(maker *m) { return reshape(m, reshape(m, row(m), SHAPE(16)), SHAPE(4, 4)); }
static webnn_operand *transposes_that_cancel(maker *m) { return transpose_of(m, transpose_of(m, row(m))); }
static webnn_operand *a_transpose_of_ones(maker *m) { return transpose_of(m, input(m, "x", SHAPE(1, 8, 1))); }
static webnn_operand *slice_of(maker *m, webnn_operand *x, const uint32_t *starts, const uint32_t *sizes,
                               const uint32_t *strides) {
  webnn_slice_options options = WEBNN_SLICE_OPTIONS_INIT;
  webnn_operand *out = NULL;
  options.strides = strides;
  options.n_strides = 2;
  m->failed |= webnn_slice(m->builder, x, starts, 2, sizes, 2, &options, &out) != WEBNN_OK;
  return out;
}
static webnn_operand *slices_of_a_slice(maker *m) { /* columns 7, 3; a stride that leaves one element is any */
  webnn_operand *y = slice_of(m, input(m, "x", SHAPE(5, 16)), (uint32_t[]){1, 1}, (uint32_t[]){3, 11}, (uint32_t[]){1, 2});
  return slice_of(m, y, (uint32_t[]){2, 1}, (uint32_t[]){1, 4}, (uint32_t[]){4000000000u, 3});
}
static webnn_operand *a_mean_of_one(maker *m) {
  return mean(m, input(m, "x", SHAPE(8, 1)), 1);
}
static webnn_operand *a_root_of_one(maker *m) {
  webnn_operand *out = NULL;
  m->failed |= webnn_reduce_l2(m->builder, input(m, "x", SHAPE(1, 1)), NULL, &out) != WEBNN_OK;
  return out;
}
static webnn_operand *a_reshape_of_a_turned_constant(maker *m) { /* "-all" turns it at the run */
  return add_of(m, row(m), reshape(m, transpose_of(m, constant(m, SHAPE(4, 4), 0.5f)), SHAPE(2, 8)));
}
static webnn_operand *flat_conv(maker *m) {
  return reshape(m, conv2d_of(m, plane(m), constant(m, SHAPE(3, 2, 3, 3), -0.5f)), SHAPE(1, 3, 4));
}
static webnn_operand *an_activation_behind_a_reshape(maker *m) { return clamp(m, relu_of(m, flat_conv(m)), -1, 2); }
static webnn_operand *row_conv(maker *m) { /* of one dimension, as importers spell it: [1, 3, 6, 1] to [1, 3, 6] */
  webnn_operand *y = conv2d_of(m, input(m, "x", SHAPE(1, 2, 8, 1)), constant(m, SHAPE(3, 2, 3, 1), -0.5f));
  return reshape(m, y, SHAPE(1, 3, 6));
}
static webnn_operand *a_bias_behind_a_reshape(maker *m) {
  return tanh_of(m, add_of(m, constant(m, SHAPE(1, 3, 1), 0.5f), row_conv(m)));
}
static webnn_operand *a_bias_along_another_shape(maker *m) { /* two of the axes were merged: it can't be said */
  webnn_operand *y = conv2d_of(m, plane(m), constant(m, SHAPE(3, 2, 3, 3), -0.5f));
  return tanh_of(m, add_of(m, reshape(m, y, SHAPE(3, 4)), constant(m, SHAPE(4), 0.5f)));
}
static webnn_operand *a_reshape_with_two_readers(maker *m) {
  webnn_operand *y = flat_conv(m);
  return add_of(m, relu_of(m, y), y);
}
static webnn_operand *a_global_average(maker *m) { return average_pool2d_of(m, plane(m)); }
static webnn_operand *a_global_maximum(maker *m) { return max_pool2d_of(m, plane(m)); }
/* x by the root of its mean square, along `axis`: 1/√ as `form` says. */
static webnn_operand *by_root_mean_square(maker *m, webnn_operand *x, uint32_t axis, int form) {
  webnn_operand *square = form == 0 ? pow_of(m, x, number(m, 2)) : mul_of(m, x, x);
  webnn_operand *inner = add_of(m, number(m, 1e-3), mean(m, square, axis));
  if (form == 0) return div_of(m, x, sqrt_of(m, inner));
  if (form == 1) return mul_of(m, reciprocal_of(m, sqrt_of(m, inner)), x);
  return mul_of(m, x, pow_of(m, inner, number(m, -0.5)));
}
static webnn_operand *an_rms_normalization(maker *m) { return by_root_mean_square(m, row(m), 1, 0); }
static webnn_operand *a_scaled_rms_normalization(maker *m) {
  return mul_of(m, constant(m, SHAPE(8), 0.5f), by_root_mean_square(m, row(m), 1, 1));
}
static webnn_operand *one_along_the_channels(maker *m) {
  return add_of(m, by_root_mean_square(m, plane(m), 1, 2), number(m, 1));
}
static webnn_operand *one_of_another_operand(maker *m) {
  webnn_operand *x = row(m), *square = mul_of(m, x, x);
  return div_of(m, relu_of(m, x), sqrt_of(m, add_of(m, mean(m, square, 1), number(m, 1e-3))));
}
static webnn_operand *a_sum_of_constants(maker *m) {
  return mul_of(m, row(m), add_of(m, constant(m, SHAPE(8), 1.0f), constant(m, SHAPE(8), 2.0f)));
}

#define ROW(pass, graph, expected) {pass, #graph, graph, expected}
static const struct {
  const char *pass, *name;
  webnn_operand *(*make)(maker *);
  const char *expected;
} rows[] = {
    ROW("canonicalise", a_transpose_of_ones, "reshape"),
    ROW("canonicalise", a_global_average, "reduce_mean"),
    ROW("canonicalise", a_global_maximum, "reduce_max"),
    ROW("canonicalise", transposes_that_cancel, "transpose transpose"),
    ROW("canonicalise", a_reshape_of_a_turned_constant, "transpose reshape add"),
    ROW("simplify", identities, "relu"),
    ROW("simplify", reshapes, "reshape"),
    ROW("simplify", transposes_that_cancel, "transpose"),
    ROW("simplify", slices_of_a_slice, "slice"),
    ROW("canonicalise", a_mean_of_one, "reshape"),
    ROW("canonicalise", a_root_of_one, "reduce_l2"),
    ROW("hoist", an_activation_behind_a_reshape, "conv2d relu clamp reshape"),
    ROW("hoist", a_reshape_with_two_readers, "conv2d reshape relu add"),
    ROW("hoist", a_bias_behind_a_reshape, "conv2d add tanh reshape"),
    ROW("all", a_bias_behind_a_reshape, "conv2d tanh reshape"),
    ROW("hoist", a_bias_along_another_shape, "conv2d reshape add tanh"),
    ROW("all", transposes_that_cancel, ""),
    ROW("recognise", a_silu, "silu"),
    ROW("recognise", a_shared_sigmoid, "sigmoid mul add"),
    ROW("recognise", a_hard_swish, "hard_swish"),
    ROW("recognise", another_hard_sigmoid, "hard_sigmoid mul"),
    ROW("recognise", a_spelled_hard_swish, "hard_swish"),
    ROW("recognise", a_hard_swish_divided_inside, "hard_swish"),
    ROW("recognise", a_mish, "mish"),
    ROW("recognise", a_gelu, "gelu"),
    ROW("recognise", a_gelu_halved_first, "gelu"),
    ROW("recognise", a_gelu_by_tanh, "gelu_tanh"),
    ROW("recognise", a_gelu_with_another_cube, "pow mul add mul tanh add mul mul"),
    ROW("recognise", a_layer_normalization, "layer_normalization"),
    ROW("recognise", an_instance_normalization, "layer_normalization"),
    ROW("recognise", a_normalization_of_squares, "layer_normalization"),
    ROW("recognise", an_unguarded_one, "layer_normalization"),
    ROW("recognise", one_with_another_share,
        "reduce_sum mul reshape sub mul mul reduce_sum mul sub max reshape add sqrt reciprocal mul mul add"),
    ROW("recognise", an_rms_normalization, "rms_normalization"),
    ROW("recognise", a_scaled_rms_normalization, "rms_normalization"),
    ROW("recognise", one_along_the_channels, "rms_normalization add"),
    ROW("recognise", one_of_another_operand, "mul reduce_mean add sqrt relu div"),
    ROW("recognise", a_spelled_softmax, "softmax"),
    ROW("recognise", powers_without_a_maximum, "exp reduce_sum div"),
    ROW("attention", an_attention, "transpose mul attention"),
    ROW("attention", an_attention_with_a_mask, "transpose mul attention"),
    ROW("attention", a_bare_attention, "transpose mul attention"),
    ROW("attention", an_attention_down_the_columns, "transpose mul matmul softmax matmul"),
    ROW("attention", weights_with_two_readers, "transpose mul matmul softmax matmul matmul"),
    ROW("attention", an_attention_of_few_rows, "transpose attention"),
    ROW("attention", values_for_all_heads, "transpose mul matmul softmax matmul"),
    ROW("absorb", a_conv_and_batch_normalization, "conv2d relu"),
    ROW("absorb", a_transposed_conv_and_sum, "conv_transpose2d"),
    ROW("absorb", a_scaled_conv, "conv2d"),
    ROW("absorb", a_conv_with_two_readers, "conv2d mul add"),
    ROW("absorb", a_sum_along_the_rows, "conv2d add"),
    ROW("absorb", a_loose_batch_normalization, "sub mul add"),
    ROW("absorb", a_conv_and_a_negative_variance, "conv2d batch_normalization relu"),
    ROW("absorb", a_loose_negative_variance, "batch_normalization relu"),
    ROW("absorb", a_conv_and_a_huge_factor, "conv2d mul"),
    ROW("fold", a_sum_of_constants, "add mul"), /* without an evaluator nothing is folded */
};

TEST(passes_leave_what_the_rows_say) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CONTEXT("%s: %s", rows[i].pass, rows[i].name);
    check_pass(rows[i].pass, rows[i].make, rows[i].expected);
    check_numbers("auto", rows[i].make, 0.0f);
  }
  CONTEXT("%s", "");
}

TEST(constants_are_folded_in_a_build) {
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  options.backend = "reference";
  for (int off = 0; off < 2; off++) {
    webnn_context *context = NULL;
    webnn_future *future = NULL;
    maker m = {NULL, false};
    options.passes = off ? "-fold" : NULL;
    CHECK_STATUS(webnn_context_create(&options, &context, NULL), WEBNN_OK);
    CHECK_STATUS(webnn_builder_create(context, &m.builder, NULL), WEBNN_OK);
    webnn_named_operand y = {WEBNN_STR("y"), a_sum_of_constants(&m)};
    CHECK_STATUS(webnn_builder_build(m.builder, &y, 1, &future), WEBNN_OK);
    webnn_future_wait(future, -1);
    CHECK(webnn_graph_n_steps(webnn_future_graph(future)) == (off ? 2u : 1u));
    webnn_future_release(future);
    webnn_builder_release(m.builder);
    webnn_context_release(context);
  }
}

TEST(switches_name_passes) {
  webnn_str wrong = {NULL, 0};
  CHECK(wnn_passes_valid(NULL, &wrong));
  CHECK(wnn_passes_valid("", &wrong));
  CHECK(wnn_passes_valid("-fuse,-layout,-all", &wrong));
  CHECK(!wnn_passes_valid("-fuse,-lay", &wrong));
  CHECK(wrong.size == 4 && memcmp(wrong.data, "-lay", 4) == 0);
  CHECK(!wnn_passes_valid("fuse", &wrong));
  CHECK(wnn_pass_enabled("-fuse", "layout"));
  CHECK(!wnn_pass_enabled("-layout,-fuse", "fuse"));
  CHECK(!wnn_pass_enabled("-all", "fuse"));
}

int main(int argc, char **argv) {
  return harness_main(argc, argv,
                      (harness_test[]){RUN(passes_leave_what_the_rows_say),
                                       RUN(constants_are_folded_in_a_build), RUN(switches_name_passes),
                                       {NULL, NULL}});
}
