/* What a context can do, as the JSON text of MLOpSupportLimits: the operation table joined with
 * what the backend lacks.  Spec: MLContext.opSupportLimits. */
#include "context/context.h"
#include "op/schema.h"
#include <stdio.h>
#include <string.h>

/* Text that grows. Once memory runs out it stays as it is, and `failed` tells. */
typedef struct text {
  const wnn_alloc *alloc;
  char *data;
  size_t size, room;
  bool failed;
} text;

static void append(text *out, const char *more) {
  size_t n = strlen(more);
  if (out->failed) return;
  if (out->size + n + 1 > out->room) {
    size_t room = 2 * (out->room + n) + 256;
    char *data = wnn_alloc_resize(out->alloc, out->data, out->room, room);
    if (data == NULL) {
      out->failed = true;
      return;
    }
    out->data = data;
    out->room = room;
  }
  memcpy(out->data + out->size, more, n + 1);
  out->size += n;
}

static void append_number(text *out, unsigned long long n) {
  char digits[32];
  snprintf(digits, sizeof digits, "%llu", n);
  append(out, digits);
}

/* "name":{"dataTypes":[…],"rankRange":{"min":…,"max":…}} */
static void append_limits(text *out, const char *name, uint32_t types, uint32_t min_rank,
                          uint32_t max_rank) {
  const char *comma = "";
  append(out, "\"");
  append(out, name);
  append(out, "\":{\"dataTypes\":[");
  for (int i = 0; i < WNN_N_DATA_TYPES; i++) {
    if (!(types >> i & 1)) continue;
    append(out, comma);
    append(out, "\"");
    append(out, webnn_data_type_name((webnn_data_type)i));
    append(out, "\"");
    comma = ",";
  }
  append(out, "],\"rankRange\":{\"min\":");
  append_number(out, min_rank);
  append(out, ",\"max\":");
  append_number(out, max_rank);
  append(out, "}}");
}

/* An operand of the row's own types shares what the row lacks; one with a set of its own (an index,
 * a condition) doesn't. */
static void append_field(text *out, const webnn_op *op, const wnn_field *field, uint32_t missing) {
  uint32_t types = wnn_field_types(op, field).allowed;
  if (field->types == NULL) types &= ~missing;
  append_limits(out, field->pub.spec_name, types, field->min_rank, field->max_rank);
}

static bool is_operand(const wnn_field *field) {
  return field->pub.kind == WEBNN_FIELD_OPERAND || field->pub.kind == WEBNN_FIELD_OPERANDS;
}

static void append_op(text *out, const webnn_op *op, uint32_t missing) {
  const wnn_signature *signature = op->signature;
  const char *comma = "";
  append(out, ",\"");
  append(out, op->spec_name);
  append(out, "\":{");
  for (size_t i = 0; i < signature->n_fields; i++) {
    if (!is_operand(&signature->fields[i]) || signature->fields[i].pub.extension) continue;
    append(out, comma);
    append_field(out, op, &signature->fields[i], missing);
    comma = ",";
  }
  for (size_t i = 0; i < signature->n_outputs; i++) {
    append(out, comma);
    append_field(out, op, &signature->outputs[i], missing);
    comma = ",";
  }
  append(out, "}");
}

char *wnn_limits_make(const wnn_alloc *alloc, const wnn_backend *backend, const wnn_device *device,
                      size_t *n_bytes) {
  static const char *const ends[] = {"input", "constant", "output"};
  const uint32_t all = (1u << WNN_N_DATA_TYPES) - 1;
  text out = {.alloc = alloc};
  append(&out, "{\"preferredInputLayout\":\"nhwc\",\"maxTensorByteLength\":");
  append_number(&out, WNN_MAX_BYTES);
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
    append(&out, ",");
    append_limits(&out, ends[i], all, 0, WNN_MAX_RANK);
  }
  for (const webnn_op *op = NULL; (op = webnn_op_next(op)) != NULL;)
    if (!op->extension) append_op(&out, op, backend->missing_types(device, op));
  append(&out, "}");
  *n_bytes = out.room;
  if (!out.failed) return out.data;
  wnn_alloc_free(alloc, out.data, out.room);
  return NULL;
}
