--- Words that were probably meant. Pure.
local M = {}

--- How many letters have to be changed, put in, left out or swapped with the next to get from a word to another.
---@param one string
---@param other string
---@return integer
function M.distance(one, other)
  local before, last = {}, {}
  for column = 0, #other do
    last[column] = column
  end
  for row = 1, #one do
    local now = { [0] = row }
    for column = 1, #other do
      local a, b = one:sub(row, row), other:sub(column, column)
      now[column] =
        math.min(last[column] + 1, now[column - 1] + 1, last[column - 1] + (a == b and 0 or 1))
      local is_swapped = row > 1
        and column > 1
        and a == other:sub(column - 1, column - 1)
        and b == one:sub(row - 1, row - 1)
      if is_swapped then
        now[column] = math.min(now[column], before[column - 2] + 1)
      end
    end
    before, last = last, now
  end
  return last[#other]
end

--- The nearest of some words, and how far it is; of several that are as near the first.
---@param word string
---@param words string[]
---@return string nearest
---@return integer distance
function M.nearest(word, words)
  local nearest, least
  for _, other in ipairs(words) do
    local distance = M.distance(word:lower(), other)
    if not least or distance < least then
      nearest, least = other, distance
    end
  end
  return nearest, least
end

return M
