--- Tasks as text, the way a draft shows them: headers, an empty line, the prompt; `---` between tasks.
local M = {}

M.HELP = {
  '# Write one task or several, with a line of dashes (---) between them. Each may begin with',
  '# headers: agent: NAME, task: ID, description: WORDS, after: IDS of tasks that come before.',
  '# Then an empty line, and what the agent is to do. `:w` dispatches, `:q!` drops.',
}

---@type table<string, boolean>
local HELP = {}
for _, line in ipairs(M.HELP) do
  HELP[line] = true
end

---@class sennit.Draft
---@field agent? string
---@field id? string
---@field description? string
---@field after? string[]
---@field prompt string

local HEADERS = { agent = 'agent', task = 'id', description = 'description', after = 'after' }

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
---@return string[][]
local function split_tasks(lines)
  local blocks, inside = { {} }, fenced(lines)
  for index, line in ipairs(lines) do
    if inside[index] then
      table.insert(blocks[#blocks], line)
    elseif line:match(SEPARATOR) then
      blocks[#blocks + 1] = {}
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

---@param lines string[]
---@return sennit.Draft?
local function parse_one(lines)
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
    draft[key] = key == 'after' and vim.split(value, '[,%s]+', { trimempty = true }) or value
    if draft[key] == '' then
      draft[key] = nil
    end
    first = first + 1
  end
  draft.prompt = vim.trim(table.concat(vim.list_slice(lines, first), '\n'))
  return draft.prompt ~= '' and draft or nil
end

--- Reads a draft.
---@param lines string[]
---@return sennit.Draft[]
function M.parse(lines)
  local drafts = {}
  for _, block in ipairs(split_tasks(lines)) do
    drafts[#drafts + 1] = parse_one(block)
  end
  return drafts
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
    lines[#lines + 1] = ('agent: %s'):format(draft.agent or '')
    if draft.id then
      lines[#lines + 1] = ('task: %s'):format(draft.id)
    end
    if draft.description then
      lines[#lines + 1] = ('description: %s'):format(draft.description)
    end
    if draft.after and #draft.after > 0 then
      lines[#lines + 1] = ('after: %s'):format(table.concat(draft.after, ', '))
    end
    lines[#lines + 1] = ''
    vim.list_extend(lines, escaped(draft.prompt))
  end
  return lines
end

--- The tasks of a call.
---@param drafts sennit.Draft[]
---@param agent? string Who gets those that name nobody.
---@param folder string
---@return sennit.Task[]
function M.tasks(drafts, agent, folder)
  local tasks = {}
  for index, draft in ipairs(drafts) do
    tasks[index] = {
      id = draft.id or ('task-%d'):format(index),
      agent = draft.agent or agent,
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
