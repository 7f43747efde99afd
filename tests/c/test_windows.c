/* Shape inference of convolutions, pools and resampling. */
#include "call_rows.h"

#define CONV "input=f32[1,3,5,5] filter=f32[2,3,3,3] "
static const call_row conv2d_rows[] = {
    {CONV, "f32[1,2,3,3]", "padding=0,0,0,0 strides=1,1 dilations=1,1"},
    {CONV "padding=1,1,1,1 strides=2,2", "f32[1,2,3,3]", "padding=1,1,1,1 strides=2,2"},
    {CONV "padding=1,2,3,4", "f32[1,2,6,10]", NULL},
    {CONV "dilations=2,1", "f32[1,2,1,3]", "dilations=2,1"},
    {"input=f16[2,3,6,7] filter=f16[2,3,3,3] strides=2,3", "f16[2,2,2,2]", NULL},
    {"input=f32[1,5,6,3] filter=f32[3,4,3,2] input_layout=nhwc filter_layout=hwio", "f32[1,3,3,2]",
     NULL},
    {"input=f32[1,3,5,6] filter=f32[2,3,4,3] filter_layout=ohwi", "f32[1,2,3,3]", NULL},
    {"input=f32[1,3,5,6] filter=f32[3,3,4,2] filter_layout=ihwo", "f32[1,2,3,3]", NULL},
    {"input=f32[1,4,5,5] filter=f32[4,1,3,3] groups=4", "f32[1,4,3,3]", NULL},
    {"input=f32[1,5,5,4] filter=f32[1,3,3,4] groups=4 input_layout=nhwc filter_layout=ihwo",
     "f32[1,3,3,4]", NULL},
    {CONV "bias=f32[2]", "f32[1,2,3,3]", NULL},
    {"input=i32[1,3,5,5] filter=i32[2,3,3,3]", NULL, "input is int32[1,3,5,5], expected float"},
    {"input=f32[3,5,5] filter=f32[2,3,3,3]", NULL, "input has rank 3, expected 4"},
    {"input=f32[1,3,5,5] filter=f32[2,3,3]", NULL, "filter has rank 3, expected 4"},
    {"input=f32[1,3,5,5] filter=f16[2,3,3,3]", NULL, "filter is float16[2,3,3,3]"},
    {CONV "padding=1,1", NULL, "padding has length 2, expected 4"},
    {CONV "padding=-", NULL, "padding has length 0, expected 4"},
    {CONV "strides=1", NULL, "strides has length 1, expected 2"},
    {CONV "strides=1,0", NULL, "strides[1] is 0"},
    {CONV "dilations=1,1,1", NULL, "dilations has length 3, expected 2"},
    {CONV "dilations=0,1", NULL, "dilations[0] is 0"},
    {CONV "groups=0", NULL, "groups is 0"},
    {CONV "groups=2", NULL, "input has 3 channels, not a multiple of groups 2 (inputLayout nchw)"},
    {"input=f32[1,3,5,5] filter=f32[2,4,3,3] label=stem", NULL,
     "[stem] conv2d: input has 3 channels, filter expects 4 (inputLayout nchw, groups 1)"},
    {"input=f32[1,4,5,5] filter=f32[3,2,3,3] groups=2", NULL,
     "filter has 3 output channels, not a multiple of groups 2 (filterLayout oihw)"},
    {CONV "bias=f32[3]", NULL, "bias has 3 elements, expected 2"},
    {CONV "bias=f32[2,1]", NULL, "bias has rank 2, expected 1"},
    {CONV "bias=f16[2]", NULL, "bias is float16[2]"},
    {"input=f32[1,3,2,5] filter=f32[2,3,3,3] strides=2,2", NULL, "output height is 0, not in 1.."},
    {"input=f32[1,3,5,1] filter=f32[2,3,3,3]", NULL, "output width is -1, not in 1.."},
    {CONV "padding=4294967295,4294967295,0,0", NULL, "output height is 8589934593, not in"},
    {CONV "padding=0,0,2147483647,0", NULL, "output width is 2147483650, not in 1..2147483647"},
    {CONV "dilations=4294967295,1", NULL, "output height is -8589934585, not in"},
    {CONV "padding=100000,100000,100000,100000", NULL, "more than 2147483647 elements"},
    {CONV "auto_pad=same-upper strides=2,2", "f32[1,2,3,3]", "padding=1,1,1,1"},
    {"input=f32[1,3,6,5] filter=f32[2,3,3,3] strides=2,2 auto_pad=same-upper", "f32[1,2,3,3]",
     "padding=0,1,1,1"},
    {"input=f32[1,3,6,5] filter=f32[2,3,3,3] strides=2,2 auto_pad=same-lower", "f32[1,2,3,3]",
     "padding=1,0,1,1"},
    {"input=f32[1,3,6,5] filter=f32[2,3,1,1] strides=2,2 auto_pad=same-upper", "f32[1,2,3,3]",
     "padding=0,0,0,0"},
    {CONV "dilations=2,2 padding=9,9,9,9 auto_pad=same-upper", "f32[1,2,5,5]", "padding=2,2,2,2"},
    {"input=f32[1,3,5,5] filter=f32[2,3,5,3] dilations=4294967295,1 auto_pad=same-upper", NULL,
     "autoPad asks for 17179869180 rows of padding"},
};
TEST(conv2d) {
  CHECK_ROWS("conv2d", conv2d_rows);
}

