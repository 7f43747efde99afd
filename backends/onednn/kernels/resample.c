/* resample2d: nearest of any element size in any unblocked layout; linear of float32. Indices and weights along the
 * two axes are found at plan. */
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

#define PARALLEL_BYTES ((size_t)32 * 1024)

typedef struct place {
  uint32_t low, high;
  float t; /* weight of high */
} place;

typedef struct resample_plan {
  wnn_plan base;
  bool linear;
  size_t element_bytes;
  size_t dims[4]; /* of the output, in the order of storage */
  size_t strides[4]; /* of the input in elements, along the same axes */
  int table[4];   /* which table an axis goes through, or -1 */
  place *tables[2];
  size_t n_places[2];
  size_t n_parts;
} resample_plan;

static size_t places_bytes(size_t n) { return n * sizeof(place); }

static void free_resample(wnn_plan *base) {
  resample_plan *plan = (resample_plan *)base;
  wnn_alloc alloc = wnn_device_host(base->device)->alloc;
  for (int k = 0; k < 2; k++) wnn_alloc_free(&alloc, plan->tables[k], places_bytes(plan->n_places[k]));
  wnn_alloc_free(&alloc, plan, base->n_bytes);
}

/* Half-pixel centres, clamped; nearest rounds halves down.  Spec: resample2d. */
static place find_place(size_t o, size_t n_in, size_t n_out, bool linear) {
  double u = ((double)o + 0.5) * (double)n_in / (double)n_out - 0.5;
  double c = u < 0.0 ? 0.0 : u > (double)(n_in - 1) ? (double)(n_in - 1) : u;
  if (!linear) {
    uint32_t nearest = (uint32_t)ceil(c - 0.5);
    return (place){nearest, nearest, 0.0f};
  }
  double low = floor(c);
  return (place){(uint32_t)low, (uint32_t)ceil(c), (float)(c - low)};
}

static bool fill_tables(resample_plan *plan, const wnn_region *region, const wnn_alloc *alloc) {
  const wnn_resample2d_attrs *attrs = region->anchor->attrs;
  for (int k = 0; k < 2; k++) {
    uint32_t axis = attrs->axes.data[k];
    size_t n_in = region->inputs[0].desc->dims[axis], n_out = region->outputs[0].desc->dims[axis];
    plan->n_places[k] = n_out;
    plan->tables[k] = wnn_alloc_get(alloc, places_bytes(n_out));
    if (plan->tables[k] == NULL) return false;
    for (size_t o = 0; o < n_out; o++) plan->tables[k][o] = find_place(o, n_in, n_out, plan->linear);
  }
  return true;
}

