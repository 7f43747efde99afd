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
      g,
      "(%s * %zuu + %s) * %zuu + %s / %zuu * %zuu + %s / %zuu %% %zuu * %zuu + %s %% %zuu * %zuu",
      group, f->n_out, column, f->strides[axes->out], k, f->n_in * f->width,
      f->strides[axes->height], k, f->n_in, f->width, f->strides[axes->width], k, f->n_in,
      f->strides[axes->in]);
}

size_t wnn_cl_filter_offset(const void *arg, size_t group, size_t k, size_t column) {
  const wnn_cl_filter_view *f = arg;
  const wnn_cl_filter_axes *axes = &f->v->f;
  return (group * f->n_out + column) * f->strides[axes->out] +
         k / (f->n_in * f->width) * f->strides[axes->height] +
         k / f->n_in % f->width * f->strides[axes->width] + k % f->n_in * f->strides[axes->in];
}

wnn_cl_filter_view wnn_cl_filter_of(const wnn_region *region, const wnn_cl_convolution *v) {
  wnn_cl_filter_view f = {.v = v, .desc = region->inputs[1].desc};
  wnn_layout_strides(&region->inputs[1].layout, f.desc, f.strides);
  f.n_in = region->inputs[0].desc->dims[v->c] / v->groups;
  f.n_out = region->anchor_desc.dims[v->c] / v->groups;
  f.width = f.desc->dims[v->f.width];
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

/* Where the window of each of the tile's pixels begins: rows h0 …, columns w0 …, and b0 … for image
 * and group. */
static void put_pixels(wnn_cl_gen *g, const wnn_cl_convolution *v, const wnn_cl_tile *tile,
                       size_t n_pixels, const size_t *x, size_t n_in) {
  const uint32_t *out = g->region->anchor_desc.dims;
  for (size_t m = 0; m < tile->rows; m++) {
    wnn_cl_put(g, "  const uint p%zu = min(block * %zuu + %zuu, %zuu);\n", m, tile->rows, m,
               n_pixels - 1);
    wnn_cl_put(g,
               "  const int h%zu = (int)(p%zu / %uu %% %uu * %uu) - %u, w%zu = (int)(p%zu %% %uu * "
               "%uu) - %u;\n",
               m, m, out[v->w], out[v->h], v->strides[0], v->padding[0], m, m, out[v->w],
               v->strides[1], v->padding[2]);
    wnn_cl_put(g, "  const uint b%zu = p%zu / %uu * %zuu + group * %zuu;\n", m, m,
               out[v->w] * out[v->h], x[0], n_in * x[v->c]);
  }
}

/* One place of the window: at0 … are where the pixels' channels begin. */
static void put_place(wnn_cl_gen *g, const wnn_cl_convolution *v, const wnn_cl_tile *tile,
                      const size_t *x, size_t n_in, bool inside) {
  const wnn_desc *in = g->region->inputs[0].desc;
  const char *rows[WNN_CL_TILE_ROWS], *guarded[WNN_CL_TILE_ROWS], *all = "1";
  for (size_t m = 0; m < tile->rows; m++) {
    wnn_cl_put(g, "    const int r%zu = h%zu + a * %u, s%zu = w%zu + b * %u;\n", m, m,
               v->dilations[0], m, m, v->dilations[1]);
    if (inside)
      wnn_cl_put(g, "    const uint at%zu = b%zu + r%zu * %zuu + s%zu * %zuu;\n", m, m, m, x[v->h],
                 m, x[v->w]);
    else {
      wnn_cl_put(g, "    const bool v%zu = r%zu >= 0 && r%zu < %u && s%zu >= 0 && s%zu < %u;\n", m,
                 m, m, in->dims[v->h], m, m, in->dims[v->w]);
      wnn_cl_put(g, "    const uint at%zu = v%zu ? b%zu + r%zu * %zuu + s%zu * %zuu : b%zu;\n", m,
                 m, m, m, x[v->h], m, x[v->w], m);
    }
    rows[m] = wnn_cl_load(g, 0, wnn_cl_say(g, "at%zu + k * %zuu", m, x[v->c]));
    guarded[m] = wnn_cl_say(g, "v%zu ? %s : 0.0f", m, rows[m]);
    all = wnn_cl_say(g, "%s && v%zu", all, m);
  }
  if (!inside) wnn_cl_put(g, "    if (%s) {\n", all);
  wnn_cl_tile_loop(g, tile, n_in, rows);
  if (inside) return;
  wnn_cl_put(g, "    } else {\n");
  wnn_cl_tile_loop(g, tile, n_in, guarded);
  wnn_cl_put(g, "    }\n");
}

/* Stores t, pixel by pixel, with what follows. */
static void put_results(wnn_cl_gen *g, const wnn_cl_convolution *v, const wnn_cl_tile *tile,
                        size_t n_pixels) {
  const wnn_port *out = &g->region->outputs[0];
  const uint32_t *dims = g->region->anchor_desc.dims;
  bool has_bias = g->region->anchor->n_inputs > 2 && g->region->inputs[2].desc != NULL;
  size_t o[WNN_MAX_RANK];
  wnn_layout_strides(&out->layout, out->desc, o);
  wnn_cl_put(g, "  for (uint m = 0; m < %zuu; m++) {\n    const uint p = block * %zuu + m;\n",
             tile->rows, tile->rows);
  if (n_pixels % tile->rows != 0) wnn_cl_put(g, "    if (p >= %zuu) break;\n", n_pixels);
  wnn_cl_put(g, "    const uint c0 = p / %uu, c%u = p / %uu %% %uu, c%u = p %% %uu;\n",
             dims[v->h] * dims[v->w], v->h, dims[v->w], dims[v->h], v->w, dims[v->w]);
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

static webnn_status by_tiles(wnn_cl_gen *g, const wnn_cl_convolution *v) {
  const wnn_port *in = &g->region->inputs[0];
  const uint32_t *dims = g->region->anchor_desc.dims;
  const wnn_cl_filter_view f = wnn_cl_filter_of(g->region, v);
  size_t n_pixels = (size_t)dims[0] * dims[v->h] * dims[v->w], x[WNN_MAX_RANK];
  size_t n_window = (size_t)f.desc->dims[v->f.height] * f.width;
  wnn_cl_tile tile = wnn_cl_tile_of(n_pixels, v->groups, f.n_out, n_window * f.n_in);
  size_t n_blocks = (n_pixels + tile.rows - 1) / tile.rows, local = g->local;
  webnn_status status =
      wnn_cl_tile_pack(g, &tile, 1, wnn_cl_filter_place, wnn_cl_filter_offset, &f);
  if (status != WEBNN_OK) return status;
  wnn_layout_strides(&in->layout, in->desc, x);
  wnn_cl_put(g, "  const uint block = i %% %zuu, panels = i / %zuu;\n", n_blocks, n_blocks);
  wnn_cl_put(g, "  const uint group = panels / %zuu, panel = panels %% %zuu;\n", tile.n_panels,
             tile.n_panels);
  wnn_cl_tile_begin(g, &tile);
  wnn_cl_put(g, "  __global const float *f = w + panels * %zuu;\n", tile.n_inner * tile.width);
  put_pixels(g, v, &tile, n_pixels, x, f.n_in);
  wnn_cl_put(g, "  for (int a = 0; a < %u; a++) {\n  for (int b = 0; b < %zu; b++) {\n",
             f.desc->dims[v->f.height], f.width);
  put_place(g, v, &tile, x, f.n_in, wnn_cl_conv_is_inside(g->region, v));
  wnn_cl_put(g, "    f += %zuu;\n  }\n  }\n", f.n_in * tile.width);
  wnn_cl_tile_end(g, &tile);
  put_results(g, v, &tile, n_pixels);
  g->local = g->device->is_cpu ? 4 : 32;
  wnn_cl_items(g, n_blocks * tile.n_panels * v->groups);
  g->local = local;
  return WEBNN_OK;
}

/* ---- channels by themselves, eight of them a work-item: the image lies channels last */

static bool is_depthwise(const wnn_region *region, const wnn_cl_convolution *v) {
  const wnn_port *in = &region->inputs[0], *out = &region->outputs[0];
  uint32_t n = in->desc->dims[v->c];
  size_t x[WNN_MAX_RANK], y[WNN_MAX_RANK];
  wnn_layout_strides(&in->layout, in->desc, x);
  wnn_layout_strides(&out->layout, out->desc, y);
  return v->groups == n && region->anchor_desc.dims[v->c] == n && n % 8 == 0 && x[v->c] == 1 &&
         y[v->c] == 1;
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

static webnn_status by_channels(wnn_cl_gen *g, const wnn_cl_convolution *v) {
  const wnn_port *in = &g->region->inputs[0];
  const uint32_t *dims = g->region->anchor_desc.dims;
  const wnn_cl_filter_view f = wnn_cl_filter_of(g->region, v);
  size_t n_pixels = (size_t)dims[0] * dims[v->h] * dims[v->w], n_blocks = dims[v->c] / 8,
         x[WNN_MAX_RANK];
  wnn_cl_tile tile = {.rows = 1,
                      .vectors = 1,
                      .width = 8,
                      .n_groups = 1,
                      .n_columns = dims[v->c],
                      .n_inner = f.desc->dims[v->f.height] * f.width,
                      .n_panels = n_blocks};
  webnn_status status = wnn_cl_tile_pack(g, &tile, 1, channel_place, channel_offset, &f);
  if (status != WEBNN_OK) return status;
  wnn_layout_strides(&in->layout, in->desc, x);
  wnn_cl_put(g, "  const uint panel = i %% %zuu, block = i / %zuu, group = 0;\n", n_blocks,
             n_blocks);
  wnn_cl_tile_begin(g, &tile);
  wnn_cl_put(g, "  __global const float *f = w + panel * %zuu;\n", tile.n_inner * 8);
  put_pixels(g, v, &tile, n_pixels, x, 0);
  wnn_cl_put(g,
             "  for (int a = 0; a < %u; a++) {\n    const int r = h0 + a * %u;\n    if (r < 0 || r "
             ">= %u) continue;\n",
             f.desc->dims[v->f.height], v->dilations[0], in->desc->dims[v->h]);
  wnn_cl_put(g,
             "  for (int b = 0; b < %zu; b++) {\n    const int q = w0 + b * %u;\n    if (q < 0 || "
             "q >= %u) continue;\n",
             f.width, v->dilations[1], in->desc->dims[v->w]);
  wnn_cl_put(g, "    const uint at = b0 + r * %zuu + q * %zuu + panel * 8;\n", x[v->h], x[v->w]);
  g->inputs[0] = g->ever[0] = true;
  const char *from = in->desc->type == WEBNN_DATA_TYPE_FLOAT16 ? "vload_half8" : "vload8";
  wnn_cl_put(g, "    a0_0 = fma(%s(0, i0 + at), vload8(a * %zu + b, f), a0_0);\n  }\n  }\n", from,
             f.width);
  wnn_cl_tile_end(g, &tile);
  put_results(g, v, &tile, n_pixels);
  wnn_cl_items(g, n_pixels * n_blocks);
  return WEBNN_OK;
}

static webnn_status plan(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  wnn_cl_gen g;
  webnn_status status = wnn_cl_gen_begin(&g, device, region);
  if (status != WEBNN_OK) return wnn_cl_gen_finish(&g, status, out);
  const wnn_cl_convolution v = wnn_cl_convolution_of(region);
  /* Loads of what is a literal can't be vectors. */
  bool has_image = region->inputs[0].constant == NULL || wnn_desc_count(region->inputs[0].desc) > 1;
  if (v.transposed)
    each_element(&g, &v);
  else if (is_depthwise(region, &v) && has_image)
    status = by_channels(&g, &v);
  else
    status = by_tiles(&g, &v);
  return wnn_cl_gen_finish(&g, status, out);
}

const wnn_kernel wnn_cl_conv = {"opencl conv", plan, wnn_cl_plan_run, wnn_cl_plan_free};
