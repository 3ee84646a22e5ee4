--- Which task a command is about: the named one, else that of the proposal that a review shows, else
--- the only one that fits, else one to choose.
local async = require('sennit.async')
local notify = require('sennit.notify')
local plain = require('sennit.plain')
local refresh = require('sennit.refresh')
local state = require('sennit.state')

local M = {}

---@class sennit.TaskName
---@field ticket string
---@field task string

---@class sennit.Wanted
---@field ticket? string
---@field task? string
---@field text? string

--- Reads `[ticket [task]] [text]`; tickets are known by how their ids begin.
---@param words string[]
---@param rest string
---@return sennit.Wanted
function M.named(words, rest)
  if not words[1] or not vim.startswith(words[1], 't_') then
    return { text = rest ~= '' and rest or nil }
  end
  return { ticket = words[1], task = words[2], text = rest:match('^%S+%s+%S+%s+(.+)$') }
end

--- The tickets that are meant, each with its tasks: lists of tickets do not name these.
---@param server vim.lsp.Client
---@param wanted sennit.Wanted
---@return string[] ids
local function meant(server, wanted)
  local ids = wanted.ticket and { wanted.ticket }
    or vim.tbl_map(function(ticket)
      return ticket.id
    end, state.tickets())
  for _, id in ipairs(ids) do
    if #state.tasks(id) == 0 then
      refresh.ticket(server, id)
    end
  end
  return ids
end

---@param server vim.lsp.Client
---@param wanted sennit.Wanted
---@param fits fun(task: sennit.TaskView): boolean
---@return { ticket: string, task: sennit.TaskView }[]
local function fitting(server, wanted, fits)
  local found = {}
  for _, ticket in ipairs(meant(server, wanted)) do
    for _, task in ipairs(state.tasks(ticket)) do
      if (not wanted.task or wanted.task == task.id) and fits(task) then
        found[#found + 1] = { ticket = ticket, task = task }
      end
    end
  end
  return found
end

---@param found { ticket: string, task: sennit.TaskView }[]
---@return { ticket: string, task: sennit.TaskView }?
local function under_review(found)
  local review = require('sennit.ui.review').get()
  local shown = review and review.session.shown
  local proposal = shown and state.known.proposals[shown.proposal]
  for _, one in ipairs(proposal and found or {}) do
    if one.ticket == proposal.ticket and one.task.id == proposal.task then
      return one
    end
  end
end

--- The task that is meant; under `async.run`. One that is named in full is taken as it is.
---@param server vim.lsp.Client
---@param wanted sennit.Wanted
---@param fits fun(task: sennit.TaskView): boolean
---@param words { prompt: string, none: string }
---@return sennit.TaskName?
function M.task(server, wanted, fits, words)
  if wanted.ticket and wanted.task then
    return { ticket = wanted.ticket, task = wanted.task }
  end
  local found = fitting(server, wanted, fits)
  if #found == 0 then
    notify.info(words.none)
    return nil
  end
  local chosen = (not wanted.ticket and under_review(found))
    or (#found == 1 and found[1])
    or async.select(found, {
      prompt = words.prompt,
      kind = 'sennit.task',
      format_item = function(one)
        local about = plain.line(one.task.description, 60)
        return ('%s  %s  %s'):format(one.task.id, one.task.state, about)
      end,
    })
  return chosen and { ticket = chosen.ticket, task = chosen.task.id } or nil
end

return M
