/* cumulativeSum along one axis of any unblocked layout. Sums of float16 are kept in float32. */
#include "kernels/kernels.h"
#include "kernels/lanes.h"

#include <string.h>

#define PARALLEL_WORK ((size_t)16 * 1024)
#define WIDE ((size_t)4096) /* columns done together, at most */
#define PIECE ((size_t)512) /* elements of a row done together, or half as many wide ones */

typedef struct scan_plan {
  wnn_plan base;
  const wnn_vector *vector;
  wnn_stage_fn add;
  webnn_data_type type;
  bool half, exclusive, reversed, streams;
  size_t bytes, sum_bytes; /* of an element, of a sum before it is stored */
  wnn_row_copy reverse;
  wnn_lanes lanes;
  size_t wide; /* columns done together */
  size_t n_jobs, n_parts;
} scan_plan;

static void free_scan(wnn_plan *plan) {
  wnn_alloc_free(&wnn_device_host(plan->device)->alloc, plan, plan->n_bytes);
}

static webnn_status plan_scan(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  const wnn_cumulative_sum_attrs *attrs = region->anchor->attrs;
  const wnn_port *in = &region->inputs[0], *result = &region->outputs[0];
  const bool half = in->desc->type == WEBNN_DATA_TYPE_FLOAT16;
  const webnn_data_type type = half ? WEBNN_DATA_TYPE_FLOAT32 : in->desc->type;
  const wnn_vector *vector = wnn_vector_for(host);
  wnn_stage_fn add = vector->stage(WNN_OP_ADD, type, type);
  if (region->n_posts != 0 || add == NULL || webnn_data_type_bytes(type) < 4 ||
      wnn_layout_is_blocked(&in->layout) ||
      !wnn_layout_same_bytes(&in->layout, &result->layout, in->desc))
    return WEBNN_ERROR_NOT_SUPPORTED;
  scan_plan *plan = (scan_plan *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->vector = vector;
  plan->add = add;
  plan->type = type;
  plan->half = half;
  plan->exclusive = attrs->exclusive;
  plan->reversed = attrs->reversed;
  plan->streams = wnn_streams(host, wnn_desc_bytes(in->desc));
  plan->bytes = webnn_data_type_bytes(in->desc->type);
  plan->sum_bytes = webnn_data_type_bytes(type);
  plan->reverse = vector->reverse[plan->bytes == 2 ? 1 : plan->bytes == 4 ? 2 : 3];
  plan->lanes = wnn_lanes_along(in, attrs->axis);
  plan->base.heavy = wnn_desc_count(in->desc) >= PARALLEL_WORK;
  plan->wide = wnn_lanes_width(&plan->lanes, plan->sum_bytes, WIDE,
                               plan->base.heavy ? wnn_pool_threads(host->pool) : 1);
  plan->n_jobs = plan->lanes.outer * ((plan->lanes.inner + plan->wide - 1) / plan->wide);
  plan->n_parts = !plan->base.heavy
                      ? 1
                      : wnn_pool_parts(host->pool, plan->n_jobs, 2 * wnn_desc_bytes(in->desc));
  *out = &plan->base;
  return WEBNN_OK;
}

static void put(const scan_plan *plan, const void *from, char *to, size_t n) {
  if (plan->streams)
    plan->vector->stream(from, to, n * plan->bytes);
  else
    memcpy(to, from, n * plan->bytes);
}

/* ---- one lane whose elements are neighbours */

static void sum_up_64(const uint64_t *xs, uint64_t *ys, size_t n, uint64_t *before) {
  uint64_t sum = *before;
  for (size_t k = 0; k < n; k++) ys[k] = sum += xs[k];
  *before = sum;
}

/* y[k] is what was before and x[0] to x[k]. */
static void sum_up(const scan_plan *plan, const void *x, void *y, size_t n, void *before) {
  if (plan->sum_bytes == 8)
    sum_up_64(x, y, n, before);
  else
    plan->vector->running_sum[plan->type != WEBNN_DATA_TYPE_FLOAT32](x, y, n, before);
}

/* A piece of the lane as it lies, of which the last is done first where it is reversed. What is
 * exclusive begins with the sum before. */
static void scan_piece(const scan_plan *plan, const char *x, char *y, size_t n, void *before) {
  uint64_t turned[PIECE], sums[PIECE + 1];
  float wide[PIECE];
  const ptrdiff_t last = (ptrdiff_t)((n - 1) * plan->bytes);
  char *result = (char *)sums;
  if (plan->reversed) plan->reverse(x + last, (char *)turned, n);
  const void *from = plan->reversed ? (const char *)turned : x;
  if (plan->half) {
    plan->vector->widen(from, wide, n);
    from = wide;
  }
  memcpy(sums, before, plan->sum_bytes);
  sum_up(plan, from, result + (plan->exclusive ? plan->sum_bytes : 0), n, before);
  if (plan->half) {
    plan->vector->narrow((const float *)(const void *)result, (uint16_t *)(void *)wide, n);
    result = (char *)wide;
  }
  if (plan->reversed) {
    plan->reverse(result + last, (char *)turned, n);
    result = (char *)turned;
  }
  put(plan, result, y, n);
}

static void scan_row(const scan_plan *plan, const char *x, char *y) {
  const size_t n = plan->lanes.n;
  uint64_t before = 0;
  const size_t most = plan->sum_bytes == 8 ? PIECE / 2 : PIECE, far = most * plan->bytes;
  for (size_t k = 0, m; k < n; k += m) {
    m = n - k < most ? n - k : most;
    const size_t at = (plan->reversed ? n - k - m : k) * plan->bytes;
    /* The piece behind the next one, if it is whole. */
    if (plan->reversed ? at >= 2 * far : at + 3 * far <= n * plan->bytes)
      wnn_fetch(plan->reversed ? x + at - 2 * far : x + at + 2 * far, far);
    scan_piece(plan, x + at, y + at, m, &before);
  }
}

/* ---- lanes side by side */

static void scan_columns(const scan_plan *plan, const char *x, char *y, size_t width) {
  uint64_t sums[WIDE];
  float wide[WIDE];
  const wnn_stage_args none = {{0}, {0}, {0}};
  const size_t n = plan->lanes.n, stride = plan->lanes.inner * plan->bytes;
  memset(sums, 0, width * plan->sum_bytes);
  for (size_t k = 0; k < n; k++) {
    const size_t at = (plan->reversed ? n - 1 - k : k) * stride;
    const void *row = x + at;
    if (k + 1 < n) wnn_fetch(x + (plan->reversed ? at - stride : at + stride), width * plan->bytes);
    if (plan->half) {
      plan->vector->widen(row, wide, width);
      row = wide;
    }
    if (!plan->exclusive) plan->add((const void *[]){sums, row}, sums, width, &none);
    const void *result = sums;
    uint16_t narrow[WIDE];
    if (plan->half) {
      plan->vector->narrow((const float *)(const void *)sums, narrow, width);
      result = narrow;
    }
    put(plan, result, y + at, width);
    if (plan->exclusive) plan->add((const void *[]){sums, row}, sums, width, &none);
  }
}

typedef struct job {
  const scan_plan *plan;
  const wnn_run *run;
} job;

static void run_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  const scan_plan *plan = j->plan;
  const size_t inner = plan->lanes.inner, wide = plan->wide, slabs = (inner + wide - 1) / wide;
  size_t begin, end;
  wnn_parallel_split(plan->n_jobs, part, n_parts, &begin, &end);
  for (size_t k = begin; k < end; k++) {
    size_t column = k % slabs * wide,
           at = (k / slabs * plan->lanes.n * inner + column) * plan->bytes;
    const char *x = (const char *)j->run->inputs[0] + at;
    char *y = (char *)j->run->outputs[0] + at;
    if (inner == 1)
      scan_row(plan, x, y);
    else
      scan_columns(plan, x, y, inner - column < wide ? inner - column : wide);
  }
  if (plan->streams) plan->vector->stream_end();
}

static webnn_status run_scan(const wnn_plan *base, const wnn_run *run) {
  const scan_plan *plan = (const scan_plan *)base;
  job j = {plan, run};
  if (plan->n_parts == 1)
    run_part(&j, 0, 1);
  else
    wnn_parallel(wnn_device_host(base->device)->pool, plan->n_parts, run_part, &j);
  return WEBNN_OK;
}

const wnn_kernel wnn_scan_kernel = {"scan", plan_scan, run_scan, free_scan};
