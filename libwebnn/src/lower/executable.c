/* Plans the steps of a program, flattens them, and runs them. */
#include "lower/executable.h"

#include "lower/program.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A slot of an argument list that follows a graph input or output. */
typedef struct patch {
  void **slot;
  size_t index, at; /* bytes from the buffer's beginning */
} patch;

typedef struct patches {
  patch *list;
  size_t n;
} patches;

typedef struct flat_step {
  const wnn_plan *plan;
  wnn_run run;
} flat_step;

struct wnn_executable {
  wnn_alloc alloc;
  wnn_arena arena; /* everything below but the plans, the blobs and the memory */
  flat_step *steps;
  wnn_step_info *infos; /* of the steps */
  size_t n_steps;
  patches inputs, outputs;
  wnn_blob **blobs; /* constants that kernels read at the run */
  size_t n_blobs;
  void *memory; /* arena, then scratch */
  size_t memory_bytes;
  wnn_memory_use use;
  wnn_pool *pool; /* or NULL */
  bool is_alone;  /* one thread does it all: whoever waits for a run may as well be that one */
  bool is_light;
  /* When the memory isn't the host's: */
  wnn_device *device;
  const wnn_memory *elsewhere; /* else NULL */
  void **handles;              /* parts of `memory` and constants */
  size_t n_handles;
};

/* More steps than this take longer than waking the worker does. */
#define MAX_LIGHT_STEPS 24

wnn_plan *wnn_plan_create(wnn_device *device, const wnn_alloc *alloc, size_t n_bytes) {
  wnn_plan *plan = wnn_alloc_zeroed(alloc, n_bytes);
  if (plan == NULL) return NULL;
  plan->device = device;
  plan->n_bytes = n_bytes;
  plan->in_place = -1;
  return plan;
}

static void fill_port(wnn_port *port, const wnn_cell *cell) {
  *port = (wnn_port){0};
  if (cell == NULL) return;
  port->desc = &cell->desc;
  port->layout = cell->layout;
  if (cell->root->place != WNN_PLACE_CONSTANT || !wnn_port_is_plain(port)) return;
  const char *bytes = wnn_value_data(cell->root->constant);
  if (bytes != NULL) port->constant = bytes + cell->at;
}

/* True when the memory behind input `i` is free for the taking once step `s` has run. */
static bool input_dies(const wnn_step *step, size_t s, size_t i) {
  const wnn_cell *root = step->inputs[i] ? wnn_cell_root(step->inputs[i], NULL) : NULL;
  if (root == NULL || root->place != WNN_PLACE_ARENA || root->last != s) return false;
  for (size_t k = 0; k < step->region.n_inputs; k++)
    if (k != i && step->inputs[k] != NULL && wnn_cell_root(step->inputs[k], NULL) == root) return false;
  return true;
}

static void fill_ports(const wnn_program *program) {
  for (size_t s = 0; s < program->n_steps; s++) {
    wnn_step *step = program->steps[s];
    wnn_region *region = &step->region;
    for (size_t i = 0; i < region->n_inputs; i++) {
      fill_port(&region->inputs[i], step->inputs[i]);
      region->inputs[i].dies = input_dies(step, s, i);
    }
    for (size_t i = 0; i < region->n_outputs; i++) fill_port(&region->outputs[i], step->outputs[i]);
  }
}

static webnn_status plan_step(const wnn_lowering *lowering, wnn_step *step, wnn_arena *arena, webnn_error *err) {
  const wnn_region *region = &step->region;
  const wnn_op_id id = region->anchor->op->id;
  for (const wnn_kernel *const *k = lowering->kernels(lowering->device, id); k != NULL && *k != NULL; k++) {
    webnn_status status = (*k)->plan(lowering->device, region, &step->plan);
    if (status == WEBNN_ERROR_NOT_SUPPORTED) continue;
    if (status != WEBNN_OK)
      return wnn_error_set(err, status, "build: %s failed to plan %s", (*k)->name, region->anchor->op->name);
    step->plan->kernel = *k;
    if (k[1] == NULL && lowering->memory == NULL) step->reason = wnn_reason_declined(lowering, region, arena);
    return WEBNN_OK;
  }
  return wnn_error_set(err, WEBNN_ERROR_OPERATION, "build: there is no kernel for %s of %s",
                       region->anchor->op->name, wnn_desc_format(&region->anchor_desc).text);
}

