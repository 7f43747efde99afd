/* Recurrent networks and their cells: what the input contributes to every step in one kernel, all
 * steps in another, a group for each batch of each direction; one step of few batches is one
 * kernel. States stay float from step to step. */
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
  bool is_one;   /* step of few batches: what the input contributes is the same kernel's work */
  size_t before; /* of what the input contributes, in floats of the scratch; states come first */
} network;

#define STATE_VECTORS 4
#define FEW_GROUPS 4
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
  n.is_one = n.n_steps == 1 && n.n_directions * n.n_batches <= FEW_GROUPS;
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

/* ---- sums of products along a last axis, sixteen at a time where it lies together */

#define WIDE ((size_t)16)

/* What is added to the float `name` for element j, and for sixteen from there on. */
typedef struct product {
  const char *name, *a, *b, *wide_a, *wide_b;
} product;

static bool is_wide(const wnn_cl_gen *g, int port, size_t n) {
  const wnn_port *p = &g->region->inputs[port];
  size_t strides[WNN_MAX_RANK];
  wnn_layout_strides(&p->layout, p->desc, strides);
  return n >= WIDE && strides[p->desc->rank - 1] == 1;
}

/* Sixteen floats of an operand, from this element on. */
static const char *wide_at(wnn_cl_gen *g, int port, const char *index) {
  return wnn_cl_load_many(g, wnn_cl_say(g, "i%d", port), g->region->inputs[port].desc->type, WIDE,
                          index);
}

/* All of them in one walk along `n` elements: none waits for another. */
static void put_products(wnn_cl_gen *g, const product *products, size_t n_products, size_t n,
                         bool wide) {
  const size_t whole = wide ? n / WIDE * WIDE : 0;
  for (size_t m = 0; m < n_products && whole != 0; m++)
    wnn_cl_put(g, "    float16 %s_16 = (float16)(0.0f);\n", products[m].name);
  if (whole != 0) wnn_cl_put(g, "    for (uint j = 0; j < %zuu; j += %zuu) {\n", whole, WIDE);
  for (size_t m = 0; m < n_products && whole != 0; m++)
    wnn_cl_put(g, "      %s_16 = fma(%s, %s, %s_16);\n", products[m].name, products[m].wide_a,
               products[m].wide_b, products[m].name);
  for (size_t m = 0; m < n_products && whole != 0; m++)
    wnn_cl_put(g, "    %sconst float8 %s_8 = %s_16.lo + %s_16.hi;\n", m == 0 ? "}\n    " : "",
               products[m].name, products[m].name, products[m].name);
  for (size_t m = 0; m < n_products && whole != 0; m++)
    wnn_cl_put(g,
               "    const float4 %s_4 = %s_8.lo + %s_8.hi;\n"
               "    %s += (%s_4.x + %s_4.y) + (%s_4.z + %s_4.w);\n",
               products[m].name, products[m].name, products[m].name, products[m].name,
               products[m].name, products[m].name, products[m].name, products[m].name);
  if (whole == n) return;
  wnn_cl_put(g, "    for (uint j = %zuu; j < %zuu; j++) {\n", whole, n);
  for (size_t m = 0; m < n_products; m++)
    wnn_cl_put(g, "      %s = fma(%s, %s, %s);\n", products[m].name, products[m].a, products[m].b,
               products[m].name);
  wnn_cl_put(g, "    }\n");
}

/* The input of a step and batch times the weights of a unit. */
static product input_product(wnn_cl_gen *g, const char *name, const char *step, const char *batch,
                             const char *unit, bool wide) {
  const char *x = place_of(g, 0, step, batch, "j"), *w = place_of(g, 1, "direction", unit, "j");
  product p = {.name = name, .a = wnn_cl_load(g, 0, x), .b = wnn_cl_load(g, 1, w)};
  if (wide) p.wide_a = wide_at(g, 0, x), p.wide_b = wide_at(g, 1, w);
  return p;
}

static bool input_is_wide(const wnn_cl_gen *g, const network *n) {
  return is_wide(g, 0, n->n_in) && is_wide(g, 1, n->n_in);
}

/* x·Wᵀ + b of every unit of every gate, for each direction, step and batch: a unit and some rows,
 * which are steps and batches, a work-item. */
static void from_input(wnn_cl_gen *g, const network *n) {
  const size_t rows = n->n_steps * n->n_batches, units = n->n_gates * n->n_hidden;
  const size_t tile = rows < INPUT_ROWS ? rows : INPUT_ROWS, n_blocks = (rows + tile - 1) / tile;
  const bool wide = input_is_wide(g, n);
  product products[INPUT_ROWS];
  wnn_cl_put(g, "  const uint unit = i %% %zuu, block = i / %zuu %% %zuu, direction = i / %zuu;\n",
             units, units, n_blocks, units * n_blocks);
  wnn_cl_put(g, "  const float bias = %s;\n",
             n->bias < 0 ? "0.0f" : at(g, n->bias, "direction", NULL, "unit"));
  for (size_t m = 0; m < tile; m++) {
    wnn_cl_put(g, "  const uint r%zu = min(block * %zuu + %zuu, %zuu);\n  float y%zu = bias;\n", m,
               tile, m, rows - 1, m);
    products[m] =
        input_product(g, wnn_cl_say(g, "y%zu", m), wnn_cl_say(g, "r%zu / %zuu", m, n->n_batches),
                      wnn_cl_say(g, "r%zu %% %zuu", m, n->n_batches), "unit", wide);
  }
  put_products(g, products, tile, n->n_in, wide);
  for (size_t m = 0; m < tile; m++)
    wnn_cl_put(g,
               "  ((__global float *)s)[%zuu + (direction * %zuu + r%zu) * %zuu + unit] = y%zu;\n",
               n->before, rows, m, units, m);
  g->scratch = true;
  wnn_cl_items(g, n->n_directions * n_blocks * units);
}

