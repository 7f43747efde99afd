/* The oneDNN backend's convolutions on single regions, against the naive reference: layouts,
 * windows, groups, what is fused, float16, residuals in place, and a lack of memory. */
#include "scene.h"

extern const wnn_kernel wnn_onednn_conv2d, wnn_onednn_conv_transpose2d,
    wnn_windows_kernel, wnn_narrow_kernel;

typedef struct conv_row {
  const char *name;
  uint32_t n, ic, h, w, oc, kh, kw; /* channels in all, groups included */
  uint32_t strides[2], dilations[2], padding[4], groups;
  int input_layout, filter_layout; /* of the node */
  char in, out;                    /* in memory */
  bool bias, variable;             /* `variable`: the filter is no constant */
  webnn_data_type type;
  post_row posts[MAX_ROW_POSTS + 1];
} conv_row;

#define UNIT {1, 1}, {1, 1}
enum { OIHW, HWIO, OHWI, IHWO };

/* clang-format off */
static const conv_row conv_rows[] = {
    {"3x3 plain", 1, 8, 9, 11, 16, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, 'p', 'p', true, false,
     F32, NO_POSTS},
    {"3x3 last", 1, 8, 9, 11, 16, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, 'l', 'l', true, false,
     F32, NO_POSTS},
    {"3x3 blocked", 1, 8, 9, 11, 16, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, '8', '8', true,
     false, F32, NO_POSTS},
    {"3x3 blocks of 16", 2, 16, 5, 5, 32, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, '6', '6', true,
     false, F32, NO_POSTS},
    {"blocks with padding", 2, 5, 6, 7, 11, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, '8', '8',
     true, false, F32, NO_POSTS},
    {"plain in, last out", 1, 3, 17, 15, 16, 3, 3, {2, 2}, {1, 1}, {1, 1, 1, 1}, 1, NCHW, OIHW,
     'p', 'l', true, false, F32, NO_POSTS},
    {"last in, blocked out", 1, 16, 7, 7, 24, 1, 1, UNIT, {0}, 1, NCHW, OIHW, 'l', '8', false,
     false, F32, NO_POSTS},
    {"reversed axes", 1, 4, 5, 6, 8, 3, 3, UNIT, {0}, 1, NCHW, OIHW, 'r', 'r', true, false, F32,
     NO_POSTS},
    {"nhwc hwio", 2, 6, 8, 9, 10, 3, 2, {2, 1}, {1, 1}, {1, 0, 0, 2}, 1, NHWC, HWIO, 'p', 'p',
     true, false, F32, NO_POSTS},
    {"nhwc ohwi", 1, 6, 8, 9, 10, 3, 3, UNIT, {1, 1, 1, 1}, 1, NHWC, OHWI, 'p', 'p', false, false,
     F32, NO_POSTS},
    {"nchw ihwo", 1, 6, 8, 9, 10, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, IHWO, 'l', 'l', false, false,
     F32, NO_POSTS},
    {"nchw hwio", 1, 6, 8, 9, 10, 2, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, HWIO, 'l', 'l', false, false,
     F32, NO_POSTS},
    {"dilated", 1, 8, 13, 14, 8, 3, 3, {1, 2}, {2, 3}, {2, 2, 3, 3}, 1, NCHW, OIHW, 'l', 'l',
     true, false, F32, NO_POSTS},
    {"lopsided padding", 1, 8, 7, 8, 8, 3, 3, {2, 2}, {1, 1}, {0, 1, 2, 0}, 1, NCHW, OIHW, 'l',
     'l', true, false, F32, NO_POSTS},
    {"padding beyond the kernel", 1, 8, 3, 3, 8, 2, 2, UNIT, {4, 3, 5, 2}, 1, NCHW, OIHW, 'l',
     'l', true, false, F32, NO_POSTS},
    {"stride beyond the kernel", 1, 8, 12, 12, 8, 1, 1, {3, 4}, {1, 1}, {0}, 1, NCHW, OIHW, 'l',
     'l', true, false, F32, NO_POSTS},
    {"groups", 1, 16, 7, 7, 32, 3, 3, UNIT, {1, 1, 1, 1}, 2, NCHW, OIHW, 'l', 'l', true, false,
     F32, NO_POSTS},
    {"groups of odd size", 1, 9, 7, 7, 15, 3, 3, UNIT, {1, 1, 1, 1}, 3, NCHW, OIHW, 'l', 'l',
     true, false, F32, NO_POSTS},
    {"groups hwio", 1, 8, 7, 7, 12, 3, 3, UNIT, {1, 1, 1, 1}, 4, NHWC, HWIO, 'p', 'p', true,
     false, F32, NO_POSTS},
    {"depthwise last", 2, 24, 9, 9, 24, 3, 3, {2, 2}, {1, 1}, {1, 1, 1, 1}, 24, NCHW, OIHW, 'l',
     'l', true, false, F32, NO_POSTS},
    {"depthwise blocked", 1, 20, 9, 9, 20, 5, 5, UNIT, {2, 2, 2, 2}, 20, NCHW, OIHW, '8', '8',
     true, false, F32, NO_POSTS},
    {"depthwise ihwo", 1, 7, 9, 9, 7, 3, 3, UNIT, {1, 1, 1, 1}, 7, NHWC, IHWO, 'p', 'p', true,
     false, F32, NO_POSTS},
    {"depthwise plain", 1, 7, 9, 9, 7, 3, 3, UNIT, {1, 1, 1, 1}, 7, NCHW, OIHW, 'p', 'p', true,
     false, F32, NO_POSTS},
    {"depth multiplier", 1, 6, 9, 9, 12, 3, 3, UNIT, {1, 1, 1, 1}, 6, NCHW, OIHW, 'l', 'l', true,
     false, F32, NO_POSTS},
    {"one pixel", 1, 32, 1, 1, 64, 1, 1, UNIT, {0}, 1, NCHW, OIHW, 'l', 'l', true, false, F32,
     NO_POSTS},
    {"one channel", 1, 1, 9, 9, 1, 3, 3, UNIT, {0}, 1, NCHW, OIHW, 'p', 'p', true, false, F32,
     NO_POSTS},
    {"one channel in, last out", 1, 1, 9, 9, 24, 3, 3, UNIT, {0}, 1, NCHW, OIHW, 'p', 'l', true,
     false, F32, NO_POSTS},
    {"one pixel, plain in, last out", 1, 32, 1, 1, 64, 1, 1, UNIT, {0}, 1, NCHW, OIHW, 'p', 'l',
     true, false, F32, NO_POSTS},
    {"one row", 1, 8, 1, 40, 16, 1, 3, UNIT, {0, 0, 1, 1}, 1, NCHW, OIHW, 'l', 'l', true, false,
     F32, NO_POSTS},
    {"variable filter", 1, 8, 9, 9, 16, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, 'l', 'l', true,
     true, F32, NO_POSTS},
    {"float16", 1, 8, 9, 9, 16, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, 'l', 'l', true, false,
     F16, NO_POSTS},
    {"float16 plain", 1, 8, 9, 9, 16, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, 'p', 'p', true,
     true, F16, NO_POSTS},
    {"relu", 1, 8, 9, 9, 16, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, 'l', 'l', true, false, F32,
     {POST(WNN_OP_RELU)}},
    {"residual, relu", 1, 8, 9, 9, 16, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, 'l', 'l', true,
     false, F32, {POST_WITH(WNN_OP_ADD, 'f'), POST(WNN_OP_RELU)}},
    {"residual, plain", 1, 8, 9, 9, 16, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, 'p', 'p', true,
     false, F32, {POST_WITH(WNN_OP_ADD, 'f'), POST(WNN_OP_RELU)}},
    {"blocked, all kinds of operands", 1, 12, 9, 9, 20, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW,
     '8', '8', true, false, F32, {POST_WITH(WNN_OP_MUL, 'c'), POST_WITH(WNN_OP_ADD, 's'),
     POST(WNN_OP_RELU), POST_WITH(WNN_OP_SUB, 'f'), POST_WITH(WNN_OP_DIV, 'c')}},
    {"nhwc, all kinds of operands", 2, 12, 9, 9, 20, 3, 3, UNIT, {1, 1, 1, 1}, 1, NHWC, OHWI, 'p',
     'p', true, false, F32, {POST_WITH(WNN_OP_MUL, 'c'), POST_WITH(WNN_OP_ADD, 's'),
     POST(WNN_OP_TANH), POST_WITH(WNN_OP_SUB, 'f'), POST_WITH(WNN_OP_DIV, 'c')}},
    {"operand first", 1, 8, 9, 9, 16, 1, 1, UNIT, {0}, 1, NCHW, OIHW, 'l', 'l', true, false, F32,
     {POST_BEHIND(WNN_OP_SUB, 'f'), POST_BEHIND(WNN_OP_ADD, 'c'), POST_BEHIND(WNN_OP_MUL, 's')}},
    {"itself", 1, 8, 9, 9, 16, 1, 1, UNIT, {0}, 1, NCHW, OIHW, 'l', 'l', true, false, F32,
     {POST_WITH(WNN_OP_MUL, '='), POST_WITH(WNN_OP_ADD, '=')}},
    {"prelu", 1, 8, 9, 9, 16, 1, 1, UNIT, {0}, 1, NCHW, OIHW, 'l', 'l', true, false, F32,
     {POST_WITH(WNN_OP_PRELU, 'c')}},
    {"prelu, blocked", 1, 8, 9, 9, 12, 3, 3, UNIT, {0}, 1, NCHW, OIHW, '8', '8', true, false, F32,
     {POST_WITH(WNN_OP_PRELU, 'c'), POST_WITH(WNN_OP_PRELU, 's')}},
    {"depthwise, fused", 1, 24, 9, 9, 24, 3, 3, UNIT, {1, 1, 1, 1}, 24, NCHW, OIHW, 'l', 'l',
     true, false, F32, {POST(WNN_OP_HARD_SWISH), POST_WITH(WNN_OP_MUL, 'c'), POST_WITH(WNN_OP_ADD,
     'f')}},
};
/* clang-format on */

