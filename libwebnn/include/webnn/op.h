/** The operation table at run time, and the one call through which every operation can be made.
 *  Bindings, the deserialiser and the fuzzers need nothing else. */
#ifndef WEBNN_OP_H
#define WEBNN_OP_H

#include <webnn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a field holds. */
typedef enum webnn_field_kind {
  WEBNN_FIELD_OPERAND = 1, /**< one operand */
  WEBNN_FIELD_OPERANDS,    /**< a list of operands */
  WEBNN_FIELD_UINT,        /**< unsigned long, 0 … 2³²−1 */
  WEBNN_FIELD_INT,         /**< long, −2³¹ … 2³¹−1 */
  WEBNN_FIELD_UINTS,       /**< a list of unsigned long */
  WEBNN_FIELD_UINT_OR_UINTS, /**< either: split's `splits` */
  WEBNN_FIELD_NUMBER,      /**< MLNumber; double where the field says `finite` */
  WEBNN_FIELD_FLOATS,      /**< a list of float: finite numbers */
  WEBNN_FIELD_BOOL,
  WEBNN_FIELD_ENUM,        /**< one of `enum_values`, by its index */
  WEBNN_FIELD_ENUMS,       /**< a list of them */
  WEBNN_FIELD_DATA_TYPE,   /**< a `webnn_data_type` */
  WEBNN_FIELD_LABEL,       /**< a string */
} webnn_field_kind;

/** One parameter or option of an operation; owned by the library, constant. */
typedef struct webnn_field {
  const char *name;      /**< snake_case: "input_layout" */
  const char *spec_name; /**< as in the specification: "inputLayout" */
  webnn_field_kind kind;
  bool required;         /**< a positional parameter; options follow all of them */
  bool extension;        /**< ours, not the specification's */
  const char *const *enum_values; /**< NULL but for enums; ends with NULL */
  uint32_t n_extension_values;    /**< how many of the last ones are ours: padding mode "symmetric" */
  const char *default_text;       /**< the default as Python writes it, "None" when absent; NULL: required */
  const char *doc;
  bool finite;           /**< a NUMBER that may be neither NaN nor infinite */
} webnn_field;

/** Which tensors an operand or an output may be: what the builder checks, before the backend narrows it.
 *  `allowed_types` and `required_types`: bit i is `webnn_data_type` i. */
typedef struct webnn_tensor_limits {
  size_t struct_size;
  uint32_t allowed_types;
  uint32_t required_types; /**< what the specification asks every implementation for */
  uint32_t min_rank, max_rank;
  uint32_t required_min_rank, required_max_rank;
} webnn_tensor_limits;
#define WEBNN_TENSOR_LIMITS_INIT { sizeof(webnn_tensor_limits), 0, 0, 0, 0, 0, 0 }

/** One argument of a call. A zeroed value is an absent one, and so is an OPERAND that is NULL. Nothing is kept
 *  after the call. */
typedef struct webnn_value {
  webnn_field_kind kind; /**< 0: absent */
  size_t n;              /**< of lists; a list may be empty and yet given */
  union {
    const webnn_operand *operand;
    const webnn_operand *const *operands;
    uint32_t u;            /**< UINT, and UINT_OR_UINTS called with a number (kind UINT) */
    int32_t i;
    const uint32_t *us;    /**< UINTS, and UINT_OR_UINTS called with a list (kind UINTS); ENUMS: indices */
    webnn_number number;
    const double *floats;
    bool b;
    uint32_t e;            /**< ENUM, DATA_TYPE */
    webnn_str str;
  } as;
} webnn_value;

/** No operation has more fields than this. */
#define WEBNN_MAX_FIELDS 24

/** The rows in the specification's order: the first for NULL, NULL after the last.  Threads: any. */
WEBNN_API const webnn_op *webnn_op_next(const webnn_op *op);

/** A row by its snake_case or its specification's name; NULL when there is none.  Threads: any. */
WEBNN_API const webnn_op *webnn_op_find(const char *name);

WEBNN_API const char *webnn_op_name(const webnn_op *op);      /**< "conv_transpose2d" */
WEBNN_API const char *webnn_op_spec_name(const webnn_op *op); /**< "convTranspose2d" */
WEBNN_API const char *webnn_op_doc(const webnn_op *op);       /**< one sentence or more */
WEBNN_API bool webnn_op_extension(const webnn_op *op);        /**< ours, not the specification's */
/** True where a call gives a list of operands: split, gru, lstm, lstm_cell. */
WEBNN_API bool webnn_op_returns_list(const webnn_op *op);

/** Field `i`: parameters in IDL order, then options in dictionary order, `label` last; NULL past the end. */
WEBNN_API const webnn_field *webnn_op_field(const webnn_op *op, size_t i);

/** Output `i` as a field (only its names and limits mean something); NULL past the end. Outputs that a call
 *  gives under a condition are here too, as in the specification's limits. */
WEBNN_API const webnn_field *webnn_op_output(const webnn_op *op, size_t i);

/** Fills `*out`, as far as its `struct_size` reaches, with the limits of an operand field or an output of
 *  `op`; all 0 for another field. Operations share fields, so the same one may differ between them.
 *  Threads: any. */
WEBNN_API void webnn_op_get_limits(const webnn_op *op, const webnn_field *field, webnn_tensor_limits *out);

/** Adds one operation to the graph: `values[i]` belongs to field i, missing ones are absent.
 *  `*n_outs` is the room in `outs` on entry and the number of outputs on return. When the room is too small
 *  the call fails with TYPE and adds nothing.
 *  Owns: operands belong to the builder.  Threads: one at a time per builder.
 *  Fails: TYPE, INVALID_STATE, UNKNOWN (no memory); `webnn_builder_error` tells. */
WEBNN_API webnn_status webnn_builder_call(webnn_builder *builder, const webnn_op *op,
                                          const webnn_value *values, size_t n_values,
                                          webnn_operand **outs, size_t *n_outs);

#ifdef __cplusplus
}
#endif
#endif
