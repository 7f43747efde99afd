/* Gives every port of every step its cell: memory in one layout. Follows the layouts through the graph and
 * adds a reorder wherever two steps don't agree. */
#include "lower/program.h"

#include "passes/passes.h"
#include <string.h>

static wnn_layout simplest(wnn_layout layout, const wnn_desc *desc) {
  if (!wnn_layout_is_blocked(&layout) && wnn_layout_is_plain(&layout, desc))
    return wnn_layout_plain(desc->rank);
  return layout;
}

wnn_cell *wnn_program_new_cell(wnn_program *program, const wnn_desc *desc, wnn_layout layout, wnn_place place) {
  wnn_cell *cell = wnn_arena_get(program->arena, sizeof *cell);
  if (cell == NULL) return NULL;
  *cell = (wnn_cell){.desc = *desc, .layout = simplest(layout, desc), .root = cell, .place = place};
  cell->n_bytes = wnn_layout_bytes(&cell->layout, desc);
  return cell;
}

wnn_cell *wnn_program_new_view(wnn_program *program, const wnn_desc *desc, wnn_layout layout, wnn_cell *of) {
  wnn_cell *cell = wnn_program_new_cell(program, desc, layout, of->root->place);
  if (cell != NULL) {
    cell->root = of->root;
    cell->at = of->at;
  }
  return cell;
}

void wnn_program_attach(wnn_program *program, const wnn_value *value, wnn_cell *cell) {
  cell->other = program->cells[value->id];
  program->cells[value->id] = cell;
}

static wnn_cell *find_layout(const wnn_program *program, const wnn_value *value, const wnn_layout *layout) {
  for (wnn_cell *cell = program->cells[value->id]; cell != NULL; cell = cell->other)
    if (wnn_layout_same_bytes(&cell->layout, layout, &cell->desc)) return cell;
  return NULL;
}

webnn_status wnn_program_add_reorder(wnn_program *program, wnn_cell *from, wnn_cell *to) {
  wnn_arena *arena = program->arena;
  wnn_node *node = wnn_arena_get(arena, sizeof *node);
  wnn_step *step = wnn_arena_get(arena, sizeof *step);
  wnn_port *ports = wnn_arena_array(arena, 2, sizeof *ports);
  wnn_cell **cells = wnn_arena_array(arena, 2, sizeof *cells);
  if (node == NULL || step == NULL || ports == NULL || cells == NULL) return WEBNN_ERROR_UNKNOWN;
  *node = (wnn_node){.op = wnn_op_get(WNN_OP_REORDER), .n_inputs = 1, .n_outputs = 1};
  cells[0] = from;
  cells[1] = to;
  ports[0].desc = &from->desc;
  ports[1].desc = &to->desc;
  *step = (wnn_step){.region = {.anchor = node,
                                .inputs = &ports[0],
                                .n_inputs = 1,
                                .outputs = &ports[1],
                                .n_outputs = 1,
                                .anchor_desc = to->desc},
                     .inputs = &cells[0],
                     .outputs = &cells[1]};
  return wnn_program_add_step(program, step);
}

/* The cell of the value in this layout, made by a reorder when there is none. */
static webnn_status cell_in_layout(wnn_program *program, const wnn_value *value, wnn_layout layout,
                                   wnn_cell **out) {
  wnn_cell *first = program->cells[value->id];
  *out = find_layout(program, value, &layout);
  if (*out != NULL) return WEBNN_OK;
  *out = wnn_program_new_cell(program, &value->desc, layout, WNN_PLACE_ARENA);
  if (*out == NULL) return WEBNN_ERROR_UNKNOWN;
  wnn_program_attach(program, value, *out);
  return wnn_program_add_reorder(program, first, *out);
}

/* The same for what a step reads. Constants that lie plain stay so: kernels that want them otherwise pack them. */
static webnn_status cell_to_read(wnn_program *program, const wnn_value *value, wnn_layout layout,
                                 wnn_cell **out) {
  wnn_cell *first = program->cells[value->id];
  bool stays = first->root->place == WNN_PLACE_CONSTANT && wnn_layout_is_plain(&first->layout, &first->desc);
  if (!stays) return cell_in_layout(program, value, layout, out);
  *out = first;
  return WEBNN_OK;
}

/* ---- views */