/* The filter's shape; `o` and `i` as the layout has them. */
static wnn_desc filter_desc(webnn_data_type type, int layout, uint32_t o, uint32_t i, uint32_t h,
                            uint32_t w) {
  switch (layout) {
    case HWIO: return (wnn_desc){type, 4, {h, w, i, o}};
    case OHWI: return (wnn_desc){type, 4, {o, h, w, i}};
    case IHWO: return (wnn_desc){type, 4, {i, h, w, o}};
    default: return (wnn_desc){type, 4, {o, i, h, w}};
  }
}

static uint32_t conv_size(uint32_t in, uint32_t kernel, uint32_t stride, uint32_t dilation,
                          uint32_t padding) {
  return (in + padding - ((kernel - 1) * dilation + 1)) / stride + 1;
}

/* Attributes outlive the scene's plan alone, not the row. */
static wnn_conv2d_attrs conv_attrs(const conv_row *row) {
  return (wnn_conv2d_attrs){
      .padding = {row->padding, 4, true},
      .strides = {row->strides, 2, true},
      .dilations = {row->dilations, 2, true},
      .groups = row->groups,
      .input_layout = (webnn_input_operand_layout)row->input_layout,
      .filter_layout = (webnn_conv2d_filter_operand_layout)row->filter_layout};
}

