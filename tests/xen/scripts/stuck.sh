#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Shows from dom0 what a guest does that does not answer: the end of its console, the state of its vCPUs, and where in the kernel each
# of them is. The guest takes no part in it. Sourced by scripts that wait for a guest.

# dom0 boots the same kernel as the guests, at the same address, so that its symbols are theirs. A module's are not.
kernel_symbols() {
	[ -s /tmp/kernel.symbols ] || grep -v '\[' /proc/kallsyms >/tmp/kernel.symbols
	echo /tmp/kernel.symbols
}

# Prints the last lines of guest $1's console, and twice, a second apart, the functions on the stack of each vCPU.
show_stuck() {
	tail -n 5 "$LAB_OUT/guest-$1.log"
	for look in 1 2; do
		echo "look $look at $1, which does not answer:"
		xl vcpu-list "$1"
		# Name, ID, VCPU, and more; a heading first.
		xl vcpu-list "$1" | sed 1d | while read -r _ domid vcpu _; do
			xenctx -s "$(kernel_symbols)" -S "$domid" "$vcpu" >"$LAB_OUT/stuck-$1-$vcpu-$look" 2>&1
			echo "vCPU $vcpu:"
			grep -m 15 -E '^rip|\[<' "$LAB_OUT/stuck-$1-$vcpu-$look"
		done
		sleep 1
	done
}
