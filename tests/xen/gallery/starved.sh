#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034,SC2317 # who sources it uses them
#
# A starved backend in dom0: three other processes of dom0 compute while a service there answers g1.

title="a starved backend in dom0"
question="g1 waits for answers from a service in dom0. Is the service slow?"
command="why --request app-server:request --worst 50"
# A recorder that has much to write is one more process that wants the CPU.
options="--app server --xen sched --kernel dom0 --kernel g1:sched_switch"

before() {
	asked=$(grep -c 'ask: page' "$LAB_OUT/guest-g1.log")
	tell g1 "ask 100000 0 &"
	await_console g1 'ask: page ' $((asked + 1))
	# shellcheck disable=SC2046 # several words
	set -- $(sed -n 's/.*ask: page \([0-9]*\) port \([0-9]*\).*/\1 \2/p' "$LAB_OUT/guest-g1.log" | tail -n 1)
	"$LAB_OUT/server" "$(xl domid g1)" "$1" "$2" >server.log 2>&1 &
	server=$!
	await -p $server 60 has_lines server.log '^server: ready'
	for hog in 1 2 3; do
		"$LAB_OUT/busy" &
		hogs="$hogs $!"
	done
}

after() {
	# shellcheck disable=SC2086 # several words
	kill "$server" $hogs
	quiet g1 ask
}

# The longest requests waited for their CPU longer than they worked: for busy and its children longer than for any other task.
# shellcheck disable=SC2016 # jq expands it
finding() {
	found '[.findings[] | select(.blame == "task_preempted")] as $waited | [.findings[] | select(.blame == "running")] as $ran |
		($waited | map(.ns) | add) > ($ran | map(.ns) | add) and
		($waited | map(select(.by | test("^(busy|exe)-"))) | map(.ns) | add) >
		([$waited[] | select(.by | test("^(busy|exe)-") | not)] | group_by(.by) | map(map(.ns) | add) | max)'
}
