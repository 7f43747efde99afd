--- Failures of the module over ffi: what is raised, and what is handed over as a value.
local ffi = require "ffi"
local C = require "webnn.ffi.cdef"
local nearest = require "webnn.usage".nearest

local errors = { meta = { __name = "webnn.Error" } }

function errors.meta:__tostring() return self.name .. ": " .. self.message end

local own = debug.getinfo(1, "S").source:match("^(.*)errors%.lua$")

-- The level of the first caller that isn't one of these files.
local function caller()
  local level = 3
  while true do
    local info = debug.getinfo(level, "S")
    if not info then return 0 end
    if info.source:sub(1, #own) ~= own then return level - 1 end
    level = level + 1
  end
end

--- Raises at the line of whoever called the module.
function errors.raise(message)
  error(message, caller())
end

--- "[label] function: argument text"
function errors.argument(where, text)
  local label = where.options and rawget(where.options, "label")
  local prefix = type(label) == "string" and label ~= "" and "[" .. label .. "] " or ""
  errors.raise(prefix .. where[1] .. ": " .. (where[2] and where[2] .. " " or "") .. text)
end

local function describe(value)
  local kind = type(value)
  if kind == "number" then return tostring(value) end
  if kind == "string" then return "'" .. value .. "'" end
  if kind == "nil" then return "nil" end
  local meta = kind == "table" and getmetatable(value)
  local name = type(meta) == "table" and rawget(meta, "__name") or kind
  return "a " .. name .. (name == "webnn.Future" and ": await it" or "")
end

function errors.wrong(where, wanted, value)
  errors.argument(where, "must be " .. wanted .. ", not " .. describe(value))
end

--- A native error as a table.
function errors.value(err)
  return setmetatable({
    name = ffi.string(C.webnn_status_name(err.status)), message = ffi.string(err.message),
  }, errors.meta)
end

function errors.raise_native(err)
  local message = ffi.string(err.message)
  if err.status ~= 1 then message = ffi.string(C.webnn_status_name(err.status)) .. ": " .. message end
  errors.raise(message)
end

--- What somebody did wrong is raised, what the world did is returned.
function errors.refuse(context, err)
  local misuse = err.status == 1 or err.status == 2
  if misuse and (context == nil or not C.webnn_context_is_lost(context)) then errors.raise_native(err) end
  return errors.value(err)
end

--- The table of options holds no other keys than those of the list `names`.
function errors.check_options(name, options, names)
  if options == nil then return end
  if type(options) ~= "table" then errors.wrong({ name, "options" }, "a table", options) end
  for key in pairs(options) do
    if type(key) ~= "string" then errors.argument({ name }, "the options are names with values") end
    local known = false
    for i = 1, #names do known = known or names[i] == key end
    if not known then
      local near = nearest(key, names)
      errors.argument({ name, options = options },
        "there is no option '" .. key .. "'" .. (near and "; did you mean '" .. near .. "'?" or ""))
    end
  end
end

return errors
