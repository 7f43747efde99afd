/* The operation table: ops.def expanded, the named sets it uses, and the public view of all that.
 */
#include "op/families.h"
#include "op/fields.h"

#include <string.h>

/* Constants and no macros: ops.def uses some of the words itself. */
enum {
  F32 = WNN_TYPE_BIT(FLOAT32),
  F16 = WNN_TYPE_BIT(FLOAT16),
  I32 = WNN_TYPE_BIT(INT32),
  U32 = WNN_TYPE_BIT(UINT32),
  I64 = WNN_TYPE_BIT(INT64),
  U64 = WNN_TYPE_BIT(UINT64),
  I8 = WNN_TYPE_BIT(INT8),
  U8 = WNN_TYPE_BIT(UINT8),
  FLOATS = F32 | F16,
  WIDE = FLOATS | I32 | U32 | I64 | U64,
  ALL = WIDE | I8 | U8,
  SIGNED = FLOATS | I32 | I64 | I8,
  QUANTIZED = I32 | U32 | I8 | U8,
};

/* What is allowed, and what the specification requires. */
const wnn_types wnn_types_ANY = {ALL, FLOATS | I32};
const wnn_types wnn_types_ANY_8 = {ALL, FLOATS | I32 | I8 | U8};
const wnn_types wnn_types_ANY_F = {ALL, FLOATS};
const wnn_types wnn_types_WIDE = {WIDE, FLOATS | I32};
const wnn_types wnn_types_WIDE_F = {WIDE, FLOATS};
const wnn_types wnn_types_SIGNED = {SIGNED, FLOATS | I32};
const wnn_types wnn_types_SIGNED_F = {SIGNED, FLOATS};
const wnn_types wnn_types_FLOAT = {FLOATS, FLOATS};
const wnn_types wnn_types_FLOAT_8 = {FLOATS | I8 | U8, FLOATS};
const wnn_types wnn_types_BOOL = {U8, U8};
const wnn_types wnn_types_QUANT = {QUANTIZED, I8 | U8};
const wnn_types wnn_types_QUANT_32 = {QUANTIZED, I32 | I8 | U8};
const wnn_types wnn_types_INDEX = {I32 | U32 | I64, I32};
const wnn_types wnn_types_ARG = {I32 | I64, I32};

#define WEBNN_X(id, name) name,
const char *const wnn_input_operand_layouts[] = {WEBNN_INPUT_OPERAND_LAYOUT_MAP(WEBNN_X) NULL};
const char *const wnn_conv2d_filter_operand_layouts[] = {
    WEBNN_CONV2D_FILTER_OPERAND_LAYOUT_MAP(WEBNN_X) NULL};
const char *const wnn_conv_transpose2d_filter_operand_layouts[] = {
    WEBNN_CONV_TRANSPOSE2D_FILTER_OPERAND_LAYOUT_MAP(WEBNN_X) NULL};
const char *const wnn_gru_weight_layouts[] = {WEBNN_GRU_WEIGHT_LAYOUT_MAP(WEBNN_X) NULL};
const char *const wnn_lstm_weight_layouts[] = {WEBNN_LSTM_WEIGHT_LAYOUT_MAP(WEBNN_X) NULL};
const char *const wnn_recurrent_network_activations[] = {
    WEBNN_RECURRENT_NETWORK_ACTIVATION_MAP(WEBNN_X) NULL};
const char *const wnn_recurrent_network_directions[] = {
    WEBNN_RECURRENT_NETWORK_DIRECTION_MAP(WEBNN_X) NULL};
const char *const wnn_padding_modes[] = {WEBNN_PADDING_MODE_MAP(WEBNN_X) NULL};
const char *const wnn_rounding_types[] = {WEBNN_ROUNDING_TYPE_MAP(WEBNN_X) NULL};
const char *const wnn_interpolation_modes[] = {WEBNN_INTERPOLATION_MODE_MAP(WEBNN_X) NULL};
const char *const wnn_auto_pads[] = {WEBNN_AUTO_PAD_MAP(WEBNN_X) NULL};
const char *const wnn_activations[] = {WEBNN_ACTIVATION_MAP(WEBNN_X) NULL};
#undef WEBNN_X

#define ROW(id_, name_, spec_name_, signature_, infer_, types_, doc_, extension_, internal_) \
  {.id = WNN_OP_##id_,                                                                       \
   .name = #name_,                                                                           \
   .spec_name = spec_name_,                                                                  \
   .signature = &wnn_signature_##signature_,                                                 \
   .infer = wnn_infer_##infer_,                                                              \
   .types = &wnn_types_##types_,                                                             \
   .doc = doc_,                                                                              \
   .extension = extension_,                                                                  \
   .internal = internal_},

const webnn_op wnn_ops[WNN_N_OPS] = {
#define OP(id, name, spec_name, signature, infer, types, doc) \
  ROW(id, name, spec_name, signature, infer, types, doc, false, false)
#define OP_EXT(id, name, spec_name, signature, infer, types, doc) \
  ROW(id, name, spec_name, signature, infer, types, doc, true, false)
#define OP_INTERNAL(id, name, spec_name, signature, infer, types, doc) \
  ROW(id, name, spec_name, signature, infer, types, doc, true, true)
#include "op/ops.def"
};

const webnn_op *webnn_op_next(const webnn_op *op) {
  for (size_t i = op == NULL ? 0 : (size_t)op->id + 1; i < WNN_N_OPS; i++)
    if (!wnn_ops[i].internal) return &wnn_ops[i];
  return NULL;
}

const webnn_op *webnn_op_find(const char *name) {
  for (const webnn_op *op = NULL; name != NULL && (op = webnn_op_next(op)) != NULL;)
    if (strcmp(op->name, name) == 0 || strcmp(op->spec_name, name) == 0) return op;
  return NULL;
}

const char *webnn_op_name(const webnn_op *op) { return op->name; }
const char *webnn_op_spec_name(const webnn_op *op) { return op->spec_name; }
const char *webnn_op_doc(const webnn_op *op) { return op->doc; }
bool webnn_op_extension(const webnn_op *op) { return op->extension; }
bool webnn_op_returns_list(const webnn_op *op) { return op->signature->returns_list; }

const webnn_field *webnn_op_field(const webnn_op *op, size_t i) {
  return i < op->signature->n_fields ? &op->signature->fields[i].pub : NULL;
}

const webnn_field *webnn_op_output(const webnn_op *op, size_t i) {
  return i < op->signature->n_outputs ? &op->signature->outputs[i].pub : NULL;
}

wnn_types wnn_field_types(const webnn_op *op, const wnn_field *field) {
  return field->types == NULL ? *op->types : *field->types;
}

void webnn_op_get_limits(const webnn_op *op, const webnn_field *field, webnn_tensor_limits *out) {
  webnn_tensor_limits limits = WEBNN_TENSOR_LIMITS_INIT;
  size_t size = out->struct_size < sizeof limits ? out->struct_size : sizeof limits;
  if (field->kind == WEBNN_FIELD_OPERAND || field->kind == WEBNN_FIELD_OPERANDS) {
    const wnn_field *own = (const wnn_field *)field; /* `pub` comes first */
    wnn_types types = wnn_field_types(op, own);
    limits.allowed_types = types.allowed;
    limits.required_types = types.required;
    limits.min_rank = own->min_rank;
    limits.max_rank = own->max_rank;
    limits.required_min_rank = own->required_min_rank;
    limits.required_max_rank = own->required_max_rank;
  }
  limits.struct_size = out->struct_size;
  memcpy(out, &limits, size);
}
