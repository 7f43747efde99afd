/* Recurrent networks: gru and lstm over time, and their cells. States and gates stay in double from
 * step to step; what comes out is rounded. */
#include "reference.h"
#include <math.h>

/* A network's operands and sizes; a cell is a network of one direction and one step. */
typedef struct network {
  const wnn_ref_input *input, *weight, *recurrent_weight;
  const wnn_ref_input *scale, *recurrent_scale;          /* of weights that are bytes; NULL: they aren't */
  const wnn_ref_input *bias, *recurrent_bias, *peephole; /* NULL: absent */
  const uint8_t *blocks;       /* by gate: its block of rows in weights and biases */
  const uint32_t *activations; /* webnn_recurrent_network_activation */
  size_t n_steps, n_batches, n_directions, n_in, n_hidden, n_gates;
  bool reset_after; /* gru */
} network;

/* What one batch of one direction carries: vectors of n_hidden numbers in the scratch. */
typedef struct state {
  double *hidden, *cell;
  double *next;  /* the new hidden state while the old one is still read */
  double *reset; /* gru: the reset gate */
} state;

enum { GRU_UPDATE, GRU_RESET, GRU_NEW, GRU_GATES };
enum { LSTM_INPUT, LSTM_OUTPUT, LSTM_FORGET, LSTM_CELL, LSTM_GATES };
#define STATE_VECTORS 4

/* By layout, the block of each gate: zrn, rzn; iofg, ifgo. */
static const uint8_t gru_blocks[][GRU_GATES] = {{0, 1, 2}, {1, 0, 2}};
static const uint8_t lstm_blocks[][LSTM_GATES] = {{0, 1, 2, 3}, {0, 3, 1, 2}};

static double at(const wnn_ref_input *operand, size_t i) {
  return wnn_ref_load_f(operand->data, operand->desc->type, i);
}

static double activate(const network *net, size_t i, double x) {
  switch (net->activations[i]) {
    case WEBNN_RECURRENT_NETWORK_ACTIVATION_RELU: return x < 0 ? 0 : x;
    case WEBNN_RECURRENT_NETWORK_ACTIVATION_SIGMOID: return 1 / (1 + exp(-x));
    default: return tanh(x);
  }
}

/* The row of weights and biases that holds unit `unit` of a gate. */
static size_t gate_row(const network *net, size_t direction, size_t gate, size_t unit) {
  return (direction * net->n_gates + net->blocks[gate]) * net->n_hidden + unit;
}

static double from_bias(const wnn_ref_input *bias, size_t row) {
  return bias != NULL ? at(bias, row) : 0;
}

static double weight_at(const wnn_ref_input *weight, const wnn_ref_input *scale, size_t row, size_t n, size_t i) {
  if (scale == NULL) return at(weight, row * n + i);
  return (double)((const int8_t *)weight->data)[row * n + i] * at(scale, row);
}

/* x·Wᵀ + b of one unit; `x` is a row of the input. */
static double from_input(const network *net, size_t row, size_t x) {
  double sum = from_bias(net->bias, row);
  for (size_t i = 0; i < net->n_in; i++)
    sum += at(net->input, x * net->n_in + i) * weight_at(net->weight, net->scale, row, net->n_in, i);
  return sum;
}

/* h·Rᵀ + rb of one unit; with `factors`, each element of h times its own. */
static double from_state(const network *net, size_t row, const double *hidden,
                         const double *factors) {
  double sum = from_bias(net->recurrent_bias, row);
  for (size_t i = 0; i < net->n_hidden; i++) {
    double h = factors != NULL ? factors[i] * hidden[i] : hidden[i];
    sum += h * weight_at(net->recurrent_weight, net->recurrent_scale, row, net->n_hidden, i);
  }
  return sum;
}

static void take_next(const network *net, state *s) {
  memcpy(s->hidden, s->next, net->n_hidden * sizeof(double));
}

