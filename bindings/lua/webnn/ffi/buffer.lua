--- webnn.Buffer over ffi: a typed array in C data, which Lua's collector knows of; and data of any other kind.
local ffi = require "ffi"
local errors = require "webnn.ffi.errors"
local value = require "webnn.ffi.value"

local buffer = {}
local methods, meta = {}, {}
local ct = ffi.typeof "webnn_lua_buffer"
local owners = setmetatable({}, { __mode = "k" }) -- whose memory a view is

function buffer.is(x) return type(x) == "cdata" and ffi.istype(ct, x) end

local function check(self, name)
  if not buffer.is(self) then errors.wrong({ name, "self" }, "a webnn.Buffer", self) end
  return self
end

local function new(type, n)
  local self = ct(math.ceil(n * value.bytes[type] / 8))
  self.type, self.n, self.rank = type, n, 1
  self.dims[0] = n
  self.data = ffi.cast("uint8_t *", self.words)
  return self
end

--- One with the shape of a tensor.
function buffer.shaped(type, shape)
  local n = 1
  for i = 1, #shape do n = n * shape[i] end
  local self = new(type, n)
  self.rank = #shape
  for i = 1, #shape do self.dims[i - 1] = shape[i] end
  return self
end

function buffer.n_bytes(self) return self.n * value.bytes[self.type] end

-- ---- data

local function count(where, x, depth)
  if depth > 9 then errors.argument(where, "is nested too deeply") end
  local n = 0
  for i = 1, value.length(where, x) do
    n = n + (type(x[i]) == "table" and count(where, x[i], depth + 1) or 1)
  end
  return n
end

local function set(where, data_type, data, i, x)
  local number = value.as_number(x)
  if number == nil then errors.wrong(where, "a number", x) end
  if not value.set(data_type, data, i, number) then
    errors.argument(where, "holds " .. tostring(x) .. ", which " .. value.types[data_type] .. " cannot hold")
  end
end

-- At most `room` elements: a finalizer that runs meanwhile may have made the table longer.
local function fill(where, x, data_type, data, at, room)
  for i = 1, #x do
    if at == room then return at end
    if type(x[i]) == "table" then
      at = fill(where, x[i], data_type, data, at, room)
    else
      set(where, data_type, data, at, x[i])
      at = at + 1
    end
  end
  return at
end

local function size_of(where, size)
  if size == nil then errors.argument(where, "is an address: its size in bytes must follow") end
  if type(size) ~= "number" or size % 1 ~= 0 or size < 0 then
    errors.argument(where, "has a size that is no whole number of bytes")
  end
  return size
end

local function is_address(x)
  return type(x) == "userdata" or type(x) == "cdata" and not buffer.is(x) and value.as_number(x) == nil
end

-- Nothing lies on the first page: a small number there is a mistake.
local function pointer_of(where, x)
  local ok, pointer = pcall(ffi.cast, "const uint8_t *", x)
  if not ok or ffi.cast("uintptr_t", pointer) < 4096 then errors.argument(where, "is no address") end
  return ffi.cast("uint8_t *", pointer)
end

local function of_number(where, x)
  if x % 1 ~= 0 or x < 0 or x >= 2 ^ 64 then errors.argument(where, "is no address") end
  return pointer_of(where, ffi.cast("uintptr_t", x))
end

-- An address: a pointer or a number with its size, an array with its own.
local function address(where, x, size)
  if type(x) == "number" then return of_number(where, x), size_of(where, size) end
  if type(x) ~= "cdata" then return pointer_of(where, x), size_of(where, size) end
  if value.as_number(x) ~= nil then return of_number(where, tonumber(x)), size_of(where, size) end
  local name = tostring(ffi.typeof(x))
  if size ~= nil or name:find("%*[%s%a]*>$") or name:find("(*", 1, true) then
    return pointer_of(where, x), size_of(where, size)
  end
  return pointer_of(where, x), ffi.sizeof(x)
end

--- Somebody else's handle: light userdata, a C pointer or its number; nil where nothing is given, which a C pointer to
--- nowhere only equals.
function buffer.handle(where, x)
  local kind = type(x)
  if kind == "nil" then return nil end
  if kind == "number" then return of_number(where, x) end
  if kind == "userdata" and getmetatable(x) == nil then return pointer_of(where, x) end
  if kind == "cdata" then
    local number = value.as_number(x)
    if number ~= nil then return of_number(where, tonumber(number)) end
    if tostring(ffi.typeof(x)):find("%*[%s%a]*>$") then return pointer_of(where, x) end
  end
  errors.wrong(where, "a pointer", x)
end

-- An object that says where its bytes are and how many: LÖVE's Data. Light userdata has no metatable of its own.
local function object(where, x)
  local m = getmetatable(x)
  if type(m) ~= "table" or not m.__index then return nil end
  local pointer = x.getFFIPointer and x:getFFIPointer() or x.getPointer and x:getPointer()
  if pointer and x.getSize then return address(where, pointer, x:getSize()) end
end

local wanted = "data: a string, a buffer, a table of numbers, or an address with its size"

local function of_table(where, x, data_type)
  local n = count(where, x, 0)
  local data = new(data_type, n)
  fill(where, x, data_type, data.data, 0, n)
  return data.data, buffer.n_bytes(data), data
end

local function of_buffer(where, x, data_type)
  if x.type ~= data_type and x.type ~= value.types.uint8 then
    errors.argument(where, "holds " .. value.types[x.type] .. ", not " .. value.types[data_type])
  end
  return x.data, buffer.n_bytes(x), x
end

