/* Attention of any rows, head by head and block by block of them, so that the scores of a block
 * never leave the cache. k and v of a head are packed once; operands may lie in any unblocked
 * layout. Below, what attention_few.c has in common with it. */
#include "kernels/attention.h"
#include "kernels/kernels.h"
#include "kernels/lanes.h"

#include <string.h>

#define BLOCK_SCORES ((size_t)6 * 1024) /* of a block, which with k and v shall stay near */
#define MIN_BLOCK ((size_t)12)          /* rows that share one walk through the panels */
#define MAX_BLOCK ((size_t)128)
#define PARALLEL_WORK ((size_t)128 * 1024) /* multiplications below which threads don't pay */

/* The right side of a product, as panels. */
typedef struct panels {
  size_t depth, columns, vectors, width, filled;
} panels;

typedef struct attention_plan {
  wnn_plan base;
  wnn_attention is;
  panels keys, values;
  size_t block, n_blocks; /* rows */
  size_t n_parts;
  size_t values_at, queries_at, scores_at, row_at, results_at,
      part_bytes;    /* in a part's scratch; keys come first */
  size_t factors_at; /* behind all parts */
} attention_plan;

/* ---- in common */

static wnn_attention_matrix matrix_of(const wnn_port *port, uint32_t rank) {
  size_t strides[WNN_MAX_RANK], all[WNN_MAX_RANK] = {0};
  wnn_attention_matrix is = {{0}, 0, 0};
  wnn_layout_strides(&port->layout, port->desc, strides);
  const uint32_t missing = rank - port->desc->rank;
  for (uint32_t i = missing; i < rank; i++)
    all[i] = port->desc->dims[i - missing] == 1 ? 0 : strides[i - missing];
  for (uint32_t i = 0; i + 2 < rank; i++) is.batch[i] = all[i];
  is.row = all[rank - 2], is.column = all[rank - 1];
  return is;
}

static void read_shapes(wnn_attention *is, const wnn_region *region) {
  const wnn_desc *result = &region->anchor_desc, *q = region->inputs[WNN_ATTENTION_Q].desc,
                 *k = region->inputs[WNN_ATTENTION_K].desc;
  const uint32_t rank = result->rank;
  is->n_batch = rank - 2;
  is->n_heads = 1;
  for (uint32_t i = 0; i < is->n_batch; i++) is->n_heads *= is->batch[i] = result->dims[i];
  is->n_rows = result->dims[rank - 2], is->columns = result->dims[rank - 1];
  is->depth = q->dims[rank - 1], is->n_keys = k->dims[rank - 1];
  is->q = matrix_of(&region->inputs[WNN_ATTENTION_Q], rank);
  is->k = matrix_of(&region->inputs[WNN_ATTENTION_K], rank);
  is->v = matrix_of(&region->inputs[WNN_ATTENTION_V], rank);
  is->y = matrix_of(&region->outputs[0], rank);
  is->has_mask = region->anchor->n_inputs > WNN_ATTENTION_MASK &&
                 region->inputs[WNN_ATTENTION_MASK].desc != NULL;
  if (is->has_mask) is->mask = matrix_of(&region->inputs[WNN_ATTENTION_MASK], rank);
}

bool wnn_attention_read(wnn_attention *is, const wnn_host *host, const wnn_region *region) {
  const wnn_attention_attrs *attrs = region->anchor->attrs;
  const webnn_data_type f32 = WEBNN_DATA_TYPE_FLOAT32;
  if (region->n_posts != 0 || wnn_layout_is_blocked(&region->outputs[0].layout)) return false;
  for (size_t i = 0; i < region->n_inputs; i++) {
    const wnn_port *port = &region->inputs[i];
    if (port->desc == NULL) continue;
    if (port->desc->type != f32 || wnn_layout_is_blocked(&port->layout)) return false;
  }
  is->vector = wnn_vector_for(host);
  is->rows = wnn_conv_rows_for(host);
  is->scales = attrs->divides || attrs->scale != 1.0f;
  is->factor = attrs->scale;
  is->scale = is->vector->stage(attrs->divides ? WNN_OP_DIV : WNN_OP_MUL, f32, f32);
  is->add = is->vector->stage(WNN_OP_ADD, f32, f32);
  read_shapes(is, region);
  return true;
}

size_t wnn_attention_start(const wnn_attention *is, const wnn_attention_matrix *of, size_t head) {
  size_t at = 0;
  for (uint32_t i = is->n_batch; i-- > 0; head /= is->batch[i])
    at += head % is->batch[i] * of->batch[i];
  return at;
}

void wnn_attention_fill(const float *from, size_t stride, float *to, size_t n, size_t width) {
  for (size_t c = 0; c < n; c++) to[c] = from[c * stride];
  for (size_t c = n; c < width; c++) to[c] = 0;
}

/* A row of the mask as it can be added. */
static const float *mask_row(const wnn_attention *is, const float *mask, float *row) {
  if (is->mask.column == 1 || is->n_keys == 1) return mask;
  wnn_attention_fill(mask, is->mask.column, row, is->n_keys, is->n_keys);
  return row;
}

