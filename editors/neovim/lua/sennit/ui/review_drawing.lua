--- What a review shows: the lines of its panel, the marks in both texts, the quickfix list.
local document = require('sennit.ui.document')
local marks = require('sennit.ui.marks')
local outline = require('sennit.review.outline')
local quickfix = require('sennit.ui.quickfix')
local units = require('sennit.review.units')

local M = {}

local HIGHLIGHTS = vim.api.nvim_create_namespace('sennit.panel')

---@param review sennit.ReviewTab
local function render_panel(review)
  review.lines = outline.lines(review.session)
  local text = vim.tbl_map(function(line)
    return line.text
  end, review.lines)
  document.fill(review.panel, text)
  vim.api.nvim_buf_clear_namespace(review.panel, HIGHLIGHTS, 0, -1)
  for index, line in ipairs(review.lines) do
    if line.group then
      vim.api.nvim_buf_set_extmark(review.panel, HIGHLIGHTS, index - 1, 0, {
        end_row = index,
        hl_group = line.group,
        strict = false,
      })
    end
  end
end

---@param bufnr integer
---@return string[]
local function lines_of(bufnr)
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  return #lines == 1 and lines[1] == '' and {} or lines
end

--- Puts the marks of the shown file where its hunks are now.
---@param review sennit.ReviewTab
local function render_marks(review)
  local shown = review.session:shown_units()
  local live, proposed = review.live_buffer, review.proposed_buffer
  if
    not (live and vim.api.nvim_buf_is_loaded(live))
    or not (proposed and vim.api.nvim_buf_is_loaded(proposed))
  then
    return
  end
  local places = marks.places(review.base, lines_of(live), shown)
  review.live = marks.set(live, shown, places, review.session.conflicts)
  local after = vim.tbl_map(function(unit)
    local range = unit.view.after or { start = 0, count = 0 }
    return { first = range.start, last = range.start + range.count }
  end, shown)
  review.proposed = marks.set(proposed, shown, after, review.session.conflicts)
end

---@param review sennit.ReviewTab
local function render_quickfix(review)
  local all = {}
  for _, proposal in ipairs(review.session.proposals) do
    vim.list_extend(all, units.of(proposal))
  end
  review.quickfix = quickfix.show(review.session.title, all, function(unit)
    local shown = review.session.shown
    local is_shown = shown
      and shown.uri == unit.file.uri
      and shown.proposal == unit.proposal.summary.id
    local row = is_shown and review.live and marks.row(review.live, unit.id)
    return row or (unit.view.before and unit.view.before.start or 0)
  end, review.quickfix)
end

--- Shows decisions and places as they are.
---@param review sennit.ReviewTab
function M.all(review)
  render_panel(review)
  if review.session.shown then
    render_marks(review)
  end
  render_quickfix(review)
end

---@param review sennit.ReviewTab
function M.forget_marks(review)
  marks.clear_all()
  review.live, review.proposed = nil, nil
end

return M
