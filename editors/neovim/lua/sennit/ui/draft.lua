--- The draft: a buffer that is dispatched when it is written.
local async = require('sennit.async')
local dispatch = require('sennit.dispatch')
local draft = require('sennit.draft')
local headers = require('sennit.headers')
local notify = require('sennit.notify')

local M = {}

local count = 0

---@param bufnr integer
---@param nonce string
local function write(bufnr, nonce)
  local drafts, problems, call = draft.parse(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true))
  if #problems > 0 then
    notify.error('nothing was dispatched. In the draft, ' .. table.concat(problems, '; ') .. '.')
    return
  end
  if #drafts == 0 then
    notify.warn('the draft holds no prompt; nothing was dispatched.')
    return
  end
  if vim.b[bufnr].sennit_sending then
    notify.warn('the draft is being dispatched already.')
    return
  end
  vim.b[bufnr].sennit_sending = true
  local sent = vim.api.nvim_buf_get_changedtick(bufnr)
  async.run(function()
    local ticket = dispatch.send(drafts, call, nonce)
    if not vim.api.nvim_buf_is_valid(bufnr) then
      return
    end
    vim.b[bufnr].sennit_sending = false
    if ticket and vim.api.nvim_buf_get_changedtick(bufnr) ~= sent then
      notify.warn(
        ('the draft was changed while %s was being dispatched, so it stays open with all its text.'):format(
          ticket
        )
      )
    elseif ticket then
      vim.bo[bufnr].modified = false
      vim.api.nvim_buf_delete(bufnr, {})
    end
  end)
end

---@param bufnr integer
local function colour(bufnr)
  vim.api.nvim_buf_call(bufnr, function()
    for _, line in ipairs(draft.HELP) do
      vim.cmd(('syntax match Comment /\\V\\^%s\\$/'):format(vim.fn.escape(line, '/\\')))
    end
    local names = table.concat(headers.names(), '\\|')
    vim.cmd(([[syntax match Identifier /^\(%s\):/]]):format(names))
    vim.cmd([[syntax match Special /^---\+\s*$/]])
  end)
end

--- Opens a draft with tasks in it.
---@param drafts? sennit.Draft[]
---@return integer bufnr
function M.open(drafts)
  count = count + 1
  local bufnr = vim.api.nvim_create_buf(true, false)
  local folder = require('sennit.client').here() or vim.fn.getcwd()
  vim.api.nvim_buf_set_name(bufnr, ('sennit://draft/%d'):format(count))
  vim.bo[bufnr].buftype = 'acwrite'
  vim.bo[bufnr].swapfile = false
  vim.bo[bufnr].bufhidden = 'hide'
  local lines = draft.format(drafts or { { prompt = '' } })
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, lines)
  vim.bo[bufnr].modified = drafts ~= nil
  local nonce = tostring(vim.uv.hrtime())
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    buffer = bufnr,
    callback = function()
      write(bufnr, nonce)
    end,
  })
  vim.cmd('botright split')
  vim.api.nvim_win_set_buf(0, bufnr)
  -- Commands in this window mean the folder that the draft was begun in.
  vim.cmd.lcd(vim.fn.fnameescape(folder))
  colour(bufnr)
  vim.bo[bufnr].omnifunc = "v:lua.require'sennit.ui.draft'.complete"
  vim.api.nvim_win_set_cursor(0, { #lines, 0 })
  return bufnr
end

--- Completes headers, and what they can hold as far as it is known (`i_CTRL-X_CTRL-O`).
---@param find_start integer
---@param base string
---@return integer|string[]
function M.complete(find_start, base)
  local line = vim.api.nvim_get_current_line():sub(1, vim.fn.col('.') - 1)
  if find_start == 1 then
    return #line:match('^(.-)%S*$')
  end
  return require('sennit.completion').draft(base, line:match('^(%l+):'))
end

return M
