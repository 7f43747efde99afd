/* quantizeLinear and dequantizeLinear: each block of the input shares a scale and a zero point. */
#include "gen.h"

/* Operand `port` for the element at hand: both have the input's rank. */
static const char *block_of(wnn_cl_gen *g, size_t port) {
  const wnn_port *p = &g->region->inputs[port];
  const wnn_desc *whole = g->region->inputs[0].desc;
  const char *sum = "0";
  size_t strides[WNN_MAX_RANK];
  if (wnn_desc_count(p->desc) == 1) return wnn_cl_load(g, port, "0");
  wnn_layout_strides(&p->layout, p->desc, strides);
  g->coordinates = true;
  for (uint32_t d = 0; d < whole->rank; d++)
    if (p->desc->dims[d] != 1)
      sum = wnn_cl_say(g, "%s + c%u / %uu * %zuu", sum, d, whole->dims[d] / p->desc->dims[d],
                       strides[d]);
  return wnn_cl_load(g, port, sum);
}

/* Quotients far outside any range, the infinite ones too, leave it on their own side whatever is
 * added. */
static const char *quantized(wnn_cl_gen *g, webnn_data_type to) {
  long long low = (long long)wnn_type_min(to), high = (long long)wnn_type_max(to);
  wnn_cl_put(g, "  const float q = rint(x / scale);\n");
  wnn_cl_put(g,
             "  const long sum = q != q ? zero : q >= 0x1p40f ? %lldL : q <= -0x1p40f ? %lldL : "
             "(long)q + zero;\n",
             high, low);
  return wnn_cl_say(g, "(%s)clamp(sum, %lldL, %lldL)", wnn_cl_type(to), low, high);
}

static webnn_status plan(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  wnn_cl_gen g;
  webnn_status status = wnn_cl_gen_begin(&g, device, region);
  if (status != WEBNN_OK) return wnn_cl_gen_finish(&g, status, out);
  bool quantizes = region->anchor->op->id == WNN_OP_QUANTIZE_LINEAR;
  const char *x = wnn_cl_load(&g, 0, wnn_cl_index(&g, 0, "i")), *scale = block_of(&g, 1),
             *zero = block_of(&g, 2);
  wnn_cl_put(&g, "  const %s x = %s;\n  const float scale = %s;\n  const long zero = %s;\n",
             quantizes ? "float" : "long", x, scale, zero);
  /* The difference is exact, and rounded once as a float. */
  wnn_cl_tail(&g, quantizes ? quantized(&g, region->anchor_desc.type) : "(float)(x - zero) * scale",
              "i");
  wnn_cl_items(&g, wnn_desc_count(region->outputs[0].desc));
  return wnn_cl_gen_finish(&g, status, out);
}

const wnn_kernel wnn_cl_quantize = {"opencl quantize", plan, wnn_cl_plan_run, wnn_cl_plan_free};
