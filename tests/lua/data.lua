--- Data in all its kinds, and buffers.
return function(t, env)
  local webnn = env.webnn
  local has_ffi, ffi = pcall(require, "ffi")

  -- Through a tensor and back.
  local function round_trip(data_type, n, ...)
    local context = env.context()
    local tensor = context:create_tensor { shape = { n }, data_type = data_type, readable = true, writable = true }:await()
    context:write_tensor(tensor, ...)
    return context:read_tensor(tensor):await()
  end

  t.test("tables, nested too", function()
    t.list(round_trip("float32", 4, { 1, 2.5, -3, 4 }), { 1, 2.5, -3, 4 })
    t.list(round_trip("int32", 4, { { 1, 2 }, { 3, -4 } }), { 1, 2, 3, -4 })
    t.list(round_trip("float32", 1, 7), { 7 })
    t.raises("data holds 300, which uint8 cannot hold", round_trip, "uint8", 1, { 300 })
    t.raises("data holds 1%.5, which int32 cannot hold", round_trip, "int32", 1, { 1.5 })
    t.raises("data must be a number, not a boolean", round_trip, "int32", 1, { true })
    t.raises("", round_trip, "int32", 2, { 1 })
    local deep = { 1 }
    for _ = 1, 20 do deep = { deep } end
    t.raises("nested too deeply", round_trip, "int32", 1, deep)
    for _, holed in ipairs { { 1, nil, 3 }, { [2] = 1 }, { 1, n = 1 }, { { 1 }, { nil, 2 } } } do
      t.raises("data must be a list without holes or names", round_trip, "int32", 1, holed)
      t.raises("must be a list without holes or names", webnn.buffer, "int32", holed)
    end
  end)

  t.test("packed strings", function()
    t.list(round_trip("uint8", 3, "\0\1\255"), { 0, 1, 255 })
    t.list(round_trip("float32", 1, "\0\0\128\63"), { 1 })
    t.raises("", round_trip, "float32", 1, "123")
  end)

  t.test("buffers", function()
    local b = webnn.buffer("float32", { 1, 2, 3 })
    t.list(round_trip("float32", 3, b), { 1, 2, 3 })
    t.list(round_trip("int32", 1, webnn.buffer("uint8", { 1, 2, 0, 0 })), { 513 })
    t.raises("holds float32, not int32", round_trip, "int32", 3, b)
  end)

  t.test("addresses with their size", function()
    local b = webnn.buffer("float32", { 1, 2, 3 })
    local pointer, size = b:pointer()
    t.equal(size, 12)
    t.list(round_trip("float32", 3, pointer, size), { 1, 2, 3 })
    t.list(round_trip("float32", 2, pointer, 8), { 1, 2 })
    t.raises("size in bytes must follow", round_trip, "float32", 3, pointer)
    t.raises("no whole number of bytes", round_trip, "float32", 3, pointer, 1.5)
    t.ok(#b == 3)
  end)

  t.test("C data", function()
    if not has_ffi then t.skip("no ffi here") end
    local array = ffi.new("float[3]", 4, 5, 6)
    t.list(round_trip("float32", 3, array), { 4, 5, 6 })
    t.list(round_trip("float32", 2, ffi.cast("float *", array), 8), { 4, 5 })
    t.list(round_trip("float32", 2, ffi.cast("const float *", array), 8), { 4, 5 })
    t.raises("size in bytes must follow", round_trip, "float32", 3, ffi.cast("float *", array))
    t.list(round_trip("float32", 3, tonumber(ffi.cast("uintptr_t", ffi.cast("void *", array))), 12), { 4, 5, 6 })
    local b = webnn.buffer("int64", 2)
    local big = ffi.cast("int64_t", 2 ^ 53) + 1
    b[1], b[2] = ffi.cast("int64_t", -5), big
    t.ok(b[1] == -5 and b[2] == big and type(b[2]) == "cdata")
  end)

  t.test("objects that tell where their bytes are", function()
    if not (newproxy and has_ffi) then t.skip("no userdata of our own here") end
    local array = ffi.new("float[2]", 1, 2)
    local data, bare = newproxy(true), newproxy(true)
    getmetatable(data).__index = {
      getFFIPointer = function() return ffi.cast("void *", array) end, getSize = function() return 8 end,
    }
    t.list(round_trip("float32", 2, data), { 1, 2 })
    getmetatable(data).__index.getFFIPointer = function() return nil end
    getmetatable(data).__index.getPointer = function() return tonumber(ffi.cast("uintptr_t", ffi.cast("void *", array))) end
    t.list(round_trip("float32", 2, data), { 1, 2 })
    getmetatable(bare).__index = {}
    t.raises("data must be data", round_trip, "float32", 2, bare)
  end)

  t.test("64-bit integers are exact", function()
    local values = { "9007199254740993", "-9223372036854775808", "9223372036854775807", 5, -5 }
    local b = round_trip("int64", 5, values)
    for i, v in ipairs(values) do t.equal((tostring(b[i]):gsub("U?LL$", "")), tostring(v)) end
    t.equal(b[4], 5)
    local u = round_trip("uint64", 2, { "18446744073709551615", "9223372036854775808" })
    t.equal((tostring(u[1]):gsub("U?LL$", "")), "18446744073709551615")
    t.equal((tostring(u[2]):gsub("U?LL$", "")), "9223372036854775808")
    -- What an element is read as can be written again.
    u[2] = u[1]
    t.equal(u:view(2, 2):string(), u:view(1, 1):string())
    t.raises("cannot hold", round_trip, "int64", 1, { "9223372036854775808" })
    t.raises("cannot hold", round_trip, "uint64", 1, { -1 })
    t.raises("cannot hold", round_trip, "int64", 1, { 2 ^ 63 })
    local context = env.context()
    local builder = webnn.graph_builder(context)
    local x = builder:input("x", { shape = { 1 }, data_type = "int64" })
    local g = assert(builder:build { y = x + builder:constant("int64", "9007199254740993") }:await())
    t.equal((tostring(context:compute(g, { x = { 0 } }).y[1]):gsub("LL$", "")), "9007199254740993")
  end)

  t.test("floats are rounded once, to nearest", function()
    local f = webnn.buffer("float32", { 0.1, 1e300, -1e300, "9007199791611905", 3.5e38 })
    t.equal(f[1], 0.100000001490116119384765625)
    t.ok(f[2] == math.huge and f[3] == -math.huge and f[5] == math.huge)
    if not env.slow then t.equal(f[4], 9007200328482816) end -- valgrind rounds twice there
    local halves = {
      { 1, 1 }, { 0.1, 0.0999755859375 }, { 65504, 65504 }, { 65519.99, 65504 }, { 65520, math.huge },
      { 2 ^ -24, 2 ^ -24 }, { 2 ^ -25, 0 }, { 1.5 * 2 ^ -25, 2 ^ -24 }, { 2049, 2048 }, { 2051, 2052 },
      { -2 ^ -14, -2 ^ -14 }, { 1023.75 * 2 ^ -24, 2 ^ -14 }, { -math.huge, -math.huge }, { 0, 0 },
    }
    local h = webnn.buffer("float16", 1)
    for _, row in ipairs(halves) do
      h[1] = row[1]
      t.equal(h[1], row[2], tostring(row[1]))
    end
    h[1] = 0 / 0
    t.ok(h[1] ~= h[1])
    h[1] = -1 / math.huge
    t.equal(1 / h[1], -math.huge)
    -- Every one of them comes back as itself.
    local all = {}
    for i = 0, 65535 do all[i + 1] = string.char(i % 256, math.floor(i / 256)) end
    local every = webnn.buffer("float16", table.concat(all))
    local again = webnn.buffer("float16", #every)
    for i = 1, #every do again[i] = every[i] end
    local nan = 0
    for i = 1, #every do
      local a, b = every:view(i, i):string(), again:view(i, i):string()
      if every[i] ~= every[i] then nan = nan + 1 else t.ok(a == b, "pattern " .. i) end
    end
    t.equal(nan, 2046)
  end)

  t.test("buffers are arrays that begin with 1", function()
    local b = webnn.buffer("int32", 4)
    t.list(b, { 0, 0, 0, 0 })
    t.equal(b[0], nil)
    t.equal(b[5], nil)
    t.equal(b[1.5], nil)
    t.equal(b.nonsense, nil)
    b[2] = -7
    t.list(b:table(), { 0, -7, 0, 0 })
    t.raises("data.lua:%d+: buffer: index must be an index from 1 to 4, not 5", function() b[5] = 1 end)
    t.raises("buffer: element must be a number of type int32, not 1%.5", function() b[1] = 1.5 end)
    t.raises("buffer: element must be a number, not nil", function() b[1] = nil end)
    t.equal(b.data_type, "int32")
    t.list(b.shape, { 4 })
    t.equal(webnn.type(b), "Buffer")
    t.matches(b, "^webnn.Buffer int32 %[4%] {0, %-7, 0, 0}$")
    t.equal(#webnn.buffer("uint8", 0), 0)
    t.equal(#b:string(), 16)
    t.list(b:fill(3), { 3, 3, 3, 3 })
    t.list(b:set({ 1, 2, 3, 4 }), { 1, 2, 3, 4 })
    t.raises("data has 4 bytes, the buffer has 16", b.set, b, { 1 })
    t.raises("data_type must be", webnn.buffer, "float64", 1)
    t.raises("elements from 0 to", webnn.buffer, "uint8", -1)
  end)

  t.test("views share the memory", function()
    local b = webnn.buffer("int32", { 1, 2, 3, 4 })
    local v = b:view(2, 3)
    t.list(v, { 2, 3 })
    v[1] = 20
    t.equal(b[2], 20)
    t.list(b:view(3), { 3, 4 })
    t.equal(#b:view(3, 2), 0)
    local bytes = b:view(1, 1, "uint8")
    t.list(bytes, { 1, 0, 0, 0 })
    t.raises("does not divide", function() return b:view(1, 1, "int64") end)
    t.raises("last must be a number of elements", function() return b:view(1, 5) end)
    t.raises("first must be", function() return b:view(0) end)
    -- A view keeps what it looks into.
    local kept = webnn.buffer("int32", { 5, 6, 7 }):view(2)
    for _ = 1, 3 do collectgarbage() end
    local other = webnn.buffer("int32", 3):fill(9)
    t.list(kept, { 6, 7 })
    t.equal(other[1], 9)
  end)
end
