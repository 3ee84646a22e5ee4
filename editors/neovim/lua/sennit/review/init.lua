--- What a user does in a review: open it, decide, go from hunk to hunk, see conflicts.
local async = require('sennit.async')
local client = require('sennit.client')
local cursor = require('sennit.ui.review_cursor')
local files = require('sennit.ui.review_files')
local notify = require('sennit.notify')
local plain = require('sennit.plain')
local refresh = require('sennit.refresh')
local session = require('sennit.review.session')
local state = require('sennit.state')
local tab = require('sennit.ui.review')
local units = require('sennit.review.units')

local M = {}

---@param ids string[]
---@return string?
local function choose(ids)
  if #ids <= 1 then
    return ids[1]
  end
  return async.select(ids, {
    prompt = 'Review which ticket?',
    kind = 'sennit.ticket',
    format_item = function(id)
      local ticket = state.known.tickets[id]
      local open = #vim.tbl_filter(state.is_open, state.proposals(id))
      local label = ticket and plain.line(ticket.label, 40) or ''
      return ('%s  %s  %s'):format(id, label, plain.count(open, 'proposal'))
    end,
  })
end

--- Tickets with something to review, newest first.
---@return string[]
local function reviewable()
  local found = {}
  for _, ticket in ipairs(state.tickets()) do
    if #vim.tbl_filter(state.is_open, state.proposals(ticket.id)) > 0 then
      found[#found + 1] = ticket.id
    end
  end
  return found
end

--- The proposals of a ticket that have anything to show.
---@param ticket string
---@return string[]
local function proposals_of(ticket)
  local shown = vim.tbl_filter(function(one)
    return (one.files or 0) > 0
  end, state.proposals(ticket))
  return vim.tbl_map(function(one)
    return one.id
  end, shown)
end

---@param server vim.lsp.Client
---@param wanted? string A ticket or a proposal.
---@return sennit.Session?
local function session_of(server, wanted)
  local id = wanted or choose(reviewable())
  if not id then
    if not wanted and #reviewable() == 0 then
      notify.info('there is nothing to review. `:Sennit tickets` shows what there is.')
    end
    return nil
  end
  if vim.startswith(id, 'p_') then
    return session.new(server, id, { id })
  end
  local known = state.known.tickets[id]
  local ids = proposals_of(id)
  if #ids == 0 then
    local why = known and 'has no changes to review' or 'is not known'
    notify.warn(('the ticket %s %s.'):format(id, why))
    return nil
  end
  local label = known and plain.line(known.label, 40) or ''
  return session.new(server, label ~= '' and label or id, ids, id)
end

--- Opens the review of a ticket or a proposal; without one, of what there is.
---@param wanted? string
function M.open(wanted)
  async.run(function()
    local server = client.current()
    if not server or not refresh.lists(server) then
      return
    end
    local made = session_of(server, wanted)
    if made then
      tab.open(made)
    end
  end)
end

function M.close()
  tab.close()
end

---@return sennit.ReviewTab?
local function need_review()
  local review = tab.get()
  if not review then
    notify.warn('no review is open; `:Sennit review` opens one.')
  end
  return review
end

--- The proposal that the user is at.
---@param review sennit.ReviewTab
---@return sennit.ProposalView?
local function proposal_here(review)
  local node = cursor.in_panel(review) and cursor.node(review) or {}
  local _, shown = review.session:current()
  return node.proposal and review.session:proposal(node.proposal) or shown
end

---@param review sennit.ReviewTab
---@return string?
local function file_here(review)
  if cursor.in_panel(review) then
    return cursor.node(review).uri
  end
  return review.session.shown and review.session.shown.uri
end

---@param review sennit.ReviewTab
---@param scope 'hunk'|'file'|'proposal'|'all'
---@param decision sennit.Decision
---@return { proposal: sennit.ProposalView, choice: sennit.Choice }[]
local function choices(review, scope, decision)
  if scope == 'all' then
    return vim.tbl_map(
      function(proposal)
        return { proposal = proposal, choice = { decision = decision, all = true } }
      end,
      vim.tbl_filter(function(proposal)
        -- What is in conflict is decided one by one, with open eyes.
        return decision ~= 'accepted' or proposal.summary.integration ~= 'conflict'
      end, review.session.proposals)
    )
  end
  local unit = scope == 'hunk' and cursor.unit(review) or nil
  if unit then
    local choice = { decision = decision, units = units.together(unit, decision) }
    return { { proposal = unit.proposal, choice = choice } }
  end
  local proposal = proposal_here(review)
  if not proposal or (scope ~= 'proposal' and not cursor.is_here(review)) then
    return {}
  elseif scope == 'hunk' and not cursor.in_panel(review) and #review.session:shown_units() > 0 then
    return {}
  end
  if scope == 'proposal' then
    return { { proposal = proposal, choice = { decision = decision, all = true } } }
  end
  local uri = file_here(review)
  return uri and { { proposal = proposal, choice = { decision = decision, files = { uri } } } }
    or {}
end

local SCOPES = { hunk = true, file = true, proposal = true, all = true }

--- Decides about what the cursor is on.
---@param decision sennit.Decision
---@param scope? string
function M.decide(decision, scope)
  scope = scope or 'hunk'
  local review = need_review()
  if not review then
    return
  elseif not SCOPES[scope] then
    notify.error(('"%s" cannot be decided; say hunk, file, proposal or all.'):format(scope))
    return
  end
  local wanted = choices(review, scope, decision)
  if #wanted == 0 then
    notify.warn(('the cursor is on no %s of the review; nothing was decided.'):format(scope))
    return
  end
  async.run(function()
    review.session:decide(wanted)
    tab.render()
  end)
end

--- Every unit of the review in the order of the panel.
---@param review sennit.ReviewTab
---@return sennit.Unit[]
local function all_units(review)
  local all = {}
  for _, proposal in ipairs(review.session.proposals) do
    vim.list_extend(all, units.of(proposal))
  end
  return all
end

--- Goes to the next or the previous hunk, over files and proposals.
---@param step 1|-1
function M.go(step)
  local review = need_review()
  if not review then
    return
  end
  local all, here = all_units(review), cursor.unit_near(review)
  local index = 1
  for place, unit in ipairs(all) do
    if here and unit.id == here.id then
      index = place + step
    end
  end
  local unit = all[(index - 1) % math.max(#all, 1) + 1]
  if not unit then
    return
  end
  async.run(function()
    local shown = review.session.shown
    local is_shown = shown
      and shown.uri == unit.file.uri
      and shown.proposal == unit.proposal.summary.id
    if is_shown or files.show(review, unit.proposal.summary.id, unit.file.uri) then
      files.go_to(review, unit.id)
    end
  end)
end

---@return sennit.Session? Of the open review, else of all that there is.
function M.session_for_conflicts()
  local review = tab.get()
  if review then
    return review.session
  end
  local server = client.current()
  if not server or not refresh.lists(server) then
    return nil
  end
  local ids = vim.tbl_map(
    function(one)
      return one.id
    end,
    vim.tbl_filter(function(one)
      return one.integration == 'conflict' and state.is_open(one)
    end, state.proposals())
  )
  return session.new(server, 'conflicts', ids)
end

--- Lists the conflicts and shows the sides of the chosen one.
function M.conflicts()
  async.run(function()
    local found = M.session_for_conflicts()
    local all = found and found:all_conflicts() or {}
    if #all == 0 then
      if found then
        notify.info('there are no conflicts.')
      end
      return
    end
    local chosen = #all == 1 and all[1]
      or async.select(all, {
        prompt = 'Which conflict?',
        kind = 'sennit.conflict',
        format_item = function(one)
          local path = plain.line(one.conflict.path)
          return ('%s: %s (%s)'):format(one.proposal.summary.task, path, one.conflict.kind)
        end,
      })
    if chosen then
      require('sennit.ui.conflict').open(chosen.conflict, chosen.proposal.summary.id)
    end
  end)
end

return M
