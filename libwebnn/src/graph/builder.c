/* Builders: each call checks, infers and appends one node; a build freezes what its outputs need. */
#include "graph/builder.h"

#include "base/ref.h"
#include <string.h>
#include <webnn/context.h>

struct webnn_builder {
  wnn_ref ref;
  webnn_context *context; /* retained */
  wnn_alloc alloc;
  wnn_arena arena;
  webnn_error err;
  bool built;
  size_t n_inputs;
  struct input *inputs, *last_input; /* in the order of their making */
  struct input **names;              /* hash table by name: names stay fast however many there are */
  size_t n_slots;
  struct constant *constants; /* all blobs, to be released */
};

struct input {
  webnn_operand operand;
  struct input *next;
};

struct constant {
  webnn_operand operand;
  struct constant *next;
};

webnn_status wnn_builder_create(webnn_context *context, const wnn_alloc *alloc, webnn_builder **out) {
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

static void drop_constants(webnn_builder *builder) {
  for (struct constant *c = builder->constants; c != NULL; c = c->next) {
    wnn_blob_release(c->operand.value.blob);
    c->operand.value.blob = NULL;
  }
}

void webnn_builder_release(webnn_builder *builder) {
  if (builder == NULL || !wnn_ref_release(&builder->ref)) return;
  webnn_context *context = builder->context;
  wnn_alloc alloc = builder->alloc;
  drop_constants(builder);
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
  if (webnn_context_is_lost(builder->context))
    return wnn_error_set(&builder->err, WEBNN_ERROR_INVALID_STATE, "%s: the context is lost", what);
  return WEBNN_OK;
}

/* ---- inputs */

static size_t name_hash(webnn_str name) {
  size_t hash = 14695981039346656037ull;
  for (size_t i = 0; i < name.size; i++) hash = (hash ^ (unsigned char)name.data[i]) * 1099511628211ull;
  return hash;
}

static bool str_equal(webnn_str a, webnn_str b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* The slot of the name: the input that has it, or where it would go. `n_slots` is a power of two. */
static struct input **find_slot(struct input **names, size_t n_slots, webnn_str name) {
  size_t i = name_hash(name) & (n_slots - 1);
  while (names[i] != NULL && !str_equal(names[i]->operand.value.name, name)) i = (i + 1) & (n_slots - 1);
  return &names[i];
}

static bool make_room_for_name(webnn_builder *builder) {
  if (2 * (builder->n_inputs + 1) <= builder->n_slots) return true;
  size_t n_slots = builder->n_slots ? 2 * builder->n_slots : 16;
  struct input **names = wnn_alloc_zeroed(&builder->alloc, n_slots * sizeof *names);
  if (names == NULL) return false;
  for (struct input *input = builder->inputs; input != NULL; input = input->next)
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
    return wnn_error_set(err, WEBNN_ERROR_TYPE, "input: the name '%s' is not UTF-8", wnn_quote(name).text);
  if (builder->n_slots != 0 && *find_slot(builder->names, builder->n_slots, name) != NULL)
    return wnn_error_set(err, WEBNN_ERROR_TYPE, "input: the name '%s' is taken", wnn_quote(name).text);
  return WEBNN_OK;
}

webnn_status webnn_builder_input(webnn_builder *builder, webnn_str name, const webnn_descriptor *descriptor,
                                 webnn_operand **out) {
  wnn_desc desc;
  *out = NULL;
  webnn_status status = wnn_builder_can_build(builder, "input");
  if (status == WEBNN_OK) status = check_input_name(builder, name);
  if (status == WEBNN_OK) {
    char who[WNN_QUOTE_BYTES + 16] = "input '";
    strcat(strcat(who, wnn_quote(name).text), "'");
    status = wnn_desc_make(&desc, descriptor->data_type, descriptor->shape, descriptor->rank, who,
                           &builder->err);
  }
  if (status != WEBNN_OK) return status;

  struct input *input = wnn_arena_get(&builder->arena, sizeof *input);
  if (input == NULL || !make_room_for_name(builder)) return wnn_error_no_memory(&builder->err);
  input->operand = (webnn_operand){.value = {.desc = desc, .kind = WNN_VALUE_INPUT}, .builder = builder};
  if (!wnn_arena_str(&builder->arena, name, &input->operand.value.name))
    return wnn_error_no_memory(&builder->err);
  *find_slot(builder->names, builder->n_slots, input->operand.value.name) = input;
  if (builder->last_input != NULL) builder->last_input->next = input;
  else builder->inputs = input;
  builder->last_input = input;
  builder->n_inputs++;
  *out = &input->operand;
  return WEBNN_OK;
}

/* ---- constants */

/* Takes the blob, also when it fails. */
static webnn_status add_constant(webnn_builder *builder, const wnn_desc *desc, wnn_blob *blob,
                                 webnn_operand **out) {
  struct constant *constant = blob ? wnn_arena_get(&builder->arena, sizeof *constant) : NULL;
  if (constant == NULL) {
    wnn_blob_release(blob);
    return wnn_error_no_memory(&builder->err);
  }
  constant->operand = (webnn_operand){.value = {.desc = *desc, .kind = WNN_VALUE_CONSTANT, .blob = blob},
                                      .builder = builder};
  constant->next = builder->constants;
  builder->constants = constant;
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
    status = wnn_desc_make(desc, descriptor->data_type, descriptor->shape, descriptor->rank, "constant",
                           &builder->err);
  if (status != WEBNN_OK) return status;
  if (data == NULL || n_bytes != wnn_desc_bytes(desc))
    return wnn_error_set(&builder->err, WEBNN_ERROR_TYPE, "constant: %s needs %zu bytes, %zu were given",
                         wnn_desc_format(desc).text, wnn_desc_bytes(desc), data ? n_bytes : (size_t)0);
  return WEBNN_OK;
}

webnn_status webnn_builder_constant(webnn_builder *builder, const webnn_descriptor *descriptor,
                                    const void *data, size_t n_bytes, webnn_operand **out) {
  wnn_desc desc;
  *out = NULL;
  webnn_status status = check_constant(builder, descriptor, data, n_bytes, &desc);
  if (status != WEBNN_OK) return status;
  wnn_blob *blob = wnn_blob_create(&builder->alloc, n_bytes);
  if (blob != NULL) memcpy(wnn_blob_bytes(blob), data, n_bytes);
  return add_constant(builder, &desc, blob, out);
}

static void nothing_to_release(void *ud) { (void)ud; }

webnn_status webnn_builder_constant_mapped(webnn_builder *builder, const webnn_descriptor *descriptor,
                                           const void *data, size_t n_bytes, void (*release)(void *ud),
                                           void *ud, webnn_operand **out) {
  wnn_desc desc;
  *out = NULL;
  webnn_status status = check_constant(builder, descriptor, data, n_bytes, &desc);
  if (status != WEBNN_OK) return status;
  /* The release is armed only once nothing can fail any more: on failure the caller keeps the bytes. */
  wnn_blob *blob = wnn_blob_wrap(&builder->alloc, data, n_bytes, nothing_to_release, NULL);
  status = add_constant(builder, &desc, blob, out);
  if (status == WEBNN_OK && release != NULL) {
    blob->release = release;
    blob->ud = ud;
  }
  return status;
}

webnn_status webnn_builder_constant_number(webnn_builder *builder, webnn_data_type type, webnn_number value,
                                           webnn_operand **out) {
  *out = NULL;
  webnn_status status = wnn_builder_can_build(builder, "constant");
  if (status != WEBNN_OK) return status;
  if (webnn_data_type_name(type) == NULL)
    return wnn_error_set(&builder->err, WEBNN_ERROR_TYPE, "constant: no such data type (%d)", (int)type);
  if (value.kind == WEBNN_NUMBER_ABSENT)
    return wnn_error_set(&builder->err, WEBNN_ERROR_TYPE, "constant: the value is missing");
  wnn_desc desc = wnn_desc_scalar(type);
  wnn_blob *blob = wnn_blob_create(&builder->alloc, webnn_data_type_bytes(type));
  if (blob != NULL) wnn_store_number(wnn_blob_bytes(blob), wnn_cast_number(value, type), type);
  return add_constant(builder, &desc, blob, out);
}

/* ---- operations */

static const wnn_desc *desc_of(const void *owner, const webnn_operand *operand) {
  return operand->builder == owner ? &operand->value.desc : NULL;
}

/* A node and its outputs as operands, in the builder's arena. */
static wnn_node *make_node(webnn_builder *builder, const webnn_op *op, const wnn_bound *bound,
                           const webnn_operand *const *operands, size_t n_operands) {
  wnn_arena *arena = &builder->arena;
  wnn_node *node = wnn_arena_get(arena, sizeof *node);
  wnn_value **inputs = wnn_arena_array(arena, n_operands, sizeof *inputs);
  wnn_value **outputs = wnn_arena_array(arena, bound->n_outputs, sizeof *outputs);
  webnn_operand *results = wnn_arena_array(arena, bound->n_outputs, sizeof *results);
  if (node == NULL || inputs == NULL || outputs == NULL || results == NULL) return NULL;
  for (size_t i = 0; i < n_operands; i++)
    inputs[i] = operands[i] ? (wnn_value *)&operands[i]->value : NULL;
  for (size_t i = 0; i < bound->n_outputs; i++) {
    results[i] = (webnn_operand){.value = {.desc = bound->outputs[i],
                                           .kind = WNN_VALUE_RESULT,
                                           .producer = node,
                                           .output = i},
                                 .builder = builder,
                                 .label = bound->label};
    outputs[i] = &results[i].value;
  }
  *node = (wnn_node){.op = op,
                     .attrs = bound->attrs,
                     .inputs = inputs,
                     .n_inputs = n_operands,
                     .outputs = outputs,
                     .n_outputs = bound->n_outputs,
                     .label = bound->label};
  return node;
}

static webnn_str label_of(const webnn_op *op, const webnn_value *values, size_t n_values) {
  size_t last = (size_t)op->signature->n_fields - 1;
  bool given = last < n_values && values[last].kind == WEBNN_FIELD_LABEL;
  return given ? values[last].as.str : (webnn_str){NULL, 0};
}

webnn_status webnn_builder_call(webnn_builder *builder, const webnn_op *op, const webnn_value *values,
                                size_t n_values, webnn_operand **outs, size_t *n_outs) {
  size_t room = *n_outs, n_operands = 0;
  const webnn_operand *const *operands = NULL;
  wnn_bound bound = {0};
  *n_outs = 0;
  for (size_t i = 0; i < room; i++) outs[i] = NULL;
  webnn_str label = label_of(op, values, n_values);
  webnn_status status = wnn_builder_can_build(builder, op->name);
  if (status != WEBNN_OK) /* again, to name the label, which good calls need not format */
    return wnn_builder_can_build(builder, wnn_call_format(op, label).text);

  wnn_arena_mark mark = wnn_arena_here(&builder->arena);
  status = wnn_bind(op, values, n_values, builder, desc_of, &builder->arena, &operands, &n_operands, &bound,
                    &builder->err);
  if (status == WEBNN_OK && bound.n_outputs > room)
    status = wnn_error_set(&builder->err, WEBNN_ERROR_TYPE, "%s: gives %zu operands, there is room for %zu",
                           wnn_call_format(op, label).text, bound.n_outputs, room);
  wnn_node *node = NULL;
  if (status == WEBNN_OK) {
    node = make_node(builder, op, &bound, operands, n_operands);
    if (node == NULL) status = wnn_error_no_memory(&builder->err);
  }
  if (status != WEBNN_OK) {
    wnn_arena_back(&builder->arena, mark);
    return status;
  }
  for (size_t i = 0; i < node->n_outputs; i++) outs[i] = (webnn_operand *)node->outputs[i];
  *n_outs = node->n_outputs;
  return WEBNN_OK;
}

/* ---- freezing */

static webnn_status check_output(webnn_builder *builder, const webnn_named_operand *outputs, size_t i) {
  webnn_error *err = &builder->err;
  const webnn_named_operand *output = &outputs[i];
  if (output->name.size == 0)
    return wnn_error_set(err, WEBNN_ERROR_TYPE, "build: the name of output %zu is empty", i);
  wnn_quoted name = wnn_quote(output->name);
  if (!wnn_utf8_valid(output->name))
    return wnn_error_set(err, WEBNN_ERROR_TYPE, "build: the name '%s' is not UTF-8", name.text);
  for (size_t k = 0; k < i; k++)
    if (str_equal(outputs[k].name, output->name))
      return wnn_error_set(err, WEBNN_ERROR_TYPE, "build: two outputs are called '%s'", name.text);
  if (output->operand == NULL)
    return wnn_error_set(err, WEBNN_ERROR_TYPE, "build: output '%s' has no operand", name.text);
  if (output->operand->builder != builder)
    return wnn_error_set(err, WEBNN_ERROR_TYPE, "build: output '%s' belongs to another builder", name.text);
  if (output->operand->value.kind != WNN_VALUE_RESULT)
    return wnn_error_set(err, WEBNN_ERROR_TYPE, "build: output '%s' is %s; use identity to expose it",
                         name.text,
                         output->operand->value.kind == WNN_VALUE_INPUT ? "an input" : "a constant");
  return WEBNN_OK;
}

static webnn_status check_outputs(webnn_builder *builder, const webnn_named_operand *outputs,
                                  size_t n_outputs) {
  if (n_outputs == 0)
    return wnn_error_set(&builder->err, WEBNN_ERROR_TYPE, "build: there are no outputs");
  webnn_status status = WEBNN_OK;
  for (size_t i = 0; i < n_outputs && status == WEBNN_OK; i++) status = check_output(builder, outputs, i);
  return status;
}

/* The copy of one builder into one graph. A value's twin is found through its `uses` pointer, which the
 * builder has no other use for; a node's through `next`. */
typedef struct freezer {
  webnn_builder *builder;
  wnn_graph *graph;
  wnn_node **stack; /* nodes on the way down; depth is data, not recursion */
  size_t depth, room;
} freezer;

static wnn_value *twin(const wnn_value *value) { return (wnn_value *)(void *)value->uses; }
static void set_twin(wnn_value *value, wnn_value *fresh) { value->uses = (wnn_node **)(void *)fresh; }

static webnn_status push(freezer *f, wnn_node *node) {
  if (f->depth == f->room) {
    size_t room = f->room ? 2 * f->room : 64;
    wnn_node **stack = wnn_alloc_resize(&f->graph->alloc, f->stack, f->room * sizeof *stack,
                                        room * sizeof *stack);
    if (stack == NULL) return WEBNN_ERROR_UNKNOWN;
    f->stack = stack;
    f->room = room;
  }
  f->stack[f->depth++] = node;
  return WEBNN_OK;
}

static webnn_status copy_leaf(freezer *f, wnn_value *value) {
  wnn_value *fresh;
  if (value->kind == WNN_VALUE_CONSTANT) {
    fresh = wnn_graph_constant(f->graph, &value->desc, wnn_blob_retain(value->blob));
  } else {
    fresh = wnn_arena_get(&f->graph->arena, sizeof *fresh);
    if (fresh != NULL) {
      *fresh = (wnn_value){.desc = value->desc, .kind = WNN_VALUE_INPUT};
      if (!wnn_arena_str(&f->graph->arena, value->name, &fresh->name)) fresh = NULL;
    }
  }
  if (fresh == NULL) return WEBNN_ERROR_UNKNOWN;
  set_twin(value, fresh);
  return WEBNN_OK;
}

/* True when every operand of the node has its twin; else the missing ones are copied or put on the stack. */
static webnn_status prepare_operands(freezer *f, wnn_node *node, bool *ready) {
  webnn_status status = WEBNN_OK;
  *ready = true;
  for (size_t i = 0; i < node->n_inputs && status == WEBNN_OK; i++) {
    wnn_value *value = node->inputs[i];
    if (value == NULL || twin(value) != NULL) continue;
    if (value->kind != WNN_VALUE_RESULT) {
      status = copy_leaf(f, value);
    } else {
      *ready = false;
      status = push(f, value->producer);
    }
  }
  return status;
}

/* Attributes and labels stay where they are, in the builder's arena, which the graph keeps alive. */
static webnn_status copy_node(freezer *f, wnn_node *node) {
  wnn_arena *arena = &f->graph->arena;
  wnn_node *fresh = wnn_arena_get(arena, sizeof *fresh);
  wnn_value **inputs = wnn_arena_array(arena, node->n_inputs, sizeof *inputs);
  wnn_value **outputs = wnn_arena_array(arena, node->n_outputs, sizeof *outputs);
  wnn_value *values = wnn_arena_array(arena, node->n_outputs, sizeof *values);
  if (fresh == NULL || inputs == NULL || outputs == NULL || values == NULL) return WEBNN_ERROR_UNKNOWN;
  *fresh = *node;
  for (size_t i = 0; i < node->n_inputs; i++) inputs[i] = node->inputs[i] ? twin(node->inputs[i]) : NULL;
  for (size_t i = 0; i < node->n_outputs; i++) {
    values[i] = *node->outputs[i];
    values[i].uses = NULL;
    values[i].producer = fresh;
    outputs[i] = &values[i];
    set_twin(node->outputs[i], &values[i]);
  }
  fresh->inputs = inputs;
  fresh->outputs = outputs;
  fresh->prev = f->graph->last;
  fresh->next = NULL;
  if (f->graph->last != NULL) f->graph->last->next = fresh;
  else f->graph->first = fresh;
  f->graph->last = fresh;
  return WEBNN_OK;
}

/* Copies the node and all that it needs, operands first. */
static webnn_status copy_from(freezer *f, wnn_node *root) {
  webnn_status status = push(f, root);
  while (status == WEBNN_OK && f->depth > 0) {
    wnn_node *node = f->stack[f->depth - 1];
    bool ready = true;
    if (twin(node->outputs[0]) == NULL) {
      status = prepare_operands(f, node, &ready);
      if (status == WEBNN_OK && ready) status = copy_node(f, node);
    }
    if (ready) f->depth--;
  }
  return status;
}

static webnn_status copy_inputs(freezer *f) {
  wnn_graph *graph = f->graph;
  graph->inputs = wnn_arena_array(&graph->arena, f->builder->n_inputs, sizeof *graph->inputs);
  if (graph->inputs == NULL) return WEBNN_ERROR_UNKNOWN;
  for (struct input *input = f->builder->inputs; input != NULL; input = input->next) {
    wnn_value *value = twin(&input->operand.value);
    if (value != NULL) graph->inputs[graph->n_inputs++] = (wnn_named_value){value->name, value};
  }
  return WEBNN_OK;
}

static webnn_status copy_outputs(freezer *f, const webnn_named_operand *outputs, size_t n_outputs) {
  wnn_graph *graph = f->graph;
  graph->outputs = wnn_arena_array(&graph->arena, n_outputs, sizeof *graph->outputs);
  if (graph->outputs == NULL) return WEBNN_ERROR_UNKNOWN;
  for (size_t i = 0; i < n_outputs; i++) {
    graph->outputs[i].value = twin(&outputs[i].operand->value);
    if (!wnn_arena_str(&graph->arena, outputs[i].name, &graph->outputs[i].name)) return WEBNN_ERROR_UNKNOWN;
    graph->n_outputs++;
  }
  return WEBNN_OK;
}

static void release_builder(void *builder) { webnn_builder_release(builder); }

webnn_status wnn_builder_freeze(webnn_builder *builder, const webnn_named_operand *outputs, size_t n_outputs,
                                wnn_graph *graph) {
  wnn_graph_init(graph, &builder->alloc);
  webnn_status status = wnn_builder_can_build(builder, "build");
  if (status == WEBNN_OK) status = check_outputs(builder, outputs, n_outputs);
  if (status != WEBNN_OK) return status;

  builder->built = true;
  graph->held = webnn_builder_retain(builder);
  graph->release_held = release_builder;
  freezer f = {.builder = builder, .graph = graph};
  for (size_t i = 0; i < n_outputs && status == WEBNN_OK; i++)
    status = copy_from(&f, outputs[i].operand->value.producer);
  if (status == WEBNN_OK) status = copy_inputs(&f);
  if (status == WEBNN_OK) status = copy_outputs(&f, outputs, n_outputs);
  if (status == WEBNN_OK) status = wnn_graph_index(graph);
  wnn_alloc_free(&graph->alloc, f.stack, f.room * sizeof *f.stack);
  drop_constants(builder); /* the graph holds what it needs */
  if (status != WEBNN_OK) {
    wnn_graph_reset(graph);
    return wnn_error_no_memory(&builder->err);
  }
  return WEBNN_OK;
}
