/* webnn.Operand: a value of a graph under construction, and Lua's operators on it. */
#include "binding.h"

static Operand *check(lua_State *L) {
  Operand *self = wlua_check(L, 1, WLUA_OPERAND);
  if (self->builder == NULL) luaL_error(L, "the operand is closed");
  return self;
}

void wlua_push_operand(lua_State *L, const webnn_operand *native) {
  Operand *self = wlua_new(L, WLUA_OPERAND, sizeof *self, 0);
  self->native = native;
  self->builder = webnn_builder_retain(webnn_operand_builder(native));
}

/* ---- properties */

static int get_shape(lua_State *L) {
  webnn_descriptor descriptor = webnn_operand_descriptor(check(L)->native);
  wlua_push_shape(L, &descriptor);
  return 1;
}

static int get_data_type(lua_State *L) {
  lua_pushstring(L, webnn_data_type_name(webnn_operand_descriptor(check(L)->native).data_type));
  return 1;
}

static int get_label(lua_State *L) {
  wlua_push_str(L, webnn_operand_label(check(L)->native));
  return 1;
}

static int get_builder(lua_State *L) {
  wlua_push_builder(L, check(L)->builder);
  return 1;
}

static int to_string(lua_State *L) {
  const webnn_operand *native = check(L)->native;
  webnn_descriptor descriptor = webnn_operand_descriptor(native);
  webnn_str label = webnn_operand_label(native);
  lua_pushliteral(L, "webnn.Operand ");
  wlua_push_text(L, &descriptor);
  lua_pushstring(L, label.size == 0 ? "" : " ");
  wlua_push_str(L, label);
  lua_concat(L, 4);
  return 1;
}

/* ---- operators */

static Operand *as_operand(lua_State *L, int index) {
  Operand *operand = wlua_test(L, index, WLUA_OPERAND);
  return operand != NULL && operand->builder != NULL ? operand : NULL;
}

/* One side as an operand of the other's builder and type: itself, or a number's constant. */
static const webnn_operand *side(lua_State *L, const char *name, int index, const Operand *other) {
  const Operand *operand = as_operand(L, index);
  Where where = {name, "operand", 0};
  webnn_number number;
  webnn_operand *constant;
  if (operand != NULL) return operand->native;
  if (!wlua_is_number(L, index, &number))
    wlua_wrong(L, &where, "a webnn.Operand or a number", index);
  webnn_data_type type = webnn_operand_descriptor(other->native).data_type;
  if (webnn_builder_constant_number(other->builder, type, number, &constant) != WEBNN_OK)
    wlua_raise(L, webnn_builder_error(other->builder));
  return constant;
}

static int call(lua_State *L, const char *name, size_t n) {
  const Operand *self = as_operand(L, 1);
  webnn_value values[2] = {{0}};
  webnn_operand *out;
  size_t n_outs = 1;
  if (self == NULL) self = as_operand(L, 2);
  if (self == NULL) return luaL_error(L, "%s: no operand", name);
  for (size_t i = 0; i < n; i++) {
    values[i].kind = WEBNN_FIELD_OPERAND;
    values[i].as.operand = side(L, name, (int)i + 1, self);
  }
  if (webnn_builder_call(self->builder, webnn_op_find(name), values, n, &out, &n_outs) != WEBNN_OK)
    return wlua_raise(L, webnn_builder_error(self->builder));
  wlua_push_operand(L, out);
  return 1;
}

static int add(lua_State *L) { return call(L, "add", 2); }
static int sub(lua_State *L) { return call(L, "sub", 2); }
static int mul(lua_State *L) { return call(L, "mul", 2); }
static int divide(lua_State *L) { return call(L, "div", 2); }
static int power(lua_State *L) { return call(L, "pow", 2); }
static int negate(lua_State *L) { return call(L, "neg", 1); }

static int collect(lua_State *L) {
  Operand *self = wlua_check(L, 1, WLUA_OPERAND);
  webnn_builder *builder = self->builder;
  self->builder = NULL;
  webnn_builder_release(builder);
  return 0;
}

void wlua_operand_init(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__gc", collect}, {"__tostring", to_string}, {"__add", add},   {"__sub", sub},
      {"__mul", mul},    {"__div", divide},         {"__pow", power}, {"__unm", negate},
      {NULL, NULL}};
  static const luaL_Reg methods[] = {{NULL, NULL}};
  static const luaL_Reg properties[] = {{"shape", get_shape},
                                        {"data_type", get_data_type},
                                        {"label", get_label},
                                        {"builder", get_builder},
                                        {NULL, NULL}};
  wlua_type(L, WLUA_OPERAND, meta, methods, properties, wlua_index);
  lua_pop(L, 1);
}
