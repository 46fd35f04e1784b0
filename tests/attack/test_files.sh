#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# If the recorder may open only few files, one user's connections and rings do not use them up.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

# Of whoever waits in vain.
export STRATA_APP_WAIT_MS=20000
cpus=$(nproc --all)

# Without the right to raise its limit, which root has.
(
	ulimit -n $((60 + 100 * (cpus + 1)))
	exec setpriv --bounding-set -sys_resource --inh-caps -sys_resource "$strata" record --output "$work/few" --app all \
		--app-buffer 4Kx2 2>"$work/few.log"
) &
recorder=$!
await begun_or_ended "$work/few.log"
attack hold 250 "$cpus"
check "a program is recorded beside one that asks for more than all files" as "$victim" $bin/victim 100 0
end_attacks
end_recording
check "all of its events" is "$(readable_steps few)" 100
check "the refusal says who holds how much" said few "user $mallory holds [0-9]+ of its share of [0-9]+ (connections|rings) "
finish
