/* triangular of row-major tensors of any type: of each row a piece is kept and the rest is zero. */
#include "kernels/index.h"
#include "kernels/kernels.h"
#include "kernels/vector.h"

#include <string.h>

#define PARALLEL_BYTES ((size_t)64 * 1024)

typedef struct triangular_plan {
  wnn_plan base;
  const wnn_vector *vector;
  bool upper, streams;
  int64_t diagonal;
  size_t n_rows, height, width, bytes;
  size_t n_parts;
} triangular_plan;

static void free_triangular(wnn_plan *plan) {
  wnn_alloc_free(&wnn_device_host(plan->device)->alloc, plan, plan->n_bytes);
}

static webnn_status plan_triangular(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  const wnn_triangular_attrs *attrs = region->anchor->attrs;
  const wnn_desc *desc = region->inputs[0].desc;
  if (region->n_posts != 0 || !wnn_all_plain(region)) return WEBNN_ERROR_NOT_SUPPORTED;
  triangular_plan *plan = (triangular_plan *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->upper = attrs->upper;
  plan->diagonal = attrs->diagonal;
  plan->width = desc->dims[desc->rank - 1];
  plan->height = desc->dims[desc->rank - 2];
  plan->n_rows = wnn_desc_count(desc) / plan->width;
  plan->bytes = webnn_data_type_bytes(desc->type);
  plan->vector = wnn_vector_for(host);
  plan->streams = wnn_streams(host, wnn_desc_bytes(desc));
  plan->base.heavy = wnn_desc_bytes(desc) >= PARALLEL_BYTES;
  plan->n_parts =
      plan->base.heavy ? wnn_pool_parts(host->pool, plan->n_rows, 2 * wnn_desc_bytes(desc)) : 1;
  plan->base.in_place = 0;
  *out = &plan->base;
  return WEBNN_OK;
}

typedef struct job {
  const triangular_plan *plan;
  const char *in;
  char *out;
} job;

static void clear(const triangular_plan *plan, char *to, size_t n) {
  static const char zeros[4096] = {0};
  if (!plan->streams) {
    memset(to, 0, n);
    return;
  }
  for (size_t k = 0; k < n; k += sizeof zeros)
    plan->vector->stream(zeros, to + k, n - k < sizeof zeros ? n - k : sizeof zeros);
}

static void run_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  const triangular_plan *plan = j->plan;
  const size_t row_bytes = plan->width * plan->bytes;
  size_t begin, end;
  wnn_parallel_split(plan->n_rows, part, n_parts, &begin, &end);
  for (size_t row = begin; row < end; row++) {
    /* The first column on or behind the diagonal, for the lower triangle the one behind that. */
    int64_t edge = (int64_t)(row % plan->height) + plan->diagonal + (plan->upper ? 0 : 1);
    size_t column = edge < 0 ? 0 : (size_t)edge < plan->width ? (size_t)edge : plan->width;
    const char *x = j->in + row * row_bytes;
    char *y = j->out + row * row_bytes;
    size_t first = plan->upper ? column * plan->bytes : 0,
           last = plan->upper ? row_bytes : column * plan->bytes;
    clear(plan, y, first);
    if (x != y && plan->streams)
      plan->vector->stream(x + first, y + first, last - first);
    else if (x != y)
      memcpy(y + first, x + first, last - first);
    clear(plan, y + last, row_bytes - last);
  }
  if (plan->streams) plan->vector->stream_end();
}

static webnn_status run_triangular(const wnn_plan *base, const wnn_run *run) {
  const triangular_plan *plan = (const triangular_plan *)base;
  job j = {plan, run->inputs[0], run->outputs[0]};
  wnn_parallel(wnn_device_host(base->device)->pool, plan->n_parts, run_part, &j);
  return WEBNN_OK;
}

const wnn_kernel wnn_triangular_kernel = {"triangular", plan_triangular, run_triangular,
                                          free_triangular};
