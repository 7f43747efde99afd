/* Convolutions into few channels, channels last: with them vectors would stay half empty or worse,
 * so that vectors go along the window, where the numbers of a row lie side by side. Images of one
 * channel out, filters of sounds. */
#include "kernels/conv2d.h"
#include "kernels/kernels.h"
#include "kernels/lanes.h"
#include "kernels/tail.h"

#include <math.h>

#define MAX_HEIGHT ((size_t)32)
#define PARALLEL_WORK ((size_t)64 * 1024) /* multiplications below which threads don't pay */
#define STRIP_NUMBERS ((size_t)1024)      /* results that wait for their tail */

typedef struct narrow_plan {
  wnn_plan base;
  const wnn_conv_rows *rows;
  wnn_tail tail;
  wnn_conv2d_shape shape;
  bool has_bias;
  size_t run;             /* numbers in a row of the window */
  size_t inner[2];        /* pixels of a row whose windows lie inside it: from, to */
  size_t strip, n_strips; /* pixels of a strip, strips of a row */
  size_t n_parts, part_bytes;
  size_t weight_count;
  float *weights; /* by row of the window, by channel; then zeros for an absent bias */
} narrow_plan;

/* ---- planning */

/* Terms of a sum, by channels, below which adding up vectors costs too much. */
static const size_t min_terms[WNN_MAX_DOTS + 1] = {0, 8, 8, 12, 24};

static bool fits(const wnn_conv2d_shape *shape, const wnn_conv_rows *rows) {
  const size_t run = shape->window[1] * shape->in_channels;
  return shape->groups == 1 && shape->out_channels <= WNN_MAX_DOTS && shape->dilations[1] == 1 &&
         run >= rows->lanes && run * shape->window[0] >= min_terms[shape->out_channels] &&
         shape->window[0] <= MAX_HEIGHT;
}

/* False when a weight isn't finite: it would make NaN of padding. */
static bool pack(narrow_plan *plan) {
  const wnn_conv2d_shape *shape = &plan->shape;
  float *to = plan->weights;
  bool finite = true;
  for (size_t y = 0; y < shape->window[0]; y++)
    for (size_t out = 0; out < shape->out_channels; out++)
      for (size_t k = 0; k < plan->run; k++, to++) {
        *to = wnn_conv2d_weight(shape, out, k % shape->in_channels, y, k / shape->in_channels);
        finite = finite && isfinite(*to);
      }
  for (size_t out = 0; out < shape->out_channels; out++) *to++ = 0;
  return finite;
}

/* Where windows neither begin before their row nor end behind it. */
static void find_inner(narrow_plan *plan) {
  const wnn_conv2d_shape *shape = &plan->shape;
  const size_t stride = shape->strides[1], before = shape->before[1], room = shape->in[1] + before;
  size_t from = (before + stride - 1) / stride,
         to = room >= shape->window[1] ? (room - shape->window[1]) / stride + 1 : 0;
  if (to > shape->out[1]) to = shape->out[1];
  plan->inner[0] = from < to ? from : to;
  plan->inner[1] = to;
}

static void set_parts(narrow_plan *plan, const wnn_host *host) {
  const wnn_conv2d_shape *shape = &plan->shape;
  const size_t threads = wnn_pool_threads(host->pool), rows = shape->images * shape->out[0];
  plan->strip = STRIP_NUMBERS / shape->out_channels;
  plan->n_strips = (shape->out[1] + plan->strip - 1) / plan->strip;
  const size_t most = rows * plan->n_strips;
  const size_t work = rows * shape->out[1] * shape->out_channels * plan->run * shape->window[0];
  plan->base.heavy = work >= PARALLEL_WORK;
  plan->n_parts = !plan->base.heavy ? 1 : most < threads ? most : threads;
  plan->part_bytes = wnn_aligned(STRIP_NUMBERS * sizeof(float));
  plan->base.scratch_bytes = plan->n_parts * plan->part_bytes + plan->tail.n_rows * sizeof(float);
}

static void free_narrow(wnn_plan *base) {
  narrow_plan *plan = (narrow_plan *)base;
  const wnn_alloc *alloc = &wnn_device_host(base->device)->alloc;
  wnn_alloc_free(alloc, plan->weights, plan->weight_count * sizeof(float));
  wnn_alloc_free(alloc, plan, base->n_bytes);
}

static webnn_status fill_plan(narrow_plan *plan, const wnn_host *host, const wnn_region *region) {
  const wnn_conv2d_shape *shape = &plan->shape;
  if (!wnn_tail_plan(&plan->tail, host, region, 0, shape->channel_axis))
    return WEBNN_ERROR_NOT_SUPPORTED;
  plan->has_bias = region->anchor->n_inputs > 2 && region->inputs[2].desc != NULL;
  plan->run = shape->window[1] * shape->in_channels;
  plan->weight_count = shape->out_channels * (plan->run * shape->window[0] + 1);
  plan->weights = wnn_alloc_get(&host->alloc, plan->weight_count * sizeof(float));
  if (plan->weights == NULL) return WEBNN_ERROR_UNKNOWN;
  if (!pack(plan)) return WEBNN_ERROR_NOT_SUPPORTED;
  find_inner(plan);
  set_parts(plan, host);
  plan->shape.filter = NULL; /* it goes with the graph */
  plan->base.packed = UINT64_C(1) << 1;
  plan->base.weight_bytes = plan->weight_count * sizeof(float);
  wnn_tail_take_over(&plan->tail, region, &plan->base);
  return WEBNN_OK;
}

