/* From the values of a call to a checked node: owners, kinds and ranges, attributes with their
 * defaults, types and ranks, then the family's infer and the limits of what it gives. The only
 * place that knows where an attribute lies in its struct. */
#include "op/schema.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

static_assert(sizeof(webnn_input_operand_layout) == sizeof(uint32_t),
              "enumerations are stored as uint32_t");
static_assert(offsetof(wnn_split_attrs, n_splits) ==
                  offsetof(wnn_split_attrs, splits) + sizeof(wnn_uints),
              "the number form of UINT_OR_UINTS lies behind the list");

#define MAX_LIST \
  ((size_t)1 << 24) /* items that a list of an attribute may have: none needs as many */

/* One call being bound. */
typedef struct binding {
  wnn_infer in;
  const wnn_field *fields;
  size_t n_fields;
  const webnn_value *values;
  size_t n_values;
  const void *owner;
  wnn_operand_desc_fn desc_of;
  const webnn_operand **operands;
  const wnn_desc **descs;
  size_t n_operands;
} binding;

static const webnn_value absent;

static const webnn_value *value_of(const binding *call, size_t i) {
  const webnn_value *value = i < call->n_values ? &call->values[i] : &absent;
  return value->kind == WEBNN_FIELD_OPERAND && value->as.operand == NULL ? &absent : value;
}

static webnn_status fail_missing(binding *call, const wnn_field *field) {
  return wnn_fail(&call->in, WEBNN_ERROR_TYPE, "%s is missing", field->pub.spec_name);
}

/* The label first: every message shows it. */
static webnn_status bind_label(binding *call) {
  const webnn_value *value = value_of(call, call->n_fields - 1);
  if (value->kind == WEBNN_FIELD_LABEL) call->in.label = value->as.str;
  if (call->n_values > call->n_fields)
    return wnn_fail(&call->in, WEBNN_ERROR_TYPE, "%zu values given, expected at most %zu",
                    call->n_values, call->n_fields);
  return WEBNN_OK;
}

static bool is_operand(const wnn_field *field) {
  return field->pub.kind == WEBNN_FIELD_OPERAND || field->pub.kind == WEBNN_FIELD_OPERANDS;
}

static webnn_status bind_operand(binding *call, const char *name, const webnn_operand *operand) {
  const wnn_desc *desc = call->desc_of(call->owner, operand);
  if (desc == NULL)
    return wnn_fail(&call->in, WEBNN_ERROR_TYPE, "%s belongs to another builder", name);
  call->operands[call->n_operands] = operand;
  call->descs[call->n_operands++] = desc;
  return WEBNN_OK;
}

static webnn_status bind_operand_list(binding *call, const wnn_field *field,
                                      const webnn_value *value) {
  char name[64];
  if (value->kind == 0) return fail_missing(call, field);
  for (size_t i = 0; i < value->n; i++) {
    snprintf(name, sizeof name, "%s[%zu]", field->pub.spec_name, i);
    if (value->as.operands == NULL || value->as.operands[i] == NULL)
      return wnn_fail(&call->in, WEBNN_ERROR_TYPE, "%s is missing", name);
    webnn_status status = bind_operand(call, name, value->as.operands[i]);
    if (status != WEBNN_OK) return status;
  }
  return WEBNN_OK;
}

/* Room for the operands by position: a fixed number, or as many as the list has. */
static webnn_status make_room(binding *call) {
  size_t n = call->in.op->signature->n_operands;
  for (size_t i = 0; i < call->n_fields; i++) {
    const webnn_value *value = value_of(call, i);
    if (call->fields[i].pub.kind == WEBNN_FIELD_OPERANDS && value->kind == WEBNN_FIELD_OPERANDS)
      n = value->n;
  }
  if (n > MAX_LIST) return wnn_fail(&call->in, WEBNN_ERROR_TYPE, "%zu operands are too many", n);
  call->operands = wnn_arena_array(call->in.arena, n, sizeof *call->operands);
  call->descs = wnn_arena_array(call->in.arena, n, sizeof *call->descs);
  bool full = call->operands == NULL || call->descs == NULL;
  return full ? wnn_error_no_memory(call->in.err) : WEBNN_OK;
}

