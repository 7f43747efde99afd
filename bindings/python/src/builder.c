/* webnn.GraphBuilder: inputs, constants, the build. Operations are put on the type by opmethod.c.
 */
#include "state.h"

#include <string.h>

/* ---- one caller at a time */

int wpy_builder_enter(Builder *self, wpy_lock *lock) {
  wpy_lock_begin(lock, (PyObject *)self);
  if (!self->busy) return 0;
  wpy_lock_end(lock);
  PyErr_SetString(self->state->invalid_state, "the builder is in use by another thread");
  return -1;
}

/* Keeps others out while the GIL is released; every `leave` needs its `occupy`. */
static int occupy(Builder *self) {
  wpy_lock lock;
  if (wpy_builder_enter(self, &lock) < 0) return -1;
  self->busy = true;
  wpy_lock_end(&lock);
  return 0;
}

static void leave(Builder *self) {
  wpy_lock lock;
  wpy_lock_begin(&lock, (PyObject *)self);
  self->busy = false;
  wpy_lock_end(&lock);
}

/* ---- results of calls */

static PyObject *raise_last(Builder *self) {
  return wpy_raise(self->state, webnn_builder_error(self->native));
}

/* What the call that gave `status` put into `*operand`. */
static PyObject *wrap(Builder *self, webnn_status status, webnn_operand *const *operand) {
  return status == WEBNN_OK ? wpy_operand_new(self, *operand) : raise_last(self);
}

static PyObject *wrap_list(Builder *self, webnn_operand **operands, size_t n) {
  PyObject *tuple = PyTuple_New((Py_ssize_t)n);
  for (size_t i = 0; tuple != NULL && i < n; i++) {
    PyObject *operand = wpy_operand_new(self, operands[i]);
    if (operand == NULL || PyTuple_SetItem(tuple, (Py_ssize_t)i, operand) < 0) Py_CLEAR(tuple);
  }
  return tuple;
}

PyObject *wpy_builder_call(Builder *self, const webnn_op *op, const webnn_value *values,
                           size_t n_values, size_t n_outs) {
  webnn_operand *few[8], **outs = few;
  PyObject *result;
  wpy_lock lock;
  if (n_outs > sizeof few / sizeof *few) outs = PyMem_Malloc(n_outs * sizeof *outs);
  if (outs == NULL) return PyErr_NoMemory();
  if (wpy_builder_enter(self, &lock) < 0) {
    result = NULL;
  } else {
    webnn_status status = webnn_builder_call(self->native, op, values, n_values, outs, &n_outs);
    if (status != WEBNN_OK)
      result = raise_last(self);
    else
      result = webnn_op_returns_list(op) ? wrap_list(self, outs, n_outs)
                                         : wpy_operand_new(self, outs[0]);
    wpy_lock_end(&lock);
  }
  if (outs != few) PyMem_Free(outs);
  return result;
}

PyObject *wpy_builder_number(Builder *self, webnn_data_type type, webnn_number value) {
  webnn_operand *operand;
  wpy_lock lock;
  if (wpy_builder_enter(self, &lock) < 0) return NULL;
  PyObject *result =
      wrap(self, webnn_builder_constant_number(self->native, type, value, &operand), &operand);
  wpy_lock_end(&lock);
  return result;
}

/* ---- input and constant */

static PyObject *builder_input(PyObject *object, PyObject *const *args, Py_ssize_t n_args,
                               PyObject *names) {
  static const char *const keywords[] = {"name", "shape", "data_type", NULL};
  static const Params params = {"input", keywords, 3, 3};
  Where name_where = {params.function, keywords[0], NULL, NULL};
  Builder *self = (Builder *)object;
  PyObject *given[3], *result = NULL;
  Scratch scratch;
  webnn_descriptor descriptor;
  webnn_str name;
  webnn_operand *operand;
  wpy_lock lock;
  if (wpy_parse(&params, args, n_args, names, given) < 0 ||
      wpy_name(&name_where, given[0], &name) < 0)
    return NULL;
  wpy_scratch_init(&scratch);
  if (wpy_descriptor(params.function, given[1], given[2], &scratch, &descriptor) == 0 &&
      wpy_builder_enter(self, &lock) == 0) {
    result = wrap(self, webnn_builder_input(self->native, name, &descriptor, &operand), &operand);
    wpy_lock_end(&lock);
  }
  wpy_scratch_free(&scratch);
  return result;
}

