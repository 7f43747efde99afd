/* The typed functions: what each gives to the one call, with no options, with INIT, and with all
 * set. The INITs are thereby compared with the defaults of the operation table. */
#include "harness.h"
#include "op/fields.h"

#include <webnn/ops.h>

static struct {
  const webnn_op *op;
  webnn_value values[WEBNN_MAX_FIELDS];
  size_t n_values, n_outs;
} captured;

webnn_status webnn_builder_call(webnn_builder *builder, const webnn_op *op,
                                const webnn_value *values, size_t n_values, webnn_operand **outs,
                                size_t *n_outs) {
  (void)builder, (void)outs;
  captured.op = op;
  captured.n_values = n_values;
  captured.n_outs = *n_outs;
  memcpy(captured.values, values, n_values * sizeof *values);
  return WEBNN_OK;
}

/* Arguments that can be told from one another; operands are addresses only. */
static char places[8];
#define X(i) ((const webnn_operand *)(const void *)&places[i])
static const webnn_operand *const operands[3] = {X(0), X(1), X(2)};
static const uint32_t lists[2][3] = {{7, 8, 9}, {10, 11, 12}};
enum { FIRST_NUMBER = 5, N_OUTS = 3 };
static webnn_operand *outs[N_OUTS];

/* The arguments of a signature, in the order of the parameters: operands X(0) on, numbers 5 on, the
 * lists. */
#define ARGS_unary(o) X(0), o, outs
#define ARGS_predicate(o) X(0), o, outs
#define ARGS_binary(o) X(0), X(1), o, outs
#define ARGS_compare(o) X(0), X(1), o, outs
#define ARGS_arg(o) X(0), 5, o, outs
#define ARGS_batch_normalization(o) X(0), X(1), X(2), o, outs
#define ARGS_cast(o) X(0), WEBNN_DATA_TYPE_INT8, o, outs
#define ARGS_clamp(o) X(0), o, outs
#define ARGS_concat(o) operands, 3, 5, o, outs
#define ARGS_conv2d(o) X(0), X(1), o, outs
#define ARGS_conv_transpose2d(o) X(0), X(1), o, outs
#define ARGS_cumulative_sum(o) X(0), 5, o, outs
#define ARGS_dequantize_linear(o) X(0), X(1), X(2), o, outs
#define ARGS_quantize_linear(o) X(0), X(1), X(2), o, outs
#define ARGS_elu(o) X(0), o, outs
#define ARGS_expand(o) X(0), lists[0], 3, o, outs
#define ARGS_gather(o) X(0), X(1), o, outs
#define ARGS_gather_elements(o) X(0), X(1), o, outs
#define ARGS_gather_nd(o) X(0), X(1), o, outs
#define ARGS_gemm(o) X(0), X(1), o, outs
#define ARGS_gru(o) X(0), X(1), X(2), 5, 6, o, outs, &n_outs
#define ARGS_gru_cell(o) X(0), X(1), X(2), X(3), 5, o, outs
#define ARGS_hard_sigmoid(o) X(0), o, outs
#define ARGS_instance_normalization(o) X(0), o, outs
#define ARGS_layer_normalization(o) X(0), o, outs
#define ARGS_leaky_relu(o) X(0), o, outs
#define ARGS_linear(o) X(0), o, outs
#define ARGS_lstm(o) X(0), X(1), X(2), 5, 6, o, outs, &n_outs
#define ARGS_lstm_cell(o) X(0), X(1), X(2), X(3), X(4), 5, o, outs, &n_outs
#define ARGS_matmul(o) X(0), X(1), o, outs
#define ARGS_pad(o) X(0), lists[0], 3, lists[1], 3, o, outs
#define ARGS_pool2d(o) X(0), o, outs
#define ARGS_prelu(o) X(0), X(1), o, outs
#define ARGS_reduce(o) X(0), o, outs
#define ARGS_resample2d(o) X(0), o, outs
#define ARGS_reshape(o) X(0), lists[0], 3, o, outs
#define ARGS_reverse(o) X(0), o, outs
#define ARGS_scatter_elements(o) X(0), X(1), X(2), o, outs
#define ARGS_scatter_nd(o) X(0), X(1), X(2), o, outs
#define ARGS_slice(o) X(0), lists[0], 3, lists[1], 3, o, outs
#define ARGS_softmax(o) X(0), 5, o, outs
#define ARGS_split(o) X(0), lists[0], 3, o, outs, &n_outs
#define ARGS_squeeze(o) X(0), o, outs
#define ARGS_tile(o) X(0), lists[0], 3, o, outs
#define ARGS_transpose(o) X(0), o, outs
#define ARGS_triangular(o) X(0), o, outs
#define ARGS_where(o) X(0), X(1), X(2), o, outs

