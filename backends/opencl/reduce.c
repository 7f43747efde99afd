/* Reductions along lanes, argMin and argMax, cumulativeSum. */
#include "gen.h"

/* Lanes of so many elements are worth a group each, while there are few of them. */
#define LONG_LANE 128
#define MANY_LANES 16384

/* How a reduction goes: what it begins with, takes element x with, and joins two halves a and b by;
 * `end`, or NULL, follows the last element. */
typedef struct recipe {
  const char *type, *first, *take, *join, *end;
} recipe;

/* Where an element of the lane at hand lies; declares the lane's base `b` from its number. */
static void begin_lane(wnn_cl_gen *g, const wnn_cl_lanes *lanes, const char *lane) {
  wnn_cl_coordinates(g, &g->body, "q", lanes->n_kept, lanes->kept_dims, NULL, lane);
  wnn_cl_put(g, "  const uint b = %s;\n",
             wnn_cl_offset(g, lanes->n_kept, lanes->kept_strides, "q"));
}

static const char *element(wnn_cl_gen *g, const wnn_cl_lanes *lanes, const char *k) {
  return wnn_cl_load(g, 0, wnn_cl_say(g, "b + %s", wnn_cl_along(g, lanes, k)));
}

/* One walk along the lane: the result is in `name`. In a group each takes a share, then halves
 * meet. */
static void walk(wnn_cl_gen *g, const wnn_cl_lanes *lanes, const char *name, const recipe *r,
                 size_t group) {
  webnn_data_type type = g->region->inputs[0].desc->type;
  wnn_cl_put(g, "  %s %s = %s;\n", r->type, name, r->first);
  wnn_cl_put(g,
             group ? "  for (uint k = l; k < %zuu; k += %zuu) {\n"
                   : "  for (uint k = 0; k < %zuu; k += %zuu) {\n",
             lanes->n_each, group ? group : 1);
  wnn_cl_put(g, "    const %s x = %s;\n    %s;\n  }\n", wnn_cl_value(type), element(g, lanes, "k"),
             r->take);
  if (r->end != NULL) wnn_cl_put(g, "  %s;\n", r->end);
  if (group == 0) return;
  wnn_cl_put(g,
             "  t_%s[l] = %s;\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
             "  for (uint h = %zuu; h > 0; h /= 2) {\n    if (l < h) {\n"
             "      const %s a = t_%s[l], b = t_%s[l + h];\n      t_%s[l] = %s;\n    }\n"
             "    barrier(CLK_LOCAL_MEM_FENCE);\n  }\n  %s = t_%s[0];\n",
             name, name, group / 2, r->type, name, name, name, r->join, name, name);
}

/* ---- the ten reductions */

static const char *summand(wnn_op_id op) {
  switch (op) {
    case WNN_OP_REDUCE_L1: return "fabs(x)";
    case WNN_OP_REDUCE_L2:
    case WNN_OP_REDUCE_SUM_SQUARE: return "x * x";
    default: return "x";
  }
}

static recipe float_recipe(wnn_cl_gen *g, wnn_op_id op) {
  g->needs |= WNN_CL_NEEDS_MATH | WNN_CL_NEEDS_SUM;
  switch (op) {
    case WNN_OP_REDUCE_MAX:
      return (recipe){"float", "-INFINITY", "y = w_max(y, x)", "w_max(a, b)", NULL};
    case WNN_OP_REDUCE_MIN:
      return (recipe){"float", "INFINITY", "y = w_min(y, x)", "w_min(a, b)", NULL};
    case WNN_OP_REDUCE_PRODUCT: return (recipe){"float", "1.0f", "y *= x", "a * b", NULL};
    default:
      return (recipe){"float", "0.0f", wnn_cl_say(g, "w_add(&y, &rest, %s)", summand(op)), "a + b",
                      NULL};
  }
}

