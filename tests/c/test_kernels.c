/* Our own element-wise kernels against the reference: every operation and type, every kind of
 * broadcast, any layouts, chains, quantisation in blocks. */
#include "kernel_scene.h"

#define F32 WEBNN_DATA_TYPE_FLOAT32
#define F16 WEBNN_DATA_TYPE_FLOAT16
#define U8 WEBNN_DATA_TYPE_UINT8

/* ---- every operation */

typedef struct op_row {
  wnn_op_id op;
  uint8_t n_inputs;
  double ulp; /* of the type of the result */
  double scale;
  scene_data data;
  bool signed_zero;
} op_row;

static const op_row op_rows[] = {
    {WNN_OP_ADD, 2, 1, 0, SCENE_EDGES, true},
    {WNN_OP_SUB, 2, 1, 0, SCENE_EDGES, true},
    {WNN_OP_MUL, 2, 1, 0, SCENE_EDGES, true},
    {WNN_OP_DIV, 2, 1, 0, SCENE_EDGES, true},
    {WNN_OP_MAX, 2, 0, 0, SCENE_BITS, false},
    {WNN_OP_MIN, 2, 0, 0, SCENE_BITS, false},
    {WNN_OP_POW, 2, 2, 0, SCENE_EDGES, false},
    {WNN_OP_PRELU, 2, 1, 0, SCENE_EDGES, true},
    {WNN_OP_EQUAL, 2, 0, 0, SCENE_EDGES, false},
    {WNN_OP_NOT_EQUAL, 2, 0, 0, SCENE_EDGES, false},
    {WNN_OP_GREATER, 2, 0, 0, SCENE_EDGES, false},
    {WNN_OP_GREATER_OR_EQUAL, 2, 0, 0, SCENE_EDGES, false},
    {WNN_OP_LESSER, 2, 0, 0, SCENE_EDGES, false},
    {WNN_OP_LESSER_OR_EQUAL, 2, 0, 0, SCENE_EDGES, false},
    {WNN_OP_LOGICAL_AND, 2, 0, 0, SCENE_TAME, false},
    {WNN_OP_LOGICAL_OR, 2, 0, 0, SCENE_TAME, false},
    {WNN_OP_LOGICAL_XOR, 2, 0, 0, SCENE_TAME, false},
    {WNN_OP_LOGICAL_NOT, 1, 0, 0, SCENE_TAME, false},
    {WNN_OP_IS_NAN, 1, 0, 0, SCENE_EDGES, false},
    {WNN_OP_IS_INFINITE, 1, 0, 0, SCENE_EDGES, false},
    {WNN_OP_ABS, 1, 0, 0, SCENE_BITS, true},
    {WNN_OP_NEG, 1, 0, 0, SCENE_BITS, true},
    {WNN_OP_SIGN, 1, 0, 0, SCENE_BITS, false},
    {WNN_OP_CEIL, 1, 0, 0, SCENE_BITS, false},
    {WNN_OP_FLOOR, 1, 0, 0, SCENE_BITS, false},
    {WNN_OP_ROUND_EVEN, 1, 0, 0, SCENE_BITS, false},
    {WNN_OP_IDENTITY, 1, 0, 0, SCENE_BITS, true},
    {WNN_OP_RELU, 1, 0, 0, SCENE_BITS, false},
    {WNN_OP_RECIPROCAL, 1, 1, 0, SCENE_EDGES, true},
    {WNN_OP_SQRT, 1, 1, 0, SCENE_EDGES, true},
    {WNN_OP_EXP, 1, 2, 0, SCENE_EDGES, false},
    {WNN_OP_LOG, 1, 2, 0, SCENE_EDGES, false},
    {WNN_OP_SIN, 1, 2, 0, SCENE_EDGES, false},
    {WNN_OP_COS, 1, 2, 0, SCENE_EDGES, false},
    {WNN_OP_TAN, 1, 3, 0, SCENE_EDGES, false},
    {WNN_OP_ERF, 1, 3, 0, SCENE_EDGES, false},
    {WNN_OP_CLAMP, 1, 0, 0, SCENE_EDGES, false},
    {WNN_OP_ELU, 1, 3, 0, SCENE_EDGES, false},
    {WNN_OP_GELU, 1, 9, 0, SCENE_EDGES, false},
    {WNN_OP_GELU_TANH, 1, 12, 2e-3, SCENE_EDGES, false},
    {WNN_OP_HARD_SIGMOID, 1, 1, 1, SCENE_EDGES, false},
    {WNN_OP_HARD_SWISH, 1, 3, 0, SCENE_EDGES, false},
    {WNN_OP_LEAKY_RELU, 1, 1, 0, SCENE_EDGES, true},
    {WNN_OP_LINEAR, 1, 1, 1, SCENE_EDGES, false},
    {WNN_OP_MISH, 1, 6, 0, SCENE_EDGES, false},
    {WNN_OP_SIGMOID, 1, 3, 0, SCENE_EDGES, false},
    {WNN_OP_SILU, 1, 4, 0, SCENE_EDGES, false},
    {WNN_OP_SOFTPLUS, 1, 4, 0, SCENE_EDGES, false},
    {WNN_OP_SOFTSIGN, 1, 2, 0, SCENE_EDGES, false},
    {WNN_OP_TANH, 1, 3, 0, SCENE_EDGES, false},
};
#define N_OPS (sizeof op_rows / sizeof *op_rows)

