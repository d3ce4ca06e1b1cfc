-- The event log. It takes the place of a stream on one machine, so its sequence must behave like a stream's: growing
-- by one with each message, and never given out twice. AUTOINCREMENT keeps the second half of that even if the newest
-- rows were ever deleted.
CREATE TABLE log (
    seq   INTEGER PRIMARY KEY AUTOINCREMENT,
    kind  TEXT NOT NULL,
    game  BLOB NOT NULL CHECK (length(game) = 16),
    name  TEXT NOT NULL,
    bytes BLOB NOT NULL
) STRICT;

-- The fence asks for the newest sequence of a game before each append, and a game is read by itself.
CREATE INDEX log_game ON log (game, kind, seq);

-- Readers of `ended` alone must not read past all the moves, which are most of the log and nearly all of its size.
CREATE INDEX log_ended ON log (seq) WHERE name = 'ended';
CREATE INDEX log_ended_of_game ON log (game) WHERE name = 'ended';

-- Every process watches for these two; there are few of them.
CREATE INDEX log_takeovers ON log (seq) WHERE name IN ('resumed', 'anchored');

-- Which log this is. A log that was made anew must not be mistaken for the one that a checkpoint belongs to, so its
-- identity is made together with its table, by chance.
CREATE TABLE log_identity (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    identity TEXT NOT NULL
) STRICT;

INSERT INTO log_identity (only_row, identity) VALUES (1, 'sqlite:' || lower(hex(randomblob(16))));
