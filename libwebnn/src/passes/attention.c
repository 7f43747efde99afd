/* Makes one operation of attention: softmax(q · k, scaled, with a mask) · v. float32 only: float16
 * would round elsewhere. */
#include "passes/pass.h"

typedef struct parts {
  wnn_value *q, *k, *mask, *v;
  wnn_attention_attrs attrs;
} parts;

/* The node that makes `value` for one reader alone. */
static wnn_node *only_for_this(const wnn_value *value, wnn_op_id op) {
  return value != NULL && wnn_is_private(value) ? wnn_made_by(value, op) : NULL;
}

/* A product with a number, or a quotient by one: the other operand, or NULL. */
static wnn_value *scaled(const wnn_value *value, wnn_attention_attrs *attrs) {
  const wnn_node *node = only_for_this(value, WNN_OP_MUL);
  double number;
  for (int i = 0; node != NULL && i < 2; i++)
    if (wnn_constant_number(node->inputs[i], &number)) {
      attrs->scale = (float)number;
      return node->inputs[1 - i];
    }
  node = only_for_this(value, WNN_OP_DIV);
  if (node == NULL || !wnn_constant_number(node->inputs[1], &number)) return NULL;
  attrs->scale = (float)number, attrs->divides = true;
  return node->inputs[0];
}

/* q · k, scaled or not. */
static const wnn_node *find_product(const wnn_value *value, wnn_attention_attrs *attrs) {
  *attrs = (wnn_attention_attrs){.scale = 1.0f};
  const wnn_node *product = only_for_this(value, WNN_OP_MATMUL);
  if (product != NULL) return product;
  const wnn_value *inner = scaled(value, attrs);
  return inner != NULL && wnn_shape_equal(&inner->desc, &value->desc)
             ? only_for_this(inner, WNN_OP_MATMUL)
             : NULL;
}

static bool find_scores(const wnn_value *scores, parts *is) {
  const wnn_node *product = find_product(scores, &is->attrs),
                 *sum = only_for_this(scores, WNN_OP_ADD);
  is->mask = NULL;
  for (int i = 0; product == NULL && sum != NULL && i < 2; i++) {
    if (!wnn_shape_equal(&sum->inputs[i]->desc, &scores->desc)) continue;
    product = find_product(sum->inputs[i], &is->attrs);
    is->mask = sum->inputs[1 - i];
  }
  if (product == NULL) return false;
  is->q = product->inputs[0], is->k = product->inputs[1];
  return true;
}

/* The leading axes of both are the same. */
static bool same_batches(const wnn_desc *a, const wnn_desc *b) {
  bool same = a->rank == b->rank;
  for (uint32_t i = 0; same && i + 2 < a->rank; i++) same = a->dims[i] == b->dims[i];
  return same;
}

static bool find_attention(const wnn_node *node, parts *is) {
  if (!wnn_node_is(node, WNN_OP_MATMUL) || node->outputs[0]->desc.type != WEBNN_DATA_TYPE_FLOAT32)
    return false;
  const wnn_node *softmax = only_for_this(node->inputs[0], WNN_OP_SOFTMAX);
  const wnn_axis_attrs *attrs = softmax ? softmax->attrs : NULL;
  const wnn_desc *result = &node->outputs[0]->desc;
  is->v = node->inputs[1];
  if (attrs == NULL || attrs->axis + 1 != result->rank || !find_scores(softmax->inputs[0], is))
    return false;
  return same_batches(&is->q->desc, result) && same_batches(&is->k->desc, result) &&
         same_batches(&is->v->desc, result);
}

webnn_status wnn_pass_attention(wnn_graph *graph, bool *changed) {
  parts is;
  for (wnn_node *node = graph->first; node != NULL; node = node->next) {
    if (!find_attention(node, &is)) continue;
    wnn_value *inputs[WNN_ATTENTION_INPUTS] = {is.q, is.k, is.v, is.mask};
    webnn_status status = wnn_put_node(graph, node->outputs[0], WNN_OP_ATTENTION, &is.attrs, inputs,
                                       WNN_ATTENTION_INPUTS);
    if (status != WEBNN_OK) return status;
    *changed = true;
  }
  return WEBNN_OK;
}
