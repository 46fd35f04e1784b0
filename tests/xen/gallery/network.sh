#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154,SC2317 # who sources it uses them
#
# A request over the network: g1 asks a server in g2 over TCP, through their network interfaces and a bridge in dom0.

title="a request over the network"
question="g1 waits for answers of a server in g2. Which part of the way takes how long?"
command="why --request ask=probe_tcp_sendmsg,return_tcp_recvmsg,tid --worst 20"
options="--xen sched,evtchn --kernel dom0 --kernel g1 --kernel g2 --kprobe g1:tcp_sendmsg --kretprobe g1:tcp_recvmsg"

# Gives guest $1 a network interface with address $2, on a bridge of dom0.
connect() {
	xl network-attach "$1" script=/lab/scripts/vif.sh bridge=lab
	tell "$1" "for ko in /lib/modules-for-network/*; do insmod \$ko; done"
	tell "$1" "until ip link set eth0 up; do sleep 1; done; ip addr add $2/24 dev eth0; echo con''nected"
	await_console "$1" connected
}

prepare() {
	for ko in /lib/modules-for-network/*; do
		insmod "$ko"
	done
	connect g1 10.0.0.1
	connect g2 10.0.0.2
	tell g2 "tcptalk answer &"
	await_console g2 "tcptalk: ready"
}

before() {
	tell g1 "tcptalk ask 10.0.0.2 10 &"
	await_console g1 "tcptalk: ready"
}

after() {
	quiet g1 tcptalk
	quiet g2 tcptalk
}

tidy() {
	tell g1 "ip link set eth0 down"
	tell g2 "ip link set eth0 down"
}

# Some of the longest requests are followed from g1 through its backend in dom0 to the server in g2, and on through g2's backend; each
# part is the sum of its own parts, and another domain has one.
# shellcheck disable=SC2016 # jq expands it
finding() {
	found 'def way: if .cause == "waits_domain" then [.name | sub("^vif[^ ]*"; "vif") | sub("-[0-9]+ on "; " on ")] else [] end;
		def ways: way as $way | if (.parts | length) > 0 then .parts[] | ways | $way + . else $way end;
		any(.instances[].tree | ways; .[0:3] == ["vif on dom0/0", "tcptalk on g2/0", "vif on dom0/0"])' &&
		found '[.instances[].tree | .. | objects | select(.parts)] | length > 0 and all(.ns == (.parts | map(.ns) | add))' &&
		found 'any(.findings[]; .blame == "backend_domain" and .by == "dom0")'
}
