#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The analyses follow and show a limited number of requests. A user whose programs have more keeps no request of another user from
# being followed and shown.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

# served NAME: requests of the victim's program that `strata report` counts.
served() { "$strata" report requests --json "$work/$1" 2>/dev/null | jq '[.requests[] | select(.what == "request") | .count] | add'; }

begin open --app all --app-buffer 1Mx8
as "$mallory" $bin/requester open 80000
as "$victim" $bin/requester serve 500
end_recording
check "a user who ends no request costs another none" is "$(served open)" 500
check "his own are not all followed" test \
	"$("$strata" report requests --json "$work/open" | jq .facts.requests_not_followed)" -gt 10000

# More names than a report has rows, and more requests at once than a timeline has tracks.
begin names --app all --app-buffer 1Mx8
as "$mallory" $bin/requester names 140
# The descriptions of one user's events take no more.
for _ in {1..17}; do
	as "$mallory" $bin/requester names 1
	as $((mallory + 2)) $bin/requester names 1
done
as "$victim" $bin/requester serve 500
end_recording
check "two users with 17,000 names take no row from another" is "$(served names)" 500
# page EXPRESSION: true of the timeline's page, in Python.
page() {
	python3 -c 'import sys; sys.path.insert(0, "tests/unit")
import timeline_page; page = timeline_page.Page(sys.argv[1]); meta = page.meta
sys.exit(not eval(sys.argv[2]))' "$work/page" "$1"
}
"$strata" timeline -o "$work/page" "$work/names" 2>/dev/null
check "a user with 71,000 requests at once takes no track from another" page \
	'any(track["name"] == "request" and track["kind"] == "requests" for track in meta["tracks"])'
check "nor its histogram" page '"request" in [page.strings[of["name"]] for of in meta["requests"]]'
finish
