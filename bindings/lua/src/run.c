/* Running graphs: dispatch on tensors, compute and profile on the caller's memory. */
#include "binding.h"

#include <limits.h>
#include <string.h>

/* What is given by name is looked at once, up to one entry more than there are ports: with that the
 * core has something to refuse, and nothing that runs meanwhile can make a list longer than its
 * room. */
static size_t room_for(lua_State *L, const Where *where, int index, size_t n_ports) {
  if (!lua_istable(L, index)) wlua_wrong(L, where, "a table by name", index);
  if (n_ports > (INT_MAX - 12) / 2 || !lua_checkstack(L, (int)(2 * n_ports) + 12))
    wlua_argument_error(L, where, "has too many entries for Lua's stack");
  return n_ports + 1;
}

static webnn_str name_at(lua_State *L, const Where *where, int index) {
  webnn_str name = {NULL, 0};
  if (lua_type(L, index) != LUA_TSTRING) wlua_argument_error(L, where, "must have names as keys");
  name.data = lua_tolstring(L, index, &name.size);
  return name;
}

/* ---- dispatch */

static size_t bind_tensors(lua_State *L, const char *argument, int index, size_t n_ports,
                           Scratch *scratch, webnn_named_tensor **out) {
  Where where = {"dispatch", argument, 0};
  size_t room = room_for(L, &where, index, n_ports), n = 0;
  *out = wlua_scratch_alloc(scratch, room, sizeof **out);
  for (lua_pushnil(L); n < room && lua_next(L, index) != 0; lua_pop(L, 1), n++) {
    (*out)[n].name = name_at(L, &where, -2);
    Tensor *tensor = wlua_test(L, -1, WLUA_TENSOR);
    if (tensor == NULL || tensor->native == NULL)
      wlua_argument_error(L, &where, "has no tensor as '%s'", lua_tostring(L, -2));
    (*out)[n].tensor = tensor->native;
  }
  return n;
}

/* dispatch(graph, inputs, outputs): true, or nil and the error of a lost context. */
int wlua_dispatch(lua_State *L) {
  webnn_context *context = wlua_check_context(L, 1);
  Where where = {"dispatch", "graph", 0};
  webnn_named_tensor *inputs, *outputs;
  webnn_error error;
  Scratch scratch;
  lua_settop(L, 4);
  wlua_scratch_init(&scratch, L);
  webnn_graph *graph = wlua_check_graph(L, &where, 2);
  size_t n_inputs = bind_tensors(L, "inputs", 3, webnn_graph_n_inputs(graph), &scratch, &inputs);
  size_t n_outputs =
      bind_tensors(L, "outputs", 4, webnn_graph_n_outputs(graph), &scratch, &outputs);
  if (webnn_graph_dispatch(context, graph, inputs, n_inputs, outputs, n_outputs, &error) ==
      WEBNN_OK) {
    lua_pushboolean(L, true);
    return 1;
  }
  lua_pushnil(L);
  wlua_refuse(L, context, &error);
  return 2;
}

/* ---- compute */

typedef webnn_str (*Getter)(const webnn_graph *graph, size_t i, webnn_descriptor *out);

/* The type of a port; float32 for a name that the core will refuse. */
static webnn_data_type port_type(const webnn_graph *graph, Getter get, webnn_str name) {
  webnn_descriptor descriptor;
  webnn_str port;
  for (size_t i = 0; (port = get(graph, i, &descriptor)).data != NULL; i++)
    if (port.size == name.size && memcmp(port.data, name.data, name.size) == 0)
      return descriptor.data_type;
  return WEBNN_DATA_TYPE_FLOAT32;
}

/* Leaves the name of each entry on the stack and what its value is turned into: while a later one
 * is looked at, code of the caller's may run and change the table. */
