--- One review: its proposals as the server last told them, and where the user stands.
local requests = require('sennit.requests')
local units = require('sennit.review.units')

local M = {}

---@class sennit.Session
---@field client vim.lsp.Client
---@field title string
---@field ticket? string Set when a whole ticket is reviewed.
---@field proposals sennit.ProposalView[]
---@field conflicts table<string, string> Units that did not go together with the live text, and why.
---@field shown? { proposal: string, uri: string }
---@field private taken integer How many views were taken so far.
---@field private deciding integer Decisions that are under way.
---@field private waiting fun()[]
local Session = {}
Session.__index = Session

local MOST_FILES = 1000

---@param client vim.lsp.Client
---@param id string
---@return sennit.ProposalView?
local function read(client, id)
  return requests.expect(client, ('The proposal %s cannot be read'):format(id), 'sennit/proposal', {
    proposal = id,
    limit = MOST_FILES,
  })
end

--- Begins a review; under `async.run`.
---@param client vim.lsp.Client
---@param title string
---@param ids string[]
---@param ticket? string
---@return sennit.Session?
function M.new(client, title, ids, ticket)
  local proposals = {}
  for _, id in ipairs(ids) do
    local view = read(client, id)
    if not view then
      return nil
    end
    proposals[#proposals + 1] = view
  end
  return setmetatable({
    client = client,
    title = title,
    ticket = ticket,
    proposals = proposals,
    conflicts = {},
    taken = 0,
    deciding = 0,
    waiting = {},
  }, Session)
end

--- The client, also after the server was started again.
---@return vim.lsp.Client?
function Session:server()
  local client = require('sennit.client')
  local found = client.start(self.client.root_dir)
  if not found or not client.ready(found) then
    return nil
  end
  self.client = found
  return found
end

---@param id string
---@return sennit.ProposalView?
function Session:proposal(id)
  for _, one in ipairs(self.proposals) do
    if one.summary.id == id then
      return one
    end
  end
  return nil
end

---@param view sennit.ProposalView
function Session:take(view)
  self.taken = self.taken + 1
  for index, one in ipairs(self.proposals) do
    if one.summary.id == view.summary.id then
      self.proposals[index] = view
    end
  end
end

--- Reads all proposals again.
function Session:reload()
  local server = self:server()
  for _, one in ipairs(server and self.proposals or {}) do
    local before = self.taken
    local view = read(assert(server), one.summary.id)
    -- What was decided or settled meanwhile is newer than what was read; its own news come, too.
    if view and self.taken == before then
      self:take(view)
    end
  end
end

---@return sennit.FileView?
---@return sennit.ProposalView?
function Session:current()
  local proposal = self.shown and self:proposal(self.shown.proposal)
  for _, file in ipairs(proposal and proposal.files or {}) do
    if file.uri == self.shown.uri then
      return file, proposal
    end
  end
  return nil, proposal
end

--- The units of the file that is shown.
---@return sennit.Unit[]
function Session:shown_units()
  local file, proposal = self:current()
  if not file or not proposal then
    return {}
  end
  return vim.tbl_filter(function(unit)
    return unit.file.uri == file.uri
  end, units.of(proposal))
end

--- Waits until no decision is under way, so that what follows builds on all of them.
function Session:settle()
  if self.deciding > 0 then
    require('sennit.async').await(function(done)
      table.insert(self.waiting, done)
    end)
  end
end

--- Sends decisions, one after the other; the server owns them. Under `async.run`.
---@param choices { proposal: sennit.ProposalView, choice: sennit.Choice }[]
function Session:decide(choices)
  self.deciding = self.deciding + 1
  for _, one in ipairs(choices) do
    if not self:send(one.proposal, one.choice) then
      break
    end
  end
  self.deciding = self.deciding - 1
  if self.deciding == 0 then
    local waiting = self.waiting
    self.waiting = {}
    for _, done in ipairs(waiting) do
      done()
    end
  end
end

---@private
---@param proposal sennit.ProposalView
---@param choice sennit.Choice
---@return boolean
function Session:send(proposal, choice)
  local server = self:server()
  if not server then
    return false
  end
  local result, problem = requests.ask(server, 'sennit/decide', {
    proposal = proposal.summary.id,
    revision = proposal.summary.revision,
    choices = { choice },
  })
  if problem then
    if problem.code == require('sennit.protocol').errors.STALE then
      self:reload()
    end
    require('sennit.notify').failed('It was not decided', problem)
    return false
  end
  self:take(result.proposal)
  return true
end

--- What of the review is accepted, as `sennit/apply` takes it.
---@return sennit.Selected[]
function Session:accepted()
  local selected = {}
  for _, one in ipairs(self.proposals) do
    local summary = one.summary
    if summary.review == 'accepted' or summary.review == 'partlyAccepted' then
      selected[#selected + 1] = { proposal = summary.id, revision = summary.revision }
    end
  end
  return selected
end

--- Every conflict of the proposals.
---@return { proposal: sennit.ProposalView, conflict: sennit.ConflictView }[]
function Session:all_conflicts()
  local found = {}
  for _, proposal in ipairs(self.proposals) do
    for _, conflict in ipairs(proposal.conflicts or {}) do
      found[#found + 1] = { proposal = proposal, conflict = conflict }
    end
  end
  return found
end

return M
