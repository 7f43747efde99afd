/* Normalisations and softmax: one kernel each. Means and variances take two passes; nothing is a
 * difference of squares. */
#include "gen.h"

/* Lanes of so many elements are worth a group each. */
#define LONG_LANE 32

/* Operand `i` for the element at hand, or what stands for an absent one. */
static const char *parameter(wnn_cl_gen *g, size_t i, const char *index, const char *absent) {
  const wnn_region *region = g->region;
  if (i >= region->anchor->n_inputs || region->inputs[i].desc == NULL) return absent;
  return wnn_cl_load(g, i, index);
}

static void batch_normalization(wnn_cl_gen *g) {
  const wnn_batch_normalization_attrs *attrs = g->region->anchor->attrs;
  const char *c = wnn_cl_say(g, "c%u", attrs->axis);
  const char *x = wnn_cl_load(g, 0, wnn_cl_index(g, 0, "i"));
  g->coordinates = true;
  wnn_cl_put(g, "  const float x = %s - %s, d = sqrt(%s + %s);\n", x, parameter(g, 1, c, "0.0f"),
             parameter(g, 2, c, "1.0f"), wnn_cl_float(g, attrs->epsilon.as.f));
  /* Where scale and deviation make no normal number, the step that could overflow comes last. */
  wnn_cl_put(g,
             "  const float s = %s, f = s / d;\n"
             "  const float z = isnormal(f) || s == 0.0f ? x * f\n"
             "                  : d < 1.0f && fabs(x) > 1.0f ? x * s / d : x / d * s;\n",
             parameter(g, 3, c, "1.0f"));
  wnn_cl_tail(g, wnn_cl_say(g, "z + %s", parameter(g, 4, c, "0.0f")), "i");
  wnn_cl_items(g, wnn_desc_count(g->region->outputs[0].desc));
}

/* A lane at hand: in a group of work-items, or with one of them (group 0). */
typedef struct lane {
  wnn_cl_lanes lanes;
  const uint32_t *axes;
  size_t group;
} lane;

static lane begin_lane(wnn_cl_gen *g, const uint32_t *axes, size_t n_axes) {
  lane l = {wnn_cl_split(&g->region->inputs[0], axes, n_axes, false), axes, 0};
  if (l.lanes.n_each >= LONG_LANE && g->device->max_group >= 64) l.group = 64;
  if (l.group) wnn_cl_put(g, "  __local float t[%zu];\n", l.group);
  wnn_cl_coordinates(g, &g->body, "q", l.lanes.n_kept, l.lanes.kept_dims, NULL,
                     l.group ? "g" : "i");
  return l;
}

static void end_lane(wnn_cl_gen *g, const lane *l) {
  g->coordinates = false; /* declared in every loop */
  if (l->group)
    wnn_cl_groups(g, l->lanes.n_lanes, l->group);
  else
    wnn_cl_items(g, l->lanes.n_lanes);
}

/* A loop over the lane, in which `x` is the element, a0 … its place along the lane, c0 … in the
 * tensor. */
static void begin_loop(wnn_cl_gen *g, const lane *l) {
  const wnn_port *in = &g->region->inputs[0];
  size_t strides[WNN_MAX_RANK];
  wnn_cl_put(g, "  for (uint k = %s; k < %zuu; k += %zuu) {\n", l->group ? "l" : "0",
             l->lanes.n_each, l->group ? l->group : 1);
  wnn_cl_coordinates(g, &g->body, "a", l->lanes.n_along, l->lanes.along_dims, NULL, "k");
  for (uint32_t d = 0; d < l->lanes.n_kept; d++)
    wnn_cl_put(g, "  const uint c%u = q%u;\n", l->lanes.kept_axes[d], d);
  for (uint32_t d = 0; d < l->lanes.n_along; d++)
    wnn_cl_put(g, "  const uint c%u = a%u;\n", l->axes[d], d);
  wnn_layout_strides(&in->layout, in->desc, strides);
  wnn_cl_put(g, "  const float x = %s;\n",
             wnn_cl_load(g, 0, wnn_cl_offset(g, in->desc->rank, strides, "c")));
}

/* `name` = first; take each x; with a group, its members' values are joined by `join` of a and b.
 */
static void walk(wnn_cl_gen *g, const lane *l, const char *name, const char *first,
                 const char *take, bool carries, const char *join) {
  wnn_cl_put(g, "  float %s = %s, %s_rest = 0.0f;\n", name, first, name);
  begin_loop(g, l);
  wnn_cl_put(g, "  %s;\n  }\n", take);
  if (carries) wnn_cl_put(g, "  %s += %s_rest;\n", name, name);
  if (!l->group) return;
  wnn_cl_put(
      g,
      "  t[l] = %s;\n  barrier(CLK_LOCAL_MEM_FENCE);\n  for (uint h = %zuu; h > 0; h /= 2) {\n"
      "    if (l < h) {\n      const float a = t[l], b = t[l + h];\n      t[l] = %s;\n    }\n"
      "    barrier(CLK_LOCAL_MEM_FENCE);\n  }\n  %s = t[0];\n  barrier(CLK_LOCAL_MEM_FENCE);\n",
      name, l->group / 2, join, name);
}

