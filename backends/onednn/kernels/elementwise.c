/* Element-wise regions: a chain of operations runs tile by tile, so that what passes between two of them never
 * leaves the cache. An operand is brought to each tile by its own shape: whole, one number, a row that repeats,
 * or walked through by strides. */
#include "kernels/kernels.h"
#include "kernels/vector.h"

#include <string.h>

#define TILE ((size_t)1024) /* elements */
#define MAX_ROW ((size_t)4096) /* longer repeating rows are walked through */
#define MAX_STAGES (WNN_MAX_POSTS + 1)
#define MAX_OPERANDS 24
#define PARALLEL_WORK ((size_t)32 * 1024) /* elements times stages below which threads don't pay */

typedef enum operand_kind {
  OPERAND_WHOLE,  /* lies as the output does */
  OPERAND_REPEAT, /* a row of `period` elements, over and over; 1: a number */
  OPERAND_WALK,   /* anything else */
} operand_kind;

typedef struct operand {
  operand_kind kind;
  webnn_data_type type;
  size_t element_bytes;
  size_t period;
  size_t strides[WNN_MAX_RANK]; /* along the collapsed axes of the output */
  size_t tile_offset;           /* where its tile lies in a thread's scratch */
} operand;

typedef struct stage {
  wnn_stage_fn fn;
  wnn_stage_args args;
  int16_t from[WNN_MAX_POST_INPUTS]; /* port, none, or the stage before (WNN_IS_STAGE) */
  uint8_t n_in;
  webnn_data_type type; /* of the result; float16 results are rounded, then widened again */
} stage;

typedef struct elementwise_plan {
  wnn_plan base;
  const wnn_vector *vector;
  size_t n; /* elements of the output */
  uint32_t rank;
  size_t dims[WNN_MAX_RANK]; /* collapsed, outermost first */
  operand operands[MAX_OPERANDS];
  size_t n_operands;
  stage stages[MAX_STAGES];
  size_t n_stages;
  size_t out_bytes;      /* of an element */
  size_t thread_bytes;   /* scratch of one thread */
  size_t stage_offset[2]; /* the two tiles between stages */
  size_t n_parts;
} elementwise_plan;

/* ---- what there is */

static webnn_data_type computed_as(webnn_data_type type) {
  return type == WEBNN_DATA_TYPE_FLOAT16 ? WEBNN_DATA_TYPE_FLOAT32 : type;
}

bool wnn_is_elementwise(wnn_op_id op, webnn_data_type from, webnn_data_type to) {
  return wnn_vector_get()->stage(op, computed_as(from), computed_as(to)) != NULL;
}

/* The operand whose type decides: of where, the first value. */
static size_t typed_operand(wnn_op_id op) { return op == WNN_OP_WHERE ? 1 : 0; }

static const wnn_desc *source_desc(const wnn_region *region, const wnn_post *post, size_t i) {
  int16_t from = post->from[i];
  if (!WNN_IS_STAGE(from)) return region->inputs[from].desc;
  size_t k = WNN_STAGE_OF(from);
  return k == 0 ? &region->anchor_desc : &region->posts[k - 1].desc;
}

bool wnn_elementwise_can_fuse(const wnn_region *region, const wnn_post *next) {
  wnn_op_id op = next->node->op->id;
  if (region->n_posts + 2 > MAX_STAGES || region->n_inputs > MAX_OPERANDS) return false;
  const wnn_desc *desc = source_desc(region, next, typed_operand(op));
  return wnn_is_elementwise(op, desc->type, next->desc.type);
}

/* ---- planning */

static void set_bounds(wnn_stage_args *args, webnn_number low, webnn_number high) {
  webnn_number numbers[2] = {low, high};
  for (int k = 0; k < 2; k++) {
    if (numbers[k].kind == WEBNN_NUMBER_DOUBLE) args->f[k] = (float)numbers[k].as.f;
    if (numbers[k].kind == WEBNN_NUMBER_INT64) args->i[k] = numbers[k].as.i;
    if (numbers[k].kind == WEBNN_NUMBER_UINT64) args->u[k] = numbers[k].as.u;
  }
}

