/* The operands of matrix products. */
#ifndef WNN_OPENCL_PRODUCT_H
#define WNN_OPENCL_PRODUCT_H

#include "tile.h"

/* An operand: strides to the next row and column of its matrices, and of their batch along the
 * result's axes. */
typedef struct wnn_cl_operand {
  size_t row, column, batch[WNN_MAX_RANK];
  size_t n_batch;                      /* matrices that it has */
  uint32_t n_axes, dims[WNN_MAX_RANK]; /* of its own batch, with strides */
  size_t own[WNN_MAX_RANK];
  size_t number[WNN_MAX_RANK]; /* of a matrix among its own, along the result's axes */
} wnn_cl_operand;

wnn_cl_operand wnn_cl_operand_of(const wnn_port *port, uint32_t rank_of_result, bool transposed);
/* Where (k, column) of matrix `group` of its own lies: see wnn_cl_tile_pack. */
const char *wnn_cl_operand_place(wnn_cl_gen *g, const void *arg, const char *group, const char *k,
                                 const char *column);
size_t wnn_cl_operand_offset(const void *arg, size_t group, size_t k, size_t column);

#endif
