/* webnn.Future: a native future and the Lua value it settles with. The value is made by whoever
 * looks first; no callback of ours runs on another thread. Waiting in coroutines is
 * webnn/scheduler.lua's. */
#include "binding.h"

#include <string.h>

Future *wlua_future_begin(lua_State *L, FutureKind kind, webnn_context *context) {
  Future *self = wlua_new(L, WLUA_FUTURE, sizeof *self, 0);
  self->kind = kind;
  self->context = context == NULL ? NULL : webnn_context_retain(context);
  return self;
}

static void give_back(Future *self) {
  webnn_future *native = self->native;
  webnn_context *context = self->context;
  self->native = NULL;
  self->context = NULL;
  webnn_future_release(native);
  webnn_context_release(context);
}

void wlua_future_settled(lua_State *L, bool failed) {
  Future *self = wlua_future_begin(L, FUTURE_VALUE, NULL);
  self->settled = true;
  self->failed = failed;
  lua_insert(L, -2);
  webnnL_keep(L, -2);
}

/* ---- settling */

static void push_read(lua_State *L, int index, const Future *self) {
  size_t n_bytes;
  const void *bytes = webnn_future_data(self->native, &n_bytes);
  Buffer *buffer;
  if (self->into) {
    webnnL_kept(L, index);
    buffer = lua_touserdata(L, -1);
  } else {
    buffer = wlua_buffer_shaped(L, &self->descriptor);
  }
  if (n_bytes != 0) memcpy(buffer->data, bytes, n_bytes);
}

static void push_lost(lua_State *L, const Future *self) {
  lua_createtable(L, 0, 1);
  lua_pushstring(L, webnn_future_message(self->native));
  lua_setfield(L, -2, "message");
}

/* What the native future has settled with. */
static bool push_outcome(lua_State *L, int index, const Future *self) {
  webnn_error error;
  if (webnn_future_result(self->native, &error) != WEBNN_OK) {
    wlua_push_error(L, &error);
    return false;
  }
  switch (self->kind) {
    case FUTURE_BUILD: wlua_push_graph(L, webnn_future_graph(self->native)); break;
    case FUTURE_READ: push_read(L, index, self); break;
    case FUTURE_LOST: push_lost(L, self); break;
    default: lua_pushboolean(L, true); break;
  }
  return true;
}

/* Takes the outcome of a native future that is done over. When that raises for want of memory, the
 * next look tries again. */
static void settle(lua_State *L, int index, Future *self) {
  luaL_checkstack(L, 8, NULL);
  self->failed = !push_outcome(L, index, self);
  lua_pushvalue(L, -1);
  webnnL_keep(L, index);
  self->settled = true;
  if (self->kind != FUTURE_LOST) give_back(self);
}

/* Pushes what the future has settled with. */
static void push_value(lua_State *L, int index, Future *self) {
  if (self->settled)
    webnnL_kept(L, index);
  else
    settle(L, index, self);
}

static bool is_done(const Future *self) { return self->settled || webnn_future_done(self->native); }

static Future *check(lua_State *L) { return wlua_check(L, 1, WLUA_FUTURE); }

/* ---- methods */

static int done(lua_State *L) {
  Future *self = check(L);
  lua_pushboolean(L, is_done(self));
  return 1;
}

/* wait(seconds): blocks the thread; nil: for ever. True when it has settled. */
static int wait(lua_State *L) {
  Future *self = check(L);
  double seconds = luaL_optnumber(L, 2, -1);
  int64_t ns = -1;
  if (seconds >= 0 && seconds < 9e9) ns = (int64_t)(seconds * 1e9);
  lua_pushboolean(L, self->settled || webnn_future_wait(self->native, ns) == WEBNN_OK);
  return 1;
}

/* What it settled with, or nil and the error. */
static int outcome(lua_State *L, Future *self) {
  lua_settop(L, 1);
  push_value(L, 1, self);
  if (!self->failed) return 1;
  lua_pushnil(L);
  lua_insert(L, -2);
  return 2;
}

/* value(): the outcome of one that has settled. */
static int value(lua_State *L) {
  Future *self = check(L);
  if (!is_done(self)) return luaL_error(L, "the future has not settled");
  return outcome(L, self);
}

/* finish(): blocks the thread until there is an outcome. */
static int finish(lua_State *L) {
  Future *self = check(L);
  if (!self->settled && webnn_future_wait(self->native, -1) != WEBNN_OK)
    return luaL_error(L, "the future cannot be waited for here");
  return outcome(L, self);
}

static int to_string(lua_State *L) {
  static const char *const kinds[] = {"value", "build", "read", "lost"};
  Future *self = check(L);
  lua_settop(L, 1);
  bool has_settled = is_done(self);
  if (has_settled) push_value(L, 1, self);
  const char *state = !has_settled ? "pending" : self->failed ? "failed" : "done";
  lua_pushfstring(L, "webnn.Future of a %s, %s", kinds[self->kind], state);
  if (self->kind == FUTURE_READ) {
    lua_pushliteral(L, ", ");
    wlua_push_text(L, &self->descriptor);
    lua_concat(L, 3);
  }
  return 1;
}

static int collect(lua_State *L) {
  Future *self = check(L);
  self->settled = true; /* a finalizer of the host's may still look */
  give_back(self);
  return 0;
}

void wlua_future_init(lua_State *L) {
  static const luaL_Reg meta[] = {{"__gc", collect}, {"__tostring", to_string}, {NULL, NULL}};
  static const luaL_Reg methods[] = {
      {"done", done}, {"wait", wait}, {"value", value}, {"finish", finish}, {NULL, NULL}};
  wlua_type(L, WLUA_FUTURE, meta, methods, NULL, NULL);
}
