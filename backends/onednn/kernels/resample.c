/* resample2d: of the two axes the one stored further out chooses input rows, the other one places
 * within them. Nearest moves elements of any size; linear mixes rows first and places then, in
 * float32. Of integers the order and each rounding count, since they decide ties: the rows are
 * those of the first axis, and products and sums are rounded one by one. */
#include "kernels/kernels.h"
#include "kernels/lanes.h"

#include <math.h>
#include <string.h>

#define PARALLEL_BYTES ((size_t)64 * 1024)

/* Where an output place looks: `part` of the way from `low` to `high`. */
typedef struct place {
  uint32_t low, high;
  float part;
} place;

typedef struct resample_plan {
  wnn_plan base;
  const wnn_vector *vector;
  bool linear;
  webnn_data_type type;
  size_t bytes;                /* of an element */
  size_t outer, middle, depth; /* elements lie [outer][rows][middle][columns][depth] */
  size_t in[2], out[2];        /* rows, columns */
  bool copies;                 /* the input lies in another order than the output */
  wnn_copy order;
  size_t n_parts;
  size_t threads_at, row_at[4],
      thread_bytes; /* scratch: two widened rows, the mixed one, the result */
  place places[];   /* of rows, then of columns */
} resample_plan;

static void free_resample(wnn_plan *plan) {
  wnn_alloc_free(&wnn_device_host(plan->device)->alloc, plan, plan->n_bytes);
}

/* ---- planning */

/* The centre of output place o is (o + 1/2)·in/out − 1/2, clamped. Over 2·out it is a whole number,
 * so that no rounding decides which neighbour is the nearest; halves go down.  Spec: resample2d. */
static place find_place(size_t o, size_t n_in, size_t n_out, bool linear) {
  const int64_t unit = 2 * (int64_t)n_out, last = (int64_t)n_in - 1;
  const int64_t u = (2 * (int64_t)o + 1) * (int64_t)n_in - (int64_t)n_out;
  if (u < 0) return (place){0, 0, 0.0f};
  if (u / unit >= last) return (place){(uint32_t)last, (uint32_t)last, 0.0f};
  uint32_t low = (uint32_t)(u / unit);
  if (!linear) {
    uint32_t nearest = u % unit > (int64_t)n_out ? low + 1 : low;
    return (place){nearest, nearest, 0.0f};
  }
  float part = (float)((double)(u % unit) / (double)unit);
  return (place){low, part > 0.0f ? low + 1 : low, part};
}

/* Where the output has its two axes, outermost first. */
static void set_shape(resample_plan *plan, const wnn_region *region) {
  const wnn_resample2d_attrs *attrs = region->anchor->attrs;
  const wnn_desc *in = region->inputs[0].desc, *out = region->outputs[0].desc;
  size_t *part = &plan->outer;
  int k = 0;
  plan->outer = plan->middle = plan->depth = 1;
  for (uint32_t i = 0; i < out->rank; i++) {
    uint32_t axis = region->outputs[0].layout.order[i];
    if (axis != attrs->axes.data[0] && axis != attrs->axes.data[1]) {
      *part *= out->dims[axis];
      continue;
    }
    plan->in[k] = in->dims[axis];
    plan->out[k] = out->dims[axis];
    part = ++k == 1 ? &plan->middle : &plan->depth;
  }
  for (size_t i = 0; i < plan->out[0] + plan->out[1]; i++) {
    bool is_row = i < plan->out[0];
    plan->places[i] = find_place(is_row ? i : i - plan->out[0], plan->in[!is_row],
                                 plan->out[!is_row], plan->linear);
  }
}

/* A copy of the input in the output's order, if it lies otherwise. */
static void plan_copy(resample_plan *plan, const wnn_region *region) {
  const wnn_port *in = &region->inputs[0], *out = &region->outputs[0];
  size_t own[WNN_MAX_RANK], dense = 1;
  plan->copies = !wnn_layout_same_bytes(&in->layout, &out->layout, in->desc);
  if (!plan->copies) return;
  wnn_layout_strides(&in->layout, in->desc, own);
  plan->order.rank = in->desc->rank;
  plan->order.element_bytes = plan->bytes;
  for (uint32_t i = in->desc->rank; i-- > 0;) {
    uint32_t axis = out->layout.order[i];
    plan->order.dims[i] = in->desc->dims[axis];
    plan->order.from[i] = (ptrdiff_t)own[axis];
    plan->order.to[i] = (ptrdiff_t)dense;
    dense *= in->desc->dims[axis];
  }
  wnn_copy_prepare(&plan->order, plan->vector);
  plan->threads_at = wnn_aligned(dense * plan->bytes);
}