static void gru_step(const network *net, size_t direction, size_t x, state *s) {
  for (size_t k = 0; k < net->n_hidden; k++) {
    size_t row = gate_row(net, direction, GRU_RESET, k);
    s->reset[k] = activate(net, 0, from_input(net, row, x) + from_state(net, row, s->hidden, NULL));
  }
  for (size_t k = 0; k < net->n_hidden; k++) {
    size_t row = gate_row(net, direction, GRU_UPDATE, k);
    double sum = from_input(net, row, x) + from_state(net, row, s->hidden, NULL);
    double update = activate(net, 0, sum);
    row = gate_row(net, direction, GRU_NEW, k);
    double recurrent = net->reset_after ? s->reset[k] * from_state(net, row, s->hidden, NULL)
                                        : from_state(net, row, s->hidden, s->reset);
    double fresh = activate(net, 1, from_input(net, row, x) + recurrent);
    s->next[k] = update * s->hidden[k] + (1 - update) * fresh;
  }
  take_next(net, s);
}

/* All but the cell gate look at the old cell state through the peephole, whose blocks are i, o, f
 * in any layout. */
static double lstm_gate(const network *net, size_t direction, size_t gate, size_t k, size_t x,
                        const state *s) {
  size_t row = gate_row(net, direction, gate, k);
  double sum = from_input(net, row, x) + from_state(net, row, s->hidden, NULL);
  if (net->peephole != NULL && gate != LSTM_CELL)
    sum += at(net->peephole, (direction * 3 + gate) * net->n_hidden + k) * s->cell[k];
  return activate(net, gate == LSTM_CELL ? 1 : 0, sum);
}

static void lstm_step(const network *net, size_t direction, size_t x, state *s) {
  for (size_t k = 0; k < net->n_hidden; k++) {
    double in = lstm_gate(net, direction, LSTM_INPUT, k, x, s);
    double out = lstm_gate(net, direction, LSTM_OUTPUT, k, x, s);
    double forget = lstm_gate(net, direction, LSTM_FORGET, k, x, s);
    double fresh = lstm_gate(net, direction, LSTM_CELL, k, x, s);
    s->cell[k] = forget * s->cell[k] + in * fresh;
    s->next[k] = out * activate(net, 2, s->cell[k]);
  }
  take_next(net, s);
}

static void load_state(double *to, const network *net, const wnn_ref_input *from, size_t row) {
  for (size_t k = 0; k < net->n_hidden; k++)
    to[k] = from != NULL ? at(from, row * net->n_hidden + k) : 0;
}

static void store_state(const network *net, const wnn_ref_output *to, size_t row,
                        const double *from) {
  for (size_t k = 0; k < net->n_hidden; k++)
    wnn_ref_store_f(to->data, to->desc->type, row * net->n_hidden + k, from[k]);
}

/* What a run begins with and leaves behind; NULL: zeros, not wanted. */
typedef struct ends {
  const wnn_ref_input *initial_hidden, *initial_cell;
  const wnn_ref_output *hidden, *cell, *sequence;
} ends;

typedef void (*step_fn)(const network *net, size_t direction, size_t x, state *s);

static state state_in(const network *net, void *scratch) {
  double *vectors = scratch;
  return (state){vectors, vectors + net->n_hidden, vectors + 2 * net->n_hidden,
                 vectors + 3 * net->n_hidden};
}

/* Batches don't meet: each goes through time on its own. The sequence is stored by time, also where
 * it is walked backwards. */
static void run_batch(const network *net, step_fn step, const ends *e, size_t direction,
                      bool backward, size_t batch, state *s) {
  size_t end_row = direction * net->n_batches + batch;
  load_state(s->hidden, net, e->initial_hidden, end_row);
  load_state(s->cell, net, e->initial_cell, end_row);
  for (size_t i = 0; i < net->n_steps; i++) {
    size_t t = backward ? net->n_steps - 1 - i : i;
    step(net, direction, t * net->n_batches + batch, s);
    if (e->sequence != NULL)
      store_state(net, e->sequence, (t * net->n_directions + direction) * net->n_batches + batch,
                  s->hidden);
  }
  store_state(net, e->hidden, end_row, s->hidden);
  if (e->cell != NULL) store_state(net, e->cell, end_row, s->cell);
}

static void run(const network *net, step_fn step, const ends *e,
                webnn_recurrent_network_direction way, void *scratch) {
  state s = state_in(net, scratch);
  for (size_t direction = 0; direction < net->n_directions; direction++) {
    bool backward = direction == 1 || way == WEBNN_RECURRENT_NETWORK_DIRECTION_BACKWARD;
    for (size_t batch = 0; batch < net->n_batches; batch++)
      run_batch(net, step, e, direction, backward, batch, &s);
  }
}