/* Every operand belongs to the builder; required ones are there. */
static webnn_status bind_operands(binding *call) {
  webnn_status status = make_room(call);
  for (size_t i = 0; i < call->n_fields && status == WEBNN_OK; i++) {
    const wnn_field *field = &call->fields[i];
    const webnn_value *value = value_of(call, i);
    if (!is_operand(field)) continue;
    if (value->kind != 0 && value->kind != field->pub.kind)
      status = wnn_fail(&call->in, WEBNN_ERROR_TYPE, "%s is no operand", field->pub.spec_name);
    else if (field->pub.kind == WEBNN_FIELD_OPERANDS)
      status = bind_operand_list(call, field, value);
    else if (value->kind != 0)
      status = bind_operand(call, field->pub.spec_name, value->as.operand);
    else if (field->pub.required)
      status = fail_missing(call, field);
    else
      call->n_operands++;
  }
  call->in.inputs = call->descs;
  call->in.n_inputs = call->n_operands;
  return status;
}

static uint32_t count_names(const char *const *names) {
  uint32_t n = 0;
  while (names[n] != NULL) n++;
  return n;
}

static webnn_status check_choice(binding *call, const wnn_field *field, uint32_t x, uint32_t n) {
  if (x < n) return WEBNN_OK;
  return wnn_fail(&call->in, WEBNN_ERROR_TYPE, "%s has no value number %u", field->pub.spec_name,
                  (unsigned)x);
}

static webnn_status check_list(binding *call, const wnn_field *field, const webnn_value *value) {
  const void *data =
      value->kind == WEBNN_FIELD_FLOATS ? (const void *)value->as.floats : value->as.us;
  if (value->n > MAX_LIST || (value->n > 0 && data == NULL))
    return wnn_fail(&call->in, WEBNN_ERROR_TYPE, "%s is no list of %zu items", field->pub.spec_name,
                    value->n);
  for (size_t i = 0; i < value->n; i++) {
    webnn_status status = WEBNN_OK;
    if (value->kind == WEBNN_FIELD_ENUMS)
      status = check_choice(call, field, value->as.us[i], count_names(field->pub.enum_values));
    else if (value->kind == WEBNN_FIELD_FLOATS && !(fabs(value->as.floats[i]) <= (double)FLT_MAX))
      status = wnn_fail(&call->in, WEBNN_ERROR_TYPE, "%s[%zu] is no finite float",
                        field->pub.spec_name, i);
    if (status != WEBNN_OK) return status;
  }
  return WEBNN_OK;
}

/* Spec: an MLNumber is an unrestricted double, other numbers are not. */
static webnn_status check_number(binding *call, const wnn_field *field, webnn_number number) {
  webnn_status status =
      check_choice(call, field, (uint32_t)number.kind, WEBNN_NUMBER_UINT64 + 1);
  if (status != WEBNN_OK || !field->pub.finite) return status;
  if (number.kind != WEBNN_NUMBER_DOUBLE || isfinite(number.as.f)) return WEBNN_OK;
  return wnn_fail(&call->in, WEBNN_ERROR_TYPE, "%s is %s, no finite number", field->pub.spec_name,
                  isnan(number.as.f) ? "NaN" : number.as.f > 0 ? "Infinity" : "-Infinity");
}

static const char *const kind_names[] = {
    [WEBNN_FIELD_OPERAND] = "an operand",
    [WEBNN_FIELD_OPERANDS] = "a list of operands",
    [WEBNN_FIELD_UINT] = "an unsigned number",
    [WEBNN_FIELD_INT] = "a signed number",
    [WEBNN_FIELD_UINTS] = "a list of unsigned numbers",
    [WEBNN_FIELD_UINT_OR_UINTS] = "an unsigned number or a list of them",
    [WEBNN_FIELD_NUMBER] = "a number",
    [WEBNN_FIELD_FLOATS] = "a list of numbers",
    [WEBNN_FIELD_BOOL] = "a boolean",
    [WEBNN_FIELD_ENUM] = "a name",
    [WEBNN_FIELD_ENUMS] = "a list of names",
    [WEBNN_FIELD_DATA_TYPE] = "a data type",
    [WEBNN_FIELD_LABEL] = "a string",
};

static const char *kind_name(webnn_field_kind kind) {
  size_t n = sizeof kind_names / sizeof kind_names[0];
  return (size_t)kind < n && kind_names[kind] != NULL ? kind_names[kind] : "of no known kind";
}

