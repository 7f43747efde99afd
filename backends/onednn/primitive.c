/* Chains of primitives: how every oneDNN kernel plans a region and runs it. */
#include "onednn.h"

#include <string.h>
#include "gate.h"
#include "kernels/half.h"

webnn_status wnn_onednn_status(dnnl_status_t status) {
  switch (status) {
    case dnnl_success: return WEBNN_OK;
    case dnnl_unimplemented:
    case dnnl_invalid_arguments: return WEBNN_ERROR_NOT_SUPPORTED;
    default: return WEBNN_ERROR_UNKNOWN;
  }
}

static bool ok(const wnn_chain *chain) { return chain->status == WEBNN_OK; }

static bool fail(wnn_chain *chain, webnn_status status) {
  if (chain->status == WEBNN_OK) chain->status = status;
  return false;
}

/* True when the call went well and nothing has failed before. */
static bool check(wnn_chain *chain, dnnl_status_t status) {
  if (status != dnnl_success) return fail(chain, wnn_onednn_status(status));
  return ok(chain);
}

/* Work that a thread does in less time than it takes to call another one and to wait for it. */
#define SMALL_NS 10000
#define FLOPS_PER_NS 50
#define BYTES_PER_NS 10

static bool is_small(const wnn_region *region) {
  return wnn_region_flops(region) / FLOPS_PER_NS + wnn_region_bytes(region) / BYTES_PER_NS <
         SMALL_NS;
}

bool wnn_chain_begin(wnn_chain *chain, wnn_device *device, const wnn_region *region) {
  memset(chain, 0, sizeof *chain);
  if (!wnn_gate_enter_first(&chain->place)) return false;
  chain->device = device;
  chain->region = region;
  chain->in_place = -1;
  chain->is_small = wnn_pool_threads(device->host->pool) == 1 || is_small(region);
  wnn_device_enter(device, chain->is_small ? 1 : 0);
  return true;
}

/* Descriptors. */

const_dnnl_memory_desc_t wnn_chain_keep(wnn_chain *chain, dnnl_status_t status,
                                        dnnl_memory_desc_t desc) {
  if (!check(chain, status)) {
    if (status == dnnl_success) dnnl_memory_desc_destroy(desc);
    return NULL;
  }
  if (chain->n_descs == WNN_CHAIN_DESCS) {
    dnnl_memory_desc_destroy(desc);
    fail(chain, WEBNN_ERROR_NOT_SUPPORTED);
    return NULL;
  }
  return chain->descs[chain->n_descs++] = desc;
}

const_dnnl_memory_desc_t wnn_chain_strided(wnn_chain *chain, uint32_t n, const dnnl_dim_t *dims,
                                           const dnnl_dim_t *strides) {
  dnnl_memory_desc_t desc = NULL;
  dnnl_status_t status =
      dnnl_memory_desc_create_with_strides(&desc, (int)n, dims, dnnl_f32, strides);
  return wnn_chain_keep(chain, status, desc);
}

const_dnnl_memory_desc_t wnn_chain_dense(wnn_chain *chain, uint32_t n, const dnnl_dim_t *dims) {
  dnnl_dims_t strides;
  dnnl_dim_t stride = 1;
  for (uint32_t i = n; i-- > 0; stride *= dims[i]) strides[i] = stride;
  return wnn_chain_strided(chain, n, dims, strides);
}

const_dnnl_memory_desc_t wnn_chain_any(wnn_chain *chain, uint32_t n, const dnnl_dim_t *dims) {
  dnnl_memory_desc_t desc = NULL;
  dnnl_status_t status =
      dnnl_memory_desc_create_with_tag(&desc, (int)n, dims, dnnl_f32, dnnl_format_tag_any);
  return wnn_chain_keep(chain, status, desc);
}

/* Memories. */

static int add_memory(wnn_chain *chain, const_dnnl_memory_desc_t desc, wnn_spot spot) {
  if (!ok(chain) || desc == NULL) return -1;
  if (chain->n_memories == WNN_CHAIN_MEMORIES) {
    fail(chain, WEBNN_ERROR_NOT_SUPPORTED);
    return -1;
  }
  wnn_chain_memory *memory = &chain->memories[chain->n_memories];
  *memory = (wnn_chain_memory){.spot = spot, .n_bytes = dnnl_memory_desc_get_size(desc)};
  if (!check(chain,
             dnnl_memory_create(&memory->memory, desc, chain->device->engine, DNNL_MEMORY_NONE)))
    return -1;
  return (int)chain->n_memories++;
}

