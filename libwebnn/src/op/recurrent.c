/* gru, gruCell, lstm, lstmCell: fields, checks, output shapes. */
#include "op/families.h"
#include "op/infer.h"

#include <inttypes.h>

#define REQUIRED(name_, spec_, rank_, doc_) \
  WNN_OPERAND(name_, spec_, NULL, 0, WNN_RANK(rank_), doc_)
#define OPTIONAL(name_, spec_, rank_, doc_) \
  WNN_OPTIONAL_OPERAND(name_, spec_, NULL, 0, WNN_RANK(rank_), doc_)
#define HIDDEN_SIZE(attrs_)                                             \
  WNN_PARAMETER(UINT, "hidden_size", "hiddenSize", attrs_, hidden_size, \
                "Features of the hidden state.")
#define STEPS(attrs_) \
  WNN_PARAMETER(UINT, "steps", "steps", attrs_, steps, "Time steps: the input's first dimension.")
#define SEQUENCE(attrs_)                                                                         \
  WNN_OPTION_DEFAULT(                                                                            \
      BOOL, "return_sequence", "returnSequence", attrs_, return_sequence, 0, "False",            \
      "Whether a last output [steps, directions, batch, hidden_size] holds the hidden state of " \
      "every step."),                                                                            \
      WNN_OPTION_ENUM("direction", "direction", attrs_, direction,                               \
                      wnn_recurrent_network_directions, "'forward'",                             \
                      "Order of the steps; both runs two networks: directions is 2, else 1.")
#define RESET_AFTER                                                             \
  WNN_OPTION_DEFAULT(                                                           \
      BOOL, "reset_after", "resetAfter", wnn_gru_attrs, reset_after, 1, "True", \
      "Whether the reset gate acts after the product with the recurrent weight or before it.")
#define GRU_LAYOUT                                                                               \
  WNN_OPTION_ENUM("layout", "layout", wnn_gru_attrs, layout, wnn_gru_weight_layouts, "'zrn'",    \
                  "Order of the gates in weights and biases: z update, r reset, n new."),        \
      WNN_OPTION_ENUMS(                                                                          \
          "activations", "activations", wnn_gru_attrs, activations,                              \
          wnn_recurrent_network_activations, "None",                                             \
          "Functions of the update and reset gates and of the new gate; ['sigmoid', 'tanh'] by " \
          "default."),                                                                           \
      WNN_LABEL
#define LSTM_LAYOUT                                                                                \
  WNN_OPTION_ENUM(                                                                                 \
      "layout", "layout", wnn_lstm_attrs, layout, wnn_lstm_weight_layouts, "'iofg'",               \
      "Order of the gates in weights and biases: i input, o output, f forget, g cell."),           \
      WNN_OPTION_ENUMS(                                                                            \
          "activations", "activations", wnn_lstm_attrs, activations,                               \
          wnn_recurrent_network_activations, "None",                                               \
          "Functions of the input, output and forget gates, of the cell gate and of the new cell " \
          "state; ['sigmoid', 'tanh', 'tanh'] by default."),                                       \
      WNN_LABEL

