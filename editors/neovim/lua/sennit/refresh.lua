--- Asks the server for what it keeps: after its start, and before a window is filled.
local async = require('sennit.async')
local connection = require('sennit.rpc.connection')
local log = require('sennit.log')
local notify = require('sennit.notify')
local requests = require('sennit.requests')
local state = require('sennit.state')

local M = {}

local TICKETS = 50
local PROPOSALS = 1000

---@type table<integer, fun()[]> Who waits for what is read at the start of a client; by its id, while it is read.
local waiting = {}

--- Asks and shows what fails. That the server has ended is no failure of its own here: its end is told.
---@param client vim.lsp.Client
---@param what string
---@param method string
---@param params table
---@return any result
local function expect(client, what, method, params)
  local result, problem = requests.ask(client, method, params)
  if not problem then
    return result
  end
  -- Nobody cancels these but a server that ends.
  if connection.was_lost(problem) or problem.code == connection.CANCELLED then
    log.write('plugin', ('%s: %s'):format(what, problem.message))
  else
    notify.failed(what, problem)
  end
  return nil
end

--- Takes the tickets and all proposals; under `async.run`.
---@param client vim.lsp.Client
---@return boolean
function M.lists(client)
  local tickets = expect(client, 'The tickets cannot be listed', 'sennit/tickets', {
    limit = TICKETS,
    folder = client.root_dir,
  })
  local proposals = tickets
    and expect(client, 'The proposals cannot be listed', 'sennit/proposals', {
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
  local view = expect(client, ('The ticket %s cannot be read'):format(ticket), 'sennit/ticket', {
    ticket = ticket,
  })
  if view then
    state.take_view(view)
  end
  return view
end

--- Whether tasks of a ticket were last known to run, so that their end has been missed.
---@param ticket string
---@return boolean
local function has_unfinished(ticket)
  return vim.iter(state.tasks(ticket)):any(function(task)
    return not state.is_final(task.state)
  end)
end

---@param client vim.lsp.Client
local function read_all(client)
  if not M.lists(client) then
    return
  end
  for _, ticket in ipairs(state.tickets()) do
    if not state.is_final(ticket.state) or has_unfinished(ticket.id) then
      M.ticket(client, ticket.id)
    end
  end
end

--- What a client wants to know when its server has started.
---@param client vim.lsp.Client
function M.all(client)
  waiting[client.id] = {}
  async.run(function()
    local ok, problem = pcall(read_all, client)
    -- Whatever came of it: nobody is left waiting.
    local all = waiting[client.id]
    waiting[client.id] = nil
    for _, done in ipairs(all) do
      done()
    end
    if not ok then
      error(problem, 0)
    end
  end)
end

--- Waits until what is read at the start of a client has been; under `async.run`.
---@param client vim.lsp.Client
function M.caught_up(client)
  local all = waiting[client.id]
  if all then
    async.await(function(done)
      all[#all + 1] = done
    end)
  end
end

return M
