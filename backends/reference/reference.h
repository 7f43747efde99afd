/* The naive reference: one plain C function a node. An oracle, so simple before anything else.
 *
 * Every operand lies dense and row-major. Float arithmetic runs in double and is rounded once, when
 * a result is stored; integers never go through double. A function writes its outputs and scratch
 * only, and allocates nothing. */
#ifndef WNN_REFERENCE_H
#define WNN_REFERENCE_H

#include "backend.h"
#include "lower/region.h"

typedef struct wnn_ref_input {
  const wnn_desc *desc; /* NULL, as `data`: an absent optional operand */
  const void *data;
} wnn_ref_input;

typedef struct wnn_ref_output {
  const wnn_desc *desc;
  void *data;
} wnn_ref_output;

/* One node, ready to be computed. Outputs never overlap inputs. */
typedef struct wnn_node_view {
  wnn_op_id op;
  const void *attrs;           /* resolved, see op/attrs.h; NULL where the signature has none */
  const wnn_ref_input *inputs; /* by operand position; see wnn_ref_has */
  size_t n_inputs;
  const wnn_ref_output *outputs;
  size_t n_outputs;
  void *scratch; /* wnn_reference_scratch bytes, aligned for any number; not cleared */
} wnn_node_view;

typedef webnn_status (*wnn_reference_fn)(const wnn_node_view *node);

/* The function of an operation, by family: NULL when it is another family's. */
wnn_reference_fn wnn_reference_activation(wnn_op_id op);
wnn_reference_fn wnn_reference_conv(wnn_op_id op);
wnn_reference_fn wnn_reference_elementwise(wnn_op_id op);
wnn_reference_fn wnn_reference_index(wnn_op_id op);
wnn_reference_fn wnn_reference_integer(wnn_op_id op);
wnn_reference_fn wnn_reference_matmul(wnn_op_id op);
wnn_reference_fn wnn_reference_movement(wnn_op_id op);
wnn_reference_fn wnn_reference_norm(wnn_op_id op);
wnn_reference_fn wnn_reference_pool(wnn_op_id op);
wnn_reference_fn wnn_reference_quantize(wnn_op_id op);
wnn_reference_fn wnn_reference_recurrent(wnn_op_id op);
wnn_reference_fn wnn_reference_reduce(wnn_op_id op);
wnn_reference_fn wnn_reference_resample(wnn_op_id op);
/* Asks them all. */
wnn_reference_fn wnn_reference_lookup(wnn_op_id op);

/* Bytes a node wants as scratch, from its attributes and descriptors alone (data pointers may be
 * NULL). The recurrent operations alone keep states; everything else says 0. */
size_t wnn_reference_scratch(const wnn_node_view *node);
size_t wnn_reference_recurrent_scratch(const wnn_node_view *node);

/* The kernel of last resort: every region, any layouts. */
extern const wnn_kernel wnn_reference_region;

extern const wnn_backend wnn_backend_reference;

/* False for an absent optional operand; those at the end may not even have a position. */
static inline bool wnn_ref_has(const wnn_node_view *node, size_t input) {
  return input < node->n_inputs && node->inputs[input].desc != NULL;
}

/* Element `i` of float32 or float16 data. */
static inline double wnn_ref_load_f(const void *data, webnn_data_type type, size_t i) {
  if (type == WEBNN_DATA_TYPE_FLOAT16) return (double)wnn_f16_to_f32(((const uint16_t *)data)[i]);
  return (double)((const float *)data)[i];
}

/* Rounds to the type, half to even, once. */
static inline void wnn_ref_store_f(void *data, webnn_data_type type, size_t i, double x) {
  if (type == WEBNN_DATA_TYPE_FLOAT16)
    ((uint16_t *)data)[i] = wnn_f16_from_f64(x);
  else
    ((float *)data)[i] = (float)x;
}

/* Element `i` of integer data, sign or zero extended to 64 bits: sums, differences and products of
 * these wrap in every width once stored. Read it as int64_t (wnn_ref_signed) when the type is
 * signed. */
static inline uint64_t wnn_ref_load_bits(const void *data, webnn_data_type type, size_t i) {
  switch (type) {
    case WEBNN_DATA_TYPE_INT8: return (uint64_t)(int64_t)((const int8_t *)data)[i];
    case WEBNN_DATA_TYPE_UINT8: return ((const uint8_t *)data)[i];
    case WEBNN_DATA_TYPE_INT32: return (uint64_t)(int64_t)((const int32_t *)data)[i];
    case WEBNN_DATA_TYPE_UINT32: return ((const uint32_t *)data)[i];
    default: return ((const uint64_t *)data)[i];
  }
}

/* Keeps the low bits. */
static inline void wnn_ref_store_bits(void *data, webnn_data_type type, size_t i, uint64_t bits) {
  switch (webnn_data_type_bytes(type)) {
    case 1: ((uint8_t *)data)[i] = (uint8_t)bits; break;
    case 4: ((uint32_t *)data)[i] = (uint32_t)bits; break;
    default: ((uint64_t *)data)[i] = bits;
  }
}

/* The same 64 bits as a two's complement number. */
static inline int64_t wnn_ref_signed(uint64_t bits) {
  return bits <= INT64_MAX ? (int64_t)bits : -(int64_t)(UINT64_MAX - bits) - 1;
}

/* Copies one element of any type. */
static inline void wnn_ref_copy(void *to, size_t i, const void *from, size_t j,
                                size_t element_bytes) {
  memcpy((char *)to + i * element_bytes, (const char *)from + j * element_bytes, element_bytes);
}

/* Walks coordinates in row-major order, starting at all zeros: false once past the last, when they
 * are zero again. A scalar has one place. */
static inline bool wnn_ref_next(const wnn_desc *desc, uint32_t coordinates[WNN_MAX_RANK]) {
  for (uint32_t i = desc->rank; i-- > 0;) {
    if (++coordinates[i] < desc->dims[i]) return true;
    coordinates[i] = 0;
  }
  return false;
}

/* Place of coordinates under strides in elements. */
static inline size_t wnn_ref_offset(uint32_t rank, const size_t strides[WNN_MAX_RANK],
                                    const uint32_t coordinates[WNN_MAX_RANK]) {
  size_t at = 0;
  for (uint32_t i = 0; i < rank; i++) at += strides[i] * coordinates[i];
  return at;
}

/* A dense shape taken apart: `along` has the named axes, in the order given, `kept` all others in
 * theirs. Walking kept, then along, visits each lane of a reduction or normalisation; no axes make
 * lanes of one element. */
typedef struct wnn_ref_lanes {
  wnn_desc kept, along;
  size_t kept_strides[WNN_MAX_RANK], along_strides[WNN_MAX_RANK];
} wnn_ref_lanes;

wnn_ref_lanes wnn_ref_split_axes(const wnn_desc *desc, const uint32_t *axes, size_t n_axes);

#endif
