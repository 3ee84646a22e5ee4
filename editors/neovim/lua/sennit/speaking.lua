--- Speaking with agents at work: telling them something, ending their turn.
local agents = require('sennit.agents')
local async = require('sennit.async')
local client = require('sennit.client')
local notify = require('sennit.notify')
local picking = require('sennit.picking')
local plain = require('sennit.plain')
local requests = require('sennit.requests')
local state = require('sennit.state')

local M = {}

---@type table<string, { text: string, id: string }> What has not arrived, by `ticket/task`.
local drafts = {}

--- What is said, under the same id when it is the same again: it is not heard twice.
---@param key string
---@param text string
---@return string id
local function keep(key, text)
  if not drafts[key] or drafts[key].text ~= text then
    local id = vim.fn.sha256(tostring(vim.uv.hrtime()) .. text):sub(1, 40)
    drafts[key] = { text = text, id = id }
  end
  return drafts[key].id
end

local NOBODY = 'no agent at work can be spoken with. Those of kind `acp` can, in the editor that has'
  .. ' dispatched them.'

---@param task? sennit.TaskView
---@return string
local function why_not(task)
  if task and state.is_final(task.state) then
    return ('it is %s, and its agent has ended.'):format(task.state)
  elseif task and (task.state == 'queued' or task.state == 'preparing') then
    return 'its agent has not started yet. Say it once it runs.'
  end
  return 'its agent takes nothing any more, since it is ending.'
end

--- What became of what was said. Pure.
---@param result sennit.SteerResult
---@param name string
---@param task? sennit.TaskView
---@return string
function M.receipt(result, name, task)
  if result.receipt == 'delivered' then
    return ('%s was told, and goes on with it.'):format(name)
  elseif result.receipt == 'queued' then
    return ('%s is told as soon as its turn has ended. `:Sennit interrupt` ends it now.'):format(
      name
    )
  elseif result.receipt == 'duplicate' then
    return ('%s was told this already; it is not said a second time.'):format(name)
  end
  return ('%s was not told: %s'):format(name, plain.line(result.message or why_not(task), 300))
end

--- Tasks whose agents hear what is said.
---@param server vim.lsp.Client
---@param needs 'steer'|'interrupt'
---@return fun(task: sennit.TaskView): boolean
local function hears(server, needs)
  local heard
  return function(task)
    local works = task.state == 'running' or task.state == 'waiting'
    if not works or (needs == 'interrupt' and task.waitingFor == 'user') then
      return false
    end
    heard = heard or agents.hearing(server)
    return heard[task.agent] == true
  end
end

---@param named sennit.TaskName
---@return string?
local function typed(named)
  local key = named.ticket .. '/' .. named.task
  local text = async.input({
    prompt = ('Tell %s: '):format(plain.line(named.task)),
    default = drafts[key] and drafts[key].text,
  })
  return text and vim.trim(text) ~= '' and text or nil
end

---@param server vim.lsp.Client
---@param named sennit.TaskName
---@param text string
local function say(server, named, text)
  local key = named.ticket .. '/' .. named.task
  local result, problem = requests.ask(server, 'sennit/steer', {
    ticket = named.ticket,
    task = named.task,
    text = text,
    steerId = keep(key, text),
  })
  if problem then
    notify.failed(('%s was not told “%s”'):format(named.task, plain.line(text, 300)), problem)
    return
  end
  local task = (state.known.tasks[named.ticket] or {})[named.task]
  local words = M.receipt(result, named.task, task)
  if result.receipt == 'notApplied' then
    notify.warn(('%s You wrote: %s'):format(words, plain.line(text, 300)))
  else
    drafts[key] = nil
    notify.info(words)
  end
end

--- `:Sennit steer [ticket [task]] [words]`
---@param words string[]
---@param rest string
function M.steer(words, rest)
  async.run(function()
    local server = client.informed()
    if not server then
      return
    end
    local wanted = picking.named(words, rest)
    local named = picking.task(
      server,
      wanted,
      hears(server, 'steer'),
      { prompt = 'Tell which task?', none = NOBODY }
    )
    local text = named and (wanted.text or typed(named))
    if named and text then
      say(server, named, text)
    end
  end)
end

--- `:Sennit interrupt [ticket [task]]`
---@param words string[]
---@param rest string
function M.interrupt(words, rest)
  async.run(function()
    local server = client.informed()
    if not server then
      return
    end
    local named = picking.task(
      server,
      picking.named(words, rest),
      hears(server, 'interrupt'),
      { prompt = 'Interrupt which task?', none = NOBODY }
    )
    local result = named
      and requests.expect(server, 'It was not interrupted', 'sennit/interrupt', {
        ticket = named.ticket,
        task = named.task,
      })
    if named and result and result.interrupted then
      notify.info(
        ('%s is interrupted, and waits for what you say: `:Sennit steer`, or `:Sennit cancel`.'):format(
          named.task
        )
      )
    elseif named and result then
      notify.warn(('%s was not interrupted: no turn of its agent is under way.'):format(named.task))
    end
  end)
end

return M
