/* Transposed convolutions whose windows don't overlap: a product gives the pixels of a row their
 * windows, whose rows then stand side by side in the image, with all that follows. */
#include "kernels/conv2d.h"
#include "kernels/kernels.h"
#include "kernels/lanes.h"
#include "kernels/tail.h"

#include <string.h>

#define STRIP_NUMBERS ((size_t)8 * 1024)  /* results of a strip that wait for their places */
#define PARALLEL_WORK ((size_t)64 * 1024) /* multiplications below which threads don't pay */

typedef struct windows_plan {
  wnn_plan base;
  const wnn_conv_rows *rows;
  wnn_tail tail;
  size_t images, in_channels, channels;
  size_t in[2], window[2]; /* height, width */
  size_t vectors, n_panels,
      filled;             /* filled: numbers of a window, with what fills the last panel */
  size_t strip, n_strips; /* pixels of a strip, strips of a row */
  size_t n_parts, row_at, part_bytes;
  bool direct; /* rows of results go to the output at once */
  size_t count;
  float *panels; /* then the bias, once for each place of the window */
} windows_plan;

/* ---- planning */

/* By filter layout: the axes of input channels, height, width, output channels. */
static const uint8_t filter_axes[][4] = {
    [WEBNN_CONV_TRANSPOSE2D_FILTER_OPERAND_LAYOUT_IOHW] = {0, 2, 3, 1},
    [WEBNN_CONV_TRANSPOSE2D_FILTER_OPERAND_LAYOUT_HWOI] = {3, 0, 1, 2},
    [WEBNN_CONV_TRANSPOSE2D_FILTER_OPERAND_LAYOUT_OHWI] = {3, 1, 2, 0},
};

static bool is_nchw(const wnn_region *region) {
  const wnn_conv_transpose2d_attrs *attrs = region->anchor->attrs;
  return attrs->input_layout == WEBNN_INPUT_OPERAND_LAYOUT_NCHW;
}

bool wnn_windows_are_apart(const wnn_region *region) {
  const wnn_conv_transpose2d_attrs *attrs = region->anchor->attrs;
  const wnn_desc *in = region->inputs[0].desc, *filter = region->inputs[1].desc;
  const uint32_t height = is_nchw(region) ? 2 : 1;
  if (attrs->groups != 1 || region->inputs[1].constant == NULL) return false;
  for (uint32_t i = 0; i < 2; i++) {
    const uint64_t window = filter->dims[filter_axes[attrs->filter_layout][1 + i]];
    if (attrs->strides.data[i] != window || (attrs->dilations.data[i] != 1 && window != 1) ||
        attrs->padding.data[2 * i] != 0 ||
        region->anchor_desc.dims[height + i] != in->dims[height + i] * window)
      return false;
  }
  return true;
}

static const wnn_port *bias_of(const wnn_region *region) {
  const bool there = region->anchor->n_inputs > 2 && region->inputs[2].desc != NULL;
  return there ? &region->inputs[2] : NULL;
}

static bool fits(const wnn_region *region) {
  const wnn_port *bias = bias_of(region);
  return region->inputs[0].desc->type == WEBNN_DATA_TYPE_FLOAT32 && wnn_windows_are_apart(region) &&
         (bias == NULL || bias->constant != NULL) &&
         wnn_lies_channels_last(&region->inputs[0], is_nchw(region)) &&
         wnn_lies_channels_last(&region->outputs[0], is_nchw(region));
}

static void set_sizes(windows_plan *plan, const wnn_host *host, const wnn_region *region) {
  const wnn_conv_transpose2d_attrs *attrs = region->anchor->attrs;
  const uint32_t *dims = region->inputs[0].desc->dims, height = is_nchw(region) ? 2 : 1;
  plan->images = dims[0], plan->in_channels = dims[is_nchw(region) ? 1 : 3];
  plan->channels = region->anchor_desc.dims[is_nchw(region) ? 1 : 3];
  for (uint32_t i = 0; i < 2; i++) {
    plan->in[i] = dims[height + i];
    plan->window[i] = attrs->strides.data[i];
  }
  const size_t numbers = plan->window[0] * plan->window[1] * plan->channels;
  plan->vectors = wnn_panel_vectors(numbers, plan->rows->lanes);
  const size_t width = plan->vectors * plan->rows->lanes;
  plan->n_panels = (numbers + width - 1) / width, plan->filled = plan->n_panels * width;
  const size_t most = plan->in[1], few = STRIP_NUMBERS / plan->filled;
  plan->strip = few < 1 ? 1 : few < most ? few : most;
  plan->n_strips = (plan->in[1] + plan->strip - 1) / plan->strip;
  const size_t rows = plan->images * plan->in[0], threads = wnn_pool_threads(host->pool);
  plan->base.heavy = rows * plan->in[1] * plan->in_channels * numbers >= PARALLEL_WORK;
  const size_t items = rows * plan->n_strips;
  plan->n_parts = !plan->base.heavy ? 1 : items < threads ? items : threads;
}

static void set_scratch(windows_plan *plan) {
  plan->direct = plan->tail.n_stages == 0;
  plan->row_at = wnn_aligned(plan->strip * plan->filled * sizeof(float));
  const size_t row = plan->direct ? 0 : plan->strip * plan->window[1] * plan->channels;
  plan->part_bytes = plan->row_at + wnn_aligned(row * sizeof(float));
  plan->base.scratch_bytes = plan->n_parts * plan->part_bytes + plan->tail.n_rows * sizeof(float);
}

