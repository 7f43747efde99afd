--- Futures, coroutines, schedulers.
return function(t, env)
  local webnn = env.webnn

  -- Something that takes a while: products of large matrices, on an own context.
  local function slow()
    local context = assert(webnn.ml():create_context { backend = env.backend }:await())
    local b = webnn.graph_builder(context)
    local n = env.slow and 64 or 256
    local x = b:input("x", { shape = { n, n }, data_type = "float32" })
    local y = x
    for _ = 1, 6 do y = b:matmul(y, x) end
    local g = assert(b:build { y = y }:await())
    local from = context:create_tensor { shape = { n, n }, data_type = "float32", writable = true }:await()
    local to = context:create_tensor { shape = { n, n }, data_type = "float32", readable = true }:await()
    local work = {}
    function work.start()
      context:dispatch(g, { x = from }, { y = to })
      return context:read_tensor(to)
    end
    work.context, work.n = context, n * n
    return work
  end

  t.test("await blocks outside coroutines", function()
    local work = slow()
    t.equal(#work.start():await(), work.n)
  end)

  t.test("await yields inside coroutines until the work is done", function()
    local work = slow()
    local got
    local co = coroutine.create(function()
      got = work.start():await()
      return "end"
    end)
    local ok, future = coroutine.resume(co)
    t.ok(ok, future)
    local n = 0
    while coroutine.status(co) ~= "dead" do
      t.equal(webnn.type(future), "Future")
      ok, future = coroutine.resume(co, "nonsense", n) -- what it is resumed with doesn't matter
      t.ok(ok, future)
      n = n + 1
    end
    t.equal(future, "end")
    t.equal(#got, work.n)
  end)

  t.test("a loop over what has settled gives way", function()
    local future = env.context():create_tensor { shape = { 1 }, data_type = "float32" }
    local n, frame_began, stop = 0, webnn.now(), false
    local function loop()
      while not stop do
        future:await()
        n = n + 1
        if webnn.now() - frame_began > 5 then error("no frame is drawn any more") end
      end
      return "end"
    end
    local tasks = { webnn.spawn(loop), webnn.spawn(loop) }
    for _ = 1, 5 do
      local before = n
      frame_began = webnn.now()
      webnn.poll(1)
      t.ok(n > before)
    end
    stop = true
    for _, task in ipairs(tasks) do t.equal(task:result(), "end") end
  end)

  t.test("on_done on what has settled does not nest for ever", function()
    local future = env.context():create_tensor { shape = { 1 }, data_type = "float32" }
    local n, depth, deepest = 0, 0, 0
    local function step()
      n, depth = n + 1, depth + 1
      deepest = math.max(deepest, depth)
      if n < 300 then future:on_done(step) end
      depth = depth - 1
    end
    future:on_done(step)
    t.ok(n >= 1)
    for _ = 1, 300 do webnn.poll() end
    t.equal(n, 300)
    t.ok(deepest <= 2)
  end)

  t.test("where it cannot give way it goes on", function()
    local future = env.context():create_tensor { shape = { 1 }, data_type = "float32" }
    local task = webnn.spawn(function()
      return (string.gsub("xx", "x", function()
        local till = webnn.now() + 0.01
        while webnn.now() < till do assert(future:await()) end
        return "y"
      end))
    end)
    t.equal(task:result(), "yy")
  end)

  t.test("spawn and poll", function()
    local work = slow()
    local order = {}
    local tasks = {}
    for i = 1, 3 do
      tasks[i] = webnn.spawn(function(a, b)
        t.ok(a == i and b == nil)
        order[#order + 1] = "begin" .. i
        local out = work.start():await()
        order[#order + 1] = "end" .. i
        return #out, i
      end, i, nil)
    end
    t.list(order, { "begin1", "begin2", "begin3" })
    local n = 0
    while webnn.poll() > 0 do n = n + 1 end
    t.list(order, { "begin1", "begin2", "begin3", "end1", "end2", "end3" })
    local size, i = tasks[2]:await()
    t.ok(size == work.n and i == 2 and tasks[2]:done())
    t.equal(tostring(tasks[2]), "webnn.Task, done")
    t.equal(webnn.poll(), 0)
  end)

  t.test("a task can wait for a task, a script for both", function()
    local work = slow()
    local inner = webnn.spawn(function() return #work.start():await() end)
    local outer = webnn.spawn(function() return inner:await() + 1 end)
    t.equal(outer:await(), work.n + 1)
    t.equal(webnn.run(function() return #work.start():await() end), work.n)
    t.equal(webnn.poll(), 0)
  end)

  t.test("run hands on an error, whenever it comes, and prints nothing", function()
    local work = slow()
    local stderr, written = io.stderr, {}
    io.stderr = { write = function(_, ...) written[#written + 1] = table.concat({ ... }) end }
    local early = { webnn.run(function() error("at once", 0) end) }
    local late = { webnn.run(function()
      work.start():await()
      error("later", 0)
    end) }
    io.stderr = stderr
    t.equal(#written, 0)
    t.equal(early[1], nil)
    t.matches(early[2], "at once")
    t.equal(late[1], nil)
    t.matches(late[2], "later")
    t.raises("run: a function is needed", function() webnn.run(1) end)
  end)

  t.test("poll has a budget", function()
    if env.slow then t.skip("a tool makes everything slow") end
    local ran = 0
    local b = webnn.graph_builder(env.context())
    b:input("x", { shape = { 1 }, data_type = "float32" })
    local gate = { done = function() return true end }
    for _ = 1, 20 do
      webnn.spawn(function()
        coroutine.yield(gate)
        ran = ran + 1
        local stop = webnn.now() + 0.004
        while webnn.now() < stop do end
      end)
    end
    local waiting = webnn.poll(10)
    t.ok(ran >= 1 and ran < 20, "ran " .. ran)
    t.equal(waiting, 20 - ran)
    while webnn.poll() > 0 do end
    t.equal(ran, 20)
  end)

  t.test("errors that cannot be told harm nobody either", function()
    local worst = setmetatable({}, { __tostring = function() error("never told") end })
    local stderr, written = io.stderr, {}
    io.stderr = { write = function(_, ...) written[#written + 1] = table.concat({ ... }) end }
    local told, problem = pcall(function()
      webnn.spawn(error, worst)
      webnn.spawn(error, nil)
      webnn.set_error_handler(function() error(worst) end)
      webnn.spawn(error, worst)
      io.stderr = nil
      webnn.spawn(error, worst)
    end)
    io.stderr = stderr
    webnn.set_error_handler(nil)
    t.ok(told, problem)
    t.list(written, { "webnn: an error of type table\n", "webnn: nil\n", "webnn: an error of type table\n" })
    local task = webnn.spawn(function() coroutine.yield() error(nil) end)
    local value, why = task:await()
    t.equal(value, nil)
    t.equal(why.message, "nil")
  end)

  t.test("errors in tasks and callbacks are told, and harm nobody", function()
    local told = {}
    webnn.set_error_handler(function(message) told[#told + 1] = tostring(message) end)
    local work = slow()
    webnn.spawn(function() error("at once") end)
    webnn.spawn(function()
      work.start():await()
      error("later")
    end)
    work.start():on_done(function() error("in a callback") end)
    local well = false
    work.start():on_done(function(future) well = #future:result() == work.n end)
    while webnn.poll() > 0 do end
    t.ok(well)
    t.equal(#told, 3)
    t.matches(told[1], "futures.lua:%d+: at once")
    t.matches(told[1], "traceback")
    t.matches(table.concat(told, "\n"), "in a callback")
    t.matches(table.concat(told, "\n"), "futures.lua:%d+: later")
    -- Who awaits a task gets its error.
    local task = webnn.spawn(function()
      work.start():await()
      error({ name = "Mine" })
    end)
    local value, problem = task:await()
    t.ok(value == nil and problem.name == "Mine")
    -- A handler that fails itself is no trouble either.
    webnn.set_error_handler(function() error("handler") end)
    local stderr = io.stderr
    io.stderr = { write = function() end }
    webnn.spawn(function() error("x") end)
    io.stderr = stderr
    webnn.set_error_handler(nil)
  end)

  t.test("on_done is called at once when there is nothing to wait for", function()
    local called
    local future = webnn.ml():create_context { backend = "reference" }
    future:on_done(function(f) called = f end)
    t.ok(called == future)
    t.raises("a function is needed", future.on_done, future, 1)
  end)

  t.test("result blocks, at most as long as it may", function()
    local context = assert(webnn.ml():create_context { backend = "reference" }:await())
    local value, problem = context.lost:result(0.01)
    t.equal(value, nil)
    t.equal(problem.name, "TimeoutError")
    local co = coroutine.wrap(function() return context.lost:result(0) end)
    value, problem = co()
    t.equal(problem.name, "TimeoutError")
    t.raises("timeout must be a number", context.lost.result, context.lost, "soon")
    t.matches(context.lost, "pending")
    context:destroy()
    t.ok(context.lost:result().message)
  end)

  t.test("where a coroutine cannot yield, a sentence says so", function()
    local work = slow()
    local co = coroutine.create(function()
      table.sort({ 1, 2, 3 }, function(a, b)
        work.start():await()
        return a < b
      end)
    end)
    local ok, message = coroutine.resume(co)
    t.equal(ok, false)
    t.matches(message, "cannot yield")
    t.matches(message, "webnn.pcall")
  end)

  t.test("webnn.pcall can be yielded across", function()
    local work = slow()
    local log = {}
    webnn.run(function()
      local ok, n = webnn.pcall(function(a) return #work.start():await() + a end, 1)
      log[1], log[2] = ok, n
      local failed, message = webnn.pcall(function()
        work.start():await()
        error("inside")
      end)
      log[3], log[4] = failed, message
      log[5] = select("#", webnn.pcall(function() return nil, nil end))
    end)
    t.equal(log[1], true)
    t.equal(log[2], work.n + 1)
    t.equal(log[3], false)
    t.matches(log[4], "inside")
    t.equal(log[5], 3)
    t.equal(select(2, webnn.pcall(error, "outside", 0)), "outside")
  end)

  t.test("hosts with a scheduler of their own", function()
    local work = slow()
    local ready, by_future, seen = {}, {}, 0
    webnn.set_scheduler {
      suspend = function(future)
        by_future[future] = coroutine.running()
        coroutine.yield("the host's own value")
      end,
      resume = function(future)
        seen = seen + 1
        ready[#ready + 1], by_future[future] = by_future[future], nil
      end,
    }
    local results = {}
    for i = 1, 3 do
      ready[i] = coroutine.create(function() results[i] = #work.start():await() end)
    end
    local deadline = webnn.now() + 60
    while #results < 3 and webnn.now() < deadline do
      local co = table.remove(ready, 1)
      if co then
        local ok, message = coroutine.resume(co)
        t.ok(ok, message)
      end
      webnn.poll()
    end
    webnn.set_scheduler(nil)
    t.list(results, { work.n, work.n, work.n })
    t.ok(seen >= 1)
    t.raises("suspend and resume", webnn.set_scheduler, {})
  end)

  t.test("the descriptor tells when to look", function()
    local work = slow()
    t.equal(type(work.context:fd()), "number")
    work.context:drain()
    t.equal(#work.start():await(), work.n)
    work.context:drain()
  end)

  t.test("luv's loop", function()
    local has, uv = pcall(require, "luv")
    if not has then t.skip("no luv here") end
    local work = slow()
    local fd = work.context:fd()
    if fd < 0 then t.skip("no descriptor here") end
    local got
    local poll = uv.new_poll(fd)
    poll:start("r", function()
      work.context:drain()
      if webnn.poll() == 0 then poll:close() end
    end)
    webnn.spawn(function() got = #work.start():await() + #work.start():await() end)
    uv.run()
    t.equal(got, 2 * work.n)
  end)

  t.test("cqueues' loop", function()
    local has, cqueues = pcall(require, "cqueues")
    if not has then t.skip("no cqueues here") end
    local condition = require "cqueues.condition"
    local work = slow()
    local conditions, got, over = {}, 0, false
    webnn.set_scheduler {
      suspend = function(future)
        conditions[future] = conditions[future] or condition.new()
        conditions[future]:wait()
      end,
      resume = function(future)
        conditions[future]:signal()
        conditions[future] = nil
      end,
    }
    local loop = cqueues.new()
    local n_running = 2
    for _ = 1, 2 do
      loop:wrap(function()
        local n = #work.start():await()
        got, n_running = got + n, n_running - 1
      end)
    end
    loop:wrap(function()
      while n_running > 0 do
        cqueues.poll({ pollfd = work.context:fd(), events = "r" }, 1)
        work.context:drain()
        webnn.poll()
        cqueues.sleep(0)
      end
      over = true
    end)
    local ok, message = loop:loop()
    webnn.set_scheduler(nil)
    t.ok(ok, tostring(message))
    t.ok(over)
    t.equal(got, 2 * work.n)
  end)

  t.test("what is dropped in flight leaves nothing behind", function()
    local work = slow()
    local gone = setmetatable({}, { __mode = "k" })
    for _ = 1, 10 do
      local co = coroutine.create(function() work.start():await() end)
      coroutine.resume(co)
      gone[co] = true
      gone[work.start()] = true
      local target = webnn.buffer("float32", work.n)
      local co2 = coroutine.wrap(function() return target end)
      gone[co2] = true
    end
    for _ = 1, 4 do collectgarbage() end
    t.equal(next(gone), nil)
    t.equal(#work.start():await(), work.n)
  end)

  -- Nanoseconds of this process's own time, for others may have the processor meanwhile; the best of many.
  local function cost_of_poll()
    local n, best = 500, math.huge
    for _ = 1, 200 do
      local start = os.clock()
      for _ = 1, n do webnn.poll() end
      best = math.min(best, os.clock() - start)
    end
    return best / n * 1e9
  end

  t.test("nothing to do costs next to nothing", function()
    if env.slow then t.skip("a tool makes everything slow") end
    local idle = cost_of_poll()
    -- A coroutine that waits costs a look.
    local context = assert(webnn.ml():create_context { backend = "reference" }:await())
    webnn.spawn(function() context.lost:await() end)
    local waiting = cost_of_poll()
    if os.getenv "WEBNN_TIMES" then
      print(("webnn.poll() takes %.0f ns, %.0f ns with a coroutine that waits"):format(idle, waiting))
    end
    context:destroy()
    while webnn.poll() > 0 do end
    t.ok(idle < 1000, ("webnn.poll() takes %.0f ns"):format(idle))
    t.ok(waiting < 2000, ("webnn.poll() takes %.0f ns with one that waits"):format(waiting))
  end)
end