/* The options of a signature, begun as their INIT. */
#define OPTIONS(type, init) webnn_##type##_options own = WEBNN_##init##_OPTIONS_INIT
#define OPTIONS_unary OPTIONS(operator, OPERATOR)
#define OPTIONS_predicate OPTIONS_unary
#define OPTIONS_binary OPTIONS_unary
#define OPTIONS_compare OPTIONS_unary
#define OPTIONS_arg OPTIONS(arg_min_max, ARG_MIN_MAX)
#define OPTIONS_batch_normalization OPTIONS(batch_normalization, BATCH_NORMALIZATION)
#define OPTIONS_cast OPTIONS_unary
#define OPTIONS_clamp OPTIONS(clamp, CLAMP)
#define OPTIONS_concat OPTIONS_unary
#define OPTIONS_conv2d OPTIONS(conv2d, CONV2D)
#define OPTIONS_conv_transpose2d OPTIONS(conv_transpose2d, CONV_TRANSPOSE2D)
#define OPTIONS_cumulative_sum OPTIONS(cumulative_sum, CUMULATIVE_SUM)
#define OPTIONS_dequantize_linear OPTIONS_unary
#define OPTIONS_quantize_linear OPTIONS_unary
#define OPTIONS_elu OPTIONS(elu, ELU)
#define OPTIONS_expand OPTIONS_unary
#define OPTIONS_gather OPTIONS(gather, GATHER)
#define OPTIONS_gather_elements OPTIONS(gather, GATHER)
#define OPTIONS_gather_nd OPTIONS_unary
#define OPTIONS_gemm OPTIONS(gemm, GEMM)
#define OPTIONS_gru OPTIONS(gru, GRU)
#define OPTIONS_gru_cell OPTIONS(gru_cell, GRU_CELL)
#define OPTIONS_hard_sigmoid OPTIONS(hard_sigmoid, HARD_SIGMOID)
#define OPTIONS_instance_normalization OPTIONS(instance_normalization, INSTANCE_NORMALIZATION)
#define OPTIONS_layer_normalization OPTIONS(layer_normalization, LAYER_NORMALIZATION)
#define OPTIONS_leaky_relu OPTIONS(leaky_relu, LEAKY_RELU)
#define OPTIONS_linear OPTIONS(linear, LINEAR)
#define OPTIONS_lstm OPTIONS(lstm, LSTM)
#define OPTIONS_lstm_cell OPTIONS(lstm_cell, LSTM_CELL)
#define OPTIONS_matmul OPTIONS_unary
#define OPTIONS_pad OPTIONS(pad, PAD)
#define OPTIONS_pool2d OPTIONS(pool2d, POOL2D)
#define OPTIONS_prelu OPTIONS_unary
#define OPTIONS_reduce OPTIONS(reduce, REDUCE)
#define OPTIONS_resample2d OPTIONS(resample2d, RESAMPLE2D)
#define OPTIONS_reshape OPTIONS_unary
#define OPTIONS_reverse OPTIONS(reverse, REVERSE)
#define OPTIONS_scatter_elements OPTIONS(scatter, SCATTER)
#define OPTIONS_scatter_nd OPTIONS_unary
#define OPTIONS_slice OPTIONS(slice, SLICE)
#define OPTIONS_softmax OPTIONS_unary
#define OPTIONS_split OPTIONS(split, SPLIT)
#define OPTIONS_squeeze OPTIONS(squeeze, SQUEEZE)
#define OPTIONS_tile OPTIONS_unary
#define OPTIONS_transpose OPTIONS(transpose, TRANSPOSE)
#define OPTIONS_triangular OPTIONS(triangular, TRIANGULAR)
#define OPTIONS_where OPTIONS_unary

/* How many parameters of each kind have gone by. */
typedef struct seen {
  size_t n_operands, n_numbers, n_lists;
} seen;

static void check_parameter(const webnn_field *field, const webnn_value *value, seen *so_far) {
  switch (field->kind) {
    case WEBNN_FIELD_OPERAND: CHECK(value->as.operand == X(so_far->n_operands++)); break;
    case WEBNN_FIELD_OPERANDS: CHECK(value->as.operands == operands && value->n == 3); break;
    case WEBNN_FIELD_UINT: CHECK(value->as.u == FIRST_NUMBER + so_far->n_numbers++); break;
    case WEBNN_FIELD_UINTS:
    case WEBNN_FIELD_UINT_OR_UINTS:
      CHECK(value->as.us == lists[so_far->n_lists++] && value->n == 3);
      break;
    case WEBNN_FIELD_DATA_TYPE: CHECK(value->as.e == WEBNN_DATA_TYPE_INT8); break;
    default: CHECK(!"a parameter of this kind has no check yet");
  }
}

