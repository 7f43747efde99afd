/* Our own kernels that move elements or look at their neighbours, against the reference: movement,
 * padding, gathers, scatters, pools, resampling; any layouts, every type. */
#include "kernel_scene.h"

#define F32 WEBNN_DATA_TYPE_FLOAT32
#define F16 WEBNN_DATA_TYPE_FLOAT16
#define I32 WEBNN_DATA_TYPE_INT32
#define I64 WEBNN_DATA_TYPE_INT64
#define U32 WEBNN_DATA_TYPE_UINT32

static wnn_desc random_desc(webnn_data_type type, uint32_t least_rank, uint32_t most_rank) {
  wnn_desc desc = {.type = type, .rank = least_rank + scene_below(most_rank - least_rank + 1)};
  uint32_t most = desc.rank > 5 ? 4 : desc.rank > 3 ? 9 : 40;
  for (uint32_t i = 0; i < desc.rank; i++)
    desc.dims[i] = scene_chance(4) ? 1 : 1 + scene_below(most);
  return desc;
}

static webnn_data_type random_type(void) { return (webnn_data_type)scene_below(WNN_N_DATA_TYPES); }
static wnn_layout random_layout(uint32_t rank) {
  return scene_chance(3) ? wnn_layout_plain(rank) : scene_random_layout(rank);
}

/* The outputs lie like the input, mostly. */
static wnn_layout follow(const scene *s, uint32_t rank) {
  return s->inputs[0].layout.rank == rank && !scene_chance(4) ? s->inputs[0].layout
                                                              : random_layout(rank);
}

static bool allows(wnn_op_id id, webnn_data_type type) {
  const webnn_op *op = wnn_op_get(id);
  return wnn_field_types(op, &op->signature->fields[0]).allowed >> type & 1;
}

/* Runs the finished scene and throws it away. */
static void check(scene *s, const wnn_kernel *kernel) {
  s->signed_zero = true;
  CONTEXT("%s of %s", s->anchor.op->name, wnn_desc_format(&s->inputs[0].desc).text);
  scene_check(s, kernel);
  scene_end(s);
}

/* ---- movement */

TEST(reorders_between_any_layouts) {
  static const wnn_desc large[] = {{F32, 4, {1, 64, 30, 31}}, {F32, 4, {2, 3, 50, 70}},
                                   {F32, 2, {130, 257}},      {F32, 3, {4, 100, 64}},
                                   {F32, 4, {2, 8, 64, 64}},  {F32, 2, {3, 30000}},
                                   {F32, 2, {640, 192}},      {F32, 3, {2, 530, 300}}};
  scene_seed(41);
  for (int k = 0; k < 250; k++) {
    wnn_desc desc = k < 64 ? large[k % 8] : random_desc(F32, 0, 8);
    desc.type = random_type();
    scene s;
    scene_begin(&s, WNN_OP_REORDER, NULL);
    scene_input(&s, desc, random_layout(desc.rank), SCENE_BITS);
    scene_output(&s, desc, random_layout(desc.rank));
    check(&s, &wnn_movement_kernel);
  }
}

TEST(slices_with_strides) {
  scene_seed(42);
  for (int k = 0; k < 200; k++) {
    wnn_desc in = random_desc(random_type(), 0, 6);
    if (k % 10 == 9) in = (wnn_desc){in.type, 2, {3, 20001}};
    const bool thinned = k % 5 == 4; /* in registers */
    if (k % 10 == 4) in = (wnn_desc){in.type, 2, {4, 300 + scene_below(500)}};
    wnn_desc out = in;
    uint32_t starts[WNN_MAX_RANK], sizes[WNN_MAX_RANK], strides[WNN_MAX_RANK];
    for (uint32_t i = 0; i < in.rank; i++) {
      starts[i] = scene_below(in.dims[i]);
      sizes[i] = 1 + scene_below(in.dims[i] - starts[i]);
      strides[i] = scene_chance(2) ? 1 : 1 + scene_below(sizes[i] + 1);
      if (scene_chance(8)) strides[i] = 2147483647u;
      if (thinned) strides[i] = 1 + scene_below(9);
      out.dims[i] = (sizes[i] - 1) / strides[i] + 1;
    }
    wnn_slice_attrs attrs = {
        {starts, in.rank, true}, {sizes, in.rank, true}, {strides, in.rank, true}};
    scene s;
    scene_begin(&s, WNN_OP_SLICE, &attrs);
    scene_input(&s, in, random_layout(in.rank), SCENE_BITS);
    scene_output(&s, out, follow(&s, out.rank));
    check(&s, &wnn_movement_kernel);
  }
}

