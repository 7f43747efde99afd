/* Elements that move as they are: row by row of the result, each looks for its own. */
#include "gen.h"

/* Ports that one kernel takes. */
#define MAX_PARTS 32

static const char *strided(wnn_cl_gen *g, const int64_t *strides, int64_t base) {
  const char *sum = wnn_cl_say(g, "%lld", (long long)base);
  for (uint32_t d = 0; d < g->region->anchor_desc.rank; d++)
    if (strides[d] != 0) sum = wnn_cl_say(g, "%s + (int)c%u * %lld", sum, d, (long long)strides[d]);
  return sum;
}

static void strides_of(const wnn_port *port, int64_t out[WNN_MAX_RANK]) {
  size_t strides[WNN_MAX_RANK];
  wnn_layout_strides(&port->layout, port->desc, strides);
  for (uint32_t d = 0; d < port->desc->rank; d++) out[d] = (int64_t)strides[d];
}

static void one(wnn_cl_gen *g, const char *index) {
  wnn_cl_tail(g, wnn_cl_load(g, 0, index), "i");
  wnn_cl_items(g, wnn_desc_count(g->region->outputs[0].desc));
}

static void slice(wnn_cl_gen *g) {
  const wnn_slice_attrs *attrs = g->region->anchor->attrs;
  int64_t strides[WNN_MAX_RANK], base = 0;
  strides_of(&g->region->inputs[0], strides);
  for (uint32_t d = 0; d < g->region->anchor_desc.rank; d++) {
    base += strides[d] * attrs->starts.data[d];
    /* A stride that leaves one element may be huge: it isn't used then. */
    strides[d] = g->region->anchor_desc.dims[d] > 1 ? strides[d] * attrs->strides.data[d] : 0;
  }
  g->coordinates = true;
  one(g, strided(g, strides, base));
}

static void reverse(wnn_cl_gen *g) {
  const wnn_axes_attrs *attrs = g->region->anchor->attrs;
  int64_t strides[WNN_MAX_RANK], base = 0;
  strides_of(&g->region->inputs[0], strides);
  for (size_t i = 0; i < attrs->axes.n; i++) {
    uint32_t axis = attrs->axes.data[i];
    base += strides[axis] * (g->region->anchor_desc.dims[axis] - 1);
    strides[axis] = -strides[axis];
  }
  g->coordinates = true;
  one(g, strided(g, strides, base));
}

static void tile(wnn_cl_gen *g) {
  const wnn_port *in = &g->region->inputs[0];
  size_t strides[WNN_MAX_RANK];
  wnn_layout_strides(&in->layout, in->desc, strides);
  for (uint32_t d = 0; d < in->desc->rank; d++)
    if (in->desc->dims[d] == g->region->anchor_desc.dims[d])
      wnn_cl_put(g, "  const uint t%u = c%u;\n", d, d);
    else
      wnn_cl_put(g, "  const uint t%u = c%u %% %uu;\n", d, d, in->desc->dims[d]);
  g->coordinates = true;
  one(g, wnn_cl_offset(g, in->desc->rank, strides, "t"));
}

/* Where in the input place `c` of an axis is taken from: those before it (part 0), in it, behind it
 * (part 2). The builder has seen to it that one mirroring is enough. */
static const char *padded_place(wnn_cl_gen *g, uint32_t axis, int part) {
  const wnn_pad_attrs *attrs = g->region->anchor->attrs;
  const long long n = g->region->inputs[0].desc->dims[axis];
  const long long before = attrs->beginning_padding.data[axis];
  const int again = attrs->mode == WEBNN_PADDING_MODE_SYMMETRIC; /* the edge itself */
  if (part == 1) return wnn_cl_say(g, "(int)c%u - %lld", axis, before);
  if (attrs->mode == WEBNN_PADDING_MODE_EDGE) return wnn_cl_say(g, "%lld", part == 0 ? 0 : n - 1);
  return wnn_cl_say(g, "%lld - (int)c%u", before + (part == 0 ? -again : 2 * n - 2 + again), axis);
}

/* Along a row each part has a loop of its own. One loop that limits its own counter is more than
 * LLVM 14 compiles rightly: for elements of one or two bytes the rest of a row began with the row's
 * first element. */
