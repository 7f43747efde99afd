/* Convolutions: products by tiles of pixels and channels, channels by themselves, and, for every
 * shape, a work-item for each element of the result. */
#include "conv.h"

/* In the order of webnn_conv2d_filter_operand_layout: oihw, hwio, ohwi, ihwo. */
static const wnn_cl_filter_axes conv2d_axes[] = {
    {0, 1, 2, 3}, {3, 2, 0, 1}, {0, 3, 1, 2}, {3, 0, 1, 2}};
/* In the order of webnn_conv_transpose2d_filter_operand_layout: iohw, hwoi, ohwi. */
static const wnn_cl_filter_axes conv_transpose2d_axes[] = {
    {1, 0, 2, 3}, {2, 3, 0, 1}, {0, 3, 1, 2}};

wnn_cl_convolution wnn_cl_convolution_of(const wnn_region *region) {
  const void *attrs = region->anchor->attrs;
  wnn_cl_convolution v = {.transposed = region->anchor->op->id == WNN_OP_CONV_TRANSPOSE2D};
  const wnn_conv2d_attrs *a = attrs;
  const wnn_conv_transpose2d_attrs *t = attrs;
  bool first =
      (v.transposed ? t->input_layout : a->input_layout) == WEBNN_INPUT_OPERAND_LAYOUT_NCHW;
  v.c = first ? 1 : 3;
  v.h = first ? 2 : 1;
  v.w = v.h + 1;
  v.f = v.transposed ? conv_transpose2d_axes[t->filter_layout] : conv2d_axes[a->filter_layout];
  v.groups = v.transposed ? t->groups : a->groups;
  v.padding = v.transposed ? t->padding.data : a->padding.data;
  v.strides = v.transposed ? t->strides.data : a->strides.data;
  v.dilations = v.transposed ? t->dilations.data : a->dilations.data;
  return v;
}

/* The input's row (or column) that filter row `k` reads; what lies outside is passed over. */
static void put_source(wnn_cl_gen *g, const wnn_cl_convolution *v, const char *name, const char *k,
                       int axis, uint32_t out_axis, uint32_t size) {
  unsigned stride = v->strides[axis], before = v->padding[2 * axis], dilation = v->dilations[axis];
  if (!v->transposed) {
    wnn_cl_put(g, "  const int %s = (int)(c%u * %uu) - %u + %s * %u;\n", name, out_axis, stride,
               before, k, dilation);
    wnn_cl_put(g, "  if (%s < 0 || %s >= %u) continue;\n", name, name, size);
    return;
  }
  wnn_cl_put(g, "  const int %s_far = (int)c%u + %u - %s * %u, %s = %s_far / %u;\n", name, out_axis,
             before, k, dilation, name, name, stride);
  wnn_cl_put(g, "  if (%s_far < 0 || %s_far %% %u != 0 || %s >= %u) continue;\n", name, name,
             stride, name, size);
}

/* ---- each element by itself */

