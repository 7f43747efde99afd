--- Looks at a picture of the scene of examples/lua/love, which WEBNN_SCENE names (an uncompressed TGA): left has to
--- be the scene, right its edges, dark where the scene is flat, bright along the rims of the balls.
local function read_tga(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("*a")
  file:close()
  local kind, width, height = text:byte(3), text:byte(13) + 256 * text:byte(14), text:byte(15) + 256 * text:byte(16)
  local bytes, top = text:byte(17) / 8, math.floor(text:byte(18) / 32) % 2 == 1
  assert(kind == 2 and bytes >= 3, "not an uncompressed picture")
  local first = 18 + text:byte(1)
  return width, height, function(x, y)
    local at = first + ((top and y or height - 1 - y) * width + x) * bytes
    local b, g, r = text:byte(at + 1, at + 3)
    return (0.299 * r + 0.587 * g + 0.114 * b) / 255
  end
end

-- The largest difference to what lies around, and the brightest place around.
local function around(grey, x, y, reach)
  local here, most = grey(x, y), 0
  for dy = -reach, reach do
    for dx = -reach, reach do most = math.max(most, math.abs(grey(x + dx, y + dy) - here)) end
  end
  return most
end

local function brightest(grey, x, y, reach)
  local most = 0
  for dy = -reach, reach do
    for dx = -reach, reach do most = math.max(most, grey(x + dx, y + dy)) end
  end
  return most
end

return function(t)
  t.test("the network sees the scene's edges, and only those", function()
    local path = os.getenv "WEBNN_SCENE"
    if not path then t.skip("no picture of the scene") end
    local width, height, grey = read_tga(path)
    local half, reach = width / 2, 8 -- the edges may be some frames older than the scene
    local flat, flat_lit, rims, rims_lit = 0, 0, 0, 0
    for y = reach, height - 1 - reach, 2 do
      for x = reach, half - 1 - reach, 2 do
        if around(grey, x, y, reach) < 0.02 then
          flat = flat + 1
          if grey(half + x, y) > 0.1 then flat_lit = flat_lit + 1 end
        elseif around(grey, x, y, 1) > 0.3 then
          rims = rims + 1
          if brightest(grey, half + x, y, reach) > 0.3 then rims_lit = rims_lit + 1 end
        end
      end
    end
    t.ok(flat > 1000 and rims > 100, "this is not the scene")
    t.ok(flat_lit < 0.01 * flat, flat_lit .. " of " .. flat .. " flat places are lit")
    t.ok(rims_lit > 0.99 * rims, rims_lit .. " of " .. rims .. " rims are lit")
  end)
end