static webnn_data_type result_type(const webnn_op *op, webnn_data_type type) {
  const char *signature = op->signature->name;
  return strcmp(signature, "compare") == 0 || strcmp(signature, "predicate") == 0 ? U8 : type;
}

static bool allows(const webnn_op *op, webnn_data_type type) {
  return wnn_field_types(op, &op->signature->fields[0]).allowed >> type & 1;
}

static wnn_clamp_attrs bounds(webnn_data_type type) {
  if (wnn_type_is_float(type)) return (wnn_clamp_attrs){wnn_number_f(-1), wnn_number_f(1.5)};
  wnn_clamp_attrs attrs = {{.kind = WEBNN_NUMBER_INT64}, {.kind = WEBNN_NUMBER_INT64}};
  if (!wnn_type_is_signed(type)) attrs.min_value.kind = attrs.max_value.kind = WEBNN_NUMBER_UINT64;
  attrs.min_value.as.i = wnn_type_is_signed(type) ? -3 : 2;
  attrs.max_value.as.i = 5;
  return attrs;
}

/* Attributes that serve whichever operation asks. */
typedef union any_attrs {
  wnn_clamp_attrs clamp;
  wnn_alpha_beta_attrs alpha_beta;
} any_attrs;

static any_attrs attrs_of(wnn_op_id op, webnn_data_type type) {
  any_attrs attrs;
  if (op == WNN_OP_CLAMP)
    attrs.clamp = bounds(type);
  else
    attrs.alpha_beta = (wnn_alpha_beta_attrs){wnn_number_f(0.5), wnn_number_f(0.25)};
  return attrs;
}

TEST(every_operation_on_every_type) {
  static const uint32_t sizes[] = {1, 7, 33, 1024, 1025, 2500};
  for (size_t r = 0; r < N_OPS; r++)
    for (webnn_data_type type = 0; type < WNN_N_DATA_TYPES; type++) {
      const op_row *row = &op_rows[r];
      const webnn_op *op = wnn_op_get(row->op);
      if (!allows(op, type)) continue;
      for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const wnn_desc desc = scene_desc(type, 1, &sizes[k]);
        const any_attrs attrs = attrs_of(row->op, type);
        scene s;
        CONTEXT("%s of %s", op->name, wnn_desc_format(&desc).text);
        scene_seed(r * 64 + k);
        scene_begin(&s, row->op, &attrs);
        s.ulp = row->ulp, s.scale = row->scale, s.signed_zero = row->signed_zero;
        for (int i = 0; i < row->n_inputs; i++) scene_plain(&s, desc, row->data);
        scene_output(&s, scene_desc(result_type(op, type), 1, &sizes[k]), wnn_layout_plain(1));
        scene_check(&s, &wnn_elementwise_kernel);
        scene_end(&s);
      }
    }
}

