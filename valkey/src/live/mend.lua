-- Puts a snapshot, or nothing, in the place of another, if that is what is there; whoever writes the generation stops.
--
-- KEYS  generation, token, games, tombstones
-- ARGV  which, prefix of its games' keys, id,
--       what is expected there: '1' or '0' (nothing), version, status, bytes,
--       what is put there: '1' or '0' (nothing), kind, version, status, bytes
if (redis.call('GET', KEYS[1]) or '0') ~= ARGV[1] then
  return 0
end
local id = ARGV[3]
local key = ARGV[2] .. id
local stored = redis.call('HMGET', key, 'version', 'status', 'bytes')
if ARGV[4] == '1' then
  if stored[1] ~= ARGV[5] or stored[2] ~= ARGV[6] or stored[3] ~= ARGV[7] then
    return 0
  end
elseif stored[1] and stored[2] and stored[3] then
  return 0
end

redis.call('UNLINK', key)
redis.call('SREM', KEYS[3], id)
redis.call('SREM', KEYS[4], id)
if ARGV[8] == '1' then
  redis.call('HSET', key, 'kind', ARGV[9], 'version', ARGV[10], 'status', ARGV[11], 'bytes', ARGV[12])
  redis.call('SADD', KEYS[3], id)
  if ARGV[11] == 'tombstone' then
    redis.call('SADD', KEYS[4], id)
  end
end
redis.call('DEL', KEYS[2])
return 1
