/* Rows of convolutions compiled for generic. */
#define WNN_ISA generic
#include "kernels/conv_rows.inc"
