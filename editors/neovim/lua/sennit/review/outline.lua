--- The file panel as lines of text, each with what it stands for. Pure.
local config = require('sennit.config')
local following = require('sennit.following')
local plain = require('sennit.plain')
local remarks = require('sennit.remarks')
local resolving = require('sennit.resolving')
local units = require('sennit.review.units')

local M = {}

---@class sennit.OutlineNode
---@field proposal? string
---@field uri? string
---@field unit? string
---@field conflict? sennit.ConflictView

---@class sennit.OutlineLine
---@field text string
---@field group? string Highlight group of the line.
---@field node sennit.OutlineNode

---@type table<sennit.Integration, string>
local GROUPS = { conflict = 'DiagnosticError', retained = 'DiagnosticWarn', clean = 'Title' }

---@param session sennit.Session
---@param view sennit.UnitView
---@return string text
---@return string? group
local function unit_line(session, view)
  local flags = #(view.flags or {}) > 0 and (' ! ' .. table.concat(view.flags, ', ')) or ''
  local trouble = session.conflicts[view.id] or view.conflict
  if trouble then
    return ('     %s %s  conflict'):format(units.MARKS[view.decision], units.label(view)),
      'DiagnosticError'
  end
  local group = view.decision == 'accepted' and 'Added'
    or view.decision == 'rejected' and 'Removed'
    or nil
  local applied = view.applied and ' applied' or ''
  return ('     %s %s%s%s'):format(units.MARKS[view.decision], units.label(view), applied, flags),
    group
end

---@param summary sennit.ProposalSummary
---@return string
local function proposal_line(summary)
  local applied = summary.application ~= 'none' and (', ' .. summary.application) or ''
  local about = plain.line(summary.description, 40)
  return ('%s  %s%s%s'):format(
    summary.task,
    summary.integration,
    applied,
    about ~= '' and '  ' .. about or ''
  )
end

---@alias sennit.AddLine fun(text: string, group: string?, node: sennit.OutlineNode)

--- Words that are to be seen whole, in as many lines as they need.
---@param add sennit.AddLine
---@param text string
---@param group string
---@param node sennit.OutlineNode
local function add_wrapped(add, text, group, node)
  for index, line in ipairs(plain.wrap(text, config.get().panel_width - 5)) do
    add((index == 1 and '   ' or '     ') .. line, group, node)
  end
end

local NOTES = 3

---@param proposal sennit.ProposalView
---@param add sennit.AddLine
local function add_remarks(proposal, add)
  local node = { proposal = proposal.summary.id }
  local tell = function(text, group)
    add_wrapped(add, text, group, node)
  end
  for _, words in ipairs(remarks.flags(proposal.summary.flags)) do
    tell('! ' .. words, 'DiagnosticWarn')
  end
  if proposal.failure then
    tell(proposal.failure.message, 'DiagnosticWarn')
  end
  local notes = remarks.notices(proposal.notices)
  for index = 1, math.min(#notes, NOTES) do
    tell('note: ' .. notes[index], 'Comment')
  end
  if #notes > NOTES then
    tell(('… %s (K shows all)'):format(plain.count(#notes - NOTES, 'more note')), 'Comment')
  end
end

---@param session sennit.Session
---@param proposal sennit.ProposalView
---@param add sennit.AddLine
local function add_proposal(session, proposal, add)
  local id = proposal.summary.id
  add(proposal_line(proposal.summary), GROUPS[proposal.summary.integration], { proposal = id })
  local carried = following.carried(proposal)
  if carried then
    add('   ' .. carried, 'Comment', { proposal = id })
  end
  for _, conflict in ipairs(proposal.conflicts or {}) do
    local others = table.concat(conflict.withTasks or {}, ', ')
    local text = ('! %s (%s)%s%s'):format(
      plain.line(conflict.path),
      conflict.kind,
      others ~= '' and ' with ' .. others or '',
      conflict.resolution and ', settled for another text' or ''
    )
    local node = { proposal = id, uri = conflict.uri, conflict = conflict }
    add_wrapped(add, text, 'DiagnosticError', node)
  end
  for _, conflict in ipairs(proposal.resolved or {}) do
    local text = ('= %s settled: %s'):format(plain.line(conflict.path), resolving.words(conflict))
    local node = { proposal = id, uri = conflict.uri, conflict = conflict }
    add_wrapped(add, text, 'Added', node)
  end
  add_remarks(proposal, add)
  for _, file in ipairs(proposal.files or {}) do
    local text = (' %s %s %s%s'):format(
      units.mark(file.units or {}),
      units.letter(file),
      plain.line(file.path),
      file.settled and '  settled' or ''
    )
    add(text, 'Directory', { proposal = id, uri = file.uri })
    for _, view in ipairs(file.units or {}) do
      local line, group = unit_line(session, view)
      add(line, group, { proposal = id, uri = file.uri, unit = view.id })
    end
  end
  local hidden = (proposal.filesTotal or 0) - #(proposal.files or {})
  if hidden > 0 then
    add(('   … %s more'):format(plain.count(hidden, 'file')), 'Comment', { proposal = id })
  end
end

--- All lines of the panel.
---@param session sennit.Session
---@return sennit.OutlineLine[]
function M.lines(session)
  ---@type sennit.OutlineLine[]
  local lines = {}
  local add = function(text, group, node)
    lines[#lines + 1] = { text = text, group = group, node = node }
  end
  add('Review of ' .. session.title, 'Comment', {})
  for _, proposal in ipairs(session.proposals) do
    add('', nil, {})
    add_proposal(session, proposal, add)
  end
  return lines
end

return M
