/* Convolutions of bytes with 3×3 windows by Winograd's minimal filtering in whole numbers: the same
 * sums from four multiplications a result instead of nine. Block by block of tiles: pixels become
 * 16 numbers a channel; numbers e of all tiles of the block are multiplied by weights e; 16 sums
 * become four results. */
#include "base/switches.h"
#include "kernels/conv2d.h"
#include "kernels/integer_rows.h"
#include "kernels/kernels.h"
#include "kernels/lanes.h"
#include "kernels/tail.h"

#include <string.h>

#define NEAR_BYTES ((size_t)384 * 1024) /* what the numbers of a block may take */
#define MAX_BLOCK ((size_t)48)          /* tiles */
/* Terms, channels, of which the sums fit 32 bits when they are four times as large: 4 · 9 · 255² ·
 * 917 < 2³¹. */
#define MAX_CHANNELS ((size_t)917)
#define MIN_PRODUCTS \
  ((size_t)1024) /* of channels: measured, with 24 by 24 spreading takes what multiplying saves */

typedef struct tiles_plan {
  wnn_plan base;
  const wnn_integer_rows *rows;
  wnn_tail tail;
  wnn_conv2d_shape shape;
  bool is_signed, has_bias;
  size_t down, across, n_tiles; /* of an image, of all */
  size_t depth, width;          /* channels in, even, and out, in whole vectors */
  size_t block, n_parts;
  int16_t *weights; /* numbers e by panel: pairs of rows, in them the columns */
  float *scales;    /* of the weights, by column */
  size_t kept_bytes;
  /* Scratch: a pixel of padding, factors, biases, rows of the tail; then each part's numbers, sums
   * and results. */
  size_t factors_at, biases_at, tail_at, parts_at, part_bytes;
  size_t in_stride, out_stride; /* from one number to the next, for a block */
  size_t sums_at, results_at;   /* in a part's */
} tiles_plan;

static size_t rounded_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

/* ---- planning */

static size_t panel_columns(const tiles_plan *plan, size_t column) {
  const size_t most = WNN_INTEGER_VECTORS * plan->rows->lanes, left = plan->width - column;
  return left < most ? left : most;
}

/* Twice the matrix that weights are spread by. */
static const int16_t spreading[WNN_TILE_IN][3] = {{2, 0, 0}, {1, 1, 1}, {1, -1, 1}, {0, 0, 2}};

#define PAIR_NUMBERS ((size_t)64) /* at most: of two input channels, for the columns of a panel */

typedef struct packing {
  const tiles_plan *plan;
  const uint8_t *bytes, *zeros;
  size_t zero_stride; /* from a column's zero point to the next one's */
  uint8_t flip;       /* makes signed bytes unsigned, 128 too large */
} packing;

/* Weights less their zero points, of input channels `in` and `in` + 1 for `n` columns from `column`
 * on: by place in the window, in pairs. Zeros for what isn't there. */
static void gather_pairs(const packing *p, size_t column, size_t n, size_t in,
                         int16_t numbers[9][PAIR_NUMBERS]) {
  const wnn_conv2d_shape *shape = &p->plan->shape;
  const size_t *strides = shape->filter_strides, left = shape->out_channels - column,
               there = left < n ? left : n;
  for (size_t k = 0; k < 9; k++)
    for (size_t i = 0; i < 2; i++) {
      const size_t at =
          column * strides[0] + (in + i) * strides[1] + k / 3 * strides[2] + k % 3 * strides[3];
      const uint8_t *zeros = p->zeros + column * p->zero_stride;
      int16_t *to = numbers[k] + i;
      const size_t known = in + i < shape->in_channels ? there : 0;
      for (size_t j = 0; j < known; j++)
        to[2 * j] = (int16_t)((p->bytes[at + j * strides[0]] ^ p->flip) -
                              (zeros[j * p->zero_stride] ^ p->flip));
      for (size_t j = known; j < n; j++) to[2 * j] = 0;
    }
}

