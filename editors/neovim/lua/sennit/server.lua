--- Finds the server's program, and tells in words why one is not there or will not do.
local config = require('sennit.config')
local paths = require('sennit.paths')

local M = {}

M.PROTOCOL = require('sennit.protocol').VERSION
local INSTALL = 'Install it by `uv tool install .` in a checkout of Sennit, or name it in the'
  .. ' option `cmd`; `:checkhealth sennit` looks again.'

---@class sennit.Program
---@field argv string[]
---@field source 'option'|'path'|'project'

---@param path string
---@return boolean
local function is_program(path)
  return vim.fn.executable(path) == 1
end

--- The program on PATH. Entries that are no absolute path would mean another program in every folder.
---@return string?
---@return string? refused One that only such an entry leads to.
local function program_on_path()
  local refused
  for _, folder in ipairs(vim.split(vim.env.PATH or '', ':', { plain = true })) do
    if folder:sub(1, 1) == '/' then
      local path = vim.fs.joinpath(folder, 'sennit')
      if is_program(path) then
        return path
      end
    elseif is_program(vim.fs.joinpath('.', folder, 'sennit')) then
      refused = refused or folder
    end
  end
  return nil, refused
end

--- Whether a program lies in a folder: by its own name, or by where its links lead.
---@param program string
---@param root string
---@return boolean
local function is_of_folder(program, root)
  local beside = vim.fs.joinpath(paths.real(vim.fs.dirname(program)), vim.fs.basename(program))
  local real = paths.real(root)
  return vim.iter({ program, beside, paths.real(program) }):any(function(path)
    return paths.is_below(path, root) or paths.is_below(path, real)
  end)
end

--- The program in the project's own environment, whether it may be used or not.
---@param root string
---@return string?
local function project_program(root)
  local path = vim.fs.joinpath(root, '.venv', 'bin', 'sennit')
  return is_program(path) and path or nil
end

--- The command line to start, or why there is none.
---@param root string
---@param project_allowed boolean Whether programs of the folder itself may be started.
---@return sennit.Program?
---@return string? problem
function M.find(root, project_allowed)
  local cmd = config.get().cmd
  if cmd then
    if not cmd[1] or not is_program(cmd[1]) then
      return nil,
        ('the option `cmd` names %q, which is no program that can be started. %s'):format(
          tostring(cmd[1]),
          INSTALL
        )
    end
    return { argv = cmd, source = 'option' }
  end
  local found, refused = program_on_path()
  local of_folder = found and is_of_folder(found, root)
  if found and not of_folder then
    return { argv = { found, 'serve' }, source = 'path' }
  end
  local project = of_folder and found or project_program(root)
  if project and project_allowed then
    return { argv = { project, 'serve' }, source = 'project' }
  elseif project then
    return nil,
      ('the only server is %s, a program of this folder, which is not trusted. Look at the folder, then'):format(
        project
      ) .. ' run `:Sennit trust grant`.'
  end
  if refused then
    return nil,
      ('PATH leads to a `sennit` only by %q, which is no absolute path and so no safe one. %s'):format(
        refused,
        INSTALL
      )
  end
  return nil, ('no program `sennit` was found on PATH or in %s/.venv. %s'):format(root, INSTALL)
end

--- Why an answer to `initialize` will not do; nil when it will.
---@param result any
---@return string?
function M.mismatch(result)
  local said = type(result) == 'table'
    and vim.tbl_get(result, 'capabilities', 'experimental', 'sennit')
  if type(said) ~= 'table' or type(said.protocolVersion) ~= 'string' then
    return 'it does not speak the protocol of Sennit: it is another program, or too old. '
      .. INSTALL
  end
  if said.protocolVersion ~= M.PROTOCOL then
    local version = vim.tbl_get(result, 'serverInfo', 'version') or 'unknown'
    return ('it speaks protocol %s (version %s), this plugin speaks %s. Update the older of the two.'):format(
      said.protocolVersion,
      version,
      M.PROTOCOL
    )
  end
  return nil
end

--- How a connection ended, for a person.
---@param argv string[]
---@param ended sennit.rpc.End
---@return string
function M.obituary(argv, ended)
  local what = ('the server %s'):format(argv[1])
  if ended.reason then
    return ('%s was ended: %s'):format(what, ended.reason)
  end
  local how = ended.signal ~= 0 and ('was killed by signal %d'):format(ended.signal)
    or ('ended with exit code %d'):format(ended.code)
  local when = ended.initialized and '' or ' before it had answered'
  local last = ended.stderr:match('[^\n]*$')
  local said = last ~= '' and ('; it said: %s'):format(last) or ''
  return ('%s %s%s%s'):format(what, how, when, said)
end

return M
