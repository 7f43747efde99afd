/* Rows of recurrent networks compiled for avx512. */
#define WNN_ISA avx512
#include "kernels/recurrent_rows.inc"