/* The 16 numbers of each window, `apart` from one another. */
static void spread_pairs(int16_t numbers[9][PAIR_NUMBERS], size_t n, int16_t *to, size_t apart) {
  int16_t half[WNN_TILE_IN][3][PAIR_NUMBERS];
  for (size_t i = 0; i < WNN_TILE_IN; i++)
    for (size_t x = 0; x < 3; x++) {
      const int16_t *by = spreading[i];
      for (size_t j = 0; j < n; j++)
        half[i][x][j] = (int16_t)(by[0] * numbers[x][j] + by[1] * numbers[3 + x][j] +
                                  by[2] * numbers[6 + x][j]);
    }
  for (size_t e = 0; e < WNN_TILE_NUMBERS; e++, to += apart) {
    int16_t (*rows)[PAIR_NUMBERS] = half[e / WNN_TILE_IN];
    const int16_t *by = spreading[e % WNN_TILE_IN];
    for (size_t j = 0; j < n; j++)
      to[j] = (int16_t)(by[0] * rows[0][j] + by[1] * rows[1][j] + by[2] * rows[2][j]);
  }
}

static void pack_part(void *arg, size_t part, size_t n_parts) {
  const packing *p = arg;
  const tiles_plan *plan = p->plan;
  const size_t most = WNN_INTEGER_VECTORS * plan->rows->lanes,
               n_panels = (plan->width + most - 1) / most, pairs = plan->depth / 2;
  int16_t numbers[9][PAIR_NUMBERS];
  size_t begin, end;
  wnn_parallel_split(n_panels * pairs, part, n_parts, &begin, &end);
  for (size_t item = begin; item < end; item++) {
    const size_t column = item / pairs * most, pair = item % pairs, n = panel_columns(plan, column);
    gather_pairs(p, column, n, 2 * pair, numbers);
    spread_pairs(numbers, 2 * n, plan->weights + column * plan->depth + pair * 2 * n,
                 plan->width * plan->depth);
  }
}

static void pack(tiles_plan *plan, const wnn_host *host, const wnn_region *region) {
  const wnn_port *w = &region->inputs[WNN_INTEGER_W], *zero = &region->inputs[WNN_INTEGER_W_ZERO],
                 *scale = &region->inputs[WNN_INTEGER_W_SCALE];
  const bool one_scale = wnn_desc_count(scale->desc) == 1;
  packing p = {.plan = plan,
               .bytes = w->constant,
               .zeros = zero->constant,
               .zero_stride = wnn_desc_count(zero->desc) == 1 ? 0 : 1,
               .flip = w->desc->type == WEBNN_DATA_TYPE_INT8 ? 128 : 0};
  for (size_t out = 0; out < plan->width; out++)
    plan->scales[out] =
        out < plan->shape.out_channels ? ((const float *)scale->constant)[one_scale ? 0 : out] : 0;
  wnn_parallel(host->pool, wnn_packers(host, plan->kept_bytes), pack_part, &p);
}

static bool fits(const wnn_conv2d_shape *shape) {
  for (size_t i = 0; i < 2; i++)
    if (shape->window[i] != 3 || shape->strides[i] != 1 || shape->dilations[i] != 1) return false;
  return shape->groups == 1 && shape->in_channels >= 8 && shape->in_channels <= MAX_CHANNELS &&
         shape->out_channels >= 8 && shape->in_channels * shape->out_channels >= MIN_PRODUCTS &&
         shape->out[0] >= 2 && shape->out[1] >= 4;
}

static void choose_blocks(tiles_plan *plan, const wnn_host *host) {
  const size_t threads = wnn_pool_threads(host->pool), rows = plan->rows->tile_rows;
  const size_t tile_bytes =
      WNN_TILE_NUMBERS * (plan->depth * sizeof(int16_t) + plan->width * sizeof(int32_t));
  size_t most = NEAR_BYTES / tile_bytes / rows * rows;
  most = most < rows ? rows : most > MAX_BLOCK ? MAX_BLOCK : most;
  plan->n_parts = threads < plan->n_tiles ? threads : plan->n_tiles;
  const size_t share = (plan->n_tiles + plan->n_parts - 1) / plan->n_parts,
               n_blocks = (share + most - 1) / most;
  plan->block = (share + n_blocks - 1) / n_blocks;
}

