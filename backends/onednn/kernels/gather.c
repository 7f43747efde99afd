/* gather, gatherElements, gatherND of row-major tensors of any type. */
#include "kernels/index.h"
#include "kernels/kernels.h"
#include "kernels/lanes.h"

#include <string.h>

#define PARALLEL_BYTES ((size_t)32 * 1024)
#define PIECE ((size_t)256)             /* indices looked up together */
#define NEAR_BYTES ((size_t)512 * 1024) /* of a row or of columns that are picked from all over */
#define TUPLES ((size_t)32)             /* looked up before the first is copied */
#define LONG_RUN ((size_t)512)          /* worth writing past the caches */

typedef struct gather_plan {
  wnn_plan base;
  const wnn_vector *vector;
  wnn_op_id op;
  size_t bytes;    /* of an element; gatherND, gather: of what an index names */
  wnn_lanes lanes; /* of the input, along the axis */
  webnn_data_type index_type;
  size_t n_indices; /* gather: all of them; gatherElements: along the axis; gatherND: tuples */
  wnn_tuples tuples;
  size_t width;       /* gatherElements, of columns: how many are done together, all their rows */
  bool shares_places; /* gather: looked up once, in scratch, and used again and again */
  bool streams;       /* long runs go past the caches */
  size_t n_jobs, n_parts;
  size_t near_at, near_bytes; /* of a part's scratch: what is picked from, brought together */
} gather_plan;

static void free_gather(wnn_plan *plan) {
  wnn_alloc_free(&wnn_device_host(plan->device)->alloc, plan, plan->n_bytes);
}

bool wnn_all_plain(const wnn_region *region) {
  for (size_t i = 0; i < region->n_inputs + region->n_outputs; i++) {
    const wnn_port *port =
        i < region->n_inputs ? &region->inputs[i] : &region->outputs[i - region->n_inputs];
    if (port->desc == NULL) continue;
    if (wnn_layout_is_blocked(&port->layout) || !wnn_layout_is_plain(&port->layout, port->desc))
      return false;
  }
  return true;
}

size_t wnn_tuples_into(wnn_tuples *tuples, const wnn_desc *desc, const wnn_desc *indices) {
  size_t n_bytes = webnn_data_type_bytes(desc->type), stride;
  tuples->type = indices->type;
  tuples->n = indices->dims[indices->rank - 1];
  for (uint32_t d = tuples->n; d < desc->rank; d++) n_bytes *= desc->dims[d];
  stride = n_bytes;
  for (uint32_t d = tuples->n; d-- > 0;) {
    tuples->dims[d] = desc->dims[d];
    tuples->strides[d] = stride;
    stride *= desc->dims[d];
  }
  return n_bytes;
}

/* Columns, in whole cache lines, whose elements stay in the cache while rows point into them. */
static void choose_width(gather_plan *plan) {
  const size_t line = 64 / plan->bytes;
  size_t width = NEAR_BYTES / plan->bytes / plan->lanes.n / line * line;
  if (width < line) width = line;
  if (width > PIECE) width = PIECE;
  plan->width = width < plan->lanes.inner ? width : plan->lanes.inner;
}

static bool set_shape(gather_plan *plan, const wnn_region *region) {
  const wnn_port *in = &region->inputs[0];
  const wnn_desc *indices = region->inputs[1].desc;
  const wnn_axis_attrs *attrs = region->anchor->attrs;
  plan->index_type = indices->type;
  plan->bytes = webnn_data_type_bytes(in->desc->type);
  if (plan->op == WNN_OP_GATHER_ND) {
    plan->bytes = wnn_tuples_into(&plan->tuples, in->desc, indices);
    plan->n_indices = plan->n_jobs = wnn_desc_count(indices) / plan->tuples.n;
    return true;
  }
  plan->lanes = wnn_lanes_along(
      &(wnn_port){.desc = in->desc, .layout = wnn_layout_plain(in->desc->rank)}, attrs->axis);
  if (plan->op == WNN_OP_GATHER) {
    plan->bytes *= plan->lanes.inner;
    plan->n_indices = wnn_desc_count(indices);
    plan->n_jobs = plan->lanes.outer * plan->n_indices;
    plan->shares_places = plan->lanes.outer > 1;
    if (plan->shares_places) plan->base.scratch_bytes = plan->n_indices * sizeof(uint32_t);
    return true;
  }
  plan->n_indices = indices->dims[attrs->axis];
  choose_width(plan);
  plan->n_jobs = plan->lanes.outer * ((plan->lanes.inner + plan->width - 1) / plan->width);
  return wnn_shape_equal_except(in->desc, indices, attrs->axis);
}

static bool is_small(const gather_plan *plan) {
  return plan->bytes <= 8 && (plan->bytes & (plan->bytes - 1)) == 0;
}

/* Bytes that are brought near before elements are picked from all over them; 0: they are as good
 * where they lie. Rows whose lines are nearly all wanted come from far away; of columns the rows
 * are so far from each other that they push each other out of the cache. */
