/* Regions with random operands, for tests of kernels against the naive reference: ports in any
 * layout, fused nodes, and a plan run again and again in one piece of memory. */
#ifndef WEBNN_TESTS_SCENE_H
#define WEBNN_TESTS_SCENE_H

#include "harness.h"
#include "lower/region.h"

#include <math.h>
#include <stdlib.h>

extern const wnn_backend wnn_backend_onednn;
extern const wnn_kernel wnn_reference_region;

#define F32 WEBNN_DATA_TYPE_FLOAT32
#define F16 WEBNN_DATA_TYPE_FLOAT16
#define NCHW WEBNN_INPUT_OPERAND_LAYOUT_NCHW
#define NHWC WEBNN_INPUT_OPERAND_LAYOUT_NHWC

/* The device of all tests. */
static wnn_host host;
static wnn_device *device;

/* A region under construction, with the bytes of its ports. */
enum { MAX_PORTS = 14, MAX_ROW_POSTS = 5 };
typedef struct scene {
  wnn_node anchor, post_nodes[MAX_ROW_POSTS];
  union {
    wnn_alpha_attrs alpha;
    wnn_alpha_beta_attrs alpha_beta;
    wnn_clamp_attrs clamp;
  } post_attrs[MAX_ROW_POSTS];
  wnn_desc descs[MAX_PORTS];
  wnn_port inputs[MAX_PORTS], output;
  wnn_desc output_desc; /* where posts change the type of the result */
  void *bytes[MAX_PORTS];
  size_t n_bytes[MAX_PORTS];
  wnn_region region;
  double tolerance;
} scene;

static uint32_t seed;

/* In [-1, 1], a multiple of 1/64: exact in float16. */
static inline float number(void) {
  seed = seed * 1664525u + 1013904223u;
  return ((float)(seed >> 16) / 65536.0f - 0.5f) * 2.0f;
}

static inline float rounded_number(void) { return roundf(number() * 64) / 64; }

static inline wnn_layout layout_of(char kind, uint32_t rank) {
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
    case 'h':
      return (wnn_layout){.rank = 4, .order = {0, 2, 1, 3}, .block = 1}; /* heads of attention */
    case 'r': { /* the axes back to front */
      wnn_layout layout = wnn_layout_plain(rank);
      for (uint32_t i = 0; i < rank; i++) layout.order[i] = (uint8_t)(rank - 1 - i);
      return layout;
    }
    default: return wnn_layout_plain(rank);
  }
}

static inline void store(void *to, webnn_data_type type, size_t i, float x) {
  switch (type) {
    case WEBNN_DATA_TYPE_FLOAT16: ((uint16_t *)to)[i] = wnn_f16_from_f32(x); break;
    case WEBNN_DATA_TYPE_UINT8: ((uint8_t *)to)[i] = (uint8_t)(int)(x * 100 + 128); break;
    case WEBNN_DATA_TYPE_INT8: ((int8_t *)to)[i] = (int8_t)(x * 100); break;
    case WEBNN_DATA_TYPE_INT32: ((int32_t *)to)[i] = (int32_t)(x * 2147483000.0f); break;
    default: ((float *)to)[i] = x;
  }
}

static inline double load(const void *from, webnn_data_type type, size_t i) {
  switch (type) {
    case WEBNN_DATA_TYPE_FLOAT16: return (double)wnn_f16_to_f32(((const uint16_t *)from)[i]);
    case WEBNN_DATA_TYPE_UINT8: return ((const uint8_t *)from)[i];
    case WEBNN_DATA_TYPE_INT8: return ((const int8_t *)from)[i];
    case WEBNN_DATA_TYPE_INT32: return ((const int32_t *)from)[i];
    default: return (double)((const float *)from)[i];
  }
}

/* The next coordinates in row-major order; false behind the last. */
static inline bool step(const wnn_desc *desc, uint32_t coordinates[WNN_MAX_RANK]) {
  for (uint32_t i = desc->rank; i-- > 0;) {
    if (++coordinates[i] < desc->dims[i]) return true;
    coordinates[i] = 0;
  }
  return false;
}

/* Adds an input with random numbers; blocks are padded with zeros. Returns its port. */
static inline size_t add_port(scene *is, wnn_desc desc, char layout, bool constant) {
  const size_t i = is->region.n_inputs++;
  is->descs[i] = desc;
  is->inputs[i] = (wnn_port){.desc = &is->descs[i], .layout = layout_of(layout, desc.rank)};
  is->n_bytes[i] = wnn_layout_bytes(&is->inputs[i].layout, &desc);
  is->bytes[i] = wnn_alloc_zeroed(&host.alloc, is->n_bytes[i]);
  uint32_t at[WNN_MAX_RANK] = {0};
  do {
    store(is->bytes[i], desc.type, wnn_layout_offset(&is->inputs[i].layout, &desc, at),
          rounded_number());
  } while (step(&desc, at));
  if (constant) is->inputs[i].constant = is->bytes[i];
  return i;
}

static inline void add_absent(scene *is) { is->inputs[is->region.n_inputs++] = (wnn_port){0}; }

static inline void begin(scene *is, wnn_op_id op, const void *attrs) {
  *is = (scene){.tolerance = 1e-5};
  seed = 12345;
  is->anchor = (wnn_node){.op = wnn_op_get(op), .attrs = attrs, .n_outputs = 1};
  is->region.anchor = &is->anchor;
  is->region.inputs = is->inputs;
  is->region.outputs = &is->output;
  is->region.n_outputs = 1;
}

