--- What a wrong call is told: the line, the operation, the argument, the numbers.
return function(t, env)
  local webnn = env.webnn

  local function setup()
    local b = webnn.graph_builder(env.context())
    return b, b:input("x", { shape = { 1, 3, 8, 8 }, data_type = "float32" })
  end

  local rows = {
    { "errors%.lua:%d+: conv2d: filter is missing", function(b, x) b:conv2d(x) end },
    { "errors%.lua:%d+: relu: input must be a webnn%.Operand, not nil", function(b) b:relu({ nil }) end, any = true },
    { "errors%.lua:%d+: relu: input must be a webnn%.Operand, not 1", function(b) b:relu(1) end },
    { "errors%.lua:%d+: %[stem%] relu: input must be a webnn%.Operand, not a table", function(b) b:relu({}, { label = "stem" }) end },
    { "relu: takes 1 arguments and a table of options, not 3", function(b, x) b:relu(x, nil, 3) end },
    { "elu: there is no option 'alhpa'; did you mean 'alpha'%?", function(b, x) b:elu(x, { alhpa = 1 }) end },
    { "elu: there is no option 'zzzzzzz'$", function(b, x) b:elu(x, { zzzzzzz = 1 }) end },
    { "elu: the options are names with values", function(b, x) b:elu(x, { 1 }) end },
    { "elu: options must be a table, not 1", function(b, x) b:elu(x, 1) end },
    { "elu: alpha must be a number, not 'soft'", function(b, x) b:elu(x, { alpha = "soft" }) end },
    { "elu: alpha must be a number, not a boolean", function(b, x) b:elu(x, { alpha = true }) end },
    { "errors%.lua:%d+: elu: alpha is NaN, no finite number", function(b, x) b:elu(x, { alpha = 0 / 0 }) end },
    { "errors%.lua:%d+: linear: beta is %-Infinity, no finite number", function(b, x) b:linear(x, { beta = -1 / 0 }) end },
    { "softmax: axis must be an integer from 0 to 4294967295, not 1%.5", function(b, x) b:softmax(x, 1.5) end },
    { "softmax: axis must be an integer from 0 to 4294967295, not %-1", function(b, x) b:softmax(x, -1) end },
    { "softmax: axis must be an integer from 0 to 4294967295, not '1'", function(b, x) b:softmax(x, "1") end },
    { "triangular: diagonal must be an integer from %-2147483648", function(b, x) b:triangular(x, { diagonal = 1e10 }) end },
    { "triangular: upper must be true or false, not 1", function(b, x) b:triangular(x, { upper = 1 }) end },
    { "transpose: permutation must be a list, not 1", function(b, x) b:transpose(x, { permutation = 1 }) end },
    { "transpose: permutation must be a list without holes", function(b, x) b:transpose(x, { permutation = { 0, 1, a = 2 } }) end },
    { "cast: data_type must be 'float32', .* or 'uint8', not 'float64'", function(b, x) b:cast(x, "float64") end },
    { "dispatch: graph must be a webnn.Graph, not a webnn.Future: await it$", function(b, x) env.context():dispatch(b:build { y = b:relu(x) }, {}, {}) end },
    { "input: data_type must be 'float32', .* or 'uint8', not 'flaot32'$", function(b) b:input("q", { shape = { 1 }, data_type = "flaot32" }) end },
    { "input: data_type must be 'float32', .* or 'uint8', not nil$", function(b) b:input("q", { shape = { 1 } }) end },
    { "create_context: device_type must be 'cpu'.*, not 'gqu'$", function() webnn.ml():create_context { device_type = "gqu" } end },
    { "max_pool2d: layout must be 'nchw' or 'nhwc', not 'hwc'", function(b, x) b:max_pool2d(x, { layout = "hwc" }) end },
    { "concat: inputs must be a webnn%.Operand", function(b, x) b:concat({ x, 1 }, 0) end },
    { "resample2d: scales must hold finite numbers", function(b, x) b:resample2d(x, { scales = { 1, 1 / 0 } }) end },
    { "input: name must be a string, not 7", function(b) b:input(7, { shape = {}, data_type = "float32" }) end },
    { "input: descriptor must be a table with shape and data_type", function(b) b:input("y") end },
    { "input: shape must be a list, not nil", function(b) b:input("y", { data_type = "float32" }) end },
    { "input: there is no option 'dtype'", function(b) b:input("y", { shape = {}, data_type = "float32", dtype = 1 }) end },
    { "errors%.lua:%d+: %[stem%] conv2d: .*3.*4", function(b, x)
      local w = b:input("w", { shape = { 2, 4, 3, 3 }, data_type = "float32" })
      b:conv2d(x, w, { label = "stem" })
    end },
    { "errors%.lua:%d+: add: ", function(b, x) return x + b:input("w", { shape = { 7 }, data_type = "float32" }) end },
  }

  t.test("wrong calls", function()
    for i, row in ipairs(rows) do
      local b, x = setup()
      local ok, message = pcall(row[2], b, x)
      t.ok(not ok, "row " .. i .. " raises nothing")
      if not row.any then t.matches(message, row[1]) end
    end
  end)

  t.test("wrong selves are refused", function()
    local b, x = setup()
    local context = env.context()
    t.raises("", b.relu, context, x)
    t.raises("", context.destroy, b)
    t.raises("", context.destroy, nil)
    t.raises("", webnn.graph_builder, b)
    t.raises("tensor must be a webnn%.Tensor", context.write_tensor, context, x, {})
    t.raises("graph must be a webnn%.Graph", context.dispatch, context, x, {}, {})
  end)

  t.test("options of a context", function()
    local ml = webnn.ml()
    t.raises("create_context: backend must be", ml.create_context, ml, { backend = "cuda" })
    t.raises("there is no option 'thread'; did you mean 'threads'", ml.create_context, ml, { thread = 2 })
    t.raises("threads must be an integer", ml.create_context, ml, { threads = -1 })
    local none, problem = ml:create_context { backend = "opencl", device = "there is none of this name" }:await()
    t.equal(none, nil)
    t.equal(problem.name, "NotSupportedError")
  end)

  t.test("an operation of another builder is refused", function()
    local b, x = setup()
    local other = webnn.graph_builder(env.context())
    t.raises("", other.relu, other, x)
    t.raises("", b.build, b, { y = other:relu(other:input("x", { shape = { 1 }, data_type = "float32" })) })
  end)

  t.test("dispatch checks names, tensors, graphs", function()
    local context = env.context()
    local b, x = setup()
    local g = assert(b:build { y = b:relu(x) }:await())
    local tensor = context:create_tensor { shape = { 1, 3, 8, 8 }, data_type = "float32" }:await()
    t.raises("inputs has no tensor as 'x'", context.dispatch, context, g, { x = x }, { y = tensor })
    t.raises("inputs must be a table by name", context.dispatch, context, g, tensor, { y = tensor })
    t.raises("must have names as keys", context.dispatch, context, g, { tensor }, { y = tensor })
    t.raises("", context.dispatch, context, g, { x = tensor }, { y = tensor })
    g:destroy()
    t.raises("InvalidStateError", context.dispatch, context, g, { x = tensor },
      { y = context:create_tensor { shape = { 1, 3, 8, 8 }, data_type = "float32" }:await() })
  end)
end
