/* Other people's memory: strings, tables, C data, addresses, objects that tell where their bytes
 * are. */
#include "binding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- LuaJIT's C data: the C API can't look into it, so Lua does */

/* The library functions are taken when the module is loaded: what a program makes of its globals,
 * and of its own types' metamethods, doesn't matter. */
static const char shim_text[] =
    "local ffi = ...\n"
    "local tostring, tonumber, pcall, find = tostring, tonumber, pcall, string.find\n"
    "local cast, sizeof, typeof, istype = ffi.cast, ffi.sizeof, ffi.typeof, ffi.istype\n"
    "local function number(x)\n"
    "  if istype('int64_t', x) or istype('uint64_t', x) then return tostring(x) end\n"
    "  return tonumber(x)\n"
    "end\n"
    "local function look(x)\n" /* address, bytes (nil: a pointer or a number, which has none) */
    "  if number(x) then return tonumber(x), nil end\n"
    "  local ok, at = pcall(cast, 'const void *', x)\n"
    "  if not ok then return nil end\n"
    "  local name = tostring(typeof(x))\n"
    "  local pointer = find(name, '%*[%s%a]*>$') or find(name, '(*', 1, true)\n"
    "  return tonumber(cast('uintptr_t', at)), not pointer and sizeof(x) or nil\n"
    "end\n"
    "local function make(negative, high, low)\n"
    "  local x = cast('uint64_t', high) * 4294967296ULL + low\n"
    "  if negative then return -cast('int64_t', x) end\n"
    "  return high < 2147483648 and cast('int64_t', x) or x\n"
    "end\n"
    "return number, look, make\n";

static const char number_key, look_key, make_key; /* their addresses are keys of the registry */

/* The function on the top. */
static void keep_function(lua_State *L, const char *key) {
  lua_pushlightuserdata(L, (void *)key);
  lua_insert(L, -2);
  lua_rawset(L, LUA_REGISTRYINDEX);
}

static void keep_shim(lua_State *L) {
  if (luaL_loadbuffer(L, shim_text, sizeof shim_text - 1, "=webnn") == 0) {
    lua_insert(L, -2);
    lua_call(L, 1, 3);
    keep_function(L, &make_key);
    keep_function(L, &look_key);
    keep_function(L, &number_key);
  } else {
    lua_pop(L, 2);
  }
}

void wlua_data_init(lua_State *L) {
  lua_getglobal(L, "jit");
  bool jit = lua_istable(L, -1);
  lua_pop(L, 1);
  if (!jit) return;
  lua_getglobal(L, "require");
  lua_pushliteral(L, "ffi");
  if (lua_pcall(L, 1, 1, 0) == 0)
    keep_shim(L);
  else
    lua_pop(L, 1); /* a host without ffi */
}

static bool push_shim(lua_State *L, const char *key) {
  webnnL_rawgetp(L, key);
  if (lua_isfunction(L, -1)) return true;
  lua_pop(L, 1);
  return false;
}

bool wlua_cdata_number(lua_State *L, int index) {
  index = webnnL_absindex(L, index);
  if (push_shim(L, &number_key)) {
    lua_pushvalue(L, index);
    lua_call(L, 1, 1);
  } else {
    lua_pushnil(L);
  }
  return !lua_isnil(L, -1);
}

/* What the number types can't hold. */
static void push_big(lua_State *L, bool negative, uint64_t magnitude) {
  char digits[24], *at = digits + sizeof digits;
  if (push_shim(L, &make_key)) {
    lua_pushboolean(L, negative);
    lua_pushnumber(L, (lua_Number)(magnitude >> 32));
    lua_pushnumber(L, (lua_Number)(magnitude & UINT32_MAX));
    lua_call(L, 3, 1);
    return;
  }
  for (*--at = '\0'; magnitude != 0; magnitude /= 10) *--at = (char)('0' + magnitude % 10);
  if (negative) *--at = '-';
  lua_pushstring(L, at);
}

void wlua_push_integer(lua_State *L, bool negative, uint64_t magnitude) {
#if LUA_VERSION_NUM >= 503
  if (magnitude <= (uint64_t)LUA_MAXINTEGER + negative) {
    uint64_t bits = negative ? 0 - magnitude : magnitude;
    lua_Integer value;
    memcpy(&value, &bits, sizeof value);
    lua_pushinteger(L, value);
    return;
  }
#else
  if (magnitude <= (uint64_t)1 << 53) {
    lua_pushnumber(L, negative ? -(lua_Number)magnitude : (lua_Number)magnitude);
    return;
  }
#endif
  push_big(L, negative, magnitude);
}

/* ---- tables of numbers */

#define MAX_DEPTH (WLUA_MAX_RANK + 1)

