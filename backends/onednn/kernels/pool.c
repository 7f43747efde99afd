/* Pooling of float32, channels last or plain. Channels last: each output place folds rows of channels. Plain: each
 * output row folds shifted input rows. NaN goes through. */
#include "kernels/kernels.h"
#include "kernels/vector.h"

#include <math.h>

#define PARALLEL_WORK ((size_t)16 * 1024)

typedef struct pool_plan {
  wnn_plan base;
  const wnn_vector *vector;
  wnn_op_id op;
  wnn_fold fold;
  bool channels_last;
  size_t n, channels;
  int64_t in[2], out[2], window[2], stride[2], dilation[2], before[2]; /* height, width */
  size_t n_parts;
} pool_plan;

static void free_pool(wnn_plan *plan) {
  wnn_alloc_free(&wnn_device_host(plan->device)->alloc, plan, plan->n_bytes);
}

/* How a port lies: 1 channels last, 0 plain, -1 otherwise; by the logical axes of the node's layout. */
static int lies(const wnn_port *port, const uint32_t axes[4]) {
  static const uint8_t orders[2][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}}; /* n c h w by place */
  for (int last = 1; last >= 0; last--) {
    wnn_layout layout = {.rank = 4, .block = 1};
    for (int i = 0; i < 4; i++) layout.order[i] = (uint8_t)axes[orders[last][i]];
    if (wnn_layout_same_bytes(&port->layout, &layout, port->desc)) return last;
  }
  return -1;
}

