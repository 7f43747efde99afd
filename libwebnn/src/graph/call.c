/* Operations: one call checks, infers and adds a node; a fused activation adds a second one. */
#include "graph/builder.h"

#include "base/error.h"
#include "base/floats.h"

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

/* Binds the values and makes the node; nobody sees it before its outputs are given out. */
static webnn_status add_node(webnn_builder *builder, const webnn_op *op, const webnn_value *values,
                             size_t n_values, wnn_node **out) {
  size_t n_operands = 0;
  const webnn_operand *const *operands = NULL;
  wnn_bound bound = {0};
  webnn_status status = wnn_bind(op, values, n_values, builder, desc_of, &builder->arena, &operands,
                                 &n_operands, &bound, &builder->err);
  if (status != WEBNN_OK) return status;
  *out = make_node(builder, op, &bound, operands, n_operands);
  return *out == NULL ? wnn_error_no_memory(&builder->err) : WEBNN_OK;
}

/* Extension: the operation's result goes through the activation that the call asks for. */
static webnn_status add_activation(webnn_builder *builder, const webnn_value *values,
                                   size_t n_values, wnn_node **node) {
  webnn_value own[WEBNN_MAX_FIELDS] = {{0}};
  const webnn_op *op;
  webnn_status status = wnn_activation_of((*node)->op, values, n_values, &op, own, &builder->err);
  if (status != WEBNN_OK || op == NULL) return status;
  size_t label = (size_t)op->signature->n_fields - 1;
  own[0] = (webnn_value){WEBNN_FIELD_OPERAND, 0, {.operand = (webnn_operand *)(*node)->outputs[0]}};
  own[label] = (webnn_value){WEBNN_FIELD_LABEL, 0, {.str = (*node)->label}};
  return add_node(builder, op, own, label + 1, node);
}

static webnn_status add_operation(webnn_builder *builder, const webnn_op *op,
                                  const webnn_value *values, size_t n_values, size_t room,
                                  wnn_node **node) {
  webnn_str label = label_of(op, values, n_values);
  webnn_status status = wnn_builder_can_build(builder, op->name);
  if (status != WEBNN_OK) /* again, to name the label, which good calls need not format */
    return wnn_builder_can_build(builder, wnn_call_format(op, label).text);

  wnn_arena_mark mark = wnn_arena_here(&builder->arena);
  status = add_node(builder, op, values, n_values, node);
  if (status == WEBNN_OK && (*node)->n_outputs > room)
    status = wnn_error_set(&builder->err, WEBNN_ERROR_TYPE,
                           "%s: gives %zu operands, there is room for %zu",
                           wnn_call_format(op, label).text, (*node)->n_outputs, room);
  if (status == WEBNN_OK) status = add_activation(builder, values, n_values, node);
  if (status != WEBNN_OK) wnn_arena_back(&builder->arena, mark);
  return status;
}

webnn_status webnn_builder_call(webnn_builder *builder, const webnn_op *op,
                                const webnn_value *values, size_t n_values, webnn_operand **outs,
                                size_t *n_outs) {
  wnn_node *node = NULL;
  size_t room = *n_outs;
  *n_outs = 0;
  for (size_t i = 0; i < room; i++) outs[i] = NULL;
  wnn_float_mode before = wnn_float_mode_enter(); /* numbers are cast, sizes scaled */
  webnn_status status = add_operation(builder, op, values, n_values, room, &node);
  wnn_float_mode_leave(&before);
  if (status != WEBNN_OK) return wnn_builder_end(builder, status);
  for (size_t i = 0; i < node->n_outputs; i++) {
    outs[i] = (webnn_operand *)node->outputs[i];
    wnn_builder_own(builder, outs[i]);
  }
  *n_outs = node->n_outputs;
  return WEBNN_OK;
}
