#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Another user prepares directories and links where root writes recordings and timelines. The commands refuse them with a
# reason, and no file of root changes.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
trap '[ -z "$recorder" ] || kill "$recorder" 2>/dev/null; [ -z "$racer" ] || kill "$racer" 2>/dev/null' EXIT
racer=""

# What is not to be touched: by names that a recording, a merge and rings have.
precious=/var/tmp/precious
fill() {
	rm -rf $precious
	mkdir -p $precious/app $precious/rings $precious/index
	printf 'env {\n\ttracer_name = "strata merge";\n};\n' >$precious/metadata
	for name in cpu_0 cpu_1 .metadata recording.json recording.json.new timeline.txt summary.json .reserve .live app/cpu_0 \
		app/metadata rings/.strata-process-1-0 xen_0; do
		echo "root's $name" >"$precious/$name"
	done
}
sum() { find $precious -printf '%P %y %m %u %s %T@\n' -type f -exec sha256sum {} + | sort; }

# Recordings of root's: one to merge, and one that somebody might be led to.
begin good --app all
"$bin"/app/program numbered 100
kill -INT "$recorder"
wait "$recorder"
recorder=""
cp -a "$work/good" "$work/other"
check "root has a recording" test 100 = "$("$strata" convert --format json "$work/good" --event numbered | grep -c '"numbered"')"

# lure DIR: a directory of mallory's in which every name leads to root's files.
lure() {
	rm -rf "$1"
	as "$mallory" mkdir -m "${2:-0777}" "$1"
	for name in .reserve .live rings recording.json.new timeline.txt summary.json cpu_0 metadata .metadata xen_0; do
		as "$mallory" ln -s "$precious/$name" "$1/$name"
	done
	# A recording whose source is a link: who replaces it, empties what that leads to.
	as "$mallory" ln -s $precious "$1/victims"
	as "$mallory" ln -s $precious "$1/ctf"
	as "$mallory" ln -s $precious "$1/app-program"
	sed 's/"name": *"app-[^"]*"/"name": "victims"/' "$work/good/recording.json" >/tmp/table
	chmod a+r /tmp/table
	as "$mallory" cp /tmp/table "$1/recording.json"
}

# spared PATTERN COMMAND...: it fails, says why, and nothing of root's has changed.
spared() {
	local pattern=$1 before status=0 output
	shift
	fill
	before=$(sum)
	output=$("$@" 2>&1 </dev/null) || status=$?
	[ "$before" = "$(sum)" ] || {
		echo "# this changed:"
		diff <(echo "$before") <(sum) | sed 's/^/# /'
		return 1
	}
	if [ "$status" != 1 ] || ! grep -qE "$pattern" <<<"$output"; then
		echo "# status $status: $output"
		return 1
	fi
}
# As root: short recordings of what there is, which is nothing.
record() { timeout 60 "$strata" record --app all --duration 100ms "$@"; }

foreign="belongs to user $mallory|of user $mallory"
for top in /tmp /var/tmp; do
	lure $top/lure
	check "$top: record refuses a directory of somebody else's" spared "$foreign" record -o $top/lure
	check "$top: and one in it" spared "$foreign" record -o $top/lure/new
	check "$top: also through its link" spared "$foreign" record -o $top/lure/victims
	as "$mallory" chmod 755 $top/lure
	check "$top: whatever its mode" spared "$foreign" record -o $top/lure
	check "$top: merge refuses it" spared "$foreign" "$strata" merge "$work/good" -o $top/lure
	check "$top: as a trace" spared "$foreign" "$strata" merge "$work/good" -o $top/lure/ctf --format ctf
	check "$top: as a file" spared "$foreign" "$strata" merge "$work/good" -o $top/lure/timeline.txt --format text
	check "$top: merge of several refuses it" spared "$foreign" "$strata" merge "$work/good" "$work/other" -o $top/lure
	check "$top: convert refuses it" spared "$foreign" "$strata" convert --format ctf "$work/good" -o $top/lure/ctf
	check "$top: as a file" spared "$foreign" "$strata" convert --format json "$work/good" -o $top/lure/summary.json
	check "$top: recover refuses it" spared "$foreign" "$strata" recover "$work/good" -o $top/lure
	check "$top: and one in it" spared "$foreign" "$strata" recover "$work/good" -o $top/lure/new
	check "$top: memory for rings may not lie in it" spared "$foreign" record -o "$work/unmade" --app-memory "file:$top/lure"
	check "$top: and nothing is left of that" test ! -e "$work/unmade"
done

