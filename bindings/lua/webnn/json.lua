--- Reads JSON text: what the core says about its limits.
local json = {}

local escapes = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", ['"'] = '"', ["\\"] = "\\", ["/"] = "/" }

local function utf8_of(code)
  if code < 0x80 then
    return string.char(code)
  elseif code < 0x800 then
    return string.char(0xC0 + math.floor(code / 0x40), 0x80 + code % 0x40)
  elseif code < 0x10000 then
    return string.char(0xE0 + math.floor(code / 0x1000), 0x80 + math.floor(code / 0x40) % 0x40, 0x80 + code % 0x40)
  end
  return string.char(0xF0 + math.floor(code / 0x40000), 0x80 + math.floor(code / 0x1000) % 0x40,
    0x80 + math.floor(code / 0x40) % 0x40, 0x80 + code % 0x40)
end

local function fail(text, at, what)
  error("JSON: " .. what .. " at byte " .. at .. ": " .. text:sub(at, at + 20), 0)
end

local function skip(text, at)
  return text:find("[^ \t\r\n]", at) or #text + 1
end

local function read_escape(text, at)
  local letter = text:sub(at, at)
  if letter ~= "u" then
    return escapes[letter] or fail(text, at, "no such escape"), at + 1
  end
  local code = tonumber(text:match("^%x%x%x%x", at + 1) or fail(text, at, "no such escape"), 16)
  local low = text:match("^\\u([dD][c-fC-F]%x%x)", at + 5)
  if code >= 0xD800 and code < 0xDC00 and low then
    return utf8_of(0x10000 + (code - 0xD800) * 0x400 + tonumber(low, 16) - 0xDC00), at + 11
  end
  return utf8_of(code), at + 5
end

local function read_string(text, at)
  local pieces, first = {}, at + 1
  while true do
    local stop = text:find('["\\]', first) or fail(text, at, "a string without end")
    pieces[#pieces + 1] = text:sub(first, stop - 1)
    if text:sub(stop, stop) == '"' then
      return table.concat(pieces), stop + 1
    end
    pieces[#pieces + 1], first = read_escape(text, stop + 1)
  end
end

local read_value

local function read_list(text, at)
  local list, n = {}, 0
  at = skip(text, at + 1)
  if text:sub(at, at) == "]" then return list, at + 1 end
  while true do
    n = n + 1
    list[n], at = read_value(text, at)
    at = skip(text, at)
    local mark = text:sub(at, at)
    if mark == "]" then return list, at + 1 end
    if mark ~= "," then fail(text, at, "neither , nor ]") end
    at = at + 1
  end
end

local function read_object(text, at)
  local object, key = {}, nil
  at = skip(text, at + 1)
  if text:sub(at, at) == "}" then return object, at + 1 end
  while true do
    at = skip(text, at)
    if text:sub(at, at) ~= '"' then fail(text, at, "no key") end
    key, at = read_string(text, at)
    at = skip(text, at)
    if text:sub(at, at) ~= ":" then fail(text, at, "no :") end
    object[key], at = read_value(text, at + 1)
    at = skip(text, at)
    local mark = text:sub(at, at)
    if mark == "}" then return object, at + 1 end
    if mark ~= "," then fail(text, at, "neither , nor }") end
    at = at + 1
  end
end

local words = { ["true"] = true, ["false"] = false }

function read_value(text, at)
  at = skip(text, at)
  local mark = text:sub(at, at)
  if mark == "{" then return read_object(text, at) end
  if mark == "[" then return read_list(text, at) end
  if mark == '"' then return read_string(text, at) end
  local word = text:match("^%a+", at)
  if word == "null" then return nil, at + 4 end
  if words[word] ~= nil then return words[word], at + #word end
  local number = text:match("^-?[%d.]+[eE]?[+-]?%d*", at)
  return tonumber(number) or fail(text, at, "no value"), at + #number
end

--- The value that `text` stands for; null is nil.
function json.decode(text)
  local value, at = read_value(text, 1)
  if skip(text, at) <= #text then fail(text, at, "more text") end
  return value
end

return json
