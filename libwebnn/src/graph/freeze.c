/* From a builder to a graph: checks the outputs and copies what they need. */
#include "graph/builder.h"

/* `what`, the call, begins the messages. */
static webnn_status check_output(webnn_builder *builder, const char *what,
                                 const webnn_named_operand *outputs, size_t i) {
  webnn_error *err = &builder->err;
  const webnn_named_operand *output = &outputs[i];
  if (output->name.size == 0)
    return wnn_error_set(err, WEBNN_ERROR_TYPE, "%s: the name of output %zu is empty", what, i);
  wnn_quoted name = wnn_quote(output->name);
  if (!wnn_utf8_valid(output->name))
    return wnn_error_set(err, WEBNN_ERROR_TYPE, "%s: the name '%s' is not UTF-8", what, name.text);
  for (size_t k = 0; k < i; k++)
    if (wnn_str_equal(outputs[k].name, output->name))
      return wnn_error_set(err, WEBNN_ERROR_TYPE, "%s: two outputs are called '%s'", what,
                           name.text);
  if (output->operand == NULL)
    return wnn_error_set(err, WEBNN_ERROR_TYPE, "%s: output '%s' has no operand", what, name.text);
  if (output->operand->builder != builder)
    return wnn_error_set(err, WEBNN_ERROR_TYPE, "%s: output '%s' belongs to another builder", what,
                         name.text);
  if (output->operand->value.kind != WNN_VALUE_RESULT)
    return wnn_error_set(
        err, WEBNN_ERROR_TYPE, "%s: output '%s' is %s; use identity to expose it", what, name.text,
        output->operand->value.kind == WNN_VALUE_INPUT ? "an input" : "a constant");
  return WEBNN_OK;
}

static webnn_status check_outputs(webnn_builder *builder, const char *what,
                                  const webnn_named_operand *outputs, size_t n_outputs) {
  if (n_outputs == 0)
    return wnn_error_set(&builder->err, WEBNN_ERROR_TYPE, "%s: there are no outputs", what);
  webnn_status status = WEBNN_OK;
  for (size_t i = 0; i < n_outputs && status == WEBNN_OK; i++)
    status = check_output(builder, what, outputs, i);
  return status;
}

/* The copy of one builder into one graph. A value's twin is found through its `uses` pointer, which
 * the builder has no other use for, nor the graph before it is indexed. */
typedef struct freezer {
  webnn_builder *builder;
  wnn_graph *graph;
  wnn_node **stack; /* nodes on the way down; depth is data, not recursion */
  size_t depth, room;
} freezer;

static wnn_value *twin(const wnn_value *value) { return (wnn_value *)(void *)value->uses; }
static void set_twin(wnn_value *value, wnn_value *fresh) {
  value->uses = (wnn_node **)(void *)fresh;
}

