#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A recording and its merge in one directory are shown once; a trace that poses as another one's original hides none of
# its events.
# shellcheck source=tests/unit/made_traces.sh
. "$(dirname "$0")/made_traces.sh"

"$work/make_ctf" "$work/one" 3 3000 4
check "a recording of the hypervisor is made" "$strata" import tests/unit/data/host.xentrace -o "$work/raw" --tsc-khz 2445427

events() { jq -s length <("$strata" view --json "$@" 2>/dev/null); }
all=$(events "$work/raw")
# host NAME: a directory with the recording and its merge.
host() {
	mkdir "$work/$1" && cp -r "$work/raw" "$work/$1/raw" && "$strata" merge "$work/$1/raw" -o "$work/$1" >/dev/null
}
view() { "$strata" view -o /dev/null "$@"; }
# both DIR PATTERN: all events of the recording and of its merge are shown, and a message says why.
both() { [ "$(events "$work/$1")" = $((2 * all)) ] && says 3 "$1/ctf/xen: looks like a copy of $1/raw, but $2; both are shown" view "$work/$1"; }

host beside
check "a merge beside its recording is left out" test "$(events "$work/beside")" = "$all"
check "which is no damage" says 0 'beside/ctf/xen: was made from beside/raw; left out' view "$work/beside"
check "also by a path that ends in /" says 0 'ctf/xen: was made from .*raw; left out' view "$work/beside/"

host cut
truncate -s 5000 "$work/cut/raw/xen/cpu_1"
check "a recording that lacks packets leaves out no copy" says 3 'cut/ctf/xen: looks like a copy of cut/raw, but cpu_1 has [0-9]+ of its [0-9]+ packets; both are shown' view "$work/cut"
check "whose events are all shown" test "$(events "$work/cut")" = $(($(events "$work/cut/raw") + $(events "$work/cut/ctf")))

host gone
rm "$work/gone/raw/xen/cpu_0"
check "nor does one that lacks a stream" says 3 'gone/ctf/xen: looks like a copy of gone/raw, but cpu_0 has 0 of its [0-9]+ packets' view "$work/gone"

host more
cp "$work/more/ctf/xen/cpu_0" "$work/more/ctf/xen/cpu_77"
check "a copy with a stream more is shown" says 3 "more/ctf/xen: looks like a copy of more/raw, but it has no events of the copy's stream cpu_77" view "$work/more"

host apart
mv "$work/apart/ctf" "$work/apart/merged"
check "a merge elsewhere is shown" says 3 'apart/merged/xen: looks like a copy of apart/raw, but only DIR/ctf beside its recording DIR/raw is left out' view "$work/apart"
check "with all events" test "$(events "$work/apart")" = $((2 * all))

if [ "$(id -u)" = 0 ]; then
	host owned
	chown 4711 "$work/owned/ctf/xen/metadata"
	check "a merge of another owner is shown" both owned 'their owners differ'
	chown 4711 "$work/owned/raw/recording.json"
	check "one of the same owner is left out" test "$(events "$work/owned")" = "$all"
fi

# Whoever can read a merge can read the UUIDs of its originals too, or find them where they were recorded.
mkdir "$work/set"
evil=10
"$strata" convert --format ctf -o "$work/set/honest" "$work/one" 2>/dev/null
honest=$(events "$work/set/honest")
"$work/make_ctf" "$work/set/evil" 1 $evil 4
uuid_of() { grep -aoE 'uuid = "[-0-9a-f]{36}"' "$1/metadata" | head -n 1 | cut -d '"' -f 2; }
uuid=$(uuid_of "$work/one")
sed -i -E "0,/uuid = \"[-0-9a-f]{36}\"/s//uuid = \"$uuid\"/" "$work/set/evil/metadata"
check "a trace has the UUID of another one's original" test "$(uuid_of "$work/set/evil")" = "$uuid"
check "and hides none of its events" test "$(events "$work/set")" = $((honest + evil))
check "which is said" says 3 'set/honest/one: looks like a copy of set/evil, but only DIR/ctf' view "$work/set"
mv "$work/set/honest" "$work/set/ctf" && mv "$work/set/evil" "$work/set/raw"
check "nor beside it, as raw" test "$(events "$work/set")" = $((honest + evil))
check "what the command line names is shown without a word" test -z "$("$strata" view -o /dev/null "$work/set/ctf" "$work/set/raw" 2>&1)"

# The digest of 32 bytes of a head and the original's UUID, as another implementation computes it.
derived() {
	python3 -c 'import hashlib, struct, sys, uuid
digest = hashlib.sha256(b"strata uuid 1".ljust(16, b"\0") + struct.pack("<QQ", 1, 0) + uuid.UUID(sys.argv[1]).bytes).digest()
made = bytearray(digest[:16])
made[6], made[8] = made[6] & 0x0f | 0x80, made[8] & 0x3f | 0x80
print(uuid.UUID(bytes=bytes(made)))' "$1"
}
check "the UUID of a copy is the SHA-256 digest of its original's" test "$(uuid_of "$work/set/ctf/one")" = "$(derived "$uuid")"

finish
