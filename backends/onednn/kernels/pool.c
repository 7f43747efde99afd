/* The three pools, channels last or plain; what lies otherwise is copied to channels last and back.
 * Each output row takes two passes: the input rows of its windows are folded onto one row, with the
 * padding on both sides of it, along which the windows then slide. NaN goes through. */
#include "kernels/kernels.h"
#include "kernels/lanes.h"

#include <math.h>
#include <string.h>

#define PARALLEL_WORK ((size_t)64 * 1024) /* elements looked at */
#define MIN_SLICE ((size_t)32)            /* channels that are worth a part of their own */

typedef struct pool_plan {
  wnn_plan base;
  const wnn_vector *vector;
  const wnn_folds *folds;
  wnn_op_id op;
  wnn_fold fold;
  webnn_data_type type; /* in which it is computed */
  bool half;
  size_t bytes, in_bytes; /* of an element, computed and stored */
  size_t images, depth;   /* places lie [image][height][width][depth] */
  int64_t in[2], out[2], window[2], stride[2], dilation[2], before[2]; /* height, width */
  int64_t wide;  /* columns of the row with its padding */
  bool by_depth; /* parts cut the depth, else the output rows */
  size_t n_parts;
  size_t widened_at, result_at, thread_bytes; /* in a thread's scratch; the row comes first */
  bool copies;
  wnn_copy gather, scatter;
  size_t in_at, out_at; /* the copies, in scratch behind the threads' */
  uint32_t cells[];     /* by output column: columns of its window inside the input */
} pool_plan;

static void free_pool(wnn_plan *plan) {
  wnn_alloc_free(&wnn_device_host(plan->device)->alloc, plan, plan->n_bytes);
}

/* ---- planning */

/* How a port lies: 1 channels last, 0 plain, -1 otherwise; by the logical axes of the node's
 * layout. */
static int lies(const wnn_port *port, const uint32_t axes[4]) {
  static const uint8_t orders[2][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}}; /* n c h w by place */
  for (int last = 1; last >= 0; last--) {
    wnn_layout layout = {.rank = 4, .block = 1};
    for (int i = 0; i < 4; i++) layout.order[i] = (uint8_t)axes[orders[last][i]];
    if (wnn_layout_same_bytes(&port->layout, &layout, port->desc)) return last;
  }
  return -1;
}

/* Both ports in one way; bytes may be both where there is one channel or one place. */
static int both_lie(const wnn_region *region, const uint32_t axes[4]) {
  const wnn_port *in = &region->inputs[0], *out = &region->outputs[0];
  int a = lies(in, axes), b = lies(out, axes);
  if (a == b) return a;
  if (a < 0 || b < 0) return -1;
  if (in->desc->dims[axes[1]] == 1) return 0;
  bool one_in = in->desc->dims[axes[2]] == 1 && in->desc->dims[axes[3]] == 1;
  bool one_out = out->desc->dims[axes[2]] == 1 && out->desc->dims[axes[3]] == 1;
  return one_in ? b : one_out ? a : -1;
}

/* Cells [*first, *last) of the window at output place `at` that lie inside the input. */
static void inside(const pool_plan *plan, int d, int64_t at, int64_t *first, int64_t *last) {
  int64_t start = at * plan->stride[d] - plan->before[d], step = plan->dilation[d];
  *first = start < 0 ? (-start + step - 1) / step : 0;
  *last = start >= plan->in[d] ? 0 : (plan->in[d] - 1 - start) / step + 1;
  if (*last > plan->window[d]) *last = plan->window[d];
  if (*first > *last) *first = *last;
}

static void set_shape(pool_plan *plan, const wnn_region *region, const uint32_t axes[4],
                      bool channels_last) {
  const wnn_pool2d_attrs *attrs = region->anchor->attrs;
  const wnn_desc *in = region->inputs[0].desc, *out = region->outputs[0].desc;
  plan->depth = channels_last ? in->dims[axes[1]] : 1;
  plan->images = channels_last ? in->dims[0] : (size_t)in->dims[0] * in->dims[axes[1]];
  for (int d = 0; d < 2; d++) {
    plan->in[d] = in->dims[axes[2 + d]];
    plan->out[d] = out->dims[axes[2 + d]];
    plan->window[d] = attrs->window_dimensions.data[d];
    plan->stride[d] = attrs->strides.data[d];
    plan->dilation[d] = attrs->dilations.data[d];
    plan->before[d] = attrs->padding.data[2 * d];
  }
  plan->wide = (plan->out[1] - 1) * plan->stride[1] + (plan->window[1] - 1) * plan->dilation[1] + 1;
  for (int64_t k = 0; k < plan->out[1]; k++) {
    int64_t first, last;
    inside(plan, 1, k, &first, &last);
    plan->cells[k] = (uint32_t)(last - first);
  }
}

