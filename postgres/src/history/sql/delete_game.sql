DELETE FROM games WHERE id = $1
