--- Tasks as text, the way a draft shows them: headers, an empty line, the prompt; `---` between tasks.
local headers = require('sennit.headers')

local M = {}

M.HELP = {
  '# Write one task or several, with a line of dashes (---) between them. Each may begin with',
  '# headers: agent: NAME, role: NAME, model: NAME, access: read, task: ID, after: IDS of others,',
  '# attach: PATH:1-20, budget: 20 turns, 200k tokens, 1.50 cost, 10 min. A first part of headers',
  '# alone is for all tasks; conflict: follow, order, label and offer stand there.',
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
---@field access? sennit.Access
---@field budget? sennit.Budget
---@field deadlineMs? number
---@field idleMs? number
---@field base? sennit.BaseKind
---@field workspace? sennit.WorkspaceKind
---@field writes? string[]
---@field tools? string[]
---@field expectChanges? sennit.ExpectChanges
---@field retries? integer
---@field resume? string
---@field id? string
---@field description? string
---@field after? string[]
---@field attach? sennit.Place[]
---@field prompt string

---@class sennit.Call What counts for all tasks of a draft.
---@field label? string
---@field brief? string
---@field onConflict? sennit.OnConflict
---@field order? sennit.MergeOrder
---@field offer? sennit.Offer
---@field maxConcurrent? integer
---@field defaults? sennit.Draft

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

---@class sennit.DraftPart
---@field draft sennit.Draft
---@field call sennit.Call
---@field own? { name: string, line: integer } The first header that cannot be said for all tasks.
---@field joint? { name: string, line: integer } The first header that is about the ticket as a whole.

---@param part sennit.DraftPart
---@param line string
---@param number integer
---@return boolean is_header
---@return string? problem
local function take(part, line, number)
  local name, value = line:match('^(%l+):%s*(.-)%s*$')
  local header = name and headers.get(name)
  if not header then
    return false
  end
  local is_joint = headers.is_of_ticket(name)
  local where = value ~= '' and { name = name, line = number } or nil
  part.own = part.own or (header.is_own and where or nil)
  part.joint = part.joint or (is_joint and where or nil)
  return true, headers.put(is_joint and part.call or part.draft, header, value)
end

--- Where the lines end that are headers, or look so beside them. A line alone that only looks so is a prompt.
---@param lines string[]
---@param first integer
---@return integer last
local function end_of_head(lines, first)
  local last, is_head = first - 1, false
  while lines[last + 1] do
    local word = headers.word(lines[last + 1])
    if not word then
      break
    end
    is_head = is_head or headers.get(word) ~= nil or headers.is_slip(word)
    last = last + 1
  end
  return is_head and last or first - 1
end

---@param line string
---@param is_first boolean Whether no header stands above it, below which an empty line would do.
---@return string problem
local function no_header(line, is_first)
  return ('%s. If the prompt begins so, put %s above it'):format(
    headers.unknown(assert(headers.word(line))),
    is_first and '`agent:` and an empty line' or 'an empty line'
  )
end

---@param lines { first: integer, [integer]: string }
---@param problems string[]
---@return sennit.DraftPart
local function read_part(lines, problems)
  local at = 1
  while lines[at] and (HELP[lines[at]] or vim.trim(lines[at]) == '') do
    at = at + 1
  end
  ---@type sennit.DraftPart
  local part = { draft = { prompt = '' }, call = {} }
  local first, last = at, end_of_head(lines, at)
  for index = first, last do
    local number = lines.first + index - 1
    local is_header, problem = take(part, lines[index], number)
    if not is_header then
      problem = no_header(lines[index], index == first)
    end
    if problem then
      problems[#problems + 1] = ('line %d: %s'):format(number, problem)
    end
  end
  part.draft.prompt = vim.trim(table.concat(vim.list_slice(lines, last + 1), '\n'))
  return part
end

---@param part sennit.DraftPart
---@param call sennit.Call
---@param problems string[]
local function take_defaults(part, call, problems)
  if part.own then
    local words = 'line %d: `%s` is about one task, and this part is for all'
    problems[#problems + 1] = words:format(part.own.line, part.own.name)
  end
  part.draft.prompt = nil
  if next(part.draft) then
    call.defaults = part.draft
  end
end

--- Reads a draft.
---@param lines string[]
---@return sennit.Draft[]
---@return string[] problems What cannot be meant; each names its line.
---@return sennit.Call call
function M.parse(lines)
  local drafts, problems, call = {}, {}, {}
  local blocks = split_tasks(lines)
  for index, block in ipairs(blocks) do
    local part = read_part(block, problems)
    if index == 1 then
      call = part.call
    elseif part.joint then
      local words = 'line %d: `%s` is about all tasks; write it into the first part'
      problems[#problems + 1] = words:format(part.joint.line, part.joint.name)
    end
    if part.draft.prompt ~= '' then
      drafts[#drafts + 1] = part.draft
    elseif index == 1 and #blocks > 1 then
      take_defaults(part, call, problems)
    end
  end
  return drafts, problems, call
end

--- Writes a draft that `parse` reads as the same tasks.
---@param drafts sennit.Draft[]
---@param call? sennit.Call
---@return string[]
function M.format(drafts, call)
  local lines = vim.list_extend({}, M.HELP)
  lines[#lines + 1] = ''
  if call and next(call) then
    vim.list_extend(lines, headers.lines(headers.OF_TICKET, call))
    vim.list_extend(lines, headers.lines(headers.OF_TASK, call.defaults or {}))
    lines[#lines + 1] = '---'
  end
  for index, draft in ipairs(drafts) do
    if index > 1 then
      lines[#lines + 1] = '---'
    end
    if not draft.agent then
      lines[#lines + 1] = 'agent: '
    end
    vim.list_extend(lines, headers.lines(headers.OF_TASK, draft))
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

---@param place sennit.Place
---@param folder string
---@return sennit.Attachment
local function attachment(place, folder)
  if place.proposal then
    return { proposal = place.proposal }
  end
  local is_absolute = vim.startswith(place.path, '/')
  local path = is_absolute and place.path or vim.fs.joinpath(folder, place.path)
  return {
    uri = vim.uri_from_fname(path),
    startLine = place.startLine,
    endLine = place.endLine,
  }
end

--- What a draft says, under the protocol's names.
---@param draft sennit.Draft
---@return sennit.TaskDefaults
function M.keys(draft)
  return {
    agent = draft.agent,
    role = draft.role,
    model = draft.model,
    modelClass = draft.class,
    thinking = draft.thinking,
    access = draft.access,
    budget = draft.budget,
    deadlineMs = draft.deadlineMs,
    idleMs = draft.idleMs,
    base = draft.base,
    workspace = draft.workspace,
    writes = draft.writes,
    tools = draft.tools,
    expectChanges = draft.expectChanges,
    retries = draft.retries,
  }
end

--- The tasks of a call.
---@param drafts sennit.Draft[]
---@param doer sennit.Doer Who gets those that name nobody.
---@param folder string
---@return sennit.Task[]
function M.tasks(drafts, doer, folder)
  local tasks = {}
  for index, draft in ipairs(drafts) do
    local who = M.names_somebody(draft) and {} or { agent = doer.agent, role = doer.role }
    local own = {
      id = draft.id or ('task-%d'):format(index),
      description = draft.description,
      dependsOn = draft.after,
      resume = draft.resume,
      attach = draft.attach and vim.tbl_map(function(place)
        return attachment(place, folder)
      end, draft.attach),
      prompt = draft.prompt,
      cwd = vim.uri_from_fname(folder),
    }
    tasks[index] = vim.tbl_extend('error', M.keys(draft), who, own)
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
