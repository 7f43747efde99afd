/* From native threads to Python: threads of the core never call Python, they leave a note here. One
 * lazy Python thread an interpreter waits for notes without the GIL, runs done-callbacks and gives
 * memory back.
 *
 * Built on the interpreter's plain locks, which need no thread state. The queue is counted: notes
 * that are still out in the core outlive the interpreter. */
#include "state.h"

#include <stdatomic.h>
#include <stdlib.h>
#ifdef _WIN32
#include <process.h>
#define getpid _getpid
#else
#include <unistd.h>
#endif

typedef struct Note {
  struct Note *next;
  Queue *queue;
  PyObject *future;     /* watched; NULL: something posted, a hold or a pin */
  bool is_weak;         /* `future` is a weak reference to it */
  void (*run)(void *ud), (*drop)(void *ud);
  void *ud;
  webnn_future *native; /* held on to for a hold */
  Data data;
  bool is_hold; /* the interpreter waits for it before it ends */
} Note;

struct Queue {
  atomic_int refs;
  PyThread_type_lock mutex; /* over what follows */
  PyThread_type_lock wake;  /* taken: nothing new */
  Note *first, **last;
  size_t n_holds;
  bool signalled, ending, closed;
  bool started; /* the poller runs, or is about to */
  long pid;     /* a forked child starts afresh */
};

Queue *wpy_queue_new(void) {
  Queue *queue = calloc(1, sizeof *queue);
  if (queue == NULL) return NULL;
  atomic_init(&queue->refs, 1);
  queue->last = &queue->first;
  queue->pid = (long)getpid();
  queue->mutex = PyThread_allocate_lock();
  queue->wake = PyThread_allocate_lock();
  if (queue->mutex == NULL || queue->wake == NULL) {
    wpy_queue_release(queue);
    return NULL;
  }
  PyThread_acquire_lock(queue->wake, WAIT_LOCK);
  return queue;
}

void wpy_queue_release(Queue *queue) {
  if (queue == NULL || atomic_fetch_sub(&queue->refs, 1) != 1) return;
  if (queue->mutex != NULL) PyThread_free_lock(queue->mutex);
  if (queue->wake != NULL) PyThread_free_lock(queue->wake);
  free(queue);
}

static void lock(Queue *queue) { PyThread_acquire_lock(queue->mutex, WAIT_LOCK); }
static void unlock(Queue *queue) { PyThread_release_lock(queue->mutex); }

static void signal_locked(Queue *queue) {
  if (queue->signalled) return;
  queue->signalled = true;
  PyThread_release_lock(queue->wake);
}

/* ---- notes */

static Note *note_for(Queue *queue) {
  Note *note = calloc(1, sizeof *note);
  if (note == NULL) return NULL;
  note->queue = queue;
  atomic_fetch_add(&queue->refs, 1);
  return note;
}

static Note *note_new(State *state, PyObject *future) {
  Note *note = note_for(state->queue);
  if (note != NULL) note->future = Py_XNewRef(future);
  return note;
}

static void note_free(Note *note) {
  webnn_future_release(note->native);
  wpy_queue_release(note->queue);
  free(note);
}

/* Any thread. A note that comes too late leaves its Python objects alone: the interpreter may be
 * gone. */
static void push(Note *note) {
  Queue *queue = note->queue;
  lock(queue);
  bool late = queue->closed;
  if (!late) {
    note->next = NULL;
    *queue->last = note;
    queue->last = &note->next;
    signal_locked(queue);
  }
  unlock(queue);
  if (!late) return;
  if (note->drop != NULL) note->drop(note->ud);
  note_free(note);
}

static void on_settled(webnn_future *native, void *note) {
  (void)native;
  push(note);
}

/* ---- the poller */

/* Starts the poller where there is none; -1 and an exception when it cannot. */
static int start(State *state) {
  Queue *queue = state->queue;
  if (queue->pid != (long)getpid()) {
    Queue *fresh = wpy_queue_new();
    if (fresh == NULL) return PyErr_NoMemory(), -1;
    state->queue = queue =
        fresh; /* the old one's locks may be held by threads that the child lacks */
  }
  lock(queue);
  bool started = queue->started, ending = queue->ending;
  queue->started = true;
  unlock(queue);
  if (ending) {
    PyErr_SetString(PyExc_RuntimeError, "the interpreter is shutting down");
    return -1;
  }
  if (started) return 0;
  PyObject *module = PyImport_ImportModule("webnn._async");
  PyObject *done = module == NULL ? NULL : PyObject_CallMethod(module, "start", NULL);
  Py_XDECREF(module);
  Py_XDECREF(done);
  if (done != NULL) return 0;
  lock(queue);
  queue->started = false;
  unlock(queue);
  return -1;
}

