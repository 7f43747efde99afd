/* Tensors seen along one axis, and where results lie that lack axes of their input. */
#ifndef WNN_ONEDNN_LANES_H
#define WNN_ONEDNN_LANES_H

#include <float.h>
#include <math.h>
#include "kernels/copy.h"
#include "lower/region.h"

/* A dense tensor as [outer][n][inner] round one axis, in the order of storage. */
typedef struct wnn_lanes {
  size_t outer, n, inner;
} wnn_lanes;

wnn_lanes wnn_lanes_along(const wnn_port *port, uint32_t axis);

/* For an operation that takes away the `reduced` axes: results are first made densely, in the order
 * in which the input keeps the other axes. Fills `at` with the strides of that by axis of the
 * input, and the (unprepared) copy from there to the output; false when both lie alike, so that no
 * copy is needed. */
bool wnn_kept_copy(wnn_copy *copy, const wnn_port *in, const wnn_port *out,
                   const bool reduced[WNN_MAX_RANK], bool keep_dimensions, size_t at[WNN_MAX_RANK]);

/* How many columns are done together: at most `most`, whole cache lines of them, and no more than
 * let each of the threads have some; but none reads less than LANE_BYTES of a row. */
size_t wnn_lanes_width(const wnn_lanes *lanes, size_t bytes, size_t most, size_t threads);

static inline size_t wnn_aligned(size_t n) {
  return (n + WNN_CACHE_LINE - 1) / WNN_CACHE_LINE * WNN_CACHE_LINE;
}

/* Whether the product of two factors does what they do one after the other: it has neither
 * overflowed nor lost digits. */
static inline bool wnn_factors_join(float a, float b) {
  const float product = fabsf(a * b);
  return product >= FLT_MIN && product <= FLT_MAX;
}

#endif
