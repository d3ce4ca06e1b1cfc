-- What the throws of a game can be checked with: the published commitment, the server's seed that it was for, and what the
-- players added. It is one document, as nobody asks for a part of it; NULL in games without chance, so that rows from
-- before need no change.
ALTER TABLE games ADD COLUMN fairness jsonb;
