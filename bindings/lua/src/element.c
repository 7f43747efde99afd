/* One element of a typed array, read and written exactly. */
#include "binding.h"

#include <math.h>
#include <string.h>

/* ---- float16 */

static double half_to_double(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double magnitude = exponent == 31  ? (fraction != 0 ? (double)NAN : (double)INFINITY)
                     : exponent == 0 ? ldexp(fraction, -24)
                                     : ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

/* Rounds to nearest, ties to even. */
static uint16_t half_from_double(double value) {
  uint16_t sign = signbit(value) ? 0x8000 : 0;
  int exponent;
  if (isnan(value)) return sign | 0x7e00;
  value = fabs(value);
  if (value >= 65520) return sign | 0x7c00;
  if (value == 0) return sign;
  frexp(value, &exponent);
  int unit = exponent - 11 > -24 ? exponent - 11 : -24; /* of the last place */
  double scaled = ldexp(value, -unit), whole = floor(scaled), rest = scaled - whole;
  uint32_t places = (uint32_t)whole;
  places += rest > 0.5 || (rest == 0.5 && places % 2 == 1);
  /* Without its hidden bit; a carry into the next power of two comes out right by itself. */
  if (unit == -24) return sign | (uint16_t)places;
  return sign | (uint16_t)(((uint32_t)(unit + 24) << 10) + places);
}

/* ---- reading */

static void push_signed(lua_State *L, int64_t value) {
  wlua_push_integer(L, value < 0, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void wlua_element_push(lua_State *L, webnn_data_type type, const void *data, size_t i) {
  union {
    float f;
    uint16_t h;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    int8_t i8;
    uint8_t u8;
  } element;
  size_t bytes = webnn_data_type_bytes(type);
  memcpy(&element, (const char *)data + i * bytes, bytes);
  switch (type) {
    case WEBNN_DATA_TYPE_FLOAT32: lua_pushnumber(L, element.f); break;
    case WEBNN_DATA_TYPE_FLOAT16: lua_pushnumber(L, half_to_double(element.h)); break;
    case WEBNN_DATA_TYPE_INT32: push_signed(L, element.i32); break;
    case WEBNN_DATA_TYPE_UINT32: push_signed(L, element.u32); break;
    case WEBNN_DATA_TYPE_INT64: push_signed(L, element.i64); break;
    case WEBNN_DATA_TYPE_UINT64: wlua_push_integer(L, false, element.u64); break;
    case WEBNN_DATA_TYPE_INT8: push_signed(L, element.i8); break;
    case WEBNN_DATA_TYPE_UINT8: push_signed(L, element.u8); break;
  }
}

/* ---- writing */

/* Whole doubles become integers; false when the value is none of 64 bits. */
static bool as_integer(webnn_number *number) {
  double f = number->as.f;
  if (number->kind != WEBNN_NUMBER_DOUBLE) return true;
  if (!(f >= -9223372036854775808.0 && f < 18446744073709551616.0) || f != floor(f)) return false;
  if (f < 9223372036854775808.0) {
    number->kind = WEBNN_NUMBER_INT64;
    number->as.i = (int64_t)f;
  } else {
    number->kind = WEBNN_NUMBER_UINT64;
    number->as.u = (uint64_t)f;
  }
  return true;
}

static bool in_range(const webnn_number *number, int64_t min, uint64_t max) {
  if (number->kind == WEBNN_NUMBER_UINT64) return number->as.u <= max;
  return number->as.i >= min && (number->as.i < 0 || (uint64_t)number->as.i <= max);
}

static const struct {
  int64_t min;
  uint64_t max;
} ranges[] = {
    [WEBNN_DATA_TYPE_INT32] = {INT32_MIN, INT32_MAX}, [WEBNN_DATA_TYPE_UINT32] = {0, UINT32_MAX},
    [WEBNN_DATA_TYPE_INT64] = {INT64_MIN, INT64_MAX}, [WEBNN_DATA_TYPE_UINT64] = {0, UINT64_MAX},
    [WEBNN_DATA_TYPE_INT8] = {INT8_MIN, INT8_MAX},    [WEBNN_DATA_TYPE_UINT8] = {0, UINT8_MAX},
};

static double as_double(const webnn_number *number) {
  return number->kind == WEBNN_NUMBER_DOUBLE  ? number->as.f
         : number->kind == WEBNN_NUMBER_INT64 ? (double)number->as.i
                                              : (double)number->as.u;
}

/* Rounded once. Out of a float's range is an infinity: C leaves the conversion open there. */
static float to_float(const webnn_number *number) {
  const double limit = 3.4028235677973366e38; /* half a unit above the largest float */
  double value = number->as.f;
  if (number->kind == WEBNN_NUMBER_INT64) return (float)number->as.i;
  if (number->kind == WEBNN_NUMBER_UINT64) return (float)number->as.u;
  if (fabs(value) < limit || isnan(value)) return (float)value;
  return value < 0 ? -INFINITY : INFINITY;
}

static void set_integer(webnn_data_type type, void *to, const webnn_number *number) {
  uint64_t bits = number->kind == WEBNN_NUMBER_UINT64 ? number->as.u : (uint64_t)number->as.i;
  uint32_t low32 = (uint32_t)bits;
  uint8_t low8 = (uint8_t)bits;
  switch (webnn_data_type_bytes(type)) {
    case 1: memcpy(to, &low8, 1); break;
    case 4: memcpy(to, &low32, 4); break;
    default: memcpy(to, &bits, 8); break;
  }
}

bool wlua_element_set(webnn_data_type type, void *data, size_t i, webnn_number number) {
  char *to = (char *)data + i * webnn_data_type_bytes(type);
  if (type == WEBNN_DATA_TYPE_FLOAT32) {
    float value = to_float(&number);
    memcpy(to, &value, sizeof value);
  } else if (type == WEBNN_DATA_TYPE_FLOAT16) {
    uint16_t value = half_from_double(as_double(&number));
    memcpy(to, &value, sizeof value);
  } else {
    if (!as_integer(&number) || !in_range(&number, ranges[type].min, ranges[type].max))
      return false;
    set_integer(type, to, &number);
  }
  return true;
}
