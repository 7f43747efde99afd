/* Products of bytes, conv2dInteger and matmulInteger, as oneDNN's int8 primitives: where they are
 * exact. */
#include "onednn.h"

#include <string.h>
#include "kernels/vector.h"

/* Without VNNI oneDNN adds two products of bytes in 16 bits, which saturate: no farther than this
 * they don't. */
#define SAFE_WEIGHT 64
#define RUN ((size_t)4096) /* bytes that are looked at together */

/* A product as oneDNN wants to hear it. */
typedef struct integer {
  bool is_conv;
  uint32_t groups;
  wnn_frame input, output;                            /* of an image, or rows and columns */
  dnnl_dims_t strides, dilates, padding_l, padding_r; /* of a convolution */
  uint32_t n_weights;
  dnnl_dims_t weights, weights_strides; /* where the node's bytes lie */
  int channel_mask;                     /* axes of the weights that count output channels */
} integer;

static const uint8_t filter_axes[][4] = {
    [WEBNN_CONV2D_FILTER_OPERAND_LAYOUT_OIHW] = {0, 1, 2, 3},
    [WEBNN_CONV2D_FILTER_OPERAND_LAYOUT_HWIO] = {3, 2, 0, 1},
    [WEBNN_CONV2D_FILTER_OPERAND_LAYOUT_OHWI] = {0, 3, 1, 2},
    [WEBNN_CONV2D_FILTER_OPERAND_LAYOUT_IHWO] = {3, 0, 1, 2},
};

static integer understand_conv(const wnn_region *region) {
  const wnn_conv2d_attrs *attrs = region->anchor->attrs;
  const wnn_desc *filter = region->inputs[WNN_INTEGER_W].desc;
  const uint8_t *axes = filter_axes[attrs->filter_layout];
  integer is = {.is_conv = true, .groups = attrs->groups};
  size_t strides[WNN_MAX_RANK];
  is.input = wnn_frame_image(region->inputs[0].desc, attrs->input_layout);
  is.output = wnn_frame_image(&region->anchor_desc, attrs->input_layout);
  for (size_t i = 0; i < 2; i++) {
    is.strides[i] = attrs->strides.data[i];
    is.dilates[i] = (dnnl_dim_t)attrs->dilations.data[i] - 1;
    is.padding_l[i] = attrs->padding.data[2 * i];
    is.padding_r[i] = attrs->padding.data[2 * i + 1];
  }
  const uint32_t at = attrs->groups > 1 ? 1 : 0;
  wnn_shape_strides(filter, strides);
  for (uint32_t i = 0; i < 4; i++) {
    is.weights[at + i] = filter->dims[axes[i]];
    is.weights_strides[at + i] = (dnnl_dim_t)strides[axes[i]];
  }
  if (at == 1) {
    is.weights[1] /= attrs->groups;
    is.weights[0] = attrs->groups;
    is.weights_strides[0] = is.weights[1] * is.weights_strides[1];
  }
  is.n_weights = at + 4;
  is.channel_mask = at == 1 ? 3 : 1;
  return is;
}

/* All axes of x but the last are rows. */
static integer understand_matmul(const wnn_region *region) {
  const wnn_matmul_integer_attrs *attrs = region->anchor->attrs;
  const wnn_desc *x = region->inputs[0].desc, *out = &region->anchor_desc;
  const dnnl_dim_t depth = x->dims[x->rank - 1], n = out->dims[out->rank - 1];
  const dnnl_dim_t rows = (dnnl_dim_t)wnn_desc_count(out) / n;
  integer is = {.groups = 1, .n_weights = 2, .channel_mask = 2};
  is.input = (wnn_frame){.n = 2, .collapsed = true, .dims = {rows, depth}, .channel = 1};
  is.output = (wnn_frame){.n = 2, .collapsed = true, .dims = {rows, n}, .channel = 1};
  is.weights[0] = depth;
  is.weights[1] = n;
  is.weights_strides[0] = attrs->w_transpose ? 1 : n;
  is.weights_strides[1] = attrs->w_transpose ? depth : 1;
  return is;
}

static dnnl_data_type_t type_of(const wnn_desc *desc) {
  switch (desc->type) {
    case WEBNN_DATA_TYPE_UINT8: return dnnl_u8;
    case WEBNN_DATA_TYPE_INT8: return dnnl_s8;
    default: return dnnl_f32;
  }
}

