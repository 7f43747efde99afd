--- What both modules, the one in C and the one over LuaJIT's ffi, add in Lua to their core.
local json = require "webnn.json"
local usage = require "webnn.usage".text
local profiles = require "webnn.profiles"
local new_scheduler = require "webnn.scheduler"
local unpack = table.unpack or unpack

-- What a call of a core gives; its complaints are raised again at the line of whoever called the function here, which
-- must not call this last, for then that line is gone.
local function checked(ok, ...)
  if ok then return ... end
  local message = ...
  error(message, type(message) == "string" and 3 or 0)
end

--- Completes `webnn`, which has the core's functions.
--- `core` has `now`, `create_context(ml, options)`, `failed(error)`, `op_info(name)`, `future_methods`,
--- `context_methods`, `graph_methods` and `error_meta`.
--- A core is completed once.
return function(webnn, core)
  if core.completed then return core.completed end
  core.completed = webnn

  function webnn.new_error(name, message)
    return setmetatable({ name = name, message = message }, core.error_meta)
  end

  new_scheduler(webnn, core.now)(core.future_methods)
  webnn.now = core.now

  -- ---- ml

  local ML = { create_context = core.create_context } -- a future of a context
  ML.__index = ML

  function ML.__tostring() return "webnn.ML" end

  local ml = setmetatable({}, ML)

  --- Where contexts come from: the specification's navigator.ml.
  function webnn.ml() return ml end

  -- ---- limits

  local limits_text = core.context_methods.op_support_limits

  --- What the context can do, a table as in the specification.
  function core.context_methods:op_support_limits()
    local text = checked(pcall(limits_text, self))
    return json.decode(text)
  end

  -- ---- what a graph consists of

  local profile, explain = profiles(core.graph_methods)

  local function check_graph(name, graph)
    if webnn.type(graph) ~= "Graph" then error(name .. ": graph must be a webnn.Graph", 3) end
  end

  --- Runs the graph and says of each step, in running order, what it does and how long it takes; or nil and an error.
  function core.graph_methods:profile(inputs, runs)
    check_graph("profile", self)
    local steps, problem = checked(pcall(profile, self, inputs, runs))
    return steps, problem
  end

  --- What became of the operations: a table that prints as a text.
  function core.graph_methods:explain()
    check_graph("explain", self)
    return explain(self)
  end

  -- ---- graph files

  local function load_with(method, source, context)
    local builder = webnn.graph_builder(context)
    local outputs, problem = builder[method](builder, source)
    if not outputs then return core.failed(problem) end
    return builder:build(outputs)
  end

  -- Without the place in this file that a complaint may have.
  local function load_checked(...)
    local result = { pcall(load_with, ...) }
    if not result[1] and type(result[2]) == "string" then result[2] = result[2]:gsub("^[^\n]-common%.lua:%d+: ", "") end
    return unpack(result, 1, 2)
  end

  --- A future of the graph that a file holds.
  function webnn.load(path, context)
    local future = checked(load_checked("load", path, context))
    return future
  end

  --- The same out of memory: a string, a buffer, a host's data object.
  function webnn.load_data(data, context)
    local future = checked(load_checked("load_data", data, context))
    return future
  end

  --- Writes what the outputs need into a file: true, or nil and an error.
  function webnn.save(path, builder, outputs)
    if webnn.type(builder) ~= "GraphBuilder" then error("save: builder must be a webnn.GraphBuilder", 2) end
    local done, problem = checked(pcall(builder.save, builder, path, outputs))
    return done, problem
  end

  -- ---- help

  --- The row of an operation in the table, by its name here or in the specification; nil when there is none.
  function webnn.op_info(name)
    if type(name) ~= "string" then error("op_info: the name of an operation is needed", 2) end
    return core.op_info(name)
  end

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
