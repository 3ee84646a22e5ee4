--- The log of the plugin and of its servers: one file in Neovim's folder for logs.
local M = {}

---@return string
function M.path()
  return vim.fs.joinpath(vim.fn.stdpath('log') --[[@as string]], 'sennit.log')
end

--- Appends lines, each with the time and who said it. Works in any callback.
---@param who string
---@param text string
function M.write(who, text)
  local stamp = os.date('!%Y-%m-%dT%H:%M:%SZ')
  local lines = {}
  for line in vim.gsplit(vim.trim(text), '\n', { plain = true }) do
    lines[#lines + 1] = ('%s %s: %s\n'):format(stamp, who, line)
  end
  local append = function()
    vim.fn.mkdir(vim.fn.stdpath('log') --[[@as string]], 'p')
    local file, problem = io.open(M.path(), 'a')
    if not file then
      vim.notify_once('Sennit cannot write its log: ' .. tostring(problem), vim.log.levels.WARN)
      return
    end
    file:write(table.concat(lines))
    file:close()
  end
  if vim.in_fast_event() then
    vim.schedule(append)
  else
    append()
  end
end

return M
