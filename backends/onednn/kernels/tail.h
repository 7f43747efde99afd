/* What follows a convolution of ours: element-wise stages on runs of pixels, channels last, while these are near. All is
 * float32, but for a quantizeLinear to bytes at the end. */
#ifndef WNN_ONEDNN_TAIL_H
#define WNN_ONEDNN_TAIL_H

#include "kernels/conv_rows.h"
#include "lower/region.h"

#define WNN_MAX_TAIL_OPERANDS (WNN_MAX_POSTS + 1) /* quantizeLinear has two */

/* Where the operands of a stage come from. */
#define WNN_TAIL_SO_FAR (-1)
#define WNN_TAIL_KEPT (-2)

typedef struct wnn_tail_stage {
  wnn_stage_fn fn;
  wnn_stage_args args;
  uint8_t n_in;
  int8_t from[WNN_MAX_POST_INPUTS]; /* WNN_TAIL_SO_FAR, WNN_TAIL_KEPT or an operand */
  bool is_kept;                     /* its result, until the next that is */
  wnn_op_id op;                     /* that it begins with */
  bool rounds;                      /* its results are numbers that float16 has */
} wnn_tail_stage;

typedef struct wnn_tail_operand {
  size_t port, element_bytes;
  size_t n;   /* numbers that repeat from pixel to pixel, or 0: it lies as the output does */
  size_t row; /* where a piece's worth of them lies among the rows */
} wnn_tail_operand;

typedef struct wnn_tail {
  size_t channels, piece; /* pixels at a time */
  size_t out_bytes;       /* of an element of the output */
  wnn_tail_stage stages[WNN_MAX_POSTS];
  wnn_tail_operand operands[WNN_MAX_TAIL_OPERANDS];
  size_t n_stages, n_operands;
  size_t n_rows; /* numbers that the rows of all operands have */
  bool keeps_first; /* what the first stage begins with */
} wnn_tail;

/* Whether the results of a stage can be kept for a later one. */
bool wnn_tail_can_keep(size_t channels);

/* The posts of the region from `first` on. False when they can't be done so. */
bool wnn_tail_plan(wnn_tail *tail, const wnn_host *host, const wnn_region *region, size_t first,
                   uint32_t channel_axis);

/* The output takes over the memory of an operand that nobody needs any more, whose numbers are as wide, and which the last
 * stage alone reads, where it writes. */
void wnn_tail_take_over(const wnn_tail *tail, const wnn_region *region, wnn_plan *plan);

/* Fills the rows, once a run. */
void wnn_tail_begin(const wnn_tail *tail, const wnn_run *run, float *rows);

/* Takes `n` pixels through the stages and writes them to the output from pixel `at` on; `pixels` are changed, and may
 * be the output's own unless its memory was taken over. */
void wnn_tail_run(const wnn_tail *tail, const wnn_run *run, const float *rows, float *pixels, size_t at, size_t n);

/* Some channels of each pixel, no more than wnn_tail_can_keep allows, whose numbers are `stride` apart from pixel to pixel. */
typedef struct wnn_tail_columns {
  size_t first, n, stride;
} wnn_tail_columns;

/* The same for these alone. */
void wnn_tail_run_columns(const wnn_tail *tail, const wnn_run *run, const float *rows, float *numbers, size_t at, size_t n,
                          const wnn_tail_columns *columns);

#endif
