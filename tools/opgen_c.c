/* The C side: the header of typed functions and their bodies. */
#include "opgen.h"

#include <ctype.h>

static const char *const ids[WNN_N_OPS] = {
#define OP(id, name, spec_name, signature, infer, types, doc) #id,
#include "op/ops.def"
};

static bool has_field(const webnn_op *op, bool (*is)(const webnn_field *field)) {
  const webnn_field *field;
  for (size_t i = 0; (field = webnn_op_field(op, i)) != NULL; i++)
    if (is(field)) return true;
  return false;
}

static size_t count_operands(const webnn_op *op) {
  const webnn_field *field;
  size_t n = 0;
  for (size_t i = 0; (field = webnn_op_field(op, i)) != NULL; i++)
    n += is_operand(field) + (field->kind == WEBNN_FIELD_OPERANDS);
  return n;
}

static bool is_own_option(const webnn_field *field) { return !field->required && !is_label(field); }

/* "conv2d" of webnn_conv2d_options. */
static const char *options_stem(const webnn_op *op) {
  if (op->signature->options != NULL) return op->signature->options;
  return has_field(op, is_own_option) ? op->signature->name : "operator";
}

static void put_parameter(lines *to, const webnn_field *field) {
  static const char *const types[] = {
      [WEBNN_FIELD_OPERAND] = "const webnn_operand *",
      [WEBNN_FIELD_OPERANDS] = "const webnn_operand *const *",
      [WEBNN_FIELD_UINT] = "uint32_t ",
      [WEBNN_FIELD_INT] = "int32_t ",
      [WEBNN_FIELD_UINTS] = "const uint32_t *",
      [WEBNN_FIELD_UINT_OR_UINTS] = "const uint32_t *",
      [WEBNN_FIELD_NUMBER] = "webnn_number ",
      [WEBNN_FIELD_FLOATS] = "const double *",
      [WEBNN_FIELD_BOOL] = "bool ",
      [WEBNN_FIELD_DATA_TYPE] = "webnn_data_type ",
  };
  char piece[128];
  snprintf(piece, sizeof piece, " %s%s,", types[field->kind], field->name);
  put(to, piece);
  snprintf(piece, sizeof piece, " size_t n_%s,", field->name);
  if (is_list(field)) put(to, piece);
}

static void print_prototype(FILE *out, const webnn_op *op, const char *prefix, const char *end) {
  char piece[128], indent[OPGEN_WIDTH];
  const webnn_field *field;
  snprintf(piece, sizeof piece, "%swebnn_status webnn_%s(", prefix, op->name);
  snprintf(indent, sizeof indent, "%*s", (int)strlen(piece), "");
  lines to = {out, indent, 0};
  put(&to, piece);
  put(&to, "webnn_builder *builder,");
  for (size_t i = 0; (field = webnn_op_field(op, i)) != NULL; i++)
    if (field->required) put_parameter(&to, field);
  snprintf(piece, sizeof piece, " const webnn_%s_options *options,", options_stem(op));
  put(&to, piece);
  if (op->signature->returns_list) put(&to, " webnn_operand **outs,");
  snprintf(piece, sizeof piece,
           op->signature->returns_list ? " size_t *n_outs)%s" : " webnn_operand **out)%s", end);
  put(&to, piece);
}

static bool is_ranged(const webnn_field *field) {
  return !is_operand(field) && !is_label(field) && field->kind != WEBNN_FIELD_BOOL &&
         !(field->kind == WEBNN_FIELD_NUMBER && strcmp(field->default_text, "None") != 0);
}

static bool is_limited(const webnn_op *op) {
  const webnn_field *field;
  for (size_t i = 0; (field = webnn_op_field(op, i)) != NULL; i++) {
    webnn_tensor_limits limits = WEBNN_TENSOR_LIMITS_INIT;
    if (!is_operand(field)) continue;
    webnn_op_get_limits(op, field, &limits);
    if (limits.allowed_types != wnn_types_ANY.allowed || limits.min_rank > 0 ||
        limits.max_rank < WNN_MAX_RANK)
      return true;
  }
  return false;
}

/* What can make a call fail with TYPE. */
static void print_failures(lines *to, const webnn_op *op) {
  bool several = count_operands(op) > 1;
  char text[512];
  snprintf(text, sizeof text,
           "TYPE (operand missing%s another builder's%s%s%s%s), INVALID_STATE (already "
           "built, context lost), UNKNOWN (no memory). */",
           is_limited(op) ? "," : " or",
           is_limited(op) ? " or of a type or rank that isn't allowed" : "",
           several ? "; operands that don't fit together" : "",
           has_field(op, is_ranged) ? "; value out of range" : "",
           several || has_field(op, is_list) ? "; output too large" : "");
  put_words(to, text);
}

