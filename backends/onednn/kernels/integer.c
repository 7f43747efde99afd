/* Products of bytes: conv2dInteger, channels last, and matmulInteger, row-major. Both are products
 * of matrices, whose left side is gathered from the image, block by block, and widened on the way.
 */
#include "kernels/conv2d.h"
#include "kernels/integer_rows.h"
#include "kernels/kernels.h"
#include "kernels/tail.h"

#include <string.h>

#define LEFT_BYTES ((size_t)160 * 1024) /* of a block's left side */
#define MAX_ROWS ((size_t)96)           /* of a block */
#define DEPTH ((size_t)512) /* terms at a time: with them a panel stays in the nearest cache */

typedef struct integer_plan {
  wnn_plan base;
  wnn_tail tail;
  const wnn_integer_rows *rows;
  wnn_conv2d_shape shape; /* of a matmul: an image of one row */
  bool is_signed, has_bias;
  size_t n_rows; /* of the left side: pixels of the output */
  size_t depth, padded,
      left_stride;       /* terms of a sum; the same, even; numbers between rows of the left side */
  size_t columns, width; /* of a group: output channels; with the last vector filled up */
  size_t block;          /* rows at a time */
  bool together; /* threads share the columns of a block, else they have blocks of their own */
  size_t n_parts;
  int8_t *weights; /* panel by panel: pairs of rows, in them the columns */
  int16_t *zeros;  /* for each column of all groups, twice */
  float *scales;   /* of the weights; columns of all groups */
  size_t kept_bytes;
  /* Scratch: factors and biases; rows of the tail; then what each part has, or all together. */
  size_t factors_at, biases_at, tail_at, parts_at, part_bytes;
  size_t panel_at, sums_at, pixels_at; /* in a part's, behind the left side */
} integer_plan;

static size_t rounded_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

/* ---- planning */

/* Where the weights of a column stand: byte (k, column) is at column · strides[0] + place(k). */
typedef struct weights {
  const uint8_t *bytes;
  bool is_signed;
  size_t strides[4]; /* output channel, input channel of its group, height, width */
} weights;

static size_t place_of(const integer_plan *plan, const weights *from, size_t k) {
  const wnn_conv2d_shape *shape = &plan->shape;
  const size_t channels = shape->in_channels / shape->groups, tap = k / channels;
  return k % channels * from->strides[1] + tap / shape->window[1] * from->strides[2] +
         tap % shape->window[1] * from->strides[3];
}

/* Terms at a time, even. Their rows lie in different sets of a cache. */
#define PACK_DEPTH ((size_t)512)
#define PACK_STRIDE (PACK_DEPTH + WNN_CACHE_LINE)
#define MAX_COLUMNS ((size_t)32) /* of a panel */

static size_t panel_columns(const integer_plan *plan, size_t column) {
  const size_t most = WNN_INTEGER_VECTORS * plan->rows->lanes, left = plan->width - column;
  return left < most ? left : most;
}

typedef struct packing {
  const integer_plan *plan;
  const weights *from;
  const wnn_vector *vector;
  size_t n_panels, n_pieces; /* of a group; of a panel, PACK_DEPTH terms each */
} packing;

/* `n` terms from the k-th on of `there` columns from `column` on, a row for each column. */
static void bring_rows(const packing *p, size_t k, size_t n, size_t column, size_t there,
                       uint8_t *rows) {
  const size_t *strides = p->from->strides;
  const size_t channels = p->plan->shape.in_channels / p->plan->shape.groups;
  for (size_t end = k + n, more; k < end; k += more, rows += more) {
    const uint8_t *x = p->from->bytes + place_of(p->plan, p->from, k) + column * strides[0];
    more = channels - k % channels < end - k ? channels - k % channels : end - k;
    if (strides[0] == 1) {
      p->vector->transpose[0]((const char *)x, (ptrdiff_t)strides[1], (char *)rows, PACK_STRIDE,
                              more, there);
      continue;
    }
    for (size_t j = 0; j < there; j++) {
      const uint8_t *terms = x + j * strides[0];
      uint8_t *row = rows + j * PACK_STRIDE;
      if (strides[1] == 1)
        memcpy(row, terms, more);
      else
        for (size_t c = 0; c < more; c++) row[c] = terms[c * strides[1]];
    }
  }
}

