/* What is done element by element to a product goes in front of a reshape that stands between them, so that both can
 * be one step: convolutions of one dimension are spelled with such reshapes. */
#include "passes/pass.h"

/* Of one operand: the same in any shape. */
static bool is_activation(const wnn_node *node) {
  switch (node->op->id) {
    case WNN_OP_CLAMP:
    case WNN_OP_ELU:
    case WNN_OP_GELU:
    case WNN_OP_GELU_TANH:
    case WNN_OP_HARD_SIGMOID:
    case WNN_OP_HARD_SWISH:
    case WNN_OP_LEAKY_RELU:
    case WNN_OP_LINEAR:
    case WNN_OP_MISH:
    case WNN_OP_RELU:
    case WNN_OP_SIGMOID:
    case WNN_OP_SILU:
    case WNN_OP_SOFTPLUS:
    case WNN_OP_SOFTSIGN:
    case WNN_OP_TANH: return true;
    default: return false;
  }
}

static bool is_product(const wnn_node *node) {
  return wnn_node_is(node, WNN_OP_CONV2D) || wnn_node_is(node, WNN_OP_CONV_TRANSPOSE2D) ||
         wnn_node_is(node, WNN_OP_GEMM) || wnn_node_is(node, WNN_OP_MATMUL);
}

/* A product, or one with something done to it already. */
static bool is_behind_product(const wnn_value *value) {
  while (value->producer != NULL && wnn_is_private(value)) {
    const wnn_node *node = value->producer;
    if (is_product(node)) return true;
    bool joins = (wnn_node_is(node, WNN_OP_ADD) || wnn_node_is(node, WNN_OP_MUL)) && wnn_value_data(node->inputs[1]);
    if (!is_activation(node) && !joins) return false;
    value = node->inputs[0];
  }
  return false;
}

static wnn_node *reshape_behind(const wnn_value *value) {
  wnn_node *reshape = wnn_made_by(value, WNN_OP_RESHAPE);
  return reshape != NULL && wnn_is_private(value) && is_behind_product(reshape->inputs[0]) ? reshape : NULL;
}

/* The next axis of more than one element. */
static uint32_t next_axis(const wnn_desc *desc, uint32_t axis) {
  while (axis < desc->rank && desc->dims[axis] == 1) axis++;
  return axis;
}

/* What `operand`, broadcast to `after`, is to the same elements under the shape `before`, which differs in axes of one
 * element only. False: it can't be said, or the shapes differ in more. */
static bool describe_before(const wnn_desc *operand, const wnn_desc *before, const wnn_desc *after, wnn_desc *out) {
  const uint32_t missing = after->rank - operand->rank;
  *out = (wnn_desc){.type = operand->type, .rank = before->rank};
  for (uint32_t i = 0; i < before->rank; i++) out->dims[i] = 1;
  uint32_t from = next_axis(before, 0), to = next_axis(after, 0);
  while (from < before->rank && to < after->rank) {
    if (before->dims[from] != after->dims[to]) return false;
    if (to >= missing) out->dims[from] = operand->dims[to - missing];
    from = next_axis(before, from + 1);
    to = next_axis(after, to + 1);
  }
  return from == before->rank && to == after->rank;
}

/* A constant that is joined to a product. */
static wnn_value *constant_before(wnn_graph *graph, const wnn_node *node, const wnn_node *reshape) {
  const wnn_desc *before = &reshape->inputs[0]->desc, *after = &reshape->outputs[0]->desc;
  const wnn_value *operand = node->inputs[node->inputs[0] == reshape->outputs[0]];
  wnn_desc desc;
  if (wnn_value_data(operand) == NULL || !wnn_shape_equal(&node->outputs[0]->desc, after)) return NULL;
  if (!describe_before(&operand->desc, before, after, &desc)) return NULL;
  return wnn_graph_constant(graph, &desc, wnn_blob_retain(operand->blob));
}

/* op(reshape(product), …) becomes reshape(op(product, …)). */
static webnn_status exchange(wnn_graph *graph, wnn_node *node, const wnn_node *reshape, wnn_value *other) {
  wnn_value *const inputs[2] = {reshape->inputs[0], other};
  wnn_node *first = wnn_graph_node(graph, node, node->op->id, node->attrs, inputs, other ? 2 : 1,
                                   &reshape->inputs[0]->desc, 1);
  if (first == NULL) return WEBNN_ERROR_UNKNOWN;
  first->label = node->label;
  return wnn_put_node(graph, node->outputs[0], WNN_OP_RESHAPE, reshape->attrs, first->outputs, 1);
}

webnn_status wnn_pass_hoist(wnn_graph *graph, bool *changed) {
  webnn_status status = WEBNN_OK;
  for (wnn_node *node = graph->first; node != NULL && status == WEBNN_OK; node = node->next) {
    const wnn_node *reshape = NULL;
    wnn_value *other = NULL;
    if (is_activation(node)) {
      reshape = reshape_behind(node->inputs[0]);
    } else if (wnn_node_is(node, WNN_OP_ADD) || wnn_node_is(node, WNN_OP_MUL)) {
      for (int i = 0; i < 2 && reshape == NULL; i++) reshape = reshape_behind(node->inputs[i]);
      if (reshape != NULL) other = constant_before(graph, node, reshape);
      if (other == NULL) continue;
    }
    if (reshape == NULL) continue;
    status = exchange(graph, node, reshape, other);
    *changed = true;
  }
  return status;
}
