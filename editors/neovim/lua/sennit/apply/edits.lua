--- LSP's text edits on a text, as a pure function: exact or refused, never clamped.
local M = {}

---@param text string
---@return integer[] starts Byte offset of each line; LF, CR LF and a lone CR end one.
local function line_starts(text)
  local starts, from = { 0 }, 1
  while true do
    local at = text:find('[\r\n]', from)
    if not at then
      return starts
    end
    local pair = text:byte(at) == 13 and text:byte(at + 1) == 10
    from = at + (pair and 2 or 1)
    starts[#starts + 1] = from - 1
  end
end

--- The byte offset of a position, or nil where it lies outside of the text.
---@param text string
---@param starts integer[]
---@param position lsp.Position
---@param encoding 'utf-8'|'utf-16'|'utf-32'
---@return integer?
local function offset(text, starts, position, encoding)
  local start = starts[position.line + 1]
  if not start then
    return nil
  end
  local line = text:sub(start + 1, starts[position.line + 2] or #text)
  if encoding == 'utf-8' then
    return position.character <= #line and start + position.character or nil
  end
  local ok, index = pcall(vim.str_byteindex, line, encoding, position.character, true)
  return ok and start + index or nil
end

---@class sennit.Splice
---@field first integer
---@field last integer
---@field new string
---@field index integer

--- Applies edits, all of which refer to the text as it is given.
---@param text string
---@param edits lsp.TextEdit[]
---@param encoding 'utf-8'|'utf-16'|'utf-32'
---@return string? changed
---@return string? problem
function M.apply(text, edits, encoding)
  local starts = line_starts(text)
  ---@type sennit.Splice[]
  local splices = {}
  for index, edit in ipairs(edits) do
    local first = offset(text, starts, edit.range.start, encoding)
    local last = offset(text, starts, edit.range['end'], encoding)
    if not first or not last or first > last then
      return nil, ('edit %d lies outside of the text'):format(index)
    end
    splices[index] = { first = first, last = last, new = edit.newText, index = index }
  end
  table.sort(splices, function(one, other)
    if one.first ~= other.first then
      return one.first < other.first
    end
    return one.index < other.index
  end)
  local pieces, position = {}, 0
  for _, splice in ipairs(splices) do
    if splice.first < position then
      return nil, ('edit %d overlaps with another'):format(splice.index)
    end
    pieces[#pieces + 1] = text:sub(position + 1, splice.first)
    pieces[#pieces + 1] = splice.new
    position = splice.last
  end
  pieces[#pieces + 1] = text:sub(position + 1)
  return table.concat(pieces)
end

return M
