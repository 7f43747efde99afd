/* webnn.ML and webnn.Context: choosing a device, and all that is made from it. */
#include "state.h"

#include <string.h>

/* ---- options of create_context */

enum { DEVICE_TYPE, POWER, ACCELERATED, BACKEND, THREADS, MATH, PASSES, OPENCL, DEVICE, N_OPTIONS };
static const char *const option_names[] = {"device_type", "power_preference", "accelerated",
                                           "backend",     "threads",          "math",
                                           "passes",      "opencl",           "device",
                                           NULL};
static const Params create_params = {"create_context", option_names, 0, 0};

static const char *const device_types[] = {"cpu", "gpu", NULL};
static const char *const powers[] = {"default", "high-performance", "low-power", NULL};
static const char *const backends[] = {"auto", "onednn", "opencl", "reference", NULL};
static const char *const maths[] = {"exact", "fast", NULL};

static int enum_option(PyObject **given, int i, const char *const *names, uint32_t *out) {
  Where where = {"create_context", option_names[i], NULL, NULL};
  *out = 0;
  return wpy_absent(given[i]) ? 0 : wpy_enum(&where, given[i], names, out);
}

/* A text without NUL, or NULL; the object keeps it. */
static int text_option(PyObject **given, int i, const char **out) {
  Where where = {"create_context", option_names[i], NULL, NULL};
  webnn_str text;
  *out = NULL;
  if (wpy_absent(given[i])) return 0;
  if (wpy_name(&where, given[i], &text) < 0) return -1;
  if (strlen(text.data) != text.size) return wpy_argument_error(&where, "holds a NUL");
  *out = text.data;
  return 0;
}

static int read_options(PyObject **given, webnn_context_options *out) {
  Where accelerated = {"create_context", option_names[ACCELERATED], NULL, NULL};
  Where threads = {"create_context", option_names[THREADS], NULL, NULL};
  uint32_t device, power, backend, math;
  if (enum_option(given, DEVICE_TYPE, device_types, &device) < 0 ||
      enum_option(given, POWER, powers, &power) < 0 ||
      enum_option(given, BACKEND, backends, &backend) < 0 ||
      enum_option(given, MATH, maths, &math) < 0 ||
      wpy_bool_or(&accelerated, given[ACCELERATED], true, &out->accelerated) < 0)
    return -1;
  if (!wpy_absent(given[THREADS]) && wpy_uint32(&threads, given[THREADS], &out->threads) < 0)
    return -1;
  out->device_type = (webnn_device_type)device;
  out->power_preference = (webnn_power_preference)power;
  out->backend = backends[backend];
  out->math = (webnn_math)math;
  Where opencl = {"create_context", option_names[OPENCL], NULL, NULL};
  if (wpy_opencl_owner(&opencl, given[OPENCL], out) < 0) return -1;
  if (text_option(given, PASSES, &out->passes) < 0) return -1;
  return text_option(given, DEVICE, &out->device);
}

static PyObject *create_context(State *state, PyObject *const *args, Py_ssize_t n_args,
                                PyObject *names) {
  PyObject *given[N_OPTIONS];
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_error error;
  webnn_context *native;
  webnn_status status;
  if (wpy_parse(&create_params, args, n_args, names, given) < 0 ||
      read_options(given, &options) < 0)
    return NULL;
  Py_BEGIN_ALLOW_THREADS status = webnn_context_create(&options, &native, &error);
  Py_END_ALLOW_THREADS if (status != WEBNN_OK) return wpy_raise(state, &error);
  Context *self = wpy_object_new(state, state->context);
  if (self == NULL)
    webnn_context_release(native);
  else
    self->native = native;
  return (PyObject *)self;
}

static PyObject *ml_create_context(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                                   PyObject *names) {
  State *state = ((Object *)self)->state;
  return wpy_future_settled(state, create_context(state, args, n_args, names));
}

/* ---- devices */

static PyObject *describe_device(const webnn_device_info *info) {
  return Py_BuildValue("{sssssssssKsIsOsO}", "backend", info->backend, "device_type",
                       device_types[info->device_type], "device", info->name, "driver",
                       info->driver, "memory", (unsigned long long)info->memory, "compute_units",
                       (unsigned)info->compute_units, "shares_memory",
                       info->shares_memory ? Py_True : Py_False, "usable",
                       info->usable ? Py_True : Py_False);
}

