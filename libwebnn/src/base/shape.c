#include "base/shape.h"

#include <string.h>

webnn_status wnn_desc_make(wnn_desc *out, webnn_data_type type, const uint32_t *dims, size_t rank,
                           const char *who, webnn_error *err) {
  uint64_t n = 1;
  bool too_many = false;
  if (webnn_data_type_name(type) == NULL)
    return wnn_error_set(err, WEBNN_ERROR_TYPE, "%s: no such data type (%d)", who, (int)type);
  for (size_t i = 0; i < rank; i++)
    if (dims[i] < 1 || dims[i] > WNN_MAX_DIMENSION)
      return wnn_error_set(err, WEBNN_ERROR_TYPE, "%s: dimension %zu is %u, not in 1..%u", who, i,
                           (unsigned)dims[i], WNN_MAX_DIMENSION);
  if (rank > WNN_MAX_RANK)
    return wnn_error_set(err, WEBNN_ERROR_TYPE, "%s: rank is %zu, the limit is %d", who, rank, WNN_MAX_RANK);
  for (size_t i = 0; i < rank && !too_many; i++) {
    n *= dims[i]; /* both factors are below 2^31 */
    too_many = n > WNN_MAX_ELEMENTS;
  }
  if (too_many)
    return wnn_error_set(err, WEBNN_ERROR_TYPE, "%s: more than %u elements", who, WNN_MAX_ELEMENTS);
  if (n * webnn_data_type_bytes(type) > WNN_MAX_BYTES)
    return wnn_error_set(err, WEBNN_ERROR_TYPE, "%s: %llu bytes, the limit is %llu", who,
                         (unsigned long long)(n * webnn_data_type_bytes(type)), WNN_MAX_BYTES);
  *out = (wnn_desc){.type = type, .rank = (uint32_t)rank};
  for (size_t i = 0; i < rank; i++) out->dims[i] = dims[i];
  return WEBNN_OK;
}

bool wnn_shape_equal(const wnn_desc *a, const wnn_desc *b) {
  return wnn_shape_equal_except(a, b, WNN_MAX_RANK);
}

bool wnn_shape_equal_except(const wnn_desc *a, const wnn_desc *b, uint32_t axis) {
  if (a->rank != b->rank) return false;
  for (uint32_t i = 0; i < a->rank; i++)
    if (i != axis && a->dims[i] != b->dims[i]) return false;
  return true;
}

bool wnn_desc_equal(const wnn_desc *a, const wnn_desc *b) {
  return a->type == b->type && wnn_shape_equal(a, b);
}

/* Dimension `i` of `desc` seen as one of rank `rank`, right-aligned. */
static uint32_t aligned_dim(const wnn_desc *desc, uint32_t rank, uint32_t i) {
  uint32_t missing = rank - desc->rank;
  return i < missing ? 1 : desc->dims[i - missing];
}

bool wnn_shape_broadcast(const wnn_desc *a, const wnn_desc *b, wnn_desc *out) {
  uint32_t rank = a->rank > b->rank ? a->rank : b->rank;
  uint32_t dims[WNN_MAX_RANK];
  for (uint32_t i = 0; i < rank; i++) {
    uint32_t x = aligned_dim(a, rank, i), y = aligned_dim(b, rank, i);
    if (x != y && x != 1 && y != 1) return false;
    dims[i] = x == 1 ? y : x;
  }
  out->rank = rank;
  for (uint32_t i = 0; i < rank; i++) out->dims[i] = dims[i];
  return true;
}

bool wnn_shape_broadcasts_to(const wnn_desc *from, const wnn_desc *to) {
  if (from->rank > to->rank) return false;
  for (uint32_t i = 0; i < to->rank; i++) {
    uint32_t x = aligned_dim(from, to->rank, i);
    if (x != 1 && x != to->dims[i]) return false;
  }
  return true;
}

void wnn_shape_strides(const wnn_desc *desc, size_t strides[WNN_MAX_RANK]) {
  size_t n = 1;
  for (uint32_t i = desc->rank; i-- > 0;) {
    strides[i] = n;
    n *= desc->dims[i];
  }
}

void wnn_broadcast_strides(const wnn_desc *from, const wnn_desc *to, size_t strides[WNN_MAX_RANK]) {
  size_t own[WNN_MAX_RANK];
  uint32_t missing = to->rank - from->rank;
  wnn_shape_strides(from, own);
  for (uint32_t i = 0; i < to->rank; i++)
    strides[i] = i < missing || from->dims[i - missing] == 1 ? 0 : own[i - missing];
}

static size_t put_digits(char *to, uint32_t number) {
  size_t n = 1;
  for (uint32_t rest = number; rest > 9; rest /= 10) n++;
  for (size_t i = n; i-- > 0; number /= 10) to[i] = (char)('0' + number % 10);
  return n;
}

/* By hand: it is called for each operand of each step of each build. */
wnn_desc_text wnn_desc_format(const wnn_desc *desc) {
  wnn_desc_text out;
  const char *name = webnn_data_type_name(desc->type);
  size_t at = strlen(name);
  memcpy(out.text, name, at);
  out.text[at++] = '[';
  for (uint32_t i = 0; i < desc->rank; i++) {
    if (i != 0) out.text[at++] = ',';
    at += put_digits(out.text + at, desc->dims[i]);
  }
  memcpy(out.text + at, "]", 2);
  return out;
}
