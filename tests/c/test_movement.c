/* Shape inference of what moves elements: movement, gathers and scatters. */
#include "call_rows.h"

static const call_row concat_rows[] = {
    {"inputs=f32[2,3];f32[2,5];f32[2,1] axis=1", "f32[2,9]", NULL},
    {"inputs=u8[4] axis=0", "u8[4]", NULL},
    {"inputs=u8[2147483646];u8[1] axis=0", "u8[2147483647]", NULL},
    {"inputs=f32[1]*8192 axis=0", "f32[8192]", NULL},
    {"inputs=- axis=0", NULL, "0 inputs, not 1..8192"},
    {"inputs=f32[1]*8193 axis=0", NULL, "8193 inputs, not 1..8192"},
    {"inputs=f32[2];f32[2] axis=1", NULL, "axis is 1, input has rank 1"},
    {"inputs=f32[] axis=0", NULL, "inputs[0] has rank 0"},
    {"inputs=f32[2];f16[2] axis=0", NULL, "types differ"},
    {"inputs=f32[2];f32[2];f32[2,1] axis=0", NULL, "the ranks differ"},
    {"inputs=f32[2,3];f32[3,3] axis=1", NULL, "the shapes differ off the axis"},
    {"inputs=u8[2147483647];u8[1] axis=0", NULL, "size along the axis is 2147483648, not in"},
    {"inputs=i64[1073741823];i64[1] axis=0", NULL, "8589934592 bytes, the limit is 4294967295"},
};
TEST(concat) {
  CHECK_ROWS("concat", concat_rows);
}

static const call_row expand_rows[] = {
    {"input=f32[3,1] new_shape=2,3,4", "f32[2,3,4]", "new_shape=2,3,4"},
    {"input=f32[] new_shape=-", "f32[]", NULL},
    {"input=f32[] new_shape=5", "f32[5]", NULL},
    {"input=f32[3] new_shape=4", NULL, "input float32[3] doesn't broadcast to float32[4]"},
    {"input=f32[2,3] new_shape=3", NULL, "doesn't broadcast"},
    {"input=f32[1] new_shape=1*9", NULL, "newShape has rank 9, the limit is 8"},
    {"input=f32[1] new_shape=2,0", NULL, "newShape[1] is 0, not in 1.."},
    {"input=u8[1] new_shape=2147483647", "u8[2147483647]", NULL},
    {"input=f32[1] new_shape=2147483648", NULL, "newShape[0] is 2147483648, not in"},
    {"input=f32[1] new_shape=65536,32768", NULL, "more than 2147483647 elements"},
};
TEST(expand) {
  CHECK_ROWS("expand", expand_rows);
}

static const call_row pad_rows[] = {
    {"input=f32[2,3] beginning_padding=1,0 ending_padding=2,4", "f32[5,7]",
     "beginning_padding=1,0 ending_padding=2,4"},
    {"input=f32[] beginning_padding=- ending_padding=-", "f32[]", NULL},
    {"input=i64[3] beginning_padding=9 ending_padding=9 mode=edge value=7", "i64[21]", NULL},
    {"input=u8[1] beginning_padding=0 ending_padding=2147483646", "u8[2147483647]", NULL},
    {"input=f32[3] beginning_padding=2 ending_padding=2 mode=reflection", "f32[7]", NULL},
    {"input=f32[3] beginning_padding=3 ending_padding=3 mode=symmetric", "f32[9]", NULL},
    {"input=f32[2,3] beginning_padding=1 ending_padding=2,4", NULL,
     "beginningPadding has length 1, expected 2"},
    {"input=f32[2,3] beginning_padding=1,1 ending_padding=-", NULL,
     "endingPadding has length 0, expected 2"},
    {"input=f32[2,3] beginning_padding=1,3 ending_padding=0,0 mode=reflection", NULL,
     "beginningPadding[1] is 3, reflection mode allows 2 for a dimension of 3"},
    {"input=f32[1] beginning_padding=0 ending_padding=1 mode=reflection", NULL,
     "endingPadding[0] is 1, reflection mode allows 0"},
    {"input=f32[3] beginning_padding=4 ending_padding=0 mode=symmetric", NULL,
     "beginningPadding[0] is 4, symmetric mode allows 3"},
    {"input=f32[3] beginning_padding=0 ending_padding=4 mode=symmetric", NULL,
     "endingPadding[0] is 4, symmetric mode allows 3"},
    {"input=f32[3] beginning_padding=4294967295 ending_padding=4294967295", NULL,
     "output dimension is 8589934593, not in"},
    {"input=f32[2,2] beginning_padding=50000,50000 ending_padding=0,0", NULL,
     "more than 2147483647 elements"},
};
TEST(pad) {
  CHECK_ROWS("pad", pad_rows);
}

