/* webnn.Future: a native future with a Python value, waited for, awaited, or called back.
 *
 * The value is made by whoever looks first; callbacks of a future that was pending run in the
 * poller (queue.c), which holds a reference from the first callback on. Not to `lost`: it is pending as long as its
 * context lives, and a callback that knows the context must not keep it alive for ever. The context holds that one. */
#include "state.h"

#include <math.h>
#include <string.h>

typedef enum FutureStatus { PENDING, DONE, FAILED, CANCELLED } FutureStatus;

typedef struct Future {
  WPY_HEAD;
  wpy_future_kind kind;
  FutureStatus status;
  webnn_future *native; /* NULL once settled */
  PyObject *value;      /* the result or the exception */
  PyObject *subject, *definition;
  PyObject *callbacks; /* a list, NULL for none */
  bool watched;        /* the callback slot is ours */
  bool adopted;        /* it holds itself, until its callbacks have run */
  bool holds;          /* `data` is the caller's memory */
  Data data;
} Future;

/* ---- making */

static Future *future_new(State *state, wpy_future_kind kind, FutureStatus status) {
  Future *self = wpy_object_new(state, state->future);
  if (self == NULL) return NULL;
  self->kind = kind;
  self->status = status;
  return self;
}

PyObject *wpy_future_settled(State *state, PyObject *result) {
  bool failed = result == NULL;
  if (failed && !PyErr_ExceptionMatches(PyExc_Exception))
    return NULL; /* KeyboardInterrupt is not an answer */
  PyObject *value = failed ? wpy_take_exception() : result;
  Future *self = future_new(state, FUTURE_VALUE, failed ? FAILED : DONE);
  if (self == NULL)
    Py_DECREF(value);
  else
    self->value = value;
  return (PyObject *)self;
}

PyObject *wpy_future_new(State *state, wpy_future_kind kind, webnn_future *native,
                         PyObject *subject, PyObject *definition, Data *data) {
  Future *self = future_new(state, kind, PENDING);
  if (self == NULL) {
    if (data != NULL) wpy_queue_hold(state, data, native);
    webnn_future_release(native);
    return NULL;
  }
  self->native = native;
  self->subject = Py_XNewRef(subject);
  self->definition = Py_XNewRef(definition);
  self->holds = data != NULL;
  if (data != NULL) self->data = *data;
  return (PyObject *)self;
}

/* ---- settling */

static PyObject *lost_info(const State *state, webnn_future *native) {
  const char *message = webnn_future_message(native);
  PyObject *text = wpy_str_object((webnn_str){message, strlen(message)});
  PyObject *info = text == NULL ? NULL : PyObject_CallNoArgs((PyObject *)state->lost_info);
  if (info != NULL && PyDict_SetItemString(info, "message", text) < 0) Py_CLEAR(info);
  Py_XDECREF(text);
  return info;
}

/* What another thread may take away while Python code runs: held for the time of a look. */
typedef struct Held {
  webnn_future *native;
  PyObject *subject, *definition;
} Held;

static Held hold(Future *self) {
  wpy_lock lock;
  wpy_lock_begin(&lock, (PyObject *)self);
  Held held = {webnn_future_retain(self->native), Py_XNewRef(self->subject),
               Py_XNewRef(self->definition)};
  wpy_lock_end(&lock);
  return held;
}

static void drop(Held *held) {
  Py_XDECREF(held->subject);
  Py_XDECREF(held->definition);
  if (held->native == NULL) return;
  PyThreadState *paused = wpy_pause();
  webnn_future_release(held->native);
  wpy_resume(paused);
}

static bool has_value(const Future *self) {
  return self->kind == FUTURE_BUILD || self->kind == FUTURE_READ || self->kind == FUTURE_LOST;
}

/* The result of a native future that has settled well; NULL and an exception when that fails, which is the looking
 * thread's own affair: no memory, or Ctrl-C in an import. */