static void set_conv(scene *is, const conv_row *row, const wnn_conv2d_attrs *attrs) {
  begin(is, WNN_OP_CONV2D, attrs);
  add_port(is, image_desc(row->type, row->input_layout, row->n, row->ic, row->h, row->w), row->in,
           false);
  add_port(
      is,
      filter_desc(row->type, row->filter_layout, row->oc, row->ic / row->groups, row->kh, row->kw),
      'p', !row->variable);
  if (row->bias)
    add_port(is, (wnn_desc){row->type, 1, {row->oc}}, 'p', true);
  else
    add_absent(is);
  uint32_t h = conv_size(row->h, row->kh, row->strides[0], row->dilations[0],
                         row->padding[0] + row->padding[1]);
  uint32_t w = conv_size(row->w, row->kw, row->strides[1], row->dilations[1],
                         row->padding[2] + row->padding[3]);
  set_result(is, image_desc(row->type, row->input_layout, row->n, row->oc, h, w), row->out);
  add_posts(is, row->posts, row->input_layout == NCHW ? 1 : 3, row->out);
}

static void check_rows(const conv_row *rows, size_t n, const wnn_kernel *kernel) {
  for (size_t i = 0; i < n; i++) {
    CONTEXT("%s", rows[i].name);
    wnn_conv2d_attrs attrs = conv_attrs(&rows[i]);
    scene is;
    set_conv(&is, &rows[i], &attrs);
    check_against_reference(&is, kernel, -1);
    end(&is);
  }
  CONTEXT("%s", "");
}

TEST(conv2d_agrees) {
  check_rows(conv_rows, sizeof conv_rows / sizeof *conv_rows, &wnn_onednn_conv2d);
}

