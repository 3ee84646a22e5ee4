--- The panel of tickets: their tasks and proposals with live state.
local async = require('sennit.async')
local client = require('sennit.client')
local config = require('sennit.config')
local document = require('sennit.ui.document')
local events = require('sennit.events')
local refresh = require('sennit.refresh')
local rows = require('sennit.ui.ticket_rows')
local state = require('sennit.state')

local M = {}

local NAME = 'sennit://tickets'
local HIGHLIGHTS = vim.api.nvim_create_namespace('sennit.tickets')
local IN_FULL = 20
local PAUSE_MS = 60

---@type integer?
local panel
---@type sennit.TicketRow[]
local shown = {}
local due = false

---@return boolean
local function is_alive()
  return panel ~= nil and vim.api.nvim_buf_is_valid(panel)
end

--- Shows what is known now.
function M.render()
  if not is_alive() then
    return
  end
  local bufnr = assert(panel)
  shown = rows.lines(state)
  document.fill(
    bufnr,
    vim.tbl_map(function(row)
      return row.text
    end, shown)
  )
  vim.api.nvim_buf_clear_namespace(bufnr, HIGHLIGHTS, 0, -1)
  for index, row in ipairs(shown) do
    for _, mark in ipairs(row.marks) do
      vim.api.nvim_buf_set_extmark(bufnr, HIGHLIGHTS, index - 1, mark.first, {
        end_col = mark.last,
        hl_group = mark.group,
      })
    end
  end
end

local function render_soon()
  if due then
    return
  end
  due = true
  vim.defer_fn(function()
    due = false
    M.render()
  end, PAUSE_MS)
end

---@return sennit.TicketRow?
local function row_here()
  return shown[vim.api.nvim_win_get_cursor(0)[1]]
end

---@param words string
---@param needs 'ticket'|'task'
---@return fun()
local function on_row(words, needs)
  return function()
    local row = row_here()
    if not row or not row.ticket or (needs == 'task' and not row.task) then
      return
    end
    local arguments = row.task and needs == 'task' and { row.ticket, row.task } or { row.ticket }
    vim.cmd(('Sennit %s %s'):format(words, table.concat(arguments, ' ')))
  end
end

local function open_row()
  local row = row_here()
  if not row or not row.ticket then
    return
  elseif row.proposal then
    vim.cmd('Sennit review ' .. row.proposal)
  elseif row.task then
    vim.cmd(('Sennit output %s %s'):format(row.ticket, row.task))
  else
    vim.cmd('Sennit review ' .. row.ticket)
  end
end

---@param bufnr integer
local function set_keys(bufnr)
  local map = function(lhs, action, what)
    vim.keymap.set('n', lhs, action, { buffer = bufnr, nowait = true, desc = 'Sennit: ' .. what })
  end
  map('<CR>', open_row, 'open')
  map('r', on_row('review', 'ticket'), 'review the ticket')
  map('o', on_row('output', 'task'), 'output')
  map('a', on_row('answer', 'task'), 'answer')
  map('s', on_row('steer', 'task'), 'tell the agent')
  map('i', on_row('interrupt', 'task'), 'interrupt the agent')
  map('f', on_row('follow', 'task'), 'follow up')
  map('K', on_row('details', 'task'), 'details')
  map('c', on_row('cancel', 'task'), 'cancel')
  map('d', '<Cmd>Sennit dispatch<CR>', 'dispatch')
  map('q', M.toggle, 'close')
  map('g?', '<Cmd>help sennit-tickets<CR>', 'help')
end

---@return integer
local function buffer()
  if is_alive() then
    return assert(panel)
  end
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(bufnr, NAME)
  vim.bo[bufnr].bufhidden = 'hide'
  vim.bo[bufnr].modifiable = false
  set_keys(bufnr)
  events.on(
    { 'TicketChanged', 'TicketDropped', 'TaskChanged', 'ProposalChanged', 'Progress' },
    render_soon
  )
  panel = bufnr
  return bufnr
end

local function load()
  async.run(function()
    local server = client.current()
    if not server or not refresh.lists(server) then
      return
    end
    M.render()
    for index, ticket in ipairs(state.tickets()) do
      if index <= IN_FULL and #state.tasks(ticket.id) == 0 then
        refresh.ticket(server, ticket.id)
      end
    end
    M.render()
  end)
end

--- Opens the panel, or closes it.
function M.toggle()
  local windows = is_alive() and vim.fn.win_findbuf(assert(panel)) or {}
  for _, window in ipairs(windows) do
    if vim.api.nvim_win_get_tabpage(window) == vim.api.nvim_get_current_tabpage() then
      vim.api.nvim_win_close(window, false)
      return
    end
  end
  local folder = client.here() or vim.fn.getcwd()
  vim.cmd('botright split')
  vim.api.nvim_win_set_buf(0, buffer())
  vim.b[assert(panel)].sennit_root = folder
  vim.cmd.lcd(vim.fn.fnameescape(folder))
  vim.api.nvim_win_set_height(0, config.get().tickets_height)
  for option, value in pairs({
    number = false,
    relativenumber = false,
    signcolumn = 'no',
    winfixheight = true,
    wrap = false,
    cursorline = true,
    list = false,
    statusline = 'Sennit tickets',
  }) do
    vim.wo[0][0][option] = value
  end
  M.render()
  load()
end

return M
