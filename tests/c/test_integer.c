/* Our kernels for products of bytes and for dynamic quantisation on single regions, against the
 * naive reference. */
#include "scene.h"

bool wnn_has_vnni(const wnn_host *host);
extern const wnn_kernel wnn_integer_kernel, wnn_integer_winograd_kernel, wnn_dynamic_kernel, wnn_onednn_integer;

#define U8 WEBNN_DATA_TYPE_UINT8
#define I8 WEBNN_DATA_TYPE_INT8

/* Any bytes, the farthest too. */
static void fill_bytes(scene *is, size_t port) {
  uint8_t *bytes = is->bytes[port];
  for (size_t i = 0; i < is->n_bytes[port]; i++) {
    const float x = number();
    bytes[i] = i % 7 == 0 ? 255 : i % 11 == 0 ? 128 : (uint8_t)(int)(x * 127 + 128);
  }
}

static size_t add_bytes(scene *is, wnn_desc desc, char layout, bool constant) {
  const size_t port = add_port(is, desc, layout, constant);
  fill_bytes(is, port);
  return port;
}

/* Weights with which oneDNN is exact on any processor: a zero point of 3 and no more than 64 away
 * from it. */
static void tame_weights(scene *is) {
  const int zero = is->descs[WNN_INTEGER_W].type == U8 ? 128 : 0;
  for (size_t port = WNN_INTEGER_W; port <= WNN_INTEGER_W_ZERO;
       port += WNN_INTEGER_W_ZERO - WNN_INTEGER_W)
    for (size_t i = 0; i < is->n_bytes[port]; i++) {
      uint8_t *byte = (uint8_t *)is->bytes[port] + i;
      *byte = (uint8_t)(zero + (port == WNN_INTEGER_W ? (int8_t)*byte / 2 + 3 : 3));
    }
}

/* oneDNN where it takes the region; whether it does. */
static bool check_onednn(scene *is) {
  wnn_plan *plan = NULL;
  tame_weights(is);
  if (wnn_onednn_integer.plan(device, &is->region, &plan) != WEBNN_OK) return false;
  wnn_onednn_integer.free(plan);
  check_against_reference(is, &wnn_onednn_integer, -1);
  return true;
}

/* The same sums from tiles, where it takes the region; whether it does. */
static bool check_tiles(scene *is) {
  wnn_plan *plan = NULL;
  if (wnn_integer_winograd_kernel.plan(device, &is->region, &plan) != WEBNN_OK) return false;
  wnn_integer_winograd_kernel.free(plan);
  check_against_reference(is, &wnn_integer_winograd_kernel, -1);
  return true;
}

/* Small positive numbers. */
static size_t add_scales(scene *is, size_t n, bool constant, float least) {
  const size_t port = add_port(is, (wnn_desc){F32, 1, {(uint32_t)n}}, 'p', constant);
  for (size_t i = 0; i < n; i++) ((float *)is->bytes[port])[i] = least * (1.5f + number());
  return port;
}

/* Everything but x and w; results are of the size of 1. */
static void add_parameters(scene *is, webnn_data_type x, webnn_data_type w, size_t channels,
                           size_t depth, bool per_channel, bool bias) {
  const uint32_t n = per_channel ? (uint32_t)channels : 1;
  add_scales(is, 1, false, 0.01f);
  add_bytes(is, (wnn_desc){x, 1, {1}}, 'p', false);
  add_scales(is, n, true, 1.0f / (50.0f * sqrtf((float)depth)));
  add_bytes(is, (wnn_desc){w, 1, {n}}, 'p', true);
  if (bias)
    add_port(is, (wnn_desc){F32, 1, {(uint32_t)channels}}, 'p', false);
  else
    add_absent(is);
}