static wnn_spot take_scratch(wnn_chain *chain, size_t n_bytes) {
  wnn_spot spot = {WNN_SPOT_SCRATCH, chain->scratch_bytes};
  chain->scratch_bytes += (n_bytes + WNN_CACHE_LINE - 1) / WNN_CACHE_LINE * WNN_CACHE_LINE;
  return spot;
}

int wnn_chain_scratch(wnn_chain *chain, const_dnnl_memory_desc_t desc) {
  if (!ok(chain) || desc == NULL) return -1;
  return add_memory(chain, desc, take_scratch(chain, dnnl_memory_desc_get_size(desc)));
}

int wnn_chain_alias(wnn_chain *chain, int memory, const_dnnl_memory_desc_t desc) {
  if (!ok(chain) || memory < 0 || desc == NULL) return -1;
  return add_memory(chain, desc, chain->memories[memory].spot);
}

int wnn_chain_buffer(wnn_chain *chain, const_dnnl_memory_desc_t desc, void **bytes) {
  int index = add_memory(chain, desc, (wnn_spot){WNN_SPOT_KEPT, 0});
  if (index < 0) return -1;
  wnn_chain_memory *memory = &chain->memories[index];
  const wnn_host *host = chain->device->host;
  memory->kept = wnn_bank_get(host->bank, &host->alloc, memory->n_bytes);
  if (memory->kept == NULL) {
    fail(chain, WEBNN_ERROR_UNKNOWN);
    return -1;
  }
  memory->constant = *bytes = memory->kept;
  return check(chain, dnnl_memory_set_data_handle(memory->memory, memory->kept)) ? index : -1;
}

static wnn_chain_step *add_step(wnn_chain *chain, wnn_step_kind kind) {
  if (!ok(chain)) return NULL;
  if (chain->n_steps == WNN_CHAIN_STEPS) {
    fail(chain, WEBNN_ERROR_NOT_SUPPORTED);
    return NULL;
  }
  wnn_chain_step *step = &chain->steps[chain->n_steps++];
  *step = (wnn_chain_step){.kind = kind};
  return step;
}

/* A float16 port as float32: constants now, others in scratch when the chain runs. */
static int widened_input(wnn_chain *chain, size_t port, const_dnnl_memory_desc_t given) {
  const void *constant = chain->region->inputs[port].constant;
  size_t n = dnnl_memory_desc_get_size(given) / sizeof(float);
  if (constant != NULL) {
    void *bytes = NULL;
    int index = wnn_chain_buffer(chain, given, &bytes);
    if (index >= 0) wnn_half_widen(chain->device->host, constant, bytes, n);
    return index;
  }
  int index = wnn_chain_scratch(chain, given);
  wnn_chain_step *step = add_step(chain, WNN_STEP_WIDEN);
  if (step == NULL || index < 0) return -1;
  step->from = (wnn_spot){WNN_SPOT_INPUT, port};
  step->to = chain->memories[index].spot;
  step->n = n;
  return index;
}

int wnn_chain_input(wnn_chain *chain, size_t port, const_dnnl_memory_desc_t given) {
  if (!ok(chain) || given == NULL) return -1;
  const wnn_port *from = &chain->region->inputs[port];
  if (from->desc->type == WEBNN_DATA_TYPE_FLOAT16) return widened_input(chain, port, given);
  int index = add_memory(chain, given, (wnn_spot){WNN_SPOT_INPUT, port});
  if (index >= 0) chain->memories[index].constant = from->constant;
  return index;
}

int wnn_chain_output(wnn_chain *chain, const_dnnl_memory_desc_t given) {
  if (!ok(chain) || given == NULL) return -1;
  chain->narrows = chain->region->outputs[0].desc->type == WEBNN_DATA_TYPE_FLOAT16;
  if (!chain->narrows) return add_memory(chain, given, (wnn_spot){WNN_SPOT_OUTPUT, 0});
  return wnn_chain_scratch(chain,
                           given); /* the only output: wnn_chain_finish narrows the last memory */
}

