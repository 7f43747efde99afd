/* What kernels of matmul and gemm have in common. */
#ifndef WNN_ONEDNN_PRODUCT_H
#define WNN_ONEDNN_PRODUCT_H

#include "lower/region.h"

/* The region as rows of `a` times one matrix, plus a row. */
typedef struct wnn_product_region {
  size_t n_rows, depth, columns;
  const float *b;         /* where it is constant; else NULL */
  size_t b_row, b_column; /* strides */
  const float *bias;      /* constant; or NULL */
  size_t bias_port, first_post;
} wnn_product_region;

/* False when the region is anything else: a and the result lie plainly, and all are float32. */
bool wnn_product_read(const wnn_region *region, wnn_product_region *is);

#endif
