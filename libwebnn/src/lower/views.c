/* Slices, splits and concatenations that move nothing: pieces of their operands' memory, and operands that are written
 * where they will stand. Only where a piece lies in one run of bytes: it is cut along the outermost axis in memory that
 * has more than one element. */
#include "lower/program.h"

#include "passes/passes.h"

/* Handles of a device's memory point to no place inside it. */
static bool is_on(const wnn_program *program, const wnn_step *step, wnn_op_id op) {
  return program->lowering->memory == NULL && wnn_node_is(step->region.anchor, op) && step->region.n_posts == 0 &&
         wnn_pass_enabled(program->lowering->host->passes, "views");
}

/* Where the piece of these sizes begins in a value that lies so, in elements; false when it isn't one run. */
static bool find_run(const wnn_layout *layout, const wnn_desc *whole, const wnn_desc *piece, const uint32_t *starts,
                     size_t *begin) {
  size_t strides[WNN_MAX_RANK];
  bool is_cut = false;
  if (wnn_layout_is_blocked(layout)) return false;
  wnn_layout_strides(layout, whole, strides);
  *begin = 0;
  for (uint8_t i = layout->rank; i-- > 0;) { /* the innermost first */
    const uint8_t axis = layout->order[i];
    if (is_cut && piece->dims[axis] != 1) return false;
    is_cut = is_cut || piece->dims[axis] != whole->dims[axis];
    *begin += starts[axis] * strides[axis];
  }
  return true;
}

/* The piece as a view of a cell in which it is one run; *out is NULL when there is none. */
static webnn_status view_piece(wnn_program *program, const wnn_value *from, const wnn_value *to,
                               const uint32_t *starts, wnn_cell **out) {
  size_t begin = 0;
  wnn_cell *cell = program->cells[from->id];
  *out = NULL;
  while (cell != NULL && !find_run(&cell->layout, &from->desc, &to->desc, starts, &begin)) cell = cell->other;
  if (cell == NULL) return WEBNN_OK;
  *out = wnn_program_new_view(program, &to->desc, cell->layout, cell);
  if (*out == NULL) return WEBNN_ERROR_UNKNOWN;
  (*out)->at += begin * webnn_data_type_bytes(to->desc.type);
  return WEBNN_OK;
}

/* True when the slice takes neighbours. */
static bool has_no_strides(const wnn_slice_attrs *attrs, const wnn_desc *piece) {
  for (size_t i = 0; i < attrs->strides.n; i++)
    if (attrs->strides.data[i] != 1 && piece->dims[i] != 1) return false;
  return true;
}

static webnn_status cut_split(wnn_program *program, const wnn_node *node, bool *done) {
  const wnn_split_attrs *attrs = node->attrs;
  uint32_t starts[WNN_MAX_RANK] = {0};
  wnn_cell *views[2] = {NULL};
  /* Where one piece is a run all are: they differ in their length along one axis. */
  webnn_status status = view_piece(program, node->inputs[0], node->outputs[0], starts, &views[0]);
  *done = views[0] != NULL;
  for (size_t i = 0; i < node->n_outputs && *done && status == WEBNN_OK; i++) {
    const wnn_value *piece = node->outputs[i];
    status = view_piece(program, node->inputs[0], piece, starts, &views[1]);
    if (status != WEBNN_OK) break;
    wnn_program_attach(program, piece, views[1]);
    starts[attrs->axis] += piece->desc.dims[attrs->axis];
  }
  return status;
}

webnn_status wnn_program_cut(wnn_program *program, const wnn_step *step, bool *done) {
  const wnn_node *node = step->region.anchor;
  wnn_cell *view = NULL;
  *done = false;
  if (is_on(program, step, WNN_OP_SPLIT)) return cut_split(program, node, done);
  if (!is_on(program, step, WNN_OP_SLICE)) return WEBNN_OK;
  const wnn_slice_attrs *attrs = node->attrs;
  const wnn_value *piece = node->outputs[0];
  if (!has_no_strides(attrs, &piece->desc)) return WEBNN_OK;
  webnn_status status = view_piece(program, node->inputs[0], piece, attrs->starts.data, &view);
  *done = view != NULL;
  if (view != NULL) wnn_program_attach(program, piece, view);
  return status;
}

/* ---- joining */

/* True when operand `i` can be written into the joined memory from the start: nobody else has a say in where it is. */
static bool can_stand_in(const wnn_step *step, size_t i, const wnn_layout *layout) {
  const wnn_cell *cell = step->inputs[i];
  if (cell->root != cell || cell->place != WNN_PLACE_ARENA) return false;
  if (!wnn_layout_same_bytes(&cell->layout, layout, &cell->desc)) return false;
  for (size_t k = 0; k < i; k++)
    if (step->inputs[k] == cell) return false;
  return true;
}

static bool is_outermost(const wnn_layout *layout, const wnn_desc *desc, uint32_t axis) {
  for (uint8_t i = 0; i < layout->rank && layout->order[i] != axis; i++)
    if (desc->dims[layout->order[i]] != 1) return false;
  return true;
}

/* Puts operand `i` at `at` of the joined memory: as it is, or by a copy. */
static webnn_status put_part(wnn_program *program, const wnn_step *step, size_t i, wnn_cell *joined, size_t at) {
  wnn_cell *cell = step->inputs[i], *part = cell;
  const bool stands_in = can_stand_in(step, i, &joined->layout);
  if (!stands_in) part = wnn_program_new_cell(program, &cell->desc, joined->layout, WNN_PLACE_ARENA);
  if (part == NULL) return WEBNN_ERROR_UNKNOWN;
  part->root = joined;
  part->at = at;
  return stands_in ? WEBNN_OK : wnn_program_add_reorder(program, cell, part);
}

webnn_status wnn_program_join(wnn_program *program, const wnn_step *step, bool *done) {
  *done = false;
  if (!is_on(program, step, WNN_OP_CONCAT)) return WEBNN_OK;
  const wnn_axis_attrs *attrs = step->region.anchor->attrs;
  wnn_cell *joined = step->outputs[0];
  if (wnn_layout_is_blocked(&joined->layout) || !is_outermost(&joined->layout, &joined->desc, attrs->axis))
    return WEBNN_OK;
  size_t n_standing = 0, at = 0;
  for (size_t i = 0; i < step->region.n_inputs; i++)
    if (can_stand_in(step, i, &joined->layout)) n_standing += step->inputs[i]->n_bytes;
  if (2 * n_standing < joined->n_bytes) return WEBNN_OK; /* one step copies better than many */
  webnn_status status = WEBNN_OK;
  for (size_t i = 0; i < step->region.n_inputs && status == WEBNN_OK; i++) {
    status = put_part(program, step, i, joined, at);
    at += wnn_layout_bytes(&joined->layout, &step->inputs[i]->desc);
  }
  *done = true;
  return status;
}
