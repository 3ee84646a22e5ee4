--- The review tab: the file panel, the live buffer, and the proposed text in diff mode beside it.
local async = require('sennit.async')
local document = require('sennit.ui.document')
local events = require('sennit.events')
local keys = require('sennit.ui.keys')
local layout = require('sennit.ui.layout')
local marks = require('sennit.ui.marks')
local outline = require('sennit.review.outline')
local paths = require('sennit.paths')
local plain = require('sennit.plain')
local quickfix = require('sennit.ui.quickfix')
local units = require('sennit.review.units')

local M = {}

---@class sennit.ReviewTab
---@field session sennit.Session
---@field tab integer
---@field panel integer
---@field panel_window integer
---@field live_window integer
---@field proposed_window integer
---@field lines sennit.OutlineLine[]
---@field keys sennit.Keys[]
---@field live? sennit.Marks
---@field proposed? sennit.Marks
---@field base string[]
---@field loaded table<integer, boolean> Buffers that were not loaded before.
---@field quickfix? sennit.Quickfix
---@field stop fun()
---@field due boolean
---@field shown_in table<integer, table<integer, table<string, any>>> Options by window and buffer.
---@field live_buffer? integer The user's file that is shown.
---@field proposed_buffer? integer

---@type sennit.ReviewTab?
local open

--- The review that is open.
---@return sennit.ReviewTab?
function M.get()
  return open
end

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

--- Shows decisions and places as they are now.
function M.render()
  if not open then
    return
  end
  render_panel(open)
  if open.session.shown then
    render_marks(open)
  end
  render_quickfix(open)
end

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
  layout.show(review, review.proposed_window, proposed, from)
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

---@param review sennit.ReviewTab
local function forget_marks(review)
  marks.clear_all()
  review.live, review.proposed = nil, nil
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
---@param proposal string
---@param uri string
---@return boolean
function M.show_file(proposal, uri)
  local review = open
  local server = review and review.session:server()
  if not review or not server then
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
  if open ~= review then
    return false
  end
  forget_marks(review)
  review.base = base
  local live = live_buffer(review, file)
  review.live_buffer, review.proposed_buffer = live, proposed
  show_buffers(review)
  add_keys(review, live)
  add_keys(review, proposed)
  M.render()
  return true
end

---@param review sennit.ReviewTab
---@param row integer From 1.
---@return sennit.OutlineNode
local function node_at(review, row)
  local line = review.lines[row]
  return line and line.node or {}
end

--- What the cursor of the panel is on.
---@return sennit.OutlineNode
function M.panel_node()
  local review = assert(open)
  return node_at(review, vim.api.nvim_win_get_cursor(review.panel_window)[1])
end

--- Opens what is under the cursor of the panel.
function M.open_node()
  local node = M.panel_node()
  if node.conflict and node.proposal then
    require('sennit.ui.conflict').open(node.conflict, node.proposal)
  elseif node.uri and node.proposal then
    async.run(function()
      if M.show_file(node.proposal, node.uri) and node.unit then
        M.go_to(node.unit)
      end
    end)
  end
end

--- Puts the cursor of the live window on a unit.
---@param unit string
function M.go_to(unit)
  local review = assert(open)
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

---@param review sennit.ReviewTab
---@return sennit.Unit?
local function unit_of_panel(review)
  local wanted = M.panel_node().unit
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
---@return boolean
function M.is_here()
  local review = assert(open)
  return vim.api.nvim_get_current_win() == review.panel_window or marks_here(review) ~= nil
end

--- The unit that the cursor is on.
---@return sennit.Unit?
function M.unit_here()
  local review = assert(open)
  if vim.api.nvim_get_current_win() == review.panel_window then
    return unit_of_panel(review)
  end
  local here = marks_here(review)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  return here and marks.on(here, review.session:shown_units(), row)
end

--- The unit that the cursor is on or comes after: where the next one is looked for.
---@return sennit.Unit?
function M.unit_near()
  local review = assert(open)
  if vim.api.nvim_get_current_win() == review.panel_window then
    return unit_of_panel(review)
  end
  local here = marks_here(review)
  local window = here and 0 or review.live_window
  here = here or review.live
  local row = vim.api.nvim_win_get_cursor(window)[1] - 1
  return here and marks.at(here, review.session:shown_units(), row)
end

