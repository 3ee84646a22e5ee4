--- Sennit in Neovim. Nothing here needs to be called: `:Sennit` does everything.
local M = {}

--- Sets options; see |sennit-options|. Not needed.
---@param options? table<string, any>
function M.setup(options)
  require('sennit.config').set(options)
end

--- Dispatches tasks as one ticket.
---@param drafts sennit.Draft[]
---@param call? sennit.Call What counts for all of them, such as a label, or what follows on a conflict.
---@param callback? fun(ticket?: string) Called with nil when it was refused; the person was told.
function M.dispatch(drafts, call, callback)
  require('sennit.async').run(function()
    local ticket = require('sennit.dispatch').send(drafts, call)
    if callback then
      callback(ticket)
    end
  end)
end

--- Sends any request of the protocol to the server of the current folder.
---@param method string
---@param params table
---@param callback fun(problem?: sennit.Error, result: any)
function M.request(method, params, callback)
  require('sennit.async').run(function()
    local client = require('sennit.client').current()
    if client then
      require('sennit.requests').send(client, method, params, callback)
    else
      callback(require('sennit.rpc.connection').lost())
    end
  end)
end

--- For a status line: what runs, what waits. Empty when there is nothing to say; asks nobody.
---@return string
function M.statusline()
  local state = package.loaded['sennit.state']
  if not state then
    return ''
  end
  local running, waiting = 0, 0
  for _, ticket in ipairs(state.tickets()) do
    for _, task in ipairs(state.tasks(ticket.id)) do
      running = running + ((task.state == 'running' or task.state == 'preparing') and 1 or 0)
      waiting = waiting + (task.state == 'waiting' and 1 or 0)
    end
  end
  local open = #vim.tbl_filter(state.is_open, state.proposals())
  local parts = {}
  for _, one in ipairs({ { running, 'running' }, { waiting, 'asking' }, { open, 'to review' } }) do
    if one[1] > 0 then
      parts[#parts + 1] = ('%d %s'):format(one[1], one[2])
    end
  end
  return #parts > 0 and 'sennit: ' .. table.concat(parts, ', ') or ''
end

return M
