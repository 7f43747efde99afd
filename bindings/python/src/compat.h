/* What differs between CPython 3.10 and 3.14, and what stands outside the limited API: nothing else
 * in the extension looks at versions. */
#ifndef WPY_COMPAT_H
#define WPY_COMPAT_H

#ifndef PY_SSIZE_T_CLEAN
#define PY_SSIZE_T_CLEAN
#endif
#include <Python.h>

#if PY_VERSION_HEX < 0x030A0000
#error "webnn needs CPython 3.10 or newer"
#endif

#if PY_VERSION_HEX < 0x030C0000
#include <structmember.h>
#define Py_T_PYSSIZET T_PYSSIZET
#define Py_READONLY READONLY
#endif

/* A reader that keeps the free-threaded build's promise: one thread at a time inside an object.
 * With a GIL there is nothing to do. */
#ifdef Py_GIL_DISABLED
typedef PyCriticalSection wpy_lock;
static inline void wpy_lock_begin(wpy_lock *lock, PyObject *object) {
  PyCriticalSection_Begin(lock, object);
}
static inline void wpy_lock_end(wpy_lock *lock) { PyCriticalSection_End(lock); }
#else
typedef char wpy_lock;
static inline void wpy_lock_begin(wpy_lock *lock, PyObject *object) {
  (void)object;
  *lock = 0;
}
static inline void wpy_lock_end(wpy_lock *lock) { (void)lock; }
#endif

/* Takes the current exception, normalized and with its traceback; NULL when there is none. */
static inline PyObject *wpy_take_exception(void) {
#if PY_VERSION_HEX >= 0x030C0000
  return PyErr_GetRaisedException();
#else
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (type == NULL) return NULL;
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback != NULL) PyException_SetTraceback(value, traceback);
  Py_DECREF(type);
  Py_XDECREF(traceback);
  return value;
#endif
}

/* Makes `exception` (stolen, may be NULL) the current one again, as it was. */
static inline void wpy_put_exception(PyObject *exception) {
#if PY_VERSION_HEX >= 0x030C0000
  PyErr_SetRaisedException(exception);
#else
  if (exception == NULL) {
    PyErr_Clear();
    return;
  }
  PyObject *type = (PyObject *)Py_TYPE(exception);
  Py_INCREF(type);
  PyErr_Restore(type, exception, PyException_GetTraceback(exception));
#endif
}

/* What a weak reference refers to, a new reference; NULL, and no exception, when it is gone. */
static inline PyObject *wpy_weakref_get(PyObject *reference) {
#if PY_VERSION_HEX >= 0x030D0000
  PyObject *object = NULL;
  if (PyWeakref_GetRef(reference, &object) < 0) PyErr_Clear();
  return object;
#else
  PyObject *object = PyWeakref_GetObject(reference);
  return object == NULL || object == Py_None ? NULL : Py_NewRef(object);
#endif
}

/* From here on nothing can be added to the type, as with the built-in ones. */
static inline int wpy_freeze_type(PyTypeObject *type) {
#if PY_VERSION_HEX >= 0x030E0000
  return PyType_Freeze(type);
#elif !defined(Py_LIMITED_API)
  type->tp_flags |= Py_TPFLAGS_IMMUTABLETYPE;
  PyType_Modified(type);
  return 0;
#else
  (void)type;
  return 0;
#endif
}

/* Lets other threads run while native code gives something back; the answer is for wpy_resume. Not
 * while the interpreter ends: before 3.14 a thread that then waits for the GIL may never come back.
 */
static inline PyThreadState *wpy_pause(void) {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() ? NULL : PyEval_SaveThread();
#elif !defined(Py_LIMITED_API)
  return _Py_IsFinalizing() ? NULL : PyEval_SaveThread();
#else
  return NULL;
#endif
}

static inline void wpy_resume(PyThreadState *paused) {
  if (paused != NULL) PyEval_RestoreThread(paused);
}

#ifdef Py_LIMITED_API
PyObject *wpy_method_new(PyObject *function, PyObject *self);
#else
static inline PyObject *wpy_method_new(PyObject *function, PyObject *self) {
  return PyMethod_New(function, self);
}
#endif

#endif
