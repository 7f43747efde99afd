/* matmul and gemm of few rows, where reading the matrix takes the time: it is read where it lies,
 * in the order of storage, and never copied. */
#include "kernels/conv_rows.h"
#include "kernels/kernels.h"
#include "kernels/lanes.h"
#include "kernels/product.h"
#include "kernels/tail.h"

#include <string.h>

#define PARALLEL_WORK ((size_t)256 * 1024) /* numbers of the matrix, below which one thread does \
                                            */
#define UNIT ((size_t)16)                  /* columns that threads don't share */
#define TAIL_COLUMNS ((size_t)256)         /* that go through the tail together */

typedef struct gemv_plan {
  wnn_plan base;
  const wnn_conv_rows *rows;
  wnn_tail tail;
  size_t n_rows, depth, columns;
  bool transposed; /* columns of the matrix are dense, not its rows */
  size_t b_stride; /* between those that are */
  bool has_bias;
  size_t bias_port;
  size_t n_parts, part_bytes, tail_at;
} gemv_plan;

/* ---- planning */

static bool fits(const wnn_product_region *is) {
  const bool by_rows = is->b_column == 1 || is->columns == 1;
  return is->n_rows <= WNN_MAX_GEMV_ROWS && (by_rows || is->b_row == 1 || is->depth == 1);
}

static webnn_status fill_plan(gemv_plan *plan, const wnn_host *host, const wnn_region *region,
                              const wnn_product_region *is) {
  plan->rows = wnn_conv_rows_for(host);
  plan->n_rows = is->n_rows, plan->depth = is->depth, plan->columns = is->columns;
  plan->transposed = !(is->b_column == 1 || is->columns == 1) || (is->b_row == 1 && is->depth > 1);
  plan->b_stride = plan->transposed ? is->b_column : is->b_row;
  plan->has_bias = is->bias != NULL, plan->bias_port = is->bias_port;
  if (!wnn_tail_plan(&plan->tail, host, region, is->first_post, region->anchor_desc.rank - 1))
    return WEBNN_ERROR_NOT_SUPPORTED;
  const size_t threads = wnn_pool_threads(host->pool), units = (is->columns + UNIT - 1) / UNIT;
  plan->base.heavy = is->depth * is->columns >= PARALLEL_WORK;
  plan->n_parts = !plan->base.heavy ? 1 : units < threads ? units : threads;
  const size_t widest = (units + plan->n_parts - 1) / plan->n_parts * UNIT;
  plan->part_bytes = wnn_aligned(is->n_rows * widest * sizeof(float));
  plan->tail_at = plan->n_parts * plan->part_bytes;
  plan->base.scratch_bytes = plan->tail_at + plan->tail.n_rows * sizeof(float);
  wnn_tail_take_over(&plan->tail, region, &plan->base);
  return WEBNN_OK;
}

static void free_gemv(wnn_plan *base) {
  wnn_alloc_free(&wnn_device_host(base->device)->alloc, base, base->n_bytes);
}

static webnn_status plan_gemv(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  wnn_product_region is;
  if (!wnn_product_read(region, &is) || !fits(&is)) return WEBNN_ERROR_NOT_SUPPORTED;
  gemv_plan *plan = (gemv_plan *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  const webnn_status status = fill_plan(plan, host, region, &is);
  if (status == WEBNN_OK)
    *out = &plan->base;
  else
    free_gemv(&plan->base);
  return status;
}

/* ---- running */

typedef struct job {
  const gemv_plan *plan;
  const wnn_run *run;
  float *tail_rows;
} job;

/* The numbers that the products of `n` columns are added to. */
static void begin(const job *j, float *near, size_t first, size_t n) {
  const gemv_plan *plan = j->plan;
  for (size_t i = 0; i < plan->n_rows; i++)
    if (plan->has_bias)
      memcpy(near + i * n, (const float *)j->run->inputs[plan->bias_port] + first,
             n * sizeof(float));
    else
      memset(near + i * n, 0, n * sizeof(float));
}

static void run_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  const gemv_plan *plan = j->plan;
  float *near = (float *)(void *)((char *)j->run->scratch + part * plan->part_bytes);
  size_t first, end;
  wnn_parallel_split((plan->columns + UNIT - 1) / UNIT, part, n_parts, &first, &end);
  first *= UNIT, end = end * UNIT < plan->columns ? end * UNIT : plan->columns;
  const size_t n = end - first;
  const wnn_gemv product = {
      .a = j->run->inputs[0],
      .b = (const float *)j->run->inputs[1] + first * (plan->transposed ? plan->b_stride : 1),
      .c = near,
      .a_stride = plan->depth,
      .b_stride = plan->b_stride,
      .c_stride = n,
      .n_rows = plan->n_rows,
      .depth = plan->depth,
      .columns = n};
  begin(j, near, first, n);
  (plan->transposed ? plan->rows->gemv_transposed : plan->rows->gemv)(&product);
  for (size_t c = 0; c < n; c += TAIL_COLUMNS) {
    const wnn_tail_columns columns = {first + c, n - c < TAIL_COLUMNS ? n - c : TAIL_COLUMNS, n};
    wnn_tail_run_columns(&plan->tail, j->run, j->tail_rows, near + c, 0, plan->n_rows, &columns);
  }
}

static webnn_status run_gemv(const wnn_plan *base, const wnn_run *run) {
  const gemv_plan *plan = (const gemv_plan *)base;
  job j = {plan, run, (float *)(void *)((char *)run->scratch + plan->tail_at)};
  wnn_tail_begin(&plan->tail, run, j.tail_rows);
  wnn_parallel(wnn_device_host(base->device)->pool, plan->n_parts, run_part, &j);
  return WEBNN_OK;
}

const wnn_kernel wnn_gemv_kernel = {"gemv", plan_gemv, run_gemv, free_gemv};
