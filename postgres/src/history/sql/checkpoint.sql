SELECT seq, event_id, log FROM projector_checkpoints WHERE projector = 'history'
