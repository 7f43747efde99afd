/* webnn.GraphBuilder: inputs, constants, the build. Operations are put among its methods by
 * opcall.c. */
#include "binding.h"

webnn_builder *wlua_check_builder(lua_State *L, int index) {
  Builder *self = wlua_check(L, index, WLUA_BUILDER);
  if (self->native == NULL) luaL_error(L, "the builder is closed");
  return self->native;
}

void wlua_push_builder(lua_State *L, webnn_builder *native) {
  if (wlua_find(L, native)) return;
  Builder *self = wlua_new(L, WLUA_BUILDER, sizeof *self, 0);
  self->native = webnn_builder_retain(native);
  wlua_remember(L, native);
}

/* Pushes what the call that gave `status` put into `*operand`. */
static int give(lua_State *L, webnn_builder *builder, webnn_status status,
                webnn_operand *const *operand) {
  if (status != WEBNN_OK) return wlua_raise(L, webnn_builder_error(builder));
  wlua_push_operand(L, *operand);
  return 1;
}

/* ---- input and constant */

static const char *const descriptor_names[] = {"shape", "data_type"};

/* input(name, {shape =, data_type =}) */
static int input(lua_State *L) {
  webnn_builder *builder = wlua_check_builder(L, 1);
  Where where = {"input", "name", 0};
  webnn_descriptor descriptor;
  webnn_operand *operand = NULL;
  Scratch scratch;
  lua_settop(L, 3);
  wlua_scratch_init(&scratch, L);
  webnn_str name = wlua_str(L, &where, 2);
  wlua_descriptor(L, "input", 3, &scratch, &descriptor);
  wlua_check_options(L, "input", 3, descriptor_names, 2);
  return give(L, builder, webnn_builder_input(builder, name, &descriptor, &operand), &operand);
}

static int constant_number(lua_State *L, webnn_builder *builder, webnn_data_type type) {
  Where where = {"constant", "value", 0};
  webnn_number number = wlua_number(L, &where, 3);
  webnn_operand *operand = NULL;
  return give(L, builder, webnn_builder_constant_number(builder, type, number, &operand), &operand);
}

static int constant_tensor(lua_State *L, webnn_builder *builder) {
  Where where = {"constant", "descriptor", 0};
  webnn_operand *operand = NULL;
  if (!lua_isnil(L, 3)) wlua_argument_error(L, &where, "is a tensor: it has its own data");
  webnn_tensor *tensor = wlua_check_tensor(L, &where, 2);
  return give(L, builder, webnn_builder_constant_tensor(builder, tensor, &operand), &operand);
}

static int constant_data(lua_State *L, webnn_builder *builder) {
  Where where = {"constant", "data", 0};
  webnn_descriptor descriptor;
  webnn_operand *operand = NULL;
  Scratch scratch;
  Data data;
  wlua_scratch_init(&scratch, L);
  wlua_descriptor(L, "constant", 2, &scratch, &descriptor);
  wlua_check_options(L, "constant", 2, descriptor_names, 2);
  wlua_data(L, &where, 3, 4, false, descriptor.data_type, &data);
  return give(L, builder,
              webnn_builder_constant(builder, &descriptor, data.bytes, data.n_bytes, &operand),
              &operand);
}

/* A buffer brings its own shape and type along. */
static int constant_buffer(lua_State *L, webnn_builder *builder, const Buffer *buffer) {
  webnn_descriptor descriptor = {buffer->type, buffer->rank, buffer->shape};
  webnn_operand *operand = NULL;
  size_t n_bytes = buffer->n * webnn_data_type_bytes(buffer->type);
  return give(L, builder,
              webnn_builder_constant(builder, &descriptor, buffer->data, n_bytes, &operand),
              &operand);
}

/* constant({shape =, data_type =}, data [, size]), constant("float32", number),
 * constant({data_type =}, number), constant(tensor), constant(buffer) */