static webnn_status plan_resample(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  const wnn_resample2d_attrs *attrs = region->anchor->attrs;
  const wnn_port *in = &region->inputs[0], *result = &region->outputs[0];
  bool linear = attrs->mode == WEBNN_INTERPOLATION_MODE_LINEAR;
  if (region->n_posts != 0 || wnn_layout_is_blocked(&in->layout) || wnn_layout_is_blocked(&result->layout) ||
      (linear && in->desc->type != WEBNN_DATA_TYPE_FLOAT32))
    return WEBNN_ERROR_NOT_SUPPORTED;
  resample_plan *plan = (resample_plan *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->linear = linear;
  plan->element_bytes = webnn_data_type_bytes(in->desc->type);
  if (!fill_tables(plan, region, &host->alloc)) {
    free_resample(&plan->base);
    return WEBNN_ERROR_UNKNOWN;
  }
  size_t strides[WNN_MAX_RANK];
  wnn_layout_strides(&in->layout, in->desc, strides);
  for (int i = 0; i < 4; i++) {
    uint32_t axis = result->layout.order[i];
    plan->dims[i] = result->desc->dims[axis];
    plan->strides[i] = strides[axis];
    plan->table[i] = axis == attrs->axes.data[0] ? 0 : axis == attrs->axes.data[1] ? 1 : -1;
  }
  plan->base.heavy = wnn_desc_bytes(result->desc) >= PARALLEL_BYTES;
  plan->n_parts = plan->base.heavy ? wnn_pool_threads(host->pool) : 1;
  *out = &plan->base;
  return WEBNN_OK;
}

/* The four corners of an output row's input, as far as the outer axes decide them. */
typedef struct corners {
  const float *at[2][2]; /* [table 0 low/high][table 1 low/high] */
  float t[2];
} corners;

static float lerp(float a, float b, float t) { return a + (b - a) * t; }

static float mix(const corners *c, size_t offset00, size_t offset01, size_t offset10, size_t offset11) {
  float low = lerp(c->at[0][0][offset00], c->at[0][1][offset01], c->t[1]);
  float high = lerp(c->at[1][0][offset10], c->at[1][1][offset11], c->t[1]);
  return lerp(low, high, c->t[0]);
}

static void linear_row(const resample_plan *plan, corners c, float *y) {
  size_t n = plan->dims[3], stride = plan->strides[3];
  int inner = plan->table[3];
  if (inner < 0) {
    for (size_t k = 0; k < n; k++) y[k] = mix(&c, k * stride, k * stride, k * stride, k * stride);
    return;
  }
  for (size_t k = 0; k < n; k++) {
    const place *p = &plan->tables[inner][k];
    size_t low = p->low * stride, high = p->high * stride;
    c.t[inner] = p->t;
    if (inner == 0) y[k] = mix(&c, low, low, high, high);
    else y[k] = mix(&c, low, high, low, high);
  }
}

#define GATHER(T)                                                                  \
  for (size_t k = 0; k < n; k++)                                                   \
    memcpy(y + k * sizeof(T), x + (table ? table[k].low : k) * stride * sizeof(T), sizeof(T));

static void nearest_row(const resample_plan *plan, const char *x, char *y) {
  size_t n = plan->dims[3], stride = plan->strides[3];
  const place *table = plan->table[3] >= 0 ? plan->tables[plan->table[3]] : NULL;
  if (table == NULL && stride == 1) {
    memcpy(y, x, n * plan->element_bytes);
    return;
  }
  switch (plan->element_bytes) {
    case 1: GATHER(uint8_t) break;
    case 2: GATHER(uint16_t) break;
    default: GATHER(uint32_t) break;
  }
}

typedef struct job {
  const resample_plan *plan;
  const wnn_run *run;
} job;

static void run_row(const resample_plan *plan, const wnn_run *run, size_t row) {
  size_t offsets[2][2] = {{0}}, rest = row;
  corners c = {.t = {0, 0}};
  for (int i = 2; i >= 0; i--) {
    size_t at = rest % plan->dims[i];
    rest /= plan->dims[i];
    size_t low = at, high = at;
    if (plan->table[i] >= 0) {
      const place *p = &plan->tables[plan->table[i]][at];
      low = p->low, high = p->high;
      c.t[plan->table[i]] = p->t;
    }
    for (int a = 0; a < 2; a++)
      for (int b = 0; b < 2; b++) {
        bool is_high = plan->table[i] == 0 ? a == 1 : plan->table[i] == 1 ? b == 1 : false;
        offsets[a][b] += (is_high ? high : low) * plan->strides[i];
      }
  }
  char *y = (char *)run->outputs[0] + row * plan->dims[3] * plan->element_bytes;
  if (!plan->linear) {
    nearest_row(plan, (const char *)run->inputs[0] + offsets[0][0] * plan->element_bytes, y);
    return;
  }
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++) c.at[a][b] = (const float *)run->inputs[0] + offsets[a][b];
  linear_row(plan, c, (float *)(void *)y);
}

static void run_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  size_t begin, end;
  wnn_parallel_split(j->plan->dims[0] * j->plan->dims[1] * j->plan->dims[2], part, n_parts, &begin, &end);
  for (size_t row = begin; row < end; row++) run_row(j->plan, j->run, row);
}

static webnn_status run_resample(const wnn_plan *base, const wnn_run *run) {
  job j = {(const resample_plan *)base, run};
  wnn_parallel(wnn_device_host(base->device)->pool, j.plan->n_parts, run_part, &j);
  return WEBNN_OK;
}

const wnn_kernel wnn_resample_kernel = {"resample", plan_resample, run_resample, free_resample};
