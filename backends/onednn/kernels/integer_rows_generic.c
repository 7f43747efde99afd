/* Rows of integers compiled for generic. */
#define WNN_ISA generic
#include "kernels/integer_rows.inc"
