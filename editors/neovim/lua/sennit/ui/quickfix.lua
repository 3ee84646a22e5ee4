--- The hunks of a review as a quickfix list; the list from before comes back.
local paths = require('sennit.paths')
local plain = require('sennit.plain')
local units = require('sennit.review.units')

local M = {}

---@class sennit.Quickfix
---@field id integer
---@field before integer Number of the list that was shown before; 0 for none.

---@param unit sennit.Unit
---@param row integer
---@return table<string, any>
local function item(unit, row)
  return {
    filename = paths.of_uri(unit.file.uri),
    lnum = row + 1,
    text = ('%s %s: %s'):format(
      units.MARKS[unit.view.decision],
      unit.proposal.summary.task,
      plain.line(units.label(unit.view))
    ),
    type = unit.view.conflict and 'E' or 'I',
    user_data = unit.id,
  }
end

--- Shows all hunks; `place` says where one is.
---@param title string
---@param shown sennit.Unit[]
---@param place fun(unit: sennit.Unit): integer
---@param old? sennit.Quickfix
---@return sennit.Quickfix
function M.show(title, shown, place, old)
  local items = vim.tbl_map(function(unit)
    return item(unit, place(unit))
  end, shown)
  local what = { title = 'Sennit: ' .. title, items = items }
  if old and vim.fn.getqflist({ id = old.id }).id == old.id then
    what.id = old.id
    what.idx = vim.fn.getqflist({ id = old.id, idx = 0 }).idx
    vim.fn.setqflist({}, 'r', what)
    return old
  end
  local before = vim.fn.getqflist({ nr = 0 }).nr
  vim.fn.setqflist({}, ' ', what)
  return { id = vim.fn.getqflist({ id = 0 }).id, before = before }
end

---@param list sennit.Quickfix
function M.restore(list)
  if vim.fn.getqflist({ id = 0 }).id == list.id and list.before > 0 then
    vim.cmd('silent ' .. list.before .. 'chistory')
  end
  if vim.fn.getqflist({ id = list.id }).id == list.id then
    vim.fn.setqflist({}, 'r', { id = list.id, items = {}, title = '' })
  end
end

return M
