--- What can follow on the command line, out of what is known without asking.
local headers = require('sennit.headers')
local state = require('sennit.state')

local M = {}

---@class sennit.Names What a task can name.
---@field agent string[]
---@field role string[]
---@field class string[] Of models.

---@type sennit.Names
local names =
  { agent = { 'command' }, role = { 'explore', 'implement', 'review', 'verify' }, class = {} }

--- Remembers what tasks can name, once a server has told it.
---@param told sennit.Names
function M.take_names(told)
  names = told
end

---@param lead string
---@param words string[]
---@return string[]
function M.matching(lead, words)
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, words)
end

--- What a header of a draft can hold.
---@param name string
---@param lead string
---@return string[]
local function values(name, lead)
  if name == 'attach' then
    return vim.fn.getcompletion(lead, 'file')
  end
  local header = headers.get(name)
  return M.matching(lead, names[name] or (header and header.values) or {})
end

--- What a header of a draft can hold, or headers themselves.
---@param lead string
---@param name? string The header that the line begins with.
---@return string[]
function M.draft(lead, name)
  if name then
    return values(name, lead)
  end
  return M.matching(
    lead,
    vim.tbl_map(function(one)
      return one .. ': '
    end, headers.names())
  )
end

local IN_LINE =
  { 'model=', 'thinking=', 'access=read', 'budget=', 'deadline=', 'base=head', 'writes=' }

---@param lead string
---@return string[]
function M.dispatch(lead)
  local place = lead:match('^attach=(.*)$')
  if place then
    return vim.tbl_map(function(path)
      return 'attach=' .. path
    end, values('attach', place))
  end
  local words = vim.list_extend({ 'attach=' }, IN_LINE)
  for _, name in ipairs({ 'agent', 'role', 'class' }) do
    for _, value in ipairs(names[name]) do
      words[#words + 1] = ('%s=%s'):format(name, value)
    end
  end
  return M.matching(lead, words)
end

---@return string[]
local function tickets()
  return vim.tbl_map(function(one)
    return one.id
  end, state.tickets())
end

---@return string[]
local function running_tickets()
  local running = vim.tbl_filter(function(one)
    return not state.is_final(one.state)
  end, state.tickets())
  return vim.tbl_map(function(one)
    return one.id
  end, running)
end

---@return string[]
local function proposals()
  return vim.tbl_map(function(one)
    return one.id
  end, vim.tbl_filter(state.is_open, state.proposals()))
end

---@return string[]
local function applications()
  return vim.tbl_map(function(one)
    return one.id
  end, state.known.applications)
end

---@param ticket string
---@return string[]
local function tasks(ticket)
  return vim.tbl_map(function(one)
    return one.id
  end, state.tasks(ticket))
end

---@param lead string
function M.review(lead)
  return M.matching(lead, vim.list_extend(tickets(), proposals()))
end

---@param lead string
function M.applications(lead)
  return M.matching(lead, applications())
end

--- A ticket, then its tasks.
---@param lead string
---@param before string[] The words of the sub-command before the one under the cursor.
function M.task(lead, before)
  return M.matching(lead, before[1] and tasks(before[1]) or tickets())
end

--- A proposal, or a ticket and then its tasks; then how it is gone on with.
---@param lead string
---@param before string[]
function M.follow(lead, before)
  if before[2] or (before[1] and vim.startswith(before[1], 'p_')) then
    local options = { 'session=fresh', 'begin=live' }
    for _, name in ipairs(names.agent) do
      options[#options + 1] = 'agent=' .. name
    end
    return M.matching(lead, options)
  elseif before[1] then
    return M.matching(lead, tasks(before[1]))
  end
  return M.matching(lead, vim.list_extend(tickets(), proposals()))
end

---@param lead string
function M.proposals(lead)
  return M.matching(lead, proposals())
end

--- A running ticket, then its tasks.
---@param lead string
---@param before string[]
function M.running(lead, before)
  return M.matching(lead, before[1] and tasks(before[1]) or running_tickets())
end

---@param lead string
function M.scopes(lead)
  return M.matching(lead, { 'all', 'file', 'hunk', 'proposal' })
end

---@param lead string
function M.trust(lead)
  return M.matching(lead, { 'grant', 'list', 'revoke' })
end

return M
