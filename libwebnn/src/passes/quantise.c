/* Finds integer arithmetic in what is written with floats between dequantizeLinear and
 * quantizeLinear: products of bytes, dynamic quantisation. What only moves bytes is done before
 * they become floats. float32 only. */
#include "passes/pass.h"

#include <math.h>
#include <string.h>

static bool is_byte(const wnn_value *value) {
  return value->desc.type == WEBNN_DATA_TYPE_UINT8 || value->desc.type == WEBNN_DATA_TYPE_INT8;
}

static size_t count(const wnn_value *value) { return wnn_desc_count(&value->desc); }

/* The dequantizeLinear of bytes to float32 that makes `value`, or NULL. */
static const wnn_node *dequantised(const wnn_value *value) {
  const wnn_node *node = value ? wnn_made_by(value, WNN_OP_DEQUANTIZE_LINEAR) : NULL;
  return node != NULL && is_byte(node->inputs[0]) && value->desc.type == WEBNN_DATA_TYPE_FLOAT32
             ? node
             : NULL;
}

/* The same, with one scale for all. */
static const wnn_node *dequantised_evenly(const wnn_value *value) {
  const wnn_node *node = dequantised(value);
  return node != NULL && count(node->inputs[1]) == 1 ? node : NULL;
}

/* The same of constant bytes, with one scale for all or one for each index of `axis`. */
static const wnn_node *dequantised_weights(const wnn_value *value, uint32_t axis) {
  const wnn_node *node = dequantised(value);
  if (node == NULL) return NULL;
  for (size_t i = 0; i < 3; i++)
    if (wnn_value_data(node->inputs[i]) == NULL) return NULL;
  const size_t n = count(node->inputs[1]);
  return n == 1 || (n == value->desc.dims[axis] && node->inputs[1]->desc.dims[axis] == n) ? node
                                                                                          : NULL;
}

/* Whether the scales, where they are known, can be multiplied with one another first: products of
 * what is neither huge nor tiny. */
static bool are_mild(const wnn_value *scales) {
  if (wnn_value_data(scales) == NULL) return true;
  for (size_t i = 0; i < count(scales); i++) {
    const float size = fabsf(wnn_constant_at(scales, i));
    if (!(size > 1e-15f && size < 1e15f)) return false;
  }
  return true;
}

/* What products of bytes read; the bias is set apart. */
static void set_inputs(wnn_value **inputs, const wnn_node *x, const wnn_node *w) {
  inputs[WNN_INTEGER_X] = x->inputs[0];
  inputs[WNN_INTEGER_X_SCALE] = x->inputs[1];
  inputs[WNN_INTEGER_X_ZERO] = x->inputs[2];
  inputs[WNN_INTEGER_W] = w->inputs[0];
  inputs[WNN_INTEGER_W_SCALE] = w->inputs[1];
  inputs[WNN_INTEGER_W_ZERO] = w->inputs[2];
  inputs[WNN_INTEGER_BIAS] = NULL;
}

/* ---- products */

/* With fewer output channels in a group there is no matrix to multiply with. */
#define MIN_GROUP 4

static bool find_conv(wnn_graph *graph, const wnn_node *node, webnn_status *status) {
  static const uint8_t out_axes[] = {0, 3, 0, 3}; /* oihw, hwio, ohwi, ihwo */
  if (!wnn_node_is(node, WNN_OP_CONV2D)) return false;
  const wnn_conv2d_attrs *attrs = node->attrs;
  const uint32_t axis = out_axes[attrs->filter_layout];
  const wnn_node *x = dequantised_evenly(node->inputs[0]),
                 *w = dequantised_weights(node->inputs[1], axis);
  if (x == NULL || w == NULL || !are_mild(x->inputs[1]) || !are_mild(w->inputs[1])) return false;
  const size_t channels = w->inputs[0]->desc.dims[axis];
  if (attrs->groups > 1 && channels / attrs->groups < MIN_GROUP) return false;
  if (count(w->inputs[0]) / channels > WNN_INTEGER_DEPTH) return false;
  wnn_value *inputs[WNN_INTEGER_INPUTS];
  set_inputs(inputs, x, w);
  if (node->n_inputs > 2) inputs[WNN_INTEGER_BIAS] = node->inputs[2];
  *status = wnn_put_node(graph, node->outputs[0], WNN_OP_CONV2D_INTEGER, attrs, inputs,
                         WNN_INTEGER_INPUTS);
  return true;
}