TEST(casts_of_all_types) {
  for (webnn_data_type from = 0; from < WNN_N_DATA_TYPES; from++)
    for (webnn_data_type to = 0; to < WNN_N_DATA_TYPES; to++)
      for (int data = SCENE_TAME; data <= SCENE_BITS; data++) {
        const uint32_t n = 1300;
        const wnn_cast_attrs attrs = {to};
        scene s;
        CONTEXT("from %d to %d", (int)from, (int)to);
        scene_seed(from * 8 + to);
        scene_begin(&s, WNN_OP_CAST, &attrs);
        s.signed_zero = true;
        scene_plain(&s, scene_desc(from, 1, &n), (scene_data)data);
        scene_output(&s, scene_desc(to, 1, &n), wnn_layout_plain(1));
        scene_check(&s, &wnn_elementwise_kernel);
        scene_end(&s);
      }
}

/* Numbers of 64 bits that are about as large as a bound: halfway between two floats, and at both
 * ends of what goes through a double. */
TEST(wide_integers_become_floats) {
  static const webnn_data_type types[] = {WEBNN_DATA_TYPE_INT64, WEBNN_DATA_TYPE_UINT64};
  const uint32_t n = 4000;
  const wnn_cast_attrs attrs = {F32};
  scene_seed(29);
  for (uint32_t k = 0; k < 2 * 64; k++) {
    const uint32_t bits = k / 2;
    scene s;
    CONTEXT("%u bits, of type %d", bits, (int)types[k % 2]);
    scene_begin(&s, WNN_OP_CAST, &attrs);
    s.signed_zero = true;
    scene_plain(&s, scene_desc(types[k % 2], 1, &n), SCENE_BITS);
    for (uint32_t i = 0; i < n; i++) {
      uint64_t x = (UINT64_C(1) << bits) - 2 + scene_below(4);
      if (bits > 30 && scene_chance(2)) x |= UINT64_C(1) << (bits - 24) | scene_below(2);
      if (bits > 30 && scene_chance(2)) x ^= UINT64_C(1) << (bits - 23);
      if (k % 2 == 0 && scene_chance(2)) x = 0 - x;
      wnn_ref_store_bits(s.inputs[0].bytes, types[k % 2], i, x);
    }
    scene_output(&s, scene_desc(F32, 1, &n), wnn_layout_plain(1));
    scene_check(&s, &wnn_elementwise_kernel);
    scene_end(&s);
  }
}

/* ---- broadcasts and layouts */

typedef struct shape_row {
  uint32_t rank_a, a[8], rank_b, b[8];
} shape_row;

static const shape_row shape_rows[] = {
    {0, {0}, 0, {0}},
    {1, {5}, 0, {0}},
    {0, {0}, 1, {1300}},
    {1, {1}, 1, {1}},
    {2, {40, 70}, 1, {70}},
    {2, {40, 70}, 2, {40, 1}},
    {2, {40, 1}, 2, {1, 70}},
    {2, {1, 1}, 2, {3, 2000}},
    {2, {3, 5000}, 1, {5000}},
    {3, {3, 1, 5}, 3, {1, 4, 1}},
    {3, {2, 1, 1}, 3, {2, 300, 7}},
    {3, {2, 300, 1}, 3, {2, 300, 7}},
    {3, {2, 300, 1}, 3, {2, 300, 170}},
    {4, {2, 8, 20, 20}, 4, {2, 8, 1, 1}},
    {4, {2, 8, 20, 20}, 3, {8, 1, 1}},
    {4, {2, 8, 20, 20}, 4, {2, 1, 20, 20}},
    {4, {3, 5, 7, 9}, 4, {3, 5, 7, 9}},
    {4, {1, 96, 14, 14}, 4, {1, 96, 1, 1}},
    {4, {3, 3, 130, 65}, 4, {3, 3, 130, 65}},
    {5, {2, 1, 3, 1, 4}, 5, {1, 5, 1, 6, 1}},
    {8, {2, 1, 3, 1, 2, 1, 3, 1}, 8, {1, 2, 1, 3, 1, 2, 1, 3}},
    {8, {1, 1, 1, 1, 1, 1, 1, 1}, 8, {2, 1, 1, 3, 1, 1, 1, 2}},
};

