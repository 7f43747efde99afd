/* Convolutions and transposed convolutions. */
#include "onednn.h"

#include <string.h>

/* A convolution as oneDNN wants to hear it. */
typedef struct conv {
  bool transposed;
  dnnl_dims_t strides, dilates, padding_l, padding_r;
  uint32_t groups;
  wnn_frame input, output;
  uint8_t
      filter_axes[4]; /* where the filter has its output channels, input channels, height, width */
} conv;

static const uint8_t conv2d_filter_axes[][4] = {
    [WEBNN_CONV2D_FILTER_OPERAND_LAYOUT_OIHW] = {0, 1, 2, 3},
    [WEBNN_CONV2D_FILTER_OPERAND_LAYOUT_HWIO] = {3, 2, 0, 1},
    [WEBNN_CONV2D_FILTER_OPERAND_LAYOUT_OHWI] = {0, 3, 1, 2},
    [WEBNN_CONV2D_FILTER_OPERAND_LAYOUT_IHWO] = {3, 0, 1, 2},
};

static const uint8_t transposed_filter_axes[][4] = {
    [WEBNN_CONV_TRANSPOSE2D_FILTER_OPERAND_LAYOUT_IOHW] = {1, 0, 2, 3},
    [WEBNN_CONV_TRANSPOSE2D_FILTER_OPERAND_LAYOUT_HWOI] = {2, 3, 0, 1},
    [WEBNN_CONV_TRANSPOSE2D_FILTER_OPERAND_LAYOUT_OHWI] = {0, 3, 1, 2},
};

static void set_window(conv *is, const wnn_uints *padding, const wnn_uints *strides,
                       const wnn_uints *dilations) {
  for (size_t i = 0; i < 2; i++) {
    is->strides[i] = strides->data[i];
    is->dilates[i] = (dnnl_dim_t)dilations->data[i] - 1; /* oneDNN counts the gaps */
    is->padding_l[i] = padding->data[2 * i];
    is->padding_r[i] = padding->data[2 * i + 1];
  }
}

static void swap_dims(dnnl_dim_t *dims) {
  dnnl_dim_t height = dims[0];
  dims[0] = dims[1];
  dims[1] = height;
}

static void swap_axes(uint8_t *axes) {
  uint8_t height = axes[0];
  axes[0] = axes[1];
  axes[1] = height;
}

/* A column of pixels is told as a row of them, for which oneDNN is several times faster. */
static void lay_down(conv *is, const wnn_region *region) {
  const uint32_t across = is->filter_axes[3];
  if (is->input.dims[3] != 1 || is->output.dims[3] != 1 || is->input.dims[2] == 1 ||
      region->inputs[1].desc->dims[across] != 1 ||
      wnn_layout_is_blocked(&region->inputs[0].layout) ||
      wnn_layout_is_blocked(&region->outputs[0].layout))
    return;
  swap_dims(is->strides);
  swap_dims(is->dilates);
  swap_dims(is->padding_l);
  swap_dims(is->padding_r);
  swap_dims(is->input.dims + 2);
  swap_dims(is->output.dims + 2);
  swap_axes(is->input.axes + 2);
  swap_axes(is->output.axes + 2);
  swap_axes(is->filter_axes + 2);
}

static conv understand(const wnn_region *region) {
  conv is = {.transposed = region->anchor->op->id == WNN_OP_CONV_TRANSPOSE2D};
  webnn_input_operand_layout layout;
  if (is.transposed) {
    const wnn_conv_transpose2d_attrs *attrs = region->anchor->attrs;
    set_window(&is, &attrs->padding, &attrs->strides, &attrs->dilations);
    is.groups = attrs->groups;
    layout = attrs->input_layout;
    memcpy(is.filter_axes, transposed_filter_axes[attrs->filter_layout], 4);
  } else {
    const wnn_conv2d_attrs *attrs = region->anchor->attrs;
    set_window(&is, &attrs->padding, &attrs->strides, &attrs->dilations);
    is.groups = attrs->groups;
    layout = attrs->input_layout;
    memcpy(is.filter_axes, conv2d_filter_axes[attrs->filter_layout], 4);
  }
  is.input = wnn_frame_image(region->inputs[0].desc, layout);
  is.output = wnn_frame_image(&region->anchor_desc, layout);
  lay_down(&is, region);
  return is;
}

