/* The module webnn.core: types and functions. What is better said in Lua is added by
 * webnn/init.lua. */
#include "binding.h"

#include <string.h>

/* ---- types */

static const char shared_key, metatables_key,
    module_key; /* their addresses are keys of the registry */

/* The list, which is userdata that the registry keeps. */
static const void **metatables(lua_State *L) {
  webnnL_rawgetp(L, &metatables_key);
  const void **list = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return list;
}

void wlua_push_shared(lua_State *L) {
  webnnL_rawgetp(L, &shared_key);
  lua_pushlightuserdata(L, metatables(L));
}

void wlua_push_function(lua_State *L, lua_CFunction function) {
  wlua_push_shared(L);
  lua_pushcclosure(L, function, WLUA_N_SHARED);
}

void wlua_functions(lua_State *L, const luaL_Reg *functions) {
  for (; functions->name != NULL; functions++) {
    wlua_push_function(L, functions->func);
    lua_setfield(L, -2, functions->name);
  }
}

/* Its own upvalue is a table of all names: a method is a function there, a property the address of
 * its row. */
int wlua_index(lua_State *L) {
  lua_settop(L, 2);
  lua_rawget(L, lua_upvalueindex(WLUA_N_SHARED + 1));
  if (lua_type(L, 2) != LUA_TLIGHTUSERDATA) return 1;
  const luaL_Reg *property = lua_touserdata(L, 2);
  return property->func(L);
}

const char *const wlua_type_names[WLUA_N_TYPES] = {
    [WLUA_CONTEXT] = "webnn.Context",      [WLUA_TENSOR] = "webnn.Tensor",
    [WLUA_BUILDER] = "webnn.GraphBuilder", [WLUA_OPERAND] = "webnn.Operand",
    [WLUA_GRAPH] = "webnn.Graph",          [WLUA_FUTURE] = "webnn.Future",
    [WLUA_BUFFER] = "webnn.Buffer",        [WLUA_ERROR] = "webnn.Error",
};

/* Metatables lie in the registry under their names, as Lua does it, and in the shared table under
 * their numbers; behind them are the objects. */
#define OBJECTS (WLUA_N_TYPES + 1)

void wlua_new_metatable(lua_State *L, WluaType type) {
  luaL_newmetatable(L, wlua_type_names[type]);
  lua_pushstring(L, wlua_type_names[type]);
  lua_setfield(L, -2, "__name");
  metatables(L)[type] = lua_topointer(L, -1);
  webnnL_rawgetp(L, &shared_key);
  lua_pushvalue(L, -2);
  lua_rawseti(L, -2, (int)type + 1);
  lua_pop(L, 1);
}

void wlua_push_metatable(lua_State *L, WluaType type) {
  lua_rawgeti(L, WLUA_SHARED, (int)type + 1);
}

void wlua_type(lua_State *L, WluaType type, const luaL_Reg *meta, const luaL_Reg *methods,
               const luaL_Reg *properties, lua_CFunction index) {
  wlua_new_metatable(L, type);
  wlua_functions(L, meta);
  lua_pushliteral(L, "webnn");
  lua_setfield(L, -2, "__metatable");
  lua_newtable(L);
  wlua_functions(L, methods);
  for (; properties != NULL && properties->name != NULL; properties++) {
    lua_pushlightuserdata(L, (void *)properties);
    lua_setfield(L, -2, properties->name);
  }
  if (index != NULL) {
    wlua_push_shared(L);
    lua_pushvalue(L, -3);
    lua_pushcclosure(L, index, WLUA_N_SHARED + 1);
  } else {
    lua_pushvalue(L, -1); /* nothing to compute: Lua looks by itself, which is faster */
  }
  lua_setfield(L, -3, "__index");
  lua_remove(L, -2);
}

void *wlua_new(lua_State *L, WluaType type, size_t n_bytes, size_t n_more) {
  luaL_checkstack(L, 4, NULL);
  void *object = lua_newuserdata(L, n_bytes + n_more);
  memset(object, 0, n_bytes);
  wlua_push_metatable(L, type);
  lua_setmetatable(L, -2);
  return object;
}

void *wlua_check(lua_State *L, int index, WluaType type) {
  void *object = wlua_test(L, index, type);
  return object != NULL ? object : luaL_checkudata(L, index, wlua_type_names[type]);
}

/* ---- one object for each native handle */

static void push_objects(lua_State *L) {
  luaL_checkstack(L, 4, NULL);
  lua_rawgeti(L, WLUA_SHARED, OBJECTS);
}

bool wlua_find(lua_State *L, const void *native) {
  push_objects(L);
  lua_pushlightuserdata(L, (void *)native);
  lua_rawget(L, -2);
  lua_remove(L, -2);
  if (!lua_isnil(L, -1)) return true;
  lua_pop(L, 1);
  return false;
}

