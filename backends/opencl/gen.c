#include "gen.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the frame */

webnn_status wnn_cl_gen_begin(wnn_cl_gen *g, wnn_device *device, const wnn_region *region) {
  *g = (wnn_cl_gen){.device = device, .region = region, .plan = wnn_cl_plan_create(device)};
  wnn_arena_init(&g->arena, &device->host->alloc);
  g->body = wnn_source_on(&device->host->alloc);
  g->local = device->is_cpu ? 256 : 128;
  if (g->local > device->max_group) g->local = device->max_group;
  if (g->plan == NULL) return WEBNN_ERROR_UNKNOWN;
  bool fits = region->n_inputs <= WNN_CL_MAX_PORTS && region->n_outputs <= WNN_CL_MAX_PORTS;
  return fits ? WEBNN_OK : WEBNN_ERROR_NOT_SUPPORTED;
}

/* A constant that no kernel reads has become literals. */
static void note_unread(wnn_cl_gen *g) {
  for (size_t i = 0; i < g->region->n_inputs && i < 64; i++)
    if (g->region->inputs[i].constant != NULL && !g->ever[i])
      g->plan->base.packed |= (uint64_t)1 << i;
}

webnn_status wnn_cl_gen_finish(wnn_cl_gen *g, webnn_status status, wnn_plan **out) {
  if (status == WEBNN_OK && (g->failed || g->body.failed)) status = WEBNN_ERROR_UNKNOWN;
  if (status == WEBNN_OK) status = wnn_cl_session_plan(g->device, g->plan);
  wnn_source_free(&g->body);
  wnn_arena_reset(&g->arena);
  *out = NULL;
  if (status != WEBNN_OK) {
    wnn_cl_plan_free(&g->plan->base);
    return status;
  }
  note_unread(g);
  *out = &g->plan->base;
  return WEBNN_OK;
}

const char *wnn_cl_say(wnn_cl_gen *g, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, format, args);
  char *text = n >= 0 ? wnn_arena_get(&g->arena, (size_t)n + 1) : NULL;
  if (text != NULL) vsnprintf(text, (size_t)n + 1, format, again);
  va_end(again);
  va_end(args);
  if (text == NULL) g->failed = true;
  return text != NULL ? text : "";
}

/* ---- types and numbers */

const char *wnn_cl_type(webnn_data_type type) {
  switch (type) {
    case WEBNN_DATA_TYPE_FLOAT32: return "float";
    case WEBNN_DATA_TYPE_FLOAT16: return "half";
    case WEBNN_DATA_TYPE_INT32: return "int";
    case WEBNN_DATA_TYPE_UINT32: return "uint";
    case WEBNN_DATA_TYPE_INT64: return "long";
    case WEBNN_DATA_TYPE_UINT64: return "ulong";
    case WEBNN_DATA_TYPE_INT8: return "char";
    default: return "uchar";
  }
}

const char *wnn_cl_unsigned(webnn_data_type type) {
  switch (webnn_data_type_bytes(type)) {
    case 1: return "uchar";
    case 2: return "ushort";
    case 4: return "uint";
    default: return "ulong";
  }
}

const char *wnn_cl_value(webnn_data_type type) {
  return wnn_type_is_float(type) ? "float" : wnn_cl_type(type);
}

const char *wnn_cl_float(wnn_cl_gen *g, double x) {
  float f = (float)x;
  if (isnan(f)) return "NAN";
  if (isinf(f)) return f > 0 ? "INFINITY" : "(-INFINITY)";
  return wnn_cl_say(g, "(%af)", (double)f);
}

/* Integers by their bits: no literal says the smallest one. */
const char *wnn_cl_number(wnn_cl_gen *g, webnn_number x, webnn_data_type type) {
  if (wnn_type_is_float(type)) return wnn_cl_float(g, x.as.f);
  return wnn_cl_say(g, "((%s)0x%llxUL)", wnn_cl_type(type), (unsigned long long)x.as.u);
}