/* Few channels out, channels last. */
/* clang-format off */
static const conv_row narrow_rows[] = {
    {"one channel", 1, 8, 9, 11, 1, 5, 5, UNIT, {2, 2, 2, 2}, 1, NCHW, OIHW, 'l', 'p', true, false, F32, NO_POSTS},
    {"two, not whole vectors", 2, 11, 7, 9, 2, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, 'l', 'l', true, false, F32,
     NO_POSTS},
    {"three, one pixel at a time", 1, 33, 6, 7, 3, 1, 1, UNIT, {0}, 1, NHWC, OHWI, 'p', 'p', false, false, F32, NO_POSTS},
    {"four, strides and dilated rows", 1, 16, 21, 23, 4, 3, 2, {2, 3}, {3, 1}, {3, 2, 1, 1}, 1, NHWC, HWIO, 'p', 'p', true,
     false, F32, NO_POSTS},
    {"a sound", 1, 1, 1, 5000, 1, 1, 256, {1, 2}, {1, 1}, {0}, 1, NCHW, OIHW, 'p', 'p', true, false, F32, NO_POSTS},
    {"a sound shorter than its window", 1, 1, 1, 20, 2, 1, 64, UNIT, {0, 0, 40, 50}, 1, NCHW, OIHW, 'p', 'l', true, false,
     F32, NO_POSTS},
    {"sums of 16", 1, 1, 1, 700, 1, 1, 16, UNIT, {0, 0, 7, 8}, 1, NCHW, OIHW, 'p', 'l', false, false, F32, NO_POSTS},
    {"sums of 23", 1, 1, 1, 700, 2, 1, 23, {1, 3}, {1, 1}, {0, 0, 10, 13}, 1, NCHW, OIHW, 'p', 'l', true, false, F32, NO_POSTS},
    {"sums of 17", 1, 1, 2, 90, 3, 1, 17, {1, 2}, {1, 1}, {0}, 1, NCHW, OIHW, 'l', 'l', true, false, F32, {POST(WNN_OP_TANH)}},
    {"padding beyond the window", 1, 8, 5, 4, 1, 3, 3, UNIT, {4, 5, 6, 7}, 1, NCHW, OIHW, 'l', 'l', true, false, F32,
     NO_POSTS},
    {"padding and strides beyond", 1, 8, 5, 4, 1, 2, 2, {3, 5}, {1, 1}, {7, 5, 9, 11}, 1, NCHW, OIHW, 'l', 'l', false, false,
     F32, {POST(WNN_OP_RELU)}},
    {"fused", 1, 12, 30, 70, 4, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, 'l', 'l', true, false, F32,
     {POST(WNN_OP_SIGMOID), POST_WITH(WNN_OP_MUL, 'c'), POST_WITH(WNN_OP_ADD, 'f')}},
};
/* clang-format on */

TEST(narrow_convolutions_agree) {
  check_rows(narrow_rows, sizeof narrow_rows / sizeof *narrow_rows, &wnn_narrow_kernel);
}

/* The seam: one region with all that convolution nets have, in blocks of channels, in one piece of
 * memory. */
TEST(conv2d_bias_residual_relu_in_blocks_runs_in_place) {
  static const conv_row row = {"",
                               1,
                               16,
                               14,
                               14,
                               16,
                               3,
                               3,
                               UNIT,
                               {1, 1, 1, 1},
                               1,
                               NCHW,
                               OIHW,
                               '8',
                               '8',
                               true,
                               false,
                               F32,
                               {POST_WITH(WNN_OP_ADD, 'f'), POST(WNN_OP_RELU)}};
  wnn_conv2d_attrs attrs = conv_attrs(&row);
  scene is;
  set_conv(&is, &row, &attrs);
  check_against_reference(&is, &wnn_onednn_conv2d, -1);
  is.inputs[3].dies = true; /* the residual: the result may take its memory … */
  check_against_reference(&is, &wnn_onednn_conv2d, 3);
  check_against_reference(&is, &wnn_onednn_conv2d, -1); /* … or not */
  end(&is);
}

/* Every activation that may be fused, behind a convolution and behind a product. */
/* clang-format off */
static const struct {
  post_row post;
  double tolerance;
} activations[] = {
    {POST(WNN_OP_ABS), 0},
    {{WNN_OP_CLAMP, 0, false, -0.25, 0.5}, 0},
    {{WNN_OP_CLAMP, 0, false, 0, 6}, 0},
    {{WNN_OP_CLAMP, 0, false, -0.25, INFINITY}, 0},
    {{WNN_OP_ELU, 0, false, 0.75, 0}, 0},
    {POST(WNN_OP_GELU), 0},
    {POST(WNN_OP_GELU_TANH), 0},
    {{WNN_OP_HARD_SIGMOID, 0, false, 0.2, 0.5}, 0},
    {POST(WNN_OP_HARD_SWISH), 0},
    {{WNN_OP_LEAKY_RELU, 0, false, 0.1, 0}, 0},
    {{WNN_OP_LINEAR, 0, false, -2, 0.5}, 0},
    {POST(WNN_OP_MISH), 0},
    {POST(WNN_OP_RELU), 0},
    {POST(WNN_OP_ROUND_HALF), 4e-3}, /* a step of numbers below 8 */
    {POST(WNN_OP_SIGMOID), 0},
    {POST(WNN_OP_SILU), 0},
    {POST(WNN_OP_SOFTPLUS), 0},
    {POST(WNN_OP_SQRT), 1e-3},
    {POST(WNN_OP_TANH), 0},
};
/* clang-format on */

