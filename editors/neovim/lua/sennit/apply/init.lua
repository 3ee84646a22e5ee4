--- `workspace/applyEdit`: checked first, then done as a whole or not at all, and told exactly.
---
--- Neovim's own handler says that it applied what it skipped, empties existing files, overwrites
--- unsaved text and never takes anything back.
local check = require('sennit.apply.check')
local documents = require('sennit.documents')
local files = require('sennit.apply.files')
local log = require('sennit.log')
local operations = require('sennit.apply.operations')
local paths = require('sennit.paths')
local perform = require('sennit.apply.perform')
local plain = require('sennit.plain')

local M = {}

--- What an edit did, for one undo across its files.
---@class sennit.Applied
---@field application? string
---@field label string
---@field done sennit.Done[]

---@type sennit.Applied[]
M.history = {}
local KEPT = 50

---@param edit lsp.WorkspaceEdit
---@return lsp.ChangeAnnotation[]
local function to_confirm(edit)
  return vim.tbl_filter(function(one)
    return one.needsConfirmation == true
  end, vim.tbl_values(edit.changeAnnotations or {}))
end

--- Asks for what needs a confirmation; only a clear yes is one.
---@param label string
---@param edit lsp.WorkspaceEdit
---@param count integer
---@return boolean
local function confirmed(label, edit, count)
  local asked = to_confirm(edit)
  if #asked == 0 then
    return true
  end
  local what = vim.tbl_map(function(one)
    return plain.line(one.label, 120)
  end, asked)
  local yes = ('Apply %s'):format(plain.count(count, 'change'))
  local choice = require('sennit.async').select({ yes, 'Leave everything as it is' }, {
    prompt = ('%s: %s'):format(plain.line(label, 120), table.concat(what, '; ')),
    kind = 'sennit.confirm',
  })
  return choice == yes
end

--- The texts as they are now, for `sennit/didApply`.
---@param done sennit.Done[]
---@return sennit.TextAfterEdit[]
local function texts_after(done)
  local told = {}
  for _, one in ipairs(done) do
    local bufnr = paths.buffer(one.path)
    local text = bufnr and documents.text(bufnr) or files.text(one.path)
    if text then
      told[one.uri] = {
        uri = one.uri,
        version = bufnr and vim.lsp.util.buf_versions[bufnr] or nil,
        sha256 = documents.sha256(text),
      }
    end
  end
  return vim.tbl_values(told)
end

---@param client vim.lsp.Client
---@param application? string
---@param done sennit.Done[]
---@param failure? string
local function report(client, application, done, failure)
  if not application then
    return
  end
  client:notify('sennit/didApply', {
    application = application,
    documents = texts_after(done),
    applied = failure == nil,
    failureReason = failure,
  })
end

---@param label string
---@param edit lsp.WorkspaceEdit
---@param encoding string
---@return sennit.Done[]? done
---@return { index: integer, reason: string }? problem
function M.apply(label, edit, encoding)
  local wanted, unreadable = operations.of(edit)
  local problem = unreadable or check.problem(wanted, encoding)
  if problem then
    return nil, problem
  end
  if not confirmed(label, edit, #wanted) then
    return nil, { index = 0, reason = 'the user did not confirm it' }
  end
  -- The user has had time to type.
  problem = check.problem(wanted, encoding)
  if problem then
    return nil, problem
  end
  return perform.all(wanted, encoding)
end

---@param params lsp.ApplyWorkspaceEditParams|{ sennit?: { application: string } }
---@param client vim.lsp.Client
---@return lsp.ApplyWorkspaceEditResult
function M.handle(params, client)
  local label = params.label or 'Sennit'
  local application = params.sennit and params.sennit.application
  local done, problem = M.apply(label, params.edit, client.offset_encoding)
  if not done then
    local reason = assert(problem).reason
    log.write('plugin', ('%s was not applied: %s'):format(label, reason))
    report(client, application, {}, reason)
    return { applied = false, failureReason = reason, failedChange = assert(problem).index }
  end
  table.insert(M.history, { application = application, label = label, done = done })
  if #M.history > KEPT then
    table.remove(M.history, 1)
  end
  report(client, application, done)
  vim.schedule(function()
    vim.cmd('silent! checktime')
  end)
  return { applied = true }
end

--- Takes the last edit back over all its files, without a server; only where nobody wrote since.
---@return sennit.Applied? undone
---@return string? problem
function M.undo_last()
  local last = M.history[#M.history]
  if not last then
    return nil, 'no edit of Sennit was applied in this Neovim'
  end
  for _, one in ipairs(last.done) do
    if not one.is_untouched() then
      return nil, ('%s has changed since; undo it by hand'):format(paths.shown(one.path))
    end
  end
  local stuck = perform.take_back(last.done)
  if #stuck > 0 then
    return nil, table.concat(stuck, '; ')
  end
  table.remove(M.history)
  return last
end

return M