static recipe integer_recipe(wnn_cl_gen *g, wnn_op_id op, webnn_data_type type) {
  const char *t = wnn_cl_type(type), *u = wnn_cl_unsigned(type);
  uint64_t least = (uint64_t)wnn_type_min(type), most = wnn_type_max(type);
  switch (op) {
    case WNN_OP_REDUCE_MAX:
      return (recipe){t, wnn_cl_say(g, "(%s)0x%llxUL", t, (unsigned long long)least),
                      "y = max(y, x)", "max(a, b)", NULL};
    case WNN_OP_REDUCE_MIN:
      return (recipe){t, wnn_cl_say(g, "(%s)0x%llxUL", t, (unsigned long long)most),
                      "y = min(y, x)", "min(a, b)", NULL};
    case WNN_OP_REDUCE_PRODUCT:
      return (recipe){u, "1", wnn_cl_say(g, "y *= (%s)x", u), "a * b", NULL};
    case WNN_OP_REDUCE_L1:
      return (recipe){
          u, "0",
          wnn_cl_say(g,
                     wnn_type_is_signed(type) ? "y += x < 0 ? (%s)0 - (%s)x : (%s)x" : "y += (%s)x",
                     u, u, u),
          "a + b", NULL};
    case WNN_OP_REDUCE_SUM_SQUARE:
      return (recipe){u, "0", wnn_cl_say(g, "y += (%s)x * (%s)x", u, u), "a + b", NULL};
    default: return (recipe){u, "0", wnn_cl_say(g, "y += (%s)x", u), "a + b", NULL};
  }
}

static const char *finished(wnn_cl_gen *g, wnn_op_id op, size_t n, webnn_data_type type) {
  if (!wnn_type_is_float(type)) return wnn_cl_say(g, "(%s)y", wnn_cl_type(type));
  switch (op) {
    case WNN_OP_REDUCE_L2: return "sqrt(y)";
    case WNN_OP_REDUCE_LOG_SUM: return "log(y)";
    case WNN_OP_REDUCE_LOG_SUM_EXP: return "isfinite(m) ? m + log(y) : m";
    case WNN_OP_REDUCE_MEAN: return wnn_cl_say(g, "y / %s", wnn_cl_float(g, (double)n));
    default: return "y";
  }
}

/* Sums carry what they round off. */
static bool carries(wnn_op_id op, webnn_data_type type) {
  return wnn_type_is_float(type) && op != WNN_OP_REDUCE_MAX && op != WNN_OP_REDUCE_MIN &&
         op != WNN_OP_REDUCE_PRODUCT;
}

/* Lanes that lie beside one another are walked eight at a time. */
static bool in_eights(const wnn_cl_gen *g, const wnn_cl_lanes *lanes, wnn_op_id op) {
  const wnn_port *in = &g->region->inputs[0];
  const uint32_t last = lanes->n_kept - 1;
  return carries(op, in->desc->type) && op != WNN_OP_REDUCE_LOG_SUM_EXP && lanes->n_kept != 0 &&
         lanes->kept_strides[last] == 1 && lanes->kept_dims[last] % 8 == 0;
}

