--- Lua values turned into the core's, and back, over ffi.
local ffi = require "ffi"
local bit = require "bit"
local C = require "webnn.ffi.cdef"
local errors = require "webnn.ffi.errors"

local value = { types = {}, bytes = {}, n_types = 0 }
local wrong = errors.wrong

for i = 0, 31 do
  local name = C.webnn_data_type_name(i)
  if name == nil then break end
  value.types[i] = ffi.string(name)
  value.types[value.types[i]] = i
  value.bytes[i] = tonumber(C.webnn_data_type_bytes(i))
  value.n_types = i + 1
end

local FLOAT32, FLOAT16 = value.types.float32, value.types.float16
local INT64, UINT64 = value.types.int64, value.types.uint64

--- Called behind a call into C with what that reads: until then nothing of it may be collected.
function value.keep() end

-- ---- numbers

function value.uint32(where, x)
  if type(x) ~= "number" or x % 1 ~= 0 or x < 0 or x > 4294967295 then
    wrong(where, "an integer from 0 to 4294967295", x)
  end
  return x
end

function value.int32(where, x)
  if type(x) ~= "number" or x % 1 ~= 0 or x < -2147483648 or x > 2147483647 then
    wrong(where, "an integer from -2147483648 to 2147483647", x)
  end
  return x
end

local int64, uint64 = ffi.typeof "int64_t", ffi.typeof "uint64_t"
local most_tenth = 1844674407370955161ULL

-- Decimal digits, exact within 64 bits: C data, signed where it fits.
local function parse_integer(text)
  local sign, digits = text:match("^([+-]?)(%d+)$")
  if not digits then return nil end
  local x = 0ULL
  for i = 1, #digits do
    local digit = digits:byte(i) - 48
    if x > most_tenth or (x == most_tenth and digit > 5) then return nil end
    x = x * 10ULL + digit
  end
  if sign == "-" then
    if x > 9223372036854775808ULL then return nil end
    return -ffi.cast(int64, x)
  end
  return x <= 9223372036854775807ULL and ffi.cast(int64, x) or x
end

--- A number of any kind: a Lua number, or C data of 64 bits; nil when it is none.
function value.as_number(x)
  local kind = type(x)
  if kind == "number" then return x end
  if kind == "cdata" then
    if ffi.istype(int64, x) or ffi.istype(uint64, x) then return x end
    return tonumber(x)
  end
  if kind ~= "string" or x:find("%z") then return nil end
  return parse_integer(x) or tonumber(x)
end

local number_t = ffi.typeof "webnn_number"

function value.number(where, x)
  local number, out = value.as_number(x), number_t()
  if number == nil then wrong(where, "a number", x) end
  if type(number) == "number" then
    out.kind, out.as.f = 1, number
  elseif ffi.istype(int64, number) then
    out.kind, out.as.i = 2, number
  else
    out.kind, out.as.u = 3, number
  end
  return out
end

function value.bool(where, x)
  if type(x) ~= "boolean" then wrong(where, "true or false", x) end
  return x
end

-- ---- strings

function value.string(where, x)
  if type(x) ~= "string" then wrong(where, "a string", x) end
  return x
end

--- The zero-based place of a string among `names`.
function value.enum(where, x, names)
  for i = 1, #names do
    if names[i] == x then return i - 1 end
  end
  local all = "'" .. names[1] .. "'"
  for i = 2, #names do all = all .. (i < #names and ", '" or " or '") .. names[i] .. "'" end
  wrong(where, all, x)
end

local type_names = {}
for i = 0, value.n_types - 1 do type_names[i + 1] = value.types[i] end

function value.data_type(where, x) return value.enum(where, x, type_names) end

-- ---- lists

function value.length(where, x)
  local n = 0
  for _ in next, x do n = n + 1 end
  if n ~= #x then errors.argument(where, "must be a list without holes or names") end
  return n
end

function value.list(where, x)
  if type(x) ~= "table" or getmetatable(x) then wrong(where, "a list", x) end
  return value.length(where, x)
end

function value.uints(where, x)
  local n = value.list(where, x)
  local out = ffi.new("uint32_t[?]", n + 1)
  for i = 1, n do out[i - 1] = value.uint32(where, x[i]) end
  return out, n
end

function value.floats(where, x)
  local n = value.list(where, x)
  local out = ffi.new("double[?]", n + 1)
  for i = 1, n do
    local number = value.as_number(x[i])
    if number == nil then wrong(where, "a number", x[i]) end
    number = tonumber(number)
    if number ~= number or math.abs(number) == math.huge then errors.argument(where, "must hold finite numbers") end
    out[i - 1] = number
  end
  return out, n
end

-- ---- descriptors

local descriptor_t = ffi.typeof "webnn_descriptor"

--- {shape =, data_type =} as the core wants it; the second result keeps its memory.
function value.descriptor(name, x)
  if type(x) ~= "table" or getmetatable(x) then wrong({ name, "descriptor" }, "a table with shape and data_type", x) end
  local shape, rank = value.uints({ name, "shape", options = x }, x.shape)
  return descriptor_t(value.data_type({ name, "data_type", options = x }, x.data_type), rank, shape), shape
