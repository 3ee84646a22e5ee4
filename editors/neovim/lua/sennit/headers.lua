--- The headers of a draft: what each is called, how its value is read and written. Pure.
local budget = require('sennit.budget')
local spelling = require('sennit.spelling')

local M = {}

---@class sennit.Header
---@field name string As it is written.
---@field key string Where its value is kept, in a draft or in a call.
---@field read fun(value: string): any, string? Gives the value, or nil and what is wrong with it.
---@field write fun(value: any): string
---@field values? string[] All that it can be.
---@field is_repeated? boolean Each line of it adds one.
---@field is_own? boolean It is about one task alone.

---@class sennit.Place What an agent is given along: lines of a file, or an earlier proposal.
---@field path? string
---@field startLine? integer From 1.
---@field endLine? integer
---@field proposal? string

---@param value string
local function same(value)
  return value
end

---@param value string
---@return string[]
local function read_list(value)
  return vim.split(value, '[,%s]+', { trimempty = true })
end

---@param value string[]
---@return string
local function write_list(value)
  return table.concat(value, ', ')
end

---@param value string
---@return integer?
---@return string? problem
local function read_count(value)
  local number = value:match('^%d+$')
  if not number then
    return nil, ('`%s` is no whole number'):format(value)
  end
  return tonumber(number) --[[@as integer]]
end

---@param value string
---@return sennit.Place?
---@return string? problem
local function read_place(value)
  if value:match('^p_%w+$') then
    return { proposal = value }
  end
  local path, first, last = value:match('^(.+):(%d+)%-?(%d*)$')
  if not path then
    return { path = value }
  end
  local from, to = tonumber(first), tonumber(last ~= '' and last or first)
  if from < 1 or to < from then
    return nil, ('`%s` names no lines; write such as: src/a.py:10-20'):format(value)
  end
  return { path = path, startLine = from, endLine = to }
end

---@param place sennit.Place
---@return string
local function write_place(place)
  if place.proposal or not place.startLine then
    return place.proposal or place.path or ''
  end
  return ('%s:%d-%d'):format(place.path, place.startLine, place.endLine)
end

---@param name string
---@param key string
---@param more? table<string, any>
---@return sennit.Header
local function header(name, key, more)
  local made = { name = name, key = key, read = same, write = same }
  return vim.tbl_extend('force', made, more or {}) --[[@as sennit.Header]]
end

---@param name string
---@param key string
---@param values string[]
---@return sennit.Header
local function choice(name, key, values)
  return header(name, key, {
    values = values,
    read = function(value)
      if vim.tbl_contains(values, value) then
        return value
      end
      return nil, ('`%s` is %s, not `%s`'):format(name, table.concat(values, ' or '), value)
    end,
  })
end

local LIST = { read = read_list, write = write_list }
local COUNT = { read = read_count, write = tostring }
local TIME = { read = budget.read_time, write = budget.write_time }
local OWN = { is_own = true }

--- In the order in which they are written.
---@type sennit.Header[]
M.OF_TASK = {
  header('agent', 'agent'),
  header('role', 'role'),
  header('model', 'model'),
  header('class', 'class'),
  header('thinking', 'thinking'),
  choice('access', 'access', { 'read', 'write' }),
  header('budget', 'budget', { read = budget.read, write = budget.write }),
  header('deadline', 'deadlineMs', TIME),
  header('idle', 'idleMs', TIME),
  choice('base', 'base', { 'live', 'head' }),
  choice('workspace', 'workspace', { 'isolated', 'scratch', 'shared' }),
  header('writes', 'writes', LIST),
  header('tools', 'tools', LIST),
  choice('changes', 'expectChanges', { 'off', 'flag', 'fail' }),
  header('retries', 'retries', COUNT),
  header('resume', 'resume', OWN),
  header('task', 'id', OWN),
  header('description', 'description', OWN),
  header('after', 'after', vim.tbl_extend('error', LIST, OWN)),
  header('attach', 'attach', {
    read = read_place,
    write = write_place,
    is_repeated = true,
    is_own = true,
  }),
}