/* Between a port and [n][h][w][c]. */
static void plan_copy(pool_plan *plan, wnn_copy *copy, const wnn_port *port, const uint32_t axes[4],
                      bool gathers) {
  static const uint8_t order[4] = {0, 2, 3, 1};
  size_t own[WNN_MAX_RANK], dense = 1;
  wnn_layout_strides(&port->layout, port->desc, own);
  copy->rank = 4;
  copy->element_bytes = plan->in_bytes;
  for (int i = 3; i >= 0; i--) {
    uint32_t axis = axes[order[i]];
    copy->dims[i] = port->desc->dims[axis];
    copy->from[i] = (ptrdiff_t)(gathers ? own[axis] : dense);
    copy->to[i] = (ptrdiff_t)(gathers ? dense : own[axis]);
    dense *= port->desc->dims[axis];
  }
  wnn_copy_prepare(copy, plan->vector);
}

static void plan_copies(pool_plan *plan, const wnn_region *region, const uint32_t axes[4]) {
  plan->copies = true;
  plan_copy(plan, &plan->gather, &region->inputs[0], axes, true);
  plan_copy(plan, &plan->scatter, &region->outputs[0], axes, false);
  plan->in_at = wnn_aligned(plan->base.scratch_bytes);
  plan->out_at = wnn_aligned(plan->in_at + wnn_desc_bytes(region->inputs[0].desc));
  plan->base.scratch_bytes = plan->out_at + wnn_desc_bytes(region->outputs[0].desc);
}

static void set_parts(pool_plan *plan, const wnn_host *host) {
  size_t rows = plan->images * (size_t)plan->out[0], threads = wnn_pool_threads(host->pool);
  size_t work =
      rows * plan->depth * (size_t)(plan->out[1] * plan->window[1] + plan->in[1] * plan->window[0]);
  plan->base.heavy = work >= PARALLEL_WORK;
  plan->by_depth = rows < threads && plan->depth >= 2 * MIN_SLICE;
  size_t most = plan->by_depth ? plan->depth / MIN_SLICE : rows;
  const size_t n_bytes =
      plan->images * (size_t)(plan->in[0] * plan->in[1]) * plan->depth * plan->in_bytes;
  plan->n_parts =
      !plan->base.heavy ? 1 : wnn_pool_parts(host->pool, most, plan->by_depth ? 0 : n_bytes);
  plan->widened_at = wnn_aligned((size_t)plan->wide * plan->depth * plan->bytes);
  plan->result_at = plan->widened_at +
                    (plan->half ? wnn_aligned((size_t)plan->in[1] * plan->depth * plan->bytes) : 0);
  plan->thread_bytes =
      plan->result_at + wnn_aligned((size_t)plan->out[1] * plan->depth * plan->bytes);
  plan->base.scratch_bytes = wnn_pool_slots(host->pool, plan->n_parts) * plan->thread_bytes;
}

static wnn_fold fold_of(wnn_op_id op) {
  switch (op) {
    case WNN_OP_MAX_POOL2D: return WNN_FOLD_MAX;
    case WNN_OP_L2_POOL2D: return WNN_FOLD_SUM_SQUARE;
    default: return WNN_FOLD_SUM;
  }
}

