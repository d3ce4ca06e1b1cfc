-- Renews a service's key.
--
-- KEYS  key, index
-- ARGV  writer, life in ms, heartbeat
redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[2])
redis.call('SADD', KEYS[2], ARGV[1])
