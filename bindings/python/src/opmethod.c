/* OpMethod: one operation of the table as a method of GraphBuilder. One function serves every row;
 * signature and documentation are made from the row when somebody asks. */
#include "state.h"

typedef struct OpMethod {
  WPY_HEAD;
  vectorcallfunc vectorcall;
  const webnn_op *op;
  size_t n_fields, n_required;       /* required ones come first, the label last */
  PyObject *names[WEBNN_MAX_FIELDS]; /* interned: keywords are matched by identity */
} OpMethod;

/* ---- arguments to values */

typedef struct Call {
  const OpMethod *method;
  PyObject *given[WEBNN_MAX_FIELDS];
  webnn_value values[WEBNN_MAX_FIELDS];
  size_t n_outs;
  Scratch scratch;
} Call;

static int find_field(const OpMethod *method, PyObject *name, size_t *out) {
  for (size_t i = 0; i < method->n_fields; i++)
    if (method->names[i] == name) return *out = i, 0;
  for (size_t i = 0; i < method->n_fields; i++) { /* a key that nobody interned */
    int equal = PyUnicode_Check(name) ? PyObject_RichCompareBool(method->names[i], name, Py_EQ) : 0;
    if (equal < 0) return -1;
    if (equal) return *out = i, 0;
  }
  wpy_unexpected_keyword(webnn_op_name(method->op), name);
  return -1;
}

static int sort_args(Call *call, PyObject *const *args, size_t n_args, PyObject *names) {
  const OpMethod *method = call->method;
  if (n_args > method->n_required) {
    PyErr_Format(PyExc_TypeError,
                 "%s() takes %zu positional arguments (%zu given); options are keywords",
                 webnn_op_name(method->op), method->n_required, n_args);
    return -1;
  }
  for (size_t i = 0; i < method->n_fields; i++) call->given[i] = i < n_args ? args[i] : NULL;
  Py_ssize_t n_names = names == NULL ? 0 : PyTuple_Size(names);
  for (Py_ssize_t i = 0; i < n_names; i++) {
    size_t field;
    if (find_field(method, PyTuple_GetItem(names, i), &field) < 0) return -1;
    if (call->given[field] != NULL) {
      PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'",
                   webnn_op_name(method->op), method->names[field]);
      return -1;
    }
    call->given[field] = args[n_args + (size_t)i];
  }
  for (size_t i = 0; i < method->n_required; i++)
    if (call->given[i] == NULL) {
      PyErr_Format(PyExc_TypeError, "%s() missing required argument '%U'",
                   webnn_op_name(method->op), method->names[i]);
      return -1;
    }
  return 0;
}

static int read_operand(const Where *where, const State *state, PyObject *object,
                        const webnn_operand **out) {
  if (Py_TYPE(object) == state->operand) {
    *out = ((Operand *)object)->native;
    return 0;
  }
  return wpy_wrong_type(where, "a webnn.Operand", object);
}

static int read_operands(const Where *where, Call *call, PyObject *object, webnn_value *out) {
  PyObject *items = wpy_items(where, object, &call->scratch);
  if (items == NULL) return -1;
  out->n = (size_t)PyTuple_Size(items);
  const webnn_operand **operands = wpy_scratch_alloc(&call->scratch, out->n, sizeof *operands);
  if (operands == NULL) return -1;
  out->as.operands = operands;
  for (size_t i = 0; i < out->n; i++)
    if (read_operand(where, call->method->state, PyTuple_GetItem(items, (Py_ssize_t)i),
                     &operands[i]) < 0)
      return -1;
  return 0;
}

static int read_enums(const Where *where, const webnn_field *field, Call *call, PyObject *object,
                      webnn_value *out) {
  PyObject *items = wpy_items(where, object, &call->scratch);
  if (items == NULL) return -1;
  out->n = (size_t)PyTuple_Size(items);
  uint32_t *indices = wpy_scratch_alloc(&call->scratch, out->n, sizeof *indices);
  if (indices == NULL) return -1;
  out->as.us = indices;
  for (size_t i = 0; i < out->n; i++)
    if (wpy_enum(where, PyTuple_GetItem(items, (Py_ssize_t)i), field->enum_values, &indices[i]) < 0)
      return -1;
  return 0;
}

/* split's `splits`: a number of equal parts, or the list of their sizes. */
static int read_splits(const Where *where, Call *call, PyObject *object, webnn_value *out) {
  if (PyLong_Check(object) || (PyIndex_Check(object) && !PySequence_Check(object))) {
    out->kind = WEBNN_FIELD_UINT;
    if (wpy_uint32(where, object, &out->as.u) < 0) return -1;
    call->n_outs = out->as.u;
  } else {
    out->kind = WEBNN_FIELD_UINTS;
    if (wpy_uints(where, object, &call->scratch, &out->as.us, &out->n) < 0) return -1;
    call->n_outs = out->n;
  }
  return 0;
}

