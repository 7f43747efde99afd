/* webnn.Tensor, and what a context does with one: write, read, lend it out. */
#include "state.h"

#include <stdlib.h>
#include <string.h>
#include "dlpack.h"

PyObject *wpy_tensor_new(State *state, PyObject *context, webnn_tensor *native) {
  webnn_descriptor descriptor = webnn_tensor_descriptor(native);
  Tensor *self = wpy_object_new(state, state->tensor);
  if (self == NULL) {
    webnn_tensor_release(native);
    return NULL;
  }
  self->native = native;
  self->context = Py_NewRef(context);
  self->dims = PyMem_Malloc((2 * descriptor.rank + 1) * sizeof *self->dims);
  if (self->dims == NULL) {
    Py_DECREF(self);
    return PyErr_NoMemory();
  }
  wpy_fill_dims(&descriptor, self->dims);
  return (PyObject *)self;
}

/* ---- write and read */

static Tensor *as_tensor(const State *state, const char *function, PyObject *object) {
  Where where = {function, "tensor", NULL, NULL};
  if (Py_TYPE(object) == state->tensor) return (Tensor *)object;
  wpy_argument_error(&where, "must be a webnn.Tensor");
  return NULL;
}

PyObject *wpy_context_write_tensor(PyObject *object, PyObject *const *args, Py_ssize_t n_args,
                                   PyObject *names) {
  static const char *const keywords[] = {"tensor", "data", NULL};
  static const Params params = {"write_tensor", keywords, 2, 2};
  Where where = {params.function, keywords[1], NULL, NULL};
  Context *self = (Context *)object;
  PyObject *given[2];
  Data data;
  webnn_error error;
  webnn_status status;
  if (wpy_parse(&params, args, n_args, names, given) < 0) return NULL;
  Tensor *tensor = as_tensor(self->state, params.function, given[0]);
  if (tensor == NULL || wpy_data_get(self->state, &where, given[1], false, &data) < 0) return NULL;
  if (wpy_data_check(&where, &data, webnn_tensor_descriptor(tensor->native).data_type) < 0) {
    wpy_data_release(&data);
    return NULL;
  }
  Py_BEGIN_ALLOW_THREADS status =
      webnn_tensor_write(self->native, tensor->native, data.bytes, data.n_bytes, &error);
  Py_END_ALLOW_THREADS wpy_data_release(&data);
  if (status != WEBNN_OK) return wpy_raise(self->state, &error);
  Py_RETURN_NONE;
}

static PyObject *read_whole(Context *self, Tensor *tensor) {
  webnn_future *native;
  webnn_error error;
  webnn_status status;
  Py_BEGIN_ALLOW_THREADS status = webnn_tensor_read(self->native, tensor->native, &native, &error);
  Py_END_ALLOW_THREADS if (status != WEBNN_OK) return wpy_raise(self->state, &error);
  return wpy_future_new(self->state, FUTURE_READ, native, (PyObject *)tensor, NULL, NULL);
}

static PyObject *read_into(Context *self, Tensor *tensor, PyObject *out) {
  Where where = {"read_tensor", "out", NULL, NULL};
  Data data;
  webnn_future *native;
  webnn_error error;
  webnn_status status;
  if (wpy_data_get(self->state, &where, out, true, &data) < 0) return NULL;
  if (wpy_data_check(&where, &data, webnn_tensor_descriptor(tensor->native).data_type) < 0) {
    wpy_data_release(&data);
    return NULL;
  }
  Py_BEGIN_ALLOW_THREADS status = webnn_tensor_read_into(self->native, tensor->native, data.bytes,
                                                         data.n_bytes, &native, &error);
  Py_END_ALLOW_THREADS if (status == WEBNN_OK) return wpy_future_new(
      self->state, FUTURE_READ_INTO, native, (PyObject *)tensor, NULL, &data);
  wpy_data_release(&data);
  return wpy_raise(self->state, &error);
}