static size_t take(size_t *at, size_t n_bytes) {
  const size_t here = *at;
  *at += rounded_up(n_bytes, WNN_CACHE_LINE);
  return here;
}

static void set_scratch(tiles_plan *plan) {
  size_t at = 0, part = 0;
  take(&at, plan->depth);
  plan->factors_at = take(&at, plan->width * sizeof(float));
  plan->biases_at = take(&at, plan->width * sizeof(float));
  plan->tail_at = take(&at, plan->tail.n_rows * sizeof(float));
  plan->parts_at = at;
  /* A cache line more between numbers, lest all of a tile fall into the same set of a cache. */
  plan->in_stride = plan->block * plan->depth + WNN_CACHE_LINE / sizeof(int16_t);
  plan->out_stride = plan->block * plan->width + WNN_CACHE_LINE / sizeof(int32_t);
  take(&part, WNN_TILE_NUMBERS * plan->in_stride * sizeof(int16_t));
  plan->sums_at = take(&part, WNN_TILE_NUMBERS * plan->out_stride * sizeof(int32_t));
  plan->results_at =
      take(&part, (plan->block * WNN_TILE_PIXELS + 1) * plan->shape.out_channels * sizeof(float));
  plan->part_bytes = part;
  plan->base.scratch_bytes = at + plan->n_parts * part;
}

