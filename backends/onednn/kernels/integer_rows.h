/* Arithmetic on bytes for products of them, compiled for several instruction sets. Bytes are
 * widened to 16 bits less their zero point, so that products and sums are exact whatever the
 * numbers are. */
#ifndef WNN_ONEDNN_INTEGER_ROWS_H
#define WNN_ONEDNN_INTEGER_ROWS_H

#include "kernels/vector.h"

/* c = a · b, or c += a · b, on one panel of at most two vectors of columns. Rows of `a` have
 * `pairs` neighbours of two numbers; b has for each pair of rows the columns one by one, two
 * numbers each. */
typedef struct wnn_integer_product {
  const int16_t *a, *b;
  int32_t *c;
  size_t a_stride, c_stride; /* between rows */
  size_t n_rows, pairs, vectors;
  bool adds;
} wnn_integer_product;

#define WNN_INTEGER_VECTORS 2

/* Winograd's minimal filtering in whole numbers, F(2×2, 3×3): a tile of 2×2 results comes from 4×4 pixels and 16 numbers
 * in between. With weights four times as large the sums are four times the results. */
enum {
  WNN_TILE_OUT = 2,
  WNN_TILE_IN = 4,
  WNN_TILE_PIXELS = WNN_TILE_OUT * WNN_TILE_OUT,
  WNN_TILE_NUMBERS = WNN_TILE_IN * WNN_TILE_IN,
};

typedef struct wnn_integer_rows {
  size_t lanes;     /* columns of a vector */
  size_t tile_rows; /* of `a`, at a time */
  void (*product)(const wnn_integer_product *is);
  /* to[k] = x[k] − zero. */
  void (*widen_i8)(const int8_t *x, int16_t zero, int16_t *to, size_t n);
  void (*widen_u8)(const uint8_t *x, int16_t zero, int16_t *to, size_t n);
  /* The same for `rows` rows of `n` numbers, each column with a zero point of its own. */
  void (*widen_columns)(const int8_t *x, const int16_t *zeros, int16_t *to, size_t rows, size_t n);
  /* y = sums · factors + biases. */
  void (*scale)(const int32_t *sums, const float *factors, const float *biases, float *y, size_t n);
  /* The 16 pixels of a tile, less zero, become 16 numbers a channel, `stride` apart. */
  void (*spread_i8)(const void *const *pixels, int16_t zero, int16_t *to, size_t stride, size_t n);
  void (*spread_u8)(const void *const *pixels, int16_t zero, int16_t *to, size_t stride, size_t n);
  /* The 16 sums become 4 pixels: a quarter, times factors, plus biases. */
  void (*gather)(const int32_t *from, size_t stride, const float *factors, const float *biases,
                 float *const *pixels, size_t n);
  /* *low and *high take the least and the greatest of x; NaN stays. */
  void (*range)(const float *x, size_t n, float *low, float *high);
  /* y = x / scale, rounded half to even, plus zero, saturated; NaN gives zero. */
  void (*quantise)(const float *x, float scale, uint8_t zero, uint8_t *y, size_t n);
} wnn_integer_rows;

/* For this processor, but without what the host's switches leave out. */
const wnn_integer_rows *wnn_integer_rows_for(const wnn_host *host);

#endif
