#include "wpt_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <webnn/future.h>
#include <webnn/op.h>
#include <webnn/serial.h>

#define MAX_OUTPUTS 64

typedef struct wpt_block {
  struct wpt_block *next;
} wpt_block;

bool wpt_fail_status(wpt_trial *t, const char *what, const webnn_error *err) {
  return WPT_FAIL(t, "%s: %s: %s", what, webnn_status_name(err->status), err->message);
}

/* Zeroed memory until the test ends. */
static void *keep(wpt_trial *t, size_t n_bytes) {
  size_t header = 64; /* keeps what follows aligned for any element */
  wpt_block *fresh = calloc(1, header + n_bytes);
  if (fresh == NULL) {
    fprintf(stderr, "out of memory\n");
    exit(2);
  }
  fresh->next = t->blocks;
  t->blocks = fresh;
  return (char *)fresh + header;
}

static webnn_str str_of(const json *value) { return (webnn_str){value->text, value->size}; }
static webnn_str key_of(const json *value) { return (webnn_str){value->key, value->key_size}; }
static bool str_equal(webnn_str a, webnn_str b) {
  return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

wpt_named *wpt_find(wpt_trial *t, webnn_str name) {
  for (size_t i = 0; i < t->n_operands; i++)
    if (str_equal(t->operands[i].name, name)) return &t->operands[i];
  return NULL;
}

/* True when `member` of an object has this key. */
static bool is_name(const json *member, const char *name) {
  return str_equal(key_of(member), (webnn_str){name, strlen(name)});
}

static wpt_named *add_operand(wpt_trial *t, webnn_str name, const webnn_operand *operand) {
  if (t->n_operands == WPT_MAX_OPERANDS) return NULL;
  t->operands[t->n_operands] = (wpt_named){.name = name, .operand = operand};
  return &t->operands[t->n_operands++];
}

static bool find_type(const json *name, webnn_data_type *out) {
  for (*out = 0; webnn_data_type_name(*out) != NULL; ++*out)
    if (json_is(name, webnn_data_type_name(*out))) return true;
  return false;
}

/* Unsigned numbers of a list. */
static bool read_uints(wpt_trial *t, const json *list, const uint32_t **out, size_t *n) {
  if (list == NULL || list->kind != JSON_LIST) return false;
  uint32_t *uints = keep(t, (list->size + 1) * sizeof *uints);
  *out = uints;
  *n = list->size;
  for (const json *item = list->first; item != NULL; item = item->next) {
    webnn_number x;
    if (!elements_number(item, &x) || x.kind != WEBNN_NUMBER_INT64 || x.as.i < 0 ||
        x.as.i > UINT32_MAX)
      return false;
    *uints++ = (uint32_t)x.as.i;
  }
  return true;
}

static bool read_descriptor(wpt_trial *t, const json *tensor, webnn_descriptor *out) {
  if (!find_type(json_get(tensor, "dataType"), &out->data_type))
    return WPT_FAIL(t, "%.*s: no such data type", (int)tensor->key_size, tensor->key);
  if (!read_uints(t, json_get(tensor, "shape"), &out->shape, &out->rank))
    return WPT_FAIL(t, "%.*s: bad shape", (int)tensor->key_size, tensor->key);
  return true;
}

/* Values of a call. */

static bool index_of(const json *text, const char *const *names, uint32_t *out) {
  for (*out = 0; names != NULL && names[*out] != NULL; ++*out)
    if (json_is(text, names[*out])) return true;
  return false;
}

static bool read_enums(wpt_trial *t, const json *list, const webnn_field *field, webnn_value *out) {
  if (list->kind != JSON_LIST) return false;
  uint32_t *indices = keep(t, (list->size + 1) * sizeof *indices);
  out->as.us = indices;
  out->n = list->size;
  for (const json *item = list->first; item != NULL; item = item->next)
    if (!index_of(item, field->enum_values, indices++)) return false;
  return true;
}

static bool read_floats(wpt_trial *t, const json *list, webnn_value *out) {
  if (list->kind != JSON_LIST) return false;
  double *floats = keep(t, (list->size + 1) * sizeof *floats);
  out->as.floats = floats;
  out->n = list->size;
  for (const json *item = list->first; item != NULL; item = item->next) {
    if (item->kind != JSON_NUMBER) return false;
    *floats++ = strtod(item->text, NULL);
  }
  return true;
}

static bool read_operand(wpt_trial *t, const json *reference, const webnn_operand **out) {
  const json *name = json_get(reference, "operand");
  const wpt_named *found = name != NULL ? wpt_find(t, str_of(name)) : NULL;
  *out = found != NULL ? found->operand : NULL;
  return found != NULL;
}

static bool read_operands(wpt_trial *t, const json *list, webnn_value *out) {
  if (list->kind != JSON_LIST) return false;
  const webnn_operand **operands = keep(t, (list->size + 1) * sizeof *operands);
  out->as.operands = operands;
  out->n = list->size;
  for (const json *item = list->first; item != NULL; item = item->next)
    if (!read_operand(t, item, operands++)) return false;
  return true;
}

static bool read_whole(const json *value, int64_t low, int64_t high, int64_t *out) {
  webnn_number x;
  if (!elements_number(value, &x) || x.kind != WEBNN_NUMBER_INT64 || x.as.i < low || x.as.i > high)
    return false;
  *out = x.as.i;
  return true;
}

static bool read_value(wpt_trial *t, const webnn_field *field, const json *value,
                       webnn_value *out) {
  int64_t whole = 0;
  webnn_data_type type = 0;
  bool ok = false;
  *out = (webnn_value){.kind = field->kind};
  if (field->kind == WEBNN_FIELD_UINT_OR_UINTS)
    out->kind = value->kind == JSON_LIST ? WEBNN_FIELD_UINTS : WEBNN_FIELD_UINT;
  switch (out->kind) {
    case WEBNN_FIELD_OPERAND: return read_operand(t, value, &out->as.operand);
    case WEBNN_FIELD_OPERANDS: return read_operands(t, value, out);
    case WEBNN_FIELD_UINTS: return read_uints(t, value, &out->as.us, &out->n);
    case WEBNN_FIELD_FLOATS: return read_floats(t, value, out);
    case WEBNN_FIELD_ENUM: return index_of(value, field->enum_values, &out->as.e);
    case WEBNN_FIELD_ENUMS: return read_enums(t, value, field, out);
    case WEBNN_FIELD_NUMBER: return elements_number(value, &out->as.number);
    case WEBNN_FIELD_BOOL:
      out->as.b = value->kind == JSON_TRUE;
      return value->kind == JSON_TRUE || value->kind == JSON_FALSE;
    case WEBNN_FIELD_UINT:
      ok = read_whole(value, 0, UINT32_MAX, &whole);
      out->as.u = (uint32_t)whole;
      return ok;
    case WEBNN_FIELD_INT:
      ok = read_whole(value, INT32_MIN, INT32_MAX, &whole);
      out->as.i = (int32_t)whole;
      return ok;
    case WEBNN_FIELD_DATA_TYPE:
      ok = find_type(value, &type);
      out->as.e = type;
      return ok;
    default: return false;
  }
}

/* Puts the members of `args` or `options` where the table says. */
static bool read_values(wpt_trial *t, const webnn_op *op, const json *members, webnn_value *values,
                        size_t *n) {
  for (const json *member = members != NULL ? members->first : NULL; member != NULL;
       member = member->next) {
    size_t i = 0;
    const webnn_field *field;
    while ((field = webnn_op_field(op, i)) != NULL && !is_name(member, field->spec_name)) i++;
    if (field == NULL || i >= WEBNN_MAX_FIELDS)
      return WPT_FAIL(t, "%s has no field %.*s", webnn_op_spec_name(op), (int)member->key_size,
                      member->key);
    if (!read_value(t, field, member, &values[i]))
      return WPT_FAIL(t, "%s: bad value of %s", webnn_op_spec_name(op), field->spec_name);
    if (i >= *n) *n = i + 1;
  }
  return true;
}

/* Building. */

static bool add_operator(wpt_trial *t, const json *step) {
  const json *name = json_get(step, "op"), *results = json_get(step, "outputs");
  const webnn_op *op = name != NULL ? webnn_op_find(name->text) : NULL;
  webnn_value values[WEBNN_MAX_FIELDS] = {{0}};
  webnn_operand *outs[MAX_OUTPUTS];
  size_t n_values = 0, n_outs = MAX_OUTPUTS, i = 0;
  if (op == NULL || results == NULL) return WPT_FAIL(t, "no such operation");
  if (!read_values(t, op, json_get(step, "args"), values, &n_values)) return false;
  if (!read_values(t, op, json_get(step, "options"), values, &n_values)) return false;
  if (webnn_builder_call(t->builder, op, values, n_values, outs, &n_outs) != WEBNN_OK)
    return wpt_fail_status(t, webnn_op_spec_name(op), webnn_builder_error(t->builder));
  if (n_outs != results->size)
    return WPT_FAIL(t, "%s has %zu outputs, expected %zu", webnn_op_spec_name(op), n_outs,
                    results->size);
  for (const json *result = results->first; result != NULL; result = result->next)
    if (add_operand(t, str_of(result), outs[i++]) == NULL) return WPT_FAIL(t, "too many operands");
  return true;
}

static bool add_input(wpt_trial *t, const json *input) {
  webnn_descriptor descriptor;
  webnn_operand *operand;
  if (!read_descriptor(t, input, &descriptor)) return false;
  size_t n_bytes = elements_bytes(&descriptor);
  void *data = keep(t, n_bytes);
  const char *problem = elements_fill(data, descriptor.data_type, elements_count(&descriptor),
                                      json_get(input, "data"));
  if (problem != NULL) return WPT_FAIL(t, "%.*s: %s", (int)input->key_size, input->key, problem);
  const json *constant = json_get(input, "constant");
  bool is_constant =
      t->leaves == WPT_LEAVES_CONSTANTS ||
      (t->leaves == WPT_LEAVES_AS_GIVEN && constant != NULL && constant->kind == JSON_TRUE);
  webnn_status status =
      is_constant ? webnn_builder_constant(t->builder, &descriptor, data, n_bytes, &operand)
                  : webnn_builder_input(t->builder, key_of(input), &descriptor, &operand);
  if (status != WEBNN_OK) return wpt_fail_status(t, "input", webnn_builder_error(t->builder));
  wpt_named *added = add_operand(t, key_of(input), operand);
  if (added == NULL) return WPT_FAIL(t, "too many operands");
  added->data = data;
  added->n_bytes = n_bytes;
  return true;
}

static bool same_descriptor(const webnn_descriptor *a, const webnn_descriptor *b) {
  if (a->data_type != b->data_type || a->rank != b->rank) return false;
  for (size_t i = 0; i < a->rank; i++)
    if (a->shape[i] != b->shape[i]) return false;
  return true;
}

static bool add_wanted(wpt_trial *t, const json *expected, webnn_named_operand *output) {
  wpt_wanted *w = &t->wanted[t->n_wanted];
  const wpt_named *found = wpt_find(t, key_of(expected));
  const json *signed_zero = json_get(t->test, "signedZero");
  if (found == NULL)
    return WPT_FAIL(t, "%.*s: no such operand", (int)expected->key_size, expected->key);
  *w = (wpt_wanted){.name = key_of(expected)};
  if (!read_descriptor(t, expected, &w->descriptor)) return false;
  webnn_descriptor built = webnn_operand_descriptor(found->operand);
  if (!same_descriptor(&built, &w->descriptor))
    return WPT_FAIL(t, "%.*s: shape or data type isn't the expected one", (int)w->name.size,
                    w->name.data);
  if (!elements_read_tolerance(json_get(expected, "tolerance"), &w->tolerance))
    return WPT_FAIL(t, "bad tolerance");
  w->tolerance.signed_zero = signed_zero != NULL && signed_zero->kind == JSON_TRUE;
  size_t n_bytes = elements_bytes(&w->descriptor);
  w->expected = keep(t, n_bytes);
  w->is = keep(t, n_bytes);
  const char *problem = elements_fill(w->expected, w->descriptor.data_type,
                                      elements_count(&w->descriptor), json_get(expected, "data"));
  if (problem != NULL) return WPT_FAIL(t, "%.*s: %s", (int)w->name.size, w->name.data, problem);
  *output = (webnn_named_operand){w->name, found->operand};
  t->n_wanted++;
  return true;
}

static bool build_graph(wpt_trial *t, const webnn_named_operand *outputs) {
  webnn_future *future;
  webnn_error err = {0};
  if (webnn_builder_build(t->builder, outputs, t->n_wanted, &future) != WEBNN_OK)
    return wpt_fail_status(t, "build", webnn_builder_error(t->builder));
  webnn_future_wait(future, -1);
  webnn_status status = webnn_future_result(future, &err);
  if (status == WEBNN_OK) t->graph = webnn_graph_retain(webnn_future_graph(future));
  webnn_future_release(future);
  return status == WEBNN_OK || wpt_fail_status(t, "build", &err);
}

/* A file in memory. */
typedef struct bytes {
  char *data;
  size_t n;
} bytes;

static bool append(void *ud, const void *data, size_t n_bytes) {
  bytes *file = ud;
  char *grown = realloc(file->data, file->n + n_bytes + 1);
  if (grown == NULL) return false;
  memcpy(grown + file->n, data, n_bytes);
  file->data = grown;
  file->n += n_bytes;
  return true;
}

/* The same outputs on a fresh builder, which has read what the first has written. */
static bool rebuild(wpt_trial *t, webnn_named_operand *outputs) {
  bytes file = {NULL, 0};
  webnn_builder *fresh = NULL;
  const webnn_named_operand *read = NULL;
  size_t n = 0;
  bool held = webnn_serial_write(t->builder, outputs, t->n_wanted, append, &file) == WEBNN_OK;
  if (!held) wpt_fail_status(t, "write", webnn_builder_error(t->builder));
  held = held && webnn_builder_create(t->context, &fresh, NULL) == WEBNN_OK;
  if (held && webnn_serial_read(fresh, file.data, file.n, &read, &n) != WEBNN_OK)
    held = wpt_fail_status(t, "read", webnn_builder_error(fresh));
  free(file.data);
  if (held && n != t->n_wanted) held = WPT_FAIL(t, "%zu outputs were read, %zu written", n, t->n_wanted);
  for (size_t i = 0; held && i < n; i++) {
    bool same = read[i].name.size == outputs[i].name.size &&
                memcmp(read[i].name.data, outputs[i].name.data, read[i].name.size) == 0;
    if (!same) held = WPT_FAIL(t, "output %zu has another name", i);
    outputs[i].operand = read[i].operand;
  }
  if (fresh != NULL) {
    webnn_builder_release(t->builder);
    t->builder = fresh;
  }
  return held;
}

bool wpt_build(wpt_trial *t) {
  const json *inputs = json_get(t->test, "inputs"), *operators = json_get(t->test, "operators");
  const json *expected = json_get(t->test, "expected");
  webnn_named_operand outputs[WPT_MAX_EXPECTED];
  webnn_error err = {0};
  if (inputs == NULL || operators == NULL || expected == NULL ||
      expected->size > WPT_MAX_EXPECTED || expected->size == 0)
    return WPT_FAIL(t, "not a test");
  if (webnn_builder_create(t->context, &t->builder, &err) != WEBNN_OK)
    return wpt_fail_status(t, "builder", &err);
  for (const json *input = inputs->first; input != NULL; input = input->next)
    if (!add_input(t, input)) return false;
  for (const json *step = operators->first; step != NULL; step = step->next)
    if (!add_operator(t, step)) return false;
  for (const json *output = expected->first; output != NULL; output = output->next)
    if (!add_wanted(t, output, &outputs[t->n_wanted])) return false;
  if (t->through_file && !rebuild(t, outputs)) return false;
  return build_graph(t, outputs);
}

void wpt_reset(wpt_trial *t) {
  webnn_graph_release(t->graph);
  webnn_builder_release(t->builder);
  while (t->blocks != NULL) {
    wpt_block *next = t->blocks->next;
    free(t->blocks);
    t->blocks = next;
  }
  *t = (wpt_trial){.context = t->context, .test = t->test, .through_file = t->through_file};
}
