--- The panel of tickets as lines of text, each with what it stands for. Pure.
local plain = require('sennit.plain')
local progress = require('sennit.progress')
local remarks = require('sennit.remarks')
local known = require('sennit.state')

local M = {}

---@class sennit.TicketRow
---@field text string
---@field marks { first: integer, last: integer, group: string }[]
---@field ticket? string
---@field task? string
---@field proposal? string

---@type table<string, string>
local GROUPS = {
  running = 'DiagnosticInfo',
  preparing = 'DiagnosticInfo',
  waiting = 'DiagnosticWarn',
  queued = 'Comment',
  completed = 'DiagnosticOk',
  partial = 'DiagnosticWarn',
  failed = 'DiagnosticError',
  cancelled = 'Comment',
  interrupted = 'DiagnosticWarn',
  blocked = 'DiagnosticWarn',
  clean = 'DiagnosticOk',
  conflict = 'DiagnosticError',
  retained = 'DiagnosticWarn',
}

-- What queued tasks share with those that they wait for.
local SHARED = { provider = true, model = true, agent = true }

local EMPTY = 'No tickets so far. `:Sennit dispatch` gives a task to an agent.'

--- Puts words beside each other; a word may have a group.
---@param parts { [1]: string, [2]?: string }[]
---@return sennit.TicketRow
local function row(parts)
  local text, marks = '', {}
  for _, part in ipairs(parts) do
    if part[2] then
      marks[#marks + 1] = { first = #text, last = #text + #part[1], group = part[2] }
    end
    text = text .. part[1]
  end
  return { text = text, marks = marks }
end

--- Where ended work is gone on with.
---@param ticket string
---@param task sennit.TaskView
---@param tasks sennit.TaskView[] Of the ticket.
---@return string
local function gone_on(ticket, task, tasks)
  if task.followedBy ~= ticket then
    return 'followed up in ' .. task.followedBy
  end
  -- A conflict was given back to its agent, in the same ticket.
  local again = vim.iter(tasks):find(function(one)
    return one.following ~= nil and one.following.ticket == ticket and one.following.task == task.id
  end)
  return again and 'done again as ' .. again.id or 'done again'
end

---@param ticket string
---@param task sennit.TaskView
---@param tasks sennit.TaskView[]
---@return string
local function detail(ticket, task, tasks)
  local questions = known.questions(task)
  if task.failure then
    return plain.line(task.failure.message, 100)
  elseif #questions > 0 then
    local more = #questions > 1 and (' (and %d more)'):format(#questions - 1) or ''
    return 'asks: ' .. plain.line(questions[1].text, 100) .. more
  elseif task.waitingFor == 'user' then
    return 'is interrupted, waits for what you say'
  elseif task.queuedFor then
    return (SHARED[task.queuedFor] and 'for its ' or 'for a ') .. task.queuedFor
  elseif task.progress and task.state == 'running' then
    return progress.words(task.progress)
  end
  local runs = task.runs or {}
  local parts = progress.usage(#runs > 0 and runs[#runs].usage or nil)
  if task.followedBy then
    table.insert(parts, 1, gone_on(ticket, task, tasks))
  end
  local about = plain.line(task.description, 80)
  if about ~= '' then
    parts[#parts + 1] = about
  end
  return table.concat(parts, ', ')
end

---@param flags? sennit.Flag[]
---@return { [1]: string, [2]?: string }[]
local function flag_parts(flags)
  return vim.tbl_map(function(words)
    return { '  ! ' .. words, 'DiagnosticWarn' }
  end, remarks.flags(flags))
end

---@param proposal sennit.ProposalSummary
---@return { [1]: string, [2]?: string }[]
local function proposal_parts(proposal)
  local number = proposal.number or 1
  local parts = {
    { number > 1 and ('  revision %d '):format(number) or '  ' },
    { proposal.integration, GROUPS[proposal.integration] },
    {
      ('  %s +%d -%d'):format(
        plain.count(proposal.files or 0, 'file'),
        proposal.linesAdded or 0,
        proposal.linesRemoved or 0
      ),
    },
  }
  if proposal.review ~= 'offered' then
    parts[#parts + 1] = { '  ' .. proposal.review }
  end
  if proposal.application ~= 'none' then
    parts[#parts + 1] = { '  ' .. proposal.application, 'DiagnosticOk' }
  end
  vim.list_extend(parts, flag_parts(proposal.flags))
  return parts
end

---@param ticket sennit.TicketSummary
---@return sennit.TicketRow
local function ticket_row(ticket)
  local done = ('%d of %s done'):format(
    ticket.tasksFinal or 0,
    plain.count(ticket.tasks or 0, 'task')
  )
  local made = row({
    { ticket.id, 'Identifier' },
    { '  ' },
    { ticket.state, GROUPS[ticket.state] },
    { ('  %s  %s'):format(done, plain.line(ticket.label, 60)) },
  })
  made.ticket = ticket.id
  return made
end

---@param ticket string
---@param task sennit.TaskView
---@param tasks sennit.TaskView[]
---@param proposals sennit.ProposalSummary[]
---@return sennit.TicketRow
local function task_row(ticket, task, tasks, proposals)
  local parts = {
    { ('  %-16s '):format(task.id), 'Function' },
    { ('%-10s'):format(task.state), GROUPS[task.state] },
  }
  local made, flags
  for _, proposal in ipairs(proposals) do
    if proposal.task == task.id then
      vim.list_extend(parts, proposal_parts(proposal))
      made = (proposal.files or 0) > 0 and proposal.id or nil
      flags = proposal.flags or {}
    end
  end
  -- Those of a proposal are its task's, too, and are told once.
  vim.list_extend(
    parts,
    flag_parts(vim.tbl_filter(function(flag)
      return not vim.tbl_contains(flags or {}, flag)
    end, task.flags or {}))
  )
  local count = #(task.notices or {})
  if count > 0 then
    parts[#parts + 1] = { ('  %s (K)'):format(plain.count(count, 'note')), 'DiagnosticHint' }
  end
  parts[#parts + 1] = { '  ' .. detail(ticket, task, tasks), 'Comment' }
  local result = row(parts)
  result.ticket, result.task, result.proposal = ticket, task.id, made
  return result
end

--- All lines of the panel.
---@param state table The module `sennit.state`.
---@return sennit.TicketRow[]
function M.lines(state)
  local lines = {}
  for _, ticket in ipairs(state.tickets()) do
    lines[#lines + 1] = ticket_row(ticket)
    local proposals = state.proposals(ticket.id)
    local tasks = state.tasks(ticket.id)
    for _, task in ipairs(tasks) do
      lines[#lines + 1] = task_row(ticket.id, task, tasks, proposals)
    end
  end
  return #lines > 0 and lines or { row({ { EMPTY, 'Comment' } }) }
end

return M
