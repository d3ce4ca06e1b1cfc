-- Finished games are kept here for ever: lists, replays and analysts read them when the live game is long gone. One row
-- is one game with all its moves, because a game is only ever read as a whole; boards and steps are recomputed by the
-- rules that the row names, which makes it a sixth of the size.
CREATE TABLE games (
    id               uuid        PRIMARY KEY,
    kind             text        NOT NULL,
    rules            text        NOT NULL,
    -- 32 bits without a sign have no type of their own: bigint here and below, so that no count is ever refused.
    rules_version    bigint      NOT NULL,
    -- Public ids only. What else is known of the players is in game_players.
    player1_id       text        NOT NULL,
    player2_id       text        NOT NULL,
    -- jsonb, because time controls to come have figures of their own.
    time_control     jsonb       NOT NULL,
    durability       text        NOT NULL,
    origin           text        NOT NULL,
    rated            boolean     NOT NULL,
    -- NULL: nobody won, and it was no draw either.
    result           text        CHECK (result IN ('player1', 'player2', 'draw')),
    end_reason       text        NOT NULL CHECK (end_reason IN ('completed', 'left', 'timeout', 'inactive')),
    left_user_id     text,
    started_at       timestamptz NOT NULL,
    ended_at         timestamptz NOT NULL,
    move_count       bigint      NOT NULL,
    -- The board as clients draw it, so that a list needs neither the state nor its rules.
    final_board      jsonb       NOT NULL,
    final_state      jsonb       NOT NULL,
    -- [{"seat", "move", "at"}], at in epoch milliseconds.
    moves            jsonb       NOT NULL,
    peak_spectators  bigint      NOT NULL DEFAULT 0,
    total_spectators bigint      NOT NULL DEFAULT 0
);

-- The popular games, for everybody's first page.
CREATE INDEX games_popular ON games (peak_spectators DESC, ended_at DESC);

-- Who played, one row for each seat, so that a user's games are one index range whichever seat they had.
CREATE TABLE game_players (
    game_id  uuid        NOT NULL REFERENCES games ON DELETE CASCADE,
    seat     smallint    NOT NULL CHECK (seat IN (1, 2)),
    -- Bounded, because an id that does not fit into the index fails as a lack of resources, which is tried again for
    -- ever, where a refused value goes to the dead letters.
    user_id  text        NOT NULL CHECK (octet_length(user_id) <= 1024),
    name     text,
    is_guest boolean     NOT NULL,
    -- The same as in games, which never changes: see the index.
    ended_at timestamptz NOT NULL,
    PRIMARY KEY (game_id, seat)
);

-- A user's games, newest first, from any place in the list. With user_id alone, each page of somebody who has played ten
-- thousand games would fetch and sort all of them; with the end and the id in it, a page reads just its own rows, and
-- games that end in the same millisecond have an order too.
CREATE INDEX game_players_user_id ON game_players (user_id, ended_at DESC, game_id DESC);
