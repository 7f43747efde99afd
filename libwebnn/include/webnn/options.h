/** The options of the operations: transparent structs that begin as their INIT, which holds the
 *  specification's defaults, and grow only at the end. NULL stands for all defaults.
 *  An absent list has a NULL pointer; an empty one has a pointer and count 0. An absent operand is NULL. */
#ifndef WEBNN_OPTIONS_H
#define WEBNN_OPTIONS_H

#include <webnn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Enumerations: X(ID, name in the specification). Values are indices into `webnn_field.enum_values`. */

/** Spec: MLInputOperandLayout. */
#define WEBNN_INPUT_OPERAND_LAYOUT_MAP(X) \
  X(NCHW, "nchw") \
  X(NHWC, "nhwc")
typedef enum webnn_input_operand_layout {
#define WEBNN_X(id, name) WEBNN_INPUT_OPERAND_LAYOUT_##id,
  WEBNN_INPUT_OPERAND_LAYOUT_MAP(WEBNN_X)
#undef WEBNN_X
} webnn_input_operand_layout;

/** Spec: MLConv2dFilterOperandLayout. */
#define WEBNN_CONV2D_FILTER_OPERAND_LAYOUT_MAP(X) \
  X(OIHW, "oihw") \
  X(HWIO, "hwio") \
  X(OHWI, "ohwi") \
  X(IHWO, "ihwo")
typedef enum webnn_conv2d_filter_operand_layout {
#define WEBNN_X(id, name) WEBNN_CONV2D_FILTER_OPERAND_LAYOUT_##id,
  WEBNN_CONV2D_FILTER_OPERAND_LAYOUT_MAP(WEBNN_X)
#undef WEBNN_X
} webnn_conv2d_filter_operand_layout;

/** Spec: MLConvTranspose2dFilterOperandLayout. */
#define WEBNN_CONV_TRANSPOSE2D_FILTER_OPERAND_LAYOUT_MAP(X) \
  X(IOHW, "iohw") \
  X(HWOI, "hwoi") \
  X(OHWI, "ohwi")
typedef enum webnn_conv_transpose2d_filter_operand_layout {
#define WEBNN_X(id, name) WEBNN_CONV_TRANSPOSE2D_FILTER_OPERAND_LAYOUT_##id,
  WEBNN_CONV_TRANSPOSE2D_FILTER_OPERAND_LAYOUT_MAP(WEBNN_X)
#undef WEBNN_X
} webnn_conv_transpose2d_filter_operand_layout;

/** Spec: MLGruWeightLayout. */
#define WEBNN_GRU_WEIGHT_LAYOUT_MAP(X) \
  X(ZRN, "zrn") \
  X(RZN, "rzn")
typedef enum webnn_gru_weight_layout {
#define WEBNN_X(id, name) WEBNN_GRU_WEIGHT_LAYOUT_##id,
  WEBNN_GRU_WEIGHT_LAYOUT_MAP(WEBNN_X)
#undef WEBNN_X
} webnn_gru_weight_layout;

/** Spec: MLLstmWeightLayout. */
#define WEBNN_LSTM_WEIGHT_LAYOUT_MAP(X) \
  X(IOFG, "iofg") \
  X(IFGO, "ifgo")
typedef enum webnn_lstm_weight_layout {
#define WEBNN_X(id, name) WEBNN_LSTM_WEIGHT_LAYOUT_##id,
  WEBNN_LSTM_WEIGHT_LAYOUT_MAP(WEBNN_X)
#undef WEBNN_X
} webnn_lstm_weight_layout;

/** Spec: MLRecurrentNetworkActivation. */
#define WEBNN_RECURRENT_NETWORK_ACTIVATION_MAP(X) \
  X(RELU, "relu") \
  X(SIGMOID, "sigmoid") \
  X(TANH, "tanh")
typedef enum webnn_recurrent_network_activation {
#define WEBNN_X(id, name) WEBNN_RECURRENT_NETWORK_ACTIVATION_##id,
  WEBNN_RECURRENT_NETWORK_ACTIVATION_MAP(WEBNN_X)
#undef WEBNN_X
} webnn_recurrent_network_activation;

