/* The kernels of attention on single regions, against the naive reference. */
#include "scene.h"

extern const wnn_kernel wnn_attention_kernel, wnn_attention_few_kernel;

static const char *const all_sets[] = {NULL, "-avx512", "-avx2"};

typedef struct attention_row {
  const char *name;
  uint32_t rank, batch[3], m, d, n, e;
  char q, k, v, y; /* layouts */
  bool has_mask;
  uint32_t mask_rank, mask[4];
  char mask_layout;
  float scale;
  bool divides;
} attention_row;

/* clang-format off */
static const attention_row attention_rows[] = {
    {"bare", 2, {0}, 12, 8, 16, 16, 'p', 'p', 'p', 'p', false, 0, {0}, 'p', 1, false},
    {"heads", 4, {2, 3}, 20, 16, 24, 16, 'h', 'h', 'h', 'h', false, 0, {0}, 'p', 0.25f, false},
    {"keys by row", 3, {4}, 33, 30, 50, 20, 'p', 't', 'p', 'p', false, 0, {0}, 'p', 5.5f, true},
    {"all by column", 3, {2}, 33, 30, 50, 20, 't', 'p', 't', 't', false, 0, {0}, 'p', 0.5f, false},
    {"back to front", 4, {2, 3}, 9, 7, 11, 5, 'r', 'r', 'r', 'r', true, 4, {2, 3, 9, 11}, 'r', 0.5f, false},
    {"a row of a mask", 4, {2, 3}, 20, 16, 24, 16, 'p', 'p', 'p', 'p', true, 4, {2, 1, 1, 24}, 'p', 0.25f, false},
    {"a column of a mask", 3, {3}, 20, 16, 24, 16, 'p', 't', 'p', 'p', true, 2, {20, 1}, 'p', 1, false},
    {"a number for a mask", 3, {3}, 20, 16, 24, 16, 'p', 't', 'p', 'p', true, 0, {0}, 'p', 1, false},
    {"many keys", 3, {2}, 150, 4, 1000, 33, 'p', 't', 'p', 'p', true, 3, {2, 150, 1000}, 't', 2, true},
    {"ones", 3, {3}, 8, 1, 1, 1, 'p', 'p', 'p', 'p', true, 3, {1, 8, 1}, 'p', 2, false},
    {"one row", 3, {3}, 1, 5, 40, 7, 'p', 't', 'p', 'p', false, 0, {0}, 'p', 2, false},
};
/* clang-format on */

static wnn_desc matrix_desc(const attention_row *row, uint32_t rows, uint32_t columns) {
  wnn_desc desc = {F32, row->rank, {0}};
  for (uint32_t i = 0; i + 2 < row->rank; i++) desc.dims[i] = row->batch[i];
  desc.dims[row->rank - 2] = rows;
  desc.dims[row->rank - 1] = columns;
  return desc;
}

static void set_attention(scene *is, const attention_row *row, const wnn_attention_attrs *attrs) {
  begin(is, WNN_OP_ATTENTION, attrs);
  add_port(is, matrix_desc(row, row->m, row->d), row->q, false);
  add_port(is, matrix_desc(row, row->d, row->n), row->k, false);
  add_port(is, matrix_desc(row, row->n, row->e), row->v, false);
  if (row->has_mask)
    add_port(is, desc_of(F32, row->mask_rank, row->mask), row->mask_layout, false);
  else
    add_absent(is);
  set_result(is, matrix_desc(row, row->m, row->e), row->y);
}

static void check_attention(const attention_row *row, const wnn_kernel *kernel) {
  for (size_t k = 0; k < sizeof all_sets / sizeof *all_sets; k++) {
    CONTEXT("%s, %s", row->name, all_sets[k] ? all_sets[k] : "all");
    const wnn_attention_attrs attrs = {row->scale, row->divides};
    scene is;
    host.passes = all_sets[k];
    set_attention(&is, row, &attrs);
    check_against_reference(&is, kernel, -1);
    end(&is);
  }
  host.passes = NULL;
  CONTEXT("%s", "");
}

TEST(attention_agrees) {
  for (size_t i = 0; i < sizeof attention_rows / sizeof *attention_rows; i++)
    check_attention(&attention_rows[i], &wnn_attention_kernel);
}