void wnn_attention_weigh(const wnn_attention *is, const wnn_run *run, const float *factors,
                         const wnn_attention_rows *rows) {
  const wnn_stage_args none = {{0}, {0}, {0}};
  const float *mask = NULL;
  if (is->has_mask)
    mask = (const float *)run->inputs[WNN_ATTENTION_MASK] +
           wnn_attention_start(is, &is->mask, rows->head) + rows->first * is->mask.row;
  for (size_t i = 0; i < rows->n; i++) {
    float *x = rows->scores + i * rows->stride;
    if (is->scales) is->scale((const void *[]){x, factors}, x, is->n_keys, &none);
    if (is->has_mask) {
      const float *line = mask_row(is, mask + i * is->mask.row, rows->line);
      is->add((const void *[]){x, line}, x, is->n_keys, &none);
    }
    is->vector->softmax_rows(x, x, 1, is->n_keys, NULL);
  }
}

/* ---- planning */

static panels panels_of(size_t depth, size_t columns, size_t lanes) {
  panels is = {
      .depth = depth, .columns = columns, .vectors = wnn_panel_vectors(columns, lanes)};
  is.width = is.vectors * lanes;
  is.filled = (columns + is.width - 1) / is.width * is.width;
  return is;
}

static void set_parts(attention_plan *plan, const wnn_host *host) {
  const size_t threads = wnn_pool_threads(host->pool), lanes = plan->is.rows->lanes;
  const size_t work = plan->is.n_heads * plan->is.n_rows * plan->is.n_keys * (plan->is.depth + plan->is.columns);
  plan->keys = panels_of(plan->is.depth, plan->is.n_keys, lanes);
  plan->values = panels_of(plan->is.n_keys, plan->is.columns, lanes);
  size_t most = BLOCK_SCORES / plan->keys.filled;
  most = most < MIN_BLOCK ? MIN_BLOCK : most > MAX_BLOCK ? MAX_BLOCK : most;
  plan->n_blocks = (plan->is.n_rows + most - 1) / most;
  plan->block = (plan->is.n_rows + plan->n_blocks - 1) / plan->n_blocks;
  plan->base.heavy = work >= PARALLEL_WORK;
  const size_t items = plan->is.n_heads * plan->n_blocks;
  plan->n_parts = !plan->base.heavy ? 1 : items < threads ? items : threads;
}

static size_t take(size_t *at, size_t n) {
  const size_t begin = *at;
  *at += wnn_aligned(n * sizeof(float));
  return begin;
}

static void set_scratch(attention_plan *plan) {
  size_t at = 0;
  take(&at, plan->keys.depth * plan->keys.filled);
  plan->values_at = take(&at, plan->values.depth * plan->values.filled);
  plan->queries_at = take(&at, plan->is.q.column > 1 ? plan->block * plan->is.depth : 0);
  plan->scores_at = take(&at, plan->block * plan->keys.filled);
  plan->row_at = take(&at, plan->is.has_mask ? plan->is.n_keys : 0);
  plan->results_at = take(&at, plan->block * plan->values.filled);
  plan->part_bytes = at;
  at *= plan->n_parts;
  plan->factors_at = take(&at, plan->is.scales ? plan->is.n_keys : 0);
  plan->base.scratch_bytes = at;
}

static void free_attention(wnn_plan *plan) {
  wnn_alloc_free(&wnn_device_host(plan->device)->alloc, plan, plan->n_bytes);
}

