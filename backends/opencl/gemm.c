/* Matrix products and convolutions by CLBlast: its product between kernels of ours, which lay out
 * what it can't read, and compute what follows. */
#include "base/switches.h"
#include "blast.h"
#include "conv.h"
#include "product.h"

/* Smaller products, in multiplications, are tiles' work, and larger copies of windows, in floats.
 */
#define LEAST_WORK ((size_t)1 << 15)
#define MOST_WINDOWS ((size_t)1 << 26)

static bool is_worth_it(const wnn_cl_gen *g, size_t m, size_t n, size_t k, size_t n_batch) {
  if (m == 0 || n == 0 || k == 0) return false;
  if (!wnn_pass_enabled(g->device->host->passes, "tiles")) return true;
  return n >= 8 && k >= 8 && m * n * k * n_batch >= LEAST_WORK;
}

static webnn_status add_product(wnn_cl_gen *g, const wnn_cl_gemm *gemm) {
  wnn_cl_gemm *kept = wnn_arena_get(&g->plan->arena, sizeof *kept);
  wnn_cl_launch *launch = kept != NULL ? wnn_cl_plan_launch(g->plan, 0, 1, 1, 0) : NULL;
  if (launch == NULL) return WEBNN_ERROR_UNKNOWN;
  *kept = *gemm;
  launch->gemm = kept;
  return WEBNN_OK;
}

/* Where the product goes: to the result itself when it has the product's type and lies so. */
static wnn_cl_matrix target(wnn_cl_gen *g, bool fits, size_t n_floats) {
  if (fits) return (wnn_cl_matrix){.arg = {WNN_CL_OUTPUT, 0}};
  size_t at = wnn_cl_plan_scratch(g->plan, n_floats * sizeof(float));
  return (wnn_cl_matrix){.arg = {WNN_CL_SCRATCH, 0}, .at = at / sizeof(float)};
}

/* A float of what the product gave. */
static const char *load_product(wnn_cl_gen *g, const wnn_cl_matrix *c, const char *index) {
  if (c->arg.place == WNN_CL_OUTPUT) return wnn_cl_say(g, "o0[%s]", index);
  g->scratch = true;
  return wnn_cl_say(g, "((__global const float *)s)[%zu + %s]", c->at, index);
}

/* Has a port's matrices, of rows and columns, laid out densely in float32. */
static webnn_status lay_out(wnn_cl_gen *g, size_t port, size_t n_groups, size_t rows,
                            size_t columns, wnn_cl_tile_place place, wnn_cl_tile_offset offset,
                            const void *view, wnn_cl_matrix *out) {
  const wnn_cl_tile tile = {.rows = 1,
                            .width = columns,
                            .n_groups = n_groups,
                            .n_columns = columns,
                            .n_inner = rows,
                            .n_panels = 1};
  const bool keeps = g->region->inputs[port].constant != NULL;
  webnn_status status = wnn_cl_tile_pack(g, &tile, port, place, offset, view);
  *out = (wnn_cl_matrix){.row = columns, .batch = n_groups > 1 ? rows * columns : 0};
  out->arg = (wnn_cl_arg){keeps ? WNN_CL_KEPT : WNN_CL_SCRATCH, 0};
  if (!keeps) out->at = g->packed_at / sizeof(float);
  return status;
}

/* ---- gemm and matmul */

/* The one stride between matrices along the axes of a batch; false: there is none. */
static bool one_stride(const size_t *strides, const uint32_t *dims, uint32_t n, size_t *out) {
  size_t so_far = 1;
  *out = 0;
  for (uint32_t d = n; d-- > 0;) {
    if (dims[d] == 1) continue;
    if (so_far == 1) *out = strides[d];
    if (strides[d] != *out * so_far) return false;
    so_far *= dims[d];
  }
  return true;
}