static bool find_matmul(wnn_graph *graph, const wnn_node *node, webnn_status *status) {
  if (!wnn_node_is(node, WNN_OP_MATMUL)) return false;
  const wnn_node *x = dequantised_evenly(node->inputs[0]),
                 *w = dequantised_weights(node->inputs[1], 1);
  if (x == NULL || w == NULL || w->inputs[0]->desc.rank != 2) return false;
  if (!are_mild(x->inputs[1]) || !are_mild(w->inputs[1])) return false;
  if (w->inputs[0]->desc.dims[0] > WNN_INTEGER_DEPTH) return false;
  wnn_value *inputs[WNN_INTEGER_INPUTS];
  set_inputs(inputs, x, w);
  const wnn_matmul_integer_attrs attrs = {.w_transpose = false};
  *status = wnn_put_node(graph, node->outputs[0], WNN_OP_MATMUL_INTEGER, &attrs, inputs,
                         WNN_INTEGER_INPUTS);
  return true;
}

/* `factor` times a float32 constant. */
static wnn_value *scaled(wnn_graph *graph, wnn_value *value, double factor) {
  void *bytes = NULL;
  if (factor == 1) return value;
  wnn_value *fresh = wnn_new_constant(graph, &value->desc, &bytes);
  for (size_t i = 0; fresh != NULL && i < count(fresh); i++)
    ((float *)bytes)[i] = (float)(factor * (double)wnn_constant_at(value, i));
  return fresh;
}

/* gemm's third operand can be a bias: one number a column. */
static bool is_row(const wnn_value *c, size_t n) {
  return c->desc.rank > 0 && count(c) == n && c->desc.dims[c->desc.rank - 1] == n;
}

static bool find_gemm(wnn_graph *graph, const wnn_node *node, webnn_status *status) {
  if (!wnn_node_is(node, WNN_OP_GEMM)) return false;
  const wnn_gemm_attrs *attrs = node->attrs;
  const wnn_node *x = dequantised_evenly(node->inputs[0]);
  const wnn_node *w = dequantised_weights(node->inputs[1], attrs->b_transpose ? 0 : 1);
  if (attrs->a_transpose || x == NULL || w == NULL) return false;
  if (!are_mild(x->inputs[1]) || !are_mild(w->inputs[1])) return false;
  if (w->inputs[0]->desc.dims[attrs->b_transpose ? 1 : 0] > WNN_INTEGER_DEPTH) return false;
  wnn_value *inputs[WNN_INTEGER_INPUTS], *c = node->n_inputs > 2 ? node->inputs[2] : NULL;
  if (c != NULL && !is_row(c, node->outputs[0]->desc.dims[1])) return false;
  if (c != NULL && attrs->beta.as.f != 1 && wnn_value_data(c) == NULL) return false;
  set_inputs(inputs, x, w);
  inputs[WNN_INTEGER_W_SCALE] = scaled(graph, inputs[WNN_INTEGER_W_SCALE], attrs->alpha.as.f);
  if (inputs[WNN_INTEGER_W_SCALE] != NULL && !are_mild(inputs[WNN_INTEGER_W_SCALE])) return false;
  if (c != NULL) inputs[WNN_INTEGER_BIAS] = scaled(graph, c, attrs->beta.as.f);
  const wnn_matmul_integer_attrs integer = {.w_transpose = attrs->b_transpose};
  *status = WEBNN_ERROR_UNKNOWN;
  if (inputs[WNN_INTEGER_W_SCALE] != NULL && (c == NULL || inputs[WNN_INTEGER_BIAS] != NULL))
    *status = wnn_put_node(graph, node->outputs[0], WNN_OP_MATMUL_INTEGER, &integer, inputs,
                           WNN_INTEGER_INPUTS);
  return true;
}

/* ---- recurrent weights */

/* The place of the number that row `row` of direction `d` has, among scales or zero points of weights [d, rows, depth]:
 * one for all, one a direction, one a row. */
