/* Arithmetic of recurrent networks on float32, compiled for several instruction sets: products with
 * a matrix that lies in panels, and what gates do with states. */
#ifndef WNN_ONEDNN_RECURRENT_ROWS_H
#define WNN_ONEDNN_RECURRENT_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* y[i][j] = (Σ x[i][k] · b[k][j]) + bias[j], for all columns j of some panels. A panel is `width`
 * columns of b: `depth` rows of `width` numbers. Panels come in runs: within one they follow each
 * other, and so do their columns in y and bias. */
typedef struct wnn_panel_product {
  const float *x, *panels, *bias;
  const int8_t *bytes; /* not NULL: these are the panels, and column j counts scales[j] times */
  const float *scales; /* as bias */
  float *y;
  size_t x_stride, y_stride; /* between rows */
  size_t n_rows, depth;
  size_t n_runs, run;  /* panels in a run */
  size_t run_distance; /* from one run's beginning to the next one's: panels in `panels` and `bias`,
                          … */
  size_t run_stride;   /* … numbers in y */
  bool adds;           /* all this is added to what is in y */
} wnn_panel_product;

/* x becomes f(x). */
typedef void (*wnn_activation_fn)(float *x, size_t n);

typedef struct wnn_recurrent_rows {
  size_t width;
  void (*product)(const wnn_panel_product *is);
  wnn_activation_fn relu, sigmoid, tanh;
  void (*mul)(const float *a, const float *b, float *y, size_t n);     /* y = a · b */
  void (*mul_add)(const float *a, const float *b, float *y, size_t n); /* y += a · b */
  /* cell = forget · cell + in · fresh */
  void (*cell)(const float *forget, const float *in, const float *fresh, float *cell, size_t n);
  /* y = update · old + (1 − update) · fresh */
  void (*blend)(const float *update, const float *old, const float *fresh, float *y, size_t n);
} wnn_recurrent_rows;

/* For this processor. */
const wnn_recurrent_rows *wnn_recurrent_rows_get(void);

#endif
