--- webnn.GraphBuilder and webnn.Operand over ffi, with all operations of the table as methods.
local ffi = require "ffi"
local C = require "webnn.ffi.cdef"
local errors = require "webnn.ffi.errors"
local value = require "webnn.ffi.value"
local buffer = require "webnn.ffi.buffer"
local objects = require "webnn.ffi.objects"

local builder = {}
local Builder, Operand
local methods = {}
local out1 = ffi.new "webnn_operand *[1]"

local function native(self) return Builder.native({ "builder", "self" }, self) end

local function raise(p) errors.raise_native(C.webnn_builder_error(p)) end

-- The operand keeps its builder: it dies with it.
local function wrap(p, operand)
  local owner = objects.once(p, function()
    return Builder.new { _p = ffi.gc(C.webnn_builder_retain(p), C.webnn_builder_release) }
  end)
  return Operand.new { _p = operand, _owner = owner }
end

local function give(p, status)
  if status ~= 0 then raise(p) end
  return wrap(p, out1[0])
end

-- ---- operands and their operators

local function operand(self) return Operand.native({ "operand", "self" }, self) end

local function side(name, x, other)
  if getmetatable(x) == Operand then return x._p end
  local where = { name, "operand" }
  if value.as_number(x) == nil then errors.wrong(where, "a webnn.Operand or a number", x) end
  local p = other._owner._p
  local data_type = C.webnn_operand_descriptor(other._p).data_type
  if C.webnn_builder_constant_number(p, data_type, value.number(where, x), out1) ~= 0 then raise(p) end
  return out1[0]
end

local function operator(name, n)
  local op = C.webnn_op_find(name)
  return function(a, b)
    local self = getmetatable(a) == Operand and a or b
    local values, n_outs = ffi.new "webnn_value[2]", ffi.new("size_t[1]", 1)
    values[0].kind, values[0].as.operand = 1, side(name, a, self)
    if n == 2 then values[1].kind, values[1].as.operand = 1, side(name, b, self) end
    local p = self._owner._p
    return give(p, C.webnn_builder_call(p, op, values, n, out1, n_outs))
  end
end

Operand = objects.class("Operand", {}, {
  shape = function(self) return value.shape(C.webnn_operand_descriptor(operand(self))) end,
  data_type = function(self) return value.types[C.webnn_operand_descriptor(operand(self)).data_type] end,
  label = function(self) return value.str(C.webnn_operand_label(operand(self))) end,
  builder = function(self) return self._owner end,
}, {
  __tostring = function(self)
    local descriptor, label = C.webnn_operand_descriptor(operand(self)), value.str(C.webnn_operand_label(self._p))
    return "webnn.Operand " .. value.text(descriptor.data_type, descriptor.shape, descriptor.rank)
      .. (label ~= "" and " " .. label or "")
  end,
  __add = operator("add", 2), __sub = operator("sub", 2), __mul = operator("mul", 2),
  __div = operator("div", 2), __pow = operator("pow", 2), __unm = operator("neg", 1),
})

-- ---- input and constant

local descriptor_names = { "shape", "data_type" }

