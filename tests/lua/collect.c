/* A Lua host whose allocator fails every first attempt: Lua then does a full collection and tries
 * again, so that whatever isn't held is gone at the making of every object. For 5.3 and later: 5.2
 * itself loses an open upvalue then. `collect SCRIPT ARGUMENTS` runs a script as lua does;
 * WEBNN_COLLECT=n makes every n-th object such a one. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct pressure {
  long every, n;
  int refused;
} pressure;

static void *allocate(void *ud, void *block, size_t old_size, size_t new_size) {
  pressure *state = ud;
  if (new_size == 0) {
    free(block);
    return NULL;
  }
  /* For a new object the old size is its type; lauxlib's own buffers come with 0 and would not try
   * again. */
  if (state->every > 0 && block == NULL && old_size != 0) {
    if (!state->refused && ++state->n >= state->every) {
      state->refused = 1;
      state->n = 0;
      return NULL;
    }
    state->refused = 0;
  }
  return realloc(block, new_size);
}

static void set_arguments(lua_State *L, int argc, char **argv) {
  lua_newtable(L);
  for (int i = 1; i < argc; i++) {
    lua_pushstring(L, argv[i]);
    lua_rawseti(L, -2, i - 1);
  }
  lua_setglobal(L, "arg");
}

int main(int argc, char **argv) {
  pressure state = {0, 0, 0};
  const char *every = getenv("WEBNN_COLLECT");
  lua_State *L = lua_newstate(allocate, &state);
  if (L == NULL || argc < 2) return 2;
  luaL_openlibs(L);
  set_arguments(L, argc, argv);
  state.every = every != NULL ? atol(every) : 1;
  int failed = luaL_loadfile(L, argv[1]) || lua_pcall(L, 0, 0, 0);
  if (failed) fprintf(stderr, "%s\n", lua_tostring(L, -1));
  lua_close(L);
  return failed != 0;
}
