/* Failures: the exception classes, statuses turned into them, and what a wrong argument is told. */
#include "state.h"

#include <stdarg.h>
#include <string.h>

static PyObject *exception_new(PyObject *module, const char *name, PyObject *base,
                               const char *doc) {
  PyObject *type = PyErr_NewExceptionWithDoc(name, doc, base, NULL);
  if (type != NULL && PyModule_AddObjectRef(module, strchr(name, '.') + 1, type) < 0)
    Py_CLEAR(type);
  return type;
}

int wpy_errors_init(PyObject *module, State *state) {
  state->error =
      exception_new(module, "webnn.Error", NULL, "What the specification calls a DOMException.");
  if (state->error == NULL) return -1;
  state->invalid_state =
      exception_new(module, "webnn.InvalidStateError", state->error,
                    "The object is destroyed, built, exported, or its context is lost.");
  state->not_supported = exception_new(module, "webnn.NotSupportedError", state->error,
                                       "This build or this device cannot do what was asked.");
  state->operation = exception_new(module, "webnn.OperationError", state->error,
                                   "The graph could not be compiled.");
  state->unknown = exception_new(module, "webnn.UnknownError", state->error,
                                 "Something failed below: no memory, no thread, the device.");
  return state->invalid_state == NULL || state->not_supported == NULL || state->operation == NULL ||
                 state->unknown == NULL
             ? -1
             : 0;
}

static PyObject *class_of(const State *state, webnn_status status) {
  switch (status) {
    case WEBNN_ERROR_TYPE: return PyExc_TypeError;
    case WEBNN_ERROR_INVALID_STATE: return state->invalid_state;
    case WEBNN_ERROR_NOT_SUPPORTED: return state->not_supported;
    case WEBNN_ERROR_OPERATION: return state->operation;
    case WEBNN_TIMEOUT: return PyExc_TimeoutError;
    default: return state->unknown;
  }
}

PyObject *wpy_error_new(const State *state, const webnn_error *error) {
  PyObject *text =
      PyUnicode_DecodeUTF8(error->message, (Py_ssize_t)strlen(error->message), "replace");
  if (text == NULL) return NULL;
  PyObject *exception = PyObject_CallFunctionObjArgs(class_of(state, error->status), text, NULL);
  Py_DECREF(text);
  return exception;
}

PyObject *wpy_raise(const State *state, const webnn_error *error) {
  PyObject *exception = wpy_error_new(state, error);
  if (exception == NULL) return NULL;
  PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
  Py_DECREF(exception);
  return NULL;
}

#define MOST_QUOTED 300

PyObject *wpy_quoted(PyObject *text) {
  PyObject *exact = PyUnicode_FromObject(text), *quoted = NULL;
  if (exact == NULL) return NULL;
  Py_ssize_t all = PyUnicode_GetLength(exact), n = all < MOST_QUOTED ? all : MOST_QUOTED;
  for (;; n /= 2) { /* what is escaped takes more room */
    PyObject *part = PyUnicode_Substring(exact, 0, n);
    quoted = part == NULL ? NULL : PyObject_Repr(part);
    Py_XDECREF(part);
    if (quoted == NULL || PyUnicode_GetLength(quoted) <= MOST_QUOTED + 2) break;
    Py_DECREF(quoted);
  }
  if (quoted != NULL && n < all) {
    PyObject *bare = PyUnicode_Substring(quoted, 0, PyUnicode_GetLength(quoted) - 1);
    Py_DECREF(quoted);
    quoted = bare == NULL ? NULL
                          : PyUnicode_FromFormat("%U...%c", bare, (int)PyUnicode_ReadChar(bare, 0));
    Py_XDECREF(bare);
  }
  Py_DECREF(exact);
  return quoted;
}

/* "[label] ", "" for none. */
static PyObject *label_prefix(PyObject *label) {
  if (label == NULL || !PyUnicode_Check(label) || PyUnicode_GetLength(label) == 0)
    return PyUnicode_FromString("");
  PyObject *quoted = wpy_quoted(label);
  if (quoted == NULL) return NULL;
  PyObject *bare = PyUnicode_Substring(quoted, 1, PyUnicode_GetLength(quoted) - 1);
  Py_DECREF(quoted);
  if (bare == NULL) return NULL;
  PyObject *prefix = PyUnicode_FromFormat("[%U] ", bare);
  Py_DECREF(bare);
  return prefix;
}

/* "argument ", "argument['key'] ", "" for the call as a whole. */
static PyObject *argument_text(const Where *where) {
  if (where->argument == NULL) return PyUnicode_FromString("");
  if (where->key == NULL) return PyUnicode_FromFormat("%s ", where->argument);
  PyObject *key = wpy_quoted(where->key);
  PyObject *text = key == NULL ? NULL : PyUnicode_FromFormat("%s[%U] ", where->argument, key);
  Py_XDECREF(key);
  return text;
}

static void raise_about(const Where *where, PyObject *text) {
  PyObject *prefix = label_prefix(where->label);
  PyObject *argument = prefix == NULL ? NULL : argument_text(where);
  if (argument != NULL)
    PyErr_Format(PyExc_TypeError, "%U%s: %U%U", prefix, where->function, argument, text);
  Py_XDECREF(argument);
  Py_XDECREF(prefix);
}

int wpy_argument_error(const Where *where, const char *format, ...) {
  va_list args;
  va_start(args, format);
  PyObject *text = PyUnicode_FromFormatV(format, args);
  va_end(args);
  if (text != NULL) raise_about(where, text);
  Py_XDECREF(text);
  return -1;
}

int wpy_wrong_type(const Where *where, const char *wanted, PyObject *object) {
  PyObject *name = PyObject_GetAttrString((PyObject *)Py_TYPE(object), "__name__");
  if (name == NULL) return -1;
  PyObject *quoted =
      PyUnicode_Check(name) ? wpy_quoted(name) : PyUnicode_FromString("what has no name");
  if (quoted != NULL) wpy_argument_error(where, "must be %s, not %U", wanted, quoted);
  Py_XDECREF(quoted);
  Py_DECREF(name);
  return -1;
}

void wpy_unexpected_keyword(const char *function, PyObject *name) {
  PyObject *quoted = wpy_quoted(name);
  if (quoted != NULL)
    PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument %U", function, quoted);
  Py_XDECREF(quoted);
}

int wpy_argument_restated(const Where *where) {
  if (!PyErr_ExceptionMatches(PyExc_BufferError) && !PyErr_ExceptionMatches(PyExc_ValueError) &&
      !PyErr_ExceptionMatches(PyExc_OverflowError))
    return -1;
  PyObject *cause = wpy_take_exception();
  PyObject *text = PyUnicode_FromFormat("is refused: %S", cause);
  if (text != NULL) raise_about(where, text);
  Py_XDECREF(text);
  PyObject *raised = wpy_take_exception();
  if (raised != NULL)
    PyException_SetCause(raised, cause);
  else
    Py_DECREF(cause);
  wpy_put_exception(raised);
  return -1;
}
