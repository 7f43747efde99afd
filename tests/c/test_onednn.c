/* The oneDNN backend's kernels on single regions, against the naive reference: layouts, windows, groups, what is
 * fused, float16, and that a plan runs again and again in one piece of memory. */
#include "harness.h"
#include "lower/region.h"

#include <math.h>
#include <stdlib.h>

extern const wnn_backend wnn_backend_onednn;
extern const wnn_kernel wnn_reference_region;
extern const wnn_kernel wnn_onednn_conv2d, wnn_onednn_conv_transpose2d,
    wnn_onednn_conv_transpose2d_windows, wnn_onednn_matmul, wnn_onednn_gemm,
    wnn_onednn_average_pool2d, wnn_onednn_layer_normalization, wnn_onednn_reorder;

/* The device of all tests. */
static wnn_host host;
static wnn_device *device;

/* A region under construction, with the bytes of its ports. */
enum { MAX_PORTS = 12, MAX_ROW_POSTS = 5 };
typedef struct scene {
  wnn_node anchor, post_nodes[MAX_ROW_POSTS];
  union {
    wnn_alpha_attrs alpha;
    wnn_alpha_beta_attrs alpha_beta;
    wnn_clamp_attrs clamp;
  } post_attrs[MAX_ROW_POSTS];
  wnn_desc descs[MAX_PORTS];
  wnn_port inputs[MAX_PORTS], output;
  void *bytes[MAX_PORTS];
  size_t n_bytes[MAX_PORTS];
  wnn_region region;
  double tolerance;
} scene;

static uint32_t seed;

/* In [-1, 1], a multiple of 1/64: exact in float16. */
static float number(void) {
  seed = seed * 1664525u + 1013904223u;
  return ((float)(seed >> 16) / 65536.0f - 0.5f) * 2.0f;
}

static float rounded_number(void) { return roundf(number() * 64) / 64; }

static wnn_layout layout_of(char kind, uint32_t rank) {
  switch (kind) {
    case 'l': return wnn_layout_channels_last();
    case '8': return wnn_layout_blocked(8);
    case '6': return wnn_layout_blocked(16);
    case 't': { /* the last two axes exchanged */
      wnn_layout layout = wnn_layout_plain(rank);
      layout.order[rank - 2] = (uint8_t)(rank - 1);
      layout.order[rank - 1] = (uint8_t)(rank - 2);
      return layout;
    }
    case 'h': return (wnn_layout){.rank = 4, .order = {0, 2, 1, 3}, .block = 1}; /* heads of attention */
    case 'r': { /* the axes back to front */
      wnn_layout layout = wnn_layout_plain(rank);
      for (uint32_t i = 0; i < rank; i++) layout.order[i] = (uint8_t)(rank - 1 - i);
      return layout;
    }
    default: return wnn_layout_plain(rank);
  }
}

static void store(void *to, webnn_data_type type, size_t i, float x) {
  switch (type) {
    case WEBNN_DATA_TYPE_FLOAT16: ((uint16_t *)to)[i] = wnn_f16_from_f32(x); break;
    case WEBNN_DATA_TYPE_UINT8: ((uint8_t *)to)[i] = (uint8_t)(int)(x * 100 + 128); break;
    case WEBNN_DATA_TYPE_INT32: ((int32_t *)to)[i] = (int32_t)(x * 2147483000.0f); break;
    default: ((float *)to)[i] = x;
  }
}

static double load(const void *from, webnn_data_type type, size_t i) {
  switch (type) {
    case WEBNN_DATA_TYPE_FLOAT16: return (double)wnn_f16_to_f32(((const uint16_t *)from)[i]);
    case WEBNN_DATA_TYPE_UINT8: return ((const uint8_t *)from)[i];
    case WEBNN_DATA_TYPE_INT32: return ((const int32_t *)from)[i];
    default: return (double)((const float *)from)[i];
  }
}

/* The next coordinates in row-major order; false behind the last. */
static bool step(const wnn_desc *desc, uint32_t coordinates[WNN_MAX_RANK]) {
  for (uint32_t i = desc->rank; i-- > 0;) {
    if (++coordinates[i] < desc->dims[i]) return true;
    coordinates[i] = 0;
  }
  return false;
}

/* Adds an input with random numbers; blocks are padded with zeros. Returns its port. */
static size_t add_port(scene *is, wnn_desc desc, char layout, bool constant) {
  const size_t i = is->region.n_inputs++;
  is->descs[i] = desc;
  is->inputs[i] = (wnn_port){.desc = &is->descs[i], .layout = layout_of(layout, desc.rank)};
  is->n_bytes[i] = wnn_layout_bytes(&is->inputs[i].layout, &desc);
  is->bytes[i] = wnn_alloc_zeroed(&host.alloc, is->n_bytes[i]);
  uint32_t at[WNN_MAX_RANK] = {0};
  do {
    store(is->bytes[i], desc.type, wnn_layout_offset(&is->inputs[i].layout, &desc, at), rounded_number());
  } while (step(&desc, at));
  if (constant) is->inputs[i].constant = is->bytes[i];
  return i;
}

static void add_absent(scene *is) { is->inputs[is->region.n_inputs++] = (wnn_port){0}; }

static void begin(scene *is, wnn_op_id op, const void *attrs) {
  *is = (scene){.tolerance = 1e-5};
  seed = 12345;
  is->anchor = (wnn_node){.op = wnn_op_get(op), .attrs = attrs, .n_outputs = 1};
  is->region.anchor = &is->anchor;
  is->region.inputs = is->inputs;
  is->region.outputs = &is->output;
  is->region.n_outputs = 1;
}

/* All operands of the anchor are there. */
static void set_result(scene *is, wnn_desc desc, char layout) {
  is->anchor.n_inputs = is->region.n_inputs;
  is->region.anchor_desc = desc;
  is->output = (wnn_port){.desc = &is->region.anchor_desc, .layout = layout_of(layout, desc.rank)};
}

/* One fused node of a row. */
typedef struct post_row {
  wnn_op_id op; /* the first of all ids, which is nothing to fuse: none, the end */
  char operand; /* 'f' of the result's shape, 'c' one a channel, 's' scalar, '=' the result itself, 0 none */
  bool swapped; /* the operand stands first */
  double alpha, beta;
} post_row;

#define NO_POST WNN_OP_ARG_MIN
#define NO_POSTS {{NO_POST}}

