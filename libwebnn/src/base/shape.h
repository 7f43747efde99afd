/* Descriptors: an element type and up to eight dimensions, held by value. */
#ifndef WNN_BASE_SHAPE_H
#define WNN_BASE_SHAPE_H

#include "base/dtype.h"
#include "base/error.h"
#include <webnn/tensor.h>

#define WNN_MAX_RANK 8
#define WNN_MAX_DIMENSION 2147483647u
#define WNN_MAX_ELEMENTS 2147483647u
#define WNN_MAX_BYTES 4294967295ull /* maxTensorByteLength */

typedef struct wnn_desc {
  webnn_data_type type;
  uint32_t rank;
  uint32_t dims[WNN_MAX_RANK];
} wnn_desc;

/* Checks type, dimensions, rank, element count and byte length, in the specification's order, overflow-safe;
 * fills `*out`. The message begins with `who`.  Spec: checkDimensions. */
webnn_status wnn_desc_make(wnn_desc *out, webnn_data_type type, const uint32_t *dims, size_t rank,
                           const char *who, webnn_error *err);

static inline wnn_desc wnn_desc_scalar(webnn_data_type type) { return (wnn_desc){.type = type}; }

static inline size_t wnn_desc_count(const wnn_desc *desc) {
  size_t n = 1;
  for (uint32_t i = 0; i < desc->rank; i++) n *= desc->dims[i];
  return n;
}
static inline size_t wnn_desc_bytes(const wnn_desc *desc) {
  return wnn_desc_count(desc) * webnn_data_type_bytes(desc->type);
}

bool wnn_shape_equal(const wnn_desc *a, const wnn_desc *b);
bool wnn_shape_equal_except(const wnn_desc *a, const wnn_desc *b, uint32_t axis);
bool wnn_desc_equal(const wnn_desc *a, const wnn_desc *b); /* type too */

/* Bidirectional broadcast of the shapes into `out`'s dims and rank; false when they don't fit. */
bool wnn_shape_broadcast(const wnn_desc *a, const wnn_desc *b, wnn_desc *out);
/* True when `from` broadcasts to `to` without enlarging it. */
bool wnn_shape_broadcasts_to(const wnn_desc *from, const wnn_desc *to);

/* Row-major strides in elements. */
void wnn_shape_strides(const wnn_desc *desc, size_t strides[WNN_MAX_RANK]);
/* Strides by which a dense row-major `from` is read along the axes of `to`: 0 where it is repeated. */
void wnn_broadcast_strides(const wnn_desc *from, const wnn_desc *to, size_t strides[WNN_MAX_RANK]);

/* "float32[1,3,224,224]" */
typedef struct wnn_desc_text {
  char text[128];
} wnn_desc_text;
wnn_desc_text wnn_desc_format(const wnn_desc *desc);

static inline webnn_descriptor wnn_desc_public(const wnn_desc *desc) {
  return (webnn_descriptor){desc->type, desc->rank, desc->dims};
}

#endif
