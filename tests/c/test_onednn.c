/* The oneDNN backend's other kernels on single regions, against the naive reference: products,
 * average pooling, layer normalization, and copies between layouts. */
#include "scene.h"

extern const wnn_kernel wnn_onednn_matmul, wnn_onednn_gemm, wnn_onednn_average_pool2d,
    wnn_onednn_layer_normalization, wnn_onednn_reorder, wnn_product_kernel, wnn_gemv_kernel;

typedef struct matmul_row {
  const char *name;
  uint32_t rank_a, a[5], rank_b, b[5], rank, y[5];
  char in_a, in_b;
  bool constant;
  webnn_data_type type;
  post_row posts[MAX_ROW_POSTS + 1];
} matmul_row;

/* clang-format off */
static const matmul_row matmul_rows[] = {
    {"2-D", 2, {5, 7}, 2, {7, 9}, 2, {5, 9}, 'p', 'p', false, F32, NO_POSTS},
    {"2-D constant", 2, {33, 70}, 2, {70, 90}, 2, {33, 90}, 'p', 'p', true, F32, NO_POSTS},
    {"one row", 2, {1, 70}, 2, {70, 90}, 2, {1, 90}, 'p', 'p', true, F32, NO_POSTS},
    {"one column", 2, {33, 70}, 2, {70, 1}, 2, {33, 1}, 'p', 'p', true, F32, NO_POSTS},
    {"one product", 2, {33, 1}, 2, {1, 20}, 2, {33, 20}, 'p', 'p', false, F32, NO_POSTS},
    {"one number", 2, {1, 1}, 2, {1, 1}, 2, {1, 1}, 'p', 'p', false, F32, NO_POSTS},
    {"transposed a", 2, {20, 30}, 2, {30, 40}, 2, {20, 40}, 't', 'p', false, F32, NO_POSTS},
    {"transposed a, constant", 2, {20, 30}, 2, {30, 40}, 2, {20, 40}, 't', 'p', true, F32,
     NO_POSTS},
    {"transposed b", 2, {20, 30}, 2, {30, 40}, 2, {20, 40}, 'p', 't', false, F32, NO_POSTS},
    {"both transposed", 3, {2, 20, 30}, 3, {2, 30, 40}, 3, {2, 20, 40}, 't', 't', false, F32,
     NO_POSTS},
    {"batches share constant", 3, {4, 10, 32}, 2, {32, 24}, 3, {4, 10, 24}, 'p', 'p', true, F32,
     NO_POSTS},
    {"batches of one row", 4, {4, 3, 1, 32}, 2, {32, 24}, 4, {4, 3, 1, 24}, 'p', 'p', true, F32,
     NO_POSTS},
    {"transposed batches share", 3, {4, 10, 32}, 3, {1, 32, 24}, 3, {4, 10, 24}, 't', 'p', true,
     F32, NO_POSTS},
    {"a shared", 2, {10, 32}, 3, {4, 32, 24}, 3, {4, 10, 24}, 'p', 'p', false, F32, NO_POSTS},
    {"crossed", 4, {3, 1, 6, 8}, 4, {1, 2, 8, 5}, 4, {3, 2, 6, 5}, 'p', 'p', false, F32,
     NO_POSTS},
    {"crossed, other", 4, {1, 2, 6, 8}, 4, {3, 1, 8, 5}, 4, {3, 2, 6, 5}, 'p', 'p', true, F32,
     NO_POSTS},
    {"rank 5", 5, {2, 3, 2, 6, 8}, 5, {2, 3, 2, 8, 5}, 5, {2, 3, 2, 6, 5}, 'p', 'p', false, F32,
     NO_POSTS},
    {"rank 5, b shared within", 5, {2, 3, 2, 6, 8}, 5, {2, 3, 1, 8, 5}, 5, {2, 3, 2, 6, 5}, 'p',
     'p', false, F32, NO_POSTS},
    {"constant batches", 3, {4, 10, 32}, 3, {4, 32, 24}, 3, {4, 10, 24}, 'p', 'p', true, F32,
     NO_POSTS},
    {"heads", 4, {2, 4, 10, 16}, 4, {2, 4, 16, 10}, 4, {2, 4, 10, 10}, 'h', 'h', false, F32,
     NO_POSTS},
    {"reversed", 3, {4, 6, 8}, 3, {4, 8, 5}, 3, {4, 6, 5}, 'r', 'r', false, F32, NO_POSTS},
    {"float16", 2, {33, 70}, 2, {70, 90}, 2, {33, 90}, 'p', 'p', true, F16, NO_POSTS},
    {"float16, no constant", 3, {2, 33, 70}, 3, {2, 70, 9}, 3, {2, 33, 9}, 't', 'p', false, F16,
     NO_POSTS},
    {"bias, tanh", 2, {33, 70}, 2, {70, 90}, 2, {33, 90}, 'p', 'p', true, F32,
     {POST_WITH(WNN_OP_ADD, 'c'), POST(WNN_OP_TANH)}},
    {"bias, residual, batches share", 3, {4, 10, 32}, 2, {32, 24}, 3, {4, 10, 24}, 'p', 'p', true,
     F32, {POST_WITH(WNN_OP_ADD, 'c'), POST_WITH(WNN_OP_ADD, 'f'), POST(WNN_OP_RELU)}},
    {"scaled, residual, batches", 4, {2, 3, 10, 32}, 4, {2, 3, 32, 24}, 4, {2, 3, 10, 24}, 'p',
     't', false, F32, {POST_WITH(WNN_OP_MUL, 's'), POST_BEHIND(WNN_OP_SUB, 'f')}},
    {"row, bias, sigmoid", 2, {1, 70}, 2, {70, 90}, 2, {1, 90}, 'p', 'p', true, F32,
     {POST_WITH(WNN_OP_ADD, 'c'), POST(WNN_OP_SIGMOID), POST_WITH(WNN_OP_MUL, 'f')}},
    {"bias, gelu, residual", 3, {1, 33, 70}, 2, {70, 90}, 3, {1, 33, 90}, 'p', 'p', true, F32,
     {POST_WITH(WNN_OP_ADD, 'c'), POST(WNN_OP_GELU), POST_WITH(WNN_OP_ADD, 'f')}},
    {"batches, elu", 3, {4, 10, 32}, 3, {4, 32, 24}, 3, {4, 10, 24}, 'p', 't', false, F32,
     {{WNN_OP_ELU, 0, false, 0.75, 0}, POST_WITH(WNN_OP_MUL, 'c')}},
    {"row, softplus", 2, {1, 70}, 2, {70, 90}, 2, {1, 90}, 'p', 'p', true, F32,
     {POST(WNN_OP_SOFTPLUS)}},
};
/* clang-format on */

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
  static const matmul_row row = {
      "",       3,    {4, 10, 32}, 2,
      {32, 24}, 3,    {4, 10, 24}, 'p',
      'p',      true, F32,         {POST_WITH(WNN_OP_ADD, 'f'), POST(WNN_OP_RELU)}};
  scene is;
  set_matmul(&is, &row);
  is.inputs[2].dies = true;
  check_against_reference(&is, &wnn_onednn_matmul, 2);
  check_against_reference(&is, &wnn_onednn_matmul, -1);
  end(&is);
}