/* Behind the posts, bytes: scale and zero point for all or for each channel. */
static void add_quantize(scene *is, webnn_data_type type, uint32_t channel_axis, bool per_channel) {
  const size_t i = is->region.n_posts++;
  wnn_desc desc = is->region.anchor_desc;
  for (uint32_t axis = 0; axis < desc.rank; axis++)
    if (!per_channel || axis != channel_axis) desc.dims[axis] = 1;
  const size_t scale = add_port(is, desc, 'p', true);
  for (size_t k = 0; k < wnn_desc_count(&desc); k++)
    ((float *)is->bytes[scale])[k] = 0.05f * (1.5f + number());
  desc.type = type;
  const size_t zero = add_bytes(is, desc, 'p', true);
  is->post_nodes[i] =
      (wnn_node){.op = wnn_op_get(WNN_OP_QUANTIZE_LINEAR), .n_inputs = 3, .n_outputs = 1};
  is->region.posts[i] = (wnn_post){&is->post_nodes[i],
                                   {WNN_FROM_STAGE(i), (int16_t)scale, (int16_t)zero},
                                   is->region.anchor_desc};
  is->region.posts[i].desc.type = type;
  is->output_desc = is->region.posts[i].desc;
  is->output.desc = &is->output_desc;
  is->tolerance = 1; /* a step */
}

typedef struct conv_row {
  const char *name;
  uint32_t n, in, h, w, out, kh, kw, strides[2], dilations[2], padding[4], groups;
  int input_layout, filter_layout;
  webnn_data_type x, weights;
  bool per_channel, bias;
  post_row posts[3];
  webnn_data_type to; /* F32: nothing is quantised */
} conv_row;

#define FILTER(layout) WEBNN_CONV2D_FILTER_OPERAND_LAYOUT_##layout
#define PLAIN_WINDOW {1, 1}, {1, 1}, {0, 0, 0, 0}, 1
/* clang-format off */
static const conv_row conv_rows[] = {
    {"1x1", 1, 16, 9, 7, 24, 1, 1, PLAIN_WINDOW, NCHW, FILTER(OIHW), U8, I8, false, false, NO_POSTS, F32},
    {"3x3, zero points outside", 1, 5, 9, 7, 11, 3, 3, {1, 1}, {1, 1}, {1, 1, 1, 1}, 1, NCHW, FILTER(OIHW), U8, U8,
     true, true, NO_POSTS, F32},
    {"one channel", 2, 1, 12, 13, 24, 3, 3, {2, 2}, {1, 1}, {0, 1, 0, 1}, 1, NCHW, FILTER(OIHW), U8, U8, false, true,
     {POST(WNN_OP_SILU), POST(NO_POST)}, F32},
    {"dilated, signed", 1, 8, 12, 13, 9, 3, 2, {1, 2}, {2, 3}, {2, 2, 3, 3}, 1, NHWC, FILTER(HWIO), I8, I8, true, true,
     {POST(WNN_OP_RELU), POST(NO_POST)}, F32},
    {"groups", 1, 24, 8, 8, 30, 3, 3, {1, 1}, {1, 1}, {1, 1, 1, 1}, 3, NHWC, FILTER(OHWI), U8, I8, true, true,
     {POST_WITH(WNN_OP_ADD, 'f'), POST(WNN_OP_RELU), POST(NO_POST)}, F32},
    {"groups of one row", 1, 24, 1, 2, 16, 1, 1, {1, 1}, {1, 1}, {0, 0, 0, 0}, 2, NHWC, FILTER(IHWO), U8, I8, true, true,
     NO_POSTS, F32},
    {"deep", 1, 256, 6, 6, 40, 3, 3, {1, 1}, {1, 1}, {1, 1, 1, 1}, 1, NCHW, FILTER(OIHW), U8, I8, true, true, NO_POSTS,
     F32},
    {"large", 1, 32, 40, 40, 48, 3, 3, {1, 1}, {1, 1}, {1, 1, 1, 1}, 1, NCHW, FILTER(OIHW), U8, I8, true, true,
     {POST_WITH(WNN_OP_MUL, 'c'), POST_WITH(WNN_OP_ADD, 's'), POST(NO_POST)}, F32},
    {"to bytes", 1, 16, 20, 20, 24, 3, 3, {1, 1}, {1, 1}, {1, 1, 1, 1}, 1, NCHW, FILTER(OIHW), U8, I8, true, true,
     {POST_WITH(WNN_OP_ADD, 'f'), POST(WNN_OP_RELU), POST(NO_POST)}, U8},
    {"tiles, odd sizes", 2, 33, 7, 11, 37, 3, 3, {1, 1}, {1, 1}, {1, 0, 2, 1}, 1, NHWC, FILTER(HWIO), I8, U8, true, true,
     {POST_WITH(WNN_OP_ADD, 'f'), POST(WNN_OP_RELU), POST(NO_POST)}, F32},
    {"tiles, most channels", 1, 917, 3, 5, 8, 3, 3, {1, 1}, {1, 1}, {1, 1, 1, 1}, 1, NCHW, FILTER(OIHW), U8, U8, true,
     false, NO_POSTS, F32},
    {"too many channels for tiles", 1, 918, 3, 5, 8, 3, 3, {1, 1}, {1, 1}, {1, 1, 1, 1}, 1, NCHW, FILTER(OIHW), U8, U8,
     true, false, NO_POSTS, F32},
    {"to signed bytes", 1, 16, 10, 10, 24, 1, 1, PLAIN_WINDOW, NHWC, FILTER(OIHW), I8, I8, true, false, NO_POSTS, I8},
};
/* clang-format on */

