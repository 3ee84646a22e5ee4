--- Paths, URIs and buffers; names are compared as real paths, byte for byte.
local M = {}

--- The real path of a file that need not be there.
---@param path string
---@return string
function M.real(path)
  local known = vim.uv.fs_realpath(path)
  if known then
    return known
  end
  local folder, name = vim.fs.dirname(path), vim.fs.basename(path)
  if folder == path or folder == '' or folder == nil then
    return path
  end
  return vim.fs.joinpath(M.real(folder), name)
end

---@param path string Absolute.
---@param folder string Absolute.
---@return boolean
function M.is_below(path, folder)
  folder = folder:gsub('/+$', '')
  return path == folder or path:sub(1, #folder + 1) == folder .. '/'
end

---@param uri string
---@return string? path Nil where it is no `file:` URI.
function M.of_uri(uri)
  if not vim.startswith(uri, 'file://') then
    return nil
  end
  local ok, path = pcall(vim.uri_to_fname, uri)
  return ok and path or nil
end

--- The folder that a server serves for a path: the work tree that it lies in.
---@param path string
---@return string?
function M.root(path)
  return vim.fs.root(path, '.git')
end

--- Whether a buffer shows a file, which may not be there yet.
---@param bufnr integer
---@return boolean
function M.is_file_buffer(bufnr)
  if not vim.api.nvim_buf_is_loaded(bufnr) or vim.bo[bufnr].buftype ~= '' then
    return false
  end
  local name = vim.api.nvim_buf_get_name(bufnr)
  return name:sub(1, 1) == '/'
end

--- The loaded buffer of a file. Never `bufnr(path)`: that takes a pattern.
---@param path string
---@return integer?
function M.buffer(path)
  local real = M.real(path)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if M.is_file_buffer(bufnr) then
      local name = vim.api.nvim_buf_get_name(bufnr)
      if name == path or M.real(name) == real then
        return bufnr
      end
    end
  end
  return nil
end

--- A path as people read it.
---@param path string
---@return string
function M.shown(path)
  return vim.fn.fnamemodify(path, ':~:.')
end

return M
