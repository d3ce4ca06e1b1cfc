-- Deletes some games of a discarded generation; few enough that nobody waits for it.
--
-- KEYS  generation, discarded generations, token, games, tombstones
-- ARGV  which, prefix of its games' keys, how many
-- Returns how many are left, or -1 if somebody has begun to write it again.
if (redis.call('GET', KEYS[1]) or '0') == ARGV[1] or redis.call('EXISTS', KEYS[3]) == 1 then
  return -1
end
for _, id in ipairs(redis.call('SPOP', KEYS[4], ARGV[3])) do
  redis.call('UNLINK', ARGV[2] .. id)
end
local left = redis.call('SCARD', KEYS[4])
if left == 0 then
  redis.call('UNLINK', KEYS[5])
  redis.call('SREM', KEYS[2], ARGV[1])
end
return left
