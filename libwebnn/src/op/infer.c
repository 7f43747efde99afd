/* Checks and sizes that several families share. */
#include "op/infer.h"

#include <inttypes.h>
#include <stdio.h>

/* "[2,12,4]", cut where an absurd one is too long. */
typedef struct dims_text {
  char text[160];
} dims_text;

static dims_text format_dims(const uint64_t *dims, size_t rank) {
  dims_text out = {"["};
  size_t at = 1;
  for (size_t i = 0; i < rank && at + 24 < sizeof out.text; i++)
    at += (size_t)snprintf(out.text + at, sizeof out.text - at, i ? ",%" PRIu64 : "%" PRIu64,
                           dims[i]);
  snprintf(out.text + at, sizeof out.text - at, "]");
  return out;
}

static bool is_operand(const wnn_field *field) {
  return field->pub.kind == WEBNN_FIELD_OPERAND || field->pub.kind == WEBNN_FIELD_OPERANDS;
}

const wnn_field *wnn_operand_field(const wnn_infer *in, size_t position) {
  const wnn_field *field = in->op->signature->fields;
  while (!is_operand(field)) field++;
  if (field->pub.kind == WEBNN_FIELD_OPERANDS) return field; /* stands for all positions */
  while (position-- > 0)
    for (field++; !is_operand(field);) field++;
  return field;
}

webnn_status wnn_check_optional(wnn_infer *in, size_t position) {
  if (wnn_input(in, position) == NULL) return WEBNN_OK;
  return wnn_check_operand(in,
                           (size_t)(wnn_operand_field(in, position) - in->op->signature->fields));
}

webnn_status wnn_check_shape(wnn_infer *in, size_t position, const uint64_t *dims, size_t rank) {
  const wnn_desc *desc = in->inputs[position];
  bool same = desc->rank == rank;
  for (size_t i = 0; i < rank && same; i++) same = desc->dims[i] == dims[i];
  if (same) return WEBNN_OK;
  return wnn_fail(in, WEBNN_ERROR_TYPE, "%s is %s, expected shape %s",
                  wnn_operand_field(in, position)->pub.spec_name, wnn_desc_format(desc).text,
                  format_dims(dims, rank).text);
}

webnn_status wnn_output_like(wnn_infer *in, const wnn_desc *desc) {
  webnn_status status = wnn_infer_outputs(in, 1);
  if (status == WEBNN_OK) in->outputs[0] = *desc;
  return status;
}

webnn_status wnn_check_dim(wnn_infer *in, const char *what, int64_t size, uint32_t *out) {
  if (size < 1 || size > WNN_MAX_DIMENSION)
    return wnn_fail(in, WEBNN_ERROR_TYPE, "%s is %" PRId64 ", not in 1..%u", what, size,
                    WNN_MAX_DIMENSION);
  *out = (uint32_t)size;
  return WEBNN_OK;
}

webnn_status wnn_check_length(wnn_infer *in, const char *what, const wnn_uints *list, size_t n) {
  if (!list->given || list->n == n) return WEBNN_OK;
  return wnn_fail(in, WEBNN_ERROR_TYPE, "%s has length %zu, expected %zu", what, list->n, n);
}

webnn_status wnn_check_positive(wnn_infer *in, const char *what, const wnn_uints *list) {
  for (size_t i = 0; list->given && i < list->n; i++)
    if (list->data[i] == 0) return wnn_fail(in, WEBNN_ERROR_TYPE, "%s[%zu] is 0", what, i);
  return WEBNN_OK;
}

webnn_status wnn_check_axis(wnn_infer *in, uint32_t axis, uint32_t rank) {
  if (axis < rank) return WEBNN_OK;
  return wnn_fail(in, WEBNN_ERROR_TYPE, "axis is %" PRIu32 ", input has rank %" PRIu32, axis, rank);
}

webnn_status wnn_check_axes(wnn_infer *in, const char *what, const wnn_uints *axes, uint32_t rank) {
  bool seen[WNN_MAX_RANK] = {false};
  for (size_t i = 0; i < axes->n; i++) {
    uint32_t axis = axes->data[i];
    if (axis >= rank)
      return wnn_fail(in, WEBNN_ERROR_TYPE, "%s[%zu] is %" PRIu32 ", input has rank %" PRIu32, what,
                      i, axis, rank);
    if (seen[axis])
      return wnn_fail(in, WEBNN_ERROR_TYPE, "%s[%zu] names axis %" PRIu32 " again", what, i, axis);
    seen[axis] = true;
  }
  return WEBNN_OK;
}

webnn_status wnn_resolve_list(wnn_infer *in, wnn_uints *list, const uint32_t *data, size_t n) {
  return list->given ? WEBNN_OK : wnn_infer_list(in, list, data, n);
}

webnn_status wnn_resolve_fill(wnn_infer *in, wnn_uints *list, uint32_t value, size_t n) {
  uint32_t items[WNN_MAX_RANK];
  for (size_t i = 0; i < n; i++) items[i] = value;
  return wnn_resolve_list(in, list, items, n);
}

void wnn_window_pair(wnn_window windows[2], const uint32_t input[2], const uint32_t size[2],
                     const wnn_uints *padding, const wnn_uints *strides,
                     const wnn_uints *dilations) {
  for (size_t i = 0; i < 2; i++)
    windows[i] = (wnn_window){input[i],
                              size[i],
                              strides->data[i],
                              dilations->data[i],
                              padding->data[2 * i],
                              padding->data[2 * i + 1]};
}

int64_t wnn_window_count(const wnn_window *window, bool round_up) {
  int64_t room = (int64_t)window->input + window->begin + window->end - wnn_window_extent(window);
  int64_t stride = window->stride, quotient = room / stride, rest = room % stride;
  if (rest < 0) quotient--; /* C rounds towards zero */
  return quotient + 1 + (round_up && rest != 0);
}

webnn_status wnn_resolve_auto_pad(wnn_infer *in, webnn_auto_pad *mode, const uint64_t total[2],
                                  wnn_window windows[2], wnn_uints *padding) {
  uint32_t sides[4];
  bool upper = *mode == WEBNN_AUTO_PAD_SAME_UPPER;
  for (size_t i = 0; i < 2; i++) {
    uint64_t less = total[i] / 2, more = total[i] - less;
    if (more > UINT32_MAX)
      return wnn_fail(in, WEBNN_ERROR_TYPE, "autoPad asks for %" PRIu64 " %s of padding", total[i],
                      i == 0 ? "rows" : "columns");
    windows[i].begin = sides[2 * i] = (uint32_t)(upper ? less : more);
    windows[i].end = sides[2 * i + 1] = (uint32_t)(upper ? more : less);
  }
  *mode = WEBNN_AUTO_PAD_EXPLICIT;
  return wnn_infer_list(in, padding, sides, 4);
}

webnn_status wnn_resolve_same(wnn_infer *in, webnn_auto_pad *mode, wnn_window windows[2],
                              wnn_uints *padding) {
  uint64_t total[2];
  if (*mode == WEBNN_AUTO_PAD_EXPLICIT) return WEBNN_OK;
  for (size_t i = 0; i < 2; i++) {
    const wnn_window *window = &windows[i];
    uint64_t count = ((uint64_t)window->input + window->stride - 1) / window->stride;
    uint64_t reach = (count - 1) * window->stride + (uint64_t)wnn_window_extent(window);
    total[i] = reach > window->input ? reach - window->input : 0;
  }
  return wnn_resolve_auto_pad(in, mode, total, windows, padding);
}
