/* Our own kernels for regions, where oneDNN has none or not the right answer. */
#ifndef WNN_ONEDNN_KERNELS_H
#define WNN_ONEDNN_KERNELS_H

#include "lower/region.h"

/* Element-wise operations, quantisation too, and chains of them, tile by tile: any unblocked
 * layouts. */
extern const wnn_kernel wnn_elementwise_kernel;
/* True when this operation on these types is element-wise work that the kernel knows. */
bool wnn_is_elementwise(wnn_op_id op, webnn_data_type from, webnn_data_type to);
/* May `next` follow the element-wise region? */
bool wnn_elementwise_can_fuse(const wnn_region *region, const wnn_post *next);

/* Any types, any unblocked layouts. */
extern const wnn_kernel wnn_arg_kernel, wnn_batch_kernel, wnn_movement_kernel, wnn_norm_kernel,
    wnn_pad_kernel, wnn_pool_kernel, wnn_reduce_kernel, wnn_resample_kernel, wnn_scan_kernel,
    wnn_softmax_kernel;
/* Convolutions of float32, channels last: a window for each channel; few channels out; 3×3 windows. */
extern const wnn_kernel wnn_depthwise_kernel, wnn_narrow_kernel, wnn_winograd_kernel;
/* Transposed convolutions of float32, channels last, whose windows neither overlap nor leave gaps. */
extern const wnn_kernel wnn_windows_kernel;
bool wnn_windows_are_apart(const wnn_region *region);
/* matmul and gemm of float32, row-major: few rows; a constant matrix. */
extern const wnn_kernel wnn_gemv_kernel, wnn_product_kernel;
/* float32, any unblocked layouts; of few rows, keys and values that have dense rows or columns. */
extern const wnn_kernel wnn_attention_kernel, wnn_attention_few_kernel;
/* Products of bytes; the range of floats, and them as bytes. */
extern const wnn_kernel wnn_integer_kernel, wnn_integer_winograd_kernel, wnn_dynamic_kernel;
/* Any types, row-major. */
extern const wnn_kernel wnn_gather_kernel, wnn_scatter_kernel, wnn_triangular_kernel;
/* gru, gruCell, lstm, lstmCell of float types, any unblocked layouts of the operands. */
extern const wnn_kernel wnn_recurrent_kernel;

#endif
