#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# TAP for tests that are scripts: sourced by test_*.sh. One that boots a host calls boot() once,
# which turns each "ok:" and "NOT OK:" line of the scripts in dom0 into a result, with what a script shows of one that failed, then
# check() for checks outside of the host, or check_scripts(), then finish().
set -u

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$top" || exit 1
here=tests/xen
count=0

# Of a host that runs several scripts, the one that the results are of.
host_script=

# result STATUS NAME: one line of TAP.
result() {
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		printf 'ok %s - %s\n' "$count" "${host_script:+$host_script: }$2"
	else
		printf 'not ok %s - %s\n' "$count" "${host_script:+$host_script: }$2"
	fi
}

# check NAME COMMAND...: one result; the output of a command that fails is shown.  It goes to a file: a pipe
# would be waited for until the last process ends that the command has left behind.
check() {
	local name=$1 said status=0
	shift
	said=$(mktemp)
	("$@") >"$said" 2>&1 || status=$?
	result "$status" "$name"
	[ "$status" = 0 ] || head -n 20 "$said" | sed 's/^/# /'
	rm -f "$said"
}

# reply FILTER VERB ARGUMENTS...: stdout of the verb is one JSON document that the filter finds true, and its status is that of the verb.
reply() {
	local filter=$1 status=0 output
	shift
	output=$(out/bin/strata "$@") || status=$?
	printf 'status %s: %s\n' "$status" "$output"
	[ "$(jq -s length <<<"$output")" = 1 ] && jq -e --argjson exit "$status" "(.status // 0) == \$exit and ($filter)" <<<"$output"
}

# columns FILE PROGRAM [AWK OPTIONS...]: awk over the events of a timeline in columns.  The columns that the heading names are in
# variables of these names: source, layer, cpu, pcpu, vcpu, event; seconds is the time of day.  value(NAME) is a field's value, as
# it is shown, and number(NAME) the number that it begins with.
# shellcheck disable=SC2016 # what is not expanded is awk's
columns() {
	local file=$1 program=$2
	shift 2
	awk "$@" '
		function value(name,   i) {
			for (i = column["fields"]; i <= NF; i++)
				if (index($i, name "=") == 1)
					return substr($i, length(name) + 2)
			return ""
		}
		function number(name) { return value(name) + 0 }
		/^# time/ { for (i = 2; i <= NF; i++) column[$i] = i - 1; next }
		/^[#[]/ { next }
		{
			split($1, clock, ":")
			seconds = clock[1] * 3600 + clock[2] * 60 + clock[3]
			source = $column["source"]; layer = $column["layer"]; cpu = $column["cpu"]
			pcpu = $column["pcpu"]; vcpu = $column["vcpu"]; event = $column["event"]
		}
		'"$program" "$file"
}

# leave_lab: no emulator runs, and this test starts none any more: the next test may boot its host.
leave_lab() { [ -z "${TEST_LEFT_LAB:-}" ] || : >"$TEST_LEFT_LAB"; }

# boot DESCRIPTION DIR [LAB OPTIONS]: boots a host, the last one of this test; DIR has been made by the caller. Sets $host_scripts to
# the scripts that began, without .sh, if there are several.
boot() {
	local description=$1 out=$2 status=0 line before=$count said=0 begun=0 ended=0 shown=0
	shift 2
	"$here/lab" "$description" --out "$out" "$@" >"$out/lab.log" 2>&1 || status=$?
	leave_lab
	mapfile -t host_scripts < <(sed -nE 's/^LAB script (.*)\.sh\r?$/\1/p' "$out/progress.log")
	while IFS= read -r line; do
		line=${line%$'\r'}
		case $line in
		"LAB script "*)
			[ "${#host_scripts[@]}" -le 1 ] || host_script=${host_scripts[begun]}
			begun=$((begun + 1))
			;;
		"LAB > ok: "*)
			result 0 "${line#LAB > ok: }"
			shown=0
			;;
		"LAB > NOT OK: "*)
			result 1 "${line#LAB > NOT OK: }"
			shown=20
			;;
		"LAB >     "*)
			[ "$shown" = 0 ] || printf '# %s\n' "${line#LAB >     }"
			shown=$((shown > 0 ? shown - 1 : 0))
			;;
		"LAB > checks: "*)
			said=$((said + ${line#LAB > checks: }))
			ended=$((ended + 1))
			;;
		esac
	done <"$out/progress.log"
	host_script=
	line=$((count - before))
	[ "$begun" != 0 ] && [ "$ended" = "$begun" ] && [ "$said" = "$line" ] || status=1
	result "$status" "$description boots, does its work and ends"
	[ "$status" = 0 ] || {
		printf '# %s checks arrived, and %s of %s scripts count %s\n' "$line" "$ended" "$begun" "$said"
		tail -n 60 "$out/lab.log" | sed 's/^/# /'
	}
}

# check_scripts DIR: checks/NAME.sh checks what each of several scripts of the host has left in DIR/NAME, as $OUT.
check_scripts() {
	for host_script in "${host_scripts[@]}"; do
		OUT=$1/$host_script
		# shellcheck source=tests/xen/checks/contexts.sh
		. "$here/checks/$host_script.sh" || result 1 "$here/checks/$host_script.sh can be read"
	done
	host_script=
}

finish() {
	printf '1..%s\n' "$count"
}

# merged_cleanly RECORDING OUT: merges it with status 0 and no violation.
merged_cleanly() {
	out/bin/strata merge "$1" -o "$2" &&
		jq -e '.clock.violations == 0 and .events > 0' "$2/summary.json"
}

# opens DIR: babeltrace2 reads it to its end without a word on stderr.
opens() {
	local said
	if ! said=$(babeltrace2 "$1" 2>&1 >/dev/null) || [ -n "$said" ]; then
		printf '%s\n' "$said"
		return 1
	fi
}
