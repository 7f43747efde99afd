/* What the files of the Lua module share. Objects are userdata that hold one count of a native
 * handle; `native` is NULL before the handle is there and after it was given back. */
#ifndef WEBNN_LUA_BINDING_H
#define WEBNN_LUA_BINDING_H

#include "compat.h"

#include <webnn/webnn.h>

typedef enum WluaType {
  WLUA_CONTEXT,
  WLUA_TENSOR,
  WLUA_BUILDER,
  WLUA_OPERAND,
  WLUA_GRAPH,
  WLUA_FUTURE,
  WLUA_BUFFER,
  WLUA_ERROR,
  WLUA_N_TYPES
} WluaType;
extern const char *const wlua_type_names[WLUA_N_TYPES]; /* "webnn.Context" and so on */

#define WLUA_MAX_RANK 8

typedef struct Context {
  webnn_context *native;
} Context;

typedef struct Tensor {
  webnn_tensor *native;
} Tensor;

typedef struct Builder {
  webnn_builder *native;
} Builder;

typedef struct Operand {
  const webnn_operand *native;
  webnn_builder *builder; /* counted: the operand dies with it */
} Operand;

typedef struct Graph {
  webnn_graph *native;
} Graph;

typedef struct Buffer {
  webnn_data_type type;
  size_t n; /* elements */
  void *data;
  uint32_t rank;
  uint32_t shape[WLUA_MAX_RANK];
} Buffer;

/* ---- types: webnn.c */

/* The first upvalues of every function of ours are what all of them look at, for the registry takes
 * several times as long: a table of the types' metatables and of the objects by native handle, and
 * the address of a list of addresses of the metatables. */
#define WLUA_SHARED lua_upvalueindex(1)
#define WLUA_METATABLES lua_upvalueindex(2)
#define WLUA_N_SHARED 2 /* a function's own ones come behind them */

/* Puts functions into the table on the top. */
void wlua_functions(lua_State *L, const luaL_Reg *functions);
void wlua_push_function(lua_State *L, lua_CFunction function);
void wlua_push_shared(lua_State *L); /* both, for closures with more upvalues */

/* Makes a type with metamethods, methods and properties; leaves its names on the stack. A property
 * is a function of the object; the list has to stay. `index` is wlua_index or calls it; NULL where
 * there are no properties. */
void wlua_type(lua_State *L, WluaType type, const luaL_Reg *meta, const luaL_Reg *methods,
               const luaL_Reg *properties, lua_CFunction index);
int wlua_index(lua_State *L); /* object, name */

/* A new metatable of a type, on the stack. */
void wlua_new_metatable(lua_State *L, WluaType type);
void wlua_push_metatable(lua_State *L, WluaType type);

/* A userdata of a type, on the stack: of `n_bytes` that are zero and `n_more` that hold anything.
 */
void *wlua_new(lua_State *L, WluaType type, size_t n_bytes, size_t n_more);

/* The object of a type at `index`: NULL, or an error at the caller's line, when it is none. */
static inline void *wlua_test(lua_State *L, int index, WluaType type) {
  void *object = lua_touserdata(L, index);
  if (object == NULL || !lua_getmetatable(L, index)) return NULL;
  const void *const *known = lua_touserdata(L, WLUA_METATABLES);
  if (lua_topointer(L, -1) != known[type]) object = NULL;
  lua_pop(L, 1);
  return object;
}
void *wlua_check(lua_State *L, int index, WluaType type);

/* Objects that exist once for each native handle as long as somebody has them: pushes the one of
 * `native`, or nothing when there is none (false). */
bool wlua_find(lua_State *L, const void *native);
void wlua_remember(lua_State *L, const void *native); /* the object on the top */

/* ---- failures: errors.c */

/* Of whom a message speaks; `options` is the index of a table in which a label may be, 0 for none.
 */
typedef struct Where {
  const char *function, *argument;
  int options;
} Where;

void wlua_errors_init(lua_State *L);

/* Raises at the caller's line, as the next two; the int is for `return`. The text: "[label]
 * function: argument text". */
_Noreturn int wlua_argument_error(lua_State *L, const Where *where, const char *format, ...);