TEST(concat_and_split) {
  scene_seed(43);
  for (int k = 0; k < 150; k++) {
    wnn_desc whole = random_desc(random_type(), 1, 6), piece;
    uint32_t axis = scene_below(whole.rank), sizes[SCENE_OUTPUTS],
             n = 1 + scene_below(SCENE_OUTPUTS);
    if (k % 10 == 0) whole = (wnn_desc){F32, 4, {1, 64, 20, 20}}, axis = 1;
    if (k % 10 == 5) whole = (wnn_desc){whole.type, 2, {9000, 1}}, axis = 1, n = 2;
    wnn_layout layout = k % 10 == 0 ? wnn_layout_channels_last() : random_layout(whole.rank);
    piece = whole;
    whole.dims[axis] = 0;
    for (uint32_t i = 0; i < n; i++)
      whole.dims[axis] += sizes[i] = 1 + scene_below(k % 10 == 0 ? 90 : k % 10 == 5 ? 1 : 6);
    wnn_axis_attrs concat = {axis};
    wnn_split_attrs split = {.splits = {sizes, n, true}, .axis = axis};
    bool joins = scene_chance(2);
    scene s;
    scene_begin(&s, joins ? WNN_OP_CONCAT : WNN_OP_SPLIT, joins ? (const void *)&concat : &split);
    if (!joins) scene_input(&s, whole, layout, SCENE_BITS);
    for (uint32_t i = 0; i < n; i++) {
      piece.dims[axis] = sizes[i];
      if (joins)
        scene_input(&s, piece, scene_chance(4) ? random_layout(piece.rank) : layout, SCENE_BITS);
      else
        scene_output(&s, piece, scene_chance(4) ? random_layout(piece.rank) : layout);
    }
    if (joins) scene_output(&s, whole, layout);
    check(&s, &wnn_movement_kernel);
  }
}

TEST(expands_and_tiles) {
  scene_seed(44);
  for (int k = 0; k < 150; k++) {
    wnn_desc in = random_desc(random_type(), 0, 5);
    if (k % 10 == 9) in = (wnn_desc){in.type, 2, {900, k % 20 == 9 ? 3 : 1}};
    wnn_desc out = in;
    uint32_t times[WNN_MAX_RANK];
    bool tiles = scene_chance(2);
    for (uint32_t i = 0; i < in.rank; i++) {
      times[i] = 1 + scene_below(3);
      if (tiles)
        out.dims[i] *= times[i];
      else if (in.dims[i] == 1 && scene_chance(2))
        out.dims[i] = 1 + scene_below(scene_chance(4) ? 9000 / (1 + in.dims[0]) + 30 : 30);
    }
    for (; !tiles && out.rank < 6 && scene_chance(3); out.rank++) { /* axes in front */
      memmove(out.dims + 1, out.dims, out.rank * sizeof *out.dims);
      out.dims[0] = 1 + scene_below(4);
    }
    wnn_shape_attrs attrs = {{tiles ? times : out.dims, tiles ? in.rank : out.rank, true}};
    scene s;
    scene_begin(&s, tiles ? WNN_OP_TILE : WNN_OP_EXPAND, &attrs);
    scene_input(&s, in, random_layout(in.rank), SCENE_BITS);
    scene_output(&s, out, follow(&s, out.rank));
    check(&s, &wnn_movement_kernel);
  }
}

