--- Coroutines that wait for futures.
--- A future here is an object with `done()`, `wait(seconds)`, `value()` and `finish()`, which waits for the value. This
--- file gives it `await`, `result` and `on_done`, and the module `spawn`, `poll`, `run`, `pcall` and `set_scheduler`.
--- Nothing here runs on another thread: what has settled is seen when somebody looks.
local unpack = table.unpack or unpack
local create, resume, status = coroutine.create, coroutine.resume, coroutine.status
local running, yield = coroutine.running, coroutine.yield
local isyieldable = coroutine.isyieldable

local hint = "await: this place cannot yield (inside %s); use webnn.pcall instead of pcall, or await outside"

local function pack(...)
  return { n = select("#", ...), ... }
end

-- Whatever was raised may fail at being told.
local function text_of(message)
  local ok, text = pcall(tostring, message)
  return ok and text or "an error of type " .. type(message)
end

local function write_error(message) io.stderr:write("webnn: ", text_of(message), "\n") end

local function in_coroutine()
  local co, main = running()
  return co ~= nil and not main
end

-- Plain 5.1 makes coroutines of functions in Lua only.
local function new_coroutine(fn)
  local ok, co = pcall(create, fn)
  return ok and co or create(function(...) return fn(...) end)
end

-- ---- yielding where it is allowed, a clear sentence where it isn't

-- A pcall across which a coroutine can yield: everywhere but in plain 5.1.
local pcall_yields
do
  local co = create(function() return pcall(yield) end)
  resume(co)
  pcall_yields = status(co) == "suspended"
end

local function inside_c()
  local level = 2
  while debug do
    local info = debug.getinfo(level, "S")
    if not info then return false end
    if info.what == "C" then return true end
    level = level + 1
  end
end

-- Yields the future if it can; else false and what is in the way.
local try_yield
if isyieldable then
  function try_yield(future)
    if not isyieldable() then return false, "a function in C" end
    yield(future)
    return true
  end
elseif pcall_yields then
  function try_yield(future) return pcall(yield, future) end
else
  function try_yield(future)
    if inside_c() then return false, "pcall or another function in C" end
    yield(future)
    return true
  end
end

local function checked_yield(future)
  local ok, where = try_yield(future)
  if not ok then error(hint:format(tostring(where)), 0) end
end

-- So long a task goes on over futures that have settled already: then it gives way, lest a loop of quick graphs keep
-- the frame from being drawn.
local TURN = 0.001

-- ---- the scheduler of one module

