--- A read-only text in a window of its own; the same name is shown in the same buffer again.
local document = require('sennit.ui.document')

local M = {}

---@param name string
---@param lines string[]
---@param syntax? string
---@param root string The folder of the server that it belongs to.
function M.open(name, lines, syntax, root)
  local bufnr = vim.fn.bufnr('^' .. vim.fn.escape(name, '[]*?\\') .. '$')
  if bufnr == -1 then
    bufnr = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(bufnr, name)
  end
  vim.b[bufnr].sennit_root = root
  document.set_options(bufnr)
  vim.bo[bufnr].bufhidden = 'hide'
  vim.bo[bufnr].syntax = syntax or ''
  document.fill(bufnr, lines)
  local window = vim.fn.win_findbuf(bufnr)[1]
  if window then
    vim.api.nvim_set_current_win(window)
  else
    vim.cmd('botright split')
    vim.api.nvim_win_set_buf(0, bufnr)
  end
  vim.keymap.set(
    'n',
    'q',
    '<Cmd>close<CR>',
    { buffer = bufnr, nowait = true, desc = 'Sennit: close' }
  )
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
end

return M
