-- Appends what follows to a game's list.
--
-- KEYS  list's head (kind, writer, base), items, index
-- ARGV  id, kind, writer, base ('' for none), and for each item: id, place, previd ('' for none), anchored, packed
-- A packed item begins with the lines id and place.
local id, kind, writer, base = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local before = redis.call('HGET', KEYS[1], 'writer')
if before and before ~= writer then
  redis.call('DEL', KEYS[1], KEYS[2])
end

local known, last = {}, nil
for _, packed in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
  local item, place = string.match(packed, '^([^\n]*)\n([^\n]*)\n')
  known[item] = true
  last = place
end
local was_empty = not last

for i = 5, #ARGV, 5 do
  local item, place, previd, anchored, packed = unpack(ARGV, i, i + 4)
  local follows = previd == (last or base)
  if not known[item] and (anchored == '1' or follows) then
    if anchored == '1' then
      redis.call('DEL', KEYS[2])
      known = {}
    end
    redis.call('RPUSH', KEYS[2], packed)
    known[item] = true
    last = place
  end
end

if not last then
  redis.call('SREM', KEYS[3], id)
elseif was_empty then
  redis.call('HSET', KEYS[1], 'kind', kind, 'writer', writer, 'base', base)
  redis.call('SADD', KEYS[3], id)
end