static const char *literal(wnn_cl_gen *g, const void *data, webnn_data_type type) {
  uint64_t bits = 0;
  float f;
  memcpy(&bits, data, webnn_data_type_bytes(type));
  if (type == WEBNN_DATA_TYPE_FLOAT16)
    return wnn_cl_float(g, (double)wnn_f16_to_f32((uint16_t)bits));
  if (type != WEBNN_DATA_TYPE_FLOAT32)
    return wnn_cl_say(g, "((%s)0x%llxUL)", wnn_cl_type(type), (unsigned long long)bits);
  memcpy(&f, data, sizeof f);
  return wnn_cl_float(g, (double)f);
}

/* ---- memory */

const char *wnn_cl_load_from(wnn_cl_gen *g, const char *name, webnn_data_type type,
                             const char *index) {
  if (type == WEBNN_DATA_TYPE_FLOAT16) return wnn_cl_say(g, "vload_half(%s, %s)", index, name);
  return wnn_cl_say(g, "%s[%s]", name, index);
}

const char *wnn_cl_load_many(wnn_cl_gen *g, const char *name, webnn_data_type type, size_t n,
                             const char *index) {
  const char *half = type == WEBNN_DATA_TYPE_FLOAT16 ? "_half" : "";
  return wnn_cl_say(g, "vload%s%zu(0, %s + (%s))", half, n, name, index);
}

const char *wnn_cl_load(wnn_cl_gen *g, size_t port, const char *index) {
  const wnn_port *p = &g->region->inputs[port];
  if (p->constant != NULL && wnn_desc_count(p->desc) == 1)
    return literal(g, p->constant, p->desc->type);
  g->inputs[port] = g->ever[port] = true;
  return wnn_cl_load_from(g, wnn_cl_say(g, "i%zu", port), p->desc->type, index);
}

const char *wnn_cl_store(wnn_cl_gen *g, size_t output, const char *index, const char *value) {
  g->outputs[output] = true;
  if (g->region->outputs[output].desc->type == WEBNN_DATA_TYPE_FLOAT16)
    return wnn_cl_say(g, "vstore_half_rte(%s, %s, o%zu);", value, index, output);
  return wnn_cl_say(g, "o%zu[%s] = %s;", output, index, value);
}

/* ---- places */

const char *wnn_cl_offset(wnn_cl_gen *g, uint32_t rank, const size_t *strides,
                          const char *coordinate) {
  const char *sum = "";
  for (uint32_t d = 0; d < rank; d++) {
    const char *plus = *sum != '\0' ? " + " : "";
    if (strides[d] == 1)
      sum = wnn_cl_say(g, "%s%s%s%u", sum, plus, coordinate, d);
    else if (strides[d] != 0)
      sum = wnn_cl_say(g, "%s%s%s%u * %zuu", sum, plus, coordinate, d, strides[d]);
  }
  return *sum != '\0' ? sum : "0";
}

void wnn_cl_coordinates(wnn_cl_gen *g, wnn_source *out, const char *stem, uint32_t rank,
                        const uint32_t *dims, const uint8_t *order, const char *linear) {
  const char *rest = linear;
  (void)g;
  for (uint32_t k = rank; k-- > 0;) {
    uint32_t axis = order != NULL ? order[k] : k;
    bool is_first = true;
    for (uint32_t j = 0; j < k; j++)
      if (dims[order != NULL ? order[j] : j] != 1) is_first = false;
    if (dims[axis] == 1) {
      wnn_source_add(out, "  const uint %s%u = 0;\n", stem, axis);
    } else if (is_first) {
      wnn_source_add(out, "  const uint %s%u = %s;\n", stem, axis, rest);
    } else {
      wnn_source_add(out, "  const uint %s%u = (%s) %% %uu, %sr%u = (%s) / %uu;\n", stem, axis,
                     rest, dims[axis], stem, axis, rest, dims[axis]);
      rest = wnn_cl_say(g, "%sr%u", stem, axis);
    }
  }
}