static void set_post_attrs(scene *is, size_t i, const post_row *row) {
  is->post_nodes[i].attrs = &is->post_attrs[i];
  if (row->op == WNN_OP_CLAMP)
    is->post_attrs[i].clamp = (wnn_clamp_attrs){wnn_number_f(row->alpha), wnn_number_f(row->beta)};
  else
    is->post_attrs[i].alpha_beta = (wnn_alpha_beta_attrs){wnn_number_f(row->alpha), wnn_number_f(row->beta)};
}

static void add_posts(scene *is, const post_row *rows, uint32_t channel_axis, char layout) {
  const wnn_desc *result = &is->region.anchor_desc;
  for (size_t i = 0; i < MAX_ROW_POSTS && rows[i].op != NO_POST; i++) {
    const post_row *row = &rows[i];
    wnn_post *post = &is->region.posts[i];
    is->post_nodes[i] = (wnn_node){.op = wnn_op_get(row->op), .n_inputs = row->operand ? 2 : 1, .n_outputs = 1};
    set_post_attrs(is, i, row);
    *post = (wnn_post){&is->post_nodes[i], {WNN_FROM_STAGE(i), WNN_FROM_NONE, WNN_FROM_NONE}, *result};
    is->region.n_posts = i + 1;
    if (row->operand == 0) continue;
    int16_t other = WNN_FROM_STAGE(i);
    if (row->operand == 'f') {
      other = (int16_t)add_port(is, *result, layout, false);
    } else if (row->operand == 's') {
      other = (int16_t)add_port(is, wnn_desc_scalar(result->type), 'p', true);
    } else if (row->operand == 'c') {
      wnn_desc desc = {result->type, result->rank - channel_axis, {0}};
      for (uint32_t k = 0; k < desc.rank; k++) desc.dims[k] = k == 0 ? result->dims[channel_axis] : 1;
      other = (int16_t)add_port(is, desc, 'p', true);
    }
    post->from[row->swapped ? 0 : 1] = other;
    post->from[row->swapped ? 1 : 0] = WNN_FROM_STAGE(i);
  }
}

static void end(scene *is) {
  for (size_t i = 0; i < is->region.n_inputs; i++) wnn_alloc_free(&host.alloc, is->bytes[i], is->n_bytes[i]);
}

/* Plans and runs twice in the same memory. `output` has room for the output's bytes. `shared`: the input whose
 * memory the output takes, as an arena would have it, or -1. */
static bool run_twice(scene *is, const wnn_kernel *kernel, char *output, int shared) {
  wnn_plan *plan = NULL;
  webnn_status status = kernel->plan(device, &is->region, &plan);
  if (!CHECK_STATUS(status, WEBNN_OK)) return false;
  const size_t n_output = wnn_layout_bytes(&is->output.layout, is->output.desc);
  void *scratch = wnn_alloc_get(&host.alloc, plan->scratch_bytes);
  void *inputs[MAX_PORTS] = {0}, *outputs[1] = {output};
  for (size_t i = 0; i < is->region.n_inputs; i++)
    inputs[i] = plan->packed >> i & 1 ? NULL : is->bytes[i];
  char *first = wnn_alloc_get(&host.alloc, n_output);
  if (shared >= 0) {
    CHECK(plan->in_place == shared);
    inputs[shared] = output;
  }
  for (int i = 0; i < 2; i++) {
    memset(output, 0xA5, n_output);
    memset(scratch, 0xFF, plan->scratch_bytes); /* NaN: nothing may be read that wasn't written */
    if (shared >= 0) memcpy(output, is->bytes[shared], n_output);
    CHECK_STATUS(kernel->run(plan, &(wnn_run){inputs, outputs, scratch}), WEBNN_OK);
    if (i == 0) memcpy(first, output, n_output);
  }
  CHECK(memcmp(first, output, n_output) == 0);
  wnn_alloc_free(&host.alloc, first, n_output);
  wnn_alloc_free(&host.alloc, scratch, plan->scratch_bytes);
  kernel->free(plan);
  return true;
}

static double allowed(const scene *is, double expected) {
  if (is->output.desc->type == WEBNN_DATA_TYPE_FLOAT16) return is->tolerance + fabs(expected) / 1024;
  return is->tolerance * (1 + fabs(expected));
}

/* The greatest error beyond what is allowed, over all elements; and padding of blocks must be zero. */
static void compare(const scene *is, const void *is_bytes, const void *expected_bytes) {
  const wnn_desc *desc = is->output.desc;
  const size_t n = wnn_layout_bytes(&is->output.layout, desc) / webnn_data_type_bytes(desc->type);
  bool *seen = calloc(n, sizeof *seen);
  double worst = 0, worst_is = 0, worst_expected = 0;
  uint32_t at[WNN_MAX_RANK] = {0};
  do {
    size_t i = wnn_layout_offset(&is->output.layout, desc, at);
    double a = load(is_bytes, desc->type, i), b = load(expected_bytes, desc->type, i);
    double error = a == b || (isnan(a) && isnan(b)) ? 0 : fabs(a - b) / allowed(is, b);
    seen[i] = true;
    if (error <= worst) continue;
    worst = isnan(error) ? INFINITY : error;
    worst_is = a;
    worst_expected = b;
  } while (step(desc, at));
  if (!CHECK(worst <= 1)) printf("    is %.9g, expected %.9g\n", worst_is, worst_expected);
  bool clean = true;
  for (size_t i = 0; i < n; i++) clean = clean && (seen[i] || load(is_bytes, desc->type, i) == 0);
  CHECK(clean);
  free(seen);
}

/* The region on `kernel` and on the reference. */
static void check_against_reference(scene *is, const wnn_kernel *kernel, int shared) {
  const size_t n = wnn_layout_bytes(&is->output.layout, is->output.desc);
  char *output = wnn_alloc_get(&host.alloc, n), *expected = wnn_alloc_get(&host.alloc, n);
  if (run_twice(is, &wnn_reference_region, expected, -1) && run_twice(is, kernel, output, shared))
    compare(is, output, expected);
  wnn_alloc_free(&host.alloc, output, n);
  wnn_alloc_free(&host.alloc, expected, n);
}

/* Convolutions. */

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
#define F32 WEBNN_DATA_TYPE_FLOAT32
#define F16 WEBNN_DATA_TYPE_FLOAT16
#define NCHW WEBNN_INPUT_OPERAND_LAYOUT_NCHW
#define NHWC WEBNN_INPUT_OPERAND_LAYOUT_NHWC
enum { OIHW, HWIO, OHWI, IHWO };

