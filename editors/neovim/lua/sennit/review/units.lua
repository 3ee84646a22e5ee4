--- A proposal as a list of what can be decided, with the words and marks that show it.
local M = {}

---@class sennit.Unit
---@field id string
---@field view sennit.UnitView
---@field file sennit.FileView
---@field proposal sennit.ProposalView

---@type table<sennit.Decision, string>
M.MARKS = { accepted = '[x]', rejected = '[-]', undecided = '[ ]' }

---@param proposal sennit.ProposalView
---@return sennit.Unit[]
function M.of(proposal)
  local units = {}
  for _, file in ipairs(proposal.files or {}) do
    for _, view in ipairs(file.units or {}) do
      units[#units + 1] = { id = view.id, view = view, file = file, proposal = proposal }
    end
  end
  return units
end

--- The mark of several units: their common decision, or that they differ.
---@param views sennit.UnitView[]
---@return string
function M.mark(views)
  local first = views[1] and views[1].decision or 'undecided'
  for _, view in ipairs(views) do
    if view.decision ~= first then
      return '[~]'
    end
  end
  return M.MARKS[first]
end

local LETTERS = {
  create = 'A',
  delete = 'D',
  rename = 'R',
  mode = 'M',
  link = 'L',
  binary = 'B',
  submodule = 'S',
  type = 'T',
  hunk = 'M',
}

--- What happens to a file, as git's letters.
---@param file sennit.FileView
---@return string
function M.letter(file)
  for _, view in ipairs(file.units or {}) do
    if view.kind ~= 'hunk' then
      return LETTERS[view.kind]
    end
  end
  return 'M'
end

---@param view sennit.UnitView
---@return string
function M.label(view)
  if view.kind ~= 'hunk' then
    return view.kind
  end
  local before, after = assert(view.before), assert(view.after)
  if before.count == 0 and after.count == 0 then
    return 'what is there stays' -- A conflict that was settled so.
  end
  return ('@%d  +%d -%d'):format(before.start + 1, after.count, before.count)
end

--- The units that have to be decided along with one: what it needs, when it is accepted.
---@param unit sennit.Unit
---@param decision sennit.Decision
---@return string[]
function M.together(unit, decision)
  if decision == 'accepted' and unit.view.needs then
    return { unit.view.needs, unit.id }
  end
  return { unit.id }
end

return M
