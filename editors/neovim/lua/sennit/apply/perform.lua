--- Does the operations of a workspace edit one by one; each leaves what takes it back.
local buffers = require('sennit.apply.buffers')
local documents = require('sennit.documents')
local edits = require('sennit.apply.edits')
local files = require('sennit.apply.files')
local paths = require('sennit.paths')

local M = {}

--- One thing that was done.
---@class sennit.Done
---@field path string
---@field uri string
---@field back fun(): string? Takes it back; gives why it cannot.
---@field old_path? string Of a file that was renamed.
---@field is_untouched fun(path: string): boolean Whether it still is as it was left, at its name now.

---@param text string
---@param operation sennit.Operation
---@param encoding string
---@return string? after
---@return string? problem
local function edited(text, operation, encoding)
  return edits.apply(text, assert(operation.edits), encoding)
end

---@param bufnr integer
---@param operation sennit.Operation
---@param encoding string
---@return sennit.Done?
---@return string? problem
local function edit_buffer(bufnr, operation, encoding)
  local was = buffers.remember(bufnr)
  local after, problem = edited(was.text, operation, encoding)
  if not after then
    return nil, problem
  end
  problem = buffers.set(bufnr, after)
  if problem then
    buffers.restore(bufnr, was)
    return nil, problem
  end
  if was.ours or not was.modified then
    buffers.own(bufnr)
  end
  return {
    path = operation.path,
    uri = operation.uri,
    back = function()
      if not vim.api.nvim_buf_is_loaded(bufnr) then
        return 'its buffer is gone'
      end
      return buffers.restore(bufnr, was)
    end,
    is_untouched = function()
      return vim.api.nvim_buf_is_loaded(bufnr) and documents.text(bufnr) == after
    end,
  }
end

--- The bytes of a file, unless they are others than those that were checked.
---@param path string
---@param seen table<string, string>
---@return string? bytes
---@return string? problem
local function unchanged(path, seen)
  local bytes, problem = files.read(path)
  if bytes and seen[path] and seen[path] ~= bytes then
    return nil, 'it has changed on disk meanwhile; apply again'
  end
  return bytes, problem
end

