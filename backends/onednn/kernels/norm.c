/* layerNormalization, instanceNormalization and rmsNormalization, any axes of any unblocked layout. Elements lie
 * [outer][n][inner] and each lane of n gets its mean and variance: rows where inner is 1, else
 * columns side by side. What lies otherwise is copied into rows and back. */
#include "kernels/kernels.h"
#include "kernels/lanes.h"

#include <math.h>
#include <string.h>

#define PARALLEL_WORK ((size_t)16 * 1024)
#define WIDE ((size_t)512) /* columns done together; short rows go side by side up to this */
#define MIN_WIDTH ((size_t)16)
#define FLUSH ((size_t)64) /* rows summed before they are joined to the total */

typedef struct norm_plan {
  wnn_plan base;
  const wnn_vector *vector;
  bool half, instance, about_zero; /* about_zero: rmsNormalization, by rows */
  bool of_nothing; /* no axes: a bias or 0 is all there is, whatever the sign of the scale */
  float no_bias;
  float epsilon;
  size_t bytes; /* of an element */
  size_t n_outer, n, inner;
  size_t channels; /* of instanceNormalization by rows: scale and bias of row r are those of r %
                      channels */
  size_t width, beside; /* columns of a job; rows that are walked through as one */
  size_t n_jobs, n_parts;
  bool copies; /* input and output aren't [outer][n][inner] alike */
  wnn_copy gather, scatter;
  struct {
    bool given, copies;
    wnn_copy order; /* into the order of the lane */
    size_t n, ordered_at, wide_at;
  } params[2];    /* scale, bias */
  size_t rows_at; /* the copy of the input, in scratch */
  size_t threads_at, thread_bytes;
} norm_plan;

static void free_norm(wnn_plan *plan) {
  wnn_alloc_free(&wnn_device_host(plan->device)->alloc, plan, plan->n_bytes);
}

/* ---- planning */

static size_t reserve(norm_plan *plan, size_t n_bytes) {
  size_t at = plan->base.scratch_bytes;
  plan->base.scratch_bytes = wnn_aligned(at + n_bytes);
  return at;
}

/* Cuts the axes in the order of storage; false when the lane's axes aren't neighbours there. */
static bool cut(norm_plan *plan, const wnn_port *in, const bool along[WNN_MAX_RANK]) {
  int state = 0; /* before, in, behind the lane */
  plan->n_outer = plan->n = plan->inner = 1;
  for (uint32_t i = 0; i < in->desc->rank; i++) {
    uint32_t axis = in->layout.order[i];
    size_t n = in->desc->dims[axis];
    if (n == 1) continue;
    if (along[axis] && state == 2) return false;
    if (along[axis])
      state = 1;
    else if (state == 1)
      state = 2;
    *(state == 0 ? &plan->n_outer : state == 1 ? &plan->n : &plan->inner) *= n;
  }
  return true;
}

/* A copy of every lane as a row: the axes kept, then the lane's. */
static void plan_copies(norm_plan *plan, const wnn_region *region, const uint32_t *lane,
                        size_t n_lane, const bool along[WNN_MAX_RANK]) {
  const wnn_port *in = &region->inputs[0], *out = &region->outputs[0];
  size_t from[WNN_MAX_RANK], to[WNN_MAX_RANK], dense = 1;
  uint32_t order[WNN_MAX_RANK], rank = 0;
  for (uint32_t axis = 0; axis < in->desc->rank; axis++)
    if (!along[axis]) order[rank++] = axis;
  for (size_t k = 0; k < n_lane; k++) order[rank++] = lane[k];
  wnn_layout_strides(&in->layout, in->desc, from);
  wnn_layout_strides(&out->layout, out->desc, to);
  plan->copies = true;
  plan->gather.rank = plan->scatter.rank = rank;
  plan->gather.element_bytes = plan->scatter.element_bytes = plan->bytes;
  plan->n = plan->inner = 1;
  for (uint32_t i = rank; i-- > 0;) {
    size_t n = in->desc->dims[order[i]];
    plan->gather.dims[i] = plan->scatter.dims[i] = n;
    plan->gather.from[i] = (ptrdiff_t)from[order[i]];
    plan->gather.to[i] = plan->scatter.from[i] = (ptrdiff_t)dense;
    plan->scatter.to[i] = (ptrdiff_t)to[order[i]];
    dense *= n;
    if (along[order[i]]) plan->n *= n;
  }
  plan->n_outer = dense / plan->n;
  wnn_copy_prepare(&plan->gather, plan->vector);
  wnn_copy_prepare(&plan->scatter, plan->vector);
  plan->rows_at = reserve(plan, dense * plan->bytes);
}

