/* The attributes of a node: one struct a signature, filled in by op/bind.c, resolved by the family's infer.
 *
 * Resolved means: after infer no default is left to apply. Lists that the caller left out are there (axes,
 * permutation, window, strides, padding …), bounds of clamp are never absent or NaN, numbers are cast to the
 * type of the operation's first operand (DOUBLE for float types, INT64 or UINT64 else). Kernels, passes and
 * the serialiser read only this.
 *
 * Operands are not attributes: they are the node's inputs, one position per operand field in the order of the
 * fields, NULL where an optional one is absent. concat alone has a list: its inputs are the node's inputs. */
#ifndef WNN_OP_ATTRS_H
#define WNN_OP_ATTRS_H

#include <webnn/options.h>

/* A list of unsigned numbers in the graph's memory. */
typedef struct wnn_uints {
  const uint32_t *data;
  size_t n;
  bool given; /* false: the caller left it out; infer then puts the default in and leaves this false */
} wnn_uints;

typedef struct wnn_floats {
  const double *data;
  size_t n;
  bool given;
} wnn_floats;

typedef struct wnn_arg_attrs { /* argMin, argMax */
  uint32_t axis;
  bool keep_dimensions;
  webnn_data_type output_data_type;
} wnn_arg_attrs;

typedef struct wnn_batch_normalization_attrs { /* inputs: input, mean, variance, scale?, bias? */
  uint32_t axis;
  webnn_number epsilon;
} wnn_batch_normalization_attrs;

typedef struct wnn_cast_attrs {
  webnn_data_type data_type;
} wnn_cast_attrs;

typedef struct wnn_clamp_attrs { /* resolved: both present, not NaN, ±infinity or the type's ends when absent */
  webnn_number min_value, max_value;
} wnn_clamp_attrs;

typedef struct wnn_axis_attrs { /* concat, gather, gatherElements, scatterElements, softmax */
  uint32_t axis;
} wnn_axis_attrs;

typedef struct wnn_conv2d_attrs { /* inputs: input, filter, bias? */
  wnn_uints padding;              /* [top, bottom, left, right] */
  wnn_uints strides, dilations;   /* [h, w] */
  uint32_t groups;
  webnn_input_operand_layout input_layout;
  webnn_conv2d_filter_operand_layout filter_layout;
  webnn_auto_pad auto_pad;        /* extension; resolved into padding */
} wnn_conv2d_attrs;

typedef struct wnn_conv_transpose2d_attrs { /* inputs: input, filter, bias? */
  wnn_uints padding, strides, dilations;
  wnn_uints output_padding; /* informative once the output's shape is known */
  wnn_uints output_sizes;   /* resolved: [h, w] of the output */
  uint32_t groups;
  webnn_input_operand_layout input_layout;
  webnn_conv_transpose2d_filter_operand_layout filter_layout;
  webnn_auto_pad auto_pad;
} wnn_conv_transpose2d_attrs;

typedef struct wnn_cumulative_sum_attrs {
  uint32_t axis;
  bool exclusive, reversed;
} wnn_cumulative_sum_attrs;

typedef struct wnn_alpha_attrs { /* elu, leakyRelu */
  webnn_number alpha;
} wnn_alpha_attrs;

typedef struct wnn_alpha_beta_attrs { /* hardSigmoid, linear */
  webnn_number alpha, beta;
} wnn_alpha_beta_attrs;

typedef struct wnn_shape_attrs { /* expand, reshape: newShape; tile: repetitions */
  wnn_uints shape;
} wnn_shape_attrs;

typedef struct wnn_gemm_attrs { /* inputs: a, b, c? */
  webnn_number alpha, beta;
  bool a_transpose, b_transpose;
} wnn_gemm_attrs;

/* Inputs of conv2dInteger and matmulInteger, made by passes only. With c the output channel (the column),
 *   y[c] = float(Σ (x − xZero) · (w − wZero[c])) · (xScale · wScale[c]) + bias[c].
 * x and w are bytes, signed or not, w a constant matrix or filter of at most WNN_INTEGER_DEPTH terms a sum, so that sums
 * fit 32 bits; padding counts as xZero. Scales and bias are float32, zero points have their operand's type; those of x
 * have one element, those of w one or one a channel, bias one a channel. */
typedef enum wnn_integer_input {
  WNN_INTEGER_X,
  WNN_INTEGER_W,
  WNN_INTEGER_X_SCALE,
  WNN_INTEGER_X_ZERO,
  WNN_INTEGER_W_SCALE, /* a constant, as is */
  WNN_INTEGER_W_ZERO,
  WNN_INTEGER_BIAS,    /* may be absent */
  WNN_INTEGER_INPUTS,
} wnn_integer_input;

#define WNN_INTEGER_DEPTH 33024

