/* The ten reductions, any type and any unblocked layout: the axes become a few runs, kept or
 * reduced, and each run is folded along or across by the vector rows. float16 is widened piece by
 * piece, in registers along long rows. */
#include "kernels/kernels.h"
#include "kernels/lanes.h"

#include <math.h>
#include <string.h>

#define PARALLEL_WORK ((size_t)64 * 1024)
#define WIDE_BYTES ((size_t)32 * 1024) /* partial results of columns that are folded at a time */
/* So many elements come of short rows side by side; of many rows so many that those which are read
 * at the same time lie pages apart, for memory gives several streams faster than one. */
#define BESIDE ((size_t)512)
#define FAR_BESIDE ((size_t)2048)
#define ROWS ((size_t)4)               /* widened at a time, of which each piece */
#define FLUSH \
  ((size_t)64) /* rows folded onto one partial result before it is joined: sums stay exact */
#define PIECE ((size_t)512) /* has so many elements */

typedef struct fold_run {
  size_t n;
  size_t in_stride,
      at_stride; /* in elements, of the input and of the partial results; at_stride 0: reduced */
  bool reduced;
} fold_run;

typedef struct reduce_plan {
  wnn_plan base;
  const wnn_vector *vector;
  const wnn_folds *folds;
  wnn_op_id op;
  wnn_fold fold;
  webnn_data_type type; /* of the partial results */
  bool half;            /* the input is float16 */
  size_t in_bytes, bytes;
  fold_run runs[WNN_MAX_RANK]; /* outermost first */
  uint32_t n_runs, cut;        /* parts cut this run */
  size_t n_out, n_reduced;
  size_t n_parts;
  wnn_copy copy; /* from the partial results, which lie in the order of the input, to the output */
  bool copies;
  size_t partial_at, parts_at, shift_at, narrow_at; /* in scratch */
} reduce_plan;

static bool fold_of(wnn_op_id op, wnn_fold *fold) {
  switch (op) {
    case WNN_OP_REDUCE_SUM:
    case WNN_OP_REDUCE_MEAN:
    case WNN_OP_REDUCE_LOG_SUM:
    case WNN_OP_REDUCE_LOG_SUM_EXP: *fold = WNN_FOLD_SUM; return true;
    case WNN_OP_REDUCE_L1: *fold = WNN_FOLD_SUM_ABS; return true;
    case WNN_OP_REDUCE_L2:
    case WNN_OP_REDUCE_SUM_SQUARE: *fold = WNN_FOLD_SUM_SQUARE; return true;
    case WNN_OP_REDUCE_PRODUCT: *fold = WNN_FOLD_PRODUCT; return true;
    case WNN_OP_REDUCE_MAX: *fold = WNN_FOLD_MAX; return true;
    case WNN_OP_REDUCE_MIN: *fold = WNN_FOLD_MIN; return true;
    default: return false;
  }
}

/* ---- planning */

static void add_run(reduce_plan *plan, fold_run run) {
  fold_run *last = plan->n_runs ? &plan->runs[plan->n_runs - 1] : NULL;
  bool joins = last != NULL && last->reduced == run.reduced &&
               last->in_stride == run.in_stride * run.n && last->at_stride == run.at_stride * run.n;
  if (!joins) {
    plan->runs[plan->n_runs++] = run;
    return;
  }
  run.n *= last->n;
  *last = run;
}

static void find_runs(reduce_plan *plan, const wnn_region *region) {
  const wnn_reduce_attrs *attrs = region->anchor->attrs;
  const wnn_port *in = &region->inputs[0];
  bool reduced[WNN_MAX_RANK] = {false};
  size_t from[WNN_MAX_RANK], at[WNN_MAX_RANK];
  for (size_t k = 0; k < attrs->axes.n; k++) reduced[attrs->axes.data[k]] = true;
  plan->copies =
      wnn_kept_copy(&plan->copy, in, &region->outputs[0], reduced, attrs->keep_dimensions, at);
  wnn_copy_prepare(&plan->copy, plan->vector);
  wnn_layout_strides(&in->layout, in->desc, from);
  plan->n_out = plan->n_reduced = 1;
  for (uint32_t i = 0; i < in->desc->rank; i++) {
    uint32_t axis = in->layout.order[i];
    size_t n = in->desc->dims[axis];
    *(reduced[axis] ? &plan->n_reduced : &plan->n_out) *= n;
    if (n > 1) add_run(plan, (fold_run){n, from[axis], at[axis], reduced[axis]});
  }
  if (plan->n_runs == 0) plan->runs[plan->n_runs++] = (fold_run){1, 1, 0, true}; /* one element */
}