/* A piece of a panel of `n` columns from `column` of the group on: as rows of pairs, which are
 * transposed. Unsigned weights move down by 128; columns and terms that aren't there are zeros. */
static void pack_piece(const packing *p, size_t group, size_t column, size_t k) {
  const integer_plan *plan = p->plan;
  _Alignas(WNN_CACHE_LINE) uint8_t rows[MAX_COLUMNS * PACK_STRIDE];
  const size_t n = panel_columns(plan, column), left = plan->columns - column;
  const size_t there = left < n ? left : n;
  const size_t padded = plan->padded - k < PACK_DEPTH ? plan->padded - k : PACK_DEPTH;
  const size_t depth = plan->depth - k < padded ? plan->depth - k : padded;
  bring_rows(p, k, depth, group * plan->columns + column, there, rows);
  for (size_t j = 0; j < n; j++) {
    uint8_t *row = rows + j * PACK_STRIDE;
    if (j >= there)
      memset(row, 0, padded);
    else if (!p->from->is_signed)
      for (size_t i = 0; i < depth; i++) row[i] ^= 128;
    if (padded > depth) row[depth] = 0;
  }
  int8_t *to = plan->weights + (group * plan->width + column) * plan->padded + k * n;
  p->vector->transpose[1]((const char *)rows, PACK_STRIDE, (char *)to, (ptrdiff_t)(2 * n), n,
                          padded / 2);
}

static void pack_part(void *arg, size_t part, size_t n_parts) {
  const packing *p = arg;
  const size_t columns = WNN_INTEGER_VECTORS * p->plan->rows->lanes;
  size_t begin, end;
  wnn_parallel_split(p->plan->shape.groups * p->n_panels * p->n_pieces, part, n_parts, &begin,
                     &end);
  for (size_t item = begin; item < end; item++) {
    const size_t panel = item / p->n_pieces;
    pack_piece(p, panel / p->n_panels, panel % p->n_panels * columns,
               item % p->n_pieces * PACK_DEPTH);
  }
}

static void pack(integer_plan *plan, const wnn_host *host, const weights *from) {
  const size_t columns = WNN_INTEGER_VECTORS * plan->rows->lanes;
  packing p = {.plan = plan,
               .from = from,
               .vector = wnn_vector_for(host),
               .n_panels = (plan->width + columns - 1) / columns,
               .n_pieces = (plan->padded + PACK_DEPTH - 1) / PACK_DEPTH};
  wnn_parallel(host->pool, wnn_packers(host, plan->kept_bytes), pack_part, &p);
}

static void set_columns(integer_plan *plan, const wnn_region *region) {
  const wnn_port *zero = &region->inputs[WNN_INTEGER_W_ZERO],
                 *scale = &region->inputs[WNN_INTEGER_W_SCALE];
  const bool one_zero = wnn_desc_count(zero->desc) == 1,
             one_scale = wnn_desc_count(scale->desc) == 1;
  for (size_t group = 0; group < plan->shape.groups; group++)
    for (size_t j = 0; j < plan->columns; j++) {
      const size_t channel = group * plan->columns + j, at = group * plan->width + j;
      const uint8_t byte = ((const uint8_t *)zero->constant)[one_zero ? 0 : channel];
      const int number = zero->desc->type == WEBNN_DATA_TYPE_INT8 ? (int8_t)byte : byte - 128;
      plan->zeros[2 * at] = plan->zeros[2 * at + 1] = (int16_t)number;
      plan->scales[at] = ((const float *)scale->constant)[one_scale ? 0 : channel];
    }
}

/* Few rows: threads share the columns. */
static void choose_blocks(integer_plan *plan, const wnn_host *host) {
  const size_t threads = wnn_pool_threads(host->pool), tile = plan->rows->tile_rows;
  size_t most = LEFT_BYTES / (plan->left_stride * sizeof(int16_t)) / tile * tile;
  most = most < tile ? tile : most > MAX_ROWS ? MAX_ROWS : most;
  const size_t work = plan->n_rows * plan->depth * plan->columns * plan->shape.groups;
  const size_t parts = work < 65536 ? 1 : threads;
  plan->together = parts > 1 && plan->n_rows <= most && plan->n_rows < parts * 4 * tile;
  plan->n_parts = parts < plan->n_rows || plan->together ? parts : plan->n_rows;
  const size_t share =
      plan->together ? plan->n_rows : (plan->n_rows + plan->n_parts - 1) / plan->n_parts;
  const size_t n_blocks = (share + most - 1) / most;
  plan->block = (share + n_blocks - 1) / n_blocks;
}

