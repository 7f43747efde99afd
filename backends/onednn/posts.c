/* What is fused behind a convolution or product: element-wise nodes as oneDNN's post-ops. */
#include "onednn.h"

#include <math.h>

/* Operations whose formula is an oneDNN algorithm with fixed numbers. None that need an
 * exponential: oneDNN writes their code anew into every variant of a kernel, which takes longer than
 * all else of a load, and is no quicker than the tail; nor is it exact everywhere (exp makes
 * infinity of NaN, softplus and mish are off by millionths on the left side, elu and gelu are what
 * remains of numbers near 1). */
static const struct {
  wnn_op_id op;
  dnnl_alg_kind_t algorithm;
  float alpha, beta;
} plain_activations[] = {
    {WNN_OP_ABS, dnnl_eltwise_abs, 0, 0},
    {WNN_OP_HARD_SWISH, dnnl_eltwise_hardswish, 1.0f / 6, 0.5f},
    {WNN_OP_RELU, dnnl_eltwise_clip_v2, 0, INFINITY}, /* its relu may multiply -inf by 0 */
    {WNN_OP_SQRT, dnnl_eltwise_sqrt, 0, 0},
};

/* Not max and min, which would choose the other operand of NaN. */
static const struct {
  wnn_op_id op;
  dnnl_alg_kind_t algorithm;
} binaries[] = {
    {WNN_OP_ADD, dnnl_binary_add},
    {WNN_OP_SUB, dnnl_binary_sub},
    {WNN_OP_MUL, dnnl_binary_mul},
    {WNN_OP_DIV, dnnl_binary_div},
};

typedef enum form {
  FORM_NONE, /* no post-op says this */
  FORM_ELTWISE,
  FORM_BINARY,
  FORM_PRELU,
} form;

/* One post, understood. */
typedef struct meaning {
  form form;
  dnnl_alg_kind_t algorithm;
  float alpha, beta;
  size_t port;  /* of BINARY and PRELU */
  bool negated; /* the result so far changes its sign first: x - y as -y + x */
} meaning;

/* Where the operand of a post repeats. */
typedef enum spread {
  SPREAD_FULL,
  SPREAD_CHANNEL, /* one number a channel */
  SPREAD_SCALAR,
  SPREAD_OTHER,
} spread;

static spread spread_of(const wnn_desc *operand, const wnn_desc *result, uint32_t channel_axis) {
  if (operand->rank > result->rank) return SPREAD_OTHER;
  bool all_one = true, all_full = true, only_channel = true;
  for (uint32_t axis = 0; axis < result->rank; axis++) {
    uint32_t missing = result->rank - operand->rank;
    uint32_t n = axis < missing ? 1 : operand->dims[axis - missing];
    if (n != 1) all_one = false;
    if (n != result->dims[axis]) all_full = false;
    if (n != (axis == channel_axis ? result->dims[axis] : 1)) only_channel = false;
  }
  if (all_one) return SPREAD_SCALAR;
  if (all_full) return SPREAD_FULL;
  return only_channel ? SPREAD_CHANNEL : SPREAD_OTHER;
}

static meaning eltwise(dnnl_alg_kind_t algorithm, double alpha, double beta) {
  return (meaning){
      .form = FORM_ELTWISE, .algorithm = algorithm, .alpha = (float)alpha, .beta = (float)beta};
}

static meaning activation_meaning(const wnn_node *node) {
  for (size_t i = 0; i < sizeof plain_activations / sizeof *plain_activations; i++)
    if (plain_activations[i].op == node->op->id)
      return eltwise(plain_activations[i].algorithm, plain_activations[i].alpha,
                     plain_activations[i].beta);
  switch (node->op->id) {
    case WNN_OP_CLAMP: {
      const wnn_clamp_attrs *attrs = node->attrs;
      /* NaN becomes the lower bound, which has to be one. */
      if (isinf((float)attrs->min_value.as.f)) return (meaning){0};
      return eltwise(dnnl_eltwise_clip_v2, attrs->min_value.as.f, attrs->max_value.as.f);
    }
    case WNN_OP_LEAKY_RELU: {
      const wnn_alpha_attrs *attrs = node->attrs;
      /* oneDNN multiplies 0 by the slope, and takes a slope of 0 for relu, where -inf gives NaN. */
      if (!isfinite((float)attrs->alpha.as.f) || (float)attrs->alpha.as.f == 0) return (meaning){0};
      return eltwise(dnnl_eltwise_relu, attrs->alpha.as.f, 0);
    }
    case WNN_OP_HARD_SIGMOID: {
      const wnn_alpha_beta_attrs *attrs = node->attrs;
      return eltwise(dnnl_eltwise_hardsigmoid, attrs->alpha.as.f, attrs->beta.as.f);
    }
    case WNN_OP_LINEAR: {
      const wnn_alpha_beta_attrs *attrs = node->attrs;
      return eltwise(dnnl_eltwise_linear, attrs->alpha.as.f, attrs->beta.as.f);
    }
    default: return (meaning){0};
  }
}

