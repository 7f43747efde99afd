/* webnn.Operand: a value of a graph under construction, and Python's operators on it. */
#include "state.h"

PyObject *wpy_operand_new(Builder *builder, const webnn_operand *native) {
  Operand *self = wpy_object_new(builder->state, builder->state->operand);
  if (self == NULL) return NULL;
  self->native = native;
  self->builder = Py_NewRef((PyObject *)builder);
  return (PyObject *)self;
}

static void operand_dealloc(PyObject *object) {
  wpy_object_ending(object);
  Py_XDECREF(((Operand *)object)->builder);
  wpy_object_free(object);
}

static int operand_traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(((Operand *)self)->builder);
  return 0;
}

/* ---- attributes */

static PyObject *operand_shape(PyObject *self, void *unused) {
  (void)unused;
  webnn_descriptor descriptor = webnn_operand_descriptor(((Operand *)self)->native);
  return wpy_shape_object(&descriptor);
}

static PyObject *operand_data_type(PyObject *self, void *unused) {
  (void)unused;
  return wpy_type_object(webnn_operand_descriptor(((Operand *)self)->native).data_type);
}

static PyObject *operand_label(PyObject *self, void *unused) {
  (void)unused;
  return wpy_str_object(webnn_operand_label(((Operand *)self)->native));
}

static PyObject *operand_builder(PyObject *self, void *unused) {
  (void)unused;
  return Py_NewRef(((Operand *)self)->builder);
}

static PyObject *operand_repr(PyObject *self) {
  const webnn_operand *native = ((Operand *)self)->native;
  webnn_descriptor descriptor = webnn_operand_descriptor(native);
  PyObject *what = wpy_descriptor_text(&descriptor);
  PyObject *label = wpy_str_object(webnn_operand_label(native));
  PyObject *text = NULL;
  if (what != NULL && label != NULL)
    text = PyUnicode_GetLength(label) == 0
               ? PyUnicode_FromFormat("<webnn.Operand %U>", what)
               : PyUnicode_FromFormat("<webnn.Operand %U %R>", what, label);
  Py_XDECREF(what);
  Py_XDECREF(label);
  return text;
}

/* ---- operators */

static bool is_operand(PyObject *object) {
  return PyType_GetSlot(Py_TYPE(object), Py_tp_dealloc) == (void *)operand_dealloc;
}

/* One side of an operator as an operand of the other's builder and type: itself, or a number's
 * constant. A new reference, NotImplemented for anything else. */
static PyObject *side(PyObject *object, Operand *other) {
  static const Where where = {"operator", NULL, NULL, NULL};
  webnn_number number;
  if (is_operand(object)) return Py_NewRef(object);
  if (wpy_number(&where, object, &number) == 0)
    return wpy_builder_number((Builder *)other->builder,
                              webnn_operand_descriptor(other->native).data_type, number);
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return NULL;
  PyErr_Clear();
  return Py_NewRef(Py_NotImplemented);
}

static PyObject *call(Operand *self, const webnn_op *op, PyObject *a, PyObject *b) {
  webnn_value values[2] = {{.kind = WEBNN_FIELD_OPERAND, .as.operand = ((Operand *)a)->native}};
  if (b != NULL)
    values[1] = (webnn_value){.kind = WEBNN_FIELD_OPERAND, .as.operand = ((Operand *)b)->native};
  return wpy_builder_call((Builder *)self->builder, op, values, b == NULL ? 1 : 2, 1);
}

/* `which` picks the row: the state is known only once an operand is found. */
static PyObject *binary(PyObject *left, PyObject *right, size_t which) {
  Operand *self = (Operand *)(is_operand(left) ? left : right);
  const webnn_op *op = *(const webnn_op *const *)((const char *)self->state + which);
  PyObject *a = side(left, self), *result = NULL;
  PyObject *b = a == NULL || a == Py_NotImplemented ? NULL : side(right, self);
  if (a == Py_NotImplemented || b == Py_NotImplemented)
    result = Py_NewRef(Py_NotImplemented);
  else if (a != NULL && b != NULL)
    result = call(self, op, a, b);
  Py_XDECREF(a);
  Py_XDECREF(b);
  return result;
}

static PyObject *operand_add(PyObject *a, PyObject *b) {
  return binary(a, b, offsetof(State, add));
}
static PyObject *operand_sub(PyObject *a, PyObject *b) {
  return binary(a, b, offsetof(State, sub));
}
static PyObject *operand_mul(PyObject *a, PyObject *b) {
  return binary(a, b, offsetof(State, mul));
}
static PyObject *operand_div(PyObject *a, PyObject *b) {
  return binary(a, b, offsetof(State, div));
}
static PyObject *operand_matmul(PyObject *a, PyObject *b) {
  return binary(a, b, offsetof(State, matmul));
}
static PyObject *operand_pow(PyObject *a, PyObject *b, PyObject *modulus) {
  if (modulus != Py_None) return Py_NewRef(Py_NotImplemented);
  return binary(a, b, offsetof(State, pow));
}
static PyObject *operand_neg(PyObject *a) {
  return call((Operand *)a, ((Operand *)a)->state->neg, a, NULL);
}
static PyObject *operand_abs(PyObject *a) {
  return call((Operand *)a, ((Operand *)a)->state->abs, a, NULL);
}
static PyObject *operand_pos(PyObject *a) { return Py_NewRef(a); }

/* ---- the type */

static PyGetSetDef operand_getset[] = {
    {"shape", operand_shape, NULL, "A list of dimensions. Spec: MLOperand.shape.", NULL},
    {"data_type", operand_data_type, NULL, "The element type's name. Spec: MLOperand.dataType.",
     NULL},
    {"label", operand_label, NULL, "An input's name, an operation's label.", NULL},
    {"builder", operand_builder, NULL, "Whose operand it is.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot operand_slots[] = {
    {Py_tp_doc, "A value of a graph under construction. Made by a GraphBuilder. Spec: MLOperand."},
    {Py_tp_dealloc, operand_dealloc},
    {Py_tp_traverse, operand_traverse},
    {Py_tp_repr, operand_repr},
    {Py_tp_getset, operand_getset},
    {Py_tp_members, wpy_object_members},
    {Py_nb_add, operand_add},
    {Py_nb_subtract, operand_sub},
    {Py_nb_multiply, operand_mul},
    {Py_nb_true_divide, operand_div},
    {Py_nb_matrix_multiply, operand_matmul},
    {Py_nb_power, operand_pow},
    {Py_nb_negative, operand_neg},
    {Py_nb_absolute, operand_abs},
    {Py_nb_positive, operand_pos},
    {0, NULL}};
static PyType_Spec operand_spec = {
    "webnn.Operand", sizeof(Operand), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, operand_slots};

int wpy_operand_init(PyObject *module, State *state) {
  state->add = webnn_op_find("add");
  state->sub = webnn_op_find("sub");
  state->mul = webnn_op_find("mul");
  state->div = webnn_op_find("div");
  state->pow = webnn_op_find("pow");
  state->matmul = webnn_op_find("matmul");
  state->neg = webnn_op_find("neg");
  state->abs = webnn_op_find("abs");
  state->operand = wpy_add_type(module, &operand_spec, NULL);
  /* NumPy's own operators then leave the work to ours. */
  if (state->operand == NULL ||
      PyObject_SetAttrString((PyObject *)state->operand, "__array_ufunc__", Py_None) < 0)
    return -1;
  return wpy_freeze_type(state->operand);
}
