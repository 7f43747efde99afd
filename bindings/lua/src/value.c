/* Lua values turned into the core's, and back. Every refusal names the function and the argument.
 */
#include "binding.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- scratch */

void wlua_scratch_init(Scratch *scratch, lua_State *L) {
  scratch->L = L;
  scratch->n_kept = 0;
  scratch->used = 0;
  lua_pushnil(L);
  scratch->anchor = lua_gettop(L);
}

void *wlua_scratch_alloc(Scratch *scratch, size_t n, size_t size) {
  lua_State *L = scratch->L;
  if (n > SIZE_MAX / 2 / size) luaL_error(L, "not enough memory");
  size_t n_bytes = (n * size + 15) / 16 * 16 + 16 * (n == 0);
  if (n_bytes <= sizeof scratch->first - scratch->used) {
    void *out = scratch->first + scratch->used;
    scratch->used += n_bytes;
    return out;
  }
  luaL_checkstack(L, 3, NULL);
  if (scratch->n_kept == 0) {
    lua_newtable(L);
    lua_replace(L, scratch->anchor);
  }
  void *block = lua_newuserdata(L, n_bytes);
  lua_rawseti(L, scratch->anchor, ++scratch->n_kept);
  return block;
}

/* ---- numbers */

static int64_t integer(lua_State *L, const Where *where, int index, int64_t min, int64_t max,
                       const char *wanted) {
  int64_t value;
  if (lua_type(L, index) != LUA_TNUMBER || !webnnL_tointeger(L, index, &value) || value < min ||
      value > max)
    return wlua_wrong(L, where, wanted, index);
  return value;
}

uint32_t wlua_uint32(lua_State *L, const Where *where, int index) {
  return (uint32_t)integer(L, where, index, 0, UINT32_MAX, "an integer from 0 to 4294967295");
}

int32_t wlua_int32(lua_State *L, const Where *where, int index) {
  return (int32_t)integer(L, where, index, INT32_MIN, INT32_MAX,
                          "an integer from -2147483648 to 2147483647");
}

/* Decimal digits with a sign, exact within 64 bits; what LuaJIT prints behind a 64-bit number may
 * follow. */
static bool parse_integer(const char *text, webnn_number *out) {
  const char *digits = text + (*text == '-' || *text == '+');
  size_t n = strspn(digits, "0123456789");
  const char *rest = digits + n;
  if (n == 0 || (*rest != '\0' && strcmp(rest, "LL") != 0 && strcmp(rest, "ULL") != 0))
    return false;
  errno = 0;
  if (*text == '-') {
    out->kind = WEBNN_NUMBER_INT64;
    out->as.i = strtoll(text, NULL, 10);
  } else {
    out->kind = WEBNN_NUMBER_UINT64;
    out->as.u = strtoull(text, NULL, 10);
    if (out->as.u <= INT64_MAX)
      *out = (webnn_number){WEBNN_NUMBER_INT64, {.i = (int64_t)out->as.u}};
  }
  return errno == 0;
}

static bool parse_number(const char *text, size_t size, webnn_number *out) {
  char *end;
  if (size == 0 || strlen(text) != size) return false;
  if (parse_integer(text, out)) return true;
  out->kind = WEBNN_NUMBER_DOUBLE;
  out->as.f = strtod(text, &end);
  return *end == '\0';
}

bool wlua_is_number(lua_State *L, int index, webnn_number *out) {
  size_t size;
  const char *text;
  bool is;
  index = webnnL_absindex(L, index);
  switch (lua_type(L, index)) {
    case LUA_TNUMBER:
      if (webnnL_isinteger(L, index))
        *out = (webnn_number){WEBNN_NUMBER_INT64, {.i = (int64_t)lua_tointeger(L, index)}};
      else
        *out = (webnn_number){WEBNN_NUMBER_DOUBLE, {.f = (double)lua_tonumber(L, index)}};
      return true;
    case LUA_TSTRING: text = lua_tolstring(L, index, &size); return parse_number(text, size, out);
    case LUA_TYPE_CDATA:
      is = wlua_cdata_number(L, index);
      if (is && lua_type(L, -1) == LUA_TNUMBER)
        *out = (webnn_number){WEBNN_NUMBER_DOUBLE, {.f = (double)lua_tonumber(L, -1)}};
      else if (is)
        is = parse_integer(lua_tostring(L, -1), out);
      lua_pop(L, 1);
      return is;
    default: return false;
  }
}

