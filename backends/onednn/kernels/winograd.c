/* Convolutions of 3×3 windows by Winograd's minimal filtering: a quarter of the multiplications. At the points that
 * conv_rows.h names, errors are about twice those of sums in a row.
 *
 * Tiles of 4×4 results go through three steps, block by block, so that what passes between steps stays near: 6×6 pixels
 * become 36 numbers a channel; numbers e of all tiles of the block, a matrix, are multiplied by weights e; 36 numbers
 * become 4×4 results. Where an infinity or a NaN comes out, the tile is done again as the definition says. */
#include "kernels/conv2d.h"
#include "kernels/kernels.h"
#include "kernels/lanes.h"
#include "kernels/tail.h"
#include "base/switches.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define NEAR_BYTES ((size_t)320 * 1024) /* what the numbers of a block may take */
#define MIN_BLOCK ((size_t)12)          /* tiles that share one walk through the weights */
#define MAX_BLOCK ((size_t)96)
#define GROUP_NUMBERS ((size_t)4096) /* results that wait for their tail */

typedef struct winograd_plan {
  wnn_plan base;
  const wnn_conv_rows *rows;
  wnn_tail tail;
  wnn_conv2d_shape shape;
  bool has_bias;
  size_t down, across, n_tiles;    /* tiles of an image, of all */
  size_t vectors, n_panels;
  size_t in_width, out_width;      /* channels, filled up */
  size_t block, group;             /* tiles: multiplied together, finished together */
  bool together;                   /* few tiles: all threads do each step together, so that weights are read once */
  size_t n_parts;
  size_t in_stride, out_stride;    /* from one number to the next, for a block */
  size_t out_at, results_at, part_bytes, tail_at; /* in scratch */
  size_t panel_bytes;
  float *panels; /* numbers e by panel by input channel */
  float *zeros;  /* a pixel of padding, or a bias */
} winograd_plan;

static size_t rounded_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

/* ---- planning */

/* Where the weight of number 0 stands; number e is `n_panels` panels times e further. */
static size_t place_of(const winograd_plan *plan, size_t out, size_t in) {
  const size_t width = plan->vectors * plan->rows->lanes;
  return (out / width * plan->shape.in_channels + in) * width + out % width;
}

static size_t numbers_apart(const winograd_plan *plan) { return plan->shape.in_channels * plan->out_width; }

#define MAX_WIDTH ((size_t)48) /* columns of a panel */

/* The windows of one input channel for the columns of a panel; those beyond the last output channel
 * are zeros. */
static void gather_windows(const wnn_conv2d_shape *shape, size_t first, size_t in, size_t width,
                           float windows[9][MAX_WIDTH]) {
  const size_t *strides = shape->filter_strides, left = shape->out_channels - first;
  const float *from = shape->filter + first * strides[0] + in * strides[1];
  for (size_t k = 0; k < 9; k++) {
    const float *weights = from + k / 3 * strides[2] + k % 3 * strides[3];
    for (size_t c = 0; c < width; c++) windows[k][c] = c < left ? weights[c * strides[0]] : 0.0f;
  }
}

typedef struct packing {
  winograd_plan *plan;
  atomic_bool finite;
} packing;

static void pack_part(void *arg, size_t part, size_t n_parts) {
  packing *p = arg;
  winograd_plan *plan = p->plan;
  const size_t width = plan->vectors * plan->rows->lanes, depth = plan->shape.in_channels;
  size_t begin, end;
  float windows[9][MAX_WIDTH];
  bool finite = true;
  wnn_parallel_split(plan->n_panels * depth, part, n_parts, &begin, &end);
  for (size_t k = begin; k < end; k++) {
    gather_windows(&plan->shape, k / depth * width, k % depth, width, windows);
    finite = plan->rows->winograd_weights(windows[0], MAX_WIDTH, plan->panels + k * width,
                                          numbers_apart(plan), width) &&
             finite;
  }
  if (!finite) atomic_store(&p->finite, false);
}

/* False when a weight isn't finite. */
static bool pack(winograd_plan *plan, const wnn_host *host) {
  packing p = {.plan = plan};
  atomic_init(&p.finite, true);
  wnn_parallel(host->pool, wnn_pool_threads(host->pool), pack_part, &p);
  return atomic_load(&p.finite);
}

