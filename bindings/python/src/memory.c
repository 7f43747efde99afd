/* Our memory shown to Python: what a read or a compute gives, and how descriptors become buffer
 * views. */
#include "state.h"

#include <stdlib.h>
#include <string.h>

size_t wpy_descriptor_bytes(const webnn_descriptor *descriptor) {
  size_t n = webnn_data_type_bytes(descriptor->data_type);
  for (size_t i = 0; i < descriptor->rank; i++) n *= descriptor->shape[i];
  return n;
}

void wpy_fill_dims(const webnn_descriptor *descriptor, Py_ssize_t *dims) {
  Py_ssize_t stride = (Py_ssize_t)webnn_data_type_bytes(descriptor->data_type);
  for (size_t i = descriptor->rank; i-- > 0;) {
    dims[i] = (Py_ssize_t)descriptor->shape[i];
    dims[descriptor->rank + i] = stride;
    stride *= dims[i];
  }
}

/* The struct module's code; 64-bit integers as `long` where that is one, as NumPy spells int64. */
static const char *format_of(webnn_data_type type) {
  switch (type) {
    case WEBNN_DATA_TYPE_FLOAT32: return "f";
    case WEBNN_DATA_TYPE_FLOAT16: return "e";
    case WEBNN_DATA_TYPE_INT32: return "i";
    case WEBNN_DATA_TYPE_UINT32: return "I";
    case WEBNN_DATA_TYPE_INT64: return sizeof(long) == 8 ? "l" : "q";
    case WEBNN_DATA_TYPE_UINT64: return sizeof(long) == 8 ? "L" : "Q";
    case WEBNN_DATA_TYPE_INT8: return "b";
    case WEBNN_DATA_TYPE_UINT8: break;
  }
  return "B";
}

int wpy_fill_view(Py_buffer *view, PyObject *owner, void *bytes, const webnn_descriptor *descriptor,
                  Py_ssize_t *dims, bool read_only, int flags) {
  if (read_only && (flags & PyBUF_WRITABLE)) {
    view->obj = NULL;
    PyErr_SetString(PyExc_BufferError, "the memory is read-only");
    return -1;
  }
  if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && descriptor->rank > 1) {
    view->obj = NULL;
    PyErr_SetString(PyExc_BufferError, "the memory is C-contiguous, not Fortran-contiguous");
    return -1;
  }
  view->buf = bytes;
  view->obj = Py_NewRef(owner);
  view->len = (Py_ssize_t)wpy_descriptor_bytes(descriptor);
  view->itemsize = (Py_ssize_t)webnn_data_type_bytes(descriptor->data_type);
  view->readonly = read_only;
  bool shaped = (flags & PyBUF_ND) == PyBUF_ND, strided = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
  view->ndim = shaped ? (int)descriptor->rank : 1;
  view->format = (flags & PyBUF_FORMAT) ? (char *)format_of(descriptor->data_type) : NULL;
  view->shape = shaped && descriptor->rank > 0 ? dims : NULL;
  view->strides = strided && descriptor->rank > 0 ? dims + descriptor->rank : NULL;
  view->suboffsets = NULL;
  view->internal = NULL;
  return 0;
}

/* ---- the exporter */

typedef struct Memory {
  WPY_HEAD;
  webnn_future *owner; /* whose bytes these are; NULL: our own */
  void *block;
  void *bytes;
  webnn_descriptor descriptor;
  Py_ssize_t *dims;
  uint32_t *shape;
} Memory;

static int memory_getbuffer(PyObject *self, Py_buffer *view, int flags) {
  Memory *memory = (Memory *)self;
  return wpy_fill_view(view, self, memory->bytes, &memory->descriptor, memory->dims, false, flags);
}

static int memory_traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  return 0;
}

static void memory_dealloc(PyObject *self) {
  Memory *memory = (Memory *)self;
  wpy_object_ending(self);
  webnn_future_release(memory->owner);
  free(memory->block);
  PyMem_Free(memory->dims);
  PyMem_Free(memory->shape);
  wpy_object_free(self);
}

static PyType_Slot memory_slots[] = {
    {Py_tp_doc, "The memory behind a result."}, {Py_tp_dealloc, memory_dealloc},
    {Py_tp_traverse, memory_traverse},          {Py_tp_members, wpy_object_members},
    {Py_bf_getbuffer, memory_getbuffer},        {0, NULL}};
static PyType_Spec memory_spec = {"webnn._core.Memory", sizeof(Memory), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                                      Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                  memory_slots};

int wpy_memory_init(PyObject *module, State *state) {
  state->memory = wpy_add_type(module, &memory_spec, NULL);
  return state->memory == NULL ? -1 : 0;
}

static PyObject *memory_new(State *state, const webnn_descriptor *descriptor, webnn_future *owner,
                            void **bytes) {
  size_t rank = descriptor->rank;
  Memory *memory = wpy_object_new(state, state->memory);
  if (memory == NULL) return NULL;
  memory->dims = PyMem_Malloc((2 * rank + 1) * sizeof *memory->dims);
  memory->shape = PyMem_Malloc((rank + 1) * sizeof *memory->shape);
  memory->descriptor = (webnn_descriptor){descriptor->data_type, rank, memory->shape};
  if (owner != NULL) {
    size_t n_bytes;
    memory->owner = webnn_future_retain(owner);
    memory->bytes =
        (void *)webnn_future_data(owner, &n_bytes); /* nobody else's: Python may write it */
  } else {                                          /* vector units like whole lines of the cache */
    memory->block = malloc(wpy_descriptor_bytes(descriptor) + 63);
    if (memory->block != NULL)
      memory->bytes = (void *)(((uintptr_t)memory->block + 63) & ~(uintptr_t)63);
    *bytes = memory->bytes;
  }
  if (memory->bytes == NULL || memory->dims == NULL || memory->shape == NULL) {
    Py_DECREF(memory);
    return PyErr_NoMemory();
  }
  if (rank > 0) memcpy(memory->shape, descriptor->shape, rank * sizeof *memory->shape);
  wpy_fill_dims(descriptor, memory->dims);
  return (PyObject *)memory;
}

/* numpy.asarray, None where NumPy isn't there; borrowed, NULL when its import fails otherwise. */
static PyObject *as_array(State *state) {
  if (state->as_array != NULL) return state->as_array;
  PyObject *numpy = PyImport_ImportModule("numpy");
  if (numpy != NULL) {
    state->as_array = PyObject_GetAttrString(numpy, "asarray");
    Py_DECREF(numpy);
  } else if (PyErr_ExceptionMatches(PyExc_ImportError)) {
    PyErr_Clear();
    state->as_array = Py_NewRef(Py_None);
  }
  return state->as_array;
}

PyObject *wpy_array_new(State *state, const webnn_descriptor *descriptor, webnn_future *owner,
                        void **bytes) {
  PyObject *convert = as_array(state);
  PyObject *memory = convert == NULL ? NULL : memory_new(state, descriptor, owner, bytes);
  if (memory == NULL) return NULL;
  PyObject *array = convert == Py_None ? PyMemoryView_FromObject(memory)
                                       : PyObject_CallFunctionObjArgs(convert, memory, NULL);
  Py_DECREF(memory);
  return array;
}