static webnn_status push(freezer *f, wnn_node *node) {
  if (f->depth == f->room) {
    size_t room = f->room ? 2 * f->room : 64;
    wnn_node **stack =
        wnn_alloc_resize(&f->graph->alloc, f->stack, f->room * sizeof *stack, room * sizeof *stack);
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

/* True when every operand of the node has its twin; else the missing ones are copied or put on the
 * stack. */
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

/* Attributes and labels stay where they are, in the builder's arena, which the graph keeps alive.
 */
static webnn_status copy_node(freezer *f, wnn_node *node) {
  wnn_arena *arena = &f->graph->arena;
  wnn_node *fresh = wnn_arena_get(arena, sizeof *fresh);
  wnn_value **inputs = wnn_arena_array(arena, node->n_inputs, sizeof *inputs);
  wnn_value **outputs = wnn_arena_array(arena, node->n_outputs, sizeof *outputs);
  wnn_value *values = wnn_arena_array(arena, node->n_outputs, sizeof *values);
  if (fresh == NULL || inputs == NULL || outputs == NULL || values == NULL)
    return WEBNN_ERROR_UNKNOWN;
  *fresh = *node;
  for (size_t i = 0; i < node->n_inputs; i++)
    inputs[i] = node->inputs[i] ? twin(node->inputs[i]) : NULL;
  for (size_t i = 0; i < node->n_outputs; i++) {
    values[i] = *node->outputs[i];
    values[i].producer = fresh;
    outputs[i] = &values[i];
    set_twin(&values[i], node->outputs[i]);
    set_twin(node->outputs[i], &values[i]);
  }
  fresh->inputs = inputs;
  fresh->outputs = outputs;
  fresh->prev = f->graph->last;
  fresh->next = NULL;
  if (f->graph->last != NULL)
    f->graph->last->next = fresh;
  else
    f->graph->first = fresh;
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
  for (wnn_leaf *input = f->builder->inputs; input != NULL; input = input->next) {
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
    if (!wnn_arena_str(&graph->arena, outputs[i].name, &graph->outputs[i].name))
      return WEBNN_ERROR_UNKNOWN;
    graph->n_outputs++;
  }
  return WEBNN_OK;
}

static void release_builder(void *builder) { webnn_builder_release(builder); }

/* Values forget their twins, so that another copy can be made; also after half a copy. */
static void forget_twins(webnn_builder *builder, const wnn_graph *graph) {
  for (wnn_leaf *leaf = builder->inputs; leaf != NULL; leaf = leaf->next)
    set_twin(&leaf->operand.value, NULL);
  for (wnn_leaf *leaf = builder->constants; leaf != NULL; leaf = leaf->next)
    set_twin(&leaf->operand.value, NULL);
  for (wnn_node *node = graph->first; node != NULL; node = node->next)
    for (size_t i = 0; i < node->n_outputs; i++) set_twin(twin(node->outputs[i]), NULL);
}

static webnn_status copy_graph(webnn_builder *builder, const webnn_named_operand *outputs,
                               size_t n_outputs, wnn_graph *graph) {
  webnn_status status = WEBNN_OK;
  graph->held = webnn_builder_retain(builder);
  graph->release_held = release_builder;
  freezer f = {.builder = builder, .graph = graph};
  for (size_t i = 0; i < n_outputs && status == WEBNN_OK; i++)
    status = copy_from(&f, outputs[i].operand->value.producer);
  if (status == WEBNN_OK) status = copy_inputs(&f);
  if (status == WEBNN_OK) status = copy_outputs(&f, outputs, n_outputs);
  forget_twins(builder, graph);
  wnn_alloc_free(&graph->alloc, f.stack, f.room * sizeof *f.stack);
  if (status == WEBNN_OK) status = wnn_graph_index(graph);
  return status == WEBNN_OK ? WEBNN_OK : wnn_error_no_memory(&builder->err);
}

/* The text refuses an output that is a destroyed constant tensor, which can't be one; here it is
 * refused wherever the outputs need it. */
static webnn_status check_constants(webnn_builder *builder, const char *what,
                                    const wnn_graph *graph) {
  for (size_t i = 0; i < graph->n_constants; i++)
    if (wnn_blob_withdrawn(graph->constants[i]->blob))
      return wnn_error_set(&builder->err, WEBNN_ERROR_TYPE,
                           "%s: a constant's tensor (%s) is destroyed", what,
                           wnn_desc_format(&graph->constants[i]->desc).text);
  return WEBNN_OK;
}

/* All that a caller can do wrong is found before anything changes. */
static webnn_status check_and_copy(webnn_builder *builder, const char *what,
                                   const webnn_named_operand *outputs, size_t n_outputs,
                                   wnn_graph *graph) {
  wnn_graph_init(graph, &builder->alloc);
  webnn_status status = wnn_builder_can_build(builder, what);
  if (status == WEBNN_OK) status = check_outputs(builder, what, outputs, n_outputs);
  if (status == WEBNN_OK) status = copy_graph(builder, outputs, n_outputs, graph);
  if (status == WEBNN_OK) status = check_constants(builder, what, graph);
  if (status != WEBNN_OK) wnn_graph_reset(graph);
  return status;
}

webnn_status wnn_builder_freeze(webnn_builder *builder, const webnn_named_operand *outputs,
                                size_t n_outputs, wnn_graph *graph) {
  webnn_status status = check_and_copy(builder, "build", outputs, n_outputs, graph);
  if (status != WEBNN_OK) return status;
  builder->built = true;
  wnn_builder_drop_constants(builder); /* the graph holds what it needs */
  return WEBNN_OK;
}

webnn_status wnn_builder_copy(webnn_builder *builder, const char *what,
                              const webnn_named_operand *outputs, size_t n_outputs,
                              wnn_graph *graph) {
  return check_and_copy(builder, what, outputs, n_outputs, graph);
}
