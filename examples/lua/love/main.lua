--- A small scene that runs a network on its own picture, frame after frame, and never waits for it.
---
---   love . [--frames N] [--screenshot FILE.png|FILE.tga] [--compare]
---
--- Left the scene, right what the network makes of it. --compare lets it rest every other second, and tells what frames
--- take with it and without.
local webnn = require(os.getenv "WEBNN_MODULE" or "webnn")
local network = require "network"
local ffi = require "ffi"

local width, height = 320, 240
---@type { frames: number, screenshot?: string, compare?: boolean }
local options = { frames = math.huge }
---@type any, any, any
local scene, edges, edge_pixels
local newest ---@type any The picture that the network is to see next.
local rests = false ---@type boolean
local task ---@type webnn.Task
---@type table<string, number[]>
local times = { with = {}, without = {} }
local balls, seen, latency = {}, 0, 0.0

local function read_arguments(args)
  for i, word in ipairs(args) do
    if word == "--frames" then options.frames = tonumber(args[i + 1]) end
    if word == "--screenshot" then options.screenshot = args[i + 1] end
    if word == "--compare" then options.compare = true end
  end
end

-- ---- the network

-- A coroutine that lives as long as the scene: it takes the newest picture, and gives way while the network runs.
---@async
local function look()
  local context = assert(webnn.ml():create_context({ threads = 1 }):await())
  local graph = assert(network.build(webnn, context, width, height):await())
  local shape = { 1, height, width, 4 }
  local input = assert(context:create_tensor({ shape = shape, data_type = "uint8", writable = true }):await())
  local output = assert(context:create_tensor({ shape = shape, data_type = "uint8", readable = true }):await())
  local pixels = webnn.buffer("uint8", width * height * 4)
  while true do
    while not newest do coroutine.yield() end
    local begin = love.timer.getTime()
    assert(context:write_tensor(input, newest)) -- LÖVE's ImageData as it is
    newest = nil
    assert(context:dispatch(graph, { image = input }, { edges = output }))
    assert(context:read_tensor(output, pixels):await())
    ffi.copy(edge_pixels:getFFIPointer(), pixels:pointer(), edge_pixels:getSize())
    edges:replacePixels(edge_pixels)
    seen = seen + 1
    latency = math.max(latency, love.timer.getTime() - begin)
  end
end

-- ---- the scene

function love.load(args)
  read_arguments(args)
  love.math.setRandomSeed(7)
  for i = 1, 12 do
    local angle = love.math.random() * 2 * math.pi
    balls[i] = {
      x = love.math.random(40, width - 40), y = love.math.random(40, height - 40), r = love.math.random(10, 28),
      dx = 90 * math.cos(angle), dy = 90 * math.sin(angle), hue = i / 12,
    }
  end
  scene = love.graphics.newCanvas(width, height)
  edge_pixels = love.image.newImageData(width, height)
  edges = love.graphics.newImage(edge_pixels)
  task = webnn.spawn(look)
end

local function move(dt)
  for _, ball in ipairs(balls) do
    ball.x, ball.y = ball.x + ball.dx * dt, ball.y + ball.dy * dt
    if ball.x < ball.r or ball.x > width - ball.r then ball.dx = ball.x < ball.r and math.abs(ball.dx) or -math.abs(ball.dx) end
    if ball.y < ball.r or ball.y > height - ball.r then ball.dy = ball.y < ball.r and math.abs(ball.dy) or -math.abs(ball.dy) end
  end
end

local function paint()
  love.graphics.setCanvas(scene)
  love.graphics.clear(0.05, 0.05, 0.1, 1)
  for _, ball in ipairs(balls) do
    love.graphics.setColor(0.5 + 0.5 * math.cos(6.28 * ball.hue), 0.9, 0.5 + 0.5 * math.sin(6.28 * ball.hue))
    love.graphics.circle("fill", ball.x, ball.y, ball.r)
  end
  love.graphics.setCanvas()
  love.graphics.setColor(1, 1, 1)
end

function love.draw()
  paint()
  local picture = scene:newImageData()
  if not newest and not rests then newest = picture end
  webnn.poll(2)
  love.graphics.draw(scene, 0, 0)
  love.graphics.draw(edges, width, 0)
end

-- ---- the loop: 60 frames a second, each measured

local function tell(name, list)
  table.sort(list)
  local function at(share) return list[math.max(1, math.ceil(share * #list))] * 1000 end
  print(("%s: frames %d, median %.2f ms, 99th percentile %.2f ms, longest %.2f ms"):format(name, #list, at(0.5),
    at(0.99), at(1)))
  return at(0.99)
end

local function report()
  local with = tell("with the network", times.with)
  if options.compare then
    local without = tell("without", times.without)
    print(("99th percentile: %.2f ms more with the network"):format(with - without))
  end
  print(("the network saw %d pictures, the slowest took %.2f ms"):format(seen, latency * 1000))
  if task:done() then error(select(2, task:await())) end
end

local function save_screenshot(path)
  love.graphics.captureScreenshot(function(image)
    local file = assert(io.open(path, "wb"))
    file:write(image:encode(path:match("%.(%a+)$") or "png"):getString())
    file:close()
  end)
end

function love.run()
  love.load(love.arg.parseGameArguments(arg))
  local frame, warm_up = 0, 30
  love.timer.step()
  local next_frame = love.timer.getTime()
  return function()
    love.event.pump()
    for name in love.event.poll() do
      if name == "quit" then return 0 end
    end
    local begin = love.timer.getTime()
    move(1 / 60)
    love.graphics.origin()
    love.graphics.clear(0, 0, 0)
    love.draw()
    frame = frame + 1
    if frame == options.frames and options.screenshot then save_screenshot(options.screenshot) end
    love.graphics.present()
    -- The first frames of a stretch are not counted: what was in flight belongs to the one before.
    local phase = frame % 60
    if frame > warm_up and (phase > 10 or not options.compare) then
      local list = rests and times.without or times.with
      list[#list + 1] = love.timer.getTime() - begin
    end
    if options.compare and phase == 59 then rests = not rests end
    if frame >= options.frames then
      report()
      return 0
    end
    next_frame = math.max(next_frame + 1 / 60, love.timer.getTime() - 1 / 60)
    love.timer.sleep(math.max(0.001, next_frame - love.timer.getTime()))
  end
end
