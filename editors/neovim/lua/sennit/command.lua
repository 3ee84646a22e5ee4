--- `:Sennit`: its sub-commands, what each takes, and completion.
local completion = require('sennit.completion')
local notify = require('sennit.notify')

local M = {}

---@class sennit.Given What Neovim says of a call of the command.
---@field range integer
---@field line1 integer
---@field line2 integer
---@field bang boolean

---@class sennit.SubCommand
---@field about string
---@field run fun(words: string[], given: sennit.Given, rest: string)
---@field complete? fun(lead: string, before: string[]): string[]

--- Headers of a draft that can stand before a prompt on the command line.
local IN_LINE = {
  agent = true,
  role = true,
  model = true,
  class = true,
  thinking = true,
  access = true,
  budget = true,
  deadline = true,
  base = true,
  writes = true,
  attach = true,
}

--- What is wrong with a word before `=` at the head of a prompt; nil where it may well be of the prompt.
---@param name string
---@return string? problem
local function no_option(name)
  local headers = require('sennit.headers')
  local draft = '`:Sennit dispatch` alone opens a draft'
  if headers.get(name) then
    return ('`%s` can be said in a draft alone; %s'):format(name, draft)
  elseif headers.is_slip(name) then
    return ('%s. If the prompt begins so, write it into a draft; %s'):format(
      headers.unknown(name),
      draft
    )
  end
  return nil
end

--- Takes `agent=NAME` and its like off the head of a prompt.
---@param rest string
---@return sennit.Draft? draft
---@return string? problem
local function read_draft(rest)
  local headers = require('sennit.headers')
  ---@type sennit.Draft
  local draft = { prompt = rest }
  while true do
    local name, value, prompt = draft.prompt:match('^(%l+)=(%S+)%s*(.*)$')
    if not name or not IN_LINE[name] then
      local problem = name and no_option(name)
      return not problem and draft or nil, problem
    end
    local problem = headers.put(draft, assert(headers.get(name)), value)
    if problem then
      return nil, problem
    end
    draft.prompt = prompt
  end
end

