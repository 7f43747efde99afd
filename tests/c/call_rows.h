/* Rows of shape inference: calls written as text, with the output shapes or the message that they
 * must give. They go through wnn_bind, as builders' calls do. */
#ifndef WEBNN_TESTS_CALL_ROWS_H
#define WEBNN_TESTS_CALL_ROWS_H

#include "harness.h"
#include "op/schema.h"

#include <stdlib.h>

/* A call: fields by name. Operands are `f32[2,3]`, one of another builder ends in `@`; lists are
 * `1,2`, `5*3` for three fives, `-` when empty; split's number is `=3`; concat's operands are
 * divided by `;`. */
typedef struct call_row {
  const char *call;
  const char *outputs; /* "f32[1] f32[2]", or NULL: the call must fail with TYPE */
  const char
      *expected; /* part of the message; or resolved lists of the attributes: "padding=0,1" */
} call_row;

#define MAX_ITEMS 9000

/* What the values of a row point to; too large for a stack. */
static struct {
  wnn_desc descs[16];
  bool foreign[16];
  size_t n_descs;
  const webnn_operand *operands[MAX_ITEMS];
  uint32_t lists[6][MAX_ITEMS];
  size_t n_lists;
  double floats[4];
  char text[512];
  webnn_value values[WEBNN_MAX_FIELDS];
} call;

static inline const wnn_desc *desc_of(const void *owner, const webnn_operand *operand) {
  size_t i = (size_t)((const wnn_desc *)(const void *)operand - call.descs);
  (void)owner;
  return call.foreign[i] ? NULL : &call.descs[i];
}

/* Reads `f32[2,3]` and moves past it. */
static inline wnn_desc parse_desc(const char **text) {
  static const char *const names[] = {"f32", "f16", "i32", "u32", "i64", "u64", "i8", "u8"};
  wnn_desc desc = {.rank = 0};
  size_t n = strcspn(*text, "[");
  for (size_t i = 0; i < WNN_N_DATA_TYPES; i++)
    if (strlen(names[i]) == n && strncmp(names[i], *text, n) == 0) desc.type = (webnn_data_type)i;
  const char *p = *text + n + 1;
  while (*p != ']') {
    char *end;
    desc.dims[desc.rank++] = (uint32_t)strtoul(p, &end, 10);
    p = *end == ',' ? end + 1 : end;
  }
  *text = p + 1;
  return desc;
}

static inline const webnn_operand *parse_operand(const char **text) {
  wnn_desc *desc = &call.descs[call.n_descs];
  *desc = parse_desc(text);
  call.foreign[call.n_descs++] = **text == '@';
  if (**text == '@') ++*text;
  return (const webnn_operand *)(const void *)desc;
}

/* `*5`: how often the item before it comes; moves past it. */
static inline size_t parse_times(const char **text) {
  if (**text != '*') return 1;
  char *end;
  size_t times = strtoul(*text + 1, &end, 10);
  *text = end;
  return times;
}

static inline void parse_operands(const char *text, webnn_value *value) {
  value->as.operands = call.operands;
  while (*text != '\0' && *text != '-') {
    const webnn_operand *operand = parse_operand(&text);
    for (size_t times = parse_times(&text); times > 0; times--) call.operands[value->n++] = operand;
    if (*text == ';') text++;
  }
}

/* A number, or a word of an enumeration; moves past it. */
static inline uint32_t parse_item(const webnn_field *field, const char **text) {
  size_t n = strcspn(*text, ",*");
  const char *word = *text;
  *text += n;
  for (uint32_t i = 0; field->enum_values != NULL && field->enum_values[i] != NULL; i++)
    if (strlen(field->enum_values[i]) == n && strncmp(field->enum_values[i], word, n) == 0)
      return i;
  return (uint32_t)strtoull(word, NULL, 10);
}

static inline size_t parse_list(const webnn_field *field, const char *text, uint32_t *items) {
  size_t n = 0;
  while (*text != '\0' && *text != '-') {
    uint32_t item = parse_item(field, &text);
    for (size_t times = parse_times(&text); times > 0; times--) items[n++] = item;
    if (*text == ',') text++;
  }
  return n;
}

static inline void parse_floats(const char *text, webnn_value *value) {
  value->as.floats = call.floats;
  while (*text != '\0') {
    char *end;
    call.floats[value->n++] = strtod(text, &end);
    text = *end == ',' ? end + 1 : end;
  }
}