/** Spec: MLRecurrentNetworkDirection. */
#define WEBNN_RECURRENT_NETWORK_DIRECTION_MAP(X) \
  X(FORWARD, "forward") \
  X(BACKWARD, "backward") \
  X(BOTH, "both")
typedef enum webnn_recurrent_network_direction {
#define WEBNN_X(id, name) WEBNN_RECURRENT_NETWORK_DIRECTION_##id,
  WEBNN_RECURRENT_NETWORK_DIRECTION_MAP(WEBNN_X)
#undef WEBNN_X
} webnn_recurrent_network_direction;

/** Spec: MLPaddingMode; symmetric is an extension. */
#define WEBNN_PADDING_MODE_MAP(X) \
  X(CONSTANT, "constant") \
  X(EDGE, "edge") \
  X(REFLECTION, "reflection") \
  X(SYMMETRIC, "symmetric")
typedef enum webnn_padding_mode {
#define WEBNN_X(id, name) WEBNN_PADDING_MODE_##id,
  WEBNN_PADDING_MODE_MAP(WEBNN_X)
#undef WEBNN_X
} webnn_padding_mode;

/** Spec: MLRoundingType. */
#define WEBNN_ROUNDING_TYPE_MAP(X) \
  X(FLOOR, "floor") \
  X(CEIL, "ceil")
typedef enum webnn_rounding_type {
#define WEBNN_X(id, name) WEBNN_ROUNDING_TYPE_##id,
  WEBNN_ROUNDING_TYPE_MAP(WEBNN_X)
#undef WEBNN_X
} webnn_rounding_type;

/** Spec: MLInterpolationMode. */
#define WEBNN_INTERPOLATION_MODE_MAP(X) \
  X(NEAREST_NEIGHBOR, "nearest-neighbor") \
  X(LINEAR, "linear")
typedef enum webnn_interpolation_mode {
#define WEBNN_X(id, name) WEBNN_INTERPOLATION_MODE_##id,
  WEBNN_INTERPOLATION_MODE_MAP(WEBNN_X)
#undef WEBNN_X
} webnn_interpolation_mode;

/** An extension (webnn-native): padding is computed from the sizes. */
#define WEBNN_AUTO_PAD_MAP(X) \
  X(EXPLICIT, "explicit") \
  X(SAME_UPPER, "same-upper") \
  X(SAME_LOWER, "same-lower")
typedef enum webnn_auto_pad {
#define WEBNN_X(id, name) WEBNN_AUTO_PAD_##id,
  WEBNN_AUTO_PAD_MAP(WEBNN_X)
#undef WEBNN_X
} webnn_auto_pad;

/** An extension (webnn-native): what the result of an operation goes through, as if the operation of that name
 *  had been called on it with the same label. */
#define WEBNN_ACTIVATION_MAP(X) \
  X(NONE, "none") \
  X(RELU, "relu") \
  X(SIGMOID, "sigmoid") \
  X(TANH, "tanh") \
  X(CLAMP, "clamp") \
  X(LEAKY_RELU, "leakyRelu") \
  X(HARD_SIGMOID, "hardSigmoid") \
  X(HARD_SWISH, "hardSwish") \
  X(ELU, "elu") \
  X(GELU, "gelu") \
  X(SOFTPLUS, "softplus") \
  X(SOFTSIGN, "softsign") \
  X(LINEAR, "linear")
typedef enum webnn_activation {
#define WEBNN_X(id, name) WEBNN_ACTIVATION_##id,
  WEBNN_ACTIVATION_MAP(WEBNN_X)
#undef WEBNN_X
} webnn_activation;
/** In an INIT: no activation, and none of its numbers. */
#define WEBNN_NO_ACTIVATION \
  WEBNN_ACTIVATION_NONE, {WEBNN_NUMBER_ABSENT, {0}}, {WEBNN_NUMBER_ABSENT, {0}}, \
  {WEBNN_NUMBER_ABSENT, {0}}, {WEBNN_NUMBER_ABSENT, {0}}

/** Spec: MLOperatorOptions: what every operation without options of its own takes. */
typedef struct webnn_operator_options {
  size_t struct_size;
  webnn_str label;
} webnn_operator_options;
#define WEBNN_OPERATOR_OPTIONS_INIT \
  {sizeof(webnn_operator_options), {NULL, 0}}