/* Scale or bias of layerNormalization: their axes lie as the attribute has them, and shall lie as
 * in the lane. */
static bool order_param(norm_plan *plan, const wnn_region *region, size_t k, const uint32_t *lane) {
  const wnn_layer_normalization_attrs *attrs = region->anchor->attrs;
  const wnn_port *port = &region->inputs[1 + k];
  size_t own[WNN_MAX_RANK], dense = 1;
  wnn_copy *order = &plan->params[k].order;
  if (wnn_layout_is_blocked(&port->layout)) return false;
  wnn_layout_strides(&port->layout, port->desc, own);
  order->element_bytes = plan->bytes;
  order->rank = (uint32_t)attrs->axes.n;
  for (uint32_t i = order->rank; i-- > 0;) {
    uint32_t at = 0;
    while (attrs->axes.data[at] != lane[i]) at++;
    order->dims[i] = port->desc->dims[at];
    order->from[i] = (ptrdiff_t)own[at];
    order->to[i] = (ptrdiff_t)dense;
    plan->params[k].copies = plan->params[k].copies || (order->dims[i] > 1 && own[at] != dense);
    dense *= order->dims[i];
  }
  wnn_copy_prepare(order, plan->vector);
  return true;
}

static bool plan_params(norm_plan *plan, const wnn_region *region, const uint32_t *lane) {
  for (size_t k = 0; k < 2; k++) {
    if (1 + k >= region->n_inputs || region->inputs[1 + k].desc == NULL) continue;
    plan->params[k].given = true;
    plan->params[k].n = wnn_desc_count(region->inputs[1 + k].desc);
    if (!plan->instance && !order_param(plan, region, k, lane)) return false;
    if (plan->params[k].copies)
      plan->params[k].ordered_at = reserve(plan, plan->params[k].n * plan->bytes);
    if (plan->half) plan->params[k].wide_at = reserve(plan, plan->params[k].n * sizeof(float));
  }
  return true;
}

static void set_parts(norm_plan *plan, const wnn_host *host) {
  size_t threads = wnn_pool_threads(host->pool);
  plan->base.heavy = plan->n_outer * plan->n * plan->inner >= PARALLEL_WORK;
  plan->width = plan->beside = 1;
  if (plan->inner > 1) {
    size_t fair = (plan->inner * plan->n_outer / threads + MIN_WIDTH - 1) / MIN_WIDTH * MIN_WIDTH;
    size_t width = fair < MIN_WIDTH ? MIN_WIDTH : fair < WIDE ? fair : WIDE;
    if (!plan->base.heavy) width = WIDE;
    plan->width = width < plan->inner ? width : plan->inner;
    bool even = plan->instance || (!plan->params[0].given && !plan->params[1].given);
    if (even && plan->width == plan->inner) plan->beside = WIDE / plan->inner;
    if (plan->beside > plan->n) plan->beside = plan->n;
  }
  plan->n_jobs = plan->n_outer * ((plan->inner + plan->width - 1) / plan->width);
  plan->n_parts = !plan->base.heavy
                      ? 1
                      : wnn_pool_parts(host->pool, plan->n_jobs,
                                       2 * plan->n_outer * plan->n * plan->inner * plan->bytes);
  if (plan->half && plan->inner == 1) plan->thread_bytes = plan->n * sizeof(float);
  plan->thread_bytes = wnn_aligned(plan->thread_bytes);
  plan->threads_at = reserve(plan, plan->thread_bytes * wnn_pool_slots(host->pool, plan->n_parts));
}

/* Channels must be found by counting: the rows' are all that is outside the lane but the batch, the
 * columns' all that is behind it. */
static bool finds_channels(const norm_plan *plan, const wnn_port *in, uint32_t channel_axis) {
  uint32_t innermost = in->desc->rank;
  do innermost--;
  while (innermost > 0 && in->desc->dims[in->layout.order[innermost]] == 1);
  if (plan->inner == 1) return in->layout.order[0] == 0 || in->desc->dims[0] == 1;
  return plan->inner == plan->channels && in->layout.order[innermost] == channel_axis;
}