static void set_args(wnn_stage_args *args, const wnn_node *node) {
  switch (node->op->id) {
    case WNN_OP_CLAMP: {
      const wnn_clamp_attrs *a = node->attrs;
      set_bounds(args, a->min_value, a->max_value);
      break;
    }
    case WNN_OP_ELU:
    case WNN_OP_LEAKY_RELU: {
      const wnn_alpha_attrs *a = node->attrs;
      args->f[0] = (float)a->alpha.as.f;
      break;
    }
    case WNN_OP_HARD_SIGMOID:
    case WNN_OP_LINEAR: {
      const wnn_alpha_beta_attrs *a = node->attrs;
      args->f[0] = (float)a->alpha.as.f;
      args->f[1] = (float)a->beta.as.f;
      break;
    }
    default: break;
  }
}

static bool set_stage(elementwise_plan *plan, const wnn_region *region, const wnn_post *post, size_t s) {
  stage *st = &plan->stages[s];
  wnn_op_id op = post->node->op->id;
  *st = (stage){.type = post->desc.type, .n_in = (uint8_t)post->node->n_inputs};
  if (post->node->n_inputs > WNN_MAX_POST_INPUTS) return false;
  for (size_t i = 0; i < st->n_in; i++) {
    st->from[i] = post->from[i];
    /* Tiles between stages are two: only the stage before can be read. */
    if (WNN_IS_STAGE(st->from[i]) && WNN_STAGE_OF(st->from[i]) != s - 1) return false;
    if (st->from[i] == WNN_FROM_NONE) return false;
  }
  set_args(&st->args, post->node);
  const wnn_desc *desc = source_desc(region, post, typed_operand(op));
  st->fn = plan->vector->stage(op, computed_as(desc->type), computed_as(post->desc.type));
  return st->fn != NULL;
}

static bool set_stages(elementwise_plan *plan, const wnn_region *region) {
  wnn_post first = {.node = region->anchor, .desc = region->anchor_desc};
  for (size_t i = 0; i < WNN_MAX_POST_INPUTS; i++)
    first.from[i] = i < region->anchor->n_inputs ? (int16_t)i : WNN_FROM_NONE;
  plan->n_stages = region->n_posts + 1;
  if (!set_stage(plan, region, &first, 0)) return false;
  for (size_t s = 1; s < plan->n_stages; s++)
    if (!set_stage(plan, region, &region->posts[s - 1], s)) return false;
  return true;
}

/* Strides of each port along the output's axes in the order of storage; 0 where it is repeated. */
static bool set_strides(elementwise_plan *plan, const wnn_region *region) {
  const wnn_port *out = &region->outputs[0];
  if (wnn_layout_is_blocked(&out->layout) || region->n_inputs > MAX_OPERANDS) return false;
  plan->rank = out->desc->rank;
  for (uint32_t i = 0; i < plan->rank; i++) plan->dims[i] = out->desc->dims[out->layout.order[i]];
  plan->n_operands = region->n_inputs;
  for (size_t p = 0; p < region->n_inputs; p++) {
    const wnn_port *port = &region->inputs[p];
    size_t own[WNN_MAX_RANK];
    if (port->desc == NULL || wnn_layout_is_blocked(&port->layout)) return false;
    if (!wnn_shape_broadcasts_to(port->desc, out->desc)) return false;
    uint32_t missing = plan->rank - port->desc->rank;
    wnn_layout_strides(&port->layout, port->desc, own);
    operand *o = &plan->operands[p];
    o->type = port->desc->type;
    o->element_bytes = webnn_data_type_bytes(o->type);
    for (uint32_t i = 0; i < plan->rank; i++) {
      uint32_t axis = out->layout.order[i];
      bool repeated = axis < missing || port->desc->dims[axis - missing] == 1;
      o->strides[i] = repeated ? 0 : own[axis - missing];
    }
  }
  return true;
}

/* Axes of one element go; neighbours that every operand walks through as one become one. */
static void collapse(elementwise_plan *plan) {
  uint32_t rank = 0;
  for (uint32_t i = 0; i < plan->rank; i++) {
    if (plan->dims[i] == 1) continue;
    bool joins = rank > 0;
    for (size_t p = 0; p < plan->n_operands && joins; p++)
      joins = plan->operands[p].strides[rank - 1] == plan->operands[p].strides[i] * plan->dims[i];
    if (joins) plan->dims[rank - 1] *= plan->dims[i];
    else plan->dims[rank++] = plan->dims[i];
    for (size_t p = 0; p < plan->n_operands; p++)
      plan->operands[p].strides[rank - 1] = plan->operands[p].strides[i];
  }
  plan->rank = rank;
  plan->n = 1;
  for (uint32_t i = 0; i < rank; i++) plan->n *= plan->dims[i];
}