TEST(activations_agree) {
  for (size_t i = 0; i < sizeof activations / sizeof *activations; i++) {
    conv_row row = {"", 1,    8,    6,   6,   12,   3,     3,   UNIT,    {1, 1, 1, 1},
                    1,  NCHW, OIHW, 'l', 'l', true, false, F32, NO_POSTS};
    row.posts[0] = activations[i].post;
    row.posts[1] = (post_row)POST(NO_POST);
    CONTEXT("%s", wnn_op_get(row.posts[0].op)->name);
    wnn_conv2d_attrs attrs = conv_attrs(&row);
    scene is;
    set_conv(&is, &row, &attrs);
    if (activations[i].tolerance != 0)
      is.tolerance = activations[i].tolerance; /* steep near zero */
    check_against_reference(&is, &wnn_onednn_conv2d, -1);
    end(&is);
  }
  CONTEXT("%s", "");
}

/* Transposed convolutions. */

typedef struct transposed_row {
  const char *name;
  uint32_t n, ic, h, w, oc, kh, kw;
  uint32_t strides[2], dilations[2], padding[4], groups, extra[2];
  int input_layout, filter_layout;
  char in, out;
  bool bias;
  webnn_data_type type;
  post_row posts[MAX_ROW_POSTS + 1];
} transposed_row;

enum { T_IOHW, T_HWOI, T_OHWI };

/* clang-format off */
static const transposed_row transposed_rows[] = {
    {"2x2 stride 2", 1, 8, 5, 6, 16, 2, 2, {2, 2}, {1, 1}, {0}, 1, {0, 0}, NCHW, T_IOHW, 'l', 'l',
     true, F32, NO_POSTS},
    {"2x2 stride 2 plain", 1, 8, 5, 6, 16, 2, 2, {2, 2}, {1, 1}, {0}, 1, {0, 0}, NCHW, T_IOHW,
     'p', 'p', true, F32, NO_POSTS},
    {"3x3", 2, 6, 5, 6, 10, 3, 3, {1, 1}, {1, 1}, {1, 1, 1, 1}, 1, {0, 0}, NCHW, T_IOHW, 'l', 'l',
     false, F32, NO_POSTS},
    {"extra rows", 1, 6, 5, 6, 10, 3, 3, {2, 3}, {1, 1}, {1, 1, 0, 1}, 1, {1, 2}, NCHW, T_IOHW,
     'l', 'l', true, F32, NO_POSTS},
    {"hwoi", 1, 6, 5, 6, 10, 3, 2, {2, 2}, {1, 1}, {0}, 1, {0, 0}, NHWC, T_HWOI, 'p', 'p', true,
     F32, NO_POSTS},
    {"ohwi", 1, 6, 5, 6, 10, 3, 2, {2, 2}, {1, 1}, {0}, 1, {0, 0}, NHWC, T_OHWI, 'p', 'p', true,
     F32, NO_POSTS},
    {"dilated", 1, 6, 5, 6, 10, 3, 3, {2, 2}, {2, 3}, {1, 0, 2, 1}, 1, {0, 0}, NCHW, T_IOHW, 'l',
     'l', true, F32, NO_POSTS},
    {"groups", 1, 8, 5, 6, 12, 3, 3, {2, 2}, {1, 1}, {1, 1, 1, 1}, 4, {1, 1}, NCHW, T_IOHW, 'l',
     'l', true, F32, NO_POSTS},
    {"groups hwoi", 1, 8, 5, 6, 12, 3, 3, {2, 2}, {1, 1}, {1, 1, 1, 1}, 2, {0, 0}, NHWC, T_HWOI,
     'p', 'p', true, F32, NO_POSTS},
    {"depthwise", 1, 8, 5, 6, 8, 4, 4, {2, 2}, {1, 1}, {1, 1, 1, 1}, 8, {0, 0}, NCHW, T_IOHW, 'l',
     'l', true, F32, NO_POSTS},
    {"blocked", 1, 8, 5, 6, 16, 4, 4, {2, 2}, {1, 1}, {1, 1, 1, 1}, 1, {0, 0}, NCHW, T_IOHW, '8',
     '8', true, F32, NO_POSTS},
    {"float16", 1, 8, 5, 6, 16, 4, 4, {2, 2}, {1, 1}, {1, 1, 1, 1}, 1, {0, 0}, NCHW, T_IOHW, 'l',
     'l', true, F16, NO_POSTS},
};
/* clang-format on */

