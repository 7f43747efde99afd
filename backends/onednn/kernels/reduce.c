/* Reductions of float32 in any unblocked layout: the axes become a few runs, kept or reduced, and each run is folded
 * along or across by the vector rows. */
#include "kernels/kernels.h"
#include "kernels/vector.h"

#include <math.h>
#include <string.h>

#define PARALLEL_WORK ((size_t)64 * 1024)
#define WIDE ((size_t)512) /* columns that are folded at a time: short rows go side by side */
#define FLUSH ((size_t)64) /* rows folded onto one partial result before it is joined: sums stay exact */

typedef struct fold_run {
  size_t n;
  size_t in_stride, out_stride; /* out_stride 0: reduced */
  bool reduced;
} fold_run;

typedef struct reduce_plan {
  wnn_plan base;
  const wnn_vector *vector;
  wnn_op_id op;
  wnn_fold fold;
  fold_run runs[WNN_MAX_RANK]; /* outermost first */
  uint32_t n_runs;
  size_t n_out, n_reduced;
  size_t n_parts;
} reduce_plan;

static bool fold_of(wnn_op_id op, wnn_fold *fold) {
  switch (op) {
    case WNN_OP_REDUCE_SUM:
    case WNN_OP_REDUCE_MEAN:
    case WNN_OP_REDUCE_LOG_SUM: *fold = WNN_FOLD_SUM; return true;
    case WNN_OP_REDUCE_L1: *fold = WNN_FOLD_SUM_ABS; return true;
    case WNN_OP_REDUCE_L2:
    case WNN_OP_REDUCE_SUM_SQUARE: *fold = WNN_FOLD_SUM_SQUARE; return true;
    case WNN_OP_REDUCE_PRODUCT: *fold = WNN_FOLD_PRODUCT; return true;
    case WNN_OP_REDUCE_MAX: *fold = WNN_FOLD_MAX; return true;
    case WNN_OP_REDUCE_MIN: *fold = WNN_FOLD_MIN; return true;
    default: return false;
  }
}

/* The fold that joins partial results of `fold`. */
static wnn_fold joining(wnn_fold fold) {
  return fold == WNN_FOLD_SUM_ABS || fold == WNN_FOLD_SUM_SQUARE ? WNN_FOLD_SUM : fold;
}

static void find_runs(reduce_plan *plan, const wnn_region *region) {
  const wnn_reduce_attrs *attrs = region->anchor->attrs;
  const wnn_port *in = &region->inputs[0], *out = &region->outputs[0];
  size_t in_strides[WNN_MAX_RANK], out_strides[WNN_MAX_RANK];
  bool reduced[WNN_MAX_RANK] = {false};
  uint32_t out_axis[WNN_MAX_RANK], n_kept = 0;
  wnn_layout_strides(&in->layout, in->desc, in_strides);
  wnn_layout_strides(&out->layout, out->desc, out_strides);
  for (size_t k = 0; k < attrs->axes.n; k++) reduced[attrs->axes.data[k]] = true;
  for (uint32_t axis = 0; axis < in->desc->rank; axis++)
    out_axis[axis] = attrs->keep_dimensions ? axis : reduced[axis] ? 0 : n_kept++;
  plan->n_reduced = 1;
  for (uint32_t i = 0; i < in->desc->rank; i++) {
    uint32_t axis = in->layout.order[i];
    size_t n = in->desc->dims[axis];
    if (reduced[axis]) plan->n_reduced *= n;
    if (n == 1) continue;
    fold_run r = {n, in_strides[axis], reduced[axis] ? 0 : out_strides[out_axis[axis]], reduced[axis]};
    fold_run *last = plan->n_runs ? &plan->runs[plan->n_runs - 1] : NULL;
    bool joins = last != NULL && last->reduced == r.reduced && last->in_stride == r.in_stride * n &&
                 last->out_stride == r.out_stride * n;
    if (joins) r.n *= last->n, *last = r;
    else plan->runs[plan->n_runs++] = r;
  }
  if (plan->n_runs == 0) plan->runs[plan->n_runs++] = (fold_run){1, 1, 0, true}; /* one element */
}

static void free_reduce(wnn_plan *plan) {
  wnn_alloc_free(&wnn_device_host(plan->device)->alloc, plan, plan->n_bytes);
}

