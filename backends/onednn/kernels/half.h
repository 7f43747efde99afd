/* Between float16 and float32, many at a time. */
#ifndef WNN_ONEDNN_KERNELS_HALF_H
#define WNN_ONEDNN_KERNELS_HALF_H

#include "backend.h"

void wnn_half_widen(const wnn_host *host, const uint16_t *from, float *to, size_t n);
void wnn_half_narrow(const wnn_host *host, const float *from, uint16_t *to,
                     size_t n); /* to nearest even */

#endif