static dnnl_primitive_desc_t reorder_desc(wnn_chain *chain, int from, int to) {
  const_dnnl_memory_desc_t a = NULL, b = NULL;
  dnnl_primitive_attr_t attr = wnn_chain_attr(chain);
  dnnl_primitive_desc_t pd = NULL;
  if (ok(chain) && check(chain, dnnl_memory_get_memory_desc(chain->memories[from].memory, &a)) &&
      check(chain, dnnl_memory_get_memory_desc(chain->memories[to].memory, &b))) {
    dnnl_engine_t engine = chain->device->engine;
    dnnl_status_t status = dnnl_reorder_primitive_desc_create(&pd, a, engine, b, engine, attr);
    pd = wnn_chain_created(chain, status, pd);
  }
  dnnl_primitive_attr_destroy(attr);
  return pd;
}

void wnn_chain_reorder(wnn_chain *chain, int from, int to) {
  if (!ok(chain) || from < 0 || to < 0) return;
  dnnl_primitive_desc_t pd = reorder_desc(chain, from, to);
  if (pd == NULL) return;
  const wnn_chain_arg args[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
  wnn_chain_primitive(chain, pd, 2, args);
}

/* Bytes of a constant that a thread moves in less time than it may take to get another one to work. */
#define FEW_BYTES ((size_t)512 * 1024)

/* Fills a buffer of the plan from memory whose bytes are known. */
static void reorder_at_once(wnn_chain *chain, int from, int to) {
  dnnl_primitive_desc_t pd = reorder_desc(chain, from, to);
  if (pd == NULL) return;
  size_t n_scratch =
      dnnl_memory_desc_get_size(dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0));
  const wnn_alloc *alloc = &chain->device->host->alloc;
  void *scratch = n_scratch ? wnn_alloc_get(alloc, n_scratch) : NULL;
  dnnl_memory_t pad = NULL;
  dnnl_primitive_t primitive = NULL;
  wnn_chain_memory *memories = chain->memories;
  if (n_scratch && scratch == NULL) fail(chain, WEBNN_ERROR_UNKNOWN);
  if (ok(chain) &&
      check(chain,
            dnnl_memory_create(&pad, dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0),
                               chain->device->engine, scratch)) &&
      check(chain,
            dnnl_memory_set_data_handle(memories[from].memory, (void *)memories[from].constant)) &&
      check(chain, dnnl_primitive_create(&primitive, pd))) {
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, memories[from].memory},
                                    {DNNL_ARG_TO, memories[to].memory},
                                    {DNNL_ARG_SCRATCHPAD, pad}};
    check(chain, dnnl_primitive_execute(primitive, chain->device->stream, 3, args));
  }
  dnnl_primitive_destroy(primitive);
  dnnl_memory_destroy(pad);
  dnnl_primitive_desc_destroy(pd);
  wnn_alloc_free(alloc, scratch, n_scratch);
}

static void reorder_now(wnn_chain *chain, int from, int to) {
  wnn_device_enter(chain->device, chain->memories[to].n_bytes < FEW_BYTES ? 1 : 0);
  reorder_at_once(chain, from, to);
  wnn_device_enter(chain->device, chain->is_small ? 1 : 0);
}

int wnn_chain_as(wnn_chain *chain, int memory, const_dnnl_memory_desc_t wanted) {
  const_dnnl_memory_desc_t is = NULL;
  if (!ok(chain) || memory < 0 || wanted == NULL) return -1;
  if (!check(chain, dnnl_memory_get_memory_desc(chain->memories[memory].memory, &is))) return -1;
  if (dnnl_memory_desc_equal(is, wanted)) return memory;
  if (chain->memories[memory].constant != NULL) {
    void *bytes = NULL;
    int index = wnn_chain_buffer(chain, wanted, &bytes);
    if (index >= 0) reorder_now(chain, memory, index);
    return index;
  }
  int index = wnn_chain_scratch(chain, wanted);
  wnn_chain_reorder(chain, memory, index);
  return index;
}

/* Steps. */