/* All operands of the anchor are there. */
static inline void set_result(scene *is, wnn_desc desc, char layout) {
  is->anchor.n_inputs = is->region.n_inputs;
  is->region.anchor_desc = desc;
  is->output = (wnn_port){.desc = &is->region.anchor_desc, .layout = layout_of(layout, desc.rank)};
}

/* One fused node of a row. */
typedef struct post_row {
  wnn_op_id op; /* the first of all ids, which is nothing to fuse: none, the end */
  char operand; /* 'f' of the result's shape, 'c' one a channel, 's' scalar, '=' the result itself,
                   0 none */
  bool swapped; /* the operand stands first */
  double alpha, beta;
} post_row;

#define POST(op) {op, 0, false, 0, 0}
#define POST_WITH(op, operand) {op, operand, false, 0, 0}
#define POST_BEHIND(op, operand) {op, operand, true, 0, 0}
#define NO_POST WNN_OP_ARG_MIN
#define NO_POSTS {POST(NO_POST)}

static inline void set_post_attrs(scene *is, size_t i, const post_row *row) {
  is->post_nodes[i].attrs = &is->post_attrs[i];
  if (row->op == WNN_OP_CLAMP)
    is->post_attrs[i].clamp = (wnn_clamp_attrs){wnn_number_f(row->alpha), wnn_number_f(row->beta)};
  else
    is->post_attrs[i].alpha_beta =
        (wnn_alpha_beta_attrs){wnn_number_f(row->alpha), wnn_number_f(row->beta)};
}

static inline void add_posts(scene *is, const post_row *rows, uint32_t channel_axis, char layout) {
  const wnn_desc *result = &is->region.anchor_desc;
  for (size_t i = 0; i < MAX_ROW_POSTS && rows[i].op != NO_POST; i++) {
    const post_row *row = &rows[i];
    wnn_post *post = &is->region.posts[i];
    is->post_nodes[i] =
        (wnn_node){.op = wnn_op_get(row->op), .n_inputs = row->operand ? 2 : 1, .n_outputs = 1};
    set_post_attrs(is, i, row);
    *post =
        (wnn_post){&is->post_nodes[i], {WNN_FROM_STAGE(i), WNN_FROM_NONE, WNN_FROM_NONE}, *result};
    is->region.n_posts = i + 1;
    if (row->operand == 0) continue;
    int16_t other = WNN_FROM_STAGE(i);
    if (row->operand == 'f') {
      other = (int16_t)add_port(is, *result, layout, false);
    } else if (row->operand == 's') {
      other = (int16_t)add_port(is, wnn_desc_scalar(result->type), 'p', true);
    } else if (row->operand == 'c') {
      wnn_desc desc = {result->type, result->rank - channel_axis, {0}};
      for (uint32_t k = 0; k < desc.rank; k++)
        desc.dims[k] = k == 0 ? result->dims[channel_axis] : 1;
      other = (int16_t)add_port(is, desc, 'p', true);
    }
    post->from[row->swapped ? 0 : 1] = other;
    post->from[row->swapped ? 1 : 0] = WNN_FROM_STAGE(i);
  }
}

static inline void end(scene *is) {
  for (size_t i = 0; i < is->region.n_inputs; i++)
    wnn_alloc_free(&host.alloc, is->bytes[i], is->n_bytes[i]);
}

/* Plans and runs twice in the same memory. `output` has room for the output's bytes. `shared`: the
 * input whose memory the output takes, as an arena would have it, or -1. */
static inline bool run_twice(scene *is, const wnn_kernel *kernel, char *output, int shared) {
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

static inline double allowed(const scene *is, double expected) {
  if (is->output.desc->type == WEBNN_DATA_TYPE_FLOAT16)
    return is->tolerance + fabs(expected) / 1024;
  if (webnn_data_type_bytes(is->output.desc->type) == 1) return is->tolerance; /* steps */
  return is->tolerance * (1 + fabs(expected));
}

/* The greatest error beyond what is allowed, over all elements; and padding of blocks must be zero.
 */
static inline void compare(const scene *is, const void *is_bytes, const void *expected_bytes) {
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
static inline void check_against_reference(scene *is, const wnn_kernel *kernel, int shared) {
  const size_t n = wnn_layout_bytes(&is->output.layout, is->output.desc);
  char *output = wnn_alloc_get(&host.alloc, n), *expected = wnn_alloc_get(&host.alloc, n);
  if (run_twice(is, &wnn_reference_region, expected, -1) && run_twice(is, kernel, output, shared))
    compare(is, output, expected);
  wnn_alloc_free(&host.alloc, output, n);
  wnn_alloc_free(&host.alloc, expected, n);
}

/* A descriptor from a row of a table. */
static inline wnn_desc desc_of(webnn_data_type type, uint32_t rank, const uint32_t *dims) {
  wnn_desc desc = {type, rank, {0}};
  memcpy(desc.dims, dims, rank * sizeof *dims);
  return desc;
}

static inline wnn_desc image_desc(webnn_data_type type, int layout, uint32_t n, uint32_t c,
                                  uint32_t h, uint32_t w) {
  if (layout == NHWC) return (wnn_desc){type, 4, {n, h, w, c}};
  return (wnn_desc){type, 4, {n, c, h, w}};
}

/* Opens the device and runs the tests on it. */
static inline int scene_main(int argc, char **argv, const harness_test *tests) {
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

#endif