---@param given sennit.Given
---@return string?
local function selection(given)
  if given.range == 0 then
    return nil
  end
  local name = vim.api.nvim_buf_get_name(0)
  local root = require('sennit.client').here()
  local path = root and name:sub(1, #root + 1) == root .. '/' and name:sub(#root + 2) or name
  local lines = vim.api.nvim_buf_get_lines(0, given.line1 - 1, given.line2, true)
  return require('sennit.draft').context(path, given.line1, given.line2, lines)
end

---@param given sennit.Given
---@param rest string
local function dispatch(_, given, rest)
  local draft, problem = read_draft(rest)
  if not draft then
    notify.error(('nothing was dispatched: %s.'):format(problem))
    return
  end
  if not require('sennit.draft').names_somebody(draft) then
    draft.agent = require('sennit.config').get().agent
  end
  local context = selection(given)
  if context and draft.agent == 'command' then
    notify.error('the agent `command` runs its prompt as a command line and takes no selection.')
    return
  end
  local is_open = draft.prompt == ''
  if context then
    draft.prompt = vim.trim(draft.prompt .. '\n\n' .. context)
  end
  if is_open then
    require('sennit.ui.draft').open({ draft })
    require('sennit.agents').learn()
    return
  end
  require('sennit.dispatch').prompt(draft)
end

--- A sub-command that is given the words, the whole of what follows, and the lines that it was called on.
---@param module string
---@param name string
---@return fun(words: string[], given: sennit.Given, rest: string)
local function speaking(module, name)
  return function(words, given, rest)
    require(module)[name](words, rest, given)
  end
end

---@param decision sennit.Decision
---@return fun(words: string[])
local function decide(decision)
  return function(words)
    require('sennit.review').decide(decision, words[1])
  end
end

---@type table<string, sennit.SubCommand>
M.commands = {
  dispatch = {
    about = 'gives a task to an agent; with no prompt opens a draft',
    run = dispatch,
    complete = completion.dispatch,
  },
  tickets = {
    about = 'shows tickets, tasks and proposals with their state',
    run = function()
      require('sennit.ui.tickets').toggle()
    end,
  },
  review = {
    about = 'opens the review of a ticket or a proposal',
    run = function(words)
      require('sennit.review').open(words[1])
    end,
    complete = completion.review,
  },
  accept = { about = 'accepts', run = decide('accepted'), complete = completion.scopes },
  reject = { about = 'rejects', run = decide('rejected'), complete = completion.scopes },
  reset = { about = 'makes undecided', run = decide('undecided'), complete = completion.scopes },
  next = {
    about = 'goes to the next hunk of the review',
    run = function()
      require('sennit.review').go(1)
    end,
  },
  previous = {
    about = 'goes to the previous hunk of the review',
    run = function()
      require('sennit.review').go(-1)
    end,
  },
  close = {
    about = 'leaves the review',
    run = function()
      if not require('sennit.ui.conflict').close() then
        require('sennit.review').close()
      end
    end,
  },
  apply = {
    about = 'applies what is accepted',
    run = function(words)
      require('sennit.applying').apply(words[1])
    end,
    complete = completion.review,
  },
  undo = {
    about = "takes an application back; with ! this editor's last edit, without the server",
    run = function(words, given)
      if given.bang then
        require('sennit.applying').undo_here()
      else
        require('sennit.applying').undo(words[1])
      end
    end,
    complete = completion.applications,
  },
  conflicts = {
    about = 'shows the sides of a conflict',
    run = function()
      require('sennit.review').conflicts()
    end,
  },
  ['agent-text'] = {
    about = 'shows what the agent itself has done to a file whose conflict was settled',
    run = speaking('sennit.agent_text', 'open'),
    complete = completion.proposals,
  },
  resolve = {
    about = 'settles a conflict by a suggestion, a side or a text, or takes that back',
    run = speaking('sennit.resolving', 'resolve'),
    complete = completion.proposals,
  },
  answer = {
    about = 'answers a question of an agent',
    run = function(words, _, rest)
      require('sennit.tickets').answer(words, rest)
    end,
    complete = completion.task,
  },
  steer = {
    about = 'tells an agent at work something',
    run = speaking('sennit.speaking', 'steer'),
    complete = completion.running,
  },
  interrupt = {
    about = 'ends the turn of an agent, which then waits for what is said',
    run = speaking('sennit.speaking', 'interrupt'),
    complete = completion.running,
  },
  follow = {
    about = 'gives ended work to an agent again, for its next revision',
    run = speaking('sennit.following', 'follow'),
    complete = completion.follow,
  },
  since = {
    about = 'shows what a proposal changes against an earlier revision of it',
    run = function(words)
      require('sennit.following').since(words[1])
    end,
    complete = completion.proposals,
  },
  details = {
    about = 'shows what is known of a task: prompt, sandbox, what it used, what happened',
    run = speaking('sennit.details', 'open'),
    complete = completion.task,
  },
  cancel = {
    about = 'cancels a ticket or a task of it',
    run = function(words)
      require('sennit.tickets').cancel(words[1], words[2])
    end,
    complete = completion.running,
  },
  drop = {
    about = 'drops a ticket that has ended, for good',
    run = speaking('sennit.dropping', 'drop'),
    complete = completion.review,
  },
  overlaps = {
    about = 'shows which open work changes the same files',
    run = speaking('sennit.overlaps', 'open'),
    complete = completion.review,
  },
  materialise = {
    about = 'checks what a task has done out into a plain folder',
    run = speaking('sennit.materialising', 'open'),
    complete = completion.task,
  },
  output = {
    about = 'shows what an agent writes',
    run = function(words)
      require('sennit.tickets').output(words[1], words[2])
    end,
    complete = completion.task,
  },
  trust = {
    about = 'lists, grants or revokes trust in this folder',
    run = function(words)
      require('sennit.trust').run(words[1])
    end,
    complete = completion.trust,
  },
  restart = {
    about = 'ends the server of this folder and starts it again',
    run = function()
      require('sennit.client').restart()
    end,
  },
  stop = {
    about = 'ends the server of this folder',
    run = function()
      local client = require('sennit.client')
      client.stop(client.here() or '')
    end,
  },
  log = {
    about = 'opens the log',
    run = function()
      vim.cmd.tabedit(vim.fn.fnameescape(require('sennit.log').path()))
    end,
  },
  health = {
    about = 'looks whether everything is there',
    run = function()
      vim.cmd('checkhealth sennit')
    end,
  },
}

---@return string[]
local function names()
  local all = vim.tbl_keys(M.commands)
  table.sort(all)
  return all
end

--- Runs `:Sennit …`.
---@param given table<string, any> As `nvim_create_user_command` hands it over.
function M.run(given)
  local name, bang, rest = given.args:match('^([^%s!]*)(!?)%s*(.-)$')
  if name == '' then
    name = 'tickets'
  end
  local command = M.commands[name]
  if not command then
    notify.error(
      ('there is no `:Sennit %s`; there are: %s'):format(name, table.concat(names(), ', '))
    )
    return
  end
  local words = vim.split(rest, '%s+', { trimempty = true })
  command.run(words, vim.tbl_extend('force', given, { bang = given.bang or bang == '!' }), rest)
end

--- Completes `:Sennit …`.
---@param lead string
---@param line string
---@param position integer
---@return string[]
function M.complete(lead, line, position)
  local typed = line:sub(1, position):gsub('^.-Sennit!?%s+', '')
  local before = vim.split(typed:sub(1, #typed - #lead), '%s+', { trimempty = true })
  if #before == 0 then
    return completion.matching(lead, names())
  end
  local command = M.commands[table.remove(before, 1)]
  return command and command.complete and command.complete(lead, before) or {}
end

return M
