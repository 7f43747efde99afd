/* Handles of an OpenCL that the caller owns: queues, contexts, buffers, events, as numbers or as
 * pyopencl's objects. */
#include "state.h"

int wpy_opencl_handle(const Where *where, PyObject *object, void **out) {
  *out = NULL;
  if (wpy_absent(object)) return 0;
  PyObject *number =
      PyLong_Check(object) ? Py_NewRef(object) : PyObject_GetAttrString(object, "int_ptr");
  if (number == NULL && !PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
  PyErr_Clear();
  if (number != NULL && PyLong_Check(number)) *out = PyLong_AsVoidPtr(number);
  Py_XDECREF(number);
  if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_OverflowError)) return -1;
  PyErr_Clear();
  if (*out != NULL) return 0;
  return wpy_argument_error(where, "must be a pyopencl object or the number of an OpenCL handle");
}

int wpy_opencl_owner(const Where *where, PyObject *object, webnn_context_options *out) {
  void *handle;
  if (wpy_opencl_handle(where, object, &handle) < 0) return -1;
  if (handle == NULL) return 0;
  /* A context has devices, a queue has one. */
  bool is_context = !PyLong_Check(object) && PyObject_HasAttrString(object, "devices");
  if (is_context)
    out->opencl_context = handle;
  else
    out->opencl_queue = handle;
  return 0;
}

static PyObject *import(Context *self, PyObject *const *args, Py_ssize_t n_args, PyObject *names) {
  static const char *const keywords[] = {"memory",   "shape",    "data_type", "event",
                                         "readable", "writable", NULL};
  static const Params params = {"import_opencl", keywords, 3, 3};
  Where where[6];
  PyObject *given[6], *tensor = NULL;
  Scratch scratch;
  webnn_descriptor descriptor;
  webnn_tensor_options options = WEBNN_TENSOR_OPTIONS_INIT;
  webnn_tensor *native;
  webnn_error error;
  webnn_status status;
  void *memory, *event;
  for (int i = 0; i < 6; i++) where[i] = (Where){params.function, keywords[i], NULL, NULL};
  wpy_scratch_init(&scratch);
  if (wpy_parse(&params, args, n_args, names, given) < 0 ||
      wpy_opencl_handle(&where[0], given[0], &memory) < 0 ||
      wpy_descriptor(params.function, given[1], given[2], &scratch, &descriptor) < 0 ||
      wpy_opencl_handle(&where[3], given[3], &event) < 0 ||
      wpy_bool_or(&where[4], given[4], false, &options.readable) < 0 ||
      wpy_bool_or(&where[5], given[5], false, &options.writable) < 0)
    goto done;
  Py_BEGIN_ALLOW_THREADS status = webnn_tensor_import_opencl(self->native, &descriptor, &options,
                                                             memory, event, &native, &error);
  Py_END_ALLOW_THREADS tensor = status == WEBNN_OK
                                    ? wpy_tensor_new(self->state, (PyObject *)self, native)
                                    : wpy_raise(self->state, &error);
done:
  wpy_scratch_free(&scratch);
  return tensor;
}

PyObject *wpy_context_import_opencl(PyObject *object, PyObject *const *args, Py_ssize_t n_args,
                                    PyObject *names) {
  Context *self = (Context *)object;
  return wpy_future_settled(self->state, import(self, args, n_args, names));
}

PyObject *wpy_tensor_export_opencl(PyObject *object, PyObject *unused) {
  Tensor *self = (Tensor *)object;
  void *memory, *event;
  webnn_error error;
  webnn_status status;
  (void)unused;
  Py_BEGIN_ALLOW_THREADS status = webnn_tensor_export_opencl(self->native, &memory, &event, &error);
  Py_END_ALLOW_THREADS if (status != WEBNN_OK) return wpy_raise(self->state, &error);
  return Py_BuildValue("(NN)", PyLong_FromVoidPtr(memory), PyLong_FromVoidPtr(event));
}

PyObject *wpy_tensor_return_opencl(PyObject *object, PyObject *const *args, Py_ssize_t n_args,
                                   PyObject *names) {
  static const char *const keywords[] = {"event", NULL};
  static const Params params = {"return_opencl", keywords, 1, 0};
  Where where = {params.function, keywords[0], NULL, NULL};
  Tensor *self = (Tensor *)object;
  PyObject *given[1];
  void *event;
  webnn_error error;
  webnn_status status;
  if (wpy_parse(&params, args, n_args, names, given) < 0 ||
      wpy_opencl_handle(&where, given[0], &event) < 0)
    return NULL;
  Py_BEGIN_ALLOW_THREADS status = webnn_tensor_return_opencl(self->native, event, &error);
  Py_END_ALLOW_THREADS if (status != WEBNN_OK) return wpy_raise(self->state, &error);
  Py_RETURN_NONE;
}
