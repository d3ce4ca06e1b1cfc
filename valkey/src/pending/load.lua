-- Reads lists.
--
-- ARGV  prefix of the lists' keys, ids
local found = {}
for i = 2, #ARGV do
  local key = ARGV[1] .. ARGV[i]
  local head = redis.call('HMGET', key, 'kind', 'writer', 'base')
  found[i - 1] = { ARGV[i], head[1], head[2], head[3], redis.call('LRANGE', key .. ':items', 0, -1) }
end
return found
