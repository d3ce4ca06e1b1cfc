-- Deletes those of the games that are tombstones.
--
-- KEYS  games, tombstones
-- ARGV  prefix of the games' keys, ids
for i = 2, #ARGV do
  local key = ARGV[1] .. ARGV[i]
  if redis.call('HGET', key, 'status') == 'tombstone' then
    redis.call('UNLINK', key)
    redis.call('SREM', KEYS[1], ARGV[i])
    redis.call('SREM', KEYS[2], ARGV[i])
  end
end