/* Axes after a transpose: where each stored axis is found again. */
static wnn_layout transposed(wnn_layout layout, const wnn_transpose_attrs *attrs) {
  uint8_t moved_to[WNN_MAX_RANK];
  for (uint8_t i = 0; i < layout.rank; i++) moved_to[attrs->permutation.data[i]] = i;
  for (uint8_t i = 0; i < layout.rank; i++) layout.order[i] = moved_to[layout.order[i]];
  layout.block_axis = moved_to[layout.block_axis];
  return layout;
}

/* The layout in which a reshape leaves the bytes where they are: runs of axes that are split or merged must
 * lie together and in order; the runs themselves may stand in any order. */
static bool reshaped(wnn_layout from, const wnn_desc *in, const wnn_desc *out, wnn_layout *to) {
  uint8_t begin_in[WNN_MAX_RANK + 1], begin_out[WNN_MAX_RANK + 1], n = 0, position[WNN_MAX_RANK] = {0};
  uint32_t i = 0, o = 0;
  if (wnn_layout_is_blocked(&from)) return false;
  while (i < in->rank || o < out->rank) { /* runs of equal products */
    uint64_t x = 1, y = 1;
    if (n == WNN_MAX_RANK) return false;
    begin_in[n] = (uint8_t)i;
    begin_out[n++] = (uint8_t)o;
    do {
      if (x <= y && i < in->rank) x *= in->dims[i++];
      else if (o < out->rank) y *= out->dims[o++];
      else if (i < in->rank) x *= in->dims[i++];
      else return false;
    } while (x != y);
  }
  begin_in[n] = (uint8_t)in->rank;
  begin_out[n] = (uint8_t)out->rank;
  for (uint8_t k = 0; k < from.rank; k++) position[from.order[k]] = k;
  uint8_t at = 0;
  *to = (wnn_layout){.rank = (uint8_t)out->rank, .block = 1};
  for (uint8_t k = 0; k < from.rank;) { /* in the order of storage */
    uint8_t run = 0;
    while (begin_in[run + 1] <= from.order[k]) run++;
    for (uint8_t axis = begin_in[run]; axis < begin_in[run + 1]; axis++)
      if (k + axis - begin_in[run] >= from.rank || position[axis] != k + axis - begin_in[run]) return false;
    for (uint8_t axis = begin_out[run]; axis < begin_out[run + 1]; axis++) to->order[at++] = axis;
    k = (uint8_t)(k + begin_in[run + 1] - begin_in[run]);
  }
  for (uint8_t run = 0; run < n; run++) /* runs of ones that only the output has */
    if (begin_in[run] == begin_in[run + 1])
      for (uint8_t axis = begin_out[run]; axis < begin_out[run + 1]; axis++) to->order[at++] = axis;
  return at == out->rank;
}

static webnn_status add_view(wnn_program *program, const wnn_node *node) {
  const wnn_value *from = node->inputs[0], *to = node->outputs[0];
  wnn_cell *cell = program->cells[from->id];
  wnn_layout layout = cell->layout;
  webnn_status status = WEBNN_OK;
  if (wnn_node_is(node, WNN_OP_TRANSPOSE)) {
    layout = transposed(layout, node->attrs);
  } else if (!wnn_node_is(node, WNN_OP_IDENTITY) && !reshaped(layout, &from->desc, &to->desc, &layout)) {
    status = cell_in_layout(program, from, wnn_layout_plain(from->desc.rank), &cell);
    layout = wnn_layout_plain(to->desc.rank);
  }
  if (status != WEBNN_OK) return status;
  wnn_cell *view = wnn_program_new_view(program, &to->desc, layout, cell);
  if (view == NULL) return WEBNN_ERROR_UNKNOWN;
  wnn_program_attach(program, to, view);
  return WEBNN_OK;
}

/* ---- steps */

static bool is_constant(const wnn_program *program, const wnn_value *value) {
  return program->cells[value->id]->root->place == WNN_PLACE_CONSTANT;
}

