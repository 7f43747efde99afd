/* Element-wise rows compiled for generic. */
#define WNN_ISA generic
#include "kernels/conv_rows.inc"
