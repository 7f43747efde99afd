/* matmul and gemm read as the product of one matrix by another, plus a row. */
#include "kernels/product.h"

#include <string.h>

static bool is_row(const wnn_port *port, size_t columns) {
  const wnn_desc *desc = port->desc;
  return port->constant != NULL && desc->type == WEBNN_DATA_TYPE_FLOAT32 &&
         wnn_desc_count(desc) == columns && desc->rank > 0 && desc->dims[desc->rank - 1] == columns;
}

static bool read_gemm(const wnn_region *region, wnn_product_region *is) {
  const wnn_gemm_attrs *attrs = region->anchor->attrs;
  const wnn_port *c =
      region->anchor->n_inputs > 2 && region->inputs[2].desc != NULL ? &region->inputs[2] : NULL;
  if (attrs->a_transpose || (float)attrs->alpha.as.f != 1.0f) return false;
  if (attrs->b_transpose) {
    const size_t row = is->b_row;
    is->b_row = is->b_column, is->b_column = row;
  }
  if (c == NULL) return true;
  if ((float)attrs->beta.as.f != 1.0f || !is_row(c, is->columns)) return false;
  is->bias = c->constant, is->bias_port = 2;
  return true;
}

/* A row that the first post adds goes with the product. */
static void read_bias(const wnn_region *region, wnn_product_region *is) {
  const wnn_post *post = &region->posts[0];
  if (region->n_posts == 0 || is->bias != NULL || post->node->op->id != WNN_OP_ADD) return;
  const int16_t from = post->from[post->from[0] == WNN_FROM_STAGE(0) ? 1 : 0];
  if (from < 0 || !is_row(&region->inputs[from], is->columns)) return;
  is->bias = region->inputs[from].constant, is->bias_port = (size_t)from;
  is->first_post = 1;
}

bool wnn_product_read(const wnn_region *region, wnn_product_region *is) {
  const wnn_port *a = &region->inputs[0], *b = &region->inputs[1], *y = &region->outputs[0];
  const wnn_desc *result = &region->anchor_desc;
  size_t strides[WNN_MAX_RANK];
  if (a->desc->type != WEBNN_DATA_TYPE_FLOAT32 || wnn_layout_is_blocked(&b->layout)) return false;
  if (!wnn_port_is_plain(a) || !wnn_port_is_plain(y)) return false;
  wnn_layout_strides(&b->layout, b->desc, strides);
  *is = (wnn_product_region){.columns = result->dims[result->rank - 1], .b = b->constant};
  is->n_rows = wnn_desc_count(result) / is->columns;
  is->b_row = strides[b->desc->rank - 2], is->b_column = strides[b->desc->rank - 1];
  if (region->anchor->op->id == WNN_OP_GEMM && !read_gemm(region, is)) return false;
  is->depth = wnn_desc_count(b->desc) / is->columns;
  read_bias(region, is);
  return is->depth * is->n_rows == wnn_desc_count(a->desc); /* one matrix for all batches */
}