static size_t take(size_t *at, size_t n_bytes) {
  const size_t here = *at;
  *at += rounded_up(n_bytes, WNN_CACHE_LINE);
  return here;
}

static void set_scratch(integer_plan *plan) {
  const size_t all = plan->shape.groups * plan->width,
               pixels = plan->tail.piece * plan->tail.channels;
  size_t at = 0, part = 0;
  plan->factors_at = take(&at, all * sizeof(float));
  plan->biases_at = take(&at, all * sizeof(float));
  plan->tail_at = take(&at, plan->tail.n_rows * sizeof(float));
  plan->parts_at = at;
  take(&part, plan->block * plan->left_stride * sizeof(int16_t));
  plan->panel_at = take(&part, DEPTH * WNN_INTEGER_VECTORS * plan->rows->lanes * sizeof(int16_t));
  plan->sums_at = take(&part, plan->block * all * sizeof(int32_t));
  plan->pixels_at = take(&part, pixels * sizeof(float));
  plan->part_bytes = part;
  plan->base.scratch_bytes = at + plan->n_parts * part;
}

static webnn_status fill_plan(integer_plan *plan, const wnn_region *region, const weights *from) {
  const wnn_host *host = wnn_device_host(plan->base.device);
  const wnn_conv2d_shape *shape = &plan->shape;
  plan->rows = wnn_integer_rows_for(host);
  plan->is_signed = region->inputs[WNN_INTEGER_X].desc->type == WEBNN_DATA_TYPE_INT8;
  plan->has_bias = region->inputs[WNN_INTEGER_BIAS].desc != NULL;
  plan->n_rows = shape->images * shape->out[0] * shape->out[1];
  plan->depth = shape->in_channels / shape->groups * shape->window[0] * shape->window[1];
  plan->padded = rounded_up(plan->depth, 2);
  plan->left_stride = rounded_up(plan->depth, 32) + 32; /* rows in different sets of a cache */
  plan->columns = shape->out_channels / shape->groups;
  plan->width = rounded_up(plan->columns, plan->rows->lanes);
  choose_blocks(plan, host);
  set_scratch(plan);
  const size_t all = shape->groups * plan->width;
  const size_t weights_bytes = rounded_up(all * plan->padded, WNN_CACHE_LINE);
  plan->kept_bytes = weights_bytes + all * (2 * sizeof(int16_t) + sizeof(float));
  plan->weights = wnn_bank_get(host->bank, &host->alloc, plan->kept_bytes);
  if (plan->weights == NULL) return WEBNN_ERROR_UNKNOWN;
  memset((char *)plan->weights + weights_bytes, 0, plan->kept_bytes - weights_bytes);
  plan->scales = (float *)(void *)((char *)plan->weights + weights_bytes);
  plan->zeros = (int16_t *)(void *)(plan->scales + all);
  pack(plan, host, from);
  set_columns(plan, region);
  plan->base.packed = UINT64_C(1) << WNN_INTEGER_W | UINT64_C(1) << WNN_INTEGER_W_SCALE |
                      UINT64_C(1) << WNN_INTEGER_W_ZERO;
  plan->base.weight_bytes = plan->kept_bytes;
  plan->base.heavy = true;
  wnn_tail_take_over(&plan->tail, region, &plan->base);
  return WEBNN_OK;
}

static bool read_conv(const wnn_region *region, wnn_conv2d_shape *shape, weights *from) {
  if (!wnn_conv2d_read_shape(region, shape)) return false;
  for (size_t i = 0; i < 4; i++) from->strides[i] = shape->filter_strides[i];
  return true;
}

