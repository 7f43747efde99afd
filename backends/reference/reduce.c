/* Reductions over axes, argMin and argMax, cumulativeSum. */
#include "reference.h"

#include <math.h>

wnn_ref_lanes wnn_ref_split_axes(const wnn_desc *desc, const uint32_t *axes, size_t n_axes) {
  wnn_ref_lanes lanes = {.kept = {.type = desc->type}, .along = {.type = desc->type}};
  bool is_along[WNN_MAX_RANK] = {false};
  size_t strides[WNN_MAX_RANK];
  wnn_shape_strides(desc, strides);
  for (size_t i = 0; i < n_axes; i++) {
    is_along[axes[i]] = true;
    lanes.along_strides[lanes.along.rank] = strides[axes[i]];
    lanes.along.dims[lanes.along.rank++] = desc->dims[axes[i]];
  }
  for (uint32_t axis = 0; axis < desc->rank; axis++) {
    if (is_along[axis]) continue;
    lanes.kept_strides[lanes.kept.rank] = strides[axis];
    lanes.kept.dims[lanes.kept.rank++] = desc->dims[axis];
  }
  return lanes;
}

/* One lane: the elements that become one. */
typedef struct lane {
  const void *data;
  webnn_data_type type;
  const wnn_ref_lanes *lanes;
  size_t base;
} lane;

/* The next element's place; call it with zeroed coordinates first and until wnn_ref_next says no.
 */
static size_t place(const lane *x, const uint32_t at[WNN_MAX_RANK]) {
  return x->base + wnn_ref_offset(x->lanes->along.rank, x->lanes->along_strides, at);
}

/* NaN propagates. */
static double lane_extreme(const lane *x, bool want_max) {
  uint32_t at[WNN_MAX_RANK] = {0};
  double best = wnn_ref_load_f(x->data, x->type, place(x, at));
  do {
    double value = wnn_ref_load_f(x->data, x->type, place(x, at));
    if (value != value) return value;
    if (want_max ? value > best : value < best) best = value;
  } while (wnn_ref_next(&x->lanes->along, at));
  return best;
}

static double summand(wnn_op_id op, double x) {
  switch (op) {
    case WNN_OP_REDUCE_L1: return fabs(x);
    case WNN_OP_REDUCE_L2:
    case WNN_OP_REDUCE_SUM_SQUARE: return x * x;
    default: return x;
  }
}

static double lane_sum(const lane *x, wnn_op_id op) {
  uint32_t at[WNN_MAX_RANK] = {0};
  double sum = 0;
  do {
    sum += summand(op, wnn_ref_load_f(x->data, x->type, place(x, at)));
  } while (wnn_ref_next(&x->lanes->along, at));
  return sum;
}

static double lane_product(const lane *x) {
  uint32_t at[WNN_MAX_RANK] = {0};
  double product = 1;
  do {
    product *= wnn_ref_load_f(x->data, x->type, place(x, at));
  } while (wnn_ref_next(&x->lanes->along, at));
  return product;
}

/* Shifted by the largest, which an infinity or NaN there already is the answer. */
static double lane_log_sum_exp(const lane *x) {
  uint32_t at[WNN_MAX_RANK] = {0};
  double sum = 0, max = lane_extreme(x, true);
  if (!isfinite(max)) return max;
  do {
    sum += exp(wnn_ref_load_f(x->data, x->type, place(x, at)) - max);
  } while (wnn_ref_next(&x->lanes->along, at));
  return max + log(sum);
}

static double reduce_floats(wnn_op_id op, const lane *x) {
  switch (op) {
    case WNN_OP_REDUCE_L2: return sqrt(lane_sum(x, op));
    case WNN_OP_REDUCE_LOG_SUM: return log(lane_sum(x, op));
    case WNN_OP_REDUCE_LOG_SUM_EXP: return lane_log_sum_exp(x);
    case WNN_OP_REDUCE_MAX: return lane_extreme(x, true);
    case WNN_OP_REDUCE_MEAN: return lane_sum(x, op) / (double)wnn_desc_count(&x->lanes->along);
    case WNN_OP_REDUCE_MIN: return lane_extreme(x, false);
    case WNN_OP_REDUCE_PRODUCT: return lane_product(x);
    default: return lane_sum(x, op); /* L1, sum, sumSquare */
  }
}

static bool less(webnn_data_type type, uint64_t a, uint64_t b) {
  return wnn_type_is_signed(type) ? wnn_ref_signed(a) < wnn_ref_signed(b) : a < b;
}

/* One element more; everything wraps modulo 2^64 and, once stored, modulo the type's width. */
static uint64_t take_integer(wnn_op_id op, webnn_data_type type, uint64_t so_far, uint64_t x) {
  switch (op) {
    case WNN_OP_REDUCE_L1: return so_far + (less(type, x, 0) ? 0 - x : x);
    case WNN_OP_REDUCE_MAX: return less(type, so_far, x) ? x : so_far;
    case WNN_OP_REDUCE_MIN: return less(type, x, so_far) ? x : so_far;
    case WNN_OP_REDUCE_PRODUCT: return so_far * x;
    case WNN_OP_REDUCE_SUM_SQUARE: return so_far + x * x;
    default: return so_far + x; /* sum */
  }
}

