/* Indices as places. */
#ifndef WNN_ONEDNN_INDEX_H
#define WNN_ONEDNN_INDEX_H

#include "lower/region.h"

/* A negative index counts from the end once; what is still outside 0..n-1 goes to the nearest
 * place. */
static inline uint32_t wnn_signed_place(int64_t index, uint32_t n) {
  index += index < 0 ? (int64_t)n : 0;
  index = index < (int64_t)n ? index : (int64_t)n - 1;
  return index < 0 ? 0 : (uint32_t)index;
}

/* Element `i` of int32, uint32 or int64 indices as a place in 0..n-1. */
static inline uint32_t wnn_place_at(const void *indices, webnn_data_type type, size_t i,
                                    uint32_t n) {
  if (type == WEBNN_DATA_TYPE_INT32) return wnn_signed_place(((const int32_t *)indices)[i], n);
  if (type == WEBNN_DATA_TYPE_INT64) {
    return wnn_signed_place(((const int64_t *)indices)[i], n);
  }
  uint32_t index = ((const uint32_t *)indices)[i];
  return index < n ? index : n - 1;
}

/* The same where 32 bits are enough for all sums. */
static inline uint32_t wnn_short_place(int32_t index, int32_t n) {
  index += index < 0 ? n : 0;
  index = index < n ? index : n - 1;
  return index < 0 ? 0 : (uint32_t)index;
}

static inline void wnn_short_places(const int32_t *indices, size_t count, int32_t n,
                                    uint32_t *places) {
  for (size_t i = 0; i < count; i++) places[i] = wnn_short_place(indices[i], n);
}

/* `count` of them from `first` on. Where 32 bits are enough for all sums, registers hold more. */
static inline void wnn_places(const void *indices, webnn_data_type type, size_t first, size_t count,
                              uint32_t n, uint32_t *places) {
  switch (type) {
    case WEBNN_DATA_TYPE_INT32:
      if (n <= INT32_MAX) {
        wnn_short_places((const int32_t *)indices + first, count, (int32_t)n, places);
        break;
      }
      for (size_t i = 0; i < count; i++)
        places[i] = wnn_place_at(indices, WEBNN_DATA_TYPE_INT32, first + i, n);
      break;
    case WEBNN_DATA_TYPE_INT64:
      for (size_t i = 0; i < count; i++)
        places[i] = wnn_place_at(indices, WEBNN_DATA_TYPE_INT64, first + i, n);
      break;
    default:
      for (size_t i = 0; i < count; i++)
        places[i] = wnn_place_at(indices, WEBNN_DATA_TYPE_UINT32, first + i, n);
  }
}

#define WNN_MAX_INDEXED WNN_MAX_RANK

/* Rows of tuples: where each points. */
typedef struct wnn_tuples {
  webnn_data_type type;
  uint32_t n; /* indices of a tuple */
  uint32_t dims[WNN_MAX_INDEXED];
  size_t strides[WNN_MAX_INDEXED]; /* in bytes */
} wnn_tuples;

static inline size_t wnn_tuple_offset(const wnn_tuples *tuples, const void *indices, size_t row) {
  size_t at = 0;
  for (uint32_t d = 0; d < tuples->n; d++)
    at += tuples->strides[d] *
          wnn_place_at(indices, tuples->type, row * tuples->n + d, tuples->dims[d]);
  return at;
}

/* The same for `count` rows from `first` on. `n` is tuples->n: a constant where it is small. */
static inline __attribute__((always_inline)) void wnn_tuple_offsets_of(const wnn_tuples *tuples,
                                                                       const void *indices,
                                                                       size_t first, size_t count,
                                                                       const uint32_t n,
                                                                       size_t *offsets) {
  size_t i = 0;
  bool is_short = tuples->type == WEBNN_DATA_TYPE_INT32;
  for (uint32_t d = 0; d < n; d++) is_short = is_short && tuples->dims[d] <= INT32_MAX;
  const int32_t *index = (const int32_t *)indices + (is_short ? first * n : 0);
  for (; is_short && i < count; i++, index += n) {
    size_t at = 0;
    for (uint32_t d = 0; d < n; d++)
      at += tuples->strides[d] * wnn_short_place(index[d], (int32_t)tuples->dims[d]);
    offsets[i] = at;
  }
  for (; i < count; i++) offsets[i] = wnn_tuple_offset(tuples, indices, first + i);
}

static inline void wnn_tuple_offsets(const wnn_tuples *tuples, const void *indices, size_t first,
                                     size_t count, size_t *offsets) {
  switch (tuples->n) {
    case 1: wnn_tuple_offsets_of(tuples, indices, first, count, 1, offsets); break;
    case 2: wnn_tuple_offsets_of(tuples, indices, first, count, 2, offsets); break;
    case 3: wnn_tuple_offsets_of(tuples, indices, first, count, 3, offsets); break;
    default: wnn_tuple_offsets_of(tuples, indices, first, count, tuples->n, offsets);
  }
}

/* All ports of the region row-major. */
bool wnn_all_plain(const wnn_region *region);

/* Sets up tuples that point into `desc`; returns the bytes of what one names. */
size_t wnn_tuples_into(wnn_tuples *tuples, const wnn_desc *desc, const wnn_desc *indices);

#endif
