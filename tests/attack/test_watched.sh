#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# While it records, the recorder opens no file that other users can watch (inotify): each access would cost it the time to wake all
# who watch, which a user can do millions of times.  Nor do the processes that look at programs for it, and a program once a
# recorder waits for it.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

overflow=/proc/sys/kernel/overflowuid
machine=(/etc/passwd /etc/subuid /sys/devices/system/cpu/possible)

# Other programs of the machine may open these: here they are files of this script's own.
for file in "${machine[@]}"; do
	cp "$file" "$work/${file##*/}"
	chmod 644 "$work/${file##*/}"
	mount --bind "$work/${file##*/}" "$file"
done

# watch NAME ARG...: starts a watcher; its lines are in $work/NAME.
watch() {
	local name=$1
	shift
	become "$mallory" $bin/watcher "$@" >"$work/$name" &
	watcher=$!
	attackers+=("$watcher")
	# Its own files in /proc are watched: look at nothing else.
	await grep -q ^watching "$work/$name"
}

# opened NAME: the files that somebody opened, each as often as it was.
opened() {
	kill -USR1 "$watcher"
	await grep -q ^all "$work/$1" || return 1
	sed -n 's/^opened //p' "$work/$1"
}

# A program that waits for a recorder: it reads what it has to know of the machine at its start.
become "$victim" $bin/app/program forever 0 "$(home "$victim")/last" &
waiting=$!
attackers+=("$waiting")
await test -s "$(home "$victim")/last"
watch running $overflow "/proc/$waiting/"{comm,maps,stat,status}
begin watched --app all
await grep -qs '"app-program"' "$work/watched/recording.json"
check "a search opens nothing that can be watched, nor does the program" is "$(opened running)" ""

watch connecting $overflow "${machine[@]}" -- "$STRATA_APP_SOCKET"
await grep -q ^recorded "$work/connecting"
check "nor does the recorder when a program comes" is "$(opened connecting)" ""

# can_watch PATH: as another user.  The watcher says so or ends.
can_watch() {
	local pid status=0
	become "$mallory" $bin/watcher "$1" >"$work/can" 2>/dev/null &
	pid=$!
	await watches_or_ended "$pid" && grep -q ^watching "$work/can" || status=1
	kill "$pid" 2>/dev/null
	return $status
}
# shellcheck disable=SC2317 # await calls it
watches_or_ended() { grep -q ^watching "$work/can" || has_ended "$1"; }
cannot_watch() { ! can_watch "$1"; }
check "another user can watch what he may read" can_watch /etc/passwd
check "he cannot watch the recorder's socket" cannot_watch "$STRATA_APP_SOCKET"
# Nor hold the lock of that directory, which getdents() takes.
check "nor its directory" cannot_watch /run/strata
end_attacks
end_recording

# A snapshot says which boot of the machine it is of.
begin flight --app all --overwrite
watch booted /proc/sys/kernel/random/boot_id
check "a snapshot is written" "$strata" snapshot --output "$work/snapshot"
check "and opens nothing that can be watched" is "$(opened booted)" ""
end_attacks
end_recording

# Rotations name directories by the date: the recorder of a session reads the file of the time zone before it records.
cp -a out/bin/strata-consumerd $bin/
cp /usr/share/zoneinfo/Etc/UTC "$work/zone"
chmod 644 "$work/zone"
TZ=:$work/zone "$strata" create --output "$work/web" web 2>/dev/null
"$strata" enable-event --app all step 2>/dev/null
check "a session starts" "$strata" start web
# Meanwhile it would open the file at its first rotation.
watch rotating "$work/zone"
check "it rotates" "$strata" rotate web
check "and opens no file that can be watched" is "$(opened rotating)" ""
"$strata" destroy web 2>/dev/null
kill "$(sed 's/process //' /run/strata/stratad.lock)" 2>/dev/null
end_attacks
finish