static void pad(wnn_cl_gen *g) {
  const wnn_pad_attrs *attrs = g->region->anchor->attrs;
  const wnn_port *in = &g->region->inputs[0];
  const bool by_number = attrs->mode == WEBNN_PADDING_MODE_CONSTANT;
  const char *inside = "1", *number = wnn_cl_number(g, attrs->value, in->desc->type);
  const wnn_cl_rows rows = wnn_cl_rows_of(g, &g->region->outputs[0], "c");
  size_t strides[WNN_MAX_RANK], ends[4] = {0, 0, 0, SIZE_MAX};
  wnn_layout_strides(&in->layout, in->desc, strides);
  for (uint32_t d = 0; d < in->desc->rank; d++) {
    const uint32_t begin = attrs->beginning_padding.data[d], end = begin + in->desc->dims[d];
    const char *within = padded_place(g, d, 1);
    if (d == rows.axis) {
      ends[1] = begin;
      ends[2] = end;
    } else if (begin + attrs->ending_padding.data[d] == 0 || by_number) {
      wnn_cl_put(g, "  const int t%u = %s;\n", d, within);
      if (begin + attrs->ending_padding.data[d] != 0)
        inside = wnn_cl_say(g, "%s && c%u >= %uu && c%u < %uu", inside, d, begin, d, end);
    } else {
      wnn_cl_put(g, "  const int t%u = c%u < %uu ? %s : c%u >= %uu ? %s : %s;\n", d, d, begin,
                 padded_place(g, d, 0), d, end, padded_place(g, d, 2), within);
    }
  }
  for (int part = 0; part < 3; part++) {
    if (part == 0 ? ends[1] == 0 : part == 2 && attrs->ending_padding.data[rows.axis] == 0)
      continue;
    wnn_cl_row_loop(g, &rows, rows.axis, ends[part], ends[part + 1]);
    wnn_cl_put(g, "  const int t%u = %s;\n", rows.axis, padded_place(g, rows.axis, part));
    const char *value = wnn_cl_load(g, 0, wnn_cl_offset(g, in->desc->rank, strides, "t"));
    if (by_number)
      value = part == 1 ? wnn_cl_say(g, "%s ? %s : %s", inside, value, number) : number;
    wnn_cl_tail(g, value, "i");
    wnn_cl_put(g, "  }\n");
  }
  wnn_cl_row_items(g, &rows);
}

static void triangular(wnn_cl_gen *g) {
  const wnn_triangular_attrs *attrs = g->region->anchor->attrs;
  uint32_t rank = g->region->anchor_desc.rank;
  webnn_data_type type = g->region->anchor_desc.type;
  g->coordinates = true;
  const char *from = wnn_cl_load(g, 0, wnn_cl_index(g, 0, "i"));
  wnn_cl_tail(
      g,
      wnn_cl_say(g, "(long)c%u - (long)c%u %s %dL ? %s : (%s)0", rank - 1, rank - 2,
                 attrs->upper ? ">=" : "<=", (int)attrs->diagonal, from, wnn_cl_value(type)),
      "i");
  wnn_cl_items(g, wnn_desc_count(g->region->outputs[0].desc));
}

/* Along the axis parts lie behind one another in a whole: concat copies from them to there, split
 * back. Walks the whole; one kernel for some parts at a time. */
static void copy_parts(wnn_cl_gen *g, uint32_t axis, bool splits) {
  const wnn_region *region = g->region;
  const wnn_port *parts = splits ? region->outputs : region->inputs;
  const size_t n = splits ? region->n_outputs : region->anchor->n_inputs;
  const wnn_cl_rows rows = wnn_cl_rows_of(g, splits ? region->inputs : region->outputs, "c");
  size_t begin = 0;
  for (size_t k = 0; k < n; k++) {
    const size_t end = begin + parts[k].desc->dims[axis];
    int64_t strides[WNN_MAX_RANK];
    strides_of(&parts[k], strides);
    wnn_cl_row_loop(g, &rows, axis, begin, end);
    const char *at = strided(g, strides, -(int64_t)begin * strides[axis]);
    if (splits)
      wnn_cl_put(g, "  %s\n", wnn_cl_store(g, k, at, wnn_cl_load(g, 0, "i")));
    else
      wnn_cl_tail(g, wnn_cl_load(g, k, at), "i");
    wnn_cl_put(g, "  }\n");
    if ((k + 1) % MAX_PARTS == 0 || k + 1 == n) wnn_cl_row_items(g, &rows);
    begin = end;
  }
}

static webnn_status plan(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  wnn_cl_gen g;
  webnn_status status = wnn_cl_gen_begin(&g, device, region);
  if (status != WEBNN_OK) return wnn_cl_gen_finish(&g, status, out);
  switch (region->anchor->op->id) {
    case WNN_OP_CONCAT:
      copy_parts(&g, ((const wnn_axis_attrs *)region->anchor->attrs)->axis, false);
      break;
    case WNN_OP_PAD:
      if (region->anchor_desc.rank != 0)
        pad(&g);
      else
        one(&g, wnn_cl_index(&g, 0, "i"));
      break;
    case WNN_OP_REVERSE: reverse(&g); break;
    case WNN_OP_SLICE: slice(&g); break;
    case WNN_OP_SPLIT:
      copy_parts(&g, ((const wnn_split_attrs *)region->anchor->attrs)->axis, true);
      break;
    case WNN_OP_TILE: tile(&g); break;
    case WNN_OP_TRIANGULAR: triangular(&g); break;
    default: one(&g, wnn_cl_index(&g, 0, "i")); break; /* expand, reorder */
  }
  return wnn_cl_gen_finish(&g, status, out);
}

const wnn_kernel wnn_cl_movement = {"opencl movement", plan, wnn_cl_plan_run, wnn_cl_plan_free};
