/* Products of matrices: matmul and gemm. */
#include "onednn.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* One operand or the result: batch axes, then rows and columns. */
typedef struct matrix {
  dnnl_dims_t dims, strides;
} matrix;

/* A product as oneDNN wants to hear it: `n` dimensions each, as few as the strides allow. */
typedef struct product {
  uint32_t n;
  matrix a, b, y;
  float alpha, beta; /* of gemm */
  wnn_frame frame;
  bool const_b;
} product;

static void set_matrix(matrix *is, const wnn_port *port, uint32_t rank) {
  size_t strides[WNN_MAX_RANK];
  wnn_layout_strides(&port->layout, port->desc, strides);
  const uint32_t missing = rank - port->desc->rank;
  for (uint32_t i = 0; i < rank; i++) {
    is->dims[i] = i < missing ? 1 : port->desc->dims[i - missing];
    is->strides[i] = i < missing ? 0 : (dnnl_dim_t)strides[i - missing];
  }
}

static void swap(dnnl_dim_t *x, dnnl_dim_t *y) {
  dnnl_dim_t held = *x;
  *x = *y;
  *y = held;
}

static void transpose(matrix *is, uint32_t rank) {
  swap(&is->dims[rank - 2], &is->dims[rank - 1]);
  swap(&is->strides[rank - 2], &is->strides[rank - 1]);
}

/* True when axes i and i + 1 of the matrix are one axis in memory. */
static bool is_joint(const matrix *is, uint32_t i) {
  if (is->dims[i] == 1) return true;
  return is->strides[i] == is->strides[i + 1] * is->dims[i + 1];
}

static void join(matrix *is, uint32_t i, uint32_t n) {
  is->dims[i + 1] *= is->dims[i];
  for (uint32_t k = i; k + 1 < n; k++) {
    is->dims[k] = is->dims[k + 1];
    is->strides[k] = is->strides[k + 1];
  }
}

/* Batch axes i and i + 1 can be one: nobody repeats along one of them alone. */
static bool can_join_batch(const product *is, uint32_t i) {
  const matrix *all[] = {&is->a, &is->b};
  for (size_t k = 0; k < 2; k++) {
    bool repeats = all[k]->dims[i] == 1 && all[k]->dims[i + 1] == 1;
    bool full = all[k]->dims[i] == is->y.dims[i] && all[k]->dims[i + 1] == is->y.dims[i + 1];
    if (!repeats && !(full && is_joint(all[k], i))) return false;
  }
  return true;
}

/* Fewer dimensions: batch axes that lie behind one another become one; batches that share one `b`
 * are more rows. */
static void collapse(product *is) {
  while (is->n > 2) {
    uint32_t i = is->n - 3; /* the innermost batch axis */
    bool rows = is->b.dims[i] == 1 && is->a.dims[i] == is->y.dims[i] && is_joint(&is->a, i);
    if (!rows) break;
    join(&is->a, i, is->n);
    join(&is->y, i, is->n);
    for (uint32_t k = i; k + 1 < is->n; k++) {
      is->b.dims[k] = is->b.dims[k + 1];
      is->b.strides[k] = is->b.strides[k + 1];
    }
    is->n--;
  }
  for (uint32_t i = 0; is->n > 3 && i + 3 < is->n;) {
    if (!can_join_batch(is, i)) {
      i++;
      continue;
    }
    join(&is->a, i, is->n);
    join(&is->b, i, is->n);
    join(&is->y, i, is->n);
    is->n--;
  }
}

/* Strides of axes with one element say nothing: they get what dense ones would have. */
static void tidy(matrix *is, uint32_t n) {
  for (uint32_t i = n; i-- > 0;) {
    if (is->dims[i] != 1) continue;
    is->strides[i] = i + 1 < n ? is->strides[i + 1] * is->dims[i + 1] : 1;
  }
}