static size_t place_of_row(const wnn_desc *numbers, size_t d, size_t row) {
  return (numbers->dims[0] == 1 ? 0 : d * numbers->dims[1]) + (numbers->dims[1] == 1 ? 0 : row);
}

/* Whether signed bytes have no zero points already. */
static bool is_centred(const wnn_value *bytes, const wnn_value *zeros) {
  if (bytes->desc.type != WEBNN_DATA_TYPE_INT8) return false;
  for (size_t i = 0; i < count(zeros); i++)
    if (((const int8_t *)wnn_value_data(zeros))[i] != 0) return false;
  return true;
}

/* False: a difference is no byte. */
static bool centre_rows(const wnn_node *node, int8_t *to) {
  const wnn_desc *from = &node->inputs[0]->desc, *spread = &node->inputs[2]->desc;
  const bool is_signed = from->type == WEBNN_DATA_TYPE_INT8;
  const uint8_t *numbers = wnn_value_data(node->inputs[0]),
                *zeros = wnn_value_data(node->inputs[2]);
  const size_t n = from->dims[2];
  for (size_t row = 0; row < (size_t)from->dims[0] * from->dims[1]; row++) {
    const uint8_t zero = zeros[place_of_row(spread, row / from->dims[1], row % from->dims[1])];
    if (!wnn_bytes_less(numbers + row * n, is_signed, is_signed ? (int8_t)zero : zero, -128, 127,
                        to + row * n, n))
      return false;
  }
  return true;
}

/* Weights as signed bytes with no zero point, and a scale for each row. False: they are no such numbers; NULL: out of
 * memory. */
static bool as_rows_of_bytes(wnn_graph *graph, const wnn_value *value, wnn_value *out[2]) {
  const wnn_node *node = dequantised(value);
  if (node == NULL) return false;
  for (size_t i = 0; i < 3; i++)
    if (wnn_value_data(node->inputs[i]) == NULL) return false;
  const wnn_desc *from = &node->inputs[0]->desc, *spread = &node->inputs[1]->desc;
  if (spread->dims[2] != 1 || (spread->dims[1] != 1 && spread->dims[1] != from->dims[1])) return false;
  if (spread->dims[0] != 1 && spread->dims[0] != from->dims[0]) return false;
  wnn_desc bytes_desc = *from, scales_desc = {WEBNN_DATA_TYPE_FLOAT32, 2, {from->dims[0], from->dims[1]}};
  void *bytes = NULL, *scales = NULL;
  bytes_desc.type = WEBNN_DATA_TYPE_INT8;
  const bool ready = is_centred(node->inputs[0], node->inputs[2]);
  out[0] = ready ? node->inputs[0] : wnn_new_constant(graph, &bytes_desc, &bytes);
  out[1] = wnn_new_constant(graph, &scales_desc, &scales);
  if (out[0] == NULL || out[1] == NULL) return true;
  for (size_t row = 0; row < (size_t)from->dims[0] * from->dims[1]; row++)
    ((float *)scales)[row] = wnn_constant_at(
        node->inputs[1], place_of_row(spread, row / from->dims[1], row % from->dims[1]));
  return ready || centre_rows(node, bytes);
}

/* Weights are what a network of few batches waits for: as bytes they are a quarter. */
static bool find_lstm(wnn_graph *graph, const wnn_node *node, webnn_status *status) {
  if (!wnn_node_is(node, WNN_OP_LSTM) || dequantised(node->inputs[2]) == NULL) return false;
  wnn_value *weight[2] = {NULL}, *recurrent[2] = {NULL}, *inputs[WNN_LSTM_INTEGER_INPUTS] = {NULL};
  if (!as_rows_of_bytes(graph, node->inputs[1], weight) || !as_rows_of_bytes(graph, node->inputs[2], recurrent))
    return false;
  *status = WEBNN_ERROR_UNKNOWN;
  if (weight[0] == NULL || weight[1] == NULL || recurrent[0] == NULL || recurrent[1] == NULL) return true;
  for (size_t i = 0; i < node->n_inputs; i++) inputs[i] = node->inputs[i];
  inputs[1] = weight[0];
  inputs[2] = recurrent[0];
  inputs[WNN_LSTM_SCALE] = weight[1];
  inputs[WNN_LSTM_RECURRENT_SCALE] = recurrent[1];
  wnn_desc descs[3];
  for (size_t i = 0; i < node->n_outputs; i++) descs[i] = node->outputs[i]->desc;
  wnn_node *fresh = wnn_graph_node(graph, node->next, WNN_OP_LSTM_INTEGER, node->attrs, inputs, WNN_LSTM_INTEGER_INPUTS,
                                   descs, node->n_outputs);
  if (fresh == NULL) return true;
  fresh->label = node->label;
  for (size_t i = 0; i < node->n_outputs; i++) wnn_graph_replace(graph, node->outputs[i], fresh->outputs[i]);
  *status = WEBNN_OK;
  return true;
}

