/* Arithmetic of our own convolutions on float32, channels last, compiled for several instruction sets. */
#ifndef WNN_ONEDNN_CONV_ROWS_H
#define WNN_ONEDNN_CONV_ROWS_H

#include "kernels/vector.h"

/* c = a · b. Columns of b come in panels: `depth` rows of `vectors` vectors, one panel behind the other. */
typedef struct wnn_product {
  const float *a, *panels;
  float *c;
  size_t a_stride, c_stride; /* between rows */
  size_t n_rows, depth;
  size_t n_panels, vectors;
  bool adds;         /* to what is in c */
  const float *bias; /* a row, added at the end; or NULL */
  /* The panels come from memory: each asks for the one behind it, the last for `next`, which may be NULL. */
  bool fetches;
  const float *next;
  size_t next_bytes;
} wnn_product;

#define WNN_MAX_PANEL_VECTORS 3

/* c += a · b, few rows of it. */
typedef struct wnn_gemv {
  const float *a, *b;
  float *c;
  size_t a_stride, b_stride, c_stride; /* b_stride: between rows of b; of its transpose between columns */
  size_t n_rows, depth, columns;       /* n_rows: at most WNN_MAX_GEMV_ROWS */
} wnn_gemv;

#define WNN_MAX_GEMV_ROWS ((size_t)4)

/* The vectors of a panel that leave the fewest of so many columns empty, rather more than fewer. */
static inline size_t wnn_panel_vectors(size_t columns, size_t lanes) {
  const size_t two = 2 * lanes, three = 3 * lanes;
  if (columns <= lanes) return 1;
  return (columns + three - 1) / three * three <= (columns + two - 1) / two * two ? 3 : 2;
}

/* Winograd's minimal filtering, F(4×4, 3×3), at the points 0, ±√½, ±√2 and infinity: a tile of 4×4 results comes from
 * 6×6 pixels and 6×6 numbers in between. */
enum {
  WNN_WINOGRAD_OUT = 4,
  WNN_WINOGRAD_IN = 6,
  WNN_WINOGRAD_PIXELS = WNN_WINOGRAD_OUT * WNN_WINOGRAD_OUT,
  WNN_WINOGRAD_NUMBERS = WNN_WINOGRAD_IN * WNN_WINOGRAD_IN,
};

/* Pixels of one output row where each channel has a window of its own. A block of weights has, for a vector of
 * channels, the window row by row; the last block the last `lanes` channels. */
typedef struct wnn_depthwise {
  const float *const *rows;     /* the input's rows that the window meets, NULL outside */
  const float *weights, *bias;  /* bias: one a channel */
  const float *zeros;           /* a pixel */
  float *out;                   /* where pixel `begin` goes; the others follow */
  size_t begin, end;            /* pixels of the output */
  size_t channels, in_width;
  size_t height, width, stride; /* of the window: 3, 5 or 7 wide; 1 or 2 */
  ptrdiff_t before;             /* columns of padding */
} wnn_depthwise;

/* Pixels next to one another that have few channels each: sums over rows of a window, where numbers lie side by side. */
typedef struct wnn_dots {
  const float *const *rows;   /* the input's rows where the first pixel's window meets them, NULL outside */
  const float *weights, *bias; /* weights: by row of the window, by channel; bias: one a channel */
  float *out;                 /* pixel by pixel */
  size_t height, run;         /* rows of the window, numbers of each */
  size_t weight_stride;       /* between channels' weights */
  size_t channels, stride;    /* stride: numbers from one pixel's window to the next one's */
  size_t n_pixels;
} wnn_dots;

#define WNN_MAX_DOTS ((size_t)4) /* channels */

typedef struct wnn_conv_rows {
  size_t lanes;                              /* of a vector */
  size_t tile_rows[WNN_MAX_PANEL_VECTORS + 1]; /* rows of `a` at a time, by the vectors of a panel */
  void (*product)(const wnn_product *is);
  void (*gemv)(const wnn_gemv *is);            /* the rows of b are dense */
  void (*gemv_transposed)(const wnn_gemv *is); /* its columns are */
  /* The 9 weights of each of some columns, `apart` from one another, become 36 numbers, `stride`
   * apart. Whole vectors of columns. False when a number is infinite or NaN. */
  bool (*winograd_weights)(const float *weights, size_t apart, float *to, size_t stride,
                           size_t columns);
  /* The 36 pixels of a tile become 36 numbers a channel, `stride` apart; channels are filled up to whole vectors. */
  void (*winograd_in)(const float *const *pixels, float *to, size_t stride, size_t channels);
  /* The 36 numbers become 16 pixels, plus bias. False when one of them is infinite or NaN. */
  bool (*winograd_out)(const float *from, size_t stride, const float *bias, float *const *pixels, size_t channels);
  /* For no fewer channels than lanes. */
  void (*depthwise)(const wnn_depthwise *is);
  void (*dots)(const wnn_dots *is); /* of at most WNN_MAX_DOTS channels */
  wnn_stage_fn silu, silu_half; /* quicker than those of all others */
  wnn_stage_fn hard_swish; /* hardSwish(x) · f[0] + f[1] */
  wnn_stage_fn (*rounded)(wnn_op_id op); /* the operation and roundHalf behind it; NULL: there is none */
} wnn_conv_rows;

/* For this processor, but without what the host's switches leave out. */
const wnn_conv_rows *wnn_conv_rows_for(const wnn_host *host);

#endif
