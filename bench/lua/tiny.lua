--- One side of tiny.py: for each line "HOW N" that comes in, N rounds on a tiny graph; goes out: microseconds a round.
--- HOW is block or coroutine: write, dispatch, await; or compute: the same in one call, into the caller's memory.
local webnn = require(arg[1] or "webnn")
local context = assert(webnn.ml():create_context({ threads = 1 }):await())
local builder = webnn.graph_builder(context)
local x = builder:input("x", { shape = { 4 }, data_type = "float32" })
local graph = assert(builder:build({ y = builder:relu(x) }):await())
local tx = context:create_tensor({ shape = { 4 }, data_type = "float32", writable = true }):await()
local ty = context:create_tensor({ shape = { 4 }, data_type = "float32", readable = true }):await()
local data = webnn.buffer("float32", { -1, 0, 1, 2 })

local function round()
  context:write_tensor(tx, data)
  context:dispatch(graph, { x = tx }, { y = ty })
  return context:read_tensor(ty):await()
end

local function rounds(n)
  for _ = 1, n do round() end
end

local ways = { block = rounds }

local result = webnn.buffer("float32", 4)

function ways.compute(n)
  for _ = 1, n do context:compute(graph, { x = data }, { y = result }) end
end

-- In a coroutine that gives way at each await, as asyncio does it.
function ways.coroutine(n) webnn.run(rounds, n) end

local out = round()
ways.compute(1)
assert(out[1] == 0 and out[4] == 2 and result[1] == 0 and result[4] == 2)
for line in io.lines() do
  local how, n = line:match("^(%a+) (%d+)$")
  ways[how](tonumber(n)) -- until threads and caches are awake
  local start = webnn.now()
  ways[how](tonumber(n))
  print(("%.4f"):format((webnn.now() - start) / n * 1e6))
  io.flush()
end