TEST(reverses_any_axes) {
  scene_seed(45);
  for (int k = 0; k < 100; k++) {
    wnn_desc in = random_desc(random_type(), 0, 6);
    if (k % 10 == 9) in = (wnn_desc){in.type, 2, {3, 9001}};
    wnn_layout order = scene_random_layout(in.rank);
    uint32_t axes[WNN_MAX_RANK], n = scene_below(in.rank + 1);
    for (uint32_t i = 0; i < n; i++) axes[i] = order.order[i];
    wnn_axes_attrs attrs = {{axes, n, true}};
    scene s;
    scene_begin(&s, WNN_OP_REVERSE, &attrs);
    scene_input(&s, in, random_layout(in.rank), SCENE_BITS);
    scene_output(&s, in, follow(&s, in.rank));
    check(&s, &wnn_movement_kernel);
  }
}

TEST(pads_in_every_mode) {
  scene_seed(46);
  for (int k = 0; k < 240; k++) {
    webnn_padding_mode mode = (webnn_padding_mode)(k % 4);
    wnn_desc in = random_desc(random_type(), 0, k % 3 == 0 ? 3 : 6), out = in;
    if (k % 20 < 4) in = out = (wnn_desc){F32, 4, {1, 24, 40, 40}};
    if (!allows(WNN_OP_PAD, in.type)) in.type = out.type = F16;
    uint32_t before[WNN_MAX_RANK], behind[WNN_MAX_RANK];
    for (uint32_t i = 0; i < in.rank; i++) {
      uint32_t most = mode == WEBNN_PADDING_MODE_REFLECTION  ? in.dims[i] - 1
                      : mode == WEBNN_PADDING_MODE_SYMMETRIC ? in.dims[i]
                                                             : 5;
      before[i] = scene_chance(2) ? 0 : scene_below((most < 9 ? most : 9) + 1);
      behind[i] = scene_chance(2) ? 0 : scene_below((most < 9 ? most : 9) + 1);
      out.dims[i] += before[i] + behind[i];
    }
    wnn_pad_attrs attrs = {{before, in.rank, true},
                           {behind, in.rank, true},
                           mode,
                           wnn_cast_number(wnn_number_f(-3), in.type)};
    scene s;
    scene_begin(&s, WNN_OP_PAD, &attrs);
    scene_input(&s, in, random_layout(in.rank), SCENE_BITS);
    scene_output(&s, out, follow(&s, in.rank));
    check(&s, &wnn_pad_kernel);
  }
}

TEST(keeps_a_triangle) {
  scene_seed(47);
  for (int k = 0; k < 120; k++) {
    wnn_desc in = random_desc(allows(WNN_OP_TRIANGULAR, random_type()) ? F32 : I64, 2, 5);
    static const int32_t far[] = {INT32_MIN, INT32_MAX, 0};
    if (k % 10 == 0) in = (wnn_desc){F32, 2, {150, 170}};
    wnn_triangular_attrs attrs = {scene_chance(2),
                                  k % 7 == 0 ? far[k % 3] : (int32_t)scene_below(20) - 10};
    scene s;
    scene_begin(&s, WNN_OP_TRIANGULAR, &attrs);
    scene_plain(&s, in, SCENE_BITS);
    scene_output(&s, in, wnn_layout_plain(in.rank));
    check(&s, &wnn_triangular_kernel);
  }
}

/* ---- gathers and scatters */

/* Indices of which many lie outside. */
static void add_indices(scene *s, wnn_desc desc, uint32_t n) {
  static const webnn_data_type types[] = {I32, I64, U32};
  desc.type = types[scene_below(3)];
  size_t p = scene_plain(s, desc, SCENE_EDGES);
  for (size_t i = 0; i < wnn_desc_count(&desc); i++)
    if (!scene_chance(6))
      wnn_ref_store_bits(s->inputs[p].bytes, desc.type, i,
                         (uint64_t)((int64_t)scene_below(3 * n) - n));
}

