/* Lowering: layouts as arithmetic, and programs whose steps want odd layouts, which must still compute the same,
 * with no more reorders than the rows say. */
#include "graph/builder.h"
#include "harness.h"
#include "lower/executable.h"
#include "lower/program.h"
#include "maker.h"

/* ---- layouts */

TEST(offsets_are_what_the_words_say) {
  const wnn_desc desc = {.type = F32, .rank = 4, .dims = {2, 5, 3, 4}};
  wnn_layout plain = wnn_layout_plain(4), last = wnn_layout_channels_last(), blocked = wnn_layout_blocked(4);
  const uint32_t at[4] = {1, 4, 2, 3};
  CHECK(wnn_layout_offset(&plain, &desc, at) == ((1 * 5 + 4) * 3 + 2) * 4 + 3);
  CHECK(wnn_layout_offset(&last, &desc, at) == ((1 * 3 + 2) * 4 + 3) * 5 + 4);
  /* n, c/4, h, w, 4: channel 4 is the first of block 1, of two. */
  CHECK(wnn_layout_offset(&blocked, &desc, at) == ((((1 * 2 + 1) * 3 + 2) * 4 + 3) * 4) + 0);
  CHECK(wnn_layout_bytes(&plain, &desc) == 2 * 5 * 3 * 4 * 4);
  CHECK(wnn_layout_bytes(&last, &desc) == 2 * 5 * 3 * 4 * 4);
  CHECK(wnn_layout_bytes(&blocked, &desc) == 2 * 8 * 3 * 4 * 4);
}

TEST(axes_of_one_element_may_stand_anywhere) {
  wnn_layout plain = wnn_layout_plain(4), last = wnn_layout_channels_last(), blocked = wnn_layout_blocked(8);
  const wnn_desc pixel = {.type = F32, .rank = 4, .dims = {3, 7, 1, 1}};
  const wnn_desc grey = {.type = F32, .rank = 4, .dims = {3, 1, 5, 5}};
  const wnn_desc image = {.type = F32, .rank = 4, .dims = {1, 2, 5, 5}};
  CHECK(wnn_layout_same_bytes(&plain, &last, &pixel));
  CHECK(wnn_layout_same_bytes(&plain, &last, &grey));
  CHECK(!wnn_layout_same_bytes(&plain, &last, &image));
  CHECK(!wnn_layout_same_bytes(&plain, &blocked, &pixel)); /* blocks are padded */
  CHECK(wnn_layout_is_plain(&last, &pixel));
  CHECK(!wnn_layout_is_plain(&last, &image));
}

/* ---- programs */

#define MAX_VALUES 4096

/* The reference's kernels under other wishes: relu anchors want channels-last, softplus ones blocks of 4, all else is
 * as element-wise kernels are, and sums may be fused behind anything. */
static wnn_layout_answer odd_layout(wnn_device *device, const wnn_region *region) {
  (void)device;
  wnn_op_id id = region->anchor->op->id;
  bool image = region->anchor_desc.rank == 4;
  if (id == WNN_OP_RELU && image)
    return (wnn_layout_answer){WNN_LAYOUT_WANT, wnn_layout_channels_last(), wnn_layout_channels_last()};
  if (id == WNN_OP_SOFTPLUS && image)
    return (wnn_layout_answer){WNN_LAYOUT_WANT, wnn_layout_blocked(4), wnn_layout_blocked(4)};
  if (id == WNN_OP_REVERSE || id == WNN_OP_SPLIT) return (wnn_layout_answer){.rule = WNN_LAYOUT_FOLLOW};
  if (id == WNN_OP_SOFTMAX) return (wnn_layout_answer){.rule = WNN_LAYOUT_PLAIN};
  if (id == WNN_OP_REDUCE_SUM) return (wnn_layout_answer){.rule = WNN_LAYOUT_READ};
  return (wnn_layout_answer){.rule = WNN_LAYOUT_SAME};
}

