DELETE FROM games USING differing WHERE games.id = differing.id;
INSERT INTO games
SELECT shadow.* FROM shadow_games AS shadow JOIN differing ON differing.id = shadow.id;
INSERT INTO game_players
SELECT shadow.* FROM shadow_game_players AS shadow JOIN differing ON differing.id = shadow.game_id;
