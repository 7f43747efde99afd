/* A builder's life, its inputs and constants. */
#include "graph/builder.h"

#include <string.h>
#include <webnn/context.h>
#include <webnn/future.h>
#include "base/floats.h"

webnn_status wnn_builder_create(webnn_context *context, const wnn_alloc *alloc,
                                webnn_builder **out) {
  *out = NULL;
  webnn_builder *builder = wnn_alloc_zeroed(alloc, sizeof *builder);
  if (builder == NULL) return WEBNN_ERROR_UNKNOWN;
  wnn_ref_init(&builder->ref);
  builder->context = webnn_context_retain(context);
  builder->alloc = *alloc;
  wnn_arena_init(&builder->arena, alloc);
  *out = builder;
  return WEBNN_OK;
}

webnn_builder *webnn_builder_retain(webnn_builder *builder) {
  if (builder != NULL) wnn_ref_retain(&builder->ref);
  return builder;
}

void wnn_builder_drop_constants(webnn_builder *builder) {
  for (wnn_leaf *c = builder->constants; c != NULL; c = c->next) {
    wnn_blob_release(c->operand.value.blob);
    c->operand.value.blob = NULL;
  }
}

void webnn_builder_release(webnn_builder *builder) {
  if (builder == NULL || !wnn_ref_release(&builder->ref)) return;
  webnn_context *context = builder->context;
  wnn_alloc alloc = builder->alloc;
  wnn_builder_drop_constants(builder);
  wnn_alloc_free(&alloc, builder->names, builder->n_slots * sizeof *builder->names);
  wnn_arena_reset(&builder->arena);
  wnn_alloc_free(&alloc, builder, sizeof *builder);
  webnn_context_release(context);
}

const webnn_error *webnn_builder_error(const webnn_builder *builder) { return &builder->err; }
webnn_error *wnn_builder_err(webnn_builder *builder) { return &builder->err; }
webnn_context *webnn_builder_context(const webnn_builder *builder) { return builder->context; }

webnn_descriptor webnn_operand_descriptor(const webnn_operand *operand) {
  return wnn_desc_public(&operand->value.desc);
}
webnn_str webnn_operand_label(const webnn_operand *operand) {
  return operand->value.kind == WNN_VALUE_INPUT ? operand->value.name : operand->label;
}
webnn_builder *webnn_operand_builder(const webnn_operand *operand) { return operand->builder; }

webnn_status wnn_builder_can_build(webnn_builder *builder, const char *what) {
  builder->err = (webnn_error){.status = WEBNN_OK};
  if (builder->built)
    return wnn_error_set(&builder->err, WEBNN_ERROR_INVALID_STATE,
                         "%s: the builder has built its graph already", what);
  if (!webnn_context_is_lost(builder->context)) return WEBNN_OK;
  const char *why = webnn_future_message(webnn_context_lost(builder->context));
  return wnn_error_set(&builder->err, WEBNN_ERROR_INVALID_STATE, "%s: the context is lost%s%s",
                       what, why[0] != '\0' ? ": " : "", why);
}

webnn_status wnn_builder_end(webnn_builder *builder, webnn_status status) {
  if (status != WEBNN_OK && !builder->nested)
    webnn_context_report_error(builder->context, &builder->err);
  return status;
}

/* ---- inputs */

static size_t name_hash(webnn_str name) {
  size_t hash = 14695981039346656037ull;
  for (size_t i = 0; i < name.size; i++)
    hash = (hash ^ (unsigned char)name.data[i]) * 1099511628211ull;
  return hash;
}

/* The slot of the name: the input that has it, or where it would go. `n_slots` is a power of two.
 */
static wnn_leaf **find_slot(wnn_leaf **names, size_t n_slots, webnn_str name) {
  size_t i = name_hash(name) & (n_slots - 1);
  while (names[i] != NULL && !wnn_str_equal(names[i]->operand.value.name, name))
    i = (i + 1) & (n_slots - 1);
  return &names[i];
}

static bool make_room_for_name(webnn_builder *builder) {
  if (2 * (builder->n_inputs + 1) <= builder->n_slots) return true;
  size_t n_slots = builder->n_slots ? 2 * builder->n_slots : 16;
  wnn_leaf **names = wnn_alloc_zeroed(&builder->alloc, n_slots * sizeof *names);
  if (names == NULL) return false;
  for (wnn_leaf *input = builder->inputs; input != NULL; input = input->next)
    *find_slot(names, n_slots, input->operand.value.name) = input;
  wnn_alloc_free(&builder->alloc, builder->names, builder->n_slots * sizeof *builder->names);
  builder->names = names;
  builder->n_slots = n_slots;
  return true;
}