static bool odd_fuse(wnn_device *device, const wnn_region *region, const wnn_post *next) {
  (void)device, (void)region;
  return next->node->op->id == WNN_OP_ADD || next->node->op->id == WNN_OP_TANH;
}

extern const wnn_kernel wnn_reference_region;
static const wnn_kernel *const *odd_kernels(wnn_device *device, wnn_op_id op) {
  static const wnn_kernel *const list[] = {&wnn_reference_region, NULL};
  (void)device, (void)op;
  return list;
}

UNARY_CALL(relu)
UNARY_CALL(softplus)
UNARY_CALL(tanh)
UNARY_CALL(neg)
UNARY_CALL(identity)
UNARY_CALL(reverse)
UNARY_CALL(reduce_sum)
BINARY_CALL(add)
BINARY_CALL(mul)

static webnn_operand *reshape_of(maker *m, webnn_operand *x, size_t rank, const uint32_t *shape) {
  webnn_operand *out = NULL;
  m->failed |= webnn_reshape(m->builder, x, shape, rank, NULL, &out) != WEBNN_OK;
  return out;
}
static webnn_operand *transpose_of(maker *m, webnn_operand *x, size_t rank, const uint32_t *axes) {
  webnn_transpose_options options = WEBNN_TRANSPOSE_OPTIONS_INIT;
  webnn_operand *out = NULL;
  options.permutation = axes;
  options.n_permutation = rank;
  m->failed |= webnn_transpose(m->builder, x, &options, &out) != WEBNN_OK;
  return out;
}

static webnn_operand *image(maker *m) { return input(m, "x", SHAPE(2, 6, 3, 4)); }

static webnn_operand *alone(maker *m) { return relu_of(m, image(m)); }
static webnn_operand *two_in_a_row(maker *m) { return relu_of(m, neg_of(m, relu_of(m, image(m)))); }
static webnn_operand *layouts_that_differ(maker *m) { return softplus_of(m, relu_of(m, image(m))); }
static webnn_operand *a_residual(maker *m) {
  webnn_operand *x = image(m), *y = relu_of(m, x);
  return tanh_of(m, add_of(m, relu_of(m, neg_of(m, y)), y));
}
static webnn_operand *a_blocked_residual(maker *m) {
  webnn_operand *y = softplus_of(m, image(m));
  return add_of(m, softplus_of(m, neg_of(m, y)), y);
}
/* [n, c, h, w] lies as n, h, w, c: the transpose to it moves nothing. */
static webnn_operand *a_transpose_that_is_there(maker *m) {
  return neg_of(m, transpose_of(m, relu_of(m, image(m)), SHAPE(0, 2, 3, 1)));
}
static webnn_operand *a_transpose_that_is_not(maker *m) {
  return neg_of(m, transpose_of(m, relu_of(m, image(m)), SHAPE(1, 0, 2, 3)));
}
static webnn_operand *a_reshape_within_the_layout(maker *m) { /* h and w lie together */
  return neg_of(m, reshape_of(m, relu_of(m, image(m)), SHAPE(2, 6, 12)));
}
static webnn_operand *a_reshape_across_the_layout(maker *m) {
  return neg_of(m, reshape_of(m, relu_of(m, image(m)), SHAPE(2, 3, 2, 12)));
}
static webnn_operand *a_reshape_with_ones(maker *m) {
  return neg_of(m, reshape_of(m, relu_of(m, image(m)), SHAPE(1, 2, 6, 1, 12, 1)));
}
static webnn_operand *a_view_as_output(maker *m) { return reshape_of(m, image(m), SHAPE(144)); }
static webnn_operand *a_view_of_a_result(maker *m) { return reshape_of(m, neg_of(m, image(m)), SHAPE(144)); }
static webnn_operand *a_turned_result(maker *m) {
  return transpose_of(m, relu_of(m, image(m)), SHAPE(0, 2, 3, 1));
}
static webnn_operand *an_input_as_output(maker *m) { return identity_of(m, image(m)); }
static webnn_operand *a_follower(maker *m) { return reverse_of(m, relu_of(m, image(m))); }
static webnn_operand *turned_numbers(maker *m) {
  float data[144];
  webnn_operand *out = NULL;
  const webnn_descriptor desc = {F32, 4, (const uint32_t[]){2, 6, 3, 4}};
  for (size_t i = 0; i < 144; i++) data[i] = 0.25f * (float)(i % 29);
  m->failed |= webnn_builder_constant(m->builder, &desc, data, sizeof data, &out) != WEBNN_OK;
  return transpose_of(m, out, SHAPE(0, 2, 3, 1));
}
static webnn_operand *a_reshape_of_a_turned_constant(maker *m) {
  return add_of(m, image(m), reshape_of(m, turned_numbers(m), SHAPE(2, 6, 3, 4)));
}
static webnn_operand *a_turned_constant(maker *m) {
  return softplus_of(m, add_of(m, input(m, "x", SHAPE(2, 3, 4, 6)), turned_numbers(m)));
}
static webnn_operand *a_reader(maker *m) { return reduce_sum_of(m, relu_of(m, image(m))); }

