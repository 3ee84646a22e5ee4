--- What a user does with tickets: cancel, answer, look at what an agent writes.
local async = require('sennit.async')
local client = require('sennit.client')
local notify = require('sennit.notify')
local plain = require('sennit.plain')
local questions = require('sennit.questions')
local requests = require('sennit.requests')
local state = require('sennit.state')

local M = {}

--- Has the user choose one of several tickets; under `async.run`.
---@param found sennit.TicketSummary[]
---@param prompt string
---@return string? id
function M.choose(found, prompt)
  local chosen = async.select(found, {
    prompt = prompt,
    kind = 'sennit.ticket',
    format_item = function(one)
      return ('%s  %s  %s'):format(one.id, one.state, plain.line(one.label, 60))
    end,
  })
  return chosen and chosen.id
end

--- The ticket that is meant: the named one, else the newest of those that fit.
---@param wanted? string
---@param fits fun(ticket: sennit.TicketSummary): boolean
---@return string?
local function ticket_for(wanted, fits)
  if wanted then
    return wanted
  end
  local found = vim.tbl_filter(fits, state.tickets())
  if #found <= 1 then
    return found[1] and found[1].id
  end
  return M.choose(found, 'Which ticket?')
end

---@param result sennit.CancelResult
---@return string
local function losses(result)
  local lines = vim.tbl_map(function(task)
    return ('%s: %s, %s'):format(task.id, task.stopped, plain.line(task.keeps))
  end, result.tasks)
  return table.concat(lines, '; ')
end

--- Cancels after saying what would be lost.
---@param ticket? string
---@param task? string
function M.cancel(ticket, task)
  async.run(function()
    local server = client.informed()
    local id = server
      and ticket_for(ticket, function(one)
        return not state.is_final(one.state)
      end)
    if not server or not id then
      if server then
        notify.info('nothing is running.')
      end
      return
    end
    local params = { ticket = id, tasks = task and { task } or nil, force = false }
    local preview = requests.expect(server, 'It was not cancelled', 'sennit/cancel', params)
    if not preview or preview.done then
      return
    end
    local yes = ('Cancel %s'):format(task or id)
    local choice = async.select({ yes, 'Let it run' }, {
      prompt = ('Cancel? %s'):format(losses(preview)),
      kind = 'sennit.cancel',
    })
    if choice == yes then
      params.force = true
      local result = requests.expect(server, 'It was not cancelled', 'sennit/cancel', params)
      if result then
        notify.info(('%s: %s'):format(id, losses(result)))
      end
    end
  end)
end

---@class sennit.OpenQuestion
---@field ticket string
---@field task sennit.TaskView
---@field question sennit.Question

---@return sennit.OpenQuestion[]
local function asking()
  local found = {}
  for _, ticket in ipairs(state.tickets()) do
    for _, task in ipairs(state.tasks(ticket.id)) do
      for _, question in ipairs(task.state == 'waiting' and state.questions(task) or {}) do
        found[#found + 1] = { ticket = ticket.id, task = task, question = question }
      end
    end
  end
  return found
end

---@param ticket? string
---@param task? string
---@return sennit.OpenQuestion?
local function question_for(ticket, task)
  local found = vim.tbl_filter(function(one)
    return (not ticket or one.ticket == ticket) and (not task or one.task.id == task)
  end, asking())
  if #found <= 1 then
    return found[1]
  end
  return async.select(found, {
    prompt = 'Answer which question?',
    kind = 'sennit.question',
    format_item = function(one)
      return ('%s: %s'):format(one.task.id, plain.line(one.question.text, 100))
    end,
  })
end

--- Answers: `[ticket [task [answer…]]]`.
---@param words string[]
---@param rest string
function M.answer(words, rest)
  async.run(function()
    local server = client.informed()
    local found = server and question_for(words[1], words[2])
    if not server or not found then
      if server then
        notify.info('no question waits for an answer.')
      end
      return
    end
    local given = words[3] and rest:match('^%S+%s+%S+%s+(.+)$')
    local answer = given or questions.prompt(found.task.id, found.question)
    if not answer or answer == '' then
      return
    end
    local result = requests.expect(server, 'It was not answered', 'sennit/answer', {
      ticket = found.ticket,
      task = found.task.id,
      question = found.question.id,
      answer = answer,
    })
    if result then
      notify.info(('%s has been answered.'):format(found.task.id))
    end
  end)
end

---@param ticket string
---@return string?
local function choose_task(ticket)
  local ids = vim.tbl_map(function(one)
    return one.id
  end, state.tasks(ticket))
  if #ids <= 1 then
    return ids[1]
  end
  return async.select(ids, { prompt = 'Which task?', kind = 'sennit.task' })
end

--- Shows what an agent writes.
---@param ticket? string
---@param task? string
function M.output(ticket, task)
  async.run(function()
    local server = client.informed()
    local id = server and ticket_for(ticket, function()
      return true
    end)
    if not server or not id then
      return
    end
    if #state.tasks(id) == 0 then
      require('sennit.refresh').ticket(server, id)
    end
    local name = task or choose_task(id)
    if name then
      require('sennit.ui.output').open(id, name)
    end
  end)
end

return M