/* clang-format off */
static const attention_row few_rows[] = {
    {"keys by row", 4, {2, 12}, 1, 64, 150, 64, 'p', 't', 'p', 'p', false, 0, {0}, 'p', 0.125f, false},
    {"keys by column", 3, {5}, 1, 64, 150, 100, 'p', 'p', 'p', 'p', false, 0, {0}, 'p', 8, true},
    {"values by column", 3, {5}, 2, 24, 70, 9, 'p', 't', 't', 'p', false, 0, {0}, 'p', 1, false},
    {"heads", 4, {2, 3}, 7, 16, 49, 40, 'h', 'h', 'h', 'h', true, 4, {2, 1, 7, 49}, 'p', 0.25f, false},
    {"odd", 3, {2}, 5, 13, 61, 37, 't', 't', 'p', 't', true, 2, {5, 61}, 't', 0.5f, false},
    {"six rows by column", 3, {2}, 6, 33, 95, 7, 'p', 't', 't', 't', true, 2, {1, 95}, 'p', 0.5f, false},
    {"one head", 2, {0}, 4, 40, 3000, 24, 'p', 't', 'p', 'p', false, 0, {0}, 'p', 0.5f, false},
    {"one key", 3, {3}, 3, 5, 1, 4, 'p', 'r', 'p', 'p', false, 0, {0}, 'p', 2, false},
    {"a depth of one", 3, {3}, 3, 1, 20, 1, 'p', 't', 'r', 'r', true, 3, {3, 1, 20}, 'p', 2, false},
    {"ones", 3, {3}, 1, 1, 1, 1, 'p', 'p', 'p', 'p', true, 3, {1, 1, 1}, 'p', 2, false},
};
/* clang-format on */

TEST(attention_of_few_rows_agrees) {
  for (size_t i = 0; i < sizeof few_rows / sizeof *few_rows; i++)
    check_attention(&few_rows[i], &wnn_attention_few_kernel);
}

TEST(attention_of_few_rows_leaves_to_others) {
  static const attention_row rows[] = {
      {"eight rows", 3, {2}, 8, 16, 24, 16, 'p', 't', 'p', 'p', false, 0, {0}, 'p', 1, false},
      {"keys apart", 3, {2}, 1, 16, 24, 16, 'p', 'r', 'p', 'p', false, 0, {0}, 'p', 1, false},
      {"values apart", 3, {2}, 1, 16, 24, 16, 'p', 't', 'r', 'p', false, 0, {0}, 'p', 1, false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CONTEXT("%s", rows[i].name);
    const wnn_attention_attrs attrs = {1, false};
    wnn_plan *plan = NULL;
    scene is;
    set_attention(&is, &rows[i], &attrs);
    CHECK_STATUS(wnn_attention_few_kernel.plan(device, &is.region, &plan), WEBNN_ERROR_NOT_SUPPORTED);
    end(&is);
  }
  CONTEXT("%s", "");
}

/* `n` rows of which each sees `step` keys more than the one before; a row that may see nothing, `blind`, gives NaN, as
 * softmax does, and so does the row `odd`, which has one. */
static void check_mask(const wnn_kernel *kernel, uint32_t n, uint32_t step, uint32_t blind, uint32_t odd) {
  const attention_row row = {"", 2, {0}, n, 8, 20, 16, 'p', 't', 'p', 'p', true, 2, {n, 20}, 'p', 0.5f, false};
  const wnn_attention_attrs attrs = {row.scale, row.divides};
  scene is;
  set_attention(&is, &row, &attrs);
  float *mask = is.bytes[3], *v = is.bytes[2];
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < 20; k++)
      if (k > step * i || i == blind) mask[i * 20 + k] = -INFINITY;
  mask[odd * 20 + 3] = NAN;
  v[19 * 16] = INFINITY; /* what nobody sees is multiplied by zero */
  check_against_reference(&is, kernel, -1);
  end(&is);
}

TEST(attention_masks_with_infinity) { check_mask(&wnn_attention_kernel, 12, 1, 5, 7); }
TEST(attention_of_few_rows_masks_with_infinity) { check_mask(&wnn_attention_few_kernel, 4, 4, 2, 3); }

int main(int argc, char **argv) {
  static const harness_test tests[] = {RUN(attention_agrees),
                                       RUN(attention_of_few_rows_agrees),
                                       RUN(attention_of_few_rows_leaves_to_others),
                                       RUN(attention_masks_with_infinity),
                                       RUN(attention_of_few_rows_masks_with_infinity),
                                       {NULL, NULL}};
  return scene_main(argc, argv, tests);
}
