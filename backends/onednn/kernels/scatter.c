/* scatterElements and scatterND of row-major tensors of any type: a copy, then the updates in
 * row-major order, so that the last of several that name one place wins. Parts share no place: they
 * take lanes, or slices of all updates. */
#include "kernels/index.h"
#include "kernels/kernels.h"
#include "kernels/lanes.h"

#include <string.h>

#define PARALLEL_BYTES ((size_t)32 * 1024)
#define MIN_SLICE ((size_t)256) /* bytes of each update that are worth a part */
#define PIECE ((size_t)256)     /* indices looked up together */

typedef struct scatter_plan {
  wnn_plan base;
  const wnn_vector *vector;
  bool is_nd;
  bool copies_rows; /* each lane right before its updates, which then find it in the cache */
  bool streams;     /* the copy goes past the caches */
  size_t bytes;     /* of an element; scatterND: of an update */
  size_t n_bytes;   /* of the whole */
  wnn_lanes lanes;  /* of the input, along the axis */
  webnn_data_type index_type;
  size_t n_indices; /* along the axis; scatterND: tuples */
  wnn_tuples tuples;
  size_t n_copiers, n_parts;
} scatter_plan;

static void free_scatter(wnn_plan *plan) {
  wnn_alloc_free(&wnn_device_host(plan->device)->alloc, plan, plan->n_bytes);
}

static bool set_shape(scatter_plan *plan, const wnn_region *region) {
  const wnn_desc *in = region->inputs[0].desc, *indices = region->inputs[1].desc;
  const wnn_axis_attrs *attrs = region->anchor->attrs;
  plan->index_type = indices->type;
  plan->bytes = webnn_data_type_bytes(in->type);
  plan->n_bytes = wnn_desc_bytes(in);
  if (plan->is_nd) {
    plan->bytes = wnn_tuples_into(&plan->tuples, in, indices);
    plan->n_indices = wnn_desc_count(indices) / plan->tuples.n;
    return true;
  }
  plan->lanes =
      wnn_lanes_along(&(wnn_port){.desc = in, .layout = wnn_layout_plain(in->rank)}, attrs->axis);
  plan->n_indices = indices->dims[attrs->axis];
  return wnn_shape_equal_except(in, indices, attrs->axis);
}

static webnn_status plan_scatter(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  const size_t threads = wnn_pool_threads(host->pool);
  if (region->n_posts != 0 || !wnn_all_plain(region)) return WEBNN_ERROR_NOT_SUPPORTED;
  scatter_plan *plan = (scatter_plan *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->is_nd = region->anchor->op->id == WNN_OP_SCATTER_ND;
  if (!set_shape(plan, region)) {
    free_scatter(&plan->base);
    return WEBNN_ERROR_NOT_SUPPORTED;
  }
  const size_t update_bytes = wnn_desc_bytes(region->inputs[2].desc);
  size_t most = plan->is_nd             ? plan->bytes / MIN_SLICE
                : plan->lanes.outer > 1 ? plan->lanes.outer
                                        : plan->lanes.inner;
  if (update_bytes < PARALLEL_BYTES) most = 1;
  if (most == 0) most = 1;
  plan->base.heavy = plan->n_bytes + update_bytes >= PARALLEL_BYTES;
  plan->n_copiers =
      plan->n_bytes >= PARALLEL_BYTES ? wnn_pool_parts(host->pool, SIZE_MAX, 2 * plan->n_bytes) : 1;
  plan->n_parts = most < threads ? most : threads;
  plan->copies_rows = !plan->is_nd && plan->lanes.inner == 1 && plan->lanes.outer > 1 &&
                      plan->n_parts >= plan->n_copiers;
  plan->vector = wnn_vector_for(host);
  plan->streams = wnn_streams(host, plan->n_bytes);
  plan->base.in_place = region->inputs[0].constant == NULL ? 0 : -1;
  *out = &plan->base;
  return WEBNN_OK;
}

/* ---- running */

typedef struct job {
  const scatter_plan *plan;
  const char *in, *updates;
  const void *indices;
  char *out;
} job;

static void copy_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  size_t begin, end;
  wnn_parallel_split(j->plan->n_bytes, part, n_parts, &begin, &end);
  if (begin >= end) return;
  if (!j->plan->streams) {
    memcpy(j->out + begin, j->in + begin, end - begin);
    return;
  }
  j->plan->vector->stream(j->in + begin, j->out + begin, end - begin);
  j->plan->vector->stream_end();
}

