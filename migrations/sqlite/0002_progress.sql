-- How far each projection has come, and who may write it. Both stand beside the data of the projections, so that one
-- transaction moves all three. `store` is `history`, or `live:<generation>`.
CREATE TABLE checkpoints (
    store    TEXT PRIMARY KEY,
    seq      INTEGER NOT NULL,
    event_id TEXT,
    log      TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- `until` is read on a clock that starts with the process: the table is emptied at every start, when the lock on the
-- data directory has shown that no holder is alive.
CREATE TABLE leases (
    store  TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    until  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