/* ---- gates */

typedef struct gate {
  const char *name;
  size_t number;
  bool resets; /* the state stands times the reset gate */
} gate;

/* The sums of unit k for a gate begin: what comes from the input (`name`_x), the recurrent bias
 * (`name`_b) and the state (`name`_r). */
static void begin_gate(wnn_cl_gen *g, const network *n, const char *name, const char *unit) {
  const char *bias =
      n->recurrent_bias < 0 ? "0.0f" : at(g, n->recurrent_bias, "direction", NULL, unit);
  /* The LSTM's biases join what comes from the input, which they may cancel; the GRU's may be
   * scaled with the state. */
  wnn_cl_put(g, "    const float %s_b = %s;\n    float %s_r = %s;\n", name,
             n->is_lstm ? bias : "0.0f", name, n->is_lstm ? "0.0f" : bias);
  if (n->is_one)
    wnn_cl_put(g, "    float %s_x = %s;\n", name,
               n->bias < 0 ? "0.0f" : at(g, n->bias, "direction", NULL, unit));
  else
    wnn_cl_put(
        g,
        "    const float %s_x = ((__global const float *)s)[%zuu + ((direction * %zuu + t) * "
        "%zuu + batch) * %zuu + %s];\n",
        name, n->before, n->n_steps, n->n_batches, n->n_gates * n->n_hidden, unit);
}

static void put_gates(wnn_cl_gen *g, const network *n, const gate *gates, size_t n_gates) {
  const bool wide = is_wide(g, 2, n->n_hidden), wide_input = input_is_wide(g, n);
  product inputs[LSTM_GATES], states[LSTM_GATES];
  for (size_t i = 0; i < n_gates; i++) {
    const char *name = gates[i].name;
    const char *unit = wnn_cl_say(g, "%zuu + k", n->blocks[gates[i].number] * n->n_hidden);
    begin_gate(g, n, name, unit);
    const char *w = place_of(g, 2, "direction", unit, "j");
    states[i] =
        (product){wnn_cl_say(g, "%s_r", name),
                  gates[i].resets ? "reset[j] * hidden[j]" : "hidden[j]", wnn_cl_load(g, 2, w),
                  gates[i].resets ? "vload16(0, reset + j) * vload16(0, hidden + j)"
                                  : "vload16(0, hidden + j)",
                  wide ? wide_at(g, 2, w) : ""};
    if (n->is_one)
      inputs[i] = input_product(g, wnn_cl_say(g, "%s_x", name), "t", "batch", unit, wide_input);
  }
  if (n->is_one) put_products(g, inputs, n_gates, n->n_in, wide_input);
  put_products(g, states, n_gates, n->n_hidden, wide);
}

static const char *with_peephole(wnn_cl_gen *g, const network *n, const char *sum,
                                 size_t gate_number) {
  if (n->peephole < 0) return sum;
  const char *unit = wnn_cl_say(g, "%zuu + k", gate_number * n->n_hidden);
  return wnn_cl_say(g, "fma(%s, cell[k], %s)", at(g, n->peephole, "direction", NULL, unit), sum);
}

static void lstm_step(wnn_cl_gen *g, const network *n) {
  static const gate gates[LSTM_GATES] = {{"in", LSTM_INPUT, false},
                                         {"out", LSTM_OUTPUT, false},
                                         {"forget", LSTM_FORGET, false},
                                         {"fresh", LSTM_CELL, false}};
  wnn_cl_put(g, "  for (uint k = l; k < %zuu; k += L) {\n", n->n_hidden);
  put_gates(g, n, gates, LSTM_GATES);
  for (size_t i = 0; i < LSTM_GATES; i++) {
    const char *name = gates[i].name, *sum = wnn_cl_say(g, "%s_x + %s_b + %s_r", name, name, name);
    if (i != LSTM_CELL) sum = with_peephole(g, n, sum, i);
    wnn_cl_put(g, "    const float %s_a = %s, %s = %s;\n", name, sum, name,
               activated(g, n, i == LSTM_CELL ? 1 : 0, wnn_cl_say(g, "%s_a", name)));
  }
  wnn_cl_put(
      g,
      "    const float c = fma(forget, cell[k], in * fresh);\n    cell[k] = c;\n    next[k] = "
      "out * %s;\n  }\n",
      activated(g, n, 2, "c"));
}

static void gru_step(wnn_cl_gen *g, const network *n) {
  const gate reset = {"r", GRU_RESET, false},
             others[] = {{"z", GRU_UPDATE, false}, {"n", GRU_NEW, !n->reset_after}};
  wnn_cl_put(g, "  for (uint k = l; k < %zuu; k += L) {\n", n->n_hidden);
  put_gates(g, n, &reset, 1);
  wnn_cl_put(g,
             "    const float r_a = r_x + r_b + r_r;\n    reset[k] = %s;\n  }\n  "
             "barrier(CLK_GLOBAL_MEM_FENCE);\n",
             activated(g, n, 0, "r_a"));
  wnn_cl_put(g, "  for (uint k = l; k < %zuu; k += L) {\n", n->n_hidden);
  put_gates(g, n, others, 2);
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
  wnn_cl_plan_scratch(g.plan, (n.before + (n.is_one ? 0 : n_contributions)) * sizeof(cl_float));
  if (!n.is_one) from_input(&g, &n);
  all_steps(&g, &n);
  return wnn_cl_gen_finish(&g, status, out);
}

const wnn_kernel wnn_cl_recurrent = {"opencl recurrent", plan, wnn_cl_plan_run, wnn_cl_plan_free};
