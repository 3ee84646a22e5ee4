--- What the user has set, by `vim.g.sennit` or by `setup()`; neither is needed.
local M = {}

---@class sennit.Config
---@field cmd? string[] The server's command line; else it is looked for.
---@field env? table<string, string> Environment variables of the server beside Neovim's own.
---@field settings? table<string, any> The server's settings, as in `docs/settings.md`.
---@field trusted? boolean Says whether folders are trusted; unset leaves it to `:Sennit trust`.
---@field agent? string Who gets a task that names no agent.
---@field ask 'prompt'|'notify' Whether a question of an agent is asked at once or only told.
---@field restart_ms integer[] How long to wait before each restart; after the last it gives up.
---@field restart_window_ms integer A server that has run as long as this starts the row anew.
---@field start_ms integer How long a server may take for its first answer.
---@field stop_ms integer How long a server may take to end when it is told to.
---@field panel_width integer Width of the file panel of a review.
---@field tickets_height integer Height of the panel of tickets.
---@field keymaps false|table<string, string|false> Keys in the windows of a review, by action.

---@type sennit.Config
M.defaults = {
  cmd = nil,
  env = nil,
  settings = nil,
  trusted = nil,
  agent = nil,
  ask = 'prompt',
  restart_ms = { 250, 1000, 4000, 15000 },
  restart_window_ms = 120000,
  start_ms = 20000,
  stop_ms = 8000,
  panel_width = 40,
  tickets_height = 12,
  keymaps = {
    ['accept-hunk'] = '<LocalLeader>a',
    ['accept-file'] = '<LocalLeader>A',
    ['reject-hunk'] = '<LocalLeader>r',
    ['reject-file'] = '<LocalLeader>R',
    ['reset-hunk'] = '<LocalLeader>u',
    ['apply'] = '<LocalLeader>p',
    ['next-hunk'] = ']s',
    ['previous-hunk'] = '[s',
    ['close'] = '<LocalLeader>q',
  },
}

local types = {
  cmd = 'table',
  env = 'table',
  settings = 'table',
  trusted = 'boolean',
  agent = 'string',
  ask = 'string',
  restart_ms = 'table',
  restart_window_ms = 'number',
  start_ms = 'number',
  stop_ms = 'number',
  panel_width = 'number',
  tickets_height = 'number',
  keymaps = 'table',
}

---@type table<string, any>
local given = {}

--- What is wrong with options, one sentence each.
---@param options table<string, any>
---@return string[]
function M.problems(options)
  local found = {}
  for key, value in vim.spairs(options) do
    local wanted = types[key]
    local fits = type(value) == wanted or (key == 'keymaps' and value == false)
    if not wanted then
      local names = table.concat(vim.fn.sort(vim.tbl_keys(types)), ', ')
      found[#found + 1] = ('there is no option `%s`; there are: %s'):format(key, names)
    elseif not fits then
      found[#found + 1] = ('`%s` must be a %s and is a %s'):format(key, wanted, type(value))
    end
  end
  if options.ask ~= nil and options.ask ~= 'prompt' and options.ask ~= 'notify' then
    found[#found + 1] = '`ask` must be "prompt" or "notify"'
  end
  return found
end

---@param options table<string, any>
local function refuse(options)
  local problems = M.problems(options)
  if #problems > 0 then
    error('Sennit: ' .. table.concat(problems, '; '), 0)
  end
end

--- Takes the user's options; calling it is not needed.
---@param options? table<string, any>
function M.set(options)
  refuse(options or {})
  given = options or {}
end

--- What counts now: defaults, `vim.g.sennit`, then what `setup()` was given.
---@return sennit.Config
function M.get()
  local global = type(vim.g.sennit) == 'table' and vim.g.sennit or {}
  refuse(global)
  local merged = vim.tbl_deep_extend('force', M.defaults, global, given)
  -- Lists are replaced, never mixed.
  merged.restart_ms = given.restart_ms or global.restart_ms or M.defaults.restart_ms
  return merged
end

return M
