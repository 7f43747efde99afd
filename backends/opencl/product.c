/* Matrix products by tiles. */
#include "product.h"

wnn_cl_operand wnn_cl_operand_of(const wnn_port *port, uint32_t rank_of_result, bool transposed) {
  const wnn_desc *desc = port->desc;
  uint32_t rank = desc->rank, shift = rank_of_result - rank;
  wnn_cl_operand m = {.n_batch = 1, .n_axes = rank - 2};
  wnn_layout_strides(&port->layout, desc, m.own);
  for (uint32_t d = rank - 2; d-- > 0;) {
    m.dims[d] = desc->dims[d];
    m.batch[d + shift] = desc->dims[d] == 1 ? 0 : m.own[d];
    m.number[d + shift] = desc->dims[d] == 1 ? 0 : m.n_batch;
    m.n_batch *= desc->dims[d];
  }
  m.row = m.own[transposed ? rank - 1 : rank - 2];
  m.column = m.own[transposed ? rank - 2 : rank - 1];
  return m;
}

/* Where (k, column) of matrix `group` lies. */
const char *wnn_cl_operand_place(wnn_cl_gen *g, const void *arg, const char *group, const char *k,
                                 const char *column) {
  const wnn_cl_operand *m = arg;
  const char *at = wnn_cl_say(g, "%s * %zuu + %s * %zuu", k, m->row, column, m->column),
             *rest = group;
  for (uint32_t d = m->n_axes; d-- > 0;) {
    if (m->dims[d] == 1) continue;
    at = wnn_cl_say(g, "%s + (%s) %% %uu * %zuu", at, rest, m->dims[d], m->own[d]);
    rest = wnn_cl_say(g, "(%s) / %uu", rest, m->dims[d]);
  }
  return at;
}

size_t wnn_cl_operand_offset(const void *arg, size_t group, size_t k, size_t column) {
  const wnn_cl_operand *m = arg;
  size_t at = k * m->row + column * m->column;
  for (uint32_t d = m->n_axes; d-- > 0;) {
    at += group % m->dims[d] * m->own[d];
    group /= m->dims[d];
  }
  return at;
}

/* Stores t, row by row, with what follows. */
static void put_results(wnn_cl_gen *g, const wnn_cl_tile *tile, const wnn_gemm_attrs *gemm,
                        size_t n_rows) {
  const wnn_port *out = &g->region->outputs[0];
  uint32_t rank = out->desc->rank;
  size_t o[WNN_MAX_RANK];
  wnn_layout_strides(&out->layout, out->desc, o);
  wnn_cl_put(g, "  for (uint m = 0; m < %zuu; m++) {\n    const uint c%u = block * %zuu + m;\n",
             tile->rows, rank - 2, tile->rows);
  if (n_rows % tile->rows != 0) wnn_cl_put(g, "    if (c%u >= %zuu) break;\n", rank - 2, n_rows);
  if (tile->n_columns % tile->width == 0)
    wnn_cl_put(g, "    for (uint j = 0; j < %zuu; j++) {\n", tile->width);
  else
    wnn_cl_put(g, "    for (uint j = 0; j < min(%zuu, %zuu - panel * %zuu); j++) {\n", tile->width,
               tile->n_columns, tile->width);
  wnn_cl_put(g, "    const uint c%u = panel * %zuu + j, e = %s;\n", rank - 1, tile->width,
             wnn_cl_offset(g, rank, o, "c"));
  const char *y = wnn_cl_say(g, "t[m * %zuu + j]", tile->width);
  if (gemm != NULL) {
    if (gemm->alpha.as.f != 1) y = wnn_cl_say(g, "%s * %s", wnn_cl_float(g, gemm->alpha.as.f), y);
    if (g->region->anchor->n_inputs > 2 && g->region->inputs[2].desc != NULL)
      y = wnn_cl_say(g, "fma(%s, %s, %s)", wnn_cl_float(g, gemm->beta.as.f),
                     wnn_cl_load(g, 2, wnn_cl_index_at(g, 2, &g->region->anchor_desc, "c")), y);
  }
  wnn_cl_tail(g, y, "e");
  wnn_cl_put(g, "    }\n  }\n");
  g->coordinates = false; /* declared above */
}