#define DECONV "input=f32[1,1,3,3] filter=f32[1,2,3,3] "
static const call_row conv_transpose2d_rows[] = {
    {DECONV, "f32[1,2,5,5]",
     "padding=0,0,0,0 strides=1,1 dilations=1,1 output_padding=0,0 output_sizes=5,5"},
    {DECONV "strides=3,2", "f32[1,2,9,7]", "output_sizes=9,7"},
    {DECONV "strides=3,2 output_padding=1,1", "f32[1,2,10,8]",
     "output_padding=1,1 output_sizes=10,8"},
    {DECONV "strides=3,2 output_sizes=10,8", "f32[1,2,10,8]",
     "output_padding=1,1 output_sizes=10,8"},
    {DECONV "strides=3,2 output_sizes=11,7", "f32[1,2,11,7]", "output_padding=2,0"},
    {DECONV "output_sizes=5,5 output_padding=7,7", "f32[1,2,5,5]", "output_padding=0,0"},
    {DECONV "strides=2,2 padding=1,1,1,1", "f32[1,2,5,5]", NULL},
    {DECONV "padding=0,1,2,0", "f32[1,2,4,3]", NULL},
    {DECONV "dilations=2,3", "f32[1,2,7,9]", NULL},
    {"input=f32[1,3,3,1] filter=f32[3,4,2,1] input_layout=nhwc filter_layout=hwoi", "f32[1,5,6,2]",
     NULL},
    {"input=f32[1,1,3,3] filter=f32[2,3,4,1] filter_layout=ohwi", "f32[1,2,5,6]", NULL},
    {"input=f32[1,4,3,3] filter=f32[4,3,3,3] groups=2 bias=f32[6]", "f32[1,6,5,5]", NULL},
    {"input=f32[1,1,1,1] filter=f32[1,2,3,3] strides=4,1 padding=2,2,0,0 output_sizes=2,3",
     "f32[1,2,2,3]", "output_padding=3,0"},
    {"input=f32[1,3,3] filter=f32[1,2,3,3]", NULL, "input has rank 3, expected 4"},
    {"input=i8[1,1,3,3] filter=i8[1,2,3,3]", NULL, "input is int8[1,1,3,3]"},
    {"input=f32[1,1,3,3] filter=f32[1,2,3,3,1]", NULL, "filter has rank 5, expected 4"},
    {"input=f32[1,1,3,3] filter=f16[1,2,3,3]", NULL, "filter is float16[1,2,3,3]"},
    {DECONV "padding=1,1,1", NULL, "padding has length 3, expected 4"},
    {DECONV "strides=-", NULL, "strides has length 0, expected 2"},
    {DECONV "strides=0,1", NULL, "strides[0] is 0"},
    {DECONV "dilations=1", NULL, "dilations has length 1, expected 2"},
    {DECONV "dilations=1,0", NULL, "dilations[1] is 0"},
    {DECONV "output_padding=0", NULL, "outputPadding has length 1, expected 2"},
    {DECONV "output_padding=0 output_sizes=5,5", NULL, "outputPadding has length 1"},
    {DECONV "output_sizes=5,5,5", NULL, "outputSizes has length 3, expected 2"},
    {DECONV "strides=2,1 output_padding=1,1", NULL,
     "outputPadding[1] is 1, not below the stride 1"},
    {DECONV "groups=0", NULL, "groups is 0"},
    {"input=f32[1,1,3,3] filter=f32[2,2,3,3]", NULL,
     "input has 1 channels, filter expects 2 (inputLayout nchw, filterLayout iohw)"},
    {DECONV "groups=2147483648", NULL, "groups) is 4294967296, not in"},
    {"input=f32[1,3,3,3] filter=f32[3,2,3,3] groups=2", NULL,
     "input has 3 channels, not a multiple of groups 2"},
    {DECONV "bias=f32[1]", NULL, "bias has 1 elements, expected 2"},
    {DECONV "bias=f32[]", NULL, "bias has rank 0, expected 1"},
    {DECONV "bias=f16[2]", NULL, "bias is float16[2]"},
    {DECONV "strides=3,2 output_sizes=12,8", NULL, "outputSizes[0] is 12, not in 9..11"},
    {DECONV "strides=3,2 output_sizes=8,8", NULL, "outputSizes[0] is 8, not in 9..11"},
    {DECONV "strides=3,2 output_sizes=9,9", NULL, "outputSizes[1] is 9, not in 7..8"},
    {DECONV "padding=5,5,0,0", NULL, "output height is -5, not in 1.."},
    {DECONV "padding=0,0,2,3", NULL, "output width is 0, not in 1.."},
    {"input=f32[1,1,1,1] filter=f32[1,2,3,3] strides=4,1 padding=2,2,0,0 output_sizes=0,3", NULL,
     "output height is 0, not in 1.."},
    {DECONV "strides=4294967295,1", NULL, "output height is 8589934593, not in"},
    {"input=f32[1,1,2147483647,1] filter=f32[1,1,2147483647,1] strides=4294967295,1 "
     "dilations=4294967295,1",
     NULL, "output height is 18446744052234715141, not in"},
    {DECONV "strides=50000,50000", NULL, "more than 2147483647 elements"},
    {DECONV "strides=2,2 auto_pad=same-upper", "f32[1,2,6,6]",
     "padding=0,1,0,1 output_padding=0,0 output_sizes=6,6"},
    {DECONV "strides=2,2 auto_pad=same-lower", "f32[1,2,6,6]", "padding=1,0,1,0"},
    {"input=f32[1,1,3,3] filter=f32[1,2,1,1] strides=2,2 auto_pad=same-upper", "f32[1,2,6,6]",
     "padding=0,0,0,0 output_padding=1,1"},
    {DECONV "strides=2,2 auto_pad=same-upper output_sizes=5,5", "f32[1,2,5,5]",
     "padding=1,1,1,1 output_padding=0,0"},
    {DECONV "strides=2,2 auto_pad=same-upper output_padding=1,1", "f32[1,2,6,6]",
     "padding=1,1,1,1 output_padding=1,1"},
    {DECONV "strides=2,2 auto_pad=same-upper output_sizes=9,5", NULL,
     "outputSizes[0] is 9, not in 7..8"},
};
TEST(conv_transpose2d) {
  CHECK_ROWS("conv_transpose2d", conv_transpose2d_rows);
}

