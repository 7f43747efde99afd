/* How fast our own CPU kernels are: each row is one region, run again and again by one thread and
 * by two, beside a copy of as many bytes. Prints the shortest time of a run and the bytes that it
 * reads and writes per second.
 *
 *   bench_kernels [TEXT]     rows whose name contains the text */
#include "kernels/table.h"
#include "kernels/vector.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define F32 WEBNN_DATA_TYPE_FLOAT32
#define F16 WEBNN_DATA_TYPE_FLOAT16
#define U8 WEBNN_DATA_TYPE_UINT8
#define I32 WEBNN_DATA_TYPE_INT32
#define I64 WEBNN_DATA_TYPE_INT64
#define NONE WNN_OP_REORDER /* no post */

enum { MAX_INPUTS = 6 };

/* Layouts: 'p' row-major, 'l' channels last. */
typedef struct row {
  const char *name;
  wnn_op_id op;
  webnn_data_type type;
  uint32_t rank, in[4], out[4];
  char lies[3];      /* input 0, output */
  uint32_t other[4]; /* of a second operand; rank as the first; all 0: none */
  uint32_t axis;     /* along which; pools: the window; casts: the type */
  /* slice: the start; pools: the stride; reductions: how many axes; resampling: linear */
  uint32_t from;
  wnn_op_id post; /* of the result and itself */
} row;

