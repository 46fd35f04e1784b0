# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced by tests/attack/test_*.sh, which run inside tests/attack/world.sh: two unprivileged users, copies of the programs that
# they may run, and the functions of tests/unit/recorder.sh. Each script speaks TAP (tests/tap.sh): check NAME COMMAND...,
# finish.
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../tap.sh"
# shellcheck source=tests/unit/recorder.sh
. tests/unit/recorder.sh

# shellcheck disable=SC2034 # for the scripts
mallory=${ATTACKER:-61001} # one of those of tests/run.sh
victim=$((mallory + 1))

# A user may not be able to reach the tree: the programs lie where everybody can.
bin=/tmp/bin
mkdir -p $bin
cp -a out/bin/strata out/bin/stratad out/lib/libstrata.so* $bin/
[ ! -d out/tests/app ] || cp -a out/tests/app $bin/
[ ! -d out/tests/attack ] || cp -a out/tests/attack/. $bin/
chmod -R a+rX $bin
export LD_LIBRARY_PATH=$bin
# shellcheck disable=SC2034 # used by recorder.sh
strata=$bin/strata
work=/tmp/work
mkdir -p $work

# become USER COMMAND...: this shell becomes it, as that user and without any capability.  In the background, $! is its number.
become() {
	local user=$1
	shift
	exec setpriv --reuid "$user" --regid "$user" --clear-groups --inh-caps=-all -- "$@"
}

# as USER COMMAND...: runs it as become does.
as() { (become "$@"); }

# home USER: a directory of that user's own.
home() {
	mkdir -p "/tmp/home-$1"
	chown "$1:$1" "/tmp/home-$1"
	chmod 700 "/tmp/home-$1"
	echo "/tmp/home-$1"
}

# fuse_for_all: on most machines everybody may use it.
fuse_for_all() { mknod /tmp/fuse c 10 229 && chmod 666 /tmp/fuse && mount --bind /tmp/fuse /dev/fuse && : <>/dev/fuse; } 2>/dev/null