static wnn_cell *constant_root(const wnn_step *step, size_t i) {
  wnn_cell *root = step->inputs[i] ? step->inputs[i]->root : NULL;
  return root != NULL && root->place == WNN_PLACE_CONSTANT ? root : NULL;
}

/* Constants go as soon as the last of their readers has packed them: a build never holds all weights twice. */
static void release_packed(const wnn_step *step) {
  for (size_t i = 0; i < step->region.n_inputs; i++) {
    wnn_cell *root = constant_root(step, i);
    if (root == NULL) continue;
    if (i >= 64 || !(step->plan->packed >> i & 1)) root->needed = true;
    if (--root->n_readers != 0 || root->needed) continue;
    wnn_value *value = root->constant;
    wnn_blob_release(value->blob);
    value->blob = NULL;
  }
}

/* A step to be planned, and the bytes of the constants that it reads. */
typedef struct turn {
  size_t step, n_bytes;
} turn;

static int heaviest_first(const void *a, const void *b) {
  const turn *x = a, *y = b;
  if (x->n_bytes != y->n_bytes) return x->n_bytes < y->n_bytes ? 1 : -1;
  return x->step < y->step ? -1 : x->step > y->step;
}

/* While a weight is packed it is there twice: the largest goes first, when least is there besides. */
static turn *planning_order(const wnn_program *program) {
  turn *turns = wnn_arena_array(program->arena, program->n_steps, sizeof *turns);
  for (size_t s = 0; turns != NULL && s < program->n_steps; s++) {
    turns[s] = (turn){.step = s};
    for (size_t i = 0; i < program->steps[s]->region.n_inputs; i++) {
      const wnn_cell *root = constant_root(program->steps[s], i);
      if (root != NULL) turns[s].n_bytes += root->n_bytes;
    }
  }
  if (turns != NULL && program->n_steps != 0) qsort(turns, program->n_steps, sizeof *turns, heaviest_first);
  return turns;
}

/* Its plans are made, and run, for the threads that it has. */
static uint32_t allow(const wnn_executable *exe) {
  return exe->is_alone && exe->pool != NULL ? wnn_pool_allow(exe->pool, 1) : 0;
}

static void allow_again(const wnn_executable *exe, uint32_t before) {
  if (before != 0) wnn_pool_allow(exe->pool, before);
}

static webnn_status plan_steps(wnn_program *program, webnn_error *err) {
  const turn *turns = planning_order(program);
  if (turns == NULL) return WEBNN_ERROR_UNKNOWN;
  for (size_t s = 0; s < program->n_steps; s++)
    for (size_t i = 0; i < program->steps[s]->region.n_inputs; i++) {
      wnn_cell *root = constant_root(program->steps[s], i);
      if (root != NULL) root->n_readers++;
    }
  for (size_t k = 0; k < program->n_steps; k++) {
    wnn_step *step = program->steps[turns[k].step];
    webnn_status status = plan_step(program->lowering, step, program->arena, err);
    if (status != WEBNN_OK) return status;
    if (step->plan->scratch_bytes > program->scratch_bytes)
      program->scratch_bytes = step->plan->scratch_bytes;
    release_packed(step);
  }
  return WEBNN_OK;
}

/* How many slots follow inputs and outputs: at most one a port. */
static size_t count_ports(const wnn_program *program) {
  size_t n = 0;
  for (size_t i = 0; i < program->n_steps; i++)
    n += program->steps[i]->region.n_inputs + program->steps[i]->region.n_outputs;
  return n;
}

