/* Convolutions where each channel has a window of its own, channels last: row by row, some pixels of all channels at a
 * time, so that what follows finds them near. */
#include "kernels/conv2d.h"
#include "kernels/kernels.h"
#include "kernels/lanes.h"
#include "kernels/tail.h"

#include <math.h>
#include <string.h>

#define MAX_HEIGHT 16
#define PARALLEL_WORK ((size_t)64 * 1024) /* multiplications below which threads don't pay */
#define STRIP_NUMBERS ((size_t)4096)      /* results that wait for their tail */
#define STRIP_PIXELS ((size_t)8)          /* strips are whole multiples of this */

typedef struct depthwise_plan {
  wnn_plan base;
  const wnn_conv_rows *rows;
  wnn_tail tail;
  wnn_conv2d_shape shape;
  bool has_bias;
  size_t strip, n_strips; /* pixels of a strip, strips of a row */
  size_t n_parts, part_bytes;
  size_t weight_count;
  float *weights; /* blocks of channels, then zeros for a pixel and for an absent bias */
} depthwise_plan;

/* ---- planning */

static bool fits(const wnn_conv2d_shape *shape, const wnn_conv_rows *rows) {
  const size_t width = shape->window[1], stride = shape->strides[1];
  if (shape->groups != shape->in_channels || shape->groups != shape->out_channels) return false;
  if (shape->in_channels < rows->lanes || shape->dilations[0] != 1 || shape->dilations[1] != 1) return false;
  return (width == 3 || width == 5 || width == 7) && shape->window[0] <= MAX_HEIGHT && stride <= 2 &&
         shape->before[1] < shape->in[1] + width;
}

/* False when a weight isn't finite: it would make NaN of padding. */
static bool pack(depthwise_plan *plan) {
  const wnn_conv2d_shape *shape = &plan->shape;
  const size_t lanes = plan->rows->lanes, channels = shape->in_channels;
  float *to = plan->weights;
  bool finite = true;
  for (size_t block = 0; block * lanes < channels; block++) {
    const size_t first = (block + 1) * lanes <= channels ? block * lanes : channels - lanes;
    for (size_t y = 0; y < shape->window[0]; y++)
      for (size_t x = 0; x < shape->window[1]; x++)
        for (size_t k = 0; k < lanes; k++, to++) {
          *to = wnn_conv2d_weight(shape, first + k, 0, y, x);
          finite = finite && isfinite(*to);
        }
  }
  memset(to, 0, channels * sizeof *to);
  return finite;
}

static void free_depthwise(wnn_plan *base) {
  depthwise_plan *plan = (depthwise_plan *)base;
  const wnn_alloc *alloc = &wnn_device_host(base->device)->alloc;
  wnn_alloc_free(alloc, plan->weights, plan->weight_count * sizeof(float));
  wnn_alloc_free(alloc, plan, base->n_bytes);
}

static void set_parts(depthwise_plan *plan, const wnn_host *host) {
  const wnn_conv2d_shape *shape = &plan->shape;
  const size_t channels = shape->in_channels, threads = wnn_pool_threads(host->pool);
  const size_t results = shape->images * shape->out[0] * shape->out[1] * channels;
  const bool heavy = results * shape->window[0] * shape->window[1] >= PARALLEL_WORK;
  plan->strip = STRIP_NUMBERS / channels / STRIP_PIXELS * STRIP_PIXELS;
  if (plan->strip == 0) plan->strip = STRIP_PIXELS;
  plan->n_strips = (shape->out[1] + plan->strip - 1) / plan->strip;
  const size_t most = shape->images * shape->out[0] * plan->n_strips;
  plan->n_parts = !heavy ? 1 : most < threads ? most : threads;
  plan->part_bytes = wnn_aligned(plan->strip * channels * sizeof(float));
  plan->base.heavy = heavy;
  plan->base.scratch_bytes = plan->n_parts * plan->part_bytes + plan->tail.n_rows * sizeof(float);
}

