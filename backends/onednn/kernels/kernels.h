/* Our own kernels for regions, where oneDNN has none or not the right answer: lists by anchor. */
#ifndef WNN_ONEDNN_KERNELS_H
#define WNN_ONEDNN_KERNELS_H

#include "lower/region.h"

/* Element-wise operations and chains of them, tile by tile: any types, any unblocked layouts. */
extern const wnn_kernel wnn_elementwise_kernel;
/* True when this operation on these types is element-wise work that the kernel knows. */
bool wnn_is_elementwise(wnn_op_id op, webnn_data_type from, webnn_data_type to);
/* May `next` follow the element-wise region? */
bool wnn_elementwise_can_fuse(const wnn_region *region, const wnn_post *next);

/* Reorder, slice, concat, split, expand, tile, reverse, pad with a constant: any types, any unblocked layouts. */
extern const wnn_kernel wnn_movement_kernel;
/* float32 in any unblocked layout: all reductions but reduceLogSumExp. */
extern const wnn_kernel wnn_reduce_kernel;
/* float32: softmax along any axis, layerNormalization over the innermost axes of a plain layout. */
extern const wnn_kernel wnn_rows_kernel;
/* float32, channels last or plain: the three pools. */
extern const wnn_kernel wnn_pool_kernel;
/* Nearest of any type, linear of float32; any unblocked layout. */
extern const wnn_kernel wnn_resample_kernel;
/* gru, gruCell, lstm, lstmCell of float types, any unblocked layouts of the operands. */
extern const wnn_kernel wnn_recurrent_kernel;

#endif
