-- The keys that have not lapsed; those that have leave the index.
--
-- KEYS  index
-- ARGV  prefix of the keys
local alive = {}
for _, writer in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  local heartbeat = redis.call('GET', ARGV[1] .. writer)
  if heartbeat then
    alive[#alive + 1] = heartbeat
  else
    redis.call('SREM', KEYS[1], writer)
  end
end
return alive
