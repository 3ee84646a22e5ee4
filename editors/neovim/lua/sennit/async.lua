--- Code that waits, written top-down: a coroutine that callbacks resume.
local log = require('sennit.log')

local M = {}

--- Runs a function that may wait. What goes wrong in it is shown, never lost.
---@param work fun()
function M.run(work)
  local thread = coroutine.create(work)
  local ok, problem = coroutine.resume(thread)
  if not ok then
    M.report(thread, problem)
  end
end

---@param thread thread
---@param problem any
function M.report(thread, problem)
  log.write('plugin', debug.traceback(thread, tostring(problem)))
  require('sennit.notify').error(
    ('this is a bug of the plugin: %s. `:Sennit log` has more'):format(tostring(problem))
  )
end

--- Waits for a callback: `start` is given the function that ends the wait, to be called once.
---@generic T
---@param start fun(done: fun(...: T))
---@return T ...
function M.await(start)
  local thread = assert(coroutine.running(), 'only code under async.run can wait')
  local answered, answer, waiting = false, nil, false
  start(function(...)
    if answered then
      return
    end
    answered = true
    answer = vim.F.pack_len(...)
    if waiting then
      local ok, problem = coroutine.resume(thread)
      if not ok then
        M.report(thread, problem)
      end
    end
  end)
  -- The default `vim.ui.select` calls back before it returns.
  if not answered then
    waiting = true
    coroutine.yield()
  end
  return vim.F.unpack_len(answer)
end

--- The user's choice, or nil.
---@generic T
---@param items T[]
---@param options { prompt: string, format_item?: fun(item: T): string, kind?: string }
---@return T?
function M.select(items, options)
  return M.await(function(done)
    vim.ui.select(items, options, done)
  end)
end

--- What the user typed, or nil.
---@param options { prompt: string, default?: string, completion?: string }
---@return string?
function M.input(options)
  return M.await(function(done)
    vim.ui.input(options, done)
  end)
end

return M