static PyObject *read_tensor(Context *self, PyObject *const *args, Py_ssize_t n_args,
                             PyObject *names) {
  static const char *const keywords[] = {"tensor", "out", NULL};
  static const Params params = {"read_tensor", keywords, 2, 1};
  PyObject *given[2];
  if (wpy_parse(&params, args, n_args, names, given) < 0) return NULL;
  Tensor *tensor = as_tensor(self->state, params.function, given[0]);
  if (tensor == NULL) return NULL;
  return wpy_absent(given[1]) ? read_whole(self, tensor) : read_into(self, tensor, given[1]);
}

PyObject *wpy_context_read_tensor(PyObject *object, PyObject *const *args, Py_ssize_t n_args,
                                  PyObject *names) {
  Context *self = (Context *)object;
  PyObject *future = read_tensor(self, args, n_args, names);
  return future != NULL ? future : wpy_future_settled(self->state, NULL);
}

/* ---- lending the memory out */

/* Pins the memory; what may be seen follows readable, what may be changed writable. */
static int map(Tensor *self, void **bytes, bool *read_only) {
  webnn_error error;
  webnn_status status;
  *read_only = !webnn_tensor_writable(self->native);
  if (*read_only && !webnn_tensor_readable(self->native) && !webnn_tensor_constant(self->native)) {
    Where where = {"Tensor", NULL, NULL, NULL};
    return wpy_argument_error(&where, "the tensor is neither readable nor writable");
  }
  Py_BEGIN_ALLOW_THREADS status = webnn_tensor_map(self->native, bytes, &error);
  Py_END_ALLOW_THREADS if (status == WEBNN_OK) return 0;
  wpy_raise(self->state, &error);
  return -1;
}

static int tensor_getbuffer(PyObject *object, Py_buffer *view, int flags) {
  Tensor *self = (Tensor *)object;
  webnn_descriptor descriptor = webnn_tensor_descriptor(self->native);
  void *bytes;
  bool read_only;
  view->obj = NULL;
  if (map(self, &bytes, &read_only) < 0) return -1;
  int failed = wpy_fill_view(view, object, bytes, &descriptor, self->dims, read_only, flags);
  if (failed) webnn_tensor_unmap(self->native);
  return failed;
}

static void tensor_releasebuffer(PyObject *object, Py_buffer *view) {
  (void)view;
  webnn_tensor_unmap(((Tensor *)object)->native);
}

/* What keeps an exported tensor: freed by its consumer, on any thread, with or without Python. */
typedef struct Loan {
  union {
    dlpack_managed first;
    dlpack_versioned versioned;
  } managed;
  webnn_tensor *tensor; /* mapped and retained; NULL: the bytes are a copy */
  void *copy;
  int64_t dims[]; /* shape, strides */
} Loan;

static void loan_end(Loan *loan) {
  if (loan->tensor != NULL) {
    webnn_tensor_unmap(loan->tensor);
    webnn_tensor_release(loan->tensor);
  }
  free(loan->copy);
  free(loan);
}

static void first_deleter(dlpack_managed *managed) { loan_end(managed->context); }
static void versioned_deleter(dlpack_versioned *managed) { loan_end(managed->context); }

static void capsule_end(PyObject *capsule) { /* a consumer renames the capsule; this one had none */
  Loan *loan = NULL;
  if (PyCapsule_IsValid(capsule, "dltensor"))
    loan = ((dlpack_managed *)PyCapsule_GetPointer(capsule, "dltensor"))->context;
  else if (PyCapsule_IsValid(capsule, "dltensor_versioned"))
    loan = ((dlpack_versioned *)PyCapsule_GetPointer(capsule, "dltensor_versioned"))->context;
  if (loan != NULL) loan_end(loan);
}

