#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The page of `strata timeline` writes lengths and bounds as the reports do: both write the cases of lengths.txt (test_table.c).
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/cases.mjs" <<'CASES'
import { readFileSync } from "node:fs";
import { bound, duration } from "./format.mjs";

let wrong = 0;
for (const line of readFileSync("tests/unit/data/lengths.txt", "utf8").trim().split("\n").slice(1)) {
	const [ns, length, most] = line.replaceAll(" us", " µs").split("\t");
	for (const [is, wanted] of [[duration(Number(ns)), length], [bound(Number(ns)), `± ${most}`]]) {
		if (is === wanted) continue;
		console.log(`${ns} ns: wanted ${wanted}, is ${is}`);
		wrong++;
	}
}
process.exit(wrong ? 1 : 0);
CASES
check "the page's formats are bundled" out/node/node_modules/.bin/esbuild dom0-tools/timeline/src/format.ts --bundle --format=esm \
	--log-level=warning --outfile="$work/format.mjs"
check "lengths and bounds are written as in reports" node "$work/cases.mjs"
check "a bound of a part of a nanosecond is one of a nanosecond" node --input-type=module -e \
	"import { bound } from '$work/format.mjs'; process.exit(bound(0.25) === '± 1 ns' ? 0 : 1)"
finish
