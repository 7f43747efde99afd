/* gemm and matmul: fields, checks, output shapes. */
#include "op/families.h"
#include "op/infer.h"

enum { A, B, C };

static const wnn_field gemm_fields[] = {
    WNN_OPERAND("a", "a", NULL, WNN_NO_FIELD, WNN_RANK(2),
                "Left matrix [M, K], [K, M] when transposed."),
    WNN_OPERAND("b", "b", NULL, A, WNN_RANK(2), "Right matrix [K, N], [N, K] when transposed."),
    WNN_OPTIONAL_OPERAND("c", "c", NULL, A, WNN_RANKS(0, 2, 0, 2),
                         "Added to the product; broadcast to [M, N]."),
    WNN_OPTION_DOUBLE("alpha", "alpha", wnn_gemm_attrs, alpha, 1, "1", "Factor of the product."),
    WNN_OPTION_DOUBLE("beta", "beta", wnn_gemm_attrs, beta, 1, "1", "Factor of c."),
    WNN_OPTION_DEFAULT(BOOL, "a_transpose", "aTranspose", wnn_gemm_attrs, a_transpose, 0, "False",
                       "Transposes a first."),
    WNN_OPTION_DEFAULT(BOOL, "b_transpose", "bTranspose", wnn_gemm_attrs, b_transpose, 0, "False",
                       "Transposes b first."),
    WNN_LABEL,
};

static const wnn_field gemm_outputs[] = {WNN_OUTPUT("output", "output", NULL, WNN_RANK(2))};

const wnn_signature wnn_signature_gemm = {
    .name = "gemm",
    .fields = gemm_fields,
    .n_fields = WNN_COUNT(gemm_fields),
    .n_operands = 3,
    .n_outputs = 1,
    .outputs = gemm_outputs,
    .attrs_bytes = sizeof(wnn_gemm_attrs),
};

webnn_status wnn_infer_gemm(wnn_infer *in) {
  const wnn_gemm_attrs *attrs = in->attrs;
  const uint32_t *a = in->inputs[A]->dims, *b = in->inputs[B]->dims;
  bool ta = attrs->a_transpose, tb = attrs->b_transpose;
  wnn_desc product = {in->inputs[A]->type, 2, {a[ta], b[!tb]}};
  if (a[!ta] != b[tb])
    return wnn_fail(in, WEBNN_ERROR_TYPE, "a is %s%s, b is %s%s: inner sizes %u and %u differ",
                    wnn_desc_format(in->inputs[A]).text, ta ? " transposed" : "",
                    wnn_desc_format(in->inputs[B]).text, tb ? " transposed" : "", (unsigned)a[!ta],
                    (unsigned)b[tb]);
  webnn_status status = wnn_check_optional(in, C);
  if (status != WEBNN_OK) return status;
  if (in->inputs[C] != NULL && !wnn_shape_broadcasts_to(in->inputs[C], &product))
    return wnn_fail(
        in, WEBNN_ERROR_TYPE, "c is %s, which doesn't broadcast to the product's [%u,%u]",
        wnn_desc_format(in->inputs[C]).text, (unsigned)product.dims[0], (unsigned)product.dims[1]);
  in->outputs[0] = product;
  return WEBNN_OK;
}

static const wnn_field matmul_fields[] = {
    WNN_OPERAND("a", "a", NULL, WNN_NO_FIELD, WNN_RANK_FROM(2), "Left matrices [..., M, K]."),
    WNN_OPERAND("b", "b", NULL, A, WNN_RANK_FROM(2),
                "Right matrices [..., K, N]; leading axes broadcast."),
    WNN_LABEL,
};

static const wnn_field matmul_outputs[] = {WNN_OUTPUT("output", "output", NULL, WNN_RANK_FROM(2))};

const wnn_signature wnn_signature_matmul = {
    .name = "matmul",
    .fields = matmul_fields,
    .n_fields = WNN_COUNT(matmul_fields),
    .n_operands = 2,
    .n_outputs = 1,
    .outputs = matmul_outputs,
};

webnn_status wnn_infer_matmul(wnn_infer *in) {
  wnn_desc a = *in->inputs[A], b = *in->inputs[B], *out = &in->outputs[0];
  uint32_t rows = a.dims[a.rank - 2], inner = a.dims[a.rank - 1];
  uint32_t b_inner = b.dims[b.rank - 2], columns = b.dims[b.rank - 1];
  if (inner != b_inner) return wnn_fail_pair(in, A, B, "inner sizes differ");
  a.rank -= 2;
  b.rank -= 2;
  if (!wnn_shape_broadcast(&a, &b, out))
    return wnn_fail_pair(in, A, B, "leading axes don't broadcast");
  out->type = a.type;
  out->dims[out->rank++] = rows;
  out->dims[out->rank++] = columns;
  return WEBNN_OK;
}

/* What a pass makes of two products and a softmax. Nobody calls it, so that there is nothing to check. */
const wnn_signature wnn_signature_attention = {
    .name = "attention",
    .n_operands = WNN_ATTENTION_INPUTS,
    .n_outputs = 1,
    .attrs_bytes = sizeof(wnn_attention_attrs),
};
