-- A process that died may still have begun a game: its `started` is watched for like the messages by which games are
-- taken over.
DROP INDEX log_takeovers;
CREATE INDEX log_takeovers ON log (seq) WHERE name IN ('started', 'resumed', 'anchored');
