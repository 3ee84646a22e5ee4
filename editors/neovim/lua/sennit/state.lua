--- What the servers have told: tickets, tasks, proposals, applications, progress. Read by the windows.
local events = require('sennit.events')
local paths = require('sennit.paths')

local M = {}

---@class sennit.Progressing
---@field title string
---@field message? string
---@field percentage? integer

---@class sennit.Known
---@field tickets table<string, sennit.TicketSummary>
---@field tasks table<string, table<string, sennit.TaskView>> By ticket and task.
---@field sequences table<string, integer> Of the tasks, by `ticket/task`.
---@field order table<string, string[]> Ids of the tasks of a ticket as they were given.
---@field proposals table<string, sennit.ProposalSummary>
---@field applications sennit.ApplicationView[] Those of this session, oldest first.
---@field roots table<string, string> The folder of the server of each application.
---@field progress table<string|integer, sennit.Progressing>

---@return sennit.Known
local function nothing()
  return {
    tickets = {},
    tasks = {},
    sequences = {},
    order = {},
    proposals = {},
    applications = {},
    roots = {},
    progress = {},
  }
end

---@type sennit.Known
M.known = nothing()

function M.forget()
  M.known = nothing()
end

---@param summary sennit.TicketSummary
---@return boolean news
function M.take_ticket(summary)
  local old = M.known.tickets[summary.id]
  if old and old.sequence > summary.sequence then
    return false
  end
  M.known.tickets[summary.id] = summary
  events.emit('TicketChanged', { ticket = summary, was = old and old.state })
  return true
end

--- Forgets a ticket that is there no more, with its tasks and proposals.
---@param ticket string
function M.drop_ticket(ticket)
  for _, task in ipairs(M.known.order[ticket] or {}) do
    M.known.sequences[ticket .. '/' .. task] = nil
  end
  M.known.tickets[ticket], M.known.tasks[ticket], M.known.order[ticket] = nil, nil, nil
  M.known.proposals = vim.iter(M.known.proposals):fold({}, function(kept, id, one)
    kept[id] = one.ticket ~= ticket and one or nil
    return kept
  end)
  events.emit('TicketDropped', { ticket = ticket })
end

---@param ticket string
---@param task sennit.TaskView
---@param sequence? integer
function M.take_task(ticket, task, sequence)
  local key = ticket .. '/' .. task.id
  if sequence and sequence < (M.known.sequences[key] or 0) then
    return
  end
  M.known.sequences[key] = sequence or M.known.sequences[key]
  local tasks = M.known.tasks[ticket] or {}
  M.known.tasks[ticket] = tasks
  if not tasks[task.id] then
    local order = M.known.order[ticket] or {}
    M.known.order[ticket] = order
    order[#order + 1] = task.id
  end
  tasks[task.id] = task
  events.emit('TaskChanged', { ticket = ticket, task = task })
end

--- Takes a ticket in full.
---@param view sennit.TicketView
function M.take_view(view)
  M.known.order[view.id] = vim.tbl_map(function(task)
    return task.id
  end, view.tasks or {})
  local known = M.known.tasks[view.id] or {}
  M.known.tasks[view.id] = known
  for _, task in ipairs(view.tasks or {}) do
    local old, heard = known[task.id], M.known.sequences[view.id .. '/' .. task.id] or 0
    -- An answer may come after news that are newer; progress has no number of its own.
    if not old or heard <= view.sequence then
      if old and old.state == task.state and not task.progress then
        task.progress = old.progress
      end
      known[task.id] = task
    end
  end
  events.emit('TicketChanged', { ticket = M.known.tickets[view.id] or view })
end

---@param summary sennit.ProposalSummary
function M.take_proposal(summary)
  local old = M.known.proposals[summary.id]
  if old and (old.sequence or 0) > (summary.sequence or 0) then
    return
  end
  M.known.proposals[summary.id] = summary
  events.emit('ProposalChanged', { proposal = summary, was = old and old.integration })
end

---@param view sennit.ApplicationView
---@param root string The folder of the server that told it.
function M.take_application(view, root)
  M.known.roots[view.id] = root
  table.insert(M.known.applications, view)
  events.emit('Applied', { application = view })
end

--- Takes LSP's progress.
---@param token string|integer
---@param value any
function M.take_progress(token, value)
  if value.kind == 'end' then
    M.known.progress[token] = nil
  else
    local old = M.known.progress[token] or { title = '' }
    M.known.progress[token] = {
      title = value.title or old.title,
      message = value.message or old.message,
      percentage = value.percentage or old.percentage,
    }
  end
  events.emit('Progress', { token = token, value = value })
end

local FINAL = {
  completed = true,
  partial = true,
  failed = true,
  cancelled = true,
  interrupted = true,
  skipped = true,
  blocked = true,
}

---@param state sennit.TaskState|sennit.TicketState
---@return boolean
function M.is_final(state)
  return FINAL[state] == true
end

--- Whether a ticket is about a folder; servers tell of all repositories.
---@param ticket sennit.TicketSummary
---@param root string
---@return boolean
function M.concerns(ticket, root)
  return not ticket.repositories
    or #ticket.repositories == 0
    or vim.iter(ticket.repositories):any(function(uri)
      local top = paths.of_uri(uri)
      return top and (paths.is_below(top, root) or paths.is_below(root, top))
    end)
end

--- Tickets, newest first.
---@return sennit.TicketSummary[]
function M.tickets()
  local all = vim.tbl_values(M.known.tickets)
  table.sort(all, function(one, other)
    -- By the clock only where a server tells nothing better: clocks are set back.
    if (one.made or 0) ~= (other.made or 0) then
      return (one.made or 0) > (other.made or 0)
    end
    if one.createdAt ~= other.createdAt then
      return one.createdAt > other.createdAt
    end
    return one.id > other.id
  end)
  return all
end

--- Tasks of a ticket in its own order.
---@param ticket string
---@return sennit.TaskView[]
function M.tasks(ticket)
  local tasks = M.known.tasks[ticket] or {}
  return vim.tbl_map(function(id)
    return tasks[id]
  end, M.known.order[ticket] or {})
end

--- Proposals in the order of reconciliation.
---@param ticket? string
---@return sennit.ProposalSummary[]
function M.proposals(ticket)
  local found = vim.tbl_filter(function(one)
    -- News may come of tickets of other folders, which are not among ours.
    return one.ticket == ticket or (not ticket and M.known.tickets[one.ticket] ~= nil)
  end, vim.tbl_values(M.known.proposals))
  table.sort(found, function(one, other)
    if one.ticket ~= other.ticket then
      return one.ticket < other.ticket
    end
    return one.order < other.order
  end)
  return found
end

local REVIEWABLE = { clean = true, conflict = true, retained = true, alreadyPresent = true }

--- What an agent asks and nobody has answered, oldest first; there may be several at once.
---@param task sennit.TaskView
---@return sennit.Question[]
function M.questions(task)
  return vim.tbl_filter(function(one)
    return not one.answer
  end, task.questions or { task.question })
end

--- Whether a proposal waits for the user.
---@param one sennit.ProposalSummary
---@return boolean
function M.is_open(one)
  return REVIEWABLE[one.integration] == true
    and one.application ~= 'applied'
    and one.review ~= 'rejected'
    and (one.files or 0) > 0
end

return M
