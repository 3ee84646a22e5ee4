--- Text of agents and of files as plain text of one line: no control characters, no line breaks.
local M = {}

--- What changes how other text is shown: C1 controls, and marks of direction.
local HIDDEN = {
  '\194[\128-\159]',
  '\216\156',
  '\226\128[\142\143\170-\174]',
  '\226\129[\166-\169]',
}

---@param text string
---@return string
local function without_hidden(text)
  for _, pattern in ipairs(HIDDEN) do
    text = text:gsub(pattern, '')
  end
  return text
end

---@param text? string
---@param longest? integer In characters.
---@return string
function M.line(text, longest)
  local flat = (text or ''):gsub('[%c\127]+', ' ')
  flat = vim.trim(without_hidden(flat))
  if longest and vim.fn.strchars(flat) > longest then
    return vim.fn.strcharpart(flat, 0, longest - 1) .. '…'
  end
  return flat
end

--- For 'winbar' and its like, in which Neovim runs what follows a `%`.
---@param text? string
---@return string
function M.bar(text)
  return (M.line(text):gsub('%%', '%%%%'))
end

--- Several lines; terminal escapes are taken out.
---@param text? string
---@return string[]
function M.lines(text)
  local clean = (text or ''):gsub('\27%[[%d;?]*%a', ''):gsub('\r\n', '\n')
  clean = clean:gsub('[%z\1-\8\11-\31\127]', '')
  return vim.split(without_hidden(clean), '\n', { plain = true })
end

--- A text of one line, broken between its words so that it fits a width.
---@param text string
---@param width integer In columns.
---@return string[]
function M.wrap(text, width)
  local lines = { '' }
  for _, word in ipairs(vim.split(M.line(text), ' ', { trimempty = true })) do
    local last = lines[#lines]
    local longer = last == '' and word or last .. ' ' .. word
    if last ~= '' and vim.fn.strdisplaywidth(longer) > width then
      lines[#lines + 1] = word
    else
      lines[#lines] = longer
    end
  end
  return lines
end

--- `1 file`, `2 files`.
---@param count integer
---@param noun string
---@return string
function M.count(count, noun)
  return ('%d %s%s'):format(count, noun, count == 1 and '' or 's')
end

return M