/* An operand as it lies, or laid out; rows and columns are those of the product. */
static webnn_status take(wnn_cl_gen *g, size_t port, const wnn_cl_operand *view, size_t rows,
                         size_t columns, wnn_cl_matrix *out, bool *transposed) {
  const wnn_port *p = &g->region->inputs[port];
  const wnn_desc *result = &g->region->anchor_desc;
  size_t row = rows == 1 ? columns : view->row, column = columns == 1 ? 1 : view->column;
  bool is_float = p->desc->type == WEBNN_DATA_TYPE_FLOAT32;
  bool uniform = one_stride(view->batch, result->dims, result->rank - 2, &out->batch);
  *out = (wnn_cl_matrix){.arg = {WNN_CL_INPUT, (uint32_t)port}, .batch = out->batch};
  *transposed = false;
  if (is_float && uniform && column == 1 && row >= columns) {
    out->row = row;
  } else if (is_float && uniform && view->row == 1 && view->column >= rows) {
    out->row = view->column;
    *transposed = true;
  } else {
    size_t number;
    if (!one_stride(view->number, result->dims, result->rank - 2, &number))
      return WEBNN_ERROR_NOT_SUPPORTED;
    return lay_out(g, port, view->n_batch, rows, columns, wnn_cl_operand_place,
                   wnn_cl_operand_offset, view, out);
  }
  g->ever[port] = true;
  return WEBNN_OK;
}

static void add_tail(wnn_cl_gen *g, const wnn_cl_matrix *c, const wnn_gemm_attrs *gemm) {
  const wnn_region *region = g->region;
  const wnn_port *out = &region->outputs[0];
  bool adds = gemm != NULL && region->anchor->n_inputs > 2 && region->inputs[2].desc != NULL;
  if (c->arg.place == WNN_CL_OUTPUT && region->n_posts == 0 && !adds) return;
  const char *at = "i";
  if (!wnn_port_is_plain(out)) {
    size_t strides[WNN_MAX_RANK];
    const wnn_layout plain = wnn_layout_plain(out->desc->rank);
    wnn_layout_strides(&plain, out->desc, strides);
    at = wnn_cl_offset(g, out->desc->rank, strides, "c");
    g->coordinates = true;
  }
  const char *y = load_product(g, c, at);
  if (adds) {
    g->coordinates = true;
    y = wnn_cl_say(g, "fma(%s, %s, %s)", wnn_cl_float(g, gemm->beta.as.f),
                   wnn_cl_load(g, 2, wnn_cl_index_at(g, 2, &region->anchor_desc, "c")), y);
  }
  wnn_cl_tail(g, y, "i");
  wnn_cl_items(g, wnn_desc_count(out->desc));
}

static webnn_status multiply(wnn_cl_gen *g) {
  const wnn_region *region = g->region;
  const wnn_gemm_attrs *gemm = region->anchor->op->id == WNN_OP_GEMM ? region->anchor->attrs : NULL;
  const wnn_desc *desc = &region->anchor_desc, *da = region->inputs[0].desc;
  const wnn_port *out = &region->outputs[0];
  const uint32_t rank = desc->rank;
  wnn_cl_gemm p = {.m = desc->dims[rank - 2], .n = desc->dims[rank - 1], .n_batch = 1};
  p.k = da->dims[gemm != NULL && gemm->a_transpose ? 0 : da->rank - 1];
  p.alpha = gemm != NULL ? (float)gemm->alpha.as.f : 1;
  for (uint32_t d = 0; d + 2 < rank; d++) p.n_batch *= desc->dims[d];
  if (!is_worth_it(g, p.m, p.n, p.k, p.n_batch) || !wnn_shape_equal(out->desc, desc))
    return WEBNN_ERROR_NOT_SUPPORTED;
  const wnn_cl_operand a = wnn_cl_operand_of(&region->inputs[0], rank,
                                             gemm != NULL && gemm->a_transpose),
                       b = wnn_cl_operand_of(&region->inputs[1], rank,
                                             gemm != NULL && gemm->b_transpose);
  webnn_status status = take(g, 0, &a, p.m, p.k, &p.a, &p.a_transposed);
  if (status == WEBNN_OK && g->plan->kept != NULL) status = WEBNN_ERROR_NOT_SUPPORTED; /* is b's */
  if (status == WEBNN_OK) status = take(g, 1, &b, p.k, p.n, &p.b, &p.b_transposed);
  if (status != WEBNN_OK) return status;
  bool fits = out->desc->type == WEBNN_DATA_TYPE_FLOAT32 && wnn_port_is_plain(out);
  p.c = target(g, fits, p.m * p.n * p.n_batch);
  p.c.row = p.n;
  p.c.batch = p.m * p.n;
  if (p.n_batch > 1 && p.b.batch == 0 && !p.a_transposed && p.a.batch == p.m * p.a.row) {
    p.m *= p.n_batch; /* one matrix of all rows */
    p.n_batch = 1;
  }
  status = add_product(g, &p);
  if (status == WEBNN_OK) add_tail(g, &p.c, gemm);
  return status;
}

