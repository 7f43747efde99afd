/* softmax along any axis of any unblocked layout: rows where the axis is the innermost one, else
 * slabs of columns side by side. float16 is widened slab by slab. */
#include "kernels/kernels.h"
#include "kernels/lanes.h"

#define PARALLEL_WORK ((size_t)8 * 1024)
#define SLAB ((size_t)16 * 1024) /* elements of a slab that shall stay in the cache */
#define MAX_WIDTH ((size_t)4096)
#define MAX_NEAR ((size_t)64 * 1024) /* elements of a row that is written past the caches */
#define MIN_WIDTH ((size_t)16)
#define NEAR_WIDTH ((size_t)64) /* narrower slabs aren't worth keeping: whole rows go by thrice */
#define FLUSH ((size_t)64)      /* rows summed before they are joined to the total */

typedef struct softmax_plan {
  wnn_plan base;
  const wnn_vector *vector;
  bool half, streams;
  size_t n_outer, n, inner; /* elements lie [outer][n][inner] */
  size_t width;             /* columns done together */
  size_t n_jobs, n_parts;
  size_t thread_bytes;
} softmax_plan;

static void free_softmax(wnn_plan *plan) {
  wnn_alloc_free(&wnn_device_host(plan->device)->alloc, plan, plan->n_bytes);
}

/* Columns of a slab: whole cache lines, and all threads have work. */
static void set_parts(softmax_plan *plan, const wnn_host *host) {
  size_t threads = wnn_pool_threads(host->pool);
  plan->base.heavy = plan->n_outer * plan->n * plan->inner >= PARALLEL_WORK;
  plan->width = 1;
  if (plan->inner > 1) {
    size_t width = SLAB / plan->n / MIN_WIDTH * MIN_WIDTH;
    size_t fair = (plan->inner * plan->n_outer / threads + MIN_WIDTH - 1) / MIN_WIDTH * MIN_WIDTH;
    if (width < NEAR_WIDTH && !plan->half) width = MAX_WIDTH;
    if (width > MAX_WIDTH) width = MAX_WIDTH;
    if (width > fair) width = fair;
    if (width < MIN_WIDTH) width = MIN_WIDTH;
    plan->width = width < plan->inner ? width : plan->inner;
  }
  plan->n_jobs = plan->n_outer * ((plan->inner + plan->width - 1) / plan->width);
  plan->n_parts = !plan->base.heavy
                      ? 1
                      : wnn_pool_parts(host->pool, plan->n_jobs,
                                       2 * plan->n_outer * plan->n * plan->inner * sizeof(float));
  if (plan->half) {
    size_t n_bytes = plan->n * plan->width * sizeof(float);
    plan->thread_bytes = wnn_aligned(n_bytes);
  } else if (plan->inner == 1 && plan->n <= MAX_NEAR &&
             wnn_streams(host, plan->n_outer * plan->n * sizeof(float))) {
    plan->streams = true;
    plan->thread_bytes = wnn_aligned(plan->n * sizeof(float));
  }
  plan->base.scratch_bytes = plan->thread_bytes * wnn_pool_slots(host->pool, plan->n_parts);
}

