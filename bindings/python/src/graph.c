/* webnn.Graph: a compiled graph, its inputs and outputs by name. */
#include "state.h"

static int fill_ports(Graph *self) {
  for (size_t i = 0; i < self->n_inputs + self->n_outputs; i++) {
    Port *port = &self->ports[i];
    webnn_str name = i < self->n_inputs
                         ? webnn_graph_input(self->native, i, &port->descriptor)
                         : webnn_graph_output(self->native, i - self->n_inputs, &port->descriptor);
    port->name = wpy_str_object(name);
    if (port->name == NULL) return -1;
    PyUnicode_InternInPlace(&port->name); /* so are the keys of most dicts: found by identity */
  }
  return 0;
}

PyObject *wpy_graph_new(State *state, PyObject *context, webnn_graph *native,
                        PyObject *definition) {
  Graph *self = wpy_object_new(state, state->graph);
  if (self == NULL) {
    webnn_graph_release(native);
    return NULL;
  }
  self->native = native;
  self->context = Py_NewRef(context);
  self->definition = Py_XNewRef(definition);
  size_t n_inputs = webnn_graph_n_inputs(native), n_outputs = webnn_graph_n_outputs(native);
  self->ports = PyMem_Calloc(n_inputs + n_outputs + 1, sizeof *self->ports);
  if (self->ports == NULL)
    PyErr_NoMemory();
  else {
    self->n_inputs = n_inputs;
    self->n_outputs = n_outputs;
  }
  if (self->ports == NULL || fill_ports(self) < 0) Py_CLEAR(self);
  return (PyObject *)self;
}

static PyObject *descriptors(const Graph *self, size_t begin, size_t end) {
  PyObject *all = PyDict_New();
  for (size_t i = begin; all != NULL && i < end; i++) {
    PyObject *one = wpy_descriptor_object(self->state, &self->ports[i].descriptor);
    if (one == NULL || PyDict_SetItem(all, self->ports[i].name, one) < 0) Py_CLEAR(all);
    Py_XDECREF(one);
  }
  return all;
}

static PyObject *graph_inputs(PyObject *object, void *unused) {
  Graph *self = (Graph *)object;
  (void)unused;
  return descriptors(self, 0, self->n_inputs);
}

static PyObject *graph_outputs(PyObject *object, void *unused) {
  Graph *self = (Graph *)object;
  (void)unused;
  return descriptors(self, self->n_inputs, self->n_inputs + self->n_outputs);
}

static PyObject *graph_memory(PyObject *self, void *unused) {
  webnn_graph_memory memory = WEBNN_GRAPH_MEMORY_INIT;
  (void)unused;
  webnn_graph_get_memory(((Graph *)self)->native, &memory);
  return Py_BuildValue("{sKsKsK}", "weights", (unsigned long long)memory.weights, "arena",
                       (unsigned long long)memory.arena, "scratch",
                       (unsigned long long)memory.scratch);
}

static PyObject *graph_context(PyObject *self, void *unused) {
  (void)unused;
  return Py_NewRef(((Graph *)self)->context);
}

static PyObject *graph_definition(PyObject *self, void *unused) {
  PyObject *definition = ((Graph *)self)->definition;
  (void)unused;
  return Py_NewRef(definition == NULL ? Py_None : definition);
}

/* For notebooks: the drawing of a graph that kept its definition, None (the repr, then) of another.
 */
static PyObject *graph_repr_html(PyObject *self, PyObject *unused) {
  (void)unused;
  if (((Graph *)self)->definition == NULL) Py_RETURN_NONE;
  PyObject *viz = PyImport_ImportModule("webnn.viz");
  PyObject *drawing = viz == NULL ? NULL : PyObject_CallMethod(viz, "draw", "O", self);
  PyObject *html = drawing == NULL ? NULL : PyObject_CallMethod(drawing, "_repr_html_", NULL);
  Py_XDECREF(viz);
  Py_XDECREF(drawing);
  return html;
}

static PyObject *graph_explain(PyObject *self, PyObject *unused) {
  (void)unused;
  PyObject *viz = PyImport_ImportModule("webnn.viz");
  PyObject *explanation = viz == NULL ? NULL : PyObject_CallMethod(viz, "explain", "O", self);
  Py_XDECREF(viz);
  return explanation;
}

static PyObject *graph_destroy(PyObject *self, PyObject *unused) {
  (void)unused;
  Py_BEGIN_ALLOW_THREADS webnn_graph_destroy(((Graph *)self)->native);
  Py_END_ALLOW_THREADS Py_RETURN_NONE;
}

static PyObject *graph_enter(PyObject *self, PyObject *unused) {
  (void)unused;
  return Py_NewRef(self);
}

static PyObject *graph_exit(PyObject *self, PyObject *const *args, Py_ssize_t n_args) {
  (void)args, (void)n_args;
  return graph_destroy(self, NULL);
}

