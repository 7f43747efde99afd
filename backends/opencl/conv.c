/* Convolutions, a work-item for each element of the result: every shape, every layout. */
#include "gen.h"

/* Which axis of the filter is what. */
typedef struct filter_axes {
  uint8_t out, in, height, width;
} filter_axes;

/* In the order of webnn_conv2d_filter_operand_layout: oihw, hwio, ohwi, ihwo. */
static const filter_axes conv2d_axes[] = {{0, 1, 2, 3}, {3, 2, 0, 1}, {0, 3, 1, 2}, {3, 0, 1, 2}};
/* In the order of webnn_conv_transpose2d_filter_operand_layout: iohw, hwoi, ohwi. */
static const filter_axes conv_transpose2d_axes[] = {{1, 0, 2, 3}, {2, 3, 0, 1}, {0, 3, 1, 2}};

/* One of the two operations, seen the same way. */
typedef struct convolution {
  uint32_t c, h, w; /* axes of images */
  filter_axes f;
  uint32_t groups;
  const uint32_t *padding, *strides, *dilations;
  bool transposed;
} convolution;

static convolution look_at(const wnn_region *region) {
  const void *attrs = region->anchor->attrs;
  convolution v = {.transposed = region->anchor->op->id == WNN_OP_CONV_TRANSPOSE2D};
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
static void put_source(wnn_cl_gen *g, const convolution *v, const char *name, const char *k,
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

static webnn_status plan(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  wnn_cl_gen g;
  webnn_status status = wnn_cl_gen_begin(&g, device, region);
  if (status != WEBNN_OK) return wnn_cl_gen_finish(&g, status, out);
  const convolution v = look_at(region);
  const wnn_port *in = &region->inputs[0], *filter = &region->inputs[1];
  size_t x[WNN_MAX_RANK], f[WNN_MAX_RANK];
  unsigned n_in = in->desc->dims[v.c] / v.groups, n_out = region->anchor_desc.dims[v.c] / v.groups;
  bool has_bias = region->anchor->n_inputs > 2 && region->inputs[2].desc != NULL;
  wnn_layout_strides(&in->layout, in->desc, x);
  wnn_layout_strides(&filter->layout, filter->desc, f);
  g.coordinates = true;
  /* conv2d's filter has all outputs and a group's inputs, convTranspose2d's the other way round. */
  wnn_cl_put(&g, "  const uint group = c%u / %uu;\n  float y = 0.0f;\n", v.c, n_out);
  if (v.transposed)
    wnn_cl_put(&g, "  const uint f = c%u %% %uu * %zuu + group * %uu * %zuu;\n", v.c, n_out,
               f[v.f.out], n_in, f[v.f.in]);
  else
    wnn_cl_put(&g, "  const uint f = c%u * %zuu;\n", v.c, f[v.f.out]);
  wnn_cl_put(&g, "  for (int a = 0; a < %u; a++) {\n", filter->desc->dims[v.f.height]);
  put_source(&g, &v, "row", "a", 0, v.h, in->desc->dims[v.h]);
  wnn_cl_put(&g, "  for (int b = 0; b < %u; b++) {\n", filter->desc->dims[v.f.width]);
  put_source(&g, &v, "column", "b", 1, v.w, in->desc->dims[v.w]);
  wnn_cl_put(&g, "  const uint at = c0 * %zuu + group * %uu * %zuu + row * %zuu + column * %zuu;\n",
             x[0], n_in, x[v.c], x[v.h], x[v.w]);
  wnn_cl_put(&g, "  const uint by = f + a * %zuu + b * %zuu;\n  float part = 0.0f;\n",
             f[v.f.height], f[v.f.width]);
  const char *from = wnn_cl_load(&g, 0, wnn_cl_say(&g, "at + k * %zuu", x[v.c]));
  const char *weight = wnn_cl_load(&g, 1, wnn_cl_say(&g, "by + k * %zuu", f[v.f.in]));
  wnn_cl_put(&g,
             "  for (uint k = 0; k < %uu; k++) part = fma(%s, %s, part);\n  y += part;\n  }\n  }\n",
             n_in, from, weight);
  const char *bias = has_bias ? wnn_cl_load(&g, 2, wnn_cl_say(&g, "c%u", v.c)) : NULL;
  wnn_cl_tail(&g, has_bias ? wnn_cl_say(&g, "y + %s", bias) : "y", "i");
  wnn_cl_items(&g, wnn_desc_count(region->outputs[0].desc));
  return wnn_cl_gen_finish(&g, status, out);
}

const wnn_kernel wnn_cl_conv = {"opencl conv", plan, wnn_cl_plan_run, wnn_cl_plan_free};
