--- When a server that ended by itself is started again: a row of growing delays, then never.
local M = {}

---@class sennit.RestartHistory
---@field attempts integer
---@field last_start_ms integer

--- The delay before the next start, or nil when it is enough.
---@param history sennit.RestartHistory
---@param now_ms integer
---@param delays integer[]
---@param window_ms integer A server that ran this long counts as a good one.
---@return integer? delay_ms
---@return sennit.RestartHistory history
function M.next(history, now_ms, delays, window_ms)
  local attempts = history.attempts
  if now_ms - history.last_start_ms >= window_ms then
    attempts = 0
  end
  local delay = delays[attempts + 1]
  return delay, { attempts = attempts + 1, last_start_ms = now_ms + (delay or 0) }
end

return M