/* Whole when dense all the way; repeating when dense over the inner axes and still over the outer ones. */
static void classify(const elementwise_plan *plan, operand *o) {
  size_t dense = 1;
  uint32_t i = plan->rank;
  while (i > 0 && o->strides[i - 1] == dense) dense *= plan->dims[--i];
  o->period = dense;
  o->kind = i == 0 ? OPERAND_WHOLE : OPERAND_REPEAT;
  for (; i > 0; i--)
    if (o->strides[i - 1] != 0) o->kind = OPERAND_WALK;
  if (o->kind == OPERAND_REPEAT && o->period > MAX_ROW) o->kind = OPERAND_WALK;
}

static size_t aligned(size_t n) { return (n + WNN_CACHE_LINE - 1) / WNN_CACHE_LINE * WNN_CACHE_LINE; }

static bool is_half(webnn_data_type type) { return type == WEBNN_DATA_TYPE_FLOAT16; }

/* Room in a thread's scratch: an operand's tile (with the narrow one behind it for float16), stages' tiles. */
static void set_scratch(elementwise_plan *plan, const wnn_host *host) {
  size_t at = 0;
  for (size_t p = 0; p < plan->n_operands; p++) {
    operand *o = &plan->operands[p];
    size_t n = o->kind == OPERAND_REPEAT ? TILE + o->period : TILE;
    o->tile_offset = at;
    if (is_half(o->type)) at += aligned(n * sizeof(float)) + aligned(n * sizeof(uint16_t));
    else if (o->kind != OPERAND_WHOLE) at += aligned(n * o->element_bytes);
  }
  for (int k = 0; k < 2; k++) {
    plan->stage_offset[k] = at;
    at += aligned(TILE * 8);
  }
  plan->thread_bytes = at;
  size_t work = plan->n * plan->n_stages, threads = wnn_pool_threads(host->pool);
  size_t tiles = (plan->n + TILE - 1) / TILE;
  plan->base.heavy = work >= PARALLEL_WORK && threads > 1;
  plan->n_parts = plan->base.heavy ? (tiles < threads ? tiles : threads) : 1;
  plan->base.scratch_bytes = plan->thread_bytes * plan->n_parts;
  plan->base.heavy = work >= PARALLEL_WORK;
}

static void choose_in_place(elementwise_plan *plan, const wnn_region *region) {
  for (size_t p = 0; p < plan->n_operands && plan->base.in_place < 0; p++)
    if (plan->operands[p].kind == OPERAND_WHOLE && plan->operands[p].element_bytes == plan->out_bytes &&
        region->inputs[p].constant == NULL)
      plan->base.in_place = (int)p;
}

