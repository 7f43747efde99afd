/* batchNormalization in any unblocked layout: elements lie [outer][channel][inner], and each
 * channel gets a factor and a term that are computed first. */
#include "kernels/kernels.h"
#include "kernels/lanes.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define PARALLEL_WORK ((size_t)64 * 1024)
#define WIDE ((size_t)512)   /* short rows of channels go side by side up to this */
#define PIECE ((size_t)1024) /* elements of a channel done together */
#define LARGE 0x1p127f

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
  size_t mean_at, factor_at, bias_at, zero_at, scale_at; /* in scratch */
} batch_plan;

static void free_batch(wnn_plan *plan) {
  wnn_alloc_free(&wnn_device_host(plan->device)->alloc, plan, plan->n_bytes);
}

static void set_parts(batch_plan *plan, const wnn_host *host) {
  size_t numbers;
  plan->base.heavy = plan->n_outer * plan->channels * plan->inner >= PARALLEL_WORK;
  plan->beside = 1;
  if (plan->inner == 1 && plan->channels <= WIDE / 2) plan->beside = WIDE / plan->channels;
  if (plan->beside > plan->n_outer) plan->beside = plan->n_outer;
  numbers = wnn_aligned(plan->beside * plan->channels * sizeof(float));
  plan->factor_at = plan->mean_at + numbers;
  plan->bias_at = plan->factor_at + numbers;
  plan->zero_at = plan->bias_at + numbers;
  plan->scale_at = plan->zero_at + numbers;
  plan->base.scratch_bytes = plan->scale_at + numbers;
  plan->n_jobs = plan->inner == 1 ? (plan->n_outer + plan->beside - 1) / plan->beside
                                  : plan->n_outer * plan->channels;
  plan->n_parts =
      !plan->base.heavy
          ? 1
          : wnn_pool_parts(host->pool, plan->n_jobs,
                           2 * plan->n_outer * plan->channels * plan->inner * sizeof(float));
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
  float *mean, *factor, *bias;
  float *zero, *scale;
  bool apart; /* some channels' scales aren't 1: they come second */
} job;

static float param_at(const batch_plan *plan, const wnn_run *run, size_t i, size_t c,
                      float absent) {
  if (!plan->given[i]) return absent;
  if (plan->half) return wnn_f16_to_f32(((const uint16_t *)run->inputs[1 + i])[c]);
  return ((const float *)run->inputs[1 + i])[c];
}

static void repeat(const batch_plan *plan, float *numbers) {
  for (size_t b = 1; b < plan->beside; b++)
    memcpy(numbers + b * plan->channels, numbers, plan->channels * sizeof *numbers);
}

/* What multiplies the differences of channel `c` from the mean: one factor or, where that is no
 * normal number, two, a power of two and what is left, in the order in which differences of any
 * size neither overflow nor vanish between them. */
static void set_factor(job *j, size_t c, float scale, float variance) {
  const double factor = scale / sqrt((double)variance + j->plan->epsilon), size = fabs(factor);
  j->factor[c] = (float)factor, j->scale[c] = 1.0f;
  if (factor == 0 || !isfinite(factor) || (size >= FLT_MIN && size <= FLT_MAX)) return;
  j->factor[c] = size < 1 ? (float)(factor / FLT_MIN) : LARGE;
  j->scale[c] = size < 1 ? FLT_MIN : (float)(factor / LARGE);
  j->apart = true;
}

/* What each channel has, for as many rows as are walked through as one. */
static void prepare(job *j) {
  const batch_plan *plan = j->plan;
  for (size_t c = 0; c < plan->channels; c++) {
    set_factor(j, c, param_at(plan, j->run, 2, c, 1.0f), param_at(plan, j->run, 1, c, 1.0f));
    j->mean[c] = param_at(plan, j->run, 0, c, 0.0f);
    j->bias[c] = param_at(plan, j->run, 3, c, 0.0f);
    j->zero[c] = 0.0f;
  }
  float *const all[] = {j->mean, j->factor, j->bias, j->zero, j->scale};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) repeat(plan, all[i]);
}

/* `n` numbers in the channels from `c` on, one by one. */
static void standardise_channels(const job *j, const float *x, float *y, size_t n, size_t c) {
  const wnn_vector *vector = j->plan->vector;
  const float *bias = j->apart ? j->zero : j->bias;
  vector->standardise_columns(x, j->mean + c, j->factor + c, 1.0f, bias + c, 0.0f, y, n);
  if (j->apart)
    vector->standardise_columns(y, j->zero + c, j->scale + c, 1.0f, j->bias + c, 0.0f, y, n);
}

static void standardise_channel(const job *j, const float *x, float *y, size_t n, size_t c) {
  const wnn_vector *vector = j->plan->vector;
  const bool apart = j->scale[c] != 1.0f;
  vector->standardise_evenly(x, j->mean[c], j->factor[c], apart ? 0.0f : j->bias[c], y, n);
  if (apart) vector->standardise_evenly(y, 0.0f, j->scale[c], j->bias[c], y, n);
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
      standardise_channels(j, x, y, m, first);
    else
      standardise_channel(j, x, y, m, c);
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
  job j = {.plan = plan,
           .run = run,
           .mean = (float *)(void *)(scratch + plan->mean_at),
           .factor = (float *)(void *)(scratch + plan->factor_at),
           .bias = (float *)(void *)(scratch + plan->bias_at),
           .zero = (float *)(void *)(scratch + plan->zero_at),
           .scale = (float *)(void *)(scratch + plan->scale_at)};
  prepare(&j);
  if (plan->n_parts == 1)
    run_part(&j, 0, 1);
  else
    wnn_parallel(wnn_device_host(base->device)->pool, plan->n_parts, run_part, &j);
  return WEBNN_OK;
}

const wnn_kernel wnn_batch_kernel = {"batch", plan_batch, run_batch, free_batch};