static product understand(const wnn_region *region) {
  const wnn_node *node = region->anchor;
  product is = {.n = region->anchor_desc.rank, .alpha = 1, .beta = 1};
  set_matrix(&is.a, &region->inputs[0], is.n);
  set_matrix(&is.b, &region->inputs[1], is.n);
  wnn_port result = {.desc = &region->anchor_desc, .layout = wnn_layout_plain(is.n)};
  set_matrix(&is.y, &result, is.n);
  if (node->op->id == WNN_OP_GEMM) {
    const wnn_gemm_attrs *attrs = node->attrs;
    if (attrs->a_transpose) transpose(&is.a, 2);
    if (attrs->b_transpose) transpose(&is.b, 2);
    is.alpha = (float)attrs->alpha.as.f;
    is.beta = (float)attrs->beta.as.f;
  }
  collapse(&is);
  tidy(&is.a, is.n);
  tidy(&is.b, is.n);
  is.frame = (wnn_frame){.n = is.n, .collapsed = true, .channel = is.n - 1};
  memcpy(is.frame.dims, is.y.dims, sizeof is.frame.dims);
  is.const_b = region->inputs[1].constant != NULL;
  return is;
}

/* Constants lie as oneDNN likes best; others as they are if rows or columns are dense, else
 * row-major. */
static const_dnnl_memory_desc_t ask_desc(wnn_chain *chain, const matrix *is, uint32_t n,
                                         bool constant) {
  if (constant) return wnn_chain_any(chain, n, is->dims);
  if (is->strides[n - 1] == 1 || is->strides[n - 2] == 1)
    return wnn_chain_strided(chain, n, is->dims, is->strides);
  return wnn_chain_dense(chain, n, is->dims);
}

/* gemm's third operand. */
typedef struct addend {
  bool there, is_bias; /* a row of its own, known to the primitive as bias */
  dnnl_dims_t dims;    /* by the frame */
  const_dnnl_memory_desc_t desc;
  float scale; /* by which constants are multiplied here */
  bool scales; /* and so is this one, before the product, which would have to be divided by it */
} addend;

/* Divided by a beta far from 1 the product, or alpha itself, may become too large or too small for
 * float32. */
static bool is_far(const product *is) {
  const double size = fabs((double)is->alpha), ratio = size / fabs((double)is->beta);
  const double most = fmin(65536 * fmax(1, size), (double)FLT_MAX);
  const double least = fmax(fmin(1, size) / 65536, (double)FLT_MIN);
  return is->beta == 0 || !(ratio <= most && ratio >= least);
}

static addend understand_addend(wnn_chain *chain, const product *is) {
  const wnn_region *region = chain->region;
  addend c = {.scale = 1};
  if (region->anchor->op->id != WNN_OP_GEMM || region->anchor->n_inputs < 3) return c;
  const wnn_port *port = &region->inputs[2];
  if (port->desc == NULL) return c;
  c.there = true;
  for (uint32_t i = 0; i < 2; i++) {
    uint32_t missing = 2 - port->desc->rank;
    c.dims[i] = i < missing ? 1 : port->desc->dims[i - missing];
  }
  if (!wnn_layout_is_plain(&port->layout, port->desc)) chain->status = WEBNN_ERROR_NOT_SUPPORTED;
  c.scales = port->constant == NULL && is_far(is);
  if (port->constant != NULL || c.scales) c.scale = is->beta;
  c.is_bias =
      c.dims[0] == 1 && c.dims[1] == is->frame.dims[1] && c.scale == is->beta && is->alpha == 1;
  c.desc = wnn_chain_dense(chain, 2, c.dims);
  return c;
}

static void need(wnn_chain *chain, dnnl_status_t status) {
  if (chain->status == WEBNN_OK && status != dnnl_success)
    chain->status = wnn_onednn_status(status);
}

/* alpha * a b + beta * c behind the product: y * alpha / beta, + c, * beta, as far as factors
 * aren't 1. */
static void add_gemm_posts(wnn_chain *chain, const product *is, const addend *c,
                           dnnl_post_ops_t ops, int *c_arg) {
  const float after = c->there && c->scale != is->beta ? is->beta : 1, before = is->alpha / after;
  if (before != 1) need(chain, dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_linear, before, 0));
  if (c->there && !c->is_bias) {
    need(chain, dnnl_post_ops_append_binary(ops, dnnl_binary_add, c->desc));
    *c_arg = DNNL_ARG_ATTR_MULTIPLE_POST_OP(dnnl_post_ops_len(ops) - 1) | DNNL_ARG_SRC_1;
  }
  if (after != 1) need(chain, dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_linear, after, 0));
}

