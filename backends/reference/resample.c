/* Resampling along two axes: nearest neighbour and linear, with half-pixel centres. */
#include "reference.h"
#include <math.h>

/* Where an output place looks on one axis: `part` of the way from input place `low` to `high`. */
typedef struct place {
  size_t low, high;
  double part;
} place;

/* The centre of output place o is u = (o + 1/2)·in/out − 1/2, clamped to 0..in−1. As a fraction
 * over 2·out it is exact: no rounding decides which neighbour is the nearest; halves go down. */
static place place_of(uint32_t o, uint32_t n_in, uint32_t n_out, webnn_interpolation_mode mode) {
  int64_t unit = 2 * (int64_t)n_out, last = (int64_t)n_in - 1;
  /* Dimensions are below 2^31, so this fits. */
  int64_t u = (2 * (int64_t)o + 1) * n_in - n_out;
  if (u < 0) return (place){0, 0, 0};
  if (u / unit >= last) return (place){(size_t)last, (size_t)last, 0};
  size_t low = (size_t)(u / unit);
  if (mode == WEBNN_INTERPOLATION_MODE_NEAREST_NEIGHBOR) {
    size_t nearest = u % unit > n_out ? low + 1 : low;
    return (place){nearest, nearest, 0};
  }
  double part = (double)(u % unit) / (double)unit;
  return (place){low, part > 0 ? low + 1 : low, part};
}

static double load(const wnn_ref_input *input, size_t i) {
  webnn_data_type type = input->desc->type;
  if (wnn_type_is_float(type)) return wnn_ref_load_f(input->data, type, i);
  uint64_t bits = wnn_ref_load_bits(input->data, type, i);
  return wnn_type_is_signed(type) ? (double)wnn_ref_signed(bits) : (double)bits;
}

/* Without the far neighbour where it has no part: 0 times infinity would be NaN. */
static double mix(double low, double high, double part) {
  return part > 0 ? low * (1 - part) + high * part : low;
}

/* Integers are mixed in float32, along the first axis and then along the second, and rounded half to
 * even; each step's rounding counts, since it decides ties. A mean never leaves the type's range. */
static float mix_floats(float low, float high, float part) {
  const float near = low * (1.0f - part), far = high * part;
  return part > 0.0f ? near + far : low;
}

static int64_t mix_integers(const wnn_ref_input *input, const size_t at[2][2], place p, place q) {
  float mixed[2];
  for (int k = 0; k < 2; k++)
    mixed[k] = mix_floats((float)load(input, at[0][k]), (float)load(input, at[1][k]), (float)p.part);
  return (int64_t)nearbyintf(mix_floats(mixed[0], mixed[1], (float)q.part));
}

static double mix_numbers(const wnn_ref_input *input, const size_t at[2][2], place p, place q) {
  double near = mix(load(input, at[0][0]), load(input, at[0][1]), q.part);
  double far = mix(load(input, at[1][0]), load(input, at[1][1]), q.part);
  return mix(near, far, p.part);
}

static webnn_status resample2d(const wnn_node_view *node) {
  const wnn_resample2d_attrs *attrs = node->attrs;
  const wnn_ref_input *input = &node->inputs[0];
  const wnn_desc *to = node->outputs[0].desc;
  const webnn_data_type type = to->type;
  uint32_t a = attrs->axes.data[0], b = attrs->axes.data[1], at[WNN_MAX_RANK] = {0};
  if (a > b) a = b, b = attrs->axes.data[0];
  size_t strides[WNN_MAX_RANK], i = 0;
  wnn_shape_strides(input->desc, strides);
  do {
    place p = place_of(at[a], input->desc->dims[a], to->dims[a], attrs->mode);
    place q = place_of(at[b], input->desc->dims[b], to->dims[b], attrs->mode);
    size_t base = 0;
    for (uint32_t d = 0; d < to->rank; d++)
      if (d != a && d != b) base += strides[d] * at[d];
    size_t low = base + strides[a] * p.low, high = base + strides[a] * p.high;
    size_t left = strides[b] * q.low, right = strides[b] * q.high;
    const size_t corners[2][2] = {{low + left, low + right}, {high + left, high + right}};
    void *data = node->outputs[0].data;
    if (wnn_type_is_float(type))
      wnn_ref_store_f(data, type, i++, mix_numbers(input, corners, p, q));
    else
      wnn_ref_store_bits(data, type, i++, (uint64_t)mix_integers(input, corners, p, q));
  } while (wnn_ref_next(to, at));
  return WEBNN_OK;
}

wnn_reference_fn wnn_reference_resample(wnn_op_id op) {
  return op == WNN_OP_RESAMPLE2D ? resample2d : NULL;
}