static PyObject *make_value(const Future *self, const Held *held) {
  switch (self->kind) {
    case FUTURE_BUILD: {
      webnn_graph *graph = webnn_graph_retain(webnn_future_graph(held->native));
      return wpy_graph_new(self->state, held->subject, graph, held->definition);
    }
    case FUTURE_READ: {
      webnn_descriptor descriptor = webnn_tensor_descriptor(((Tensor *)held->subject)->native);
      return wpy_array_new(self->state, &descriptor, held->native, NULL);
    }
    case FUTURE_LOST: return lost_info(self->state, held->native);
    default: Py_RETURN_NONE;
  }
}

/* Puts the outcome in its place (`value` is stolen); the first one counts. */
static void commit(Future *self, FutureStatus status, PyObject *value) {
  wpy_lock lock;
  Held done = {NULL, NULL, NULL};
  wpy_lock_begin(&lock, (PyObject *)self);
  if (self->native != NULL) {
    done = (Held){self->native, self->subject, self->definition};
    self->native = NULL;
    self->subject = self->definition = NULL;
    if (self->status == PENDING) {
      self->status = status;
      self->value = value;
      value = NULL;
    }
    if (self->holds) wpy_data_release(&self->data);
    self->holds = false;
  }
  wpy_lock_end(&lock);
  Py_XDECREF(value);
  drop(&done);
}

/* Looking at a read may be what copies its bytes to the caller's memory: not with the GIL if that
 * takes long. */
#define LONG_COPY_BYTES 65536

static bool look(const Future *self, const webnn_future *native) {
  if (self->kind != FUTURE_READ_INTO || self->data.n_bytes < LONG_COPY_BYTES)
    return webnn_future_done(native);
  PyThreadState *paused = wpy_pause();
  bool done = webnn_future_done(native);
  wpy_resume(paused);
  return done;
}

/* The outcome of a native future that has settled becomes ours; -1 and an exception when it can't be made now: the next
 * look tries again. */
static int take_over(Future *self, const Held *held) {
  webnn_error error;
  bool failed = webnn_future_result(held->native, &error) != WEBNN_OK;
  if (self->status != PENDING) {
    commit(self, self->status, NULL);
    return 0;
  }
  PyObject *value = failed ? wpy_error_new(self->state, &error) : make_value(self, held);
  if (value == NULL) return -1;
  commit(self, failed ? FAILED : DONE, value);
  return 0;
}

/* Takes the outcome over once there is one: 1 when settled, 0 when not, -1 with an exception. */
static int settle(Future *self) {
  Held held = hold(self);
  if (held.native == NULL) return 1;
  bool done = look(self, held.native);
  int failed = done ? take_over(self, &held) : 0;
  drop(&held);
  return failed < 0 ? -1 : done || self->status == CANCELLED;
}

/* Whether it has settled, without making a value. */
static bool is_done(Future *self) {
  Held held = hold(self);
  bool done = held.native == NULL || look(self, held.native);
  if (done && held.native != NULL && !has_value(self) && take_over(self, &held) < 0)
    PyErr_Clear(); /* who asks for the exception makes it */
  drop(&held);
  return done || self->status == CANCELLED;
}

static void run_callbacks(Future *self) {
  wpy_lock lock;
  wpy_lock_begin(&lock, (PyObject *)self);
  PyObject *callbacks = self->callbacks;
  bool adopted = self->adopted;
  self->callbacks = NULL;
  self->adopted = false;
  wpy_lock_end(&lock);
  Py_ssize_t n = callbacks == NULL ? 0 : PyList_Size(callbacks);
  for (Py_ssize_t i = 0; i < n; i++) {
    PyObject *callback = PyList_GetItem(callbacks, i);
    PyObject *result = PyObject_CallFunctionObjArgs(callback, (PyObject *)self, NULL);
    if (result == NULL) PyErr_WriteUnraisable(callback);
    Py_XDECREF(result);
  }
  Py_XDECREF(callbacks);
  if (adopted) Py_DECREF(self);
}

