/* pad, all modes, any type, any unblocked layout: the input is copied inside, then each axis gets a
 * slab before and a slab behind what is there already. A slab repeats the value, or what the output
 * has near its border. */
#include "kernels/copy.h"
#include "kernels/kernels.h"

#include <string.h>

#define PARALLEL_BYTES ((size_t)128 * 1024)
#define MAX_MOVES (1 + 2 * WNN_MAX_RANK)

typedef struct pad_plan {
  wnn_plan base;
  bool repeats; /* the value: then no move reads what another has written */
  uint64_t value;
  size_t n_moves, n_parts;
  wnn_copy moves[MAX_MOVES]; /* the first one reads the input */
} pad_plan;

static void free_pad(wnn_plan *plan) {
  wnn_alloc_free(&wnn_device_host(plan->device)->alloc, plan, plan->n_bytes);
}

/* ---- planning */

/* The part of the output that is there so far. */
typedef struct filled {
  const wnn_pad_attrs *attrs;
  const wnn_desc *in;
  uint32_t rank;
  size_t first[WNN_MAX_RANK], n[WNN_MAX_RANK];
  ptrdiff_t strides[WNN_MAX_RANK];
  size_t element_bytes;
} filled;

static wnn_copy *start_move(pad_plan *plan, const filled *f) {
  wnn_copy *move = &plan->moves[plan->n_moves++];
  move->rank = f->rank;
  move->element_bytes = f->element_bytes;
  for (uint32_t i = 0; i < f->rank; i++) {
    move->dims[i] = f->n[i];
    move->from[i] = plan->repeats ? 0 : f->strides[i];
    move->to[i] = f->strides[i];
    move->to_offset += (ptrdiff_t)f->first[i] * f->strides[i];
  }
  if (!plan->repeats) move->from_offset = move->to_offset;
  return move;
}

/* Where the element nearest to the border comes from, and which way the next one lies. */
static void add_slab(pad_plan *plan, const filled *f, uint32_t axis, bool behind) {
  const ptrdiff_t begin = (ptrdiff_t)f->attrs->beginning_padding.data[axis],
                  n_in = (ptrdiff_t)f->in->dims[axis];
  const ptrdiff_t n = behind ? (ptrdiff_t)f->attrs->ending_padding.data[axis] : begin;
  const ptrdiff_t first = behind ? begin + n_in : 0; /* of the slab */
  if (n == 0) return;
  wnn_copy *move = start_move(plan, f);
  move->dims[axis] = (size_t)n;
  move->to_offset += (first - begin) * f->strides[axis];
  if (plan->repeats) return;
  ptrdiff_t source = behind ? begin + n_in - 1 : begin; /* edge */
  switch (f->attrs->mode) {
    case WEBNN_PADDING_MODE_REFLECTION: source = behind ? begin + n_in - 2 : 2 * begin; break;
    case WEBNN_PADDING_MODE_SYMMETRIC: source = behind ? begin + n_in - 1 : 2 * begin - 1; break;
    default: break;
  }
  move->from[axis] = f->attrs->mode == WEBNN_PADDING_MODE_EDGE ? 0 : -f->strides[axis];
  move->from_offset += (source - begin) * f->strides[axis];
}

static void plan_moves(pad_plan *plan, const wnn_region *region) {
  const wnn_port *in = &region->inputs[0], *out = &region->outputs[0];
  filled f = {.attrs = region->anchor->attrs,
              .in = in->desc,
              .rank = in->desc->rank,
              .element_bytes = webnn_data_type_bytes(in->desc->type)};
  size_t from[WNN_MAX_RANK], to[WNN_MAX_RANK];
  wnn_layout_strides(&in->layout, in->desc, from);
  wnn_layout_strides(&out->layout, out->desc, to);
  for (uint32_t i = 0; i < f.rank; i++) {
    f.first[i] = f.attrs->beginning_padding.data[i];
    f.n[i] = in->desc->dims[i];
    f.strides[i] = (ptrdiff_t)to[i];
  }
  wnn_copy *inside = start_move(plan, &f);
  inside->from_offset = 0;
  for (uint32_t i = 0; i < f.rank; i++) inside->from[i] = (ptrdiff_t)from[i];
  for (uint32_t k = f.rank; k-- > 0;) { /* innermost first: the outer slabs are then large runs */
    uint32_t axis = out->layout.order[k];
    add_slab(plan, &f, axis, false);
    add_slab(plan, &f, axis, true);
    f.first[axis] = 0;
    f.n[axis] = out->desc->dims[axis];
  }
}

static webnn_status plan_pad(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  const wnn_pad_attrs *attrs = region->anchor->attrs;
  const wnn_port *in = &region->inputs[0], *result = &region->outputs[0];
  if (region->n_posts != 0 || wnn_layout_is_blocked(&in->layout) ||
      wnn_layout_is_blocked(&result->layout))
    return WEBNN_ERROR_NOT_SUPPORTED;
  pad_plan *plan = (pad_plan *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->repeats = attrs->mode == WEBNN_PADDING_MODE_CONSTANT;
  if (plan->repeats) wnn_store_number(&plan->value, attrs->value, result->desc->type);
  plan_moves(plan, region);
  for (size_t i = 0; i < plan->n_moves; i++)
    wnn_copy_prepare(&plan->moves[i], wnn_vector_for(host));
  plan->moves[0].streams = wnn_streams(host, wnn_desc_bytes(result->desc));
  plan->base.heavy = wnn_desc_bytes(result->desc) >= PARALLEL_BYTES;
  plan->n_parts =
      plan->base.heavy ? wnn_pool_parts(host->pool, SIZE_MAX, 2 * wnn_desc_bytes(result->desc)) : 1;
  *out = &plan->base;
  return WEBNN_OK;
}

/* ---- running */

typedef struct job {
  const pad_plan *plan;
  const wnn_run *run;
  size_t first, last; /* moves that may go at the same time */
} job;

static void run_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  for (size_t i = j->first; i < j->last; i++) {
    const void *from = i == 0             ? j->run->inputs[0]
                       : j->plan->repeats ? &j->plan->value
                                          : j->run->outputs[0];
    wnn_copy_run(&j->plan->moves[i], from, j->run->outputs[0], part, n_parts);
  }
}

static webnn_status run_pad(const wnn_plan *base, const wnn_run *run) {
  const pad_plan *plan = (const pad_plan *)base;
  wnn_pool *pool = wnn_device_host(base->device)->pool;
  job j = {plan, run, 0, plan->n_moves};
  if (plan->repeats || plan->n_parts == 1) {
    wnn_parallel(pool, plan->n_parts, run_part, &j);
    return WEBNN_OK;
  }
  for (; j.first < plan->n_moves; j.first++) {
    j.last = j.first + 1;
    wnn_parallel(pool, plan->n_parts, run_part, &j);
  }
  return WEBNN_OK;
}

const wnn_kernel wnn_pad_kernel = {"pad", plan_pad, run_pad, free_pad};