static webnn_operand *slice_of(maker *m, webnn_operand *x, size_t rank, const uint32_t *starts, const uint32_t *sizes,
                               const uint32_t *strides) {
  webnn_slice_options options = WEBNN_SLICE_OPTIONS_INIT;
  webnn_operand *out = NULL;
  options.strides = strides;
  options.n_strides = strides ? rank : 0;
  m->failed |= webnn_slice(m->builder, x, starts, rank, sizes, rank, &options, &out) != WEBNN_OK;
  return out;
}
static webnn_operand *joined(maker *m, uint32_t axis, size_t n, webnn_operand *const *parts) {
  webnn_operand *out = NULL;
  m->failed |= webnn_concat(m->builder, (const webnn_operand *const *)parts, n, axis, NULL, &out) != WEBNN_OK;
  return out;
}
#define JOINED(m, axis, ...) \
  joined(m, axis, sizeof((webnn_operand *[]){__VA_ARGS__}) / sizeof(webnn_operand *), (webnn_operand *[]){__VA_ARGS__})
static webnn_operand *halves(maker *m, webnn_operand *x, uint32_t axis, webnn_operand **second) {
  webnn_split_options options = WEBNN_SPLIT_OPTIONS_INIT;
  webnn_operand *outs[2] = {NULL, NULL};
  size_t n_outs = 2;
  options.axis = axis;
  const uint32_t half = webnn_operand_descriptor(x).shape[axis] / 2;
  m->failed |= webnn_split(m->builder, x, (uint32_t[]){half, half}, 2, &options, outs, &n_outs) != WEBNN_OK;
  *second = outs[1];
  return outs[0];
}
static webnn_operand *a_slice_of_rows(maker *m) {
  return neg_of(m, slice_of(m, tanh_of(m, input(m, "x", SHAPE(5, 4))), 2, (uint32_t[]){1, 0}, (uint32_t[]){3, 4}, NULL));
}
static webnn_operand *a_slice_of_columns(maker *m) {
  return neg_of(m, slice_of(m, tanh_of(m, input(m, "x", SHAPE(5, 4))), 2, (uint32_t[]){0, 1}, (uint32_t[]){5, 2}, NULL));
}
static webnn_operand *a_slice_of_one_row(maker *m) { /* one row, and of it some */
  return neg_of(m, slice_of(m, tanh_of(m, input(m, "x", SHAPE(5, 4))), 2, (uint32_t[]){3, 1}, (uint32_t[]){1, 2}, NULL));
}
static webnn_operand *a_slice_with_steps(maker *m) {
  return neg_of(m, slice_of(m, tanh_of(m, input(m, "x", SHAPE(5, 4))), 2, (uint32_t[]){0, 0}, (uint32_t[]){5, 4},
                            (uint32_t[]){2, 1}));
}
static webnn_operand *a_slice_of_a_slice(maker *m) {
  webnn_operand *rows = slice_of(m, input(m, "x", SHAPE(5, 4)), 2, (uint32_t[]){1, 0}, (uint32_t[]){4, 4}, NULL);
  return slice_of(m, rows, 2, (uint32_t[]){2, 0}, (uint32_t[]){1, 4}, NULL);
}
static webnn_operand *a_slice_of_a_constant(maker *m) {
  webnn_operand *part = slice_of(m, turned_numbers(m), 4, (uint32_t[]){1, 0, 0, 0}, (uint32_t[]){1, 3, 4, 6}, NULL);
  return mul_of(m, input(m, "x", SHAPE(1, 3, 4, 6)), part);
}
static webnn_operand *a_slice_across_the_layout(maker *m) { /* rows of a channels-last image */
  webnn_operand *y = relu_of(m, input(m, "x", SHAPE(1, 6, 4, 3)));
  return relu_of(m, slice_of(m, y, 4, (uint32_t[]){0, 0, 1, 0}, (uint32_t[]){1, 6, 2, 3}, NULL));
}
static webnn_operand *a_split_of_rows(maker *m) {
  webnn_operand *b = NULL, *a = halves(m, tanh_of(m, input(m, "x", SHAPE(4, 3))), 0, &b);
  return add_of(m, neg_of(m, a), neg_of(m, b));
}
static webnn_operand *a_piece_that_is_overwritten(maker *m) { /* in place, while its neighbour still lives */
  webnn_operand *b = NULL, *a = halves(m, neg_of(m, input(m, "x", SHAPE(4, 3))), 0, &b);
  return softplus_of(m, JOINED(m, 1, neg_of(m, neg_of(m, a)), b));
}
static webnn_operand *two_joined(maker *m) {
  webnn_operand *x = input(m, "x", SHAPE(2, 3));
  return softplus_of(m, JOINED(m, 0, neg_of(m, x), reverse_of(m, x)));
}
static webnn_operand *two_joined_as_output(maker *m) {
  webnn_operand *x = input(m, "x", SHAPE(2, 3));
  return JOINED(m, 0, neg_of(m, x), reverse_of(m, x));
}
static webnn_operand *one_joined_twice(maker *m) {
  webnn_operand *y = neg_of(m, input(m, "x", SHAPE(2, 3)));
  return JOINED(m, 0, y, y);
}
static webnn_operand *an_input_joined(maker *m) {
  webnn_operand *x = input(m, "x", SHAPE(2, 3));
  return JOINED(m, 0, x, neg_of(m, x), reverse_of(m, x));
}
static webnn_operand *columns_joined(maker *m) {
  webnn_operand *x = input(m, "x", SHAPE(2, 3));
  return JOINED(m, 1, neg_of(m, x), reverse_of(m, x));
}
static webnn_operand *joined_joins(maker *m) {
  webnn_operand *x = input(m, "x", SHAPE(1, 3)), *y = neg_of(m, x);
  webnn_operand *inner = JOINED(m, 0, y, reverse_of(m, y));
  return reverse_of(m, JOINED(m, 0, inner, reverse_of(m, inner), softplus_of(m, y)));
}
static webnn_operand *a_part_with_other_readers(maker *m) {
  webnn_operand *y = neg_of(m, input(m, "x", SHAPE(2, 3)));
  webnn_operand *both = JOINED(m, 0, y, reverse_of(m, y));
  webnn_operand *b = NULL, *a = halves(m, softplus_of(m, both), 0, &b);
  return add_of(m, add_of(m, softplus_of(m, y), a), b);
}