---@param operation sennit.Operation
---@param encoding string
---@param seen table<string, string>
---@return sennit.Done?
---@return string? problem
local function edit_file(operation, encoding, seen)
  local path = operation.path
  local before, problem = unchanged(path, seen)
  if not before then
    return nil, problem
  end
  local mark = files.mark(before)
  local after
  after, problem = edited(before:sub(#mark + 1), operation, encoding)
  if not after then
    return nil, problem
  end
  after = mark .. after
  problem = files.write(path, after)
  if problem then
    return nil, problem
  end
  if seen[path] then
    seen[path] = after
  end
  return {
    path = path,
    uri = operation.uri,
    back = function()
      return files.write(path, before)
    end,
    is_untouched = function(now)
      return files.read(now) == after
    end,
  }
end

---@alias sennit.Deed fun(operation: sennit.Operation, encoding: string, seen: table): sennit.Done?, string?

---@type table<string, sennit.Deed>
local deeds = {}

function deeds.text(operation, encoding, seen)
  local bufnr = paths.buffer(operation.path)
  if bufnr then
    return edit_buffer(bufnr, operation, encoding)
  end
  return edit_file(operation, encoding, seen)
end

function deeds.create(operation)
  local path = operation.path
  if files.exists(path) then
    return nil
  end
  local made, problem = files.make_folders(path)
  problem = problem or files.write(path, '')
  if problem then
    files.remove_folders(made)
    return nil, problem
  end
  local bufnr = paths.buffer(path)
  if bufnr then
    vim.api.nvim_buf_call(bufnr, function()
      vim.cmd('silent noautocmd edit!')
    end)
  end
  return {
    path = path,
    uri = operation.uri,
    back = function()
      local _, failed = vim.uv.fs_unlink(path)
      files.remove_folders(made)
      return failed
    end,
    is_untouched = function(now)
      return files.exists(now)
    end,
  }
end

--- Shows something else in the windows of a buffer, then drops it.
---@param bufnr integer
local function drop_buffer(bufnr)
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    vim.api.nvim_win_call(window, function()
      local other = vim.fn.bufnr('#')
      if other > 0 and other ~= bufnr and vim.fn.buflisted(other) == 1 then
        vim.api.nvim_win_set_buf(window, other)
      else
        vim.cmd('enew')
      end
    end)
  end
  vim.api.nvim_buf_delete(bufnr, { force = true })
end

function deeds.delete(operation, _, seen)
  local path = operation.path
  local stat = vim.uv.fs_lstat(path)
  if not stat then
    return nil
  end
  local target = stat.type == 'link' and vim.uv.fs_readlink(path) or nil
  local bytes, problem ---@type string?, string?
  if not target then
    bytes, problem = unchanged(path, seen)
    if not bytes then
      return nil, problem
    end
  end
  local ok
  ok, problem = vim.uv.fs_unlink(path)
  if not ok then
    return nil, problem
  end
  local bufnr = paths.buffer(path)
  if bufnr then
    drop_buffer(bufnr)
  end
  return {
    path = path,
    uri = operation.uri,
    back = function()
      if target then
        local _, failed = vim.uv.fs_symlink(target, path)
        return failed
      end
      local failed = files.write(path, assert(bytes))
      vim.uv.fs_chmod(path, bit.band(stat.mode, 4095))
      return failed
    end,
    is_untouched = function()
      return not files.exists(path)
    end,
  }
end

--- Reads a buffer under its new name, and keeps the text that an edit of ours has left in it.
---@param bufnr integer
local function reload(bufnr)
  local was = vim.bo[bufnr].modified and buffers.remember(bufnr) or nil
  vim.api.nvim_buf_call(bufnr, function()
    -- Else writing would ask whether to overwrite the file that was just renamed.
    vim.cmd('silent keepalt edit!')
  end)
  if was then
    buffers.set(bufnr, was.text)
    vim.bo[bufnr].fixendofline = was.fixendofline
    if was.ours then
      buffers.own(bufnr)
    end
  end
end

--- Gives a buffer another name. The servers are told as if one was closed and another opened.
---@param old string
---@param new string
local function rename_buffer(old, new)
  local bufnr = paths.buffer(old)
  if not bufnr then
    return
  end
  local clients = vim.lsp.get_clients({ bufnr = bufnr })
  for _, client in ipairs(clients) do
    vim.lsp.buf_detach_client(bufnr, client.id)
  end
  vim.api.nvim_buf_set_name(bufnr, new)
  reload(bufnr)
  for _, client in ipairs(clients) do
    if not client:is_stopped() and not vim.lsp.buf_is_attached(bufnr, client.id) then
      vim.lsp.buf_attach_client(bufnr, client.id)
    end
  end
end

---@param old string
---@param new string
---@return string[] folders
---@return string? problem
local function move(old, new)
  local made, problem = files.make_folders(new)
  if not problem then
    local ok, failed = vim.uv.fs_rename(old, new)
    problem = not ok and failed or nil
  end
  if problem then
    files.remove_folders(made)
    return {}, problem
  end
  rename_buffer(old, new)
  return made
end

function deeds.rename(operation, _, seen)
  local old, new = assert(operation.old_path), operation.path
  local made, problem = move(old, new)
  if problem then
    return nil, problem
  end
  seen[new], seen[old] = seen[old], nil
  return {
    path = new,
    old_path = old,
    uri = operation.uri,
    back = function()
      local _, failed = move(new, old)
      files.remove_folders(made)
      return failed
    end,
    is_untouched = function(now)
      return files.exists(now) and not files.exists(old)
    end,
  }
end

--- Does everything, or nothing: at the first problem all that was done is taken back.
---@param operations sennit.Operation[]
---@param encoding string
---@param seen table<string, string> Bytes of closed files as they were checked.
---@return sennit.Done[]? done
---@return { index: integer, reason: string }? problem
function M.all(operations, encoding, seen)
  ---@type sennit.Done[]
  local done = {}
  for _, operation in ipairs(operations) do
    local ok, made, problem = pcall(deeds[operation.kind], operation, encoding, seen)
    if not ok then
      made, problem = nil, tostring(made)
    end
    if problem then
      local reason = ('%s: %s'):format(paths.shown(operation.path), problem)
      local stuck = M.take_back(done)
      if #stuck > 0 then
        reason = ('%s. It could not all be taken back: %s'):format(
          reason,
          table.concat(stuck, '; ')
        )
      end
      return nil, { index = operation.index, reason = reason }
    end
    done[#done + 1] = made
  end
  return done
end

--- The first path, last first, that somebody has written to since; only its last step tells.
---@param done sennit.Done[]
---@return string?
function M.touched(done)
  local now, looked_at = {}, {} ---@type table<string, string>, table<string, boolean>
  for index = #done, 1, -1 do
    local one = done[index]
    local path = now[one.path] or one.path
    if (one.old_path or not looked_at[path]) and not one.is_untouched(path) then
      return path
    end
    if one.old_path then
      now[one.old_path], now[one.path] = path, nil
    else
      looked_at[path] = true
    end
  end
  return nil
end

--- Takes back what was done, last first; gives what could not be.
---@param done sennit.Done[]
---@return string[]
function M.take_back(done)
  local stuck = {}
  for index = #done, 1, -1 do
    local ok, problem = pcall(done[index].back)
    if not ok or problem then
      stuck[#stuck + 1] = ('%s: %s'):format(paths.shown(done[index].path), tostring(problem))
    end
  end
  return stuck
end

return M
