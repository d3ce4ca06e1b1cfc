-- Live snapshots and tombstones, under generations: a rebuild fills the next one beside the one that is read, and
-- `live_generation` says which that is. The bytes are the projector's; nothing here looks into them.
CREATE TABLE live_generation (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    current  INTEGER NOT NULL
) STRICT;

INSERT INTO live_generation (only_row, current) VALUES (1, 0);

CREATE TABLE live_snapshots (
    generation INTEGER NOT NULL,
    game       BLOB NOT NULL CHECK (length(game) = 16),
    kind       TEXT NOT NULL,
    version    INTEGER NOT NULL,
    status     TEXT NOT NULL CHECK (status IN ('live', 'tombstone')),
    bytes      BLOB NOT NULL,
    PRIMARY KEY (generation, game)
) STRICT;

-- The sweep asks for tombstones each tick, among thousands of live games.
CREATE INDEX live_tombstones ON live_snapshots (generation) WHERE status = 'tombstone';

-- What was moved out of the way for an operator to look at; nothing reads it back.
CREATE TABLE quarantine (
    n        INTEGER PRIMARY KEY,
    origin   TEXT NOT NULL CHECK (origin IN ('snapshot', 'pending')),
    kind     TEXT NOT NULL,
    game     BLOB NOT NULL,
    version  INTEGER NOT NULL,
    event_id TEXT,
    reason   TEXT NOT NULL,
    at       INTEGER NOT NULL,
    bytes    BLOB NOT NULL
) STRICT;