static wnn_desc transposed_filter_desc(const transposed_row *row) {
  const uint32_t o = row->oc / row->groups, i = row->ic, h = row->kh, w = row->kw;
  switch (row->filter_layout) {
    case T_HWOI: return (wnn_desc){row->type, 4, {h, w, o, i}};
    case T_OHWI: return (wnn_desc){row->type, 4, {o, h, w, i}};
    default: return (wnn_desc){row->type, 4, {i, o, h, w}};
  }
}

typedef struct transposed_scene {
  scene scene;
  uint32_t sizes[2];
  wnn_conv_transpose2d_attrs attrs;
} transposed_scene;

static void set_transposed(transposed_scene *at, const transposed_row *row) {
  scene *is = &at->scene;
  uint32_t *sizes = at->sizes;
  for (size_t i = 0; i < 2; i++)
    sizes[i] = ((i ? row->w : row->h) - 1) * row->strides[i] + ((i ? row->kw : row->kh) - 1) * row->dilations[i] + 1 -
               row->padding[2 * i] - row->padding[2 * i + 1] + row->extra[i];
  at->attrs = (wnn_conv_transpose2d_attrs){
      .padding = {row->padding, 4, true},
      .strides = {row->strides, 2, true},
      .dilations = {row->dilations, 2, true},
      .output_padding = {row->extra, 2, true},
      .output_sizes = {sizes, 2, true},
      .groups = row->groups,
      .input_layout = (webnn_input_operand_layout)row->input_layout,
      .filter_layout = (webnn_conv_transpose2d_filter_operand_layout)row->filter_layout};
  begin(is, WNN_OP_CONV_TRANSPOSE2D, &at->attrs);
  add_port(is, image_desc(row->type, row->input_layout, row->n, row->ic, row->h, row->w), row->in, false);
  add_port(is, transposed_filter_desc(row), 'p', true);
  if (row->bias)
    add_port(is, (wnn_desc){row->type, 1, {row->oc}}, 'p', true);
  else
    add_absent(is);
  set_result(is, image_desc(row->type, row->input_layout, row->n, row->oc, sizes[0], sizes[1]), row->out);
  add_posts(is, row->posts, row->input_layout == NCHW ? 1 : 3, row->out);
}

static void check_transposed(const transposed_row *row, const wnn_kernel *kernel) {
  transposed_scene at;
  set_transposed(&at, row);
  check_against_reference(&at.scene, kernel, -1);
  end(&at.scene);
}

TEST(conv_transpose2d_agrees) {
  for (size_t r = 0; r < sizeof transposed_rows / sizeof *transposed_rows; r++) {
    CONTEXT("%s", transposed_rows[r].name);
    check_transposed(&transposed_rows[r], &wnn_onednn_conv_transpose2d);
  }
  CONTEXT("%s", "");
}