/* clang-format off */
static const matmul_row product_rows[] = {
    {"even", 2, {128, 48}, 2, {48, 96}, 2, {128, 96}, 'p', 'p', true, F32, NO_POSTS},
    {"even, bias", 2, {128, 48}, 2, {48, 96}, 2, {128, 96}, 'p', 'p', true, F32,
     {POST_WITH(WNN_OP_ADD, 'c')}},
    {"a column left", 2, {37, 100}, 2, {100, 97}, 2, {37, 97}, 'p', 'p', true, F32,
     {POST_WITH(WNN_OP_ADD, 'c')}},
    {"few columns", 2, {300, 64}, 2, {64, 3}, 2, {300, 3}, 'p', 'p', true, F32, NO_POSTS},
    {"16 columns", 3, {9, 31, 64}, 2, {64, 16}, 3, {9, 31, 16}, 'p', 'p', true, F32,
     {POST(WNN_OP_RELU)}},
    {"deep", 2, {50, 1000}, 2, {1000, 64}, 2, {50, 64}, 'p', 'p', true, F32,
     {POST_WITH(WNN_OP_ADD, 'c'), POST(WNN_OP_GELU)}},
    {"deep, at once", 2, {50, 1000}, 2, {1000, 96}, 2, {50, 96}, 'p', 'p', true, F32, NO_POSTS},
    {"many rows, wide", 3, {2, 130, 40}, 3, {1, 40, 700}, 3, {2, 130, 700}, 'p', 'p', true, F32,
     {POST_WITH(WNN_OP_ADD, 'f'), POST_WITH(WNN_OP_MUL, 'c'), POST(WNN_OP_ELU), POST_WITH(WNN_OP_SUB, 's')}},
    {"wider than a piece of the tail", 2, {12, 40}, 2, {40, 2500}, 2, {12, 2500}, 'p', 'p', true, F32,
     {POST_WITH(WNN_OP_ADD, 'c'), POST(WNN_OP_GELU), POST_WITH(WNN_OP_ADD, 'f')}},
    {"transposed b", 2, {40, 60}, 2, {60, 90}, 2, {40, 90}, 'p', 't', true, F32,
     {POST_WITH(WNN_OP_MUL, 's'), POST(WNN_OP_SILU)}},
    {"row behind", 2, {40, 60}, 2, {60, 90}, 2, {40, 90}, 'p', 'p', true, F32,
     {POST_BEHIND(WNN_OP_ADD, 'c'), POST_BEHIND(WNN_OP_SUB, 'c')}},
    {"twice itself", 2, {40, 60}, 2, {60, 90}, 2, {40, 90}, 'p', 'p', true, F32,
     {POST_WITH(WNN_OP_ADD, '='), POST(WNN_OP_GELU)}},
    {"rounded product and sum", 2, {40, 60}, 2, {60, 90}, 2, {40, 90}, 'p', 'p', true, F32,
     {POST(WNN_OP_ROUND_HALF), POST_WITH(WNN_OP_MUL, 'c'), POST(WNN_OP_ROUND_HALF), POST_WITH(WNN_OP_ADD, 'f'),
      POST(WNN_OP_ROUND_HALF)}},
    {"rounded numbers, clamped", 2, {40, 60}, 2, {60, 90}, 2, {40, 90}, 'p', 'p', true, F32,
     {POST_WITH(WNN_OP_ADD, 's'), POST(WNN_OP_ROUND_HALF), {WNN_OP_CLAMP, 0, false, -0.5, 6}, POST(WNN_OP_ROUND_HALF),
      POST_WITH(WNN_OP_DIV, 'c')}},
    {"clamped by what float16 hasn't", 2, {40, 60}, 2, {60, 90}, 2, {40, 90}, 'p', 'p', true, F32,
     {POST(WNN_OP_ROUND_HALF), {WNN_OP_CLAMP, 0, false, -0.1, 0.3}, POST(WNN_OP_ROUND_HALF), POST_BEHIND(WNN_OP_SUB, 'c'),
      POST(WNN_OP_ROUND_HALF)}},
    {"rounded quotient", 2, {40, 60}, 2, {60, 90}, 2, {40, 90}, 'p', 'p', true, F32,
     {POST(WNN_OP_ROUND_HALF), POST_BEHIND(WNN_OP_DIV, 'f'), POST(WNN_OP_ROUND_HALF), POST_WITH(WNN_OP_SUB, 's'),
      POST(WNN_OP_ROUND_HALF)}},
};
/* clang-format on */

