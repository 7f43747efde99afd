/* Recurrent networks and their cells: what the input contributes to every step in one kernel, all
 * steps in another, a group for each batch of each direction. States stay float from step to step.
 */
#include "gen.h"

enum { GRU_UPDATE, GRU_RESET, GRU_NEW, GRU_GATES };
enum { LSTM_INPUT, LSTM_OUTPUT, LSTM_FORGET, LSTM_CELL, LSTM_GATES };

/* By layout, the block of each gate: zrn, rzn; iofg, ifgo. */
static const uint8_t gru_blocks[][GRU_GATES] = {{0, 1, 2}, {1, 0, 2}};
static const uint8_t lstm_blocks[][LSTM_GATES] = {{0, 1, 2, 3}, {0, 3, 1, 2}};

/* A network's operands, by port, and sizes; a cell is a network of one direction and one step. */
typedef struct network {
  bool is_cell, is_lstm, reset_after;
  int bias, recurrent_bias, peephole, hidden, cell; /* -1: absent */
  int out_cell, out_sequence;
  const uint8_t *blocks;
  const uint32_t *activations;
  webnn_recurrent_network_direction way;
  size_t n_steps, n_batches, n_directions, n_in, n_hidden, n_gates;
  size_t before; /* of what the input contributes, in floats of the scratch; states come first */
} network;

#define STATE_VECTORS 4
#define INPUT_ROWS ((size_t)4)

static int operand(const wnn_region *region, size_t i) {
  return i < region->anchor->n_inputs && region->inputs[i].desc != NULL ? (int)i : -1;
}

static network look_at(const wnn_region *region) {
  const wnn_op_id op = region->anchor->op->id;
  const wnn_desc *x = region->inputs[0].desc;
  network n = {.is_cell = op == WNN_OP_GRU_CELL || op == WNN_OP_LSTM_CELL,
               .is_lstm = op == WNN_OP_LSTM || op == WNN_OP_LSTM_CELL,
               .peephole = -1,
               .cell = -1,
               .out_cell = -1};
  size_t option = !n.is_cell ? 3 : n.is_lstm ? 5 : 4; /* where optional operands begin */
  n.bias = operand(region, option);
  n.recurrent_bias = operand(region, option + 1);
  if (n.is_lstm) {
    const wnn_lstm_attrs *attrs = region->anchor->attrs;
    n.peephole = operand(region, option + 2);
    n.hidden = operand(region, n.is_cell ? 3 : 6);
    n.cell = operand(region, n.is_cell ? 4 : 7);
    n.blocks = lstm_blocks[attrs->layout];
    n.activations = attrs->activations.data;
    n.way = attrs->direction;
    n.n_hidden = attrs->hidden_size;
    n.n_gates = LSTM_GATES;
    n.out_cell = 1;
  } else {
    const wnn_gru_attrs *attrs = region->anchor->attrs;
    n.hidden = operand(region, n.is_cell ? 3 : 5);
    n.blocks = gru_blocks[attrs->layout];
    n.activations = attrs->activations.data;
    n.way = attrs->direction;
    n.n_hidden = attrs->hidden_size;
    n.n_gates = GRU_GATES;
    n.reset_after = attrs->reset_after;
  }
  int sequence = n.is_lstm ? 2 : 1;
  n.out_sequence = (size_t)sequence < region->n_outputs ? sequence : -1;
  n.n_steps = n.is_cell ? 1 : x->dims[0];
  n.n_batches = x->dims[n.is_cell ? 0 : 1];
  n.n_directions = n.is_cell ? 1 : region->inputs[1].desc->dims[0];
  n.n_in = x->dims[x->rank - 1];
  n.before = STATE_VECTORS * n.n_directions * n.n_batches * n.n_hidden;
  return n;
}

/* The place of an operand's element along its axes, `middle` NULL where it has none. A cell's
 * operands have no first axis. */
static const char *place_of(wnn_cl_gen *g, int port, const char *first, const char *middle,
                            const char *last) {
  const wnn_port *p = &g->region->inputs[port];
  const char *places[3] = {first, middle, last}, *index = "0";
  size_t strides[WNN_MAX_RANK];
  uint32_t skip = 3 - p->desc->rank;
  if (middle == NULL) places[1] = first;
  wnn_layout_strides(&p->layout, p->desc, strides);
  for (uint32_t d = 0; d < p->desc->rank; d++)
    index = wnn_cl_say(g, "%s + (%s) * %zuu", index, places[d + skip], strides[d]);
  return index;
}

static const char *at(wnn_cl_gen *g, int port, const char *first, const char *middle,
                      const char *last) {
  return wnn_cl_load(g, (size_t)port, place_of(g, port, first, middle, last));
}

