/* Our own kernels that work along axes, against the reference: reductions, places of extremes,
 * running sums, softmax, normalisations; any axes, any layouts, every type. */
#include "kernel_scene.h"

#define F32 WEBNN_DATA_TYPE_FLOAT32
#define F16 WEBNN_DATA_TYPE_FLOAT16

/* A shape: mostly small, now and then one axis long, now and then of size 1. */
static wnn_desc random_desc(webnn_data_type type, uint32_t least_rank, uint32_t most_rank) {
  wnn_desc desc = {.type = type, .rank = least_rank + scene_below(most_rank - least_rank + 1)};
  uint32_t most = desc.rank > 5 ? 4 : desc.rank > 3 ? 7 : 24;
  for (uint32_t i = 0; i < desc.rank; i++) desc.dims[i] = 1 + scene_below(most);
  if (desc.rank != 0 && scene_chance(2))
    desc.dims[scene_below(desc.rank)] = 1 + scene_below(scene_chance(3) ? 900 : 70);
  return desc;
}

static wnn_layout random_layout(uint32_t rank) {
  return scene_chance(3) ? wnn_layout_plain(rank) : scene_random_layout(rank);
}

static bool allows(const webnn_op *op, webnn_data_type type) {
  return wnn_field_types(op, &op->signature->fields[0]).allowed >> type & 1;
}

/* ---- reductions */

typedef struct reduce_row {
  wnn_op_id op;
  double ulp, scale; /* sums of numbers that cancel are off by places of what was added */
  scene_data data;
} reduce_row;

static const reduce_row reduce_rows[] = {
    {WNN_OP_REDUCE_L1, 8, 0, SCENE_TAME},          {WNN_OP_REDUCE_L2, 8, 0, SCENE_TAME},
    {WNN_OP_REDUCE_LOG_SUM, 0, 0, SCENE_TAME}, /* of positive numbers, see below */
    {WNN_OP_REDUCE_LOG_SUM_EXP, 8, 1, SCENE_TAME}, {WNN_OP_REDUCE_MAX, 0, 0, SCENE_EDGES},
    {WNN_OP_REDUCE_MEAN, 8, 1, SCENE_TAME},        {WNN_OP_REDUCE_MIN, 0, 0, SCENE_EDGES},
    {WNN_OP_REDUCE_PRODUCT, 60, 0, SCENE_TAME},    {WNN_OP_REDUCE_SUM, 8, 4, SCENE_TAME},
    {WNN_OP_REDUCE_SUM_SQUARE, 8, 0, SCENE_TAME},
};
#define N_REDUCTIONS (sizeof reduce_rows / sizeof *reduce_rows)

/* A random choice of axes in random order. */
static size_t random_axes(uint32_t rank, uint32_t *axes) {
  wnn_layout order = scene_random_layout(rank);
  size_t n = scene_below(rank + 1);
  for (size_t i = 0; i < n; i++) axes[i] = order.order[i];
  return n;
}

static wnn_desc reduced(const wnn_desc *in, const uint32_t *axes, size_t n_axes, bool keep) {
  wnn_desc out = {.type = in->type};
  for (uint32_t axis = 0; axis < in->rank; axis++) {
    bool along = false;
    for (size_t k = 0; k < n_axes; k++) along = along || axes[k] == axis;
    if (!along || keep) out.dims[out.rank++] = along ? 1 : in->dims[axis];
  }
  return out;
}

static void check_reduction(const reduce_row *row, wnn_desc in, const uint32_t *axes, size_t n_axes,
                            scene_data data) {
  const wnn_reduce_attrs attrs = {{axes, n_axes, true}, scene_chance(2)};
  wnn_desc out = reduced(&in, axes, n_axes, attrs.keep_dimensions);
  wnn_layout layout = random_layout(in.rank);
  bool follows = attrs.keep_dimensions && scene_chance(2);
  scene s;
  scene_begin(&s, row->op, &attrs);
  s.ulp = row->ulp, s.scale = row->scale;
  if (row->op == WNN_OP_REDUCE_SUM && in.type == F32)
    s.scale = 64 + (double)wnn_desc_count(&in) / 64;
  scene_input(&s, in, layout, data);
  if (row->op == WNN_OP_REDUCE_LOG_SUM) {
    s.ulp = 8, s.scale = 1;
    for (size_t i = 0; i < wnn_desc_count(&in); i++)
      wnn_ref_store_f(s.inputs[0].bytes, in.type, i, 0.5 + scene_below(64) / 64.0);
  }
  if (in.type == F16 && s.ulp > 2) s.ulp = 2;
  scene_output(&s, out, follows ? layout : random_layout(out.rank));
  CONTEXT("%s of %s along %zu axes", s.anchor.op->name, wnn_desc_format(&in).text, n_axes);
  scene_check(&s, &wnn_reduce_kernel);
  scene_end(&s);
}

