--- Puts a text into a loaded buffer by changing only the lines that differ, as one step of undo.
local documents = require('sennit.documents')

local M = {}

local MOST_HUNKS = 500

--- The lines that a buffer holds for a text, and whether a line ending ends it.
---@param text string
---@param ending string
---@return string[] lines
---@return boolean ends
function M.lines(text, ending)
  local ends = text:sub(-#ending) == ending
  if ends then
    text = text:sub(1, -#ending - 1)
  end
  local lines = vim.split(text, ending, { plain = true })
  for index, line in ipairs(lines) do
    if line:find('\0', 1, true) then
      lines[index] = line:gsub('%z', '\n')
    end
  end
  return lines, ends
end

---@param old string[]
---@param new string[]
---@return integer[][] hunks
local function differences(old, new)
  local diff = (vim.text and vim.text.diff) or vim.diff
  -- A line feed within a line stands for a NUL; any other character does for comparing.
  local joined = function(lines)
    return (table.concat(lines, '\1'):gsub('\n', '\2'):gsub('\1', '\n')) .. '\n'
  end
  return diff(joined(old), joined(new), { result_type = 'indices' }) --[[@as integer[][] ]]
end

---@param bufnr integer
---@param old string[]
---@param new string[]
local function set_lines(bufnr, old, new)
  local hunks = differences(old, new)
  if #hunks == 0 then
    return
  end
  if #hunks > MOST_HUNKS then
    -- Each change of lines is told to every client; one range is told once.
    local first, last = hunks[1], hunks[#hunks]
    local a = first[2] == 0 and first[1] + 1 or first[1]
    local b = first[4] == 0 and first[3] + 1 or first[3]
    local a_last = last[2] == 0 and last[1] or last[1] + last[2] - 1
    local b_last = last[4] == 0 and last[3] or last[3] + last[4] - 1
    hunks = { { a, a_last - a + 1, b, b_last - b + 1 } }
  end
  for index = #hunks, 1, -1 do
    local a, count, b, added = unpack(hunks[index])
    local from = count == 0 and a or a - 1
    local lines = added == 0 and {} or vim.list_slice(new, b, b + added - 1)
    vim.api.nvim_buf_set_lines(bufnr, from, from + count, true, lines)
  end
end

---@param bufnr integer
---@param ends boolean
local function set_end(bufnr, ends)
  if vim.bo[bufnr].endofline ~= ends then
    vim.bo[bufnr].endofline = ends
  end
  if not ends then
    -- Else writing would add what the text does not have.
    vim.bo[bufnr].fixendofline = false
  end
end

--- Begins a new step of undo, so that what was typed before stays one of its own.
---@param bufnr integer
local function close_undo_block(bufnr)
  vim.bo[bufnr].undolevels = vim.bo[bufnr].undolevels
end

---@param bufnr integer
---@param text string
---@return string? problem
function M.set(bufnr, text)
  local ending = documents.endings[vim.bo[bufnr].fileformat]
  local lines, ends = M.lines(text, ending)
  if text == '' then
    lines, ends = {}, true
  end
  close_undo_block(bufnr)
  if #lines == 0 then
    vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, {})
  else
    set_lines(bufnr, vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), lines)
  end
  set_end(bufnr, ends)
  close_undo_block(bufnr)
  for _, client in ipairs(vim.lsp.get_clients({ name = 'sennit', bufnr = bufnr })) do
    -- The final newline changes without a change of lines.
    documents.resend(client, bufnr)
  end
  if documents.text(bufnr) ~= text then
    return 'the buffer cannot hold the new text: its line endings are of another kind'
  end
  return nil
end

--- The `changedtick` that our last edit has left, where nothing else was unsaved.
---@type table<integer, integer>
local left = {}

--- Whether what is unsaved in a buffer is the text of an edit of ours and nothing else.
---@param bufnr integer
---@return boolean
function M.is_ours(bufnr)
  return left[bufnr] == vim.api.nvim_buf_get_changedtick(bufnr)
end

--- Notes that a text is ours.
---@param bufnr integer
function M.own(bufnr)
  left[bufnr] = vim.api.nvim_buf_get_changedtick(bufnr)
end

---@class sennit.BufferState
---@field ours boolean
---@field sequence integer
---@field endofline boolean
---@field fixendofline boolean
---@field modified boolean
---@field text string

---@param bufnr integer
---@return sennit.BufferState
function M.remember(bufnr)
  return {
    ours = M.is_ours(bufnr),
    sequence = vim.fn.undotree(bufnr).seq_cur,
    endofline = vim.bo[bufnr].endofline,
    fixendofline = vim.bo[bufnr].fixendofline,
    modified = vim.bo[bufnr].modified,
    text = documents.text(bufnr),
  }
end

--- Brings a buffer back by its own undo; where that gives another text, by setting the text.
---@param bufnr integer
---@param was sennit.BufferState
---@return string? problem
function M.restore(bufnr, was)
  vim.api.nvim_buf_call(bufnr, function()
    pcall(vim.cmd, 'silent! undo ' .. was.sequence)
  end)
  vim.bo[bufnr].endofline = was.endofline
  local problem
  if documents.text(bufnr) ~= was.text then
    problem = M.set(bufnr, was.text)
  else
    for _, client in ipairs(vim.lsp.get_clients({ name = 'sennit', bufnr = bufnr })) do
      documents.resend(client, bufnr)
    end
  end
  vim.bo[bufnr].fixendofline = was.fixendofline
  vim.bo[bufnr].modified = was.modified
  if was.ours then
    M.own(bufnr)
  end
  return problem
end

return M