/* ---- whole numbers */

static bool is_one(const wnn_value *value) {
  if (wnn_value_data(value) == NULL) return false;
  for (size_t i = 0; i < count(value); i++)
    if (wnn_constant_at(value, i) != 1.0f) return false;
  return true;
}

/* A product of bytes whose floats are its sums. */
static bool is_whole(const wnn_value *value) {
  const wnn_node *node = wnn_made_by(value, WNN_OP_CONV2D_INTEGER);
  if (node == NULL) node = wnn_made_by(value, WNN_OP_MATMUL_INTEGER);
  return node != NULL && node->inputs[WNN_INTEGER_BIAS] == NULL &&
         is_one(node->inputs[WNN_INTEGER_X_SCALE]) && is_one(node->inputs[WNN_INTEGER_W_SCALE]);
}

/* The sums that the int32 `value` has after rounding, or NULL. */
static wnn_value *rounded_sums(const wnn_value *value) {
  const wnn_node *cast =
      value->desc.type == WEBNN_DATA_TYPE_INT32 ? wnn_made_by(value, WNN_OP_CAST) : NULL;
  const wnn_node *round = cast ? wnn_made_by(cast->inputs[0], WNN_OP_ROUND_EVEN) : NULL;
  return round != NULL && is_whole(round->inputs[0]) ? round->inputs[0] : NULL;
}

static wnn_node *to_float(wnn_graph *graph, wnn_node *before, wnn_value *value) {
  const wnn_cast_attrs attrs = {WEBNN_DATA_TYPE_FLOAT32};
  wnn_desc desc = value->desc;
  desc.type = WEBNN_DATA_TYPE_FLOAT32;
  return wnn_graph_node(graph, before, WNN_OP_CAST, &attrs, &value, 1, &desc, 1);
}

/* `value`, or what it is reshaped from. */
static const wnn_value *behind_reshape(const wnn_value *value) {
  const wnn_node *reshape = wnn_made_by(value, WNN_OP_RESHAPE);
  return reshape != NULL ? reshape->inputs[0] : value;
}

/* Whether int32 numbers are floats as well, and don't make sums wrap: small constants, or what was
 * rounded from floats, as ONNX's dynamic quantisation has its bias. */
static bool are_floats(const wnn_value *value) {
  const wnn_node *cast = wnn_made_by(behind_reshape(value), WNN_OP_CAST);
  if (cast != NULL) return cast->inputs[0]->desc.type == WEBNN_DATA_TYPE_FLOAT32;
  const int32_t *numbers = wnn_value_data(value);
  if (numbers == NULL) return false;
  for (size_t i = 0; i < count(value); i++)
    if (numbers[i] > 1 << 24 || numbers[i] < -(1 << 24)) return false;
  return true;
}

/* Sums that are cast to int32 and back, with an int32 bias in between or without, stay floats: the
 * same up to 2²⁴, and as good as the float sums that the graph asks for beyond. */
static bool find_round_trip(wnn_graph *graph, const wnn_node *node, webnn_status *status) {
  if (!wnn_node_is(node, WNN_OP_CAST) || node->outputs[0]->desc.type != WEBNN_DATA_TYPE_FLOAT32)
    return false;
  wnn_value *sums = rounded_sums(node->inputs[0]);
  if (sums != NULL) {
    wnn_graph_replace(graph, node->outputs[0], sums);
    return true;
  }
  const wnn_node *add = wnn_made_by(node->inputs[0], WNN_OP_ADD);
  for (int i = 0; add != NULL && i < 2; i++) {
    sums = rounded_sums(add->inputs[i]);
    if (sums == NULL || !wnn_shape_equal(&sums->desc, &node->outputs[0]->desc)) continue;
    if (!are_floats(add->inputs[1 - i])) continue;
    wnn_node *bias = to_float(graph, node->outputs[0]->producer, add->inputs[1 - i]);
    if (bias == NULL)
      *status = WEBNN_ERROR_UNKNOWN;
    else
      *status = wnn_put_node(graph, node->outputs[0], WNN_OP_ADD, NULL,
                             (wnn_value *[]){sums, bias->outputs[0]}, 2);
    return true;
  }
  return false;
}

