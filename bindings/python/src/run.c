/* Context.dispatch and Context.compute: dicts to arrays of names, and off. compute is the fast
 * path: all on the stack, no object made, names borrowed from the keys. */
#include "state.h"

/* ---- names */

/* How many entries fit on the stack. */
#define FEW 16

static Graph *as_graph(const State *state, const char *function, PyObject *object) {
  Where where = {function, "graph", NULL, NULL};
  if (Py_TYPE(object) == state->graph) return (Graph *)object;
  wpy_argument_error(&where, "must be a webnn.Graph");
  return NULL;
}

static int check_dict(const char *function, const char *argument, PyObject *object) {
  Where where = {function, argument, NULL, NULL};
  if (PyDict_Check(object)) return 0;
  return wpy_argument_error(&where, "must be a dict by name");
}

/* A key of the dict that is this argument. */
static int read_name(const char *function, const char *argument, PyObject *key, webnn_str *out) {
  Where where = {function, argument[0] == 'i' ? "a name in inputs" : "a name in outputs", NULL, NULL};
  return wpy_name(&where, key, out);
}

/* ---- dispatch */

typedef struct Bound {
  PyObject *name, *tensor; /* held: other threads may change the dict */
} Bound;

static int bind_tensors(const State *state, const char *argument, PyObject *dict,
                        webnn_named_tensor *out, Bound *bound) {
  PyObject *name, *tensor;
  size_t n = 0;
  for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &name, &tensor); n++) {
    if (read_name("dispatch", argument, name, &out[n].name) < 0) return -1;
    Where where = {"dispatch", argument, NULL, name};
    if (Py_TYPE(tensor) != state->tensor) return wpy_wrong_type(&where, "a webnn.Tensor", tensor);
    out[n].tensor = ((Tensor *)tensor)->native;
    bound[n] = (Bound){Py_NewRef(name), Py_NewRef(tensor)};
  }
  return 0;
}

static int dispatch(Context *self, Graph *graph, PyObject *inputs, PyObject *outputs) {
  size_t n_inputs = (size_t)PyDict_Size(inputs), n_outputs = (size_t)PyDict_Size(outputs);
  size_t n = n_inputs + n_outputs;
  webnn_named_tensor few[FEW], *named = few;
  Bound few_bound[FEW] = {{NULL, NULL}}, *bound = few_bound;
  webnn_error error;
  webnn_status status = WEBNN_ERROR_UNKNOWN;
  bool bound_all = false;
  if (n > FEW) {
    named = PyMem_Calloc(n, sizeof *named);
    bound = PyMem_Calloc(n, sizeof *bound);
  }
  if (named == NULL || bound == NULL) {
    PyErr_NoMemory();
  } else if (bind_tensors(self->state, "inputs", inputs, named, bound) == 0 &&
             bind_tensors(self->state, "outputs", outputs, named + n_inputs, bound + n_inputs) ==
                 0) {
    bound_all = true;
    Py_BEGIN_ALLOW_THREADS status = webnn_graph_dispatch(
        self->native, graph->native, named, n_inputs, named + n_inputs, n_outputs, &error);
    Py_END_ALLOW_THREADS if (status != WEBNN_OK) wpy_raise(self->state, &error);
  }
  for (size_t i = 0; bound != NULL && i < n; i++) {
    Py_XDECREF(bound[i].name);
    Py_XDECREF(bound[i].tensor);
  }
  if (named != few) PyMem_Free(named);
  if (bound != few_bound) PyMem_Free(bound);
  return bound_all && status == WEBNN_OK ? 0 : -1;
}