static bool read_matmul(const wnn_region *region, wnn_conv2d_shape *shape, weights *from) {
  const wnn_matmul_integer_attrs *attrs = region->anchor->attrs;
  const wnn_port *x = &region->inputs[WNN_INTEGER_X], *y = &region->outputs[0];
  const wnn_desc *out = &region->anchor_desc;
  if (!wnn_layout_is_plain(&x->layout, x->desc) || !wnn_layout_is_plain(&y->layout, y->desc))
    return false;
  *shape = (wnn_conv2d_shape){.images = 1,
                              .groups = 1,
                              .in_channels = x->desc->dims[x->desc->rank - 1],
                              .out_channels = out->dims[out->rank - 1],
                              .window = {1, 1},
                              .strides = {1, 1},
                              .dilations = {1, 1},
                              .channel_axis = out->rank - 1};
  shape->in[0] = shape->out[0] = 1;
  shape->in[1] = shape->out[1] = wnn_desc_count(out) / shape->out_channels;
  from->strides[0] = attrs->w_transpose ? shape->in_channels : 1;
  from->strides[1] = attrs->w_transpose ? 1 : shape->out_channels;
  return true;
}

static void free_integer(wnn_plan *base) {
  integer_plan *plan = (integer_plan *)base;
  const wnn_alloc *alloc = &wnn_device_host(base->device)->alloc;
  wnn_bank_put(plan->weights);
  wnn_alloc_free(alloc, plan, base->n_bytes);
}