TEST(gathers_slices) {
  scene_seed(48);
  for (int k = 0; k < 150; k++) {
    wnn_desc in = random_desc(random_type(), 1, 4), indices = random_desc(I32, 0, 2), out = {0};
    if (k % 10 == 0)
      in = (wnn_desc){F32, 2, {300, k % 20 ? 8 : 77}}, indices = (wnn_desc){I32, 2, {40, 30}};
    if (k % 50 == 49) in = (wnn_desc){F32, 2, {70, 3000}}, indices = (wnn_desc){I32, 1, {700}};
    if (k % 15 == 7) { /* rows of small elements that go in groups, and one that isn't whole */
      static const wnn_desc small[] = {{WEBNN_DATA_TYPE_UINT8, 2, {150, 700}},
                                       {F16, 2, {67, 620}},
                                       {WEBNN_DATA_TYPE_INT8, 3, {67, 530, 2}}};
      in = small[k / 15 % 3], indices = (wnn_desc){I32, 2, {3, 200 + scene_below(90)}};
    }
    wnn_axis_attrs attrs = {k % 50 == 49 || k % 15 == 7 ? 1 : scene_below(in.rank)};
    out.type = in.type;
    for (uint32_t i = 0; i < in.rank; i++) {
      if (i != attrs.axis) out.dims[out.rank++] = in.dims[i];
      for (uint32_t j = 0; i == attrs.axis && j < indices.rank; j++)
        out.dims[out.rank++] = indices.dims[j];
    }
    scene s;
    scene_begin(&s, WNN_OP_GATHER, &attrs);
    scene_plain(&s, in, SCENE_BITS);
    add_indices(&s, indices, in.dims[attrs.axis]);
    scene_output(&s, out, wnn_layout_plain(out.rank));
    check(&s, &wnn_gather_kernel);
  }
}

TEST(gathers_and_scatters_elements) {
  scene_seed(49);
  for (int k = 0; k < 200; k++) {
    wnn_desc in = random_desc(random_type(), 1, 4), indices;
    if (k % 10 == 0) in = (wnn_desc){F32, 3, {3, 90, 70}};
    if (k % 25 == 24) /* far apart */
      in = (wnn_desc){k % 100 == 99   ? I64
                      : k % 100 == 24 ? F16
                                      : F32,
                      2,
                      {300, k % 50 == 24 ? 1024 : 700}};
    wnn_axis_attrs attrs = {scene_below(in.rank)};
    bool gathers = k % 25 == 24 || scene_chance(2);
    indices = in;
    indices.dims[attrs.axis] = 1 + scene_below(2 * in.dims[attrs.axis]);
    scene s;
    scene_begin(&s, gathers ? WNN_OP_GATHER_ELEMENTS : WNN_OP_SCATTER_ELEMENTS, &attrs);
    scene_plain(&s, in, SCENE_BITS);
    add_indices(&s, indices, in.dims[attrs.axis]);
    indices.type = in.type;
    if (!gathers) scene_plain(&s, indices, SCENE_BITS);
    scene_output(&s, gathers ? indices : in, wnn_layout_plain(in.rank));
    check(&s, gathers ? &wnn_gather_kernel : &wnn_scatter_kernel);
  }
}

