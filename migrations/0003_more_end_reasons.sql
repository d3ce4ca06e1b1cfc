-- Games with clocks end by `flag`, and dice chess in ways of its own. A check is only ever made wider here: what is in the
-- table stays valid, and nothing has to be read again (NOT VALID would skip the scan, but then nothing says that it holds).
ALTER TABLE games
    DROP CONSTRAINT games_end_reason_check,
    ADD CONSTRAINT games_end_reason_check CHECK (end_reason IN ('completed', 'left', 'timeout', 'inactive', 'flag', 'resigned',
                                          'king_captured', 'draw_agreed', 'draw_rule'));
