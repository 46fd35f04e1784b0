#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The memory of rings is divided between users, and memory that a user still holds after the recorder released it counts against
# that user's share.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

# share: MiB of ring memory that a user may have, as the refusal says.
share() { sed -nE 's/.*user '"$mallory"' holds [0-9]+ of its share of ([0-9]+) bytes of .*memory.*/\1/p' "$work/$1.log" | head -n 1; }
# crowd_of RECORDING NUMBER: as many bytes of events are there.
crowd_of() { [ "$(cat "$work/$1"/app-program*/cpu_* 2>/dev/null | wc -c)" -gt "$2" ]; }
at_most() { [ "$1" -le "$2" ] || { echo "# $1, more than $2"; return 1; }; }

# Rings of 256 MiB, which nobody fills.
begin large --app all --app-buffer 4Mx64
attack hold 200
check "a program is recorded beside one who takes all the memory that he gets" as "$victim" $bin/victim 100 0
end_recording
end_attacks
check "all of its events" is "$(readable_steps large)" 100
check "the refusal says who holds how much memory" test -n "$(share large)"
check "the attacker got no more than his share" at_most "$(($(connections 1) * 268435456))" "$(share large)"

# keep NAME WHAT: memory that is kept when the program has hung up.
keep() {
	attack keep 200
	check "$2: the refusal says who holds the memory that he keeps" test -n "$(share "$1")"
	check "$2: memory that is kept counts as his who keeps it" at_most "$(($(connections) * 268435456))" "$(share "$1")"
	end_attacks
	check "$2: he has his share again when he lets go of it" await gets_rings
	check "$2: the recording goes on" as "$victim" $bin/victim 100 0
	end_recording
	check "$2: all events are there" is "$(readable_steps "$1")" 100
}
# shellcheck disable=SC2317 # keep calls it
gets_rings() {
	local nr
	attack hold 1
	nr=$(connections)
	end_attacks
	[ "$nr" = 1 ]
}
begin kept --app all --app-buffer 4Mx64
keep kept "the kernel's memory"
LD_PRELOAD=$bin/no_kernel_memory.so begin anonymous --app all --app-buffer 4Mx64
keep anonymous "anonymous memory"

# Pages that are taken out while the recorder reads there would make it wait.
begin punched --app all
attack punch 3 2
check "three programs have rings" is "$(connections)" 3
check "nobody takes pages out of rings that are recorded" is "$(sed -n 's/^punched //p' "$work/attack-$attacks")" 0
end_attacks
check "others are recorded" as "$victim" $bin/victim 100 0
end_recording
check "all their events are there" is "$(readable_steps punched)" 100

# The same of anonymous memory, which a recorder in a container has: it is sealed.
LD_PRELOAD=$bin/no_kernel_memory.so begin sealed --app all
attack punch 3 2
check "three programs have rings in anonymous memory" is "$(connections)" 3
check "nobody takes pages out of it" is "$(sed -n 's/^punched //p' "$work/attack-$attacks")" 0
end_attacks
attack seal 1
check "a program that forbids to seal its rings is not recorded" is "$(connections)" 0
check "the recorder says why" said sealed 'cannot seal the memory of its rings'
end_attacks
check "others are recorded" as "$victim" $bin/victim 100 0
end_recording
check "all their events are there" is "$(readable_steps sealed)" 100

# A program that is stopped in the middle of its events when its rings are taken back, and goes on then.
export STRATA_APP_MODE
for STRATA_APP_MODE in single-store reserve-commit; do
	$bin/app/program crowd 4 "$work/last" &
	running=$!
	attackers=("$running")
	for round in 1 2 3; do
		begin "$STRATA_APP_MODE-$round" --app program
		await crowd_of "$STRATA_APP_MODE-$round" 1000
		kill -STOP "$running"
		end_recording
		kill -CONT "$running"
	done
	begin "$STRATA_APP_MODE-last" --app program
	check "$STRATA_APP_MODE: a program goes on when its rings are taken from under its writers" await crowd_of "$STRATA_APP_MODE-last" 1000
	end_recording
	end_attacks
done
finish