static void check_default(const wnn_field *field, const webnn_value *value) {
  double number = field->default_number.as.f;
  switch (field->pub.kind) {
    case WEBNN_FIELD_UINT: CHECK(value->as.u == (uint32_t)number); break;
    case WEBNN_FIELD_INT: CHECK(value->as.i == (int32_t)number); break;
    case WEBNN_FIELD_BOOL: CHECK(value->as.b == (number != 0)); break;
    case WEBNN_FIELD_ENUM:
    case WEBNN_FIELD_DATA_TYPE: CHECK(value->as.e == (uint32_t)number); break;
    case WEBNN_FIELD_NUMBER:
      if (field->default_number.kind == WEBNN_NUMBER_ABSENT)
        CHECK(value->kind == 0);
      else
        CHECK(value->as.number.kind == WEBNN_NUMBER_DOUBLE && value->as.number.as.f == number);
      break;
    case WEBNN_FIELD_LABEL: CHECK(value->as.str.size == 0); break;
    default: CHECK(value->kind == 0); /* operands and lists are absent */
  }
}

static void check_call(wnn_op_id id, const char *with) {
  const webnn_op *op = wnn_op_get(id);
  seen so_far = {0, 0, 0};
  CONTEXT("%s, %s", op->name, with);
  CHECK(captured.op == op);
  CHECK(captured.n_outs == (op->signature->returns_list ? (size_t)N_OUTS : 1));
  if (!REQUIRE(captured.n_values == op->signature->n_fields)) return;
  for (size_t i = 0; i < captured.n_values; i++) {
    const wnn_field *field = &op->signature->fields[i];
    const webnn_value *value = &captured.values[i];
    CONTEXT("%s, %s: %s", op->name, with, field->pub.name);
    bool either = field->pub.kind == WEBNN_FIELD_UINT_OR_UINTS && value->kind == WEBNN_FIELD_UINTS;
    CHECK(value->kind == 0 || value->kind == field->pub.kind || either);
    if (field->pub.required)
      check_parameter(&field->pub, value, &so_far);
    else
      check_default(field, value);
  }
}