webnn_number wlua_number(lua_State *L, const Where *where, int index) {
  webnn_number number = {WEBNN_NUMBER_ABSENT, {0}};
  if (!wlua_is_number(L, index, &number)) wlua_wrong(L, where, "a number", index);
  return number;
}

bool wlua_bool(lua_State *L, const Where *where, int index) {
  if (lua_type(L, index) != LUA_TBOOLEAN) wlua_wrong(L, where, "true or false", index);
  return lua_toboolean(L, index);
}

/* ---- strings */

webnn_str wlua_str(lua_State *L, const Where *where, int index) {
  webnn_str str = {NULL, 0};
  if (lua_type(L, index) != LUA_TSTRING) wlua_wrong(L, where, "a string", index);
  str.data = lua_tolstring(L, index, &str.size);
  return str;
}

uint32_t wlua_enum(lua_State *L, const Where *where, int index, const char *const *names) {
  uint32_t n = 0;
  size_t size;
  index = webnnL_absindex(L, index); /* the message is put together on the stack */
  if (lua_type(L, index) == LUA_TSTRING)
    for (const char *text = lua_tolstring(L, index, &size); names[n] != NULL; n++)
      if (strlen(names[n]) == size && memcmp(text, names[n], size) == 0) return n;
  for (n = 0; names[n] != NULL;) n++;
  luaL_checkstack(L, 8, NULL);
  lua_pushfstring(L, "'%s'", names[0]);
  for (uint32_t i = 1; i < n; i++) {
    lua_pushfstring(L, i + 1 < n ? "%s, '%s'" : "%s or '%s'", lua_tostring(L, -1), names[i]);
    lua_remove(L, -2);
  }
  return (uint32_t)wlua_wrong(L, where, lua_tostring(L, -1), index);
}

webnn_data_type wlua_data_type(lua_State *L, const Where *where, int index) {
  static const char *const names[] = {
#define WEBNN_X(id, name, bytes) name,
      WEBNN_DATA_TYPE_MAP(WEBNN_X)
#undef WEBNN_X
          NULL};
  return (webnn_data_type)wlua_enum(L, where, index, names);
}

/* ---- lists */

size_t wlua_list(lua_State *L, const Where *where, int index) {
  if (lua_type(L, index) != LUA_TTABLE) wlua_wrong(L, where, "a list", index);
  size_t n = webnnL_rawlen(L, index), n_pairs = 0;
  luaL_checkstack(L, 4, NULL);
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) n_pairs++;
  if (n_pairs != n) wlua_argument_error(L, where, "must be a list without holes or names");
  return n;
}

const uint32_t *wlua_uints(lua_State *L, const Where *where, int index, Scratch *scratch,
                           size_t *n) {
  index = webnnL_absindex(L, index);
  *n = wlua_list(L, where, index);
  uint32_t *numbers = wlua_scratch_alloc(scratch, *n, sizeof *numbers);
  for (size_t i = 0; i < *n; i++) {
    lua_rawgeti(L, index, (int)i + 1);
    numbers[i] = wlua_uint32(L, where, -1);
    lua_pop(L, 1);
  }
  return numbers;
}

