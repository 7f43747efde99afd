/* Element-wise operations: unary, binary, comparisons and logic, cast, clamp, linear, where. */
#include "op/families.h"
#include "op/infer.h"

#include <math.h>

static const wnn_field output_any_rank[] = {WNN_OUTPUT("output", "output", NULL, WNN_ANY_RANK)};
static const wnn_field output_bool[] = {
    WNN_OUTPUT("output", "output", &wnn_types_BOOL, WNN_ANY_RANK)};

static const wnn_field unary_fields[] = {
    WNN_OPERAND("input", "input", NULL, WNN_NO_FIELD, WNN_ANY_RANK, "Input of any shape."),
    WNN_LABEL,
};

const wnn_signature wnn_signature_unary = {
    .name = "unary",
    .fields = unary_fields,
    .n_fields = WNN_COUNT(unary_fields),
    .n_operands = 1,
    .n_outputs = 1,
    .outputs = output_any_rank,
};

webnn_status wnn_infer_same(wnn_infer *in) {
  in->outputs[0] = *in->inputs[0];
  return WEBNN_OK;
}

static const wnn_field binary_fields[] = {
    WNN_OPERAND("a", "a", NULL, WNN_NO_FIELD, WNN_ANY_RANK, "First operand."),
    WNN_OPERAND("b", "b", NULL, 0, WNN_ANY_RANK, "Second operand; broadcast with the first."),
    WNN_LABEL,
};

const wnn_signature wnn_signature_binary = {
    .name = "binary",
    .fields = binary_fields,
    .n_fields = WNN_COUNT(binary_fields),
    .n_operands = 2,
    .n_outputs = 1,
    .outputs = output_any_rank,
};

const wnn_signature wnn_signature_compare = {
    .name = "compare",
    .fields = binary_fields,
    .n_fields = WNN_COUNT(binary_fields),
    .n_operands = 2,
    .n_outputs = 1,
    .outputs = output_bool,
};

/* The output has the first operand's type and the shape that both broadcast to. */
webnn_status wnn_infer_binary(wnn_infer *in) {
  in->outputs[0].type = in->inputs[0]->type;
  if (!wnn_shape_broadcast(in->inputs[0], in->inputs[1], &in->outputs[0]))
    return wnn_fail_pair(in, 0, 1, "shapes don't broadcast");
  return WEBNN_OK;
}

webnn_status wnn_infer_compare(wnn_infer *in) {
  webnn_status status = wnn_infer_binary(in);
  in->outputs[0].type = WEBNN_DATA_TYPE_UINT8;
  return status;
}

static const wnn_field predicate_fields[] = {
    WNN_OPERAND("a", "a", NULL, WNN_NO_FIELD, WNN_ANY_RANK, "Input of any shape."),
    WNN_LABEL,
};

const wnn_signature wnn_signature_predicate = {
    .name = "predicate",
    .fields = predicate_fields,
    .n_fields = WNN_COUNT(predicate_fields),
    .n_operands = 1,
    .n_outputs = 1,
    .outputs = output_bool,
};

webnn_status wnn_infer_predicate(wnn_infer *in) {
  in->outputs[0] = *in->inputs[0];
  in->outputs[0].type = WEBNN_DATA_TYPE_UINT8;
  return WEBNN_OK;
}

static const wnn_field cast_fields[] = {
    WNN_OPERAND("input", "input", NULL, WNN_NO_FIELD, WNN_ANY_RANK, "Input of any shape."),
    WNN_PARAMETER(DATA_TYPE, "data_type", "dataType", wnn_cast_attrs, data_type,
                  "Element type of the output."),
    WNN_LABEL,
};

const wnn_signature wnn_signature_cast = {
    .name = "cast",
    .fields = cast_fields,
    .n_fields = WNN_COUNT(cast_fields),
    .n_operands = 1,
    .n_outputs = 1,
    .outputs = output_any_rank,
    .attrs_bytes = sizeof(wnn_cast_attrs),
};

webnn_status wnn_infer_cast(wnn_infer *in) {
  const wnn_cast_attrs *attrs = in->attrs;
  in->outputs[0] = *in->inputs[0];
  in->outputs[0].type = attrs->data_type;
  return WEBNN_OK;
}

static const wnn_field clamp_fields[] = {
    WNN_OPERAND("input", "input", NULL, WNN_NO_FIELD, WNN_ANY_RANK, "Input of any shape."),
    WNN_OPTION(NUMBER, "min_value", "minValue", wnn_clamp_attrs, min_value,
               "Lower bound; absent or NaN: none."),
    WNN_OPTION(NUMBER, "max_value", "maxValue", wnn_clamp_attrs, max_value,
               "Upper bound, not below the lower one; absent or NaN: none."),
    WNN_LABEL,
};

