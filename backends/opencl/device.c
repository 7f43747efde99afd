/* Which device: the user's own, one by name, or the best of its kind. */
#include <ctype.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "blast.h"

#define MAX_PLATFORMS 16
#define MAX_DEVICES 32

/* What speaks for a device. */
typedef struct candidate {
  cl_device_id id;
  cl_device_type type;
  cl_uint n_units, frequency;
  cl_bool shares_memory;
  char name[128];
} candidate;

static bool contains(const char *text, const char *part) {
  size_t n = strlen(part);
  for (; *text != '\0'; text++) {
    size_t i = 0;
    while (i < n && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i])) i++;
    if (i == n) return true;
  }
  return n == 0;
}

static candidate look_at(const wnn_cl_api *cl, cl_device_id id) {
  candidate c = {.id = id};
  cl->clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof c.type, &c.type, NULL);
  cl->clGetDeviceInfo(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof c.n_units, &c.n_units, NULL);
  cl->clGetDeviceInfo(id, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof c.frequency, &c.frequency, NULL);
  cl->clGetDeviceInfo(id, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof c.shares_memory, &c.shares_memory,
                      NULL);
  cl->clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof c.name, c.name, NULL);
  return c;
}

static void read_driver(const wnn_cl_api *cl, cl_device_id id, char *out, size_t room) {
  char version[64] = "", driver[64] = "";
  cl->clGetDeviceInfo(id, CL_DEVICE_VERSION, sizeof version, version, NULL);
  cl->clGetDeviceInfo(id, CL_DRIVER_VERSION, sizeof driver, driver, NULL);
  snprintf(out, room, "%s, driver %s", version, driver);
}

/* A device that compiles, is there, and has all that our kernels ask for. */
static bool is_usable(const wnn_cl_api *cl, cl_device_id id) {
  cl_bool available = CL_FALSE, compiles = CL_FALSE, little = CL_FALSE;
  cl_uint align = 0;
  cl->clGetDeviceInfo(id, CL_DEVICE_AVAILABLE, sizeof available, &available, NULL);
  cl->clGetDeviceInfo(id, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiles, &compiles, NULL);
  cl->clGetDeviceInfo(id, CL_DEVICE_ENDIAN_LITTLE, sizeof little, &little, NULL);
  cl->clGetDeviceInfo(id, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof align, &align, NULL);
  return available && compiles && little && align / 8 <= wnn_cl_memory.align;
}

/* The better one is larger. A GPU goes before all; with its own memory first, but where power is to
 * be saved. */
static double rank_of(const candidate *c, webnn_power_preference power) {
  double rank = (double)c->n_units * (double)(c->frequency ? c->frequency : 1);
  bool wants_shared = power == WEBNN_POWER_PREFERENCE_LOW_POWER;
  if ((c->shares_memory != CL_FALSE) == wants_shared) rank += 1e9;
  if (c->type & CL_DEVICE_TYPE_GPU) rank += 1e12;
  return rank;
}

/* Drivers set themselves up when they are asked for their devices first, PoCL so that a second
 * thread finds them half made: one asks after the other. The drivers are the process's, and so is
 * this. Its number instead of a lock, for a forked child does not wait for who was asking. */
static atomic_int_least64_t asking; /* 0: nobody */

static void take_turn(void) {
  const int64_t here = (int64_t)getpid();
  int64_t who = 0;
  while (!atomic_compare_exchange_strong(&asking, &who, here)) {
    if (who != here && who != 0) continue; /* of the parent: taken over */
    nanosleep(&(struct timespec){0, 100000}, NULL);
    who = 0;
  }
}

static size_t ask_for_devices(const wnn_cl_api *cl, cl_device_id *out) {
  cl_platform_id platforms[MAX_PLATFORMS];
  cl_uint n_platforms = 0, n;
  size_t n_out = 0;
  if (cl->clGetPlatformIDs(MAX_PLATFORMS, platforms, &n_platforms) != CL_SUCCESS) return 0;
  for (cl_uint i = 0; i < n_platforms && i < MAX_PLATFORMS && n_out < MAX_DEVICES; i++) {
    cl_uint room = (cl_uint)(MAX_DEVICES - n_out);
    if (cl->clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, room, out + n_out, &n) == CL_SUCCESS)
      n_out += n < room ? n : room;
  }
  return n_out;
}

static size_t list_devices(const wnn_cl_api *cl, cl_device_id *out) {
  take_turn();
  const size_t n = ask_for_devices(cl, out);
  atomic_store(&asking, 0);
  return n;
}