/* Measured: below these sizes moving numbers costs more than multiplications save, and with few tiles it is the weights
 * that take the time, of which there are four times as many. */
static bool pays(const wnn_conv2d_shape *shape, size_t n_tiles) {
  const size_t results = shape->images * shape->out[0] * shape->out[1];
  if (shape->in_channels < 8 || shape->out_channels < 8 || shape->in_channels * shape->out_channels < 128) return false;
  /* 9 tiles of 128 channels in and out: a tenth faster with AVX2, which isn't worth four times the memory. */
  if (n_tiles < 16 && shape->in_channels * shape->out_channels > 8192) return false;
  return n_tiles >= 9 && 2 * results >= n_tiles * WNN_WINOGRAD_PIXELS;
}

static bool fits(const wnn_conv2d_shape *shape) {
  for (size_t i = 0; i < 2; i++)
    if (shape->window[i] != 3 || shape->strides[i] != 1 || shape->dilations[i] != 1) return false;
  return shape->groups == 1;
}

static void choose_panels(winograd_plan *plan) {
  const size_t n = plan->shape.out_channels, lanes = plan->rows->lanes;
  plan->vectors = wnn_panel_vectors(n, lanes);
  plan->out_width = rounded_up(n, plan->vectors * lanes);
  plan->n_panels = plan->out_width / (plan->vectors * lanes);
  plan->in_width = rounded_up(plan->shape.in_channels, lanes);
}

static void choose_blocks(winograd_plan *plan, const wnn_host *host) {
  const size_t threads = wnn_pool_threads(host->pool), tile_rows = plan->rows->tile_rows[plan->vectors];
  const size_t tile_bytes = WNN_WINOGRAD_NUMBERS * (plan->in_width + plan->out_width) * sizeof(float);
  size_t most = NEAR_BYTES / tile_bytes / tile_rows * tile_rows;
  most = most < MIN_BLOCK ? MIN_BLOCK : most > MAX_BLOCK ? MAX_BLOCK : most;
  plan->n_parts = threads < plan->n_tiles ? threads : plan->n_tiles;
  size_t share = (plan->n_tiles + plan->n_parts - 1) / plan->n_parts;
  plan->together = plan->n_parts > 1 && share <= MIN_BLOCK;
  if (plan->together) share = most = plan->n_tiles;
  size_t n_blocks = (share + most - 1) / most;
  plan->block = (share + n_blocks - 1) / n_blocks;
  plan->group = GROUP_NUMBERS / (WNN_WINOGRAD_PIXELS * plan->shape.out_channels);
  if (plan->group == 0) plan->group = 1;
}

/* A cache line more between numbers, lest all of a tile fall into the same set of a cache. */
static size_t apart(size_t n_tiles, size_t width) { return n_tiles * width + WNN_CACHE_LINE / sizeof(float); }

static void set_scratch(winograd_plan *plan) {
  const size_t n = WNN_WINOGRAD_NUMBERS * sizeof(float);
  plan->in_stride = apart(plan->block, plan->in_width);
  plan->out_stride = apart(plan->block, plan->out_width);
  plan->out_at = wnn_aligned(plan->in_stride * n);
  size_t results = plan->group * WNN_WINOGRAD_PIXELS * plan->shape.out_channels * sizeof(float);
  size_t numbers = plan->out_at + wnn_aligned(plan->out_stride * n);
  plan->results_at = plan->together ? 0 : numbers;
  plan->part_bytes = plan->results_at + wnn_aligned(results);
  plan->tail_at = (plan->together ? numbers : 0) + plan->n_parts * plan->part_bytes;
  plan->base.scratch_bytes = plan->tail_at + plan->tail.n_rows * sizeof(float);
}

static void free_winograd(wnn_plan *base) {
  winograd_plan *plan = (winograd_plan *)base;
  const wnn_alloc *alloc = &wnn_device_host(base->device)->alloc;
  wnn_bank_put(plan->panels);
  wnn_alloc_free(alloc, plan->zeros, (plan->in_width + plan->out_width) * sizeof(float));
  wnn_alloc_free(alloc, plan, base->n_bytes);
}

