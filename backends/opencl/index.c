/* Gathers and scatters: elements move to or from places that indices name. */
#include "gen.h"

/* Element `linear` (as if it lay row-major) of an input. */
static const char *element(wnn_cl_gen *g, size_t port, const char *stem, const char *linear) {
  const wnn_port *p = &g->region->inputs[port];
  size_t strides[WNN_MAX_RANK];
  if (wnn_layout_is_plain(&p->layout, p->desc)) return wnn_cl_load(g, port, linear);
  wnn_cl_coordinates(g, &g->body, stem, p->desc->rank, p->desc->dims, NULL, linear);
  wnn_layout_strides(&p->layout, p->desc, strides);
  return wnn_cl_load(g, port, wnn_cl_offset(g, p->desc->rank, strides, stem));
}

/* The place in 0 … n - 1 that a loaded index means. */
static const char *place(wnn_cl_gen *g, const char *index, uint32_t n) {
  bool is_signed = wnn_type_is_signed(g->region->inputs[1].desc->type);
  g->needs |= WNN_CL_NEEDS_INDEX;
  return wnn_cl_say(g, is_signed ? "w_place(%s, %uu)" : "w_place_unsigned(%s, %uu)", index, n);
}

static void end_gather(wnn_cl_gen *g, const char *from) {
  g->coordinates = true;
  wnn_cl_tail(g, wnn_cl_load(g, 0, from), "i");
  wnn_cl_items(g, wnn_desc_count(g->region->outputs[0].desc));
}

static void gather(wnn_cl_gen *g) {
  const wnn_axis_attrs *attrs = g->region->anchor->attrs;
  const wnn_port *in = &g->region->inputs[0], *indices = &g->region->inputs[1];
  size_t strides[WNN_MAX_RANK], of_indices[WNN_MAX_RANK];
  const char *index = "0", *from = "0";
  wnn_layout_strides(&in->layout, in->desc, strides);
  wnn_layout_strides(&indices->layout, indices->desc, of_indices);
  for (uint32_t d = 0; d < indices->desc->rank; d++)
    index = wnn_cl_say(g, "%s + c%u * %zuu", index, attrs->axis + d, of_indices[d]);
  for (uint32_t d = 0; d < in->desc->rank; d++) {
    uint32_t c = d < attrs->axis ? d : d + indices->desc->rank - 1;
    if (d != attrs->axis) from = wnn_cl_say(g, "%s + c%u * %zuu", from, c, strides[d]);
  }
  index = place(g, wnn_cl_load(g, 1, index), in->desc->dims[attrs->axis]);
  end_gather(g, wnn_cl_say(g, "%s + %s * %zuu", from, index, strides[attrs->axis]));
}

static void gather_elements(wnn_cl_gen *g) {
  const wnn_axis_attrs *attrs = g->region->anchor->attrs;
  const wnn_port *in = &g->region->inputs[0];
  size_t strides[WNN_MAX_RANK];
  wnn_layout_strides(&in->layout, in->desc, strides);
  const char *index =
      place(g, wnn_cl_load(g, 1, wnn_cl_index(g, 1, "i")), in->desc->dims[attrs->axis]);
  size_t along = strides[attrs->axis];
  strides[attrs->axis] = 0;
  end_gather(g, wnn_cl_say(g, "%s + %s * %zuu", wnn_cl_offset(g, in->desc->rank, strides, "c"),
                           index, along));
}

static void gather_nd(wnn_cl_gen *g) {
  const wnn_port *in = &g->region->inputs[0], *indices = &g->region->inputs[1];
  size_t strides[WNN_MAX_RANK], of_indices[WNN_MAX_RANK];
  uint32_t rank = indices->desc->rank - 1, n = indices->desc->dims[rank];
  const char *row = "0", *from = "0";
  wnn_layout_strides(&in->layout, in->desc, strides);
  wnn_layout_strides(&indices->layout, indices->desc, of_indices);
  for (uint32_t d = 0; d < rank; d++) row = wnn_cl_say(g, "%s + c%u * %zuu", row, d, of_indices[d]);
  for (uint32_t d = 0; d < n; d++) {
    const char *index = wnn_cl_load(g, 1, wnn_cl_say(g, "%s + %zuu", row, d * of_indices[rank]));
    from = wnn_cl_say(g, "%s + %s * %zuu", from, place(g, index, in->desc->dims[d]), strides[d]);
  }
  for (uint32_t d = n; d < in->desc->rank; d++)
    from = wnn_cl_say(g, "%s + c%u * %zuu", from, rank + d - n, strides[d]);
  end_gather(g, from);
}

