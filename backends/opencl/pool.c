/* Pooling over windows of a plane; cells in the padding don't count. */
#include "gen.h"

/* What a pool takes cell x with, and gives. */
typedef struct recipe {
  const char *first, *take, *end;
} recipe;

static recipe recipe_of(wnn_cl_gen *g, wnn_op_id op, webnn_data_type type) {
  switch (op) {
    case WNN_OP_AVERAGE_POOL2D: return (recipe){"0.0f", "y += x", "n ? y / (float)n : 0.0f"};
    case WNN_OP_L2_POOL2D: return (recipe){"0.0f", "y += x * x", "sqrt(y)"};
    default: break;
  }
  if (wnn_type_is_float(type)) return (recipe){"-INFINITY", "y = w_max(y, x)", "y"};
  uint64_t least = (uint64_t)wnn_type_min(type);
  return (recipe){wnn_cl_say(g, "(%s)0x%llxUL", wnn_cl_type(type), (unsigned long long)least),
                  "y = max(y, x)", "y"};
}

static webnn_status plan(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  wnn_cl_gen g;
  webnn_status status = wnn_cl_gen_begin(&g, device, region);
  if (status != WEBNN_OK) return wnn_cl_gen_finish(&g, status, out);
  const wnn_pool2d_attrs *attrs = region->anchor->attrs;
  const wnn_port *in = &region->inputs[0];
  bool channels_first = attrs->layout == WEBNN_INPUT_OPERAND_LAYOUT_NCHW;
  uint32_t h = channels_first ? 2 : 1, w = h + 1, c = channels_first ? 1 : 3;
  recipe r = recipe_of(&g, region->anchor->op->id, in->desc->type);
  const char *type = wnn_cl_value(in->desc->type);
  size_t strides[WNN_MAX_RANK];
  wnn_layout_strides(&in->layout, in->desc, strides);
  g.needs |= WNN_CL_NEEDS_MATH;
  g.coordinates = true;
  wnn_cl_put(&g, "  const int top = (int)(c%u * %uu) - %u, left = (int)(c%u * %uu) - %u;\n", h,
             attrs->strides.data[0], attrs->padding.data[0], w, attrs->strides.data[1],
             attrs->padding.data[2]);
  wnn_cl_put(&g, "  %s y = %s;\n  uint n = 0;\n", type, r.first);
  wnn_cl_put(&g, "  for (int a = 0; a < %u; a++) {\n    const int row = top + a * %u;\n",
             attrs->window_dimensions.data[0], attrs->dilations.data[0]);
  wnn_cl_put(&g, "    if (row < 0 || row >= %u) continue;\n    for (int b = 0; b < %u; b++) {\n",
             in->desc->dims[h], attrs->window_dimensions.data[1]);
  wnn_cl_put(
      &g,
      "      const int column = left + b * %u;\n      if (column < 0 || column >= %u) continue;\n",
      attrs->dilations.data[1], in->desc->dims[w]);
  const char *at = wnn_cl_say(&g, "c0 * %zuu + c%u * %zuu + row * %zuu + column * %zuu", strides[0],
                              c, strides[c], strides[h], strides[w]);
  wnn_cl_put(&g, "      const %s x = %s;\n      %s;\n      n++;\n    }\n  }\n", type,
             wnn_cl_load(&g, 0, at), r.take);
  wnn_cl_tail(&g, r.end, "i");
  wnn_cl_items(&g, wnn_desc_count(region->outputs[0].desc));
  return wnn_cl_gen_finish(&g, status, out);
}

const wnn_kernel wnn_cl_pool = {"opencl pool", plan, wnn_cl_plan_run, wnn_cl_plan_free};
