--- All that is known of a task's work, as a text for people.
local async = require('sennit.async')
local client = require('sennit.client')
local notify = require('sennit.notify')
local picking = require('sennit.picking')
local plain = require('sennit.plain')
local progress = require('sennit.progress')
local remarks = require('sennit.remarks')
local requests = require('sennit.requests')

local M = {}

local MOST_EVENTS = 10000

--- What confined a run. Pure.
---@param sandbox? sennit.RunSandbox
---@return string
function M.sandbox(sandbox)
  if not sandbox then
    return 'nothing is recorded'
  elseif not sandbox.confined then
    local why = sandbox.whyNot and ': ' .. sandbox.whyNot or ''
    return ('none (%s)%s'):format(sandbox.wanted, why)
  end
  local places = sandbox.workspaceWritable and { 'its workspace' } or {}
  vim.list_extend(places, sandbox.writable or {})
  local written = #places > 0 and table.concat(places, ', ') or 'nothing'
  local left = #(sandbox.leftOut or {}) > 0
      and '; left out: ' .. table.concat(sandbox.leftOut, ', ')
    or ''
  return ('confined; it could write to %s%s'):format(written, left)
end

--- How the workspace of a run was made, and why in no other way. Pure.
---@param workspace? sennit.RunWorkspace
---@return string[]
function M.workspace(workspace)
  if not workspace then
    return { 'workspace: not known' }
  end
  local lines = { 'workspace: ' .. plain.line(workspace.kind) }
  for _, why in ipairs(workspace.refused or {}) do
    lines[#lines + 1] = '  not by ' .. plain.line(why)
  end
  return lines
end

---@param run sennit.RunView
---@return string?
local function session(run)
  if run.resumed == nil then
    return nil
  end
  return run.resumed and 'session: it went on with an earlier one'
    or 'session: a new one, since the earlier one could not be gone on with'
end

---@param result sennit.RunResult
---@return string[]
local function run_lines(result)
  local used = progress.usage(result.run.usage)
  if (result.run.tools or 0) > 0 then
    used[#used + 1] = plain.count(result.run.tools, 'call') .. ' of tools'
  end
  local lines = {
    'used: ' .. (#used > 0 and table.concat(used, ', ') or 'it does not tell'),
    'command line: ' .. plain.line(table.concat(result.argv, ' ')),
    'folder: ' .. plain.line(result.folder),
  }
  vim.list_extend(lines, M.workspace(result.workspace))
  lines[#lines + 1] = 'sandbox: ' .. plain.line(M.sandbox(result.sandbox))
  lines[#lines + 1] = session(result.run)
  if #(result.survivors or {}) > 0 then
    lines[#lines + 1] = 'processes that could not be ended: '
      .. table.concat(vim.tbl_map(tostring, result.survivors), ', ')
  end
  vim.list_extend(lines, { '', 'What it was told', '' })
  return vim.list_extend(lines, plain.lines(result.prompt))
end

---@class sennit.Details
---@field task sennit.TaskView
---@field ticket sennit.TicketView
---@field proposal? sennit.ProposalView
---@field run? sennit.RunResult Absent before its first run.
---@field events sennit.StoryEvent[]

---@param details sennit.Details
---@return string[]
local function remark_lines(details)
  local task, ticket, proposal = details.task, details.ticket, details.proposal
  local lines = remarks.flags(task.flags)
  if task.following then
    lines[#lines + 1] = ('follows %s of %s'):format(task.following.task, task.following.ticket)
  end
  if task.followedBy then
    lines[#lines + 1] = task.followedBy == ticket.id and 'done again in this ticket'
      or 'followed up in ' .. task.followedBy
  end
  local all = { task.notices or {}, proposal and proposal.notices or {}, ticket.notices or {} }
  for _, notices in ipairs(all) do
    for _, words in ipairs(remarks.notices(notices)) do
      lines[#lines + 1] = 'note: ' .. words
    end
  end
  for _, base in ipairs(ticket.bases or {}) do
    vim.list_extend(lines, remarks.base(base))
  end
  return lines
end

--- The text. Pure.
---@param details sennit.Details
---@return string[]
function M.lines(details)
  local task, run = details.task, details.run
  local lines = { ('%s: %s, by %s'):format(task.id, task.state, task.agent) }
  if task.description then
    lines[#lines + 1] = plain.line(task.description)
  end
  if task.failure then
    vim.list_extend(lines, plain.lines(task.failure.message))
  end
  vim.list_extend(lines, remark_lines(details))
  vim.list_extend(lines, run and run_lines(run) or {})
  if task.resultText then
    vim.list_extend(lines, { '', 'Last words of its agent', '' })
    vim.list_extend(lines, plain.lines(vim.trim(task.resultText)))
  end
  vim.list_extend(lines, { '', 'What happened', '' })
  for _, event in ipairs(details.events) do
    lines[#lines + 1] = ('%s  %s'):format(event.at, plain.line(event.message))
  end
  return lines
end

--- What happened to a task, and what happened to its ticket as a whole. Pure.
---@param events sennit.StoryEvent[]
---@param task string
---@return sennit.StoryEvent[]
function M.events_of(events, task)
  return vim.tbl_filter(function(event)
    return event.task == nil or event.task == task
  end, events)
end

---@param server vim.lsp.Client
---@param named sennit.TaskName
---@return sennit.Details? details Nil where something cannot be had, which is told.
local function read(server, named)
  local what = 'The details cannot be shown'
  local ticket = requests.expect(server, what, 'sennit/ticket', { ticket = named.ticket })
  local task = ticket
    and vim.iter(ticket.tasks or {}):find(function(one)
      return one.id == named.task
    end)
  if not task then
    if ticket then
      notify.warn(('the ticket %s has no task %s.'):format(named.ticket, named.task))
    end
    return nil
  end
  local run = #(task.runs or {}) > 0 and requests.expect(server, what, 'sennit/run', named)
  local proposal = task.proposal
    and requests.expect(server, what, 'sennit/proposal', {
      proposal = task.proposal,
      revision = task.revision,
      limit = 1,
    })
  local story = requests.expect(server, what, 'sennit/story', {
    ticket = named.ticket,
    limit = MOST_EVENTS,
  })
  return story
    and {
      task = task,
      ticket = ticket,
      proposal = proposal or nil,
      run = run or nil,
      events = M.events_of(story.events, named.task),
    }
end

--- `:Sennit details [ticket [task]]`
---@param words string[]
---@param rest string
function M.open(words, rest)
  async.run(function()
    local server = client.informed()
    local named = server
      and picking.task(server, picking.named(words, rest), function()
        return true
      end, { prompt = 'Details of which task?', none = 'there is no task yet.' })
    local details = server and named and read(server, named)
    if server and named and details then
      local name = ('sennit://ticket/%s/task/%s/details'):format(named.ticket, named.task)
      require('sennit.ui.text').open(name, M.lines(details), nil, server.root_dir)
    end
  end)
end

return M
