--- A conflict with its sides beside each other: base, what was merged before, what the task proposes.
local async = require('sennit.async')
local document = require('sennit.ui.document')
local plain = require('sennit.plain')

local M = {}

local SIDES = {
  { key = 'ours', title = 'merged before it' },
  { key = 'base', title = 'base' },
  { key = 'theirs', title = 'this task' },
}

---@param side? sennit.SideView
---@return integer
local function side_buffer(side)
  return side and side.uri and document.buffer(side.uri) or document.absent()
end

---@param conflict sennit.ConflictView
---@return integer
local function message_buffer(conflict)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden = 'wipe'
  document.fill(bufnr, plain.lines(conflict.message))
  return bufnr
end

---@param bufnr integer
local function add_keys(bufnr)
  vim.keymap.set('n', 'q', '<Cmd>tabclose<CR>', { buffer = bufnr, nowait = true })
  vim.keymap.set('n', 'c', '<Cmd>Sennit resolve<CR>', { buffer = bufnr, nowait = true })
end

---@param conflict sennit.ConflictView
---@param proposal string
---@param buffers integer[]
local function lay_out(conflict, proposal, buffers)
  local root = require('sennit.client').here()
  vim.cmd('tab split')
  vim.t.sennit_root = root
  vim.t.sennit_conflict = { proposal = proposal, uri = conflict.uri }
  vim.api.nvim_win_set_buf(0, message_buffer(conflict))
  vim.wo.wrap, vim.wo.linebreak = true, true
  vim.wo[0][0].winbar = ('conflict in %s; c settles it, q leaves'):format(plain.bar(conflict.path))
  add_keys(vim.api.nvim_get_current_buf())
  local message = vim.api.nvim_get_current_win()
  for index, bufnr in ipairs(buffers) do
    vim.cmd(index == 1 and 'belowright split' or 'belowright vsplit')
    vim.api.nvim_win_set_buf(0, bufnr)
    vim.cmd('diffthis')
    vim.wo[0][0].winbar = ('%s: %s'):format(SIDES[index].title, plain.bar(conflict.path))
    add_keys(bufnr)
  end
  vim.api.nvim_win_set_height(message, 4)
  vim.cmd('diffupdate')
end

--- Shows a conflict in a tab of its own.
---@param conflict sennit.ConflictView
---@param proposal string
function M.open(conflict, proposal)
  async.run(function()
    local buffers = vim.tbl_map(function(side)
      return side_buffer(conflict[side.key])
    end, SIDES)
    lay_out(conflict, proposal, buffers)
  end)
end

--- Leaves the conflict that the current tab shows.
---@return boolean left False where it shows none.
function M.close()
  if not vim.t.sennit_conflict then
    return false
  end
  vim.cmd('tabclose')
  return true
end

return M
