/* Regions that only move elements: reorder, slice, concat, split, expand, tile, reverse. Each is a
 * few strided copies, found at plan. */
#include "kernels/copy.h"
#include "kernels/kernels.h"

#include <string.h>

#define PARALLEL_BYTES ((size_t)128 * 1024)
#define PIECE_BYTES ((size_t)128 * 1024)
#define ZIPPED_BYTES ((size_t)8192) /* of the output, at a time */

typedef struct move {
  wnn_copy copy;
  uint16_t input, output; /* ports */
} move;

typedef struct movement_plan {
  wnn_plan base;
  size_t n_moves, n_parts, n_pieces; /* pieces of each part */
  bool zips;                         /* two moves whose elements take turns */
  move moves[];
} movement_plan;

static bool strides_of(const wnn_port *port, ptrdiff_t *strides) {
  size_t own[WNN_MAX_RANK];
  if (port->desc == NULL || wnn_layout_is_blocked(&port->layout)) return false;
  wnn_layout_strides(&port->layout, port->desc, own);
  for (uint32_t i = 0; i < port->desc->rank; i++) strides[i] = (ptrdiff_t)own[i];
  return true;
}

/* A copy of all of `shape` between two ports of one rank; offsets and strides are then adjusted. */
static bool start_move(move *m, const wnn_region *region, size_t input, size_t output,
                       const wnn_desc *shape) {
  *m = (move){.input = (uint16_t)input, .output = (uint16_t)output};
  m->copy.rank = shape->rank;
  m->copy.element_bytes = webnn_data_type_bytes(shape->type);
  for (uint32_t i = 0; i < shape->rank; i++) m->copy.dims[i] = shape->dims[i];
  return strides_of(&region->inputs[input], m->copy.from) &&
         strides_of(&region->outputs[output], m->copy.to);
}

static bool plan_reorder(movement_plan *plan, const wnn_region *region) {
  return start_move(&plan->moves[0], region, 0, 0, region->outputs[0].desc);
}

static bool plan_concat(movement_plan *plan, const wnn_region *region) {
  const wnn_axis_attrs *attrs = region->anchor->attrs;
  ptrdiff_t at = 0;
  for (size_t i = 0; i < region->n_inputs; i++) {
    move *m = &plan->moves[i];
    if (!start_move(m, region, i, 0, region->inputs[i].desc)) return false;
    m->copy.to_offset = at * m->copy.to[attrs->axis];
    at += region->inputs[i].desc->dims[attrs->axis];
  }
  return true;
}

static bool plan_split(movement_plan *plan, const wnn_region *region) {
  const wnn_split_attrs *attrs = region->anchor->attrs;
  ptrdiff_t at = 0;
  for (size_t i = 0; i < region->n_outputs; i++) {
    move *m = &plan->moves[i];
    if (!start_move(m, region, 0, i, region->outputs[i].desc)) return false;
    m->copy.from_offset = at * m->copy.from[attrs->axis];
    at += region->outputs[i].desc->dims[attrs->axis];
  }
  return true;
}

static bool plan_slice(movement_plan *plan, const wnn_region *region) {
  const wnn_slice_attrs *attrs = region->anchor->attrs;
  move *m = &plan->moves[0];
  if (!start_move(m, region, 0, 0, region->outputs[0].desc)) return false;
  for (uint32_t i = 0; i < m->copy.rank; i++) {
    m->copy.from_offset += (ptrdiff_t)attrs->starts.data[i] * m->copy.from[i];
    m->copy.from[i] *= (ptrdiff_t)attrs->strides.data[i];
  }
  return true;
}

static bool plan_reverse(movement_plan *plan, const wnn_region *region) {
  const wnn_axes_attrs *attrs = region->anchor->attrs;
  move *m = &plan->moves[0];
  if (!start_move(m, region, 0, 0, region->outputs[0].desc)) return false;
  for (size_t k = 0; k < attrs->axes.n; k++) {
    uint32_t axis = attrs->axes.data[k];
    m->copy.from_offset += ((ptrdiff_t)m->copy.dims[axis] - 1) * m->copy.from[axis];
    m->copy.from[axis] = -m->copy.from[axis];
  }
  return true;
}

static bool plan_expand(movement_plan *plan, const wnn_region *region) {
  const wnn_desc *in = region->inputs[0].desc, *out = region->outputs[0].desc;
  move *m = &plan->moves[0];
  ptrdiff_t own[WNN_MAX_RANK];
  if (in == NULL || !start_move(m, region, 0, 0, out) || !strides_of(&region->inputs[0], own))
    return false;
  for (uint32_t i = 0; i < out->rank; i++) {
    uint32_t missing = out->rank - in->rank;
    m->copy.from[i] = i < missing || in->dims[i - missing] == 1 ? 0 : own[i - missing];
  }
  return true;
}

/* Each axis becomes two: the repetitions, which are read again and again, and the input's own. */
static bool plan_tile(movement_plan *plan, const wnn_region *region) {
  const wnn_shape_attrs *attrs = region->anchor->attrs;
  const wnn_desc *in = region->inputs[0].desc;
  move *m = &plan->moves[0];
  if (in == NULL || !start_move(m, region, 0, 0, in)) return false;
  for (uint32_t i = 0; i < in->rank; i++) {
    m->copy.dims[in->rank + i] = attrs->shape.data[i];
    m->copy.from[in->rank + i] = 0;
    m->copy.to[in->rank + i] = m->copy.to[i] * (ptrdiff_t)in->dims[i];
  }
  m->copy.rank = 2 * in->rank;
  return true;
}

