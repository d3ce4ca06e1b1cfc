DELETE FROM projector_leases WHERE projector = 'history' AND token = $1