static const char *const all_sets[] = {NULL, "-avx512", "-avx2"};

TEST(product_agrees) {
  for (size_t i = 0; i < sizeof product_rows / sizeof *product_rows; i++)
    for (size_t k = 0; k < sizeof all_sets / sizeof *all_sets; k++) {
      CONTEXT("%s, %s", product_rows[i].name, all_sets[k] ? all_sets[k] : "all");
      scene is;
      host.passes = all_sets[k];
      set_matmul(&is, &product_rows[i]);
      check_against_reference(&is, &wnn_product_kernel, -1);
      end(&is);
    }
  host.passes = NULL;
  CONTEXT("%s", "");
}

TEST(product_keeps_infinity_and_nan_in_their_rows) {
  static const matmul_row row = {"",  2,    {40, 60}, 2,   {60, 90}, 2,
                                 {40, 90}, 'p', 'p', true, F32,
                                 {POST_WITH(WNN_OP_ADD, 'c'), POST(WNN_OP_GELU)}};
  scene is;
  set_matmul(&is, &row);
  ((float *)is.bytes[0])[3 * 60 + 7] = INFINITY;
  ((float *)is.bytes[0])[39 * 60 + 59] = NAN;
  check_against_reference(&is, &wnn_product_kernel, -1);
  end(&is);
}

