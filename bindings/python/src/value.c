/* Python objects turned into the core's values, and back. Every refusal is a TypeError that names
 * the operation and the argument. */
#include "state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- scratch */

typedef struct Block {
  struct Block *next;
  _Alignas(16) unsigned char bytes[];
} Block;

void *wpy_scratch_alloc(Scratch *scratch, size_t n, size_t size) {
  if (n > SIZE_MAX / 2 / size) return PyErr_NoMemory();
  size_t n_bytes = (n * size + 15) / 16 * 16 + 16 * (n == 0);
  if (n_bytes <= sizeof scratch->first - scratch->used) {
    void *out = scratch->first + scratch->used;
    scratch->used += n_bytes;
    return out;
  }
  Block *block = PyMem_Malloc(sizeof *block + n_bytes);
  if (block == NULL) return PyErr_NoMemory();
  block->next = scratch->blocks;
  scratch->blocks = block;
  return block->bytes;
}

void wpy_scratch_free(Scratch *scratch) {
  for (Block *block = scratch->blocks; block != NULL;) {
    Block *next = block->next;
    PyMem_Free(block);
    block = next;
  }
  for (size_t i = 0; i < scratch->n_kept; i++) Py_DECREF(scratch->kept[i]);
}

/* Gives a reference to the scratch; NULL and an exception when there is no room for one more. */
static PyObject *keep(Scratch *scratch, PyObject *object) {
  if (object == NULL) return NULL;
  if (scratch->n_kept == sizeof scratch->kept / sizeof *scratch->kept) {
    Py_DECREF(object);
    PyErr_SetString(PyExc_SystemError, "too many lists in one call");
    return NULL;
  }
  return scratch->kept[scratch->n_kept++] = object;
}

/* ---- numbers */

/* The object as an int, a new reference; NULL and TypeError when it isn't one. */
static PyObject *as_int(const Where *where, const char *wanted, PyObject *object) {
  if (PyLong_Check(object)) return Py_NewRef(object);
  if (!PyIndex_Check(object)) {
    wpy_wrong_type(where, wanted, object);
    return NULL;
  }
  PyObject *number = PyNumber_Index(object);
  if (number == NULL && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    wpy_wrong_type(where, wanted, object);
  }
  return number;
}

static int integer(const Where *where, PyObject *object, long long min, long long max,
                   const char *wanted, long long *out) {
  int overflow = 0;
  PyObject *number = as_int(where, wanted, object);
  if (number == NULL) return -1;
  *out = PyLong_AsLongLongAndOverflow(number, &overflow);
  Py_DECREF(number);
  if (*out == -1 && overflow == 0 && PyErr_Occurred()) return -1;
  if (overflow != 0)
    return wpy_argument_error(where, "must be %s, not %s", wanted, overflow < 0 ? "less" : "more");
  if (*out < min || *out > max)
    return wpy_argument_error(where, "must be %s, not %lld", wanted, *out);
  return 0;
}

int wpy_uint32(const Where *where, PyObject *object, uint32_t *out) {
  long long value;
  if (integer(where, object, 0, UINT32_MAX, "an integer from 0 to 4294967295", &value) < 0)
    return -1;
  *out = (uint32_t)value;
  return 0;
}

int wpy_int32(const Where *where, PyObject *object, int32_t *out) {
  long long value;
  const char *wanted = "an integer from -2147483648 to 2147483647";
  if (integer(where, object, INT32_MIN, INT32_MAX, wanted, &value) < 0) return -1;
  *out = (int32_t)value;
  return 0;
}

/* An int of any size: exact within 64 bits, the nearest double or an infinity beyond. */
static int big_number(PyObject *object, webnn_number *out) {
  int overflow = 0;
  out->kind = WEBNN_NUMBER_INT64;
  out->as.i = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow == 0) return out->as.i == -1 && PyErr_Occurred() ? -1 : 0;
  if (overflow > 0) {
    out->kind = WEBNN_NUMBER_UINT64;
    out->as.u = PyLong_AsUnsignedLongLong(object);
    if (!PyErr_Occurred()) return 0;
    PyErr_Clear();
  }
  out->kind = WEBNN_NUMBER_DOUBLE;
  out->as.f = PyLong_AsDouble(object);
  if (!PyErr_Occurred()) return 0;
  if (!PyErr_ExceptionMatches(PyExc_OverflowError)) return -1;
  PyErr_Clear();
  out->as.f = overflow > 0 ? (double)INFINITY : -(double)INFINITY;
  return 0;
}

static bool has_slot(PyObject *object, int slot) {
  return PyType_GetSlot(Py_TYPE(object), slot) != NULL;
}