static const call_row reshape_rows[] = {
    {"input=f32[2,6] new_shape=3,4", "f32[3,4]", "new_shape=3,4"},
    {"input=f32[1,1] new_shape=-", "f32[]", NULL},
    {"input=f32[] new_shape=1,1", "f32[1,1]", NULL},
    {"input=f32[1] new_shape=1*9", NULL, "newShape has rank 9, the limit is 8"},
    {"input=f32[2,6] new_shape=0,12", NULL, "newShape[0] is 0, not in 1.."},
    {"input=f32[2,6] new_shape=4294967295,12", NULL, "newShape[0] is 4294967295, not in"},
    {"input=f32[2,6] new_shape=3,5", NULL, "newShape [3,5] has 15 elements, input has 12"},
    {"input=f32[1] new_shape=65536,65536,65536,65536,65536", NULL,
     "has more elements than 2147483647, input has 1"},
};
TEST(reshape) {
  CHECK_ROWS("reshape", reshape_rows);
}

static const call_row reverse_rows[] = {
    {"input=f32[2,3,4]", "f32[2,3,4]", "axes=0,1,2"},
    {"input=f32[2,3,4] axes=2,0", "f32[2,3,4]", "axes=2,0"},
    {"input=f32[2,3] axes=-", "f32[2,3]", "axes=-"},
    {"input=f32[]", "f32[]", "axes=-"},
    {"input=f32[2,3] axes=0,1,0", NULL, "axes[2] names axis 0 again"},
    {"input=f32[2,3] axes=2", NULL, "axes[0] is 2, input has rank 2"},
};
TEST(reverse) {
  CHECK_ROWS("reverse", reverse_rows);
}

static const call_row slice_rows[] = {
    {"input=f32[4,5] starts=1,0 sizes=3,5", "f32[3,5]", "strides=1,1"},
    {"input=f32[4,5] starts=1,0 sizes=3,5 strides=2,9", "f32[2,1]", "strides=2,9"},
    {"input=f32[] starts=- sizes=-", "f32[]", "strides=-"},
    {"input=f32[4,5] starts=0,0 sizes=0", NULL, "sizes[0] is 0"},
    {"input=f32[4,5] starts=1 sizes=3,5", NULL, "starts has length 1, expected 2"},
    {"input=f32[4,5] starts=1,0 sizes=3", NULL, "sizes has length 1, expected 2"},
    {"input=f32[4,5] starts=1,0 sizes=3,5 strides=1", NULL, "strides has length 1, expected 2"},
    {"input=f32[4,5] starts=1,0 sizes=3,5 strides=1,0", NULL, "strides[1] is 0"},
    {"input=f32[4,5] starts=5,0 sizes=1,1", NULL,
     "starts[0] is 5, beyond the input's dimension of 4"},
    {"input=f32[4,5] starts=4,0 sizes=1,1", NULL, "starts[0] + sizes[0] is 5, beyond"},
    {"input=f32[4,5] starts=1,0 sizes=4294967295,1", NULL,
     "starts[0] + sizes[0] is 4294967296, beyond the input's dimension of 4"},
};
TEST(slice) {
  CHECK_ROWS("slice", slice_rows);
}

static const call_row split_rows[] = {
    {"input=f32[4,6] splits==3 axis=1", "f32[4,2] f32[4,2] f32[4,2]", "splits=2,2,2"},
    {"input=f32[4,6] splits=1,3", "f32[1,6] f32[3,6]", "splits=1,3"},
    {"input=f32[4,6] splits==1", "f32[4,6]", "splits=4"},
    {"input=f32[4,6] splits=4", "f32[4,6]", "splits=4"},
    {"input=f32[] splits==1", NULL, "input has rank 0"},
    {"input=f32[4,6] splits==3 axis=2", NULL, "axis is 2, input has rank 2"},
    {"input=f32[4,6] splits==0", NULL, "splits is 0, not in 1..8192"},
    {"input=f32[16386] splits==8193", NULL, "splits is 8193, not in 1..8192"},
    {"input=f32[4,6] splits==3", NULL,
     "splits is 3, which doesn't divide the dimension of 4 (axis 0)"},
    {"input=f32[4,6] splits=-", NULL, "splits has length 0, not 1..8192"},
    {"input=f32[8193] splits=1*8193", NULL, "splits has length 8193, not 1..8192"},
    {"input=f32[4,6] splits=4,0", NULL, "splits[1] is 0"},
    {"input=f32[4,6] splits=2,3", NULL, "splits add up to 5, the input's dimension is 4 (axis 0)"},
    {"input=f32[4,6] splits=4294967295,5", NULL, "splits add up to 4294967300"},
};
TEST(split) {
  CHECK_ROWS("split", split_rows);
}

