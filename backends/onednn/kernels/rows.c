/* softmax and layerNormalization of float32: each row, or each column of a slab, becomes another one of the same
 * length. */
#include "kernels/kernels.h"
#include "kernels/vector.h"

#include <math.h>

#define PARALLEL_WORK ((size_t)16 * 1024)
#define WIDE ((size_t)512) /* columns of a slab that are done together */

typedef struct rows_plan {
  wnn_plan base;
  const wnn_vector *vector;
  wnn_op_id op;
  size_t n_outer, n, inner; /* elements lie [outer][n][inner] */
  float epsilon;
  size_t n_parts;
  wnn_stage_fn sub, exp, div;
} rows_plan;

static void free_rows(wnn_plan *plan) {
  wnn_alloc_free(&wnn_device_host(plan->device)->alloc, plan, plan->n_bytes);
}

/* Storage positions before, in and behind [first, last]. */
static void cut(rows_plan *plan, const wnn_port *port, uint32_t first, uint32_t last) {
  plan->n_outer = plan->n = plan->inner = 1;
  for (uint32_t i = 0; i < port->desc->rank; i++) {
    size_t *part = i < first ? &plan->n_outer : i <= last ? &plan->n : &plan->inner;
    *part *= port->desc->dims[port->layout.order[i]];
  }
}

static bool plan_softmax(rows_plan *plan, const wnn_region *region) {
  const wnn_axis_attrs *attrs = region->anchor->attrs;
  const wnn_port *in = &region->inputs[0];
  uint32_t position = 0;
  while (in->layout.order[position] != attrs->axis) position++;
  cut(plan, in, position, position);
  return true;
}

/* The axes must be the innermost ones, in order, so that scale and bias lie as the row does. */
static bool plan_layer_normalization(rows_plan *plan, const wnn_region *region) {
  const wnn_layer_normalization_attrs *attrs = region->anchor->attrs;
  const wnn_port *in = &region->inputs[0];
  uint32_t rank = in->desc->rank, n = (uint32_t)attrs->axes.n;
  if (n == 0 || !wnn_layout_is_plain(&in->layout, in->desc)) return false;
  for (uint32_t i = 0; i < n; i++)
    if (attrs->axes.data[i] != rank - n + i) return false;
  for (size_t i = 1; i < region->n_inputs; i++)
    if (region->inputs[i].desc && !wnn_layout_is_plain(&region->inputs[i].layout, region->inputs[i].desc))
      return false;
  cut(plan, in, rank - n, rank - 1);
  plan->epsilon = (float)attrs->epsilon.as.f;
  return true;
}

static webnn_status plan_rows(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  const wnn_port *in = &region->inputs[0], *result = &region->outputs[0];
  const webnn_data_type f32 = WEBNN_DATA_TYPE_FLOAT32;
  if (region->n_posts != 0 || in->desc->type != f32 || wnn_layout_is_blocked(&in->layout) ||
      !wnn_layout_same_bytes(&in->layout, &result->layout, in->desc))
    return WEBNN_ERROR_NOT_SUPPORTED;
  rows_plan *plan = (rows_plan *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->op = region->anchor->op->id;
  plan->vector = wnn_vector_get();
  plan->sub = plan->vector->stage(WNN_OP_SUB, f32, f32);
  plan->exp = plan->vector->stage(WNN_OP_EXP, f32, f32);
  plan->div = plan->vector->stage(WNN_OP_DIV, f32, f32);
  bool fits = plan->op == WNN_OP_SOFTMAX ? plan_softmax(plan, region) : plan_layer_normalization(plan, region);
  if (!fits) {
    free_rows(&plan->base);
    return WEBNN_ERROR_NOT_SUPPORTED;
  }
  plan->base.heavy = wnn_desc_count(in->desc) >= PARALLEL_WORK;
  plan->n_parts = plan->base.heavy ? wnn_pool_threads(host->pool) : 1;
  plan->base.in_place = 0;
  *out = &plan->base;
  return WEBNN_OK;
}

static void softmax_row(const rows_plan *plan, const float *x, float *y) {
  float top = plan->vector->fold_row[WNN_FOLD_MAX](x, plan->n);
  float sum = plan->vector->exp_about(x, top, y, plan->n);
  plan->vector->scale(y, 1.0f / sum, y, plan->n);
}

/* `width` columns of a slab, all down. */
static void softmax_columns(const rows_plan *plan, const float *x, float *y, size_t width) {
  float top[WIDE], sum[WIDE];
  const wnn_stage_args none = {{0}, {0}, {0}};
  for (size_t k = 0; k < width; k++) top[k] = -INFINITY, sum[k] = 0.0f;
  for (size_t i = 0; i < plan->n; i++)
    plan->vector->fold_onto[WNN_FOLD_MAX](x + i * plan->inner, top, width);
  for (size_t i = 0; i < plan->n; i++) {
    float *row = y + i * plan->inner;
    plan->sub((const void *[]){x + i * plan->inner, top}, row, width, &none);
    plan->exp((const void *[]){row}, row, width, &none);
    plan->vector->fold_onto[WNN_FOLD_SUM](row, sum, width);
  }
  for (size_t i = 0; i < plan->n; i++) {
    float *row = y + i * plan->inner;
    plan->div((const void *[]){row, sum}, row, width, &none);
  }
}

static void normalise_row(const rows_plan *plan, const wnn_run *run, const float *x, float *y) {
  float n = (float)plan->n;
  float mean = plan->vector->fold_row[WNN_FOLD_SUM](x, plan->n) / n;
  float variance = plan->vector->sum_square_about(x, mean, plan->n) / n;
  plan->vector->normalise(x, mean, 1.0f / sqrtf(variance + plan->epsilon), run->inputs[1], run->inputs[2], y,
                          plan->n);
}

typedef struct job {
  const rows_plan *plan;
  const wnn_run *run;
} job;

static void run_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  const rows_plan *plan = j->plan;
  const float *in = j->run->inputs[0];
  float *out = j->run->outputs[0];
  size_t slabs = (plan->inner + WIDE - 1) / WIDE, begin, end;
  wnn_parallel_split(plan->n_outer * slabs, part, n_parts, &begin, &end);
  for (size_t k = begin; k < end; k++) {
    size_t column = k % slabs * WIDE, at = k / slabs * plan->n * plan->inner + column;
    size_t width = plan->inner - column < WIDE ? plan->inner - column : WIDE;
    if (plan->op == WNN_OP_LAYER_NORMALIZATION) normalise_row(plan, j->run, in + at, out + at);
    else if (plan->inner == 1) softmax_row(plan, in + at, out + at);
    else softmax_columns(plan, in + at, out + at, width);
  }
}

static webnn_status run_rows(const wnn_plan *base, const wnn_run *run) {
  const rows_plan *plan = (const rows_plan *)base;
  job j = {plan, run};
  wnn_parallel(wnn_device_host(base->device)->pool, plan->n_parts, run_part, &j);
  return WEBNN_OK;
}

const wnn_kernel wnn_rows_kernel = {"rows", plan_rows, run_rows, free_rows};