/* The filter as a matrix, a row for each input channel, in it the window row by row. */
static webnn_status pack(windows_plan *plan, const wnn_host *host, const wnn_region *region) {
  const wnn_conv_transpose2d_attrs *attrs = region->anchor->attrs;
  const uint8_t *axes = filter_axes[attrs->filter_layout];
  const wnn_port *filter = &region->inputs[1], *bias = bias_of(region);
  const size_t width = plan->vectors * plan->rows->lanes, across = plan->window[1] * plan->channels,
               numbers = plan->window[0] * across;
  size_t strides[WNN_MAX_RANK];
  plan->count = (plan->in_channels + 1) * plan->filled;
  plan->panels = wnn_alloc_zeroed(&host->alloc, plan->count * sizeof(float));
  if (plan->panels == NULL) return WEBNN_ERROR_UNKNOWN;
  wnn_layout_strides(&filter->layout, filter->desc, strides);
  float *biases = plan->panels + plan->in_channels * plan->filled;
  for (size_t k = 0; k < numbers; k++) {
    const size_t y = k / across, x = k % across / plan->channels, channel = k % plan->channels;
    const float *from = (const float *)filter->constant + y * strides[axes[1]] +
                        x * strides[axes[2]] + channel * strides[axes[3]];
    float *to = plan->panels + k / width * plan->in_channels * width + k % width;
    for (size_t i = 0; i < plan->in_channels; i++) to[i * width] = from[i * strides[axes[0]]];
    if (bias != NULL) biases[k] = ((const float *)bias->constant)[channel];
  }
  plan->base.packed = UINT64_C(1) << 1;
  plan->base.weight_bytes = plan->count * sizeof(float);
  return WEBNN_OK;
}

static void free_windows(wnn_plan *base) {
  windows_plan *plan = (windows_plan *)base;
  const wnn_alloc *alloc = &wnn_device_host(base->device)->alloc;
  wnn_alloc_free(alloc, plan->panels, plan->count * sizeof(float));
  wnn_alloc_free(alloc, plan, base->n_bytes);
}

static webnn_status fill_plan(windows_plan *plan, const wnn_host *host, const wnn_region *region) {
  plan->rows = wnn_conv_rows_for(host);
  if (!wnn_tail_plan(&plan->tail, host, region, 0, is_nchw(region) ? 1 : 3))
    return WEBNN_ERROR_NOT_SUPPORTED;
  set_sizes(plan, host, region);
  set_scratch(plan);
  wnn_tail_take_over(&plan->tail, region, &plan->base);
  return pack(plan, host, region);
}

static webnn_status plan_windows(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  if (!fits(region)) return WEBNN_ERROR_NOT_SUPPORTED;
  windows_plan *plan = (windows_plan *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  const webnn_status status = fill_plan(plan, host, region);
  if (status == WEBNN_OK)
    *out = &plan->base;
  else
    free_windows(&plan->base);
  return status;
}

/* ---- running */

typedef struct job {
  const windows_plan *plan;
  const wnn_run *run;
  float *tail_rows;
} job;

/* Row `y` of the windows of `n` pixels, side by side. */
static void place(const windows_plan *plan, const float *windows, size_t y, size_t n, float *to) {
  const size_t across = plan->window[1] * plan->channels;
  const float *from = windows + y * across;
  for (size_t x = 0; x < n; x++, from += plan->filled, to += across) {
    if (across <= 8)
      for (size_t k = 0; k < across; k++) to[k] = from[k];
    else
      memcpy(to, from, across * sizeof(float));
  }
}

/* `n` pixels of row `row` of all images, from `x` on. */
static void run_strip(const job *j, size_t row, size_t x, size_t n, char *near) {
  const windows_plan *plan = j->plan;
  const size_t depth = plan->in_channels, width = plan->in[1] * plan->window[1];
  float *windows = (float *)(void *)near, *results = (float *)(void *)(near + plan->row_at);
  plan->rows->product(
      &(wnn_product){.a = (const float *)j->run->inputs[0] + (row * plan->in[1] + x) * depth,
                     .panels = plan->panels,
                     .c = windows,
                     .a_stride = depth,
                     .c_stride = plan->filled,
                     .n_rows = n,
                     .depth = depth,
                     .n_panels = plan->n_panels,
                     .vectors = plan->vectors,
                     .bias = plan->panels + depth * plan->filled});
  for (size_t y = 0; y < plan->window[0]; y++) {
    const size_t pixel = (row * plan->window[0] + y) * width + x * plan->window[1];
    if (plan->direct) results = (float *)j->run->outputs[0] + pixel * plan->channels;
    place(plan, windows, y, n, results);
    if (!plan->direct)
      wnn_tail_run(&plan->tail, j->run, j->tail_rows, results, pixel, n * plan->window[1]);
  }
}

static void run_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  const windows_plan *plan = j->plan;
  char *near = (char *)j->run->scratch + part * plan->part_bytes;
  size_t begin, end;
  wnn_parallel_split(plan->images * plan->in[0] * plan->n_strips, part, n_parts, &begin, &end);
  for (size_t item = begin; item < end; item++) {
    const size_t x = item % plan->n_strips * plan->strip, left = plan->in[1] - x;
    run_strip(j, item / plan->n_strips, x, left < plan->strip ? left : plan->strip, near);
  }
}

static webnn_status run_windows(const wnn_plan *base, const wnn_run *run) {
  const windows_plan *plan = (const windows_plan *)base;
  char *behind = (char *)run->scratch + plan->n_parts * plan->part_bytes;
  job j = {plan, run, (float *)(void *)behind};
  wnn_tail_begin(&plan->tail, run, j.tail_rows);
  wnn_parallel(wnn_device_host(base->device)->pool, plan->n_parts, run_part, &j);
  return WEBNN_OK;
}

const wnn_kernel wnn_windows_kernel = {"windows", plan_windows, run_windows, free_windows};
