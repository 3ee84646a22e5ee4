--- The tab of a review, from its opening to its end: the file panel, the live buffer, and the proposed text beside it.
local async = require('sennit.async')
local cursor = require('sennit.ui.review_cursor')
local drawing = require('sennit.ui.review_drawing')
local events = require('sennit.events')
local files = require('sennit.ui.review_files')
local keys = require('sennit.ui.keys')
local layout = require('sennit.ui.layout')
local paths = require('sennit.paths')
local quickfix = require('sennit.ui.quickfix')

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
---@field is_over boolean It was closed; what waited for an answer has nothing to show.
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

--- Shows decisions and places as they are now.
function M.render()
  if open then
    drawing.all(open)
  end
end

--- Opens what is under the cursor of the panel.
---@param review sennit.ReviewTab
local function open_node(review)
  local node = cursor.node(review)
  if node.conflict and node.proposal then
    require('sennit.ui.conflict').open(node.conflict, node.proposal)
  elseif node.uri and node.proposal then
    async.run(function()
      if files.show(review, node.proposal, node.uri) and node.unit then
        files.go_to(review, node.unit)
      end
    end)
  end
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
  local show = function()
    open_node(review)
  end
  local details = function()
    local proposal = review.session:proposal(cursor.node(review).proposal)
    if proposal then
      vim.cmd(('Sennit details %s %s'):format(proposal.summary.ticket, proposal.summary.task))
    end
  end
  map('<CR>', show, 'show')
  map('<2-LeftMouse>', show, 'show')
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
  map('K', details, 'details of the task')
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
            if not review.is_over and vim.api.nvim_win_get_buf(review.live_window) == bufnr then
              files.show(review, proposal.summary.id, file.uri)
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
        if not review.is_over then
          review.session:reload()
        end
        if not review.is_over then
          drawing.all(review)
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
  drawing.all(review)
  local proposal, uri, unit = first_file(session)
  if proposal and uri and files.show(review, proposal, uri) and unit then
    files.go_to(review, unit)
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
  review.is_over = true
  review.stop()
  layout.leave_diff_mode(review)
  drawing.forget_marks(review)
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
