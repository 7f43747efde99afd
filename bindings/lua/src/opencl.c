/* Handles of an OpenCL that the caller owns: queues, contexts, buffers, events. */
#include "binding.h"

/* import_opencl({shape =, data_type =, readable =, writable =}, memory [, event]): a future of a
 * tensor on a cl_mem. */
int wlua_import_opencl(lua_State *L) {
  webnn_context *context = wlua_check_context(L, 1);
  Where where = {"import_opencl", "memory", 2}, event_where = {"import_opencl", "event", 2};
  webnn_tensor_options options = WEBNN_TENSOR_OPTIONS_INIT;
  webnn_descriptor descriptor;
  webnn_error error;
  Scratch scratch;
  lua_settop(L, 4);
  wlua_scratch_init(&scratch, L);
  wlua_tensor_options(L, where.function, 2, &scratch, &descriptor, &options);
  void *memory = wlua_handle(L, &where, 3);
  void *event = lua_isnil(L, 4) ? NULL : wlua_handle(L, &event_where, 4);
  Tensor *self = wlua_new(L, WLUA_TENSOR, sizeof *self, 0);
  bool failed = webnn_tensor_import_opencl(context, &descriptor, &options, memory, event,
                                           &self->native, &error) != WEBNN_OK;
  if (failed) wlua_refuse(L, context, &error);
  wlua_future_settled(L, failed);
  return 1;
}

static int refused(lua_State *L, const webnn_tensor *tensor, const webnn_error *error) {
  lua_pushnil(L);
  wlua_refuse(L, webnn_tensor_context(tensor), error);
  return 2;
}

/* export_opencl(): the cl_mem and a cl_event, or nil and an error. */
int wlua_export_opencl(lua_State *L) {
  Where where = {"export_opencl", "tensor", 0};
  webnn_tensor *tensor = wlua_check_tensor(L, &where, 1);
  void *memory, *event;
  webnn_error error;
  if (webnn_tensor_export_opencl(tensor, &memory, &event, &error) != WEBNN_OK)
    return refused(L, tensor, &error);
  lua_pushlightuserdata(L, memory);
  lua_pushlightuserdata(L, event);
  return 2;
}

/* return_opencl([event]): true, or nil and an error. */
int wlua_return_opencl(lua_State *L) {
  Where where = {"return_opencl", "tensor", 0}, event_where = {"return_opencl", "event", 0};
  webnn_tensor *tensor = wlua_check_tensor(L, &where, 1);
  void *event = lua_isnoneornil(L, 2) ? NULL : wlua_handle(L, &event_where, 2);
  webnn_error error;
  if (webnn_tensor_return_opencl(tensor, event, &error) != WEBNN_OK)
    return refused(L, tensor, &error);
  lua_pushboolean(L, true);
  return 1;
}
