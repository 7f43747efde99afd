/* gru, gruCell, lstm, lstmCell of float32 and float16, in any unblocked layouts: plans how operands
 * are packed and how the work is cut. */
#include "kernels/recurrent.h"

#include <string.h>
#include "kernels/kernels.h"

/* Multiply-adds: less than this isn't worth a second thread, … */
#define PARALLEL_WORK ((size_t)1 << 20)
/* … and less than this in a step not the threads' meeting behind each. */
#define CHUNK_WORK ((size_t)1 << 15)
/* Rows of input products that are computed at a time: enough for the weights to be read seldom, few
 * enough for the sums to stay near. */
#define STRETCH_ROWS ((size_t)48)
/* Batches that go through time together: weights are read once a step for all of them, so they
 * shouldn't be too few where threads share the batches; of too many the gates are far away. */
#define LEAST_BATCHES ((size_t)4)
#define MOST_BATCHES ((size_t)96)
/* Panels that hold more padding than weights may not be larger than this. */
#define MAX_WASTE_BYTES ((size_t)1 << 24)

extern const wnn_recurrent_rows wnn_recurrent_rows_generic;
#ifdef __x86_64__
extern const wnn_vector wnn_vector_avx2, wnn_vector_avx512;
extern const wnn_recurrent_rows wnn_recurrent_rows_avx2, wnn_recurrent_rows_avx512;
#endif

const wnn_recurrent_rows *wnn_recurrent_rows_get(void) {
#ifdef __x86_64__
  const wnn_vector *vector = wnn_vector_get();
  if (vector == &wnn_vector_avx512) return &wnn_recurrent_rows_avx512;
  if (vector == &wnn_vector_avx2) return &wnn_recurrent_rows_avx2;
#endif
  return &wnn_recurrent_rows_generic;
}

/* ---- what the node says */

/* Operands of a node by role; -1: it has none. */
static const int8_t gru_operands[] = {1, 2, 3, 4, -1, 0, 5, -1},
                    gru_cell_operands[] = {1, 2, 4, 5, -1, 0, 3, -1},
                    lstm_operands[] = {1, 2, 3, 4, 5, 0, 6, 7},
                    lstm_cell_operands[] = {1, 2, 5, 6, 7, 0, 3, 4};

static const int8_t *operands_of(wnn_op_id op) {
  switch (op) {
    case WNN_OP_GRU: return gru_operands;
    case WNN_OP_GRU_CELL: return gru_cell_operands;
    case WNN_OP_LSTM:
    case WNN_OP_LSTM_INTEGER: return lstm_operands;
    default: return lstm_cell_operands;
  }
}

static wnn_activation_fn activation_of(const wnn_recurrent_rows *rows, uint32_t activation) {
  switch (activation) {
    case WEBNN_RECURRENT_NETWORK_ACTIVATION_RELU: return rows->relu;
    case WEBNN_RECURRENT_NETWORK_ACTIVATION_SIGMOID: return rows->sigmoid;
    default: return rows->tanh;
  }
}

static void read_activations(wnn_recurrence *plan, const wnn_uints *activations) {
  for (size_t i = 0; i < activations->n && i < 3; i++)
    plan->activations[i] = activation_of(plan->rows, activations->data[i]);
}

/* Where the node has each gate: iofg, ifgo; zrn, rzn. */
static const uint8_t lstm_blocks[][WNN_MAX_GATES] = {{0, 1, 2, 3}, {0, 3, 1, 2}},
                     gru_blocks[][WNN_MAX_GATES] = {{0, 1, 2, 0}, {1, 0, 2, 0}};