/* clang-format off */
static const transposed_row windows_rows[] = {
    {"windows", 2, 8, 5, 6, 3, 2, 3, {2, 3}, {1, 1}, {0}, 1, {0, 0}, NCHW, T_IOHW, 'l', 'l', true, F32, NO_POSTS},
    {"hwoi", 2, 8, 5, 6, 3, 3, 2, {3, 2}, {1, 1}, {0}, 1, {0, 0}, NHWC, T_HWOI, 'p', 'p', true, F32,
     {POST(WNN_OP_SIGMOID)}},
    {"ohwi", 1, 8, 5, 6, 1, 2, 2, {2, 2}, {1, 1}, {0}, 1, {0, 0}, NHWC, T_OHWI, 'p', 'p', false, F32,
     {POST(WNN_OP_GELU), POST_WITH(WNN_OP_ADD, 'f')}},
    {"many channels", 2, 33, 7, 9, 40, 2, 2, {2, 2}, {1, 1}, {0}, 1, {0, 0}, NCHW, T_IOHW, 'l', 'l', true, F32,
     {POST_WITH(WNN_OP_ADD, 'c'), POST(WNN_OP_RELU), POST_WITH(WNN_OP_MUL, 'f')}},
    {"larger than a strip", 1, 3, 2, 5, 600, 4, 5, {4, 5}, {1, 1}, {0}, 1, {0, 0}, NCHW, T_IOHW, 'l', 'l', true, F32,
     {POST(WNN_OP_HARD_SWISH)}},
    {"many pixels", 1, 5, 3, 1200, 2, 2, 2, {2, 2}, {1, 1}, {0}, 1, {0, 0}, NCHW, T_IOHW, 'l', 'l', true, F32,
     {POST_WITH(WNN_OP_SUB, 'f')}},
    {"one by one, dilated", 1, 5, 3, 7, 9, 1, 1, {1, 1}, {2, 3}, {0}, 1, {0, 0}, NCHW, T_IOHW, 'l', 'l', true, F32,
     NO_POSTS},
    {"a column", 1, 5, 3, 7, 9, 3, 1, {3, 1}, {1, 1}, {0}, 1, {0, 0}, NCHW, T_IOHW, 'l', 'l', false, F32, NO_POSTS},
};
/* clang-format on */

TEST(windows_agree) {
  static const char *const sets[] = {NULL, "-avx512", "-avx2"};
  for (size_t r = 0; r < sizeof windows_rows / sizeof *windows_rows; r++)
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
      CONTEXT("%s, %s", windows_rows[r].name, sets[k] ? sets[k] : "all");
      host.passes = sets[k];
      check_transposed(&windows_rows[r], &wnn_windows_kernel);
    }
  host.passes = NULL;
  CONTEXT("%s", "");
}

/* Windows that overlap or leave gaps, that are cut, or of groups. */
TEST(windows_leave_to_others) {
  static const transposed_row rows[] = {
      {"overlap", 1, 8, 5, 6, 3, 3, 3, {2, 3}, {1, 1}, {0}, 1, {0, 0}, NCHW, T_IOHW, 'l', 'l', true, F32, NO_POSTS},
      {"gaps", 1, 8, 5, 6, 3, 2, 2, {2, 3}, {1, 1}, {0}, 1, {0, 0}, NCHW, T_IOHW, 'l', 'l', true, F32, NO_POSTS},
      {"dilated", 1, 8, 5, 6, 3, 2, 2, {2, 2}, {2, 1}, {0}, 1, {0, 0}, NCHW, T_IOHW, 'l', 'l', true, F32, NO_POSTS},
      {"cut", 1, 8, 5, 6, 3, 2, 2, {2, 2}, {1, 1}, {0, 1, 0, 0}, 1, {0, 0}, NCHW, T_IOHW, 'l', 'l', true, F32, NO_POSTS},
      {"cut before, more behind", 1, 8, 5, 6, 3, 2, 2, {2, 2}, {1, 1}, {1, 0, 0, 0}, 1, {1, 0}, NCHW, T_IOHW, 'l', 'l',
       true, F32, NO_POSTS},
      {"more behind", 1, 8, 5, 6, 3, 2, 2, {2, 2}, {1, 1}, {0}, 1, {1, 0}, NCHW, T_IOHW, 'l', 'l', true, F32, NO_POSTS},
      {"groups", 1, 8, 5, 6, 4, 2, 2, {2, 2}, {1, 1}, {0}, 2, {0, 0}, NCHW, T_IOHW, 'l', 'l', true, F32, NO_POSTS},
      {"plain", 1, 8, 5, 6, 4, 2, 2, {2, 2}, {1, 1}, {0}, 1, {0, 0}, NCHW, T_IOHW, 'p', 'l', true, F32, NO_POSTS},
      {"plain result", 1, 8, 5, 6, 4, 2, 2, {2, 2}, {1, 1}, {0}, 1, {0, 0}, NCHW, T_IOHW, 'l', 'p', true, F32, NO_POSTS},
      {"float16", 1, 8, 5, 6, 4, 2, 2, {2, 2}, {1, 1}, {0}, 1, {0, 0}, NCHW, T_IOHW, 'l', 'l', true, F16, NO_POSTS},
  };
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    wnn_plan *plan = NULL;
    CONTEXT("%s", rows[r].name);
    transposed_scene at;
    set_transposed(&at, &rows[r]);
    CHECK_STATUS(wnn_windows_kernel.plan(device, &at.scene.region, &plan), WEBNN_ERROR_NOT_SUPPORTED);
    end(&at.scene);
  }
  CONTEXT("%s", "");
}