/** Spec: MLArgMinMaxOptions. */
typedef struct webnn_arg_min_max_options {
  size_t struct_size;
  webnn_str label;
  bool keep_dimensions;
  webnn_data_type output_data_type;
} webnn_arg_min_max_options;
#define WEBNN_ARG_MIN_MAX_OPTIONS_INIT \
  {sizeof(webnn_arg_min_max_options), {NULL, 0}, false, WEBNN_DATA_TYPE_INT32}

/** Spec: MLBatchNormalizationOptions; scale and bias have shape [channels]. */
typedef struct webnn_batch_normalization_options {
  size_t struct_size;
  webnn_str label;
  const webnn_operand *scale;
  const webnn_operand *bias;
  uint32_t axis;
  double epsilon;
  webnn_activation activation;          /**< extension; its numbers, absent: the operation's own defaults */
  webnn_number activation_alpha;
  webnn_number activation_beta;
  webnn_number activation_min_value;
  webnn_number activation_max_value;
} webnn_batch_normalization_options;
#define WEBNN_BATCH_NORMALIZATION_OPTIONS_INIT \
  {sizeof(webnn_batch_normalization_options), {NULL, 0}, NULL, NULL, 1, 1e-5, WEBNN_NO_ACTIVATION}

/** Spec: MLClampOptions; an absent number is no bound. */
typedef struct webnn_clamp_options {
  size_t struct_size;
  webnn_str label;
  webnn_number min_value;
  webnn_number max_value;
} webnn_clamp_options;
#define WEBNN_CLAMP_OPTIONS_INIT \
  {sizeof(webnn_clamp_options), {NULL, 0}, {WEBNN_NUMBER_ABSENT, {0}}, \
   {WEBNN_NUMBER_ABSENT, {0}}}

/** Spec: MLConv2dOptions; padding [top, bottom, left, right], strides and dilations [height, width]. */
typedef struct webnn_conv2d_options {
  size_t struct_size;
  webnn_str label;
  const uint32_t *padding;
  size_t n_padding;
  const uint32_t *strides;
  size_t n_strides;
  const uint32_t *dilations;
  size_t n_dilations;
  uint32_t groups;
  webnn_input_operand_layout input_layout;
  webnn_conv2d_filter_operand_layout filter_layout;
  const webnn_operand *bias;
  webnn_auto_pad auto_pad;
  webnn_activation activation;          /**< extension; its numbers, absent: the operation's own defaults */
  webnn_number activation_alpha;
  webnn_number activation_beta;
  webnn_number activation_min_value;
  webnn_number activation_max_value;
} webnn_conv2d_options;
#define WEBNN_CONV2D_OPTIONS_INIT \
  {sizeof(webnn_conv2d_options), {NULL, 0}, NULL, 0, NULL, 0, NULL, 0, 1, \
   WEBNN_INPUT_OPERAND_LAYOUT_NCHW, WEBNN_CONV2D_FILTER_OPERAND_LAYOUT_OIHW, NULL, \
   WEBNN_AUTO_PAD_EXPLICIT, WEBNN_NO_ACTIVATION}

/** Spec: MLConvTranspose2dOptions. */
typedef struct webnn_conv_transpose2d_options {
  size_t struct_size;
  webnn_str label;
  const uint32_t *padding;
  size_t n_padding;
  const uint32_t *strides;
  size_t n_strides;
  const uint32_t *dilations;
  size_t n_dilations;
  const uint32_t *output_padding;
  size_t n_output_padding;
  const uint32_t *output_sizes;
  size_t n_output_sizes;
  uint32_t groups;
  webnn_input_operand_layout input_layout;
  webnn_conv_transpose2d_filter_operand_layout filter_layout;
  const webnn_operand *bias;
  webnn_auto_pad auto_pad;
  webnn_activation activation;          /**< extension; its numbers, absent: the operation's own defaults */
  webnn_number activation_alpha;
  webnn_number activation_beta;
  webnn_number activation_min_value;
  webnn_number activation_max_value;
} webnn_conv_transpose2d_options;
#define WEBNN_CONV_TRANSPOSE2D_OPTIONS_INIT \
  {sizeof(webnn_conv_transpose2d_options), {NULL, 0}, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, \
   0, 1, WEBNN_INPUT_OPERAND_LAYOUT_NCHW, WEBNN_CONV_TRANSPOSE2D_FILTER_OPERAND_LAYOUT_IOHW, \
   NULL, WEBNN_AUTO_PAD_EXPLICIT, WEBNN_NO_ACTIVATION}