static void fill_tensor(dlpack_tensor *out, Loan *loan, void *bytes,
                        const webnn_descriptor *descriptor) {
  static const uint8_t kinds[] = {
      [WEBNN_DATA_TYPE_FLOAT32] = DLPACK_FLOAT, [WEBNN_DATA_TYPE_FLOAT16] = DLPACK_FLOAT,
      [WEBNN_DATA_TYPE_INT32] = DLPACK_INT,     [WEBNN_DATA_TYPE_UINT32] = DLPACK_UINT,
      [WEBNN_DATA_TYPE_INT64] = DLPACK_INT,     [WEBNN_DATA_TYPE_UINT64] = DLPACK_UINT,
      [WEBNN_DATA_TYPE_INT8] = DLPACK_INT,      [WEBNN_DATA_TYPE_UINT8] = DLPACK_UINT};
  size_t rank = descriptor->rank;
  int64_t stride = 1;
  for (size_t i = rank; i-- > 0;) {
    loan->dims[i] = descriptor->shape[i];
    loan->dims[rank + i] = stride;
    stride *= loan->dims[i];
  }
  out->data = bytes;
  out->device.type = DLPACK_CPU;
  out->device.id = 0;
  out->rank = (int32_t)rank;
  out->element.kind = kinds[descriptor->data_type];
  out->element.bits = (uint8_t)(8 * webnn_data_type_bytes(descriptor->data_type));
  out->element.lanes = 1;
  out->shape = loan->dims;
  out->strides = loan->dims + rank;
  out->byte_offset = 0;
}

/* Swaps the mapped memory for a copy of it. */
static void *copy_of(Tensor *self, Loan *loan, void *bytes) {
  size_t n_bytes = webnn_tensor_byte_length(self->native);
  loan->copy = malloc(n_bytes);
  if (loan->copy != NULL) memcpy(loan->copy, bytes, n_bytes);
  webnn_tensor_unmap(self->native);
  return loan->copy;
}

static PyObject *first_capsule(Loan *loan, void *bytes, const webnn_descriptor *descriptor) {
  dlpack_managed *managed = &loan->managed.first;
  managed->context = loan;
  managed->deleter = first_deleter;
  fill_tensor(&managed->tensor, loan, bytes, descriptor);
  return PyCapsule_New(managed, "dltensor", capsule_end);
}

static PyObject *versioned_capsule(Loan *loan, void *bytes, const webnn_descriptor *descriptor,
                                   uint64_t flags) {
  dlpack_versioned *managed = &loan->managed.versioned;
  managed->version.major = DLPACK_MAJOR;
  managed->context = loan;
  managed->deleter = versioned_deleter;
  managed->flags = flags;
  fill_tensor(&managed->tensor, loan, bytes, descriptor);
  return PyCapsule_New(managed, "dltensor_versioned", capsule_end);
}

/* The capsule. A consumer of the first protocol cannot be told that memory is read-only: it gets a
 * copy. */
static PyObject *lend(Tensor *self, bool versioned, bool must_copy, bool may_copy) {
  webnn_descriptor descriptor = webnn_tensor_descriptor(self->native);
  void *bytes;
  bool read_only;
  if (map(self, &bytes, &read_only) < 0) return NULL;
  bool copies = must_copy || (read_only && !versioned);
  if (copies && !may_copy) {
    webnn_tensor_unmap(self->native);
    PyErr_SetString(PyExc_BufferError,
                    "the tensor is read-only, which this version of DLPack cannot say");
    return NULL;
  }
  Loan *loan = calloc(1, sizeof *loan + 2 * descriptor.rank * sizeof *loan->dims);
  if (loan == NULL) {
    webnn_tensor_unmap(self->native);
    return PyErr_NoMemory();
  }
  if (copies)
    bytes = copy_of(self, loan, bytes);
  else
    loan->tensor = webnn_tensor_retain(self->native);
  uint64_t flags = copies ? DLPACK_COPIED : read_only ? DLPACK_READ_ONLY : 0;
  PyObject *capsule = bytes == NULL ? PyErr_NoMemory()
                      : versioned   ? versioned_capsule(loan, bytes, &descriptor, flags)
                                    : first_capsule(loan, bytes, &descriptor);
  if (capsule == NULL) loan_end(loan);
  return capsule;
}