--- Of the ticket as a whole.
---@type sennit.Header[]
M.OF_TICKET = {
  header('label', 'label'),
  header('brief', 'brief'),
  choice('conflict', 'onConflict', { 'setAside', 'follow' }),
  choice('order', 'order', { 'task', 'fewestConflicts' }),
  choice('offer', 'offer', { 'auto', 'settled', 'manual' }),
  header('concurrent', 'maxConcurrent', COUNT),
}

---@type table<string, sennit.Header>
local BY_NAME = {}
---@type table<string, boolean>
local IS_OF_TICKET = {}
for _, one in ipairs(M.OF_TASK) do
  BY_NAME[one.name] = one
end
for _, one in ipairs(M.OF_TICKET) do
  BY_NAME[one.name], IS_OF_TICKET[one.name] = one, true
end

---@param name string
---@return sennit.Header?
function M.get(name)
  return BY_NAME[name]
end

--- What the protocol calls otherwise than a draft keeps it.
local KEPT_AS = { dependsOn = 'after', modelClass = 'class' }

--- How a key of the protocol is written in a draft.
---@param key string
---@return string
function M.name_of(key)
  for _, one in ipairs(M.OF_TASK) do
    if one.key == (KEPT_AS[key] or key) then
      return one.name
    end
  end
  return key
end

--- Whether a header is about the ticket as a whole.
---@param name string
---@return boolean
function M.is_of_ticket(name)
  return IS_OF_TICKET[name] == true
end

---@return string[]
function M.names()
  local names = {}
  for _, list in ipairs({ M.OF_TASK, M.OF_TICKET }) do
    for _, one in ipairs(list) do
      names[#names + 1] = one.name
    end
  end
  return names
end

--- The word before the colon of a line that is a header, or would be one if there were that header.
---@param line string
---@return string?
function M.word(line)
  local known = line:match('^(%l+):')
  if known and BY_NAME[known] then
    return known
  end
  -- Not `https://…`, `std::vector` or `C:\…`, which begin a prompt.
  return line:match('^(%a[%w_-]*):$') or line:match('^(%a[%w_-]*):[^:/\\]')
end

--- Whether a word is so near a header that it is one with a slip in it.
---@param word string
---@return boolean
function M.is_slip(word)
  local _, distance = spelling.nearest(word, M.names())
  return #word >= 4 and distance <= 1
end

--- What is wrong with a header that there is not, and which one is the nearest.
---@param word string
---@return string
function M.unknown(word)
  local names = M.names()
  local nearest, distance = spelling.nearest(word, names)
  if distance * 2 <= #word then
    return ('there is no header `%s`; the nearest is `%s`'):format(word, nearest)
  end
  return ('there is no header `%s`; there are: %s'):format(word, table.concat(names, ', '))
end

--- Puts the value of a header where it belongs; one that says nothing is left out.
---@param into table<string, any> A draft, or a call.
---@param one sennit.Header
---@param text string
---@return string? problem
function M.put(into, one, text)
  if text == '' then
    return nil
  end
  local value, problem = one.read(text)
  if problem then
    return problem
  elseif one.is_repeated then
    into[one.key] = vim.list_extend(into[one.key] or {}, { value })
  else
    into[one.key] = value
  end
  return nil
end

--- The lines of all headers that have a value.
---@param headers sennit.Header[]
---@param from table<string, any>
---@return string[]
function M.lines(headers, from)
  local lines = {}
  for _, one in ipairs(headers) do
    local value = from[one.key]
    for _, each in ipairs(one.is_repeated and (value or {}) or { value }) do
      lines[#lines + 1] = ('%s: %s'):format(one.name, one.write(each))
    end
  end
  return lines
end

return M
