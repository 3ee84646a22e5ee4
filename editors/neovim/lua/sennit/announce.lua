--- Tells the person that a ticket has settled, and what can be done now.
local notify = require('sennit.notify')
local plain = require('sennit.plain')
local state = require('sennit.state')

local M = {}

local LONGEST_NAME = 24

--- The message about a ticket that has settled: short enough for one line of a screen.
---@param ticket sennit.TicketSummary
---@param proposals sennit.ProposalSummary[]
---@return string
function M.message(ticket, proposals)
  local open, conflicts = 0, 0
  for _, one in ipairs(proposals) do
    open = open + (state.is_open(one) and 1 or 0)
    conflicts = conflicts + (one.integration == 'conflict' and 1 or 0)
  end
  local name = ticket.label and plain.line(ticket.label, LONGEST_NAME) or ticket.id
  local parts = { ('%s is %s'):format(name, ticket.state) }
  if open > 0 then
    parts[#parts + 1] = ('%d to review'):format(open)
  end
  if conflicts > 0 then
    parts[#parts + 1] = plain.count(conflicts, 'conflict')
  end
  return table.concat(parts, ', ') .. (open > 0 and ' (:Sennit review)' or ' (:Sennit tickets)')
end

---@param ticket sennit.TicketSummary
function M.settled(ticket)
  -- News of its proposals may be under way.
  vim.defer_fn(function()
    local message = M.message(ticket, state.proposals(ticket.id))
    if ticket.state == 'completed' then
      notify.info(message)
    else
      notify.warn(message)
    end
  end, 100)
end

return M
