#include "elements.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t elements_count(const webnn_descriptor *descriptor) {
  size_t n = 1;
  for (size_t i = 0; i < descriptor->rank; i++) n *= descriptor->shape[i];
  return n;
}

size_t elements_bytes(const webnn_descriptor *descriptor) {
  return elements_count(descriptor) * webnn_data_type_bytes(descriptor->data_type);
}

static bool is_float(webnn_data_type type) {
  return type == WEBNN_DATA_TYPE_FLOAT32 || type == WEBNN_DATA_TYPE_FLOAT16;
}

static bool is_unsigned(webnn_data_type type) {
  return type == WEBNN_DATA_TYPE_UINT8 || type == WEBNN_DATA_TYPE_UINT32 ||
         type == WEBNN_DATA_TYPE_UINT64;
}

static bool whole_number(const char *text, size_t size, webnn_number *out) {
  char *end;
  if (size == 2 && memcmp(text, "-0", 2) == 0) return false;
  errno = 0;
  *out = (webnn_number){WEBNN_NUMBER_INT64, {.i = strtoll(text, &end, 10)}};
  if (end != text + size || size == 0) return false;
  if (errno == 0) return true;
  errno = 0;
  *out = (webnn_number){WEBNN_NUMBER_UINT64, {.u = strtoull(text, NULL, 10)}};
  return errno == 0 && *text != '-';
}

bool elements_number(const json *value, webnn_number *out) {
  if (value == NULL || (value->kind != JSON_NUMBER && value->kind != JSON_STRING)) return false;
  *out = (webnn_number){WEBNN_NUMBER_DOUBLE, {.f = 0}};
  if (json_is(value, "NaN")) out->as.f = (double)NAN;
  else if (json_is(value, "Infinity")) out->as.f = (double)INFINITY;
  else if (json_is(value, "-Infinity")) out->as.f = -(double)INFINITY;
  else if (!whole_number(value->text, value->size, out)) {
    char *end;
    *out = (webnn_number){WEBNN_NUMBER_DOUBLE, {.f = strtod(value->text, &end)}};
    return value->size != 0 && end == value->text + value->size;
  }
  return true;
}

static double to_double(webnn_number x) {
  if (x.kind == WEBNN_NUMBER_INT64) return (double)x.as.i;
  return x.kind == WEBNN_NUMBER_UINT64 ? (double)x.as.u : x.as.f;
}

/* The bits of the float16 that is `x`; -1 when none is. */
static long half_bits(double x) {
  long sign = signbit(x) ? 0x8000 : 0;
  double magnitude = fabs(x);
  int exponent;
  if (x != x) return 0x7E00;
  if (isinf(x)) return sign | 0x7C00;
  /* In units of the last of 11 bits, the smallest unit being 2^-24. */
  (void)frexp(magnitude, &exponent);
  int unit = exponent - 11 < -24 || magnitude == 0 ? -24 : exponent - 11;
  double digits = ldexp(magnitude, -unit);
  if (digits != floor(digits) || unit > 5) return -1;
  return sign | (((long)unit + 24) * 1024 + (long)digits);
}

static double half_value(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double magnitude = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31) magnitude = fraction != 0 ? (double)NAN : (double)INFINITY;
  return bits & 0x8000 ? -magnitude : magnitude;
}

static bool put_float(void *out, webnn_data_type type, size_t i, double x) {
  if (type == WEBNN_DATA_TYPE_FLOAT32) {
    float f = (float)x;
    ((float *)out)[i] = f;
    return (double)f == x || x != x;
  }
  long bits = half_bits(x);
  ((uint16_t *)out)[i] = (uint16_t)bits;
  return bits >= 0;
}

/* How many bits a number of the type has for its magnitude. */
static int magnitude_bits(webnn_data_type type) {
  return (int)webnn_data_type_bytes(type) * 8 - !is_unsigned(type);
}

static bool put_integer(void *out, webnn_data_type type, size_t i, webnn_number x) {
  bool negative = x.kind == WEBNN_NUMBER_INT64 && x.as.i < 0;
  uint64_t bits = x.as.u, magnitude = negative ? ~bits : bits; /* -1 - x of a negative one */
  if (x.kind == WEBNN_NUMBER_DOUBLE || (negative && is_unsigned(type))) return false;
  if (magnitude_bits(type) < 64 && magnitude >> magnitude_bits(type) != 0) return false;
  switch (webnn_data_type_bytes(type)) {
    case 1: ((uint8_t *)out)[i] = (uint8_t)bits; return true;
    case 4: ((uint32_t *)out)[i] = (uint32_t)bits; return true;
    default: ((uint64_t *)out)[i] = bits; return true;
  }
}

