/* Chains of element-wise operations: one kernel that walks the result as it lies in memory. */
#include "gen.h"

static webnn_status plan(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  wnn_cl_gen g;
  webnn_status status = wnn_cl_gen_begin(&g, device, region);
  const wnn_node *node = region->anchor;
  const char *operands[WNN_MAX_POST_INPUTS] = {NULL};
  webnn_data_type types[WNN_MAX_POST_INPUTS] = {0};
  for (size_t i = 0; i < node->n_inputs && status == WEBNN_OK; i++) {
    operands[i] = wnn_cl_load(&g, i, wnn_cl_index(&g, i, "i"));
    types[i] = region->inputs[i].desc->type;
    /* Expressions may name an operand several times. */
    wnn_cl_put(&g, "  const %s x%zu = %s;\n", wnn_cl_value(types[i]), i, operands[i]);
    operands[i] = wnn_cl_say(&g, "x%zu", i);
  }
  if (status == WEBNN_OK) {
    wnn_cl_tail(&g, wnn_cl_expression(&g, node, region->anchor_desc.type, types, operands), "i");
    wnn_cl_items(&g, wnn_desc_count(region->outputs[0].desc));
  }
  return wnn_cl_gen_finish(&g, status, out);
}

const wnn_kernel wnn_cl_elementwise = {"opencl elementwise", plan, wnn_cl_plan_run,
                                       wnn_cl_plan_free};
