--- Three texts merged line by line; what clashes stands there twice, between marks. Pure.
local M = {}

M.OURS, M.MIDDLE, M.THEIRS = '<<<<<<< what is there', '=======', '>>>>>>> what is proposed'

---@param text string
---@return string[] lines With their ends.
local function lines_of(text)
  local lines = {}
  for line in text:gmatch('[^\n]*\n?') do
    if line ~= '' then
      lines[#lines + 1] = line
    end
  end
  return lines
end

---@class sennit.Walk One side, from its first change to its last.
---@field changes { first: integer, last: integer, to: integer }[] In lines of the base; where each ends in the side.
---@field lines string[]
---@field index integer
---@field offset integer

---@param base string
---@param side string
---@return sennit.Walk
local function walk(base, side)
  local diff = (vim.text and vim.text.diff) or vim.diff
  local changes = {}
  for _, one in
    ipairs(diff(base, side, { result_type = 'indices' }) --[[@as integer[][] ]])
  do
    local start, count, new_start, new_count = unpack(one)
    -- A pure insertion, or deletion, names the line before it.
    local first = count == 0 and start or start - 1
    local to = (new_count == 0 and new_start or new_start - 1) + new_count
    changes[#changes + 1] = { first = first, last = first + count, to = to }
  end
  return { changes = changes, lines = lines_of(side), index = 1, offset = 0 }
end

--- Where the changes end that begin at a line of the base or before it.
---@param side sennit.Walk
---@param line integer
---@return integer
local function reach(side, line)
  local index = side.index
  while side.changes[index] and side.changes[index].first <= line do
    line = math.max(line, side.changes[index].last)
    index = index + 1
  end
  return line
end

--- The lines of a side in place of some of the base.
---@param side sennit.Walk
---@param first integer
---@param last integer
---@return string[] lines
---@return boolean changed
local function take(side, first, last)
  local from, before = first + side.offset, side.index
  while side.changes[side.index] and side.changes[side.index].first <= last do
    local change = side.changes[side.index]
    side.offset = change.to - change.last
    side.index = side.index + 1
  end
  return vim.list_slice(side.lines, from + 1, last + side.offset), side.index > before
end

---@param ours string[]
---@param theirs string[]
---@param ending string
---@return string[]
local function marked(ours, theirs, ending)
  local found = { M.OURS .. ending }
  for place, side in ipairs({ ours, theirs }) do
    for _, line in ipairs(side) do
      found[#found + 1] = vim.endswith(line, '\n') and line or line .. ending
    end
    found[#found + 1] = (place == 1 and M.MIDDLE or M.THEIRS) .. ending
  end
  return found
end

---@param walks sennit.Walk[] Ours, theirs.
---@param first integer
---@param last integer
---@param ending string
---@return string[]
local function settled(walks, first, last, ending)
  local ours, ours_changed = take(walks[1], first, last)
  local theirs, theirs_changed = take(walks[2], first, last)
  if not theirs_changed or vim.deep_equal(ours, theirs) then
    return ours
  elseif not ours_changed then
    return theirs
  end
  return marked(ours, theirs, ending)
end

--- What goes together is merged. Changes that touch each other clash, as they do for git.
---@param base string
---@param ours string
---@param theirs string
---@return string
function M.merge(base, ours, theirs)
  local walks, before = { walk(base, ours), walk(base, theirs) }, lines_of(base)
  local ending = ours:find('\r\n', 1, true) and '\r\n' or '\n'
  local merged, at = {}, 0
  while true do
    local first = math.huge
    for _, side in ipairs(walks) do
      local change = side.changes[side.index]
      first = math.min(first, change and change.first or math.huge)
    end
    vim.list_extend(merged, before, at + 1, math.min(first, #before))
    if first == math.huge then
      return table.concat(merged)
    end
    local last = first
    repeat
      local known = last
      last = math.max(reach(walks[1], last), reach(walks[2], last))
    until known == last
    vim.list_extend(merged, settled(walks, first, last, ending))
    at = last
  end
end

--- Whether one of the marks that were put into a text is left in it.
---@param lines string[]
---@return boolean
function M.has_marks(lines)
  return vim.iter(lines):any(function(line)
    return line == M.OURS or line == M.THEIRS
  end)
end

return M