/* `n_steps` with layouts and fusion, without either. */
#define ROW(graph, n_odd, n_plain) {#graph, graph, n_odd, n_plain}
static const struct {
  const char *name;
  webnn_operand *(*make)(maker *);
  size_t n_odd, n_plain;
} rows[] = {
    ROW(alone, 3, 1),                       /* there, relu, back */
    ROW(two_in_a_row, 5, 3),                /* the sign changes where it lies */
    ROW(layouts_that_differ, 5, 2),         /* into channels-last, relu, into blocks, softplus, out */
    ROW(a_residual, 5, 5),                  /* one way in, one out; the sum and its tanh are fused */
    ROW(a_blocked_residual, 5, 4),
    ROW(a_transpose_that_is_there, 3, 3),   /* in, relu, neg; plainly: relu, reorder, neg */
    ROW(a_transpose_that_is_not, 4, 3),
    ROW(a_reshape_within_the_layout, 4, 2), /* in, relu, neg, out */
    ROW(a_reshape_across_the_layout, 4, 2), /* in, relu, out, neg */
    ROW(a_reshape_with_ones, 4, 2),
    ROW(a_view_as_output, 1, 1),
    ROW(a_view_of_a_result, 1, 1),          /* written where it belongs */
    ROW(a_turned_result, 2, 2),             /* in, relu; relu, turned */
    ROW(an_input_as_output, 1, 1),
    ROW(a_follower, 4, 2),
    ROW(a_reader, 3, 2),
    ROW(a_reshape_of_a_turned_constant, 2, 2), /* turned back, added */
    ROW(a_turned_constant, 5, 3),
    ROW(a_slice_of_rows, 2, 3),
    ROW(a_slice_of_columns, 3, 3),
    ROW(a_slice_of_one_row, 2, 3),
    ROW(a_slice_with_steps, 3, 3),
    ROW(a_slice_of_a_slice, 1, 2),
    ROW(a_slice_of_a_constant, 2, 3),
    ROW(a_slice_across_the_layout, 4, 3),
    ROW(a_split_of_rows, 3, 5),            /* its sum is fused */
    ROW(a_piece_that_is_overwritten, 5, 6),
    ROW(two_joined, 3, 4),
    ROW(two_joined_as_output, 2, 3),
    ROW(one_joined_twice, 2, 2),
    ROW(an_input_joined, 3, 3),
    ROW(columns_joined, 3, 3),
    ROW(joined_joins, 5, 7),
    ROW(a_part_with_other_readers, 4, 8),  /* so are these two */
};

