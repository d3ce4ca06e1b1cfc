-- Gives a token back, if it is the caller's.
--
-- KEYS  token
-- ARGV  writer
if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('DEL', KEYS[1])
end
