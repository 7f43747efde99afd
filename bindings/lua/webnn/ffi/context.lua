--- webnn.Context over ffi: choosing a device, tensors, runs.
local ffi = require "ffi"
local C = require "webnn.ffi.cdef"
local errors = require "webnn.ffi.errors"
local value = require "webnn.ffi.value"
local buffer = require "webnn.ffi.buffer"
local objects = require "webnn.ffi.objects"

local err, once = objects.err, objects.once
local Context
local methods, properties = {}, {}

local function native(self) return Context.native({ "context", "self" }, self) end

--- The object of a context that is borrowed.
function objects.context(p)
  return once(p, function()
    return Context.new { _p = ffi.gc(C.webnn_context_retain(p), C.webnn_context_release) }
  end)
end

-- ---- making

local option_names = {
  "accelerated", "backend", "device", "device_type", "math", "opencl_context", "opencl_queue", "passes",
  "power_preference", "threads",
}
local enums = {
  device_type = { "cpu", "gpu" },
  power_preference = { "default", "high-performance", "low-power" },
  math = { "exact", "fast" },
}
local backends = { "auto", "onednn", "opencl", "reference" }

function objects.create_context(_, options)
  errors.check_options("create_context", options, option_names)
  options = options or {}
  local native_options = ffi.new("webnn_context_options", ffi.sizeof "webnn_context_options")
  native_options.accelerated = true
  for name, values in pairs(enums) do
    local x = options[name]
    if x ~= nil then native_options[name] = value.enum({ "create_context", name }, x, values) end
  end
  if options.backend ~= nil then
    value.enum({ "create_context", "backend" }, options.backend, backends)
    native_options.backend = options.backend
  end
  if options.accelerated ~= nil then
    native_options.accelerated = value.bool({ "create_context", "accelerated" }, options.accelerated)
  end
  if options.threads ~= nil then
    native_options.threads = value.uint32({ "create_context", "threads" }, options.threads)
  end
  for _, name in ipairs { "passes", "device" } do
    if options[name] ~= nil then native_options[name] = value.string({ "create_context", name }, options[name]) end
  end
  for _, name in ipairs { "opencl_queue", "opencl_context" } do
    native_options[name] = buffer.handle({ "create_context", name }, options[name])
  end
  local out = ffi.new "webnn_context *[1]"
  local status = C.webnn_context_create(native_options, out, err)
  value.keep(options)
  if status ~= 0 then return objects.failed(errors.refuse(nil, err)) end
  local p = ffi.gc(out[0], C.webnn_context_release)
  return objects.settled(once(p, function() return Context.new { _p = p } end))
end