static webnn_status plan_attention(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  wnn_attention is;
  if (!wnn_attention_read(&is, host, region)) return WEBNN_ERROR_NOT_SUPPORTED;
  attention_plan *plan = (attention_plan *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->is = is;
  set_parts(plan, host);
  set_scratch(plan);
  *out = &plan->base;
  return WEBNN_OK;
}

/* ---- running */

typedef struct job {
  const attention_plan *plan;
  const wnn_run *run;
  const float *factors;
} job;

/* Where a part works. */
typedef struct place {
  float *keys, *values, *queries, *scores, *row, *results;
} place;

static place place_of(const job *j, size_t part) {
  const attention_plan *plan = j->plan;
  char *at = (char *)j->run->scratch + part * plan->part_bytes;
  return (place){(float *)(void *)at,
                 (float *)(void *)(at + plan->values_at),
                 (float *)(void *)(at + plan->queries_at),
                 (float *)(void *)(at + plan->scores_at),
                 (float *)(void *)(at + plan->row_at),
                 (float *)(void *)(at + plan->results_at)};
}

/* Whole panels of rows that lie densely. */
static void pack_rows(const panels *is, const float *from, size_t row, float *to) {
  const size_t n = is->columns / is->width, apart = is->depth * is->width;
  for (size_t k = 0; k < is->depth; k++, from += row, to += is->width)
    for (size_t p = 0; p < n; p++) {
      const float *x = from + p * is->width;
      float *y = to + p * apart;
      for (size_t c = 0; c < is->width; c += 4) memcpy(y + c, x + c, 4 * sizeof *y);
    }
}

static void pack(const attention_plan *plan, const panels *is, const float *from, size_t row,
                 size_t column, float *to) {
  const ptrdiff_t from_stride = (ptrdiff_t)(column * sizeof *from),
                  to_stride = (ptrdiff_t)(is->width * sizeof *to);
  const size_t whole = is->columns / is->width * is->width, left = is->columns - whole;
  if (column == 1)
    pack_rows(is, from, row, to);
  else if (row == 1)
    for (size_t c = 0; c < whole; c += is->width)
      plan->is.vector->transpose[2]((const char *)(from + c * column), from_stride,
                                 (char *)(to + c * is->depth), to_stride, is->width, is->depth);
  else
    for (size_t c = 0; c < whole; c += is->width)
      for (size_t k = 0; k < is->depth; k++)
        wnn_attention_fill(from + k * row + c * column, column, to + c * is->depth + k * is->width, is->width,
                 is->width);
  for (size_t k = 0; k < is->depth && left > 0; k++)
    wnn_attention_fill(from + k * row + whole * column, column, to + whole * is->depth + k * is->width, left,
             is->width);
}

static void pack_head(const job *j, size_t head, const place *at) {
  const attention_plan *plan = j->plan;
  const float *k = j->run->inputs[WNN_ATTENTION_K], *v = j->run->inputs[WNN_ATTENTION_V];
  pack(plan, &plan->keys, k + wnn_attention_start(&plan->is, &plan->is.k, head), plan->is.k.row, plan->is.k.column,
       at->keys);
  pack(plan, &plan->values, v + wnn_attention_start(&plan->is, &plan->is.v, head), plan->is.v.row, plan->is.v.column,
       at->values);
}

static void multiply(const attention_plan *plan, const panels *is, const float *a, size_t a_stride,
                     const float *b, float *c, size_t c_stride, size_t n_rows) {
  plan->is.rows->product(&(wnn_product){.a = a,
                                     .panels = b,
                                     .c = c,
                                     .a_stride = a_stride,
                                     .c_stride = c_stride,
                                     .n_rows = n_rows,
                                     .depth = is->depth,
                                     .n_panels = is->filled / is->width,
                                     .vectors = is->vectors});
}

/* The scores of `n` rows from `row` on. */
static void score(const job *j, size_t head, size_t row, size_t n, const place *at) {
  const attention_plan *plan = j->plan;
  const float *q = (const float *)j->run->inputs[WNN_ATTENTION_Q] + wnn_attention_start(&plan->is, &plan->is.q, head) +
                   row * plan->is.q.row;
  size_t stride = plan->is.q.row;
  if (plan->is.q.column > 1) {
    stride = plan->is.depth;
    for (size_t i = 0; i < n; i++)
      wnn_attention_fill(q + i * plan->is.q.row, plan->is.q.column, at->queries + i * stride, stride, stride);
    q = at->queries;
  }
  multiply(plan, &plan->keys, q, stride, at->keys, at->scores, plan->keys.filled, n);
}

static void finish(const job *j, size_t head, size_t row, size_t n, const place *at) {
  const attention_plan *plan = j->plan;
  float *y = (float *)j->run->outputs[0] + wnn_attention_start(&plan->is, &plan->is.y, head) + row * plan->is.y.row;
  const bool direct = plan->is.y.column == 1 && plan->values.filled == plan->is.columns;
  float *to = direct ? y : at->results;
  const size_t stride = direct ? plan->is.y.row : plan->values.filled;
  multiply(plan, &plan->values, at->scores, plan->keys.filled, at->values, to, stride, n);
  for (size_t i = 0; i < n && !direct; i++)
    for (size_t c = 0; c < plan->is.columns; c++)
      y[i * plan->is.y.row + c * plan->is.y.column] = to[i * stride + c];
}

static void run_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  const attention_plan *plan = j->plan;
  const place at = place_of(j, part);
  size_t begin, end, packed = SIZE_MAX;
  wnn_parallel_split(plan->is.n_heads * plan->n_blocks, part, n_parts, &begin, &end);
  for (size_t item = begin; item < end; item++) {
    const size_t head = item / plan->n_blocks;
    size_t row, last;
    wnn_parallel_split(plan->is.n_rows, item % plan->n_blocks, plan->n_blocks, &row, &last);
    if (packed != head) pack_head(j, packed = head, &at);
    score(j, head, row, last - row, &at);
    const wnn_attention_rows rows = {head, row, last - row, at.scores, plan->keys.filled, at.row};
    wnn_attention_weigh(&plan->is, j->run, j->factors, &rows);
    finish(j, head, row, last - row, &at);
  }
}

static webnn_status run_attention(const wnn_plan *base, const wnn_run *run) {
  const attention_plan *plan = (const attention_plan *)base;
  float *factors = (float *)(void *)((char *)run->scratch + plan->factors_at);
  for (size_t i = 0; i < plan->is.n_keys && plan->is.scales; i++) factors[i] = plan->is.factor;
  job j = {plan, run, factors};
  wnn_parallel(wnn_device_host(base->device)->pool, plan->n_parts, run_part, &j);
  return WEBNN_OK;
}

const wnn_kernel wnn_attention_kernel = {"attention", plan_attention, run_attention,
                                         free_attention};
