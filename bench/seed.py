"""Makes a data directory with many finished games, out of one in which some were played.

    seed.py FROM TO GAMES

Each new game is a copy of a played one with ids of its own: a row, its two players (one of 50,000 users each), and the
`ended` message that it came from in the log. Its moves are not in the log, as after some time under a finite `max_age`.
The checkpoints are moved along, as if the projectors had written all of it.
"""

import pathlib
import shutil
import sqlite3
import sys

source, target, games = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
USERS = 50_000
BATCH = 20_000

shutil.copytree(source, target, ignore=shutil.ignore_patterns("lock"))
db = sqlite3.connect(target / "turnstream.sqlite", isolation_level=None)
db.execute("PRAGMA synchronous = OFF")
played = db.execute("SELECT id FROM games ORDER BY ended_at DESC LIMIT 1").fetchone()
if played is None:
    sys.exit(f"no game was finished in {source}")
others = [row[1] for row in db.execute("PRAGMA table_info(games)")]
columns = ", ".join(others)
chosen = ", ".join({"id": "new.id", "ended_at": "games.ended_at - new.n * 7"}.get(name, f"games.{name}") for name in others)

for first in range(0, games, BATCH):
    numbers = range(first, min(games, first + BATCH))
    db.execute("BEGIN")
    db.execute("CREATE TEMP TABLE new (n INTEGER PRIMARY KEY, id BLOB NOT NULL)")
    db.executemany("INSERT INTO new VALUES (?, randomblob(16))", ((number,) for number in numbers))
    db.execute(f"INSERT INTO games ({columns}) SELECT {chosen} FROM new, games WHERE games.id = ?", played)
    db.execute(
        "INSERT INTO game_players (game_id, seat, user_id, name, is_guest, ended_at)"
        " SELECT new.id, seat, 'guest:seeded-' || ((new.n * 2 + seat) % ?), name, is_guest, ended_at - new.n * 7"
        " FROM new, game_players WHERE game_id = ?",
        (USERS, *played),
    )
    db.execute(
        "INSERT INTO log (kind, game, name, bytes) SELECT log.kind, new.id, log.name, log.bytes"
        " FROM new, log WHERE log.game = ? AND log.name = 'ended'",
        played,
    )
    db.execute("DROP TABLE new")
    db.execute("COMMIT")

if games:
    ended = db.execute("SELECT bytes FROM log ORDER BY seq DESC LIMIT 1").fetchone()[0]
    event_id = db.execute("SELECT json_extract(?, '$.id')", (ended.decode(),)).fetchone()[0]
    db.execute("UPDATE checkpoints SET seq = (SELECT max(seq) FROM log), event_id = ?", (event_id,))
db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
db.close()