static size_t count_numbers(lua_State *L, const Where *where, int index, int depth) {
  if (depth == MAX_DEPTH) wlua_argument_error(L, where, "is nested too deeply");
  luaL_checkstack(L, 8, NULL);
  size_t n = wlua_list(L, where, index), total = 0;
  for (size_t i = 1; i <= n; i++) {
    lua_rawgeti(L, index, (int)i);
    total += lua_istable(L, -1) ? count_numbers(L, where, lua_gettop(L), depth + 1) : 1;
    lua_pop(L, 1);
  }
  return total;
}

static void set_element(lua_State *L, const Where *where, int index, webnn_data_type type,
                        void *bytes, size_t i) {
  webnn_number number = wlua_number(L, where, index);
  if (!wlua_element_set(type, bytes, i, number)) {
    lua_pushvalue(L, index);
    wlua_argument_error(L, where, "holds %s, which %s cannot hold", lua_tostring(L, -1),
                        webnn_data_type_name(type));
  }
}

/* At most `room` elements: a finalizer that runs meanwhile may have made the table longer. */
static size_t fill(lua_State *L, const Where *where, int index, webnn_data_type type, void *bytes,
                   size_t at, size_t room) {
  size_t n = webnnL_rawlen(L, index);
  luaL_checkstack(L, 8, NULL);
  for (size_t i = 1; i <= n && at < room; i++) {
    lua_rawgeti(L, index, (int)i);
    if (lua_istable(L, -1))
      at = fill(L, where, lua_gettop(L), type, bytes, at, room);
    else
      set_element(L, where, -1, type, bytes, at++);
    lua_pop(L, 1);
  }
  return at;
}

static void table_data(lua_State *L, const Where *where, int index, webnn_data_type type,
                       Data *out) {
  size_t n = count_numbers(L, where, index, 0);
  out->n_bytes = n * webnn_data_type_bytes(type);
  out->bytes = lua_newuserdata(L, out->n_bytes + 1);
  memset(out->bytes, 0, out->n_bytes + 1);
  fill(L, where, index, type, out->bytes, 0, n);
}

static void number_data(lua_State *L, const Where *where, int index, webnn_data_type type,
                        Data *out) {
  out->n_bytes = webnn_data_type_bytes(type);
  out->bytes = lua_newuserdata(L, out->n_bytes);
  set_element(L, where, index, type, out->bytes, 0);
}

/* ---- addresses */

/* Nothing lies on the first page: a small number there is a mistake. */
static void *address_of(lua_State *L, const Where *where, lua_Number number) {
  if (!(number >= 4096 && number < 18446744073709551616.0) || number != floor(number))
    wlua_argument_error(L, where, "is no address");
  return (void *)(uintptr_t)number;
}

static void *light_address(lua_State *L, const Where *where, int index) {
  void *address = lua_touserdata(L, index);
  if ((uintptr_t)address < 4096) wlua_argument_error(L, where, "is no address");
  return address;
}

static size_t size_at(lua_State *L, const Where *where, int index) {
  int64_t size = -1;
  if (index == 0 || lua_isnoneornil(L, index))
    wlua_argument_error(L, where, "is an address: its size in bytes must follow");
  if (lua_type(L, index) != LUA_TNUMBER || !webnnL_tointeger(L, index, &size) || size < 0)
    wlua_argument_error(L, where, "has a size that is no whole number of bytes");
  return (size_t)size;
}

/* False when it is nothing that has an address. */
static bool cdata_data(lua_State *L, const Where *where, int index, int size_index, Data *out) {
  if (!push_shim(L, &look_key)) wlua_argument_error(L, where, "is C data, but there is no ffi");
  lua_pushvalue(L, index);
  lua_call(L, 1, 2);
  bool found = !lua_isnil(L, -2);
  if (found) {
    out->bytes = address_of(L, where, lua_tonumber(L, -2));
    out->n_bytes = lua_isnil(L, -1) || (size_index != 0 && !lua_isnoneornil(L, size_index))
                       ? size_at(L, where, size_index)
                       : (size_t)lua_tonumber(L, -1);
  }
  lua_pop(L, 2);
  return found;
}

void *wlua_handle(lua_State *L, const Where *where, int index) {
  int type = lua_type(L, index), top = lua_gettop(L);
  void *handle = NULL;
  luaL_checkstack(L, 8, NULL);
  if (type == LUA_TLIGHTUSERDATA) {
    handle = light_address(L, where, index);
  } else if (type == LUA_TNUMBER) {
    handle = address_of(L, where, lua_tonumber(L, index));
  } else if (type == LUA_TYPE_CDATA && push_shim(L, &look_key)) {
    lua_pushvalue(L, index < 0 ? index - 1 : index);
    lua_call(L, 1, 2);
    if (!lua_isnil(L, -2) && lua_isnil(L, -1)) handle = address_of(L, where, lua_tonumber(L, -2));
  }
  lua_settop(L, top);
  if (handle == NULL) wlua_wrong(L, where, "a pointer", index);
  return handle;
}

