/* argMin and argMax along one axis of any unblocked layout: the first of equal extremes, the first
 * NaN before all. */
#include "kernels/kernels.h"
#include "kernels/lanes.h"

#include <string.h>

#define PARALLEL_WORK ((size_t)32 * 1024)
#define WIDE_BYTES ((size_t)4 * 1024) /* columns done together, as compared */
#define ROWS ((size_t)4)              /* and rows */
#define PIECE_BYTES ((size_t)1024) /* of a row, done together */
#define NEAR ((size_t)256)         /* rows of bytes done together */
#define LEAST_CHUNK ((size_t)64)   /* rows that are worth a part */

typedef struct arg_plan {
  wnn_plan base;
  const wnn_vector *vector;
  const wnn_folds *folds;
  int which; /* 0: maximum, 1: minimum */
  bool half;
  size_t bytes;           /* of an element */
  size_t wide;            /* columns done together */
  size_t n_chunks; /* of the axis, which parts take one by one; then the best of them is best */
  wnn_lanes lanes;
  bool wide_index; /* int64 */
  bool copies;
  wnn_copy copy; /* from indices in the order of the input to the output */
  size_t n_jobs, n_parts;
  /* In scratch narrow indices come first, those of all chunks one after the other; then wide ones
   * before they are copied; then the best of each chunk, and which of them is best. */
  size_t ordered_at, best_at, which_at;
} arg_plan;

static void free_arg(wnn_plan *plan) {
  wnn_alloc_free(&wnn_device_host(plan->device)->alloc, plan, plan->n_bytes);
}

/* Columns are shared, or rows; where there are too few of both, the axis. */
static void set_parts(arg_plan *plan, const wnn_host *host) {
  const wnn_lanes *l = &plan->lanes;
  const size_t n_out = l->outer * l->inner;
  plan->base.heavy = n_out * l->n >= PARALLEL_WORK;
  const size_t threads = plan->base.heavy ? wnn_pool_threads(host->pool) : 1;
  plan->wide = wnn_lanes_width(l, plan->bytes, WIDE_BYTES / plan->bytes, threads);
  plan->n_jobs = l->outer * ((l->inner + plan->wide - 1) / plan->wide);
  plan->n_chunks = 1;
  if (plan->n_jobs < threads)
    plan->n_chunks = l->n / LEAST_CHUNK < threads ? l->n / LEAST_CHUNK : threads;
  if (plan->n_chunks < 1) plan->n_chunks = 1;
  plan->n_jobs *= plan->n_chunks;
  plan->n_parts =
      !plan->base.heavy ? 1 : wnn_pool_parts(host->pool, plan->n_jobs, n_out * l->n * plan->bytes);
  plan->ordered_at = wnn_aligned(plan->n_chunks * n_out * sizeof(int32_t));
  plan->best_at = plan->ordered_at + wnn_aligned(n_out * sizeof(int64_t));
  plan->which_at = plan->best_at;
  if (plan->n_chunks > 1) plan->which_at += wnn_aligned(plan->n_chunks * n_out * plan->bytes);
  plan->base.scratch_bytes = plan->which_at + (plan->n_chunks > 1 ? n_out * sizeof(int32_t) : 0);
}