static int read_field(const Where *where, const webnn_field *field, Call *call, PyObject *object,
                      webnn_value *out) {
  webnn_data_type type;
  out->kind = field->kind;
  switch (field->kind) {
    case WEBNN_FIELD_OPERAND:
      return read_operand(where, call->method->state, object, &out->as.operand);
    case WEBNN_FIELD_OPERANDS: return read_operands(where, call, object, out);
    case WEBNN_FIELD_UINT: return wpy_uint32(where, object, &out->as.u);
    case WEBNN_FIELD_INT: return wpy_int32(where, object, &out->as.i);
    case WEBNN_FIELD_UINTS: return wpy_uints(where, object, &call->scratch, &out->as.us, &out->n);
    case WEBNN_FIELD_UINT_OR_UINTS: return read_splits(where, call, object, out);
    case WEBNN_FIELD_NUMBER: return wpy_number(where, object, &out->as.number);
    case WEBNN_FIELD_FLOATS:
      return wpy_floats(where, object, &call->scratch, &out->as.floats, &out->n);
    case WEBNN_FIELD_BOOL: return wpy_bool(where, object, &out->as.b);
    case WEBNN_FIELD_ENUM: return wpy_enum(where, object, field->enum_values, &out->as.e);
    case WEBNN_FIELD_ENUMS: return read_enums(where, field, call, object, out);
    case WEBNN_FIELD_DATA_TYPE:
      if (wpy_data_type(where, object, &type) < 0) return -1;
      out->as.e = type;
      return 0;
    case WEBNN_FIELD_LABEL: return wpy_label(where, object, &call->scratch, &out->as.str);
  }
  return wpy_argument_error(where, "is of a kind that this binding does not know");
}

static int read_values(Call *call) {
  const OpMethod *method = call->method;
  PyObject *label = call->given[method->n_fields - 1];
  for (size_t i = 0; i < method->n_fields; i++) {
    call->values[i] = (webnn_value){0};
    if (i < method->n_required ? call->given[i] == NULL : wpy_absent(call->given[i])) continue;
    const webnn_field *field = webnn_op_field(method->op, i);
    Where where = {webnn_op_name(method->op), field->name, label, NULL};
    if (read_field(&where, field, call, call->given[i], &call->values[i]) < 0) return -1;
  }
  return 0;
}

/* Lists are at most this long; the core refuses longer ones itself. */
#define MOST_OUTPUTS 16384

static PyObject *op_call(PyObject *self, PyObject *const *args, size_t nf, PyObject *names) {
  const OpMethod *method = (OpMethod *)self;
  size_t n_args = (size_t)PyVectorcall_NARGS(nf);
  Call call;
  if (n_args == 0 || (Py_TYPE(args[0]) != method->state->builder &&
                      !PyType_IsSubtype(Py_TYPE(args[0]), method->state->builder))) {
    PyErr_Format(PyExc_TypeError, "%s() needs a webnn.GraphBuilder", webnn_op_name(method->op));
    return NULL;
  }
  call.method = method;
  call.n_outs = 4;
  wpy_scratch_init(&call.scratch);
  PyObject *result = NULL;
  if (sort_args(&call, args + 1, n_args - 1, names) == 0 && read_values(&call) == 0) {
    if (call.n_outs > MOST_OUTPUTS) call.n_outs = MOST_OUTPUTS;
    result = wpy_builder_call((Builder *)args[0], method->op, call.values, method->n_fields,
                              call.n_outs == 0 ? 1 : call.n_outs);
  }
  wpy_scratch_free(&call.scratch);
  return result;
}

/* ---- what help() and inspect.signature look at */

static PyObject *op_name(PyObject *self, void *unused) {
  (void)unused;
  return PyUnicode_FromString(webnn_op_name(((OpMethod *)self)->op));
}

static PyObject *op_qualname(PyObject *self, void *unused) {
  (void)unused;
  return PyUnicode_FromFormat("GraphBuilder.%s", webnn_op_name(((OpMethod *)self)->op));
}

static PyObject *op_module(PyObject *self, void *unused) {
  (void)self, (void)unused;
  return PyUnicode_FromString("webnn");
}

/* Appends to a string that is stolen; NULL stays NULL. */
static PyObject *append(PyObject *text, PyObject *more) {
  PyObject *joined = text == NULL || more == NULL ? NULL : PyUnicode_Concat(text, more);
  Py_XDECREF(text);
  Py_XDECREF(more);
  return joined;
}

static PyObject *op_text_signature(PyObject *self, void *unused) {
  const OpMethod *method = (OpMethod *)self;
  PyObject *text = PyUnicode_FromString("($self");
  (void)unused;
  for (size_t i = 0; i < method->n_fields; i++) {
    const webnn_field *field = webnn_op_field(method->op, i);
    const char *star = i == method->n_required ? ", *" : "";
    text = append(text,
                  i < method->n_required
                      ? PyUnicode_FromFormat(", %s", field->name)
                      : PyUnicode_FromFormat("%s, %s=%s", star, field->name, field->default_text));
  }
  return append(text, PyUnicode_FromString(")"));
}

