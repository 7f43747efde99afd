/* Other people's memory: buffers and DLPack capsules, looked at without copying. */
#include "state.h"

#include <string.h>
#include "dlpack.h"

/* ---- element types */

#define NO_TYPE ((webnn_data_type) - 1)

static webnn_data_type integer_type(size_t bytes, bool is_signed) {
  switch (bytes) {
    case 1: return is_signed ? WEBNN_DATA_TYPE_INT8 : WEBNN_DATA_TYPE_UINT8;
    case 4: return is_signed ? WEBNN_DATA_TYPE_INT32 : WEBNN_DATA_TYPE_UINT32;
    case 8: return is_signed ? WEBNN_DATA_TYPE_INT64 : WEBNN_DATA_TYPE_UINT64;
    default: return NO_TYPE;
  }
}

static webnn_data_type float_type(size_t bytes) {
  return bytes == 4 ? WEBNN_DATA_TYPE_FLOAT32 : bytes == 2 ? WEBNN_DATA_TYPE_FLOAT16 : NO_TYPE;
}

/* The byte order mark that stands for another order than this machine's. */
static bool is_foreign_order(char mark) {
  const uint16_t one = 1;
  bool little = *(const unsigned char *)&one == 1;
  return little ? mark == '>' || mark == '!' : mark == '<';
}

/* The type behind one code of the struct module; NO_TYPE when the specification has none. */
static webnn_data_type buffer_type(const char *format, size_t bytes) {
  if (format == NULL) return integer_type(bytes, false);
  if (*format != '\0' && strchr("@=<>!", *format) != NULL) {
    if (bytes > 1 && is_foreign_order(*format)) return NO_TYPE;
    format++;
  }
  if (format[0] == '\0' || format[1] != '\0') return NO_TYPE;
  switch (format[0]) {
    case 'e':
    case 'f': return float_type(bytes);
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n': return integer_type(bytes, true);
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N': return integer_type(bytes, false);
    case '?':
    case 'c': return bytes == 1 ? WEBNN_DATA_TYPE_UINT8 : NO_TYPE;
    default: return NO_TYPE;
  }
}

static webnn_data_type dlpack_type(const dlpack_tensor *tensor) {
  size_t bytes = tensor->element.bits / 8u;
  if (tensor->element.lanes != 1 || tensor->element.bits % 8 != 0) return NO_TYPE;
  switch (tensor->element.kind) {
    case DLPACK_FLOAT: return float_type(bytes);
    case DLPACK_INT: return integer_type(bytes, true);
    case DLPACK_UINT: return integer_type(bytes, false);
    case DLPACK_BOOL: return bytes == 1 ? WEBNN_DATA_TYPE_UINT8 : NO_TYPE;
    default: return NO_TYPE;
  }
}

/* ---- holding */

static int get_buffer(const Where *where, PyObject *object, bool writable, Data *out) {
  int flags = PyBUF_ND | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(object, &out->view, flags) < 0) return wpy_argument_restated(where);
  out->capsule = NULL;
  out->bytes = out->view.buf;
  out->n_bytes = (size_t)out->view.len;
  out->type = buffer_type(out->view.format, (size_t)out->view.itemsize);
  out->rank = (size_t)out->view.ndim;
  out->shape = out->view.shape;
  out->raw = out->type == WEBNN_DATA_TYPE_UINT8;
  if (out->type != NO_TYPE) return 0;
  if (out->view.format != NULL && strcmp(out->view.format, "d") == 0)
    wpy_argument_error(where, "is float64, which WebNN has no type for: convert it to float32");
  else
    wpy_argument_error(where,
                     "has elements of format '%s' and %zd bytes, which WebNN has no type for",
                     out->view.format == NULL ? "B" : out->view.format, out->view.itemsize);
  PyBuffer_Release(&out->view);
  return -1;
}

/* Calls __dlpack__ as the newest protocol says, and as the first one did when that isn't
 * understood. */
static PyObject *ask_capsule(const State *state, PyObject *object) {
  PyObject *method = PyObject_GetAttrString(object, "__dlpack__");
  PyObject *args = PyTuple_New(0);
  PyObject *kwargs = PyDict_New();
  PyObject *capsule = NULL;
  if (method != NULL && args != NULL && kwargs != NULL &&
      PyDict_SetItem(kwargs, state->max_version, state->dlpack_version) == 0) {
    capsule = PyObject_Call(method, args, kwargs);
    if (capsule == NULL && PyErr_ExceptionMatches(PyExc_TypeError)) {
      PyErr_Clear();
      capsule = PyObject_CallNoArgs(method);
    }
  }
  Py_XDECREF(method);
  Py_XDECREF(args);
  Py_XDECREF(kwargs);
  return capsule;
}

static bool is_versioned(PyObject *capsule) {
  return PyCapsule_IsValid(capsule, "dltensor_versioned");
}

/* The tensor in a capsule; NULL and TypeError when it is none, is used up, or may not be written.
 */
static const dlpack_tensor *open_capsule(const Where *where, PyObject *capsule, bool writable) {
  if (PyCapsule_IsValid(capsule, "dltensor"))
    return &((dlpack_managed *)PyCapsule_GetPointer(capsule, "dltensor"))->tensor;
  if (!is_versioned(capsule)) {
    wpy_argument_error(where, "gave no DLPack tensor");
    return NULL;
  }
  const dlpack_versioned *managed = PyCapsule_GetPointer(capsule, "dltensor_versioned");
  if (managed->version.major != DLPACK_MAJOR)
    wpy_argument_error(where, "gave DLPack version %u.%u", managed->version.major,
                       managed->version.minor);
  else if (writable && (managed->flags & DLPACK_READ_ONLY))
    wpy_argument_error(where, "is read-only");
  else
    return &managed->tensor;
  return NULL;
}