static webnn_status fill_plan(tiles_plan *plan, const wnn_region *region) {
  const wnn_host *host = wnn_device_host(plan->base.device);
  const wnn_conv2d_shape *shape = &plan->shape;
  plan->rows = wnn_integer_rows_for(host);
  plan->is_signed = region->inputs[WNN_INTEGER_X].desc->type == WEBNN_DATA_TYPE_INT8;
  plan->has_bias = region->inputs[WNN_INTEGER_BIAS].desc != NULL;
  plan->down = (shape->out[0] + WNN_TILE_OUT - 1) / WNN_TILE_OUT;
  plan->across = (shape->out[1] + WNN_TILE_OUT - 1) / WNN_TILE_OUT;
  plan->n_tiles = shape->images * plan->down * plan->across;
  plan->depth = rounded_up(shape->in_channels, 2);
  plan->width = rounded_up(shape->out_channels, plan->rows->lanes);
  choose_blocks(plan, host);
  set_scratch(plan);
  const size_t weights_bytes =
      rounded_up(WNN_TILE_NUMBERS * plan->depth * plan->width * sizeof(int16_t), WNN_CACHE_LINE);
  plan->kept_bytes = weights_bytes + plan->width * sizeof(float);
  plan->weights = wnn_bank_get(host->bank, &host->alloc, plan->kept_bytes);
  if (plan->weights == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->scales = (float *)(void *)((char *)plan->weights + weights_bytes);
  pack(plan, host, region);
  plan->base.packed = UINT64_C(1) << WNN_INTEGER_W | UINT64_C(1) << WNN_INTEGER_W_SCALE |
                      UINT64_C(1) << WNN_INTEGER_W_ZERO;
  plan->base.weight_bytes = plan->kept_bytes;
  plan->base.heavy = true;
  wnn_tail_take_over(&plan->tail, region, &plan->base);
  return WEBNN_OK;
}

static void free_tiles(wnn_plan *base) {
  tiles_plan *plan = (tiles_plan *)base;
  const wnn_alloc *alloc = &wnn_device_host(base->device)->alloc;
  wnn_bank_put(plan->weights);
  wnn_alloc_free(alloc, plan, base->n_bytes);
}

static webnn_status plan_tiles(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  wnn_conv2d_shape shape;
  if (region->inputs[WNN_INTEGER_W].constant == NULL ||
      region->inputs[WNN_INTEGER_W_SCALE].constant == NULL ||
      region->inputs[WNN_INTEGER_W_ZERO].constant == NULL ||
      !wnn_pass_enabled(host->passes, "winograd"))
    return WEBNN_ERROR_NOT_SUPPORTED;
  if (!wnn_conv2d_read_shape(region, &shape) || !fits(&shape)) return WEBNN_ERROR_NOT_SUPPORTED;
  /* With it nine products of bytes are quicker than four of 16 bits. */
  if (wnn_has_vnni(host)) return WEBNN_ERROR_NOT_SUPPORTED;
  tiles_plan *plan = (tiles_plan *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->shape = shape;
  webnn_status status = WEBNN_ERROR_NOT_SUPPORTED;
  if (wnn_tail_plan(&plan->tail, host, region, 0, shape.channel_axis))
    status = fill_plan(plan, region);
  if (status != WEBNN_OK) {
    free_tiles(&plan->base);
    return status;
  }
  *out = &plan->base;
  return WEBNN_OK;
}

/* ---- running */

typedef struct job {
  const tiles_plan *plan;
  const wnn_run *run;
  int16_t zero;
  const uint8_t *padding; /* a pixel of it */
  float *factors, *biases, *tail_rows;
} job;

/* A tile's place: its first result. */
typedef struct place {
  size_t image, y, x;
} place;

static place place_of(const tiles_plan *plan, size_t tile) {
  const size_t per_image = plan->down * plan->across, in_image = tile % per_image;
  return (place){tile / per_image, in_image / plan->across * WNN_TILE_OUT,
                 in_image % plan->across * WNN_TILE_OUT};
}

static void spread_tile(const job *j, size_t tile, int16_t *numbers) {
  const tiles_plan *plan = j->plan;
  const wnn_conv2d_shape *shape = &plan->shape;
  const place at = place_of(plan, tile);
  const void *pixels[WNN_TILE_NUMBERS];
  for (size_t i = 0; i < WNN_TILE_NUMBERS; i++) {
    const size_t y = at.y + i / WNN_TILE_IN - shape->before[0],
                 x = at.x + i % WNN_TILE_IN - shape->before[1];
    pixels[i] = j->padding; /* y and x wrap round where they are outside */
    if (y < shape->in[0] && x < shape->in[1])
      pixels[i] = (const uint8_t *)j->run->inputs[WNN_INTEGER_X] +
                  ((at.image * shape->in[0] + y) * shape->in[1] + x) * shape->in_channels;
  }
  (plan->is_signed ? plan->rows->spread_i8 : plan->rows->spread_u8)(
      pixels, j->zero, numbers, plan->in_stride, shape->in_channels);
  for (size_t e = 0; e < WNN_TILE_NUMBERS && plan->depth > shape->in_channels; e++)
    numbers[e * plan->in_stride + shape->in_channels] = 0;
}

static void multiply(const tiles_plan *plan, const int16_t *numbers, int32_t *sums,
                     size_t n_tiles) {
  for (size_t e = 0; e < WNN_TILE_NUMBERS; e++)
    for (size_t column = 0, n; column < plan->width; column += n) {
      n = panel_columns(plan, column);
      plan->rows->product(
          &(wnn_integer_product){.a = numbers + e * plan->in_stride,
                                 .b = plan->weights + (e * plan->width + column) * plan->depth,
                                 .c = sums + e * plan->out_stride + column,
                                 .a_stride = plan->depth,
                                 .c_stride = plan->width,
                                 .n_rows = n_tiles,
                                 .pairs = plan->depth / 2,
                                 .vectors = n / plan->rows->lanes});
    }
}

/* `n` tiles of one row of tiles, whose first lies at `at`: two rows of pixels, where the tail finds
 * them. */
static void finish(const job *j, place at, size_t n, const int32_t *sums, float *results) {
  const tiles_plan *plan = j->plan;
  const wnn_conv2d_shape *shape = &plan->shape;
  const size_t channels = shape->out_channels, last = at.x + n * WNN_TILE_OUT;
  const size_t n_pixels = (last < shape->out[1] ? last : shape->out[1]) - at.x;
  const size_t n_rows = at.y + 1 < shape->out[0] ? 2 : 1;
  const bool direct = plan->tail.n_stages == 0;
  float *rows[2], *nowhere = results + plan->block * WNN_TILE_PIXELS * channels;
  size_t first[2];
  for (size_t r = 0; r < n_rows; r++) {
    first[r] = (at.image * shape->out[0] + at.y + r) * shape->out[1] + at.x;
    rows[r] = direct ? (float *)j->run->outputs[0] + first[r] * channels
                     : results + r * WNN_TILE_OUT * plan->block * channels;
  }
  for (size_t t = 0; t < n; t++) {
    float *pixels[WNN_TILE_PIXELS];
    for (size_t i = 0; i < WNN_TILE_PIXELS; i++) {
      const size_t row = i / WNN_TILE_OUT, pixel = t * WNN_TILE_OUT + i % WNN_TILE_OUT;
      pixels[i] = row < n_rows && pixel < n_pixels ? rows[row] + pixel * channels : nowhere;
    }
    plan->rows->gather(sums + t * plan->width, plan->out_stride, j->factors, j->biases, pixels,
                       channels);
  }
  for (size_t r = 0; r < n_rows && !direct; r++)
    wnn_tail_run(&plan->tail, j->run, j->tail_rows, rows[r], first[r], n_pixels);
}

static void run_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  const tiles_plan *plan = j->plan;
  char *memory = (char *)j->run->scratch + plan->parts_at + part * plan->part_bytes;
  int16_t *numbers = (int16_t *)(void *)memory;
  int32_t *sums = (int32_t *)(void *)(memory + plan->sums_at);
  size_t begin, end;
  wnn_parallel_split(plan->n_tiles, part, n_parts, &begin, &end);
  for (size_t tile = begin, n; tile < end; tile += n) {
    n = end - tile < plan->block ? end - tile : plan->block;
    for (size_t t = 0; t < n; t++) spread_tile(j, tile + t, numbers + t * plan->depth);
    multiply(plan, numbers, sums, n);
    for (size_t t = 0, in_row; t < n; t += in_row) {
      in_row = plan->across - (tile + t) % plan->across;
      if (in_row > n - t) in_row = n - t;
      finish(j, place_of(plan, tile + t), in_row, sums + t * plan->width,
             (float *)(void *)(memory + plan->results_at));
    }
  }
}

static webnn_status run_tiles(const wnn_plan *base, const wnn_run *run) {
  const tiles_plan *plan = (const tiles_plan *)base;
  char *scratch = run->scratch;
  const uint8_t zero = *(const uint8_t *)run->inputs[WNN_INTEGER_X_ZERO];
  const float x_scale = *(const float *)run->inputs[WNN_INTEGER_X_SCALE];
  const float *bias = plan->has_bias ? run->inputs[WNN_INTEGER_BIAS] : NULL;
  job j = {.plan = plan,
           .run = run,
           .zero = plan->is_signed ? (int8_t)zero : zero,
           .padding = run->scratch,
           .factors = (float *)(void *)(scratch + plan->factors_at),
           .biases = (float *)(void *)(scratch + plan->biases_at),
           .tail_rows = (float *)(void *)(scratch + plan->tail_at)};
  memset(scratch, zero, plan->depth);
  for (size_t i = 0; i < plan->shape.out_channels; i++) {
    j.factors[i] = x_scale * plan->scales[i];
    j.biases[i] = bias != NULL ? bias[i] : 0.0f;
  }
  wnn_tail_begin(&plan->tail, run, j.tail_rows);
  wnn_parallel(wnn_device_host(base->device)->pool, plan->n_parts, run_part, &j);
  return WEBNN_OK;
}

const wnn_kernel wnn_integer_winograd_kernel = {"integer.winograd", plan_tiles, run_tiles,
                                                free_tiles};
