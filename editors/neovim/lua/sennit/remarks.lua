--- What a person should know beside a state: flags, notices, what a base holds and lacks. Pure.
local plain = require('sennit.plain')

local M = {}

---@type table<sennit.Flag, string>
local FLAGS = {
  quarantined = 'quarantined: a process of it could not be ended',
  recovered = 'recovered',
  stale = 'stale',
  sourceDrift = 'your files changed meanwhile',
  cleanupIssue = 'not all was cleaned up',
  headMoved = 'HEAD has moved',
  unchanged = 'changed nothing',
  outputTruncated = 'output cut',
}

--- Flags in words; one that this version does not know by its name.
---@param flags? sennit.Flag[]
---@return string[]
function M.flags(flags)
  return vim.tbl_map(function(flag)
    return FLAGS[flag] or flag
  end, flags or {})
end

--- Each notice as one line, with the file that it is about.
---@param notices? sennit.Notice[]
---@return string[]
function M.notices(notices)
  return vim.tbl_map(function(notice)
    local path = notice.path and notice.path .. ': ' or ''
    return plain.line(path .. notice.message)
  end, notices or {})
end

local NAMED = 5
local SHORT_HASH = 10
local HELD = { 'staged', 'modified', 'deleted', 'untracked', 'unsaved' }

---@param base sennit.ManifestView
---@return string[]
local function left_out(base)
  local all = base.leftOut or {}
  local lines = {}
  for index = 1, math.min(#all, NAMED) do
    local one = all[index]
    local detail = one.detail and (' (%s)'):format(one.detail) or ''
    lines[index] = plain.line(('left out: %s: %s%s'):format(one.path, one.reason, detail))
  end
  if #all > NAMED then
    lines[#lines + 1] = ('left out: %s'):format(plain.count(#all - NAMED, 'more path'))
  end
  return lines
end

--- What agents began with, and what they did not see of it.
---@param base sennit.ManifestView
---@return string[]
function M.base(base)
  local commit = base.head and base.head:sub(1, SHORT_HASH) or 'no commit yet'
  local parts = { ('base: %s (%s)'):format(commit, plain.line(base.branch or 'detached')) }
  for _, name in ipairs(HELD) do
    local paths = base[name] or {}
    if #paths > 0 then
      parts[#parts + 1] = ('%d %s'):format(#paths, name)
    end
  end
  local lines = { table.concat(parts, ', ') }
  vim.list_extend(lines, left_out(base))
  if base.inProgress then
    lines[#lines + 1] = 'git is in the middle of: ' .. plain.line(base.inProgress)
  end
  return lines
end

return M
