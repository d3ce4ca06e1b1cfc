SELECT token FROM projector_leases WHERE projector = 'history-shadow' FOR UPDATE
