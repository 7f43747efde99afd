/* One operation of the table as a method of the builder. One function serves every row: the
 * operation is its upvalue. */
#include "binding.h"

#include <string.h>

/* ---- arguments to values */

typedef struct Call {
  lua_State *L;
  const webnn_op *op;
  size_t n_fields, n_required; /* required ones come first, the label last */
  size_t n_outs;
  webnn_value values[WEBNN_MAX_FIELDS];
  Scratch scratch;
} Call;

static const webnn_operand *read_operand(lua_State *L, const Where *where, int index) {
  const Operand *operand = wlua_test(L, index, WLUA_OPERAND);
  if (operand == NULL) wlua_wrong(L, where, "a webnn.Operand", index);
  return operand->native;
}

static void read_operands(Call *call, const Where *where, int index, webnn_value *out) {
  lua_State *L = call->L;
  index = webnnL_absindex(L, index);
  out->n = wlua_list(L, where, index);
  const webnn_operand **operands = wlua_scratch_alloc(&call->scratch, out->n, sizeof *operands);
  out->as.operands = operands;
  for (size_t i = 0; i < out->n; i++) {
    lua_rawgeti(L, index, (int)i + 1);
    operands[i] = read_operand(L, where, -1);
    lua_pop(L, 1);
  }
}

static void read_enums(Call *call, const Where *where, const webnn_field *field, int index,
                       webnn_value *out) {
  lua_State *L = call->L;
  index = webnnL_absindex(L, index);
  out->n = wlua_list(L, where, index);
  uint32_t *indices = wlua_scratch_alloc(&call->scratch, out->n, sizeof *indices);
  out->as.us = indices;
  for (size_t i = 0; i < out->n; i++) {
    lua_rawgeti(L, index, (int)i + 1);
    indices[i] = wlua_enum(L, where, -1, field->enum_values);
    lua_pop(L, 1);
  }
}

/* split's `splits`: a number of equal parts, or the list of their sizes. */
static void read_splits(Call *call, const Where *where, int index, webnn_value *out) {
  if (lua_type(call->L, index) == LUA_TTABLE) {
    out->kind = WEBNN_FIELD_UINTS;
    out->as.us = wlua_uints(call->L, where, index, &call->scratch, &out->n);
    call->n_outs = out->n;
  } else {
    out->kind = WEBNN_FIELD_UINT;
    out->as.u = wlua_uint32(call->L, where, index);
    call->n_outs = out->as.u;
  }
}

static void read_field(Call *call, const Where *where, const webnn_field *field, int index,
                       webnn_value *out) {
  lua_State *L = call->L;
  out->kind = field->kind;
  switch (field->kind) {
    case WEBNN_FIELD_OPERAND: out->as.operand = read_operand(L, where, index); break;
    case WEBNN_FIELD_OPERANDS: read_operands(call, where, index, out); break;
    case WEBNN_FIELD_UINT: out->as.u = wlua_uint32(L, where, index); break;
    case WEBNN_FIELD_INT: out->as.i = wlua_int32(L, where, index); break;
    case WEBNN_FIELD_UINTS:
      out->as.us = wlua_uints(L, where, index, &call->scratch, &out->n);
      break;
    case WEBNN_FIELD_UINT_OR_UINTS: read_splits(call, where, index, out); break;
    case WEBNN_FIELD_NUMBER: out->as.number = wlua_number(L, where, index); break;
    case WEBNN_FIELD_FLOATS:
      out->as.floats = wlua_floats(L, where, index, &call->scratch, &out->n);
      break;
    case WEBNN_FIELD_BOOL: out->as.b = wlua_bool(L, where, index); break;
    case WEBNN_FIELD_ENUM: out->as.e = wlua_enum(L, where, index, field->enum_values); break;
    case WEBNN_FIELD_ENUMS: read_enums(call, where, field, index, out); break;
    case WEBNN_FIELD_DATA_TYPE: out->as.e = wlua_data_type(L, where, index); break;
    case WEBNN_FIELD_LABEL: out->as.str = wlua_str(L, where, index); break;
    default: wlua_argument_error(L, where, "is of a kind that this binding does not know");
  }
}

static void check_count(Call *call, int n_args) {
  lua_State *L = call->L;
  const char *name = webnn_op_name(call->op);
  Where where = {name, NULL, 0};
  while (n_args > (int)call->n_required + 1 && lua_isnil(L, n_args + 1)) n_args--;
  if (n_args > (int)call->n_required + 1)
    wlua_argument_error(L, &where, "takes %d arguments and a table of options, not %d",
                        (int)call->n_required, n_args);
}

static void check_names(Call *call, int options) {
  const char *names[WEBNN_MAX_FIELDS];
  size_t n = 0;
  for (size_t i = call->n_required; i < call->n_fields; i++)
    names[n++] = webnn_op_field(call->op, i)->name;
  wlua_check_options(call->L, webnn_op_name(call->op), options, names, n);
}

static void read_required(Call *call, int options) {
  for (size_t i = 0; i < call->n_required; i++) {
    const webnn_field *field = webnn_op_field(call->op, i);
    Where where = {webnn_op_name(call->op), field->name, options};
    if (lua_isnoneornil(call->L, (int)i + 2)) wlua_argument_error(call->L, &where, "is missing");
    read_field(call, &where, field, (int)i + 2, &call->values[i]);
  }
}

/* Option values stay in their table, so that the label, which comes last, is borrowed from there.
 */