/* Dimensions and strides of the filter: [groups,] output channels, input channels, height, width.
 * The specification's filters have all groups along the channels that the output (transposed: the
 * input) counts. */
static uint32_t filter_dims(const conv *is, const wnn_port *filter, dnnl_dims_t dims,
                            dnnl_dims_t strides) {
  const uint32_t at = is->groups > 1 ? 1 : 0, grouped = at + (is->transposed ? 1 : 0);
  size_t port_strides[WNN_MAX_RANK];
  wnn_layout_strides(&filter->layout, filter->desc, port_strides);
  for (uint32_t i = 0; i < 4; i++) {
    dims[at + i] = filter->desc->dims[is->filter_axes[i]];
    strides[at + i] = (dnnl_dim_t)port_strides[is->filter_axes[i]];
  }
  if (at == 1) {
    dims[grouped] /= is->groups;
    dims[0] = is->groups;
    strides[0] = dims[grouped] * strides[grouped];
  }
  return at + 4;
}

/* The parts of a primitive that must agree: descriptors and what is fused. */
typedef struct attempt {
  const_dnnl_memory_desc_t src, dst;
  wnn_posts posts;
  dnnl_primitive_desc_t pd;
} attempt;

static dnnl_status_t create_desc(const wnn_chain *chain, const conv *is, attempt *at,
                                 const_dnnl_memory_desc_t filter, const_dnnl_memory_desc_t bias,
                                 const_dnnl_primitive_attr_t attr) {
  dnnl_engine_t engine = chain->device->engine;
  if (is->transposed)
    return dnnl_deconvolution_forward_primitive_desc_create(
        &at->pd, engine, dnnl_forward_inference, dnnl_deconvolution_direct, at->src, filter, bias,
        at->dst, is->strides, is->dilates, is->padding_l, is->padding_r, attr);
  return dnnl_convolution_forward_primitive_desc_create(
      &at->pd, engine, dnnl_forward_inference, dnnl_convolution_direct, at->src, filter, bias,
      at->dst, is->strides, is->dilates, is->padding_l, is->padding_r, attr);
}

/* One attempt with the given `src` and `dst`; fails alone, not the chain. */
static void attempt_desc(wnn_chain *chain, const conv *is, const_dnnl_memory_desc_t filter,
                         const_dnnl_memory_desc_t bias, bool allow_sum, attempt *at) {
  dnnl_primitive_attr_t attr = wnn_chain_attr(chain);
  webnn_status before = chain->status;
  at->posts.sum_port = -1;
  if (dnnl_post_ops_create(&at->posts.ops) != dnnl_success) chain->status = WEBNN_ERROR_UNKNOWN;
  if (chain->status == WEBNN_OK) wnn_posts_add(chain, &at->posts, &is->output, at->dst, allow_sum);
  if (chain->status == WEBNN_OK &&
      dnnl_primitive_attr_set_post_ops(attr, at->posts.ops) == dnnl_success &&
      create_desc(chain, is, at, filter, bias, attr) != dnnl_success)
    at->pd = NULL;
  if (chain->status == WEBNN_ERROR_NOT_SUPPORTED) chain->status = before;
  dnnl_post_ops_destroy(at->posts.ops);
  dnnl_primitive_attr_destroy(attr);
}

/* Asks for the layouts that the ports have; when oneDNN has nothing good for them, for its own
 * choice. */
static attempt choose(wnn_chain *chain, const conv *is, const_dnnl_memory_desc_t src,
                      const_dnnl_memory_desc_t dst, const_dnnl_memory_desc_t bias) {
  dnnl_dims_t dims, strides;
  uint32_t n = filter_dims(is, &chain->region->inputs[1], dims, strides);
  const_dnnl_memory_desc_t filter = wnn_chain_any(chain, n, dims);
  attempt given = {.src = src, .dst = dst}, free = {.src = NULL};
  attempt_desc(chain, is, filter, bias, true, &given);
  if (chain->status != WEBNN_OK || (given.pd != NULL && wnn_pd_rank(given.pd) == 0)) return given;
  free.src = wnn_chain_any(chain, 4, is->input.dims);
  free.dst = wnn_chain_any(chain, 4, is->output.dims);
  attempt_desc(chain, is, filter, bias, false, &free);
  if (free.pd == NULL || (given.pd != NULL && wnn_pd_rank(free.pd) >= wnn_pd_rank(given.pd))) {
    dnnl_primitive_desc_destroy(free.pd);
    return given;
  }
  dnnl_primitive_desc_destroy(given.pd);
  return free;
}

