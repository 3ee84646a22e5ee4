--- Where the lines of a base are in the live text. Pure: positions in, positions out.
local M = {}

--- Differences of two lists of lines as `vim.diff` gives them: start and count on both sides.
---@param old string[]
---@param new string[]
---@return integer[][]
function M.differences(old, new)
  local diff = (vim.text and vim.text.diff) or vim.diff
  local joined = function(lines)
    return #lines == 0 and '' or table.concat(lines, '\n') .. '\n'
  end
  return diff(joined(old), joined(new), { result_type = 'indices' }) --[[@as integer[][] ]]
end

--- Line `line` (from 0) of the old text in the new one; within a difference its beginning.
---@param differences integer[][]
---@param line integer
---@return integer moved
---@return boolean gone Whether the line is not there any more.
function M.moved(differences, line)
  local shift = 0
  for _, one in ipairs(differences) do
    local start, count, new_start, new_count = unpack(one)
    -- A pure insertion names the line before it.
    local first = count == 0 and start or start - 1
    local new_first = new_count == 0 and new_start or new_start - 1
    if line < first then
      break
    elseif line < first + count then
      local last = new_first + math.max(new_count - 1, 0)
      return math.min(new_first + (line - first), last), new_count == 0
    end
    shift = (new_first + new_count) - (first + count)
  end
  return line + shift, false
end

--- Where hunks are in the live text: first line and number of lines, from 0.
---@param base string[]
---@param live string[]
---@param ranges sennit.LineRange[]
---@return { first: integer, last: integer }[] Last is exclusive.
function M.place(base, live, ranges)
  local differences = M.differences(base, live)
  return vim.tbl_map(function(range)
    local first = M.moved(differences, range.start)
    local last = first
    if range.count > 0 then
      local moved, gone = M.moved(differences, range.start + range.count - 1)
      last = gone and moved or moved + 1
    end
    first = math.min(first, #live)
    return { first = first, last = math.max(first, math.min(last, #live)) }
  end, ranges)
end

return M