static webnn_status plan_integer(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  const wnn_port *w = &region->inputs[WNN_INTEGER_W];
  weights from = {.bytes = w->constant, .is_signed = w->desc->type == WEBNN_DATA_TYPE_INT8};
  wnn_conv2d_shape shape;
  const bool is_conv = region->anchor->op->id == WNN_OP_CONV2D_INTEGER;
  if (w->constant == NULL || region->inputs[WNN_INTEGER_W_SCALE].constant == NULL ||
      region->inputs[WNN_INTEGER_W_ZERO].constant == NULL)
    return WEBNN_ERROR_NOT_SUPPORTED;
  if (!(is_conv ? read_conv(region, &shape, &from) : read_matmul(region, &shape, &from)))
    return WEBNN_ERROR_NOT_SUPPORTED;
  integer_plan *plan = (integer_plan *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->shape = shape;
  webnn_status status = WEBNN_ERROR_NOT_SUPPORTED;
  if (wnn_tail_plan(&plan->tail, host, region, 0, shape.channel_axis))
    status = fill_plan(plan, region, &from);
  if (status != WEBNN_OK) {
    free_integer(&plan->base);
    return status;
  }
  *out = &plan->base;
  return WEBNN_OK;
}

/* ---- running */

typedef struct job {
  const integer_plan *plan;
  const wnn_run *run;
  const uint8_t *x;
  int16_t zero;
  float *factors, *biases, *tail_rows;
  size_t group; /* where threads work together */
} job;

/* A part's memory. */
typedef struct part_memory {
  int16_t *left, *panel;
  int32_t *sums;
  float *pixels;
} part_memory;

static part_memory memory_of(const job *j, size_t part) {
  const integer_plan *plan = j->plan;
  char *at = (char *)j->run->scratch + plan->parts_at + part * plan->part_bytes;
  return (part_memory){(int16_t *)(void *)at, (int16_t *)(void *)(at + plan->panel_at),
                       (int32_t *)(void *)(at + plan->sums_at),
                       (float *)(void *)(at + plan->pixels_at)};
}

static void widen(const job *j, size_t from, int16_t *to, size_t n) {
  if (j->plan->is_signed)
    j->plan->rows->widen_i8((const int8_t *)j->x + from, j->zero, to, n);
  else
    j->plan->rows->widen_u8(j->x + from, j->zero, to, n);
}

/* One row of the window at input row `y`, whose first column is `x`, both modulo 2ⁿ where they are
 * outside. */
static void gather_taps(const job *j, size_t image, size_t y, size_t x, size_t group, int16_t *to) {
  const wnn_conv2d_shape *shape = &j->plan->shape;
  const size_t channels = shape->in_channels / shape->groups, n = shape->window[1];
  const size_t row = (image * shape->in[0] + y) * shape->in[1];
  if (y >= shape->in[0]) {
    memset(to, 0, n * channels * sizeof *to);
  } else if (shape->groups == 1 && shape->dilations[1] == 1 && x < shape->in[1] &&
             x + n <= shape->in[1]) {
    widen(j, (row + x) * channels, to, n * channels); /* neighbours all the way */
  } else {
    for (size_t k = 0; k < n; k++, to += channels) {
      const size_t column = x + k * shape->dilations[1];
      if (column < shape->in[1])
        widen(j, (row + column) * shape->in_channels + group * channels, to, channels);
      else
        memset(to, 0, channels * sizeof *to);
    }
  }
}

/* Rows [begin, begin + n) of the left side of a group. */
static void gather(const job *j, size_t begin, size_t n, size_t group, int16_t *left) {
  const integer_plan *plan = j->plan;
  const wnn_conv2d_shape *shape = &plan->shape;
  const size_t taps = shape->in_channels / shape->groups * shape->window[1];
  for (size_t i = begin; i < begin + n; i++, left += plan->left_stride) {
    const size_t x = i % shape->out[1] * shape->strides[1] - shape->before[1],
                 rest = i / shape->out[1];
    const size_t y = rest % shape->out[0] * shape->strides[0] - shape->before[0],
                 image = rest / shape->out[0];
    for (size_t k = 0; k < shape->window[0]; k++)
      gather_taps(j, image, y + k * shape->dilations[0], x, group, left + k * taps);
    if (plan->padded > plan->depth) left[plan->depth] = 0;
  }
}

/* Columns from `column` on, a panel of them, for `n` rows. */
static void multiply_panel(const job *j, size_t group, size_t column, size_t n,
                           const part_memory *m, const int16_t *left, int32_t *sums) {
  const integer_plan *plan = j->plan;
  const size_t n_columns = panel_columns(plan, column), at = group * plan->width + column;
  wnn_integer_product is = {.b = m->panel,
                            .c = sums + at,
                            .a_stride = plan->left_stride,
                            .c_stride = plan->shape.groups * plan->width,
                            .n_rows = n,
                            .vectors = n_columns / plan->rows->lanes};
  for (size_t k = 0; k < plan->padded; k += DEPTH) {
    const size_t depth = plan->padded - k < DEPTH ? plan->padded - k : DEPTH;
    plan->rows->widen_columns(plan->weights + at * plan->padded + k * n_columns,
                              plan->zeros + 2 * at, m->panel, depth / 2, 2 * n_columns);
    is.a = left + k;
    is.pairs = depth / 2;
    is.adds = k > 0;
    plan->rows->product(&is);
  }
}

/* A row of sums becomes a pixel. */
static void scale_row(const job *j, const int32_t *sums, float *to) {
  const integer_plan *plan = j->plan;
  for (size_t group = 0; group < plan->shape.groups; group++) {
    const size_t at = group * plan->width;
    plan->rows->scale(sums + at, j->factors + at, j->biases + at, to + group * plan->columns,
                      plan->columns);
  }
}

/* Rows [begin, begin + n) of the result. */
static void finish(const job *j, size_t begin, size_t n, const int32_t *sums, float *pixels) {
  const integer_plan *plan = j->plan;
  const size_t stride = plan->shape.groups * plan->width, channels = plan->tail.channels;
  if (plan->tail.n_stages == 0) pixels = (float *)j->run->outputs[0] + begin * channels;
  for (size_t i = 0, more; i < n; i += more) {
    more = n - i < plan->tail.piece ? n - i : plan->tail.piece;
    for (size_t k = 0; k < more; k++) scale_row(j, sums + (i + k) * stride, pixels + k * channels);
    wnn_tail_run(&plan->tail, j->run, j->tail_rows, pixels, begin + i, more);
    if (plan->tail.n_stages == 0) pixels += more * channels;
  }
}

/* One thread's share of the rows, block by block. */
static void run_share(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  const integer_plan *plan = j->plan;
  const part_memory m = memory_of(j, part);
  size_t begin, end;
  wnn_parallel_split(plan->n_rows, part, n_parts, &begin, &end);
  for (size_t i = begin, n; i < end; i += n) {
    n = end - i < plan->block ? end - i : plan->block;
    for (size_t group = 0; group < plan->shape.groups; group++) {
      gather(j, i, n, group, m.left);
      for (size_t column = 0; column < plan->width; column += panel_columns(plan, column))
        multiply_panel(j, group, column, n, &m, m.left, m.sums);
    }
    finish(j, i, n, m.sums, m.pixels);
  }
}

static void gather_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  const part_memory shared = memory_of(j, 0);
  size_t begin, end;
  wnn_parallel_split(j->plan->n_rows, part, n_parts, &begin, &end);
  gather(j, begin, end - begin, j->group, shared.left + begin * j->plan->left_stride);
}