typedef const wnn_kernel *const *(*kernels_fn)(wnn_device *, wnn_op_id);

/* A graph and what became of it. */
typedef struct lowered {
  webnn_context *context;
  maker maker;
  wnn_host host;
  struct {
    const wnn_host *host;
  } device;
  wnn_executable *exe;
  size_t n_out;
} lowered;

static bool lower(lowered *l, webnn_operand *(*make)(maker *), const char *passes, kernels_fn kernels) {
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  wnn_graph graph;
  *l = (lowered){.host = {.passes = passes}};
  l->device.host = &l->host;
  options.backend = "reference";
  if (!CHECK_STATUS(webnn_context_create(&options, &l->context, NULL), WEBNN_OK) ||
      !CHECK_STATUS(webnn_builder_create(l->context, &l->maker.builder, NULL), WEBNN_OK))
    return false;
  webnn_named_operand y = {WEBNN_STR("y"), make(&l->maker)};
  if (!CHECK(!l->maker.failed) ||
      !CHECK_STATUS(wnn_builder_freeze(l->maker.builder, &y, 1, &graph), WEBNN_OK))
    return false;
  const wnn_lowering lowering = {(wnn_device *)(void *)&l->device, &l->host, kernels, odd_fuse, odd_layout, NULL};
  l->n_out = wnn_desc_count(&graph.outputs[0].value->desc);
  bool held = CHECK_STATUS(wnn_lower(&lowering, &graph, &l->exe, NULL), WEBNN_OK);
  wnn_graph_reset(&graph);
  return held;
}

static void end(lowered *l) {
  wnn_executable_free(l->exe);
  webnn_builder_release(l->maker.builder);
  webnn_context_release(l->context);
}

