--- Who can be given a task, and what can be done with each.
local async = require('sennit.async')
local completion = require('sennit.completion')
local notify = require('sennit.notify')
local plain = require('sennit.plain')
local requests = require('sennit.requests')

local M = {}

---@class sennit.Doer
---@field agent? string
---@field role? string

---@class sennit.DoerChoice
---@field text string
---@field doer? sennit.Doer Absent where it cannot be chosen.
---@field problem? string

---@param one { name: string }
---@return string
local function name_of(one)
  return one.name
end

--- What tasks can name: usable agents, roles, and the classes of model that those agents have. Pure.
---@param result sennit.AgentsResult
---@return sennit.Names
function M.names(result)
  local usable = vim.tbl_filter(function(agent)
    return agent.usable
  end, result.agents)
  local classes = {}
  for _, agent in ipairs(usable) do
    if agent.modelClass and not vim.tbl_contains(classes, agent.modelClass) then
      classes[#classes + 1] = agent.modelClass
    end
  end
  return {
    agent = vim.tbl_map(name_of, usable),
    role = vim.tbl_map(name_of, result.definitions or {}),
    class = classes,
  }
end

--- The catalogue; under `async.run`.
---@param server vim.lsp.Client
---@return sennit.AgentsResult?
function M.list(server)
  local result =
    requests.expect(server, 'The agents cannot be listed', 'sennit/agents', vim.empty_dict())
  if result then
    completion.take_names(M.names(result))
  end
  return result
end

--- Reads the catalogue for completion, where there is a repository to be asked about.
function M.learn()
  local client = require('sennit.client')
  if client.here() then
    async.run(function()
      local server = client.current()
      if server then
        M.list(server)
      end
    end)
  end
end

---@param name string
---@param about? string
---@return string
local function line(name, about)
  about = plain.line(about, 80)
  return about ~= '' and ('%s: %s'):format(name, about) or name
end

---@param agents sennit.AgentView[]
---@param role string
---@return sennit.AgentView?
local function doer_of(agents, role)
  return vim.iter(agents):find(function(agent)
    return agent.usable and vim.tbl_contains(agent.roles or {}, role)
  end)
end

--- Agents that can be used, then roles, then the others with the reason. Pure.
---@param result sennit.AgentsResult
---@return sennit.DoerChoice[]
function M.choices(result)
  local agents, roles, others = {}, {}, {}
  for _, agent in ipairs(result.agents) do
    if agent.usable then
      table.insert(
        agents,
        { text = line(agent.name, agent.description), doer = { agent = agent.name } }
      )
    elseif agent.found ~= false or not agent.builtIn then
      -- Of those that are known to Sennit and not installed, `:checkhealth sennit` tells.
      local why = plain.line(agent.problem or 'no reason is known', 200)
      table.insert(
        others,
        { text = ('%s (not usable: %s)'):format(agent.name, why), problem = why }
      )
    end
  end
  for _, role in ipairs(result.definitions or {}) do
    local agent = doer_of(result.agents, role.name)
    if agent then
      local about = ('%s, by %s'):format(plain.line(role.description or 'a role', 60), agent.name)
      table.insert(roles, { text = line('role ' .. role.name, about), doer = { role = role.name } })
    end
  end
  return vim.list_extend(vim.list_extend(agents, roles), others)
end

--- Who gets a task that names nobody; under `async.run`.
---@param server vim.lsp.Client
---@return sennit.Doer? doer Nil when the user has turned away or nobody is there; that was told.
function M.choose(server)
  local configured = require('sennit.config').get().agent
  if configured then
    return { agent = configured }
  end
  local result = M.list(server)
  if not result then
    return nil
  end
  local usable = vim.tbl_filter(function(agent)
    return agent.usable
  end, result.agents)
  if #usable == 0 then
    notify.error('no agent is usable here; `:checkhealth sennit` says why.')
    return nil
  elseif #usable == 1 then
    return { agent = usable[1].name }
  end
  local chosen = async.select(M.choices(result), {
    prompt = 'Which agent?',
    kind = 'sennit.agent',
    format_item = function(choice)
      return choice.text
    end,
  })
  if chosen and chosen.problem then
    notify.warn(chosen.text)
  end
  return chosen and chosen.doer
end

--- Whether an agent can be told something while it works; under `async.run`.
---@param server vim.lsp.Client
---@return table<string, boolean> By name.
function M.hearing(server)
  local heard = {}
  for _, agent in ipairs((M.list(server) or { agents = {} }).agents) do
    heard[agent.name] = agent.can ~= nil and agent.can.steers == true
  end
  return heard
end

return M
