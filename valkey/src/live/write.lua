-- Writes snapshots, and for a batch the checkpoint that they reach, if the caller holds the token; renews its lease.
--
-- KEYS  token, checkpoint, games, tombstones
-- ARGV  prefix of the games' keys, writer, lease in ms,
--       from: sequence of the stored checkpoint, '' if there must be none, 'any' to leave the checkpoint alone,
--       to: sequence, event id, log,
--       and for each snapshot: id, kind, version, status, create, force, bytes
local prefix, writer, lease, from = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

if redis.call('GET', KEYS[1]) ~= writer then
  return 'lost-token'
end
if from ~= 'any' then
  -- What is no number is no checkpoint, for readers too.
  local stored = redis.call('HGET', KEYS[2], 'seq') or ''
  if (tonumber(stored) and stored or '') ~= from then
    return 'moved-checkpoint'
  end
end

-- Nothing below may fail half way: a script is not rolled back. A stored version that is no number counts as none.
for i = 8, #ARGV, 7 do
  local id, kind, version, status, create, force, bytes = unpack(ARGV, i, i + 6)
  local key = prefix .. id
  local stored = redis.call('HGET', key, 'version')
  local wanted
  if stored then
    wanted = force == '1' or tonumber(version) > (tonumber(stored) or -1)
  else
    wanted = create == '1'
  end
  if wanted then
    redis.call('HSET', key, 'kind', kind, 'version', version, 'status', status, 'bytes', bytes)
    redis.call('SADD', KEYS[3], id)
    redis.call(status == 'tombstone' and 'SADD' or 'SREM', KEYS[4], id)
  end
end

if from ~= 'any' then
  redis.call('HSET', KEYS[2], 'seq', ARGV[5], 'event', ARGV[6], 'log', ARGV[7])
end
redis.call('PEXPIRE', KEYS[1], lease)
return 'done'