static void read_attributes(wnn_recurrence *plan, const wnn_node *node) {
  plan->is_bytes = node->op->id == WNN_OP_LSTM_INTEGER;
  plan->is_lstm = node->op->id == WNN_OP_LSTM || node->op->id == WNN_OP_LSTM_CELL || plan->is_bytes;
  const uint8_t *blocks;
  webnn_recurrent_network_direction direction;
  if (plan->is_lstm) {
    const wnn_lstm_attrs *attrs = node->attrs;
    plan->n_gates = 4;
    plan->n_hidden = attrs->hidden_size;
    direction = attrs->direction;
    blocks = lstm_blocks[attrs->layout];
    read_activations(plan, &attrs->activations);
  } else {
    const wnn_gru_attrs *attrs = node->attrs;
    plan->n_gates = 3;
    plan->n_hidden = attrs->hidden_size;
    plan->reset_after = attrs->reset_after;
    direction = attrs->direction;
    blocks = gru_blocks[attrs->layout];
    read_activations(plan, &attrs->activations);
  }
  memcpy(plan->blocks, blocks, sizeof plan->blocks);
  plan->starts_backward = direction == WEBNN_RECURRENT_NETWORK_DIRECTION_BACKWARD;
}

/* Axes that a cell's operands don't have get the stride 0. */
static bool read_source(wnn_recurrent_source *source, const wnn_region *region, int operand) {
  if (operand < 0 || (size_t)operand >= region->n_inputs || region->inputs[operand].desc == NULL)
    return true;
  const wnn_port *port = &region->inputs[operand];
  if (wnn_layout_is_blocked(&port->layout)) return false;
  size_t strides[WNN_MAX_RANK];
  wnn_layout_strides(&port->layout, port->desc, strides);
  *source = (wnn_recurrent_source){.port = (size_t)operand,
                                   .is_there = true,
                                   .constant = port->constant,
                                   .type = port->desc->type};
  for (uint32_t i = 0; i < port->desc->rank; i++)
    source->strides[i + 3 - port->desc->rank] = strides[i];
  return true;
}

static void read_sizes(wnn_recurrence *plan, const wnn_region *region) {
  const wnn_desc *input = region->inputs[0].desc;
  bool is_cell = input->rank == 2;
  plan->n_steps = is_cell ? 1 : input->dims[0];
  plan->n_batches = input->dims[input->rank - 2];
  plan->n_in = input->dims[input->rank - 1];
  plan->n_directions = is_cell ? 1 : region->inputs[1].desc->dims[0];
  size_t n_states = plan->is_lstm ? 2 : 1;
  plan->sequence = region->n_outputs > n_states ? (int)n_states : -1;
  plan->is_half = region->outputs[0].desc->type == WEBNN_DATA_TYPE_FLOAT16;
  plan->n_blocks = (plan->n_hidden + plan->rows->width - 1) / plan->rows->width;
  plan->n_padded = plan->n_blocks * plan->rows->width;
}

static bool read_node(wnn_recurrence *plan, const wnn_region *region) {
  const int8_t *operands = operands_of(region->anchor->op->id);
  if (region->n_posts != 0) return false;
  read_attributes(plan, region->anchor);
  read_sizes(plan, region);
  for (size_t i = 0; i < region->n_outputs; i++)
    if (!wnn_layout_is_plain(&region->outputs[i].layout, region->outputs[i].desc)) return false;
  for (size_t role = 0; role < WNN_RECURRENT_N_ROLES; role++)
    if (!read_source(&plan->sources[role], region, operands[role])) return false;
  for (int i = 0; i < 2 && plan->is_bytes; i++) {
    const wnn_recurrent_source *weight = &plan->sources[WNN_PACK_WEIGHT + i], *scale = &plan->scale_sources[i];
    if (!read_source(&plan->scale_sources[i], region, WNN_LSTM_SCALE + i)) return false;
    if (weight->constant == NULL || weight->type != WEBNN_DATA_TYPE_INT8 || scale->constant == NULL) return false;
  }
  return true;
}

/* ---- how the work is cut */

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static size_t most_rows(const wnn_recurrence *plan) {
  return (plan->n_batches + plan->n_groups - 1) / plan->n_groups;
}

/* Directions and batches don't meet, so threads share them first; where there are too few, they
 * share the units and meet behind each step. */
