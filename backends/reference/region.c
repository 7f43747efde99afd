/* The kernel of last resort: any region, in any layouts, node by node on plain copies. */
#include "reference.h"

wnn_reference_fn wnn_reference_lookup(wnn_op_id op) {
  static wnn_reference_fn (*const families[])(wnn_op_id) = {
      wnn_reference_activation, wnn_reference_conv,   wnn_reference_elementwise,
      wnn_reference_index,      wnn_reference_integer,   wnn_reference_matmul, wnn_reference_movement,
      wnn_reference_norm,       wnn_reference_pool,      wnn_reference_quantize,
      wnn_reference_recurrent,  wnn_reference_reduce,    wnn_reference_resample,
  };
  for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
    wnn_reference_fn fn = families[i](op);
    if (fn != NULL) return fn;
  }
  return NULL;
}

size_t wnn_reference_scratch(const wnn_node_view *node) {
  if (node->op == WNN_OP_ATTENTION) { /* a row of scores */
    const wnn_desc *k = node->inputs[WNN_ATTENTION_K].desc;
    return k->dims[k->rank - 1] * sizeof(float);
  }
  return wnn_reference_recurrent(node->op) != NULL ? wnn_reference_recurrent_scratch(node) : 0;
}

/* An operand of the region. What doesn't lie plain has a plain copy in the scratch. */
typedef struct region_port {
  wnn_desc desc;
  wnn_layout layout;
  bool is_present, is_plain;
  size_t copy; /* place in the scratch */
} region_port;

/* One node of the region: the anchor or a post. */
typedef struct region_stage {
  wnn_reference_fn fn;
  wnn_op_id op;
  const void *attrs;
  int16_t *from; /* by operand position, as in wnn_post */
  size_t n_inputs;
  wnn_desc desc;       /* of its first result */
  size_t result;       /* place of that in the scratch, unless this is the last stage */
  size_t node_scratch; /* place of the function's own scratch */
} region_stage;

typedef struct region_plan {
  wnn_plan base;
  wnn_alloc alloc;
  wnn_arena arena; /* all that is behind the pointers */
  region_port *inputs, *outputs;
  size_t n_inputs, n_outputs;
  region_stage *stages;
  size_t n_stages;
  size_t input_views, output_views; /* places in the scratch */
} region_plan;

/* Elements, or multiply-adds, beyond which a run isn't a matter of some microseconds any more. */
#define LIGHT_ELEMENTS 4096
#define LIGHT_PRODUCTS 16384

static size_t reserve(region_plan *plan, size_t n_bytes) {
  size_t at = plan->base.scratch_bytes;
  plan->base.scratch_bytes = (at + n_bytes + WNN_CACHE_LINE - 1) / WNN_CACHE_LINE * WNN_CACHE_LINE;
  return at;
}

/* ---- planning */

/* The graph goes before the first run, so its lists are copied: the table knows where they are. */
static bool copy_lists(wnn_arena *arena, const wnn_signature *signature, char *attrs) {
  for (size_t i = 0; i < signature->n_fields; i++) {
    const wnn_field *field = &signature->fields[i];
    wnn_uints *uints = (wnn_uints *)(void *)(attrs + field->offset);
    wnn_floats *floats = (wnn_floats *)(void *)(attrs + field->offset);
    switch (field->pub.kind) {
      case WEBNN_FIELD_UINTS:
      case WEBNN_FIELD_UINT_OR_UINTS:
      case WEBNN_FIELD_ENUMS:
        uints->data = wnn_arena_copy(arena, uints->data, uints->n * sizeof *uints->data);
        if (uints->data == NULL) return false;
        break;
      case WEBNN_FIELD_FLOATS:
        floats->data = wnn_arena_copy(arena, floats->data, floats->n * sizeof *floats->data);
        if (floats->data == NULL) return false;
        break;
      default: break;
    }
  }
  return true;
}