static webnn_status plan_arg(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  const wnn_arg_attrs *attrs = region->anchor->attrs;
  const wnn_port *in = &region->inputs[0], *result = &region->outputs[0];
  const bool half = in->desc->type == WEBNN_DATA_TYPE_FLOAT16;
  bool reduced[WNN_MAX_RANK] = {false};
  size_t at[WNN_MAX_RANK];
  if (region->n_posts != 0 || wnn_layout_is_blocked(&in->layout) ||
      wnn_layout_is_blocked(&result->layout))
    return WEBNN_ERROR_NOT_SUPPORTED;
  arg_plan *plan = (arg_plan *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->vector = wnn_vector_for(host);
  plan->folds = half ? plan->vector->key_folds : plan->vector->folds(in->desc->type);
  plan->which = region->anchor->op->id == WNN_OP_ARG_MIN;
  plan->half = half;
  plan->bytes = webnn_data_type_bytes(in->desc->type);
  plan->lanes = wnn_lanes_along(in, attrs->axis);
  plan->wide_index = result->desc->type == WEBNN_DATA_TYPE_INT64;
  reduced[attrs->axis] = true;
  plan->copies = wnn_kept_copy(&plan->copy, in, result, reduced, attrs->keep_dimensions, at);
  wnn_copy_prepare(&plan->copy, plan->vector);
  set_parts(plan, host);
  *out = &plan->base;
  return WEBNN_OK;
}

typedef struct job {
  const arg_plan *plan;
  const char *in;
  int32_t *index;
  char *best, *which; /* in scratch, of several chunks */
} job;

/* Elements as they are compared: keys of float16. */
static const void *compared(const arg_plan *plan, const char *x, int16_t *keys, size_t n) {
  if (!plan->half) return x;
  plan->vector->half_keys[plan->which]((const uint16_t *)(const void *)x, keys, n);
  return keys;
}

/* Piece by piece: a later piece's best has to beat the best so far. Most don't, and only those that
 * may are searched. */
static int32_t arg_row(const arg_plan *plan, const char *x, size_t n, char *result) {
  const wnn_fold fold = plan->which == 0 ? WNN_FOLD_MAX : WNN_FOLD_MIN;
  const size_t most = PIECE_BYTES / plan->bytes;
  int16_t keys[PIECE_BYTES / sizeof(int16_t)];
  uint64_t best[1], top[1];
  int32_t index = 0;
  for (size_t k = 0; k < n; k += most) {
    const size_t m = n - k < most ? n - k : most;
    if (k + 2 * most <= n) wnn_fetch(x + (k + most) * plan->bytes, PIECE_BYTES);
    const char *xs = compared(plan, x + k * plan->bytes, keys, m);
    memcpy(top, k == 0 ? (const void *)xs : best, plan->bytes);
    plan->folds->fold[fold].rows(xs, 1, m, top);
    if (k != 0 && memcmp(top, best, plan->bytes) == 0) continue;
    int32_t at = plan->folds->arg_row[plan->which](xs, m);
    const char *value = xs + (size_t)at * plan->bytes;
    if (k == 0) {
      memcpy(best, value, plan->bytes);
      index = at;
    } else {
      plan->folds->arg_onto[plan->which](value, 1, 1, (int32_t)k + at, best, &index, 1);
    }
  }
  memcpy(result, best, plan->bytes);
  return index;
}

/* Asks for the next rows, of which `left` are there. */
static void fetch_rows(const arg_plan *plan, const char *x, size_t left, size_t width) {
  const size_t n = left < ROWS ? left : ROWS;
  for (size_t r = 0; r < n; r++)
    wnn_fetch(x + r * plan->lanes.inner * plan->bytes, width * plan->bytes);
}

/* Places among NEAR rows fit into a byte, as the elements do, or into a key. */
static void arg_narrow_columns(const arg_plan *plan, const char *x, size_t n, int32_t *index,
                               char *best, size_t width) {
  uint64_t near[WIDE_BYTES / sizeof(uint64_t)], at[WIDE_BYTES / sizeof(uint64_t)];
  int16_t keys[ROWS * WIDE_BYTES / sizeof(int16_t)];
  const size_t inner = plan->lanes.inner, stride = inner * plan->bytes;
  for (size_t i = 0; i < n; i += NEAR) {
    const size_t rows = n - i < NEAR ? n - i : NEAR;
    memcpy(near, compared(plan, x + i * stride, keys, width), width * plan->bytes);
    memset(at, 0, width * plan->bytes);
    for (size_t k = 1, m; k < rows; k += m) {
      const char *from = x + (i + k) * stride;
      m = rows - k < ROWS ? rows - k : ROWS;
      fetch_rows(plan, from + m * stride, n - i - k - m, width);
      for (size_t r = 0; r < m && plan->half; r++)
        compared(plan, from + r * stride, keys + r * width, width);
      plan->folds->arg_near[plan->which](plan->half ? (const char *)keys : from, m,
                                         plan->half ? width : inner, (uint32_t)k, near, at, width);
    }
    if (i != 0) {
      plan->folds->arg_join[plan->which](near, at, (int32_t)i, best, index, width);
      continue;
    }
    memcpy(best, near, width * plan->bytes);
    for (size_t c = 0; c < width; c++)
      index[c] =
          plan->bytes == 1 ? ((const uint8_t *)(void *)at)[c] : ((const uint16_t *)(void *)at)[c];
  }
}

/* `width` columns of `n` rows from x on; `best` has room for as many elements as compared. */
static void arg_columns(const arg_plan *plan, const char *x, size_t n, int32_t *index, char *best,
                        size_t width) {
  const size_t inner = plan->lanes.inner, stride = inner * plan->bytes;
  if (plan->bytes <= 2) {
    arg_narrow_columns(plan, x, n, index, best, width);
    return;
  }
  memcpy(best, x, width * plan->bytes);
  memset(index, 0, width * sizeof *index);
  for (size_t i = 1, m; i < n; i += m) {
    const char *rows = x + i * stride;
    m = n - i < ROWS ? n - i : ROWS;
    fetch_rows(plan, rows + m * stride, n - i - m, width);
    plan->folds->arg_onto[plan->which](rows, m, inner, (int32_t)i, best, index, width);
  }
}

static void run_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  const arg_plan *plan = j->plan;
  const size_t inner = plan->lanes.inner, slabs = (inner + plan->wide - 1) / plan->wide;
  const size_t n_out = plan->lanes.outer * inner;
  uint64_t own[WIDE_BYTES / sizeof(uint64_t)];
  size_t begin, end;
  wnn_parallel_split(plan->n_jobs, part, n_parts, &begin, &end);
  for (size_t k = begin; k < end; k++) {
    const size_t chunk = k % plan->n_chunks, slab = k / plan->n_chunks;
    const size_t outer = slab / slabs, column = slab % slabs * plan->wide,
                 at = outer * inner + column;
    size_t first, last;
    wnn_parallel_split(plan->lanes.n, chunk, plan->n_chunks, &first, &last);
    const char *x = j->in + ((outer * plan->lanes.n + first) * inner + column) * plan->bytes;
    int32_t *index = j->index + chunk * n_out + at;
    char *best = plan->n_chunks > 1 ? j->best + (chunk * n_out + at) * plan->bytes : (char *)own;
    if (inner == 1)
      *index = arg_row(plan, x, last - first, best);
    else
      arg_columns(plan, x, last - first, index, best,
                  inner - column < plan->wide ? inner - column : plan->wide);
  }
}