static webnn_status plan_pool(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  const wnn_pool2d_attrs *attrs = region->anchor->attrs;
  const webnn_data_type stored = region->inputs[0].desc->type;
  const bool half = stored == WEBNN_DATA_TYPE_FLOAT16;
  const webnn_data_type type = half ? WEBNN_DATA_TYPE_FLOAT32 : stored;
  bool nchw = attrs->layout == WEBNN_INPUT_OPERAND_LAYOUT_NCHW;
  const uint32_t axes[4] = {0, nchw ? 1 : 3, nchw ? 2 : 1, nchw ? 3 : 2};
  const wnn_fold fold = fold_of(region->anchor->op->id);
  const wnn_vector *vector = wnn_vector_for(host);
  const wnn_folds *folds = vector->folds(type);
  int how = both_lie(region, axes);
  if (region->n_posts != 0 || wnn_layout_is_blocked(&region->inputs[0].layout) ||
      wnn_layout_is_blocked(&region->outputs[0].layout) || folds == NULL ||
      folds->fold[fold].onto == NULL)
    return WEBNN_ERROR_NOT_SUPPORTED;
  const size_t n_columns = region->outputs[0].desc->dims[axes[3]];
  pool_plan *plan = (pool_plan *)wnn_plan_create(device, &host->alloc,
                                                 sizeof *plan + n_columns * sizeof plan->cells[0]);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->vector = vector;
  plan->folds = folds;
  plan->op = region->anchor->op->id;
  plan->fold = fold;
  plan->type = type;
  plan->half = half;
  plan->bytes = webnn_data_type_bytes(type);
  plan->in_bytes = webnn_data_type_bytes(stored);
  set_shape(plan, region, axes, how != 0);
  set_parts(plan, host);
  if (how < 0) plan_copies(plan, region, axes);
  *out = &plan->base;
  return WEBNN_OK;
}

/* ---- running */

/* One part: its channels, its memory. */
typedef struct strip {
  const pool_plan *plan;
  size_t first, depth; /* channels */
  char *row, *widened, *result;
} strip;

/* Columns of the input that the row has room for. */
static size_t columns_inside(const pool_plan *plan) {
  int64_t n = plan->wide - plan->before[1];
  return n < 0 ? 0 : (size_t)(n < plan->in[1] ? n : plan->in[1]);
}

/* The row, without its padding, becomes the fold of `n_rows` input rows, `stride` elements apart.
 */
static void take_rows(const strip *s, const char *x, size_t n_rows, size_t stride) {
  const pool_plan *plan = s->plan;
  const size_t n = columns_inside(plan), run = s->depth == plan->depth ? n : 1,
               elements = run * s->depth;
  const wnn_windows down = {.n = 1, .taps = n_rows, .tap = stride, .channels = elements};
  const bool joins = plan->fold == wnn_fold_joining(plan->fold);
  if (n == 0) return;
  char *row = s->row + (size_t)plan->before[1] * s->depth * plan->bytes;
  for (size_t column = 0; column < n; column += run) {
    const char *xs = x + (column * plan->depth + s->first) * plan->in_bytes;
    char *to = row + column * s->depth * plan->bytes;
    if (joins && !plan->half) {
      plan->folds->windows[plan->fold](xs, to, &down);
      continue;
    }
    wnn_fold_start(plan->fold, plan->type, to, elements);
    if (!plan->half) plan->folds->fold[plan->fold].onto(xs, n_rows, stride, to, elements);
    for (size_t r = 0; r < n_rows && plan->half; r++, xs += stride * plan->in_bytes) {
      plan->vector->widen((const uint16_t *)(const void *)xs, (float *)(void *)s->widened,
                          elements);
      plan->folds->fold[plan->fold].onto(s->widened, 1, 0, to, elements);
    }
  }
}

/* Folds the input rows of the window of output row `oh`; returns how many there are. */
static int64_t fold_window(const strip *s, const char *image, int64_t oh) {
  const pool_plan *plan = s->plan;
  int64_t r0, r1;
  inside(plan, 0, oh, &r0, &r1);
  if (r0 == r1) {
    wnn_fold_start(plan->fold, plan->type, s->row, (size_t)plan->wide * s->depth);
    return 0;
  }
  int64_t ih = oh * plan->stride[0] - plan->before[0] + r0 * plan->dilation[0];
  const size_t row = (size_t)plan->in[1] * plan->depth;
  take_rows(s, image + (size_t)ih * row * plan->in_bytes, (size_t)(r1 - r0),
            (size_t)plan->dilation[0] * row);
  return r1 - r0;
}

