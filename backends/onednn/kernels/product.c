/* matmul and gemm by a constant matrix: column groups of row blocks, each with all that follows the
 * product while its results are near. The matrix is read once, a panel ahead of the products: in a
 * graph it comes from memory. */
#include "kernels/product.h"
#include "kernels/conv_rows.h"
#include "kernels/kernels.h"
#include "kernels/lanes.h"
#include "kernels/tail.h"

#include <string.h>

#define MIN_ROWS ((size_t)8)      /* below, it is reading the matrix that takes the time */
#define BLOCK_ROWS ((size_t)128)  /* of `a`: BLOCK_DEPTH columns of them shall stay in the cache */
#define BLOCK_DEPTH ((size_t)384) /* of a panel, which shall stay in the nearest cache */
#define GROUP_COLUMNS ((size_t)256)        /* results of a block that wait for their tail */
#define PARALLEL_WORK ((size_t)256 * 1024) /* multiplications below which threads don't pay */
#define MIN_WORK ((size_t)16 * 1024)       /* and below which a block isn't worth its preparation */

typedef struct product_plan {
  wnn_plan base;
  const wnn_conv_rows *rows;
  wnn_tail tail;
  size_t n_rows, depth, columns;
  size_t vectors, width, n_panels,
      filled; /* filled: columns, with those that fill the last panel up */
  size_t n_row_blocks, n_groups, block_depth, block_stride;
  bool direct; /* results go to the output at once */
  bool has_bias;
  size_t n_parts, part_bytes, tail_at;
  size_t panel_bytes;
  float *panels; /* by block of the depth, panel, row; then the bias */
} product_plan;

/* ---- planning */

static bool pays(const wnn_product_region *is) {
  return is->b != NULL && is->n_rows >= MIN_ROWS &&
         is->n_rows * is->depth * is->columns >= MIN_WORK;
}

static size_t parts_of(size_t n, size_t most) { return (n + most - 1) / most; }

static void choose_panels(product_plan *plan) {
  plan->vectors = wnn_panel_vectors(plan->columns, plan->rows->lanes);
  plan->width = plan->vectors * plan->rows->lanes;
  plan->n_panels = parts_of(plan->columns, plan->width);
  plan->filled = plan->n_panels * plan->width;
}

/* As many groups that the threads have equal shares of the blocks, if there are panels enough. */
static void choose_blocks(product_plan *plan, const wnn_host *host) {
  const size_t threads = wnn_pool_threads(host->pool);
  plan->base.heavy = plan->n_rows * plan->depth * plan->columns >= PARALLEL_WORK;
  plan->block_depth = parts_of(plan->depth, parts_of(plan->depth, BLOCK_DEPTH));
  plan->n_row_blocks = parts_of(plan->n_rows, BLOCK_ROWS);
  plan->n_groups = parts_of(plan->filled, GROUP_COLUMNS);
  if (plan->n_groups > plan->n_panels) plan->n_groups = plan->n_panels;
  for (size_t n = plan->n_groups;
       plan->base.heavy && n <= plan->n_panels && n < plan->n_groups + threads; n++)
    if (n * plan->n_row_blocks % threads == 0) {
      plan->n_groups = n;
      break;
    }
  const size_t items = plan->n_row_blocks * plan->n_groups;
  plan->n_parts = !plan->base.heavy ? 1 : items < threads ? items : threads;
}

static void set_scratch(product_plan *plan) {
  const size_t line = WNN_CACHE_LINE / sizeof(float);
  plan->direct =
      plan->tail.n_stages == 0 && plan->filled == plan->columns && plan->block_depth == plan->depth;
  plan->block_stride = parts_of(plan->n_panels, plan->n_groups) * plan->width + line;
  const size_t numbers = parts_of(plan->n_rows, plan->n_row_blocks) * plan->block_stride;
  plan->part_bytes = plan->direct ? 0 : wnn_aligned(numbers * sizeof(float));
  plan->tail_at = plan->n_parts * plan->part_bytes;
  plan->base.scratch_bytes = plan->tail_at + plan->tail.n_rows * sizeof(float);
}

