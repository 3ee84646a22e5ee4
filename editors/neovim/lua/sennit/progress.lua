--- What a task is doing and what it used, in few words. Pure.
local plain = require('sennit.plain')

local M = {}

--- Shorter pauses are part of any work.
local QUIET_MS = 5000

---@param ms number
---@return string
function M.duration(ms)
  local seconds = math.floor(ms / 1000 + 0.5)
  if seconds < 120 then
    return ('%d s'):format(seconds)
  end
  local minutes = math.floor(seconds / 60)
  if minutes < 120 then
    return ('%d min'):format(minutes)
  end
  return ('%d h %d min'):format(math.floor(minutes / 60), minutes % 60)
end

---@param number number
---@return string
local function short(number)
  if number < 1000 then
    return ('%d'):format(number)
  end
  return number < 1000000 and ('%.1fk'):format(number / 1000) or ('%.1fM'):format(number / 1000000)
end

--- Tokens and money, as far as they are told.
---@param usage? sennit.Usage
---@return string[]
function M.usage(usage)
  if not usage then
    return {}
  end
  local least = usage.known == 'lowerBound' and 'at least ' or ''
  local tokens
  for _, key in ipairs({ 'input', 'output', 'cachedRead', 'cachedWrite' }) do
    tokens = usage[key] and (tokens or 0) + usage[key] or tokens
  end
  local parts = {}
  if tokens then
    parts[#parts + 1] = ('%s%s tokens'):format(least, short(tokens))
  end
  if usage.cost then
    parts[#parts + 1] = ('%s%.2f %s'):format(least, usage.cost, usage.currency or 'of its currency')
  end
  return parts
end

---@param progress sennit.Progress
---@return string
function M.words(progress)
  local parts = { M.duration(progress.elapsedMs or 0) }
  if (progress.idleMs or 0) >= QUIET_MS or progress.phase == 'silent' then
    parts[#parts + 1] = 'silent for ' .. M.duration(progress.idleMs or 0)
  elseif progress.phase ~= 'running' then
    parts[#parts + 1] = progress.phase
  end
  vim.list_extend(parts, M.usage(progress.usage))
  local doing = plain.line(progress.lastLine, 80)
  local is_tool = progress.lastTool ~= nil and progress.lastTool == progress.lastLine
  if is_tool and (progress.tools or 0) > 1 then
    doing = ('%s (tool %d)'):format(doing, progress.tools)
  end
  if doing ~= '' then
    parts[#parts + 1] = doing
  end
  return table.concat(parts, ', ')
end

return M
