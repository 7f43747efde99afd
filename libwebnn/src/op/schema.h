/* The operation table: what a row is, how a call is bound to it, how output shapes are inferred. */
#ifndef WNN_OP_SCHEMA_H
#define WNN_OP_SCHEMA_H

#include "base/arena.h"
#include "base/shape.h"
#include "op/attrs.h"
#include <webnn/op.h>

/* The rows, for switches: WNN_OP_ADD, … Private: outside, an operation is a `const webnn_op *`. */
typedef enum wnn_op_id {
#define OP(id, name, spec_name, signature, infer, types, doc) WNN_OP_##id,
#include "op/ops.def"
  WNN_N_OPS
} wnn_op_id;

/* Which element types an operand may have, and which the specification makes every implementation accept. */
typedef struct wnn_types {
  uint32_t allowed, required;
} wnn_types;

#define WNN_NO_FIELD 255

/* One parameter or option. */
typedef struct wnn_field {
  webnn_field pub;
  uint16_t offset;           /* into the attributes; operands have none */
  const wnn_types *types;    /* operands: NULL means the row's */
  uint8_t same_type_as;      /* operands: index of the field whose type must match, or WNN_NO_FIELD */
  uint8_t min_rank, max_rank;                    /* what we accept; WNN_MAX_RANK for "any" */
  uint8_t required_min_rank, required_max_rank;  /* what the specification asks for */
  webnn_number default_number;                   /* NUMBER, UINT, INT, BOOL, ENUM, DATA_TYPE */
  bool is_activation;        /* extension: no attribute, but what wnn_activation_of reads */
} wnn_field;

typedef struct wnn_signature {
  const char *name;
  const char *options; /* stem of the options struct; NULL: `name`, or "operator" when label is the only option */
  const wnn_field *fields; /* parameters, options, label */
  uint8_t n_fields;
  uint8_t n_operands;      /* operand fields; 1 for concat's list */
  uint8_t n_outputs;       /* that limits report; a call may give fewer (gru) or more (split) */
  bool returns_list;
  const wnn_field *outputs;
  size_t attrs_bytes;      /* 0: the node has no attributes */
} wnn_signature;

/* What a family's infer sees. bind.c has checked state, owners, kinds, and types and ranks of the required
 * operands; attributes hold what the caller gave, or the table's default. */
typedef struct wnn_infer {
  const webnn_op *op;
  const wnn_desc *const *inputs; /* by operand position; NULL: absent */
  size_t n_inputs;
  void *attrs;                   /* to be resolved, see attrs.h */
  wnn_desc *outputs;             /* to be filled; see wnn_infer_outputs */
  size_t n_outputs;
  wnn_arena *arena;              /* the graph's: for lists that infer makes */
  webnn_str label;
  webnn_error *err;
} wnn_infer;

typedef webnn_status (*wnn_infer_fn)(wnn_infer *in);

/* A row. */
struct webnn_op {
  wnn_op_id id;
  const char *name, *spec_name;
  const wnn_signature *signature;
  wnn_infer_fn infer;
  const wnn_types *types; /* of the operands that say "the row's" */
  const char *doc;
  bool extension; /* ours: stands aside from the specification's table */
  bool internal;  /* made by passes only: not listed, not callable */
};

extern const webnn_op wnn_ops[WNN_N_OPS];
static inline const webnn_op *wnn_op_get(wnn_op_id id) { return &wnn_ops[id]; }

/* The rows that fold axes: reduceSum and its kin. */
static inline bool wnn_op_is_reduction(wnn_op_id op) {
  switch (op) {
#define OP(id, name, spec_name, signature, infer, types, doc)
#define REDUCE(id, name, spec_name, types, doc) case WNN_OP_##id:
#include "op/ops.def"
    return true;
    default: return false;
  }
}

/* "[label] conv2d": how messages call a call. */
typedef struct wnn_call_text {
  char text[WNN_QUOTE_BYTES + 64];
} wnn_call_text;
wnn_call_text wnn_call_format(const webnn_op *op, webnn_str label);

/* "[label] conv2d: " and the rest, as TYPE or another status; returns the status. */
webnn_status wnn_fail(wnn_infer *in, webnn_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Gives `n` zeroed outputs (the default is one). UNKNOWN when out of memory. */
webnn_status wnn_infer_outputs(wnn_infer *in, size_t n);

/* Checks type and rank of the operand of field `field` (present or not) as the table says. infer calls it for
 * optional operands where the specification's order puts the check. */
webnn_status wnn_check_operand(wnn_infer *in, size_t field);

/* Checks dimensions, rank, element count and byte length of an output. bind.c calls it after infer. */
webnn_status wnn_check_output(wnn_infer *in, size_t i);

/* Fails with "a is float32[2,3], b is int32[2,3]: " and `what`, about the operands at two positions. */
webnn_status wnn_fail_pair(wnn_infer *in, size_t a, size_t b, const char *what);

/* Copies a list into the graph's memory and stores it as a resolved attribute; UNKNOWN when out of memory. */
webnn_status wnn_infer_list(wnn_infer *in, wnn_uints *list, const uint32_t *data, size_t n);

/* A whole node, bound and inferred but belonging to nobody: bind.c's work, done for the builder and for
 * passes. `operands` are descriptors by position; the label is in `values`. Allocates in `arena`. */
typedef struct wnn_bound {
  void *attrs;
  wnn_desc *outputs;
  size_t n_outputs;
  webnn_str label;
} wnn_bound;

/* The operand of field value → its descriptor: how bind looks through handles without knowing them. NULL
 * when the operand belongs to another builder. */
typedef const wnn_desc *(*wnn_operand_desc_fn)(const void *owner, const webnn_operand *operand);

/* Checks everything after the state test and binds a call. On failure the caller takes the arena back.
 * `operands` receives the operands by position (NULL: absent); `*n_operands` their number. */
webnn_status wnn_bind(const webnn_op *op, const webnn_value *values, size_t n_values, const void *owner,
                      wnn_operand_desc_fn desc_of, wnn_arena *arena, const webnn_operand *const **operands,
                      size_t *n_operands, wnn_bound *out, webnn_error *err);

/* Extension: the operation that a call of `op` asks for behind it, NULL for none, and its values but operand
 * and label. The call has been bound. TYPE when a value is given that this operation hasn't. */
webnn_status wnn_activation_of(const webnn_op *op, const webnn_value *values, size_t n_values,
                               const webnn_op **activation, webnn_value *activation_values, webnn_error *err);

/* The element types of an operand field or output of `op`: the field's own or the row's. */
wnn_types wnn_field_types(const webnn_op *op, const wnn_field *field);

/* The value of field `i` in resolved attributes, as a call that makes the same node would give it; lists stay
 * where they are. Absent for operands and the label, and for a list of floats that wasn't given. */
webnn_value wnn_attribute(const webnn_op *op, const void *attrs, size_t i);

#endif