/* The outermost run that is long enough for all threads, else the longest. */
static void choose_parts(reduce_plan *plan, const wnn_host *host) {
  size_t work = plan->n_out * plan->n_reduced, threads = wnn_pool_threads(host->pool);
  plan->n_parts = 1;
  plan->base.heavy = work >= PARALLEL_WORK;
  if (!plan->base.heavy || threads == 1) return;
  for (uint32_t i = 0; i < plan->n_runs; i++) {
    if (plan->runs[i].n > plan->runs[plan->cut].n) plan->cut = i;
    if (plan->runs[plan->cut].n >= 2 * threads) break;
  }
  const fold_run *cut = &plan->runs[plan->cut];
  /* Where parts share results each has its own, and what they have is joined. */
  plan->n_parts = cut->reduced ? cut->n < threads ? cut->n : threads
                               : wnn_pool_parts(host->pool, cut->n, work * plan->in_bytes);
}

static size_t reserve(reduce_plan *plan, size_t n_bytes) {
  size_t at = plan->base.scratch_bytes;
  plan->base.scratch_bytes = wnn_aligned(at + n_bytes);
  return at;
}

static void set_scratch(reduce_plan *plan) {
  size_t n_bytes = plan->n_out * plan->bytes;
  if (plan->half || plan->copies) plan->partial_at = reserve(plan, n_bytes);
  if (plan->n_parts > 1 && plan->runs[plan->cut].reduced)
    plan->parts_at = reserve(plan, plan->n_parts * n_bytes);
  if (plan->op == WNN_OP_REDUCE_LOG_SUM_EXP) plan->shift_at = reserve(plan, n_bytes);
  if (plan->half && plan->copies) plan->narrow_at = reserve(plan, plan->n_out * plan->in_bytes);
}

static void free_reduce(wnn_plan *plan) {
  wnn_alloc_free(&wnn_device_host(plan->device)->alloc, plan, plan->n_bytes);
}