/* ---- scatters: each place of the result finds the last of those that name it, then takes what
 * that brings. Three kernels, over the numbers of `n_places` winners in the scratch. */

static void clear_winners(wnn_cl_gen *g, size_t n_places) {
  wnn_cl_plan_scratch(g->plan, n_places * sizeof(cl_int));
  g->scratch = true;
  wnn_cl_put(g, "  ((__global int *)s)[i] = -1;\n");
  wnn_cl_items(g, n_places);
}

static void find_winners(wnn_cl_gen *g, const char *to, size_t n_rows) {
  g->scratch = true;
  wnn_cl_put(g, "  atomic_max((__global int *)s + (%s), (int)i);\n", to);
  wnn_cl_items(g, n_rows);
}

/* `update`: the place in the updates of what winner `w` brings to element i. */
static void take(wnn_cl_gen *g, const char *winner, const char *update) {
  const wnn_region *region = g->region;
  g->scratch = true;
  wnn_cl_put(g, "  const int w = ((__global const int *)s)[%s];\n  %s x;\n  if (w >= 0) {\n",
             winner, wnn_cl_value(region->anchor_desc.type));
  wnn_cl_put(g, "  const uint u = %s;\n", update);
  const char *from = element(g, 2, "u", "u");
  wnn_cl_put(g, "  x = %s;\n  } else {\n", from);
  from = element(g, 0, "d", "i");
  wnn_cl_put(g, "  x = %s;\n  }\n", from);
  wnn_cl_tail(g, "x", "i");
  wnn_cl_items(g, wnn_desc_count(region->outputs[0].desc));
}

static void scatter_elements(wnn_cl_gen *g) {
  const wnn_axis_attrs *attrs = g->region->anchor->attrs;
  const wnn_desc *in = g->region->inputs[0].desc, *indices = g->region->inputs[1].desc;
  size_t strides[WNN_MAX_RANK];
  clear_winners(g, wnn_desc_count(in));
  wnn_cl_coordinates(g, &g->body, "t", indices->rank, indices->dims, NULL, "i");
  const char *index = place(g, element(g, 1, "e", "i"), in->dims[attrs->axis]);
  wnn_shape_strides(in, strides);
  size_t along = strides[attrs->axis];
  strides[attrs->axis] = 0;
  find_winners(
      g, wnn_cl_say(g, "%s + %s * %zuu", wnn_cl_offset(g, in->rank, strides, "t"), index, along),
      wnn_desc_count(indices));
  take(g, "i", "(uint)w");
}

static void scatter_nd(wnn_cl_gen *g) {
  const wnn_port *port = &g->region->inputs[1];
  const wnn_desc *in = g->region->inputs[0].desc, *indices = port->desc;
  uint32_t n = indices->dims[indices->rank - 1];
  size_t n_places = 1, n_each, n_rows = wnn_desc_count(indices) / n;
  const char *to = "0";
  for (uint32_t d = 0; d < n; d++) n_places *= in->dims[d];
  n_each = wnn_desc_count(in) / n_places;
  clear_winners(g, n_places);
  for (uint32_t d = 0; d < n; d++) {
    const char *index =
        element(g, 1, wnn_cl_say(g, "e%u_", d), wnn_cl_say(g, "(i * %uu + %uu)", n, d));
    to = wnn_cl_say(g, "(%s) * %uu + %s", to, in->dims[d], place(g, index, in->dims[d]));
  }
  find_winners(g, to, n_rows);
  take(g, wnn_cl_say(g, "i / %zuu", n_each),
       wnn_cl_say(g, "(uint)w * %zuu + i %% %zuu", n_each, n_each));
}

static webnn_status plan(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  wnn_cl_gen g;
  webnn_status status = wnn_cl_gen_begin(&g, device, region);
  if (status != WEBNN_OK) return wnn_cl_gen_finish(&g, status, out);
  switch (region->anchor->op->id) {
    case WNN_OP_GATHER: gather(&g); break;
    case WNN_OP_GATHER_ELEMENTS: gather_elements(&g); break;
    case WNN_OP_GATHER_ND: gather_nd(&g); break;
    case WNN_OP_SCATTER_ELEMENTS: scatter_elements(&g); break;
    default: scatter_nd(&g);
  }
  return wnn_cl_gen_finish(&g, status, out);
}

const wnn_kernel wnn_cl_gather = {"opencl index", plan, wnn_cl_plan_run, wnn_cl_plan_free};
