--- Applies what is accepted, takes applications back, and tells what became of it.
local apply = require('sennit.apply')
local async = require('sennit.async')
local client = require('sennit.client')
local notify = require('sennit.notify')
local plain = require('sennit.plain')
local refresh = require('sennit.refresh')
local requests = require('sennit.requests')
local state = require('sennit.state')
local tab = require('sennit.ui.review')

local M = {}

---@param view sennit.ApplicationView
---@return string
local function what_became(view)
  local files = plain.count(#(view.files or {}), 'file')
  local parts = { ('%s is %s, %s'):format(view.id, view.state, files) }
  for _, file in ipairs(view.files or {}) do
    if file.message then
      parts[#parts + 1] = ('%s: %s'):format(plain.line(file.path), plain.line(file.message))
    end
  end
  for _, notice in ipairs(view.notices or {}) do
    parts[#parts + 1] = plain.line(notice.message)
  end
  local conflicts = #(view.conflicts or {})
  if conflicts > 0 then
    local words = '%s left out, since the text there is another now; it is marked in the review'
    parts[#parts + 1] = words:format(plain.count(conflicts, 'accepted hunk'))
  end
  return table.concat(parts, '\n  ')
end

---@param view sennit.ApplicationView
---@param advice string
local function tell(view, advice)
  local message = what_became(view)
  if view.state == 'applied' and #(view.conflicts or {}) == 0 then
    notify.info(message .. advice)
  else
    notify.warn(message .. advice)
  end
end

--- Files that were changed are among the user's buffers from now on.
---@param view sennit.ApplicationView
local function list_buffers(view)
  for _, file in ipairs(view.files or {}) do
    local path = require('sennit.paths').of_uri(file.uri)
    local bufnr = path and require('sennit.paths').buffer(path)
    if bufnr and vim.bo[bufnr].modified then
      vim.bo[bufnr].buflisted = true
    end
  end
end

---@param view sennit.ApplicationView
local function show(view)
  list_buffers(view)
  local review = tab.get()
  if not review then
    return
  end
  review.session.conflicts = {}
  for _, unit in ipairs(view.conflicts or {}) do
    review.session.conflicts[unit] = 'conflict'
  end
  review.session:reload()
  tab.render()
  vim.cmd('diffupdate')
end

---@param server vim.lsp.Client
---@param params sennit.ApplyParams
---@return sennit.ApplicationView?
local function apply_confirmed(server, params)
  local result, problem = requests.ask(server, 'sennit/apply', params)
  local moved = problem and type(problem.data) == 'table' and problem.data.reason == 'headMoved'
  if problem and moved then
    local yes = 'Apply all the same'
    local choice = async.select({ yes, 'Leave it' }, { prompt = plain.line(problem.message) })
    if choice ~= yes then
      return nil
    end
    params.confirmMoved = true
    result, problem = requests.ask(server, 'sennit/apply', params)
  end
  if problem then
    notify.failed('Nothing was applied', problem)
    return nil
  end
  return result
end

---@param wanted? string
---@return sennit.ApplyParams?
local function params_for(wanted)
  local review = tab.get()
  if wanted and vim.startswith(wanted, 't_') then
    return { target = 'editor', ticket = wanted }
  elseif wanted then
    local known = state.known.proposals[wanted]
    if not known then
      notify.error(
        ('the proposal %s is not known; `:Sennit tickets` lists what there is.'):format(wanted)
      )
      return nil
    end
    local selected = { proposal = known.id, revision = known.revision }
    return { target = 'editor', proposals = { selected } }
  elseif not review then
    notify.warn('no review is open; open one by `:Sennit review`, or name a ticket.')
    return nil
  end
  review.session:settle()
  local accepted = review.session:accepted()
  if #accepted == 0 then
    notify.warn('nothing is accepted so far; `:Sennit accept` accepts what the cursor is on.')
    return nil
  end
  return { target = 'editor', proposals = accepted }
end

--- Applies what is accepted, of the open review or of a ticket or proposal.
---@param wanted? string
function M.apply(wanted)
  async.run(function()
    local params = params_for(wanted)
    local server = params and client.current()
    local view = server and apply_confirmed(server, params)
    if view then
      state.take_application(view)
      show(view)
      tell(view, view.state ~= 'failed' and ' (:Sennit undo)' or '')
    end
  end)
end

local UNDOABLE = { applied = true, partlyApplied = true, unknown = true }

--- The last application of this session that can be taken back.
---@return string?
local function last_application()
  local undone = {}
  for index = #state.known.applications, 1, -1 do
    local view = state.known.applications[index]
    if view.undoes then
      undone[view.undoes] = true
    elseif UNDOABLE[view.state] and not undone[view.id] then
      return view.id
    end
  end
  return nil
end

local LOOKED_AT = 20

--- The last application that the server knows of, from before this session or by another client.
---@param server vim.lsp.Client
---@return string?
local function last_known(server)
  if not refresh.lists(server) then
    return nil
  end
  local last
  for index, ticket in ipairs(state.tickets()) do
    local view = index <= LOOKED_AT and refresh.ticket(server, ticket.id)
    for _, one in ipairs(view and view.applications or {}) do
      local fits = UNDOABLE[one.state] and not one.undoes and not one.undoneBy
      if fits and (not last or one.at > last.at) then
        last = one
      end
    end
  end
  return last and last.id
end

--- Takes an application back by merging, so that what was typed since stays.
---@param wanted? string
function M.undo(wanted)
  async.run(function()
    local server = client.current()
    if not server then
      return
    end
    local id = wanted or last_application() or last_known(server)
    if not id then
      notify.info('nothing was applied here that could be undone.')
      return
    end
    local view = requests.expect(server, 'It was not undone', 'sennit/undo', { application = id })
    if view then
      state.take_application(view)
      show(view)
      tell(view, '')
    end
  end)
end

--- Takes the last edit back over all its files without asking the server.
function M.undo_here()
  local undone, problem = apply.undo_last()
  if undone then
    notify.info(
      ('%s was taken back in %s.'):format(undone.label, plain.count(#undone.done, 'step'))
    )
  else
    notify.error('It was not undone: ' .. problem)
  end
end

return M
