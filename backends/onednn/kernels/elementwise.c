/* Element-wise regions: a chain of operations runs tile by tile, so that what passes between two of
 * them never leaves the cache. */
#include "kernels/elementwise.h"

#include "kernels/kernels.h"

#include <string.h>

#define MAX_ROW ((size_t)4096)    /* longer repeating rows are walked through */
#define MIN_STRETCH ((size_t)192) /* shorter stretches cost more than walking */
#define FAR_BYTES ((size_t)4 << 20)
#define PARALLEL_WORK \
  ((size_t)64 * 1024) /* elements times what the stages cost, below which threads don't pay */

/* ---- what there is */

static webnn_data_type computed_as(webnn_data_type type) {
  return wnn_is_half(type) ? WEBNN_DATA_TYPE_FLOAT32 : type;
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
  if (region->n_posts + 2 > WNN_MAX_STAGES || region->n_inputs > WNN_MAX_OPERANDS) return false;
  for (size_t i = 0; i < next->node->n_inputs;
       i++) { /* scales of blocks only where they cut the anchor */
    if (next->from[i] == WNN_FROM_NONE) return false;
    if (WNN_IS_STAGE(next->from[i]) && WNN_STAGE_OF(next->from[i]) != region->n_posts) return false;
    if (!wnn_shape_broadcasts_to(source_desc(region, next, i), &next->desc)) return false;
  }
  const wnn_desc *desc = source_desc(region, next, typed_operand(op));
  return wnn_is_elementwise(op, desc->type, next->desc.type);
}

/* ---- stages */

static void set_bounds(wnn_stage_args *args, webnn_number low, webnn_number high) {
  webnn_number numbers[2] = {low, high};
  for (int k = 0; k < 2; k++) {
    if (numbers[k].kind == WEBNN_NUMBER_DOUBLE) args->f[k] = (float)numbers[k].as.f;
    if (numbers[k].kind == WEBNN_NUMBER_INT64) args->i[k] = numbers[k].as.i;
    if (numbers[k].kind == WEBNN_NUMBER_UINT64) args->u[k] = numbers[k].as.u;
  }
}

