/* What the families' infers share: checks of lists and axes, sizes of windows, defaults of lists. A
 * check that fails has written its message. `what` is the option's name in the specification. */
#ifndef WNN_OP_INFER_H
#define WNN_OP_INFER_H

#include "op/fields.h"

/* The operand at `position`, NULL when absent. */
static inline const wnn_desc *wnn_input(const wnn_infer *in, size_t position) {
  return position < in->n_inputs ? in->inputs[position] : NULL;
}

/* The field of the operand at `position`; its name is how messages call it. */
const wnn_field *wnn_operand_field(const wnn_infer *in, size_t position);

/* Type and rank of the optional operand at `position`, as the table says; an absent one passes. */
webnn_status wnn_check_optional(wnn_infer *in, size_t position);

/* The operand at `position` has exactly these dimensions, which may be wider than any real one. */
webnn_status wnn_check_shape(wnn_infer *in, size_t position, const uint64_t *dims, size_t rank);

/* One output, the same as `desc`; UNKNOWN when out of memory. */
webnn_status wnn_output_like(wnn_infer *in, const wnn_desc *desc);

/* A dimension that was computed: 1..2^31-1. */
webnn_status wnn_check_dim(wnn_infer *in, const char *what, int64_t size, uint32_t *out);

/* A list that was given has `n` items; no item is 0. */
webnn_status wnn_check_length(wnn_infer *in, const char *what, const wnn_uints *list, size_t n);
webnn_status wnn_check_positive(wnn_infer *in, const char *what, const wnn_uints *list);

/* Every axis is below `rank`, none comes twice. */
webnn_status wnn_check_axes(wnn_infer *in, const char *what, const wnn_uints *axes, uint32_t rank);
webnn_status wnn_check_axis(wnn_infer *in, uint32_t axis, uint32_t rank);

/* Puts a default in when the caller left the list out: the given items, or `n` times `value`. */
webnn_status wnn_resolve_list(wnn_infer *in, wnn_uints *list, const uint32_t *data, size_t n);
webnn_status wnn_resolve_fill(wnn_infer *in, wnn_uints *list, uint32_t value, size_t n);

/* A window that slides along one axis: of a filter, of a pool. */
typedef struct wnn_window {
  uint32_t input, size, stride, dilation;
  uint32_t begin, end; /* padding */
} wnn_window;

/* Two windows, for height and width, from lists that have been checked. */
void wnn_window_pair(wnn_window windows[2], const uint32_t input[2], const uint32_t size[2],
                     const wnn_uints *padding, const wnn_uints *strides,
                     const wnn_uints *dilations);

/* Elements from the first to the last that the window covers. */
static inline int64_t wnn_window_extent(const wnn_window *window) {
  return ((int64_t)window->size - 1) * window->dilation + 1; /* below 2^63 - 2^33 */
}

/* Where the window fits: the division is rounded down, or up; zero and below when it doesn't.
 * Spec: convolution and pool output sizes. */
int64_t wnn_window_count(const wnn_window *window, bool round_up);

/* Extension: pads each window by a total of `total`, the odd element at the end for same-upper, and
 * stores the result as [top, bottom, left, right]. The mode is explicit then. */
webnn_status wnn_resolve_auto_pad(wnn_infer *in, webnn_auto_pad *mode, const uint64_t total[2],
                                  wnn_window windows[2], wnn_uints *padding);

/* The same so that ceil(input / stride) windows fit; nothing to do when the mode is explicit. */
webnn_status wnn_resolve_same(wnn_infer *in, webnn_auto_pad *mode, wnn_window windows[2],
                              wnn_uints *padding);

#endif