void wpy_future_outlive(PyObject *object) {
  Future *self = (Future *)object;
  wpy_lock lock;
  wpy_lock_begin(&lock, object);
  bool adopts = self->callbacks != NULL && self->watched && !self->adopted;
  if (adopts) self->adopted = true;
  wpy_lock_end(&lock);
  if (adopts) Py_INCREF(object);
}

void wpy_future_ready(PyObject *object) {
  Future *self = (Future *)object;
  if (is_done(self)) run_callbacks(self);
}

/* ---- waiting */

#define SLICE_NS 50000000 /* how often Ctrl-C and cancel are looked for */

/* Seconds to nanoseconds, -1 for no limit. */
static int parse_timeout(const char *function, PyObject *object, int64_t *out) {
  Where where = {function, "timeout", NULL, NULL};
  webnn_number number;
  *out = -1;
  if (wpy_absent(object)) return 0;
  if (wpy_number(&where, object, &number) < 0) return -1;
  double seconds = number.kind == WEBNN_NUMBER_DOUBLE  ? number.as.f
                   : number.kind == WEBNN_NUMBER_INT64 ? (double)number.as.i
                                                       : (double)number.as.u;
  if (isnan(seconds)) return wpy_argument_error(&where, "must be a number of seconds, not nan");
  if (seconds < 9e9) *out = seconds <= 0 ? 0 : (int64_t)(seconds * 1e9);
  return 0;
}

/* Until settled: 0; -1 with TimeoutError or what a signal handler raised. */
static int wait_settled(Future *self, int64_t timeout_ns) {
  int settled;
  while ((settled = settle(self)) == 0) {
    if (timeout_ns == 0) {
      PyErr_SetString(PyExc_TimeoutError, "the future has not settled in time");
      return -1;
    }
    int64_t slice = timeout_ns < 0 || timeout_ns > SLICE_NS ? SLICE_NS : timeout_ns;
    Held held = hold(self);
    if (held.native != NULL) {
      Py_BEGIN_ALLOW_THREADS webnn_future_wait(held.native, slice);
      Py_END_ALLOW_THREADS
    }
    drop(&held);
    if (timeout_ns > 0) timeout_ns -= slice;
    if (PyErr_CheckSignals() < 0) return -1;
  }
  return settled < 0 ? -1 : 0;
}

static void raise_cancelled(void) {
  PyObject *module = PyImport_ImportModule("concurrent.futures");
  PyObject *type = module == NULL ? NULL : PyObject_GetAttrString(module, "CancelledError");
  if (type != NULL) PyErr_SetNone(type);
  Py_XDECREF(type);
  Py_XDECREF(module);
}

static const char *const timeout_names[] = {"timeout", NULL};

static int wait_for_call(Future *self, const char *function, PyObject *const *args,
                         Py_ssize_t n_args, PyObject *names) {
  Params params = {function, timeout_names, 1, 0};
  PyObject *timeout;
  int64_t timeout_ns;
  if (wpy_parse(&params, args, n_args, names, &timeout) < 0 ||
      parse_timeout(function, timeout, &timeout_ns) < 0 || wait_settled(self, timeout_ns) < 0)
    return -1;
  if (self->status != CANCELLED) return 0;
  raise_cancelled();
  return -1;
}

static PyObject *future_result(PyObject *object, PyObject *const *args, Py_ssize_t n_args,
                               PyObject *names) {
  Future *self = (Future *)object;
  if (wait_for_call(self, "result", args, n_args, names) < 0) return NULL;
  if (self->status == DONE) return Py_NewRef(self->value);
  PyErr_SetObject((PyObject *)Py_TYPE(self->value), self->value);
  return NULL;
}