/* clang-format off */
static const row rows[] = {
    {"add", WNN_OP_ADD, F32, 1, {1 << 20}, {1 << 20}, "pp", {1 << 20}, 0, 0, NONE},
    {"add, small", WNN_OP_ADD, F32, 1, {16}, {16}, "pp", {16}, 0, 0, NONE},
    {"add, 4096", WNN_OP_ADD, F32, 1, {4096}, {4096}, "pp", {4096}, 0, 0, NONE},
    {"add, row", WNN_OP_ADD, F32, 2, {1024, 768}, {1024, 768}, "pp", {1, 768}, 0, 0, NONE},
    {"add, column", WNN_OP_ADD, F32, 2, {1024, 768}, {1024, 768}, "pp", {1024, 1}, 0, 0, NONE},
    {"add, float16", WNN_OP_ADD, F16, 1, {1 << 20}, {1 << 20}, "pp", {1 << 20}, 0, 0, NONE},
    {"add, int64", WNN_OP_ADD, I64, 1, {1 << 19}, {1 << 19}, "pp", {1 << 19}, 0, 0, NONE},
    {"scale channels, c 8", WNN_OP_MUL, F32, 4, {1, 8, 160, 160}, {1, 8, 160, 160}, "ll", {1,
     8, 1, 1}, 0, 0, NONE},
    {"scale channels, c 24", WNN_OP_MUL, F32, 4, {1, 24, 80, 80}, {1, 24, 80, 80}, "ll", {1,
     24, 1, 1}, 0, 0, NONE},
    {"scale channels, c 96", WNN_OP_MUL, F32, 4, {4, 96, 40, 40}, {4, 96, 40, 40}, "ll", {4,
     96, 1, 1}, 0, 0, NONE},
    {"scale channels, plain", WNN_OP_MUL, F32, 4, {4, 96, 40, 40}, {4, 96, 40, 40}, "pp", {4,
     96, 1, 1}, 0, 0, NONE},
    {"scale channels, 7x7", WNN_OP_MUL, F32, 4, {1, 960, 7, 7}, {1, 960, 7, 7}, "pp", {1,
     960, 1, 1}, 0, 0, NONE},
    {"relu", WNN_OP_RELU, F32, 1, {1 << 20}, {1 << 20}, "pp", {0}, 0, 0, NONE},
    {"sigmoid", WNN_OP_SIGMOID, F32, 1, {1 << 20}, {1 << 20}, "pp", {0}, 0, 0, NONE},
    {"silu", WNN_OP_SILU, F32, 1, {1 << 20}, {1 << 20}, "pp", {0}, 0, 0, NONE},
    {"sigmoid, mul", WNN_OP_SIGMOID, F32, 1, {1 << 20}, {1 << 20}, "pp", {0}, 0, 0, WNN_OP_MUL},
    {"tanh", WNN_OP_TANH, F32, 1, {1 << 20}, {1 << 20}, "pp", {0}, 0, 0, NONE},
    {"gelu", WNN_OP_GELU, F32, 1, {1 << 20}, {1 << 20}, "pp", {0}, 0, 0, NONE},
    {"gelu, tanh", WNN_OP_GELU_TANH, F32, 1, {1 << 20}, {1 << 20}, "pp", {0}, 0, 0, NONE},
    {"erf", WNN_OP_ERF, F32, 1, {1 << 20}, {1 << 20}, "pp", {0}, 0, 0, NONE},
    {"exp", WNN_OP_EXP, F32, 1, {1 << 20}, {1 << 20}, "pp", {0}, 0, 0, NONE},
    {"log", WNN_OP_LOG, F32, 1, {1 << 20}, {1 << 20}, "pp", {0}, 0, 0, NONE},
    {"sin", WNN_OP_SIN, F32, 1, {1 << 20}, {1 << 20}, "pp", {0}, 0, 0, NONE},
    {"pow", WNN_OP_POW, F32, 1, {1 << 20}, {1 << 20}, "pp", {1}, 0, 0, NONE},
    {"hardSwish", WNN_OP_HARD_SWISH, F32, 1, {1 << 20}, {1 << 20}, "pp", {0}, 0, 0, NONE},
    {"reorder to last, c 3", WNN_OP_REORDER, F32, 4, {1, 3, 416, 416}, {1, 3, 416, 416},
     "pl", {0}, 0, 0, NONE},
    {"reorder to last, c 16", WNN_OP_REORDER, F32, 4, {1, 16, 160, 160}, {1, 16, 160, 160},
     "pl", {0}, 0, 0, NONE},
    {"reorder to last, c 64", WNN_OP_REORDER, F32, 4, {1, 64, 80, 80}, {1, 64, 80, 80}, "pl",
     {0}, 0, 0, NONE},
    {"reorder to last, c 512", WNN_OP_REORDER, F32, 4, {1, 512, 20, 20}, {1, 512, 20, 20},
     "pl", {0}, 0, 0, NONE},
    {"reorder to last, 2^n", WNN_OP_REORDER, F32, 4, {1, 64, 128, 128}, {1, 64, 128, 128},
     "pl", {0}, 0, 0, NONE},
    {"reorder to plain, c 3", WNN_OP_REORDER, F32, 4, {1, 3, 416, 416}, {1, 3, 416, 416},
     "lp", {0}, 0, 0, NONE},
    {"reorder to plain, c 64", WNN_OP_REORDER, F32, 4, {1, 64, 80, 80}, {1, 64, 80, 80},
     "lp", {0}, 0, 0, NONE},
    {"reorder to plain, c 80", WNN_OP_REORDER, F32, 4, {1, 80, 40, 40}, {1, 80, 40, 40},
     "lp", {0}, 0, 0, NONE},
    {"reorder, float16", WNN_OP_REORDER, F16, 4, {1, 64, 80, 80}, {1, 64, 80, 80}, "pl", {0},
     0, 0, NONE},
    {"reorder, uint8", WNN_OP_REORDER, U8, 4, {1, 64, 80, 80}, {1, 64, 80, 80}, "pl", {0}, 0,
     0, NONE},
    {"slice channels, last", WNN_OP_SLICE, F32, 4, {1, 64, 80, 80}, {1, 32, 80, 80}, "ll",
     {0}, 1, 32, NONE},
    {"slice channels, last, c 16", WNN_OP_SLICE, F32, 4, {1, 16, 80, 80}, {1, 8, 80, 80},
     "ll", {0}, 1, 8, NONE},
    {"concat channels, last", WNN_OP_CONCAT, F32, 4, {1, 64, 80, 80}, {1, 96, 80, 80}, "ll",
     {1, 32, 80, 80}, 1, 0, NONE},
    {"concat channels, last, c 12", WNN_OP_CONCAT, F32, 4, {1, 12, 80, 80}, {1, 20, 80, 80},
     "ll", {1, 8, 80, 80}, 1, 0, NONE},
    {"pad", WNN_OP_PAD, F32, 4, {1, 64, 80, 80}, {1, 64, 82, 82}, "ll", {0}, 0, 1, NONE},
    {"nearest 2x, last", WNN_OP_RESAMPLE2D, F32, 4, {1, 128, 20, 20}, {1, 128, 40, 40}, "ll",
     {0}, 0, 0, NONE},
    {"nearest 2x, last, c 24", WNN_OP_RESAMPLE2D, F32, 4, {1, 24, 80, 80}, {1, 24, 160, 160},
     "ll", {0}, 0, 0, NONE},
    {"nearest 2x, plain", WNN_OP_RESAMPLE2D, F32, 4, {1, 24, 80, 80}, {1, 24, 160, 160},
     "pp", {0}, 0, 0, NONE},
    {"linear 2x, last", WNN_OP_RESAMPLE2D, F32, 4, {1, 24, 80, 80}, {1, 24, 160, 160}, "ll",
     {0}, 0, 1, NONE},
    {"linear 2x, plain", WNN_OP_RESAMPLE2D, F32, 4, {1, 24, 80, 80}, {1, 24, 160, 160}, "pp",
     {0}, 0, 1, NONE},
    {"max pool 5x5, last", WNN_OP_MAX_POOL2D, F32, 4, {1, 128, 20, 20}, {1, 128, 20, 20},
     "ll", {0}, 5, 1, NONE},
    {"max pool 3x3 / 2, last", WNN_OP_MAX_POOL2D, F32, 4, {1, 64, 112, 112}, {1, 64, 56, 56},
     "ll", {0}, 3, 2, NONE},
    {"max pool 2x2 / 2, plain", WNN_OP_MAX_POOL2D, F32, 4, {1, 64, 112, 112}, {1, 64, 56,
     56}, "pp", {0}, 2, 2, NONE},
    {"average pool 3x3, last", WNN_OP_AVERAGE_POOL2D, F32, 4, {1, 64, 56, 56}, {1, 64, 56,
     56}, "ll", {0}, 3, 1, NONE},
    {"mean of planes, last", WNN_OP_REDUCE_MEAN, F32, 4, {1, 1280, 7, 7}, {1, 1280, 1, 1},
     "ll", {0}, 2, 2, NONE},
    {"mean of planes, plain", WNN_OP_REDUCE_MEAN, F32, 4, {1, 96, 40, 40}, {1, 96, 1, 1},
     "pp", {0}, 2, 2, NONE},
    {"mean of rows", WNN_OP_REDUCE_MEAN, F32, 2, {1024, 768}, {1024, 1}, "pp", {0}, 1, 1, NONE},
    {"sum of short rows", WNN_OP_REDUCE_SUM, F32, 2, {65536, 9}, {65536, 1}, "pp", {0}, 1, 1, NONE},
    {"sum of columns", WNN_OP_REDUCE_SUM, F32, 2, {1024, 768}, {1, 768}, "pp", {0}, 0, 1, NONE},
    {"max of classes", WNN_OP_REDUCE_MAX, F32, 3, {1, 80, 8400}, {1, 1, 8400}, "pp", {0}, 1,
     1, NONE},
    {"argMax of rows", WNN_OP_ARG_MAX, F32, 2, {320, 6625}, {320, 1}, "pp", {0}, 1, 0, NONE},
    {"argMax of classes", WNN_OP_ARG_MAX, F32, 3, {1, 80, 8400}, {1, 1, 8400}, "pp", {0}, 1,
     0, NONE},
    {"softmax, rows of 16", WNN_OP_SOFTMAX, F32, 2, {33600, 16}, {33600, 16}, "pp", {0}, 1,
     0, NONE},
    {"softmax, rows of 40", WNN_OP_SOFTMAX, F32, 2, {8 * 640, 40}, {8 * 640, 40}, "pp", {0},
     1, 0, NONE},
    {"softmax, rows of 197", WNN_OP_SOFTMAX, F32, 2, {12 * 197, 197}, {12 * 197, 197}, "pp",
     {0}, 1, 0, NONE},
    {"softmax, rows of 6625", WNN_OP_SOFTMAX, F32, 2, {40, 6625}, {40, 6625}, "pp", {0}, 1,
     0, NONE},
    {"softmax, columns of 16", WNN_OP_SOFTMAX, F32, 3, {4, 16, 8400}, {4, 16, 8400}, "pp",
     {0}, 1, 0, NONE},
    {"layer norm, 120", WNN_OP_LAYER_NORMALIZATION, F32, 2, {4000, 120}, {4000, 120}, "pp",
     {120}, 1, 0, NONE},
    {"layer norm, 768", WNN_OP_LAYER_NORMALIZATION, F32, 2, {1024, 768}, {1024, 768}, "pp",
     {768}, 1, 0, NONE},
    {"layer norm, channels", WNN_OP_LAYER_NORMALIZATION, F32, 3, {2, 120, 4000}, {2, 120,
     4000}, "pp", {120}, 1, 0, NONE},
    {"instance norm, last", WNN_OP_INSTANCE_NORMALIZATION, F32, 4, {1, 32, 80, 80}, {1, 32,
     80, 80}, "ll", {32}, 0, 0, NONE},
    {"instance norm, plain", WNN_OP_INSTANCE_NORMALIZATION, F32, 4, {1, 32, 80, 80}, {1, 32,
     80, 80}, "pp", {32}, 0, 0, NONE},
    {"cumulativeSum, rows", WNN_OP_CUMULATIVE_SUM, F32, 2, {1024, 768}, {1024, 768}, "pp",
     {0}, 1, 0, NONE},
    {"gather rows", WNN_OP_GATHER, F32, 2, {30522, 384}, {512, 384}, "pp", {512}, 0, 0, NONE},
    {"gather numbers", WNN_OP_GATHER, F32, 1, {65536}, {65536}, "pp", {65536}, 0, 0, NONE},
    {"cast to float16", WNN_OP_CAST, F32, 1, {1 << 20}, {1 << 20}, "pp", {0}, F16, 0, NONE},
    {"cast uint8 to float32", WNN_OP_CAST, U8, 1, {1 << 20}, {1 << 20}, "pp", {0}, F32, 0, NONE},
    {"equal, int32", WNN_OP_EQUAL, I32, 1, {1 << 20}, {1 << 20}, "pp", {1 << 20}, 0, 0, NONE},
};
/* clang-format on */

