# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced after common.sh by attacks of members of the group tracing on root's stratad: the group and /var/lib are the script's own.
# $bin/stratad is the daemon, which ends with the script.
# shellcheck disable=SC2154 # common.sh sets bin and strata
# shellcheck source=tests/tracing_group.sh
. tests/tracing_group.sh
tracing=61999
cp -a out/bin/strata-consumerd "$bin"/

# daemon: the number of stratad's process.
daemon() { sed 's/process //' /run/strata/stratad.lock; }

# shellcheck disable=SC2317 # the trap calls it
end_daemon() { kill -KILL "$(daemon)" 2>/dev/null; }
trap end_daemon EXIT

make_tracing_group /tmp/group || exit 1

# member USER COMMAND...: runs it as that user, in the group tracing.
member() { HOME=/ setpriv --reuid "$1" --regid "$1" --groups $tracing --inh-caps=-all -- "${@:2}"; }

# in_time USER: root's stratad serves that member within seconds.
in_time() { HOME=/ timeout 10 setpriv --reuid "$1" --regid "$1" --groups $tracing -- "$strata" --system status; }
