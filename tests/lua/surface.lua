--- The surface, name by name: what the design promises is there, what the annotations say is there, and every wrong call
--- is told at the caller's line.
return function(t, env)
  local webnn = env.webnn

  local function read_file(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read("*a")
    file:close()
    return text
  end

  local function objects()
    local context = env.context()
    local builder = webnn.graph_builder(context)
    local x = builder:input("x", { shape = { 2 }, data_type = "float32" })
    local graph = assert(builder:build { y = builder:relu(x) }:await())
    local tensor = context:create_tensor { shape = { 2 }, data_type = "float32", readable = true, writable = true }:await()
    local own = webnn.graph_builder(context)
    return {
      ML = webnn.ml(), Context = context, Tensor = tensor, Graph = graph, GraphBuilder = own, webnn = webnn,
      Operand = own:input("x", { shape = { 2 }, data_type = "float32" }), Buffer = webnn.buffer("float32", 2),
      Future = context:read_tensor(tensor), Task = webnn.spawn(function() end),
    }
  end

  local promised = {
    webnn = "ml devices graph_builder buffer spawn poll run pcall set_scheduler set_error_handler load load_data save op usage "
      .. "op_info ops type now _VERSION",
    ML = "create_context",
    Context = "create_tensor create_constant_tensor write_tensor read_tensor dispatch compute op_support_limits lost "
      .. "accelerated info destroy push_error_scope pop_error_scope fd drain measure_peaks import_opencl",
    Tensor = "shape data_type byte_length readable writable constant context destroy export_opencl return_opencl",
    GraphBuilder = "input constant build save load save_data load_data context",
    Operand = "shape data_type label builder",
    Graph = "inputs outputs context memory steps profile explain destroy",
    Future = "await result done on_done",
    Task = "await result done on_done",
    Buffer = "shape data_type string table pointer view fill set",
  }

  t.test("what is promised is there", function()
    local all = objects()
    for class, names in pairs(promised) do
      for name in names:gmatch("%S+") do t.ok(all[class][name] ~= nil, class .. "." .. name) end
    end
    for _, name in ipairs(webnn.ops()) do t.equal(type(all.GraphBuilder[name]), "function", name) end
  end)

  t.test("the annotations say what there is, and all of it", function()
    local all, said = objects(), {}
    local class
    for line in read_file(env.root .. "bindings/lua/types/webnn.lua"):gmatch("[^\n]+") do
      local other = line:match("^%-%-%-@class ([%w._]+)")
      if other then class = other:match("(%w+)$") end
      local owner, name = line:match("^function (%w+)[.:]([%w_]+)%(")
      if not owner then owner, name = class, line:match("^%-%-%-@field ([%w_]+)") end
      if name and all[owner] then
        t.ok(all[owner][name] ~= nil, owner .. "." .. name .. " is annotated, but isn't there")
        said[owner .. "." .. name] = true
      end
    end
    for owner, names in pairs(promised) do
      for name in names:gmatch("%S+") do
        t.ok(owner == "Task" or said[owner .. "." .. name], owner .. "." .. name .. " has no annotation")
      end
    end
    local ops = read_file(env.root .. "bindings/lua/types/ops.lua")
    for _, name in ipairs(webnn.ops()) do
      t.ok(ops:find(":" .. name .. "(", 1, true), name .. " has no annotation")
    end
    for _, name in ipairs { "webnn", "ops" } do assert(loadfile(env.root .. "bindings/lua/types/" .. name .. ".lua"))() end
  end)

  -- What Python has and Lua says otherwise, or has no use for.
  local elsewhere = {
    ["Context.on_uncaptured_error"] = "called on threads of the library; scopes observe",
    ["Future.exception"] = "await and result give nil and the error",
    ["Future.cancel"] = "drop it", ["Future.cancelled"] = "drop it",
    ["Future.add_done_callback"] = "on_done",
  }

  t.test("what Python has is there", function()
    local all, n, class = objects(), 0, nil
    for line in read_file(env.root .. "bindings/python/webnn/__init__.pyi"):gmatch("[^\n]+") do
      class = line:match("^class (%w+)") or line:match("^%S") and "webnn" or class
      local name = line:match("^    def (%l[%w_]*)%(") or line:match("^def (%l[%w_]*)%(")
      if name and all[class] and not elsewhere[class .. "." .. name] then
        n = n + 1
        t.ok(all[class][name] ~= nil, class .. "." .. name .. " is Python's alone")
      end
    end
    t.ok(n > 40, "Python's stubs read otherwise: " .. n)
    local calls = read_file(env.root .. "bindings/python/webnn/__init__.pyi")
    local options = calls:match("def create_context%((.-)%) %->")
    for name in options:gmatch("\n        ([%l_]+):") do
      name = name == "opencl" and "opencl_queue" or name
      -- Of the wrong type for each of them; an unknown one is refused in other words.
      t.raises("create_context: " .. name .. " must be", all.ML.create_context, all.ML, { [name] = {} })
    end
  end)

  t.test("a wrong call is told at the caller's line", function()
    local o = objects()
    local calls = {
      function() o.ML:create_context { thread = 1 } end,
      function() o.ML:create_context { backend = "cuda" } end,
      function() o.Context:create_tensor { shape = 1 } end,
      function() o.Context:create_constant_tensor({ shape = { 1 }, data_type = "int8" }, {}) end,
      function() o.Context:write_tensor(o.Tensor, {}) end,
      function() o.Context:write_tensor(1) end,
      function() o.Context:read_tensor(o.Tensor, 1) end,
      function() o.Context:dispatch(o.Graph, 1) end,
      function() o.Context:compute(o.Graph, { x = true }) end,
      function() o.Context:push_error_scope("none") end,
      function() o.Context.destroy(1) end,
      function() o.Context.op_support_limits(1) end,
      function() o.Context.measure_peaks(1) end,
      function() o.Context:import_opencl({ shape = { 1 }, data_type = "int8" }, "x") end,
      function() o.Tensor.export_opencl(1) end,
      function() o.Tensor:return_opencl("x") end,
      function() o.Graph.profile(1, {}) end,
      function() o.Graph:profile({ x = true }) end,
      function() o.Graph:profile({}, "x") end,
      function() o.Graph.explain(1) end,
      function() o.GraphBuilder:input(1) end,
      function() o.GraphBuilder:constant("float64", 1) end,
      function() o.GraphBuilder:build {} end,
      function() o.GraphBuilder:relu(1) end,
      function() o.GraphBuilder:load(1) end,
      function() o.GraphBuilder.relu(1, o.Operand) end,
      function() return o.Operand + {} end,
      function() o.Buffer[3] = 1 end,
      function() o.Buffer:fill("x") end,
      function() o.Buffer:view(9) end,
      function() o.Future:on_done(1) end,
      function() o.Future:result("x") end,
      function() webnn.devices({ power = "low-power" }) end,
      function() webnn.devices({ power_preference = "low" }) end,
      function() webnn.devices(1) end,
      function() webnn.graph_builder(1) end,
      function() webnn.buffer("float64", 1) end,
      function() webnn.spawn(1) end,
      function() webnn.set_scheduler(1) end,
      function() webnn.load(1, o.Context) end,
      function() webnn.load("x", 1) end,
      function() webnn.save("x", 1) end,
      function() webnn.usage(1) end,
      function() webnn.op("nothing") end,
      function() webnn.op_info(1) end,
    }
    for i, call in ipairs(calls) do
      local line = debug.getinfo(call, "S").linedefined
      local ok, message = pcall(call)
      t.ok(not ok, "call " .. i .. " raises nothing")
      t.ok(tostring(message):find("surface.lua:" .. line .. ":", 1, true), "call " .. i .. ": " .. tostring(message))
    end
  end)
end