dnnl_primitive_attr_t wnn_chain_attr(wnn_chain *chain) {
  dnnl_primitive_attr_t attr = NULL;
  if (!check(chain, dnnl_primitive_attr_create(&attr))) return NULL;
  check(chain, dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user));
  if (chain->device->bfloat16)
    check(chain, dnnl_primitive_attr_set_fpmath_mode(attr, dnnl_fpmath_mode_bf16));
  return attr;
}

dnnl_primitive_desc_t wnn_chain_created(wnn_chain *chain, dnnl_status_t status,
                                        dnnl_primitive_desc_t pd) {
  if (check(chain, status)) return pd;
  if (status == dnnl_success) dnnl_primitive_desc_destroy(pd);
  return NULL;
}

int wnn_pd_rank(const_dnnl_primitive_desc_t pd) {
  const char *name = "";
  if (dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name) != dnnl_success) return 2;
  if (strstr(name, "ref") != NULL || strncmp(name, "simple", 6) == 0) return 2;
  return strstr(name, "gemm:") != NULL && strncmp(name, "brg", 3) != 0 ? 1 : 0;
}

/* oneDNN tells only in the implementation's name that float32 operands are rounded on their way in. */
static bool is_in_bfloat16(const_dnnl_primitive_desc_t pd) {
  const char *name = "";
  if (dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name) != dnnl_success) return false;
  return strstr(name, "bf16") != NULL || strstr(name, "amx") != NULL;
}

void wnn_chain_primitive(wnn_chain *chain, dnnl_primitive_desc_t pd, size_t n_args,
                         const wnn_chain_arg *args) {
  wnn_chain_step *step = add_step(chain, WNN_STEP_PRIMITIVE);
  if (step == NULL) goto done;
  const_dnnl_memory_desc_t pad = dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
  size_t n_pad = dnnl_memory_desc_get_size(pad);
  if (chain->n_args + n_args + 1 > WNN_CHAIN_ARGS) fail(chain, WEBNN_ERROR_NOT_SUPPORTED);
  if (!ok(chain) || !check(chain, dnnl_primitive_create(&step->primitive, pd))) goto done;
  step->first_arg = (uint16_t)chain->n_args;
  for (size_t i = 0; i < n_args; i++) {
    if (args[i].memory < 0) goto done;
    chain->args[chain->n_args++] = args[i];
  }
  if (n_pad) {
    /* Steps follow one another: they share one scratchpad, whose place is known at the end. */
    int index = add_memory(chain, pad, (wnn_spot){WNN_SPOT_SCRATCH, SIZE_MAX});
    if (index < 0) goto done;
    if (n_pad > chain->scratchpad_bytes) chain->scratchpad_bytes = n_pad;
    chain->args[chain->n_args++] = (wnn_chain_arg){DNNL_ARG_SCRATCHPAD, index};
  }
  step->n_args = (uint16_t)(chain->n_args - step->first_arg);
  if (chain->device->bfloat16 && is_in_bfloat16(pd)) chain->detail = "bfloat16";
done:
  dnnl_primitive_desc_destroy(pd);
}

void wnn_chain_copy(wnn_chain *chain, size_t input_port, size_t n_bytes) {
  wnn_chain_step *step = add_step(chain, WNN_STEP_COPY);
  if (step == NULL) return;
  step->from = (wnn_spot){WNN_SPOT_INPUT, input_port};
  step->to = (wnn_spot){WNN_SPOT_OUTPUT, 0};
  step->n = n_bytes;
}

static bool channels_lie_last(const wnn_port *port, uint32_t channel_axis) {
  if (wnn_layout_is_blocked(&port->layout)) return false;
  size_t strides[WNN_MAX_RANK];
  wnn_layout_strides(&port->layout, port->desc, strides);
  return strides[channel_axis] == 1 || port->desc->dims[channel_axis] == 1;
}