/* A loop that stores what `value` makes of each x. */
static void write(wnn_cl_gen *g, const lane *l, const char *value) {
  const wnn_port *out = &g->region->outputs[0];
  size_t strides[WNN_MAX_RANK];
  wnn_layout_strides(&out->layout, out->desc, strides);
  wnn_cl_put(g, "  const uint e = %s;\n", wnn_cl_offset(g, out->desc->rank, strides, "c"));
  wnn_cl_tail(g, value, "e");
  wnn_cl_put(g, "  }\n");
  end_lane(g, l);
}

/* All -infinity subtracts to NaN, and a NaN reaches every element through the sum: the formula's
 * answers. */
static void softmax(wnn_cl_gen *g) {
  const wnn_axis_attrs *attrs = g->region->anchor->attrs;
  lane l = begin_lane(g, &attrs->axis, 1);
  g->needs |= WNN_CL_NEEDS_MATH | WNN_CL_NEEDS_SUM;
  walk(g, &l, "m", "-INFINITY", "m = x > m ? x : m", false, "b > a ? b : a");
  walk(g, &l, "y", "0.0f", "w_add(&y, &y_rest, exp(x - m))", true, "a + b");
  begin_loop(g, &l);
  write(g, &l, "exp(x - m) / y");
}

static void normalize(wnn_cl_gen *g, const uint32_t *axes, size_t n_axes, double epsilon,
                      bool by_channel) {
  const wnn_region *region = g->region;
  const char *index[3] = {NULL, "0", "0"}, *n;
  lane l = begin_lane(g, axes, n_axes);
  n = wnn_cl_float(g, (double)l.lanes.n_each);
  g->needs |= WNN_CL_NEEDS_MATH | WNN_CL_NEEDS_SUM;
  if (region->anchor->op->id == WNN_OP_RMS_NORMALIZATION) {
    wnn_cl_put(g, "  const float mean = 0.0f;\n");
  } else {
    walk(g, &l, "mean", "0.0f", "w_add(&mean, &mean_rest, x)", true, "a + b");
    wnn_cl_put(g, "  mean /= %s;\n", n);
    /* Once more from there: the mean of equal elements is what they are. */
    walk(g, &l, "off", "0.0f", "w_add(&off, &off_rest, x - mean)", true, "a + b");
    wnn_cl_put(g, "  mean += isfinite(off) ? off / %s : 0.0f;\n", n);
  }
  walk(g, &l, "y", "0.0f", "w_add(&y, &y_rest, (x - mean) * (x - mean))", true, "a + b");
  wnn_cl_put(g, "  y = sqrt(y / %s + %s);\n", n, wnn_cl_float(g, epsilon));
  begin_loop(g, &l);
  /* Scale and bias lie in the order of `axes`, or by channel: the kept axis behind the batch. */
  for (size_t i = 1; i < 3; i++) {
    size_t strides[WNN_MAX_RANK];
    if (i >= region->anchor->n_inputs || region->inputs[i].desc == NULL) continue;
    wnn_layout_strides(&region->inputs[i].layout, region->inputs[i].desc, strides);
    index[i] = by_channel ? "q1" : wnn_cl_offset(g, region->inputs[i].desc->rank, strides, "a");
  }
  wnn_cl_put(g, "  const float z = (x - mean) / y;\n");
  write(g, &l,
        wnn_cl_say(g, "%s * z + %s", parameter(g, 1, index[1], "1.0f"),
                   parameter(g, 2, index[2], "0.0f")));
}

static void instance_normalization(wnn_cl_gen *g) {
  const wnn_instance_normalization_attrs *attrs = g->region->anchor->attrs;
  static const uint32_t nchw[2] = {2, 3}, nhwc[2] = {1, 2};
  const uint32_t *axes = attrs->layout == WEBNN_INPUT_OPERAND_LAYOUT_NHWC ? nhwc : nchw;
  normalize(g, axes, 2, attrs->epsilon.as.f, true);
}

static webnn_status plan(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  wnn_cl_gen g;
  webnn_status status = wnn_cl_gen_begin(&g, device, region);
  const wnn_layer_normalization_attrs *attrs = region->anchor->attrs;
  if (status != WEBNN_OK) return wnn_cl_gen_finish(&g, status, out);
  switch (region->anchor->op->id) {
    case WNN_OP_BATCH_NORMALIZATION: batch_normalization(&g); break;
    case WNN_OP_INSTANCE_NORMALIZATION: instance_normalization(&g); break;
    case WNN_OP_SOFTMAX: softmax(&g); break;
    default: normalize(&g, attrs->axes.data, attrs->axes.n, attrs->epsilon.as.f, false);
  }
  return wnn_cl_gen_finish(&g, status, out);
}

const wnn_kernel wnn_cl_norm = {"opencl normalization", plan, wnn_cl_plan_run, wnn_cl_plan_free};
