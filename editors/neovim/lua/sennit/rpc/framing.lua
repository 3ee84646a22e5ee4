--- Messages of LSP out of the bytes of a pipe, and into them. Strict: what is no message is named.
local M = {}

M.LONGEST_HEADER = 4096
local EXCERPT = 200

---@class sennit.rpc.Decoder
---@field private parts string[]
---@field private length integer
---@field private wanted? integer Bytes of the body that is under way.
local Decoder = {}
Decoder.__index = Decoder

---@return sennit.rpc.Decoder
function M.decoder()
  return setmetatable({ parts = {}, length = 0 }, Decoder)
end

--- What was printed instead of a message, for a person.
---@param text string
---@return string
function M.excerpt(text)
  local short = text:sub(1, EXCERPT):gsub('%c', ' ')
  return vim.trim(short) .. (#text > EXCERPT and ' …' or '')
end

---@param header string
---@return integer?
local function body_length(header)
  for line in vim.gsplit(header, '\r\n', { plain = true }) do
    local name, value = line:match('^([%w-]+):%s*(.-)%s*$')
    if not name then
      return nil
    end
    if name:lower() == 'content-length' then
      return tonumber(value:match('^%d+$'))
    end
  end
  return nil
end

--- Whether bytes can still become a header.
---@param text string
---@return boolean
local function may_be_header(text)
  local start = text:sub(1, 8):lower()
  local last = text:find('\r\n\r\n', 1, true) or #text
  return start == ('content-'):sub(1, #start) and last <= M.LONGEST_HEADER
end

---@private
---@return string
function Decoder:joined()
  local text = table.concat(self.parts)
  self.parts = { text }
  return text
end

---@private
---@param text string
function Decoder:keep(text)
  self.parts, self.length = { text }, #text
end

--- Takes bytes; gives the bodies that are complete, or the text that is no message.
---@param chunk string
---@return string[] bodies
---@return string? rubbish
function Decoder:feed(chunk)
  self.parts[#self.parts + 1] = chunk
  self.length = self.length + #chunk
  local bodies = {}
  while true do
    if not self.wanted then
      local text = self:joined()
      if not may_be_header(text) then
        return bodies, text
      end
      local first, last = text:find('\r\n\r\n', 1, true)
      if not first then
        return bodies
      end
      local wanted = body_length(text:sub(1, first - 1))
      if not wanted then
        return bodies, text
      end
      self.wanted = wanted
      self:keep(text:sub(last + 1))
    end
    -- Parts are joined once the body is whole, so a large one is copied once.
    if self.length < self.wanted then
      return bodies
    end
    local text = self:joined()
    bodies[#bodies + 1] = text:sub(1, self.wanted)
    self:keep(text:sub(self.wanted + 1))
    self.wanted = nil
  end
end

---@param message table<string, any>
---@return string
function M.encode(message)
  local body = vim.json.encode(message)
  return ('Content-Length: %d\r\n\r\n%s'):format(#body, body)
end

return M