/* ---- bytes that are only moved */

static bool same_constant(const wnn_value *a, const wnn_value *b) {
  if (a == b) return true;
  const void *x = wnn_value_data(a), *y = wnn_value_data(b);
  if (x == NULL || y == NULL || a->desc.type != b->desc.type || count(a) != count(b)) return false;
  return memcmp(x, y, wnn_desc_bytes(&a->desc)) == 0;
}

/* A scale whose products with bytes and their quotients are all normal numbers: dividing undoes
 * multiplying. */
static bool is_tame(const wnn_value *scale) {
  double number;
  return wnn_constant_number(scale, &number) && number > 1e-30 && number < 1e30;
}

/* quantizeLinear of what was dequantised by the same numbers. */
static bool find_undone(wnn_graph *graph, const wnn_node *node) {
  if (!wnn_node_is(node, WNN_OP_QUANTIZE_LINEAR)) return false;
  const wnn_node *from = dequantised_evenly(node->inputs[0]);
  if (from == NULL || count(node->inputs[1]) != 1 || !is_tame(from->inputs[1])) return false;
  if (from->inputs[0]->desc.type != node->outputs[0]->desc.type) return false;
  if (!same_constant(from->inputs[1], node->inputs[1]) ||
      !same_constant(from->inputs[2], node->inputs[2]))
    return false;
  wnn_graph_replace(graph, node->outputs[0], from->inputs[0]);
  return true;
}

/* Whether each window has an element of the input: it is -inf otherwise, which no byte stands for.
 */
static bool windows_have_input(const wnn_node *node) {
  const wnn_pool2d_attrs *attrs = node->attrs;
  const uint32_t *dims =
      &node->inputs[0]->desc.dims[attrs->layout == WEBNN_INPUT_OPERAND_LAYOUT_NCHW ? 2 : 1];
  for (size_t i = 0; i < 2; i++) {
    const uint64_t before = attrs->padding.data[2 * i], size = attrs->window_dimensions.data[i];
    const uint64_t last = (attrs->output_sizes.data[i] - 1) * (uint64_t)attrs->strides.data[i];
    if (last + (size - 1) * attrs->dilations.data[i] < before + dims[i] && before == 0) continue;
    if (attrs->dilations.data[i] != 1 || before >= size || last >= before + dims[i]) return false;
  }
  return true;
}

/* Operations that hand elements on as they are; or the larger of them, which a positive scale
 * doesn't change. */
static bool moves(const wnn_node *node) {
  switch (node->op->id) {
    case WNN_OP_RESHAPE:
    case WNN_OP_TRANSPOSE:
    case WNN_OP_SLICE:
    case WNN_OP_CONCAT: return true;
    case WNN_OP_MAX_POOL2D:
      return is_tame(node->inputs[0]->producer->inputs[1]) && windows_have_input(node);
    case WNN_OP_RESAMPLE2D: {
      const wnn_resample2d_attrs *attrs = node->attrs;
      return attrs->mode == WEBNN_INTERPOLATION_MODE_NEAREST_NEIGHBOR;
    }
    default: return false;
  }
}

/* One element in the rank of `like`; a constant's is another constant, so that it is seen as one.
 */