static int read_pair(const char *argument, PyObject *object, uint32_t pair[2]) {
  Where where = {"__dlpack__", argument, NULL, NULL};
  Scratch scratch;
  const uint32_t *numbers;
  size_t n;
  wpy_scratch_init(&scratch);
  int failed = wpy_uints(&where, object, &scratch, &numbers, &n);
  if (!failed && n != 2) failed = wpy_argument_error(&where, "must be a pair of numbers");
  if (!failed) memcpy(pair, numbers, 2 * sizeof *pair);
  wpy_scratch_free(&scratch);
  return failed;
}

static PyObject *tensor_dlpack(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                               PyObject *names) {
  static const char *const keywords[] = {"stream", "max_version", "dl_device", "copy", NULL};
  static const Params params = {"__dlpack__", keywords, 0, 0};
  Where copy_where = {params.function, keywords[3], NULL, NULL};
  uint32_t version[2] = {0, 0}, device[2] = {DLPACK_CPU, 0};
  PyObject *given[4];
  bool must_copy;
  if (wpy_parse(&params, args, n_args, names, given) < 0 ||
      (!wpy_absent(given[1]) && read_pair(keywords[1], given[1], version) < 0) ||
      (!wpy_absent(given[2]) && read_pair(keywords[2], given[2], device) < 0) ||
      wpy_bool_or(&copy_where, given[3], false, &must_copy) < 0)
    return NULL;
  if (device[0] != DLPACK_CPU) {
    PyErr_SetString(PyExc_BufferError, "the tensor is in the memory of the CPU");
    return NULL;
  }
  bool may_copy = must_copy || wpy_absent(given[3]);
  return lend((Tensor *)self, version[0] >= DLPACK_MAJOR, must_copy, may_copy);
}

static PyObject *tensor_dlpack_device(PyObject *self, PyObject *unused) {
  (void)self, (void)unused;
  return Py_BuildValue("(ii)", DLPACK_CPU, 0);
}

/* ---- the tensor itself */

static PyObject *tensor_destroy(PyObject *self, PyObject *unused) {
  (void)unused;
  Py_BEGIN_ALLOW_THREADS webnn_tensor_destroy(((Tensor *)self)->native);
  Py_END_ALLOW_THREADS Py_RETURN_NONE;
}

static PyObject *tensor_enter(PyObject *self, PyObject *unused) {
  (void)unused;
  return Py_NewRef(self);
}

static PyObject *tensor_exit(PyObject *self, PyObject *const *args, Py_ssize_t n_args) {
  (void)args, (void)n_args;
  return tensor_destroy(self, NULL);
}

static PyObject *tensor_shape(PyObject *self, void *unused) {
  (void)unused;
  webnn_descriptor descriptor = webnn_tensor_descriptor(((Tensor *)self)->native);
  return wpy_shape_object(&descriptor);
}

static PyObject *tensor_data_type(PyObject *self, void *unused) {
  (void)unused;
  return wpy_type_object(webnn_tensor_descriptor(((Tensor *)self)->native).data_type);
}

static PyObject *tensor_byte_length(PyObject *self, void *unused) {
  (void)unused;
  return PyLong_FromSize_t(webnn_tensor_byte_length(((Tensor *)self)->native));
}

/* The flags share one getter: the closure is the core's. */
static PyObject *tensor_flag(PyObject *self, void *closure) {
  bool (*const *getter)(const webnn_tensor *) = closure;
  return PyBool_FromLong((*getter)(((Tensor *)self)->native));
}

static bool (*const readable)(const webnn_tensor *) = webnn_tensor_readable;
static bool (*const writable)(const webnn_tensor *) = webnn_tensor_writable;
static bool (*const constant)(const webnn_tensor *) = webnn_tensor_constant;

static PyObject *tensor_context(PyObject *self, void *unused) {
  (void)unused;
  return Py_NewRef(((Tensor *)self)->context);
}

