--- Settling conflicts by a suggestion, a side or a text, and taking that back.
local async = require('sennit.async')
local client = require('sennit.client')
local notify = require('sennit.notify')
local plain = require('sennit.plain')
local protocol = require('sennit.protocol')
local requests = require('sennit.requests')

local M = {}

---@class sennit.Way Something that can be chosen about a conflict.
---@field text string
---@field take? sennit.Take
---@field suggestion? sennit.SuggestionView It is shown before it is taken.
---@field edit? boolean
---@field agent_text? boolean

--- A text can settle what is about two regular files; every other conflict has sides only. Pure.
---@param conflict sennit.ConflictView
---@return boolean
function M.can_take_text(conflict)
  local is_file = function(side)
    return side ~= nil and vim.startswith(side.mode or '', '100')
  end
  return (conflict.kind == 'content' or conflict.kind == 'addAdd')
    and is_file(conflict.ours)
    and is_file(conflict.theirs)
end

local SIDES = {
  { take = 'ours', words = 'keep what is there' },
  { take = 'theirs', words = 'take what is proposed' },
  { take = 'base', words = 'take what both began with' },
}

--- What can be chosen about a conflict, likely suggestions first. Pure.
---@param conflict sennit.ConflictView
---@param is_settled boolean
---@param has_agent_text? boolean Something else goes in than what the agent has left.
---@return sennit.Way[]
function M.ways(conflict, is_settled, has_agent_text)
  local show = { text = 'show the sides' }
  if is_settled then
    local back = { text = 'take the resolution back', take = 'nothing' }
    local agent_text = { text = 'show what the agent itself has done', agent_text = true }
    return has_agent_text and { show, agent_text, back } or { show, back }
  end
  local ways = {}
  for _, sure in ipairs({ 'likely', 'guess' }) do
    for _, one in ipairs(conflict.suggestions or {}) do
      if one.sure == sure then
        local words = sure == 'guess' and 'a guess' or sure
        local text = ('suggestion (%s): %s'):format(words, plain.line(one.title))
        ways[#ways + 1] = { text = text, suggestion = one }
      end
    end
  end
  local of_texts = M.can_take_text(conflict)
  for _, one in ipairs(SIDES) do
    local side = conflict[one.take]
    local where = of_texts and ' where they clash; the rest of both stays merged'
      or not (side and side.id) and ', which has no such file'
      or ''
    ways[#ways + 1] = { text = ('%s: %s%s'):format(one.take, one.words, where), take = one.take }
  end
  if of_texts then
    ways[#ways + 1] = { text = 'edit: a text that settles it once it is written', edit = true }
  end
  ways[#ways + 1] = show
  return ways
end

local WORDS = {
  ours = 'what was there is kept',
  theirs = 'what is proposed is taken',
  base = 'what both began with is taken',
  text = 'by a text of yours',
}

--- How a conflict was settled; nil where it never was. Pure.
---@param conflict sennit.ConflictView
---@return string?
function M.words(conflict)
  local resolution = conflict.resolution
  return resolution and (WORDS[resolution.take] or ('by %s'):format(resolution.suggestion or '?'))
end

--- What is to be said once the server has merged again. Pure.
---@param view sennit.ProposalView
---@param conflict sennit.ConflictView As it was before.
---@return string
function M.standing(view, conflict)
  local left = vim.tbl_map(function(one)
    return one.path
  end, view.conflicts or {})
  local task, path = view.summary.task, plain.line(conflict.path)
  if vim.tbl_contains(left, conflict.path) then
    return ('%s of %s is in conflict. `:Sennit resolve` settles it.'):format(path, task)
  elseif view.summary.integration == 'conflict' then
    local words = '%s is settled; %s is still in conflict in %s.'
    return words:format(path, task, plain.line(table.concat(left, ', ')))
  end
  local words = '%s is settled, and %s has no conflict left: accept it as any other.'
  local others = table.concat(conflict.withTasks or {}, ', ')
  if others ~= '' then
    -- Without the others nothing collides, and the server takes the proposal as it was made.
    words = words .. ' How it was settled counts with ' .. others .. ': apply that too, or before.'
  end
  return words:format(path, task)
end

---@class sennit.Case
---@field view sennit.ProposalView
---@field conflict sennit.ConflictView
---@field settled boolean

--- Every conflict of a proposal, settled or not. Pure.
---@param view sennit.ProposalView
---@return sennit.Case[]
function M.cases(view)
  local found = {}
  for _, conflict in ipairs(view.conflicts or {}) do
    found[#found + 1] = { view = view, conflict = conflict, settled = false }
  end
  for _, conflict in ipairs(view.resolved or {}) do
    found[#found + 1] = { view = view, conflict = conflict, settled = true }
  end
  return found
end

---@param view sennit.ProposalView
local function show(view)
  local tab = require('sennit.ui.review')
  local review = tab.get()
  if review then
    review.session:take(view)
    tab.render()
  end
end

local CHANGED = {
  [protocol.errors.STALE] = true,
  [protocol.errors.INVALID_PARAMS] = true,
}

--- Tells the server; under `async.run`.
---@param server vim.lsp.Client
---@param case sennit.Case
---@param choice sennit.ConflictChoice
---@return boolean done
---@return boolean changed Something else is there now than what was chosen from.
function M.settle(server, case, choice)
  local summary, path = case.view.summary, plain.line(case.conflict.path)
  local result, problem = requests.ask(server, 'sennit/resolve', {
    proposal = summary.id,
    revision = summary.revision,
    choices = { choice },
  })
  if problem then
    notify.failed(('The conflict in %s was not settled'):format(path), problem)
    return false, CHANGED[problem.code] == true
  end
  show(result.proposal)
  notify.info(M.standing(result.proposal, case.conflict))
  return true, false
end

---@param server vim.lsp.Client
---@param case sennit.Case
---@return sennit.ConflictChoice? choice Nil where nothing is to be sent now.
local function choose(server, case)
  local ui = require('sennit.ui.resolve')
  local path, uri = plain.line(case.conflict.path), case.conflict.uri
  local own = require('sennit.agent_text').files(case.view, uri)[1]
  while true do
    local ways = M.ways(case.conflict, case.settled, own ~= nil)
    local way = async.select(ways, {
      prompt = ('%s: what settles it?'):format(path),
      kind = 'sennit.resolution',
      format_item = function(one)
        return one.text
      end,
    })
    if not way then
      return nil
    elseif way.take then
      return { uri = uri, take = way.take }
    elseif way.edit then
      ui.edit(server, case)
      return nil
    elseif way.agent_text then
      require('sennit.agent_text').show(own, server.root_dir)
      return nil
    elseif not way.suggestion then
      require('sennit.ui.conflict').open(case.conflict, case.view.summary.id)
      return nil
    end
    local answer = ui.preview(case, way.suggestion)
    if answer == 'take' then
      return { uri = uri, take = 'suggestion', suggestion = way.suggestion.kind }
    elseif not answer then
      return nil
    end
  end
end

--- Reads a proposal anew, so that what is chosen from is what is there; under `async.run`.
---@param server vim.lsp.Client
---@param proposal string
---@param wanted? string URI or path of a conflict.
---@return sennit.Case[]? cases
local function look(server, proposal, wanted)
  local view = requests.expect(
    server,
    ('The proposal %s cannot be read'):format(proposal),
    'sennit/proposal',
    { proposal = proposal, limit = 1000 }
  )
  return view
    and vim.tbl_filter(function(one)
      return not wanted or one.conflict.uri == wanted or one.conflict.path == wanted
    end, M.cases(view))
end

--- Asks until a conflict is settled or left; under `async.run`.
---@param server vim.lsp.Client
---@param proposal string
---@param uri string
local function settle_by_asking(server, proposal, uri)
  local done, changed
  repeat
    local cases = look(server, proposal, uri)
    if cases and not cases[1] then
      notify.info(('%s has no such conflict any more.'):format(proposal))
    end
    local case = cases and cases[1]
    local choice = case and choose(server, case)
    if not case or not choice then
      return
    end
    done, changed = M.settle(server, case, choice)
  until done or not changed
  if done then
    require('sennit.ui.conflict').close()
  end
end

---@return { proposal: string, uri: string }? What the cursor or the tab is on.
local function here()
  local cursor = require('sennit.ui.review_cursor')
  local review = require('sennit.ui.review').get()
  if vim.t.sennit_conflict then
    return vim.t.sennit_conflict
  elseif review and cursor.in_panel(review) then
    local node = cursor.node(review)
    return node.conflict and { proposal = node.proposal, uri = node.uri } or nil
  end
  return nil
end

---@param cases sennit.Case[]
---@return sennit.Case?
local function pick(cases)
  if #cases <= 1 then
    return cases[1]
  end
  return async.select(cases, {
    prompt = 'Which conflict?',
    kind = 'sennit.conflict',
    format_item = function(one)
      local state = one.settled and 'settled: ' .. M.words(one.conflict) or one.conflict.kind
      return ('%s: %s (%s)'):format(one.view.summary.task, plain.line(one.conflict.path), state)
    end,
  })
end

---@param server vim.lsp.Client
---@param proposal? string
---@param path? string
---@return sennit.Case[]?
local function cases_of(server, proposal, path)
  if proposal then
    return look(server, proposal, path)
  end
  local session = require('sennit.review').session_for_conflicts()
  local all = session and {} or nil
  for _, view in ipairs(session and session.proposals or {}) do
    vim.list_extend(all, M.cases(view))
  end
  return all
end

--- `:Sennit resolve [proposal [path]]`; without, the conflict that the cursor is on, else one to choose.
---@param words string[]
---@param rest string
function M.resolve(words, rest)
  async.run(function()
    local server = client.current()
    if not server then
      return
    end
    local named = not words[1] and here()
    if named then
      settle_by_asking(server, named.proposal, named.uri)
      return
    end
    local cases = cases_of(server, words[1], words[2] and rest:match('^%S+%s+(.+)$'))
    if cases and #cases == 0 then
      notify.info('there are no conflicts.')
    end
    local case = cases and pick(cases)
    if case then
      settle_by_asking(server, case.view.summary.id, case.conflict.uri)
    end
  end)
end

return M
