/* webnn.Context: choosing a device, and what can be asked of it. Tensors and runs have files of
 * their own. */
#include "binding.h"

#include <string.h>

webnn_context *wlua_check_context(lua_State *L, int index) {
  Context *self = wlua_check(L, index, WLUA_CONTEXT);
  if (self->native == NULL) luaL_error(L, "the context is closed");
  return self->native;
}

void wlua_push_context(lua_State *L, webnn_context *native) {
  if (wlua_find(L, native)) return;
  Context *self = wlua_new(L, WLUA_CONTEXT, sizeof *self, 0);
  self->native = webnn_context_retain(native);
  wlua_remember(L, native);
}

/* ---- options of create_context */

enum {
  ACCELERATED,
  BACKEND,
  DEVICE,
  DEVICE_TYPE,
  MATH,
  OPENCL_CONTEXT,
  OPENCL_QUEUE,
  PASSES,
  POWER,
  THREADS,
  N_OPTIONS
};
static const char *const option_names[] = {
    "accelerated",    "backend",      "device", "device_type",      "math",
    "opencl_context", "opencl_queue", "passes", "power_preference", "threads"};

/* Pushes an option; false when it isn't given. */
static bool option(lua_State *L, int index, int i, Where *where) {
  *where = (Where){"create_context", option_names[i], 0};
  if (!lua_istable(L, index)) {
    lua_pushnil(L);
    return false;
  }
  lua_getfield(L, index, option_names[i]);
  return !lua_isnil(L, -1);
}

static const char *const device_types[] = {"cpu", "gpu", NULL};
static const char *const powers[] = {"default", "high-performance", "low-power", NULL};

static uint32_t enum_option(lua_State *L, int index, int i, const char *const *names) {
  Where where;
  return option(L, index, i, &where) ? wlua_enum(L, &where, -1, names) : 0;
}

/* NULL when it isn't given. */
static const char *text_option(lua_State *L, int index, int i) {
  Where where;
  if (!option(L, index, i, &where)) return NULL;
  webnn_str text = wlua_str(L, &where, -1);
  if (strlen(text.data) != text.size) wlua_argument_error(L, &where, "holds a NUL");
  return text.data;
}

static void *handle_option(lua_State *L, int index, int i) {
  Where where;
  return option(L, index, i, &where) ? wlua_handle(L, &where, -1) : NULL;
}

/* Leaves one value of each option on the stack, which keeps the strings. */
static void read_options(lua_State *L, int index, webnn_context_options *out) {
  static const char *const backends[] = {"auto", "onednn", "opencl", "reference", NULL};
  static const char *const maths[] = {"exact", "fast", NULL};
  Where where;
  wlua_check_options(L, "create_context", index, option_names, N_OPTIONS);
  luaL_checkstack(L, N_OPTIONS + 8, NULL);
  out->device_type = (webnn_device_type)enum_option(L, index, DEVICE_TYPE, device_types);
  out->power_preference = (webnn_power_preference)enum_option(L, index, POWER, powers);
  out->backend = backends[enum_option(L, index, BACKEND, backends)];
  out->math = (webnn_math)enum_option(L, index, MATH, maths);
  if (option(L, index, ACCELERATED, &where)) out->accelerated = wlua_bool(L, &where, -1);
  if (option(L, index, THREADS, &where)) out->threads = wlua_uint32(L, &where, -1);
  out->passes = text_option(L, index, PASSES);
  out->device = text_option(L, index, DEVICE);
  out->opencl_queue = handle_option(L, index, OPENCL_QUEUE);
  out->opencl_context = handle_option(L, index, OPENCL_CONTEXT);
}

/* ml:create_context(options): a settled future. */
int wlua_create_context(lua_State *L) {
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_error error;
  lua_settop(L, 2);
  read_options(L, 2, &options);
  Context *self = wlua_new(L, WLUA_CONTEXT, sizeof *self, 0);
  bool failed = webnn_context_create(&options, &self->native, &error) != WEBNN_OK;
  if (failed)
    wlua_refuse(L, NULL, &error);
  else
    wlua_remember(L, self->native);
  wlua_future_settled(L, failed);
  return 1;
}

/* ---- devices */

static void push_device(lua_State *L, const webnn_device_info *info) {
  lua_createtable(L, 0, 8);
  lua_pushstring(L, info->backend);
  lua_setfield(L, -2, "backend");
  lua_pushstring(L, device_types[info->device_type]);
  lua_setfield(L, -2, "device_type");
  lua_pushstring(L, info->name);
  lua_setfield(L, -2, "device");
  lua_pushstring(L, info->driver);
  lua_setfield(L, -2, "driver");
  wlua_push_integer(L, false, info->memory);
  lua_setfield(L, -2, "memory");
  lua_pushinteger(L, (lua_Integer)info->compute_units);
  lua_setfield(L, -2, "compute_units");
  lua_pushboolean(L, info->shares_memory);
  lua_setfield(L, -2, "shares_memory");
  lua_pushboolean(L, info->usable);
  lua_setfield(L, -2, "usable");
}

/* devices([{power_preference =}]): a list; of a kind, what a context would take first comes first.
 */
int wlua_devices(lua_State *L) {
  static const char *const names[] = {"power_preference"};
  Where where = {"devices", names[0], 0};
  webnn_power_preference preference = WEBNN_POWER_PREFERENCE_DEFAULT;
  webnn_device_info info = WEBNN_DEVICE_INFO_INIT;
  lua_settop(L, 1);
  wlua_check_options(L, where.function, 1, names, 1);
  if (!lua_isnil(L, 1)) {
    lua_getfield(L, 1, names[0]);
    if (!lua_isnil(L, -1)) preference = (webnn_power_preference)wlua_enum(L, &where, -1, powers);
  }
  lua_newtable(L);
  for (size_t i = 0; webnn_device_get_info(i, preference, &info); i++) {
    push_device(L, &info);
    lua_rawseti(L, -2, (int)i + 1);
  }
  return 1;
}