/* The three pools have one signature. */
static const call_row pool2d_rows[] = {
    {"input=f32[1,3,7,9]", "f32[1,3,1,1]",
     "window_dimensions=7,9 padding=0,0,0,0 strides=1,1 dilations=1,1 output_sizes=1,1"},
    {"input=f32[1,3,7,9] padding=1,0,0,1", "f32[1,3,2,2]", "window_dimensions=7,9"},
    {"input=f32[2,3,7,7] window_dimensions=3,2", "f32[2,3,5,6]", "window_dimensions=3,2"},
    {"input=f16[1,3,7,7] window_dimensions=3,3 strides=2,2", "f16[1,3,3,3]", NULL},
    {"input=f32[1,7,5,3] window_dimensions=3,3 layout=nhwc", "f32[1,5,3,3]", NULL},
    {"input=f32[1,1,7,7] window_dimensions=3,3 dilations=2,3", "f32[1,1,3,1]", NULL},
    {"input=f32[1,3,8,8] window_dimensions=3,3 strides=2,2", "f32[1,3,3,3]", "output_sizes=3,3"},
    {"input=f32[1,3,8,8] window_dimensions=3,3 strides=2,2 output_shape_rounding=ceil",
     "f32[1,3,4,4]", "output_sizes=4,4"},
    {"input=f32[1,3,7,7] window_dimensions=3,3 strides=2,2 output_shape_rounding=ceil",
     "f32[1,3,3,3]", "output_sizes=3,3"},
    {"input=f32[1,3,8,8] window_dimensions=3,3 strides=2,2 output_sizes=3,3 "
     "output_shape_rounding=ceil",
     "f32[1,3,3,3]", NULL},
    {"input=f32[1,3,8,8] window_dimensions=3,3 strides=2,2 output_sizes=4,4", "f32[1,3,4,4]", NULL},
    {"input=f32[1,2,5,5] window_dimensions=5,5 padding=2,2,2,2 strides=2,2 output_sizes=3,3",
     "f32[1,2,3,3]", "padding=2,2,2,2"},
    {"input=f32[1,1,2,2] window_dimensions=1,1 padding=3,3,3,3", "f32[1,1,8,8]", NULL},
    {"input=f32[1,1,2,2] window_dimensions=3,3 strides=2,2 output_shape_rounding=ceil",
     "f32[1,1,1,1]", NULL},
    {"input=f32[1,7,7]", NULL, "input has rank 3, expected 4"},
    {"input=f32[1,1,7,7] window_dimensions=3", NULL, "windowDimensions has length 1, expected 2"},
    {"input=f32[1,1,7,7] window_dimensions=3,0", NULL, "windowDimensions[1] is 0"},
    {"input=f32[1,1,7,7] padding=1,1,1,1,1", NULL, "padding has length 5, expected 4"},
    {"input=f32[1,1,7,7] strides=2", NULL, "strides has length 1, expected 2"},
    {"input=f32[1,1,7,7] strides=0,1", NULL, "strides[0] is 0"},
    {"input=f32[1,1,7,7] output_sizes=1", NULL, "outputSizes has length 1, expected 2"},
    {"input=f32[1,1,7,7] dilations=-", NULL, "dilations has length 0, expected 2"},
    {"input=f32[1,1,7,7] dilations=1,0", NULL, "dilations[1] is 0"},
    {"input=f32[1,1,8,8] window_dimensions=3,3 strides=2,2 output_sizes=3,4", NULL,
     "outputSizes is [3,4], neither [3,3] (floor) nor [4,4] (ceil)"},
    {"input=f32[1,1,2,7] window_dimensions=3,3 strides=2,2", NULL,
     "output height is 0, not in 1.."},
    {"input=f32[1,1,7,2] window_dimensions=3,3", NULL, "output width is 0, not in 1.."},
    {"input=f32[1,1,7,7] padding=4294967295,4294967295,0,0", NULL,
     "output height is 8589934591, not"},
    {"input=f32[1,1,7,7] padding=50000,50000,50000,50000", NULL, "more than 2147483647 elements"},
    {"input=f32[1,1,8,7] window_dimensions=3,3 strides=2,2 auto_pad=same-upper", "f32[1,1,4,4]",
     "padding=0,1,1,1"},
    {"input=f32[1,1,8,7] window_dimensions=3,3 strides=2,2 auto_pad=same-lower", "f32[1,1,4,4]",
     "padding=1,0,1,1"},
};
TEST(pool2d) {
  CHECK_ROWS("average_pool2d", pool2d_rows);
  CHECK_ROWS("l2_pool2d", pool2d_rows);
  CHECK_ROWS("max_pool2d", pool2d_rows);
}

