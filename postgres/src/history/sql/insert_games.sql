-- Players only of the games that are new: a game that is there stays as it is, with its players.
WITH added AS (
    INSERT INTO games (
        id, kind, rules, rules_version, player1_id, player2_id, time_control, durability, origin, rated, result,
        end_reason, left_user_id, started_at, ended_at, move_count, final_board, final_state, moves, fairness,
        peak_spectators, total_spectators
    )
    SELECT *
    FROM UNNEST(
        $1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::jsonb[], $8::text[], $9::text[],
        $10::boolean[], $11::text[], $12::text[], $13::text[], $14::timestamptz[], $15::timestamptz[], $16::bigint[],
        $17::jsonb[], $18::jsonb[], $19::jsonb[], $20::jsonb[], $21::bigint[], $22::bigint[]
    )
    ON CONFLICT (id) DO NOTHING
    RETURNING id, ended_at
)
INSERT INTO game_players (game_id, seat, user_id, name, is_guest, ended_at)
SELECT player.game_id, player.seat, player.user_id, player.name, player.is_guest, added.ended_at
FROM UNNEST($23::uuid[], $24::smallint[], $25::text[], $26::text[], $27::boolean[])
    AS player (game_id, seat, user_id, name, is_guest)
JOIN added ON added.id = player.game_id
