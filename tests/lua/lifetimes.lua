--- Objects that die in any order, in flight or at rest, with their state or before it: leaks and uses after the end are
--- for valgrind and the sanitizer to see, what is computed is for us.
return function(t, env)
  local webnn = env.webnn
  local random = tonumber(os.getenv "WEBNN_SEED" or 1)
  local function below(n)
    random = (random * 16807) % 2147483647
    return random % n + 1
  end

  -- A family of objects, each of which knows others.
  local function list_of(future)
    return assert(future:await())
  end

  local function family()
    local context = webnn.ml():create_context { backend = env.backend, threads = 1 }:await()
    local b = webnn.graph_builder(context)
    local constant_tensor = context:create_constant_tensor({ shape = { 2 }, data_type = "float32" }, { 10, 20 }):await()
    local x = b:input("x", { shape = { 2 }, data_type = "float32" })
    local y = b:relu(x * 2 + b:constant(constant_tensor), { label = "y" })
    local text = b:save_data { y = y }
    local building = b:build { y = y }
    local graph = building:await()
    local tx = context:create_tensor { shape = { 2 }, data_type = "float32", writable = true }:await()
    local ty = context:create_tensor { shape = { 2 }, data_type = "float32", readable = true }:await()
    context:write_tensor(tx, { 1, 2 })
    context:dispatch(graph, { x = tx }, { y = ty })
    local reading, into = context:read_tensor(ty), webnn.buffer("float32", 2)
    local members = {
      context = context, builder = b, x = x, y = y, building = building, graph = graph, tx = tx, ty = ty,
      constant_tensor = constant_tensor, reading = reading, lost = context.lost, into = into,
      reading_into = context:read_tensor(ty, into), view = into:view(2, 2), loading = webnn.load_data(text, context),
    }
    members.task = webnn.spawn(function() return members.reading_into and context:read_tensor(ty):await()[1] end)
    members.co = coroutine.create(function() return context:read_tensor(ty):await() end)
    coroutine.resume(members.co)
    return members
  end

  -- What can still be done with the ones that are left.
  local uses = {
    context = function(c) return c.info.backend, c:create_tensor { shape = { 1 }, data_type = "int8" }:await() end,
    builder = function(b) return b.context, tostring(b) end,
    x = function(x) return x.shape, x.label, x.builder end,
    y = function(y) return y.shape, y.builder.context end,
    building = function(f) return tostring(f:await()) end,
    graph = function(g) return g.context:compute(g, { x = { 1, 2 } }), g:steps() end,
    tx = function(x) return x.context, tostring(x) end,
    ty = function(y) return y.context:read_tensor(y):await() end,
    constant_tensor = function(c) return tostring(c) end,
    reading = function(f) t.list(list_of(f), { 12, 24 }) end,
    reading_into = function(f) t.list(list_of(f), { 12, 24 }) end,
    lost = function(f) return f:done() end,
    into = function(b) return b:string() end,
    view = function(v) return v[1], v:string() end,
    loading = function(f) return f:await().inputs end,
    task = function(f) t.equal(f:await(), 12) end,
    co = function(co) return coroutine.resume(co) end,
  }

  t.test("any order of dying", function()
    for _ = 1, env.slow and 5 or 60 do
      local members, names = family(), {}
      for name in pairs(members) do names[#names + 1] = name end
      table.sort(names)
      while #names > 0 do
        members[table.remove(names, below(#names))] = nil
        if below(3) == 1 then collectgarbage() elseif below(3) == 1 then collectgarbage("step") end
        local name = names[#names > 0 and below(#names) or 1]
        if name then uses[name](members[name]) end
      end
      while webnn.poll() > 0 do end
    end
  end)

  t.test("destroyed in any order, used after that", function()
    webnn.set_error_handler(function() end)
    for _ = 1, env.slow and 5 or 30 do
      local members, names = family(), {}
      for name in pairs(members) do names[#names + 1] = name end
      table.sort(names)
      for _ = 1, 8 do
        local victim, user = names[below(#names)], names[below(#names)]
        local object = members[victim]
        if victim ~= "task" and victim ~= "co" and object.destroy then object:destroy() end
        pcall(uses[user], members[user])
      end
      while webnn.poll() > 0 do end
    end
    webnn.set_error_handler(nil)
  end)

  t.test("what is found by an address is not another's", function()
    local kept = {}
    for i = 1, 50 do
      local context = webnn.ml():create_context { backend = "reference", threads = 1 }:await()
      t.ok(not context.lost:done(), "a new context is lost")
      context:destroy()
      kept[i] = context.lost
      t.ok(kept[i]:await().message and context.lost == kept[i])
      context = nil
      collectgarbage()
      collectgarbage()
    end
  end)

  -- How many bytes of Lua's there are when nothing is in flight.
  local function level()
    for _ = 1, 3 do collectgarbage() end
    return collectgarbage("count") * 1024
  end

  t.test("coroutines dropped in flight leave nothing behind", function()
    local context = env.context()
    local tensor = context:create_tensor { shape = { 1000 }, data_type = "float32", readable = true }:await()
    local function drop(n)
      for _ = 1, n do
        local co = coroutine.create(function() return context:read_tensor(tensor):await() end)
        coroutine.resume(co)
        context:read_tensor(tensor)
        webnn.buffer("float32", 1000):view(2, 3)
      end
      context:read_tensor(tensor):await()
    end
    drop(50)
    local before = level()
    drop(500)
    local grown = level() - before
    t.ok(grown < 500 * 40, "500 dropped coroutines leave " .. grown .. " bytes")
  end)

  t.test("the module loaded again is the same", function()
    if not package.loaded["webnn.core"] then t.skip("there is no module in C here") end
    local loaded = {}
    for name, module in pairs(package.loaded) do
      if name:find("^webnn") then loaded[name] = module end
    end
    for name in pairs(loaded) do package.loaded[name] = nil end
    local again = require "webnn"
    for name, module in pairs(loaded) do package.loaded[name] = module end
    t.ok(again == webnn)
    t.ok(env.context():op_support_limits().relu)
  end)

  t.test("finalizers of the host's that use our objects", function()
    if not (newproxy or _VERSION ~= "Lua 5.1") then t.skip("no finalizers of our own here") end
    local seen = 0
    for _ = 1, 5 do
      local members = family()
      local function last()
        seen = seen + 1
        for name, use in pairs(uses) do
          if name ~= "task" and name ~= "co" then pcall(use, members[name]) end
        end
      end
      if newproxy then
        members.guard = newproxy(true)
        getmetatable(members.guard).__gc = last
      else
        setmetatable(members, { __gc = last })
      end
      while webnn.poll() > 0 do end
    end
    for _ = 1, 3 do collectgarbage() end
    t.ok(seen >= 4, "seen " .. seen)
  end)

  -- These die with the state, in whatever order it likes, with work in flight.
  _G.left_over = { family(), family() }
  for _ = 1, 3 do left_over[1].context:dispatch(left_over[1].graph, { x = left_over[1].tx }, { y = left_over[1].ty }) end
end