static void each_element(wnn_cl_gen *g, const wnn_cl_convolution *v) {
  const wnn_region *region = g->region;
  const wnn_port *in = &region->inputs[0], *filter = &region->inputs[1];
  size_t x[WNN_MAX_RANK], f[WNN_MAX_RANK];
  unsigned n_in = in->desc->dims[v->c] / v->groups,
           n_out = region->anchor_desc.dims[v->c] / v->groups;
  bool has_bias = region->anchor->n_inputs > 2 && region->inputs[2].desc != NULL;
  wnn_layout_strides(&in->layout, in->desc, x);
  wnn_layout_strides(&filter->layout, filter->desc, f);
  g->coordinates = true;
  /* conv2d's filter has all outputs and a group's inputs, convTranspose2d's the other way round. */
  wnn_cl_put(g, "  const uint group = c%u / %uu;\n  float y = 0.0f;\n", v->c, n_out);
  if (v->transposed)
    wnn_cl_put(g, "  const uint f = c%u %% %uu * %zuu + group * %uu * %zuu;\n", v->c, n_out,
               f[v->f.out], n_in, f[v->f.in]);
  else
    wnn_cl_put(g, "  const uint f = c%u * %zuu;\n", v->c, f[v->f.out]);
  wnn_cl_put(g, "  for (int a = 0; a < %u; a++) {\n", filter->desc->dims[v->f.height]);
  put_source(g, v, "row", "a", 0, v->h, in->desc->dims[v->h]);
  wnn_cl_put(g, "  for (int b = 0; b < %u; b++) {\n", filter->desc->dims[v->f.width]);
  put_source(g, v, "column", "b", 1, v->w, in->desc->dims[v->w]);
  wnn_cl_put(g, "  const uint at = c0 * %zuu + group * %uu * %zuu + row * %zuu + column * %zuu;\n",
             x[0], n_in, x[v->c], x[v->h], x[v->w]);
  wnn_cl_put(g, "  const uint by = f + a * %zuu + b * %zuu;\n  float part = 0.0f;\n",
             f[v->f.height], f[v->f.width]);
  const char *from = wnn_cl_load(g, 0, wnn_cl_say(g, "at + k * %zuu", x[v->c]));
  const char *weight = wnn_cl_load(g, 1, wnn_cl_say(g, "by + k * %zuu", f[v->f.in]));
  wnn_cl_put(g,
             "  for (uint k = 0; k < %uu; k++) part = fma(%s, %s, part);\n  y += part;\n  }\n  }\n",
             n_in, from, weight);
  const char *bias = has_bias ? wnn_cl_load(g, 2, wnn_cl_say(g, "c%u", v->c)) : NULL;
  wnn_cl_tail(g, has_bias ? wnn_cl_say(g, "y + %s", bias) : "y", "i");
  wnn_cl_items(g, wnn_desc_count(region->outputs[0].desc));
}

/* ---- tiles: a work-item computes some pixels of a panel of output channels */

const char *wnn_cl_filter_place(wnn_cl_gen *g, const void *arg, const char *group, const char *k,
                                const char *column) {
  const wnn_cl_filter_view *f = arg;
  const wnn_cl_filter_axes *axes = &f->v->f;
  return wnn_cl_say(
      g, "%s * %zuu + %s * %zuu + %s / %zuu * %zuu + %s / %zuu %% %zuu * %zuu + %s %% %zuu * %zuu",
      group, f->of_group, column, f->strides[axes->out], k, f->n_in * f->width,
      f->strides[axes->height], k, f->n_in, f->width, f->strides[axes->width], k, f->n_in,
      f->strides[axes->in]);
}

size_t wnn_cl_filter_offset(const void *arg, size_t group, size_t k, size_t column) {
  const wnn_cl_filter_view *f = arg;
  const wnn_cl_filter_axes *axes = &f->v->f;
  return group * f->of_group + column * f->strides[axes->out] +
         k / (f->n_in * f->width) * f->strides[axes->height] +
         k / f->n_in % f->width * f->strides[axes->width] + k % f->n_in * f->strides[axes->in];
}

wnn_cl_filter_view wnn_cl_filter_of(const wnn_region *region, const wnn_cl_convolution *v) {
  wnn_cl_filter_view f = {.v = v, .desc = region->inputs[1].desc};
  wnn_layout_strides(&region->inputs[1].layout, f.desc, f.strides);
  f.n_in = region->inputs[0].desc->dims[v->c] / v->groups;
  f.n_out = region->anchor_desc.dims[v->c] / v->groups;
  f.width = f.desc->dims[v->f.width];
  /* conv2d's filter has all outputs and a group's inputs, convTranspose2d's the other way round. */
  f.of_group = v->transposed ? f.n_in * f.strides[v->f.in] : f.n_out * f.strides[v->f.out];
  return f;
}

/* Nothing that the windows see lies outside the input. */
bool wnn_cl_conv_is_inside(const wnn_region *region, const wnn_cl_convolution *v) {
  const uint32_t axes[2] = {v->h, v->w}, window[2] = {v->f.height, v->f.width};
  for (int i = 0; i < 2; i++) {
    uint64_t last = (uint64_t)(region->anchor_desc.dims[axes[i]] - 1) * v->strides[i] +
                    (uint64_t)(region->inputs[1].desc->dims[window[i]] - 1) * v->dilations[i];
    if (v->padding[2 * i] != 0 || last >= region->inputs[0].desc->dims[axes[i]]) return false;
  }
  return true;
}

