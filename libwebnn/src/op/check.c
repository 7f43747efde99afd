/* Operands against the table: element types and ranks; and how failures of an operation are worded.
 */
#include "op/infer.h"

#include <stdio.h>
#include <string.h>

wnn_call_text wnn_call_format(const webnn_op *op, webnn_str label) {
  wnn_call_text out;
  if (label.size == 0)
    snprintf(out.text, sizeof out.text, "%s", op->name);
  else
    snprintf(out.text, sizeof out.text, "[%s] %s", wnn_quote(label).text, op->name);
  return out;
}

webnn_status wnn_fail(wnn_infer *in, webnn_status status, const char *format, ...) {
  webnn_error text;
  va_list args;
  va_start(args, format);
  wnn_error_setv(&text, status, format, args);
  va_end(args);
  return wnn_error_set(in->err, status, "%s: %s", wnn_call_format(in->op, in->label).text,
                       text.message);
}

webnn_status wnn_fail_pair(wnn_infer *in, size_t a, size_t b, const char *what) {
  return wnn_fail(in, WEBNN_ERROR_TYPE, "%s is %s, %s is %s: %s",
                  wnn_operand_field(in, a)->pub.spec_name, wnn_desc_format(in->inputs[a]).text,
                  wnn_operand_field(in, b)->pub.spec_name, wnn_desc_format(in->inputs[b]).text,
                  what);
}

webnn_status wnn_infer_outputs(wnn_infer *in, size_t n) {
  in->outputs = wnn_arena_array(in->arena, n, sizeof *in->outputs);
  in->n_outputs = in->outputs == NULL ? 0 : n;
  return in->outputs == NULL ? wnn_error_no_memory(in->err) : WEBNN_OK;
}

webnn_status wnn_infer_list(wnn_infer *in, wnn_uints *list, const uint32_t *data, size_t n) {
  list->data = wnn_arena_copy(in->arena, data, n * sizeof *data);
  list->n = list->data == NULL ? 0 : n;
  return list->data == NULL ? wnn_error_no_memory(in->err) : WEBNN_OK;
}

webnn_status wnn_check_output(wnn_infer *in, size_t i) {
  const wnn_desc *desc = &in->outputs[i];
  wnn_desc made;
  if (wnn_desc_make(&made, desc->type, desc->dims, desc->rank, "", NULL) == WEBNN_OK)
    return WEBNN_OK;
  wnn_call_text who = wnn_call_format(in->op, in->label);
  size_t at = strlen(who.text);
  if (in->n_outputs == 1)
    snprintf(who.text + at, sizeof who.text - at, ": output");
  else
    snprintf(who.text + at, sizeof who.text - at, ": output %zu", i);
  return wnn_desc_make(&made, desc->type, desc->dims, desc->rank, who.text, in->err);
}

/* "float32, float16" */
typedef struct types_text {
  char text[96];
} types_text;

static types_text format_types(uint32_t types) {
  types_text out = {""};
  size_t at = 0;
  for (unsigned i = 0; i < WNN_N_DATA_TYPES; i++)
    if (types >> i & 1)
      at += (size_t)snprintf(out.text + at, sizeof out.text - at, at ? ", %s" : "%s",
                             webnn_data_type_name((webnn_data_type)i));
  return out;
}

static webnn_status check_type(wnn_infer *in, const wnn_field *field, const char *name,
                               size_t position) {
  uint32_t allowed = wnn_field_types(in->op, field).allowed;
  webnn_data_type type = in->inputs[position]->type;
  if (allowed >> (unsigned)type & 1) return WEBNN_OK;
  return wnn_fail(in, WEBNN_ERROR_TYPE, "%s is %s, expected %s", name,
                  wnn_desc_format(in->inputs[position]).text, format_types(allowed).text);
}

static webnn_status check_rank(wnn_infer *in, const wnn_field *field, const char *name,
                               size_t position) {
  uint32_t rank = in->inputs[position]->rank;
  if (rank >= field->min_rank && rank <= field->max_rank) return WEBNN_OK;
  const char *bound = field->min_rank == field->max_rank ? ""
                      : rank < field->min_rank           ? "at least "
                                                         : "at most ";
  return wnn_fail(in, WEBNN_ERROR_TYPE, "%s has rank %u, expected %s%u", name, (unsigned)rank,
                  bound, (unsigned)(rank < field->min_rank ? field->min_rank : field->max_rank));
}

static size_t operand_position(const wnn_signature *signature, size_t field) {
  size_t position = 0;
  for (size_t i = 0; i < field; i++)
    position += signature->fields[i].pub.kind == WEBNN_FIELD_OPERAND;
  return position;
}

static webnn_status check_list(wnn_infer *in, const wnn_field *field) {
  char name[64];
  for (size_t i = 0; i < in->n_inputs; i++) {
    snprintf(name, sizeof name, "%s[%zu]", field->pub.spec_name, i);
    webnn_status status = check_type(in, field, name, i);
    if (status == WEBNN_OK) status = check_rank(in, field, name, i);
    if (status != WEBNN_OK) return status;
  }
  return WEBNN_OK;
}

webnn_status wnn_check_operand(wnn_infer *in, size_t index) {
  const wnn_signature *signature = in->op->signature;
  const wnn_field *field = &signature->fields[index];
  if (field->pub.kind == WEBNN_FIELD_OPERANDS) return check_list(in, field);
  size_t position = operand_position(signature, index);
  if (in->inputs[position] == NULL) return WEBNN_OK;
  if (field->same_type_as != WNN_NO_FIELD) {
    size_t other = operand_position(signature, field->same_type_as);
    if (in->inputs[other]->type != in->inputs[position]->type)
      return wnn_fail_pair(in, other, position, "types differ");
  }
  webnn_status status = check_type(in, field, field->pub.spec_name, position);
  return status != WEBNN_OK ? status : check_rank(in, field, field->pub.spec_name, position);
}