static wnn_desc filter_desc(const conv_row *row) {
  const uint32_t in = row->in / row->groups, o = row->out, h = row->kh, w = row->kw;
  switch (row->filter_layout) {
    case FILTER(HWIO): return (wnn_desc){row->weights, 4, {h, w, in, o}};
    case FILTER(OHWI): return (wnn_desc){row->weights, 4, {o, h, w, in}};
    case FILTER(IHWO): return (wnn_desc){row->weights, 4, {in, h, w, o}};
    default: return (wnn_desc){row->weights, 4, {o, in, h, w}};
  }
}

static bool check_conv(const conv_row *row, size_t *n_tiles) {
  const wnn_conv2d_attrs attrs = {.padding = {row->padding, 4, true},
                                  .strides = {row->strides, 2, true},
                                  .dilations = {row->dilations, 2, true},
                                  .groups = row->groups,
                                  .input_layout = row->input_layout,
                                  .filter_layout = row->filter_layout};
  const uint32_t in[2] = {row->h, row->w}, window[2] = {row->kh, row->kw},
                 axis = row->input_layout == NCHW ? 1 : 3;
  const char layout = row->input_layout == NCHW ? 'l' : 'p';
  uint32_t out[2];
  for (size_t i = 0; i < 2; i++)
    out[i] = (in[i] + row->padding[2 * i] + row->padding[2 * i + 1] -
              (window[i] - 1) * row->dilations[i] - 1) /
                 row->strides[i] +
             1;
  scene is;
  begin(&is, WNN_OP_CONV2D_INTEGER, &attrs);
  add_bytes(&is, image_desc(row->x, row->input_layout, row->n, row->in, row->h, row->w), layout,
            false);
  add_bytes(&is, filter_desc(row), 'p', true);
  add_parameters(&is, row->x, row->weights, row->out, row->in / row->groups * row->kh * row->kw,
                 row->per_channel, row->bias);
  set_result(&is, image_desc(F32, row->input_layout, row->n, row->out, out[0], out[1]), layout);
  add_posts(&is, row->posts, axis, layout);
  if (row->to != F32) add_quantize(&is, row->to, axis, row->to == U8);
  check_against_reference(&is, &wnn_integer_kernel, -1);
  *n_tiles += check_tiles(&is);
  const bool taken = check_onednn(&is);
  end(&is);
  return taken;
}

TEST(convolutions_agree) {
  size_t n_onednn = 0, n_tiles = 0;
  for (size_t i = 0; i < sizeof conv_rows / sizeof *conv_rows; i++) {
    CONTEXT("%s", conv_rows[i].name);
    n_onednn += check_conv(&conv_rows[i], &n_tiles);
  }
  CHECK(n_tiles == (wnn_has_vnni(&host) ? 0 : 4));
  CHECK(n_onednn >= 4);
  CONTEXT("%s", "");
}

typedef struct matmul_row {
  const char *name;
  uint32_t batch, m, k, n;
  bool transposed;
  webnn_data_type x, weights;
  bool per_channel, bias;
  post_row posts[3];
  webnn_data_type to;
} matmul_row;