PyObject *wpy_context_dispatch(PyObject *object, PyObject *const *args, Py_ssize_t n_args,
                               PyObject *names) {
  static const char *const keywords[] = {"graph", "inputs", "outputs", NULL};
  static const Params params = {"dispatch", keywords, 3, 3};
  Context *self = (Context *)object;
  PyObject *given[3];
  if (wpy_parse(&params, args, n_args, names, given) < 0) return NULL;
  Graph *graph = as_graph(self->state, params.function, given[0]);
  if (graph == NULL || check_dict(params.function, "inputs", given[1]) < 0 ||
      check_dict(params.function, "outputs", given[2]) < 0 ||
      dispatch(self, graph, given[1], given[2]) < 0)
    return NULL;
  Py_RETURN_NONE;
}

/* ---- compute */

/* One array lent for the time of the call. */
typedef struct Lent {
  Data data;
  PyObject *name; /* held; NULL: an output of ours, whose name the graph keeps */
} Lent;

typedef struct Loans {
  webnn_named_data few_named[FEW], *named;
  Lent few_lent[FEW], *lent;
  size_t n;
} Loans;

static int loans_begin(Loans *loans, size_t n) {
  loans->n = 0;
  loans->named = loans->few_named;
  loans->lent = loans->few_lent;
  if (n <= FEW) return 0;
  loans->named = PyMem_Malloc(n * sizeof *loans->named);
  loans->lent = PyMem_Malloc(n * sizeof *loans->lent);
  if (loans->named != NULL && loans->lent != NULL) return 0;
  PyErr_NoMemory();
  return -1;
}

static void loans_end(Loans *loans) {
  for (size_t i = 0; i < loans->n; i++) {
    if (loans->lent[i].name == NULL) continue;
    Py_DECREF(loans->lent[i].name);
    wpy_data_release(&loans->lent[i].data);
  }
  if (loans->named != loans->few_named) PyMem_Free(loans->named);
  if (loans->lent != loans->few_lent) PyMem_Free(loans->lent);
}

/* The port of that name; NULL when there is none, or with an exception. */
static const Port *find_port(const Port *ports, size_t n, PyObject *name) {
  for (size_t i = 0; i < n; i++)
    if (ports[i].name == name) return &ports[i];
  for (size_t i = 0; i < n; i++) {
    int equal = PyUnicode_Check(name) ? PyObject_RichCompareBool(ports[i].name, name, Py_EQ) : 0;
    if (equal != 0) return equal < 0 ? NULL : &ports[i];
  }
  return NULL;
}

/* Borrows one array. An unknown name goes through: the core tells what is wrong with it. */
static int lend(const State *state, const char *argument, const Port *ports, size_t n_ports,
                PyObject *name, PyObject *array, bool writable, Loans *loans) {
  Where where = {"compute", argument, NULL, name};
  Lent *lent = &loans->lent[loans->n];
  webnn_named_data *named = &loans->named[loans->n];
  const Port *port = find_port(ports, n_ports, name);
  if ((port == NULL && PyErr_Occurred()) || read_name("compute", argument, name, &named->name) < 0 ||
      wpy_data_get(state, &where, array, writable, &lent->data) < 0)
    return -1;
  lent->name = Py_NewRef(name);
  named->data = lent->data.bytes;
  named->n_bytes = lent->data.n_bytes;
  loans->n++;
  return port == NULL ? 0 : wpy_data_check(&where, &lent->data, port->descriptor.data_type);
}

static int lend_all(const State *state, const char *argument, const Port *ports, size_t n_ports,
                    PyObject *dict, size_t n, bool writable, Loans *loans) {
  PyObject *name, *array;
  Py_ssize_t at = 0;
  int failed = 0;
  for (size_t i = 0; failed == 0 && i < n && PyDict_Next(dict, &at, &name, &array); i++) {
    Py_INCREF(name); /* both are the dict's, and looking at them may run code that empties it */
    Py_INCREF(array);
    failed = lend(state, argument, ports, n_ports, name, array, writable, loans);
    Py_DECREF(name);
    Py_DECREF(array);
  }
  return failed;
}