void wnn_chain_tail(wnn_chain *chain, size_t first, uint32_t channel_axis) {
  const wnn_port *output = &chain->region->outputs[0];
  if (!ok(chain) || first == chain->region->n_posts) return;
  if (output->desc->type != WEBNN_DATA_TYPE_FLOAT32 || !channels_lie_last(output, channel_axis) ||
      !wnn_tail_plan(&chain->tail, chain->device->host, chain->region, first, channel_axis)) {
    fail(chain, WEBNN_ERROR_NOT_SUPPORTED);
    return;
  }
  wnn_chain_step *step = add_step(chain, WNN_STEP_TAIL);
  if (step == NULL) return;
  step->from = take_scratch(chain, chain->tail.n_rows * sizeof(float));
  step->to = (wnn_spot){WNN_SPOT_OUTPUT, 0};
  step->n = wnn_desc_count(output->desc) / chain->tail.channels;
}

/* The plan: everything of the chain that a run needs, in one block. */

typedef struct patch {
  dnnl_memory_t memory;
  wnn_spot spot;
  void *bytes; /* what the memory points to: arenas stay where they are, so it rarely changes */
} patch;

typedef struct step {
  wnn_step_kind kind;
  int n_args;
  dnnl_primitive_t primitive;
  dnnl_exec_arg_t *args;
  wnn_spot from, to;
  size_t n;
} step;

typedef struct chain_plan {
  wnn_plan plan;
  patch *patches; /* every memory; the ones of kept buffers stand last and are never patched */
  size_t n_patches, n_memories;
  step *steps;
  size_t n_steps;
  void **buffers; /* kept */
  size_t n_buffers;
  wnn_tail *tail; /* or NULL */
  bool has_run;
} chain_plan;

static void drop_memory(wnn_chain_memory *memory) {
  dnnl_memory_destroy(memory->memory);
  wnn_bank_put(memory->kept);
}

static void drop_chain(wnn_chain *chain) {
  for (size_t i = 0; i < chain->n_memories; i++) drop_memory(&chain->memories[i]);
  for (size_t i = 0; i < chain->n_steps; i++) dnnl_primitive_destroy(chain->steps[i].primitive);
}

/* Rounds the float16 output at the end: the memory made for it is what the last primitive wrote. */
static void add_narrow(wnn_chain *chain) {
  if (!chain->narrows || !ok(chain)) return;
  const wnn_chain_step *last = &chain->steps[chain->n_steps - 1];
  int memory = -1;
  for (size_t i = 0; i < last->n_args; i++) {
    wnn_chain_arg arg = chain->args[last->first_arg + i];
    if (arg.arg == DNNL_ARG_DST) memory = arg.memory; /* DNNL_ARG_TO is the same number */
  }
  if (memory < 0) {
    fail(chain, WEBNN_ERROR_NOT_SUPPORTED);
    return;
  }
  wnn_chain_step *narrow = add_step(chain, WNN_STEP_NARROW);
  if (narrow == NULL) return;
  narrow->from = chain->memories[memory].spot;
  narrow->to = (wnn_spot){WNN_SPOT_OUTPUT, 0};
  narrow->n = chain->memories[memory].n_bytes / sizeof(float);
}

/* Marks what steps use, and places the scratchpad behind the rest of the scratch. */
static void settle(wnn_chain *chain) {
  for (size_t i = 0; i < chain->n_args; i++) chain->memories[chain->args[i].memory].used = true;
  for (size_t i = 0; i < chain->n_memories; i++) {
    wnn_chain_memory *memory = &chain->memories[i];
    if (memory->spot.place == WNN_SPOT_SCRATCH && memory->spot.at == SIZE_MAX)
      memory->spot.at = chain->scratch_bytes;
  }
}

static uint64_t packed_ports(const wnn_chain *chain) {
  uint64_t packed = 0;
  for (size_t i = 0; i < chain->region->n_inputs && i < 64; i++)
    if (chain->region->inputs[i].constant != NULL) packed |= UINT64_C(1) << i;
  for (size_t i = 0; i < chain->n_memories; i++) {
    const wnn_chain_memory *memory = &chain->memories[i];
    if (memory->used && memory->spot.place == WNN_SPOT_INPUT && memory->spot.at < 64)
      packed &= ~(UINT64_C(1) << memory->spot.at);
  }
  for (size_t i = 0; i < chain->tail.n_operands; i++)
    if (chain->tail.operands[i].port < 64) packed &= ~(UINT64_C(1) << chain->tail.operands[i].port);
  return packed;
}