# Links in place of what root names.
as "$mallory" ln -s $precious /tmp/link
as "$mallory" ln -s "$work/other" /tmp/link-to-recording
as "$mallory" ln -s $precious/timeline.txt /tmp/link-to-file
check "a link of somebody else's is no output directory" spared "$foreign" record -o /tmp/link
check "nor for a merge" spared "$foreign" "$strata" merge "$work/good" -o /tmp/link
check "nor an output file" spared "$foreign" "$strata" convert --format json "$work/good" -o /tmp/link-to-file
check "root's recording is not replaced through one" spared "$foreign" record -o /tmp/link-to-recording
check "it is whole" test 100 = "$("$strata" convert --format json "$work/other" --event numbered | grep -c '"numbered"')"

# Beside a recording in /tmp: the names that recover uses.
cp -a "$work/good" /tmp/rec
lure /tmp/rec-recovered
check "recover refuses its own default name" spared "$foreign" "$strata" recover /tmp/rec
rm -rf /tmp/rec-recovered
lure /tmp/rec-recovered.partial
check "and the name that it works under" spared "$foreign" "$strata" recover /tmp/rec
rm -rf /tmp/rec-recovered.partial
as "$mallory" ln -s $precious /tmp/rec-recovered
check "also as a link" spared "is a link|$foreign" "$strata" recover /tmp/rec

# A flight recorder's snapshots, asked for by root.
begin flight --overwrite --app all
"$bin"/app/program numbered 100
lure /tmp/lure
check "snapshot refuses it" spared "$foreign" "$strata" snapshot -o /tmp/lure
check "also as a link" spared "$foreign" "$strata" snapshot -o /tmp/link
check "what it holds is still there for root" "$strata" snapshot -o "$work/snapshot"
kill -INT "$recorder"
wait "$recorder"
recorder=""

# A directory that all may write to, whoever made it.
mkdir -m 0777 /tmp/open
chmod 0777 /tmp/open
check "a directory that others may write to is refused" spared 'others may write there' record -o /tmp/open
check "and one in it" spared 'not sticky' record -o /tmp/open/new

# Recordings that mallory made are read, and lead to nothing.
lure /tmp/theirs
rm /tmp/theirs/recording.json /tmp/theirs/victims
mkdir /tmp/secret
cp "$work"/good/app-*/cpu_* /tmp/secret/
chmod 700 /tmp/secret
as "$mallory" cp /tmp/table /tmp/theirs/recording.json
as "$mallory" ln -s /tmp/secret /tmp/theirs/victims
check "a source that is a link is not read" spared 'symbolic links are not followed' "$strata" merge /tmp/theirs -o "$work/stolen"
sed 's/"name": *"victims"/"name": "..\/secret"/' /tmp/table >/tmp/table-up
chmod a+r /tmp/table-up
as "$mallory" cp /tmp/table-up /tmp/theirs/recording.json
check "nor one that lies elsewhere" spared 'is not valid as a directory' "$strata" merge /tmp/theirs -o "$work/stolen2"
kept() { [ "$(ls /tmp/secret)" = "$(cd "$work"/good/app-*/ && echo cpu_*| tr ' ' '\n')" ]; }
check "nor removed" kept

# Races: mallory swaps a directory for a link, and back, as fast as can be, while root records 20 times.
cat >/tmp/swap.sh <<'END'
cd "$1" || exit 1
while :; do
	mkdir race 2>/dev/null
	cp /tmp/table race/recording.json 2>/dev/null
	ln -s /var/tmp/precious race/victims 2>/dev/null
	mv -T race away 2>/dev/null
	ln -sfn /var/tmp/precious race 2>/dev/null
	rm -f race 2>/dev/null
	mv -T away race 2>/dev/null
	rm -rf race away.* 2>/dev/null
	mv -T away "away.$RANDOM" 2>/dev/null
done
END
chmod a+rx /tmp/swap.sh
raced() {
	local before i
	fill
	before=$(sum)
	as "$mallory" setsid bash /tmp/swap.sh "$1" >/dev/null 2>&1 &
	racer=$!
	# shellcheck disable=SC2034 # it counts
	for i in $(seq 20); do
		timeout 60 "$strata" record -o "$1/race" --app all --duration 20ms >/tmp/raced.log 2>&1
		timeout 60 "$strata" merge "$work/good" -o "$1/race" >/tmp/raced.log 2>&1
	done
	kill -- "-$racer" 2>/dev/null || kill "$racer"
	wait "$racer" 2>/dev/null
	racer=""
	[ "$before" = "$(sum)" ] || {
		diff <(echo "$before") <(sum) | sed 's/^/# /'
		return 1
	}
}
check "a race in /tmp leads root nowhere" raced /tmp
mkdir -p /var/tmp/homes/mallory
chown "$mallory:$mallory" /var/tmp/homes/mallory
check "nor one in a home, where mallory may rename what root makes" raced /var/tmp/homes/mallory
finish
