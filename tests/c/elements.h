/* Typed elements for tests: from JSON to bytes, and the comparison that a tolerance asks for.
 * Shares no code with the library, whose conversions it judges. */
#ifndef WEBNN_TESTS_ELEMENTS_H
#define WEBNN_TESTS_ELEMENTS_H

#include "json.h"
#include <webnn/tensor.h>

size_t elements_count(const webnn_descriptor *descriptor);
size_t elements_bytes(const webnn_descriptor *descriptor);

/* A number, or a string that holds one ("NaN", "Infinity", "-Infinity", a big integer). Whole
 * numbers become integers and stay exact. False when it is neither. */
bool elements_number(const json *value, webnn_number *out);

/* Writes `n` elements: a list of that many numbers, or {"fill": number}. NULL when all went well,
 * else what is wrong: a number that the type can't hold exactly is. */
const char *elements_fill(void *out, webnn_data_type type, size_t n, const json *data);

typedef struct elements_tolerance {
  bool ulp; /* distance in representable values, of integers in numbers; else in absolute value */
  double value;
  bool signed_zero; /* the sign of a zero counts */
} elements_tolerance;

/* Reads {"metric": "ULP" or "ATOL", "value": number}. */
bool elements_read_tolerance(const json *tolerance, elements_tolerance *out);

/* The first element that is further away than allowed, `n` when none is. */
size_t elements_differ(const void *is, const void *expected, webnn_data_type type, size_t n,
                       const elements_tolerance *tolerance);

/* Element `i` as text. */
void elements_format(char text[64], const void *data, webnn_data_type type, size_t i);

#endif