/* Kind, range and lists of a value that is there: what the specification leaves to its bindings. */
static webnn_status check_value(binding *call, const wnn_field *field, const webnn_value *value) {
  bool either = field->pub.kind == WEBNN_FIELD_UINT_OR_UINTS &&
                (value->kind == WEBNN_FIELD_UINT || value->kind == WEBNN_FIELD_UINTS);
  if (value->kind != field->pub.kind && !either)
    return wnn_fail(&call->in, WEBNN_ERROR_TYPE, "%s is %s, expected %s", field->pub.spec_name,
                    kind_name(value->kind), kind_name(field->pub.kind));
  switch (value->kind) {
    case WEBNN_FIELD_ENUM:
      return check_choice(call, field, value->as.e, count_names(field->pub.enum_values));
    case WEBNN_FIELD_DATA_TYPE: return check_choice(call, field, value->as.e, WNN_N_DATA_TYPES);
    case WEBNN_FIELD_NUMBER: return check_number(call, field, value->as.number);
    case WEBNN_FIELD_UINTS:
    case WEBNN_FIELD_ENUMS:
    case WEBNN_FIELD_FLOATS: return check_list(call, field, value);
    default: return WEBNN_OK;
  }
}

static webnn_status check_values(binding *call) {
  for (size_t i = 0; i < call->n_fields; i++) {
    const wnn_field *field = &call->fields[i];
    const webnn_value *value = value_of(call, i);
    webnn_status status = WEBNN_OK;
    if (is_operand(field)) continue;
    if (value->kind != 0)
      status = check_value(call, field, value);
    else if (field->pub.required)
      status = fail_missing(call, field);
    if (status != WEBNN_OK) return status;
  }
  return WEBNN_OK;
}

/* What an absent option is: the table's number; lists and numbers without one stay absent. */
static webnn_value default_value(const wnn_field *field) {
  webnn_value value = {.kind = field->pub.kind};
  double number = field->default_number.as.f;
  switch (field->pub.kind) {
    case WEBNN_FIELD_UINT: value.as.u = (uint32_t)number; break;
    case WEBNN_FIELD_INT: value.as.i = (int32_t)number; break;
    case WEBNN_FIELD_BOOL: value.as.b = number != 0; break;
    case WEBNN_FIELD_ENUM:
    case WEBNN_FIELD_DATA_TYPE: value.as.e = (uint32_t)number; break;
    case WEBNN_FIELD_NUMBER: value.as.number = field->default_number; break;
    default: value.kind = 0; break;
  }
  return value;
}

static bool store_list(wnn_arena *arena, void *attribute, const webnn_value *value) {
  bool floats = value->kind == WEBNN_FIELD_FLOATS;
  const void *data = floats ? (const void *)value->as.floats : value->as.us;
  void *copy = wnn_arena_copy(arena, data, value->n * (floats ? sizeof(double) : sizeof(uint32_t)));
  if (floats)
    *(wnn_floats *)attribute = (wnn_floats){copy, value->n, true};
  else
    *(wnn_uints *)attribute = (wnn_uints){copy, value->n, true};
  return copy != NULL;
}

/* Puts one value where the attributes have it; false when out of memory. */
static bool store_value(wnn_arena *arena, const wnn_field *field, const webnn_value *value,
                        webnn_data_type type, void *attrs) {
  char *attribute = (char *)attrs + field->offset;
  switch (value->kind) {
    case WEBNN_FIELD_UINT:
      if (field->pub.kind == WEBNN_FIELD_UINT_OR_UINTS) attribute += sizeof(wnn_uints);
      memcpy(attribute, &value->as.u, sizeof value->as.u);
      return true;
    case WEBNN_FIELD_INT: memcpy(attribute, &value->as.i, sizeof value->as.i); return true;
    case WEBNN_FIELD_BOOL: memcpy(attribute, &value->as.b, sizeof value->as.b); return true;
    case WEBNN_FIELD_ENUM:
    case WEBNN_FIELD_DATA_TYPE: memcpy(attribute, &value->as.e, sizeof value->as.e); return true;
    case WEBNN_FIELD_NUMBER: {
      webnn_number number = wnn_cast_number(value->as.number, type);
      memcpy(attribute, &number, sizeof number);
      return true;
    }
    case WEBNN_FIELD_UINTS:
    case WEBNN_FIELD_ENUMS:
    case WEBNN_FIELD_FLOATS: return store_list(arena, attribute, value);
    default: return true; /* absent lists are zero already */
  }
}

static webnn_status store_attributes(binding *call) {
  const wnn_signature *signature = call->in.op->signature;
  if (signature->attrs_bytes == 0) return WEBNN_OK;
  call->in.attrs = wnn_arena_get(call->in.arena, signature->attrs_bytes);
  if (call->in.attrs == NULL) return wnn_error_no_memory(call->in.err);
  webnn_data_type type = call->n_operands > 0 ? call->descs[0]->type : WEBNN_DATA_TYPE_FLOAT32;
  for (size_t i = 0; i < call->n_fields; i++) {
    const wnn_field *field = &call->fields[i];
    webnn_value value = *value_of(call, i);
    if (is_operand(field) || field->is_activation || field->pub.kind == WEBNN_FIELD_LABEL) continue;
    if (value.kind == 0) value = default_value(field);
    if (!store_value(call->in.arena, field, &value, type, call->in.attrs))
      return wnn_error_no_memory(call->in.err);
  }
  return WEBNN_OK;
}