/* The handle of a root's memory on the device, made once. */
static webnn_status handle_of(wnn_executable *exe, wnn_cell *root) {
  const wnn_memory *memory = exe->elsewhere;
  if (root->handle != NULL) return WEBNN_OK;
  webnn_status status =
      root->place == WNN_PLACE_ARENA
          ? memory->part(exe->device, exe->memory, root->offset, root->n_bytes, &root->handle)
          : memory->create(exe->device, root->n_bytes, wnn_value_data(root->constant), &root->handle);
  if (status == WEBNN_OK) exe->handles[exe->n_handles++] = root->handle;
  return status;
}

static webnn_status bind_slot(wnn_executable *exe, void **slot, wnn_cell *cell, bool packed) {
  webnn_status status = WEBNN_OK;
  *slot = NULL;
  if (cell == NULL || packed) return WEBNN_OK;
  size_t at; /* pieces of memory that isn't the host's are no views: there it is 0 */
  wnn_cell *root = wnn_cell_root(cell, &at);
  bool follows = root->place == WNN_PLACE_INPUT || root->place == WNN_PLACE_OUTPUT;
  if (exe->elsewhere != NULL && !follows) {
    status = handle_of(exe, root);
    *slot = root->handle;
    return status;
  }
  switch (root->place) {
    case WNN_PLACE_ARENA: *slot = (char *)exe->memory + root->offset + at; break;
    case WNN_PLACE_CONSTANT: *slot = (char *)wnn_value_data(root->constant) + at; break;
    case WNN_PLACE_INPUT: exe->inputs.list[exe->inputs.n++] = (patch){slot, root->index, at}; break;
    case WNN_PLACE_OUTPUT: exe->outputs.list[exe->outputs.n++] = (patch){slot, root->index, at}; break;
  }
  return WEBNN_OK;
}

/* Behind the arena: pointer or handle. */
static webnn_status scratch_of(wnn_executable *exe, const wnn_program *program, void **out) {
  *out = (char *)exe->memory + program->arena_bytes;
  if (exe->elsewhere == NULL) return WEBNN_OK;
  *out = NULL;
  if (program->scratch_bytes == 0) return WEBNN_OK;
  webnn_status status = exe->elsewhere->part(exe->device, exe->memory, program->arena_bytes,
                                             program->scratch_bytes, out);
  if (status == WEBNN_OK) exe->handles[exe->n_handles++] = *out;
  return status;
}

/* The steps as the run loop wants them. Takes over the plans one by one. */
static webnn_status flatten(wnn_executable *exe, wnn_program *program) {
  size_t n_ports = count_ports(program);
  void **slots = wnn_arena_array(&exe->arena, n_ports, sizeof *slots);
  exe->inputs.list = wnn_arena_array(&exe->arena, n_ports, sizeof *exe->inputs.list);
  exe->outputs.list = wnn_arena_array(&exe->arena, n_ports, sizeof *exe->outputs.list);
  exe->steps = wnn_arena_array(&exe->arena, program->n_steps, sizeof *exe->steps);
  exe->infos = wnn_arena_array(&exe->arena, program->n_steps, sizeof *exe->infos);
  if (exe->infos == NULL || slots == NULL || exe->inputs.list == NULL || exe->outputs.list == NULL || exe->steps == NULL)
    return WEBNN_ERROR_UNKNOWN;
  void *scratch;
  if (exe->elsewhere != NULL) exe->handles = wnn_arena_array(&exe->arena, n_ports + 1, sizeof *exe->handles);
  if (exe->elsewhere != NULL && exe->handles == NULL) return WEBNN_ERROR_UNKNOWN;
  webnn_status status = scratch_of(exe, program, &scratch);
  exe->is_light = exe->is_alone || program->n_steps <= MAX_LIGHT_STEPS;
  for (size_t s = 0; s < program->n_steps; s++) {
    wnn_step *step = program->steps[s];
    const wnn_region *region = &step->region;
    if (exe->is_alone) step->plan->heavy = false;
    if (wnn_step_describe(program->lowering, step, &exe->arena, &exe->infos[s]) != WEBNN_OK) return WEBNN_ERROR_UNKNOWN;
    flat_step *flat = &exe->steps[exe->n_steps++];
    *flat = (flat_step){step->plan, {slots, slots + region->n_inputs, scratch}};
    exe->use.weights += step->plan->weight_bytes;
    if (step->plan->heavy) exe->is_light = false;
    uint64_t packed = step->plan->packed;
    step->plan = NULL;
    for (size_t i = 0; i < region->n_inputs && status == WEBNN_OK; i++)
      status = bind_slot(exe, slots++, step->inputs[i], i < 64 && (packed >> i & 1));
    for (size_t i = 0; i < region->n_outputs && status == WEBNN_OK; i++)
      status = bind_slot(exe, slots++, step->outputs[i], false);
    if (status != WEBNN_OK) return status;
  }
  return status;
}