/* Arrays of ours for all outputs: a new dict. */
static PyObject *make_outputs(Context *self, const Graph *graph, Loans *loans) {
  PyObject *dict = PyDict_New();
  for (size_t i = 0; dict != NULL && i < graph->n_outputs; i++) {
    const Port *port = &graph->ports[graph->n_inputs + i];
    webnn_named_data *named = &loans->named[loans->n];
    Where where = {"compute", "outputs", NULL, NULL};
    PyObject *array = wpy_array_new(self->state, &port->descriptor, NULL, &named->data);
    if (array == NULL || PyDict_SetItem(dict, port->name, array) < 0 ||
        wpy_name(&where, port->name, &named->name) < 0)
      Py_CLEAR(dict);
    Py_XDECREF(array);
    named->n_bytes = wpy_descriptor_bytes(&port->descriptor);
    loans->lent[loans->n++].name = NULL;
  }
  return dict;
}

/* What a profile adds to a compute. */
typedef struct Timing {
  size_t n_runs, n_steps;
  double *seconds;
  webnn_peaks peaks;
} Timing;

static webnn_status run_native(Context *self, Graph *graph, const Loans *loans, size_t n_inputs,
                               const Timing *timing, webnn_error *error) {
  const webnn_named_data *inputs = loans->named, *outputs = loans->named + n_inputs;
  size_t n_outputs = loans->n - n_inputs;
  webnn_status status = WEBNN_OK;
  if (timing == NULL)
    return webnn_graph_compute(self->native, graph->native, inputs, n_inputs, outputs, n_outputs,
                               error);
  for (size_t i = 0; i < timing->n_runs && status == WEBNN_OK; i++)
    status = webnn_graph_profile(self->native, graph->native, inputs, n_inputs, outputs, n_outputs,
                                 timing->seconds, timing->n_steps, error);
  return status;
}

static PyObject *compute(Context *self, Graph *graph, PyObject *inputs, PyObject *outputs,
                         const Timing *timing) {
  size_t n_inputs = (size_t)PyDict_Size(inputs);
  size_t n_outputs = outputs == NULL ? graph->n_outputs : (size_t)PyDict_Size(outputs);
  const Port *ports = graph->ports;
  webnn_error error;
  webnn_status status;
  PyObject *result = NULL;
  Loans loans;
  if (loans_begin(&loans, n_inputs + n_outputs) < 0 ||
      lend_all(self->state, "inputs", ports, graph->n_inputs, inputs, n_inputs, false, &loans) < 0)
    goto done;
  n_inputs = loans.n;
  if (outputs == NULL)
    result = make_outputs(self, graph, &loans);
  else if (lend_all(self->state, "outputs", ports + graph->n_inputs, graph->n_outputs, outputs,
                    n_outputs, true, &loans) == 0)
    result = Py_NewRef(outputs);
  if (result == NULL) goto done;
  Py_BEGIN_ALLOW_THREADS status = run_native(self, graph, &loans, n_inputs, timing, &error);
  Py_END_ALLOW_THREADS if (status != WEBNN_OK) {
    Py_CLEAR(result);
    wpy_raise(self->state, &error);
  }
done:
  loans_end(&loans);
  return result;
}

PyObject *wpy_context_compute(PyObject *object, PyObject *const *args, Py_ssize_t n_args,
                              PyObject *names) {
  static const char *const keywords[] = {"graph", "inputs", "outputs", NULL};
  static const Params params = {"compute", keywords, 3, 2};
  Context *self = (Context *)object;
  PyObject *given[3];
  if (wpy_parse(&params, args, n_args, names, given) < 0) return NULL;
  Graph *graph = as_graph(self->state, params.function, given[0]);
  PyObject *outputs = wpy_absent(given[2]) ? NULL : given[2];
  if (graph == NULL || check_dict(params.function, "inputs", given[1]) < 0 ||
      (outputs != NULL && check_dict(params.function, "outputs", outputs) < 0))
    return NULL;
  return compute(self, graph, given[1], outputs, NULL);
}

/* ---- steps and their profile */

