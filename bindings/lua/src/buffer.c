/* webnn.Buffer: a typed array in memory that Lua's collector knows of. Indices begin with 1. */
#include "binding.h"

#include <stdio.h>
#include <string.h>

/* ---- making */

/* The elements lie behind the header, at a multiple of 16 when the userdata does. */
#define HEADER ((sizeof(Buffer) + 15) / 16 * 16)

static Buffer *allocate(lua_State *L, webnn_data_type type, size_t n) {
  size_t bytes = webnn_data_type_bytes(type);
  if (n > (SIZE_MAX / 2 - HEADER) / bytes) luaL_error(L, "not enough memory");
  Buffer *self = wlua_new(L, WLUA_BUFFER, HEADER, n * bytes);
  self->type = type;
  self->n = n;
  self->data = (char *)self + HEADER;
  return self;
}

Buffer *wlua_buffer_new(lua_State *L, webnn_data_type type, size_t n) {
  Buffer *self = allocate(L, type, n);
  self->rank = 1;
  self->shape[0] = (uint32_t)n;
  return self;
}

Buffer *wlua_buffer_shaped(lua_State *L, const webnn_descriptor *descriptor) {
  Buffer *self = allocate(L, descriptor->data_type, wlua_count(descriptor));
  self->rank = descriptor->rank <= WLUA_MAX_RANK ? (uint32_t)descriptor->rank : 0;
  for (uint32_t i = 0; i < self->rank; i++) self->shape[i] = descriptor->shape[i];
  return self;
}

static Buffer *check(lua_State *L) { return wlua_check(L, 1, WLUA_BUFFER); }

static size_t bytes_of(const Buffer *self) { return self->n * webnn_data_type_bytes(self->type); }

static size_t count_at(lua_State *L, const Where *where, int index, size_t most) {
  int64_t n;
  if (lua_type(L, index) != LUA_TNUMBER || !webnnL_tointeger(L, index, &n) || n < 0 ||
      (uint64_t)n > most)
    wlua_wrong(L, where, "a number of elements", index);
  return (size_t)n;
}

int wlua_buffer_create(lua_State *L) {
  Where type_where = {"buffer", "data_type", 0}, where = {"buffer", "data", 0};
  webnn_data_type type = wlua_data_type(L, &type_where, 1);
  Data data;
  int64_t n;
  if (lua_type(L, 2) == LUA_TNUMBER && lua_isnoneornil(L, 3)) {
    if (!webnnL_tointeger(L, 2, &n) || n < 0 || n > UINT32_MAX)
      wlua_wrong(L, &where, "a number of elements from 0 to 4294967295", 2);
    Buffer *self = wlua_buffer_new(L, type, (size_t)n);
    memset(self->data, 0, bytes_of(self));
    return 1;
  }
  lua_settop(L, 3);
  wlua_data(L, &where, 2, 3, false, type, &data);
  if (data.n_bytes % webnn_data_type_bytes(type) != 0)
    wlua_argument_error(L, &where, "has %d bytes, which is no whole number of elements",
                        (int)data.n_bytes);
  Buffer *self = wlua_buffer_new(L, type, data.n_bytes / webnn_data_type_bytes(type));
  if (data.n_bytes != 0) memcpy(self->data, data.bytes, data.n_bytes);
  return 1;
}

/* ---- elements */

/* Zero-based; false when it is no index of an element. */
static bool index_at(lua_State *L, const Buffer *self, int index, size_t *out) {
  int64_t i;
  if (lua_type(L, index) != LUA_TNUMBER || !webnnL_tointeger(L, index, &i) || i < 1 ||
      (uint64_t)i > self->n)
    return false;
  *out = (size_t)i - 1;
  return true;
}

static int buffer_index(lua_State *L) {
  const Buffer *self = check(L);
  size_t i;
  if (lua_type(L, 2) == LUA_TSTRING) return wlua_index(L);
  if (index_at(L, self, 2, &i))
    wlua_element_push(L, self->type, self->data, i);
  else
    lua_pushnil(L);
  return 1;
}

static int buffer_newindex(lua_State *L) {
  Buffer *self = check(L);
  Where where = {"buffer", "element", 0};
  size_t i;
  if (!index_at(L, self, 2, &i)) {
    lua_pushfstring(L, "an index from 1 to %d", (int)self->n);
    return wlua_wrong(L, &(Where){"buffer", "index", 0}, lua_tostring(L, -1), 2);
  }
  webnn_number number = wlua_number(L, &where, 3);
  if (!wlua_element_set(self->type, self->data, i, number))
    wlua_wrong(L, &where,
               lua_pushfstring(L, "a number of type %s", webnn_data_type_name(self->type)), 3);
  return 0;
}

static int buffer_len(lua_State *L) {
  wlua_push_integer(L, false, check(L)->n);
  return 1;
}

/* ---- the whole */

static int buffer_string(lua_State *L) {
  const Buffer *self = check(L);
  lua_pushlstring(L, self->data, bytes_of(self));
  return 1;
}

static int buffer_table(lua_State *L) {
  const Buffer *self = check(L);
  lua_createtable(L, (int)self->n, 0);
  for (size_t i = 0; i < self->n; i++) {
    wlua_element_push(L, self->type, self->data, i);
    lua_rawseti(L, -2, (int)i + 1);
  }
  return 1;
}

