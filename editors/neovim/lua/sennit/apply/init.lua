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
---@field root? string The folder of the server that sent it.
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
  local seen = {}
  local problem = unreadable or check.problem(wanted, encoding, seen)
  if problem then
    return nil, problem
  end
  if not confirmed(label, edit, #wanted) then
    return nil, { index = 0, reason = 'the user did not confirm it' }
  end
  -- The user has had time to type.
  problem = check.problem(wanted, encoding, seen)
  if problem then
    return nil, problem
  end
  return perform.all(wanted, encoding, seen)
end

--- Keeps what was done; the edits of one application are taken back as one.
---@param root? string
---@param application? string
---@param label string
---@param done sennit.Done[]
local function remember(root, application, label, done)
  local last = M.history[#M.history]
  if last and application and last.application == application and last.root == root then
    vim.list_extend(last.done, done)
    return
  end
  local new = { root = root, application = application, label = label, done = done }
  table.insert(M.history, new)
  if #M.history > KEPT then
    table.remove(M.history, 1)
  end
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
  remember(client.root_dir, application, label, done)
  report(client, application, done)
  vim.schedule(function()
    vim.cmd('silent! checktime')
  end)
  return { applied = true }
end

--- Takes the last edit back over all its files, without a server; only where nobody wrote since.
---@param root? string Only of this folder's server.
---@return sennit.Applied? undone
---@return string? problem
function M.undo_last(root)
  local place = #M.history
  while place > 0 and root and M.history[place].root ~= root do
    place = place - 1
  end
  local last = M.history[place]
  if not last then
    return nil, 'no edit of Sennit was applied here by this Neovim'
  end
  local touched = perform.touched(last.done)
  if touched then
    return nil, ('%s has changed since; undo it by hand'):format(paths.shown(touched))
  end
  local stuck = perform.take_back(last.done)
  if #stuck > 0 then
    return nil, table.concat(stuck, '; ')
  end
  table.remove(M.history, place)
  return last
end

return M