static bool find_moves(movement_plan *plan, const wnn_region *region) {
  switch (region->anchor->op->id) {
    case WNN_OP_REORDER: return plan_reorder(plan, region);
    case WNN_OP_CONCAT: return plan_concat(plan, region);
    case WNN_OP_SPLIT: return plan_split(plan, region);
    case WNN_OP_SLICE: return plan_slice(plan, region);
    case WNN_OP_REVERSE: return plan_reverse(plan, region);
    case WNN_OP_EXPAND: return plan_expand(plan, region);
    case WNN_OP_TILE: return plan_tile(plan, region);
    default: return false;
  }
}

static bool takes_turns(const movement_plan *plan) {
  const wnn_copy *a = &plan->moves[0].copy, *b = &plan->moves[1].copy;
  const size_t bytes = a->element_bytes;
  const ptrdiff_t step = (ptrdiff_t)bytes;
  return plan->n_moves == 2 && a->rank == 1 && b->rank == 1 && b->element_bytes == bytes &&
         bytes <= 8 && (bytes & (bytes - 1)) == 0 && a->dims[0] == b->dims[0] &&
         a->from[0] == step && b->from[0] == step && a->to[0] == 2 * step && b->to[0] == 2 * step &&
         b->to_offset == a->to_offset + step && plan->moves[0].output == plan->moves[1].output;
}

static void free_movement(wnn_plan *plan) {
  wnn_alloc_free(&wnn_device_host(plan->device)->alloc, plan, plan->n_bytes);
}

static webnn_status plan_movement(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  size_t n_moves = region->n_inputs > region->n_outputs ? region->n_inputs : region->n_outputs;
  if (region->n_posts != 0) return WEBNN_ERROR_NOT_SUPPORTED;
  movement_plan *plan =
      (movement_plan *)wnn_plan_create(device, &host->alloc, sizeof *plan + n_moves * sizeof(move));
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->n_moves = n_moves;
  if (!find_moves(plan, region)) {
    free_movement(&plan->base);
    return WEBNN_ERROR_NOT_SUPPORTED;
  }
  size_t n_bytes = 0;
  for (size_t i = 0; i < n_moves; i++) {
    n_bytes += wnn_copy_count(&plan->moves[i].copy) * plan->moves[i].copy.element_bytes;
    wnn_copy_prepare(&plan->moves[i].copy, wnn_vector_for(host));
  }
  for (size_t i = 0; i < n_moves; i++) plan->moves[i].copy.streams = wnn_streams(host, n_bytes);
  plan->zips = takes_turns(plan);
  plan->base.heavy = n_bytes >= PARALLEL_BYTES;
  plan->n_parts = plan->base.heavy ? wnn_pool_parts(host->pool, SIZE_MAX, 2 * n_bytes) : 1;
  plan->n_pieces = n_moves == 1 ? 1 : 1 + n_bytes / (plan->n_parts * PIECE_BYTES);
  *out = &plan->base;
  return WEBNN_OK;
}

typedef struct job {
  const movement_plan *plan;
  const wnn_run *run;
} job;

/* Several moves go piece by piece, since they may share cache lines and pages. */
static void move_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  const size_t n_pieces = j->plan->n_pieces;
  for (size_t piece = 0; piece < n_pieces; piece++)
    for (size_t i = 0; i < j->plan->n_moves; i++) {
      const move *m = &j->plan->moves[i];
      wnn_copy_run(&m->copy, j->run->inputs[m->input], j->run->outputs[m->output],
                   part * n_pieces + piece, n_parts * n_pieces);
    }
}

static void zip_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  const wnn_copy *a = &j->plan->moves[0].copy, *b = &j->plan->moves[1].copy;
  const size_t bytes = a->element_bytes, size = bytes == 8 ? 3 : bytes / 2;
  const size_t most = ZIPPED_BYTES / 2 / bytes;
  const char *x = (const char *)j->run->inputs[j->plan->moves[0].input] + a->from_offset,
             *y = (const char *)j->run->inputs[j->plan->moves[1].input] + b->from_offset;
  char *to = (char *)j->run->outputs[j->plan->moves[0].output] + a->to_offset, near[ZIPPED_BYTES];
  size_t begin, end;
  wnn_parallel_split(a->dims[0], part, n_parts, &begin, &end);
  for (size_t k = begin, n; k < end; k += n) {
    n = end - k < most ? end - k : most;
    const size_t next = k + n, m = end - next < most ? end - next : most;
    wnn_fetch(x + next * bytes, m * bytes);
    wnn_fetch(y + next * bytes, m * bytes);
    char *pairs = a->streams ? near : to + 2 * k * bytes;
    a->vector->zip[size](x + k * bytes, y + k * bytes, pairs, n);
    if (a->streams) a->vector->stream(near, to + 2 * k * bytes, 2 * n * bytes);
  }
  if (a->streams) a->vector->stream_end();
}

static webnn_status run_movement(const wnn_plan *base, const wnn_run *run) {
  const movement_plan *plan = (const movement_plan *)base;
  wnn_pool *pool = wnn_device_host(base->device)->pool;
  job j = {plan, run};
  wnn_parallel(pool, plan->n_parts, plan->zips ? zip_part : move_part, &j);
  return WEBNN_OK;
}

const wnn_kernel wnn_movement_kernel = {"movement", plan_movement, run_movement, free_movement};
