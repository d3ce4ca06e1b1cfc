-- The generation in use, its checkpoint, and the ids of its games.
--
-- KEYS  generation
-- ARGV  prefix of all live keys
local generation = redis.call('GET', KEYS[1]) or '0'
local prefix = ARGV[1] .. generation
return {
  generation,
  redis.call('HMGET', prefix .. ':checkpoint', 'seq', 'event', 'log'),
  redis.call('SMEMBERS', prefix .. ':games'),
}
