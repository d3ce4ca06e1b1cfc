-- Without the moves, which are most of a row and lie apart from it.
WITH page AS (
    SELECT
        id, kind, player1_id, player2_id, final_board, result, end_reason, left_user_id, started_at, ended_at,
        move_count, peak_spectators
    FROM games
    ORDER BY peak_spectators DESC, ended_at DESC, id DESC
    LIMIT $1
)
SELECT
    page.*,
    first.name AS player1_name, first.is_guest AS player1_is_guest,
    second.name AS player2_name, second.is_guest AS player2_is_guest
FROM page
JOIN game_players AS first ON first.game_id = page.id AND first.seat = 1
JOIN game_players AS second ON second.game_id = page.id AND second.seat = 2
ORDER BY page.peak_spectators DESC, page.ended_at DESC, page.id DESC