/* oneDNN plans each column of the result. */
TEST(wide_transposed_convolutions_are_declined) {
  const uint32_t ones[] = {1, 1}, twos[] = {2, 1}, no_padding[4] = {0}, none[2] = {0};
  for (int wide = 0; wide <= 1; wide++) {
    const uint32_t w = wide ? 1 << 20 : 64, h = 3, sizes[] = {2 * h - 1, w};
    wnn_conv_transpose2d_attrs attrs = {.padding = {no_padding, 4, true},
                                        .strides = {twos, 2, true},
                                        .dilations = {ones, 2, true},
                                        .output_padding = {none, 2, true},
                                        .output_sizes = {sizes, 2, true},
                                        .groups = 1,
                                        .input_layout = WEBNN_INPUT_OPERAND_LAYOUT_NCHW};
    scene is;
    begin(&is, WNN_OP_CONV_TRANSPOSE2D, &attrs);
    add_port(&is, (wnn_desc){F32, 4, {1, 1, h, w}}, 'l', false);
    add_port(&is, (wnn_desc){F32, 4, {1, 2, 1, 1}}, 'p', true);
    set_result(&is, (wnn_desc){F32, 4, {1, 2, sizes[0], w}}, 'l');
    wnn_plan *plan = NULL;
    CONTEXT("%u columns", w);
    CHECK_STATUS(wnn_onednn_conv_transpose2d.plan(device, &is.region, &plan),
                 wide ? WEBNN_ERROR_NOT_SUPPORTED : WEBNN_OK);
    if (plan != NULL) wnn_onednn_conv_transpose2d.free(plan);
    end(&is);
  }
}

/* Memory that ends: of n blocks the last is refused. */
typedef struct meter {
  size_t n_left, n_used; /* blocks still to give, bytes given and not taken back */
} meter;

static void *metered(void *ud, void *ptr, size_t old_size, size_t new_size, size_t alignment) {
  meter *is = ud;
  if (new_size == 0) {
    if (ptr != NULL) is->n_used -= old_size;
    free(ptr);
    return NULL;
  }
  if (is->n_left == 0) return NULL;
  is->n_left--;
  void *fresh = aligned_alloc(alignment, (new_size + alignment - 1) / alignment * alignment);
  if (fresh != NULL) is->n_used += new_size;
  return fresh;
}

TEST(planning_without_memory_fails_and_leaves_nothing) {
  static const conv_row row = {"", 1,    8,    9,   9,   16,   3,     3,   UNIT,    {1, 1, 1, 1},
                               1,  NCHW, OIHW, 'p', 'p', true, false, F16, NO_POSTS};
  wnn_conv2d_attrs attrs = conv_attrs(&row);
  scene is;
  set_conv(&is, &row, &attrs);
  size_t n_failures = 0;
  for (size_t n = 0;; n++) {
    meter left = {SIZE_MAX, 0};
    wnn_host poor = {.alloc = {metered, &left}, .pool = host.pool};
    wnn_device *poor_device = NULL;
    wnn_plan *plan = NULL;
    if (!CHECK_STATUS(wnn_backend_onednn.open(&poor, &poor_device, NULL), WEBNN_OK)) break;
    size_t before = left.n_used;
    left.n_left = n;
    webnn_status status = wnn_onednn_conv2d.plan(poor_device, &is.region, &plan);
    if (status == WEBNN_OK)
      wnn_onednn_conv2d.free(plan);
    else
      CHECK_STATUS(status, WEBNN_ERROR_UNKNOWN);
    CHECK(left.n_used == before);
    wnn_backend_onednn.close(poor_device);
    CHECK(left.n_used == 0);
    if (status == WEBNN_OK || n > 100) break;
    n_failures++;
  }
  CHECK(n_failures >= 4); /* the plan, widened and packed weights, widened bias at least */
  end(&is);
}

int main(int argc, char **argv) {
  static const harness_test tests[] = {RUN(conv2d_agrees),
                                       RUN(narrow_convolutions_agree),
                                       RUN(conv2d_bias_residual_relu_in_blocks_runs_in_place),
                                       RUN(activations_agree),
                                       RUN(conv_transpose2d_agrees),
                                       RUN(windows_agree),
                                       RUN(windows_leave_to_others),
                                       RUN(wide_transposed_convolutions_are_declined),
                                       RUN(planning_without_memory_fails_and_leaves_nothing),
                                       {NULL, NULL}};
  return scene_main(argc, argv, tests);
}
