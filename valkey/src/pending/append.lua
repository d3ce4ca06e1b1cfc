-- Adds items to a game's list.
--
-- KEYS  list's head (kind, writer, base), items, index
-- ARGV  id, kind, writer, base ('' for none), packed items
-- A packed item is the lines id, place, previd ('' for none), anchored and name, and then the document.
local game, kind, writer, base = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local function read(packed)
  local line = '([^\n]*)\n'
  local id, place, previd, anchored, name = string.match(packed, '^' .. string.rep(line, 5))
  return {
    id = id,
    place = place,
    version = tonumber(string.match(place, '^[^:]*:(%d+):')),
    previd = previd,
    anchored = anchored == 'true',
    name = name,
    packed = packed,
  }
end

local before = redis.call('HGET', KEYS[1], 'writer')
if before and before ~= writer then
  redis.call('DEL', KEYS[1], KEYS[2])
end

local list, known = {}, {}
for i, packed in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
  list[i] = read(packed)
  known[list[i].id] = true
end
-- How much of the list stays as it is stored.
local stored = #list
local was_empty = stored == 0

-- The list with an `anchored` in place of what it stands for; nil where it has no place.
local function anchored_by(anchor)
  local after = {}
  if list[1] and list[1].name == 'started' then
    after[1] = list[1]
  end
  after[#after + 1] = anchor
  local at = #after
  for _, item in ipairs(list) do
    if item.version > anchor.version then
      after[#after + 1] = item
    elseif item.name == 'ended' then
      return nil
    end
  end
  local above = after[at + 1]
  return (not above or above.previd == anchor.place) and after or nil
end

local function add(item)
  local last = list[#list]
  if item.anchored then
    local after = anchored_by(item)
    if after then
      list, stored = after, 0
    end
  elseif last and item.name == 'started' then
    table.insert(list, 1, item)
    stored = 0
    redis.call('HSET', KEYS[1], 'base', item.previd)
  elseif item.previd == (last and last.place or base) then
    table.insert(list, item)
  end
end

for i = 5, #ARGV do
  local item = read(ARGV[i])
  if not known[item.id] then
    known[item.id] = true
    add(item)
  end
end

if stored == 0 then
  redis.call('DEL', KEYS[2])
end
for i = stored + 1, #list do
  redis.call('RPUSH', KEYS[2], list[i].packed)
end
if #list == 0 then
  redis.call('SREM', KEYS[3], game)
elseif was_empty then
  redis.call('HSET', KEYS[1], 'kind', kind, 'writer', writer, 'base', base)
  redis.call('SADD', KEYS[3], game)
end
