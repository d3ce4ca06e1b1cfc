-- Finished games, column for column as in Postgres: times are epoch milliseconds, documents JSON text. One row is one
-- game with all its moves, because a game is only ever read as a whole.
CREATE TABLE games (
    id               BLOB    PRIMARY KEY CHECK (length(id) = 16),
    kind             TEXT    NOT NULL,
    rules            TEXT    NOT NULL,
    rules_version    INTEGER NOT NULL,
    player1_id       TEXT    NOT NULL,
    player2_id       TEXT    NOT NULL,
    time_control     TEXT    NOT NULL,
    durability       TEXT    NOT NULL,
    origin           TEXT    NOT NULL,
    rated            INTEGER NOT NULL CHECK (rated IN (0, 1)),
    -- NULL: nobody won, and it was no draw either.
    result           TEXT    CHECK (result IN ('player1', 'player2', 'draw')),
    -- With the reasons of games to come, since a check of SQLite can only be changed by copying its table.
    end_reason       TEXT    NOT NULL CHECK (end_reason IN ('completed', 'left', 'timeout', 'inactive', 'flag', 'resigned',
                             'king_captured', 'draw_agreed', 'draw_rule')),
    left_user_id     TEXT,
    started_at       INTEGER NOT NULL,
    ended_at         INTEGER NOT NULL,
    move_count       INTEGER NOT NULL,
    -- The board as clients draw it, so that a list needs neither the state nor its rules.
    final_board      TEXT    NOT NULL,
    final_state      TEXT    NOT NULL,
    moves            TEXT    NOT NULL,
    peak_spectators  INTEGER NOT NULL DEFAULT 0,
    total_spectators INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX games_popular ON games (peak_spectators DESC, ended_at DESC, id DESC);

CREATE TABLE game_players (
    game_id  BLOB    NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    seat     INTEGER NOT NULL CHECK (seat IN (1, 2)),
    user_id  TEXT    NOT NULL,
    name     TEXT,
    is_guest INTEGER NOT NULL CHECK (is_guest IN (0, 1)),
    -- The same as in games, which never changes: see the index.
    ended_at INTEGER NOT NULL,
    PRIMARY KEY (game_id, seat)
) STRICT, WITHOUT ROWID;

-- A page of a user's games reads just its own rows, from any place in the list, and games that end in the same
-- millisecond have an order too.
CREATE INDEX game_players_user_id ON game_players (user_id, ended_at DESC, game_id DESC);
