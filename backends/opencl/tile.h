/* Products by tiles: a work-item computes some rows of one panel of columns. What stands for B is
 * packed into panels, each with its rows behind one another, so that a row of a panel is one or two
 * vectors of eight. */
#ifndef WNN_OPENCL_TILE_H
#define WNN_OPENCL_TILE_H

#include "gen.h"

#define WNN_CL_TILE_ROWS 6

typedef struct wnn_cl_tile {
  size_t rows, vectors, width;         /* of a tile: rows, vectors of eight columns, columns */
  size_t n_groups, n_columns, n_inner; /* B: matrices, their columns and rows */
  size_t n_panels;                     /* of a matrix */
  size_t n_zeros;                      /* wanted at z, for what is read instead of nothing */
} wnn_cl_tile;

wnn_cl_tile wnn_cl_tile_of(size_t n_rows, size_t n_groups, size_t n_columns, size_t n_inner);

/* Where element (group, inner, column) of what is to be packed lies: `group`, `k` and `column` are
 * names of numbers. */
typedef const char *(*wnn_cl_tile_place)(wnn_cl_gen *g, const void *arg, const char *group,
                                         const char *k, const char *column);
typedef size_t (*wnn_cl_tile_offset)(const void *arg, size_t group, size_t k, size_t column);

/* Has input `port` packed: now when it is a constant, else by a kernel of its own at every run.
 * Afterwards the next kernel finds the panels at `w`. */
webnn_status wnn_cl_tile_pack(wnn_cl_gen *g, const wnn_cl_tile *tile, size_t port,
                              wnn_cl_tile_place place, wnn_cl_tile_offset offset, const void *arg);
/* Declares `w` where the panels were packed at the run, `z` when zeros are wanted, and the
 * accumulators. */
void wnn_cl_tile_begin(wnn_cl_gen *g, const wnn_cl_tile *tile);
/* A loop over `n` inner elements k, from `f`, a pointer to the panel's rows; `rows` are the values
 * of A. */
void wnn_cl_tile_loop(wnn_cl_gen *g, const wnn_cl_tile *tile, size_t n, const char *const *rows);
/* Puts the accumulators into t[row * width + column]. */
void wnn_cl_tile_end(wnn_cl_gen *g, const wnn_cl_tile *tile);

#endif
