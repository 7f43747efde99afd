/* Runs element-wise plans: brings operands to tiles, takes each tile through the stages. */
#include "kernels/elementwise.h"

#include <string.h>

#define COPY_STRIDED(T)            \
  for (size_t k = 0; k < run; k++) \
    memcpy(tile + sizeof(T) * k, from + sizeof(T) * k * stride, sizeof(T));
#define FILL(T)                                                                             \
  {                                                                                         \
    T value;                                                                                \
    memcpy(&value, from, sizeof value);                                                     \
    for (size_t k = 0; k < run; k++) memcpy(tile + sizeof value * k, &value, sizeof value); \
  }
#define BY_SIZE(DO)              \
  switch (bytes) {               \
    case 1: DO(uint8_t) break;   \
    case 2: DO(uint16_t) break;  \
    case 4: DO(uint32_t) break;  \
    default: DO(uint64_t) break; \
  }

/* `run` elements, `stride` apart, to neighbours. */
static void gather_run(const char *from, size_t stride, char *tile, size_t run, size_t bytes) {
  if (stride == 1)
    memcpy(tile, from, run * bytes);
  else if (stride == 0)
    BY_SIZE(FILL)
  else
    BY_SIZE(COPY_STRIDED)
}

/* Copies `n` elements that the strides lead to, from flat place `at` of the stretch on. */
static void walk(const wnn_elementwise *plan, const wnn_operand *o, const char *data, size_t at,
                 char *tile, size_t n) {
  size_t place[WNN_MAX_AXES] = {0}, inner = plan->rank - 1, offset = 0;
  for (uint32_t i = plan->rank; i-- > plan->inner;) {
    place[i] = at % plan->dims[i];
    at /= plan->dims[i];
    offset += place[i] * o->strides[i];
  }
  while (n > 0) {
    size_t run = plan->dims[inner] - place[inner], stride = o->strides[inner];
    if (run > n) run = n;
    gather_run(data + offset * o->element_bytes, stride, tile, run, o->element_bytes);
    tile += run * o->element_bytes;
    n -= run;
    offset += run * stride;
    place[inner] += run;
    for (size_t i = inner; i > plan->inner && place[i] == plan->dims[i]; i--) { /* carry */
      offset -= plan->dims[i] * o->strides[i];
      place[i] = 0;
      place[i - 1]++;
      offset += o->strides[i - 1];
    }
  }
}

/* Fills a repeating operand's tile: any place in the stretch then has its row in it. */
static void prepare_repeat(const wnn_elementwise *plan, const wnn_operand *o, const void *data,
                           char *scratch) {
  char *tile = scratch + o->tile_at;
  size_t n = plan->tile + o->period, bytes = o->element_bytes;
  if (o->widens) {
    plan->vector->widen(data, (float *)(void *)tile, o->period);
    bytes = sizeof(float);
  } else {
    memcpy(tile, data, o->period * bytes);
  }
  for (size_t have = o->period; have < n;) {
    size_t more = have < n - have ? have : n - have;
    memcpy(tile + have * bytes, tile, more * bytes);
    have += more;
  }
}

/* One thread's way through a run. */
typedef struct trip {
  const wnn_elementwise *plan;
  char *scratch;
  const char *operands[WNN_MAX_OPERANDS]; /* where the stretch begins */
  char *out;
  bool streams;
} trip;

static void enter_stretch(trip *t, const wnn_run *run, size_t stretch, bool first) {
  const wnn_elementwise *plan = t->plan;
  size_t place[WNN_MAX_AXES], rest = stretch;
  for (uint32_t i = plan->inner; i-- > 0;) {
    place[i] = rest % plan->dims[i];
    rest /= plan->dims[i];
  }
  t->out = (char *)run->outputs[0] + stretch * plan->stretch * plan->out_bytes;
  for (size_t p = 0; p < plan->n_operands; p++) {
    const wnn_operand *o = &plan->operands[p];
    size_t offset = 0;
    for (uint32_t i = 0; i < plan->inner; i++) offset += place[i] * o->strides[i];
    const char *data = (const char *)run->inputs[p] + offset * o->element_bytes;
    if (o->kind == WNN_OPERAND_REPEAT && (first || data != t->operands[p]))
      prepare_repeat(plan, o, data, t->scratch);
    t->operands[p] = data;
  }
}

