#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Properties of the hypervisor's binary: disabled tracing costs one test of a flag, nothing is traced during shutdown, and
# the series compiles for Arm, without Strata. Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

OUT=out/tests/hypervisor_build
ARM=$OUT/arm64

# The machine code of function $1, with the cold part that the compiler put elsewhere.
code_of() {
	awk -v "name=$1" '/^[0-9a-f]+ </ { here = $2 == "<" name ">:" || $2 == "<" name ".cold>:" } here' "$OUT/code"
}

# Functions that call function $1, one a line, by their own names.
callers_of() {
	awk -v "callee=<$1>" '/^[0-9a-f]+ </ { caller = substr($2, 2); sub(/(\.cold)?>:$/, "", caller) }
		$2 ~ /^(call|jmp)/ && $NF == callee { print caller }' "$OUT/code" | sort -u
}

# Whoever calls $1 has tested the flag inline; and there are such callers.
flag_is_tested_before() {
	local caller callers
	callers=$(callers_of "$1")
	[ -n "$callers" ] || { echo "nothing calls $1"; return 1; }
	for caller in $callers; do
		code_of "$caller" | grep -q '<tb_init_done>' || { echo "$caller calls $1 and does not test tb_init_done"; return 1; }
	done
}

# Function $1 clears the flag that each trace point tests.
clears_flag() {
	code_of "$1" | grep -E 'movl +[$]0x0,.*<tb_init_done>'
}

# C files of the series that are compiled for Arm, too.
common_files() {
	sed -n 's,^+++ b/xen/\(.*\)\.c$,\1.o,p' xen-patch/patches/*.patch | grep -v '^arch/x86/' | sort -u
}

compiles_for_arm() {
	local make=(make -C "$ARM/xen" -j2 XEN_TARGET_ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-)

	mkdir -p "$ARM"
	# The sources without what was made of them for x86.
	tar -C out/xen/tree -c --exclude='*.o' --exclude='.*.d' --exclude='.*.cmd' --exclude='xen/.config*' \
		--exclude='xen/include/config' --exclude='xen/include/generated' xen Config.mk config | tar -C "$ARM" -x || return 1
	{ "${make[@]}" distclean; "${make[@]}" defconfig; } >"$OUT/arm64.log" 2>&1 || { tail -n 5 "$OUT/arm64.log"; return 1; }
	! grep -q '^CONFIG_STRATA=y' "$ARM/xen/.config" || return 1
	# The target for the whole hypervisor makes headers first; without objects it then fails to link, which is of no interest.
	"${make[@]}" ALL_OBJS-y= ALL_LIBS-y= >>"$OUT/arm64.log" 2>&1
	[ -s "$ARM/xen/arch/arm/include/asm/asm-offsets.h" ] || { tail -n 5 "$OUT/arm64.log"; return 1; }
	# shellcheck disable=SC2046 # several files
	"${make[@]}" $(common_files) >>"$OUT/arm64.log" 2>&1 || { grep -A 3 'error:' "$OUT/arm64.log"; return 1; }
	# shellcheck disable=SC2046 # several files
	(cd "$ARM/xen" && ls $(common_files))
}

rm -rf "$OUT"
mkdir -p "$OUT"
check "the hypervisor builds" xen-patch/build.sh
objdump -d --no-show-raw-insn out/xen/xen-syms >"$OUT/code"
check "a VM exit tests a flag inline" flag_is_tested_before __trace_will_trace_event
check "a softirq and a CPU that is about to sleep test a flag inline" flag_is_tested_before strata_hand_over
check "a vCPU whose clock changes tests it, too" flag_is_tested_before strata_vcpu_clock_changed
for function in panic smp_send_stop smp_send_nmi_allbutself; do
	check "nothing is traced after $function" clears_flag "$function"
done
check "what the series changes compiles for Arm, without Strata" compiles_for_arm
finish