/* What a step does. */
static PyObject *step_dict(const webnn_graph_step *step) {
  return Py_BuildValue(
      "{sssssssssssssNsksKsKsI}", "operations", step->operations, "kernel", step->kernel, "shapes",
      step->shapes, "layout", step->layout, "declined", step->declined, "reason", step->reason, "label",
      PyUnicode_DecodeUTF8(step->label.data, (Py_ssize_t)step->label.size, "replace"), "threads",
      (unsigned long)step->n_threads, "bytes", (unsigned long long)step->n_bytes, "flops",
      (unsigned long long)step->n_flops, "launches", (unsigned)step->n_launches);
}

/* How long it takes, and what that is of the run and of the machine: of its products or of its memory, whichever is
 * more. */
static int add_times(PyObject *dict, const webnn_graph_step *step, const Timing *timing, size_t i) {
  double runs = (double)timing->n_runs, seconds = timing->seconds[i] / runs, all = 0, of_peak = 0, rate = 0;
  for (size_t k = 0; k < timing->n_steps; k++) all += timing->seconds[k] / runs;
  if (seconds > 0) {
    rate = (double)step->n_flops / seconds;
    double bytes = (double)step->n_bytes / seconds / timing->peaks.bytes;
    of_peak = rate / timing->peaks.flops > bytes ? rate / timing->peaks.flops : bytes;
  }
  PyObject *times = Py_BuildValue("{sdsdsdsd}", "seconds", seconds, "share", all > 0 ? seconds / all : 0.0,
                                  "flops_per_second", rate, "of_peak", of_peak);
  int result = times == NULL ? -1 : PyDict_Update(dict, times);
  Py_XDECREF(times);
  return result;
}

static PyObject *steps_list(const Graph *graph, const Timing *timing) {
  size_t n = webnn_graph_n_steps(graph->native);
  PyObject *list = PyList_New((Py_ssize_t)n);
  for (size_t i = 0; list != NULL && i < n; i++) {
    webnn_graph_step step = WEBNN_GRAPH_STEP_INIT;
    webnn_graph_get_step(graph->native, i, &step);
    PyObject *dict = step_dict(&step);
    if (dict != NULL && timing != NULL && add_times(dict, &step, timing, i) < 0) Py_CLEAR(dict);
    if (dict == NULL || PyList_SetItem(list, (Py_ssize_t)i, dict) < 0) Py_CLEAR(list);
  }
  return list;
}

PyObject *wpy_graph_steps(PyObject *graph, void *unused) {
  (void)unused;
  return steps_list((Graph *)graph, NULL);
}

PyObject *wpy_graph_profile(PyObject *object, PyObject *const *args, Py_ssize_t n_args,
                            PyObject *names) {
  static const char *const keywords[] = {"inputs", "runs", NULL};
  static const Params params = {"profile", keywords, 2, 1};
  Graph *graph = (Graph *)object;
  Context *context = (Context *)graph->context;
  Where where = {"profile", "runs", NULL, NULL};
  Timing timing = {.n_runs = 10, .n_steps = webnn_graph_n_steps(graph->native), .peaks = WEBNN_PEAKS_INIT};
  PyObject *given[2], *list = NULL;
  uint32_t runs = 10;
  if (wpy_parse(&params, args, n_args, names, given) < 0 ||
      check_dict(params.function, "inputs", given[0]) < 0)
    return NULL;
  if (!wpy_absent(given[1]) && wpy_uint32(&where, given[1], &runs) < 0) return NULL;
  timing.n_runs = runs == 0 ? 1 : runs;
  if (wpy_measure_peaks(context, &timing.peaks) < 0) return NULL;
  timing.seconds = PyMem_Calloc(timing.n_steps + 1, sizeof *timing.seconds);
  if (timing.seconds == NULL) return PyErr_NoMemory();
  PyObject *outputs = compute(context, graph, given[0], NULL, &timing);
  if (outputs != NULL) list = steps_list(graph, &timing);
  Py_XDECREF(outputs);
  PyMem_Free(timing.seconds);
  return list;
}
