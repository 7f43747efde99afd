/* Between float16 and float32, many at a time. */
#ifndef WNN_ONEDNN_KERNELS_HALF_H
#define WNN_ONEDNN_KERNELS_HALF_H

#include "parallel.h"

void wnn_half_widen(wnn_pool *pool, const uint16_t *from, float *to, size_t n);
void wnn_half_narrow(wnn_pool *pool, const float *from, uint16_t *to, size_t n); /* to nearest even */

#endif
