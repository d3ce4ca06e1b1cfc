#!/usr/bin/env bash
# Takes the modules and the typeface that the client loads from npm, as files, each with its licence.
#
#   web/vendor/refresh.sh            the versions in versions.txt again
#   web/vendor/refresh.sh NAME@VERSION…  these in place of theirs
#
# The files are exactly those of the packages: nothing is bundled or rewritten. index.html maps the names by which
# they import each other.

set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"

# PACKAGE FILE…: what is kept of each.
kept() {
    cat <<'FILES'
lit index.js LICENSE
lit-element lit-element.js LICENSE
lit-html lit-html.js is-server.js LICENSE
@lit/reactive-element reactive-element.js css-tag.js LICENSE
cm-chessboard src/Chessboard.js src/lib/Svg.js src/lib/Utils.js src/model/ChessboardState.js src/model/Extension.js src/model/Position.js src/view/ChessboardView.js src/view/PositionAnimationsQueue.js src/view/VisualMoveInput.js LICENSE
@fontsource-variable/figtree files/figtree-latin-wght-normal.woff2 files/figtree-latin-ext-wght-normal.woff2 LICENSE
FILES
}

for wanted in "$@"; do
    name=${wanted%@*}
    grep -q "^$name@" versions.txt || { echo "refresh.sh: $name is not vendored" >&2; exit 1; }
    sed -i "s|^$name@.*|$wanted|" versions.txt
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

kept | while read -r name files; do
    package=$(grep "^$name@" versions.txt)
    archive=$(npm pack --silent --pack-destination "$work" "$package")
    rm -rf "$work/package" "$name"
    tar -xzf "$work/$archive" -C "$work"
    for file in $files; do
        install -D -m 644 "$work/package/$file" "$name/$file"
    done
    echo "$package"
done
