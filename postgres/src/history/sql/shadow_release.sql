DELETE FROM projector_leases WHERE projector = 'history-shadow' AND token = $1
