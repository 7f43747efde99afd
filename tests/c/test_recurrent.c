/* Shape inference of gru, gruCell, lstm, lstmCell. */
#include "call_rows.h"

/* steps 2, batch 3, features 5, hidden 4 */
#define GRU \
  "input=f32[2,3,5] weight=f32[1,12,5] recurrent_weight=f32[1,12,4] steps=2 hidden_size=4 "
static const call_row gru_rows[] = {
    {GRU, "f32[1,3,4]", "activations=sigmoid,tanh"},
    {GRU
     "return_sequence=true bias=f32[1,12] recurrent_bias=f32[1,12] initial_hidden_state=f32[1,3,4]",
     "f32[1,3,4] f32[2,1,3,4]", NULL},
    {"input=f16[2,3,5] weight=f16[2,12,5] recurrent_weight=f16[2,12,4] steps=2 hidden_size=4 "
     "direction=both return_sequence=true bias=f16[2,12] activations=relu,sigmoid",
     "f16[2,3,4] f16[2,2,3,4]", "activations=relu,sigmoid"},
    {"input=i32[2,3,5] weight=i32[1,12,5] recurrent_weight=i32[1,12,4] steps=2 hidden_size=4", NULL,
     "input is int32[2,3,5]"},
    {"input=f32[2,3,5] weight=f16[1,12,5] recurrent_weight=f32[1,12,4] steps=2 hidden_size=4", NULL,
     "weight is float16[1,12,5]"},
    {"input=f32[2,3,5] weight=f32[1,12,5] recurrent_weight=f16[1,12,4] steps=2 hidden_size=4", NULL,
     "recurrentWeight is float16[1,12,4]"},
    {"input=f32[3,5] weight=f32[1,12,5] recurrent_weight=f32[1,12,4] steps=2 hidden_size=4", NULL,
     "input has rank 2, expected 3"},
    {"input=f32[2,3,5] weight=f32[12,5] recurrent_weight=f32[1,12,4] steps=2 hidden_size=4", NULL,
     "weight has rank 2, expected 3"},
    {"input=f32[2,3,5] weight=f32[1,12,5] recurrent_weight=f32[12,4] steps=2 hidden_size=4", NULL,
     "recurrentWeight has rank 2, expected 3"},
    {"input=f32[2,3,5] weight=f32[1,12,5] recurrent_weight=f32[1,12,4] steps=3 hidden_size=4", NULL,
     "steps is 3, input has 2"},
    {"input=f32[2,3,5] weight=f32[1,12,5] recurrent_weight=f32[1,12,4] steps=0 hidden_size=4", NULL,
     "steps is 0, input has 2"},
    {"input=f32[2,3,5] weight=f32[1,12,6] recurrent_weight=f32[1,12,4] steps=2 hidden_size=4", NULL,
     "weight is float32[1,12,6], expected shape [1,12,5]"},
    {GRU "direction=both", NULL, "weight is float32[1,12,5], expected shape [2,12,5]"},
    {"input=f32[2,3,5] weight=f32[1,12,5] recurrent_weight=f32[1,12,5] steps=2 hidden_size=4", NULL,
     "recurrentWeight is float32[1,12,5], expected shape [1,12,4]"},
    {"input=f32[2,3,5] weight=f32[1,12,5] recurrent_weight=f32[1,12,4] steps=2 "
     "hidden_size=4294967295",
     NULL, "expected shape [1,12884901885,5]"},
    {"input=f32[2,3,5] weight=f32[1,1073741826,5] recurrent_weight=f32[1,1073741826,357913942] "
     "steps=2 hidden_size=357913942",
     NULL, "hiddenSize * 6 is 2147483652, not in 1..2147483647"},
    {GRU "bias=f16[1,12]", NULL, "bias is float16[1,12]"},
    {GRU "bias=f32[12]", NULL, "bias has rank 1, expected 2"},
    {GRU "bias=f32[1,16]", NULL, "bias is float32[1,16], expected shape [1,12]"},
    {GRU "recurrent_bias=f16[1,12]", NULL, "recurrentBias is float16[1,12]"},
    {GRU "recurrent_bias=f32[2,12]", NULL, "recurrentBias is float32[2,12], expected shape [1,12]"},
    {GRU "initial_hidden_state=f16[1,3,4]", NULL, "initialHiddenState is float16[1,3,4]"},
    {GRU "initial_hidden_state=f32[1,2,4]", NULL, "float32[1,2,4], expected shape [1,3,4]"},
    {GRU "activations=tanh", NULL, "activations has length 1, expected 2"},
};
TEST(gru) {
  CHECK_ROWS("gru", gru_rows);
}

#define GRU_CELL                                                                      \
  "input=f32[3,5] weight=f32[12,5] recurrent_weight=f32[12,4] hidden_state=f32[3,4] " \
  "hidden_size=4 "
