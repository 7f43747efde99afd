--- The objects of the module over ffi: tables that hold one counted native handle, `_p`. The handle's own finalizer
--- gives the count back, so any order of collection is fine.
local ffi = require "ffi"
local C = require "webnn.ffi.cdef"
local errors = require "webnn.ffi.errors"
local value = require "webnn.ffi.value"
local buffer = require "webnn.ffi.buffer"

local objects = {}
local err = ffi.new "webnn_error"
objects.err = err

-- ---- classes

local known = setmetatable({}, { __mode = "v" }) -- objects that exist once for each handle, by its address

local function address(p) return tonumber(ffi.cast("uintptr_t", p)) end

--- The object of a handle as long as somebody has it, else the one that `make` gives.
local function once(p, make)
  local key = address(p)
  if not known[key] then known[key] = make() end
  return known[key]
end
objects.once = once

--- A class with methods, properties and metamethods. Its objects are made by `class.new`.
function objects.class(name, methods, properties, meta)
  local class = meta or {}
  class.__name = "webnn." .. name
  class.methods = methods
  function class.__index(self, key)
    local method = methods[key]
    if method ~= nil then return method end
    local property = properties[key]
    if property then return property(self) end
  end
  function class.new(fields) return setmetatable(fields, class) end
  --- The native handle of what must be one of ours.
  function class.native(where, x)
    if getmetatable(x) ~= class then errors.wrong(where, "a webnn." .. name, x) end
    return rawget(x, "_p")
  end
  return class
end

-- ---- futures

local Future

local function outcome(self)
  if C.webnn_future_result(self._p, err) ~= 0 then return nil, errors.value(err) end
  if self.kind == "build" then
    local p = C.webnn_graph_retain(C.webnn_future_graph(self._p))
    return objects.Graph.new { _p = ffi.gc(p, C.webnn_graph_release) }
  elseif self.kind == "read" then
    local n_bytes = ffi.new "size_t[1]"
    local bytes = C.webnn_future_data(self._p, n_bytes)
    local out = self.into or buffer.shaped(self.data_type, self.shape)
    ffi.copy(out.data, bytes, n_bytes[0])
    value.keep(self)
    return out
  end
  return { message = ffi.string(C.webnn_future_message(self._p)) }
end

local future_methods = {}

local function check(self)
  if getmetatable(self) ~= Future then errors.wrong({ "future", "self" }, "a webnn.Future", self) end
end

function future_methods:done()
  check(self)
  return self.settled or C.webnn_future_done(self._p)
end

function future_methods:wait(seconds)
  check(self)
  if self.settled then return true end
  local ns = seconds and seconds >= 0 and seconds < 9e9 and seconds * 1e9 or -1
  return C.webnn_future_wait(self._p, ns) == 0
end

function future_methods:value()
  check(self)
  if not self.settled then
    if not C.webnn_future_done(self._p) then errors.raise("the future has not settled") end
    self.result_value, self.problem = outcome(self)
    self.settled, self._context = true, nil
    if self.kind ~= "lost" then self._p = nil end -- a lost one is found by its address
  end
  if self.problem then return nil, self.problem end
  return self.result_value
end

function future_methods:finish()
  check(self)
  future_methods.wait(self)
  return future_methods.value(self)
end

Future = objects.class("Future", future_methods, {}, {
  __tostring = function(self)
    local state = "pending"
    if self:done() then
      self:value()
      state = self.problem and "failed" or "done"
    end
    local text = "webnn.Future of a " .. self.kind .. ", " .. state
    if self.kind == "read" then text = text .. ", " .. value.text(self.data_type, self.shape) end
    return text
  end,
})
objects.Future = Future

--- A native future, taken over. With a context it counts as one of its owners until it has settled: a context ends
--- with its last owner, and a future that somebody waits for must not fail because the collector was quick.
function objects.future(kind, p, context, fields)
  fields = fields or {}
  fields.kind, fields._p = kind, ffi.gc(p, C.webnn_future_release)
  fields._context = context and ffi.gc(C.webnn_context_retain(context), C.webnn_context_release)
  return Future.new(fields)
end

function objects.settled(x) return Future.new { kind = "value", settled = true, result_value = x } end
function objects.failed(problem) return Future.new { kind = "value", settled = true, problem = problem } end

-- ---- tensors

local Tensor

local function tensor(self) return Tensor.native({ "tensor", "self" }, self) end

