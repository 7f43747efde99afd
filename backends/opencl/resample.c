/* Resampling along two axes, with half-pixel centres. */
#include "gen.h"

/* Where an output place looks on one axis: `<n>_part` of the way from input place `<n>_low` to
 * `<n>_high`. As a fraction over 2·out its centre is exact: no rounding decides which neighbour is
 * the nearest; halves go down. */
static void put_place(wnn_cl_gen *g, const char *n, uint32_t axis, uint32_t n_in, uint32_t n_out,
                      bool nearest) {
  wnn_cl_put(g,
             "  long %s_u = (2L * c%u + 1L) * %uL - %uL;\n  uint %s_low = 0, %s_high;\n  float "
             "%s_part = 0.0f;\n",
             n, axis, n_in, n_out, n, n, n);
  wnn_cl_put(g, "  if (%s_u >= 0) {\n    const long whole = %s_u / %lluL, rest = %s_u %% %lluL;\n",
             n, n, 2ull * n_out, n, 2ull * n_out);
  wnn_cl_put(g, "    if (whole >= %uL) %s_low = %uu;\n", n_in - 1, n, n_in - 1);
  if (nearest)
    wnn_cl_put(g, "    else %s_low = (uint)whole + (rest > %uL);\n  }\n", n, n_out);
  else
    wnn_cl_put(
        g,
        "    else {\n      %s_low = (uint)whole;\n      %s_part = (float)rest / %s;\n    }\n  }\n",
        n, n, wnn_cl_float(g, 2.0 * n_out));
  wnn_cl_put(g, "  %s_high = %s_part > 0.0f ? %s_low + 1 : %s_low;\n", n, n, n, n);
}

static const char *corner(wnn_cl_gen *g, const size_t *strides, uint32_t a, uint32_t b,
                          const char *row, const char *column) {
  const char *at =
      wnn_cl_say(g, "base + p_%s * %zuu + q_%s * %zuu", row, strides[a], column, strides[b]);
  const char *x = wnn_cl_load(g, 0, at);
  return wnn_type_is_float(g->region->inputs[0].desc->type) ? x : wnn_cl_say(g, "(float)%s", x);
}

static webnn_status plan(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  wnn_cl_gen g;
  webnn_status status = wnn_cl_gen_begin(&g, device, region);
  if (status != WEBNN_OK) return wnn_cl_gen_finish(&g, status, out);
  const wnn_resample2d_attrs *attrs = region->anchor->attrs;
  const wnn_port *in = &region->inputs[0];
  const wnn_desc *to = &region->anchor_desc;
  bool nearest = attrs->mode == WEBNN_INTERPOLATION_MODE_NEAREST_NEIGHBOR;
  uint32_t a = attrs->axes.data[0], b = attrs->axes.data[1];
  size_t strides[WNN_MAX_RANK], others[WNN_MAX_RANK];
  wnn_layout_strides(&in->layout, in->desc, strides);
  for (uint32_t d = 0; d < to->rank; d++) others[d] = d == a || d == b ? 0 : strides[d];
  g.coordinates = true;
  put_place(&g, "p", a, in->desc->dims[a], to->dims[a], nearest);
  put_place(&g, "q", b, in->desc->dims[b], to->dims[b], nearest);
  wnn_cl_put(&g, "  const uint base = %s;\n", wnn_cl_offset(&g, to->rank, others, "c"));
  if (nearest) {
    const char *at = wnn_cl_say(&g, "base + p_low * %zuu + q_low * %zuu", strides[a], strides[b]);
    wnn_cl_tail(&g, wnn_cl_load(&g, 0, at), "i");
  } else {
    /* Without the far neighbour where it has no part: 0 times infinity would be NaN. */
    const char *rows[2] = {"low", "high"};
    for (int i = 0; i < 2; i++) {
      const char *left = corner(&g, strides, a, b, rows[i], "low"),
                 *right = corner(&g, strides, a, b, rows[i], "high");
      wnn_cl_put(&g,
                 "  const float %s = q_part > 0.0f ? %s * (1.0f - q_part) + %s * q_part : %s;\n",
                 rows[i], left, right, left);
    }
    const char *mixed = "(p_part > 0.0f ? low * (1.0f - p_part) + high * p_part : low)";
    bool is_float = wnn_type_is_float(to->type);
    if (!is_float) g.needs |= WNN_CL_NEEDS_CAST;
    wnn_cl_tail(&g,
                is_float ? mixed : wnn_cl_say(&g, "w_to_%s(rint%s)", wnn_cl_type(to->type), mixed),
                "i");
  }
  wnn_cl_items(&g, wnn_desc_count(region->outputs[0].desc));
  return wnn_cl_gen_finish(&g, status, out);
}

const wnn_kernel wnn_cl_resample = {"opencl resample", plan, wnn_cl_plan_run, wnn_cl_plan_free};
