--- Finds speech in what mpv plays: silero-vad's network looks at each 32 ms of a WAV file, while the player goes on.
--- Stretches of speech go to the log, and to the screen when they are played.
---
---   mpv --script=speech.lua --script-opts=speech-model=silero-vad.webnn FILE.wav
---   speech-threshold=0.5      how sure the network has to be (0 to 1)
local webnn = require "webnn"
local options = { model = "silero-vad.webnn", threshold = 0.5 }
require("mp.options").read_options(options, "speech")

local rate, step, before = 16000, 512, 64 -- what the network expects: so many new samples, behind so many old ones
local context = assert(webnn.ml():create_context({ threads = 1 }):await())
local stretches = {}

---@return integer
local function integer(text, at, n_bytes)
  local value = 0
  for i = n_bytes - 1, 0, -1 do value = value * 256 + text:byte(at + i) end
  return value
end

-- The samples of a WAV file of 16 bits as bytes, with how many there are, the channels and the rate.
local function read_wav(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("*a")
  file:close()
  assert(text:sub(1, 4) == "RIFF" and text:sub(9, 12) == "WAVE", path .. " is no WAV file")
  local at, channels, from_rate = 13, 0, 0
  while at + 8 <= #text do
    local name, size = text:sub(at, at + 3), integer(text, at + 4, 4)
    if name == "fmt " then
      assert(integer(text, at + 8, 2) == 1 and integer(text, at + 22, 2) == 16, "only plain samples of 16 bits")
      channels, from_rate = integer(text, at + 10, 2), integer(text, at + 12, 4)
    elseif name == "data" then
      assert(channels > 0, path .. " has samples, but no format")
      local n = math.floor(math.min(size, #text - at - 7) / (2 * channels))
      return text:sub(at + 8, at + 7 + n * 2 * channels), n, channels, from_rate
    end
    at = at + 8 + size + size % 2
  end
  error(path .. " has no samples")
end

-- A network of its own turns them into one channel of floats at the rate that is wanted, with silence before and
-- behind, so that whole steps come out.
local function decode(bytes, n, channels, from_rate)
  local b = webnn.graph_builder(context)
  local n_steps = math.ceil(n * rate / from_rate / step)
  local n_samples = math.floor(n * rate / from_rate + 0.5)
  local pairs_of = b:cast(b:input("bytes", { shape = { n, channels, 2 }, data_type = "uint8" }), "float32")
  local unsigned = b:matmul(pairs_of, b:constant({ shape = { 2, 1 }, data_type = "float32" }, { 1, 256 }))
  local signed = unsigned - b:cast(b:greater_or_equal(unsigned, b:constant("float32", 32768)), "float32") * 65536
  local mono = b:reduce_mean(signed / 32768, { axes = { 1, 2 } })
  local resampled = b:resample2d(b:reshape(mono, { 1, 1, n, 1 }), {
    mode = "linear", sizes = { n_samples, 1 }, axes = { 2, 3 },
  })
  local padded = b:pad(b:reshape(resampled, { n_samples }), { before }, { n_steps * step - n_samples })
  local graph = assert(b:build({ samples = padded }):await())
  return assert(context:compute(graph, { bytes = bytes })).samples, n_steps
end

local function note(from, to)
  stretches[#stretches + 1] = { from = from, to = to }
  mp.msg.info(("speech from %.2f s to %.2f s"):format(from, to))
end

-- Runs as a coroutine: each step is dispatched and awaited, and what the network remembers stays in its tensors.
local function listen(path)
  local samples, n_steps = decode(read_wav(path))
  local network = assert(webnn.load(options.model, context):await())
  local function tensor(name, port, access)
    local descriptor = network[port][name]
    descriptor[access] = true
    return assert(context:create_tensor(descriptor):await())
  end
  local input, output = tensor("input", "inputs", "writable"), tensor("output", "outputs", "readable")
  local memory, next_memory = tensor("state", "inputs", "writable"), tensor("stateN", "outputs", "readable")
  assert(context:write_tensor(memory, webnn.buffer("float32", 2 * 128)))
  local from ---@type number?
  for i = 0, n_steps - 1 do
    assert(context:write_tensor(input, samples:view(i * step + 1, i * step + before + step)))
    assert(context:dispatch(network, { input = input, state = memory }, { output = output, stateN = next_memory }))
    memory, next_memory = next_memory, memory
    local sure = assert(context:read_tensor(output):await())[1] > options.threshold
    local time = i * step / rate
    if sure and not from then from = time end
    if not sure and from then
      note(from, time)
      from = nil
    end
  end
  if from then note(from, n_steps * step / rate) end
  mp.msg.info(("%d stretches of speech in %.2f s"):format(#stretches, n_steps * step / rate))
end

webnn.set_error_handler(function(message) mp.msg.error(message) end)

mp.register_event("file-loaded", function()
  stretches = {}
  webnn.spawn(listen, mp.get_property("path"))
end)

mp.add_periodic_timer(0.01, function()
  webnn.poll(5)
  local time = mp.get_property_number("time-pos")
  for _, stretch in ipairs(stretches) do
    if time and time >= stretch.from and time < stretch.to then mp.osd_message("speech", 0.1) end
  end
end)
