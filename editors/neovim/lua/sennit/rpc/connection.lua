--- The connection to one server process, as `cmd` of a client gives it to Neovim.
---
--- Neovim's own loses the callback of a request that was cancelled or whose server died, waits for
--- ever when a program prints something else, and cannot take a question back. This one answers
--- every request exactly once, says what was printed, and keeps the last of standard error.
local framing = require('sennit.rpc.framing')
local log = require('sennit.log')

local M = {}

M.CANCELLED = -32800
M.FAILED = -32803
M.NOT_FOUND = -32601
M.INTERNAL = -32603
local KEPT = 4000

--- Parameters of requests that the server has taken back: a question that waits no more.
---@type table<table, boolean>
local withdrawn = setmetatable({}, { __mode = 'k' })

--- Whether the server still wants to know. Its handler is given the very parameters that came.
---@param params table
---@return boolean
function M.is_withdrawn(params)
  return withdrawn[params] == true
end

---@class sennit.Error
---@field code integer
---@field message string
---@field data? any

--- The error of a request whose server ended before it answered.
---@return sennit.Error
function M.lost()
  local message = 'The server ended before it answered.'
  return { code = M.FAILED, message = message, data = { reason = 'serverEnded' } }
end

---@param problem sennit.Error
---@return boolean
function M.was_lost(problem)
  return type(problem.data) == 'table' and problem.data.reason == 'serverEnded'
end

---@class sennit.rpc.Options
---@field cwd? string
---@field env? table<string, string>
---@field initialized fun(result: any): string? Looks at the first answer; gives why it will not do.
---@field outgoing fun(method: string, params: any): any Looks at a notification before it is sent.
---@field on_end fun(ended: sennit.rpc.End)

--- How a connection ended.
---@class sennit.rpc.End
---@field code integer
---@field signal integer
---@field initialized boolean Whether the server had answered `initialize`.
---@field reason? string Why this side ended it.
---@field stderr string The last that it wrote to standard error.

---@class sennit.rpc.Connection
---@field private process vim.SystemObj
---@field private dispatchers vim.lsp.rpc.Dispatchers
---@field private options sennit.rpc.Options
---@field private callbacks table<integer, fun(problem?: sennit.Error, result: any)>
---@field private incoming table<integer|string, table> Parameters of the server's open requests.
---@field private last integer
---@field private decoder sennit.rpc.Decoder
---@field private stderr string
---@field private ready boolean
---@field private ended boolean
---@field private reason? string
local Connection = {}
Connection.__index = Connection

---@private
---@param message table<string, any>
---@return boolean
function Connection:send(message)
  if self.ended or self.process:is_closing() then
    return false
  end
  message.jsonrpc = '2.0'
  local ok, problem = pcall(function()
    self.process:write(framing.encode(message))
  end)
  if not ok then
    log.write('plugin', 'a message could not be sent: ' .. tostring(problem))
  end
  return ok
end

--- Ends the process, and says why.
---@param reason? string
function Connection:terminate(reason)
  self.reason = self.reason or reason
  if not self.ended then
    self.process:kill('sigterm')
  end
end

--- Kills the process if it is still there.
---@return boolean killed
function Connection:kill()
  if self.ended then
    return false
  end
  self.process:kill('sigkill')
  return true
end

---@param method string
---@param params any
---@param callback fun(problem?: sennit.Error, result: any)
---@param replied? fun(id: integer)
---@return boolean
---@return integer?
function Connection:request(method, params, callback, replied)
  self.last = self.last + 1
  local id = self.last
  if method == 'initialize' then
    callback = self:checked(callback)
  end
  self.callbacks[id] = vim.schedule_wrap(function(problem, result)
    if replied then
      replied(id)
    end
    callback(problem, result)
  end)
  if not self:send({ id = id, method = method, params = params }) then
    self.callbacks[id] = nil
    return false
  end
  return true, id
end

--- Neovim takes any answer to `initialize` for a good one.
---@private
---@param callback fun(problem?: sennit.Error, result: any)
function Connection:checked(callback)
  return function(problem, result)
    local why = problem and problem.message or self.options.initialized(result)
    if self.ended then
      return
    elseif why then
      self:terminate(why)
    else
      self.ready = true
      callback(nil, result)
    end
  end
end

---@param method string
---@param params any
---@return boolean
function Connection:notify(method, params)
  if method == '$/cancelRequest' then
    -- Whoever cancels wants no result any more; a late answer of the server finds nobody.
    self:settle(params.id, { code = M.CANCELLED, message = 'The request was cancelled.' })
  end
  return self:send({ method = method, params = self.options.outgoing(method, params) })
