/* What reader and writer share: names of safetensors' element types, and the format's own words. */
#ifndef WNN_SERIAL_TENSORS_H
#define WNN_SERIAL_TENSORS_H

#include "base/dtype.h"

#define WNN_SERIAL_VERSION 1
#define WNN_SERIAL_ALIGN ((size_t)64)

/* By webnn_data_type. */
static const char *const wnn_tensor_types[WNN_N_DATA_TYPES] = {"F32", "F16", "I32", "U32",
                                                              "I64", "U64", "I8",  "U8"};

#endif