static webnn_status keep_constants(wnn_executable *exe, const wnn_program *program) {
  const wnn_graph *graph = program->graph;
  exe->blobs = wnn_arena_array(&exe->arena, graph->n_constants, sizeof *exe->blobs);
  if (exe->blobs == NULL) return WEBNN_ERROR_UNKNOWN;
  for (size_t i = 0; i < graph->n_constants; i++) {
    wnn_cell *cell = program->cells[graph->constants[i]->id];
    if (!cell->root->needed) continue;
    exe->use.weights += graph->constants[i]->blob->n_bytes;
    if (exe->elsewhere != NULL) continue; /* a copy on the device will do */
    exe->blobs[exe->n_blobs++] = wnn_blob_retain(graph->constants[i]->blob);
  }
  return WEBNN_OK;
}

static void free_plans(wnn_program *program) {
  for (size_t i = 0; i < program->n_steps; i++) {
    wnn_plan *plan = program->steps[i]->plan;
    if (plan != NULL) plan->kernel->free(plan);
  }
}

/* Arena and scratch in one piece. */
static webnn_status get_memory(wnn_executable *exe, const wnn_program *program) {
  exe->memory_bytes = program->arena_bytes + program->scratch_bytes;
  exe->use.arena = program->arena_bytes;
  exe->use.scratch = program->scratch_bytes;
  if (exe->elsewhere != NULL && exe->memory_bytes == 0) return WEBNN_OK;
  if (exe->elsewhere != NULL)
    return exe->elsewhere->create(exe->device, exe->memory_bytes, NULL, &exe->memory);
  exe->memory = wnn_alloc_get(&exe->alloc, exe->memory_bytes);
  return exe->memory != NULL ? WEBNN_OK : WEBNN_ERROR_UNKNOWN;
}

/* Regions, with memory and a plan each. */
static webnn_status plan(wnn_executable *exe, wnn_program *program, webnn_error *err) {
  webnn_status status = wnn_program_make_regions(program);
  if (status == WEBNN_OK) status = wnn_program_make_cells(program);
  if (status == WEBNN_OK) status = wnn_program_find_lives(program);
  if (status != WEBNN_OK) return status;
  fill_ports(program);
  exe->is_alone = exe->elsewhere == NULL && (exe->pool == NULL || wnn_program_is_small(program));
  const uint32_t before = allow(exe);
  status = plan_steps(program, err);
  allow_again(exe, before);
  return status;
}

static webnn_status build(wnn_executable *exe, wnn_program *program, webnn_error *err) {
  webnn_status status = plan(exe, program, err);
  if (status == WEBNN_OK) status = wnn_program_place(program);
  if (status == WEBNN_OK) status = get_memory(exe, program);
  if (status == WEBNN_OK) status = keep_constants(exe, program);
  if (status == WEBNN_OK) status = flatten(exe, program);
  return status;
}

