INSERT INTO projector_checkpoints (projector, seq, event_id, log)
VALUES ('history', $1, $2, $3)
ON CONFLICT (projector) DO UPDATE SET seq = excluded.seq, event_id = excluded.event_id, log = excluded.log