typedef struct attempt {
  const_dnnl_memory_desc_t a, b, y, bias;
  wnn_posts posts;
  int c_arg;     /* gemm's third operand as a post-op, or 0 */
  bool is_inner; /* the inner product primitive, whose second operand is transposed */
  dnnl_primitive_desc_t pd;
} attempt;

static dnnl_status_t create_desc(const wnn_chain *chain, attempt *at,
                                 const_dnnl_primitive_attr_t attr) {
  dnnl_engine_t engine = chain->device->engine;
  if (at->is_inner)
    return dnnl_inner_product_forward_primitive_desc_create(&at->pd, engine, dnnl_forward_inference,
                                                            at->a, at->b, at->bias, at->y, attr);
  return dnnl_matmul_primitive_desc_create(&at->pd, engine, at->a, at->b, at->bias, at->y, attr);
}

static void attempt_desc(wnn_chain *chain, const product *is, const addend *c, attempt *at) {
  dnnl_primitive_attr_t attr = wnn_chain_attr(chain);
  at->posts.sum_port = -1;
  need(chain, dnnl_post_ops_create(&at->posts.ops));
  if (chain->status == WEBNN_OK) add_gemm_posts(chain, is, c, at->posts.ops, &at->c_arg);
  if (chain->status == WEBNN_OK) wnn_posts_add(chain, &at->posts, &is->frame, at->y, true);
  if (chain->status == WEBNN_OK &&
      dnnl_primitive_attr_set_post_ops(attr, at->posts.ops) == dnnl_success &&
      create_desc(chain, at, attr) != dnnl_success)
    at->pd = NULL;
  dnnl_post_ops_destroy(at->posts.ops);
  dnnl_primitive_attr_destroy(attr);
}

/* The inner product primitive packs constant weights where some oneDNN's matmul doesn't; for one
 * row nothing is gained. */
static bool fits_inner(const product *is) {
  return is->n == 2 && is->const_b && is->a.dims[0] > 1 && is->a.strides[1] == 1 &&
         is->a.strides[0] == is->a.dims[1];
}

static attempt choose(wnn_chain *chain, const product *is, const addend *c) {
  attempt first = {.a = ask_desc(chain, &is->a, is->n, false),
                   .b = ask_desc(chain, &is->b, is->n, is->const_b),
                   .y = wnn_chain_dense(chain, is->n, is->y.dims),
                   .bias = c->is_bias ? c->desc : NULL};
  attempt_desc(chain, is, c, &first);
  if (chain->status != WEBNN_OK || !fits_inner(is)) return first;
  if (first.pd != NULL && wnn_pd_rank(first.pd) == 0) return first;
  const dnnl_dims_t transposed = {is->b.dims[1], is->b.dims[0]};
  attempt inner = {
      .a = first.a, .b = wnn_chain_any(chain, 2, transposed), .y = first.y, .is_inner = true};
  if (c->is_bias) inner.bias = wnn_chain_dense(chain, 1, &is->y.dims[1]);
  attempt_desc(chain, is, c, &inner);
  if (inner.pd == NULL || (first.pd != NULL && wnn_pd_rank(inner.pd) >= wnn_pd_rank(first.pd))) {
    dnnl_primitive_desc_destroy(inner.pd);
    return first;
  }
  dnnl_primitive_desc_destroy(first.pd);
  return inner;
}

static int scaled_memory(wnn_chain *chain, int memory, float scale, const_dnnl_memory_desc_t desc) {
  dnnl_primitive_attr_t attr = wnn_chain_attr(chain);
  dnnl_primitive_desc_t pd = NULL;
  dnnl_status_t status =
      dnnl_eltwise_forward_primitive_desc_create(&pd, chain->device->engine, dnnl_forward_inference,
                                                 dnnl_eltwise_linear, desc, desc, scale, 0, attr);
  dnnl_primitive_attr_destroy(attr);
  pd = wnn_chain_created(chain, status, pd);
  if (pd == NULL) return -1;
  const wnn_chain_arg args[] = {{DNNL_ARG_SRC, memory},
                                {DNNL_ARG_DST, wnn_chain_scratch(chain, desc)}};
  wnn_chain_primitive(chain, pd, 2, args);
  return args[1].memory;
}