/** Spec: MLCumulativeSumOptions. */
typedef struct webnn_cumulative_sum_options {
  size_t struct_size;
  webnn_str label;
  bool exclusive;
  bool reversed;
} webnn_cumulative_sum_options;
#define WEBNN_CUMULATIVE_SUM_OPTIONS_INIT \
  {sizeof(webnn_cumulative_sum_options), {NULL, 0}, false, false}

/** Spec: MLEluOptions. */
typedef struct webnn_elu_options {
  size_t struct_size;
  webnn_str label;
  double alpha;
} webnn_elu_options;
#define WEBNN_ELU_OPTIONS_INIT \
  {sizeof(webnn_elu_options), {NULL, 0}, 1.0}

/** Spec: MLGatherOptions. */
typedef struct webnn_gather_options {
  size_t struct_size;
  webnn_str label;
  uint32_t axis;
} webnn_gather_options;
#define WEBNN_GATHER_OPTIONS_INIT \
  {sizeof(webnn_gather_options), {NULL, 0}, 0}

/** Spec: MLGemmOptions; c broadcasts to the result. */
typedef struct webnn_gemm_options {
  size_t struct_size;
  webnn_str label;
  const webnn_operand *c;
  double alpha;
  double beta;
  bool a_transpose;
  bool b_transpose;
} webnn_gemm_options;
#define WEBNN_GEMM_OPTIONS_INIT \
  {sizeof(webnn_gemm_options), {NULL, 0}, NULL, 1.0, 1.0, false, false}

/** Spec: MLGruOptions; activations are for the z and r gates, and for the n gate. */
typedef struct webnn_gru_options {
  size_t struct_size;
  webnn_str label;
  const webnn_operand *bias;
  const webnn_operand *recurrent_bias;
  const webnn_operand *initial_hidden_state;
  bool reset_after;
  bool return_sequence;
  webnn_recurrent_network_direction direction;
  webnn_gru_weight_layout layout;
  const uint32_t *activations;
  size_t n_activations;
} webnn_gru_options;
#define WEBNN_GRU_OPTIONS_INIT \
  {sizeof(webnn_gru_options), {NULL, 0}, NULL, NULL, NULL, true, false, \
   WEBNN_RECURRENT_NETWORK_DIRECTION_FORWARD, WEBNN_GRU_WEIGHT_LAYOUT_ZRN, NULL, 0}

/** Spec: MLGruCellOptions. */
typedef struct webnn_gru_cell_options {
  size_t struct_size;
  webnn_str label;
  const webnn_operand *bias;
  const webnn_operand *recurrent_bias;
  bool reset_after;
  webnn_gru_weight_layout layout;
  const uint32_t *activations;
  size_t n_activations;
} webnn_gru_cell_options;
#define WEBNN_GRU_CELL_OPTIONS_INIT \
  {sizeof(webnn_gru_cell_options), {NULL, 0}, NULL, NULL, true, WEBNN_GRU_WEIGHT_LAYOUT_ZRN, \
   NULL, 0}

/** Spec: MLHardSigmoidOptions. */
typedef struct webnn_hard_sigmoid_options {
  size_t struct_size;
  webnn_str label;
  double alpha;
  double beta;
} webnn_hard_sigmoid_options;
#define WEBNN_HARD_SIGMOID_OPTIONS_INIT \
  {sizeof(webnn_hard_sigmoid_options), {NULL, 0}, 0.2, 0.5}

/** Spec: MLInstanceNormalizationOptions; scale and bias have shape [channels]. */
typedef struct webnn_instance_normalization_options {
  size_t struct_size;
  webnn_str label;
  const webnn_operand *scale;
  const webnn_operand *bias;
  double epsilon;
  webnn_input_operand_layout layout;
} webnn_instance_normalization_options;
#define WEBNN_INSTANCE_NORMALIZATION_OPTIONS_INIT \
  {sizeof(webnn_instance_normalization_options), {NULL, 0}, NULL, NULL, 1e-5, \
   WEBNN_INPUT_OPERAND_LAYOUT_NCHW}