static void set_parts(resample_plan *plan, const wnn_host *host) {
  const size_t rows = plan->outer * plan->out[0] * plan->middle;
  const size_t n_in = plan->in[1] * plan->depth, n_out = plan->out[1] * plan->depth;
  const size_t sizes[4] = {n_in, n_in, n_in, n_out};
  plan->base.heavy = rows * n_out * plan->bytes >= PARALLEL_BYTES;
  plan->n_parts =
      !plan->base.heavy ? 1 : wnn_pool_parts(host->pool, rows, rows * n_out * plan->bytes);
  for (size_t i = 0; i < 4 && plan->linear; i++) {
    plan->row_at[i] = plan->thread_bytes;
    plan->thread_bytes += wnn_aligned(sizes[i] * sizeof(float));
  }
  plan->base.scratch_bytes =
      plan->threads_at + wnn_pool_slots(host->pool, plan->n_parts) * plan->thread_bytes;
}

/* Integers whose second axis lies further out are left to the reference; layouts avoid it. */
static bool mixes_in_order(const wnn_region *region) {
  const wnn_resample2d_attrs *attrs = region->anchor->attrs;
  if (attrs->mode != WEBNN_INTERPOLATION_MODE_LINEAR ||
      wnn_type_is_float(region->inputs[0].desc->type))
    return true;
  const uint32_t *axes = attrs->axes.data, first = axes[0] < axes[1] ? axes[0] : axes[1];
  const uint8_t *order = region->outputs[0].layout.order;
  for (;; order++)
    if (*order == axes[0] || *order == axes[1]) return *order == first;
}

static webnn_status plan_resample(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  const wnn_resample2d_attrs *attrs = region->anchor->attrs;
  const wnn_port *in = &region->inputs[0], *result = &region->outputs[0];
  if (region->n_posts != 0 || wnn_layout_is_blocked(&in->layout) ||
      wnn_layout_is_blocked(&result->layout) || !mixes_in_order(region))
    return WEBNN_ERROR_NOT_SUPPORTED;
  size_t n_places = 0;
  for (int k = 0; k < 2; k++) n_places += result->desc->dims[attrs->axes.data[k]];
  resample_plan *plan = (resample_plan *)wnn_plan_create(device, &host->alloc,
                                                         sizeof *plan + n_places * sizeof(place));
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->vector = wnn_vector_for(host);
  plan->linear = attrs->mode == WEBNN_INTERPOLATION_MODE_LINEAR;
  plan->type = in->desc->type;
  plan->bytes = webnn_data_type_bytes(plan->type);
  set_shape(plan, region);
  plan_copy(plan, region);
  set_parts(plan, host);
  *out = &plan->base;
  return WEBNN_OK;
}

/* ---- nearest */

#define PICK_EACH(T)             \
  for (size_t k = 0; k < n; k++) \
    memcpy(y + k * sizeof(T), x + columns[k].low * sizeof(T), sizeof(T));

/* Single elements. */
static void pick(const char *x, const place *columns, char *y, size_t n, size_t bytes) {
  switch (bytes) {
    case 1: PICK_EACH(uint8_t) break;
    case 2: PICK_EACH(uint16_t) break;
    default: PICK_EACH(uint32_t) break;
  }
}

static void copy_block(char *to, const char *from, size_t n) {
  for (; n >= 16; n -= 16, to += 16, from += 16) memcpy(to, from, 16);
  for (; n >= 4; n -= 4, to += 4, from += 4) memcpy(to, from, 4);
  for (; n > 0; n--) *to++ = *from++;
}

static void nearest_row(const resample_plan *plan, const char *x, char *y) {
  const place *columns = plan->places + plan->out[0];
  const size_t block = plan->depth * plan->bytes;
  if (plan->depth == 1) {
    pick(x, columns, y, plan->out[1], plan->bytes);
    return;
  }
  for (size_t k = 0; k < plan->out[1]; k++, y += block) {
    if (block <= 512)
      copy_block(y, x + columns[k].low * block, block);
    else
      memcpy(y, x + columns[k].low * block, block);
  }
}

/* ---- linear */

static const float *widened(const resample_plan *plan, const char *x, float *wide) {
  const size_t n = plan->in[1] * plan->depth;
  const wnn_stage_args none = {{0}, {0}, {0}};
  if (plan->type == WEBNN_DATA_TYPE_FLOAT32) return (const float *)(const void *)x;
  if (plan->type == WEBNN_DATA_TYPE_FLOAT16)
    plan->vector->widen((const uint16_t *)(const void *)x, wide, n);
  else
    plan->vector->stage(WNN_OP_CAST, plan->type, WEBNN_DATA_TYPE_FLOAT32)((const void *[]){x}, wide,
                                                                          n, &none);
  return wide;
}

/* Integers half to even; a mean never leaves their range. */
static void store(const resample_plan *plan, const float *from, char *y) {
  const size_t n = plan->out[1] * plan->depth;
  if (plan->type == WEBNN_DATA_TYPE_FLOAT16) {
    plan->vector->narrow(from, (uint16_t *)(void *)y, n);
  } else {
    for (size_t k = 0; k < n; k++) {
      int rounded = (int)nearbyintf(from[k]);
      y[k] = (char)(unsigned char)(rounded & 255);
    }
  }
}

