/* Element-wise operations as expressions of OpenCL C. Floats of both types are computed as float.
 */
#include "gen.h"

/* Where `$` stands for the operand; NULL: no such form. */
typedef struct row {
  wnn_op_id op;
  const char *of_float, *of_signed, *of_unsigned;
} row;

/* `$0` … are operands, `T` and `U` the type and its unsigned twin. Sums and products of signed
 * numbers are the unsigned ones': these wrap. */
static const row rows[] = {
    {WNN_OP_ABS, "fabs($0)", "($0 < 0 ? (T)(0 - (U)$0) : $0)", NULL},
    {WNN_OP_CEIL, "ceil($0)", NULL, NULL},
    {WNN_OP_COS, "cos($0)", NULL, NULL},
    {WNN_OP_ERF, "erf($0)", NULL, NULL},
    {WNN_OP_EXP, "exp($0)", NULL, NULL},
    {WNN_OP_FLOOR, "floor($0)", NULL, NULL},
    {WNN_OP_LOG, "log($0)", NULL, NULL},
    {WNN_OP_NEG, "(-$0)", "(T)(0 - (U)$0)", NULL},
    {WNN_OP_RECIPROCAL, "(1.0f / $0)", NULL, NULL},
    {WNN_OP_ROUND_EVEN, "rint($0)", NULL, NULL},
    {WNN_OP_SIN, "sin($0)", NULL, NULL},
    {WNN_OP_SIGN, "($0 > 0.0f ? 1.0f : $0 < 0.0f ? -1.0f : 0.0f)", "(T)(($0 > 0) - ($0 < 0))",
     NULL},
    {WNN_OP_SQRT, "sqrt($0)", NULL, NULL},
    {WNN_OP_TAN, "tan($0)", NULL, NULL},
    {WNN_OP_IS_NAN, "(uchar)($0 != $0)", NULL, NULL},
    {WNN_OP_IS_INFINITE, "(uchar)(fabs($0) == INFINITY)", NULL, NULL},
    {WNN_OP_LOGICAL_NOT, NULL, NULL, "(uchar)($0 == 0)"},
    {WNN_OP_LOGICAL_AND, NULL, NULL, "(uchar)($0 != 0 && $1 != 0)"},
    {WNN_OP_LOGICAL_OR, NULL, NULL, "(uchar)($0 != 0 || $1 != 0)"},
    {WNN_OP_LOGICAL_XOR, NULL, NULL, "(uchar)(($0 != 0) != ($1 != 0))"},
    {WNN_OP_ADD, "($0 + $1)", "(T)((U)$0 + (U)$1)", "(T)($0 + $1)"},
    {WNN_OP_SUB, "($0 - $1)", "(T)((U)$0 - (U)$1)", "(T)($0 - $1)"},
    {WNN_OP_MUL, "($0 * $1)", "(T)((U)$0 * (U)$1)", "(T)($0 * $1)"},
    {WNN_OP_DIV, "($0 / $1)", "w_div_T($0, $1)", "w_div_T($0, $1)"},
    {WNN_OP_MAX, "w_max($0, $1)", "max($0, $1)", "max($0, $1)"},
    {WNN_OP_MIN, "w_min($0, $1)", "min($0, $1)", "min($0, $1)"},
    {WNN_OP_POW, "w_pow($0, $1)", "w_pow_T($0, $1)", "w_pow_T($0, $1)"},
    {WNN_OP_EQUAL, "(uchar)($0 == $1)", "(uchar)($0 == $1)", "(uchar)($0 == $1)"},
    {WNN_OP_NOT_EQUAL, "(uchar)($0 != $1)", "(uchar)($0 != $1)", "(uchar)($0 != $1)"},
    {WNN_OP_GREATER, "(uchar)($0 > $1)", "(uchar)($0 > $1)", "(uchar)($0 > $1)"},
    {WNN_OP_GREATER_OR_EQUAL, "(uchar)($0 >= $1)", "(uchar)($0 >= $1)", "(uchar)($0 >= $1)"},
    {WNN_OP_LESSER, "(uchar)($0 < $1)", "(uchar)($0 < $1)", "(uchar)($0 < $1)"},
    {WNN_OP_LESSER_OR_EQUAL, "(uchar)($0 <= $1)", "(uchar)($0 <= $1)", "(uchar)($0 <= $1)"},
    {WNN_OP_IDENTITY, "$0", "$0", "$0"},
    {WNN_OP_REORDER, "$0", "$0", "$0"},
    {WNN_OP_WHERE, "($0 != 0 ? $1 : $2)", "($0 != 0 ? $1 : $2)", "($0 != 0 ? $1 : $2)"},
    {WNN_OP_GELU, "w_gelu($0)", NULL, NULL},
    {WNN_OP_GELU_TANH, "w_gelu_tanh($0)", NULL, NULL},
    {WNN_OP_HARD_SWISH, "($0 * w_limit($0 + 3.0f, 0.0f, 6.0f) / 6.0f)", NULL, NULL},
    {WNN_OP_MISH, "w_mish($0)", NULL, NULL},
    {WNN_OP_RELU, "w_relu($0)", "max($0, (T)0)", NULL},
    {WNN_OP_SIGMOID, "w_sigmoid($0)", NULL, NULL},
    {WNN_OP_SILU, "w_silu($0)", NULL, NULL},
    {WNN_OP_SOFTPLUS, "w_softplus($0)", NULL, NULL},
    {WNN_OP_SOFTSIGN, "($0 / (1.0f + fabs($0)))", NULL, NULL},
    {WNN_OP_TANH, "w_tanh($0)", NULL, NULL},
    {WNN_OP_PRELU, "($0 >= 0.0f ? $0 : $1 * $0)", "($0 >= 0 ? $0 : (T)((U)$1 * (U)$0))", NULL},
    /* With numbers of the node: `A` and `B`. */
    {WNN_OP_ELU, "($0 >= 0.0f ? $0 : A * expm1($0))", NULL, NULL},
    {WNN_OP_HARD_SIGMOID, "w_limit(fma(A, $0, B), 0.0f, 1.0f)", NULL, NULL},
    {WNN_OP_LEAKY_RELU, "($0 >= 0.0f ? $0 : A * $0)", NULL, NULL},
    {WNN_OP_LINEAR, "fma(A, $0, B)", NULL, NULL},
    {WNN_OP_CLAMP, "w_limit($0, A, B)", "min(max($0, A), B)", "min(max($0, A), B)"},
};