enum { DATA, SHAPE, DATA_TYPE, VALUE, COPY, N_CONSTANT };

static PyObject *constant_number(Builder *self, PyObject **given) {
  Where type_where = {"constant", "data_type", NULL, NULL}, value_where = {"constant", "value", NULL, NULL};
  webnn_data_type type;
  webnn_number value;
  if (!wpy_absent(given[SHAPE])) {
    Where where = {"constant", "shape", NULL, NULL};
    wpy_argument_error(&where, "and value cannot both be given: a number has no shape");
    return NULL;
  }
  if (given[DATA_TYPE] == NULL) given[DATA_TYPE] = Py_None;
  if (wpy_data_type(&type_where, given[DATA_TYPE], &type) < 0 ||
      wpy_number(&value_where, given[VALUE], &value) < 0)
    return NULL;
  return wpy_builder_number(self, type, value);
}

static PyObject *constant_tensor(Builder *self, PyObject **given) {
  Where where = {"constant", "data", NULL, NULL};
  Tensor *tensor = (Tensor *)given[DATA];
  webnn_operand *operand;
  wpy_lock lock;
  if (!wpy_absent(given[SHAPE]) || !wpy_absent(given[DATA_TYPE])) {
    wpy_argument_error(&where, "is a tensor: it has its own shape and data_type");
    return NULL;
  }
  if (wpy_builder_enter(self, &lock) < 0) return NULL;
  PyObject *result =
      wrap(self, webnn_builder_constant_tensor(self->native, tensor->native, &operand), &operand);
  wpy_lock_end(&lock);
  return result;
}

/* The copy runs without the GIL. Takes `data` over. */
static PyObject *constant_copied(Builder *self, const webnn_descriptor *descriptor, Data *data) {
  webnn_operand *operand;
  webnn_status status;
  PyObject *result = NULL;
  if (occupy(self) == 0) {
    Py_BEGIN_ALLOW_THREADS status =
        webnn_builder_constant(self->native, descriptor, data->bytes, data->n_bytes, &operand);
    Py_END_ALLOW_THREADS result = wrap(self, status, &operand);
    leave(self);
  }
  wpy_data_release(data);
  return result;
}

/* The graph uses the caller's memory, which is held until no graph needs it. */
static PyObject *constant_pinned(Builder *self, const webnn_descriptor *descriptor, Data *data) {
  webnn_operand *operand;
  wpy_lock lock;
  void *pin;
  if (wpy_queue_pin(self->state, data, &pin) < 0) {
    wpy_data_release(data);
    return NULL;
  }
  if (wpy_builder_enter(self, &lock) < 0) {
    wpy_queue_forget(pin);
    return NULL;
  }
  webnn_status status = webnn_builder_constant_mapped(
      self->native, descriptor, data->bytes, data->n_bytes, wpy_queue_unpin, pin, &operand);
  PyObject *result = wrap(self, status, &operand);
  wpy_lock_end(&lock);
  if (status != WEBNN_OK) wpy_queue_forget(pin);
  return result;
}

static PyObject *constant_data(Builder *self, PyObject **given, bool copy) {
  Where where = {"constant", "data", NULL, NULL};
  Data data;
  Scratch scratch;
  webnn_descriptor descriptor;
  PyObject *result = NULL;
  if (wpy_data_get(self->state, &where, given[DATA], false, &data) < 0) return NULL;
  wpy_scratch_init(&scratch);
  if (wpy_data_descriptor(&where, &data, given[SHAPE], given[DATA_TYPE], &scratch, &descriptor) < 0)
    wpy_data_release(&data);
  else
    result = copy ? constant_copied(self, &descriptor, &data)
                  : constant_pinned(self, &descriptor, &data);
  wpy_scratch_free(&scratch);
  return result;
}

static PyObject *builder_constant(PyObject *object, PyObject *const *args, Py_ssize_t n_args,
                                  PyObject *names) {
  static const char *const keywords[] = {"data", "shape", "data_type", "value", "copy", NULL};
  static const Params params = {"constant", keywords, 1, 0};
  Where where = {"constant", NULL, NULL, NULL}, copy_where = {"constant", "copy", NULL, NULL};
  Builder *self = (Builder *)object;
  PyObject *given[N_CONSTANT];
  bool copy;
  if (wpy_parse(&params, args, n_args, names, given) < 0 ||
      wpy_bool_or(&copy_where, given[COPY], true, &copy) < 0)
    return NULL;
  if (wpy_absent(given[DATA]) == wpy_absent(given[VALUE])) {
    wpy_argument_error(&where, "takes either data or a value");
    return NULL;
  }
  if (wpy_absent(given[DATA])) return constant_number(self, given);
  if (Py_TYPE(given[DATA]) == self->state->tensor) return constant_tensor(self, given);
  return constant_data(self, given, copy);
}

