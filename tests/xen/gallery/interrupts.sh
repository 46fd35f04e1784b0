#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154,SC2317 # who sources it uses and sets them
#
# An interrupt storm: a process of g2 notifies a backend in dom0 in an endless loop.

title="an interrupt storm"
question="dom0 is busy with interrupts. Which domain causes them?"
command="report evtchn"

before() {
	stormed=$(grep -c 'storm: port' "$LAB_OUT/guest-g2.log")
	tell g2 "storm 100000000 &"
	await_console g2 'storm: port ' $((stormed + 1))
	port=$(sed -n 's/.*storm: port \([0-9]*\).*/\1/p' "$LAB_OUT/guest-g2.log" | tail -n 1)
	"$LAB_OUT/sink" "$(xl domid g2)" "$port" >sink.log 2>&1 &
	sink=$!
	await -p $sink 60 has_lines sink.log '^sink: ready'
}

after() {
	quiet g2 storm
	kill "$sink"
}

# The port that is signalled most often, by far, is the backend's; g2 does that, and dom0's kernel is interrupted for it.
# shellcheck disable=SC2016 # jq expands it
finding() {
	found '(.evtchn | sort_by(-.signals)) as $ports | $ports[0] | .of == "dom0" and .by == "g2" and (.handler | test("evtchn:sink")) and
		.signals >= 10000 and .signals > 3 * $ports[1].signals and .upcalls >= 100'
}