static webnn_status plan_narrow(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  const wnn_conv_rows *rows = wnn_conv_rows_for(host);
  wnn_conv2d_shape shape;
  if (!wnn_conv2d_read(region, &shape) || !fits(&shape, rows)) return WEBNN_ERROR_NOT_SUPPORTED;
  narrow_plan *plan = (narrow_plan *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->shape = shape;
  plan->rows = rows;
  const webnn_status status = fill_plan(plan, host, region);
  if (status == WEBNN_OK)
    *out = &plan->base;
  else
    free_narrow(&plan->base);
  return status;
}

/* ---- running */

typedef struct job {
  const narrow_plan *plan;
  const wnn_run *run;
  float *tail_rows;
} job;

static const float *bias_of(const job *j) {
  const narrow_plan *plan = j->plan;
  return plan->has_bias ? j->run->inputs[2]
                        : plan->weights + plan->weight_count - plan->shape.out_channels;
}

/* `n` pixels from `x` on of row `row` of all images, whose windows begin `cut` columns late and
 * have `columns`. */
static void run_dots(const job *j, size_t row, size_t x, size_t n, size_t cut, size_t columns,
                     float *to) {
  const narrow_plan *plan = j->plan;
  const wnn_conv2d_shape *shape = &plan->shape;
  const size_t channels = shape->in_channels,
               column = x * shape->strides[1] + cut - shape->before[1];
  const float *input = j->run->inputs[0], *rows[MAX_HEIGHT];
  for (size_t k = 0; k < shape->window[0]; k++) {
    const size_t y = row % shape->out[0] * shape->strides[0] + k * shape->dilations[0] -
                     shape->before[0]; /* may wrap */
    rows[k] = NULL;
    if (y < shape->in[0])
      rows[k] =
          input + ((row / shape->out[0] * shape->in[0] + y) * shape->in[1] + column) * channels;
  }
  plan->rows->dots(&(wnn_dots){.rows = rows,
                               .weights = plan->weights + cut * channels,
                               .bias = bias_of(j),
                               .out = to,
                               .height = shape->window[0],
                               .run = columns * channels,
                               .weight_stride = plan->run,
                               .channels = shape->out_channels,
                               .stride = shape->strides[1] * channels,
                               .n_pixels = n});
}

/* A pixel at an end of its row: the window's columns that are inside, maybe none. */
static void run_edge(const job *j, size_t row, size_t x, float *to) {
  const wnn_conv2d_shape *shape = &j->plan->shape;
  const size_t begin = x * shape->strides[1], before = shape->before[1];
  const size_t cut = begin < before ? before - begin : 0, end = begin + shape->window[1];
  const size_t last = end > before + shape->in[1] ? before + shape->in[1] : end;
  const size_t from = begin + cut;
  if (cut < shape->window[1] && from < last) {
    run_dots(j, row, x, 1, cut, last - from, to);
    return;
  }
  for (size_t out = 0; out < shape->out_channels; out++) to[out] = bias_of(j)[out];
}

static void run_strip(const job *j, size_t row, size_t begin, size_t end, float *results) {
  const narrow_plan *plan = j->plan;
  const size_t channels = plan->shape.out_channels, pixel = row * plan->shape.out[1] + begin;
  const bool direct = plan->tail.n_stages == 0;
  float *to = direct ? (float *)j->run->outputs[0] + pixel * channels : results;
  for (size_t x = begin, n; x < end; x += n, to += n * channels) {
    n = 1;
    if (x < plan->inner[0] || x >= plan->inner[1]) {
      run_edge(j, row, x, to);
      continue;
    }
    n = (end < plan->inner[1] ? end : plan->inner[1]) - x;
    run_dots(j, row, x, n, 0, plan->shape.window[1], to);
  }
  if (!direct) wnn_tail_run(&plan->tail, j->run, j->tail_rows, results, pixel, end - begin);
}

static void run_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  const narrow_plan *plan = j->plan;
  float *results = (float *)(void *)((char *)j->run->scratch + part * plan->part_bytes);
  const size_t width = plan->shape.out[1];
  size_t begin, end;
  wnn_parallel_split(plan->shape.images * plan->shape.out[0] * plan->n_strips, part, n_parts,
                     &begin, &end);
  for (size_t k = begin; k < end; k++) {
    const size_t x = k % plan->n_strips * plan->strip, last = x + plan->strip;
    run_strip(j, k / plan->n_strips, x, last < width ? last : width, results);
  }
}

static webnn_status run_narrow(const wnn_plan *base, const wnn_run *run) {
  const narrow_plan *plan = (const narrow_plan *)base;
  job j = {plan, run, (float *)(void *)((char *)run->scratch + plan->n_parts * plan->part_bytes)};
  wnn_tail_begin(&plan->tail, run, j.tail_rows);
  wnn_parallel(wnn_device_host(base->device)->pool, plan->n_parts, run_part, &j);
  return WEBNN_OK;
}

const wnn_kernel wnn_narrow_kernel = {"narrow", plan_narrow, run_narrow, free_narrow};
