#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The cases of the gallery, one after the other, in dom0: each $LAB_OUT/cases/NAME.sh is recorded into $LAB_OUT/NAME, where
# test_gallery.sh looks at it.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"
# shellcheck source=tests/xen/scripts/recorder.sh
. "${0%/*}/recorder.sh"

mkdir -p /tmp/logs
cd /tmp/logs || exit

# Ends program $2 of guest $1, and returns when it has ended.
quieted=0
quiet() {
	quieted=$((quieted + 1))
	# The shell shows what is typed: not the same as what it prints.
	tell "$1" "killall $2; echo qui''et $quieted"
	await_console "$1" "quiet $quieted"
}

for file in "$LAB_OUT"/cases/*.sh; do
	case_name=$(basename "$file" .sh)
	seconds=3
	options=
	prepare() { :; }
	tidy() { :; }
	meanwhile() { sleep "$seconds"; }
	# shellcheck source=tests/xen/gallery/steal.sh
	. "$file"
	echo "case $case_name: $title"
	prepare
	# Guests with nothing to do begin and end their part of a recording soon.
	# shellcheck disable=SC2086 # several words
	start_recorder "$case_name" --output "$LAB_OUT/$case_name" $options
	before
	meanwhile
	after
	end_recorder INT
	tidy
	log=$case_name
	expect_status "$title: it is recorded" 0
done
end_checks