/* Bytes [begin, end) of every update. */
static void scatter_slices(const job *j, size_t begin, size_t end) {
  const scatter_plan *plan = j->plan;
  for (size_t row = 0; row < plan->n_indices; row++) {
    size_t to = wnn_tuple_offset(&plan->tuples, j->indices, row);
    memcpy(j->out + to + begin, j->updates + row * plan->bytes + begin, end - begin);
  }
}

#define PUT_EACH(T)              \
  for (size_t i = 0; i < n; i++) \
    memcpy(y + ((size_t)places[i] * stride + i * step) * sizeof(T), x + i * sizeof(T), sizeof(T));

/* Update i goes to row places[i], `step` columns further each time. */
static void put(const char *x, const uint32_t *places, char *y, size_t n, size_t bytes,
                size_t stride, size_t step) {
  switch (bytes) {
    case 1: PUT_EACH(uint8_t) break;
    case 2: PUT_EACH(uint16_t) break;
    case 4: PUT_EACH(uint32_t) break;
    default: PUT_EACH(uint64_t) break;
  }
}

/* `n` updates from flat place `at` on: neighbours in columns from `column` on, or along one lane.
 */
static void scatter_run(const job *j, size_t outer, size_t column, size_t at, size_t n) {
  const scatter_plan *plan = j->plan;
  const size_t inner = plan->lanes.inner, bytes = plan->bytes;
  char *y = j->out + outer * plan->lanes.n * inner * bytes;
  uint32_t places[PIECE];
  for (size_t i = 0; i < n; i += PIECE) {
    size_t m = n - i < PIECE ? n - i : PIECE, first = inner == 1 ? 0 : column + i;
    wnn_vector_places(plan->vector, j->indices, plan->index_type, at + i, m,
                      (uint32_t)plan->lanes.n, places);
    put(j->updates + (at + i) * bytes, places, y + first * bytes, m, bytes, inner,
        inner == 1 ? 0 : 1);
  }
}

static void scatter_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  const scatter_plan *plan = j->plan;
  const wnn_lanes *l = &plan->lanes;
  size_t begin, end;
  if (plan->is_nd) {
    wnn_parallel_split(plan->bytes, part, n_parts, &begin, &end);
    if (begin < end) scatter_slices(j, begin, end);
    return;
  }
  bool by_outer = l->outer > 1;
  wnn_parallel_split(by_outer ? l->outer : l->inner, part, n_parts, &begin, &end);
  size_t from = by_outer ? 0 : begin, to = by_outer ? l->inner : end; /* columns */
  for (size_t outer = by_outer ? begin : 0; outer < (by_outer ? end : 1) && from < to; outer++) {
    if (l->inner == 1) {
      const size_t row_bytes = l->n * plan->bytes;
      if (plan->copies_rows && j->in != j->out)
        memcpy(j->out + outer * row_bytes, j->in + outer * row_bytes, row_bytes);
      scatter_run(j, outer, 0, outer * plan->n_indices, plan->n_indices);
      continue;
    }
    for (size_t k = 0; k < plan->n_indices; k++)
      scatter_run(j, outer, from, (outer * plan->n_indices + k) * l->inner + from, to - from);
  }
}

static webnn_status run_scatter(const wnn_plan *base, const wnn_run *run) {
  const scatter_plan *plan = (const scatter_plan *)base;
  wnn_pool *pool = wnn_device_host(base->device)->pool;
  job j = {plan, run->inputs[0], run->inputs[2], run->inputs[1], run->outputs[0]};
  if (j.in != j.out && !plan->copies_rows) wnn_parallel(pool, plan->n_copiers, copy_part, &j);
  wnn_parallel(pool, plan->n_parts, scatter_part, &j);
  return WEBNN_OK;
}

const wnn_kernel wnn_scatter_kernel = {"scatter", plan_scatter, run_scatter, free_scatter};
