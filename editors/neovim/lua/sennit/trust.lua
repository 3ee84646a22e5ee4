--- `:Sennit trust`: whether agents may run in this folder. The server keeps it and decides by it.
local async = require('sennit.async')
local client = require('sennit.client')
local consent = require('sennit.consent')
local notify = require('sennit.notify')
local requests = require('sennit.requests')

local M = {}

---@param root string
---@return vim.lsp.Client?
local function ready(root)
  local found = client.start(root)
  return found and client.ready(found) and found or nil
end

---@param folder sennit.TrustedFolder
---@return string
local function describe(folder)
  if folder.state == 'changed' then
    local files = table.concat(folder.changed or {}, ', ')
    return ('%s: was trusted; these files that can start programs have changed since: %s'):format(
      folder.folder,
      files
    )
  end
  return ('%s: %s'):format(folder.folder, folder.state)
end

---@param root string
---@param folders sennit.TrustedFolder[]
---@return sennit.TrustedFolder?
local function of_root(root, folders)
  for _, folder in ipairs(folders) do
    if folder.folder == root then
      return folder
    end
  end
  return nil
end

---@param root string
---@param action sennit.TrustAction
---@return sennit.TrustResult?
local function tell_server(root, action)
  local found = ready(root)
  if not found then
    return nil
  end
  return requests.expect(found, 'Trust was not changed', 'sennit/trust', {
    action = action,
    folder = action ~= 'list' and root or nil,
  })
end

---@param root string
local function grant(root)
  -- The server itself may be a program of this folder.
  consent.set(root, true)
  local result = tell_server(root, 'grant')
  if result then
    notify.info(
      ('%s is trusted; agents may run there.'):format(require('sennit.paths').shown(root))
    )
  end
end

---@param root string
local function revoke(root)
  consent.set(root, false)
  local result = tell_server(root, 'revoke')
  if result then
    notify.info(('%s is not trusted any more; no program runs for it.'):format(root))
  end
end

---@param root string
local function ask(root)
  local choice = async.select({ 'Trust it', 'Do not trust it' }, {
    prompt = ('Trust %s? Agents, and programs that its files name, could then run as you.'):format(
      root
    ),
    kind = 'sennit.trust',
  })
  if choice == 'Trust it' then
    grant(root)
  end
end

---@param root string
---@param action? string
local function show(root, action)
  local result = tell_server(root, 'list')
  if not result then
    return
  end
  local known = of_root(root, result.folders)
  if action == nil and (not known or known.state ~= 'trusted') then
    ask(root)
    return
  end
  local lines = vim.tbl_map(describe, result.folders)
  if not known then
    table.insert(lines, 1, ('%s: untrusted'):format(root))
  end
  notify.info('trust in folders:\n  ' .. table.concat(lines, '\n  '))
end

---@param action? string
function M.run(action)
  local root = client.here()
  if not root then
    notify.error('this is no git repository; trust is about those.')
    return
  end
  async.run(function()
    if action == 'grant' then
      grant(root)
    elseif action == 'revoke' then
      revoke(root)
    elseif action == nil or action == 'list' then
      show(root, action)
    else
      notify.error(('there is no `:Sennit trust %s`; say grant, revoke or list.'):format(action))
    end
  end)
end

return M