/* ---- a row as a region */

typedef union any_attrs {
  wnn_axis_attrs axis;
  wnn_arg_attrs arg;
  wnn_cast_attrs cast;
  wnn_cumulative_sum_attrs scan;
  wnn_instance_normalization_attrs instance;
  wnn_layer_normalization_attrs layer;
  wnn_pad_attrs pad;
  wnn_pool2d_attrs pool;
  wnn_reduce_attrs reduce;
  wnn_resample2d_attrs resample;
  wnn_slice_attrs slice;
} any_attrs;

typedef struct stand {
  const row *row;
  any_attrs attrs;
  uint32_t lists[4][4];
  wnn_node anchor, post;
  wnn_desc descs[MAX_INPUTS + 1];
  wnn_port inputs[MAX_INPUTS], output;
  wnn_region region;
  void *bytes[MAX_INPUTS + 1];
  size_t moved; /* bytes read and written */
} stand;

static void set_attrs(stand *s) {
  const row *r = s->row;
  for (uint32_t i = 0; i < r->rank; i++)
    s->lists[0][i] = i == r->axis ? r->from : 0, s->lists[1][i] = r->out[i], s->lists[2][i] = 1;
  switch (r->op) {
    case WNN_OP_SLICE:
      s->attrs.slice = (wnn_slice_attrs){
          {s->lists[0], r->rank, true}, {s->lists[1], r->rank, true}, {s->lists[2], r->rank, true}};
      break;
    case WNN_OP_CAST: s->attrs.cast.data_type = (webnn_data_type)r->axis; break;
    case WNN_OP_ARG_MAX: s->attrs.arg = (wnn_arg_attrs){r->axis, true, I32}; break;
    case WNN_OP_CUMULATIVE_SUM: s->attrs.scan.axis = r->axis; break;
    case WNN_OP_INSTANCE_NORMALIZATION: s->attrs.instance.epsilon = wnn_number_f(1e-5); break;
    case WNN_OP_LAYER_NORMALIZATION:
      s->lists[0][0] = r->axis;
      s->attrs.layer = (wnn_layer_normalization_attrs){{s->lists[0], 1, true}, wnn_number_f(1e-5)};
      break;
    case WNN_OP_PAD:
      s->lists[0][2] = s->lists[0][3] = 1, s->lists[0][0] = 0;
      s->attrs.pad = (wnn_pad_attrs){{s->lists[0], 4, true},
                                     {s->lists[0], 4, true},
                                     WEBNN_PADDING_MODE_CONSTANT,
                                     wnn_number_f(0)};
      break;
    case WNN_OP_AVERAGE_POOL2D:
    case WNN_OP_MAX_POOL2D: {
      uint32_t around = r->axis > r->from ? r->axis / 2 : 0;
      for (int i = 0; i < 4; i++)
        s->lists[0][i] = r->axis, s->lists[1][i] = r->from, s->lists[3][i] = around;
      s->attrs.pool = (wnn_pool2d_attrs){.window_dimensions = {s->lists[0], 2, true},
                                         .padding = {s->lists[3], 4, true},
                                         .strides = {s->lists[1], 2, true},
                                         .dilations = {s->lists[2], 2, true}};
      break;
    }
    case WNN_OP_RESAMPLE2D:
      s->lists[0][0] = 2, s->lists[0][1] = 3;
      s->attrs.resample =
          (wnn_resample2d_attrs){.mode = r->from ? WEBNN_INTERPOLATION_MODE_LINEAR
                                                 : WEBNN_INTERPOLATION_MODE_NEAREST_NEIGHBOR,
                                 .sizes = {s->lists[1] + 2, 2, true},
                                 .axes = {s->lists[0], 2, true}};
      break;
    case WNN_OP_REDUCE_MAX:
    case WNN_OP_REDUCE_MEAN:
    case WNN_OP_REDUCE_SUM:
      for (uint32_t i = 0; i < r->from; i++) s->lists[0][i] = r->axis + i;
      s->attrs.reduce = (wnn_reduce_attrs){{s->lists[0], r->from, true}, true};
      break;
    default: s->attrs.axis.axis = r->axis; break;
  }
}