TEST(reductions_along_any_axes) {
  uint32_t axes[WNN_MAX_RANK];
  scene_seed(21);
  for (size_t r = 0; r < N_REDUCTIONS; r++)
    for (webnn_data_type type = 0; type < WNN_N_DATA_TYPES; type++) {
      if (!allows(wnn_op_get(reduce_rows[r].op), type)) continue;
      for (int k = 0; k < 24; k++) {
        wnn_desc in = random_desc(type, 0, k < 20 ? 5 : 8);
        size_t n_axes = random_axes(in.rank, axes);
        check_reduction(&reduce_rows[r], in, axes, n_axes, reduce_rows[r].data);
      }
    }
}

TEST(reductions_of_special_numbers) {
  static const uint32_t axes[2] = {0, 1};
  static const uint32_t dims[4][2] = {{37, 70}, {200, 4}, {4, 200}, {3, 700}};
  scene_seed(22);
  for (size_t r = 0; r < N_REDUCTIONS; r++)
    for (int k = 0; k < 8; k++) {
      if (reduce_rows[r].op == WNN_OP_REDUCE_LOG_SUM || reduce_rows[r].op == WNN_OP_REDUCE_PRODUCT)
        continue;
      check_reduction(&reduce_rows[r], scene_desc(k == 5 || k == 7 ? F16 : F32, 2, dims[k / 2]),
                      axes + k % 2, 1, SCENE_EDGES);
    }
}

TEST(large_reductions_in_parts) {
  static const struct {
    uint32_t rank, dims[4], n_axes, axes[4];
  } rows[] = {{1, {100000}, 1, {0}},
              {2, {3, 40000}, 1, {1}},
              {2, {40000, 3}, 1, {0}},
              {2, {2, 50000}, 1, {0}},
              {2, {5000, 16}, 1, {1}},
              {4, {1, 64, 28, 28}, 2, {2, 3}},
              {4, {2, 28, 28, 64}, 2, {1, 2}},
              {4, {2, 13, 70, 40}, 2, {1, 3}},
              {3, {3, 1500, 21}, 1, {1}},
              {3, {2, 700, 64}, 1, {1}},
              {4, {2, 13, 70, 40}, 4, {3, 1, 2, 0}}};
  static const webnn_data_type types[] = {F32, F16, WEBNN_DATA_TYPE_INT32};
  static const wnn_op_id ops[] = {WNN_OP_REDUCE_SUM, WNN_OP_REDUCE_MAX, WNN_OP_REDUCE_LOG_SUM_EXP};
  scene_seed(23);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (size_t t = 0; t < 3; t++)
      for (size_t k = 0; k < 3; k++)
        for (size_t r = 0; r < N_REDUCTIONS; r++)
          if (reduce_rows[r].op == ops[k] && allows(wnn_op_get(ops[k]), types[t]))
            check_reduction(&reduce_rows[r], scene_desc(types[t], rows[i].rank, rows[i].dims),
                            rows[i].axes, rows[i].n_axes, reduce_rows[r].data);
}

/* ---- places of extremes, running sums */

