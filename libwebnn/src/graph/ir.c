#include "graph/ir.h"

#include <string.h>

void wnn_graph_init(wnn_graph *graph, const wnn_alloc *alloc) {
  *graph = (wnn_graph){.alloc = *alloc};
  wnn_arena_init(&graph->arena, alloc);
}

void wnn_graph_reset(wnn_graph *graph) {
  for (size_t i = 0; i < graph->n_constants; i++) wnn_blob_release(graph->constants[i]->blob);
  wnn_arena_reset(&graph->arena);
  if (graph->release_held != NULL) graph->release_held(graph->held);
  wnn_alloc alloc = graph->alloc;
  wnn_graph_init(graph, &alloc);
}

static bool add_constant(wnn_graph *graph, wnn_value *value) {
  if (graph->n_constants == graph->room_constants) {
    size_t room = graph->room_constants ? 2 * graph->room_constants : 32;
    wnn_value **list = wnn_arena_array(&graph->arena, room, sizeof *list);
    if (list == NULL) return false;
    if (graph->n_constants != 0) memcpy(list, graph->constants, graph->n_constants * sizeof *list);
    graph->constants = list;
    graph->room_constants = room;
  }
  graph->constants[graph->n_constants++] = value;
  return true;
}

wnn_value *wnn_graph_constant(wnn_graph *graph, const wnn_desc *desc, wnn_blob *blob) {
  wnn_value *value = blob ? wnn_arena_get(&graph->arena, sizeof *value) : NULL;
  if (value == NULL || !add_constant(graph, value)) {
    wnn_blob_release(blob);
    return NULL;
  }
  value->desc = *desc;
  value->kind = WNN_VALUE_CONSTANT;
  value->blob = blob;
  return value;
}

wnn_value *wnn_graph_scalar(wnn_graph *graph, webnn_data_type type, webnn_number number) {
  wnn_desc desc = wnn_desc_scalar(type);
  wnn_blob *blob = wnn_blob_create(&graph->alloc, webnn_data_type_bytes(type));
  if (blob != NULL) wnn_store_number(wnn_blob_bytes(blob), wnn_cast_number(number, type), type);
  return wnn_graph_constant(graph, &desc, blob);
}

static void link_node(wnn_graph *graph, wnn_node *node, wnn_node *before) {
  node->next = before;
  node->prev = before ? before->prev : graph->last;
  if (node->prev != NULL) node->prev->next = node;
  else graph->first = node;
  if (before != NULL) before->prev = node;
  else graph->last = node;
}

wnn_node *wnn_graph_node(wnn_graph *graph, wnn_node *before, wnn_op_id op, const void *attrs,
                         wnn_value *const *inputs, size_t n_inputs, const wnn_desc *outputs,
                         size_t n_outputs) {
  wnn_arena *arena = &graph->arena;
  wnn_node *node = wnn_arena_get(arena, sizeof *node);
  wnn_value *values = wnn_arena_array(arena, n_outputs, sizeof *values);
  wnn_value **list = wnn_arena_array(arena, n_outputs, sizeof *list);
  size_t attrs_bytes = wnn_op_get(op)->signature->attrs_bytes;
  if (node == NULL || values == NULL || list == NULL) return NULL;
  node->op = wnn_op_get(op);
  node->inputs = wnn_arena_copy(arena, inputs, n_inputs * sizeof *inputs);
  node->attrs = attrs_bytes && attrs ? wnn_arena_copy(arena, attrs, attrs_bytes) : NULL;
  if (node->inputs == NULL || (attrs_bytes && attrs && node->attrs == NULL)) return NULL;
  node->n_inputs = n_inputs;
  node->outputs = list;
  node->n_outputs = n_outputs;
  for (size_t i = 0; i < n_outputs; i++) {
    values[i] = (wnn_value){.desc = outputs[i], .kind = WNN_VALUE_RESULT, .producer = node, .output = i};
    list[i] = &values[i];
  }
  link_node(graph, node, before);
  return node;
}

void wnn_graph_remove(wnn_graph *graph, wnn_node *node) {
  if (node->prev != NULL) node->prev->next = node->next;
  else graph->first = node->next;
  if (node->next != NULL) node->next->prev = node->prev;
  else graph->last = node->prev;
  node->prev = node->next = NULL;
}