static wnn_layout layout_of(char lies, uint32_t rank) {
  return lies == 'l' ? wnn_layout_channels_last() : wnn_layout_plain(rank);
}

static void *numbers(const wnn_desc *desc) {
  static const wnn_alloc alloc;
  size_t n_bytes = wnn_desc_bytes(desc);
  void *bytes = wnn_alloc_zeroed(&alloc, n_bytes);
  for (size_t i = 0; i < wnn_desc_count(desc); i++) {
    float x = (float)(i * 2654435761u % 1009) / 256.0f - 2.0f;
    if (desc->type == F32) ((float *)bytes)[i] = x;
    if (desc->type == F16) ((uint16_t *)bytes)[i] = wnn_f16_from_f32(x);
    if (desc->type == I32) ((int32_t *)bytes)[i] = (int32_t)(i * 2654435761u % 30011);
  }
  return bytes;
}

static void add_input(stand *s, webnn_data_type type, uint32_t rank, const uint32_t *dims,
                      char lies) {
  size_t p = s->region.n_inputs++;
  s->descs[p] = (wnn_desc){.type = type, .rank = rank};
  memcpy(s->descs[p].dims, dims, rank * sizeof *dims);
  s->inputs[p] = (wnn_port){.desc = &s->descs[p], .layout = layout_of(lies, rank)};
  s->bytes[p] = numbers(&s->descs[p]);
  if (s->row->op != WNN_OP_GATHER || p != 0) s->moved += wnn_desc_bytes(&s->descs[p]);
}

