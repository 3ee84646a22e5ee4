--- What a task has done so far, as a plain folder to look around in.
local async = require('sennit.async')
local client = require('sennit.client')
local notify = require('sennit.notify')
local picking = require('sennit.picking')
local requests = require('sennit.requests')

local M = {}

---@param task sennit.TaskView
---@return boolean
local function has_run(task)
  return #(task.runs or {}) > 0
end

--- `:Sennit materialise [ticket [task]]`
---@param words string[]
---@param rest string
function M.open(words, rest)
  async.run(function()
    local server = client.informed()
    local named = server
      and picking.task(
        server,
        picking.named(words, rest),
        has_run,
        { prompt = 'The work of which task?', none = 'no task has run yet.' }
      )
    local result = named
      and requests.expect(server, 'It was not checked out', 'sennit/materialise', named)
    if result then
      vim.cmd('tabnew')
      vim.cmd.tcd(vim.fn.fnameescape(result.folder))
      vim.cmd.edit('.')
      notify.info(('the work of %s is in %s, a copy.'):format(named.task, result.folder))
    end
  end)
end

return M
