/* Work on dense rows, compiled for several instruction sets behind one table. */
#ifndef WNN_ONEDNN_VECTOR_H
#define WNN_ONEDNN_VECTOR_H

#include "backend.h"
#include "op/schema.h"

/* 1, which no compiler sees: vector_math.inc says what for. */
extern const float wnn_one;

/* Numbers of an operation: alpha and beta, the bounds of clamp. */
typedef struct wnn_stage_args {
  float f[2];
  int64_t i[2];
  uint64_t u[2];
} wnn_stage_args;

/* The numbers that a node's attributes have for its stage. */
void wnn_set_stage_args(wnn_stage_args *args, const wnn_node *node);

/* out[k] = op(in[0][k], in[1][k], ...) for k below n. `out` may be one of the operands. float16
 * never comes here: it is widened before and narrowed behind. */
typedef void (*wnn_stage_fn)(const void *const *in, void *out, size_t n,
                             const wnn_stage_args *args);

/* How numbers become one. NaN goes through all of them; integers wrap. */
typedef enum wnn_fold {
  WNN_FOLD_SUM,
  WNN_FOLD_SUM_ABS,
  WNN_FOLD_SUM_SQUARE,
  WNN_FOLD_PRODUCT,
  WNN_FOLD_MAX,
  WNN_FOLD_MIN,
  WNN_N_FOLDS,
} wnn_fold;

/* The fold that joins partial results of `fold`. */
static inline wnn_fold wnn_fold_joining(wnn_fold fold) {
  return fold == WNN_FOLD_SUM_ABS || fold == WNN_FOLD_SUM_SQUARE ? WNN_FOLD_SUM : fold;
}

/* Fills `n` partial results of the type with what the fold starts from. */
void wnn_fold_start(wnn_fold fold, webnn_data_type type, void *partial, size_t n);

/* Windows along a row: output place o folds, for each of its channels, `taps` elements that lie
 * `tap` apart and begin `step` behind those of the place before. In elements. */
typedef struct wnn_windows {
  size_t n, step;
  size_t taps, tap;
  size_t channels;
} wnn_windows;

/* partial[k] takes x[k] of each row; rows are `stride` elements apart. */
typedef void (*wnn_fold_onto)(const void *x, size_t n_rows, size_t stride, void *partial, size_t n);

/* partial[r] takes all of row r; rows follow each other. */
typedef void (*wnn_fold_rows)(const void *x, size_t n_rows, size_t n, void *partial);

/* By type; functions are NULL where there is none. */
typedef struct wnn_folds {
  struct {
    wnn_fold_rows rows;
    wnn_fold_onto onto;
  } fold[WNN_N_FOLDS];
  void (*windows[WNN_N_FOLDS])(const void *x, void *y, const wnn_windows *windows);
  /* The place of the maximum and of the minimum: the first of equal ones, the first NaN before all.
   */
  int32_t (*arg_row[2])(const void *x, size_t n);
  /* By column: what is in `best`, from place `index`, against rows at places from `at` on, `stride`
   * elements apart. */
  void (*arg_onto[2])(const void *x, size_t n_rows, size_t stride, int32_t at, void *best,
                      int32_t *index, size_t n);
  /* Of bytes and keys: the same with places below 256, as wide as the elements; then what came of
   * it, behind what came before. */
  void (*arg_near[2])(const void *x, size_t n_rows, size_t stride, uint32_t at, void *best,
                      void *index, size_t n);
  void (*arg_join[2])(const void *x, const void *at, int32_t first, void *best, int32_t *index,
                      size_t n);
} wnn_folds;

/* Whether a mean needs no second look that is `off` by so much, where squares about it are
 * `square` in the mean. (True of NaN.) */
static inline bool wnn_mean_is_close(float off, float square) {
  return !(off * off > 0.015625f * square);
}

/* What a mean is set right by: nothing, where it is no more than what differences and their sum
 * lose by rounding: sums of whole numbers are better than that. */
static inline float wnn_mean_correction(float off, float square) {
  return square > 0x1p-80f && off * off <= 0x1p-42f * square ? 0.0f : off;
}

typedef void (*wnn_row_copy)(const char *from, char *to, size_t n);
typedef void (*wnn_transpose)(const char *from, ptrdiff_t from_stride, char *to,
                              ptrdiff_t to_stride, size_t rows, size_t columns);


