-- Events that the log could not take yet. With the log in the same file they are rare, but a log elsewhere may be used
-- with this store. A game without items has no row in `pending_games`.
CREATE TABLE pending_games (
    game   BLOB PRIMARY KEY CHECK (length(game) = 16),
    kind   TEXT NOT NULL,
    writer TEXT NOT NULL,
    base   TEXT
) STRICT;

-- A list is in the order of its versions, an `anchored` behind a `started` of the same version. Ids are unique within a
-- game's list, which makes appending the same item again harmless.
CREATE TABLE pending_items (
    n        INTEGER PRIMARY KEY,
    game     BLOB NOT NULL REFERENCES pending_games (game) ON DELETE CASCADE,
    id       TEXT NOT NULL,
    place    TEXT NOT NULL,
    version  INTEGER NOT NULL,
    previd   TEXT,
    anchored INTEGER NOT NULL CHECK (anchored IN (0, 1)),
    name     TEXT NOT NULL,
    bytes    BLOB NOT NULL,
    UNIQUE (game, id)
) STRICT;
