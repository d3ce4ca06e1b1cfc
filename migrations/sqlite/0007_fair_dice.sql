-- What the throws of a game can be checked with, column for column as in Postgres: JSON text, NULL in games without
-- chance.
ALTER TABLE games ADD COLUMN fairness TEXT;
