/* Matrix products, a work-item for each element of the result: every shape, every layout. */
#include "gen.h"

/* Strides of a matrix: to the next row, to the next column; and of its batch along the result's
 * axes. */
typedef struct matrix {
  size_t row, column;
  const char *base;
} matrix;

/* The last two axes of an operand, and where its batch begins for the coordinates of the result. */
static matrix look_at(wnn_cl_gen *g, size_t port, bool transposed) {
  const wnn_port *p = &g->region->inputs[port];
  const wnn_desc *out = &g->region->anchor_desc;
  size_t own[WNN_MAX_RANK], strides[WNN_MAX_RANK] = {0};
  uint32_t rank = p->desc->rank, shift = out->rank - rank;
  wnn_layout_strides(&p->layout, p->desc, own);
  for (uint32_t d = 0; d + 2 < rank; d++) strides[d + shift] = p->desc->dims[d] == 1 ? 0 : own[d];
  size_t row = own[rank - 2], column = own[rank - 1];
  return (matrix){transposed ? column : row, transposed ? row : column,
                  wnn_cl_offset(g, out->rank, strides, "c")};
}

static webnn_status plan(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  wnn_cl_gen g;
  webnn_status status = wnn_cl_gen_begin(&g, device, region);
  if (status != WEBNN_OK) return wnn_cl_gen_finish(&g, status, out);
  const wnn_gemm_attrs *gemm = region->anchor->op->id == WNN_OP_GEMM ? region->anchor->attrs : NULL;
  const wnn_desc *da = region->inputs[0].desc;
  uint32_t rank = region->anchor_desc.rank;
  size_t inner = da->dims[gemm != NULL && gemm->a_transpose ? 0 : da->rank - 1];
  matrix a = look_at(&g, 0, gemm != NULL && gemm->a_transpose),
         b = look_at(&g, 1, gemm != NULL && gemm->b_transpose);
  g.coordinates = true;
  wnn_cl_put(&g, "  const uint a = %s + c%u * %zuu, b = %s + c%u * %zuu;\n", a.base, rank - 2,
             a.row, b.base, rank - 1, b.column);
  const char *x = wnn_cl_load(&g, 0, wnn_cl_say(&g, "a + k * %zuu", a.column));
  const char *w = wnn_cl_load(&g, 1, wnn_cl_say(&g, "b + k * %zuu", b.row));
  /* In blocks, so that a long sum keeps its digits. */
  wnn_cl_put(
      &g, "  float y = 0.0f;\n  for (uint n = 0; n < %zuu; n += 256) {\n    float part = 0.0f;\n",
      inner);
  wnn_cl_put(&g,
             "    for (uint k = n; k < min(n + 256u, %zuu); k++) part = fma(%s, %s, part);\n    y "
             "+= part;\n  }\n",
             inner, x, w);
  const char *y = "y";
  if (gemm != NULL) {
    y = wnn_cl_say(&g, "%s * y", wnn_cl_float(&g, gemm->alpha.as.f));
    if (region->anchor->n_inputs > 2 && region->inputs[2].desc != NULL)
      y = wnn_cl_say(&g, "fma(%s, %s, %s)", wnn_cl_float(&g, gemm->beta.as.f),
                     wnn_cl_load(&g, 2, wnn_cl_index_at(&g, 2, &region->anchor_desc, "c")), y);
  }
  wnn_cl_tail(&g, y, "i");
  wnn_cl_items(&g, wnn_desc_count(region->outputs[0].desc));
  return wnn_cl_gen_finish(&g, status, out);
}

const wnn_kernel wnn_cl_product = {"opencl product", plan, wnn_cl_plan_run, wnn_cl_plan_free};