/* Both operands are the result so far. */
static meaning self_meaning(wnn_op_id op) {
  if (op == WNN_OP_MUL) return eltwise(dnnl_eltwise_square, 0, 0);
  if (op == WNN_OP_ADD) return eltwise(dnnl_eltwise_linear, 2, 0);
  return (meaning){0};
}

static meaning binary_meaning(const wnn_post *post, size_t stage) {
  const wnn_op_id op = post->node->op->id;
  const bool first = post->from[0] == WNN_FROM_STAGE(stage),
             second = post->from[1] == WNN_FROM_STAGE(stage);
  if (first && second) return self_meaning(op);
  meaning is = {.form = FORM_BINARY, .port = (size_t)(first ? post->from[1] : post->from[0])};
  if ((first ? post->from[1] : post->from[0]) < 0 || first == second) return (meaning){0};
  for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
    if (binaries[i].op == op) is.algorithm = binaries[i].algorithm;
  if (second && op == WNN_OP_DIV) return (meaning){0};
  if (second && op == WNN_OP_SUB) {
    is.negated = true;
    is.algorithm = dnnl_binary_add;
  }
  return is;
}

/* What oneDNN doesn't say, or not as well, though the tail does. */
static bool is_for_tail(const wnn_post *post) {
  switch (post->node->op->id) {
    case WNN_OP_ELU:
    case WNN_OP_GELU:
    case WNN_OP_GELU_TANH:
    case WNN_OP_MISH:
    case WNN_OP_ROUND_HALF:
    case WNN_OP_SIGMOID:
    case WNN_OP_SILU:
    case WNN_OP_SOFTPLUS:
    case WNN_OP_TANH: return true;
    default: return false;
  }
}

/* What stands behind such a post isn't oneDNN's any longer. */
static bool is_in_tail(const wnn_region *region, size_t n_posts) {
  for (size_t i = 0; i < n_posts; i++)
    if (is_for_tail(&region->posts[i])) return true;
  return false;
}

/* A result of an earlier stage that the tail has kept, joined with the one so far. */
static bool joins_kept(const wnn_region *region, const wnn_post *post, size_t n_posts, uint32_t channel_axis) {
  size_t first = 0;
  while (first < n_posts && !is_for_tail(&region->posts[first])) first++;
  if (first == n_posts || !wnn_tail_can_keep(region->anchor_desc.dims[channel_axis])) return false;
  for (int i = 0; i < 2; i++) {
    if (post->from[i] != WNN_FROM_STAGE(n_posts) || !WNN_IS_STAGE(post->from[1 - i])) continue;
    if (WNN_STAGE_OF(post->from[1 - i]) >= n_posts || WNN_STAGE_OF(post->from[1 - i]) < first) continue;
    for (size_t k = 0; k < sizeof binaries / sizeof *binaries; k++)
      if (binaries[k].op == post->node->op->id) return true;
  }
  return false;
}

/* `stage`: the number of the result that the post reads. */
static meaning meaning_of(const wnn_post *post, size_t stage) {
  switch (post->node->op->id) {
    case WNN_OP_ADD:
    case WNN_OP_SUB:
    case WNN_OP_MUL:
    case WNN_OP_DIV: return binary_meaning(post, stage);
    case WNN_OP_PRELU:
      if (post->from[0] != WNN_FROM_STAGE(stage) || post->from[1] < 0) return (meaning){0};
      return (meaning){.form = FORM_PRELU, .port = (size_t)post->from[1]};
    default:
      return post->from[0] == WNN_FROM_STAGE(stage) ? activation_meaning(post->node) : (meaning){0};
  }
}

static bool adds_nothing(const meaning *is) { return is->beta == 0 && signbit(is->beta); }

/* A product or sum with one constant number is a function of the result so far: post-ops with operands cost oneDNN far
 * more. Adding -0 changes nothing. */
static void use_number(const wnn_region *region, const wnn_post *post, meaning *is) {
  if (is->form != FORM_BINARY) return;
  const wnn_port *port = &region->inputs[is->port];
  const wnn_op_id op = post->node->op->id;
  if (port->constant == NULL || port->desc->type != WEBNN_DATA_TYPE_FLOAT32 ||
      wnn_desc_count(port->desc) != 1)
    return;
  const float number = *(const float *)port->constant;
  if (op == WNN_OP_MUL) *is = eltwise(dnnl_eltwise_linear, number, -0.0);
  if (op == WNN_OP_ADD) *is = eltwise(dnnl_eltwise_linear, 1, number);
  if (op == WNN_OP_SUB && is->negated) *is = eltwise(dnnl_eltwise_linear, -1, number);
  else if (op == WNN_OP_SUB) *is = eltwise(dnnl_eltwise_linear, 1, -number);
}

