#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Descriptions of hosts: each mistake is reported with its file and line, and valid descriptions take effect. Boots
# nothing. Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/xen/description.sh
. "$here/description.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
file=$work/a.lab
mkdir "$work/scripts"
echo 'echo hello' >"$work/scripts/hello.sh"
host='host cpus=2 memory=2048'
dom0='dom0 script=scripts/hello.sh'

# One result: $2 is $3. Both are shown when they differ.
expect_equal() {
	local status=0

	[ "$2" = "$3" ] || status=1
	result "$status" "$1"
	[ "$status" = 0 ] || printf '# expected: %s\n# found:    %s\n' "$2" "$3"
}

# Given a description of lines $3..., when it is read, then the error is $2 (FILE: goes before it).
expect_error() {
	local what=$1 wanted=$2

	shift 2
	printf '%s\n' "$@" >"$file"
	expect_equal "$what" "$file:$wanted" "$(read_description "$file" 2>&1 && echo read without an error)"
}

expect_error "no script" "2: dom0 has no script" "$host" "dom0 memory=640"
expect_error "a script that is not there" "2: cannot read scripts/other.sh" "$host" "dom0 script=scripts/other.sh"
expect_error "one of several scripts that is not there" "2: cannot read scripts/other.sh" \
	"$host" 'dom0 script="scripts/hello.sh scripts/other.sh"'
expect_error "an unknown line" "3: a line starts with host, dom0 or guest, not with: machine" "$host" "$dom0" "machine m1"
expect_error "no dom0" "1: the description has no line for dom0" "$host"
expect_error "two hosts" "2: a second line for host" "$host" "$host" "$dom0"
expect_error "two guests of one name" "4: a second guest g1" "$host" "$dom0" "guest g1 type=pv" "guest g1 type=pvh"
expect_error "a guest without a type" "3: guest g1 has no type=pv or type=pvh" "$host" "$dom0" "guest g1 memory=64"
expect_error "a guest with a bad name" "3: a guest's name is small letters, digits and -, not: G/1" \
	"$host" "$dom0" "guest G/1 type=pv"
expect_error "an unknown type" "3: g1: type has to be pv or pvh, not: hvm" "$host" "$dom0" "guest g1 type=hvm"
expect_error "a setting of another section" \
	"3: g1 has no setting script; it has: type memory vcpus pin tsc_mode max_grant_frames module module_args start on_reboot workload" \
	"$host" "$dom0" "guest g1 type=pv script=x.sh"
expect_error "a setting given twice" "3: g1: pin is set twice" "$host" "$dom0" "guest g1 type=pv pin=0 pin=1"
expect_error "more spare CPUs than the lab can name" "1: host: spare_cpus has to be 0 to 9, not: 10" \
	"$host spare_cpus=10" "$dom0"
expect_error "an open quote" '3: expected KEY=VALUE or KEY="VALUE", found: workload="sleeper 10' \
	"$host" "$dom0" 'guest g1 type=pv workload="sleeper 10'
expect_error "a word that is no setting" '3: expected KEY=VALUE or KEY="VALUE", found: pinned' \
	"$host" "$dom0" 'guest g1 type=pv pinned'
expect_error "comments and empty lines count" \
	"5: g1: there is no physical CPU 2 (host cpus=2)" "$host" "# comment" "" "$dom0" "guest g1 type=pv pin=0-2"
expect_error "too little memory" "1: host memory=900 is too little: Xen, dom0 and the guests need 936" \
	"host memory=900" "$dom0" "guest g1 type=pv"

printf '%s\n' "$host xen_args=\"nmi=ignore loglvl=all\"" "$dom0 pin=0" \
	'guest g1 type=pvh pin=1 module=yes module_args="a=1 b=2" workload="sleeper 10 & busy"' >"$file"
read_description "$file"
write_dom0_files "$work/lab"
expect_equal "Xen's own arguments" "nmi=ignore loglvl=all" "${setting[host.xen_args]}"
expect_equal "the default memory of a guest" "memory = 128" "$(grep memory "$work/lab/guests/g1.cfg")"
expect_equal "the pin of a guest" "1" "$(cat "$work/lab/guests/g1.pin")"
expect_equal "which boots wherever there is time" "" "$(grep '^cpus' "$work/lab/guests/g1.cfg")"
expect_equal "what a guest's init is told" 'g1 yes a=1 b=2 workload sleeper 10 & busy"' \
	"$(sed -n 's/^extra.* -- //p' "$work/lab/guests/g1.cfg")"
expect_equal "what becomes of a guest that reboots" 'on_reboot = "destroy"' "$(grep on_reboot "$work/lab/guests/g1.cfg")"
expect_equal "the script of dom0" "hello.sh" "$(cat "$work/lab/script")"
expect_equal "the pin of dom0" "0" "$(cat "$work/lab/pin")"

echo 'echo bye' >"$work/scripts/bye.sh"
printf '%s\n' "$host" 'dom0 script="scripts/hello.sh scripts/bye.sh"' >"$file"
read_description "$file"
write_dom0_files "$work/lab"
expect_equal "several scripts of dom0" "hello.sh bye.sh" "$(xargs <"$work/lab/script")"

printf '%s\n' "$host" "$dom0" 'guest g1 type=pv' 'guest g2 type=pv start=no on_reboot=restart' >"$file"
read_description "$file"
write_dom0_files "$work/lab"
expect_equal "a guest that is left to the script is not started" g1 "$(cat "$work/lab/guests/list")"
expect_equal "but configured" 'on_reboot = "restart"' "$(grep on_reboot "$work/lab/guests/g2.cfg")"

finish
