--- The open documents: which buffers belong to a server, and exactly what text they hold.
local paths = require('sennit.paths')

local M = {}

local LARGEST_HASHED = 8 * 1024 * 1024

---@type table<string, string>
M.endings = { unix = '\n', dos = '\r\n', mac = '\r' }

--- Whether a buffer is an empty file, which Neovim shows as one empty line.
---@param bufnr integer
---@return boolean
local function is_empty(bufnr)
  return vim.api.nvim_buf_line_count(bufnr) == 1
    and vim.api.nvim_buf_get_lines(bufnr, 0, 1, true)[1] == ''
    and vim.api.nvim_buf_call(bufnr, function()
      return vim.fn.wordcount().bytes == 0
    end)
end

--- The text that writing the buffer would write, in UTF-8.
---@param bufnr integer
---@return string
function M.text(bufnr)
  if is_empty(bufnr) then
    return ''
  end
  local ending = M.endings[vim.bo[bufnr].fileformat]
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  local text = table.concat(lines, ending)
  -- Neovim shows a NUL as a line feed within a line.
  if #lines > 1 or text:find('\n', 1, true) then
    for index, line in ipairs(lines) do
      if line:find('\n', 1, true) then
        lines[index] = line:gsub('\n', '\0')
      end
    end
    text = table.concat(lines, ending)
  end
  return vim.bo[bufnr].endofline and text .. ending or text
end

---@param text string
---@return string?
function M.sha256(text)
  if #text > LARGEST_HASHED or text:find('\0', 1, true) then
    return nil
  end
  return vim.fn.sha256(text)
end

--- Corrects what Neovim says of texts: it tells an empty file and a NUL wrongly.
---@param method string
---@param params any
---@return any
function M.exact(method, params)
  if method ~= 'textDocument/didOpen' and method ~= 'textDocument/didChange' then
    return params
  end
  local bufnr = vim.uri_to_bufnr(params.textDocument.uri)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return params
  end
  -- Other servers may be given the same table.
  params = vim.deepcopy(params, true)
  if method == 'textDocument/didOpen' then
    params.textDocument.text = M.text(bufnr)
  else
    params.contentChanges = { { text = M.text(bufnr) } }
  end
  return params
end

---@param bufnr integer
---@return sennit.DocumentInfoParams
function M.info(bufnr)
  local options = vim.bo[bufnr]
  return {
    uri = vim.uri_from_bufnr(bufnr),
    encoding = options.fileencoding ~= '' and options.fileencoding or vim.o.encoding,
    byteOrderMark = options.bomb,
    lineEnding = M.endings[options.fileformat],
    dirty = options.modified,
    sha256 = M.sha256(M.text(bufnr)),
  }
end

--- Sends the text as a whole: line endings and the final newline change without a change of lines.
---@param client vim.lsp.Client
---@param bufnr integer
function M.resend(client, bufnr)
  client:notify('textDocument/didChange', {
    textDocument = {
      uri = vim.uri_from_bufnr(bufnr),
      version = vim.lsp.util.buf_versions[bufnr],
    },
    contentChanges = { { text = M.text(bufnr) } },
  })
end

---@param client vim.lsp.Client
---@param bufnr integer
function M.tell(client, bufnr)
  if vim.api.nvim_buf_is_loaded(bufnr) then
    client:notify('sennit/documentInfo', M.info(bufnr))
  end
end

--- Whether a server is to know of a buffer. A new file counts once something was typed into it.
---@param client vim.lsp.Client
---@param bufnr integer
---@return boolean
local function belongs(client, bufnr)
  if not client.root_dir or not paths.is_file_buffer(bufnr) then
    return false
  end
  local real = paths.real(vim.api.nvim_buf_get_name(bufnr))
  if not paths.is_below(real, client.root_dir) then
    return false
  end
  if paths.is_below(real, vim.fs.joinpath(client.root_dir, '.git')) then
    return false
  end
  return vim.bo[bufnr].modified or vim.uv.fs_stat(real) ~= nil
end

---@param client vim.lsp.Client
---@param bufnr integer
function M.attach(client, bufnr)
  if belongs(client, bufnr) and not vim.lsp.buf_is_attached(bufnr, client.id) then
    vim.lsp.buf_attach_client(bufnr, client.id)
  end
end

---@return vim.lsp.Client[]
local function clients()
  return vim.lsp.get_clients({ name = 'sennit' })
end

---@param bufnr integer
local function attach_to_all(bufnr)
  for _, client in ipairs(clients()) do
    M.attach(client, bufnr)
  end
end

---@param bufnr integer
local function tell_all(bufnr)
  for _, client in ipairs(vim.lsp.get_clients({ name = 'sennit', bufnr = bufnr })) do
    M.tell(client, bufnr)
  end
end

---@param bufnr integer
local function resend_to_all(bufnr)
  for _, client in ipairs(vim.lsp.get_clients({ name = 'sennit', bufnr = bufnr })) do
    M.resend(client, bufnr)
    M.tell(client, bufnr)
  end
end

local SHAPE = { fileformat = true, endofline = true, fileencoding = true, bomb = true }

--- Follows the buffers. Not by file type: a file of any name is one of the agents' too.
local function follow()
  local group = vim.api.nvim_create_augroup('sennit.follow', {})
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufFilePost', 'BufWritePost', 'BufModifiedSet' }, {
    group = group,
    callback = function(event)
      attach_to_all(event.buf)
      tell_all(event.buf)
    end,
  })
  vim.api.nvim_create_autocmd('OptionSet', {
    group = group,
    pattern = vim.tbl_keys(SHAPE),
    callback = function()
      resend_to_all(vim.api.nvim_get_current_buf())
    end,
  })
end

--- Attaches what is loaded already, and follows what comes.
---@param client vim.lsp.Client
function M.attach_all(client)
  follow()
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    M.attach(client, bufnr)
  end
end

return M