static void cut(wnn_recurrence *plan, const wnn_pool *pool) {
  const size_t per_step = plan->n_batches * plan->n_gates * plan->n_padded * plan->n_hidden;
  const size_t work = per_step + plan->n_batches * plan->n_gates * plan->n_padded * plan->n_in;
  plan->base.heavy = work >= PARALLEL_WORK / (plan->n_steps * plan->n_directions);
  const size_t threads = plan->base.heavy && pool != NULL ? wnn_pool_threads(pool) : 1;
  const size_t sharers =
      (threads + plan->n_directions - 1) / plan->n_directions; /* of a direction */
  plan->n_groups = (plan->n_batches + MOST_BATCHES - 1) / MOST_BATCHES;
  plan->n_chunks = 1;
  if (plan->n_batches >= sharers * LEAST_BATCHES)
    plan->n_groups = (plan->n_groups + sharers - 1) / sharers * sharers;
  else if (plan->n_groups == 1 && sharers > 1 && wnn_pool_spins(pool))
    plan->n_chunks = least(least(sharers, plan->n_blocks), per_step / CHUNK_WORK + 1);
  const size_t strands = plan->n_directions * plan->n_groups;
  plan->n_slots = plan->n_chunks > 1 ? strands : least(strands, threads);
  const size_t rows = most_rows(plan);
  plan->stretch = least(plan->n_steps, (STRETCH_ROWS + rows - 1) / rows);
}

static bool is_wasteful(const wnn_recurrence *plan) {
  size_t floats =
      plan->n_directions * plan->n_gates * plan->n_padded * (plan->n_in + plan->n_hidden);
  return plan->n_padded > 2 * plan->n_hidden && floats > MAX_WASTE_BYTES / sizeof(float);
}

/* ---- memory */

static size_t place(size_t *end, size_t n_bytes) {
  size_t at = *end;
  *end += (n_bytes + WNN_CACHE_LINE - 1) / WNN_CACHE_LINE * WNN_CACHE_LINE;
  return at;
}

/* Room for a whole operand as plain float32 [n0][n1][n2], unless its own memory serves. */
static size_t place_flat(wnn_recurrence *plan, wnn_recurrent_role role, const size_t n[3]) {
  const wnn_recurrent_source *source = &plan->sources[role];
  if (source->is_there && wnn_recurrent_is_flat(source, n)) return WNN_NOWHERE;
  return place(&plan->base.scratch_bytes, n[0] * n[1] * n[2] * sizeof(float));
}

static void place_slots(wnn_recurrence *plan) {
  wnn_recurrent_scratch *to = &plan->scratch;
  size_t rows = most_rows(plan), end = 0;
  size_t padded = rows * plan->n_padded * sizeof(float),
         state = rows * plan->n_hidden * sizeof(float);
  to->gates = place(&end, plan->stretch * plan->n_gates * padded);
  if (plan->is_lstm)
    to->cells = place(&end, padded);
  else
    to->extra = place(&end, padded);
  for (size_t i = 0; i < 2; i++)
    if (plan->sequence < 0 || plan->is_half) to->states[i] = place(&end, state);
  if (plan->n_chunks > 1) to->progress = place(&end, wnn_recurrent_progress_bytes(plan->n_chunks));
  to->slot_bytes = end;
  to->slots = place(&plan->base.scratch_bytes, plan->n_slots * end);
}

/* Kept when its operand is constant, and then the operand isn't needed at the run. */
static void place_pack(wnn_recurrence *plan, wnn_recurrent_role role, size_t n_floats) {
  const wnn_recurrent_source *source = &plan->sources[role];
  wnn_recurrent_packed *pack = &plan->packs[role];
  pack->is_kept = !source->is_there || source->constant != NULL;
  const bool is_bytes = plan->is_bytes && role <= WNN_PACK_RECURRENT_WEIGHT;
  pack->n_bytes = n_floats * (is_bytes ? sizeof(int8_t) : sizeof(float));
  pack->offset =
      place(pack->is_kept ? &plan->kept_bytes : &plan->base.scratch_bytes, pack->n_bytes);
  if (pack->is_kept && source->is_there) plan->base.packed |= UINT64_C(1) << source->port;
}

