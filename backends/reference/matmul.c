/* Matrix products: matmul and gemm. */
#include "reference.h"

#include <math.h>

/* A matrix inside dense data: element (row, column) is at base + row * row_stride + column *
 * column_stride. */
typedef struct matrix {
  const void *data;
  webnn_data_type type;
  size_t base, row_stride, column_stride;
} matrix;

static double element(const matrix *m, size_t row, size_t column) {
  return wnn_ref_load_f(m->data, m->type,
                        m->base + row * m->row_stride + column * m->column_stride);
}

static double dot(const matrix *a, size_t row, const matrix *b, size_t column, size_t n) {
  double sum = 0;
  for (size_t k = 0; k < n; k++) sum += element(a, row, k) * element(b, k, column);
  return sum;
}

/* The leading dimensions alone: what is broadcast. */
static wnn_desc batch_of(const wnn_desc *desc) {
  wnn_desc batch = *desc;
  batch.rank -= 2;
  return batch;
}

static webnn_status matmul(const wnn_node_view *node) {
  const wnn_desc *da = node->inputs[0].desc, *db = node->inputs[1].desc,
                 *out = node->outputs[0].desc;
  size_t m = out->dims[out->rank - 2], n = out->dims[out->rank - 1], inner = da->dims[da->rank - 1];
  wnn_desc batch_a = batch_of(da), batch_b = batch_of(db), batch = batch_of(out);
  matrix a = {node->inputs[0].data, da->type, 0, inner, 1},
         b = {node->inputs[1].data, db->type, 0, n, 1};
  size_t strides_a[WNN_MAX_RANK], strides_b[WNN_MAX_RANK], to = 0;
  uint32_t at[WNN_MAX_RANK] = {0};
  wnn_broadcast_strides(&batch_a, &batch, strides_a);
  wnn_broadcast_strides(&batch_b, &batch, strides_b);
  do {
    a.base = wnn_ref_offset(batch.rank, strides_a, at) * m * inner;
    b.base = wnn_ref_offset(batch.rank, strides_b, at) * inner * n;
    for (size_t i = 0; i < m; i++)
      for (size_t j = 0; j < n; j++)
        wnn_ref_store_f(node->outputs[0].data, out->type, to++, dot(&a, i, &b, j, inner));
  } while (wnn_ref_next(&batch, at));
  return WEBNN_OK;
}

/* `transposed` swaps what is a row and what is a column. */
static matrix matrix_of(const wnn_ref_input *input, bool transposed) {
  size_t width = input->desc->dims[1];
  return transposed ? (matrix){input->data, input->desc->type, 0, 1, width}
                    : (matrix){input->data, input->desc->type, 0, width, 1};
}

static webnn_status gemm(const wnn_node_view *node) {
  const wnn_gemm_attrs *attrs = node->attrs;
  const wnn_desc *out = node->outputs[0].desc;
  matrix a = matrix_of(&node->inputs[0], attrs->a_transpose),
         b = matrix_of(&node->inputs[1], attrs->b_transpose);
  size_t inner = node->inputs[0].desc->dims[attrs->a_transpose ? 0 : 1], to = 0;
  size_t strides_c[WNN_MAX_RANK] = {0};
  if (wnn_ref_has(node, 2)) wnn_broadcast_strides(node->inputs[2].desc, out, strides_c);
  for (size_t i = 0; i < out->dims[0]; i++) {
    for (size_t j = 0; j < out->dims[1]; j++) {
      double y = attrs->alpha.as.f * dot(&a, i, &b, j, inner);
      if (wnn_ref_has(node, 2))
        y += attrs->beta.as.f *
             wnn_ref_load_f(node->inputs[2].data, out->type, i * strides_c[0] + j * strides_c[1]);
      wnn_ref_store_f(node->outputs[0].data, out->type, to++, y);
    }
  }
  return WEBNN_OK;
}

/* A row of scores in the node's scratch: each step is rounded, as the operations it stands for would do. */
static void score_row(const wnn_node_view *node, const matrix *q, size_t row, const matrix *k, size_t depth, size_t n) {
  const wnn_attention_attrs *attrs = node->attrs;
  float *scores = node->scratch;
  for (size_t j = 0; j < n; j++) {
    scores[j] = (float)dot(q, row, k, j, depth);
    scores[j] = attrs->divides ? scores[j] / attrs->scale : scores[j] * attrs->scale;
  }
}

static void softmax_row(float *x, size_t n) {
  double max = -(double)INFINITY, sum = 0;
  for (size_t j = 0; j < n; j++) max = (double)x[j] > max ? (double)x[j] : max;
  for (size_t j = 0; j < n; j++) sum += exp((double)x[j] - max);
  for (size_t j = 0; j < n; j++) x[j] = (float)(exp((double)x[j] - max) / sum);
}

static webnn_status attention(const wnn_node_view *node) {
  const wnn_ref_input *in = node->inputs;
  const wnn_desc *out = node->outputs[0].desc, *dq = in[WNN_ATTENTION_Q].desc, *dk = in[WNN_ATTENTION_K].desc;
  const size_t m = out->dims[out->rank - 2], columns = out->dims[out->rank - 1], depth = dq->dims[out->rank - 1],
               n = dk->dims[out->rank - 1], heads = wnn_desc_count(out) / m / columns;
  wnn_desc scores = *out;
  size_t strides[WNN_MAX_RANK] = {0};
  scores.dims[out->rank - 1] = (uint32_t)n;
  if (wnn_ref_has(node, WNN_ATTENTION_MASK)) wnn_broadcast_strides(in[WNN_ATTENTION_MASK].desc, &scores, strides);
  uint32_t at[WNN_MAX_RANK] = {0};
  float *row = node->scratch;
  for (size_t i = 0; i < heads * m; i++) {
    const size_t head = i / m;
    const matrix q = {in[WNN_ATTENTION_Q].data, dq->type, head * m * depth, depth, 1},
                 k = {in[WNN_ATTENTION_K].data, dk->type, head * depth * n, n, 1},
                 v = {in[WNN_ATTENTION_V].data, out->type, head * n * columns, columns, 1};
    const matrix weights = {row, WEBNN_DATA_TYPE_FLOAT32, 0, n, 1};
    score_row(node, &q, i % m, &k, depth, n);
    for (size_t j = 0; j < n; j++, wnn_ref_next(&scores, at))
      if (wnn_ref_has(node, WNN_ATTENTION_MASK))
        row[j] += ((const float *)in[WNN_ATTENTION_MASK].data)[wnn_ref_offset(scores.rank, strides, at)];
    softmax_row(row, n);
    for (size_t c = 0; c < columns; c++)
      wnn_ref_store_f(node->outputs[0].data, out->type, i * columns + c, dot(&weights, 0, &v, c, n));
  }
  return WEBNN_OK;
}

wnn_reference_fn wnn_reference_matmul(wnn_op_id op) {
  switch (op) {
    case WNN_OP_ATTENTION: return attention;
    case WNN_OP_GEMM: return gemm;
    case WNN_OP_MATMUL: return matmul;
    default: return NULL;
  }
}