typedef struct packing {
  const product_plan *plan;
  const wnn_product_region *from;
  wnn_transpose transpose;
} packing;

/* `height` rows of a panel; columns beyond the last are zero. */
static void pack_panel(const packing *p, size_t k, size_t height, size_t panel, float *to) {
  const size_t width = p->plan->width, first = panel * width, left = p->plan->columns - first,
               n = left < width ? left : width;
  const size_t row = p->from->b_row, column = p->from->b_column;
  const float *from = p->from->b + k * row + first * column;
  if (n == width && row == 1 && column != 1) {
    p->transpose((const char *)from, (ptrdiff_t)(column * sizeof *from), (char *)to,
                 (ptrdiff_t)(width * sizeof *to), width, height);
    return;
  }
  for (size_t i = 0; i < height; i++, from += row, to += width) {
    if (n == width && column == 1) {
      for (size_t c = 0; c < width; c += 4) memcpy(to + c, from + c, 4 * sizeof *to);
      continue;
    }
    for (size_t c = 0; c < n; c++) to[c] = from[c * column];
    for (size_t c = n; c < width; c++) to[c] = 0;
  }
}

static void pack_part(void *arg, size_t part, size_t n_parts) {
  const packing *p = arg;
  const product_plan *plan = p->plan;
  const size_t n_blocks = parts_of(plan->depth, plan->block_depth);
  size_t begin, end;
  wnn_parallel_split(n_blocks * plan->n_panels, part, n_parts, &begin, &end);
  for (size_t item = begin; item < end; item++) {
    const size_t k = item / plan->n_panels * plan->block_depth, panel = item % plan->n_panels,
                 left = plan->depth - k, height = left < plan->block_depth ? left : plan->block_depth;
    pack_panel(p, k, height, panel, plan->panels + k * plan->filled + panel * height * plan->width);
  }
}

static webnn_status pack(product_plan *plan, const wnn_host *host, const wnn_product_region *from) {
  const size_t n = plan->depth * plan->filled, n_bias = plan->has_bias ? plan->filled : 0;
  plan->panel_bytes = (n + n_bias) * sizeof(float);
  plan->panels = wnn_bank_get(host->bank, &host->alloc, plan->panel_bytes);
  if (plan->panels == NULL) return WEBNN_ERROR_UNKNOWN;
  packing p = {plan, from, wnn_vector_for(host)->transpose[2]};
  wnn_parallel(host->pool, plan->base.heavy ? wnn_pool_threads(host->pool) : 1, pack_part, &p);
  for (size_t c = 0; c < n_bias; c++) plan->panels[n + c] = c < plan->columns ? from->bias[c] : 0;
  plan->base.weight_bytes = plan->panel_bytes;
  return WEBNN_OK;
}

static bool tail_reads(const wnn_tail *tail, size_t port) {
  for (size_t i = 0; i < tail->n_operands; i++)
    if (tail->operands[i].port == port) return true;
  return false;
}

static void free_product(wnn_plan *base) {
  product_plan *plan = (product_plan *)base;
  const wnn_alloc *alloc = &wnn_device_host(base->device)->alloc;
  wnn_bank_put(plan->panels);
  wnn_alloc_free(alloc, plan, base->n_bytes);
}

static webnn_status fill_plan(product_plan *plan, const wnn_host *host, const wnn_region *region,
                              const wnn_product_region *is) {
  plan->rows = wnn_conv_rows_for(host);
  plan->n_rows = is->n_rows, plan->depth = is->depth, plan->columns = is->columns;
  plan->has_bias = is->bias != NULL;
  if (!wnn_tail_plan(&plan->tail, host, region, is->first_post, region->anchor_desc.rank - 1))
    return WEBNN_ERROR_NOT_SUPPORTED;
  choose_panels(plan);
  choose_blocks(plan, host);
  set_scratch(plan);
  plan->base.packed = tail_reads(&plan->tail, 1) ? 0 : UINT64_C(1) << 1;
  if (plan->has_bias && is->bias_port < 64 && !tail_reads(&plan->tail, is->bias_port))
    plan->base.packed |= UINT64_C(1) << is->bias_port;
  wnn_tail_take_over(&plan->tail, region, &plan->base);
  return pack(plan, host, is);
}