/* The same places, of another type. */
static const_dnnl_memory_desc_t of_type(wnn_chain *chain, const_dnnl_memory_desc_t like,
                                        dnnl_data_type_t type) {
  dnnl_memory_desc_t desc = NULL;
  dnnl_dims_t *dims = NULL, *strides = NULL;
  int n = 0;
  if (like == NULL) return NULL;
  dnnl_status_t status = dnnl_memory_desc_query(like, dnnl_query_ndims_s32, &n);
  if (status == dnnl_success) status = dnnl_memory_desc_query(like, dnnl_query_dims, &dims);
  if (status == dnnl_success) status = dnnl_memory_desc_query(like, dnnl_query_strides, &strides);
  if (status == dnnl_success)
    status = dnnl_memory_desc_create_with_strides(&desc, n, *dims, type, *strides);
  return wnn_chain_keep(chain, status, desc);
}

static const_dnnl_memory_desc_t numbers(wnn_chain *chain, size_t n, dnnl_data_type_t type) {
  const dnnl_dims_t dims = {(dnnl_dim_t)n}, strides = {1};
  dnnl_memory_desc_t desc = NULL;
  dnnl_status_t status = dnnl_memory_desc_create_with_strides(&desc, 1, dims, type, strides);
  return wnn_chain_keep(chain, status, desc);
}

/* ---- weights */

typedef struct weights {
  int8_t *bytes; /* less their zero points, as the node's lie */
  const_dnnl_memory_desc_t desc;
  int memory;
} weights;

static int number_of(const wnn_port *port, size_t i) {
  const uint8_t byte = ((const uint8_t *)port->constant)[wnn_desc_count(port->desc) == 1 ? 0 : i];
  return port->desc->type == WEBNN_DATA_TYPE_INT8 ? (int8_t)byte : byte;
}

/* NOT_SUPPORTED when the difference of weights and zero points is no byte, or one with which sums
 * might saturate. */
static weights shifted_weights(wnn_chain *chain, const integer *is, int farthest) {
  const wnn_port *w = &chain->region->inputs[WNN_INTEGER_W],
                 *zero = &chain->region->inputs[WNN_INTEGER_W_ZERO];
  dnnl_memory_desc_t desc = NULL;
  dnnl_status_t status = dnnl_memory_desc_create_with_strides(
      &desc, (int)is->n_weights, is->weights, dnnl_s8, is->weights_strides);
  weights to = {.desc = wnn_chain_keep(chain, status, desc)};
  void *bytes = NULL;
  to.memory = wnn_chain_buffer(chain, to.desc, &bytes);
  if (to.memory < 0) return to;
  to.bytes = bytes;
  /* Bytes of one output channel, and how many there are; groups follow one another. */
  const uint32_t axis = is->is_conv ? is->n_weights - 4 : 1;
  const bool one_zero = wnn_desc_count(zero->desc) == 1;
  const size_t count = wnn_desc_count(w->desc),
               run = one_zero ? RUN : (size_t)is->weights_strides[axis],
               n_channels = (size_t)(is->weights[axis] * is->groups);
  for (size_t i = 0; i < count; i += run)
    if (!wnn_bytes_less((const uint8_t *)w->constant + i, w->desc->type == WEBNN_DATA_TYPE_INT8,
                        number_of(zero, i / run % n_channels), -farthest, farthest, to.bytes + i,
                        count - i < run ? count - i : run)) {
      chain->status = WEBNN_ERROR_NOT_SUPPORTED;
      break;
    }
  return to;
}

/* ---- the primitive */

/* The quantizeLinear at the end, or NULL. */
static const wnn_post *last_step(const wnn_region *region) {
  const wnn_post *last = region->n_posts ? &region->posts[region->n_posts - 1] : NULL;
  return last != NULL && last->node->op->id == WNN_OP_QUANTIZE_LINEAR ? last : NULL;
}

typedef struct attempt {
  const_dnnl_memory_desc_t src, dst, dst_floats, bias;
  wnn_posts posts;
  dnnl_primitive_desc_t pd;
} attempt;

static void need(wnn_chain *chain, dnnl_status_t status) {
  if (chain->status == WEBNN_OK && status != dnnl_success)
    chain->status = wnn_onednn_status(status);
}