int wpy_number(const Where *where, PyObject *object, webnn_number *out) {
  if (PyLong_Check(object)) return big_number(object, out);
  if (!PyFloat_Check(object) && PyIndex_Check(object)) {
    PyObject *number = PyNumber_Index(object);
    if (number != NULL) {
      int failed = big_number(number, out);
      Py_DECREF(number);
      return failed;
    }
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return -1;
    PyErr_Clear(); /* an array of one float, say: it may still be a number */
  }
  if (!PyFloat_Check(object) && !has_slot(object, Py_nb_float))
    return wpy_wrong_type(where, "a number", object);
  out->kind = WEBNN_NUMBER_DOUBLE;
  out->as.f = PyFloat_AsDouble(object);
  if (out->as.f != -1.0 || !PyErr_Occurred()) return 0;
  if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_ValueError))
    return wpy_argument_restated(where); /* too large for a double, say */
  PyErr_Clear();
  return wpy_wrong_type(where, "a number", object);
}

int wpy_bool(const Where *where, PyObject *object, bool *out) {
  if (object != Py_True && object != Py_False &&
      (object == Py_None || !has_slot(object, Py_nb_bool)))
    return wpy_wrong_type(where, "a bool", object);
  int truth = PyObject_IsTrue(object);
  *out = truth > 0;
  if (truth >= 0) return 0;
  if (!PyErr_ExceptionMatches(PyExc_ValueError)) return -1; /* an array of many */
  PyErr_Clear();
  return wpy_wrong_type(where, "a bool", object);
}

int wpy_bool_or(const Where *where, PyObject *object, bool default_value, bool *out) {
  *out = default_value;
  return wpy_absent(object) ? 0 : wpy_bool(where, object, out);
}

/* ---- strings */

int wpy_enum(const Where *where, PyObject *object, const char *const *names, uint32_t *out) {
  if (!PyUnicode_Check(object)) return wpy_wrong_type(where, "a str", object);
  PyObject *all = NULL;
  for (uint32_t i = 0; names[i] != NULL; i++)
    if (PyUnicode_CompareWithASCIIString(object, names[i]) == 0) {
      *out = i;
      return 0;
    }
  all = PyUnicode_FromFormat("'%s'", names[0]);
  for (size_t i = 1; all != NULL && names[i] != NULL; i++) {
    PyObject *more = PyUnicode_FromFormat("%U, '%s'", all, names[i]);
    Py_DECREF(all);
    all = more;
  }
  PyObject *quoted = all == NULL ? NULL : wpy_quoted(object);
  if (quoted != NULL) wpy_argument_error(where, "must be one of %U, not %U", all, quoted);
  Py_XDECREF(quoted);
  Py_XDECREF(all);
  return -1;
}

int wpy_data_type(const Where *where, PyObject *object, webnn_data_type *out) {
  static const char *const names[] = {
#define WEBNN_X(id, name, bytes) name,
      WEBNN_DATA_TYPE_MAP(WEBNN_X)
#undef WEBNN_X
          NULL};
  uint32_t index;
  if (wpy_enum(where, object, names, &index) < 0) return -1;
  *out = (webnn_data_type)index;
  return 0;
}

int wpy_name(const Where *where, PyObject *object, webnn_str *out) {
  Py_ssize_t size;
  if (!PyUnicode_Check(object)) return wpy_wrong_type(where, "a str", object);
  out->data = PyUnicode_AsUTF8AndSize(object, &size);
  out->size = (size_t)size;
  return out->data == NULL ? wpy_argument_restated(where) : 0;
}

int wpy_label(const Where *where, PyObject *object, Scratch *scratch, webnn_str *out) {
  Py_ssize_t size;
  char *bytes;
  if (!PyUnicode_Check(object)) return wpy_wrong_type(where, "a str", object);
  out->data = PyUnicode_AsUTF8AndSize(object, &size);
  out->size = (size_t)size;
  if (out->data != NULL) return 0;
  if (!PyErr_ExceptionMatches(PyExc_UnicodeError)) return -1;
  PyErr_Clear();
  PyObject *encoded = keep(scratch, PyUnicode_AsEncodedString(object, "utf-8", "replace"));
  if (encoded == NULL || PyBytes_AsStringAndSize(encoded, &bytes, &size) < 0) return -1;
  *out = (webnn_str){bytes, (size_t)size};
  return 0;
}

/* ---- lists */

PyObject *wpy_items(const Where *where, PyObject *object, Scratch *scratch) {
  if (PyTuple_Check(object)) return keep(scratch, Py_NewRef(object));
  bool listed = !PyUnicode_Check(object) && !PyBytes_Check(object) && !PyByteArray_Check(object) &&
                !PyDict_Check(object) && (has_slot(object, Py_tp_iter) || PySequence_Check(object));
  PyObject *items = listed ? PySequence_Tuple(object) : NULL;
  if (!listed)
    wpy_wrong_type(where, "a sequence", object);
  else if (items == NULL &&
           PyErr_ExceptionMatches(PyExc_TypeError)) { /* an array without dimensions */
    PyErr_Clear();
    wpy_wrong_type(where, "a sequence", object);
  }
  return keep(scratch, items);
}

int wpy_uints(const Where *where, PyObject *object, Scratch *scratch, const uint32_t **out,
              size_t *n) {
  PyObject *items = wpy_items(where, object, scratch);
  if (items == NULL) return -1;
  *n = (size_t)PyTuple_Size(items);
  uint32_t *numbers = wpy_scratch_alloc(scratch, *n, sizeof *numbers);
  if (numbers == NULL) return -1;
  for (size_t i = 0; i < *n; i++)
    if (wpy_uint32(where, PyTuple_GetItem(items, (Py_ssize_t)i), &numbers[i]) < 0) return -1;
  *out = numbers;
  return 0;
}