PyObject *wpy_devices(PyObject *module, PyObject *const *args, Py_ssize_t n_args,
                      PyObject *names) {
  static const char *const keywords[] = {"power_preference", NULL};
  static const Params params = {"devices", keywords, 0, 0};
  static const Where where = {"devices", "power_preference", NULL, NULL};
  PyObject *given[1], *list;
  uint32_t power = 0;
  (void)module;
  if (wpy_parse(&params, args, n_args, names, given) < 0 ||
      (!wpy_absent(given[0]) && wpy_enum(&where, given[0], powers, &power) < 0) ||
      (list = PyList_New(0)) == NULL)
    return NULL;
  for (size_t i = 0;; i++) {
    webnn_device_info info = WEBNN_DEVICE_INFO_INIT;
    bool found;
    Py_BEGIN_ALLOW_THREADS found =
        webnn_device_get_info(i, (webnn_power_preference)power, &info);
    Py_END_ALLOW_THREADS if (!found) return list;
    PyObject *device = describe_device(&info);
    int code = device != NULL ? PyList_Append(list, device) : -1;
    Py_XDECREF(device);
    if (code == 0) continue;
    Py_DECREF(list);
    return NULL;
  }
}

/* ---- ML */

static PyObject *ml_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static const char *const none[] = {NULL};
  static const Params params = {"ML", none, 0, 0};
  if (wpy_parse_new(&params, args, kwargs, NULL) < 0) return NULL;
  return wpy_object_new(wpy_state_of(type), type);
}

static PyObject *plain_repr(PyObject *self) {
  (void)self;
  return PyUnicode_FromString("<webnn.ML>");
}

static int plain_traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  return 0;
}

static void plain_dealloc(PyObject *self) {
  wpy_object_ending(self);
  wpy_object_free(self);
}

