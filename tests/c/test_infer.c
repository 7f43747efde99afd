/* Outputs, resolved attributes and failures of the element-wise, activation, reduction, product,
 * normalisation and quantisation families. */
#include "op_rows.h"

#include <math.h>

TEST(elementwise_outputs) {
  const row rows[] = {
      {WNN_OP_ABS, {X("input", "int8[2,3]")}, "int8[2,3]", NULL},
      {WNN_OP_ADD, {X("a", "float16[2,1,3]"), X("b", "float16[4,1]")}, "float16[2,4,3]", NULL},
      {WNN_OP_ADD, {X("a", "uint64[]"), X("b", "uint64[1]")}, "uint64[1]", NULL},
      {WNN_OP_ADD,
       {X("a", "float32[2]"), X("b", "float32[3]")},
       NULL,
       "add: a is float32[2], b is float32[3]: shapes don't broadcast"},
      {WNN_OP_EQUAL, {X("a", "int64[3,1]"), X("b", "int64[2]")}, "uint8[3,2]", NULL},
      {WNN_OP_LOGICAL_XOR,
       {X("a", "uint8[3]"), X("b", "uint8[4]")},
       NULL,
       "logical_xor: a is uint8[3], b is uint8[4]: shapes don't broadcast"},
      {WNN_OP_LOGICAL_NOT, {X("a", "uint8[3]")}, "uint8[3]", NULL},
      {WNN_OP_IS_INFINITE, {X("a", "float16[3]")}, "uint8[3]", NULL},
      {WNN_OP_CAST,
       {X("input", "float32[3]"), TYPE("data_type", WEBNN_DATA_TYPE_UINT64)},
       "uint64[3]",
       NULL},
      {WNN_OP_CLAMP,
       {X("input", "uint8[3]"), N("min_value", 2), N("max_value", 1)},
       NULL,
       "clamp: minValue is greater than maxValue as uint8"},
      {WNN_OP_CLAMP,
       {X("input", "uint8[3]"), N("min_value", 300), N("max_value", 256)},
       "uint8[3]",
       NULL},
      {WNN_OP_LINEAR, {X("input", "float16[3]")}, "float16[3]", NULL},
      {WNN_OP_WHERE,
       {X("condition", "uint8[2,1,1]"), X("true_value", "int32[3,1]"),
        X("false_value", "int32[4]")},
       "int32[2,3,4]",
       NULL},
      {WNN_OP_WHERE,
       {X("condition", "uint8[2]"), X("true_value", "int32[3]"), X("false_value", "int8[3]")},
       NULL,
       "where: trueValue is int32[3], falseValue is int8[3]: types differ"},
      {WNN_OP_WHERE,
       {X("condition", "uint8[2]"), X("true_value", "int32[3]"), X("false_value", "int32[]")},
       NULL,
       "where: condition is uint8[2], the values are int32[3]: shapes don't broadcast"},
      {WNN_OP_WHERE,
       {X("condition", "uint8[2]"), X("true_value", "int32[3]"), X("false_value", "int32[2]")},
       NULL,
       "where: trueValue is int32[3], falseValue is int32[2]: shapes don't broadcast"},
      {WNN_OP_PRELU,
       {X("input", "float32[2,3]"), X("slope", "float32[4,1,3]")},
       "float32[4,2,3]",
       NULL},
      {WNN_OP_PRELU,
       {X("input", "float32[2]"), X("slope", "float32[3]")},
       NULL,
       "prelu: input is float32[2], slope is float32[3]: shapes don't broadcast"},
      {WNN_OP_SILU, {X("input", "float32[2]")}, "float32[2]", NULL},
  };
  CHECK_ROWS(rows);
}

