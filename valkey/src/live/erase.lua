-- Deletes a game's tombstone, of the generation in use, and what of it is in quarantine.
--
-- KEYS  generation, quarantine of the game, index of the quarantine
-- ARGV  prefix of all live keys, id
local prefix = ARGV[1] .. (redis.call('GET', KEYS[1]) or '0') .. ':'
local id = ARGV[2]
if redis.call('HGET', prefix .. id, 'status') == 'tombstone' then
  redis.call('UNLINK', prefix .. id)
  redis.call('SREM', prefix .. 'games', id)
  redis.call('SREM', prefix .. 'tombstones', id)
end
redis.call('UNLINK', KEYS[2])
redis.call('SREM', KEYS[3], id)