static webnn_status plan_pool(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  const wnn_pool2d_attrs *attrs = region->anchor->attrs;
  const wnn_port *in = &region->inputs[0], *result = &region->outputs[0];
  bool nchw = attrs->layout == WEBNN_INPUT_OPERAND_LAYOUT_NCHW;
  const uint32_t axes[4] = {0, nchw ? 1 : 3, nchw ? 2 : 1, nchw ? 3 : 2};
  int how = lies(in, axes);
  if (lies(result, axes) != how) /* bytes may be both where there is one channel or one place */
    how = lies(result, axes) == 0 && in->desc->dims[axes[1]] == 1 ? 0 : -1;
  if (how < 0 || in->desc->type != WEBNN_DATA_TYPE_FLOAT32 || region->n_posts != 0)
    return WEBNN_ERROR_NOT_SUPPORTED;
  pool_plan *plan = (pool_plan *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->vector = wnn_vector_get();
  plan->op = region->anchor->op->id;
  plan->fold = plan->op == WNN_OP_MAX_POOL2D   ? WNN_FOLD_MAX
               : plan->op == WNN_OP_L2_POOL2D ? WNN_FOLD_SUM_SQUARE
                                              : WNN_FOLD_SUM;
  plan->channels_last = how == 1;
  plan->n = in->desc->dims[0];
  plan->channels = in->desc->dims[axes[1]];
  for (int d = 0; d < 2; d++) {
    plan->in[d] = in->desc->dims[axes[2 + d]];
    plan->out[d] = result->desc->dims[axes[2 + d]];
    plan->window[d] = attrs->window_dimensions.data[d];
    plan->stride[d] = attrs->strides.data[d];
    plan->dilation[d] = attrs->dilations.data[d];
    plan->before[d] = attrs->padding.data[2 * d];
  }
  size_t work = wnn_desc_count(result->desc) * (size_t)(plan->window[0] * plan->window[1]);
  plan->base.heavy = work >= PARALLEL_WORK;
  plan->n_parts = plan->base.heavy ? wnn_pool_threads(host->pool) : 1;
  *out = &plan->base;
  return WEBNN_OK;
}

/* Cells [*first, *last) of the window at output place `at` that lie inside the input. */
static void inside(const pool_plan *plan, int d, int64_t at, int64_t *first, int64_t *last) {
  int64_t start = at * plan->stride[d] - plan->before[d], step = plan->dilation[d];
  *first = start < 0 ? (-start + step - 1) / step : 0;
  *last = start >= plan->in[d] ? 0 : (plan->in[d] - 1 - start) / step + 1;
  if (*last > plan->window[d]) *last = plan->window[d];
  if (*first > *last) *first = *last;
}

/* From folds to results: the mean of `count` cells, the root of a sum of squares. */
static void finish(const pool_plan *plan, float *y, size_t n, int64_t count) {
  if (plan->op == WNN_OP_AVERAGE_POOL2D && count > 0)
    for (size_t k = 0; k < n; k++) y[k] /= (float)count;
  if (plan->op == WNN_OP_L2_POOL2D)
    for (size_t k = 0; k < n; k++) y[k] = sqrtf(y[k]);
}

/* One row of output places, channels last. */
static void pool_places(const pool_plan *plan, const float *image, float *y, int64_t oh) {
  int64_t r0, r1, c0, c1;
  size_t n = plan->channels;
  inside(plan, 0, oh, &r0, &r1);
  for (int64_t ow = 0; ow < plan->out[1]; ow++, y += n) {
    inside(plan, 1, ow, &c0, &c1);
    for (size_t k = 0; k < n; k++) y[k] = wnn_fold_start(plan->fold);
    for (int64_t r = r0; r < r1; r++) {
      int64_t ih = oh * plan->stride[0] - plan->before[0] + r * plan->dilation[0];
      for (int64_t c = c0; c < c1; c++) {
        int64_t iw = ow * plan->stride[1] - plan->before[1] + c * plan->dilation[1];
        plan->vector->fold_onto[plan->fold](image + (size_t)(ih * plan->in[1] + iw) * n, y, n);
      }
    }
    finish(plan, y, n, (r1 - r0) * (c1 - c0));
  }
}

static void fold_strided(wnn_fold fold, const float *x, int64_t step, float *y, size_t n) {
  wnn_fold join = fold == WNN_FOLD_SUM_SQUARE ? WNN_FOLD_SUM : fold;
  for (size_t k = 0; k < n; k++, x += step) y[k] = wnn_fold_join(join, y[k], fold == join ? *x : *x * *x);
}

/* One row of one plane. */
static void pool_row(const pool_plan *plan, const float *image, float *y, int64_t oh) {
  int64_t r0, r1, step = plan->stride[1];
  inside(plan, 0, oh, &r0, &r1);
  for (int64_t k = 0; k < plan->out[1]; k++) y[k] = wnn_fold_start(plan->fold);
  for (int64_t r = r0; r < r1; r++) {
    const float *row = image + (oh * plan->stride[0] - plan->before[0] + r * plan->dilation[0]) * plan->in[1];
    for (int64_t c = 0; c < plan->window[1]; c++) {
      int64_t shift = c * plan->dilation[1] - plan->before[1]; /* places where the column is inside */
      int64_t first = shift < 0 ? (-shift + step - 1) / step : 0;
      int64_t last = shift >= plan->in[1] ? 0 : (plan->in[1] - 1 - shift) / step + 1;
      if (last > plan->out[1]) last = plan->out[1];
      if (first >= last) continue;
      const float *x = row + first * step + shift;
      if (step == 1) plan->vector->fold_onto[plan->fold](x, y + first, (size_t)(last - first));
      else fold_strided(plan->fold, x, step, y + first, (size_t)(last - first));
    }
  }
  for (int64_t k = 0; k < plan->out[1]; k++) {
    int64_t c0, c1;
    inside(plan, 1, k, &c0, &c1);
    finish(plan, y + k, 1, (r1 - r0) * (c1 - c0));
  }
}

typedef struct job {
  const pool_plan *plan;
  const wnn_run *run;
} job;

static void run_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  const pool_plan *plan = j->plan;
  const float *in = j->run->inputs[0];
  float *out = j->run->outputs[0];
  size_t depth = plan->channels_last ? plan->channels : 1, begin, end;
  size_t images = plan->channels_last ? plan->n : plan->n * plan->channels, rows = (size_t)plan->out[0];
  wnn_parallel_split(images * rows, part, n_parts, &begin, &end);
  for (size_t k = begin; k < end; k++) {
    const float *image = in + k / rows * (size_t)(plan->in[0] * plan->in[1]) * depth;
    float *y = out + k * (size_t)plan->out[1] * depth;
    if (plan->channels_last) pool_places(plan, image, y, (int64_t)(k % rows));
    else pool_row(plan, image, y, (int64_t)(k % rows));
  }
}

static webnn_status run_pool(const wnn_plan *base, const wnn_run *run) {
  const pool_plan *plan = (const pool_plan *)base;
  job j = {plan, run};
  wnn_parallel(wnn_device_host(base->device)->pool, plan->n_parts, run_part, &j);
  return WEBNN_OK;
}

const wnn_kernel wnn_pool_kernel = {"pool", plan_pool, run_pool, free_pool};