static webnn_device_type type_of(const candidate *c) {
  return c->type & CL_DEVICE_TYPE_GPU ? WEBNN_DEVICE_TYPE_GPU : WEBNN_DEVICE_TYPE_CPU;
}

static void describe(const wnn_cl_api *cl, const candidate *c, webnn_device_info *out) {
  cl_ulong memory = 0;
  cl->clGetDeviceInfo(c->id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
  snprintf(out->name, sizeof out->name, "%s", c->name);
  char driver[140];
  read_driver(cl, c->id, driver, sizeof driver);
  snprintf(out->driver, sizeof out->driver, "%s, %s loader, %s", driver,
           cl->bundled ? "the bundled" : "the system's", wnn_cl_blast_found());
  out->device_type = type_of(c);
  out->memory = memory;
  out->compute_units = c->n_units;
  out->shares_memory = c->shares_memory != CL_FALSE;
  out->usable = is_usable(cl, c->id);
}

/* As they are chosen: the usable ones first, the better ones before. */
bool wnn_cl_list(size_t i, webnn_power_preference preference, webnn_device_info *out) {
  wnn_cl_api cl;
  cl_device_id ids[MAX_DEVICES];
  candidate found[MAX_DEVICES];
  double ranks[MAX_DEVICES];
  if (wnn_cl_find_loader(&cl, NULL) != WEBNN_OK) return false;
  size_t n = list_devices(&cl, ids);
  if (i >= n) return false;
  for (size_t k = 0; k < n; k++) {
    found[k] = look_at(&cl, ids[k]);
    ranks[k] = rank_of(&found[k], preference) + (is_usable(&cl, ids[k]) ? 1e15 : 0);
  }
  for (size_t k = 0; k < n; k++) {
    size_t before = 0; /* devices that come before this one */
    for (size_t j = 0; j < n; j++) before += ranks[j] > ranks[k] || (ranks[j] == ranks[k] && j < k);
    if (before == i) describe(&cl, &found[k], out);
  }
  return true;
}

static webnn_status choose(const wnn_cl_api *cl, const wnn_host *host, cl_device_id *out,
                           webnn_error *err) {
  cl_device_id ids[MAX_DEVICES];
  size_t n = list_devices(cl, ids);
  double best = -1;
  for (size_t i = 0; i < n; i++) {
    candidate c = look_at(cl, ids[i]);
    if (!is_usable(cl, ids[i])) continue;
    if (host->device_name != NULL && !contains(c.name, host->device_name)) continue;
    if (!host->named && !(c.type & CL_DEVICE_TYPE_GPU)) continue;
    double rank = rank_of(&c, host->power_preference);
    if (rank <= best) continue;
    best = rank;
    *out = ids[i];
  }
  if (best >= 0) return WEBNN_OK;
  if (n == 0)
    return wnn_error_set(err, WEBNN_ERROR_NOT_SUPPORTED,
                         "opencl: there is no OpenCL device, says %s loader",
                         cl->bundled ? "the bundled" : "the system's");
  if (host->device_name != NULL)
    return wnn_error_set(err, WEBNN_ERROR_NOT_SUPPORTED,
                         "opencl: no usable device has '%s' in its name",
                         wnn_quote((webnn_str){host->device_name, strlen(host->device_name)}).text);
  return wnn_error_set(err, WEBNN_ERROR_NOT_SUPPORTED,
                       host->named ? "opencl: none of the %zu OpenCL devices can be used"
                                   : "opencl: none of the %zu OpenCL devices is a GPU",
                       n);
}

static void read_properties(wnn_device *device) {
  const wnn_cl_api *cl = &device->cl;
  cl_device_type type = 0;
  cl_device_fp_config config = 0;
  cl->clGetDeviceInfo(device->id, CL_DEVICE_NAME, sizeof device->name, device->name, NULL);
  read_driver(cl, device->id, device->driver, sizeof device->driver);
  cl->clGetDeviceInfo(device->id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
  device->is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
  cl->clGetDeviceInfo(device->id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config, NULL);
  cl_bool shares = CL_FALSE;
  cl->clGetDeviceInfo(device->id, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof shares, &shares, NULL);
  device->shares_memory = shares != CL_FALSE;
  device->divides_exactly = (config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  cl->clGetDeviceInfo(device->id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof device->max_group,
                      &device->max_group, NULL);
  cl->clGetDeviceInfo(device->id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof device->local_bytes,
                      &device->local_bytes, NULL);
}

/* The owner's queue itself, when it does things in order; else one of ours beside it. */
static webnn_status take_queue(wnn_device *device, cl_command_queue queue, webnn_error *err) {
  const wnn_cl_api *cl = &device->cl;
  cl_command_queue_properties properties = 0;
  cl_int code = cl->clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof device->context,
                                          &device->context, NULL);
  if (code == CL_SUCCESS)
    code = cl->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device->id, &device->id, NULL);
  if (code == CL_SUCCESS)
    code =
        cl->clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
  if (code != CL_SUCCESS) {
    device->context = NULL;
    return wnn_error_set(err, WEBNN_ERROR_TYPE, "create_context: the OpenCL queue is not valid");
  }
  cl->clRetainContext(device->context);
  if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) return WEBNN_OK;
  cl->clRetainCommandQueue(queue);
  device->queue = queue;
  return WEBNN_OK;
}