static webnn_status check_required_operands(binding *call) {
  webnn_status status = WEBNN_OK;
  for (size_t i = 0; i < call->n_fields && status == WEBNN_OK; i++)
    if (is_operand(&call->fields[i]) && call->fields[i].pub.required)
      status = wnn_check_operand(&call->in, i);
  return status;
}

static webnn_status infer_outputs(binding *call) {
  webnn_status status = wnn_infer_outputs(&call->in, 1);
  if (status == WEBNN_OK) status = call->in.op->infer(&call->in);
  for (size_t i = 0; i < call->in.n_outputs && status == WEBNN_OK; i++)
    status = wnn_check_output(&call->in, i);
  return status;
}

/* As a call takes it: what became infinite in the type of its operand was a finite double. */
static webnn_number number_of(const wnn_field *field, const char *attribute) {
  webnn_number number;
  memcpy(&number, attribute, sizeof number);
  if (field->pub.finite && number.kind == WEBNN_NUMBER_DOUBLE && isinf(number.as.f))
    number.as.f = copysign(DBL_MAX, number.as.f);
  return number;
}

webnn_value wnn_attribute(const webnn_op *op, const void *attrs, size_t i) {
  const wnn_field *field = &op->signature->fields[i];
  webnn_value value = {.kind = field->pub.kind};
  const char *attribute = (const char *)attrs + field->offset;
  if (is_operand(field) || field->is_activation || field->pub.kind == WEBNN_FIELD_LABEL) return absent;
  switch (field->pub.kind) {
    case WEBNN_FIELD_UINT: memcpy(&value.as.u, attribute, sizeof value.as.u); break;
    case WEBNN_FIELD_INT: memcpy(&value.as.i, attribute, sizeof value.as.i); break;
    case WEBNN_FIELD_BOOL: memcpy(&value.as.b, attribute, sizeof value.as.b); break;
    case WEBNN_FIELD_ENUM:
    case WEBNN_FIELD_DATA_TYPE: memcpy(&value.as.e, attribute, sizeof value.as.e); break;
    case WEBNN_FIELD_NUMBER: value.as.number = number_of(field, attribute); break;
    case WEBNN_FIELD_FLOATS: {
      const wnn_floats *floats = (const wnn_floats *)(const void *)attribute;
      if (!floats->given) return absent;
      value.n = floats->n;
      value.as.floats = floats->data;
      break;
    }
    default: {
      const wnn_uints *uints = (const wnn_uints *)(const void *)attribute;
      if (field->pub.kind == WEBNN_FIELD_UINT_OR_UINTS) value.kind = WEBNN_FIELD_UINTS;
      value.n = uints->n;
      value.as.us = uints->data;
    }
  }
  return value;
}

webnn_status wnn_bind(const webnn_op *op, const webnn_value *values, size_t n_values,
                      const void *owner, wnn_operand_desc_fn desc_of, wnn_arena *arena,
                      const webnn_operand *const **operands, size_t *n_operands, wnn_bound *out,
                      webnn_error *err) {
  binding call = {
      .in = {.op = op, .arena = arena, .err = err},
      .fields = op->signature->fields,
      .n_fields = op->signature->n_fields,
      .values = values,
      .n_values = n_values,
      .owner = owner,
      .desc_of = desc_of,
  };
  webnn_str label;
  webnn_status status = bind_label(&call);
  if (status == WEBNN_OK) status = bind_operands(&call);
  if (status == WEBNN_OK) status = check_values(&call);
  if (status == WEBNN_OK) status = check_required_operands(&call);
  if (status == WEBNN_OK) status = store_attributes(&call);
  if (status == WEBNN_OK) status = infer_outputs(&call);
  if (status == WEBNN_OK && !wnn_arena_str(arena, call.in.label, &label))
    status = wnn_error_no_memory(err);
  if (status != WEBNN_OK) return status;
  *operands = call.operands;
  *n_operands = call.n_operands;
  *out = (wnn_bound){call.in.attrs, call.in.outputs, call.in.n_outputs, label};
  return WEBNN_OK;
}