static void multiply_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  const integer_plan *plan = j->plan;
  const part_memory m = memory_of(j, part), shared = memory_of(j, 0);
  const size_t panel = WNN_INTEGER_VECTORS * plan->rows->lanes;
  size_t begin, end;
  wnn_parallel_split((plan->width + panel - 1) / panel, part, n_parts, &begin, &end);
  for (size_t i = begin; i < end; i++)
    multiply_panel(j, j->group, i * panel, plan->n_rows, &m, shared.left, shared.sums);
}

static void finish_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  const part_memory m = memory_of(j, part), shared = memory_of(j, 0);
  size_t begin, end;
  wnn_parallel_split(j->plan->n_rows, part, n_parts, &begin, &end);
  finish(j, begin, end - begin, shared.sums + begin * j->plan->shape.groups * j->plan->width,
         m.pixels);
}

/* The scale of x, known only now, in those of the weights; the bias, or zeros, as the columns lie.
 */
static void set_factors(const job *j) {
  const integer_plan *plan = j->plan;
  const float x_scale = *(const float *)j->run->inputs[WNN_INTEGER_X_SCALE];
  const float *bias = plan->has_bias ? j->run->inputs[WNN_INTEGER_BIAS] : NULL;
  for (size_t i = 0; i < plan->shape.groups * plan->width; i++) {
    const size_t column = i % plan->width;
    j->factors[i] = x_scale * plan->scales[i];
    j->biases[i] =
        bias && column < plan->columns ? bias[i / plan->width * plan->columns + column] : 0.0f;
  }
}

static webnn_status run_integer(const wnn_plan *base, const wnn_run *run) {
  const integer_plan *plan = (const integer_plan *)base;
  wnn_pool *pool = wnn_device_host(base->device)->pool;
  char *scratch = run->scratch;
  const uint8_t zero = *(const uint8_t *)run->inputs[WNN_INTEGER_X_ZERO];
  job j = {.plan = plan,
           .run = run,
           .x = run->inputs[WNN_INTEGER_X],
           .zero = plan->is_signed ? (int8_t)zero : zero,
           .factors = (float *)(void *)(scratch + plan->factors_at),
           .biases = (float *)(void *)(scratch + plan->biases_at),
           .tail_rows = (float *)(void *)(scratch + plan->tail_at)};
  set_factors(&j);
  wnn_tail_begin(&plan->tail, run, j.tail_rows);
  if (!plan->together) {
    wnn_parallel(pool, plan->n_parts, run_share, &j);
    return WEBNN_OK;
  }
  for (j.group = 0; j.group < plan->shape.groups; j.group++) {
    wnn_parallel(pool, plan->n_parts, gather_part, &j);
    wnn_parallel(pool, plan->n_parts, multiply_part, &j);
  }
  wnn_parallel(pool, plan->n_parts, finish_part, &j);
  return WEBNN_OK;
}

const wnn_kernel wnn_integer_kernel = {"integer", plan_integer, run_integer, free_integer};

extern const wnn_integer_rows wnn_integer_rows_generic;
#ifdef __x86_64__
extern const wnn_integer_rows wnn_integer_rows_avx2, wnn_integer_rows_avx512;
#endif

const wnn_integer_rows *wnn_integer_rows_for(const wnn_host *host) {
#ifdef __x86_64__
  switch (wnn_isa_for(host)) {
    case WNN_ISA_AVX512: return &wnn_integer_rows_avx512;
    case WNN_ISA_AVX2: return &wnn_integer_rows_avx2;
    default: break;
  }
#else
  (void)host;
#endif
  return &wnn_integer_rows_generic;
}