static const conv_row conv_rows[] = {
    {"3x3 plain", 1, 8, 9, 11, 16, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, 'p', 'p', true, false, F32, NO_POSTS},
    {"3x3 last", 1, 8, 9, 11, 16, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, 'l', 'l', true, false, F32, NO_POSTS},
    {"3x3 blocked", 1, 8, 9, 11, 16, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, '8', '8', true, false, F32, NO_POSTS},
    {"3x3 blocks of 16", 2, 16, 5, 5, 32, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, '6', '6', true, false, F32,
     NO_POSTS},
    {"blocks with padding", 2, 5, 6, 7, 11, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, '8', '8', true, false, F32,
     NO_POSTS},
    {"plain in, last out", 1, 3, 17, 15, 16, 3, 3, {2, 2}, {1, 1}, {1, 1, 1, 1}, 1, NCHW, OIHW, 'p', 'l', true, false,
     F32, NO_POSTS},
    {"last in, blocked out", 1, 16, 7, 7, 24, 1, 1, UNIT, {0}, 1, NCHW, OIHW, 'l', '8', false, false, F32, NO_POSTS},
    {"reversed axes", 1, 4, 5, 6, 8, 3, 3, UNIT, {0}, 1, NCHW, OIHW, 'r', 'r', true, false, F32, NO_POSTS},
    {"nhwc hwio", 2, 6, 8, 9, 10, 3, 2, {2, 1}, {1, 1}, {1, 0, 0, 2}, 1, NHWC, HWIO, 'p', 'p', true, false, F32,
     NO_POSTS},
    {"nhwc ohwi", 1, 6, 8, 9, 10, 3, 3, UNIT, {1, 1, 1, 1}, 1, NHWC, OHWI, 'p', 'p', false, false, F32, NO_POSTS},
    {"nchw ihwo", 1, 6, 8, 9, 10, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, IHWO, 'l', 'l', false, false, F32, NO_POSTS},
    {"nchw hwio", 1, 6, 8, 9, 10, 2, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, HWIO, 'l', 'l', false, false, F32, NO_POSTS},
    {"dilated", 1, 8, 13, 14, 8, 3, 3, {1, 2}, {2, 3}, {2, 2, 3, 3}, 1, NCHW, OIHW, 'l', 'l', true, false, F32,
     NO_POSTS},
    {"lopsided padding", 1, 8, 7, 8, 8, 3, 3, {2, 2}, {1, 1}, {0, 1, 2, 0}, 1, NCHW, OIHW, 'l', 'l', true, false, F32,
     NO_POSTS},
    {"padding beyond the kernel", 1, 8, 3, 3, 8, 2, 2, UNIT, {4, 3, 5, 2}, 1, NCHW, OIHW, 'l', 'l', true, false, F32,
     NO_POSTS},
    {"stride beyond the kernel", 1, 8, 12, 12, 8, 1, 1, {3, 4}, {1, 1}, {0}, 1, NCHW, OIHW, 'l', 'l', true, false,
     F32, NO_POSTS},
    {"groups", 1, 16, 7, 7, 32, 3, 3, UNIT, {1, 1, 1, 1}, 2, NCHW, OIHW, 'l', 'l', true, false, F32, NO_POSTS},
    {"groups of odd size", 1, 9, 7, 7, 15, 3, 3, UNIT, {1, 1, 1, 1}, 3, NCHW, OIHW, 'l', 'l', true, false, F32,
     NO_POSTS},
    {"groups hwio", 1, 8, 7, 7, 12, 3, 3, UNIT, {1, 1, 1, 1}, 4, NHWC, HWIO, 'p', 'p', true, false, F32, NO_POSTS},
    {"depthwise last", 2, 24, 9, 9, 24, 3, 3, {2, 2}, {1, 1}, {1, 1, 1, 1}, 24, NCHW, OIHW, 'l', 'l', true, false, F32,
     NO_POSTS},
    {"depthwise blocked", 1, 20, 9, 9, 20, 5, 5, UNIT, {2, 2, 2, 2}, 20, NCHW, OIHW, '8', '8', true, false, F32,
     NO_POSTS},
    {"depthwise ihwo", 1, 7, 9, 9, 7, 3, 3, UNIT, {1, 1, 1, 1}, 7, NHWC, IHWO, 'p', 'p', true, false, F32, NO_POSTS},
    {"depthwise plain", 1, 7, 9, 9, 7, 3, 3, UNIT, {1, 1, 1, 1}, 7, NCHW, OIHW, 'p', 'p', true, false, F32, NO_POSTS},
    {"depth multiplier", 1, 6, 9, 9, 12, 3, 3, UNIT, {1, 1, 1, 1}, 6, NCHW, OIHW, 'l', 'l', true, false, F32, NO_POSTS},
    {"one pixel", 1, 32, 1, 1, 64, 1, 1, UNIT, {0}, 1, NCHW, OIHW, 'l', 'l', true, false, F32, NO_POSTS},
    {"one channel", 1, 1, 9, 9, 1, 3, 3, UNIT, {0}, 1, NCHW, OIHW, 'p', 'p', true, false, F32, NO_POSTS},
    {"one row", 1, 8, 1, 40, 16, 1, 3, UNIT, {0, 0, 1, 1}, 1, NCHW, OIHW, 'l', 'l', true, false, F32, NO_POSTS},
    {"variable filter", 1, 8, 9, 9, 16, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, 'l', 'l', true, true, F32, NO_POSTS},
    {"float16", 1, 8, 9, 9, 16, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, 'l', 'l', true, false, F16, NO_POSTS},
    {"float16 plain", 1, 8, 9, 9, 16, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, 'p', 'p', true, true, F16, NO_POSTS},
    {"relu", 1, 8, 9, 9, 16, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, 'l', 'l', true, false, F32, {{WNN_OP_RELU}}},
    {"residual, relu", 1, 8, 9, 9, 16, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, 'l', 'l', true, false, F32,
     {{WNN_OP_ADD, 'f'}, {WNN_OP_RELU}}},
    {"residual, plain", 1, 8, 9, 9, 16, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, 'p', 'p', true, false, F32,
     {{WNN_OP_ADD, 'f'}, {WNN_OP_RELU}}},
    {"blocked, all kinds of operands", 1, 12, 9, 9, 20, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, '8', '8', true, false,
     F32, {{WNN_OP_MUL, 'c'}, {WNN_OP_ADD, 's'}, {WNN_OP_RELU}, {WNN_OP_SUB, 'f'}, {WNN_OP_DIV, 'c'}}},
    {"nhwc, all kinds of operands", 2, 12, 9, 9, 20, 3, 3, UNIT, {1, 1, 1, 1}, 1, NHWC, OHWI, 'p', 'p', true, false,
     F32, {{WNN_OP_MUL, 'c'}, {WNN_OP_ADD, 's'}, {WNN_OP_TANH}, {WNN_OP_MAX, 'f'}, {WNN_OP_MIN, 'c'}}},
    {"operand first", 1, 8, 9, 9, 16, 1, 1, UNIT, {0}, 1, NCHW, OIHW, 'l', 'l', true, false, F32,
     {{WNN_OP_SUB, 'f', true}, {WNN_OP_ADD, 'c', true}, {WNN_OP_MUL, 's', true}}},
    {"itself", 1, 8, 9, 9, 16, 1, 1, UNIT, {0}, 1, NCHW, OIHW, 'l', 'l', true, false, F32,
     {{WNN_OP_MUL, '='}, {WNN_OP_ADD, '='}}},
    {"prelu", 1, 8, 9, 9, 16, 1, 1, UNIT, {0}, 1, NCHW, OIHW, 'l', 'l', true, false, F32, {{WNN_OP_PRELU, 'c'}}},
    {"prelu, blocked", 1, 8, 9, 9, 12, 3, 3, UNIT, {0}, 1, NCHW, OIHW, '8', '8', true, false, F32,
     {{WNN_OP_PRELU, 'c'}, {WNN_OP_PRELU, 's'}}},
    {"depthwise, fused", 1, 24, 9, 9, 24, 3, 3, UNIT, {1, 1, 1, 1}, 24, NCHW, OIHW, 'l', 'l', true, false, F32,
     {{WNN_OP_HARD_SWISH}, {WNN_OP_MUL, 'c'}, {WNN_OP_ADD, 'f'}}},
};

