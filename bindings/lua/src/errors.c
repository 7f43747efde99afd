/* Failures: what is raised, and what is handed over as a value. */
#include "binding.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static int error_tostring(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_getfield(L, 1, "name");
  lua_pushliteral(L, ": ");
  lua_getfield(L, 1, "message");
  lua_concat(L, 3);
  return 1;
}

void wlua_errors_init(lua_State *L) {
  wlua_new_metatable(L, WLUA_ERROR);
  wlua_push_function(L, error_tostring);
  lua_setfield(L, -2, "__tostring");
  lua_pop(L, 1);
}

void wlua_push_error(lua_State *L, const webnn_error *error) {
  lua_createtable(L, 0, 2);
  lua_pushstring(L, webnn_status_name(error->status));
  lua_setfield(L, -2, "name");
  lua_pushstring(L, error->message);
  lua_setfield(L, -2, "message");
  wlua_push_metatable(L, WLUA_ERROR);
  lua_setmetatable(L, -2);
}

_Noreturn int wlua_raise(lua_State *L, const webnn_error *error) {
  if (error->status == WEBNN_ERROR_TYPE)
    luaL_error(L, "%s", error->message);
  else
    luaL_error(L, "%s: %s", webnn_status_name(error->status), error->message);
  abort(); /* not reached: luaL_error jumps */
}

void wlua_refuse(lua_State *L, const webnn_context *context, const webnn_error *error) {
  bool misuse = error->status == WEBNN_ERROR_TYPE || error->status == WEBNN_ERROR_INVALID_STATE;
  if (misuse && (context == NULL || !webnn_context_is_lost(context))) wlua_raise(L, error);
  wlua_push_error(L, error);
}

/* ---- arguments */

static void push_label(lua_State *L, const Where *where) {
  size_t size = 0;
  if (where->options != 0 && lua_istable(L, where->options)) {
    lua_pushliteral(L, "label");
    lua_rawget(L, where->options);
    if (lua_type(L, -1) == LUA_TSTRING) lua_tolstring(L, -1, &size);
    if (size != 0)
      lua_pushfstring(L, "[%s] ", lua_tostring(L, -1));
    else
      lua_pushliteral(L, "");
    lua_remove(L, -2);
  } else {
    lua_pushliteral(L, "");
  }
}

_Noreturn int wlua_argument_error(lua_State *L, const Where *where, const char *format, ...) {
  va_list args;
  luaL_checkstack(L, 8, NULL);
  luaL_where(L, 1);
  push_label(L, where);
  if (where->argument != NULL)
    lua_pushfstring(L, "%s: %s ", where->function, where->argument);
  else
    lua_pushfstring(L, "%s: ", where->function);
  va_start(args, format);
  lua_pushvfstring(L, format, args);
  va_end(args);
  lua_concat(L, 4);
  lua_error(L);
  abort(); /* not reached: lua_error jumps */
}

_Noreturn int wlua_wrong(lua_State *L, const Where *where, const char *wanted, int index) {
  luaL_checkstack(L, 8, NULL);
  switch (lua_type(L, index)) {
    case LUA_TNUMBER:
      lua_pushvalue(L, index);
      wlua_argument_error(L, where, "must be %s, not %s", wanted, lua_tostring(L, -1));
    case LUA_TSTRING:
      wlua_argument_error(L, where, "must be %s, not '%s'", wanted, lua_tostring(L, index));
    case LUA_TNIL:
    case LUA_TNONE: wlua_argument_error(L, where, "must be %s, not nil", wanted);
    case LUA_TUSERDATA:
      if (wlua_test(L, index, WLUA_FUTURE) != NULL)
        wlua_argument_error(L, where, "must be %s, not a webnn.Future: await it", wanted);
      if (luaL_getmetafield(L, index, "__name") && lua_type(L, -1) == LUA_TSTRING)
        wlua_argument_error(L, where, "must be %s, not a %s", wanted, lua_tostring(L, -1));
      wlua_argument_error(L, where, "must be %s, not a userdata", wanted);
    default:
      wlua_argument_error(L, where, "must be %s, not a %s", wanted,
                          lua_typename(L, lua_type(L, index)));
  }
}

/* ---- the nearest name */

#define MAX_NAME 40

/* How many letters have to be put in, taken out or changed. */
static size_t edits(const char *a, const char *b) {
  size_t n = strlen(b), row[MAX_NAME + 1];
  if (strlen(a) > MAX_NAME || n > MAX_NAME) return MAX_NAME;
  for (size_t j = 0; j <= n; j++) row[j] = j;
  for (size_t i = 0; a[i] != '\0'; i++) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 1; j <= n; j++) {
      size_t change = diagonal + (a[i] != b[j - 1]),
             least = row[j] < row[j - 1] ? row[j] : row[j - 1];
      diagonal = row[j];
      row[j] = change < least + 1 ? change : least + 1;
    }
  }
  return row[n];
}

const char *wlua_nearest(const char *name, const char *const *names, size_t n) {
  const char *best = NULL;
  size_t least = 2 + strlen(name) / 3;
  for (size_t i = 0; i < n; i++) {
    size_t apart = edits(name, names[i]);
    if (apart >= least) continue;
    least = apart;
    best = names[i];
  }
  return best;
}
