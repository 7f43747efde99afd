/* Error scopes and the handler of uncaught errors: methods and one attribute of Context. The
 * handler runs in the poller (queue.c): failures come up in any thread, also in those of the core.
 */
#include "state.h"

#include <stdatomic.h>
#include <stdlib.h>

/* ---- scopes */

#define WEBNN_X(id, name) name,
static const char *const filters[] = {WEBNN_ERROR_FILTER_MAP(WEBNN_X) NULL};
#undef WEBNN_X

PyObject *wpy_context_push_error_scope(PyObject *object, PyObject *const *args, Py_ssize_t n_args,
                                       PyObject *names) {
  static const char *const keywords[] = {"filter", NULL};
  static const Params params = {"push_error_scope", keywords, 1, 1};
  Where where = {params.function, keywords[0], NULL, NULL};
  Context *self = (Context *)object;
  PyObject *given[1];
  uint32_t filter;
  webnn_error error;
  if (wpy_parse(&params, args, n_args, names, given) < 0 ||
      wpy_enum(&where, given[0], filters, &filter) < 0)
    return NULL;
  if (webnn_context_push_error_scope(self->native, (webnn_error_filter)filter, &error) != WEBNN_OK)
    return wpy_raise(self->state, &error);
  Py_RETURN_NONE;
}

PyObject *wpy_context_pop_error_scope(PyObject *object, PyObject *unused) {
  Context *self = (Context *)object;
  webnn_error caught, error;
  PyObject *result;
  (void)unused;
  if (webnn_context_pop_error_scope(self->native, &caught, &error) != WEBNN_OK)
    result = wpy_raise(self->state, &error);
  else
    result = caught.status == WEBNN_OK ? Py_NewRef(Py_None) : wpy_error_new(self->state, &caught);
  return wpy_future_settled(self->state, result);
}

/* ---- the handler */

/* What the core calls back with, from the first handler on. Counted: a failure that is on its way
 * to the poller keeps it. */
struct Watcher {
  atomic_int refs;
  atomic_bool wanted; /* there is a handler */
  Queue *queue;
  PyObject *context; /* a weak reference: the core may outlive the Context */
};

typedef struct Failure {
  Watcher *watcher;
  webnn_error error;
} Failure;

/* Without the interpreter the weak reference stays where it is. */
static void watcher_release(Watcher *watcher, bool interpreter) {
  if (atomic_fetch_sub(&watcher->refs, 1) != 1) return;
  if (interpreter) Py_DECREF(watcher->context);
  wpy_queue_release(watcher->queue);
  free(watcher);
}

static Watcher *watcher_new(Context *context) {
  Queue *queue = wpy_queue_started(context->state);
  if (queue == NULL) return NULL;
  Watcher *watcher = calloc(1, sizeof *watcher);
  PyObject *reference = PyWeakref_NewRef((PyObject *)context, NULL);
  if (watcher == NULL || reference == NULL) {
    if (watcher == NULL) PyErr_NoMemory();
    Py_XDECREF(reference);
    wpy_queue_release(queue);
    free(watcher);
    return NULL;
  }
  atomic_init(&watcher->refs, 1);
  atomic_init(&watcher->wanted, true);
  watcher->queue = queue;
  watcher->context = reference;
  return watcher;
}

static PyObject *handler_of(Context *context) {
  wpy_lock lock;
  wpy_lock_begin(&lock, (PyObject *)context);
  PyObject *handler = Py_XNewRef(context->handler);
  wpy_lock_end(&lock);
  return handler;
}

/* In the poller. Whatever the handler raises goes to sys.unraisablehook. */
static void handle(void *ud) {
  Failure *failure = ud;
  Context *context = (Context *)wpy_weakref_get(failure->watcher->context);
  PyObject *handler = context == NULL ? NULL : handler_of(context);
  if (handler != NULL) {
    PyObject *exception = wpy_error_new(context->state, &failure->error);
    PyObject *result =
        exception == NULL ? NULL : PyObject_CallFunctionObjArgs(handler, exception, NULL);
    if (result == NULL) PyErr_WriteUnraisable(handler);
    Py_XDECREF(result);
    Py_XDECREF(exception);
    Py_DECREF(handler);
  }
  Py_XDECREF(context);
  watcher_release(failure->watcher, true);
  free(failure);
}

static void drop(void *ud) {
  watcher_release(((Failure *)ud)->watcher, false);
  free(ud);
}

/* In any thread, with or without the GIL. */
static void on_uncaptured(const webnn_error *error, void *ud) {
  Watcher *watcher = ud;
  Failure *failure = atomic_load(&watcher->wanted) ? malloc(sizeof *failure) : NULL;
  if (failure == NULL) return;
  atomic_fetch_add(&watcher->refs, 1);
  *failure = (Failure){watcher, *error};
  wpy_queue_post(watcher->queue, handle, drop, failure);
}

void wpy_context_stop_watching(Context *self) {
  Watcher *watcher = self->watcher;
  if (watcher == NULL) return;
  self->watcher = NULL;
  PyThreadState *paused = wpy_pause(); /* a call that is running in another thread is waited for */
  webnn_context_on_uncaptured_error(self->native, NULL, NULL);
  wpy_resume(paused);
  watcher_release(watcher, true);
}

PyObject *wpy_context_get_handler(PyObject *self, void *unused) {
  (void)unused;
  PyObject *handler = handler_of((Context *)self);
  return handler != NULL ? handler : Py_NewRef(Py_None);
}

int wpy_context_set_handler(PyObject *object, PyObject *handler, void *unused) {
  Context *self = (Context *)object;
  Watcher *fresh = NULL;
  wpy_lock lock;
  (void)unused;
  if (handler == Py_None) handler = NULL;
  if (handler != NULL && !PyCallable_Check(handler)) {
    PyErr_SetString(PyExc_TypeError, "on_uncaptured_error: the handler must be callable or None");
    return -1;
  }
  if (handler != NULL && self->watcher == NULL && (fresh = watcher_new(self)) == NULL) return -1;
  wpy_lock_begin(&lock, object);
  PyObject *old = self->handler;
  self->handler = Py_XNewRef(handler);
  bool is_first = self->watcher == NULL && fresh != NULL;
  if (is_first) self->watcher = fresh;
  if (self->watcher != NULL) atomic_store(&self->watcher->wanted, handler != NULL);
  wpy_lock_end(&lock);
  if (is_first)
    webnn_context_on_uncaptured_error(self->native, on_uncaptured, fresh);
  else if (fresh != NULL)
    watcher_release(fresh, true);
  Py_XDECREF(old);
  return 0;
}