static void check_broadcast(const shape_row *row, wnn_op_id id, webnn_data_type type, bool swapped,
                            int turn) {
  const webnn_op *op = wnn_op_get(id);
  wnn_desc a = scene_desc(type, row->rank_a, row->a), b = scene_desc(type, row->rank_b, row->b),
           out = a;
  scene s;
  CHECK(wnn_shape_broadcast(&a, &b, &out));
  out.type = result_type(op, type);
  CONTEXT("%s, row %zu, type %d, turn %d", op->name, (size_t)(row - shape_rows), (int)type, turn);
  wnn_layout layout = turn == 0 ? wnn_layout_plain(out.rank) : scene_random_layout(out.rank);
  scene_begin(&s, id, NULL);
  s.ulp = 1;
  for (int i = 0; i < 2; i++) {
    wnn_desc desc = (i == 0) == !swapped ? a : b;
    bool alike = desc.rank == out.rank && turn != 2;
    scene_input(&s, desc, alike ? layout : scene_random_layout(desc.rank), SCENE_TAME);
  }
  scene_output(&s, out, layout);
  scene_check(&s, &wnn_elementwise_kernel);
  scene_end(&s);
}

TEST(broadcasts_in_all_layouts) {
  static const webnn_data_type types[] = {F32, F16, U8, WEBNN_DATA_TYPE_INT64};
  scene_seed(5);
  for (size_t r = 0; r < sizeof shape_rows / sizeof *shape_rows; r++)
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
      for (int turn = 0; turn < 3; turn++) {
        check_broadcast(&shape_rows[r], WNN_OP_SUB, types[t], turn == 1, turn);
        check_broadcast(&shape_rows[r], WNN_OP_LESSER, types[t], turn == 0, turn);
      }
}

TEST(where_takes_broadcasts) {
  static const struct {
    uint32_t rank, c[4], x[4], y[4], out[4];
  } rows[] = {{2, {40, 1}, {1, 70}, {40, 70}, {40, 70}},
              {4, {1, 1, 20, 20}, {2, 8, 20, 20}, {1, 1, 1, 1}, {2, 8, 20, 20}},
              {3, {2, 3, 500}, {2, 3, 500}, {2, 3, 500}, {2, 3, 500}}};
  scene_seed(6);
  for (webnn_data_type type = 0; type < WNN_N_DATA_TYPES; type++)
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
      uint32_t rank = rows[r].rank;
      scene s;
      CONTEXT("type %d, row %zu", (int)type, r);
      scene_begin(&s, WNN_OP_WHERE, NULL);
      s.signed_zero = true;
      scene_input(&s, scene_desc(U8, rank, rows[r].c), scene_random_layout(rank), SCENE_TAME);
      scene_input(&s, scene_desc(type, rank, rows[r].x), scene_random_layout(rank), SCENE_EDGES);
      scene_input(&s, scene_desc(type, rank, rows[r].y), scene_random_layout(rank), SCENE_EDGES);
      scene_output(&s, scene_desc(type, rank, rows[r].out), scene_random_layout(rank));
      scene_check(&s, &wnn_elementwise_kernel);
      scene_end(&s);
    }
}