static webnn_status plan_reduce(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  const wnn_port *in = &region->inputs[0], *result = &region->outputs[0];
  wnn_fold fold;
  if (!fold_of(region->anchor->op->id, &fold) || in->desc->type != WEBNN_DATA_TYPE_FLOAT32 ||
      region->n_posts != 0)
    return WEBNN_ERROR_NOT_SUPPORTED;
  if (wnn_layout_is_blocked(&in->layout) || wnn_layout_is_blocked(&result->layout))
    return WEBNN_ERROR_NOT_SUPPORTED;
  reduce_plan *plan = (reduce_plan *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->vector = wnn_vector_get();
  plan->op = region->anchor->op->id;
  plan->fold = fold;
  find_runs(plan, region);
  const fold_run *inner = &plan->runs[plan->n_runs - 1];
  if (!inner->reduced && inner->out_stride != 1) {
    free_reduce(&plan->base);
    return WEBNN_ERROR_NOT_SUPPORTED;
  }
  plan->n_out = wnn_desc_count(result->desc);
  plan->base.heavy = wnn_desc_count(in->desc) >= PARALLEL_WORK;
  size_t threads = plan->base.heavy ? wnn_pool_threads(host->pool) : 1;
  /* Parts cut the outermost run; the innermost one stays whole. */
  plan->n_parts = plan->n_runs > 1 && plan->runs[0].n >= threads ? threads : 1;
  if (plan->runs[0].reduced && plan->n_parts > 1)
    plan->base.scratch_bytes = plan->n_parts * plan->n_out * sizeof(float);
  *out = &plan->base;
  return WEBNN_OK;
}

/* Folds `rows` rows of `n` neighbours each onto `n` partial results. Rows follow each other without a gap. */
static void fold_rows(const reduce_plan *plan, const float *x, size_t rows, size_t n, float *partial) {
  float wide[WIDE];
  wnn_fold join = joining(plan->fold);
  size_t beside = n <= WIDE / 2 ? WIDE / n : 1;
  if (n > WIDE) {
    for (size_t r = 0; r < rows; r++) plan->vector->fold_onto[plan->fold](x + r * n, partial, n);
    return;
  }
  for (size_t r = 0; r < rows;) {
    size_t width = beside * n;
    for (size_t k = 0; k < width; k++) wide[k] = wnn_fold_start(plan->fold);
    for (size_t k = 0; k < FLUSH && r < rows; k++) {
      size_t more = rows - r < beside ? rows - r : beside;
      plan->vector->fold_onto[plan->fold](x + r * n, wide, more * n);
      r += more;
    }
    for (size_t k = 0; k < beside; k++) plan->vector->fold_onto[join](wide + k * n, partial, n);
  }
}

/* Folds all runs from `level` on. */
static void fold_runs(const reduce_plan *plan, uint32_t level, const float *x, float *partial) {
  const fold_run *r = &plan->runs[level];
  uint32_t left = plan->n_runs - level;
  if (left == 1 && r->reduced) {
    *partial = wnn_fold_join(joining(plan->fold), *partial, plan->vector->fold_row[plan->fold](x, r->n));
  } else if (left == 1) {
    plan->vector->fold_onto[plan->fold](x, partial, r->n);
  } else if (left == 2 && r->reduced && r->in_stride == r[1].n) {
    fold_rows(plan, x, r->n, r[1].n, partial);
  } else {
    for (size_t i = 0; i < r->n; i++)
      fold_runs(plan, level + 1, x + i * r->in_stride, partial + i * r->out_stride);
  }
}

typedef struct job {
  const reduce_plan *plan;
  const float *in;
  float *out, *scratch;
} job;

static void start_at(const reduce_plan *plan, float *partial) {
  for (size_t i = 0; i < plan->n_out; i++) partial[i] = wnn_fold_start(plan->fold);
}

static void run_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  reduce_plan plan = *j->plan; /* with an outermost run of its own */
  const fold_run outer = plan.runs[0];
  size_t begin, end;
  wnn_parallel_split(outer.n, part, n_parts, &begin, &end);
  if (begin == end) return;
  plan.runs[0].n = end - begin;
  float *partial = j->out + begin * outer.out_stride;
  if (outer.reduced) {
    partial = j->scratch + part * plan.n_out;
    start_at(&plan, partial);
  }
  fold_runs(&plan, 0, j->in + begin * outer.in_stride, partial);
}

static void finish(const reduce_plan *plan, float *y) {
  size_t n = plan->n_out;
  const wnn_stage_args none = {{0}, {0}, {0}};
  const void *in[1] = {y};
  switch (plan->op) {
    case WNN_OP_REDUCE_MEAN:
      for (size_t i = 0; i < n; i++) y[i] /= (float)plan->n_reduced;
      break;
    case WNN_OP_REDUCE_L2:
      plan->vector->stage(WNN_OP_SQRT, WEBNN_DATA_TYPE_FLOAT32, WEBNN_DATA_TYPE_FLOAT32)(in, y, n, &none);
      break;
    case WNN_OP_REDUCE_LOG_SUM:
      plan->vector->stage(WNN_OP_LOG, WEBNN_DATA_TYPE_FLOAT32, WEBNN_DATA_TYPE_FLOAT32)(in, y, n, &none);
      break;
    default: break;
  }
}

static webnn_status run_reduce(const wnn_plan *base, const wnn_run *run) {
  const reduce_plan *plan = (const reduce_plan *)base;
  job j = {plan, run->inputs[0], run->outputs[0], run->scratch};
  start_at(plan, j.out);
  if (plan->n_parts == 1) {
    fold_runs(plan, 0, j.in, j.out);
  } else {
    wnn_parallel(wnn_device_host(base->device)->pool, plan->n_parts, run_part, &j);
    if (plan->runs[0].reduced)
      for (size_t p = 0; p < plan->n_parts; p++)
        plan->vector->fold_onto[joining(plan->fold)](j.scratch + p * plan->n_out, j.out, plan->n_out);
  }
  finish(plan, j.out);
  return WEBNN_OK;
}

const wnn_kernel wnn_reduce_kernel = {"reduce", plan_reduce, run_reduce, free_reduce};
