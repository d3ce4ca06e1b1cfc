SELECT
    games.*,
    first.name AS player1_name, first.is_guest AS player1_is_guest,
    second.name AS player2_name, second.is_guest AS player2_is_guest
FROM games
JOIN game_players AS first ON first.game_id = games.id AND first.seat = 1
JOIN game_players AS second ON second.game_id = games.id AND second.seat = 2
WHERE games.id = $1