/* The layout that most inputs of the output's shape have; rather not the plain one. */
static wnn_layout common_layout(const wnn_program *program, const wnn_step *step, const wnn_desc *shape) {
  const wnn_region *region = &step->region;
  wnn_layout best = wnn_layout_plain(shape->rank);
  size_t best_votes = 0;
  for (size_t i = 0; i < region->n_inputs; i++) {
    const wnn_value *value = step->values[i];
    if (value == NULL || is_constant(program, value) || !wnn_shape_equal(&value->desc, shape)) continue;
    wnn_layout layout = program->cells[value->id]->layout;
    size_t votes = wnn_layout_is_plain(&layout, shape) ? 1 : 2;
    for (size_t k = 0; k < region->n_inputs; k++)
      if (k != i && step->values[k] != NULL && wnn_shape_equal(&step->values[k]->desc, shape) &&
          !is_constant(program, step->values[k]) &&
          wnn_layout_same_bytes(&program->cells[step->values[k]->id]->layout, &layout, shape))
        votes += 2;
    if (votes > best_votes) {
      best_votes = votes;
      best = layout;
    }
  }
  return best;
}

static wnn_layout as_it_is(const wnn_program *program, const wnn_value *value) {
  wnn_layout layout = program->cells[value->id]->layout;
  return wnn_layout_is_blocked(&layout) ? wnn_layout_plain(value->desc.rank) : layout;
}

/* The layouts that step's inputs shall have and its output 0 gets. */
typedef struct choice {
  wnn_layout_rule rule;
  wnn_layout input0, output0;
} choice;

static choice choose(const wnn_program *program, const wnn_step *step) {
  const wnn_lowering *lowering = program->lowering;
  const wnn_region *region = &step->region;
  const wnn_value *input = region->n_inputs ? step->values[0] : NULL;
  const wnn_value *output = step->values[region->n_inputs];
  choice c = {.rule = WNN_LAYOUT_PLAIN, .output0 = wnn_layout_plain(output->desc.rank)};
  if (lowering->layout == NULL || !wnn_pass_enabled(lowering->host->passes, "layout")) return c;
  wnn_layout_answer answer = lowering->layout(lowering->device, region);
  c.rule = answer.rule;
  switch (answer.rule) {
    case WNN_LAYOUT_PLAIN: break;
    case WNN_LAYOUT_READ:
      if (answer.output0.rank == output->desc.rank) c.output0 = answer.output0;
      break;
    case WNN_LAYOUT_SAME: c.output0 = common_layout(program, step, &output->desc); break;
    case WNN_LAYOUT_FOLLOW:
      if (input != NULL && input->desc.rank == output->desc.rank) c.output0 = as_it_is(program, input);
      break;
    case WNN_LAYOUT_WANT:
      c.input0 = answer.input0;
      c.output0 = answer.output0;
      break;
  }
  return c;
}

static bool is_read_by_post(const wnn_region *region, size_t i) {
  if (i >= region->anchor->n_inputs) return true;
  for (size_t k = 0; k < region->n_posts; k++)
    for (size_t j = 0; j < WNN_MAX_POST_INPUTS && j < region->posts[k].node->n_inputs; j++)
      if (region->posts[k].from[j] == (int16_t)i) return true;
  return false;
}

static wnn_layout input_layout(const wnn_program *program, const wnn_step *step, const choice *c, size_t i) {
  const wnn_value *value = step->values[i];
  const wnn_desc *shape = &step->values[step->region.n_inputs]->desc;
  const bool is_post_input = is_read_by_post(&step->region, i);
  if (c->rule == WNN_LAYOUT_PLAIN) return wnn_layout_plain(value->desc.rank);
  if (c->rule == WNN_LAYOUT_WANT && i == 0) return c->input0;
  if (c->rule == WNN_LAYOUT_WANT && !is_post_input) return wnn_layout_plain(value->desc.rank);
  if ((c->rule == WNN_LAYOUT_SAME || is_post_input) && wnn_shape_equal(&value->desc, shape))
    return c->output0;
  return as_it_is(program, value);
}

/* The first of the graph's outputs that shows this value, or n_outputs. */
static size_t output_index(const wnn_graph *graph, const wnn_value *value) {
  size_t i = 0;
  while (i < graph->n_outputs && graph->outputs[i].value != value) i++;
  return i;
}