/* lstmInteger has the operands of lstm, both weights int8, then these, float32 and one for each of their rows. */
typedef enum wnn_lstm_scale {
  WNN_LSTM_SCALE = 8,
  WNN_LSTM_RECURRENT_SCALE,
  WNN_LSTM_INTEGER_INPUTS,
} wnn_lstm_scale;

typedef struct wnn_matmul_integer_attrs { /* conv2dInteger has those of conv2d */
  bool w_transpose;
} wnn_matmul_integer_attrs;

/* attention: q [..., M, D], k [..., D, N], v [..., N, E] with the same leading axes as the result's [..., M, E], and a mask
 * that broadcasts to the scores' [..., M, N], or none. */
typedef enum wnn_attention_input {
  WNN_ATTENTION_Q,
  WNN_ATTENTION_K,
  WNN_ATTENTION_V,
  WNN_ATTENTION_MASK,
  WNN_ATTENTION_INPUTS,
} wnn_attention_input;

typedef struct wnn_attention_attrs {
  float scale; /* of the scores, before the mask is added */
  bool divides; /* the scores are divided by it, not multiplied */
} wnn_attention_attrs;

typedef struct wnn_gru_attrs { /* gru: input, weight, recurrentWeight, bias?, recurrentBias?, initialHiddenState?
                                * gruCell: input, weight, recurrentWeight, hiddenState, bias?, recurrentBias? */
  uint32_t steps; /* gru only */
  uint32_t hidden_size;
  bool reset_after;
  bool return_sequence;                          /* gru only */
  webnn_recurrent_network_direction direction;   /* gru only */
  webnn_gru_weight_layout layout;
  wnn_uints activations; /* resolved: 2 webnn_recurrent_network_activation */
} wnn_gru_attrs;

typedef struct wnn_lstm_attrs { /* lstm: input, weight, recurrentWeight, bias?, recurrentBias?, peepholeWeight?,
                                 *       initialHiddenState?, initialCellState?
                                 * lstmCell: input, weight, recurrentWeight, hiddenState, cellState, bias?,
                                 *       recurrentBias?, peepholeWeight? */
  uint32_t steps; /* lstm only */
  uint32_t hidden_size;
  bool return_sequence;                          /* lstm only */
  webnn_recurrent_network_direction direction;   /* lstm only */
  webnn_lstm_weight_layout layout;
  wnn_uints activations; /* resolved: 3 */
} wnn_lstm_attrs;

typedef struct wnn_instance_normalization_attrs { /* inputs: input, scale?, bias? */
  webnn_number epsilon;
  webnn_input_operand_layout layout;
} wnn_instance_normalization_attrs;

typedef struct wnn_layer_normalization_attrs { /* inputs: input, scale?, bias? */
  wnn_uints axes; /* resolved; may be empty, unsorted */
  webnn_number epsilon;
} wnn_layer_normalization_attrs;

typedef struct wnn_pad_attrs {
  wnn_uints beginning_padding, ending_padding;
  webnn_padding_mode mode;
  webnn_number value;
} wnn_pad_attrs;

typedef struct wnn_pool2d_attrs { /* averagePool2d, l2Pool2d, maxPool2d */
  wnn_uints window_dimensions, padding, strides, dilations;
  webnn_input_operand_layout layout;
  webnn_rounding_type output_shape_rounding;
  wnn_uints output_sizes; /* resolved: [h, w] of the output */
  webnn_auto_pad auto_pad;
} wnn_pool2d_attrs;

typedef struct wnn_reduce_attrs { /* the ten reductions */
  wnn_uints axes; /* resolved; unsorted; may be empty: the function is still applied */
  bool keep_dimensions;
} wnn_reduce_attrs;

typedef struct wnn_resample2d_attrs {
  webnn_interpolation_mode mode;
  wnn_floats scales; /* informative; the factor is computed from the sizes */
  wnn_uints sizes;   /* resolved: output sizes along axes */
  wnn_uints axes;    /* resolved: 2, distinct, any order */
} wnn_resample2d_attrs;

typedef struct wnn_axes_attrs { /* reverse (axes resolved); squeeze (extension) */
  wnn_uints axes;
} wnn_axes_attrs;

typedef struct wnn_slice_attrs {
  wnn_uints starts, sizes, strides;
} wnn_slice_attrs;

typedef struct wnn_split_attrs {
  wnn_uints splits; /* resolved: the size of each output along axis */
  uint32_t n_splits; /* bind puts the count form here; 0 for the list form */
  uint32_t axis;
} wnn_split_attrs;

typedef struct wnn_transpose_attrs {
  wnn_uints permutation;
} wnn_transpose_attrs;

typedef struct wnn_triangular_attrs {
  bool upper;
  int32_t diagonal;
} wnn_triangular_attrs;

#endif
