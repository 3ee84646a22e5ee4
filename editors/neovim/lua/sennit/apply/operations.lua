--- A workspace edit as a list of operations on paths.
local paths = require('sennit.paths')

local M = {}

---@class sennit.Operation
---@field index integer Place in `documentChanges`, from 0, as `failedChange` counts.
---@field kind 'text'|'create'|'rename'|'delete'
---@field path string
---@field uri string
---@field old_path? string
---@field old_uri? string
---@field version? integer
---@field edits? lsp.TextEdit[]
---@field options table<string, boolean>

---@param change any
---@param index integer
---@return sennit.Operation?
---@return string? problem
local function one(change, index)
  local uri = change.textDocument and change.textDocument.uri or change.newUri or change.uri
  local path = type(uri) == 'string' and paths.of_uri(uri)
  local old = change.oldUri and paths.of_uri(change.oldUri)
  if not path or (change.oldUri and not old) then
    return nil, ('%s is no file'):format(tostring(uri or change.oldUri))
  end
  local kind = change.kind or 'text'
  if kind ~= 'text' and kind ~= 'create' and kind ~= 'rename' and kind ~= 'delete' then
    return nil, ('there is no operation "%s"'):format(tostring(kind))
  end
  local version = change.textDocument and change.textDocument.version
  return {
    index = index,
    kind = kind,
    path = path,
    uri = uri,
    old_path = old,
    old_uri = change.oldUri,
    version = version ~= vim.NIL and version or nil,
    edits = change.edits,
    options = change.options or {},
  }
end

---@param edit lsp.WorkspaceEdit
---@return sennit.Operation[] operations
---@return { index: integer, reason: string }? problem
function M.of(edit)
  local changes = edit.documentChanges
  if not changes then
    changes = {}
    for uri, edits in vim.spairs(edit.changes or {}) do
      changes[#changes + 1] = { textDocument = { uri = uri }, edits = edits }
    end
  end
  local operations = {}
  for index, change in ipairs(changes) do
    local operation, problem = one(change, index - 1)
    if not operation then
      return {}, { index = index - 1, reason = problem or '' }
    end
    operations[index] = operation
  end
  return operations
end

return M