/* Strides by which a port is read along the axes of `to`. */
static void strides_to(const wnn_port *port, const wnn_desc *to, size_t strides[WNN_MAX_RANK]) {
  size_t own[WNN_MAX_RANK];
  uint32_t shift = to->rank - port->desc->rank;
  wnn_layout_strides(&port->layout, port->desc, own);
  for (uint32_t d = 0; d < to->rank; d++)
    strides[d] = d < shift || port->desc->dims[d - shift] == 1 ? 0 : own[d - shift];
}

const char *wnn_cl_index_at(wnn_cl_gen *g, size_t port, const wnn_desc *to,
                            const char *coordinate) {
  size_t strides[WNN_MAX_RANK];
  if (wnn_desc_count(g->region->inputs[port].desc) == 1) return "0";
  strides_to(&g->region->inputs[port], to, strides);
  return wnn_cl_offset(g, to->rank, strides, coordinate);
}

const char *wnn_cl_index(wnn_cl_gen *g, size_t port, const char *linear) {
  const wnn_port *p = &g->region->inputs[port], *out = &g->region->outputs[0];
  bool alike = p->desc->rank == out->desc->rank && wnn_shape_equal(p->desc, out->desc) &&
               wnn_layout_same_bytes(&p->layout, &out->layout, out->desc);
  if (alike && linear != NULL) return linear;
  if (wnn_desc_count(p->desc) == 1) return "0";
  g->coordinates = true;
  return wnn_cl_index_at(g, port, out->desc, "c");
}

/* ---- ends of kernels */

static void write_parameters(wnn_cl_gen *g, wnn_source *out, size_t *n) {
  const char *comma = "";
  *n = 0;
  wnn_source_put(out, "(");
  for (size_t i = 0; i < g->region->n_inputs; i++) {
    if (!g->inputs[i]) continue;
    wnn_source_add(out, "%s__global const %s *restrict i%zu", comma,
                   wnn_cl_type(g->region->inputs[i].desc->type), i);
    comma = ", ";
    ++*n;
  }
  for (size_t i = 0; i < g->region->n_outputs; i++) {
    if (!g->outputs[i]) continue;
    wnn_source_add(out, "%s__global %s *restrict o%zu", comma,
                   wnn_cl_type(g->region->outputs[i].desc->type), i);
    comma = ", ";
    ++*n;
  }
  if (g->scratch) wnn_source_add(out, "%s__global uchar *restrict s", comma);
  if (g->kept)
    wnn_source_add(out, "%s__global const float *restrict w", *n + g->scratch != 0 ? ", " : "");
  *n += (size_t)g->scratch + (size_t)g->kept;
  wnn_source_put(out, ") {\n");
}

static void fill_arguments(const wnn_cl_gen *g, wnn_cl_launch *launch) {
  size_t n = 0;
  for (size_t i = 0; i < g->region->n_inputs; i++)
    if (g->inputs[i]) launch->args[n++] = (wnn_cl_arg){WNN_CL_INPUT, (uint32_t)i};
  for (size_t i = 0; i < g->region->n_outputs; i++)
    if (g->outputs[i]) launch->args[n++] = (wnn_cl_arg){WNN_CL_OUTPUT, (uint32_t)i};
  if (g->scratch) launch->args[n++] = (wnn_cl_arg){WNN_CL_SCRATCH, 0};
  if (g->kept) launch->args[n++] = (wnn_cl_arg){WNN_CL_KEPT, 0};
}

/* Makes a launch of `head` and the body, and begins another kernel. */
static void end_kernel(wnn_cl_gen *g, const char *head, size_t global, size_t local) {
  wnn_source all = wnn_source_on(&g->device->host->alloc);
  size_t n_args;
  write_parameters(g, &all, &n_args);
  wnn_source_put(&all, head);
  if (g->body.data != NULL) wnn_source_put(&all, g->body.data);
  wnn_source_put(&all, "}\n");
  wnn_cl_launch *launch = NULL;
  if (!all.failed && !g->body.failed && !g->failed) {
    uint32_t name = wnn_cl_session_kernel(g->device, all.data, local, g->needs);
    launch = wnn_cl_plan_launch(g->plan, name, global, local, n_args);
  }
  if (launch == NULL)
    g->failed = true;
  else
    fill_arguments(g, launch);
  wnn_source_free(&all);
  wnn_source_free(&g->body);
  g->coordinates = g->scratch = g->kept = false;
  memset(g->inputs, 0, sizeof g->inputs);
  memset(g->outputs, 0, sizeof g->outputs);
}