TEST(product_takes_a_dying_residual_s_place) {
  static const matmul_row row = {"",       3,    {4, 10, 32}, 2,
                                 {32, 24}, 3,    {4, 10, 24}, 'p',
                                 'p',      true, F32,         {POST(WNN_OP_GELU), POST_WITH(WNN_OP_ADD, 'f')}};
  scene is;
  set_matmul(&is, &row);
  is.inputs[2].dies = true;
  check_against_reference(&is, &wnn_product_kernel, 2);
  check_against_reference(&is, &wnn_product_kernel, -1);
  end(&is);
}

/* clang-format off */
static const matmul_row gemv_rows[] = {
    {"one row", 2, {1, 70}, 2, {70, 90}, 2, {1, 90}, 'p', 'p', true, F32, NO_POSTS},
    {"one row, transposed", 2, {1, 70}, 2, {70, 90}, 2, {1, 90}, 'p', 't', true, F32, NO_POSTS},
    {"two rows, not constant", 2, {2, 33}, 2, {33, 31}, 2, {2, 31}, 'p', 'p', false, F32, NO_POSTS},
    {"two rows, transposed", 2, {2, 203}, 2, {203, 31}, 2, {2, 31}, 'p', 't', false, F32, NO_POSTS},
    {"three rows", 3, {3, 1, 41}, 2, {41, 17}, 3, {3, 1, 17}, 'p', 'p', true, F32,
     {POST_WITH(WNN_OP_ADD, 'c'), POST(WNN_OP_GELU)}},
    {"three rows, transposed", 3, {3, 1, 147}, 2, {147, 17}, 3, {3, 1, 17}, 'p', 't', true, F32,
     {POST_WITH(WNN_OP_ADD, 'c'), POST(WNN_OP_SIGMOID), POST_WITH(WNN_OP_MUL, 'f')}},
    {"four rows", 2, {4, 300}, 3, {1, 300, 500}, 3, {1, 4, 500}, 'p', 'p', true, F32,
     {POST_WITH(WNN_OP_ADD, 'f'), POST_WITH(WNN_OP_MUL, 'c'), POST_WITH(WNN_OP_SUB, 's')}},
    {"four rows, transposed", 2, {4, 300}, 2, {300, 500}, 2, {4, 500}, 'p', 't', true, F32,
     {POST(WNN_OP_SILU), POST_BEHIND(WNN_OP_SUB, 'c')}},
    {"wider than a piece of the tail", 2, {2, 24}, 2, {24, 5003}, 2, {2, 5003}, 'p', 'p', true, F32,
     {POST_WITH(WNN_OP_ADD, 'c'), POST(WNN_OP_GELU), POST_WITH(WNN_OP_ADD, 'f')}},
    {"one column", 2, {4, 530}, 2, {530, 1}, 2, {4, 1}, 'p', 'p', true, F32, NO_POSTS},
    {"few columns", 2, {1, 2048}, 2, {2048, 2}, 2, {1, 2}, 'p', 'p', true, F32, {POST_WITH(WNN_OP_ADD, 'c')}},
    {"one deep", 2, {3, 1}, 2, {1, 20}, 2, {3, 20}, 'p', 't', false, F32, NO_POSTS},
    {"one number", 2, {1, 1}, 2, {1, 1}, 2, {1, 1}, 'p', 'p', false, F32, NO_POSTS},
    {"rounded", 2, {1, 60}, 2, {60, 90}, 2, {1, 90}, 'p', 'p', true, F32,
     {POST(WNN_OP_ROUND_HALF), POST_WITH(WNN_OP_MUL, 'c'), POST(WNN_OP_ROUND_HALF)}},
};
/* clang-format on */

TEST(gemv_agrees) {
  for (size_t i = 0; i < sizeof gemv_rows / sizeof *gemv_rows; i++)
    for (size_t k = 0; k < sizeof all_sets / sizeof *all_sets; k++) {
      CONTEXT("%s, %s", gemv_rows[i].name, all_sets[k] ? all_sets[k] : "all");
      scene is;
      host.passes = all_sets[k];
      set_matmul(&is, &gemv_rows[i]);
      check_against_reference(&is, &wnn_gemv_kernel, -1);
      end(&is);
    }
  host.passes = NULL;
  CONTEXT("%s", "");
}

