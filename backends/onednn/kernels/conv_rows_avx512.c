/* Rows of convolutions compiled for avx512. */
#define WNN_ISA avx512
#include "kernels/conv_rows.inc"
