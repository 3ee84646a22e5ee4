--- The file of a review that its windows show, and the way to one of its hunks.
local document = require('sennit.ui.document')
local drawing = require('sennit.ui.review_drawing')
local keys = require('sennit.ui.keys')
local layout = require('sennit.ui.layout')
local marks = require('sennit.ui.marks')
local paths = require('sennit.paths')
local plain = require('sennit.plain')

local M = {}

--- Puts the shown file into the windows, as it is now.
---@param review sennit.ReviewTab
local function show_buffers(review)
  local file, proposal = review.session:current()
  local live, proposed = review.live_buffer, review.proposed_buffer
  if not file or not proposal or not live or not proposed then
    return
  end
  local yours = '%<' .. plain.bar(file.path) .. '  yours%=%m'
  layout.show(review, review.live_window, live, yours)
  local number = proposal.summary.number or 1
  local revision = number > 1 and (', revision %d'):format(number) or ''
  local from = ('proposed by %s%s'):format(plain.bar(proposal.summary.task), revision)
  local name = '%<' .. plain.bar(file.path) .. '  proposed'
  layout.show(review, review.proposed_window, proposed, from, name)
end

--- The buffer of the user's file, loaded; an empty text where there is none.
---@param review sennit.ReviewTab
---@param file sennit.FileView
---@return integer
local function live_buffer(review, file)
  local path = paths.of_uri(file.oldUri or file.uri)
  local known = path and paths.buffer(path)
  if known then
    return known
  end
  if not path or not vim.uv.fs_stat(path) or file.binary then
    return document.absent()
  end
  local bufnr = vim.fn.bufadd(path)
  vim.fn.bufload(bufnr)
  review.loaded[bufnr] = true
  return bufnr
end

---@param review sennit.ReviewTab
---@param bufnr integer
local function add_keys(review, bufnr)
  for _, one in ipairs(review.keys) do
    if one.bufnr == bufnr then
      return
    end
  end
  table.insert(review.keys, keys.set(bufnr))
end

---@param server vim.lsp.Client
---@param uri? string
---@return string[]
local function base_lines(server, uri)
  if not uri then
    return {}
  end
  local result = require('sennit.requests').ask(server, 'sennit/content', { uri = uri })
  return result and (document.split(result.text)) or {}
end

--- Shows a file of a proposal; under `async.run`.
---@param review sennit.ReviewTab
---@param proposal string
---@param uri string
---@return boolean shown False where the review has no such file, or has ended meanwhile.
function M.show(review, proposal, uri)
  local server = review.session:server()
  if not server or review.is_over then
    return false
  end
  review.session.shown = { proposal = proposal, uri = uri }
  local file = review.session:current()
  if not file then
    review.session.shown = nil
    return false
  end
  local base = base_lines(server, file.baseUri)
  local proposed = file.proposedUri and document.buffer(file.proposedUri) or document.absent()
  if review.is_over then
    return false
  end
  drawing.forget_marks(review)
  review.base = base
  local live = live_buffer(review, file)
  review.live_buffer, review.proposed_buffer = live, proposed
  show_buffers(review)
  add_keys(review, live)
  add_keys(review, proposed)
  drawing.all(review)
  return true
end

--- Puts the cursor of the live window on a unit.
---@param review sennit.ReviewTab
---@param unit string
function M.go_to(review, unit)
  local row = review.live and marks.row(review.live, unit)
  if row then
    if vim.api.nvim_win_get_buf(review.live_window) ~= review.live_buffer then
      show_buffers(review)
    end
    vim.api.nvim_set_current_win(review.live_window)
    vim.api.nvim_win_set_cursor(review.live_window, { row + 1, 0 })
    vim.cmd('normal! zv')
  end
end

return M