TEST(arg_finds_the_first) {
  scene_seed(24);
  for (webnn_data_type type = 0; type < WNN_N_DATA_TYPES; type++)
    for (int k = 0; k < 60; k++) {
      wnn_desc in = random_desc(type, 1, 5);
      uint32_t axis = scene_below(in.rank);
      if (k % 10 == 9) in = (wnn_desc){type, 2, {30, 3000}}, axis = k % 20 == 9;
      wnn_arg_attrs attrs = {axis, scene_chance(2),
                             scene_chance(2) ? WEBNN_DATA_TYPE_INT32 : WEBNN_DATA_TYPE_INT64};
      wnn_desc out = reduced(&in, &axis, 1, attrs.keep_dimensions);
      out.type = attrs.output_data_type;
      scene s;
      scene_begin(&s, scene_chance(2) ? WNN_OP_ARG_MIN : WNN_OP_ARG_MAX, &attrs);
      scene_input(&s, in, random_layout(in.rank), scene_chance(2) ? SCENE_TAME : SCENE_EDGES);
      scene_output(&s, out, random_layout(out.rank));
      CONTEXT("%s of %s along %u", s.anchor.op->name, wnn_desc_format(&in).text, axis);
      scene_check(&s, &wnn_arg_kernel);
      scene_end(&s);
    }
}

static void put_number(void *bytes, webnn_data_type type, size_t i, double x) {
  if (wnn_type_is_float(type))
    wnn_ref_store_f(bytes, type, i, x);
  else
    wnn_ref_store_bits(bytes, type, i, (uint64_t)(int64_t)x);
}

/* Few lanes so long that parts share them: the best is there twice, far apart, behind something
 * that is nearly as good. */
TEST(arg_joins_what_parts_have_found) {
  static const wnn_desc shapes[] = {
      {F32, 2, {1, 60013}}, {F32, 2, {30011, 3}}, {F32, 1, {50021}}, {F32, 3, {1, 700, 65}}};
  scene_seed(28);
  for (webnn_data_type type = 0; type < WNN_N_DATA_TYPES; type++)
    for (int k = 0; k < 16; k++) {
      wnn_desc in = shapes[k % 4];
      const uint32_t axis = k % 4 == 1 || k % 4 == 2 ? 0 : 1, n = in.dims[axis];
      const size_t inner = axis + 1 < in.rank ? in.dims[axis + 1] : 1, lanes = k % 4 == 1   ? 3
                                                                               : k % 4 == 3 ? 65
                                                                                            : 1;
      const bool is_min = k / 4 % 2, is_nan = k / 8 && wnn_type_is_float(type);
      in.type = type;
      wnn_arg_attrs attrs = {axis, true,
                             scene_chance(2) ? WEBNN_DATA_TYPE_INT32 : WEBNN_DATA_TYPE_INT64};
      wnn_desc out = reduced(&in, &axis, 1, true);
      out.type = attrs.output_data_type;
      scene s;
      scene_begin(&s, is_min ? WNN_OP_ARG_MIN : WNN_OP_ARG_MAX, &attrs);
      scene_plain(&s, in, SCENE_TAME);
      for (size_t lane = 0; lane < lanes; lane++) {
        const double good = is_min ? 0 : 100, best = is_min ? 0 : 101;
        const size_t far = scene_below(n);
        for (size_t i = 0; i < n && is_min; i++)
          put_number(s.inputs[0].bytes, type, i * inner + lane, 7);
        put_number(s.inputs[0].bytes, type, scene_below(n) * inner + lane, is_min ? 1 : good);
        put_number(s.inputs[0].bytes, type, far * inner + lane, is_nan ? (double)NAN : best);
        put_number(s.inputs[0].bytes, type, (far + scene_below((uint32_t)(n - far))) * inner + lane,
                   is_nan ? (double)NAN : best);
      }
      scene_output(&s, out, wnn_layout_plain(out.rank));
      CONTEXT("%s of %s along %u", s.anchor.op->name, wnn_desc_format(&in).text, axis);
      scene_check(&s, &wnn_arg_kernel);
      scene_end(&s);
    }
}