static const wnn_ref_input *operand(const wnn_node_view *node, size_t i) {
  return wnn_ref_has(node, i) ? &node->inputs[i] : NULL;
}

static const wnn_ref_output *output(const wnn_node_view *node, size_t i) {
  return i < node->n_outputs ? &node->outputs[i] : NULL;
}

/* The parts that all four have in common; `first_option` is where the optional operands begin. */
static network network_of(const wnn_node_view *node, size_t hidden_size, size_t n_gates,
                          size_t first_option) {
  /* [steps, batch, input], or a cell's [batch, input]. */
  const wnn_desc *desc = node->inputs[0].desc;
  bool is_cell = desc->rank == 2;
  return (network){
      .input = &node->inputs[0],
      .weight = &node->inputs[1],
      .recurrent_weight = &node->inputs[2],
      .bias = operand(node, first_option),
      .recurrent_bias = operand(node, first_option + 1),
      .n_steps = is_cell ? 1 : desc->dims[0],
      .n_batches = desc->dims[is_cell ? 0 : 1],
      .n_directions = is_cell ? 1 : node->inputs[1].desc->dims[0],
      .n_in = desc->dims[desc->rank - 1],
      .n_hidden = hidden_size,
      .n_gates = n_gates,
  };
}

/* gru: options from operand 3 on, the initial state last; gruCell: the state is operand 3, options
 * from 4 on. */
static webnn_status gru(const wnn_node_view *node) {
  const wnn_gru_attrs *attrs = node->attrs;
  bool is_cell = node->op == WNN_OP_GRU_CELL;
  network net = network_of(node, attrs->hidden_size, GRU_GATES, is_cell ? 4 : 3);
  net.blocks = gru_blocks[attrs->layout];
  net.activations = attrs->activations.data;
  net.reset_after = attrs->reset_after;
  ends e = {.initial_hidden = operand(node, is_cell ? 3 : 5),
            .hidden = output(node, 0),
            .sequence = output(node, 1)};
  run(&net, gru_step, &e, attrs->direction, node->scratch);
  return WEBNN_OK;
}

/* lstm: options from operand 3 on, the initial states last; lstmCell: states are operands 3 and 4,
 * then options. */
static webnn_status lstm(const wnn_node_view *node) {
  const wnn_lstm_attrs *attrs = node->attrs;
  bool is_cell = node->op == WNN_OP_LSTM_CELL;
  network net = network_of(node, attrs->hidden_size, LSTM_GATES, is_cell ? 5 : 3);
  net.peephole = operand(node, is_cell ? 7 : 5);
  if (node->op == WNN_OP_LSTM_INTEGER) {
    net.scale = operand(node, WNN_LSTM_SCALE);
    net.recurrent_scale = operand(node, WNN_LSTM_RECURRENT_SCALE);
  }
  net.blocks = lstm_blocks[attrs->layout];
  net.activations = attrs->activations.data;
  ends e = {.initial_hidden = operand(node, is_cell ? 3 : 6),
            .initial_cell = operand(node, is_cell ? 4 : 7),
            .hidden = output(node, 0),
            .cell = output(node, 1),
            .sequence = output(node, 2)};
  run(&net, lstm_step, &e, attrs->direction, node->scratch);
  return WEBNN_OK;
}

size_t wnn_reference_recurrent_scratch(const wnn_node_view *node) {
  if (wnn_reference_recurrent(node->op) == NULL) return 0;
  const wnn_desc *hidden = node->outputs[0].desc; /* the last axis is the hidden size */
  return STATE_VECTORS * hidden->dims[hidden->rank - 1] * sizeof(double);
}

wnn_reference_fn wnn_reference_recurrent(wnn_op_id op) {
  switch (op) {
    case WNN_OP_GRU:
    case WNN_OP_GRU_CELL: return gru;
    case WNN_OP_LSTM:
    case WNN_OP_LSTM_CELL:
    case WNN_OP_LSTM_INTEGER: return lstm;
    default: return NULL;
  }
}
