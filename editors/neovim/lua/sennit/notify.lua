--- Messages to the person: always `vim.notify`, always in the log too.
local log = require('sennit.log')

local M = {}

---@param message string
---@param level integer
local function tell(message, level)
  log.write('plugin', message)
  local show = function()
    vim.notify('Sennit: ' .. message, level, { title = 'Sennit' })
  end
  if vim.in_fast_event() then
    vim.schedule(show)
  else
    show()
  end
end

---@param message string
function M.info(message)
  tell(message, vim.log.levels.INFO)
end

---@param message string
function M.warn(message)
  tell(message, vim.log.levels.WARN)
end

---@param message string
function M.error(message)
  tell(message, vim.log.levels.ERROR)
end

--- An error of the server in words, with every problem that it lists.
---@param problem sennit.Error
---@return string
function M.describe(problem)
  local parts = { problem.message }
  local data = problem.data
  if type(data) == 'table' and type(data.problems) == 'table' then
    for _, one in ipairs(data.problems) do
      local valid = one.valid and #one.valid > 0 and ' (' .. table.concat(one.valid, ', ') .. ')'
        or ''
      parts[#parts + 1] = ('%s %s%s'):format(one.path or '', one.message or '', valid)
    end
  end
  return table.concat(parts, '\n  ')
end

---@param what string What was tried.
---@param problem sennit.Error
function M.failed(what, problem)
  M.error(what .. ': ' .. M.describe(problem))
end

return M