TEST(running_sums_both_ways) {
  scene_seed(25);
  for (webnn_data_type type = 0; type < WNN_N_DATA_TYPES; type++)
    for (int k = 0; k < 40 && allows(wnn_op_get(WNN_OP_CUMULATIVE_SUM), type); k++) {
      wnn_desc in = random_desc(type, 1, 5);
      wnn_cumulative_sum_attrs attrs = {scene_below(in.rank), k & 1, k & 2};
      if (k % 10 == 9) in = (wnn_desc){type, 2, {40, 900}}, attrs.axis = k % 20 == 9;
      if (k % 10 == 4) in = (wnn_desc){type, 2, {3, 5000}}, attrs.axis = k % 20 == 4;
      wnn_layout layout = random_layout(in.rank);
      scene s;
      scene_begin(&s, WNN_OP_CUMULATIVE_SUM, &attrs);
      s.ulp = type == F16 ? 1 : 40, s.scale = type == F16 ? 0.01 : 16;
      scene_input(&s, in, layout, k % 5 == 4 ? SCENE_EDGES : SCENE_TAME);
      scene_output(&s, in, layout);
      CONTEXT("%s along %u", wnn_desc_format(&in).text, attrs.axis);
      scene_check(&s, &wnn_scan_kernel);
      scene_end(&s);
    }
}

/* ---- softmax, normalisations */

TEST(softmax_along_any_axis) {
  static const wnn_desc large[] = {{F32, 2, {70, 300}},      {F32, 4, {1, 16, 4, 500}},
                                   {F32, 3, {3, 700, 9}},    {F32, 2, {9000, 3}},
                                   {F32, 4, {2, 4, 60, 60}}, {F32, 2, {2, 20000}},
                                   {F32, 2, {20000, 2}}};
  scene_seed(26);
  for (int k = 0; k < 120; k++) {
    wnn_desc in = k < 28 ? large[k % 7] : random_desc(F32, 1, 6);
    in.type = k & 1 ? F16 : F32;
    wnn_axis_attrs attrs = {scene_below(in.rank)};
    wnn_layout layout = k < 14 ? wnn_layout_plain(in.rank) : random_layout(in.rank);
    scene s;
    scene_begin(&s, WNN_OP_SOFTMAX, &attrs);
    s.ulp = in.type == F16
                ? 1
                : 10; /* the difference to the maximum is rounded before the exponential */
    scene_input(&s, in, layout, k % 5 == 4 ? SCENE_EDGES : SCENE_TAME);
    scene_output(&s, in, layout);
    CONTEXT("%s along %u", wnn_desc_format(&in).text, attrs.axis);
    scene_check(&s, &wnn_softmax_kernel);
    scene_end(&s);
  }
}

/* Adds a scale or bias, or none. */
static void add_param(scene *s, wnn_desc desc, bool given, bool positive) {
  if (!given) {
    scene_absent(s);
    return;
  }
  size_t p = scene_input(
      s, desc, scene_chance(4) ? scene_random_layout(desc.rank) : wnn_layout_plain(desc.rank),
      SCENE_TAME);
  for (size_t i = 0; positive && i < wnn_desc_count(&desc); i++)
    wnn_ref_store_f(s->inputs[p].bytes, desc.type, i, 0.25 + scene_below(128) / 64.0);
}

TEST(layer_normalization_over_any_axes) {
  uint32_t axes[WNN_MAX_RANK];
  scene_seed(27);
  for (int k = 0; k < 200; k++) {
    wnn_desc in = random_desc(k & 1 ? F16 : F32, 0, 5);
    if (k % 10 == 9) in = (wnn_desc){in.type, 4, {2, 12, 30, 40}};
    wnn_layer_normalization_attrs attrs = {{axes, random_axes(in.rank, axes), true},
                                           wnn_number_f(1e-3)};
    if (k % 4 == 0 && in.rank != 0) axes[0] = in.rank - 1, attrs.axes.n = 1;
    wnn_layout layout = random_layout(in.rank);
    wnn_desc param = {.type = in.type};
    for (size_t i = 0; i < attrs.axes.n; i++) param.dims[param.rank++] = in.dims[axes[i]];
    scene s;
    scene_begin(&s, WNN_OP_LAYER_NORMALIZATION, &attrs);
    s.ulp = in.type == F16 ? 2 : 60, s.scale = 4;
    scene_input(&s, in, layout, SCENE_TAME);
    add_param(&s, param, scene_chance(2), false);
    add_param(&s, param, scene_chance(2), false);
    scene_output(&s, in, scene_chance(5) ? random_layout(in.rank) : layout);
    CONTEXT("%s over %zu axes", wnn_desc_format(&in).text, attrs.axes.n);
    scene_check(&s, &wnn_norm_kernel);
    scene_end(&s);
  }
}

