--- Whatever is put in, a call returns or raises: wrong kinds everywhere, callbacks that fail, yields where there are
--- none, tables that change under the call.
return function(t, env)
  local webnn = env.webnn
  local has_ffi, ffi = pcall(require, "ffi")
  local unpack = table.unpack or unpack

  local function fails() error("a metamethod of the host's fails") end
  local failing = { __index = fails, __newindex = fails, __len = fails, __call = fails, __tostring = fails, __eq = fails }

  -- Objects of all kinds, fresh ones, because some calls end an object's life.
  local function objects()
    local context = webnn.ml():create_context { backend = "reference", threads = 1 }:await()
    local b = webnn.graph_builder(context)
    local x = b:input("x", { shape = { 2 }, data_type = "float32" })
    local graph = b:build { y = b:relu(x) }:await()
    local builder = webnn.graph_builder(context)
    local options = { shape = { 2 }, data_type = "float32", readable = true, writable = true }
    local tensor = context:create_tensor(options):await()
    return {
      context = context, builder = builder, graph = graph, tensor = tensor,
      operand = builder:input("x", { shape = { 2 }, data_type = "float32" }),
      buffer = webnn.buffer("float32", 2), future = context:read_tensor(tensor), lost = context.lost,
      task = webnn.spawn(function() end), ml = webnn.ml(),
    }
  end

  local function values(own)
    local list = {
      false, true, 0, -1, 1.5, 0 / 0, math.huge, -math.huge, 2 ^ 32, 2 ^ 53, -2 ^ 63, 1e300, "", "x", "float32", "12",
      "0x10", "relu\0", ("y"):rep(5000), "\255\0", {}, { 1, 2 }, { 1, nil, 3 }, { x = 1 }, { {} }, { shape = { 2 } },
      { shape = { 2 }, data_type = "float32" }, { shape = { 4294967295, 4294967295 }, data_type = "uint8" },
      { shape = { -1 }, data_type = "int8" }, { y = own.operand }, { x = own.tensor }, { x = own.buffer },
      { own.operand, own.operand }, setmetatable({}, failing), type, function() end, coroutine.create(function() end), io.stdout,
      own.context, own.builder, own.graph, own.tensor, own.operand, own.buffer, own.future, own.lost, own.task, own.ml,
    }
    if has_ffi then
      for _, c in ipairs {
        ffi.new("int32_t", 5), ffi.new("double", 1), ffi.new("int64_t", -1), ffi.new("uint8_t[3]"), ffi.cast("void *", 0),
        ffi.new("struct { int a; }"), ffi.cast("int (*)(void)", 0), ffi.typeof("int"),
      } do
        list[#list + 1] = c
      end
    end
    return list
  end

  local methods = {
    context = {
      "create_tensor", "create_constant_tensor", "write_tensor", "read_tensor", "dispatch", "compute",
      "op_support_limits", "push_error_scope", "pop_error_scope", "fd", "drain", "destroy",
    },
    tensor = { "destroy" },
    graph = { "destroy", "steps" },
    future = { "done", "value", "on_done" }, -- without what may rightly wait for ever
    lost = { "done", "value", "on_done" },
    task = { "done", "value", "on_done" },
    buffer = { "string", "table", "pointer", "view", "fill", "set" },
    builder = { "input", "constant", "build", "save_data", "load_data", unpack(webnn.ops()) },
    ml = { "create_context" },
    module = {
      "graph_builder", "buffer", "op_info", "usage", "type", "spawn", "set_scheduler", "load_data", "new_error", "pcall",
    },
  }

  local kinds = {}
  for kind in pairs(methods) do kinds[#kinds + 1] = kind end
  table.sort(kinds)

  local random = tonumber(os.getenv "WEBNN_SEED" or 12345)
  local function below(n) -- the same numbers on every Lua
    random = (random * 16807) % 2147483647
    return random % n + 1
  end

  t.test("any arguments to any method", function()
    local quiet = io.stderr
    webnn.set_error_handler(function() end)
    local rounds = (env.slow or os.getenv "WEBNN_GC") and 1 or 4
    for round = 1, rounds do
      local own = objects()
      local list = values(own)
      own.module = webnn
      for _, kind in ipairs(kinds) do
        for _, name in ipairs(methods[kind]) do
          for n = 0, 3 do
            local args = {}
            for i = 1, n do args[i] = list[below(#list)] end
            local self = kind ~= "module" and (below(8) == 1 and list[below(#list)] or own[kind]) or nil
            local fn = own[kind][name]
            if type(fn) == "function" then
              local ok, message
              if kind == "module" then
                ok, message = pcall(fn, unpack(args, 1, n))
              else
                ok, message = pcall(fn, self, unpack(args, 1, n))
              end
              t.ok(ok or message ~= nil, kind .. "." .. name)
              if name == "set_scheduler" then webnn.set_scheduler(nil) end
            end
          end
          if name == "destroy" then
            own = objects()
            own.module = webnn
            list = values(own)
          end
        end
      end
    end
    webnn.set_error_handler(nil)
    webnn.set_scheduler(nil)
    io.stderr = quiet
  end)

  t.test("any value in any place of an operation", function()
    local own = objects()
    local list = values(own)
    for _, name in ipairs(webnn.ops()) do
      local info = webnn.op_info(name)
      for place, field in ipairs(info.fields) do
        for _ = 1, 3 do
          local args, n, options = {}, 0, {}
          local x = list[below(#list)]
          for i, other in ipairs(info.fields) do
            if other.required then
              n = n + 1
              args[n] = own.operand
              if other.kind == "unsigned" then args[n] = 0 end
              if other.kind == "list of operands" then args[n] = { own.operand } end
              if i == place then args[n] = x end
            end
          end
          if not field.required then options[field.name] = x end
          args[n + 1] = options
          pcall(own.builder[name], own.builder, unpack(args, 1, n + 1))
        end
      end
    end
    -- The builder is as good as before.
    local graph = assert(own.builder:build { y = own.builder:neg(own.operand) }:await())
    t.list(own.context:compute(graph, { x = { 1, 2 } }).y, { -1, -2 })
  end)

  t.test("reading and writing any key of any object", function()
    local own = objects()
    local list = values(own)
    for _, object in pairs(own) do
      for _, key in ipairs(list) do
        pcall(function() return object[key] end)
        if object ~= own.ml and object ~= own.task then pcall(function() object[key] = key end) end
        pcall(function() return object + key end)
        pcall(function() return key / object end)
        pcall(function() return object .. key end)
        pcall(function() return object(key) end)
        pcall(function() return object < key end)
      end
      pcall(function() return #object end)
      t.ok(#tostring(object) > 0)
    end
    local ok = pcall(setmetatable, own.tensor, {})
    t.ok(not ok or type(own.tensor) == "table")
  end)

  t.test("a table that changes under the call", function()
    if not newproxy then t.skip("no userdata of our own here") end
    local own = objects()
    local inputs = { x = newproxy(true) }
    local meta = getmetatable(inputs.x)
    local bytes = webnn.buffer("float32", { 1, 2 })
    meta.__index = {
      getPointer = function()
        for i = 1, 100 do inputs["more" .. i] = "12345678" end
        inputs.x = nil
        collectgarbage()
        return (bytes:pointer())
      end,
      getSize = function() return 8 end,
    }
    pcall(own.context.compute, own.context, own.graph, inputs)
    local other = newproxy(true)
    getmetatable(other).__index = { getPointer = function() error("no pointer today") end, getSize = function() end }
    t.raises("no pointer today", own.context.compute, own.context, own.graph, { x = other })
  end)

  t.test("wild addresses are refused", function()
    local own = objects()
    local function write(...) return own.context:write_tensor(own.tensor, ...) end
    for _, address in ipairs { 0, 5, -1, 0.5, 2 ^ 64, 1e300 } do t.raises("no address", write, address, 8) end
  end)

  t.test("callbacks that fail, yield, await, and poll again", function()
    local own = objects()
    local told, order = 0, {}
    webnn.set_error_handler(function() told = told + 1 end)
    local function read() return own.context:read_tensor(own.tensor) end
    read():on_done(error)
    read():on_done(function() error(setmetatable({}, failing)) end)
    read():on_done(function(future)
      order[#order + 1] = #future:await()
      order[#order + 1] = #read():await()
      coroutine.yield()
      order[#order + 1] = webnn.poll()
    end)
    webnn.spawn(function() webnn.poll() webnn.poll(0) error() end)
    webnn.spawn(coroutine.yield, setmetatable({}, failing))
    webnn.spawn(coroutine.yield, { done = fails })
    local deadline = webnn.now() + 20
    while webnn.poll() > 0 and webnn.now() < deadline do end
    t.equal(webnn.poll(), 0)
    t.equal(#order, 3)
    t.equal(told, 3)
    -- Blocking on a task that only poll can run on would never end.
    local inner = webnn.spawn(function() for _ = 1, 5 do coroutine.yield() end end)
    local outer = webnn.spawn(function()
      coroutine.yield()
      return inner:result()
    end)
    local _, problem = outer:await()
    t.matches(problem, "await it")
    while webnn.poll() > 0 do end
    webnn.set_error_handler(nil)
  end)

  t.test("yields where a coroutine cannot", function()
    local own = objects()
    local function read() return own.context:read_tensor(own.tensor):await() end
    local places = {
      pcall = function() assert(pcall(read)) end,
      sort = function() table.sort({ 3, 2, 1 }, function(a, b) read() return a < b end) end,
      gsub = function() ("abc"):gsub(".", function() read() end) end,
      index = function() return setmetatable({}, { __index = function() read() return 1 end }).x end,
      add = function() return setmetatable({}, { __add = function() read() return 1 end }) + 1 end,
      iterator = function() for _ in function() read() end do end end,
      tostring = function() return tostring(setmetatable({}, { __tostring = function() read() return "" end })) end,
      load = function() return (load or loadstring)(function() read() end) end,
    }
    webnn.set_error_handler(function() end)
    for name, place in pairs(places) do
      own.context:dispatch(own.graph, { x = own.tensor }, { y = own.context:create_tensor {
        shape = { 2 }, data_type = "float32" }:await() })
      local task = webnn.spawn(place)
      local deadline = webnn.now() + 20
      while webnn.poll() > 0 and webnn.now() < deadline do end
      t.ok(task:done(), name)
      local _, problem = task:await()
      if problem then t.matches(problem, "webnn.pcall") end
    end
    webnn.set_error_handler(nil)
    t.equal(#read(), 2) -- and all is well
  end)
end
