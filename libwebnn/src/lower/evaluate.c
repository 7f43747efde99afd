/* Computes one node on constants, with the kernels that would run it. */
#include "lower/executable.h"

#include "lower/program.h"
#include <string.h>

static webnn_status run_once(const wnn_lowering *lowering, const wnn_plan *plan, void *const *inputs,
                             void *const *outputs) {
  const wnn_alloc *alloc = &lowering->host->alloc;
  void *scratch = wnn_alloc_get(alloc, plan->scratch_bytes);
  if (scratch == NULL) return WEBNN_ERROR_UNKNOWN;
  wnn_run run = {inputs, outputs, scratch};
  webnn_status status = plan->kernel->run(plan, &run);
  wnn_alloc_free(alloc, scratch, plan->scratch_bytes);
  return status;
}

static webnn_status run_region(const wnn_lowering *lowering, const wnn_region *region, void *const *inputs,
                               void *const *outputs) {
  const wnn_op_id id = region->anchor->op->id;
  for (const wnn_kernel *const *k = lowering->kernels(lowering->device, id); k != NULL && *k != NULL; k++) {
    wnn_plan *plan = NULL;
    webnn_status status = (*k)->plan(lowering->device, region, &plan);
    if (status == WEBNN_ERROR_NOT_SUPPORTED) continue;
    if (status != WEBNN_OK) return status;
    plan->kernel = *k;
    status = run_once(lowering, plan, inputs, outputs);
    (*k)->free(plan);
    return status;
  }
  return WEBNN_ERROR_NOT_SUPPORTED;
}

/* A transpose is a copy out of another order of axes. */
static webnn_status run_transpose(const wnn_lowering *lowering, const wnn_node *node, wnn_arena *arena,
                                  void *const *outputs) {
  const wnn_transpose_attrs *attrs = node->attrs;
  wnn_node copy = {.op = wnn_op_get(WNN_OP_REORDER), .n_inputs = 1, .n_outputs = 1};
  wnn_region *region = wnn_arena_get(arena, sizeof *region);
  wnn_port *ports = wnn_arena_array(arena, 2, sizeof *ports);
  if (region == NULL || ports == NULL) return WEBNN_ERROR_UNKNOWN;
  const wnn_desc *desc = &node->outputs[0]->desc;
  for (int i = 0; i < 2; i++) ports[i] = (wnn_port){.desc = desc, .layout = wnn_layout_plain(desc->rank)};
  for (uint32_t i = 0; i < desc->rank; i++)
    ports[0].layout.order[attrs->permutation.data[i]] = (uint8_t)i;
  *region = (wnn_region){.anchor = &copy, .inputs = ports, .n_inputs = 1, .outputs = ports + 1,
                         .n_outputs = 1, .anchor_desc = *desc};
  void *inputs[1] = {(void *)wnn_value_data(node->inputs[0])};
  return run_region(lowering, region, inputs, outputs);
}

static webnn_status run_node(const wnn_lowering *lowering, const wnn_node *node, wnn_arena *arena,
                             void *const *outputs) {
  wnn_region *region = wnn_arena_get(arena, sizeof *region);
  wnn_port *ports = wnn_arena_array(arena, node->n_inputs + node->n_outputs, sizeof *ports);
  void **inputs = wnn_arena_array(arena, node->n_inputs, sizeof *inputs);
  if (region == NULL || ports == NULL || inputs == NULL) return WEBNN_ERROR_UNKNOWN;
  for (size_t i = 0; i < node->n_inputs + node->n_outputs; i++) {
    bool is_input = i < node->n_inputs;
    const wnn_value *value = is_input ? node->inputs[i] : node->outputs[i - node->n_inputs];
    if (value == NULL) continue;
    ports[i].desc = &value->desc;
    ports[i].layout = wnn_layout_plain(value->desc.rank);
    if (is_input) ports[i].constant = inputs[i] = (void *)wnn_value_data(value);
  }
  *region = (wnn_region){.anchor = node, .inputs = ports, .n_inputs = node->n_inputs,
                         .outputs = ports + node->n_inputs, .n_outputs = node->n_outputs,
                         .anchor_desc = node->outputs[0]->desc};
  return run_region(lowering, region, inputs, outputs);
}

webnn_status wnn_lower_evaluate(const wnn_lowering *lowering, const wnn_node *node, void *const *outputs) {
  wnn_arena arena;
  wnn_arena_init(&arena, &lowering->host->alloc);
  webnn_status status;
  if (wnn_node_is(node, WNN_OP_TRANSPOSE)) {
    status = run_transpose(lowering, node, &arena, outputs);
  } else if (wnn_op_is_view(node)) {
    memcpy(outputs[0], wnn_value_data(node->inputs[0]), wnn_desc_bytes(&node->outputs[0]->desc));
    status = WEBNN_OK;
  } else {
    status = run_node(lowering, node, &arena, outputs);
  }
  wnn_arena_reset(&arena);
  return status;
}