TEST(reduce_outputs) {
  const row rows[] = {
      {WNN_OP_ARG_MAX, {X("input", "int8[2,3,4]"), U("axis", 1)}, "int32[2,4]", NULL},
      {WNN_OP_ARG_MAX,
       {X("input", "int8[2,3]"), U("axis", 1), B("keep_dimensions", true),
        TYPE("output_data_type", WEBNN_DATA_TYPE_INT64)},
       "int64[2,1]",
       NULL},
      {WNN_OP_ARG_MIN, {X("input", "float32[5]"), U("axis", 0)}, "int32[]", NULL},
      {WNN_OP_ARG_MIN,
       {X("input", "float32[5]"), U("axis", 1)},
       NULL,
       "arg_min: axis is 1, input has rank 1"},
      {WNN_OP_ARG_MIN,
       {X("input", "float32[5]"), U("axis", 0), TYPE("output_data_type", WEBNN_DATA_TYPE_UINT32)},
       NULL,
       "arg_min: outputDataType is uint32, expected int32, int64"},
      {WNN_OP_CUMULATIVE_SUM, {X("input", "uint64[5,2]"), U("axis", 1)}, "uint64[5,2]", NULL},
      {WNN_OP_CUMULATIVE_SUM,
       {X("input", "int32[5,2]"), U("axis", 2)},
       NULL,
       "cumulative_sum: axis is 2, input has rank 2"},
      {WNN_OP_REDUCE_SUM, {X("input", "int32[2,3,4]")}, "int32[]", NULL},
      {WNN_OP_REDUCE_SUM,
       {X("input", "int32[2,3,4]"), B("keep_dimensions", true)},
       "int32[1,1,1]",
       NULL},
      {WNN_OP_REDUCE_SUM,
       {X("input", "int32[2,3,4]"), US("axes", 2, LIST(2, 0))},
       "int32[3]",
       NULL},
      {WNN_OP_REDUCE_SUM, {X("input", "int32[2,3,4]"), US("axes", 0, NULL)}, "int32[2,3,4]", NULL},
      {WNN_OP_REDUCE_SUM,
       {X("input", "int32[2,3]"), US("axes", 1, LIST(2))},
       NULL,
       "reduce_sum: axes[0] is 2, input has rank 2"},
      {WNN_OP_REDUCE_SUM,
       {X("input", "int32[2,3]"), US("axes", 2, LIST(1, 1))},
       NULL,
       "reduce_sum: axes[1] names axis 1 again"},
      {WNN_OP_REDUCE_L2, {X("input", "float16[]")}, "float16[]", NULL},
      {WNN_OP_REDUCE_MAX, {X("input", "uint8[2]")}, "uint8[]", NULL},
  };
  CHECK_ROWS(rows);
}

TEST(product_outputs) {
  const row rows[] = {
      {WNN_OP_GEMM, {X("a", "float32[2,3]"), X("b", "float32[3,4]")}, "float32[2,4]", NULL},
      {WNN_OP_GEMM,
       {X("a", "float32[3,2]"), X("b", "float32[4,3]"), B("a_transpose", true),
        B("b_transpose", true)},
       "float32[2,4]",
       NULL},
      {WNN_OP_GEMM,
       {X("a", "float32[3,2]"), X("b", "float32[3,4]")},
       NULL,
       "gemm: a is float32[3,2], b is float32[3,4]: inner sizes 2 and 3 differ"},
      {WNN_OP_GEMM,
       {X("a", "float32[2,3]"), X("b", "float32[3,4]"), B("b_transpose", true)},
       NULL,
       "gemm: a is float32[2,3], b is float32[3,4] transposed: inner sizes 3 and 4 differ"},
      {WNN_OP_GEMM,
       {X("a", "float32[2,3]"), X("b", "float32[3,4]"), X("c", "float32[4]")},
       "float32[2,4]",
       NULL},
      {WNN_OP_GEMM,
       {X("a", "float32[2,3]"), X("b", "float32[3,4]"), X("c", "float32[2]")},
       NULL,
       "gemm: c is float32[2], which doesn't broadcast to the product's [2,4]"},
      {WNN_OP_GEMM,
       {X("a", "float32[1,3]"), X("b", "float32[3,4]"), X("c", "float32[2,4]")},
       NULL,
       "gemm: c is float32[2,4], which doesn't broadcast to the product's [1,4]"},
      {WNN_OP_GEMM,
       {X("a", "float32[2,3]"), X("b", "float32[3,4]"), X("c", "float16[]")},
       NULL,
       "gemm: a is float32[2,3], c is float16[]: types differ"},
      {WNN_OP_MATMUL, {X("a", "float32[2,3]"), X("b", "float32[5,3,4]")}, "float32[5,2,4]", NULL},
      {WNN_OP_MATMUL,
       {X("a", "float32[7,1,2,3]"), X("b", "float32[5,3,4]")},
       "float32[7,5,2,4]",
       NULL},
      {WNN_OP_MATMUL,
       {X("a", "float32[2,3]"), X("b", "float32[2,3]")},
       NULL,
       "matmul: a is float32[2,3], b is float32[2,3]: inner sizes differ"},
      {WNN_OP_MATMUL,
       {X("a", "float32[2,2,3]"), X("b", "float32[3,3,3]")},
       NULL,
       "matmul: a is float32[2,2,3], b is float32[3,3,3]: leading axes don't broadcast"},
      {WNN_OP_MATMUL,
       {X("a", "float32[1,1,1,1,1,2,2,3]"), X("b", "float32[3,3]")},
       "float32[1,1,1,1,1,2,2,3]",
       NULL},
  };
  CHECK_ROWS(rows);
}