static const matmul_row matmul_rows[] = {
    {"one number", 1, 1, 1, 1, false, U8, I8, false, false, NO_POSTS, F32},
    {"one row", 1, 1, 70, 90, false, U8, I8, true, true, NO_POSTS, F32},
    {"odd depth", 1, 33, 71, 90, false, U8, U8, true, true, NO_POSTS, F32},
    {"transposed",
     1,
     24,
     1030,
     200,
     true,
     I8,
     I8,
     true,
     true,
     {POST(WNN_OP_TANH), POST(NO_POST)},
     F32},
    {"batches",
     3,
     50,
     64,
     40,
     false,
     U8,
     I8,
     false,
     true,
     {POST_WITH(WNN_OP_ADD, 'f'), POST(NO_POST)},
     F32},
    {"many rows",
     1,
     500,
     300,
     33,
     false,
     I8,
     U8,
     true,
     false,
     {POST_WITH(WNN_OP_ADD, 'c'), POST(NO_POST)},
     U8},
    {"farthest sums", 1, 2, WNN_INTEGER_DEPTH, 3, false, U8, U8, false, false, NO_POSTS, F32},
};

static void set_matmul(scene *is, const matmul_row *row, const wnn_matmul_integer_attrs *attrs) {
  begin(is, WNN_OP_MATMUL_INTEGER, attrs);
  add_bytes(is, (wnn_desc){row->x, 3, {row->batch, row->m, row->k}}, 'p', false);
  const uint32_t down = row->transposed ? row->n : row->k,
                 across = row->transposed ? row->k : row->n;
  add_bytes(is, (wnn_desc){row->weights, 2, {down, across}}, 'p', true);
  add_parameters(is, row->x, row->weights, row->n, row->k, row->per_channel, row->bias);
  set_result(is, (wnn_desc){F32, 3, {row->batch, row->m, row->n}}, 'p');
  add_posts(is, row->posts, 2, 'p');
  if (row->to != F32) add_quantize(is, row->to, 2, false);
}

TEST(products_agree) {
  for (size_t i = 0; i < sizeof matmul_rows / sizeof *matmul_rows; i++) {
    const wnn_matmul_integer_attrs attrs = {matmul_rows[i].transposed};
    scene is;
    CONTEXT("%s", matmul_rows[i].name);
    set_matmul(&is, &matmul_rows[i], &attrs);
    if (matmul_rows[i].k == WNN_INTEGER_DEPTH)
      for (size_t port = 0; port < 2; port++) { /* all terms as far as they go, on one side */
        memset(is.bytes[port], 255, is.n_bytes[port]);
        memset(is.bytes[port == 0 ? WNN_INTEGER_X_ZERO : WNN_INTEGER_W_ZERO], 0, 1);
      }
    check_against_reference(&is, &wnn_integer_kernel, -1);
    check_onednn(&is); /* not every version has something here without VNNI */
    end(&is);
  }
  CONTEXT("%s", "");
}

/* Full bytes would saturate the 16 bits of processors without VNNI. */
TEST(onednn_multiplies_only_what_it_can) {
  const wnn_matmul_integer_attrs attrs = {false};
  const wnn_kernel *kernels[] = {&wnn_onednn_integer, &wnn_integer_kernel};
  scene is;
  wnn_plan *plan = NULL;
  set_matmul(&is, &matmul_rows[4], &attrs);
  memset(is.bytes[WNN_INTEGER_X], 255, is.n_bytes[WNN_INTEGER_X]);
  memset(is.bytes[WNN_INTEGER_X_ZERO], 0, 1);
  memset(is.bytes[WNN_INTEGER_W], 127, is.n_bytes[WNN_INTEGER_W]);
  memset(is.bytes[WNN_INTEGER_W_ZERO], 0, is.n_bytes[WNN_INTEGER_W_ZERO]);
  for (size_t i = 0; i < 2; i++) {
    webnn_status status = kernels[i]->plan(device, &is.region, &plan);
    if (status == WEBNN_ERROR_NOT_SUPPORTED && i == 0) continue; /* it knows that it can't */
    CHECK_STATUS(status, WEBNN_OK);
    kernels[i]->free(plan);
    check_against_reference(&is, kernels[i], -1);
  }
  end(&is);
}

TEST(a_dying_residual_is_taken_over) {
  const wnn_matmul_integer_attrs attrs = {false};
  scene is;
  set_matmul(&is, &matmul_rows[4], &attrs);
  is.inputs[WNN_INTEGER_INPUTS].dies = true;
  check_against_reference(&is, &wnn_integer_kernel, WNN_INTEGER_INPUTS);
  end(&is);
}