/* All memories that the chosen primitive wants, in running order, then the primitive. */
static void assemble(wnn_chain *chain, const conv *is, const attempt *chosen,
                     const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst,
                     const_dnnl_memory_desc_t bias) {
  const wnn_region *region = chain->region;
  const_dnnl_primitive_desc_t pd = chosen->pd;
  wnn_chain_arg args[4 + WNN_MAX_POSTS];
  size_t n_args = 0;
  dnnl_dims_t dims, strides;
  uint32_t n = filter_dims(is, &region->inputs[1], dims, strides);
  int filter = wnn_chain_input(chain, 1, wnn_chain_strided(chain, n, dims, strides));
  int input = wnn_chain_as(chain, wnn_chain_input(chain, 0, src), wnn_pd_wants(pd, DNNL_ARG_SRC));
  args[n_args++] = (wnn_chain_arg){DNNL_ARG_SRC, input};
  filter = wnn_chain_as(chain, filter, wnn_pd_wants(pd, DNNL_ARG_WEIGHTS));
  args[n_args++] = (wnn_chain_arg){DNNL_ARG_WEIGHTS, filter};
  if (bias != NULL)
    args[n_args++] = (wnn_chain_arg){DNNL_ARG_BIAS, wnn_chain_input(chain, 2, bias)};
  n_args = wnn_posts_args(chain, &chosen->posts, pd, args, n_args);

  const_dnnl_memory_desc_t wants = wnn_pd_wants(pd, DNNL_ARG_DST);
  const bool direct = dnnl_memory_desc_equal(wants, dst);
  int output = direct ? wnn_chain_output(chain, dst) : wnn_chain_scratch(chain, wants);
  args[n_args++] = (wnn_chain_arg){DNNL_ARG_DST, output};
  if (chosen->posts.sum_port >= 0) {
    chain->in_place = chosen->posts.sum_port;
    wnn_chain_copy(chain, (size_t)chosen->posts.sum_port, dnnl_memory_desc_get_size(dst));
  }
  wnn_chain_primitive(chain, chosen->pd, n_args, args);
  if (!direct) wnn_chain_reorder(chain, output, wnn_chain_output(chain, dst));
  wnn_chain_tail(chain, chosen->posts.n_done, is->output.axes[is->output.channel]);
}

/* oneDNN looks at each column of the result of a transposed convolution with strides, for a tenth
 * of a millisecond. */
#define MAX_COLUMNS 8192

static bool takes_long_to_plan(const conv *is) {
  return is->transposed && (is->strides[0] > 1 || is->strides[1] > 1) &&
         is->output.dims[3] > MAX_COLUMNS;
}

static webnn_status plan_conv(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const conv is = understand(region);
  if (takes_long_to_plan(&is)) return WEBNN_ERROR_NOT_SUPPORTED;
  wnn_chain chain;
  if (!wnn_chain_begin(&chain, device, region)) return WEBNN_ERROR_UNKNOWN;
  if (wnn_layout_is_blocked(&region->inputs[1].layout)) chain.status = WEBNN_ERROR_NOT_SUPPORTED;
  const_dnnl_memory_desc_t src = wnn_frame_desc(&chain, &is.input, &region->inputs[0], 4);
  const_dnnl_memory_desc_t dst = wnn_frame_desc(&chain, &is.output, &region->outputs[0], 4),
                           bias = NULL;
  if (region->anchor->n_inputs > 2 && region->inputs[2].desc != NULL)
    bias = wnn_chain_dense(&chain, 1, &is.output.dims[1]);
  if (chain.status == WEBNN_OK) {
    attempt chosen = choose(&chain, &is, src, dst, bias);
    if (chain.status == WEBNN_OK && chosen.pd == NULL) chain.status = WEBNN_ERROR_NOT_SUPPORTED;
    if (chain.status == WEBNN_OK)
      assemble(&chain, &is, &chosen, src, dst, bias);
    else
      dnnl_primitive_desc_destroy(chosen.pd);
  }
  return wnn_chain_finish(&chain, out);
}

const wnn_kernel wnn_onednn_conv2d = {"onednn.conv2d", plan_conv, wnn_chain_run, wnn_chain_free};
const wnn_kernel wnn_onednn_conv_transpose2d = {"onednn.convTranspose2d", plan_conv, wnn_chain_run,
                                                wnn_chain_free};
