--- Files that no buffer shows: read and written as bytes, whole or not at all.
local M = {}

local uv = vim.uv
local PLAIN_MODE = 420 -- rw-r--r--
local FOLDER_MODE = 493 -- rwxr-xr-x
local PERMISSIONS = 4095

---@param path string
---@return string? bytes
---@return string? problem
function M.read(path)
  local handle, problem = io.open(path, 'rb')
  if not handle then
    return nil, problem
  end
  local bytes = handle:read('*a')
  handle:close()
  return bytes
end

--- A byte-order mark at the head of bytes, or nothing.
---@param bytes string
---@return string
function M.mark(bytes)
  return bytes:sub(1, 3) == '\239\187\191' and bytes:sub(1, 3) or ''
end

--- The text of a file, which a byte-order mark is no part of.
---@param path string
---@return string?
function M.text(path)
  local bytes = M.read(path)
  return bytes and bytes:sub(#M.mark(bytes) + 1)
end

---@param path string
---@return boolean
function M.exists(path)
  return uv.fs_lstat(path) ~= nil
end

---@param path string
---@return boolean
function M.is_writable(path)
  local stat = uv.fs_stat(path)
  -- Root may write anything; a file without any write bit is still meant to stay.
  return stat ~= nil and bit.band(stat.mode, 146) ~= 0 and uv.fs_access(path, 'W') == true
end

--- The mode bits of a file, or those of a new one.
---@param path string
---@return integer
local function mode_of(path)
  local stat = uv.fs_stat(path)
  return stat and bit.band(stat.mode, PERMISSIONS) or PLAIN_MODE
end

---@param handle integer
---@param bytes string
---@return string? problem
local function write_all(handle, bytes)
  local written = 0
  while written < #bytes do
    local count, problem = uv.fs_write(handle, bytes:sub(written + 1), -1)
    if not count then
      return problem
    end
    written = written + count
  end
  local _, problem = uv.fs_fsync(handle)
  return problem
end

--- Writes beside the file and renames, so that nobody ever sees half of it. Links are followed.
---@param path string
---@param bytes string
---@return string? problem
function M.write(path, bytes)
  local target = uv.fs_realpath(path) or path
  local mode = mode_of(target)
  local temporary = ('%s.sennit-%d'):format(target, uv.os_getpid())
  local handle, problem = uv.fs_open(temporary, 'wx', mode)
  if not handle then
    return problem
  end
  problem = write_all(handle, bytes)
  uv.fs_close(handle)
  if not problem then
    -- The mask of the process does not count for a file that was there before.
    problem = select(2, uv.fs_chmod(temporary, mode))
  end
  if not problem then
    problem = select(2, uv.fs_rename(temporary, target))
  end
  if problem then
    uv.fs_unlink(temporary)
  end
  return problem
end

--- Makes the folders above a path; gives those that were made, outermost first.
---@param path string
---@return string[] made
---@return string? problem
function M.make_folders(path)
  local missing, folder = {}, vim.fs.dirname(path)
  while folder and not uv.fs_stat(folder) do
    table.insert(missing, 1, folder)
    folder = vim.fs.dirname(folder)
  end
  local made = {}
  for _, one in ipairs(missing) do
    local ok, problem = uv.fs_mkdir(one, FOLDER_MODE)
    if not ok then
      return made, problem
    end
    made[#made + 1] = one
  end
  return made
end

--- Removes folders that were made, where they are still empty.
---@param made string[]
function M.remove_folders(made)
  for index = #made, 1, -1 do
    uv.fs_rmdir(made[index])
  end
end

return M
