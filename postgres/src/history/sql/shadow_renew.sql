UPDATE projector_leases SET expires_at = clock_timestamp() + interval '10 seconds' WHERE projector = 'history-shadow'
