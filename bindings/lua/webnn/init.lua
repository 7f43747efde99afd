--- The W3C Web Neural Network API for Lua 5.1 to 5.4 and LuaJIT. `require "webnn.ffi"` is the same for LuaJIT
--- hosts that load no modules in C.
local core = require "webnn.core"
local common = require "webnn.common"

return common({
  _VERSION = core.version(),
  graph_builder = core.graph_builder,
  buffer = core.buffer,
  devices = core.devices,
  ops = core.ops,
  type = core.type,
}, core)
