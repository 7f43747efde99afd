--- Graph files between Python and Lua. tests/lua/models.py made a folder of them (WEBNN_MODELS) with what their graphs
--- give; we load, compute, compare, and save each again for Python to load. And files that are no good are refused.
return function(t, env)
  local webnn = env.webnn
  local folder = os.getenv "WEBNN_MODELS"

  local function read_file(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read("*a")
    file:close()
    return text
  end

  local function digits(x) return (tostring(x):gsub("U?LL$", ""):gsub("%.0$", "")) end

  local function compare(name, actual, expected)
    t.list(actual.shape, expected.shape, name)
    t.equal(actual.data_type, expected.data_type, name)
    for i = 1, #actual do
      if expected.tolerance then
        local apart = math.abs(actual[i] - expected.data[i])
        t.ok(apart <= expected.tolerance, name .. "[" .. i .. "] is " .. apart .. " off")
      else
        t.equal(digits(actual[i]), digits(expected.data[i]), name .. "[" .. i .. "]")
      end
    end
  end

  t.test("what Python saved", function()
    if not folder then t.skip("tests/lua/models.py has made no files") end
    local context = env.context()
    local cases = webnn.json.decode(read_file(folder .. "/cases.json"))
    t.ok(#cases >= 3)
    for _, case in ipairs(cases) do
      local path = folder .. "/" .. case.name
      local graph = assert(webnn.load(path .. ".webnn", context):await())
      local results = assert(context:compute(graph, case.inputs))
      for name, expected in pairs(case.outputs) do compare(case.name .. "." .. name, results[name], expected) end
      local builder = webnn.graph_builder(context)
      local outputs = assert(builder:load(path .. ".webnn"))
      assert(builder:save(path .. ".lua.webnn", outputs))
      t.ok(read_file(path .. ".lua.webnn") == builder:save_data(outputs), case.name .. " differs in memory")
    end
  end)

  -- One graph with every kind of constant, and its file.
  local function small()
    local b = webnn.graph_builder(env.context())
    local x = b:input("x", { shape = { 2 }, data_type = "float32" })
    local w = b:constant({ shape = { 2, 2 }, data_type = "float32" }, { 1, 2, 3, 4 })
    local y = b:matmul(b:reshape(x, { 1, 2 }), w) + b:constant("float32", 0.5)
    local k = b:constant({ shape = { 2 }, data_type = "int64" }, { "9007199254740993", "-9223372036854775808" })
    return b:save_data { y = b:clamp(y, { min_value = -1, max_value = 100 }), k = b:identity(k) }
  end

  t.test("64-bit integers and constants come back as they were", function()
    local context = env.context()
    local graph = assert(webnn.load_data(small(), context):await())
    local result = assert(context:compute(graph, { x = { 1, 2 } }))
    t.list(result.y, { 7.5, 10.5 })
    t.equal(digits(result.k[1]), "9007199254740993")
    t.equal(digits(result.k[2]), "-9223372036854775808")
  end)

  t.test("files that are no good are refused", function()
    local context, file = env.context(), small()
    local refused, taken = 0, 0
    local function try(text)
      local graph, problem = webnn.load_data(text, context):await()
      if graph then
        taken = taken + 1
      else
        refused = refused + 1
        t.ok(problem.name == "OperationError" or problem.name == "UnknownError", tostring(problem))
      end
    end
    for n = 0, #file - 1, env.slow and 97 or 7 do try(file:sub(1, n)) end
    t.equal(taken, 0)
    local random = 1
    for _ = 1, env.slow and 50 or 600 do
      random = (random * 16807) % 2147483647
      local at = random % #file + 1
      try(file:sub(1, at - 1) .. string.char(random % 251) .. file:sub(at + 1))
    end
    t.ok(refused > 0)
    for _, nonsense in ipairs { "", "x", ("\255"):rep(100), ("\0"):rep(100), '\2\0\0\0\0\0\0\0{}' } do
      t.equal(webnn.load_data(nonsense, context):await(), nil)
    end
  end)
end
