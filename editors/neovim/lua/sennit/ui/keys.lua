--- Maps of a buffer for the time of a review; what was there before comes back.
local config = require('sennit.config')

local M = {}

---@class sennit.Keys
---@field bufnr integer
---@field set string[]
---@field before table<string, table<string, any>>

---@param bufnr integer
---@param lhs string
---@return table<string, any>?
local function own_map(bufnr, lhs)
  return vim.api.nvim_buf_call(bufnr, function()
    local found = vim.fn.maparg(lhs, 'n', false, true)
    return found.buffer == 1 and found or nil
  end)
end

--- Sets the user's keys of a review.
---@param bufnr integer
---@return sennit.Keys
function M.set(bufnr)
  ---@type sennit.Keys
  local keys = { bufnr = bufnr, set = {}, before = {} }
  for action, lhs in pairs(config.get().keymaps or {}) do
    if lhs then
      keys.before[lhs] = own_map(bufnr, lhs)
      keys.set[#keys.set + 1] = lhs
      vim.keymap.set('n', lhs, ('<Plug>(sennit-%s)'):format(action), {
        buffer = bufnr,
        remap = true,
        desc = 'Sennit: ' .. action:gsub('-', ' '),
      })
    end
  end
  return keys
end

---@param keys sennit.Keys
function M.restore(keys)
  if not vim.api.nvim_buf_is_valid(keys.bufnr) then
    return
  end
  vim.api.nvim_buf_call(keys.bufnr, function()
    for _, lhs in ipairs(keys.set) do
      pcall(vim.keymap.del, 'n', lhs, { buffer = keys.bufnr })
      if keys.before[lhs] then
        vim.fn.mapset('n', false, keys.before[lhs])
      end
    end
  end)
end

return M
