/** What every other header needs: export, statuses, data types, strings, errors, memory. */
#ifndef WEBNN_BASE_H
#define WEBNN_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(WEBNN_STATIC)
#define WEBNN_API
#elif defined(_WIN32)
#ifdef WEBNN_BUILDING
#define WEBNN_API __declspec(dllexport)
#else
#define WEBNN_API __declspec(dllimport)
#endif
#else
#define WEBNN_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Handles. All but operands are counted: a child holds its parent, so any release order is safe.
 *  Operands belong to their builder and die with it. */
typedef struct webnn_context webnn_context;
typedef struct webnn_tensor webnn_tensor;
typedef struct webnn_builder webnn_builder;
typedef struct webnn_operand webnn_operand;
typedef struct webnn_graph webnn_graph;
typedef struct webnn_future webnn_future;
typedef struct webnn_op webnn_op;

/** What a call can end with: X(ID, exception name in the specification). */
#define WEBNN_STATUS_MAP(X)                        \
  X(OK, "")                                        \
  X(ERROR_TYPE, "TypeError")                       \
  X(ERROR_INVALID_STATE, "InvalidStateError")      \
  X(ERROR_NOT_SUPPORTED, "NotSupportedError")      \
  X(ERROR_OPERATION, "OperationError")             \
  X(ERROR_UNKNOWN, "UnknownError")                 \
  X(TIMEOUT, "TimeoutError")

typedef enum webnn_status {
#define WEBNN_X(id, name) WEBNN_##id,
  WEBNN_STATUS_MAP(WEBNN_X)
#undef WEBNN_X
} webnn_status;

/** The element types of the specification: X(ID, name, bytes of an element).  Spec: MLOperandDataType. */
#define WEBNN_DATA_TYPE_MAP(X) \
  X(FLOAT32, "float32", 4)     \
  X(FLOAT16, "float16", 2)     \
  X(INT32, "int32", 4)         \
  X(UINT32, "uint32", 4)       \
  X(INT64, "int64", 8)         \
  X(UINT64, "uint64", 8)       \
  X(INT8, "int8", 1)           \
  X(UINT8, "uint8", 1)

typedef enum webnn_data_type {
#define WEBNN_X(id, name, bytes) WEBNN_DATA_TYPE_##id,
  WEBNN_DATA_TYPE_MAP(WEBNN_X)
#undef WEBNN_X
} webnn_data_type;

/** UTF-8 with an explicit length: names and labels may hold any character, NUL too.
 *  `{NULL, 0}` is the empty string. Copied by every call that takes one. */
typedef struct webnn_str {
  const char *data;
  size_t size;
} webnn_str;

/** A string literal as a `webnn_str`. */
#define WEBNN_STR(literal) (webnn_str){(literal), sizeof(literal) - 1}

/** What went wrong: one line that names the operation, the label and the numbers.
 *  A caller's own variable: a call that takes one fills it in when it fails and leaves it alone when not. */
typedef struct webnn_error {
  webnn_status status;
  char message[1020];
} webnn_error;

/** One number of any kind: 64-bit integers stay exact.  Spec: MLNumber. */
typedef enum webnn_number_kind {
  WEBNN_NUMBER_ABSENT,
  WEBNN_NUMBER_DOUBLE,
  WEBNN_NUMBER_INT64,
  WEBNN_NUMBER_UINT64,
} webnn_number_kind;

typedef struct webnn_number {
  webnn_number_kind kind;
  union {
    double f;
    int64_t i;
    uint64_t u;
  } as;
} webnn_number;

/** The memory of a context: grows, shrinks and frees in one function.
 *  `ptr` NULL allocates, `new_size` 0 frees (the result is ignored); `old_size` is what was asked before.
 *  Blocks are aligned to `alignment`, a power of two. Called from any thread; NULL means no memory. */
typedef struct webnn_allocator {
  void *(*reallocate)(void *ud, void *ptr, size_t old_size, size_t new_size, size_t alignment);
  void *ud;
} webnn_allocator;

/** The exception's name in the specification, `""` for OK.  Threads: any. */
WEBNN_API const char *webnn_status_name(webnn_status status);

/** The type's name in the specification, NULL when there is no such type.  Threads: any. */
WEBNN_API const char *webnn_data_type_name(webnn_data_type type);

/** Bytes of one element, 0 when there is no such type.  Threads: any. */
WEBNN_API size_t webnn_data_type_bytes(webnn_data_type type);

#ifdef __cplusplus
}
#endif
#endif