static bool run_lowered(webnn_operand *(*make)(maker *), const char *passes, float *out, size_t *n_out,
                        size_t *n_steps) {
  static float in[MAX_VALUES];
  lowered l;
  for (size_t i = 0; i < MAX_VALUES; i++) in[i] = 0.5f * (float)((i * 7) % 13) - 3.0f;
  bool held = lower(&l, make, passes, odd_kernels);
  *n_out = l.n_out;
  if (held) {
    wnn_buffer x = {in, sizeof in, NULL}, to = {out, *n_out * sizeof *out, NULL};
    const wnn_buffer *inputs[1] = {&x}, *outputs[1] = {&to};
    for (*n_steps = 0; wnn_executable_step(l.exe, *n_steps) != NULL;) ++*n_steps;
    for (int run = 0; run < 2; run++) /* twice in one arena */
      held = CHECK_STATUS(wnn_executable_run(l.exe, inputs, outputs, NULL), WEBNN_OK) && held;
  }
  end(&l);
  return held;
}

TEST(odd_layouts_compute_the_same) {
  static float odd[MAX_VALUES], plain[MAX_VALUES];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    size_t n = 0, n_plain = 0, n_odd_steps = 0, n_plain_steps = 0;
    CONTEXT("%s", rows[i].name);
    if (!run_lowered(rows[i].make, NULL, odd, &n, &n_odd_steps)) continue;
    if (!run_lowered(rows[i].make, "-layout,-fuse,-views", plain, &n_plain, &n_plain_steps)) continue;
    CHECK(n == n_plain);
    CHECK(memcmp(odd, plain, n * sizeof *odd) == 0);
    if (!CHECK(n_odd_steps == rows[i].n_odd) || !CHECK(n_plain_steps == rows[i].n_plain))
      printf("    steps: %zu with layouts, %zu without\n", n_odd_steps, n_plain_steps);
  }
  CONTEXT("%s", "");
}

/* ---- what is told of steps */

/* Takes one plain float32 operand and nothing behind it; the reference does the work. */
static webnn_status plan_picky(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_port *in = &region->inputs[0], *to = &region->outputs[0];
  if (region->n_posts != 0 || in->desc->type != F32 || to->desc->type != F32 || in->desc->rank > 4)
    return WEBNN_ERROR_NOT_SUPPORTED;
  if (!wnn_port_is_plain(in) || !wnn_port_is_plain(to)) return WEBNN_ERROR_NOT_SUPPORTED;
  return wnn_reference_region.plan(device, region, out);
}

static const wnn_kernel *const *picky_kernels(wnn_device *device, wnn_op_id op) {
  static wnn_kernel picky;
  static const wnn_kernel *const list[] = {&picky, &wnn_reference_region, NULL};
  picky = wnn_reference_region;
  picky.name = "picky";
  picky.plan = plan_picky;
  return op == WNN_OP_RELU || op == WNN_OP_TANH ? list : odd_kernels(device, op);
}

static webnn_operand *half_input(maker *m) {
  webnn_operand *out = NULL;
  const webnn_descriptor desc = {WEBNN_DATA_TYPE_FLOAT16, 2, (const uint32_t[]){2, 3}};
  m->failed |= webnn_builder_input(m->builder, WEBNN_STR("x"), &desc, &out) != WEBNN_OK;
  return out;
}

static webnn_operand *a_plain_tanh(maker *m) { return tanh_of(m, image(m)); }
static webnn_operand *a_half_tanh(maker *m) { return tanh_of(m, half_input(m)); }
static webnn_operand *a_tanh_of_five_axes(maker *m) { return tanh_of(m, input(m, "x", SHAPE(1, 2, 1, 2, 3))); }
static webnn_operand *a_tanh_and_a_sum(maker *m) {
  webnn_operand *x = image(m);
  return add_of(m, tanh_of(m, x), x);
}
static webnn_operand *a_turned_relu(maker *m) { return relu_of(m, image(m)); }
static webnn_operand *a_softplus(maker *m) { return softplus_of(m, input(m, "x", SHAPE(2, 3))); }

