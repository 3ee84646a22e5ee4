--- Whether a workspace edit can be done exactly. Nothing is changed here.
local buffers = require('sennit.apply.buffers')
local edits = require('sennit.apply.edits')
local encoding_of = require('sennit.apply.encoding')
local files = require('sennit.apply.files')
local documents = require('sennit.documents')
local paths = require('sennit.paths')

local M = {}

--- What will be at the paths of an edit, as far as the operations before have brought it.
---@class sennit.Outlook
---@field present table<string, boolean> Only paths that an operation has touched.
---@field texts table<string, string> Texts that operations have made.
---@field moved table<string, string> Where the file of a new name still lies.
---@field seen table<string, string> Bytes of closed files at the first check.

---@param outlook sennit.Outlook
---@param path string
---@return boolean
local function is_there(outlook, path)
  local told = outlook.present[path]
  if told == nil then
    return files.exists(path)
  end
  return told
end

--- Work of the user that is not on disk; a text that an edit of ours has left is none.
---@param path string
---@param ours_too? boolean
---@return string? problem
local function unsaved(path, ours_too)
  local bufnr = paths.buffer(path)
  if bufnr and vim.bo[bufnr].modified and (ours_too or not buffers.is_ours(bufnr)) then
    return ('%s has unsaved changes; write or undo them, then apply again'):format(
      paths.shown(path)
    )
  end
  return nil
end

---@param bufnr integer
---@param operation sennit.Operation
---@return string? problem
local function buffer_problem(bufnr, operation)
  local shown = paths.shown(operation.path)
  if not vim.bo[bufnr].modifiable then
    return ('%s is not modifiable (`:set modifiable`)'):format(shown)
  end
  if vim.bo[bufnr].readonly then
    return ('%s is read-only (`:set noreadonly`, and make the file writable)'):format(shown)
  end
  if operation.version then
    local version = vim.lsp.util.buf_versions[bufnr]
    if version ~= operation.version then
      return ('%s has changed meanwhile (version %s, the edit is for %d)'):format(
        shown,
        tostring(version),
        operation.version
      )
    end
  elseif vim.bo[bufnr].modified then
    return ('%s is open with text that the server does not know; write it, then apply again'):format(
      shown
    )
  end
  return nil
end

--- The bytes of a file that no buffer shows, the same at every check.
---@param outlook sennit.Outlook
---@param path string
---@return string? bytes
---@return string? problem
local function bytes_of(outlook, path)
  local bytes, problem = files.read(path)
  if not bytes then
    return nil, ('%s cannot be read: %s'):format(paths.shown(path), problem)
  end
  local before = outlook.seen[path]
  if before and before ~= bytes then
    return nil, ('%s has changed on disk meanwhile; apply again'):format(paths.shown(path))
  end
  outlook.seen[path] = bytes
  return bytes
end

---@param outlook sennit.Outlook
---@param operation sennit.Operation
---@return string? text
---@return string? problem
local function text_before(outlook, operation)
  local known = outlook.texts[operation.path]
  if known then
    return known
  end
  local path = outlook.moved[operation.path] or operation.path
  local bufnr = paths.buffer(path)
  if bufnr then
    local problem = buffer_problem(bufnr, operation)
    return not problem and documents.text(bufnr) or nil, problem
  end
  if operation.version then
    return nil, ('%s is not open any more'):format(paths.shown(operation.path))
  end
  if not is_there(outlook, operation.path) then
    return nil, ('%s does not exist'):format(paths.shown(operation.path))
  end
  if not files.is_writable(path) then
    return nil, ('%s is read-only'):format(paths.shown(path))
  end
  local bytes, problem = bytes_of(outlook, path)
  local wrong = bytes and encoding_of.problem(bytes)
  if wrong then
    return nil, ('%s %s'):format(paths.shown(path), wrong)
  end
  return bytes, problem
end

---@type table<string, fun(operation: sennit.Operation, outlook: sennit.Outlook, encoding: string): string?>
local checks = {}

function checks.text(operation, outlook, encoding)
  local before, problem = text_before(outlook, operation)
  if not before then
    return problem
  end
  local path = outlook.moved[operation.path] or operation.path
  local mark = not paths.buffer(path) and files.mark(before) or ''
  local after, wrong = edits.apply(before:sub(#mark + 1), operation.edits, encoding)
  if not after then
    return ('%s: %s'):format(paths.shown(operation.path), wrong)
  end
  outlook.texts[operation.path] = mark .. after
  return nil
end

function checks.create(operation, outlook)
  local path = operation.path
  if is_there(outlook, path) then
    local ignored = operation.options.ignoreIfExists and not operation.options.overwrite
    if not ignored or files.read(path) ~= '' then
      -- An existing file is neither emptied nor mixed with the text of a new one.
      return ('%s exists already; move it away, then apply again'):format(paths.shown(path))
    end
    return nil
  end
  local bufnr = paths.buffer(path)
  if bufnr and documents.text(bufnr) ~= '' then
    return ('%s is open with unsaved text'):format(paths.shown(path))
  end
  outlook.present[path], outlook.texts[path] = true, ''
  return nil
end

function checks.delete(operation, outlook)
  local path = operation.path
  if not is_there(outlook, path) then
    return not operation.options.ignoreIfNotExists
        and ('%s does not exist'):format(paths.shown(path))
      or nil
  end
  local stat = vim.uv.fs_lstat(path)
  if stat and stat.type == 'directory' then
    return ('%s is a folder; only files are deleted'):format(paths.shown(path))
  end
  local problem
  if stat and stat.type == 'file' and not outlook.texts[path] then
    problem = select(2, bytes_of(outlook, path))
  end
  outlook.present[path], outlook.texts[path] = false, nil
  return problem or unsaved(path, true)
end

function checks.rename(operation, outlook)
  local old, new = assert(operation.old_path), operation.path
  if not is_there(outlook, old) then
    return ('%s does not exist'):format(paths.shown(old))
  end
  if is_there(outlook, new) then
    return ('%s exists already; move it away, then apply again'):format(paths.shown(new))
  end
  local problem = unsaved(old) or unsaved(new)
  outlook.present[old], outlook.present[new] = false, true
  outlook.texts[new], outlook.texts[old] = outlook.texts[old], nil
  outlook.moved[new], outlook.moved[old] = outlook.moved[old] or old, nil
  return problem
end

--- The first operation that cannot be done, and why.
---@param operations sennit.Operation[]
---@param encoding string
---@param seen table<string, string> Filled at the first check, compared with at the next.
---@return { index: integer, reason: string }? problem
function M.problem(operations, encoding, seen)
  ---@type sennit.Outlook
  local outlook = { present = {}, texts = {}, moved = {}, seen = seen }
  for _, operation in ipairs(operations) do
    local reason = checks[operation.kind](operation, outlook, encoding)
    if reason then
      return { index = operation.index, reason = reason }
    end
  end
  return nil
end

return M
