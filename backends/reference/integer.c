/* What passes make of quantised graphs: products of bytes and their scaling, dynamic quantisation.
 * See wnn_integer_input. */
#include "reference.h"

#include <math.h>

static int64_t byte_at(const wnn_ref_input *input, size_t i) {
  return wnn_ref_signed(wnn_ref_load_bits(input->data, input->desc->type, i));
}

static float float_at(const wnn_ref_input *input, size_t i) {
  return ((const float *)input->data)[i];
}

/* The place in one number, or in one a channel. */
static size_t place(const wnn_ref_input *input, size_t channel) {
  return wnn_desc_count(input->desc) == 1 ? 0 : channel;
}

/* One term of a sum. */
static int64_t term(const wnn_node_view *node, size_t x, size_t w, size_t channel) {
  const wnn_ref_input *in = node->inputs, *w_zero = &in[WNN_INTEGER_W_ZERO];
  return (byte_at(&in[WNN_INTEGER_X], x) - byte_at(&in[WNN_INTEGER_X_ZERO], 0)) *
         (byte_at(&in[WNN_INTEGER_W], w) - byte_at(w_zero, place(w_zero, channel)));
}

static void store(const wnn_node_view *node, size_t at, int64_t sum, size_t channel) {
  const wnn_ref_input *in = node->inputs, *w_scale = &in[WNN_INTEGER_W_SCALE];
  double y = (double)sum * (double)float_at(&in[WNN_INTEGER_X_SCALE], 0) *
             (double)float_at(w_scale, place(w_scale, channel));
  if (wnn_ref_has(node, WNN_INTEGER_BIAS)) y += (double)float_at(&in[WNN_INTEGER_BIAS], channel);
  wnn_ref_store_f(node->outputs[0].data, WEBNN_DATA_TYPE_FLOAT32, at, y);
}

static webnn_status matmul_integer(const wnn_node_view *node) {
  const wnn_matmul_integer_attrs *attrs = node->attrs;
  const wnn_desc *out = node->outputs[0].desc, *x = node->inputs[WNN_INTEGER_X].desc;
  const size_t n = out->dims[out->rank - 1], depth = x->dims[x->rank - 1],
               rows = wnn_desc_count(out) / n;
  const size_t down = attrs->w_transpose ? 1 : n, across = attrs->w_transpose ? depth : 1;
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < n; j++) {
      int64_t sum = 0;
      for (size_t k = 0; k < depth; k++) sum += term(node, i * depth + k, k * down + j * across, j);
      store(node, i * n + j, sum, j);
    }
  return WEBNN_OK;
}

/* In the order of webnn_conv2d_filter_operand_layout: the axes of output channels, input channels,
 * height, width. */
static const uint8_t filter_axes[][4] = {{0, 1, 2, 3}, {3, 2, 0, 1}, {0, 3, 1, 2}, {3, 0, 1, 2}};

/* Sizes and strides of an image as n, c, h, w. */
typedef struct image {
  size_t dims[4], strides[4];
} image;

static image image_of(const wnn_desc *desc, webnn_input_operand_layout layout) {
  static const uint8_t axes[2][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}};
  size_t strides[WNN_MAX_RANK];
  image is;
  wnn_shape_strides(desc, strides);
  for (size_t i = 0; i < 4; i++) {
    const uint8_t axis = axes[layout == WEBNN_INPUT_OPERAND_LAYOUT_NHWC][i];
    is.dims[i] = desc->dims[axis];
    is.strides[i] = strides[axis];
  }
  return is;
}

typedef struct convolution {
  const wnn_node_view *node;
  const wnn_conv2d_attrs *attrs;
  image x, y;
  size_t window[2], strides[4]; /* of the filter: output channel, input channel, row, column */
} convolution;