local function new(webnn, now)
  local scheduler, watched = nil, setmetatable({}, { __mode = "k" })
  local waiting, n_waiting = {}, 0 -- tasks, in the order in which they came
  local callbacks, n_callbacks = {}, 0 -- of on_done: future, function
  local polling, calls_at_once, native_done = false, false, nil
  local current, turn_end, poll_end -- the coroutine of the task that runs; until when it may, and all of them
  local Task = {}
  Task.__index = Task

  local report = write_error

  --- Who is told of errors in callbacks and in tasks that nobody awaits; nil: they are written to stderr.
  function webnn.set_error_handler(handler) report = handler or write_error end

  local function tell(message)
    if not pcall(report, message) then pcall(write_error, message) end -- there may be no stderr
  end

  -- Gives way in a coroutine until the future is done, and ignores what that is resumed with.
  local function give_way(future, done)
    if scheduler then
      repeat
        watched[future] = true
        scheduler.suspend(future)
      until done(future)
    else
      repeat checked_yield(future) until done(future)
    end
  end

  local function timeout_error()
    return nil, webnn.new_error("TimeoutError", "the future has not settled in time")
  end

  -- Calls `fn(future)` once it has settled: at once, or in a later webnn.poll(); later also inside a call that is made
  -- at once, for a chain of them would never end.
  local function on_done(future, fn)
    if type(fn) ~= "function" then error("on_done: a function is needed", 2) end
    if not calls_at_once and future:done() then
      calls_at_once = true
      local ok, message = pcall(webnn.spawn, fn, future) -- a task of its own: it may await, and its errors harm nobody
      calls_at_once = false
      if not ok then error(message, 0) end
    else
      n_callbacks = n_callbacks + 1
      callbacks[n_callbacks] = { future, fn }
    end
    return future
  end

  --- Gives a class of futures its methods. Its own four are taken once, for looking them up costs at each await.
  --- `mark`: an object notes that somebody gets its error.
  local function add_methods(methods, mark)
    local done, wait, value, finish = methods.done, methods.wait, methods.value, methods.finish
    if not mark then native_done = done end

    --- What the future settles with, or nil and the error.
    function methods:await()
      if mark then self.awaited = true end
      local co, main = running()
      if co ~= nil and not main then
        if not done(self) then
          give_way(self, done)
        elseif co == current and now() >= turn_end then
          try_yield(self)
        end
      end
      return finish(self)
    end

    --- The same, but it blocks everywhere; at most `timeout` seconds.
    function methods:result(timeout)
      if timeout ~= nil and type(timeout) ~= "number" then
        error("result: timeout must be a number of seconds", 2)
      end
      if mark then self.awaited = true end
      if not done(self) and not wait(self, timeout) then return timeout_error() end
      return value(self)
    end

    methods.on_done = on_done
  end

  -- ---- tasks: coroutines that are futures themselves

  local function finish(task, ok, ...)
    task.finished, task.ok, task.values = true, ok, pack(...)
    task.co, task.future, task.is_done = nil, nil, nil
    if not ok and not task.awaited then tell(...) end
  end

  local function is_done(future) return future:done() end

  -- Something of the host's that says when it is done; what fails at that is done.
  local function guarded(future)
    local ok, done = pcall(is_done, future)
    return not ok or done
  end

  -- A task may run on when what it yielded has settled; what isn't a future stands for one round.
  local function hold(task, future)
    local kind = type(future)
    if webnn.type(future) == "Future" then
      task.is_done = native_done
    elseif kind == "userdata" or kind == "table" or kind == "cdata" then
      task.is_done = guarded
    else
      task.is_done = nil
    end
    task.future = future
  end

  local function traced(task, ok, ...)
    if status(task.co) ~= "dead" then
      hold(task, (...))
      return false
    end
    if ok then
      finish(task, true, ...)
    else
      local message = ...
      if type(message) == "string" then
        if message:find("attempt to yield across", 1, true) then message = hint:format(message) end
        if debug and debug.traceback then message = debug.traceback(task.co, message) end
      end
      finish(task, false, message)
    end
    return true
  end

  local function ended(before, ...)
    current = before
    return ...
  end

  -- Runs a task on; true when it is at its end.
  local function step(task, ...)
    local before = current
    if not before then
      turn_end = now() + TURN
      if poll_end and poll_end < turn_end then turn_end = poll_end end
    end
    current = task.co
    return ended(before, traced(task, resume(task.co, ...)))
  end

  -- Sleeps a little on a future, where there is one to sleep on.
  local function wait_for_something()
    for i = 1, n_waiting do
      local future = waiting[i].future
      if webnn.type(future) == "Future" then return future:wait(0.001) end
    end
    local entry = callbacks[1]
    if entry and webnn.type(entry[1]) == "Future" then entry[1]:wait(0.001) end
  end

  function Task:done() return self.finished or false end

  function Task:wait(seconds)
    if polling then error("result: a task that webnn.poll() runs cannot block on another; await it", 3) end
    local deadline = seconds and now() + seconds
    while not self.finished do
      if deadline and now() >= deadline then return false end
      webnn.poll()
      if not self.finished then wait_for_something() end
    end
    return true
  end

  function Task:value()
    if not self.finished then error("the task has not finished", 2) end
    if self.ok then return unpack(self.values, 1, self.values.n) end
    local message = self.values[1]
    if type(message) == "table" then return nil, message end
    return nil, webnn.new_error("UnknownError", text_of(message))
  end

  function Task:finish()
    if not self.finished then self:wait() end
    return self:value()
  end

  add_methods(Task, true)

  function Task:__tostring()
    return "webnn.Task, " .. (not self.finished and "running" or self.ok and "done" or "failed")
  end

  local function start(task, ...)
    if not step(task, ...) then
      n_waiting = n_waiting + 1
      waiting[n_waiting] = task
    end
    return task
  end

  --- Starts `fn(...)` as a coroutine that webnn.poll() runs on; the task is a future of what it returns.
  function webnn.spawn(fn, ...)
    if type(fn) ~= "function" then error("spawn: a function is needed", 2) end
    return start(setmetatable({ co = new_coroutine(fn) }, Task), ...)
  end

  local function is_ready(task)
    local is_done = task.is_done
    return not is_done or is_done(task.future)
  end

  local function any_ready()
    for i = 1, n_waiting do
      if is_ready(waiting[i]) then return true end
    end
    return false
  end

  local function resume_watched()
    for future in pairs(watched) do
      if future:done() then
        watched[future] = nil
        local ok, message = pcall(scheduler.resume, future)
        if not ok then tell(message) end
        return resume_watched() -- the table may have grown meanwhile
      end
    end
  end

  local function run_callbacks(deadline)
    local kept, list, n = 0, callbacks, n_callbacks
    callbacks, n_callbacks = {}, 0
    for i = 1, n do
      local entry = list[i]
      if entry[1]:done() and not (deadline and now() >= deadline) then
        webnn.spawn(entry[2], entry[1])
      else
        kept = kept + 1
        list[kept] = entry
      end
    end
    for i = 1, n_callbacks do list[kept + i] = callbacks[i] end
    for i = kept + n_callbacks + 1, n do list[i] = nil end
    callbacks, n_callbacks = list, kept + n_callbacks
  end

  local function run_tasks(deadline)
    local list, n, kept = waiting, n_waiting, 0
    waiting, n_waiting = {}, 0
    for i = 1, n do
      local task = list[i]
      if not is_ready(task) or (deadline and now() >= deadline) or not step(task) then
        kept = kept + 1
        list[kept] = task
      end
    end
    for i = 1, n_waiting do list[kept + i] = waiting[i] end
    for i = kept + n_waiting + 1, n do list[i] = nil end
    waiting, n_waiting = list, kept + n_waiting
  end

  local function run_on(deadline)
    if scheduler then resume_watched() end
    if n_callbacks > 0 then run_callbacks(deadline) end
    if any_ready() then run_tasks(deadline) end
  end

  --- Runs on what has settled and returns how much still waits. Never blocks. With a budget, nothing more is begun
  --- once that many milliseconds have passed.
  function webnn.poll(budget_ms)
    if polling then return n_waiting + n_callbacks end
    if n_waiting == 0 and n_callbacks == 0 and not scheduler then return 0 end
    local deadline = budget_ms and now() + budget_ms / 1000
    polling, poll_end = true, deadline
    local ok, message = pcall(run_on, deadline) -- no memory, a hook of the host's
    polling, poll_end = false, nil
    if not ok then error(message, 0) end
    return n_waiting + n_callbacks
  end

  --- Runs `fn(...)` (nil: nothing) and all that it spawns to the end; for scripts without a loop of their own.
  --- Returns what `fn` returns, or nil and the error.
  function webnn.run(fn, ...)
    if in_coroutine() or polling then error("run: this is a coroutine already, await what you need", 2) end
    if fn ~= nil and type(fn) ~= "function" then error("run: a function is needed", 2) end
    local task = fn and start(setmetatable({ co = new_coroutine(fn), awaited = true }, Task), ...)
    while webnn.poll() > 0 do wait_for_something() end
    if task then return task:value() end
  end

  --- Hands suspending and resuming to the host's own scheduler; nil takes it back.
  --- `suspend(future)` gives way in the running coroutine until `resume(future)`, which webnn.poll() calls.
  function webnn.set_scheduler(hooks)
    if hooks ~= nil and (type(hooks) ~= "table" or not hooks.suspend or not hooks.resume) then
      error("set_scheduler: a table with suspend and resume is needed", 2)
    end
    scheduler = hooks
  end

  -- ---- pcall across which a coroutine can yield

  local function through(co, ok, ...)
    if not ok or status(co) == "dead" then return ok, ... end
    return through(co, resume(co, yield(...)))
  end

  --- As pcall; a coroutine can await inside, in Lua 5.1 too.
  webnn.pcall = pcall_yields and pcall or function(fn, ...)
    if not in_coroutine() then return pcall(fn, ...) end
    local co = new_coroutine(fn)
    return through(co, resume(co, ...))
  end

  webnn.Task = Task
  return add_methods
end

return new