/* ---- asking */

static int op_support_limits(lua_State *L) {
  const char *text = webnn_context_op_support_limits(wlua_check_context(L, 1));
  if (text == NULL) return luaL_error(L, "not enough memory");
  lua_pushstring(L, text);
  return 1;
}

/* What the device reaches with nothing else to do, or nil and an error. */
static int measure_peaks(lua_State *L) {
  webnn_context *context = wlua_check_context(L, 1);
  webnn_peaks peaks = WEBNN_PEAKS_INIT;
  webnn_error error;
  if (webnn_context_measure_peaks(context, &peaks, &error) != WEBNN_OK) {
    lua_pushnil(L);
    wlua_refuse(L, context, &error);
    return 2;
  }
  lua_createtable(L, 0, 2);
  lua_pushnumber(L, peaks.flops);
  lua_setfield(L, -2, "flops");
  lua_pushnumber(L, peaks.bytes);
  lua_setfield(L, -2, "bytes");
  return 1;
}

static int get_fd(lua_State *L) {
  lua_pushinteger(L, webnn_context_fd(wlua_check_context(L, 1)));
  return 1;
}

static int drain(lua_State *L) {
  webnn_context_drain(wlua_check_context(L, 1));
  return 0;
}

static int destroy(lua_State *L) {
  webnn_context_destroy(wlua_check_context(L, 1));
  return 0;
}

static int accelerated(lua_State *L) {
  lua_pushboolean(L, webnn_context_accelerated(wlua_check_context(L, 1)));
  return 1;
}

static int lost(lua_State *L) {
  webnn_future *native = webnn_context_lost(wlua_check_context(L, 1));
  if (wlua_find(L, native)) return 1;
  Future *future = wlua_future_begin(L, FUTURE_LOST, NULL);
  future->native = webnn_future_retain(native);
  wlua_remember(L, native);
  return 1;
}

static int info(lua_State *L) {
  webnn_context_info info = WEBNN_CONTEXT_INFO_INIT;
  webnn_context_get_info(wlua_check_context(L, 1), &info);
  lua_createtable(L, 0, 5);
  lua_pushstring(L, info.backend);
  lua_setfield(L, -2, "backend");
  lua_pushstring(L, info.device);
  lua_setfield(L, -2, "device");
  lua_pushstring(L, info.driver);
  lua_setfield(L, -2, "driver");
  lua_pushinteger(L, (lua_Integer)info.threads);
  lua_setfield(L, -2, "threads");
  lua_pushstring(L, info.why == NULL ? "" : info.why);
  lua_setfield(L, -2, "why");
  return 1;
}

static int to_string(lua_State *L) {
  webnn_context *native = wlua_check_context(L, 1);
  webnn_context_info info = WEBNN_CONTEXT_INFO_INIT;
  webnn_context_get_info(native, &info);
  lua_pushfstring(L, "webnn.Context %s on %s, %d threads%s", info.backend, info.device,
                  (int)info.threads, webnn_context_is_lost(native) ? ", lost" : "");
  return 1;
}

/* ---- error scopes */

static const char *const filters[] = {
#define WEBNN_X(id, name) name,
    WEBNN_ERROR_FILTER_MAP(WEBNN_X)
#undef WEBNN_X
        NULL};

static int push_error_scope(lua_State *L) {
  webnn_context *context = wlua_check_context(L, 1);
  Where where = {"push_error_scope", "filter", 0};
  webnn_error_filter filter = (webnn_error_filter)wlua_enum(L, &where, 2, filters);
  webnn_error error;
  if (webnn_context_push_error_scope(context, filter, &error) != WEBNN_OK) wlua_raise(L, &error);
  return 0;
}

/* The first failure since the scope was opened, nil when there was none. */
static int pop_error_scope(lua_State *L) {
  webnn_error caught, error;
  if (webnn_context_pop_error_scope(wlua_check_context(L, 1), &caught, &error) != WEBNN_OK)
    wlua_raise(L, &error);
  if (caught.status == WEBNN_OK)
    lua_pushnil(L);
  else
    wlua_push_error(L, &caught);
  return 1;
}

/* ---- the type */

static int collect(lua_State *L) {
  Context *self = wlua_check(L, 1, WLUA_CONTEXT);
  webnn_context *native = self->native;
  self->native = NULL;
  webnn_context_release(native);
  return 0;
}

void wlua_context_init(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__gc", collect}, {"__close", destroy}, {"__tostring", to_string}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{"create_tensor", wlua_create_tensor},
                                     {"create_constant_tensor", wlua_create_constant_tensor},
                                     {"write_tensor", wlua_write_tensor},
                                     {"read_tensor", wlua_read_tensor},
                                     {"dispatch", wlua_dispatch},
                                     {"compute", wlua_compute},
                                     {"import_opencl", wlua_import_opencl},
                                     {"op_support_limits", op_support_limits},
                                     {"measure_peaks", measure_peaks},
                                     {"push_error_scope", push_error_scope},
                                     {"pop_error_scope", pop_error_scope},
                                     {"fd", get_fd},
                                     {"drain", drain},
                                     {"destroy", destroy},
                                     {NULL, NULL}};
  static const luaL_Reg properties[] = {
      {"accelerated", accelerated}, {"lost", lost}, {"info", info}, {NULL, NULL}};
  wlua_type(L, WLUA_CONTEXT, meta, methods, properties, wlua_index);
}