/* A work-item for each of `n`, `i` its number; `places` declares what else there is at its head. */
static void end_items(wnn_cl_gen *g, const char *name, size_t n, size_t local,
                      const wnn_source *places) {
  wnn_source head = wnn_source_on(&g->device->host->alloc);
  wnn_source_add(&head, "  const uint %s = get_global_id(0);\n", name);
  if (n % local != 0) wnn_source_add(&head, "  if (%s >= %zuu) return;\n", name, n);
  if (places->data != NULL) wnn_source_put(&head, places->data);
  if (head.failed || places->failed)
    g->failed = true;
  else
    end_kernel(g, head.data, n, local);
  wnn_source_free(&head);
}

static size_t local_of(const wnn_cl_gen *g, size_t n) {
  size_t local = g->local;
  while (local > 16 && local / 2 >= n) local /= 2;
  return local;
}

void wnn_cl_items(wnn_cl_gen *g, size_t n) {
  wnn_source places = wnn_source_on(&g->device->host->alloc);
  if (g->coordinates) {
    const wnn_cl_rows rows = wnn_cl_rows_of(g, &g->region->outputs[0], "c");
    wnn_source body = g->body;
    g->body = wnn_source_on(&g->device->host->alloc);
    wnn_cl_row_loop(g, &rows, rows.axis, 0, SIZE_MAX);
    if (body.data != NULL) wnn_source_put(&g->body, body.data);
    wnn_source_put(&g->body, "  }\n");
    g->body.failed |= body.failed;
    wnn_source_free(&body);
    wnn_cl_row_items(g, &rows);
  } else {
    end_items(g, "i", n, local_of(g, n), &places);
  }
}

/* ---- rows */

/* Shorter rows are no gain; elements of a piece, unless there are many; and of a group. */
#define LEAST_ROW 8
#define LEAST_PIECE ((size_t)64)
#define GROUP_ELEMENTS ((size_t)2048)

wnn_cl_rows wnn_cl_rows_of(const wnn_cl_gen *g, const wnn_port *port, const char *stem) {
  const wnn_desc *desc = port->desc;
  wnn_cl_rows rows = {.port = port, .stem = stem, .n_rows = wnn_desc_count(desc), .n_pieces = 1};
  for (uint32_t k = desc->rank; k-- > 0;) {
    rows.axis = port->layout.order[k];
    if (desc->dims[rows.axis] != 1) break;
  }
  if (!g->device->is_cpu || desc->rank == 0 || desc->dims[rows.axis] < LEAST_ROW) return rows;
  rows.length = desc->dims[rows.axis];
  rows.piece = rows.n_rows / 32 > LEAST_PIECE ? rows.n_rows / 32 : LEAST_PIECE;
  if (rows.piece > GROUP_ELEMENTS) rows.piece = GROUP_ELEMENTS;
  if (rows.piece > rows.length) rows.piece = rows.length;
  rows.n_pieces = (rows.length + rows.piece - 1) / rows.piece;
  rows.n_rows /= rows.length;
  return rows;
}

void wnn_cl_row_loop(wnn_cl_gen *g, const wnn_cl_rows *rows, uint32_t axis, size_t begin,
                     size_t end) {
  const size_t all = rows->port->desc->rank != 0 ? rows->port->desc->dims[axis] : 1;
  const char *c = wnn_cl_say(g, "%s%u", rows->stem, rows->axis), *from = "from", *to = "to";
  if (rows->length != 0 && axis == rows->axis) {
    if (begin != 0) from = wnn_cl_say(g, "max(from, %zuu)", begin);
    if (end < all) to = wnn_cl_say(g, "min(to, %zuu)", end);
  } else {
    if (begin != 0) wnn_cl_put(g, "  if (%s%u >= %zuu)\n", rows->stem, axis, begin);
    if (end < all) wnn_cl_put(g, "  if (%s%u < %zuu)\n", rows->stem, axis, end);
  }
  if (rows->length == 0)
    wnn_cl_put(g, "  {\n");
  else
    wnn_cl_put(g, "  for (uint %s = %s; %s < %s; %s++) {\n  const uint i = row * %zuu + %s;\n", c,
               from, c, to, c, rows->length, c);
}

