/* Rows of integers compiled for avx2. */
#define WNN_ISA avx2
#include "kernels/integer_rows.inc"