static webnn_data_type result_type(const row *r) {
  if (r->op == WNN_OP_CAST) return (webnn_data_type)r->axis;
  return r->op == WNN_OP_EQUAL ? U8 : r->op == WNN_OP_ARG_MAX ? I32 : r->type;
}

static void set_up(stand *s, const row *r) {
  *s = (stand){.row = r};
  s->anchor = (wnn_node){.op = wnn_op_get(r->op), .attrs = &s->attrs, .n_outputs = 1};
  set_attrs(s);
  s->region = (wnn_region){
      .anchor = &s->anchor, .inputs = s->inputs, .outputs = &s->output, .n_outputs = 1};
  add_input(s, r->type, r->rank, r->in, r->lies[0]);
  bool is_param = r->op == WNN_OP_LAYER_NORMALIZATION || r->op == WNN_OP_INSTANCE_NORMALIZATION,
       is_index = r->op == WNN_OP_GATHER;
  for (int i = 0; i < (is_param ? 2 : r->other[0] != 0); i++)
    add_input(s, is_index ? I32 : r->type, is_param || is_index ? 1 : r->rank, r->other,
              r->other[1] > 1 ? r->lies[0] : 'p');
  s->anchor.n_inputs = s->region.n_inputs;
  s->region.anchor_desc = (wnn_desc){.type = result_type(r), .rank = r->rank};
  memcpy(s->region.anchor_desc.dims, r->out, r->rank * sizeof *r->out);
  s->output = (wnn_port){.desc = &s->region.anchor_desc, .layout = layout_of(r->lies[1], r->rank)};
  s->bytes[MAX_INPUTS] = numbers(&s->region.anchor_desc);
  s->moved += wnn_desc_bytes(&s->region.anchor_desc);
  if (r->op == WNN_OP_GATHER) s->moved += wnn_desc_bytes(&s->region.anchor_desc);
  if (r->op == WNN_OP_SLICE) s->moved = 2 * wnn_desc_bytes(&s->region.anchor_desc);
  if (r->post == NONE) return;
  s->post = (wnn_node){.op = wnn_op_get(r->post), .n_inputs = 2, .n_outputs = 1};
  s->region.posts[0] =
      (wnn_post){&s->post, {0, WNN_FROM_STAGE(0), WNN_FROM_NONE}, s->region.anchor_desc};
  s->region.n_posts = 1;
}

