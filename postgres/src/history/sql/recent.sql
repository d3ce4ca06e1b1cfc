-- The page is cut from the index alone, before anything is joined. DISTINCT, because whoever plays against themselves
-- has both rows.
WITH page AS (
    SELECT DISTINCT ended_at, game_id
    FROM game_players
    WHERE user_id = $1
        AND (ended_at, game_id) < (
            COALESCE($2, 'infinity'::timestamptz),
            COALESCE($3, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
        )
    ORDER BY ended_at DESC, game_id DESC
    LIMIT $4
)
SELECT
    games.id, games.kind, games.player1_id, games.player2_id, games.final_board, games.result, games.end_reason,
    games.left_user_id, games.started_at, games.ended_at, games.move_count, games.peak_spectators,
    first.name AS player1_name, first.is_guest AS player1_is_guest,
    second.name AS player2_name, second.is_guest AS player2_is_guest
FROM page
JOIN games ON games.id = page.game_id
JOIN game_players AS first ON first.game_id = games.id AND first.seat = 1
JOIN game_players AS second ON second.game_id = games.id AND second.seat = 2
ORDER BY page.ended_at DESC, page.game_id DESC
