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

--- A message without the first of its problems, and what follows, which are listed below it.
---@param message string
---@param first table
---@return string
local function headline(message, first)
  local where = (first.path or '') ~= '' and first.path .. ': ' or ''
  local told = message:find(where .. (first.message or ''), 1, true)
  return told and vim.trim(message:sub(1, told - 1)) or message
end

--- An error of the server in words, with every problem that it lists.
---@param problem sennit.Error
---@param place? fun(path: string): string The words for where a problem is; else its path.
---@return string
function M.describe(problem, place)
  local data = problem.data
  local problems = type(data) == 'table' and type(data.problems) == 'table' and data.problems or {}
  local parts = { problems[1] and headline(problem.message, problems[1]) or problem.message }
  for _, one in ipairs(problems) do
    local where = one.path or ''
    where = where ~= '' and (place and place(where) or where) .. ': ' or ''
    local valid = one.valid
        and #one.valid > 0
        and ' (valid: ' .. table.concat(one.valid, ', ') .. ')'
      or ''
    parts[#parts + 1] = ('%s%s%s'):format(where, one.message or '', valid)
  end
  return table.concat(parts, '\n  ')
end

---@param what string What was tried.
---@param problem sennit.Error
function M.failed(what, problem)
  M.error(what .. ': ' .. M.describe(problem))
end

return M
