--- Questions of agents, one after the other, and never in the middle of typing.
local async = require('sennit.async')
local config = require('sennit.config')
local connection = require('sennit.rpc.connection')
local events = require('sennit.events')
local notify = require('sennit.notify')
local plain = require('sennit.plain')

local M = {}

---@class sennit.Asking
---@field params sennit.AskParams
---@field done fun(answer?: string)

---@type sennit.Asking[]
local waiting = {}
---@type sennit.Asking?
local shown

local OTHER = 'Another answer …'

--- The user's answer to one question; under `async.run`.
---@param task string
---@param question sennit.Question
---@return string?
function M.prompt(task, question)
  local more = #waiting > 0 and (' (%d more after this)'):format(#waiting) or ''
  local head = ('%s asks%s: %s'):format(plain.line(task), more, plain.line(question.text, 300))
  local options = question.options or {}
  if #options > 0 then
    local items = vim.deepcopy(options)
    if not question.permission then
      items[#items + 1] = OTHER
    end
    local chosen = async.select(items, {
      prompt = head,
      kind = 'sennit.question',
      format_item = function(item)
        return plain.line(item, 200)
      end,
    })
    if chosen ~= OTHER then
      return chosen
    end
  end
  return async.input({ prompt = head .. ' ' })
end

local function may_interrupt()
  return vim.api.nvim_get_mode().mode == 'n' and vim.fn.getcmdwintype() == ''
end

local function show_next()
  if shown or #waiting == 0 or not may_interrupt() then
    return
  end
  local asking = table.remove(waiting, 1)
  if connection.is_withdrawn(asking.params) then
    asking.done(nil)
    vim.schedule(show_next)
    return
  end
  shown = asking
  async.run(function()
    local answer = M.prompt(asking.params.task, asking.params.question)
    shown = nil
    asking.done(answer)
    vim.schedule(show_next)
  end)
end

--- Whoever types is asked when back in normal mode.
local function follow_modes()
  vim.api.nvim_create_autocmd('ModeChanged', {
    group = vim.api.nvim_create_augroup('sennit.questions', {}),
    pattern = '*:n',
    callback = function()
      vim.schedule(show_next)
    end,
  })
end

--- `sennit/ask`: answers when the user has; nothing at all when turned away.
---@param params sennit.AskParams
---@return sennit.AskResult
function M.ask(params)
  events.emit(
    'Question',
    { ticket = params.ticket, task = params.task, question = params.question }
  )
  notify.warn(
    ('%s asks: %s `:Sennit answer` answers it.'):format(
      params.task,
      plain.line(params.question.text, 300)
    )
  )
  if config.get().ask == 'notify' then
    return vim.empty_dict()
  end
  follow_modes()
  local answer = async.await(function(done)
    waiting[#waiting + 1] = { params = params, done = done }
    vim.schedule(show_next)
  end)
  if answer and connection.is_withdrawn(params) then
    notify.warn(
      ('the question of %s does not wait any more, so “%s” was not given: it was answered elsewhere,'):format(
        plain.line(params.task),
        plain.line(answer, 300)
      ) .. ' its time was over, or its agent has ended.'
    )
  end
  return answer and { answer = answer } or vim.empty_dict()
end

return M
