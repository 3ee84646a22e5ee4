--- What became of an application whose server ended before it answered: asked of the next one.
local client = require('sennit.client')
local notify = require('sennit.notify')
local plain = require('sennit.plain')
local refresh = require('sennit.refresh')

local M = {}

--- The time as servers write it, to the second.
---@return string
function M.now()
  return os.date('!%Y-%m-%dT%H:%M:%S') --[[@as string]]
end

--- The newest application since a time.
---@param server vim.lsp.Client
---@param tickets string[]
---@param since string
---@param undoes? string The application that it undoes.
---@return sennit.ApplicationSummary? found
---@return string? ticket
local function newest(server, tickets, since, undoes)
  local found, of_ticket
  for _, ticket in ipairs(tickets) do
    local view = refresh.ticket(server, ticket)
    for _, one in ipairs(view and view.applications or {}) do
      local fits = one.at >= since and one.undoes == undoes
      if fits and (not found or one.at > found.at) then
        found, of_ticket = one, ticket
      end
    end
  end
  return found, of_ticket
end

--- Finds it and tells the person; under `async.run`.
---@param root string
---@param tickets string[] Those that it may be of.
---@param since string
---@param undoes? string
---@return sennit.ApplicationView? view Nil where there is none.
function M.find(root, tickets, since, undoes)
  local server = client.start(root)
  if not server or not client.ready(server) then
    notify.error(
      'the server ended before it answered and no other could be asked, so it is not known what'
        .. ' became of it. `:Sennit restart`, then look at your files; `:Sennit undo` takes it back.'
    )
    return nil
  end
  local found, ticket = newest(server, tickets, since, undoes)
  if not found then
    notify.error('the server ended before it had begun; nothing was changed. Try it again.')
    return nil
  end
  notify.warn(
    ('the server ended before it answered; the one that was started now says: %s is %s, %s.'):format(
      found.id,
      found.state,
      plain.count(found.files or 0, 'file')
    )
  )
  return {
    id = found.id,
    state = found.state,
    target = found.target,
    at = found.at,
    ticket = assert(ticket),
    undoes = found.undoes,
  }
end

return M