/* In the last columns and in the last rows of the matrix too, which are no whole vectors. */
TEST(gemv_keeps_infinity_and_nan_in_their_places) {
  for (size_t i = 0; i < 2; i++) {
    const matmul_row row = {"", 2, {2, 43}, 2, {43, 21}, 2, {2, 21}, 'p', i == 0 ? 'p' : 't', true, F32, NO_POSTS};
    scene is;
    set_matmul(&is, &row);
    ((float *)is.bytes[0])[42] = INFINITY;
    ((float *)is.bytes[1])[43 * 21 - 1] = NAN;
    check_against_reference(&is, &wnn_gemv_kernel, -1);
    end(&is);
  }
}

TEST(gemv_takes_a_dying_residual_s_place) {
  static const matmul_row row = {"", 2, {2, 400}, 2, {400, 300}, 2, {2, 300}, 'p', 'p', true, F32,
                                 {POST(WNN_OP_GELU), POST_WITH(WNN_OP_ADD, 'f')}};
  scene is;
  set_matmul(&is, &row);
  is.inputs[2].dies = true;
  check_against_reference(&is, &wnn_gemv_kernel, 2);
  check_against_reference(&is, &wnn_gemv_kernel, -1);
  end(&is);
}

static void check_left(const matmul_row *row, const wnn_kernel *kernel) {
  CONTEXT("%s", row->name);
  wnn_plan *plan = NULL;
  scene is;
  set_matmul(&is, row);
  CHECK_STATUS(kernel->plan(device, &is.region, &plan), WEBNN_ERROR_NOT_SUPPORTED);
  end(&is);
  CONTEXT("%s", "");
}

TEST(product_leaves_to_others) {
  static const matmul_row rows[] = {
      {"not constant", 2, {40, 60}, 2, {60, 90}, 2, {40, 90}, 'p', 'p', false, F32, NO_POSTS},
      {"a matrix a batch", 3, {4, 10, 32}, 3, {4, 32, 24}, 3, {4, 10, 24}, 'p', 'p', true, F32, NO_POSTS},
      {"a matrix a batch, a shared", 2, {10, 32}, 3, {4, 32, 24}, 3, {4, 10, 24}, 'p', 'p', true, F32, NO_POSTS},
      {"transposed a", 2, {40, 60}, 2, {60, 90}, 2, {40, 90}, 't', 'p', true, F32, NO_POSTS},
      {"one row", 2, {1, 6000}, 2, {6000, 90}, 2, {1, 90}, 'p', 'p', true, F32, NO_POSTS},
      {"float16", 2, {40, 60}, 2, {60, 90}, 2, {40, 90}, 'p', 'p', true, F16, NO_POSTS},
  };
  static const matmul_row many[] = {
      {"five rows", 2, {5, 60}, 2, {60, 90}, 2, {5, 90}, 'p', 'p', true, F32, NO_POSTS},
      {"a row and a matrix a batch", 3, {4, 1, 32}, 3, {4, 32, 24}, 3, {4, 1, 24}, 'p', 'p', true, F32, NO_POSTS},
      {"transposed a", 2, {2, 60}, 2, {60, 90}, 2, {2, 90}, 't', 'p', true, F32, NO_POSTS},
      {"float16", 2, {1, 60}, 2, {60, 90}, 2, {1, 90}, 'p', 'p', true, F16, NO_POSTS},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) check_left(&rows[i], &wnn_product_kernel);
  for (size_t i = 0; i < sizeof many / sizeof *many; i++) check_left(&many[i], &wnn_gemv_kernel);
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

/* clang-format off */
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
    {"alpha, beta, constant c", 9, 20, 30, false, true, true, 0.5, -2, 1, {30}, true, F32,
     NO_POSTS},
    {"alpha, beta, variable c", 9, 20, 30, false, false, false, 0.5, -2, 1, {30}, false, F32,
     NO_POSTS},
    {"beta, variable c", 9, 20, 30, false, false, false, 1, 3, 2, {9, 30}, false, F32, NO_POSTS},
    {"one row", 1, 64, 30, false, true, true, 1, 1, 1, {30}, true, F32, {POST(WNN_OP_RELU)}},
    {"all", 9, 20, 30, false, true, true, 0.5, 2, 1, {30}, false, F32, {POST(WNN_OP_RELU),
     POST_WITH(WNN_OP_MUL, 'c'), POST_WITH(WNN_OP_ADD, 'f')}},
    {"float16", 9, 20, 30, false, true, true, 0.5, 2, 1, {30}, true, F16, NO_POSTS},
};
/* clang-format on */