static wnn_value *of_rank(wnn_graph *graph, wnn_node *before, wnn_value *value,
                          const wnn_desc *like) {
  wnn_desc desc = {.type = value->desc.type, .rank = like->rank};
  uint32_t ones[WNN_MAX_RANK];
  for (uint32_t i = 0; i < like->rank; i++) desc.dims[i] = ones[i] = 1;
  if (value->desc.rank == like->rank) return value;
  if (wnn_value_data(value) != NULL) {
    void *bytes = NULL;
    wnn_value *fresh = wnn_new_constant(graph, &desc, &bytes);
    if (fresh != NULL) memcpy(bytes, wnn_value_data(value), wnn_desc_bytes(&desc));
    return fresh;
  }
  wnn_shape_attrs attrs = {{.n = like->rank, .given = true}};
  attrs.shape.data = wnn_arena_copy(&graph->arena, ones, like->rank * sizeof ones[0]);
  if (attrs.shape.data == NULL) return NULL;
  wnn_node *node = wnn_graph_node(graph, before, WNN_OP_RESHAPE, &attrs, &value, 1, &desc, 1);
  return node ? node->outputs[0] : NULL;
}

/* All operands that are moved were dequantised alike. */
static bool come_alike(const wnn_node *node) {
  const wnn_node *first = node->n_inputs ? dequantised_evenly(node->inputs[0]) : NULL;
  if (first == NULL) return false;
  for (size_t i = 1; i < node->n_inputs; i++) {
    const wnn_node *other = dequantised_evenly(node->inputs[i]);
    if (other == NULL || other->inputs[0]->desc.type != first->inputs[0]->desc.type) return false;
    if (!same_constant(first->inputs[1], other->inputs[1]) ||
        !same_constant(first->inputs[2], other->inputs[2]))
      return false;
  }
  return true;
}

/* Moves the bytes and dequantises behind. */
static bool find_moved(wnn_graph *graph, wnn_node *node, webnn_status *status) {
  if (node->n_outputs != 1 || !come_alike(node) || !moves(node)) return false;
  const wnn_node *from = node->inputs[0]->producer;
  wnn_value **bytes = wnn_arena_array(&graph->arena, node->n_inputs, sizeof *bytes);
  wnn_desc desc = node->outputs[0]->desc;
  desc.type = from->inputs[0]->desc.type;
  *status = WEBNN_ERROR_UNKNOWN;
  if (bytes == NULL) return true;
  for (size_t i = 0; i < node->n_inputs; i++) bytes[i] = node->inputs[i]->producer->inputs[0];
  wnn_node *moved =
      wnn_graph_node(graph, node, node->op->id, node->attrs, bytes, node->n_inputs, &desc, 1);
  wnn_value *scale = of_rank(graph, node, from->inputs[1], &desc),
            *zero = of_rank(graph, node, from->inputs[2], &desc);
  if (moved == NULL || scale == NULL || zero == NULL) return true;
  moved->label = node->label;
  *status = wnn_put_node(graph, node->outputs[0], WNN_OP_DEQUANTIZE_LINEAR, NULL,
                         (wnn_value *[]){moved->outputs[0], scale, zero}, 3);
  return true;
}

/* ---- dynamic quantisation */

/* The operand of a reduction over everything, behind max or min with 0; or NULL. */
static wnn_value *limit_of(const wnn_value *value, wnn_op_id op, wnn_op_id reduction) {
  const wnn_node *node = wnn_made_by(value, op);
  for (int i = 0; node != NULL && i < 2; i++) {
    double zero;
    const wnn_node *reduce = wnn_made_by(node->inputs[i], reduction);
    if (reduce == NULL || !wnn_constant_number(node->inputs[1 - i], &zero) || zero != 0) continue;
    if (wnn_desc_count(&node->inputs[i]->desc) == 1) return reduce->inputs[0];
  }
  return NULL;
}

/* The range of x on 255 steps, but 1 where that is 0: x, and the lower limit. */
static wnn_value *range_of(const wnn_value *scale, const wnn_value **low) {
  double number;
  const wnn_node *where = wnn_made_by(scale, WNN_OP_WHERE);
  const wnn_node *equal = where ? wnn_made_by(where->inputs[0], WNN_OP_EQUAL) : NULL;
  const wnn_node *div = where ? wnn_made_by(where->inputs[2], WNN_OP_DIV) : NULL;
  const wnn_node *sub = div ? wnn_made_by(div->inputs[0], WNN_OP_SUB) : NULL;
  if (equal == NULL || sub == NULL || equal->inputs[0] != where->inputs[2]) return NULL;
  if (!wnn_constant_number(equal->inputs[1], &number) || number != 0) return NULL;
  if (!wnn_constant_number(where->inputs[1], &number) || number != 1) return NULL;
  if (!wnn_constant_number(div->inputs[1], &number) || number != 255) return NULL;
  wnn_value *x = limit_of(sub->inputs[0], WNN_OP_MAX, WNN_OP_REDUCE_MAX);
  *low = sub->inputs[1];
  return x != NULL && limit_of(*low, WNN_OP_MIN, WNN_OP_REDUCE_MIN) == x ? x : NULL;
}

