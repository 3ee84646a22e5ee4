--- Whether bytes are a text that an edit can be done on exactly: UTF-8 without NULs.
local M = {}

---@return vim.lpeg.Pattern
local function utf8_text()
  local P, R = vim.lpeg.P, vim.lpeg.R
  local more = R('\128\191')
  local character = R('\1\127')
    + R('\194\223') * more
    + P('\224') * R('\160\191') * more
    + R('\225\236', '\238\239') * more * more
    + P('\237') * R('\128\159') * more
    + P('\240') * R('\144\191') * more * more
    + R('\241\243') * more * more * more
    + P('\244') * R('\128\143') * more * more
  return character ^ 0 * -1
end

local TEXT = utf8_text()
local MARKS = {
  { '\255\254\0\0', 'UTF-32' },
  { '\0\0\254\255', 'UTF-32' },
  { '\255\254', 'UTF-16' },
  { '\254\255', 'UTF-16' },
}

--- Why no edit can be done on bytes; nil when one can.
---@param bytes string
---@return string?
function M.problem(bytes)
  for _, mark in ipairs(MARKS) do
    if vim.startswith(bytes, mark[1]) then
      return ('is %s; only UTF-8 can be changed, so convert it or change it by hand'):format(
        mark[2]
      )
    end
  end
  if bytes:find('\0', 1, true) then
    return 'holds NUL bytes, so it is no text; replace it by hand'
  end
  if not TEXT:match(bytes) then
    return 'is not valid UTF-8; convert it or change it by hand'
  end
  return nil
end

return M
