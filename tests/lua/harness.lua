--- A small test runner: named tests, checks that say what they saw, skips that say why.
local harness = { passed = 0, failed = 0, skipped = {} }

local function show(value)
  if type(value) == "string" then return string.format("%q", value) end
  return tostring(value)
end

--- Runs one test; a failure is told and counted.
function harness.test(name, fn)
  if harness.filter and not name:find(harness.filter, 1, true) then return end
  local ok, message = xpcall(fn, function(m)
    if type(m) == "table" and m.skip then return m end
    return debug.traceback(tostring(m), 2)
  end)
  if ok then
    harness.passed = harness.passed + 1
  elseif type(message) == "table" then
    harness.skipped[#harness.skipped + 1] = name .. ": " .. message.skip
  else
    harness.failed = harness.failed + 1
    io.stderr:write("FAILED ", name, "\n", message, "\n")
  end
end

--- Ends the running test without a verdict.
function harness.skip(why) error({ skip = why }, 0) end

function harness.equal(actual, expected, what)
  if actual ~= expected then
    error((what and what .. ": " or "") .. show(actual) .. ", expected " .. show(expected), 2)
  end
end

--- Lists, or things with a length, element by element.
function harness.list(actual, expected, what)
  if actual == nil then error((what or "list") .. " is nil", 2) end
  if #actual ~= #expected then error((what or "list") .. " has " .. #actual .. " elements, expected " .. #expected, 2) end
  for i = 1, #expected do
    if actual[i] ~= expected[i] then
      error((what or "list") .. "[" .. i .. "] is " .. show(actual[i]) .. ", expected " .. show(expected[i]), 2)
    end
  end
end

function harness.ok(value, what)
  if not value then error(what or "is false", 2) end
end

function harness.matches(text, pattern)
  if type(text) ~= "string" then text = tostring(text) end
  if not text:find(pattern) then error(show(text) .. " does not match " .. show(pattern), 2) end
end

--- The call raises, and says so at a line of the test's file.
function harness.raises(pattern, fn, ...)
  local ok, message = pcall(fn, ...)
  if ok then error("nothing was raised, expected " .. show(pattern), 2) end
  if not tostring(message):find(pattern) then error(show(message) .. " does not match " .. show(pattern), 2) end
  return message
end

function harness.report()
  for _, line in ipairs(harness.skipped) do io.write("skipped ", line, "\n") end
  io.write(string.format("%d passed, %d failed, %d skipped\n", harness.passed, harness.failed, #harness.skipped))
  return harness.failed == 0 and harness.passed > 0
end

return harness
