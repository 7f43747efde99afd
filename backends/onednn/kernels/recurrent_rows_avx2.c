/* Rows of recurrent networks compiled for avx2. */
#define WNN_ISA avx2
#include "kernels/recurrent_rows.inc"
