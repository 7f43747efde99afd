/* Element types: sizes, ranges, and conversion of numbers. */
#ifndef WNN_BASE_DTYPE_H
#define WNN_BASE_DTYPE_H

#include <string.h>
#include <webnn/base.h>

#define WNN_N_DATA_TYPES 8
#define WNN_TYPE_BIT(id) (1u << WEBNN_DATA_TYPE_##id)

static inline bool wnn_type_is_float(webnn_data_type type) {
  return type == WEBNN_DATA_TYPE_FLOAT32 || type == WEBNN_DATA_TYPE_FLOAT16;
}
static inline bool wnn_type_is_signed(webnn_data_type type) {
  return wnn_type_is_float(type) || type == WEBNN_DATA_TYPE_INT32 || type == WEBNN_DATA_TYPE_INT64 ||
         type == WEBNN_DATA_TYPE_INT8;
}

/* Smallest and largest value of an integer type. */
int64_t wnn_type_min(webnn_data_type type);
uint64_t wnn_type_max(webnn_data_type type);

/* float16 is stored as its bits. Rounds to nearest, ties to even; NaN stays a (quiet) NaN. */
float wnn_f16_to_f32(uint16_t bits);
uint16_t wnn_f16_from_f32(float x);
uint16_t wnn_f16_from_f64(double x); /* one rounding only */

/* The specification's castNumber: a number becomes one of the type, saturating, half to even, NaN 0 for
 * integers, 64-bit integers exact. Result: DOUBLE (rounded to the type) for float types, INT64 for signed,
 * UINT64 for unsigned. An absent number stays absent. */
webnn_number wnn_cast_number(webnn_number x, webnn_data_type type);

/* Stores a number that `wnn_cast_number` made as one element. */
void wnn_store_number(void *element, webnn_number x, webnn_data_type type);

/* to[k] = bytes[k] − zero. False: one is less than `low`, from -128 to 0, or more than `high`, from
 * 0 to 127. */
bool wnn_bytes_less(const void *bytes, bool is_signed, int zero, int low, int high, int8_t *to,
                    size_t n);

static inline webnn_number wnn_number_f(double f) {
  return (webnn_number){WEBNN_NUMBER_DOUBLE, {.f = f}};
}

#endif
