--- What both modules, the one in C and the one over LuaJIT's ffi, add in Lua to their core.
local json = require "webnn.json"
local usage = require "webnn.usage".text
local new_scheduler = require "webnn.scheduler"

--- Completes `webnn`, which has the core's functions.
--- `core` has `now`, `create_context(options)`, `failed(error)`, `op_info(name)`, `future_methods`,
--- `context_methods` and `error_meta`.
return function(webnn, core)
  function webnn.new_error(name, message)
    return setmetatable({ name = name, message = message }, core.error_meta)
  end

  new_scheduler(webnn, core.now)(core.future_methods)
  webnn.now = core.now

  -- ---- ml

  local ML = {}
  ML.__index = ML

  --- A future of a context.
  function ML:create_context(options)
    return core.create_context(options)
  end

  function ML.__tostring() return "webnn.ML" end

  local ml = setmetatable({}, ML)

  --- Where contexts come from: the specification's navigator.ml.
  function webnn.ml() return ml end

  -- ---- limits

  local limits_text = core.context_methods.op_support_limits

  --- What the context can do, a table as in the specification.
  function core.context_methods:op_support_limits()
    return json.decode(limits_text(self))
  end

  -- ---- graph files

  local function load_with(method, source, context)
    local builder = webnn.graph_builder(context)
    local outputs, problem = builder[method](builder, source)
    if not outputs then return core.failed(problem) end
    return builder:build(outputs)
  end

  --- A future of the graph that a file holds.
  function webnn.load(path, context)
    return load_with("load", path, context)
  end

  --- The same out of memory: a string, a buffer, a host's data object.
  function webnn.load_data(data, context)
    return load_with("load_data", data, context)
  end

  --- Writes what the outputs need into a file: true, or nil and an error.
  function webnn.save(path, builder, outputs)
    return builder:save(path, outputs)
  end

  -- ---- help

  --- The row of an operation in the table, by its name here or in the specification; nil when there is none.
  webnn.op_info = core.op_info

  --- The text that webnn.op prints.
  function webnn.usage(name)
    local text = usage(webnn, name, 2) -- no tail call: levels are counted
    return text
  end

  --- Prints how an operation is called.
  function webnn.op(name)
    print(usage(webnn, name, 2))
  end

  webnn.json = json
  return webnn
end
