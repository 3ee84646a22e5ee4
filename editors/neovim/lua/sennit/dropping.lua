--- Dropping a ticket for good: what goes and what stays is told first.
local async = require('sennit.async')
local client = require('sennit.client')
local notify = require('sennit.notify')
local plain = require('sennit.plain')
local remarks = require('sennit.remarks')
local requests = require('sennit.requests')
local state = require('sennit.state')
local tickets = require('sennit.tickets')

local M = {}

---@param wanted? string
---@return string?
local function ticket_for(wanted)
  if wanted then
    return wanted
  end
  local ended = vim.tbl_filter(function(one)
    return state.is_final(one.state)
  end, state.tickets())
  if #ended == 0 then
    notify.info('no ticket has ended that could be dropped.')
    return nil
  end
  -- Also where there is but one: what is dropped is named before anything is asked.
  return tickets.choose(ended, 'Drop which ticket?')
end

---@param result sennit.DropResult
local function tell_kept(result)
  for _, words in ipairs(remarks.notices(result.kept)) do
    notify.warn(words)
  end
end

---@param ticket string
---@param told sennit.DropResult
---@return boolean
local function is_confirmed(ticket, told)
  if #told.items == 0 then
    tell_kept(told)
    return false
  end
  local yes = ('Drop %s for good'):format(ticket)
  local things = plain.count(#told.items, 'kept thing')
  local choice = async.select({ yes, 'Keep it' }, {
    prompt = ('Drop %s? What was applied stays in your files and cannot be undone any more.'):format(
      things
    ),
    kind = 'sennit.drop',
  })
  return choice == yes
end

--- `:Sennit drop [ticket]`
---@param words string[]
function M.drop(words)
  async.run(function()
    local server = client.informed()
    local ticket = server and ticket_for(words[1])
    if not server or not ticket then
      return
    end
    local what, params = 'It was not dropped', { ids = { ticket } }
    local told = requests.expect(server, what, 'sennit/drop', params)
    if not told or not is_confirmed(ticket, told) then
      return
    end
    params.confirm = true
    local result = requests.expect(server, what, 'sennit/drop', params)
    if result then
      tell_kept(result)
      notify.info(('%s was dropped.'):format(ticket))
    end
  end)
end

return M