static void read_options(Call *call, int options) {
  lua_State *L = call->L;
  if (!lua_istable(L, options)) return;
  for (size_t i = call->n_required; i < call->n_fields; i++) {
    const webnn_field *field = webnn_op_field(call->op, i);
    Where where = {webnn_op_name(call->op), field->name, options};
    lua_pushstring(L, field->name);
    lua_rawget(L, options);
    if (!lua_isnil(L, -1)) read_field(call, &where, field, lua_gettop(L), &call->values[i]);
    lua_pop(L, 1);
  }
}

static void count_fields(Call *call) {
  const webnn_field *field;
  for (size_t i = 0; (field = webnn_op_field(call->op, i)) != NULL; i++) {
    call->values[i] = (webnn_value){0};
    call->n_fields = i + 1;
    call->n_required += field->required;
  }
}

/* ---- the call */

#define MOST_OUTPUTS 16384 /* the core refuses longer lists itself */

static int op_call(lua_State *L) {
  Call call;
  webnn_builder *builder = wlua_check_builder(L, 1);
  call.L = L;
  call.op = lua_touserdata(L, lua_upvalueindex(WLUA_N_SHARED + 1));
  call.n_fields = call.n_required = 0;
  call.n_outs = 4;
  count_fields(&call);
  check_count(&call, lua_gettop(L) - 1);
  int options = (int)call.n_required + 2;
  lua_settop(L, options);
  luaL_checkstack(L, 16, NULL);
  wlua_scratch_init(&call.scratch, L);
  check_names(&call, options);
  read_required(&call, options);
  if (call.n_outs > MOST_OUTPUTS) call.n_outs = MOST_OUTPUTS;
  if (call.n_outs == 0) call.n_outs = 1;
  webnn_operand **outs = wlua_scratch_alloc(&call.scratch, call.n_outs, sizeof *outs);
  read_options(&call, options);
  if (webnn_builder_call(builder, call.op, call.values, call.n_fields, outs, &call.n_outs) !=
      WEBNN_OK)
    return wlua_raise(L, webnn_builder_error(builder));
  if (!webnn_op_returns_list(call.op)) {
    wlua_push_operand(L, outs[0]);
    return 1;
  }
  lua_createtable(L, (int)call.n_outs, 0);
  for (size_t i = 0; i < call.n_outs; i++) {
    wlua_push_operand(L, outs[i]);
    lua_rawseti(L, -2, (int)i + 1);
  }
  return 1;
}

void wlua_opcall_init(lua_State *L) {
  for (const webnn_op *op = NULL; (op = webnn_op_next(op)) != NULL;) {
    wlua_push_shared(L);
    lua_pushlightuserdata(L, (void *)op);
    lua_pushcclosure(L, op_call, WLUA_N_SHARED + 1);
    lua_setfield(L, -2, webnn_op_name(op));
  }
}

/* ---- the table as Lua sees it */

static const char *const kinds[] = {
    [WEBNN_FIELD_OPERAND] = "operand",
    [WEBNN_FIELD_OPERANDS] = "list of operands",
    [WEBNN_FIELD_UINT] = "unsigned",
    [WEBNN_FIELD_INT] = "signed",
    [WEBNN_FIELD_UINTS] = "list of unsigned",
    [WEBNN_FIELD_UINT_OR_UINTS] = "unsigned or list of them",
    [WEBNN_FIELD_NUMBER] = "number",
    [WEBNN_FIELD_FLOATS] = "list of numbers",
    [WEBNN_FIELD_BOOL] = "boolean",
    [WEBNN_FIELD_ENUM] = "string",
    [WEBNN_FIELD_ENUMS] = "list of strings",
    [WEBNN_FIELD_DATA_TYPE] = "data type",
    [WEBNN_FIELD_LABEL] = "string",
};

static void set_string(lua_State *L, const char *key, const char *value) {
  lua_pushstring(L, value);
  lua_setfield(L, -2, key);
}

static void push_field(lua_State *L, const webnn_field *field) {
  lua_createtable(L, 0, 6);
  set_string(L, "name", field->name);
  set_string(L, "spec_name", field->spec_name);
  set_string(L, "kind", kinds[field->kind]);
  set_string(L, "doc", field->doc);
  set_string(L, "default", field->default_text); /* as Python writes it */
  lua_pushboolean(L, field->required);
  lua_setfield(L, -2, "required");
  if (field->enum_values == NULL) return;
  lua_newtable(L);
  for (int i = 0; field->enum_values[i] != NULL; i++) {
    lua_pushstring(L, field->enum_values[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "values");
}

/* op_info(name): the row of an operation, nil when there is none. */
int wlua_op_info(lua_State *L) {
  size_t size;
  const char *name = luaL_checklstring(L, 1, &size);
  const webnn_op *op = strlen(name) == size ? webnn_op_find(name) : NULL;
  const webnn_field *field;
  if (op == NULL) return 0;
  lua_newtable(L);
  set_string(L, "name", webnn_op_name(op));
  set_string(L, "spec_name", webnn_op_spec_name(op));
  set_string(L, "doc", webnn_op_doc(op));
  lua_pushboolean(L, webnn_op_extension(op));
  lua_setfield(L, -2, "extension");
  lua_pushboolean(L, webnn_op_returns_list(op));
  lua_setfield(L, -2, "returns_list");
  lua_newtable(L);
  for (int i = 0; (field = webnn_op_field(op, (size_t)i)) != NULL; i++) {
    push_field(L, field);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "fields");
  return 1;
}