static void set_attr(wnn_chain *chain, const integer *is, dnnl_primitive_attr_t attr) {
  const wnn_region *region = chain->region;
  const bool evenly = wnn_desc_count(region->inputs[WNN_INTEGER_W_SCALE].desc) == 1;
  need(chain, dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0));
  need(chain,
       dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_WEIGHTS, evenly ? 0 : is->channel_mask));
  need(chain, dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_SRC, 0));
  if (last_step(region) == NULL) return;
  need(chain, dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_DST, 0));
  need(chain, dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_DST, 0));
}

static dnnl_status_t create_desc(const wnn_chain *chain, const integer *is, attempt *at,
                                 const_dnnl_memory_desc_t any, const_dnnl_primitive_attr_t attr) {
  dnnl_engine_t engine = chain->device->engine;
  if (!is->is_conv)
    return dnnl_matmul_primitive_desc_create(&at->pd, engine, at->src, any, at->bias, at->dst,
                                             attr);
  return dnnl_convolution_forward_primitive_desc_create(
      &at->pd, engine, dnnl_forward_inference, dnnl_convolution_direct, at->src, any, at->bias,
      at->dst, is->strides, is->dilates, is->padding_l, is->padding_r, attr);
}

/* Measured: oneDNN's general product of bytes is better than ours where weights serve for many
 * rows. */
static bool is_tall(const integer *is) { return !is->is_conv && is->output.dims[0] >= 128; }

static void choose(wnn_chain *chain, const integer *is, attempt *at) {
  dnnl_memory_desc_t any_desc = NULL;
  dnnl_status_t status = dnnl_memory_desc_create_with_tag(
      &any_desc, (int)is->n_weights, is->weights, dnnl_s8, dnnl_format_tag_any);
  const_dnnl_memory_desc_t any = wnn_chain_keep(chain, status, any_desc);
  dnnl_primitive_attr_t attr = wnn_chain_attr(chain);
  at->posts.sum_port = -1;
  need(chain, dnnl_post_ops_create(&at->posts.ops));
  if (chain->status == WEBNN_OK) set_attr(chain, is, attr);
  if (chain->status == WEBNN_OK)
    wnn_posts_add(chain, &at->posts, &is->output, at->dst_floats, last_step(chain->region) == NULL);
  if (chain->status == WEBNN_OK && at->posts.n_done != chain->region->n_posts)
    chain->status = WEBNN_ERROR_NOT_SUPPORTED; /* ours is as good where the result is rounded */
  if (chain->status == WEBNN_OK) need(chain, dnnl_primitive_attr_set_post_ops(attr, at->posts.ops));
  if (chain->status == WEBNN_OK) need(chain, create_desc(chain, is, at, any, attr));
  if (chain->status == WEBNN_OK && wnn_pd_rank(at->pd) > (is_tall(is) ? 1 : 0))
    chain->status = WEBNN_ERROR_NOT_SUPPORTED;
  dnnl_post_ops_destroy(at->posts.ops);
  dnnl_primitive_attr_destroy(attr);
}

/* A zero point as oneDNN reads it: 32 bits. */
static int zero_point(wnn_chain *chain, size_t port) {
  const wnn_port *zero = &chain->region->inputs[port];
  const_dnnl_memory_desc_t word = numbers(chain, 1, dnnl_s32);
  if (zero->constant == NULL) {
    const int byte = wnn_chain_input(chain, port, numbers(chain, 1, type_of(zero->desc)));
    return wnn_chain_as(chain, byte, word);
  }
  void *bytes = NULL;
  const int memory = wnn_chain_buffer(chain, word, &bytes);
  if (memory >= 0) *(int32_t *)bytes = number_of(zero, 0);
  return memory;
}

static void add_arg(wnn_chain_arg *args, size_t *n, int arg, int memory) {
  args[(*n)++] = (wnn_chain_arg){arg, memory};
}

