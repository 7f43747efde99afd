/* Cuts a graph into regions: anchors and what is fused behind them. */
#include "lower/program.h"

#include "passes/passes.h"
#include <string.h>

/* Views need no kernel: the same bytes under another shape or another order of axes. */
bool wnn_op_is_view(const wnn_node *node) {
  switch (node->op->id) {
    case WNN_OP_IDENTITY:
    case WNN_OP_RESHAPE:
    case WNN_OP_SQUEEZE:
    case WNN_OP_TRANSPOSE: return true;
    default: return false;
  }
}

/* Anchors that choose what is fused before element-wise ones do. */
static bool is_heavy_anchor(wnn_op_id id) {
  switch (id) {
    case WNN_OP_CONV2D:
    case WNN_OP_CONV2D_INTEGER:
    case WNN_OP_CONV_TRANSPOSE2D:
    case WNN_OP_MATMUL:
    case WNN_OP_MATMUL_INTEGER:
    case WNN_OP_GEMM: return true;
    default: return false;
  }
}

webnn_status wnn_program_add_step(wnn_program *program, wnn_step *step) {
  if (program->n_steps == program->room) {
    size_t room = program->room ? 2 * program->room : 64;
    wnn_step **steps = wnn_arena_array(program->arena, room, sizeof *steps);
    if (steps == NULL) return WEBNN_ERROR_UNKNOWN;
    if (program->n_steps) memcpy(steps, program->steps, program->n_steps * sizeof *steps);
    program->steps = steps;
    program->room = room;
  }
  program->steps[program->n_steps++] = step;
  return WEBNN_OK;
}


/* A port as the backend sees it while regions are cut: layouts come later. */
static wnn_port first_port(const wnn_value *value) {
  return (wnn_port){.desc = &value->desc,
                    .layout = wnn_layout_plain(value->desc.rank),
                    .constant = wnn_value_data(value)};
}

/* The port of the region that holds `value`; a new one at the end when there is none. */
static int16_t port_of(wnn_region *region, wnn_value *value, size_t *n_ports, wnn_value **extra) {
  size_t n_anchor = region->anchor->n_inputs;
  for (size_t i = 0; i < n_anchor; i++)
    if (region->anchor->inputs[i] == value) return (int16_t)i;
  for (size_t i = n_anchor; i < *n_ports; i++)
    if (extra[i - n_anchor] == value) return (int16_t)i;
  extra[*n_ports - n_anchor] = value;
  return (int16_t)(*n_ports)++;
}

/* The one node that reads `value`, or NULL. */
static wnn_node *only_reader(const wnn_value *value) {
  if (value->is_output || value->n_uses == 0) return NULL;
  for (size_t i = 1; i < value->n_uses; i++)
    if (value->uses[i] != value->uses[0]) return NULL;
  return value->uses[0];
}

/* A value that the region keeps while what one of its two readers makes of it grows towards the other. */
typedef struct holding {
  wnn_value *value; /* or NULL */
  wnn_node *join;   /* where both meet again */
  size_t n_posts, n_ports;
} holding;

/* True when two nodes read `value`: the one that stands first, and the one that waits. */
static bool hold(const wnn_region *region, wnn_value *value, size_t n_ports, wnn_node **first, holding *held) {
  if (value->is_output || value->n_uses != 2 || value->uses[0] == value->uses[1]) return false;
  const bool in_order = value->uses[0]->id < value->uses[1]->id;
  *first = value->uses[in_order ? 0 : 1];
  *held = (holding){value, value->uses[in_order ? 1 : 0], region->n_posts, n_ports};
  return true;
}

/* What was fused since is left to other regions: the two don't meet. */
static wnn_value *let_go(const holding *held, wnn_region *region, wnn_step **owner, size_t *n_ports) {
  while (region->n_posts > held->n_posts) owner[region->posts[--region->n_posts].node->id] = NULL;
  region->n_inputs = *n_ports = held->n_ports;
  return held->value;
}

