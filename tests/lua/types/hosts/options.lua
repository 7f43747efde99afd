---@meta mp.options
-- What mpv gives its scripts.
local options = {}

---@param values table
---@param name? string
function options.read_options(values, name) end

return options