/* ---- build */

/* The dict's entries as the core wants them. Names and operands are borrowed from `outputs`, which
 * nobody else can change: it is our copy. */
static int read_outputs(Builder *self, PyObject *outputs, webnn_named_operand *out) {
  static const Where key_where = {"build", "a name in outputs", NULL, NULL};
  PyObject *name, *operand;
  size_t n = 0;
  for (Py_ssize_t at = 0; PyDict_Next(outputs, &at, &name, &operand); n++) {
    Where where = {"build", "outputs", NULL, name};
    if (wpy_name(&key_where, name, &out[n].name) < 0) return -1;
    if (Py_TYPE(operand) != self->state->operand) return wpy_wrong_type(&where, "a webnn.Operand", operand);
    out[n].operand = ((Operand *)operand)->native;
  }
  return 0;
}

/* A graph file in memory: bytes that grow. */
typedef struct Bytes {
  char *data;
  size_t n, room;
} Bytes;

/* Called without the GIL. */
static bool take_bytes(void *ud, const void *data, size_t n) {
  Bytes *bytes = ud;
  if (n > bytes->room - bytes->n) {
    size_t room = bytes->n + n + bytes->room / 2;
    char *grown = PyMem_RawRealloc(bytes->data, room);
    if (grown == NULL) return false;
    bytes->data = grown;
    bytes->room = room;
  }
  memcpy(bytes->data + bytes->n, data, n);
  bytes->n += n;
  return true;
}

/* What the outputs need as the bytes of a graph file; NULL and an exception when that fails. */
static PyObject *encode(Builder *self, const webnn_named_operand *named, size_t n) {
  Bytes bytes = {NULL, 0, 0};
  webnn_status status;
  if (occupy(self) < 0) return NULL;
  Py_BEGIN_ALLOW_THREADS status = webnn_serial_write(self->native, named, n, take_bytes, &bytes);
  Py_END_ALLOW_THREADS PyObject *result =
      status == WEBNN_OK ? PyBytes_FromStringAndSize(bytes.data, (Py_ssize_t)bytes.n) : raise_last(self);
  leave(self);
  PyMem_RawFree(bytes.data);
  return result;
}

static PyObject *start_build(Builder *self, PyObject *outputs, bool keep_definition) {
  Py_ssize_t n = PyDict_Size(outputs);
  webnn_named_operand *named = PyMem_Calloc((size_t)n + 1, sizeof *named);
  webnn_future *native;
  webnn_status status;
  PyObject *result = NULL, *definition = NULL;
  if (named == NULL) return PyErr_NoMemory();
  bool held = read_outputs(self, outputs, named) == 0;
  if (held && keep_definition) definition = encode(self, named, (size_t)n);
  if (held && (definition != NULL || !keep_definition) &&
      occupy(self) == 0) {
    Py_BEGIN_ALLOW_THREADS status = webnn_builder_build(self->native, named, (size_t)n, &native);
    Py_END_ALLOW_THREADS result =
        status == WEBNN_OK
            ? wpy_future_new(self->state, FUTURE_BUILD, native, self->context, definition, NULL)
            : raise_last(self);
    leave(self);
  }
  PyMem_Free(named);
  Py_XDECREF(definition);
  return result;
}

static PyObject *build(Builder *self, PyObject *const *args, Py_ssize_t n_args, PyObject *names) {
  static const char *const keywords[] = {"outputs", "keep_definition", NULL};
  static const Params params = {"build", keywords, 1, 1};
  Where where = {"build", keywords[0], NULL, NULL}, keep_where = {"build", keywords[1], NULL, NULL};
  PyObject *given[2];
  bool keep_definition;
  if (wpy_parse(&params, args, n_args, names, given) < 0 ||
      wpy_bool_or(&keep_where, given[1], false, &keep_definition) < 0)
    return NULL;
  if (!PyDict_Check(given[0])) {
    wpy_argument_error(&where, "must be a dict of operands by name");
    return NULL;
  }
  PyObject *outputs = PyDict_Copy(given[0]);
  PyObject *future = outputs == NULL ? NULL : start_build(self, outputs, keep_definition);
  Py_XDECREF(outputs);
  return future;
}

