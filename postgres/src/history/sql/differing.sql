-- The games of the shadow whose row is missing or otherwise, the row or a player. A game has two players in both.
CREATE TEMPORARY TABLE differing ON COMMIT DROP AS
SELECT shadow.id, games.id IS NOT NULL AS is_there
FROM shadow_games AS shadow
LEFT JOIN games ON games.id = shadow.id
WHERE games.id IS NULL
    OR ROW(games.*) IS DISTINCT FROM ROW(shadow.*)
    OR EXISTS (
        SELECT seat, user_id, name, is_guest, ended_at FROM shadow_game_players WHERE game_id = shadow.id
        EXCEPT
        SELECT seat, user_id, name, is_guest, ended_at FROM game_players WHERE game_id = shadow.id
    )