static void place_all(wnn_recurrence *plan) {
  size_t gates = plan->n_directions * plan->n_gates * plan->n_padded;
  bool has_peephole = plan->sources[WNN_PACK_PEEPHOLE].is_there;
  place_pack(plan, WNN_PACK_WEIGHT, gates * plan->n_in);
  place_pack(plan, WNN_PACK_RECURRENT_WEIGHT, gates * plan->n_hidden);
  place_pack(plan, WNN_PACK_BIAS, gates);
  place_pack(plan, WNN_PACK_RECURRENT_BIAS, gates);
  place_pack(plan, WNN_PACK_PEEPHOLE, has_peephole ? plan->n_directions * 3 * plan->n_padded : 0);
  for (size_t i = 0; i < 2 && plan->is_bytes; i++) {
    plan->scales_at[i] = place(&plan->kept_bytes, gates * sizeof(float));
    plan->base.packed |= UINT64_C(1) << plan->scale_sources[i].port;
  }
  const size_t state[3] = {plan->n_directions, plan->n_batches, plan->n_hidden};
  const wnn_recurrent_source *input = &plan->sources[WNN_RECURRENT_INPUT];
  bool is_ready =
      input->type == WEBNN_DATA_TYPE_FLOAT32 && (plan->n_in == 1 || input->strides[2] == 1);
  size_t input_bytes = plan->n_steps * plan->n_batches * plan->n_in * sizeof(float);
  plan->scratch.input = is_ready ? WNN_NOWHERE : place(&plan->base.scratch_bytes, input_bytes);
  plan->scratch.hidden = place_flat(plan, WNN_RECURRENT_HIDDEN, state);
  bool has_cell = plan->sources[WNN_RECURRENT_CELL].is_there;
  plan->scratch.cell = has_cell ? place_flat(plan, WNN_RECURRENT_CELL, state) : WNN_NOWHERE;
  place_slots(plan);
}

static void free_recurrent(wnn_plan *base) {
  wnn_recurrence *plan = (wnn_recurrence *)(void *)base;
  const wnn_alloc *alloc = &wnn_device_host(base->device)->alloc;
  wnn_bank_put(plan->kept);
  wnn_alloc_free(alloc, plan, base->n_bytes);
}

static webnn_status keep_packs(wnn_recurrence *plan, const wnn_host *host) {
  plan->kept = wnn_bank_get(host->bank, &host->alloc, plan->kept_bytes);
  if (plan->kept == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->base.weight_bytes = plan->kept_bytes;
  for (size_t i = 0; i < WNN_N_PACKS; i++) {
    const wnn_recurrent_packed *pack = &plan->packs[i];
    const wnn_recurrent_role role = (wnn_recurrent_role)i;
    if (!pack->is_kept) continue;
    wnn_recurrent_fill(plan, role, NULL, plan->kept + pack->offset);
    if (plan->is_bytes && i <= WNN_PACK_RECURRENT_WEIGHT)
      wnn_recurrent_fill_scales(plan, role, (float *)(void *)(plan->kept + plan->scales_at[i]));
  }
  return WEBNN_OK;
}

static webnn_status plan_recurrent(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_host *host = wnn_device_host(device);
  wnn_recurrence *plan =
      (wnn_recurrence *)(void *)wnn_plan_create(device, &host->alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->vector = wnn_vector_get();
  plan->rows = wnn_recurrent_rows_get();
  webnn_status status = WEBNN_ERROR_NOT_SUPPORTED;
  if (read_node(plan, region) && !is_wasteful(plan)) {
    cut(plan, host->pool);
    place_all(plan);
    if (plan->base.scratch_bytes <= WNN_MAX_BYTES) status = keep_packs(plan, host);
  }
  if (status != WEBNN_OK) {
    free_recurrent(&plan->base);
    return status;
  }
  *out = &plan->base;
  return WEBNN_OK;
}

const wnn_kernel wnn_recurrent_kernel = {"recurrent", plan_recurrent, wnn_recurrent_run,
                                         free_recurrent};
