--- How an operation is called, as text, from its row in the table.
local constants = { None = "nil", True = "true", False = "false" }

-- How many letters have to be put in, taken out or changed.
local function edits(a, b)
  local row = {}
  for j = 0, #b do row[j] = j end
  for i = 1, #a do
    local diagonal = row[0]
    row[0] = i
    for j = 1, #b do
      local change = diagonal + (a:byte(i) == b:byte(j) and 0 or 1)
      diagonal = row[j]
      row[j] = math.min(change, row[j] + 1, row[j - 1] + 1)
    end
  end
  return row[#b]
end

local function nearest(name, names)
  local best, least = nil, 2 + math.floor(#name / 3)
  for _, other in ipairs(names) do
    local apart = edits(name, other)
    if apart < least then best, least = other, apart end
  end
  return best
end

local function signature(op)
  local required, options = {}, {}
  for _, field in ipairs(op.fields) do
    if field.required then
      required[#required + 1] = field.name
    else
      local default = constants[field.default] or field.default:gsub("^%(", "{"):gsub("%)$", "}")
      options[#options + 1] = field.name .. " = " .. default
    end
  end
  required[#required + 1] = "{" .. table.concat(options, ", ") .. "}"
  return "builder:" .. op.name .. "(" .. table.concat(required, ", ") .. ")"
end

local function describe(field)
  local kind = field.kind
  if field.values then kind = kind .. ": '" .. table.concat(field.values, "', '") .. "'" end
  return "  " .. field.name .. " (" .. kind .. "): " .. field.doc
end

local function usage(webnn, name, level)
  if type(name) ~= "string" then error("usage: the name of an operation is needed", level + 1) end
  local op = webnn.op_info(name)
  if not op then
    local near = nearest(name, webnn.ops())
    error("there is no operation '" .. name .. "'" .. (near and "; did you mean '" .. near .. "'?" or ""), level + 1)
  end
  local lines = { signature(op), op.doc }
  for _, field in ipairs(op.fields) do lines[#lines + 1] = describe(field) end
  if op.returns_list then lines[#lines + 1] = "Returns a list of operands." end
  return table.concat(lines, "\n")
end

return { text = usage, nearest = nearest }