TEST(weights_must_be_known) {
  const wnn_matmul_integer_attrs attrs = {false};
  for (size_t port = WNN_INTEGER_W; port <= WNN_INTEGER_W_ZERO; port++) {
    scene is;
    wnn_plan *plan = NULL;
    if (port == WNN_INTEGER_X_SCALE || port == WNN_INTEGER_X_ZERO) continue;
    set_matmul(&is, &matmul_rows[1], &attrs);
    is.inputs[port].constant = NULL;
    CHECK_STATUS(wnn_integer_kernel.plan(device, &is.region, &plan), WEBNN_ERROR_NOT_SUPPORTED);
    end(&is);
  }
}

/* Dynamic quantisation has three results, so that it is run here by hand. */
static void check_dynamic(size_t n, float low, float high, size_t nan_at) {
  float *x = calloc(n, sizeof *x), scales[2];
  uint8_t *bytes[2] = {calloc(n, 1), calloc(n, 1)}, zeros[2];
  const wnn_kernel *kernels[2] = {&wnn_dynamic_kernel, &wnn_reference_region};
  const wnn_desc in = {F32, 1, {(uint32_t)n}}, out = {U8, 1, {(uint32_t)n}}, scalar = {F32, 0, {0}},
                 byte = {U8, 0, {0}};
  wnn_port input = {.desc = &in, .layout = wnn_layout_plain(1)};
  wnn_port outputs[3] = {{.desc = &out, .layout = wnn_layout_plain(1)},
                         {.desc = &scalar, .layout = wnn_layout_plain(0)},
                         {.desc = &byte, .layout = wnn_layout_plain(0)}};
  wnn_node node = {.op = wnn_op_get(WNN_OP_DYNAMIC_QUANTIZE), .n_inputs = 1, .n_outputs = 3};
  wnn_region region = {.anchor = &node,
                       .inputs = &input,
                       .n_inputs = 1,
                       .outputs = outputs,
                       .n_outputs = 3,
                       .anchor_desc = out};
  for (size_t i = 0; i < n; i++) x[i] = low + (high - low) * (0.5f + 0.5f * number());
  if (nan_at < n) x[nan_at] = NAN;
  for (size_t k = 0; k < 2; k++) {
    wnn_plan *plan = NULL;
    if (!CHECK_STATUS(kernels[k]->plan(device, &region, &plan), WEBNN_OK)) continue;
    void *scratch = wnn_alloc_get(&host.alloc, plan->scratch_bytes);
    const wnn_run run = {(void *[]){x}, (void *[]){bytes[k], &scales[k], &zeros[k]}, scratch};
    CHECK_STATUS(kernels[k]->run(plan, &run), WEBNN_OK);
    wnn_alloc_free(&host.alloc, scratch, plan->scratch_bytes);
    kernels[k]->free(plan);
  }
  CHECK(memcmp(&scales[0], &scales[1], sizeof scales[0]) == 0 ||
        (isnan(scales[0]) && isnan(scales[1])));
  CHECK(zeros[0] == zeros[1]);
  CHECK(memcmp(bytes[0], bytes[1], n) == 0);
  free(x), free(bytes[0]), free(bytes[1]);
}

TEST(dynamic_quantisation_agrees) {
  static const float ranges[][2] = {{-1, 1},      {0, 0},           {2, 5},
                                    {-7, -0.25f}, {-1e-30f, 3e30f}, {-3, 100}};
  static const size_t sizes[] = {1, 31, 1000, 100001};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
      CONTEXT("%zu from %g to %g", sizes[k], (double)ranges[i][0], (double)ranges[i][1]);
      check_dynamic(sizes[k], ranges[i][0], ranges[i][1], SIZE_MAX);
      check_dynamic(sizes[k], ranges[i][0], ranges[i][1], sizes[k] / 2);
    }
  CONTEXT("%s", "");
}

int main(int argc, char **argv) {
  return scene_main(argc, argv,
                    (harness_test[]){RUN(convolutions_agree),
                                     RUN(products_agree),
                                     RUN(onednn_multiplies_only_what_it_can),
                                     RUN(a_dying_residual_is_taken_over),
                                     RUN(weights_must_be_known),
                                     RUN(dynamic_quantisation_agrees),
                                     {NULL, NULL}});
}