static bool fill_plan(norm_plan *plan, const wnn_region *region, const uint32_t *axes,
                      size_t n_axes, uint32_t channel_axis) {
  const wnn_port *in = &region->inputs[0], *out = &region->outputs[0];
  bool along[WNN_MAX_RANK] = {false};
  uint32_t lane[WNN_MAX_RANK], n = 0;
  for (size_t k = 0; k < n_axes; k++) along[axes[k]] = true;
  for (uint32_t i = 0; i < in->desc->rank; i++)
    if (along[in->layout.order[i]]) lane[n++] = in->layout.order[i];
  bool lies = wnn_layout_same_bytes(&in->layout, &out->layout, in->desc) && cut(plan, in, along);
  if (plan->about_zero && lies) lies = plan->inner == 1;
  if (plan->instance && lies) lies = finds_channels(plan, in, channel_axis);
  if (!lies) plan_copies(plan, region, lane, n, along);
  return plan_params(plan, region, lane);
}

static webnn_status plan_norm(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  static const uint32_t spatial[2][2] = {{2, 3}, {1, 2}};
  const wnn_host *host = wnn_device_host(device);
  const wnn_port *in = &region->inputs[0], *result = &region->outputs[0];
  if (region->n_posts != 0 || wnn_layout_is_blocked(&in->layout) ||
      wnn_layout_is_blocked(&result->layout))
    return WEBNN_ERROR_NOT_SUPPORTED;
  norm_plan *plan = (norm_plan *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  bool fits;
  plan->vector = wnn_vector_for(host);
  plan->half = in->desc->type == WEBNN_DATA_TYPE_FLOAT16;
  plan->bytes = webnn_data_type_bytes(in->desc->type);
  plan->instance = region->anchor->op->id == WNN_OP_INSTANCE_NORMALIZATION;
  plan->about_zero = region->anchor->op->id == WNN_OP_RMS_NORMALIZATION;
  if (plan->instance) {
    const wnn_instance_normalization_attrs *attrs = region->anchor->attrs;
    bool nhwc = attrs->layout == WEBNN_INPUT_OPERAND_LAYOUT_NHWC;
    plan->epsilon = (float)attrs->epsilon.as.f;
    plan->channels = in->desc->dims[nhwc ? 3 : 1];
    fits = fill_plan(plan, region, spatial[nhwc], 2, nhwc ? 3 : 1);
  } else {
    const wnn_layer_normalization_attrs *attrs = region->anchor->attrs;
    plan->epsilon = (float)attrs->epsilon.as.f;
    plan->of_nothing = attrs->axes.n == 0;
    fits = fill_plan(plan, region, attrs->axes.data, attrs->axes.n, 0);
  }
  if (!fits) {
    free_norm(&plan->base);
    return WEBNN_ERROR_NOT_SUPPORTED;
  }
  set_parts(plan, host);
  if (!plan->copies) plan->base.in_place = 0;
  *out = &plan->base;
  return WEBNN_OK;
}

/* ---- running */

typedef struct job {
  const norm_plan *plan;
  const wnn_run *run;
  const char *in;
  char *out;
  const float *params[2]; /* scale, bias; NULL: absent */
} job;

static float at_or(const float *param, size_t i, float absent) {
  return param != NULL ? param[i] : absent;
}

/* A row of instanceNormalization, whose scale and bias are single numbers. */
static void normalise_evenly(const job *j, size_t row, const float *x, float *y) {
  const norm_plan *plan = j->plan;
  const size_t channel = row % plan->channels;
  const float scale = at_or(j->params[0], channel, 1.0f), bias = at_or(j->params[1], channel, 0.0f);
  float mean, variance = plan->vector->moments(x, plan->n, &mean);
  const float factor = 1.0f / sqrtf(variance + plan->epsilon);
  if (wnn_factors_join(factor, scale)) {
    plan->vector->standardise_evenly(x, mean, factor * scale, bias, y, plan->n);
  } else {
    plan->vector->standardise_evenly(x, mean, factor, 0.0f, y, plan->n);
    plan->vector->standardise_evenly(y, 0.0f, scale, bias, y, plan->n);
  }
}

static void normalise_rows(const job *j, size_t begin, size_t end, float *wide) {
  const norm_plan *plan = j->plan;
  const size_t at_once = plan->half || plan->instance ? 1 : end - begin;
  for (size_t row = begin; row < end; row += at_once) {
    const char *in = j->in + row * plan->n * plan->bytes;
    char *out = j->out + row * plan->n * plan->bytes;
    const float *x = plan->half ? wide : (const float *)(const void *)in;
    float *y = plan->half ? wide : (float *)(void *)out;
    if (plan->half) plan->vector->widen((const uint16_t *)(const void *)in, wide, plan->n);
    if (plan->instance)
      normalise_evenly(j, row, x, y);
    else if (plan->about_zero)
      plan->vector->scale_rows(x, y, at_once, plan->n, plan->epsilon, j->params[0]);
    else
      plan->vector->standardise_rows(x, y, at_once, plan->n, plan->epsilon, j->params[0],
                                     j->params[1]);
    if (plan->half) plan->vector->narrow(wide, (uint16_t *)(void *)out, plan->n);
  }
}

/* A slab of columns; `beside` of its rows at a time. */
typedef struct slab {
  const norm_plan *plan;
  const char *in;
  char *out;
  size_t width, rows, stride; /* elements */
  float mean[WIDE], factor[WIDE], bias[WIDE];
  bool apart; /* factors and scales don't join: the scales come second */
  float zero[WIDE], scale[WIDE];
} slab;

/* Elements of walked row i. */
static size_t row_length(const slab *s, size_t i) {
  size_t left = s->plan->n - i * s->plan->beside;
  return (left < s->plan->beside ? left : s->plan->beside) * s->width;
}

static const float *slab_row(const slab *s, size_t i, float *wide) {
  const void *x = s->in + i * s->stride * s->plan->bytes;
  if (!s->plan->half) return x;
  s->plan->vector->widen(x, wide, row_length(s, i));
  return wide;
}

/* Per column what stands in `total`, of all rows beside each other, divided by n; for all of them.
 */
static void divide_totals(const slab *s, float *total) {
  const norm_plan *plan = s->plan;
  const wnn_folds *folds = plan->vector->folds(WEBNN_DATA_TYPE_FLOAT32);
  folds->fold[WNN_FOLD_SUM].onto(total + s->width, plan->beside - 1, s->width, total, s->width);
  for (size_t k = 0; k < s->width; k++) total[k] /= (float)plan->n;
  for (size_t b = 1; b < plan->beside; b++)
    memcpy(total + b * s->width, total, s->width * sizeof *total);
}

/* Per column the mean of x, or of x − about and of its square. */
static void column_means(const slab *s, const float *about, float *total, float *squares) {
  const norm_plan *plan = s->plan;
  const size_t span = plan->beside * s->width;
  const wnn_fold_onto add = plan->vector->folds(WEBNN_DATA_TYPE_FLOAT32)->fold[WNN_FOLD_SUM].onto;
  float block[WIDE], square_block[WIDE], wide[WIDE];
  memset(total, 0, span * sizeof *total);
  if (about != NULL) memset(squares, 0, span * sizeof *squares);
  for (size_t i = 0; i < s->rows;) {
    memset(block, 0, span * sizeof *block);
    memset(square_block, 0, span * sizeof *square_block);
    for (size_t k = 0; k < FLUSH && i < s->rows; k++, i++) {
      const float *x = slab_row(s, i, wide);
      if (about == NULL)
        add(x, 1, 0, block, row_length(s, i));
      else
        plan->vector->moments_onto(x, about, block, square_block, row_length(s, i));
    }
    add(block, 1, 0, total, span);
    if (about != NULL) add(square_block, 1, 0, squares, span);
  }
  divide_totals(s, total);
  if (about != NULL) divide_totals(s, squares);
}

/* Means, and variances in place of factors, as `moments` finds them in a row. */
static void column_moments(slab *s) {
  const size_t span = s->plan->beside * s->width;
  float off[WIDE];
  bool close = false;
  column_means(s, NULL, s->mean, NULL);
  for (int turn = 0; turn < 2 && !close; turn++) {
    column_means(s, s->mean, off, s->factor);
    close = true;
    for (size_t k = 0; k < span; k++) {
      const float by = wnn_mean_correction(off[k], s->factor[k]);
      close = close && wnn_mean_is_close(off[k], s->factor[k]);
      s->mean[k] += by;
      s->factor[k] -= by * by;
    }
  }
}

/* By column what multiplies the difference from the mean, and what is added. */
static void set_factors(const job *j, size_t column, slab *s) {
  const norm_plan *plan = j->plan;
  for (size_t k = 0; k < plan->beside * s->width; k++) {
    const size_t c = column + k % s->width;
    s->factor[k] = 1.0f / sqrtf(s->factor[k] + plan->epsilon);
    if (!plan->instance) continue;
    s->bias[k] = at_or(j->params[1], c, 0.0f);
    s->zero[k] = 0.0f;
    s->scale[k] = at_or(j->params[0], c, 1.0f);
    if (!wnn_factors_join(s->factor[k], s->scale[k])) {
      s->apart = true;
      continue;
    }
    s->factor[k] *= s->scale[k];
    s->scale[k] = 1.0f;
  }
}

static void normalise_columns(const job *j, size_t outer, size_t column) {
  const norm_plan *plan = j->plan;
  slab s = {.plan = plan,
            .width = plan->inner - column < plan->width ? plan->inner - column : plan->width,
            .rows = (plan->n + plan->beside - 1) / plan->beside,
            .stride = plan->beside * plan->inner};
  const size_t at = (outer * plan->n * plan->inner + column) * plan->bytes;
  float wide[WIDE];
  s.in = j->in + at;
  s.out = j->out + at;
  column_moments(&s);
  set_factors(j, column, &s);
  for (size_t i = 0; i < s.rows; i++) {
    const float *x = slab_row(&s, i, wide);
    char *out = s.out + i * s.stride * plan->bytes;
    float scale = plan->instance ? 1.0f : at_or(j->params[0], plan->beside == 1 ? i : 0, 1.0f);
    float bias = plan->instance ? 0.0f : at_or(j->params[1], plan->beside == 1 ? i : 0, 0.0f);
    float *y = plan->half ? wide : (float *)(void *)out;
    const float *biases = plan->instance && !s.apart ? s.bias : NULL;
    plan->vector->standardise_columns(x, s.mean, s.factor, scale, biases, bias, y,
                                      row_length(&s, i));
    if (s.apart)
      plan->vector->standardise_columns(y, s.zero, s.scale, 1.0f, s.bias, 0.0f, y,
                                        row_length(&s, i));
    if (plan->half) plan->vector->narrow(wide, (uint16_t *)(void *)out, row_length(&s, i));
  }
}

static void run_part(void *arg, size_t slot, size_t part, size_t n_parts) {
  const job *j = arg;
  const norm_plan *plan = j->plan;
  char *scratch = (char *)j->run->scratch + plan->threads_at + slot * plan->thread_bytes;
  size_t slabs = (plan->inner + plan->width - 1) / plan->width, begin, end;
  wnn_parallel_split(plan->n_jobs, part, n_parts, &begin, &end);
  if (plan->inner == 1) normalise_rows(j, begin, end, (float *)(void *)scratch);
  for (size_t k = begin; k < end && plan->inner != 1; k++)
    normalise_columns(j, k / slabs, k % slabs * plan->width);
}

static void copy_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  bool is_gather = j->out == NULL;
  if (is_gather)
    wnn_copy_run(&j->plan->gather, j->run->inputs[0], (void *)j->in, part, n_parts);
  else
    wnn_copy_run(&j->plan->scatter, j->in, j->run->outputs[0], part, n_parts);
}