static bool copy_attrs(wnn_arena *arena, const wnn_node *node, const void **out) {
  const wnn_signature *signature = node->op->signature;
  *out = NULL;
  if (signature->attrs_bytes == 0 || node->attrs == NULL) return true;
  char *attrs = wnn_arena_copy(arena, node->attrs, signature->attrs_bytes);
  *out = attrs;
  return attrs != NULL && copy_lists(arena, signature, attrs);
}

static bool plan_ports(region_plan *plan, const wnn_port *from, size_t n, region_port **out) {
  region_port *ports = wnn_arena_array(&plan->arena, n, sizeof *ports);
  if (ports == NULL) return false;
  for (size_t i = 0; i < n; i++) {
    if (from[i].desc == NULL) continue;
    ports[i] = (region_port){*from[i].desc, from[i].layout, true, false, 0};
    ports[i].is_plain = wnn_layout_is_plain(&ports[i].layout, &ports[i].desc);
    if (!ports[i].is_plain) ports[i].copy = reserve(plan, wnn_desc_bytes(&ports[i].desc));
  }
  *out = ports;
  return true;
}

static bool plan_stage(region_plan *plan, const wnn_region *region, size_t s) {
  region_stage *stage = &plan->stages[s];
  const wnn_post *post = s == 0 ? NULL : &region->posts[s - 1];
  const wnn_node *node = s == 0 ? region->anchor : post->node;
  stage->op = node->op->id;
  stage->fn = wnn_reference_lookup(stage->op);
  stage->n_inputs = node->n_inputs;
  stage->desc = s == 0 ? region->anchor_desc : post->desc;
  stage->from = wnn_arena_array(&plan->arena, stage->n_inputs, sizeof *stage->from);
  if (stage->from == NULL || !copy_attrs(&plan->arena, node, &stage->attrs)) return false;
  for (size_t i = 0; i < stage->n_inputs; i++) stage->from[i] = s == 0 ? (int16_t)i : post->from[i];
  if (s + 1 < plan->n_stages) stage->result = reserve(plan, wnn_desc_bytes(&stage->desc));
  return true;
}

/* The stage's node with everything but scratch; data only where the run's pointers are given. */
static wnn_node_view view_of(const region_plan *plan, size_t s, const wnn_run *run,
                             wnn_ref_input *inputs, wnn_ref_output *outputs) {
  const region_stage *stage = &plan->stages[s];
  bool is_last = s + 1 == plan->n_stages;
  char *scratch = run != NULL ? run->scratch : NULL;
  for (size_t i = 0; i < stage->n_inputs; i++) {
    int from = stage->from[i];
    inputs[i] = (wnn_ref_input){NULL, NULL};
    if (from == WNN_FROM_NONE) continue;
    const region_port *port = WNN_IS_STAGE(from) ? NULL : &plan->inputs[from];
    if (port != NULL && !port->is_present) continue;
    inputs[i].desc = port == NULL ? &plan->stages[WNN_STAGE_OF(from)].desc : &port->desc;
    if (run == NULL) continue;
    if (port == NULL)
      inputs[i].data = scratch + plan->stages[WNN_STAGE_OF(from)].result;
    else
      inputs[i].data = port->is_plain ? run->inputs[from] : scratch + port->copy;
  }
  size_t n_outputs = is_last ? plan->n_outputs : 1;
  for (size_t i = 0; i < n_outputs; i++) {
    const region_port *port = is_last ? &plan->outputs[i] : NULL;
    outputs[i] = (wnn_ref_output){port == NULL ? &stage->desc : &port->desc, NULL};
    if (run == NULL) continue;
    if (port == NULL)
      outputs[i].data = scratch + stage->result;
    else
      outputs[i].data = port->is_plain ? run->outputs[i] : scratch + port->copy;
  }
  return (wnn_node_view){stage->op, stage->attrs, inputs, stage->n_inputs,
                         outputs,   n_outputs,    NULL};
}

