/* What people read: the Python stubs and the list of operations. */
#include "opgen.h"

static void print_choice(FILE *out, const webnn_field *field) {
  fputs("Literal[", out);
  for (size_t i = 0; field->enum_values[i] != NULL; i++)
    fprintf(out, "%s\"%s\"", i ? ", " : "", field->enum_values[i]);
  fputs("]", out);
}

static void print_python_type(FILE *out, const webnn_field *field) {
  switch (field->kind) {
    case WEBNN_FIELD_OPERAND: fputs("Operand", out); break;
    case WEBNN_FIELD_OPERANDS: fputs("Sequence[Operand]", out); break;
    case WEBNN_FIELD_UINT:
    case WEBNN_FIELD_INT: fputs("int", out); break;
    case WEBNN_FIELD_UINTS: fputs("Sequence[int]", out); break;
    case WEBNN_FIELD_UINT_OR_UINTS: fputs("int | Sequence[int]", out); break;
    case WEBNN_FIELD_NUMBER: fputs("float | int", out); break;
    case WEBNN_FIELD_FLOATS: fputs("Sequence[float]", out); break;
    case WEBNN_FIELD_BOOL: fputs("bool", out); break;
    case WEBNN_FIELD_ENUM: print_choice(out, field); break;
    case WEBNN_FIELD_ENUMS:
      fputs("Sequence[", out);
      print_choice(out, field);
      fputs("]", out);
      break;
    case WEBNN_FIELD_DATA_TYPE: fputs("DataType", out); break;
    case WEBNN_FIELD_LABEL: fputs("str", out); break;
  }
}

static void print_python_default(FILE *out, const webnn_field *field) {
  if (strcmp(field->default_text, "None") == 0) fputs(" | None", out);
  fputs(" = ", out);
  for (const char *c = field->default_text; *c != '\0'; c++) fputc(*c == '\'' ? '"' : *c, out);
}

/* What an option of a choice may be, as a sentence; nothing for others. */
static void put_choices(lines *to, const webnn_field *field) {
  char text[64];
  if (field->enum_values == NULL) return;
  put_words(to, field->kind == WEBNN_FIELD_ENUMS ? "Each is one of" : "One of");
  for (size_t i = 0; field->enum_values[i] != NULL; i++) {
    snprintf(text, sizeof text, "'%s'%s", field->enum_values[i],
             field->enum_values[i + 1] != NULL ? "," : ".");
    put_words(to, text);
  }
}

static void print_docstring(FILE *out, const webnn_op *op) {
  const webnn_field *field;
  char text[512];
  lines to = {out, "        ", 8};
  fputs(to.indent, out);
  snprintf(text, sizeof text, "\"\"\"%s", op->doc);
  put_words(&to, text);
  fputs("\n", out);
  for (size_t i = 0; (field = webnn_op_field(op, i)) != NULL; i++) {
    fprintf(out, "\n        %s:", field->name);
    to = (lines){out, "            ", strlen(field->name) + 9};
    put_words(&to, field->doc);
    put_choices(&to, field);
  }
  fputs("\n        \"\"\"\n", out);
}

static void print_method(FILE *out, const webnn_op *op) {
  const webnn_field *field;
  bool options = false;
  fprintf(out, "\n    def %s(\n        self,\n", op->name);
  for (size_t i = 0; (field = webnn_op_field(op, i)) != NULL; i++) {
    if (!field->required && !options) fputs("        *,\n", out), options = true;
    fprintf(out, "        %s: ", field->name);
    print_python_type(out, field);
    if (!field->required) print_python_default(out, field);
    fputs(",\n", out);
  }
  fprintf(out, "    ) -> %s:\n", op->signature->returns_list ? "tuple[Operand, ...]" : "Operand");
  print_docstring(out, op);
}

void print_ops_pyi(FILE *out) {
  fputs(
      "# The operation methods of GraphBuilder. Generated from the operation table by "
      "tools/opgen.c.\n"
      "from collections.abc import Sequence\nfrom typing import Literal\n\nfrom . import "
      "Operand\n\n"
      "DataType = Literal[",
      out);
  for (unsigned i = 0; i < WNN_N_DATA_TYPES; i++)
    fprintf(out, "%s\"%s\"", i ? ", " : "", webnn_data_type_name((webnn_data_type)i));
  fputs("]\n\nclass OpMethods:", out);
  for (const webnn_op *op = NULL; (op = webnn_op_next(op)) != NULL;) print_method(out, op);
}