end

function value.shape(descriptor)
  local out = {}
  for i = 1, tonumber(descriptor.rank) do out[i] = descriptor.shape[i - 1] end
  return out
end

--- "float32 [2, 3]"; `shape` is a list in Lua or, with its `rank`, one in C.
function value.text(type, shape, rank)
  local dims = {}
  for i = 1, tonumber(rank or #shape) do dims[i] = tostring(shape[rank and i - 1 or i]) end
  return value.types[type] .. " [" .. table.concat(dims, ", ") .. "]"
end

function value.str(str)
  return str.data == nil and "" or ffi.string(str.data, str.size)
end

-- ---- elements

local function half_to_number(bits)
  local exponent, fraction = bit.band(bit.rshift(bits, 10), 31), bit.band(bits, 1023)
  local x
  if exponent == 31 then
    x = fraction ~= 0 and 0 / 0 or math.huge
  elseif exponent == 0 then
    x = fraction * 2 ^ -24
  else
    x = (1024 + fraction) * 2 ^ (exponent - 25)
  end
  return bits >= 0x8000 and -x or x
end

-- Rounds to nearest, ties to even.
local function half_from_number(x)
  if x ~= x then return 0x7e00 end
  local sign = (x < 0 or 1 / x < 0) and 0x8000 or 0
  x = math.abs(x)
  if x >= 65520 then return sign + 0x7c00 end
  if x == 0 then return sign end
  local _, exponent = math.frexp(x)
  local unit = math.max(exponent - 11, -24) -- of the last place
  local scaled = x * 2 ^ -unit
  local places = math.floor(scaled)
  local rest = scaled - places
  if rest > 0.5 or (rest == 0.5 and places % 2 == 1) then places = places + 1 end
  if unit == -24 then return sign + places end
  return sign + (unit + 24) * 1024 + places
end

local pointers = {}
for name, c in pairs {
  float32 = "float *", float16 = "uint16_t *", int32 = "int32_t *", uint32 = "uint32_t *", int64 = "int64_t *",
  uint64 = "uint64_t *", int8 = "int8_t *", uint8 = "uint8_t *",
} do
  pointers[value.types[name]] = ffi.typeof(c)
end
value.pointers = pointers

local exact = 9007199254740992LL

--- Element `i` (zero-based) of the bytes at `data`.
function value.get(type, data, i)
  local x = ffi.cast(pointers[type], data)[i]
  if type == FLOAT16 then return half_to_number(x) end
  if type == INT64 then return x >= -exact and x <= exact and tonumber(x) or x end
  if type == UINT64 then
    if x <= 9007199254740992ULL then return tonumber(x) end
    return x <= 9223372036854775807ULL and ffi.cast(int64, x) or x
  end
  return tonumber(x)
end

local ranges = {
  int32 = { -2147483648, 2147483647 }, uint32 = { 0, 4294967295 }, int8 = { -128, 127 }, uint8 = { 0, 255 },
}

local function set_int64(type, at, x)
  if _G.type(x) == "number" then
    if x % 1 ~= 0 or x < (type == INT64 and -2 ^ 63 or 0) or x >= (type == INT64 and 2 ^ 63 or 2 ^ 64) then
      return false
    end
    if x >= 2 ^ 63 then
      at[0] = ffi.cast(uint64, x - 2 ^ 63) + 9223372036854775808ULL
    else
      at[0] = ffi.cast(int64, x)
    end
    return true
  end
  local signed = ffi.istype(int64, x)
  if type == INT64 and not signed and x > 9223372036854775807ULL then return false end
  if type == UINT64 and signed and x < 0 then return false end
  at[0] = x
  return true
end

-- A 64-bit integer that a double holds and that lies on the same side of every float: rounding happens once, where
-- the float is made.
local function sticky(x)
  local rest = x % 2048
  if rest == 0 or (x >= -exact and x <= exact) then return tonumber(x) end
  x = x - rest
  if (x / 2048) % 2 == 0 then x = x + (x < 0 and -2048 or 2048) end
  return tonumber(x)
end

local largest = 3.4028235677973366e38 -- half a unit above the largest float

--- Sets it to what value.as_number gave; false when the type has no place for the number.
function value.set(type, data, i, x)
  local at = ffi.cast(pointers[type], data) + i
  if type == INT64 or type == UINT64 then return set_int64(type, at, x) end
  if type == FLOAT32 then
    if _G.type(x) == "cdata" then x = sticky(x) end
    if math.abs(x) >= largest then x = x < 0 and -math.huge or math.huge end
    at[0] = x
    return true
  end
  x = tonumber(x)
  if type == FLOAT16 then
    at[0] = half_from_number(x)
    return true
  end
  local range = ranges[value.types[type]]
  if x % 1 ~= 0 or x < range[1] or x > range[2] then return false end
  at[0] = x
  return true
end

return value
