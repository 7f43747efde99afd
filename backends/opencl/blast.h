/* CLBlast's matrix products, where its library is found and passes a test on the device. */
#ifndef WNN_OPENCL_BLAST_H
#define WNN_OPENCL_BLAST_H

#include "opencl.h"

/* An operand in memory, rows behind one another; numbers are of elements. */
typedef struct wnn_cl_matrix {
  wnn_cl_arg arg;
  size_t at, row, batch; /* its beginning; strides from row to row, from matrix to matrix */
} wnn_cl_matrix;

/* C = alpha A B for each of the batch, in float32. Where one is transposed its rows are columns. */
struct wnn_cl_gemm {
  bool a_transposed, b_transposed;
  size_t m, n, k, n_batch;
  float alpha;
  wnn_cl_matrix a, b, c;
};

/* Whose library there is, in words; it stays loaded. The ICD loader must be open. */
const char *wnn_cl_blast_found(void);
/* True where CLBlast is there and is right. The first call opens and tests it, on the worker; what
 * was found is for the device's life. */
bool wnn_cl_blast_usable(wnn_device *device);
/* Queues the product. */
webnn_status wnn_cl_blast_run(wnn_device *device, const wnn_cl_gemm *gemm, cl_mem a, cl_mem b,
                              cl_mem c);
void wnn_cl_blast_close(wnn_device *device);

#endif
