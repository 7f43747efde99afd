-- What a type checker has to find, in the lines that say so; never run.
local webnn = require "webnn"
local context = assert(webnn.ml():create_context({ backend = "cuda" }):await()) --!
local builder = webnn.graph_builder(context)
local x = builder:input("x", { shape = { 2 }, data_type = "float64" }) --!
local y = builder:conv2d(x, 3) --!
local graph = assert(builder:build({ y = y }):await())
local z = builder:rleu(x) --!
context:dispatch(graph, 1, {}) --!
context:read_tensor(y) --!
local out = assert(context:compute(graph, { x = { 1, 2 } }))
print(out.y:sum(), out.y[1], graph.inputs.x.shape[1], z) --!
for _, step in ipairs(graph:steps()) do print(step.kernal) end --!
context:profile() --!
local tensor = context:create_tensor({ shape = { 1 }, data_type = "int8" }):await()
context:write_tensor(tensor, { 1 }) --!
webnn.spawn("look") --!
