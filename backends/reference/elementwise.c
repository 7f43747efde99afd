/* Element-wise operations without parameters of an activation: binary, comparison and logical,
 * unary, cast, clamp, linear, identity, where. */
#include "reference.h"

#include <math.h>

/* Unary: a function of a float, and one of an integer's 64 bits where the row takes integers. */
typedef struct unary_row {
  wnn_op_id op;
  double (*of_float)(double);
  uint64_t (*of_signed)(uint64_t);
} unary_row;

static double round_half(double x) { return (double)wnn_f16_to_f32(wnn_f16_from_f32((float)x)); }
static double reciprocal(double x) { return 1.0 / x; }
static double negate(double x) { return -x; }
/* NaN is in neither comparison: 0, as the text has it. */
static double sign(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; }

static uint64_t abs_signed(uint64_t x) { return wnn_ref_signed(x) < 0 ? 0 - x : x; }
static uint64_t neg_signed(uint64_t x) { return 0 - x; }
static uint64_t sign_signed(uint64_t x) {
  return wnn_ref_signed(x) > 0 ? 1 : wnn_ref_signed(x) < 0 ? UINT64_MAX : 0;
}

static const unary_row unary_rows[] = {
    {WNN_OP_ABS, fabs, abs_signed},
    {WNN_OP_CEIL, ceil, NULL},
    {WNN_OP_COS, cos, NULL},
    {WNN_OP_ERF, erf, NULL},
    {WNN_OP_EXP, exp, NULL},
    {WNN_OP_FLOOR, floor, NULL},
    {WNN_OP_LOG, log, NULL},
    {WNN_OP_NEG, negate, neg_signed},
    {WNN_OP_RECIPROCAL, reciprocal, NULL},
    {WNN_OP_ROUND_EVEN, nearbyint, NULL},
    {WNN_OP_ROUND_HALF, round_half, NULL},
    {WNN_OP_SIN, sin, NULL},
    {WNN_OP_SIGN, sign, sign_signed},
    {WNN_OP_SQRT, sqrt, NULL},
    {WNN_OP_TAN, tan, NULL},
};
#define N_UNARY (sizeof unary_rows / sizeof unary_rows[0])

static const unary_row *find_unary(wnn_op_id op) {
  for (size_t i = 0; i < N_UNARY; i++)
    if (unary_rows[i].op == op) return &unary_rows[i];
  return NULL;
}

static webnn_status unary(const wnn_node_view *node) {
  const unary_row *row = find_unary(node->op);
  const wnn_ref_input *x = &node->inputs[0];
  void *y = node->outputs[0].data;
  webnn_data_type type = x->desc->type;
  size_t n = wnn_desc_count(x->desc);
  for (size_t i = 0; i < n; i++) {
    if (wnn_type_is_float(type))
      wnn_ref_store_f(y, type, i, row->of_float(wnn_ref_load_f(x->data, type, i)));
    else
      wnn_ref_store_bits(y, type, i, row->of_signed(wnn_ref_load_bits(x->data, type, i)));
  }
  return WEBNN_OK;
}

/* Predicates of floats: uint8 out. */
static webnn_status float_predicate(const wnn_node_view *node) {
  const wnn_ref_input *x = &node->inputs[0];
  uint8_t *y = node->outputs[0].data;
  size_t n = wnn_desc_count(x->desc);
  for (size_t i = 0; i < n; i++) {
    double value = wnn_ref_load_f(x->data, x->desc->type, i);
    y[i] = node->op == WNN_OP_IS_NAN ? value != value : fabs(value) == (double)INFINITY;
  }
  return WEBNN_OK;
}

static webnn_status logical_not(const wnn_node_view *node) {
  const uint8_t *x = node->inputs[0].data;
  uint8_t *y = node->outputs[0].data;
  size_t n = wnn_desc_count(node->inputs[0].desc);
  for (size_t i = 0; i < n; i++) y[i] = x[i] == 0;
  return WEBNN_OK;
}

/* Binary: one function for each kind of number. */
typedef struct binary_row {
  wnn_op_id op;
  double (*of_float)(double, double);
  uint64_t (*of_signed)(uint64_t, uint64_t);
  uint64_t (*of_unsigned)(uint64_t, uint64_t);
} binary_row;

