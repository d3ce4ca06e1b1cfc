-- clock_timestamp() and not now(): the statement may have waited for the holder's transaction.
INSERT INTO projector_leases AS held (projector, token, expires_at)
VALUES ('history-shadow', $1, clock_timestamp() + interval '10 seconds')
ON CONFLICT (projector) DO UPDATE
SET token = excluded.token, expires_at = clock_timestamp() + interval '10 seconds'
WHERE held.token = excluded.token OR held.expires_at <= clock_timestamp()
