/* Convolution and transposed convolution, as the sums that define them: kernels are not flipped,
 * what lies outside the input is zero. */
#include "reference.h"

/* Sizes and strides (in elements) of a tensor by what its axes mean. */
typedef struct image {
  uint32_t channels, height, width;
  size_t batch_stride, channel_stride, row_stride, column_stride;
} image;

typedef struct filter {
  uint32_t height, width;
  size_t out_stride, in_stride, row_stride, column_stride;
} filter;

/* Which axis of the filter is what. */
typedef struct filter_axes {
  uint8_t out, in, height, width;
} filter_axes;

/* In the order of webnn_conv2d_filter_operand_layout: oihw, hwio, ohwi, ihwo. */
static const filter_axes conv2d_axes[] = {{0, 1, 2, 3}, {3, 2, 0, 1}, {0, 3, 1, 2}, {3, 0, 1, 2}};
/* In the order of webnn_conv_transpose2d_filter_operand_layout: iohw, hwoi, ohwi. */
static const filter_axes conv_transpose2d_axes[] = {{1, 0, 2, 3}, {2, 3, 0, 1}, {0, 3, 1, 2}};

static image image_of(const wnn_desc *desc, webnn_input_operand_layout layout) {
  size_t strides[WNN_MAX_RANK];
  bool first = layout == WEBNN_INPUT_OPERAND_LAYOUT_NCHW;
  uint32_t c = first ? 1 : 3, h = first ? 2 : 1, w = first ? 3 : 2;
  wnn_shape_strides(desc, strides);
  return (image){
      .channels = desc->dims[c],
      .height = desc->dims[h],
      .width = desc->dims[w],
      .batch_stride = strides[0],
      .channel_stride = strides[c],
      .row_stride = strides[h],
      .column_stride = strides[w],
  };
}

static filter filter_of(const wnn_desc *desc, filter_axes axes) {
  size_t strides[WNN_MAX_RANK];
  wnn_shape_strides(desc, strides);
  return (filter){
      .height = desc->dims[axes.height],
      .width = desc->dims[axes.width],
      .out_stride = strides[axes.out],
      .in_stride = strides[axes.in],
      .row_stride = strides[axes.height],
      .column_stride = strides[axes.width],
  };
}

/* One of the two operations, seen the same way. */
typedef struct convolution {
  const wnn_ref_input *input, *weight, *bias; /* bias NULL: zero */
  image x, y;
  filter f;
  uint32_t groups;
  const uint32_t *padding, *strides, *dilations;
  bool transposed;
} convolution;

/* The input row (or column) that filter row `k` reads for output row `i`, -1 when there is none. */
static int64_t source(const convolution *c, int64_t i, int64_t k, int axis, uint32_t size) {
  int64_t stride = c->strides[axis], before = c->padding[2 * axis], step = k * c->dilations[axis];
  int64_t at = c->transposed ? i + before - step : i * stride - before + step;
  if (c->transposed) {
    if (at < 0 || at % stride != 0) return -1;
    at /= stride;
  }
  return at >= 0 && at < size ? at : -1;
}

/* Sum over the input channels of the group for one place of input and filter. */
static double dot(const convolution *c, size_t in, size_t weight, uint32_t n) {
  webnn_data_type type = c->input->desc->type;
  double sum = 0;
  for (uint32_t i = 0; i < n; i++)
    sum += wnn_ref_load_f(c->input->data, type, in + i * c->x.channel_stride) *
           wnn_ref_load_f(c->weight->data, type, weight + i * c->f.in_stride);
  return sum;
}

/* One output element: batch n, channel o, row i, column j. */
static double element(const convolution *c, uint32_t n, uint32_t o, uint32_t i, uint32_t j) {
  uint32_t n_in = c->x.channels / c->groups, n_out = c->y.channels / c->groups, group = o / n_out;
  size_t in = c->x.batch_stride * n + c->x.channel_stride * ((size_t)group * n_in);
  /* conv2d's filter has all outputs and a group's inputs, convTranspose2d's the other way round. */
  size_t weight = c->transposed
                      ? c->f.out_stride * (o % n_out) + c->f.in_stride * ((size_t)group * n_in)
                      : c->f.out_stride * o;
  double sum = c->bias != NULL ? wnn_ref_load_f(c->bias->data, c->bias->desc->type, o) : 0.0;
  for (uint32_t k = 0; k < c->f.height; k++)
    for (uint32_t l = 0; l < c->f.width; l++) {
      int64_t row = source(c, i, k, 0, c->x.height), column = source(c, j, l, 1, c->x.width);
      if (row < 0 || column < 0) continue;
      sum += dot(c, in + c->x.row_stride * (size_t)row + c->x.column_stride * (size_t)column,
                 weight + c->f.row_stride * k + c->f.column_stride * l, n_in);
    }
  return sum;
}

static void compute(const convolution *c, const wnn_ref_output *output) {
  for (uint32_t n = 0; n < output->desc->dims[0]; n++)
    for (uint32_t o = 0; o < c->y.channels; o++)
      for (uint32_t i = 0; i < c->y.height; i++)
        for (uint32_t j = 0; j < c->y.width; j++)
          wnn_ref_store_f(output->data, output->desc->type,
                          c->y.batch_stride * n + c->y.channel_stride * o + c->y.row_stride * i +
                              c->y.column_stride * j,
                          element(c, n, o, i, j));
}

static webnn_status conv2d(const wnn_node_view *node) {
  const wnn_conv2d_attrs *attrs = node->attrs;
  convolution c = {
      .input = &node->inputs[0],
      .weight = &node->inputs[1],
      .bias = wnn_ref_has(node, 2) ? &node->inputs[2] : NULL,
      .x = image_of(node->inputs[0].desc, attrs->input_layout),
      .y = image_of(node->outputs[0].desc, attrs->input_layout),
      .f = filter_of(node->inputs[1].desc, conv2d_axes[attrs->filter_layout]),
      .groups = attrs->groups,
      .padding = attrs->padding.data,
      .strides = attrs->strides.data,
      .dilations = attrs->dilations.data,
  };
  compute(&c, &node->outputs[0]);
  return WEBNN_OK;
}

static webnn_status conv_transpose2d(const wnn_node_view *node) {
  const wnn_conv_transpose2d_attrs *attrs = node->attrs;
  convolution c = {
      .input = &node->inputs[0],
      .weight = &node->inputs[1],
      .bias = wnn_ref_has(node, 2) ? &node->inputs[2] : NULL,
      .x = image_of(node->inputs[0].desc, attrs->input_layout),
      .y = image_of(node->outputs[0].desc, attrs->input_layout),
      .f = filter_of(node->inputs[1].desc, conv_transpose2d_axes[attrs->filter_layout]),
      .groups = attrs->groups,
      .padding = attrs->padding.data,
      .strides = attrs->strides.data,
      .dilations = attrs->dilations.data,
      .transposed = true,
  };
  compute(&c, &node->outputs[0]);
  return WEBNN_OK;
}

wnn_reference_fn wnn_reference_conv(wnn_op_id op) {
  switch (op) {
    case WNN_OP_CONV2D: return conv2d;
    case WNN_OP_CONV_TRANSPOSE2D: return conv_transpose2d;
    default: return NULL;
  }
}