static size_t near_bytes(const gather_plan *plan) {
  const wnn_lanes *l = &plan->lanes;
  const size_t lane = l->n * plan->bytes;
  if (plan->op == WNN_OP_GATHER_ND || !is_small(plan) || l->outer * lane * l->inner < NEAR_BYTES)
    return 0;
  if (plan->op == WNN_OP_GATHER || l->inner == 1)
    return lane <= NEAR_BYTES && plan->n_indices * 64 >= lane ? lane : 0;
  const bool far = l->inner * plan->bytes >= 1024 && l->n >= 64;
  return far && plan->n_indices * 4 >= l->n ? lane * plan->width : 0;
}

static void set_near(gather_plan *plan, const wnn_host *host) {
  plan->near_at = wnn_aligned(plan->base.scratch_bytes);
  plan->near_bytes = wnn_aligned(near_bytes(plan));
  plan->base.scratch_bytes =
      plan->near_at + plan->near_bytes * wnn_pool_slots(host->pool, plan->n_parts);
}

static webnn_status plan_gather(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  if (region->n_posts != 0 || !wnn_all_plain(region)) return WEBNN_ERROR_NOT_SUPPORTED;
  gather_plan *plan = (gather_plan *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->op = region->anchor->op->id;
  if (!set_shape(plan, region)) {
    free_gather(&plan->base);
    return WEBNN_ERROR_NOT_SUPPORTED;
  }
  plan->vector = wnn_vector_for(host);
  plan->streams = wnn_streams(host, wnn_desc_bytes(region->outputs[0].desc));
  plan->base.heavy = wnn_desc_bytes(region->outputs[0].desc) >= PARALLEL_BYTES;
  plan->n_parts = !plan->base.heavy ? 1
                                    : wnn_pool_parts(host->pool, plan->n_jobs,
                                                     2 * wnn_desc_bytes(region->outputs[0].desc));
  set_near(plan, host);
  *out = &plan->base;
  return WEBNN_OK;
}

/* ---- running */

typedef struct job {
  const gather_plan *plan;
  const char *in;
  const void *indices;
  uint32_t *places; /* of all indices, when they are shared */
  char *out, *scratch;
} job;

#define COPY_EACH(T, FROM) \
  for (size_t i = 0; i < n; i++) memcpy(y + i * sizeof(T), x + (FROM) * sizeof(T), sizeof(T));
#define COPY_BY_SIZE(FROM)                    \
  switch (bytes) {                            \
    case 1: COPY_EACH(uint8_t, FROM) break;   \
    case 2: COPY_EACH(uint16_t, FROM) break;  \
    case 4: COPY_EACH(uint32_t, FROM) break;  \
    default: COPY_EACH(uint64_t, FROM) break; \
  }

/* Element i comes from places[i]. */
static void pick(const char *x, const uint32_t *places, char *y, size_t n, size_t bytes) {
  COPY_BY_SIZE((size_t)places[i])
}

/* Element i comes from column i of row places[i]. */
static void pick_columns(const char *x, const uint32_t *places, char *y, size_t n, size_t bytes,
                         size_t stride) {
  COPY_BY_SIZE((size_t)places[i] * stride + i)
}

/* Copies a block of bytes to the output. */
static inline void put(const gather_plan *plan, const char *from, char *to, size_t n) {
  if (plan->streams && n >= LONG_RUN)
    plan->vector->stream(from, to, n);
  else
    memcpy(to, from, n);
}

/* `n` elements of at most PIECE, from places in a row, or of columns `stride` elements apart. */
static void put_picked(const gather_plan *plan, const char *x, const uint32_t *places, char *y,
                       size_t n, size_t stride) {
  char near[PIECE * sizeof(uint64_t)];
  const bool streams = plan->streams && n * plan->bytes >= LONG_RUN;
  char *to = streams ? near : y;
  if (stride == 0)
    pick(x, places, to, n, plan->bytes);
  else
    pick_columns(x, places, to, n, plan->bytes, stride);
  if (streams) plan->vector->stream(near, y, n * plan->bytes);
}

/* Outputs [begin, end) of gather, counted by what an index names. */
static void gather_blocks(const job *j, size_t begin, size_t end, char *near) {
  const gather_plan *plan = j->plan;
  const size_t lane_bytes = plan->lanes.n * plan->bytes;
  size_t nearest = SIZE_MAX; /* the lane that is there */
  uint32_t own[PIECE];
  while (begin < end) {
    size_t outer = begin / plan->n_indices, first = begin % plan->n_indices,
           n = plan->n_indices - first;
    const char *x = j->in + outer * lane_bytes;
    char *y = j->out + begin * plan->bytes;
    if (n > end - begin) n = end - begin;
    if (n > PIECE) n = PIECE;
    const uint32_t *places = plan->shares_places ? j->places + first : own;
    if (!plan->shares_places)
      wnn_places(j->indices, plan->index_type, first, n, (uint32_t)plan->lanes.n, own);
    if (is_small(plan)) {
      if (near != NULL && nearest != outer) memcpy(near, x, lane_bytes);
      nearest = outer;
      put_picked(plan, near != NULL ? near : x, places, y, n, 0);
    } else {
      for (size_t i = 0; i < n; i++)
        put(plan, x + places[i] * plan->bytes, y + i * plan->bytes, plan->bytes);
    }
    begin += n;
  }
}

/* Lane k of gatherElements. */
static void gather_lane(const job *j, size_t k, char *near) {
  const gather_plan *plan = j->plan;
  const size_t n = plan->n_indices;
  const char *x = j->in + k * plan->lanes.n * plan->bytes;
  uint32_t places[PIECE];
  if (near != NULL) x = memcpy(near, x, plan->lanes.n * plan->bytes);
  for (size_t i = 0; i < n; i += PIECE) {
    size_t m = n - i < PIECE ? n - i : PIECE, at = k * n + i;
    wnn_places(j->indices, plan->index_type, at, m, (uint32_t)plan->lanes.n, places);
    put_picked(plan, x, places, j->out + at * plan->bytes, m, 0);
  }
}

/* Columns of gatherElements: a slab of `width`, row by row. */
static void gather_slab(const job *j, size_t k, char *near) {
  const gather_plan *plan = j->plan;
  const size_t inner = plan->lanes.inner, n_slabs = (inner + plan->width - 1) / plan->width;
  const size_t outer = k / n_slabs, column = k % n_slabs * plan->width;
  const size_t width = inner - column < plan->width ? inner - column : plan->width;
  const char *x = j->in + (outer * plan->lanes.n * inner + column) * plan->bytes;
  const size_t row_bytes = width * plan->bytes;
  uint32_t places[PIECE];
  for (size_t i = 0; near != NULL && i < plan->lanes.n; i++)
    memcpy(near + i * row_bytes, x + i * inner * plan->bytes, row_bytes);
  for (size_t i = 0; i < plan->n_indices; i++) {
    const size_t at = (outer * plan->n_indices + i) * inner + column;
    wnn_places(j->indices, plan->index_type, at, width, (uint32_t)plan->lanes.n, places);
    put_picked(plan, near != NULL ? near : x, places, j->out + at * plan->bytes, width,
               near != NULL ? width : inner);
  }
}

/* Tuples [begin, end) of gatherND: the cache is asked for several before the first is needed. */
static void gather_tuples(const job *j, size_t begin, size_t end) {
  const gather_plan *plan = j->plan;
  const char *from[TUPLES];
  for (size_t k = begin, n; k < end; k += n) {
    n = end - k < TUPLES ? end - k : TUPLES;
    for (size_t i = 0; i < n; i++) {
      from[i] = j->in + wnn_tuple_offset(&plan->tuples, j->indices, k + i);
      __builtin_prefetch(from[i]);
    }
    char *to = j->out + k * plan->bytes;
    if (plan->bytes == 4)
      for (size_t i = 0; i < n; i++) memcpy(to + i * 4, from[i], 4);
    else
      for (size_t i = 0; i < n; i++) put(plan, from[i], to + i * plan->bytes, plan->bytes);
  }
}

static void run_part(void *arg, size_t slot, size_t part, size_t n_parts) {
  const job *j = arg;
  const gather_plan *plan = j->plan;
  size_t begin, end;
  wnn_parallel_split(plan->n_jobs, part, n_parts, &begin, &end);
  char *near = plan->near_bytes != 0 ? j->scratch + plan->near_at + slot * plan->near_bytes : NULL;
  if (plan->op == WNN_OP_GATHER)
    gather_blocks(j, begin, end, near);
  else if (plan->op == WNN_OP_GATHER_ND)
    gather_tuples(j, begin, end);
  else
    for (size_t k = begin; k < end; k++)
      if (plan->lanes.inner == 1)
        gather_lane(j, k, near);
      else
        gather_slab(j, k, near);
  if (plan->streams) plan->vector->stream_end();
}

static webnn_status run_gather(const wnn_plan *base, const wnn_run *run) {
  const gather_plan *plan = (const gather_plan *)base;
  job j = {plan, run->inputs[0], run->inputs[1], run->scratch, run->outputs[0], run->scratch};
  if (plan->shares_places)
    wnn_places(j.indices, plan->index_type, 0, plan->n_indices, (uint32_t)plan->lanes.n, j.places);
  if (plan->n_parts == 1)
    run_part(&j, 0, 0, 1);
  else
    wnn_parallel_share(wnn_device_host(base->device)->pool, plan->n_parts, run_part, &j);
  return WEBNN_OK;
}

const wnn_kernel wnn_gather_kernel = {"gather", plan_gather, run_gather, free_gather};
