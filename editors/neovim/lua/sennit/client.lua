--- The client of the server: its configuration, its start, its end and its start again.
local config = require('sennit.config')
local connection = require('sennit.rpc.connection')
local consent = require('sennit.consent')
local documents = require('sennit.documents')
local events = require('sennit.events')
local notify = require('sennit.notify')
local paths = require('sennit.paths')
local restart = require('sennit.restart')
local server = require('sennit.server')

local M = {}

M.NAME = 'sennit'

---@type table<string, sennit.RestartHistory>
local histories = {}
---@type table<string, boolean> Roots whose server is to end.
local unwanted = {}
---@type table<string, sennit.rpc.Connection>
local connections = {}
---@type table<string, string> Why there is no server for a root.
M.problems = {}

---@return table
local function capabilities()
  return {
    workspace = {
      applyEdit = true,
      workspaceEdit = {
        documentChanges = true,
        resourceOperations = { 'create', 'rename', 'delete' },
        failureHandling = 'transactional',
        changeAnnotationSupport = { groupsOnLabel = false },
      },
    },
    experimental = {
      sennit = {
        protocolVersion = server.PROTOCOL,
        clientId = ('neovim-%d'):format(vim.uv.os_getpid()),
        ask = true,
        review = true,
        applyReport = true,
        output = true,
      },
    },
  }
end

--- The server's settings, and the user's word on trust where there is one.
---@return table
local function initialization_options()
  local options = config.get()
  local sent = vim.deepcopy(options.settings or {})
  -- Unset leaves it to what `:Sennit trust` and `sennit trust` have granted.
  sent.trusted = options.trusted
  return next(sent) and sent or vim.empty_dict()
end

---@param root string
---@param ended sennit.rpc.End
---@param argv string[]
local function ended_by_itself(root, ended, argv)
  local options = config.get()
  local why = server.obituary(argv, ended)
  -- Whoever waits for the end may start it again at once, and then it is wanted again.
  local was_unwanted = unwanted[root]
  events.emit('ServerExited', { root = root, reason = why })
  if was_unwanted or vim.v.exiting ~= vim.NIL then
    return
  end
  M.problems[root] = why
  if not ended.initialized then
    -- It would not do better the next time.
    notify.error(why .. ' `:Sennit log` has all that it said.')
    return
  end
  local delay
  delay, histories[root] = restart.next(
    histories[root] or { attempts = 0, last_start_ms = vim.uv.now() },
    vim.uv.now(),
    options.restart_ms,
    options.restart_window_ms
  )
  if not delay then
    notify.error(why .. '. It has ended too often; `:Sennit restart` starts it again.')
    return
  end
  notify.warn(('%s. It is started again in %.1f s.'):format(why, delay / 1000))
  vim.defer_fn(function()
    if not unwanted[root] and not M.get(root) then
      M.start(root)
    end
  end, delay)
end

--- `cmd` of the configuration.
---@param dispatchers vim.lsp.rpc.Dispatchers
---@param resolved vim.lsp.ClientConfig
---@return vim.lsp.rpc.PublicClient
local function connect(dispatchers, resolved)
  local root = resolved.root_dir or vim.fn.getcwd()
  local options = config.get()
  local program, problem = server.find(root, consent.given(root))
  if not program then
    M.problems[root] = problem
    error('Sennit: ' .. problem, 0)
  end
  local client, made = connection.start(program.argv, dispatchers, {
    cwd = root,
    env = options.env,
    initialized = server.mismatch,
    outgoing = documents.exact,
    on_end = function(ended)
      vim.schedule(function()
        ended_by_itself(root, ended, program.argv)
      end)
    end,
  })
  connections[root] = made
  vim.defer_fn(function()
    if not made.ready then
      made:terminate(('it did not answer within %d s.'):format(options.start_ms / 1000))
    end
  end, options.start_ms)
  return client
end

--- Whether there is a server for a folder; the reason why not is told once and not for each file.
---@param root string
---@return boolean
function M.can_start(root)
  local program, problem = server.find(root, consent.given(root))
  if not program and M.problems[root] ~= problem then
    M.problems[root] = problem
    notify.warn(problem or 'there is no server.')
  end
  return program ~= nil
end

---@param client vim.lsp.Client
local function on_init(client)
  M.problems[client.root_dir] = nil
  documents.attach_all(client)
  require('sennit.refresh').all(client)
  events.emit('ServerStarted', { root = client.root_dir, version = client.server_info.version })
end

---@param client vim.lsp.Client
---@param bufnr integer
local function on_attach(client, bufnr)
  documents.tell(client, bufnr)
end