static void assemble(wnn_chain *chain, const weights *w, const attempt *chosen) {
  const wnn_region *region = chain->region;
  const wnn_post *last = last_step(region);
  wnn_chain_arg args[11 + WNN_MAX_POSTS];
  size_t n = 0;
  const size_t n_scales = wnn_desc_count(region->inputs[WNN_INTEGER_W_SCALE].desc);
  add_arg(args, &n, DNNL_ARG_SRC, wnn_chain_input(chain, WNN_INTEGER_X, chosen->src));
  add_arg(args, &n, DNNL_ARG_WEIGHTS,
          wnn_chain_as(chain, w->memory, wnn_pd_wants(chosen->pd, DNNL_ARG_WEIGHTS)));
  if (chosen->bias != NULL)
    add_arg(args, &n, DNNL_ARG_BIAS, wnn_chain_input(chain, WNN_INTEGER_BIAS, chosen->bias));
  add_arg(args, &n, DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC,
          wnn_chain_input(chain, WNN_INTEGER_X_SCALE, numbers(chain, 1, dnnl_f32)));
  add_arg(args, &n, DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS,
          wnn_chain_input(chain, WNN_INTEGER_W_SCALE, numbers(chain, n_scales, dnnl_f32)));
  add_arg(args, &n, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC,
          zero_point(chain, WNN_INTEGER_X_ZERO));
  if (last != NULL) {
    add_arg(args, &n, DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST,
            wnn_chain_input(chain, (size_t)last->from[1], numbers(chain, 1, dnnl_f32)));
    add_arg(args, &n, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST,
            zero_point(chain, (size_t)last->from[2]));
  }
  n = wnn_posts_args(chain, &chosen->posts, chosen->pd, args, n);
  add_arg(args, &n, DNNL_ARG_DST, wnn_chain_output(chain, chosen->dst));
  if (chosen->posts.sum_port >= 0) {
    chain->in_place = chosen->posts.sum_port;
    wnn_chain_copy(chain, (size_t)chosen->posts.sum_port, dnnl_memory_desc_get_size(chosen->dst));
  }
  wnn_chain_primitive(chain, chosen->pd, n, args);
}

static bool is_known(const wnn_region *region) {
  const wnn_post *last = last_step(region);
  for (size_t i = WNN_INTEGER_W; i <= WNN_INTEGER_W_ZERO; i++)
    if (i != WNN_INTEGER_X_SCALE && i != WNN_INTEGER_X_ZERO && region->inputs[i].constant == NULL)
      return false;
  return last == NULL || wnn_desc_count(region->inputs[last->from[1]].desc) == 1;
}

/* Farthest from 0 that weights may be, or 0: oneDNN's sums can't be relied on. */
static int farthest_weight(const wnn_chain *chain) {
  if (chain->device->vnni) return 127;
  return chain->region->inputs[WNN_INTEGER_X].desc->type == WEBNN_DATA_TYPE_UINT8 ? SAFE_WEIGHT : 0;
}

static webnn_status plan_integer(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  if (!is_known(region)) return WEBNN_ERROR_NOT_SUPPORTED;
  const bool is_conv = region->anchor->op->id == WNN_OP_CONV2D_INTEGER;
  const integer is = is_conv ? understand_conv(region) : understand_matmul(region);
  const wnn_port *input = &region->inputs[WNN_INTEGER_X], *output = &region->outputs[0];
  wnn_chain chain;
  if (!wnn_chain_begin(&chain, device, region)) return WEBNN_ERROR_UNKNOWN;
  const int farthest = farthest_weight(&chain);
  if (farthest == 0) chain.status = WEBNN_ERROR_NOT_SUPPORTED;
  const weights w = shifted_weights(&chain, &is, farthest);
  attempt chosen = {.dst_floats =
                        wnn_frame_desc(&chain, &is.output, output, region->anchor_desc.rank)};
  const_dnnl_memory_desc_t src = wnn_frame_desc(&chain, &is.input, input, input->desc->rank);
  chosen.src = of_type(&chain, src, type_of(input->desc));
  chosen.dst = of_type(&chain, chosen.dst_floats, type_of(output->desc));
  if (region->inputs[WNN_INTEGER_BIAS].desc != NULL) {
    const dnnl_dims_t row = {1, is.output.dims[1]};
    chosen.bias = is_conv ? wnn_chain_dense(&chain, 1, row + 1) : wnn_chain_dense(&chain, 2, row);
  }
  if (chain.status == WEBNN_OK) choose(&chain, &is, &chosen);
  if (chain.status == WEBNN_OK)
    assemble(&chain, &w, &chosen);
  else
    dnnl_primitive_desc_destroy(chosen.pd);
  return wnn_chain_finish(&chain, out);
}

const wnn_kernel wnn_onednn_integer = {"onednn.integer", plan_integer, wnn_chain_run,
                                       wnn_chain_free};
