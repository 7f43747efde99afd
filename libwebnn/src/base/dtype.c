#include "base/dtype.h"

#include <math.h>

static const struct {
  const char *name;
  size_t n_bytes;
} types[WNN_N_DATA_TYPES] = {
#define WEBNN_X(id, name, n_bytes) {name, n_bytes},
    WEBNN_DATA_TYPE_MAP(WEBNN_X)
#undef WEBNN_X
};

static bool is_type(webnn_data_type type) { return (unsigned)type < WNN_N_DATA_TYPES; }

const char *webnn_data_type_name(webnn_data_type type) {
  return is_type(type) ? types[type].name : NULL;
}

size_t webnn_data_type_bytes(webnn_data_type type) { return is_type(type) ? types[type].n_bytes : 0; }

int64_t wnn_type_min(webnn_data_type type) {
  switch (type) {
    case WEBNN_DATA_TYPE_INT8: return INT8_MIN;
    case WEBNN_DATA_TYPE_INT32: return INT32_MIN;
    case WEBNN_DATA_TYPE_INT64: return INT64_MIN;
    default: return 0;
  }
}

uint64_t wnn_type_max(webnn_data_type type) {
  switch (type) {
    case WEBNN_DATA_TYPE_INT8: return INT8_MAX;
    case WEBNN_DATA_TYPE_UINT8: return UINT8_MAX;
    case WEBNN_DATA_TYPE_INT32: return INT32_MAX;
    case WEBNN_DATA_TYPE_UINT32: return UINT32_MAX;
    case WEBNN_DATA_TYPE_INT64: return INT64_MAX;
    case WEBNN_DATA_TYPE_UINT64: return UINT64_MAX;
    default: return 0;
  }
}

float wnn_f16_to_f32(uint16_t bits) {
  uint32_t sign = (uint32_t)(bits & 0x8000u) << 16, exponent = (bits >> 10) & 31u, fraction = bits & 1023u;
  uint32_t out;
  if (exponent == 31) {
    out = sign | 0x7F800000u | (fraction << 13) | (fraction ? 0x400000u : 0);
  } else if (exponent != 0) {
    out = sign | ((exponent + 112) << 23) | (fraction << 13);
  } else {
    float f = (float)fraction * 0x1p-24f;
    memcpy(&out, &f, sizeof out);
    out |= sign;
  }
  float f;
  memcpy(&f, &out, sizeof f);
  return f;
}

uint16_t wnn_f16_from_f64(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  uint16_t sign = (uint16_t)((bits >> 48) & 0x8000u);
  double magnitude = fabs(x);
  if (x != x) return (uint16_t)(sign | 0x7E00u);
  if (magnitude >= 65520.0) return (uint16_t)(sign | 0x7C00u);
  if (magnitude < 0x1p-14) return (uint16_t)(sign | (uint16_t)nearbyint(magnitude * 0x1p24));
  int exponent;
  double fraction = frexp(magnitude, &exponent); /* in [0.5, 1) */
  /* A carry out of the 10 bits moves into the exponent by itself. */
  uint32_t scaled = (uint32_t)nearbyint(fraction * 0x1p11);
  return (uint16_t)(sign | (((uint32_t)(exponent + 14 - 1) << 10) + scaled));
}

uint16_t wnn_f16_from_f32(float x) { return wnn_f16_from_f64((double)x); }

static double round_to_float_type(double x, webnn_data_type type) {
  if (type == WEBNN_DATA_TYPE_FLOAT16) return (double)wnn_f16_to_f32(wnn_f16_from_f64(x));
  return (double)(float)x;
}

/* Integers beyond 2^53 would round twice on the way through double: keep what is cut off sticky. */
static double exact_enough(webnn_number x) {
  if (x.kind == WEBNN_NUMBER_DOUBLE) return x.as.f;
  bool negative = x.kind == WEBNN_NUMBER_INT64 && x.as.i < 0;
  uint64_t magnitude = negative ? 0 - (uint64_t)x.as.i : x.as.u;
  if (magnitude >> 53) magnitude = (magnitude & ~(uint64_t)0xFFF) | ((magnitude & 0xFFF) ? 0x800 : 0);
  return negative ? -(double)magnitude : (double)magnitude;
}

static webnn_number cast_to_int(webnn_number x, webnn_data_type type) {
  bool is_signed = wnn_type_is_signed(type);
  int64_t low = wnn_type_min(type);
  uint64_t high = wnn_type_max(type);
  bool negative = false;
  uint64_t magnitude = 0;
  if (x.kind == WEBNN_NUMBER_DOUBLE) {
    double f = nearbyint(x.as.f);
    negative = f < 0;
    if (f != f) magnitude = 0;
    else if (fabs(f) >= 0x1p64) magnitude = UINT64_MAX;
    else magnitude = (uint64_t)fabs(f);
  } else {
    negative = x.kind == WEBNN_NUMBER_INT64 && x.as.i < 0;
    magnitude = negative ? 0 - (uint64_t)x.as.i : x.as.u;
  }
  if (!is_signed) {
    uint64_t u = negative ? 0 : magnitude > high ? high : magnitude;
    return (webnn_number){WEBNN_NUMBER_UINT64, {.u = u}};
  }
  uint64_t low_magnitude = 0 - (uint64_t)low;
  int64_t i;
  if (negative) i = magnitude >= low_magnitude ? low : -(int64_t)magnitude;
  else i = (int64_t)(magnitude > high ? high : magnitude);
  return (webnn_number){WEBNN_NUMBER_INT64, {.i = i}};
}

webnn_number wnn_cast_number(webnn_number x, webnn_data_type type) {
  if (x.kind == WEBNN_NUMBER_ABSENT) return x;
  if (!wnn_type_is_float(type)) return cast_to_int(x, type);
  return wnn_number_f(round_to_float_type(exact_enough(x), type));
}

void wnn_store_number(void *element, webnn_number x, webnn_data_type type) {
  uint64_t u = x.kind == WEBNN_NUMBER_INT64 ? (uint64_t)x.as.i : x.as.u;
  float f = x.kind == WEBNN_NUMBER_DOUBLE ? (float)x.as.f : 0.0f;
  switch (type) {
    case WEBNN_DATA_TYPE_FLOAT32: memcpy(element, &f, 4); break;
    case WEBNN_DATA_TYPE_FLOAT16: memcpy(element, &(uint16_t){wnn_f16_from_f32(f)}, 2); break;
    case WEBNN_DATA_TYPE_INT8:
    case WEBNN_DATA_TYPE_UINT8: memcpy(element, &(uint8_t){(uint8_t)u}, 1); break;
    case WEBNN_DATA_TYPE_INT32:
    case WEBNN_DATA_TYPE_UINT32: memcpy(element, &(uint32_t){(uint32_t)u}, 4); break;
    case WEBNN_DATA_TYPE_INT64:
    case WEBNN_DATA_TYPE_UINT64: memcpy(element, &u, 8); break;
  }
}

/* Signed bytes are unsigned ones, 128 too large, once their highest bit is turned. */
bool wnn_bytes_less(const void *bytes, bool is_signed, int zero, int low, int high, int8_t *to,
                    size_t n) {
  const uint8_t *x = bytes, flip = is_signed ? 128 : 0;
  const int16_t off = (int16_t)(zero + flip);
  int16_t least = 0, most = 0; /* low and high include it */
  for (size_t k = 0; k < n; k++) {
    const int16_t number = (int16_t)((x[k] ^ flip) - off);
    least = number < least ? number : least;
    most = number > most ? number : most;
    to[k] = (int8_t)number;
  }
  return least >= low && most <= high;
}
