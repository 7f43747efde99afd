/* Element-wise work on dense rows, one function an operation and type, compiled for several instruction sets. */
#ifndef WNN_ONEDNN_VECTOR_H
#define WNN_ONEDNN_VECTOR_H

#include "op/schema.h"

/* Numbers of an operation: alpha and beta, the bounds of clamp. */
typedef struct wnn_stage_args {
  float f[2];
  int64_t i[2];
  uint64_t u[2];
} wnn_stage_args;

/* out[k] = op(in[0][k], in[1][k], ...) for k below n. `out` may be one of the operands. float16 never comes here:
 * it is widened before and narrowed behind. */
typedef void (*wnn_stage_fn)(const void *const *in, void *out, size_t n, const wnn_stage_args *args);

/* How a row of float32 becomes one number. NaN goes through all of them. */
typedef enum wnn_fold {
  WNN_FOLD_SUM,
  WNN_FOLD_SUM_ABS,
  WNN_FOLD_SUM_SQUARE,
  WNN_FOLD_PRODUCT,
  WNN_FOLD_MAX,
  WNN_FOLD_MIN,
  WNN_N_FOLDS,
} wnn_fold;

/* Where a fold starts. */
float wnn_fold_start(wnn_fold fold);
/* Joins two partial results. */
float wnn_fold_join(wnn_fold fold, float a, float b);

typedef struct wnn_vector {
  const char *name;
  /* NULL: there is none. `from` is the type of the operands (of where: of the values), `to` of the result. */
  wnn_stage_fn (*stage)(wnn_op_id op, webnn_data_type from, webnn_data_type to);
  void (*widen)(const uint16_t *from, float *to, size_t n);  /* float16 to float32 */
  void (*narrow)(const float *from, uint16_t *to, size_t n); /* to nearest even */
  float (*fold_row[WNN_N_FOLDS])(const float *x, size_t n);  /* along the row, in many partial results */
  void (*fold_onto[WNN_N_FOLDS])(const float *x, float *partial, size_t n); /* row after row: each column */
  float (*sum_square_about)(const float *x, float mean, size_t n);  /* Σ (x − mean)² */
  float (*exp_about)(const float *x, float shift, float *y, size_t n); /* y = e^(x − shift), and its sum */
  /* y = (x − mean) · factor · scale + bias; scale and bias may be NULL. */
  void (*normalise)(const float *x, float mean, float factor, const float *scale, const float *bias, float *y,
                    size_t n);
  void (*scale)(const float *x, float factor, float *y, size_t n);
} wnn_vector;

/* For this processor. */
const wnn_vector *wnn_vector_get(void);

#endif