static inline void parse_value(const webnn_field *field, const char *text, webnn_value *value) {
  *value = (webnn_value){.kind = field->kind};
  if (field->kind == WEBNN_FIELD_UINT_OR_UINTS)
    value->kind = *text == '=' ? WEBNN_FIELD_UINT : WEBNN_FIELD_UINTS;
  if (*text == '=') text++;
  switch (value->kind) {
    case WEBNN_FIELD_OPERAND:
      value->as.operand = parse_operand(&text);
      break;
    case WEBNN_FIELD_OPERANDS:
      parse_operands(text, value);
      break;
    case WEBNN_FIELD_UINT:
      value->as.u = (uint32_t)strtoul(text, NULL, 10);
      break;
    case WEBNN_FIELD_INT:
      value->as.i = (int32_t)strtol(text, NULL, 10);
      break;
    case WEBNN_FIELD_BOOL:
      value->as.b = strcmp(text, "true") == 0;
      break;
    case WEBNN_FIELD_ENUM:
      value->as.e = parse_item(field, &text);
      break;
    case WEBNN_FIELD_NUMBER:
      value->as.number = wnn_number_f(strtod(text, NULL));
      break;
    case WEBNN_FIELD_FLOATS:
      parse_floats(text, value);
      break;
    case WEBNN_FIELD_LABEL:
      value->as.str = (webnn_str){text, strlen(text)};
      break;
    default:
      value->as.us = call.lists[call.n_lists];
      value->n = parse_list(field, text, call.lists[call.n_lists++]);
  }
}

static inline size_t field_named(const webnn_op *op, const char *name) {
  size_t i = 0;
  while (webnn_op_field(op, i) != NULL && strcmp(webnn_op_field(op, i)->name, name) != 0) i++;
  CHECK(webnn_op_field(op, i) != NULL);
  return i;
}

/* Cuts `name=text name=text` up, which it changes: the next pair, false at the end. */
static inline bool next_pair(char **at, char **name, char **text) {
  *at += strspn(*at, " ");
  if (**at == '\0') return false;
  size_t n = strcspn(*at, " ");
  *name = *at;
  *at += n + ((*at)[n] != '\0');
  (*name)[n] = '\0';
  *text = strchr(*name, '=');
  *(*text)++ = '\0';
  return true;
}

static inline webnn_status bind_call(const webnn_op *op, const char *text, wnn_arena *arena,
                                     wnn_bound *bound, webnn_error *err) {
  const webnn_operand *const *operands;
  size_t n_operands;
  char *at = call.text, *name, *value;
  memset(&call, 0, sizeof call);
  snprintf(call.text, sizeof call.text, "%s", text);
  while (next_pair(&at, &name, &value)) {
    size_t i = field_named(op, name);
    parse_value(webnn_op_field(op, i), value, &call.values[i]);
  }
  return wnn_bind(op, call.values, op->signature->n_fields, NULL, desc_of, arena, &operands,
                  &n_operands, bound, err);
}

static inline void check_outputs(const char *text, const wnn_bound *bound) {
  size_t n = 0;
  for (; *text != '\0'; n++) {
    wnn_desc expected = parse_desc(&text);
    if (*text == ' ') text++;
    if (n < bound->n_outputs && !CHECK(wnn_desc_equal(&expected, &bound->outputs[n])))
      printf("    is %s\n", wnn_desc_format(&bound->outputs[n]).text);
  }
  CHECK(n == bound->n_outputs);
}

/* The lists that infer has resolved. */
static inline void check_attributes(const webnn_op *op, const char *text, const wnn_bound *bound) {
  char buffer[256], *at = buffer, *name, *value;
  snprintf(buffer, sizeof buffer, "%s", text);
  while (next_pair(&at, &name, &value)) {
    const wnn_field *field = &op->signature->fields[field_named(op, name)];
    const wnn_uints *list = (const void *)((const char *)bound->attrs + field->offset);
    uint32_t *items = call.lists[0]; /* the call is over */
    size_t n = parse_list(&field->pub, value, items);
    if (!CHECK(list->n == n && memcmp(list->data, items, n * sizeof *items) == 0))
      for (size_t i = 0; i < list->n; i++)
        printf("    %s[%zu] is %u\n", name, i, (unsigned)list->data[i]);
  }
}

static inline void check_row(const char *op_name, const call_row *row) {
  const webnn_op *op = webnn_op_find(op_name);
  wnn_arena arena;
  wnn_bound bound;
  webnn_error err = {.status = WEBNN_OK};
  CONTEXT("%s %s", op_name, row->call);
  if (!REQUIRE(op != NULL)) return;
  wnn_arena_init(&arena, &(wnn_alloc){NULL, NULL});
  webnn_status status = bind_call(op, row->call, &arena, &bound, &err);
  if (row->outputs == NULL) {
    CHECK_STATUS(status, WEBNN_ERROR_TYPE);
    if (!CHECK(strstr(err.message, row->expected) != NULL))
      printf("    says \"%s\"\n", err.message);
  } else if (CHECK_STATUS(status, WEBNN_OK)) {
    check_outputs(row->outputs, &bound);
    if (row->expected != NULL) check_attributes(op, row->expected, &bound);
  } else {
    printf("    says \"%s\"\n", err.message);
  }
  wnn_arena_reset(&arena);
}

static inline void check_rows(const char *op_name, const call_row *rows, size_t n) {
  for (size_t i = 0; i < n; i++) check_row(op_name, &rows[i]);
}
#define CHECK_ROWS(op_name, rows) check_rows(op_name, rows, sizeof(rows) / sizeof((rows)[0]))

#endif