static void process(Note *note) {
  if (note->future != NULL) {
    PyObject *future = note->is_weak ? wpy_weakref_get(note->future) : Py_NewRef(note->future);
    if (future != NULL) wpy_future_ready(future);
    Py_XDECREF(future);
    Py_DECREF(note->future);
  } else if (note->run != NULL) {
    note->run(note->ud);
  } else {
    wpy_data_release(&note->data);
    if (note->is_hold) {
      lock(note->queue);
      note->queue->n_holds--;
      unlock(note->queue);
    }
  }
  note_free(note);
}

/* Waits for notes; the list of them, NULL at the end. */
static Note *wait_for_notes(Queue *queue, bool *over) {
  PyThread_acquire_lock(queue->wake, WAIT_LOCK);
  lock(queue);
  Note *first = queue->first;
  queue->first = NULL;
  queue->last = &queue->first;
  queue->signalled = false;
  *over = queue->ending && first == NULL && queue->n_holds == 0;
  queue->closed = *over;
  unlock(queue);
  return first;
}

static PyObject *core_poll(PyObject *module, PyObject *unused) {
  State *state = PyModule_GetState(module);
  Queue *queue = state->queue;
  bool over = false;
  (void)unused;
  atomic_fetch_add(&queue->refs, 1);
  while (!over) {
    Note *note;
    Py_BEGIN_ALLOW_THREADS note = wait_for_notes(queue, &over);
    Py_END_ALLOW_THREADS bool again = note != NULL;
    while (note != NULL) {
      Note *next = note->next;
      process(note);
      note = next;
    }
    if (again) { /* once more round: this may have been the last hold */
      lock(queue);
      if (queue->ending) signal_locked(queue);
      unlock(queue);
    }
  }
  wpy_queue_release(queue);
  Py_RETURN_NONE;
}

static PyObject *core_close(PyObject *module, PyObject *unused) {
  Queue *queue = ((State *)PyModule_GetState(module))->queue;
  (void)unused;
  lock(queue);
  queue->ending = true;
  signal_locked(queue);
  unlock(queue);
  Py_RETURN_NONE;
}

PyMethodDef wpy_module_methods[] = {
    {"devices", WPY_FAST(wpy_devices), METH_FASTCALL | METH_KEYWORDS,
     "devices(*, power_preference='default')\n--\n\n"
     "The devices that there are, each a dict; of a kind, what a context would take first comes "
     "first."},
    {"_poll", core_poll, METH_NOARGS, "The body of the thread that runs done-callbacks."},
    {"_close", core_close, METH_NOARGS, "Lets that thread end once no caller's memory is in use."},
    {NULL, NULL, 0, NULL}};

/* ---- what the other files ask for */

int wpy_queue_watch(State *state, PyObject *future, webnn_future *native, bool weak) {
  if (start(state) < 0) return -1;
  PyObject *watched = weak ? PyWeakref_NewRef(future, NULL) : Py_NewRef(future);
  if (watched == NULL) return -1;
  Note *note = note_new(state, watched);
  Py_DECREF(watched);
  if (note == NULL) return PyErr_NoMemory(), -1;
  note->is_weak = weak;
  if (webnn_future_on_done(native, on_settled, note) == WEBNN_OK) return 0;
  Py_DECREF(note->future);
  note_free(note);
  PyErr_SetString(PyExc_SystemError, "the future's callback slot is taken");
  return -1;
}

void wpy_queue_hold(State *state, Data *data, webnn_future *native) {
  PyObject *exception = wpy_take_exception();
  Note *note = start(state) < 0 ? NULL : note_new(state, NULL);
  PyErr_Clear();
  if (note != NULL) {
    note->data = *data;
    note->is_hold = true;
    note->native = webnn_future_retain(native);
    lock(note->queue);
    note->queue->n_holds++;
    unlock(note->queue);
    if (webnn_future_on_done(native, on_settled, note) == WEBNN_OK) goto done;
    lock(note->queue);
    note->queue->n_holds--;
    unlock(note->queue);
    note_free(note);
  }
  PyThreadState *paused = wpy_pause();
  webnn_future_wait(native, -1);
  wpy_resume(paused);
  wpy_data_release(data);
done:
  wpy_put_exception(exception);
}

int wpy_queue_pin(State *state, Data *data, void **ud) {
  Note *note = start(state) < 0 ? NULL : note_new(state, NULL);
  if (note == NULL) return PyErr_Occurred() ? -1 : (PyErr_NoMemory(), -1);
  note->data = *data;
  *ud = note;
  return 0;
}

void wpy_queue_unpin(void *ud) { push(ud); }

void wpy_queue_forget(void *ud) {
  Note *note = ud;
  wpy_data_release(&note->data);
  note_free(note);
}

void wpy_queue_post(Queue *queue, void (*run)(void *ud), void (*drop)(void *ud), void *ud) {
  Note *note = note_for(queue);
  if (note == NULL) {
    drop(ud);
    return;
  }
  note->run = run;
  note->drop = drop;
  note->ud = ud;
  push(note);
}

Queue *wpy_queue_started(State *state) {
  if (start(state) < 0) return NULL;
  atomic_fetch_add(&state->queue->refs, 1);
  return state->queue;
}