static webnn_status by_tiles(wnn_cl_gen *g) {
  const wnn_region *region = g->region;
  const wnn_gemm_attrs *gemm = region->anchor->op->id == WNN_OP_GEMM ? region->anchor->attrs : NULL;
  const wnn_desc *out = &region->anchor_desc, *da = region->inputs[0].desc;
  uint32_t rank = out->rank;
  size_t n_rows = out->dims[rank - 2], n_columns = out->dims[rank - 1], n_batch = 1;
  size_t n_inner = da->dims[gemm != NULL && gemm->a_transpose ? 0 : da->rank - 1];
  wnn_cl_operand a = wnn_cl_operand_of(&region->inputs[0], rank, gemm != NULL && gemm->a_transpose),
                 b = wnn_cl_operand_of(&region->inputs[1], rank, gemm != NULL && gemm->b_transpose);
  for (uint32_t d = 0; d + 2 < rank; d++) n_batch *= out->dims[d];
  wnn_cl_tile tile = wnn_cl_tile_of(n_rows, b.n_batch, n_columns, n_inner);
  size_t n_blocks = (n_rows + tile.rows - 1) / tile.rows, local = g->local;
  webnn_status status =
      wnn_cl_tile_pack(g, &tile, 1, wnn_cl_operand_place, wnn_cl_operand_offset, &b);
  if (status != WEBNN_OK) return status;
  wnn_cl_put(g, "  const uint block = i %% %zuu, panel = i / %zuu %% %zuu, batch = i / %zuu;\n",
             n_blocks, n_blocks, tile.n_panels, n_blocks * tile.n_panels);
  wnn_cl_coordinates(g, &g->body, "c", rank - 2, out->dims, NULL, "batch");
  wnn_cl_tile_begin(g, &tile);
  wnn_cl_put(g, "  __global const float *f = w + ((%s) * %zuu + panel) * %zuu;\n",
             wnn_cl_offset(g, rank - 2, b.number, "c"), tile.n_panels, n_inner * tile.width);
  wnn_cl_put(g, "  const uint base = %s;\n", wnn_cl_offset(g, rank - 2, a.batch, "c"));
  const char *rows[WNN_CL_TILE_ROWS];
  for (size_t m = 0; m < tile.rows; m++) {
    rows[m] = wnn_cl_load(g, 0, "0");
    if (!g->inputs[0]) continue; /* a literal */
    wnn_cl_put(g,
               "  __global const %s *q%zu = i0 + (base + min(block * %zuu + %zuu, %zuu) * %zuu);\n",
               wnn_cl_type(da->type), m, tile.rows, m, n_rows - 1, a.row);
    rows[m] = wnn_cl_load_from(g, wnn_cl_say(g, "q%zu", m), da->type,
                               wnn_cl_say(g, "k * %zuu", a.column));
  }
  wnn_cl_tile_loop(g, &tile, n_inner, rows);
  wnn_cl_tile_end(g, &tile);
  put_results(g, &tile, gemm, n_rows);
  g->local = g->device->is_cpu ? 1 : 32;
  wnn_cl_items(g, n_blocks * tile.n_panels * n_batch);
  g->local = local;
  return WEBNN_OK;
}

static webnn_status plan(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  wnn_cl_gen g;
  webnn_status status = wnn_cl_gen_begin(&g, device, region);
  if (status == WEBNN_OK) status = by_tiles(&g);
  return wnn_cl_gen_finish(&g, status, out);
}

const wnn_kernel wnn_cl_product = {"opencl product", plan, wnn_cl_plan_run, wnn_cl_plan_free};
