--- Gives tasks to agents. What the user has typed stays in a draft until the server has taken it.
local agents = require('sennit.agents')
local async = require('sennit.async')
local client = require('sennit.client')
local connection = require('sennit.rpc.connection')
local draft = require('sennit.draft')
local headers = require('sennit.headers')
local notify = require('sennit.notify')
local plain = require('sennit.plain')
local protocol = require('sennit.protocol')
local refresh = require('sennit.refresh')
local requests = require('sennit.requests')

local M = {}

--- Whether every task says who does it, or all of them together.
---@param drafts sennit.Draft[]
---@param call sennit.Call
---@return boolean
local function all_name_somebody(drafts, call)
  return (call.defaults ~= nil and draft.names_somebody(call.defaults))
    or vim.iter(drafts):all(draft.names_somebody)
end

---@param tasks sennit.Task[]
---@param call sennit.Call
---@param nonce string
---@return sennit.DispatchParams
local function params_of(tasks, call, nonce)
  local params = {
    tasks = tasks,
    label = call.label,
    brief = call.brief,
    onConflict = call.onConflict,
    order = call.order,
    offer = call.offer,
    maxConcurrent = call.maxConcurrent,
    defaults = call.defaults and draft.keys(call.defaults),
  }
  params.operationId = vim.fn.sha256(nonce .. vim.json.encode(params)):sub(1, 40)
  return params
end

--- Sends a call; one that a dying server has not answered is sent again: the same operation, once.
---@param root string
---@param call sennit.DispatchParams
---@return sennit.DispatchResult?
---@return sennit.Error?
local function send(root, call)
  local problem
  for _ = 1, 2 do
    local server = client.start(root)
    if not server or not client.ready(server) then
      return nil, problem or { code = connection.FAILED, message = 'there is no server' }
    end
    local result
    result, problem = requests.ask(server, 'sennit/dispatch', call)
    if not problem or not connection.was_lost(problem) then
      return result, problem
    end
  end
  return nil, problem
end

---@param result sennit.DispatchResult
---@param tasks sennit.Task[]
local function started(result, tasks)
  local notices = vim.tbl_map(function(notice)
    return '\n  ' .. plain.line(notice.message)
  end, result.notices or {})
  notify.info(
    ('%s begun as %s (:Sennit tickets)%s'):format(
      plain.count(#tasks, 'task'),
      result.ticket,
      table.concat(notices)
    )
  )
end

--- Where a problem of a call is, in words of a draft: its headers, and the ids of its tasks.
---@param tasks sennit.Task[]
---@return fun(path: string): string
local function place_in(tasks)
  return function(path)
    local index, key = path:match('^tasks%[(%d+)%]%.?(%w*)')
    key = key or path:match('^defaults%.(%w+)')
    if not key then
      return path
    end
    local header = key ~= '' and ('`%s`'):format(headers.name_of(key)) or 'it'
    local task = tasks[(tonumber(index) or -1) + 1]
    if not task then
      return header .. ' for all tasks'
    end
    return #tasks > 1 and ('%s of %s'):format(header, task.id) or header
  end
end

---@param problem sennit.Error
---@return string
local function advice(problem)
  if problem.code == protocol.errors.NOT_TRUSTED then
    return ' `:Sennit trust` shows and grants it.'
  end
  return ''
end

--- Dispatches drafts; under `async.run`. Gives the ticket, or nil after the person was told why not.
---@param drafts sennit.Draft[]
---@param call? sennit.Call
---@param nonce? string The same for each try, so that no second ticket comes of an answer that was lost.
---@return string? ticket
function M.send(drafts, call, nonce)
  call = call or {}
  if not client.here() then
    notify.error(
      'Nothing was dispatched: neither this file nor the working directory lies in a git repository.'
        .. ' Agents work in those: open a file of one, or `:cd` into it.'
    )
    return nil
  end
  local server = client.current()
  if not server then
    return nil
  end
  local doer = all_name_somebody(drafts, call) and {} or agents.choose(server)
  if not doer then
    return nil
  end
  local tasks = draft.tasks(drafts, doer, client.here() or server.root_dir)
  local params = params_of(tasks, call, nonce or tostring(vim.uv.hrtime()))
  local result, problem = send(server.root_dir, params)
  if not result then
    local told = assert(problem)
    notify.error(
      ('Nothing was dispatched: %s%s'):format(notify.describe(told, place_in(tasks)), advice(told))
    )
    return nil
  end
  started(result, tasks)
  refresh.ticket(assert(client.get(server.root_dir) or server), result.ticket)
  return result.ticket
end

--- Dispatches a prompt; if that fails it is put into a draft.
---@param one sennit.Draft
function M.prompt(one)
  async.run(function()
    if not M.send({ one }) then
      require('sennit.ui.draft').open({ one })
    end
  end)
end

return M