void wnn_set_stage_args(wnn_stage_args *args, const wnn_node *node) {
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

static bool set_stage(wnn_elementwise *plan, const wnn_region *region, const wnn_post *post,
                      size_t s) {
  wnn_stage *st = &plan->stages[s];
  wnn_op_id op = post->node->op->id;
  *st = (wnn_stage){.narrows = wnn_is_half(post->desc.type) && !plan->as_bits,
                    .n_in = (uint8_t)post->node->n_inputs};
  if (post->node->n_inputs > WNN_MAX_POST_INPUTS) return false;
  for (size_t i = 0; i < st->n_in; i++) {
    st->from[i] = post->from[i];
    /* Tiles between stages are two: only the stage before can be read. */
    if (WNN_IS_STAGE(st->from[i]) && WNN_STAGE_OF(st->from[i]) != s - 1) return false;
    if (st->from[i] == WNN_FROM_NONE) return false;
  }
  wnn_set_stage_args(&st->args, post->node);
  const wnn_desc *desc = source_desc(region, post, typed_operand(op));
  st->fn = plan->as_bits
               ? plan->vector->stage(op, desc->type, post->desc.type)
               : plan->vector->stage(op, computed_as(desc->type), computed_as(post->desc.type));
  st->passes = op == WNN_OP_CAST && !plan->as_bits &&
               computed_as(desc->type) == computed_as(post->desc.type);
  return st->fn != NULL;
}

static bool set_stages(wnn_elementwise *plan, const wnn_region *region) {
  wnn_post first = {.node = region->anchor, .desc = region->anchor_desc};
  if (region->anchor->n_inputs > WNN_MAX_POST_INPUTS) return false;
  for (size_t i = 0; i < WNN_MAX_POST_INPUTS; i++)
    first.from[i] = i < region->anchor->n_inputs ? (int16_t)i : WNN_FROM_NONE;
  plan->n_stages = region->n_posts + 1;
  if (!set_stage(plan, region, &first, 0)) return false;
  for (size_t s = 1; s < plan->n_stages; s++)
    if (!set_stage(plan, region, &region->posts[s - 1], s)) return false;
  return true;
}

/* ---- operands */

/* Elements of the output along an axis that share one of the operand; 0: it doesn't fit. */
static size_t block_along(const wnn_desc *operand, const wnn_desc *out, uint32_t axis) {
  uint32_t missing = out->rank - operand->rank;
  uint32_t n = out->dims[axis], has = axis < missing ? 1 : operand->dims[axis - missing];
  return n % has == 0 ? n / has : 0;
}

/* How the output's axes are cut for scales of blocks: elements of a block, or 1. */
static bool find_blocks(const wnn_region *region, size_t blocks[WNN_MAX_RANK]) {
  const wnn_desc *out = region->outputs[0].desc;
  for (uint32_t axis = 0; axis < out->rank; axis++) {
    blocks[axis] = 1;
    for (size_t p = 0; p < region->n_inputs; p++) {
      const wnn_desc *desc = region->inputs[p].desc;
      size_t block = block_along(desc, out, axis);
      if (block == 0) return false;
      if (block == 1 || block == out->dims[axis]) continue;
      if (blocks[axis] != 1 && blocks[axis] != block) return false;
      blocks[axis] = block;
    }
  }
  return true;
}

static bool fits(const wnn_port *port, const wnn_desc *out) {
  return port->desc != NULL && !wnn_layout_is_blocked(&port->layout) &&
         port->desc->rank <= out->rank;
}

/* Strides of an operand along the plan's axes; 0 where it is repeated. */
static void set_strides(wnn_operand *o, const wnn_port *port, const wnn_port *out,
                        const size_t blocks[WNN_MAX_RANK]) {
  size_t own[WNN_MAX_RANK];
  uint32_t missing = out->desc->rank - port->desc->rank, k = 0;
  wnn_layout_strides(&port->layout, port->desc, own);
  o->element_bytes = webnn_data_type_bytes(port->desc->type);
  for (uint32_t i = 0; i < out->desc->rank; i++) {
    uint32_t axis = out->layout.order[i];
    size_t shares = block_along(port->desc, out->desc, axis),
           stride = axis < missing ? 0 : own[axis - missing];
    if (shares == out->desc->dims[axis] && shares > 1) stride = 0;
    if (blocks[axis] > 1) o->strides[k++] = shares == 1 ? stride * blocks[axis] : stride;
    o->strides[k++] = shares == 1 ? stride : 0;
  }
}

static bool set_operands(wnn_elementwise *plan, const wnn_region *region) {
  const wnn_port *out = &region->outputs[0];
  size_t blocks[WNN_MAX_RANK];
  if (wnn_layout_is_blocked(&out->layout) || region->n_inputs > WNN_MAX_OPERANDS) return false;
  for (size_t p = 0; p < region->n_inputs; p++)
    if (!fits(&region->inputs[p], out->desc)) return false;
  if (!find_blocks(region, blocks)) return false;
  for (uint32_t i = 0; i < out->desc->rank; i++) {
    uint32_t axis = out->layout.order[i];
    if (blocks[axis] > 1) plan->dims[plan->rank++] = out->desc->dims[axis] / blocks[axis];
    plan->dims[plan->rank++] = blocks[axis] > 1 ? blocks[axis] : out->desc->dims[axis];
  }
  plan->n_operands = region->n_inputs;
  for (size_t p = 0; p < region->n_inputs; p++) {
    set_strides(&plan->operands[p], &region->inputs[p], out, blocks);
    plan->operands[p].widens = wnn_is_half(region->inputs[p].desc->type) && !plan->as_bits;
  }
  return true;
}

/* Axes of one element go; neighbours that every operand walks through as one become one. */
static void collapse(wnn_elementwise *plan) {
  uint32_t rank = 0;
  for (uint32_t i = 0; i < plan->rank; i++) {
    if (plan->dims[i] == 1) continue;
    bool joins = rank > 0;
    for (size_t p = 0; p < plan->n_operands && joins; p++)
      joins = plan->operands[p].strides[rank - 1] == plan->operands[p].strides[i] * plan->dims[i];
    if (joins)
      plan->dims[rank - 1] *= plan->dims[i];
    else
      plan->dims[rank++] = plan->dims[i];
    for (size_t p = 0; p < plan->n_operands; p++)
      plan->operands[p].strides[rank - 1] = plan->operands[p].strides[i];
  }
  plan->rank = rank;
}

/* Whole when dense all the way; repeating when dense over the inner axes and still over the outer
 * ones. */
static void classify(const wnn_elementwise *plan, wnn_operand *o) {
  size_t dense = 1;
  uint32_t i = plan->rank;
  while (i > plan->inner && o->strides[i - 1] == dense) dense *= plan->dims[--i];
  o->period = dense;
  o->kind = i == plan->inner ? WNN_OPERAND_WHOLE : WNN_OPERAND_REPEAT;
  for (; i > plan->inner; i--)
    if (o->strides[i - 1] != 0) o->kind = WNN_OPERAND_WALK;
  if (o->kind == WNN_OPERAND_REPEAT && o->period > MAX_ROW) o->kind = WNN_OPERAND_WALK;
}

/* True when nothing has to walk in stretches of the axes from `inner` on. */
static bool cut(wnn_elementwise *plan, uint32_t inner) {
  bool walks = false;
  plan->inner = inner;
  plan->n_stretches = plan->stretch = 1;
  for (uint32_t i = 0; i < plan->rank; i++)
    *(i < inner ? &plan->n_stretches : &plan->stretch) *= plan->dims[i];
  for (size_t p = 0; p < plan->n_operands; p++) {
    classify(plan, &plan->operands[p]);
    walks = walks || plan->operands[p].kind == WNN_OPERAND_WALK;
  }
  return !walks;
}

static void choose_stretches(wnn_elementwise *plan) {
  for (uint32_t inner = 0; inner < plan->rank || inner == 0; inner++)
    if (cut(plan, inner) && (inner == 0 || plan->stretch >= MIN_STRETCH)) return;
  cut(plan, 0);
}

/* ---- the rest of the plan */

/* About how many additions an operation takes the time of. */
static size_t cost_of(wnn_op_id op) {
  switch (op) {
    case WNN_OP_COS:
    case WNN_OP_ERF:
    case WNN_OP_GELU:
    case WNN_OP_SIN:
    case WNN_OP_SOFTPLUS:
    case WNN_OP_TAN: return 16;
    case WNN_OP_POW: return 32;
    case WNN_OP_ELU:
    case WNN_OP_EXP:
    case WNN_OP_GELU_TANH:
    case WNN_OP_LOG:
    case WNN_OP_MISH:
    case WNN_OP_SIGMOID:
    case WNN_OP_SILU:
    case WNN_OP_SILU_HALF:
    case WNN_OP_TANH: return 6;
    default: return 1;
  }
}

static size_t cost_of_all(const wnn_region *region) {
  size_t cost = cost_of(region->anchor->op->id);
  for (size_t i = 0; i < region->n_posts; i++) cost += cost_of(region->posts[i].node->op->id);
  return cost;
}

/* Room in a thread's scratch: an operand's tile (with the narrow one behind it for float16),
 * stages' tiles. */
static void set_scratch(wnn_elementwise *plan, const wnn_region *region, const wnn_host *host) {
  size_t at = 0, tile = plan->stretch < WNN_TILE ? plan->stretch : WNN_TILE;
  plan->tile = tile;
  for (size_t p = 0; p < plan->n_operands; p++) {
    wnn_operand *o = &plan->operands[p];
    size_t n = o->kind == WNN_OPERAND_REPEAT ? tile + o->period : tile;
    o->tile_at = at;
    if (o->widens)
      at += wnn_aligned(n * sizeof(float)) + wnn_aligned(n * sizeof(uint16_t));
    else if (o->kind != WNN_OPERAND_WHOLE)
      at += wnn_aligned(n * o->element_bytes);
  }
  for (int k = 0; k < 2; k++) {
    plan->stage_at[k] = at;
    at += wnn_aligned(tile * 8);
  }
  plan->thread_bytes = at;
  size_t tiles = plan->n_stretches * ((plan->stretch + WNN_TILE - 1) / WNN_TILE);
  plan->base.heavy = plan->n_stretches * plan->stretch * cost_of_all(region) >= PARALLEL_WORK;
  plan->n_parts = !plan->base.heavy
                      ? 1
                      : wnn_pool_parts(host->pool, tiles,
                                       2 * plan->n_stretches * plan->stretch * plan->out_bytes);
  plan->base.scratch_bytes = plan->thread_bytes * wnn_pool_slots(host->pool, plan->n_parts);
}

/* Lies as the output does, in every stretch and over all of them. */
static bool lies_as_output(const wnn_elementwise *plan, const wnn_operand *o) {
  size_t dense = 1;
  uint32_t i = plan->rank;
  while (i > 0 && o->strides[i - 1] == dense) dense *= plan->dims[--i];
  return i == 0;
}

static void choose_in_place(wnn_elementwise *plan, const wnn_region *region) {
  for (size_t p = 0; p < plan->n_operands && plan->base.in_place < 0; p++)
    if (lies_as_output(plan, &plan->operands[p]) &&
        plan->operands[p].element_bytes == plan->out_bytes && region->inputs[p].constant == NULL)
      plan->base.in_place = (int)p;
}

static bool is_simple(const wnn_elementwise *plan) {
  bool simple = plan->n_stages == 1 && plan->n_stretches == 1 && plan->stretch <= WNN_TILE;
  for (size_t p = 0; p < plan->n_operands; p++)
    simple = simple && plan->operands[p].kind == WNN_OPERAND_WHOLE && !plan->operands[p].widens;
  return simple && !plan->stages[0].narrows;
}

static void free_elementwise(wnn_plan *plan) {
  wnn_alloc_free(&wnn_device_host(plan->device)->alloc, plan, plan->n_bytes);
}

static webnn_status plan_elementwise(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  if (region->n_outputs != 1) return WEBNN_ERROR_NOT_SUPPORTED;
  wnn_elementwise *plan = (wnn_elementwise *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->vector = wnn_vector_for(host);
  plan->as_bits = region->anchor->op->id == WNN_OP_WHERE && region->n_posts == 0;
  if (!set_operands(plan, region) || !set_stages(plan, region)) {
    free_elementwise(&plan->base);
    return WEBNN_ERROR_NOT_SUPPORTED;
  }
  collapse(plan);
  choose_stretches(plan);
  plan->out_bytes = webnn_data_type_bytes(region->outputs[0].desc->type);
  plan->streams = wnn_streams(host, wnn_desc_bytes(region->outputs[0].desc));
  plan->fetches = plan->n_stretches * plan->stretch * plan->operands[0].element_bytes >= FAR_BYTES;
  set_scratch(plan, region, host);
  choose_in_place(plan, region);
  plan->simple = is_simple(plan);
  *out = &plan->base;
  return WEBNN_OK;
}

const wnn_kernel wnn_elementwise_kernel = {"elementwise", plan_elementwise, wnn_elementwise_run,
                                           free_elementwise};