static bool is_compact(const dlpack_tensor *tensor) {
  int64_t stride = 1;
  if (tensor->strides == NULL) return true;
  for (int32_t i = tensor->rank; i-- > 0;) {
    if (tensor->shape[i] != 1 && tensor->strides[i] != stride) return false;
    stride *= tensor->shape[i];
  }
  return true;
}

static int read_dlpack(const Where *where, const dlpack_tensor *tensor, Data *out) {
  int32_t device = tensor->device.type;
  if (device != DLPACK_CPU && device != DLPACK_CUDA_HOST && device != DLPACK_ROCM_HOST)
    return wpy_argument_error(where, "lies on DLPack device %d, not on the CPU", (int)device);
  out->type = dlpack_type(tensor);
  if (out->type == NO_TYPE)
    return wpy_argument_error(
        where, "has elements of DLPack kind %d and %d bits, which WebNN has no type for",
        tensor->element.kind, tensor->element.bits);
  if (!is_compact(tensor)) return wpy_argument_error(where, "is not C-contiguous");
  out->bytes = (char *)tensor->data + tensor->byte_offset;
  out->n_bytes = webnn_data_type_bytes(out->type);
  for (int32_t i = 0; i < tensor->rank; i++) {
    size_t dim = (size_t)tensor->shape[i];
    if (tensor->shape[i] < 0 || (dim != 0 && out->n_bytes > SIZE_MAX / dim))
      return wpy_argument_error(where, "has an impossible shape");
    out->n_bytes *= dim;
  }
  out->raw = out->type == WEBNN_DATA_TYPE_UINT8;
  out->rank = (size_t)tensor->rank;
  out->shape = NULL;
  out->dlpack_shape = tensor->shape;
  return 0;
}

static int get_dlpack(const State *state, const Where *where, PyObject *object, bool writable,
                      Data *out) {
  PyObject *capsule = ask_capsule(state, object);
  if (capsule == NULL) return wpy_argument_restated(where);
  const dlpack_tensor *tensor = open_capsule(where, capsule, writable);
  if (tensor == NULL || read_dlpack(where, tensor, out) < 0) {
    Py_DECREF(capsule);
    return -1;
  }
  /* From here on the tensor is ours to give back: the name keeps other consumers away. */
  PyCapsule_SetName(capsule, is_versioned(capsule) ? "used_dltensor_versioned" : "used_dltensor");
  out->view.obj = NULL;
  out->capsule = capsule;
  return 0;
}

static void give_back(PyObject *capsule) {
  if (PyCapsule_IsValid(capsule, "used_dltensor_versioned")) {
    dlpack_versioned *managed = PyCapsule_GetPointer(capsule, "used_dltensor_versioned");
    if (managed->deleter != NULL) managed->deleter(managed);
  } else {
    dlpack_managed *managed = PyCapsule_GetPointer(capsule, "used_dltensor");
    if (managed->deleter != NULL) managed->deleter(managed);
  }
}

int wpy_data_get(const State *state, const Where *where, PyObject *object, bool writable,
                 Data *out) {
  if (PyObject_CheckBuffer(object)) return get_buffer(where, object, writable, out);
  if (PyObject_HasAttrString((PyObject *)Py_TYPE(object), "__dlpack__"))
    return get_dlpack(state, where, object, writable, out);
  return wpy_wrong_type(where, "a buffer or a DLPack tensor", object);
}

void wpy_data_release(Data *data) {
  if (data->capsule == NULL) {
    PyBuffer_Release(&data->view);
    return;
  }
  give_back(data->capsule);
  Py_CLEAR(data->capsule);
}

/* ---- judging */

int wpy_data_check(const Where *where, const Data *data, webnn_data_type type) {
  if (data->raw || data->type == type) return 0;
  return wpy_argument_error(where, "holds %s, not %s", webnn_data_type_name(data->type),
                            webnn_data_type_name(type));
}

static int own_shape(const Where *where, const Data *data, Scratch *scratch,
                     webnn_descriptor *out) {
  uint32_t *dims = wpy_scratch_alloc(scratch, data->rank, sizeof *dims);
  if (dims == NULL) return -1;
  for (size_t i = 0; i < data->rank; i++) {
    uint64_t dim = data->shape != NULL ? (uint64_t)data->shape[i] : (uint64_t)data->dlpack_shape[i];
    if (dim > UINT32_MAX) return wpy_argument_error(where, "has dimension %zu too large", i);
    dims[i] = (uint32_t)dim;
  }
  out->rank = data->rank;
  out->shape = dims;
  return 0;
}

int wpy_data_descriptor(const Where *where, const Data *data, PyObject *shape, PyObject *data_type,
                        Scratch *scratch, webnn_descriptor *out) {
  Where type_where = {where->function, "data_type", where->label, NULL};
  Where shape_where = {where->function, "shape", where->label, NULL};
  out->data_type = data->type;
  if (!wpy_absent(data_type) && wpy_data_type(&type_where, data_type, &out->data_type) < 0)
    return -1;
  if (!wpy_absent(shape)) {
    if (wpy_uints(&shape_where, shape, scratch, &out->shape, &out->rank) < 0) return -1;
  } else if (out->data_type != data->type && data->raw) {
    return wpy_argument_error(&shape_where, "is needed for raw bytes");
  } else if (own_shape(where, data, scratch, out) < 0) {
    return -1;
  }
  return wpy_data_check(where, data, out->data_type);
}