static const char *put(void *out, webnn_data_type type, size_t i, const json *value) {
  webnn_number x;
  if (!elements_number(value, &x)) return "an element is no number";
  bool fits = is_float(type) ? put_float(out, type, i, to_double(x)) : put_integer(out, type, i, x);
  return fits ? NULL : "an element doesn't fit the type";
}

const char *elements_fill(void *out, webnn_data_type type, size_t n, const json *data) {
  const json *fill = json_get(data, "fill");
  size_t bytes = webnn_data_type_bytes(type);
  if (fill != NULL) {
    const char *problem = put(out, type, 0, fill);
    for (size_t i = 1; i < n && problem == NULL; i++) memcpy((char *)out + i * bytes, out, bytes);
    return problem;
  }
  if (data == NULL || data->kind != JSON_LIST || data->size != n)
    return "data and shape don't match";
  size_t i = 0;
  for (const json *value = data->first; value != NULL; value = value->next) {
    const char *problem = put(out, type, i++, value);
    if (problem != NULL) return problem;
  }
  return NULL;
}

bool elements_read_tolerance(const json *tolerance, elements_tolerance *out) {
  const json *metric = json_get(tolerance, "metric");
  webnn_number value;
  if (!elements_number(json_get(tolerance, "value"), &value)) return false;
  *out = (elements_tolerance){.ulp = json_is(metric, "ULP"), .value = to_double(value)};
  return out->ulp || json_is(metric, "ATOL");
}

static double float_at(const void *data, webnn_data_type type, size_t i) {
  return type == WEBNN_DATA_TYPE_FLOAT32 ? (double)((const float *)data)[i]
                                         : half_value(((const uint16_t *)data)[i]);
}

/* Integer elements, sign extended. */
static uint64_t bits_at(const void *data, webnn_data_type type, size_t i) {
  switch (type) {
    case WEBNN_DATA_TYPE_INT8: return (uint64_t)(int64_t)((const int8_t *)data)[i];
    case WEBNN_DATA_TYPE_UINT8: return ((const uint8_t *)data)[i];
    case WEBNN_DATA_TYPE_INT32: return (uint64_t)(int64_t)((const int32_t *)data)[i];
    case WEBNN_DATA_TYPE_UINT32: return ((const uint32_t *)data)[i];
    default: return ((const uint64_t *)data)[i];
  }
}

/* The rank of a float among the values of its type, zeros at 0. */
static int64_t float_rank(const void *data, webnn_data_type type, size_t i) {
  bool wide = type == WEBNN_DATA_TYPE_FLOAT32;
  uint32_t bits, sign = wide ? 0x80000000u : 0x8000u;
  if (wide) memcpy(&bits, (const char *)data + 4 * i, 4);
  else bits = ((const uint16_t *)data)[i];
  int64_t magnitude = bits & (sign - 1);
  return bits & sign ? -magnitude : magnitude;
}

static double float_distance(const void *is, const void *expected, webnn_data_type type, size_t i,
                             const elements_tolerance *tolerance) {
  double a = float_at(is, type, i), b = float_at(expected, type, i);
  if (a != a || b != b) return a != a && b != b ? 0 : (double)INFINITY;
  if (tolerance->signed_zero && a == 0 && b == 0)
    return !signbit(a) == !signbit(b) ? 0 : (double)INFINITY;
  if (a == b) return 0;
  if (isinf(a) || isinf(b)) return (double)INFINITY;
  if (!tolerance->ulp) return fabs(a - b);
  return fabs((double)(float_rank(is, type, i) - float_rank(expected, type, i)));
}

static double integer_distance(const void *is, const void *expected, webnn_data_type type,
                               size_t i) {
  uint64_t a = bits_at(is, type, i), b = bits_at(expected, type, i);
  uint64_t flip =
      is_unsigned(type) ? 0 : (uint64_t)1 << 63; /* makes the unsigned order the signed one */
  return (double)((a ^ flip) > (b ^ flip) ? a - b : b - a);
}

size_t elements_differ(const void *is, const void *expected, webnn_data_type type, size_t n,
                       const elements_tolerance *tolerance) {
  for (size_t i = 0; i < n; i++) {
    double distance = is_float(type) ? float_distance(is, expected, type, i, tolerance)
                                     : integer_distance(is, expected, type, i);
    if (!(distance <= tolerance->value)) return i;
  }
  return n;
}

void elements_format(char text[64], const void *data, webnn_data_type type, size_t i) {
  if (is_float(type)) {
    snprintf(text, 64, "%.9g", float_at(data, type, i));
  } else {
    uint64_t bits = bits_at(data, type, i);
    bool negative = !is_unsigned(type) && bits >> 63 != 0;
    snprintf(text, 64, "%s%llu", negative ? "-" : "",
             (unsigned long long)(negative ? 0 - bits : bits));
  }
}