static bool plan_scratch(region_plan *plan) {
  size_t n_views = plan->n_inputs;
  for (size_t s = 0; s < plan->n_stages; s++)
    if (plan->stages[s].n_inputs > n_views) n_views = plan->stages[s].n_inputs;
  wnn_ref_input *inputs = wnn_arena_array(&plan->arena, n_views, sizeof *inputs);
  wnn_ref_output *outputs = wnn_arena_array(&plan->arena, plan->n_outputs + 1, sizeof *outputs);
  if (inputs == NULL || outputs == NULL) return false;
  plan->input_views = reserve(plan, n_views * sizeof *inputs);
  plan->output_views = reserve(plan, (plan->n_outputs + 1) * sizeof *outputs);
  for (size_t s = 0; s < plan->n_stages; s++) {
    wnn_node_view view = view_of(plan, s, NULL, inputs, outputs);
    plan->stages[s].node_scratch = reserve(plan, wnn_reference_scratch(&view));
  }
  return true;
}

static size_t count(const region_port *ports, size_t n) {
  size_t sum = 0;
  for (size_t i = 0; i < n; i++)
    if (ports[i].is_present) sum += wnn_desc_count(&ports[i].desc);
  return sum;
}

static uint32_t channels_of(const wnn_desc *desc, webnn_input_operand_layout layout) {
  return desc->dims[layout == WEBNN_INPUT_OPERAND_LAYOUT_NHWC ? 3 : 1];
}

static uint32_t last_dim(const wnn_desc *desc) { return desc->dims[desc->rank - 1]; }

/* What the anchor multiplies and adds, or reads through windows; 0 for everything that only walks
 * its operands. */
static size_t products(const region_plan *plan) {
  const region_stage *anchor = &plan->stages[0];
  const void *attrs = anchor->attrs;
  const wnn_desc *x = &plan->inputs[0].desc, *weights = &plan->inputs[plan->n_inputs > 1].desc;
  const wnn_desc *out = &anchor->desc;
  switch (anchor->op) {
    case WNN_OP_CONV2D:
      return wnn_desc_count(out) * wnn_desc_count(weights) /
             channels_of(out, ((const wnn_conv2d_attrs *)attrs)->input_layout);
    case WNN_OP_CONV_TRANSPOSE2D:
      return wnn_desc_count(x) * wnn_desc_count(weights) /
             channels_of(x, ((const wnn_conv_transpose2d_attrs *)attrs)->input_layout);
    case WNN_OP_ATTENTION: return wnn_desc_count(out) * last_dim(weights); /* as much again at most, or few */
    case WNN_OP_MATMUL: return wnn_desc_count(out) * last_dim(x);
    case WNN_OP_GEMM: return wnn_desc_count(x) * out->dims[1];
    case WNN_OP_GRU:
    case WNN_OP_GRU_CELL:
    case WNN_OP_LSTM:
    case WNN_OP_LSTM_CELL:
    case WNN_OP_LSTM_INTEGER: /* input 2 has the recurrent weights */
      return wnn_desc_count(x) / last_dim(x) * count(plan->inputs + 1, 2);
    case WNN_OP_AVERAGE_POOL2D:
    case WNN_OP_L2_POOL2D:
    case WNN_OP_MAX_POOL2D: {
      const uint32_t *window = ((const wnn_pool2d_attrs *)attrs)->window_dimensions.data;
      return wnn_desc_count(out) * window[0] * window[1];
    }
    default: return 0;
  }
}

static bool is_heavy(const region_plan *plan) {
  if (count(plan->inputs, plan->n_inputs) + count(plan->outputs, plan->n_outputs) > LIGHT_ELEMENTS)
    return true;
  return products(plan) > LIGHT_PRODUCTS;
}

static void free_plan(wnn_plan *base) {
  region_plan *plan = (region_plan *)base;
  if (plan == NULL) return;
  wnn_alloc alloc = plan->alloc;
  wnn_arena_reset(&plan->arena);
  wnn_alloc_free(&alloc, plan, plan->base.n_bytes);
}