static webnn_status take_context(wnn_device *device, cl_context context, webnn_error *err) {
  const wnn_cl_api *cl = &device->cl;
  cl_device_id ids[MAX_DEVICES];
  size_t n_bytes = 0;
  if (cl->clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof ids, ids, &n_bytes) != CL_SUCCESS)
    return wnn_error_set(err, WEBNN_ERROR_TYPE, "create_context: the OpenCL context is not valid");
  for (size_t i = 0; i < n_bytes / sizeof ids[0] && device->id == NULL; i++)
    if (is_usable(cl, ids[i])) device->id = ids[i];
  cl->clRetainContext(context);
  device->context = context;
  return WEBNN_OK;
}

/* Device, context and queue: what the owner gave, and the rest. */
static webnn_status find_queue(wnn_device *device, webnn_error *err) {
  const wnn_host *host = device->host;
  cl_int code = CL_SUCCESS;
  webnn_status status = host->queue != NULL     ? take_queue(device, host->queue, err)
                        : host->context != NULL ? take_context(device, host->context, err)
                                                : choose(&device->cl, host, &device->id, err);
  if (status != WEBNN_OK) return status;
  if (device->id == NULL || !is_usable(&device->cl, device->id))
    return wnn_error_set(err, WEBNN_ERROR_NOT_SUPPORTED, "opencl: the device can't be used");
  if (device->context == NULL)
    device->context = device->cl.clCreateContext(NULL, 1, &device->id, NULL, NULL, &code);
  if (code == CL_SUCCESS && device->queue == NULL)
    device->queue = device->cl.clCreateCommandQueue(device->context, device->id, 0, &code);
  if (code == CL_SUCCESS) return WEBNN_OK;
  return wnn_error_set(err, WEBNN_ERROR_NOT_SUPPORTED, "opencl: the device gives no queue (%d)",
                       (int)code);
}

void wnn_cl_close(wnn_device *device) {
  if (device->queue != NULL) {
    device->cl.clFinish(device->queue);
    wnn_cl_stages_close(device);
    device->cl.clReleaseCommandQueue(device->queue);
  }
  wnn_cl_blast_close(device);
  if (device->context != NULL) device->cl.clReleaseContext(device->context);
  wnn_alloc_free(&device->host->alloc, device, sizeof *device);
}

webnn_status wnn_cl_open(const wnn_host *host, wnn_device **out, webnn_error *err) {
  wnn_device *device = wnn_alloc_zeroed(&host->alloc, sizeof *device);
  if (device == NULL) return wnn_error_no_memory(err);
  device->host = host;
  webnn_status status = wnn_cl_find_loader(&device->cl, err);
  if (status == WEBNN_OK) status = find_queue(device, err);
  if (status == WEBNN_OK) read_properties(device);
  if (status != WEBNN_OK) {
    wnn_cl_close(device);
    return status;
  }
  *out = device;
  return WEBNN_OK;
}

const char *wnn_cl_failure(const wnn_device *device) {
  switch (device->failure) {
    case CL_SUCCESS: return "";
    case CL_MEM_OBJECT_ALLOCATION_FAILURE: return "the device is out of memory";
    case CL_OUT_OF_RESOURCES: return "the device is out of resources, or lost";
    case CL_OUT_OF_HOST_MEMORY: return "the driver is out of memory";
    case CL_DEVICE_NOT_AVAILABLE: return "the device is gone";
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
      return "what it waits for failed on the device";
    default: return "the OpenCL implementation refused a command";
  }
}