/* ---- convolutions: windows as rows of a matrix, channels as columns */

/* The image itself is that matrix: windows of one pixel, each once, the pixels at equal distances.
 */
static bool is_matrix(const wnn_region *region, const wnn_cl_convolution *v,
                      const wnn_cl_filter_view *f, const size_t *x) {
  const wnn_port *in = &region->inputs[0];
  const uint32_t *dims = in->desc->dims;
  return in->desc->type == WEBNN_DATA_TYPE_FLOAT32 && f->desc->dims[v->f.height] == 1 &&
         f->width == 1 && v->strides[0] == 1 && v->strides[1] == 1 &&
         wnn_cl_conv_is_inside(region, v) && dims[v->h] == region->anchor_desc.dims[v->h] &&
         dims[v->w] == region->anchor_desc.dims[v->w] && x[v->c] == 1 &&
         x[v->h] == x[v->w] * dims[v->w] && x[0] == x[v->h] * dims[v->h];
}

/* All windows, group by group, in the scratch. */
static wnn_cl_matrix gather_windows(wnn_cl_gen *g, const wnn_cl_convolution *v,
                                    const wnn_cl_filter_view *f, const size_t *x, size_t n_pixels,
                                    size_t n_inner) {
  const uint32_t *in = g->region->inputs[0].desc->dims, *out = g->region->anchor_desc.dims;
  const size_t n = v->groups * n_pixels * n_inner;
  const size_t at = wnn_cl_plan_scratch(g->plan, n * sizeof(float));
  wnn_cl_put(g, "  const uint k = i %% %zuu, p = i / %zuu %% %zuu, group = i / %zuu;\n", n_inner,
             n_inner, n_pixels, n_inner * n_pixels);
  wnn_cl_put(g, "  const int row = (int)(p / %uu %% %uu * %uu + k / %zuu * %uu) - %u;\n", out[v->w],
             out[v->h], v->strides[0], f->n_in * f->width, v->dilations[0], v->padding[0]);
  wnn_cl_put(g, "  const int column = (int)(p %% %uu * %uu + k / %zuu %% %zuu * %uu) - %u;\n",
             out[v->w], v->strides[1], f->n_in, f->width, v->dilations[1], v->padding[2]);
  wnn_cl_put(g, "  float y = 0.0f;\n  if (row >= 0 && row < %u && column >= 0 && column < %u)\n",
             in[v->h], in[v->w]);
  const char *from = wnn_cl_say(
      g, "p / %uu * %zuu + (group * %zuu + k %% %zuu) * %zuu + row * %zuu + column * %zuu",
      out[v->h] * out[v->w], x[0], f->n_in, f->n_in, x[v->c], x[v->h], x[v->w]);
  wnn_cl_put(g, "    y = %s;\n  ((__global float *)s)[%zu + i] = y;\n", wnn_cl_load(g, 0, from),
             at / sizeof(float));
  g->scratch = true;
  wnn_cl_items(g, n);
  return (wnn_cl_matrix){.arg = {WNN_CL_SCRATCH, 0},
                         .at = at / sizeof(float),
                         .row = n_inner,
                         .batch = n_pixels * n_inner};
}

