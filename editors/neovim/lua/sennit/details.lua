--- All that is known of a task's work, as a text for people.
local async = require('sennit.async')
local client = require('sennit.client')
local picking = require('sennit.picking')
local plain = require('sennit.plain')
local progress = require('sennit.progress')
local requests = require('sennit.requests')

local M = {}

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

---@param result sennit.RunResult
---@return string[]
local function run_lines(result)
  local used = progress.usage(result.run.usage)
  if (result.run.tools or 0) > 0 then
    used[#used + 1] = plain.count(result.run.tools, 'call') .. ' of tools'
  end
  local lines = {
    'used: ' .. (#used > 0 and table.concat(used, ', ') or 'it does not tell'),
    'command line: ' .. table.concat(result.argv, ' '),
    'folder: ' .. result.folder,
    'sandbox: ' .. M.sandbox(result.sandbox),
  }
  if #(result.survivors or {}) > 0 then
    lines[#lines + 1] = 'processes that could not be ended: '
      .. table.concat(vim.tbl_map(tostring, result.survivors), ', ')
  end
  vim.list_extend(lines, { '', 'What it was told', '' })
  return vim.list_extend(lines, plain.lines(result.prompt))
end

--- The text. Pure.
---@param task sennit.TaskView
---@param run? sennit.RunResult Absent before its first run.
---@param events sennit.StoryEvent[]
---@return string[]
function M.lines(task, run, events)
  local lines = { ('%s: %s, by %s'):format(task.id, task.state, task.agent) }
  if task.description then
    lines[#lines + 1] = plain.line(task.description)
  end
  if task.failure then
    vim.list_extend(lines, plain.lines(task.failure.message))
  end
  vim.list_extend(lines, run and run_lines(run) or {})
  if task.resultText then
    vim.list_extend(lines, { '', 'Last words of its agent', '' })
    vim.list_extend(lines, plain.lines(vim.trim(task.resultText)))
  end
  vim.list_extend(lines, { '', 'What happened', '' })
  for _, event in ipairs(events) do
    lines[#lines + 1] = ('%s  %s'):format(event.at, plain.line(event.message))
  end
  return lines
end

--- `:Sennit details [ticket [task]]`
---@param words string[]
---@param rest string
function M.open(words, rest)
  async.run(function()
    local server = client.current()
    local named = server
      and picking.task(server, picking.named(words, rest), function()
        return true
      end, { prompt = 'Details of which task?', none = 'there is no task yet.' })
    if not server or not named then
      return
    end
    local what = 'The details cannot be shown'
    local view = requests.expect(server, what, 'sennit/ticket', { ticket = named.ticket })
    local task = view
      and vim.iter(view.tasks or {}):find(function(one)
        return one.id == named.task
      end)
    local run = task
        and #(task.runs or {}) > 0
        and requests.expect(server, what, 'sennit/run', named)
      or nil
    local story = task and requests.expect(server, what, 'sennit/story', named)
    if task and story then
      local name = ('sennit://ticket/%s/task/%s/details'):format(named.ticket, named.task)
      local lines = M.lines(task, run, story.events)
      require('sennit.ui.text').open(name, lines, nil, server.root_dir)
    end
  end)
end

return M