--- The devices that there are; of a kind, what a context would take first comes first.
function objects.devices(options)
  errors.check_options("devices", options, { "power_preference" })
  local power, preference = options and options.power_preference, 0
  if power ~= nil then
    preference = value.enum({ "devices", "power_preference" }, power, enums.power_preference)
  end
  local info, list = ffi.new("webnn_device_info", ffi.sizeof "webnn_device_info"), {}
  while C.webnn_device_get_info(#list, preference, info) do
    list[#list + 1] = {
      backend = ffi.string(info.backend), device_type = enums.device_type[info.device_type + 1],
      device = ffi.string(info.name), driver = ffi.string(info.driver), memory = tonumber(info.memory),
      compute_units = info.compute_units, shares_memory = info.shares_memory, usable = info.usable,
    }
  end
  return list
end

-- ---- tensors

local function flag(where, options, name)
  local x = options[name]
  return x ~= nil and value.bool({ where, name, options = options }, x)
end

-- The descriptor, what keeps it, and the options of a new tensor.
local function tensor_options(where, options)
  local descriptor, keep = value.descriptor(where, options)
  errors.check_options(where, options, { "shape", "data_type", "readable", "writable" })
  return descriptor, keep, ffi.new("webnn_tensor_options", ffi.sizeof "webnn_tensor_options",
    flag(where, options, "readable"), flag(where, options, "writable"))
end

local function new_tensor(p) return objects.Tensor.new { _p = ffi.gc(p, C.webnn_tensor_release) } end

function methods:create_tensor(options)
  local p, out = native(self), ffi.new "webnn_tensor *[1]"
  local descriptor, keep, native_options = tensor_options("create_tensor", options)
  local status = C.webnn_tensor_create(p, descriptor, native_options, out, err)
  value.keep(keep)
  if status ~= 0 then return objects.failed(errors.refuse(p, err)) end
  return objects.settled(new_tensor(out[0]))
end

function methods:import_opencl(options, memory, event)
  local p, out = native(self), ffi.new "webnn_tensor *[1]"
  local descriptor, keep, native_options = tensor_options("import_opencl", options)
  local where = { "import_opencl", "memory", options = options }
  local handle = buffer.handle(where, memory) or errors.wrong(where, "a pointer", memory)
  local before = buffer.handle({ "import_opencl", "event", options = options }, event)
  local status = C.webnn_tensor_import_opencl(p, descriptor, native_options, handle, before, out, err)
  value.keep(keep)
  if status ~= 0 then return objects.failed(errors.refuse(p, err)) end
  return objects.settled(new_tensor(out[0]))
end

function methods:create_constant_tensor(options, data, size)
  local p, out = native(self), ffi.new "webnn_tensor *[1]"
  local descriptor, keep = value.descriptor("create_constant_tensor", options)
  errors.check_options("create_constant_tensor", options, { "shape", "data_type" })
  local bytes, n_bytes, owner =
    buffer.data({ "create_constant_tensor", "data", options = options }, data, size, false, descriptor.data_type)
  local status = C.webnn_tensor_create_constant(p, descriptor, bytes, n_bytes, out, err)
  value.keep(keep, owner)
  if status ~= 0 then return objects.failed(errors.refuse(p, err)) end
  return objects.settled(new_tensor(out[0]))
end

function methods:write_tensor(tensor, data, size)
  local p, t = native(self), objects.Tensor.native({ "write_tensor", "tensor" }, tensor)
  local data_type = C.webnn_tensor_descriptor(t).data_type
  local bytes, n_bytes, owner = buffer.data({ "write_tensor", "data" }, data, size, false, data_type)
  local status = C.webnn_tensor_write(p, t, bytes, n_bytes, err)
  value.keep(owner)
  if status ~= 0 then return nil, errors.refuse(p, err) end
  return true
end

local function check_target(t, into)
  local where = { "read_tensor", "buffer" }
  if not buffer.is(into) then errors.wrong(where, "a webnn.Buffer", into) end
  local data_type, n_bytes = C.webnn_tensor_descriptor(t).data_type, tonumber(C.webnn_tensor_byte_length(t))
  if into.type ~= data_type and into.type ~= value.types.uint8 then
    errors.argument(where, "holds " .. value.types[into.type] .. ", the tensor " .. value.types[data_type])
  end
  if buffer.n_bytes(into) ~= n_bytes then
    errors.argument(where, "has " .. buffer.n_bytes(into) .. " bytes, the tensor " .. n_bytes)
  end
end

function methods:read_tensor(tensor, into)
  local p, t = native(self), objects.Tensor.native({ "read_tensor", "tensor" }, tensor)
  local out = ffi.new "webnn_future *[1]"
  if into ~= nil then check_target(t, into) end
  local descriptor = C.webnn_tensor_descriptor(t)
  local fields = { into = into, data_type = descriptor.data_type, shape = value.shape(descriptor) }
  if C.webnn_tensor_read(p, t, out, err) ~= 0 then return objects.failed(errors.refuse(p, err)) end
  return objects.future("read", out[0], p, fields)
end

-- ---- runs

local function count(where, entries)
  if type(entries) ~= "table" or getmetatable(entries) then errors.wrong(where, "a table by name", entries) end
  local n = 0
  for name in pairs(entries) do
    if type(name) ~= "string" then errors.argument(where, "must have names as keys") end
    n = n + 1
  end
  return n
end

local function bind_tensors(where, entries)
  local n, i = count(where, entries), 0
  local out = ffi.new("webnn_named_tensor[?]", n + 1)
  for name, tensor in pairs(entries) do
    if i == n then break end -- a finalizer has made the table longer
    if getmetatable(tensor) ~= objects.Tensor then errors.argument(where, "has no tensor as '" .. name .. "'") end
    out[i].name.data, out[i].name.size, out[i].tensor = name, #name, tensor._p
    i = i + 1
  end
  return out, i
end

function methods:dispatch(graph, inputs, outputs)
  local p, g = native(self), objects.Graph.native({ "dispatch", "graph" }, graph)
  local native_inputs, n_inputs = bind_tensors({ "dispatch", "inputs" }, inputs)
  local native_outputs, n_outputs = bind_tensors({ "dispatch", "outputs" }, outputs)
  local status = C.webnn_graph_dispatch(p, g, native_inputs, n_inputs, native_outputs, n_outputs, err)
  value.keep(inputs, outputs)
  if status ~= 0 then return nil, errors.refuse(p, err) end
  return true
end

local function bind_data(where, entries, types, writable)
  local n, i = count(where, entries), 0
  local out, keep = ffi.new("webnn_named_data[?]", n + 1), {}
  for name, data in pairs(entries) do
    if i == n then break end -- a getPointer of the host's has made the table longer
    local port = types[name]
    local data_type = port and value.types[port.data_type] or value.types.float32
    local bytes, n_bytes, owner = buffer.data(where, data, nil, writable, data_type)
    out[i].name.data, out[i].name.size = name, #name
    out[i].data = ffi.cast("void *", ffi.cast("const char *", bytes))
    out[i].n_bytes = n_bytes
    i = i + 1
    keep[2 * i - 1], keep[2 * i] = name, owner or data
  end
  return out, i, keep
end

local function make_outputs(types)
  local out = {}
  for name, port in pairs(types) do out[name] = buffer.shaped(value.types[port.data_type], port.shape) end
  return out
end

local wheres = {}
for _, name in ipairs { "compute", "profile" } do
  wheres[name] = { graph = { name, "graph" }, inputs = { name, "inputs" }, outputs = { name, "outputs" } }
end

-- Calls `call(graph, inputs, n_inputs, outputs, n_outputs)`, which gives a status: the outputs, or nil and an error.
local function run(name, p, graph, inputs, outputs, call)
  local where = wheres[name]
  local g = objects.Graph.native(where.graph, graph)
  graph._inputs = rawget(graph, "_inputs") or graph.inputs -- looked up at every run
  graph._outputs = rawget(graph, "_outputs") or graph.outputs
  local native_inputs, n_inputs, keep_inputs = bind_data(where.inputs, inputs, graph._inputs, false)
  if outputs == nil then outputs = make_outputs(graph._outputs) end
  local native_outputs, n_outputs, keep = bind_data(where.outputs, outputs, graph._outputs, true)
  local status = call(p, g, native_inputs, n_inputs, native_outputs, n_outputs)
  value.keep(keep_inputs, keep, inputs)
  if status ~= 0 then return nil, errors.refuse(p, err) end
  return outputs
end

local function compute(p, g, inputs, n_inputs, outputs, n_outputs)
  return C.webnn_graph_compute(p, g, inputs, n_inputs, outputs, n_outputs, err)
end

function methods:compute(graph, inputs, outputs)
  return run("compute", native(self), graph, inputs, outputs, compute)
end

--- The seconds of each step in all runs, in running order, or nil and an error.
function objects.Graph.methods.time_steps(graph, inputs, runs)
  local g = objects.Graph.native(wheres.profile.graph, graph)
  local n_runs, n = value.uint32({ "profile", "runs" }, runs), tonumber(C.webnn_graph_n_steps(g))
  local seconds, out = ffi.new("double[?]", n + 1), {}
  local function profile(p, _, native_inputs, n_inputs, native_outputs, n_outputs)
    local status = 0
    for _ = 1, n_runs do
      status = C.webnn_graph_profile(p, g, native_inputs, n_inputs, native_outputs, n_outputs, seconds, n, err)
      if status ~= 0 then break end
    end
    return status
  end
  local done, problem = run("profile", C.webnn_graph_context(g), graph, inputs, nil, profile)
  if not done then return nil, problem end
  for i = 1, n do out[i] = seconds[i - 1] end
  return out
end

-- ---- asking

function methods:op_support_limits()
  return ffi.string(C.webnn_context_op_support_limits(native(self)))
end

function methods:fd() return C.webnn_context_fd(native(self)) end
function methods:drain() C.webnn_context_drain(native(self)) end
function methods:destroy() C.webnn_context_destroy(native(self)) end

local filters = { "validation", "out-of-memory", "internal" }

function methods:push_error_scope(filter)
  local index = value.enum({ "push_error_scope", "filter" }, filter, filters)
  if C.webnn_context_push_error_scope(native(self), index, err) ~= 0 then errors.raise_native(err) end
end

function methods:pop_error_scope()
  local caught = ffi.new "webnn_error"
  if C.webnn_context_pop_error_scope(native(self), caught, err) ~= 0 then errors.raise_native(err) end
  return caught.status ~= 0 and errors.value(caught) or nil
end

--- What the device reaches with nothing else to do, or nil and an error.
function methods:measure_peaks()
  local p, peaks = native(self), ffi.new("webnn_peaks", ffi.sizeof "webnn_peaks")
  if C.webnn_context_measure_peaks(p, peaks, err) ~= 0 then return nil, errors.refuse(p, err) end
  return { flops = peaks.flops, bytes = peaks.bytes }
end

function properties.accelerated(self) return C.webnn_context_accelerated(native(self)) end

function properties.lost(self)
  local p = C.webnn_context_lost(native(self))
  return once(p, function() return objects.future("lost", C.webnn_future_retain(p)) end)
end

local function get_info(self)
  local info = ffi.new("webnn_context_info", ffi.sizeof "webnn_context_info")
  C.webnn_context_get_info(native(self), info)
  return info
end

function properties.info(self)
  local info = get_info(self)
  return {
    backend = ffi.string(info.backend), device = ffi.string(info.device), driver = ffi.string(info.driver),
    threads = info.threads, why = info.why ~= nil and ffi.string(info.why) or "",
  }
end

Context = objects.class("Context", methods, properties, {
  __tostring = function(self)
    local info = get_info(self)
    return "webnn.Context " .. ffi.string(info.backend) .. " on " .. ffi.string(info.device) .. ", "
      .. info.threads .. " threads" .. (C.webnn_context_is_lost(native(self)) and ", lost" or "")
  end,
})
objects.Context = Context

return methods