static int constant(lua_State *L) {
  webnn_builder *builder = wlua_check_builder(L, 1);
  Where where = {"constant", "data_type", 0};
  webnn_data_type type;
  lua_settop(L, 4);
  const Buffer *buffer = wlua_test(L, 2, WLUA_BUFFER);
  if (buffer != NULL && lua_isnil(L, 3)) return constant_buffer(L, builder, buffer);
  if (lua_type(L, 2) == LUA_TSTRING) {
    type = wlua_data_type(L, &where, 2);
    return constant_number(L, builder, type);
  }
  if (lua_type(L, 2) == LUA_TUSERDATA) return constant_tensor(L, builder);
  if (lua_istable(L, 2)) {
    lua_getfield(L, 2, "shape");
    bool shaped = !lua_isnil(L, -1);
    lua_getfield(L, 2, "data_type");
    if (!shaped) {
      wlua_check_options(L, "constant", 2, descriptor_names, 2);
      type = wlua_data_type(L, &where, -1);
      return constant_number(L, builder, type);
    }
    lua_pop(L, 2);
  }
  return constant_data(L, builder);
}

/* ---- build */

/* The entries of a table as the core wants them. Names are borrowed from it: nothing that may run a
 * finalizer may stand between this and their use. */
size_t wlua_read_outputs(lua_State *L, const char *function, int index, Scratch *scratch,
                         webnn_named_operand **out) {
  Where where = {function, "outputs", 0};
  size_t n = 0, i = 0;
  if (!lua_istable(L, index)) wlua_wrong(L, &where, "a table of operands by name", index);
  luaL_checkstack(L, 8, NULL);
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) n++;
  *out = wlua_scratch_alloc(scratch, n, sizeof **out);
  int top = lua_gettop(L); /* a finalizer may have changed the table meanwhile */
  for (lua_pushnil(L); i < n && lua_next(L, index) != 0; lua_pop(L, 1), i++) {
    const Operand *operand = wlua_test(L, -1, WLUA_OPERAND);
    if (lua_type(L, -2) != LUA_TSTRING) wlua_wrong(L, &where, "a table of operands by name", index);
    if (operand == NULL)
      wlua_argument_error(L, &where, "must hold operands only, '%s' is none", lua_tostring(L, -2));
    (*out)[i].name.data = lua_tolstring(L, -2, &(*out)[i].name.size);
    (*out)[i].operand = operand->native;
  }
  lua_settop(L, top);
  return i;
}

static int build(lua_State *L) {
  webnn_builder *builder = wlua_check_builder(L, 1);
  webnn_named_operand *outputs;
  Scratch scratch;
  lua_settop(L, 2);
  wlua_scratch_init(&scratch, L);
  Future *future = wlua_future_begin(L, FUTURE_BUILD, webnn_builder_context(builder));
  size_t n = wlua_read_outputs(L, "build", 2, &scratch, &outputs);
  if (webnn_builder_build(builder, outputs, n, &future->native) != WEBNN_OK) {
    wlua_refuse(L, webnn_builder_context(builder), webnn_builder_error(builder));
    wlua_future_settled(L, true);
  }
  return 1;
}

/* ---- the type */

static int get_context(lua_State *L) {
  wlua_push_context(L, webnn_builder_context(wlua_check_builder(L, 1)));
  return 1;
}

static int to_string(lua_State *L) {
  webnn_context_info info = WEBNN_CONTEXT_INFO_INIT;
  webnn_context_get_info(webnn_builder_context(wlua_check_builder(L, 1)), &info);
  lua_pushfstring(L, "webnn.GraphBuilder for %s on %s", info.backend, info.device);
  return 1;
}

static int collect(lua_State *L) {
  Builder *self = wlua_check(L, 1, WLUA_BUILDER);
  webnn_builder *native = self->native;
  self->native = NULL;
  webnn_builder_release(native);
  return 0;
}

void wlua_builder_init(lua_State *L) {
  static const luaL_Reg meta[] = {{"__gc", collect}, {"__tostring", to_string}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{"input", input},
                                     {"constant", constant},
                                     {"build", build},
                                     {"save", wlua_save},
                                     {"load", wlua_load},
                                     {"save_data", wlua_save_data},
                                     {"load_data", wlua_load_data},
                                     {NULL, NULL}};
  static const luaL_Reg properties[] = {{"context", get_context}, {NULL, NULL}};
  wlua_type(L, WLUA_BUILDER, meta, methods, properties, wlua_index);
  wlua_opcall_init(L);
}
