/* What the extension's files share: the module's state, the shapes of its objects, who offers what.
 */
#ifndef WPY_STATE_H
#define WPY_STATE_H

#include "compat.h"

#include <webnn/webnn.h>

typedef struct Queue Queue;
typedef struct Watcher Watcher;

/* One interpreter's copy of the module. Objects point to it: their types keep the module alive. */
typedef struct State {
  PyTypeObject *ml, *context, *tensor, *builder, *operand, *graph, *future, *op_method, *memory;
  PyTypeObject *descriptor, *lost_info;
  PyObject *error, *invalid_state, *not_supported, *operation, *unknown;
  PyObject *as_array; /* numpy.asarray, None where there is no NumPy, NULL before anybody asked */
  PyObject *await;    /* webnn._async.wait, NULL before anybody awaited */
  PyObject *max_version; /* a DLPack keyword, and the version we read */
  PyObject *dlpack_version;
  const webnn_op *add, *sub, *mul, *div, *pow, *matmul, *neg, *abs;
  Queue *queue;
} State;

extern PyModuleDef wpy_module;
/* The state behind one of our types or a subclass; NULL, and no exception, for any other type. */
State *wpy_state_of(PyTypeObject *type);

/* Every object begins so: the weak references, and the way to the state. */
#define WPY_HEAD                    \
  PyObject_HEAD PyObject *weakrefs; \
  State *state

typedef struct Object {
  WPY_HEAD;
} Object;

typedef struct Context {
  WPY_HEAD;
  webnn_context *native;
  PyObject *lost;    /* the Future, made when first asked for */
  PyObject *handler; /* of uncaught errors; NULL: none */
  Watcher *watcher;  /* what the core calls when there is one */
  bool collected;    /* the collector takes it, in a cycle */
} Context;

typedef struct Tensor {
  WPY_HEAD;
  webnn_tensor *native;
  PyObject *context;
  Py_ssize_t *dims; /* shape, then strides in bytes, for views */
} Tensor;

typedef struct Builder {
  WPY_HEAD;
  webnn_builder *native;
  PyObject *context;
  bool busy; /* a call runs without the GIL: others must not enter */
} Builder;

typedef struct Operand {
  WPY_HEAD;
  const webnn_operand *native; /* the builder's */
  PyObject *builder;
} Operand;

/* A graph's input or output, as the fast path wants it. */
typedef struct Port {
  PyObject *name;
  webnn_descriptor descriptor;
} Port;

typedef struct Graph {
  WPY_HEAD;
  webnn_graph *native;
  PyObject *context;
  PyObject *definition; /* the bytes of a graph file, where the build was asked to keep them */
  size_t n_inputs, n_outputs;
  Port *ports; /* inputs, then outputs */
} Graph;

/* ---- errors.c */

/* Which argument of which call is being looked at; messages begin with it. */
typedef struct Where {
  const char *function;
  const char *argument; /* NULL: the call as a whole */
  PyObject *label;      /* the operation's, where there is one */
  PyObject *key;        /* of the entry, where the argument is a dict by name */
} Where;

int wpy_errors_init(PyObject *module, State *state);
PyObject *wpy_error_new(const State *state, const webnn_error *error);
PyObject *wpy_raise(const State *state, const webnn_error *error); /* always NULL */
/* Raises TypeError, "[label] function: argument " and the rest; returns -1. */
int wpy_argument_error(const Where *where, const char *format, ...);
/* "must be …, not 'type'". */
int wpy_wrong_type(const Where *where, const char *wanted, PyObject *object);
void wpy_unexpected_keyword(const char *function, PyObject *name);
/* A user's str in quotes: long text is cut, what can't be printed escaped, whatever the object's own __repr__ says. */
PyObject *wpy_quoted(PyObject *text);
/* The current exception's text as a TypeError, when it is a BufferError, ValueError or
 * OverflowError; -1. */
int wpy_argument_restated(const Where *where);

/* ---- args.c */

typedef struct Params {
  const char *function;
  const char *const *names; /* ends with NULL */
  int n_positional;         /* may be given by position */
  int n_required;           /* must be given */
} Params;
/* Sorts arguments into `out`, one place a name, borrowed; NULL where absent. */
int wpy_parse(const Params *params, PyObject *const *args, Py_ssize_t n_args, PyObject *names,
              PyObject **out);
/* The same for a tuple and a dict, as constructors get them. */
int wpy_parse_new(const Params *params, PyObject *args, PyObject *kwargs, PyObject **out);

/* ---- value.c */

/* Memory and references that last for one call. Begins as SCRATCH_INIT, ends with wpy_scratch_free.
 */
typedef struct Scratch {
  size_t used;
  void *blocks;
  PyObject *kept[WEBNN_MAX_FIELDS]; /* a list field keeps one */
  size_t n_kept;
  _Alignas(16) unsigned char first[512];
} Scratch;
static inline void wpy_scratch_init(Scratch *scratch) {
  scratch->used = 0;
  scratch->blocks = NULL;
  scratch->n_kept = 0;
}
void *wpy_scratch_alloc(Scratch *scratch, size_t n,
                        size_t size); /* never NULL for n 0; MemoryError */