static void check_gemm(const gemm_row *row, const wnn_kernel *kernel) {
  CONTEXT("%s", row->name);
  wnn_gemm_attrs attrs = {wnn_number_f(row->alpha), wnn_number_f(row->beta), row->a_transpose,
                          row->b_transpose};
  scene is;
  begin(&is, WNN_OP_GEMM, &attrs);
  const uint32_t m = row->m, k = row->k, n = row->n;
  add_port(&is, (wnn_desc){row->type, 2, {row->a_transpose ? k : m, row->a_transpose ? m : k}},
           'p', false);
  add_port(&is, (wnn_desc){row->type, 2, {row->b_transpose ? n : k, row->b_transpose ? k : n}},
           'p', row->constant);
  if (row->rank_c < 9)
    add_port(&is, desc_of(row->type, row->rank_c, row->c), 'p', row->constant_c);
  else
    add_absent(&is);
  set_result(&is, (wnn_desc){row->type, 2, {m, n}}, 'p');
  add_posts(&is, row->posts, 1, 'p');
  check_against_reference(&is, kernel, -1);
  end(&is);
  CONTEXT("%s", "");
}

TEST(gemm_agrees) {
  for (size_t i = 0; i < sizeof gemm_rows / sizeof *gemm_rows; i++)
    check_gemm(&gemm_rows[i], &wnn_onednn_gemm);
}

TEST(product_does_gemm) {
  static const gemm_row rows[] = {
      {"plain", 40, 60, 30, false, false, true, 1, 1, 9, {0}, false, F32, NO_POSTS},
      {"b transposed", 40, 60, 30, false, true, true, 1, 1, 9, {0}, false, F32, {POST(WNN_OP_ELU)}},
      {"row", 40, 60, 30, false, true, true, 1, 1, 1, {30}, true, F32, {POST(WNN_OP_GELU)}},
      {"row, rank 2, and another", 40, 60, 30, false, true, true, 1, 1, 2, {1, 30}, true, F32,
       {POST_WITH(WNN_OP_ADD, 'c')}},
      {"beta without c", 40, 60, 30, false, true, true, 1, 3, 9, {0}, false, F32, NO_POSTS},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) check_gemm(&rows[i], &wnn_product_kernel);
}