static PyObject *future_exception(PyObject *object, PyObject *const *args, Py_ssize_t n_args,
                                  PyObject *names) {
  Future *self = (Future *)object;
  if (wait_for_call(self, "exception", args, n_args, names) < 0) return NULL;
  return Py_NewRef(self->status == FAILED ? self->value : Py_None);
}

static PyObject *future_done(PyObject *self, PyObject *unused) {
  (void)unused;
  return PyBool_FromLong(is_done((Future *)self));
}

static PyObject *future_cancelled(PyObject *self, PyObject *unused) {
  (void)unused;
  return PyBool_FromLong(((Future *)self)->status == CANCELLED);
}

static PyObject *future_cancel(PyObject *object, PyObject *unused) {
  Future *self = (Future *)object;
  wpy_lock lock;
  bool cancelled;
  (void)unused;
  bool done = is_done(self);
  wpy_lock_begin(&lock, object);
  cancelled = self->status == CANCELLED;
  if (self->status == PENDING && !done &&
      self->kind != FUTURE_LOST) { /* `lost` is everybody's, and never rejects */
    self->status = CANCELLED;
    cancelled = true;
  }
  wpy_lock_end(&lock);
  if (cancelled) run_callbacks(self);
  return PyBool_FromLong(cancelled);
}

/* ---- callbacks */

static int remove_callback(Future *self, PyObject *callback) {
  wpy_lock lock;
  PyObject *removed = NULL;
  wpy_lock_begin(&lock, (PyObject *)self);
  for (Py_ssize_t i = 0; self->callbacks != NULL && i < PyList_Size(self->callbacks); i++)
    if (PyList_GetItem(self->callbacks, i) == callback) {
      removed = Py_NewRef(callback);
      PyList_SetSlice(self->callbacks, i, i + 1, NULL);
      break;
    }
  wpy_lock_end(&lock);
  Py_XDECREF(removed);
  return removed == NULL ? -1 : 0;
}

/* Lets the poller call back; only the first callback needs to ask. */
static int watch(Future *self) {
  wpy_lock lock;
  wpy_lock_begin(&lock, (PyObject *)self);
  bool watched = self->watched;
  self->watched = true;
  wpy_lock_end(&lock);
  if (watched) return 0;
  Held held = hold(self);
  int failed =
      held.native == NULL ? 0 : wpy_queue_watch(self->state, (PyObject *)self, held.native,
                                                       self->kind == FUTURE_LOST);
  if (failed) self->watched = false;
  drop(&held);
  return failed;
}

static PyObject *future_add_done_callback(PyObject *object, PyObject *callback) {
  Future *self = (Future *)object;
  wpy_lock lock;
  if (!PyCallable_Check(callback)) {
    PyErr_SetString(PyExc_TypeError, "add_done_callback: the callback must be callable");
    return NULL;
  }
  wpy_lock_begin(&lock, object);
  if (self->callbacks == NULL) self->callbacks = PyList_New(0);
  int failed = self->callbacks == NULL || PyList_Append(self->callbacks, callback) < 0;
  wpy_lock_end(&lock);
  if (failed) return NULL;
  if (!is_done(self) && watch(self) < 0) {
    PyObject *exception = wpy_take_exception();
    remove_callback(self, callback);
    wpy_put_exception(exception);
    return NULL;
  }
  if (is_done(self)) run_callbacks(self);
  Py_RETURN_NONE;
}

static PyObject *future_discard(PyObject *object, PyObject *callback) {
  (void)remove_callback((Future *)object, callback);
  Py_RETURN_NONE;
}

static PyObject *future_await(PyObject *object) {
  State *state = ((Future *)object)->state;
  if (state->await == NULL) {
    PyObject *module = PyImport_ImportModule("webnn._async");
    PyObject *wait = module == NULL ? NULL : PyObject_GetAttrString(module, "wait");
    Py_XDECREF(module);
    if (wait == NULL) return NULL;
    PyObject *other = state->await;
    state->await = wait;
    Py_XDECREF(other);
  }
  return PyObject_CallFunctionObjArgs(state->await, object, NULL);
}