/* ---- chains */

static const wnn_op_id chain_unary[] = {WNN_OP_RELU,   WNN_OP_TANH,       WNN_OP_SIGMOID,
                                        WNN_OP_ABS,    WNN_OP_NEG,        WNN_OP_CLAMP,
                                        WNN_OP_LINEAR, WNN_OP_HARD_SWISH, WNN_OP_SILU};
static const wnn_op_id chain_binary[] = {WNN_OP_ADD, WNN_OP_SUB, WNN_OP_MUL, WNN_OP_MAX,
                                         WNN_OP_MIN};
#define PICK(list) list[scene_below(sizeof list / sizeof *list)]

/* An operand that broadcasts to the result. */
static size_t random_operand(scene *s, const wnn_desc *out, const wnn_layout *layout) {
  wnn_desc desc = *out;
  if (scene_chance(2))
    return scene_input(s, desc, scene_chance(3) ? scene_random_layout(desc.rank) : *layout,
                       SCENE_TAME);
  for (uint32_t i = 0; i < desc.rank; i++)
    if (scene_chance(2)) desc.dims[i] = 1;
  while (desc.rank > 0 && desc.dims[0] == 1 && scene_chance(2)) {
    desc.rank--;
    memmove(desc.dims, desc.dims + 1, desc.rank * sizeof *desc.dims);
  }
  return scene_input(s, desc, scene_random_layout(desc.rank), SCENE_TAME);
}

static void check_chain(webnn_data_type type, size_t n_posts) {
  wnn_desc out = {.type = type, .rank = scene_below(6)};
  for (uint32_t i = 0; i < out.rank; i++) out.dims[i] = 1 + scene_below(i + 1 == out.rank ? 90 : 7);
  wnn_layout layout = scene_chance(3) ? wnn_layout_plain(out.rank) : scene_random_layout(out.rank);
  scene s;
  scene_begin(&s, WNN_OP_ADD, NULL);
  s.ulp = type == F16 ? 2 : 40; /* float16 is rounded at each stage: mostly the same */
  s.scale = 4;
  scene_input(&s, out, layout, SCENE_TAME);
  random_operand(&s, &out, &layout);
  scene_output(&s, out, layout);
  for (size_t i = 0; i < n_posts; i++) {
    wnn_op_id op = scene_chance(2) ? PICK(chain_unary) : PICK(chain_binary);
    bool unary = wnn_op_get(op)->signature->n_operands == 1;
    int other = unary             ? -1
                : scene_chance(5) ? -2
                : scene_chance(4) ? 0
                                  : (int)random_operand(&s, &out, &layout);
    scene_post(&s, op, other, scene_chance(3), type);
    s.region.n_posts = i; /* as when it is asked: the post isn't there yet */
    CHECK(wnn_own_can_fuse(&s.region, &s.region.posts[i]));
    s.region.n_posts = i + 1;
  }
  CONTEXT("%zu posts on %s", n_posts, wnn_desc_format(&out).text);
  scene_check(&s, &wnn_elementwise_kernel);
  scene_end(&s);
}

TEST(chains_run_tile_by_tile) {
  scene_seed(7);
  for (size_t i = 0; i < 150; i++)
    check_chain(scene_chance(3) ? F16 : F32, 1 + scene_below(i % 4 == 0 ? 12 : 4));
}