/* A group for eight lanes of sums. */
static void reduce_eights(wnn_cl_gen *g, const wnn_cl_lanes *lanes, wnn_op_id op, size_t group) {
  const wnn_port *in = &g->region->inputs[0], *out = &g->region->outputs[0];
  g->needs |= WNN_CL_NEEDS_SUM;
  wnn_cl_put(g, "  __local float8 t_y[%zu];\n  const uint first = g * 8;\n", group);
  begin_lane(g, lanes, "first");
  element(g, lanes, "0"); /* it is read */
  wnn_cl_put(g, "  float8 y = (float8)(0.0f), rest = (float8)(0.0f);\n");
  wnn_cl_put(g, "  for (uint k = l; k < %zuu; k += %zuu) {\n", lanes->n_each, group);
  const char *at = wnn_cl_say(g, "b + %s", wnn_cl_along(g, lanes, "k"));
  wnn_cl_put(g, "    const float8 x = %s;\n    w_add8(&y, &rest, %s);\n  }\n",
             wnn_cl_load_many(g, "i0", in->desc->type, 8, at), summand(op));
  wnn_cl_put(g,
             "  t_y[l] = y + rest;\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
             "  for (uint h = %zuu; h > 0; h /= 2) {\n    if (l < h) t_y[l] += t_y[l + h];\n"
             "    barrier(CLK_LOCAL_MEM_FENCE);\n  }\n  if (l != 0) return;\n  y = t_y[0];\n",
             group / 2);
  wnn_cl_put(g,
             "  float t[8];\n  vstore8(%s, 0, t);\n  for (uint j = 0; j < 8; j++) {\n    const "
             "uint lane = first + j;\n",
             finished(g, op, lanes->n_each, in->desc->type));
  if (g->region->n_posts != 0)
    wnn_cl_coordinates(g, &g->body, "c", out->desc->rank, out->desc->dims, out->layout.order,
                       "lane");
  wnn_cl_tail(g, "t[j]", "lane");
  wnn_cl_put(g, "  }\n");
  wnn_cl_groups(g, lanes->n_lanes / 8, group);
}

static void reduce(wnn_cl_gen *g) {
  const wnn_region *region = g->region;
  const wnn_reduce_attrs *attrs = region->anchor->attrs;
  const wnn_op_id op = region->anchor->op->id;
  webnn_data_type type = region->inputs[0].desc->type;
  wnn_cl_lanes lanes = wnn_cl_split(&region->inputs[0], attrs->axes.data, attrs->axes.n, true);
  bool in_groups = lanes.n_each >= LONG_LANE && lanes.n_lanes < MANY_LANES;
  size_t group = in_groups ? 64 : 0;
  if (group > g->device->max_group) group = 0;
  if (group && in_eights(g, &lanes, op)) {
    reduce_eights(g, &lanes, op, group);
    return;
  }
  const char *lane = group ? "g" : "i";
  recipe r = wnn_type_is_float(type) ? float_recipe(g, op) : integer_recipe(g, op, type);
  if (group) wnn_cl_put(g, "  __local %s t_y[%zu], t_m[%zu];\n", r.type, group, group);
  begin_lane(g, &lanes, lane);
  if (op == WNN_OP_REDUCE_LOG_SUM_EXP) {
    walk(g, &lanes, "m", &(recipe){"float", "-INFINITY", "m = w_max(m, x)", "w_max(a, b)", NULL},
         group);
    r.take = "w_add(&y, &rest, exp(x - m))";
  }
  if (carries(op, type)) {
    wnn_cl_put(g, "  float rest = 0.0f;\n");
    r.end = "y += rest";
  }
  walk(g, &lanes, "y", &r, group);
  if (group) {
    const wnn_port *out = &region->outputs[0];
    wnn_cl_put(g, "  if (l != 0) return;\n");
    if (region->n_posts != 0)
      wnn_cl_coordinates(g, &g->body, "c", out->desc->rank, out->desc->dims, out->layout.order,
                         "g");
  }
  wnn_cl_tail(g, finished(g, op, lanes.n_each, type), lane);
  if (group)
    wnn_cl_groups(g, lanes.n_lanes, group);
  else
    wnn_cl_items(g, lanes.n_lanes);
}

/* ---- argMin, argMax: an equal one doesn't beat, so that the lowest index wins; the first NaN
 * beats all */