static uint64_t first_integer(wnn_op_id op, const lane *x) {
  bool is_extreme = op == WNN_OP_REDUCE_MAX || op == WNN_OP_REDUCE_MIN;
  if (is_extreme) return wnn_ref_load_bits(x->data, x->type, x->base);
  return op == WNN_OP_REDUCE_PRODUCT ? 1 : 0;
}

static uint64_t reduce_integers(wnn_op_id op, const lane *x) {
  uint32_t at[WNN_MAX_RANK] = {0};
  uint64_t result = first_integer(op, x);
  do {
    result = take_integer(op, x->type, result, wnn_ref_load_bits(x->data, x->type, place(x, at)));
  } while (wnn_ref_next(&x->lanes->along, at));
  return result;
}

static webnn_status reduce(const wnn_node_view *node) {
  const wnn_reduce_attrs *attrs = node->attrs;
  const wnn_desc *desc = node->inputs[0].desc;
  void *y = node->outputs[0].data;
  wnn_ref_lanes lanes = wnn_ref_split_axes(desc, attrs->axes.data, attrs->axes.n);
  lane x = {node->inputs[0].data, desc->type, &lanes, 0};
  uint32_t at[WNN_MAX_RANK] = {0};
  size_t i = 0;
  do {
    x.base = wnn_ref_offset(lanes.kept.rank, lanes.kept_strides, at);
    if (wnn_type_is_float(x.type))
      wnn_ref_store_f(y, x.type, i, reduce_floats(node->op, &x));
    else
      wnn_ref_store_bits(y, x.type, i, reduce_integers(node->op, &x));
    i++;
  } while (wnn_ref_next(&lanes.kept, at));
  return WEBNN_OK;
}

/* True when element j beats element i: equal ones don't, so that the lowest index wins; the first
 * NaN beats all. */
static bool beats(const lane *x, bool want_max, size_t i, size_t j) {
  if (wnn_type_is_float(x->type)) {
    double a = wnn_ref_load_f(x->data, x->type, i), b = wnn_ref_load_f(x->data, x->type, j);
    if (a != a) return false;
    return b != b || (want_max ? b > a : b < a);
  }
  uint64_t a = wnn_ref_load_bits(x->data, x->type, i), b = wnn_ref_load_bits(x->data, x->type, j);
  return want_max ? less(x->type, a, b) : less(x->type, b, a);
}

static webnn_status arg(const wnn_node_view *node) {
  const wnn_arg_attrs *attrs = node->attrs;
  const wnn_desc *desc = node->inputs[0].desc;
  wnn_ref_lanes lanes = wnn_ref_split_axes(desc, &attrs->axis, 1);
  lane x = {node->inputs[0].data, desc->type, &lanes, 0};
  uint32_t at[WNN_MAX_RANK] = {0};
  size_t i = 0, stride = lanes.along_strides[0];
  do {
    size_t base = wnn_ref_offset(lanes.kept.rank, lanes.kept_strides, at), best = 0;
    for (size_t j = 1; j < lanes.along.dims[0]; j++)
      if (beats(&x, node->op == WNN_OP_ARG_MAX, base + best * stride, base + j * stride)) best = j;
    wnn_ref_store_bits(node->outputs[0].data, node->outputs[0].desc->type, i++, best);
  } while (wnn_ref_next(&lanes.kept, at));
  return WEBNN_OK;
}

/* One lane of `n` elements, from `first` on, `step` elements apart: negative when reversed. */
static void cumulate(const wnn_node_view *node, size_t first, ptrdiff_t step, size_t n,
                     bool exclusive) {
  const void *x = node->inputs[0].data;
  void *y = node->outputs[0].data;
  webnn_data_type type = node->inputs[0].desc->type;
  double sum = 0;
  uint64_t bits = 0;
  for (size_t i = 0, at = first; i < n; i++, at = (size_t)((ptrdiff_t)at + step)) {
    if (wnn_type_is_float(type)) {
      double value = wnn_ref_load_f(x, type, at);
      wnn_ref_store_f(y, type, at, exclusive ? sum : sum + value);
      sum += value;
    } else {
      uint64_t value = wnn_ref_load_bits(x, type, at);
      wnn_ref_store_bits(y, type, at, exclusive ? bits : bits + value);
      bits += value;
    }
  }
}

static webnn_status cumulative_sum(const wnn_node_view *node) {
  const wnn_cumulative_sum_attrs *attrs = node->attrs;
  wnn_ref_lanes lanes = wnn_ref_split_axes(node->inputs[0].desc, &attrs->axis, 1);
  uint32_t at[WNN_MAX_RANK] = {0};
  size_t n = lanes.along.dims[0], stride = lanes.along_strides[0];
  do {
    size_t base = wnn_ref_offset(lanes.kept.rank, lanes.kept_strides, at);
    if (attrs->reversed)
      cumulate(node, base + (n - 1) * stride, -(ptrdiff_t)stride, n, attrs->exclusive);
    else
      cumulate(node, base, (ptrdiff_t)stride, n, attrs->exclusive);
  } while (wnn_ref_next(&lanes.kept, at));
  return WEBNN_OK;
}

wnn_reference_fn wnn_reference_reduce(wnn_op_id op) {
  switch (op) {
    case WNN_OP_ARG_MIN:
    case WNN_OP_ARG_MAX: return arg;
    case WNN_OP_CUMULATIVE_SUM: return cumulative_sum;
    default: return wnn_op_is_reduction(op) ? reduce : NULL;
  }
}