/* A product and the sum behind it are one. */
static bool joins(meaning *last, const meaning *is) {
  const bool linear = last->form == FORM_ELTWISE && last->algorithm == dnnl_eltwise_linear &&
                      is->form == FORM_ELTWISE && is->algorithm == dnnl_eltwise_linear;
  if (!linear || !adds_nothing(last) || is->alpha != 1) return false;
  last->beta = is->beta;
  return true;
}

/* oneDNN multiplies 0 by the slope, so that an infinite one would give NaN. */
static bool has_finite_slopes(const wnn_port *port) {
  const float *slopes = port->constant;
  for (size_t i = 0; slopes != NULL && i < wnn_desc_count(port->desc); i++)
    if (!isfinite(slopes[i])) return false;
  return slopes != NULL;
}

/* Whether the tail does the post: from the first of its own on, and all behind our products of
 * bytes. */
static bool is_tails(const wnn_region *region, size_t n_posts) {
  const wnn_op_id anchor = region->anchor->op->id;
  return anchor == WNN_OP_CONV2D_INTEGER || anchor == WNN_OP_MATMUL_INTEGER ||
         is_in_tail(region, n_posts);
}

/* The tail reads an operand of the result's size as the result lies: a lower rank may lie
 * otherwise, and constants stay plain. */
static bool lies_as_result(const wnn_region *region, const wnn_port *port, uint32_t channel_axis) {
  return port->desc->rank == region->anchor_desc.rank &&
         (port->constant == NULL || channel_axis == region->anchor_desc.rank - 1);
}

bool wnn_post_fits(const wnn_region *region, const wnn_post *post, size_t n_posts,
                   uint32_t channel_axis, bool channels_last) {
  if (region->anchor_desc.type != WEBNN_DATA_TYPE_FLOAT32 ||
      post->desc.type != WEBNN_DATA_TYPE_FLOAT32)
    return false; /* float16 is rounded at every named result, which post-ops aren't */
  if (!wnn_shape_equal(&post->desc, &region->anchor_desc)) return false;
  if (n_posts > 0 && region->posts[n_posts - 1].desc.type != WEBNN_DATA_TYPE_FLOAT32) return false;
  if (is_for_tail(post)) return channels_last;
  if (post->node->op->id == WNN_OP_SILU_HALF) return is_in_tail(region, n_posts);
  if (post->node->n_inputs == 2 && joins_kept(region, post, n_posts, channel_axis)) return true;
  meaning is = meaning_of(post, n_posts);
  if (is.form == FORM_NONE) return false;
  if (is.form == FORM_ELTWISE) return true;
  const wnn_port *port = &region->inputs[is.port];
  spread how = spread_of(port->desc, &region->anchor_desc, channel_axis);
  if (is.form == FORM_PRELU)
    return (how == SPREAD_CHANNEL || how == SPREAD_SCALAR) && has_finite_slopes(port);
  if (how == SPREAD_FULL && is_tails(region, n_posts))
    return lies_as_result(region, port, channel_axis);
  return how != SPREAD_OTHER;
}

bool wnn_post_quantises(const wnn_region *region, const wnn_post *post, size_t n_posts, uint32_t channel_axis) {
  const wnn_op_id anchor = region->anchor->op->id;
  if (anchor != WNN_OP_CONV2D_INTEGER && anchor != WNN_OP_MATMUL_INTEGER) return false;
  if (post->node->op->id != WNN_OP_QUANTIZE_LINEAR || webnn_data_type_bytes(post->desc.type) != 1) return false;
  if (post->from[0] != WNN_FROM_STAGE(n_posts) || post->from[1] < 0 || post->from[2] < 0) return false;
  for (size_t i = 1; i < 3; i++) {
    const spread how = spread_of(region->inputs[post->from[i]].desc, &region->anchor_desc, channel_axis);
    if (how != SPREAD_SCALAR && how != SPREAD_CHANNEL) return false;
  }
  return true;
}

/* The descriptor of an operand as it lies. */
static const_dnnl_memory_desc_t operand_desc(wnn_chain *chain, const wnn_frame *frame, size_t port,
                                             spread how) {
  const wnn_region *region = chain->region;
  if (how == SPREAD_FULL)
    return wnn_frame_desc(chain, frame, &region->inputs[port], region->anchor_desc.rank);
  dnnl_dims_t dims;
  for (uint32_t i = 0; i < frame->n; i++)
    dims[i] = how == SPREAD_CHANNEL && i == frame->channel ? frame->dims[i] : 1;
  return wnn_chain_dense(chain, frame->n, dims);
}

