SELECT id FROM games WHERE id = ANY($1)
