/* cumulativeSum along one axis of any unblocked layout. Sums of float16 are kept in float32. */
#include "kernels/kernels.h"
#include "kernels/lanes.h"

#include <string.h>

#define PARALLEL_WORK ((size_t)16 * 1024)
#define WIDE ((size_t)512) /* columns done together */

typedef struct scan_plan {
  wnn_plan base;
  const wnn_vector *vector;
  wnn_stage_fn add;
  webnn_data_type type;
  bool half, exclusive, reversed;
  size_t bytes; /* of an element */
  wnn_lanes lanes;
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
  const size_t threads = wnn_pool_threads(host->pool);
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
  plan->bytes = webnn_data_type_bytes(in->desc->type);
  plan->lanes = wnn_lanes_along(in, attrs->axis);
  plan->base.heavy = wnn_desc_count(in->desc) >= PARALLEL_WORK;
  plan->n_jobs = plan->lanes.outer * ((plan->lanes.inner + WIDE - 1) / WIDE);
  plan->n_parts = !plan->base.heavy ? 1 : plan->n_jobs < threads ? plan->n_jobs : threads;
  *out = &plan->base;
  return WEBNN_OK;
}

/* One lane whose elements are neighbours. */
#define SCAN_ROW(T)                               \
  {                                               \
    const T *xs = (const T *)(const void *)x;     \
    T *ys = (T *)(void *)y, sum = 0;              \
    for (size_t k = 0; k < n; k++) {              \
      size_t at = plan->reversed ? n - 1 - k : k; \
      T with = sum + xs[at];                      \
      ys[at] = plan->exclusive ? sum : with;      \
      sum = with;                                 \
    }                                             \
  }

static void scan_half_row(const scan_plan *plan, const uint16_t *x, uint16_t *y) {
  const size_t n = plan->lanes.n;
  float sum = 0;
  for (size_t k = 0; k < n; k++) {
    size_t at = plan->reversed ? n - 1 - k : k;
    float with = sum + wnn_f16_to_f32(x[at]);
    y[at] = wnn_f16_from_f32(plan->exclusive ? sum : with);
    sum = with;
  }
}

static void scan_row(const scan_plan *plan, const char *x, char *y) {
  const size_t n = plan->lanes.n;
  if (plan->half)
    scan_half_row(plan, (const uint16_t *)(const void *)x, (uint16_t *)(void *)y);
  else if (plan->type == WEBNN_DATA_TYPE_FLOAT32)
    SCAN_ROW(float)
  else if (plan->bytes == 4)
    SCAN_ROW(uint32_t)
  else
    SCAN_ROW(uint64_t)
}

/* `width` lanes side by side: each row of sums is the one before and a row of x. */
static void scan_wide_columns(const scan_plan *plan, const char *x, char *y, size_t width) {
  const wnn_stage_args none = {{0}, {0}, {0}};
  const size_t n = plan->lanes.n, stride = plan->lanes.inner * plan->bytes;
  const char *last = NULL;
  for (size_t k = 0; k < n; k++) {
    const size_t i = plan->reversed ? n - 1 - k : k, next = plan->reversed ? i + 1 : i - 1;
    char *sums = y + i * stride;
    if (k == 0 && plan->exclusive)
      memset(sums, 0, width * plan->bytes);
    else if (k == 0)
      memcpy(sums, x + i * stride, width * plan->bytes);
    else
      plan->add((const void *[]){last, x + (plan->exclusive ? next : i) * stride}, sums, width,
                &none);
    last = sums;
  }
}

static void scan_half_columns(const scan_plan *plan, const char *x, char *y, size_t width) {
  float sum[WIDE], wide[WIDE];
  const wnn_stage_args none = {{0}, {0}, {0}};
  memset(sum, 0, sizeof sum);
  for (size_t k = 0; k < plan->lanes.n; k++) {
    size_t i = plan->reversed ? plan->lanes.n - 1 - k : k, at = i * plan->lanes.inner * plan->bytes;
    uint16_t *to = (uint16_t *)(void *)(y + at);
    plan->vector->widen((const uint16_t *)(const void *)(x + at), wide, width);
    if (plan->exclusive) plan->vector->narrow(sum, to, width); /* of what has come before */
    plan->add((const void *[]){sum, wide}, sum, width, &none);
    if (!plan->exclusive) plan->vector->narrow(sum, to, width);
  }
}

static void scan_columns(const scan_plan *plan, const char *x, char *y, size_t width) {
  (plan->half ? scan_half_columns : scan_wide_columns)(plan, x, y, width);
}

typedef struct job {
  const scan_plan *plan;
  const wnn_run *run;
} job;

static void run_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  const scan_plan *plan = j->plan;
  const size_t inner = plan->lanes.inner, slabs = (inner + WIDE - 1) / WIDE;
  size_t begin, end;
  wnn_parallel_split(plan->n_jobs, part, n_parts, &begin, &end);
  for (size_t k = begin; k < end; k++) {
    size_t column = k % slabs * WIDE,
           at = (k / slabs * plan->lanes.n * inner + column) * plan->bytes;
    const char *x = (const char *)j->run->inputs[0] + at;
    char *y = (char *)j->run->outputs[0] + at;
    if (inner == 1)
      scan_row(plan, x, y);
    else
      scan_columns(plan, x, y, inner - column < WIDE ? inner - column : WIDE);
  }
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
