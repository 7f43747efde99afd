/* One Lua for all: what 5.1 and LuaJIT lack and what 5.4 renamed. LuaJIT says 5.1 but already
 * declares some of these functions, so ours have names of their own. */
#ifndef WEBNN_LUA_COMPAT_H
#define WEBNN_LUA_COMPAT_H

#include <lauxlib.h>
#include <lua.h>

#include <stdbool.h>
#include <stdint.h>

#define LUA_TYPE_CDATA 10 /* LuaJIT's type of C data, which its headers don't name */

#if LUA_VERSION_NUM < 502
#define webnnL_rawlen(L, index) lua_objlen(L, index)
#define webnnL_absindex(L, index) \
  ((index) > 0 || (index) <= LUA_REGISTRYINDEX ? (index) : lua_gettop(L) + (index) + 1)

static inline void webnnL_rawgetp(lua_State *L, const void *key) {
  lua_pushlightuserdata(L, (void *)key);
  lua_rawget(L, LUA_REGISTRYINDEX);
}
#else
#define webnnL_rawlen(L, index) lua_rawlen(L, index)
#define webnnL_absindex(L, index) lua_absindex(L, index)
#define webnnL_rawgetp(L, key) lua_rawgetp(L, LUA_REGISTRYINDEX, key)
#endif

/* True for a number whose value is whole and fits. */
static inline bool webnnL_tointeger(lua_State *L, int index, int64_t *out) {
#if LUA_VERSION_NUM >= 503
  if (lua_isinteger(L, index)) {
    *out = (int64_t)lua_tointeger(L, index);
    return true;
  }
#endif
  double number = (double)lua_tonumber(L, index);
  if (!(number >= -9223372036854775808.0 && number < 9223372036854775808.0)) return false;
  *out = (int64_t)number;
  return (double)*out == number;
}

static inline bool webnnL_isinteger(lua_State *L, int index) {
#if LUA_VERSION_NUM >= 503
  return lua_isinteger(L, index);
#else
  (void)L, (void)index;
  return false;
#endif
}

/* The one Lua value that a userdata keeps alive: set from the top of the stack, which is popped.
 * Before 5.3 it has to be a table. */
static inline void webnnL_keep(lua_State *L, int index) {
  index = webnnL_absindex(L, index);
#if LUA_VERSION_NUM < 503
  lua_createtable(L, 1, 0);
  lua_insert(L, -2);
  lua_rawseti(L, -2, 1);
#endif
#if LUA_VERSION_NUM < 502
  lua_setfenv(L, index);
#else
  lua_setuservalue(L, index);
#endif
}

/* Pushes it. Only for a userdata for which it has been set. */
static inline void webnnL_kept(lua_State *L, int index) {
#if LUA_VERSION_NUM < 502
  lua_getfenv(L, index);
#else
  lua_getuservalue(L, index);
#endif
#if LUA_VERSION_NUM < 503
  lua_rawgeti(L, -1, 1);
  lua_remove(L, -2);
#endif
}

#endif