/* uint8(clamp(roundEven(0 − low / scale), 0, 255)): the scale. */
static wnn_value *scale_of_zero_point(const wnn_node *cast, const wnn_value **low) {
  double number;
  const wnn_node *clamp = wnn_made_by(cast->inputs[0], WNN_OP_CLAMP);
  const wnn_clamp_attrs *bounds = clamp ? clamp->attrs : NULL;
  if (bounds == NULL || bounds->min_value.as.f != 0 || bounds->max_value.as.f != 255) return NULL;
  const wnn_node *round = wnn_made_by(clamp->inputs[0], WNN_OP_ROUND_EVEN);
  const wnn_node *sub = round ? wnn_made_by(round->inputs[0], WNN_OP_SUB) : NULL;
  const wnn_node *div = sub ? wnn_made_by(sub->inputs[1], WNN_OP_DIV) : NULL;
  if (div == NULL || !wnn_constant_number(sub->inputs[0], &number) || number != 0) return NULL;
  *low = div->inputs[0];
  return div->inputs[1];
}

static bool is_quantised_by(const wnn_node *node, const wnn_value *x, const wnn_value *scale,
                            const wnn_value *zero) {
  return wnn_node_is(node, WNN_OP_QUANTIZE_LINEAR) && node->inputs[0] == x &&
         behind_reshape(node->inputs[1]) == scale && behind_reshape(node->inputs[2]) == zero;
}

/* Anchored at the zero point: with it and the scale go all that is quantised by them. */
static bool find_dynamic(wnn_graph *graph, wnn_node *node, webnn_status *status) {
  if (!wnn_node_is(node, WNN_OP_CAST) || node->outputs[0]->desc.type != WEBNN_DATA_TYPE_UINT8)
    return false;
  const wnn_value *low = NULL, *same_low = NULL, *zero = node->outputs[0];
  wnn_value *scale = scale_of_zero_point(node, &low),
            *x = scale ? range_of(scale, &same_low) : NULL;
  if (x == NULL || low != same_low || x->desc.type != WEBNN_DATA_TYPE_FLOAT32) return false;
  bool used = false;
  for (size_t i = 0; i < x->n_uses && !used; i++)
    used = is_quantised_by(x->uses[i], x, scale, zero);
  if (!used) return false;
  wnn_desc descs[3] = {x->desc, scale->desc, zero->desc};
  descs[0].type = WEBNN_DATA_TYPE_UINT8;
  wnn_node *before = x->producer ? x->producer->next : graph->first;
  wnn_node *fresh = wnn_graph_node(graph, before, WNN_OP_DYNAMIC_QUANTIZE, NULL, &x, 1, descs, 3);
  if (fresh == NULL) {
    *status = WEBNN_ERROR_UNKNOWN;
    return true;
  }
  fresh->label = node->label;
  for (size_t i = 0; i < x->n_uses; i++)
    if (is_quantised_by(x->uses[i], x, scale, zero))
      wnn_graph_replace(graph, x->uses[i]->outputs[0], fresh->outputs[0]);
  wnn_graph_replace(graph, scale, fresh->outputs[1]);
  wnn_graph_replace(graph, node->outputs[0], fresh->outputs[2]);
  return true;
}

webnn_status wnn_pass_quantise(wnn_graph *graph, bool *changed) {
  webnn_status status = WEBNN_OK;
  for (wnn_node *node = graph->first; node != NULL && status == WEBNN_OK; node = node->next) {
    bool found = find_conv(graph, node, &status) || find_matmul(graph, node, &status) ||
                 find_gemm(graph, node, &status) || find_lstm(graph, node, &status) ||
                 find_round_trip(graph, node, &status) ||
                 find_undone(graph, node) || find_moved(graph, node, &status) ||
                 find_dynamic(graph, node, &status);
    *changed = *changed || found;
  }
  return status;
}