/* ---- time */

static struct {
  const wnn_host *host;
} device;

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

typedef struct work {
  const wnn_plan *plan;
  wnn_run run;
  void *from, *to;
  size_t n_bytes;
} work;

static void do_once(const work *w) {
  if (w->plan != NULL)
    w->plan->kernel->run(w->plan, &w->run);
  else
    memcpy(w->to, w->from, w->n_bytes);
}

/* Seconds of one run, in the fastest of many short rounds: what else the machine does only makes it
 * slower. */
static double time_of(const work *w) {
  enum { ROUNDS = 200, ROUND_NS = 200000 };
  uint64_t best = UINT64_MAX;
  size_t n = 1;
  for (;; n *= 2) {
    uint64_t start = now_ns();
    for (size_t i = 0; i < n; i++) do_once(w);
    if (now_ns() - start > ROUND_NS) break;
  }
  for (int k = 0; k < ROUNDS; k++) {
    uint64_t start = now_ns();
    for (size_t i = 0; i < n; i++) do_once(w);
    uint64_t took = now_ns() - start;
    if (took < best) best = took;
  }
  return (double)best / (double)n / 1e9;
}

static double time_with(stand *s, uint32_t n_threads, const char **kernel) {
  wnn_host host = {0};
  work w = {0};
  void *inputs[MAX_INPUTS], *outputs[1] = {s->bytes[MAX_INPUTS]};
  host.pool = wnn_pool_create(&host.alloc, n_threads);
  device.host = &host;
  wnn_pool_enter(host.pool);
  wnn_plan *plan = NULL;
  for (const wnn_kernel *const *k = wnn_own_kernels(s->row->op); *k != NULL && plan == NULL; k++) {
    *kernel = (*k)->name;
    if ((*k)->plan((wnn_device *)&device, &s->region, &plan) == WEBNN_OK) plan->kernel = *k;
  }
  if (plan == NULL) return 0;
  void *scratch = wnn_alloc_get(&host.alloc, plan->scratch_bytes);
  memcpy(inputs, s->bytes, sizeof inputs);
  w.plan = plan;
  w.run = (wnn_run){inputs, outputs, scratch};
  double seconds = time_of(&w);
  wnn_alloc_free(&host.alloc, scratch, plan->scratch_bytes);
  plan->kernel->free(plan);
  wnn_pool_free(host.pool);
  return seconds;
}

/* A copy that moves as many bytes: half of them read, half written. */
static double time_of_copy(size_t moved) {
  const wnn_alloc alloc = {0};
  work w = {.n_bytes = moved / 2};
  w.from = wnn_alloc_zeroed(&alloc, w.n_bytes + 1);
  w.to = wnn_alloc_zeroed(&alloc, w.n_bytes + 1);
  double seconds = time_of(&w);
  wnn_alloc_free(&alloc, w.from, w.n_bytes + 1);
  wnn_alloc_free(&alloc, w.to, w.n_bytes + 1);
  return seconds;
}

static void measure(const row *r) {
  const wnn_alloc alloc = {0};
  stand s;
  const char *kernel = "none";
  set_up(&s, r);
  double one = time_with(&s, 1, &kernel), two = time_with(&s, 2, &kernel),
         copy = time_of_copy(s.moved);
  double bytes = (double)s.moved;
  printf("%-28s %-12s %10.2f %8.2f %8.2f %8.2f %8.2f\n", r->name, kernel, one * 1e6,
         bytes / one / 1e9, bytes / two / 1e9, bytes / copy / 1e9, copy / one);
  fflush(stdout);
  for (size_t p = 0; p < s.region.n_inputs; p++)
    wnn_alloc_free(&alloc, s.bytes[p], wnn_desc_bytes(&s.descs[p]));
  wnn_alloc_free(&alloc, s.bytes[MAX_INPUTS], wnn_desc_bytes(&s.region.anchor_desc));
}

int main(int argc, char **argv) {
  printf("%-28s %-12s %10s %8s %8s %8s %8s\n", "", "kernel", "us", "GB/s", "2 thr.", "memcpy",
         "ratio");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (argc < 2 || strstr(rows[i].name, argv[1]) != NULL) measure(&rows[i]);
  return 0;
}
