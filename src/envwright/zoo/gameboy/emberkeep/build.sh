#!/bin/sh
# Builds the ROM with Debian's sdcc 4.2: ./build.sh [FOLDER], emberkeep.gb is put there (or here).
# The same compiler gives the same bytes wherever it runs: no path or time enters them.
set -eu
source=$(cd "$(dirname "$0")" && pwd)
out=$(cd "${1:-$source}" && pwd)
for tool in sdcc sdasgb makebin; do
	command -v "$tool" >/dev/null || { echo "$tool is missing: apt-get install sdcc" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$source"/*.c "$source"/*.h "$source"/crt0.s "$work"
cd "$work"
sdasgb -o crt0.rel crt0.s
parts="main play foes world shapes random status screen sound art"
for part in $parts; do sdcc -msm83 --opt-code-speed --Werror -c "$part.c" -o "$part.rel"; done
# shellcheck disable=SC2086
sdcc -msm83 --no-std-crt0 --code-loc 0x200 --data-loc 0xC300 \
	crt0.rel $(for part in $parts; do echo "$part.rel"; done) -o game.ihx
makebin -Z -yN -yn EMBERKEEP game.ihx emberkeep.gb
cp emberkeep.gb "$out/emberkeep.gb"
