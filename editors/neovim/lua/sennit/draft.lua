--- Tasks as text, the way a draft shows them: headers, an empty line, the prompt; `---` between tasks.
local budget = require('sennit.budget')

local M = {}

M.HELP = {
  '# Write one task or several, with a line of dashes (---) between them. Each may begin with',
  '# headers: agent: NAME, role: NAME, model: NAME, class: NAME, thinking: LEVEL, access: read,',
  '# task: ID, description: WORDS, after: IDS of tasks that come before,',
  '# budget: 20 turns, 200k tokens, 1.50 cost, 10 min.',
  '# Then an empty line, and what the agent is to do. `:w` dispatches, `:q!` drops.',
}

---@type table<string, boolean>
local HELP = {}
for _, line in ipairs(M.HELP) do
  HELP[line] = true
end

---@class sennit.Draft
---@field agent? string
---@field role? string
---@field model? string
---@field class? string Of model.
---@field thinking? string
---@field access? 'read'|'write'
---@field budget? sennit.Budget
---@field id? string
---@field description? string
---@field after? string[]
---@field prompt string

--- Headers in the order in which they are written, and the keys that they fill.
local ORDER = {
  { 'agent', 'agent' },
  { 'role', 'role' },
  { 'model', 'model' },
  { 'class', 'class' },
  { 'thinking', 'thinking' },
  { 'access', 'access' },
  { 'budget', 'budget' },
  { 'task', 'id' },
  { 'description', 'description' },
  { 'after', 'after' },
}
---@type table<string, string>
local HEADERS = {}
M.HEADERS = {}
for index, one in ipairs(ORDER) do
  HEADERS[one[1]], M.HEADERS[index] = one[2], one[1]
end

local SEPARATOR = '^%-%-%-+%s*$'
local FENCE = '^(```+)[^`]*$'

---@param lines string[]
---@param first integer
---@param ticks string
---@return integer?
local function end_of_fence(lines, first, ticks)
  for index = first, #lines do
    local closing = lines[index]:match('^(```+)%s*$')
    if closing and #closing >= #ticks then
      return index
    end
  end
  return nil
end

--- The lines of fenced blocks, which stand for themselves. A fence that does not end is none.
---@param lines string[]
---@return table<integer, boolean>
local function fenced(lines)
  local inside, index = {}, 1
  while index <= #lines do
    local ticks = lines[index]:match(FENCE)
    local last = ticks and end_of_fence(lines, index + 1, ticks)
    for row = index, last or index - 1 do
      inside[row] = true
    end
    index = (last or index) + 1
  end
  return inside
end

--- Whether a line means more than itself.
---@param line string
---@return boolean
local function is_special(line)
  return line:match(SEPARATOR) ~= nil or line:match(FENCE) ~= nil
end

--- Whether a backslash makes a line stand for itself.
---@param line string
---@return boolean
local function is_escaped(line)
  local rest = line:match('^\\+(.*)$')
  return rest ~= nil and is_special(rest)
end

--- A prompt as lines that are read as the same prompt.
---@param prompt string
---@return string[]
local function escaped(prompt)
  local lines = vim.split(prompt, '\n', { plain = true })
  local inside = fenced(lines)
  for index, line in ipairs(lines) do
    if not inside[index] and (is_special(line) or is_escaped(line)) then
      lines[index] = '\\' .. line
    end
  end
  return lines
end

