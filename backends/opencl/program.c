/* The kernels of a graph, as one program. */
#include <stdio.h>
#include <string.h>
#include "opencl.h"

/* From kernels/ (see embed.cmake), in the order of wnn_cl_need. */
extern const char wnn_cl_text_half[], wnn_cl_text_math[], wnn_cl_text_integer[], wnn_cl_text_cast[],
    wnn_cl_text_index[], wnn_cl_text_sum[];

typedef struct entry {
  const char *text;
  size_t size, local;
  uint64_t hash;
} entry;

struct wnn_cl_session {
  wnn_arena arena;
  entry *entries;
  size_t n_entries, room;
  wnn_cl_plan **plans;
  size_t n_plans, plans_room;
  unsigned needs;
};

webnn_status wnn_cl_session_begin(wnn_device *device) {
  wnn_cl_session *session = wnn_alloc_zeroed(&device->host->alloc, sizeof *session);
  if (session == NULL) return WEBNN_ERROR_UNKNOWN;
  wnn_arena_init(&session->arena, &device->host->alloc);
  device->session = session;
  return WEBNN_OK;
}

static uint64_t hash_of(const char *text, size_t n) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < n; i++) hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
  return hash;
}

/* A list in the arena with room for one more. */
static bool grow(wnn_arena *arena, void **list, size_t n, size_t *room, size_t each) {
  if (n < *room) return true;
  size_t more = *room ? 2 * *room : 32;
  void *fresh = wnn_arena_array(arena, more, each);
  if (fresh == NULL) return false;
  if (n != 0) memcpy(fresh, *list, n * each);
  *list = fresh;
  *room = more;
  return true;
}

uint32_t wnn_cl_session_kernel(wnn_device *device, const char *text, size_t local, unsigned needs) {
  wnn_cl_session *session = device->session;
  size_t size = strlen(text);
  uint64_t hash = hash_of(text, size);
  session->needs |= needs;
  for (size_t i = 0; i < session->n_entries; i++) {
    const entry *e = &session->entries[i];
    if (e->hash == hash && e->size == size && e->local == local && memcmp(e->text, text, size) == 0)
      return (uint32_t)i;
  }
  void *entries = session->entries;
  if (!grow(&session->arena, &entries, session->n_entries, &session->room, sizeof(entry)))
    return UINT32_MAX;
  session->entries = entries;
  entry *e = &session->entries[session->n_entries];
  *e = (entry){wnn_arena_copy(&session->arena, text, size + 1), size, local, hash};
  return e->text != NULL ? (uint32_t)session->n_entries++ : UINT32_MAX;
}

webnn_status wnn_cl_session_plan(wnn_device *device, wnn_cl_plan *plan) {
  wnn_cl_session *session = device->session;
  void *plans = session->plans;
  if (!grow(&session->arena, &plans, session->n_plans, &session->plans_room, sizeof(wnn_cl_plan *)))
    return WEBNN_ERROR_UNKNOWN;
  session->plans = plans;
  session->plans[session->n_plans++] = plan;
  return WEBNN_OK;
}

/* The compiler may fuse nothing that isn't written as fused: answers don't depend on what stands
 * next to what. */
static void write_source(const wnn_cl_session *session, wnn_source *out) {
  static const char *const parts[WNN_CL_N_NEEDS] = {wnn_cl_text_half,    wnn_cl_text_math,
                                                    wnn_cl_text_integer, wnn_cl_text_cast,
                                                    wnn_cl_text_index,   wnn_cl_text_sum};
  wnn_source_put(out, "#pragma OPENCL FP_CONTRACT OFF\n");
  for (size_t i = 0; i < WNN_CL_N_NEEDS; i++)
    if (session->needs >> i & 1) wnn_source_put(out, parts[i]);
  for (size_t i = 0; i < session->n_entries; i++) {
    wnn_source_add(out, "__kernel __attribute__((reqd_work_group_size(%zu, 1, 1)))\nvoid k%zu",
                   session->entries[i].local, i);
    wnn_source_put(out, session->entries[i].text);
  }
}

static webnn_status make_kernels(wnn_device *device, cl_program program) {
  const wnn_cl_session *session = device->session;
  for (size_t i = 0; i < session->n_plans; i++) {
    wnn_cl_plan *plan = session->plans[i];
    for (size_t k = 0; k < plan->n_launches; k++) {
      char name[16];
      cl_int code;
      if (plan->launches[k].gemm != NULL) continue;
      snprintf(name, sizeof name, "k%u", (unsigned)plan->launches[k].name);
      plan->launches[k].kernel = device->cl.clCreateKernel(program, name, &code);
      if (code != CL_SUCCESS) return WEBNN_ERROR_UNKNOWN;
    }
  }
  return WEBNN_OK;
}

static webnn_status build(wnn_device *device, webnn_error *err) {
  wnn_source source = wnn_source_on(&device->host->alloc);
  cl_program program = NULL;
  write_source(device->session, &source);
  webnn_status status = source.failed
                            ? wnn_error_no_memory(err)
                            : wnn_cl_build(device, source.data, source.size, &program, err);
  wnn_source_free(&source);
  if (status != WEBNN_OK) return status;
  status = make_kernels(device, program);
  device->cl.clReleaseProgram(program); /* its kernels keep it */
  if (status != WEBNN_OK)
    return wnn_error_set(err, status, "build: the device can't make a kernel");
  return WEBNN_OK;
}

webnn_status wnn_cl_session_end(wnn_device *device, bool drop, webnn_error *err) {
  wnn_cl_session *session = device->session;
  webnn_status status = WEBNN_OK;
  if (!drop && session->n_entries != 0) status = build(device, err);
  wnn_arena_reset(&session->arena);
  wnn_alloc_free(&device->host->alloc, session, sizeof *session);
  device->session = NULL;
  return status;
}

static const char *options_of(const wnn_device *device) {
  return device->divides_exactly ? "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt"
                                 : "-cl-std=CL1.2";
}

/* The first lines of what the compiler has to say. */
static webnn_status fail_build(wnn_device *device, cl_program program, webnn_error *err) {
  char log[160] = "";
  size_t n = 0;
  device->cl.clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &n);
  char *all = wnn_alloc_zeroed(&device->host->alloc, n + 1);
  if (all != NULL) {
    device->cl.clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, n, all, NULL);
    snprintf(log, sizeof log, "%s", all);
    wnn_alloc_free(&device->host->alloc, all, n + 1);
  }
  return wnn_error_set(err, WEBNN_ERROR_OPERATION, "build: the OpenCL compiler of %s failed: %s",
                       device->name, wnn_quote((webnn_str){log, strlen(log)}).text);
}

webnn_status wnn_cl_build(wnn_device *device, const char *source, size_t size, cl_program *out,
                          webnn_error *err) {
  const char *options = options_of(device);
  cl_int code;
  *out = wnn_cl_cache_load(device, source, size, options);
  if (*out != NULL) return WEBNN_OK;
  cl_program program =
      device->cl.clCreateProgramWithSource(device->context, 1, &source, &size, &code);
  if (code != CL_SUCCESS)
    return wnn_error_set(err, WEBNN_ERROR_UNKNOWN, "build: no program on %s", device->name);
  code = device->cl.clBuildProgram(program, 1, &device->id, options, NULL, NULL);
  if (code != CL_SUCCESS) {
    webnn_status status = fail_build(device, program, err);
    device->cl.clReleaseProgram(program);
    return status;
  }
  wnn_cl_cache_store(device, source, size, options, program);
  *out = program;
  return WEBNN_OK;
}
