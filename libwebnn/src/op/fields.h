/* Words for writing signatures: a family's file lists its fields with these. */
#ifndef WNN_OP_FIELDS_H
#define WNN_OP_FIELDS_H

#include "op/schema.h"
#include <stddef.h>

/* The named sets of element types; the second word of a name says what is required beyond float. */
extern const wnn_types wnn_types_ANY, wnn_types_ANY_8, wnn_types_ANY_F, wnn_types_WIDE, wnn_types_WIDE_F,
    wnn_types_SIGNED, wnn_types_SIGNED_F, wnn_types_FLOAT, wnn_types_FLOAT_8, wnn_types_BOOL,
    wnn_types_QUANT, wnn_types_QUANT_32, wnn_types_INDEX, wnn_types_ARG;

#define WNN_ANY_RANK 0, WNN_MAX_RANK, 0, 5
#define WNN_RANK(n) (n), (n), (n), (n)
#define WNN_RANK_FROM(n) (n), WNN_MAX_RANK, (n), 5 /* at least n */
/* Any four: what we accept, and what the specification asks for. */
#define WNN_RANKS(min, max, required_min, required_max) (min), (max), (required_min), (required_max)

/* A required operand: name, specification's name, types (NULL: the row's), same_type_as, ranks, doc. */
#define WNN_OPERAND(name_, spec_, types_, same_, ranks_, doc_) \
  WNN_OPERAND_FIELD_(name_, spec_, true, WEBNN_FIELD_OPERAND, types_, same_, doc_, ranks_)
#define WNN_OPTIONAL_OPERAND(name_, spec_, types_, same_, ranks_, doc_) \
  WNN_OPERAND_FIELD_(name_, spec_, false, WEBNN_FIELD_OPERAND, types_, same_, doc_, ranks_)
#define WNN_OPERAND_LIST(name_, spec_, types_, ranks_, doc_) \
  WNN_OPERAND_FIELD_(name_, spec_, true, WEBNN_FIELD_OPERANDS, types_, WNN_NO_FIELD, doc_, ranks_)
/* An output in a signature's list of outputs. */
#define WNN_OUTPUT(name_, spec_, types_, ranks_) \
  WNN_OPERAND_FIELD_(name_, spec_, true, WEBNN_FIELD_OPERAND, types_, WNN_NO_FIELD, "", ranks_)

#define WNN_OPERAND_FIELD_(name_, spec_, required_, kind_, types_, same_, doc_, min_, max_, rmin_, rmax_) \
  {.pub = {.name = name_, .spec_name = spec_, .kind = kind_, .required = required_,               \
           .default_text = required_ ? NULL : "None", .doc = doc_},                               \
   .types = types_, .same_type_as = same_, .min_rank = min_, .max_rank = max_,                    \
   .required_min_rank = rmin_, .required_max_rank = rmax_}

/* A parameter or option that is no operand: kind word (UINT, INT, UINTS, UINT_OR_UINTS, NUMBER, FLOATS, BOOL,
 * DATA_TYPE), names, attributes struct and member, doc. UINT_OR_UINTS names the list; the number form goes into
 * the uint32_t right behind it. */
