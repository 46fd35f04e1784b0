#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# LTTng traces of two machines that exchange TCP: boots two plain virtual machines (QEMU, emulated, no Xen) with a network between
# them and nothing else, records in both while they send to each other, and leaves
#
#     OUT/a OUT/b       two directories, each with a kernel's and an application's trace as LTTng wrote them
#     OUT/clocks        how far the clocks are apart, by other means than TCP: see compare_clocks.c; a's clock leads
#
# The machines' wall clocks are 42 s apart, and b's clock runs 30 ppm fast.
#
#     two_machines.sh OUT [--limit SECONDS]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/xen/debs.sh
. "$here/../xen/debs.sh"

say() {
	printf '[%3d s] %s\n' "$SECONDS" "$*"
}

usage() {
	printf 'two_machines.sh: %s\nusage: two_machines.sh OUT [--limit SECONDS]\n' "$1" >&2
	exit 2
}

# Ends the machines, and only those that this process started. Runs whatever ended the script, Ctrl-C too.
# shellcheck disable=SC2317 # the traps call it
clean_up() {
	trap - EXIT INT TERM HUP
	local pid

	for pid in "${pids[@]}"; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	rm -rf "$work"
}

# Ends with the last lines that machine $1 wrote, and one sentence.
give_up() {
	local name=$1

	shift
	if [ -s "$out/$name.log" ]; then
		printf -- '---- the last lines of %s\n' "$out/$name.log" >&2
		tail -n 15 "$out/$name.log" | tr -d '\r' | cut -c 1-160 >&2
		printf -- '----\n' >&2
	fi
	[ ! -s "$work/$name.qemu" ] || tail -n 3 "$work/$name.qemu" >&2
	die "machine $name: $*"
}

# Powers a machine on: NAME ADDRESS OTHER'S-NAME OTHER'S-ADDRESS WHAT CLOCK PPM.
#  tsc=reliable   the emulated CPUs' counters are all the host's; a clock that is read from a device would take thousands of
#                 instructions for each event
#  -rdtscp        as in the Xen tests (tests/xen/lab): the same CPU
start_machine() {
	local name=$1 address=$2 other=$3 other_address=$4 what=$5 clock=$6 ppm=$7

	: >"$out/$name.log"
	qemu-system-x86_64 -name "$name" -accel tcg,thread=multi -cpu max,-smap,-smep,-rdtscp -smp 2 -m 768M -rtc "base=$clock" \
		-no-reboot -nodefaults -no-user-config -display none -serial "file:$out/$name.log" \
		-virtfs "local,path=$out,mount_tag=out,security_model=none" \
		-netdev "dgram,id=net,local.type=unix,local.path=$work/$name,remote.type=unix,remote.path=$work/$other" \
		-device "virtio-net-pci,netdev=net,mac=52:54:00:00:00:0${address##*.}" \
		-object "memory-backend-file,id=shared,size=1M,share=on,mem-path=$work/memory" \
		-device ivshmem-plain,memdev=shared \
		-kernel "$top/out/kernel/vmlinux" -initrd "$top/out/lttng/machine.img" \
		-append "console=ttyS0 loglevel=4 tsc=reliable cryptomgr.notests mitigations=off rdinit=/init \
-- $name $address $other_address $what $ppm" \
		</dev/null >"$work/$name.qemu" 2>&1 &
	pids+=($!)
}

# Prints how far machine $1 is, if that is further than $2.
progress() {
	local line

	line=$(grep -a '^MACHINE ' "$out/$1.log" | tail -n 1 | tr -d '\r')
	[ "${line#MACHINE }" = "$2" ] || echo "${line#MACHINE }"
}

# Waits until both machines have ended well.
wait_for_end() {
	local names=(a b) seen=('' '') running=2 i line

	while [ "$running" -gt 0 ]; do
		running=0
		for i in 0 1; do
			# What a machine says before its end is in its log when it has ended.
			if kill -0 "${pids[i]}" 2>/dev/null; then
				running=$((running + 1))
				line=$(progress "${names[i]}" "${seen[i]}")
			else
				line=$(progress "${names[i]}" "${seen[i]}")
				[ "${line:-${seen[i]}}" = "end status=0" ] || give_up "${names[i]}" "it ended early"
			fi
			[ -n "$line" ] || continue
			seen[i]=$line
			case $line in
			"failed: "* | "end status="[!0]*) give_up "${names[i]}" "$line" ;;
			"end "*) ;;
			*) say "machine ${names[i]}: $line" ;;
			esac
		done
		[ "$SECONDS" -lt "$limit" ] || die "the limit of $limit s was reached; the last words: a: ${seen[0]:-none}, b: ${seen[1]:-none}"
		sleep 0.2
	done
}

out='' limit=1200
while [ $# -gt 0 ]; do
	case $1 in
	--limit)
		[[ ${2-} =~ ^[1-9][0-9]*$ ]] || usage "--limit needs a number of seconds"
		limit=$2
		shift
		;;
	-*) usage "there is no option $1" ;;
	*) out=$1 ;;
	esac
	shift
done
[ -n "$out" ] || usage "where shall the traces go?"
[[ $(realpath -m "$out") != *,* ]] || usage "the path of OUT must not hold a comma"
need_commands qemu-system-x86_64 qemu-system-x86
"$here/images.sh"
mkdir -p "$out"
out=$(cd "$out" && pwd)
rm -rf "$out"/{a,b,clocks}
pids=()
# The path of a socket is short.
work=$(mktemp -d "${TMPDIR:-/tmp}/two_machines.XXXXXX")
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
SECONDS=0
truncate -s 1M "$work/memory"
start_machine a 10.0.0.1 b 10.0.0.2 ask 2026-01-05T08:00:00 0
start_machine b 10.0.0.2 a 10.0.0.1 serve 2026-01-05T08:00:42 30
say "two machines boot"
wait_for_end
for what in a/kernel a/ust b/kernel b/ust clocks; do
	[ -e "$out/$what" ] || die "both machines ended well, but $out/$what is not there"
done
say "done: $(du -sh "$out/a" | cut -f 1) and $(du -sh "$out/b" | cut -f 1) of traces"