TEST(gathers_and_scatters_by_tuples) {
  scene_seed(50);
  for (int k = 0; k < 200; k++) {
    wnn_desc in = random_desc(random_type(), 1, 5), indices = random_desc(I32, 0, 2),
             named = {.type = in.type};
    if (k % 10 == 0) in = (wnn_desc){F32, 3, {20, 30, 400}}, indices = (wnn_desc){I32, 1, {50}};
    uint32_t n = 1 + scene_below(in.rank), most = 1;
    if (k % 10 == 5) { /* more than are looked up at a time */
      in = (wnn_desc){in.type, 4, {7, 9, 11, 5}};
      indices = (wnn_desc){I32, 1, {500 + scene_below(300)}}, n = 1 + (uint32_t)k / 10 % 4;
    }
    bool gathers = scene_chance(2);
    for (uint32_t i = 0; i < indices.rank; i++) named.dims[named.rank++] = indices.dims[i];
    for (uint32_t i = n; i < in.rank; i++) named.dims[named.rank++] = in.dims[i];
    for (uint32_t i = 0; i < n; i++) most = in.dims[i] > most ? in.dims[i] : most;
    indices.dims[indices.rank++] = n;
    named.type = in.type;
    scene s;
    scene_begin(&s, gathers ? WNN_OP_GATHER_ND : WNN_OP_SCATTER_ND, NULL);
    scene_plain(&s, in, SCENE_BITS);
    add_indices(&s, indices, most);
    if (!gathers) scene_plain(&s, named, SCENE_BITS);
    scene_output(&s, gathers ? named : in, wnn_layout_plain(gathers ? named.rank : in.rank));
    check(&s, gathers ? &wnn_gather_kernel : &wnn_scatter_kernel);
  }
}

/* ---- pools */

static void check_pool(wnn_op_id op, webnn_data_type type, uint32_t n, uint32_t c,
                       const uint32_t size[2], int k) {
  uint32_t window[2], strides[2], dilations[2], padding[4], out[2];
  bool nhwc = scene_chance(2), last = scene_chance(2);
  for (int d = 0; d < 2; d++) {
    window[d] = 1 + scene_below(k % 8 == 0 ? 9 : 4);
    strides[d] = 1 + scene_below(3);
    dilations[d] = scene_chance(3) ? 1 + scene_below(3) : 1;
    padding[2 * d] = scene_below(4), padding[2 * d + 1] = scene_below(4);
    if (k % 16 == 5)
      window[d] = size[d], dilations[d] = 1, padding[2 * d] = padding[2 * d + 1] = 0; /* global */
    uint32_t wide = (window[d] - 1) * dilations[d] + 1,
             all = size[d] + padding[2 * d] + padding[2 * d + 1];
    if (wide > all) window[d] = dilations[d] = wide = 1;
    out[d] = (all - wide) / strides[d] + 1;
    if (scene_chance(3) && (all - wide) % strides[d] != 0) out[d]++; /* ceil: over the end */
  }
  wnn_pool2d_attrs attrs = {
      .window_dimensions = {window, 2, true},
      .padding = {padding, 4, true},
      .strides = {strides, 2, true},
      .dilations = {dilations, 2, true},
      .layout = nhwc ? WEBNN_INPUT_OPERAND_LAYOUT_NHWC : WEBNN_INPUT_OPERAND_LAYOUT_NCHW,
      .output_sizes = {out, 2, true}};
  wnn_desc x = {type, 4, {n, nhwc ? size[0] : c, nhwc ? size[1] : size[0], nhwc ? c : size[1]}};
  wnn_desc y = {type, 4, {n, nhwc ? out[0] : c, nhwc ? out[1] : out[0], nhwc ? c : out[1]}};
  wnn_layout layout = wnn_layout_plain(4);
  if (nhwc && !last) layout = (wnn_layout){.rank = 4, .order = {0, 3, 1, 2}, .block = 1};
  if (!nhwc && last) layout = wnn_layout_channels_last();
  if (k % 16 == 9) layout = scene_random_layout(4);
  scene s;
  scene_begin(&s, op, &attrs);
  bool exact = op == WNN_OP_MAX_POOL2D;
  s.ulp = exact ? 0 : type == F16 ? 1 : 8, s.scale = exact ? 0 : 2;
  scene_input(&s, x, layout, exact ? SCENE_EDGES : SCENE_TAME);
  scene_output(&s, y, layout);
  CONTEXT("%s of %s, window %ux%u, %s", s.anchor.op->name, wnn_desc_format(&x).text, window[0],
          window[1], last ? "channels last" : "plain");
  scene_check(&s, &wnn_pool_kernel);
  scene_end(&s);
}