static bool fill_plan(region_plan *plan, const wnn_region *region) {
  plan->n_inputs = region->n_inputs;
  plan->n_outputs = region->n_outputs;
  plan->n_stages = 1 + region->n_posts;
  plan->stages = wnn_arena_array(&plan->arena, plan->n_stages, sizeof *plan->stages);
  if (plan->stages == NULL) return false;
  if (!plan_ports(plan, region->inputs, region->n_inputs, &plan->inputs)) return false;
  if (!plan_ports(plan, region->outputs, region->n_outputs, &plan->outputs)) return false;
  for (size_t s = 0; s < plan->n_stages; s++)
    if (!plan_stage(plan, region, s)) return false;
  if (!plan_scratch(plan)) return false;
  plan->base.heavy = is_heavy(plan);
  return true;
}

static bool is_served(const wnn_region *region) {
  if (wnn_reference_lookup(region->anchor->op->id) == NULL) return false;
  for (size_t i = 0; i < region->n_posts; i++)
    if (wnn_reference_lookup(region->posts[i].node->op->id) == NULL) return false;
  return true;
}

static webnn_status plan_region(wnn_device *device, const wnn_region *region, wnn_plan **out) {
  const wnn_alloc *alloc = &wnn_device_host(device)->alloc;
  *out = NULL;
  if (!is_served(region)) return WEBNN_ERROR_NOT_SUPPORTED;
  region_plan *plan = (region_plan *)wnn_plan_create(device, alloc, sizeof *plan);
  if (plan == NULL) return WEBNN_ERROR_UNKNOWN;
  plan->alloc = *alloc;
  wnn_arena_init(&plan->arena, alloc);
  if (!fill_plan(plan, region)) {
    free_plan(&plan->base);
    return WEBNN_ERROR_UNKNOWN;
  }
  *out = &plan->base;
  return WEBNN_OK;
}

/* ---- running */

/* Copies element by element; what a block has beyond the axis's end becomes zero. */
static void reorder(const wnn_desc *desc, const wnn_layout *from, const void *x,
                    const wnn_layout *to, void *y) {
  size_t n_bytes = webnn_data_type_bytes(desc->type);
  uint32_t at[WNN_MAX_RANK] = {0};
  if (wnn_layout_is_blocked(to)) memset(y, 0, wnn_layout_bytes(to, desc));
  do {
    wnn_ref_copy(y, wnn_layout_offset(to, desc, at), x, wnn_layout_offset(from, desc, at), n_bytes);
  } while (wnn_ref_next(desc, at));
}

static bool is_reorder(const region_plan *plan) {
  return plan->n_stages == 1 && plan->stages[0].op == WNN_OP_REORDER;
}

static webnn_status run_region(const wnn_plan *base, const wnn_run *run) {
  const region_plan *plan = (const region_plan *)base;
  char *scratch = run->scratch;
  if (is_reorder(plan)) {
    reorder(&plan->inputs[0].desc, &plan->inputs[0].layout, run->inputs[0],
            &plan->outputs[0].layout, run->outputs[0]);
    return WEBNN_OK;
  }
  for (size_t i = 0; i < plan->n_inputs; i++) {
    const region_port *port = &plan->inputs[i];
    wnn_layout plain = wnn_layout_plain(port->desc.rank);
    if (port->is_present && !port->is_plain)
      reorder(&port->desc, &port->layout, run->inputs[i], &plain, scratch + port->copy);
  }
  wnn_ref_input *inputs = (wnn_ref_input *)(void *)(scratch + plan->input_views);
  wnn_ref_output *outputs = (wnn_ref_output *)(void *)(scratch + plan->output_views);
  for (size_t s = 0; s < plan->n_stages; s++) {
    wnn_node_view view = view_of(plan, s, run, inputs, outputs);
    view.scratch = scratch + plan->stages[s].node_scratch;
    webnn_status status = plan->stages[s].fn(&view);
    if (status != WEBNN_OK) return status;
  }
  for (size_t i = 0; i < plan->n_outputs; i++) {
    const region_port *port = &plan->outputs[i];
    wnn_layout plain = wnn_layout_plain(port->desc.rank);
    if (port->is_present && !port->is_plain)
      reorder(&port->desc, &plain, scratch + port->copy, &port->layout, run->outputs[i]);
  }
  return WEBNN_OK;
}

const wnn_kernel wnn_reference_region = {"reference", plan_region, run_region, free_plan};