static void need(wnn_chain *chain, dnnl_status_t status) {
  if (chain->status == WEBNN_OK && status != dnnl_success)
    chain->status = wnn_onednn_status(status);
}

/* A residual that nobody needs afterwards can be where the result goes: the primitive then adds to
 * it. */
static bool can_sum(const wnn_chain *chain, const wnn_posts *posts, const meaning *is, spread how) {
  const wnn_port *port = &chain->region->inputs[is->port], *output = &chain->region->outputs[0];
  return how == SPREAD_FULL && is->algorithm == dnnl_binary_add && !is->negated &&
         dnnl_post_ops_len(posts->ops) == 0 && port->dies && port->constant == NULL &&
         wnn_layout_same_bytes(&port->layout, &output->layout, output->desc);
}

static void add_operand(wnn_posts *posts, size_t port, int arg, const_dnnl_memory_desc_t given) {
  size_t at = posts->n_operands++;
  posts->operands[at].port = port;
  posts->operands[at].given = given;
  posts->operands[at].arg = DNNL_ARG_ATTR_MULTIPLE_POST_OP(dnnl_post_ops_len(posts->ops) - 1) | arg;
}

static void add_one(wnn_chain *chain, wnn_posts *posts, const wnn_frame *frame,
                    const_dnnl_memory_desc_t dst, const meaning *is, bool allow_sum) {
  if (is->form == FORM_ELTWISE) {
    need(chain, dnnl_post_ops_append_eltwise(posts->ops, is->algorithm, is->alpha, is->beta));
    return;
  }
  const wnn_region *region = chain->region;
  const uint32_t channel_axis =
      frame->collapsed ? region->anchor_desc.rank - 1 : frame->axes[frame->channel];
  spread how = spread_of(region->inputs[is->port].desc, &region->anchor_desc, channel_axis);
  if (allow_sum && is->form == FORM_BINARY && can_sum(chain, posts, is, how)) {
    need(chain, dnnl_post_ops_append_sum(posts->ops, 1.0f, 0, dnnl_data_type_undef));
    posts->sum_port = (int)is->port;
    return;
  }
  const_dnnl_memory_desc_t given = operand_desc(chain, frame, is->port, how);
  if (given == NULL) return;
  if (is->form == FORM_PRELU) {
    need(chain,
         dnnl_post_ops_append_prelu(posts->ops, how == SPREAD_SCALAR ? 0 : 1 << frame->channel));
    add_operand(posts, is->port, DNNL_ARG_WEIGHTS, given);
    return;
  }
  if (is->negated)
    need(chain, dnnl_post_ops_append_eltwise(posts->ops, dnnl_eltwise_linear, -1, 0));
  need(chain,
       dnnl_post_ops_append_binary(posts->ops, is->algorithm, how == SPREAD_FULL ? dst : given));
  add_operand(posts, is->port, DNNL_ARG_SRC_1, given);
}

void wnn_posts_add(wnn_chain *chain, wnn_posts *posts, const wnn_frame *frame,
                   const_dnnl_memory_desc_t dst, bool allow_sum) {
  const wnn_region *region = chain->region;
  meaning meanings[WNN_MAX_POSTS];
  size_t n = 0, done = 0;
  for (; done < region->n_posts && chain->status == WEBNN_OK && !is_for_tail(&region->posts[done]); done++) {
    if (region->posts[done].node->op->id == WNN_OP_QUANTIZE_LINEAR) continue; /* the type of the result says it */
    meaning is = meaning_of(&region->posts[done], done);
    if (is.form == FORM_NONE) chain->status = WEBNN_ERROR_NOT_SUPPORTED;
    use_number(region, &region->posts[done], &is);
    if (n == 0 || !joins(&meanings[n - 1], &is)) meanings[n++] = is;
  }
  posts->n_done = done;
  for (size_t i = 0; i < n && chain->status == WEBNN_OK; i++)
    add_one(chain, posts, frame, dst, &meanings[i], allow_sum);
}

size_t wnn_posts_args(wnn_chain *chain, const wnn_posts *posts, const_dnnl_primitive_desc_t pd,
                      wnn_chain_arg *args, size_t n_args) {
  for (size_t i = 0; i < posts->n_operands; i++) {
    const int arg = posts->operands[i].arg;
    int memory = wnn_chain_input(chain, posts->operands[i].port, posts->operands[i].given);
    /* Only binary post-ops have wishes. */
    if ((arg & DNNL_ARG_SRC_1) == DNNL_ARG_SRC_1)
      memory = wnn_chain_as(chain, memory, wnn_pd_wants(pd, arg));
    args[n_args++] = (wnn_chain_arg){arg, memory};
  }
  return n_args;
}