static chain_plan *create_plan(const wnn_chain *chain) {
  size_t n_bytes = sizeof(chain_plan) + chain->n_memories * (sizeof(patch) + sizeof(void *)) +
                   chain->n_steps * sizeof(step) + chain->n_args * sizeof(dnnl_exec_arg_t) +
                   (chain->tail.n_stages != 0 ? sizeof(wnn_tail) : 0);
  chain_plan *plan =
      (chain_plan *)(void *)wnn_plan_create(chain->device, &chain->device->host->alloc, n_bytes);
  if (plan == NULL) return NULL;
  plan->patches = (patch *)(plan + 1);
  plan->buffers = (void **)(plan->patches + chain->n_memories);
  plan->steps = (step *)(plan->buffers + chain->n_memories);
  return plan;
}

/* Moves memories into the plan: patched ones first, then the kept. */
static void move_memories(wnn_chain *chain, chain_plan *plan) {
  for (int want_kept = 0; want_kept <= 1; want_kept++) {
    for (size_t i = 0; i < chain->n_memories; i++) {
      wnn_chain_memory *memory = &chain->memories[i];
      if (!memory->used || (memory->kept != NULL) != (want_kept == 1)) continue;
      plan->patches[plan->n_memories++] = (patch){memory->memory, memory->spot, NULL};
      if (!want_kept) continue;
      plan->buffers[plan->n_buffers++] = memory->kept;
      plan->plan.weight_bytes += memory->n_bytes;
    }
    if (!want_kept) plan->n_patches = plan->n_memories;
  }
}

static void move_steps(wnn_chain *chain, chain_plan *plan) {
  dnnl_exec_arg_t *args = (dnnl_exec_arg_t *)(plan->steps + chain->n_steps);
  for (size_t i = 0; i < chain->n_steps; i++) {
    const wnn_chain_step *from = &chain->steps[i];
    plan->steps[i] =
        (step){from->kind, from->n_args, from->primitive, args, from->from, from->to, from->n};
    for (size_t k = 0; k < from->n_args; k++) {
      wnn_chain_arg arg = chain->args[from->first_arg + k];
      *args++ = (dnnl_exec_arg_t){arg.arg, chain->memories[arg.memory].memory};
    }
  }
  plan->n_steps = chain->n_steps;
  if (chain->tail.n_stages == 0) return;
  plan->tail = (wnn_tail *)(void *)args;
  *plan->tail = chain->tail;
}

static webnn_status finish(wnn_chain *chain, wnn_plan **out) {
  chain_plan *plan = NULL;
  if (ok(chain) && chain->n_steps == 0) fail(chain, WEBNN_ERROR_NOT_SUPPORTED);
  add_narrow(chain);
  if (ok(chain)) {
    settle(chain);
    plan = create_plan(chain);
    if (plan == NULL) fail(chain, WEBNN_ERROR_UNKNOWN);
  }
  for (size_t i = 0; i < chain->n_descs; i++) dnnl_memory_desc_destroy(chain->descs[i]);
  if (!ok(chain)) {
    drop_chain(chain);
    return chain->status;
  }
  plan->plan.packed = packed_ports(chain);
  plan->plan.scratch_bytes = chain->scratch_bytes + chain->scratchpad_bytes;
  plan->plan.in_place = chain->in_place;
  plan->plan.detail = chain->detail;
  plan->plan.heavy = !chain->is_small;
  move_memories(chain, plan);
  move_steps(chain, plan);
  for (size_t i = 0; i < chain->n_memories; i++)
    if (!chain->memories[i].used) drop_memory(&chain->memories[i]);
  *out = &plan->plan;
  return WEBNN_OK;
}

webnn_status wnn_chain_finish(wnn_chain *chain, wnn_plan **out) {
  *out = NULL;
  webnn_status status = finish(chain, out);
  wnn_gate_leave_first(chain->place);
  return status;
}

static void *spot_bytes(wnn_spot spot, const wnn_run *run) {
  switch (spot.place) {
    case WNN_SPOT_INPUT: return run->inputs[spot.at];
    case WNN_SPOT_OUTPUT: return run->outputs[spot.at];
    case WNN_SPOT_SCRATCH: return (char *)run->scratch + spot.at;
    default: return NULL;
  }
}

