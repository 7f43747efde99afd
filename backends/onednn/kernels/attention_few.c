/* Attention of few rows, such as those of a step of a decoder: it is reading k and v that takes the
 * time, so each is read once, where it lies. Their rows or their columns must lie densely. */
#include "kernels/attention.h"
#include "kernels/kernels.h"
#include "kernels/lanes.h"

#include <string.h>

#define MAX_ROWS ((size_t)7)
#define PARALLEL_WORK ((size_t)128 * 1024) /* multiplications below which threads don't pay */

typedef struct few_plan {
  wnn_plan base;
  wnn_attention is;
  size_t n_parts;
  size_t queries_at, row_at, results_at, part_bytes; /* in a part's scratch; scores come first */
  size_t factors_at;                                 /* behind all parts */
} few_plan;

/* ---- planning */

/* The right side of a product can be read row by row or column by column. */
static bool is_readable(const wnn_attention_matrix *is, size_t rows, size_t columns) {
  return is->row == 1 || is->column == 1 || rows == 1 || columns == 1;
}

static size_t take(size_t *at, size_t n) {
  const size_t begin = *at;
  *at += wnn_aligned(n * sizeof(float));
  return begin;
}

static void set_scratch(few_plan *plan) {
  const wnn_attention *is = &plan->is;
  size_t at = 0;
  take(&at, is->n_rows * is->n_keys);
  plan->queries_at = take(&at, is->q.column > 1 ? is->n_rows * is->depth : 0);
  plan->row_at = take(&at, is->has_mask ? is->n_keys : 0);
  plan->results_at = take(&at, is->y.column > 1 ? is->n_rows * is->columns : 0);
  plan->part_bytes = at;
  at *= plan->n_parts;
  plan->factors_at = take(&at, is->scales ? is->n_keys : 0);
  plan->base.scratch_bytes = at;
}

static void free_few(wnn_plan *plan) {
  wnn_alloc_free(&wnn_device_host(plan->device)->alloc, plan, plan->n_bytes);
}

static webnn_status plan_few(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  wnn_attention is;
  if (!wnn_attention_read(&is, host, region) || is.n_rows > MAX_ROWS ||
      !is_readable(&is.k, is.depth, is.n_keys) || !is_readable(&is.v, is.n_keys, is.columns))
    return WEBNN_ERROR_NOT_SUPPORTED;
  few_plan *plan = (few_plan *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->is = is;
  const size_t threads = wnn_pool_threads(host->pool),
               work = is.n_heads * is.n_rows * is.n_keys * (is.depth + is.columns);
  plan->base.heavy = work >= PARALLEL_WORK;
  plan->n_parts = !plan->base.heavy ? 1 : is.n_heads < threads ? is.n_heads : threads;
  set_scratch(plan);
  *out = &plan->base;
  return WEBNN_OK;
}

/* ---- running */

typedef struct job {
  const few_plan *plan;
  const wnn_run *run;
  const float *factors;
} job;

/* A few rows at a time, which meet b while it is near. */
static void multiply(const few_plan *plan, wnn_gemv is, const wnn_attention_matrix *b) {
  const wnn_conv_rows *rows = plan->is.rows;
  const bool by_row = b->column == 1 || is.columns == 1;
  is.b_stride = by_row ? b->row : b->column;
  for (size_t left = is.n_rows; left > 0; left -= is.n_rows) {
    is.n_rows = left < WNN_MAX_GEMV_ROWS ? left : WNN_MAX_GEMV_ROWS;
    for (size_t i = 0; i < is.n_rows; i++) memset(is.c + i * is.c_stride, 0, is.columns * sizeof *is.c);
    by_row ? rows->gemv(&is) : rows->gemv_transposed(&is);
    is.a += is.n_rows * is.a_stride, is.c += is.n_rows * is.c_stride;
  }
}

static const float *queries_of(const few_plan *plan, const wnn_run *run, size_t head, float *near,
                               size_t *stride) {
  const wnn_attention *is = &plan->is;
  const float *q = run->inputs[WNN_ATTENTION_Q];
  q += wnn_attention_start(is, &is->q, head);
  *stride = is->q.row;
  if (is->q.column <= 1) return q;
  *stride = is->depth;
  for (size_t i = 0; i < is->n_rows; i++)
    wnn_attention_fill(q + i * is->q.row, is->q.column, near + i * is->depth, is->depth, is->depth);
  return near;
}

/* The results as they shall lie. */
static void place(const wnn_attention *is, const float *from, float *y) {
  for (size_t i = 0; i < is->n_rows; i++)
    for (size_t c = 0; c < is->columns; c++)
      y[i * is->y.row + c * is->y.column] = from[i * is->columns + c];
}

static void run_head(const job *j, size_t head, char *near) {
  const few_plan *plan = j->plan;
  const wnn_attention *is = &plan->is;
  const float *k = j->run->inputs[WNN_ATTENTION_K], *v = j->run->inputs[WNN_ATTENTION_V];
  float *scores = (float *)(void *)near, *y = j->run->outputs[0];
  wnn_gemv product = {.b = k + wnn_attention_start(is, &is->k, head),
                     .c = scores,
                     .c_stride = is->n_keys,
                     .n_rows = is->n_rows,
                     .depth = is->depth,
                     .columns = is->n_keys};
  product.a = queries_of(plan, j->run, head, (float *)(void *)(near + plan->queries_at),
                         &product.a_stride);
  multiply(plan, product, &is->k);
  const wnn_attention_rows rows = {head,   0,          is->n_rows,
                                   scores, is->n_keys, (float *)(void *)(near + plan->row_at)};
  wnn_attention_weigh(is, j->run, j->factors, &rows);

  const bool direct = is->y.column <= 1;
  y += wnn_attention_start(is, &is->y, head);
  product = (wnn_gemv){.a = scores,
                      .a_stride = is->n_keys,
                      .b = v + wnn_attention_start(is, &is->v, head),
                      .c = direct ? y : (float *)(void *)(near + plan->results_at),
                      .c_stride = direct ? is->y.row : is->columns,
                      .n_rows = is->n_rows,
                      .depth = is->n_keys,
                      .columns = is->columns};
  multiply(plan, product, &is->v);
  if (!direct) place(is, product.c, y);
}

static void run_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  size_t begin, end;
  wnn_parallel_split(j->plan->is.n_heads, part, n_parts, &begin, &end);
  for (size_t head = begin; head < end; head++)
    run_head(j, head, (char *)j->run->scratch + part * j->plan->part_bytes);
}

static webnn_status run_few(const wnn_plan *base, const wnn_run *run) {
  const few_plan *plan = (const few_plan *)base;
  float *factors = (float *)(void *)((char *)run->scratch + plan->factors_at);
  for (size_t i = 0; i < plan->is.n_keys && plan->is.scales; i++) factors[i] = plan->is.factor;
  job j = {plan, run, factors};
  wnn_parallel(wnn_device_host(base->device)->pool, plan->n_parts, run_part, &j);
  return WEBNN_OK;
}

const wnn_kernel wnn_attention_few_kernel = {"attention.few", plan_few, run_few, free_few};
