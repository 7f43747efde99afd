/* Reads graph files. Nothing in them is trusted: every length, offset, name and id is checked, and each operation
 * goes through the same call as anybody's. */
#include "graph/builder.h"
#include "serial/json.h"
#include "serial/map.h"
#include "serial/tensors.h"
#include <string.h>
#include <webnn/op.h>
#include <webnn/serial.h>

#define MAX_OUTPUTS_OF_ONE 8192 /* split */
#define MAX_IDS ((uint64_t)1 << 24)

typedef struct loader {
  webnn_builder *builder;
  wnn_arena arena; /* of the reading alone */
  const char *data;  /* what follows the header */
  size_t n_data;
  wnn_mapping *mapping; /* whose bytes `data` are; NULL: they must be copied */
  const wnn_json *header, *structure;
  bool starved;             /* a value that was not read had no memory */
  webnn_operand **operands; /* by id */
  size_t n_ids;
} loader;

static webnn_status malformed(loader *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static webnn_status malformed(loader *l, const char *format, ...) {
  va_list args;
  webnn_error detail;
  va_start(args, format);
  wnn_error_setv(&detail, WEBNN_ERROR_OPERATION, format, args);
  va_end(args);
  return wnn_error_set(&l->builder->err, WEBNN_ERROR_OPERATION, "read: %.900s", detail.message);
}

static webnn_status no_memory(loader *l) { return wnn_error_no_memory(&l->builder->err); }

/* ---- the header */

static webnn_status read_json(loader *l, webnn_str text, const char *what, const wnn_json **out) {
  const char *why = NULL;
  *out = wnn_json_read(&l->arena, text, &why);
  if (*out == NULL && why == NULL) return no_memory(l);
  if (*out == NULL) return malformed(l, "the %s is no JSON: %s", what, why);
  return wnn_json_is(*out, WNN_JSON_OBJECT) ? WEBNN_OK : malformed(l, "the %s is no object", what);
}

static webnn_status read_header(loader *l, const char *data, size_t n_bytes) {
  uint64_t n = 0, version = 0;
  if (n_bytes < 8) return malformed(l, "the file has %zu bytes, too few for a header", n_bytes);
  for (size_t i = 0; i < 8; i++) n |= (uint64_t)(unsigned char)data[i] << (8 * i);
  if (n > n_bytes - 8)
    return malformed(l, "the header claims %llu bytes, the file has %zu behind it", (unsigned long long)n,
                     n_bytes - 8);
  webnn_status status = read_json(l, (webnn_str){data + 8, (size_t)n}, "header", &l->header);
  if (status != WEBNN_OK) return status;
  l->data = data + 8 + n;
  l->n_data = n_bytes - 8 - (size_t)n;
  const wnn_json *text = wnn_json_get(wnn_json_get(l->header, "__metadata__"), "webnn");
  if (!wnn_json_is(text, WNN_JSON_STRING)) return malformed(l, "the file holds tensors but no graph");
  status = read_json(l, text->text, "structure", &l->structure);
  if (status != WEBNN_OK) return status;
  if (!wnn_json_uint(wnn_json_get(l->structure, "version"), UINT64_MAX, &version))
    return malformed(l, "the version is missing");
  if (version != WNN_SERIAL_VERSION)
    return malformed(l, "the file has version %llu, this library reads version %d",
                     (unsigned long long)version, WNN_SERIAL_VERSION);
  return WEBNN_OK;
}

/* ---- values by id */

static webnn_status get_list(loader *l, const char *name, const wnn_json **out) {
  *out = wnn_json_get(l->structure, name);
  return wnn_json_is(*out, WNN_JSON_ARRAY) ? WEBNN_OK : malformed(l, "the list of %s is missing", name);
}

/* Room for all ids: one for each input, constant and output of an operation. */
static webnn_status make_ids(loader *l) {
  static const char *const lists[] = {"inputs", "constants", "operators"};
  uint64_t n = 0;
  for (size_t i = 0; i < 3; i++) {
    const wnn_json *list;
    webnn_status status = get_list(l, lists[i], &list);
    if (status != WEBNN_OK) return status;
    for (const wnn_json *item = list->first; item != NULL; item = item->next) {
      const wnn_json *outputs = wnn_json_get(item, "outputs");
      n += i < 2 ? 1 : wnn_json_is(outputs, WNN_JSON_ARRAY) ? outputs->n : 0;
    }
  }
  if (n > MAX_IDS) return malformed(l, "%llu operands are too many", (unsigned long long)n);
  l->n_ids = (size_t)n;
  l->operands = wnn_arena_array(&l->arena, l->n_ids, sizeof *l->operands);
  return l->operands != NULL ? WEBNN_OK : no_memory(l);
}

static webnn_status set_id(loader *l, const wnn_json *id, webnn_operand *operand) {
  uint64_t i;
  if (!wnn_json_uint(id, UINT64_MAX, &i) || i >= l->n_ids)
    return malformed(l, "an id is no number below %zu", l->n_ids);
  if (l->operands[i] != NULL) return malformed(l, "id %llu is there twice", (unsigned long long)i);
  l->operands[i] = operand;
  return WEBNN_OK;
}

static webnn_status get_id(loader *l, const wnn_json *id, const webnn_operand **out) {
  uint64_t i;
  if (!wnn_json_uint(id, UINT64_MAX, &i) || i >= l->n_ids || l->operands[i] == NULL)
    return malformed(l, "an operand is used that isn't there before");
  *out = l->operands[i];
  return WEBNN_OK;
}

/* ---- inputs and constants */

static webnn_status read_shape(loader *l, const wnn_json *shape, webnn_descriptor *desc, uint32_t *dims) {
  if (!wnn_json_is(shape, WNN_JSON_ARRAY) || shape->n > WNN_MAX_RANK)
    return malformed(l, "a shape is no list of at most %d numbers", WNN_MAX_RANK);
  desc->rank = 0;
  desc->shape = dims;
  for (const wnn_json *item = shape->first; item != NULL; item = item->next) {
    uint64_t dim;
    if (!wnn_json_uint(item, WNN_MAX_DIMENSION, &dim)) return malformed(l, "a dimension is no number");
    dims[desc->rank++] = (uint32_t)dim;
  }
  return WEBNN_OK;
}

static bool read_type(const wnn_json *name, const char *const *names, webnn_data_type *out) {
  for (int i = 0; i < WNN_N_DATA_TYPES && wnn_json_is(name, WNN_JSON_STRING); i++) {
    *out = (webnn_data_type)i;
    if (wnn_json_str_is(name->text, names ? names[i] : webnn_data_type_name(*out))) return true;
  }
  return false;
}

static webnn_status read_inputs(loader *l) {
  const wnn_json *list;
  webnn_status status = get_list(l, "inputs", &list);
  for (const wnn_json *item = status == WEBNN_OK ? list->first : NULL; item != NULL && status == WEBNN_OK;
       item = item->next) {
    const wnn_json *name = wnn_json_get(item, "name");
    uint32_t dims[WNN_MAX_RANK];
    webnn_descriptor desc;
    webnn_operand *operand = NULL;
    if (!wnn_json_is(name, WNN_JSON_STRING)) return malformed(l, "an input has no name");
    if (!read_type(wnn_json_get(item, "dataType"), NULL, &desc.data_type))
      return malformed(l, "input '%s' has no data type", wnn_quote(name->text).text);
    status = read_shape(l, wnn_json_get(item, "shape"), &desc, dims);
    if (status == WEBNN_OK) status = webnn_builder_input(l->builder, name->text, &desc, &operand);
    if (status == WEBNN_OK) status = set_id(l, wnn_json_get(item, "id"), operand);
  }
  return status;
}

/* The tensor's bytes: inside the data, of the length that the shape says. */
static webnn_status find_bytes(loader *l, const wnn_json *tensor, const wnn_desc *desc, const char **out) {
  const wnn_json *offsets = wnn_json_get(tensor, "data_offsets");
  uint64_t begin = 0, end = 0;
  bool held = wnn_json_is(offsets, WNN_JSON_ARRAY) && offsets->n == 2 &&
              wnn_json_uint(offsets->first, l->n_data, &begin) &&
              wnn_json_uint(offsets->first->next, l->n_data, &end) && begin <= end;
  if (!held || end - begin != wnn_desc_bytes(desc))
    return malformed(l, "the bytes of a constant %s aren't inside the file", wnn_desc_format(desc).text);
  *out = l->data + begin;
  return WEBNN_OK;
}

/* Smaller constants are copied: kernels read biases and the like at the run, which would keep the pages round them. */
#define MIN_MAPPED ((size_t)64 * 1024)

static webnn_status add_constant(loader *l, const webnn_descriptor *desc, const char *bytes, size_t n_bytes,
                                 webnn_operand **out) {
  bool aligned = (uintptr_t)bytes % webnn_data_type_bytes(desc->data_type) == 0;
  if (l->mapping == NULL || !aligned || n_bytes < MIN_MAPPED)
    return webnn_builder_constant(l->builder, desc, bytes, n_bytes, out);
  wnn_mapped_part *part = wnn_mapping_part(l->mapping, bytes, n_bytes);
  if (part == NULL) return no_memory(l);
  webnn_status status = webnn_builder_constant_mapped(l->builder, desc, bytes, n_bytes, wnn_mapped_part_release,
                                                      part, out);
  if (status != WEBNN_OK) wnn_mapped_part_release(part);
  return status;
}

static webnn_status read_constant(loader *l, const wnn_json *id) {
  char key[24];
  uint64_t number;
  uint32_t dims[WNN_MAX_RANK];
  webnn_descriptor desc;
  wnn_desc checked;
  const char *bytes = NULL;
  webnn_operand *operand = NULL;
  if (!wnn_json_uint(id, MAX_IDS, &number)) return malformed(l, "a constant has no id");
  wnn_text text = {.alloc = l->builder->alloc};
  wnn_text_uint(&text, number);
  if (text.failed) return no_memory(l);
  memcpy(key, text.data, text.n);
  key[text.n] = '\0';
  wnn_text_free(&text);
  const wnn_json *tensor = wnn_json_get(l->header, key);
  if (tensor == NULL) return malformed(l, "the tensor of constant %s is missing", key);
  if (!read_type(wnn_json_get(tensor, "dtype"), wnn_tensor_types, &desc.data_type))
    return malformed(l, "the tensor of constant %s has no data type of WebNN's", key);
  webnn_status status = read_shape(l, wnn_json_get(tensor, "shape"), &desc, dims);
  if (status == WEBNN_OK)
    status = wnn_desc_make(&checked, desc.data_type, dims, desc.rank, "constant", &l->builder->err);
  if (status == WEBNN_OK) status = find_bytes(l, tensor, &checked, &bytes);
  if (status == WEBNN_OK) status = add_constant(l, &desc, bytes, wnn_desc_bytes(&checked), &operand);
  return status == WEBNN_OK ? set_id(l, id, operand) : status;
}

static webnn_status read_constants(loader *l) {
  const wnn_json *list;
  webnn_status status = get_list(l, "constants", &list);
  for (const wnn_json *id = status == WEBNN_OK ? list->first : NULL; id != NULL && status == WEBNN_OK;
       id = id->next)
    status = read_constant(l, id);
  return status;
}

/* ---- operations */

static bool read_enum(const webnn_field *field, const wnn_json *name, uint32_t *out) {
  if (!wnn_json_is(name, WNN_JSON_STRING)) return false;
  for (*out = 0; field->enum_values[*out] != NULL; ++*out)
    if (wnn_json_str_is(name->text, field->enum_values[*out])) return true;
  return false;
}

static double as_double(webnn_number number) {
  if (number.kind == WEBNN_NUMBER_INT64) return (double)number.as.i;
  return number.kind == WEBNN_NUMBER_UINT64 ? (double)number.as.u : number.as.f;
}

/* A list in the reading's memory; false when an item is of the wrong kind. */
static bool read_items(loader *l, const webnn_field *field, const wnn_json *json, webnn_value *value) {
  bool floats = value->kind == WEBNN_FIELD_FLOATS;
  void *items = wnn_arena_array(&l->arena, json->n, floats ? sizeof(double) : sizeof(uint32_t));
  size_t i = 0;
  l->starved = items == NULL;
  if (items == NULL || json->kind != WNN_JSON_ARRAY) return false;
  for (const wnn_json *item = json->first; item != NULL; item = item->next, i++) {
    uint64_t u = 0;
    webnn_number number;
    if (floats) {
      if (!wnn_json_number(item, &number)) return false;
      ((double *)items)[i] = as_double(number);
      continue;
    }
    bool held = value->kind == WEBNN_FIELD_ENUMS ? read_enum(field, item, &((uint32_t *)items)[i])
                                                 : wnn_json_uint(item, UINT32_MAX, &u);
    if (!held) return false;
    if (value->kind != WEBNN_FIELD_ENUMS) ((uint32_t *)items)[i] = (uint32_t)u;
  }
  value->n = json->n;
  if (floats) value->as.floats = items;
  else value->as.us = items;
  return true;
}

static bool read_int(const wnn_json *json, int32_t *out) {
  webnn_number number;
  if (!wnn_json_is(json, WNN_JSON_NUMBER) || !wnn_json_number(json, &number)) return false;
  if (number.kind == WEBNN_NUMBER_UINT64 && number.as.u <= INT32_MAX) return *out = (int32_t)number.as.u, true;
  if (number.kind == WEBNN_NUMBER_INT64 && number.as.i >= INT32_MIN) return *out = (int32_t)number.as.i, true;
  return false;
}

/* A value that is no operand; false when it is of the wrong kind. */
static bool read_plain(loader *l, const webnn_field *field, const wnn_json *json, webnn_value *value) {
  uint64_t u = 0;
  webnn_data_type type;
  value->kind = field->kind;
  switch (field->kind) {
    case WEBNN_FIELD_UINT: {
      bool held = wnn_json_uint(json, UINT32_MAX, &u);
      value->as.u = (uint32_t)u;
      return held;
    }
    case WEBNN_FIELD_INT: return read_int(json, &value->as.i);
    case WEBNN_FIELD_BOOL: value->as.b = json->truth; return json->kind == WNN_JSON_BOOL;
    case WEBNN_FIELD_ENUM: return read_enum(field, json, &value->as.e);
    case WEBNN_FIELD_DATA_TYPE: {
      bool held = read_type(json, NULL, &type);
      value->as.e = held ? (uint32_t)type : 0;
      return held;
    }
    case WEBNN_FIELD_NUMBER: return wnn_json_number(json, &value->as.number);
    case WEBNN_FIELD_LABEL: value->as.str = json->text; return json->kind == WNN_JSON_STRING;
    case WEBNN_FIELD_UINT_OR_UINTS: value->kind = WEBNN_FIELD_UINTS; return read_items(l, field, json, value);
    default: return read_items(l, field, json, value);
  }
}

static webnn_status read_operand_list(loader *l, const wnn_json *json, webnn_value *value) {
  const webnn_operand **operands = wnn_arena_array(&l->arena, json->n, sizeof *operands);
  webnn_status status = operands != NULL ? WEBNN_OK : no_memory(l);
  size_t i = 0;
  for (const wnn_json *item = json->first; item != NULL && status == WEBNN_OK; item = item->next)
    status = get_id(l, item, &operands[i++]);
  value->kind = WEBNN_FIELD_OPERANDS;
  value->n = json->n;
  value->as.operands = operands;
  return status;
}

static webnn_status read_value(loader *l, const webnn_op *op, const webnn_field *field, const wnn_json *json,
                               webnn_value *value) {
  if (field->kind == WEBNN_FIELD_OPERAND) {
    value->kind = WEBNN_FIELD_OPERAND;
    return get_id(l, json, &value->as.operand);
  }
  if (field->kind == WEBNN_FIELD_OPERANDS && json->kind == WNN_JSON_ARRAY)
    return read_operand_list(l, json, value);
  if (field->kind != WEBNN_FIELD_OPERANDS && read_plain(l, field, json, value)) return WEBNN_OK;
  if (l->starved) return no_memory(l);
  return malformed(l, "%s: %s is of the wrong kind", webnn_op_name(op), field->spec_name);
}

/* The members of "args" or "options", each a field of the operation. */
static webnn_status read_values(loader *l, const webnn_op *op, const wnn_json *members, bool required,
                                webnn_value *values) {
  if (!wnn_json_is(members, WNN_JSON_OBJECT))
    return malformed(l, "%s: its arguments or options are missing", webnn_op_name(op));
  webnn_status status = WEBNN_OK;
  for (const wnn_json *member = members->first; member != NULL && status == WEBNN_OK; member = member->next) {
    const webnn_field *field = NULL;
    size_t i = 0;
    while ((field = webnn_op_field(op, i)) != NULL && !wnn_json_str_is(member->key, field->spec_name)) i++;
    if (field == NULL || field->required != required || values[i].kind != 0)
      return malformed(l, "%s: '%s' is no option of it, or there twice", webnn_op_name(op),
                       wnn_quote(member->key).text);
    status = read_value(l, op, field, member, &values[i]);
  }
  return status;
}

static webnn_status read_operator(loader *l, const wnn_json *item) {
  const wnn_json *name = wnn_json_get(item, "op"), *outputs = wnn_json_get(item, "outputs");
  char key[64] = "";
  webnn_value values[WEBNN_MAX_FIELDS] = {{0}};
  if (!wnn_json_is(name, WNN_JSON_STRING) || name->text.size >= sizeof key ||
      !wnn_json_is(outputs, WNN_JSON_ARRAY) || outputs->n == 0 || outputs->n > MAX_OUTPUTS_OF_ONE)
    return malformed(l, "an operation has no name or no outputs");
  memcpy(key, name->text.data, name->text.size);
  const webnn_op *op = webnn_op_find(key);
  if (op == NULL || strlen(key) != name->text.size)
    return malformed(l, "there is no operation '%s'", wnn_quote(name->text).text);
  webnn_status status = read_values(l, op, wnn_json_get(item, "args"), true, values);
  if (status == WEBNN_OK) status = read_values(l, op, wnn_json_get(item, "options"), false, values);
  if (status != WEBNN_OK) return status;
  size_t n_outs = outputs->n;
  webnn_operand **outs = wnn_arena_array(&l->arena, n_outs, sizeof *outs);
  if (outs == NULL) return no_memory(l);
  status = webnn_builder_call(l->builder, op, values, WEBNN_MAX_FIELDS < op->signature->n_fields
                                                          ? WEBNN_MAX_FIELDS
                                                          : op->signature->n_fields,
                              outs, &n_outs);
  if (status == WEBNN_OK && n_outs != outputs->n)
    return malformed(l, "%s: gives %zu operands, the file has %zu", webnn_op_name(op), n_outs, outputs->n);
  size_t i = 0;
  for (const wnn_json *id = outputs->first; id != NULL && status == WEBNN_OK; id = id->next)
    status = set_id(l, id, outs[i++]);
  return status;
}

static webnn_status read_operators(loader *l) {
  const wnn_json *list;
  webnn_status status = get_list(l, "operators", &list);
  for (const wnn_json *item = status == WEBNN_OK ? list->first : NULL; item != NULL && status == WEBNN_OK;
       item = item->next)
    status = read_operator(l, item);
  return status;
}

static webnn_status read_outputs(loader *l, const webnn_named_operand **outs, size_t *n_outs) {
  const wnn_json *list;
  webnn_status status = get_list(l, "outputs", &list);
  if (status != WEBNN_OK) return status;
  webnn_named_operand *named = wnn_arena_array(&l->builder->arena, list->n, sizeof *named);
  size_t n = 0;
  if (named == NULL) return no_memory(l);
  for (const wnn_json *item = list->first; item != NULL; item = item->next, n++) {
    const wnn_json *name = wnn_json_get(item, "name");
    if (!wnn_json_is(name, WNN_JSON_STRING)) return malformed(l, "an output has no name");
    status = get_id(l, wnn_json_get(item, "id"), &named[n].operand);
    if (status != WEBNN_OK) return status;
    if (!wnn_arena_str(&l->builder->arena, name->text, &named[n].name)) return no_memory(l);
  }
  *outs = named;
  *n_outs = n;
  return WEBNN_OK;
}

/* ---- the calls */

static webnn_status load(webnn_builder *builder, const char *data, size_t n_bytes, wnn_mapping *mapping,
                         const webnn_named_operand **outs, size_t *n_outs) {
  loader l = {.builder = builder, .mapping = mapping};
  const size_t before = webnn_builder_n_operands(builder);
  wnn_arena_init(&l.arena, &builder->alloc);
  webnn_status status = wnn_builder_can_build(builder, "read");
  if (status == WEBNN_OK) status = read_header(&l, data, n_bytes);
  if (status == WEBNN_OK) status = make_ids(&l);
  if (status == WEBNN_OK) status = read_inputs(&l);
  if (status == WEBNN_OK) status = read_constants(&l);
  if (status == WEBNN_OK) status = read_operators(&l);
  if (status == WEBNN_OK) status = read_outputs(&l, outs, n_outs);
  wnn_arena_reset(&l.arena);
  if (status != WEBNN_OK) webnn_builder_take_back(builder, before);
  return status;
}

webnn_status webnn_serial_read(webnn_builder *builder, const void *data, size_t n_bytes,
                               const webnn_named_operand **outs, size_t *n_outs) {
  *outs = NULL;
  *n_outs = 0;
  builder->nested = true;
  webnn_status status = load(builder, data, n_bytes, NULL, outs, n_outs);
  builder->nested = false;
  return wnn_builder_end(builder, status);
}

webnn_status webnn_serial_read_file(webnn_builder *builder, const char *path,
                                    const webnn_named_operand **outs, size_t *n_outs) {
  *outs = NULL;
  *n_outs = 0;
  wnn_mapping *mapping = NULL;
  webnn_status status = wnn_builder_can_build(builder, "read");
  if (status == WEBNN_OK) status = wnn_mapping_open(path, &builder->alloc, &mapping, &builder->err);
  builder->nested = true;
  if (status == WEBNN_OK) status = load(builder, mapping->data, mapping->n_bytes, mapping, outs, n_outs);
  builder->nested = false;
  wnn_mapping_release(mapping);
  return wnn_builder_end(builder, status);
}