TEST(gemv_does_gemm) {
  static const gemm_row rows[] = {
      {"plain", 1, 60, 30, false, false, true, 1, 1, 9, {0}, false, F32, NO_POSTS},
      {"b transposed", 2, 60, 30, false, true, false, 1, 1, 9, {0}, false, F32, {POST(WNN_OP_ELU)}},
      {"row, rank 2, and another", 4, 60, 30, false, true, true, 1, 1, 2, {1, 30}, true, F32,
       {POST_WITH(WNN_OP_ADD, 'c')}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) check_gemm(&rows[i], &wnn_gemv_kernel);
}

typedef struct pool_row {
  const char *name;
  uint32_t n, c, h, w, window[2], strides[2], dilations[2], padding[4], out[2];
  int layout;
  char in, to;
  webnn_data_type type;
  webnn_status status;
} pool_row;

/* clang-format off */
static const pool_row pool_rows[] = {
    {"2x2", 1, 8, 6, 8, {2, 2}, {2, 2}, {1, 1}, {0}, {3, 4}, NCHW, 'p', 'p', F32, WEBNN_OK},
    {"2x2 last", 1, 8, 6, 8, {2, 2}, {2, 2}, {1, 1}, {0}, {3, 4}, NCHW, 'l', 'l', F32, WEBNN_OK},
    {"3x3 padded", 2, 5, 6, 8, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, {6, 8}, NCHW, 'l', 'l', F32,
     WEBNN_OK},
    {"blocked", 1, 12, 6, 8, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, {6, 8}, NCHW, '8', '8', F32,
     WEBNN_OK},
    {"floor", 1, 8, 8, 9, {3, 3}, {2, 4}, {1, 1}, {0, 1, 0, 0}, {4, 2}, NHWC, 'p', 'p', F32,
     WEBNN_OK},
    {"ceil", 1, 8, 8, 9, {3, 3}, {2, 4}, {1, 1}, {0, 0, 1, 0}, {4, 3}, NHWC, 'p', 'p', F32,
     WEBNN_OK},
    {"global", 1, 24, 7, 7, {7, 7}, {1, 1}, {1, 1}, {0}, {1, 1}, NCHW, 'l', 'l', F32, WEBNN_OK},
    {"dilated", 1, 8, 9, 9, {3, 2}, {1, 2}, {2, 3}, {1, 1, 1, 1}, {7, 4}, NCHW, 'l', 'l', F32,
     WEBNN_OK},
    {"float16", 1, 8, 6, 8, {2, 2}, {2, 2}, {1, 1}, {0}, {3, 4}, NCHW, 'l', 'l', F16, WEBNN_OK},
    {"empty window", 1, 8, 4, 4, {1, 1}, {1, 1}, {1, 1}, {1, 0, 0, 0}, {5, 4}, NCHW, 'l', 'l',
     F32, WEBNN_ERROR_NOT_SUPPORTED},
};
/* clang-format on */

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
    add_port(&is, image_desc(row->type, row->layout, row->n, row->c, row->h, row->w), row->in,
             false);
    set_result(&is, image_desc(row->type, row->layout, row->n, row->c, row->out[0], row->out[1]),
               row->to);
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
  } rows[] = {{last, 1, true, true, F32},
              {last, 1, false, false, F32},
              {last, 1, true, false, F32},
              {two, 2, false, true, F32},
              {two, 2, true, true, F16}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CONTEXT("row %zu", i);
    wnn_layer_normalization_attrs attrs = {{rows[i].axes, rows[i].n_axes, true},
                                           wnn_number_f(1e-5)};
    const wnn_desc desc = {rows[i].type, 3, {3, 5, 19}};
    wnn_desc part = {rows[i].type, (uint32_t)rows[i].n_axes, {0}};
    for (size_t k = 0; k < rows[i].n_axes; k++) part.dims[k] = desc.dims[rows[i].axes[k]];
    scene is;
    begin(&is, WNN_OP_LAYER_NORMALIZATION, &attrs);
    add_port(&is, desc, 'p', false);
    if (rows[i].scale)
      add_port(&is, part, 'p', true);
    else
      add_absent(&is);
    if (rows[i].bias)
      add_port(&is, part, 'p', true);
    else
      add_absent(&is);
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
      {{2, 5, 6, 7}, 'p', 'l', F32},
      {{2, 5, 6, 7}, 'l', 'p', F32},
      {{2, 5, 6, 7}, 'p', '8', F32},
      {{2, 21, 6, 7}, '8', 'p', F32},
      {{2, 21, 6, 7}, '8', 'l', F32},
      {{2, 21, 6, 7}, 'l', '6', F32},
      {{2, 5, 6, 7}, 'p', 'l', WEBNN_DATA_TYPE_INT32},
      {{2, 5, 6, 7}, 'r', 'p', WEBNN_DATA_TYPE_INT32},
      {{2, 5, 6, 7}, 'p', 'l', WEBNN_DATA_TYPE_UINT8},
      {{1, 3, 224, 224}, 'p', 'l', F32},
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

int main(int argc, char **argv) {
  static const harness_test tests[] = {RUN(matmul_agrees),
                                       RUN(matmul_adds_a_dying_residual_in_place),
                                       RUN(product_agrees),
                                       RUN(product_keeps_infinity_and_nan_in_their_rows),
                                       RUN(product_takes_a_dying_residual_s_place),
                                       RUN(gemv_agrees),
                                       RUN(gemv_keeps_infinity_and_nan_in_their_places),
                                       RUN(gemv_takes_a_dying_residual_s_place),
                                       RUN(product_leaves_to_others),
                                       RUN(gemm_agrees),
                                       RUN(product_does_gemm),
                                       RUN(gemv_does_gemm),
                                       RUN(average_pool2d_agrees),
                                       RUN(layer_normalization_agrees),
                                       RUN(reorder_moves_every_bit),
                                       {NULL, NULL}};
  return scene_main(argc, argv, tests);
}