void wpy_scratch_free(Scratch *scratch);

/* A missing argument and None mean the same: the default. */
static inline bool wpy_absent(PyObject *object) { return object == NULL || object == Py_None; }

int wpy_uint32(const Where *where, PyObject *object, uint32_t *out);
int wpy_int32(const Where *where, PyObject *object, int32_t *out);
int wpy_number(const Where *where, PyObject *object, webnn_number *out);
int wpy_bool(const Where *where, PyObject *object, bool *out);
int wpy_bool_or(const Where *where, PyObject *object, bool default_value, bool *out);
int wpy_enum(const Where *where, PyObject *object, const char *const *names, uint32_t *out);
int wpy_data_type(const Where *where, PyObject *object, webnn_data_type *out);
int wpy_uints(const Where *where, PyObject *object, Scratch *scratch, const uint32_t **out,
              size_t *n);
int wpy_floats(const Where *where, PyObject *object, Scratch *scratch, const double **out,
               size_t *n);
/* The arguments `shape` and `data_type`, both of which must be given. */
int wpy_descriptor(const char *function, PyObject *shape, PyObject *data_type, Scratch *scratch,
                   webnn_descriptor *out);
/* Valid as long as the string object; a lone surrogate is refused. */
int wpy_name(const Where *where, PyObject *object, webnn_str *out);
/* Any string: a lone surrogate becomes "?". */
int wpy_label(const Where *where, PyObject *object, Scratch *scratch, webnn_str *out);
/* The elements of an iterable that is no string and no dict: a tuple that the scratch keeps. */
PyObject *wpy_items(const Where *where, PyObject *object, Scratch *scratch);

PyObject *wpy_str_object(webnn_str str);
PyObject *wpy_shape_object(const webnn_descriptor *descriptor);
PyObject *wpy_type_object(webnn_data_type type);
/* A dict with attributes: {"shape": …, "data_type": …}. */
PyObject *wpy_descriptor_object(const State *state, const webnn_descriptor *descriptor);
PyObject *wpy_descriptor_text(const webnn_descriptor *descriptor); /* "float32[1, 3]" */
int wpy_records_init(PyObject *module, State *state);

/* ---- data.c */

/* Somebody's memory for as long as it is held: a buffer, or what a DLPack capsule shows. */
typedef struct Data {
  void *bytes;
  size_t n_bytes;
  webnn_data_type type;
  bool raw; /* bytes, uint8, bool: any type's elements */
  size_t rank;
  const Py_ssize_t *shape;
  const int64_t *dlpack_shape;
  Py_buffer view;
  PyObject *capsule;
} Data;
int wpy_data_get(const State *state, const Where *where, PyObject *object, bool writable,
                 Data *out);
void wpy_data_release(Data *data);
/* Refuses elements of another type. */
int wpy_data_check(const Where *where, const Data *data, webnn_data_type type);
/* The descriptor of a constant: what was given, the data's own where nothing was. */
int wpy_data_descriptor(const Where *where, const Data *data, PyObject *shape, PyObject *data_type,
                        Scratch *scratch, webnn_descriptor *out);

/* ---- memory.c */

/* Fills `view` for `bytes` of the descriptor; `dims` holds shape and strides and outlives the view.
 */
int wpy_fill_view(Py_buffer *view, PyObject *owner, void *bytes, const webnn_descriptor *descriptor,
                  Py_ssize_t *dims, bool read_only, int flags);
/* Shape and byte strides of the descriptor, 2 · rank numbers. */
void wpy_fill_dims(const webnn_descriptor *descriptor, Py_ssize_t *dims);
size_t wpy_descriptor_bytes(const webnn_descriptor *descriptor);
/* An array over what a read gave (a count of `owner` is taken), or over fresh memory (`owner` NULL;
 * its address in `*bytes`): numpy.ndarray where NumPy is, else memoryview. */
PyObject *wpy_array_new(State *state, const webnn_descriptor *descriptor, webnn_future *owner,
                        void **bytes);
int wpy_memory_init(PyObject *module, State *state);

/* ---- queue.c */

Queue *wpy_queue_new(void);
void wpy_queue_release(Queue *queue);
/* Asks for `future`'s done-callbacks to run in the poller once `native` has settled. `weak`: if it is there then. */
int wpy_queue_watch(State *state, PyObject *future, webnn_future *native, bool weak);
/* Moves `data` away, to be released when `native` has settled; waits for that when nobody can. */
void wpy_queue_hold(State *state, Data *data, webnn_future *native);
/* The same for memory that a graph uses: `*ud` is for `wpy_queue_unpin`, which any thread may call.
 */
int wpy_queue_pin(State *state, Data *data, void **ud);
void wpy_queue_unpin(void *ud);
void wpy_queue_forget(void *ud); /* undoes a pin that nobody took */
/* Has `run(ud)` called in the poller, with the GIL; any thread may ask. `drop(ud)` instead, in any
 * thread and without the interpreter, when that is gone or memory is short. */
