-- Changes the generation in use. The old one cannot be written from here on; its games are deleted step by step.
--
-- KEYS  generation, discarded generations, the old one's token, the old one's checkpoint
-- ARGV  from, to
if (redis.call('GET', KEYS[1]) or '0') ~= ARGV[1] then
  return 0
end
redis.call('SREM', KEYS[2], ARGV[2])
if ARGV[1] ~= ARGV[2] then
  redis.call('SET', KEYS[1], ARGV[2])
  redis.call('DEL', KEYS[3], KEYS[4])
  redis.call('SADD', KEYS[2], ARGV[1])
end
return 1
