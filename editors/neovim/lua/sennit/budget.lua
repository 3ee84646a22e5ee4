--- What a run may use up, as a person writes it: `20 turns, 200k tokens, 1.50 cost, 10 min`. Pure.
local M = {}

---@type table<string, { [1]: string, [2]: number }>
local UNITS = {
  turn = { 'turns', 1 },
  turns = { 'turns', 1 },
  token = { 'tokens', 1 },
  tokens = { 'tokens', 1 },
  cost = { 'cost', 1 },
  s = { 'timeMs', 1000 },
  min = { 'timeMs', 60000 },
  h = { 'timeMs', 3600000 },
}
local SIZES = { [''] = 1, k = 1000, M = 1000000 }

---@param part string
---@return string? key
---@return number? value
local function read_part(part)
  local number, size, word = part:match('^(%d+%.?%d*)([kM]?)%s*(%l+)$')
  local unit = word and UNITS[word]
  if not unit then
    return nil
  end
  -- Rounded, since 1.1k is not exactly 1100 as a number of the machine.
  local value = tonumber(('%.6f'):format(tonumber(number) * SIZES[size] * unit[2]))
  local is_whole = unit[1] == 'cost' or value % 1 == 0
  return value > 0 and is_whole and unit[1] or nil, value
end

--- Reads a budget.
---@param text string
---@return sennit.Budget? budget
---@return string? problem
function M.read(text)
  local found = {}
  for _, part in ipairs(vim.split(text, ',', { trimempty = true })) do
    part = vim.trim(part)
    local key, value = read_part(part)
    if not key then
      return nil,
        ('`%s` is no part of a budget; write such as: 20 turns, 200k tokens, 1.50 cost, 10 min'):format(
          part
        )
    end
    found[key] = value
  end
  return found
end

--- Reads a time, in milliseconds.
---@param text string
---@return number? ms
---@return string? problem
function M.read_time(text)
  local key, value = read_part(vim.trim(text))
  if key ~= 'timeMs' then
    return nil, ('`%s` is no time; write such as: 90 s, 10 min, 2 h'):format(text)
  end
  return value
end

--- Writes a time that `read_time` reads as the same.
---@param ms number
---@return string
function M.write_time(ms)
  return ('%s s'):format(ms / 1000)
end

--- Writes a budget that `read` reads as the same.
---@param budget sennit.Budget
---@return string
function M.write(budget)
  local parts = {}
  for _, one in ipairs({ { 'turns', 'turns' }, { 'tokens', 'tokens' }, { 'cost', 'cost' } }) do
    if budget[one[1]] then
      parts[#parts + 1] = ('%s %s'):format(budget[one[1]], one[2])
    end
  end
  if budget.timeMs then
    parts[#parts + 1] = M.write_time(budget.timeMs)
  end
  return table.concat(parts, ', ')
end

return M
