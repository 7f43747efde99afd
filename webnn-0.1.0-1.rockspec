rockspec_format = "3.0"
package = "webnn"
version = "0.1.0-1"
source = {
  url = "git+file://.",
  tag = "v0.1.0",
}
description = {
  summary = "The W3C Web Neural Network API outside the browser",
  detailed = [[
Contexts, tensors, graph builders with all operations of the specification, futures that work in coroutines.
For Lua 5.1 to 5.4 and LuaJIT, with a module over ffi for LuaJIT hosts that load no modules in C.
]],
  license = "Apache-2.0",
}
dependencies = {
  "lua >= 5.1, < 5.5",
}
build = {
  type = "command",
  build_command = "cmake -S . -B build/rock -DCMAKE_BUILD_TYPE=Release -DWEBNN_TESTS=OFF -DWEBNN_LUA=HERE"
    .. " -DLUA_INCDIR=$(LUA_INCDIR) -DWEBNN_LUA_LIBDIR=$(LIBDIR) -DWEBNN_LUA_LUADIR=$(LUADIR)"
    .. " && cmake --build build/rock --parallel 2",
  install_command = "cmake --install build/rock --component lua",
}