static webnn_status fill_plan(winograd_plan *plan, const wnn_host *host, const wnn_region *region) {
  const wnn_conv2d_shape *shape = &plan->shape;
  plan->rows = wnn_conv_rows_for(host);
  plan->has_bias = region->anchor->n_inputs > 2 && region->inputs[2].desc != NULL;
  plan->down = (shape->out[0] + WNN_WINOGRAD_OUT - 1) / WNN_WINOGRAD_OUT;
  plan->across = (shape->out[1] + WNN_WINOGRAD_OUT - 1) / WNN_WINOGRAD_OUT;
  plan->n_tiles = shape->images * plan->down * plan->across;
  if (!pays(shape, plan->n_tiles)) return WEBNN_ERROR_NOT_SUPPORTED;
  choose_panels(plan);
  choose_blocks(plan, host);
  set_scratch(plan);
  plan->panel_bytes = WNN_WINOGRAD_NUMBERS * numbers_apart(plan) * sizeof(float);
  plan->panels = wnn_bank_get(host->bank, &host->alloc, plan->panel_bytes);
  plan->zeros = wnn_alloc_zeroed(&host->alloc, (plan->in_width + plan->out_width) * sizeof(float));
  if (plan->panels == NULL || plan->zeros == NULL) return WEBNN_ERROR_UNKNOWN;
  if (!pack(plan, host)) return WEBNN_ERROR_NOT_SUPPORTED;
  plan->shape.filter = NULL; /* it goes with the graph */
  plan->base.packed = UINT64_C(1) << 1;
  plan->base.weight_bytes = plan->panel_bytes;
  plan->base.heavy = true;
  wnn_tail_take_over(&plan->tail, region, &plan->base);
  return WEBNN_OK;
}

