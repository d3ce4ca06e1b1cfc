-- Moves a game of the generation in use aside.
--
-- KEYS  generation, quarantine of the game, index of the quarantine
-- ARGV  prefix of all live keys, id, reason, how many entries a game's quarantine keeps
local prefix = ARGV[1] .. (redis.call('GET', KEYS[1]) or '0') .. ':'
local id = ARGV[2]
local stored = redis.call('HMGET', prefix .. id, 'version', 'status', 'bytes')
if stored[3] then
  local what = string.format('%s snapshot of version %s', stored[2] or '?', stored[1] or '?')
  redis.call('XADD', KEYS[2], 'MAXLEN', ARGV[4], '*', 'what', what, 'reason', ARGV[3], 'bytes', stored[3])
  redis.call('SADD', KEYS[3], id)
end
redis.call('UNLINK', prefix .. id)
redis.call('SREM', prefix .. 'games', id)
redis.call('SREM', prefix .. 'tombstones', id)