int wpy_descriptor(const char *function, PyObject *shape, PyObject *data_type, Scratch *scratch,
                   webnn_descriptor *out) {
  Where shape_where = {function, "shape", NULL, NULL}, type_where = {function, "data_type", NULL, NULL};
  if (wpy_uints(&shape_where, shape, scratch, &out->shape, &out->rank) < 0) return -1;
  return wpy_data_type(&type_where, data_type, &out->data_type);
}

int wpy_floats(const Where *where, PyObject *object, Scratch *scratch, const double **out,
               size_t *n) {
  PyObject *items = wpy_items(where, object, scratch);
  if (items == NULL) return -1;
  *n = (size_t)PyTuple_Size(items);
  double *numbers = wpy_scratch_alloc(scratch, *n, sizeof *numbers);
  if (numbers == NULL) return -1;
  for (size_t i = 0; i < *n; i++) {
    webnn_number number;
    if (wpy_number(where, PyTuple_GetItem(items, (Py_ssize_t)i), &number) < 0) return -1;
    numbers[i] = number.kind == WEBNN_NUMBER_DOUBLE  ? number.as.f
                 : number.kind == WEBNN_NUMBER_INT64 ? (double)number.as.i
                                                     : (double)number.as.u;
    if (!isfinite(numbers[i])) return wpy_argument_error(where, "must hold finite numbers");
  }
  *out = numbers;
  return 0;
}

/* ---- back to Python */

PyObject *wpy_str_object(webnn_str str) {
  return PyUnicode_DecodeUTF8(str.data == NULL ? "" : str.data, (Py_ssize_t)str.size, "replace");
}

PyObject *wpy_shape_object(const webnn_descriptor *descriptor) {
  PyObject *list = PyList_New((Py_ssize_t)descriptor->rank);
  for (size_t i = 0; list != NULL && i < descriptor->rank; i++) {
    PyObject *dim = PyLong_FromUnsignedLong(descriptor->shape[i]);
    if (dim == NULL || PyList_SetItem(list, (Py_ssize_t)i, dim) < 0) Py_CLEAR(list);
  }
  return list;
}

PyObject *wpy_type_object(webnn_data_type type) {
  return PyUnicode_InternFromString(webnn_data_type_name(type));
}

PyObject *wpy_descriptor_text(const webnn_descriptor *descriptor) {
  PyObject *shape = wpy_shape_object(descriptor);
  if (shape == NULL) return NULL;
  PyObject *text = PyUnicode_FromFormat("%s%S", webnn_data_type_name(descriptor->data_type), shape);
  Py_DECREF(shape);
  return text;
}

PyObject *wpy_descriptor_object(const State *state, const webnn_descriptor *descriptor) {
  PyObject *shape = wpy_shape_object(descriptor);
  PyObject *type = wpy_type_object(descriptor->data_type);
  PyObject *out = PyObject_CallNoArgs((PyObject *)state->descriptor);
  if (shape == NULL || type == NULL || out == NULL ||
      PyDict_SetItemString(out, "shape", shape) < 0 ||
      PyDict_SetItemString(out, "data_type", type) < 0)
    Py_CLEAR(out);
  Py_XDECREF(shape);
  Py_XDECREF(type);
  return out;
}

/* ---- records: dicts whose keys are attributes too */

static PyObject *record_getattr(PyObject *self, PyObject *name) {
  PyObject *value = PyObject_GenericGetAttr(self, name);
  if (value != NULL || !PyErr_ExceptionMatches(PyExc_AttributeError)) return value;
  PyObject *missing = wpy_take_exception();
  value = PyDict_GetItemWithError(self, name);
  if (value == NULL && !PyErr_Occurred()) {
    wpy_put_exception(missing);
    return NULL;
  }
  Py_DECREF(missing);
  return Py_XNewRef(value);
}

static PyType_Slot descriptor_slots[] = {
    {Py_tp_doc, "What an input or output is: `shape` and `data_type`, as keys and as attributes."},
    {Py_tp_getattro, record_getattr},
    {0, NULL}};
static PyType_Spec descriptor_spec = {
    "webnn.Descriptor", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, descriptor_slots};

static PyType_Slot lost_info_slots[] = {
    {Py_tp_doc, "Why a context was lost: `message`, as key and as attribute."},
    {Py_tp_getattro, record_getattr},
    {0, NULL}};
static PyType_Spec lost_info_spec = {
    "webnn.ContextLostInfo", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, lost_info_slots};

int wpy_records_init(PyObject *module, State *state) {
  state->descriptor = wpy_add_type(module, &descriptor_spec, (PyObject *)&PyDict_Type);
  state->lost_info = wpy_add_type(module, &lost_info_spec, (PyObject *)&PyDict_Type);
  return state->descriptor == NULL || state->lost_info == NULL ? -1 : 0;
}
