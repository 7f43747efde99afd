/* One small parser for the arguments of everything but the operations. */
#include "state.h"

static int count(const Params *params) {
  int n = 0;
  while (params->names[n] != NULL) n++;
  return n;
}

static int take_positional(const Params *params, PyObject *const *args, Py_ssize_t n_args,
                           PyObject **out) {
  if (n_args > params->n_positional) {
    PyErr_Format(PyExc_TypeError, "%s() takes at most %d positional arguments (%zd given)",
                 params->function, params->n_positional, n_args);
    return -1;
  }
  for (Py_ssize_t i = 0; i < n_args; i++) out[i] = args[i];
  return 0;
}

static int take_keyword(const Params *params, PyObject *name, PyObject *value, PyObject **out) {
  int i = 0;
  while (params->names[i] != NULL &&
         !(PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, params->names[i]) == 0))
    i++;
  if (params->names[i] == NULL)
    wpy_unexpected_keyword(params->function, name);
  else if (out[i] != NULL)
    PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%s'", params->function,
                 params->names[i]);
  else
    out[i] = value;
  return PyErr_Occurred() ? -1 : 0;
}

static int check_required(const Params *params, PyObject **out) {
  for (int i = 0; i < params->n_required; i++)
    if (out[i] == NULL) {
      PyErr_Format(PyExc_TypeError, "%s() missing required argument '%s'", params->function,
                   params->names[i]);
      return -1;
    }
  return 0;
}

int wpy_parse(const Params *params, PyObject *const *args, Py_ssize_t n_args, PyObject *names,
              PyObject **out) {
  for (int i = 0; i < count(params); i++) out[i] = NULL;
  if (take_positional(params, args, n_args, out) < 0) return -1;
  Py_ssize_t n_names = names == NULL ? 0 : PyTuple_Size(names);
  for (Py_ssize_t i = 0; i < n_names; i++)
    if (take_keyword(params, PyTuple_GetItem(names, i), args[n_args + i], out) < 0) return -1;
  return check_required(params, out);
}

int wpy_parse_new(const Params *params, PyObject *args, PyObject *kwargs, PyObject **out) {
  PyObject *name, *value;
  Py_ssize_t n_args = PyTuple_Size(args);
  for (int i = 0; i < count(params); i++) out[i] = NULL;
  if (take_positional(params, NULL, n_args > params->n_positional ? n_args : 0, out) < 0) return -1;
  for (Py_ssize_t i = 0; i < n_args; i++) out[i] = PyTuple_GetItem(args, i);
  for (Py_ssize_t at = 0; kwargs != NULL && PyDict_Next(kwargs, &at, &name, &value);)
    if (take_keyword(params, name, value, out) < 0) return -1;
  return check_required(params, out);
}
