--- What an agent itself has done to a file whose conflict was settled; its review shows what goes in.
local async = require('sennit.async')
local client = require('sennit.client')
local cursor = require('sennit.ui.review_cursor')
local document = require('sennit.ui.document')
local notify = require('sennit.notify')
local plain = require('sennit.plain')
local requests = require('sennit.requests')

local M = {}

--- Files of a proposal that show something else than what the agent has left. Pure.
---@param view sennit.ProposalView
---@param wanted? string URI or path of a file.
---@return sennit.FileView[]
function M.files(view, wanted)
  return vim.tbl_filter(function(file)
    local is_meant = not wanted or file.uri == wanted or file.path == wanted
    return is_meant and file.settled ~= nil and file.settled.agentUri ~= nil
  end, view.files or {})
end

---@param uri? string
---@param title string
local function side(uri, title)
  local bufnr = uri and document.buffer(uri) or document.absent()
  vim.api.nvim_win_set_buf(0, bufnr)
  vim.cmd('diffthis')
  vim.wo[0][0].winbar = title
  vim.keymap.set('n', 'q', '<Cmd>tabclose<CR>', { buffer = bufnr, nowait = true })
end

--- Shows it in a tab, beside what the agent began with; under `async.run`.
---@param file sennit.FileView
---@param root string The folder of the server.
function M.show(file, root)
  local settled, path = assert(file.settled), plain.bar(file.path)
  vim.cmd('tab split')
  vim.t.sennit_root = root
  side(settled.agentBaseUri, ('what the agent began with: %s'):format(path))
  vim.cmd('belowright vsplit')
  side(settled.agentUri, ('what the agent left; q leaves: %s'):format(path))
  vim.cmd('diffupdate')
end

---@return string? proposal
---@return string? uri
local function here()
  local review = require('sennit.ui.review').get()
  local node = review and cursor.in_panel(review) and cursor.node(review) or {}
  local shown = review and review.session.shown or {}
  return node.proposal or shown.proposal, node.proposal and node.uri or shown.uri
end

---@param files sennit.FileView[]
---@return sennit.FileView?
local function pick(files)
  if #files <= 1 then
    return files[1]
  end
  return async.select(files, {
    prompt = 'Which file?',
    kind = 'sennit.file',
    format_item = function(file)
      return plain.line(file.path)
    end,
  })
end

--- `:Sennit agent-text [proposal [path]]`; without, the file of the review that the cursor is on.
---@param words string[]
---@param rest string
function M.open(words, rest)
  async.run(function()
    local proposal, wanted = words[1], rest:match('^%S+%s+(.+)$')
    if not proposal then
      proposal, wanted = here()
    end
    local server = client.current()
    if not server or not proposal then
      notify.warn('no proposal is named, and no review shows one: `:Sennit agent-text p_…`.')
      return
    end
    local what = ('The proposal %s cannot be read'):format(proposal)
    local params = { proposal = proposal, limit = 1000 }
    local view = requests.expect(server, what, 'sennit/proposal', params)
    local files = view and M.files(view, wanted) or {}
    local file = pick(files)
    if file then
      M.show(file, server.root_dir)
    elseif view and #files == 0 then
      notify.info('no conflict was settled there, so the review shows what the agent has done.')
    end
  end)
end

return M
