/* gather, gatherElements, gatherND of row-major tensors of any type. */
#include "kernels/index.h"
#include "kernels/kernels.h"
#include "kernels/lanes.h"

#include <string.h>

#define PARALLEL_BYTES ((size_t)32 * 1024)
#define PIECE ((size_t)256)             /* indices looked up together */
#define NEAR_BYTES ((size_t)512 * 1024) /* of a row that is picked from all over */
#define NEAR_COLUMNS ((size_t)4 << 20)  /* of columns */
#define RUN_BYTES ((size_t)256)         /* of a row of them */
#define UNIT ((size_t)16)               /* bytes of an element in so many rows that go together */
#define LEAST_GROUPS ((size_t)8)        /* fewer are too few for threads */
#define STRIP ((size_t)512)             /* bytes of a row of them that go together */
#define AHEAD ((size_t)16)              /* rows that are asked for */
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
  size_t width;   /* gatherElements, of columns: how many are done together, all their rows, … */
  size_t n_slabs; /* … and how many such slabs there are, wherever the first line begins */
  size_t group;   /* gather, of small elements: how many rows are picked from at once; 0: singly */
  bool shares_places; /* gather: looked up once, in scratch, and used again and again; … */
  bool short_places;  /* … in 16 bits, which leave more of the nearest cache to the rows */
  bool streams;       /* long runs go past the caches */
  bool fetches;       /* what is picked from is far away */
  size_t n_jobs, n_parts;
  size_t near_at, near_bytes; /* of a part's scratch: columns, brought together */
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

/* Columns that are done together: runs of some lines, for where rows are far apart memory gives one
 * line hardly faster; but all rows of them have to stay in a cache. */
static void choose_width(gather_plan *plan) {
  const size_t run = plan->lanes.n * RUN_BYTES <= NEAR_COLUMNS ? RUN_BYTES : WNN_CACHE_LINE;
  const size_t width = run / plan->bytes;
  plan->width = width < plan->lanes.inner ? width : plan->lanes.inner;
}

/* Picking costs as much for a byte as for a unit of them: rows become one row of units, are picked
 * from, and become rows again. */
static void choose_group(gather_plan *plan) {
  const wnn_lanes *l = &plan->lanes;
  const size_t group = UNIT / plan->bytes;
  if (plan->bytes > 2 || !plan->shares_places || l->outer < LEAST_GROUPS * group ||
      l->n * UNIT > NEAR_BYTES || plan->n_indices * 4 < l->n || plan->n_indices < STRIP)
    return;
  plan->group = group;
  plan->n_jobs = (l->outer + group - 1) / group;
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
    plan->short_places = plan->shares_places && plan->lanes.n <= UINT16_MAX + (size_t)1;
    if (plan->shares_places)
      plan->base.scratch_bytes =
          plan->n_indices * (plan->short_places ? sizeof(uint16_t) : sizeof(uint32_t));
    choose_group(plan);
    return true;
  }
  plan->n_indices = indices->dims[attrs->axis];
  choose_width(plan);
  plan->n_slabs = (plan->lanes.inner + 2 * plan->width - 2) / plan->width;
  plan->n_jobs = plan->lanes.outer * plan->n_slabs;
  return wnn_shape_equal_except(in->desc, indices, attrs->axis);
}

static bool is_small(const gather_plan *plan) {
  return plan->bytes <= 8 && (plan->bytes & (plan->bytes - 1)) == 0;
}

/* Whether what is picked from comes from far away and is worth bringing near: rows whose lines are
 * nearly all wanted, columns whose rows are far from each other. */
static bool is_far(const gather_plan *plan) {
  const wnn_lanes *l = &plan->lanes;
  const size_t lane = l->n * plan->bytes;
  if (plan->op == WNN_OP_GATHER_ND || !is_small(plan) || l->outer * lane * l->inner < NEAR_BYTES)
    return false;
  if (plan->op == WNN_OP_GATHER || l->inner == 1)
    return lane <= NEAR_BYTES && plan->n_indices * 64 >= lane;
  return l->inner * plan->bytes >= 1024;
}

/* What is brought together before it is picked from all over: a lane; columns, if most of them are
 * wanted, for where they lie the rows push each other out of the cache; a group of rows. */
static size_t near_bytes(const gather_plan *plan) {
  const wnn_lanes *l = &plan->lanes;
  if (plan->group > 0) return l->n * UNIT;
  if (!plan->fetches) return 0;
  if (plan->op == WNN_OP_GATHER || l->inner == 1) return l->n * plan->bytes;
  return l->n >= 64 && plan->n_indices * 4 >= l->n ? l->n * plan->width * plan->bytes : 0;
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
  plan->fetches = is_far(plan);
  set_near(plan, host);
  *out = &plan->base;
  return WEBNN_OK;
}