static bool call_method(lua_State *L, int index, const char *name) {
  lua_getfield(L, index, name);
  if (lua_isfunction(L, -1)) {
    lua_pushvalue(L, index);
    lua_call(L, 1, 1);
    if (!lua_isnil(L, -1)) return true;
  }
  lua_pop(L, 1);
  return false;
}

/* An object that says where its bytes are and how many: LÖVE's Data. False when it isn't one. */
static bool object_data(lua_State *L, const Where *where, int index, Data *out) {
  if (!luaL_getmetafield(L, index, "__index")) return false;
  lua_pop(L, 1);
  if (!call_method(L, index, "getFFIPointer") && !call_method(L, index, "getPointer")) return false;
  int pointer = lua_gettop(L);
  if (!call_method(L, index, "getSize")) {
    lua_pop(L, 1);
    return false;
  }
  out->n_bytes = size_at(L, where, pointer + 1);
  if (lua_type(L, pointer) == LUA_TLIGHTUSERDATA)
    out->bytes = light_address(L, where, pointer);
  else if (lua_type(L, pointer) != LUA_TYPE_CDATA)
    out->bytes = address_of(L, where, lua_tonumber(L, pointer));
  else if (!cdata_data(L, where, pointer, pointer + 1, out))
    wlua_argument_error(L, where, "is no address");
  lua_pop(L, 2);
  return true;
}

bool wlua_buffer_data(lua_State *L, const Where *where, int index, webnn_data_type type,
                      Data *out) {
  const Buffer *buffer = wlua_test(L, index, WLUA_BUFFER);
  if (buffer == NULL) return false;
  if (buffer->type != type && buffer->type != WEBNN_DATA_TYPE_UINT8)
    wlua_argument_error(L, where, "holds %s, not %s", webnn_data_type_name(buffer->type),
                        webnn_data_type_name(type));
  out->bytes = buffer->data;
  out->n_bytes = buffer->n * webnn_data_type_bytes(buffer->type);
  return true;
}

static bool is_cdata_number(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TYPE_CDATA) return false;
  bool is = wlua_cdata_number(L, index);
  lua_pop(L, 1);
  return is;
}

/* A list that begins with an address is an address and its size. */
static bool pair_data(lua_State *L, const Where *where, int index, Data *out) {
  lua_rawgeti(L, index, 1);
  int type = lua_type(L, -1), pointer = lua_gettop(L);
  bool is = type == LUA_TLIGHTUSERDATA;
  lua_rawgeti(L, index, 2);
  if (is) {
    out->bytes = light_address(L, where, pointer);
    out->n_bytes = size_at(L, where, pointer + 1);
  } else if (type == LUA_TYPE_CDATA && !is_cdata_number(L, pointer)) {
    is = cdata_data(L, where, pointer, pointer + 1, out);
  }
  lua_pop(L, 2);
  return is;
}

static const char wanted[] =
    "data: a string, a buffer, a table of numbers, or an address with its size";

static void borrowed(lua_State *L, const Where *where, int index, int size_index, Data *out) {
  int kind = lua_type(L, index);
  if (kind == LUA_TLIGHTUSERDATA) {
    out->bytes = light_address(L, where, index);
    out->n_bytes = size_at(L, where, size_index);
  } else if (kind == LUA_TYPE_CDATA) {
    if (!cdata_data(L, where, index, size_index, out)) wlua_wrong(L, where, wanted, index);
  } else if (kind == LUA_TNUMBER) {
    out->bytes = address_of(L, where, lua_tonumber(L, index));
    out->n_bytes = size_at(L, where, size_index);
  } else if (kind != LUA_TUSERDATA || !object_data(L, where, index, out)) {
    wlua_wrong(L, where, wanted, index);
  }
}

void wlua_data(lua_State *L, const Where *where, int index, int size_index, bool writable,
               webnn_data_type type, Data *out) {
  bool sized = size_index != 0 && !lua_isnoneornil(L, size_index);
  int kind = lua_type(L, index);
  luaL_checkstack(L, 12, NULL);
  if (kind == LUA_TUSERDATA && wlua_buffer_data(L, where, index, type, out)) {
    lua_pushnil(L);
    return;
  }
  index = webnnL_absindex(L, index);
  if (kind == LUA_TTABLE && pair_data(L, where, index, out)) {
    lua_pushnil(L);
  } else if (!writable && kind == LUA_TTABLE) {
    table_data(L, where, index, type, out);
  } else if (!writable && kind == LUA_TSTRING) {
    out->bytes = (void *)lua_tolstring(L, index, &out->n_bytes);
    lua_pushnil(L);
  } else if (!writable && !sized && (kind == LUA_TNUMBER || is_cdata_number(L, index))) {
    number_data(L, where, index, type, out);
  } else {
    borrowed(L, where, index, size_index, out);
    lua_pushnil(L);
  }
}