static webnn_status fill_plan(depthwise_plan *plan, const wnn_host *host, const wnn_region *region) {
  const wnn_conv2d_shape *shape = &plan->shape;
  const size_t lanes = plan->rows->lanes, blocks = (shape->in_channels + lanes - 1) / lanes;
  if (!wnn_tail_plan(&plan->tail, host, region, 0, shape->channel_axis)) return WEBNN_ERROR_NOT_SUPPORTED;
  plan->has_bias = region->anchor->n_inputs > 2 && region->inputs[2].desc != NULL;
  plan->weight_count = blocks * lanes * shape->window[0] * shape->window[1] + shape->in_channels;
  plan->weights = wnn_alloc_get(&host->alloc, plan->weight_count * sizeof(float));
  if (plan->weights == NULL) return WEBNN_ERROR_UNKNOWN;
  if (!pack(plan)) return WEBNN_ERROR_NOT_SUPPORTED;
  set_parts(plan, host);
  plan->shape.filter = NULL; /* it goes with the graph */
  plan->base.packed = UINT64_C(1) << 1;
  plan->base.weight_bytes = plan->weight_count * sizeof(float);
  wnn_tail_take_over(&plan->tail, region, &plan->base);
  return WEBNN_OK;
}

static webnn_status plan_depthwise(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  const wnn_conv_rows *rows = wnn_conv_rows_for(host);
  wnn_conv2d_shape shape;
  if (!wnn_conv2d_read(region, &shape) || !fits(&shape, rows)) return WEBNN_ERROR_NOT_SUPPORTED;
  depthwise_plan *plan = (depthwise_plan *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->shape = shape;
  plan->rows = rows;
  webnn_status status = fill_plan(plan, host, region);
  if (status == WEBNN_OK) *out = &plan->base;
  else free_depthwise(&plan->base);
  return status;
}

/* ---- running */

typedef struct job {
  const depthwise_plan *plan;
  const wnn_run *run;
  float *tail_rows;
} job;

/* Pixels [begin, end) of row `row` of all images. `results` have room for a strip. */
static void run_strip(const job *j, size_t row, size_t begin, size_t end, float *results) {
  const depthwise_plan *plan = j->plan;
  const wnn_conv2d_shape *shape = &plan->shape;
  const size_t channels = shape->in_channels, pixel = row * shape->out[1] + begin;
  const float *input = j->run->inputs[0], *rows[MAX_HEIGHT];
  const float *zeros = plan->weights + plan->weight_count - channels;
  const bool direct = plan->tail.n_stages == 0;
  for (size_t k = 0; k < shape->window[0]; k++) {
    const size_t y = row % shape->out[0] * shape->strides[0] + k - shape->before[0]; /* wraps round where it is above */
    rows[k] = NULL;
    if (y < shape->in[0])
      rows[k] = input + (row / shape->out[0] * shape->in[0] + y) * shape->in[1] * channels;
  }
  plan->rows->depthwise(&(wnn_depthwise){.rows = rows,
                                         .weights = plan->weights,
                                         .bias = plan->has_bias ? j->run->inputs[2] : zeros,
                                         .zeros = zeros,
                                         .out = direct ? (float *)j->run->outputs[0] + pixel * channels : results,
                                         .begin = begin,
                                         .end = end,
                                         .channels = channels,
                                         .in_width = shape->in[1],
                                         .height = shape->window[0],
                                         .width = shape->window[1],
                                         .stride = shape->strides[1],
                                         .before = (ptrdiff_t)shape->before[1]});
  if (!direct) wnn_tail_run(&plan->tail, j->run, j->tail_rows, results, pixel, end - begin);
}

static void run_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  const depthwise_plan *plan = j->plan;
  float *results = (float *)(void *)((char *)j->run->scratch + part * plan->part_bytes);
  const size_t width = plan->shape.out[1];
  size_t begin, end;
  wnn_parallel_split(plan->shape.images * plan->shape.out[0] * plan->n_strips, part, n_parts, &begin, &end);
  for (size_t k = begin; k < end; k++) {
    const size_t x = k % plan->n_strips * plan->strip, last = x + plan->strip;
    run_strip(j, k / plan->n_strips, x, last < width ? last : width, results);
  }
}

static webnn_status run_depthwise(const wnn_plan *base, const wnn_run *run) {
  const depthwise_plan *plan = (const depthwise_plan *)base;
  job j = {plan, run, (float *)(void *)((char *)run->scratch + plan->n_parts * plan->part_bytes)};
  wnn_tail_begin(&plan->tail, run, j.tail_rows);
  wnn_parallel(wnn_device_host(base->device)->pool, plan->n_parts, run_part, &j);
  return WEBNN_OK;
}

const wnn_kernel wnn_depthwise_kernel = {"depthwise", plan_depthwise, run_depthwise, free_depthwise};
