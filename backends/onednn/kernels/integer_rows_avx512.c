/* Rows of integers compiled for avx512. */
#define WNN_ISA avx512
#include "kernels/integer_rows.inc"