/* gemm's third operand, multiplied here when it is constant. */
static int addend_memory(wnn_chain *chain, const addend *c, const_dnnl_memory_desc_t wants) {
  int memory = wnn_chain_input(chain, 2, wants);
  if (memory >= 0 && c->scales) return scaled_memory(chain, memory, c->scale, wants);
  if (memory < 0 || c->scale == 1) return memory;
  void *bytes = NULL;
  const float *from = chain->memories[memory].constant;
  int scaled = wnn_chain_buffer(chain, wants, &bytes);
  float *to = bytes;
  for (size_t i = 0; scaled >= 0 && i < chain->memories[scaled].n_bytes / sizeof(float); i++)
    to[i] = c->scale * from[i];
  return scaled;
}

static void assemble(wnn_chain *chain, const product *is, const addend *c, const attempt *chosen) {
  const_dnnl_primitive_desc_t pd = chosen->pd;
  wnn_chain_arg args[5 + WNN_MAX_POSTS];
  size_t n_args = 0;
  dnnl_dims_t dims = {0}, strides = {0};
  int a = wnn_chain_input(chain, 0, wnn_chain_strided(chain, is->n, is->a.dims, is->a.strides));
  args[n_args++] =
      (wnn_chain_arg){DNNL_ARG_SRC, wnn_chain_as(chain, a, wnn_pd_wants(pd, DNNL_ARG_SRC))};
  memcpy(dims, is->b.dims, sizeof dims);
  memcpy(strides, is->b.strides, sizeof strides);
  if (chosen->is_inner) {
    swap(&dims[0], &dims[1]);
    swap(&strides[0], &strides[1]);
  }
  int b = wnn_chain_input(chain, 1, wnn_chain_strided(chain, is->n, dims, strides));
  args[n_args++] =
      (wnn_chain_arg){DNNL_ARG_WEIGHTS, wnn_chain_as(chain, b, wnn_pd_wants(pd, DNNL_ARG_WEIGHTS))};
  if (c->there) {
    int arg = c->is_bias ? DNNL_ARG_BIAS : chosen->c_arg;
    args[n_args++] = (wnn_chain_arg){arg, addend_memory(chain, c, wnn_pd_wants(pd, arg))};
  }
  n_args = wnn_posts_args(chain, &chosen->posts, pd, args, n_args);
  args[n_args++] = (wnn_chain_arg){DNNL_ARG_DST, wnn_chain_output(chain, chosen->y)};
  if (chosen->posts.sum_port >= 0) {
    chain->in_place = chosen->posts.sum_port;
    wnn_chain_copy(chain, (size_t)chosen->posts.sum_port, dnnl_memory_desc_get_size(chosen->y));
  }
  wnn_chain_primitive(chain, chosen->pd, n_args, args);
  wnn_chain_tail(chain, chosen->posts.n_done, chain->region->anchor_desc.rank - 1);
}

static bool layouts_fit(const wnn_region *region) {
  const wnn_port *output = &region->outputs[0];
  return !wnn_layout_is_blocked(&region->inputs[0].layout) &&
         !wnn_layout_is_blocked(&region->inputs[1].layout) &&
         !wnn_layout_is_blocked(&output->layout) &&
         wnn_layout_is_plain(&output->layout, output->desc);
}

static webnn_status plan_product(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  if (!layouts_fit(region)) return WEBNN_ERROR_NOT_SUPPORTED;
  wnn_chain chain;
  if (!wnn_chain_begin(&chain, device, region)) return WEBNN_ERROR_UNKNOWN;
  const product is = understand(region);
  const addend c = understand_addend(&chain, &is);
  if (chain.status == WEBNN_OK) {
    attempt chosen = choose(&chain, &is, &c);
    if (chain.status == WEBNN_OK && chosen.pd == NULL) chain.status = WEBNN_ERROR_NOT_SUPPORTED;
    if (chain.status == WEBNN_OK)
      assemble(&chain, &is, &c, &chosen);
    else
      dnnl_primitive_desc_destroy(chosen.pd);
  }
  return wnn_chain_finish(&chain, out);
}

const wnn_kernel wnn_onednn_matmul = {"onednn.matmul", plan_product, wnn_chain_run, wnn_chain_free};
const wnn_kernel wnn_onednn_gemm = {"onednn.gemm", plan_product, wnn_chain_run, wnn_chain_free};