TEST(normalisation_outputs) {
  const row rows[] = {
      {WNN_OP_BATCH_NORMALIZATION,
       {X("input", "float32[2,3,4]"), X("mean", "float32[3]"), X("variance", "float32[3]"),
        X("bias", "float32[3]")},
       "float32[2,3,4]",
       NULL},
      {WNN_OP_BATCH_NORMALIZATION,
       {X("input", "float32[2,3]"), X("mean", "float32[2]"), X("variance", "float32[2]"),
        U("axis", 0)},
       "float32[2,3]",
       NULL},
      {WNN_OP_BATCH_NORMALIZATION,
       {X("input", "float32[2]"), X("mean", "float32[2]"), X("variance", "float32[2]")},
       NULL,
       "batch_normalization: axis is 1, input has rank 1"},
      {WNN_OP_BATCH_NORMALIZATION,
       {X("input", "float32[2,3]"), X("mean", "float32[2]"), X("variance", "float32[3]")},
       NULL,
       "batch_normalization: mean is float32[2], expected shape [3]"},
      {WNN_OP_BATCH_NORMALIZATION,
       {X("input", "float32[2,3]"), X("mean", "float32[3]"), X("variance", "float16[3]")},
       NULL,
       "batch_normalization: input is float32[2,3], variance is float16[3]: types differ"},
      {WNN_OP_BATCH_NORMALIZATION,
       {X("input", "float32[2,3]"), X("mean", "float32[3]"), X("variance", "float32[3]"),
        X("scale", "float32[3,1]")},
       NULL,
       "batch_normalization: scale has rank 2, expected 1"},
      {WNN_OP_BATCH_NORMALIZATION,
       {X("input", "float32[2,3]"), X("mean", "float32[3]"), X("variance", "float32[3]"),
        X("bias", "float32[1]")},
       NULL,
       "batch_normalization: bias is float32[1], expected shape [3]"},
      {WNN_OP_INSTANCE_NORMALIZATION,
       {X("input", "float16[1,2,3,4]"), X("scale", "float16[4]"),
        E("layout", WEBNN_INPUT_OPERAND_LAYOUT_NHWC)},
       "float16[1,2,3,4]",
       NULL},
      {WNN_OP_INSTANCE_NORMALIZATION,
       {X("input", "float16[1,2,3,4]"), X("scale", "float16[4]")},
       NULL,
       "instance_normalization: scale is float16[4], expected shape [2]"},
      {WNN_OP_LAYER_NORMALIZATION,
       {X("input", "float32[2,3,4]"), X("scale", "float32[3,4]"), X("bias", "float32[3,4]")},
       "float32[2,3,4]",
       NULL},
      {WNN_OP_LAYER_NORMALIZATION,
       {X("input", "float32[2,3,4]"), X("scale", "float32[4,2]"), US("axes", 2, LIST(2, 0))},
       "float32[2,3,4]",
       NULL},
      {WNN_OP_LAYER_NORMALIZATION,
       {X("input", "float32[2,3,4]"), X("scale", "float32[2,4]"), US("axes", 2, LIST(2, 0))},
       NULL,
       "layer_normalization: scale is float32[2,4], expected shape [4,2]"},
      {WNN_OP_LAYER_NORMALIZATION,
       {X("input", "float32[5]"), X("bias", "float32[]")},
       "float32[5]",
       NULL},
      {WNN_OP_LAYER_NORMALIZATION,
       {X("input", "float32[5]"), X("bias", "float32[5]")},
       NULL,
       "layer_normalization: bias is float32[5], expected shape []"},
      {WNN_OP_LAYER_NORMALIZATION, {X("input", "float32[]")}, "float32[]", NULL},
      {WNN_OP_LAYER_NORMALIZATION,
       {X("input", "float32[5]"), US("axes", 2, LIST(0, 0))},
       NULL,
       "layer_normalization: axes[1] names axis 0 again"},
      {WNN_OP_SOFTMAX, {X("input", "float32[2,3]"), U("axis", 1)}, "float32[2,3]", NULL},
      {WNN_OP_SOFTMAX,
       {X("input", "float32[2,3]"), U("axis", 2)},
       NULL,
       "softmax: axis is 2, input has rank 2"},
  };
  CHECK_ROWS(rows);
}