static webnn_status check_input_name(webnn_builder *builder, webnn_str name) {
  webnn_error *err = &builder->err;
  if (name.size == 0) return wnn_error_set(err, WEBNN_ERROR_TYPE, "input: the name is empty");
  if (!wnn_utf8_valid(name))
    return wnn_error_set(err, WEBNN_ERROR_TYPE, "input: the name '%s' is not UTF-8",
                         wnn_quote(name).text);
  if (builder->n_slots != 0 && *find_slot(builder->names, builder->n_slots, name) != NULL)
    return wnn_error_set(err, WEBNN_ERROR_TYPE, "input: the name '%s' is taken",
                         wnn_quote(name).text);
  return WEBNN_OK;
}

static webnn_status add_input(webnn_builder *builder, webnn_str name,
                              const webnn_descriptor *descriptor, webnn_operand **out) {
  wnn_desc desc;
  webnn_status status = wnn_builder_can_build(builder, "input");
  if (status == WEBNN_OK) status = check_input_name(builder, name);
  if (status == WEBNN_OK) {
    char who[WNN_QUOTE_BYTES + 16] = "input '";
    strcat(strcat(who, wnn_quote(name).text), "'");
    status = wnn_desc_make(&desc, descriptor->data_type, descriptor->shape, descriptor->rank, who,
                           &builder->err);
  }
  if (status != WEBNN_OK) return status;

  wnn_leaf *input = wnn_arena_get(&builder->arena, sizeof *input);
  if (input == NULL || !make_room_for_name(builder)) return wnn_error_no_memory(&builder->err);
  input->operand =
      (webnn_operand){.value = {.desc = desc, .kind = WNN_VALUE_INPUT}, .builder = builder};
  if (!wnn_arena_str(&builder->arena, name, &input->operand.value.name))
    return wnn_error_no_memory(&builder->err);
  *find_slot(builder->names, builder->n_slots, input->operand.value.name) = input;
  if (builder->last_input != NULL)
    builder->last_input->next = input;
  else
    builder->inputs = input;
  builder->last_input = input;
  builder->n_inputs++;
  wnn_builder_own(builder, &input->operand);
  *out = &input->operand;
  return WEBNN_OK;
}

webnn_status webnn_builder_input(webnn_builder *builder, webnn_str name,
                                 const webnn_descriptor *descriptor, webnn_operand **out) {
  *out = NULL;
  return wnn_builder_end(builder, add_input(builder, name, descriptor, out));
}

/* ---- constants */

/* Takes the blob, also when it fails. */
static webnn_status add_constant(webnn_builder *builder, const wnn_desc *desc, wnn_blob *blob,
                                 webnn_operand **out) {
  wnn_leaf *constant = blob ? wnn_arena_get(&builder->arena, sizeof *constant) : NULL;
  if (constant == NULL) {
    wnn_blob_release(blob);
    return wnn_error_no_memory(&builder->err);
  }
  constant->operand = (webnn_operand){
      .value = {.desc = *desc, .kind = WNN_VALUE_CONSTANT, .blob = blob}, .builder = builder};
  constant->next = builder->constants;
  builder->constants = constant;
  wnn_builder_own(builder, &constant->operand);
  *out = &constant->operand;
  return WEBNN_OK;
}

webnn_status wnn_builder_constant_blob(webnn_builder *builder, const wnn_desc *desc, wnn_blob *blob,
                                       webnn_operand **out) {
  *out = NULL;
  return add_constant(builder, desc, wnn_blob_retain(blob), out);
}

static webnn_status check_constant(webnn_builder *builder, const webnn_descriptor *descriptor,
                                   const void *data, size_t n_bytes, wnn_desc *desc) {
  webnn_status status = wnn_builder_can_build(builder, "constant");
  if (status == WEBNN_OK)
    status = wnn_desc_make(desc, descriptor->data_type, descriptor->shape, descriptor->rank,
                           "constant", &builder->err);
  if (status != WEBNN_OK) return status;
  if (data == NULL || n_bytes != wnn_desc_bytes(desc))
    return wnn_error_set(&builder->err, WEBNN_ERROR_TYPE,
                         "constant: %s needs %zu bytes, %zu were given", wnn_desc_format(desc).text,
                         wnn_desc_bytes(desc), data ? n_bytes : (size_t)0);
  return WEBNN_OK;
}

