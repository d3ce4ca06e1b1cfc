-- Keeps a value, if it is still the epoch that its fill began in.
--
-- KEYS  value, epoch
-- ARGV  epoch, life of the value in ms, value
if redis.call('GET', KEYS[2]) == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[2])
end
