--- What the cursor of a review is on: a line of the panel, a hunk of a text.
local marks = require('sennit.ui.marks')
local units = require('sennit.review.units')

local M = {}

---@param review sennit.ReviewTab
---@return boolean
function M.in_panel(review)
  return vim.api.nvim_get_current_win() == review.panel_window
end

--- What the cursor of the panel is on.
---@param review sennit.ReviewTab
---@return sennit.OutlineNode
function M.node(review)
  local row = vim.api.nvim_win_get_cursor(review.panel_window)[1]
  local line = review.lines[row]
  return line and line.node or {}
end

---@param review sennit.ReviewTab
---@return sennit.Unit?
local function unit_of_panel(review)
  local wanted = M.node(review).unit
  for _, proposal in ipairs(review.session.proposals) do
    for _, unit in ipairs(units.of(proposal)) do
      if unit.id == wanted then
        return unit
      end
    end
  end
  return nil
end

--- The marks of the file that the current window shows; nil where it shows another.
---@param review sennit.ReviewTab
---@return sennit.Marks?
local function marks_here(review)
  local window = vim.api.nvim_get_current_win()
  local here = window == review.live_window and review.live
    or window == review.proposed_window and review.proposed
  return here and here.bufnr == vim.api.nvim_win_get_buf(window) and here or nil
end

--- Whether the user is in the panel or in a window that shows a file of the review.
---@param review sennit.ReviewTab
---@return boolean
function M.is_here(review)
  return M.in_panel(review) or marks_here(review) ~= nil
end

--- The unit that the cursor is on.
---@param review sennit.ReviewTab
---@return sennit.Unit?
function M.unit(review)
  if M.in_panel(review) then
    return unit_of_panel(review)
  end
  local here = marks_here(review)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  return here and marks.on(here, review.session:shown_units(), row)
end

--- The unit that the cursor is on or comes after: where the next one is looked for.
---@param review sennit.ReviewTab
---@return sennit.Unit?
function M.unit_near(review)
  if M.in_panel(review) then
    return unit_of_panel(review)
  end
  local here = marks_here(review)
  local window = here and 0 or review.live_window
  here = here or review.live
  local row = vim.api.nvim_win_get_cursor(window)[1] - 1
  return here and marks.at(here, review.session:shown_units(), row)
end

return M
