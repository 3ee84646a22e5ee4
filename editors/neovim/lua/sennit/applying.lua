--- Applies what is accepted, takes applications back, and tells what became of it.
local apply = require('sennit.apply')
local async = require('sennit.async')
local client = require('sennit.client')
local connection = require('sennit.rpc.connection')
local lost = require('sennit.lost')
local notify = require('sennit.notify')
local plain = require('sennit.plain')
local refresh = require('sennit.refresh')
local requests = require('sennit.requests')
local state = require('sennit.state')
local tab = require('sennit.ui.review')

local M = {}

--- By the state of the undo, which is an application of its own.
local UNDO = {
  applied = 'is taken back',
  partlyApplied = 'is taken back in part',
  failed = 'was not taken back',
}

--- What it is about, in words: an undo is about the application that it takes back.
---@param view sennit.ApplicationView
---@return string
local function head(view)
  if not view.undoes then
    return ('%s is %s'):format(view.id, view.state)
  end
  local words = UNDO[view.state]
    or ('is being taken back by %s, which is %s'):format(view.id, view.state)
  return ('%s %s'):format(view.undoes, words)
end

---@param view sennit.ApplicationView
---@return string
local function what_became(view)
  local files = plain.count(#(view.files or {}), 'file')
  local hunk = view.undoes and 'hunk' or 'accepted hunk'
  local parts = { ('%s, %s'):format(head(view), files) }
  for _, file in ipairs(view.files or {}) do
    if file.message then
      parts[#parts + 1] = ('%s: %s'):format(plain.line(file.path), plain.line(file.message))
    end
  end
  for _, notice in ipairs(view.notices or {}) do
    parts[#parts + 1] = plain.line(notice.message)
  end
  local there = #(view.alreadyThere or {})
  if there > 0 then
    local words = '%s needed no change, since your text held that already'
    parts[#parts + 1] = words:format(plain.count(there, hunk))
  end
  local conflicts = #(view.conflicts or {})
  if conflicts > 0 then
    local words = view.undoes and '%s stays, since the text there is another now'
      or '%s left out, since the text there is another now; it is marked in the review'
    parts[#parts + 1] = words:format(plain.count(conflicts, hunk))
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

--- The tickets that an application is of.
---@param params sennit.ApplyParams
---@return string[]
local function tickets_of(params)
  local found = { [params.ticket or ''] = params.ticket and true }
  for _, selected in ipairs(params.proposals or {}) do
    local known = state.known.proposals[selected.proposal]
    if known then
      found[known.ticket] = true
    end
  end
  return vim.tbl_keys(found)
end

---@param server vim.lsp.Client
---@param params sennit.ApplyParams
---@return sennit.ApplicationView? view
---@return boolean? told Whether the person was told of it already.
local function apply_confirmed(server, params)
  local since = lost.now()
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
  if problem and connection.was_lost(problem) then
    return lost.find(server.root_dir, tickets_of(params), since), true
  elseif problem then
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

--- The server of the open review, which may be of another folder.
---@return vim.lsp.Client?
local function server_of_review()
  local review = tab.get()
  return review and review.session:server() or client.current()
end

--- Applies what is accepted, of the open review or of a ticket or proposal.
---@param wanted? string
function M.apply(wanted)
  async.run(function()
    -- What is named may be known to the server alone so far.
    local asked = wanted and client.informed()
    local params = (asked or not wanted) and params_for(wanted)
    local server = params and (asked or server_of_review())
    local view, told
    if server and params then
      view, told = apply_confirmed(server, params)
    end
    if server and view then
      state.take_application(view, server.root_dir)
      show(view)
      if not told then
        tell(view, view.state ~= 'failed' and ' (:Sennit undo)' or '')
      end
    end
  end)
end

local UNDOABLE = { applied = true, partlyApplied = true, unknown = true }

--- The last application of this session in a folder that can be taken back.
---@param root string
---@return string?
local function last_application(root)
  local undone = {}
  for index = #state.known.applications, 1, -1 do
    local view = state.known.applications[index]
    if view.undoes then
      undone[view.undoes] = true
    elseif UNDOABLE[view.state] and not undone[view.id] and state.known.roots[view.id] == root then
      return view.id
    end
  end
  return nil
end

local LOOKED_AT = 20

--- The newest tickets of a folder.
---@param root string
---@return string[]
local function newest_tickets(root)
  local ids = {}
  for _, ticket in ipairs(state.tickets()) do
    if #ids < LOOKED_AT and state.concerns(ticket, root) then
      ids[#ids + 1] = ticket.id
    end
  end
  return ids
end

--- The last application that the server knows of, from before this session or by another client.
---@param server vim.lsp.Client
---@return string?
local function last_known(server)
  if not refresh.lists(server) then
    return nil
  end
  local last
  for _, ticket in ipairs(newest_tickets(server.root_dir)) do
    local view = refresh.ticket(server, ticket)
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
    local id = wanted or last_application(server.root_dir) or last_known(server)
    if not id then
      notify.info('nothing was applied here that could be undone.')
      return
    end
    local since = lost.now()
    local view, problem = requests.ask(server, 'sennit/undo', { application = id })
    local is_lost = problem and connection.was_lost(problem)
    if is_lost then
      view = lost.find(server.root_dir, newest_tickets(server.root_dir), since, id)
    elseif problem then
      notify.failed('It was not undone', problem)
    end
    if view then
      state.take_application(view, server.root_dir)
      show(view)
      if not is_lost then
        tell(view, '')
      end
    end
  end)
end

--- Takes the last edit back over all its files without asking the server.
function M.undo_here()
  local root = client.here()
  if not root then
    notify.error('neither this file nor the working directory lies in a git repository.')
    return
  end
  local undone, problem = apply.undo_last(root)
  if undone then
    notify.info(
      ('%s was taken back in %s.'):format(undone.label, plain.count(#undone.done, 'step'))
    )
  else
    notify.error('It was not undone: ' .. problem)
  end
end

return M