local function str(text) return ffi.new("webnn_str", text, #text) end

function methods:input(name, options)
  local p = native(self)
  value.string({ "input", "name" }, name)
  local descriptor, keep = value.descriptor("input", options)
  errors.check_options("input", options, descriptor_names)
  local status = C.webnn_builder_input(p, str(name), descriptor, out1)
  value.keep(name, keep)
  return give(p, status)
end

local function constant_number(p, data_type, x)
  local number = value.number({ "constant", "value" }, x)
  return give(p, C.webnn_builder_constant_number(p, data_type, number, out1))
end

local function constant_buffer(p, data)
  local descriptor = ffi.new("webnn_descriptor", data.type, data.rank, data.dims)
  local status = C.webnn_builder_constant(p, descriptor, data.data, buffer.n_bytes(data), out1)
  value.keep(data)
  return give(p, status)
end

function methods:constant(options, data, size)
  local p = native(self)
  if buffer.is(options) and data == nil then return constant_buffer(p, options) end
  if type(options) == "string" then
    return constant_number(p, value.data_type({ "constant", "data_type" }, options), data)
  end
  if getmetatable(options) == objects.Tensor then
    if data ~= nil then errors.argument({ "constant", "descriptor" }, "is a tensor: it has its own data") end
    return give(p, C.webnn_builder_constant_tensor(p, options._p, out1))
  end
  if type(options) == "table" and not getmetatable(options) and options.shape == nil then
    errors.check_options("constant", options, descriptor_names)
    return constant_number(p, value.data_type({ "constant", "data_type" }, options.data_type), data)
  end
  local descriptor, keep = value.descriptor("constant", options)
  errors.check_options("constant", options, descriptor_names)
  local bytes, n_bytes, owner = buffer.data({ "constant", "data" }, data, size, false, descriptor.data_type)
  local status = C.webnn_builder_constant(p, descriptor, bytes, n_bytes, out1)
  value.keep(keep, owner)
  return give(p, status)
end

-- ---- build, save, load

local function read_outputs(name, outputs)
  local where, n, i = { name, "outputs" }, 0, 0
  if type(outputs) ~= "table" or getmetatable(outputs) then
    errors.wrong(where, "a table of operands by name", outputs)
  end
  for _ in pairs(outputs) do n = n + 1 end
  local out = ffi.new("webnn_named_operand[?]", n + 1)
  for key, x in pairs(outputs) do
    if i == n then break end
    if type(key) ~= "string" then errors.wrong(where, "a table of operands by name", outputs) end
    if getmetatable(x) ~= Operand then errors.argument(where, "must hold operands only, '" .. key .. "' is none") end
    out[i].name.data, out[i].name.size, out[i].operand = key, #key, x._p
    i = i + 1
  end
  return out, i
end

local function refuse(p) return errors.refuse(C.webnn_builder_context(p), C.webnn_builder_error(p)) end

function methods:build(outputs)
  local p, out = native(self), ffi.new "webnn_future *[1]"
  local named, n = read_outputs("build", outputs)
  local status = C.webnn_builder_build(p, named, n, out)
  value.keep(outputs)
  if status ~= 0 then return objects.failed(refuse(p)) end
  return objects.future("build", out[0], C.webnn_builder_context(p))
end

local function path_of(name, path)
  value.string({ name, "path" }, path)
  if path:find("%z") then errors.argument({ name, "path" }, "holds a NUL") end
  return path
end

function methods:save(path, outputs)
  local p = native(self)
  path_of("save", path)
  local named, n = read_outputs("save", outputs)
  local status = C.webnn_serial_write_file(p, named, n, path)
  value.keep(outputs)
  if status ~= 0 then return nil, refuse(p) end
  return true
end

local function loaded(p, status, outs, n)
  if status ~= 0 then return nil, refuse(p) end
  local list = {}
  for i = 0, tonumber(n[0]) - 1 do
    list[value.str(outs[0][i].name)] = wrap(p, ffi.cast("webnn_operand *", outs[0][i].operand))
  end
  return list
end

function methods:load(path)
  local p, outs, n = native(self), ffi.new "const webnn_named_operand *[1]", ffi.new "size_t[1]"
  return loaded(p, C.webnn_serial_read_file(p, path_of("load", path), outs, n), outs, n)
end

function methods:load_data(data, size)
  local p, outs, n = native(self), ffi.new "const webnn_named_operand *[1]", ffi.new "size_t[1]"
  local bytes, n_bytes, owner = buffer.data({ "load_data", "data" }, data, size, false, value.types.uint8)
  local status = C.webnn_serial_read(p, bytes, n_bytes, outs, n)
  value.keep(owner)
  return loaded(p, status, outs, n)
end

-- A file in memory: written to the system's place for such, because C must not call back into LuaJIT here.
function methods:save_data(outputs)
  local path = os.tmpname()
  local ok, problem = self:save(path, outputs)
  local file = ok and io.open(path, "rb")
  local text = file and file:read("*a")
  if file then file:close() end
  os.remove(path)
  return text, problem
end

-- ---- operations

-- Kinds of fields, as in webnn/op.h.
local OPERAND, OPERANDS, UINT, INT, UINTS, UINT_OR_UINTS, NUMBER, FLOATS, BOOL, ENUM, ENUMS, DATA_TYPE, LABEL =
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13

local kind_names = {
  "operand", "list of operands", "unsigned", "signed", "list of unsigned", "unsigned or list of them", "number",
  "list of numbers", "boolean", "string", "list of strings", "data type", "string",
}

local function operands_of(where, x)
  local n = value.list(where, x)
  local list = ffi.new("const webnn_operand *[?]", n + 1)
  for i = 1, n do list[i - 1] = Operand.native(where, x[i]) end
  return list, n
end

local function enums_of(where, x, names)
  local n = value.list(where, x)
  local list = ffi.new("uint32_t[?]", n + 1)
  for i = 1, n do list[i - 1] = value.enum(where, x[i], names) end
  return list, n
end

-- Each reads one kind of field into a value and returns what has to live until the call.
local read = {}
read[OPERAND] = function(where, x, out) out.as.operand = Operand.native(where, x) end
read[OPERANDS] = function(where, x, out)
  local list, n = operands_of(where, x)
  out.as.operands, out.n = list, n
  return list
end
read[UINT] = function(where, x, out) out.as.u = value.uint32(where, x) end
read[INT] = function(where, x, out) out.as.i = value.int32(where, x) end
read[UINTS] = function(where, x, out)
  local list, n = value.uints(where, x)
  out.as.us, out.n = list, n
  return list, n
end
read[UINT_OR_UINTS] = function(where, x, out)
  out.kind = type(x) == "table" and UINTS or UINT
  return read[out.kind](where, x, out)
end
read[NUMBER] = function(where, x, out) out.as.number = value.number(where, x) end
read[FLOATS] = function(where, x, out)
  local list, n = value.floats(where, x)
  out.as.floats, out.n = list, n
  return list
end
read[BOOL] = function(where, x, out) out.as.b = value.bool(where, x) end
read[ENUM] = function(where, x, out, field) out.as.e = value.enum(where, x, field.values) end
read[ENUMS] = function(where, x, out, field)
  local list, n = enums_of(where, x, field.values)
  out.as.us, out.n = list, n
  return list
end
read[DATA_TYPE] = function(where, x, out) out.as.e = value.data_type(where, x) end
read[LABEL] = function(where, x, out)
  out.as.str.data, out.as.str.size = value.string(where, x), #x
end

local function describe_field(native_field)
  local field = {
    name = ffi.string(native_field.name), spec_name = ffi.string(native_field.spec_name),
    kind = kind_names[native_field.kind], read = native_field.kind, required = native_field.required,
    doc = ffi.string(native_field.doc),
    default = native_field.default_text ~= nil and ffi.string(native_field.default_text) or nil,
  }
  if native_field.enum_values ~= nil then
    field.values = {}
    while native_field.enum_values[#field.values] ~= nil do
      field.values[#field.values + 1] = ffi.string(native_field.enum_values[#field.values])
    end
  end
  return field
end

--- The row of an operation in the table.
function builder.op_info(name)
  local op = C.webnn_op_find(name)
  if op == nil then return nil end
  local info = {
    name = ffi.string(C.webnn_op_name(op)), spec_name = ffi.string(C.webnn_op_spec_name(op)),
    doc = ffi.string(C.webnn_op_doc(op)), extension = C.webnn_op_extension(op),
    returns_list = C.webnn_op_returns_list(op), fields = {},
  }
  while C.webnn_op_field(op, #info.fields) ~= nil do
    info.fields[#info.fields + 1] = describe_field(C.webnn_op_field(op, #info.fields))
  end
  return info
end

local function read_values(info, values, n_required, args, options, keep)
  for i, field in ipairs(info.fields) do
    local x
    if i <= n_required then x = args[i] else x = options and rawget(options, field.name) end
    local where = { info.name, field.name, options = options }
    if x ~= nil then
      values[i - 1].kind = field.read
      keep[i] = read[field.read](where, x, values[i - 1], field)
    elseif i <= n_required then
      errors.argument(where, "is missing")
    end
  end
end

-- How many operands the call may give: split's number of parts, else 4 at most.
local function room(values, n_required)
  local last = values[n_required - 1]
  if last.kind == UINT then return math.min(math.max(last.as.u, 4), 16384) end
  if last.kind == UINTS then return math.min(math.max(tonumber(last.n), 4), 16384) end
  return 4
end

local function method(op)
  local info, n_required, names = builder.op_info(ffi.string(C.webnn_op_name(op))), 0, {}
  for _, field in ipairs(info.fields) do
    if field.required then n_required = n_required + 1 else names[#names + 1] = field.name end
  end
  return function(self, ...)
    local p, n_args, args = native(self), select("#", ...), { ... }
    while n_args > n_required + 1 and args[n_args] == nil do n_args = n_args - 1 end
    if n_args > n_required + 1 then
      errors.argument({ info.name },
        "takes " .. n_required .. " arguments and a table of options, not " .. n_args)
    end
    local options, keep = args[n_required + 1], {}
    errors.check_options(info.name, options, names)
    local values = ffi.new("webnn_value[?]", #info.fields)
    read_values(info, values, n_required, args, options, keep)
    local n = room(values, n_required)
    local outs, n_outs = ffi.new("webnn_operand *[?]", n), ffi.new("size_t[1]", n)
    local status = C.webnn_builder_call(p, op, values, #info.fields, outs, n_outs)
    value.keep(keep, options)
    if status ~= 0 then raise(p) end
    if not info.returns_list then return wrap(p, outs[0]) end
    local list = {}
    for i = 1, tonumber(n_outs[0]) do list[i] = wrap(p, outs[i - 1]) end
    return list
  end
end

local names = {}
do
  local op = C.webnn_op_next(nil)
  while op ~= nil do
    local name = ffi.string(C.webnn_op_name(op))
    names[#names + 1] = name
    methods[name] = method(op)
    op = C.webnn_op_next(op)
  end
end

function builder.ops()
  local list = {}
  for i, name in ipairs(names) do list[i] = name end
  return list
end

-- ---- the type

Builder = objects.class("GraphBuilder", methods, {
  context = function(self) return objects.context(C.webnn_builder_context(native(self))) end,
}, {
  __tostring = function(self)
    local info = objects.context(C.webnn_builder_context(native(self))).info
    return "webnn.GraphBuilder for " .. info.backend .. " on " .. info.device
  end,
})

function builder.new(context)
  local p, out = objects.Context.native({ "graph_builder", "context" }, context), ffi.new "webnn_builder *[1]"
  if C.webnn_builder_create(p, out, objects.err) ~= 0 then errors.raise_native(objects.err) end
  local handle = ffi.gc(out[0], C.webnn_builder_release)
  return objects.once(handle, function() return Builder.new { _p = handle } end)
end

builder.Builder, builder.Operand = Builder, Operand
return builder