/* The same for "must be `wanted`, not …" with what stands at `index`. */
_Noreturn int wlua_wrong(lua_State *L, const Where *where, const char *wanted, int index);

/* Raises a failed call's error. */
_Noreturn int wlua_raise(lua_State *L, const webnn_error *error);

/* Pushes an error as a table with name, message and __tostring. */
void wlua_push_error(lua_State *L, const webnn_error *error);

/* What somebody did wrong is raised; what the world did (no memory, no device, the context is lost;
 * `context` may be NULL) is pushed as an error. */
void wlua_refuse(lua_State *L, const webnn_context *context, const webnn_error *error);

/* The name out of `names` that is most like `name`, NULL when none is. */
const char *wlua_nearest(const char *name, const char *const *names, size_t n);

/* ---- values: value.c */

/* Memory for the lists of one call: some here, more in userdata kept in a table at index `anchor`.
 */
typedef struct Scratch {
  lua_State *L;
  int anchor; /* a stack slot that begins as nil */
  int n_kept;
  size_t used;
  _Alignas(16) unsigned char first[512];
} Scratch;

void wlua_scratch_init(Scratch *scratch, lua_State *L); /* pushes the slot */
void *wlua_scratch_alloc(Scratch *scratch, size_t n, size_t size);

uint32_t wlua_uint32(lua_State *L, const Where *where, int index);
int32_t wlua_int32(lua_State *L, const Where *where, int index);
webnn_number wlua_number(lua_State *L, const Where *where, int index);
bool wlua_is_number(lua_State *L, int index, webnn_number *out); /* the same without raising */
bool wlua_bool(lua_State *L, const Where *where, int index);
webnn_str wlua_str(lua_State *L, const Where *where, int index);
uint32_t wlua_enum(lua_State *L, const Where *where, int index, const char *const *names);
webnn_data_type wlua_data_type(lua_State *L, const Where *where, int index);

/* Length of the list at `index`; raises when it is none or has holes. */
size_t wlua_list(lua_State *L, const Where *where, int index);
const uint32_t *wlua_uints(lua_State *L, const Where *where, int index, Scratch *scratch,
                           size_t *n);
const double *wlua_floats(lua_State *L, const Where *where, int index, Scratch *scratch, size_t *n);

/* The table of options at `index` (nil: none) holds no other keys than `names`. */
void wlua_check_options(lua_State *L, const char *function, int index, const char *const *names,
                        size_t n_names);

/* {shape = …, data_type = …} */
void wlua_descriptor(lua_State *L, const char *function, int index, Scratch *scratch,
                     webnn_descriptor *out);

/* The same with readable and writable, which may be absent. */
void wlua_tensor_options(lua_State *L, const char *function, int index, Scratch *scratch,
                         webnn_descriptor *descriptor, webnn_tensor_options *options);

void wlua_push_str(lua_State *L, webnn_str str);
void wlua_push_shape(lua_State *L, const webnn_descriptor *descriptor);
void wlua_push_descriptor(lua_State *L, const webnn_descriptor *descriptor);
void wlua_push_text(lua_State *L, const webnn_descriptor *descriptor); /* "float32 [2, 3]" */

/* How many elements a shape has; of a tensor that exists, so that it doesn't overflow. */
size_t wlua_count(const webnn_descriptor *descriptor);

/* ---- data: data.c */

typedef struct Data {
  void *bytes;
  size_t n_bytes;
} Data;

/* Looks at data of any kind: a packed string, a buffer, a table of numbers (nested too), a number,
 * C data, an object with getPointer and getSize, or an address with its size at `size_index` (0:
 * nowhere). `writable`: only what we may write into. Valid until the stack goes back under what
 * this pushes, which is one value. */
void wlua_data(lua_State *L, const Where *where, int index, int size_index, bool writable,
               webnn_data_type type, Data *out);

/* The same where it is a buffer, and nothing is pushed; false when it isn't one. */
bool wlua_buffer_data(lua_State *L, const Where *where, int index, webnn_data_type type, Data *out);
void wlua_data_init(lua_State *L); /* looks for LuaJIT's ffi */

/* Somebody else's handle: light userdata, a C pointer or its number. */
void *wlua_handle(lua_State *L, const Where *where, int index);