TEST(pools_of_all_windows) {
  static const wnn_op_id ops[] = {WNN_OP_AVERAGE_POOL2D, WNN_OP_L2_POOL2D, WNN_OP_MAX_POOL2D};
  scene_seed(51);
  for (size_t o = 0; o < 3; o++)
    for (webnn_data_type type = 0; type < WNN_N_DATA_TYPES; type++)
      for (int k = 0; k < 48 && allows(ops[o], type); k++) {
        uint32_t size[2] = {1 + scene_below(12), 1 + scene_below(14)}, n = 1 + scene_below(2),
                 c = 1 + scene_below(20);
        if (k % 8 == 0) size[0] = 20, size[1] = 21, c = 40;
        if (k % 16 == 5) n = 1, c = 160;
        check_pool(ops[o], type, n, c, size, k);
      }
}

/* ---- resampling */

TEST(resamples_both_ways) {
  scene_seed(52);
  for (int k = 0; k < 240; k++) {
    static const uint32_t axes[6][2] = {{2, 3}, {1, 2}, {3, 2}, {0, 3}, {0, 1}, {2, 0}};
    static const webnn_data_type types[] = {F32, F16, WEBNN_DATA_TYPE_INT8, WEBNN_DATA_TYPE_UINT8};
    wnn_desc in = {
        types[k % 4],
        4,
        {1 + scene_below(3), 1 + scene_below(6), 1 + scene_below(9), 1 + scene_below(9)}};
    if (k % 20 < 4) in = (wnn_desc){types[k % 4], 4, {1, 24, 20, 20}};
    wnn_desc out = in;
    bool linear = scene_chance(2);
    const uint32_t *pair = axes[scene_chance(2) ? 0 : scene_below(6)];
    uint32_t sizes[2];
    for (int d = 0; d < 2; d++) {
      sizes[d] = scene_chance(3) ? 2 * in.dims[pair[d]] : 1 + scene_below(3 * in.dims[pair[d]]);
      out.dims[pair[d]] = sizes[d];
    }
    wnn_resample2d_attrs attrs = {.mode = linear ? WEBNN_INTERPOLATION_MODE_LINEAR
                                                 : WEBNN_INTERPOLATION_MODE_NEAREST_NEIGHBOR,
                                  .sizes = {sizes, 2, true},
                                  .axes = {pair, 2, true}};
    wnn_layout layout = k % 3 == 0 ? wnn_layout_channels_last() : random_layout(4);
    scene s;
    scene_begin(&s, WNN_OP_RESAMPLE2D, &attrs);
    bool is_float = wnn_type_is_float(in.type);
    s.ulp = !linear ? 0 : in.type == F16 ? 1 : 8, s.scale = linear ? 1 : 0;
    s.may_refuse = linear && !is_float; /* in odd layouts */
    scene_input(&s, in, layout,
                !is_float         ? SCENE_BITS
                : scene_chance(2) ? SCENE_EDGES
                                  : SCENE_TAME);
    for (int d = 0; d < 2 && s.may_refuse && scene_chance(2); d++)
      sizes[d] = out.dims[pair[d]] = 6 * in.dims[pair[d]]; /* sixths make many ties */
    scene_output(&s, out, follow(&s, 4));
    CONTEXT("%s of %s to %ux%u along %u, %u", linear ? "linear" : "nearest",
            wnn_desc_format(&in).text, sizes[0], sizes[1], pair[0], pair[1]);
    scene_check(&s, &wnn_resample_kernel);
    scene_end(&s);
  }
}

int main(int argc, char **argv) {
  return harness_main(argc, argv,
                      (harness_test[]){RUN(reorders_between_any_layouts),
                                       RUN(slices_with_strides),
                                       RUN(concat_and_split),
                                       RUN(expands_and_tiles),
                                       RUN(reverses_any_axes),
                                       RUN(pads_in_every_mode),
                                       RUN(keeps_a_triangle),
                                       RUN(gathers_slices),
                                       RUN(gathers_and_scatters_elements),
                                       RUN(gathers_and_scatters_by_tuples),
                                       RUN(pools_of_all_windows),
                                       RUN(resamples_both_ways),
                                       {NULL, NULL}});
}
