/* webnn._core: what the module holds, and what all its objects have in common. */
#include "state.h"

/* ---- objects */

PyMemberDef wpy_object_members[] = {
    {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(Object, weakrefs), Py_READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};

void *wpy_object_new(State *state, PyTypeObject *type) {
  Object *self = (Object *)PyType_GenericAlloc(type, 0);
  if (self != NULL) self->state = state;
  return self;
}

void wpy_object_ending(PyObject *self) {
  PyObject_GC_UnTrack(self);
  if (((Object *)self)->weakrefs != NULL) PyObject_ClearWeakRefs(self);
}

void wpy_object_free(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

PyTypeObject *wpy_add_type(PyObject *module, PyType_Spec *spec, PyObject *base) {
  PyObject *bases = base == NULL ? NULL : PyTuple_Pack(1, base);
  if (base != NULL && bases == NULL) return NULL;
  PyObject *type = PyType_FromModuleAndSpec(module, spec, bases);
  Py_XDECREF(bases);
  if (type != NULL && PyModule_AddType(module, (PyTypeObject *)type) < 0) Py_CLEAR(type);
  return (PyTypeObject *)type;
}

State *wpy_state_of(PyTypeObject *type) {
  for (; type != NULL; type = PyType_GetSlot(type, Py_tp_base)) {
    if (!(PyType_GetFlags(type) & Py_TPFLAGS_HEAPTYPE)) continue;
    PyObject *module = PyType_GetModule(type);
    if (module == NULL)
      PyErr_Clear();
    else if (PyModule_GetDef(module) == &wpy_module)
      return PyModule_GetState(module);
  }
  return NULL;
}

/* ---- the module */

static int module_exec(PyObject *module) {
  State *state = PyModule_GetState(module);
  if (PyModule_AddStringConstant(module, "__version__", webnn_version()) < 0) return -1;
  state->queue = wpy_queue_new();
  if (state->queue == NULL) return PyErr_NoMemory(), -1;
  state->max_version = PyUnicode_InternFromString("max_version");
  state->dlpack_version = Py_BuildValue("(ii)", 1, 0);
  if (state->max_version == NULL || state->dlpack_version == NULL) return -1;
  int (*const parts[])(PyObject *, State *) = {
      wpy_errors_init, wpy_records_init, wpy_memory_init,  wpy_future_init,   wpy_context_init,
      wpy_tensor_init, wpy_graph_init,   wpy_operand_init, wpy_opmethod_init, wpy_builder_init};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (parts[i](module, state) < 0) return -1;
  return 0;
}

/* All references that the state holds: visit goes through them, clear drops them. */
/* clang-format off */
#define STATE_OBJECTS(X)                                                                     \
  X(ml) X(context) X(tensor) X(builder) X(operand) X(graph) X(future) X(op_method) X(memory) \
  X(descriptor) X(lost_info)                                                                 \
  X(error) X(invalid_state) X(not_supported) X(operation) X(unknown)                         \
  X(as_array) X(await) X(max_version) X(dlpack_version)
/* clang-format on */

static int module_traverse(PyObject *module, visitproc visit, void *arg) {
  State *state = PyModule_GetState(module);
#define VISIT(name) Py_VISIT(state->name);
  STATE_OBJECTS(VISIT)
#undef VISIT
  return 0;
}

static int module_clear(PyObject *module) {
  State *state = PyModule_GetState(module);
#define CLEAR(name) Py_CLEAR(state->name);
  STATE_OBJECTS(CLEAR)
#undef CLEAR
  return 0;
}

static void module_free(void *module) {
  State *state = PyModule_GetState(module);
  if (state == NULL) return;
  module_clear(module);
  wpy_queue_release(state->queue);
  state->queue = NULL;
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, (void *)module_exec},
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
#if PY_VERSION_HEX >= 0x030D0000
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL}};

PyModuleDef wpy_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "webnn._core",
    .m_doc = "The native part of webnn.",
    .m_size = sizeof(State),
    .m_methods = wpy_module_methods,
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&wpy_module); }