static const call_row float_pool_rows[] = {
    {"input=i32[1,1,7,7]", NULL, "input is int32[1,1,7,7], expected float32, float16"},
    {"input=u8[1,1,7,7]", NULL, "input is uint8[1,1,7,7], expected float32, float16"},
};
static const call_row max_pool_rows[] = {
    {"input=u8[1,1,7,7]", "u8[1,1,1,1]", NULL},
    {"input=i64[1,1,7,7]", "i64[1,1,1,1]", NULL},
};
TEST(pool2d_types) {
  CHECK_ROWS("average_pool2d", float_pool_rows);
  CHECK_ROWS("l2_pool2d", float_pool_rows);
  CHECK_ROWS("max_pool2d", max_pool_rows);
}

static const call_row resample2d_rows[] = {
    {"input=f32[1,2,3,4]", "f32[1,2,3,4]", "axes=2,3 sizes=3,4"},
    {"input=f32[1,2,3,4] scales=2,0.5", "f32[1,2,6,2]", "sizes=6,2"},
    {"input=f32[1,2,3,4] scales=1.4,1.4", "f32[1,2,4,5]", NULL},
    {"input=f32[1,2,3,4] scales=0.5,0.25", "f32[1,2,1,1]", NULL},
    {"input=u8[1,1,1,2147483647]", "u8[1,1,1,2147483647]", NULL},
    {"input=u8[1,2,3,4] sizes=7,9 scales=3,3", "u8[1,2,7,9]", "sizes=7,9"},
    {"input=u8[1,2,3,4] sizes=7,9 scales=3.4028234663852886e38,1", "u8[1,2,7,9]", NULL},
    {"input=f32[1,2,3,4] sizes=7,9 axes=3,0 mode=linear", "f32[9,2,3,7]", "axes=3,0"},
    {"input=i32[1,2,3,4]", NULL, "input is int32[1,2,3,4]"},
    {"input=f32[2,3,4]", NULL, "input has rank 3, expected 4"},
    {"input=f32[1,2,3,4] scales=2", NULL, "scales has length 1, expected 2"},
    {"input=f32[1,2,3,4] scales=2,0", NULL, "scales[1] is 0, not a positive number"},
    {"input=f32[1,2,3,4] scales=-1,2 sizes=7,9", NULL, "scales"},
    {"input=f32[1,2,3,4] scales=1e-60,2", NULL, "scales[0] is 1e-60, not a positive number"},
    {"input=f32[1,2,3,4] sizes=7", NULL, "sizes has length 1, expected 2"},
    {"input=f32[1,2,3,4] sizes=0,7", NULL, "sizes[0] is 0"},
    {"input=f32[1,2,3,4] axes=2", NULL, "axes has length 1, expected 2"},
    {"input=f32[1,2,3,4] axes=2,2", NULL, "axes[1] names axis 2 again"},
    {"input=f32[1,2,3,4] axes=2,4", NULL, "axes[1] is 4, input has rank 4"},
    {"input=f32[1,2,3,4] scales=0.3,1", NULL, "size along axis 2 is 0"},
    {"input=f32[1,2,3,4] scales=1,1e9", NULL, "size along axis 3 is 4000000000"},
    {"input=f32[1,2,3,4] sizes=1,2147483648", NULL, "dimension is 2147483648, not in"},
    {"input=f32[1,2,3,4] sizes=50000,50000", NULL, "more than 2147483647 elements"},
};
TEST(resample2d) {
  CHECK_ROWS("resample2d", resample2d_rows);
}

int main(int argc, char **argv) {
  return harness_main(argc, argv,
                      (harness_test[]){RUN(conv2d),
                                       RUN(conv_transpose2d),
                                       RUN(pool2d),
                                       RUN(pool2d_types),
                                       RUN(resample2d),
                                       {NULL, NULL}});
}
