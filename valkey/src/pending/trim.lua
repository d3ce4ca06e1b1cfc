-- Drops the items that the log has. Versions order the places of one writer's list.
--
-- KEYS  list's head, items, index
-- ARGV  id, writer, place
local function version(place)
  return tonumber(string.match(place, '^[^:]*:(%d+):') or 0)
end

if redis.call('HGET', KEYS[1], 'writer') ~= ARGV[2] then
  return
end
local acknowledged = version(ARGV[3])
local first = redis.call('LINDEX', KEYS[2], 0)
while first and version(string.match(first, '^[^\n]*\n([^\n]*)\n')) <= acknowledged do
  redis.call('LPOP', KEYS[2])
  first = redis.call('LINDEX', KEYS[2], 0)
end

if not first then
  redis.call('DEL', KEYS[1])
  redis.call('SREM', KEYS[3], ARGV[1])
elseif acknowledged > version(redis.call('HGET', KEYS[1], 'base')) then
  -- Not for a late call: the base never goes back.
  redis.call('HSET', KEYS[1], 'base', ARGV[3])
end