static webnn_status plan_reduce(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  const wnn_port *in = &region->inputs[0], *result = &region->outputs[0];
  const webnn_data_type from = in->desc->type;
  const bool half = from == WEBNN_DATA_TYPE_FLOAT16;
  const webnn_data_type type = half ? WEBNN_DATA_TYPE_FLOAT32 : from;
  wnn_fold fold;
  if (!fold_of(region->anchor->op->id, &fold) || region->n_posts != 0 ||
      wnn_layout_is_blocked(&in->layout) || wnn_layout_is_blocked(&result->layout))
    return WEBNN_ERROR_NOT_SUPPORTED;
  const wnn_vector *vector = wnn_vector_for(host);
  const wnn_folds *folds = vector->folds(type);
  if (folds == NULL || folds->fold[fold].rows == NULL) return WEBNN_ERROR_NOT_SUPPORTED;
  reduce_plan *plan = (reduce_plan *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->vector = vector;
  plan->folds = folds;
  plan->op = region->anchor->op->id;
  plan->fold = fold;
  plan->type = type;
  plan->half = half;
  plan->in_bytes = webnn_data_type_bytes(from);
  plan->bytes = webnn_data_type_bytes(type);
  find_runs(plan, region);
  choose_parts(plan, host);
  set_scratch(plan);
  *out = &plan->base;
  return WEBNN_OK;
}

/* ---- running: one pass over the input */

typedef struct pass {
  const reduce_plan *plan;
  wnn_fold fold;
  const char *in;
  char *partial;      /* of all results */
  char *parts;        /* the same for each part, when parts share results */
  const float *shift; /* Σ e^(x − shift) instead of Σ x */
} pass;

/* As float32 where it isn't stored so. */
static const void *widened(const reduce_plan *plan, const char *x, float *wide, size_t n) {
  if (!plan->half) return x;
  plan->vector->widen((const uint16_t *)(const void *)x, wide, n);
  return wide;
}

/* partial[r] takes row r of n neighbours. */
static void take_rows(const pass *p, const char *x, size_t n_rows, size_t n, const float *shift,
                      char *partial) {
  const reduce_plan *plan = p->plan;
  const bool whole = shift == NULL && !plan->half;
  if (plan->half && shift == NULL && n >= PIECE && plan->vector->half_rows[p->fold] != NULL) {
    plan->vector->half_rows[p->fold](x, n_rows, n, partial);
    return;
  }
  const size_t at_once = whole ? n_rows : shift == NULL && n < PIECE ? PIECE / n : 1;
  float wide[PIECE];
  for (size_t r = 0; r < n_rows; r += at_once) {
    const size_t rows = n_rows - r < at_once ? n_rows - r : at_once;
    const char *xs = x + r * n * plan->in_bytes;
    for (size_t k = 0; k < n; k += whole ? n : PIECE) {
      size_t m = whole || n - k < PIECE ? n - k : PIECE;
      const void *piece = widened(plan, xs + k * plan->in_bytes, wide, rows * m);
      if (shift != NULL)
        ((float *)(void *)partial)[r] += plan->vector->exp_sum(piece, shift[r], m);
      else
        plan->folds->fold[p->fold].rows(piece, rows, m, partial + r * plan->bytes);
    }
  }
}

/* partial[k] takes element k of each row; rows are `stride` elements apart. */
static void take_onto(const pass *p, const char *x, size_t n_rows, size_t stride, size_t n,
                      const float *shift, char *partial) {
  const reduce_plan *plan = p->plan;
  float wide[ROWS * PIECE];
  if (shift == NULL && !plan->half) {
    plan->folds->fold[p->fold].onto(x, n_rows, stride, partial, n);
    return;
  }
  for (size_t r = 0; r < n_rows; r += ROWS, x += ROWS * stride * plan->in_bytes) {
    const size_t rows = n_rows - r < ROWS ? n_rows - r : ROWS;
    for (size_t k = 0; k < n; k += PIECE) {
      const size_t m = n - k < PIECE ? n - k : PIECE;
      for (size_t i = 0; i < rows; i++) {
        const void *row = widened(plan, x + (i * stride + k) * plan->in_bytes, wide + i * PIECE, m);
        if (shift != NULL)
          plan->vector->exp_sum_onto(row, shift + k, (float *)(void *)partial + k, m);
      }
      if (shift == NULL)
        plan->folds->fold[p->fold].onto(wide, rows, PIECE, partial + k * plan->bytes, m);
    }
  }
}

/* Folds `rows` rows, `stride` elements apart, whose partial results take at most WIDE_BYTES.
 * Short rows that follow each other are walked through several at a time. */
static void take_slab(const pass *p, const char *x, size_t rows, size_t stride, size_t n,
                      const float *shift, char *partial) {
  const reduce_plan *plan = p->plan;
  const wnn_fold join = wnn_fold_joining(p->fold);
  uint64_t wide[WIDE_BYTES / sizeof(uint64_t)];
  size_t beside = stride != n || shift != NULL ? 1 : FAR_BESIDE / n;
  if (beside > 1 && beside * 8 > rows) beside = BESIDE / n;
  if (beside == 0) beside = 1;
  if (beside > rows) beside = rows;
  while (rows > 0) {
    size_t turns = rows / beside < FLUSH ? rows / beside : FLUSH,
           rest = turns < FLUSH ? rows % beside : 0;
    wnn_fold_start(p->fold, plan->type, wide, beside * n);
    take_onto(p, x, turns, beside * stride, beside * n, shift, (char *)wide);
    x += turns * beside * stride * plan->in_bytes;
    if (rest > 0) take_onto(p, x, 1, 0, rest * n, shift, (char *)wide);
    plan->folds->fold[join].onto(wide, beside, n, partial, n);
    rows -= turns * beside + rest;
  }
}

/* Folds all runs from `level` on; results from `at` on. */
static void take_runs(const pass *p, const fold_run *runs, uint32_t level, const char *x,
                      char *partial, size_t at) {
  const reduce_plan *plan = p->plan;
  const fold_run *r = &runs[level];
  const float *shift = p->shift != NULL ? p->shift + at : NULL;
  uint32_t left = plan->n_runs - level;
  char *to = partial + at * plan->bytes;
  if (left == 1 && r->reduced) {
    take_rows(p, x, 1, r->n, shift, to);
  } else if (left == 1) {
    take_onto(p, x, 1, 0, r->n, shift, to);
  } else if (left == 2 && r->reduced) { /* the last one is kept, else they would be one */
    for (size_t c = 0, most = WIDE_BYTES / plan->bytes; c < r[1].n; c += most)
      take_slab(p, x + c * plan->in_bytes, r->n, r->in_stride,
                r[1].n - c < most ? r[1].n - c : most, shift != NULL ? shift + c : NULL,
                to + c * plan->bytes);
  } else if (left == 2 && r->in_stride == r[1].n && r->at_stride == 1) {
    take_rows(p, x, r->n, r[1].n, shift, to);
  } else {
    for (size_t i = 0; i < r->n; i++)
      take_runs(p, runs, level + 1, x + i * r->in_stride * plan->in_bytes, partial,
                at + i * r->at_stride);
  }
}

static void run_part(void *arg, size_t part, size_t n_parts) {
  const pass *p = arg;
  const reduce_plan *plan = p->plan;
  fold_run runs[WNN_MAX_RANK];
  size_t begin, end;
  memcpy(runs, plan->runs, sizeof runs);
  fold_run *cut = &runs[plan->cut];
  wnn_parallel_split(cut->n, part, n_parts, &begin, &end);
  cut->n = end - begin;
  char *partial = p->partial;
  if (n_parts > 1 && cut->reduced) {
    partial = p->parts + part * plan->n_out * plan->bytes;
    wnn_fold_start(p->fold, plan->type, partial, plan->n_out);
  }
  if (begin == end) return;
  take_runs(p, runs, 0, p->in + begin * cut->in_stride * plan->in_bytes, partial,
            begin * cut->at_stride);
}

static void run_pass(pass *p) {
  const reduce_plan *plan = p->plan;
  wnn_fold_start(p->fold, plan->type, p->partial, plan->n_out);
  wnn_parallel(wnn_device_host(plan->base.device)->pool, plan->n_parts, run_part, p);
  if (plan->n_parts == 1 || !plan->runs[plan->cut].reduced) return;
  plan->folds->fold[wnn_fold_joining(p->fold)].onto(p->parts, plan->n_parts, plan->n_out,
                                                    p->partial, plan->n_out);
}

/* ---- running: all of it */

static void apply(const reduce_plan *plan, wnn_op_id op, float *y) {
  const wnn_stage_args none = {{0}, {0}, {0}};
  plan->vector->stage(op, WEBNN_DATA_TYPE_FLOAT32, WEBNN_DATA_TYPE_FLOAT32)((const void *[]){y}, y,
                                                                            plan->n_out, &none);
}

static void finish(const reduce_plan *plan, float *y, const float *shift) {
  size_t n = plan->n_out;
  switch (plan->op) {
    case WNN_OP_REDUCE_MEAN:
      for (size_t i = 0; i < n; i++) y[i] /= (float)plan->n_reduced;
      break;
    case WNN_OP_REDUCE_L2: apply(plan, WNN_OP_SQRT, y); break;
    case WNN_OP_REDUCE_LOG_SUM: apply(plan, WNN_OP_LOG, y); break;
    case WNN_OP_REDUCE_LOG_SUM_EXP:
      apply(plan, WNN_OP_LOG, y);
      for (size_t i = 0; i < n; i++) y[i] += shift[i];
      break;
    default: break;
  }
}

/* The maxima, by which exponents are shifted. Without a shift infinities and NaN come out as they
 * should. */
static void find_shift(pass *p, float *shift) {
  p->fold = WNN_FOLD_MAX;
  p->partial = (char *)shift;
  run_pass(p);
  for (size_t i = 0; i < p->plan->n_out; i++)
    if (!isfinite(shift[i])) shift[i] = 0.0f;
}

static webnn_status run_reduce(const wnn_plan *base, const wnn_run *run) {
  const reduce_plan *plan = (const reduce_plan *)base;
  char *scratch = run->scratch, *out = run->outputs[0];
  char *partial = plan->half || plan->copies ? scratch + plan->partial_at : out;
  float *shift =
      plan->op == WNN_OP_REDUCE_LOG_SUM_EXP ? (float *)(void *)(scratch + plan->shift_at) : NULL;
  pass p = {.plan = plan, .in = run->inputs[0], .parts = scratch + plan->parts_at};
  if (shift != NULL) find_shift(&p, shift);
  p.fold = plan->fold;
  p.partial = partial;
  p.shift = shift;
  run_pass(&p);
  if (plan->type == WEBNN_DATA_TYPE_FLOAT32) finish(plan, (float *)(void *)partial, shift);
  if (plan->half) {
    char *narrow = plan->copies ? scratch + plan->narrow_at : out;
    plan->vector->narrow((const float *)(const void *)partial, (uint16_t *)(void *)narrow,
                         plan->n_out);
    partial = narrow;
  }
  if (plan->copies) wnn_copy_run(&plan->copy, partial, out, 0, 1);
  return WEBNN_OK;
}

const wnn_kernel wnn_reduce_kernel = {"reduce", plan_reduce, run_reduce, free_reduce};
