/* Rows of calls for wnn_bind: arguments written down as text and numbers, outputs or the message
 * expected. */
#ifndef WEBNN_TESTS_OP_ROWS_H
#define WEBNN_TESTS_OP_ROWS_H

#include "harness.h"
#include "op/fields.h"

#include <stdlib.h>

/* Stands in for the builder's. */
struct webnn_operand {
  wnn_desc desc;
  bool foreign;
};

enum { N_OPERANDS = 64, MAX_ARGS = 8 };
static struct webnn_operand pool[N_OPERANDS];
static size_t n_pool;

static inline const wnn_desc *desc_of(const void *owner, const webnn_operand *operand) {
  (void)owner;
  return operand->foreign ? NULL : &operand->desc;
}

static inline webnn_data_type type_named(const char *name, size_t size) {
  for (unsigned i = 0; i < WNN_N_DATA_TYPES; i++)
    if (strlen(webnn_data_type_name((webnn_data_type)i)) == size &&
        memcmp(webnn_data_type_name((webnn_data_type)i), name, size) == 0)
      return (webnn_data_type)i;
  CHECK(!"a data type");
  return WEBNN_DATA_TYPE_FLOAT32;
}

/* An operand from "float32[2,3]". */
static inline struct webnn_operand *operand(const char *text) {
  struct webnn_operand *out = &pool[n_pool++ % N_OPERANDS];
  const char *at = strchr(text, '[');
  *out = (struct webnn_operand){.desc.type = type_named(text, (size_t)(at - text))};
  while (*at != ']' && at[1] != ']') {
    char *end;
    out->desc.dims[out->desc.rank++] = (uint32_t)strtoul(at + 1, &end, 10);
    at = end;
  }
  return out;
}

/* A named argument of a row. */
typedef struct argument {
  const char *name;
  webnn_value value;
} argument;

static inline argument X(const char *name, const char *text) {
  return (argument){name, {WEBNN_FIELD_OPERAND, 0, {.operand = operand(text)}}};
}
/* Of another builder. */
static inline argument FOREIGN(const char *name, const char *text) {
  struct webnn_operand *x = operand(text);
  x->foreign = true;
  return (argument){name, {WEBNN_FIELD_OPERAND, 0, {.operand = x}}};
}
static inline argument U(const char *name, uint32_t x) {
  return (argument){name, {WEBNN_FIELD_UINT, 0, {.u = x}}};
}
static inline argument B(const char *name, bool x) {
  return (argument){name, {WEBNN_FIELD_BOOL, 0, {.b = x}}};
}
static inline argument E(const char *name, uint32_t x) {
  return (argument){name, {WEBNN_FIELD_ENUM, 0, {.e = x}}};
}
static inline argument TYPE(const char *name, uint32_t x) {
  return (argument){name, {WEBNN_FIELD_DATA_TYPE, 0, {.e = x}}};
}
static inline argument N(const char *name, double x) {
  return (argument){name, {WEBNN_FIELD_NUMBER, 0, {.number = wnn_number_f(x)}}};
}
static inline argument I64(const char *name, int64_t x) {
  return (argument){name, {WEBNN_FIELD_NUMBER, 0, {.number = {WEBNN_NUMBER_INT64, {.i = x}}}}};
}
static inline argument US(const char *name, size_t n, const uint32_t *data) {
  return (argument){name, {WEBNN_FIELD_UINTS, n, {.us = data}}};
}
static inline argument FS(const char *name, size_t n, const double *data) {
  return (argument){name, {WEBNN_FIELD_FLOATS, n, {.floats = data}}};
}
static inline argument LABEL(const char *text) {
  return (argument){"label", {WEBNN_FIELD_LABEL, 0, {.str = {text, strlen(text)}}}};
}
#define LIST(...) \
  (const uint32_t[]) { __VA_ARGS__ }
#define FLOATS(...) \
  (const double[]) { __VA_ARGS__ }

/* One call of wnn_bind and what it gave. */
static struct {
  wnn_arena arena;
  wnn_bound node;
  const webnn_operand *const *operands;
  size_t n_operands;
  webnn_error err;
  char text[1024]; /* the message, or the outputs */
} bound;

static inline size_t field_named(const webnn_op *op, const char *name) {
  const webnn_field *field;
  for (size_t i = 0; (field = webnn_op_field(op, i)) != NULL; i++)
    if (strcmp(field->name, name) == 0) return i;
  CHECK(!"a field of the operation");
  return 0;
}

static inline webnn_status bind(wnn_op_id id, const argument *args) {
  const webnn_op *op = wnn_op_get(id);
  webnn_value values[WEBNN_MAX_FIELDS] = {{0}};
  for (size_t i = 0; i < MAX_ARGS && args[i].name != NULL; i++)
    values[field_named(op, args[i].name)] = args[i].value;
  memset(&bound.node, 0, sizeof bound.node);
  memset(&bound.err, 0, sizeof bound.err);
  wnn_arena_reset(&bound.arena);
  webnn_status status = wnn_bind(op, values, op->signature->n_fields, NULL, desc_of, &bound.arena,
                                 &bound.operands, &bound.n_operands, &bound.node, &bound.err);
  bound.text[0] = '\0';
  if (status != WEBNN_OK) {
    snprintf(bound.text, sizeof bound.text, "%s", bound.err.message);
    CHECK(bound.err.status == status);
  }
  for (size_t i = 0; i < bound.node.n_outputs; i++)
    snprintf(bound.text + strlen(bound.text), sizeof bound.text - strlen(bound.text), "%s%s",
             i ? " " : "", wnn_desc_format(&bound.node.outputs[i]).text);
  return status;
}

/* A call and the outputs it gives, or the message with which it fails. */
typedef struct row {
  wnn_op_id op;
  argument args[MAX_ARGS];
  const char *outputs, *message;
} row;

static inline void check_rows(const row *rows, size_t n) {
  for (size_t i = 0; i < n; i++) {
    CONTEXT("row %zu, %s", i, wnn_op_get(rows[i].op)->name);
    webnn_status status = bind(rows[i].op, rows[i].args);
    CHECK_STATUS(status, rows[i].outputs != NULL ? WEBNN_OK : WEBNN_ERROR_TYPE);
    CHECK_STR(bound.text, rows[i].outputs != NULL ? rows[i].outputs : rows[i].message);
  }
  wnn_arena_reset(&bound.arena);
}
#define CHECK_ROWS(rows) check_rows(rows, WNN_COUNT(rows))

/* Begin and end of the program. */
static inline int rows_main(int argc, char **argv, const harness_test *tests) {
  wnn_arena_init(&bound.arena, &(wnn_alloc){NULL, NULL});
  int failed = harness_main(argc, argv, tests);
  wnn_arena_reset(&bound.arena);
  return failed;
}

#endif
