/* The table's limits, as tools/spec_limits prints them from the specification's facts. */
#include "opgen.h"

static void print_json_types(FILE *out, const char *key, uint32_t types) {
  fprintf(out, ",\"%s\":[%s", key, types != 0 ? "\"" : "");
  print_types(out, types, "\",\"");
  fputs(types != 0 ? "\"]" : "]", out);
}

static void print_json_tensor(FILE *out, const webnn_op *op, const webnn_field *field) {
  const wnn_field *own = (const wnn_field *)field; /* `pub` comes first */
  webnn_tensor_limits limits = WEBNN_TENSOR_LIMITS_INIT;
  webnn_op_get_limits(op, field, &limits);
  print_json_types(out, "dataTypes", limits.allowed_types);
  print_json_types(out, "requiredDataTypes", limits.required_types);
  fprintf(out, ",\"rank\":[%u,", (unsigned)limits.min_rank);
  if (limits.max_rank == WNN_MAX_RANK)
    fputs("null]", out);
  else
    fprintf(out, "%u]", (unsigned)limits.max_rank);
  fprintf(out, ",\"requiredRank\":[%u,%u]", (unsigned)limits.required_min_rank,
          (unsigned)limits.required_max_rank);
  if (own->same_type_as == WNN_NO_FIELD) return;
  fprintf(out, ",\"sameTypeAs\":\"%s\"", op->signature->fields[own->same_type_as].pub.spec_name);
}

static void print_json_field(FILE *out, const webnn_field *field) {
  static const char *const kinds[] = {
      [WEBNN_FIELD_OPERAND] = "operand",
      [WEBNN_FIELD_OPERANDS] = "operand list",
      [WEBNN_FIELD_UINT] = "unsigned long",
      [WEBNN_FIELD_INT] = "long",
      [WEBNN_FIELD_UINTS] = "unsigned long list",
      [WEBNN_FIELD_UINT_OR_UINTS] = "unsigned long or unsigned long list",
      [WEBNN_FIELD_NUMBER] = "number",
      [WEBNN_FIELD_FLOATS] = "number list",
      [WEBNN_FIELD_BOOL] = "bool",
      [WEBNN_FIELD_ENUM] = "enum",
      [WEBNN_FIELD_ENUMS] = "enum list",
      [WEBNN_FIELD_DATA_TYPE] = "dataType",
      [WEBNN_FIELD_LABEL] = "string",
  };
  fprintf(out, "{\"name\":\"%s\",\"kind\":\"%s\"", field->spec_name, field->finite ? "double" : kinds[field->kind]);
  if (!field->required) {
    fputs(",\"default\":", out);
    if (strcmp(field->default_text, "None") == 0 || is_list(field))
      fputs("null", out);
    else if (strcmp(field->default_text, "True") == 0)
      fputs("true", out);
    else if (strcmp(field->default_text, "False") == 0)
      fputs("false", out);
    else
      for (const char *c = field->default_text; *c != '\0'; c++) fputc(*c == '\'' ? '"' : *c, out);
  }
  size_t n = 0;
  while (field->enum_values != NULL && field->enum_values[n] != NULL) n++;
  for (size_t i = 0; i + field->n_extension_values < n; i++)
    fprintf(out, "%s\"%s\"", i ? "," : ",\"enum\":[", field->enum_values[i]);
  fputs(n > 0 ? "]}" : "}", out);
}

/* One list of fields or outputs of an operation, those for which `wanted` holds. */
static void print_json_list(FILE *out, const webnn_op *op, const char *key, bool outputs,
                            bool tensors, bool required) {
  const webnn_field *field;
  const char *separator = "";
  fprintf(out, ",\"%s\":[", key);
  for (size_t i = 0; (field = outputs ? webnn_op_output(op, i) : webnn_op_field(op, i)) != NULL;
       i++) {
    if (field->extension || (tensors ? !is_operand(field) : field->required != required)) continue;
    fputs(separator, out);
    separator = ",";
    if (tensors) {
      fprintf(out, "{\"name\":\"%s\"", field->spec_name);
      if (!outputs) fprintf(out, ",\"optional\":%s", field->required ? "false" : "true");
      print_json_tensor(out, op, field);
      fputs("}", out);
    } else
      print_json_field(out, field);
  }
  fputs("]", out);
}

void print_limits(FILE *out) {
  const char *separator = "[\n";
  for (const webnn_op *op = NULL; (op = webnn_op_next(op)) != NULL;) {
    if (op->extension) continue;
    fprintf(out, "%s{\"name\":\"%s\",\"list\":%s", separator, op->spec_name,
            op->signature->returns_list ? "true" : "false");
    separator = ",\n";
    print_json_list(out, op, "parameters", false, false, true);
    print_json_list(out, op, "options", false, false, false);
    print_json_list(out, op, "inputs", false, true, true);
    print_json_list(out, op, "outputs", true, true, true);
    fputs("}", out);
  }
  fputs("\n]\n", out);
}