static webnn_status plan_softmax(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  const wnn_port *in = &region->inputs[0], *result = &region->outputs[0];
  if (region->n_posts != 0 || wnn_layout_is_blocked(&in->layout) ||
      !wnn_layout_same_bytes(&in->layout, &result->layout, in->desc))
    return WEBNN_ERROR_NOT_SUPPORTED;
  softmax_plan *plan = (softmax_plan *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->vector = wnn_vector_for(host);
  plan->half = in->desc->type == WEBNN_DATA_TYPE_FLOAT16;
  const wnn_axis_attrs *attrs = region->anchor->attrs;
  const wnn_lanes lanes = wnn_lanes_along(in, attrs->axis);
  plan->n_outer = lanes.outer, plan->n = lanes.n, plan->inner = lanes.inner;
  set_parts(plan, host);
  plan->base.in_place = 0;
  *out = &plan->base;
  return WEBNN_OK;
}

/* `width` columns, rows of x and y so many elements apart. */
static void softmax_columns(const softmax_plan *plan, const float *x, size_t x_stride, float *y,
                            size_t y_stride, size_t width) {
  float top[MAX_WIDTH], sum[MAX_WIDTH], block[MAX_WIDTH];
  const wnn_stage_args none = {{0}, {0}, {0}};
  const webnn_data_type f32 = WEBNN_DATA_TYPE_FLOAT32;
  wnn_stage_fn divide = plan->vector->stage(WNN_OP_DIV, f32, f32);
  wnn_fold_start(WNN_FOLD_MAX, f32, top, width);
  wnn_fold_start(WNN_FOLD_SUM, f32, sum, width);
  plan->vector->folds(f32)->fold[WNN_FOLD_MAX].onto(x, plan->n, x_stride, top, width);
  for (size_t i = 0; i < plan->n;) {
    wnn_fold_start(WNN_FOLD_SUM, f32, block, width);
    for (size_t k = 0; k < FLUSH && i < plan->n; k++, i++)
      plan->vector->exp_columns(x + i * x_stride, top, y + i * y_stride, block, width);
    plan->vector->folds(f32)->fold[WNN_FOLD_SUM].onto(block, 1, 0, sum, width);
  }
  for (size_t i = 0; i < plan->n; i++)
    divide((const void *[]){y + i * y_stride, sum}, y + i * y_stride, width, &none);
}

static void half_columns(const softmax_plan *plan, const uint16_t *x, uint16_t *y, float *wide,
                         size_t width) {
  for (size_t i = 0; i < plan->n; i++)
    plan->vector->widen(x + i * plan->inner, wide + i * width, width);
  softmax_columns(plan, wide, width, wide, width, width);
  for (size_t i = 0; i < plan->n; i++)
    plan->vector->narrow(wide + i * width, y + i * plan->inner, width);
}

static void half_row(const softmax_plan *plan, const uint16_t *x, uint16_t *y, float *wide) {
  plan->vector->widen(x, wide, plan->n);
  plan->vector->softmax_rows(wide, wide, 1, plan->n, NULL);
  plan->vector->narrow(wide, y, plan->n);
}

typedef struct job {
  const softmax_plan *plan;
  const wnn_run *run;
} job;

static void run_part(void *arg, size_t slot, size_t part, size_t n_parts) {
  const job *j = arg;
  const softmax_plan *plan = j->plan;
  float *wide = (float *)(void *)((char *)j->run->scratch + slot * plan->thread_bytes);
  const void *in = j->run->inputs[0];
  void *out = j->run->outputs[0];
  size_t slabs = (plan->inner + plan->width - 1) / plan->width, begin, end;
  wnn_parallel_split(plan->n_jobs, part, n_parts, &begin, &end);
  if (plan->inner == 1 && !plan->half) {
    plan->vector->softmax_rows((const float *)in + begin * plan->n, (float *)out + begin * plan->n,
                               end - begin, plan->n, plan->streams && in != out ? wide : NULL);
    if (plan->streams) plan->vector->stream_end();
    return;
  }
  for (size_t k = begin; k < end; k++) {
    size_t column = k % slabs * plan->width, at = k / slabs * plan->n * plan->inner + column;
    size_t width = plan->inner - column < plan->width ? plan->inner - column : plan->width;
    if (!plan->half)
      softmax_columns(plan, (const float *)in + at, plan->inner, (float *)out + at, plan->inner,
                      width);
    else if (plan->inner == 1)
      half_row(plan, (const uint16_t *)in + at, (uint16_t *)out + at, wide);
    else
      half_columns(plan, (const uint16_t *)in + at, (uint16_t *)out + at, wide, width);
  }
}

static webnn_status run_softmax(const wnn_plan *base, const wnn_run *run) {
  const softmax_plan *plan = (const softmax_plan *)base;
  job j = {plan, run};
  if (plan->n_parts == 1)
    run_part(&j, 0, 0, 1);
  else
    wnn_parallel_share(wnn_device_host(base->device)->pool, plan->n_parts, run_part, &j);
  return WEBNN_OK;
}

const wnn_kernel wnn_softmax_kernel = {"softmax", plan_softmax, run_softmax, free_softmax};
