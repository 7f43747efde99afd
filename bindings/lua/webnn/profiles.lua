--- What a compiled graph consists of, and how long its parts take.

local function count(n, what) return n .. " " .. what .. (n == 1 and "" or "s") end

-- ---- as a text

local columns = { "step", "operations", "kernel", "label", "operands and result" }

-- How many characters of UTF-8; what isn't UTF-8 takes as many as it has bytes.
local function width_of(text)
  local _, more = text:gsub("[\128-\191]", "")
  return #text - more
end

local function visible(text)
  return (text:gsub("%c", function(one) return ("\\%d"):format(one:byte()) end))
end

local function rows_of(steps)
  local rows = { columns }
  for i, step in ipairs(steps) do
    rows[i + 1] = { tostring(i), (step.operations:gsub("%+", " + ")), step.kernel, visible(step.label), step.shapes }
  end
  return rows
end

local function lines_of(rows)
  local widths, lines = {}, {}
  for _, row in ipairs(rows) do
    for i, cell in ipairs(row) do widths[i] = math.max(widths[i] or 0, width_of(cell)) end
  end
  for k, row in ipairs(rows) do
    local cells = {}
    for i, cell in ipairs(row) do cells[i] = cell .. (" "):rep(widths[i] - width_of(cell)) end
    lines[k] = table.concat(cells, "  "):gsub(" +$", "")
  end
  return lines
end

-- A line for each reason why steps are on the reference kernel.
local function reasons(explanation, lines)
  local found, order = {}, {}
  for _, i in ipairs(explanation.reference) do
    local step = explanation.steps[i]
    local reason = step.reason .. (step.declined ~= "" and " (asked: " .. step.declined .. ")" or "")
    if not found[reason] then
      found[reason] = {}
      order[#order + 1] = reason
    end
    table.insert(found[reason], i)
  end
  for _, reason in ipairs(order) do
    local where = found[reason]
    lines[#lines + 1] = ("On the reference kernel: step%s %s: %s."):format(#where == 1 and "" or "s",
      table.concat(where, ", "), reason)
  end
end

local function notes(explanation, lines)
  local fused = 0
  for _, step in ipairs(explanation.steps) do fused = fused + select(2, step.operations:gsub("%+", "")) end
  lines[#lines + 1] = "Fused into the step of the operation before: " .. (fused > 0 and fused or "none") .. "."
  if explanation.info.backend == "reference" then
    lines[#lines + 1] = "All kernels are the reference's: that is this context's backend."
  elseif #explanation.reference > 0 then
    reasons(explanation, lines)
  else
    lines[#lines + 1] = "On the reference kernel: none."
  end
  lines[#lines + 1] =
    "In shapes, :0231 is the order of the axes in memory, :8x a block of so many channels, c a constant."
end

local Explanation = {}

function Explanation:__tostring()
  local lines = { ("%s, on %s (%s)"):format(count(#self.steps, "step"), self.info.backend, self.info.device), "" }
  for _, line in ipairs(lines_of(rows_of(self.steps))) do lines[#lines + 1] = line end
  lines[#lines + 1] = ""
  notes(self, lines)
  return table.concat(lines, "\n")
end

-- ---- the two functions

--- `methods` of a graph: `steps()` and `time_steps(inputs, runs)`, the seconds of each step in all runs, which is taken
--- out, for `profile` has it.
return function(methods)
  local steps_of, time_steps = methods.steps, methods.time_steps
  methods.time_steps = nil

  --- `info` of the context, the `steps`, and in `reference` the numbers of those that only the slow kernel takes.
  local function explain(graph)
    local steps, reference = steps_of(graph), {}
    for i, step in ipairs(steps) do
      if step.reason ~= "" then reference[#reference + 1] = i end
    end
    return setmetatable({ info = graph.context.info, steps = steps, reference = reference }, Explanation)
  end

  --- To what `steps` tells it adds seconds (of a run), share (of all steps), flops_per_second and of_peak (of what
  --- Context.measure_peaks finds: products or memory, whichever is more).
  local function profile(graph, inputs, runs)
    local steps, all = steps_of(graph), 0
    runs = runs == nil and 10 or runs == 0 and 1 or runs
    local peaks, lost = graph.context:measure_peaks()
    if not peaks then return nil, lost end
    local ok, seconds, problem = pcall(time_steps, graph, inputs, runs)
    if not ok then error(seconds, 0) end -- without a place in this file
    if not seconds then return nil, problem end
    for _, one in ipairs(seconds) do all = all + one end
    for i, step in ipairs(steps) do
      local took = seconds[i] / runs
      step.seconds, step.share = took, all > 0 and seconds[i] / all or 0
      step.flops_per_second = took > 0 and step.flops / took or 0
      step.of_peak = took > 0 and math.max(step.flops_per_second / peaks.flops, step.bytes / took / peaks.bytes) or 0
    end
    return steps
  end

  return profile, explain
end