/* What a tile walks: pixels of one phase, that is whose places are alike but for a multiple of a
 * transposed convolution's strides. A convolution has one phase. */
typedef struct grid {
  size_t height, width, n_pixels; /* of a phase */
  unsigned phases[2];
} grid;

static grid grid_of(const wnn_region *region, const wnn_cl_convolution *v) {
  const uint32_t *out = region->anchor_desc.dims;
  grid t = {.phases = {v->transposed ? v->strides[0] : 1, v->transposed ? v->strides[1] : 1}};
  t.height = (out[v->h] + t.phases[0] - 1) / t.phases[0];
  t.width = (out[v->w] + t.phases[1] - 1) / t.phases[1];
  t.n_pixels = out[0] * t.height * t.width;
  return t;
}

/* Where the window of each of the tile's pixels begins: rows h0 …, columns w0 …, and b0 … for image
 * and group. */
static void put_pixels(wnn_cl_gen *g, const wnn_cl_convolution *v, const wnn_cl_tile *tile,
                       const grid *t, const size_t *x, size_t n_in) {
  for (size_t m = 0; m < tile->rows; m++) {
    wnn_cl_put(g, "  const uint p%zu = min(block * %zuu + %zuu, %zuu);\n", m, tile->rows, m,
               t->n_pixels - 1);
    const char *row = wnn_cl_say(g, "p%zu / %zuu %% %zuu", m, t->width, t->height);
    const char *column = wnn_cl_say(g, "p%zu %% %zuu", m, t->width);
    if (v->transposed)
      wnn_cl_put(g, "  const int h%zu = %s + (ph + %uu) / %uu, w%zu = %s + (pw + %uu) / %uu;\n", m,
                 row, v->padding[0], v->strides[0], m, column, v->padding[2], v->strides[1]);
    else
      wnn_cl_put(g, "  const int h%zu = (int)(%s * %uu) - %u, w%zu = (int)(%s * %uu) - %u;\n", m,
                 row, v->strides[0], v->padding[0], m, column, v->strides[1], v->padding[2]);
    wnn_cl_put(g, "  const uint b%zu = p%zu / %zuu * %zuu + group * %zuu;\n", m, m,
               t->width * t->height, x[0], n_in * x[v->c]);
  }
}

/* Whether a row of a window lies in one piece, small enough for that to pay. */
static bool rows_are_runs(const wnn_cl_convolution *v, const wnn_cl_filter_view *f,
                          const size_t *x) {
  return !v->transposed && v->groups == 1 && f->width > 1 && f->n_in <= 32 && x[v->c] == 1 &&
         x[v->w] == f->n_in && v->dilations[1] == 1;
}

/* Pointer q<m> to the floats of pixel m at row r<m> of the image and column `column`; to zeros
 * unless `inside` (NULL: it is). Gives the float for channel k. */
static const char *put_pointer(wnn_cl_gen *g, const wnn_cl_convolution *v, const size_t *x,
                               size_t m, const char *column, const char *inside) {
  const webnn_data_type type = g->region->inputs[0].desc->type;
  const char *name = wnn_cl_type(type), *q = wnn_cl_say(g, "q%zu", m), *k = "k";
  const char *from =
      wnn_cl_say(g, "i0 + (b%zu + r%zu * %zuu + (%s) * %zuu)", m, m, x[v->h], column, x[v->w]);
  g->inputs[0] = g->ever[0] = true;
  if (inside != NULL)
    wnn_cl_put(g,
               "    const bool v%zu = %s;\n    __global const %s *%s = v%zu ? %s : (__global const "
               "%s *)z;\n",
               m, inside, name, q, m, from, name);
  else
    wnn_cl_put(g, "    __global const %s *%s = %s;\n", name, q, from);
  if (x[v->c] != 1) {
    k = wnn_cl_say(g, "k * %zuu", x[v->c]);
    if (inside != NULL) k = wnn_cl_say(g, "(v%zu ? %s : 0)", m, k);
  }
  return wnn_cl_load_from(g, q, type, k);
}