---@param review sennit.ReviewTab
local function panel_keys(review)
  local map = function(lhs, action, what)
    vim.keymap.set(
      'n',
      lhs,
      action,
      { buffer = review.panel, nowait = true, desc = 'Sennit: ' .. what }
    )
  end
  map('<CR>', M.open_node, 'show')
  map('<2-LeftMouse>', M.open_node, 'show')
  for lhs, words in pairs({
    a = 'accept hunk',
    A = 'accept file',
    r = 'reject hunk',
    R = 'reject file',
    u = 'reset hunk',
    c = 'resolve',
    p = 'apply',
    q = 'close',
  }) do
    map(lhs, ('<Cmd>Sennit %s<CR>'):format(words), words)
  end
  map('g?', '<Cmd>help sennit-review<CR>', 'help')
end

--- Shows the file of a buffer that the user has gone to, where it is one of the review.
---@param review sennit.ReviewTab
---@param bufnr integer
local function follow_buffer(review, bufnr)
  local _, current = review.session:current()
  local all = vim.list_extend({ current }, review.session.proposals)
  for _, proposal in ipairs(all) do
    for _, file in ipairs(proposal.files or {}) do
      local path = paths.of_uri(file.oldUri or file.uri)
      if path and paths.buffer(path) == bufnr then
        vim.schedule(function()
          async.run(function()
            if open == review and vim.api.nvim_win_get_buf(review.live_window) == bufnr then
              M.show_file(proposal.summary.id, file.uri)
            end
          end)
        end)
        return
      end
    end
  end
end

---@param review sennit.ReviewTab
local function follow(review)
  local ids = {}
  for _, proposal in ipairs(review.session.proposals) do
    ids[proposal.summary.id] = true
  end
  local stop = events.on({ 'ProposalChanged' }, function(_, data)
    if not ids[data.proposal.id] or review.due then
      return
    end
    review.due = true
    vim.defer_fn(function()
      review.due = false
      async.run(function()
        if open == review then
          review.session:reload()
          M.render()
        end
      end)
    end, 100)
  end)
  local closed = vim.api.nvim_create_autocmd('WinClosed', {
    callback = function(event)
      local window = tonumber(event.match)
      if
        window == review.live_window
        or window == review.proposed_window
        or window == review.panel_window
      then
        M.close()
      end
    end,
  })
  local entered = vim.api.nvim_create_autocmd('BufEnter', {
    callback = function(event)
      local is_live = vim.api.nvim_get_current_win() == review.live_window
      if is_live and event.buf ~= review.live_buffer then
        follow_buffer(review, event.buf)
      end
    end,
  })
  review.stop = function()
    stop()
    pcall(vim.api.nvim_del_autocmd, closed)
    pcall(vim.api.nvim_del_autocmd, entered)
  end
end

---@param session sennit.Session
---@return string? proposal
---@return string? uri
---@return string? unit
local function first_file(session)
  for _, proposal in ipairs(session.proposals) do
    local file = (proposal.files or {})[1]
    if file then
      local unit = (file.units or {})[1]
      return proposal.summary.id, file.uri, unit and unit.id
    end
  end
  return nil
end

--- Opens the tab of a review; under `async.run`.
---@param session sennit.Session
function M.open(session)
  M.close()
  local review = layout.make_tab(session.title)
  review.session = session
  vim.t[review.tab].sennit_root = session.client.root_dir
  open = review
  panel_keys(review)
  follow(review)
  M.render()
  local proposal, uri, unit = first_file(session)
  if proposal and uri and M.show_file(proposal, uri) and unit then
    M.go_to(unit)
  end
  events.emit('ReviewOpened', { title = session.title })
end

--- Ends the review and leaves everything as it was before.
function M.close()
  local review = open
  if not review then
    return
  end
  open = nil
  review.stop()
  layout.leave_diff_mode(review)
  forget_marks(review)
  for _, one in ipairs(review.keys) do
    keys.restore(one)
  end
  if review.quickfix then
    quickfix.restore(review.quickfix)
  end
  -- Windows cannot be closed while one of them is closing.
  vim.schedule(function()
    if vim.api.nvim_tabpage_is_valid(review.tab) then
      if #vim.api.nvim_list_tabpages() == 1 then
        vim.cmd('tabnew')
      end
      vim.cmd(('%dtabclose'):format(vim.api.nvim_tabpage_get_number(review.tab)))
    end
    if open then
      -- The next review may be loading the same texts; it drops them when it ends.
      open.loaded = vim.tbl_extend('force', review.loaded, open.loaded)
    else
      layout.drop_buffers(review)
    end
    events.emit('ReviewClosed', { title = review.session.title })
  end)
end

return M