/* Pushes C data that is a number as a number, of 64 bits as its digits; nil (false) for any other.
 */
bool wlua_cdata_number(lua_State *L, int index);

/* A 64-bit integer as a number where that is exact, else C data, else a decimal string. */
void wlua_push_integer(lua_State *L, bool negative, uint64_t magnitude);

/* ---- buffers: buffer.c, element.c */

/* Their elements hold anything. */
Buffer *wlua_buffer_new(lua_State *L, webnn_data_type type, size_t n);
Buffer *wlua_buffer_shaped(lua_State *L, const webnn_descriptor *descriptor);
int wlua_buffer_create(lua_State *L); /* webnn.buffer */
void wlua_buffer_init(lua_State *L);

void wlua_element_push(lua_State *L, webnn_data_type type, const void *data, size_t i);
/* False when the number has no place in the type. */
bool wlua_element_set(webnn_data_type type, void *data, size_t i, webnn_number number);

/* ---- objects */

webnn_context *wlua_check_context(lua_State *L, int index);
webnn_builder *wlua_check_builder(lua_State *L, int index);
webnn_graph *wlua_check_graph(lua_State *L, const Where *where, int index);
webnn_tensor *wlua_check_tensor(lua_State *L, const Where *where, int index);

void wlua_push_context(lua_State *L, webnn_context *native); /* borrowed */
void wlua_push_builder(lua_State *L, webnn_builder *native); /* borrowed */
void wlua_push_graph(lua_State *L, webnn_graph *native);     /* borrowed */
void wlua_push_operand(lua_State *L, const webnn_operand *native);

/* Methods of the context: context.c, run.c, tensor.c. */
int wlua_create_context(lua_State *L);
int wlua_devices(lua_State *L); /* webnn.devices */
int wlua_dispatch(lua_State *L);
int wlua_compute(lua_State *L);
int wlua_create_tensor(lua_State *L);
int wlua_create_constant_tensor(lua_State *L);
int wlua_write_tensor(lua_State *L);
int wlua_read_tensor(lua_State *L);
int wlua_import_opencl(lua_State *L);

/* The tensor's and the graph's: opencl.c, run.c. */
int wlua_export_opencl(lua_State *L);
int wlua_return_opencl(lua_State *L);
int wlua_time_steps(lua_State *L);

/* The builder's: builder.c, serial.c. */
int wlua_save(lua_State *L);
int wlua_save_data(lua_State *L);
int wlua_load(lua_State *L);
int wlua_load_data(lua_State *L);
size_t wlua_read_outputs(lua_State *L, const char *function, int index, Scratch *scratch,
                         webnn_named_operand **out);

/* Futures. `begin` makes a closed one on the stack before the native future exists; it takes that
 * over. With a context it counts as one of its owners until it has settled: a context ends with its
 * last owner, and a future that somebody waits for must not fail because the collector was quick.
 */
typedef enum FutureKind { FUTURE_VALUE, FUTURE_BUILD, FUTURE_READ, FUTURE_LOST } FutureKind;
typedef struct Future {
  webnn_future *native;   /* NULL: settled, unless it is found by this address: a lost one */
  webnn_context *context; /* counted; NULL: none, or settled */
  FutureKind kind;
  bool settled, failed;        /* settled: the value is kept */
  bool into;                   /* a buffer of the caller's is kept, which gets the data */
  webnn_descriptor descriptor; /* of a read */
  uint32_t shape[WLUA_MAX_RANK];
} Future;

Future *wlua_future_begin(lua_State *L, FutureKind kind, webnn_context *context);
void wlua_future_settled(lua_State *L, bool failed); /* value on the top becomes a future of it */

void wlua_tensor_init(lua_State *L);
void wlua_operand_init(lua_State *L);
/* These leave the methods on the stack. */
void wlua_builder_init(lua_State *L);
void wlua_context_init(lua_State *L);
void wlua_future_init(lua_State *L);
void wlua_graph_init(lua_State *L);

/* ---- operations: opcall.c */

void wlua_opcall_init(lua_State *L); /* puts the methods into the table on the top */
int wlua_op_info(lua_State *L);

#endif
