-- Events that a projector can never apply, once each, for an operator to look at. They are kept apart from the log so
-- that one of them never blocks the events behind it.
CREATE TABLE dead_letters (
    n         INTEGER PRIMARY KEY,
    projector TEXT NOT NULL,
    seq       INTEGER NOT NULL,
    game      BLOB NOT NULL CHECK (length(game) = 16),
    reason    TEXT NOT NULL,
    bytes     BLOB NOT NULL,
    UNIQUE (projector, seq)
) STRICT;
