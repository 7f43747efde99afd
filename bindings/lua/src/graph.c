/* webnn.Graph: a compiled graph. */
#include "binding.h"

static webnn_graph *check(lua_State *L) {
  Graph *self = wlua_check(L, 1, WLUA_GRAPH);
  if (self->native == NULL) luaL_error(L, "the graph is closed");
  return self->native;
}

webnn_graph *wlua_check_graph(lua_State *L, const Where *where, int index) {
  Graph *self = wlua_test(L, index, WLUA_GRAPH);
  if (self == NULL || self->native == NULL) wlua_wrong(L, where, "a webnn.Graph", index);
  return self->native;
}

void wlua_push_graph(lua_State *L, webnn_graph *native) {
  Graph *self = wlua_new(L, WLUA_GRAPH, sizeof *self, 0);
  self->native = webnn_graph_retain(native);
}

typedef webnn_str (*Getter)(const webnn_graph *graph, size_t i, webnn_descriptor *out);

static int push_ports(lua_State *L, size_t n, Getter get) {
  webnn_graph *graph = check(L);
  webnn_descriptor descriptor;
  lua_newtable(L);
  for (size_t i = 0; i < n; i++) {
    wlua_push_str(L, get(graph, i, &descriptor));
    wlua_push_descriptor(L, &descriptor);
    lua_rawset(L, -3);
  }
  return 1;
}

static int get_inputs(lua_State *L) {
  return push_ports(L, webnn_graph_n_inputs(check(L)), webnn_graph_input);
}

static int get_outputs(lua_State *L) {
  return push_ports(L, webnn_graph_n_outputs(check(L)), webnn_graph_output);
}

static int get_context(lua_State *L) {
  wlua_push_context(L, webnn_graph_context(check(L)));
  return 1;
}

static void set_string(lua_State *L, const char *name, const char *text) {
  lua_pushstring(L, text);
  lua_setfield(L, -2, name);
}

static void set_count(lua_State *L, const char *name, uint64_t count) {
  wlua_push_integer(L, false, count);
  lua_setfield(L, -2, name);
}

static void push_step(lua_State *L, const webnn_graph_step *step) {
  lua_createtable(L, 0, 11);
  set_string(L, "operations", step->operations);
  set_string(L, "kernel", step->kernel);
  set_string(L, "shapes", step->shapes);
  set_string(L, "layout", step->layout);
  set_string(L, "declined", step->declined);
  set_string(L, "reason", step->reason);
  wlua_push_str(L, step->label);
  lua_setfield(L, -2, "label");
  set_count(L, "threads", step->n_threads);
  set_count(L, "bytes", step->n_bytes);
  set_count(L, "flops", step->n_flops);
  set_count(L, "launches", step->n_launches);
}

/* The compiled steps in running order. */
static int steps(lua_State *L) {
  webnn_graph *graph = check(L);
  webnn_graph_step step = WEBNN_GRAPH_STEP_INIT;
  lua_newtable(L);
  for (size_t i = 0; webnn_graph_get_step(graph, i, &step); i++) {
    push_step(L, &step);
    lua_rawseti(L, -2, (int)i + 1);
  }
  return 1;
}

/* What it keeps in memory, in bytes. */
static int get_memory(lua_State *L) {
  webnn_graph_memory memory = WEBNN_GRAPH_MEMORY_INIT;
  webnn_graph_get_memory(check(L), &memory);
  lua_createtable(L, 0, 3);
  set_count(L, "weights", memory.weights);
  set_count(L, "arena", memory.arena);
  set_count(L, "scratch", memory.scratch);
  return 1;
}

static int destroy(lua_State *L) {
  webnn_graph_destroy(check(L));
  return 0;
}

static void add_ports(lua_State *L, size_t n, Getter get) {
  webnn_graph *graph = check(L);
  webnn_descriptor descriptor;
  luaL_checkstack(L, 12, NULL);
  lua_pushliteral(L, "");
  for (size_t i = 0; i < n; i++) {
    lua_pushstring(L, i == 0 ? "" : ", ");
    wlua_push_str(L, get(graph, i, &descriptor));
    lua_pushliteral(L, ": ");
    wlua_push_text(L, &descriptor);
    lua_concat(L, 5);
  }
}

static int to_string(lua_State *L) {
  webnn_graph *graph = check(L);
  lua_pushliteral(L, "webnn.Graph (");
  add_ports(L, webnn_graph_n_inputs(graph), webnn_graph_input);
  lua_pushliteral(L, ") -> (");
  add_ports(L, webnn_graph_n_outputs(graph), webnn_graph_output);
  lua_pushstring(L, webnn_graph_is_destroyed(graph) ? "), destroyed" : ")");
  lua_concat(L, 5);
  return 1;
}

static int collect(lua_State *L) {
  Graph *self = wlua_check(L, 1, WLUA_GRAPH);
  webnn_graph *native = self->native;
  self->native = NULL;
  webnn_graph_release(native);
  return 0;
}

void wlua_graph_init(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__gc", collect}, {"__close", destroy}, {"__tostring", to_string}, {NULL, NULL}};
  static const luaL_Reg methods[] = {
      {"destroy", destroy}, {"steps", steps}, {"time_steps", wlua_time_steps}, {NULL, NULL}};
  static const luaL_Reg properties[] = {{"inputs", get_inputs},
                                        {"outputs", get_outputs},
                                        {"context", get_context},
                                        {"memory", get_memory},
                                        {NULL, NULL}};
  wlua_type(L, WLUA_GRAPH, meta, methods, properties, wlua_index);
}