const double *wlua_floats(lua_State *L, const Where *where, int index, Scratch *scratch,
                          size_t *n) {
  index = webnnL_absindex(L, index);
  *n = wlua_list(L, where, index);
  double *numbers = wlua_scratch_alloc(scratch, *n, sizeof *numbers);
  for (size_t i = 0; i < *n; i++) {
    lua_rawgeti(L, index, (int)i + 1);
    webnn_number number = wlua_number(L, where, -1);
    numbers[i] = number.kind == WEBNN_NUMBER_DOUBLE  ? number.as.f
                 : number.kind == WEBNN_NUMBER_INT64 ? (double)number.as.i
                                                     : (double)number.as.u;
    if (!isfinite(numbers[i])) wlua_argument_error(L, where, "must hold finite numbers");
    lua_pop(L, 1);
  }
  return numbers;
}

/* ---- options */

void wlua_check_options(lua_State *L, const char *function, int index, const char *const *names,
                        size_t n_names) {
  Where where = {function, NULL, 0};
  if (lua_isnoneornil(L, index)) return;
  if (!lua_istable(L, index)) wlua_wrong(L, &(Where){function, "options", 0}, "a table", index);
  luaL_checkstack(L, 8, NULL);
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    size_t i = 0, size = 0;
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tolstring(L, -2, &size) : NULL;
    if (key == NULL) wlua_argument_error(L, &where, "the options are names with values");
    while (i < n_names && (strlen(names[i]) != size || memcmp(key, names[i], size) != 0)) i++;
    if (i < n_names) continue;
    where.options = index;
    const char *near = wlua_nearest(key, names, n_names);
    if (near == NULL) wlua_argument_error(L, &where, "there is no option '%s'", key);
    wlua_argument_error(L, &where, "there is no option '%s'; did you mean '%s'?", key, near);
  }
}

void wlua_descriptor(lua_State *L, const char *function, int index, Scratch *scratch,
                     webnn_descriptor *out) {
  Where shape = {function, "shape", index}, type = {function, "data_type", index};
  if (!lua_istable(L, index))
    wlua_wrong(L, &(Where){function, "descriptor", 0}, "a table with shape and data_type", index);
  luaL_checkstack(L, 8, NULL);
  lua_getfield(L, index, "shape");
  out->shape = wlua_uints(L, &shape, -1, scratch, &out->rank);
  lua_getfield(L, index, "data_type");
  out->data_type = wlua_data_type(L, &type, -1);
  lua_pop(L, 2);
}

/* ---- back to Lua */

void wlua_push_str(lua_State *L, webnn_str str) {
  lua_pushlstring(L, str.data == NULL ? "" : str.data, str.size);
}

void wlua_push_shape(lua_State *L, const webnn_descriptor *descriptor) {
  lua_createtable(L, (int)descriptor->rank, 0);
  for (size_t i = 0; i < descriptor->rank; i++) {
    wlua_push_integer(L, false, descriptor->shape[i]);
    lua_rawseti(L, -2, (int)i + 1);
  }
}

void wlua_push_descriptor(lua_State *L, const webnn_descriptor *descriptor) {
  lua_createtable(L, 0, 2);
  wlua_push_shape(L, descriptor);
  lua_setfield(L, -2, "shape");
  lua_pushstring(L, webnn_data_type_name(descriptor->data_type));
  lua_setfield(L, -2, "data_type");
}

void wlua_push_text(lua_State *L, const webnn_descriptor *descriptor) {
  luaL_Buffer text;
  char number[16];
  luaL_buffinit(L, &text);
  luaL_addstring(&text, webnn_data_type_name(descriptor->data_type));
  luaL_addstring(&text, " [");
  for (size_t i = 0; i < descriptor->rank; i++) {
    snprintf(number, sizeof number, "%s%lu", i == 0 ? "" : ", ",
             (unsigned long)descriptor->shape[i]);
    luaL_addstring(&text, number);
  }
  luaL_addstring(&text, "]");
  luaL_pushresult(&text);
}

size_t wlua_count(const webnn_descriptor *descriptor) {
  size_t n = 1;
  for (size_t i = 0; i < descriptor->rank; i++) n *= descriptor->shape[i];
  return n;
}