/** Spec: MLLayerNormalizationOptions; absent axes are all but the first. */
typedef struct webnn_layer_normalization_options {
  size_t struct_size;
  webnn_str label;
  const webnn_operand *scale;
  const webnn_operand *bias;
  const uint32_t *axes;
  size_t n_axes;
  double epsilon;
} webnn_layer_normalization_options;
#define WEBNN_LAYER_NORMALIZATION_OPTIONS_INIT \
  {sizeof(webnn_layer_normalization_options), {NULL, 0}, NULL, NULL, NULL, 0, 1e-5}

/** Spec: MLLeakyReluOptions. */
typedef struct webnn_leaky_relu_options {
  size_t struct_size;
  webnn_str label;
  double alpha;
} webnn_leaky_relu_options;
#define WEBNN_LEAKY_RELU_OPTIONS_INIT \
  {sizeof(webnn_leaky_relu_options), {NULL, 0}, 0.01}

/** Spec: MLLinearOptions. */
typedef struct webnn_linear_options {
  size_t struct_size;
  webnn_str label;
  double alpha;
  double beta;
} webnn_linear_options;
#define WEBNN_LINEAR_OPTIONS_INIT \
  {sizeof(webnn_linear_options), {NULL, 0}, 1.0, 0.0}

/** Spec: MLLstmOptions; activations are for the i, o and f gates, for the g gate, and for the cell. */
typedef struct webnn_lstm_options {
  size_t struct_size;
  webnn_str label;
  const webnn_operand *bias;
  const webnn_operand *recurrent_bias;
  const webnn_operand *peephole_weight;
  const webnn_operand *initial_hidden_state;
  const webnn_operand *initial_cell_state;
  bool return_sequence;
  webnn_recurrent_network_direction direction;
  webnn_lstm_weight_layout layout;
  const uint32_t *activations;
  size_t n_activations;
} webnn_lstm_options;
#define WEBNN_LSTM_OPTIONS_INIT \
  {sizeof(webnn_lstm_options), {NULL, 0}, NULL, NULL, NULL, NULL, NULL, false, \
   WEBNN_RECURRENT_NETWORK_DIRECTION_FORWARD, WEBNN_LSTM_WEIGHT_LAYOUT_IOFG, NULL, 0}

/** Spec: MLLstmCellOptions. */
typedef struct webnn_lstm_cell_options {
  size_t struct_size;
  webnn_str label;
  const webnn_operand *bias;
  const webnn_operand *recurrent_bias;
  const webnn_operand *peephole_weight;
  webnn_lstm_weight_layout layout;
  const uint32_t *activations;
  size_t n_activations;
} webnn_lstm_cell_options;
#define WEBNN_LSTM_CELL_OPTIONS_INIT \
  {sizeof(webnn_lstm_cell_options), {NULL, 0}, NULL, NULL, NULL, WEBNN_LSTM_WEIGHT_LAYOUT_IOFG, \
   NULL, 0}

/** Spec: MLPadOptions; value is used in constant mode. */
typedef struct webnn_pad_options {
  size_t struct_size;
  webnn_str label;
  webnn_padding_mode mode;
  webnn_number value;
} webnn_pad_options;
#define WEBNN_PAD_OPTIONS_INIT \
  {sizeof(webnn_pad_options), {NULL, 0}, WEBNN_PADDING_MODE_CONSTANT, \
   {WEBNN_NUMBER_DOUBLE, {0}}}

/** Spec: MLPool2dOptions; absent window dimensions are the whole plane. */
typedef struct webnn_pool2d_options {
  size_t struct_size;
  webnn_str label;
  const uint32_t *window_dimensions;
  size_t n_window_dimensions;
  const uint32_t *padding;
  size_t n_padding;
  const uint32_t *strides;
  size_t n_strides;
  const uint32_t *dilations;
  size_t n_dilations;
  webnn_input_operand_layout layout;
  webnn_rounding_type output_shape_rounding;
  const uint32_t *output_sizes;
  size_t n_output_sizes;
  webnn_auto_pad auto_pad;
} webnn_pool2d_options;
#define WEBNN_POOL2D_OPTIONS_INIT \
  {sizeof(webnn_pool2d_options), {NULL, 0}, NULL, 0, NULL, 0, NULL, 0, NULL, 0, \
   WEBNN_INPUT_OPERAND_LAYOUT_NCHW, WEBNN_ROUNDING_TYPE_FLOOR, NULL, 0, WEBNN_AUTO_PAD_EXPLICIT}

