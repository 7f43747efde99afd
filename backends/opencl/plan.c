/* Plans: kernels with what they are called with. */
#include "blast.h"

#include <string.h>

wnn_cl_plan *wnn_cl_plan_create(wnn_device *device) {
  const wnn_alloc *alloc = &device->host->alloc;
  wnn_cl_plan *plan = (wnn_cl_plan *)wnn_plan_create(device, alloc, sizeof *plan);
  if (plan == NULL) return NULL;
  wnn_arena_init(&plan->arena, alloc);
  return plan;
}

wnn_cl_launch *wnn_cl_plan_launch(wnn_cl_plan *plan, uint32_t name, size_t global, size_t local,
                                  size_t n_args) {
  if (name == UINT32_MAX) return NULL;
  if (plan->n_launches == plan->room) {
    size_t room = plan->room ? 2 * plan->room : 4;
    wnn_cl_launch *launches = wnn_arena_array(&plan->arena, room, sizeof *launches);
    if (launches == NULL) return NULL;
    if (plan->n_launches != 0)
      memcpy(launches, plan->launches, plan->n_launches * sizeof *launches);
    plan->launches = launches;
    plan->room = room;
  }
  wnn_cl_launch *launch = &plan->launches[plan->n_launches];
  *launch = (wnn_cl_launch){.name = name,
                            .global = (global + local - 1) / local * local,
                            .local = local,
                            .args = wnn_arena_array(&plan->arena, n_args, sizeof *launch->args),
                            .n_args = n_args};
  if (launch->args == NULL) return NULL;
  plan->n_launches++;
  plan->base.n_launches++;
  return launch;
}

size_t wnn_cl_plan_scratch(wnn_cl_plan *plan, size_t n_bytes) {
  size_t at = plan->base.scratch_bytes;
  plan->base.scratch_bytes = (at + n_bytes + WNN_CACHE_LINE - 1) / WNN_CACHE_LINE * WNN_CACHE_LINE;
  return at;
}

static cl_mem memory_of(const wnn_cl_plan *plan, const wnn_cl_arg *arg, const wnn_run *run) {
  switch (arg->place) {
    case WNN_CL_INPUT: return run->inputs[arg->index];
    case WNN_CL_OUTPUT: return run->outputs[arg->index];
    case WNN_CL_SCRATCH: return run->scratch;
    default: return plan->kept;
  }
}

static cl_int set_arg(const wnn_cl_plan *plan, cl_kernel kernel, cl_uint i, const wnn_cl_arg *arg,
                      const wnn_run *run) {
  const wnn_cl_api *cl = &plan->base.device->cl;
  cl_int number = (cl_int)arg->index;
  if (arg->place == WNN_CL_NUMBER) return cl->clSetKernelArg(kernel, i, sizeof number, &number);
  cl_mem memory = memory_of(plan, arg, run);
  return cl->clSetKernelArg(kernel, i, sizeof memory, &memory);
}

static webnn_status run_gemm(const wnn_cl_plan *plan, const wnn_cl_gemm *gemm, const wnn_run *run) {
  return wnn_cl_blast_run(plan->base.device, gemm, memory_of(plan, &gemm->a.arg, run),
                          memory_of(plan, &gemm->b.arg, run), memory_of(plan, &gemm->c.arg, run));
}

webnn_status wnn_cl_plan_run(const wnn_plan *base, const wnn_run *run) {
  const wnn_cl_plan *plan = (const wnn_cl_plan *)base;
  wnn_device *device = base->device;
  for (size_t k = 0; k < plan->n_launches; k++) {
    const wnn_cl_launch *launch = &plan->launches[k];
    if (launch->gemm != NULL) {
      webnn_status status = run_gemm(plan, launch->gemm, run);
      if (status != WEBNN_OK) return status;
      continue;
    }
    for (size_t i = 0; i < launch->n_args; i++)
      if (set_arg(plan, launch->kernel, (cl_uint)i, &launch->args[i], run) != CL_SUCCESS)
        return WEBNN_ERROR_UNKNOWN;
    cl_int code = device->cl.clEnqueueNDRangeKernel(device->queue, launch->kernel, 1, NULL,
                                                    &launch->global, &launch->local, 0, NULL, NULL);
    if (code != CL_SUCCESS) return wnn_cl_check(device, code);
  }
  return WEBNN_OK;
}

void wnn_cl_plan_free(wnn_plan *base) {
  wnn_cl_plan *plan = (wnn_cl_plan *)base;
  if (plan == NULL) return;
  wnn_device *device = base->device;
  for (size_t i = 0; i < plan->n_launches; i++)
    if (plan->launches[i].kernel != NULL) device->cl.clReleaseKernel(plan->launches[i].kernel);
  if (plan->kept != NULL) wnn_cl_memory.free(device, plan->kept);
  wnn_arena_reset(&plan->arena);
  wnn_alloc_free(&device->host->alloc, plan, base->n_bytes);
}
