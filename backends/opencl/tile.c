#include "tile.h"

wnn_cl_tile wnn_cl_tile_of(size_t n_rows, size_t n_groups, size_t n_columns, size_t n_inner) {
  wnn_cl_tile tile = {.rows = n_rows < WNN_CL_TILE_ROWS ? n_rows : WNN_CL_TILE_ROWS,
                      .vectors = n_columns > 8 ? 2 : 1,
                      .n_groups = n_groups,
                      .n_columns = n_columns,
                      .n_inner = n_inner};
  tile.width = 8 * tile.vectors;
  tile.n_panels = (n_columns + tile.width - 1) / tile.width;
  return tile;
}

static size_t packed_floats(const wnn_cl_tile *tile) {
  return tile->n_groups * tile->n_panels * tile->n_inner * tile->width;
}

static size_t all_floats(const wnn_cl_tile *tile) { return packed_floats(tile) + tile->n_zeros; }

/* Columns beyond the last are zeros. */
static void pack_now(const wnn_cl_tile *tile, const wnn_port *port, wnn_cl_tile_offset offset,
                     const void *arg, float *to) {
  const bool is_half = port->desc->type == WEBNN_DATA_TYPE_FLOAT16;
  for (size_t group = 0; group < tile->n_groups; group++)
    for (size_t panel = 0; panel < tile->n_panels; panel++)
      for (size_t k = 0; k < tile->n_inner; k++)
        for (size_t j = 0; j < tile->width; j++) {
          size_t column = panel * tile->width + j, at = offset(arg, group, k, column);
          if (column >= tile->n_columns)
            *to++ = 0;
          else if (is_half)
            *to++ = wnn_f16_to_f32(((const uint16_t *)port->constant)[at]);
          else
            *to++ = ((const float *)port->constant)[at];
        }
  for (size_t i = 0; i < tile->n_zeros; i++) *to++ = 0;
}

static webnn_status keep_packed(wnn_cl_gen *g, const wnn_cl_tile *tile, size_t port,
                                wnn_cl_tile_offset offset, const void *arg) {
  const wnn_alloc *alloc = &g->device->host->alloc;
  size_t n_bytes = all_floats(tile) * sizeof(float);
  float *packed = wnn_alloc_get(alloc, n_bytes);
  if (packed == NULL) return WEBNN_ERROR_UNKNOWN;
  pack_now(tile, &g->region->inputs[port], offset, arg, packed);
  webnn_status status = wnn_cl_memory.create(g->device, n_bytes, packed, &g->plan->kept);
  wnn_alloc_free(alloc, packed, n_bytes);
  g->plan->base.weight_bytes = n_bytes;
  return status;
}

static void pack_later(wnn_cl_gen *g, const wnn_cl_tile *tile, size_t port, wnn_cl_tile_place place,
                       const void *arg) {
  g->packed_at = wnn_cl_plan_scratch(g->plan, all_floats(tile) * sizeof(float));
  wnn_cl_put(g, "  const uint j = i %% %zuu, k = i / %zuu %% %zuu, panel = i / %zuu;\n",
             tile->width, tile->width, tile->n_inner, tile->width * tile->n_inner);
  wnn_cl_put(g, "  const uint group = panel / %zuu, column = panel %% %zuu * %zuu + j;\n",
             tile->n_panels, tile->n_panels, tile->width);
  wnn_cl_put(g, "  float x = 0.0f;\n  if (i < %zuu && column < %zuu) x = %s;\n",
             packed_floats(tile), tile->n_columns,
             wnn_cl_load(g, port, place(g, arg, "group", "k", "column")));
  wnn_cl_put(g, "  ((__global float *)(s + %zu))[i] = x;\n", g->packed_at);
  g->scratch = true;
  wnn_cl_items(g, all_floats(tile));
}

webnn_status wnn_cl_tile_pack(wnn_cl_gen *g, const wnn_cl_tile *tile, size_t port,
                              wnn_cl_tile_place place, wnn_cl_tile_offset offset, const void *arg) {
  if (all_floats(tile) > WNN_MAX_ELEMENTS) return WEBNN_ERROR_NOT_SUPPORTED;
  if (g->region->inputs[port].constant != NULL) return keep_packed(g, tile, port, offset, arg);
  pack_later(g, tile, port, place, arg);
  return WEBNN_OK;
}

void wnn_cl_tile_begin(wnn_cl_gen *g, const wnn_cl_tile *tile) {
  if (g->plan->kept != NULL) {
    g->kept = true;
  } else {
    g->scratch = true;
    wnn_cl_put(g, "  __global const float *w = (__global const float *)(s + %zu);\n", g->packed_at);
  }
  if (tile->n_zeros != 0)
    wnn_cl_put(g, "  __global const float *z = w + %zuu;\n", packed_floats(tile));
  for (size_t m = 0; m < tile->rows; m++)
    for (size_t v = 0; v < tile->vectors; v++)
      wnn_cl_put(g, "  float8 a%zu_%zu = (float8)(0.0f);\n", m, v);
}

void wnn_cl_tile_loop(wnn_cl_gen *g, const wnn_cl_tile *tile, size_t n, const char *const *rows) {
  wnn_cl_put(g, "  for (uint k = 0; k < %zuu; k++) {\n", n);
  for (size_t v = 0; v < tile->vectors; v++)
    wnn_cl_put(g, "    const float8 w%zu = vload8(%zu, f + k * %zuu);\n", v, v, tile->width);
  for (size_t m = 0; m < tile->rows; m++) {
    wnn_cl_put(g, "    const float8 x%zu = (float8)(%s);\n", m, rows[m]);
    for (size_t v = 0; v < tile->vectors; v++)
      wnn_cl_put(g, "    a%zu_%zu = fma(x%zu, w%zu, a%zu_%zu);\n", m, v, m, v, m, v);
  }
  wnn_cl_put(g, "  }\n");
}

void wnn_cl_tile_end(wnn_cl_gen *g, const wnn_cl_tile *tile) {
  wnn_cl_put(g, "  float t[%zu];\n", tile->rows * tile->width);
  for (size_t m = 0; m < tile->rows; m++)
    for (size_t v = 0; v < tile->vectors; v++)
      wnn_cl_put(g, "  vstore8(a%zu_%zu, %zu, t);\n", m, v, m * tile->vectors + v);
}