TEST(steps_tell_how_they_run) {
  static const struct {
    webnn_operand *(*make)(maker *);
    size_t step;
    const char *kernel, *layout, *declined, *reason;
  } told[] = {
      {a_plain_tanh, 0, "picky", "plain", "", ""},
      {a_half_tanh, 0, "reference", "plain", "picky", "the faster kernels don't take its data type"},
      {a_tanh_of_five_axes, 0, "reference", "plain", "picky", "the faster kernels don't take its shapes or options"},
      {a_tanh_and_a_sum, 0, "reference", "plain", "picky", "the faster kernels don't take what is fused behind it"},
      {a_turned_relu, 1, "reference", "0231", "picky", "the faster kernels don't take its layouts"},
      {a_softplus, 0, "reference", "plain", "", "there is no faster kernel for it"},
  };
  for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
    lowered l;
    CONTEXT("row %zu", i);
    if (lower(&l, told[i].make, NULL, picky_kernels)) {
      const wnn_step_info *info = wnn_executable_step(l.exe, told[i].step);
      CHECK_STR(info->kernel, told[i].kernel);
      CHECK_STR(info->layout, told[i].layout);
      CHECK_STR(info->declined, told[i].declined);
      CHECK_STR(info->reason, told[i].reason);
      CHECK(info->n_threads == 1);
    }
    end(&l);
  }
  CONTEXT("%s", "");
}

/* ---- memory */

/* Steps in a chain with branches: whoever lives at the same time must not share a byte. */
TEST(lives_that_overlap_share_no_memory) {
  enum { N = 40 };
  wnn_alloc system = {NULL, NULL};
  wnn_arena arena;
  wnn_arena_init(&arena, &system);
  wnn_program program = {.arena = &arena};
  wnn_cell cells[N];
  wnn_cell *outputs[N][1], *inputs[N][2];
  wnn_step steps[N];
  uint32_t random = 12345;
  for (size_t i = 0; i < N; i++) {
    random = random * 1664525u + 1013904223u;
    cells[i] = (wnn_cell){.root = &cells[i], .n_bytes = 1 + (random >> 16) % 5000};
    outputs[i][0] = &cells[i];
    inputs[i][0] = i > 0 ? &cells[i - 1] : NULL;
    inputs[i][1] = i > 3 ? &cells[i - 1 - (random >> 8) % 3] : NULL;
    steps[i] = (wnn_step){.region = {.n_inputs = 2, .n_outputs = 1}, .inputs = inputs[i], .outputs = outputs[i]};
    CHECK_STATUS(wnn_program_add_step(&program, &steps[i]), WEBNN_OK);
  }
  CHECK_STATUS(wnn_program_find_lives(&program), WEBNN_OK);
  CHECK_STATUS(wnn_program_place(&program), WEBNN_OK);
  size_t total = 0;
  for (size_t i = 0; i < N; i++) {
    total += cells[i].n_bytes;
    CHECK(cells[i].offset % 64 == 0);
    CHECK(cells[i].offset + cells[i].n_bytes <= program.arena_bytes);
    for (size_t k = 0; k < i; k++) {
      bool together = cells[k].first <= cells[i].last && cells[i].first <= cells[k].last;
      bool apart = cells[k].offset + cells[k].n_bytes <= cells[i].offset ||
                   cells[i].offset + cells[i].n_bytes <= cells[k].offset;
      CHECK(!together || apart);
    }
  }
  CHECK(program.arena_bytes < total / 2);
  wnn_arena_reset(&arena);
}

int main(int argc, char **argv) {
  return harness_main(argc, argv,
                      (harness_test[]){RUN(offsets_are_what_the_words_say),
                                       RUN(axes_of_one_element_may_stand_anywhere),
                                       RUN(odd_layouts_compute_the_same),
                                       RUN(steps_tell_how_they_run),
                                       RUN(lives_that_overlap_share_no_memory), {NULL, NULL}});
}