/* "x: float32[1, 3], y: int8[]" */
static PyObject *ports_text(const Graph *self, size_t begin, size_t end) {
  PyObject *text = PyUnicode_FromString("");
  for (size_t i = begin; text != NULL && i < end; i++) {
    PyObject *what = wpy_descriptor_text(&self->ports[i].descriptor);
    PyObject *more = what == NULL ? NULL
                                  : PyUnicode_FromFormat("%U%s%U: %U", text, i > begin ? ", " : "",
                                                         self->ports[i].name, what);
    Py_XDECREF(what);
    Py_DECREF(text);
    text = more;
  }
  return text;
}

static PyObject *graph_repr(PyObject *object) {
  Graph *self = (Graph *)object;
  PyObject *inputs = ports_text(self, 0, self->n_inputs);
  PyObject *outputs = ports_text(self, self->n_inputs, self->n_inputs + self->n_outputs);
  PyObject *text =
      inputs == NULL || outputs == NULL
          ? NULL
          : PyUnicode_FromFormat("<webnn.Graph (%U) -> (%U)%s>", inputs, outputs,
                                 webnn_graph_is_destroyed(self->native) ? " destroyed" : "");
  Py_XDECREF(inputs);
  Py_XDECREF(outputs);
  return text;
}

static int graph_traverse(PyObject *object, visitproc visit, void *arg) {
  Graph *self = (Graph *)object;
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->context);
  Py_VISIT(self->definition);
  return 0;
}

static int graph_clear(PyObject *self) {
  Py_CLEAR(((Graph *)self)->definition);
  return 0;
}

static void graph_dealloc(PyObject *object) {
  Graph *self = (Graph *)object;
  wpy_object_ending(object);
  PyThreadState *paused = wpy_pause();
  webnn_graph_release(self->native);
  wpy_resume(paused);
  for (size_t i = 0; i < self->n_inputs + self->n_outputs; i++) Py_XDECREF(self->ports[i].name);
  PyMem_Free(self->ports);
  graph_clear(object);
  Py_XDECREF(self->context);
  wpy_object_free(object);
}

static PyGetSetDef graph_getset[] = {
    {"inputs", graph_inputs, NULL, "Descriptors by name; only inputs that the outputs need.", NULL},
    {"outputs", graph_outputs, NULL, "Descriptors by name.", NULL},
    {"memory", graph_memory, NULL, "Bytes kept for weights, arena and scratch.", NULL},
    {"steps", wpy_graph_steps, NULL,
     "What runs, in order: a list of dicts with operations, kernel, shapes, layout, declined, reason,\n"
     "label, threads, bytes, flops, launches.",
     NULL},
    {"context", graph_context, NULL, "Where it can run.", NULL},
    {"_definition", graph_definition, NULL,
     "The bytes of a graph file of a build with keep_definition, else None.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef graph_methods[] = {
    {"destroy", graph_destroy, METH_NOARGS,
     "destroy($self)\n--\n\nNo more runs; those that are queued still end. Spec: MLGraph.destroy."},
    {"profile", WPY_FAST(wpy_graph_profile), METH_FASTCALL | METH_KEYWORDS,
     "profile($self, inputs, runs=10)\n--\n\nRuns the graph and says of each step, in running "
     "order, what it does and how "
     "long it\ntakes: a list of dicts as in steps, with seconds (of a run), share (of all steps),\n"
     "flops_per_second, of_peak (of what Context.measure_peaks finds: products or memory, whichever is\n"
     "more)."},
    {"explain", graph_explain, METH_NOARGS,
     "explain($self)\n--\n\nWhat became of the operations: fused into which steps, left to which kernel "
     "and why. Prints as\na text, and as a table in notebooks; see webnn.viz.explain."},
    {"_repr_html_", graph_repr_html, METH_NOARGS,
     "_repr_html_($self)\n--\n\nThe picture that a notebook shows, where the definition was kept."},
    {"__enter__", graph_enter, METH_NOARGS, "__enter__($self)\n--\n\nThe graph itself."},
    {"__exit__", WPY_FAST(graph_exit), METH_FASTCALL, "__exit__($self, *args)\n--\n\nDestroys it."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot graph_slots[] = {
    {Py_tp_doc, "A compiled graph. Made by GraphBuilder.build. Spec: MLGraph."},
    {Py_tp_dealloc, graph_dealloc},
    {Py_tp_traverse, graph_traverse},
    {Py_tp_clear, graph_clear},
    {Py_tp_repr, graph_repr},
    {Py_tp_methods, graph_methods},
    {Py_tp_getset, graph_getset},
    {Py_tp_members, wpy_object_members},
    {0, NULL}};
static PyType_Spec graph_spec = {"webnn.Graph", sizeof(Graph), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                                     Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                 graph_slots};

int wpy_graph_init(PyObject *module, State *state) {
  state->graph = wpy_add_type(module, &graph_spec, NULL);
  return state->graph == NULL ? -1 : 0;
}
