/* Brings weights, biases and peepholes of a recurrent network into panels and padded rows. */
#include "kernels/recurrent.h"

#include <string.h>

static float load(const wnn_recurrent_source *source, const void *bytes, size_t i) {
  if (source->type == WEBNN_DATA_TYPE_FLOAT16) return wnn_f16_to_f32(((const uint16_t *)bytes)[i]);
  return ((const float *)bytes)[i];
}

/* A weight that becomes panels. */
typedef struct packing {
  const wnn_recurrence *plan;
  const wnn_recurrent_source *source;
  const void *bytes;
  size_t depth;
  void *to; /* floats, or bytes */
} packing;

/* `n_units` rows of the weight from `at` on become the columns of a panel, the columns behind them
 * zeros. */
static void fill_panel(const packing *p, size_t at, size_t n_units, float *to) {
  const size_t width = p->plan->rows->width;
  const size_t row = p->source->strides[1], column = p->source->strides[2];
  if (n_units < width) memset(to, 0, p->depth * width * sizeof *to);
  if (p->source->type == WEBNN_DATA_TYPE_FLOAT32 && column == 1) {
    const float *from = (const float *)p->bytes + at;
    p->plan->vector->transpose[2]((const char *)from, (ptrdiff_t)(row * sizeof *from), (char *)to,
                                  (ptrdiff_t)(width * sizeof *to), n_units, p->depth);
    return;
  }
  for (size_t k = 0; k < p->depth; k++)
    for (size_t j = 0; j < n_units; j++)
      to[k * width + j] = load(p->source, p->bytes, at + j * row + k * column);
}

/* The same for bytes. */
static void fill_panel_bytes(const packing *p, size_t at, size_t n_units, int8_t *to) {
  const size_t width = p->plan->rows->width;
  const size_t row = p->source->strides[1], column = p->source->strides[2];
  const int8_t *from = (const int8_t *)p->bytes + at;
  if (n_units < width) memset(to, 0, p->depth * width);
  if (column == 1) {
    p->plan->vector->transpose[0]((const char *)from, (ptrdiff_t)row, (char *)to, (ptrdiff_t)width,
                                  n_units, p->depth);
    return;
  }
  for (size_t k = 0; k < p->depth; k++)
    for (size_t j = 0; j < n_units; j++) to[k * width + j] = from[j * row + k * column];
}

static void pack_part(void *arg, size_t part, size_t n_parts) {
  const packing *p = arg;
  const wnn_recurrence *plan = p->plan;
  const size_t width = plan->rows->width, *strides = p->source->strides,
               panel_numbers = p->depth * width;
  size_t begin, end;
  wnn_parallel_split(plan->n_directions * plan->n_gates * plan->n_blocks, part, n_parts, &begin,
                     &end);
  for (size_t i = begin; i < end; i++) {
    const size_t unit = i % plan->n_blocks * width, left = plan->n_hidden - unit,
                 n_units = left < width ? left : width;
    const size_t gate = i / plan->n_blocks % plan->n_gates, d = i / plan->n_blocks / plan->n_gates;
    const size_t at = d * strides[0] + (plan->blocks[gate] * plan->n_hidden + unit) * strides[1];
    if (p->source->type == WEBNN_DATA_TYPE_INT8)
      fill_panel_bytes(p, at, n_units, (int8_t *)p->to + i * panel_numbers);
    else
      fill_panel(p, at, n_units, (float *)p->to + i * panel_numbers);
  }
}

static void fill_panels(const wnn_recurrence *plan, wnn_recurrent_role role, const wnn_run *run,
                        void *to) {
  const wnn_recurrent_source *source = &plan->sources[role];
  packing p = {plan, source, wnn_recurrent_bytes(source, run),
               role == WNN_PACK_WEIGHT ? plan->n_in : plan->n_hidden, to};
  const wnn_host *host = wnn_device_host(plan->base.device);
  const bool alone = run != NULL && !plan->base.heavy;
  wnn_parallel(host->pool, alone ? 1 : wnn_packers(host, plan->packs[role].n_bytes), pack_part, &p);
}

/* Parts of n_hidden numbers, each padded with zeros; `blocks` NULL: in our order. */
static void fill_vector_parts(const wnn_recurrence *plan, const wnn_recurrent_source *source, const void *bytes,
                              size_t n_parts, const uint8_t *blocks, float *to) {
  memset(to, 0, plan->n_directions * n_parts * plan->n_padded * sizeof *to);
  for (size_t d = 0; d < plan->n_directions; d++)
    for (size_t part = 0; part < n_parts; part++, to += plan->n_padded) {
      const size_t from = (blocks == NULL ? part : blocks[part]) * plan->n_hidden;
      for (size_t k = 0; k < plan->n_hidden; k++)
        to[k] = load(source, bytes, d * source->strides[1] + (from + k) * source->strides[2]);
    }
}

static void fill_vectors(const wnn_recurrence *plan, wnn_recurrent_role role, const wnn_run *run,
                         float *to) {
  const wnn_recurrent_source *source = &plan->sources[role];
  const bool is_peephole = role == WNN_PACK_PEEPHOLE; /* whose order is ours in every layout */
  if (!source->is_there) {
    memset(to, 0, plan->packs[role].n_bytes);
    return;
  }
  fill_vector_parts(plan, source, wnn_recurrent_bytes(source, run), is_peephole ? 3 : plan->n_gates,
                    is_peephole ? NULL : plan->blocks, to);
}

void wnn_recurrent_fill_scales(const wnn_recurrence *plan, wnn_recurrent_role role, float *to) {
  fill_vector_parts(plan, &plan->scale_sources[role], plan->scale_sources[role].constant, plan->n_gates,
                    plan->blocks, to);
}

void wnn_recurrent_fill(const wnn_recurrence *plan, wnn_recurrent_role role, const wnn_run *run,
                        void *to) {
  if (role == WNN_PACK_WEIGHT || role == WNN_PACK_RECURRENT_WEIGHT)
    fill_panels(plan, role, run, to);
  else
    fill_vectors(plan, role, run, to);
}

bool wnn_recurrent_is_flat(const wnn_recurrent_source *source, const size_t n[3]) {
  if (source->type != WEBNN_DATA_TYPE_FLOAT32) return false;
  size_t dense = 1;
  for (size_t i = 3; i-- > 0; dense *= n[i])
    if (n[i] > 1 && source->strides[i] != dense) return false;
  return true;
}

/* A row of the operand. */
static void flatten_row(const wnn_recurrence *plan, const wnn_recurrent_source *source,
                        const void *bytes, size_t at, size_t n, float *to) {
  if (source->strides[2] == 1 && source->type == WEBNN_DATA_TYPE_FLOAT16) {
    plan->vector->widen((const uint16_t *)bytes + at, to, n);
  } else if (source->strides[2] == 1) {
    memcpy(to, (const float *)bytes + at, n * sizeof *to);
  } else {
    for (size_t k = 0; k < n; k++) to[k] = load(source, bytes, at + k * source->strides[2]);
  }
}

void wnn_recurrent_flatten(const wnn_recurrence *plan, const wnn_recurrent_source *source,
                           const size_t n[3], const void *bytes, float *to) {
  for (size_t i = 0; i < n[0]; i++)
    for (size_t j = 0; j < n[1]; j++, to += n[2])
      flatten_row(plan, source, bytes, i * source->strides[0] + j * source->strides[1], n[2], to);
}