TEST(quantisation_outputs) {
  const row rows[] = {
      {WNN_OP_DEQUANTIZE_LINEAR,
       {X("input", "int8[4,6]"), X("scale", "float16[2,3]"), X("zero_point", "int8[2,3]")},
       "float16[4,6]",
       NULL},
      {WNN_OP_DEQUANTIZE_LINEAR,
       {X("input", "int8[4,6]"), X("scale", "float32[3,1]"), X("zero_point", "int8[3,1]")},
       NULL,
       "dequantize_linear: axis 0 of input has 4 elements, no multiple of the scale's 3"},
      {WNN_OP_DEQUANTIZE_LINEAR,
       {X("input", "int8[4]"), X("scale", "float32[1]"), X("zero_point", "uint8[1]")},
       NULL,
       "dequantize_linear: input is int8[4], zeroPoint is uint8[1]: types differ"},
      {WNN_OP_DEQUANTIZE_LINEAR,
       {X("input", "int8[4]"), X("scale", "float32[]"), X("zero_point", "int8[]")},
       NULL,
       "dequantize_linear: input is int8[4], scale is float32[]: ranks differ"},
      {WNN_OP_QUANTIZE_LINEAR,
       {X("input", "float32[4]"), X("scale", "float32[4]"), X("zero_point", "uint32[4]")},
       "uint32[4]",
       NULL},
      {WNN_OP_QUANTIZE_LINEAR,
       {X("input", "float32[4]"), X("scale", "float16[1]"), X("zero_point", "uint8[1]")},
       NULL,
       "quantize_linear: input is float32[4], scale is float16[1]: types differ"},
      {WNN_OP_QUANTIZE_LINEAR,
       {X("input", "float32[4]"), X("scale", "float32[1]"), X("zero_point", "uint8[4]")},
       NULL,
       "quantize_linear: scale is float32[1], zeroPoint is uint8[4]: shapes differ"},
      {WNN_OP_QUANTIZE_LINEAR,
       {X("input", "float32[4]"), X("scale", "float32[1]"), X("zero_point", "int64[1]")},
       NULL,
       "quantize_linear: zeroPoint is int64[1], expected int32, uint32, int8, uint8"},
  };
  CHECK_ROWS(rows);
}