/* ---- the type */

static PyObject *future_repr(PyObject *object) {
  static const char *const words[] = {"pending", "done", "failed", "cancelled"};
  Future *self = (Future *)object;
  if (settle(self) < 0) return NULL;
  if (self->status != FAILED && self->status != DONE)
    return PyUnicode_FromFormat("<webnn.Future %s>", words[self->status]);
  return PyUnicode_FromFormat("<webnn.Future %s %R>", words[self->status], self->value);
}

static int future_traverse(PyObject *object, visitproc visit, void *arg) {
  Future *self = (Future *)object;
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->value);
  Py_VISIT(self->subject);
  Py_VISIT(self->definition);
  Py_VISIT(self->callbacks);
  if (self->holds) {
    Py_VISIT(self->data.view.obj);
    Py_VISIT(self->data.capsule);
  }
  return 0;
}

static int future_clear(PyObject *object) {
  Future *self = (Future *)object;
  Py_CLEAR(self->value);
  Py_CLEAR(self->definition);
  Py_CLEAR(self->callbacks);
  return 0;
}

static void future_dealloc(PyObject *object) {
  Future *self = (Future *)object;
  wpy_object_ending(object);
  if (self->holds) {
    self->holds = false;
    if (look(self, self->native))
      wpy_data_release(&self->data);
    else
      wpy_queue_hold(self->state, &self->data, self->native);
  }
  if (self->native != NULL) {
    PyThreadState *paused = wpy_pause();
    webnn_future_release(self->native);
    wpy_resume(paused);
  }
  future_clear(object);
  Py_XDECREF(self->subject);
  wpy_object_free(object);
}

static PyMethodDef future_methods[] = {
    {"result", WPY_FAST(future_result), METH_FASTCALL | METH_KEYWORDS,
     "result($self, timeout=None)\n--\n\nWaits until settled, at most `timeout` seconds, and gives "
     "the result "
     "or raises.\n\nRaises TimeoutError when it takes longer."},
    {"exception", WPY_FAST(future_exception), METH_FASTCALL | METH_KEYWORDS,
     "exception($self, timeout=None)\n--\n\nWaits likewise and gives the exception, None when "
     "there is none."},
    {"done", future_done, METH_NOARGS, "done($self)\n--\n\nTrue once settled or cancelled."},
    {"cancelled", future_cancelled, METH_NOARGS,
     "cancelled($self)\n--\n\nTrue when cancel() came in time."},
    {"cancel", future_cancel, METH_NOARGS,
     "cancel($self)\n--\n\nGives the result up; the work itself runs on. False when it was too "
     "late."},
    {"add_done_callback", future_add_done_callback, METH_O,
     "add_done_callback($self, fn, /)\n--\n\nCalls fn(future) once settled: at once if it is, else "
     "in a thread "
     "of the library."},
    {"_discard", future_discard, METH_O, "_discard($self, fn, /)\n--\n\nTakes a callback back."},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, "Future[T], for annotations."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot future_slots[] = {
    {Py_tp_doc, "What will be there later. Wait with result(), or await it in any asyncio loop."},
    {Py_tp_dealloc, future_dealloc},
    {Py_tp_traverse, future_traverse},
    {Py_tp_clear, future_clear},
    {Py_tp_repr, future_repr},
    {Py_tp_methods, future_methods},
    {Py_tp_members, wpy_object_members},
    {Py_am_await, future_await},
    {0, NULL}};
static PyType_Spec future_spec = {"webnn.Future", sizeof(Future), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                                      Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                  future_slots};

int wpy_future_init(PyObject *module, State *state) {
  state->future = wpy_add_type(module, &future_spec, NULL);
  return state->future == NULL ? -1 : 0;
}