/* The places of one row of the window, `a` of the filter, in one loop: when all of it lies inside
 * sideways. */
static void put_run(wnn_cl_gen *g, const wnn_cl_convolution *v, const wnn_cl_tile *tile,
                    const wnn_cl_filter_view *f, const size_t *x, bool inside) {
  const uint32_t *in = g->region->inputs[0].desc->dims;
  const char *rows[WNN_CL_TILE_ROWS];
  wnn_cl_put(g, "    if (within) {\n");
  for (size_t m = 0; m < tile->rows; m++)
    rows[m] = put_pointer(g, v, x, m, wnn_cl_say(g, "w%zu", m),
                          inside ? NULL : wnn_cl_say(g, "r%zu >= 0 && r%zu < %u", m, m, in[v->h]));
  wnn_cl_put(g, "    __global const float *f = panel_at + a * %zuu;\n",
             f->width * f->n_in * tile->width);
  wnn_cl_tile_loop(g, tile, f->width * f->n_in, rows);
  wnn_cl_put(g, "    continue;\n    }\n");
}

/* The sums over the window, row by row, place by place. */
static void put_window(wnn_cl_gen *g, const wnn_cl_convolution *v, const wnn_cl_tile *tile,
                       const wnn_cl_filter_view *f, const size_t *x, bool inside) {
  const uint32_t *in = g->region->inputs[0].desc->dims;
  const char *rows[WNN_CL_TILE_ROWS], *within = "1";
  const bool runs = rows_are_runs(v, f, x);
  const unsigned steps[2] = {v->transposed ? v->strides[0] : 1, v->transposed ? v->strides[1] : 1};
  for (size_t m = 0; m < tile->rows && runs; m++)
    within =
        wnn_cl_say(g, "%s && w%zu >= 0 && w%zu <= %d", within, m, m, (int)in[v->w] - (int)f->width);
  if (runs) wnn_cl_put(g, "  const bool within = %s;\n", within);
  wnn_cl_put(g, "  for (int a = %s; a < %u; a += %u) {\n",
             v->transposed ? wnn_cl_say(g, "(ph + %uu) %% %uu", v->padding[0], steps[0]) : "0",
             f->desc->dims[v->f.height], steps[0]);
  const char *down = v->transposed ? wnn_cl_say(g, "- a / %u", steps[0])
                                   : wnn_cl_say(g, "+ a * %u", v->dilations[0]);
  const char *right = v->transposed ? wnn_cl_say(g, "- b / %u", steps[1])
                                    : wnn_cl_say(g, "+ b * %u", v->dilations[1]);
  for (size_t m = 0; m < tile->rows; m++)
    wnn_cl_put(g, "    const int r%zu = h%zu %s;\n", m, m, down);
  if (runs) put_run(g, v, tile, f, x, inside);
  wnn_cl_put(g, "  for (int b = %s; b < %zu; b += %u) {\n",
             v->transposed ? wnn_cl_say(g, "(pw + %uu) %% %uu", v->padding[2], steps[1]) : "0",
             f->width, steps[1]);
  for (size_t m = 0; m < tile->rows; m++) {
    wnn_cl_put(g, "    const int s%zu = w%zu %s;\n", m, m, right);
    const char *valid = wnn_cl_say(g, "r%zu >= 0 && r%zu < %u && s%zu >= 0 && s%zu < %u", m, m,
                                   in[v->h], m, m, in[v->w]);
    rows[m] = put_pointer(g, v, x, m, wnn_cl_say(g, "s%zu", m), inside ? NULL : valid);
  }
  wnn_cl_put(g, "    __global const float *f = panel_at + (a * %zu + b) * %zuu;\n", f->width,
             f->n_in * tile->width);
  wnn_cl_tile_loop(g, tile, f->n_in, rows);
  wnn_cl_put(g, "  }\n  }\n");
}

/* Stores t, pixel by pixel, with what follows; `where` declares the coordinates of pixel m, or
 * passes over it. */