static double add(double a, double b) { return a + b; }
static double subtract(double a, double b) { return a - b; }
static double multiply(double a, double b) { return a * b; }
static double divide(double a, double b) { return a / b; }
/* A NaN on either side comes through. */
static double larger(double a, double b) { return a != a ? a : b != b ? b : a > b ? a : b; }
static double smaller(double a, double b) { return a != a ? a : b != b ? b : a < b ? a : b; }

static uint64_t add_bits(uint64_t a, uint64_t b) { return a + b; }
static uint64_t subtract_bits(uint64_t a, uint64_t b) { return a - b; }
static uint64_t multiply_bits(uint64_t a, uint64_t b) { return a * b; }

/* Towards zero; x / 0 is 0; the smallest by -1 wraps. */
static uint64_t divide_signed(uint64_t a, uint64_t b) {
  if (b == 0) return 0;
  if (b == UINT64_MAX) return 0 - a;
  return (uint64_t)(wnn_ref_signed(a) / wnn_ref_signed(b));
}
static uint64_t divide_unsigned(uint64_t a, uint64_t b) { return b == 0 ? 0 : a / b; }

static uint64_t larger_signed(uint64_t a, uint64_t b) {
  return wnn_ref_signed(a) > wnn_ref_signed(b) ? a : b;
}
static uint64_t smaller_signed(uint64_t a, uint64_t b) {
  return wnn_ref_signed(a) < wnn_ref_signed(b) ? a : b;
}
static uint64_t larger_unsigned(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t smaller_unsigned(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* By squaring, modulo 2^64 and so modulo every narrower width. */
static uint64_t power_unsigned(uint64_t base, uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1, base *= base)
    if (exponent & 1) result *= base;
  return result;
}

/* A negative exponent gives 0 unless the base is its own reciprocal. */
static uint64_t power_signed(uint64_t base, uint64_t exponent) {
  if (wnn_ref_signed(exponent) >= 0) return power_unsigned(base, exponent);
  if (base == 1) return 1;
  if (base == UINT64_MAX) return exponent & 1 ? UINT64_MAX : 1;
  return 0;
}

static const binary_row binary_rows[] = {
    {WNN_OP_ADD, add, add_bits, add_bits},
    {WNN_OP_SUB, subtract, subtract_bits, subtract_bits},
    {WNN_OP_MUL, multiply, multiply_bits, multiply_bits},
    {WNN_OP_DIV, divide, divide_signed, divide_unsigned},
    {WNN_OP_MAX, larger, larger_signed, larger_unsigned},
    {WNN_OP_MIN, smaller, smaller_signed, smaller_unsigned},
    {WNN_OP_POW, pow, power_signed, power_unsigned},
};
#define N_BINARY (sizeof binary_rows / sizeof binary_rows[0])

static const binary_row *find_binary(wnn_op_id op) {
  for (size_t i = 0; i < N_BINARY; i++)
    if (binary_rows[i].op == op) return &binary_rows[i];
  return NULL;
}

static webnn_status binary(const wnn_node_view *node) {
  const binary_row *row = find_binary(node->op);
  const wnn_ref_input *a = &node->inputs[0], *b = &node->inputs[1];
  const wnn_desc *out = node->outputs[0].desc;
  void *y = node->outputs[0].data;
  webnn_data_type type = out->type;
  uint64_t (*of_bits)(uint64_t, uint64_t) =
      wnn_type_is_signed(type) ? row->of_signed : row->of_unsigned;
  size_t strides_a[WNN_MAX_RANK], strides_b[WNN_MAX_RANK], i = 0;
  uint32_t at[WNN_MAX_RANK] = {0};
  wnn_broadcast_strides(a->desc, out, strides_a);
  wnn_broadcast_strides(b->desc, out, strides_b);
  do {
    size_t j = wnn_ref_offset(out->rank, strides_a, at),
           k = wnn_ref_offset(out->rank, strides_b, at);
    if (wnn_type_is_float(type))
      wnn_ref_store_f(
          y, type, i,
          row->of_float(wnn_ref_load_f(a->data, type, j), wnn_ref_load_f(b->data, type, k)));
    else
      wnn_ref_store_bits(
          y, type, i,
          of_bits(wnn_ref_load_bits(a->data, type, j), wnn_ref_load_bits(b->data, type, k)));
    i++;
  } while (wnn_ref_next(out, at));
  return WEBNN_OK;
}

/* How two elements stand: NaN stands to nothing. */
typedef enum order { LESS, SAME, MORE, UNORDERED } order;

static order compare_elements(webnn_data_type type, const void *a, size_t i, const void *b,
                              size_t j) {
  if (wnn_type_is_float(type)) {
    double x = wnn_ref_load_f(a, type, i), y = wnn_ref_load_f(b, type, j);
    return x < y ? LESS : x > y ? MORE : x == y ? SAME : UNORDERED;
  }
  uint64_t x = wnn_ref_load_bits(a, type, i), y = wnn_ref_load_bits(b, type, j);
  if (x == y) return SAME;
  if (wnn_type_is_signed(type)) return wnn_ref_signed(x) < wnn_ref_signed(y) ? LESS : MORE;
  return x < y ? LESS : MORE;
}

static bool holds(wnn_op_id op, order is) {
  switch (op) {
    case WNN_OP_EQUAL: return is == SAME;
    case WNN_OP_NOT_EQUAL: return is != SAME;
    case WNN_OP_GREATER: return is == MORE;
    case WNN_OP_GREATER_OR_EQUAL: return is == MORE || is == SAME;
    case WNN_OP_LESSER: return is == LESS;
    default: return is == LESS || is == SAME; /* lesserOrEqual */
  }
}

static bool logical(wnn_op_id op, bool a, bool b) {
  switch (op) {
    case WNN_OP_LOGICAL_AND: return a && b;
    case WNN_OP_LOGICAL_OR: return a || b;
    default: return a != b; /* logicalXor */
  }
}

static bool is_logical(wnn_op_id op) {
  return op == WNN_OP_LOGICAL_AND || op == WNN_OP_LOGICAL_OR || op == WNN_OP_LOGICAL_XOR;
}

static webnn_status compare(const wnn_node_view *node) {
  const wnn_ref_input *a = &node->inputs[0], *b = &node->inputs[1];
  const wnn_desc *out = node->outputs[0].desc;
  uint8_t *y = node->outputs[0].data;
  size_t strides_a[WNN_MAX_RANK], strides_b[WNN_MAX_RANK], i = 0;
  uint32_t at[WNN_MAX_RANK] = {0};
  wnn_broadcast_strides(a->desc, out, strides_a);
  wnn_broadcast_strides(b->desc, out, strides_b);
  do {
    size_t j = wnn_ref_offset(out->rank, strides_a, at),
           k = wnn_ref_offset(out->rank, strides_b, at);
    y[i++] = is_logical(node->op)
                 ? logical(node->op, ((const uint8_t *)a->data)[j] != 0,
                           ((const uint8_t *)b->data)[k] != 0)
                 : holds(node->op, compare_elements(a->desc->type, a->data, j, b->data, k));
  } while (wnn_ref_next(out, at));
  return WEBNN_OK;
}

/* Towards zero; beyond the type's range its end; NaN is 0. */
static uint64_t integer_from_float(double x, webnn_data_type type) {
  double low = (double)wnn_type_min(type), high = (double)wnn_type_max(type);
  if (x != x) return 0;
  x = trunc(x);
  if (x <= low) return (uint64_t)wnn_type_min(type);
  /* The largest of a 64-bit type rounds up to a power of two as a double, which is out of range
   * too. */
  if (x >= high) return wnn_type_max(type);
  return x < 0 ? 0 - (uint64_t)-x : (uint64_t)x;
}

/* From the integer itself: a 64-bit one must not be rounded twice on its way to float32. What is
 * too large for float16 is far below where double is inexact. */
static void store_integer_as_float(void *data, webnn_data_type type, size_t i, uint64_t bits,
                                   bool is_signed) {
  if (type == WEBNN_DATA_TYPE_FLOAT32)
    ((float *)data)[i] = is_signed ? (float)wnn_ref_signed(bits) : (float)bits;
  else
    wnn_ref_store_f(data, type, i, is_signed ? (double)wnn_ref_signed(bits) : (double)bits);
}

static webnn_status cast(const wnn_node_view *node) {
  const wnn_ref_input *x = &node->inputs[0];
  void *y = node->outputs[0].data;
  webnn_data_type from = x->desc->type, to = node->outputs[0].desc->type;
  size_t n = wnn_desc_count(x->desc);
  if (from == to) {
    memcpy(y, x->data, wnn_desc_bytes(x->desc));
    return WEBNN_OK;
  }
  for (size_t i = 0; i < n; i++) {
    if (wnn_type_is_float(from)) {
      double value = wnn_ref_load_f(x->data, from, i);
      if (wnn_type_is_float(to))
        wnn_ref_store_f(y, to, i, value);
      else
        wnn_ref_store_bits(y, to, i, integer_from_float(value, to));
    } else {
      uint64_t bits = wnn_ref_load_bits(x->data, from, i);
      if (wnn_type_is_float(to))
        store_integer_as_float(y, to, i, bits, wnn_type_is_signed(from));
      else
        wnn_ref_store_bits(y, to, i, bits);
    }
  }
  return WEBNN_OK;
}

/* min(max(x, low), high); a NaN is in no comparison and stays. */
static webnn_status clamp(const wnn_node_view *node) {
  const wnn_clamp_attrs *attrs = node->attrs;
  const wnn_ref_input *x = &node->inputs[0];
  void *y = node->outputs[0].data;
  webnn_data_type type = x->desc->type;
  size_t n = wnn_desc_count(x->desc);
  uint64_t low = attrs->min_value.as.u, high = attrs->max_value.as.u;
  for (size_t i = 0; i < n; i++) {
    if (wnn_type_is_float(type)) {
      double value = wnn_ref_load_f(x->data, type, i);
      if (value < attrs->min_value.as.f) value = attrs->min_value.as.f;
      if (value > attrs->max_value.as.f) value = attrs->max_value.as.f;
      wnn_ref_store_f(y, type, i, value);
    } else {
      uint64_t bits = wnn_ref_load_bits(x->data, type, i);
      bits = wnn_type_is_signed(type) ? smaller_signed(larger_signed(bits, low), high)
                                      : smaller_unsigned(larger_unsigned(bits, low), high);
      wnn_ref_store_bits(y, type, i, bits);
    }
  }
  return WEBNN_OK;
}

static webnn_status linear(const wnn_node_view *node) {
  const wnn_alpha_beta_attrs *attrs = node->attrs;
  const wnn_ref_input *x = &node->inputs[0];
  webnn_data_type type = x->desc->type;
  size_t n = wnn_desc_count(x->desc);
  for (size_t i = 0; i < n; i++)
    wnn_ref_store_f(node->outputs[0].data, type, i,
                    attrs->alpha.as.f * wnn_ref_load_f(x->data, type, i) + attrs->beta.as.f);
  return WEBNN_OK;
}

/* Also REORDER: a layout is the region's business, the elements stay. */
static webnn_status identity(const wnn_node_view *node) {
  memcpy(node->outputs[0].data, node->inputs[0].data, wnn_desc_bytes(node->inputs[0].desc));
  return WEBNN_OK;
}

/* Copies bytes: nothing of the side that isn't chosen leaks. */
static webnn_status where(const wnn_node_view *node) {
  const wnn_desc *out = node->outputs[0].desc;
  size_t strides[3][WNN_MAX_RANK], i = 0, n_bytes = webnn_data_type_bytes(out->type);
  uint32_t at[WNN_MAX_RANK] = {0};
  for (size_t k = 0; k < 3; k++) wnn_broadcast_strides(node->inputs[k].desc, out, strides[k]);
  do {
    const uint8_t *condition = node->inputs[0].data;
    size_t chosen = condition[wnn_ref_offset(out->rank, strides[0], at)] != 0 ? 1 : 2;
    wnn_ref_copy(node->outputs[0].data, i++, node->inputs[chosen].data,
                 wnn_ref_offset(out->rank, strides[chosen], at), n_bytes);
  } while (wnn_ref_next(out, at));
  return WEBNN_OK;
}

wnn_reference_fn wnn_reference_elementwise(wnn_op_id op) {
  if (find_unary(op) != NULL) return unary;
  if (find_binary(op) != NULL) return binary;
  switch (op) {
    case WNN_OP_EQUAL:
    case WNN_OP_NOT_EQUAL:
    case WNN_OP_GREATER:
    case WNN_OP_GREATER_OR_EQUAL:
    case WNN_OP_LESSER:
    case WNN_OP_LESSER_OR_EQUAL:
    case WNN_OP_LOGICAL_AND:
    case WNN_OP_LOGICAL_OR:
    case WNN_OP_LOGICAL_XOR: return compare;
    case WNN_OP_IS_NAN:
    case WNN_OP_IS_INFINITE: return float_predicate;
    case WNN_OP_LOGICAL_NOT: return logical_not;
    case WNN_OP_CAST: return cast;
    case WNN_OP_CLAMP: return clamp;
    case WNN_OP_LINEAR: return linear;
    case WNN_OP_IDENTITY:
    case WNN_OP_REORDER: return identity;
    case WNN_OP_WHERE: return where;
    default: return NULL;
  }
}