static PyObject *builder_build(PyObject *object, PyObject *const *args, Py_ssize_t n_args,
                               PyObject *names) {
  Builder *self = (Builder *)object;
  PyObject *future = build(self, args, n_args, names);
  return future != NULL ? future : wpy_future_settled(self->state, NULL);
}

/* ---- graph files: what webnn.serialize stands on */

static PyObject *builder_encode(PyObject *object, PyObject *outputs) {
  Builder *self = (Builder *)object;
  Where where = {"save", "outputs", NULL, NULL};
  PyObject *result = NULL;
  if (!PyDict_Check(outputs)) {
    wpy_argument_error(&where, "must be a dict of operands by name");
    return NULL;
  }
  PyObject *copy = PyDict_Copy(outputs);
  size_t n = copy == NULL ? 0 : (size_t)PyDict_Size(copy);
  webnn_named_operand *named = PyMem_Calloc(n + 1, sizeof *named);
  if (copy != NULL && named == NULL) PyErr_NoMemory();
  else if (copy != NULL && read_outputs(self, copy, named) == 0) result = encode(self, named, n);
  PyMem_Free(named);
  Py_XDECREF(copy);
  return result;
}

static PyObject *outputs_dict(Builder *self, const webnn_named_operand *outs, size_t n) {
  PyObject *dict = PyDict_New();
  for (size_t i = 0; dict != NULL && i < n; i++) {
    PyObject *name = PyUnicode_DecodeUTF8(outs[i].name.data, (Py_ssize_t)outs[i].name.size, NULL);
    PyObject *operand = name == NULL ? NULL : wpy_operand_new(self, outs[i].operand);
    if (operand == NULL || PyDict_SetItem(dict, name, operand) < 0) Py_CLEAR(dict);
    Py_XDECREF(name);
    Py_XDECREF(operand);
  }
  return dict;
}

/* From bytes, or from the file of a path. */
static PyObject *builder_decode(PyObject *object, PyObject *source) {
  Builder *self = (Builder *)object;
  const webnn_named_operand *outs;
  size_t n;
  webnn_status status;
  PyObject *path = NULL, *result = NULL;
  Py_buffer view = {.obj = NULL};
  bool is_buffer = PyObject_CheckBuffer(source);
  Where where = {"load", "source", NULL, NULL};
  if (is_buffer ? PyObject_GetBuffer(source, &view, PyBUF_SIMPLE) < 0 : !PyUnicode_FSConverter(source, &path)) {
    wpy_argument_restated(&where);
    return NULL;
  }
  if (occupy(self) == 0) {
    Py_BEGIN_ALLOW_THREADS status =
        is_buffer ? webnn_serial_read(self->native, view.buf, (size_t)view.len, &outs, &n)
                  : webnn_serial_read_file(self->native, PyBytes_AS_STRING(path), &outs, &n);
    Py_END_ALLOW_THREADS result = status == WEBNN_OK ? outputs_dict(self, outs, n) : raise_last(self);
    leave(self);
  }
  if (is_buffer) PyBuffer_Release(&view);
  Py_XDECREF(path);
  return result;
}

/* ---- taking back: what webnn.onnx stands on */

static PyObject *builder_n_operands(PyObject *object, PyObject *unused) {
  Builder *self = (Builder *)object;
  wpy_lock lock;
  (void)unused;
  if (wpy_builder_enter(self, &lock) < 0) return NULL;
  size_t n = webnn_builder_n_operands(self->native);
  wpy_lock_end(&lock);
  return PyLong_FromSize_t(n);
}

static PyObject *builder_take_back(PyObject *object, PyObject *count) {
  Builder *self = (Builder *)object;
  size_t n = PyLong_AsSize_t(count);
  if (n == (size_t)-1 && PyErr_Occurred()) return NULL;
  if (occupy(self) < 0) return NULL;
  Py_BEGIN_ALLOW_THREADS webnn_builder_take_back(self->native, n);
  Py_END_ALLOW_THREADS leave(self);
  Py_RETURN_NONE;
}