static const call_row gru_cell_rows[] = {
    {GRU_CELL, "f32[3,4]", "activations=sigmoid,tanh"},
    {GRU_CELL "bias=f32[12] recurrent_bias=f32[12] layout=rzn", "f32[3,4]", NULL},
    {"input=u8[3,5] weight=u8[12,5] recurrent_weight=u8[12,4] hidden_state=u8[3,4] hidden_size=4",
     NULL, "input is uint8[3,5]"},
    {"input=f32[3,5] weight=f32[12,5] recurrent_weight=f32[12,4] hidden_state=f16[3,4] "
     "hidden_size=4",
     NULL, "hiddenState is float16[3,4]"},
    {"input=f32[3,5] weight=f32[12,5] recurrent_weight=f32[12,4] hidden_state=f32[1,3,4] "
     "hidden_size=4",
     NULL, "hiddenState has rank 3, expected 2"},
    {"input=f32[3,5] weight=f32[12,6] recurrent_weight=f32[12,4] hidden_state=f32[3,4] "
     "hidden_size=4",
     NULL, "weight is float32[12,6], expected shape [12,5]"},
    {"input=f32[3,5] weight=f32[12,5] recurrent_weight=f32[16,4] hidden_state=f32[3,4] "
     "hidden_size=4",
     NULL, "recurrentWeight is float32[16,4], expected shape [12,4]"},
    {"input=f32[3,5] weight=f32[12,5] recurrent_weight=f32[12,4] hidden_state=f32[2,4] "
     "hidden_size=4",
     NULL, "hiddenState is float32[2,4], expected shape [3,4]"},
    {"input=f32[3,5] weight=f32[1073741826,5] recurrent_weight=f32[1073741826,357913942] "
     "hidden_state=f32[3,357913942] hidden_size=357913942",
     NULL, "hiddenSize * 6 is 2147483652, not in 1..2147483647"},
    {GRU_CELL "bias=f16[12]", NULL, "bias is float16[12]"},
    {GRU_CELL "bias=f32[4]", NULL, "bias is float32[4], expected shape [12]"},
    {GRU_CELL "recurrent_bias=f16[12]", NULL, "recurrentBias is float16[12]"},
    {GRU_CELL "recurrent_bias=f32[1,12]", NULL, "recurrentBias has rank 2, expected 1"},
    {GRU_CELL "activations=-", NULL, "activations has length 0, expected 2"},
};
TEST(gru_cell) {
  CHECK_ROWS("gru_cell", gru_cell_rows);
}

#define LSTM \
  "input=f32[2,3,5] weight=f32[1,16,5] recurrent_weight=f32[1,16,4] steps=2 hidden_size=4 "
static const call_row lstm_rows[] = {
    {LSTM, "f32[1,3,4] f32[1,3,4]", "activations=sigmoid,tanh,tanh"},
    {LSTM "return_sequence=true bias=f32[1,16] recurrent_bias=f32[1,16] peephole_weight=f32[1,12] "
          "initial_hidden_state=f32[1,3,4] initial_cell_state=f32[1,3,4]",
     "f32[1,3,4] f32[1,3,4] f32[2,1,3,4]", NULL},
    {"input=f16[2,3,5] weight=f16[2,16,5] recurrent_weight=f16[2,16,4] steps=2 hidden_size=4 "
     "direction=both layout=ifgo return_sequence=true",
     "f16[2,3,4] f16[2,3,4] f16[2,2,3,4]", NULL},
    {"input=i32[2,3,5] weight=i32[1,16,5] recurrent_weight=i32[1,16,4] steps=2 hidden_size=4", NULL,
     "input is int32[2,3,5]"},
    {"input=f32[2,3,5] weight=f32[1,16,5] recurrent_weight=f16[1,16,4] steps=2 hidden_size=4", NULL,
     "recurrentWeight is float16[1,16,4]"},
    {"input=f32[2,3,5] weight=f32[16,5] recurrent_weight=f32[1,16,4] steps=2 hidden_size=4", NULL,
     "weight has rank 2, expected 3"},
    {"input=f32[2,3,5] weight=f32[1,16,5] recurrent_weight=f32[1,16,4] steps=0 hidden_size=4", NULL,
     "steps is 0, input has 2"},
    {"input=f32[2,3,5] weight=f32[1,16,5] recurrent_weight=f32[1,16,4] steps=1 hidden_size=4", NULL,
     "steps is 1, input has 2"},
    {"input=f32[2,3,5] weight=f32[1,12,5] recurrent_weight=f32[1,16,4] steps=2 hidden_size=4", NULL,
     "weight is float32[1,12,5], expected shape [1,16,5]"},
    {"input=f32[2,3,5] weight=f32[1,16,5] recurrent_weight=f32[1,16,5] steps=2 hidden_size=4", NULL,
     "recurrentWeight is float32[1,16,5], expected shape [1,16,4]"},
    {"input=f32[2,3,5] weight=f32[1,1073741824,5] recurrent_weight=f32[1,1073741824,268435456] "
     "steps=2 hidden_size=268435456",
     NULL, "hiddenSize * 8 is 2147483648, not in 1..2147483647"},
    {LSTM "bias=f16[1,16]", NULL, "bias is float16[1,16]"},
    {LSTM "bias=f32[1,12]", NULL, "bias is float32[1,12], expected shape [1,16]"},
    {LSTM "recurrent_bias=f16[1,16]", NULL, "recurrentBias is float16[1,16]"},
    {LSTM "recurrent_bias=f32[1,12]", NULL, "expected shape [1,16]"},
    {LSTM "peephole_weight=f16[1,12]", NULL, "peepholeWeight is float16[1,12]"},
    {LSTM "peephole_weight=f32[1,16]", NULL,
     "peepholeWeight is float32[1,16], expected shape [1,12]"},
    {LSTM "initial_hidden_state=f16[1,3,4]", NULL, "initialHiddenState is float16[1,3,4]"},
    {LSTM "initial_hidden_state=f32[2,3,4]", NULL, "expected shape [1,3,4]"},
    {LSTM "initial_cell_state=f16[1,3,4]", NULL, "initialCellState is float16[1,3,4]"},
    {LSTM "initial_cell_state=f32[1,3,5]", NULL, "initialCellState is float32[1,3,5]"},
    {LSTM "activations=tanh,tanh", NULL, "activations has length 2, expected 3"},
};
TEST(lstm) {
  CHECK_ROWS("lstm", lstm_rows);
}

