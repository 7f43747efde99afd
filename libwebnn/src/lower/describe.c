/* What a step does, in words and numbers: for profiles. */
#include "lower/program.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_TEXT ((size_t)512)

typedef struct text {
  char at[MAX_TEXT];
  size_t n;
} text;

static void append(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(text *t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(t->at + t->n, MAX_TEXT - t->n, format, args);
  va_end(args);
  if (n > 0) t->n = t->n + (size_t)n < MAX_TEXT ? t->n + (size_t)n : MAX_TEXT - 1;
}

static const char *keep(wnn_arena *arena, const text *t) { return wnn_arena_copy(arena, t->at, t->n + 1); }

/* "8x": blocks; "0231": the order of the axes in memory. */
static void append_layout(text *t, const wnn_layout *layout) {
  if (wnn_layout_is_blocked(layout)) append(t, "%ux", (unsigned)layout->block);
  else
    for (uint8_t i = 0; i < layout->rank; i++) append(t, "%u", (unsigned)layout->order[i]);
}

/* "float32[1,64,8,8]:0231": the layout stands there where it isn't the plain one. */
static void append_port(text *t, const wnn_port *port) {
  if (port->desc == NULL) return;
  append(t, "%s", wnn_desc_format(port->desc).text);
  if (!wnn_port_is_plain(port)) {
    append(t, ":");
    append_layout(t, &port->layout);
  }
  append(t, port->constant ? "c " : " ");
}

/* The kernels that stand before the one that plans. */
static void append_declined(text *t, const wnn_lowering *lowering, const wnn_step *step) {
  const wnn_kernel *const *k = lowering->kernels(lowering->device, step->region.anchor->op->id);
  for (; k != NULL && *k != NULL && *k != step->plan->kernel; k++)
    append(t, "%s%s", t->n ? ", " : "", (*k)->name);
}

uint64_t wnn_region_flops(const wnn_region *region) {
  const wnn_desc *out = &region->anchor_desc, *in = region->n_inputs ? region->inputs[0].desc : NULL;
  uint64_t n = wnn_desc_count(out);
  switch (region->anchor->op->id) {
    case WNN_OP_CONV2D:
    case WNN_OP_CONV2D_INTEGER:
    case WNN_OP_CONV_TRANSPOSE2D: {
      const wnn_desc *filter = region->inputs[1].desc;
      const bool transposed = region->anchor->op->id == WNN_OP_CONV_TRANSPOSE2D;
      uint64_t channels_first = transposed
                                    ? ((const wnn_conv_transpose2d_attrs *)region->anchor->attrs)->input_layout
                                    : ((const wnn_conv2d_attrs *)region->anchor->attrs)->input_layout;
      const wnn_desc *driver = transposed ? in : out;
      uint64_t depth = driver->dims[channels_first == WEBNN_INPUT_OPERAND_LAYOUT_NCHW ? 1 : 3];
      /* Each place of the output (of the input, transposed) meets the filter's share of one channel. */
      return 2 * wnn_desc_count(driver) * (wnn_desc_count(filter) / depth);
    }
    case WNN_OP_MATMUL:
    case WNN_OP_MATMUL_INTEGER: return 2 * n * in->dims[in->rank - 1];
    case WNN_OP_ATTENTION: { /* each score takes a row of q and gives one of v */
      const uint64_t across = out->dims[out->rank - 1], depth = in->dims[in->rank - 1];
      const wnn_desc *k = region->inputs[WNN_ATTENTION_K].desc;
      return 2 * n / across * k->dims[k->rank - 1] * (depth + across);
    }
    case WNN_OP_GEMM: {
      const wnn_gemm_attrs *attrs = region->anchor->attrs;
      return 2 * n * in->dims[attrs->a_transpose ? 0 : 1];
    }
    case WNN_OP_GRU:
    case WNN_OP_GRU_CELL:
    case WNN_OP_LSTM:
    case WNN_OP_LSTM_CELL:
    case WNN_OP_LSTM_INTEGER: { /* each step of each batch meets all weights */
      uint64_t rows = wnn_desc_count(in) / in->dims[in->rank - 1];
      return 2 * rows * (wnn_desc_count(region->inputs[1].desc) + wnn_desc_count(region->inputs[2].desc));
    }
    default: return 0;
  }
}

uint64_t wnn_region_bytes(const wnn_region *region) {
  uint64_t n = 0;
  for (size_t i = 0; i < region->n_inputs; i++)
    if (region->inputs[i].desc != NULL) n += wnn_desc_bytes(region->inputs[i].desc);
  for (size_t i = 0; i < region->n_outputs; i++) n += wnn_desc_bytes(region->outputs[i].desc);
  return n;
}

static uint32_t threads_of(const wnn_lowering *lowering, const wnn_plan *plan) {
  return plan->heavy && lowering->host->pool != NULL ? wnn_pool_threads(lowering->host->pool) : 1;
}

webnn_status wnn_step_describe(const wnn_lowering *lowering, const wnn_step *step, wnn_arena *arena,
                               wnn_step_info *out) {
  const wnn_region *region = &step->region;
  text operations = {.n = 0}, shapes = {.n = 0}, layout = {.n = 0}, declined = {.n = 0}, kernel = {.n = 0};
  webnn_str label = region->anchor->label;
  append(&operations, "%s", region->anchor->op->name);
  for (size_t i = 0; i < region->n_posts; i++) {
    append(&operations, "+%s", region->posts[i].node->op->name);
    if (label.size == 0) label = region->posts[i].node->label;
  }
  *out = (wnn_step_info){.n_flops = wnn_region_flops(region),
                         .n_launches = step->plan->n_launches,
                         .n_bytes = wnn_region_bytes(region),
                         .n_threads = threads_of(lowering, step->plan),
                         .reason = step->reason ? step->reason : ""};
  append(&kernel, "%s", step->plan->kernel->name);
  if (step->plan->detail != NULL) append(&kernel, " %s", step->plan->detail);
  if (wnn_port_is_plain(&region->outputs[0])) append(&layout, "plain");
  else append_layout(&layout, &region->outputs[0].layout);
  append_declined(&declined, lowering, step);
  for (size_t i = 0; i < region->n_inputs; i++) append_port(&shapes, &region->inputs[i]);
  append(&shapes, "-> ");
  for (size_t i = 0; i < region->n_outputs; i++) append_port(&shapes, &region->outputs[i]);
  while (shapes.n > 0 && shapes.at[shapes.n - 1] == ' ') shapes.at[--shapes.n] = '\0';
  out->operations = keep(arena, &operations);
  out->kernel = keep(arena, &kernel);
  out->shapes = keep(arena, &shapes);
  out->layout = keep(arena, &layout);
  out->declined = keep(arena, &declined);
  bool kept = wnn_arena_str(arena, label, &out->label);
  kept = kept && out->layout != NULL && out->declined != NULL && out->kernel != NULL;
  return kept && out->operations != NULL && out->shapes != NULL ? WEBNN_OK : WEBNN_ERROR_UNKNOWN;
}
