--- Which open work changes the same files, also that of agents at work, as a text for people.
local async = require('sennit.async')
local client = require('sennit.client')
local plain = require('sennit.plain')
local remarks = require('sennit.remarks')
local requests = require('sennit.requests')

local M = {}

---@param worker sennit.Worker
---@return string
local function who(worker)
  return ('%s of %s (%s)'):format(worker.task, worker.ticket, worker.proposal or 'running')
end

---@param file sennit.FileOverlap
---@return string
local function how(file)
  if file.kind == 'lines' then
    local starts = vim.tbl_map(function(range)
      -- People count lines from 1.
      return tostring(range.start + 1)
    end, file.lines or {})
    return 'the same lines, from ' .. table.concat(starts, ', ')
  end
  return file.kind == 'wholeFile' and 'the whole file' or 'other lines of it'
end

--- A pair at a time, as the server has ordered them. Pure.
---@param result sennit.OverlapsResult
---@return string[]
function M.lines(result)
  local none = #result.overlaps == 0
  local lines =
    { none and 'No open work changes the same files.' or 'Open work that changes the same files' }
  for _, pair in ipairs(result.overlaps) do
    vim.list_extend(lines, { '', ('%s and %s'):format(who(pair.one), who(pair.other)) })
    for _, file in ipairs(pair.files) do
      lines[#lines + 1] = ('    %s: %s'):format(plain.line(file.path), how(file))
    end
  end
  local left = (result.total or 0) - #result.overlaps
  if left > 0 then
    vim.list_extend(lines, { '', ('and %s'):format(plain.count(left, 'more pair')) })
  end
  for _, words in ipairs(remarks.notices(result.notices)) do
    vim.list_extend(lines, { '', 'note: ' .. words })
  end
  return lines
end

--- `:Sennit overlaps [ticket]`
---@param words string[]
function M.open(words)
  async.run(function()
    local server = client.current()
    local result = server
      and requests.expect(server, 'What meets cannot be shown', 'sennit/overlaps', {
        ticket = words[1],
        folder = server.root_dir,
        running = true,
      })
    if server and result then
      require('sennit.ui.text').open('sennit://overlaps', M.lines(result), nil, server.root_dir)
    end
  end)
end

return M