---@param lines string[]
---@return { first: integer, [integer]: string }[] Each with the line that it begins with.
local function split_tasks(lines)
  local blocks, inside = { { first = 1 } }, fenced(lines)
  for index, line in ipairs(lines) do
    if inside[index] then
      table.insert(blocks[#blocks], line)
    elseif line:match(SEPARATOR) then
      blocks[#blocks + 1] = { first = index + 1 }
    else
      table.insert(blocks[#blocks], is_escaped(line) and line:sub(2) or line)
    end
  end
  return blocks
end

---@param line string
---@return string? key
---@return string? value
local function header(line)
  local name, value = line:match('^(%l+):%s*(.-)%s*$')
  return name and HEADERS[name], value
end

--- The value of a header.
---@param key string
---@param value string
---@return any? read
---@return string? problem
local function read(key, value)
  if value == '' then
    return nil
  elseif key == 'after' then
    return vim.split(value, '[,%s]+', { trimempty = true })
  elseif key == 'budget' then
    return budget.read(value)
  elseif key == 'access' and value ~= 'read' and value ~= 'write' then
    return nil, ('`access` is read or write, not `%s`'):format(value)
  end
  return value
end

---@param lines { first: integer, [integer]: string }
---@param problems string[]
---@return sennit.Draft?
local function parse_one(lines, problems)
  local first = 1
  while lines[first] and (HELP[lines[first]] or vim.trim(lines[first]) == '') do
    first = first + 1
  end
  ---@type sennit.Draft
  local draft = { prompt = '' }
  while lines[first] do
    local key, value = header(lines[first])
    if not key then
      break
    end
    local problem
    draft[key], problem = read(key, value or '')
    if problem then
      problems[#problems + 1] = ('line %d: %s'):format(lines.first + first - 1, problem)
    end
    first = first + 1
  end
  draft.prompt = vim.trim(table.concat(vim.list_slice(lines, first), '\n'))
  return draft.prompt ~= '' and draft or nil
end

--- Reads a draft.
---@param lines string[]
---@return sennit.Draft[]
---@return string[] problems What cannot be meant; each names its line.
function M.parse(lines)
  local drafts, problems = {}, {}
  for _, block in ipairs(split_tasks(lines)) do
    drafts[#drafts + 1] = parse_one(block, problems)
  end
  return drafts, problems
end

--- Writes a draft that `parse` reads as the same tasks.
---@param drafts sennit.Draft[]
---@return string[]
function M.format(drafts)
  local lines = vim.list_extend({}, M.HELP)
  for index, draft in ipairs(drafts) do
    if index > 1 then
      lines[#lines + 1] = '---'
    end
    for _, one in ipairs(ORDER) do
      local name, value = one[1], draft[one[2]]
      if name == 'after' and value then
        value = table.concat(value, ', ')
      elseif name == 'budget' and value then
        value = budget.write(value)
      end
      if name == 'agent' or (value and value ~= '') then
        lines[#lines + 1] = ('%s: %s'):format(name, value or '')
      end
    end
    lines[#lines + 1] = ''
    vim.list_extend(lines, escaped(draft.prompt))
  end
  return lines
end

--- Whether a draft says who does it, be it by a role or a class of model.
---@param draft sennit.Draft
---@return boolean
function M.names_somebody(draft)
  return (draft.agent or draft.role or draft.class) ~= nil
end

--- The tasks of a call.
---@param drafts sennit.Draft[]
---@param doer sennit.Doer Who gets those that name nobody.
---@param folder string
---@return sennit.Task[]
function M.tasks(drafts, doer, folder)
  local tasks = {}
  for index, draft in ipairs(drafts) do
    local who = M.names_somebody(draft) and draft or doer
    tasks[index] = {
      id = draft.id or ('task-%d'):format(index),
      agent = who.agent,
      role = who.role,
      model = draft.model,
      modelClass = draft.class,
      thinking = draft.thinking,
      access = draft.access,
      budget = draft.budget,
      description = draft.description,
      dependsOn = draft.after,
      prompt = draft.prompt,
      cwd = vim.uri_from_fname(folder),
    }
  end
  return tasks
end

--- A selection as what a prompt refers to.
---@param path string
---@param first integer
---@param last integer
---@param lines string[]
---@return string
function M.context(path, first, last, lines)
  local fence = '```'
  local text = table.concat(lines, '\n')
  while text:find(fence, 1, true) do
    fence = fence .. '`'
  end
  return ('Context: lines %d to %d of %s\n%s\n%s\n%s'):format(first, last, path, fence, text, fence)
end

return M
