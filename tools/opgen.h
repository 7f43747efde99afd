/* Printing from the operation table: lines of text, and what each generated file is made by. */
#ifndef WEBNN_TOOLS_OPGEN_H
#define WEBNN_TOOLS_OPGEN_H

#include "op/fields.h"

#include <stdio.h>

#define OPGEN_WIDTH 100

/* Pieces set one after another; a piece that doesn't fit begins a new line with `indent`. */
typedef struct lines {
  FILE *out;
  const char *indent;
  size_t column;
} lines;

void put(lines *to, const char *piece); /* as it is; spaces that would begin a line are dropped */
void put_words(lines *to,
               const char *text); /* word by word, with a space before each but at the beginning */
void begin(lines *to);            /* a new line */

static inline bool is_label(const webnn_field *field) { return field->kind == WEBNN_FIELD_LABEL; }
static inline bool is_operand(const webnn_field *field) {
  return field->kind == WEBNN_FIELD_OPERAND || field->kind == WEBNN_FIELD_OPERANDS;
}
static inline bool is_list(const webnn_field *field) {
  return field->kind == WEBNN_FIELD_OPERANDS || field->kind == WEBNN_FIELD_UINTS ||
         field->kind == WEBNN_FIELD_UINT_OR_UINTS || field->kind == WEBNN_FIELD_FLOATS ||
         field->kind == WEBNN_FIELD_ENUMS;
}

/* The element types of a set, with `between` between their names. */
void print_types(FILE *out, uint32_t types, const char *between);

void print_ops_h(FILE *out);
void print_typed_c(FILE *out);
void print_ops_pyi(FILE *out);
void print_ops_lua(FILE *out);
void print_ops_md(FILE *out);
void print_limits(FILE *out);

#endif
