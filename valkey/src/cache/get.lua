-- A value, or the epoch to fill it in. An epoch is a time, so that one that was deleted (or lost with the whole store)
-- never comes back.
--
-- KEYS  value, epoch
-- ARGV  life of an epoch in ms
local value = redis.call('GET', KEYS[1])
if value then
  return { value, false }
end
local epoch = redis.call('GET', KEYS[2])
if epoch then
  redis.call('PEXPIRE', KEYS[2], ARGV[1])
else
  local now = redis.call('TIME')
  epoch = string.format('%.0f', now[1] * 1000000 + now[2])
  redis.call('SET', KEYS[2], epoch, 'PX', ARGV[1])
end
return { false, epoch }
