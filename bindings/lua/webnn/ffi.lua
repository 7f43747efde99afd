--- The same module for LuaJIT hosts that hide their Lua symbols or load no modules in C: it needs nothing but
--- libwebnn's shared library.
local ffi = require "ffi"
local C = require "webnn.ffi.cdef"
local common = require "webnn.common"
local errors = require "webnn.ffi.errors"
local buffer = require "webnn.ffi.buffer"
local objects = require "webnn.ffi.objects"
local context_methods = require "webnn.ffi.context"
local builder = require "webnn.ffi.builder"

-- ---- a clock that never goes back

local now = os.clock
if ffi.os ~= "Windows" then
  ffi.cdef [[
    typedef struct webnn_lua_timespec { long seconds, nanoseconds; } webnn_lua_timespec;
    int clock_gettime(int clock, webnn_lua_timespec *out);
  ]]
  local time, monotonic = ffi.new "webnn_lua_timespec", ffi.os == "OSX" and 6 or 1
  now = function()
    ffi.C.clock_gettime(monotonic, time)
    return tonumber(time.seconds) + tonumber(time.nanoseconds) * 1e-9
  end
end

local classes = {
  [objects.Context] = "Context", [objects.Tensor] = "Tensor", [objects.Graph] = "Graph",
  [objects.Future] = "Future", [builder.Builder] = "GraphBuilder", [builder.Operand] = "Operand",
}

local function type_of(x)
  if buffer.is(x) then return "Buffer" end
  local meta = type(x) == "table" and getmetatable(x)
  return meta and classes[meta] or nil
end

return common({
  _VERSION = ffi.string(C.webnn_version()),
  graph_builder = builder.new,
  buffer = buffer.create,
  devices = objects.devices,
  ops = builder.ops,
  type = type_of,
}, {
  now = now,
  create_context = objects.create_context,
  failed = objects.failed,
  op_info = builder.op_info,
  future_methods = objects.Future.methods,
  context_methods = context_methods,
  graph_methods = objects.Graph.methods,
  error_meta = errors.meta,
})