/* Places of work-item `item`: its row, and its part of that. */
static void put_row(wnn_cl_gen *g, const wnn_cl_rows *rows, wnn_source *out) {
  const wnn_desc *desc = rows->port->desc;
  uint8_t others[WNN_MAX_RANK];
  uint32_t n = 0;
  for (uint32_t k = 0; k < desc->rank; k++)
    if (rows->port->layout.order[k] != rows->axis) others[n++] = rows->port->layout.order[k];
  if (rows->n_pieces == 1)
    wnn_source_add(out, "  const uint row = item, from = 0, to = %zuu;\n", rows->length);
  else
    wnn_source_add(out,
                   "  const uint row = item / %zuu, from = item %% %zuu * %zuu, to = min(from + "
                   "%zuu, %zuu);\n",
                   rows->n_pieces, rows->n_pieces, rows->piece, rows->piece, rows->length);
  wnn_cl_coordinates(g, out, rows->stem, n, desc->dims, others, "row");
}

void wnn_cl_row_items(wnn_cl_gen *g, const wnn_cl_rows *rows) {
  const wnn_desc *desc = rows->port->desc;
  wnn_source places = wnn_source_on(&g->device->host->alloc);
  const size_t n = rows->n_rows * rows->n_pieces;
  if (rows->length == 0) {
    wnn_cl_coordinates(g, &places, rows->stem, desc->rank, desc->dims, rows->port->layout.order,
                       "i");
    end_items(g, "i", n, local_of(g, n), &places);
  } else {
    size_t local = 1;
    while (2 * local * rows->piece <= GROUP_ELEMENTS && local < n && 2 * local <= g->local)
      local *= 2;
    put_row(g, rows, &places);
    end_items(g, "item", n, local, &places);
  }
  wnn_source_free(&places);
}

void wnn_cl_groups(wnn_cl_gen *g, size_t n, size_t local) {
  end_kernel(g, "  const uint g = get_group_id(0), l = get_local_id(0);\n", n * local, local);
}

/* ---- posts */

/* A name for operand `i` of post `p`: expressions may use it several times. */
static const char *operand_of(wnn_cl_gen *g, size_t p, size_t i, const char *linear) {
  int from = g->region->posts[p].from[i];
  if (WNN_IS_STAGE(from)) return wnn_cl_say(g, "v%zu", WNN_STAGE_OF(from));
  wnn_cl_put(g, "  const %s p%zu_%zu = %s;\n", wnn_cl_value(g->region->inputs[from].desc->type), p,
             i, wnn_cl_load(g, (size_t)from, wnn_cl_index(g, (size_t)from, linear)));
  return wnn_cl_say(g, "p%zu_%zu", p, i);
}

static webnn_data_type type_of(const wnn_cl_gen *g, int from) {
  if (!WNN_IS_STAGE(from)) return g->region->inputs[from].desc->type;
  size_t stage = WNN_STAGE_OF(from);
  return stage == 0 ? g->region->anchor_desc.type : g->region->posts[stage - 1].desc.type;
}

