/* Activations that have more than one operand or options; the plain ones are unary. */
#include "op/families.h"
#include "op/infer.h"

#define INPUT WNN_OPERAND("input", "input", NULL, WNN_NO_FIELD, WNN_ANY_RANK, "Input of any shape.")

static const wnn_field outputs[] = {WNN_OUTPUT("output", "output", NULL, WNN_ANY_RANK)};

static const wnn_field elu_fields[] = {
    INPUT,
    WNN_OPTION_DEFAULT(NUMBER, "alpha", "alpha", wnn_alpha_attrs, alpha, 1, "1",
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
    WNN_OPTION_DEFAULT(NUMBER, "alpha", "alpha", wnn_alpha_attrs, alpha, 0.01, "0.01",
                       "Slope below 0."),
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
    WNN_OPTION_DEFAULT(NUMBER, "alpha", "alpha", wnn_alpha_beta_attrs, alpha, 0.2, "0.2", "Slope."),
    WNN_OPTION_DEFAULT(NUMBER, "beta", "beta", wnn_alpha_beta_attrs, beta, 0.5, "0.5",
                       "Value at 0."),
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
