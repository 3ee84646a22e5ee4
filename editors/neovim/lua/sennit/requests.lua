--- Requests that always settle: with a result, with the server's error, when cancelled, at its end.
local async = require('sennit.async')
local connection = require('sennit.rpc.connection')
local notify = require('sennit.notify')

local M = {}

---@class sennit.Request
---@field cancel fun()

--- Sends a request; the callback is called exactly once.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param callback fun(problem?: sennit.Error, result: any)
---@return sennit.Request
function M.send(client, method, params, callback)
  local settled = false
  local settle = function(problem, result)
    if not settled then
      settled = true
      callback(problem, result)
    end
  end
  if next(params) == nil then
    params = vim.empty_dict()
  end
  local sent, id = client:request(method, params, settle)
  if not sent then
    settle(connection.lost())
  end
  return {
    cancel = function()
      if id and not settled then
        client:cancel_request(id)
      end
    end,
  }
end

--- Waits for the answer. Only under `async.run`.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@return any result
---@return sennit.Error? problem
function M.ask(client, method, params)
  local problem, result = async.await(function(done)
    M.send(client, method, params, done)
  end)
  return result, problem
end

--- As `ask`, but an error is shown to the person and the result is nil.
---@param client vim.lsp.Client
---@param what string What is tried, as the head of the message.
---@param method string
---@param params table
---@return any result
function M.expect(client, what, method, params)
  local result, problem = M.ask(client, method, params)
  if problem then
    notify.failed(what, problem)
    return nil
  end
  return result
end

return M
