--- Asks the server for what it keeps: after its start, and before a window is filled.
local async = require('sennit.async')
local requests = require('sennit.requests')
local state = require('sennit.state')

local M = {}

local TICKETS = 50
local PROPOSALS = 1000

--- Takes the tickets and all proposals; under `async.run`.
---@param client vim.lsp.Client
---@return boolean
function M.lists(client)
  local tickets = requests.expect(client, 'The tickets cannot be listed', 'sennit/tickets', {
    limit = TICKETS,
    folder = client.root_dir,
  })
  local proposals = tickets
    and requests.expect(client, 'The proposals cannot be listed', 'sennit/proposals', {
      limit = PROPOSALS,
      folder = client.root_dir,
    })
  if not proposals then
    return false
  end
  for _, ticket in ipairs(tickets.tickets) do
    state.take_ticket(ticket)
  end
  for _, proposal in ipairs(proposals.proposals) do
    state.take_proposal(proposal)
  end
  return true
end

--- Takes one ticket in full.
---@param client vim.lsp.Client
---@param ticket string
---@return sennit.TicketView?
function M.ticket(client, ticket)
  local view =
    requests.expect(client, ('The ticket %s cannot be read'):format(ticket), 'sennit/ticket', {
      ticket = ticket,
    })
  if view then
    state.take_view(view)
  end
  return view
end

--- What a client wants to know when its server has started.
---@param client vim.lsp.Client
function M.all(client)
  async.run(function()
    if not M.lists(client) then
      return
    end
    for _, ticket in ipairs(state.tickets()) do
      if not state.is_final(ticket.state) then
        M.ticket(client, ticket.id)
      end
    end
  end)
end

return M