#define LSTM_CELL                                                                     \
  "input=f32[3,5] weight=f32[16,5] recurrent_weight=f32[16,4] hidden_state=f32[3,4] " \
  "cell_state=f32[3,4] hidden_size=4 "
static const call_row lstm_cell_rows[] = {
    {LSTM_CELL, "f32[3,4] f32[3,4]", "activations=sigmoid,tanh,tanh"},
    {LSTM_CELL "bias=f32[16] recurrent_bias=f32[16] peephole_weight=f32[12]", "f32[3,4] f32[3,4]",
     NULL},
    {"input=f32[3,5] weight=f32[16,5] recurrent_weight=f32[16,4] hidden_state=f32[3,4] "
     "cell_state=f16[3,4] hidden_size=4",
     NULL, "cellState is float16[3,4]"},
    {"input=f32[3,5] weight=f32[16,5] recurrent_weight=f32[16,4] hidden_state=f32[3,4] "
     "cell_state=f32[4] hidden_size=4",
     NULL, "cellState has rank 1, expected 2"},
    {"input=f32[3,5] weight=f32[12,5] recurrent_weight=f32[16,4] hidden_state=f32[3,4] "
     "cell_state=f32[3,4] hidden_size=4",
     NULL, "weight is float32[12,5], expected shape [16,5]"},
    {"input=f32[3,5] weight=f32[16,5] recurrent_weight=f32[16,5] hidden_state=f32[3,4] "
     "cell_state=f32[3,4] hidden_size=4",
     NULL, "recurrentWeight is float32[16,5], expected shape [16,4]"},
    {"input=f32[3,5] weight=f32[16,5] recurrent_weight=f32[16,4] hidden_state=f32[2,4] "
     "cell_state=f32[3,4] hidden_size=4",
     NULL, "hiddenState is float32[2,4], expected shape [3,4]"},
    {"input=f32[3,5] weight=f32[16,5] recurrent_weight=f32[16,4] hidden_state=f32[3,4] "
     "cell_state=f32[3,5] hidden_size=4",
     NULL, "cellState is float32[3,5], expected shape [3,4]"},
    {"input=f32[3,5] weight=f32[1073741824,5] recurrent_weight=f32[1073741824,268435456] "
     "hidden_state=f32[3,268435456] cell_state=f32[3,268435456] hidden_size=268435456",
     NULL, "hiddenSize * 8 is 2147483648, not in 1..2147483647"},
    {LSTM_CELL "bias=f16[16]", NULL, "bias is float16[16]"},
    {LSTM_CELL "bias=f32[12]", NULL, "bias is float32[12], expected shape [16]"},
    {LSTM_CELL "recurrent_bias=f16[16]", NULL, "recurrentBias is float16[16]"},
    {LSTM_CELL "recurrent_bias=f32[12]", NULL, "recurrentBias is float32[12]"},
    {LSTM_CELL "peephole_weight=f16[12]", NULL, "peepholeWeight is float16[12]"},
    {LSTM_CELL "peephole_weight=f32[16]", NULL,
     "peepholeWeight is float32[16], expected shape [12]"},
    {LSTM_CELL "activations=tanh,tanh,tanh,tanh", NULL, "activations has length 4, expected 3"},
};
TEST(lstm_cell) {
  CHECK_ROWS("lstm_cell", lstm_cell_rows);
}

int main(int argc, char **argv) {
  return harness_main(
      argc, argv,
      (harness_test[]){RUN(gru), RUN(gru_cell), RUN(lstm), RUN(lstm_cell), {NULL, NULL}});
}