/* The sum for the result at n, c, h, w. */
static int64_t sum_at(const convolution *c, const size_t at[4]) {
  const size_t depth = c->x.dims[1] / c->attrs->groups,
               group = at[1] / (c->y.dims[1] / c->attrs->groups);
  int64_t sum = 0;
  for (size_t i = 0; i < c->window[0] * c->window[1]; i++) {
    const size_t tap[2] = {i / c->window[1], i % c->window[1]};
    size_t x = at[0] * c->x.strides[0] + group * depth * c->x.strides[1];
    size_t w = at[1] * c->strides[0] + tap[0] * c->strides[2] + tap[1] * c->strides[3];
    bool inside = true;
    for (size_t k = 0; k < 2; k++) {
      /* Wraps round to something large where it is before the first. */
      size_t pixel = at[2 + k] * c->attrs->strides.data[k] + tap[k] * c->attrs->dilations.data[k] -
                     c->attrs->padding.data[2 * k];
      inside = inside && pixel < c->x.dims[2 + k];
      x += inside ? pixel * c->x.strides[2 + k] : 0;
    }
    for (size_t k = 0; k < depth && inside; k++)
      sum += term(c->node, x + k * c->x.strides[1], w + k * c->strides[1], at[1]);
  }
  return sum;
}

static webnn_status conv2d_integer(const wnn_node_view *node) {
  convolution c = {.node = node, .attrs = node->attrs};
  const wnn_desc *filter = node->inputs[WNN_INTEGER_W].desc;
  const uint8_t *axes = filter_axes[c.attrs->filter_layout];
  size_t strides[WNN_MAX_RANK], at[4];
  c.x = image_of(node->inputs[WNN_INTEGER_X].desc, c.attrs->input_layout);
  c.y = image_of(node->outputs[0].desc, c.attrs->input_layout);
  wnn_shape_strides(filter, strides);
  for (size_t i = 0; i < 4; i++) c.strides[i] = strides[axes[i]];
  for (size_t i = 0; i < 2; i++) c.window[i] = filter->dims[axes[2 + i]];
  for (at[0] = 0; at[0] < c.y.dims[0]; at[0]++)
    for (at[1] = 0; at[1] < c.y.dims[1]; at[1]++)
      for (at[2] = 0; at[2] < c.y.dims[2]; at[2]++)
        for (at[3] = 0; at[3] < c.y.dims[3]; at[3]++) {
          size_t to = 0;
          for (size_t i = 0; i < 4; i++) to += at[i] * c.y.strides[i];
          store(node, to, sum_at(&c, at), at[1]);
        }
  return WEBNN_OK;
}

/* NaN stays what it is. */
static float farther(float limit, float x, bool up) {
  if (isnan(limit) || isnan(x)) return NAN;
  return (x > limit) == up && x != limit ? x : limit;
}

static webnn_status dynamic_quantize(const wnn_node_view *node) {
  const wnn_ref_input *x = &node->inputs[0];
  const size_t n = wnn_desc_count(x->desc);
  float low = 0, high = 0;
  for (size_t i = 0; i < n; i++) {
    low = farther(low, float_at(x, i), false);
    high = farther(high, float_at(x, i), true);
  }
  float scale = (high - low) / 255.0f;
  if (scale == 0) scale = 1;
  const float zero = nearbyintf(0.0f - low / scale);
  const uint8_t zero_point = isnan(zero) ? 0 : (uint8_t)fminf(fmaxf(zero, 0), 255);
  uint8_t *to = node->outputs[0].data;
  for (size_t i = 0; i < n; i++) {
    const float y = nearbyintf(float_at(x, i) / scale) + (float)zero_point;
    to[i] = isnan(y) ? zero_point : (uint8_t)fminf(fmaxf(y, 0), 255);
  }
  *(float *)node->outputs[1].data = scale;
  *(uint8_t *)node->outputs[2].data = zero_point;
  return WEBNN_OK;
}

wnn_reference_fn wnn_reference_integer(wnn_op_id op) {
  switch (op) {
    case WNN_OP_CONV2D_INTEGER: return conv2d_integer;
    case WNN_OP_MATMUL_INTEGER: return matmul_integer;
    case WNN_OP_DYNAMIC_QUANTIZE: return dynamic_quantize;
    default: return NULL;
  }
}