void wlua_remember(lua_State *L, const void *native) {
  push_objects(L);
  lua_pushlightuserdata(L, (void *)native);
  lua_pushvalue(L, -3);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

static void shared_init(lua_State *L) {
  size_t n_bytes = WLUA_N_TYPES * sizeof(void *);
  lua_pushlightuserdata(L, (void *)&metatables_key);
  memset(lua_newuserdata(L, n_bytes), 0, n_bytes);
  lua_rawset(L, LUA_REGISTRYINDEX);
  lua_pushlightuserdata(L, (void *)&shared_key);
  lua_createtable(L, OBJECTS, 0);
  lua_newtable(L);
  lua_newtable(L);
  lua_pushliteral(L, "v");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  lua_rawseti(L, -2, OBJECTS);
  lua_rawset(L, LUA_REGISTRYINDEX);
}

/* ---- functions */

static int graph_builder(lua_State *L) {
  webnn_context *context = wlua_check_context(L, 1);
  Builder *self = wlua_new(L, WLUA_BUILDER, sizeof *self, 0);
  webnn_error error;
  if (webnn_builder_create(context, &self->native, &error) != WEBNN_OK) wlua_raise(L, &error);
  wlua_remember(L, self->native);
  return 1;
}

static int version(lua_State *L) {
  lua_pushstring(L, webnn_version());
  return 1;
}

/* The names of all operations, in the specification's order. */
static int ops(lua_State *L) {
  int n = 0;
  lua_newtable(L);
  for (const webnn_op *op = NULL; (op = webnn_op_next(op)) != NULL;) {
    lua_pushstring(L, webnn_op_name(op));
    lua_rawseti(L, -2, ++n);
  }
  return 1;
}

/* The name of one of webnn's types, nil for anything else. */
static int type_of(lua_State *L) {
  for (int type = 0; lua_isuserdata(L, 1) && type < WLUA_ERROR; type++)
    if (wlua_test(L, 1, (WluaType)type) != NULL) {
      lua_pushstring(L, strchr(wlua_type_names[type], '.') + 1);
      return 1;
    }
  lua_pushnil(L);
  return 1;
}

/* failed(error): a future that has failed. */
static int failed(lua_State *L) {
  lua_settop(L, 1);
  wlua_future_settled(L, true);
  return 1;
}

#if defined(_WIN32)
#include <windows.h>
static int now(lua_State *L) {
  LARGE_INTEGER count, frequency;
  QueryPerformanceCounter(&count);
  QueryPerformanceFrequency(&frequency);
  lua_pushnumber(L, (lua_Number)count.QuadPart / (lua_Number)frequency.QuadPart);
  return 1;
}
#else
#include <time.h>
static int now(lua_State *L) { /* seconds on a clock that never goes back */
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  lua_pushnumber(L, (lua_Number)time.tv_sec + (lua_Number)time.tv_nsec * 1e-9);
  return 1;
}
#endif

#if defined(__GNUC__)
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT __declspec(dllexport)
#endif

EXPORT int luaopen_webnn_core(lua_State *L);
int luaopen_webnn_core(lua_State *L) {
  static const luaL_Reg functions[] = {{"graph_builder", graph_builder},
                                       {"buffer", wlua_buffer_create},
                                       {"devices", wlua_devices},
                                       {"op_info", wlua_op_info},
                                       {"ops", ops},
                                       {"version", version},
                                       {"type", type_of},
                                       {"now", now},
                                       {"failed", failed},
                                       {NULL, NULL}};
  webnnL_rawgetp(L, &module_key);
  if (lua_istable(L, -1))
    return 1; /* once in a state: objects and functions of a first time go on */
  shared_init(L);
  wlua_errors_init(L);
  wlua_data_init(L);
  wlua_buffer_init(L);
  wlua_tensor_init(L);
  wlua_operand_init(L);
  lua_newtable(L);
  wlua_functions(L, functions);
  wlua_builder_init(L);
  lua_pop(L, 1);
  wlua_context_init(L);
  lua_setfield(L, -2, "context_methods");
  wlua_push_function(L, wlua_create_context);
  lua_setfield(L, -2, "create_context");
  wlua_graph_init(L);
  lua_setfield(L, -2, "graph_methods");
  wlua_future_init(L);
  lua_setfield(L, -2, "future_methods");
  luaL_getmetatable(L, wlua_type_names[WLUA_ERROR]);
  lua_setfield(L, -2, "error_meta");
  lua_pushlightuserdata(L, (void *)&module_key);
  lua_pushvalue(L, -2);
  lua_rawset(L, LUA_REGISTRYINDEX);
  return 1;
}
