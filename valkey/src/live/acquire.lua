-- Takes or renews a token.
--
-- KEYS  token
-- ARGV  writer, lease in ms
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
