/* Pooling over windows of a plane; cells in the padding don't count. */
#include "gen.h"

/* What a pool takes cell x with, and gives. */
typedef struct recipe {
  const char *first, *take, *end;
} recipe;

static recipe recipe_of(wnn_cl_gen *g, wnn_op_id op, webnn_data_type type) {
  switch (op) {
    case WNN_OP_AVERAGE_POOL2D: return (recipe){"0.0f", "y += x", "y / (float)max(n, 1u)"};
    case WNN_OP_L2_POOL2D: return (recipe){"0.0f", "y += x * x", "sqrt(y)"};
    default: break;
  }
  if (wnn_type_is_float(type)) return (recipe){"-INFINITY", "y = w_max(y, x)", "y"};
  uint64_t least = (uint64_t)wnn_type_min(type);
  return (recipe){wnn_cl_say(g, "(%s)0x%llxUL", wnn_cl_type(type), (unsigned long long)least),
                  "y = max(y, x)", "y"};
}

/* The image and the result lie channels last, in eights: each is taken for eight channels at once.
 */
static bool is_in_eights(const wnn_region *region, uint32_t c) {
  const wnn_port *in = &region->inputs[0], *out = &region->outputs[0];
  size_t x[WNN_MAX_RANK], y[WNN_MAX_RANK];
  wnn_layout_strides(&in->layout, in->desc, x);
  wnn_layout_strides(&out->layout, out->desc, y);
  bool is_literal = in->constant != NULL && wnn_desc_count(in->desc) == 1;
  return wnn_type_is_float(in->desc->type) && in->desc->dims[c] % 8 == 0 && x[c] == 1 &&
         y[c] == 1 && !is_literal;
}

static const char *take_eight(wnn_op_id op) {
  switch (op) {
    case WNN_OP_AVERAGE_POOL2D: return "y += x";
    case WNN_OP_L2_POOL2D: return "y += x * x";
    default: return "y = select(x, y, (y > x) | (y != y))"; /* a NaN comes through */
  }
}

/* Declares the coordinates of work-item i's eight channels, the first of them `first`. */
static void begin_eight(wnn_cl_gen *g, uint32_t h, uint32_t w, uint32_t c) {
  const uint32_t *out = g->region->outputs[0].desc->dims;
  wnn_cl_put(g, "  const uint first = i %% %uu * 8, pixel = i / %uu, c%u = pixel %% %uu;\n",
             out[c] / 8, out[c] / 8, w, out[w]);
  wnn_cl_put(g, "  const uint c%u = pixel / %uu %% %uu, c0 = pixel / %uu;\n", h, out[w], out[h],
             out[w] * out[h]);
}

static void end_eight(wnn_cl_gen *g, uint32_t c, const char *value) {
  const wnn_port *out = &g->region->outputs[0];
  size_t strides[WNN_MAX_RANK];
  wnn_layout_strides(&out->layout, out->desc, strides);
  wnn_cl_put(g, "  float t[8];\n  vstore8(%s, 0, t);\n  for (uint j = 0; j < 8; j++) {\n", value);
  wnn_cl_put(g, "    const uint c%u = first + j, e = %s;\n", c, wnn_cl_offset(g, 4, strides, "c"));
  wnn_cl_tail(g, "t[j]", "e");
  wnn_cl_put(g, "  }\n");
  g->coordinates = false; /* declared above */
  wnn_cl_items(g, wnn_desc_count(out->desc) / 8);
}

/* Takes each cell `x` of the window that lies in the image. */
static void put_window(wnn_cl_gen *g, uint32_t h, uint32_t w, uint32_t c, bool eights,
                       const char *take) {
  const wnn_pool2d_attrs *attrs = g->region->anchor->attrs;
  const wnn_port *in = &g->region->inputs[0];
  const char *first = eights ? "first" : wnn_cl_say(g, "c%u", c);
  size_t x[WNN_MAX_RANK];
  wnn_layout_strides(&in->layout, in->desc, x);
  wnn_cl_put(g, "  const int top = (int)(c%u * %uu) - %u, left = (int)(c%u * %uu) - %u;\n", h,
             attrs->strides.data[0], attrs->padding.data[0], w, attrs->strides.data[1],
             attrs->padding.data[2]);
  wnn_cl_put(g, "  for (int a = 0; a < %u; a++) {\n    const int row = top + a * %u;\n",
             attrs->window_dimensions.data[0], attrs->dilations.data[0]);
  wnn_cl_put(g, "    if (row < 0 || row >= %u) continue;\n    for (int b = 0; b < %u; b++) {\n",
             in->desc->dims[h], attrs->window_dimensions.data[1]);
  wnn_cl_put(g,
             "      const int column = left + b * %u;\n      if (column < 0 || column >= %u) "
             "continue;\n",
             attrs->dilations.data[1], in->desc->dims[w]);
  const char *at = wnn_cl_say(g, "c0 * %zuu + %s * %zuu + row * %zuu + column * %zuu", x[0], first,
                              x[c], x[h], x[w]);
  const char *value = wnn_cl_load(g, 0, at);
  if (eights) value = wnn_cl_load_many(g, "i0", in->desc->type, 8, at);
  wnn_cl_put(g, "      const %s x = %s;\n      %s;\n      n++;\n    }\n  }\n",
             eights ? "float8" : wnn_cl_value(in->desc->type), value, take);
}

static webnn_status plan(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  wnn_cl_gen g;
  webnn_status status = wnn_cl_gen_begin(&g, device, region);
  if (status != WEBNN_OK) return wnn_cl_gen_finish(&g, status, out);
  const wnn_pool2d_attrs *attrs = region->anchor->attrs;
  const webnn_data_type type = region->inputs[0].desc->type;
  const bool channels_first = attrs->layout == WEBNN_INPUT_OPERAND_LAYOUT_NCHW;
  const uint32_t h = channels_first ? 2 : 1, w = h + 1, c = channels_first ? 1 : 3;
  const bool eights = is_in_eights(region, c);
  const recipe r = recipe_of(&g, region->anchor->op->id, type);
  g.needs |= WNN_CL_NEEDS_MATH;
  g.coordinates = !eights;
  if (eights) begin_eight(&g, h, w, c);
  wnn_cl_put(&g, "  %s y = %s;\n  uint n = 0;\n", eights ? "float8" : wnn_cl_value(type), r.first);
  if (eights) {
    put_window(&g, h, w, c, true, take_eight(region->anchor->op->id));
    end_eight(&g, c, r.end);
  } else {
    put_window(&g, h, w, c, false, r.take);
    wnn_cl_tail(&g, r.end, "i");
    wnn_cl_items(&g, wnn_desc_count(region->outputs[0].desc));
  }
  return wnn_cl_gen_finish(&g, status, out);
}

const wnn_kernel wnn_cl_pool = {"opencl pool", plan, wnn_cl_plan_run, wnn_cl_plan_free};