static const char *activated(wnn_cl_gen *g, const network *n, size_t i, const char *x) {
  g->needs |= WNN_CL_NEEDS_MATH;
  switch (n->activations[i]) {
    case WEBNN_RECURRENT_NETWORK_ACTIVATION_RELU:
      return wnn_cl_say(g, "((%s) < 0.0f ? 0.0f : (%s))", x, x);
    case WEBNN_RECURRENT_NETWORK_ACTIVATION_SIGMOID: return wnn_cl_say(g, "w_sigmoid(%s)", x);
    default: return wnn_cl_say(g, "w_tanh(%s)", x);
  }
}

/* ---- sums of products along a last axis, eight at a time where it lies together */

#define WIDE ((size_t)8)

static bool is_wide(const wnn_cl_gen *g, int port, size_t n) {
  const wnn_port *p = &g->region->inputs[port];
  size_t strides[WNN_MAX_RANK];
  wnn_layout_strides(&p->layout, p->desc, strides);
  return n >= WIDE && strides[p->desc->rank - 1] == 1;
}

/* Eight floats of an operand, from this element on. */
static const char *wide_at(wnn_cl_gen *g, int port, const char *index) {
  const bool is_half = g->region->inputs[port].desc->type == WEBNN_DATA_TYPE_FLOAT16;
  g->inputs[port] = g->ever[port] = true;
  return wnn_cl_say(g, "%s(0, i%d + (%s))", is_half ? "vload_half8" : "vload8", port, index);
}

/* Adds the sixteen sums of `name`_8 to `name`. */
static void put_lanes(wnn_cl_gen *g, const char *name) {
  wnn_cl_put(g,
             "    const float4 %s_4 = %s_8.lo + %s_8.hi;\n"
             "    %s += (%s_4.x + %s_4.y) + (%s_4.z + %s_4.w);\n",
             name, name, name, name, name, name, name, name);
}

/* x·Wᵀ + b of every unit of every gate, for each direction, step and batch: a unit and some rows,
 * which are steps and batches, a work-item. */
static void from_input(wnn_cl_gen *g, const network *n) {
  const size_t rows = n->n_steps * n->n_batches, units = n->n_gates * n->n_hidden;
  const size_t tile = rows < INPUT_ROWS ? rows : INPUT_ROWS, n_blocks = (rows + tile - 1) / tile;
  const bool wide = is_wide(g, 0, n->n_in) && is_wide(g, 1, n->n_in);
  const size_t whole = wide ? n->n_in / WIDE * WIDE : 0;
  wnn_cl_put(g, "  const uint unit = i %% %zuu, block = i / %zuu %% %zuu, direction = i / %zuu;\n",
             units, units, n_blocks, units * n_blocks);
  wnn_cl_put(g, "  const float bias = %s;\n",
             n->bias < 0 ? "0.0f" : at(g, n->bias, "direction", NULL, "unit"));
  for (size_t m = 0; m < tile; m++) {
    wnn_cl_put(g, "  const uint r%zu = min(block * %zuu + %zuu, %zuu);\n  float y%zu = bias;\n", m,
               tile, m, rows - 1, m);
    if (wide) wnn_cl_put(g, "  float8 y%zu_8 = (float8)(0.0f);\n", m);
  }
  const char *w = place_of(g, 1, "direction", "unit", "k");
  for (int part = wide ? 0 : 1; part < 2; part++) {
    if (part == 0)
      wnn_cl_put(g, "  for (uint k = 0; k < %zuu; k += %zuu) {\n    const float8 w = %s;\n", whole,
                 WIDE, wide_at(g, 1, w));
    else
      wnn_cl_put(g, "  for (uint k = %zuu; k < %zuu; k++) {\n    const float w = %s;\n", whole,
                 n->n_in, wnn_cl_load(g, 1, w));
    for (size_t m = 0; m < tile; m++) {
      const char *x = place_of(g, 0, wnn_cl_say(g, "r%zu / %zuu", m, n->n_batches),
                               wnn_cl_say(g, "r%zu %% %zuu", m, n->n_batches), "k");
      if (part == 0)
        wnn_cl_put(g, "    y%zu_8 = fma(%s, w, y%zu_8);\n", m, wide_at(g, 0, x), m);
      else
        wnn_cl_put(g, "    y%zu = fma(%s, w, y%zu);\n", m, wnn_cl_load(g, 0, x), m);
    }
    wnn_cl_put(g, "  }\n");
  }
  for (size_t m = 0; m < tile; m++) {
    if (wide) put_lanes(g, wnn_cl_say(g, "y%zu", m));
    wnn_cl_put(g,
               "  ((__global float *)s)[%zuu + (direction * %zuu + r%zu) * %zuu + unit] = y%zu;\n",
               n->before, rows, m, units, m);
  }
  g->scratch = true;
  wnn_cl_items(g, n->n_directions * n_blocks * units);
}