static void print_doc_comment(FILE *out, const webnn_op *op) {
  lines to = {out, " *  ", 0};
  const webnn_field *field;
  char piece[128];
  bool list = op->signature->returns_list;
  put(&to, "/**");
  put_words(&to, op->doc);
  snprintf(piece, sizeof piece, "  Spec: MLGraphBuilder.%s.", op->spec_name);
  put(&to, op->extension ? "  An extension (webnn-native)." : piece);
  for (size_t i = 0; (field = webnn_op_field(op, i)) != NULL && field->required; i++) {
    begin(&to);
    snprintf(piece, sizeof piece, "`%s`:", field->name);
    put(&to, piece);
    put_words(&to, field->doc);
    if (field->kind == WEBNN_FIELD_UINT_OR_UINTS)
      put_words(&to, "A NULL list: the count is the number.");
  }
  begin(&to);
  put(&to, list ? "Owns: `outs` belong to the builder; `*n_outs` is their room on entry, their "
                  "number on return."
                : "Owns: `*out` belongs to the builder.");
  if (list) begin(&to);
  put(&to, list ? "Threads: one at a time per builder." : "  Threads: one at a time per builder.");
  begin(&to);
  put(&to, "Fails:");
  print_failures(&to, op);
  fputs("\n", out);
}

void print_ops_h(FILE *out) {
  fputs(
      "/** The operations as typed functions. Generated from the operation table by "
      "tools/opgen.c.\n"
      " *  `options` NULL stands for all defaults. Lists are pointer and count, read during the "
      "call. */\n"
      "#ifndef WEBNN_OPS_H\n#define WEBNN_OPS_H\n\n#include <webnn/options.h>\n\n"
      "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
      out);
  for (const webnn_op *op = NULL; (op = webnn_op_next(op)) != NULL;) {
    print_doc_comment(out, op);
    print_prototype(out, op, "WEBNN_API ", ";");
    fputs("\n\n", out);
  }
  fputs("#ifdef __cplusplus\n}\n#endif\n#endif\n", out);
}

static void print_value(FILE *out, const webnn_field *field) {
  static const char *const makers[] = {
      [WEBNN_FIELD_OPERAND] = "operand_value", [WEBNN_FIELD_OPERANDS] = "operands_value",
      [WEBNN_FIELD_UINT] = "uint_value",       [WEBNN_FIELD_INT] = "int_value",
      [WEBNN_FIELD_UINTS] = "uints_value",     [WEBNN_FIELD_UINT_OR_UINTS] = "list_or_count_value",
      [WEBNN_FIELD_NUMBER] = "NUMBER_VALUE",   [WEBNN_FIELD_FLOATS] = "floats_value",
      [WEBNN_FIELD_BOOL] = "bool_value",       [WEBNN_FIELD_ENUM] = "enum_value",
      [WEBNN_FIELD_ENUMS] = "enums_value",     [WEBNN_FIELD_DATA_TYPE] = "data_type_value",
      [WEBNN_FIELD_LABEL] = "label_value",
  };
  const char *from = field->required ? "" : "own.", *maker = makers[field->kind];
  if (field->required && field->kind == WEBNN_FIELD_UINTS) maker = "list_value";
  fprintf(out, "      %s(%s%s%s", maker, field->kind == WEBNN_FIELD_ENUM ? "(uint32_t)" : "", from,
          field->name);
  if (is_list(field)) fprintf(out, ", %sn_%s", from, field->name);
  fputs("),\n", out);
}

static void print_typed_function(FILE *out, const webnn_op *op) {
  const webnn_field *field;
  char name[64] = "";
  const char *stem = options_stem(op);
  for (size_t i = 0; stem[i] != '\0' && i + 1 < sizeof name; i++)
    name[i] = (char)toupper((unsigned char)stem[i]), name[i + 1] = '\0';
  fputs("\n", out);
  print_prototype(out, op, "", " {");
  fprintf(out, "\n  webnn_%s_options own = WEBNN_%s_OPTIONS_INIT;\n", stem, name);
  fputs("  take_options(&own, sizeof own, options);\n  const webnn_value values[] = {\n", out);
  for (size_t i = 0; (field = webnn_op_field(op, i)) != NULL; i++) print_value(out, field);
  fputs("  };\n", out);
  if (op->signature->returns_list)
    fprintf(out,
            "  return call_list(builder, WNN_OP_%s, values, WNN_COUNT(values), outs, n_outs);\n}\n",
            ids[op->id]);
  else
    fprintf(out, "  return call(builder, WNN_OP_%s, values, WNN_COUNT(values), out);\n}\n",
            ids[op->id]);
}

void print_typed_c(FILE *out) {
  fputs(
      "/* The typed functions: each makes the one call with its arguments.\n"
      " * Generated from the operation table by tools/opgen.c. */\n#include \"op/typed.h\"\n",
      out);
  for (const webnn_op *op = NULL; (op = webnn_op_next(op)) != NULL;) print_typed_function(out, op);
}
