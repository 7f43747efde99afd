--- Runs suites on one module: lua main.lua MODULE [--filter TEXT] SUITE ...
--- MODULE is webnn or webnn.ffi; a suite is a file beside this one, without its ending.
local folder = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = folder .. "/?.lua;" .. package.path

-- WEBNN_GC: generational, aggressive (the collector never rests), hook (a full collection every few instructions).
local gc = os.getenv "WEBNN_GC"
if gc == "generational" then
  collectgarbage("generational")
elseif gc == "aggressive" then
  collectgarbage("setpause", 0)
  collectgarbage("setstepmul", 1000000)
elseif gc == "hook" then
  if jit then jit.off() end
  debug.sethook(function() collectgarbage() end, "", 10)
end

local harness = require "harness"
local webnn = require(arg[1])
local at = 2
if arg[at] == "--filter" then
  harness.filter = arg[at + 1]
  at = at + 2
end
local env = {
  webnn = webnn, backend = os.getenv "WEBNN_BACKEND", data = folder .. "/../data/", root = folder .. "/../../",
  slow = os.getenv "WEBNN_SLOW" ~= nil, -- under a tool that makes everything slow
}

--- A context that all tests of a run share.
function env.context()
  if not env.shared then env.shared = assert(webnn.ml():create_context({ backend = env.backend }):await()) end
  return env.shared
end

for i = at, #arg do require(arg[i])(harness, env) end
io.write(arg[1], " on ", _VERSION, jit and " (" .. jit.version .. ")" or "", ": ")
local good = harness.report()
env.shared, harness = nil, nil
collectgarbage()
if not good then error("tests failed", 0) end
