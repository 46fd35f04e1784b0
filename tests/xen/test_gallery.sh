#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The gallery: the command in each case's section of docs/cookbook.md names the case's problem. One boot for all. Speaks
# TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

OUT=out/tests/gallery

# found PROGRAM: what the case's command says as JSON makes the jq program true.
# shellcheck disable=SC2317 # findings call it
found() {
	jq -e "$1" "$OUT/$case_name.json" >/dev/null || {
		echo "not so: $1"
		cat "$OUT/$case_name.txt"
		return 1
	}
}

# Asks the case's question; what the command says stays in $OUT/NAME.txt.
ask() {
	# shellcheck disable=SC2086,SC2154 # several words, of the case
	out/bin/strata $command "$OUT/$case_name" >"$OUT/$case_name.txt" && out/bin/strata $command --json "$OUT/$case_name" >"$OUT/$case_name.json"
}

rm -rf "$OUT"
mkdir -p "$OUT/cases"
cp "$here"/gallery/*.sh "$OUT/cases"
check "the service builds" gcc -O2 -Wall -Wextra -Werror -Iinclude "$here/helpers/server.c" out/lib/libstrata.a \
	-lxengnttab -lxenevtchn -o "$OUT/server"
check "the sink builds" gcc -O2 -Wall -Wextra -Werror "$here/helpers/sink.c" -lxenevtchn -o "$OUT/sink"
check "the hog builds" gcc -static -O2 -Wall -Wextra -Werror "$here/workloads/busy.c" -o "$OUT/busy"
boot "$here/gallery/gallery.lab" "$OUT"
for file in "$OUT"/cases/*.sh; do
	case_name=$(basename "$file" .sh)
	# shellcheck source=tests/xen/gallery/steal.sh
	. "$file"
	check "$title: it can be asked" ask
	check "$title: it is named" finding
done
finish
