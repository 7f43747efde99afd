--- The vectors of tests/data: each runs on memory and on tensors, with its own tolerances and no others.
local special = { NaN = 0 / 0, Infinity = math.huge, ["-Infinity"] = -math.huge }

local function snake(name)
  name = name:gsub("(%l)NaN", "%1_nan"):gsub("(%l)ND", "%1_nd"):gsub("([%l%d])(%u)", "%1_%2")
  return name:lower()
end

local function read_file(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("*a")
  file:close()
  return text
end

-- What stands for a number; integers beyond 2^53 stay strings, which the binding takes.
local function number(value)
  return special[value] or value
end

local function count(shape)
  local n = 1
  for _, dim in ipairs(shape) do n = n * dim end
  return n
end

return function(harness, env)
  local webnn, json = env.webnn, env.webnn.json

  -- The elements of an input or a result. A float that its type can't hold exactly would be another test.
  local function buffer(tensor)
    local n = count(tensor.shape)
    if tensor.data.fill ~= nil then return webnn.buffer(tensor.dataType, n):fill(number(tensor.data.fill)) end
    assert(#tensor.data == n, "data of another length")
    local out = webnn.buffer(tensor.dataType, n)
    for i = 1, n do
      local value = number(tensor.data[i])
      out[i] = value
      if tensor.dataType:find("float") then assert(out[i] == tonumber(value) or value ~= value, "inexact data") end
    end
    return out
  end

  local function argument(value, operands)
    if type(value) == "string" then return number(value) end
    if type(value) ~= "table" then return value end
    if value.operand then return operands[value.operand] end
    local list = {}
    for i, item in ipairs(value) do list[i] = argument(item, operands) end
    return list
  end

  local function add_operator(builder, step, operands, label)
    local op = assert(webnn.op_info(step.op), step.op)
    local args, n, options = {}, 0, { label = label }
    for _, field in ipairs(op.fields) do
      if field.required then
        n = n + 1
        args[n] = argument(step.args[field.spec_name], operands)
      end
    end
    for key, value in pairs(step.options) do options[snake(key)] = argument(value, operands) end
    args[n + 1] = options
    local result = builder[snake(step.op)](builder, (table.unpack or unpack)(args, 1, n + 1))
    if not op.returns_list then result = { result } end
    assert(#result == #step.outputs, "another number of outputs")
    for i, name in ipairs(step.outputs) do operands[name] = result[i] end
  end

  local function build(context, test, through_file)
    local builder, operands, inputs, outputs = webnn.graph_builder(context), {}, {}, {}
    for name, tensor in pairs(test.inputs) do
      local descriptor = { shape = tensor.shape, data_type = tensor.dataType }
      local data = buffer(tensor)
      if tensor.constant then
        operands[name] = builder:constant(descriptor, data)
      else
        operands[name] = builder:input(name, descriptor)
        inputs[name] = { descriptor = descriptor, data = data }
      end
    end
    for _, step in ipairs(test.operators) do add_operator(builder, step, operands, test.id) end
    for name, wanted in pairs(test.expected) do
      outputs[name] = operands[name]
      harness.list(operands[name].shape, wanted.shape, "shape of " .. name)
      harness.equal(operands[name].data_type, wanted.dataType)
    end
    local file = through_file and not test.large and assert(builder:save_data(outputs))
    return assert(builder:build(outputs):await()), inputs, file
  end

  -- ---- judging

  -- Where a float stands among all of its type: neighbours are one apart.
  local function place(bits, sign)
    return bits >= sign and sign - bits or bits
  end

  local function places(out, data_type)
    if data_type == "float32" then
      local view = out:view(nil, nil, "uint32")
      return function(i) return place(view[i], 2147483648) end
    end
    local view = out:view(nil, nil, "uint8")
    return function(i) return place(view[2 * i - 1] + 256 * view[2 * i], 32768) end
  end

  local function distance(a, b, metric, i, place_a, place_b, is_float)
    if a == b or (a ~= a and b ~= b) then return 0 end
    if not is_float then return tostring(a) == tostring(b) and 0 or math.max(1, math.abs(tonumber(a) - tonumber(b))) end
    if a ~= a or b ~= b or math.abs(a) == math.huge or math.abs(b) == math.huge then return math.huge end
    return metric == "ULP" and math.abs(place_a(i) - place_b(i)) or math.abs(a - b)
  end

  local function judge(test, name, actual)
    local wanted = test.expected[name]
    local expected, tolerance, is_float = buffer(wanted), wanted.tolerance, wanted.dataType:find("float")
    assert(actual.data_type == wanted.dataType and #actual == #expected, "another type or length")
    local place_a = is_float and places(actual, wanted.dataType)
    local place_b = is_float and places(expected, wanted.dataType)
    local step = 1
    if wanted.data.fill ~= nil and #actual > 100000 then
      -- So many equal elements are compared at once, one of them in full.
      assert(actual:string() == webnn.buffer(wanted.dataType, #actual):fill(actual[1]):string(), "elements differ")
      step = #actual
    end
    for i = 1, #actual, step do
      local a, b = actual[i], expected[i]
      local apart = distance(a, b, tolerance.metric, i, place_a, place_b, is_float)
      if test.signedZero and a == 0 and b == 0 and 1 / a ~= 1 / b then apart = math.huge end
      if not (apart <= tolerance.value) then
        error(("%s: %s[%d] is %s, expected %s (%s %g)"):format(test.id, name, i, tostring(a), tostring(b),
          tolerance.metric, tolerance.value), 0)
      end
    end
  end

  -- ---- running

  local function on_memory(context, graph, inputs)
    local data = {}
    for name in pairs(graph.inputs) do data[name] = inputs[name].data end
    return assert(context:compute(graph, data))
  end

  local function on_tensors(context, graph, inputs)
    local from, to, out = {}, {}, {}
    for name, descriptor in pairs(graph.inputs) do
      descriptor.writable = true
      from[name] = assert(context:create_tensor(descriptor):await())
      assert(context:write_tensor(from[name], inputs[name].data))
    end
    for name, descriptor in pairs(graph.outputs) do
      descriptor.readable = true
      to[name] = assert(context:create_tensor(descriptor):await())
    end
    assert(context:dispatch(graph, from, to))
    for name, tensor in pairs(to) do out[name] = assert(context:read_tensor(tensor):await()) end
    return out
  end

  -- On the reference backend each graph is saved and loaded, too: so every operation goes through a graph file.
  local function run(context, test, through_file)
    local graph, inputs, file = build(context, test, through_file)
    local results = { on_memory(context, graph, inputs) }
    if not test.large then results[2] = on_tensors(context, graph, inputs) end
    if file then results[3] = on_memory(context, assert(webnn.load_data(file, context):await()), inputs) end
    graph:destroy()
    for _, result in ipairs(results) do
      for name in pairs(test.expected) do judge(test, name, result[name]) end
    end
  end

  local seen = {}
  for _, backend in ipairs { "reference", "onednn" } do
    local context = webnn.ml():create_context { backend = backend }:await()
    for _, kind in ipairs { "wpt", "semantics" } do
      for name, n in pairs(json.decode(read_file(env.data .. kind .. "/files.json")).files) do
        harness.test(backend .. " " .. kind .. "/" .. name, function()
          if not context then harness.skip("no such backend here") end
          local tests = json.decode(read_file(env.data .. kind .. "/" .. name)).tests
          harness.equal(#tests, n, "tests")
          for _, test in ipairs(tests) do
            -- Names may hold a NUL, so this is no format.
            local ok, message = pcall(run, context, test, backend == "reference")
            for _, step in ipairs(test.operators) do seen[webnn.op_info(step.op).name] = true end
            if not ok then error(test.id .. ": " .. tostring(message), 0) end
          end
        end)
      end
    end
    if context then context:destroy() end
  end

  harness.test("the vectors have every operation of the specification", function()
    if harness.filter then harness.skip("some were left out") end
    for _, name in ipairs(webnn.ops()) do
      harness.ok(seen[name] or webnn.op_info(name).extension, name .. " was never run")
    end
  end)

  -- The comparison itself can fail.
  harness.test("judge", function()
    local function verdict(actual, expected, data_type, metric, value, signed_zero)
      local test = {
        id = "judge", signedZero = signed_zero,
        expected = { y = {
          shape = { 1 }, dataType = data_type, data = { expected },
          tolerance = { metric = metric or "ULP", value = value or 0 },
        } },
      }
      return (pcall(judge, test, "y", webnn.buffer(data_type, { actual })))
    end
    local above = 1.00000011920928955078125 -- one place above 1
    harness.ok(verdict(1, 1, "float32"))
    harness.ok(not verdict(above, 1, "float32"))
    harness.ok(verdict(above, 1, "float32", "ULP", 1))
    harness.ok(verdict(2047, 2048, "float16", "ULP", 1))
    harness.ok(not verdict(2046, 2048, "float16", "ULP", 1))
    harness.ok(not verdict(-2 ^ -24, 2 ^ -24, "float16", "ULP", 1))
    harness.ok(verdict(1.5, 1, "float32", "ATOL", 0.5))
    harness.ok(not verdict(1.625, 1, "float32", "ATOL", 0.5))
    harness.ok(verdict(0 / 0, "NaN", "float16"))
    harness.ok(not verdict(1, "NaN", "float32", "ATOL", 9))
    harness.ok(not verdict(0 / 0, 1, "float32", "ULP", 9))
    harness.ok(not verdict(65504, "Infinity", "float16", "ULP", 1))
    harness.ok(not verdict(-math.huge, "Infinity", "float16", "ATOL", 9))
    harness.ok(verdict(-0.0, 0, "float32"))
    harness.ok(not verdict(-1 / math.huge, 0, "float32", "ULP", 0, true))
    harness.ok(not verdict("9007199254740993", "9007199254740992", "int64"))
    harness.ok(verdict("18446744073709551615", "18446744073709551615", "uint64"))
    harness.ok(not verdict(-1, 0, "int8"))
  end)
end
