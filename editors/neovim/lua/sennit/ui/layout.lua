--- The windows and buffers of a review tab: made, and left as if they had not been.
local config = require('sennit.config')
local document = require('sennit.ui.document')

local M = {}

---@param title string
---@return integer
local function panel_buffer(title)
  local bufnr = vim.api.nvim_create_buf(false, true)
  pcall(vim.api.nvim_buf_set_name, bufnr, 'sennit://review/' .. title)
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.bo[bufnr].modifiable = false
  vim.b[bufnr].sennit_ready = true
  return bufnr
end

--- The windows: panel, live, proposed.
---@param title string
---@return sennit.ReviewTab
function M.make_tab(title)
  vim.cmd('tab split')
  local tab = vim.api.nvim_get_current_tabpage()
  local live = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_buf(live, document.absent())
  vim.cmd('belowright vsplit')
  local proposed = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_buf(proposed, document.absent())
  vim.cmd('topleft vsplit')
  local window = vim.api.nvim_get_current_win()
  local panel = panel_buffer(title)
  vim.api.nvim_win_set_buf(window, panel)
  vim.api.nvim_win_set_width(window, config.get().panel_width)
  for option, value in pairs({
    number = false,
    relativenumber = false,
    signcolumn = 'no',
    winfixwidth = true,
    wrap = false,
    cursorline = true,
    list = false,
    statusline = 'Sennit review',
  }) do
    vim.wo[window][0][option] = value
  end
  vim.cmd('wincmd =')
  return {
    tab = tab,
    panel = panel,
    panel_window = window,
    live_window = live,
    proposed_window = proposed,
    lines = {},
    keys = {},
    base = {},
    loaded = {},
    shown_in = {},
    due = false,
    is_over = false,
    stop = function() end,
  } --[[@as sennit.ReviewTab]]
end

local OPTIONS = { 'winbar', 'signcolumn', 'foldenable' }

--- Shows a buffer in diff mode. What the window's options are for it without is remembered.
---@param review sennit.ReviewTab
---@param window integer
---@param bufnr integer
---@param winbar string
---@param statusline? string In place of the name of a buffer that no person has given.
function M.show(review, window, bufnr, winbar, statusline)
  vim.api.nvim_win_call(window, function()
    vim.cmd('diffoff')
    vim.api.nvim_win_set_buf(window, bufnr)
    local options = vim.wo[window][0]
    local before = {}
    for _, name in ipairs(OPTIONS) do
      before[name] = options[name]
    end
    review.shown_in[window] = review.shown_in[window] or {}
    review.shown_in[window][bufnr] = review.shown_in[window][bufnr] or before
    vim.cmd('diffthis')
    options.foldenable = false
    options.signcolumn = 'yes:1'
    options.winbar = winbar
    if statusline then
      options.statusline = statusline
    end
  end)
end

---@param window integer
---@param bufnr integer
---@param before table<string, any>
local function leave(window, bufnr, before)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  vim.api.nvim_win_call(window, function()
    -- Neovim keeps options for each pair of a window and a buffer, and sets them on this way.
    vim.cmd(('noautocmd keepalt buffer! %d'):format(bufnr))
    vim.cmd('diffoff')
    for name, value in pairs(before) do
      vim.wo[window][0][name] = value
    end
  end)
end

--- Takes the windows out of diff mode, for every buffer that they have shown.
---@param review sennit.ReviewTab
function M.leave_diff_mode(review)
  for window, buffers in pairs(review.shown_in) do
    for bufnr, before in pairs(buffers) do
      if vim.api.nvim_win_is_valid(window) then
        leave(window, bufnr, before)
      end
    end
  end
end

--- Closes buffers that the review has loaded and that nobody uses.
---@param review sennit.ReviewTab
function M.drop_buffers(review)
  for bufnr in pairs(review.loaded) do
    if vim.api.nvim_buf_is_valid(bufnr) then
      if vim.bo[bufnr].modified then
        vim.bo[bufnr].buflisted = true
      elseif #vim.fn.win_findbuf(bufnr) == 0 and not vim.bo[bufnr].buflisted then
        vim.api.nvim_buf_delete(bufnr, {})
      end
    end
  end
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    local is_side = vim.api.nvim_buf_get_name(bufnr):match('^sennit:/[^/].*rev=')
    if is_side and #vim.fn.win_findbuf(bufnr) == 0 then
      vim.api.nvim_buf_delete(bufnr, { force = true })
    end
  end
end

return M
