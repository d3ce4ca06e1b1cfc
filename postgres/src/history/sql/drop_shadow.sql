DROP TABLE IF EXISTS shadow_game_players;
DROP TABLE IF EXISTS shadow_games;