static webnn_status plan_winograd(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  wnn_conv2d_shape shape;
  if (wnn_takes_bfloat16(host)) return WEBNN_ERROR_NOT_SUPPORTED; /* twice as many products a second, or far more */
  if (!wnn_pass_enabled(host->passes, "winograd") || !wnn_conv2d_read(region, &shape) || !fits(&shape))
    return WEBNN_ERROR_NOT_SUPPORTED;
  winograd_plan *plan = (winograd_plan *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->shape = shape;
  webnn_status status = WEBNN_ERROR_NOT_SUPPORTED;
  if (wnn_tail_plan(&plan->tail, host, region, 0, shape.channel_axis))
    status = fill_plan(plan, host, region);
  if (status != WEBNN_OK) {
    free_winograd(&plan->base);
    return status;
  }
  *out = &plan->base;
  return WEBNN_OK;
}

/* ---- running */

typedef struct job {
  const winograd_plan *plan;
  const wnn_run *run;
  float *in_numbers, *out_numbers; /* of all tiles, when threads work together */
  float *tail_rows;
} job;

/* A tile's place: its first result. */
typedef struct place {
  size_t image, y, x;
} place;

static place place_of_tile(const winograd_plan *plan, size_t tile) {
  const size_t per_image = plan->down * plan->across, in_image = tile % per_image;
  return (place){tile / per_image, in_image / plan->across * WNN_WINOGRAD_OUT,
                 in_image % plan->across * WNN_WINOGRAD_OUT};
}

/* The input's pixel that result (y, x) meets first, moved by (i, j); zeros outside. */
static const float *pixel_of(const winograd_plan *plan, const float *input, place at, size_t i, size_t j) {
  const wnn_conv2d_shape *shape = &plan->shape;
  const size_t y = at.y + i - shape->before[0], x = at.x + j - shape->before[1]; /* wraps round where it is outside */
  if (y >= shape->in[0] || x >= shape->in[1]) return plan->zeros;
  return input + ((at.image * shape->in[0] + y) * shape->in[1] + x) * shape->in_channels;
}

static void spread_tile(const winograd_plan *plan, const float *input, size_t tile, float *numbers) {
  const float *pixels[WNN_WINOGRAD_NUMBERS];
  const place at = place_of_tile(plan, tile);
  for (size_t i = 0; i < WNN_WINOGRAD_IN; i++)
    for (size_t j = 0; j < WNN_WINOGRAD_IN; j++)
      pixels[i * WNN_WINOGRAD_IN + j] = pixel_of(plan, input, at, i, j);
  plan->rows->winograd_in(pixels, numbers, plan->in_stride, plan->shape.in_channels);
}

static void multiply(const winograd_plan *plan, const float *in, float *out, size_t e, size_t n_tiles) {
  plan->rows->product(&(wnn_product){.a = in + e * plan->in_stride,
                                     .panels = plan->panels + e * numbers_apart(plan),
                                     .c = out + e * plan->out_stride,
                                     .a_stride = plan->in_width,
                                     .c_stride = plan->out_width,
                                     .n_rows = n_tiles,
                                     .depth = plan->shape.in_channels,
                                     .n_panels = plan->n_panels,
                                     .vectors = plan->vectors});
}

/* A weight, from its numbers: exact at the corners and where it is zero, else to a rounding error. */
static float weight_again(const winograd_plan *plan, size_t out, size_t in, size_t y, size_t x) {
  static const struct {
    size_t n, at[2];
    double factor[2];
  } rows[3] = {{1, {0}, {1}}, {2, {1, 2}, {-0.75 * 1.41421356237309505, 0.75 * 1.41421356237309505}}, {1, {5}, {1}}};
  const float *numbers = plan->panels + place_of(plan, out, in);
  double sum = 0;
  for (size_t i = 0; i < rows[y].n; i++)
    for (size_t j = 0; j < rows[x].n; j++)
      sum += rows[y].factor[i] * rows[x].factor[j] *
             (double)numbers[(6 * rows[y].at[i] + rows[x].at[j]) * numbers_apart(plan)];
  return (float)sum;
}

/* The tile as the definition says. */
static void do_again(const winograd_plan *plan, const float *input, place at, const float *bias, float *const *results) {
  const wnn_conv2d_shape *shape = &plan->shape;
  for (size_t out = 0; out < shape->out_channels; out++) {
    float sums[WNN_WINOGRAD_PIXELS] = {0};
    for (size_t in = 0; in < shape->in_channels; in++)
      for (size_t k = 0; k < 9; k++) {
        const float weight = weight_again(plan, out, in, k / 3, k % 3);
        for (size_t r = 0; r < WNN_WINOGRAD_PIXELS; r++) {
          const float *pixel = pixel_of(plan, input, at, r / WNN_WINOGRAD_OUT + k / 3, r % WNN_WINOGRAD_OUT + k % 3);
          if (pixel != plan->zeros) sums[r] += pixel[in] * weight;
        }
      }
    for (size_t r = 0; r < WNN_WINOGRAD_PIXELS; r++) results[r][out] = sums[r] + bias[out];
  }
}

/* Where results of a group of `n` neighbours in a row of tiles go: row by row where the tail finds them, or, without a
 * tail, straight to the output if they belong to it. */
typedef struct group {
  place first;
  size_t n, columns; /* tiles; pixels of a row that belong to the output */
  float *results;
} group;

static float *result_of(const job *j, const group *g, size_t tile, size_t i, size_t k) {
  const wnn_conv2d_shape *shape = &j->plan->shape;
  const size_t column = tile * WNN_WINOGRAD_OUT + k, y = g->first.y + i;
  size_t pixel = i * g->n * WNN_WINOGRAD_OUT + column;
  float *base = g->results;
  if (j->plan->tail.n_stages == 0 && y < shape->out[0] && column < g->columns) {
    pixel = (g->first.image * shape->out[0] + y) * shape->out[1] + g->first.x + column;
    base = j->run->outputs[0];
  }
  return base + pixel * shape->out_channels;
}

static void finish_group(const job *j, const float *numbers, const group *g) {
  const winograd_plan *plan = j->plan;
  const wnn_conv2d_shape *shape = &plan->shape;
  const float *bias = plan->has_bias ? j->run->inputs[2] : plan->zeros + plan->in_width;
  for (size_t k = 0; k < g->n; k++) {
    float *pixels[WNN_WINOGRAD_PIXELS];
    for (size_t r = 0; r < WNN_WINOGRAD_PIXELS; r++)
      pixels[r] = result_of(j, g, k, r / WNN_WINOGRAD_OUT, r % WNN_WINOGRAD_OUT);
    if (plan->rows->winograd_out(numbers + k * plan->out_width, plan->out_stride, bias, pixels, shape->out_channels))
      continue;
    const place at = {g->first.image, g->first.y, g->first.x + k * WNN_WINOGRAD_OUT};
    do_again(plan, j->run->inputs[0], at, bias, pixels);
  }
  for (size_t i = 0; i < WNN_WINOGRAD_OUT && g->first.y + i < shape->out[0] && plan->tail.n_stages > 0; i++)
    wnn_tail_run(&plan->tail, j->run, j->tail_rows,
                 g->results + i * g->n * WNN_WINOGRAD_OUT * shape->out_channels,
                 (g->first.image * shape->out[0] + g->first.y + i) * shape->out[1] + g->first.x, g->columns);
}

/* Tiles [begin, end), whose numbers begin at `numbers`. */
static void finish_tiles(const job *j, const float *numbers, size_t begin, size_t end, float *results) {
  const winograd_plan *plan = j->plan;
  for (size_t tile = begin, n; tile < end; tile += n) {
    n = plan->across - tile % plan->across;
    if (n > plan->group) n = plan->group;
    if (n > end - tile) n = end - tile;
    group g = {place_of_tile(plan, tile), n, n * WNN_WINOGRAD_OUT, results};
    if (g.columns > plan->shape.out[1] - g.first.x) g.columns = plan->shape.out[1] - g.first.x;
    finish_group(j, numbers + (tile - begin) * plan->out_width, &g);
  }
}

/* One thread's share of the tiles, block by block. */
static void run_share(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  const winograd_plan *plan = j->plan;
  char *scratch = (char *)j->run->scratch + part * plan->part_bytes;
  float *in = (float *)(void *)scratch, *out = (float *)(void *)(scratch + plan->out_at);
  float *results = (float *)(void *)(scratch + plan->results_at);
  size_t begin, end;
  wnn_parallel_split(plan->n_tiles, part, n_parts, &begin, &end);
  for (size_t tile = begin, n; tile < end; tile += n) {
    n = end - tile < plan->block ? end - tile : plan->block;
    for (size_t k = 0; k < n; k++) spread_tile(plan, j->run->inputs[0], tile + k, in + k * plan->in_width);
    for (size_t e = 0; e < WNN_WINOGRAD_NUMBERS; e++) multiply(plan, in, out, e, n);
    finish_tiles(j, out, tile, tile + n, results);
  }
}

static void spread_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  size_t begin, end;
  wnn_parallel_split(j->plan->n_tiles, part, n_parts, &begin, &end);
  for (size_t k = begin; k < end; k++)
    spread_tile(j->plan, j->run->inputs[0], k, j->in_numbers + k * j->plan->in_width);
}