#define OP(id, name, spec_name, signature, infer, types, doc)           \
  static void calls_##name(void) {                                      \
    size_t n_outs = N_OUTS;                                             \
    OPTIONS_##signature;                                                \
    (void)n_outs;                                                       \
    CHECK_STATUS(webnn_##name(NULL, ARGS_##signature(NULL)), WEBNN_OK); \
    check_call(WNN_OP_##id, "no options");                              \
    CHECK_STATUS(webnn_##name(NULL, ARGS_##signature(&own)), WEBNN_OK); \
    check_call(WNN_OP_##id, "INIT");                                    \
  }
#define OP_INTERNAL(id, name, spec_name, signature, infer, types, doc)
#include "op/ops.def"

TEST(arguments_arrive_and_inits_are_the_defaults) {
#define OP(id, name, spec_name, signature, infer, types, doc) calls_##name();
#define OP_INTERNAL(id, name, spec_name, signature, infer, types, doc)
#include "op/ops.def"
}

static const webnn_value *option(const char *name) {
  for (size_t i = 0; i < captured.n_values; i++)
    if (strcmp(webnn_op_field(captured.op, i)->name, name) == 0) return &captured.values[i];
  CHECK(!"no such field");
  return &captured.values[0];
}

TEST(options_arrive) {
  webnn_conv2d_options conv = WEBNN_CONV2D_OPTIONS_INIT;
  conv.label = WEBNN_STR("stem");
  conv.padding = lists[0];
  conv.n_padding = 2;
  conv.strides = lists[1]; /* an empty list, and yet given */
  conv.groups = 4;
  conv.filter_layout = WEBNN_CONV2D_FILTER_OPERAND_LAYOUT_IHWO;
  conv.bias = X(5);
  conv.auto_pad = WEBNN_AUTO_PAD_SAME_LOWER;
  CHECK_STATUS(webnn_conv2d(NULL, X(0), X(1), &conv, outs), WEBNN_OK);
  CHECK(option("label")->as.str.data == conv.label.data && option("label")->as.str.size == 4);
  CHECK(option("padding")->as.us == lists[0] && option("padding")->n == 2);
  CHECK(option("strides")->kind == WEBNN_FIELD_UINTS && option("strides")->n == 0);
  CHECK(option("dilations")->kind == 0);
  CHECK(option("groups")->as.u == 4);
  CHECK(option("filter_layout")->as.e == WEBNN_CONV2D_FILTER_OPERAND_LAYOUT_IHWO);
  CHECK(option("bias")->as.operand == X(5));
  CHECK(option("auto_pad")->as.e == WEBNN_AUTO_PAD_SAME_LOWER);
}

TEST(numbers_arrive_exactly) {
  webnn_clamp_options clamp = WEBNN_CLAMP_OPTIONS_INIT;
  webnn_elu_options elu = WEBNN_ELU_OPTIONS_INIT;
  webnn_triangular_options triangular = WEBNN_TRIANGULAR_OPTIONS_INIT;
  clamp.max_value = (webnn_number){WEBNN_NUMBER_UINT64, {.u = UINT64_MAX}};
  CHECK_STATUS(webnn_clamp(NULL, X(0), &clamp, outs), WEBNN_OK);
  CHECK(option("min_value")->kind == 0);
  CHECK(option("max_value")->as.number.kind == WEBNN_NUMBER_UINT64);
  CHECK(option("max_value")->as.number.as.u == UINT64_MAX);
  elu.alpha = -0.25;
  CHECK_STATUS(webnn_elu(NULL, X(0), &elu, outs), WEBNN_OK);
  CHECK(option("alpha")->as.number.as.f == -0.25);
  triangular.diagonal = INT32_MIN;
  CHECK_STATUS(webnn_triangular(NULL, X(0), &triangular, outs), WEBNN_OK);
  CHECK(option("diagonal")->as.i == INT32_MIN);
}

TEST(lists_of_other_kinds_arrive) {
  const double scales[] = {0.5, 2};
  const uint32_t activations[] = {2, 1};
  webnn_resample2d_options resample = WEBNN_RESAMPLE2D_OPTIONS_INIT;
  webnn_gru_cell_options gru = WEBNN_GRU_CELL_OPTIONS_INIT;
  resample.scales = scales;
  resample.n_scales = 2;
  CHECK_STATUS(webnn_resample2d(NULL, X(0), &resample, outs), WEBNN_OK);
  CHECK(option("scales")->kind == WEBNN_FIELD_FLOATS && option("scales")->as.floats == scales);
  gru.activations = activations;
  gru.n_activations = 2;
  CHECK_STATUS(webnn_gru_cell(NULL, X(0), X(1), X(2), X(3), 5, &gru, outs), WEBNN_OK);
  CHECK(option("activations")->kind == WEBNN_FIELD_ENUMS &&
        option("activations")->as.us == activations);
}

TEST(split_takes_a_list_or_a_count) {
  size_t n_outs = N_OUTS;
  CHECK_STATUS(webnn_split(NULL, X(0), NULL, 2, NULL, outs, &n_outs), WEBNN_OK);
  CHECK(option("splits")->kind == WEBNN_FIELD_UINT && option("splits")->as.u == 2);
  CHECK_STATUS(webnn_split(NULL, X(0), lists[0], 0, NULL, outs, &n_outs), WEBNN_OK);
  CHECK(option("splits")->kind == WEBNN_FIELD_UINTS && option("splits")->n == 0);
  CHECK_STATUS(webnn_split(NULL, X(0), NULL, SIZE_MAX, NULL, outs, &n_outs), WEBNN_OK);
  CHECK(option("splits")->as.u == UINT32_MAX);
}

/* A caller of an older library: the struct ends before the last members. */
TEST(short_structs_leave_defaults) {
  webnn_hard_sigmoid_options older = WEBNN_HARD_SIGMOID_OPTIONS_INIT;
  older.struct_size = offsetof(webnn_hard_sigmoid_options, beta);
  older.alpha = 3;
  older.beta = 4;
  CHECK_STATUS(webnn_hard_sigmoid(NULL, X(0), &older, outs), WEBNN_OK);
  CHECK(option("alpha")->as.number.as.f == 3);
  CHECK(option("beta")->as.number.as.f == 0.5);
}

/* And of a newer one: what we don't know isn't read. */
TEST(long_structs_are_cut) {
  struct {
    webnn_elu_options known;
    double later;
  } newer = {WEBNN_ELU_OPTIONS_INIT, 1};
  newer.known.struct_size = sizeof newer;
  newer.known.alpha = 2;
  CHECK_STATUS(webnn_elu(NULL, X(0), &newer.known, outs), WEBNN_OK);
  CHECK(option("alpha")->as.number.as.f == 2);
}

TEST(missing_operands_are_absent) {
  outs[0] = (webnn_operand *)(void *)&places[7];
  CHECK_STATUS(webnn_add(NULL, X(0), NULL, NULL, outs), WEBNN_OK);
  CHECK(option("b")->kind == 0);
  CHECK(outs[0] == NULL);
}

int main(int argc, char **argv) {
  static const harness_test tests[] = {
      RUN(arguments_arrive_and_inits_are_the_defaults),
      RUN(options_arrive),
      RUN(numbers_arrive_exactly),
      RUN(lists_of_other_kinds_arrive),
      RUN(split_takes_a_list_or_a_count),
      RUN(short_structs_leave_defaults),
      RUN(long_structs_are_cut),
      RUN(missing_operands_are_absent),
      {NULL, NULL},
  };
  return harness_main(argc, argv, tests);
}
