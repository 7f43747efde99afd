/* Short ways to make a graph in a test: a failure is remembered, so that calls can be nested. */
#ifndef WEBNN_TESTS_MAKER_H
#define WEBNN_TESTS_MAKER_H

#include <string.h>
#include <webnn/webnn.h>

#define F32 WEBNN_DATA_TYPE_FLOAT32
/* Rank and dimensions, two arguments in one. */
#define SHAPE(...) sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (const uint32_t[]){__VA_ARGS__}

typedef struct maker {
  webnn_builder *builder;
  bool failed;
} maker;

static inline webnn_operand *input(maker *m, const char *name, size_t rank, const uint32_t *shape) {
  webnn_operand *out = NULL;
  webnn_descriptor desc = {F32, rank, shape};
  m->failed |= webnn_builder_input(m->builder, (webnn_str){name, strlen(name)}, &desc, &out) != WEBNN_OK;
  return out;
}

/* Defines `name_of(m, x)` for an operation of one operand (of two), options left alone. */
#define UNARY_CALL(name)                                               \
  static webnn_operand *name##_of(maker *m, webnn_operand *x) {             \
    webnn_operand *out = NULL;                                         \
    m->failed |= webnn_##name(m->builder, x, NULL, &out) != WEBNN_OK;  \
    return out;                                                        \
  }
#define BINARY_CALL(name)                                                    \
  static webnn_operand *name##_of(maker *m, webnn_operand *a, webnn_operand *b) { \
    webnn_operand *out = NULL;                                               \
    m->failed |= webnn_##name(m->builder, a, b, NULL, &out) != WEBNN_OK;     \
    return out;                                                              \
  }

#endif
