--- `:checkhealth sennit`.
local client = require('sennit.client')
local config = require('sennit.config')
local consent = require('sennit.consent')
local log = require('sennit.log')
local remarks = require('sennit.remarks')
local server = require('sennit.server')

local M = {}

local health = vim.health
local WAIT_MS = 20000

local function check_neovim()
  health.start('Neovim')
  if vim.fn.has('nvim-0.11') == 1 then
    health.ok('Neovim ' .. tostring(vim.version()))
  else
    health.error('Neovim 0.11 or newer is needed; this is ' .. tostring(vim.version()))
  end
  local ok, problem = pcall(config.get)
  if ok then
    health.ok('the options are right')
  else
    health.error(tostring(problem), 'See `:help sennit-options`.')
  end
end

---@param root string
---@return sennit.Program?
local function check_program(root)
  health.start('Server')
  local program, problem = server.find(root, consent.given(root))
  if not program then
    health.error(problem or 'there is no server')
    return nil
  end
  health.ok(('%s (%s)'):format(table.concat(program.argv, ' '), program.source))
  return program
end

---@param running vim.lsp.Client
---@param method string
---@param params table
---@return any
local function ask(running, method, params)
  local answer = running:request_sync(method, params, WAIT_MS)
  if not answer then
    health.error(('the server has not answered %s within %d s'):format(method, WAIT_MS / 1000))
  elseif answer.err then
    health.error(('%s: %s'):format(method, answer.err.message))
  end
  return answer and answer.result
end

--- Where the editor has a command of its own for what the server's advice is about.
local ADVICE = { trust = '`:Sennit trust` shows and grants it, so that agents may run.' }

local TELL = {
  good = health.ok,
  warning = health.warn,
  bad = health.error,
}

---@param running vim.lsp.Client
---@param root string
local function check_doctor(running, root)
  health.start('Machine and repository')
  local result = ask(running, 'sennit/doctor', { cwd = root })
  for _, line in ipairs(result and result.lines or {}) do
    local message = ('%s: %s'):format(line.area, line.message)
    if line.health == 'good' then
      health.ok(message)
    else
      TELL[line.health](message, line.advice and ADVICE[line.area] or line.advice)
    end
  end
end

---@param running vim.lsp.Client
local function check_agents(running)
  health.start('Agents')
  local result = ask(running, 'sennit/agents', vim.empty_dict())
  local absent = {}
  for _, agent in ipairs(result and result.agents or {}) do
    if agent.usable then
      health.ok(('%s (%s)'):format(agent.name, agent.program or agent.kind))
    elseif agent.builtIn and not agent.found then
      table.insert(absent, agent.name)
    else
      health.warn(('%s: %s'):format(agent.name, agent.problem or 'is not usable'))
    end
  end
  for _, words in ipairs(remarks.notices(result and result.notices)) do
    health.warn(words)
  end
  if #absent > 0 then
    health.info('known to Sennit, but not installed: ' .. table.concat(absent, ', '))
  end
end

function M.check()
  check_neovim()
  local root = client.here()
  if not root then
    health.start('Server')
    health.warn('this folder is no git repository; run `:checkhealth sennit` from within one.')
    return
  end
  if not check_program(root) then
    return
  end
  local running = client.start(root)
  local ready = running
    and vim.wait(WAIT_MS, function()
      return running.initialized == true or client.problems[root] ~= nil
    end, 20)
  if not ready or not running or client.problems[root] then
    health.error(client.problems[root] or 'the server did not answer', 'Look into ' .. log.path())
    return
  end
  health.ok(('version %s, protocol %s'):format(running.server_info.version, server.PROTOCOL))
  check_doctor(running, root)
  check_agents(running)
end

return M
