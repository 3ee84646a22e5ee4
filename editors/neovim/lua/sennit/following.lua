--- More work on what has ended: its next revision.
local async = require('sennit.async')
local client = require('sennit.client')
local notify = require('sennit.notify')
local picking = require('sennit.picking')
local plain = require('sennit.plain')
local protocol = require('sennit.protocol')
local refresh = require('sennit.refresh')
local requests = require('sennit.requests')
local state = require('sennit.state')

local M = {}

---@type table<string, { text: string, operation: string }> What no ticket has come of, by `ticket/task`.
local drafts = {}

--- A newer follow-up is followed itself, so that there is one line of revisions. Pure.
---@param task sennit.TaskView
---@return boolean
function M.can_follow(task)
  return state.is_final(task.state) and not task.followedBy
end

--- What a later revision is, and what of earlier decisions counts for it; nil for a first one. Pure.
---@param view sennit.ProposalView
---@return string?
function M.carried(view)
  local number = view.summary.number or 1
  if number == 1 then
    return nil
  end
  local decided, all = 0, 0
  for _, file in ipairs(view.files or {}) do
    for _, unit in ipairs(file.units or {}) do
      all = all + 1
      decided = decided + (unit.decision ~= 'undecided' and 1 or 0)
    end
  end
  return ('revision %d, %d of %s decided as before'):format(
    number,
    decided,
    plain.count(all, 'change')
  )
end

---@class sennit.FollowOptions
---@field agent? string
---@field session? sennit.SessionWish
---@field begin? sennit.Begin

local OPTIONS = { agent = true, session = { 'resume', 'fresh' }, begin = { 'work', 'live' } }

--- Takes `agent=…`, `session=…` and `begin=…` from the head of what is to be done. Pure.
---@param text string
---@return sennit.FollowOptions options
---@return string rest
---@return string? problem
function M.options(text)
  local found = {}
  while true do
    local key, value, rest = text:match('^(%l+)=(%S+)%s*(.*)$')
    local allowed = key and OPTIONS[key]
    if not allowed then
      return found, text, nil
    end
    if allowed ~= true and not vim.tbl_contains(allowed, value) then
      local names = table.concat(allowed, '` or `')
      return found, text, ('`%s` must be `%s` and is `%s`'):format(key, names, value)
    end
    found[key], text = value, rest
  end
end

---@param key string
---@param text string
---@return string operation The same for the same words again, which make no second ticket.
local function keep(key, text)
  if not drafts[key] or drafts[key].text ~= text then
    local operation = vim.fn.sha256(tostring(vim.uv.hrtime()) .. text):sub(1, 40)
    drafts[key] = { text = text, operation = operation }
  end
  return drafts[key].operation
end

---@param problem sennit.Error
---@return string
local function advice(problem)
  local data = type(problem.data) == 'table' and problem.data or {}
  if data.reason == 'followed' and data.ticket and data.task then
    return (' `:Sennit follow %s %s` follows the newest.'):format(data.ticket, data.task)
  elseif problem.code == protocol.errors.NOT_TRUSTED then
    return ' `:Sennit trust` shows and grants it.'
  end
  return ''
end

---@class sennit.Passage Lines of a text that go along.
---@field proposal? string The one that the text is of.
---@field attach sennit.Attachment

--- The proposal whose text a buffer shows, and its path there.
---@param name string
---@return string? proposal
---@return string path
local function shown_in(name)
  local path, revision = name:match('^sennit:(/.*)%?rev=([%w_]+)')
  for id, one in pairs(state.known.proposals) do
    if revision and one.revision == revision then
      return id, vim.uri_decode(path)
    end
  end
  local review = require('sennit.ui.review').get()
  local shown = review and review.session.shown
  return shown and shown.proposal, path and vim.uri_decode(path) or name
end

--- The lines that the command was called on. As text, since no file of the user may hold them.
---@param given sennit.Given
---@return sennit.Passage?
local function passage(given)
  if given.range == 0 then
    return nil
  end
  local proposal, path = shown_in(vim.api.nvim_buf_get_name(0))
  local lines = vim.api.nvim_buf_get_lines(0, given.line1 - 1, given.line2, true)
  local place = ('Lines %d to %d of %s'):format(
    given.line1,
    given.line2,
    vim.fn.fnamemodify(path, ':.')
  )
  local attach = { label = place, text = table.concat(lines, '\n') }
  return { proposal = proposal, attach = attach }
end

