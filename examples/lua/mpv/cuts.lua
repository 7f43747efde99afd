--- Finds the cuts of a film while mpv plays it: a network shrinks each frame to a few mean colours, and a jump of
--- those is a cut. Marks go to the log and to the screen.
---
---   mpv --script=cuts.lua FILM
---   --script-opts=cuts-threshold=0.2      how large a jump has to be (0 to 1)
package.path = mp.get_script_directory and (mp.get_script_directory() or ".") .. "/?.lua;" .. package.path or package.path
local webnn = require "webnn"
local options = { threshold = 0.15 }
require("mp.options").read_options(options, "cuts")

local grid = 8
local context = assert(webnn.ml():create_context({ threads = 1 }):await())
---@type table<string, { graph: webnn.Graph, frame: webnn.Tensor, colours: webnn.Tensor }>
local graphs = {} -- one for each size of a frame
---@type webnn.Buffer?, number?
local last, last_time

-- "frame" are the bytes of a picture, blue, green, red and one unused; "colours" a grid of mean colours.
local function build(width, height)
  local b = webnn.graph_builder(context)
  local frame = b:input("frame", { shape = { 1, height, width, 4 }, data_type = "uint8" })
  local colours = b:slice(b:cast(frame, "float32"), { 0, 0, 0, 0 }, { 1, height, width, 3 }) / 255
  local wide, high = math.floor(width / grid), math.floor(height / grid)
  local means = b:average_pool2d(colours, {
    window_dimensions = { high, wide }, strides = { high, wide }, layout = "nhwc",
  })
  return assert(b:build({ colours = means }):await())
end

local function tensors(width, height)
  local graph = build(width, height)
  local output = graph.outputs.colours
  output.readable = true
  return {
    graph = graph,
    frame = assert(context:create_tensor({ shape = { 1, height, width, 4 }, data_type = "uint8", writable = true }):await()),
    colours = assert(context:create_tensor(output):await()),
  }
end

local function jump(from, to)
  local sum = 0.0
  for i = 1, #to do sum = sum + math.abs(to[i] - from[i]) end
  return sum / #to
end

-- The rows without what mpv puts behind them.
local function pixels_of(picture)
  if picture.stride == picture.w * 4 then return picture.data:sub(1, picture.stride * picture.h) end
  local rows = {}
  for y = 0, picture.h - 1 do rows[y + 1] = picture.data:sub(y * picture.stride + 1, y * picture.stride + picture.w * 4) end
  return table.concat(rows)
end

local function look(picture, time)
  local size = picture.w .. "x" .. picture.h
  local at = graphs[size] or tensors(picture.w, picture.h)
  graphs[size] = at
  assert(context:write_tensor(at.frame, pixels_of(picture)))
  assert(context:dispatch(at.graph, { frame = at.frame }, { colours = at.colours }))
  local colours = assert(context:read_tensor(at.colours):await())
  if last and #last == #colours and jump(last, colours) > options.threshold then
    mp.msg.info(("cut between %.2f s and %.2f s"):format(last_time, time))
    mp.osd_message("cut", 0.5)
  end
  last, last_time = colours, time
end

webnn.set_error_handler(function(message) mp.msg.error(message) end)

local task
mp.add_periodic_timer(0.01, function()
  webnn.poll()
  local time = mp.get_property_number("time-pos")
  if not time or time == last_time or (task and not task:done()) then return end
  local picture = mp.command_native({ "screenshot-raw", "video" })
  if picture then task = webnn.spawn(look, picture, time) end
end)
