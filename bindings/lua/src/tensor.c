/* webnn.Tensor, and the context's methods that make, write and read one. */
#include "binding.h"

#include <string.h>

static webnn_tensor *check(lua_State *L) {
  Tensor *self = wlua_check(L, 1, WLUA_TENSOR);
  if (self->native == NULL) luaL_error(L, "the tensor is closed");
  return self->native;
}

webnn_tensor *wlua_check_tensor(lua_State *L, const Where *where, int index) {
  Tensor *self = wlua_test(L, index, WLUA_TENSOR);
  if (self == NULL || self->native == NULL) wlua_wrong(L, where, "a webnn.Tensor", index);
  return self->native;
}

/* ---- making */

static bool flag(lua_State *L, const char *function, int index, const char *name) {
  Where where = {function, name, index};
  lua_getfield(L, index, name);
  bool set = !lua_isnil(L, -1) && wlua_bool(L, &where, -1);
  lua_pop(L, 1);
  return set;
}

void wlua_tensor_options(lua_State *L, const char *function, int index, Scratch *scratch,
                         webnn_descriptor *descriptor, webnn_tensor_options *options) {
  static const char *const names[] = {"shape", "data_type", "readable", "writable"};
  wlua_descriptor(L, function, index, scratch, descriptor);
  wlua_check_options(L, function, index, names, 4);
  options->readable = flag(L, function, index, "readable");
  options->writable = flag(L, function, index, "writable");
}

int wlua_create_tensor(lua_State *L) {
  webnn_context *context = wlua_check_context(L, 1);
  webnn_tensor_options options = WEBNN_TENSOR_OPTIONS_INIT;
  webnn_descriptor descriptor;
  webnn_error error;
  Scratch scratch;
  lua_settop(L, 2);
  wlua_scratch_init(&scratch, L);
  wlua_tensor_options(L, "create_tensor", 2, &scratch, &descriptor, &options);
  Tensor *self = wlua_new(L, WLUA_TENSOR, sizeof *self, 0);
  bool failed =
      webnn_tensor_create(context, &descriptor, &options, &self->native, &error) != WEBNN_OK;
  if (failed) wlua_refuse(L, context, &error);
  wlua_future_settled(L, failed);
  return 1;
}

/* create_constant_tensor({shape =, data_type =}, data [, size]) */
int wlua_create_constant_tensor(lua_State *L) {
  static const char *const names[] = {"shape", "data_type"};
  webnn_context *context = wlua_check_context(L, 1);
  Where where = {"create_constant_tensor", "data", 2};
  webnn_descriptor descriptor;
  webnn_error error;
  Scratch scratch;
  Data data;
  lua_settop(L, 4);
  wlua_scratch_init(&scratch, L);
  wlua_descriptor(L, where.function, 2, &scratch, &descriptor);
  wlua_check_options(L, where.function, 2, names, 2);
  wlua_data(L, &where, 3, 4, false, descriptor.data_type, &data);
  Tensor *self = wlua_new(L, WLUA_TENSOR, sizeof *self, 0);
  bool failed = webnn_tensor_create_constant(context, &descriptor, data.bytes, data.n_bytes,
                                             &self->native, &error) != WEBNN_OK;
  if (failed) wlua_refuse(L, context, &error);
  wlua_future_settled(L, failed);
  return 1;
}

/* ---- writing and reading */

/* write_tensor(tensor, data [, size]): true, or nil and the error of a lost context. */
int wlua_write_tensor(lua_State *L) {
  webnn_context *context = wlua_check_context(L, 1);
  Where tensor_where = {"write_tensor", "tensor", 0}, where = {"write_tensor", "data", 0};
  webnn_error error;
  Data data;
  lua_settop(L, 4);
  webnn_tensor *tensor = wlua_check_tensor(L, &tensor_where, 2);
  wlua_data(L, &where, 3, 4, false, webnn_tensor_descriptor(tensor).data_type, &data);
  if (webnn_tensor_write(context, tensor, data.bytes, data.n_bytes, &error) == WEBNN_OK) {
    lua_pushboolean(L, true);
    return 1;
  }
  lua_pushnil(L);
  wlua_refuse(L, context, &error);
  return 2;
}

static void check_target(lua_State *L, const Where *where, webnn_tensor *tensor) {
  const Buffer *buffer = wlua_test(L, 3, WLUA_BUFFER);
  if (buffer == NULL) {
    wlua_wrong(L, where, "a webnn.Buffer", 3);
    return;
  }
  webnn_data_type type = webnn_tensor_descriptor(tensor).data_type;
  size_t n_bytes = buffer->n * webnn_data_type_bytes(buffer->type);
  if (buffer->type != type && buffer->type != WEBNN_DATA_TYPE_UINT8)
    wlua_argument_error(L, where, "holds %s, the tensor %s", webnn_data_type_name(buffer->type),
                        webnn_data_type_name(type));
  if (n_bytes != webnn_tensor_byte_length(tensor))
    wlua_argument_error(L, where, "has %d bytes, the tensor %d", (int)n_bytes,
                        (int)webnn_tensor_byte_length(tensor));
}

