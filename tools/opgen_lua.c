/* The annotations of the Lua module's operations, for the LuaLS language server. */
#include "opgen.h"

static void print_choice(FILE *out, const webnn_field *field) {
  for (size_t i = 0; field->enum_values[i] != NULL; i++)
    fprintf(out, "%s\"%s\"", i ? "|" : "", field->enum_values[i]);
}

static void print_lua_type(FILE *out, const webnn_field *field) {
  switch (field->kind) {
    case WEBNN_FIELD_OPERAND: fputs("webnn.Operand", out); break;
    case WEBNN_FIELD_OPERANDS: fputs("webnn.Operand[]", out); break;
    case WEBNN_FIELD_UINT:
    case WEBNN_FIELD_INT: fputs("integer", out); break;
    case WEBNN_FIELD_UINTS: fputs("integer[]", out); break;
    case WEBNN_FIELD_UINT_OR_UINTS: fputs("integer|integer[]", out); break;
    case WEBNN_FIELD_NUMBER: fputs("webnn.Number", out); break;
    case WEBNN_FIELD_FLOATS: fputs("number[]", out); break;
    case WEBNN_FIELD_BOOL: fputs("boolean", out); break;
    case WEBNN_FIELD_ENUM: print_choice(out, field); break;
    case WEBNN_FIELD_ENUMS:
      fputs("(", out);
      print_choice(out, field);
      fputs(")[]", out);
      break;
    case WEBNN_FIELD_DATA_TYPE: fputs("webnn.DataType", out); break;
    case WEBNN_FIELD_LABEL: fputs("string", out); break;
  }
}

/* Defaults are written as Python writes them. */
static const char *lua_default(const webnn_field *field) {
  static const char *const pairs[][2] = {{"None", "nil"}, {"True", "true"}, {"False", "false"}};
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
    if (strcmp(field->default_text, pairs[i][0]) == 0) return pairs[i][1];
  return field->default_text;
}

static void print_option(FILE *out, const webnn_field *field) {
  fprintf(out, "---@field %s? ", field->name);
  print_lua_type(out, field);
  fprintf(out, " %s Default: %s\n", field->doc, lua_default(field));
}

static void print_method(FILE *out, const webnn_op *op) {
  const webnn_field *field;
  fprintf(out, "\n---@class webnn.options.%s\n", op->name);
  for (size_t i = 0; (field = webnn_op_field(op, i)) != NULL; i++)
    if (!field->required) print_option(out, field);
  fprintf(out, "\n--- %s\n", op->doc);
  for (size_t i = 0; (field = webnn_op_field(op, i)) != NULL && field->required; i++) {
    fprintf(out, "---@param %s ", field->name);
    print_lua_type(out, field);
    fprintf(out, " %s\n", field->doc);
  }
  fprintf(out, "---@param options? webnn.options.%s\n---@return webnn.Operand%s\n", op->name,
          op->signature->returns_list ? "[]" : "");
  fprintf(out, "function GraphBuilder:%s(", op->name);
  for (size_t i = 0; (field = webnn_op_field(op, i)) != NULL && field->required; i++)
    fprintf(out, "%s, ", field->name);
  fputs("options) end\n", out);
}

void print_ops_lua(FILE *out) {
  fputs(
      "---@meta\n-- The operation methods of GraphBuilder. Generated from the operation table by "
      "tools/opgen.c.\n\n---@class webnn.GraphBuilder\nlocal GraphBuilder = {}\n",
      out);
  for (const webnn_op *op = NULL; (op = webnn_op_next(op)) != NULL;) print_method(out, op);
}