static size_t bind_data(lua_State *L, const char *function, const webnn_graph *graph, bool writable,
                        int index, Scratch *scratch, webnn_named_data **out) {
  Where where = {function, writable ? "outputs" : "inputs", 0};
  Getter get = writable ? webnn_graph_output : webnn_graph_input;
  size_t n_ports = writable ? webnn_graph_n_outputs(graph) : webnn_graph_n_inputs(graph);
  size_t room = room_for(L, &where, index, n_ports), n = 0;
  *out = wlua_scratch_alloc(scratch, room, sizeof **out);
  for (lua_pushnil(L); n < room && lua_next(L, index) != 0; n++) {
    Data data;
    webnn_str name = name_at(L, &where, -2);
    webnn_data_type type = port_type(graph, get, name);
    if (!wlua_buffer_data(L, &where, -1, type, &data)) {
      wlua_data(L, &where, -1, 0, writable, type, &data);
      if (lua_isnil(L, -1))
        lua_pop(L, 1);
      else
        lua_replace(L, -2);
    }
    lua_pushvalue(L, -2);
    (*out)[n] = (webnn_named_data){name, data.bytes, data.n_bytes};
  }
  return n;
}

/* Buffers for all outputs, in a new table on the stack. */
static size_t make_outputs(lua_State *L, const webnn_graph *graph, Scratch *scratch,
                           webnn_named_data **out) {
  size_t n = webnn_graph_n_outputs(graph);
  webnn_descriptor descriptor;
  *out = wlua_scratch_alloc(scratch, n, sizeof **out);
  lua_newtable(L);
  for (size_t i = 0; i < n; i++) {
    webnn_str name = webnn_graph_output(graph, i, &descriptor);
    wlua_push_str(L, name);
    Buffer *buffer = wlua_buffer_shaped(L, &descriptor);
    (*out)[i] =
        (webnn_named_data){name, buffer->data, buffer->n * webnn_data_type_bytes(buffer->type)};
    lua_rawset(L, -3);
  }
  return n;
}

/* compute(graph, inputs [, outputs]): blocks; the table of outputs, or nil and an error. */
int wlua_compute(lua_State *L) {
  webnn_context *context = wlua_check_context(L, 1);
  Where where = {"compute", "graph", 0};
  webnn_named_data *inputs, *outputs;
  webnn_error error;
  Scratch scratch;
  size_t n_outputs;
  lua_settop(L, 4);
  webnn_graph *graph = wlua_check_graph(L, &where, 2);
  wlua_scratch_init(&scratch, L);
  size_t n_inputs = bind_data(L, where.function, graph, false, 3, &scratch, &inputs);
  if (lua_isnil(L, 4)) {
    n_outputs = make_outputs(L, graph, &scratch, &outputs);
    lua_replace(L, 4);
  } else {
    n_outputs = bind_data(L, where.function, graph, true, 4, &scratch, &outputs);
  }
  if (webnn_graph_compute(context, graph, inputs, n_inputs, outputs, n_outputs, &error) ==
      WEBNN_OK) {
    lua_pushvalue(L, 4);
    return 1;
  }
  lua_pushnil(L);
  wlua_refuse(L, context, &error);
  return 2;
}

/* time_steps(graph, inputs, runs): the seconds of each step in all runs, in running order, or nil
 * and an error. What else a profile tells is said in Lua. */
int wlua_time_steps(lua_State *L) {
  Where where = {"profile", "graph", 0}, runs_where = {"profile", "runs", 0};
  webnn_named_data *inputs, *outputs;
  webnn_error error;
  webnn_status status = WEBNN_OK;
  Scratch scratch;
  lua_settop(L, 3);
  webnn_graph *graph = wlua_check_graph(L, &where, 1);
  webnn_context *context = webnn_graph_context(graph);
  uint32_t n_runs = wlua_uint32(L, &runs_where, 3);
  wlua_scratch_init(&scratch, L);
  size_t n_inputs = bind_data(L, where.function, graph, false, 2, &scratch, &inputs);
  size_t n_outputs = make_outputs(L, graph, &scratch, &outputs);
  size_t n_steps = webnn_graph_n_steps(graph);
  double *seconds = wlua_scratch_alloc(&scratch, n_steps, sizeof *seconds);
  for (size_t i = 0; i < n_steps; i++) seconds[i] = 0;
  for (uint32_t i = 0; i < n_runs && status == WEBNN_OK; i++)
    status = webnn_graph_profile(context, graph, inputs, n_inputs, outputs, n_outputs, seconds,
                                 n_steps, &error);
  if (status != WEBNN_OK) {
    lua_pushnil(L);
    wlua_refuse(L, context, &error);
    return 2;
  }
  lua_createtable(L, (int)n_steps, 0);
  for (size_t i = 0; i < n_steps; i++) {
    lua_pushnumber(L, seconds[i]);
    lua_rawseti(L, -2, (int)i + 1);
  }
  return 1;
}