---@param server vim.lsp.Client
---@param named sennit.TaskName
---@param text string Options and what is to be done; nothing: the same again.
---@param along? sennit.Passage
local function follow(server, named, text, along)
  local options, prompt, wrong = M.options(text)
  if wrong then
    notify.error(('%s was not followed up: %s. You wrote: %s'):format(named.task, wrong, text))
    return
  end
  local key = named.ticket .. '/' .. named.task
  local params = vim.tbl_extend('error', {
    ticket = named.ticket,
    task = named.task,
    prompt = prompt ~= '' and prompt or nil,
    attach = along and { along.attach },
    operationId = keep(key, text .. (along and along.attach.text or '')),
  }, options)
  local result, problem = requests.ask(server, 'sennit/follow', params)
  if problem then
    local wrote = text ~= '' and (' You wrote: %s'):format(plain.line(text, 300)) or ''
    notify.error(
      ('%s was not followed up: %s%s%s'):format(
        named.task,
        notify.describe(problem),
        advice(problem),
        wrote
      )
    )
    return
  end
  drafts[key] = nil
  local notices = vim.tbl_map(function(notice)
    return '\n  ' .. plain.line(notice.message)
  end, result.notices or {})
  notify.info(
    ('%s is followed up as %s (:Sennit tickets)%s'):format(
      named.task,
      result.ticket,
      table.concat(notices)
    )
  )
  refresh.ticket(server, result.ticket)
  refresh.ticket(server, named.ticket)
end

--- What is named; else, where lines go along, the proposal that they are of.
---@param words string[]
---@param rest string
---@param along? sennit.Passage
---@return sennit.Wanted
local function meant(words, rest, along)
  local wanted = picking.named(words, rest)
  local named = words[1] and state.known.proposals[words[1]]
  local shown = not wanted.ticket and along and state.known.proposals[along.proposal]
  if named then
    return { ticket = named.ticket, task = named.task, text = rest:match('^%S+%s+(.+)$') }
  elseif shown then
    return { ticket = shown.ticket, task = shown.task, text = wanted.text }
  end
  return wanted
end

--- `:Sennit follow [ticket [task]] [option…] [words]`; a proposal in place of a ticket means its task.
---@param words string[]
---@param rest string
---@param given sennit.Given
function M.follow(words, rest, given)
  local along = passage(given)
  async.run(function()
    local server = client.informed()
    if not server then
      return
    end
    local wanted = meant(words, rest, along)
    local named = picking.task(server, wanted, M.can_follow, {
      prompt = 'Follow up which task?',
      none = 'no task has ended that could be followed up.',
    })
    if not named then
      return
    end
    local draft = drafts[named.ticket .. '/' .. named.task]
    local text = wanted.text
      or async.input({
        prompt = ('%s: what now? (nothing: the same again) '):format(plain.line(named.task)),
        default = draft and draft.text,
      })
    if text then
      follow(server, named, vim.trim(text), along)
    end
  end)
end

---@param view sennit.ProposalView
---@return string?
local function earlier_of(view)
  local earlier = vim.tbl_filter(function(one)
    return one.id ~= view.summary.revision
  end, view.revisions or {})
  if #earlier <= 1 then
    return earlier[1] and earlier[1].id
  end
  local chosen = async.select(vim.iter(earlier):rev():totable(), {
    prompt = 'Against which revision?',
    kind = 'sennit.revision',
    format_item = function(one)
      return ('revision %d  %s'):format(one.number, one.at)
    end,
  })
  return chosen and chosen.id
end

--- Shows what the newest revision of a proposal changes against an earlier one.
---@param id? string
function M.since(id)
  async.run(function()
    local server = client.current()
    local shown = require('sennit.ui.review').get()
    local proposal = id or (shown and shown.session.shown and shown.session.shown.proposal)
    if not server or not proposal then
      notify.warn('no proposal is named, and no review shows one: `:Sennit since p_…`.')
      return
    end
    local what = 'The difference cannot be shown'
    local view =
      requests.expect(server, what, 'sennit/proposal', { proposal = proposal, limit = 1 })
    local against = view and earlier_of(view)
    if view and not against then
      notify.info(('%s has only this revision.'):format(view.summary.task))
    end
    local patch = against
      and requests.expect(server, what, 'sennit/proposal', {
        proposal = proposal,
        format = 'patch',
        against = against,
      })
    if patch then
      local name = ('sennit://proposal/%s/since/%s'):format(proposal, against)
      require('sennit.ui.text').open(name, plain.lines(patch.patch or ''), 'diff', server.root_dir)
    end
  end)
end

return M