webnn_status webnn_builder_constant(webnn_builder *builder, const webnn_descriptor *descriptor,
                                    const void *data, size_t n_bytes, webnn_operand **out) {
  wnn_desc desc;
  *out = NULL;
  webnn_status status = check_constant(builder, descriptor, data, n_bytes, &desc);
  if (status != WEBNN_OK) return wnn_builder_end(builder, status);
  wnn_blob *blob = wnn_blob_create_brief(&builder->alloc, n_bytes);
  if (blob != NULL) memcpy(wnn_blob_bytes(blob), data, n_bytes);
  return wnn_builder_end(builder, add_constant(builder, &desc, blob, out));
}

static void nothing_to_release(void *ud) { (void)ud; }

webnn_status webnn_builder_constant_mapped(webnn_builder *builder,
                                           const webnn_descriptor *descriptor, const void *data,
                                           size_t n_bytes, void (*release)(void *ud), void *ud,
                                           webnn_operand **out) {
  wnn_desc desc;
  *out = NULL;
  webnn_status status = check_constant(builder, descriptor, data, n_bytes, &desc);
  if (status != WEBNN_OK) return wnn_builder_end(builder, status);
  /* The release is armed only once nothing can fail any more: on failure the caller keeps the
   * bytes. */
  wnn_blob *blob = wnn_blob_wrap(&builder->alloc, data, n_bytes, nothing_to_release, NULL);
  status = add_constant(builder, &desc, blob, out);
  if (status == WEBNN_OK && release != NULL) {
    blob->release = release;
    blob->ud = ud;
  }
  return wnn_builder_end(builder, status);
}

static webnn_status add_number(webnn_builder *builder, webnn_data_type type, webnn_number value,
                               webnn_operand **out) {
  webnn_status status = wnn_builder_can_build(builder, "constant");
  if (status != WEBNN_OK) return status;
  if (webnn_data_type_name(type) == NULL)
    return wnn_error_set(&builder->err, WEBNN_ERROR_TYPE, "constant: no such data type (%d)",
                         (int)type);
  if (value.kind == WEBNN_NUMBER_ABSENT)
    return wnn_error_set(&builder->err, WEBNN_ERROR_TYPE, "constant: the value is missing");
  wnn_desc desc = wnn_desc_scalar(type);
  wnn_blob *blob = wnn_blob_create(&builder->alloc, webnn_data_type_bytes(type));
  if (blob != NULL) wnn_store_number(wnn_blob_bytes(blob), wnn_cast_number(value, type), type);
  return add_constant(builder, &desc, blob, out);
}

webnn_status webnn_builder_constant_number(webnn_builder *builder, webnn_data_type type,
                                           webnn_number value, webnn_operand **out) {
  wnn_float_mode before = wnn_float_mode_enter();
  *out = NULL;
  webnn_status status = add_number(builder, type, value, out);
  wnn_float_mode_leave(&before);
  return wnn_builder_end(builder, status);
}

/* ---- taking back */

size_t webnn_builder_n_operands(const webnn_builder *builder) { return builder->n_operands; }

/* Only the first `n` inputs stay; their names are put anew, for a table with gaps would not find
 * what stands behind. */
static void keep_inputs(webnn_builder *builder, size_t n) {
  wnn_leaf **end = &builder->inputs;
  builder->last_input = NULL;
  builder->n_inputs = n;
  memset(builder->names, 0, builder->n_slots * sizeof *builder->names);
  for (; n > 0; n--, end = &(*end)->next) {
    *find_slot(builder->names, builder->n_slots, (*end)->operand.value.name) = *end;
    builder->last_input = *end;
  }
  *end = NULL;
}

/* Their memory stays until the builder goes: somebody may hold one and use it, which is refused. */
void webnn_builder_take_back(webnn_builder *builder, size_t n_operands) {
  size_t n_inputs = builder->n_inputs;
  if (builder->built) return;
  while (builder->n_operands > n_operands) {
    webnn_operand *operand = builder->newest;
    if (operand->value.kind == WNN_VALUE_INPUT) n_inputs--;
    if (operand->value.kind == WNN_VALUE_CONSTANT) {
      wnn_blob_release(operand->value.blob);
      operand->value.blob = NULL;
      builder->constants = builder->constants->next;
    }
    operand->builder = NULL;
    builder->newest = operand->older;
    builder->n_operands--;
  }
  if (n_inputs != builder->n_inputs) keep_inputs(builder, n_inputs);
}
