/* Copies of whole blocks of elements through strides: what transposes, slices, joins and repeats
 * come down to. */
#ifndef WNN_ONEDNN_COPY_H
#define WNN_ONEDNN_COPY_H

#include "kernels/vector.h"

#define WNN_COPY_RANK 16 /* tile doubles the number of axes */

/* One copy: `dims` elements along each axis, read and written by strides in elements (signed:
 * reverse; 0 where the same is read again). */
typedef struct wnn_copy {
  const wnn_vector *vector;
  uint32_t rank, row_axis;
  size_t element_bytes; /* 1, 2, 4 or 8; grows when neighbours move together */
  size_t dims[WNN_COPY_RANK];
  ptrdiff_t from[WNN_COPY_RANK], to[WNN_COPY_RANK];
  ptrdiff_t from_offset, to_offset; /* in elements, as given; in bytes once prepared */
  bool streams;                     /* writes past the caches; the caller may set it */
} wnn_copy;

/* Orders and joins the axes; from then on strides and offsets are in bytes. Call once, at plan. */
void wnn_copy_prepare(wnn_copy *copy, const wnn_vector *vector);

/* Elements that the copy moves; before it is prepared. */
size_t wnn_copy_count(const wnn_copy *copy);

/* Runs part `part` of `n_parts` of a prepared copy. */
void wnn_copy_run(const wnn_copy *copy, const void *from, void *to, size_t part, size_t n_parts);

#endif