/* ---- running */

typedef struct job {
  const gather_plan *plan;
  const char *in;
  const void *indices;
  void *places; /* of all indices, when they are shared */
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
static void pick_short(const char *x, const uint16_t *places, char *y, size_t n, size_t bytes) {
  COPY_BY_SIZE((size_t)places[i])
}

/* Copies a block of bytes to the output. */
static inline void put(const gather_plan *plan, const char *from, char *to, size_t n) {
  if (plan->streams && n >= LONG_RUN)
    plan->vector->stream(from, to, n);
  else
    memcpy(to, from, n);
}

/* Whether so many bytes are written past the caches: whole lines, or not much else. */
static bool goes_far(const gather_plan *plan, const char *y, size_t n) {
  return plan->streams && (((uintptr_t)y | n) % WNN_CACHE_LINE == 0 || n >= LONG_RUN);
}

static void put_row(const gather_plan *plan, const char *from, char *y, size_t n) {
  if (goes_far(plan, y, n))
    plan->vector->stream(from, y, n);
  else
    memcpy(y, from, n);
}

/* `n` elements of at most PIECE, from places in a row. */
static void put_picked(const gather_plan *plan, const char *x, const void *places, char *y,
                       size_t n) {
  char near[PIECE * sizeof(uint64_t)];
  const bool far = goes_far(plan, y, n * plan->bytes);
  if (plan->short_places)
    pick_short(x, places, far ? near : y, n, plan->bytes);
  else
    pick(x, places, far ? near : y, n, plan->bytes);
  if (far) plan->vector->stream(near, y, n * plan->bytes);
}

/* The same of blocks of any size. */
static void put_blocks(const gather_plan *plan, const char *x, const void *places, char *y,
                       size_t n) {
  for (size_t i = 0; i < n; i++) {
    const size_t place =
        plan->short_places ? ((const uint16_t *)places)[i] : ((const uint32_t *)places)[i];
    put(plan, x + place * plan->bytes, y + i * plan->bytes, plan->bytes);
  }
}

/* At most `left` elements, so that those behind them begin with a line of the output. */
static size_t piece_at(const gather_plan *plan, const char *y, size_t left) {
  const size_t most = PIECE - (uintptr_t)y % WNN_CACHE_LINE / plan->bytes;
  return left < most ? left : most;
}

/* Outputs [begin, end) of gather, counted by what an index names. */
static void gather_blocks(const job *j, size_t begin, size_t end, char *near) {
  const gather_plan *plan = j->plan;
  const bool small = is_small(plan);
  const size_t lane_bytes = plan->lanes.n * plan->bytes;
  size_t nearest = SIZE_MAX; /* the lane that is there */
  uint32_t own[PIECE];
  while (begin < end) {
    size_t outer = begin / plan->n_indices, first = begin % plan->n_indices,
           n = plan->n_indices - first;
    const char *x = j->in + outer * lane_bytes;
    char *y = j->out + begin * plan->bytes;
    if (n > end - begin) n = end - begin;
    n = small ? piece_at(plan, y, n) : n < PIECE ? n : PIECE;
    const void *places = own;
    if (plan->short_places)
      places = (const uint16_t *)j->places + first;
    else if (plan->shares_places)
      places = (const uint32_t *)j->places + first;
    else
      wnn_vector_places(plan->vector, j->indices, plan->index_type, first, n,
                        (uint32_t)plan->lanes.n, own);
    if (small) {
      if (near != NULL && nearest != outer) memcpy(near, x, lane_bytes);
      nearest = outer;
      put_picked(plan, near != NULL ? near : x, places, y, n);
    } else {
      put_blocks(plan, x, places, y, n);
    }
    begin += n;
  }
}

/* The rows of a group, side by side in units; what comes next of each is asked for. */
static void bring_group(const gather_plan *plan, const char *x, size_t n_rows, char *near) {
  const size_t lane = plan->lanes.n * plan->bytes;
  char strip[UNIT * STRIP];
  for (size_t c = 0, n; c < lane; c += n) {
    n = lane - c < STRIP ? lane - c : STRIP;
    const size_t next = lane - c - n < STRIP ? lane - c - n : STRIP;
    for (size_t r = 0; r < n_rows; r++) {
      wnn_fetch_far(x + r * lane + c + n, next);
      memcpy(strip + r * STRIP, x + r * lane + c, n);
    }
    plan->vector->transpose[plan->bytes - 1](strip, STRIP, near + c / plan->bytes * UNIT, UNIT,
                                             n_rows, n / plan->bytes);
  }
}

/* Group k of gather's rows. */
static void gather_group(const job *j, size_t k, char *near) {
  const gather_plan *plan = j->plan;
  const size_t first = k * plan->group, left = plan->lanes.outer - first;
  const size_t n_rows = left < plan->group ? left : plan->group, bytes = plan->bytes;
  const size_t row = plan->n_indices * bytes;
  char units[UNIT * STRIP], strip[UNIT * STRIP], *y = j->out + first * row;
  bring_group(plan, j->in + first * plan->lanes.n * bytes, n_rows, near);
  for (size_t i = 0, n; i < plan->n_indices; i += n) {
    const size_t off = (uintptr_t)(y + i * bytes) % WNN_CACHE_LINE, most = (STRIP - off) / bytes;
    n = plan->n_indices - i < most ? plan->n_indices - i : most;
    const uint16_t *places = (const uint16_t *)j->places + i;
    for (size_t e = 0; e < n; e++) memcpy(units + e * UNIT, near + places[e] * UNIT, UNIT);
    plan->vector->transpose[bytes - 1](units, UNIT, strip, STRIP, n, n_rows);
    for (size_t r = 0; r < n_rows; r++)
      put(plan, strip + r * STRIP, y + r * row + i * bytes, n * bytes);
  }
}

/* Lane k of gatherElements. */
static void gather_lane(const job *j, size_t k, char *near) {
  const gather_plan *plan = j->plan;
  const size_t n = plan->n_indices;
  const char *x = j->in + k * plan->lanes.n * plan->bytes;
  uint32_t places[PIECE];
  if (near != NULL) x = memcpy(near, x, plan->lanes.n * plan->bytes);
  for (size_t i = 0, m; i < n; i += m) {
    const size_t at = k * n + i;
    m = piece_at(plan, j->out + at * plan->bytes, n - i);
    wnn_vector_places(plan->vector, j->indices, plan->index_type, at, m, (uint32_t)plan->lanes.n,
                      places);
    put_picked(plan, x, places, j->out + at * plan->bytes, m);
  }
}

/* `n_rows` rows of `width` elements, at most PIECE of them all: element i from column i of row
 * places[i]; those rows are `stride` elements apart. */
static void put_columns(const gather_plan *plan, const char *x, uint32_t *places, char *y,
                        size_t n_rows, size_t width, size_t stride) {
  const size_t row = plan->lanes.inner * plan->bytes;
  char near[PIECE * sizeof(uint64_t)];
  if (plan->lanes.n > UINT32_MAX / stride) { /* else no place among all of them is too large */
    for (size_t i = 0; i < n_rows * width; i++)
      memcpy(y + i / width * row + i % width * plan->bytes,
             x + (places[i] * stride + i % width) * plan->bytes, plan->bytes);
    return;
  }
  for (size_t r = 0; r < n_rows; r++)
    plan->vector->spread_places(places + r * width, width, (uint32_t)stride);
  pick(x, places, near, n_rows * width, plan->bytes);
  for (size_t r = 0; r < n_rows; r++, y += row)
    put_row(plan, near + r * width * plan->bytes, y, width * plan->bytes);
}

/* The columns of slab `k` of a row whose output begins at y: all but the first begin with a line.
 */
static size_t slab_columns(const gather_plan *plan, const char *y, size_t k, size_t *first) {
  const size_t inner = plan->lanes.inner, width = plan->width;
  const size_t before = (uintptr_t)y % WNN_CACHE_LINE / plan->bytes % width;
  const size_t begin = k * width, end = begin + width;
  *first = begin < before ? 0 : begin - before;
  const size_t last = end - before < inner ? end - before : inner;
  return *first < last ? last - *first : 0;
}

/* Columns of gatherElements, row by row. Rows are far from each other, so those that come next are
 * asked for. */
static void gather_slab(const job *j, size_t k, char *near) {
  const gather_plan *plan = j->plan;
  const size_t inner = plan->lanes.inner, outer = k / plan->n_slabs;
  const size_t index_bytes = webnn_data_type_bytes(plan->index_type);
  size_t column, width = slab_columns(plan, j->out + outer * plan->n_indices * inner * plan->bytes,
                                      k % plan->n_slabs, &column);
  const size_t row_bytes = width * plan->bytes;
  const char *x = j->in + (outer * plan->lanes.n * inner + column) * plan->bytes;
  uint32_t places[PIECE];
  if (width == 0) return;
  for (size_t i = 0; near != NULL && i < plan->lanes.n; i++) {
    if (i + AHEAD < plan->lanes.n) wnn_fetch_far(x + (i + AHEAD) * inner * plan->bytes, row_bytes);
    memcpy(near + i * row_bytes, x + i * inner * plan->bytes, row_bytes);
  }
  for (size_t i = 0, m, most = PIECE / width; i < plan->n_indices; i += m) {
    m = plan->n_indices - i < most ? plan->n_indices - i : most;
    const size_t first = (outer * plan->n_indices + i) * inner + column;
    for (size_t r = 0, at = first; r < m; r++, at += inner) {
      if (plan->fetches && i + r + AHEAD < plan->n_indices)
        wnn_fetch_far((const char *)j->indices + (at + AHEAD * inner) * index_bytes,
                      width * index_bytes);
      wnn_vector_places(plan->vector, j->indices, plan->index_type, at, width,
                        (uint32_t)plan->lanes.n, places + r * width);
    }
    put_columns(plan, near != NULL ? near : x, places, j->out + first * plan->bytes, m, width,
                near != NULL ? width : inner);
  }
}

/* Elements at `n` offsets, while those of `next` are asked for. */
static void pick_tuples(const gather_plan *plan, const char *x, const size_t *offsets, size_t n,
                        const size_t *next, size_t n_next, char *y) {
  size_t i = 0;
  if (plan->bytes == 4)
    for (; i < n && i < n_next; i++) {
      __builtin_prefetch(x + next[i]);
      memcpy(y + i * 4, x + offsets[i], 4);
    }
  for (; i < n; i++) {
    if (i < n_next) __builtin_prefetch(x + next[i]);
    put(plan, x + offsets[i], y + i * plan->bytes, plan->bytes);
  }
}

/* Tuples [begin, end) of gatherND. */
static void gather_tuples(const job *j, size_t begin, size_t end) {
  const gather_plan *plan = j->plan;
  const bool small = is_small(plan);
  size_t offsets[2][PIECE];
  char near[PIECE * sizeof(uint64_t)];
  size_t n = end - begin < PIECE ? end - begin : PIECE, m;
  wnn_tuple_offsets(&plan->tuples, j->indices, begin, n, offsets[0]);
  for (int turn = 0; begin < end; begin += n, n = m, turn ^= 1) {
    const size_t left = end - begin - n;
    char *y = j->out + begin * plan->bytes;
    m = left < PIECE ? left : PIECE;
    wnn_tuple_offsets(&plan->tuples, j->indices, begin + n, m, offsets[!turn]);
    const bool streams = plan->streams && small;
    pick_tuples(plan, j->in, offsets[turn], n, offsets[!turn], m, streams ? near : y);
    if (streams) plan->vector->stream(near, y, n * plan->bytes);
  }
}

static void run_part(void *arg, size_t slot, size_t part, size_t n_parts) {
  const job *j = arg;
  const gather_plan *plan = j->plan;
  size_t begin, end;
  wnn_parallel_split(plan->n_jobs, part, n_parts, &begin, &end);
  char *near = plan->near_bytes != 0 ? j->scratch + plan->near_at + slot * plan->near_bytes : NULL;
  if (plan->group > 0)
    for (size_t k = begin; k < end; k++) gather_group(j, k, near);
  else if (plan->op == WNN_OP_GATHER)
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

static void look_up(const job *j) {
  const gather_plan *plan = j->plan;
  uint32_t places[PIECE];
  for (size_t i = 0, n; i < plan->n_indices; i += n) {
    n = plan->n_indices - i < PIECE ? plan->n_indices - i : PIECE;
    uint32_t *to = plan->short_places ? places : (uint32_t *)j->places + i;
    wnn_vector_places(plan->vector, j->indices, plan->index_type, i, n, (uint32_t)plan->lanes.n,
                      to);
    for (size_t k = 0; k < n && plan->short_places; k++)
      ((uint16_t *)j->places)[i + k] = (uint16_t)places[k];
  }
}

static webnn_status run_gather(const wnn_plan *base, const wnn_run *run) {
  const gather_plan *plan = (const gather_plan *)base;
  job j = {plan, run->inputs[0], run->inputs[1], run->scratch, run->outputs[0], run->scratch};
  if (plan->shares_places) look_up(&j);
  if (plan->n_parts == 1)
    run_part(&j, 0, 0, 1);
  else
    wnn_parallel_share(wnn_device_host(base->device)->pool, plan->n_parts, run_part, &j);
  return WEBNN_OK;
}

const wnn_kernel wnn_gather_kernel = {"gather", plan_gather, run_gather, free_gather};
