/* quantizeLinear and dequantizeLinear: fields, checks, output types. */
#include "op/families.h"
#include "op/infer.h"

#include <inttypes.h>

enum { INPUT, SCALE, ZERO_POINT };

#define SCALE_DOC "Scales: every axis divides the input's, and each element serves a block."
#define ZERO_POINT_DOC "Zero points, of the shape of scale."

static const wnn_field dequantize_linear_fields[] = {
    WNN_OPERAND("input", "input", NULL, WNN_NO_FIELD, WNN_ANY_RANK, "Quantized values."),
    WNN_OPERAND("scale", "scale", &wnn_types_FLOAT, WNN_NO_FIELD, WNN_ANY_RANK,
                SCALE_DOC " Its type is the output's."),
    WNN_OPERAND("zero_point", "zeroPoint", &wnn_types_QUANT_32, INPUT, WNN_ANY_RANK,
                ZERO_POINT_DOC),
    WNN_LABEL,
};

static const wnn_field dequantize_linear_outputs[] = {
    WNN_OUTPUT("output", "output", &wnn_types_FLOAT, WNN_ANY_RANK)};

const wnn_signature wnn_signature_dequantize_linear = {
    .name = "dequantize_linear",
    .fields = dequantize_linear_fields,
    .n_fields = WNN_COUNT(dequantize_linear_fields),
    .n_operands = 3,
    .n_outputs = 1,
    .outputs = dequantize_linear_outputs,
};

static const wnn_field quantize_linear_fields[] = {
    WNN_OPERAND("input", "input", NULL, WNN_NO_FIELD, WNN_ANY_RANK, "Values to quantize."),
    WNN_OPERAND("scale", "scale", NULL, INPUT, WNN_ANY_RANK, SCALE_DOC),
    WNN_OPERAND("zero_point", "zeroPoint", &wnn_types_QUANT, WNN_NO_FIELD, WNN_ANY_RANK,
                ZERO_POINT_DOC " Its type is the output's."),
    WNN_LABEL,
};

static const wnn_field quantize_linear_outputs[] = {
    WNN_OUTPUT("output", "output", &wnn_types_QUANT, WNN_ANY_RANK)};

const wnn_signature wnn_signature_quantize_linear = {
    .name = "quantize_linear",
    .fields = quantize_linear_fields,
    .n_fields = WNN_COUNT(quantize_linear_fields),
    .n_operands = 3,
    .n_outputs = 1,
    .outputs = quantize_linear_outputs,
};

/* Scale and zero point have one shape, which divides the input's axis by axis. */
static webnn_status check_blocks(wnn_infer *in) {
  const wnn_desc *input = in->inputs[INPUT], *scale = in->inputs[SCALE];
  for (size_t i = SCALE; i <= ZERO_POINT; i++)
    if (in->inputs[i]->rank != input->rank) return wnn_fail_pair(in, INPUT, i, "ranks differ");
  if (!wnn_shape_equal(scale, in->inputs[ZERO_POINT]))
    return wnn_fail_pair(in, SCALE, ZERO_POINT, "shapes differ");
  for (uint32_t i = 0; i < input->rank; i++)
    if (input->dims[i] % scale->dims[i] != 0)
      return wnn_fail(in, WEBNN_ERROR_TYPE,
                      "axis %" PRIu32 " of input has %" PRIu32
                      " elements, no multiple of the scale's %" PRIu32,
                      i, input->dims[i], scale->dims[i]);
  return WEBNN_OK;
}

static webnn_status infer_typed_like(wnn_infer *in, size_t position) {
  webnn_status status = check_blocks(in);
  in->outputs[0] = *in->inputs[INPUT];
  in->outputs[0].type = in->inputs[position]->type;
  return status;
}

webnn_status wnn_infer_dequantize_linear(wnn_infer *in) { return infer_typed_like(in, SCALE); }
webnn_status wnn_infer_quantize_linear(wnn_infer *in) { return infer_typed_like(in, ZERO_POINT); }

/* What passes make of these. Nobody calls them, so that there is nothing to check. */
const wnn_signature wnn_signature_matmul_integer = {
    .name = "matmul_integer",
    .n_operands = WNN_INTEGER_INPUTS,
    .n_outputs = 1,
    .attrs_bytes = sizeof(wnn_matmul_integer_attrs),
};
const wnn_signature wnn_signature_lstm_integer = {
    .name = "lstm_integer",
    .n_operands = WNN_LSTM_INTEGER_INPUTS,
    .n_outputs = 3,
    .attrs_bytes = sizeof(wnn_lstm_attrs),
};
const wnn_signature wnn_signature_dynamic_quantize = {
    .name = "dynamic_quantize", .n_operands = 1, .n_outputs = 3};
