SELECT
    (SELECT count(*) FROM shadow_games) AS shadows,
    (SELECT count(*) FROM games) AS games,
    (SELECT count(*) FROM differing WHERE is_there) AS replaced,
    (SELECT count(*) FROM differing WHERE NOT is_there) AS added