static const call_row squeeze_rows[] = {
    {"input=f32[1,3,1,4]", "f32[3,4]", "axes=0,2"},
    {"input=f32[1,3,1,4] axes=2", "f32[1,3,4]", "axes=2"},
    {"input=f32[1,1]", "f32[]", NULL},
    {"input=f32[1,3] axes=-", "f32[1,3]", "axes=-"},
    {"input=f32[1,3] axes=1", NULL, "axes[0] is 1, whose dimension is 3, not 1"},
    {"input=f32[1,3] axes=2", NULL, "axes[0] is 2, input has rank 2"},
    {"input=f32[1,3] axes=0,0", NULL, "axes[1] names axis 0 again"},
};
TEST(squeeze) {
  CHECK_ROWS("squeeze", squeeze_rows);
}

static const call_row tile_rows[] = {
    {"input=f32[2,3] repetitions=3,1", "f32[6,3]", "repetitions=3,1"},
    {"input=f32[] repetitions=-", "f32[]", NULL},
    {"input=f32[2,3] repetitions=3", NULL, "repetitions has length 1, expected 2"},
    {"input=f32[2,3] repetitions=3,0", NULL, "repetitions[1] is 0"},
    {"input=f32[2,3] repetitions=4294967295,1", NULL, "output dimension is 8589934590, not in"},
    {"input=f32[2,3] repetitions=50000,50000", NULL, "more than 2147483647 elements"},
};
TEST(tile) {
  CHECK_ROWS("tile", tile_rows);
}

static const call_row transpose_rows[] = {
    {"input=f32[2,3,4]", "f32[4,3,2]", "permutation=2,1,0"},
    {"input=f32[2,3,4] permutation=1,2,0", "f32[3,4,2]", "permutation=1,2,0"},
    {"input=f32[]", "f32[]", "permutation=-"},
    {"input=f32[2,3,4] permutation=1,0", NULL, "permutation has length 2, expected 3"},
    {"input=f32[2,3,4] permutation=1,0,3", NULL, "permutation[2] is 3, input has rank 3"},
    {"input=f32[2,3,4] permutation=1,0,1", NULL, "permutation[2] names axis 1 again"},
};
TEST(transpose) {
  CHECK_ROWS("transpose", transpose_rows);
}

static const call_row triangular_rows[] = {
    {"input=u8[5,2,3] upper=false diagonal=-7", "u8[5,2,3]", NULL},
    {"input=f32[3]", NULL, "input has rank 1, expected at least 2"},
};
TEST(triangular) {
  CHECK_ROWS("triangular", triangular_rows);
}

static const call_row gather_rows[] = {
    {"input=f32[3,4,5] indices=i32[2,2] axis=1", "f32[3,2,2,5]", NULL},
    {"input=f32[3,4,5] indices=i64[] axis=2", "f32[3,4]", NULL},
    {"input=f32[3] indices=u32[]", "f32[]", NULL},
    {"input=u8[2,2,2,2] indices=i32[2,2,2,2,2]", "u8[2,2,2,2,2,2,2,2]", NULL},
    {"input=f32[3] indices=f32[2]", NULL, "indices is float32[2], expected int32, uint32, int64"},
    {"input=f32[3] indices=i8[2]", NULL, "indices is int8[2]"},
    {"input=f32[3,4] indices=i32[2] axis=2", NULL, "axis is 2, input has rank 2"},
    {"input=f32[] indices=i32[2]", NULL, "input has rank 0"},
    {"input=f32[1,1,1,1,1] indices=i32[1,1,1,1,1]", NULL, "output has rank 9"},
    {"input=f32[2,65536] indices=i32[65536]", NULL, "more than 2147483647 elements"},
};
TEST(gather) {
  CHECK_ROWS("gather", gather_rows);
}

static const call_row gather_elements_rows[] = {
    {"input=f32[3,4] indices=i32[7,4]", "f32[7,4]", NULL},
    {"input=u8[3,4] indices=u32[3,1] axis=1", "u8[3,1]", NULL},
    {"input=f32[3,4] indices=u8[3,4]", NULL, "indices is uint8[3,4]"},
    {"input=f32[] indices=i32[]", NULL, "has rank 0"},
    {"input=f32[3,4] indices=i32[3]", NULL, "indices has rank 1, input has rank 2"},
    {"input=f32[3,4] indices=i32[3,4] axis=2", NULL, "axis is 2, input has rank 2"},
    {"input=f32[3,4] indices=i32[3,3]", NULL, "the shapes differ off axis 0"},
};
TEST(gather_elements) {
  CHECK_ROWS("gather_elements", gather_elements_rows);
}