static webnn_status plan_elementwise(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  if (region->n_outputs != 1) return WEBNN_ERROR_NOT_SUPPORTED;
  elementwise_plan *plan = (elementwise_plan *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->vector = wnn_vector_get();
  if (!set_strides(plan, region) || !set_stages(plan, region)) {
    wnn_alloc_free(&host->alloc, plan, sizeof *plan);
    return WEBNN_ERROR_NOT_SUPPORTED;
  }
  collapse(plan);
  for (size_t p = 0; p < plan->n_operands; p++) classify(plan, &plan->operands[p]);
  plan->out_bytes = webnn_data_type_bytes(region->outputs[0].desc->type);
  set_scratch(plan, host);
  choose_in_place(plan, region);
  *out = &plan->base;
  return WEBNN_OK;
}

/* ---- running */

/* Copies `n` elements that the strides lead to, from flat place `at` of the output on. */
static void walk(const elementwise_plan *plan, const operand *o, const char *data, size_t at, char *tile,
                 size_t n) {
  size_t place[WNN_MAX_RANK] = {0}, inner = plan->rank ? plan->rank - 1 : 0, offset = 0;
  size_t bytes = o->element_bytes;
  for (uint32_t i = plan->rank; i-- > 0;) {
    place[i] = at % plan->dims[i];
    at /= plan->dims[i];
    offset += place[i] * o->strides[i];
  }
  while (n > 0) {
    size_t run = plan->dims[inner] - place[inner], stride = o->strides[inner];
    if (run > n) run = n;
    const char *from = data + offset * bytes;
    if (stride == 1) {
      memcpy(tile, from, run * bytes);
    } else if (bytes == 4) {
      for (size_t k = 0; k < run; k++) memcpy(tile + 4 * k, from + 4 * k * stride, 4);
    } else {
      for (size_t k = 0; k < run; k++) memcpy(tile + k * bytes, from + k * stride * bytes, bytes);
    }
    tile += run * bytes;
    n -= run;
    offset += run * stride;
    place[inner] += run;
    for (size_t i = inner; i > 0 && place[i] == plan->dims[i]; i--) { /* carry */
      offset -= plan->dims[i] * o->strides[i];
      place[i] = 0;
      place[i - 1]++;
      offset += o->strides[i - 1];
    }
  }
}

/* Fills a repeating operand's tile once: any place in the output then has its row in it. */
static void prepare_repeat(const elementwise_plan *plan, const operand *o, const void *data, char *scratch) {
  char *tile = scratch + o->tile_offset;
  size_t n = TILE + o->period, bytes = o->element_bytes;
  if (is_half(o->type)) {
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

/* The operand's elements for the tile at flat place `at`. */
static const void *operand_tile(const elementwise_plan *plan, const operand *o, const char *data, size_t at,
                                size_t n, char *scratch) {
  char *tile = scratch + o->tile_offset;
  size_t bytes = is_half(o->type) ? sizeof(float) : o->element_bytes;
  if (o->kind == OPERAND_REPEAT) return tile + at % o->period * bytes;
  const char *elements = data + at * o->element_bytes;
  if (!is_half(o->type)) {
    if (o->kind == OPERAND_WHOLE) return elements;
    walk(plan, o, data, at, tile, n);
    return tile;
  }
  if (o->kind == OPERAND_WALK) {
    char *narrow = tile + aligned(TILE * sizeof(float));
    walk(plan, o, data, at, narrow, n);
    elements = narrow;
  }
  plan->vector->widen((const uint16_t *)(const void *)elements, (float *)(void *)tile, n);
  return tile;
}

static void run_tile(const elementwise_plan *plan, const wnn_run *run, size_t at, size_t n, char *scratch) {
  const void *last = NULL;
  char *out = (char *)run->outputs[0] + at * plan->out_bytes;
  for (size_t s = 0; s < plan->n_stages; s++) {
    const stage *st = &plan->stages[s];
    const void *in[WNN_MAX_POST_INPUTS];
    for (size_t i = 0; i < st->n_in; i++)
      in[i] = WNN_IS_STAGE(st->from[i])
                  ? last
                  : operand_tile(plan, &plan->operands[st->from[i]], run->inputs[st->from[i]], at, n, scratch);
    bool is_last = s + 1 == plan->n_stages, half = is_half(st->type);
    void *to = is_last && !half ? (void *)out : scratch + plan->stage_offset[s & 1];
    st->fn(in, to, n, &st->args);
    if (half) { /* every named float16 operand is rounded */
      uint16_t *narrow = is_last ? (uint16_t *)(void *)out
                                 : (uint16_t *)(void *)(scratch + plan->stage_offset[s & 1] + TILE * 4);
      plan->vector->narrow(to, narrow, n);
      if (!is_last) plan->vector->widen(narrow, to, n);
    }
    last = to;
  }
}

typedef struct job {
  const elementwise_plan *plan;
  const wnn_run *run;
} job;

static void run_part(void *arg, size_t part, size_t n_parts) {
  const job *j = arg;
  const elementwise_plan *plan = j->plan;
  char *scratch = (char *)j->run->scratch + part * plan->thread_bytes;
  size_t begin, end;
  wnn_parallel_split((plan->n + TILE - 1) / TILE, part, n_parts, &begin, &end);
  for (size_t p = 0; p < plan->n_operands; p++)
    if (plan->operands[p].kind == OPERAND_REPEAT)
      prepare_repeat(plan, &plan->operands[p], j->run->inputs[p], scratch);
  for (size_t t = begin; t < end; t++) {
    size_t at = t * TILE, n = plan->n - at < TILE ? plan->n - at : TILE;
    run_tile(plan, j->run, at, n, scratch);
  }
}

static webnn_status run_elementwise(const wnn_plan *base, const wnn_run *run) {
  const elementwise_plan *plan = (const elementwise_plan *)base;
  job j = {plan, run};
  if (plan->n_parts == 1) run_part(&j, 0, 1);
  else wnn_parallel(wnn_device_host(base->device)->pool, plan->n_parts, run_part, &j);
  return WEBNN_OK;
}

static void free_elementwise(wnn_plan *plan) {
  wnn_alloc_free(&wnn_device_host(plan->device)->alloc, plan, plan->n_bytes);
}

const wnn_kernel wnn_elementwise_kernel = {"elementwise", plan_elementwise, run_elementwise, free_elementwise};
