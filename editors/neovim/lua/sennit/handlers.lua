--- What the server sends: each method and who takes it.
local notify = require('sennit.notify')
local plain = require('sennit.plain')
local state = require('sennit.state')

---@type table<string, lsp.Handler>
local M = {}

M['workspace/applyEdit'] = function(_, params, context)
  local client = assert(vim.lsp.get_client_by_id(context.client_id))
  return require('sennit.apply').handle(params, client)
end

M['sennit/ticketChanged'] = function(_, params, context)
  local old = state.known.tickets[params.ticket.id]
  local client = vim.lsp.get_client_by_id(context.client_id)
  local is_ours = client and client.root_dir and state.concerns(params.ticket, client.root_dir)
  if not is_ours or not state.take_ticket(params.ticket) then
    return
  end
  local is_new = not old or not state.is_final(old.state)
  if is_new and state.is_final(params.ticket.state) then
    require('sennit.announce').settled(params.ticket)
  end
end

M['sennit/ticketDropped'] = function(_, params)
  state.drop_ticket(params.ticket)
end

M['sennit/taskChanged'] = function(_, params)
  state.take_task(params.ticket, params.task, params.sequence)
end

M['sennit/proposalChanged'] = function(_, params)
  state.take_proposal(params.proposal)
end

M['sennit/taskOutput'] = function(_, params)
  require('sennit.ui.output').append(params)
end

M['sennit/ask'] = function(_, params, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  local result = require('sennit.questions').ask(params)
  if result.answer and (not client or client:is_stopped()) then
    notify.error(
      ('the answer for %s was not sent: the server that asked has ended. You wrote: %s'):format(
        plain.line(params.task),
        result.answer
      )
    )
  end
  return result
end

M['$/progress'] = function(problem, params, context)
  vim.lsp.handlers['$/progress'](problem, params, context)
  state.take_progress(params.token, params.value)
end

local levels = { vim.log.levels.ERROR, vim.log.levels.WARN, vim.log.levels.INFO }

M['window/showMessage'] = function(_, params)
  local level = levels[params.type] or vim.log.levels.INFO
  local message = table.concat(plain.lines(params.message), '\n')
  if level == vim.log.levels.ERROR then
    notify.error(message)
  elseif level == vim.log.levels.WARN then
    notify.warn(message)
  else
    notify.info(message)
  end
  return vim.NIL
end

M['window/logMessage'] = function(_, params)
  require('sennit.log').write('server', params.message)
  return vim.NIL
end

return M