webnn_status wnn_lower(const wnn_lowering *lowering, wnn_graph *graph, wnn_executable **out,
                       webnn_error *err) {
  *out = NULL;
  const wnn_alloc *alloc = &lowering->host->alloc;
  wnn_executable *exe = wnn_alloc_zeroed(alloc, sizeof *exe);
  if (exe == NULL) return wnn_error_no_memory(err);
  exe->alloc = *alloc;
  exe->device = lowering->device;
  exe->elsewhere = lowering->memory;
  exe->pool = lowering->host->pool;
  wnn_arena_init(&exe->arena, alloc);
  wnn_arena building;
  wnn_arena_init(&building, alloc);
  wnn_program program = {.lowering = lowering, .graph = graph, .arena = &building};
  if (lowering->memory != NULL) program.align = lowering->memory->align;
  if (err != NULL) err->status = WEBNN_OK;
  webnn_status status = build(exe, &program, err);
  free_plans(&program);
  wnn_arena_reset(&building);
  if (status != WEBNN_OK) {
    wnn_executable_free(exe);
    return err != NULL && err->status == WEBNN_OK ? wnn_error_no_memory(err) : status;
  }
  *out = exe;
  return WEBNN_OK;
}

void wnn_executable_free(wnn_executable *exe) {
  if (exe == NULL) return;
  wnn_alloc alloc = exe->alloc;
  for (size_t i = 0; i < exe->n_steps; i++)
    exe->steps[i].plan->kernel->free((wnn_plan *)exe->steps[i].plan);
  for (size_t i = 0; i < exe->n_blobs; i++) wnn_blob_release(exe->blobs[i]);
  for (size_t i = 0; i < exe->n_handles; i++) exe->elsewhere->free(exe->device, exe->handles[i]);
  if (exe->elsewhere == NULL) wnn_alloc_free(&alloc, exe->memory, exe->memory_bytes);
  else if (exe->memory != NULL) exe->elsewhere->free(exe->device, exe->memory);
  wnn_arena_reset(&exe->arena);
  wnn_alloc_free(&alloc, exe, sizeof *exe);
}

static void apply(const patches *p, const wnn_buffer *const *buffers) {
  for (size_t i = 0; i < p->n; i++) *p->list[i].slot = (char *)buffers[p->list[i].index]->host + p->list[i].at;
}

static void apply_handles(const patches *p, const wnn_buffer *const *buffers) {
  for (size_t i = 0; i < p->n; i++) *p->list[i].slot = buffers[p->list[i].index]->impl;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static webnn_status run_timed(const wnn_executable *exe, double *seconds) {
  webnn_status (*finish)(wnn_device *) = exe->elsewhere != NULL ? exe->elsewhere->finish : NULL;
  if (finish != NULL && finish(exe->device) != WEBNN_OK) return WEBNN_ERROR_UNKNOWN;
  double start = now();
  for (size_t i = 0; i < exe->n_steps; i++) {
    const flat_step *step = &exe->steps[i];
    webnn_status status = step->plan->kernel->run(step->plan, &step->run);
    if (status == WEBNN_OK && finish != NULL) status = finish(exe->device);
    if (status != WEBNN_OK) return status;
    double end = now();
    seconds[i] += end - start;
    start = end;
  }
  return WEBNN_OK;
}

static webnn_status run_steps(const wnn_executable *exe) {
  webnn_status status = WEBNN_OK;
  for (size_t i = 0; i < exe->n_steps && status == WEBNN_OK; i++) {
    const flat_step *step = &exe->steps[i];
    status = step->plan->kernel->run(step->plan, &step->run);
  }
  return status;
}

webnn_status wnn_executable_run(wnn_executable *exe, const wnn_buffer *const *inputs,
                                const wnn_buffer *const *outputs, double *seconds) {
  if (exe->elsewhere == NULL) {
    apply(&exe->inputs, inputs);
    apply(&exe->outputs, outputs);
  } else {
    apply_handles(&exe->inputs, inputs);
    apply_handles(&exe->outputs, outputs);
  }
  const uint32_t before = allow(exe);
  const webnn_status status = seconds != NULL ? run_timed(exe, seconds) : run_steps(exe);
  allow_again(exe, before);
  return status;
}

const wnn_step_info *wnn_executable_step(const wnn_executable *exe, size_t i) {
  return i < exe->n_steps ? &exe->infos[i] : NULL;
}

wnn_memory_use wnn_executable_memory(const wnn_executable *exe) { return exe->use; }
bool wnn_executable_is_light(const wnn_executable *exe) { return exe->is_light; }
