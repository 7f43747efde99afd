/* Dynamic quantisation: one walk for the range, one for the bytes. */
#include "kernels/integer_rows.h"
#include "kernels/kernels.h"

#include <math.h>

#define PART ((size_t)16 * 1024) /* elements that are worth a thread */

typedef struct dynamic_plan {
  wnn_plan base;
  const wnn_integer_rows *rows;
  size_t n, n_parts;
} dynamic_plan;

static webnn_status plan_dynamic(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  const wnn_port *x = &region->inputs[0], *y = &region->outputs[0];
  if (x->desc->type != WEBNN_DATA_TYPE_FLOAT32 || wnn_layout_is_blocked(&x->layout))
    return WEBNN_ERROR_NOT_SUPPORTED;
  if (!wnn_layout_same_bytes(&x->layout, &y->layout, x->desc)) return WEBNN_ERROR_NOT_SUPPORTED;
  dynamic_plan *plan = (dynamic_plan *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  const size_t threads = wnn_pool_threads(host->pool);
  plan->rows = wnn_integer_rows_for(host);
  plan->n = wnn_desc_count(x->desc);
  plan->n_parts = plan->n / PART + 1 < threads ? plan->n / PART + 1 : threads;
  plan->base.scratch_bytes = 2 * plan->n_parts * sizeof(float);
  plan->base.heavy = plan->n_parts > 1;
  *out = &plan->base;
  return WEBNN_OK;
}

static void free_dynamic(wnn_plan *base) {
  wnn_alloc_free(&wnn_device_host(base->device)->alloc, base, base->n_bytes);
}

typedef struct job {
  const dynamic_plan *plan;
  const float *x;
  float *ranges; /* low and high of each part */
  float scale;
  uint8_t zero, *y;
} job;

static void find_range(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  size_t begin, end;
  wnn_parallel_split(j->plan->n, part, n_parts, &begin, &end);
  float low = 0, high = 0;
  j->plan->rows->range(j->x + begin, end - begin, &low, &high);
  j->ranges[2 * part] = low;
  j->ranges[2 * part + 1] = high;
}

static void quantise(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  size_t begin, end;
  wnn_parallel_split(j->plan->n, part, n_parts, &begin, &end);
  j->plan->rows->quantise(j->x + begin, j->scale, j->zero, j->y + begin, end - begin);
}

static webnn_status run_dynamic(const wnn_plan *base, const wnn_run *run) {
  const dynamic_plan *plan = (const dynamic_plan *)base;
  wnn_pool *pool = wnn_device_host(base->device)->pool;
  job j = {.plan = plan, .x = run->inputs[0], .ranges = run->scratch, .y = run->outputs[0]};
  float low = 0, high = 0;
  wnn_parallel(pool, plan->n_parts, find_range, &j);
  plan->rows->range(j.ranges, 2 * plan->n_parts, &low, &high);
  j.scale = (high - low) / 255.0f;
  if (j.scale == 0) j.scale = 1;
  const float zero = nearbyintf(0.0f - low / j.scale);
  j.zero = isnan(zero) ? 0 : (uint8_t)fminf(fmaxf(zero, 0), 255);
  wnn_parallel(pool, plan->n_parts, quantise, &j);
  *(float *)run->outputs[1] = j.scale;
  *(uint8_t *)run->outputs[2] = j.zero;
  return WEBNN_OK;
}

const wnn_kernel wnn_dynamic_kernel = {"dynamic", plan_dynamic, run_dynamic, free_dynamic};