/* ---- the type */

static PyObject *builder_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static const char *const keywords[] = {"context", NULL};
  static const Params params = {"GraphBuilder", keywords, 1, 1};
  Where where = {"GraphBuilder", keywords[0], NULL, NULL};
  State *state = wpy_state_of(type);
  PyObject *context;
  webnn_builder *native;
  webnn_error error;
  if (wpy_parse_new(&params, args, kwargs, &context) < 0) return NULL;
  if (Py_TYPE(context) != state->context) {
    wpy_argument_error(&where, "must be a webnn.Context");
    return NULL;
  }
  if (webnn_builder_create(((Context *)context)->native, &native, &error) != WEBNN_OK)
    return wpy_raise(state, &error);
  Builder *self = wpy_object_new(state, type);
  if (self == NULL) {
    webnn_builder_release(native);
    return NULL;
  }
  self->native = native;
  self->context = Py_NewRef(context);
  return (PyObject *)self;
}

static PyObject *builder_context(PyObject *self, void *unused) {
  (void)unused;
  return Py_NewRef(((Builder *)self)->context);
}

static PyObject *builder_repr(PyObject *self) {
  return PyUnicode_FromFormat("<webnn.GraphBuilder for %R>", ((Builder *)self)->context);
}

static int builder_traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(((Builder *)self)->context);
  return 0;
}

static void builder_dealloc(PyObject *object) {
  Builder *self = (Builder *)object;
  wpy_object_ending(object);
  PyThreadState *paused = wpy_pause();
  webnn_builder_release(self->native);
  wpy_resume(paused);
  Py_XDECREF(self->context);
  wpy_object_free(object);
}

static PyGetSetDef builder_getset[] = {
    {"context", builder_context, NULL, "What the graph will run on.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef builder_methods[] = {
    {"input", WPY_FAST(builder_input), METH_FASTCALL | METH_KEYWORDS,
     "input($self, name, shape, data_type)\n--\n\nA named input. Spec: MLGraphBuilder.input."},
    {"constant", WPY_FAST(builder_constant), METH_FASTCALL | METH_KEYWORDS,
     "constant($self, data=None, *, shape=None, data_type=None, value=None, copy=True)\n--\n\n"
     "A constant from a buffer, a DLPack tensor, a constant Tensor, or a number with its type.\n\n"
     "Shape and type are the data's own unless given. With copy=False the graph uses the memory as "
     "it is: "
     "it must not change. Spec: MLGraphBuilder.constant."},
    {"build", WPY_FAST(builder_build), METH_FASTCALL | METH_KEYWORDS,
     "build($self, outputs, *, keep_definition=False)\n--\n\n"
     "A Future of the Graph that computes the operands in the dict `outputs`. Closes the builder. "
     "Spec: MLGraphBuilder.build."},
    {"_encode", builder_encode, METH_O,
     "_encode($self, outputs, /)\n--\n\nThe bytes of a graph file. See webnn.serialize."},
    {"_decode", builder_decode, METH_O,
     "_decode($self, source, /)\n--\n\nAdds what a graph file holds; its outputs. See webnn.serialize."},
    {"_n_operands", builder_n_operands, METH_NOARGS, "_n_operands($self)\n--\n\nHow many operands there are."},
    {"_take_back", builder_take_back, METH_O,
     "_take_back($self, n, /)\n--\n\nTakes back all operands but the first n. See webnn.onnx."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot builder_slots[] = {
    {Py_tp_doc,
     "GraphBuilder(context)\n--\n\nMakes a graph, operation by operation. Spec: MLGraphBuilder."},
    {Py_tp_new, builder_new},
    {Py_tp_dealloc, builder_dealloc},
    {Py_tp_traverse, builder_traverse},
    {Py_tp_repr, builder_repr},
    {Py_tp_methods, builder_methods},
    {Py_tp_getset, builder_getset},
    {Py_tp_members, wpy_object_members},
    {0, NULL}};
static PyType_Spec builder_spec = {"webnn.GraphBuilder", sizeof(Builder), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
                                   builder_slots};

int wpy_builder_init(PyObject *module, State *state) {
  state->builder = wpy_add_type(module, &builder_spec, NULL);
  if (state->builder == NULL || wpy_opmethods_add(state, state->builder) < 0) return -1;
  return wpy_freeze_type(state->builder);
}
