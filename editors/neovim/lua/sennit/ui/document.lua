--- `sennit:` documents: texts that the server keeps, read-only, plain.
local async = require('sennit.async')
local client = require('sennit.client')
local plain = require('sennit.plain')
local requests = require('sennit.requests')

local M = {}

--- The path of the file whose text a URI names.
---@param uri string
---@return string?
function M.path(uri)
  local encoded = uri:match('^sennit:(/.*)%?rev=')
  return encoded and vim.uri_decode(encoded) or nil
end

--- Replaces what a read-only buffer shows.
---@param bufnr integer
---@param lines string[]
function M.fill(bufnr, lines)
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, lines)
  vim.bo[bufnr].modified = false
  vim.bo[bufnr].modifiable = false
end

--- A text of a file as lines, the way Neovim would read it.
---@param text string
---@return string[] lines
---@return 'unix'|'dos' format
function M.split(text)
  if text == '' then
    return {}, 'unix'
  end
  local _, feeds = text:gsub('\n', '')
  local _, crlf = text:gsub('\r\n', '')
  local format = feeds > 0 and feeds == crlf and 'dos' or 'unix'
  return require('sennit.apply.buffers').lines(text, format == 'dos' and '\r\n' or '\n'), format
end

---@param bufnr integer
---@param text string
local function show_file(bufnr, text)
  local lines, format = M.split(text)
  vim.bo[bufnr].modifiable = true
  vim.bo[bufnr].fileformat = format
  vim.bo[bufnr].endofline = text == '' or vim.endswith(text, '\n')
  M.fill(bufnr, lines)
end

---@param bufnr integer
function M.set_options(bufnr)
  local options = vim.bo[bufnr]
  options.buftype = 'nofile'
  options.swapfile = false
  options.undolevels = -1
  options.modifiable = false
  local path = M.path(vim.api.nvim_buf_get_name(bufnr))
  local kind = path and vim.filetype.match({ filename = path })
  if kind then
    -- Colours only: plugins of the file type and servers have no business with it.
    options.syntax = kind
  end
end

---@type table<integer, fun()[]> Who waits for a text.
local waiting = {}

---@param bufnr integer
local function is_ready(bufnr)
  vim.b[bufnr].sennit_ready = true
  for _, done in ipairs(waiting[bufnr] or {}) do
    done()
  end
  waiting[bufnr] = nil
end

---@param bufnr integer
---@param uri string
local function load(bufnr, uri)
  local server = client.current()
  local result, problem
  if server then
    result, problem = requests.ask(server, 'sennit/content', { uri = uri })
  end
  if not vim.api.nvim_buf_is_valid(bufnr) then
    return
  end
  if not result then
    local why = problem and problem.message or 'there is no server'
    M.fill(bufnr, { 'Sennit cannot show this text:', unpack(plain.lines(why)) })
  elseif M.path(uri) then
    show_file(bufnr, result.text)
  else
    M.fill(bufnr, plain.lines(result.text))
  end
  vim.cmd('diffupdate')
end

--- `BufReadCmd`: asks the server for the text.
---@param bufnr integer
function M.read(bufnr)
  local uri = vim.api.nvim_buf_get_name(bufnr)
  M.set_options(bufnr)
  async.run(function()
    load(bufnr, uri)
    if vim.api.nvim_buf_is_valid(bufnr) then
      is_ready(bufnr)
    end
  end)
end

---@return integer bufnr An empty text, in place of a file that a side does not have.
function M.absent()
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.bo[bufnr].modifiable = false
  vim.b[bufnr].sennit_absent = true
  return bufnr
end

--- The buffer of a `sennit:` URI with its text in it; under `async.run`.
---@param uri string
---@return integer
function M.buffer(uri)
  local bufnr = vim.fn.bufadd(uri)
  vim.bo[bufnr].buflisted = false
  vim.fn.bufload(bufnr)
  if not vim.b[bufnr].sennit_ready then
    async.await(function(done)
      waiting[bufnr] = waiting[bufnr] or {}
      table.insert(waiting[bufnr], done)
    end)
  end
  return bufnr
end

return M