static void put_results(wnn_cl_gen *g, const wnn_cl_convolution *v, const wnn_cl_tile *tile,
                        const char *where) {
  const wnn_port *out = &g->region->outputs[0];
  bool has_bias = g->region->anchor->n_inputs > 2 && g->region->inputs[2].desc != NULL;
  size_t o[WNN_MAX_RANK];
  wnn_layout_strides(&out->layout, out->desc, o);
  wnn_cl_put(g, "  for (uint m = 0; m < %zuu; m++) {\n%s", tile->rows, where);
  if (tile->n_columns % tile->width == 0)
    wnn_cl_put(g, "    for (uint j = 0; j < %zuu; j++) {\n", tile->width);
  else
    wnn_cl_put(g, "    for (uint j = 0; j < min(%zuu, %zuu - panel * %zuu); j++) {\n", tile->width,
               tile->n_columns, tile->width);
  wnn_cl_put(g, "    const uint c%u = group * %zuu + panel * %zuu + j, e = %s;\n", v->c,
             tile->n_columns, tile->width, wnn_cl_offset(g, 4, o, "c"));
  const char *y = wnn_cl_say(g, "t[m * %zuu + j]", tile->width);
  if (has_bias) y = wnn_cl_say(g, "%s + %s", y, wnn_cl_load(g, 2, wnn_cl_say(g, "c%u", v->c)));
  wnn_cl_tail(g, y, "e");
  wnn_cl_put(g, "    }\n  }\n");
  g->coordinates = false; /* declared above */
}

/* The coordinates of pixel m of a tile. */
static const char *where_in_grid(wnn_cl_gen *g, const wnn_cl_convolution *v,
                                 const wnn_cl_tile *tile, const grid *t) {
  const uint32_t *out = g->region->anchor_desc.dims;
  const char *text = wnn_cl_say(g, "    const uint p = block * %zuu + m;\n", tile->rows);
  if (t->n_pixels % tile->rows != 0)
    text = wnn_cl_say(g, "%s    if (p >= %zuu) break;\n", text, t->n_pixels);
  text = wnn_cl_say(
      g, "%s    const uint c0 = p / %zuu, c%u = p / %zuu %% %zuu * %u%s, c%u = p %% %zuu * %u%s;\n",
      text, t->height * t->width, v->h, t->width, t->height, t->phases[0],
      v->transposed ? " + ph" : "", v->w, t->width, t->phases[1], v->transposed ? " + pw" : "");
  if (v->transposed)
    text = wnn_cl_say(g, "%s    if (c%u >= %u || c%u >= %u) continue;\n", text, v->h, out[v->h],
                      v->w, out[v->w]);
  return text;
}

static webnn_status by_tiles(wnn_cl_gen *g, const wnn_cl_convolution *v) {
  const wnn_port *in = &g->region->inputs[0];
  const wnn_cl_filter_view f = wnn_cl_filter_of(g->region, v);
  const grid t = grid_of(g->region, v);
  const bool inside = !v->transposed && wnn_cl_conv_is_inside(g->region, v);
  size_t n_window = (size_t)f.desc->dims[v->f.height] * f.width, x[WNN_MAX_RANK];
  wnn_layout_strides(&in->layout, in->desc, x);
  wnn_cl_tile tile = wnn_cl_tile_of(t.n_pixels, v->groups, f.n_out, n_window * f.n_in);
  if (!inside) tile.n_zeros = rows_are_runs(v, &f, x) ? f.width * f.n_in : f.n_in;
  size_t n_blocks = (t.n_pixels + tile.rows - 1) / tile.rows, local = g->local;
  size_t n_panels = tile.n_panels * v->groups, n_phases = (size_t)t.phases[0] * t.phases[1];
  webnn_status status =
      wnn_cl_tile_pack(g, &tile, 1, wnn_cl_filter_place, wnn_cl_filter_offset, &f);
  if (status != WEBNN_OK) return status;
  wnn_cl_put(g, "  const uint block = i %% %zuu, panels = i / %zuu %% %zuu;\n", n_blocks, n_blocks,
             n_panels);
  wnn_cl_put(g, "  const uint group = panels / %zuu, panel = panels %% %zuu;\n", tile.n_panels,
             tile.n_panels);
  if (v->transposed)
    wnn_cl_put(g, "  const uint phase = i / %zuu, ph = phase / %u, pw = phase %% %u;\n",
               n_blocks * n_panels, t.phases[1], t.phases[1]);
  wnn_cl_tile_begin(g, &tile);
  wnn_cl_put(g, "  __global const float *panel_at = w + panels * %zuu;\n",
             tile.n_inner * tile.width);
  put_pixels(g, v, &tile, &t, x, f.n_in);
  put_window(g, v, &tile, &f, x, inside);
  wnn_cl_tile_end(g, &tile);
  put_results(g, v, &tile, where_in_grid(g, v, &tile, &t));
  g->local = g->device->is_cpu ? 1 : 32;
  wnn_cl_items(g, n_blocks * n_panels * n_phases);
  g->local = local;
  return WEBNN_OK;
}

