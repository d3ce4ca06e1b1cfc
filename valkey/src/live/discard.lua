-- Marks a generation that is not in use for deletion; whoever writes it stops.
--
-- KEYS  generation, discarded generations, token, checkpoint
-- ARGV  which
if (redis.call('GET', KEYS[1]) or '0') == ARGV[1] then
  return 0
end
redis.call('DEL', KEYS[3], KEYS[4])
redis.call('SADD', KEYS[2], ARGV[1])
return 1