void wpy_queue_post(Queue *queue, void (*run)(void *ud), void (*drop)(void *ud), void *ud);
/* One count of the queue, whose poller runs; NULL and an exception when it cannot. */
Queue *wpy_queue_started(State *state);
extern PyMethodDef wpy_module_methods[];
PyObject *wpy_devices(PyObject *module, PyObject *const *args, Py_ssize_t n_args, PyObject *names);

/* ---- scopes.c */

PyObject *wpy_context_push_error_scope(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                                       PyObject *names);
PyObject *wpy_context_pop_error_scope(PyObject *self, PyObject *unused);
PyObject *wpy_context_get_handler(PyObject *self, void *unused);
int wpy_context_set_handler(PyObject *self, PyObject *handler, void *unused);
/* Before the context goes. */
void wpy_context_stop_watching(Context *self);

/* ---- one a type */

int wpy_context_init(PyObject *module, State *state);
int wpy_tensor_init(PyObject *module, State *state);
int wpy_builder_init(PyObject *module, State *state);
int wpy_operand_init(PyObject *module, State *state);
int wpy_graph_init(PyObject *module, State *state);
int wpy_future_init(PyObject *module, State *state);
int wpy_opmethod_init(PyObject *module, State *state);
/* Puts one method an operation on the type. */
int wpy_opmethods_add(State *state, PyTypeObject *type);

/* A future that has settled already, from a new reference, or from the current exception for NULL.
 */
PyObject *wpy_future_settled(State *state, PyObject *result);
typedef enum wpy_future_kind {
  FUTURE_VALUE,
  FUTURE_BUILD,
  FUTURE_READ,
  FUTURE_READ_INTO,
  FUTURE_LOST
} wpy_future_kind;
/* A future round a native one (one count is taken over, also on failure). `subject` is the context
 * of a build, the tensor of a read; `definition` what a built graph keeps; `data` is moved away. */
PyObject *wpy_future_new(State *state, wpy_future_kind kind, webnn_future *native,
                         PyObject *subject, PyObject *definition, Data *data);
/* Settles and runs the callbacks: the poller's turn. */
void wpy_future_ready(PyObject *future);
/* A watched future stays until its callbacks have run, whoever lets it go. */
void wpy_future_outlive(PyObject *future);

PyObject *wpy_tensor_new(State *state, PyObject *context,
                         webnn_tensor *native); /* takes over a count */
PyObject *wpy_graph_new(State *state, PyObject *context, webnn_graph *native, PyObject *definition);
PyObject *wpy_operand_new(Builder *builder, const webnn_operand *native);

/* Nobody else may be inside the builder: InvalidStateError when somebody is. */
int wpy_builder_enter(Builder *builder, wpy_lock *lock);
/* Adds an operation; at most `n_outs` outputs. An Operand, or a tuple where the operation gives a
 * list. */
PyObject *wpy_builder_call(Builder *builder, const webnn_op *op, const webnn_value *values,
                           size_t n_values, size_t n_outs);
/* A scalar constant. */
PyObject *wpy_builder_number(Builder *builder, webnn_data_type type, webnn_number value);

/* Methods of Context that live with what they work on: tensor.c, run.c. */
PyObject *wpy_context_write_tensor(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                                   PyObject *names);
PyObject *wpy_context_read_tensor(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                                  PyObject *names);
PyObject *wpy_context_import_opencl(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                                    PyObject *names);
PyObject *wpy_tensor_export_opencl(PyObject *self, PyObject *unused);
PyObject *wpy_tensor_return_opencl(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                                   PyObject *names);
/* A handle of OpenCL's: a number, an object with `int_ptr`, or none (NULL). */
int wpy_opencl_handle(const Where *where, PyObject *object, void **out);
/* A queue or context, whichever it is, as an option; a number is a queue's. */
int wpy_opencl_owner(const Where *where, PyObject *object, webnn_context_options *out);
PyObject *wpy_context_dispatch(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                               PyObject *names);
PyObject *wpy_graph_profile(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                            PyObject *names);
PyObject *wpy_graph_steps(PyObject *self, void *unused);
int wpy_measure_peaks(Context *context, webnn_peaks *peaks); /* -1: raised */
PyObject *wpy_context_compute(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                              PyObject *names);

/* A zeroed object of one of our types, with its state set. */
void *wpy_object_new(State *state, PyTypeObject *type);
/* Ends a deallocation: weak references, memory, the type's count. Begins with wpy_object_ending. */
void wpy_object_ending(PyObject *self);
void wpy_object_free(PyObject *self);
/* Makes a heap type from a spec and adds it to the module. */
PyTypeObject *wpy_add_type(PyObject *module, PyType_Spec *spec, PyObject *base);
extern PyMemberDef wpy_object_members[];

/* For method tables. */
#define WPY_FAST(function) ((PyCFunction)(void (*)(void))(function))

#endif
