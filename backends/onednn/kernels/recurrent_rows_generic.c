/* Rows of recurrent networks compiled for generic. */
#define WNN_ISA generic
#include "kernels/recurrent_rows.inc"