/* ---- channels by themselves: eight of them, of some pixels of a row, a work-item. The image lies
 * channels last */

#define CHANNEL_PIXELS ((size_t)4)

static bool is_depthwise(const wnn_region *region, const wnn_cl_convolution *v) {
  const wnn_port *in = &region->inputs[0], *out = &region->outputs[0];
  uint32_t n = in->desc->dims[v->c];
  size_t x[WNN_MAX_RANK], y[WNN_MAX_RANK];
  wnn_layout_strides(&in->layout, in->desc, x);
  wnn_layout_strides(&out->layout, out->desc, y);
  return !v->transposed && v->groups == n && region->anchor_desc.dims[v->c] == n && n % 8 == 0 &&
         x[v->c] == 1 && y[v->c] == 1;
}

/* As one matrix of a row for each place of the window. */
static const char *channel_place(wnn_cl_gen *g, const void *arg, const char *group, const char *k,
                                 const char *column) {
  const wnn_cl_filter_view *f = arg;
  const wnn_cl_filter_axes *axes = &f->v->f;
  (void)group;
  return wnn_cl_say(g, "%s * %zuu + %s / %zuu * %zuu + %s %% %zuu * %zuu", column,
                    f->strides[axes->out], k, f->width, f->strides[axes->height], k, f->width,
                    f->strides[axes->width]);
}

static size_t channel_offset(const void *arg, size_t group, size_t k, size_t column) {
  const wnn_cl_filter_view *f = arg;
  const wnn_cl_filter_axes *axes = &f->v->f;
  (void)group;
  return column * f->strides[axes->out] + k / f->width * f->strides[axes->height] +
         k % f->width * f->strides[axes->width];
}

/* The sums over the window of the pixels from column x0 of the image on. */
static void put_channel_window(wnn_cl_gen *g, const wnn_cl_convolution *v, const wnn_cl_tile *tile,
                               const wnn_cl_filter_view *f, const size_t *x) {
  const wnn_desc *in = g->region->inputs[0].desc;
  const unsigned step = v->strides[1], gap = v->dilations[1], rows = (unsigned)tile->rows;
  wnn_cl_put(g, "  const bool within = x0 >= 0 && x0 + %u <= %u;\n",
             (rows - 1) * step + ((unsigned)f->width - 1) * gap + 1, in->dims[v->w]);
  wnn_cl_put(g, "  for (int a = 0; a < %u; a++) {\n    const int r = y0 + a * %u;\n",
             f->desc->dims[v->f.height], v->dilations[0]);
  wnn_cl_put(g, "    if (r < 0 || r >= %u) continue;\n", in->dims[v->h]);
  wnn_cl_put(g, "    __global const %s *q = i0 + (c0 * %zuu + r * %zuu + panel * 8);\n",
             wnn_cl_type(in->type), x[0], x[v->h]);
  for (int guarded = 0; guarded < 2; guarded++) {
    wnn_cl_put(g, guarded ? "    else " : "    if (within) ");
    wnn_cl_put(g,
               "for (int b = 0; b < %zu; b++) {\n      const float8 y = vload8(a * %zu + b, f);\n",
               f->width, f->width);
    for (unsigned m = 0; m < rows; m++) {
      const char *column = wnn_cl_say(g, "x0 + b * %u + %u", gap, m * step);
      if (guarded) wnn_cl_put(g, "      if (%s >= 0 && %s < %u)\n", column, column, in->dims[v->w]);
      const char *at = wnn_cl_say(g, "(%s) * %zu", column, x[v->w]);
      wnn_cl_put(g, "      a%u_0 = fma(%s, y, a%u_0);\n", m,
                 wnn_cl_load_many(g, "q", in->type, 8, at), m);
    }
    wnn_cl_put(g, "    }\n");
  }
  wnn_cl_put(g, "  }\n");
  g->inputs[0] = g->ever[0] = true;
}

