--- What settles a conflict, to look at and to write: a suggestion beside the live text, a text that is merged.
local async = require('sennit.async')
local document = require('sennit.ui.document')
local notify = require('sennit.notify')
local paths = require('sennit.paths')
local plain = require('sennit.plain')
local requests = require('sennit.requests')
local three_way = require('sennit.three_way')

local M = {}

--- A view holds the beginning of a text only, so many characters of it.
local MOST_SHOWN = 8000

--- The user's text as it is; a copy, so that nothing of this touches their buffer.
---@param uri string
---@return string
local function live_text(uri)
  local path = paths.of_uri(uri)
  local bufnr = path and paths.buffer(path)
  if bufnr then
    return require('sennit.documents').text(bufnr)
  end
  local handle = path and io.open(path, 'rb')
  if not handle then
    return ''
  end
  local text = handle:read('*a')
  handle:close()
  return text or ''
end

---@param path string
---@param text string
---@return integer
local function copy(path, text)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.bo[bufnr].syntax = vim.filetype.match({ filename = path }) or ''
  document.fill(bufnr, (document.split(text)))
  return bufnr
end

---@param case sennit.Case
---@param suggestion sennit.SuggestionView
---@return integer tab
local function show(case, suggestion)
  local path = case.conflict.path
  local root = require('sennit.client').here()
  vim.cmd('tab split')
  vim.t.sennit_root = root
  vim.api.nvim_win_set_buf(0, copy(path, live_text(case.conflict.uri)))
  vim.cmd('diffthis')
  vim.wo[0][0].winbar = ('your text: %s'):format(plain.bar(path))
  vim.cmd('belowright vsplit')
  vim.api.nvim_win_set_buf(0, copy(path, suggestion.text))
  vim.cmd('diffthis')
  local is_cut = vim.fn.strchars(suggestion.text) >= MOST_SHOWN
  local cut = is_cut and ' (its beginning; take it, review it, take it back if it is wrong)' or ''
  vim.wo[0][0].winbar = ('suggested: %s%s'):format(suggestion.kind, cut)
  vim.cmd('diffupdate | redraw')
  return vim.api.nvim_get_current_tabpage()
end

---@param tab? integer
local function close(tab)
  if tab and vim.api.nvim_tabpage_is_valid(tab) then
    vim.cmd(('%dtabclose'):format(vim.api.nvim_tabpage_get_number(tab)))
  end
end

--- Shows what a suggestion gives beside the live text and asks; under `async.run`.
---@param case sennit.Case
---@param suggestion sennit.SuggestionView
---@return 'take'|'another'|nil
function M.preview(case, suggestion)
  local tab = suggestion.text and show(case, suggestion)
  local answers = { ['take it'] = 'take', ['choose another'] = 'another' }
  local chosen = async.select({ 'take it', 'choose another' }, {
    prompt = plain.line(suggestion.title),
    kind = 'sennit.confirm',
  })
  close(tab)
  return answers[chosen]
end

---@param server vim.lsp.Client
---@param side? sennit.SideView
---@return string? text Nil where it cannot be had, which is told.
local function side_text(server, side)
  if not side or not side.uri then
    return ''
  end
  local what = 'The text cannot be shown'
  local result = requests.expect(server, what, 'sennit/content', { uri = side.uri })
  if result and result.binary then
    notify.warn('one of the sides is no text; take a side instead.')
    return nil
  end
  return result and result.text
end

---@param bufnr integer
---@param case sennit.Case
local function write(bufnr, case)
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  if three_way.has_marks(lines) then
    local words = 'the text still holds marks of a clash, so %s was not settled. Keep what is to be'
      .. ' between them, take the marks out, and write it again.'
    notify.error(words:format(plain.line(case.conflict.path)))
    return
  end
  local sent = vim.api.nvim_buf_get_changedtick(bufnr)
  local text = require('sennit.documents').text(bufnr)
  async.run(function()
    local server = require('sennit.client').current()
    local done, changed = false, false
    if server then
      local choice = { uri = case.conflict.uri, take = 'text', text = text }
      done, changed = require('sennit.resolving').settle(server, case, choice)
    end
    if changed then
      notify.info('`:Sennit resolve` shows what is there now; what you wrote stays in its buffer.')
    end
    local is_same = vim.api.nvim_buf_is_valid(bufnr)
      and vim.api.nvim_buf_get_changedtick(bufnr) == sent
    if done and is_same then
      vim.bo[bufnr].modified = false
    end
  end)
end

---@param name string
---@return integer? bufnr
local function known(name)
  local bufnr = vim.fn.bufnr('^' .. vim.fn.escape(name, '[]*?\\') .. '$')
  return bufnr ~= -1 and bufnr or nil
end

---@param case sennit.Case
---@param name string
---@param text string
---@param root string
---@return integer
local function make(case, name, text, root)
  local bufnr = vim.api.nvim_create_buf(true, false)
  vim.api.nvim_buf_set_name(bufnr, name)
  vim.b[bufnr].sennit_root = root
  local options = vim.bo[bufnr]
  options.buftype, options.swapfile, options.bufhidden = 'acwrite', false, 'hide'
  local lines, format = document.split(text)
  options.fileformat = format
  options.endofline = text == '' or vim.endswith(text, '\n')
  options.fixendofline = false
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, lines)
  options.modified = false
  options.syntax = vim.filetype.match({ filename = case.conflict.path }) or ''
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    buffer = bufnr,
    callback = function()
      write(bufnr, case)
    end,
  })
  return bufnr
end

--- Opens the merged text, with both sides where they clash; writing it settles the conflict. Under `async.run`.
---@param server vim.lsp.Client
---@param case sennit.Case
function M.edit(server, case)
  local summary, conflict = case.view.summary, case.conflict
  -- What is still being written about the same conflict is gone on with.
  local name = ('sennit://resolve/%s/%s/%s'):format(summary.id, summary.revision, conflict.path)
  local bufnr = known(name)
  if not bufnr then
    local texts = {}
    for index, side in ipairs({ 'base', 'ours', 'theirs' }) do
      texts[index] = side_text(server, conflict[side])
      if not texts[index] then
        return
      end
    end
    bufnr = make(case, name, three_way.merge(unpack(texts)), server.root_dir)
  end
  vim.cmd('botright split')
  vim.api.nvim_win_set_buf(0, bufnr)
  vim.fn.search('\\V\\^' .. three_way.OURS, 'cw')
  notify.info(
    ('write this text to settle %s by it; your own file is not changed by that.'):format(
      plain.line(conflict.path)
    )
  )
end

return M