/* Declares, for gate `gate_number` of unit k, what comes from the input (`name`_x), the recurrent
 * bias (`name`_b) and the state (`name`_r), which stands for itself or, `resets`, times the reset
 * gate. */
static void gate(wnn_cl_gen *g, const network *n, const char *name, size_t gate_number,
                 bool resets) {
  const char *unit = wnn_cl_say(g, "%zuu + k", n->blocks[gate_number] * n->n_hidden);
  const char *bias =
      n->recurrent_bias < 0 ? "0.0f" : at(g, n->recurrent_bias, "direction", NULL, unit);
  /* The LSTM's biases join what comes from the input, which they may cancel; the GRU's may be
   * scaled with the state. */
  wnn_cl_put(g, "    const float %s_b = %s;\n    float %s_r = %s;\n", name,
             n->is_lstm ? bias : "0.0f", name, n->is_lstm ? "0.0f" : bias);
  const char *with = resets ? "reset[j] * hidden[j]" : "hidden[j]";
  size_t whole = 0;
  if (is_wide(g, 2, n->n_hidden)) {
    whole = n->n_hidden / WIDE * WIDE;
    wnn_cl_put(g,
               "    float8 %s_r_8 = (float8)(0.0f);\n    for (uint j = 0; j < %zuu; j += %zuu)\n",
               name, whole, WIDE);
    wnn_cl_put(g, "      %s_r_8 = fma(%s, %s, %s_r_8);\n", name,
               resets ? "vload8(0, reset + j) * vload8(0, hidden + j)" : "vload8(0, hidden + j)",
               wide_at(g, 2, place_of(g, 2, "direction", unit, "j")), name);
    put_lanes(g, wnn_cl_say(g, "%s_r", name));
  }
  if (whole < n->n_hidden)
    wnn_cl_put(g, "    for (uint j = %zuu; j < %zuu; j++) %s_r = fma(%s, %s, %s_r);\n", whole,
               n->n_hidden, name, with, at(g, 2, "direction", unit, "j"), name);
  const char *place = wnn_cl_say(g, "((direction * %zuu + t) * %zuu + batch) * %zuu + %s",
                                 n->n_steps, n->n_batches, n->n_gates * n->n_hidden, unit);
  wnn_cl_put(g, "    const float %s_x = ((__global const float *)s)[%zuu + %s];\n", name, n->before,
             place);
}

static const char *with_peephole(wnn_cl_gen *g, const network *n, const char *sum,
                                 size_t gate_number) {
  if (n->peephole < 0) return sum;
  const char *unit = wnn_cl_say(g, "%zuu + k", gate_number * n->n_hidden);
  return wnn_cl_say(g, "fma(%s, cell[k], %s)", at(g, n->peephole, "direction", NULL, unit), sum);
}

static void lstm_step(wnn_cl_gen *g, const network *n) {
  static const char *const names[LSTM_GATES] = {"in", "out", "forget", "fresh"};
  wnn_cl_put(g, "  for (uint k = l; k < %zuu; k += L) {\n", n->n_hidden);
  for (size_t i = 0; i < LSTM_GATES; i++) {
    gate(g, n, names[i], i, false);
    const char *sum = wnn_cl_say(g, "%s_x + %s_b + %s_r", names[i], names[i], names[i]);
    if (i != LSTM_CELL) sum = with_peephole(g, n, sum, i);
    wnn_cl_put(g, "    const float %s_a = %s, %s = %s;\n", names[i], sum, names[i],
               activated(g, n, i == LSTM_CELL ? 1 : 0, wnn_cl_say(g, "%s_a", names[i])));
  }
  wnn_cl_put(
      g,
      "    const float c = fma(forget, cell[k], in * fresh);\n    cell[k] = c;\n    next[k] = "
      "out * %s;\n  }\n",
      activated(g, n, 2, "c"));
}