static const call_row gather_nd_rows[] = {
    {"input=f32[3,4,5] indices=i32[7,2]", "f32[7,5]", NULL},
    {"input=f32[3,4,5] indices=i64[3]", "f32[]", NULL},
    {"input=f32[3,4,5] indices=i64[2,6,1]", "f32[2,6,4,5]", NULL},
    {"input=f32[3] indices=f16[1]", NULL, "indices is float16[1]"},
    {"input=f32[] indices=i32[1]", NULL, "input has rank 0"},
    {"input=f32[3] indices=i32[]", NULL, "indices has rank 0"},
    {"input=f32[3,4] indices=i32[7,3]", NULL, "coordinates have 3 parts, input has rank 2"},
    {"input=f32[1,1,1,1,1,1] indices=i32[1,1,1,1,1]", NULL, "output has rank 9"},
    {"input=f32[2,65536] indices=i32[65536,1]", NULL, "more than 2147483647 elements"},
};
TEST(gather_nd) {
  CHECK_ROWS("gather_nd", gather_nd_rows);
}

static const call_row scatter_elements_rows[] = {
    {"input=f32[3,4] indices=i32[9,4] updates=f32[9,4]", "f32[3,4]", NULL},
    {"input=f32[3,4] indices=i32[3,2] updates=f32[3,2] axis=1", "f32[3,4]", NULL},
    {"input=f32[3] indices=f32[3] updates=f32[3]", NULL, "indices is float32[3]"},
    {"input=f32[3] indices=i32[3] updates=f16[3]", NULL, "updates is float16[3]"},
    {"input=f32[] indices=i32[] updates=f32[]", NULL, "has rank 0"},
    {"input=f32[3] indices=i32[3,1] updates=f32[3]", NULL, "indices has rank 2"},
    {"input=f32[3] indices=i32[3] updates=f32[3,1]", NULL, "updates has rank 2"},
    {"input=f32[3] indices=i32[3] updates=f32[3] axis=1", NULL, "axis is 1, input has rank 1"},
    {"input=f32[3,4] indices=i32[2,3] updates=f32[2,3]", NULL, "differ off axis 0"},
    {"input=f32[3,4] indices=i32[2,4] updates=f32[3,4]", NULL,
     "updates is float32[3,4], indices is int32[2,4]: the shapes differ"},
};
TEST(scatter_elements) {
  CHECK_ROWS("scatter_elements", scatter_elements_rows);
}

static const call_row scatter_nd_rows[] = {
    {"input=f32[3,4] indices=i32[7,1] updates=f32[7,4]", "f32[3,4]", NULL},
    {"input=f32[3,4] indices=i32[2] updates=f32[]", "f32[3,4]", NULL},
    {"input=f32[3,4] indices=i8[7,1] updates=f32[7,4]", NULL, "indices is int8[7,1]"},
    {"input=f32[3,4] indices=i32[7,1] updates=i32[7,4]", NULL, "updates is int32[7,4]"},
    {"input=f32[] indices=i32[1] updates=f32[]", NULL, "input has rank 0"},
    {"input=f32[3] indices=i32[] updates=f32[]", NULL, "indices has rank 0"},
    {"input=f32[3] indices=i32[7,2] updates=f32[7]", NULL, "coordinates have 2 parts"},
    {"input=f32[3,4] indices=i32[7,1] updates=f32[7,3]", NULL,
     "updates is float32[7,3], expected shape [7,4]"},
    {"input=f32[3,4] indices=i32[7,1] updates=f32[7]", NULL, "expected shape [7,4]"},
};
TEST(scatter_nd) {
  CHECK_ROWS("scatter_nd", scatter_nd_rows);
}

int main(int argc, char **argv) {
  return harness_main(argc, argv,
                      (harness_test[]){RUN(concat),
                                       RUN(expand),
                                       RUN(pad),
                                       RUN(reshape),
                                       RUN(reverse),
                                       RUN(slice),
                                       RUN(split),
                                       RUN(squeeze),
                                       RUN(tile),
                                       RUN(transpose),
                                       RUN(triangular),
                                       RUN(gather),
                                       RUN(gather_elements),
                                       RUN(gather_nd),
                                       RUN(scatter_elements),
                                       RUN(scatter_nd),
                                       {NULL, NULL}});
}
