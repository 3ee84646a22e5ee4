--- `User` autocommand events, for the plugin's own windows and for everybody else.
local M = {}

---@alias sennit.Event
---| 'ServerStarted'
---| 'ServerExited'
---| 'TicketChanged'
---| 'TicketDropped'
---| 'TaskChanged'
---| 'ProposalChanged'
---| 'Progress'
---| 'Question'
---| 'Applied'
---| 'ReviewOpened'
---| 'ReviewClosed'

---@param event sennit.Event
---@param data? table<string, any>
function M.emit(event, data)
  vim.api.nvim_exec_autocmds('User', {
    pattern = 'Sennit' .. event,
    modeline = false,
    data = data or {},
  })
end

--- Calls back at each of some events; gives what ends that.
---@param events sennit.Event[]
---@param callback fun(event: sennit.Event, data: table<string, any>)
---@return fun() stop
function M.on(events, callback)
  local patterns = vim.tbl_map(function(event)
    return 'Sennit' .. event
  end, events)
  local id = vim.api.nvim_create_autocmd('User', {
    pattern = patterns,
    callback = function(args)
      callback(args.match:sub(#'Sennit' + 1), args.data)
    end,
  })
  return function()
    pcall(vim.api.nvim_del_autocmd, id)
  end
end

return M
