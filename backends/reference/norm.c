/* Normalisations and softmax. Means and variances take two passes; nothing is a difference of
 * squares. */
#include "reference.h"

#include <math.h>

/* An optional per-something factor or term: element i, or what stands for an absent one. */
static double load_or(const wnn_node_view *node, size_t input, size_t i, double absent) {
  if (!wnn_ref_has(node, input)) return absent;
  return wnn_ref_load_f(node->inputs[input].data, node->inputs[input].desc->type, i);
}

static webnn_status batch_normalization(const wnn_node_view *node) {
  const wnn_batch_normalization_attrs *attrs = node->attrs;
  const wnn_ref_input *x = &node->inputs[0];
  webnn_data_type type = x->desc->type;
  uint32_t at[WNN_MAX_RANK] = {0};
  size_t i = 0;
  do {
    size_t c = at[attrs->axis];
    double mean = load_or(node, 1, c, 0), variance = load_or(node, 2, c, 1);
    double y = (wnn_ref_load_f(x->data, type, i) - mean) / sqrt(variance + attrs->epsilon.as.f);
    wnn_ref_store_f(node->outputs[0].data, type, i,
                    load_or(node, 3, c, 1) * y + load_or(node, 4, c, 0));
    i++;
  } while (wnn_ref_next(x->desc, at));
  return WEBNN_OK;
}

typedef struct moments {
  double mean, variance;
} moments;

static moments moments_of(const wnn_ref_input *x, const wnn_ref_lanes *lanes, size_t base) {
  uint32_t at[WNN_MAX_RANK] = {0};
  double n = (double)wnn_desc_count(&lanes->along), sum = 0, squares = 0;
  do {
    sum += wnn_ref_load_f(x->data, x->desc->type,
                          base + wnn_ref_offset(lanes->along.rank, lanes->along_strides, at));
  } while (wnn_ref_next(&lanes->along, at));
  do {
    double d = wnn_ref_load_f(x->data, x->desc->type,
                              base + wnn_ref_offset(lanes->along.rank, lanes->along_strides, at)) -
               sum / n;
    squares += d * d;
  } while (wnn_ref_next(&lanes->along, at));
  return (moments){sum / n, squares / n};
}

static double mean_square(const wnn_ref_input *x, const wnn_ref_lanes *lanes, size_t base) {
  uint32_t at[WNN_MAX_RANK] = {0};
  double sum = 0;
  do {
    const double d = wnn_ref_load_f(x->data, x->desc->type,
                                    base + wnn_ref_offset(lanes->along.rank, lanes->along_strides, at));
    sum += d * d;
  } while (wnn_ref_next(&lanes->along, at));
  return sum / (double)wnn_desc_count(&lanes->along);
}

/* Normalises each lane; scale and bias are indexed by the place along the lane, or by `channel`
 * where that is not negative: then it names the kept axis that is the channel. */
static void normalize(const wnn_node_view *node, const wnn_ref_lanes *lanes, double epsilon,
                      int channel) {
  const bool about_zero = node->op == WNN_OP_RMS_NORMALIZATION;
  const wnn_ref_input *x = &node->inputs[0];
  webnn_data_type type = x->desc->type;
  uint32_t kept[WNN_MAX_RANK] = {0}, along[WNN_MAX_RANK] = {0};
  do {
    size_t base = wnn_ref_offset(lanes->kept.rank, lanes->kept_strides, kept), k = 0;
    moments m = about_zero ? (moments){0, mean_square(x, lanes, base)} : moments_of(x, lanes, base);
    do {
      size_t i = base + wnn_ref_offset(lanes->along.rank, lanes->along_strides, along);
      size_t parameter = channel >= 0 ? kept[channel] : k++;
      double y = (wnn_ref_load_f(x->data, type, i) - m.mean) / sqrt(m.variance + epsilon);
      wnn_ref_store_f(node->outputs[0].data, type, i,
                      load_or(node, 1, parameter, 1) * y + load_or(node, 2, parameter, 0));
    } while (wnn_ref_next(&lanes->along, along));
  } while (wnn_ref_next(&lanes->kept, kept));
}

/* What is kept is [n, c] in both layouts. */
static webnn_status instance_normalization(const wnn_node_view *node) {
  const wnn_instance_normalization_attrs *attrs = node->attrs;
  static const uint32_t nchw[2] = {2, 3}, nhwc[2] = {1, 2};
  const uint32_t *axes = attrs->layout == WEBNN_INPUT_OPERAND_LAYOUT_NHWC ? nhwc : nchw;
  wnn_ref_lanes lanes = wnn_ref_split_axes(node->inputs[0].desc, axes, 2);
  normalize(node, &lanes, attrs->epsilon.as.f, 1);
  return WEBNN_OK;
}

/* Scale and bias lie in the order of `axes`, and so does the walk along a lane. */
static webnn_status layer_normalization(const wnn_node_view *node) {
  const wnn_layer_normalization_attrs *attrs = node->attrs;
  wnn_ref_lanes lanes = wnn_ref_split_axes(node->inputs[0].desc, attrs->axes.data, attrs->axes.n);
  normalize(node, &lanes, attrs->epsilon.as.f, -1);
  return WEBNN_OK;
}

static void softmax_lane(const wnn_ref_input *x, const wnn_ref_output *y, size_t base,
                         size_t stride, size_t n) {
  webnn_data_type type = x->desc->type;
  double max = -(double)INFINITY, sum = 0;
  for (size_t i = 0; i < n; i++) {
    double value = wnn_ref_load_f(x->data, type, base + i * stride);
    if (value > max) max = value;
  }
  /* All -infinity subtracts to NaN, and a NaN reaches every element through the sum: the formula's
   * answers. */
  for (size_t i = 0; i < n; i++) sum += exp(wnn_ref_load_f(x->data, type, base + i * stride) - max);
  for (size_t i = 0; i < n; i++)
    wnn_ref_store_f(y->data, type, base + i * stride,
                    exp(wnn_ref_load_f(x->data, type, base + i * stride) - max) / sum);
}

static webnn_status softmax(const wnn_node_view *node) {
  const wnn_axis_attrs *attrs = node->attrs;
  wnn_ref_lanes lanes = wnn_ref_split_axes(node->inputs[0].desc, &attrs->axis, 1);
  uint32_t at[WNN_MAX_RANK] = {0};
  do {
    softmax_lane(&node->inputs[0], &node->outputs[0],
                 wnn_ref_offset(lanes.kept.rank, lanes.kept_strides, at), lanes.along_strides[0],
                 lanes.along.dims[0]);
  } while (wnn_ref_next(&lanes.kept, at));
  return WEBNN_OK;
}

wnn_reference_fn wnn_reference_norm(wnn_op_id op) {
  switch (op) {
    case WNN_OP_BATCH_NORMALIZATION: return batch_normalization;
    case WNN_OP_INSTANCE_NORMALIZATION: return instance_normalization;
    case WNN_OP_LAYER_NORMALIZATION:
    case WNN_OP_RMS_NORMALIZATION: return layer_normalization;
    case WNN_OP_SOFTMAX: return softmax;
    default: return NULL;
  }
}
