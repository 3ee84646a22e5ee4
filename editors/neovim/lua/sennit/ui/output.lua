--- What an agent writes, in a buffer that follows it.
local async = require('sennit.async')
local client = require('sennit.client')
local document = require('sennit.ui.document')
local plain = require('sennit.plain')
local requests = require('sennit.requests')

local M = {}

local MOST = 262144
local PAUSE_MS = 200

---@type table<integer, boolean> Buffers that are about to be read again.
local due = {}

---@param ticket string
---@param task string
---@return string
function M.uri(ticket, task)
  return ('sennit://ticket/%s/task/%s/output'):format(ticket, vim.uri_encode(task))
end

---@param server vim.lsp.Client
---@param ticket string
---@param task string
---@param stream sennit.Stream
---@return string[]
local function page(server, ticket, task, stream)
  local result = requests.expect(server, 'The output cannot be read', 'sennit/output', {
    ticket = ticket,
    task = task,
    stream = stream,
    limit = MOST,
  })
  if not result or result.text == '' then
    return {}
  end
  local lines = plain.lines((result.text:gsub('\n$', '')))
  if result.offset > 0 then
    table.insert(lines, 1, ('(%d bytes before this are not shown)'):format(result.offset))
  end
  return lines
end

---@param bufnr integer
---@param lines string[]
local function show(bufnr, lines)
  local old_last = vim.api.nvim_buf_line_count(bufnr)
  document.fill(bufnr, lines)
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    -- Who has moved up to read stays there.
    if vim.api.nvim_win_get_cursor(window)[1] >= old_last then
      vim.api.nvim_win_set_cursor(window, { #lines, 0 })
    end
  end
end

---@param bufnr integer
---@param ticket string
---@param task string
local function read(bufnr, ticket, task)
  async.run(function()
    local server = client.current()
    if not server then
      return
    end
    local lines = page(server, ticket, task, 'stdout')
    local errors = page(server, ticket, task, 'stderr')
    if #errors > 0 then
      vim.list_extend(lines, { '', '── standard error ──' })
      vim.list_extend(lines, errors)
    end
    if vim.api.nvim_buf_is_valid(bufnr) then
      show(bufnr, #lines > 0 and lines or { ('%s has written nothing so far.'):format(task) })
      vim.b[bufnr].sennit_ready = true
    end
  end)
end

--- Shows the output of a task.
---@param ticket string
---@param task string
function M.open(ticket, task)
  local uri = M.uri(ticket, task)
  local bufnr = vim.fn.bufadd(uri)
  vim.b[bufnr].sennit_root = client.here()
  vim.cmd('botright split')
  vim.api.nvim_win_set_buf(0, bufnr)
  document.set_options(bufnr)
  vim.wo.wrap = true
  read(bufnr, ticket, task)
end

--- `sennit/taskOutput`: there is more.
---@param params sennit.TaskOutput
function M.append(params)
  local uri = M.uri(params.ticket, params.task)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    local is_shown = vim.api.nvim_buf_get_name(bufnr) == uri and vim.b[bufnr].sennit_ready
    if is_shown and not due[bufnr] then
      due[bufnr] = true
      vim.defer_fn(function()
        due[bufnr] = nil
        if vim.api.nvim_buf_is_valid(bufnr) then
          read(bufnr, params.ticket, params.task)
        end
      end, PAUSE_MS)
    end
  end
end

return M