void wnn_graph_replace(wnn_graph *graph, wnn_value *old, wnn_value *fresh) {
  for (size_t i = 0; i < old->n_uses; i++)
    for (size_t k = 0; k < old->uses[i]->n_inputs; k++)
      if (old->uses[i]->inputs[k] == old) old->uses[i]->inputs[k] = fresh;
  for (size_t i = 0; i < graph->n_outputs; i++)
    if (graph->outputs[i].value == old) graph->outputs[i].value = fresh;
}

/* Visits every value once and gives it its id. */
typedef void (*value_fn)(wnn_graph *graph, wnn_value *value);

static void each_value(wnn_graph *graph, value_fn fn) {
  for (size_t i = 0; i < graph->n_inputs; i++) fn(graph, graph->inputs[i].value);
  for (size_t i = 0; i < graph->n_constants; i++) fn(graph, graph->constants[i]);
  for (wnn_node *node = graph->first; node != NULL; node = node->next)
    for (size_t i = 0; i < node->n_outputs; i++) fn(graph, node->outputs[i]);
}

static void clear_value(wnn_graph *graph, wnn_value *value) {
  (void)graph;
  value->n_uses = 0;
  value->uses = NULL;
  value->is_output = false;
}

static void number_value(wnn_graph *graph, wnn_value *value) { value->id = graph->n_values++; }

static void count_uses(wnn_node *node, ptrdiff_t by) {
  for (size_t i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] != NULL) node->inputs[i]->n_uses += (size_t)by;
}

static bool is_dead(const wnn_node *node) {
  for (size_t i = 0; i < node->n_outputs; i++)
    if (node->outputs[i]->n_uses != 0 || node->outputs[i]->is_output) return false;
  return true;
}

/* From the end to the front, so that what only dead nodes read dies in the same walk. */
static void drop_dead_nodes(wnn_graph *graph) {
  for (wnn_node *node = graph->last, *prev; node != NULL; node = prev) {
    prev = node->prev;
    if (!is_dead(node)) continue;
    count_uses(node, -1);
    wnn_graph_remove(graph, node);
  }
}

static void drop_dead_constants(wnn_graph *graph) {
  size_t kept = 0;
  for (size_t i = 0; i < graph->n_constants; i++) {
    wnn_value *value = graph->constants[i];
    if (value->n_uses != 0 || value->is_output) {
      graph->constants[kept++] = value;
    } else {
      wnn_blob_release(value->blob);
      value->blob = NULL;
    }
  }
  graph->n_constants = kept;
}

static webnn_status fill_uses(wnn_graph *graph) {
  size_t n_total = 0;
  for (wnn_node *node = graph->first; node != NULL; node = node->next) n_total += node->n_inputs;
  wnn_node **all = wnn_arena_array(&graph->arena, n_total, sizeof *all);
  if (all == NULL) return WEBNN_ERROR_UNKNOWN;
  /* n_uses counts up again as the lists, laid out by the first count, are filled. */
  size_t at = 0;
  for (wnn_node *node = graph->first; node != NULL; node = node->next)
    for (size_t i = 0; i < node->n_inputs; i++) {
      wnn_value *value = node->inputs[i];
      if (value == NULL) continue;
      if (value->uses == NULL) {
        value->uses = all + at;
        at += value->n_uses;
        value->n_uses = 0;
      }
      value->uses[value->n_uses++] = node;
    }
  return WEBNN_OK;
}

webnn_status wnn_graph_index(wnn_graph *graph) {
  each_value(graph, clear_value);
  for (wnn_node *node = graph->first; node != NULL; node = node->next) count_uses(node, 1);
  for (size_t i = 0; i < graph->n_outputs; i++) graph->outputs[i].value->is_output = true;
  drop_dead_nodes(graph);
  drop_dead_constants(graph);
  graph->n_values = graph->n_nodes = 0;
  each_value(graph, number_value);
  for (wnn_node *node = graph->first; node != NULL; node = node->next) node->id = graph->n_nodes++;
  return fill_uses(graph);
}
