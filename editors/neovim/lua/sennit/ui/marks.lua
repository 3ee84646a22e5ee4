--- Hunks in the live text and in the proposed one, anchored by extmarks, which follow the typing.
local anchors = require('sennit.review.anchors')
local units = require('sennit.review.units')

local M = {}

M.namespace = vim.api.nvim_create_namespace('sennit.review')

---@type table<sennit.Decision, string>
local GROUPS = { accepted = 'Added', rejected = 'Removed', undecided = 'Changed' }

---@class sennit.Marks
---@field bufnr integer
---@field ids table<string, integer> Extmark of each unit.

---@param bufnr integer
---@param unit sennit.Unit
---@param place { first: integer, last: integer }
---@param trouble? string
---@return integer
local function set_mark(bufnr, unit, place, trouble)
  local count = vim.api.nvim_buf_line_count(bufnr)
  local row = math.max(0, math.min(place.first, count - 1))
  local group = trouble and 'DiagnosticError' or GROUPS[unit.view.decision]
  local words = trouble and 'conflict' or unit.view.decision
  return vim.api.nvim_buf_set_extmark(bufnr, M.namespace, row, 0, {
    end_row = math.max(row, math.min(place.last, count) - 1),
    end_col = 0,
    strict = false,
    sign_text = trouble and '!!' or units.MARKS[unit.view.decision]:sub(2, 2) .. '▎',
    sign_hl_group = group,
    virt_text = { { ('  %s %s'):format(units.MARKS[unit.view.decision], words), group } },
    virt_text_pos = 'eol',
  })
end

---@param bufnr integer
function M.clear(bufnr)
  if vim.api.nvim_buf_is_valid(bufnr) then
    vim.api.nvim_buf_clear_namespace(bufnr, M.namespace, 0, -1)
  end
end

--- Leaves no mark in any buffer.
function M.clear_all()
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    M.clear(bufnr)
  end
end

---@param bufnr integer
---@param shown sennit.Unit[]
---@param places { first: integer, last: integer }[]
---@param conflicts table<string, string>
---@return sennit.Marks
function M.set(bufnr, shown, places, conflicts)
  M.clear(bufnr)
  local marks = { bufnr = bufnr, ids = {} }
  for index, unit in ipairs(shown) do
    local trouble = conflicts[unit.id] or unit.view.conflict
    marks.ids[unit.id] = set_mark(bufnr, unit, places[index], trouble)
  end
  return marks
end

--- Where units are in the live text.
---@param base string[]
---@param live string[]
---@param shown sennit.Unit[]
---@return { first: integer, last: integer }[]
function M.places(base, live, shown)
  local ranges = vim.tbl_map(function(unit)
    return unit.view.before or { start = 0, count = 0 }
  end, shown)
  return anchors.place(base, live, ranges)
end

--- The row of a unit's mark now, from 0.
---@param marks sennit.Marks
---@param unit string
---@return integer?
function M.row(marks, unit)
  local id = marks.ids[unit]
  if not id or not vim.api.nvim_buf_is_valid(marks.bufnr) then
    return nil
  end
  return vim.api.nvim_buf_get_extmark_by_id(marks.bufnr, M.namespace, id, {})[1]
end

--- The unit whose hunk covers a row.
---@param marks sennit.Marks
---@param shown sennit.Unit[]
---@param row integer
---@return sennit.Unit?
function M.on(marks, shown, row)
  for _, unit in ipairs(shown) do
    local id = marks.ids[unit.id]
    local mark = id
      and vim.api.nvim_buf_get_extmark_by_id(marks.bufnr, M.namespace, id, { details = true })
    if mark and mark[1] and mark[1] <= row and row <= math.max(mark[1], mark[3].end_row or 0) then
      return unit
    end
  end
  return nil
end

--- The unit at a row, else the nearest one above, else the first.
---@param marks sennit.Marks
---@param shown sennit.Unit[]
---@param row integer
---@return sennit.Unit?
function M.at(marks, shown, row)
  local best, best_row
  for _, unit in ipairs(shown) do
    local at = M.row(marks, unit.id)
    if at and at <= row and (not best_row or at > best_row) then
      best, best_row = unit, at
    end
  end
  return best or shown[1]
end

return M