/* The chunks' places become those of the best among them; of equal ones that is the first. */
static void join_chunks(const job *j) {
  const arg_plan *plan = j->plan;
  const size_t n_out = plan->lanes.outer * plan->lanes.inner;
  int32_t *which = (int32_t *)(void *)j->which;
  memset(which, 0, n_out * sizeof *which);
  for (size_t c = 1; c < plan->n_chunks; c++)
    plan->folds->arg_onto[plan->which](j->best + c * n_out * plan->bytes, 1, n_out, (int32_t)c,
                                       j->best, which, n_out);
  for (size_t i = 0; i < n_out; i++) {
    size_t first, last;
    wnn_parallel_split(plan->lanes.n, (size_t)which[i], plan->n_chunks, &first, &last);
    j->index[i] = (int32_t)first + j->index[(size_t)which[i] * n_out + i];
  }
}

static webnn_status run_arg(const wnn_plan *base, const wnn_run *run) {
  const arg_plan *plan = (const arg_plan *)base;
  const size_t n_out = plan->lanes.outer * plan->lanes.inner;
  char *scratch = run->scratch, *result = run->outputs[0];
  bool direct = !plan->copies && !plan->wide_index && plan->n_chunks == 1;
  job j = {plan, run->inputs[0], (int32_t *)(void *)(direct ? result : scratch),
           scratch + plan->best_at, scratch + plan->which_at};
  if (plan->n_parts == 1)
    run_part(&j, 0, 1);
  else
    wnn_parallel(wnn_device_host(base->device)->pool, plan->n_parts, run_part, &j);
  if (plan->n_chunks > 1) join_chunks(&j);
  const void *ordered = j.index;
  if (plan->wide_index) {
    int64_t *wide = (int64_t *)(void *)(plan->copies ? scratch + plan->ordered_at : result);
    for (size_t i = 0; i < n_out; i++) wide[i] = j.index[i];
    ordered = wide;
  }
  if (plan->copies)
    wnn_copy_run(&plan->copy, ordered, result, 0, 1);
  else if (ordered != result && !plan->wide_index)
    memcpy(result, ordered, n_out * sizeof(int32_t));
  return WEBNN_OK;
}

const wnn_kernel wnn_arg_kernel = {"arg", plan_arg, run_arg, free_arg};