static const wnn_field gru_fields[] = {
    WNN_OPERAND("input", "input", NULL, WNN_NO_FIELD, WNN_RANK(3),
                "Input [steps, batch, features]."),
    REQUIRED("weight", "weight", 3, "Weight [directions, 3 * hidden_size, features]."),
    REQUIRED("recurrent_weight", "recurrentWeight", 3,
             "Recurrent weight [directions, 3 * hidden_size, hidden_size]."),
    STEPS(wnn_gru_attrs),
    HIDDEN_SIZE(wnn_gru_attrs),
    OPTIONAL("bias", "bias", 2, "Bias [directions, 3 * hidden_size]."),
    OPTIONAL("recurrent_bias", "recurrentBias", 2, "Recurrent bias [directions, 3 * hidden_size]."),
    OPTIONAL("initial_hidden_state", "initialHiddenState", 3,
             "Hidden state before the first step [directions, batch, hidden_size]; 0 by default."),
    RESET_AFTER,
    SEQUENCE(wnn_gru_attrs),
    GRU_LAYOUT,
};
static const wnn_field gru_cell_fields[] = {
    WNN_OPERAND("input", "input", NULL, WNN_NO_FIELD, WNN_RANK(2), "Input [batch, features]."),
    REQUIRED("weight", "weight", 2, "Weight [3 * hidden_size, features]."),
    REQUIRED("recurrent_weight", "recurrentWeight", 2,
             "Recurrent weight [3 * hidden_size, hidden_size]."),
    REQUIRED("hidden_state", "hiddenState", 2, "Hidden state [batch, hidden_size]."),
    HIDDEN_SIZE(wnn_gru_attrs),
    OPTIONAL("bias", "bias", 1, "Bias [3 * hidden_size]."),
    OPTIONAL("recurrent_bias", "recurrentBias", 1, "Recurrent bias [3 * hidden_size]."),
    RESET_AFTER,
    GRU_LAYOUT,
};
static const wnn_field lstm_fields[] = {
    WNN_OPERAND("input", "input", NULL, WNN_NO_FIELD, WNN_RANK(3),
                "Input [steps, batch, features]."),
    REQUIRED("weight", "weight", 3, "Weight [directions, 4 * hidden_size, features]."),
    REQUIRED("recurrent_weight", "recurrentWeight", 3,
             "Recurrent weight [directions, 4 * hidden_size, hidden_size]."),
    STEPS(wnn_lstm_attrs),
    HIDDEN_SIZE(wnn_lstm_attrs),
    OPTIONAL("bias", "bias", 2, "Bias [directions, 4 * hidden_size]."),
    OPTIONAL("recurrent_bias", "recurrentBias", 2, "Recurrent bias [directions, 4 * hidden_size]."),
    OPTIONAL(
        "peephole_weight", "peepholeWeight", 2,
        "Peephole weight [directions, 3 * hidden_size], in the order i, o, f whatever the layout."),
    OPTIONAL("initial_hidden_state", "initialHiddenState", 3,
             "Hidden state before the first step [directions, batch, hidden_size]; 0 by default."),
    OPTIONAL("initial_cell_state", "initialCellState", 3,
             "Cell state before the first step [directions, batch, hidden_size]; 0 by default."),
    SEQUENCE(wnn_lstm_attrs),
    LSTM_LAYOUT,
};
static const wnn_field lstm_cell_fields[] = {
    WNN_OPERAND("input", "input", NULL, WNN_NO_FIELD, WNN_RANK(2), "Input [batch, features]."),
    REQUIRED("weight", "weight", 2, "Weight [4 * hidden_size, features]."),
    REQUIRED("recurrent_weight", "recurrentWeight", 2,
             "Recurrent weight [4 * hidden_size, hidden_size]."),
    REQUIRED("hidden_state", "hiddenState", 2, "Hidden state [batch, hidden_size]."),
    REQUIRED("cell_state", "cellState", 2, "Cell state [batch, hidden_size]."),
    HIDDEN_SIZE(wnn_lstm_attrs),
    OPTIONAL("bias", "bias", 1, "Bias [4 * hidden_size]."),
    OPTIONAL("recurrent_bias", "recurrentBias", 1, "Recurrent bias [4 * hidden_size]."),
    OPTIONAL("peephole_weight", "peepholeWeight", 1,
             "Peephole weight [3 * hidden_size], in the order i, o, f whatever the layout."),
    LSTM_LAYOUT,
};

static const wnn_field gru_outputs[] = {
    WNN_OUTPUT("output0", "output0", NULL, WNN_RANK(3)),
    WNN_OUTPUT("output1", "output1", NULL, WNN_RANK(4)),
};
static const wnn_field gru_cell_outputs[] = {WNN_OUTPUT("output", "output", NULL, WNN_RANK(2))};
static const wnn_field lstm_outputs[] = {
    WNN_OUTPUT("output0", "output0", NULL, WNN_RANK(3)),
    WNN_OUTPUT("output1", "output1", NULL, WNN_RANK(3)),
    WNN_OUTPUT("output2", "output2", NULL, WNN_RANK(4)),
};
static const wnn_field lstm_cell_outputs[] = {
    WNN_OUTPUT("output0", "output0", NULL, WNN_RANK(2)),
    WNN_OUTPUT("output1", "output1", NULL, WNN_RANK(2)),
};