/* Scale or bias as float32 in the order of the lane. */
static const float *prepare_param(const norm_plan *plan, const wnn_run *run, size_t k) {
  const void *param = run->inputs[1 + k];
  char *scratch = run->scratch;
  if (plan->params[k].copies) {
    wnn_copy_run(&plan->params[k].order, param, scratch + plan->params[k].ordered_at, 0, 1);
    param = scratch + plan->params[k].ordered_at;
  }
  if (!plan->half) return param;
  float *wide = (float *)(void *)(scratch + plan->params[k].wide_at);
  plan->vector->widen(param, wide, plan->params[k].n);
  return wide;
}

static webnn_status run_norm(const wnn_plan *base, const wnn_run *run) {
  const norm_plan *plan = (const norm_plan *)base;
  wnn_pool *pool = wnn_device_host(base->device)->pool;
  job j = {.plan = plan, .run = run, .in = run->inputs[0], .out = run->outputs[0]};
  for (size_t k = 0; k < 2; k++)
    if (plan->params[k].given) j.params[k] = prepare_param(plan, run, k);
  if (plan->of_nothing && j.params[1] == NULL) j.params[1] = &plan->no_bias;
  if (plan->copies) {
    j.in = (char *)run->scratch + plan->rows_at;
    j.out = NULL;
    wnn_parallel(pool, plan->n_parts, copy_part, &j);
    j.out = (char *)run->scratch + plan->rows_at;
  }
  if (plan->n_parts == 1)
    run_part(&j, 0, 0, 1);
  else
    wnn_parallel_share(pool, plan->n_parts, run_part, &j);
  if (plan->copies) wnn_parallel(pool, plan->n_parts, copy_part, &j);
  return WEBNN_OK;
}

const wnn_kernel wnn_norm_kernel = {"norm", plan_norm, run_norm, free_norm};