#define WNN_PARAMETER(kind_, name_, spec_, attrs_, member_, doc_)                                 \
  {.pub = {.name = name_, .spec_name = spec_, .kind = WEBNN_FIELD_##kind_, .required = true, .doc = doc_}, \
   .offset = offsetof(attrs_, member_)}
/* An option whose absence infer resolves (lists, numbers without default). */
#define WNN_OPTION(kind_, name_, spec_, attrs_, member_, doc_)                                    \
  {.pub = {.name = name_, .spec_name = spec_, .kind = WEBNN_FIELD_##kind_, .default_text = "None", \
           .doc = doc_},                                                                          \
   .offset = offsetof(attrs_, member_)}
/* An option with a default number: for BOOL 0 or 1, for DATA_TYPE and ENUM the index. */
#define WNN_OPTION_DEFAULT(kind_, name_, spec_, attrs_, member_, default_, text_, doc_)           \
  {.pub = {.name = name_, .spec_name = spec_, .kind = WEBNN_FIELD_##kind_, .default_text = text_, \
           .doc = doc_},                                                                          \
   .offset = offsetof(attrs_, member_),                                                           \
   .default_number = {WEBNN_NUMBER_DOUBLE, {.f = default_}}}
/* A NUMBER that the specification calls a double, with its default. */
#define WNN_OPTION_DOUBLE(name_, spec_, attrs_, member_, default_, text_, doc_)                   \
  {.pub = {.name = name_, .spec_name = spec_, .kind = WEBNN_FIELD_NUMBER, .default_text = text_,  \
           .doc = doc_, .finite = true},                                                          \
   .offset = offsetof(attrs_, member_),                                                           \
   .default_number = {WEBNN_NUMBER_DOUBLE, {.f = default_}}}
/* An enumeration, whose first value is the default: `values_` is a NULL-ended list of names. */
#define WNN_OPTION_ENUM(name_, spec_, attrs_, member_, values_, text_, doc_)                      \
  {.pub = {.name = name_, .spec_name = spec_, .kind = WEBNN_FIELD_ENUM, .enum_values = values_,   \
           .default_text = text_, .doc = doc_},                                                   \
   .offset = offsetof(attrs_, member_)}
#define WNN_OPTION_ENUMS(name_, spec_, attrs_, member_, values_, text_, doc_)                     \
  {.pub = {.name = name_, .spec_name = spec_, .kind = WEBNN_FIELD_ENUMS, .enum_values = values_,  \
           .default_text = text_, .doc = doc_},                                                   \
   .offset = offsetof(attrs_, member_)}
/* The same where the last `n_ours_` values are extensions. */
#define WNN_OPTION_ENUM_PLUS(name_, spec_, attrs_, member_, values_, n_ours_, text_, doc_)        \
  {.pub = {.name = name_, .spec_name = spec_, .kind = WEBNN_FIELD_ENUM, .enum_values = values_,   \
           .n_extension_values = n_ours_, .default_text = text_, .doc = doc_},                    \
   .offset = offsetof(attrs_, member_)}
/* The extension that convolutions and pools share; it stands before the label. */
#define WNN_AUTO_PAD(attrs_)                                                                      \
  {.pub = {.name = "auto_pad", .spec_name = "autoPad", .kind = WEBNN_FIELD_ENUM, .extension = true, \
           .enum_values = wnn_auto_pads, .default_text = "'explicit'",                            \
           .doc = "Extension: same-upper and same-lower compute the padding, the odd element at the end or "  \
                  "at the beginning; padding is then ignored."},                                  \
   .offset = offsetof(attrs_, auto_pad)}
/* The extension of convolutions and batchNormalization: the builder makes an operation of it, see
 * wnn_activation_of. Each number is the option of that operation whose name follows `activation_`. */
#define WNN_ACTIVATION                                                                            \
  {.pub = {.name = "activation", .spec_name = "activation", .kind = WEBNN_FIELD_ENUM, .extension = true, \
           .enum_values = wnn_activations, .default_text = "'none'",                              \
           .doc = "Extension: the operation of this name is applied to the result."},             \
   .is_activation = true},                                                                        \
  WNN_ACTIVATION_NUMBER_("alpha", "Alpha", "alpha of elu, hardSigmoid, leakyRelu and linear"),    \
  WNN_ACTIVATION_NUMBER_("beta", "Beta", "beta of hardSigmoid and linear"),                       \
  WNN_ACTIVATION_NUMBER_("min_value", "MinValue", "minValue of clamp"),                           \
  WNN_ACTIVATION_NUMBER_("max_value", "MaxValue", "maxValue of clamp")
#define WNN_ACTIVATION_NUMBER_(name_, spec_, doc_)                                                \
  {.pub = {.name = "activation_" name_, .spec_name = "activation" spec_, .kind = WEBNN_FIELD_NUMBER, \
           .extension = true, .default_text = "None",                                             \
           .doc = "Extension: " doc_ " as activation; by default that operation's own."},         \
   .is_activation = true}
/* What every signature ends with. */
#define WNN_LABEL                                                                                 \
  {.pub = {.name = "label", .spec_name = "label", .kind = WEBNN_FIELD_LABEL, .default_text = "''", \
           .doc = "Shown in messages about this operation."}}

#define WNN_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The names of the enumerations, NULL-ended, for fields that hold one. */
extern const char *const wnn_input_operand_layouts[], *const wnn_conv2d_filter_operand_layouts[],
    *const wnn_conv_transpose2d_filter_operand_layouts[], *const wnn_gru_weight_layouts[],
    *const wnn_lstm_weight_layouts[], *const wnn_recurrent_network_activations[],
    *const wnn_recurrent_network_directions[], *const wnn_padding_modes[], *const wnn_rounding_types[],
    *const wnn_interpolation_modes[], *const wnn_auto_pads[], *const wnn_activations[];

#endif