static webnn_status plan_product(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  wnn_product_region is;
  if (!wnn_product_read(region, &is) || !pays(&is)) return WEBNN_ERROR_NOT_SUPPORTED;
  product_plan *plan = (product_plan *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  const webnn_status status = fill_plan(plan, host, region, &is);
  if (status == WEBNN_OK)
    *out = &plan->base;
  else
    free_product(&plan->base);
  return status;
}

/* ---- running */

typedef struct job {
  const product_plan *plan;
  const wnn_run *run;
  float *tail_rows;
} job;

/* Rows and panels of a block; panels of the depth's block from `k` on lie side by side. */
typedef struct block {
  size_t row, end_row, panel, end_panel;
} block;

static const float *panel_at(const product_plan *plan, size_t k, size_t panel, size_t *height) {
  *height = plan->depth - k < plan->block_depth ? plan->depth - k : plan->block_depth;
  return plan->panels + k * plan->filled + panel * *height * plan->width;
}

static void multiply(const product_plan *plan, const float *a, const block *is, float *to,
                     size_t stride) {
  for (size_t k = 0, height, after; k < plan->depth; k += height) {
    const float *panels = panel_at(plan, k, is->panel, &height);
    const bool last = k + height == plan->depth;
    wnn_product product = {.a = a + is->row * plan->depth + k,
                           .panels = panels,
                           .c = to,
                           .a_stride = plan->depth,
                           .c_stride = stride,
                           .n_rows = is->end_row - is->row,
                           .depth = height,
                           .n_panels = is->end_panel - is->panel,
                           .vectors = plan->vectors,
                           .adds = k > 0,
                           .fetches = true};
    if (!last) {
      product.next = panel_at(plan, k + height, is->panel, &after);
      product.next_bytes = after * plan->width * sizeof(float);
    } else if (plan->has_bias) {
      product.bias = plan->panels + plan->depth * plan->filled + is->panel * plan->width;
    }
    plan->rows->product(&product);
  }
}

static void run_block(const job *j, size_t item, float *near) {
  const product_plan *plan = j->plan;
  block is;
  wnn_parallel_split(plan->n_rows, item % plan->n_row_blocks, plan->n_row_blocks, &is.row,
                     &is.end_row);
  wnn_parallel_split(plan->n_panels, item / plan->n_row_blocks, plan->n_groups, &is.panel,
                     &is.end_panel);
  const size_t first = is.panel * plan->width, end = is.end_panel * plan->width;
  if (plan->direct) {
    float *to = (float *)j->run->outputs[0] + is.row * plan->columns + first;
    multiply(plan, j->run->inputs[0], &is, to, plan->columns);
    return;
  }
  multiply(plan, j->run->inputs[0], &is, near, plan->block_stride);
  const wnn_tail_columns columns = {first, (end < plan->columns ? end : plan->columns) - first,
                                    plan->block_stride};
  wnn_tail_run_columns(&plan->tail, j->run, j->tail_rows, near, is.row, is.end_row - is.row,
                       &columns);
}

static void run_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  float *near = (float *)(void *)((char *)j->run->scratch + part * j->plan->part_bytes);
  size_t begin, end;
  wnn_parallel_split(j->plan->n_row_blocks * j->plan->n_groups, part, n_parts, &begin, &end);
  for (size_t item = begin; item < end; item++) run_block(j, item, near);
}

static webnn_status run_product(const wnn_plan *base, const wnn_run *run) {
  const product_plan *plan = (const product_plan *)base;
  job j = {plan, run, (float *)(void *)((char *)run->scratch + plan->tail_at)};
  wnn_tail_begin(&plan->tail, run, j.tail_rows);
  wnn_parallel(wnn_device_host(base->device)->pool, plan->n_parts, run_part, &j);
  return WEBNN_OK;
}

const wnn_kernel wnn_product_kernel = {"product", plan_product, run_product, free_product};