static wnn_desc image_desc(webnn_data_type type, int layout, uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
  if (layout == NHWC) return (wnn_desc){type, 4, {n, h, w, c}};
  return (wnn_desc){type, 4, {n, c, h, w}};
}

/* The filter's shape; `o` and `i` as the layout has them. */
static wnn_desc filter_desc(webnn_data_type type, int layout, uint32_t o, uint32_t i, uint32_t h, uint32_t w) {
  switch (layout) {
    case HWIO: return (wnn_desc){type, 4, {h, w, i, o}};
    case OHWI: return (wnn_desc){type, 4, {o, h, w, i}};
    case IHWO: return (wnn_desc){type, 4, {i, h, w, o}};
    default: return (wnn_desc){type, 4, {o, i, h, w}};
  }
}

static uint32_t conv_size(uint32_t in, uint32_t kernel, uint32_t stride, uint32_t dilation, uint32_t padding) {
  return (in + padding - ((kernel - 1) * dilation + 1)) / stride + 1;
}

/* Attributes outlive the scene's plan alone, not the row. */
static wnn_conv2d_attrs conv_attrs(const conv_row *row) {
  return (wnn_conv2d_attrs){.padding = {row->padding, 4, true},
                            .strides = {row->strides, 2, true},
                            .dilations = {row->dilations, 2, true},
                            .groups = row->groups,
                            .input_layout = (webnn_input_operand_layout)row->input_layout,
                            .filter_layout = (webnn_conv2d_filter_operand_layout)row->filter_layout};
}

static void set_conv(scene *is, const conv_row *row, const wnn_conv2d_attrs *attrs) {
  begin(is, WNN_OP_CONV2D, attrs);
  add_port(is, image_desc(row->type, row->input_layout, row->n, row->ic, row->h, row->w), row->in, false);
  add_port(is, filter_desc(row->type, row->filter_layout, row->oc, row->ic / row->groups, row->kh, row->kw), 'p',
           !row->variable);
  if (row->bias) add_port(is, (wnn_desc){row->type, 1, {row->oc}}, 'p', true);
  else add_absent(is);
  uint32_t h = conv_size(row->h, row->kh, row->strides[0], row->dilations[0], row->padding[0] + row->padding[1]);
  uint32_t w = conv_size(row->w, row->kw, row->strides[1], row->dilations[1], row->padding[2] + row->padding[3]);
  set_result(is, image_desc(row->type, row->input_layout, row->n, row->oc, h, w), row->out);
  add_posts(is, row->posts, row->input_layout == NCHW ? 1 : 3, row->out);
}

TEST(conv2d_agrees) {
  for (size_t i = 0; i < sizeof conv_rows / sizeof *conv_rows; i++) {
    const conv_row *row = &conv_rows[i];
    CONTEXT("%s", row->name);
    wnn_conv2d_attrs attrs = conv_attrs(row);
    scene is;
    set_conv(&is, row, &attrs);
    check_against_reference(&is, &wnn_onednn_conv2d, -1);
    end(&is);
  }
  CONTEXT("%s", "");
}