static void gru_step(wnn_cl_gen *g, const network *n) {
  wnn_cl_put(g, "  for (uint k = l; k < %zuu; k += L) {\n", n->n_hidden);
  gate(g, n, "r", GRU_RESET, false);
  wnn_cl_put(g,
             "    const float r_a = r_x + r_b + r_r;\n    reset[k] = %s;\n  }\n  "
             "barrier(CLK_GLOBAL_MEM_FENCE);\n",
             activated(g, n, 0, "r_a"));
  wnn_cl_put(g, "  for (uint k = l; k < %zuu; k += L) {\n", n->n_hidden);
  gate(g, n, "z", GRU_UPDATE, false);
  gate(g, n, "n", GRU_NEW, !n->reset_after);
  wnn_cl_put(g, "    const float z_a = z_x + z_b + z_r, z = %s;\n", activated(g, n, 0, "z_a"));
  wnn_cl_put(g, "    const float n_a = n_x + %s, fresh = %s;\n",
             n->reset_after ? "reset[k] * (n_b + n_r)" : "n_b + n_r", activated(g, n, 1, "n_a"));
  wnn_cl_put(g, "    next[k] = z * hidden[k] + (1.0f - z) * fresh;\n  }\n");
}

static void put_state(wnn_cl_gen *g, const char *name, int port) {
  wnn_cl_put(g, "    %s[k] = %s;\n", name,
             port < 0 ? "0.0f" : at(g, port, "direction", "batch", "k"));
}

static void all_steps(wnn_cl_gen *g, const network *n) {
  size_t local = g->device->is_cpu ? 64 : 256;
  while (local > 16 && local / 2 >= n->n_hidden) local /= 2;
  if (local > g->device->max_group) local = g->device->max_group;
  bool backward = n->way == WEBNN_RECURRENT_NETWORK_DIRECTION_BACKWARD;
  g->scratch = true;
  wnn_cl_put(g, "  const uint L = %zuu, direction = g / %zuu, batch = g %% %zuu;\n", local,
             n->n_batches, n->n_batches);
  wnn_cl_put(g,
             "  __global float *hidden = (__global float *)s + g * %zuu, *cell = hidden + %zuu, "
             "*next = cell + %zuu, "
             "*reset = next + %zuu;\n",
             STATE_VECTORS * n->n_hidden, n->n_hidden, n->n_hidden, n->n_hidden);
  wnn_cl_put(g, "  for (uint k = l; k < %zuu; k += L) {\n", n->n_hidden);
  put_state(g, "hidden", n->hidden);
  put_state(g, "cell", n->cell);
  wnn_cl_put(g, "  }\n  barrier(CLK_GLOBAL_MEM_FENCE);\n  for (uint n = 0; n < %zuu; n++) {\n",
             n->n_steps);
  wnn_cl_put(g, "  const uint t = %s ? %zuu - n : n;\n", backward ? "true" : "direction == 1",
             n->n_steps - 1);
  if (n->is_lstm)
    lstm_step(g, n);
  else
    gru_step(g, n);
  wnn_cl_put(g,
             "  barrier(CLK_GLOBAL_MEM_FENCE);\n  for (uint k = l; k < %zuu; k += L) {\n    "
             "hidden[k] = next[k];\n",
             n->n_hidden);
  if (n->out_sequence >= 0)
    wnn_cl_put(g, "    %s\n",
               wnn_cl_store(g, (size_t)n->out_sequence,
                            wnn_cl_say(g, "((t * %zuu + direction) * %zuu + batch) * %zuu + k",
                                       n->n_directions, n->n_batches, n->n_hidden),
                            "next[k]"));
  wnn_cl_put(g,
             "  }\n  barrier(CLK_GLOBAL_MEM_FENCE);\n  }\n  for (uint k = l; k < %zuu; k += L) {\n",
             n->n_hidden);
  const char *end = wnn_cl_say(g, "g * %zuu + k", n->n_hidden);
  wnn_cl_put(g, "    %s\n", wnn_cl_store(g, 0, end, "hidden[k]"));
  if (n->out_cell >= 0)
    wnn_cl_put(g, "    %s\n", wnn_cl_store(g, (size_t)n->out_cell, end, "cell[k]"));
  wnn_cl_put(g, "  }\n");
  wnn_cl_groups(g, n->n_directions * n->n_batches, local);
}

static webnn_status plan(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  wnn_cl_gen g;
  webnn_status status = wnn_cl_gen_begin(&g, device, region);
  if (status != WEBNN_OK) return wnn_cl_gen_finish(&g, status, out);
  network n = look_at(region);
  size_t n_contributions = n.n_directions * n.n_steps * n.n_batches * n.n_gates * n.n_hidden;
  wnn_cl_plan_scratch(g.plan, (n.before + n_contributions) * sizeof(cl_float));
  from_input(&g, &n);
  all_steps(&g, &n);
  return wnn_cl_gen_finish(&g, status, out);
}

const wnn_kernel wnn_cl_recurrent = {"opencl recurrent", plan, wnn_cl_plan_run, wnn_cl_plan_free};