Tensor = objects.class("Tensor", {
  destroy = function(self) C.webnn_tensor_destroy(tensor(self)) end,

  --- The cl_mem and a cl_event, or nil and an error.
  export_opencl = function(self)
    local p, memory, event = tensor(self), ffi.new "void *[1]", ffi.new "void *[1]"
    if C.webnn_tensor_export_opencl(p, memory, event, err) ~= 0 then
      return nil, errors.refuse(C.webnn_tensor_context(p), err)
    end
    return memory[0], event[0]
  end,

  return_opencl = function(self, event)
    local p = tensor(self)
    local handle = buffer.handle({ "return_opencl", "event" }, event)
    if C.webnn_tensor_return_opencl(p, handle, err) ~= 0 then
      return nil, errors.refuse(C.webnn_tensor_context(p), err)
    end
    return true
  end,
}, {
  shape = function(self) return value.shape(C.webnn_tensor_descriptor(tensor(self))) end,
  data_type = function(self) return value.types[C.webnn_tensor_descriptor(tensor(self)).data_type] end,
  byte_length = function(self) return tonumber(C.webnn_tensor_byte_length(tensor(self))) end,
  readable = function(self) return C.webnn_tensor_readable(tensor(self)) end,
  writable = function(self) return C.webnn_tensor_writable(tensor(self)) end,
  constant = function(self) return C.webnn_tensor_constant(tensor(self)) end,
  context = function(self) return objects.context(C.webnn_tensor_context(tensor(self))) end,
}, {
  __tostring = function(self)
    local p = tensor(self)
    local descriptor = C.webnn_tensor_descriptor(p)
    return "webnn.Tensor " .. value.text(descriptor.data_type, descriptor.shape, descriptor.rank)
      .. (C.webnn_tensor_readable(p) and ", readable" or "") .. (C.webnn_tensor_writable(p) and ", writable" or "")
      .. (C.webnn_tensor_constant(p) and ", constant" or "")
      .. (C.webnn_tensor_is_destroyed(p) and ", destroyed" or "")
  end,
})
objects.Tensor = Tensor

-- ---- graphs

local Graph

local function graph(self) return Graph.native({ "graph", "self" }, self) end

local function ports(p, n, get)
  local out, descriptor = {}, ffi.new "webnn_descriptor"
  for i = 0, tonumber(n) - 1 do
    local name = value.str(get(p, i, descriptor))
    out[name] = { shape = value.shape(descriptor), data_type = value.types[descriptor.data_type] }
  end
  return out
end

local function ports_text(p, n, get)
  local out, descriptor = {}, ffi.new "webnn_descriptor"
  for i = 0, tonumber(n) - 1 do
    local name = value.str(get(p, i, descriptor))
    out[#out + 1] = name .. ": " .. value.text(descriptor.data_type, descriptor.shape, descriptor.rank)
  end
  return table.concat(out, ", ")
end

local function steps(self)
  local out, step = {}, ffi.new("webnn_graph_step", ffi.sizeof "webnn_graph_step")
  while C.webnn_graph_get_step(graph(self), #out, step) do
    out[#out + 1] = {
      operations = ffi.string(step.operations), kernel = ffi.string(step.kernel),
      shapes = ffi.string(step.shapes), label = value.str(step.label),
      layout = ffi.string(step.layout), declined = ffi.string(step.declined), reason = ffi.string(step.reason),
      threads = step.n_threads, launches = step.n_launches,
      bytes = tonumber(step.n_bytes), flops = tonumber(step.n_flops),
    }
  end
  return out
end

Graph = objects.class("Graph", {
  destroy = function(self) C.webnn_graph_destroy(graph(self)) end,
  steps = steps,
}, {
  inputs = function(self) return ports(graph(self), C.webnn_graph_n_inputs(self._p), C.webnn_graph_input) end,
  outputs = function(self) return ports(graph(self), C.webnn_graph_n_outputs(self._p), C.webnn_graph_output) end,
  context = function(self) return objects.context(C.webnn_graph_context(graph(self))) end,
  memory = function(self)
    local memory = ffi.new("webnn_graph_memory", ffi.sizeof "webnn_graph_memory")
    C.webnn_graph_get_memory(graph(self), memory)
    return { weights = tonumber(memory.weights), arena = tonumber(memory.arena), scratch = tonumber(memory.scratch) }
  end,
}, {
  __tostring = function(self)
    local p = graph(self)
    return "webnn.Graph (" .. ports_text(p, C.webnn_graph_n_inputs(p), C.webnn_graph_input) .. ") -> ("
      .. ports_text(p, C.webnn_graph_n_outputs(p), C.webnn_graph_output) .. ")"
      .. (C.webnn_graph_is_destroyed(p) and ", destroyed" or "")
  end,
})
objects.Graph = Graph

return objects