void wnn_cl_tail(wnn_cl_gen *g, const char *value, const char *linear) {
  const wnn_region *region = g->region;
  wnn_cl_put(g, "  const %s v0 = ", wnn_cl_value(region->anchor_desc.type));
  bool rounds = region->n_posts != 0 && region->anchor_desc.type == WEBNN_DATA_TYPE_FLOAT16;
  wnn_cl_put(g, rounds ? "w_half(%s);\n" : "%s;\n", value);
  if (rounds) g->needs |= WNN_CL_NEEDS_HALF;
  for (size_t p = 0; p < region->n_posts; p++) {
    const wnn_post *post = &region->posts[p];
    const char *operands[WNN_MAX_POST_INPUTS] = {NULL};
    webnn_data_type types[WNN_MAX_POST_INPUTS] = {0};
    for (size_t i = 0; i < post->node->n_inputs; i++) {
      if (post->from[i] == WNN_FROM_NONE) continue;
      operands[i] = operand_of(g, p, i, linear);
      types[i] = type_of(g, post->from[i]);
    }
    const char *next = wnn_cl_expression(g, post->node, post->desc.type, types, operands);
    rounds = p + 1 < region->n_posts && post->desc.type == WEBNN_DATA_TYPE_FLOAT16;
    if (rounds) g->needs |= WNN_CL_NEEDS_HALF;
    wnn_cl_put(g, rounds ? "  const %s v%zu = w_half(%s);\n" : "  const %s v%zu = %s;\n",
               wnn_cl_value(post->desc.type), p + 1, next);
  }
  wnn_cl_put(g, "  %s\n", wnn_cl_store(g, 0, linear, wnn_cl_say(g, "v%zu", region->n_posts)));
}

/* ---- lanes */

static void merge(uint32_t *n, uint32_t *dims, size_t *strides) {
  uint32_t k = 0;
  for (uint32_t i = 0; i < *n; i++) {
    if (dims[i] == 1) continue;
    if (k != 0 && strides[k - 1] == strides[i] * dims[i]) {
      dims[k - 1] *= dims[i];
      strides[k - 1] = strides[i];
    } else {
      dims[k] = dims[i];
      strides[k++] = strides[i];
    }
  }
  *n = k;
}

wnn_cl_lanes wnn_cl_split(const wnn_port *port, const uint32_t *axes, size_t n_axes,
                          bool merge_along) {
  wnn_cl_lanes lanes = {.n_lanes = 1, .n_each = 1};
  const wnn_desc *desc = port->desc;
  bool is_along[WNN_MAX_RANK] = {false};
  size_t strides[WNN_MAX_RANK];
  wnn_layout_strides(&port->layout, desc, strides);
  for (size_t i = 0; i < n_axes; i++) {
    is_along[axes[i]] = true;
    lanes.along_dims[lanes.n_along] = desc->dims[axes[i]];
    lanes.along_strides[lanes.n_along++] = strides[axes[i]];
    lanes.n_each *= desc->dims[axes[i]];
  }
  for (uint32_t d = 0; d < desc->rank; d++) {
    if (is_along[d]) continue;
    lanes.kept_axes[lanes.n_kept] = (uint8_t)d;
    lanes.kept_dims[lanes.n_kept] = desc->dims[d];
    lanes.kept_strides[lanes.n_kept++] = strides[d];
    lanes.n_lanes *= desc->dims[d];
  }
  if (merge_along) merge(&lanes.n_along, lanes.along_dims, lanes.along_strides);
  return lanes;
}

const char *wnn_cl_along(wnn_cl_gen *g, const wnn_cl_lanes *lanes, const char *k) {
  const char *sum = "", *rest = k;
  if (lanes->n_along == 0) return "0";
  if (lanes->n_along == 1) return wnn_cl_say(g, "%s * %zuu", k, lanes->along_strides[0]);
  for (uint32_t d = lanes->n_along; d-- > 0;) {
    const char *plus = *sum != '\0' ? " + " : "";
    if (d == 0)
      sum = wnn_cl_say(g, "%s%s(%s) * %zuu", sum, plus, rest, lanes->along_strides[d]);
    else
      sum = wnn_cl_say(g, "%s%s(%s) %% %uu * %zuu", sum, plus, rest, lanes->along_dims[d],
                       lanes->along_strides[d]);
    rest = wnn_cl_say(g, "(%s) / %uu", rest, lanes->along_dims[d]);
  }
  return sum;
}
