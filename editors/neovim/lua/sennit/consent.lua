--- Folders whose own `.venv/bin/sennit` may be started. Asked for once, kept in Neovim's state folder.
---
--- Trust in what agents may do is the server's and is kept by it; this is about the program that is the
--- server itself, which must not come out of a folder that nobody has looked at.
local M = {}

---@return string
local function file()
  return vim.fs.joinpath(vim.fn.stdpath('state') --[[@as string]], 'sennit', 'folders.json')
end

---@return table<string, boolean>
local function read()
  local handle = io.open(file(), 'r')
  if not handle then
    return {}
  end
  local text = handle:read('*a')
  handle:close()
  local ok, value = pcall(vim.json.decode, text)
  return ok and type(value) == 'table' and value or {}
end

---@param root string
---@return boolean
function M.given(root)
  return read()[root] == true
end

---@param root string
---@param allowed boolean
function M.set(root, allowed)
  local known = read()
  known[root] = allowed or nil
  vim.fn.mkdir(vim.fs.dirname(file()), 'p', 448)
  local handle = assert(io.open(file(), 'w'))
  handle:write(vim.json.encode(next(known) and known or vim.empty_dict()))
  handle:close()
end

return M