static const row *find(wnn_op_id op) {
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (rows[i].op == op) return &rows[i];
  return NULL;
}

bool wnn_cl_is_elementwise(wnn_op_id op) {
  return op == WNN_OP_CAST || (op != WNN_OP_REORDER && find(op) != NULL);
}

/* The numbers of the node. */
static void read_numbers(wnn_cl_gen *g, const wnn_node *node, webnn_data_type type, const char **a,
                         const char **b) {
  *a = *b = "";
  switch (node->op->id) {
    case WNN_OP_ELU:
    case WNN_OP_LEAKY_RELU:
      *a = wnn_cl_number(g, ((const wnn_alpha_attrs *)node->attrs)->alpha, type);
      break;
    case WNN_OP_HARD_SIGMOID:
    case WNN_OP_LINEAR:
      *a = wnn_cl_number(g, ((const wnn_alpha_beta_attrs *)node->attrs)->alpha, type);
      *b = wnn_cl_number(g, ((const wnn_alpha_beta_attrs *)node->attrs)->beta, type);
      break;
    case WNN_OP_CLAMP:
      *a = wnn_cl_number(g, ((const wnn_clamp_attrs *)node->attrs)->min_value, type);
      *b = wnn_cl_number(g, ((const wnn_clamp_attrs *)node->attrs)->max_value, type);
      break;
    default: break;
  }
}

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Puts operands, numbers and types into a form. A capital letter that stands alone, or behind `_`,
 * is a name. */
static const char *fill(wnn_cl_gen *g, const char *form, webnn_data_type type,
                        const char *const *operands, const char *a, const char *b) {
  wnn_source out = wnn_source_on(&g->device->host->alloc);
  for (const char *at = form; *at != '\0'; at++) {
    bool alone = (at == form || !is_word(at[-1])) && !is_word(at[1]);
    if (*at == '$')
      wnn_source_put(&out, operands[*++at - '0']);
    else if (alone && *at == 'T')
      wnn_source_put(&out, wnn_cl_type(type));
    else if (alone && *at == 'U')
      wnn_source_put(&out, wnn_cl_unsigned(type));
    else if (alone && *at == 'A')
      wnn_source_put(&out, a);
    else if (alone && *at == 'B')
      wnn_source_put(&out, b);
    else
      wnn_source_add(&out, "%c", *at);
  }
  if (out.failed) g->failed = true;
  const char *kept = out.failed ? "" : wnn_cl_say(g, "%s", out.data);
  wnn_source_free(&out);
  return kept;
}

static const char *cast(wnn_cl_gen *g, webnn_data_type from, webnn_data_type to, const char *x) {
  if (wnn_type_is_float(to)) return wnn_type_is_float(from) ? x : wnn_cl_say(g, "(float)(%s)", x);
  if (!wnn_type_is_float(from)) return wnn_cl_say(g, "(%s)(%s)", wnn_cl_type(to), x);
  g->needs |= WNN_CL_NEEDS_CAST;
  return wnn_cl_say(g, "w_to_%s(%s)", wnn_cl_type(to), x);
}

const char *wnn_cl_expression(wnn_cl_gen *g, const wnn_node *node, webnn_data_type to,
                              const webnn_data_type *types, const char *const *operands) {
  const row *r = find(node->op->id);
  const char *a, *b;
  /* The kind of number that is computed with: of the value in `where`, else of the first operand.
   */
  webnn_data_type type = types[node->op->id == WNN_OP_WHERE ? 1 : 0];
  if (node->op->id == WNN_OP_CAST) return cast(g, types[0], to, operands[0]);
  read_numbers(g, node, type, &a, &b);
  const char *form = wnn_type_is_float(type)    ? r->of_float
                     : wnn_type_is_signed(type) ? r->of_signed
                                                : r->of_unsigned;
  if (form == NULL) {
    g->failed = true; /* the table allows no such type */
    return "";
  }
  g->needs |= wnn_type_is_float(type) ? WNN_CL_NEEDS_MATH : WNN_CL_NEEDS_INTEGER;
  return fill(g, form, type, operands, a, b);
}