typedef struct tail_job {
  const wnn_tail *tail;
  const wnn_run *run;
  const float *rows;
  float *pixels;
  size_t n;
} tail_job;

static void tail_part(void *arg, size_t part, size_t n_parts) {
  const tail_job *j = arg;
  size_t begin, end;
  wnn_parallel_split(j->n, part, n_parts, &begin, &end);
  wnn_tail_run(j->tail, j->run, j->rows, j->pixels + begin * j->tail->channels, begin, end - begin);
}

static void run_tail(const chain_plan *plan, const step *at, const wnn_run *run) {
  wnn_pool *pool = plan->plan.device->host->pool;
  float *rows = spot_bytes(at->from, run);
  tail_job j = {plan->tail, run, rows, spot_bytes(at->to, run), at->n};
  wnn_tail_begin(plan->tail, run, rows);
  wnn_parallel(pool, plan->plan.heavy && pool != NULL ? wnn_pool_threads(pool) : 1, tail_part, &j);
}

static webnn_status run_step(const chain_plan *plan, const step *at, const wnn_run *run) {
  const wnn_device *device = plan->plan.device;
  if (at->kind == WNN_STEP_TAIL) {
    run_tail(plan, at, run);
    return WEBNN_OK;
  }
  if (at->kind == WNN_STEP_PRIMITIVE)
    return wnn_onednn_status(
        dnnl_primitive_execute(at->primitive, device->stream, at->n_args, at->args));
  const void *from = spot_bytes(at->from, run);
  void *to = spot_bytes(at->to, run);
  if (at->kind == WNN_STEP_WIDEN)
    wnn_half_widen(device->host, from, to, at->n);
  else if (at->kind == WNN_STEP_NARROW)
    wnn_half_narrow(device->host, from, to, at->n);
  else if (from != to)
    memcpy(to, from, at->n);
  return WEBNN_OK;
}

static webnn_status run_steps(const chain_plan *plan, const wnn_run *run) {
  for (size_t i = 0; i < plan->n_patches; i++) {
    patch *at = &plan->patches[i];
    void *bytes = spot_bytes(at->spot, run);
    if (at->bytes == bytes) continue;
    dnnl_status_t set = dnnl_memory_set_data_handle(at->memory, bytes);
    if (set != dnnl_success) return wnn_onednn_status(set);
    at->bytes = bytes;
  }
  for (size_t i = 0; i < plan->n_steps; i++) {
    webnn_status status = run_step(plan, &plan->steps[i], run);
    if (status != WEBNN_OK) return status;
  }
  return WEBNN_OK;
}

/* What isn't heavy may run on a caller's thread, which gets its number of threads back. */
webnn_status wnn_chain_run(const wnn_plan *base, const wnn_run *run) {
  chain_plan *plan = (chain_plan *)(void *)base;
  size_t place;
  if (!(plan->has_run ? wnn_gate_enter : wnn_gate_enter_first)(&place)) return WEBNN_ERROR_UNKNOWN;
  const uint32_t before = wnn_device_enter(base->device, base->heavy ? 0 : 1);
  if (base->heavy) wnn_pool_watch(wnn_device_host(base->device)->pool);
  webnn_status status = run_steps(plan, run);
  if (!base->heavy) wnn_device_enter(base->device, before);
  (plan->has_run ? wnn_gate_leave : wnn_gate_leave_first)(place);
  plan->has_run = true;
  return status;
}

void wnn_chain_free(wnn_plan *base) {
  chain_plan *plan = (chain_plan *)(void *)base;
  size_t place;
  if (!wnn_gate_enter(&place)) return; /* the process takes it along */
  const wnn_alloc *alloc = &base->device->host->alloc;
  for (size_t i = 0; i < plan->n_steps; i++) dnnl_primitive_destroy(plan->steps[i].primitive);
  for (size_t i = 0; i < plan->n_memories; i++) dnnl_memory_destroy(plan->patches[i].memory);
  for (size_t i = 0; i < plan->n_buffers; i++) wnn_bank_put(plan->buffers[i]);
  wnn_alloc_free(alloc, plan, base->n_bytes);
  wnn_gate_leave(place);
}