/** Spec: MLReduceOptions; absent axes are all, empty ones none. */
typedef struct webnn_reduce_options {
  size_t struct_size;
  webnn_str label;
  const uint32_t *axes;
  size_t n_axes;
  bool keep_dimensions;
} webnn_reduce_options;
#define WEBNN_REDUCE_OPTIONS_INIT \
  {sizeof(webnn_reduce_options), {NULL, 0}, NULL, 0, false}

/** Spec: MLResample2dOptions; absent axes are [2, 3]. */
typedef struct webnn_resample2d_options {
  size_t struct_size;
  webnn_str label;
  webnn_interpolation_mode mode;
  const double *scales;
  size_t n_scales;
  const uint32_t *sizes;
  size_t n_sizes;
  const uint32_t *axes;
  size_t n_axes;
} webnn_resample2d_options;
#define WEBNN_RESAMPLE2D_OPTIONS_INIT \
  {sizeof(webnn_resample2d_options), {NULL, 0}, WEBNN_INTERPOLATION_MODE_NEAREST_NEIGHBOR, \
   NULL, 0, NULL, 0, NULL, 0}

/** Spec: MLReverseOptions; absent axes are all. */
typedef struct webnn_reverse_options {
  size_t struct_size;
  webnn_str label;
  const uint32_t *axes;
  size_t n_axes;
} webnn_reverse_options;
#define WEBNN_REVERSE_OPTIONS_INIT \
  {sizeof(webnn_reverse_options), {NULL, 0}, NULL, 0}

/** Spec: MLScatterOptions. */
typedef struct webnn_scatter_options {
  size_t struct_size;
  webnn_str label;
  uint32_t axis;
} webnn_scatter_options;
#define WEBNN_SCATTER_OPTIONS_INIT \
  {sizeof(webnn_scatter_options), {NULL, 0}, 0}

/** Spec: MLSliceOptions; absent strides are 1. */
typedef struct webnn_slice_options {
  size_t struct_size;
  webnn_str label;
  const uint32_t *strides;
  size_t n_strides;
} webnn_slice_options;
#define WEBNN_SLICE_OPTIONS_INIT \
  {sizeof(webnn_slice_options), {NULL, 0}, NULL, 0}

/** Spec: MLSplitOptions. */
typedef struct webnn_split_options {
  size_t struct_size;
  webnn_str label;
  uint32_t axis;
} webnn_split_options;
#define WEBNN_SPLIT_OPTIONS_INIT \
  {sizeof(webnn_split_options), {NULL, 0}, 0}

/** An extension (webnn-native): absent axes are all those of size 1. */
typedef struct webnn_squeeze_options {
  size_t struct_size;
  webnn_str label;
  const uint32_t *axes;
  size_t n_axes;
} webnn_squeeze_options;
#define WEBNN_SQUEEZE_OPTIONS_INIT \
  {sizeof(webnn_squeeze_options), {NULL, 0}, NULL, 0}

/** Spec: MLTransposeOptions; an absent permutation reverses the axes. */
typedef struct webnn_transpose_options {
  size_t struct_size;
  webnn_str label;
  const uint32_t *permutation;
  size_t n_permutation;
} webnn_transpose_options;
#define WEBNN_TRANSPOSE_OPTIONS_INIT \
  {sizeof(webnn_transpose_options), {NULL, 0}, NULL, 0}

/** Spec: MLTriangularOptions. */
typedef struct webnn_triangular_options {
  size_t struct_size;
  webnn_str label;
  bool upper;
  int32_t diagonal;
} webnn_triangular_options;
#define WEBNN_TRIANGULAR_OPTIONS_INIT \
  {sizeof(webnn_triangular_options), {NULL, 0}, true, 0}

#ifdef __cplusplus
}
#endif
#endif