static webnn_status add_outputs(wnn_program *program, wnn_step *step, const choice *c) {
  const wnn_region *region = &step->region;
  for (size_t i = 0; i < region->n_outputs; i++) {
    const wnn_value *value = step->values[region->n_inputs + i];
    bool same_rank = value->desc.rank == c->output0.rank;
    wnn_layout layout = i == 0 || same_rank ? c->output0 : wnn_layout_plain(value->desc.rank);
    wnn_cell *cell = wnn_program_new_cell(program, &value->desc, layout, WNN_PLACE_ARENA);
    if (cell == NULL) return WEBNN_ERROR_UNKNOWN;
    size_t index = output_index(program->graph, value);
    if (index < program->graph->n_outputs && wnn_layout_is_plain(&cell->layout, &cell->desc)) {
      cell->place = WNN_PLACE_OUTPUT;
      cell->index = index;
    }
    wnn_program_attach(program, value, cell);
    step->outputs[i] = cell;
  }
  return WEBNN_OK;
}

static webnn_status add_step_cells(wnn_program *program, wnn_step *step) {
  bool done = false;
  webnn_status status = wnn_program_cut(program, step, &done);
  if (done) return status;
  choice c = choose(program, step);
  for (size_t i = 0; i < step->region.n_inputs && status == WEBNN_OK; i++)
    if (step->values[i] != NULL)
      status = cell_to_read(program, step->values[i], input_layout(program, step, &c, i), &step->inputs[i]);
  if (status == WEBNN_OK) status = add_outputs(program, step, &c);
  if (status == WEBNN_OK) status = wnn_program_join(program, step, &done);
  if (status == WEBNN_OK && !done) status = wnn_program_add_step(program, step);
  return status;
}

static webnn_status add_leaves(wnn_program *program) {
  wnn_graph *graph = program->graph;
  for (size_t i = 0; i < graph->n_inputs + graph->n_constants; i++) {
    bool is_input = i < graph->n_inputs;
    wnn_value *value = is_input ? graph->inputs[i].value : graph->constants[i - graph->n_inputs];
    wnn_cell *cell = wnn_program_new_cell(program, &value->desc, wnn_layout_plain(value->desc.rank),
                              is_input ? WNN_PLACE_INPUT : WNN_PLACE_CONSTANT);
    if (cell == NULL) return WEBNN_ERROR_UNKNOWN;
    cell->index = i;
    cell->constant = is_input ? NULL : value;
    wnn_program_attach(program, value, cell);
  }
  return WEBNN_OK;
}

/* True when `from`, which lies plain, is all of a piece of the arena: that piece becomes the output's own memory. */
static bool move_to_output(wnn_cell *from, size_t index) {
  wnn_cell *root = wnn_cell_root(from, NULL);
  bool is_whole = root->n_bytes == from->n_bytes && wnn_layout_is_plain(&from->layout, &from->desc);
  if (root->place != WNN_PLACE_ARENA || !is_whole) return false;
  root->place = WNN_PLACE_OUTPUT;
  root->index = index;
  return true;
}

/* Outputs that no step writes where they belong: views, other layouts, a second name, inputs, constants. */
static webnn_status copy_outputs(wnn_program *program) {
  wnn_graph *graph = program->graph;
  for (size_t i = 0; i < graph->n_outputs; i++) {
    const wnn_value *value = graph->outputs[i].value;
    wnn_layout plain = wnn_layout_plain(value->desc.rank);
    wnn_cell *from = find_layout(program, value, &plain);
    if (from == NULL) from = program->cells[value->id];
    if (from->root == from && from->place == WNN_PLACE_OUTPUT && from->index == i) continue;
    if (move_to_output(from, i)) continue;
    wnn_cell *to = wnn_program_new_cell(program, &value->desc, plain, WNN_PLACE_OUTPUT);
    if (to == NULL) return WEBNN_ERROR_UNKNOWN;
    to->index = i;
    webnn_status status = wnn_program_add_reorder(program, from, to);
    if (status != WEBNN_OK) return status;
  }
  return WEBNN_OK;
}

webnn_status wnn_program_make_cells(wnn_program *program) {
  wnn_step **regions = program->steps;
  size_t n_regions = program->n_steps;
  program->steps = NULL;
  program->n_steps = program->room = 0;
  program->cells = wnn_arena_array(program->arena, program->graph->n_values, sizeof *program->cells);
  webnn_status status = program->cells ? add_leaves(program) : WEBNN_ERROR_UNKNOWN;
  for (size_t i = 0; i < n_regions && status == WEBNN_OK; i++) {
    const wnn_node *anchor = regions[i]->region.anchor;
    status = wnn_op_is_view(anchor) ? add_view(program, anchor) : add_step_cells(program, regions[i]);
  }
  if (status == WEBNN_OK) status = copy_outputs(program);
  return status;
}