const wnn_signature wnn_signature_clamp = {
    .name = "clamp",
    .fields = clamp_fields,
    .n_fields = WNN_COUNT(clamp_fields),
    .n_operands = 1,
    .n_outputs = 1,
    .outputs = output_any_rank,
    .attrs_bytes = sizeof(wnn_clamp_attrs),
};

static bool is_no_bound(webnn_number x) {
  return x.kind == WEBNN_NUMBER_ABSENT || (x.kind == WEBNN_NUMBER_DOUBLE && isnan(x.as.f));
}

/* Bounds of one type, so that their kinds are equal. */
static bool is_less(webnn_number a, webnn_number b) {
  if (a.kind == WEBNN_NUMBER_DOUBLE) return a.as.f < b.as.f;
  return a.kind == WEBNN_NUMBER_INT64 ? a.as.i < b.as.i : a.as.u < b.as.u;
}

static webnn_number lowest(webnn_data_type type) {
  if (wnn_type_is_float(type)) return wnn_number_f(-INFINITY);
  return wnn_cast_number((webnn_number){WEBNN_NUMBER_INT64, {.i = wnn_type_min(type)}}, type);
}

static webnn_number highest(webnn_data_type type) {
  if (wnn_type_is_float(type)) return wnn_number_f(INFINITY);
  return wnn_cast_number((webnn_number){WEBNN_NUMBER_UINT64, {.u = wnn_type_max(type)}}, type);
}

webnn_status wnn_infer_clamp(wnn_infer *in) {
  wnn_clamp_attrs *attrs = in->attrs;
  webnn_data_type type = in->inputs[0]->type;
  if (is_no_bound(attrs->min_value)) attrs->min_value = lowest(type);
  if (is_no_bound(attrs->max_value)) attrs->max_value = highest(type);
  if (is_less(attrs->max_value, attrs->min_value))
    return wnn_fail(in, WEBNN_ERROR_TYPE, "minValue is greater than maxValue as %s",
                    webnn_data_type_name(type));
  return wnn_infer_same(in);
}

static const wnn_field linear_fields[] = {
    WNN_OPERAND("input", "input", NULL, WNN_NO_FIELD, WNN_ANY_RANK, "Input of any shape."),
    WNN_OPTION_DOUBLE("alpha", "alpha", wnn_alpha_beta_attrs, alpha, 1, "1", "Factor."),
    WNN_OPTION_DOUBLE("beta", "beta", wnn_alpha_beta_attrs, beta, 0, "0", "Summand."),
    WNN_LABEL,
};

const wnn_signature wnn_signature_linear = {
    .name = "linear",
    .fields = linear_fields,
    .n_fields = WNN_COUNT(linear_fields),
    .n_operands = 1,
    .n_outputs = 1,
    .outputs = output_any_rank,
    .attrs_bytes = sizeof(wnn_alpha_beta_attrs),
};

enum { CONDITION, TRUE_VALUE, FALSE_VALUE };

static const wnn_field where_fields[] = {
    WNN_OPERAND("condition", "condition", NULL, WNN_NO_FIELD, WNN_ANY_RANK,
                "Chooses, element by element; broadcast with the values."),
    WNN_OPERAND("true_value", "trueValue", &wnn_types_ANY, WNN_NO_FIELD, WNN_ANY_RANK,
                "Taken where the condition is other than 0."),
    WNN_OPERAND("false_value", "falseValue", &wnn_types_ANY, TRUE_VALUE, WNN_ANY_RANK,
                "Taken where the condition is 0."),
    WNN_LABEL,
};

static const wnn_field where_outputs[] = {
    WNN_OUTPUT("output", "output", &wnn_types_ANY, WNN_ANY_RANK)};

const wnn_signature wnn_signature_where = {
    .name = "where",
    .fields = where_fields,
    .n_fields = WNN_COUNT(where_fields),
    .n_operands = 3,
    .n_outputs = 1,
    .outputs = where_outputs,
};

webnn_status wnn_infer_where(wnn_infer *in) {
  wnn_desc values = {.type = in->inputs[TRUE_VALUE]->type};
  if (!wnn_shape_broadcast(in->inputs[TRUE_VALUE], in->inputs[FALSE_VALUE], &values))
    return wnn_fail_pair(in, TRUE_VALUE, FALSE_VALUE, "shapes don't broadcast");
  in->outputs[0].type = values.type;
  if (!wnn_shape_broadcast(in->inputs[CONDITION], &values, &in->outputs[0]))
    return wnn_fail(in, WEBNN_ERROR_TYPE,
                    "condition is %s, the values are %s: shapes don't broadcast",
                    wnn_desc_format(in->inputs[CONDITION]).text, wnn_desc_format(&values).text);
  return WEBNN_OK;
}
