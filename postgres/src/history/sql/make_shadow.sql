-- Like the tables as they are now, so that no migration has to know of it. Not logged: after a crash it is worth nothing.
DROP TABLE IF EXISTS shadow_game_players;
DROP TABLE IF EXISTS shadow_games;
CREATE UNLOGGED TABLE shadow_games (LIKE games INCLUDING DEFAULTS INCLUDING CONSTRAINTS, PRIMARY KEY (id));
CREATE UNLOGGED TABLE shadow_game_players (
    LIKE game_players INCLUDING DEFAULTS INCLUDING CONSTRAINTS,
    PRIMARY KEY (game_id, seat)
);