/* Grows the region behind `value` as far as the backend agrees; returns the last value. */
static wnn_value *grow(const wnn_program *program, wnn_region *region, wnn_value *value, wnn_step **owner,
                       wnn_step *step, size_t *n_ports, wnn_value **extra) {
  const wnn_lowering *lowering = program->lowering;
  holding held = {NULL};
  while (region->n_posts < WNN_MAX_POSTS) {
    wnn_node *next = only_reader(value);
    if (next == NULL && (held.value != NULL || !hold(region, value, *n_ports, &next, &held))) break;
    if (next == NULL || owner[next->id] != NULL || wnn_op_is_view(next)) break;
    if (next->n_outputs != 1 || next->n_inputs > WNN_MAX_POST_INPUTS) break;
    if (!wnn_shape_equal(&next->outputs[0]->desc, &value->desc)) break;
    wnn_post *post = &region->posts[region->n_posts];
    size_t ports_before = *n_ports;
    *post = (wnn_post){.node = next, .desc = next->outputs[0]->desc};
    for (size_t i = 0; i < WNN_MAX_POST_INPUTS; i++) {
      wnn_value *operand = i < next->n_inputs ? next->inputs[i] : NULL;
      if (operand == NULL) post->from[i] = WNN_FROM_NONE;
      else if (operand == value) post->from[i] = WNN_FROM_STAGE(region->n_posts);
      else if (operand == held.value) post->from[i] = WNN_FROM_STAGE(held.n_posts);
      else post->from[i] = port_of(region, operand, n_ports, extra);
    }
    for (size_t i = ports_before; i < *n_ports; i++) {
      wnn_value *operand = extra[i - region->anchor->n_inputs];
      region->inputs[i] = first_port(operand);
    }
    region->n_inputs = *n_ports;
    if (!lowering->can_fuse(lowering->device, region, post)) {
      *n_ports = ports_before;
      region->n_inputs = ports_before;
      break;
    }
    region->n_posts++;
    owner[next->id] = step;
    value = next->outputs[0];
    if (next == held.join) held.value = NULL;
  }
  return held.value == NULL ? value : let_go(&held, region, owner, n_ports);
}

static webnn_status start_region(wnn_program *program, wnn_node *node, bool fuse, wnn_step **owner,
                                 wnn_step **at) {
  wnn_arena *arena = program->arena;
  size_t most = node->n_inputs + (fuse ? WNN_MAX_POSTS * WNN_MAX_POST_INPUTS : 0);
  wnn_step *step = wnn_arena_get(arena, sizeof *step);
  wnn_port *ports = wnn_arena_array(arena, most, sizeof *ports);
  wnn_value *extra[WNN_MAX_POSTS * WNN_MAX_POST_INPUTS];
  if (step == NULL || ports == NULL) return WEBNN_ERROR_UNKNOWN;
  wnn_region *region = &step->region;
  region->anchor = node;
  region->anchor_desc = node->outputs[0]->desc;
  region->inputs = ports;
  region->n_inputs = node->n_inputs;
  region->n_outputs = node->n_outputs;
  for (size_t i = 0; i < node->n_inputs; i++) {
    const wnn_value *value = node->inputs[i];
    if (value == NULL) continue;
    ports[i] = first_port(value);
  }
  owner[node->id] = step;

  size_t n_ports = node->n_inputs;
  wnn_value *last = node->outputs[0];
  if (fuse && node->n_outputs == 1) last = grow(program, region, last, owner, step, &n_ports, extra);
  wnn_cell **inputs = wnn_arena_array(arena, n_ports, sizeof *inputs);
  wnn_cell **outputs = wnn_arena_array(arena, region->n_outputs, sizeof *outputs);
  const wnn_value **values = wnn_arena_array(arena, n_ports + region->n_outputs, sizeof *values);
  region->outputs = wnn_arena_array(arena, region->n_outputs, sizeof *region->outputs);
  if (inputs == NULL || outputs == NULL || values == NULL || region->outputs == NULL)
    return WEBNN_ERROR_UNKNOWN;
  for (size_t i = 0; i < n_ports; i++)
    values[i] = i < node->n_inputs ? node->inputs[i] : extra[i - node->n_inputs];
  for (size_t i = 0; i < region->n_outputs; i++)
    values[n_ports + i] = node->n_outputs == 1 ? last : node->outputs[i];
  step->inputs = inputs;
  step->outputs = outputs;
  step->values = values;
  at[last->producer->id] = step; /* where its last member stands, so that all it reads is there */
  return WEBNN_OK;
}

webnn_status wnn_program_make_regions(wnn_program *program) {
  wnn_graph *graph = program->graph;
  bool fuse = program->lowering->can_fuse != NULL &&
              wnn_pass_enabled(program->lowering->host->passes, "fuse");
  wnn_step **owner = wnn_arena_array(program->arena, graph->n_nodes, sizeof *owner);
  wnn_step **at = wnn_arena_array(program->arena, graph->n_nodes, sizeof *at);
  webnn_status status = owner && at ? WEBNN_OK : WEBNN_ERROR_UNKNOWN;
  for (int heavy = 1; heavy >= 0; heavy--)
    for (wnn_node *node = graph->first; node != NULL && status == WEBNN_OK; node = node->next)
      if (owner[node->id] == NULL && is_heavy_anchor(node->op->id) == (heavy == 1))
        status = start_region(program, node, fuse && !wnn_op_is_view(node), owner, at);
  for (size_t i = 0; i < graph->n_nodes && status == WEBNN_OK; i++)
    if (at[i] != NULL) status = wnn_program_add_step(program, at[i]);
  return status;
}
