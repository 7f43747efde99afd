/* Why the last resort runs a region: the kernels before it are asked again with one thing changed at a time. */
#include "lower/program.h"

/* Changes one thing of a region that is a copy; false: there is nothing to change. */
typedef bool (*change_fn)(wnn_region *region);

static bool change_type(wnn_port *port, webnn_data_type from) {
  if (port->desc == NULL || port->desc->type != from) return false;
  ((wnn_desc *)port->desc)->type = WEBNN_DATA_TYPE_FLOAT32; /* of the copy */
  port->constant = NULL;                                    /* whose bytes are of the other type */
  return true;
}

static bool change_results(wnn_region *region, webnn_data_type from) {
  bool changed = false;
  for (size_t i = 0; i < region->n_outputs; i++) changed = change_type(&region->outputs[i], from) || changed;
  for (size_t i = 0; i < region->n_posts; i++)
    if (region->posts[i].desc.type == from) region->posts[i].desc.type = WEBNN_DATA_TYPE_FLOAT32;
  if (region->anchor_desc.type == from) region->anchor_desc.type = WEBNN_DATA_TYPE_FLOAT32;
  return changed;
}

/* The type of the data alone: indices may happen to have the same one. */
static bool float_data(wnn_region *region) {
  if (region->n_inputs == 0 || region->inputs[0].desc == NULL) return false;
  webnn_data_type from = region->inputs[0].desc->type;
  if (from == WEBNN_DATA_TYPE_FLOAT32) return false;
  change_type(&region->inputs[0], from);
  change_results(region, from);
  return true;
}

static bool float_operands(wnn_region *region) {
  if (region->n_inputs == 0 || region->inputs[0].desc == NULL) return false;
  webnn_data_type from = region->inputs[0].desc->type;
  if (from == WEBNN_DATA_TYPE_FLOAT32) return false;
  for (size_t i = 0; i < region->n_inputs; i++) change_type(&region->inputs[i], from);
  change_results(region, from);
  return true;
}

static bool lay_plain(wnn_port *ports, size_t n) {
  bool changed = false;
  for (size_t i = 0; i < n; i++) {
    if (ports[i].desc == NULL || wnn_port_is_plain(&ports[i])) continue;
    ports[i].layout = wnn_layout_plain(ports[i].desc->rank);
    changed = true;
  }
  return changed;
}

static bool plain_layouts(wnn_region *region) {
  bool inputs = lay_plain(region->inputs, region->n_inputs);
  return lay_plain(region->outputs, region->n_outputs) || inputs;
}

static bool nothing_fused(wnn_region *region) {
  if (region->n_posts == 0) return false;
  region->n_posts = 0;
  region->n_inputs = region->anchor->n_inputs;
  return true;
}

static wnn_port *copy_ports(const wnn_port *ports, size_t n, wnn_arena *arena) {
  wnn_port *copies = wnn_arena_array(arena, n, sizeof *copies);
  wnn_desc *descs = wnn_arena_array(arena, n, sizeof *descs);
  if (copies == NULL || descs == NULL) return NULL;
  for (size_t i = 0; i < n; i++) {
    copies[i] = ports[i];
    if (ports[i].desc == NULL) continue;
    descs[i] = *ports[i].desc;
    copies[i].desc = &descs[i];
  }
  return copies;
}

/* True when a kernel before the last takes the region with this change. */
static bool helps(change_fn change, const wnn_lowering *lowering, const wnn_region *region, wnn_arena *arena) {
  wnn_region *copy = wnn_arena_copy(arena, region, sizeof *region);
  if (copy == NULL) return false;
  copy->inputs = copy_ports(region->inputs, region->n_inputs, arena);
  copy->outputs = copy_ports(region->outputs, region->n_outputs, arena);
  if (copy->inputs == NULL || copy->outputs == NULL || !change(copy)) return false;
  const wnn_kernel *const *k = lowering->kernels(lowering->device, region->anchor->op->id);
  for (; k[0] != NULL && k[1] != NULL; k++) {
    wnn_plan *plan = NULL;
    if ((*k)->plan(lowering->device, copy, &plan) != WEBNN_OK) continue;
    (*k)->free(plan);
    return true;
  }
  return false;
}

const char *wnn_reason_declined(const wnn_lowering *lowering, const wnn_region *region, wnn_arena *arena) {
  static const struct {
    change_fn change;
    const char *text;
  } trials[] = {
      {float_data, "the faster kernels don't take its data type"},
      {float_operands, "the faster kernels don't take its data type"},
      {plain_layouts, "the faster kernels don't take its layouts"},
      {nothing_fused, "the faster kernels don't take what is fused behind it"},
  };
  const wnn_kernel *const *list = lowering->kernels(lowering->device, region->anchor->op->id);
  if (list[0] == NULL || list[1] == NULL) return "there is no faster kernel for it";
  for (size_t i = 0; i < sizeof trials / sizeof *trials; i++)
    if (helps(trials[i].change, lowering, region, arena)) return trials[i].text;
  return "the faster kernels don't take its shapes or options";
}
