--- What the READMEs print in Lua runs as it stands.
return function(t, env)
  local function blocks(path)
    local file = assert(io.open(path, "rb"))
    local text, list = file:read("*a"), {}
    file:close()
    for block in text:gmatch("\n```lua\n(.-)\n```") do list[#list + 1] = block end
    return list
  end

  -- What a program prints, one line a call.
  local function printed(program)
    local lines, globals = {}, setmetatable({}, { __index = _G })
    function globals.print(...)
      local line = {}
      for i = 1, select("#", ...) do line[i] = tostring((select(i, ...))) end
      lines[#lines + 1] = table.concat(line, "\t")
    end
    function globals.require(name) return name == "webnn" and env.webnn or require(name) end
    local chunk
    if setfenv then
      chunk = setfenv(assert(loadstring(program)), globals)
    else
      chunk = assert(load(program, "=README", "t", globals))
    end
    chunk()
    return (table.concat(lines, "\n"):gsub("%.0%f[^%d]", "")) -- 5.3 and later print 3.0 for 3
  end

  t.test("README.md", function()
    local all = blocks(env.root .. "README.md")
    t.equal(#all, 1)
    t.equal(printed(all[1]), "webnn.Buffer float32 [2, 2] {3, 0, 0, 1}\nwebnn.Buffer float32 [2, 2] {5, 0, 14, 0}")
  end)

  t.test("bindings/lua/README.md", function()
    local first = blocks(env.root .. "bindings/lua/README.md")[1]
    t.equal(printed(first), "26\t31\twebnn.Buffer float32 [1, 2] {26, 31}\nwebnn.Buffer float32 [1, 2] {9, 11}")
  end)
end