/* Of what integers became: each product and the sum are rounded. (This file is compiled without
 * contraction, the vector files are not.) */
static void mix_exactly(const float *low, const float *high, float part, float *y, size_t n) {
  const float rest = 1.0f - part;
  for (size_t k = 0; k < n; k++) y[k] = low[k] * rest + high[k] * part;
}

static void mix(const resample_plan *plan, const float *low, const float *high, float part,
                float *y, size_t n) {
  const bool is_float = wnn_type_is_float(plan->type);
  (is_float ? plan->vector->mix : mix_exactly)(low, high, part, y, n);
}

/* Without the far neighbour where it has no part: 0 times infinity would be NaN. */
static void mix_columns(const resample_plan *plan, const float *x, float *y) {
  const place *columns = plan->places + plan->out[0];
  const size_t depth = plan->depth;
  if (depth == 1) {
    for (size_t k = 0; k < plan->out[1]; k++) {
      const float low = x[columns[k].low], high = x[columns[k].high], part = columns[k].part;
      const float mixed = low * (1.0f - part) + high * part;
      y[k] = part > 0.0f ? mixed : low;
    }
    return;
  }
  for (size_t k = 0; k < plan->out[1]; k++, y += depth) {
    const place *p = &columns[k];
    if (p->part > 0.0f)
      mix(plan, x + p->low * depth, x + p->high * depth, p->part, y, depth);
    else
      memcpy(y, x + p->low * depth, depth * sizeof *y);
  }
}

static void linear_row(const resample_plan *plan, const char *low, const char *high, float part,
                       char *y, char *scratch) {
  float *rows[4];
  for (int i = 0; i < 4; i++) rows[i] = (float *)(void *)(scratch + plan->row_at[i]);
  const float *mixed = widened(plan, low, rows[0]);
  if (part > 0.0f) {
    mix(plan, mixed, widened(plan, high, rows[1]), part, rows[2], plan->in[1] * plan->depth);
    mixed = rows[2];
  }
  bool direct = plan->type == WEBNN_DATA_TYPE_FLOAT32;
  mix_columns(plan, mixed, direct ? (float *)(void *)y : rows[3]);
  if (!direct) store(plan, rows[3], y);
}

/* ---- all of it */

typedef struct job {
  const resample_plan *plan;
  const wnn_run *run;
  const char *in;
} job;

static const char *input_row(const job *j, size_t outer, uint32_t row, size_t middle) {
  const resample_plan *plan = j->plan;
  return j->in + ((outer * plan->in[0] + row) * plan->middle + middle) * plan->in[1] * plan->depth *
                     plan->bytes;
}

static void run_part(void *arg, size_t slot, size_t part, size_t n_parts) {
  const job *j = arg;
  const resample_plan *plan = j->plan;
  const size_t row_bytes = plan->out[1] * plan->depth * plan->bytes;
  char *scratch = (char *)j->run->scratch + plan->threads_at + slot * plan->thread_bytes;
  const char *last = NULL; /* the input row that the row before shows */
  size_t begin, end;
  wnn_parallel_split(plan->outer * plan->out[0] * plan->middle, part, n_parts, &begin, &end);
  for (size_t k = begin; k < end; k++) {
    size_t middle = k % plan->middle, row = k / plan->middle % plan->out[0],
           outer = k / plan->middle / plan->out[0];
    const place *p = &plan->places[row];
    const char *low = input_row(j, outer, p->low, middle);
    char *y = (char *)j->run->outputs[0] + k * row_bytes;
    if (plan->linear)
      linear_row(plan, low, input_row(j, outer, p->high, middle), p->part, y, scratch);
    else if (low == last)
      memcpy(y, y - row_bytes, row_bytes);
    else
      nearest_row(plan, low, y);
    last = low;
  }
}

static void copy_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  wnn_copy_run(&j->plan->order, j->run->inputs[0], j->run->scratch, part, n_parts);
}

static webnn_status run_resample(const wnn_plan *base, const wnn_run *run) {
  const resample_plan *plan = (const resample_plan *)base;
  wnn_pool *pool = wnn_device_host(base->device)->pool;
  job j = {plan, run, plan->copies ? run->scratch : run->inputs[0]};
  if (plan->copies) wnn_parallel(pool, plan->n_parts, copy_part, &j);
  if (plan->n_parts == 1)
    run_part(&j, 0, 0, 1);
  else
    wnn_parallel_share(pool, plan->n_parts, run_part, &j);
  return WEBNN_OK;
}

const wnn_kernel wnn_resample_kernel = {"resample", plan_resample, run_resample, free_resample};
