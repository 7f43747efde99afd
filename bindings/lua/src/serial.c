/* Graph files: the builder's methods save, save_data, load, load_data. */
#include "binding.h"

#include <string.h>
#include <webnn/serial.h>

static int refuse(lua_State *L, webnn_builder *builder) {
  lua_pushnil(L);
  wlua_refuse(L, webnn_builder_context(builder), webnn_builder_error(builder));
  return 2;
}

static const char *path_at(lua_State *L, const char *function) {
  Where where = {function, "path", 0};
  webnn_str path = wlua_str(L, &where, 2);
  if (strlen(path.data) != path.size) wlua_argument_error(L, &where, "holds a NUL");
  return path.data;
}

/* save(path, outputs): true, or nil and an error. */
int wlua_save(lua_State *L) {
  webnn_builder *builder = wlua_check_builder(L, 1);
  webnn_named_operand *outputs;
  Scratch scratch;
  lua_settop(L, 3);
  wlua_scratch_init(&scratch, L);
  const char *path = path_at(L, "save");
  size_t n = wlua_read_outputs(L, "save", 3, &scratch, &outputs);
  if (webnn_serial_write_file(builder, outputs, n, path) != WEBNN_OK) return refuse(L, builder);
  lua_pushboolean(L, true);
  return 1;
}

/* What a graph file is written to: `bytes` NULL only counts. */
typedef struct Text {
  char *bytes;
  size_t size, room;
} Text;

static bool append(void *ud, const void *data, size_t n_bytes) {
  Text *text = ud;
  if (text->bytes != NULL) {
    if (n_bytes > text->room - text->size) return false;
    memcpy(text->bytes + text->size, data, n_bytes);
  }
  text->size += n_bytes;
  return true;
}

/* save_data(outputs): the file as a string. Written twice, for the size is needed first: nothing of
 * ours may be allocated while Lua can raise. */
int wlua_save_data(lua_State *L) {
  webnn_builder *builder = wlua_check_builder(L, 1);
  webnn_named_operand *outputs;
  Scratch scratch;
  Text text = {NULL, 0, 0};
  lua_settop(L, 2);
  wlua_scratch_init(&scratch, L);
  size_t n = wlua_read_outputs(L, "save_data", 2, &scratch, &outputs);
  if (webnn_serial_write(builder, outputs, n, append, &text) != WEBNN_OK) return refuse(L, builder);
  text = (Text){lua_newuserdata(L, text.size + 1), 0, text.size};
  if (webnn_serial_write(builder, outputs, n, append, &text) != WEBNN_OK) return refuse(L, builder);
  lua_pushlstring(L, text.bytes, text.size);
  return 1;
}

static int give(lua_State *L, webnn_builder *builder, webnn_status status,
                const webnn_named_operand *outs, size_t n) {
  if (status != WEBNN_OK) return refuse(L, builder);
  lua_createtable(L, 0, (int)n);
  for (size_t i = 0; i < n; i++) {
    wlua_push_str(L, outs[i].name);
    wlua_push_operand(L, outs[i].operand);
    lua_rawset(L, -3);
  }
  return 1;
}

/* load(path): the file's outputs by name, or nil and an error; its inputs are the builder's then.
 */
int wlua_load(lua_State *L) {
  webnn_builder *builder = wlua_check_builder(L, 1);
  const webnn_named_operand *outs = NULL;
  size_t n = 0;
  webnn_status status = webnn_serial_read_file(builder, path_at(L, "load"), &outs, &n);
  return give(L, builder, status, outs, n);
}

/* load_data(data [, size]): the same out of memory. */
int wlua_load_data(lua_State *L) {
  webnn_builder *builder = wlua_check_builder(L, 1);
  Where where = {"load_data", "data", 0};
  const webnn_named_operand *outs = NULL;
  size_t n = 0;
  Data data;
  lua_settop(L, 3);
  wlua_data(L, &where, 2, 3, false, WEBNN_DATA_TYPE_UINT8, &data);
  webnn_status status = webnn_serial_read(builder, data.bytes, data.n_bytes, &outs, &n);
  return give(L, builder, status, outs, n);
}