--- The pointer and the bytes of data of any kind, and what keeps them. `writable`: only what we may write into.
function buffer.data(where, x, size, writable, data_type)
  local kind = type(x)
  if buffer.is(x) then return of_buffer(where, x, data_type) end
  if kind == "table" and not getmetatable(x) then
    if is_address(x[1]) then return address(where, x[1], x[2]) end
    if not writable then return of_table(where, x, data_type) end
  elseif kind == "string" and not writable then
    return x, #x, x
  elseif not writable and size == nil and (kind == "number" or value.as_number(x) ~= nil) then
    return of_table(where, { x }, data_type)
  elseif kind == "cdata" or (kind == "number" and size ~= nil) then
    return address(where, x, size)
  elseif kind == "userdata" then
    local pointer, n_bytes = object(where, x)
    if pointer ~= nil then return pointer, n_bytes, x end
    if getmetatable(x) == nil then return address(where, x, size) end
  end
  errors.wrong(where, wanted, x)
end

-- ---- making

function buffer.create(type_name, x, size)
  local data_type = value.data_type({ "buffer", "data_type" }, type_name)
  local where = { "buffer", "data" }
  if type(x) == "number" and size == nil then
    if x % 1 ~= 0 or x < 0 or x > 4294967295 then
      errors.wrong(where, "a number of elements from 0 to 4294967295", x)
    end
    return new(data_type, x)
  end
  local data, n_bytes, owner = buffer.data(where, x, size, false, data_type)
  if n_bytes % value.bytes[data_type] ~= 0 then
    errors.argument(where, "has " .. n_bytes .. " bytes, which is no whole number of elements")
  end
  local self = new(data_type, n_bytes / value.bytes[data_type])
  ffi.copy(self.data, data, n_bytes)
  value.keep(owner)
  return self
end

-- ---- the whole

function methods:string()
  local text = ffi.string(check(self, "string").data, buffer.n_bytes(self))
  value.keep(self)
  return text
end

function methods:table()
  local out, data_type, data = {}, check(self, "table").type, self.data
  for i = 1, self.n do out[i] = value.get(data_type, data, i - 1) end
  value.keep(self)
  return out
end

--- A pointer of the elements' type (for float16 uint16_t), and the number of bytes.
function methods:pointer()
  return ffi.cast(value.pointers[check(self, "pointer").type], self.data), buffer.n_bytes(self)
end

function methods:fill(x)
  local number, n = value.as_number(x), check(self, "fill").n
  if number == nil then errors.wrong({ "fill", "value" }, "a number", x) end
  for i = 0, n - 1 do
    if not value.set(self.type, self.data, i, number) then
      errors.wrong({ "fill", "value" }, "a number of type " .. value.types[self.type], x)
    end
  end
  return self
end

function methods:set(x, size)
  local where = { "set", "data" }
  local data, n_bytes, owner = buffer.data(where, x, size, false, check(self, "set").type)
  if n_bytes ~= buffer.n_bytes(self) then
    errors.argument(where, "has " .. n_bytes .. " bytes, the buffer has " .. buffer.n_bytes(self))
  end
  ffi.copy(self.data, data, n_bytes)
  value.keep(owner)
  return self
end

local function place(where, x, default, most)
  if x == nil then return default end
  if type(x) ~= "number" or x % 1 ~= 0 or x < 0 or x > most then errors.wrong(where, "a number of elements", x) end
  return x
end

function methods:view(first, last, type_name)
  local n = check(self, "view").n
  first = place({ "view", "first" }, first, 1, n + 1)
  last = place({ "view", "last" }, last, n, n)
  if first == 0 then errors.wrong({ "view", "first" }, "1 or more", first) end
  local data_type = type_name == nil and self.type or value.data_type({ "view", "data_type" }, type_name)
  local n_bytes = math.max(0, last - first + 1) * value.bytes[self.type]
  if n_bytes % value.bytes[data_type] ~= 0 then
    errors.argument({ "view", "data_type" },
      type_name .. " does not divide the view's " .. n_bytes .. " bytes")
  end
  local view = new(data_type, 0)
  view.n = n_bytes / value.bytes[data_type]
  view.dims[0] = view.n
  view.data = self.data + (first - 1) * value.bytes[self.type]
  owners[view] = self
  return view
end

-- ---- the type

local properties = {}

function properties.shape(self)
  local out = {}
  for i = 1, self.rank do out[i] = self.dims[i - 1] end
  return out
end

function properties.data_type(self) return value.types[self.type] end

function meta.__index(self, key)
  if type(key) == "number" then
    if key % 1 ~= 0 or key < 1 or key > self.n then return nil end
    return value.get(self.type, self.data, key - 1)
  end
  if methods[key] then return methods[key] end
  return properties[key] and properties[key](self)
end

function meta.__newindex(self, key, x)
  local n = self.n
  if type(key) ~= "number" or key % 1 ~= 0 or key < 1 or key > n then
    errors.wrong({ "buffer", "index" }, "an index from 1 to " .. n, key)
  end
  local number = value.as_number(x)
  if number == nil then errors.wrong({ "buffer", "element" }, "a number", x) end
  if not value.set(self.type, self.data, key - 1, number) then
    errors.wrong({ "buffer", "element" }, "a number of type " .. value.types[self.type], x)
  end
end

function meta.__len(self) return self.n end

function meta.__tostring(self)
  local n, shown = self.n, {}
  for i = 1, math.min(n, 6) do shown[i] = tostring(value.get(self.type, self.data, i - 1)) end
  return "webnn.Buffer " .. value.text(self.type, self.dims, self.rank) .. " {" .. table.concat(shown, ", ")
    .. (n > 6 and ", ...}" or "}")
end

ffi.metatype(ct, meta)

return buffer