--- The configuration, as `vim.lsp.config` and `vim.lsp.start` take it.
---@return vim.lsp.Config
function M.config()
  return {
    name = M.NAME,
    cmd = connect,
    root_dir = function(bufnr, on_dir)
      local name = vim.api.nvim_buf_get_name(bufnr)
      local root = name:sub(1, 1) == '/' and paths.root(paths.real(name))
      if root and M.can_start(root) then
        unwanted[root] = nil
        on_dir(root)
      end
    end,
    reuse_client = function(client, given)
      return client.name == M.NAME and client.root_dir == given.root_dir and not client:is_stopped()
    end,
    capabilities = capabilities(),
    init_options = initialization_options(),
    handlers = require('sennit.handlers'),
    on_init = on_init,
    on_attach = on_attach,
    -- Whole texts: they alone carry line endings and the final newline exactly.
    flags = { allow_incremental_sync = false, debounce_text_changes = 100 },
  }
end

--- The running client of a folder.
---@param root string
---@return vim.lsp.Client?
function M.get(root)
  for _, client in ipairs(vim.lsp.get_clients({ name = M.NAME, _uninitialized = true })) do
    if client.root_dir == root and not client:is_stopped() then
      return client
    end
  end
  return nil
end

--- Starts the server of a folder, with no buffer if need be.
---@param root string
---@return vim.lsp.Client?
function M.start(root)
  unwanted[root] = nil
  local running = M.get(root)
  if running then
    return running
  end
  local made = vim.tbl_deep_extend('force', vim.lsp.config[M.NAME] or M.config(), {
    root_dir = root,
    init_options = initialization_options(),
  })
  local id = vim.lsp.start(made, { attach = false, silent = true })
  if not id then
    notify.error(M.problems[root] or 'the server could not be started; `:Sennit log` may say why.')
    return nil
  end
  return vim.lsp.get_client_by_id(id)
end

--- Ends a process that does not end when it is told to.
---@param connection_of_root? sennit.rpc.Connection
local function end_for_sure(connection_of_root)
  local grace_ms = config.get().stop_ms
  vim.defer_fn(function()
    if connection_of_root and connection_of_root:kill() then
      notify.warn(('the server did not end within %g s, so it was killed.'):format(grace_ms / 1000))
    end
  end, grace_ms)
end

--- Ends the server of a folder; nothing of its work is lost.
---@param root string
function M.stop(root)
  unwanted[root] = true
  local client = M.get(root)
  if client then
    client:stop()
    end_for_sure(connections[root])
  end
end

--- Ends the server of the folder where the user is, and starts it again.
function M.restart()
  local root = M.here()
  if not root then
    notify.error('neither this file nor the working directory lies in a git repository.')
    return
  end
  histories[root] = nil
  if not M.get(root) then
    M.start(root)
    return
  end
  local stop
  stop = events.on({ 'ServerExited' }, function(_, data)
    if data.root == root then
      stop()
      M.start(root)
    end
  end)
  M.stop(root)
end

--- The folder that the user is in: that of the buffer, else that of the working directory.
---@return string?
function M.here()
  local name = vim.api.nvim_buf_get_name(0)
  local path = name:match('^sennit:(/.*)%?rev=') or name
  local root = path:sub(1, 1) == '/' and paths.root(paths.real(path))
  -- Panels and the windows of a review belong to a server, wherever the working directory is.
  return root or vim.b.sennit_root or vim.t.sennit_root or paths.root(vim.fn.getcwd())
end

--- The client for where the user is, started if need be. Waits until it is ready.
---@return vim.lsp.Client?
function M.current()
  local root = M.here()
  if not root then
    local running = vim.lsp.get_clients({ name = M.NAME })[1]
    if not running then
      notify.error('neither this file nor the working directory lies in a git repository.')
    end
    return running
  end
  local client = M.start(root)
  if not client then
    return nil
  end
  return M.ready(client) and client or nil
end

--- As `current`, and waits until the tickets that its server keeps are known: an editor begins with none.
---@return vim.lsp.Client?
function M.informed()
  local client = M.current()
  if client then
    require('sennit.refresh').caught_up(client)
  end
  return client
end

--- Waits until a client is ready; under `async.run`.
---@param client vim.lsp.Client
---@return boolean
function M.ready(client)
  if client.initialized then
    return true
  end
  return require('sennit.async').await(function(done)
    local stop
    stop = events.on({ 'ServerStarted', 'ServerExited' }, function(event, data)
      -- The end may be told late of a server that was there before this one.
      local is_over = event == 'ServerExited' and client:is_stopped()
      if data.root == client.root_dir and (event == 'ServerStarted' or is_over) then
        stop()
        done(event == 'ServerStarted')
      end
    end)
  end)
end

return M
