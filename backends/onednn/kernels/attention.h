/* softmax(q · k, scaled, with a mask) · v: what the kernels of attention have in common. */
#ifndef WNN_ONEDNN_ATTENTION_H
#define WNN_ONEDNN_ATTENTION_H

#include "kernels/conv_rows.h"
#include "lower/region.h"

/* An operand: strides by axis, 0 where it repeats. */
typedef struct wnn_attention_matrix {
  size_t batch[WNN_MAX_RANK], row, column;
} wnn_attention_matrix;

typedef struct wnn_attention {
  const wnn_vector *vector;
  const wnn_conv_rows *rows;
  wnn_attention_matrix q, k, v, mask, y;
  bool has_mask, scales;
  wnn_stage_fn scale, add;
  float factor;
  uint32_t n_batch;
  size_t batch[WNN_MAX_RANK]; /* sizes of the leading axes */
  size_t n_heads, n_rows, depth, n_keys, columns;
} wnn_attention;

/* Rows of one head, and their scores. */
typedef struct wnn_attention_rows {
  size_t head, first, n;
  float *scores;
  size_t stride; /* between rows of scores */
  float *line;   /* room for a row of the mask */
} wnn_attention_rows;

/* False for what isn't float32, is blocked or has posts. */
bool wnn_attention_read(wnn_attention *is, const wnn_host *host, const wnn_region *region);
/* Where a head of the operand begins, in elements. */
size_t wnn_attention_start(const wnn_attention *is, const wnn_attention_matrix *of, size_t head);
/* `n` numbers that lie `stride` apart, zeros behind them. */
void wnn_attention_fill(const float *from, size_t stride, float *to, size_t n, size_t width);
/* Products become weights: scaled, with the mask, through softmax. `factors`: the factor, once for
 * each key. */
void wnn_attention_weigh(const wnn_attention *is, const wnn_run *run, const float *factors,
                         const wnn_attention_rows *rows);

#endif