/* What an option of a choice may be, as a sentence; nothing for others. */
static PyObject *choices(const webnn_field *field) {
  PyObject *text;
  if (field->enum_values == NULL) return PyUnicode_FromString("");
  text = PyUnicode_FromString(field->kind == WEBNN_FIELD_ENUMS ? " Each is one of" : " One of");
  for (size_t i = 0; field->enum_values[i] != NULL; i++)
    text = append(text, PyUnicode_FromFormat("%s '%s'", i ? "," : "", field->enum_values[i]));
  return append(text, PyUnicode_FromString("."));
}

static PyObject *op_doc(PyObject *self, void *unused) {
  const OpMethod *method = (OpMethod *)self;
  const char *origin = webnn_op_extension(method->op) ? "An extension, as" : "Spec:";
  PyObject *text = PyUnicode_FromFormat("%s\n\n%s MLGraphBuilder.%s.\n", webnn_op_doc(method->op),
                                        origin, webnn_op_spec_name(method->op));
  (void)unused;
  for (size_t i = 0; i < method->n_fields; i++) {
    const webnn_field *field = webnn_op_field(method->op, i);
    text = append(text, PyUnicode_FromFormat("\n%s: %s", field->name, field->doc));
    text = append(text, choices(field));
  }
  return text;
}

static PyObject *op_repr(PyObject *self) {
  return PyUnicode_FromFormat("<operation '%s' of webnn.GraphBuilder>",
                              webnn_op_name(((OpMethod *)self)->op));
}

/* ---- the type */

static PyObject *op_descr_get(PyObject *self, PyObject *instance, PyObject *owner) {
  (void)owner;
  return instance == NULL || instance == Py_None ? Py_NewRef(self) : wpy_method_new(self, instance);
}

static int op_traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  return 0;
}

static void op_dealloc(PyObject *self) {
  OpMethod *method = (OpMethod *)self;
  wpy_object_ending(self);
  for (size_t i = 0; i < method->n_fields; i++) Py_XDECREF(method->names[i]);
  wpy_object_free(self);
}

static PyMemberDef op_members[] = {
    {"__vectorcalloffset__", Py_T_PYSSIZET, offsetof(OpMethod, vectorcall), Py_READONLY, NULL},
    {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(OpMethod, weakrefs), Py_READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};

static PyGetSetDef op_getset[] = {{"__name__", op_name, NULL, NULL, NULL},
                                  {"__qualname__", op_qualname, NULL, NULL, NULL},
                                  {"__module__", op_module, NULL, NULL, NULL},
                                  {"__doc__", op_doc, NULL, NULL, NULL},
                                  {"__text_signature__", op_text_signature, NULL, NULL, NULL},
                                  {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot op_slots[] = {{Py_tp_dealloc, op_dealloc},     {Py_tp_traverse, op_traverse},
                                 {Py_tp_repr, op_repr},           {Py_tp_call, PyVectorcall_Call},
                                 {Py_tp_descr_get, op_descr_get}, {Py_tp_members, op_members},
                                 {Py_tp_getset, op_getset},       {0, NULL}};
static PyType_Spec op_spec = {"webnn._core.OpMethod", sizeof(OpMethod), 0,
                              Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE |
                                  Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_VECTORCALL |
                                  Py_TPFLAGS_METHOD_DESCRIPTOR,
                              op_slots};

int wpy_opmethod_init(PyObject *module, State *state) {
  state->op_method = wpy_add_type(module, &op_spec, NULL);
  return state->op_method == NULL ? -1 : 0;
}

static PyObject *op_new(State *state, const webnn_op *op) {
  OpMethod *method = wpy_object_new(state, state->op_method);
  if (method == NULL) return NULL;
  method->vectorcall = op_call;
  method->op = op;
  for (size_t i = 0; i < WEBNN_MAX_FIELDS; i++) {
    const webnn_field *field = webnn_op_field(op, i);
    if (field == NULL) break;
    method->names[i] = PyUnicode_InternFromString(field->name);
    method->n_fields = i + 1;
    method->n_required += field->required;
    if (method->names[i] == NULL) {
      Py_DECREF(method);
      return NULL;
    }
  }
  return (PyObject *)method;
}

int wpy_opmethods_add(State *state, PyTypeObject *type) {
  for (const webnn_op *op = NULL; (op = webnn_op_next(op)) != NULL;) {
    PyObject *method = op_new(state, op);
    int failed =
        method == NULL || PyObject_SetAttrString((PyObject *)type, webnn_op_name(op), method) < 0;
    Py_XDECREF(method);
    if (failed) return -1;
  }
  return 0;
}