static webnn_status by_channels(wnn_cl_gen *g, const wnn_cl_convolution *v) {
  const wnn_port *in = &g->region->inputs[0];
  const uint32_t *out = g->region->anchor_desc.dims;
  const wnn_cl_filter_view f = wnn_cl_filter_of(g->region, v);
  size_t n_panels = out[v->c] / 8, x[WNN_MAX_RANK];
  wnn_cl_tile tile = {.rows = out[v->w] < CHANNEL_PIXELS ? out[v->w] : CHANNEL_PIXELS,
                      .vectors = 1,
                      .width = 8,
                      .n_groups = 1,
                      .n_columns = out[v->c],
                      .n_inner = f.desc->dims[v->f.height] * f.width,
                      .n_panels = n_panels};
  size_t n_blocks = (out[v->w] + tile.rows - 1) / tile.rows;
  webnn_status status = wnn_cl_tile_pack(g, &tile, 1, channel_place, channel_offset, &f);
  if (status != WEBNN_OK) return status;
  wnn_layout_strides(&in->layout, in->desc, x);
  wnn_cl_put(g, "  const uint panel = i %% %zuu, block = i / %zuu %% %zuu, group = 0;\n", n_panels,
             n_panels, n_blocks);
  wnn_cl_put(g, "  const uint c%u = i / %zuu %% %u, c0 = i / %zuu;\n", v->h, n_panels * n_blocks,
             out[v->h], n_panels * n_blocks * out[v->h]);
  wnn_cl_put(g, "  const int y0 = (int)(c%u * %u) - %u, x0 = (int)(block * %zu) - %u;\n", v->h,
             v->strides[0], v->padding[0], tile.rows * v->strides[1], v->padding[2]);
  wnn_cl_tile_begin(g, &tile);
  wnn_cl_put(g, "  __global const float *f = w + panel * %zuu;\n", tile.n_inner * 8);
  put_channel_window(g, v, &tile, &f, x);
  wnn_cl_tile_end(g, &tile);
  const char *where = wnn_cl_say(g, "    const uint c%u = block * %zuu + m;\n", v->w, tile.rows);
  if (out[v->w] % tile.rows != 0)
    where = wnn_cl_say(g, "%s    if (c%u >= %u) break;\n", where, v->w, out[v->w]);
  put_results(g, v, &tile, where);
  wnn_cl_items(g, out[0] * out[v->h] * n_blocks * n_panels);
  return WEBNN_OK;
}

static webnn_status plan(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  wnn_cl_gen g;
  webnn_status status = wnn_cl_gen_begin(&g, device, region);
  if (status != WEBNN_OK) return wnn_cl_gen_finish(&g, status, out);
  const wnn_cl_convolution v = wnn_cl_convolution_of(region);
  /* Loads of what is a literal need no pointers; a transposed convolution has few places a phase,
   * but for these. */
  const bool is_literal =
      region->inputs[0].constant != NULL && wnn_desc_count(region->inputs[0].desc) == 1;
  const bool is_odd = v.transposed && (v.dilations[0] != 1 || v.dilations[1] != 1 || v.groups != 1);
  if (is_literal || is_odd)
    each_element(&g, &v);
  else if (is_depthwise(region, &v))
    status = by_channels(&g, &v);
  else
    status = by_tiles(&g, &v);
  return wnn_cl_gen_finish(&g, status, out);
}

const wnn_kernel wnn_cl_conv = {"opencl conv", plan, wnn_cl_plan_run, wnn_cl_plan_free};