TEST(chains_change_types) {
  const uint32_t dims[] = {2, 3, 700};
  const wnn_desc desc = scene_desc(F32, 3, dims);
  static const webnn_data_type to[] = {WEBNN_DATA_TYPE_INT32, F16, WEBNN_DATA_TYPE_INT8,
                                       WEBNN_DATA_TYPE_INT64};
  scene_seed(8);
  for (size_t i = 0; i < sizeof to / sizeof *to; i++) {
    scene s;
    CONTEXT("to type %d", (int)to[i]);
    scene_begin(&s, WNN_OP_MUL, NULL);
    s.ulp = 1;
    scene_plain(&s, desc, SCENE_EDGES);
    scene_plain(&s, desc, SCENE_EDGES);
    scene_output(&s, desc, wnn_layout_plain(3));
    scene_post(&s, WNN_OP_CAST, -1, false, to[i]);
    scene_post(&s, WNN_OP_ABS, -1, false, to[i]);
    scene_post(&s, WNN_OP_LESSER, (int)scene_plain(&s, scene_desc(to[i], 1, dims + 2), SCENE_TAME),
               false, U8);
    scene_check(&s, &wnn_elementwise_kernel);
    scene_end(&s);
  }
}

/* ---- quantisation */

typedef struct quantize_row {
  uint32_t rank, dims[4], scale[4];
} quantize_row;

static const quantize_row quantize_rows[] = {
    {0, {0}, {0}},
    {1, {1300}, {1}},
    {1, {1300}, {1300}},
    {2, {6, 512}, {6, 16}},
    {2, {6, 512}, {2, 4}},
    {3, {4, 6, 10}, {2, 1, 5}},
    {4, {1, 16, 9, 9}, {1, 16, 1, 1}},
    {4, {2, 16, 20, 20}, {1, 1, 1, 1}},
    {4, {2, 16, 20, 20}, {2, 4, 10, 20}},
};

static void check_quantize(const quantize_row *row, webnn_data_type type, webnn_data_type narrow,
                           bool quantize, scene_data data) {
  wnn_layout layout = scene_random_layout(row->rank);
  scene s;
  scene_begin(&s, quantize ? WNN_OP_QUANTIZE_LINEAR : WNN_OP_DEQUANTIZE_LINEAR, NULL);
  s.ulp = 1;
  scene_input(&s, scene_desc(quantize ? type : narrow, row->rank, row->dims), layout, data);
  size_t scale = scene_plain(&s, scene_desc(type, row->rank, row->scale), SCENE_TAME);
  for (size_t i = 0; i < wnn_desc_count(&s.inputs[scale].desc); i++) /* positive, of all sizes */
    wnn_ref_store_f(s.inputs[scale].bytes, type, i,
                    ldexp(1.0 + scene_below(64) / 64.0, (int)scene_below(18) - 14));
  scene_plain(&s, scene_desc(narrow, row->rank, row->scale), SCENE_EDGES);
  scene_output(&s, scene_desc(quantize ? narrow : type, row->rank, row->dims), layout);
  CONTEXT("%s, row %zu, %d", s.anchor.op->name, (size_t)(row - quantize_rows), (int)narrow);
  scene_check(&s, &wnn_elementwise_kernel);
  scene_end(&s);
}

TEST(quantisation_in_blocks) {
  static const webnn_data_type narrow[] = {WEBNN_DATA_TYPE_INT8, U8, WEBNN_DATA_TYPE_INT32,
                                           WEBNN_DATA_TYPE_UINT32};
  scene_seed(9);
  for (size_t r = 0; r < sizeof quantize_rows / sizeof *quantize_rows; r++)
    for (size_t t = 0; t < 4; t++)
      for (int k = 0; k < 4; k++)
        check_quantize(&quantize_rows[r], k & 1 ? F16 : F32, narrow[t], k < 2,
                       k & 1 ? SCENE_TAME : SCENE_EDGES);
}

int main(int argc, char **argv) {
  return harness_main(argc, argv,
                      (harness_test[]){

                          RUN(every_operation_on_every_type),
                          RUN(casts_of_all_types),
                          RUN(wide_integers_become_floats),
                          RUN(broadcasts_in_all_layouts),
                          RUN(where_takes_broadcasts),
                          RUN(chains_run_tile_by_tile),
                          RUN(chains_change_types),
                          RUN(quantisation_in_blocks),
                          {NULL, NULL}});
}