static void take_descriptor(Future *future, webnn_descriptor descriptor) {
  future->descriptor = descriptor;
  future->descriptor.shape = future->shape;
  for (size_t i = 0; i < descriptor.rank && i < WLUA_MAX_RANK; i++)
    future->shape[i] = descriptor.shape[i];
}

/* read_tensor(tensor [, buffer]): a future of a new buffer, or of the caller's. The bytes of a read
 * lie with its future until somebody looks, so a buffer that is dropped meanwhile is nobody's
 * trouble. */
int wlua_read_tensor(lua_State *L) {
  webnn_context *context = wlua_check_context(L, 1);
  Where tensor_where = {"read_tensor", "tensor", 0}, where = {"read_tensor", "buffer", 0};
  webnn_error error;
  lua_settop(L, 3);
  webnn_tensor *tensor = wlua_check_tensor(L, &tensor_where, 2);
  if (!lua_isnil(L, 3)) check_target(L, &where, tensor);
  Future *future = wlua_future_begin(L, FUTURE_READ, context);
  take_descriptor(future, webnn_tensor_descriptor(tensor));
  future->into = !lua_isnil(L, 3);
  if (future->into) {
    lua_pushvalue(L, 3);
    webnnL_keep(L, 4);
  }
  if (webnn_tensor_read(context, tensor, &future->native, &error) != WEBNN_OK) {
    wlua_refuse(L, context, &error);
    wlua_future_settled(L, true);
  }
  return 1;
}

/* ---- the tensor itself */

static int get_shape(lua_State *L) {
  webnn_descriptor descriptor = webnn_tensor_descriptor(check(L));
  wlua_push_shape(L, &descriptor);
  return 1;
}

static int get_data_type(lua_State *L) {
  lua_pushstring(L, webnn_data_type_name(webnn_tensor_descriptor(check(L)).data_type));
  return 1;
}

static int get_byte_length(lua_State *L) {
  wlua_push_integer(L, false, webnn_tensor_byte_length(check(L)));
  return 1;
}

static int get_readable(lua_State *L) {
  lua_pushboolean(L, webnn_tensor_readable(check(L)));
  return 1;
}

static int get_writable(lua_State *L) {
  lua_pushboolean(L, webnn_tensor_writable(check(L)));
  return 1;
}

static int get_constant(lua_State *L) {
  lua_pushboolean(L, webnn_tensor_constant(check(L)));
  return 1;
}

static int get_context(lua_State *L) {
  wlua_push_context(L, webnn_tensor_context(check(L)));
  return 1;
}

static int destroy(lua_State *L) {
  webnn_tensor_destroy(check(L));
  return 0;
}

static int to_string(lua_State *L) {
  webnn_tensor *tensor = check(L);
  webnn_descriptor descriptor = webnn_tensor_descriptor(tensor);
  lua_pushliteral(L, "webnn.Tensor ");
  wlua_push_text(L, &descriptor);
  lua_pushfstring(L, "%s%s%s%s", webnn_tensor_readable(tensor) ? ", readable" : "",
                  webnn_tensor_writable(tensor) ? ", writable" : "",
                  webnn_tensor_constant(tensor) ? ", constant" : "",
                  webnn_tensor_is_destroyed(tensor) ? ", destroyed" : "");
  lua_concat(L, 3);
  return 1;
}

static int collect(lua_State *L) {
  Tensor *self = wlua_check(L, 1, WLUA_TENSOR);
  webnn_tensor *native = self->native;
  self->native = NULL;
  webnn_tensor_release(native);
  return 0;
}

void wlua_tensor_init(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__gc", collect}, {"__close", destroy}, {"__tostring", to_string}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{"destroy", destroy},
                                     {"export_opencl", wlua_export_opencl},
                                     {"return_opencl", wlua_return_opencl},
                                     {NULL, NULL}};
  static const luaL_Reg properties[] = {{"shape", get_shape},
                                        {"data_type", get_data_type},
                                        {"byte_length", get_byte_length},
                                        {"readable", get_readable},
                                        {"writable", get_writable},
                                        {"constant", get_constant},
                                        {"context", get_context},
                                        {NULL, NULL}};
  wlua_type(L, WLUA_TENSOR, meta, methods, properties, wlua_index);
  lua_pop(L, 1);
}