static PyMethodDef ml_methods[] = {
    {"create_context", WPY_FAST(ml_create_context), METH_FASTCALL | METH_KEYWORDS,
     "create_context($self, *, device_type='cpu', power_preference='default', accelerated=True, "
     "backend='auto', threads=0, math='exact', passes=None, opencl=None, device=None)\n--\n\n"
     "A Future of a Context. Spec: ML.createContext; the options from backend on are extensions.\n"
     "\n"
     "device_type: 'gpu' takes a GPU through OpenCL, and the CPU where there is none (ctx.info['why']).\n"
     "power_preference, accelerated: hints which device of a kind it is to be.\n"
     "backend: 'onednn' (the CPU), 'opencl', 'reference' (complete, slow), 'auto'.\n"
     "threads: of the CPU backend; 0: as many as the affinity mask and the CPU quota allow.\n"
     "math: 'fast' lets products and convolutions multiply in bfloat16 where the processor can.\n"
     "passes: for debugging, parts of the engine to leave out, as in '-fuse,-layout' (docs/engine.md).\n"
     "opencl: a pyopencl Context or CommandQueue to work on; device: part of an OpenCL device's name."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot ml_slots[] = {
    {Py_tp_doc, "ML()\n--\n\nWhere contexts come from: the specification's navigator.ml."},
    {Py_tp_new, ml_new},
    {Py_tp_dealloc, plain_dealloc},
    {Py_tp_traverse, plain_traverse},
    {Py_tp_repr, plain_repr},
    {Py_tp_methods, ml_methods},
    {Py_tp_members, wpy_object_members},
    {0, NULL}};
static PyType_Spec ml_spec = {"webnn.ML", sizeof(Object), 0,
                              Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
                              ml_slots};

/* ---- tensors of a context */

static PyObject *create_tensor(Context *self, PyObject *const *args, Py_ssize_t n_args,
                               PyObject *names) {
  static const char *const keywords[] = {"shape", "data_type", "readable", "writable", NULL};
  static const Params params = {"create_tensor", keywords, 2, 2};
  Where readable = {params.function, keywords[2], NULL, NULL},
        writable = {params.function, keywords[3], NULL, NULL};
  PyObject *given[4];
  Scratch scratch;
  webnn_descriptor descriptor;
  webnn_tensor_options options = WEBNN_TENSOR_OPTIONS_INIT;
  webnn_tensor *native;
  webnn_error error;
  webnn_status status;
  PyObject *tensor = NULL;
  wpy_scratch_init(&scratch);
  if (wpy_parse(&params, args, n_args, names, given) < 0 ||
      wpy_descriptor(params.function, given[0], given[1], &scratch, &descriptor) < 0 ||
      wpy_bool_or(&readable, given[2], false, &options.readable) < 0 ||
      wpy_bool_or(&writable, given[3], false, &options.writable) < 0)
    goto done;
  Py_BEGIN_ALLOW_THREADS status =
      webnn_tensor_create(self->native, &descriptor, &options, &native, &error);
  Py_END_ALLOW_THREADS tensor = status == WEBNN_OK
                                    ? wpy_tensor_new(self->state, (PyObject *)self, native)
                                    : wpy_raise(self->state, &error);
done:
  wpy_scratch_free(&scratch);
  return tensor;
}

static PyObject *create_constant_tensor(Context *self, PyObject *const *args, Py_ssize_t n_args,
                                        PyObject *names) {
  static const char *const keywords[] = {"data", "shape", "data_type", NULL};
  static const Params params = {"create_constant_tensor", keywords, 1, 1};
  Where where = {params.function, keywords[0], NULL, NULL};
  PyObject *given[3], *tensor = NULL;
  Scratch scratch;
  Data data;
  webnn_descriptor descriptor;
  webnn_tensor *native;
  webnn_error error;
  webnn_status status;
  if (wpy_parse(&params, args, n_args, names, given) < 0 ||
      wpy_data_get(self->state, &where, given[0], false, &data) < 0)
    return NULL;
  wpy_scratch_init(&scratch);
  if (wpy_data_descriptor(&where, &data, given[1], given[2], &scratch, &descriptor) < 0) goto done;
  Py_BEGIN_ALLOW_THREADS status = webnn_tensor_create_constant(
      self->native, &descriptor, data.bytes, data.n_bytes, &native, &error);
  Py_END_ALLOW_THREADS tensor = status == WEBNN_OK
                                    ? wpy_tensor_new(self->state, (PyObject *)self, native)
                                    : wpy_raise(self->state, &error);
done:
  wpy_scratch_free(&scratch);
  wpy_data_release(&data);
  return tensor;
}

static PyObject *context_create_tensor(PyObject *object, PyObject *const *args, Py_ssize_t n_args,
                                       PyObject *names) {
  Context *self = (Context *)object;
  return wpy_future_settled(self->state, create_tensor(self, args, n_args, names));
}

static PyObject *context_create_constant_tensor(PyObject *object, PyObject *const *args,
                                                Py_ssize_t n_args, PyObject *names) {
  Context *self = (Context *)object;
  return wpy_future_settled(self->state, create_constant_tensor(self, args, n_args, names));
}

/* ---- the context itself */

static PyObject *context_destroy(PyObject *self, PyObject *unused) {
  (void)unused;
  Py_BEGIN_ALLOW_THREADS webnn_context_destroy(((Context *)self)->native);
  Py_END_ALLOW_THREADS Py_RETURN_NONE;
}

static PyObject *context_enter(PyObject *self, PyObject *unused) {
  (void)unused;
  return Py_NewRef(self);
}

static PyObject *context_exit(PyObject *self, PyObject *const *args, Py_ssize_t n_args) {
  (void)args, (void)n_args;
  return context_destroy(self, NULL);
}

static PyObject *context_op_support_limits(PyObject *self, PyObject *unused) {
  (void)unused;
  PyObject *json = PyImport_ImportModule("json");
  if (json == NULL) return NULL;
  const char *text = webnn_context_op_support_limits(((Context *)self)->native);
  PyObject *limits =
      text == NULL ? PyErr_NoMemory() : PyObject_CallMethod(json, "loads", "s", text);
  Py_DECREF(json);
  return limits;
}

int wpy_measure_peaks(Context *context, webnn_peaks *peaks) {
  webnn_error error;
  webnn_status status;
  Py_BEGIN_ALLOW_THREADS status = webnn_context_measure_peaks(context->native, peaks, &error);
  Py_END_ALLOW_THREADS if (status == WEBNN_OK) return 0;
  wpy_raise(context->state, &error);
  return -1;
}

static PyObject *context_measure_peaks(PyObject *self, PyObject *unused) {
  webnn_peaks peaks = WEBNN_PEAKS_INIT;
  (void)unused;
  if (wpy_measure_peaks((Context *)self, &peaks) < 0) return NULL;
  return Py_BuildValue("{sdsd}", "flops", peaks.flops, "bytes", peaks.bytes);
}

static PyObject *context_accelerated(PyObject *self, void *unused) {
  (void)unused;
  return PyBool_FromLong(webnn_context_accelerated(((Context *)self)->native));
}

static PyObject *context_lost(PyObject *object, void *unused) {
  Context *self = (Context *)object;
  wpy_lock lock;
  (void)unused;
  wpy_lock_begin(&lock, object);
  if (self->lost == NULL) {
    webnn_future *native = webnn_future_retain(webnn_context_lost(self->native));
    self->lost = wpy_future_new(self->state, FUTURE_LOST, native, NULL, NULL, NULL);
  }
  PyObject *lost = Py_XNewRef(self->lost);
  wpy_lock_end(&lock);
  return lost;
}

static PyObject *context_info(PyObject *self, void *unused) {
  webnn_context_info info = WEBNN_CONTEXT_INFO_INIT;
  (void)unused;
  webnn_context_get_info(((Context *)self)->native, &info);
  return Py_BuildValue("{sssssssIss}", "backend", info.backend, "device", info.device, "driver",
                       info.driver, "threads", (unsigned)info.threads, "why",
                       info.why == NULL ? "" : info.why);
}

static PyObject *context_repr(PyObject *self) {
  webnn_context *native = ((Context *)self)->native;
  webnn_context_info info = WEBNN_CONTEXT_INFO_INIT;
  webnn_context_get_info(native, &info);
  return PyUnicode_FromFormat("<webnn.Context %s on %s, %u threads%s>", info.backend, info.device,
                              (unsigned)info.threads,
                              webnn_context_is_lost(native) ? ", lost" : "");
}

static int context_traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(((Context *)self)->lost);
  Py_VISIT(((Context *)self)->handler);
  return 0;
}

static int context_clear(PyObject *self) {
  Py_CLEAR(((Context *)self)->lost);
  Py_CLEAR(((Context *)self)->handler);
  return 0;
}

/* Only the collector asks for it, before it takes a cycle apart: from then on callbacks are in pieces. */
static void context_finalize(PyObject *self) { ((Context *)self)->collected = true; }

static void context_dealloc(PyObject *self) {
  wpy_object_ending(self);
  PyObject *lost = ((Context *)self)->lost;
  if (lost != NULL && !((Context *)self)->collected) wpy_future_outlive(lost);
  wpy_context_stop_watching((Context *)self);
  PyThreadState *paused = wpy_pause();
  webnn_context_release(((Context *)self)->native); /* may wait for the worker */
  wpy_resume(paused);
  context_clear(self);
  wpy_object_free(self);
}

static PyGetSetDef context_getset[] = {
    {"accelerated", context_accelerated, NULL, "The option as given. Spec: MLContext.accelerated.",
     NULL},
    {"lost", context_lost, NULL,
     "A Future of why the context was lost, the same one each time. Spec: MLContext.lost.", NULL},
    {"info", context_info, NULL, "What was chosen: backend, device, driver, threads, why.", NULL},
    {"on_uncaptured_error", wpy_context_get_handler, wpy_context_set_handler,
     "A function that is called with every error that no error scope has caught, in a thread of the\n"
     "library; None: no function. An extension.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef context_methods[] = {
    {"create_tensor", WPY_FAST(context_create_tensor), METH_FASTCALL | METH_KEYWORDS,
     "create_tensor($self, shape, data_type, *, readable=False, writable=False)\n--\n\n"
     "A Future of a Tensor full of zeros. Spec: MLContext.createTensor."},
    {"create_constant_tensor", WPY_FAST(context_create_constant_tensor),
     METH_FASTCALL | METH_KEYWORDS,
     "create_constant_tensor($self, data, *, shape=None, data_type=None)\n--\n\n"
     "A Future of a Tensor for GraphBuilder.constant. Spec: MLContext.createConstantTensor."},
    {"import_opencl", WPY_FAST(wpy_context_import_opencl), METH_FASTCALL | METH_KEYWORDS,
     "import_opencl($self, memory, shape, data_type, *, event=None, readable=False, writable=False)\n--\n\n"
     "A Future of a Tensor on an OpenCL buffer (a pyopencl object or a cl_mem's number) of the context's own\n"
     "cl_context; its first use waits for `event`. An extension."},
    {"write_tensor", WPY_FAST(wpy_context_write_tensor), METH_FASTCALL | METH_KEYWORDS,
     "write_tensor($self, tensor, data)\n--\n\n"
     "Writes the whole tensor; `data` is copied before the call returns. Spec: "
     "MLContext.writeTensor."},
    {"read_tensor", WPY_FAST(wpy_context_read_tensor), METH_FASTCALL | METH_KEYWORDS,
     "read_tensor($self, tensor, out=None)\n--\n\n"
     "A Future of the whole tensor as an array, or of None once `out` is filled. Spec: "
     "MLContext.readTensor."},
    {"dispatch", WPY_FAST(wpy_context_dispatch), METH_FASTCALL | METH_KEYWORDS,
     "dispatch($self, graph, inputs, outputs)\n--\n\n"
     "Runs the graph on tensors by name and returns at once. Spec: MLContext.dispatch."},
    {"compute", WPY_FAST(wpy_context_compute), METH_FASTCALL | METH_KEYWORDS,
     "compute($self, graph, inputs, outputs=None)\n--\n\n"
     "Runs the graph on arrays by name and waits: a dict of arrays, `outputs` where given.\n\n"
     "Data types and numbers of bytes have to fit; shapes of arrays aren't looked at."},
    {"push_error_scope", WPY_FAST(wpy_context_push_error_scope), METH_FASTCALL | METH_KEYWORDS,
     "push_error_scope($self, filter)\n--\n\n"
     "Opens an error scope, which notes the first error of its kind: 'validation', 'out-of-memory' or\n"
     "'internal'. Errors are raised all the same. An extension."},
    {"pop_error_scope", wpy_context_pop_error_scope, METH_NOARGS,
     "pop_error_scope($self)\n--\n\n"
     "A Future of what the innermost error scope has noted, an exception or None; closes it. An\n"
     "extension."},
    {"op_support_limits", context_op_support_limits, METH_NOARGS,
     "op_support_limits($self)\n--\n\n"
     "What the context can do, a dict as in the specification. Spec: MLContext.opSupportLimits."},
    {"measure_peaks", context_measure_peaks, METH_NOARGS,
     "measure_peaks($self)\n--\n\n"
     "What the device reaches with nothing else to do: flops and bytes a second, in a dict. The first\n"
     "call measures, for some tenths of a second. An extension."},
    {"destroy", context_destroy, METH_NOARGS,
     "destroy($self)\n--\n\nLoses the context on purpose, with all that came from it. Spec: "
     "MLContext.destroy."},
    {"__enter__", context_enter, METH_NOARGS, "__enter__($self)\n--\n\nThe context itself."},
    {"__exit__", WPY_FAST(context_exit), METH_FASTCALL,
     "__exit__($self, *args)\n--\n\nDestroys it."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot context_slots[] = {
    {Py_tp_doc, "A device and its ordered timeline. Made by ML.create_context. Spec: MLContext."},
    {Py_tp_dealloc, context_dealloc},
    {Py_tp_finalize, context_finalize},
    {Py_tp_traverse, context_traverse},
    {Py_tp_clear, context_clear},
    {Py_tp_repr, context_repr},
    {Py_tp_methods, context_methods},
    {Py_tp_getset, context_getset},
    {Py_tp_members, wpy_object_members},
    {0, NULL}};
static PyType_Spec context_spec = {"webnn.Context", sizeof(Context), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                                       Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                   context_slots};

int wpy_context_init(PyObject *module, State *state) {
  state->ml = wpy_add_type(module, &ml_spec, NULL);
  state->context = wpy_add_type(module, &context_spec, NULL);
  return state->ml == NULL || state->context == NULL ? -1 : 0;
}