/* The operand's elements for the tile at place `at` of the stretch. */
static const void *operand_tile(const trip *t, size_t p, size_t at, size_t n) {
  const wnn_operand *o = &t->plan->operands[p];
  const bool half = o->widens;
  char *tile = t->scratch + o->tile_at;
  if (o->kind == WNN_OPERAND_REPEAT) {
    size_t bytes = half ? sizeof(float) : o->element_bytes;
    return o->period == 1 ? tile : tile + at % o->period * bytes;
  }
  const char *elements = t->operands[p] + at * o->element_bytes;
  if (o->kind == WNN_OPERAND_WHOLE && !half) return elements;
  if (o->kind == WNN_OPERAND_WALK) {
    char *to = half ? tile + wnn_aligned(t->plan->tile * sizeof(float)) : tile;
    walk(t->plan, o, t->operands[p], at, to, n);
    elements = to;
  }
  if (!half) return tile;
  t->plan->vector->widen((const uint16_t *)(const void *)elements, (float *)(void *)tile, n);
  return tile;
}

static void fetch_next(const trip *t, size_t at) {
  const wnn_elementwise *plan = t->plan;
  const size_t left = plan->stretch - at, n = left < WNN_TILE ? left : WNN_TILE;
  for (size_t p = 0; p < plan->n_operands; p++) {
    const wnn_operand *o = &plan->operands[p];
    if (o->kind == WNN_OPERAND_WHOLE)
      wnn_fetch(t->operands[p] + at * o->element_bytes, n * o->element_bytes);
  }
}

static void run_tile(const trip *t, size_t at, size_t n) {
  const wnn_elementwise *plan = t->plan;
  const void *last = NULL;
  char *out = t->out + at * plan->out_bytes;
  if (plan->fetches) fetch_next(t, at + n);
  for (size_t s = 0; s < plan->n_stages; s++) {
    const wnn_stage *st = &plan->stages[s];
    const void *in[WNN_MAX_POST_INPUTS];
    for (size_t i = 0; i < st->n_in; i++)
      in[i] = WNN_IS_STAGE(st->from[i]) ? last : operand_tile(t, (size_t)st->from[i], at, n);
    bool is_out = s + 1 == plan->n_stages && !t->streams, half = st->narrows;
    char *between = t->scratch + plan->stage_at[s & 1];
    void *to = is_out && !half ? out : between;
    last = to;
    if (st->passes && (half || !is_out))
      last = in[0];
    else
      st->fn(in, to, n, &st->args);
    if (half) { /* every named float16 operand is rounded */
      char *narrow = is_out ? out : between + n * sizeof(float);
      plan->vector->narrow(last, (uint16_t *)(void *)narrow, n);
      last = s + 1 == plan->n_stages ? (void *)narrow : to;
      if (last == to) plan->vector->widen((const uint16_t *)(const void *)narrow, to, n);
    }
  }
  if (t->streams) plan->vector->stream(last, out, n * plan->out_bytes);
}

typedef struct job {
  const wnn_elementwise *plan;
  const wnn_run *run;
} job;

/* What takes an operand's place is in the cache. */
static bool takes_a_place(const wnn_elementwise *plan, const wnn_run *run) {
  return plan->base.in_place >= 0 && run->inputs[plan->base.in_place] == run->outputs[0];
}

static void run_part(void *arg, size_t slot, size_t part, size_t n_parts) {
  const job *j = arg;
  const wnn_elementwise *plan = j->plan;
  trip t = {.plan = plan,
            .scratch = (char *)j->run->scratch + slot * plan->thread_bytes,
            .streams = plan->streams && !takes_a_place(plan, j->run)};
  size_t per_stretch = (plan->stretch + WNN_TILE - 1) / WNN_TILE, begin, end;
  wnn_parallel_split(plan->n_stretches * per_stretch, part, n_parts, &begin, &end);
  size_t stretch = begin / per_stretch, tile = begin % per_stretch;
  for (size_t k = begin; k < end; k++) {
    if (k == begin || tile == 0) enter_stretch(&t, j->run, stretch, k == begin);
    size_t at = tile * WNN_TILE;
    run_tile(&t, at, plan->stretch - at < WNN_TILE ? plan->stretch - at : WNN_TILE);
    if (++tile == per_stretch) tile = 0, stretch++;
  }
  if (t.streams) plan->vector->stream_end();
}

webnn_status wnn_elementwise_run(const wnn_plan *base, const wnn_run *run) {
  const wnn_elementwise *plan = (const wnn_elementwise *)base;
  if (plan->simple) {
    const void *in[WNN_MAX_POST_INPUTS];
    const wnn_stage *st = &plan->stages[0];
    for (size_t i = 0; i < st->n_in; i++) in[i] = run->inputs[st->from[i]];
    st->fn(in, run->outputs[0], plan->stretch, &st->args);
    return WEBNN_OK;
  }
  job j = {plan, run};
  if (plan->n_parts == 1)
    run_part(&j, 0, 0, 1);
  else
    wnn_parallel_share(wnn_device_host(base->device)->pool, plan->n_parts, run_part, &j);
  return WEBNN_OK;
}