end

---@private
---@param id integer
---@param problem? sennit.Error
---@param result? any
function Connection:settle(id, problem, result)
  local callback = self.callbacks[id]
  self.callbacks[id] = nil
  if callback then
    callback(problem, result)
  end
end

---@private
---@param id integer|string
---@param problem? sennit.Error
---@param result? any
function Connection:respond(id, problem, result)
  if not self.incoming[id] then
    return
  end
  self.incoming[id] = nil
  if problem == nil and result == nil then
    result = vim.NIL
  end
  self:send({ id = id, error = problem, result = result })
end

---@private
---@param message table<string, any>
function Connection:serve(message)
  self.incoming[message.id] = message.params or {}
  -- A handler may wait, so each one has a coroutine of its own.
  vim.schedule(coroutine.wrap(function()
    local ok, result, problem =
      pcall(self.dispatchers.server_request, message.method, message.params)
    if not ok then
      log.write('plugin', ('%s failed: %s'):format(message.method, tostring(result)))
      problem, result = { code = M.INTERNAL, message = tostring(result) }, nil
    end
    self:respond(message.id, problem, result)
  end))
end

---@private
---@param message table<string, any>
function Connection:take(message)
  if message.method and message.id ~= nil then
    self:serve(message)
  elseif message.method == '$/cancelRequest' then
    withdrawn[self.incoming[message.params.id] or {}] = true
    self:respond(message.params.id, { code = M.CANCELLED, message = 'It was taken back.' })
  elseif message.method then
    self.dispatchers.notification(message.method, message.params)
  elseif message.id ~= nil then
    self:settle(message.id, message.error, message.result)
  end
end

---@private
---@param chunk string
function Connection:read(chunk)
  if self.reason then
    return
  end
  local bodies, rubbish = self.decoder:feed(chunk)
  for _, body in ipairs(bodies) do
    local ok, message = pcall(vim.json.decode, body, { luanil = { object = true } })
    if ok and type(message) == 'table' then
      self:take(message)
    else
      rubbish = body
      break
    end
  end
  if rubbish then
    local said = framing.excerpt(rubbish)
    self:terminate(('it printed something that is no message of the protocol: "%s"'):format(said))
  end
end

---@private
---@param chunk string
function Connection:complain(chunk)
  log.write('server', chunk)
  self.stderr = (self.stderr .. chunk):sub(-KEPT)
end

---@private
---@param code integer
---@param signal integer
function Connection:finish(code, signal)
  self.ended = true
  for id in pairs(self.callbacks) do
    self:settle(id, M.lost())
  end
  self.incoming = {}
  self.options.on_end({
    code = code,
    signal = signal,
    initialized = self.ready,
    reason = self.reason,
    stderr = vim.trim(self.stderr),
  })
  self.dispatchers.on_exit(0, 0)
end

--- What Neovim calls.
---@private
---@return vim.lsp.rpc.PublicClient
function Connection:public()
  return {
    request = function(...)
      return self:request(...)
    end,
    notify = function(...)
      return self:notify(...)
    end,
    is_closing = function()
      return self.ended or self.process:is_closing()
    end,
    terminate = function()
      self:terminate()
    end,
  }
end

--- Starts the server.
---@param argv string[]
---@param dispatchers vim.lsp.rpc.Dispatchers
---@param options sennit.rpc.Options
---@return vim.lsp.rpc.PublicClient
---@return sennit.rpc.Connection
function M.start(argv, dispatchers, options)
  local self = setmetatable({
    options = options,
    dispatchers = {
      notification = vim.schedule_wrap(dispatchers.notification),
      server_request = dispatchers.server_request,
      on_exit = dispatchers.on_exit,
      on_error = dispatchers.on_error,
    },
    callbacks = {},
    incoming = {},
    last = 0,
    decoder = framing.decoder(),
    stderr = '',
    ready = false,
    ended = false,
  }, Connection)
  local reading = function(take)
    return function(_, chunk)
      if chunk then
        take(self, chunk)
      end
    end
  end
  self.process = vim.system(argv, {
    stdin = true,
    stdout = reading(Connection.read),
    stderr = reading(Connection.complain),
    cwd = options.cwd,
    env = options.env,
    -- A group of its own: Ctrl-C in the terminal is meant for Neovim.
    detach = true,
  }, function(ended)
    self:finish(ended.code, ended.signal)
  end)
  return self:public(), self
end

return M