/* What follows the product: bias and posts, on pixels whose channels lie together. */
static void add_conv_tail(wnn_cl_gen *g, const wnn_cl_convolution *v, const wnn_cl_matrix *c) {
  const wnn_region *region = g->region;
  const uint32_t *dims = region->anchor_desc.dims;
  bool has_bias = region->anchor->n_inputs > 2 && region->inputs[2].desc != NULL;
  size_t strides[WNN_MAX_RANK] = {0};
  if (c->arg.place == WNN_CL_OUTPUT && region->n_posts == 0 && !has_bias) return;
  strides[v->c] = 1;
  strides[v->w] = dims[v->c];
  strides[v->h] = strides[v->w] * dims[v->w];
  strides[0] = strides[v->h] * dims[v->h];
  g->coordinates = true;
  const char *y =
      load_product(g, c, c->arg.place == WNN_CL_OUTPUT ? "i" : wnn_cl_offset(g, 4, strides, "c"));
  if (has_bias) y = wnn_cl_say(g, "%s + %s", y, wnn_cl_load(g, 2, wnn_cl_say(g, "c%u", v->c)));
  wnn_cl_tail(g, y, "i");
  wnn_cl_items(g, wnn_desc_count(region->outputs[0].desc));
}

/* True when the result's pixels lie one after the other, each with its channels. */
static bool is_channels_last(const wnn_port *port, const wnn_cl_convolution *v) {
  const uint32_t *dims = port->desc->dims;
  size_t o[WNN_MAX_RANK];
  wnn_layout_strides(&port->layout, port->desc, o);
  return o[v->c] == 1 && o[v->w] == dims[v->c] && o[v->h] == o[v->w] * dims[v->w] &&
         o[0] == o[v->h] * dims[v->h];
}

static webnn_status convolve(wnn_cl_gen *g) {
  const wnn_region *region = g->region;
  const wnn_cl_convolution v = wnn_cl_convolution_of(region);
  const wnn_desc *desc = &region->anchor_desc;
  const wnn_port *out = &region->outputs[0];
  if (v.transposed || !wnn_shape_equal(out->desc, desc)) return WEBNN_ERROR_NOT_SUPPORTED;
  const wnn_cl_filter_view f = wnn_cl_filter_of(region, &v);
  size_t n_window = (size_t)f.desc->dims[v.f.height] * f.width, x[WNN_MAX_RANK];
  wnn_cl_gemm p = {.m = (size_t)desc->dims[0] * desc->dims[v.h] * desc->dims[v.w],
                   .n = f.n_out,
                   .k = n_window * f.n_in,
                   .n_batch = v.groups,
                   .alpha = 1};
  if (!is_worth_it(g, p.m, p.n, p.k, p.n_batch) || p.m * p.k * v.groups > MOST_WINDOWS)
    return WEBNN_ERROR_NOT_SUPPORTED;
  wnn_layout_strides(&region->inputs[0].layout, region->inputs[0].desc, x);
  if (is_matrix(region, &v, &f, x)) {
    p.a = (wnn_cl_matrix){.arg = {WNN_CL_INPUT, 0}, .row = x[v.w], .batch = f.n_in};
    g->ever[0] = true;
  } else {
    p.a = gather_windows(g, &v, &f, x, p.m, p.k);
  }
  webnn_status status =
      lay_out(g, 1, v.groups, p.k, p.n, wnn_cl_filter_place, wnn_cl_filter_offset, &f, &p.b);
  if (status != WEBNN_OK) return status;
  bool fits = out->desc->type == WEBNN_DATA_TYPE_FLOAT32 && is_channels_last(out, &v);
  p.c = target(g, fits, p.m * desc->dims[v.c]);
  p.c.row = desc->dims[v.c];
  p.c.batch = f.n_out;
  status = add_product(g, &p);
  if (status == WEBNN_OK) add_conv_tail(g, &v, &p.c);
  return status;
}

static webnn_status plan(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  wnn_cl_gen g;
  *out = NULL;
  if (!wnn_cl_blast_usable(device)) return WEBNN_ERROR_NOT_SUPPORTED;
  webnn_status status = wnn_cl_gen_begin(&g, device, region);
  const wnn_op_id op = region->anchor->op->id;
  if (status == WEBNN_OK)
    status = op == WNN_OP_GEMM || op == WNN_OP_MATMUL ? multiply(&g) : convolve(&g);
  return wnn_cl_gen_finish(&g, status, out);
}

const wnn_kernel wnn_cl_by_clblast = {"opencl clblast", plan, wnn_cl_plan_run, wnn_cl_plan_free};