TEST(instance_normalization_in_any_layout) {
  static const wnn_desc shapes[] = {{F32, 4, {1, 8, 50, 51}}, {F32, 4, {2, 3, 1, 1}},
                                    {F32, 4, {3, 1, 5, 6}},   {F32, 4, {2, 2, 2, 2}},
                                    {F32, 4, {1, 600, 3, 3}}, {F32, 4, {2, 40, 17, 1}}};
  scene_seed(28);
  for (int k = 0; k < 160; k++) {
    bool nhwc = scene_chance(2);
    wnn_desc in = shapes[k % 6];
    if (scene_chance(2))
      in = (wnn_desc){
          F32,
          4,
          {1 + scene_below(3), 1 + scene_below(40), 1 + scene_below(9), 1 + scene_below(40)}};
    in.type = k & 1 ? F16 : F32;
    wnn_instance_normalization_attrs attrs = {
        wnn_number_f(1e-3),
        nhwc ? WEBNN_INPUT_OPERAND_LAYOUT_NHWC : WEBNN_INPUT_OPERAND_LAYOUT_NCHW};
    wnn_desc param = {in.type, 1, {in.dims[nhwc ? 3 : 1]}};
    wnn_layout layout = k % 3 == 0   ? wnn_layout_plain(4)
                        : k % 3 == 1 ? wnn_layout_channels_last()
                                     : scene_random_layout(4);
    scene s;
    scene_begin(&s, WNN_OP_INSTANCE_NORMALIZATION, &attrs);
    s.ulp = in.type == F16 ? 2 : 60, s.scale = 4;
    scene_input(&s, in, layout, SCENE_TAME);
    add_param(&s, param, scene_chance(2), false);
    add_param(&s, param, scene_chance(2), false);
    scene_output(&s, in, layout);
    CONTEXT("%s, %s, order %u%u%u%u", wnn_desc_format(&in).text, nhwc ? "nhwc" : "nchw",
            layout.order[0], layout.order[1], layout.order[2], layout.order[3]);
    scene_check(&s, &wnn_norm_kernel);
    scene_end(&s);
  }
}

TEST(batch_normalization_along_any_axis) {
  scene_seed(29);
  for (int k = 0; k < 120; k++) {
    wnn_desc in = random_desc(k & 1 ? F16 : F32, 1, 5);
    if (k % 10 == 9) in = (wnn_desc){in.type, 4, {2, 24, 50, 30}};
    wnn_batch_normalization_attrs attrs = {scene_below(in.rank), wnn_number_f(1e-3)};
    wnn_desc param = {in.type, 1, {in.dims[attrs.axis]}};
    wnn_layout layout = random_layout(in.rank);
    scene s;
    scene_begin(&s, WNN_OP_BATCH_NORMALIZATION, &attrs);
    s.ulp = in.type == F16 ? 2 : 20, s.scale = 4;
    scene_input(&s, in, layout, SCENE_TAME);
    add_param(&s, param, true, false);
    add_param(&s, param, true, true);
    add_param(&s, param, scene_chance(2), false);
    add_param(&s, param, scene_chance(2), false);
    scene_output(&s, in, layout);
    CONTEXT("%s along %u", wnn_desc_format(&in).text, attrs.axis);
    scene_check(&s, &wnn_batch_kernel);
    scene_end(&s);
  }
}

int main(int argc, char **argv) {
  return harness_main(argc, argv,
                      (harness_test[]){RUN(reductions_along_any_axes),
                                       RUN(reductions_of_special_numbers),
                                       RUN(large_reductions_in_parts),
                                       RUN(arg_finds_the_first),
                                       RUN(arg_joins_what_parts_have_found),
                                       RUN(running_sums_both_ways),
                                       RUN(softmax_along_any_axis),
                                       RUN(layer_normalization_over_any_axes),
                                       RUN(instance_normalization_in_any_layout),
                                       RUN(batch_normalization_along_any_axis),
                                       {NULL, NULL}});
}
