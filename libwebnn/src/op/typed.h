/* What the typed functions are made of: arguments and options as values, and the one call. */
#ifndef WNN_OP_TYPED_H
#define WNN_OP_TYPED_H

#include <webnn/ops.h>
#include "op/fields.h"

/* The defaults are in `own`; the caller's struct, which may be older and shorter, goes over them.
 */
static inline void take_options(void *own, size_t own_size, const void *given) {
  size_t size;
  if (given == NULL) return;
  memcpy(&size, given, sizeof size); /* `struct_size` comes first */
  memcpy(own, given, size < own_size ? size : own_size);
}

static inline webnn_value operand_value(const webnn_operand *x) {
  return (webnn_value){x == NULL ? 0 : WEBNN_FIELD_OPERAND, 0, {.operand = x}};
}

static inline webnn_value operands_value(const webnn_operand *const *x, size_t n) {
  return (webnn_value){WEBNN_FIELD_OPERANDS, n, {.operands = x}};
}

static inline webnn_value uint_value(uint32_t x) {
  return (webnn_value){WEBNN_FIELD_UINT, 0, {.u = x}};
}

static inline webnn_value int_value(int32_t x) {
  return (webnn_value){WEBNN_FIELD_INT, 0, {.i = x}};
}

/* A parameter: never absent. */
static inline webnn_value list_value(const uint32_t *x, size_t n) {
  return (webnn_value){WEBNN_FIELD_UINTS, n, {.us = x}};
}

static inline webnn_value list_or_count_value(const uint32_t *x, size_t n) {
  if (x == NULL) return uint_value(n > UINT32_MAX ? UINT32_MAX : (uint32_t)n);
  return list_value(x, n);
}

/* An option: NULL is absent. */
static inline webnn_value uints_value(const uint32_t *x, size_t n) {
  return (webnn_value){x == NULL ? 0 : WEBNN_FIELD_UINTS, n, {.us = x}};
}

static inline webnn_value floats_value(const double *x, size_t n) {
  return (webnn_value){x == NULL ? 0 : WEBNN_FIELD_FLOATS, n, {.floats = x}};
}

static inline webnn_value enums_value(const uint32_t *x, size_t n) {
  return (webnn_value){x == NULL ? 0 : WEBNN_FIELD_ENUMS, n, {.us = x}};
}

static inline webnn_value exact_value(webnn_number x) {
  return (webnn_value){x.kind == WEBNN_NUMBER_ABSENT ? 0 : WEBNN_FIELD_NUMBER, 0, {.number = x}};
}

static inline webnn_value double_value(double x) { return exact_value(wnn_number_f(x)); }

/* Options hold a number as double, or as webnn_number where 64-bit integers matter. */
#define NUMBER_VALUE(x) _Generic((x), double: double_value, webnn_number: exact_value)(x)

static inline webnn_value bool_value(bool x) {
  return (webnn_value){WEBNN_FIELD_BOOL, 0, {.b = x}};
}

static inline webnn_value enum_value(uint32_t x) {
  return (webnn_value){WEBNN_FIELD_ENUM, 0, {.e = x}};
}

static inline webnn_value data_type_value(webnn_data_type x) {
  return (webnn_value){WEBNN_FIELD_DATA_TYPE, 0, {.e = (uint32_t)x}};
}

static inline webnn_value label_value(webnn_str x) {
  return (webnn_value){WEBNN_FIELD_LABEL, 0, {.str = x}};
}

static inline webnn_status call(webnn_builder *builder, wnn_op_id op, const webnn_value *values,
                                size_t n_values, webnn_operand **out) {
  size_t n_outs = 1;
  *out = NULL;
  return webnn_builder_call(builder, wnn_op_get(op), values, n_values, out, &n_outs);
}

static inline webnn_status call_list(webnn_builder *builder, wnn_op_id op,
                                     const webnn_value *values, size_t n_values,
                                     webnn_operand **outs, size_t *n_outs) {
  for (size_t i = 0; i < *n_outs; i++) outs[i] = NULL;
  return webnn_builder_call(builder, wnn_op_get(op), values, n_values, outs, n_outs);
}

#endif
