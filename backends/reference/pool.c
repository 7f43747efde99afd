/* Pooling over windows of a plane: average, L2 norm, maximum. */
#include "reference.h"
#include <math.h>

/* A running window: what the cells inside the input have come to so far. */
typedef struct window {
  size_t n_cells;
  double sum, sum_square, max; /* floats */
  uint64_t max_bits;           /* integers */
} window;

/* The axes of the layout. */
typedef struct plane {
  uint32_t channel, height, width;
} plane;

static plane plane_of(webnn_input_operand_layout layout) {
  return layout == WEBNN_INPUT_OPERAND_LAYOUT_NCHW ? (plane){1, 2, 3} : (plane){3, 1, 2};
}

static void take_float(window *w, double x) {
  if (w->n_cells++ == 0 || x > w->max || x != x) w->max = x; /* a NaN stays: nothing is greater */
  w->sum += x;
  w->sum_square += x * x;
}

static void take_integer(window *w, uint64_t bits, bool is_signed) {
  bool larger = is_signed ? wnn_ref_signed(bits) > wnn_ref_signed(w->max_bits) : bits > w->max_bits;
  if (w->n_cells++ == 0 || larger) w->max_bits = bits;
}

static void take(window *w, const wnn_ref_input *input, size_t i) {
  webnn_data_type type = input->desc->type;
  if (wnn_type_is_float(type)) take_float(w, wnn_ref_load_f(input->data, type, i));
  else take_integer(w, wnn_ref_load_bits(input->data, type, i), wnn_type_is_signed(type));
}

/* The window of the output cell `at`; cells in the padding don't count. */
static window look(const wnn_node_view *node, const uint32_t at[WNN_MAX_RANK]) {
  const wnn_pool2d_attrs *attrs = node->attrs;
  const wnn_desc *desc = node->inputs[0].desc;
  plane axes = plane_of(attrs->layout);
  size_t strides[WNN_MAX_RANK];
  window w = {0};
  wnn_shape_strides(desc, strides);
  int64_t top = (int64_t)at[axes.height] * attrs->strides.data[0] - attrs->padding.data[0];
  int64_t left = (int64_t)at[axes.width] * attrs->strides.data[1] - attrs->padding.data[2];
  size_t base = strides[0] * at[0] + strides[axes.channel] * at[axes.channel];
  for (uint32_t i = 0; i < attrs->window_dimensions.data[0]; i++)
    for (uint32_t j = 0; j < attrs->window_dimensions.data[1]; j++) {
      int64_t y = top + (int64_t)i * attrs->dilations.data[0];
      int64_t x = left + (int64_t)j * attrs->dilations.data[1];
      if (y < 0 || y >= desc->dims[axes.height] || x < 0 || x >= desc->dims[axes.width]) continue;
      size_t k = base + strides[axes.height] * (size_t)y + strides[axes.width] * (size_t)x;
      take(&w, &node->inputs[0], k);
    }
  return w;
}

/* The identity of the operation where no cell of the window lies inside the input. */
static void store(const wnn_node_view *node, size_t i, const window *w) {
  const wnn_ref_output *output = &node->outputs[0];
  webnn_data_type type = output->desc->type;
  if (node->op == WNN_OP_AVERAGE_POOL2D)
    wnn_ref_store_f(output->data, type, i, w->n_cells ? w->sum / (double)w->n_cells : 0.0);
  else if (node->op == WNN_OP_L2_POOL2D)
    wnn_ref_store_f(output->data, type, i, sqrt(w->sum_square));
  else if (wnn_type_is_float(type))
    wnn_ref_store_f(output->data, type, i, w->n_cells ? w->max : -(double)INFINITY);
  else
    wnn_ref_store_bits(output->data, type, i,
                       w->n_cells ? w->max_bits : (uint64_t)wnn_type_min(type));
}

static webnn_status pool(const wnn_node_view *node) {
  uint32_t at[WNN_MAX_RANK] = {0};
  size_t i = 0;
  do {
    window w = look(node, at);
    store(node, i++, &w);
  } while (wnn_ref_next(node->outputs[0].desc, at));
  return WEBNN_OK;
}

wnn_reference_fn wnn_reference_pool(wnn_op_id op) {
  switch (op) {
    case WNN_OP_AVERAGE_POOL2D:
    case WNN_OP_L2_POOL2D:
    case WNN_OP_MAX_POOL2D: return pool;
    default: return NULL;
  }
}
