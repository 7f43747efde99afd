/* Several Lua states in several threads: `states SCRIPT ARGUMENTS` runs a script in four threads at
 * once, each with a state of its own, twice; every state is closed with what the script left in
 * flight. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, TIMES = 2 };

static int argc_of_all;
static char **argv_of_all;

static void *run(void *failed) {
  for (int time = 0; time < TIMES; time++) {
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    lua_newtable(L);
    for (int i = 1; i < argc_of_all; i++) {
      lua_pushstring(L, argv_of_all[i]);
      lua_rawseti(L, -2, i - 1);
    }
    lua_setglobal(L, "arg");
    if (luaL_loadfile(L, argv_of_all[1]) || lua_pcall(L, 0, 0, 0)) {
      fprintf(stderr, "%s\n", lua_tostring(L, -1));
      *(int *)failed = 1;
    }
    lua_close(L);
  }
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[THREADS];
  int failed[THREADS] = {0}, any = argc < 2;
  argc_of_all = argc;
  argv_of_all = argv;
  for (int i = 0; i < THREADS && argc > 1; i++)
    if (pthread_create(&threads[i], NULL, run, &failed[i]) != 0) return 2;
  for (int i = 0; i < THREADS && argc > 1; i++) {
    pthread_join(threads[i], NULL);
    any = any || failed[i];
  }
  return any;
}