/* The seam: one region with all that convolution nets have, in blocks of channels, in one piece of memory. */
TEST(conv2d_bias_residual_relu_in_blocks_runs_in_place) {
  static const conv_row row = {"", 1, 16, 14, 14, 16, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, '8', '8', true, false,
                               F32, {{WNN_OP_ADD, 'f'}, {WNN_OP_RELU}}};
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
static const struct {
  post_row post;
  double tolerance;
} activations[] = {
    {{WNN_OP_ABS}, 0}, {{WNN_OP_CLAMP, 0, false, -0.25, 0.5}, 0}, {{WNN_OP_CLAMP, 0, false, 0, 6}, 0},
    {{WNN_OP_CLAMP, 0, false, -INFINITY, 0.5}, 0}, {{WNN_OP_ELU, 0, false, 0.75, 0}, 0}, {{WNN_OP_EXP}, 0},
    {{WNN_OP_GELU}, 0}, {{WNN_OP_GELU_TANH}, 0}, {{WNN_OP_HARD_SIGMOID, 0, false, 0.2, 0.5}, 0},
    {{WNN_OP_HARD_SWISH}, 0}, {{WNN_OP_LEAKY_RELU, 0, false, 0.1, 0}, 0},
    {{WNN_OP_LINEAR, 0, false, -2, 0.5}, 0}, {{WNN_OP_LOG}, 1e-3}, {{WNN_OP_MISH}, 0}, {{WNN_OP_RELU}, 0},
    {{WNN_OP_SIGMOID}, 0}, {{WNN_OP_SILU}, 0}, {{WNN_OP_SOFTPLUS}, 0}, {{WNN_OP_SQRT}, 1e-3}, {{WNN_OP_TANH}, 0},
};

TEST(activations_agree) {
  for (size_t i = 0; i < sizeof activations / sizeof *activations; i++) {
    conv_row row = {"", 1, 8, 6, 6, 12, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, 'l', 'l', true, false, F32, NO_POSTS};
    row.posts[0] = activations[i].post;
    row.posts[1] = (post_row){NO_POST};
    CONTEXT("%s", wnn_op_get(row.posts[0].op)->name);
    wnn_conv2d_attrs attrs = conv_attrs(&row);
    scene is;
    set_conv(&is, &row, &attrs);
    if (activations[i].tolerance != 0) is.tolerance = activations[i].tolerance; /* steep near zero */
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
  bool windows; /* by the kernel for windows that don't overlap */
} transposed_row;

enum { T_IOHW, T_HWOI, T_OHWI };

static const transposed_row transposed_rows[] = {
    {"2x2 stride 2", 1, 8, 5, 6, 16, 2, 2, {2, 2}, {1, 1}, {0}, 1, {0, 0}, NCHW, T_IOHW, 'l', 'l', true, F32},
    {"2x2 stride 2 plain", 1, 8, 5, 6, 16, 2, 2, {2, 2}, {1, 1}, {0}, 1, {0, 0}, NCHW, T_IOHW, 'p', 'p', true, F32},
    {"3x3", 2, 6, 5, 6, 10, 3, 3, {1, 1}, {1, 1}, {1, 1, 1, 1}, 1, {0, 0}, NCHW, T_IOHW, 'l', 'l', false, F32},
    {"extra rows", 1, 6, 5, 6, 10, 3, 3, {2, 3}, {1, 1}, {1, 1, 0, 1}, 1, {1, 2}, NCHW, T_IOHW, 'l', 'l', true, F32},
    {"hwoi", 1, 6, 5, 6, 10, 3, 2, {2, 2}, {1, 1}, {0}, 1, {0, 0}, NHWC, T_HWOI, 'p', 'p', true, F32},
    {"ohwi", 1, 6, 5, 6, 10, 3, 2, {2, 2}, {1, 1}, {0}, 1, {0, 0}, NHWC, T_OHWI, 'p', 'p', true, F32},
    {"dilated", 1, 6, 5, 6, 10, 3, 3, {2, 2}, {2, 3}, {1, 0, 2, 1}, 1, {0, 0}, NCHW, T_IOHW, 'l', 'l', true, F32},
    {"groups", 1, 8, 5, 6, 12, 3, 3, {2, 2}, {1, 1}, {1, 1, 1, 1}, 4, {1, 1}, NCHW, T_IOHW, 'l', 'l', true, F32},
    {"groups hwoi", 1, 8, 5, 6, 12, 3, 3, {2, 2}, {1, 1}, {1, 1, 1, 1}, 2, {0, 0}, NHWC, T_HWOI, 'p', 'p', true, F32},
    {"depthwise", 1, 8, 5, 6, 8, 4, 4, {2, 2}, {1, 1}, {1, 1, 1, 1}, 8, {0, 0}, NCHW, T_IOHW, 'l', 'l', true, F32},
    {"blocked", 1, 8, 5, 6, 16, 4, 4, {2, 2}, {1, 1}, {1, 1, 1, 1}, 1, {0, 0}, NCHW, T_IOHW, '8', '8', true, F32},
    {"float16", 1, 8, 5, 6, 16, 4, 4, {2, 2}, {1, 1}, {1, 1, 1, 1}, 1, {0, 0}, NCHW, T_IOHW, 'l', 'l', true, F16},
    {"windows", 2, 8, 5, 6, 3, 2, 3, {2, 3}, {1, 1}, {0}, 1, {0, 0}, NCHW, T_IOHW, 'l', 'l', true, F32, true},
    {"windows hwoi", 2, 8, 5, 6, 3, 3, 2, {3, 2}, {1, 1}, {0}, 1, {0, 0}, NHWC, T_HWOI, 'p', 'p', true, F32, true},
    {"windows ohwi", 1, 8, 5, 6, 1, 2, 2, {2, 2}, {1, 1}, {0}, 1, {0, 0}, NHWC, T_OHWI, 'p', 'p', false, F32, true},
    {"windows float16", 1, 8, 5, 6, 1, 2, 2, {2, 2}, {1, 1}, {0}, 1, {0, 0}, NCHW, T_IOHW, 'l', 'l', true, F16, true},
};

static wnn_desc transposed_filter_desc(const transposed_row *row) {
  const uint32_t o = row->oc / row->groups, i = row->ic, h = row->kh, w = row->kw;
  switch (row->filter_layout) {
    case T_HWOI: return (wnn_desc){row->type, 4, {h, w, o, i}};
    case T_OHWI: return (wnn_desc){row->type, 4, {o, h, w, i}};
    default: return (wnn_desc){row->type, 4, {i, o, h, w}};
  }
}

TEST(conv_transpose2d_agrees) {
  for (size_t r = 0; r < sizeof transposed_rows / sizeof *transposed_rows; r++) {
    const transposed_row *row = &transposed_rows[r];
    uint32_t sizes[2];
    CONTEXT("%s", row->name);
    for (size_t i = 0; i < 2; i++)
      sizes[i] = ((i ? row->w : row->h) - 1) * row->strides[i] + ((i ? row->kw : row->kh) - 1) * row->dilations[i] +
                 1 - row->padding[2 * i] - row->padding[2 * i + 1] + row->extra[i];
    wnn_conv_transpose2d_attrs attrs = {
        .padding = {row->padding, 4, true},
        .strides = {row->strides, 2, true},
        .dilations = {row->dilations, 2, true},
        .output_padding = {row->extra, 2, true},
        .output_sizes = {sizes, 2, true},
        .groups = row->groups,
        .input_layout = (webnn_input_operand_layout)row->input_layout,
        .filter_layout = (webnn_conv_transpose2d_filter_operand_layout)row->filter_layout};
    scene is;
    begin(&is, WNN_OP_CONV_TRANSPOSE2D, &attrs);
    add_port(&is, image_desc(row->type, row->input_layout, row->n, row->ic, row->h, row->w), row->in, false);
    add_port(&is, transposed_filter_desc(row), 'p', true);
    if (row->bias) add_port(&is, (wnn_desc){row->type, 1, {row->oc}}, 'p', true);
    else add_absent(&is);
    set_result(&is, image_desc(row->type, row->input_layout, row->n, row->oc, sizes[0], sizes[1]), row->out);
    check_against_reference(&is, &wnn_onednn_conv_transpose2d, -1);
    if (row->windows) check_against_reference(&is, &wnn_onednn_conv_transpose2d_windows, -1);
    end(&is);
  }
  CONTEXT("%s", "");
}

/* Products. */

typedef struct matmul_row {
  const char *name;
  uint32_t rank_a, a[5], rank_b, b[5], rank, y[5];
  char in_a, in_b;
  bool constant;
  webnn_data_type type;
  post_row posts[MAX_ROW_POSTS + 1];
} matmul_row;

static const matmul_row matmul_rows[] = {
    {"2-D", 2, {5, 7}, 2, {7, 9}, 2, {5, 9}, 'p', 'p', false, F32, NO_POSTS},
    {"2-D constant", 2, {33, 70}, 2, {70, 90}, 2, {33, 90}, 'p', 'p', true, F32, NO_POSTS},
    {"one row", 2, {1, 70}, 2, {70, 90}, 2, {1, 90}, 'p', 'p', true, F32, NO_POSTS},
    {"one column", 2, {33, 70}, 2, {70, 1}, 2, {33, 1}, 'p', 'p', true, F32, NO_POSTS},
    {"one product", 2, {33, 1}, 2, {1, 20}, 2, {33, 20}, 'p', 'p', false, F32, NO_POSTS},
    {"one number", 2, {1, 1}, 2, {1, 1}, 2, {1, 1}, 'p', 'p', false, F32, NO_POSTS},
    {"transposed a", 2, {20, 30}, 2, {30, 40}, 2, {20, 40}, 't', 'p', false, F32, NO_POSTS},
    {"transposed a, constant", 2, {20, 30}, 2, {30, 40}, 2, {20, 40}, 't', 'p', true, F32, NO_POSTS},
    {"transposed b", 2, {20, 30}, 2, {30, 40}, 2, {20, 40}, 'p', 't', false, F32, NO_POSTS},
    {"both transposed", 3, {2, 20, 30}, 3, {2, 30, 40}, 3, {2, 20, 40}, 't', 't', false, F32, NO_POSTS},
    {"batches share constant", 3, {4, 10, 32}, 2, {32, 24}, 3, {4, 10, 24}, 'p', 'p', true, F32, NO_POSTS},
    {"batches of one row", 4, {4, 3, 1, 32}, 2, {32, 24}, 4, {4, 3, 1, 24}, 'p', 'p', true, F32, NO_POSTS},
    {"transposed batches share", 3, {4, 10, 32}, 3, {1, 32, 24}, 3, {4, 10, 24}, 't', 'p', true, F32, NO_POSTS},
    {"a shared", 2, {10, 32}, 3, {4, 32, 24}, 3, {4, 10, 24}, 'p', 'p', false, F32, NO_POSTS},
    {"crossed", 4, {3, 1, 6, 8}, 4, {1, 2, 8, 5}, 4, {3, 2, 6, 5}, 'p', 'p', false, F32, NO_POSTS},
    {"crossed, other", 4, {1, 2, 6, 8}, 4, {3, 1, 8, 5}, 4, {3, 2, 6, 5}, 'p', 'p', true, F32, NO_POSTS},
    {"rank 5", 5, {2, 3, 2, 6, 8}, 5, {2, 3, 2, 8, 5}, 5, {2, 3, 2, 6, 5}, 'p', 'p', false, F32, NO_POSTS},
    {"rank 5, b shared within", 5, {2, 3, 2, 6, 8}, 5, {2, 3, 1, 8, 5}, 5, {2, 3, 2, 6, 5}, 'p', 'p', false, F32,
     NO_POSTS},
    {"constant batches", 3, {4, 10, 32}, 3, {4, 32, 24}, 3, {4, 10, 24}, 'p', 'p', true, F32, NO_POSTS},
    {"heads", 4, {2, 4, 10, 16}, 4, {2, 4, 16, 10}, 4, {2, 4, 10, 10}, 'h', 'h', false, F32, NO_POSTS},
    {"reversed", 3, {4, 6, 8}, 3, {4, 8, 5}, 3, {4, 6, 5}, 'r', 'r', false, F32, NO_POSTS},
    {"float16", 2, {33, 70}, 2, {70, 90}, 2, {33, 90}, 'p', 'p', true, F16, NO_POSTS},
    {"float16, no constant", 3, {2, 33, 70}, 3, {2, 70, 9}, 3, {2, 33, 9}, 't', 'p', false, F16, NO_POSTS},
    {"bias, gelu", 2, {33, 70}, 2, {70, 90}, 2, {33, 90}, 'p', 'p', true, F32, {{WNN_OP_ADD, 'c'}, {WNN_OP_GELU}}},
    {"bias, residual, batches share", 3, {4, 10, 32}, 2, {32, 24}, 3, {4, 10, 24}, 'p', 'p', true, F32,
     {{WNN_OP_ADD, 'c'}, {WNN_OP_ADD, 'f'}, {WNN_OP_RELU}}},
    {"scaled, residual, batches", 4, {2, 3, 10, 32}, 4, {2, 3, 32, 24}, 4, {2, 3, 10, 24}, 'p', 't', false, F32,
     {{WNN_OP_MUL, 's'}, {WNN_OP_SUB, 'f', true}}},
    {"row, bias, sigmoid", 2, {1, 70}, 2, {70, 90}, 2, {1, 90}, 'p', 'p', true, F32,
     {{WNN_OP_ADD, 'c'}, {WNN_OP_SIGMOID}, {WNN_OP_MUL, 'f'}}},
};

static wnn_desc desc_of(webnn_data_type type, uint32_t rank, const uint32_t *dims) {
  wnn_desc desc = {type, rank, {0}};
  memcpy(desc.dims, dims, rank * sizeof *dims);
  return desc;
}

static void set_matmul(scene *is, const matmul_row *row) {
  begin(is, WNN_OP_MATMUL, NULL);
  add_port(is, desc_of(row->type, row->rank_a, row->a), row->in_a, false);
  add_port(is, desc_of(row->type, row->rank_b, row->b), row->in_b, row->constant);
  set_result(is, desc_of(row->type, row->rank, row->y), 'p');
  add_posts(is, row->posts, row->rank - 1, 'p');
}

TEST(matmul_agrees) {
  for (size_t i = 0; i < sizeof matmul_rows / sizeof *matmul_rows; i++) {
    CONTEXT("%s", matmul_rows[i].name);
    scene is;
    set_matmul(&is, &matmul_rows[i]);
    check_against_reference(&is, &wnn_onednn_matmul, -1);
    end(&is);
  }
  CONTEXT("%s", "");
}

TEST(matmul_adds_a_dying_residual_in_place) {
  static const matmul_row row = {"", 3, {4, 10, 32}, 2, {32, 24}, 3, {4, 10, 24}, 'p', 'p', true, F32,
                                 {{WNN_OP_ADD, 'f'}, {WNN_OP_RELU}}};
  scene is;
  set_matmul(&is, &row);
  is.inputs[2].dies = true;
  check_against_reference(&is, &wnn_onednn_matmul, 2);
  check_against_reference(&is, &wnn_onednn_matmul, -1);
  end(&is);
}

typedef struct gemm_row {
  const char *name;
  uint32_t m, k, n;
  bool a_transpose, b_transpose, constant;
  double alpha, beta;
  uint32_t rank_c, c[2]; /* rank 9: none */
  bool constant_c;
  webnn_data_type type;
  post_row posts[MAX_ROW_POSTS + 1];
} gemm_row;

static const gemm_row gemm_rows[] = {
    {"plain", 9, 20, 30, false, false, false, 1, 1, 9, {0}, false, F32, NO_POSTS},
    {"a transposed", 9, 20, 30, true, false, false, 1, 1, 9, {0}, false, F32, NO_POSTS},
    {"b transposed", 9, 20, 30, false, true, true, 1, 1, 9, {0}, false, F32, NO_POSTS},
    {"both transposed", 9, 20, 30, true, true, true, 1, 1, 1, {30}, true, F32, NO_POSTS},
    {"row", 9, 20, 30, false, true, true, 1, 1, 1, {30}, true, F32, NO_POSTS},
    {"row, rank 2", 9, 20, 30, false, true, true, 1, 1, 2, {1, 30}, false, F32, NO_POSTS},
    {"column", 9, 20, 30, false, true, true, 1, 1, 2, {9, 1}, true, F32, NO_POSTS},
    {"scalar", 9, 20, 30, false, true, true, 1, 1, 0, {0}, true, F32, NO_POSTS},
    {"whole", 9, 20, 30, false, true, true, 1, 1, 2, {9, 30}, false, F32, NO_POSTS},
    {"alpha", 9, 20, 30, false, true, true, 0.5, 1, 9, {0}, false, F32, NO_POSTS},
    {"alpha, beta, constant c", 9, 20, 30, false, true, true, 0.5, -2, 1, {30}, true, F32, NO_POSTS},
    {"alpha, beta, variable c", 9, 20, 30, false, false, false, 0.5, -2, 1, {30}, false, F32, NO_POSTS},
    {"beta, variable c", 9, 20, 30, false, false, false, 1, 3, 2, {9, 30}, false, F32, NO_POSTS},
    {"one row", 1, 64, 30, false, true, true, 1, 1, 1, {30}, true, F32, {{WNN_OP_RELU}}},
    {"all", 9, 20, 30, false, true, true, 0.5, 2, 1, {30}, false, F32,
     {{WNN_OP_RELU}, {WNN_OP_MUL, 'c'}, {WNN_OP_ADD, 'f'}}},
    {"float16", 9, 20, 30, false, true, true, 0.5, 2, 1, {30}, true, F16, NO_POSTS},
};

TEST(gemm_agrees) {
  for (size_t i = 0; i < sizeof gemm_rows / sizeof *gemm_rows; i++) {
    const gemm_row *row = &gemm_rows[i];
    CONTEXT("%s", row->name);
    wnn_gemm_attrs attrs = {wnn_number_f(row->alpha), wnn_number_f(row->beta), row->a_transpose, row->b_transpose};
    scene is;
    begin(&is, WNN_OP_GEMM, &attrs);
    const uint32_t m = row->m, k = row->k, n = row->n;
    add_port(&is, (wnn_desc){row->type, 2, {row->a_transpose ? k : m, row->a_transpose ? m : k}}, 'p', false);
    add_port(&is, (wnn_desc){row->type, 2, {row->b_transpose ? n : k, row->b_transpose ? k : n}}, 'p', row->constant);
    if (row->rank_c < 9) add_port(&is, desc_of(row->type, row->rank_c, row->c), 'p', row->constant_c);
    else add_absent(&is);
    set_result(&is, (wnn_desc){row->type, 2, {m, n}}, 'p');
    add_posts(&is, row->posts, 1, 'p');
    check_against_reference(&is, &wnn_onednn_gemm, -1);
    end(&is);
  }
  CONTEXT("%s", "");
}

/* The rest. */

typedef struct pool_row {
  const char *name;
  uint32_t n, c, h, w, window[2], strides[2], dilations[2], padding[4], out[2];
  int layout;
  char in, to;
  webnn_data_type type;
  webnn_status status;
} pool_row;

static const pool_row pool_rows[] = {
    {"2x2", 1, 8, 6, 8, {2, 2}, {2, 2}, {1, 1}, {0}, {3, 4}, NCHW, 'p', 'p', F32, WEBNN_OK},
    {"2x2 last", 1, 8, 6, 8, {2, 2}, {2, 2}, {1, 1}, {0}, {3, 4}, NCHW, 'l', 'l', F32, WEBNN_OK},
    {"3x3 padded", 2, 5, 6, 8, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, {6, 8}, NCHW, 'l', 'l', F32, WEBNN_OK},
    {"blocked", 1, 12, 6, 8, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, {6, 8}, NCHW, '8', '8', F32, WEBNN_OK},
    {"floor", 1, 8, 8, 9, {3, 3}, {2, 4}, {1, 1}, {0, 1, 0, 0}, {4, 2}, NHWC, 'p', 'p', F32, WEBNN_OK},
    {"ceil", 1, 8, 8, 9, {3, 3}, {2, 4}, {1, 1}, {0, 0, 1, 0}, {4, 3}, NHWC, 'p', 'p', F32, WEBNN_OK},
    {"global", 1, 24, 7, 7, {7, 7}, {1, 1}, {1, 1}, {0}, {1, 1}, NCHW, 'l', 'l', F32, WEBNN_OK},
    {"dilated", 1, 8, 9, 9, {3, 2}, {1, 2}, {2, 3}, {1, 1, 1, 1}, {7, 4}, NCHW, 'l', 'l', F32, WEBNN_OK},
    {"float16", 1, 8, 6, 8, {2, 2}, {2, 2}, {1, 1}, {0}, {3, 4}, NCHW, 'l', 'l', F16, WEBNN_OK},
    {"empty window", 1, 8, 4, 4, {1, 1}, {1, 1}, {1, 1}, {1, 0, 0, 0}, {5, 4}, NCHW, 'l', 'l', F32,
     WEBNN_ERROR_NOT_SUPPORTED},
};

TEST(average_pool2d_agrees) {
  for (size_t i = 0; i < sizeof pool_rows / sizeof *pool_rows; i++) {
    const pool_row *row = &pool_rows[i];
    CONTEXT("%s", row->name);
    wnn_pool2d_attrs attrs = {.window_dimensions = {row->window, 2, true},
                              .padding = {row->padding, 4, true},
                              .strides = {row->strides, 2, true},
                              .dilations = {row->dilations, 2, true},
                              .layout = (webnn_input_operand_layout)row->layout,
                              .output_sizes = {row->out, 2, true}};
    scene is;
    begin(&is, WNN_OP_AVERAGE_POOL2D, &attrs);
    add_port(&is, image_desc(row->type, row->layout, row->n, row->c, row->h, row->w), row->in, false);
    set_result(&is, image_desc(row->type, row->layout, row->n, row->c, row->out[0], row->out[1]), row->to);
    if (row->status == WEBNN_OK) {
      check_against_reference(&is, &wnn_onednn_average_pool2d, -1);
    } else {
      wnn_plan *plan = NULL;
      CHECK_STATUS(wnn_onednn_average_pool2d.plan(device, &is.region, &plan), row->status);
    }
    end(&is);
  }
  CONTEXT("%s", "");
}

TEST(layer_normalization_agrees) {
  static const uint32_t last[] = {2}, two[] = {1, 2};
  static const struct {
    const uint32_t *axes;
    size_t n_axes;
    bool scale, bias;
    webnn_data_type type;
  } rows[] = {{last, 1, true, true, F32}, {last, 1, false, false, F32}, {last, 1, true, false, F32},
              {two, 2, false, true, F32}, {two, 2, true, true, F16}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CONTEXT("row %zu", i);
    wnn_layer_normalization_attrs attrs = {{rows[i].axes, rows[i].n_axes, true}, wnn_number_f(1e-5)};
    const wnn_desc desc = {rows[i].type, 3, {3, 5, 19}};
    wnn_desc part = {rows[i].type, (uint32_t)rows[i].n_axes, {0}};
    for (size_t k = 0; k < rows[i].n_axes; k++) part.dims[k] = desc.dims[rows[i].axes[k]];
    scene is;
    begin(&is, WNN_OP_LAYER_NORMALIZATION, &attrs);
    add_port(&is, desc, 'p', false);
    if (rows[i].scale) add_port(&is, part, 'p', true);
    else add_absent(&is);
    if (rows[i].bias) add_port(&is, part, 'p', true);
    else add_absent(&is);
    set_result(&is, desc, 'p');
    check_against_reference(&is, &wnn_onednn_layer_normalization, -1);
    end(&is);
  }
  CONTEXT("%s", "");
}

TEST(reorder_moves_every_bit) {
  static const struct {
    uint32_t dims[4];
    char from, to;
    webnn_data_type type;
  } rows[] = {
      {{2, 5, 6, 7}, 'p', 'l', F32}, {{2, 5, 6, 7}, 'l', 'p', F32}, {{2, 5, 6, 7}, 'p', '8', F32},
      {{2, 21, 6, 7}, '8', 'p', F32}, {{2, 21, 6, 7}, '8', 'l', F32}, {{2, 21, 6, 7}, 'l', '6', F32},
      {{2, 5, 6, 7}, 'p', 'l', WEBNN_DATA_TYPE_INT32}, {{2, 5, 6, 7}, 'r', 'p', WEBNN_DATA_TYPE_INT32},
      {{2, 5, 6, 7}, 'p', 'l', WEBNN_DATA_TYPE_UINT8}, {{1, 3, 224, 224}, 'p', 'l', F32},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CONTEXT("row %zu", i);
    scene is;
    begin(&is, WNN_OP_REORDER, NULL);
    add_port(&is, desc_of(rows[i].type, 4, rows[i].dims), rows[i].from, false);
    set_result(&is, desc_of(rows[i].type, 4, rows[i].dims), rows[i].to);
    is.tolerance = 0;
    if (is.inputs[0].desc->type == F32) { /* values that arithmetic would touch */
      const uint32_t bits[] = {0x7fc12345u, 0xffc00001u, 0x00000001u, 0x80000000u, 0x7f800000u};
      memcpy(is.bytes[0], bits, sizeof(uint32_t));
      memcpy((char *)is.bytes[0] + 4 * sizeof(float), &bits[2], sizeof(uint32_t));
      memcpy((char *)is.bytes[0] + 8 * sizeof(float), &bits[3], sizeof(uint32_t));
    }
    check_against_reference(&is, &wnn_onednn_reorder, -1);
    end(&is);
  }
  CONTEXT("%s", "");
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
  static const conv_row row = {"", 1, 8, 9, 9, 16, 3, 3, UNIT, {1, 1, 1, 1}, 1, NCHW, OIHW, 'p', 'p', true, false,
                               F16, NO_POSTS};
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
    if (status == WEBNN_OK) wnn_onednn_conv2d.free(plan);
    else CHECK_STATUS(status, WEBNN_ERROR_UNKNOWN);
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
                                       RUN(conv2d_bias_residual_relu_in_blocks_runs_in_place),
                                       RUN(activations_agree),
                                       RUN(conv_transpose2d_agrees),
                                       RUN(matmul_agrees),
                                       RUN(matmul_adds_a_dying_residual_in_place),
                                       RUN(gemm_agrees),
                                       RUN(average_pool2d_agrees),
                                       RUN(layer_normalization_agrees),
                                       RUN(reorder_moves_every_bit),
                                       RUN(planning_without_memory_fails_and_leaves_nothing),
                                       {NULL, NULL}};
  webnn_error err = {0};
  host.pool = wnn_pool_create(&host.alloc, 2);
  wnn_pool_enter(host.pool);
  if (wnn_backend_onednn.open(&host, &device, &err) != WEBNN_OK) {
    printf("%s\n", err.message);
    return 1;
  }
  wnn_device_info info = wnn_backend_onednn.info(device);
  printf("%s, %s\n", info.driver, info.device);
  int result = harness_main(argc, argv, tests);
  wnn_backend_onednn.close(device);
  wnn_pool_free(host.pool);
  return result;
}
