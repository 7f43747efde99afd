--- A plain script: trains nothing, loads nothing. A network that adds up two numbers written as pixels.
---
---   lua5.4 digits.lua 12 30
local webnn = require "webnn"

local function pixels(number)
  local row = {}
  for i = 1, 64 do row[i] = i <= number and 1 or 0 end
  return row
end

local a, b = tonumber(arg[1] or 12), tonumber(arg[2] or 30)
if not a or not b or math.min(a, b) < 0 or math.max(a, b) > 64 then error("two numbers from 0 to 64 are needed", 0) end

assert(webnn.run(function()
  local context = assert(webnn.ml():create_context():await())
  local builder = webnn.graph_builder(context)
  local x = builder:input("x", { shape = { 2, 64 }, data_type = "float32" })
  local sum = builder:reduce_sum(x, { label = "count" })
  local graph = assert(builder:build({ sum = sum }):await())
  local result = assert(context:compute(graph, { x = { pixels(a), pixels(b) } }))
  print(context)
  print(graph)
  print(("%d + %d = %d"):format(a, b, result.sum[1]))
  return true
end))
