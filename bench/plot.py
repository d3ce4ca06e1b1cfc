"""Draws bench/growth.svg from the figures of bench/results.json.

    plot.py RESULTS SVG
"""

import json
import sys

WIDTH, HEIGHT, LEFT, TOP, BETWEEN_X, BETWEEN_Y = 250, 130, 60, 46, 70, 70
FIGURES = {
    "live": [
        ("moves/s, all at once", "rate", 1),
        ("p99 ms, paced", "paced_p99_us", 1e-3),
        ("KiB per game", "memory_kib", 1),
        ("s to ready", "restore_ms", 1e-3),
    ],
    "finished": [
        ("moves/s of 64", "rate", 1),
        ("p99 ms, 1,000 paced", "paced_p99_us", 1e-3),
        ("MiB in all", "memory_kib", 1 / 1024),
        ("s to ready", "restore_ms", 1e-3),
    ],
}

growth = json.load(open(sys.argv[1]))["growth"]


def text(x, y, what, anchor="middle", size=11):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{what}</text>'


def panel(left, top, title, axis, points):
    most_x = max(x for x, _ in points) or 1
    most_y = max(y for _, y in points) * 1.1 or 1
    place = [(left + WIDTH * x / most_x, top + HEIGHT * (1 - y / most_y)) for x, y in points]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in place)
    yield f'<rect x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#bbb"/>'
    yield text(left + WIDTH / 2, top - 8, title, size=12)
    yield f'<polyline points="{line}" fill="none" stroke="#0a6" stroke-width="2"/>'
    for x, y in place:
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="#0a6"/>'
    for share in (0, 0.5, 1):
        yield text(left + WIDTH * share, top + HEIGHT + 14, f"{most_x * share:,.0f}")
        yield text(left - 5, top + HEIGHT * (1 - share) + 4, f"{most_y * share:,.3g}", "end")
    yield text(left + WIDTH / 2, top + HEIGHT + 28, f"{axis} games")


parts = []
for row, (axis, figures) in enumerate(FIGURES.items()):
    grown = sorted((g for g in growth if g["axis"] == axis), key=lambda g: g["games"])
    for column, (title, key, factor) in enumerate(figures):
        if grown:
            left, top = LEFT + column * (WIDTH + BETWEEN_X), TOP + row * (HEIGHT + BETWEEN_Y)
            points = [(g["games"], g[key] * factor) for g in grown]
            parts.extend(panel(left, top, title, axis, points))
width, height = LEFT + 4 * (WIDTH + BETWEEN_X), TOP + 2 * (HEIGHT + BETWEEN_Y)
with open(sys.argv[2], "w") as svg:
    svg.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">\n')
    svg.write('<rect width="100%" height="100%" fill="#fff"/>\n')
    svg.write("\n".join(parts) + "\n</svg>\n")