static void print_ranks(FILE *out, uint32_t min, uint32_t max) {
  if (min == max)
    fprintf(out, "%u", (unsigned)min);
  else
    fprintf(out, "%u to %u", (unsigned)min, (unsigned)max);
}

static void print_tensor_row(FILE *out, const webnn_op *op, const webnn_field *field,
                             const char *note) {
  webnn_tensor_limits limits = WEBNN_TENSOR_LIMITS_INIT;
  webnn_op_get_limits(op, field, &limits);
  uint32_t more = limits.allowed_types & ~limits.required_types;
  fprintf(out, "| `%s` | ", field->name);
  print_types(out, limits.required_types, ", ");
  if (more != 0) fputs(" (", out);
  print_types(out, more, ", ");
  fprintf(out, "%s | ", more != 0 ? ")" : "");
  print_ranks(out, limits.min_rank, limits.max_rank);
  fprintf(out, " | %s%s |\n", field->required || note[0] != '\0' ? "" : "Optional. ",
          note[0] ? note : field->doc);
}

static void print_values_row(FILE *out, const webnn_field *field) {
  static const char *const kinds[] = {
      [WEBNN_FIELD_UINT] = "unsigned",
      [WEBNN_FIELD_INT] = "signed",
      [WEBNN_FIELD_UINTS] = "list of unsigned",
      [WEBNN_FIELD_UINT_OR_UINTS] = "unsigned or list of them",
      [WEBNN_FIELD_NUMBER] = "number",
      [WEBNN_FIELD_FLOATS] = "list of numbers",
      [WEBNN_FIELD_BOOL] = "boolean",
      [WEBNN_FIELD_DATA_TYPE] = "data type",
      [WEBNN_FIELD_LABEL] = "string",
  };
  fprintf(out, "| `%s` | ", field->name);
  if (field->kind == WEBNN_FIELD_ENUMS) fputs("list of ", out);
  if (field->enum_values == NULL) fputs(kinds[field->kind], out);
  for (size_t i = 0; field->enum_values != NULL && field->enum_values[i] != NULL; i++)
    fprintf(out, "%s%s", i ? ", " : "", field->enum_values[i]);
  if (field->required)
    fputs(" | required", out);
  else
    fprintf(out, " | `%s`", field->default_text);
  fprintf(out, " | %s |\n", field->doc);
}

static void print_op_section(FILE *out, const webnn_op *op) {
  const webnn_field *field;
  bool options = false;
  fprintf(out, "\n## %s\n\n", op->name);
  fprintf(out, "%s %s`%s`.\n\n```python\n%s(", op->doc,
          op->extension ? "An extension: " : "Specification: ", op->spec_name, op->name);
  for (size_t i = 0; (field = webnn_op_field(op, i)) != NULL; i++) {
    if (!field->required && !options) fputs(", *", out), options = true;
    fprintf(out, "%s%s", i ? ", " : "", field->name);
    if (!field->required) fprintf(out, "=%s", field->default_text);
  }
  fputs(")\n```\n\n| tensor | types | rank | |\n| --- | --- | --- | --- |\n", out);
  for (size_t i = 0; (field = webnn_op_field(op, i)) != NULL; i++)
    if (is_operand(field)) print_tensor_row(out, op, field, "");
  for (size_t i = 0; (field = webnn_op_output(op, i)) != NULL; i++)
    print_tensor_row(out, op, field, "Output.");
  fputs("\n| value | kind | default | |\n| --- | --- | --- | --- |\n", out);
  for (size_t i = 0; (field = webnn_op_field(op, i)) != NULL; i++)
    if (!is_operand(field)) print_values_row(out, field);
}

void print_ops_md(FILE *out) {
  fputs(
      "# Operations\n\nGenerated from the operation table by tools/opgen.c. Types in brackets are "
      "allowed, but not\n"
      "required of every implementation; `op_support_limits` tells what a context has. Names are "
      "the same in C,\n"
      "Python and Lua.\n\n",
      out);
  for (const webnn_op *op = NULL; (op = webnn_op_next(op)) != NULL;)
    fprintf(out, "[%s](#%s)%s\n", op->name, op->name, webnn_op_next(op) != NULL ? "," : "");
  for (const webnn_op *op = NULL; (op = webnn_op_next(op)) != NULL;) print_op_section(out, op);
}
