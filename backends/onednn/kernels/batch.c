/* batchNormalization in any unblocked layout: elements lie [outer][channel][inner], and each
 * channel gets a factor and a term that are computed first. */
#include "kernels/kernels.h"
#include "kernels/lanes.h"

#include <math.h>
#include <string.h>

#define PARALLEL_WORK ((size_t)64 * 1024)
#define WIDE ((size_t)512)   /* short rows of channels go side by side up to this */
#define PIECE ((size_t)1024) /* elements of a channel done together */

typedef struct batch_plan {
  wnn_plan base;
  const wnn_vector *vector;
  bool half;
  float epsilon;
  size_t bytes;
  size_t n_outer, channels, inner;
  size_t beside; /* of channels innermost: rows that are walked through as one */
  bool given[4]; /* mean, variance, scale, bias */
  size_t n_jobs, n_parts;
  size_t mean_at, factor_at, bias_at; /* in scratch */
} batch_plan;

static void free_batch(wnn_plan *plan) {
  wnn_alloc_free(&wnn_device_host(plan->device)->alloc, plan, plan->n_bytes);
}

static void set_parts(batch_plan *plan, const wnn_host *host) {
  size_t threads = wnn_pool_threads(host->pool), numbers;
  plan->base.heavy = plan->n_outer * plan->channels * plan->inner >= PARALLEL_WORK;
  plan->beside = 1;
  if (plan->inner == 1 && plan->channels <= WIDE / 2) plan->beside = WIDE / plan->channels;
  if (plan->beside > plan->n_outer) plan->beside = plan->n_outer;
  numbers = wnn_aligned(plan->beside * plan->channels * sizeof(float));
  plan->factor_at = plan->mean_at + numbers;
  plan->bias_at = plan->factor_at + numbers;
  plan->base.scratch_bytes = plan->bias_at + numbers;
  plan->n_jobs = plan->inner == 1 ? (plan->n_outer + plan->beside - 1) / plan->beside
                                  : plan->n_outer * plan->channels;
  plan->n_parts = !plan->base.heavy ? 1 : plan->n_jobs < threads ? plan->n_jobs : threads;
}

static bool fits(const wnn_region *region) {
  const wnn_port *in = &region->inputs[0], *out = &region->outputs[0];
  if (region->n_posts != 0 || wnn_layout_is_blocked(&in->layout)) return false;
  return wnn_layout_same_bytes(&in->layout, &out->layout, in->desc);
}

static webnn_status plan_batch(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  const wnn_batch_normalization_attrs *attrs = region->anchor->attrs;
  if (!fits(region)) return WEBNN_ERROR_NOT_SUPPORTED;
  batch_plan *plan = (batch_plan *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->vector = wnn_vector_for(host);
  plan->half = region->inputs[0].desc->type == WEBNN_DATA_TYPE_FLOAT16;
  plan->bytes = webnn_data_type_bytes(region->inputs[0].desc->type);
  plan->epsilon = (float)attrs->epsilon.as.f;
  for (size_t i = 0; i < 4 && 1 + i < region->n_inputs; i++)
    plan->given[i] = region->inputs[1 + i].desc != NULL;
  const wnn_lanes lanes = wnn_lanes_along(&region->inputs[0], attrs->axis);
  plan->n_outer = lanes.outer, plan->channels = lanes.n, plan->inner = lanes.inner;
  set_parts(plan, host);
  plan->base.in_place = 0;
  *out = &plan->base;
  return WEBNN_OK;
}

/* ---- running */

typedef struct job {
  const batch_plan *plan;
  const wnn_run *run;
  const float *mean, *factor, *bias;
} job;

static float param_at(const batch_plan *plan, const wnn_run *run, size_t i, size_t c,
                      float absent) {
  if (!plan->given[i]) return absent;
  if (plan->half) return wnn_f16_to_f32(((const uint16_t *)run->inputs[1 + i])[c]);
  return ((const float *)run->inputs[1 + i])[c];
}

static void prepare(const batch_plan *plan, const wnn_run *run, float *mean, float *factor,
                    float *bias) {
  const size_t n = plan->channels, n_bytes = n * sizeof(float);
  for (size_t c = 0; c < n; c++) {
    mean[c] = param_at(plan, run, 0, c, 0.0f);
    factor[c] =
        param_at(plan, run, 2, c, 1.0f) / sqrtf(param_at(plan, run, 1, c, 1.0f) + plan->epsilon);
    bias[c] = param_at(plan, run, 3, c, 0.0f);
  }
  for (size_t b = 1; b < plan->beside; b++) {
    memcpy(mean + b * n, mean, n_bytes);
    memcpy(factor + b * n, factor, n_bytes);
    memcpy(bias + b * n, bias, n_bytes);
  }
}

/* `n` elements from element `at` on, which begin with channel `c`; in one channel, or each in the
 * next. */
static void run_row(const job *j, size_t at, size_t n, size_t c) {
  const batch_plan *plan = j->plan;
  const char *in = (const char *)j->run->inputs[0] + at * plan->bytes;
  char *out = (char *)j->run->outputs[0] + at * plan->bytes;
  float wide[PIECE];
  for (size_t k = 0; k < n; k += PIECE) {
    size_t m = n - k < PIECE ? n - k : PIECE, first = c + k;
    const float *x = (const float *)(const void *)(in + k * plan->bytes);
    float *y = plan->half ? wide : (float *)(void *)(out + k * plan->bytes);
    if (plan->half) {
      plan->vector->widen((const uint16_t *)(const void *)x, wide, m);
      x = wide;
    }
    if (plan->inner == 1)
      plan->vector->standardise_columns(x, j->mean + first, j->factor + first, 1.0f,
                                        j->bias + first, 0.0f, y, m);
    else
      plan->vector->standardise_evenly(x, j->mean[c], j->factor[c], j->bias[c], y, m);
    if (plan->half) plan->vector->narrow(wide, (uint16_t *)(void *)(out + k * plan->bytes), m);
  }
}

static void run_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  const batch_plan *plan = j->plan;
  size_t begin, end, rows = plan->n_outer;
  wnn_parallel_split(plan->n_jobs, part, n_parts, &begin, &end);
  for (size_t k = begin; k < end; k++) {
    size_t row = k * plan->beside, more = rows - row < plan->beside ? rows - row : plan->beside;
    if (plan->inner == 1)
      run_row(j, row * plan->channels, more * plan->channels, 0);
    else
      run_row(j, k * plan->inner, plan->inner, k % plan->channels);
  }
}

static webnn_status run_batch(const wnn_plan *base, const wnn_run *run) {
  const batch_plan *plan = (const batch_plan *)base;
  char *scratch = run->scratch;
  float *mean = (float *)(void *)(scratch + plan->mean_at),
        *factor = (float *)(void *)(scratch + plan->factor_at);
  float *bias = (float *)(void *)(scratch + plan->bias_at);
  prepare(plan, run, mean, factor, bias);
  job j = {plan, run, mean, factor, bias};
  if (plan->n_parts == 1)
    run_part(&j, 0, 1);
  else
    wnn_parallel(wnn_device_host(base->device)->pool, plan->n_parts, run_part, &j);
  return WEBNN_OK;
}

const wnn_kernel wnn_batch_kernel = {"batch", plan_batch, run_batch, free_batch};
