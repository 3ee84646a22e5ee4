-- Loaded at start: one command, the <Plug> maps, and who reads `sennit:` documents. The rest is
-- loaded when it is used first.
if vim.g.loaded_sennit then
  return
end
vim.g.loaded_sennit = true

if vim.fn.has('nvim-0.11') == 0 then
  local has = vim.version and tostring(vim.version()) or 'older'
  vim.notify('Sennit needs Neovim 0.11 or newer; this one is ' .. has, vim.log.levels.ERROR)
  return
end

vim.api.nvim_create_user_command('Sennit', function(given)
  require('sennit.command').run(given)
end, {
  nargs = '*',
  range = true,
  bang = true,
  desc = 'Coding tasks for agents, and the review of what they propose',
  complete = function(lead, line, position)
    return require('sennit.command').complete(lead, line, position)
  end,
})

vim.api.nvim_create_autocmd('BufReadCmd', {
  group = vim.api.nvim_create_augroup('sennit.documents', {}),
  -- With a slash, so that the whole name is compared and not its last part.
  pattern = 'sennit:/*',
  desc = 'Read a text that Sennit keeps',
  callback = function(event)
    require('sennit.ui.document').read(event.buf)
  end,
})

local plugs = {
  ['dispatch'] = 'dispatch',
  ['tickets'] = 'tickets',
  ['review'] = 'review',
  ['accept-hunk'] = 'accept hunk',
  ['accept-file'] = 'accept file',
  ['accept-all'] = 'accept all',
  ['reject-hunk'] = 'reject hunk',
  ['reject-file'] = 'reject file',
  ['reject-all'] = 'reject all',
  ['reset-hunk'] = 'reset hunk',
  ['next-hunk'] = 'next',
  ['previous-hunk'] = 'previous',
  ['resolve'] = 'resolve',
  ['apply'] = 'apply',
  ['undo'] = 'undo',
  ['close'] = 'close',
}
for name, words in pairs(plugs) do
  vim.keymap.set('n', '<Plug>(sennit-' .. name .. ')', '<Cmd>Sennit ' .. words .. '<CR>')
end
vim.keymap.set('x', '<Plug>(sennit-dispatch)', ':Sennit dispatch<CR>')
