-- Reads games of one generation.
--
-- KEYS  generation
-- ARGV  prefix of all live keys, generation ('' for the one in use), ids
local generation = ARGV[2]
if generation == '' then
  generation = redis.call('GET', KEYS[1]) or '0'
end
local found = {}
for i = 3, #ARGV do
  found[i - 2] = redis.call('HMGET', ARGV[1] .. generation .. ':' .. ARGV[i], 'kind', 'version', 'status', 'bytes')
end
return found