typedef struct wnn_vector {
  const char *name;
  /* NULL: there is none. `from` is the type of the operands (of where: of the values), `to` of the
   * result. */
  wnn_stage_fn (*stage)(wnn_op_id op, webnn_data_type from, webnn_data_type to);
  const wnn_folds *(*folds)(webnn_data_type type);
  /* Rows of float16 onto float32; NULL where the processor can't widen them. */
  wnn_fold_rows half_rows[WNN_N_FOLDS];
  /* What places of extremes in float16 are found by: keys for the maximum, for the minimum. */
  const wnn_folds *key_folds;
  void (*half_keys[2])(const uint16_t *x, int16_t *keys, size_t n);
  void (*widen)(const uint16_t *from, float *to, size_t n);  /* float16 to float32 */
  void (*narrow)(const float *from, uint16_t *to, size_t n); /* to nearest even */

  float (*exp_sum)(const float *x, float shift, size_t n); /* Σ e^(x − shift) */
  void (*exp_sum_onto)(const float *x, const float *shift, float *sum, size_t n);
  /* `near`: NULL, or room for a row, from where it is written past the caches. */
  void (*softmax_rows)(const float *x, float *y, size_t n_rows, size_t n, float *near);
  void (*exp_columns)(const float *x, const float *top, float *y, float *sum, size_t n);
  /* y[k] = *sum + x[0] + … + x[k]; `*sum` becomes the last. Of floats, of integers of 32 bits. */
  void (*running_sum[2])(const void *x, void *y, size_t n, void *sum);
  /* y = x / √(mean(x²) + epsilon) · scale, row by row; scale NULL: 1. */
  void (*scale_rows)(const float *xs, float *ys, size_t n_rows, size_t n, float epsilon, const float *scale);
  /* The variance; `*mean` is exact enough that equal numbers have none at all. */
  float (*moments)(const float *x, size_t n, float *mean);
  /* Σ (x − mean) and Σ (x − mean)² by column. */
  void (*moments_onto)(const float *x, const float *mean, float *sum, float *square, size_t n);
  /* Rows that follow each other, each by its own mean and variance: y = (x − mean) / √(variance +
   * epsilon) · scale + bias; arrays for scale and bias, or NULL. */
  void (*standardise_rows)(const float *x, float *y, size_t n_rows, size_t n, float epsilon,
                           const float *scale, const float *bias);
  /* y = (x − mean) · factor · scale + bias. */
  void (*standardise_evenly)(const float *x, float mean, float factor, float bias, float *y,
                             size_t n);
  void (*standardise_columns)(const float *x, const float *mean, const float *factor, float scale,
                              const float *biases, float bias, float *y, size_t n);
  void (*multiply)(const float *x, float factor, float *y, size_t n);
  void (*mix)(const float *low, const float *high, float part, float *y,
              size_t n); /* part of the way to high */

  /* to[c][r] = from[r][c] of elements of 1, 2, 4, 8 bytes; rows lie densely, their strides are in
   * bytes. */
  wnn_transpose transpose[4];
  /* Of such elements: to[k] = from[−k], from[2k], from[0]. */
  wnn_row_copy reverse[4], every_other[4], fill[4];
  /* to[k] = from[step · k] of elements of `size` bytes; size · step is below 16. */
  void (*thin)(const char *from, size_t size, size_t step, char *to, size_t n);
  /* to[2k] = a[k], to[2k + 1] = b[k]. */
  void (*zip[4])(const char *a, const char *b, char *to, size_t n);
  /* wnn_places of index.h for int32, uint32 and int64; places[k] = places[k] · stride + k. */
  void (*places[3])(const void *indices, size_t count, uint32_t n, uint32_t *places);
  void (*spread_places)(uint32_t *places, size_t n, uint32_t stride);
  /* `n` bytes past the caches, and a transpose there. A thread that has done so calls stream_end
   * before others read them. */
  wnn_row_copy stream;
  wnn_transpose stream_transpose[4];
  void (*stream_end)(void);
} wnn_vector;

/* Elements [first, first + count) of indices as places in 0..n-1. */
static inline void wnn_vector_places(const wnn_vector *vector, const void *indices,
                                     webnn_data_type type, size_t first, size_t count, uint32_t n,
                                     uint32_t *places) {
  const int which = type == WEBNN_DATA_TYPE_INT32 ? 0 : type == WEBNN_DATA_TYPE_UINT32 ? 1 : 2;
  vector->places[which]((const char *)indices + first * (which == 2 ? 8 : 4), count, n, places);
}

/* Instruction sets that rows are compiled for. */
typedef enum wnn_isa {
  WNN_ISA_GENERIC,
  WNN_ISA_AVX2,
  WNN_ISA_AVX512,
} wnn_isa;

/* The widest of this processor, but the words -avx512 and -avx2 among the host's switches leave out
 * wide ones. */
wnn_isa wnn_isa_for(const wnn_host *host);

/* True when the processor adds products of bytes in 32 bits. */
bool wnn_has_vnni(const wnn_host *host);
/* True when products may be in bfloat16 and the processor has instructions for them. */
bool wnn_takes_bfloat16(const wnn_host *host);

/* Whether results of so many bytes are written past the caches, which spares reading their lines
 * first: nobody will find them there. With the word -near among the switches any are. */
bool wnn_streams(const wnn_host *host, size_t n_bytes);

/* How many threads bring so many bytes of weights into panels: for few, waking others doesn't
 * pay. */
size_t wnn_packers(const wnn_host *host, size_t n_bytes);

/* Asks for what will be read soon: the processor itself looks ahead to the end of a page only. */
static inline void wnn_fetch(const void *x, size_t n_bytes) {
  for (size_t k = 0; k < n_bytes; k += WNN_CACHE_LINE) __builtin_prefetch((const char *)x + k);
}

/* The same for what is read later: it comes to the second cache only. */
static inline void wnn_fetch_far(const void *x, size_t n_bytes) {
  for (size_t k = 0; k < n_bytes; k += WNN_CACHE_LINE)
    __builtin_prefetch((const char *)x + k, 0, 2);
}

/* For this processor. */
const wnn_vector *wnn_vector_get(void);
/* Of wnn_isa_for. */
const wnn_vector *wnn_vector_for(const wnn_host *host);

#endif