/* From folds to results. */
static void finish(const strip *s, float *y, int64_t n_rows) {
  const pool_plan *plan = s->plan;
  const size_t n = (size_t)plan->out[1];
  const wnn_stage_args none = {{0}, {0}, {0}};
  if (plan->op == WNN_OP_L2_POOL2D)
    plan->vector->stage(WNN_OP_SQRT, plan->type, plan->type)((const void *[]){y}, y, n * s->depth,
                                                             &none);
  if (plan->op != WNN_OP_AVERAGE_POOL2D) return;
  for (size_t k = 0, run; k < n; k += run) { /* neighbours with as many cells */
    const float count = (float)(plan->cells[k] * (uint64_t)n_rows);
    for (run = 1; k + run < n && plan->cells[k + run] == plan->cells[k];) run++;
    float *from = y + k * s->depth;
    if (count > 1) plan->vector->multiply(from, 1.0f / count, from, run * s->depth);
  }
}

static void slide(const strip *s, void *y) {
  const pool_plan *plan = s->plan;
  const size_t places = (size_t)plan->out[1];
  wnn_windows w = {.n = places,
                   .step = (size_t)plan->stride[1] * s->depth,
                   .taps = (size_t)plan->window[1],
                   .tap = (size_t)plan->dilation[1] * s->depth,
                   .channels = s->depth};
  if (plan->stride[1] == 1) w.n = 1, w.channels *= places; /* neighbours all along */
  plan->folds->windows[wnn_fold_joining(plan->fold)](s->row, y, &w);
}

static void pool_row(const strip *s, const char *image, char *out, int64_t oh) {
  const pool_plan *plan = s->plan;
  const bool whole = s->depth == plan->depth, direct = whole && !plan->half;
  const size_t places = (size_t)plan->out[1], run = whole ? places : 1;
  char *y = direct ? out : s->result;
  int64_t n_rows = fold_window(s, image, oh);
  slide(s, y);
  if (plan->type == WEBNN_DATA_TYPE_FLOAT32) finish(s, (float *)(void *)y, n_rows);
  for (size_t k = 0; k < places && !direct; k += run) {
    char *to = out + (k * plan->depth + s->first) * plan->in_bytes;
    const char *from = y + k * s->depth * plan->bytes;
    if (plan->half)
      plan->vector->narrow((const float *)(const void *)from, (uint16_t *)(void *)to,
                           run * s->depth);
    else
      memcpy(to, from, run * s->depth * plan->bytes);
  }
}

typedef struct job {
  const pool_plan *plan;
  const wnn_run *run;
  const char *in;
  char *out;
} job;

static void run_part(void *arg, size_t slot, size_t part, size_t n_parts) {
  const job *j = arg;
  const pool_plan *plan = j->plan;
  char *scratch = (char *)j->run->scratch + slot * plan->thread_bytes;
  strip s = {plan, 0, plan->depth, scratch, scratch + plan->widened_at, scratch + plan->result_at};
  size_t rows = (size_t)plan->out[0], begin = 0, end = plan->images * rows;
  if (plan->by_depth) {
    size_t last;
    wnn_parallel_split(plan->depth, part, n_parts, &s.first, &last);
    s.depth = last - s.first;
  } else {
    wnn_parallel_split(plan->images * rows, part, n_parts, &begin, &end);
  }
  wnn_fold_start(plan->fold, plan->type, s.row,
                 (size_t)plan->wide * s.depth); /* the padding stays */
  for (size_t k = begin; k < end; k++) {
    const char *image =
        j->in + k / rows * (size_t)(plan->in[0] * plan->in[1]) * plan->depth * plan->in_bytes;
    pool_row(&s, image, j->out + k * (size_t)plan->out[1] * plan->depth * plan->in_bytes,
             (int64_t)(k % rows));
  }
}

static webnn_status run_pool(const wnn_plan *base, const wnn_run *run) {
  const pool_plan *plan = (const pool_plan *)base;
  char *scratch = run->scratch;
  job j = {plan, run, run->inputs[0], run->outputs[0]};
  if (plan->copies) {
    wnn_copy_run(&plan->gather, run->inputs[0], scratch + plan->in_at, 0, 1);
    j.in = scratch + plan->in_at;
    j.out = scratch + plan->out_at;
  }
  if (plan->n_parts == 1)
    run_part(&j, 0, 0, 1);
  else
    wnn_parallel_share(wnn_device_host(base->device)->pool, plan->n_parts, run_part, &j);
  if (plan->copies) wnn_copy_run(&plan->scatter, j.out, run->outputs[0], 0, 1);
  return WEBNN_OK;
}

const wnn_kernel wnn_pool_kernel = {"pool", plan_pool, run_pool, free_pool};