#define SIGNATURE(name_, n_operands_, list_, attrs_)                                    \
  const wnn_signature wnn_signature_##name_ = {.name = #name_,                          \
                                               .fields = name_##_fields,                \
                                               .n_fields = WNN_COUNT(name_##_fields),   \
                                               .n_operands = n_operands_,               \
                                               .n_outputs = WNN_COUNT(name_##_outputs), \
                                               .returns_list = list_,                   \
                                               .outputs = name_##_outputs,              \
                                               .attrs_bytes = sizeof(attrs_)}
SIGNATURE(gru, 6, true, wnn_gru_attrs);
SIGNATURE(gru_cell, 6, false, wnn_gru_attrs);
SIGNATURE(lstm, 8, true, wnn_lstm_attrs);
SIGNATURE(lstm_cell, 8, true, wnn_lstm_attrs);

/* Operands by position: the first three are the same everywhere. */
enum { INPUT, WEIGHT, RECURRENT_WEIGHT };
enum { GRU_BIAS = 3, GRU_RECURRENT_BIAS, GRU_HIDDEN_STATE };
enum { GRU_CELL_HIDDEN_STATE = 3, GRU_CELL_BIAS, GRU_CELL_RECURRENT_BIAS };
enum { LSTM_BIAS = 3, LSTM_RECURRENT_BIAS, LSTM_PEEPHOLE, LSTM_HIDDEN_STATE, LSTM_CELL_STATE };
enum {
  LSTM_CELL_HIDDEN = 3,
  LSTM_CELL_CELL,
  LSTM_CELL_BIAS,
  LSTM_CELL_RECURRENT_BIAS,
  LSTM_CELL_PEEPHOLE
};

/* A network, whatever its kind. Sizes are wide: no product has been checked yet. */
typedef struct network {
  bool is_cell; /* one step: no operand has an axis of directions, nor of steps */
  uint64_t directions, batch, features, hidden, gates;
} network;

static network read_network(const wnn_infer *in, bool is_cell,
                            webnn_recurrent_network_direction direction, uint32_t hidden,
                            uint32_t gates) {
  const uint32_t *dims = in->inputs[INPUT]->dims + (is_cell ? 0 : 1);
  uint64_t directions = direction == WEBNN_RECURRENT_NETWORK_DIRECTION_BOTH ? 2 : 1;
  return (network){is_cell, directions, dims[0], dims[1], hidden, gates};
}

/* Shape of the operand at `position`: [directions], then `n` sizes, 1 or 2. An absent operand
 * passes. */
static webnn_status check_shape(wnn_infer *in, const network *net, size_t position, size_t n,
                                uint64_t a, uint64_t b) {
  uint64_t dims[3] = {net->directions, a, b};
  if (wnn_input(in, position) == NULL) return WEBNN_OK;
  return wnn_check_shape(in, position, net->is_cell ? dims + 1 : dims, net->is_cell ? n : n + 1);
}

static webnn_status check_weights(wnn_infer *in, const network *net) {
  uint64_t rows = net->gates * net->hidden;
  webnn_status status = check_shape(in, net, WEIGHT, 2, rows, net->features);
  return status == WEBNN_OK ? check_shape(in, net, RECURRENT_WEIGHT, 2, rows, net->hidden) : status;
}

/* The bound comes behind the shapes, which no size of 0 passes: 6 for gru and 8 for lstm, so that
 * two directions fit. */
static webnn_status check_hidden_size(wnn_infer *in, const network *net) {
  uint64_t factor = 2 * net->gates, size = factor * net->hidden;
  if (size <= WNN_MAX_DIMENSION) return WEBNN_OK;
  return wnn_fail(in, WEBNN_ERROR_TYPE, "hiddenSize * %" PRIu64 " is %" PRIu64 ", not in 1..%u",
                  factor, size, WNN_MAX_DIMENSION);
}

/* An optional vector of `blocks` times the hidden size: biases, peepholes. */
static webnn_status check_blocks(wnn_infer *in, const network *net, size_t position,
                                 uint64_t blocks) {
  webnn_status status = wnn_check_optional(in, position);
  return status == WEBNN_OK ? check_shape(in, net, position, 1, blocks * net->hidden, 0) : status;
}

/* A state, optional for whole networks. */
static webnn_status check_state(wnn_infer *in, const network *net, size_t position) {
  webnn_status status = wnn_check_optional(in, position);
  return status == WEBNN_OK ? check_shape(in, net, position, 2, net->batch, net->hidden) : status;
}

static webnn_status check_steps(wnn_infer *in, uint32_t steps) {
  uint32_t dim = in->inputs[INPUT]->dims[0];
  if (steps == dim) return WEBNN_OK; /* which is 1 at least */
  return wnn_fail(in, WEBNN_ERROR_TYPE, "steps is %" PRIu32 ", input has %" PRIu32, steps, dim);
}

static webnn_status resolve_activations(wnn_infer *in, wnn_uints *activations, size_t n) {
  static const uint32_t usual[3] = {
      WEBNN_RECURRENT_NETWORK_ACTIVATION_SIGMOID,
      WEBNN_RECURRENT_NETWORK_ACTIVATION_TANH,
      WEBNN_RECURRENT_NETWORK_ACTIVATION_TANH,
  };
  webnn_status status = wnn_check_length(in, "activations", activations, n);
  return status == WEBNN_OK ? wnn_resolve_list(in, activations, usual, n) : status;
}

/* `n_states` outputs that are states, then the hidden states of all `steps`; 0: no such output. */
static webnn_status set_outputs(wnn_infer *in, const network *net, size_t n_states,
                                uint32_t steps) {
  webnn_data_type type = in->inputs[INPUT]->type;
  uint32_t directions = (uint32_t)net->directions, batch = (uint32_t)net->batch;
  uint32_t hidden = (uint32_t)net->hidden;
  webnn_status status = wnn_infer_outputs(in, n_states + (steps > 0));
  if (status != WEBNN_OK) return status;
  for (size_t i = 0; i < n_states; i++)
    in->outputs[i] = net->is_cell ? (wnn_desc){type, 2, {batch, hidden}}
                                  : (wnn_desc){type, 3, {directions, batch, hidden}};
  if (steps > 0) in->outputs[n_states] = (wnn_desc){type, 4, {steps, directions, batch, hidden}};
  return WEBNN_OK;
}

webnn_status wnn_infer_gru(wnn_infer *in) {
  wnn_gru_attrs *attrs = in->attrs;
  network net = read_network(in, false, attrs->direction, attrs->hidden_size, 3);
  webnn_status status = check_steps(in, attrs->steps);
  if (status == WEBNN_OK) status = check_weights(in, &net);
  if (status == WEBNN_OK) status = check_hidden_size(in, &net);
  if (status == WEBNN_OK) status = check_blocks(in, &net, GRU_BIAS, 3);
  if (status == WEBNN_OK) status = check_blocks(in, &net, GRU_RECURRENT_BIAS, 3);
  if (status == WEBNN_OK) status = check_state(in, &net, GRU_HIDDEN_STATE);
  if (status == WEBNN_OK) status = resolve_activations(in, &attrs->activations, 2);
  if (status != WEBNN_OK) return status;
  return set_outputs(in, &net, 1, attrs->return_sequence ? attrs->steps : 0);
}

webnn_status wnn_infer_gru_cell(wnn_infer *in) {
  wnn_gru_attrs *attrs = in->attrs;
  network net = read_network(in, true, attrs->direction, attrs->hidden_size, 3);
  webnn_status status = check_weights(in, &net);
  if (status == WEBNN_OK) status = check_state(in, &net, GRU_CELL_HIDDEN_STATE);
  if (status == WEBNN_OK) status = check_hidden_size(in, &net);
  if (status == WEBNN_OK) status = check_blocks(in, &net, GRU_CELL_BIAS, 3);
  if (status == WEBNN_OK) status = check_blocks(in, &net, GRU_CELL_RECURRENT_BIAS, 3);
  if (status == WEBNN_OK) status = resolve_activations(in, &attrs->activations, 2);
  return status == WEBNN_OK ? set_outputs(in, &net, 1, 0) : status;
}

webnn_status wnn_infer_lstm(wnn_infer *in) {
  wnn_lstm_attrs *attrs = in->attrs;
  network net = read_network(in, false, attrs->direction, attrs->hidden_size, 4);
  webnn_status status = check_steps(in, attrs->steps);
  if (status == WEBNN_OK) status = check_weights(in, &net);
  if (status == WEBNN_OK) status = check_hidden_size(in, &net);
  if (status == WEBNN_OK) status = check_blocks(in, &net, LSTM_BIAS, 4);
  if (status == WEBNN_OK) status = check_blocks(in, &net, LSTM_RECURRENT_BIAS, 4);
  if (status == WEBNN_OK) status = check_blocks(in, &net, LSTM_PEEPHOLE, 3);
  if (status == WEBNN_OK) status = check_state(in, &net, LSTM_HIDDEN_STATE);
  if (status == WEBNN_OK) status = check_state(in, &net, LSTM_CELL_STATE);
  if (status == WEBNN_OK) status = resolve_activations(in, &attrs->activations, 3);
  if (status != WEBNN_OK) return status;
  return set_outputs(in, &net, 2, attrs->return_sequence ? attrs->steps : 0);
}

webnn_status wnn_infer_lstm_cell(wnn_infer *in) {
  wnn_lstm_attrs *attrs = in->attrs;
  network net = read_network(in, true, attrs->direction, attrs->hidden_size, 4);
  webnn_status status = check_weights(in, &net);
  if (status == WEBNN_OK) status = check_state(in, &net, LSTM_CELL_HIDDEN);
  if (status == WEBNN_OK) status = check_state(in, &net, LSTM_CELL_CELL);
  if (status == WEBNN_OK) status = check_hidden_size(in, &net);
  if (status == WEBNN_OK) status = check_blocks(in, &net, LSTM_CELL_BIAS, 4);
  if (status == WEBNN_OK) status = check_blocks(in, &net, LSTM_CELL_RECURRENT_BIAS, 4);
  if (status == WEBNN_OK) status = check_blocks(in, &net, LSTM_CELL_PEEPHOLE, 3);
  if (status == WEBNN_OK) status = resolve_activations(in, &attrs->activations, 3);
  return status == WEBNN_OK ? set_outputs(in, &net, 2, 0) : status;
}