static PyObject *tensor_repr(PyObject *self) {
  webnn_tensor *native = ((Tensor *)self)->native;
  webnn_descriptor descriptor = webnn_tensor_descriptor(native);
  PyObject *what = wpy_descriptor_text(&descriptor);
  if (what == NULL) return NULL;
  PyObject *text = PyUnicode_FromFormat("<webnn.Tensor %U%s%s%s%s>", what,
                                        webnn_tensor_readable(native) ? " readable" : "",
                                        webnn_tensor_writable(native) ? " writable" : "",
                                        webnn_tensor_constant(native) ? " constant" : "",
                                        webnn_tensor_is_destroyed(native) ? " destroyed" : "");
  Py_DECREF(what);
  return text;
}

static int tensor_traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(((Tensor *)self)->context);
  return 0;
}

static void tensor_dealloc(PyObject *object) {
  Tensor *self = (Tensor *)object;
  wpy_object_ending(object);
  PyThreadState *paused = wpy_pause();
  webnn_tensor_release(self->native);
  wpy_resume(paused);
  Py_XDECREF(self->context);
  PyMem_Free(self->dims);
  wpy_object_free(object);
}

static PyGetSetDef tensor_getset[] = {
    {"shape", tensor_shape, NULL, "A list of dimensions. Spec: MLTensor.shape.", NULL},
    {"data_type", tensor_data_type, NULL, "The element type's name. Spec: MLTensor.dataType.",
     NULL},
    {"byte_length", tensor_byte_length, NULL, "What a buffer for it must have.", NULL},
    {"readable", tensor_flag, NULL, "read_tensor may be called. Spec: MLTensor.readable.",
     (void *)&readable},
    {"writable", tensor_flag, NULL, "write_tensor may be called. Spec: MLTensor.writable.",
     (void *)&writable},
    {"constant", tensor_flag, NULL, "For GraphBuilder.constant only. Spec: MLTensor.constant.",
     (void *)&constant},
    {"context", tensor_context, NULL, "Where it comes from.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef tensor_methods[] = {
    {"destroy", tensor_destroy, METH_NOARGS,
     "destroy($self)\n--\n\nGives the memory back; pending reads fail. Spec: MLTensor.destroy."},
    {"export_opencl", wpy_tensor_export_opencl, METH_NOARGS,
     "export_opencl($self)\n--\n\n"
     "Lends the memory out until return_opencl: the numbers of its cl_mem, which stays the tensor's, and of a\n"
     "cl_event, the caller's to release, that comes when queued work is done. An extension."},
    {"return_opencl", WPY_FAST(wpy_tensor_return_opencl), METH_FASTCALL | METH_KEYWORDS,
     "return_opencl($self, event=None)\n--\n\n"
     "Takes the memory back; what uses the tensor next waits for `event`. An extension."},
    {"__dlpack__", WPY_FAST(tensor_dlpack), METH_FASTCALL | METH_KEYWORDS,
     "__dlpack__($self, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
     "A DLPack capsule over the memory, once queued work is done."},
    {"__dlpack_device__", tensor_dlpack_device, METH_NOARGS,
     "__dlpack_device__($self)\n--\n\n(1, 0): the CPU."},
    {"__enter__", tensor_enter, METH_NOARGS, "__enter__($self)\n--\n\nThe tensor itself."},
    {"__exit__", WPY_FAST(tensor_exit), METH_FASTCALL,
     "__exit__($self, *args)\n--\n\nDestroys it."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot tensor_slots[] = {
    {Py_tp_doc,
     "Memory that graphs read and write. Made by Context.create_tensor. Spec: MLTensor."},
    {Py_tp_dealloc, tensor_dealloc},
    {Py_tp_traverse, tensor_traverse},
    {Py_tp_repr, tensor_repr},
    {Py_tp_methods, tensor_methods},
    {Py_tp_getset, tensor_getset},
    {Py_tp_members, wpy_object_members},
    {Py_bf_getbuffer, tensor_getbuffer},
    {Py_bf_releasebuffer, tensor_releasebuffer},
    {0, NULL}};
static PyType_Spec tensor_spec = {"webnn.Tensor", sizeof(Tensor), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                                      Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                  tensor_slots};

int wpy_tensor_init(PyObject *module, State *state) {
  state->tensor = wpy_add_type(module, &tensor_spec, NULL);
  return state->tensor == NULL ? -1 : 0;
}
