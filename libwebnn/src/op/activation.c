/* Activations that have more than one operand or options (the plain ones are unary), and
 * activations as options of other operations. */
#include "op/families.h"
#include "op/infer.h"

#include <string.h>

#define INPUT WNN_OPERAND("input", "input", NULL, WNN_NO_FIELD, WNN_ANY_RANK, "Input of any shape.")

static const wnn_field outputs[] = {WNN_OUTPUT("output", "output", NULL, WNN_ANY_RANK)};

static const wnn_field elu_fields[] = {
    INPUT,
    WNN_OPTION_DOUBLE("alpha", "alpha", wnn_alpha_attrs, alpha, 1, "1",
                      "Factor of the negative part."),
    WNN_LABEL,
};

const wnn_signature wnn_signature_elu = {
    .name = "elu",
    .fields = elu_fields,
    .n_fields = WNN_COUNT(elu_fields),
    .n_operands = 1,
    .n_outputs = 1,
    .outputs = outputs,
    .attrs_bytes = sizeof(wnn_alpha_attrs),
};

static const wnn_field leaky_relu_fields[] = {
    INPUT,
    WNN_OPTION_DOUBLE("alpha", "alpha", wnn_alpha_attrs, alpha, 0.01, "0.01", "Slope below 0."),
    WNN_LABEL,
};

const wnn_signature wnn_signature_leaky_relu = {
    .name = "leaky_relu",
    .fields = leaky_relu_fields,
    .n_fields = WNN_COUNT(leaky_relu_fields),
    .n_operands = 1,
    .n_outputs = 1,
    .outputs = outputs,
    .attrs_bytes = sizeof(wnn_alpha_attrs),
};

static const wnn_field hard_sigmoid_fields[] = {
    INPUT,
    WNN_OPTION_DOUBLE("alpha", "alpha", wnn_alpha_beta_attrs, alpha, 0.2, "0.2", "Slope."),
    WNN_OPTION_DOUBLE("beta", "beta", wnn_alpha_beta_attrs, beta, 0.5, "0.5", "Value at 0."),
    WNN_LABEL,
};

const wnn_signature wnn_signature_hard_sigmoid = {
    .name = "hard_sigmoid",
    .fields = hard_sigmoid_fields,
    .n_fields = WNN_COUNT(hard_sigmoid_fields),
    .n_operands = 1,
    .n_outputs = 1,
    .outputs = outputs,
    .attrs_bytes = sizeof(wnn_alpha_beta_attrs),
};

static const wnn_field prelu_fields[] = {
    INPUT,
    WNN_OPERAND("slope", "slope", NULL, 0, WNN_ANY_RANK,
                "Slope below 0; broadcast with the input, in both directions."),
    WNN_LABEL,
};

const wnn_signature wnn_signature_prelu = {
    .name = "prelu",
    .fields = prelu_fields,
    .n_fields = WNN_COUNT(prelu_fields),
    .n_operands = 2,
    .n_outputs = 1,
    .outputs = outputs,
};

webnn_status wnn_infer_prelu(wnn_infer *in) { return wnn_infer_binary(in); }

/* ---- fused (extension) */

static size_t find_field(const webnn_op *op, const char *name) {
  size_t i = 0;
  while (i < op->signature->n_fields && strcmp(op->signature->fields[i].pub.name, name) != 0) i++;
  return i;
}

static webnn_status fail_unused(const webnn_op *op, const webnn_value *values, size_t n_values,
                                const wnn_field *field, const char *activation, webnn_error *err) {
  size_t last = (size_t)op->signature->n_fields - 1;
  wnn_infer in = {.op = op, .err = err};
  if (last < n_values && values[last].kind == WEBNN_FIELD_LABEL) in.label = values[last].as.str;
  return wnn_fail(&in, WEBNN_ERROR_TYPE, "%s is given, which activation %s has no use for",
                  field->pub.spec_name, activation);
}

webnn_status wnn_activation_of(const webnn_op *op, const webnn_value *values, size_t n_values,
                               const webnn_op **activation, webnn_value *activation_values,
                               webnn_error *err) {
  static const size_t prefix = sizeof "activation_" - 1;
  const char *name = wnn_activations[WEBNN_ACTIVATION_NONE];
  *activation = NULL;
  for (size_t i = 0; i < op->signature->n_fields && i < n_values; i++) {
    const wnn_field *field = &op->signature->fields[i];
    if (!field->is_activation || values[i].kind == 0) continue;
    if (field->pub.kind == WEBNN_FIELD_ENUM) { /* comes before the numbers */
      name = wnn_activations[values[i].as.e];
      if (values[i].as.e != WEBNN_ACTIVATION_NONE) *activation = webnn_op_find(name);
      continue;
    }
    size_t own = *activation ? find_field(*activation, field->pub.name + prefix) : 0;
    if (*activation == NULL || own == (*activation)->signature->n_fields)
      return fail_unused(op, values, n_values, field, name, err);
    activation_values[own] = values[i];
  }
  return WEBNN_OK;
}