static void multiply_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  size_t begin, end;
  wnn_parallel_split(WNN_WINOGRAD_NUMBERS, part, n_parts, &begin, &end);
  for (size_t e = begin; e < end; e++) multiply(j->plan, j->in_numbers, j->out_numbers, e, j->plan->n_tiles);
}

static void finish_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  const winograd_plan *plan = j->plan;
  size_t begin, end;
  wnn_parallel_split(plan->n_tiles, part, n_parts, &begin, &end);
  char *results = (char *)j->run->scratch + plan->tail_at - (n_parts - part) * plan->part_bytes;
  finish_tiles(j, j->out_numbers + begin * plan->out_width, begin, end, (float *)(void *)results);
}

static webnn_status run_winograd(const wnn_plan *base, const wnn_run *run) {
  const winograd_plan *plan = (const winograd_plan *)base;
  wnn_pool *pool = wnn_device_host(base->device)->pool;
  char *scratch = run->scratch;
  job j = {plan, run, (float *)(void *)scratch, (float *)(void *)(scratch + plan->out_at),
           (float *)(void *)(scratch + plan->tail_at)};
  wnn_tail_begin(&plan->tail, run, j.tail_rows);
  if (plan->together) {
    wnn_parallel(pool, plan->n_parts, spread_part, &j);
    wnn_parallel(pool, plan->n_parts, multiply_part, &j);
    wnn_parallel(pool, plan->n_parts, finish_part, &j);
  } else {
    wnn_parallel(pool, plan->n_parts, run_share, &j);
  }
  return WEBNN_OK;
}

const wnn_kernel wnn_winograd_kernel = {"winograd", plan_winograd, run_winograd, free_winograd};
