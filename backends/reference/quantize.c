/* quantizeLinear and dequantizeLinear, block-wise: each block of the input shares one scale and
 * zero point. */
#include "reference.h"

#include <math.h>

/* Where the scale of the element at `at` lies; scale and zero point have one shape, of the input's
 * rank. */
static size_t block_of(const wnn_desc *input, const wnn_desc *scale,
                       const size_t strides[WNN_MAX_RANK], const uint32_t at[WNN_MAX_RANK]) {
  size_t place = 0;
  for (uint32_t d = 0; d < input->rank; d++)
    place += at[d] / (input->dims[d] / scale->dims[d]) * strides[d];
  return place;
}

/* The sum of a rounded quotient and a zero point, in the range of the type. Quotients far outside
 * any range, the infinite ones too, leave it on their own side whatever is added. */
static uint64_t quantized(double quotient, int64_t zero_point, webnn_data_type type) {
  int64_t low = wnn_type_min(type), high = (int64_t)wnn_type_max(type); /* at most 32 bits */
  if (quotient != quotient) return (uint64_t)zero_point;
  if (quotient >= 0x1p40) return (uint64_t)high;
  if (quotient <= -0x1p40) return (uint64_t)low;
  int64_t sum = (int64_t)quotient + zero_point;
  return (uint64_t)(sum < low ? low : sum > high ? high : sum);
}

static webnn_status quantize_linear(const wnn_node_view *node) {
  const wnn_ref_input *x = &node->inputs[0], *scale = &node->inputs[1], *zero = &node->inputs[2];
  webnn_data_type type = node->outputs[0].desc->type;
  size_t strides[WNN_MAX_RANK], i = 0;
  uint32_t at[WNN_MAX_RANK] = {0};
  wnn_shape_strides(scale->desc, strides);
  do {
    size_t block = block_of(x->desc, scale->desc, strides, at);
    /* Rounded to float32 like any result of a division: what is a tie there is a tie. */
    float quotient = (float)wnn_ref_load_f(x->data, x->desc->type, i) /
                     (float)wnn_ref_load_f(scale->data, scale->desc->type, block);
    int64_t zero_point = wnn_ref_signed(wnn_ref_load_bits(zero->data, type, block));
    wnn_ref_store_bits(node->outputs[0].data, type, i++,
                       quantized(nearbyint((double)quotient), zero_point, type));
  } while (wnn_ref_next(x->desc, at));
  return WEBNN_OK;
}

static webnn_status dequantize_linear(const wnn_node_view *node) {
  const wnn_ref_input *x = &node->inputs[0], *scale = &node->inputs[1], *zero = &node->inputs[2];
  webnn_data_type type = node->outputs[0].desc->type;
  size_t strides[WNN_MAX_RANK], i = 0;
  uint32_t at[WNN_MAX_RANK] = {0};
  wnn_shape_strides(scale->desc, strides);
  do {
    size_t block = block_of(x->desc, scale->desc, strides, at);
    /* Exact: both have at most 32 bits. */
    int64_t difference = wnn_ref_signed(wnn_ref_load_bits(x->data, x->desc->type, i)) -
                         wnn_ref_signed(wnn_ref_load_bits(zero->data, zero->desc->type, block));
    wnn_ref_store_f(node->outputs[0].data, type, i++,
                    (double)difference * wnn_ref_load_f(scale->data, scale->desc->type, block));
  } while (wnn_ref_next(x->desc, at));
  return WEBNN_OK;
}

wnn_reference_fn wnn_reference_quantize(wnn_op_id op) {
  switch (op) {
    case WNN_OP_DEQUANTIZE_LINEAR: return dequantize_linear;
    case WNN_OP_QUANTIZE_LINEAR: return quantize_linear;
    default: return NULL;
  }
}