static webnn_number clamp_bound(const char *type, argument argument_, bool upper) {
  argument args[MAX_ARGS] = {X("input", type), argument_};
  CHECK_STATUS(bind(WNN_OP_CLAMP, args), WEBNN_OK);
  const wnn_clamp_attrs *attrs = bound.node.attrs;
  return upper ? attrs->max_value : attrs->min_value;
}

TEST(clamp_bounds_are_resolved) {
  webnn_number x = clamp_bound("float32[]", (argument){0}, false);
  CHECK(x.kind == WEBNN_NUMBER_DOUBLE && x.as.f == -INFINITY);
  x = clamp_bound("float16[]", N("max_value", (double)NAN), true);
  CHECK(x.kind == WEBNN_NUMBER_DOUBLE && x.as.f == INFINITY);
  x = clamp_bound("float16[]", N("max_value", 0.1), true);
  CHECK(x.as.f == 0x1.998p-4);
  x = clamp_bound("int64[]", (argument){0}, false);
  CHECK(x.kind == WEBNN_NUMBER_INT64 && x.as.i == INT64_MIN);
  x = clamp_bound("uint64[]", (argument){0}, true);
  CHECK(x.kind == WEBNN_NUMBER_UINT64 && x.as.u == UINT64_MAX);
  x = clamp_bound("int64[]", I64("min_value", -9007199254740993), false);
  CHECK(x.kind == WEBNN_NUMBER_INT64 && x.as.i == -9007199254740993);
  x = clamp_bound("uint8[]", I64("min_value", -1), false);
  CHECK(x.kind == WEBNN_NUMBER_UINT64 && x.as.u == 0);
  x = clamp_bound("int32[]", N("min_value", (double)NAN), false); /* castNumber comes first: 0 */
  CHECK(x.kind == WEBNN_NUMBER_INT64 && x.as.i == 0);
}

TEST(attributes_are_resolved) {
  argument reduce[MAX_ARGS] = {X("input", "float32[2,3,4]")};
  argument layer[MAX_ARGS] = {X("input", "float16[2,3,4]"), N("epsilon", 0.1)};
  argument gemm[MAX_ARGS] = {X("a", "float32[2,3]"), X("b", "float32[3,4]"), N("alpha", 1e39)};
  CHECK_STATUS(bind(WNN_OP_REDUCE_SUM, reduce), WEBNN_OK);
  const wnn_reduce_attrs *axes = bound.node.attrs;
  CHECK(axes->axes.n == 3 && !axes->axes.given && axes->axes.data[0] == 0 &&
        axes->axes.data[2] == 2);
  CHECK(!axes->keep_dimensions);
  CHECK_STATUS(bind(WNN_OP_LAYER_NORMALIZATION, layer), WEBNN_OK);
  const wnn_layer_normalization_attrs *norm = bound.node.attrs;
  CHECK(norm->axes.n == 2 && norm->axes.data[0] == 1 && norm->axes.data[1] == 2);
  CHECK(norm->epsilon.as.f == 0x1.998p-4);
  CHECK_STATUS(bind(WNN_OP_GEMM, gemm), WEBNN_OK);
  const wnn_gemm_attrs *product = bound.node.attrs;
  CHECK(product->alpha.as.f == INFINITY && product->beta.as.f == 1 && !product->a_transpose);
  CHECK(bound.n_operands == 3 && bound.operands[0] == gemm[0].value.as.operand &&
        bound.operands[2] == NULL);
  wnn_arena_reset(&bound.arena);
}

int main(int argc, char **argv) {
  static const harness_test tests[] = {
      RUN(elementwise_outputs),     RUN(reduce_outputs),
      RUN(product_outputs),         RUN(normalisation_outputs),
      RUN(quantisation_outputs),    RUN(clamp_bounds_are_resolved),
      RUN(attributes_are_resolved), {NULL, NULL},
  };
  return rows_main(argc, argv, tests);
}
