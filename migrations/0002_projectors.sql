-- How far a projector has read the log. It is here, beside the data that it writes, so that both move in one
-- transaction: a database that comes back older then says so by itself.
CREATE TABLE projector_checkpoints (
    projector text   PRIMARY KEY,
    seq       bigint NOT NULL,
    -- The event at seq, to notice a log that was rolled back and has grown anew; NULL at 0.
    event_id  text,
    -- Which log the sequence counts in.
    log       text   NOT NULL
);

-- Which process runs a projector. A row and not an advisory lock: it must outlive a lost connection, lapse by itself,
-- and be checked in the transaction that writes.
CREATE TABLE projector_leases (
    projector  text        PRIMARY KEY,
    token      text        NOT NULL,
    expires_at timestamptz NOT NULL
);