static int buffer_pointer(lua_State *L) {
  const Buffer *self = check(L);
  lua_pushlightuserdata(L, self->data);
  wlua_push_integer(L, false, bytes_of(self));
  return 2;
}

static int buffer_fill(lua_State *L) {
  Buffer *self = check(L);
  Where where = {"fill", "value", 0};
  size_t bytes = webnn_data_type_bytes(self->type);
  webnn_number number = wlua_number(L, &where, 2);
  if (self->n != 0 && !wlua_element_set(self->type, self->data, 0, number))
    wlua_wrong(L, &where,
               lua_pushfstring(L, "a number of type %s", webnn_data_type_name(self->type)), 2);
  for (size_t i = 1; i < self->n; i++) memcpy((char *)self->data + i * bytes, self->data, bytes);
  lua_settop(L, 1);
  return 1;
}

static int buffer_set(lua_State *L) {
  Buffer *self = check(L);
  Where where = {"set", "data", 0};
  Data data;
  lua_settop(L, 3);
  wlua_data(L, &where, 2, 3, false, self->type, &data);
  if (data.n_bytes != bytes_of(self))
    wlua_argument_error(L, &where, "has %d bytes, the buffer has %d", (int)data.n_bytes,
                        (int)bytes_of(self));
  if (data.n_bytes != 0) memmove(self->data, data.bytes, data.n_bytes);
  lua_settop(L, 1);
  return 1;
}

/* view(first, last, data_type): the same memory from element `first` to `last`, as another type if
 * asked. */
static int buffer_view(lua_State *L) {
  Buffer *self = check(L);
  Where where = {"view", "first", 0}, last_where = {"view", "last", 0},
        type_where = {"view", "data_type", 0};
  size_t first = lua_isnoneornil(L, 2) ? 1 : count_at(L, &where, 2, self->n + 1);
  size_t last = lua_isnoneornil(L, 3) ? self->n : count_at(L, &last_where, 3, self->n);
  webnn_data_type type = lua_isnoneornil(L, 4) ? self->type : wlua_data_type(L, &type_where, 4);
  if (first == 0) wlua_wrong(L, &where, "1 or more", 2);
  size_t n_bytes = last < first ? 0 : (last - first + 1) * webnn_data_type_bytes(self->type);
  if (n_bytes % webnn_data_type_bytes(type) != 0)
    wlua_argument_error(L, &type_where, "%s does not divide the view's %d bytes",
                        webnn_data_type_name(type), (int)n_bytes);
  Buffer *view = wlua_new(L, WLUA_BUFFER, sizeof *view, 0);
  view->type = type;
  view->n = n_bytes / webnn_data_type_bytes(type);
  view->data = (char *)self->data + (first - 1) * webnn_data_type_bytes(self->type);
  view->rank = 1;
  view->shape[0] = (uint32_t)view->n;
  lua_pushvalue(L, 1);
  webnnL_keep(L, -2); /* whose memory it is */
  return 1;
}

/* ---- properties */

static webnn_descriptor descriptor_of(const Buffer *self) {
  return (webnn_descriptor){self->type, self->rank, self->shape};
}

static int buffer_shape(lua_State *L) {
  webnn_descriptor descriptor = descriptor_of(check(L));
  wlua_push_shape(L, &descriptor);
  return 1;
}

static int buffer_data_type(lua_State *L) {
  lua_pushstring(L, webnn_data_type_name(check(L)->type));
  return 1;
}

static int buffer_tostring(lua_State *L) {
  const Buffer *self = check(L);
  webnn_descriptor descriptor = descriptor_of(self);
  size_t shown = self->n < 6 ? self->n : 6;
  luaL_checkstack(L, 16, NULL);
  lua_pushliteral(L, "webnn.Buffer ");
  wlua_push_text(L, &descriptor);
  lua_pushliteral(L, " {");
  for (size_t i = 0; i < shown; i++) {
    lua_pushstring(L, i == 0 ? "" : ", ");
    lua_concat(L, 2);
    lua_getglobal(L, "tostring");
    wlua_element_push(L, self->type, self->data, i);
    lua_call(L, 1, 1);
    lua_concat(L, 2);
  }
  lua_pushstring(L, shown < self->n ? ", ...}" : "}");
  lua_concat(L, 4);
  return 1;
}

void wlua_buffer_init(lua_State *L) {
  static const luaL_Reg meta[] = {{"__newindex", buffer_newindex},
                                  {"__len", buffer_len},
                                  {"__tostring", buffer_tostring},
                                  {NULL, NULL}};
  static const luaL_Reg methods[] = {{"string", buffer_string},
                                     {"table", buffer_table},
                                     {"pointer", buffer_pointer},
                                     {"view", buffer_view},
                                     {"fill", buffer_fill},
                                     {"set", buffer_set},
                                     {NULL, NULL}};
  static const luaL_Reg properties[] = {
      {"shape", buffer_shape}, {"data_type", buffer_data_type}, {NULL, NULL}};
  wlua_type(L, WLUA_BUFFER, meta, methods, properties, buffer_index);
  lua_pop(L, 1);
}
