/* Rows of convolutions compiled for avx2. */
#define WNN_ISA avx2
#include "kernels/conv_rows.inc"
