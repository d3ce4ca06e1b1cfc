-- Moves a list aside, without the items that are on the game's chain.
--
-- KEYS  list's head, items, index, quarantine of the game, index of the quarantine
-- ARGV  id, writer, reason, how many entries a game's quarantine keeps, places to drop
-- A packed item is the lines id, place, previd, anchored, name, and then the document.
if redis.call('HGET', KEYS[1], 'writer') ~= ARGV[2] then
  return
end
local drop = {}
for i = 5, #ARGV do
  drop[ARGV[i]] = true
end
for _, packed in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
  local id, place, name, document = string.match(packed, '^([^\n]*)\n([^\n]*)\n[^\n]*\n[^\n]*\n([^\n]*)\n(.*)$')
  if not drop[place] then
    local what = string.format('pending %s event %s', name, id)
    redis.call('XADD', KEYS[4], 'MAXLEN', ARGV[4], '*', 'what', what, 'reason', ARGV[3], 'bytes', document)
    redis.call('SADD', KEYS[5], ARGV[1])
  end
end
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('SREM', KEYS[3], ARGV[1])