static void arg(wnn_cl_gen *g) {
  const wnn_arg_attrs *attrs = g->region->anchor->attrs;
  webnn_data_type type = g->region->inputs[0].desc->type;
  const char *value = wnn_cl_value(type);
  wnn_cl_lanes lanes = wnn_cl_split(&g->region->inputs[0], &attrs->axis, 1, false);
  const char *beats = g->region->anchor->op->id == WNN_OP_ARG_MAX ? "x > best" : "x < best";
  if (wnn_type_is_float(type)) beats = wnn_cl_say(g, "best == best && (x != x || %s)", beats);
  begin_lane(g, &lanes, "i");
  wnn_cl_put(g, "  uint at = 0;\n  %s best = %s;\n", value, element(g, &lanes, "0"));
  wnn_cl_put(g, "  for (uint k = 1; k < %zuu; k++) {\n    const %s x = %s;\n", lanes.n_each, value,
             element(g, &lanes, "k"));
  wnn_cl_put(g, "    if (%s) {\n      best = x;\n      at = k;\n    }\n  }\n", beats);
  wnn_cl_tail(g, "at", "i");
  wnn_cl_items(g, lanes.n_lanes);
}

/* ---- cumulativeSum: a lane a work-item; results go where the element was */

static void cumulative_sum(wnn_cl_gen *g) {
  const wnn_region *region = g->region;
  const wnn_cumulative_sum_attrs *attrs = region->anchor->attrs;
  const wnn_port *out = &region->outputs[0];
  webnn_data_type type = region->inputs[0].desc->type;
  wnn_cl_lanes lanes = wnn_cl_split(&region->inputs[0], &attrs->axis, 1, false);
  bool is_float = wnn_type_is_float(type);
  size_t strides[WNN_MAX_RANK];
  wnn_layout_strides(&out->layout, out->desc, strides);
  begin_lane(g, &lanes, "i");
  for (uint32_t d = 0; d < lanes.n_kept; d++)
    wnn_cl_put(g, "  const uint c%u = q%u;\n", lanes.kept_axes[d], d);
  wnn_cl_put(g, is_float ? "  float sum = 0.0f, rest = 0.0f;\n" : "  %s sum = 0;\n",
             wnn_cl_unsigned(type));
  wnn_cl_put(g, "  for (uint n = 0; n < %zuu; n++) {\n", lanes.n_each);
  if (attrs->reversed)
    wnn_cl_put(g, "  const uint k = %zuu - n;\n", lanes.n_each - 1);
  else
    wnn_cl_put(g, "  const uint k = n;\n");
  wnn_cl_put(g, "  const uint c%u = k, e = %s;\n", attrs->axis,
             wnn_cl_offset(g, out->desc->rank, strides, "c"));
  const char *so_far = is_float ? "sum + rest" : wnn_cl_say(g, "(%s)sum", wnn_cl_type(type));
  wnn_cl_put(g, "  const %s x = %s, before = %s;\n", wnn_cl_value(type), element(g, &lanes, "k"),
             so_far);
  if (is_float) {
    g->needs |= WNN_CL_NEEDS_SUM;
    wnn_cl_put(g, "  w_add(&sum, &rest, x);\n");
  } else {
    wnn_cl_put(g, "  sum += (%s)x;\n", wnn_cl_unsigned(type));
  }
  wnn_cl_tail(g, attrs->exclusive ? "before" : so_far, "e");
  wnn_cl_put(g, "  }\n");
  g->coordinates = false; /* declared above */
  wnn_cl_items(g, lanes.n_lanes);
}

static webnn_status plan(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  wnn_cl_gen g;
  webnn_status status = wnn_cl_gen_begin(&g, device, region);
  if (status != WEBNN_OK) return wnn_cl_gen_finish(&g, status, out);
  const wnn_op_id op = region->anchor->op->id;
  if (wnn_op_is_reduction(op))
    reduce(&g);
  else if (op == WNN_OP_CUMULATIVE_SUM)
    cumulative_sum(&g);
  else if (op == WNN_OP_ARG_MIN || op == WNN_OP_ARG_MAX)
    arg(&g);
  else
    status = WEBNN_ERROR_NOT_SUPPORTED;
  return wnn_cl_gen_finish(&g, status, out);
}

const wnn_kernel wnn_cl_reduce = {"opencl reduce", plan, wnn_cl_plan_run, wnn_cl_plan_free};
